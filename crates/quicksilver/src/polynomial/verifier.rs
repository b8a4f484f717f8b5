//! The verifier's polynomials, by their values at Δ.

use super::buffers::{Buffers, Lent};
use core::{iter, slice};
use std::borrow::Cow;
use volery_channel::error::Result;
use volery_circuit::{HIGHEST_DEGREE, common_lanes, degree_of_product};
use volery_primitives::arch::Arch;
use volery_primitives::{Field, Lanes};
use zeroize::Zeroizing;

/// Polynomials of one degree at Δ, a lane each.
#[derive(Clone)]
pub struct Keys<E: Field> {
    degree: usize,
    keys: Lent<E>,
}

impl<E: Field> Keys<E> {
    /// Polynomials of a degree.
    pub fn new(degree: usize, keys: impl Iterator<Item = E>) -> Self {
        Self { degree, keys: keys.collect::<Vec<_>>().into() }
    }

    /// Polynomials of a degree by their keys.
    pub fn lent(degree: usize, keys: Lent<E>) -> Self {
        Self { degree, keys }
    }

    /// The keys of polynomials, in memory of `buffers`.
    pub fn of(buffers: &Buffers<E>, degree: usize, keys: impl ExactSizeIterator<Item = E>) -> Self {
        Self { degree, keys: buffers.collect(keys) }
    }

    /// The degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The number of lanes.
    pub fn lanes(&self) -> usize {
        self.keys.len()
    }

    /// The random linear combination of the polynomials, with coefficients `chi`.
    pub fn weighed<B: Field>(&self, arch: Arch, chi: &[E]) -> E
    where
        E: Lanes<B>,
    {
        E::dot(arch, chi, &self.keys)
    }

    /// The sum of both, lane by lane.
    pub fn sum<B: Field>(&self, buffers: &Buffers<E>, arch: Arch, delta: E, other: &Self) -> Self
    where
        E: Lanes<B>,
    {
        let lanes = common_lanes(self.keys.len(), other.keys.len());
        let (low, high) = if self.degree < other.degree { (self, other) } else { (other, self) };
        let (low, high) = (low.spread(buffers, lanes), high.spread(buffers, lanes));
        if high.degree == low.degree {
            let sums = iter::zip(&*low.keys, &*high.keys).map(|(low, high)| *low + *high);
            return Self::of(buffers, high.degree, sums);
        }
        let powers = buffers.all(power(delta, high.degree - low.degree), lanes);
        let mut keys = buffers.any(lanes);
        E::set_sums(arch, &[(&*low.keys, &*powers)], &[], &mut keys);
        keys.iter_mut().zip(&*high.keys).for_each(|(sum, key)| *sum += *key);
        Self { degree: high.degree, keys }
    }

    /// The product of both, lane by lane.
    ///
    /// # Errors
    /// `Invalid` where the degree is too high.
    pub fn product<B: Field>(&self, buffers: &Buffers<E>, arch: Arch, other: &Self) -> Result<Self>
    where
        E: Lanes<B>,
    {
        let lanes = common_lanes(self.keys.len(), other.keys.len());
        let degree = degree_of_product(self.degree, other.degree)?;
        let mut keys = buffers.any(lanes);
        let (a, b) = (self.spread(buffers, lanes), other.spread(buffers, lanes));
        E::set_sums(arch, &[(&*a.keys, &*b.keys)], &[], &mut keys);
        Ok(Self { degree, keys })
    }

    /// `Σ a·b + Σ factor·polynomial + constant`.
    ///
    /// # Errors
    /// `Invalid` where the degree is too high.
    pub fn combination<B: Field>(
        buffers: &Buffers<E>,
        (arch, delta): (Arch, E),
        products: &[(&Self, &Self)],
        terms: &[(B, &Self)],
        constant: B,
    ) -> Result<Self>
    where
        E: Lanes<B>,
    {
        let of = products.iter().flat_map(|(a, b)| [*a, *b]).chain(terms.iter().map(|(_, term)| *term));
        let lanes = of.fold(1, |lanes, of| common_lanes(lanes, of.keys.len()));
        let mut degree = terms.iter().map(|(_, term)| term.degree).max().unwrap_or(0);
        for (a, b) in products {
            degree = degree.max(degree_of_product(a.degree, b.degree)?);
        }
        let is_start = constant != B::ZERO;
        let mut keys = match is_start {
            true => buffers.all(E::from(constant) * power(delta, degree), lanes),
            false => buffers.any(lanes),
        };
        let products: Vec<_> = products
            .iter()
            .map(|(a, b)| (degree - a.degree - b.degree, a.spread(buffers, lanes), b.spread(buffers, lanes)))
            .collect();
        let terms: Vec<_> = terms
            .iter()
            .map(|(factor, term)| {
                (degree - term.degree, term.spread(buffers, lanes), slice::from_ref(factor))
            })
            .collect();
        let (mut multiplied, mut scaled) = (Vec::new(), Vec::new());
        for lower in 0..=degree {
            multiplied.clear();
            for (by, a, b) in &products {
                if *by == lower {
                    multiplied.push((&*a.keys, &*b.keys));
                }
            }
            scaled.clear();
            for (by, term, factor) in &terms {
                if *by == lower {
                    scaled.push((&*term.keys, *factor));
                }
            }
            if lower == 0 && is_start {
                E::add_sums(arch, &multiplied, &scaled, &mut keys);
            } else if lower == 0 {
                E::set_sums(arch, &multiplied, &scaled, &mut keys);
            } else if !multiplied.is_empty() || !scaled.is_empty() {
                let mut sums = buffers.any(lanes);
                E::set_sums(arch, &multiplied, &scaled, &mut sums);
                let powers = buffers.all(power(delta, lower), lanes);
                E::add_products(arch, &sums, &powers, &mut keys);
            }
        }
        Ok(Self { degree, keys })
    }

