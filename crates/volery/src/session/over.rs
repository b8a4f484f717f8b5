//! Sessions over any field but F_2.

use super::any::{Joined, WithBits};
use super::binary::{EXPANSION_BITS, GROUP_BITS};
use super::calibration::{Calibrated, Output, nanoseconds, row};
use super::correlations::{Correlations, Pace, Waits};
use super::facts::SettingFacts;
use super::limbo::Limbo;
use super::quicksilver::{Quicksilver, QuicksilverOver};
use super::setting::{Compiled, Registered, Setting};
use super::wolverine::Wolverine;
use super::{Estimate, ProofSystem};
use crate::channel::{Carried, Channel};
use crate::circuit::{FieldRelation, Shape, Size};
use crate::error::Result;
use crate::ot::softspoken::Depth;
use crate::random::Random;
use crate::vole::extend::Schedule;
use crate::vole::lpn::{Params, Sets, TILE};
use crate::vole::subfield::sample::Elements;
use crate::vole::subfield::{Delta, Key, base_error, direct, extend, guess, likeliest};
use crate::vole::{BoxedVole, Shares, vope};
use crate::zk::limbo;
use crate::zk::quicksilver::{self, arithmetic, degree_of_check, early_ends};
use crate::zk::{FieldMacs, by_transcript};
use core::any::Any;
use core::hint::black_box;
use core::marker::PhantomData;
use volery_primitives::{Arch, F61, Field, MacField, Tagged, with_fields};
use zeroize::Zeroizing;

/// The sources of shares over other fields than F_2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldCorrelations {
    /// Straight from oblivious transfers: for the smallest statements.
    Direct,
    /// The LPN extension with this set, one of those of the field.
    Lpn(Params),
}

impl From<FieldCorrelations> for Correlations {
    fn from(correlations: FieldCorrelations) -> Self {
        match correlations {
            FieldCorrelations::Direct => Self::DIRECT,
            FieldCorrelations::Lpn(set) => Self::lpn(set),
        }
    }
}

impl FieldCorrelations {
    /// The source that is called so over `B`.
    pub(super) fn of<B: Field>(correlations: Correlations) -> Self {
        if correlations == Correlations::DIRECT {
            return Self::Direct;
        }
        let named = |set: &Params| Correlations::lpn(*set) == correlations;
        Self::Lpn(Sets::of::<B>().all().into_iter().find(named).expect("correlations of this setting"))
    }
}

/// The field `B`, with MACs in its extension `E`.
pub struct Over<B, E = B>(PhantomData<(B, E)>);

/// Up to so many commitments a statement takes its shares straight from transfers: their traffic is then less
/// than that of the first sets.
const DIRECT: u64 = 2048;
/// Up to so many `tiny` is enough, and sends the least in all.
const TINY: u64 = 200_000;

impl<B: Field, E: MacField<B>> Over<B, E> {
    pub(super) fn sets() -> Sets {
        Sets::of::<B>()
    }

    /// The sources of shares, those with the most traffic first.
    fn sources() -> Vec<FieldCorrelations> {
        let Sets { tiny, l2, mid, wan, .. } = Self::sets();
        let sets = [tiny, l2, mid, wan].map(FieldCorrelations::Lpn);
        [FieldCorrelations::Direct].into_iter().chain(sets).collect()
    }

    /// The work of a share and its gate, and of the set-up, as measured with VAES-512 over 2^61 − 1: only the
    /// order matters.
    fn usual_pace(correlations: FieldCorrelations) -> Pace {
        let FieldCorrelations::Lpn(params) = correlations else { return DIRECT_PACE };
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
        let (degree, tile) = (E::DEGREE as usize, TILE as f64);
        let transfer = row(arch, Depth::Eight);
        let triples = vec![[Tagged { value: B::ONE, mac: E::ONE }; 3]; TILE];
        let (mut constant, mut linear) = (vec![E::ZERO; TILE], vec![E::ZERO; TILE]);
        // A gate is evaluated, its slots are filled and weighed: about as long again as the latter takes.
        let gate = 2.0 * nanoseconds(|| E::products(arch, black_box(&triples), &mut constant, &mut linear));
        let outputs = Self::sets().all().map(|set| (set, Output::of(Elements::<B, E>::new(arch, set))));
        let pace = |correlations: FieldCorrelations| {
            let FieldCorrelations::Lpn(params) = correlations else { return DIRECT_PACE };
            let of = |set: Params| outputs.iter().find(|(all, _)| *all == set).expect("one of the sets").1;
            let transfers = |set: Params| transfer * (set.trees * set.depth) as f64;
            let share = of(params).share(params, Schedule::over(params, degree))
                + transfers(params) / params.outputs() as f64;
            let chain = Self::sets().chain(params);
            let fixed = chain.iter().map(|set| of(*set).fixed * set.outputs() as f64 + transfers(*set));
            let drawn = chain.windows(2).map(|pair| of(pair[0]).drawn * pair[1].consumed_over(degree) as f64);
            Pace::of(share + gate / tile, fixed.sum::<f64>() + drawn.sum::<f64>())
        };
        Self::sources().into_iter().map(pace).collect()
    }
}

