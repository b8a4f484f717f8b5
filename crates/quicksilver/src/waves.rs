//! A function on many lanes at a time.
//!
//! [`Backend::map`](volery_circuit::Backend::map) calls one function on lanes that do not depend on each other.
//! Some lanes together are a **wave**. Each walk over it is a task that owns its shares, for whichever thread is
//! free.
//!
//! Over F_2 the prover walks a wave twice: it evaluates the function on all its lanes in the clear, a bit for
//! each lane of a word, which gives the corrections; once the challenge to them is drawn, it walks the wave under
//! MACs, and adds each product to the sums as it makes it. So of a product nothing is kept. Over any other field
//! it walks once, under MACs, and keeps what a product adds to the check until the challenge, as it does of gates:
//! that may be a coin, for which it does not wait. The verifier walks once, under keys, with the challenge.
//!
//! Nothing else changes: messages, challenges, and the coefficient of each share are those of [`crate`]. What a
//! wave decides is the order of commitments, and which blocks of the VOLE are one batch.
//!
//! # The order of commitments
//! Both parties compute it from the function and the number of lanes ([`Turns`]). At most [`ACTIVE`] waves are
//! under way. The next share is for the wave at the front, whose function's commitments follow each other, each
//! on a share for each lane: commitment c of lane l of a wave of w lanes takes its share c·w + l. Where a block
//! of the VOLE ends, and the **turn** has lasted for [`TURN`] shares, fewer with polynomials, the wave goes to the back, so that the next
//! turn is on another one; where a wave ends, the next goes on with its turn. A block may end between two lanes.
//!
//! # The order of messages
//! The thread that speaks to the peer does nothing else. It draws some turns ([`Vole::ahead`]), whose shares are
//! expanded by tasks; and for each turn in order, the prover sends the corrections that its walk has come to, both
//! draw the challenge, hand out the walk that takes it, and draw one turn more. So the messages of the VOLE for a turn
//! come before the corrections of those ahead of it, whatever the number of threads. Where the VOLE can
//! ([`Early`]), a prover with further threads draws more turns, and begins their walks: their messages wait until
//! then. So one whose witness ends too soon stops the sooner, the more threads it has.
//!
//! Where challenges are coins, turns end where batches do by the number of blocks
//! ([`BLOCKS`](crate::arithmetic::BLOCKS)), so that a map has no batches, and no coins, that calls have not: the open
//! batch goes on in the first turn, and the last one behind the map, also where that ends with a block. A coin is sent once all corrections of its
//! batch have arrived, behind the messages of the blocks that were due by then, and is received there.
//!
//! # Waves of as many lanes as were agreed on
//! Where a party has a device, or a wish, the handshake agrees on the most lanes of a wave ([`WideWaves`]). Then a map that is
//! large enough and consists of what devices know ([`KNOWN`], [`KNOWN_OF_ELEMENTS`]) takes waves of so many, fewer where they
//! would take much memory or have many polynomials at a time, of which [`ACTIVE_WIDE`] are under way; a turn has
//! [`TURN_OF_LANES`] shares for each lane, and [`AHEAD_WIDE`] turns are drawn ahead of the one whose corrections are sent.
//! Nothing else is another: a turn is a batch, whose challenge comes behind its corrections; its products are numbered by its
//! shares. So who walks, a processor's tasks or a device, shows in no byte.
//!
//! Where challenges are coins, these turns go by shares, too, and not by the number of blocks: one that is whole ends the
//! batch, which has at least as many blocks as any, and one that the map's end cuts short goes on behind the map. So there
//! are no more batches than calls have. The prover keeps what products add to the check for as long as the VOLE's lag and
//! two turns last.
//!
//! # Why it proves the same
//! - A **turn** is a batch, or a part of one: the prover sends the corrections of all its blocks, and then both draw
//!   the batch's challenge. Product i of the batch gets coefficient χ_i, as [`crate::slots`] gives it where products
//!   wait. What is summed is a function of shares, corrections and χ: a prover has nothing to choose between two walks. Shares that are drawn ahead
//!   are fixed before corrections that do not depend on them; whatever a prover makes of that, the corrections
//!   of a batch, and its shares, are there before its challenge. The sums run on as over all batches (7a), and
//!   the bound of [`crate`] counts a batch for each block.
//! - Where the map begins or ends **within a block**, its products go into slots, as those of gates do, and the
//!   batch ends as ever: the results of a map may be used in the batch in which it ends. Tasks walk over the pieces of
//!   the block, of which none waits for another.
//! - A witness element or hinted value is the product of itself and one, whose check is m + w·Δ = k, whatever
//!   was committed to: both parties leave it out in turns, where its coefficient is used for nothing.
//! - What is asserted in turns is digested turn by turn, and these digests are absorbed in the order of turns,
//!   among the MACs or keys of what is asserted elsewhere; in a turn the order is by pieces, steps and lanes.
//!   Both know it.
//! - The bound of [`crate::arithmetic`] counts the batches of calls, of which a map has no more.
//!
//! # Polynomials
//! A function may assert products of wires, and have vectors ([`crate::polynomial`]). They commit to nothing, so that it
//! does not matter when they are computed, once their wires are there: those that depend on each other are one step
//! ([`volery_circuit::stream::straight`]), which is computed lane by lane. The value of a vector that is committed
//! to is a hint, and the difference of both a polynomial that is to be zero.
//!
//! - What a walk over a turn comes to is of the turn's batch. It has coefficients from the second seed of the batch's
//!   challenge, in the order of pieces, steps, lanes, and lanes of a vector, and those of gates before the map and behind
//!   it have those before and behind. All wires in it were committed to before, since a step comes behind all that it
//!   reads: in the batch, or in one that has ended.
//! - A share takes so much longer with them that a turn has [`TURN_OF_POLYNOMIALS`] shares: maps may have few blocks.
//! - In a piece of a block that is no turn they are of the batch that is open, as those of gates are.
//! - They end no batch early, since a block is used up by the map. Where challenges are coins the prover keeps
//!   their coefficients until these, and in a block that is no turn both keep polynomials: so a function with
//!   too many for its commitments, or between two of them, or with vectors that are too large, is called. The
//!   bound counts an early end for so many coefficients, those of a map among them.
//!
//! A function that commits to nothing takes no share, and is none of these: see [`crate::polynomial`].
//!
//! Each share is used once, and each is used: no block is left before its end, so that traffic is that of as many
//! calls. An assertion that fails is found by the prover's walk under MACs; its name is that of the first in the order of
//! calls, and the prover goes on as ever. Neither walk depends on a value but by what hints compute.

