//! Sessions over any field but F_2.

use super::binary::{EXPANSION_BITS, GROUP_BITS};
use super::correlated::{QUICKSILVER, WOLVERINE};
use super::correlations::{Correlations, Cost, Use};
use super::limbo::Limbo;
use super::setting::{Registered, Setting};
use super::{ForProver, ForVerifier, ProofSystem, Stream};
use crate::channel::{Carried, Channel};
use crate::circuit::Size;
use crate::error::Result;
use crate::ot::softspoken::Depth;
use crate::random::Random;
use crate::vole::lpn::{Params, Sets, TILE};
use crate::vole::subfield::{Delta, Key, base_error, direct, extend, guess, likeliest};
use crate::vole::{BoxedVole, Shares, vope};
use crate::zk::limbo::Elements;
use crate::zk::quicksilver::arithmetic::{self, Prover, Verifier};
use crate::zk::quicksilver::{degree_of_check, early_ends};
use crate::zk::wolverine::FieldMacs;
use crate::zk::{Accepted, Gates, by_transcript};
use core::any::Any;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU64;
use volery_primitives::{
    Arch, F61, F61x2, F128, F256, F65537, F65537x4, Field, Goldilocks, Goldilocksx2, MacField, Q32, Q32x2,
    Tagged,
};

/// Where shares over other fields than F_2 come from.
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

    fn cost(correlations: FieldCorrelations) -> Cost {
        let field = 8.0 * B::BYTES as f64;
        let direct = Cost {
            value: field,
            by_prover: field * f64::from(E::DEGREE * B::BITS),
            by_verifier: 0.0,
            nanoseconds: 1e3,
            setup_bytes: 0.0,
            setup_nanoseconds: 0.0,
        };
        let FieldCorrelations::Lpn(params) = correlations else { return direct };
        let corrections =
            |set: Params| (set.trees * (16 * (set.depth - 1) + 3 * E::BYTES + 2 * set.depth)) as f64;
        let shares = (params.outputs() - params.consumed_over(E::DEGREE as usize)) as f64;
        // The set-up runs through all sets on the way.
        let chain = Self::sets().chain(params);
        Cost {
            // Corrections of trees go one way, those of gates the other.
            value: field,
            by_prover: 0.0,
            by_verifier: 8.0 * corrections(params) / shares,
            // The more of its outputs a set consumes and the larger its table, the more work for each.
            nanoseconds: match params.depth {
                ..=6 => 38.0,
                7..=8 => 27.0,
                9..=10 => 25.0,
                _ => 45.0,
            },
            setup_bytes: direct.by_prover * chain[0].consumed_over(E::DEGREE as usize) as f64 / 8.0
                + chain.iter().map(|set| corrections(*set)).sum::<f64>(),
            setup_nanoseconds: chain.iter().map(|set| 8.0 * set.outputs() as f64).sum(),
        }
    }
}

/// What this crate compiles for `Over<B, E>`, whoever uses it.
struct Compiled<B: Field, E: MacField<B>>
where
    Over<B, E>: Registered,
{
    systems: [&'static dyn ProofSystem<Over<B, E>>; 3],
    prover_end: ProverEnd<Tagged<B, E>>,
    verifier_end: VerifierEnd<Delta<B, E>, Key<E>>,
    prove_by_quicksilver: ProveByQuickSilver<Over<B, E>>,
    verify_by_quicksilver: VerifyByQuickSilver<Over<B, E>>,
}

/// As [`Setting::prover_end`].
type ProverEnd<M> = fn(FieldCorrelations, &mut Channel, Arch, &mut Random) -> Result<BoxedVole<M>>;
/// As [`Setting::verifier_end`].
type VerifierEnd<D, K> = fn(FieldCorrelations, &mut Channel, Arch, &D, &mut Random) -> Result<BoxedVole<K>>;

/// As [`Setting::prove_by_quicksilver`].
type ProveByQuickSilver<S> = fn(
    &mut Channel,
    BoxedVole<<S as Setting>::Mac>,
    Arch,
    Stream<'_, <S as Setting>::F>,
    Option<&AtomicU64>,
    &ForProver<'_, S>,
) -> Result<(Gates, BoxedVole<<S as Setting>::Mac>)>;
/// As [`Setting::verify_by_quicksilver`].
type VerifyByQuickSilver<S> = fn(
    &mut Channel,
    BoxedVole<<S as Setting>::Key>,
    Arch,
    (&<S as Setting>::Delta, &mut Random),
    Option<&AtomicU64>,
    &ForVerifier<'_, S>,
) -> Result<(Accepted, Gates, BoxedVole<<S as Setting>::Key>)>;

/// Compiles the systems over such settings, and both ends of their correlations, in this crate.
macro_rules! register {
    ($($values:ty, $macs:ty, monomorphic: $monomorphic:literal);*) => {
        $(impl Registered for Over<$values, $macs> {
            const MONOMORPHIC: bool = $monomorphic;

            // What is inlined elsewhere would be compiled there, with all systems.
            #[inline(never)]
            fn registered() -> &'static (dyn Any + Sync) {
                static COMPILED: Compiled<$values, $macs> = Compiled {
                    systems: [&QUICKSILVER, &Limbo, &WOLVERINE],
                    prover_end: prover_end::<$values, $macs>,
                    verifier_end: verifier_end::<$values, $macs>,
                    prove_by_quicksilver: prove_by_quicksilver::<$values, $macs>,
                    verify_by_quicksilver: verify_by_quicksilver::<$values, $macs>,
                };
                &COMPILED
            }
        })*
    };
}

