//! A function on many lanes at a time, over F_2.
//!
//! [`Backend::map`](volery_circuit::Backend::map) calls one function on lanes that do not depend on each other.
//! Some lanes together are a **wave**. A wave is walked twice: first the prover evaluates the function on all
//! its lanes in the clear, a bit for each lane of a word, which gives the corrections; once the challenge to
//! them is drawn, both walk it under MACs or keys, and add each product to the sums as they make it. So of a
//! product nothing is kept, and each walk is a task that owns its shares, for whichever thread is free.
//!
//! Nothing else changes: messages, challenges, and the coefficient of each share are those of [`crate`]. What a
//! wave decides is the order of commitments, and which blocks of the VOLE are one batch.
//!
//! # The order of commitments
//! Both parties compute it from the function and the number of lanes ([`Turns`]). At most [`ACTIVE`] waves are
//! under way. The next share is for the wave at the front, whose function's commitments follow each other, each
//! on a share for each lane: commitment c of lane l of a wave of w lanes takes its share c·w + l. Where a block
//! of the VOLE ends, and the **turn** has lasted for [`TURN`] shares, the wave goes to the back, so that the next
//! turn is on another one; where a wave ends, the next goes on with its turn. A block may end between two lanes.
//!
//! # The order of messages
//! The thread that speaks to the peer does nothing else. It draws some turns ([`Vole::ahead`]), whose shares are
//! expanded by tasks; and for each turn in order, the prover sends the corrections that the first walk has come to, both
//! draw the challenge, hand out the second walk, and draw one turn more. So the messages of the VOLE for a turn
//! come before the corrections of those ahead of it, whatever the number of threads.
//!
//! # Why it proves the same
//! - A **turn** is a batch: the prover sends the corrections of all its blocks, and then both draw the batch's
//!   challenge from the transcript. The second walk of its shares begins after that, and adds product i of the
//!   batch with coefficient χ_i, as [`crate::slots`] does where products wait. What is summed is a function of
//!   shares, corrections and χ: between its walks a prover has nothing to choose. Shares that are drawn ahead
//!   are fixed before corrections that do not depend on them; whatever a prover makes of that, the corrections
//!   of a batch, and its shares, are there before its challenge. The sums run on as over all batches (7a), and
//!   the bound of [`crate`] counts a batch for each block.
//! - Where the map begins or ends **within a block**, its products go into slots, as those of gates do, and the
//!   batch ends as ever: the results of a map may be used in the batch in which it ends.
//! - A witness element or hinted value is the product of itself and one, whose check is m + w·Δ = k, whatever
//!   was committed to: both parties leave it out in turns, where its coefficient is used for nothing.
//! - What is asserted in turns is digested turn by turn, and these digests are absorbed in the order of turns,
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
use wave::{Fold, Wave};

use crate::ASSERTED;
use crate::slots::Slots;
use core::ops::Range;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task, Tasks};
use volery_circuit::stream::Map;
use volery_circuit::stream::straight::{Lines, StraightLine};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::{F2, F128};
use volery_proof::openings::Openings;
use volery_proof::verdict::Gates;
#[cfg(doc)]
use volery_vole::vole::Vole;
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

