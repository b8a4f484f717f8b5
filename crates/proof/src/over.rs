//! Sessions over any field; over F_2 with MACs of 64 bits.

use crate::binary::{Binary, EXPANSION_BITS, GROUP_BITS};
use crate::calibration::{Calibrated, Output, nanoseconds, row};
use crate::clear::{Here, InTheClear};
use crate::correlations::{Correlations, Pace, Waits};
use crate::facts::SettingFacts;
use crate::setting::{Ends, Registered, Setting};
use crate::verdict::by_transcript;
use core::any::Any;
use core::hint::black_box;
use core::marker::PhantomData;
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_circuit::Size;
use volery_primitives::bits::Row as _;
use volery_primitives::{Arch, F2, F64, F128, Field, MacField, Tag as _};
use volery_vole::macs::FieldMacs;
use volery_vole::ot::softspoken::traffic::Trees;
use volery_vole::ot::softspoken::{self, BLOCK, Depth};
use volery_vole::vole::extend::Schedule;
use volery_vole::vole::lpn::{Params, Sets, TILE};
use volery_vole::vole::subfield::extend::{self, traffic as lpn};
use volery_vole::vole::subfield::sample::Elements;
use volery_vole::vole::subfield::{Delta, Key, Mac, base, base_error, direct, guess, likeliest};
use volery_vole::vole::{BoxedVole, Shares, cot};
use zeroize::Zeroizing;

/// The sources of shares over a field, each with MACs for which challenges may have to be coins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldCorrelations {
    /// Over F_2: SoftSpoken alone, with trees of this depth and rows of 64 bits, which are 15 bits of traffic for each
    /// gate, or 7 with more work.
    SoftSpoken(Depth),
    /// Over other fields: straight from oblivious transfers, for the smallest statements.
    Direct,
    /// The LPN extension with this set, one of those of the field.
    Lpn(Params),
}

impl From<FieldCorrelations> for Correlations {
    fn from(correlations: FieldCorrelations) -> Self {
        match correlations {
            FieldCorrelations::SoftSpoken(Depth::Four) => Self::SOFTSPOKEN4,
            FieldCorrelations::SoftSpoken(Depth::Eight) => Self::SOFTSPOKEN8,
            FieldCorrelations::Direct => Self::DIRECT,
            FieldCorrelations::Lpn(set) => Self::lpn(set),
        }
    }
}

impl FieldCorrelations {
    /// The source that is called so over `B`.
    pub fn of<B: Field>(correlations: Correlations) -> Self {
        let named = |one: &Self| Correlations::from(*one) == correlations;
        Self::all::<B>().into_iter().find(named).expect("correlations of this setting")
    }

    /// The sources over `B`, those with the most traffic first.
    fn all<B: Field>() -> Vec<Self> {
        let transfers: &[_] = if B::BITS == 1 {
            &[Self::SoftSpoken(Depth::Four), Self::SoftSpoken(Depth::Eight)]
        } else {
            &[Self::Direct]
        };
        let Sets { tiny, l2, mid, wan, .. } = Sets::of::<B>();
        transfers.iter().copied().chain([tiny, l2, mid, wan].map(Self::Lpn)).collect()
    }

    /// The checks of the first shares, where they come from [`base`], for so many shares drawn.
    pub fn base_checks<B: Field>(self, shares: u64) -> u64 {
        match self {
            Self::SoftSpoken(_) => 0,
            // Each block has a check of its own.
            Self::Direct => shares.div_ceil(direct::SHORTEST as u64),
            Self::Lpn(_) => u64::from(B::BITS > 1),
        }
    }

    /// The shares of the longest block, and the length of the next one after so many shares.
    pub fn lengths(self) -> (usize, fn(usize) -> usize) {
        match self {
            Self::SoftSpoken(_) => (softspoken::LONGEST, softspoken::next),
            Self::Direct => (direct::LONGEST, direct::next),
            Self::Lpn(_) => (TILE, |_| TILE),
        }
    }

