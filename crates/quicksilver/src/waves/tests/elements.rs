//! Maps over other fields than F_2, whose circuits have a factor: by coins, and by challenges of the transcript.

use crate::arithmetic::{Prover, Verifier};
use crate::waves::WideWaves;
use std::time::Duration;
use volery_channel::channel::{Channel, Flip, Party, Tape, pipe, side_by_side};
use volery_channel::error::{Error, Rejection, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::stream::{Recorder, Streamed};
use volery_circuit::{Backend, Circuit, Clear, Polynomials, Returned};
use volery_primitives::{Arch, Bn254, F61, F61x2, F128, F256, F65537, F65537x4, Field, MacField};
use volery_proof::verdict::Gates;
use volery_vole::vole::lpn::Sets;
use volery_vole::vole::subfield::{Delta, Key, Mac, extend, ideal};
use volery_vole::vole::{Vole, subfield};

/// Rounds of gates on each of some lanes, with gates before and behind, and products that nobody reads.
#[derive(Clone, Copy)]
struct Rounds {
    lanes: usize,
    rounds: usize,
    before: usize,
    mapped: bool,
    /// Whether polynomials follow the map at once.
    polynomials: bool,
}

/// An element that is neither zero nor one in any field.
fn factor<F: Field>() -> F {
    F::from_integer(3u64.into()).expect("a small one")
}

/// Shares of a round.
const ROUND: usize = 5;

impl Rounds {
    fn round<B: Backend>(&self, b: &mut B, lane: usize, of: &[B::Wire]) -> Result<Returned<B::Wire>> {
        let (mut x, mut y) = (of[0], of[1]);
        let factor = factor::<B::F>();
        for round in 0..self.rounds {
            let element = b.witness()?;
            let one = b.constant(B::F::ONE);
            let hinted = b.hints(&[x, element], 2, |of| vec![of[0] + of[1], of[0] * of[1]])?;
            let product = b.mul(x, element)?;
            let minus = b.scale(hinted[1], -B::F::ONE);
            let difference = b.add(product, minus);
            b.assert_zero(difference, format_args!("the product of round {round} in lane {lane}"))?;
            let factors = [-B::F::ONE, B::F::ZERO, -B::F::ONE, B::F::ONE];
            let sum = b.linear(&factors, &[x, y, element, hinted[0]]);
            b.assert_zero(sum, format_args!("the sum of round {round} in lane {lane}"))?;
            let next = b.linear(&[factor, B::F::ONE], &[y, one]);
            b.mul(next, product)?;
            (y, x) = (b.add(product, hinted[0]), next);
        }
        Ok(Returned { wires: vec![y, x], public: vec![] })
    }

    fn shares(&self) -> u64 {
        (self.lanes * self.rounds * ROUND) as u64
    }
}

impl<B: Polynomials> Circuit<B> for Rounds {
    fn run(&self, b: &mut B) -> Result<()> {
        let first = b.witness()?;
        let mut sum = first;
        for _ in 0..self.before {
            let product = b.mul(first, sum)?;
            sum = b.add(sum, product);
        }
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let results = if self.mapped {
            b.map(b"rounds", self.lanes, &columns, |b, lane, of| self.round(b, lane, of))?.wires
        } else {
            let mut results = vec![B::Wire::default(); 2 * self.lanes];
            for lane in 0..self.lanes {
                let made = self.round(b, lane, &[columns[lane], columns[self.lanes + lane]])?.wires;
                (results[lane], results[self.lanes + lane]) = (made[0], made[1]);
            }
            results
        };
        if self.polynomials {
            let results = b.vector(&results);
            let squares = b.product(&results, &results)?;
            let terms = [(B::F::ONE, &squares), (-B::F::ONE, &squares)];
            let difference = b.combination(&[], &terms, B::F::ZERO)?;
            b.assert_zeroes(difference, "the squares")?;
        }
        for pair in results.as_chunks::<2>().0 {
            let product = b.mul(pair[0], pair[1])?;
            sum = b.add(sum, product);
        }
        let expected = b.witness()?;
        let minus = b.scale(expected, -B::F::ONE);
        let difference = b.add(sum, minus);
        b.assert_zero(difference, "the sum of all")
    }
}

impl Rounds {
    fn new(lanes: usize, rounds: usize, before: usize) -> Self {
        Self { lanes, rounds, before, mapped: true, polynomials: false }
    }

    /// A witness, whose last element is what the others come to.
    fn witness<F: Field>(&self, seed: u8) -> Vec<F> {
        let mut random = Random::from_seed(&[seed; 32]);
        let count = 1 + 2 * self.lanes + self.lanes * self.rounds;
        let mut witness: Vec<F> = (0..count).map(|_| subfield::uniform(&mut random)).collect();
        witness.push(self.sum(&witness));
        self.run(&mut Clear::new(witness.iter().copied())).unwrap();
        witness
    }

    /// The sum that a witness comes to, without its last element.
    fn sum<F: Field>(&self, witness: &[F]) -> F {
        let (mut sum, factor) = (witness[0], factor::<F>());
        for _ in 0..self.before {
            sum += witness[0] * sum;
        }
        let (columns, elements) = witness[1..].split_at(2 * self.lanes);
        let mut results = vec![F::ZERO; 2 * self.lanes];
        for (lane, elements) in elements.chunks(self.rounds).enumerate() {
            let (mut x, mut y) = (columns[lane], columns[self.lanes + lane]);
            for element in elements {
                (x, y) = (factor * y + F::ONE, x * *element + x + *element);
            }
            (results[lane], results[self.lanes + lane]) = (y, x);
        }
        results.as_chunks::<2>().0.iter().fold(sum, |sum, [a, b]| sum + *a * *b)
    }
}

/// The shares that a run takes.
#[derive(Clone, Copy)]
pub(super) enum Dealt {
    /// Dealer of blocks of so many shares.
    Dealer(usize),
    /// Extension by the smallest set.
    Extension,
}

/// How a run goes: its shares, the threads of each party, the lanes that both have agreed on, the shares of the map that
/// are lies, and a bit that is flipped on the way.
#[derive(Clone)]
pub(super) struct By {
    pub(super) dealt: Dealt,
    pub(super) threads: usize,
    pub(super) wide: Option<usize>,
    pub(super) lies: Vec<u64>,
    pub(super) flip: Option<Flip>,
}

impl By {
    pub(super) fn block(block: usize) -> Self {
        Self { dealt: Dealt::Dealer(block), threads: 1, wide: None, lies: Vec::new(), flip: None }
    }
}

/// A run: the prover's gates and the verifier's, and all that each sent.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) proved: Result<Gates>,
    pub(super) verified: Result<Gates>,
    pub(super) sent: [Vec<Vec<u8>>; 2],
}

