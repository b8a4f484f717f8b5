//! The kernels of [`Lanes`](super::Lanes) in plain Rust, over any field.

use crate::field::{Extension, Field};

pub(crate) fn add_products<E: Field>(a: &[E], b: &[E], sums: &mut [E]) {
    assert_eq!((a.len(), b.len()), (sums.len(), sums.len()));
    a.iter().zip(b).zip(sums).for_each(|((&a, &b), sum)| *sum += a * b);
}

pub(crate) fn add_scaled<B: Field, E: Extension<B>>(a: &[E], factors: &[B], sums: &mut [E]) {
    assert_eq!((a.len(), factors.len()), (sums.len(), sums.len()));
    a.iter().zip(factors).zip(sums).for_each(|((a, &factor), sum)| *sum += a.scale(factor));
}

pub(crate) fn dot<E: Field>(a: &[E], b: &[E]) -> E {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

pub(crate) fn combine<B: Field, E: Extension<B>>(factors: &[B], a: &[E]) -> E {
    assert_eq!(a.len(), factors.len());
    a.iter().zip(factors).map(|(a, &factor)| a.scale(factor)).sum()
}
