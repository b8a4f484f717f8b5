//! Knowledge of a message with a given digest by a hash function that is built on Keccak.

use super::{Described, Ports, check_range, holes, numbers};
use crate::statement::Port;
use volery_channel::error::Result;
use volery_circuit::{Backend, Wires};
use volery_gadgets::gadget::{Hash, Keccak256, Permutation, Sha3_256};
use volery_primitives::F2;

/// Names with keys and defaults, and what they state.
pub(super) const LISTED_SHA3: (&str, &str) = (
    "sha3-256-preimage?length=32&holes=0",
    "the prover knows a message of `length` bytes whose SHA3-256 digest is `digest`",
);
pub(super) const LISTED_KECCAK: (&str, &str) = (
    "keccak256-preimage?length=32&holes=0",
    "the prover knows a message of `length` bytes whose Keccak-256 digest, that of Ethereum, is `digest`",
);

/// The longest message, in bytes: its 2^30 bits take 128 MiB as a witness.
const LONGEST: u64 = 1 << 27;

/// Bytes of a message that are read at once, which is a block.
const PIECE: u64 = 136;

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Sha3,
    Keccak,
}

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct KeccakPreimage {
    function: Function,
    /// Bytes of the message.
    length: u64,
    /// Whether what lies between some states is polynomials, rather than gates.
    pub(super) holes: bool,
}

impl KeccakPreimage {
    pub(super) fn parse(function: Function, name: &str, parameters: &str) -> Result<Self> {
        let [length, by_holes] = numbers(name, parameters, [("length", 32), ("holes", 0)])?;
        check_range(name, "length", length, 1..=LONGEST)?;
        Ok(Self { function, length, holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, with a permutation for `holes` as they are.
    pub(super) fn run<B: Backend<F = F2>, P: Permutation<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
    ) -> Result<()> {
        match self.function {
            Function::Sha3 => self.hash(b, ports, Sha3_256::<_, P>::default()),
            Function::Keccak => self.hash(b, ports, Keccak256::<_, P>::default()),
        }
    }

    fn hash<B: Backend<F = F2>, H: Hash<B> + Wires<B::Wire>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
        mut hash: H,
    ) -> Result<()> {
        for start in (0..self.length).step_by(PIECE as usize) {
            let end = self.length.min(start + PIECE);
            let before = hash.wires();
            hash = b.scope(|b| {
                let piece = ports.bytes(b, 0, start..end)?;
                hash.update(b, &piece)?;
                Ok(hash)
            })?;
            if end < self.length {
                b.forget(&before);
            }
        }
        let digest = hash.finish(b)?;
        ports.give(b, 0, digest.number())
    }
}

impl Described for KeccakPreimage {
    fn canonical(&self) -> String {
        let name = match self.function {
            Function::Sha3 => "sha3-256-preimage",
            Function::Keccak => "keccak256-preimage",
        };
        let holes = if self.holes { "&holes=1" } else { "" };
        format!("{name}?length={}{holes}", self.length)
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        (vec![Port::new("message", 8 * self.length)], vec![Port::public("digest", 256)])
    }
}

#[cfg(test)]
mod tests {
    use crate::statement::builtin::trial::{Trial, changed};
    use sha3::Digest;

    fn bytes(words: [u128; 2]) -> Vec<u8> {
        words.into_iter().flat_map(u128::to_be_bytes).collect()
    }

    /// SHA3-256 as NIST publishes it with FIPS 202; and the first topic of a transfer of tokens in Ethereum.
    #[test]
    fn published_digests() {
        let sha3 = [0x3a98_5da7_4fe2_25b2_045c_172d_6bd3_90bd, 0x855f_086e_3e9d_525b_46bf_e245_1143_1532];
        let keccak = [0xddf2_52ad_1be2_c89b_69c2_b068_fc37_8daa, 0x952b_a7f1_63c4_a116_28f5_5a4d_f523_b3ef];
        let transfer = &b"Transfer(address,address,uint256)"[..];
        for (name, message, digest) in [("sha3-256", &b"abc"[..], sha3), ("keccak256", transfer, keccak)] {
            for holes in [0, 1] {
                let trial = Trial::new(&format!("{name}-preimage?length={}&holes={holes}", message.len()))
                    .with("message", message)
                    .with("digest", &bytes(digest));
                trial.run().unwrap();
                trial.clone().with("message", &changed(message, 1)).refuse("digest");
                trial.with("digest", &changed(&bytes(digest), 30)).refuse("digest");
            }
        }
    }

    #[test]
    fn messages_of_several_blocks() {
        for length in [136, 280] {
            let message: Vec<u8> = (0..length).map(|i| (i * 7 + 1) as u8).collect();
            for holes in [0, 1] {
                let trial = Trial::new(&format!("keccak256-preimage?length={length}&holes={holes}"))
                    .with("message", &message)
                    .with("digest", &sha3::Keccak256::digest(&message));
                trial.run().unwrap();
                trial.with("message", &changed(&message, length - 1)).refuse("digest");
            }
        }
    }
}
