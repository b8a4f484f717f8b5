//! Polynomials of degree two in the columns of a row, as data.

use core::array;
use core::ops::{Add, Mul, Sub};
use volery::Result;

/// A term of a class's constraints: a limb of a word, a word, or a product of limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    A0,
    A1,
    B0,
    B1,
    O0,
    O1,
    C0,
    C1,
    S3,
    S4,
    S5,
    S6,
    S7,
    S8,
    I,
    /// `A0 + L·A1`, and the same of the others.
    A,
    B,
    O,
    C,
    /// `S3 + L·S4`.
    D,
    /// `S5 + L·S6`.
    T,
}

/// How many terms there are.
pub(super) const TERMS: usize = 21;

impl Term {
    pub(super) const ALL: [Self; TERMS] = {
        use Term::{A, A0, A1, B, B0, B1, C, C0, C1, D, I, O, O0, O1, S3, S4, S5, S6, S7, S8, T};
        [A0, A1, B0, B1, O0, O1, C0, C1, S3, S4, S5, S6, S7, S8, I, A, B, O, C, D, T]
    };

    /// The limbs of a word, the low one first.
    pub(super) fn limbs(self) -> Option<[Self; 2]> {
        Some(match self {
            Self::A => [Self::A0, Self::A1],
            Self::B => [Self::B0, Self::B1],
            Self::O => [Self::O0, Self::O1],
            Self::C => [Self::C0, Self::C1],
            Self::D => [Self::S3, Self::S4],
            Self::T => [Self::S5, Self::S6],
            _ => return None,
        })
    }
}

/// A sum of terms with factors, and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) factors: [i64; TERMS],
    pub(super) constant: i64,
}

impl Linear {
    pub(super) fn constant(constant: i64) -> Self {
        Self { factors: [0; TERMS], constant }
    }

    /// The terms that it has, with their factors.
    pub(super) fn terms(&self) -> impl Iterator<Item = (Term, i64)> + '_ {
        Term::ALL.into_iter().zip(self.factors).filter(|(_, factor)| *factor != 0)
    }

    /// The terms with their values in `row`.
    fn values<V: Clone>(&self, row: &[V; TERMS]) -> Vec<(i64, V)> {
        self.terms().map(|(term, factor)| (factor, row[term as usize].clone())).collect()
    }
}

impl From<Term> for Linear {
    fn from(term: Term) -> Self {
        let mut linear = Self::constant(0);
        linear.factors[term as usize] = 1;
        linear
    }
}

/// A linear form and a sum of products of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) linear: Linear,
    pub(super) products: Vec<(i64, Linear, Linear)>,
}

impl<L: Into<Linear>> From<L> for Form {
    fn from(linear: L) -> Self {
        Self { linear: linear.into(), products: Vec::new() }
    }
}

/// `a · b`.
pub(super) fn product(a: impl Into<Linear>, b: impl Into<Linear>) -> Form {
    Form { linear: Linear::constant(0), products: vec![(1, a.into(), b.into())] }
}

macro_rules! linear_operators {
    ($($name:ty),*) => { $(
        impl<R: Into<Linear>> Add<R> for $name {
            type Output = Linear;
            fn add(self, other: R) -> Linear {
                let (a, b) = (Linear::from(self), other.into());
                Linear {
                    factors: array::from_fn(|i| a.factors[i] + b.factors[i]),
                    constant: a.constant + b.constant,
                }
            }
        }
        impl<R: Into<Linear>> Sub<R> for $name {
            type Output = Linear;
            fn sub(self, other: R) -> Linear {
                self + other.into() * -1
            }
        }
        impl Mul<i64> for $name {
            type Output = Linear;
            fn mul(self, factor: i64) -> Linear {
                let a = Linear::from(self);
                Linear { factors: a.factors.map(|of| of * factor), constant: a.constant * factor }
            }
        }
    )* };
}
linear_operators!(Linear, Term);

impl<R: Into<Form>> Add<R> for Form {
    type Output = Self;
    fn add(mut self, other: R) -> Self {
        let other = other.into();
        self.linear = self.linear + other.linear;
        self.products.extend(other.products);
        self
    }
}

impl<R: Into<Form>> Sub<R> for Form {
    type Output = Self;
    fn sub(self, other: R) -> Self {
        self + other.into() * -1
    }
}

impl Mul<i64> for Form {
    type Output = Self;
    fn mul(mut self, factor: i64) -> Self {
        self.linear = self.linear * factor;
        self.products.iter_mut().for_each(|(of, _, _)| *of *= factor);
        self
    }
}

/// An algebra that computes with what stands in columns.
pub(super) trait Algebra {
    type Value: Clone;

    /// `Σ a·b + Σ factor·value + constant`.
    ///
    /// # Errors
    /// Those of a backend.
    fn combine(
        &mut self,
        products: &[[Self::Value; 2]],
        terms: &[(i64, Self::Value)],
        constant: i64,
    ) -> Result<Self::Value>;

    /// The value of `linear`, where terms have those of `row`.
    ///
    /// # Errors
    /// Those of a backend.
    fn linear(&mut self, linear: &Linear, row: &[Self::Value; TERMS]) -> Result<Self::Value> {
        let terms = linear.values(row);
        match (&terms[..], linear.constant) {
            ([(1, value)], 0) => Ok(value.clone()),
            _ => self.combine(&[], &terms, linear.constant),
        }
    }

    /// The value of `form`, where terms have those of `row`.
    ///
    /// # Errors
    /// Those of a backend.
    fn form(&mut self, form: &Form, row: &[Self::Value; TERMS]) -> Result<Self::Value> {
        let mut products = Vec::with_capacity(form.products.len());
        for (factor, a, b) in &form.products {
            products.push([self.linear(&(*a * *factor), row)?, self.linear(b, row)?]);
        }
        self.combine(&products, &form.linear.values(row), form.linear.constant)
    }
}