pub(super) fn run<B: Field, E: MacField<B>>(
    proved: impl for<'r> Circuit<Recorder<'r, B>> + Send + Sync,
    witness: Vec<B>,
    verified: impl for<'r> Circuit<Recorder<'r, B>> + Send + Sync,
    by: &By,
) -> Run {
    let (here, there) = pipe(Duration::from_secs(20));
    let ((here, sent), (there, answered)) = (Tape::new(here, by.flip), Tape::new(there, None));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let By { dealt, threads, wide, lies, .. } = by.clone();
    let widened = move || wide.map(|lanes| WideWaves { lanes, device: None });
    let prover = move || {
        let vole: Box<dyn Vole<Share = Mac<B, E>>> = match dealt {
            Dealt::Dealer(block) => Box::new(ideal::Prover::<B, E>::new(3, block)),
            Dealt::Extension => {
                let mut random = Random::from_seed(&[1; 32]);
                let (arch, sets) = (Arch::detect(), Sets::of::<B>());
                Box::new(extend::Prover::<B, E>::new(&mut proving, arch, sets, sets.tiny, &mut random)?)
            }
        };
        let mut prover = Prover::<B, E>::new(&mut proving, vole, Arch::detect(), witness);
        prover.lies_in_waves = lies;
        prover.kept.maps.wide = widened();
        let mut prover = prover.share_work(&Pool::of(threads));
        let run = Streamed(&proved).run(&mut prover);
        if !prover.lies_in_waves.is_empty() {
            prover.lie();
        }
        let proved = run.and_then(|()| prover.finish().map(|(gates, _)| gates));
        let _ = proving.flush();
        proved
    };
    let verifier = move || {
        let mut random = Random::from_seed(&[5; 32]);
        let delta = Delta::random(&mut random);
        let vole: Box<dyn Vole<Share = Key<E>>> = match dealt {
            Dealt::Dealer(block) => Box::new(ideal::Verifier::<B, E>::new(3, block, &delta)),
            Dealt::Extension => {
                let (arch, sets) = (Arch::detect(), Sets::of::<B>());
                Box::new(extend::Verifier::new(&mut verifying, arch, sets, sets.tiny, &delta, &mut random)?)
            }
        };
        let mut verifier = Verifier::<B, E>::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
        verifier.kept.maps.wide = widened();
        let mut verifier = verifier.share_work(&Pool::of(threads));
        Streamed(&verified).run(&mut verifier)?;
        verifier.finish().map(|(_, gates, _)| gates)
    };
    let (proved, verified) = side_by_side(prover, verifier);
    Run { proved, verified, sent: [sent.messages(), answered.messages()] }
}

