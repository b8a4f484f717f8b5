//! Sessions over F_2.

use crate::calibration::{Calibrated, Output, nanoseconds, row};
use crate::clear::{Here, InTheClear};
use crate::correlations::{Correlations, Pace, Waits};
use crate::facts::SettingFacts;
use crate::setting::{Ends, Registered, Setting};
use core::any::Any;
use core::hint::black_box;
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_circuit::Size;
use volery_primitives::arch::{Triple, prover_sums};
use volery_primitives::{Arch, Extension, F2, F128, Field};
use volery_vole::macs::BitMacs;
use volery_vole::ot::softspoken::{Depth, traffic as softspoken};
use volery_vole::vole::extend::{self, Schedule, traffic as lpn};
use volery_vole::vole::lpn::{Params, TILE};
use volery_vole::vole::sample::Bits;
use volery_vole::vole::{BoxedVole, Delta, Key, Mac, Shares, cot};
use zeroize::Zeroizing;

/// Discrete logarithms on ristretto255 cost √(πℓ/4) ≈ 2^125.8 group operations for its order ℓ ≈ 2^252.
pub const GROUP_BITS: f64 = 125.8;
/// A table of 2^(128-6) AES outputs meets one of the 64 outputs of an unknown leaf that a chunk's key covers.
pub const EXPANSION_BITS: f64 = 122.0;

/// The sources of shares over F_2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitCorrelations {
    /// SoftSpoken alone, with trees of this depth: 31 bits of traffic for each gate, or 15 with more work.
    SoftSpoken(Depth),
    /// The LPN extension with this set: 14 down to 0.4 bits, set up by SoftSpoken.
    Lpn(Params),
}

impl From<BitCorrelations> for Correlations {
    fn from(correlations: BitCorrelations) -> Self {
        match correlations {
            BitCorrelations::SoftSpoken(Depth::Four) => Self::SOFTSPOKEN4,
            BitCorrelations::SoftSpoken(Depth::Eight) => Self::SOFTSPOKEN8,
            BitCorrelations::Lpn(set) => Self::lpn(set),
        }
    }
}

impl BitCorrelations {
    /// The source that is called so.
    pub fn of(correlations: Correlations) -> Self {
        let named = |one: &Self| Correlations::from(*one) == correlations;
        Binary::ALL.into_iter().find(named).expect("correlations of this setting")
    }
}

/// F_2, with MACs in F_{2^128}.
pub enum Binary {}

impl Binary {
    /// All there are, those with the most traffic first.
    pub const ALL: [BitCorrelations; 7] = [
        BitCorrelations::SoftSpoken(Depth::Four),
        BitCorrelations::SoftSpoken(Depth::Eight),
        BitCorrelations::Lpn(Params::TINY),
        BitCorrelations::Lpn(Params::SMALL),
        BitCorrelations::Lpn(Params::L2),
        BitCorrelations::Lpn(Params::MID),
        BitCorrelations::Lpn(Params::WAN),
    ];

    /// Up to this many committed bits a statement is small: trees of depth 8 then send the least in all, and
    /// nothing else is considered.
    pub const SMALL_STATEMENT: u64 = 1 << 18;

    /// The bits of statistical security of the consistency checks.
    pub fn check_security(correlations: BitCorrelations) -> f64 {
        match correlations {
            BitCorrelations::SoftSpoken(depth) => depth.security(),
            BitCorrelations::Lpn(_) => extend::SECURITY,
        }
    }
}

/// The work of a share and its gate, and of the set-up, as measured on a machine with VAES-512.
fn usual(correlations: BitCorrelations) -> Pace {
    match correlations {
        BitCorrelations::SoftSpoken(Depth::Four) => Pace::of(16.0, 0.0),
        BitCorrelations::SoftSpoken(Depth::Eight) => Pace::of(29.0, 0.0),
        BitCorrelations::Lpn(params) => {
            // The more of its outputs a set consumes and the larger its table, the more work for each.
            let share = match params.depth {
                ..=6 => 29.0,
                7 => 26.0,
                8 => 23.5,
                9..=10 => 22.0,
                _ => 28.0,
            };
            let chain = params.chain();
            let outputs: f64 = chain.iter().map(|set| 4.0 * set.outputs() as f64).sum();
            Pace::of(share, 15.0 * chain[0].consumed() as f64 + outputs)
        }
    }
}

