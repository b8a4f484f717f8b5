//! A clause's view of a backend.

use crate::stream::{Executor, GatesAlone};
use crate::{
    Backend, Bilinear, Entries, Function, Lists, Matrix, Polynomials, Returned, Scans,
    assert_bilinear_entries, assert_entries, nothing_asserted, product_by_vectors,
};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::Field;

/// A backend as a clause sees it: gates pass through, and assertions stand, or are collected into one bit
/// that says whether one of them failed. Which of the two is decided while it runs, so that a statement is
/// compiled once for both.
///
/// Where assertions are collected nothing fails, and no name is printed. Over F_2 [`Backend::assert_zero`] is then
/// one AND, over other fields a hint, three products and an assertion that always holds; and each lane of [`Polynomials::assert_zeroes`] and each entry of
/// [`Polynomials::assert_matrix_product`] a commitment to the value of its polynomial and one AND; the first
/// of all takes no AND.
pub struct Branch<'b, B: Backend> {
    backend: &'b mut B,
    assertions: Assertions<B::Wire>,
    /// The assertions outside of each open function.
    outside: Vec<Assertions<B::Wire>>,
}

/// The way of assertions: to the backend, or into a bit.
enum Assertions<W> {
    /// Assertions go to the backend. The flag says whether there was one.
    Stand(bool),
    /// Assertions are collected into a bit that says whether one failed; `None` before the first.
    Collect(Option<W>),
}

impl<'b, B: Backend> Branch<'b, B> {
    /// A branch in which assertions stand.
    pub fn asserting(backend: &'b mut B) -> Self {
        Self { backend, assertions: Assertions::Stand(false), outside: Vec::new() }
    }

    /// A branch in which assertions are collected.
    pub fn collecting(backend: &'b mut B) -> Self {
        Self { backend, assertions: Assertions::Collect(None), outside: Vec::new() }
    }

    /// Ends the clause, and gives the bit that says whether one of its assertions failed where
    /// they were collected.
    ///
    /// # Errors
    /// `Invalid` where the clause asserted nothing: then it would hold for every witness, and so would any
    /// disjunction that it is part of.
    pub fn finish(self) -> Result<Option<B::Wire>> {
        match self.assertions {
            Assertions::Stand(true) => Ok(None),
            Assertions::Collect(Some(failed)) => Ok(Some(failed)),
            _ => Err(nothing_asserted()),
        }
    }

    /// Collects the assertion that `a` is zero.
    fn collect(&mut self, a: B::Wire) -> Result<()> {
        let a = self.is_not_zero(a)?;
        let failed = match self.assertions {
            Assertions::Collect(Some(failed)) => {
                let both = self.backend.mul(failed, a)?;
                let either = self.backend.add(failed, a);
                // Over F_2 a sum is a difference.
                let both = if B::F::BITS == 1 { both } else { self.backend.scale(both, -B::F::ONE) };
                self.backend.add(either, both)
            }
            _ => a,
        };
        self.assertions = Assertions::Collect(Some(failed));
        Ok(())
    }
}

impl<B: Backend> Branch<'_, B> {
    /// A wire that is one where `a` is not zero, and else zero. Over F_2 it is `a`. Over other fields it is
    /// the product of `a` with a hint, its inverse: this is one where `a` times one minus it is zero, which
    /// is asserted, and holds whatever `a` is.
    fn is_not_zero(&mut self, a: B::Wire) -> Result<B::Wire> {
        if B::F::BITS == 1 {
            return Ok(a);
        }
        let inverse = self.backend.hint(&[a], |a| a[0].invert())?;
        let bit = self.backend.mul(a, inverse)?;
        let again = self.backend.mul(a, bit)?;
        let minus = self.backend.scale(again, -B::F::ONE);
        let difference = self.backend.add(a, minus);
        self.backend.assert_zero(difference, "a bit that says whether an assertion of a clause failed")?;
        Ok(bit)
    }
}

