//! The field of AES's bytes, F_2[X] modulo X^8 + X^4 + X^3 + X + 1, when a circuit is written.

/// The modulus without X^8.
pub(super) const MODULUS: u8 = 0x1b;

/// `x · y`.
pub(super) const fn mul(x: u8, y: u8) -> u8 {
    let (mut product, mut bit) = (0, 8);
    while bit > 0 {
        bit -= 1;
        let carry = product >> 7;
        product = (product << 1) ^ (carry * MODULUS) ^ ((y >> bit & 1) * x);
    }
    product
}

/// The sum of the conjugates of `x`, 0 or 1.
pub(super) const fn trace(x: u8) -> u8 {
    let (mut sum, mut power, mut i) = (0, x, 0);
    while i < 8 {
        sum ^= power;
        power = mul(power, power);
        i += 1;
    }
    sum
}
