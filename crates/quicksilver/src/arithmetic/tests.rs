//! Over every kind of field: completeness at every size around the edges of blocks and batches; provers that cheat at
//! one gate, or at two so that it might cancel.

/// Runs a test over every kind of field and extension.
macro_rules! over_every_kind {
    ($test:ident) => {{
        $test::<F61, F61>();
        $test::<F61, F61x2>();
        $test::<F65537, F65537x4>();
        $test::<F256, F128>();
        $test::<F2, F64>();
        $test::<Bn254, Bn254>();
        choose_prime();
        $test::<RuntimePrime, RuntimeExtension>();
    }};
}

mod challenges;
mod polynomials;
mod witness;

use super::super::ASSERTED;
use super::*;
use core::fmt::Display;
use std::collections::HashSet;
use std::time::Duration;
use volery_channel::channel::{Channel, Link, Party, Pipe, Recording, Tape, pipe, side_by_side};
use volery_channel::error::{Error, Misbehaviour, Rejection, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::{Backend, Circuit, Size};
use volery_primitives::{
    Arch, Bn254, F2, F61, F61x2, F64, F128, F256, F65537, F65537x4, Goldilocks, Goldilocksx2, MOST_WORDS,
    Q32, Q32x2, RuntimeExtension, RuntimePrime, Tag as _,
};
use volery_proof::openings::Openings;
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::ot::softspoken::Row;
use volery_vole::vole::lpn::Sets;
use volery_vole::vole::subfield::{Delta, Key, Mac, choose_prime, coefficients, extend, ideal, macs, values};
use volery_vole::vole::{Shares, Vole};

/// Shares in a block of the ideal dealer: 64 pairs with their products. A batch has eight blocks, or one.
const BLOCK: usize = 192;
const PAIRS: u64 = 64;

/// "I know 2n elements whose products, pair by pair, sum to `sum`."
struct Products<F> {
    n: u64,
    sum: F,
}

impl<B: Backend> Circuit<B> for Products<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut sum = b.constant(-self.sum);
        for _ in 0..self.n {
            let (x, y) = (b.witness()?, b.witness()?);
            let product = b.mul(x, y)?;
            sum = b.add(sum, product);
        }
        b.assert_zero(sum, "the sum")
    }
}

impl<F: Field> Products<F> {
    /// A true statement, with its witness.
    fn instance(n: u64, seed: u8) -> (Self, Vec<F>) {
        let mut random = Random::from_seed(&[seed; 32]);
        let mut element = || F::sample(&[(); MOST_WORDS].map(|()| random.word().0 as u64)[..F::SAMPLE]);
        let witness: Vec<F> = (0..2 * n).map(|_| element()).collect();
        let sum = witness.as_chunks::<2>().0.iter().map(|[x, y]| *x * *y).sum();
        (Self { n, sum }, witness)
    }
}

/// An error that a prover adds to a value, so that a false sum comes out true.
#[derive(Clone, Copy)]
enum Lie<B> {
    /// An error of the product with this number.
    Product(u64, B),
    /// An error of the element of the witness with this number, once the prover has committed to that.
    Input(u64, B),
}

/// A prover that lies.
struct Cheat<'a, B: Field, E: MacField<B>> {
    prover: Prover<'a, B, E>,
    lies: &'a [Lie<B>],
    products: u64,
    inputs: u64,
}

impl<B: Field, E: MacField<B>> Backend for Cheat<'_, B, E> {
    type F = B;
    type Wire = E::Tag;

    fn constant(&mut self, c: B) -> Self::Wire {
        self.prover.constant(c)
    }
    fn add(&mut self, a: Self::Wire, b: Self::Wire) -> Self::Wire {
        self.prover.add(a, b)
    }
    fn scale(&mut self, a: Self::Wire, c: B) -> Self::Wire {
        self.prover.scale(a, c)
    }
    fn witness(&mut self) -> Result<Self::Wire> {
        let wire = self.prover.witness()?;
        let error = self.lies.iter().map(|lie| match lie {
            Lie::Input(at, error) if *at == self.inputs => *error,
            _ => B::ZERO,
        });
        let error = E::Tag::new(error.sum(), E::ZERO);
        self.inputs += 1;
        Ok(wire + error)
    }
    fn hint(
        &mut self,
        of: &[Self::Wire],
        f: impl Fn(&[B]) -> B + Send + Sync + 'static,
    ) -> Result<Self::Wire> {
        self.prover.hint(of, f)
    }
    fn mul(&mut self, a: Self::Wire, b: Self::Wire) -> Result<Self::Wire> {
        let error = self.lies.iter().map(|lie| match lie {
            Lie::Product(at, error) if *at == self.products => *error,
            _ => B::ZERO,
        });
        let error: B = error.sum();
        self.products += 1;
        self.prover.multiply(a, b, a.value() * b.value() + error)
    }
    fn assert_zero(&mut self, a: Self::Wire, name: impl Display) -> Result<()> {
        self.prover.assert_zero(a, name)
    }
}