mod clear;
mod device;
mod proving;
#[cfg(test)]
mod tests;
mod wave;

pub(crate) use clear::Clear;
pub(crate) use device::{BitSide, ElementsOnDevice, OnDevice, Taken, WalkedOver};
pub(crate) use proving::Proving;
pub(crate) use wave::Wave;
pub(crate) use wave::{Check, Folded, Walker};
use wave::{Failed, Fold, Given};

use crate::polynomial::{self, KeySums, KeyVectors, Lower, Sums, TagVectors, Vector};
use crate::slots::{Memory, Slots};
use core::marker::PhantomData;
use core::ops::Range;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task, Tasks};
use volery_circuit::lane_name;
use volery_circuit::stream::straight::{Extent, Kind, Lines, StraightLine};
use volery_circuit::stream::{Arithmetic, Map};
use volery_primitives::arch::{Arch, add_rows};
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, F128, Field, MacField};
use volery_proof::device::Device;
use volery_proof::openings::Openings;
use volery_proof::verdict::Gates;
use volery_vole::macs::{BitMacs, FieldMacs, Macs, Values};
use volery_vole::vole::device::Tile;
#[cfg(doc)]
use volery_vole::vole::{Early, Vole};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// The waves under way at a time. Each has its wires, and one task at most.
const ACTIVE: usize = 16;

/// The lanes of a wave: those of a word at most, unless its function has few commitments.
const LANES: usize = 64;

/// The shares of a wave for which it is worth a turn, and the most lanes that it gets for that.
const WORTH: u64 = 1 << 12;
const MOST_LANES: usize = 1 << 10;

/// The shares of a map, and its lanes, for which it is worth waves of as many lanes as were agreed on: an eighth of
/// these, since on fewer a device takes as long as on these, and one wave is work for one thread.
const WORTH_WIDE: u64 = 1 << 17;
const LEAST_WIDE: usize = 256;
const FILLED: usize = 8;

/// The steps that devices know, over F_2 and over 2^61 − 1.
const KNOWN: [Kind; 5] = [Kind::Add, Kind::Constant, Kind::Mul, Kind::Witness, Kind::Assert];
const KNOWN_OF_ELEMENTS: [Kind; 7] =
    [Kind::Add, Kind::Scale, Kind::Constant, Kind::Mul, Kind::Witness, Kind::Assert, Kind::AssertProduct];

/// The most coefficients of polynomials of such a wave between two of its commitments.
const MOST_COEFFICIENTS_WIDE: u64 = 1 << 22;

/// The waves of so many lanes that are under way at a time, the most bytes of each, and the turns that are drawn ahead of
/// the one whose corrections are sent.
const ACTIVE_WIDE: usize = 4;
const MOST_BYTES_WIDE: u64 = 1 << 29;
/// The bytes where a party may have been given its lanes by a peer that has a device: as many in all as without.
const MOST_BYTES_UNASKED: u64 = ACTIVE as u64 * MOST_BYTES / ACTIVE_WIDE as u64;
/// The commitments to each lane of a wave in a turn.
const TURN_OF_LANES: usize = 32;
const AHEAD_WIDE: usize = 2;

/// The shares that a turn takes at least, unless its waves end: so many that fetching the wires of the next
/// wave costs little.
const TURN: usize = 1 << 15;

/// The shares that it takes where a function has polynomials, which take more time than the rest.
const TURN_OF_POLYNOMIALS: usize = 1 << 13;

/// The most bytes that a prover holds of a wave, which are to stay in the second-level cache. What has more on its
/// fewest lanes is called.
const MOST_BYTES: u64 = 1 << 20;
const FEWEST_LANES: usize = 8;

/// The most bytes that it holds for each share: some turns are under way, each with all of its waves.
const MOST_BYTES_A_SHARE: u64 = 128;

/// The most coefficients of polynomials for each share: where challenges are coins the prover keeps them for as long.
const MOST_COEFFICIENTS_A_SHARE: u64 = 16;

/// The most coefficients of a wave between two of its commitments, which are of one turn.
const MOST_COEFFICIENTS: u64 = 1 << 19;

/// The most coefficients of a vector, which each thread has of its own.
const LARGEST_VECTOR: u64 = 1 << 16;

/// The bytes that a prover holds of a lane, as they are stored: its wires, and its elements of the witness. Both
/// parties go by these.
fn bytes_of_lane<M: Macs>(line: &StraightLine<M::F>) -> u64 {
    (line.slots * M::TAG) as u64 + line.witness * M::F::BYTES as u64
}

/// Whether a function can be walked so.
fn fits<M: Macs>(line: &StraightLine<M::F>) -> bool {
    let Extent { coefficients, largest, most, .. } = line.extent;
    is_bounded(bytes_of_lane::<M>(line), line.commitments)
        && coefficients <= MOST_COEFFICIENTS_A_SHARE * line.commitments
        && most * FEWEST_LANES as u64 <= MOST_COEFFICIENTS
        && largest <= LARGEST_VECTOR
}

