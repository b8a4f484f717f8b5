//! Elements of a prime field as integers: bits and ranges.

use super::Element::{self, Public, Wire};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, prime_field};
use volery_primitives::Field;
use volery_primitives::bits::mask;

impl<F: Field, W: Copy> Element<F, W> {
    /// The `count` lowest bits of the integer that is the element, least significant first; demands under
    /// `name` that it has no others, and is so below 2^`count`. A multiplication for each bit, and a hint for
    /// each but the highest.
    ///
    /// # Errors
    /// `Invalid` where elements are no integers, as in characteristic two, and where an integer of `count`
    /// bits may exceed the modulus, so that an element could have two decompositions; those of the backend.
    pub fn bits<B: Backend<F = F, Wire = W>>(
        self,
        b: &mut B,
        count: u32,
        name: impl Display,
    ) -> Result<Vec<Self>> {
        check_bits::<F>(count, &name)?;
        let (x, highest) = match (self, count.checked_sub(1)) {
            (Public(c), _) => {
                let excess = F::from_integer(c.to_integer() >> count).expect("no more than an element");
                Public(excess).assert_zero(b, &name)?;
                return Ok((0..count).map(|i| Public(bit(c, i))).collect());
            }
            (Wire(_), None) => {
                self.assert_zero(b, &name)?;
                return Ok(vec![]);
            }
            (Wire(x), Some(highest)) => (x, highest),
        };
        let mut bits = Vec::with_capacity(count as usize);
        for i in 0..highest {
            let bit = Wire(b.hint(&[x], move |x| bit(x[0], i))?);
            bit.assert_bit(b, format_args!("{name} (bit {i})"))?;
            bits.push(bit);
        }
        // What the other bits leave is 2^highest times the highest, or the element has more.
        let others = Self::from_bits(b, &bits)?;
        let rest = self.sub(b, others).scale(b, F::place(highest).invert());
        rest.assert_bit(b, name)?;
        bits.push(rest);
        Ok(bits)
    }

    /// `Σ bits[i] · 2^i`: no multiplications. They must be bits, see [`Element::assert_bit`].
    ///
    /// # Errors
    /// `Invalid` where elements are no integers, and for so many bits that the sum may exceed the modulus.
    pub fn from_bits<B: Backend<F = F, Wire = W>>(b: &mut B, bits: &[Self]) -> Result<Self> {
        let count = u32::try_from(bits.len()).unwrap_or(u32::MAX);
        check_bits::<F>(count, &"a sum of bits")?;
        Ok((0..count).zip(bits).fold(Self::ZERO, |sum, (i, bit)| {
            let term = bit.scale(b, F::place(i));
            sum.add(b, term)
        }))
    }

    /// Demands that the integer that is the element is below 2^`bits`, under `name`: `bits` multiplications
    /// and a hint for each but one.
    ///
    /// # Errors
    /// Those of [`Element::bits`].
    pub fn assert_range<B: Backend<F = F, Wire = W>>(
        self,
        b: &mut B,
        bits: u32,
        name: impl Display,
    ) -> Result<()> {
        self.bits(b, bits, name).map(drop)
    }
}

/// Bit `i` of the integer `x`, in the same time for all `x`.
fn bit<F: Field>(x: F, i: u32) -> F {
    F::ONE.masked(mask(x.to_integer().bit(i)))
}

/// Refuses numbers of `count` bits that are not all different elements of a prime field.
fn check_bits<F: Field>(count: u32, name: &dyn Display) -> Result<()> {
    prime_field::<F>().map_err(|why| Error::invalid(format!("{name}: {why}")))?;
    // The modulus is above 2^(bits - 1), and no power of two.
    if count >= F::bits() {
        return Err(Error::invalid(format!(
            "{name}: numbers of {count} bits may exceed the modulus of {}: choose at most {} bits",
            F::name(),
            F::bits() - 1
        )));
    }
    Ok(())
}
