//! QuickSilver, as a session sees it.

use super::correlated::{ProverEnd, VerifierEnd};
use super::{
    ForProver, ForVerifier, Options, ProofSystem, ProvesMany, Report, Reread, Setting, System, VerifiesMany,
};
use crate::channel::Channel;
use crate::error::Result;
use crate::zk::Accepted;

/// [`crate::zk::quicksilver`].
pub(super) struct QuickSilver;

impl<S: Setting> ProofSystem<S> for QuickSilver {
    fn system(&self) -> System {
        System::QUICKSILVER
    }

    fn prove(
        &self,
        statement: ForProver<'_, S>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        ProverEnd::new(channel, options.clone()).prove(statement, witness)
    }

    fn verify(
        &self,
        statement: ForVerifier<'_, S>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        VerifierEnd::new(channel, options.clone()).verify(statement)
    }

    fn prove_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn ProvesMany<S> + 'c>> {
        Some(Box::new(ProverEnd::new(channel, options)))
    }

    fn verify_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn VerifiesMany<S> + 'c>> {
        Some(Box::new(VerifierEnd::new(channel, options)))
    }
}