/// Whether lanes of so many bytes and commitments take little enough memory.
fn is_bounded(bytes: u64, commitments: u64) -> bool {
    commitments > 0 && bytes * FEWEST_LANES as u64 <= MOST_BYTES && bytes <= MOST_BYTES_A_SHARE * commitments
}

/// The lanes of a wave of this function.
fn width<M: Macs>(line: &StraightLine<M::F>, lanes: usize) -> usize {
    let mut width = lanes.div_ceil(ACTIVE).next_multiple_of(FEWEST_LANES).min(LANES);
    if width == LANES {
        while width < MOST_LANES && width as u64 * line.commitments < WORTH {
            width *= 2;
        }
    }
    let is_large = |width: u64| {
        width * bytes_of_lane::<M>(line) > MOST_BYTES || width * line.extent.most > MOST_COEFFICIENTS
    };
    while width > FEWEST_LANES && is_large(width as u64) {
        width /= 2;
    }
    width
}

/// Waves of as many lanes as the parties have agreed on.
pub struct WideWaves {
    pub(crate) lanes: usize,
    /// The device that walks over them at this party.
    pub(crate) device: Option<Arc<dyn Device>>,
}

impl WideWaves {
    /// The lanes of a wave, where a map is worth waves of so many, and consists of what devices know.
    fn width<M: Macs>(&self, line: &StraightLine<M::F>, lanes: usize) -> Option<usize> {
        let known = if M::F::BITS == 1 { &KNOWN[..] } else { &KNOWN_OF_ELEMENTS };
        if lanes < LEAST_WIDE.max(self.lanes / FILLED)
            || (lanes as u64) * line.commitments < WORTH_WIDE
            || !line.is_of(known)
        {
            return None;
        }
        // What is asserted in a turn is kept until its challenge.
        let asserted = line.asserted * M::TAG as u64;
        if asserted > MOST_BYTES_A_SHARE * line.commitments {
            return None;
        }
        let bytes = bytes_of_lane::<M>(line) + asserted;
        let most = if self.lanes > MOST_LANES { MOST_BYTES_WIDE } else { MOST_BYTES_UNASKED };
        let mut width = self.lanes.min(lanes.next_power_of_two());
        let is_large = |width: u64| width * bytes > most || width * line.extent.most > MOST_COEFFICIENTS_WIDE;
        while is_large(width as u64) {
            width /= 2;
        }
        (width >= LANES).then_some(width)
    }
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
    /// The shares of the turn at hand, and those that it takes at least.
    taken: usize,
    least: usize,
    /// The turns that are drawn ahead, where these do not go by shares.
    ahead: Option<usize>,
    /// Whether batches go by their number of blocks, and turns with them. Known once a block is drawn.
    end_with_batches: bool,
}

impl Turns {
    fn new(lanes: usize, width: usize, (commitments, least, under_way): (u64, usize, usize)) -> Self {
        let waiting = 0..lanes.div_ceil(width);
        let left = lanes as u64 * commitments;
        let active = VecDeque::new();
        let mut turns = Self {
            ahead: None,
            active,
            waiting,
            lanes,
            width,
            commitments,
            left,
            taken: 0,
            least,
            end_with_batches: false,
        };
        (0..under_way).for_each(|_| turns.begin());
        turns
    }

