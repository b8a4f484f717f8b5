//! Polynomials by their values: one round of compression.
//!
//! k neighbours of a vector are the values of a polynomial at the first k points, and so the vector becomes
//! one, k times shorter, of polynomials of degree below k, each to be evaluated at one challenge. In the last
//! round they have one more value, at the next point, which is random: a mask.

use volery_primitives::{Arch, CheckField};

/// The points of a round, and what follows from them alone.
pub(super) struct Points<E> {
    /// k.
    compression: usize,
    /// The points at which the product of two polynomials is given; the first [`Points::factors`] of them
    /// determine a factor.
    nodes: Vec<E>,
    /// The weights `1 / Π_{j≠i} (node i - node j)`, for factors and for products.
    weights: [Vec<E>; 2],
    /// For each point beyond those of a factor, the coefficients of the value there. Only the prover needs
    /// them.
    extensions: Vec<Vec<E>>,
}

/// The coefficients that evaluate polynomials at a challenge, from their values at the points.
pub(super) struct Evaluation<E> {
    /// The coefficients of a factor's values.
    pub(super) factor: Vec<E>,
    /// The coefficients of a product's values.
    pub(super) product: Vec<E>,
}

impl<E: CheckField> Points<E> {
    /// The points of a round; the last one has a mask.
    pub(super) fn new(compression: usize, last: bool) -> Self {
        let factors = compression + usize::from(last);
        let nodes: Vec<E> = (1..2 * factors as u32).map(E::point).collect();
        let weights = [weights(&nodes[..factors]), weights(&nodes)];
        Self { compression, nodes, weights, extensions: vec![] }
    }

    /// The points with the coefficients that a prover needs to evaluate products.
    pub(super) fn extended(mut self) -> Self {
        let (inner, outer) = self.nodes.split_at(self.factors());
        self.extensions = outer.iter().map(|&node| lagrange(inner, &self.weights[0], node)).collect();
        self
    }

    /// The number of points that determine a factor: k, and one more in the last round.
    pub(super) fn factors(&self) -> usize {
        self.weights[0].len()
    }

    /// Whether this is the last round, which masks.
    pub(super) fn masks(&self) -> bool {
        self.factors() > self.compression
    }

    /// The number of injected values: those of the product, but for one that the claim gives.
    pub(super) fn injected(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether `s` may be a challenge: it must be none of the points that determine a factor.
    pub(super) fn allows(&self, s: E) -> bool {
        self.nodes[..self.factors()].iter().all(|node| *node != s)
    }

    /// The coefficients that evaluate polynomials at `s`.
    pub(super) fn at(&self, s: E) -> Evaluation<E> {
        Evaluation {
            factor: lagrange(&self.nodes[..self.factors()], &self.weights[0], s),
            product: lagrange(&self.nodes, &self.weights[1], s),
        }
    }

    /// Adds to `values`, one for each point, the values of `Σ f·g` without masks, for the polynomials f and g
    /// whose values are in `x` and `y`: a multiple of k entries of a longer vector, or its end.
    pub(super) fn add_products(
        &self,
        arch: Arch,
        x: &[E],
        y: &[E],
        scratch: &mut Scratch<E>,
        values: &mut [E],
    ) {
        let k = self.compression;
        scratch.f.resize(x.len(), E::default());
        E::multiply(arch, x, y, &mut scratch.f);
        for products in scratch.f.chunks(k) {
            values.iter_mut().zip(products).for_each(|(value, &product)| *value += product);
        }
        let length = x.len().div_ceil(k);
        scratch.f.resize(length, E::default());
        scratch.g.resize(length, E::default());
        for (extension, value) in self.extensions.iter().zip(&mut values[self.factors()..]) {
            E::fold(arch, x, &extension[..k], &mut scratch.f);
            E::fold(arch, y, &extension[..k], &mut scratch.g);
            *value += E::dot_product(arch, &scratch.f, &scratch.g);
        }
    }

    /// The values of the product of whole vectors with their `masks`, that of x and that of y, in the last
    /// round.
    pub(super) fn masked_products(&self, arch: Arch, [x, y]: [&[E]; 2], masks: [&[E]; 2]) -> Vec<E> {
        let k = self.compression;
        let mut values = vec![E::default(); self.nodes.len()];
        for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
            values[i % k] += x * y;
        }
        values[k] = E::dot_product(arch, masks[0], masks[1]);
        for (extension, value) in self.extensions.iter().zip(&mut values[k + 1..]) {
            let f = fold_masked(arch, x, masks[0], extension);
            let g = fold_masked(arch, y, masks[1], extension);
            *value = E::dot_product(arch, &f, &g);
        }
        values
    }
}

/// Buffers for folded vectors.
#[derive(Default)]
pub(super) struct Scratch<E> {
    f: Vec<E>,
    g: Vec<E>,
}

/// A vector folded by the first k of k+1 coefficients, with its mask folded by the last.
pub(super) fn fold_masked<E: CheckField>(arch: Arch, x: &[E], mask: &[E], coefficients: &[E]) -> Vec<E> {
    let (last, first) = coefficients.split_last().expect("k and one");
    let mut folded = vec![E::default(); mask.len()];
    E::fold(arch, x, first, &mut folded);
    folded.iter_mut().zip(mask).for_each(|(folded, &mask)| *folded += mask * *last);
    folded
}

/// The weights `1 / Π_{j≠i} (node i - node j)`, by one inversion.
fn weights<E: CheckField>(nodes: &[E]) -> Vec<E> {
    let products: Vec<E> = nodes
        .iter()
        .enumerate()
        .map(|(i, &node)| {
            let others = nodes.iter().enumerate().filter(|(j, _)| i != *j);
            others.fold(E::UNIT, |product, (_, &other)| product * (node - other))
        })
        .collect();
    let before = running(products.iter().copied());
    let mut inverse = before.last().map_or(E::UNIT, |last| *last).inverse();
    let mut weights = vec![E::default(); products.len()];
    for (i, &product) in products.iter().enumerate().rev() {
        weights[i] = inverse * before[i];
        inverse *= product;
    }
    weights
}

/// The products of the first 0, 1, 2, … of `factors`.
fn running<E: CheckField>(factors: impl Iterator<Item = E>) -> Vec<E> {
    core::iter::once(E::UNIT)
        .chain(factors.scan(E::UNIT, |product, factor| {
            *product *= factor;
            Some(*product)
        }))
        .collect()
}

/// The coefficients that give the value at `s` from those at `nodes`.
fn lagrange<E: CheckField>(nodes: &[E], weights: &[E], s: E) -> Vec<E> {
    let before = running(nodes.iter().map(|&node| s - node));
    let mut after = E::UNIT;
    let mut coefficients = vec![E::default(); nodes.len()];
    for (i, &node) in nodes.iter().enumerate().rev() {
        coefficients[i] = before[i] * after * weights[i];
        after *= s - node;
    }
    coefficients
}
