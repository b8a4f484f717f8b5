//! Polynomials with values in the extension E, for the arguments about memories and tables.

use super::{Lines, Ring};
use crate::polynomial::{Buffers, Lent, Lower};
use core::marker::PhantomData;
use std::sync::Arc;
use volery_primitives::arch::Arch;
use volery_primitives::{Field, Lanes, Tagged, U256};
use zeroize::Zeroizing;

/// The prover's ring: all coefficients.
pub(crate) struct OfCoefficients<B, E: Field> {
    arch: Arch,
    buffers: Buffers<E>,
    base: PhantomData<fn() -> B>,
}

/// The verifier's ring: values at Δ.
pub(crate) struct AtDelta<B, E: Field> {
    arch: Arch,
    buffers: Buffers<E>,
    /// The key, behind a pointer because tasks are moved.
    delta: Arc<Zeroizing<E>>,
    base: PhantomData<fn() -> B>,
}

impl<B, E: Field> OfCoefficients<B, E> {
    pub(crate) fn new(arch: Arch, buffers: &Buffers<E>) -> Self {
        Self { arch, buffers: buffers.clone(), base: PhantomData }
    }
}

impl<B, E: Field> AtDelta<B, E> {
    pub(crate) fn new(arch: Arch, buffers: &Buffers<E>, delta: E) -> Self {
        Self { arch, buffers: buffers.clone(), delta: Arc::new(Zeroizing::new(delta)), base: PhantomData }
    }
}

impl<B, E: Field> Clone for OfCoefficients<B, E> {
    fn clone(&self) -> Self {
        Self::new(self.arch, &self.buffers)
    }
}

impl<B, E: Field> Clone for AtDelta<B, E> {
    fn clone(&self) -> Self {
        let (buffers, delta) = (self.buffers.clone(), self.delta.clone());
        Self { arch: self.arch, buffers, delta, base: PhantomData }
    }
}

/// Polynomials by all their coefficients, a lane each, those of X^0 first. The highest coefficients are the
/// values.
pub(crate) struct Wides<E: Field> {
    lanes: usize,
    degree: usize,
    coefficients: Lent<E>,
}

impl<E: Field> Wides<E> {
    /// Polynomials with coefficients that the caller overwrites.
    fn any(buffers: &Buffers<E>, lanes: usize, degree: usize) -> Self {
        Self { lanes, degree, coefficients: buffers.any(lanes * (degree + 1)) }
    }

    /// A copy of the coefficients below the highest.
    pub(crate) fn copy_lower(&self, buffers: &Buffers<E>) -> Lower<E> {
        Lower::lent([self.lanes, self.degree], buffers.copy(&self.coefficients[..self.lanes * self.degree]))
    }

    /// Whether all values are zero: one verdict for all lanes, so that no branch tells which of them fails.
    pub(crate) fn vanish(&self) -> bool {
        let mut words = U256::ZERO;
        for value in self.values() {
            words |= value.to_integer();
        }
        words == U256::ZERO
    }

    pub(crate) fn values(&self) -> &[E] {
        self.power(self.degree)
    }

    fn power(&self, power: usize) -> &[E] {
        &self.coefficients[self.lanes * power..][..self.lanes]
    }

    /// Adds up products, lane by lane, of one power of `a` and one of `b` each.
    fn product<B: Field>(
        (arch, buffers): (Arch, &Buffers<E>),
        [a, b]: [&Self; 2],
        lanes: usize,
        from: &[[usize; 2]],
    ) -> Self
    where
        E: Lanes<B>,
    {
        let mut product = Self::any(buffers, lanes, a.degree + b.degree);
        let mut products = Vec::with_capacity(from.len() * (a.degree + 1));
        for (power, sums) in product.coefficients.chunks_exact_mut(lanes.max(1)).enumerate() {
            products.clear();
            for &[first, other] in from {
                for i in power.saturating_sub(b.degree)..=power.min(a.degree) {
                    products.push((&a.power(i)[first..][..lanes], &b.power(power - i)[other..][..lanes]));
                }
            }
            E::set_sums(arch, &products, &[], sums);
        }
        product
    }
}

impl<B: Field, E: Lanes<B>> Ring for OfCoefficients<B, E> {
    type E = E;
    type Wide = Tagged<E, E>;
    type Wides = Wides<E>;

    const KNOWS: bool = true;

    fn apart(&self) -> Self {
        Self::new(self.arch, &Buffers::default())
    }

