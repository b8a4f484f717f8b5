//! Knowledge of a key under which a message has a given HMAC-SHA256.

use super::{Described, Ports, check_range, holes, numbers};
use crate::statement::Port;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Compression, Hmac, Sha256};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "hmac-sha256?key=32&length=32&holes=0",
    "the prover knows a `secret` of `key` bytes under which `code` is the HMAC-SHA256 of `message`, which has \
     `length` bytes",
);

/// The longest key, and the longest message, in bytes.
const LONGEST_KEY: u64 = 1 << 16;
const LONGEST: u64 = 1 << 27;

/// Bytes of a message that are read at once.
const PIECE: u64 = 64;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct Code {
    /// Bytes of the key, and of the message.
    key: u64,
    length: u64,
    /// Whether bits between words are polynomials, rather than gates.
    pub(super) holes: bool,
}

impl Code {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [key, length, by_holes] = numbers(name, parameters, [("key", 32), ("length", 32), ("holes", 0)])?;
        check_range(name, "key", key, 1..=LONGEST_KEY)?;
        check_range(name, "length", length, 1..=LONGEST)?;
        Ok(Self { key, length, holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, with a compression function for `holes` as they are.
    pub(super) fn run<B: Backend<F = F2>, C: Compression<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
    ) -> Result<()> {
        let key = ports.bytes(b, 0, 0..self.key)?;
        let mut code = Hmac::<Sha256<_, C>>::new(b, &key)?;
        for start in (0..self.length).step_by(PIECE as usize) {
            let piece = ports.bytes(b, 1, start..self.length.min(start + PIECE))?;
            code.update(b, &piece)?;
        }
        let code = code.finish(b)?;
        ports.give(b, 0, code.number())
    }
}

impl Described for Code {
    fn canonical(&self) -> String {
        let holes = if self.holes { "&holes=1" } else { "" };
        format!("hmac-sha256?key={}&length={}{holes}", self.key, self.length)
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let inputs = vec![Port::new("secret", 8 * self.key), Port::new("message", 8 * self.length)];
        (inputs, vec![Port::public("code", 256)])
    }
}

#[cfg(test)]
mod tests {
    use crate::statement::builtin::trial::{Trial, changed};
    use hmac::{KeyInit, Mac};

    #[test]
    fn codes_are_those_of_an_outside_implementation() {
        for (key, length, more) in [(32, 32, ""), (32, 32, "&holes=1"), (70, 130, "&holes=1"), (64, 64, "")] {
            let bytes = |count: usize, seed: u8| (0..count).map(|i| i as u8 ^ seed).collect::<Vec<_>>();
            let (secret, message) = (bytes(key, 3), bytes(length, 90));
            let mut outside = hmac::Hmac::<sha2::Sha256>::new_from_slice(&secret).unwrap();
            outside.update(&message);
            let code = outside.finalize().into_bytes();
            let trial = Trial::new(&format!("hmac-sha256?key={key}&length={length}{more}"))
                .with("secret", &secret)
                .with("message", &message)
                .with("code", &code);
            trial.run().unwrap();
            trial.clone().with("message", &changed(&message, length - 1)).refuse("code");
            trial.with("secret", &changed(&secret, 0)).refuse("code");
        }
    }
}
