//! Completeness at every size around a batch edge; provers that cheat at one gate; challenges
//! after what they combine.

mod faults;

use super::*;
use core::fmt::Display;
use std::time::Duration;
use volery_channel::channel::{Channel, Flip, Party, Tape, pipe, side_by_side};
use volery_channel::error::{Error, Misbehaviour, Rejection, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::{Backend, Circuit};
use volery_primitives::{Arch, F2, Field};
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::ot::softspoken::Depth;
use volery_vole::vole::lpn::Params;
use volery_vole::vole::{Delta, Key, Mac, Vole, cot, extend, ideal};

/// Shares in a block of the ideal dealer.
const BLOCK: usize = 192;

/// "I know 2n bits whose products, pair by pair, sum to `sum`."
struct Products {
    n: usize,
    sum: F2,
}

impl<B: Backend<F = F2>> Circuit<B> for Products {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut sum = b.constant(self.sum);
        for _ in 0..self.n {
            let (x, y) = (b.witness()?, b.witness()?);
            let product = b.mul(x, y)?;
            sum = b.add(sum, product);
        }
        b.assert_zero(sum, "the sum")
    }
}

impl Products {
    /// A true statement, with its witness.
    fn instance(n: usize, seed: u8) -> (Self, Vec<F2>) {
        let mut random = Random::from_seed(&[seed; 32]);
        let witness: Vec<F2> = (0..2 * n).map(|_| random.word().bit0()).collect();
        let sum = witness.as_chunks::<2>().0.iter().map(|[x, y]| *x * *y).sum();
        (Self { n, sum }, witness)
    }
}

/// A prover that lies about the product with number `at`, so that a false sum comes out true.
struct Cheat<'a> {
    prover: Prover<'a>,
    at: Option<u64>,
    gate: u64,
}

impl Backend for Cheat<'_> {
    type F = F2;
    type Wire = F128;

    fn constant(&mut self, c: F2) -> F128 {
        self.prover.constant(c)
    }
    fn add(&mut self, a: F128, b: F128) -> F128 {
        self.prover.add(a, b)
    }
    fn scale(&mut self, a: F128, c: F2) -> F128 {
        self.prover.scale(a, c)
    }
    fn witness(&mut self) -> Result<F128> {
        self.prover.witness()
    }
    fn hint(&mut self, of: &[F128], f: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<F128> {
        self.prover.hint(of, f)
    }
    fn mul(&mut self, a: F128, b: F128) -> Result<F128> {
        let lie = if self.at == Some(self.gate) { F2::ONE } else { F2::ZERO };
        self.gate += 1;
        self.prover.multiply(a, b, a.bit0() * b.bit0() + lie)
    }
    fn assert_zero(&mut self, a: F128, name: impl Display) -> Result<()> {
        self.prover.assert_zero(a, name)
    }
}

