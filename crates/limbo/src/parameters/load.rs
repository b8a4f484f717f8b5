//! The verifier's work and memory, computed from the parameters of a proof.
//!
//! A file names its parameters itself, so that its verifier must know what they cost before it does anything
//! for them. Steps are nanoseconds of one core, about, as fitted to files of random parameters, of which nine in
//! ten took within a third of that: they are there to be compared with those of other parameters, and count
//! every loop of the verifier that grows with one of them. More threads walk over the circuit more often, but
//! share that.

use super::{Challenges, Demand, Parameters};

/// The cost of a walk over a circuit, whatever the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The sizes of the statement.
    pub demand: Demand,
    /// Gates that multiply nothing.
    pub linear: u64,
    /// The number of assertions.
    pub asserted: u64,
    /// The number of matrix entries whose products are asserted, or a bound.
    pub matrices: u64,
    /// The views that are followed side by side, at most.
    pub slots: usize,
    /// Blocks of a tape that 128 values take.
    pub blocks: u64,
    /// The products of a tile, whose coefficients are made together.
    pub tile: u64,
}

/// The cost of a proof for a verifier with one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The verifier's work.
    pub steps: f64,
    /// The bytes that it keeps at once, apart from what the plain circuit takes.
    pub bytes: f64,
}

/// The steps of hashing a short message.
const HASH: f64 = 130.0;
/// The powers, and the products of coefficients, at most, that are made before the first gate for each group of
/// each pass.
const TABLE: f64 = 4096.0;
/// The entries of a last vector whose sums over F_2 find their memory where those of the walk before were: that
/// of longer ones is asked for anew.
const AT_HAND: f64 = 2.0;

impl Load {
    /// How many times as much this load is as `other`: in work, or in memory where it is more than
    /// `unnoticed` bytes.
    pub fn times(&self, other: &Self, unnoticed: f64) -> f64 {
        let memory = if self.bytes <= unnoticed { 0.0 } else { self.bytes / other.bytes.max(unnoticed) };
        (self.steps / other.steps).max(memory)
    }
}

impl Parameters {
    /// The cost, for a verifier, of a proof with these parameters that follows so many `views` of each
    /// repetition.
    pub fn load(&self, views: usize, walk: &Walk) -> Load {
        let Walk { demand, linear, asserted, matrices, slots, blocks, tile } = *walk;
        let bits = demand.value_bits == 1;
        let [inputs, products, entries] =
            [demand.inputs, demand.products, demand.entries].map(|count| count as f64);
        let [n, k, l, tau] =
            [self.parties, self.compression, self.field.bits, self.repetitions].map(f64::from);
        let rounds = f64::from(self.rounds(demand.entries));
        let last = if rounds == 0.0 { 0.0 } else { self.last_length(demand.entries) as f64 };
        // The walks over the circuit, and the runs of all tapes of a repetition: more than one of each where
        // not all of its views fit side by side.
        let pieces = views.div_ceil(slots);
        let walks = (self.repetitions as usize).div_ceil((slots / views).max(1)) as f64 * pieces as f64;
        let runs = tau * pieces as f64;
        let lanes = tau * views as f64;
        // What is made anew for each repetition that has challenges of its own.
        let groups = match self.challenges {
            Challenges::Identical => walks,
            Challenges::Independent => runs.max(walks),
        };
        // Words of an element, and of a product of two over F_2, which is made word by word.
        let element = (l / 64.0).ceil();
        let product = if bits { 4.0 * element } else { 3.0 };
        let value_bytes = f64::from(demand.value_bits) / 8.0;
        let corrections = tau * (inputs + products) * value_bytes;
        let checked =
            if rounds == 0.0 { 0.0 } else { (rounds - 1.0) * (2.0 * k - 2.0) + 2.0 * k + 2.0 * last };
        // The entries of the last vector that a tile has parts of, over F_2 each by a sum of its own, over all
        // blocks of the tile.
        let stride = (rounds * k.log2()).exp2();
        let parts = 1.0 + (tile as f64).min(entries) / stride;
        let (sums_of_tile, padded) = (1.0 + 2.0 * parts, 128.0 * (products / 128.0).ceil());

        let trees = tau * 3.0 * n * HASH;
        // Each segment of a tape ends with a whole block.
        let read = [inputs, products].map(|values| (values * blocks as f64 / 128.0).ceil());
        let tapes = runs * n * read.iter().sum::<f64>() * if bits { 4.0 } else { TAPE };
        let gates = walks
            * (inputs + entries + products + (linear + asserted) as f64)
            * if bits { 1.2 } else { 25.0 };
        let weights = groups
            * if bits {
                padded * (13.0 * element + 4.0 * (l / 128.0).ceil() * sums_of_tile)
            } else {
                8.0 * entries * element
            };
        let sums = if bits {
            lanes * padded * l / 128.0 * sums_of_tile * 0.13
        } else {
            lanes * (2.0 * entries + products + matrices as f64) * element * 3.0
        };
        let heard = (walks / 10.0 + 1.0) * corrections * 6.0;
        let said = lanes * asserted as f64 * value_bytes * 6.0;
        let check =
            (tau * n * if bits { 3.0 } else { TAPE } + lanes * TAPE.max(3.0 * product)) * checked * element;
        let tables = groups * element * (TABLE * 4.0 + 2.0 * TABLE.min(entries) * product);
        let points = (24.0 * k * k + groups.min(tau) * rounds * 9.0 * k) * element * product;

        let kept = if walks > 1.0 { corrections } else { 0.0 };
        let summed = if bits { lanes.min(slots as f64) * (2.0 * last + 1.0) * l * 16.0 } else { 0.0 };
        let ends = lanes * (2.0 * last + 1.0) * l / 8.0;
        let parities =
            if bits { lanes * l * (4.0 * (2.0 * last + 1.0) + 6.0 * (last - AT_HAND).max(0.0)) } else { 0.0 };
        Load {
            steps: trees + tapes + gates + weights + sums + parities + heard + said + check + tables + points,
            bytes: kept + summed + ends + tau * n * 256.0,
        }
    }
}

/// The steps of reading and summing a block of a tape.
const TAPE: f64 = 8.0;
