//! Polynomials gate by gate, for backends that have no other way.

use super::{Entries, Matrix, Polynomials, check_sizes, common_lanes};
use crate::circuit::{Backend, Scans};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;

/// A backend to which polynomials are gates: each lane is a wire, and a product costs a multiplication. It
/// may know something cheaper for sums of products.
pub(crate) trait ByGates: Backend {
    /// [`Polynomials::inner_product`], on a wire.
    fn sum_of_products(&mut self, a: &[Self::Wire], b: &[Self::Wire]) -> Result<Self::Wire> {
        assert_eq!(a.len(), b.len());
        let mut sum = self.constant(Self::F::ZERO);
        for (&a, &b) in a.iter().zip(b) {
            let product = self.mul(a, b)?;
            sum = self.add(sum, product);
        }
        Ok(sum)
    }

    /// [`Polynomials::assert_matrix_product`].
    fn assert_product(
        &mut self,
        a: Matrix<Self::Wire>,
        b: Matrix<Self::Wire>,
        c: Entries<Self::F, Self::Wire>,
        name: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        for j in 0..b.columns() {
            let column: Vec<Self::Wire> = b.rows().map(|row| row[j]).collect();
            for (i, row) in a.rows().enumerate() {
                let product = self.sum_of_products(row, &column)?;
                let expected = match &c {
                    Entries::Public(c) => self.constant(c[i * b.columns() + j]),
                    Entries::Wires(c) => c[i * b.columns() + j],
                };
                let minus = self.scale(expected, -Self::F::ONE);
                let difference = self.add(product, minus);
                self.assert_zero(difference, format_args!("{name}[{i}][{j}]"))?;
            }
        }
        Ok(())
    }
}

impl<B: ByGates> Polynomials for B {
    type Vector = Vec<B::Wire>;

    fn public(&mut self, values: &[B::F]) -> Vec<B::Wire> {
        values.iter().map(|&value| self.constant(value)).collect()
    }
    fn vector(&mut self, wires: &[B::Wire]) -> Vec<B::Wire> {
        wires.to_vec()
    }
    fn sum(&mut self, a: &Vec<B::Wire>, b: &Vec<B::Wire>) -> Vec<B::Wire> {
        lanes::<B>(a, b).map(|(a, b)| self.add(a, b)).collect()
    }
    fn product(&mut self, a: &Vec<B::Wire>, b: &Vec<B::Wire>) -> Result<Vec<B::Wire>> {
        lanes::<B>(a, b).map(|(a, b)| self.mul(a, b)).collect()
    }
    fn gather(&mut self, a: &Vec<B::Wire>, lanes: &[Option<usize>]) -> Vec<B::Wire> {
        let zero = self.constant(B::F::ZERO);
        lanes.iter().map(|lane| lane.map_or(zero, |lane| a[lane])).collect()
    }
    fn total(&mut self, a: &Vec<B::Wire>) -> Vec<B::Wire> {
        let sum = a.iter().copied().reduce(|sum, wire| self.add(sum, wire));
        vec![sum.unwrap_or_else(|| self.constant(B::F::ZERO))]
    }
    fn inner_product(&mut self, a: &[B::Wire], b: &[B::Wire]) -> Result<Vec<B::Wire>> {
        Ok(vec![self.sum_of_products(a, b)?])
    }
    /// Wires are committed to as they are.
    fn commit(&mut self, a: &Vec<B::Wire>) -> Result<Vec<B::Wire>> {
        Ok(a.clone())
    }
    fn assert_zeroes(&mut self, a: Vec<B::Wire>, name: impl Display) -> Result<()> {
        // A name may take long to make, and few are asked for.
        if let [wire] = a[..] {
            return self.assert_zero(wire, name);
        }
        a.into_iter()
            .enumerate()
            .try_for_each(|(lane, wire)| self.assert_zero(wire, format_args!("{name}[{lane}]")))
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<B::Wire>,
        b: Matrix<B::Wire>,
        c: Entries<B::F, B::Wire>,
        name: impl Display,
    ) -> Result<()> {
        self.assert_product(a, b, c, name)
    }
}

impl<B: ByGates> Scans for B {}

/// The lanes of two vectors side by side, where one lane stands for any number.
fn lanes<'a, B: Backend>(
    a: &'a [B::Wire],
    b: &'a [B::Wire],
) -> impl Iterator<Item = (B::Wire, B::Wire)> + use<'a, B> {
    let lane = |x: &'a [B::Wire], i: usize| if x.len() == 1 { x[0] } else { x[i] };
    (0..common_lanes(a.len(), b.len())).map(move |i| (lane(a, i), lane(b, i)))
}
