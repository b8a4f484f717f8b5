//! Provers that deviate, and the rate at which they are caught.

use super::*;
use crate::claim::Entries;
use crate::{prover, transcript};
use volery_circuit::Backend;
use volery_primitives::Field;

/// "These products are all one", of witness (1, 1, 0): that at `zero` is of the first bit and the third,
/// unless the prover says otherwise.
#[derive(Clone, Copy)]
struct Products {
    count: usize,
    zero: Option<usize>,
}

impl<B: Backend<F = F2>> Circuit<B> for Products {
    fn run(&self, b: &mut B) -> Result<()> {
        let bits = [b.witness()?, b.witness()?, b.witness()?];
        let one = b.constant(F2::ONE);
        for i in 0..self.count {
            let product = b.mul(bits[0], bits[if self.zero == Some(i) { 2 } else { 1 }])?;
            let wrong = b.add(product, one);
            b.assert_zero(wrong, "a product")?;
        }
        Ok(())
    }
}

const VALUES: [F2; 3] = [F2::ONE, F2::ONE, F2::ZERO];

/// A prover that claims what holds for another circuit, whose factors it takes for its claim, and lets the
/// parties run the right one, all but the first.
struct Cheater<'a> {
    claimed: binary::Prover<'a>,
    run: binary::Prover<'a>,
}

impl<E: CheckField> prover::Statement<E> for Cheater<'_> {
    fn commit(&mut self, tapes: &[Tapes]) -> Result<Vec<Digests>> {
        prover::Statement::<E>::commit(&mut self.claimed, tapes)
    }
    fn entries(&mut self, challenges: &challenges::Challenges<E>) -> Result<&dyn Entries<E>> {
        self.claimed.entries(challenges)
    }
    fn shares(&mut self, tapes: &[Tapes], challenges: &challenges::Challenges<E>) -> Result<Vec<Share<E>>> {
        self.run.shares(tapes, challenges)
    }
    fn correct(&mut self, transcript: &mut dyn transcript::ProverTranscript) -> Result<()> {
        prover::Statement::<E>::correct(&mut self.claimed, transcript)
    }
}

/// A proof of products, one of which is not one.
fn cheat(terms: &Terms, circuit: &Products, seed: u64) -> Vec<u8> {
    let claimed = Products { zero: None, ..*circuit };
    let (claimed, run) =
        (binary::Prover::new(terms, &claimed, &VALUES), binary::Prover::new(terms, circuit, &VALUES));
    let mut out = vec![];
    let mut transcript = transcript::Written::new(&mut out, b"header", terms.challenges()).unwrap();
    let mut seeds = [0; 32];
    seeds[..8].copy_from_slice(&seed.to_le_bytes());
    let mut random = Random::from_seed(&seeds);
    prover::prove::<F64>(terms, &mut Cheater { claimed, run }, &mut transcript, &mut random).unwrap();
    out.split_off(6)
}

/// One wrong product, and one repetition: it is accepted where the first party is hidden, and
/// so at a rate of 1/n.
#[test]
fn a_wrong_product_is_caught_at_the_predicted_rate() {
    caught_at_the_rate(600);
}

#[test]
#[ignore = "slow"]
fn a_wrong_product_is_caught_at_hardly_another_rate() {
    caught_at_the_rate(10_000);
}

fn caught_at_the_rate(proofs: usize) {
    for (parties, aggregation) in
        [(2, Aggregation::Hypercube), (8, Aggregation::Hypercube), (4, Aggregation::Parties)]
    {
        let parameters = small(parties, 1);
        let circuit = Products { count: 5, zero: Some(3) };
        let shape = Shape::of(&circuit).unwrap();
        let terms = Terms { aggregation, ..terms(&parameters, &shape) };
        let accepted = (0..proofs)
            .filter(|seed| check(&terms, &circuit, &cheat(&terms, &circuit, *seed as u64)).is_ok())
            .count() as f64;
        let rate = 1.0 / f64::from(parties);
        let deviation = (proofs as f64 * rate * (1.0 - rate)).sqrt();
        assert!(
            (accepted - proofs as f64 * rate).abs() < 4.5 * deviation,
            "{accepted} for {parties} parties"
        );
    }
}

/// An assertion that does not hold is caught at the rate predicted, by the honest prover's program.
#[test]
fn a_wrong_assertion_is_caught_at_the_predicted_rate() {
    const PROOFS: usize = 1000;
    let parameters = small(4, 1);
    let circuit = Products { count: 2, zero: Some(1) };
    let shape = Shape::of(&circuit).unwrap();
    for aggregation in Aggregation::ALL {
        let terms = Terms { aggregation, ..terms(&parameters, &shape) };
        let accepted = (0..PROOFS)
            .filter(|seed| {
                let mut out = vec![];
                let mut random = Random::from_seed(
                    &[(seed / 250) as u8, (seed % 250) as u8].repeat(16).try_into().unwrap(),
                );
                write::<Bits>(&mut out, b"header", &terms, &circuit, &VALUES, &mut random).unwrap();
                check(&terms, &circuit, &out[6..]).is_ok()
            })
            .count() as f64;
        let deviation = (PROOFS as f64 * 0.25 * 0.75).sqrt();
        assert!((accepted - PROOFS as f64 * 0.25).abs() < 4.5 * deviation, "{accepted} of {PROOFS}");
    }
}

/// Every place around the ends of words, blocks, strips and tiles, and around the entries of the last vector.
#[test]
fn a_wrong_product_anywhere_is_caught() {
    wrong_products_are_caught(3);
}

#[test]
#[ignore = "slow"]
fn a_wrong_product_at_every_end_is_caught() {
    wrong_products_are_caught(1);
}

/// One place in `step`, other ones by the next parameters.
fn wrong_products_are_caught(step: usize) {
    let parameters = [
        parameters(16, 3, 64, 11, Challenges::Identical),
        parameters(16, 4, 64, 11, Challenges::Independent),
        parameters(16, 64, 64, 11, Challenges::Identical),
    ];
    let edges = [0, 1, 3, 63, 64, 127, 128, 511, 512, 2186, 2187, 4095, 4096, 4097, 4373, 4374, 5000 - 1];
    for (first, parameters) in parameters.iter().enumerate() {
        for zero in edges.into_iter().skip(first % step).step_by(step) {
            let circuit = Products { count: 5000, zero: Some(zero) };
            let shape = Shape::of(&circuit).unwrap();
            let terms = terms(parameters, &shape);
            let proof = cheat(&terms, &circuit, zero as u64);
            assert!(check(&terms, &circuit, &proof).is_err(), "product {zero}");
            let honest = Products { zero: None, ..circuit };
            assert!(check(&terms, &honest, &proof).is_err(), "the proof is of neither");
        }
    }
}

/// A false proof passes often with one repetition and two parties, so that a prover that may choose its salt
/// finds one: hence the repetitions.
#[test]
fn few_repetitions_are_ground() {
    let parameters = small(2, 3);
    let circuit = Products { count: 3, zero: Some(0) };
    let shape = Shape::of(&circuit).unwrap();
    let terms = terms(&parameters, &shape);
    let found = (0..200).find(|seed| check(&terms, &circuit, &cheat(&terms, &circuit, *seed)).is_ok());
    assert!(found.is_some(), "one in eight passes");
    assert!(parameters.security(&Bits::demand(&shape), Mode::File) < 4.0);
}
