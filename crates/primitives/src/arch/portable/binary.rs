//! The kernels over binary fields: those of any [`CheckField`](crate::check::CheckField).

pub(in super::super) use crate::check::portable::{dot_product, fold, multiply, scale_all};
