//! Iterations of one party, each made ready while the one before is drawn from.
//!
//! The thread that draws speaks to the peer; trees are grown, encoded and weighed by [tasks](volery_channel::pool), a
//! bounded number ahead of what is drawn, or behind what was sent. What a task makes depends on its tile
//! alone, and what is sent stays where it is in the stream.

use super::super::device::{Expander, Expanding, Held, Tile};
use super::super::lpn::{Params, TILE};
use super::super::{BoxedVole, Rows, Share, Shares, Vole};
use super::on_device::OnDevice;
use super::{Base, Schedule, Start};
use core::mem;
use std::sync::Arc;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Spare, Task, Tasks};
use volery_primitives::F128;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::Arch;
use zeroize::Zeroizing;

/// The form of a share in long vectors.
type Row<P> = <<P as End>::Share as Share>::Row;

/// An identifier of a point of the transcript.
pub(crate) type Id = [u8; 32];

/// One party's end over one kind of field: its state over all iterations, and its part in making the next one
/// ready. An error means that the peer has misbehaved, or that the link has failed.
pub trait End: Sized + 'static {
    /// A share.
    type Share: Share;
    /// The trees of an iteration.
    type Trees: Send + Sync;
    /// The memory besides its rows that growing a tile takes.
    type Scratch: Default + Send;
    /// The state of the check of the trees.
    type Check: Default;

    /// Trees that are not planted yet, and an identifier from which the public key of their hashes follows.
    /// `code` is the identifier of the code of the iteration before, if there is one.
    fn trees(&mut self, channel: &mut Channel, params: Params, code: Option<Id>) -> (Id, Self::Trees);

    /// Draws a chunk of the transfers that `base` takes besides shares, and checks them all after the last
    /// chunk.
    fn transfer(&mut self, _: &mut Channel, _: &mut Base<Row<Self>>) -> Result<()> {
        unreachable!("no transfers are taken")
    }

    /// Receives the peer's messages for the tiles before a number, and for a number of exchanges, as far as
    /// they were not received before. For a party that may be behind its peer.
    fn receive(&mut self, _: &mut Channel, _: &mut Next<Self>, _: [usize; 2]) -> Result<()> {
        Ok(())
    }

    /// Does this party's work for the tiles that are [`Next::planted`] and [`Next::fixed`].
    fn advance(
        &mut self,
        channel: &mut Channel,
        next: &mut Next<Self>,
        workers: &mut Workers<Self>,
    ) -> Result<()>;

    /// Collects the results of tasks on tiles, until `ahead` tasks are left.
    fn gather(next: &mut Next<Self>, workers: &mut Workers<Self>, ahead: usize);

    /// Makes the first exchange of the check: the prover's x, and the verifier's answer.
    fn exchange(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()>;

    /// Makes the second exchange, where the check takes one.
    fn open(&mut self, _: &mut Channel, _: &mut Next<Self>) -> Result<()> {
        Ok(())
    }

    /// Ends the check, and gives the public matrix of the code and the identifier that it comes from.
    fn finish(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<(Id, Matrix)>;

    /// Grows the leaves of a tile of `iteration` again, and adds the encoded secret.
    fn expand(iteration: &Checked<Self>, tile: usize, buffers: &mut Buffers<Self>);

    /// Whether devices can grow trees and expand tiles. Where not, nothing of that is compiled.
    const BY_DEVICES: bool = false;

    /// Has a device begin to grow trees, of which none has grown, if it does so.
    fn grow(_: &Self::Trees, _: &Arc<dyn Expander>) -> Result<Option<OnDevice>> {
        Ok(None)
    }

    /// Has a device hold an iteration, whose trees it may have grown.
    fn hold(_: &Checked<Self>, _: &Arc<dyn Expander>, _: Option<OnDevice>) -> Result<Arc<dyn Held>> {
        unreachable!("no device expands them")
    }

    /// Takes the shares that a base is missing from rows of a device.
    fn collect(_: &mut Base<Row<Self>>, _: Box<dyn Expanding>) -> Result<()> {
        unreachable!("no device expands them")
    }
}

/// The memory that a task works in.
pub struct Buffers<P: End> {
    /// The rows of a tile.
    pub(in crate::vole) rows: Zeroizing<Vec<Row<P>>>,
    pub(in crate::vole) scratch: P::Scratch,
}

/// Memory that is free for tasks.
struct Memory<P: End> {
    rows: Spare<Rows<P::Share>>,
    scratch: Spare<P::Scratch>,
}

impl<P: End> Clone for Memory<P> {
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), scratch: self.scratch.clone() }
    }
}

