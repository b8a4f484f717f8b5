//! Challenges, and the coefficients made of them.

use super::polynomials::{Evaluation, Points};
use super::simulation::TILE;
use volery_primitives::{Arch, CheckField, MOST_WORDS};

/// An endless stream of elements that is a function of a challenge.
fn elements<E: CheckField>(challenge: &[u8; 32]) -> impl Iterator<Item = E> {
    let mut stream = blake3::Hasher::new_keyed(challenge).finalize_xof();
    core::iter::repeat_with(move || {
        let mut bytes = [[0; 8]; MOST_WORDS];
        let bytes = &mut bytes[..E::WORDS];
        stream.fill(bytes.as_flattened_mut());
        let mut words = [0; MOST_WORDS];
        words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        E::uniform(&words)
    })
}

/// The hidden party of each of `repetitions`; `parties` is a power of two.
pub(super) fn hidden(challenge: &[u8; 32], parties: usize, repetitions: usize) -> Vec<usize> {
    let mut stream = blake3::Hasher::new_keyed(challenge).finalize_xof();
    let mut bytes = vec![[0; 4]; repetitions];
    stream.fill(bytes.as_flattened_mut());
    bytes.iter().map(|bytes| u32::from_le_bytes(*bytes) as usize % parties).collect()
}

/// The challenges to the check, one of each kind for each group. A group is one repetition, or all of them.
pub(super) struct Challenges<E> {
    /// R, which combines the claims by its powers.
    pub(super) batching: Vec<E>,
    /// ρ and σ, whose powers combine the rows and the columns of products of matrices.
    pub(super) matrices: Vec<[E; 2]>,
    /// For each round the coefficients that its challenge s gives.
    pub(super) rounds: Vec<Vec<Evaluation<E>>>,
}

impl<E: CheckField> Challenges<E> {
    /// The challenges R, ρ and σ, before any round.
    pub(super) fn new(challenge: &[u8; 32], groups: usize) -> Self {
        let mut elements = elements(challenge);
        let batching = elements.by_ref().take(groups).collect();
        let points: Vec<E> = elements.take(2 * groups).collect();
        Self { batching, matrices: points.as_chunks().0.to_vec(), rounds: vec![] }
    }

    /// Appends the challenge of the next round, over `points`.
    pub(super) fn push(&mut self, challenge: &[u8; 32], points: &Points<E>) {
        let allowed = elements(challenge).filter(|s| points.allows(*s));
        self.rounds.push(allowed.take(self.batching.len()).map(|s| points.at(s)).collect());
    }

    /// The number of groups.
    pub(super) fn groups(&self) -> usize {
        self.batching.len()
    }

    /// The group of a repetition.
    pub(super) fn group(&self, repetition: usize) -> usize {
        repetition.min(self.groups() - 1)
    }
}

/// `base` to the power `exponent`, which is public.
pub(super) fn power<E: CheckField>(base: E, exponent: u64) -> E {
    (0..64 - exponent.leading_zeros()).rev().fold(E::UNIT, |power, bit| {
        let square = power * power;
        if exponent >> bit & 1 == 1 { square * base } else { square }
    })
}

/// The first [`TILE`] powers of R, from which any other follows.
pub(super) struct Powers<E> {
    base: E,
    table: Vec<E>,
}

impl<E: CheckField> Powers<E> {
    pub(super) fn new(arch: Arch, base: E) -> Self {
        let mut table = vec![E::UNIT; TILE];
        let mut known = 1;
        while known < TILE {
            let (low, high) = table.split_at_mut(known);
            E::scale_all(arch, low, power(base, known as u64), &mut high[..known]);
            known *= 2;
        }
        Self { base, table }
    }

    /// `R^from, R^(from+1), …` into `out`.
    pub(super) fn fill(&self, arch: Arch, from: u64, out: &mut [E]) {
        for (i, out) in (from..).step_by(TILE).zip(out.chunks_mut(TILE)) {
            E::scale_all(arch, &self.table[..out.len()], power(self.base, i), out);
        }
    }

    /// `R^exponent`.
    pub(super) fn at(&self, exponent: u64) -> E {
        power(self.base, exponent)
    }
}

/// The public coefficients by which the entries of the two vectors enter the opened values: entry j has the
/// product of the coefficients λ, one for each round, at the digits of j to the base k, the lowest first.
pub(super) struct Coefficients<E> {
    pub(super) powers: Powers<E>,
    /// ρ and σ.
    pub(super) matrices: [E; 2],
    /// λ of each round, k coefficients each.
    rounds: Vec<Vec<E>>,
    /// The products of λ for all values of the lowest digits: k^low of them.
    table: Vec<E>,
    low: usize,
}

/// The coefficients of consecutive entries.
#[derive(Default)]
pub(super) struct EntryCoefficients<E> {
    /// The coefficients of the left factors: with R^j.
    pub(super) left: Vec<E>,
    /// The coefficients of the right factors.
    pub(super) right: Vec<E>,
    /// The coefficients of the products: R^j.
    pub(super) product: Vec<E>,
}

impl<E: CheckField> EntryCoefficients<E> {
    /// Makes room for `count` entries.
    pub(super) fn resize(&mut self, count: usize) {
        for kind in [&mut self.left, &mut self.right, &mut self.product] {
            kind.resize(count, E::default());
        }
    }
}

impl<E: CheckField> Coefficients<E> {
    /// The coefficients of `group`.
    pub(super) fn new(arch: Arch, compression: usize, challenges: &Challenges<E>, group: usize) -> Self {
        let rounds = challenges.rounds.iter();
        let rounds: Vec<Vec<E>> = rounds.map(|round| round[group].factor[..compression].to_vec()).collect();
        let mut table = vec![E::UNIT];
        let mut low = 0;
        while low < rounds.len() && (low == 0 || table.len() * compression <= TILE) {
            table = rounds[low].iter().flat_map(|&digit| table.iter().map(move |&low| low * digit)).collect();
            low += 1;
        }
        let (powers, matrices) = (Powers::new(arch, challenges.batching[group]), challenges.matrices[group]);
        Self { powers, matrices, rounds, table, low }
    }

    /// The number of neighbours that end in the same entry of the last vector.
    pub(super) fn stride(&self) -> u64 {
        self.rounds.iter().fold(1, |stride, round| stride * round.len() as u64)
    }

    /// Fills `run` with the coefficients of entries from `from` on, where each is a claim by itself.
    pub(super) fn fill(&self, arch: Arch, from: u64, run: &mut EntryCoefficients<E>) {
        self.powers.fill(arch, from, &mut run.product);
        self.fill_right(arch, from, &mut run.right);
        E::multiply(arch, &run.product, &run.right, &mut run.left);
    }

    /// Fills `right` with the coefficients of the right factors from entry `from` on.
    pub(super) fn fill_right(&self, arch: Arch, from: u64, right: &mut [E]) {
        let mut at = 0;
        while at < right.len() {
            let entry = from + at as u64;
            let (mut high, low) =
                (entry / self.table.len() as u64, (entry % self.table.len() as u64) as usize);
            let factor = self.rounds[self.low..].iter().fold(E::UNIT, |factor, round| {
                let digit = (high % round.len() as u64) as usize;
                high /= round.len() as u64;
                factor * round[digit]
            });
            let length = (self.table.len() - low).min(right.len() - at);
            E::scale_all(arch, &self.table[low..low + length], factor, &mut right[at..at + length]);
            at += length;
        }
    }
}
