//! Wolverine over any field: Weng, Yang, Katz, Wang, S&P 2021 (eprint 2020/925), figure 3 and section III-B.
//!
//! Relation kept on every wire: **k = m + w·Δ** over E, where the prover holds the value w and its MAC m, the
//! verifier the key k and Δ ([`volery_vole::vole`]). Products are checked in blocks of C' gates (section V-B).
//! Every message has a length that the number of gates in the block determines; b is the bytes of a value (a
//! bit over F_2), e those of a MAC:
//!
//! | from | message | bytes | step |
//! |---|---|---|---|
//! | | those of the VOLE, as shares are drawn | its own | 2 |
//! | prover | corrections of a section: what it commits to − the value of a share, zero where to nothing | b each | 4, 5b |
//! | | *at the end of a block:* | | |
//! | prover | `interpolation`: corrections of the further values of 128 groups | 31·b a group | III-B, 2 of approach 2 |
//! | prover | d = x·y − r of 4096 triples | b each; `interpolation`: e | 3 |
//! | verifier | a seed: of the permutation; `sacrifice`: of η; `interpolation`: of ν and η | 16 | 6; III-B |
//! | prover | δ_α of 4096 triples, then their δ_β | b each; `interpolation`: e | 7b, 8 |
//! | verifier | a seed: of the coefficients χ, where E is short | 16 | app. B, 2 |
//! | prover | Σ χ·m of all that is opened | e | app. B, 3 |
//! | | *at the end:* | | |
//! | | those of the VOLE's check | its own | |
//! | prover | digest of the MACs of all asserted wires | 32 | 9; app. B, first approach |
//! | prover | digest of all bytes ([`volery_proof::verdict`]) | 32 | |
//! | verifier | verdict, digest of all bytes | 33 | |
//!
//! The last tile, section or group of a block is shorter, or filled up. A block ends before its C'+1-st
//! product and with the statement; witness elements and hints cost a correction and no check.
//!
//! **Checks** ([`CheckedBy`]). *Buckets* (figure 3): C·B + c triples, permuted by the verifier's coin; B of
//! them check each gate and c are opened, B and c from [`Plan`] for the number of gates that the block has in
//! fact, so that lemma 1 bounds short blocks too. *Sacrifice* (approach 1): one triple to a gate, under a
//! random η. *Interpolation* (approach 2): 32 gates become one over E at a random ν (`interpolation`), which
//! is checked as by sacrifice, over E. All three open, for a gate and a triple, δ_α = η·a − x, δ_β = b − y
//! and a zero (`opening`).
//!
//! **Deviations.** Triples are made at the end of a block instead of beforehand, because only then their
//! number is known: the coin comes after they are fixed all the same. An opened triple is one that checks
//! 0·0 = 0. η and ν are drawn together. The coefficients of an opening are not all independent, which costs a
//! second 1/|E|. Zeroes of the statement are opened by a digest, once.
//!
//! **Whose challenge.** The first seed of a block is the verifier's coin, sent when all of the block's gates
//! and triples have arrived: at ρ = 40 a transcript could be searched for a convenient permutation. It is the
//! transcript's where that is out of reach: by interpolation over a long E ([`by_transcript`]), and by
//! buckets where no coins are asked for, with lemma 1 at 128 bits. χ is the transcript's where E is long.
//! After a coin comes a checkpoint.
//!
//! **Soundness** ([`Terms::error`]): a false statement has a wrong product, or an asserted wire that is not
//! zero. The first block in which anything is wrong passes with at most lemma 1's probability, 1/|B| for η,
//! or (2n − 1)/|E| for ν and η; 2/|E| for coefficients under which wrong openings cancel; and one guess of Δ.
//! Blocks are opened one by one, so that a prover who fails in one has failed: errors of coins do not add up
//! over blocks. Those of transcripts do, since it sees them beforehand; offline it may try as many as it can
//! compute ([`Terms::search_bits`]). One guess of Δ forges an asserted wire. The VOLE's own error is added.
//!
//! **Zero knowledge**: corrections, d and δ are masked by the uniform values of shares that are used once,
//! whatever the permutation, η, ν or χ that a verifier sends; what is opened determines the sum of MACs for
//! whoever has the keys, and so does zero that of asserted wires. A prover whose witness fails an assertion
//! goes on to the end and then closes: where it failed does not show.
//!
//! **Abort**: an error ends the proof for whoever meets it, even where a circuit swallows it. The verifier
//! compares each block's sum, goes on, and says at the end whether all were right: one bit, from which the
//! prover learns only whether its own cheating was lucky. Corrections of shares that commit to nothing, and
//! encodings that are not canonical, end the session where they are found: whether there are any depends on
//! the prover alone. A prover may also hang up once it has seen a coin that does not suit it, or send
//! nonsense then: that is no broken link but a try that failed ([`Channel::hold_peer`]), and at 40 bits
//! whoever lets the same one try again and again should count.
//!
//! **Memory** of a party: a gate and a triple take three shares each and, at the prover, two values; a triple
//! also 5 bytes for its slot and two values more. With B = 2 and MACs of 16 bytes that is up to 164 bytes a
//! gate, 129 MB at the default 786,432. Shorter blocks over F_2 take larger buckets. Parts of a permutation that tasks
//! shuffle are held twice meanwhile, which is 4 bytes a triple with five threads.