/// Compiles the systems over such settings, and both ends of their correlations, in this crate.
macro_rules! register {
    ($($values:ident: $($macs:ident)+;)+) => {$($(
        impl Registered for Over<volery_primitives::$values, volery_primitives::$macs> {
            const MONOMORPHIC: bool = beyond!(monomorphic: $values $macs);

            #[inline(never)]
            fn with_bits() -> Option<&'static dyn WithBits> {
                beyond!(with bits: $values $macs)
            }

            #[inline(never)]
            fn registered_facts() -> &'static dyn SettingFacts {
                static FACTS: FieldFacts<volery_primitives::$values, volery_primitives::$macs> =
                    FieldFacts(Calibrated::new(), PhantomData);
                &FACTS
            }

            // What is inlined elsewhere would be compiled there, with all systems.
            #[inline(never)]
            fn registered() -> &'static (dyn Any + Sync) {
                static FIELD: OverFields<Over<volery_primitives::$values, volery_primitives::$macs>> =
                    OverFields(beyond!(systems: $values $macs));
                static COMPILED: &dyn Compiled<Over<volery_primitives::$values, volery_primitives::$macs>> =
                    &FIELD;
                &COMPILED
            }
        }
    )+)+};
}

/// Parts of some settings beyond QuickSilver over streams of gates. [`System`](super::System) says of which
/// systems, by name.
macro_rules! beyond {
    (monomorphic: F61 F61) => {
        true
    };
    (monomorphic: $values:ident $macs:ident) => {
        false
    };
    (with bits: F61 $macs:ident) => {
        Some(&Joined::<F61, volery_primitives::$macs>(PhantomData))
    };
    (with bits: $values:ident $macs:ident) => {
        None
    };
    (systems: F61 $macs:ident) => {
        beyond!(by [Quicksilver, Limbo, Wolverine] over F61 $macs)
    };
    (systems: F65537 $macs:ident) => {
        beyond!(by [Quicksilver, Limbo, Wolverine] over F65537 $macs)
    };
    (systems: Q32 $macs:ident) => {
        beyond!(by [Quicksilver, Wolverine] over Q32 $macs)
    };
    (systems: $values:ident $macs:ident) => {
        beyond!(by [Quicksilver] over $values $macs)
    };
    (by [$($system:ident),+] over $values:ident $macs:ident) => {
        &[$(&$system::<Over<volery_primitives::$values, volery_primitives::$macs>>::OVER),+]
    };
}

with_fields!(register);
// It is named by its prime, which is chosen thereby.
register!(RuntimePrime: RuntimePrimex4;);

impl<B: Field, E: MacField<B>> Setting for Over<B, E>
where
    Self: Registered,
{
    type F = B;
    type Program = FieldRelation<B>;
    type Parties = limbo::Elements<B, E>;
    type Delta = Delta<B, E>;
    type Mac = Tagged<B, E>;
    type Key = Key<E>;
    type Macs = FieldMacs<B, E>;

    const MONOMORPHIC: bool = <Self as Registered>::MONOMORPHIC;

    fn with_bits() -> Option<&'static dyn WithBits> {
        <Self as Registered>::with_bits()
    }

    fn facts() -> &'static dyn SettingFacts {
        Self::registered_facts()
    }

    fn compiled() -> &'static dyn Compiled<Self> {
        let registered: &'static dyn Any = Self::registered();
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

    fn relates(delta: &Delta<B, E>, macs: &Shares<Tagged<B, E>>, keys: &Shares<Key<E>>) -> bool {
        delta.relates(macs, keys)
    }
}

/// The facts of a setting, and the paces of this machine.
struct FieldFacts<B, E>(Calibrated, PhantomData<fn() -> (B, E)>);

