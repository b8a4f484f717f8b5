//! A wave under MACs or keys.

use super::SumsOf;
use crate::TILE;
use crate::slots::{Slots, Triple};
use std::sync::Arc;
use volery_circuit::stream::straight::{Kind, StraightLine};
use volery_primitives::arch::Arch;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::{Extension, F2, F128, Field};
use zeroize::Zeroizing;

/// Lanes that are added together; each slot has room for a multiple of them.
const TOGETHER: usize = 8;

/// Some lanes of a function, and how far their walk has come.
pub(crate) struct Wave {
    line: Arc<StraightLine<F2>>,
    lanes: usize,
    /// The room of a slot.
    stride: usize,
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
        let stride = lanes.next_multiple_of(TOGETHER);
        let mut wires = Zeroizing::new(vec![F128::ZERO; stride * line.slots]);
        for (slot, column) in wires.chunks_exact_mut(stride).zip(arguments) {
            slot[..lanes].copy_from_slice(column);
        }
        Self { line: line.clone(), lanes, stride, wires, step: 0, done: 0 }
    }

    /// The number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether all steps are done.
    pub(super) fn is_done(&self) -> bool {
        self.step == self.line.steps.len()
    }

    /// The wires on a slot.
    pub(super) fn wires_on(&self, slot: u32) -> &[F128] {
        &self.wires[slot as usize * self.stride..][..self.lanes]
    }

    /// Walks on, until a step commits to more than there are `shares`, which are corrected. `made` gets the factors of each
    /// product, or none, with its wires, and `asserted` those that are asserted. `one` is the share of one.
    pub(crate) fn walk(
        &mut self,
        one: F128,
        mut shares: &[F128],
        mut made: impl FnMut(Option<[&[F128]; 2]>, &[F128]),
        asserted: &mut Vec<F128>,
    ) {
        let line = self.line.clone();
        while let Some(step) = line.steps.get(self.step) {
            let [out, a, b] = [step.out, step.a, step.b].map(|slot| slot as usize * self.stride);
            match step.kind {
                Kind::Add => add(&mut self.wires, [out, a, b], self.stride),
                Kind::Constant => {
                    let value = one.scale(line.constants[step.a as usize]);
                    self.wires[out..out + self.lanes].fill(value);
                }
                Kind::Assert => asserted.extend_from_slice(self.wires_on(step.a)),
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
    /// Walks on over all of `shares`, and puts each product, and each input as the product of itself and one, into a slot. The
    /// wires that are asserted are returned.
    pub(crate) fn walk_into(&mut self, slots: &mut Slots<F128>, one: F128, shares: &[F128]) -> Zeroizing<Vec<F128>> {
        let mut asserted = Zeroizing::new(Vec::with_capacity(self.lanes * self.line.assertions as usize));
        let fill = |factors: Option<[&[F128]; 2]>, made: &[F128]| {
            for (i, made) in made.iter().enumerate() {
                *slots.slot() = match factors {
                    Some([a, b]) => [a[i], b[i], *made],
                    None => [*made, one, *made],
                };
            }
        };
        self.walk(one, shares, fill, &mut asserted);
        asserted
    }
}

/// Puts the sums of the wires from `a` and from `b` on at `out`, which may be one of these.
fn add(wires: &mut [F128], [out, a, b]: [usize; 3], count: usize) {
    for at in (0..count).step_by(TOGETHER) {
        let of = |from: usize| *wires[from + at..].first_chunk::<TOGETHER>().expect("room for so many");
        let (a, b) = (of(a), of(b));
        let sums = wires[out + at..].first_chunk_mut::<TOGETHER>().expect("room for so many");
        for i in 0..TOGETHER {
            sums[i] = a[i] + b[i];
        }
    }
}

/// The sums of a batch's products, added as they are made, in the order of its shares.
pub(crate) struct Fold {
    arch: Arch,
    coefficients: Prg,
    sums: SumsOf,
    /// The last products, which are few.
    triples: Zeroizing<Vec<Triple<F128>>>,
    total: Zeroizing<Vec<F128>>,
}

impl Fold {
    /// Sums of no products, whose coefficients are those of `seed`.
    pub(super) fn new(arch: Arch, seed: Seed, sums: SumsOf) -> Self {
        Self {
            arch,
            coefficients: Prg::new(arch, seed),
            sums,
            triples: Zeroizing::new(Vec::with_capacity(TILE)),
            total: Zeroizing::new(vec![F128::ZERO; 2]),
        }
    }

    /// Adds products, or passes over those of inputs.
    pub(super) fn add(&mut self, factors: Option<[&[F128]; 2]>, made: &[F128]) {
        let mut at = 0;
        while at < made.len() {
            let count = (made.len() - at).min(TILE - self.triples.len());
            match factors {
                Some([a, b]) => {
                    let pairs = a[at..at + count].iter().zip(&b[at..at + count]);
                    self.triples.extend(pairs.zip(&made[at..at + count]).map(|((a, b), c)| [*a, *b, *c]));
                }
                None => self.triples.extend((0..count).map(|_| [F128::ZERO; 3])),
            }
            at += count;
            if self.triples.len() == TILE {
                self.sum();
            }
        }
    }

    fn sum(&mut self) {
        let mut chi = [F128::ZERO; TILE];
        let chi = &mut chi[..self.triples.len()];
        self.coefficients.fill(chi);
        let (first, second) = (self.sums)(self.arch, chi, &self.triples);
        self.total[0] += first;
        self.total[1] += second;
        self.triples.clear();
    }

    /// The sums.
    pub(super) fn end(mut self) -> Zeroizing<Vec<F128>> {
        self.sum();
        self.total
    }
}