impl<P: End> Memory<P> {
    fn take(&self) -> Buffers<P> {
        let new = || Zeroizing::new(vec![Row::<P>::default(); TILE]);
        Buffers {
            rows: self.rows.take().unwrap_or_else(new),
            scratch: self.scratch.take().unwrap_or_default(),
        }
    }

    /// Takes back rows of a tile, or none.
    fn give(&self, rows: Rows<P::Share>) {
        if rows.len() == TILE {
            self.rows.give(rows);
        }
    }
}

/// The threads that work on tiles, with memory for them.
pub struct Workers<P: End> {
    pub(in crate::vole) pool: Pool,
    memory: Memory<P>,
}

impl<P: End> Workers<P> {
    fn new() -> Self {
        Self { pool: Pool::default(), memory: Memory { rows: Spare::default(), scratch: Spare::default() } }
    }

    /// Buffers for a task.
    pub(in crate::vole) fn buffers(&self) -> Buffers<P> {
        self.memory.take()
    }

    /// Takes back the memory of a finished task.
    pub(in crate::vole) fn take_back(&self, buffers: Buffers<P>) {
        self.memory.give(buffers.rows);
        self.memory.scratch.give(buffers.scratch);
    }
}

/// The public matrix of a code: a key, and its cipher.
pub struct Matrix {
    pub(in crate::vole) key: F128,
    pub(in crate::vole) cipher: Aes128,
}

impl Matrix {
    /// The matrix with this key.
    pub(in crate::vole) fn new(arch: Arch, key: F128) -> Self {
        Self { key, cipher: Aes128::new(arch, key) }
    }
}

/// A checked iteration (secret, code and trees), from which tiles are expanded.
pub struct Checked<P: End> {
    pub(in crate::vole) matrix: Matrix,
    /// The shares of the secret.
    pub(in crate::vole) table: Zeroizing<Vec<Row<P>>>,
    pub(in crate::vole) trees: P::Trees,
}

/// The number of the first output of a tile.
pub(in crate::vole) fn first_output(tile: usize) -> u64 {
    (tile * TILE) as u64
}

/// The iteration that shares are drawn from.
pub(in crate::vole) struct Iteration<P: End> {
    pub(in crate::vole) checked: Arc<Checked<P>>,
    tiles: usize,
    /// The number of tiles whose expansion was started.
    begun: usize,
    expanding: Tasks<Rows<P::Share>>,
    /// The device that has grown its trees.
    on_device: Option<OnDevice>,
    /// The iteration as the device that expands its tiles holds it, once one was asked for.
    held: Option<Arc<dyn Held>>,
}

impl<P: End> Iteration<P> {
    /// Makes an iteration from `base`, all at once, and gives it with the identifier of its code. `before` is
    /// the identifier of the code before.
    fn new(
        channel: &mut Channel,
        end: &mut P,
        mut base: Base<Row<P>>,
        before: Option<Id>,
        workers: &mut Workers<P>,
    ) -> Result<(Id, Self)> {
        while !base.has_transfers() {
            end.transfer(channel, &mut base)?;
        }
        let tiles = base.start.params.tiles();
        let mut next = Next { planted: tiles, fixed: tiles, ..Next::new(channel, end, base, before) };
        end.advance(channel, &mut next, workers)?;
        P::gather(&mut next, workers, 0);
        end.exchange(channel, &mut next)?;
        end.open(channel, &mut next)?;
        let (code, matrix) = end.finish(channel, &mut next)?;
        Ok((code, next.into_iteration(matrix)))
    }

