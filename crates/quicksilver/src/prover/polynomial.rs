//! Polynomials of committed values. Fig. 5, 3 to 5.

use super::{Commitments, Prover};
use crate::FORMS;
use crate::failure::{Failure, Name};
use crate::polynomial::{Computed, Lower, MOST, TOGETHER, TagVectors, Vector};
use core::fmt::Display;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::stream::{Arithmetic as _, Map, OneLane, Vectorized};
use volery_circuit::{Bilinear, Entries, Lists, Matrix, Polynomials, check_sizes};
use volery_primitives::prg::Seed;
use volery_vole::macs::Macs;

impl<M: Commitments> Prover<'_, M> {
    /// Adds polynomials that are to be zero to those of the open batch.
    pub(super) fn vanish(&mut self, lower: Lower<M::E>) -> Result<()> {
        self.vanish_among(lower, MOST)
    }

    /// Shows that polynomials are zero, and ends the batch behind so many coefficients.
    pub(super) fn vanish_among(&mut self, lower: Lower<M::E>, most: usize) -> Result<()> {
        self.take_asserted()?;
        let (degree, lanes) = (lower.degree(), lower.lanes());
        self.count_polynomials(lanes, degree)?;
        M::polynomials(self).push(lower);
        self.go_on_or_end(most)
    }

    /// Ends the batch behind `most` coefficients.
    pub(super) fn go_on_or_end(&mut self, most: usize) -> Result<()> {
        if self.coefficients < most { self.hand_over() } else { self.end_early() }
    }

    /// Executes a function of polynomials alone on all lanes of a map: leaves it to tasks. Gives whether it is one.
    pub(super) fn map_polynomials(&mut self, map: &Map<'_, M::F, M::Tag>) -> Result<bool> {
        // A file is as long as the order of calls says, and a half hands the channel on by sections.
        let may_be = self.drain.is_none() && self.lengths.is_none() && map.lanes > 1;
        let Some(function) = may_be.then(|| Vectorized::of(map.function)).flatten() else { return Ok(false) };
        self.take_asserted()?;
        let (assertions, function) = (function.degrees.len() as u64, Arc::new(function));
        for lanes in function.parts(map.lanes) {
            let (columns, count) = (Vectorized::columns(map, &lanes), lanes.len());
            for degree in &function.degrees {
                self.count_polynomials(count, *degree)?;
            }
            let coefficients = count * function.degrees.iter().sum::<usize>();
            let (before, first) = (self.gates.assert, map.assertions + lanes.start as u64 * assertions);
            self.gates.assert += count as u64 * assertions;
            let (arch, spare, function) = (self.arch, self.in_tasks.clone(), function.clone());
            let computed = self.pool.run(move || {
                let mut by = spare.take().unwrap_or_else(|| TagVectors::new(arch));
                let (vectors, failed) = compute(&mut by, &function, &columns);
                spare.give(by);
                let number = failed.map(|(lane, number)| first + lane as u64 * assertions + number);
                Computed {
                    vectors,
                    failed: number.map(|number| Failure { before, name: Name::Number(number) }),
                }
            });
            M::polynomials(self).push_computed(coefficients, computed);
            let ahead = self.pool.ahead();
            M::settle(self, ahead);
            self.go_on_or_end(MOST)?;
        }
        Ok(true)
    }

    fn hand_over(&mut self) -> Result<()> {
        self.steps.begin()?;
        M::hand_over(self)?;
        self.steps.end();
        Ok(())
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
        let Prover { asserted, vectors: TagVectors { arch, buffers }, .. } = self;
        let wires =
            |of: usize| Vector::of(buffers, asserted, |triple| (M::value(triple[of]), M::mac(triple[of])));
        let product = wires(0).product(buffers, *arch, &wires(1))?;
        let lower = product.into_lower_minus(self.asserted.iter().map(|triple| M::mac(triple[2])));
        self.asserted.clear();
        M::polynomials(self).push(lower);
        Ok(())
    }

    /// Takes a form that is asserted among those that wait for a challenge.
    fn assert_form(
        &mut self,
        form: &Bilinear,
        first: &[M::Tag],
        second: Entries<M::F, M::Tag>,
        result: Entries<M::F, M::Tag>,
    ) -> Result<()> {
        let before = self.gates.assert;
        self.gates.matrix_product(result.len());
        if self.forms.push((form, before), (first, second), result) { self.end_forms() } else { Ok(()) }
    }

    /// Adds the polynomials of all forms that wait to the sums, by vectors drawn now. Where one does not hold nobody but
    /// the vectors tells, and its name is gone.
    pub(super) fn end_forms(&mut self) -> Result<()> {
        if self.forms.is_empty() {
            return Ok(());
        }
        let seed = self.challenge(FORMS)?;
        let (fill, failed) = (M::coefficients(self.arch, seed), &mut self.failed);
        let fails = |before| {
            let name = Name::Known(format!("a product of matrices, behind {before} assertions"));
            failed.note(Failure { before, name });
        };
        let lower = self.forms.polynomial::<M>((&self.pool, self.arch), fill, fails);
        self.sums.add(&lower[..]);
        self.gates.challenged += 1;
        Ok(())
    }

    /// The seed of coefficients for all that is committed to so far, for which the batch ends.
    pub(crate) fn challenge(&mut self, what: &'static str) -> Result<Seed> {
        self.take_asserted()?;
        self.steps.begin()?;
        M::end_early(self)?;
        let seed = M::challenge(self, what)?;
        self.steps.end();
        Ok(seed)
    }
}