register!(
    F61, F61, monomorphic: true;
    F61, F61x2, monomorphic: false;
    Goldilocks, Goldilocks, monomorphic: false;
    Goldilocks, Goldilocksx2, monomorphic: false;
    Q32, Q32x2, monomorphic: false;
    F65537, F65537x4, monomorphic: false;
    F256, F128, monomorphic: false
);

impl<B: Field, E: MacField<B>> Over<B, E>
where
    Self: Registered,
{
    fn compiled() -> &'static Compiled<B, E> {
        let registered: &'static dyn Any = Self::registered();
        registered.downcast_ref().expect("its own")
    }
}

impl<B: Field, E: MacField<B>> Setting for Over<B, E>
where
    Self: Registered,
{
    type F = B;
    type Prover<'a> = Prover<'a, B, E>;
    type Verifier<'a> = Verifier<'a, B, E>;
    type Parties = Elements<B, E>;
    type Delta = Delta<B, E>;
    type Mac = Tagged<B, E>;
    type Key = Key<E>;
    type Macs = FieldMacs<B, E>;
    type Correlations = FieldCorrelations;

    const SECURITY: u32 = if by_transcript::<E>() { 100 } else { 40 };
    const BOUND_BY_SIZE: bool = true;
    const NON_INTERACTIVE: bool = by_transcript::<E>();
    const MONOMORPHIC: bool = <Self as Registered>::MONOMORPHIC;

    fn systems() -> &'static [&'static dyn ProofSystem<Self>] {
        &Self::compiled().systems
    }

    fn name() -> String {
        // Small fields have one extension, whose degree goes without saying.
        match E::DEGREE {
            2.. if B::BITS >= 61 => format!("{}x{}", B::NAME, E::DEGREE),
            _ => B::NAME.into(),
        }
    }

    fn correlations() -> Vec<FieldCorrelations> {
        let Sets { tiny, l2, mid, wan, .. } = Self::sets();
        let sets = [tiny, l2, mid, wan].map(FieldCorrelations::Lpn);
        [FieldCorrelations::Direct].into_iter().chain(sets).collect()
    }

    fn small(commitments: u64) -> Option<FieldCorrelations> {
        if commitments <= DIRECT {
            return Some(FieldCorrelations::Direct);
        }
        (commitments <= TINY).then(|| FieldCorrelations::Lpn(Self::sets().tiny))
    }

    fn fastest(shares: u64, purpose: Use, bandwidth: f64) -> FieldCorrelations {
        Cost::fastest(&Self::correlations(), Self::cost, (shares, purpose), bandwidth)
    }

    fn drawn_ahead(correlations: FieldCorrelations) -> bool {
        correlations == FieldCorrelations::Direct
    }

    fn computational_bits(correlations: FieldCorrelations) -> u32 {
        let assumption = match correlations {
            FieldCorrelations::Lpn(target) => {
                let bits = |params: Params| params.tree_bits().min(params.security.into());
                Self::sets().chain(target).into_iter().map(bits).fold(f64::INFINITY, f64::min)
            }
            FieldCorrelations::Direct => f64::INFINITY,
        };
        // A transcript may be searched for a challenge under which errors cancel; a product of
        // matrices has two chances.
        let transcript =
            if Self::NON_INTERACTIVE { -(2.0 * likeliest::<B, E>()).log2() } else { f64::INFINITY };
        let bits = GROUP_BITS.min(EXPANSION_BITS).min(Depth::Eight.security());
        bits.min(assumption).min(transcript) as u32
    }

    fn statistical_bits(correlations: FieldCorrelations, size: Size) -> u32 {
        match correlations {
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

    fn share_error(correlations: FieldCorrelations, shares: u64) -> f64 {
        // Straight from transfers, each block has a check of its own.
        let checks = if correlations == FieldCorrelations::Direct {
            shares.div_ceil(direct::SHORTEST as u64)
        } else {
            1
        };
        // And one guess passes what checks the trees.
        let trees = (-Depth::Eight.security()).exp2() + guess::<B, E>();
        checks as f64 * base_error::<B, E>() + trees
    }

    fn share_traffic(correlations: FieldCorrelations, shares: u64) -> [Carried; 2] {
        Self::traffic_of_shares(correlations, shares)
    }

    fn delta(random: &mut Random) -> Delta<B, E> {
        Delta::random(random)
    }

    fn relates(delta: &Delta<B, E>, macs: &Shares<Tagged<B, E>>, keys: &Shares<Key<E>>) -> bool {
        delta.relates(macs, keys)
    }

    fn prover_end(
        correlations: FieldCorrelations,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<BoxedVole<Tagged<B, E>>> {
        (Self::compiled().prover_end)(correlations, channel, arch, random)
    }

    fn verifier_end(
        correlations: FieldCorrelations,
        channel: &mut Channel,
        arch: Arch,
        delta: &Delta<B, E>,
        random: &mut Random,
    ) -> Result<BoxedVole<Key<E>>> {
        (Self::compiled().verifier_end)(correlations, channel, arch, delta, random)
    }

    fn prove_by_quicksilver(
        channel: &mut Channel,
        vole: BoxedVole<Tagged<B, E>>,
        arch: Arch,
        witness: Stream<'_, B>,
        progress: Option<&AtomicU64>,
        statement: &ForProver<'_, Self>,
    ) -> Result<(Gates, BoxedVole<Tagged<B, E>>)> {
        (Self::compiled().prove_by_quicksilver)(channel, vole, arch, witness, progress, statement)
    }

    fn verify_by_quicksilver(
        channel: &mut Channel,
        vole: BoxedVole<Key<E>>,
        arch: Arch,
        secrets: (&Delta<B, E>, &mut Random),
        progress: Option<&AtomicU64>,
        statement: &ForVerifier<'_, Self>,
    ) -> Result<(Accepted, Gates, BoxedVole<Key<E>>)> {
        (Self::compiled().verify_by_quicksilver)(channel, vole, arch, secrets, progress, statement)
    }
}

/// As [`Setting::prove_by_quicksilver`].
fn prove_by_quicksilver<B: Field, E: MacField<B>>(
    channel: &mut Channel,
    vole: BoxedVole<Tagged<B, E>>,
    arch: Arch,
    witness: Stream<'_, B>,
    progress: Option<&AtomicU64>,
    statement: &ForProver<'_, Over<B, E>>,
) -> Result<(Gates, BoxedVole<Tagged<B, E>>)>
where
    Over<B, E>: Registered,
{
    let mut prover = Prover::new(channel, vole, arch, witness).report_to(progress);
    statement.push(&mut prover)?;
    prover.finish()
}

/// As [`Setting::verify_by_quicksilver`].
fn verify_by_quicksilver<B: Field, E: MacField<B>>(
    channel: &mut Channel,
    vole: BoxedVole<Key<E>>,
    arch: Arch,
    (delta, random): (&Delta<B, E>, &mut Random),
    progress: Option<&AtomicU64>,
    statement: &ForVerifier<'_, Over<B, E>>,
) -> Result<(Accepted, Gates, BoxedVole<Key<E>>)>
where
    Over<B, E>: Registered,
{
    let mut verifier = Verifier::new(channel, vole, arch, delta, random).report_to(progress);
    statement.push(&mut verifier)?;
    verifier.finish()
}

/// As [`Setting::prover_end`].
fn prover_end<B: Field, E: MacField<B>>(
    correlations: FieldCorrelations,
    channel: &mut Channel,
    arch: Arch,
    random: &mut Random,
) -> Result<BoxedVole<Tagged<B, E>>> {
    Ok(match correlations {
        FieldCorrelations::Direct => Box::new(direct::Prover::new(channel, arch, random)?),
        FieldCorrelations::Lpn(set) => {
            Box::new(extend::Prover::new(channel, arch, Over::<B, E>::sets(), set, random)?)
        }
    })
}

/// As [`Setting::verifier_end`].
fn verifier_end<B: Field, E: MacField<B>>(
    correlations: FieldCorrelations,
    channel: &mut Channel,
    arch: Arch,
    delta: &Delta<B, E>,
    random: &mut Random,
) -> Result<BoxedVole<Key<E>>> {
    Ok(match correlations {
        FieldCorrelations::Direct => Box::new(direct::Verifier::new(channel, arch, delta, random)?),
        FieldCorrelations::Lpn(set) => {
            Box::new(extend::Verifier::new(channel, arch, Over::<B, E>::sets(), set, delta, random)?)
        }
    })
}