impl<B: Backend> Backend for Branch<'_, B> {
    type F = B::F;
    type Wire = B::Wire;

    #[inline]
    fn constant(&mut self, c: B::F) -> B::Wire {
        self.backend.constant(c)
    }
    #[inline]
    fn add(&mut self, a: B::Wire, b: B::Wire) -> B::Wire {
        self.backend.add(a, b)
    }
    #[inline]
    fn scale(&mut self, a: B::Wire, c: B::F) -> B::Wire {
        self.backend.scale(a, c)
    }
    #[inline]
    fn witness(&mut self) -> Result<B::Wire> {
        self.backend.witness()
    }
    fn hint(
        &mut self,
        of: &[B::Wire],
        f: impl Fn(&[B::F]) -> B::F + Send + Sync + 'static,
    ) -> Result<B::Wire> {
        self.backend.hint(of, f)
    }
    fn hints(
        &mut self,
        of: &[B::Wire],
        count: usize,
        f: impl Fn(&[B::F]) -> Vec<B::F> + Send + Sync + 'static,
    ) -> Result<Vec<B::Wire>> {
        self.backend.hints(of, count, f)
    }
    fn linear(&mut self, factors: &[B::F], wires: &[B::Wire]) -> B::Wire {
        self.backend.linear(factors, wires)
    }
    #[inline]
    fn mul(&mut self, a: B::Wire, b: B::Wire) -> Result<B::Wire> {
        self.backend.mul(a, b)
    }
    #[inline]
    fn assert_zero(&mut self, a: B::Wire, name: impl Display) -> Result<()> {
        match &mut self.assertions {
            Assertions::Stand(any) => {
                *any = true;
                self.backend.assert_zero(a, name)
            }
            Assertions::Collect(_) => self.collect(a),
        }
    }

    fn output(&mut self, port: usize, place: u64, wire: B::Wire) -> Result<()> {
        self.backend.output(port, place, wire)
    }

    fn forget(&mut self, wires: &[B::Wire]) {
        self.backend.forget(wires);
    }

    fn open_scope(&mut self) {
        self.backend.open_scope();
    }

    fn close_scope(&mut self, kept: &[B::Wire]) {
        match self.assertions {
            Assertions::Collect(Some(failed)) => self.backend.close_scope(&[kept, &[failed]].concat()),
            _ => self.backend.close_scope(kept),
        }
    }

    /// Opens a function. The bit of the assertions, where there is one, becomes an argument and a result
    /// beside the function's own.
    fn open_function(&mut self, key: &[u8], arguments: &[B::Wire]) -> Result<Function<B::Wire>> {
        let (kind, failed) = match self.assertions {
            Assertions::Stand(_) => (0, None),
            Assertions::Collect(failed) => (1 + u8::from(failed.is_some()), failed),
        };
        let arguments: Vec<B::Wire> = arguments.iter().copied().chain(failed).collect();
        let mut arguments = match self.backend.open_function(&key_of(kind, key), &arguments)? {
            Function::Known(returned) => return Ok(Function::Known(self.returned(returned))),
            Function::New(arguments) => arguments,
            Function::Inlined => arguments,
        };
        let inside = match kind {
            0 => Assertions::Stand(false),
            1 => Assertions::Collect(None),
            _ => Assertions::Collect(arguments.pop()),
        };
        self.outside.push(core::mem::replace(&mut self.assertions, inside));
        Ok(Function::New(arguments))
    }

    fn close_function(&mut self, mut returned: Returned<B::Wire>) -> Result<Returned<B::Wire>> {
        let outside = self.outside.pop().expect("a function that is open");
        let any = match core::mem::replace(&mut self.assertions, outside) {
            Assertions::Stand(any) => any,
            Assertions::Collect(failed) => {
                returned.wires.extend(failed);
                failed.is_some()
            }
        };
        returned.public.push(any.into());
        let returned = self.backend.close_function(returned)?;
        Ok(self.returned(returned))
    }

    /// Opens a map where assertions stand. Where they are collected, each lane takes the bit from the one before.
    fn open_map(&mut self, key: &[u8], lanes: usize, arguments: &[B::Wire]) -> Result<Function<B::Wire>> {
        let Assertions::Stand(_) = self.assertions else { return Ok(Function::Inlined) };
        let opened = self.backend.open_map(&key_of(0, key), lanes, arguments)?;
        if let Function::New(_) = opened {
            self.outside.push(core::mem::replace(&mut self.assertions, Assertions::Stand(false)));
        }
        Ok(match opened {
            Function::Known(returned) => Function::Known(self.returned(returned)),
            opened => opened,
        })
    }

    fn close_map(&mut self, mut returned: Returned<B::Wire>) -> Result<Returned<B::Wire>> {
        let outside = self.outside.pop().expect("a map that is open");
        let inside = core::mem::replace(&mut self.assertions, outside);
        returned.public.push(matches!(inside, Assertions::Stand(true)).into());
        let returned = self.backend.close_map(returned)?;
        Ok(self.returned(returned))
    }
}

