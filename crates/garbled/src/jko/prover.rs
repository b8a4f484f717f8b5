//! The prover.

use super::{Terms, pairs};
use crate::garble::Session;
use crate::garble::exchange::answer;
use crate::garble::material::{Digested, Receiving};
use crate::garble::privacy_free::{Evaluator, Garbler, Inputs};
use subtle::ConstantTimeEq;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_circuit::Circuit;
use volery_primitives::{F2, F128, Field};
use volery_vole::ot::committing;
use zeroize::Zeroizing;

/// A prover whose choices are made.
pub struct Prover<'a> {
    pub(super) terms: Terms<'a>,
    pub(super) session: Session,
    pub(super) values: Zeroizing<Vec<F2>>,
    pub(super) transfers: committing::Receiver,
}

impl<'a> Prover<'a> {
    /// Takes steps 1 and 2, with `values` for the inputs of a circuit, witness and hints in their order.
    ///
    /// # Errors
    /// `Invalid` where the circuit asserts nothing or is too large; `Misbehaved` where the verifier breaks
    /// the transfers; link errors.
    pub fn new(
        channel: &mut Channel,
        terms: Terms<'a>,
        values: Zeroizing<Vec<F2>>,
        random: &mut Random,
    ) -> Result<Self> {
        terms.check()?;
        let session = terms.session(channel);
        let transfers = committing::Receiver::new(channel, terms.arch, values.clone(), random)?;
        Ok(Self { terms, session, values, transfers })
    }

    /// Takes steps 3 to 6: proves `circuit`.
    ///
    /// # Errors
    /// `Misbehaved` where the verifier garbled something else; link errors.
    pub fn prove<C>(self, channel: &mut Channel, circuit: &C, random: &mut Random) -> Result<()>
    where
        C: for<'g> Circuit<Evaluator<'g>> + for<'g> Circuit<Garbler<'g>>,
    {
        let Self { terms, session, values, transfers } = self;
        // 3
        let mut salt = [F128::ZERO];
        channel.recv_words(&mut salt)?;
        let key = session.key(salt[0]);
        let (labels, received) = transfers.receive(channel)?;
        let pool = channel.pool().clone();
        let mut material = Receiving::new(channel);
        let inputs = Inputs { labels: &labels, values: &values };
        let source = (terms.shape.mul_by_gates(), &mut material as _);
        let output = Evaluator::evaluate(&key, 0, circuit, inputs, source, terms.progress, &pool)?;
        let digest = material.digest();
        // 4, 5, 6
        answer(channel, &session.sid, output, random, |secret, opening| {
            let seed = secret.seed(&session, 0);
            let mut again = Digested::new();
            let garbled = Garbler::garble(&key, (0, seed), circuit, &mut again, terms.progress, &pool)?;
            let expected = garbled.of(terms.shape)?;
            Ok(secret.salt(&session).0.ct_eq(&salt[0].0)
                & received.were(&pairs(&key, seed, values.len()), opening)
                & again.finish().ct_eq(&digest)
                & expected.0.ct_eq(&output.0))
        })
    }
}
