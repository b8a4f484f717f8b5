//! Multiplications that wait to be checked.

use crate::pool::{Pool, Tasks};
use crate::zk::quicksilver::TILE;
use core::mem;
use volery_primitives::arch::Arch;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::{F128, Field};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// A multiplication: left operand, right operand, product.
pub(super) type Triple<R> = [R; 3];

/// Memory of slots: what is in use of it comes first.
pub(super) type Memory<R> = Zeroizing<Vec<Triple<R>>>;

/// A place for each of some shares that follow each other: the multiplication by which what is committed to
/// is checked, a product of two wires, or a witness element as the product of itself and one. Over any field
/// but F_2 they stay empty as long as all that are used are of witness elements, whose products are zero
/// whatever they are.
pub(super) struct Slots<R: DefaultIsZeroes> {
    slots: Memory<R>,
    /// The next to use, and the one behind the last.
    next: usize,
    end: usize,
    /// Whether those before the next one are filled. If not, all of them are of witness elements.
    filled: bool,
}

impl<R: DefaultIsZeroes> Default for Slots<R> {
    fn default() -> Self {
        Self { slots: Zeroizing::default(), next: 0, end: 0, filled: false }
    }
}

impl<R: DefaultIsZeroes> Slots<R> {
    /// Begins slots for so many shares.
    pub(super) fn begin(&mut self, length: usize) {
        self.begin_empty(length);
        self.fill([]);
    }

    /// Begins slots that stay empty, and take no memory, until they are filled.
    pub(super) fn begin_empty(&mut self, length: usize) {
        (self.next, self.end, self.filled) = (0, length, false);
    }

    /// Fills those before the next one with `triples`: from here on each is filled as it is used.
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

    /// Whether each that is used is filled.
    #[inline(always)]
    pub(super) fn are_filled(&self) -> bool {
        self.filled
    }

    /// Allows for no more than those before number `end`.
    pub(super) fn limit(&mut self, end: usize) {
        assert!(self.next <= end && end <= self.slots.len());
        self.end = end;
    }

    /// The slots that are used.
    pub(super) fn used(&self) -> &[Triple<R>] {
        &self.slots[..self.next]
    }

    /// The memory of all, and how many of them were used; none is left. `memory` is for those that come.
    pub(super) fn take(&mut self, memory: Memory<R>) -> (usize, Memory<R>) {
        self.end = 0;
        (mem::take(&mut self.next), mem::replace(&mut self.slots, memory))
    }

    /// Leaves none of them.
    pub(super) fn end(&mut self) {
        (self.next, self.end) = (0, 0);
    }

    /// Whether all are used.
    #[inline(always)]
    pub(super) fn are_used_up(&self) -> bool {
        self.next == self.end
    }

    /// How many are left.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        self.end - self.next
    }

    /// How many come before the next one.
    #[inline(always)]
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Leaves so many of the next ones empty, which are there: those of witness elements.
    #[inline(always)]
    pub(super) fn leave_empty(&mut self, count: usize) {
        debug_assert!(!self.filled && count <= self.left());
        self.next += count;
    }

    /// The next one, to be filled.
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

/// Products on their way into the check: tasks weigh them, and give back the memory they were in.
pub(super) struct Weighing<T, E: Zeroize> {
    tasks: Tasks<(Zeroizing<Vec<E>>, u64, T)>,
    spare: Vec<T>,
    /// Products that were weighed, or are zero whatever was committed to.
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

    /// Hands out `count` products, which lie in `memory`, to be weighed.
    pub(super) fn begin(
        &mut self,
        pool: &Pool,
        (count, memory): (usize, T),
        weigh: impl FnOnce(&T) -> Zeroizing<[E; 2]> + Send + 'static,
    ) {
        let weigh = move || (Zeroizing::new(weigh(&memory).to_vec()), count as u64, memory);
        self.tasks.push(pool.run(weigh));
    }

    /// Takes note of `count` products that are zero whatever was committed to.
    pub(super) fn pass_over(&mut self, count: u64) {
        self.weighed += count;
    }

    /// The next sums, while more than `ahead` are on their way.
    pub(super) fn next_beyond(&mut self, ahead: usize) -> Option<Zeroizing<Vec<E>>> {
        let (sums, count, memory) = self.tasks.next_beyond(ahead)?;
        self.weighed += count;
        self.spare.push(memory);
        Some(sums)
    }

    /// The next sums, until all that is on its way is weighed, and that is all.
    ///
    /// # Panics
    /// Where others were weighed than the `committed`.
    pub(super) fn last(&mut self, committed: u64) -> Option<Zeroizing<Vec<E>>> {
        let next = self.next_beyond(0);
        assert!(next.is_some() || self.weighed == committed, "every product is weighed");
        next
    }
}

/// `sums(χ, triples)` over F_2, with the coefficients of `seed`.
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