    /// Whether waves have as many lanes as were agreed on.
    fn are_wide(&self) -> bool {
        self.ahead.is_some()
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

    /// Turns to the next wave at the end of a block with so many shares, if it is time: where a batch ends with
    /// the block, or, where that is not given, by the length of the turn. Says whether the turn has ended.
    fn turn(&mut self, shares: usize, ends_batch: Option<bool>) -> bool {
        self.taken += shares;
        self.end_with_batches = ends_batch.is_some();
        if !ends_batch.unwrap_or(self.taken >= self.least) && self.left > 0 {
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

/// A turn whose blocks were drawn early.
struct Unsent {
    blocks: usize,
    shares: usize,
}

/// The rows of a block.
pub(crate) type Rows<R> = Zeroizing<Vec<R>>;

/// A block that is drawn, and is expanded by a task.
pub(crate) struct Drawn<R: DefaultIsZeroes> {
    pub(crate) shares: usize,
    pub(crate) rows: Fresh<R>,
    /// Whether a batch ends with it, where batches go by their number of blocks. Elsewhere each turn is one.
    pub(crate) ends_batch: Option<bool>,
}

/// The rows of a block that is drawn: a task's to make, or a device's.
pub(crate) enum Fresh<R: DefaultIsZeroes> {
    Task(Task<Rows<R>>),
    Tile(Tile),
}

impl<R: DefaultIsZeroes> Fresh<R> {
    fn task(self) -> Task<Rows<R>> {
        let Self::Task(task) = self else { unreachable!("a device has it") };
        task
    }

    fn tile(self) -> Tile {
        let Self::Tile(tile) = self else { unreachable!("a task has it") };
        tile
    }
}

/// Consecutive blocks whose products are of one batch.
pub(crate) struct Turn<R> {
    /// The pieces of each block, with its rows.
    pub(crate) blocks: Vec<(Vec<Piece>, R)>,
    /// The shares of all blocks.
    pub(crate) shares: usize,
    /// Whether the batch ends with them.
    pub(crate) ends_batch: bool,
}

impl<R> Turn<R> {
    /// The turn with something else for each block's rows.
    fn map<T>(self, change: impl Fn(R) -> T) -> Turn<T> {
        let blocks = self.blocks.into_iter().map(|(pieces, rows)| (pieces, change(rows))).collect();
        Turn { blocks, shares: self.shares, ends_batch: self.ends_batch }
    }

    /// The waves that it goes on with, in order: from one to the next, and never back.
    pub(crate) fn waves(&self) -> Vec<usize> {
        let mut waves: Vec<_> =
            self.blocks.iter().flat_map(|(pieces, _)| pieces).map(|piece| piece.wave).collect();
        waves.dedup();
        waves
    }

    /// The shares of each block.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().filter_map(|(pieces, _)| pieces.last()).map(|piece| piece.shares.end)
    }
}

/// Values under MACs that maps are walked over.
pub(crate) trait Waved: Macs {
    /// Puts the sums of the `count` tags from `a` and from `b` on at `out`, which may be one of these two, and
    /// overlaps with neither else.
    fn add_tags(arch: Arch, tags: &mut [Self::Tag], places: [usize; 3], count: usize);
    /// Puts sums of keys in their place, as [`Waved::add_tags`] does of tags.
    fn add_keys(arch: Arch, keys: &mut [Self::E], places: [usize; 3], count: usize);
}

impl Waved for BitMacs {
    fn add_tags(arch: Arch, tags: &mut [F128], places: [usize; 3], count: usize) {
        add_rows(arch, tags, places, count);
    }
    fn add_keys(arch: Arch, keys: &mut [F128], places: [usize; 3], count: usize) {
        add_rows(arch, keys, places, count);
    }
}

impl<B: Field, E: MacField<B>> Waved for FieldMacs<B, E> {
    fn add_tags(arch: Arch, tags: &mut [E::Tag], places: [usize; 3], count: usize) {
        E::add_tags(arch, tags, places, count);
    }
    fn add_keys(arch: Arch, keys: &mut [E], places: [usize; 3], count: usize) {
        E::add_keys(arch, keys, places, count);
    }
}

/// How a party holds the wires of a wave, and the polynomials in them.
pub(crate) trait Side: Send + Sync + 'static {
    /// The MACs.
    type M: Macs;
    /// A wire.
    type Row: DefaultIsZeroes + Send + Sync + 'static;
    /// The arithmetic of vectors.
    type Arithmetic: Arithmetic<F = ValueOf<Self>, Wire = Self::Row, Vector: Send> + Send + 'static;
    /// Polynomials that are to be zero.
    type Vanishing: Send + 'static;
    /// Sums of such, for each degree by itself.
    type Sums: Default + Send + 'static;

    /// The share of the public value one.
    fn one(&self) -> Self::Row;
    /// A wire times a public factor.
    fn scale(row: Self::Row, factor: ValueOf<Self>) -> Self::Row;
    /// Puts sums of wires in their place, as [`Waved::add_tags`] does.
    fn add(arch: Arch, wires: &mut [Self::Row], places: [usize; 3], count: usize);
    /// The element by which a wire is opened as zero.
    fn opened(row: Self::Row) -> WideOf<Self>;
    /// The first of some wires that does not carry zero, as far as that is known.
    fn nonzero(_: &[Self::Row]) -> Option<usize> {
        None
    }
    /// The first of some products that is another, as far as that is known.
    fn unequal(_: [&[Self::Row]; 3]) -> Option<usize> {
        None
    }

    /// Arithmetic with buffers of its own.
    fn arithmetic(&self, arch: Arch) -> Self::Arithmetic;
    /// The lanes of a vector as polynomials that are to be zero, and the first one that is not, with how many there
    /// are, as far as that is known.
    fn vanishing(
        by: &Self::Arithmetic,
        vector: <Self::Arithmetic as Arithmetic>::Vector,
    ) -> (Self::Vanishing, Option<(usize, usize)>);
    /// The polynomials a·b − c of columns of wires.
    fn less(by: &mut Self::Arithmetic, columns: [&[Self::Row]; 3]) -> Self::Vanishing;
    /// Adds polynomials to sums, with coefficients from `fill`.
    fn weigh(
        arch: Arch,
        vanishing: &Self::Vanishing,
        fill: &mut dyn FnMut(&mut [WideOf<Self>]),
        sums: &mut Self::Sums,
    );
}

/// The value of a wire, and the elements of its MAC.
pub(crate) type ValueOf<S> = <<S as Side>::M as Values>::F;
pub(crate) type WideOf<S> = <<S as Side>::M as Values>::E;

/// The prover's side: values with their MACs.
pub(crate) struct Tags<M>(PhantomData<fn() -> M>);

impl<M> Default for Tags<M> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// The verifier's side, with the key of one, and Δ.
pub(crate) struct Keys<M: Macs> {
    one: Arc<Zeroizing<M::E>>,
    delta: Arc<Zeroizing<M::E>>,
}

impl<M: Macs> Keys<M> {
    pub(crate) fn under(delta: &M::Delta) -> Self {
        let [one, delta] = [M::one(delta), M::delta(delta)].map(|key| Arc::new(Zeroizing::new(key)));
        Self { one, delta }
    }
}

impl<M: Waved<Tag: Sync>> Side for Tags<M> {
    type M = M;
    type Row = M::Tag;
    type Arithmetic = TagVectors<M>;
    type Vanishing = Lower<M::E>;
    type Sums = Sums<M::E>;

    fn one(&self) -> M::Tag {
        M::constant(M::F::ONE)
    }
    #[inline(always)]
    fn scale(row: M::Tag, factor: M::F) -> M::Tag {
        M::scale(row, factor)
    }
    fn add(arch: Arch, wires: &mut [M::Tag], places: [usize; 3], count: usize) {
        M::add_tags(arch, wires, places, count);
    }
    #[inline(always)]
    fn opened(row: M::Tag) -> M::E {
        M::mac(row)
    }
    // A prover that has no witness ends without a proof, and says so.
    fn nonzero(wires: &[M::Tag]) -> Option<usize> {
        wires.iter().position(|wire| verdict(M::value(*wire) != M::F::ZERO))
    }
    fn unequal([a, b, c]: [&[M::Tag]; 3]) -> Option<usize> {
        let differs = |lane: usize| {
            let [a, b, c] = [a, b, c].map(|column| M::value(column[lane]));
            verdict(a * b != c)
        };
        (0..c.len()).find(|lane| differs(*lane))
    }

    fn arithmetic(&self, arch: Arch) -> TagVectors<M> {
        TagVectors::new(arch)
    }
    fn vanishing(_: &TagVectors<M>, vector: Vector<M::F, M::E>) -> (Lower<M::E>, Option<(usize, usize)>) {
        let place = vector.nonzero().map(|lane| (lane, vector.values().len()));
        (vector.into_lower(), place)
    }
    fn less(by: &mut TagVectors<M>, [a, b, c]: [&[M::Tag]; 3]) -> Lower<M::E> {
        let [a, b] = [a, b].map(|column| by.vector(column));
        let product = by.product(&a, &b).expect("a product of degree two");
        product.into_lower_minus(c.iter().map(|wire| M::mac(*wire)))
    }
    fn weigh(arch: Arch, vanishing: &Lower<M::E>, fill: &mut dyn FnMut(&mut [M::E]), sums: &mut Sums<M::E>) {
        sums.weigh::<M::F>(arch, vanishing, fill);
    }
}

impl<M: Waved> Side for Keys<M> {
    type M = M;
    type Row = M::E;
    type Arithmetic = KeyVectors<M>;
    type Vanishing = polynomial::Keys<M::E>;
    type Sums = KeySums<M::E>;

    fn one(&self) -> M::E {
        **self.one
    }
    #[inline(always)]
    fn scale(row: M::E, factor: M::F) -> M::E {
        row.scale(factor)
    }
    fn add(arch: Arch, wires: &mut [M::E], places: [usize; 3], count: usize) {
        M::add_keys(arch, wires, places, count);
    }
    #[inline(always)]
    fn opened(row: M::E) -> M::E {
        row
    }

    fn arithmetic(&self, arch: Arch) -> KeyVectors<M> {
        KeyVectors::new(arch, self.delta.clone())
    }
    fn vanishing(
        by: &KeyVectors<M>,
        vector: polynomial::Keys<M::E>,
    ) -> (polynomial::Keys<M::E>, Option<(usize, usize)>) {
        (vector.raised(**by.delta), None)
    }
    fn less(by: &mut KeyVectors<M>, [a, b, c]: [&[M::E]; 3]) -> polynomial::Keys<M::E> {
        let [a, b] = [a, b].map(|column| by.vector(column));
        let product = by.product(&a, &b).expect("a product of degree two");
        product.minus(**by.delta, c.iter().copied())
    }
    fn weigh(
        arch: Arch,
        vanishing: &polynomial::Keys<M::E>,
        fill: &mut dyn FnMut(&mut [M::E]),
        sums: &mut KeySums<M::E>,
    ) {
        sums.weigh::<M::F>(arch, vanishing, fill);
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

    /// Takes all waves, of which no task has any.
    pub(crate) fn take_all(&mut self) -> Vec<(usize, W)> {
        let waves = core::mem::take(&mut self.0).into_iter();
        waves.map(|(number, wave)| (number, wave.expect("a wave that no task has"))).collect()
    }

    /// Puts a wave back, unless it has ended.
    pub(crate) fn put(&mut self, number: usize, wave: Option<W>) {
        match wave {
            Some(wave) => self.0.insert(number, Some(wave)),
            None => self.0.remove(&number),
        };
    }
}

/// The result of a walk with a challenge: the waves, further on; the products, and their sums; those of polynomials;
/// the wires that were asserted; and memory that is free again.
pub(crate) struct Done<S: Side> {
    waves: Vec<(usize, Wave<S>)>,
    pub(crate) products: u64,
    pub(crate) folded: Folded<S>,
    rows: Vec<Rows<S::Row>>,
    walker: Walker<S>,
    /// Whether its batch goes on behind the map.
    pub(crate) goes_on: bool,
}

/// The sums of some products under some coefficients, of a prover or of a verifier. The last argument is memory.
pub(crate) type SumsOf<S> =
    fn(Arch, &[WideOf<S>], [&[<S as Side>::Row]; 3], &mut Memory<<S as Side>::Row>) -> (WideOf<S>, WideOf<S>);

/// The next coefficients of a batch, those of products an even number of them; those of polynomials are cut alike by
/// both parties.
pub(crate) type Fill<E> = Box<dyn FnMut(&mut [E]) + Send>;

/// The functions that a party has mapped, and its memory for maps.
pub(crate) struct Maps<S: Side> {
    lines: Lines<ValueOf<S>>,
    free: Free<S>,
    /// The waves that were agreed on, if any were.
    pub(crate) wide: Option<WideWaves>,
}

/// Memory for maps that is free.
struct Free<S: Side> {
    /// The rows of blocks, and the wires of waves.
    rows: Vec<Rows<S::Row>>,
    wires: Vec<Rows<S::Row>>,
    walkers: Vec<Walker<S>>,
}

impl<S: Side> Default for Maps<S> {
    fn default() -> Self {
        Self { lines: Lines::default(), free: Free::default(), wide: None }
    }
}

impl<S: Side> Default for Free<S> {
    fn default() -> Self {
        Self { rows: Vec::new(), wires: Vec::new(), walkers: Vec::new() }
    }
}

/// A map under way, as either party walks it under MACs or keys.
pub(crate) struct Mapping<'m, S: Side> {
    map: Map<'m, ValueOf<S>, S::Row>,
    pub(crate) line: Arc<StraightLine<ValueOf<S>>>,
    turns: Turns,
    /// The turns that were drawn, and not begun.
    drawn: VecDeque<Turn<Fresh<S::Row>>>,
    /// The turns that were drawn, and whose corrections have not passed the link. One is without shares, where the
    /// map ends in its first block.
    ahead: usize,
    /// The last of them, for which nothing was sent yet.
    unsent: VecDeque<Unsent>,
    /// The block in which the map ends, once it is drawn.
    last: Option<Fresh<S::Row>>,
    places: Places<Wave<S>>,
    tasks: Tasks<Done<S>>,
    /// The shares that were walked over, or whose walk was handed out.
    walked: u64,
    results: Zeroizing<Vec<S::Row>>,
    free: Free<S>,
    /// The first assertion that has failed in the order of calls, as far as that is known.
    failed: Option<Failed>,
    side: Arc<S>,
    /// The device that walks over turns, if one does.
    device: Option<Arc<dyn Device>>,
}

impl<'m, S: Side> Mapping<'m, S> {
    /// Begins a map, if its function can be walked so.
    pub(crate) fn begin(maps: &mut Maps<S>, map: Map<'m, ValueOf<S>, S::Row>, side: S) -> Option<Self> {
        let line = if map.lanes > 1 { maps.lines.find(map.function, fits::<S::M>)? } else { return None };
        let wide = maps.wide.as_ref();
        let wide = wide.and_then(|wide| Some((wide.width::<S::M>(&line, map.lanes)?, wide.device.clone())));
        let (turns, device) = match wide {
            Some((width, device)) => {
                let least = TURN.max(TURN_OF_LANES * width);
                let turns = Turns::new(map.lanes, width, (line.commitments, least, ACTIVE_WIDE));
                (Turns { ahead: Some(AHEAD_WIDE), ..turns }, device)
            }
            None => {
                let least = if line.extent.count > 0 { TURN_OF_POLYNOMIALS } else { TURN };
                let width = width::<S::M>(&line, map.lanes);
                (Turns::new(map.lanes, width, (line.commitments, least, ACTIVE)), None)
            }
        };
        let places = Places::default();
        let results = Zeroizing::new(vec![S::Row::default(); line.results.len() * map.lanes]);
        Some(Self {
            map,
            line,
            turns,
            drawn: VecDeque::new(),
            ahead: 0,
            unsent: VecDeque::new(),
            last: None,
            places,
            tasks: Tasks::default(),
            walked: 0,
            results,
            // It comes back at the end.
            free: core::mem::take(&mut maps.free),
            failed: None,
            side: Arc::new(side),
            device,
        })
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

    /// Whether all of its shares were walked over, or are about to be.
    pub(crate) fn is_walked(&self) -> bool {
        self.walked == self.map.lanes as u64 * self.line.commitments
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
        gates.assert += lanes * self.line.asserted;
        gates.polynomials += lanes * self.line.extent.count;
        gates.degree = gates.degree.max(self.line.extent.degree);
    }

    /// The arguments of a wave, column by column.
    pub(crate) fn arguments(&self, wave: usize) -> impl Iterator<Item = &[S::Row]> {
        let lanes = self.lanes(wave);
        self.map.arguments.chunks_exact(self.map.lanes).map(move |column| &column[lanes.clone()])
    }

    /// The name of the first assertion that has failed in the order of calls, if one is known to.
    pub(crate) fn failure(&self) -> Option<String> {
        let Failed { lane, number, place } = self.failed?;
        let name = (self.map.name)(lane as u64 * self.line.assertions + u64::from(number));
        Some(place.map_or(name.clone(), |(lane, lanes)| lane_name(&name, lane, lanes)))
    }

    /// Takes notice of an assertion that has failed in a wave, if one has.
    pub(crate) fn note(&mut self, number: usize, wave: &Wave<S>) {
        let first = self.lanes(number).start;
        let failed = wave.failed().map(|failed| Failed { lane: first + failed.lane, ..failed });
        self.failed = self.failed.into_iter().chain(failed).min();
    }

    /// The turns that so many shares come to.
    fn turns_of(&self, shares: usize) -> usize {
        let by_shares = || shares.div_ceil(if self.turns.end_with_batches { TURN } else { self.turns.least });
        self.turns.ahead.unwrap_or_else(by_shares)
    }

    /// The blocks that were drawn early, and whose messages are due: those of turns of `ahead` shares behind the one
    /// whose corrections are the next.
    pub(crate) fn due(&mut self, ahead: usize) -> usize {
        let mut due = 0;
        while self.ahead - self.unsent.len() < self.turns_of(ahead)
            && let Some(turn) = self.unsent.pop_front()
        {
            due += turn.blocks;
        }
        due
    }

    /// The blocks that were drawn early, and whose messages are not due.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent.iter().map(|turn| turn.blocks).sum()
    }

    /// Draws blocks by `draw`, which gets memory, until there are turns of `ahead` shares, or the map ends in a block.
    /// The messages of those that were drawn early are due before.
    pub(crate) fn draw(
        &mut self,
        ahead: usize,
        mut draw: impl FnMut(Rows<S::Row>) -> Result<Drawn<S::Row>>,
    ) -> Result<()> {
        while self.unsent.is_empty() && self.ahead < self.turns_of(ahead) && !self.is_drawn() {
            self.draw_turn(&mut draw)?;
        }
        Ok(())
    }

    /// Draws blocks whose messages are sent when they are due, until there are `most` shares of such, or a turn
    /// more.
    pub(crate) fn draw_early(
        &mut self,
        most: usize,
        mut draw: impl FnMut(Rows<S::Row>) -> Result<Drawn<S::Row>>,
    ) -> Result<()> {
        while self.unsent.iter().map(|turn| turn.shares).sum::<usize>() < most && !self.is_drawn() {
            let turn = self.draw_turn(&mut draw)?;
            self.unsent.push_back(turn);
        }
        Ok(())
    }

    /// Whether a device walks over turns.
    pub(crate) fn is_on_device(&self) -> bool {
        self.device.is_some()
    }

    /// Whether all blocks are drawn.
    fn is_drawn(&self) -> bool {
        self.left() == 0 || self.last.is_some()
    }

    /// Draws the next turn. Where the map ends in a block, that is drawn with the last one.
    fn draw_turn(&mut self, draw: &mut impl FnMut(Rows<S::Row>) -> Result<Drawn<S::Row>>) -> Result<Unsent> {
        let mut turn = Turn { blocks: Vec::new(), shares: 0, ends_batch: true };
        loop {
            let Drawn { shares, rows, ends_batch } = draw(self.free.rows.pop().unwrap_or_default())?;
            let ends_batch = ends_batch.filter(|_| !self.turns.are_wide());
            if self.left() < shares as u64 {
                self.last = Some(rows);
                break;
            }
            turn.blocks.push((self.turns.pieces(shares), rows));
            turn.shares += shares;
            // A turn that is cut short by the map's end is no batch of its own: there would be more than calls have.
            let is_whole = !self.turns.are_wide() || turn.shares >= self.turns.least;
            turn.ends_batch = ends_batch.unwrap_or(is_whole);
            if self.turns.turn(shares, ends_batch) {
                break;
            }
        }
        self.ahead += 1;
        let blocks = turn.blocks.len() + usize::from(self.last.is_some());
        let unsent = Unsent { blocks, shares: turn.shares };
        self.drawn.extend(Some(turn).filter(|turn| turn.shares > 0));
        Ok(unsent)
    }

    /// Says that the corrections of a turn have passed the link.
    pub(crate) fn pass(&mut self) {
        self.ahead -= 1;
    }

    /// Sends the corrections of a turn at once, where the walks of both parties over it take long.
    pub(crate) fn hand_over(&self, channel: &mut Channel) -> Result<()> {
        if self.line.extent.count > 0 { channel.dispatch() } else { Ok(()) }
    }

    /// The next turn that was drawn and not begun, if `may_begin` says so of its waves.
    pub(crate) fn next_turn_if(
        &mut self,
        may_begin: impl FnOnce(&[usize]) -> bool,
    ) -> Option<Turn<Task<Rows<S::Row>>>> {
        let begins = self.drawn.front().is_some_and(|turn| may_begin(&turn.waves()));
        if begins { self.drawn.pop_front().map(|turn| turn.map(Fresh::task)) } else { None }
    }

    /// The next turn that was drawn and not begun, for the device.
    pub(crate) fn next_turn_on_device(&mut self) -> Option<Turn<Tile>> {
        self.drawn.pop_front().map(|turn| turn.map(Fresh::tile))
    }

    /// The block in which the map ends, where it was drawn. `expand` makes its rows where a device would have.
    pub(crate) fn last_block(&mut self, expand: impl FnOnce() -> Rows<S::Row>) -> Option<Rows<S::Row>> {
        Some(match self.last.take()? {
            Fresh::Task(task) => task.wait(),
            Fresh::Tile(_) => expand(),
        })
    }

    /// Takes a wave to where it is walked. What tasks have done meanwhile goes to `take`, in their order.
    fn take(&mut self, wave: usize, take: &mut impl FnMut(&mut Done<S>)) -> Wave<S> {
        loop {
            match self.places.take(wave) {
                Asked::Here(wave) => return wave,
                Asked::New => return self.new_wave(wave),
                Asked::InTask => {
                    let done = self.tasks.next().expect("a task that has the wave");
                    self.settle(done, take);
                }
            }
        }
    }

    /// A wave at its begin.
    pub(crate) fn new_wave(&mut self, wave: usize) -> Wave<S> {
        let memory = self.free.wires.pop().unwrap_or_default();
        Wave::new(&self.line, self.lanes(wave).len(), memory, self.arguments(wave))
    }

    /// Takes the results of a wave that has come to its end.
    pub(crate) fn finish(&mut self, number: usize, wave: Wave<S>) {
        let lanes = self.lanes(number);
        for (port, column) in self.results.chunks_exact_mut(self.map.lanes).enumerate() {
            column[lanes.clone()].copy_from_slice(wave.wires_on(self.line.results[port]));
        }
        self.free.wires.push(wave.into_wires());
    }

    /// The next walker.
    pub(crate) fn walker(&mut self, arch: Arch) -> Walker<S> {
        self.free.walkers.pop().unwrap_or_else(|| Walker::new(arch, self.side.clone()))
    }

    /// Puts a wave back. Where it has come to its end, its results are those of its lanes.
    fn put(&mut self, number: usize, wave: Wave<S>) {
        self.note(number, &wave);
        if wave.is_done() {
            self.finish(number, wave);
            self.places.put(number, None);
        } else {
            self.places.put(number, Some(wave));
        }
    }

    /// Counts shares that were walked over elsewhere, and takes the memory of their blocks and of who has walked.
    pub(crate) fn take_back(&mut self, shares: usize, rows: Vec<Rows<S::Row>>, walker: Walker<S>) {
        self.walked += shares as u64;
        self.free.rows.extend(rows);
        self.free.walkers.push(walker);
    }

    /// Hands out the walk over a turn, whose products and polynomials have the coefficients that `fill` gives.
    /// `corrected` gives a block's rows, corrected.
    pub(crate) fn hand_out<R: Send + 'static>(
        &mut self,
        (arch, pool, sums): (Arch, &Pool, SumsOf<S>),
        (turn, fill): (Turn<R>, [Fill<WideOf<S>>; 2]),
        mut corrected: impl FnMut(R, S::Row) -> Rows<S::Row> + Send + 'static,
        take: &mut impl FnMut(&mut Done<S>),
    ) {
        let mut waves: Vec<_> =
            turn.waves().into_iter().map(|number| (number, self.take(number, take))).collect();
        self.walked += turn.shares as u64;
        let (mut walker, goes_on) = (self.walker(arch), !turn.ends_batch || self.is_walked());
        self.tasks.push(pool.run(move || {
            let mut fold = Fold::<S>::new(arch, fill, sums);
            let one = Zeroizing::new(walker.one());
            let (mut at, mut all) = (0, Vec::with_capacity(turn.blocks.len()));
            for (pieces, rows) in turn.blocks {
                let mut rows = corrected(rows, *one);
                for Piece { wave, shares } in pieces {
                    at += usize::from(waves[at].0 != wave);
                    waves[at].1.walk(&mut walker, &mut rows[shares], &mut Given, &mut fold);
                }
                all.push(rows);
            }
            Done { waves, products: turn.shares as u64, folded: fold.end(), rows: all, walker, goes_on }
        }));
        let ahead = self.turns.ahead.map_or(pool.ahead(), |ahead| ahead.min(pool.ahead()));
        while let Some(done) = self.tasks.next_beyond(ahead) {
            self.settle(done, take);
        }
    }

    /// Hands out the walk over a piece of a block that is no turn, once all tasks are done. `correct` corrects its rows.
    pub(crate) fn hand_out_piece<T: Send + 'static>(
        &mut self,
        (arch, pool): (Arch, &Pool),
        (number, mut rows): (usize, Rows<S::Row>),
        correct: impl FnOnce(&mut [S::Row]) -> T + Send + 'static,
    ) -> Task<(WalkedPiece<S>, T)> {
        let mut wave = self.take(number, &mut |_| unreachable!("no task is under way"));
        let mut walker = self.walker(arch);
        pool.run(move || {
            let corrected = correct(&mut rows);
            let mut apart = Apart::new(rows.len());
            wave.walk(&mut walker, &mut rows, &mut Given, &mut apart);
            (WalkedPiece { number, wave, walker, apart }, corrected)
        })
    }