    /// The traffic of the set-up, and of drawing so many shares in so many blocks, where a number of them may be
    /// expected.
    pub fn traffic<B: Field, E: MacField<B>>(
        self,
        shares: u64,
        blocks: u64,
        expected: Option<u64>,
    ) -> [Carried; 2] {
        match self {
            Self::SoftSpoken(depth) => {
                let trees = Trees { depth, columns: F64::COLUMNS };
                let blocks = shares.div_ceil(BLOCK as u64);
                [softspoken::traffic::set_up(trees), softspoken::traffic::checked(trees, blocks)]
            }
            Self::Direct => [base::set_up_traffic::<B, E>(), base::traffic::<B, E>(shares, blocks)],
            Self::Lpn(params) => [lpn::set_up::<B, E>(params), lpn::draws::<B, E>(params, blocks, expected)],
        }
    }
}

/// The number of blocks that have so many shares, and how many they have, where `next` gives the length of each
/// by the shares before it, all of which are as long as the `longest` after so many.
pub fn cover(used: u64, longest: usize, next: &dyn Fn(usize) -> usize) -> (u64, u64) {
    let (mut number, mut shares) = (0, 0);
    while shares < used.min(longest as u64) {
        shares += next(shares as usize) as u64;
        number += 1;
    }
    let more = used.saturating_sub(shares).div_ceil(longest as u64);
    (number + more, shares + longest as u64 * more)
}

/// The field `B`, with MACs in its extension `E`.
pub struct Over<B, E = B>(PhantomData<(B, E)>);

/// Up to so many commitments a statement takes its shares straight from transfers: their traffic is then less
/// than that of the first sets.
const DIRECT: u64 = 2048;
/// Up to so many `tiny` is enough, and sends the least in all.
const TINY: u64 = 200_000;

impl<B: Field, E: MacField<B>> Over<B, E> {
    /// The sets of the LPN extension over `B`.
    pub fn sets() -> Sets {
        Sets::of::<B>()
    }

    /// The work of a share and its gate, and of the set-up, as measured with VAES-512, by LPN over 2^61 − 1: only the
    /// order matters.
    fn usual_pace(correlations: FieldCorrelations) -> Pace {
        let params = match correlations {
            FieldCorrelations::SoftSpoken(Depth::Four) => return Pace::of(10.0, 0.0),
            FieldCorrelations::SoftSpoken(Depth::Eight) => return Pace::of(17.0, 0.0),
            FieldCorrelations::Direct => return DIRECT_PACE,
            FieldCorrelations::Lpn(params) => params,
        };
        // The more of its outputs a set consumes and the larger its table, the more work for each.
        let share = match params.depth {
            ..=6 => 38.0,
            7..=8 => 25.0,
            9..=10 => 25.0,
            _ => 45.0,
        };
        // The set-up runs through all sets on the way.
        let setup = Self::sets().chain(params).iter().map(|set| 8.0 * set.outputs() as f64).sum();
        Pace::of(share, setup)
    }
}

/// Shares straight from transfers are for the smallest statements: how much longer they take hardly matters.
const DIRECT_PACE: Pace = Pace { share: 1_000_000, setup: 0 };

