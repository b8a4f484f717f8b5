//! The prover's polynomials, by their coefficients.

use super::buffers::{Buffers, Lent};
use crate::failure::Failure;
use core::cell::Cell;
use core::fmt::Display;
use core::{iter, mem, slice};
use std::borrow::Cow;
use std::collections::VecDeque;
use volery_channel::error::Result;
use volery_channel::pool::Task;
use volery_circuit::{common_lanes, degree_of_product, lane_name};
use volery_primitives::arch::Arch;
use volery_primitives::lanes::Pair;
use volery_primitives::secret::verdict;
use volery_primitives::{Field, Lanes};
use zeroize::Zeroizing;

/// Polynomials of one degree, a lane each.
#[derive(Clone)]
pub struct Vector<B: Field, E: Field> {
    /// The highest coefficients.
    values: Lent<B>,
    lower: Lower<E>,
}

/// The coefficients below the highest, a lane each: those of X^0, then those of X^1, …
#[derive(Clone)]
pub struct Lower<E: Field> {
    lanes: usize,
    degree: usize,
    coefficients: Lent<E>,
}

/// Buffers of vectors.
pub struct VectorBuffers<B: Field, E: Field> {
    values: Buffers<B>,
    lower: Buffers<E>,
    /// Memory for the runs of a gather.
    runs: Cell<Vec<Run>>,
}

impl<B: Field, E: Field> VectorBuffers<B, E> {
    /// The buffers of lower coefficients.
    pub fn lower(&self) -> &Buffers<E> {
        &self.lower
    }
}

impl<B: Field, E: Field> Default for VectorBuffers<B, E> {
    fn default() -> Self {
        Self { values: Buffers::default(), lower: Buffers::default(), runs: Cell::default() }
    }
}

impl<E: Field> Lower<E> {
    pub fn new(size: [usize; 2], coefficients: Vec<E>) -> Self {
        Self::lent(size, coefficients.into())
    }

    /// The coefficients in memory that was lent.
    pub fn lent([lanes, degree]: [usize; 2], coefficients: Lent<E>) -> Self {
        assert_eq!(coefficients.len(), lanes * degree);
        Self { lanes, degree, coefficients }
    }

    /// The number of coefficients in each lane, which is the degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// For each power the coefficients of all lanes.
    pub fn powers(&self) -> impl Iterator<Item = &[E]> {
        (0..self.degree).map(|power| self.power(power))
    }

    /// The coefficients of one power.
    fn power(&self, power: usize) -> &[E] {
        &self.coefficients[self.lanes * power..][..self.lanes]
    }
}

impl<B: Field, E: Lanes<B>> Vector<B, E> {
    /// Public values, as polynomials of degree 0.
    pub fn public(buffers: &VectorBuffers<B, E>, values: &[B]) -> Self {
        Self { values: buffers.values.copy(values), lower: Lower::new([values.len(), 0], Vec::new()) }
    }

    /// Committed values with their MACs, as polynomials of degree 1.
    pub fn of<W>(buffers: &VectorBuffers<B, E>, wires: &[W], line: impl Fn(&W) -> (B, E)) -> Self {
        let macs = buffers.lower.collect(wires.iter().map(|wire| line(wire).1));
        Self {
            values: buffers.values.collect(wires.iter().map(|wire| line(wire).0)),
            lower: Lower::lent([wires.len(), 1], macs),
        }
    }

    /// One lane of degree 2 from its coefficients, the lowest first.
    pub fn quadratic((constant, linear, value): (E, E, B)) -> Self {
        Self { values: vec![value].into(), lower: Lower::new([1, 2], vec![constant, linear]) }
    }

    /// The values, a lane each.
    pub fn values(&self) -> &[B] {
        &self.values
    }

    /// The first lane whose value is not zero.
    pub fn nonzero(&self) -> Option<usize> {
        self.values.iter().position(|value| verdict(*value != B::ZERO))
    }

    /// The name of the first lane whose value is not zero; all of them are asserted to be zero under `name`.
    pub fn failure(&self, name: &dyn Display) -> Option<String> {
        Some(lane_name(name, self.nonzero()?, self.values.len()))
    }

