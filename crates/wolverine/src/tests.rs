//! Over every kind of field and by every check: completeness at sizes around the edges of blocks, tiles and
//! groups, over ideal dealers; and parties that cheat.

/// Runs a test over F_2 and over every kind of field and extension.
macro_rules! over_every_kind {
    ($test:ident) => {{
        $test::<BitMacs>();
        $test::<FieldMacs<F61, F61>>();
        $test::<FieldMacs<F61, F61x2>>();
        $test::<FieldMacs<F65537, F65537x4>>();
        $test::<FieldMacs<F256, F128>>();
    }};
}

mod challenges;
mod edges;
mod liar;
mod rates;
mod script;
mod simulation;

use super::*;
use std::time::Duration;
use volery_channel::channel::{Channel, Link, Party, Playback, Tape, pipe, side_by_side};
use volery_channel::error::Rejection;
use volery_channel::random::Random;
use volery_circuit::{Backend, Circuit};
use volery_primitives::{F61, F61x2, F256, F65537, F65537x4, MacField};
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::macs::{BitMacs, FieldMacs, Values};
use volery_vole::vole::{self, BoxedVole, ideal, subfield};

/// Shares in a block of the ideal dealer.
const DEALT: usize = 192;

/// The matching of a block's triples, by this coin.
fn matching<V: Field>(coin: F128, terms: &Terms, gates: usize) -> Matching<V> {
    let mut matching = Matching::new();
    let by = (&Pool::default(), Arch::detect());
    match_gates(&mut matching, by, coin, terms, gates, terms.plan(gates as u64));
    matching
}

/// ν and the matching of a block's groups, by this coin.
fn point_and_matching<E: Field>(coin: F128, groups: usize) -> (E, Matching<E>) {
    let mut matching = Matching::new();
    (match_groups(&mut matching, Arch::detect(), coin, groups), matching)
}

/// A dealer for the shares.
trait Dealt: Macs {
    fn uniform(random: &mut Random) -> Self::F;
    fn key(random: &mut Random) -> Self::Delta;
    fn prover_end(seed: u8) -> BoxedVole<Self::Mac>;
    fn verifier_end(seed: u8, delta: &Self::Delta) -> BoxedVole<Self::Key>;
}

impl Dealt for BitMacs {
    fn uniform(random: &mut Random) -> volery_primitives::F2 {
        random.word().bit0()
    }
    fn key(random: &mut Random) -> vole::Delta {
        vole::Delta::random(random)
    }
    fn prover_end(seed: u8) -> BoxedVole<vole::Mac> {
        Box::new(ideal::Prover::new(seed.into(), DEALT))
    }
    fn verifier_end(seed: u8, delta: &vole::Delta) -> BoxedVole<vole::Key> {
        Box::new(ideal::Verifier::new(seed.into(), DEALT, delta))
    }
}

impl<B: Field, E: MacField<B>> Dealt for FieldMacs<B, E> {
    fn uniform(random: &mut Random) -> B {
        subfield::uniform(random)
    }
    fn key(random: &mut Random) -> subfield::Delta<B, E> {
        subfield::Delta::random(random)
    }
    fn prover_end(seed: u8) -> BoxedVole<Self::Mac> {
        Box::new(subfield::ideal::Prover::new(seed, DEALT))
    }
    fn verifier_end(seed: u8, delta: &Self::Delta) -> BoxedVole<Self::Key> {
        Box::new(subfield::ideal::Verifier::new(seed, DEALT, delta))
    }
}

/// "I know elements whose products, pair by pair, sum to `sum`."
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

/// A true statement of `n` products, with its witness.
fn instance<M: Dealt>(n: u64, seed: u8) -> (Products<M::F>, Vec<M::F>) {
    let mut random = Random::from_seed(&[seed; 32]);
    let witness: Vec<M::F> = (0..2 * n).map(|_| M::uniform(&mut random)).collect();
    let sum = witness.as_chunks::<2>().0.iter().map(|[x, y]| *x * *y).sum();
    (Products { n, sum }, witness)
}

/// All that make sense over this field, in blocks of `block` gates.
fn all_terms<M: Macs>(block: u64, bits: u32) -> Vec<Terms> {
    let checkings = CheckedBy::ALL.map(|by| Checking { by: Some(by), block: Some(block) });
    let ways = checkings.into_iter().flat_map(|checking| [(checking, false), (checking, true)]);
    let terms = ways.filter_map(|(checking, one_way)| Terms::new::<M>(&checking, bits, one_way).ok());
    let mut terms: Vec<Terms> = terms.collect();
    terms.dedup_by_key(|terms| terms.name());
    terms
}