impl<B: Field, E: MacField<B>> Over<B, E> {
    /// The paces of this machine.
    fn calibrate(arch: Arch) -> Vec<Pace> {
        let (degree, tile) = (E::degree() as usize, TILE as f64);
        let transfer = row::<F128>(arch, Depth::Eight);
        // Over F_2 the first shares are rows, too.
        let first = if B::BITS == 1 { row::<F64>(arch, Depth::Eight) } else { 0.0 };
        let triples = vec![[E::Tag::new(B::ONE, E::ONE); 3]; TILE];
        let (mut constant, mut linear) = (vec![E::ZERO; TILE], vec![E::ZERO; TILE]);
        // A gate is evaluated, its slots are filled and weighed: about as long again as the latter takes.
        let gate = 2.0 * nanoseconds(|| E::products(arch, black_box(&triples), &mut constant, &mut linear));
        let mut sets = Self::sets().all().to_vec();
        sets.dedup();
        let output = |set| (set, Output::of(Elements::<B, E>::new(arch, set)));
        let outputs: Vec<_> = sets.into_iter().map(output).collect();
        let pace = |correlations: FieldCorrelations| {
            let params = match correlations {
                FieldCorrelations::SoftSpoken(depth) => {
                    return Pace::of(row::<F64>(arch, depth) + gate / tile, 0.0);
                }
                FieldCorrelations::Direct => return DIRECT_PACE,
                FieldCorrelations::Lpn(params) => params,
            };
            let of = |set: Params| outputs.iter().find(|(all, _)| *all == set).expect("one of the sets").1;
            let transfers = |set: Params| transfer * (set.trees * set.depth) as f64;
            let share = of(params).share(params, Schedule::over::<B>(params, degree))
                + transfers(params) / params.outputs() as f64;
            let chain = Self::sets().chain(params);
            let first = first * chain[0].consumed_over::<B>(degree) as f64;
            let fixed = chain.iter().map(|set| of(*set).fixed * set.outputs() as f64 + transfers(*set));
            let drawn =
                chain.windows(2).map(|pair| of(pair[0]).drawn * pair[1].consumed_over::<B>(degree) as f64);
            Pace::of(share + gate / tile, first + fixed.sum::<f64>() + drawn.sum::<f64>())
        };
        FieldCorrelations::all::<B>().into_iter().map(pace).collect()
    }
}

/// Compiles both ends of correlations over such settings in this crate.
macro_rules! register {
    ($($values:ident: $($macs:ident)+;)+) => {$($(
        impl Registered for Over<volery_primitives::$values, volery_primitives::$macs> {
            // What is inlined elsewhere would be compiled there, with all that it points to.
            #[inline(never)]
            fn registered_facts() -> &'static dyn SettingFacts {
                static FACTS: FieldFacts<volery_primitives::$values, volery_primitives::$macs> =
                    FieldFacts(Calibrated::new(), PhantomData);
                &FACTS
            }

            #[inline(never)]
            fn registered_clear() -> &'static (dyn Any + Sync) {
                static CLEAR: &dyn InTheClear<volery_primitives::$values> = &Here;
                &CLEAR
            }

            #[inline(never)]
            fn registered_ends() -> &'static (dyn Any + Sync) {
                static ENDS: &dyn Ends<Over<volery_primitives::$values, volery_primitives::$macs>> = &FieldEnds;
                &ENDS
            }
        }
    )+)+};
}

#[cfg(not(test))]
volery_primitives::with_fields!(register);
// They are named by their primes, which are chosen thereby.
#[cfg(not(test))]
volery_primitives::with_chosen_fields!(register);
// The tests of this crate name these; sessions over every field are tested from outside.
#[cfg(test)]
register!(F61: F61 F61x2;);

impl<B: Field, E: MacField<B>> Setting for Over<B, E>
where
    Self: Registered,
{
    type F = B;
    type Delta = Delta<B, E>;
    type Mac = Mac<B, E>;
    type Key = Key<E>;
    type Macs = FieldMacs<B, E>;

    fn facts() -> &'static dyn SettingFacts {
        Self::registered_facts()
    }

    fn clear() -> &'static dyn InTheClear<B> {
        let registered: &'static dyn Any = Self::registered_clear();
        *registered.downcast_ref().expect("its own")
    }

    fn ends() -> &'static dyn Ends<Self> {
        let registered: &'static dyn Any = Self::registered_ends();
        *registered.downcast_ref().expect("its own")
    }

    fn delta(random: &mut Random) -> Delta<B, E> {
        Delta::random(random)
    }

    const DELTA_BYTES: usize = E::DIGESTED;

    fn store_delta(delta: &Delta<B, E>) -> Zeroizing<Vec<u8>> {
        delta.to_bytes()
    }

    fn load_delta(bytes: &[u8]) -> Option<Delta<B, E>> {
        Delta::from_bytes(bytes)
    }

    fn relates(delta: &Delta<B, E>, macs: &Shares<Mac<B, E>>, keys: &Shares<Key<E>>) -> bool {
        delta.relates(macs, keys)
    }
}

