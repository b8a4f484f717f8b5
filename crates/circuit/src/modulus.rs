//! The modulus of a prime field.

use volery_channel::error::{Error, Result};
use volery_primitives::{Field, U256};

/// The modulus, where elements are integers, which [`Field::to_integer`] gives.
///
/// # Errors
/// `Invalid` in characteristic two, and in extensions.
pub fn prime_field<F: Field>() -> Result<U256> {
    let greatest = (-F::ONE).to_integer();
    // In an extension of an odd field -1 has fewer bits than others.
    if F::ONE + F::ONE == F::ZERO || greatest >> (F::bits() - 1) == 0 {
        return Err(Error::invalid(format!(
            "elements of {} are not integers: choose a prime field, such as f61",
            F::name()
        )));
    }
    Ok(greatest.overflowing_add(U256::from(1_u64)).0)
}