/// Whether a function can be walked so.
fn fits(line: &StraightLine<F2>) -> bool {
    line.commitments > 0 && line.slots * FEWEST_LANES <= MOST_WIRES
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

/// The rows of a block.
pub(crate) type Rows = Zeroizing<Vec<F128>>;

/// Consecutive blocks whose products are one batch.
pub(crate) struct Turn<R> {
    /// The pieces of each block, with its rows.
    pub(crate) blocks: Vec<(Vec<Piece>, R)>,
    /// The shares of all blocks.
    pub(crate) shares: usize,
}

impl<R> Turn<R> {
    /// The waves that it goes on with, in order: from one to the next, and never back.
    pub(crate) fn waves(&self) -> Vec<usize> {
        let mut waves: Vec<_> =
            self.blocks.iter().flat_map(|(pieces, _)| pieces).map(|piece| piece.wave).collect();
        waves.dedup();
        waves
    }
}

/// The waves under way in one of their walks, by number. Those that have not begun are not among them, nor are
/// those that have ended: a map may have any number of waves.
pub(crate) struct Places<W>(BTreeMap<usize, Option<W>>);

impl<W> Default for Places<W> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

/// A wave that is asked for.
pub(crate) enum Asked<W> {
    /// One that begins.
    New,
    Here(W),
    InTask,
}

impl<W> Places<W> {
    /// Whether a task has this wave.
    pub(crate) fn is_in_task(&self, number: usize) -> bool {
        self.0.get(&number).is_some_and(Option::is_none)
    }

    /// Takes a wave to a task, if none has it.
    pub(crate) fn take(&mut self, number: usize) -> Asked<W> {
        match self.0.insert(number, None) {
            None => Asked::New,
            Some(Some(wave)) => Asked::Here(wave),
            Some(None) => Asked::InTask,
        }
    }

    /// Puts a wave back, unless it has ended.
    pub(crate) fn put(&mut self, number: usize, wave: Option<W>) {
        match wave {
            Some(wave) => self.0.insert(number, Some(wave)),
            None => self.0.remove(&number),
        };
    }
}

/// The result of a second walk: the waves, further on; the products, and their sums; the wires that were
/// asserted; and memory that is free again.
pub(crate) struct Done {
    waves: Vec<(usize, Wave)>,
    pub(crate) products: u64,
    pub(crate) sums: Zeroizing<Vec<F128>>,
    pub(crate) asserted: Box<Openings>,
    rows: Vec<Rows>,
}

/// The sums of some products under some coefficients, of a prover or of a verifier.
pub(crate) type SumsOf = fn(Arch, &[F128], [&[F128]; 3]) -> (F128, F128);

/// A map under way, as either party walks it under MACs or keys.
pub(crate) struct Mapping<'m> {
    map: Map<'m, F2, F128>,
    pub(crate) line: Arc<StraightLine<F2>>,
    turns: Turns,
    /// The turns that were drawn, and not begun.
    drawn: VecDeque<Turn<Task<Rows>>>,
    /// The block in which the map ends, once it is drawn.
    last: Option<Task<Rows>>,
    places: Places<Wave>,
    tasks: Tasks<Done>,
    /// The shares whose second walk was handed out.
    walked: u64,
    results: Zeroizing<Vec<F128>>,
    spare: Vec<Rows>,
    /// The share of the public value one: a verifier's is a secret.
    one: Arc<Zeroizing<F128>>,
}

impl<'m> Mapping<'m> {
    /// Begins a map, if its function can be walked so.
    pub(crate) fn begin(lines: &mut Lines<F2>, map: Map<'m, F2, F128>, one: F128) -> Option<Self> {
        let line = if map.lanes > 1 { lines.find(map.function, fits)? } else { return None };
        let turns = Turns::new(map.lanes, width(&line, map.lanes), line.commitments);
        let places = Places::default();
        let results = Zeroizing::new(vec![F128::default(); line.results.len() * map.lanes]);
        let one = Arc::new(Zeroizing::new(one));
        let (drawn, tasks, spare) = (VecDeque::new(), Tasks::default(), Vec::new());
        Some(Self { map, line, turns, drawn, last: None, places, tasks, walked: 0, results, spare, one })
    }

    /// The shares of blocks that it still takes.
    pub(crate) fn left(&self) -> u64 {
        self.turns.left
    }

    /// The pieces of the next `shares` shares, each for a wave.
    pub(crate) fn pieces(&mut self, shares: usize) -> Vec<Piece> {
        self.turns.pieces(shares)
    }

    /// The lanes of a wave.
    pub(crate) fn lanes(&self, wave: usize) -> Range<usize> {
        self.turns.lanes_of(wave)
    }

