//! Parameters of a proof file (trees, bits of Δ, grinding): their security, their cost, and the choice among
//! them.

use crate::degree_of_check;
use crate::voleith::head::{self, DEPTHS, HASH, LONGEST, MOST_BITS, depths};
use volery_channel::error::{Error, Result};
use volery_circuit::Size;
use volery_circuit::accounting::BATCH;

/// The default security of a proof in bits, of the 123 or 124 that there are.
pub const SECURITY: u32 = 120;
/// The most bits of security that there are.
pub const MOST_SECURITY: u32 = 124;
/// The security of the last challenge in bits, if no less is asked for. The other challenges have 124 bits,
/// and 123 with more than 15 trees.
const LAST: u32 = 125;
/// The most trees.
pub const MOST_TREES: u32 = 40;
/// The default number of bits to grind at most: some hundredths of a second.
pub const GRINDING: u32 = 20;
/// Nanoseconds to try one counter of the last hash, about, eight side by side in vectors of 256 bits. One by
/// one they take three times that.
const COUNTER: f64 = 30.0;
/// The most bits that are ground.
pub const MOST_GRINDING: u32 = 24;

/// The cost to keep low where the caller does not choose the trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preference {
    /// Fast: 15 trees.
    Speed,
    /// 11 trees.
    #[default]
    Balanced,
    /// Short: 9 trees.
    Size,
}

impl Preference {
    /// The number of trees, τ: a file has τ bits for each bit that is committed to.
    pub const fn trees(self) -> u32 {
        match self {
            Self::Speed => 15,
            Self::Balanced => 11,
            Self::Size => 9,
        }
    }
}

/// The parameters that the caller insists on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Wishes {
    /// The cost to keep low in choosing the rest.
    pub preference: Preference,
    /// The number of trees.
    pub trees: Option<u32>,
    /// The most bits to grind.
    pub grinding: Option<u32>,
}

/// The parameters of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// τ, the number of trees.
    pub trees: u32,
    /// K, the bits of Δ that they own: their depths differ by one at most.
    pub bits: u32,
    /// w, the bits of the last hash that are ground.
    pub grinding: u32,
}

impl Parameters {
    /// Checks given parameters, for benches and tests.
    ///
    /// # Errors
    /// `Invalid` where there are none such.
    pub fn given(trees: u32, bits: u32, grinding: u32) -> Result<Self> {
        let given = Self { trees, bits, grinding };
        let why = if !(1..=MOST_TREES).contains(&trees) {
            format!("there are 1 to {MOST_TREES} trees, not {trees}")
        } else if bits as usize > MOST_BITS || given.depths().iter().any(|depth| !DEPTHS.contains(depth)) {
            let (least, most) = (DEPTHS.start(), DEPTHS.end());
            format!(
                "{trees} trees of depth {least} to {most} own {} to {} bits, not {bits}",
                *least as u32 * trees,
                (*most as u32 * trees).min(MOST_BITS as u32)
            )
        } else if grinding > MOST_GRINDING {
            format!("at most {MOST_GRINDING} bits are ground, not {grinding}")
        } else {
            return Ok(given);
        };
        Err(Error::invalid(why))
    }

    /// The depths of the trees.
    pub fn depths(&self) -> Vec<usize> {
        depths(self.trees as usize, self.bits as usize)
    }

    /// −log2 of the probability that one query to a hash helps a prover of a false statement of this size,
    /// floored: the header of [`super`] says which queries there are.
    pub fn security(&self, size: Size) -> u32 {
        let trees = f64::from(self.trees);
        let products = if size.matrices > 0 { 4.0 } else { 1.0 } * trees * (-128f64).exp2();
        let batch = products + trees * (trees - 1.0) / 2.0 * (-144f64).exp2();
        let degree = degree_of_check(size.degree) as f64;
        let last = degree * (-f64::from(self.bits + self.grinding)).exp2();
        (-batch.max(last).log2()).floor() as u32
    }

