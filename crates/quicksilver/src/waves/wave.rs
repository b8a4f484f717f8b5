//! A wave under MACs or keys.

use super::SumsOf;
use crate::TILE;
use crate::slots::Slots;
use std::sync::Arc;
use volery_circuit::stream::straight::{Kind, StraightLine};
use volery_primitives::arch::{Arch, add_rows};
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::{Extension, F2, F128, Field};
use volery_proof::openings::Openings;
use zeroize::Zeroizing;

/// Some lanes of a function, and how far their walk has come.
pub(crate) struct Wave {
    line: Arc<StraightLine<F2>>,
    lanes: usize,
    /// The wires, slot by slot.
    wires: Zeroizing<Vec<F128>>,
    /// The step at hand, and the lanes of it that are done.
    step: usize,
    done: usize,
}

impl Wave {
    /// A wave of so many lanes at its begin, with the columns of its arguments.
    pub(super) fn new<'a>(
        line: &Arc<StraightLine<F2>>,
        lanes: usize,
        arguments: impl Iterator<Item = &'a [F128]>,
    ) -> Self {
        let mut wires = Zeroizing::new(vec![F128::ZERO; lanes * line.slots]);
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
    pub(super) fn wires_on(&self, slot: u32) -> &[F128] {
        &self.wires[slot as usize * self.lanes..][..self.lanes]
    }

    /// Walks on, until a step commits to more than there are `shares`, which are corrected. `made` gets the
    /// factors of each product, or none, with its wires, and `asserted` those that are asserted. `one` is the
    /// share of one.
    pub(super) fn walk(
        &mut self,
        (arch, one): (Arch, F128),
        mut shares: &[F128],
        mut made: impl FnMut(Option<[&[F128]; 2]>, &[F128]),
        asserted: &mut Openings,
    ) {
        let line = self.line.clone();
        while let Some(step) = line.steps.get(self.step) {
            let [out, a, b] = [step.out, step.a, step.b].map(|slot| slot as usize * self.lanes);
            match step.kind {
                Kind::Add => add_rows(arch, &mut self.wires, [out, a, b], self.lanes),
                Kind::Constant => {
                    let value = one.scale(line.constants[step.a as usize]);
                    self.wires[out..out + self.lanes].fill(value);
                }
                Kind::Assert => self.wires_on(step.a).iter().for_each(|wire| asserted.absorb(wire)),
                Kind::Hint => {}
                Kind::Scale => unreachable!("a factor of F_2 is no step"),
                Kind::Mul | Kind::Witness | Kind::Commit => {
                    let (now, behind) = shares.split_at(shares.len().min(self.lanes - self.done));
                    if now.is_empty() {
                        return;
                    }
                    let (from, count) = (self.done, now.len());
                    let factor = |slot: usize| &self.wires[slot + from..][..count];
                    made((step.kind == Kind::Mul).then(|| [factor(a), factor(b)]), now);
                    self.wires[out + from..][..count].copy_from_slice(now);
                    self.done += count;
                    shares = behind;
                    if self.done < self.lanes {
                        return;
                    }
                    self.done = 0;
                }
            }
            self.step += 1;
        }
    }
}

impl Wave {
    /// Walks on over all of `shares`, and puts each product, and each input as the product of itself and one,
    /// into a slot.
    pub(super) fn walk_into(
        &mut self,
        (slots, asserted): (&mut Slots<F128>, &mut Openings),
        (arch, one): (Arch, F128),
        shares: &[F128],
    ) {
        let fill = |factors: Option<[&[F128]; 2]>, made: &[F128]| {
            for (i, made) in made.iter().enumerate() {
                *slots.slot() = match factors {
                    Some([a, b]) => [a[i], b[i], *made],
                    None => [*made, one, *made],
                };
            }
        };
        self.walk((arch, one), shares, fill, asserted);
    }
}

/// The sums of a batch's products, added as they are made, in the order of its shares.
pub(crate) struct Fold {
    arch: Arch,
    coefficients: Prg,
    sums: SumsOf,
    /// Coefficients, and how many of them are used.
    chi: [F128; TILE],
    used: usize,
    total: Zeroizing<Vec<F128>>,
}

impl Fold {
    /// Sums of no products, whose coefficients are those of `seed`.
    pub(super) fn new(arch: Arch, seed: Seed, sums: SumsOf) -> Self {
        let (coefficients, total) = (Prg::new(arch, seed), Zeroizing::new(vec![F128::ZERO; 2]));
        Self { arch, coefficients, sums, chi: [F128::ZERO; TILE], used: TILE, total }
    }

    /// Adds products, or passes over those of inputs.
    pub(super) fn add(&mut self, factors: Option<[&[F128]; 2]>, made: &[F128]) {
        let mut at = 0;
        while at < made.len() {
            if self.used == TILE {
                self.coefficients.fill(&mut self.chi);
                self.used = 0;
            }
            let count = (made.len() - at).min(TILE - self.used);
            if let Some([a, b]) = factors {
                let chi = &self.chi[self.used..][..count];
                let columns = [a, b, made].map(|column| &column[at..][..count]);
                let (first, second) = (self.sums)(self.arch, chi, columns);
                self.total[0] += first;
                self.total[1] += second;
            }
            (self.used, at) = (self.used + count, at + count);
        }
    }

    /// The sums.
    pub(super) fn end(self) -> Zeroizing<Vec<F128>> {
        self.total
    }
}
