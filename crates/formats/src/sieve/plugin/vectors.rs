//! Operations on lists of wires, element by element.

use super::{Binding, Bound};
use crate::sieve::body::{NONE, Op};
use crate::sieve::header::Argument;
use crate::sieve::scope::Scope;

/// The results of a function that is bound to an operation of `vectors`.
pub(super) fn compute(
    scope: &mut Scope,
    bound: &Bound<'_>,
    operation: &str,
    binding: &Binding,
) -> Result<Vec<u32>, String> {
    let kind = bound.kind;
    let constant = match (&binding.arguments[..], matches!(operation, "addc" | "mulc")) {
        ([], false) => [0; 4],
        ([Argument::Number(number)], true) if number.below(bound.field.size()) => {
            number.to_element().ok_or("a constant of more than 256 bits")?
        }
        (_, true) => {
            return Err(format!("a constant below {}, stands behind the operation", bound.field.limit()));
        }
        (_, false) => return Err("nothing stands behind the operation".into()),
    };
    let lists: Vec<&[u32]> = bound.ins.iter().map(Vec::as_slice).collect();
    let outs = bound.outs();
    let length = |list: &[u32]| list.len() as u64;
    let pairs = |scope: &mut Scope, gate: fn(&mut Scope, u8, u32, u32) -> u32, a: &[u32], b: &[u32]| {
        a.iter().zip(b).map(|(&a, &b)| gate(scope, kind, a, b)).collect()
    };
    match (operation, &lists[..], &outs[..]) {
        ("add" | "mul", &[a, b], &[out]) if length(a) == out && length(b) == out => {
            let gate = if operation == "add" { Scope::add } else { Scope::mul };
            Ok(pairs(scope, gate, a, b))
        }
        ("add_scalar" | "mul_scalar", &[a, &[b]], &[out]) if length(a) == out => {
            let gate = if operation == "add_scalar" { Scope::add } else { Scope::mul };
            Ok(pairs(scope, gate, a, &vec![b; a.len()]))
        }
        ("addc", &[a], &[out]) if length(a) == out => {
            Ok(a.iter().map(|&a| scope.add_constant(kind, a, constant)).collect())
        }
        ("mulc", &[a], &[out]) if length(a) == out => {
            Ok(a.iter().map(|&a| scope.mul_constant(kind, a, constant)).collect())
        }
        ("sum" | "product", &[a], &[1]) => {
            let gate = if operation == "sum" { Scope::add } else { Scope::mul };
            Ok(vec![a[1..].iter().fold(a[0], |sum, &next| gate(scope, kind, sum, next))])
        }
        ("dotproduct" | "dotprod", &[a, b], &[1]) if a.len() == b.len() => Ok(vec![scope.inner(kind, a, b)]),
        ("add" | "mul", ..) => Err("it takes two lists of one length, and gives one".into()),
        ("add_scalar" | "mul_scalar", ..) => {
            Err("it takes a list and one wire, and gives a list of that length".into())
        }
        ("addc" | "mulc", ..) => Err("it takes a list, and gives one of that length".into()),
        ("sum" | "product", ..) => Err("it takes a list, and gives one wire".into()),
        _ => Err("it takes two lists of one length, and gives one wire".into()),
    }
}

/// Demands that two lists are equal.
pub(super) fn equal(scope: &mut Scope, bound: &Bound<'_>) -> Result<Vec<u32>, String> {
    let ([a, b], []) = (&bound.ins[..], &bound.outs()[..]) else {
        return Err("it takes two lists of one length, and gives none".into());
    };
    if a.len() != b.len() {
        return Err("it takes two lists of one length, and gives none".into());
    }
    for (&a, &b) in a.iter().zip(b) {
        let minus = scope.mul_constant(bound.kind, b, bound.minus_one());
        let difference = scope.add(bound.kind, a, minus);
        scope.assert_zero(bound.kind, difference, bound.line);
    }
    Ok(Vec::new())
}

/// Demands that two lists are permutations of each other, in words of `width` wires.
pub(super) fn permutation(
    scope: &mut Scope,
    bound: &Bound<'_>,
    binding: &Binding,
) -> Result<Vec<u32>, String> {
    let ([a, b], [], [Argument::Number(width)]) = (&bound.ins[..], &bound.outs()[..], &binding.arguments[..])
    else {
        return Err(
            "it takes two lists of one length, gives none, and the wires of a word stand behind it".into()
        );
    };
    let width = width.to_u64().filter(|width| (1..=a.len() as u64).contains(width)).unwrap_or(0);
    if a.len() != b.len() || width == 0 || !(a.len() as u64).is_multiple_of(width) {
        let words = binding.arguments.iter().map(|argument| match argument {
            Argument::Number(number) => number.to_string(),
            Argument::Name(name) => name.escape_ascii().to_string(),
        });
        return Err(format!(
            "it takes two lists of as many words of {} wires, and here stand lists of {} and {}",
            words.collect::<String>(),
            a.len(),
            b.len()
        ));
    }
    let at = scope.body.long(bound.line);
    scope.body.words.push(width as u32);
    scope.body.list(a.iter().copied());
    scope.body.list(b.iter().copied());
    scope.body.push(Op::Permutation, bound.kind, NONE, NONE, at);
    scope.cost.gates = scope.cost.gates.saturating_add(2 * a.len() as u64);
    scope.cost.assertions = 1;
    Ok(Vec::new())
}
