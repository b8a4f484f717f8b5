//! The kernels over prime fields and their extensions: those of any [`MacField`](crate::mac::MacField).

pub(in super::super) use crate::lanes::portable::{add_products, add_scaled, combine, dot};
pub(in super::super) use crate::mac::portable::{
    correct, encode as encode_keys, encode as encode_tagged, inner_product, linear, products, puncture,
    sample_all, sum_rows, verifier_sums, weigh,
};