type Verdict = Result<(Accepted, Gates, Checked)>;

/// The seeds of a run's randomness.
#[derive(Clone, Copy)]
struct Seeds {
    dealer: u8,
    verifier: u64,
}

const SEEDS: Seeds = Seeds { dealer: 3, verifier: 9 };

impl Seeds {
    /// Δ, and the randomness for the verifier's coins.
    fn verifiers<M: Dealt>(self) -> (M::Delta, Random) {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.verifier.to_le_bytes());
        let mut random = Random::from_seed(&seed);
        (M::key(&mut random), random)
    }
}

/// Runs an honest prover.
fn prove<M: Dealt>(
    terms: Terms,
    circuit: &Products<M::F>,
    witness: &[M::F],
    seeds: Seeds,
    link: impl Link + 'static,
) -> Result<(Gates, Checked)> {
    let mut channel = Channel::new(Party::Prover, link);
    let (vole, witness) = (M::prover_end(seeds.dealer), witness.iter().copied());
    let mut prover = Prover::<M>::new(&mut channel, vole, Arch::detect(), terms, witness);
    circuit.run(&mut prover)?;
    let (gates, checked, _) = prover.finish()?;
    channel.flush()?;
    Ok((gates, checked))
}

/// Runs an honest verifier.
fn verify<M: Dealt>(
    terms: Terms,
    circuit: &Products<M::F>,
    seeds: Seeds,
    link: impl Link + 'static,
) -> Verdict {
    let mut channel = Channel::new(Party::Verifier, link);
    let (delta, mut random) = seeds.verifiers::<M>();
    let vole = M::verifier_end(seeds.dealer, &delta);
    let verifier = Verifier::<M>::new(&mut channel, vole, Arch::detect(), terms, &delta, &mut random);
    // The prover has one thread.
    let mut verifier = verifier.share_work(&Pool::of(2));
    circuit.run(&mut verifier)?;
    verifier.finish().map(|(accepted, gates, checked, _)| (accepted, gates, checked))
}

/// Runs both parties.
fn run<M: Dealt>(
    terms: Terms,
    circuit: &Products<M::F>,
    witness: &[M::F],
    links: (impl Link + 'static, impl Link + 'static),
) -> (Result<(Gates, Checked)>, Verdict) {
    side_by_side(
        || prove::<M>(terms, circuit, witness, SEEDS, links.0),
        || verify::<M>(terms, circuit, SEEDS, links.1),
    )
}

/// The verdict, and what each party has said.
struct Recorded {
    verdict: Verdict,
    said: Vec<Vec<u8>>,
    answered: Vec<Vec<u8>>,
}

/// A run of `prover` over the link that it is given, and of an honest verifier.
fn record<M: Dealt>(
    terms: Terms,
    circuit: &Products<M::F>,
    seeds: Seeds,
    prover: impl FnOnce(Box<dyn Link>) + Send,
) -> Recorded {
    let (here, there) = pipe(Duration::from_secs(20));
    let ((here, said), (there, answered)) = (Tape::new(here, None), Tape::new(there, None));
    let ((), verdict) = side_by_side(|| prover(Box::new(here)), || verify::<M>(terms, circuit, seeds, there));
    Recorded { verdict, said: said.messages(), answered: answered.messages() }
}

/// Records an honest prover, who is believed.
fn record_honest<M: Dealt>(
    terms: Terms,
    circuit: &Products<M::F>,
    witness: &[M::F],
    seeds: Seeds,
) -> Recorded {
    let run = record::<M>(terms, circuit, seeds, |link| {
        prove::<M>(terms, circuit, witness, seeds, link).unwrap();
    });
    assert!(run.verdict.is_ok(), "{}", terms.name());
    run
}

/// Whether the check of products has failed, which is the one to catch a lie about them.
fn is_caught(verdict: &Verdict) -> bool {
    matches!(verdict, Err(Error::Rejected(Rejection::Products)))
}

fn accepts<M: Dealt>(terms: Terms, n: u64) -> Checked {
    let (circuit, witness) = instance::<M>(n, 1);
    let (proved, verified) = run::<M>(terms, &circuit, &witness, pipe(Duration::from_secs(20)));
    let (proved, checked) = proved.unwrap_or_else(|why| panic!("{}: {why}", terms.name()));
    let verified = verified.unwrap_or_else(|why| panic!("{} of {n}: {why}", terms.name()));
    assert_eq!((proved, checked), (verified.1, verified.2), "{}", terms.name());
    assert_eq!((proved.mul, checked.blocks), (n, n.div_ceil(terms.block)));
    checked
}

