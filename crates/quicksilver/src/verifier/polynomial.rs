//! Polynomials of committed values. Fig. 5, 3 to 5.

use super::{Commitments, Verifier};
use crate::FORMS;
use crate::polynomial::{KeyVectors, Keys, MOST, TOGETHER};
use core::fmt::Display;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::stream::{Arithmetic as _, Map, OneLane, Vectorized};
use volery_circuit::{Bilinear, Entries, Lists, Matrix, Polynomials, check_sizes};
use volery_primitives::prg::Seed;

impl<M: Commitments> Verifier<'_, M> {
    /// Adds polynomials that are to be zero to those of the open batch.
    pub(super) fn vanish(&mut self, polynomials: Keys<M::E>) -> Result<()> {
        self.vanish_among(polynomials, MOST)
    }

    /// Takes polynomials that are to be zero, and ends the batch behind so many coefficients.
    pub(super) fn vanish_among(&mut self, polynomials: Keys<M::E>, most: usize) -> Result<()> {
        self.take_asserted()?;
        let (degree, lanes) = (polynomials.degree(), polynomials.lanes());
        self.count_polynomials(lanes, degree)?;
        M::add(self, polynomials);
        self.go_on_or_end(most)
    }

    /// Ends the batch behind `most` coefficients.
    pub(super) fn go_on_or_end(&mut self, most: usize) -> Result<()> {
        if self.coefficients < most { Ok(()) } else { self.end_early() }
    }

    /// Counts polynomials of the batch, which is open then.
    pub(super) fn count_polynomials(&mut self, lanes: usize, degree: usize) -> Result<()> {
        if !self.open {
            self.next_slots()?;
        }
        self.gates.polynomials(lanes, degree);
        self.coefficients += lanes * degree;
        Ok(())
    }

    /// Executes a function of polynomials alone on all lanes of a map, by tasks where it can. Gives whether it is one.
    pub(super) fn map_polynomials(&mut self, map: &Map<'_, M::F, M::E>) -> Result<bool> {
        // A file is as long as the order of calls says, and a half hands the channel on by sections.
        let may_be = self.feed.is_none() && self.lengths.is_none() && map.lanes > 1;
        let Some(function) = may_be.then(|| Vectorized::of(map.function)).flatten() else { return Ok(false) };
        self.take_asserted()?;
        let function = Arc::new(function);
        for lanes in function.parts(map.lanes) {
            let (columns, count) = (Vectorized::columns(map, &lanes), lanes.len());
            for degree in &function.degrees {
                self.count_polynomials(count, *degree)?;
            }
            let vectors = function.degrees.len();
            self.gates.assert += (count * vectors) as u64;
            let (arch, delta) = (self.arch, self.vectors.delta.clone());
            let (spare, function) = (self.in_tasks.clone(), function.clone());
            M::add_computed(self, [vectors, count], move || {
                let mut by = spare.take().unwrap_or_else(|| KeyVectors::new(arch, delta));
                let mut vanishing = Vec::with_capacity(function.degrees.len());
                function.compute(&mut by, &mut OneLane::default(), &columns, |by, keys: Keys<_>| {
                    vanishing.push(keys.raised(**by.delta));
                });
                spare.give(by);
                vanishing
            });
            self.go_on_or_end(MOST)?;
        }
        Ok(true)
    }

    fn end_early(&mut self) -> Result<()> {
        self.steps.begin()?;
        M::end_early(self)?;
        self.steps.end();
        Ok(())
    }

    /// Adds the products that are asserted, if there are any, to the polynomials of the open batch.
    pub(super) fn take_asserted(&mut self) -> Result<()> {
        if self.asserted.is_empty() {
            return Ok(());
        }
        // Behind an error there may be no batch that they belong to.
        self.steps.begin()?;
        self.steps.end();
        let Verifier { asserted, vectors: KeyVectors { arch, buffers, .. }, .. } = self;
        let wires = |of: usize| Keys::of(buffers, 1, asserted.iter().map(|triple| triple[of]));
        let product = wires(0).product::<M::F>(buffers, *arch, &wires(1))?;
        let polynomials = product.minus(M::delta(self.delta), self.asserted.iter().map(|triple| triple[2]));
        self.asserted.clear();
        M::add(self, polynomials);
        Ok(())
    }

    /// Takes a form that is asserted among those that wait for a challenge.
    fn assert_form(
        &mut self,
        form: &Bilinear,
        first: &[M::E],
        second: Entries<M::F, M::E>,
        result: Entries<M::F, M::E>,
    ) -> Result<()> {
        self.gates.matrix_product(result.len());
        if self.forms.push((form, 0), (first, second), result) { self.end_forms() } else { Ok(()) }
    }

    /// Adds the polynomials of all forms that wait to the sums, by vectors drawn now.
    pub(super) fn end_forms(&mut self) -> Result<()> {
        if self.forms.is_empty() {
            return Ok(());
        }
        let seed = self.challenge(FORMS)?;
        let fill = M::coefficients(self.arch, seed);
        let at_delta = self.forms.at(M::delta(self.delta), (&self.pool, self.arch), fill);
        self.sums.add(2, at_delta);
        self.gates.challenged += 1;
        Ok(())
    }

    /// The seed of coefficients for all that the prover has committed to so far, for which the batch ends.
    pub(crate) fn challenge(&mut self, what: &'static str) -> Result<Seed> {
        self.take_asserted()?;
        self.steps.begin()?;
        M::end_early(self)?;
        let seed = M::challenge(self, what)?;
        self.steps.end();
        Ok(seed)
    }
}

