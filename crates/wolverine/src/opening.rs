//! Weighing what was opened: appendix B, second approach, with structured coefficients.
//!
//! Gate g, whose triple is [a], [b], [c], and a triple [x], [y], [z] that checks it under the factor η open
//! δ_α = η·a − x, δ_β = b − y, and zero for μ = z − η·c + δ_β·x + δ_α·y + δ_α·δ_β, which is z − x·y +
//! η·(a·b − c). Their MACs go into one sum,
//!
//! > Σ χ_s·(θ_α·(η·a − x) + θ_β·(b − y) + z − η·c + δ_β·x + δ_α·y),
//!
//! with a coefficient χ_s for each pair, by the slot s = 128·g + j of the triple in the bucket of its gate,
//! and two for all of them. What is wrong with one pair survives θ_α, θ_β but with probability 1/|E|, and
//! then χ but with 1/|E| (lemma 2). An opened triple has a slot beyond all gates: it checks the gate 0·0 = 0.
//! Both parties weigh gates and triples where they lie, whatever the permutation.

use super::permutation::Shuffle;
use super::plan::Plan;
use super::rows::Tiles;
use volery_primitives::aes::Aes128;
use volery_primitives::{Arch, Extension, F128, Field, MOST_WORDS};
use volery_vole::macs::Values;
use zeroize::DefaultIsZeroes;

/// The low bits of a slot's number, which tell the triples of one bucket apart.
pub(super) const BUCKET_BITS: u32 = 7;

/// Coefficients drawn at a time.
const DRAWN: usize = 256;

/// The gate that each triple checks. Its memory is used again for the next block.
pub(super) struct Matching<V> {
    /// The slot of each triple: its gate's number, and its own in the bucket.
    pub(super) slots: Vec<u32>,
    /// B, the triples of a bucket.
    bucket: u32,
    /// The number of gates.
    gates: usize,
    /// η, the factor of sacrifice; one for buckets.
    pub(super) factor: V,
    shuffle: Shuffle,
}

impl<V: Field> Matching<V> {
    pub(super) fn new() -> Self {
        Self { slots: Vec::new(), bucket: 1, gates: 0, factor: V::ONE, shuffle: Shuffle::default() }
    }

    /// Matches each triple with the gate of its number, under η.
    pub(super) fn in_order(&mut self, gates: usize, factor: V) {
        (self.bucket, self.gates, self.factor) = (1, gates, factor);
        self.slots.clear();
        self.slots.extend((0..gates as u32).map(|gate| gate << BUCKET_BITS));
    }

    /// Matches B triples with each gate, and opens c, by a permutation that follows from `seed`. Fig. 3, 6.
    pub(super) fn permuted(&mut self, arch: Arch, seed: F128, gates: usize, plan: Plan) {
        let (bucket, triples) = (plan.bucket as u32, plan.triples(gates as u64) as u32);
        (self.bucket, self.gates, self.factor) = (bucket, gates, V::ONE);
        let (mut gate, mut place) = (0, 0);
        let slots = (0..triples).map(|_| {
            if place == bucket && gate < gates as u32 {
                (gate, place) = (gate + 1, 0);
            }
            let slot = (gate << BUCKET_BITS) + place;
            place += 1;
            slot
        });
        self.shuffle.shuffle(arch, seed, slots, &mut self.slots);
    }

    /// The gate of a slot, or `None` for the slot of a triple that is opened.
    #[inline(always)]
    pub(super) fn gate(&self, slot: u32) -> Option<usize> {
        let gate = (slot >> BUCKET_BITS) as usize;
        (gate < self.gates).then_some(gate)
    }
}

/// Triples with the gates that they check and the values opened of both. Its memory is used again for the
/// next block.
pub(super) struct Pairs<V, R: DefaultIsZeroes> {
    pub(super) triples: Tiles<R>,
    pub(super) matching: Matching<V>,
    /// δ_α and δ_β, by triples.
    pub(super) opened: [Vec<V>; 2],
}

impl<V: Field, R: DefaultIsZeroes> Pairs<V, R> {
    pub(super) fn new() -> Self {
        Self { triples: Tiles::new(), matching: Matching::new(), opened: [Vec::new(), Vec::new()] }
    }
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

    /// Fills `out` with the coefficients of these numbers.
    ///
    /// # Panics
    /// Where there are not as many as fit.
    fn fill<E: Field>(&mut self, numbers: impl ExactSizeIterator<Item = u64>, out: &mut [E]) {
        assert_eq!(numbers.len(), out.len());
        let each = E::SAMPLE.div_ceil(2);
        self.blocks.resize(each * out.len(), F128(0));
        for (blocks, number) in self.blocks.chunks_exact_mut(each).zip(numbers) {
            let first = number * each as u64;
            blocks.iter_mut().zip(first..).for_each(|(block, number)| *block = F128(number.into()));
        }
        self.key.encrypt(&mut self.blocks);
        for (blocks, out) in self.blocks.chunks_exact(each).zip(out) {
            let mut words = [0; MOST_WORDS];
            for (i, word) in words[..E::SAMPLE].iter_mut().enumerate() {
                *word = (blocks[i / 2].0 >> (64 * (i % 2))) as u64;
            }
            *out = E::sample(&words[..E::SAMPLE]);
        }
    }
}