/// Vectors that are to be zero, and the first assertion on them that has failed in the order of calls: its lane, and its
/// number in that.
type Found<E> = (Vec<Lower<E>>, Option<(usize, u64)>);

/// Computes a function of polynomials on some lanes, whose arguments are these `columns`.
fn compute<M: Macs>(by: &mut TagVectors<M>, function: &Vectorized<M::F>, columns: &[M::Tag]) -> Found<M::E> {
    let (mut vectors, mut failed) = (Vec::with_capacity(function.degrees.len()), None);
    function.compute(by, &mut OneLane::default(), columns, |_, vector: Vector<_, _>| {
        let fails = vector.nonzero().map(|lane| (lane, vectors.len() as u64));
        failed = failed.into_iter().chain(fails).min();
        vectors.push(vector.into_lower());
    });
    (vectors, failed)
}

impl<M: Commitments> Polynomials for Prover<'_, M> {
    type Vector = Vector<M::F, M::E>;

    fn lanes_of(&self, a: &Self::Vector) -> usize {
        a.values().len()
    }
    fn public(&mut self, values: &[M::F]) -> Self::Vector {
        self.vectors.public(values)
    }
    fn vector(&mut self, wires: &[M::Tag]) -> Self::Vector {
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
    fn inner_product(&mut self, a: &[M::Tag], b: &[M::Tag]) -> Result<Self::Vector> {
        self.vectors.inner_product(a, b)
    }
    fn commit(&mut self, a: &Self::Vector) -> Result<Vec<M::Tag>> {
        let wires = a.values().iter().map(|value| self.commit_to(*value)).collect::<Result<Vec<_>>>()?;
        self.vanish(a.clone().into_lower_minus(wires.iter().map(|wire| M::mac(*wire))))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Self::Vector, name: impl Display) -> Result<()> {
        self.note_failure(|| a.failure(&name));
        self.gates.assert += a.values().len() as u64;
        self.vanish(a.into_lower())
    }
    fn assert_product(&mut self, a: M::Tag, b: M::Tag, c: M::Tag, name: impl Display) -> Result<()> {
        self.note(M::value(a) * M::value(b) == M::value(c), name);
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
        a: Matrix<M::Tag>,
        b: Matrix<M::Tag>,
        c: Entries<M::F, M::Tag>,
        _: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        self.assert_form(&Bilinear::product(&a, &b), a.entries(), Entries::Wires(b.entries()), c)
    }
    fn assert_bilinear(
        &mut self,
        form: &Bilinear,
        (first, second, result): Lists<'_, M::F, M::Tag>,
        _: impl Display,
    ) -> Result<()> {
        form.validate()?;
        form.check([first.len(), second.len(), result.len()]);
        self.assert_form(form, first, second, Entries::Wires(result))
    }
}
