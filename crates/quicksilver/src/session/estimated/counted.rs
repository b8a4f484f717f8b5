//! Proofs by QuickSilver whose messages are counted.

use crate::session::Supported;
use crate::session::direct::{Proposition, Provable};
use crate::{KeyCommitments as _, ProverUnder};
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_circuit::accounting::Parameters;
use volery_primitives::Arch;
use volery_proof::correlations::Correlations;
use volery_proof::estimate::Estimate;
use volery_proof::testing::{Dealt, counted};
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::vole::BoxedVole;

/// Proves `statement` by QuickSilver, in epochs of a few accesses.
pub(super) fn prove<S: Supported>(
    channel: &mut Channel,
    vole: BoxedVole<S::Mac>,
    witness: Vec<S::F>,
    statement: &Proposition<'_, S>,
) -> Result<()> {
    let mut prover = ProverUnder::<S::Macs>::new(channel, vole, Arch::detect(), witness);
    prover.set_epochs(Parameters::SHORT);
    statement.push_to_prover(&mut prover)?;
    prover.finish().map(drop)
}

/// Verifies `statement` by QuickSilver, in such epochs.
pub(super) fn verify<S: Supported>(
    channel: &mut Channel,
    vole: BoxedVole<S::Key>,
    (delta, random): (&S::Delta, &mut Random),
    statement: &Proposition<'_, S>,
) -> Result<(Accepted, Gates)> {
    let mut verifier = S::Macs::verifier(channel, vole, Arch::detect(), delta, random);
    verifier.set_epochs(Parameters::SHORT);
    statement.push_to_verifier(&mut verifier)?;
    verifier.finish().map(|(accepted, gates, _)| (accepted, gates))
}

/// A proof of `circuit` by QuickSilver in epochs of a few accesses, and its gates.
pub(super) fn by_quicksilver<S: Dealt + Supported, C>(
    correlations: Correlations,
    circuit: &C,
    witness: Vec<S::F>,
) -> (Estimate, Gates)
where
    C: Provable<S> + Sync,
{
    counted::<S>(
        correlations,
        Carried::default(),
        |channel, vole| prove(channel, vole, witness, &Proposition::of(circuit)),
        |channel, vole, secrets| verify(channel, vole, secrets, &Proposition::of(circuit)),
    )
}