    /// Takes what a walk over such a piece has come to.
    pub(crate) fn take_piece(&mut self, walked: WalkedPiece<S>) -> Apart<S> {
        let WalkedPiece { number, wave, walker, apart } = walked;
        self.walked += apart.products.len() as u64;
        self.free.walkers.push(walker);
        self.put(number, wave);
        apart
    }

    fn settle(&mut self, mut done: Done<S>, take: &mut impl FnMut(&mut Done<S>)) {
        take(&mut done);
        self.free.rows.extend(done.rows);
        self.free.walkers.push(done.walker);
        done.waves.into_iter().for_each(|(number, wave)| self.put(number, wave));
    }

    /// Waits for all walks that were handed out.
    pub(crate) fn settle_all(&mut self, take: &mut impl FnMut(&mut Done<S>)) {
        while let Some(done) = self.tasks.next() {
            self.settle(done, take);
        }
    }

    /// The results of all lanes, once no share is left to take. Memory goes back to `maps`.
    pub(crate) fn end(self, maps: &mut Maps<S>) -> Zeroizing<Vec<S::Row>> {
        maps.free = self.free;
        self.results
    }
}

/// A piece of a block that is no turn, and its wave, further on.
pub(crate) struct WalkedPiece<S: Side> {
    number: usize,
    wave: Wave<S>,
    walker: Walker<S>,
    apart: Apart<S>,
}

