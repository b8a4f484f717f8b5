//! Over every field: completeness at every size around the edges of blocks and batches; provers that cheat at one gate;
//! challenges after what they combine.

use super::*;
use crate::channel::{Channel, Flip, Party, Tape, pipe};
use crate::circuit::{Backend, Circuit};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::vole::lpn::Sets;
use crate::vole::subfield::{Delta, Key, extend, ideal};
use crate::vole::{Shares, Vole};
use crate::zk::{Accepted, Gates};
use core::fmt::Display;
use std::time::Duration;
use volery_primitives::{Arch, F61, F61x2, F128, F256, F65537, F65537x4, Goldilocks, Goldilocksx2, Tagged};

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
        b.assert_zero(sum, &"the sum")
    }
}

impl<F: Field> Products<F> {
    /// A true statement, with its witness.
    fn instance(n: u64, seed: u8) -> (Self, Vec<F>) {
        let mut random = Random::from_seed(&[seed; 32]);
        let mut element = || F::sample(&[(); 4].map(|()| random.word().0 as u64)[..F::SAMPLE]);
        let witness: Vec<F> = (0..2 * n).map(|_| element()).collect();
        let sum = witness.as_chunks::<2>().0.iter().map(|[x, y]| *x * *y).sum();
        (Self { n, sum }, witness)
    }
}

/// A prover that lies about the product with number `at`, so that a false sum comes out true.
struct Cheat<'a, B: Field, E: MacField<B>> {
    prover: Prover<'a, B, E>,
    at: Option<u64>,
    gate: u64,
}

impl<B: Field, E: MacField<B>> Backend for Cheat<'_, B, E> {
    type F = B;
    type Wire = Tagged<B, E>;

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
        self.prover.witness()
    }
    fn hint(&mut self, of: &[Self::Wire], f: impl FnOnce(&[B]) -> B) -> Result<Self::Wire> {
        self.prover.hint(of, f)
    }
    fn mul(&mut self, a: Self::Wire, b: Self::Wire) -> Result<Self::Wire> {
        let lie = if self.at == Some(self.gate) { B::ONE } else { B::ZERO };
        self.gate += 1;
        self.prover.multiply(a, b, a.value * b.value + lie)
    }
    fn assert_zero(&mut self, a: Self::Wire, name: &dyn Display) -> Result<()> {
        self.prover.assert_zero(a, name)
    }
}

/// The verdict over ends that are made by `prover_end` and `verifier_end`.
fn run_over<B: Field, E: MacField<B>, P, V>(
    circuit: &Products<B>,
    witness: &[B],
    at: Option<u64>,
    flip: Option<Flip>,
    prover_end: impl FnOnce(&mut Channel) -> P + Send,
    verifier_end: impl FnOnce(&mut Channel, &Delta<B, E>) -> V,
) -> Result<Gates>
where
    P: Vole<Share = Tagged<B, E>> + 'static,
    V: Vole<Share = Key<E>> + 'static,
{
    let (here, there) = pipe(Duration::from_secs(20));
    let mut proving = Channel::new(Party::Prover, Tape::new(here, flip).0);
    let verifying = Channel::new(Party::Verifier, there);
    std::thread::scope(|scope| {
        let witness = witness.to_vec();
        scope.spawn(move || {
            let vole = prover_end(&mut proving);
            {
                let prover = Prover::new(&mut proving, Box::new(vole), Arch::detect(), witness);
                let mut cheat = Cheat { prover, at, gate: 0 };
                // The verifier may be gone already.
                let _ = circuit.run(&mut cheat).and_then(|()| cheat.prover.finish().map(drop));
            }
            let _ = proving.flush();
        });
        // Taken along, so that the prover does not wait for a verifier that has failed.
        let mut verifying = verifying;
        let mut random = Random::from_seed(&[5; 32]);
        let delta = Delta::random(&mut random);
        let vole = Box::new(verifier_end(&mut verifying, &delta));
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
        circuit.run(&mut verifier)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    })
}

fn run_ideal<B: Field, E: MacField<B>>(
    circuit: &Products<B>,
    witness: &[B],
    at: Option<u64>,
    flip: Option<Flip>,
) -> Result<Gates> {
    let prover_end = |_: &mut Channel| ideal::Prover::<B, E>::new(3, BLOCK);
    let verifier_end = |_: &mut Channel, delta: &Delta<B, E>| ideal::Verifier::new(3, BLOCK, delta);
    run_over(circuit, witness, at, flip, prover_end, verifier_end)
}

/// Runs a test over every field and extension.
macro_rules! over_every_field {
    ($test:ident) => {{
        $test::<F61, F61>();
        $test::<F61, F61x2>();
        $test::<Goldilocks, Goldilocks>();
        $test::<Goldilocks, Goldilocksx2>();
        $test::<F65537, F65537x4>();
        $test::<F256, F128>();
    }};
}

