//! Sums that are reduced once: of products in nine words, and of table entries in five.

use super::{Fp, LargeModulus, Limbs, add_with, multiply_add, subtract_with};
use crate::aes::Aes128;
use crate::arch::{Arch, WEIGHT};
use crate::field::{F128, Field};
use crate::mac::Tagged;
use crate::prg::Prg;
use core::marker::PhantomData;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// `Σ a·b` of what is held, for fewer than 2^64 products.
#[derive(Clone, Copy)]
pub(super) struct Products<M> {
    limbs: [u64; 9],
    modulus: PhantomData<M>,
}

impl<M: LargeModulus> Products<M> {
    pub(super) const ZERO: Self = Self { limbs: [0; 9], modulus: PhantomData };

    /// Adds `a·b`.
    #[inline(always)]
    pub(super) fn add(&mut self, a: Fp<M>, b: Fp<M>) {
        let (a, b, mut product) = (a.0, b.0, [0; 8]);
        for i in 0..4 {
            let mut carry = 0;
            for j in 0..4 {
                (product[i + j], carry) = multiply_add(a[j], b[i], product[i + j], carry);
            }
            product[i + 4] = carry;
        }
        let mut carry = false;
        for i in 0..8 {
            (self.limbs[i], carry) = add_with(self.limbs[i], product[i], carry);
        }
        self.limbs[8] += u64::from(carry);
    }

    /// The low four words taken to nothing: the sum, times 2^-256, plus less than p.
    #[inline(always)]
    fn halved(self) -> [u64; 5] {
        let mut limbs = self.limbs;
        let p = M::MODULUS;
        let mut above = 0;
        for i in 0..4 {
            let factor = limbs[i].wrapping_mul(M::INVERSE);
            let mut carry = 0;
            for j in 0..4 {
                (limbs[i + j], carry) = multiply_add(factor, p[j], limbs[i + j], carry);
            }
            let sum = u128::from(limbs[i + 4]) + u128::from(carry) + u128::from(above);
            (limbs[i + 4], above) = (sum as u64, (sum >> 64) as u64);
        }
        [limbs[4], limbs[5], limbs[6], limbs[7], limbs[8] + above]
    }

    /// The element that the sum is.
    pub(super) fn reduced(self) -> Fp<M> {
        // What is left is times 2^-128 after that.
        let shift = const { Fp::<M>::of(super::doubled(M::ONE, 128, M::MODULUS)) };
        let [a, b, c, d, e] = self.halved();
        Fp::reduce([a, b, c, d, e, 0]) * shift
    }

    /// The element that a sum of no more than two products is.
    #[inline(always)]
    fn reduced_few(self) -> Fp<M> {
        // Less than 2·p²/2^256 + p, and p is below 2^255.
        let [a, b, c, d, _] = self.halved();
        Fp::settled([a, b, c, d])
    }
}

/// Elements whose words are summed at a time.
const GENERATED: usize = 64;

/// A sum of what generators make, in words: each is below 2^320.
type Words = [u64; 6];

#[inline(always)]
fn add_words<const N: usize>(sum: &mut Words, words: [u64; N]) {
    let mut carry = false;
    for i in 0..6 {
        (sum[i], carry) = add_with(sum[i], if i < N { words[i] } else { 0 }, carry);
    }
}

pub(super) fn sum_generated<M: LargeModulus>(
    arch: Arch,
    keys: &[F128],
    skip: u64,
    sums: &mut [Fp<M>],
    weighed: &mut [Fp<M>],
) {
    assert!(sums.len() == weighed.len() && keys.len() <= 1 << 8);
    // Two elements have five blocks.
    let pieces = sums.chunks_mut(GENERATED).zip(weighed.chunks_mut(GENERATED));
    for (skip, (sums, weighed)) in (skip..).step_by(GENERATED * 5 / 2).zip(pieces) {
        let mut blocks = Zeroizing::new([F128(0); GENERATED * 5 / 2]);
        let blocks = &mut blocks[..(5 * sums.len()).div_ceil(2)];
        let mut words = Zeroizing::new([[[0; 6]; 2]; GENERATED]);
        // From the last key on: what is summed so far is added once for each place further down.
        for (y, key) in keys.iter().enumerate().rev() {
            Prg::new(arch, *key).skip(skip).fill(blocks);
            for (pair, blocks) in words[..sums.len()].chunks_mut(2).zip(blocks.chunks(5)) {
                let word = |i: usize| (blocks[i / 2].0 >> (64 * (i % 2))) as u64;
                for (at, [sum, weighed]) in pair.iter_mut().enumerate() {
                    add_words(sum, core::array::from_fn::<_, 5, _>(|i| word(5 * at + i)));
                    if y > 0 {
                        // Below 2^16·2^320.
                        add_words(weighed, *sum);
                    }
                }
            }
        }
        for ((sum, weighed), words) in sums.iter_mut().zip(weighed).zip(words.iter()) {
            (*sum, *weighed) = (Fp::reduce(words[0]), Fp::reduce(words[1]));
        }
    }
}

