//! A wave under MACs or keys.

use super::{Fill, Side, SumsOf, ValueOf, WideOf};
use crate::TILE;
use crate::slots::Memory;
use std::sync::Arc;
use volery_circuit::stream::straight::{Hint, Kind, Step, StraightLine};
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
}

/// A source of what a walk commits to.
pub(super) trait Source<S: Side> {
    /// Puts the values of a hint on the slots of its results.
    fn hint(&mut self, _hint: &Hint<ValueOf<S>>, _wires: &mut [S::Row], _lanes: usize) {}
    /// Corrects `shares`, which are for the lanes from `lane` on of a commitment: the product of two columns, an
    /// element of the witness, or what a hint has put on its slot.
    fn commit(&mut self, _step: &Step, _lane: usize, _on: [&[S::Row]; 3], _shares: &mut [S::Row]) {}
    /// Takes notice of an assertion.
    fn assert(&mut self, _wires: &[S::Row]) {}
}

/// Shares that are corrected already.
pub(super) struct Given;

impl<S: Side> Source<S> for Given {}

impl<S: Side> Wave<S> {
    /// A wave of so many lanes at its begin, with the columns of its arguments.
    pub(super) fn new<'a>(
        line: &Arc<StraightLine<ValueOf<S>>>,
        lanes: usize,
        arguments: impl Iterator<Item = &'a [S::Row]>,
    ) -> Self {
        let mut wires = Zeroizing::new(vec![S::Row::default(); lanes * line.slots]);
        for (slot, column) in wires.chunks_exact_mut(lanes).zip(arguments) {
            slot.copy_from_slice(column);
        }
        Self { line: line.clone(), lanes, wires, step: 0, done: 0 }
    }

    /// Whether all steps are done.
    pub(super) fn is_done(&self) -> bool {
        self.step == self.line.steps.len()
    }

    /// The wires on a slot.
    pub(super) fn wires_on(&self, slot: u32) -> &[S::Row] {
        &self.wires[slot as usize * self.lanes..][..self.lanes]
    }

    /// Walks on, until a step commits to more than there are `shares`, which `source` corrects. `made` gets the
    /// factors of each product, or none, with its wires, and `asserted` those that are asserted. `one` is the
    /// share of one.
    pub(super) fn walk(
        &mut self,
        (arch, one): (Arch, S::Row),
        mut shares: &mut [S::Row],
        source: &mut impl Source<S>,
        mut made: impl FnMut(Option<[&[S::Row]; 2]>, &[S::Row]),
        asserted: &mut Openings,
    ) {
        let (line, lanes) = (self.line.clone(), self.lanes);
        while let Some(step) = line.steps.get(self.step) {
            // Maps of arrays are not inlined where crates share generics.
            let (out, a, b) = (step.out as usize * lanes, step.a as usize * lanes, step.b as usize * lanes);
            match step.kind {
                Kind::Add => S::add(arch, &mut self.wires, [out, a, b], lanes),
                Kind::Constant => {
                    let value = S::scale(one, line.constants[step.a as usize]);
                    self.wires[out..out + lanes].fill(value);
                }
                Kind::Scale => {
                    let factor = line.constants[step.b as usize];
                    (0..lanes).for_each(|i| self.wires[out + i] = S::scale(self.wires[a + i], factor));
                }
                Kind::Assert => {
                    let wires = self.wires_on(step.a);
                    source.assert(wires);
                    wires.iter().for_each(|wire| asserted.absorb(&S::opened(*wire)));
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
                    made((step.kind == Kind::Mul).then_some(factors), now);
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
}

/// The sums of a batch's products, added as they are made, in the order of its shares.
pub(crate) struct Fold<S: Side> {
    arch: Arch,
    fill: Fill<WideOf<S>>,
    sums: SumsOf<S>,
    /// Coefficients, and how many of them are used.
    chi: [WideOf<S>; TILE],
    used: usize,
    total: Zeroizing<Vec<WideOf<S>>>,
    memory: Memory<S::Row>,
}

impl<S: Side> Fold<S> {
    /// Sums of no products, whose coefficients `fill` gives.
    pub(super) fn new(arch: Arch, fill: Fill<WideOf<S>>, sums: SumsOf<S>) -> Self {
        let total = Zeroizing::new(vec![WideOf::<S>::ZERO; 2]);
        let chi = [WideOf::<S>::ZERO; TILE];
        Self { arch, fill, sums, chi, used: TILE, total, memory: Memory::default() }
    }

    /// Adds products, or passes over those of inputs.
    pub(super) fn add(&mut self, factors: Option<[&[S::Row]; 2]>, made: &[S::Row]) {
        let mut at = 0;
        while at < made.len() {
            if self.used == TILE {
                (self.fill)(&mut self.chi);
                self.used = 0;
            }
            let count = (made.len() - at).min(TILE - self.used);
            if let Some([a, b]) = factors {
                let chi = &self.chi[self.used..][..count];
                let columns = [a, b, made].map(|column| &column[at..][..count]);
                let (first, second) = (self.sums)(self.arch, chi, columns, &mut self.memory);
                self.total[0] += first;
                self.total[1] += second;
            }
            (self.used, at) = (self.used + count, at + count);
        }
    }

    /// The sums.
    pub(super) fn end(self) -> Zeroizing<Vec<WideOf<S>>> {
        self.total
    }
}