    /// The task that makes the rows of the next tile.
    fn begin_tile(&mut self, workers: &Workers<P>) -> Task<Rows<P::Share>> {
        while self.begun < self.tiles && self.expanding.len() <= workers.pool.ahead() {
            self.expanding.push(workers.pool.run(self.expansion(self.begun, workers)));
            self.begun += 1;
        }
        self.expanding.pop().expect("a tile that was not drawn yet")
    }

    /// The next tile, for the device that expands them.
    fn next_for(&mut self, device: &Arc<dyn Expander>) -> Result<Tile> {
        let held = self.held_by(device)?.clone();
        Ok(Tile { held, number: self.pass() })
    }

    /// The iteration as the device holds it.
    fn held_by(&mut self, device: &Arc<dyn Expander>) -> Result<&Arc<dyn Held>> {
        if self.held.is_none() {
            self.held = Some(P::hold(&self.checked, device, self.on_device.take())?);
        }
        Ok(self.held.as_ref().expect("held just now"))
    }

    /// The number of the next tile, which is expanded elsewhere.
    fn pass(&mut self) -> usize {
        self.forget_begun();
        self.begun += 1;
        self.begun - 1
    }

    /// Has tasks whose rows nobody has waited for be as if they had not begun.
    fn forget_begun(&mut self) {
        self.begun -= mem::take(&mut self.expanding).len();
    }

    /// A task for the next tile, where a device expands all others.
    fn begin_aside(&mut self, workers: &Workers<P>) -> Task<Rows<P::Share>> {
        let tile = self.pass();
        workers.pool.run(self.expansion(tile, workers))
    }

    /// The task that makes the rows of a tile.
    fn expansion(
        &self,
        tile: usize,
        workers: &Workers<P>,
    ) -> impl FnOnce() -> Rows<P::Share> + Send + use<P> {
        let (checked, memory) = (self.checked.clone(), workers.memory.clone());
        // Takes memory when it begins: without further threads that is when its rows are asked for.
        move || {
            let mut buffers = memory.take();
            P::expand(&checked, tile, &mut buffers);
            let Buffers { rows, scratch } = buffers;
            memory.scratch.give(scratch);
            rows
        }
    }

    /// The rows of the next tile.
    fn next_tile(&mut self, workers: &Workers<P>) -> Rows<P::Share> {
        self.begin_tile(workers).wait()
    }
}

/// The next iteration, as far as it is ready.
pub struct Next<P: End> {
    /// The identifier of the trees.
    pub(in crate::vole) id: Id,
    pub(in crate::vole) base: Base<Row<P>>,
    pub(in crate::vole) trees: P::Trees,
    pub(in crate::vole) check: P::Check,
    /// The device that grows the trees, if one does.
    pub(super) on_device: Option<OnDevice>,
    /// The numbers of tiles whose corrections the verifier has to send by now, and whose corrections the
    /// prover has to use.
    pub(in crate::vole) planted: usize,
    pub(in crate::vole) fixed: usize,
}

impl<P: End> Next<P> {
    fn new(channel: &mut Channel, end: &mut P, base: Base<Row<P>>, code: Option<Id>) -> Self {
        let (id, trees) = end.trees(channel, base.start.params, code);
        Self { id, base, trees, check: P::Check::default(), on_device: None, planted: 0, fixed: 0 }
    }

    fn into_iteration(self, matrix: Matrix) -> Iteration<P> {
        let (tiles, on_device) = (self.base.start.params.tiles(), self.on_device);
        let checked = Checked { matrix, table: self.base.into_table(), trees: self.trees };
        let expanding = Tasks::default();
        Iteration { checked: Arc::new(checked), tiles, begun: 0, expanding, on_device, held: None }
    }
}

/// One party's end of the extension.
pub struct Iterations<P: End> {
    end: P,
    schedule: Schedule,
    /// The iteration that shares are drawn from.
    pub(in crate::vole) iteration: Iteration<P>,
    draws: usize,
    /// The draws of this iteration for which the peer's messages were received, by a party that may be
    /// behind. Negative where some of the iteration before are missing.
    heard: isize,
    next: Next<P>,
    workers: Workers<P>,
    /// The tiles of the next base that are under way, as tasks, or all of them on a device.
    aside: Tasks<Rows<P::Share>>,
    aside_on_device: Option<Box<dyn Expanding>>,
    /// The device that blocks can be drawn for.
    device: Option<Arc<dyn Expander>>,
}