    /// The sum of both, lane by lane.
    pub fn sum(&self, buffers: &VectorBuffers<B, E>, other: &Self) -> Self {
        let lanes = common_lanes(self.values.len(), other.values.len());
        let (low, high) = if self.degree() < other.degree() { (self, other) } else { (other, self) };
        let (low, high) = (low.spread(buffers, lanes), high.spread(buffers, lanes));
        let values = iter::zip(&*low.values, &*high.values).map(|(&low, &high)| low + high);
        let mut sum = buffers.lower.any(lanes * high.degree());
        // The highest powers are those that both have.
        let (of_one, of_both) = high.lower.coefficients.split_at(lanes * (high.degree() - low.degree()));
        let (alone, both) = sum.split_at_mut(of_one.len());
        alone.copy_from_slice(of_one);
        let pairs = iter::zip(of_both, &*low.lower.coefficients);
        both.iter_mut().zip(pairs).for_each(|(sum, (high, low))| *sum = *high + *low);
        Self { values: buffers.values.collect(values), lower: Lower::lent([lanes, high.degree()], sum) }
    }

    /// The product of both, lane by lane.
    ///
    /// # Errors
    /// `Invalid` where the degree is too high.
    pub fn product(&self, buffers: &VectorBuffers<B, E>, arch: Arch, other: &Self) -> Result<Self> {
        Self::combination(buffers, arch, &[(self, other)], &[], B::ZERO)
    }

    /// `Σ a·b + Σ factor·vector + constant`.
    ///
    /// # Errors
    /// `Invalid` where the degree is too high.
    pub fn combination(
        buffers: &VectorBuffers<B, E>,
        arch: Arch,
        products: &[(&Self, &Self)],
        terms: &[(B, &Self)],
        constant: B,
    ) -> Result<Self> {
        let of = products.iter().flat_map(|(a, b)| [*a, *b]).chain(terms.iter().map(|(_, term)| *term));
        let lanes = of.fold(1, |lanes, of| common_lanes(lanes, of.values.len()));
        let mut degree = terms.iter().map(|(_, term)| term.degree()).max().unwrap_or(0);
        for (a, b) in products {
            degree = degree.max(degree_of_product(a.degree(), b.degree())?);
        }
        let products = products.iter().map(|(a, b)| (a.spread(buffers, lanes), b.spread(buffers, lanes)));
        let products: Vec<_> = products.collect();
        // What has the factor one and all coefficients is where the sum begins.
        let is_start = |(factor, term): &(B, &Self)| {
            *factor == B::ONE && [term.degree(), term.values.len()] == [degree, lanes]
        };
        let start = terms.iter().position(is_start);
        let (mut values, mut lower) = match start.map(|start| terms[start].1) {
            Some(start) => {
                (buffers.values.copy(&start.values), buffers.lower.copy(&start.lower.coefficients))
            }
            None => (buffers.values.zeroes(lanes), buffers.lower.any(lanes * degree)),
        };
        if constant != B::ZERO {
            values.iter_mut().for_each(|value| *value += constant);
        }
        let mut others = Vec::with_capacity(terms.len());
        for (_, (factor, term)) in terms.iter().enumerate().filter(|(i, _)| start != Some(*i)) {
            others.push((slice::from_ref(factor), term.spread(buffers, lanes)));
        }
        // The most that one power is the sum of.
        let most = products.iter().map(|(a, b)| a.degree().min(b.degree())).sum();
        let mut multiplied = Vec::with_capacity(most);
        let mut scaled = Vec::with_capacity(2 * products.len() + others.len());
        for (power, sums) in lower.chunks_exact_mut(lanes.max(1)).enumerate() {
            multiplied.clear();
            scaled.clear();
            // The highest powers are those that all have.
            for (a, b) in &products {
                if let Some(power) = (power + a.degree() + b.degree()).checked_sub(degree) {
                    a.push_products(b, power, &mut multiplied, &mut scaled);
                }
            }
            for (factor, term) in &others {
                if let Some(power) = (power + term.degree()).checked_sub(degree) {
                    scaled.push((term.lower.power(power), *factor));
                }
            }
            if start.is_some() {
                E::add_sums(arch, &multiplied, &scaled, sums);
            } else {
                E::set_sums(arch, &multiplied, &scaled, sums);
            }
        }
        let mut pairs: Vec<Pair<'_, B, B>> = Vec::with_capacity(products.len() + others.len());
        pairs.extend(products.iter().map(|(a, b)| (&*a.values, &*b.values)));
        pairs.extend(others.iter().map(|(factor, term)| (&*term.values, *factor)));
        E::add_values(arch, &pairs, &mut values);
        Ok(Self { values, lower: Lower::lent([lanes, degree], lower) })
    }