/// The check of a piece of a block that is no turn: for the slots, the assertions and the polynomials of gates.
pub(crate) struct Apart<S: Side> {
    products: Memory<S::Row>,
    asserted: Vec<Zeroizing<Vec<WideOf<S>>>>,
    vanishing: Vec<S::Vanishing>,
}

impl<S: Side> Apart<S> {
    /// A check of so many commitments.
    pub(crate) fn new(shares: usize) -> Self {
        // What has to move would leave a copy behind.
        let products = Zeroizing::new(Vec::with_capacity(shares));
        Self { products, asserted: Vec::new(), vanishing: Vec::new() }
    }

    /// Puts products into slots, and assertions among those of gates. Gives the polynomials for the batch that is open.
    pub(crate) fn put(self, slots: &mut Slots<S::Row>, asserted: &mut Openings) -> Vec<S::Vanishing> {
        self.products.iter().for_each(|product| *slots.slot() = *product);
        asserted.absorb_each(self.asserted.iter().flat_map(|macs| macs.iter().copied()));
        self.vanishing
    }
}

impl<S: Side> Check<S> for Apart<S> {
    /// Keeps products, each input as the product of itself and one.
    fn committed(&mut self, by: &Walker<S>, factors: Option<[&[S::Row]; 2]>, made: &[S::Row]) {
        let one = by.one();
        self.products.extend(made.iter().enumerate().map(|(i, made)| match factors {
            Some([a, b]) => [a[i], b[i], *made],
            None => [*made, one, *made],
        }));
    }

    fn zeroes(&mut self, wires: &[S::Row]) {
        let macs = wires.iter().map(|wire| S::opened(*wire)).collect::<Vec<_>>();
        self.asserted.push(Zeroizing::new(macs));
    }

    fn products(&mut self, by: &mut Walker<S>, columns: [&[S::Row]; 3]) {
        self.vanishing.push(by.less(columns));
    }

    fn vanish(&mut self, polynomials: S::Vanishing) {
        self.vanishing.push(polynomials);
    }
}