impl<P: End> Iterations<P> {
    /// Runs an iteration on the base `first`, then one for each of `starts`, each from the one before. The
    /// last one is the first to be drawn from.
    pub(in crate::vole) fn run(
        channel: &mut Channel,
        mut end: P,
        first: Base<Row<P>>,
        starts: impl Iterator<Item = Start>,
        schedule: Schedule,
    ) -> Result<Self> {
        let mut workers = Workers::new();
        let mut start = first.start;
        let (mut code, mut iteration) = Iteration::new(channel, &mut end, first, None, &mut workers)?;
        for following in starts {
            start = following;
            let mut base = Base::new(start);
            while !base.is_full() {
                let rows = iteration.next_tile(&workers);
                base.collect(&rows);
                workers.memory.give(rows);
            }
            (code, iteration) = Iteration::new(channel, &mut end, base, Some(code), &mut workers)?;
        }
        let next = Next::new(channel, &mut end, Base::new(start), Some(code));
        Ok(Self {
            end,
            schedule,
            iteration,
            draws: 0,
            heard: 0,
            next,
            workers,
            aside: Tasks::default(),
            aside_on_device: None,
            device: None,
        })
    }

    /// The draws of this iteration for which the peer's messages were received.
    fn heard(&self) -> usize {
        self.heard.max(0) as usize
    }

    /// Does the part of the next iteration's work that goes with this draw.
    fn prepare(&mut self, channel: &mut Channel, for_device: bool) -> Result<()> {
        if P::BY_DEVICES
            && for_device
            && self.schedule.begins(self.draws)
            && let Some(device) = &self.device
        {
            self.next.on_device = P::grow(&self.next.trees, device)?;
            // Each draw sets a tile aside, and has the one behind it.
            let first = self.iteration.begun - self.iteration.expanding.len();
            let tiles = (0..self.schedule.base_tiles()).map(|tile| first + 2 * tile);
            let held = self.iteration.held_by(device)?;
            self.aside_on_device = held.begin_rows(&tiles.collect::<Vec<_>>())?;
        }
        if self.schedule.sets_aside(self.draws) {
            let is_last = !self.schedule.sets_aside(self.draws + 1);
            let full = self.set_aside(for_device, is_last)?;
            while !self.next.base.has_transfers() {
                self.end.transfer(channel, &mut self.next.base)?;
                // While shares are missing, a chunk for each tile.
                if !full {
                    break;
                }
            }
        }
        self.draws += 1;
        self.next.planted = self.schedule.planted(self.draws);
        self.next.fixed = self.schedule.fixed(self.draws);
        // What is taken up was received: here nothing else may be read in its place.
        assert!(self.schedule.planted(self.heard()) >= self.next.fixed, "corrections in time");
        self.end.advance(channel, &mut self.next, &mut self.workers)?;
        if self.draws == self.schedule.checked() {
            P::gather(&mut self.next, &mut self.workers, 0);
            self.end.exchange(channel, &mut self.next)?;
        }
        if self.draws == self.schedule.opened() {
            assert!(self.schedule.exchanges(self.heard()) > 0, "an answer in time");
            self.end.open(channel, &mut self.next)?;
        }
        if self.schedule.hands_over(self.draws) {
            channel.flush()?;
        }
        Ok(())
    }

    /// Sets the next tile aside for the next base, and says whether that is full.
    fn set_aside(&mut self, for_device: bool, is_last: bool) -> Result<bool> {
        if self.aside_on_device.is_some() {
            self.iteration.pass();
            return match self.aside_on_device.take_if(|_| is_last) {
                Some(rows) => P::collect(&mut self.next.base, rows).map(|()| true),
                None => Ok(false),
            };
        }
        let task = if P::BY_DEVICES && for_device {
            self.iteration.begin_aside(&self.workers)
        } else {
            self.iteration.begin_tile(&self.workers)
        };
        self.aside.push(task);
        // Where a device expands all others, threads have time for these, and this one none.
        let ahead = if for_device && !is_last { usize::MAX } else { 0 };
        let mut full = false;
        while let Some(rows) = self.aside.next_beyond(ahead) {
            full = self.next.base.collect(&rows);
            self.workers.memory.give(rows);
        }
        Ok(full)
    }

