//! The kernels of [`CheckField`](super::CheckField) in plain Rust, over any field.

use super::CheckField;

pub(crate) fn multiply<F: CheckField>(a: &[F], b: &[F], out: &mut [F]) {
    for ((&a, &b), out) in a.iter().zip(b).zip(out) {
        *out = a * b;
    }
}

pub(crate) fn scale_all<F: CheckField>(a: &[F], factor: F, out: &mut [F]) {
    for (&a, out) in a.iter().zip(out) {
        *out = a * factor;
    }
}

pub(crate) fn dot_product<F: CheckField>(a: &[F], b: &[F]) -> F {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

pub(crate) fn fold<F: CheckField>(a: &[F], factors: &[F], out: &mut [F]) {
    for (a, out) in a.chunks(factors.len()).zip(out) {
        *out = dot_product(a, &factors[..a.len()]);
    }
}