    /// Lists the products that add up to a coefficient below the highest of the product with `other`: of
    /// lower coefficients, and of those with values.
    fn push_products<'a>(
        &'a self,
        other: &'a Self,
        power: usize,
        products: &mut Vec<Pair<'a, E, E>>,
        scaled: &mut Vec<Pair<'a, E, B>>,
    ) {
        let (a, b) = (self.degree(), other.degree());
        for i in power.saturating_sub(b)..=power.min(a) {
            match (i < a, power - i < b) {
                (true, true) => products.push((self.lower.power(i), other.lower.power(power - i))),
                (true, false) => scaled.push((self.lower.power(i), &other.values)),
                (false, true) => scaled.push((other.lower.power(power - i), &self.values)),
                (false, false) => unreachable!("below the highest power"),
            }
        }
    }

    /// Gathers lanes in a new order, with zero where there is none.
    pub fn gather(&self, buffers: &VectorBuffers<B, E>, lanes: &[Option<usize>]) -> Self {
        let (mut runs, count) = (buffers.runs.take(), lanes.len());
        runs.clear();
        runs.extend(runs_of(lanes));
        let mut values = buffers.values.any(count);
        copy(&runs, &self.values, &mut values);
        let mut lower = buffers.lower.any(count * self.degree());
        for (from, to) in iter::zip(self.lower.powers(), lower.chunks_exact_mut(count.max(1))) {
            copy(&runs, from, to);
        }
        if runs.capacity() <= KEPT_RUNS {
            buffers.runs.set(runs);
        }
        Self { values, lower: Lower::lent([count, self.degree()], lower) }
    }

    /// The sum of all lanes, in one.
    pub fn total(&self) -> Self {
        let lower = self.lower.powers().map(|coefficients| coefficients.iter().copied().sum());
        Self {
            values: vec![self.values.iter().copied().sum()].into(),
            lower: Lower::new([1, self.degree()], lower.collect()),
        }
    }

    /// The lower coefficients of a vector whose values are asserted to be zero; its degree counts as 1 at
    /// least.
    pub fn into_lower(mut self) -> Lower<E> {
        if self.degree() == 0 {
            self.lower = Lower::new([self.values.len(), 1], vec![E::ZERO; self.values.len()]);
        }
        self.lower
    }

    /// The lower coefficients of the difference between this vector and commitments to its own values, whose
    /// MACs are `macs`.
    pub fn into_lower_minus(self, macs: impl Iterator<Item = E>) -> Lower<E> {
        let mut lower = self.into_lower();
        let highest = lower.coefficients.len() - lower.lanes;
        iter::zip(&mut lower.coefficients[highest..], macs)
            .for_each(|(coefficient, mac)| *coefficient -= mac);
        lower
    }

    fn degree(&self) -> usize {
        self.lower.degree()
    }

    /// The vector in `lanes` lanes; a single lane is repeated.
    fn spread(&self, buffers: &VectorBuffers<B, E>, lanes: usize) -> Cow<'_, Self> {
        if self.values.len() == lanes {
            return Cow::Borrowed(self);
        }
        let mut lower = buffers.lower.any(lanes * self.degree());
        for (of, power) in iter::zip(self.lower.powers(), lower.chunks_exact_mut(lanes.max(1))) {
            power.fill(of[0]);
        }
        let values = buffers.values.all(self.values[0], lanes);
        Cow::Owned(Self { values, lower: Lower::lent([lanes, self.degree()], lower) })
    }
}

/// The most runs for which memory is kept.
const KEPT_RUNS: usize = 1 << 12;

/// A run of lanes that are copied in one piece: its first lane, or `None` for zeroes, and its length. Most gathers
/// move words by a few bits.
type Run = (Option<usize>, usize);

fn runs_of(lanes: &[Option<usize>]) -> impl Iterator<Item = Run> {
    let follows = |a: &Option<usize>, b: &Option<usize>| a.map(|a| a + 1) == *b;
    lanes.chunk_by(follows).map(|run| (run[0], run.len()))
}

/// Copies what `runs` take from `from` into `to`, and zeroes between.
fn copy<F: Field>(runs: &[Run], from: &[F], mut to: &mut [F]) {
    for &(first, count) in runs {
        let (now, behind) = to.split_at_mut(count);
        match first {
            Some(first) => now.copy_from_slice(&from[first..first + count]),
            None => now.fill(F::ZERO),
        }
        to = behind;
    }
}

/// The polynomials of a batch that has no challenge yet.
pub struct Pending<E: Field> {
    vectors: Vec<Place<E>>,
    /// The places of those that tasks compute.
    computing: VecDeque<usize>,
    coefficients: usize,
}

