//! The table of AES, for ciphers of public blocks.

/// What the substituted byte adds to a column in a round, for each byte of row 0.
pub(crate) fn columns() -> [u32; 256] {
    core::array::from_fn(|byte| {
        let substituted = u32::from(substituted(byte as u8));
        let doubled = (substituted << 1) ^ ((substituted >> 7) * 0x11b);
        doubled | substituted << 8 | substituted << 16 | (doubled ^ substituted) << 24
    })
}

/// FIPS 197, 5.1.1: the inverse in the field of 2^8 elements, through an affine map.
fn substituted(byte: u8) -> u8 {
    let inverse = (0..=255).find(|inverse| product(byte, *inverse) == 1).unwrap_or(0);
    [1, 2, 3, 4].iter().fold(inverse ^ 0x63, |sum, bits| sum ^ u8::rotate_left(inverse, *bits))
}

fn product(a: u8, b: u8) -> u8 {
    let (mut sum, mut a) = (0, a);
    for bit in 0..8 {
        sum ^= a * (b >> bit & 1);
        a = (a << 1) ^ ((a >> 7) * 0x1b);
    }
    sum
}
