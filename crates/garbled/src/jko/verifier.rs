//! The verifier.

use super::{Terms, pairs};
use crate::garble::exchange::open;
use crate::garble::material::Sending;
use crate::garble::privacy_free::Garbler;
use crate::garble::{Secret, Session};
use volery_channel::channel::Channel;
use volery_channel::error::{Rejection, Result};
use volery_channel::random::Random;
use volery_circuit::Circuit;
use volery_proof::verdict::Accepted;
use volery_vole::ot::committing;

/// A verifier whose prover has chosen.
pub struct Verifier<'a> {
    pub(super) terms: Terms<'a>,
    pub(super) session: Session,
    pub(super) transfers: committing::Sender,
}

impl<'a> Verifier<'a> {
    /// Takes steps 1 and 2.
    ///
    /// # Errors
    /// `Invalid` where the circuit asserts nothing or is too large; `Misbehaved` where the prover breaks the
    /// transfers; link errors.
    pub fn new(channel: &mut Channel, terms: Terms<'a>, random: &mut Random) -> Result<Self> {
        terms.check()?;
        let session = terms.session(channel);
        let transfers = committing::Sender::new(channel, terms.arch, terms.inputs(), random)?;
        Ok(Self { terms, session, transfers })
    }

    /// Takes steps 3 to 6: verifies that the prover has chosen inputs with which `circuit` holds.
    ///
    /// # Errors
    /// `Rejected` where the prover does not answer as it then could; link errors.
    pub fn verify<C>(self, channel: &mut Channel, circuit: &C, random: &mut Random) -> Result<Accepted>
    where
        C: for<'g> Circuit<Garbler<'g>>,
    {
        let Self { terms, session, transfers } = self;
        // 3
        let secret = Secret::random(random);
        let (seed, salt) = (secret.seed(&session, 0), secret.salt(&session));
        let key = session.key(salt);
        channel.send_words(&[salt])?;
        transfers.send(channel, &pairs(&key, seed, terms.inputs()))?;
        let pool = channel.pool().clone();
        let mut material = Sending(channel);
        let garbled = Garbler::garble(&key, (0, seed), circuit, &mut material, terms.progress, &pool)?;
        let output = garbled.of(terms.shape)?;
        // 4, 5, 6
        let answer = open(channel, &session.sid, (&secret, &transfers.open()), output)?;
        Accepted::only_if(answer.is_right(), Rejection::GarbledOutput)
    }
}
