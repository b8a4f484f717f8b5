//! Choices by a number on wires.
//!
//! Over a prime field the prover hints z = [c = i] and w, the inverse of d = c − i or zero, with d·w = 1 − z
//! and d·z = 0: two values and two checks for each choice. Over F_2 numbers are bits, the most significant
//! first; and of a word z is the product of all bits' complements.

use super::{Binding, Bound};
use crate::sieve::body::{NONE, hint};
use crate::sieve::function::MOST_KEPT;
use crate::sieve::header::Argument;
use crate::sieve::number::{Element, Number};
use crate::sieve::scope::Scope;

/// The results of a function that is bound to `mux`.
pub(super) fn mux(scope: &mut Scope, bound: &Bound<'_>, binding: &Binding) -> Result<Vec<u32>, String> {
    let mode = |name: &[u8]| match name {
        b"strict" => Some(true),
        b"permissive" => Some(false),
        _ => None,
    };
    let (decode, strict) = match (&*binding.operation, &binding.arguments[..]) {
        ("decode", [Argument::Name(name)]) => (true, mode(name)),
        (name, []) => (false, mode(name.as_bytes())),
        _ => (false, None),
    };
    let strict = strict.ok_or("write strict or permissive, or decode and one of them")?;
    let (outs, kind) = (bound.outs(), bound.kind);
    let Some((selector, groups)) = bound.ins.split_first() else {
        return Err("there is no input to choose by".into());
    };
    if !bound.binary && selector.len() != 1 {
        return Err("the first input, to choose by, is one wire".into());
    }
    if decode {
        let ([count], []) = (&outs[..], groups) else {
            return Err("it takes one list, to choose by, and gives one".into());
        };
        return choose(scope, bound, selector, *count, strict);
    }
    let lengths: Vec<u64> = groups.iter().map(|group| group.len() as u64).collect();
    if outs.is_empty() || lengths.is_empty() || lengths.chunks(outs.len()).any(|group| group != outs) {
        return Err("behind the input to choose by stand groups of lists, each as long as the outputs".into());
    }
    let choices: Vec<Vec<u32>> = groups.chunks(outs.len()).map(<[_]>::concat).collect();
    if bound.binary {
        let beyond = choices.len() as u64;
        let results = select(scope, kind, selector, choices)?;
        if strict {
            below(scope, bound, selector, beyond);
        }
        return Ok(results);
    }
    let chosen = choose(scope, bound, selector, choices.len() as u64, strict)?;
    let wires = choices[0].len();
    let column = |i: usize| choices.iter().map(|choice| choice[i]).collect::<Vec<_>>();
    Ok((0..wires).map(|i| scope.inner(kind, &chosen, &column(i))).collect())
}

/// The room that a choice over a prime field takes, about: gates, and words of lists and of constants.
const KEPT_OF_CHOICE: u64 = 40;

/// The room that a constant over F_2 takes: its gate, and its words.
const KEPT_OF_CONSTANT: u64 = 9;

/// # Errors
/// Where so many gates are more than functions keep.
pub(super) fn fits(gates: u64) -> Result<(), String> {
    if gates <= MOST_KEPT as u64 {
        return Ok(());
    }
    Err(format!("a choice of more than {MOST_KEPT} gates: choose among fewer, or in several steps"))
}

/// For each number below `count` whether it is that of `selector`.
fn choose(
    scope: &mut Scope,
    bound: &Bound<'_>,
    selector: &[u32],
    count: u64,
    strict: bool,
) -> Result<Vec<u32>, String> {
    let kind = bound.kind;
    if bound.binary {
        let chosen = decode(scope, kind, selector, count)?;
        if strict {
            below(scope, bound, selector, count);
        }
        return Ok(chosen);
    }
    if bound.field.size().below(&Number::of(count)) {
        return Err(format!("{count} choices are more than the field has elements"));
    }
    // Of each, six gates, their lists and their constants.
    fits(KEPT_OF_CHOICE.saturating_mul(count))?;
    let mut chosen = Vec::new();
    let mut minus = [0; 4];
    for _ in 0..count {
        chosen.push(equals(scope, bound, selector[0], minus));
        minus = bound.minus(minus, 1);
    }
    if strict {
        let sum = chosen[1..].iter().fold(chosen[0], |sum, &is| scope.add(kind, sum, is));
        let off = scope.add_constant(kind, sum, bound.minus_one());
        scope.assert_zero(kind, off, bound.line);
    }
    Ok(chosen)
}