impl<B: Field, E: MacField<B>> SettingFacts for FieldFacts<B, E> {
    fn name(&self) -> String {
        // Other fields have one extension, whose degree goes without saying.
        match E::DEGREE {
            2 if B::BITS >= 61 => format!("{}x2", B::name()),
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
        B::BYTES as f64
    }

    fn degree(&self) -> u64 {
        E::DEGREE.into()
    }

    fn size(&self, shape: &Shape) -> Size {
        quicksilver::size::<FieldMacs<B, E>>(shape)
    }

    fn paces(&self, arch: Arch) -> Vec<Pace> {
        self.0.paces(arch, || Over::<B, E>::calibrate(arch))
    }

    fn correlations(&self) -> Vec<Correlations> {
        Over::<B, E>::sources().into_iter().map(Into::into).collect()
    }

    fn small(&self, commitments: u64) -> Option<Correlations> {
        if commitments <= DIRECT {
            return Some(Correlations::DIRECT);
        }
        (commitments <= TINY).then(|| Correlations::lpn(Over::<B, E>::sets().tiny))
    }

    fn usual(&self, correlations: Correlations) -> Pace {
        Over::<B, E>::usual_pace(FieldCorrelations::of::<B>(correlations))
    }

    fn waits(&self, correlations: Correlations, expected: u64) -> Waits {
        let FieldCorrelations::Lpn(params) = FieldCorrelations::of::<B>(correlations) else {
            return Waits::streaming(2.0);
        };
        // Each set on the way has two exchanges of its own.
        let iterations = Over::<B, E>::sets().chain(params).len() as f64;
        let schedule = Schedule::over(params, E::DEGREE as usize);
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
            FieldCorrelations::Direct => f64::INFINITY,
        };
        // A transcript may be searched for a challenge under which errors cancel.
        let transcript =
            if by_transcript::<E>() { -(size.chances() * likeliest::<B, E>()).log2() } else { f64::INFINITY };
        let bits = GROUP_BITS.min(EXPANSION_BITS).min(Depth::Eight.security());
        bits.min(assumption).min(transcript) as u32
    }

    fn statistical_bits(&self, correlations: Correlations, size: Size) -> u32 {
        match FieldCorrelations::of::<B>(correlations) {
            // Each block has a check of its own, whether it ends early or is for masks.
            FieldCorrelations::Direct => {
                let lines = vope::lines(degree_of_check(size.degree) - 1);
                let masks = lines.div_ceil(direct::SHORTEST / E::DEGREE as usize) as u64;
                let blocks = size.commitments.div_ceil(direct::SHORTEST as u64) + early_ends(size) + masks;
                arithmetic::security::<B, E>(size, direct::SHORTEST, blocks)
            }
            FieldCorrelations::Lpn(_) => arithmetic::security::<B, E>(size, TILE, 1),
        }
    }

    fn share_error(&self, correlations: Correlations, shares: u64) -> f64 {
        // Straight from transfers, each block has a check of its own.
        let checks =
            if correlations == Correlations::DIRECT { shares.div_ceil(direct::SHORTEST as u64) } else { 1 };
        // And one guess passes what checks the trees.
        let trees = (-Depth::Eight.security()).exp2() + guess::<B, E>();
        checks as f64 * base_error::<B, E>() + trees
    }

    fn share_traffic(&self, correlations: Correlations, shares: u64, expected: Option<u64>) -> [Carried; 2] {
        Over::<B, E>::traffic_of_shares(FieldCorrelations::of::<B>(correlations), shares, expected)
    }

    fn traffic(&self, correlations: Correlations, size: Size, expected: Option<u64>) -> Estimate {
        Over::<B, E>::traffic_expecting(FieldCorrelations::of::<B>(correlations), size, expected)
    }
}

/// The systems and functions that are compiled for `S`.
struct OverFields<S: Setting>(&'static [&'static dyn ProofSystem<S::F>]);

impl<B: Field, E: MacField<B>> Compiled<Over<B, E>> for OverFields<Over<B, E>>
where
    Over<B, E>: Registered,
{
    fn systems(&self) -> &'static [&'static dyn ProofSystem<B>] {
        self.0
    }

    fn quicksilver(&self) -> &'static dyn QuicksilverOver<Over<B, E>> {
        &Quicksilver::OVER
    }

    fn prover_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<BoxedVole<Tagged<B, E>>> {
        Ok(match FieldCorrelations::of::<B>(correlations) {
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
            FieldCorrelations::Direct => Box::new(direct::Verifier::new(channel, arch, delta, random)?),
            FieldCorrelations::Lpn(set) => {
                Box::new(extend::Verifier::new(channel, arch, Over::<B, E>::sets(), set, delta, random)?)
            }
        })
    }
}
