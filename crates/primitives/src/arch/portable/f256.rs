//! The kernels over F_{2^8} in plain Rust.

use crate::arch::f256::Map;
use crate::field::{F128, F256};

pub(in super::super) use crate::mac::portable::{encode as encode_tagged, products, weigh};

pub(in super::super) fn add_images(map: &Map, elements: &[F256], out: &mut [F128]) {
    elements.iter().zip(out).for_each(|(element, out)| *out += element.image(map));
}
