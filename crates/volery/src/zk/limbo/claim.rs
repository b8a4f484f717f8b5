//! The prover's work on values: two vectors whose inner product is claimed, made ever shorter.

use super::challenges::{Challenges, Powers};
use super::polynomials::{Points, Scratch, fold_masked};
use super::simulation::TILE;
use core::ops::Range;
use volery_primitives::{Arch, CheckField};
use zeroize::Zeroizing;

/// The entries of the two vectors.
pub(super) trait Entries<E>: Sync {
    /// How many there are.
    fn length(&self) -> usize;

    /// Those from `from` on, as they are for a group of repetitions: the left ones, each times the power of R that
    /// weighs its claim, and the right ones.
    fn fill(&self, arch: Arch, weights: Weights<E>, from: usize, sides: [&mut [E]; 2]);
}

/// What weighs claims for a group of repetitions.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a, E> {
    pub(super) group: usize,
    /// Those of R.
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
            let mask = |words: &[u64]| (words[word] >> bit & 1).wrapping_neg();
            (*x, *y) = (x.keep(mask(&self.left)), E::UNIT.keep(mask(&self.right)));
        }
    }
}

/// Two vectors.
type Pair<E> = [Zeroizing<Vec<E>>; 2];

/// The two vectors of each group, as short as the challenges so far have made them.
pub(super) struct Claim<'a, E: CheckField> {
    arch: Arch,
    compression: usize,
    entries: &'a dyn Entries<E>,
    powers: Vec<Powers<E>>,
    /// None before the first challenge.
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
        Self { arch, compression, entries, powers, folded: vec![] }
    }

    /// Calls `take` with all entries of a group as they are before the first challenge, a multiple of k at a time.
    fn each_piece(&self, group: usize, mut take: impl FnMut(Range<usize>, [&[E]; 2])) {
        let length = self.entries.length();
        let piece = self.compression.max(TILE / self.compression * self.compression);
        let mut pair = [(); 2].map(|()| Zeroizing::new(vec![E::default(); piece.min(length)]));
        for from in (0..length).step_by(piece) {
            let to = length.min(from + piece);
            let [left, right] = &mut pair;
            let (left, right) = (&mut left[..to - from], &mut right[..to - from]);
            let weights = Weights { group, powers: &self.powers[group] };
            self.entries.fill(self.arch, weights, from, [&mut *left, &mut *right]);
            take(from..to, [left, right]);
        }
    }

    /// The values at `points` of the product of a round that does not mask, for one group.
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

    /// Takes the challenge of a round that does not mask.
    pub(super) fn fold(&mut self, challenges: &Challenges<E>) {
        let round = challenges.rounds.last().expect("a challenge");
        let folded = round.iter().enumerate().map(|(group, evaluation)| match self.folded.get(group) {
            Some(pair) => pair.each_ref().map(|x| {
                let mut folded = Zeroizing::new(vec![E::default(); x.len().div_ceil(self.compression)]);
                E::fold(self.arch, x, &evaluation.factor, &mut folded);
                folded
            }),
            None => {
                let length = self.entries.length().div_ceil(self.compression);
                let mut pair = [(); 2].map(|()| Zeroizing::new(vec![E::default(); length]));
                self.each_piece(group, |range, entries| {
                    let range = range.start / self.compression..range.end.div_ceil(self.compression);
                    for (folded, x) in pair.iter_mut().zip(entries) {
                        E::fold(self.arch, x, &evaluation.factor, &mut folded[range.clone()]);
                    }
                });
                pair
            }
        });
        self.folded = folded.collect();
    }

    /// The vectors before the round that masks, which come out whole.
    pub(super) fn last(&mut self) -> &[Pair<E>] {
        if self.folded.is_empty() {
            let whole = (0..self.powers.len()).map(|group| {
                let mut pair = [(); 2].map(|()| Zeroizing::new(Vec::with_capacity(self.entries.length())));
                self.each_piece(group, |_, entries| {
                    pair.iter_mut().zip(entries).for_each(|(whole, x)| whole.extend_from_slice(x));
                });
                pair
            });
            self.folded = whole.collect();
        }
        &self.folded
    }
}

/// The values at `points` of the product of the round that masks, for one repetition.
pub(super) fn masked<E: CheckField>(
    arch: Arch,
    points: &Points<E>,
    [x, y]: &Pair<E>,
    masks: [&[E]; 2],
) -> Vec<E> {
    points.masked_products(arch, [x, y], masks)
}

/// What is opened of one repetition in the end: the two vectors at the last challenge.
pub(super) fn opened<E: CheckField>(
    arch: Arch,
    pair: &Pair<E>,
    masks: [&[E]; 2],
    coefficients: &[E],
) -> [Vec<E>; 2] {
    [0, 1].map(|side| fold_masked(arch, &pair[side], masks[side], coefficients))
}
