//! Timestamps over F_2: a polynomial in a number's bits which is zero where the number is at most a public
//! one.

use super::Party;
use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::accounting::Layout;
use volery_primitives::Field;

/// Demands, in each lane, that the number whose bits are on wires, the least significant first, is at most
/// the public one, of as many bits. `bits[j]` has bit j of all lanes.
///
/// From the lowest bit on, with ℓ for "at most so far": where the bits t and n differ n decides, so that ℓ
/// becomes ℓ + (t + n)·(ℓ + n). Its degree grows by one with each bit, so that it is committed to now and
/// then.
pub(crate) fn at_most<P: Party>(
    party: &mut P,
    bits: &[Vec<P::Wire>],
    most: &[u64],
    name: &dyn Display,
) -> Result<()> {
    let (_, length) = Layout::pieces(bits.len() as u32);
    let mut within = party.public(&vec![P::F::ONE; most.len()]);
    for (j, wires) in bits.iter().enumerate() {
        if j > 0 && (j as u32).is_multiple_of(length) {
            let wires = party.commit(&within)?;
            within = party.vector(&wires);
        }
        let n: Vec<P::F> =
            most.iter().map(|most| if most >> j & 1 == 1 { P::F::ONE } else { P::F::ZERO }).collect();
        let (n, t) = (party.public(&n), party.vector(wires));
        let (differs, decided) = (party.sum(&t, &n), party.sum(&within, &n));
        let change = party.product(&differs, &decided)?;
        within = party.sum(&within, &change);
    }
    let one = party.public(&[P::F::ONE]);
    let zero = party.sum(&within, &one);
    party.vanish_lanes(zero, name)
}