    fn add_weighed(&self, terms: &[(&[E], E)], sums: &mut [E]) {
        E::add_weighed(self.arch, terms, sums);
    }

    fn lanes(&self, count: usize, fill: &dyn Fn(&mut Lines<'_, E>)) -> Wides<E> {
        let mut lines = Wides { lanes: count, degree: 1, coefficients: self.buffers.zeroes(2 * count) };
        let mut public = self.buffers.all(E::ONE, count);
        fill(&mut Lines::new(&mut lines.coefficients, &mut public));
        let values = &mut lines.coefficients[count..];
        values.iter_mut().zip(&*public).for_each(|(value, public)| *value += *public);
        lines
    }

    fn list(&self, lines: &[Tagged<E, E>]) -> Wides<E> {
        let mut list = Wides::any(&self.buffers, lines.len(), 1);
        let (macs, values) = list.coefficients.split_at_mut(lines.len());
        for ((mac, value), line) in macs.iter_mut().zip(values).zip(lines) {
            (*mac, *value) = (line.mac, line.value);
        }
        list
    }

    fn multiplied(&self, a: &Wides<E>, b: &Wides<E>) -> Wides<E> {
        assert_eq!(a.lanes, b.lanes);
        Wides::product((self.arch, &self.buffers), [a, b], a.lanes, &[[0, 0]])
    }

    fn subtracted(&self, a: &Wides<E>, b: &Wides<E>) -> Wides<E> {
        assert_eq!(a.lanes, b.lanes);
        let mut difference = Wides::any(&self.buffers, a.lanes, a.degree.max(b.degree));
        let ours = a.lanes * (difference.degree - a.degree);
        difference.coefficients[..ours].fill(E::ZERO);
        difference.coefficients[ours..].copy_from_slice(&a.coefficients);
        let theirs = a.lanes * (difference.degree - b.degree);
        let differences = difference.coefficients[theirs..].iter_mut();
        differences.zip(&*b.coefficients).for_each(|(difference, term)| *difference -= *term);
        difference
    }

    fn steps_less(&self, lines: &[Tagged<E, E>], factors: &Wides<E>, terms: &Wides<E>) -> Wides<E> {
        let lanes = factors.lanes;
        assert!(lines.len() == lanes + 1 && terms.lanes == lanes);
        let mut steps = Wides::any(&self.buffers, lanes, 1);
        let (macs, values) = steps.coefficients.split_at_mut(lanes);
        for ((mac, value), pair) in macs.iter_mut().zip(values).zip(lines.windows(2)) {
            let step = pair[1] - pair[0];
            (*mac, *value) = (step.mac, step.value);
        }
        let mut difference = Wides::any(&self.buffers, lanes, factors.degree + 1);
        let (minus, higher) = ([-B::ONE], difference.degree - terms.degree);
        for (power, sums) in difference.coefficients.chunks_exact_mut(lanes.max(1)).enumerate() {
            let of_steps = power.saturating_sub(factors.degree)..=power.min(1);
            let products = of_steps.map(|i| (steps.power(i), factors.power(power - i))).collect::<Vec<_>>();
            let terms = power.checked_sub(higher).map(|power| (terms.power(power), &minus[..]));
            E::set_sums(self.arch, &products, terms.as_slice(), sums);
        }
        difference
    }

    fn halves_multiplied(&self, of: &Wides<E>, half: usize) -> Wides<E> {
        Wides::product((self.arch, &self.buffers), [of, of], half, &[[0, half]])
    }

    fn halves_added(&self, of: &Wides<E>, half: usize) -> Wides<E> {
        let mut sums = Wides::any(&self.buffers, half, of.degree);
        for (power, sums) in sums.coefficients.chunks_exact_mut(half).enumerate() {
            let (first, next) = of.power(power)[..2 * half].split_at(half);
            for (sum, (a, b)) in sums.iter_mut().zip(first.iter().zip(next)) {
                *sum = *a + *b;
            }
        }
        sums
    }

    fn halves_crossed(&self, a: &Wides<E>, b: &Wides<E>, half: usize) -> Wides<E> {
        Wides::product((self.arch, &self.buffers), [a, b], half, &[[0, half], [half, 0]])
    }

    fn lanes_from(&self, of: &Wides<E>, first: usize, count: usize) -> Wides<E> {
        let mut some = Wides::any(&self.buffers, count, of.degree);
        for (power, to) in some.coefficients.chunks_exact_mut(count.max(1)).enumerate() {
            to.copy_from_slice(&of.power(power)[first..first + count]);
        }
        some
    }

    fn values(of: &Wides<E>) -> Option<&[E]> {
        Some(of.values())
    }
}

/// The values at Δ of polynomials of one degree.
pub(crate) struct WideKeys<E: Field> {
    pub degree: usize,
    pub keys: Lent<E>,
}

impl<E: Field> WideKeys<E> {
    fn halves(&self, half: usize) -> (&[E], &[E]) {
        self.keys[..2 * half].split_at(half)
    }
}

impl<B: Field, E: Lanes<B>> AtDelta<B, E> {
    fn products(&self, pairs: &[(&[E], &[E])]) -> Lent<E> {
        let mut products = self.buffers.any(pairs[0].0.len());
        E::set_sums(self.arch, pairs, &[], &mut products);
        products
    }
}

impl<B: Field, E: Lanes<B>> Ring for AtDelta<B, E> {
    type E = E;
    type Wide = E;
    type Wides = WideKeys<E>;