    /// Does what goes with a draw, before its tile is begun.
    fn begin_draw(&mut self, channel: &mut Channel, for_device: bool) -> Result<()> {
        if self.draws == self.schedule.draws() {
            self.turn(channel)?;
        }
        while self.heard + self.lag() as isize <= self.draws as isize {
            self.receive(channel)?;
        }
        self.prepare(channel, for_device)
    }

    /// Ends the check of the next iteration's trees, and makes it the current one.
    fn turn(&mut self, channel: &mut Channel) -> Result<()> {
        let all = self.schedule.exchanges(self.draws);
        assert_eq!(self.schedule.exchanges(self.heard()), all, "answers in time");
        let (code, matrix) = self.end.finish(channel, &mut self.next)?;
        let base = Base::new(self.next.base.start);
        let following = Next::new(channel, &mut self.end, base, Some(code));
        let next = mem::replace(&mut self.next, following).into_iteration(matrix);
        let done = mem::replace(&mut self.iteration, next);
        // Tasks whose rows nobody has waited for may be left of it.
        if let Some(done) = Arc::into_inner(done.checked) {
            self.next.base.reuse(done.table);
        }
        self.heard -= self.draws as isize;
        self.draws = 0;
        Ok(())
    }
}

impl<P: End> Vole for Iterations<P> {
    type Share = P::Share;

    fn share_work(&mut self, pool: &Pool) {
        self.workers.pool = pool.clone();
    }

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<P::Share>) -> Result<()> {
        let rows = block.rows_mut();
        *rows = self.begin_block(channel, mem::take(rows))?.1.wait();
        Ok(())
    }

    fn begin_block(
        &mut self,
        channel: &mut Channel,
        spare: Rows<P::Share>,
    ) -> Result<(usize, Task<Rows<P::Share>>)> {
        self.workers.memory.give(spare);
        self.begin_draw(channel, false)?;
        Ok((TILE, self.iteration.begin_tile(&self.workers)))
    }

    fn expand_by(&mut self, device: &Arc<dyn Expander>) -> bool {
        let is_another = self.device.as_ref().is_none_or(|before| !Arc::ptr_eq(before, device));
        if P::BY_DEVICES && is_another {
            self.device = Some(device.clone());
            self.iteration.held = None;
        }
        P::BY_DEVICES
    }

    fn begin_tile(&mut self, channel: &mut Channel) -> Result<(usize, Tile)> {
        if !P::BY_DEVICES {
            unreachable!("no device expands these shares");
        }
        self.begin_draw(channel, true)?;
        let device = self.device.as_ref().expect("a device to draw for");
        Ok((TILE, self.iteration.next_for(device)?))
    }

    fn rows_of_tile(&mut self) -> Rows<P::Share> {
        if !P::BY_DEVICES {
            unreachable!("no device expands these shares");
        }
        self.iteration.expansion(self.iteration.begun - 1, &self.workers)()
    }

    /// A tile that was drawn takes no memory before its task begins.
    fn ahead(&self) -> usize {
        1 << 18
    }

    fn expect(&mut self, shares: u64, _: u64) {
        assert_eq!(self.draws, 0, "nothing is drawn yet");
        self.schedule = self.schedule.expecting(shares);
    }

    fn lag(&self) -> usize {
        self.schedule.lag()
    }

    fn receive(&mut self, channel: &mut Channel) -> Result<()> {
        self.heard += 1;
        // Nothing belongs to the last draws of an iteration.
        let Ok(draws) = usize::try_from(self.heard) else { return Ok(()) };
        let received = [self.schedule.planted(draws), self.schedule.exchanges(draws)];
        self.end.receive(channel, &mut self.next, received)
    }

    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<P::Share>> {
        // A prover is behind. Every iteration that was drawn from was checked before.
        while self.heard < self.draws as isize {
            self.receive(channel)?;
        }
        Ok(self)
    }
}