/// A place among vectors that are to be zero: of one, or of some that a task computes.
enum Place<E: Field> {
    One(Lower<E>),
    Computing(Task<Computed<E>>),
    Some(Vec<Lower<E>>),
}

/// Vectors that a task has computed, and the first assertion on them that has failed.
pub struct Computed<E: Field> {
    pub vectors: Vec<Lower<E>>,
    pub failed: Option<Failure>,
}

impl<E: Field> Default for Pending<E> {
    fn default() -> Self {
        Self { vectors: Vec::new(), computing: VecDeque::new(), coefficients: 0 }
    }
}

impl<E: Field> Pending<E> {
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// The coefficients of all polynomials.
    pub fn coefficients(&self) -> usize {
        self.coefficients
    }

    /// Adds the lanes of a vector.
    pub fn push(&mut self, lower: Lower<E>) {
        self.coefficients += lower.lanes * lower.degree;
        self.vectors.push(Place::One(lower));
    }

    /// Adds the lanes of the vectors that a task computes, which come to so many coefficients.
    pub fn push_computed(&mut self, coefficients: usize, vectors: Task<Computed<E>>) {
        self.coefficients += coefficients;
        self.computing.push_back(self.vectors.len());
        self.vectors.push(Place::Computing(vectors));
    }

    /// Waits for all tasks but the last `ahead`. Assertions that have failed go to `note`.
    pub fn settle(&mut self, ahead: usize, mut note: impl FnMut(Failure)) {
        while self.computing.len() > ahead {
            let number = self.computing.pop_front().expect("more than none");
            let place = mem::replace(&mut self.vectors[number], Place::Some(Vec::new()));
            let Place::Computing(task) = place else { unreachable!("the place of a task") };
            let Computed { vectors, failed } = task.wait();
            self.vectors[number] = Place::Some(vectors);
            failed.map(&mut note);
        }
    }

    /// Adds the random linear combination of the polynomials to `sums`, with coefficients from `fill` in the
    /// order in which they came, and empties the batch.
    ///
    /// # Panics
    /// Where a task still computes some.
    pub fn weigh<B: Field>(&mut self, arch: Arch, mut fill: impl FnMut(&mut [E]), sums: &mut Sums<E>)
    where
        E: Lanes<B>,
    {
        for place in self.vectors.drain(..) {
            match place {
                Place::One(lower) => sums.weigh(arch, &lower, &mut fill),
                Place::Some(vectors) => {
                    vectors.iter().for_each(|lower| sums.weigh(arch, lower, &mut fill));
                }
                Place::Computing(_) => unreachable!("tasks are waited for before"),
            }
        }
        self.coefficients = 0;
    }
}

/// Sums of polynomials that are asserted to be zero, one sum for each degree.
pub struct Sums<E: Field> {
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
    pub fn add(&mut self, lower: &[E]) {
        while self.of_degree.len() <= lower.len() {
            self.of_degree.push(Zeroizing::new(vec![E::ZERO; self.of_degree.len()]));
        }
        self.of_degree[lower.len()].iter_mut().zip(lower).for_each(|(sum, coefficient)| *sum += *coefficient);
    }

    /// Adds the random linear combination of polynomials, with coefficients from `fill`.
    pub fn weigh<B: Field>(&mut self, arch: Arch, lower: &Lower<E>, fill: impl FnOnce(&mut [E]))
    where
        E: Lanes<B>,
    {
        let mut chi = vec![E::ZERO; lower.lanes];
        fill(&mut chi);
        let weighed = lower.powers().map(|coefficients| E::dot(arch, &chi, coefficients));
        self.add(&Zeroizing::new(weighed.collect::<Vec<_>>()));
    }

    /// Adds other sums, degree by degree.
    pub fn add_all(&mut self, others: &Self) {
        others.of_degree.iter().for_each(|sums| self.add(sums));
    }

    /// U_0, …, U_{d-1}: the sum of all at one degree d, plus `mask`. Fig. 5, 5b.
    ///
    /// # Panics
    /// Where one has a higher degree.
    pub fn masked(&self, mask: &[E]) -> Vec<E> {
        let mut opened = mask.to_vec();
        for sums in &self.of_degree {
            let shift = mask.len() - sums.len();
            iter::zip(&mut opened[shift..], &**sums).for_each(|(opened, sum)| *opened += *sum);
        }
        opened
    }
}