pub(super) fn bytes(messages: &[Vec<u8>]) -> usize {
    messages.iter().map(Vec::len).sum()
}

fn come_to_what_calls_come_to<B: Field, E: MacField<B>>() {
    for (lanes, rounds, before) in [(2, 1, 0), (7, 3, 1), (9, 40, 400), (64, 4, 3), (65, 20, 0), (200, 7, 11)]
    {
        let statement = Rounds::new(lanes, rounds, before);
        let witness = statement.witness::<B>(lanes as u8);
        for block in [130, 192, 1024] {
            let by = By::block(block);
            let mapped = run::<B, E>(statement, witness.clone(), statement, &by);
            let gates =
                mapped.verified.unwrap_or_else(|error| panic!("{lanes} lanes, {block} shares: {error}"));
            assert_eq!(gates, mapped.proved.unwrap());
            let called = Rounds { mapped: false, ..statement };
            let calls = run::<B, E>(called, witness.clone(), called, &by);
            assert_eq!(gates, calls.verified.unwrap());
            // As many blocks and coins. Sections that begin short are fewer in a map.
            assert_eq!(bytes(&mapped.sent[1]), bytes(&calls.sent[1]), "{lanes} lanes, {block} shares");
            assert!(bytes(&mapped.sent[0]) <= bytes(&calls.sent[0]) + B::BYTES * block);
        }
    }
}

#[test]
fn maps_come_to_what_calls_come_to() {
    come_to_what_calls_come_to::<F61, F61>();
    come_to_what_calls_come_to::<F61, F61x2>();
    come_to_what_calls_come_to::<F65537, F65537x4>();
    come_to_what_calls_come_to::<F256, F128>();
    come_to_what_calls_come_to::<Bn254, Bn254>();
}

fn threads_say_the_same<B: Field, E: MacField<B>>() {
    for (statement, dealt) in [
        (Rounds::new(100, 120, 50), Dealt::Dealer(1024)),
        (Rounds::new(1100, 30, 5), Dealt::Dealer(4096)),
        (Rounds::new(150, 180, 7), Dealt::Extension),
    ] {
        let witness = statement.witness::<B>(1);
        let with = |threads| {
            let by = By { dealt, threads, ..By::block(0) };
            let Run { proved, verified, sent } = run::<B, E>(statement, witness.clone(), statement, &by);
            (proved.unwrap(), verified.unwrap(), sent)
        };
        let alone = with(1);
        assert!(statement.shares() > super::super::TURN as u64);
        for threads in [2, 8] {
            assert!(with(threads) == alone, "{threads} threads");
        }
    }
}

/// Over shares that are extended, too, where the prover hears coins long after it has sent their batch.
#[test]
fn every_number_of_threads_sends_the_same() {
    threads_say_the_same::<F61, F61>();
    threads_say_the_same::<F61, F61x2>();
}

/// A map that ends with a block, which is the last one of a coin's batch, and begins with one, or within one: what
/// follows belongs to that, as behind calls, and no coin is more.
#[test]
fn what_follows_a_map_is_of_its_last_batch() {
    fn of<B: Field, E: MacField<B>>() {
        for (rounds, before) in [(48, 1024 - 129), (50, 384 - 129)] {
            behind::<B, E>(Rounds { polynomials: true, ..Rounds::new(64, rounds, before) });
        }
    }
    fn behind<B: Field, E: MacField<B>>(statement: Rounds) {
        assert!((129 + statement.before as u64 + statement.shares()).is_multiple_of(8 * 1024));
        let witness = statement.witness::<B>(7);
        let sent = [true, false].map(|mapped| {
            let statement = Rounds { mapped, ..statement };
            let run = run::<B, E>(statement, witness.clone(), statement, &By::block(1024));
            assert_eq!(run.verified.unwrap(), run.proved.unwrap());
            run.sent.map(|messages| bytes(&messages))
        });
        assert_eq!(sent[0], sent[1]);
    }
    of::<F61, F61>();
    of::<F61, F61x2>();
}

