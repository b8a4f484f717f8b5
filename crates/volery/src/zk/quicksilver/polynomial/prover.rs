//! The prover's side: coefficients.

use crate::circuit::{common_lanes, degree_of_product, lane_name};
use crate::error::Result;
use core::fmt::Display;
use core::iter;
use std::borrow::Cow;
use volery_primitives::arch::Arch;
use volery_primitives::{Field, Lanes};
use zeroize::Zeroizing;

/// Polynomials of one degree, a lane each.
#[derive(Clone)]
pub struct Vector<B: Field, E: Field> {
    /// The highest coefficients.
    values: Zeroizing<Vec<B>>,
    /// Those of X^j, at place j; the degree is their number.
    lower: Vec<Zeroizing<Vec<E>>>,
}

impl<B: Field, E: Lanes<B>> Vector<B, E> {
    /// Public values: of degree 0.
    pub(in super::super) fn public(values: &[B]) -> Self {
        Self { values: Zeroizing::new(values.to_vec()), lower: Vec::new() }
    }

    /// Committed values, each with its MAC: of degree 1.
    pub(in super::super) fn of(lines: impl ExactSizeIterator<Item = (B, E)>) -> Self {
        let mut values = Zeroizing::new(Vec::with_capacity(lines.len()));
        let mut macs = Zeroizing::new(Vec::with_capacity(lines.len()));
        lines.for_each(|(value, mac)| {
            values.push(value);
            macs.push(mac);
        });
        Self { values, lower: vec![macs] }
    }

    /// One lane of degree 2 from its coefficients, the lowest first.
    pub(in super::super) fn quadratic((constant, linear, value): (E, E, B)) -> Self {
        let lower = [constant, linear].map(|coefficient| Zeroizing::new(vec![coefficient]));
        Self { values: Zeroizing::new(vec![value]), lower: lower.into() }
    }

    /// The degree of all lanes.
    pub(in super::super) fn degree(&self) -> usize {
        self.lower.len()
    }

    /// The values, a lane each.
    pub(in super::super) fn values(&self) -> &[B] {
        &self.values
    }

    /// The name of the first lane whose value is not zero, of those that are to be zero under `name`.
    pub(in super::super) fn failure(&self, name: &dyn Display) -> Option<String> {
        let lane = self.values.iter().position(|value| *value != B::ZERO)?;
        Some(lane_name(name, lane, self.values.len()))
    }

    pub(in super::super) fn sum(&self, other: &Self) -> Self {
        let lanes = common_lanes(self.values.len(), other.values.len());
        let (low, high) = if self.degree() < other.degree() { (self, other) } else { (other, self) };
        let (low, mut sum) = (low.spread(lanes), high.spread(lanes).into_owned());
        let shift = sum.degree() - low.degree();
        sum.values.iter_mut().zip(&*low.values).for_each(|(sum, value)| *sum += *value);
        for (sums, coefficients) in sum.lower[shift..].iter_mut().zip(&low.lower) {
            sums.iter_mut().zip(&**coefficients).for_each(|(sum, coefficient)| *sum += *coefficient);
        }
        sum
    }

    pub(in super::super) fn product(&self, arch: Arch, other: &Self) -> Result<Self> {
        let lanes = common_lanes(self.values.len(), other.values.len());
        let degree = degree_of_product(self.degree(), other.degree())?;
        let (a, b) = (self.spread(lanes), other.spread(lanes));
        let mut lower: Vec<_> = (0..degree).map(|_| Zeroizing::new(vec![E::ZERO; lanes])).collect();
        for (i, left) in a.lower.iter().enumerate() {
            for (j, right) in b.lower.iter().enumerate() {
                E::add_products(arch, left, right, &mut lower[i + j]);
            }
            E::add_scaled(arch, left, &b.values, &mut lower[i + b.degree()]);
        }
        for (j, right) in b.lower.iter().enumerate() {
            E::add_scaled(arch, right, &a.values, &mut lower[j + a.degree()]);
        }
        let values = a.values.iter().zip(&*b.values).map(|(&a, &b)| a * b);
        Ok(Self { values: Zeroizing::new(values.collect()), lower })
    }

    pub(in super::super) fn gather(&self, lanes: &[Option<usize>]) -> Self {
        Self {
            values: gathered(&self.values, lanes, B::ZERO),
            lower: self.lower.iter().map(|coefficients| gathered(coefficients, lanes, E::ZERO)).collect(),
        }
    }