/// The paces of this machine.
fn calibrate(arch: Arch) -> Vec<Pace> {
    let [four, eight] = [Depth::Four, Depth::Eight].map(|depth| row::<F128>(arch, depth));
    let triples: Vec<Triple> = vec![[F128::ONE; 3]; TILE];
    let chi = vec![F128::ONE; TILE];
    // A gate is evaluated, its slots are filled and weighed: about as long again as the latter takes.
    let sums = || {
        black_box(prover_sums(arch, black_box(&chi), &triples));
    };
    let gate = 2.0 * nanoseconds(sums) / TILE as f64;
    let outputs = Params::ALL.map(|set| (set, Output::of(Bits::new(arch, set))));
    let of = |set: Params| outputs.iter().find(|(all, _)| *all == set).expect("one of the sets").1;
    let pace = |correlations: &BitCorrelations| match *correlations {
        BitCorrelations::SoftSpoken(Depth::Four) => Pace::of(four + gate, 0.0),
        BitCorrelations::SoftSpoken(Depth::Eight) => Pace::of(eight + gate, 0.0),
        BitCorrelations::Lpn(params) => {
            let chain = params.chain();
            let fixed: f64 = chain.iter().map(|set| of(*set).fixed * set.outputs() as f64).sum();
            let drawn: f64 = chain.windows(2).map(|pair| of(pair[0]).drawn * pair[1].consumed() as f64).sum();
            let setup = eight * chain[0].consumed() as f64 + fixed + drawn;
            Pace::of(of(params).share(params, Schedule::new(params)) + gate, setup)
        }
    };
    Binary::ALL.iter().map(pace).collect()
}

impl Registered for Binary {
    // What is inlined elsewhere would be compiled there, with all that it points to.
    #[inline(never)]
    fn registered_facts() -> &'static dyn SettingFacts {
        static FACTS: BitFacts = BitFacts(Calibrated::new());
        &FACTS
    }

    #[inline(never)]
    fn registered_clear() -> &'static (dyn Any + Sync) {
        static CLEAR: &dyn InTheClear<F2> = &Here;
        &CLEAR
    }

    #[inline(never)]
    fn registered_ends() -> &'static (dyn Any + Sync) {
        static ENDS: &dyn Ends<Binary> = &BitEnds;
        &ENDS
    }
}

impl Setting for Binary {
    type F = F2;
    type Delta = Delta;
    type Mac = Mac;
    type Key = Key;
    type Macs = BitMacs;

    fn clear() -> &'static dyn InTheClear<F2> {
        let registered: &'static dyn Any = Self::registered_clear();
        *registered.downcast_ref().expect("its own")
    }

    fn ends() -> &'static dyn Ends<Self> {
        let registered: &'static dyn Any = Self::registered_ends();
        *registered.downcast_ref().expect("its own")
    }

    fn facts() -> &'static dyn SettingFacts {
        Self::registered_facts()
    }

    fn delta(random: &mut Random) -> Delta {
        Delta::random(random)
    }

    fn store_delta(delta: &Delta) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(delta.to_bytes().to_vec())
    }

    fn load_delta(bytes: &[u8]) -> Option<Delta> {
        Delta::from_bytes(bytes.try_into().ok()?)
    }

    fn relates(delta: &Delta, macs: &Shares<Mac>, keys: &Shares<Key>) -> bool {
        delta.relates(macs, keys)
    }
}

/// The facts of the setting, and the paces of this machine.
struct BitFacts(Calibrated);

