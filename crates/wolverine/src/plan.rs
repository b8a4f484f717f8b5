//! How many triples check how many gates: lemma 1, computed exactly.

use core::fmt;
use core::str::FromStr;
use volery_channel::error::{Error, Result};

/// How products are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CheckedBy {
    /// Each against a bucket of triples, by a random permutation: figure 3, over any field.
    Buckets,
    /// Each against one triple, under a random factor: approach 1 of section III-B, over large fields.
    Sacrifice,
    /// Groups of 32 as values of polynomials at one random point: approach 2, over all fields but F_2.
    Interpolation,
}

impl CheckedBy {
    /// All kinds of checks.
    pub const ALL: [Self; 3] = [Self::Buckets, Self::Sacrifice, Self::Interpolation];

    /// The name on the wire, in options and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buckets => "buckets",
            Self::Sacrifice => "sacrifice",
            Self::Interpolation => "interpolation",
        }
    }
}

impl fmt::Display for CheckedBy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CheckedBy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|by| by.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::invalid(format!("products cannot be checked by `{name}`; there are {names}"))
        })
    }
}

/// How Wolverine checks products: both parties must agree on it, and the handshake makes sure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checking {
    /// The kind of check. `None` takes what suits the field: buckets over F_2, sacrifice where MACs are in
    /// the field itself, interpolation over all others.
    pub by: Option<CheckedBy>,
    /// Multiplications that are checked at a time, 1 to [`LONGEST_BLOCK`]. `None` takes [`BINARY_BLOCK`] over
    /// F_2 at 40 bits and [`BLOCK`] otherwise.
    pub block: Option<u64>,
}

/// The most multiplications that can be checked at a time.
pub const LONGEST_BLOCK: u64 = 1 << 24;

/// Multiplications that are checked at a time over F_2 at 40 bits: two triples to each are enough, with two
/// more that are opened, from 741,455 gates on.
pub const BINARY_BLOCK: u64 = 3 << 18;

/// The most multiplications of a block in all other cases.
pub const BLOCK: u64 = 1 << 18;

/// The most triples of a bucket: for 128 bits one gate alone takes fewer.
const LARGEST_BUCKET: u64 = 127;
/// The most triples of a block.
const MOST_TRIPLES: u64 = 1 << 31;

/// The triples of one block: B and c of figure 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// B: the triples that check each gate.
    pub bucket: u64,
    /// c: the triples that are opened.
    pub opened: u64,
}

impl Plan {
    /// One triple to each gate, and none to be opened.
    pub(super) const SINGLE: Self = Self { bucket: 1, opened: 0 };

    /// The fewest triples for a block of `gates` that leave a cheating prover what `lemma` allows; `None`
    /// where no bucket is large enough.
    ///
    /// Whoever spoils m gates wins with probability 1 / binom(C·B + c, m·B), which is most for m = 1
    /// where c ≥ B (lemma 1).
    pub fn of(gates: u64, lemma: Lemma) -> Option<Self> {
        let mut best: Option<(u64, Self)> = None;
        for bucket in 1..=LARGEST_BUCKET {
            let least = (gates + 1) * bucket;
            if least > best.map_or(MOST_TRIPLES, |(triples, _)| triples) {
                break;
            }
            if !lemma.allows(MOST_TRIPLES, bucket) {
                continue;
            }
            let (mut low, mut high) = (least, MOST_TRIPLES);
            while low < high {
                let middle = low + (high - low) / 2;
                if lemma.allows(middle, bucket) { high = middle } else { low = middle + 1 }
            }
            if best.is_none_or(|(triples, _)| low < triples) {
                best = Some((low, Self { bucket, opened: low - gates * bucket }));
            }
        }
        best.map(|(_, plan)| plan)
    }

    /// All triples of a block of `gates`.
    pub const fn triples(&self, gates: u64) -> u64 {
        gates * self.bucket + self.opened
    }
}

/// The bound on a cheater's chance that lemma 1 is to give: 2^-bits, less a reserve for other errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lemma {
    /// The bits of the bound, up to 128. At 128 nothing is reserved.
    pub bits: u32,
    /// The reserve, as a power of two: 2^-reserve of the bound.
    pub reserve: u32,
}

impl Lemma {
    /// The largest reserve, a thousandth: it costs nothing that can be measured.
    pub const RESERVE: u32 = 10;

    /// The bound with a reserve for errors that happen with probability `others`, of half the bound at most.
    pub fn beside(bits: u32, others: f64) -> Self {
        let part = -(f64::from(bits) + others.log2());
        Self { bits, reserve: part.floor().clamp(1.0, Self::RESERVE.into()) as u32 }
    }

    /// The probability that is left for the lemma.
    pub fn error(self) -> f64 {
        let whole = (-f64::from(self.bits)).exp2();
        if self.bits < 128 { whole * (1.0 - (-f64::from(self.reserve)).exp2()) } else { whole }
    }