    pub(in super::super) fn total(&self) -> Self {
        let sum = |coefficients: &Zeroizing<Vec<E>>| Zeroizing::new(vec![coefficients.iter().copied().sum()]);
        Self {
            values: Zeroizing::new(vec![self.values.iter().copied().sum()]),
            lower: self.lower.iter().map(sum).collect(),
        }
    }

    /// The lower coefficients, where the values, which are to be zero, are cut off; of degree 1 at least.
    pub(in super::super) fn into_lower(mut self) -> Vec<Zeroizing<Vec<E>>> {
        if self.lower.is_empty() {
            self.lower.push(Zeroizing::new(vec![E::ZERO; self.values.len()]));
        }
        self.lower
    }

    /// The same where they are to be `macs` with the values of this vector.
    pub(in super::super) fn into_lower_minus(self, macs: impl Iterator<Item = E>) -> Vec<Zeroizing<Vec<E>>> {
        let mut lower = self.into_lower();
        let highest = lower.last_mut().expect("one at least");
        highest.iter_mut().zip(macs).for_each(|(coefficient, mac)| *coefficient -= mac);
        lower
    }

    /// So many lanes, all equal where there is one.
    fn spread(&self, lanes: usize) -> Cow<'_, Self> {
        if self.values.len() == lanes {
            return Cow::Borrowed(self);
        }
        Cow::Owned(self.gather(&vec![Some(0); lanes]))
    }
}

fn gathered<T: Copy + zeroize::Zeroize>(from: &[T], lanes: &[Option<usize>], zero: T) -> Zeroizing<Vec<T>> {
    Zeroizing::new(lanes.iter().map(|lane| lane.map_or(zero, |lane| from[lane])).collect())
}

/// The polynomials of a batch that has no challenge yet.
pub(in super::super) struct Pending<E: Field> {
    /// The coefficients below the degree, of the lanes of each vector.
    vectors: Vec<Vec<Zeroizing<Vec<E>>>>,
}

impl<E: Field> Default for Pending<E> {
    fn default() -> Self {
        Self { vectors: Vec::new() }
    }
}

impl<E: Field> Pending<E> {
    /// Adds the lanes of a vector.
    pub(in super::super) fn push(&mut self, lower: Vec<Zeroizing<Vec<E>>>) {
        self.vectors.push(lower);
    }

    /// Adds them to `sums` with coefficients from `fill`, in the order in which they came, and is empty again.
    pub(in super::super) fn weigh<B: Field>(
        &mut self,
        arch: Arch,
        mut fill: impl FnMut(&mut [E]),
        sums: &mut Sums<E>,
    ) where
        E: Lanes<B>,
    {
        let mut chi = Vec::new();
        for lower in self.vectors.drain(..) {
            chi.resize(lower[0].len(), E::ZERO);
            fill(&mut chi);
            let weighed = lower.iter().map(|coefficients| E::dot(arch, &chi, coefficients));
            sums.add(&Zeroizing::new(weighed.collect::<Vec<_>>()));
        }
    }
}

/// Sums of polynomials that are zero, for each degree by itself.
pub(in super::super) struct Sums<E: Field> {
    /// The coefficients below degree h, at place h.
    of_degree: Vec<Zeroizing<Vec<E>>>,
}

impl<E: Field> Default for Sums<E> {
    fn default() -> Self {
        Self { of_degree: Vec::new() }
    }
}

impl<E: Field> Sums<E> {
    /// Adds a polynomial whose degree is the number of `lower` coefficients.
    pub(in super::super) fn add(&mut self, lower: &[E]) {
        while self.of_degree.len() <= lower.len() {
            self.of_degree.push(Zeroizing::new(vec![E::ZERO; self.of_degree.len()]));
        }
        self.of_degree[lower.len()].iter_mut().zip(lower).for_each(|(sum, coefficient)| *sum += *coefficient);
    }

    /// U_0, …, U_{d-1}: all of them at one degree d, and `mask`. Fig. 5, 5b.
    ///
    /// # Panics
    /// Where one has a higher degree.
    pub(in super::super) fn masked(&self, mask: &[E]) -> Vec<E> {
        let mut opened = mask.to_vec();
        for sums in &self.of_degree {
            let shift = mask.len() - sums.len();
            iter::zip(&mut opened[shift..], &**sums).for_each(|(opened, sum)| *opened += *sum);
        }
        opened
    }
}