#[test]
fn honest_proofs_pass_at_every_size_around_the_batches() {
    fn test<B: Field, E: MacField<B>>() {
        for n in [0, 1, 2, 21, 63, 64, 65, 8 * PAIRS - 1, 8 * PAIRS, 8 * PAIRS + 1, 16 * PAIRS, 1100] {
            let (circuit, witness) = Products::<B>::instance(n, n as u8);
            let gates = run_ideal::<B, E>(&circuit, &witness, None, None).unwrap();
            assert_eq!((gates.mul, gates.inputs, gates.assert), (n, 2 * n, 1));
        }
    }
    over_every_field!(test);
}

#[test]
fn a_lie_at_any_gate_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        let n = 9 * PAIRS + 5;
        let (mut circuit, witness) = Products::<B>::instance(n, 1);
        circuit.sum += B::ONE;
        for at in (0..n).step_by(37).chain([63, 64, 8 * PAIRS - 1, 8 * PAIRS, 9 * PAIRS, n - 1]) {
            let error = run_ideal::<B, E>(&circuit, &witness, Some(at), None).unwrap_err();
            assert!(matches!(error, Error::Rejected("the check of the multiplications failed")), "gate {at}");
        }
    }
    over_every_field!(test);
}

#[test]
fn a_lie_in_a_circuit_of_one_gate_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        let (mut circuit, witness) = Products::<B>::instance(1, 1);
        circuit.sum += B::ONE;
        assert!(matches!(run_ideal::<B, E>(&circuit, &witness, Some(0), None), Err(Error::Rejected(_))));
    }
    over_every_field!(test);
}

/// The extension's blocks have 4096 shares, of which a pair takes three, and its batches eight of them; after 29 blocks
/// comes a refill.
#[test]
fn a_lie_over_extended_correlations_is_rejected() {
    let n = 45_000;
    let (mut circuit, witness) = Products::instance(n, 5);
    let run = |circuit: &Products<F61>, at| {
        let (arch, sets) = (Arch::detect(), Sets::LARGE);
        let prover_end = |channel: &mut Channel| {
            let random = &mut Random::from_seed(&[1; 32]);
            extend::Prover::<F61, F61>::new(channel, arch, sets, sets.tiny, random).unwrap()
        };
        let verifier_end = |channel: &mut Channel, delta: &Delta<F61, F61>| {
            let random = &mut Random::from_seed(&[2; 32]);
            extend::Verifier::new(channel, arch, sets, sets.tiny, delta, random).unwrap()
        };
        run_over(circuit, &witness, at, None, prover_end, verifier_end)
    };
    assert_eq!(run(&circuit, None).unwrap(), run_ideal::<F61, F61>(&circuit, &witness, None, None).unwrap());
    circuit.sum += F61::ONE;
    for at in [0, 1365, 1366, 10_922, 10_923, 39_594, 39_595, n - 1] {
        assert!(matches!(run(&circuit, Some(at)), Err(Error::Rejected(_))), "gate {at}");
    }
}

/// Over the ideal dealer the messages are the corrections of each block, then U and V, then the digest.
#[test]
fn a_flipped_bit_in_any_message_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        let (circuit, witness) = Products::<B>::instance(100, 3);
        for message in 0..4 {
            for bit in [0, 1, 7, 16, 60] {
                let verdict = run_ideal::<B, E>(&circuit, &witness, None, Some(Flip { message, bit }));
                assert!(verdict.is_err(), "message {message}, bit {bit}");
            }
        }
    }
    over_every_field!(test);
}

/// The top bit of the first correction makes an integer beyond the modulus of each field that has such.
#[test]
fn elements_that_are_not_canonical_are_refused() {
    fn test<B: Field, E: MacField<B>>() {
        let (circuit, witness) = Products::<B>::instance(10, 4);
        for (message, bytes) in [(0, B::BYTES), (1, E::BYTES)] {
            let flip = Flip { message, bit: 8 * bytes - 1 };
            let error = run_ideal::<B, E>(&circuit, &witness, None, Some(flip)).unwrap_err();
            assert!(matches!(error, Error::Misbehaved("a field element is not in canonical form")));
        }
    }
    test::<F61, F61>();
    test::<F61, F61x2>();
    test::<F65537, F65537x4>();
}

