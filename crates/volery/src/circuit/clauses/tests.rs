//! Clauses in the clear, and their gates.

use super::*;
use crate::circuit::{Circuit, Clear, Count, Shape};
use crate::error::Error;
use volery_primitives::Field;

/// What a clause of so many bits states.
#[derive(Clone, Copy)]
enum Kind {
    /// Each bit is zero: an assertion each.
    Zeros,
    /// The product of all bits is one.
    Product,
    /// Nothing at all.
    Nothing,
}

/// Clauses by their kinds and numbers of bits.
struct Tiny(Vec<(Kind, usize)>);

impl Alternatives for Tiny {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<B: Backend<F = F2>> Clauses<B> for Tiny {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let (kind, bits) = self.0[clause];
        let x = (0..bits).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let one = b.constant(F2::ONE);
        match kind {
            Kind::Zeros => x.into_iter().try_for_each(|x| b.assert_zero(x, &"zero")),
            Kind::Product => {
                let product = x.into_iter().try_fold(one, |product, x| b.mul(product, x))?;
                let zero = b.add(product, one);
                b.assert_zero(zero, &"product")
            }
            Kind::Nothing => Ok(()),
        }
    }
}

impl Tiny {
    fn holds(&self, clause: usize, bits: &[F2]) -> bool {
        let (kind, length) = self.0[clause];
        assert_eq!(bits.len(), length);
        match kind {
            Kind::Zeros => bits.iter().all(|bit| *bit == F2::ZERO),
            Kind::Product => bits.iter().all(|bit| *bit == F2::ONE),
            Kind::Nothing => unreachable!("refused"),
        }
    }
}

/// All strings of so many bits.
fn strings(bits: usize) -> impl Iterator<Item = Vec<F2>> {
    (0u128..1 << bits).map(move |string| (0..bits).map(|i| F2::low_bit(string >> i)).collect())
}

#[test]
fn a_branch_collects_what_fails() {
    for kind in [Kind::Zeros, Kind::Product] {
        for bits in 1..=5 {
            let tiny = Tiny(vec![(kind, bits)]);
            for string in strings(bits) {
                let mut clear = Clear::new(string.clone());
                let mut branch = Branch::collecting(&mut clear);
                tiny.run(0, &mut branch).unwrap();
                let failed = branch.finish().unwrap().unwrap();
                assert_eq!(failed == F2::ONE, !tiny.holds(0, &string));
                let mut clear = Clear::new(string.clone());
                let stands = Clause::new(&tiny, 0).run(&mut clear).and_then(|()| clear.finish());
                assert_eq!(stands.is_ok(), tiny.holds(0, &string));
            }
        }
    }
}

#[test]
fn one_of_the_clauses_has_to_hold() {
    let tiny = Tiny(vec![(Kind::Zeros, 3), (Kind::Product, 2), (Kind::Product, 1), (Kind::Zeros, 2)]);
    for string in strings(8) {
        let parts = [&string[..3], &string[3..5], &string[5..6], &string[6..]];
        let holds = (0..4).any(|clause| tiny.holds(clause, parts[clause]));
        let mut clear = Clear::new(string.clone());
        match OneOf(&tiny).run(&mut clear) {
            Ok(()) => assert!(holds),
            Err(Error::Unsatisfied(name)) => assert!(!holds && name == "one of 4 clauses"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn whoever_asserts_nothing_is_refused() {
    let refused = |circuit: &dyn Circuit<Count<F2>>| {
        struct Whole<'a>(&'a dyn Circuit<Count<F2>>);
        impl Circuit<Count<F2>> for Whole<'_> {
            fn run(&self, b: &mut Count<F2>) -> Result<()> {
                self.0.run(b)
            }
        }
        Count::shape(&Whole(circuit)).unwrap_err().to_string()
    };
    let tiny = Tiny(vec![(Kind::Zeros, 1), (Kind::Nothing, 2)]);
    assert!(refused(&OneOf(&tiny)).contains("asserts nothing"));
    assert!(refused(&Clause::new(&tiny, 1)).contains("asserts nothing"));
    assert!(refused(&OneOf(Tiny(vec![]))).contains("without clauses"));
}

#[test]
fn collecting_takes_an_and_for_each_assertion_but_one() {
    let shape = |kinds: &[(Kind, usize)]| -> Shape { Count::shape(&OneOf(Tiny(kinds.to_vec()))).unwrap() };
    assert_eq!(shape(&[(Kind::Zeros, 1)]).mul, 0);
    assert_eq!(shape(&[(Kind::Zeros, 5)]).mul, 4);
    assert_eq!(shape(&[(Kind::Product, 5)]).mul, 5);
    let all = shape(&[(Kind::Zeros, 5), (Kind::Product, 3), (Kind::Zeros, 2)]);
    assert_eq!((all.mul, all.inputs, all.assert), (4 + 3 + 1 + 2, 10, 1));
}
