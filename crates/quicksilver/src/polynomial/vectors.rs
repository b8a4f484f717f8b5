//! Arithmetic of vectors, as either party computes it.

use super::{Buffers, Keys, Vector, VectorBuffers};
use core::iter;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::stream::Arithmetic;
use volery_primitives::arch::Arch;
use volery_primitives::lanes::Lanes;
use volery_vole::macs::Macs;
use zeroize::Zeroizing;

/// The prover's arithmetic.
pub(crate) struct TagVectors<M: Macs> {
    pub(crate) arch: Arch,
    pub(crate) buffers: VectorBuffers<M::F, M::E>,
}

/// The verifier's arithmetic.
pub(crate) struct KeyVectors<M: Macs> {
    pub(crate) arch: Arch,
    pub(crate) buffers: Buffers<M::E>,
    /// Behind a pointer, since tasks have it too.
    pub(crate) delta: Arc<Zeroizing<M::E>>,
}

impl<M: Macs> TagVectors<M> {
    /// Arithmetic with buffers of its own.
    pub(crate) fn new(arch: Arch) -> Self {
        Self { arch, buffers: VectorBuffers::default() }
    }
}

impl<M: Macs> KeyVectors<M> {
    /// Arithmetic under Δ with buffers of its own.
    pub(crate) fn new(arch: Arch, delta: Arc<Zeroizing<M::E>>) -> Self {
        Self { arch, buffers: Buffers::default(), delta }
    }
}

impl<M: Macs> Arithmetic for TagVectors<M> {
    type F = M::F;
    type Wire = M::Tag;
    type Vector = Vector<M::F, M::E>;

    fn public(&mut self, values: &[M::F]) -> Self::Vector {
        Vector::public(&self.buffers, values)
    }
    fn vector(&mut self, wires: &[M::Tag]) -> Self::Vector {
        Vector::of(&self.buffers, wires, |wire| (M::value(*wire), M::mac(*wire)))
    }
    fn sum(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        a.sum(&self.buffers, b)
    }
    fn product(&mut self, a: &Self::Vector, b: &Self::Vector) -> Result<Self::Vector> {
        a.product(&self.buffers, self.arch, b)
    }
    fn combination(
        &mut self,
        products: &[(&Self::Vector, &Self::Vector)],
        terms: &[(M::F, &Self::Vector)],
        constant: M::F,
    ) -> Result<Self::Vector> {
        Vector::combination(&self.buffers, self.arch, products, terms, constant)
    }
    fn gather(&mut self, a: &Self::Vector, lanes: &[Option<usize>]) -> Self::Vector {
        a.gather(&self.buffers, lanes)
    }
    fn total(&mut self, a: &Self::Vector) -> Self::Vector {
        a.total()
    }
    fn inner_product(&mut self, a: &[M::Tag], b: &[M::Tag]) -> Result<Self::Vector> {
        Ok(Vector::quadratic(M::inner_product(self.arch, a, b)))
    }
}

impl<M: Macs> Arithmetic for KeyVectors<M> {
    type F = M::F;
    type Wire = M::E;
    type Vector = Keys<M::E>;

    fn public(&mut self, values: &[M::F]) -> Keys<M::E> {
        Keys::of(&self.buffers, 0, values.iter().map(|value| M::E::from(*value)))
    }
    fn vector(&mut self, wires: &[M::E]) -> Keys<M::E> {
        Keys::of(&self.buffers, 1, wires.iter().copied())
    }
    fn sum(&mut self, a: &Keys<M::E>, b: &Keys<M::E>) -> Keys<M::E> {
        a.sum::<M::F>(&self.buffers, self.arch, **self.delta, b)
    }
    fn product(&mut self, a: &Keys<M::E>, b: &Keys<M::E>) -> Result<Keys<M::E>> {
        a.product::<M::F>(&self.buffers, self.arch, b)
    }
    fn combination(
        &mut self,
        products: &[(&Self::Vector, &Self::Vector)],
        terms: &[(M::F, &Self::Vector)],
        constant: M::F,
    ) -> Result<Self::Vector> {
        Keys::combination(&self.buffers, (self.arch, **self.delta), products, terms, constant)
    }
    fn gather(&mut self, a: &Keys<M::E>, lanes: &[Option<usize>]) -> Keys<M::E> {
        a.gather(&self.buffers, lanes)
    }
    fn total(&mut self, a: &Keys<M::E>) -> Keys<M::E> {
        a.total()
    }
    fn inner_product(&mut self, a: &[M::E], b: &[M::E]) -> Result<Keys<M::E>> {
        Ok(Keys::new(2, iter::once(M::E::dot(self.arch, a, b))))
    }
}
