//! Devices that walk over functions on many lanes beside the processor, as a graphics processor does.
//!
//! A party by QuickSilver over F_2, or over 2^61 − 1 with MACs of the same, hands such a device the shares of a map, turn by
//! turn, as [`Tile`]s. All messages,
//! challenges and digests stay with the thread that speaks to the peer, which gives the device what they decide. The
//! device computes what the processor would: which of both it was shows in no byte.

use core::ops::Range;
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::stream::straight::{Step, StraightLine};
use volery_primitives::prg::Seed;
use volery_primitives::{F2, F128};
use volery_vole::vole::device::{Expander, Tile};
use zeroize::Zeroizing;

/// A device that walks over functions.
pub trait Device: Expander {
    /// The name of the device, for people.
    fn name(&self) -> &str;

    /// The most lanes of a wave, a power of two: as many as keep it busy.
    fn lanes(&self) -> u32;

    /// Begins a map.
    ///
    /// # Errors
    /// `Device` where the device fails, or has no memory for it.
    fn walk(&self, plan: &Plan<'_>) -> Result<Box<dyn Walk>>;

    /// Begins a map over 2^61 − 1.
    ///
    /// # Errors
    /// As for [`Device::walk`].
    fn walk_elements(&self, plan: &PlanOfElements<'_>) -> Result<Box<dyn WalkOfElements>>;
}

/// A map as one party walks over it.
pub struct Plan<'a> {
    /// The function: additions, constants, products, elements of the witness and assertions, and nothing else.
    pub line: &'a StraightLine<F2>,
    /// The party.
    pub party: Party,
    /// The party's share of the public value one.
    pub one: &'a F128,
    /// The most lanes of a wave.
    pub lanes: usize,
    /// The most shares of a turn.
    pub shares: usize,
}

/// Consecutive shares of a turn that are for one wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of the wave.
    pub wave: usize,
    /// The steps that they take it through. The first and the last commitment may be in part.
    pub steps: Range<usize>,
    /// The shares, of those of the turn.
    pub shares: Range<usize>,
    /// The lanes of the first commitment that have their shares before.
    pub done: usize,
}

/// A map under way on a device. Errors are `Device`.
pub trait Walk {
    /// Begins with a wave of so many lanes: `columns` are the wires on its first slots, and `witness` has, for a prover,
    /// a bit for each lane of each element of the witness, each element from a new word on.
    ///
    /// # Errors
    /// See the trait.
    fn begin(
        &mut self,
        wave: usize,
        lanes: usize,
        columns: &mut dyn Iterator<Item = &[F128]>,
        witness: &[u64],
    ) -> Result<()>;

    /// Begins to expand the shares of a turn, and for a prover to evaluate these runs in the clear. Two turns at most are
    /// under way at a time.
    ///
    /// # Errors
    /// See the trait.
    fn draw(&mut self, tiles: &[Tile], runs: Vec<Run>) -> Result<()>;

    /// Waits for the corrections of the first turn under way, eight to a byte, at a prover.
    ///
    /// # Errors
    /// See the trait.
    fn corrections(&mut self) -> Result<Vec<u8>>;

    /// Takes the corrections of the first turn under way, at a verifier.
    ///
    /// # Errors
    /// See the trait.
    fn correct(&mut self, corrections: &[u8]) -> Result<()>;

    /// Begins to walk over the first turn under way, under MACs or keys, and ends it: adds its products to the sums, with
    /// coefficients from `seed`.
    ///
    /// # Errors
    /// See the trait.
    fn fold(&mut self, seed: Seed) -> Result<()>;

    /// Waits for the wires that are asserted to be zero in the first turn that was folded and not asked for yet, in their
    /// order.
    ///
    /// # Errors
    /// See the trait.
    fn asserted(&mut self) -> Result<Zeroizing<Vec<F128>>>;

