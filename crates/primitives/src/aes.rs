//! AES-128 as a permutation: one key, many blocks.

use crate::arch::{self, Arch};
use crate::field::F128;
use zeroize::Zeroize;

/// AES-128 under one key, expanded for one instruction set. Wiped on drop.
///
/// Constant-time on every [`Arch`]: the portable cipher is the bitsliced one of the `aes` crate.
pub struct Aes128 {
    arch: Arch,
    schedule: Schedule,
}

enum Schedule {
    Portable(Box<aes::Aes128>),
    Rounds([F128; 11]),
}

impl Aes128 {
    /// Expands `key`, least significant byte first.
    pub fn new(arch: Arch, key: F128) -> Self {
        let schedule = match arch::expand_key(arch, key) {
            Some(rounds) => Schedule::Rounds(rounds),
            None => Schedule::Portable(Box::new(aes::cipher::KeyInit::new(&key.to_bytes().into()))),
        };
        Self { arch, schedule }
    }

    /// The instruction set the key was expanded for.
    pub const fn arch(&self) -> Arch {
        self.arch
    }

    /// Encrypts each block in place.
    pub fn encrypt(&self, blocks: &mut [F128]) {
        arch::encrypt(self, blocks);
    }

    /// `out[i] = AES(start + i)`.
    ///
    /// # Panics
    /// Where the counter would leave the low 64 bits of `start`.
    pub fn counter(&self, start: u128, out: &mut [F128]) {
        arch::counter(self, start, out);
    }

    /// The portable cipher; only for keys of [`Arch::PORTABLE`].
    pub(crate) fn portable(&self) -> &aes::Aes128 {
        match &self.schedule {
            Schedule::Portable(cipher) => cipher,
            Schedule::Rounds(_) => unreachable!("the key was expanded for {}", self.arch.name()),
        }
    }

    /// The round keys; only for keys of an accelerated [`Arch`].
    #[inline(always)]
    pub(crate) fn rounds(&self) -> &[F128; 11] {
        match &self.schedule {
            Schedule::Rounds(rounds) => rounds,
            Schedule::Portable(_) => unreachable!("the key was expanded for {}", self.arch.name()),
        }
    }
}

impl Drop for Aes128 {
    fn drop(&mut self) {
        // The portable cipher wipes itself.
        if let Schedule::Rounds(rounds) = &mut self.schedule {
            rounds.zeroize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(hex: &str) -> F128 {
        F128(u128::from_str_radix(hex, 16).unwrap().swap_bytes())
    }

    /// FIPS 197 appendix B, and the four blocks of SP 800-38A F.1.1.
    #[test]
    fn official_vectors() {
        for arch in Arch::available() {
            let key = Aes128::new(arch, block("2b7e151628aed2a6abf7158809cf4f3c"));
            let mut blocks = [
                block("3243f6a8885a308d313198a2e0370734"),
                block("6bc1bee22e409f96e93d7e117393172a"),
                block("ae2d8a571e03ac9c9eb76fac45af8e51"),
                block("30c81c46a35ce411e5fbc1191a0a52ef"),
                block("f69f2445df4f9b17ad2b417be66c3710"),
            ];
            key.encrypt(&mut blocks);
            let expected = [
                block("3925841d02dc09fbdc118597196a0b32"),
                block("3ad77bb40d7a3660a89ecaf32466ef97"),
                block("f5d3d58503b9699de785895a96fdbaaf"),
                block("43b1cd7f598ece23881b00e3ed030688"),
                block("7b0c785e27e8ad3f8223207104725dd4"),
            ];
            assert_eq!(blocks, expected, "{}", arch.name());
        }
    }
}