#![forbid(unsafe_code)]

mod interpolation;
mod opening;
mod permutation;
mod plan;
mod prover;
mod rows;
pub mod session;
#[cfg(test)]
mod tests;
pub mod traffic;
mod verifier;

pub use plan::{BINARY_BLOCK, BLOCK, CheckedBy, Checking, LONGEST_BLOCK, Lemma, Plan};
pub use prover::Prover;
pub use verifier::Verifier;

use interpolation::{FURTHER, GROUP};
use rows::TILE;

use core::array::from_fn;
use interpolation::POINTS;
use opening::{BUCKET_BITS, Matching};
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;
use volery_circuit::Size;
use volery_primitives::prg::Prg;
use volery_primitives::{Arch, Extension, F128, Field, MOST_WORDS};
use volery_proof::verdict::by_transcript;
use volery_vole::macs::Macs;

/// The statistical security where none is asked for, in bits.
pub const SECURITY: u32 = 40;

/// How the products of a statement are checked: what a [`Checking`] comes to over one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The check.
    pub by: CheckedBy,
    /// The most multiplications of a block.
    pub block: u64,
    /// The bound on a cheater's chance that lemma 1 is to give, and the plan of a full block.
    lemma: Lemma,
    full: Plan,
    /// Whether no coin decides on a block.
    one_way: bool,
}

impl Terms {
    /// The terms of `checking` for so many bits of security, with or without coins of the verifier.
    ///
    /// # Errors
    /// `Invalid` where the check is not for this field, a block is too long or too short, more than 128 bits
    /// are asked of buckets, or coins are needed.
    pub fn new<M: Macs>(checking: &Checking, security: u32, non_interactive: bool) -> Result<Self> {
        let degree = <M::E as Extension<M::F>>::degree();
        let usual = match (M::F::BITS, degree) {
            (1, _) => CheckedBy::Buckets,
            (_, 1) if !by_transcript::<M::E>() => CheckedBy::Sacrifice,
            _ => CheckedBy::Interpolation,
        };
        let by = checking.by.unwrap_or(usual);
        if by != CheckedBy::Buckets && POINTS >> M::F::bits().min(63) > 0 {
            return Err(Error::invalid(format!(
                "{by} checks products over a large field, and not over {}: take buckets",
                M::F::name()
            )));
        }
        let long = by_transcript::<M::E>();
        if non_interactive && (!long || by == CheckedBy::Sacrifice) {
            return Err(Error::invalid(format!(
                "a proof without coins of the verifier was asked for, and a transcript could be searched offline for the \
                 challenges of {by} over {}: allow coins, or take another check or a larger extension",
                M::F::name()
            )));
        }
        let bits = if non_interactive { 128 } else { security.max(1) };
        if by == CheckedBy::Buckets && bits > 128 {
            return Err(Error::invalid(format!(
                "{bits} bits of security were asked for, and buckets give 128 at most: ask for fewer"
            )));
        }
        let usual =
            if by == CheckedBy::Buckets && M::F::BITS == 1 && bits <= 40 { BINARY_BLOCK } else { BLOCK };
        let block = checking.block.unwrap_or(usual);
        if !(1..=LONGEST_BLOCK).contains(&block) {
            return Err(Error::invalid(format!(
                "blocks of {block} multiplications: take 1 to {LONGEST_BLOCK}"
            )));
        }
        let one_way = non_interactive || (by == CheckedBy::Interpolation && long);
        let lemma = Lemma { bits, reserve: Lemma::RESERVE };
        Ok(Self { by, block, lemma, full: Plan::SINGLE, one_way }.beside::<M>(0.0))
    }