/// A change of a message's bytes.
type Alteration = dyn Fn(&mut [u8]) + Send;

/// The prover's change of its message with number `message`.
struct Change {
    message: usize,
    to: Box<Alteration>,
}

impl Change {
    fn flip(message: usize, bit: usize) -> Self {
        Self { message, to: Box::new(move |bytes| bytes[bit / 8] ^= 1 << (bit % 8)) }
    }

    /// All ones in place of element `index` of a message of elements.
    fn fill<F: Field>(message: usize, index: usize) -> Self {
        Self { message, to: Box::new(move |bytes| bytes[F::BYTES * index..][..F::BYTES].fill(0xff)) }
    }
}

/// A link that changes what is sent.
struct Changed {
    link: Pipe,
    change: Option<Change>,
    sent: usize,
}

impl Link for Changed {
    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut bytes = bytes.to_vec();
        if let Some(change) = self.change.as_ref().filter(|change| change.message == self.sent) {
            (change.to)(&mut bytes);
        }
        self.sent += 1;
        self.link.send(&bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.link.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.link.recv(bytes)
    }
}

/// The verdict, and what the verifier has sent, over ends that are made by `prover_end` and `verifier_end`.
fn run_over<B: Field, E: MacField<B>, P, V>(
    circuit: &(impl for<'c> Circuit<Cheat<'c, B, E>> + for<'v> Circuit<Verifier<'v, B, E>> + Sync),
    witness: &[B],
    lies: &[Lie<B>],
    (change, threads): (Option<Change>, usize),
    prover_end: impl FnOnce(&mut Channel) -> P + Send,
    verifier_end: impl FnOnce(&mut Channel, &Delta<B, E>) -> V,
) -> (Result<Gates>, Recording)
where
    P: Vole<Share = Mac<B, E>> + 'static,
    V: Vole<Share = Key<E>> + 'static,
{
    let (here, there) = pipe(Duration::from_secs(20));
    let mut proving = Channel::new(Party::Prover, Changed { link: here, change, sent: 0 });
    let (there, answered) = Tape::new(there, None);
    let mut verifying = Channel::new(Party::Verifier, there);
    let witness = witness.to_vec();
    let prover = move || {
        let vole = prover_end(&mut proving);
        {
            let prover = Prover::new(&mut proving, Box::new(vole), Arch::detect(), witness);
            let prover = prover.share_work(&Pool::of(threads));
            let mut cheat = Cheat { prover, lies, products: 0, inputs: 0 };
            // The verifier may be gone already.
            let _ = circuit.run(&mut cheat).and_then(|()| cheat.prover.finish().map(drop));
        }
        let _ = proving.flush();
    };
    // It takes its channel along, so that the prover does not wait for a verifier that has failed.
    let verifier = move || {
        let mut random = Random::from_seed(&[5; 32]);
        let delta = Delta::random(&mut random);
        let vole = Box::new(verifier_end(&mut verifying, &delta));
        let verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
        let mut verifier = verifier.share_work(&Pool::of(threads));
        circuit.run(&mut verifier)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    (side_by_side(prover, verifier).1, answered)
}

/// Runs both parties over an ideal dealer, and records the prover.
fn run_recorded<B: Field, E: MacField<B>>(
    circuit: &Products<B>,
    witness: &[B],
    lies: &[Lie<B>],
    change: Option<Change>,
) -> (Result<Gates>, Recording) {
    run_by::<B, E>(circuit, witness, lies, (change, 1))
}

/// Runs both parties over an ideal dealer by so many threads each, and records the prover.
fn run_by<B: Field, E: MacField<B>>(
    circuit: &Products<B>,
    witness: &[B],
    lies: &[Lie<B>],
    by: (Option<Change>, usize),
) -> (Result<Gates>, Recording) {
    let prover_end = |_: &mut Channel| ideal::Prover::<B, E>::new(3, BLOCK);
    let verifier_end = |_: &mut Channel, delta: &Delta<B, E>| ideal::Verifier::new(3, BLOCK, delta);
    run_over(circuit, witness, lies, by, prover_end, verifier_end)
}

fn run_ideal<B: Field, E: MacField<B>>(
    circuit: &Products<B>,
    witness: &[B],
    lies: &[Lie<B>],
    change: Option<Change>,
) -> Result<Gates> {
    run_recorded::<B, E>(circuit, witness, lies, change).0
}

/// Whether the check of products and polynomials has failed, which is the one to catch a lie about a value.
fn is_caught(verdict: &Result<Gates>) -> bool {
    matches!(verdict, Err(Error::Rejected(Rejection::ProductsAndPolynomials)))
}

#[test]
fn honest_proofs_pass_at_every_size_around_the_batches() {
    fn test<B: Field, E: MacField<B>>() {
        for n in [0, 1, 2, 21, 63, 64, 65, 8 * PAIRS - 1, 8 * PAIRS, 8 * PAIRS + 1, 16 * PAIRS, 1100] {
            let (circuit, witness) = Products::<B>::instance(n, n as u8);
            let gates = run_ideal::<B, E>(&circuit, &witness, &[], None).unwrap();
            assert_eq!((gates.mul, gates.inputs, gates.assert), (n, 2 * n, 1));
        }
    }
    over_every_kind!(test);
}

#[test]
fn a_lie_at_any_gate_is_rejected() {
    const N: u64 = 9 * PAIRS + 5;
    fn test<B: Field, E: MacField<B>>(gates: impl Iterator<Item = u64>) {
        let (mut circuit, witness) = Products::<B>::instance(N, 1);
        circuit.sum += B::ONE;
        for at in gates {
            let verdict = run_ideal::<B, E>(&circuit, &witness, &[Lie::Product(at, B::ONE)], None);
            assert!(is_caught(&verdict), "gate {at}");
        }
    }
    let some = || (0..N).step_by(37).chain([63, 64, 8 * PAIRS - 1, 8 * PAIRS, 9 * PAIRS, N - 1]);
    test::<F61, F61>(0..N);
    test::<F61, F61x2>(some());
    test::<F65537, F65537x4>(some());
    test::<F256, F128>(some());
    test::<F2, F64>(some());
    choose_prime();
    test::<RuntimePrime, RuntimeExtension>(some());
}

/// Each block of the dealer is a task's; more of them than threads are ahead of, and fewer.
#[test]
fn a_lie_at_the_seams_of_threads_is_rejected() {
    fn test<B: Field, E: MacField<B>>(all: impl Iterator<Item = usize>) {
        for threads in all {
            for blocks in [1, threads as u64, 5 * threads as u64] {
                let n = PAIRS * blocks + 5;
                let (mut circuit, witness) = Products::<B>::instance(n, 1);
                let honest = run_by::<B, E>(&circuit, &witness, &[], (None, threads)).0;
                assert_eq!(honest.unwrap().mul, n);
                circuit.sum += B::ONE;
                for at in [0, PAIRS - 1, PAIRS, PAIRS * blocks - 1, PAIRS * blocks, n - 1] {
                    let lie = [Lie::Product(at, B::ONE)];
                    let verdict = run_by::<B, E>(&circuit, &witness, &lie, (None, threads)).0;
                    assert!(is_caught(&verdict), "gate {at} of {n}, {threads} threads");
                }
            }
        }
    }
    test::<F61, F61>(1..=8);
    test::<F61, F61x2>([2, 7].into_iter());
    test::<F65537, F65537x4>([3, 8].into_iter());
    test::<F256, F128>([4, 5].into_iter());
    test::<F2, F64>([2, 3, 8].into_iter());
}

/// One product more and another one less leave the sum as it is: in one block, in two, and at the same
/// place of two batches.
#[test]
fn opposite_lies_are_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        let n = 9 * PAIRS + 5;
        let (circuit, witness) = Products::<B>::instance(n, 1);
        let batch = 8 * PAIRS;
        for (i, j) in [(0, 1), (5, 40), (62, 63), (63, 64), (3, PAIRS + 3), (7, batch + 7), (n - 2, n - 1)] {
            for error in [B::ONE, witness[0]].into_iter().filter(|error| *error != B::ZERO) {
                let lies = [Lie::Product(i, error), Lie::Product(j, -error)];
                let verdict = run_ideal::<B, E>(&circuit, &witness, &lies, None);
                assert!(is_caught(&verdict), "gates {i} and {j}");
            }
        }
    }
    over_every_kind!(test);
}

