//! Decimals of ten digits, four bits each, the last digit first.

use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bit, Word};
use volery_primitives::F2;

/// Bits of a decimal.
pub(super) const BITS: usize = 40;

/// Ten digits of four bits, from the last.
pub(super) type Decimal<W> = Word<W, BITS>;

/// The digits of a number below 10^10 whose `bits` come from the least significant: nothing
/// where they are public.
pub(super) fn of_binary<B: Backend<F = F2>>(b: &mut B, bits: &[Bit<B::Wire>]) -> Result<Decimal<B::Wire>> {
    let mut digits = [Word::<_, 4>::public(0); BITS / 4];
    for &bit in bits.iter().rev() {
        // Twice the number and the bit. A digit d from 5 on gives a carry, and 2(d + 3) is 2d - 10 modulo 16.
        let mut carry = bit;
        for digit in &mut digits {
            let [d0, d1, d2, d3] = *digit.bits();
            let odd_or_two = d0.or(b, d1)?;
            let from_five = d2.and(b, odd_or_two)?;
            let from_five = d3.or(b, from_five)?;
            let zero = Bit::Public(false);
            let sum = digit.add(b, &Word::new([from_five, from_five, zero, zero]))?;
            let [s0, s1, s2, s3] = *sum.bits();
            *digit = Word::new([carry, s0, s1, s2]);
            carry = s3;
        }
    }
    Ok(Word::new(core::array::from_fn(|i| digits[i / 4].bits()[i % 4])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_gadgets::testing::{evaluation, secret, value};

    #[test]
    fn numbers_keep_their_value() {
        for number in [0, 1, 9, 10, 15, 16, 4999, 65_535, 99_999_999, 1_234_567_890, 4_294_967_295] {
            let digits: u128 = u128::from_str_radix(&number.to_string(), 16).unwrap();
            let secret = secret::<32>(number);
            assert_eq!(value(of_binary(&mut evaluation(), secret.bits()).unwrap()), digits);
            let public = Word::<F2, 32>::public(number);
            let decimal = of_binary(&mut evaluation(), public.bits()).unwrap();
            assert!(decimal.is_public());
            assert_eq!(value(decimal), digits);
        }
    }
}