#[test]
#[ignore = "slow"]
fn honest_proofs_are_accepted_at_every_size() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(70, 8) {
            for n in [1, 2, 31, 32, 33, 69, 70, 71, 139, 140, 141, 300] {
                accepts::<M>(terms, n);
            }
        }
        // Around tiles of 4096 triples and gates, and blocks of few.
        for (block, n) in [(3000, 3000), (8192, 4096), (8192, 4097), (8192, 9000), (1, 20), (2, 7)] {
            for terms in all_terms::<M>(block, 20) {
                accepts::<M>(terms, n);
            }
        }
    }
    over_every_kind!(test);
}

#[test]
fn a_false_sum_is_refused() {
    fn test<M: Dealt>() {
        let (mut circuit, witness) = instance::<M>(100, 2);
        circuit.sum += M::F::ONE;
        for terms in all_terms::<M>(64, 8) {
            let (proved, verified) = run::<M>(terms, &circuit, &witness, pipe(Duration::from_secs(20)));
            assert!(matches!(proved, Err(Error::Unsatisfied(name)) if name == "the sum"));
            // After a coin who leaves has been rejected.
            let coins = terms.coins::<M>().contains(&true);
            let left = match verified.map(drop) {
                Err(Error::Io { .. }) => !coins,
                Err(Error::Abandoned { peer, .. }) => coins && peer == "prover",
                _ => false,
            };
            assert!(left, "{}", terms.name());
        }
    }
    over_every_kind!(test);
}

/// [`Products`] that go on after errors, with zeroes.
struct Careless<F>(Products<F>);

impl<B: Backend> Circuit<B> for Careless<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let zero = b.constant(B::F::ZERO);
        let mut sum = b.constant(-self.0.sum);
        for _ in 0..self.0.n {
            let [x, y] = [0; 2].map(|_| b.witness().unwrap_or(zero));
            let product = b.mul(x, y).unwrap_or(zero);
            sum = b.add(sum, product);
        }
        b.assert_zero(sum, "the sum")
    }
}

/// No message about the secret follows after an error that a circuit swallows, and no verdict but a refusal.
#[test]
fn nobody_goes_on_after_an_error() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(64, 8).into_iter().filter(|terms| terms.coins::<M>().contains(&true)) {
            let (circuit, witness) = instance::<M>(200, 1);
            let honest = record_honest::<M>(terms, &circuit, &witness, SEEDS);
            let circuit = Careless(circuit);
            // Each coin may be the last that comes.
            for coins in 0..honest.answered.len() {
                let (link, said) = Tape::new(Playback::new(honest.answered[..coins].concat()), None);
                let mut channel = Channel::new(Party::Prover, link);
                let (vole, witness) = (M::prover_end(SEEDS.dealer), witness.iter().copied());
                let mut prover = Prover::<M>::new(&mut channel, vole, Arch::detect(), terms, witness);
                circuit.run(&mut prover).unwrap();
                assert!(prover.finish().is_err());
                let said = said.messages();
                assert!(said.len() < honest.said.len() && honest.said.starts_with(&said), "{}", terms.name());
            }
            // A witness that ends before anything was said.
            let (link, said) = Tape::new(Playback::new(honest.answered.concat()), None);
            let mut channel = Channel::new(Party::Prover, link);
            let vole = M::prover_end(SEEDS.dealer);
            let mut prover = Prover::<M>::new(&mut channel, vole, Arch::detect(), terms, []);
            circuit.run(&mut prover).unwrap();
            assert!(prover.finish().is_err());
            assert!(said.messages().is_empty(), "{}", terms.name());
            // Any message but the last may be the last that comes.
            for messages in 0..honest.said.len() - 1 {
                let (link, _) = Tape::new(Playback::new(honest.said[..messages].concat()), None);
                let mut channel = Channel::new(Party::Verifier, link);
                let (delta, mut random) = SEEDS.verifiers::<M>();
                let vole = M::verifier_end(SEEDS.dealer, &delta);
                let mut verifier =
                    Verifier::<M>::new(&mut channel, vole, Arch::detect(), terms, &delta, &mut random);
                circuit.run(&mut verifier).unwrap();
                assert!(verifier.finish().is_err(), "{}", terms.name());
            }
        }
    }
    over_every_kind!(test);
}
