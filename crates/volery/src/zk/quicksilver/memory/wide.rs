//! Polynomials with values in E.

use volery_primitives::arch::Arch;
use volery_primitives::{Field, Lanes, SecretVec, Tagged};

/// The prover's: all coefficients, a lane each, those of X^0 first. The highest are the values.
pub(in super::super) struct Wides<E: Field> {
    pub(in super::super) lanes: usize,
    pub(in super::super) degree: usize,
    pub(in super::super) coefficients: SecretVec<E>,
}

impl<E: Field> Wides<E> {
    /// So many lines, as `line` has them, each with what is public of it: of degree 1.
    #[inline]
    pub(in super::super) fn lines(lanes: usize, mut line: impl FnMut(usize) -> (Tagged<E, E>, E)) -> Self {
        let mut coefficients = SecretVec::from(vec![E::ZERO; 2 * lanes]);
        let (macs, values) = coefficients.split_at_mut(lanes);
        for (lane, (mac, value)) in macs.iter_mut().zip(values).enumerate() {
            let (line, public) = line(lane);
            (*mac, *value) = (line.mac, line.value + public);
        }
        Self { lanes, degree: 1, coefficients }
    }

    pub(in super::super) fn values(&self) -> &[E] {
        &self.coefficients[self.lanes * self.degree..]
    }

    fn power(&self, power: usize) -> &[E] {
        &self.coefficients[self.lanes * power..][..self.lanes]
    }

    pub(in super::super) fn multiplied<B: Field>(&self, arch: Arch, other: &Self) -> Self
    where
        E: Lanes<B>,
    {
        assert_eq!(self.lanes, other.lanes);
        let mut product = Self::zero(self.lanes, self.degree + other.degree);
        product.add_product(arch, (self, 0), (other, 0));
        product
    }

    /// The products of the first `half` lanes and the next.
    pub(in super::super) fn halves_multiplied<B: Field>(&self, arch: Arch, half: usize) -> Self
    where
        E: Lanes<B>,
    {
        let mut product = Self::zero(half, 2 * self.degree);
        product.add_product(arch, (self, 0), (self, half));
        product
    }

    /// The first `half` lanes times the other's next, and the next times the other's first.
    pub(in super::super) fn halves_crossed<B: Field>(&self, arch: Arch, other: &Self, half: usize) -> Self
    where
        E: Lanes<B>,
    {
        let mut product = Self::zero(half, self.degree + other.degree);
        product.add_product(arch, (self, 0), (other, half));
        product.add_product(arch, (self, half), (other, 0));
        product
    }

    /// The sums of the first `half` lanes and the next.
    pub(in super::super) fn halves_added(&self, half: usize) -> Self {
        let mut sums = Self::zero(half, self.degree);
        for (power, sums) in sums.coefficients.chunks_exact_mut(half).enumerate() {
            let (first, next) = self.power(power)[..2 * half].split_at(half);
            for (sum, (a, b)) in sums.iter_mut().zip(first.iter().zip(next)) {
                *sum = *a + *b;
            }
        }
        sums
    }

    fn zero(lanes: usize, degree: usize) -> Self {
        Self { lanes, degree, coefficients: vec![E::ZERO; lanes * (degree + 1)].into() }
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
    pub(in super::super) fn subtracted(&self, other: &Self) -> Self {
        assert_eq!(self.lanes, other.lanes);
        let mut difference = Self::zero(self.lanes, self.degree.max(other.degree));
        let ours = self.lanes * (difference.degree - self.degree);
        difference.coefficients[ours..].copy_from_slice(&self.coefficients);
        let theirs = self.lanes * (difference.degree - other.degree);
        let differences = difference.coefficients[theirs..].iter_mut();
        differences.zip(&*other.coefficients).for_each(|(difference, term)| *difference -= *term);
        difference
    }

    pub(in super::super) fn part(&self, first: usize, count: usize) -> Self {
        let mut coefficients = Vec::with_capacity(count * (self.degree + 1));
        (0..=self.degree).for_each(|power| {
            coefficients.extend_from_slice(&self.power(power)[first..first + count]);
        });
        Self { lanes: count, degree: self.degree, coefficients: coefficients.into() }
    }
}

/// The verifier's: their values at Δ.
pub(in super::super) struct WideKeys<E: Field> {
    pub(in super::super) degree: usize,
    pub(in super::super) keys: SecretVec<E>,
}

impl<E: Field> WideKeys<E> {
    /// So many, as `line` has them, each with what is public of it: of degree 1.
    #[inline]
    pub(in super::super) fn lines<B: Field>(
        arch: Arch,
        delta: E,
        lanes: usize,
        mut line: impl FnMut(usize) -> (E, E),
    ) -> Self
    where
        E: Lanes<B>,
    {
        let mut keys = SecretVec::from(vec![E::ZERO; lanes]);
        let mut public = vec![E::ZERO; lanes];
        for (lane, (key, public)) in keys.iter_mut().zip(&mut public).enumerate() {
            (*key, *public) = line(lane);
        }
        E::add_products(arch, &public, &vec![delta; lanes], &mut keys);
        Self { degree: 1, keys }
    }

    pub(in super::super) fn multiplied<B: Field>(&self, arch: Arch, other: &Self) -> Self
    where
        E: Lanes<B>,
    {
        Self { degree: self.degree + other.degree, keys: products(arch, &self.keys, &other.keys) }
    }

    /// The prover's [`Wides::halves_multiplied`], at Δ, as are those below.
    pub(in super::super) fn halves_multiplied<B: Field>(&self, arch: Arch, half: usize) -> Self
    where
        E: Lanes<B>,
    {
        let (first, next) = self.halves(half);
        Self { degree: 2 * self.degree, keys: products(arch, first, next) }
    }

    pub(in super::super) fn halves_crossed<B: Field>(&self, arch: Arch, other: &Self, half: usize) -> Self
    where
        E: Lanes<B>,
    {
        let ([first, next], [others, after]) = (self.halves(half).into(), other.halves(half).into());
        let mut keys = products(arch, first, after);
        E::add_products(arch, next, others, &mut keys);
        Self { degree: self.degree + other.degree, keys }
    }

    pub(in super::super) fn halves_added(&self, half: usize) -> Self {
        let (first, next) = self.halves(half);
        Self { degree: self.degree, keys: first.iter().zip(next).map(|(a, b)| *a + *b).collect() }
    }

    fn halves(&self, half: usize) -> (&[E], &[E]) {
        self.keys[..2 * half].split_at(half)
    }

    pub(in super::super) fn subtracted(&self, other: &Self, delta: E) -> Self {
        assert_eq!(self.keys.len(), other.keys.len());
        let degree = self.degree.max(other.degree);
        let power = |of: usize| (of..degree).fold(E::ONE, |power, _| power * delta);
        let (ours, theirs) = (power(self.degree), power(other.degree));
        let keys = self.keys.iter().zip(&*other.keys).map(|(a, b)| *a * ours - *b * theirs);
        Self { degree, keys: keys.collect() }
    }

    pub(in super::super) fn part(&self, first: usize, count: usize) -> Self {
        Self { degree: self.degree, keys: self.keys[first..][..count].to_vec().into() }
    }
}

fn products<B: Field, E: Lanes<B>>(arch: Arch, a: &[E], b: &[E]) -> SecretVec<E> {
    let mut products = SecretVec::from(vec![E::ZERO; a.len()]);
    E::add_products(arch, a, b, &mut products);
    products
}