impl SettingFacts for BitFacts {
    fn name(&self) -> String {
        F2::NAME.into()
    }

    fn correlations(&self) -> Vec<Correlations> {
        Binary::ALL.map(Correlations::from).to_vec()
    }

    fn security(&self) -> u32 {
        100
    }

    fn bound_by_size(&self) -> bool {
        false
    }

    fn non_interactive(&self) -> bool {
        true
    }

    fn value_bytes(&self) -> f64 {
        0.125
    }

    fn degree(&self) -> u64 {
        <F128 as Extension<F2>>::DEGREE.into()
    }

    fn paces(&self, arch: Arch) -> Vec<Pace> {
        self.0.paces(arch, || calibrate(arch))
    }

    fn small(&self, commitments: u64) -> Option<Correlations> {
        (commitments <= Binary::SMALL_STATEMENT).then_some(Correlations::SOFTSPOKEN8)
    }

    fn usual(&self, correlations: Correlations) -> Pace {
        usual(BitCorrelations::of(correlations))
    }

    fn waits(&self, correlations: Correlations, expected: u64) -> Waits {
        match BitCorrelations::of(correlations) {
            BitCorrelations::SoftSpoken(_) => Waits::streaming(2.0),
            BitCorrelations::Lpn(params) => {
                // Each set on the way has an exchange of its own.
                let round_trips = 1.5 + 1.5 * params.chain().len() as f64;
                Waits::behind(round_trips, Schedule::new(params).expecting(expected))
            }
        }
    }

    fn drawn_ahead(&self, _: Correlations) -> bool {
        false
    }

    fn computational_bits(&self, correlations: Correlations, size: Size) -> u32 {
        let assumption = match BitCorrelations::of(correlations) {
            BitCorrelations::Lpn(params) => {
                let bits = |set: Params| set.tree_bits().min(set.security.into());
                params.chain().into_iter().map(bits).fold(f64::INFINITY, f64::min)
            }
            BitCorrelations::SoftSpoken(_) => f64::INFINITY,
        };
        let bits = GROUP_BITS
            .min(EXPANSION_BITS)
            .min(assumption)
            .min(Binary::check_security(BitCorrelations::of(correlations)));
        bits.min(128.0 - size.chances().log2()) as u32
    }

    fn share_error(&self, correlations: Correlations, _: u64) -> f64 {
        (-Binary::check_security(BitCorrelations::of(correlations))).exp2()
    }

    fn share_traffic(&self, correlations: Correlations, shares: u64, expected: Option<u64>) -> [Carried; 2] {
        match BitCorrelations::of(correlations) {
            BitCorrelations::SoftSpoken(depth) => {
                [softspoken::set_up(depth), softspoken::rows(depth, shares, expected)]
            }
            BitCorrelations::Lpn(params) => {
                [lpn::set_up(params), lpn::draws(params, shares.div_ceil(TILE as u64), expected)]
            }
        }
    }
}

/// The ends of correlations over F_2, for either party.
struct BitEnds;

impl Ends<Binary> for BitEnds {
    fn prover_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<BoxedVole<Mac>> {
        Ok(match BitCorrelations::of(correlations) {
            BitCorrelations::SoftSpoken(depth) => {
                Box::new(cot::Prover::<Mac>::new(channel, arch, depth, random)?)
            }
            BitCorrelations::Lpn(params) => Box::new(extend::Prover::new(channel, arch, params, random)?),
        })
    }

    fn verifier_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        delta: &Delta,
        random: &mut Random,
    ) -> Result<BoxedVole<Key>> {
        Ok(match BitCorrelations::of(correlations) {
            BitCorrelations::SoftSpoken(depth) => {
                Box::new(cot::Verifier::<Key>::new(channel, arch, depth, delta, random)?)
            }
            BitCorrelations::Lpn(params) => {
                Box::new(extend::Verifier::new(channel, arch, params, delta, random)?)
            }
        })
    }
}