/// The number of the first of the coefficients θ_α and θ_β: beyond those of all slots.
const THETA: u64 = 1 << 40;

/// The sum that opens all pairs of a block.
pub(super) struct Opening<'a, L: Values> {
    arch: Arch,
    coefficients: Coefficients,
    theta: [L::E; 2],
    matching: &'a Matching<L::F>,
    /// δ_α and δ_β, by triples.
    opened: [&'a [L::F]; 2],
}

impl<'a, L: Values> Opening<'a, L> {
    /// An opening under the coefficients of `seed`, which was drawn after all of `opened`.
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

    /// The verifier's sum, of keys. It equals the prover's where the opened values are right: they and the
    /// zeroes add a multiple of Δ by Σ χ·(δ_α·δ_β − θ_α·δ_α − θ_β·δ_β).
    pub(super) fn of_keys(mut self, gates: &Tiles<L::E>, triples: &Tiles<L::E>, delta: L::E) -> L::E {
        let gates = self.gates(gates, L::key_sums);
        let arch = self.arch;
        let mut values = [L::E::ZERO; 3];
        let mut products = [L::F::ZERO; DRAWN];
        let triples = self.triples(triples, L::opened_key_sums, |chi, [left, right]| {
            let products = &mut products[..chi.len()];
            let both = left.iter().zip(right);
            products.iter_mut().zip(both).for_each(|(product, (&left, &right))| *product = left * right);
            let weighed = |values: &[L::F]| L::weigh(arch, chi, values);
            add(&mut values, [weighed(left), weighed(right), weighed(products)]);
        });
        let by_delta = values[2] - self.theta[0] * values[0] - self.theta[1] * values[1];
        self.total(gates, triples) + delta * by_delta
    }

    /// θ_α·(η·A − X) + θ_β·(B − Y) − η·C + Z.
    fn total(&self, [a, b, c]: [L::E; 3], [x, y, z]: [L::E; 3]) -> L::E {
        let factor = self.matching.factor;
        self.theta[0] * (a.scale(factor) - x) + self.theta[1] * (b - y) - c.scale(factor) + z
    }

    /// The sums over gates, each times all coefficients of its bucket.
    fn gates<R: DefaultIsZeroes>(
        &mut self,
        gates: &Tiles<R>,
        sums: impl Fn(Arch, &[L::E], &[[R; 3]]) -> [L::E; 3],
    ) -> [L::E; 3] {
        let mut chi = [L::E::ZERO; DRAWN];
        let mut weights = [L::E::ZERO; DRAWN];
        let mut total = [L::E::ZERO; 3];
        for (before, tile) in gates.iter() {
            for (i, gates) in tile.chunks(DRAWN).enumerate() {
                let first = (before + DRAWN * i) as u32;
                let (chi, weights) = (&mut chi[..gates.len()], &mut weights[..gates.len()]);
                weights.fill(L::E::ZERO);
                for j in 0..self.matching.bucket {
                    let slots = (first..first + gates.len() as u32).map(|gate| gate << BUCKET_BITS | j);
                    self.coefficients.fill(slots.map(u64::from), chi);
                    weights.iter_mut().zip(&*chi).for_each(|(weight, &chi)| *weight += chi);
                }
                add(&mut total, sums(self.arch, weights, gates));
            }
        }
        total
    }

    /// The sums over triples. `also` gets the coefficients and the opened values.
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
                self.coefficients.fill(slots.iter().copied().map(u64::from), chi);
                let opened = [&self.opened[0][range.clone()], &self.opened[1][range]];
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

/// δ_α and δ_β of the pairs of some triples, whose operands are `own`, with gates whose operands are among
/// `operands`: step 7a and 8.
pub(super) fn open<V: Field>(
    matching: &Matching<V>,
    operands: &[[V; 2]],
    slots: &[u32],
    own: &[[V; 2]],
    [left, right]: [&mut [V]; 2],
) {
    assert_eq!((slots.len(), left.len(), right.len()), (own.len(), own.len(), own.len()));
    let pairs = slots.iter().zip(own).zip(left.iter_mut().zip(right));
    for ((&slot, &[x, y]), (left, right)) in pairs {
        let [a, b] = matching.gate(slot).map_or([V::ZERO; 2], |gate| operands[gate]);
        *left = matching.factor * a - x;
        *right = b - y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::F2;

    /// Each gate has its B slots and c lie beyond them, in whatever order and whatever
    /// the memory held before.
    #[test]
    fn slots_are_permuted() {
        let mut matching = Matching::<F2>::new();
        for (gates, bucket, opened) in [(1, 19, 25), (5000, 3, 400), (2, 127, 127), (300, 1, 1)] {
            matching.permuted(Arch::detect(), F128(3), gates, Plan { bucket, opened });
            let mut slots = matching.slots.clone();
            slots.sort_unstable();
            let of_gates = (0..gates as u32).flat_map(|gate| (0..bucket as u32).map(move |j| 128 * gate + j));
            let beyond = (0..opened as u32).map(|i| 128 * gates as u32 + i);
            assert_eq!(slots, of_gates.chain(beyond).collect::<Vec<_>>());
            assert_ne!(slots, matching.slots);
            assert_eq!(slots.iter().filter(|&&slot| matching.gate(slot).is_none()).count() as u64, opened);
        }
    }
}
