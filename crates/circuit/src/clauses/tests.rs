//! Clauses in the clear, and their gates.

use super::*;
use crate::stream::{Source, StreamedClauses};
use crate::{Circuit, Clear, Count, Entries, Matrix, Polynomials, Returned, Shape};
use volery_channel::error::Error;
use volery_primitives::{F2, Field};

/// The statement of a clause of so many bits.
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
            Kind::Zeros => x.into_iter().try_for_each(|x| b.assert_zero(x, "zero")),
            Kind::Product => {
                let product = x.into_iter().try_fold(one, |product, x| b.mul(product, x))?;
                let zero = b.add(product, one);
                b.assert_zero(zero, "product")
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
    let refused = |circuit: &dyn Source<F2>| Shape::of(circuit).unwrap_err().to_string();
    let tiny = Tiny(vec![(Kind::Zeros, 1), (Kind::Nothing, 2)]);
    assert!(refused(&OneOf(&tiny)).contains("asserts nothing"));
    assert!(refused(&Clause::new(&tiny, 1)).contains("asserts nothing"));
    assert!(refused(&OneOf(Tiny(vec![]))).contains("without clauses"));
}

#[test]
fn collecting_takes_an_and_for_each_assertion_but_one() {
    let shape = |kinds: &[(Kind, usize)]| -> Shape { Shape::of(&OneOf(Tiny(kinds.to_vec()))).unwrap() };
    assert_eq!(shape(&[(Kind::Zeros, 1)]).mul, 0);
    assert_eq!(shape(&[(Kind::Zeros, 5)]).mul, 4);
    assert_eq!(shape(&[(Kind::Product, 5)]).mul, 5);
    let all = shape(&[(Kind::Zeros, 5), (Kind::Product, 3), (Kind::Zeros, 2)]);
    assert_eq!((all.mul, all.inputs, all.assert), (4 + 3 + 1 + 2, 10, 1));
}

#[test]
fn witnesses_are_padded_and_clauses_found() {
    let tiny = Tiny(vec![(Kind::Product, 3), (Kind::Product, 1), (Kind::Product, 2)]);
    let shapes = shapes(&tiny).unwrap();
    assert!(shapes.iter().map(|shape| shape.witness).eq([3, 1, 2]));
    for (clause, bits) in [3, 1, 2].into_iter().enumerate() {
        let right = vec![F2::ONE; bits];
        assert_eq!(find(&tiny, right.clone()).unwrap(), clause);
        assert_eq!(find_among_all(&tiny, right.clone()).unwrap(), clause);
        let padded = OneOf(&tiny).witness(&shapes, clause, right);
        let ones = padded.clone().into_iter().position(|bit| bit == F2::ONE);
        assert_eq!((ones, padded.clone().into_iter().count()), (Some([0, 3, 4][clause]), 6));
        let mut clear = Clear::new(padded);
        OneOf(&tiny).run(&mut clear).and_then(|()| clear.finish()).unwrap();
    }
    for find in [find, find_among_all] {
        let error = find(&tiny, vec![F2::ZERO; 3]).unwrap_err();
        assert!(matches!(error, Error::Unsatisfied(name) if name == "one of 3 clauses"));
        assert!(find(&tiny, vec![F2::ONE; 4]).unwrap_err().to_string().contains("witness is too long"));
        let nothing = find(&Tiny(vec![(Kind::Nothing, 0)]), vec![]).unwrap_err();
        assert!(nothing.to_string().contains("asserts nothing"));
        assert!(find(&Tiny(vec![]), vec![]).unwrap_err().to_string().contains("without clauses"));
    }
}

/// A clause that asserts something of a vector of so many lanes, or of matrices of so many rows, in a
/// function or not, beside a sound one.
#[derive(Clone, Copy)]
struct Emptied {
    lanes: Option<usize>,
    rows: Option<usize>,
    called: bool,
}

impl Emptied {
    const NONE: Self = Self { lanes: None, rows: None, called: false };