/// The key of a function in a branch of this kind. No key of anybody else begins so.
fn key_of(kind: u8, key: &[u8]) -> Vec<u8> {
    [b"branch", &[kind][..], &key.len().to_le_bytes(), key].concat()
}

impl<B: Backend> Branch<'_, B> {
    /// Removes the bit of the assertions from the results of a function, and takes it back.
    fn returned(&mut self, mut returned: Returned<B::Wire>) -> Returned<B::Wire> {
        if returned.public.pop() == Some(1) {
            match &mut self.assertions {
                Assertions::Stand(any) => *any = true,
                Assertions::Collect(failed) => *failed = returned.wires.pop(),
            }
        }
        returned
    }
}

impl<B: Backend> Executor for Branch<'_, B> {
    type Beyond = GatesAlone;
}

/// Scans alone, since a clause's assertions go through the branch.
impl<B: Backend> Scans for Branch<'_, B> {
    fn in_function(&self) -> bool {
        !self.outside.is_empty()
    }
}

impl<B: Polynomials> Polynomials for Branch<'_, B> {
    type Vector = B::Vector;

    fn lanes_of(&self, a: &B::Vector) -> usize {
        self.backend.lanes_of(a)
    }
    fn public(&mut self, values: &[B::F]) -> B::Vector {
        self.backend.public(values)
    }
    fn vector(&mut self, wires: &[B::Wire]) -> B::Vector {
        self.backend.vector(wires)
    }
    fn sum(&mut self, a: &B::Vector, b: &B::Vector) -> B::Vector {
        self.backend.sum(a, b)
    }
    fn product(&mut self, a: &B::Vector, b: &B::Vector) -> Result<B::Vector> {
        self.backend.product(a, b)
    }
    fn gather(&mut self, a: &B::Vector, lanes: &[Option<usize>]) -> B::Vector {
        self.backend.gather(a, lanes)
    }
    fn total(&mut self, a: &B::Vector) -> B::Vector {
        self.backend.total(a)
    }
    fn inner_product(&mut self, a: &[B::Wire], b: &[B::Wire]) -> Result<B::Vector> {
        self.backend.inner_product(a, b)
    }
    fn commit(&mut self, a: &B::Vector) -> Result<Vec<B::Wire>> {
        self.backend.commit(a)
    }
    fn assert_zeroes(&mut self, a: B::Vector, name: impl Display) -> Result<()> {
        match &mut self.assertions {
            Assertions::Stand(any) => {
                *any |= self.backend.lanes_of(&a) > 0;
                self.backend.assert_zeroes(a, name)
            }
            Assertions::Collect(_) => {
                let wires = self.backend.commit(&a)?;
                wires.into_iter().try_for_each(|wire| self.collect(wire))
            }
        }
    }
    fn assert_product(&mut self, a: B::Wire, b: B::Wire, c: B::Wire, name: impl Display) -> Result<()> {
        if let Assertions::Stand(any) = &mut self.assertions {
            *any = true;
            return self.backend.assert_product(a, b, c, name);
        }
        product_by_vectors(self, [a, b, c], name)
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<B::Wire>,
        b: Matrix<B::Wire>,
        c: Entries<B::F, B::Wire>,
        name: impl Display,
    ) -> Result<()> {
        if let Assertions::Stand(any) = &mut self.assertions {
            *any |= !c.is_empty();
            return self.backend.assert_matrix_product(a, b, c, name);
        }
        assert_entries(self, a, b, c, &name)
    }
    fn assert_bilinear(
        &mut self,
        form: &Bilinear,
        lists: Lists<'_, B::F, B::Wire>,
        name: impl Display,
    ) -> Result<()> {
        if let Assertions::Stand(any) = &mut self.assertions {
            *any |= !lists.2.is_empty();
            return self.backend.assert_bilinear(form, lists, name);
        }
        assert_bilinear_entries(self, form, lists, &name)
    }
}