/// A prover commits to one value and multiplies by another one.
#[test]
fn a_lie_about_an_input_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        let (circuit, witness) = Products::<B>::instance(100, 2);
        // The first input and the last, those at the edges of a block, and the second of a pair.
        for at in [0, 1, 2 * PAIRS - 1, 2 * PAIRS, 199] {
            let factor = witness[at as usize ^ 1];
            // Over F_2 half of the factors are zero, and the sum as it was.
            if B::BITS == 1 && factor == B::ZERO {
                continue;
            }
            assert_ne!(factor, B::ZERO);
            let circuit = Products { n: 100, sum: circuit.sum + factor };
            let verdict = run_ideal::<B, E>(&circuit, &witness, &[Lie::Input(at, B::ONE)], None);
            assert!(is_caught(&verdict), "input {at}");
        }
    }
    over_every_kind!(test);
}

#[test]
fn a_lie_in_a_circuit_of_one_gate_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        let (mut circuit, witness) = Products::<B>::instance(1, 1);
        circuit.sum += B::ONE;
        let lie = [Lie::Product(0, B::ONE)];
        assert!(matches!(run_ideal::<B, E>(&circuit, &witness, &lie, None), Err(Error::Rejected(_))));
    }
    over_every_kind!(test);
}

/// The extension's blocks have 4096 shares, of which a pair takes three, and its batches eight of them; after
/// 29 blocks comes a refill.
#[test]
fn a_lie_over_extended_correlations_is_rejected() {
    let n = 45_000;
    let (mut circuit, witness) = Products::instance(n, 5);
    let run = |circuit: &Products<F61>, lies: &[Lie<F61>], threads: usize| {
        let (arch, sets) = (Arch::detect(), Sets::LARGE);
        let prover_end = |channel: &mut Channel| {
            let random = &mut Random::from_seed(&[1; 32]);
            extend::Prover::<F61, F61>::new(channel, arch, sets, sets.tiny, random).unwrap()
        };
        let verifier_end = |channel: &mut Channel, delta: &Delta<F61, F61>| {
            let random = &mut Random::from_seed(&[2; 32]);
            extend::Verifier::new(channel, arch, sets, sets.tiny, delta, random).unwrap()
        };
        run_over(circuit, &witness, lies, (None, threads), prover_end, verifier_end).0
    };
    assert_eq!(run(&circuit, &[], 3).unwrap(), run_ideal::<F61, F61>(&circuit, &witness, &[], None).unwrap());
    circuit.sum += F61::ONE;
    for (threads, at) in (1..).zip([0, 1365, 1366, 10_922, 10_923, 39_594, 39_595, n - 1]) {
        assert!(is_caught(&run(&circuit, &[Lie::Product(at, F61::ONE)], threads)), "gate {at}");
    }
}

