//! A wave under MACs or keys.

use super::{Fill, Side, SumsOf, ValueOf, WideOf};
use crate::slots::Memory;
use crate::{ASSERTED, TILE};
use std::sync::Arc;
use volery_circuit::stream::OneLane;
use volery_circuit::stream::straight::{Hint, Kind, Polynomials, Step, StraightLine};
use volery_primitives::Field;
use volery_primitives::arch::Arch;
use volery_proof::openings::Openings;
use zeroize::Zeroizing;

/// Some lanes of a function, and how far their walk has come.
pub(crate) struct Wave<S: Side> {
    line: Arc<StraightLine<ValueOf<S>>>,
    lanes: usize,
    /// The wires, slot by slot.
    wires: Zeroizing<Vec<S::Row>>,
    /// The step at hand, and the lanes of it that are done.
    step: usize,
    done: usize,
    /// The first assertion that has failed in the order of calls, as far as that is known.
    failed: Option<Failed>,
}

/// An assertion that has failed: its lane, its number in that, and, where it is one on a vector, which lane of that it
/// is, and of how many. The first in the order of calls is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Failed {
    pub(super) lane: usize,
    pub(super) number: u32,
    pub(super) place: Option<(usize, usize)>,
}

/// A walker over waves, with memory for the polynomials of a lane.
pub(crate) struct Walker<S: Side> {
    arch: Arch,
    side: Arc<S>,
    arithmetic: S::Arithmetic,
    memory: OneLane<S::Arithmetic>,
}

impl<S: Side> Walker<S> {
    pub(crate) fn new(arch: Arch, side: Arc<S>) -> Self {
        let arithmetic = side.arithmetic(arch);
        Self { arch, side, arithmetic, memory: OneLane::default() }
    }

    /// The share of the public value one.
    pub(super) fn one(&self) -> S::Row {
        self.side.one()
    }

    /// The polynomials a·b − c of columns of wires.
    pub(crate) fn less(&mut self, columns: [&[S::Row]; 3]) -> S::Vanishing {
        S::less(&mut self.arithmetic, columns)
    }
}

/// A source of what a walk commits to.
pub(super) trait Source<S: Side> {
    /// Puts the values of a hint on the slots of its results.
    fn hint(&mut self, _hint: &Hint<ValueOf<S>>, _wires: &mut [S::Row], _lanes: usize) {}
    /// Corrects `shares`, which are for the lanes from `lane` on of a commitment: the product of two columns, an
    /// element of the witness, or what a hint has put on its slot.
    fn commit(&mut self, _step: &Step, _lane: usize, _on: [&[S::Row]; 3], _shares: &mut [S::Row]) {}
}

/// Shares that are corrected already.
pub(super) struct Given;

impl<S: Side> Source<S> for Given {}

/// A check of what is walked over.
pub(crate) trait Check<S: Side> {
    /// Takes what was committed to, with the factors of products.
    fn committed(&mut self, by: &Walker<S>, factors: Option<[&[S::Row]; 2]>, made: &[S::Row]);
    /// Takes wires that are to carry zero.
    fn zeroes(&mut self, wires: &[S::Row]);
    /// Takes columns of wires, of which the third is to be the product of the first two.
    fn products(&mut self, by: &mut Walker<S>, columns: [&[S::Row]; 3]);
    /// Takes polynomials that are to be zero.
    fn vanish(&mut self, polynomials: S::Vanishing);
}

