//! Strings of bytes, and functions of them.

use super::{Atom, Gates as Recording};
use crate::tape::Hash;
use volery::Result;
use volery::circuit::gadget::{
    Aes128, Bytes, Gates, Hash as _, Keccak256, Sha256, Word, hmac, sha1, sha3_256, sha3_256_with_holes,
    sha256, sha256_with_holes,
};
use volery::circuit::stream::Handle;

fn bytes(bits: &[Atom]) -> Bytes<Handle> {
    bits.as_chunks::<8>().0.iter().copied().map(Word::new).collect()
}

/// The result of `function` on strings.
pub(super) fn hash(
    b: Recording<'_, '_>,
    function: Hash,
    x: &[Atom],
    y: Option<&[Atom]>,
) -> Result<Vec<Atom>> {
    let x = bytes(x);
    let y = y.map_or_else(|| bytes(&[]), bytes);
    let made = match function {
        Hash::Sha256 => sha256(b, &x),
        Hash::Sha256Holes => sha256_with_holes(b, &x),
        Hash::Sha1 => sha1(b, &x),
        Hash::Sha3 => sha3_256(b, &x),
        Hash::Sha3Holes => sha3_256_with_holes(b, &x),
        Hash::Keccak256 => Keccak256::<_, Gates>::digest(b, &x),
        Hash::HmacSha256 => hmac::<Sha256<Handle>, _>(b, &x, &y),
        Hash::Aes128 => Aes128::new(b, &x)?.encrypt(b, &y),
    }?;
    Ok(made.iter().flat_map(|byte| *byte.bits()).collect())
}