/// Runs both ends over correlations of `prover_end` and `verifier_end`, the prover lying at `at`; gives the
/// verifier's verdict.
fn run_over<P, V>(
    circuit: &Products,
    witness: &[F2],
    at: Option<u64>,
    (flip, threads): (Option<Flip>, usize),
    prover_end: impl FnOnce(&mut Channel) -> P + Send,
    verifier_end: impl FnOnce(&mut Channel, &Delta) -> V,
) -> Result<Gates>
where
    P: Vole<Share = Mac> + 'static,
    V: Vole<Share = Key> + 'static,
{
    let (here, there) = pipe(Duration::from_secs(20));
    let mut proving = Channel::new(Party::Prover, Tape::new(here, flip).0);
    let mut verifying = Channel::new(Party::Verifier, there);
    let witness = witness.to_vec();
    let prover = move || {
        let vole = prover_end(&mut proving);
        {
            let prover = Prover::new(&mut proving, Box::new(vole), Arch::detect(), witness);
            let prover = prover.share_work(&Pool::of(threads));
            let mut cheat = Cheat { prover, at, gate: 0 };
            // The verifier may be gone already.
            let _ = circuit.run(&mut cheat).and_then(|()| cheat.prover.finish().map(drop));
        }
        let _ = proving.flush();
    };
    let verifier = move || {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = verifier_end(&mut verifying, &delta);
        let verifier = Verifier::new(&mut verifying, Box::new(vole), Arch::detect(), &delta);
        let mut verifier = verifier.share_work(&Pool::of(threads));
        circuit.run(&mut verifier)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    side_by_side(prover, verifier).1
}

fn run_ideal(circuit: &Products, witness: &[F2], at: Option<u64>, flip: Option<Flip>) -> Result<Gates> {
    run_by(circuit, witness, at, (flip, 1))
}

fn run_by(circuit: &Products, witness: &[F2], at: Option<u64>, by: (Option<Flip>, usize)) -> Result<Gates> {
    let prover_end = |_: &mut Channel| ideal::Prover::new(3, BLOCK);
    let verifier_end = |_: &mut Channel, delta: &Delta| ideal::Verifier::new(3, BLOCK, delta);
    run_over(circuit, witness, at, by, prover_end, verifier_end)
}

fn run_real(circuit: &Products, witness: &[F2], at: Option<u64>) -> Result<Gates> {
    let arch = Arch::detect();
    let prover_end = |channel: &mut Channel| {
        cot::Prover::new(channel, arch, Depth::Four, &mut Random::from_seed(&[1; 32])).unwrap()
    };
    let verifier_end = |channel: &mut Channel, delta: &Delta| {
        cot::Verifier::new(channel, arch, Depth::Four, delta, &mut Random::from_seed(&[2; 32])).unwrap()
    };
    run_over(circuit, witness, at, (None, 1), prover_end, verifier_end)
}

/// Three shares for each pair, so that 64 pairs fill a block of 192; 128 masks follow.
#[test]
fn honest_proofs_pass_at_every_size_around_the_batches() {
    for n in [0, 1, 2, 20, 21, 22, 42, 43, 63, 64, 65, 127, 128, 129, 300] {
        let (circuit, witness) = Products::instance(n, n as u8);
        let gates = run_ideal(&circuit, &witness, None, None).unwrap();
        assert_eq!((gates.mul, gates.inputs, gates.assert), (n as u64, 2 * n as u64, 1));
    }
}

#[test]
fn a_lie_at_any_gate_is_rejected() {
    let (mut circuit, witness) = Products::instance(150, 1);
    circuit.sum += F2::ONE;
    for at in 0..150 {
        let error = run_ideal(&circuit, &witness, Some(at), None).unwrap_err();
        assert!(matches!(error, Error::Rejected(Rejection::ProductsAndPolynomials)), "gate {at}");
    }
}

/// Each block of the dealer is weighed by a task, the last by one of few slots; more of them than threads are
/// ahead of, and fewer.
#[test]
fn a_lie_at_the_seams_of_threads_is_rejected() {
    for threads in 1..=8 {
        for blocks in [1, threads as u64, 5 * threads as u64] {
            let n = 64 * blocks + 5;
            let (mut circuit, witness) = Products::instance(n as usize, 1);
            let gates = run_by(&circuit, &witness, None, (None, threads)).unwrap();
            assert_eq!(gates.mul, n);
            circuit.sum += F2::ONE;
            for at in [0, 63, 64, 64 * (blocks / 2) + 63, 64 * blocks - 1, 64 * blocks, n - 1] {
                let error = run_by(&circuit, &witness, Some(at), (None, threads)).unwrap_err();
                let caught = matches!(error, Error::Rejected(Rejection::ProductsAndPolynomials));
                assert!(caught, "gate {at} of {n}, {threads} threads");
            }
        }
    }
}

#[test]
fn a_lie_in_a_circuit_of_one_gate_is_rejected() {
    let (mut circuit, witness) = Products::instance(1, 1);
    circuit.sum += F2::ONE;
    assert!(matches!(run_ideal(&circuit, &witness, Some(0), None), Err(Error::Rejected(_))));
}

/// SoftSpoken's chunks have 1024, 1024, 2048, … shares; three for each pair, and both sides of
/// each edge are tried.
#[test]
fn a_lie_at_the_edges_of_real_batches_is_rejected() {
    let n = 1400;
    let (mut circuit, witness) = Products::instance(n, 2);
    assert_eq!(run_real(&circuit, &witness, None).unwrap().mul, n as u64);
    circuit.sum += F2::ONE;
    for at in [0, 1, 340, 341, 342, 681, 682, 683, 1364, 1365, 1366, n as u64 - 1] {
        assert!(matches!(run_real(&circuit, &witness, Some(at)), Err(Error::Rejected(_))), "gate {at}");
    }
}

fn run_extended(circuit: &Products, witness: &[F2], at: Option<u64>, threads: usize) -> Result<Gates> {
    let (arch, set) = (Arch::detect(), Params::TINY);
    let prover_end = |channel: &mut Channel| {
        extend::Prover::new(channel, arch, set, &mut Random::from_seed(&[1; 32])).unwrap()
    };
    let verifier_end = |channel: &mut Channel, delta: &Delta| {
        extend::Verifier::new(channel, arch, set, delta, &mut Random::from_seed(&[2; 32])).unwrap()
    };
    run_over(circuit, witness, at, (None, threads), prover_end, verifier_end)
}

/// The extension's batches have 4096 shares, of which a pair takes three; after 26 of them comes a refill.
#[test]
fn a_lie_over_extended_correlations_is_rejected() {
    let n = 36_000;
    let (mut circuit, witness) = Products::instance(n, 5);
    assert_eq!(
        run_extended(&circuit, &witness, None, 3).unwrap(),
        run_ideal(&circuit, &witness, None, None).unwrap()
    );
    circuit.sum += F2::ONE;
    for (threads, at) in (1..).zip([0, 1364, 1365, 1366, 35_498, 35_499, n as u64 - 1]) {
        let verdict = run_extended(&circuit, &witness, Some(at), threads);
        assert!(matches!(verdict, Err(Error::Rejected(_))), "gate {at}");
        assert!(matches!(run_ideal(&circuit, &witness, Some(at), None), Err(Error::Rejected(_))));
    }
}

/// A verifier that goes away while tasks are under way ends the prover, and its threads with it.
#[test]
fn a_peer_that_vanishes_ends_all_threads() {
    let (arch, set) = (Arch::detect(), Params::TINY);
    let (circuit, witness) = Products::instance(36_000, 7);
    let (here, there) = pipe(Duration::from_secs(20));
    let (mut proving, mut verifying) =
        (Channel::new(Party::Prover, here), Channel::new(Party::Verifier, there));
    let prover = move || {
        let pool = Pool::of(4);
        let vole = extend::Prover::new(&mut proving, arch, set, &mut Random::from_seed(&[1; 32])).unwrap();
        let mut prover = Prover::new(&mut proving, Box::new(vole), arch, witness).share_work(&pool);
        let proved = circuit.run(&mut prover).and_then(|()| prover.finish().map(drop));
        // Whoever drops the last handle waits for the threads.
        drop(pool);
        proved
    };
    let verifier = move || {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let random = &mut Random::from_seed(&[2; 32]);
        let vole = extend::Verifier::new(&mut verifying, arch, set, &delta, random).unwrap();
        let verifier = Verifier::new(&mut verifying, Box::new(vole), arch, &delta);
        let mut verifier = verifier.share_work(&Pool::of(3));
        Products { n: 20_000, sum: F2::ZERO }.run(&mut verifier)
    };
    let (proved, verified) = side_by_side(prover, verifier);
    verified.unwrap();
    assert!(matches!(proved, Err(Error::Io { .. })));
}

/// Over the ideal dealer the messages are the corrections of each batch, then U and V, then the digest. A bit
/// that is changed before the batch's challenge meets other coefficients on the two sides.
#[test]
fn a_flipped_bit_in_any_message_is_rejected() {
    let (circuit, witness) = Products::instance(100, 3);
    for message in 0..4 {
        for bit in [0, 1, 90, 127, 183] {
            let verdict = run_ideal(&circuit, &witness, None, Some(Flip { message, bit }));
            assert!(verdict.is_err(), "message {message}, bit {bit}");
        }
    }
}

/// A correction of a share that commits to nothing: here of the last one in the only batch.
#[test]
fn corrections_of_unused_shares_are_refused() {
    let (circuit, witness) = Products::instance(10, 4);
    let last = Flip { message: 0, bit: BLOCK - 1 };
    let error = run_ideal(&circuit, &witness, None, Some(last)).unwrap_err();
    assert!(matches!(error, Error::Misbehaved(Misbehaviour::UnusedShares)));
}

#[test]
fn an_asserted_value_that_is_not_zero_is_rejected() {
    // The prover's own assertion would stop it: state one sum and verify another.
    let (circuit, witness) = Products::instance(10, 4);
    let (here, there) = pipe(Duration::from_secs(20));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let mut prover = Prover::new(
        &mut proving,
        Box::new(ideal::Prover::new(3, BLOCK)),
        Arch::detect(),
        witness.iter().copied(),
    );
    circuit.run(&mut prover).unwrap();
    prover.finish().unwrap();
    proving.flush().unwrap();
    let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
    let vole = ideal::Verifier::new(3, BLOCK, &delta);
    let mut verifier = Verifier::new(&mut verifying, Box::new(vole), Arch::detect(), &delta);
    Products { n: circuit.n, sum: circuit.sum + F2::ONE }.run(&mut verifier).unwrap();
    let error = verifier.finish().map(drop).unwrap_err();
    assert!(matches!(error, Error::Rejected(Rejection::Assertions)));
}

#[test]
fn a_false_witness_is_named_by_the_prover_itself() {
    let (mut circuit, witness) = Products::instance(5, 6);
    circuit.sum += F2::ONE;
    let (here, _there) = pipe(Duration::from_secs(20));
    let mut channel = Channel::new(Party::Prover, here);
    let mut prover =
        Prover::new(&mut channel, Box::new(ideal::Prover::new(3, BLOCK)), Arch::detect(), witness);
    circuit.run(&mut prover).unwrap();
    let error = prover.finish().map(drop).unwrap_err();
    assert!(matches!(error, Error::Unsatisfied(name) if name == "the sum"));
}

#[test]
fn the_bound_is_the_sum_of_its_terms() {
    // (3 + 6/2)·2^-127, or 10^10/4096 batches, or one of very many matrices.
    assert_eq!(security(Size::default(), 4096, f64::INFINITY), 124);
    assert_eq!(security(Size::gates(10_000_000_000), 4096, f64::INFINITY), 106);
    let matrices = Size { matrices: 1 << 20, ..Size::default() };
    assert_eq!(security(matrices, 4096, f64::INFINITY), 105);
    assert_eq!(security(Size::default(), 8192, Depth::Four.security()), 119);
    assert_eq!(security(Size::default(), 8192, Depth::Eight.security()), 120);
}