/// A sum of up to 2^7 elements, what is held of each.
#[derive(Clone, Copy)]
pub(super) struct Sum<M> {
    limbs: [u64; 5],
    modulus: PhantomData<M>,
}

impl<M: LargeModulus> Sum<M> {
    #[inline(always)]
    fn of(first: Fp<M>) -> Self {
        let [a, b, c, d] = first.0;
        Self { limbs: [a, b, c, d, 0], modulus: PhantomData }
    }

    #[inline(always)]
    fn add(&mut self, element: &Fp<M>) {
        let mut carry = false;
        for i in 0..4 {
            (self.limbs[i], carry) = add_with(self.limbs[i], element.0[i], carry);
        }
        self.limbs[4] += u64::from(carry);
    }

    /// The element that the sum is.
    #[inline(always)]
    fn reduced(self) -> Fp<M> {
        // The quotient by p, or one less: of the sum's bits from BITS − 8 on, fewer than 2^15, and of 2^24
        // times what 2^(BITS − 8) is of p. Less than 1/2^7 + 1/2^9 is lost.
        let reciprocal = const { reciprocal(M::MODULUS, M::BITS) };
        let shift = M::BITS - 8 - 192;
        let top = self.limbs[3] >> shift | self.limbs[4] << (64 - shift);
        let quotient = (top * reciprocal) >> 24;
        let (mut limbs, mut carry, mut borrow) = ([0; 4], 0, false);
        for i in 0..4 {
            let multiple;
            (multiple, carry) = multiply_add(quotient, M::MODULUS[i], 0, carry);
            (limbs[i], borrow) = subtract_with(self.limbs[i], multiple, borrow);
        }
        Fp::settled(limbs)
    }
}

/// 2^24·2^(`bits` − 8)/p, rounded down: 2^16 to 2^17.
const fn reciprocal(p: Limbs, bits: u32) -> u64 {
    // By the highest 64 bits of p, one more than they are: what that changes is less than 2^-40 of it.
    let above = p[3] << (256 - bits) | p[2] >> (bits - 192);
    ((1_u128 << (64 + 16)) / (above as u128 + 1)) as u64
}

pub(super) fn weigh<M: LargeModulus>(chi: &[Fp<M>], rows: &[Tagged<Fp<M>, Fp<M>>]) -> (Fp<M>, Fp<M>) {
    assert_eq!(chi.len(), rows.len());
    let mut sums = [Products::ZERO; 2];
    for (&chi, row) in chi.iter().zip(rows) {
        sums[0].add(chi, row.mac);
        sums[1].add(chi, row.value);
    }
    (sums[0].reduced(), sums[1].reduced())
}

type Row<M> = Tagged<Fp<M>, Fp<M>>;

pub(super) fn inner_product<M: LargeModulus>(a: &[Row<M>], b: &[Row<M>]) -> (Fp<M>, Fp<M>, Fp<M>) {
    assert_eq!(a.len(), b.len());
    let mut sums = [Products::ZERO; 3];
    for (a, b) in a.iter().zip(b) {
        sums[0].add(a.mac, b.mac);
        sums[1].add(b.mac, a.value);
        sums[1].add(a.mac, b.value);
        sums[2].add(a.value, b.value);
    }
    (sums[0].reduced(), sums[1].reduced(), sums[2].reduced())
}

/// A public factor with which a product is a sum.
enum Small {
    One,
    MinusOne,
    Two,
    MinusTwo,
}

impl Small {
    #[inline(always)]
    fn of<M: LargeModulus>(factor: Fp<M>) -> Option<Self> {
        let [one, two] = const { [M::ONE, super::doubled(M::ONE, 1, M::MODULUS)] };
        let [minus_one, minus_two] = const {
            [
                super::opposite(M::ONE, M::MODULUS),
                super::opposite(super::doubled(M::ONE, 1, M::MODULUS), M::MODULUS),
            ]
        };
        match factor.0 {
            limbs if limbs == one => Some(Self::One),
            limbs if limbs == minus_one => Some(Self::MinusOne),
            limbs if limbs == two => Some(Self::Two),
            limbs if limbs == minus_two => Some(Self::MinusTwo),
            _ => None,
        }
    }
}

/// `Σ factor·a` over each of the lists of which `of` gives what stands at a place. No product is made for a small
/// factor, and the others are reduced once.
#[inline(always)]
fn linear_of<M: LargeModulus, const N: usize>(
    factors: &[Fp<M>],
    of: impl Fn(usize) -> [Fp<M>; N],
) -> [Fp<M>; N] {
    let mut sums = [Fp::ZERO; N];
    let (mut products, mut any) = ([Products::ZERO; N], false);
    for (i, &factor) in factors.iter().enumerate() {
        let a = of(i);
        let small = Small::of(factor);
        for k in 0..N {
            match small {
                Some(Small::One) => sums[k] += a[k],
                Some(Small::MinusOne) => sums[k] -= a[k],
                Some(Small::Two) => sums[k] += a[k] + a[k],
                Some(Small::MinusTwo) => sums[k] -= a[k] + a[k],
                None if factors.len() == 1 => sums[k] = factor * a[k],
                None => products[k].add(factor, a[k]),
            }
        }
        any |= small.is_none() && factors.len() > 1;
    }
    if any {
        for k in 0..N {
            sums[k] += products[k].reduced();
        }
    }
    sums
}

