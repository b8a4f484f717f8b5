//! Functions of wide values: a power of the base, leading bits, and a table of those.

use super::values::{element, integer};
use crate::network::{Power, WideTable};
use core::fmt::Display;
use core::iter;
use volery_channel::error::Result;
use volery_circuit::{Machine, Rows};
use volery_primitives::{F61, Field};

/// The bits of a limb.
const LIMB_BITS: u32 = 16;

/// The results for `values`, below 2^59 in magnitude: V = m·d + ρ with a power d of the base, 0 ≤ ρ < d, and m a key of
/// the table, which no other d, m and ρ are. Both sides are integers below half the modulus.
pub(super) fn wide<B: Machine<F = F61>>(
    b: &mut B,
    (table, of_rows): (&WideTable<'_>, &mut B::Table),
    (powers, of_powers): (&[Power], Option<&mut B::Table>),
    values: &[B::Wire],
    name: &dyn Display,
) -> Result<Vec<B::Wire>> {
    let (base, least) = (table.base_bits(), table.least().trailing_zeros());
    let (first, last) = (live(powers).start as u32, powers.len() as u32 - 1);
    let limbs = (last * base).div_ceil(LIMB_BITS);
    // For each value a power, leading bits, the limbs of what they leave, and those of what that leaves of the power but
    // for the last.
    let columns = 2 + (2 * limbs).saturating_sub(1) as usize;
    let hints = b.hints(values, columns * values.len(), move |values| {
        let mut hints = vec![F61::ZERO; columns * values.len()];
        for (i, value) in values.iter().enumerate() {
            // One that is out of range is no key of the tables, whatever becomes of it here.
            let value = integer(*value).max(0);
            let power = (((value >> least) | 1).ilog2() / base).clamp(first, last);
            let shift = power * base;
            let rest = value & ((1 << shift) - 1);
            let left = (1 << shift) - 1 - rest;
            let limb = |of: i64, limb: u32| (of >> (limb * LIMB_BITS)) & 0xffff;
            let parts = [1 << shift, value >> shift].into_iter();
            let parts = parts.chain((0..limbs).map(|i| limb(rest, i)));
            let parts = parts.chain((0..limbs.saturating_sub(1)).map(|i| limb(left, i)));
            for (column, part) in parts.enumerate() {
                hints[column * values.len() + i] = element(part);
            }
        }
        hints
    })?;
    let columns: Vec<_> = hints.chunks_exact(values.len()).collect();
    let (d, m) = (columns[0], columns[1]);
    let (rests, lefts) = columns[2..].split_at(limbs as usize);
    let places: Vec<_> = (0..limbs).map(|i| F61::place(i * LIMB_BITS)).collect();
    // d, w and a are a row, and so are m and y.
    let (d, mut of_power) = match of_powers {
        Some(of_powers) => (d.to_vec(), b.look_up_rows(of_powers, &[d], name)?),
        None => {
            let power = b.constant(F61::place(last * base));
            (vec![power; values.len()], Vec::new())
        }
    };
    let y = b.look_up_rows(of_rows, &[m], name)?.pop().expect("a column of values");
    // V = m·d + ρ.
    let rest = match rests {
        [] => None,
        rests => Some(b.linear_rows(&places, rests)),
    };
    let (of_m, of_d) = (b.vector(m), b.vector(&d));
    let product = b.product(&of_m, &of_d)?;
    let negated = match &rest {
        Some(rest) => b.linear_rows(&[F61::ONE, -F61::ONE], &[rest, values]),
        None => b.linear_rows(&[-F61::ONE], &[values]),
    };
    let negated = b.vector(&negated);
    let zero = b.sum(&product, &negated);
    b.assert_zeroes(zero, name)?;
    // 0 ≤ ρ < d: d − 1 − ρ has limbs, too, of which the last is what the others leave.
    if let Some(rest) = &rest {
        let one = b.constant(F61::ONE);
        let ones = vec![one; values.len()];
        let inverse = F61::place((limbs - 1) * LIMB_BITS).invert();
        let factors: Vec<_> = [F61::ONE, -F61::ONE, -F61::ONE]
            .into_iter()
            .chain(places[..lefts.len()].iter().map(|place| -*place))
            .map(|factor| factor * inverse)
            .collect();
        let of: Vec<_> = [&d[..], &ones, rest].into_iter().chain(lefts.iter().copied()).collect();
        let top = b.linear_rows(&factors, &of);
        for limb in rests.iter().chain(lefts).copied().chain(iter::once(&top[..])) {
            b.assert_within(limb, LIMB_BITS, name)?;
        }
    }
    // R = y·w + a.
    let Power { factor, summand } = powers[last as usize];
    let (scaled, summands) = if of_power.is_empty() {
        let summands = (summand != 0).then(|| vec![b.constant(element(summand)); values.len()]);
        (b.linear_rows(&[element(factor)], &[&y]), summands)
    } else {
        let summands = if of_power.len() > 1 { of_power.pop() } else { None };
        let (y, w) = (b.vector(&y), b.vector(&of_power[0]));
        let product = b.product(&y, &w)?;
        (b.commit(&product)?, summands)
    };
    Ok(match summands {
        Some(summands) => b.linear_rows(&[F61::ONE, F61::ONE], &[&scaled, &summands]),
        None => scaled,
    })
}

/// The powers that have a result.
fn live(powers: &[Power]) -> core::ops::Range<usize> {
    powers.iter().take_while(|power| power.factor == 0).count()..powers.len()
}

/// The table of leading bits: m and T[m − m₀].
pub(super) fn rows_of_table<B: Machine<F = F61>>(b: &mut B, table: &WideTable<'_>) -> Result<B::Table> {
    let keys = (table.least()..).map(element);
    let entries: Vec<_> =
        keys.zip(&table.values).flat_map(|(key, value)| [key, element((*value).into())]).collect();
    b.table(Rows { key: 1, value: 1, entries: &entries })
}

/// The table of powers, where there are several: d, w, and a where one is not 0.
pub(super) fn rows_of_powers<B: Machine<F = F61>>(
    b: &mut B,
    base_bits: u32,
    powers: &[Power],
) -> Result<Option<B::Table>> {
    let live = live(powers);
    if live.len() < 2 {
        return Ok(None);
    }
    let has_summands = powers[live.clone()].iter().any(|power| power.summand != 0);
    let row = |power: usize| {
        let Power { factor, summand } = powers[power];
        let row = [F61::place(power as u32 * base_bits), element(factor), element(summand)];
        row.into_iter().take(if has_summands { 3 } else { 2 })
    };
    let entries: Vec<_> = live.flat_map(row).collect();
    b.table(Rows { key: 1, value: if has_summands { 2 } else { 1 }, entries: &entries }).map(Some)
}