    /// The terms over shares that are faulty with probability `shares`. Buckets are larger for it.
    pub fn beside<M: Macs>(mut self, shares: f64) -> Self {
        if self.by == CheckedBy::Buckets {
            self.lemma = Lemma::beside(self.lemma.bits, shares + 2.0 * M::likeliest() + 2.0 * M::guess());
            self.full = self.planned(self.block);
        }
        self
    }

    /// The name of all that both parties must agree on, in at most 32 bytes.
    pub fn name(&self) -> String {
        let Self { by, block, lemma: Lemma { bits, reserve }, one_way, .. } = self;
        let way = if *one_way { "hash" } else { "coin" };
        match by {
            CheckedBy::Buckets => format!("{by} {block} {bits}.{reserve} {way}"),
            _ => format!("{by} {block} {way}"),
        }
    }

    /// The triples of a block of so many gates.
    ///
    /// # Panics
    /// Where there are more than [`LONGEST_BLOCK`].
    pub fn plan(&self, gates: u64) -> Plan {
        match self.by {
            CheckedBy::Buckets if gates < self.block => self.planned(gates),
            _ => self.full,
        }
    }

    fn planned(&self, gates: u64) -> Plan {
        Plan::of(gates, self.lemma).expect("there is a bucket for each block up to 128 bits")
    }

    /// The shares that a statement of this size takes.
    pub fn shares<M: Macs>(&self, size: Size) -> u64 {
        let mul = size.commitments.saturating_sub(size.inputs);
        let (whole, rest) = (mul / self.block, mul % self.block);
        let of_blocks = |blocks: u64, gates| match blocks {
            0 => 0,
            _ => self.check_shares::<M>(gates).saturating_mul(blocks),
        };
        let checks = of_blocks(whole, self.block).saturating_add(of_blocks(u64::from(rest > 0), rest));
        size.commitments.saturating_add(checks)
    }

    /// The shares that check a block of so many products.
    pub fn check_shares<M: Macs>(&self, gates: u64) -> u64 {
        let degree = u64::from(<M::E as Extension<M::F>>::degree());
        match self.by {
            CheckedBy::Interpolation => gates.div_ceil(GROUP as u64) * (FURTHER as u64 + 3 * degree),
            _ => 3 * self.plan(gates).triples(gates),
        }
    }

    /// Whether the challenge of a block is a coin, and whether that of its opening is.
    pub fn coins<M: Macs>(&self) -> [bool; 2] {
        [!self.one_way, !by_transcript::<M::E>()]
    }

    /// The probability that a false statement with this many commitments is accepted, over a VOLE that errs
    /// with probability `vole`: for one transcript, where challenges are the transcript's.
    pub fn error<M: Macs>(&self, commitments: u64, vole: f64) -> f64 {
        let blocks = commitments.div_ceil(self.block).max(1) as f64;
        let tries = |by_coin: bool| if by_coin { 1.0 } else { blocks };
        let [check, opening] = self.coins::<M>();
        let guesses = 2.0 * M::guess();
        tries(check) * self.check_error::<M>() + tries(opening) * 2.0 * M::likeliest() + guesses + vole
    }

    /// The bits of work to find a transcript with convenient challenges; infinite where all challenges are
    /// coins.
    pub fn search_bits<M: Macs>(&self) -> f64 {
        let [check, opening] = self.coins::<M>();
        let check = if check { 0.0 } else { self.check_error::<M>() };
        let opening = if opening { 0.0 } else { 2.0 * M::likeliest() };
        -(check + opening + self.seed_error::<M>()).log2()
    }

