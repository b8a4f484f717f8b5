//! The prover's work on values: shortening two vectors whose inner product is claimed.

use super::challenges::{Challenges, Powers};
use super::polynomials::{Points, Scratch, fold_masked};
use super::simulation::TILE;
use core::ops::Range;
use volery_primitives::bits::mask;
use volery_primitives::{Arch, CheckField};
use zeroize::Zeroizing;

/// The entries of the two vectors.
pub(super) trait Entries<E>: Sync {
    /// The number of entries.
    fn length(&self) -> usize;

    /// Writes the entries from `from` on for a group of repetitions: the left ones, each times the power of R
    /// of its claim, and the right ones.
    fn fill(&self, arch: Arch, weights: Weights<E>, from: usize, sides: [&mut [E]; 2]);
}

/// The weights of claims for a group of repetitions.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a, E> {
    pub(super) group: usize,
    /// The powers of R.
    pub(super) powers: &'a Powers<E>,
}

/// The factors of all products over F_2, packed.
#[derive(Default)]
pub(super) struct Factors {
    pub(super) left: Zeroizing<Vec<u64>>,
    pub(super) right: Zeroizing<Vec<u64>>,
    pub(super) length: usize,
}

impl<E: CheckField> Entries<E> for Factors {
    fn length(&self) -> usize {
        self.length
    }

    fn fill(&self, arch: Arch, weights: Weights<E>, from: usize, [left, right]: [&mut [E]; 2]) {
        weights.powers.fill(arch, from as u64, left);
        for (i, (x, y)) in left.iter_mut().zip(right).enumerate() {
            let (word, bit) = ((from + i) / 64, (from + i) % 64);
            let at = |words: &[u64]| mask(words[word] >> bit);
            (*x, *y) = (x.keep(at(&self.left)), E::UNIT.keep(at(&self.right)));
        }
    }
}

/// The left and the right vector.
type Pair<E> = [Zeroizing<Vec<E>>; 2];

/// The most entries of a vector that is kept: longer ones are made again from the factors in each round, so
/// that a claim takes no more memory than these.
const KEPT: usize = 1 << 16;

/// The two vectors of each group, as the challenges so far have shortened them.
pub(super) struct Claim<'a, E: CheckField> {
    arch: Arch,
    compression: usize,
    entries: &'a dyn Entries<E>,
    powers: Vec<Powers<E>>,
    /// The coefficients of each challenge by which entries fold, for each group, as long as the vectors are
    /// not kept.
    steps: Vec<Vec<Vec<E>>>,
    /// The vectors, once they are short enough to keep.
    folded: Vec<Pair<E>>,
}

impl<'a, E: CheckField> Claim<'a, E> {
    pub(super) fn new(
        arch: Arch,
        compression: usize,
        entries: &'a dyn Entries<E>,
        challenges: &Challenges<E>,
    ) -> Self {
        let powers = challenges.batching.iter().map(|&base| Powers::new(arch, base)).collect();
        Self { arch, compression, entries, powers, steps: vec![], folded: vec![] }
    }

    /// The number of entries of the vectors while they are not kept.
    fn length(&self) -> usize {
        self.steps.iter().fold(self.entries.length(), |length, _| length.div_ceil(self.compression))
    }

    /// Calls `take` with all entries of a group, folded by the challenges so far, a multiple of k at a time.
    fn each_piece(&self, group: usize, mut take: impl FnMut(Range<usize>, [&[E]; 2])) {
        let length = self.entries.length();
        let unfolded = |steps: usize| self.compression.pow(steps as u32);
        let least = unfolded(self.steps.len() + 1);
        let piece = least * (TILE / least).max(1);
        let (mut pair, mut folded) = (Pair::<E>::default(), Pair::<E>::default());
        for from in (0..length).step_by(piece) {
            let mut count = piece.min(length - from);
            pair.iter_mut().for_each(|side| side.resize(count, E::default()));
            let weights = Weights { group, powers: &self.powers[group] };
            let [left, right] = &mut pair;
            self.entries.fill(self.arch, weights, from, [&mut *left, &mut *right]);
            for step in &self.steps {
                count = count.div_ceil(self.compression);
                for (side, folded) in pair.iter().zip(&mut folded) {
                    folded.resize(count, E::default());
                    E::fold(self.arch, side, &step[group], folded);
                }
                core::mem::swap(&mut pair, &mut folded);
            }
            let first = from / unfolded(self.steps.len());
            take(first..first + count, [&pair[0], &pair[1]]);
        }
    }

    /// The vectors of each group, folded by the challenges so far.
    fn whole(&self) -> Vec<Pair<E>> {
        let length = self.length();
        let groups = (0..self.powers.len()).map(|group| {
            let zeroes = || Zeroizing::new(vec![E::default(); length]);
            let mut pair = [zeroes(), zeroes()];
            self.each_piece(group, |range, entries| {
                let sides = pair.iter_mut().zip(entries);
                sides.for_each(|(whole, side)| whole[range.clone()].copy_from_slice(side));
            });
            pair
        });
        groups.collect()
    }

    /// The values at `points` of the product of a round without masks, for one group.
    pub(super) fn products(&self, points: &Points<E>, group: usize) -> Vec<E> {
        let mut values = vec![E::default(); points.injected() + 1];
        let mut scratch = Scratch::default();
        match self.folded.get(group) {
            Some([x, y]) => points.add_products(self.arch, x, y, &mut scratch, &mut values),
            None => self.each_piece(group, |_, [x, y]| {
                points.add_products(self.arch, x, y, &mut scratch, &mut values);
            }),
        }
        values
    }

    /// Folds the vectors by the challenge of a round without masks.
    pub(super) fn fold(&mut self, challenges: &Challenges<E>) {
        let round = challenges.rounds.last().expect("a challenge");
        if self.folded.is_empty() {
            self.steps.push(round.iter().map(|evaluation| evaluation.factor.clone()).collect());
            if self.length() <= KEPT {
                self.folded = self.whole();
            }
            return;
        }
        for (pair, evaluation) in self.folded.iter_mut().zip(round) {
            for side in pair {
                let mut folded = Zeroizing::new(vec![E::default(); side.len().div_ceil(self.compression)]);
                E::fold(self.arch, side, &evaluation.factor, &mut folded);
                *side = folded;
            }
        }
    }

    /// The vectors before the last round, the one with masks.
    pub(super) fn last(&mut self) -> &[Pair<E>] {
        if self.folded.is_empty() {
            self.folded = self.whole();
        }
        &self.folded
    }
}

/// The values at `points` of the product of the last round, for one repetition, with its masks.
pub(super) fn masked<E: CheckField>(
    arch: Arch,
    points: &Points<E>,
    [x, y]: &Pair<E>,
    masks: [&[E]; 2],
) -> Vec<E> {
    points.masked_products(arch, [x, y], masks)
}

/// The opened values of one repetition: the two vectors at the last challenge.
pub(super) fn opened<E: CheckField>(
    arch: Arch,
    pair: &Pair<E>,
    masks: [&[E]; 2],
    coefficients: &[E],
) -> [Vec<E>; 2] {
    let side = |i: usize| fold_masked(arch, &pair[i], masks[i], coefficients);
    [side(0), side(1)]
}