impl<S: Side> Wave<S> {
    /// A wave of so many lanes at its begin, with memory, and the columns of its arguments.
    pub(super) fn new<'a>(
        line: &Arc<StraightLine<ValueOf<S>>>,
        lanes: usize,
        mut wires: Zeroizing<Vec<S::Row>>,
        arguments: impl Iterator<Item = &'a [S::Row]>,
    ) -> Self {
        if wires.len() < lanes * line.slots {
            // What has to move would leave a copy behind. Each wire is written before it is read.
            wires = Zeroizing::new(vec![S::Row::default(); lanes * line.slots]);
        }
        for (slot, column) in wires.chunks_exact_mut(lanes).zip(arguments) {
            slot.copy_from_slice(column);
        }
        Self { line: line.clone(), lanes, wires, step: 0, done: 0, failed: None }
    }

    /// A wave of so many lanes that has taken so many shares, with the wires on all of its slots.
    pub(super) fn at(
        line: &Arc<StraightLine<ValueOf<S>>>,
        lanes: usize,
        wires: Zeroizing<Vec<S::Row>>,
        taken: u64,
    ) -> Self {
        let (step, done) = (line.step_after(taken, lanes as u64), (taken % lanes as u64) as usize);
        Self { line: line.clone(), lanes, wires, step, done, failed: None }
    }

    /// The number of its lanes.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The shares that it has taken.
    pub(crate) fn taken(&self) -> u64 {
        let before = self.line.steps[..self.step].iter().filter(|step| step.kind.commits()).count();
        (before * self.lanes + self.done) as u64
    }

    /// The wires on all slots, column by column.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &[S::Row]> {
        self.wires.chunks_exact(self.lanes).take(self.line.slots)
    }

    /// Whether all steps are done.
    pub(super) fn is_done(&self) -> bool {
        self.step == self.line.steps.len()
    }

    /// The first assertion that has failed, in the order of calls.
    pub(super) fn failed(&self) -> Option<Failed> {
        self.failed
    }

    /// The memory of its wires.
    pub(super) fn into_wires(self) -> Zeroizing<Vec<S::Row>> {
        self.wires
    }

    /// The wires on a slot.
    pub(super) fn wires_on(&self, slot: u32) -> &[S::Row] {
        &self.wires[slot as usize * self.lanes..][..self.lanes]
    }

    /// Walks on, until a step commits to more than there are `shares`, which `source` corrects. What is committed to
    /// and what is asserted goes to `check`.
    pub(super) fn walk(
        &mut self,
        by: &mut Walker<S>,
        mut shares: &mut [S::Row],
        // By pointers, so that it is compiled once for each side.
        source: &mut dyn Source<S>,
        check: &mut dyn Check<S>,
    ) {
        let (line, lanes) = (self.line.clone(), self.lanes);
        while let Some(step) = line.steps.get(self.step) {
            // Maps of arrays are not inlined where crates share generics.
            let (out, a, b) = (step.out as usize * lanes, step.a as usize * lanes, step.b as usize * lanes);
            match step.kind {
                Kind::Add => S::add(by.arch, &mut self.wires, [out, a, b], lanes),
                Kind::Constant => {
                    let value = S::scale(by.side.one(), line.constants[step.a as usize]);
                    self.wires[out..out + lanes].fill(value);
                }
                Kind::Scale => {
                    let factor = line.constants[step.b as usize];
                    (0..lanes).for_each(|i| self.wires[out + i] = S::scale(self.wires[a + i], factor));
                }
                Kind::Assert => {
                    let wires = self.wires_on(step.a);
                    check.zeroes(wires);
                    self.note(S::nonzero(wires), step.out, None);
                }
                Kind::AssertProduct => {
                    let columns = [step.a, step.b, step.c].map(|slot| self.wires_on(slot));
                    check.products(by, columns);
                    self.note(S::unequal(columns), step.out, None);
                }
                Kind::Polynomials => {
                    self.polynomials(by, &line.polynomials[step.a as usize], check);
                }
                Kind::Hint => source.hint(&line.hints[step.a as usize], &mut self.wires, lanes),
                Kind::Mul | Kind::Witness | Kind::Commit => {
                    let (now, behind) = shares.split_at_mut(shares.len().min(lanes - self.done));
                    if now.is_empty() {
                        return;
                    }
                    let (from, count) = (self.done, now.len());
                    let column = |slot: usize| &self.wires[slot + from..][..count];
                    // Of a witness element `a` is its number, and no slot.
                    let factors = if step.kind == Kind::Mul { [column(a), column(b)] } else { [&[][..]; 2] };
                    source.commit(step, from, [factors[0], factors[1], column(out)], now);
                    check.committed(by, (step.kind == Kind::Mul).then_some(factors), now);
                    self.wires[out + from..][..count].copy_from_slice(now);
                    self.done += count;
                    shares = behind;
                    if self.done < lanes {
                        return;
                    }
                    self.done = 0;
                }
            }
            self.step += 1;
        }
    }

    /// Computes polynomials lane by lane, and has them checked.
    fn polynomials(
        &mut self,
        Walker { arithmetic, memory, .. }: &mut Walker<S>,
        polynomials: &Polynomials<ValueOf<S>>,
        check: &mut dyn Check<S>,
    ) {
        for lane in 0..self.lanes {
            let (wires, mut failed) = (&self.wires, None);
            let of = polynomials.of.iter().map(|slot| wires[*slot as usize * self.lanes + lane]);
            polynomials.compute(arithmetic, memory, of, |by, vector, number| {
                let (vanishing, place) = S::vanishing(by, vector);
                check.vanish(vanishing);
                failed = failed.or(number.zip(place));
            });
            if let Some((number, place)) = failed {
                self.note(Some(lane), number, Some(place));
            }
        }
    }

    /// Notes that an assertion has failed in a lane, if it has.
    fn note(&mut self, lane: Option<usize>, number: u32, place: Option<(usize, usize)>) {
        let failed = lane.map(|lane| Failed { lane, number, place });
        self.failed = self.failed.into_iter().chain(failed).min();
    }
}

