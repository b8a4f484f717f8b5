//! Provers that are dishonest in one respect, and files that were changed.

use super::*;
use volery_channel::error::Rejection;
use volery_circuit::Backend;

/// `x · (x + shift) = product`, for public numbers: so that a prover may run another
/// circuit than the verifier.
///
/// Views never hold constants, so that two provers who differ in `shift` compute the same shares of them, and
/// differ in the value that they inject for the product: one with a wrong shift sends the correction of a
/// wrong product, and all else as it should be.
struct Product {
    shift: F61,
    product: F61,
}

impl<B: Backend<F = F61>> Circuit<B> for Product {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = b.witness()?;
        let shift = b.constant(self.shift);
        let other = b.add(x, shift);
        let product = b.mul(x, other)?;
        let minus = b.constant(-self.product);
        let difference = b.add(product, minus);
        b.assert_zero(difference, "the product")
    }
}

/// A false product of matrices of one entry.
struct OfMatrices(Product);

impl<B: Polynomials<F = F61>> Circuit<B> for OfMatrices {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = b.witness()?;
        let shift = b.constant(self.0.shift);
        let other = b.add(x, shift);
        let c = MatrixEntries::Public(&[self.0.product]);
        b.assert_matrix_product(Matrix::new(&[x], 1), Matrix::new(&[other], 1), c, "c")
    }
}

/// How many of 320 proofs hold by which a prover claims something else than the verifier.
fn survivors<C>(way: Way, claim: impl Fn(Product) -> C) -> usize
where
    C: Source<F61>,
{
    let x = F61::new(1234);
    let product = x * (x + F61::ONE);
    let (claimed, asked) =
        (claim(Product { shift: F61::ONE, product }), claim(Product { shift: F61::ZERO, product }));
    let proofs = (0..160u8).flat_map(|seed| [Way { compression: 2, ..way }, way].map(|way| (way, seed)));
    let accepted = proofs.filter(|(way, seed)| {
        let proof = way.file::<F61, F61, C>(&claimed, &[x], *seed).unwrap();
        match way.check::<F61, F61, C>(&asked, &proof) {
            Ok(_) => true,
            Err(Error::Rejected(_)) => false,
            Err(why) => panic!("{why}"),
        }
    });
    accepted.count()
}

/// A wrong product passes in one repetition only where the right party is hidden.
#[test]
fn a_wrong_product_survives_with_a_chance_of_one_in_n() {
    for aggregation in Aggregation::ALL {
        for (parties, likely) in [(2, 130..190), (4, 55..105), (16, 6..38)] {
            let way = Way { aggregation, ..Way::of(parties, 4, 1) };
            let gates = survivors(way, |product| product);
            assert!(likely.contains(&gates), "{gates} of 320, {parties} parties");
            let matrices = survivors(way, OfMatrices);
            assert!(likely.contains(&matrices), "{matrices} of 320, {parties} parties, matrices");
        }
    }
}

fn assert_rejected<B, E, C>(way: Way, circuit: &C, values: &[B], what: &str)
where
    B: Field,
    E: Lanes<B> + CheckField,
    C: Source<B>,
{
    let proof = way.file::<B, E, C>(circuit, values, 2).unwrap();
    match way.check::<B, E, C>(circuit, &proof) {
        Err(Error::Rejected(_)) => {}
        other => panic!("{what}: {other:?}"),
    }
}

/// One input at a time is off by one, the last of which are the hints.
#[test]
fn wrong_inputs_are_rejected() {
    let mixed = Mixed { gates: 3, inner: vec![4], matrices: vec![dimensions(2, 3, 2)] };
    let values = inputs(&mixed, some::<F61>(5));
    for (i, aggregation) in (0..values.len()).zip(Aggregation::ALL.into_iter().cycle()) {
        // Any witness will do: what it makes of the hints will not.
        let mut wrong = values.clone();
        wrong[i] += F61::ONE;
        let way = Way { aggregation, ..Way::of(16, 4, 12) };
        assert_rejected::<_, F61, _>(way, &mixed, &wrong, &format!("input {i}"));
    }
}

#[test]
fn wrong_entries_of_products_are_rejected() {
    let sizes = dimensions(4, 6, 5);
    let product = MatrixProduct::<F61>::product_of(sizes, [7; 32]);
    for reduction in [Reduction::Random, Reduction::InnerProducts] {
        let statement = MatrixProduct::new(sizes, None, reduction).unwrap();
        let values: Vec<F61> = statement.witness([7; 32]).collect();
        for at in [0, 20, 24, 53, 54, 60, 73] {
            let mut wrong = values.clone();
            wrong[at] += F61::ONE;
            assert_rejected::<_, F61, _>(Way::of(16, 4, 12), &statement, &wrong, &format!("entry {at}"));
        }
        let mut other = product.clone();
        other[7] += F61::ONE;
        let statement = MatrixProduct::new(sizes, Some(&other), reduction).unwrap();
        let values: Vec<F61> = statement.witness([7; 32]).collect();
        assert_rejected::<_, F61, _>(Way::of(16, 4, 12), &statement, &values, "a public entry");
    }
}

fn small() -> (Mixed, Vec<F61>, Way) {
    let mixed = Mixed { gates: 9, inner: vec![7], matrices: vec![dimensions(2, 3, 2)] };
    let values = inputs(&mixed, some::<F61>(5));
    (mixed, values, Way { challenges: Sharing::Independent, ..Way::of(4, 3, 9) })
}

#[test]
fn a_changed_byte_is_noticed() {
    changed_bytes_are_noticed(13);
}

#[test]
#[ignore = "slow"]
fn every_changed_byte_is_noticed() {
    changed_bytes_are_noticed(1);
}

/// The first bytes and the last, and one in `step` between them.
fn changed_bytes_are_noticed(step: usize) {
    let (mixed, values, way) = small();
    let proof = way.file::<_, F61, _>(&mixed, &values, 1).unwrap();
    assert!(way.check::<F61, F61, _>(&mixed, &proof).is_ok());
    for at in (0..proof.len()).filter(|at| at % step == 0 || *at < 96 || at + 16 > proof.len()) {
        let mut changed = proof.clone();
        changed[at] ^= 1;
        match way.check::<F61, F61, _>(&mixed, &changed) {
            Err(Error::Rejected(_)) => {}
            other => panic!("byte {at} of {}: {other:?}", proof.len()),
        }
    }
    for wrong in [&proof[..proof.len() - 1], &[&proof[..], &[0]].concat()] {
        assert!(matches!(way.check::<F61, F61, _>(&mixed, wrong), Err(Error::Rejected(_))));
    }
}

/// p in place of zero, and beyond.
#[test]
fn elements_have_one_encoding() {
    let (mixed, values, way) = small();
    let proof = way.file::<_, F61, _>(&mixed, &values, 1).unwrap();
    for word in [F61::MODULUS, F61::MODULUS + 1, u64::MAX] {
        // The last of them is a correction of an input; behind salt and h_1 are those of the first round.
        for (at, what) in
            [(proof.len() - 8, Rejection::NonCanonicalCorrection), (64, Rejection::NonCanonicalElement)]
        {
            let mut changed = proof.clone();
            changed[at..at + 8].copy_from_slice(&word.to_le_bytes());
            match way.check::<F61, F61, _>(&mixed, &changed) {
                Err(Error::Rejected(why)) => assert_eq!(why, what),
                other => panic!("{word:x} for {what:?}: {other:?}"),
            }
        }
    }
}
