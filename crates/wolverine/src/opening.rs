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
use super::rows::{TILE, Tiles};
use core::mem;
use std::sync::Arc;
use volery_channel::pool::{Pool, Tasks};
use volery_primitives::aes::Aes128;
use volery_primitives::{Arch, Extension, F128, Field, MOST_WORDS};
use volery_vole::macs::Values;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// The low bits of a slot's number, which tell the triples of one bucket apart.
pub(super) const BUCKET_BITS: u32 = 7;

/// Coefficients drawn at a time.
const DRAWN: usize = 256;

/// Gates or triples of a task.
const PIECE: usize = 2 * TILE;

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
    pub(super) fn permuted(&mut self, by: (&Pool, Arch), seed: F128, gates: usize, plan: Plan) {
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
        self.shuffle.shuffle(by, seed, slots, &mut self.slots);
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
struct Coefficients<'k> {
    key: &'k Aes128,
    blocks: Vec<F128>,
}

impl<'k> Coefficients<'k> {
    fn new(key: &'k Aes128) -> Self {
        Self { key, blocks: Vec::new() }
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

/// The sum that opens all pairs of a block, as tasks compute its parts; it holds what they are computed of.
pub(super) struct Opening<L: Values, R: DefaultIsZeroes> {
    arch: Arch,
    key: Aes128,
    theta: [L::E; 2],
    gates: Tiles<R>,
    pairs: Pairs<L::F, R>,
}

/// Three sums over gates or over triples, of MACs or keys: those of a piece are secret. Behind the verifier's over
/// triples stand those over opened values: δ_α, δ_β and their products.
type Sums<E> = Zeroizing<Vec<[E; 3]>>;

/// Sums over gates under these coefficients.
type SumsOf<E, R> = fn(Arch, &[E], &[[R; 3]]) -> [E; 3];

/// A function of each piece: of coefficients, triples, and the opened values of these.
type Each<'a, L, R> = dyn FnMut(&[<L as Values>::E], &[[R; 3]], [&[<L as Values>::F]; 2]) + 'a;

impl<L: Values> Opening<L, L::Tag> {
    /// The prover's sum, of MACs.
    pub(super) fn of_tags(self: &Arc<Self>, pool: &Pool) -> L::E {
        let gates = self.summed(pool, self.gates.len(), |of, first| of.gates(first, L::tag_sums));
        let triples = self.summed(pool, self.pairs.triples.len(), |of, first| {
            let mut sums = Zeroizing::new(vec![[L::E::ZERO; 3]]);
            of.each_drawn(first, &mut |chi, triples, opened| {
                add(&mut sums[0], L::opened_tag_sums(of.arch, chi, triples, opened));
            });
            sums
        });
        self.total(&gates, &triples)
    }
}

impl<L: Values> Opening<L, L::E> {
    /// The verifier's sum, of keys. It equals the prover's where the opened values are right: they and the
    /// zeroes add a multiple of Δ by Σ χ·(δ_α·δ_β − θ_α·δ_α − θ_β·δ_β).
    pub(super) fn of_keys(self: &Arc<Self>, pool: &Pool, delta: L::E) -> L::E {
        let gates = self.summed(pool, self.gates.len(), |of, first| of.gates(first, L::key_sums));
        let triples = self.summed(pool, self.pairs.triples.len(), |of, first| {
            let mut sums = Zeroizing::new(vec![[L::E::ZERO; 3]; 2]);
            of.each_drawn(first, &mut |chi, triples, opened| {
                add(&mut sums[0], L::opened_key_sums(of.arch, chi, triples, opened));
                add(&mut sums[1], of.values(chi, opened));
            });
            sums
        });
        let [left, right, products] = triples[1];
        let by_delta = products - self.theta[0] * left - self.theta[1] * right;
        self.total(&gates, &triples) + delta * by_delta
    }
}

impl<L: Values, R: DefaultIsZeroes + Send + Sync + 'static> Opening<L, R> {
    /// An opening under the coefficients of `seed`, which was drawn after all that was opened. It takes the gates and
    /// the pairs, which [`given_back`](Opening::given_back) gives back.
    pub(super) fn new(arch: Arch, seed: F128, gates: &mut Tiles<R>, pairs: &mut Pairs<L::F, R>) -> Arc<Self> {
        let key = Aes128::new(arch, seed);
        let mut theta = [L::E::ZERO; 2];
        Coefficients::new(&key).fill([THETA, THETA + 1].into_iter(), &mut theta);
        let (gates, pairs) = (mem::replace(gates, Tiles::new()), mem::replace(pairs, Pairs::new()));
        Arc::new(Self { arch, key, theta, gates, pairs })
    }

    /// The gates and the pairs.
    pub(super) fn given_back(self: Arc<Self>) -> (Tiles<R>, Pairs<L::F, R>) {
        let opening = Arc::into_inner(self).expect("all tasks are done");
        (opening.gates, opening.pairs)
    }

    /// The sum of what `piece` gives for each piece of `length` gates or triples.
    fn summed(
        self: &Arc<Self>,
        pool: &Pool,
        length: usize,
        piece: fn(&Self, usize) -> Sums<L::E>,
    ) -> Sums<L::E> {
        let (mut tasks, mut total) = (Tasks::default(), Zeroizing::new(Vec::new()));
        let mut first = 0;
        loop {
            while first < length && tasks.len() <= pool.ahead() {
                let opening = self.clone();
                tasks.push(pool.run(move || piece(&opening, first)));
                first += PIECE;
            }
            let Some(sums) = tasks.next() else { return total };
            total.resize(sums.len(), [L::E::ZERO; 3]);
            total.iter_mut().zip(sums.iter()).for_each(|(total, sums)| add(total, *sums));
        }
    }

    /// θ_α·(η·A − X) + θ_β·(B − Y) − η·C + Z.
    fn total(&self, gates: &Sums<L::E>, triples: &Sums<L::E>) -> L::E {
        let ([a, b, c], [x, y, z]) = (gates[0], triples[0]);
        let factor = self.pairs.matching.factor;
        self.theta[0] * (a.scale(factor) - x) + self.theta[1] * (b - y) - c.scale(factor) + z
    }

    /// The sums over the piece of gates from `first` on, each times all coefficients of its bucket.
    fn gates(&self, first: usize, sums: SumsOf<L::E, R>) -> Sums<L::E> {
        let mut coefficients = Coefficients::new(&self.key);
        let mut chi = [L::E::ZERO; DRAWN];
        let mut weights = [L::E::ZERO; DRAWN];
        let mut total = Zeroizing::new(vec![[L::E::ZERO; 3]]);
        for (before, tile) in self.gates.since(first).take(PIECE / TILE) {
            for (i, gates) in tile.chunks(DRAWN).enumerate() {
                let first = (before + DRAWN * i) as u32;
                let (chi, weights) = (&mut chi[..gates.len()], &mut weights[..gates.len()]);
                weights.fill(L::E::ZERO);
                for j in 0..self.pairs.matching.bucket {
                    let slots = (first..first + gates.len() as u32).map(|gate| gate << BUCKET_BITS | j);
                    coefficients.fill(slots.map(u64::from), chi);
                    weights.iter_mut().zip(&*chi).for_each(|(weight, &chi)| *weight += chi);
                }
                add(&mut total[0], sums(self.arch, weights, gates));
            }
        }
        total
    }

    /// The sums over opened values.
    fn values(&self, chi: &[L::E], [left, right]: [&[L::F]; 2]) -> [L::E; 3] {
        let mut products = [L::F::ZERO; DRAWN];
        let products = &mut products[..chi.len()];
        let both = left.iter().zip(right);
        products.iter_mut().zip(both).for_each(|(product, (&left, &right))| *product = left * right);
        [left, right, products].map(|values| L::weigh(self.arch, chi, values))
    }

    /// Gives `each` the coefficients, the triples and the opened values of the piece of triples from `first` on.
    fn each_drawn(&self, first: usize, each: &mut Each<'_, L, R>) {
        let Pairs { triples, matching, opened } = &self.pairs;
        let mut coefficients = Coefficients::new(&self.key);
        let mut chi = [L::E::ZERO; DRAWN];
        for (before, tile) in triples.since(first).take(PIECE / TILE) {
            for (i, triples) in tile.chunks(DRAWN).enumerate() {
                let range = before + DRAWN * i..before + DRAWN * i + triples.len();
                let chi = &mut chi[..triples.len()];
                coefficients.fill(matching.slots[range.clone()].iter().copied().map(u64::from), chi);
                each(chi, triples, opened.each_ref().map(|opened| &opened[range.clone()]));
            }
        }
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
    use volery_primitives::prg::Prg;
    use volery_primitives::{F2, F61, F61x2, Tag as _};
    use volery_vole::macs::FieldMacs;

    type Law = FieldMacs<F61, F61x2>;
    type Tag = <Law as Values>::Tag;

    /// Triples, so many, whose third value is the product of the others.
    fn products(length: usize, prg: &mut Prg) -> Vec<[Tag; 3]> {
        let mut element = || {
            let mut blocks = [F128::ZERO; 4];
            prg.fill(&mut blocks);
            let [own, mac] =
                [0, 2].map(|i| [0, 1, 2, 3].map(|j| (blocks[i + j / 2].0 >> (64 * (j % 2))) as u64));
            (F61::sample(&own), F61x2::sample(&mac))
        };
        let mut product = || {
            let [(a, of_a), (b, of_b), (_, of_c)] = [element(), element(), element()];
            [Tag::new(a, of_a), Tag::new(b, of_b), Tag::new(a * b, of_c)]
        };
        (0..length).map(|_| product()).collect()
    }

    fn tiles<R: DefaultIsZeroes>(triples: impl Iterator<Item = [R; 3]>) -> Tiles<R> {
        let mut tiles = Tiles::new();
        triples.for_each(|triple| tiles.push(triple));
        tiles
    }

    /// The sums of both parties are equal where all that was opened is right, and else not, whatever the number
    /// of pieces and of threads.
    #[test]
    fn sums_of_keys_are_those_of_macs() {
        let (arch, seed) = (Arch::detect(), F128(11));
        let delta = F61x2::sample(&[5, 6, 7, 8]);
        let keys = |triple: &[Tag; 3]| triple.map(|tag| Law::mac(tag) + delta.scale(Law::value(tag)));
        let prg = &mut Prg::new(arch, F128(3));
        for length in [1, PIECE, 2 * PIECE + 3] {
            let [gates, triples] = [(); 2].map(|()| products(length, prg));
            let mut matching = Matching::new();
            matching.in_order(length, F61::sample(&[9; 4]));
            let [of_gates, own] = [&gates, &triples]
                .map(|of| of.iter().map(|[a, b, _]| [*a, *b].map(Law::value)).collect::<Vec<_>>());
            let mut opened = [(); 2].map(|()| vec![F61::ZERO; length]);
            open(
                &matching,
                &of_gates,
                &matching.slots,
                &own,
                opened.each_mut().map(|opened| &mut opened[..]),
            );
            let paired = |opened: &[Vec<F61>; 2]| {
                let mut matching = Matching::new();
                matching.in_order(length, F61::sample(&[9; 4]));
                (matching, opened.clone())
            };
            let of_tags = |pool: &Pool| {
                let (matching, opened) = paired(&opened);
                let mut pairs = Pairs { triples: tiles(triples.iter().copied()), matching, opened };
                let gates = &mut tiles(gates.iter().copied());
                let opening = Opening::<Law, _>::new(arch, seed, gates, &mut pairs);
                let sum = opening.of_tags(pool);
                let (gates, pairs) = opening.given_back();
                assert_eq!((gates.len(), pairs.triples.len()), (length, length));
                sum
            };
            let of_keys = |pool: &Pool, opened: &[Vec<F61>; 2]| {
                let (matching, opened) = paired(opened);
                let mut pairs = Pairs { triples: tiles(triples.iter().map(keys)), matching, opened };
                let gates = &mut tiles(gates.iter().map(keys));
                Opening::<Law, _>::new(arch, seed, gates, &mut pairs).of_keys(pool, delta)
            };
            let sum = of_tags(&Pool::default());
            assert_eq!(of_tags(&Pool::of(3)), sum, "{length}");
            for pool in [Pool::default(), Pool::of(3)] {
                assert_eq!(of_keys(&pool, &opened), sum, "{length}");
                for place in [0, PIECE - 1, PIECE, 2 * PIECE - 1, 2 * PIECE, length - 1] {
                    for side in [0, 1].into_iter().filter(|_| place < length) {
                        let mut wrong = opened.clone();
                        wrong[side][place] += F61::ONE;
                        assert_ne!(of_keys(&pool, &wrong), sum, "{length} {place}");
                    }
                }
            }
        }
    }

    /// Each gate has its B slots and c lie beyond them, in whatever order and whatever
    /// the memory held before.
    #[test]
    fn slots_are_permuted() {
        let mut matching = Matching::<F2>::new();
        for (gates, bucket, opened) in [(1, 19, 25), (5000, 3, 400), (2, 127, 127), (300, 1, 1)] {
            matching.permuted((&Pool::default(), Arch::detect()), F128(3), gates, Plan { bucket, opened });
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
