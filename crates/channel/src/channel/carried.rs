//! Bytes of each party, as the message tables of protocols have them.

use core::ops::{Add, AddAssign, Mul};

/// Bytes of each party. Sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Bytes from the prover to the verifier.
    pub prover: u64,
    /// Bytes from the verifier to the prover.
    pub verifier: u64,
}

impl Carried {
    /// The traffic of `bytes` bytes from the prover.
    pub const fn by_prover(bytes: u64) -> Self {
        Self { prover: bytes, verifier: 0 }
    }

    /// The traffic of `bytes` bytes from the verifier.
    pub const fn by_verifier(bytes: u64) -> Self {
        Self { prover: 0, verifier: bytes }
    }

    /// The bytes of both directions.
    pub const fn sum(self) -> u64 {
        self.prover.saturating_add(self.verifier)
    }
}

impl AddAssign for Carried {
    fn add_assign(&mut self, other: Self) {
        self.prover = self.prover.saturating_add(other.prover);
        self.verifier = self.verifier.saturating_add(other.verifier);
    }
}

impl Add for Carried {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

/// The traffic of a message that is sent several times.
impl Mul<u64> for Carried {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self { prover: self.prover.saturating_mul(times), verifier: self.verifier.saturating_mul(times) }
    }
}
