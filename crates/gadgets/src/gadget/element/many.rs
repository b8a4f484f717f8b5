//! Sums, products and linear maps of many elements.

use super::Element;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::Field;

impl<F: Field, W: Copy> Element<F, W> {
    /// The sum of `terms`, zero where there are none.
    pub fn sum<B: Backend<F = F, Wire = W>>(b: &mut B, terms: impl IntoIterator<Item = Self>) -> Self {
        terms.into_iter().fold(Self::ZERO, |sum, term| sum.add(b, term))
    }

    /// The product of `factors`, one where there are none: a multiplication for each of them but the first.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn product<B: Backend<F = F, Wire = W>>(
        b: &mut B,
        factors: impl IntoIterator<Item = Self>,
    ) -> Result<Self> {
        factors.into_iter().try_fold(Self::ONE, |product, factor| product.mul(b, factor))
    }

    /// `Σ xs[i] · ys[i]`: a multiplication for each pair on wires.
    ///
    /// # Errors
    /// `Invalid` where the lengths differ; those of [`Backend::mul`].
    pub fn inner_product<B: Backend<F = F, Wire = W>>(b: &mut B, xs: &[Self], ys: &[Self]) -> Result<Self> {
        if xs.len() != ys.len() {
            return Err(Error::invalid(format!(
                "an inner product of {} and {} elements: give as many of both",
                xs.len(),
                ys.len()
            )));
        }
        xs.iter().zip(ys).try_fold(Self::ZERO, |sum, (x, &y)| {
            let product = x.mul(b, y)?;
            Ok(sum.add(b, product))
        })
    }

    /// `Σ coefficients[i] · xs[i]`: no multiplications, and for each wire whose coefficient
    /// is not zero a scaling.
    ///
    /// # Errors
    /// `Invalid` where the lengths differ.
    pub fn linear<B: Backend<F = F, Wire = W>>(b: &mut B, coefficients: &[F], xs: &[Self]) -> Result<Self> {
        if coefficients.len() != xs.len() {
            return Err(Error::invalid(format!(
                "{} coefficients for {} elements: give as many of both",
                coefficients.len(),
                xs.len()
            )));
        }
        let (mut constant, mut factors, mut wires) = (F::ZERO, Vec::new(), Vec::new());
        for (x, &c) in xs.iter().zip(coefficients).filter(|(_, c)| **c != F::ZERO) {
            match x {
                Self::Public(x) => constant += *x * c,
                Self::Wire(x) => {
                    factors.push(c);
                    wires.push(*x);
                }
            }
        }
        if wires.is_empty() {
            return Ok(Self::Public(constant));
        }
        let sum = Self::Wire(b.linear(&factors, &wires));
        Ok(sum.add(b, Self::Public(constant)))
    }

    /// The product of a public matrix and the vector `xs`: no multiplications. `matrix` has its rows one
    /// after the other, each as long as `xs`; the product has an element for each.
    ///
    /// # Errors
    /// `Invalid` where the matrix is no whole number of rows.
    pub fn linear_map<B: Backend<F = F, Wire = W>>(
        b: &mut B,
        matrix: &[F],
        xs: &[Self],
    ) -> Result<Vec<Self>> {
        if matrix.len().checked_rem(xs.len()) != Some(0) {
            return Err(Error::invalid(format!(
                "a matrix of {} entries for {} elements: give rows as long as the vector",
                matrix.len(),
                xs.len()
            )));
        }
        matrix.chunks_exact(xs.len()).map(|row| Self::linear(b, row, xs)).collect()
    }

    /// `Σ coefficients[i] · self^i`, the constant first: a multiplication for each coefficient but two, or
    /// but one where the last is not public.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn polynomial<B: Backend<F = F, Wire = W>>(
        self,
        b: &mut B,
        coefficients: impl DoubleEndedIterator<Item = Self>,
    ) -> Result<Self> {
        coefficients.rev().try_fold(Self::ZERO, |value, coefficient| {
            let next = value.mul(b, self)?;
            Ok(next.add(b, coefficient))
        })
    }
}
