//! A function on many lanes at a time, over F_2.
//!
//! [`Backend::map`](volery_circuit::Backend::map) calls one function on lanes that do not depend on each other.
//! Some lanes together are a **wave**. A wave is walked twice: first the prover evaluates the function on all
//! its lanes in the clear, a bit for each lane of a word, which gives the corrections; once the challenge to
//! them is drawn, both walk it under MACs or keys, and add each product to the sums as they make it. So of a
//! product nothing is kept, and the second walk is a task that owns its shares, for whichever thread is free.
//!
//! Nothing else changes: messages, batches, challenges, and the coefficient of each share are those of
//! [`crate`]. What a wave decides is the order of commitments alone.
//!
//! # The order of commitments
//! Both parties compute it from the function and the number of lanes ([`Turns`]). At most [`ACTIVE`] waves are
//! under way. The next share is for the wave at the front, whose function's commitments follow each other, each
//! on a share for each lane: commitment c of lane l of a wave of w lanes takes its share c·w + l. Where a block
//! of the VOLE ends, and the turn has lasted for [`TURN`] shares, the wave goes to the back, so that the next
//! turn's task is on another one; where a wave ends, the next goes on with its turn. A block may end between
//! two lanes.
//!
//! # Why it proves the same
//! - A **whole block** of shares is a batch: the prover sends the corrections of all of it, and then both draw the
//!   batch's challenge from the transcript. The second walk of its shares begins after that, and adds product i
//!   of the batch with coefficient χ_i, as [`crate::slots`] does where products wait. What is summed is a
//!   function of shares, corrections and χ: between its walks a prover has nothing to choose. The sums run on as
//!   over all batches (7a), and the bound of [`crate`] counts this batch like any other.
//! - Where the map begins or ends **within a block**, its products go into slots, as those of gates do, and the
//!   batch ends as ever: the results of a map may be used in the batch in which it ends.
//! - A witness element or hinted value is the product of itself and one, whose check is m + w·Δ = k, whatever
//!   was committed to: both parties leave it out over a whole block, where its coefficient is used for nothing.
//! - What whole blocks assert is digested turn by turn, and these digests are absorbed in the order of turns,
//!   among the MACs or keys of what is asserted elsewhere; in a turn the order is by pieces, steps and lanes.
//!   Both know it.
//!
//! Each share is used once, and each is used: no block is left before its end, so that traffic is that of as many
//! calls. An assertion that fails is found by the first walk; its name is that of the first in the order of
//! calls, and the prover goes on as ever. Neither walk depends on a value but by what hints compute.

mod clear;
#[cfg(test)]
mod tests;
mod wave;

pub(crate) use clear::Clear;
pub(crate) use wave::{Fold, Wave};

use crate::ASSERTED;
use crate::slots::Slots;
use core::mem;
use core::ops::Range;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use volery_channel::pool::{Pool, Tasks};
use volery_circuit::stream::straight::StraightLine;
use volery_circuit::stream::{Block, Map};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::{F2, F128, Field};
use volery_proof::openings::Openings;
use volery_proof::verdict::Gates;
use zeroize::Zeroizing;

/// The waves under way at a time. Each has its wires, and one task at most.
const ACTIVE: usize = 16;

/// The lanes of a wave: those of a word at most, unless its function has few commitments.
const LANES: usize = 64;

/// The shares of a wave for which it is worth a turn, and the most lanes that it gets for that.
const WORTH: u64 = 1 << 12;
const MOST_LANES: usize = 1 << 10;

/// The shares that a turn takes at least, unless its waves end: so many that fetching the wires of the next
/// wave costs little.
const TURN: usize = 1 << 15;

/// The most wires of a wave, which are to stay in the second-level cache. What has more on its fewest lanes is
/// called.
const MOST_WIRES: usize = 1 << 16;
const FEWEST_LANES: usize = 8;

/// The functions that were mapped last, without their calls.
#[derive(Default)]
pub(crate) struct Functions(VecDeque<Found>);

/// A function, and what it is without its calls, if it can be mapped.
struct Found {
    function: Weak<Block<F2>>,
    line: Option<Arc<StraightLine<F2>>>,
}

/// The functions that are kept.
const KEPT: usize = 8;

