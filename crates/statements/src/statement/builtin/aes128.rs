//! Knowledge of a key by which AES-128 encrypts a block to another.

use super::{Described, Ports, holes, numbers};
use crate::statement::Port;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Aes128, SubBytes};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "aes128?holes=0",
    "the prover knows a `key` by which AES-128 encrypts the block `plaintext` to `ciphertext`",
);

/// Bytes of a key, and of a block.
const BLOCK: u64 = 16;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct Aes {
    /// Whether inverses are committed to, and stated by polynomials, rather than computed by gates.
    pub(super) holes: bool,
}

impl Aes {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [by_holes] = numbers(name, parameters, [("holes", 0)])?;
        Ok(Self { holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, with bytes substituted as `holes` says.
    pub(super) fn run<B: Backend<F = F2>, S: SubBytes<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
    ) -> Result<()> {
        let key = ports.bytes(b, 0, 0..BLOCK)?;
        let plaintext = ports.bytes(b, 1, 0..BLOCK)?;
        let ciphertext = Aes128::<_, S>::expand(b, &key)?.encrypt(b, &plaintext)?;
        ports.give(b, 0, ciphertext.number())
    }
}

impl Described for Aes {
    fn canonical(&self) -> String {
        let holes = if self.holes { "?holes=1" } else { "" };
        format!("aes128{holes}")
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let inputs = vec![Port::new("key", 8 * BLOCK), Port::public("plaintext", 8 * BLOCK)];
        (inputs, vec![Port::public("ciphertext", 8 * BLOCK)])
    }
}

#[cfg(test)]
mod tests {
    use crate::statement::builtin::trial::{Trial, changed};

    /// FIPS 197, appendix C.1.
    #[test]
    fn a_published_block() {
        let bytes = |number: u128| number.to_be_bytes();
        let key = bytes(0x00010203_04050607_08090a0b_0c0d0e0f);
        for spec in ["aes128", "aes128?holes=1"] {
            let trial = Trial::new(spec)
                .with("key", &key)
                .with("plaintext", &bytes(0x00112233_44556677_8899aabb_ccddeeff))
                .with("ciphertext", &bytes(0x69c4e0d8_6a7b0430_d8cdb780_70b4c55a));
            trial.run().unwrap();
            for at in [0, 7, 15] {
                trial.clone().with("key", &changed(&key, at)).refuse("ciphertext");
            }
        }
    }
}
