//! Weighing what was opened: appendix B, second approach, with structured coefficients.
//!
//! Gate g, whose triple is [a], [b], [c], and a triple [x], [y], [z] that checks it under the factor η open
//! δ_α = η·a − x, δ_β = b − y, and zero for μ = z − η·c + δ_β·x + δ_α·y + δ_α·δ_β, which is z − x·y + η·(a·b − c). Their
//! MACs go into one sum,
//!
//! > Σ χ_s·(θ_α·(η·a − x) + θ_β·(b − y) + z − η·c + δ_β·x + δ_α·y),
//!
//! with a coefficient χ_s for each pair, by the slot s = 128·g + j of the triple in the bucket of its gate, and two for
//! all of them. What is wrong with one pair survives θ_α, θ_β but with probability 1/|E|, and then χ but with 1/|E|
//! (lemma 2). An opened triple has a slot beyond all gates: it checks the gate 0·0 = 0. Both parties weigh gates and triples
//! where they lie, whatever the permutation.

use super::macs::Values;
use super::rows::Tiles;
use core::array::from_fn;
use volery_primitives::aes::Aes128;
use volery_primitives::{Arch, Extension, F128, Field};
use zeroize::DefaultIsZeroes;

/// The bits of a slot that tell triples of one bucket apart.
pub(super) const BUCKET_BITS: u32 = 7;

/// Coefficients drawn at a time.
const DRAWN: usize = 256;

/// What pairs are matched by.
pub(super) struct Matching<V> {
    /// The slot of each triple.
    pub(super) slots: Vec<u32>,
    /// B.
    pub(super) bucket: u32,
    /// The gates.
    pub(super) gates: usize,
    /// η.
    pub(super) factor: V,
}

impl<V: Field> Matching<V> {
    /// The gate of a slot, but for opened triples.
    #[inline(always)]
    pub(super) fn gate(&self, slot: u32) -> Option<usize> {
        let gate = (slot >> BUCKET_BITS) as usize;
        (gate < self.gates).then_some(gate)
    }
}

/// All slots of `gates`, B each, and of `opened` triples.
pub(super) fn slots(gates: usize, bucket: u32, opened: usize) -> Vec<u32> {
    let end = (gates as u32) << BUCKET_BITS;
    let mut slots = Vec::with_capacity(gates * bucket as usize + opened);
    for first in (0..end).step_by(1 << BUCKET_BITS) {
        slots.extend(first..first + bucket);
    }
    slots.extend(end..end + opened as u32);
    slots
}

/// The coefficients of one opening, each a function of its number.
struct Coefficients {
    key: Aes128,
    blocks: Vec<F128>,
}

impl Coefficients {
    fn new(arch: Arch, seed: F128) -> Self {
        Self { key: Aes128::new(arch, seed), blocks: Vec::new() }
    }

    /// Those with these numbers.
    fn fill<E: Field>(&mut self, numbers: impl Iterator<Item = u64>, out: &mut [E]) {
        let each = E::SAMPLE.div_ceil(2);
        self.blocks.clear();
        for number in numbers {
            let first = u128::from(number) * each as u128;
            self.blocks.extend((0..each as u128).map(|i| F128(first + i)));
        }
        self.key.encrypt(&mut self.blocks);
        for (blocks, out) in self.blocks.chunks_exact(each).zip(out) {
            let words: [u64; 4] = from_fn(|i| (blocks[(i / 2).min(each - 1)].0 >> (64 * (i % 2))) as u64);
            *out = E::sample(&words[..E::SAMPLE]);
        }
    }
}

/// The coefficients of the two factors: beyond those of all slots.
const THETA: u64 = 1 << 40;

/// The sum over one block's pairs.
pub(super) struct Opening<'a, L: Values> {
    arch: Arch,
    coefficients: Coefficients,
    theta: [L::E; 2],
    matching: &'a Matching<L::F>,
    /// δ_α and δ_β, by triples.
    opened: [&'a [L::F]; 2],
}