/// The facts of a setting, and the paces of this machine.
struct FieldFacts<B, E>(Calibrated, PhantomData<fn() -> (B, E)>);

impl<B: Field, E: MacField<B>> SettingFacts for FieldFacts<B, E> {
    fn name(&self) -> String {
        // Fields have one extension beside these, whose degree goes without saying.
        match E::degree() {
            2 if B::BITS >= 61 => format!("{}x2", B::name()),
            64 => format!("{}x64", B::name()),
            _ => B::name().into(),
        }
    }

    fn security(&self) -> u32 {
        if by_transcript::<E>() { 100 } else { 40 }
    }

    fn bound_by_size(&self) -> bool {
        true
    }

    fn non_interactive(&self) -> bool {
        by_transcript::<E>()
    }

    fn value_bytes(&self) -> f64 {
        B::bytes_of(8) as f64 / 8.0
    }

    fn degree(&self) -> u64 {
        E::degree().into()
    }

    fn paces(&self, arch: Arch) -> Vec<Pace> {
        self.0.paces(arch, || Over::<B, E>::calibrate(arch))
    }

    fn correlations(&self) -> Vec<Correlations> {
        FieldCorrelations::all::<B>().into_iter().map(Into::into).collect()
    }

    fn small(&self, commitments: u64) -> Option<Correlations> {
        if B::BITS == 1 {
            return (commitments <= Binary::SMALL_STATEMENT).then_some(Correlations::SOFTSPOKEN8);
        }
        if commitments <= DIRECT {
            return Some(Correlations::DIRECT);
        }
        (commitments <= TINY).then(|| Correlations::lpn(Over::<B, E>::sets().tiny))
    }

    fn usual(&self, correlations: Correlations) -> Pace {
        Over::<B, E>::usual_pace(FieldCorrelations::of::<B>(correlations))
    }

    fn waits(&self, correlations: Correlations, expected: u64) -> Waits {
        let params = match FieldCorrelations::of::<B>(correlations) {
            FieldCorrelations::SoftSpoken(_) => return Waits { setup: 2.0, window: cot::WINDOW as f64 },
            FieldCorrelations::Direct => return Waits::streaming(2.0),
            FieldCorrelations::Lpn(params) => params,
        };
        // Each set on the way has two exchanges of its own.
        let iterations = Over::<B, E>::sets().chain(params).len() as f64;
        let schedule = Schedule::over::<B>(params, E::degree() as usize);
        Waits::behind(4.0 + 2.5 * iterations, schedule.expecting(expected))
    }

    fn drawn_ahead(&self, correlations: Correlations) -> bool {
        correlations == Correlations::DIRECT
    }

    fn computational_bits(&self, correlations: Correlations, size: Size) -> u32 {
        let assumption = match FieldCorrelations::of::<B>(correlations) {
            FieldCorrelations::Lpn(target) => {
                let bits = |params: Params| params.tree_bits().min(params.security.into());
                Over::<B, E>::sets().chain(target).into_iter().map(bits).fold(f64::INFINITY, f64::min)
            }
            FieldCorrelations::SoftSpoken(_) | FieldCorrelations::Direct => f64::INFINITY,
        };
        // A transcript may be searched for a challenge under which errors cancel.
        let transcript =
            if by_transcript::<E>() { -(size.chances() * likeliest::<B, E>()).log2() } else { f64::INFINITY };
        let bits = GROUP_BITS.min(EXPANSION_BITS).min(Depth::Eight.security());
        bits.min(assumption).min(transcript) as u32
    }