pub(super) fn linear<M: LargeModulus>(factors: &[Fp<M>], rows: &[Row<M>]) -> Row<M> {
    assert_eq!(factors.len(), rows.len());
    let [mac, value] = linear_of(factors, |i| [rows[i].mac, rows[i].value]);
    Tagged { value, mac }
}

pub(super) fn linear_keys<M: LargeModulus>(factors: &[Fp<M>], keys: &[Fp<M>]) -> Fp<M> {
    assert_eq!(factors.len(), keys.len());
    let [sum] = linear_of(factors, |i| [keys[i]]);
    sum
}

pub(super) fn products<M: LargeModulus>(
    triples: &[[Row<M>; 3]],
    constant: &mut [Fp<M>],
    linear: &mut [Fp<M>],
) {
    assert_eq!((triples.len(), triples.len()), (constant.len(), linear.len()));
    for (([a, b, c], constant), linear) in triples.iter().zip(constant).zip(linear) {
        *constant = a.mac * b.mac;
        let mut sum = Products::ZERO;
        sum.add(b.mac, a.value);
        sum.add(a.mac, b.value);
        *linear = sum.reduced_few() - c.mac;
    }
}

pub(super) fn verifier_sums<M: LargeModulus>(chi: &[Fp<M>], triples: &[[Fp<M>; 3]]) -> (Fp<M>, Fp<M>) {
    assert_eq!(chi.len(), triples.len());
    let mut sums = [Products::ZERO; 2];
    for (&chi, &[a, b, c]) in chi.iter().zip(triples) {
        sums[0].add(chi, a * b);
        sums[1].add(chi, c);
    }
    (sums[0].reduced(), sums[1].reduced())
}

pub(super) fn dot<M: LargeModulus>(a: &[Fp<M>], b: &[Fp<M>]) -> Fp<M> {
    assert_eq!(a.len(), b.len());
    let mut sum = Products::ZERO;
    a.iter().zip(b).for_each(|(&a, &b)| sum.add(a, b));
    sum.reduced()
}

/// Entries of a code's table, which rows are sums of.
pub(super) trait Entry: DefaultIsZeroes {
    type Sum;
    fn begin(self) -> Self::Sum;
    fn add(sum: &mut Self::Sum, entry: &Self);
    fn end(sum: Self::Sum) -> Self;
}

impl<M: LargeModulus> Entry for Fp<M> {
    type Sum = Sum<M>;
    #[inline(always)]
    fn begin(self) -> Sum<M> {
        Sum::of(self)
    }
    #[inline(always)]
    fn add(sum: &mut Sum<M>, entry: &Self) {
        sum.add(entry);
    }
    #[inline(always)]
    fn end(sum: Sum<M>) -> Self {
        sum.reduced()
    }
}

impl<M: LargeModulus> Entry for Row<M> {
    type Sum = [Sum<M>; 2];
    #[inline(always)]
    fn begin(self) -> [Sum<M>; 2] {
        [Sum::of(self.value), Sum::of(self.mac)]
    }
    #[inline(always)]
    fn add([value, mac]: &mut [Sum<M>; 2], entry: &Self) {
        value.add(&entry.value);
        mac.add(&entry.mac);
    }
    #[inline(always)]
    fn end([value, mac]: [Sum<M>; 2]) -> Self {
        Self { value: value.reduced(), mac: mac.reduced() }
    }
}

/// Rows whose entries are drawn at a time.
const ENCODED: usize = 64;

pub(super) fn encode<T: Entry>(matrix: &Aes128, first: u64, table: &[T], rows: &mut [T]) {
    assert!(first.is_multiple_of(2) && !table.is_empty() && table.len() <= 1 << 26);
    let size = table.len() as u64;
    let mut blocks = [F128(0); ENCODED * WEIGHT / 4];
    let mut places = [0; ENCODED * WEIGHT];
    let mut block = first as u128 * WEIGHT as u128 / 4;
    for rows in rows.chunks_mut(ENCODED) {
        matrix.counter(block, &mut blocks);
        block += blocks.len() as u128;
        for (places, block) in places.as_chunks_mut::<4>().0.iter_mut().zip(&blocks) {
            for (i, place) in places.iter_mut().enumerate() {
                *place = ((u64::from((block.0 >> (32 * i)) as u32) * size) >> 32) as u32;
            }
        }
        for (row, places) in rows.iter_mut().zip(places.as_chunks::<WEIGHT>().0) {
            let mut sum = row.begin();
            places.iter().for_each(|&place| T::add(&mut sum, &table[place as usize]));
            *row = T::end(sum);
        }
    }
}