    /// Gathers lanes in a new order, with zero where there is none.
    pub fn gather(&self, buffers: &Buffers<E>, lanes: &[Option<usize>]) -> Self {
        Self::of(buffers, self.degree, lanes.iter().map(|lane| lane.map_or(E::ZERO, |lane| self.keys[lane])))
    }

    /// The sum of all lanes, in one.
    pub fn total(&self) -> Self {
        Self::new(self.degree, iter::once(self.keys.iter().copied().sum()))
    }

    /// The keys of the polynomials at degree 1 or more: constants are multiplied by Δ.
    pub fn raised(mut self, delta: E) -> Self {
        if self.degree == 0 {
            self.degree = 1;
            self.keys.iter_mut().for_each(|key| *key *= delta);
        }
        self
    }

    /// The keys of the differences between the polynomials and commitments whose keys are `keys`.
    pub fn minus(self, delta: E, keys: impl Iterator<Item = E>) -> Self {
        let mut raised = self.raised(delta);
        let power = Zeroizing::new(power(delta, raised.degree - 1));
        raised.keys.iter_mut().zip(keys).for_each(|(of, key)| *of -= key * *power);
        raised
    }

    fn spread(&self, buffers: &Buffers<E>, lanes: usize) -> Cow<'_, Self> {
        if self.keys.len() == lanes {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { degree: self.degree, keys: buffers.all(self.keys[0], lanes) })
    }
}

/// Sums of polynomials at Δ, for each degree by itself.
pub(crate) struct KeySums<E: Field> {
    of_degree: Zeroizing<Vec<E>>,
}

impl<E: Field> Default for KeySums<E> {
    /// Room for degrees up to the highest of a statement's polynomials, and for that of a group of clauses.
    fn default() -> Self {
        Self { of_degree: Zeroizing::new(vec![E::ZERO; HIGHEST_DEGREE + 2]) }
    }
}

impl<E: Field> KeySums<E> {
    /// Adds the random linear combination of `polynomials` to the sums, with coefficients from `fill`.
    pub(crate) fn weigh<B: Field>(&mut self, arch: Arch, polynomials: &Keys<E>, fill: impl FnOnce(&mut [E]))
    where
        E: Lanes<B>,
    {
        let mut chi = vec![E::ZERO; polynomials.lanes()];
        fill(&mut chi);
        self.add(polynomials.degree, E::dot(arch, &chi, &polynomials.keys));
    }

    /// Adds other sums, degree by degree.
    pub(crate) fn add_all(&mut self, others: &Self) {
        iter::zip(&mut *self.of_degree, &*others.of_degree).for_each(|(sum, other)| *sum += *other);
    }

    /// Adds a polynomial of `degree`.
    pub(crate) fn add(&mut self, degree: usize, key: E) {
        self.of_degree[degree] += key;
    }

    /// Compares the opened U_0, …, U_{d-1} with the sums at one degree, masked by a polynomial whose value is
    /// `mask`. Fig. 5, 5c. The two results are to be compared in constant time.
    ///
    /// # Panics
    /// Where one has a higher degree than there are.
    pub(crate) fn against(&self, delta: E, mask: E, opened: &[E]) -> (E, E) {
        let mut sum = mask;
        let mut power = E::ONE;
        let mut at_delta = E::ZERO;
        // With Δ^i go U_i and the sum of degree d - i.
        for (i, coefficient) in opened.iter().enumerate() {
            at_delta += *coefficient * power;
            sum += self.of_degree[opened.len() - i] * power;
            power *= delta;
        }
        (sum, at_delta)
    }
}

/// Δ to the power of `exponent`, which is public.
pub(crate) fn power<E: Field>(delta: E, exponent: usize) -> E {
    (0..exponent).fold(E::ONE, |power, _| power * delta)
}