    /// Whether a bound of one in binom(`triples`, `bucket`) is low enough.
    fn allows(self, triples: u64, bucket: u64) -> bool {
        match choices(triples, bucket) {
            None => self.bits <= 128,
            Some(choices) => {
                self.bits < 128 && choices - choices.div_ceil(1 << self.reserve) >= 1 << self.bits
            }
        }
    }
}

/// The binomial coefficient of n and k ≤ n/2, or `None` from 2^128 on.
fn choices(n: u64, k: u64) -> Option<u128> {
    (1..=u128::from(k)).try_fold(1u128, |choices, i| {
        let factor = u128::from(n) + 1 - i;
        // binom(n, i) = binom(n, i - 1)·factor / i, which divides: the quotient and the rest one by one.
        let (quotient, rest) = (choices / i, choices % i);
        quotient.checked_mul(factor)?.checked_add(rest * factor / i)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(gates: u64, bits: u32) -> Option<Plan> {
        Plan::of(gates, Lemma { bits, reserve: Lemma::RESERVE })
    }

    /// Binomials are those of Pascal's triangle.
    #[test]
    fn choices_are_binomials() {
        let mut row = vec![1u128];
        for n in 0..=120u64 {
            for (k, expected) in row.iter().enumerate().take(n as usize / 2 + 1) {
                assert_eq!(choices(n, k as u64), Some(*expected), "{n} over {k}");
            }
            let inner = row.windows(2).map(|pair| pair[0] + pair[1]);
            row = [1].into_iter().chain(inner).chain([1]).collect();
        }
        assert_eq!(choices(1 << 31, 5), None);
        assert_eq!(choices(132, 66), None);
        assert_eq!(choices(128, 64).map(|choices| choices.ilog2()), Some(124));
    }

    /// The paper's block: B = 2 and c = 2 at 2^20 gates, and at the default length.
    #[test]
    fn blocks_of_the_paper_take_two_triples_a_gate() {
        for gates in [1 << 20, BINARY_BLOCK, 742_000] {
            assert_eq!(plan(gates, 40), Some(Plan { bucket: 2, opened: 2 }), "{gates}");
        }
        // Without the thousandth.
        assert!(choices(2 * 741_455 + 2, 2).unwrap() >= 1 << 40);
        assert!(choices(2 * 741_454 + 2, 2).unwrap() < 1 << 40);
    }

    #[test]
    fn every_block_has_a_plan_within_the_bound() {
        let lengths = (1..200).chain((8..=24).map(|n| 1 << n)).chain([12_345, 500_000, 741_400]);
        for gates in lengths {
            for bits in [1, 3, 40, 41, 64, 80, 100, 127, 128] {
                let lemma = Lemma { bits, reserve: Lemma::RESERVE };
                let plan = Plan::of(gates, lemma).expect("a plan");
                let (n, bucket) = (plan.triples(gates), plan.bucket);
                assert!(plan.opened >= bucket && bucket <= LARGEST_BUCKET, "{gates} for {bits}: {plan:?}");
                assert!(lemma.allows(n, bucket), "{gates} for {bits}: {plan:?}");
                // m = 1 is the best that a cheater can do.
                if gates < 100 {
                    let chances = |m: u64| choices(n, (m * bucket).min(n - m * bucket)).unwrap_or(u128::MAX);
                    assert!((1..=gates).all(|m| chances(m) >= chances(1)), "{gates} for {bits}");
                }
                // One triple fewer is not enough, with this bucket.
                let fewer = plan.opened == bucket || !lemma.allows(n - 1, bucket);
                assert!(fewer, "{gates} for {bits}: {plan:?}");
            }
        }
        assert_eq!(plan(1, 40), Some(Plan { bucket: 19, opened: 25 }));
        assert_eq!(plan(1, 129), None);
    }

    /// A plan leaves the reserve that it says, also where choices are few.
    #[test]
    fn the_reserve_is_kept() {
        for bits in [1, 3, 8, 9, 40] {
            for reserve in [1, 4, 10] {
                let lemma = Lemma { bits, reserve };
                for gates in [1, 2, 5, 200, 1000] {
                    let plan = Plan::of(gates, lemma).unwrap();
                    let choices = choices(plan.triples(gates), plan.bucket).unwrap();
                    assert!(1.0 / choices as f64 <= lemma.error(), "{gates} by {lemma:?}: {plan:?}");
                }
            }
        }
        assert_eq!(Lemma::beside(40, (-50.5f64).exp2()), Lemma { bits: 40, reserve: 10 });
        assert_eq!(Lemma::beside(40, (-46.1f64).exp2()), Lemma { bits: 40, reserve: 6 });
        assert_eq!(Lemma::beside(120, (-119f64).exp2()), Lemma { bits: 120, reserve: 1 });
    }
}
