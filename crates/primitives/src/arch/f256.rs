//! The kernels over F_{2^8} with MACs in F_{2^128}, where both meet: as [`MacField`](crate::mac::MacField)
//! specifies.

use super::f61::check_encoding;
use super::prime::Gate;
use super::{Arch, Level, dispatch, portable};
use crate::aes::Aes128;
use crate::field::{F128, F256};
use crate::mac::Tagged;

/// A value, and in the second half of 32 bytes its MAC.
pub(crate) type Row = Tagged<F256, F128>;

/// A map from F_{2^8} to F_{2^128} that is linear over F_2: the images of the powers of X.
pub(crate) type Map = [F128; 8];

/// Adds to `out[i]` the image of `elements[i]`.
pub(crate) fn add_images(arch: Arch, map: &Map, elements: &[F256], out: &mut [F128]) {
    assert_eq!(elements.len(), out.len());
    dispatch!(arch, f256::add_images(map, elements, out))
}

pub(crate) fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
    check_encoding(first, table.len());
    dispatch!(matrix.arch(), f256::encode_tagged(matrix, first, table, rows))
}

pub(crate) fn weigh(arch: Arch, chi: &[F128], rows: &[Row]) -> (F128, F128) {
    assert_eq!(chi.len(), rows.len());
    dispatch!(arch, f256::weigh(chi, rows))
}

pub(crate) fn products(arch: Arch, gates: &[Gate<Row>], constant: &mut [F128], linear: &mut [F128]) {
    assert_eq!((gates.len(), gates.len()), (constant.len(), linear.len()));
    dispatch!(arch, f256::products(gates, constant, linear))
}