impl<'a, L: Values> Opening<'a, L> {
    /// The coefficients that `seed` makes. It was drawn after all that was `opened`.
    pub(super) fn new(arch: Arch, seed: F128, matching: &'a Matching<L::F>, opened: [&'a [L::F]; 2]) -> Self {
        let mut coefficients = Coefficients::new(arch, seed);
        let mut theta = [L::E::ZERO; 2];
        coefficients.fill([THETA, THETA + 1].into_iter(), &mut theta);
        Self { arch, coefficients, theta, matching, opened }
    }

    /// The prover's sum, of MACs.
    pub(super) fn of_tags(mut self, gates: &Tiles<L::Tag>, triples: &Tiles<L::Tag>) -> L::E {
        let gates = self.gates(gates, L::tag_sums);
        let triples = self.triples(triples, L::opened_tag_sums, |_, _| {});
        self.total(gates, triples)
    }

    /// The verifier's sum, of keys, which is the prover's where all was opened rightly: what was opened, and zero, are
    /// multiples of Δ by Σ χ·(δ_α·δ_β − θ_α·δ_α − θ_β·δ_β).
    pub(super) fn of_keys(mut self, gates: &Tiles<L::E>, triples: &Tiles<L::E>, delta: L::E) -> L::E {
        let gates = self.gates(gates, L::key_sums);
        let mut values = [L::E::ZERO; 3];
        let triples = self.triples(triples, L::opened_key_sums, |chi, [left, right]| {
            for ((&chi, &left), &right) in chi.iter().zip(left).zip(right) {
                let by_left = chi.scale(left);
                values[0] += by_left;
                values[1] += chi.scale(right);
                values[2] += by_left.scale(right);
            }
        });
        let by_delta = values[2] - self.theta[0] * values[0] - self.theta[1] * values[1];
        self.total(gates, triples) + delta * by_delta
    }

    /// θ_α·(η·A − X) + θ_β·(B − Y) − η·C + Z.
    fn total(&self, [a, b, c]: [L::E; 3], [x, y, z]: [L::E; 3]) -> L::E {
        let factor = self.matching.factor;
        self.theta[0] * (a.scale(factor) - x) + self.theta[1] * (b - y) - c.scale(factor) + z
    }

    /// The sums over gates, each weighed by all coefficients of its bucket.
    fn gates<R: DefaultIsZeroes>(
        &mut self,
        gates: &Tiles<R>,
        sums: impl Fn(Arch, &[L::E], &[[R; 3]]) -> [L::E; 3],
    ) -> [L::E; 3] {
        let bucket = self.matching.bucket as usize;
        let mut chi = vec![L::E::ZERO; DRAWN * bucket];
        let mut weights = [L::E::ZERO; DRAWN];
        let mut total = [L::E::ZERO; 3];
        for (before, tile) in gates.iter() {
            for (i, gates) in tile.chunks(DRAWN).enumerate() {
                let first = (before + DRAWN * i) as u64;
                let numbers = (first..first + gates.len() as u64)
                    .flat_map(|gate| (0..bucket as u64).map(move |j| gate << BUCKET_BITS | j));
                let chi = &mut chi[..bucket * gates.len()];
                self.coefficients.fill(numbers, chi);
                let weights = &mut weights[..gates.len()];
                for (weight, chi) in weights.iter_mut().zip(chi.chunks_exact(bucket)) {
                    *weight = chi.iter().copied().sum();
                }
                add(&mut total, sums(self.arch, weights, gates));
            }
        }
        total
    }

    /// The sums over triples; `also` sees the coefficients, and what was opened.
    fn triples<R: DefaultIsZeroes>(
        &mut self,
        triples: &Tiles<R>,
        sums: impl Fn(Arch, &[L::E], &[[R; 3]], [&[L::F]; 2]) -> [L::E; 3],
        mut also: impl FnMut(&[L::E], [&[L::F]; 2]),
    ) -> [L::E; 3] {
        let mut chi = [L::E::ZERO; DRAWN];
        let mut total = [L::E::ZERO; 3];
        for (before, tile) in triples.iter() {
            for (i, triples) in tile.chunks(DRAWN).enumerate() {
                let range = before + DRAWN * i..before + DRAWN * i + triples.len();
                let chi = &mut chi[..triples.len()];
                let slots = &self.matching.slots[range.clone()];
                self.coefficients.fill(slots.iter().map(|&slot| slot.into()), chi);
                let opened = self.opened.map(|opened| &opened[range.clone()]);
                also(chi, opened);
                add(&mut total, sums(self.arch, chi, triples, opened));
            }
        }
        total
    }
}

fn add<E: Field>(total: &mut [E; 3], sums: [E; 3]) {
    total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
}

/// δ_α and δ_β of the pairs of some triples, whose gates have these left and right operands: step 7a and 8.
pub(super) fn open<L: Values>(
    matching: &Matching<L::F>,
    operands: &[[L::F; 2]],
    slots: &[u32],
    triples: &[[L::Tag; 3]],
    [left, right]: [&mut [L::F]; 2],
) {
    let pairs = slots.iter().zip(triples).zip(left.iter_mut().zip(right));
    for ((&slot, &[x, y, _]), (left, right)) in pairs {
        let [a, b] = matching.gate(slot).map_or([L::F::ZERO; 2], |gate| operands[gate]);
        *left = matching.factor * a - L::value(x);
        *right = b - L::value(y);
    }
}