impl Functions {
    /// `function` without its calls, if it can be mapped.
    fn find(&mut self, function: &Arc<Block<F2>>) -> Option<Arc<StraightLine<F2>>> {
        let is_same = |found: &&Found| found.function.as_ptr() == Arc::as_ptr(function);
        if let Some(found) = self.0.iter().find(is_same) {
            return found.line.clone();
        }
        let is_mapped =
            |line: &StraightLine<F2>| line.commitments > 0 && line.slots * FEWEST_LANES <= MOST_WIRES;
        let line = StraightLine::of(function).filter(is_mapped).map(Arc::new);
        self.0.truncate(KEPT - 1);
        // A weak reference keeps the address from being used again.
        self.0.push_front(Found { function: Arc::downgrade(function), line: line.clone() });
        line
    }
}

/// The lanes of a wave of this function.
fn width(line: &StraightLine<F2>, lanes: usize) -> usize {
    let mut width = lanes.div_ceil(ACTIVE).next_multiple_of(FEWEST_LANES).min(LANES);
    if width == LANES {
        while width < MOST_LANES && width as u64 * line.commitments < WORTH {
            width *= 2;
        }
    }
    while width > FEWEST_LANES && width * line.slots > MOST_WIRES {
        width /= 2;
    }
    width
}

/// The turns of waves: to which one the next shares go.
struct Turns {
    /// The waves under way, with the shares that each still takes.
    active: VecDeque<(usize, u64)>,
    /// The waves that have not begun.
    waiting: Range<usize>,
    lanes: usize,
    width: usize,
    commitments: u64,
    /// The shares that all waves still take.
    left: u64,
    /// The shares of the turn at hand.
    taken: usize,
}

impl Turns {
    fn new(lanes: usize, width: usize, commitments: u64) -> Self {
        let waiting = 0..lanes.div_ceil(width);
        let left = lanes as u64 * commitments;
        let active = VecDeque::new();
        let mut turns = Self { active, waiting, lanes, width, commitments, left, taken: 0 };
        (0..ACTIVE).for_each(|_| turns.begin());
        turns
    }

    /// The lanes of a wave.
    fn lanes_of(&self, wave: usize) -> Range<usize> {
        wave * self.width..self.lanes.min((wave + 1) * self.width)
    }

    /// The shares of a wave.
    fn shares_of(&self, wave: usize) -> u64 {
        self.lanes_of(wave).len() as u64 * self.commitments
    }

    /// Begins the next wave, if there is one.
    fn begin(&mut self) {
        if let Some(wave) = self.waiting.next() {
            self.active.push_back((wave, self.shares_of(wave)));
        }
    }

    /// The pieces that the next `shares` shares are for, as far as they are for any.
    fn pieces(&mut self, shares: usize) -> Vec<Piece> {
        let (mut pieces, mut from) = (Vec::new(), 0);
        while from < shares
            && let Some((wave, left)) = self.active.front_mut()
        {
            let taken = (*left).min((shares - from) as u64);
            pieces.push(Piece { wave: *wave, shares: from..from + taken as usize });
            from += taken as usize;
            *left -= taken;
            self.left -= taken;
            if *left == 0 {
                self.active.pop_front();
                self.begin();
            }
        }
        pieces
    }

    /// Turns to the next wave at the end of a block with so many shares, if it is time. Says whether the turn
    /// has ended.
    fn turn(&mut self, shares: usize) -> bool {
        self.taken += shares;
        if self.taken < TURN && self.left > 0 {
            return false;
        }
        self.taken = 0;
        // Waves begin in their order, in which their lanes read the witness.
        if let Some(&(wave, left)) = self.active.front()
            && left < self.shares_of(wave)
        {
            self.active.rotate_left(1);
        }
        true
    }
}

/// Consecutive shares of a block, and the number of the wave that they are for.
pub(crate) struct Piece {
    pub(crate) wave: usize,
    pub(crate) shares: Range<usize>,
}

/// The place of a wave.
enum Place {
    /// Nowhere: it has not begun, or has ended.
    Nowhere,
    Here(Wave),
    InTask,
}

/// A whole block: its pieces, its shares, and the seed of its coefficients.
struct Batch {
    pieces: Vec<Piece>,
    shares: Zeroizing<Vec<F128>>,
    seed: Seed,
}

