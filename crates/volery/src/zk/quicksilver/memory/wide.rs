//! Polynomials with values in E.

use super::Lines;
use crate::zk::quicksilver::polynomial::{Buffers, Lent};
use volery_primitives::arch::Arch;
use volery_primitives::{Field, Lanes, Tagged};

/// The prover's: all coefficients, a lane each, those of X^0 first. The highest are the values.
pub(in super::super) struct Wides<E: Field> {
    pub(in super::super) lanes: usize,
    pub(in super::super) degree: usize,
    pub(in super::super) coefficients: Lent<E>,
}

impl<E: Field> Wides<E> {
    /// So many lines, as `fill` has them, each with what is public of it: of degree 1.
    pub(in super::super) fn lines(
        buffers: &Buffers<E>,
        lanes: usize,
        fill: impl FnOnce(&mut Lines<'_, E>),
    ) -> Self {
        let mut lines = Self::zero(buffers, lanes, 1);
        let mut public = vec![E::ONE; lanes];
        fill(&mut Lines::new(&mut lines.coefficients, &mut public));
        let values = &mut lines.coefficients[lanes..];
        values.iter_mut().zip(public).for_each(|(value, public)| *value += public);
        lines
    }

    /// Those of a list.
    pub(in super::super) fn list(buffers: &Buffers<E>, list: &[Tagged<E, E>]) -> Self {
        let mut lines = Self::zero(buffers, list.len(), 1);
        let (macs, values) = lines.coefficients.split_at_mut(list.len());
        for ((mac, value), line) in macs.iter_mut().zip(values).zip(list) {
            (*mac, *value) = (line.mac, line.value);
        }
        lines
    }

    pub(in super::super) fn values(&self) -> &[E] {
        &self.coefficients[self.lanes * self.degree..]
    }

    fn power(&self, power: usize) -> &[E] {
        &self.coefficients[self.lanes * power..][..self.lanes]
    }

    pub(in super::super) fn multiplied<B: Field>(
        &self,
        buffers: &Buffers<E>,
        arch: Arch,
        other: &Self,
    ) -> Self
    where
        E: Lanes<B>,
    {
        assert_eq!(self.lanes, other.lanes);
        let mut product = Self::zero(buffers, self.lanes, self.degree + other.degree);
        product.add_product(arch, (self, 0), (other, 0));
        product
    }

    /// The products of the first `half` lanes and the next.
    pub(in super::super) fn halves_multiplied<B: Field>(
        &self,
        buffers: &Buffers<E>,
        arch: Arch,
        half: usize,
    ) -> Self
    where
        E: Lanes<B>,
    {
        let mut product = Self::zero(buffers, half, 2 * self.degree);
        product.add_product(arch, (self, 0), (self, half));
        product
    }

    /// The first `half` lanes times the other's next, and the next times the other's first.
    pub(in super::super) fn halves_crossed<B: Field>(
        &self,
        buffers: &Buffers<E>,
        arch: Arch,
        other: &Self,
        half: usize,
    ) -> Self
    where
        E: Lanes<B>,
    {
        let mut product = Self::zero(buffers, half, self.degree + other.degree);
        product.add_product(arch, (self, 0), (other, half));
        product.add_product(arch, (self, half), (other, 0));
        product
    }

    /// The sums of the first `half` lanes and the next.
    pub(in super::super) fn halves_added(&self, buffers: &Buffers<E>, half: usize) -> Self {
        let mut sums = Self::zero(buffers, half, self.degree);
        for (power, sums) in sums.coefficients.chunks_exact_mut(half).enumerate() {
            let (first, next) = self.power(power)[..2 * half].split_at(half);
            for (sum, (a, b)) in sums.iter_mut().zip(first.iter().zip(next)) {
                *sum = *a + *b;
            }
        }
        sums
    }

    fn zero(buffers: &Buffers<E>, lanes: usize, degree: usize) -> Self {
        Self { lanes, degree, coefficients: buffers.zeroes(lanes * (degree + 1)) }
    }

    /// Adds the products of as many lanes of two, from one of each on.
    fn add_product<B: Field>(&mut self, arch: Arch, (a, first): (&Self, usize), (b, other): (&Self, usize))
    where
        E: Lanes<B>,
    {
        let lanes = self.lanes;
        let mut products = Vec::with_capacity(a.degree + 1);
        for (power, sums) in self.coefficients.chunks_exact_mut(lanes.max(1)).enumerate() {
            products.clear();
            for i in power.saturating_sub(b.degree)..=power.min(a.degree) {
                products.push((&a.power(i)[first..][..lanes], &b.power(power - i)[other..][..lanes]));
            }
            E::add_sums(arch, &products, &[], sums);
        }
    }

    /// `self - other`, at the higher degree.
    pub(in super::super) fn subtracted(&self, buffers: &Buffers<E>, other: &Self) -> Self {
        assert_eq!(self.lanes, other.lanes);
        let mut difference = Self::zero(buffers, self.lanes, self.degree.max(other.degree));
        let ours = self.lanes * (difference.degree - self.degree);
        difference.coefficients[ours..].copy_from_slice(&self.coefficients);
        let theirs = self.lanes * (difference.degree - other.degree);
        let differences = difference.coefficients[theirs..].iter_mut();
        differences.zip(&*other.coefficients).for_each(|(difference, term)| *difference -= *term);
        difference
    }

    pub(in super::super) fn lanes_from(&self, buffers: &Buffers<E>, first: usize, count: usize) -> Self {
        let mut some = Self::zero(buffers, count, self.degree);
        for (power, to) in some.coefficients.chunks_exact_mut(count.max(1)).enumerate() {
            to.copy_from_slice(&self.power(power)[first..first + count]);
        }
        some
    }
}

/// The verifier's: their values at Δ.
pub(in super::super) struct WideKeys<E: Field> {
    pub(in super::super) degree: usize,
    pub(in super::super) keys: Lent<E>,
}

impl<E: Field> WideKeys<E> {
    /// So many, as `fill` has them, each with what is public of it: of degree 1.
    pub(in super::super) fn lines<B: Field>(
        buffers: &Buffers<E>,
        arch: Arch,
        delta: E,
        lanes: usize,
        fill: impl FnOnce(&mut Lines<'_, E>),
    ) -> Self
    where
        E: Lanes<B>,
    {
        let mut keys = buffers.zeroes(lanes);
        let mut public = vec![E::ONE; lanes];
        fill(&mut Lines::new(&mut keys, &mut public));
        E::add_products(arch, &public, &buffers.all(delta, lanes), &mut keys);
        Self { degree: 1, keys }
    }

    pub(in super::super) fn multiplied<B: Field>(
        &self,
        buffers: &Buffers<E>,
        arch: Arch,
        other: &Self,
    ) -> Self
    where
        E: Lanes<B>,
    {
        Self { degree: self.degree + other.degree, keys: products(buffers, arch, &self.keys, &other.keys) }
    }

    /// The prover's [`Wides::halves_multiplied`], at Δ, as are those below.
    pub(in super::super) fn halves_multiplied<B: Field>(
        &self,
        buffers: &Buffers<E>,
        arch: Arch,
        half: usize,
    ) -> Self
    where
        E: Lanes<B>,
    {
        let (first, next) = self.halves(half);
        Self { degree: 2 * self.degree, keys: products(buffers, arch, first, next) }
    }

    pub(in super::super) fn halves_crossed<B: Field>(
        &self,
        buffers: &Buffers<E>,
        arch: Arch,
        other: &Self,
        half: usize,
    ) -> Self
    where
        E: Lanes<B>,
    {
        let ([first, next], [others, after]) = (self.halves(half).into(), other.halves(half).into());
        let mut keys = products(buffers, arch, first, after);
        E::add_products(arch, next, others, &mut keys);
        Self { degree: self.degree + other.degree, keys }
    }

    pub(in super::super) fn halves_added(&self, buffers: &Buffers<E>, half: usize) -> Self {
        let (first, next) = self.halves(half);
        Self { degree: self.degree, keys: buffers.collect(first.iter().zip(next).map(|(a, b)| *a + *b)) }
    }

    fn halves(&self, half: usize) -> (&[E], &[E]) {
        self.keys[..2 * half].split_at(half)
    }

    pub(in super::super) fn subtracted(&self, buffers: &Buffers<E>, other: &Self, delta: E) -> Self {
        assert_eq!(self.keys.len(), other.keys.len());
        let degree = self.degree.max(other.degree);
        let power = |of: usize| (of..degree).fold(E::ONE, |power, _| power * delta);
        let (ours, theirs) = (power(self.degree), power(other.degree));
        let keys = self.keys.iter().zip(&*other.keys).map(|(a, b)| *a * ours - *b * theirs);
        Self { degree, keys: buffers.collect(keys) }
    }

    pub(in super::super) fn lanes_from(&self, buffers: &Buffers<E>, first: usize, count: usize) -> Self {
        Self { degree: self.degree, keys: buffers.copy(&self.keys[first..][..count]) }
    }
}

fn products<B: Field, E: Lanes<B>>(buffers: &Buffers<E>, arch: Arch, a: &[E], b: &[E]) -> Lent<E> {
    let mut products = buffers.zeroes(a.len());
    E::add_products(arch, a, b, &mut products);
    products
}