    /// The inputs so far, as far as they are spread evenly over the shares.
    pub(crate) fn inputs(&self) -> u64 {
        (u128::from(self.walked) * u128::from(self.line.inputs) / u128::from(self.line.commitments)) as u64
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

    /// Draws blocks, until there are turns of `ahead` shares with the `begun` ones, or the map ends in a block,
    /// which is then the last. `draw` draws one, and may use the memory that it gets.
    pub(crate) fn draw(
        &mut self,
        (ahead, begun): (usize, usize),
        mut draw: impl FnMut(Rows) -> Result<(usize, Task<Rows>)>,
    ) -> Result<()> {
        while begun + self.drawn.len() < ahead.div_ceil(TURN) && self.left() > 0 && self.last.is_none() {
            let mut turn = Turn { blocks: Vec::new(), shares: 0 };
            loop {
                let (shares, rows) = draw(self.spare.pop().unwrap_or_default())?;
                if self.left() < shares as u64 {
                    self.last = Some(rows);
                    break;
                }
                turn.blocks.push((self.turns.pieces(shares), rows));
                turn.shares += shares;
                if self.turns.turn(shares) {
                    break;
                }
            }
            self.drawn.extend(Some(turn).filter(|turn| turn.shares > 0));
        }
        Ok(())
    }

    /// The next turn that was drawn and not begun, if `may_begin` says so of its waves.
    pub(crate) fn next_turn_if(
        &mut self,
        may_begin: impl FnOnce(&[usize]) -> bool,
    ) -> Option<Turn<Task<Rows>>> {
        let begins = self.drawn.front().is_some_and(|turn| may_begin(&turn.waves()));
        if begins { self.drawn.pop_front() } else { None }
    }

    /// The block in which the map ends, where it was drawn.
    pub(crate) fn last_block(&mut self) -> Option<Rows> {
        self.last.take().map(Task::wait)
    }

    /// Takes a wave to where it is walked. What tasks have done meanwhile goes to `take`, in their order.
    fn take(&mut self, wave: usize, take: &mut impl FnMut(&Done)) -> Wave {
        loop {
            match self.places.take(wave) {
                Asked::Here(wave) => return wave,
                Asked::New => return Wave::new(&self.line, self.lanes(wave).len(), self.arguments(wave)),
                Asked::InTask => {
                    let done = self.tasks.next().expect("a task that has the wave");
                    self.settle(done, take);
                }
            }
        }
    }

    /// Puts a wave back. Where it has come to its end, its results are those of its lanes.
    fn put(&mut self, number: usize, wave: Wave) {
        if !wave.is_done() {
            self.places.put(number, Some(wave));
            return;
        }
        let lanes = self.lanes(number);
        for (port, column) in self.results.chunks_exact_mut(self.map.lanes).enumerate() {
            column[lanes.clone()].copy_from_slice(wave.wires_on(self.line.results[port]));
        }
        self.places.put(number, None);
    }

    /// Hands out the second walk over a turn, whose products have the coefficients of `seed`. `corrected` gives a
    /// block's rows, corrected.
    pub(crate) fn hand_out<R: Send + 'static>(
        &mut self,
        (arch, pool, sums): (Arch, &Pool, SumsOf),
        (turn, seed): (Turn<R>, Seed),
        mut corrected: impl FnMut(R, F128) -> Rows + Send + 'static,
        take: &mut impl FnMut(&Done),
    ) {
        let mut waves: Vec<_> =
            turn.waves().into_iter().map(|number| (number, self.take(number, take))).collect();
        self.walked += turn.shares as u64;
        let one = self.one.clone();
        self.tasks.push(pool.run(move || {
            let mut asserted = Box::new(Openings::new(ASSERTED));
            let mut fold = Fold::new(arch, seed, sums);
            let (mut at, mut all) = (0, Vec::with_capacity(turn.blocks.len()));
            for (pieces, rows) in turn.blocks {
                let rows = corrected(rows, **one);
                for Piece { wave, shares } in pieces {
                    at += usize::from(waves[at].0 != wave);
                    let made = |factors: Option<[&[F128]; 2]>, made: &[F128]| fold.add(factors, made);
                    waves[at].1.walk((arch, **one), &rows[shares], made, &mut asserted);
                }
                all.push(rows);
            }
            Done { waves, products: turn.shares as u64, sums: fold.end(), asserted, rows: all }
        }));
        while let Some(done) = self.tasks.next_beyond(pool.ahead()) {
            self.settle(done, take);
        }
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
        self.spare.extend(done.rows);
        done.waves.into_iter().for_each(|(number, wave)| self.put(number, wave));
    }

    /// Waits for all second walks.
    pub(crate) fn settle_all(&mut self, take: &mut impl FnMut(&Done)) {
        while let Some(done) = self.tasks.next() {
            self.settle(done, take);
        }
    }

    /// The results of all lanes, once no share is left to take.
    pub(crate) fn end(self) -> Zeroizing<Vec<F128>> {
        self.results
    }
}