/// The result of a task: the waves, further on; the products, and their sums; the wires that were asserted; and
/// batches whose memory is free again.
pub(crate) struct Done {
    waves: Vec<(usize, Wave)>,
    pub(crate) products: u64,
    pub(crate) sums: Zeroizing<Vec<F128>>,
    pub(crate) asserted: Box<Openings>,
    batches: Vec<Batch>,
}

/// The sums of some products under some coefficients, of a prover or of a verifier.
pub(crate) type SumsOf = fn(Arch, &[F128], [&[F128]; 3]) -> (F128, F128);

/// A map under way, as either party walks it under MACs or keys.
pub(crate) struct Mapping<'m> {
    map: Map<'m, F2, F128>,
    pub(crate) line: Arc<StraightLine<F2>>,
    turns: Turns,
    places: Vec<Place>,
    /// The batches of the turn at hand.
    batches: Vec<Batch>,
    tasks: Tasks<Done>,
    results: Zeroizing<Vec<F128>>,
    spare: Vec<Zeroizing<Vec<F128>>>,
    /// The share of the public value one: a verifier's is a secret.
    one: Arc<Zeroizing<F128>>,
}

impl<'m> Mapping<'m> {
    /// Begins a map, if its function can be walked so.
    pub(crate) fn begin(functions: &mut Functions, map: Map<'m, F2, F128>, one: F128) -> Option<Self> {
        let line = if map.lanes > 1 { functions.find(map.function)? } else { return None };
        let turns = Turns::new(map.lanes, width(&line, map.lanes), line.commitments);
        let places = (0..map.lanes.div_ceil(turns.width)).map(|_| Place::Nowhere).collect();
        let results = Zeroizing::new(vec![F128::default(); line.results.len() * map.lanes]);
        let one = Arc::new(Zeroizing::new(one));
        let (batches, tasks, spare) = (Vec::new(), Tasks::default(), Vec::new());
        Some(Self { map, line, turns, places, batches, tasks, results, spare, one })
    }

    /// The shares that it still takes.
    pub(crate) fn left(&self) -> u64 {
        self.turns.left
    }

    /// The pieces of a block's next `shares` shares, each for a wave.
    pub(crate) fn pieces(&mut self, shares: usize) -> Vec<Piece> {
        self.turns.pieces(shares)
    }

    /// The lanes of a wave.
    pub(crate) fn lanes(&self, wave: usize) -> Range<usize> {
        self.turns.lanes_of(wave)
    }

    /// The number of waves.
    pub(crate) fn waves(&self) -> usize {
        self.places.len()
    }

    /// The inputs so far, as far as they are spread evenly over the shares.
    pub(crate) fn inputs(&self) -> u64 {
        let all = self.map.lanes as u64 * self.line.commitments;
        let taken = u128::from(all - self.left()) * u128::from(self.line.inputs);
        (taken / u128::from(self.line.commitments)) as u64
    }

    /// Adds what all lanes come to.
    pub(crate) fn count(&self, gates: &mut Gates) {
        let lanes = self.map.lanes as u64;
        gates.add += lanes * self.line.additions;
        gates.inputs += lanes * self.line.inputs;
        gates.assert += lanes * self.line.assertions;
    }

    /// The arguments of a wave, column by column.
    pub(crate) fn arguments(&self, wave: usize) -> impl Iterator<Item = &[F128]> {
        let lanes = self.lanes(wave);
        self.map.arguments.chunks_exact(self.map.lanes).map(move |column| &column[lanes.clone()])
    }

    /// The name of an assertion, by its number in the order of calls.
    pub(crate) fn name(&self, number: u64) -> String {
        (self.map.name)(number)
    }

    /// Memory for a block's shares.
    pub(crate) fn spare(&mut self) -> Zeroizing<Vec<F128>> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes a wave to where it is walked. What tasks have done meanwhile goes to `take`, in their order.
    fn take(&mut self, wave: usize, take: &mut impl FnMut(&Done)) -> Wave {
        loop {
            match mem::replace(&mut self.places[wave], Place::InTask) {
                Place::Here(wave) => return wave,
                Place::Nowhere => return Wave::new(&self.line, self.lanes(wave).len(), self.arguments(wave)),
                Place::InTask => {
                    let done = self.tasks.next().expect("a task that has the wave");
                    self.settle(done, take);
                }
            }
        }
    }