    fn assert<B: Polynomials<F = F2>>(self, b: &mut B, x: &[B::Wire]) -> Result<()> {
        if let Some(lanes) = self.lanes {
            let x = b.vector(&x[..lanes]);
            b.assert_zeroes(x, "lanes")?;
        }
        let Some(rows) = self.rows else { return Ok(()) };
        let row = Matrix::new(&x[..rows], 1);
        b.assert_matrix_product(row, Matrix::new(x, 1), Entries::Wires(&x[..rows]), "rows")
    }
}

impl Alternatives for Emptied {
    fn count(&self) -> usize {
        2
    }
}

impl<B: Polynomials<F = F2>> Clauses<B> for Emptied {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let x = [b.witness()?];
        if clause == 0 {
            return b.assert_zero(x[0], "sound");
        }
        if !self.called {
            return self.assert(b, &x);
        }
        b.call(b"emptied", &x, |b, x| self.assert(b, x).map(|()| Returned::default())).map(drop)
    }
}

#[test]
fn whoever_asserts_something_of_nothing_is_refused() {
    for called in [false, true] {
        let lanes = |lanes| Emptied { lanes: Some(lanes), called, ..Emptied::NONE };
        let rows = |rows| Emptied { rows: Some(rows), called, ..Emptied::NONE };
        for sound in [lanes(1), rows(1), Emptied { lanes: Some(0), ..rows(1) }] {
            let clauses = StreamedClauses(&sound);
            assert_eq!(shapes(&clauses).unwrap()[1].assert, 1);
            assert_eq!(fingerprint(&clauses).unwrap().0, shapes(&clauses).unwrap());
            assert_eq!(shapes(&sound).unwrap(), shapes(&clauses).unwrap());
        }
        for nothing in [lanes(0), rows(0), Emptied { lanes: Some(0), ..rows(0) }] {
            let clauses = StreamedClauses(&nothing);
            let refused = [shapes(&clauses).err(), fingerprint(&clauses).err(), shapes(&nothing).err()];
            let refused = refused.into_iter().chain([Shape::of(&OneOf(&nothing)).err()]);
            for (number, error) in refused.enumerate() {
                let error = error.unwrap_or_else(|| panic!("{number}")).to_string();
                assert!(error.contains("asserts nothing"), "{error}");
            }
            // Nor does it hold where it is the statement.
            let clause: &dyn Source<F2> = &Clause::new(&nothing, 1);
            assert!(Shape::of(clause).unwrap_err().to_string().contains("asserts nothing"));
        }
    }
}

/// Clauses of which every second is like the first or the second.
struct Alike(Tiny);

impl Alternatives for Alike {
    fn count(&self) -> usize {
        self.0.count()
    }
    fn like(&self, clause: usize) -> usize {
        clause % 2
    }
}

impl Clauses<Count<F2>> for Alike {
    fn run(&self, clause: usize, b: &mut Branch<'_, Count<F2>>) -> Result<()> {
        assert!(clause < 2, "counted as one that is alike");
        self.0.run(clause, b)
    }
}

#[test]
fn what_is_alike_is_counted_once() {
    let kinds = [(Kind::Zeros, 3), (Kind::Product, 2), (Kind::Zeros, 3), (Kind::Product, 2)];
    let once = shapes(&Alike(Tiny(kinds.to_vec()))).unwrap();
    assert_eq!(once, shapes(&Tiny(kinds.to_vec())).unwrap());
}

#[test]
fn fingerprints_tell_clauses_apart() {
    let (zeros, product) = ((Kind::Zeros, 2), (Kind::Product, 2));
    let all = [vec![zeros], vec![product], vec![zeros, product], vec![product, zeros], vec![zeros, zeros]];
    let all = all.map(|kinds| {
        let (counted, digest) = fingerprint(&Tiny(kinds.clone())).unwrap();
        assert_eq!(counted, shapes(&Tiny(kinds)).unwrap());
        digest
    });
    for (i, digest) in all.iter().enumerate() {
        assert!(!all[..i].contains(digest), "{i}");
    }
}