    /// The probability that one transcript has a seed that its prover hoped for, where the transcript makes a
    /// seed. A prover that lies about the pairs of a block may hope for as many seeds, chosen beforehand, as
    /// there are pairs, two to a triple: so many equations in the opened values have a solution.
    fn seed_error<M: Macs>(&self) -> f64 {
        if self.coins::<M>() == [true, true] {
            return 0.0;
        }
        let triples = match self.by {
            CheckedBy::Buckets => self.full.triples(self.block),
            CheckedBy::Sacrifice | CheckedBy::Interpolation => self.block,
        };
        2.0 * triples as f64 * (-128_f64).exp2()
    }

    /// The probability that the check of a block misses a wrong product.
    fn check_error<M: Macs>(&self) -> f64 {
        match self.by {
            CheckedBy::Buckets => self.lemma.error(),
            CheckedBy::Sacrifice => M::likeliest_value(),
            // 2n − 2 for ν, and one for η.
            CheckedBy::Interpolation => POINTS as f64 * M::likeliest(),
        }
    }
}

/// The check that a proof had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The kind of check.
    pub by: CheckedBy,
    /// The most multiplications of a block.
    pub block: u64,
    /// B of the longest block: the triples that checked each product; one but for buckets.
    pub bucket: u64,
    /// c of the longest block: the triples that were opened.
    pub opened: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The multiplications of the longest block.
    longest: u64,
}

impl Checked {
    fn new(terms: &Terms) -> Self {
        Self { by: terms.by, block: terms.block, bucket: 1, opened: 0, blocks: 0, longest: 0 }
    }

    /// Counts a block.
    fn count(&mut self, gates: u64, plan: Plan) {
        self.blocks += 1;
        if gates > self.longest {
            (self.longest, self.bucket, self.opened) = (gates, plan.bucket, plan.opened);
        }
    }
}

/// The label of the digest of asserted wires.
const ASSERTED: &str = "volery wolverine v1, asserted wires";

/// The seed of a block's challenge, or of its opening's coefficients, drawn from the transcript.
fn transcript_seed(channel: &mut Channel, what: &'static str) -> F128 {
    let challenge = channel.challenge(Party::Prover, what);
    F128::from_bytes(*challenge.first_chunk().expect("32 bytes"))
}

/// The labels of a block's two seeds.
const CHECK: &str = "wolverine check";
const OPENING: &str = "wolverine opening";

/// Matches triples with gates: by a random permutation into buckets, or, for sacrifice, one by one under a
/// factor η from `seed`. Fig. 3, 6; section III-B, approach 1.
fn match_gates<V: Field>(
    matching: &mut Matching<V>,
    (pool, arch): (&Pool, Arch),
    seed: F128,
    terms: &Terms,
    gates: usize,
    plan: Plan,
) {
    if terms.by == CheckedBy::Buckets {
        matching.permuted((pool, arch), seed, gates, plan);
    } else {
        matching.in_order(gates, element(&mut Prg::new(arch, seed)));
    }
}

/// Matches each triple over the extension with its group under a factor η, and gives the point ν. Section
/// III-B, approach 2, 3 and 4.
fn match_groups<E: Field>(matching: &mut Matching<E>, arch: Arch, seed: F128, groups: usize) -> E {
    let mut prg = Prg::new(arch, seed);
    let nu = element(&mut prg);
    matching.in_order(groups, element(&mut prg));
    nu
}

/// The next element that `prg` makes.
fn element<V: Field>(prg: &mut Prg) -> V {
    // As many as there have always been, or more where they are not enough.
    let mut blocks = [F128::ZERO; MOST_WORDS.div_ceil(2)];
    prg.fill(&mut blocks[..V::SAMPLE.div_ceil(2).max(2)]);
    let words: [u64; MOST_WORDS] = from_fn(|i| (blocks[i / 2].0 >> (64 * (i % 2))) as u64);
    V::sample(&words[..V::SAMPLE])
}

const _: () = assert!(LONGEST_BLOCK << BUCKET_BITS <= 1 << 31 && TILE.is_multiple_of(GROUP));