    /// Puts a wave back. Where it has come to its end, its results are those of its lanes.
    fn put(&mut self, number: usize, wave: Wave) {
        if !wave.is_done() {
            self.places[number] = Place::Here(wave);
            return;
        }
        let lanes = self.lanes(number);
        for (port, column) in self.results.chunks_exact_mut(self.map.lanes).enumerate() {
            column[lanes.clone()].copy_from_slice(wave.wires_on(self.line.results[port]));
        }
        self.places[number] = Place::Nowhere;
    }

    /// Adds a whole block to the turn, whose products have the coefficients of `seed`. At the turn's end its
    /// walk is handed out.
    pub(crate) fn add(
        &mut self,
        by: (Arch, &Pool, SumsOf),
        (pieces, shares, seed): (Vec<Piece>, Zeroizing<Vec<F128>>, Seed),
        take: &mut impl FnMut(&Done),
    ) {
        let count = shares.len();
        self.batches.push(Batch { pieces, shares, seed });
        if self.turns.turn(count) {
            self.hand_out(by, take);
        }
        while let Some(done) = self.tasks.next_beyond(by.1.ahead()) {
            self.settle(done, take);
        }
    }

    /// Hands out the walk over all batches of the turn.
    fn hand_out(&mut self, (arch, pool, sums): (Arch, &Pool, SumsOf), take: &mut impl FnMut(&Done)) {
        let batches = mem::take(&mut self.batches);
        let mut waves = Vec::new();
        for Piece { wave: number, .. } in batches.iter().flat_map(|batch| &batch.pieces) {
            if waves.last().is_none_or(|(last, _)| last != number) {
                waves.push((*number, self.take(*number, take)));
            }
        }
        let one = self.one.clone();
        self.tasks.push(pool.run(move || {
            let mut asserted = Box::new(Openings::new(ASSERTED));
            let mut total = Zeroizing::new(vec![F128::ZERO; 2]);
            let mut at = 0;
            for Batch { pieces, shares, seed } in &batches {
                let mut fold = Fold::new(arch, *seed, sums);
                for piece in pieces {
                    // A turn goes from wave to wave, and never back.
                    at += usize::from(waves[at].0 != piece.wave);
                    let walked = &shares[piece.shares.clone()];
                    waves[at].1.walk(
                        (arch, **one),
                        walked,
                        |factors, made| fold.add(factors, made),
                        &mut asserted,
                    );
                }
                total.iter_mut().zip(&*fold.end()).for_each(|(total, sum)| *total += *sum);
            }
            let products = batches.iter().map(|batch| batch.shares.len() as u64).sum();
            Done { waves, products, sums: total, asserted, batches }
        }));
    }

    /// Walks over a piece of a block that is no batch of its own, once all tasks are done: its products go into
    /// slots, and its assertions to those of gates.
    pub(crate) fn walk_into(
        &mut self,
        into: (&mut Slots<F128>, &mut Openings),
        (arch, number): (Arch, usize),
        shares: &[F128],
    ) {
        let mut wave = self.take(number, &mut |_| unreachable!("no task is under way"));
        wave.walk_into(into, (arch, **self.one), shares);
        self.put(number, wave);
    }

    fn settle(&mut self, done: Done, take: &mut impl FnMut(&Done)) {
        take(&done);
        self.spare.extend(done.batches.into_iter().map(|batch| batch.shares));
        done.waves.into_iter().for_each(|(number, wave)| self.put(number, wave));
    }

    /// Ends the turn, and waits for all tasks.
    pub(crate) fn settle_all(&mut self, by: (Arch, &Pool, SumsOf), take: &mut impl FnMut(&Done)) {
        if !self.batches.is_empty() {
            self.hand_out(by, take);
        }
        while let Some(done) = self.tasks.next() {
            self.settle(done, take);
        }
    }

    /// The results of all lanes, once no share is left to take.
    pub(crate) fn end(self) -> Zeroizing<Vec<F128>> {
        self.results
    }
}