/// Over the ideal dealer the messages are the corrections of each block, then U and V, then the digest.
#[test]
fn a_flipped_bit_in_any_message_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        let (circuit, witness) = Products::<B>::instance(100, 3);
        for message in 0..4 {
            for bit in [0, 1, 7, 16, 60] {
                let verdict = run_ideal::<B, E>(&circuit, &witness, &[], Some(Change::flip(message, bit)));
                assert!(verdict.is_err(), "message {message}, bit {bit}");
            }
        }
    }
    over_every_kind!(test);
}

/// Elements that are not canonical are refused: of the field in the corrections, the first and the last, and
/// of its extension U and V.
#[test]
fn elements_that_are_not_canonical_are_refused() {
    fn test<B: Field, E: MacField<B>>() {
        let (circuit, witness) = Products::<B>::instance(10, 4);
        let refused = |change: Change| {
            let error = run_ideal::<B, E>(&circuit, &witness, &[], Some(change)).unwrap_err();
            matches!(error, Error::Misbehaved(Misbehaviour::NonCanonicalElement))
        };
        for index in [0, BLOCK - 1] {
            assert!(refused(Change::fill::<B>(0, index)), "correction {index}");
        }
        for index in [0, 1] {
            assert!(refused(Change::fill::<E>(1, index)), "U and V, {index}");
        }
    }
    test::<F61, F61>();
    test::<F61, F61x2>();
    test::<F65537, F65537x4>();
    choose_prime();
    test::<RuntimePrime, RuntimeExtension>();
}