/// A correction of a share that commits to nothing: here of the last one in the only block.
#[test]
fn corrections_of_unused_shares_are_refused() {
    fn test<B: Field, E: MacField<B>>() {
        let (circuit, witness) = Products::<B>::instance(10, 4);
        let last = Flip { message: 0, bit: 8 * B::BYTES * (BLOCK - 1) };
        let error = run_ideal::<B, E>(&circuit, &witness, None, Some(last)).unwrap_err();
        assert!(matches!(error, Error::Misbehaved("it corrects shares that commit to nothing")));
    }
    over_every_field!(test);
}

/// With a coin of the verifier, the prover has sent all corrections of a batch before it can read it: it gets stuck at
/// once where the verifier does not get them, and a verifier does not tell a coin before it has them.
#[test]
fn coins_come_after_all_they_combine() {
    let (here, there) = pipe(Duration::from_millis(300));
    let mut verifying = Channel::new(Party::Verifier, there);
    let mut random = Random::from_seed(&[5; 32]);
    let delta = Delta::<F61, F61>::random(&mut random);
    let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
    let n = 9 * PAIRS;
    let (circuit, _) = Products::<F61>::instance(n, 4);
    // All corrections but those of the last block of the first batch.
    let mut proving = Channel::new(Party::Prover, here);
    for _ in 0..7 {
        proving.send(&[0; 8 * BLOCK]).unwrap();
    }
    proving.flush().unwrap();
    let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
    assert!(matches!(circuit.run(&mut verifier), Err(Error::Io { .. })));
    drop(verifier);
    assert_eq!(verifying.traffic().sent, 0);
}

/// Coins are drawn anew: two runs of one prover get different ones.
#[test]
fn the_verifiers_coins_are_not_the_transcripts() {
    let coins = |seed: u8| {
        let (here, there) = pipe(Duration::from_secs(20));
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        let delta = Delta::<F61, F61>::random(&mut Random::from_seed(&[5; 32]));
        let (circuit, witness) = Products::<F61>::instance(5, 4);
        std::thread::scope(|scope| {
            let prover = scope.spawn(|| {
                let mut dealer = ideal::Prover::<F61, F61>::new(3, BLOCK);
                let mut block = Shares::default();
                dealer.block(&mut proving, &mut block).unwrap();
                let mut corrections = vec![F61::ZERO; BLOCK];
                for (i, [x, y]) in witness.as_chunks::<2>().0.iter().enumerate() {
                    let wires = [*x, *y, *x * *y];
                    (0..3).for_each(|j| corrections[3 * i + j] = wires[j] - block.rows(3 * i)[j].value);
                }
                proving.send_elements(&corrections).unwrap();
                proving.recv_array::<16>().unwrap()
            });
            let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
            let mut random = Random::from_seed(&[seed; 32]);
            let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
            circuit.run(&mut verifier).unwrap();
            // The prover leaves after its coin.
            assert!(verifier.finish().is_err());
            prover.join().unwrap()
        })
    };
    assert_ne!(coins(1), coins(2));
}

#[test]
fn an_asserted_value_that_is_not_zero_is_rejected() {
    fn test<B: Field, E: MacField<B>>() {
        // The prover's own assertion would stop it: state one sum and verify another.
        let (circuit, witness) = Products::<B>::instance(10, 4);
        let (here, there) = pipe(Duration::from_secs(20));
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let vole = Box::new(ideal::Prover::<B, E>::new(3, BLOCK));
                let mut prover = Prover::new(&mut proving, vole, Arch::detect(), witness);
                circuit.run(&mut prover).unwrap();
                prover.finish().unwrap();
                proving.flush().unwrap();
            });
            let mut random = Random::from_seed(&[5; 32]);
            let delta = Delta::<B, E>::random(&mut random);
            let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
            let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
            Products { n: circuit.n, sum: circuit.sum + B::ONE }.run(&mut verifier).unwrap();
            let error = verifier.finish().map(drop).unwrap_err();
            assert!(matches!(error, Error::Rejected("an asserted value is not what the statement demands")));
        });
    }
    over_every_field!(test);
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
    // 2^61/(61^2) is 2^49.1; 10^10 gates are 305,176 batches, or 2^18.2.
    assert_eq!(security::<F61, F61>(1000, 4096, 1), 49);
    assert_eq!(security::<F61, F61>(10_000_000_000, 4096, 1), 42);
    assert!(security::<F61, F61x2>(10_000_000_000, 4096, 1) >= 100);
    assert_eq!(security::<Goldilocks, Goldilocks>(1000, 4096, 1), 51);
    assert!(security::<Goldilocks, Goldilocksx2>(10_000_000_000, 4096, 1) >= 104);
    assert_eq!(security::<F65537, F65537x4>(1000, 4096, 1), 51);
    assert!(security::<F256, F128>(1 << 30, 4096, 1) >= 108);
    assert!(!by_transcript::<F61>() && !by_transcript::<F65537x4>() && by_transcript::<F61x2>());
}