/// The sums of a batch's products and polynomials, added as they are made, in the order of its shares.
pub(super) struct Fold<S: Side> {
    arch: Arch,
    fill: [Fill<WideOf<S>>; 2],
    /// Coefficients of products, and how many of them are used.
    chi: [WideOf<S>; TILE],
    used: usize,
    products: Products<S>,
    polynomials: S::Sums,
    asserted: Box<Openings>,
}

/// Sums of products under coefficients.
struct Products<S: Side> {
    arch: Arch,
    sums: SumsOf<S>,
    total: Zeroizing<Vec<WideOf<S>>>,
    memory: Memory<S::Row>,
}

impl<S: Side> Products<S> {
    fn add(&mut self, chi: &[WideOf<S>], columns: [&[S::Row]; 3]) {
        let (first, second) = (self.sums)(self.arch, chi, columns, &mut self.memory);
        self.total[0] += first;
        self.total[1] += second;
    }
}

/// Sums under coefficients.
pub(crate) struct Folded<S: Side> {
    /// The sums of products.
    pub(crate) products: Zeroizing<Vec<WideOf<S>>>,
    /// The sums of polynomials.
    pub(crate) polynomials: S::Sums,
    /// Gives the coefficients of the batch's further polynomials.
    pub(crate) fill: Option<Fill<WideOf<S>>>,
    /// The wires that were asserted to carry zero.
    pub(crate) asserted: Box<Openings>,
}

impl<S: Side> Fold<S> {
    /// Sums of nothing, whose coefficients `fill` gives, first those of products and then those of polynomials.
    pub(super) fn new(arch: Arch, fill: [Fill<WideOf<S>>; 2], sums: SumsOf<S>) -> Self {
        let total = Zeroizing::new(vec![WideOf::<S>::ZERO; 2]);
        Self {
            arch,
            fill,
            chi: [WideOf::<S>::ZERO; TILE],
            used: TILE,
            products: Products { arch, sums, total, memory: Memory::default() },
            polynomials: S::Sums::default(),
            asserted: Box::new(Openings::new(ASSERTED)),
        }
    }

    /// The sums.
    pub(super) fn end(self) -> Folded<S> {
        let Self { fill: [_, fill], products, polynomials, asserted, .. } = self;
        Folded { products: products.total, polynomials, fill: Some(fill), asserted }
    }
}

impl<S: Side> Check<S> for Fold<S> {
    /// Adds products, or passes over those of inputs.
    fn committed(&mut self, _: &Walker<S>, factors: Option<[&[S::Row]; 2]>, made: &[S::Row]) {
        let mut at = 0;
        while at < made.len() {
            if self.used == TILE {
                (self.fill[0])(&mut self.chi);
                self.used = 0;
            }
            let count = (made.len() - at).min(TILE - self.used);
            if let Some([a, b]) = factors {
                let chi = &self.chi[self.used..][..count];
                let columns = [a, b, made].map(|column| &column[at..][..count]);
                self.products.add(chi, columns);
            }
            (self.used, at) = (self.used + count, at + count);
        }
    }

    fn zeroes(&mut self, wires: &[S::Row]) {
        wires.iter().for_each(|wire| self.asserted.absorb(&S::opened(*wire)));
    }

    fn products(&mut self, _: &mut Walker<S>, columns: [&[S::Row]; 3]) {
        let mut chi = vec![WideOf::<S>::ZERO; columns[0].len()];
        (self.fill[1])(&mut chi);
        for (i, chi) in chi.chunks(TILE).enumerate() {
            self.products.add(chi, columns.map(|column| &column[TILE * i..][..chi.len()]));
        }
    }

    fn vanish(&mut self, polynomials: S::Vanishing) {
        S::weigh(self.arch, &polynomials, &mut *self.fill[1], &mut self.polynomials);
    }
}
