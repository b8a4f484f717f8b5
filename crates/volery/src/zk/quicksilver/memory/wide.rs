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
    pub(in super::super) fn lines(lines: &[Tagged<E, E>]) -> Self {
        let macs = lines.iter().map(|line| line.mac);
        let mut coefficients = Vec::with_capacity(2 * lines.len());
        coefficients.extend(macs);
        coefficients.extend(lines.iter().map(|line| line.value));
        Self { lanes: lines.len(), degree: 1, coefficients: coefficients.into() }
    }

    pub(in super::super) fn elements(values: &[E]) -> Self {
        Self { lanes: values.len(), degree: 0, coefficients: values.to_vec().into() }
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
        let (lanes, degree) = (self.lanes, self.degree + other.degree);
        let mut coefficients = SecretVec::from(vec![E::ZERO; lanes * (degree + 1)]);
        for i in 0..=self.degree {
            for j in 0..=other.degree {
                let sums = &mut coefficients[lanes * (i + j)..][..lanes];
                E::add_products(arch, self.power(i), other.power(j), sums);
            }
        }
        Self { lanes, degree, coefficients }
    }

    /// `self + sign·other`, at the higher degree.
    pub(in super::super) fn combined(&self, other: &Self, sign: E) -> Self {
        assert_eq!(self.lanes, other.lanes);
        let degree = self.degree.max(other.degree);
        let mut coefficients = SecretVec::from(vec![E::ZERO; self.lanes * (degree + 1)]);
        let ours = self.lanes * (degree - self.degree);
        coefficients[ours..].copy_from_slice(&self.coefficients);
        let theirs = self.lanes * (degree - other.degree);
        let sums = coefficients[theirs..].iter_mut();
        sums.zip(&*other.coefficients).for_each(|(sum, term)| *sum += *term * sign);
        Self { lanes: self.lanes, degree, coefficients }
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
    pub(in super::super) fn new(degree: usize, keys: &[E]) -> Self {
        Self { degree, keys: keys.to_vec().into() }
    }

    pub(in super::super) fn multiplied<B: Field>(&self, arch: Arch, other: &Self) -> Self
    where
        E: Lanes<B>,
    {
        let mut keys = SecretVec::from(vec![E::ZERO; self.keys.len()]);
        E::add_products(arch, &self.keys, &other.keys, &mut keys);
        Self { degree: self.degree + other.degree, keys }
    }

    /// The prover's [`Wides::combined`], at Δ.
    pub(in super::super) fn combined(&self, other: &Self, sign: E, delta: E) -> Self {
        assert_eq!(self.keys.len(), other.keys.len());
        let degree = self.degree.max(other.degree);
        let power = |of: usize| (of..degree).fold(E::ONE, |power, _| power * delta);
        let (ours, theirs) = (power(self.degree), power(other.degree) * sign);
        let keys = self.keys.iter().zip(&*other.keys).map(|(a, b)| *a * ours + *b * theirs);
        Self { degree, keys: keys.collect() }
    }
}