    /// The fastest parameters for a statement of this size that have `security` bits and meet the wishes.
    ///
    /// # Errors
    /// `Invalid` where there are none.
    pub fn choose(size: Size, security: Option<u32>, wishes: &Wishes) -> Result<Self> {
        let trees = wishes.trees.unwrap_or(wishes.preference.trees());
        let most = wishes.grinding.unwrap_or(GRINDING);
        if most > MOST_GRINDING {
            return Err(Error::invalid(format!("at most {MOST_GRINDING} bits are ground, not {most}")));
        }
        if !(1..=MOST_TREES).contains(&trees) {
            return Err(Error::invalid(format!("there are 1 to {MOST_TREES} trees, not {trees}")));
        }
        let asked = security.unwrap_or(SECURITY);
        let last = security.unwrap_or(LAST) + degree_of_check(size.degree).next_power_of_two().ilog2();
        let with = |bits: u32| Self::given(trees, bits, last.checked_sub(bits).filter(|w| *w <= most)?).ok();
        // A bit less in the trees is a bit more that is ground, by the prover alone.
        let cost = |parameters: &Self| {
            let grinding = COUNTER * f64::from(parameters.grinding).exp2();
            parameters.work(size) + grinding
        };
        let fit = (0..=MOST_BITS as u32).filter_map(with);
        let best = fit.min_by(|a, b| cost(a).total_cmp(&cost(b)));
        match best {
            Some(best) if best.security(size) >= asked => Ok(best),
            Some(best) => Err(Error::invalid(format!(
                "{asked} bits of security were asked for, and a proof by {trees} trees has {} at most: ask for \
                 fewer, or for fewer trees",
                best.security(size)
            ))),
            None => Err(Error::invalid(format!(
                "no {trees} trees and {most} bits of grinding are worth {asked} bits of security: wish for other \
                 trees"
            ))),
        }
    }

    /// The work of a verifier for a statement of this size, about, in nanoseconds. A block that ends early is
    /// grown in whole.
    pub fn work(&self, size: Size) -> f64 {
        // Measured on Zen 4 with vectors of 512 bits: short trees pay for their columns.
        const FOLD: [f64; 6] = [2.1, 1.74, 1.31, 1.05, 0.91, 0.83];
        let fold = |depth: usize| FOLD[depth.min(8) - 3] * (1u64 << depth) as f64 / 128.0;
        let leaves: f64 = self.depths().iter().map(|depth| (1u64 << depth) as f64).sum();
        let share: f64 =
            self.depths().into_iter().map(fold).sum::<f64>() + 4.3 + 0.0375 * f64::from(self.trees);
        let masks = 128 * (degree_of_check(size.degree) as u64 - 1) + 144;
        let shares = size.commitments.saturating_add(early_ends(size).saturating_mul(LONGEST as u64));
        13.0 * leaves + (shares as f64 + masks as f64) * share + 9.5 * size.commitments as f64
    }

    /// The bytes of a proof of a statement of this size, without its header. They are exact, unless batches
    /// end early, for bilinear forms or for many polynomials: then they are a bound.
    pub fn bytes(&self, size: Size) -> u64 {
        let (trees, depths) = (self.trees as usize, self.depths());
        let lines = degree_of_check(size.degree) - 1;
        let head = head::SALT_BYTES + 16 + 4 + head::opening_bytes(&depths);
        let masks = head::mask_bytes(trees, lines) + HASH + 16 * lines;
        let batches = size.commitments.div_ceil(8) + early_ends(size) * (LONGEST as u64 / 8);
        (head + masks) as u64 + u64::from(self.trees) * batches
    }
}

/// The batches of a file that end early.
const fn early_ends(size: Size) -> u64 {
    size.matrices + size.epochs + size.crowds
}

// Crowds are counted by batches of a file.
const _: () = assert!(BATCH == LONGEST);