    /// The wires of a wave on these slots, column by column.
    ///
    /// # Errors
    /// See the trait.
    fn wires(&mut self, wave: usize, slots: &[u32]) -> Result<Zeroizing<Vec<F128>>>;

    /// Leaves a wave.
    fn leave(&mut self, wave: usize);

    /// The sums of all products so far, as the kernels of column sums have them.
    ///
    /// # Errors
    /// See the trait.
    fn sums(&mut self) -> Result<Zeroizing<[F128; 2]>>;
}

/// A map over 2^61 − 1 as one party walks over it. An element is the integer below 2^61 − 1; a wire is a value and behind it
/// its MAC at a prover, and a key at a verifier.
pub struct PlanOfElements<'a> {
    /// The steps of the function: those that [`Plan`] has, products with public factors, and asserted products.
    pub steps: &'a [Step],
    /// The constants and factors of the function.
    pub constants: &'a [u64],
    /// The number of its slots.
    pub slots: usize,
    /// The party.
    pub party: Party,
    /// The party's share of the public value one.
    pub one: &'a [u64],
    /// The most lanes of a wave.
    pub lanes: usize,
    /// The most shares of a turn, but for the last.
    pub shares: usize,
}

/// A turn that was walked over.
pub struct Walked {
    /// The corrections, as a prover sends them; none at a verifier.
    pub corrections: Vec<u8>,
    /// The wires that are asserted to be zero in it, in their order.
    pub asserted: Zeroizing<Vec<u64>>,
    /// The polynomials of asserted products, in their order: at a prover both coefficients of all lanes, the lower first,
    /// and by how much the products are off; at a verifier their values at Δ.
    pub vanishing: Zeroizing<Vec<u64>>,
}

/// A map over 2^61 − 1 under way on a device. A turn is drawn, walked over once, by a verifier with its corrections, and
/// weighed when its coefficients are known: each in the order of turns. Errors are `Device`.
pub trait WalkOfElements {
    /// Begins with a wave of so many lanes: `columns` are the wires on its first slots, and `witness` has, for a prover,
    /// each element of the witness for all lanes.
    ///
    /// # Errors
    /// See the trait.
    fn begin(
        &mut self,
        wave: usize,
        lanes: usize,
        columns: &mut dyn Iterator<Item = Zeroizing<Vec<u64>>>,
        witness: &[u64],
    ) -> Result<()>;

    /// Begins to expand the shares of a turn, and for a prover to walk over these runs.
    ///
    /// # Errors
    /// See the trait.
    fn draw(&mut self, tiles: &[Tile], runs: Vec<Run>) -> Result<()>;

    /// Waits for the walk over the next turn that was drawn, at a prover.
    ///
    /// # Errors
    /// See the trait.
    fn walked(&mut self) -> Result<Walked>;

    /// Walks over the next turn that was drawn, at a verifier, with its corrections, which are canonical.
    ///
    /// # Errors
    /// See the trait.
    fn correct(&mut self, corrections: &[u8]) -> Result<Walked>;

    /// Adds the products of the next turn that was walked over to the sums, with the coefficients from number `first` on, an
    /// even one, of `seed`.
    ///
    /// # Errors
    /// See the trait.
    fn weigh(&mut self, seed: Seed, first: u64) -> Result<()>;

    /// The products of the next turn that was walked over, which are not added: of each share both parts, zero where it is
    /// no product's.
    ///
    /// # Errors
    /// See the trait.
    fn products(&mut self) -> Result<Zeroizing<Vec<u64>>>;

    /// The wires of a wave on these slots, column by column.
    ///
    /// # Errors
    /// See the trait.
    fn wires(&mut self, wave: usize, slots: &[u32]) -> Result<Zeroizing<Vec<u64>>>;

    /// Leaves a wave.
    fn leave(&mut self, wave: usize);

    /// The sums of all products that were weighed.
    ///
    /// # Errors
    /// See the trait.
    fn sums(&mut self) -> Result<Zeroizing<[u64; 2]>>;
}