/// A correction of a share that commits to nothing: here of the last one in the only block.
#[test]
fn corrections_of_unused_shares_are_refused() {
    fn test<B: Field, E: MacField<B>>() {
        let (circuit, witness) = Products::<B>::instance(10, 4);
        // The last one of the block's, each of a bit or of some bytes.
        let last = Change::flip(0, 8 * B::bytes_of(BLOCK as u64) as usize - if B::BITS == 1 { 1 } else { 8 });
        let error = run_ideal::<B, E>(&circuit, &witness, &[], Some(last)).unwrap_err();
        assert!(matches!(error, Error::Misbehaved(Misbehaviour::UnusedShares)));
    }
    over_every_kind!(test);
}

#[test]
fn an_asserted_value_that_is_not_zero_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        // The prover's own assertion would stop it: state one sum and verify another.
        let (circuit, witness) = Products::<B>::instance(10, 4);
        let (here, there) = pipe(Duration::from_secs(20));
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        let prover = || {
            let vole = Box::new(ideal::Prover::<B, E>::new(3, BLOCK));
            let mut prover = Prover::new(&mut proving, vole, Arch::detect(), witness);
            circuit.run(&mut prover).unwrap();
            prover.finish().unwrap();
            proving.flush().unwrap();
        };
        let verifier = || {
            let mut random = Random::from_seed(&[5; 32]);
            let delta = Delta::<B, E>::random(&mut random);
            let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
            let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
            Products { n: circuit.n, sum: circuit.sum + B::ONE }.run(&mut verifier).unwrap();
            let error = verifier.finish().map(drop).unwrap_err();
            assert!(matches!(error, Error::Rejected(Rejection::Assertions)));
        };
        side_by_side(prover, verifier);
    }
    over_every_kind!(test);
}

#[test]
fn a_false_witness_is_named_by_the_prover_itself() {
    let (mut circuit, witness) = Products::instance(5, 6);
    circuit.sum += F61::ONE;
    let (here, _there) = pipe(Duration::from_secs(20));
    let mut channel = Channel::new(Party::Prover, here);
    let vole = Box::new(ideal::Prover::<F61, F61>::new(3, BLOCK));
    let mut prover = Prover::new(&mut channel, vole, Arch::detect(), witness);
    circuit.run(&mut prover).unwrap();
    let error = prover.finish().map(drop).unwrap_err();
    assert!(matches!(error, Error::Unsatisfied(name) if name == "the sum"));
}

#[test]
fn the_bound_is_the_sum_of_its_terms() {
    choose_prime();
    // C(61, 2)·9/8 is 2^11; 10^10 gates are 305,176 batches, or 2^18.2.
    let bounds = [
        ("f61", security::<F61, F61>(Size::gates(1000), (4096, 0), 1), 49),
        ("f61, ten checks", security::<F61, F61>(Size::gates(1000), (4096, 0), 10), 46),
        ("f61, large", security::<F61, F61>(Size::gates(10_000_000_000), (4096, 0), 1), 42),
        ("f61^2", security::<F61, F61x2>(Size::gates(10_000_000_000), (4096, 0), 1), 100),
        ("goldilocks", security::<Goldilocks, Goldilocks>(Size::gates(1000), (4096, 0), 1), 52),
        (
            "goldilocks^2",
            security::<Goldilocks, Goldilocksx2>(Size::gates(10_000_000_000), (4096, 0), 1),
            106,
        ),
        ("bn254", security::<Bn254, Bn254>(Size::gates(10_000_000_000), (4096, 0), 1), 121),
        ("f65537^4", security::<F65537, F65537x4>(Size::gates(1000), (4096, 0), 1), 52),
        ("q32^2", security::<Q32, Q32x2>(Size::gates(1000), (4096, 0), 1), 52),
        (
            "prime^r",
            security::<RuntimePrime, RuntimeExtension>(Size::gates(10_000_000_000), (4096, 0), 1),
            121,
        ),
        ("f128", security::<F256, F128>(Size::gates(1 << 30), (4096, 0), 1), 107),
        ("f64", security::<F2, F64>(Size::gates(100_000), (8192, 4), 0), 60),
        ("f64, large", security::<F2, F64>(Size::gates(10_000_000_000), (8192, 4), 0), 46),
    ];
    for (field, bits, expected) in bounds {
        assert_eq!(bits, expected, "{field}");
    }
    assert!(
        !by_transcript::<F61>()
            && !by_transcript::<F65537x4>()
            && !by_transcript::<Q32x2>()
            && by_transcript::<F61x2>()
            && by_transcript::<RuntimeExtension>()
    );
    // Rows of transfers say the same of themselves.
    assert_eq!(
        [<F64 as Row>::COINS, <F128 as Row>::COINS],
        [!by_transcript::<F64>(), !by_transcript::<F128>()]
    );
}
