//! Multiplications that wait to be checked.

use crate::TILE;
use core::mem;
use volery_channel::pool::{Pool, Tasks};
use volery_primitives::arch::Arch;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::{F128, Field};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// A multiplication: left operand, right operand, product.
pub(super) type Triple<R> = [R; 3];

/// Memory of slots, of which a beginning is in use.
pub(super) type Memory<R> = Zeroizing<Vec<Triple<R>>>;

/// Slots for consecutive shares. A slot holds the multiplication by which a commitment is checked: a product
/// of two wires, or a witness element as the product of itself and one. Over any field but F_2 slots stay
/// empty as long as all used ones are of witness elements, whose products are zero whatever was committed to.
pub(super) struct Slots<R: DefaultIsZeroes> {
    slots: Memory<R>,
    /// The slot to use next, and the end of the slots.
    next: usize,
    end: usize,
    /// Whether the used slots are filled. If not, all of them are of witness elements.
    filled: bool,
}

impl<R: DefaultIsZeroes> Default for Slots<R> {
    fn default() -> Self {
        Self { slots: Zeroizing::default(), next: 0, end: 0, filled: false }
    }
}

impl<R: DefaultIsZeroes> Slots<R> {
    /// Opens `length` slots.
    pub(super) fn begin(&mut self, length: usize) {
        self.begin_empty(length);
        self.fill([]);
    }

    /// Opens `length` slots that stay empty, and take no memory, until they are filled.
    pub(super) fn begin_empty(&mut self, length: usize) {
        (self.next, self.end, self.filled) = (0, length, false);
    }

    /// Fills the used slots with `triples`: from here on each slot is filled as it is used.
    pub(super) fn fill(&mut self, triples: impl IntoIterator<Item = Triple<R>>) {
        if self.slots.len() < self.end {
            // What has to move would leave a copy behind.
            self.slots = Zeroizing::new(vec![[R::default(); 3]; self.end]);
        }
        let mut triples = triples.into_iter();
        for slot in &mut self.slots[..self.next] {
            *slot = triples.next().expect("one for each");
        }
        self.filled = true;
    }

    /// Whether used slots are filled.
    #[inline(always)]
    pub(super) fn are_filled(&self) -> bool {
        self.filled
    }

    /// Moves the end of the slots forward to `end`.
    pub(super) fn limit(&mut self, end: usize) {
        assert!(self.next <= end && end <= self.slots.len());
        self.end = end;
    }

    /// The used slots.
    pub(super) fn used(&self) -> &[Triple<R>] {
        &self.slots[..self.next]
    }

    /// Takes the memory of all slots, with the number of used ones, and closes the slots. `memory` will hold
    /// those opened next.
    pub(super) fn take(&mut self, memory: Memory<R>) -> (usize, Memory<R>) {
        self.end = 0;
        (mem::take(&mut self.next), mem::replace(&mut self.slots, memory))
    }

    /// Closes the slots.
    pub(super) fn end(&mut self) {
        (self.next, self.end) = (0, 0);
    }

    /// Whether all slots are used.
    #[inline(always)]
    pub(super) fn are_used_up(&self) -> bool {
        self.next == self.end
    }

    /// The number of unused slots.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        self.end - self.next
    }

    /// The number of used slots.
    #[inline(always)]
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Uses `count` slots, which are open, for witness elements, without filling them.
    #[inline(always)]
    pub(super) fn leave_empty(&mut self, count: usize) {
        debug_assert!(!self.filled && count <= self.left());
        self.next += count;
    }

    /// Uses the next slot, for the caller to fill.
    ///
    /// # Panics
    /// Where all are used.
    #[inline(always)]
    pub(super) fn slot(&mut self) -> &mut Triple<R> {
        debug_assert!(self.filled);
        let slot = &mut self.slots[self.next];
        self.next += 1;
        slot
    }
}

/// Products that tasks combine under a batch's coefficients. A task gives the memory back that its products
/// were in.
pub(super) struct Weighing<T, E: Zeroize> {
    tasks: Tasks<(Zeroizing<Vec<E>>, u64, T)>,
    spare: Vec<T>,
    /// Products that were combined, or are zero whatever was committed to.
    weighed: u64,
}

impl<T, E: Zeroize> Default for Weighing<T, E> {
    fn default() -> Self {
        Self { tasks: Tasks::default(), spare: Vec::new(), weighed: 0 }
    }
}

impl<T: Send + 'static, E: Send + Clone + Zeroize + 'static> Weighing<T, E> {
    /// Memory that is free to use, if there is any.
    pub(super) fn spare(&mut self) -> Option<T> {
        self.spare.pop()
    }

    /// Starts a task that combines the `count` products in `memory`.
    pub(super) fn begin(
        &mut self,
        pool: &Pool,
        (count, memory): (usize, T),
        weigh: impl FnOnce(&T) -> Zeroizing<[E; 2]> + Send + 'static,
    ) {
        let weigh = move || (Zeroizing::new(weigh(&memory).to_vec()), count as u64, memory);
        self.tasks.push(pool.run(weigh));
    }

    /// Counts `count` products that are zero whatever was committed to.
    pub(super) fn pass_over(&mut self, count: u64) {
        self.weighed += count;
    }

    /// The next task's sums, while more than `ahead` tasks are under way.
    pub(super) fn next_beyond(&mut self, ahead: usize) -> Option<Zeroizing<Vec<E>>> {
        let (sums, count, memory) = self.tasks.next_beyond(ahead)?;
        self.weighed += count;
        self.spare.push(memory);
        Some(sums)
    }

    /// The next task's sums, or `None` once all tasks are done.
    ///
    /// # Panics
    /// Where others were weighed than the `committed`.
    pub(super) fn last(&mut self, committed: u64) -> Option<Zeroizing<Vec<E>>> {
        let next = self.next_beyond(0);
        assert!(next.is_some() || self.weighed == committed, "every product is weighed");
        next
    }
}

/// The sums `sums(χ, triples)` over F_2, with the coefficients χ of `seed`.
pub(super) fn weigh(
    arch: Arch,
    seed: Seed,
    triples: &[Triple<F128>],
    sums: impl Fn(Arch, &[F128], &[Triple<F128>]) -> (F128, F128),
) -> Zeroizing<[F128; 2]> {
    let mut coefficients = Prg::new(arch, seed);
    let mut chi = [F128::ZERO; TILE];
    let mut total = Zeroizing::new([F128::ZERO; 2]);
    for triples in triples.chunks(TILE) {
        let chi = &mut chi[..triples.len()];
        coefficients.fill(chi);
        let (first, second) = sums(arch, chi, triples);
        total[0] += first;
        total[1] += second;
    }
    total
}
