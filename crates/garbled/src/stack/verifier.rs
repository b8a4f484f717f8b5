//! The verifier.

use super::Terms;
use super::garbling::{self, Which};
use crate::garble::exchange::open;
use crate::garble::material::PIECE;
use crate::garble::privacy_free::Garbler;
use crate::garble::{Secret, Session};
use volery_channel::channel::Channel;
use volery_channel::error::{Rejection, Result};
use volery_channel::random::Random;
use volery_circuit::Clauses;
use volery_primitives::{F128, Field};
use volery_proof::verdict::Accepted;
use volery_vole::ot::committing;
use zeroize::Zeroizing;

/// A verifier whose prover has chosen.
pub struct Verifier<'a> {
    pub(super) terms: Terms<'a>,
    pub(super) session: Session,
    pub(super) transfers: committing::Sender,
}

impl<'a> Verifier<'a> {
    /// Steps 1 and 2.
    ///
    /// # Errors
    /// `Invalid` where a clause asserts nothing; `Misbehaved` where the prover breaks the
    /// transfers; link errors.
    pub fn new(channel: &mut Channel, terms: Terms<'a>, random: &mut Random) -> Result<Self> {
        terms.check()?;
        let session = terms.session(channel);
        let count = terms.seeds.transfers(terms.clauses()) + terms.inputs();
        let transfers = committing::Sender::new(channel, terms.arch, count, random)?;
        Ok(Self { terms, session, transfers })
    }

    /// Steps 3 to 6: verifies that the prover has chosen inputs with which one of `clauses` holds.
    ///
    /// # Errors
    /// `Rejected` where the prover does not answer as it then could; link errors.
    pub fn verify<C>(self, channel: &mut Channel, clauses: &C, random: &mut Random) -> Result<Accepted>
    where
        C: for<'g> Clauses<Garbler<'g>> + Sync,
    {
        let Self { terms, session, transfers } = self;
        // 3
        let secret = Secret::random(random);
        let salt = secret.salt(&session);
        let key = session.key(salt);
        channel.send_words(&[salt])?;
        let (held, mut pairs) = terms.seeds.offer(&session, &secret, terms.clauses());
        pairs.extend(garbling::labels(&terms, &key, Which::All, &held.seeds).iter());
        transfers.send(channel, &pairs)?;
        // The prover garbles its clauses while this party does.
        channel.flush()?;
        let mut stack = Zeroizing::new(vec![F128::ZERO; terms.material()]);
        let outputs = garbling::garble(&terms, &key, clauses, Which::All, &held.seeds, &mut stack)?;
        stack.chunks(PIECE).try_for_each(|piece| channel.send_words(piece))?;
        // 4, 5, 6
        let answer = open(channel, &session.sid, (&secret, &transfers.open()), outputs ^ held.retrieval)?;
        Accepted::only_if(answer.is_right(), Rejection::GarbledOutput)
    }
}