    const KNOWS: bool = false;

    fn apart(&self) -> Self {
        Self { buffers: Buffers::default(), ..self.clone() }
    }

    fn add_weighed(&self, terms: &[(&[E], E)], sums: &mut [E]) {
        E::add_weighed(self.arch, terms, sums);
    }

    fn lanes(&self, count: usize, fill: &dyn Fn(&mut Lines<'_, E>)) -> WideKeys<E> {
        let mut keys = self.buffers.zeroes(count);
        let mut public = self.buffers.all(E::ONE, count);
        fill(&mut Lines::new(&mut keys, &mut public));
        E::add_products(self.arch, &public, &self.buffers.all(**self.delta, count), &mut keys);
        WideKeys { degree: 1, keys }
    }

    fn list(&self, keys: &[E]) -> WideKeys<E> {
        WideKeys { degree: 1, keys: self.buffers.copy(keys) }
    }

    fn multiplied(&self, a: &WideKeys<E>, b: &WideKeys<E>) -> WideKeys<E> {
        WideKeys { degree: a.degree + b.degree, keys: self.products(&[(&a.keys, &b.keys)]) }
    }

    fn subtracted(&self, a: &WideKeys<E>, b: &WideKeys<E>) -> WideKeys<E> {
        assert_eq!(a.keys.len(), b.keys.len());
        let degree = a.degree.max(b.degree);
        let power = |of: usize| (of..degree).fold(E::ONE, |power, _| power * **self.delta);
        let (ours, theirs) = (power(a.degree), power(b.degree));
        let keys = a.keys.iter().zip(&*b.keys).map(|(a, b)| *a * ours - *b * theirs);
        WideKeys { degree, keys: self.buffers.collect(keys) }
    }

    fn steps_less(&self, lines: &[E], factors: &WideKeys<E>, terms: &WideKeys<E>) -> WideKeys<E> {
        assert!(lines.len() == factors.keys.len() + 1 && factors.keys.len() == terms.keys.len());
        let steps = WideKeys {
            degree: 1,
            keys: self.buffers.collect(lines.windows(2).map(|pair| pair[1] - pair[0])),
        };
        self.subtracted(&self.multiplied(&steps, factors), terms)
    }

    fn halves_multiplied(&self, of: &WideKeys<E>, half: usize) -> WideKeys<E> {
        WideKeys { degree: 2 * of.degree, keys: self.products(&[of.halves(half)]) }
    }

    fn halves_added(&self, of: &WideKeys<E>, half: usize) -> WideKeys<E> {
        let (first, next) = of.halves(half);
        let sums = first.iter().zip(next).map(|(a, b)| *a + *b);
        WideKeys { degree: of.degree, keys: self.buffers.collect(sums) }
    }

    fn halves_crossed(&self, a: &WideKeys<E>, b: &WideKeys<E>, half: usize) -> WideKeys<E> {
        let ((first, next), (others, after)) = (a.halves(half), b.halves(half));
        WideKeys { degree: a.degree + b.degree, keys: self.products(&[(first, after), (next, others)]) }
    }

    fn lanes_from(&self, of: &WideKeys<E>, first: usize, count: usize) -> WideKeys<E> {
        WideKeys { degree: of.degree, keys: self.buffers.copy(&of.keys[first..][..count]) }
    }

    fn values(_: &WideKeys<E>) -> Option<&[E]> {
        None
    }
}