/// Whether a wire over a prime field has the value whose negative is `minus`: one, or zero.
pub(super) fn equals(scope: &mut Scope, bound: &Bound<'_>, wire: u32, minus: Element) -> u32 {
    let kind = bound.kind;
    let difference = scope.add_constant(kind, wire, minus);
    if bound.word {
        return scope.is_zero(kind, difference);
    }
    let hinted = scope.hint(kind, hint::INVERSE, &[difference], 2);
    let [inverse, is] = hinted[..] else { unreachable!("two were asked for") };
    let negated = scope.mul_constant(kind, is, bound.minus_one());
    let is_not = scope.add_constant(kind, negated, bound.element(1));
    scope.assert_product(kind, (difference, inverse), is_not, bound.line);
    scope.assert_product(kind, (difference, is), NONE, bound.line);
    is
}

/// The list among `choices` whose number has these bits; zeros where there is none.
fn select(scope: &mut Scope, kind: u8, bits: &[u32], mut choices: Vec<Vec<u32>>) -> Result<Vec<u32>, String> {
    // More cannot be named.
    if bits.len() < 32 {
        choices.truncate(1 << bits.len());
    }
    let (wires, mut left, mut gates) = (choices[0].len() as u64, choices.len() as u64, 0u64);
    for _ in bits {
        // Three for each wire of a pair, and one for those of a list that has no other.
        let rest = (left % 2) * (wires + KEPT_OF_CONSTANT);
        gates = gates.saturating_add(3 * wires * (left / 2) + rest);
        left = left.div_ceil(2);
    }
    fits(gates)?;
    for &bit in bits.iter().rev() {
        let pairs = choices.chunks(2).map(|pair| match pair {
            [zero, one] => zero
                .iter()
                .zip(one)
                .map(|(&zero, &one)| {
                    let sum = scope.add(kind, zero, one);
                    let chosen = scope.mul(kind, bit, sum);
                    scope.add(kind, zero, chosen)
                })
                .collect(),
            rest => {
                let not = scope.add_constant(kind, bit, [1, 0, 0, 0]);
                rest[0].iter().map(|&zero| scope.mul(kind, not, zero)).collect()
            }
        });
        choices = pairs.collect();
    }
    Ok(choices.swap_remove(0))
}

/// For each number below `count` whether it has these bits.
fn decode(scope: &mut Scope, kind: u8, bits: &[u32], count: u64) -> Result<Vec<u32>, String> {
    // Two for each number that the bits so far begin, which are twice `count` together, and two for each bit;
    // and what no bits can name.
    let named = if bits.len() < 32 { count.min(1 << bits.len()) } else { count };
    let gates = 4 * named + 2 * bits.len() as u64;
    fits(gates.saturating_add((count - named).saturating_mul(KEPT_OF_CONSTANT)))?;
    let mut chosen = vec![scope.constant(kind, [1, 0, 0, 0])];
    for (i, &bit) in bits.iter().enumerate() {
        // So many numbers with one bit more are below what is asked for.
        let rest = bits.len() - 1 - i;
        let most = if rest < 64 { ((count - 1) >> rest) + 1 } else { 1 };
        let mut longer = Vec::new();
        for &is in &chosen {
            let one = scope.mul(kind, is, bit);
            longer.extend([scope.add(kind, is, one), one]);
        }
        longer.truncate(most as usize);
        chosen = longer;
    }
    // What no bits can name is never chosen.
    while (chosen.len() as u64) < count {
        chosen.push(scope.constant(kind, [0; 4]));
    }
    Ok(chosen)
}

/// Demands that the number of `bits` is below `count`.
fn below(scope: &mut Scope, bound: &Bound<'_>, bits: &[u32], count: u64) {
    if bits.len() < 64 && count >> bits.len() > 0 {
        return;
    }
    let (kind, most) = (bound.kind, count - 1);
    // Whether what was looked at so far exceeds what the most has there.
    let mut over = scope.constant(kind, [0; 4]);
    for (place, &bit) in bits.iter().rev().enumerate() {
        let product = scope.mul(kind, bit, over);
        over = if place < 64 && most >> place & 1 == 1 {
            product
        } else {
            let sum = scope.add(kind, bit, over);
            scope.add(kind, sum, product)
        };
    }
    scope.assert_zero(kind, over, bound.line);
}