/// Each share in turn: also those of products that nobody reads, which their check alone can find.
#[test]
fn a_lie_in_any_share_is_rejected() {
    fn of<B: Field, E: MacField<B>>() {
        let statement = Rounds::new(9, 3, 10);
        let witness = statement.witness::<B>(2);
        let mut by_their_check = 0;
        for lie in 0..statement.shares() {
            for block in [130, 192] {
                let by = By { threads: 1 + lie as usize % 2, lies: vec![lie], ..By::block(block) };
                let verified = run::<B, E>(statement, witness.clone(), statement, &by).verified;
                let Err(Error::Rejected(why)) = verified else { panic!("share {lie}: {verified:?}") };
                by_their_check += usize::from(matches!(why, Rejection::ProductsAndPolynomials));
            }
        }
        // Two of each five, all rounds and lanes, for each block.
        assert!(by_their_check >= 2 * 2 * 9 * 3);
        let by = By { lies: vec![statement.shares()], ..By::block(192) };
        run::<B, E>(statement, witness, statement, &by).verified.unwrap();
    }
    of::<F61, F61>();
    of::<F256, F128>();
}

/// Lies at the ends of tiles, waves, blocks, batches and turns.
#[test]
fn lies_at_seams_are_rejected() {
    let statement = Rounds::new(140, 60, 0);
    let witness = statement.witness::<F61>(3);
    let wave = 16 * 60 * ROUND as u64;
    for seam in [256, 1024, 8 * 1024, wave, 2 * wave, super::super::TURN as u64, statement.shares() - 1] {
        for lie in [seam - 1, seam, seam + 1].into_iter().filter(|lie| *lie < statement.shares()) {
            let by = By { threads: 1 + lie as usize % 3, lies: vec![lie], ..By::block(1024) };
            let verified = run::<F61, F61>(statement, witness.clone(), statement, &by).verified;
            assert!(matches!(verified, Err(Error::Rejected(_))), "share {lie}: {verified:?}");
        }
    }
}

#[test]
fn another_order_is_rejected() {
    let statement = Rounds::new(20, 20, 3);
    let witness = statement.witness::<F61>(4);
    let called = Rounds { mapped: false, ..statement };
    for (proved, verified) in [(statement, called), (called, statement)] {
        let verdict = run::<F61, F61>(proved, witness.clone(), verified, &By::block(192)).verified;
        assert!(matches!(verdict, Err(Error::Rejected(_) | Error::Misbehaved(_))), "{verdict:?}");
    }
}

#[test]
fn a_changed_message_is_rejected() {
    let statement = Rounds::new(10, 12, 10);
    let witness = statement.witness::<F61>(5);
    let messages = run::<F61, F61>(statement, witness.clone(), statement, &By::block(192)).sent[0].len();
    for message in 0..messages {
        for bit in [0, 77, 191] {
            let by = By { flip: Some(Flip { message, bit }), ..By::block(192) };
            let verified = run::<F61, F61>(statement, witness.clone(), statement, &by).verified;
            assert!(verified.is_err(), "message {message}, bit {bit}");
        }
    }
}

#[test]
fn the_first_assertion_that_fails_in_the_order_of_calls_is_named() {
    let statement = Rounds::new(150, 3, 0);
    let holds = statement.witness::<F61>(6);
    // Which round an element spoils is the next one's matter: it is asserted by hints, which hold. So a prover
    // whose hints lie is needed: its lies are about the hinted sum, the second commitment of a round.
    for (lane, round) in [(0, 0), (65, 2), (149, 1)] {
        let (width, step) = (16, round * ROUND + 1);
        let wave = lane / width;
        let lanes = width.min(150 - wave * width);
        let before = wave * width * 3 * ROUND;
        let lie = (before + step * lanes + lane % width) as u64;
        let (here, _there) = pipe(Duration::from_secs(20));
        let mut channel = Channel::new(Party::Prover, here);
        let vole = Box::new(ideal::Prover::<F61, F61x2>::new(3, 1 << 14));
        let mut prover = Prover::<F61, F61x2>::new(&mut channel, vole, Arch::detect(), holds.clone());
        prover.lies_in_waves = vec![lie];
        let run = Streamed(&statement).run(&mut prover);
        let error = run.and_then(|()| prover.finish().map(drop)).unwrap_err().to_string();
        let name = format!("the sum of round {round} in lane {lane}");
        assert!(error.contains(&name), "{error}: {name}");
    }
}