    fn share_error(&self, correlations: Correlations, shares: u64) -> f64 {
        // And one guess passes what checks the trees.
        let trees = (-Depth::Eight.security()).exp2() + guess::<B, E>();
        FieldCorrelations::of::<B>(correlations).base_checks::<B>(shares) as f64 * base_error::<B, E>()
            + trees
    }

    fn share_traffic(&self, correlations: Correlations, shares: u64, expected: Option<u64>) -> [Carried; 2] {
        let correlations = FieldCorrelations::of::<B>(correlations);
        let (longest, next) = correlations.lengths();
        let (blocks, shares) = cover(shares, longest, &next);
        correlations.traffic::<B, E>(shares, blocks, expected)
    }
}

/// The ends of correlations over a setting, for either party.
struct FieldEnds;

impl<B: Field, E: MacField<B>> Ends<Over<B, E>> for FieldEnds
where
    Over<B, E>: Registered,
{
    fn prover_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<BoxedVole<Mac<B, E>>> {
        Ok(match FieldCorrelations::of::<B>(correlations) {
            FieldCorrelations::SoftSpoken(_) => unreachable!("over F_2"),
            FieldCorrelations::Direct => Box::new(direct::Prover::new(channel, arch, random)?),
            FieldCorrelations::Lpn(set) => {
                Box::new(extend::Prover::new(channel, arch, Over::<B, E>::sets(), set, random)?)
            }
        })
    }

    fn verifier_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        delta: &Delta<B, E>,
        random: &mut Random,
    ) -> Result<BoxedVole<Key<E>>> {
        Ok(match FieldCorrelations::of::<B>(correlations) {
            FieldCorrelations::SoftSpoken(_) => unreachable!("over F_2"),
            FieldCorrelations::Direct => Box::new(direct::Verifier::new(channel, arch, delta, random)?),
            FieldCorrelations::Lpn(set) => {
                Box::new(extend::Verifier::new(channel, arch, Over::<B, E>::sets(), set, delta, random)?)
            }
        })
    }
}

/// F_2 with MACs of 64 bits, in the place of the 128 of [`Binary`]: half the work and, straight from transfers,
/// half the traffic, at the security that the papers of this family ask for.
pub type ShortBinary = Over<F2, F64>;

impl Registered for ShortBinary {
    #[inline(never)]
    fn registered_facts() -> &'static dyn SettingFacts {
        static FACTS: FieldFacts<F2, F64> = FieldFacts(Calibrated::new(), PhantomData);
        &FACTS
    }

    #[inline(never)]
    fn registered_clear() -> &'static (dyn Any + Sync) {
        Binary::registered_clear()
    }

    #[inline(never)]
    fn registered_ends() -> &'static (dyn Any + Sync) {
        static ENDS: &dyn Ends<ShortBinary> = &ShortEnds;
        &ENDS
    }
}

/// The ends of correlations over F_2 with MACs of 64 bits, for either party.
struct ShortEnds;

impl Ends<ShortBinary> for ShortEnds {
    fn prover_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<BoxedVole<Mac<F2, F64>>> {
        Ok(match FieldCorrelations::of::<F2>(correlations) {
            FieldCorrelations::SoftSpoken(depth) => {
                Box::new(cot::Prover::<Mac<F2, F64>>::new(channel, arch, depth, random)?)
            }
            FieldCorrelations::Direct => unreachable!("over other fields"),
            FieldCorrelations::Lpn(set) => Box::new(extend::Prover::of_bits(channel, arch, set, random)?),
        })
    }

    fn verifier_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        delta: &Delta<F2, F64>,
        random: &mut Random,
    ) -> Result<BoxedVole<Key<F64>>> {
        Ok(match FieldCorrelations::of::<F2>(correlations) {
            FieldCorrelations::SoftSpoken(depth) => {
                Box::new(cot::Verifier::short(channel, arch, depth, delta, random)?)
            }
            FieldCorrelations::Direct => unreachable!("over other fields"),
            FieldCorrelations::Lpn(set) => {
                Box::new(extend::Verifier::of_bits(channel, arch, set, delta, random)?)
            }
        })
    }
}