impl<M: Commitments> Polynomials for Verifier<'_, M> {
    type Vector = Keys<M::E>;

    fn lanes_of(&self, a: &Keys<M::E>) -> usize {
        a.lanes()
    }
    fn public(&mut self, values: &[M::F]) -> Self::Vector {
        self.vectors.public(values)
    }
    fn vector(&mut self, wires: &[M::E]) -> Self::Vector {
        self.vectors.vector(wires)
    }
    fn sum(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        self.vectors.sum(a, b)
    }
    fn product(&mut self, a: &Self::Vector, b: &Self::Vector) -> Result<Self::Vector> {
        self.vectors.product(a, b)
    }
    fn combination(
        &mut self,
        products: &[(&Self::Vector, &Self::Vector)],
        terms: &[(M::F, &Self::Vector)],
        constant: M::F,
    ) -> Result<Self::Vector> {
        self.vectors.combination(products, terms, constant)
    }
    fn gather(&mut self, a: &Self::Vector, lanes: &[Option<usize>]) -> Self::Vector {
        self.vectors.gather(a, lanes)
    }
    fn total(&mut self, a: &Self::Vector) -> Self::Vector {
        self.vectors.total(a)
    }
    fn inner_product(&mut self, a: &[M::E], b: &[M::E]) -> Result<Self::Vector> {
        self.vectors.inner_product(a, b)
    }
    fn commit(&mut self, a: &Keys<M::E>) -> Result<Vec<M::E>> {
        let wires = (0..a.lanes()).map(|_| self.commit_to()).collect::<Result<Vec<_>>>()?;
        self.vanish(a.clone().minus(M::delta(self.delta), wires.iter().copied()))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Keys<M::E>, _: impl Display) -> Result<()> {
        self.gates.assert += a.lanes() as u64;
        self.vanish(a.raised(M::delta(self.delta)))
    }
    fn assert_product(&mut self, a: M::E, b: M::E, c: M::E, _: impl Display) -> Result<()> {
        self.gates.assert += 1;
        self.count_polynomials(1, 2)?;
        if self.asserted.capacity() < TOGETHER {
            self.asserted.reserve_exact(TOGETHER);
        }
        self.asserted.push([a, b, c]);
        if self.coefficients >= MOST {
            self.take_asserted()?;
            return self.end_early();
        }
        if self.asserted.len() == TOGETHER { self.take_asserted() } else { Ok(()) }
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<M::E>,
        b: Matrix<M::E>,
        c: Entries<M::F, M::E>,
        _: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        self.assert_form(&Bilinear::product(&a, &b), a.entries(), Entries::Wires(b.entries()), c)
    }
    fn assert_bilinear(
        &mut self,
        form: &Bilinear,
        (first, second, result): Lists<'_, M::F, M::E>,
        _: impl Display,
    ) -> Result<()> {
        form.validate()?;
        form.check([first.len(), second.len(), result.len()]);
        self.assert_form(form, first, second, Entries::Wires(result))
    }
}
