//! The prover.

use super::Terms;
use super::garbling::{self, Which};
use crate::garble::exchange::answer;
use crate::garble::material::{Held, PIECE};
use crate::garble::privacy_free::{Evaluator, Garbler, Inputs};
use crate::garble::{Key, Session};
use subtle::{Choice, ConstantTimeEq};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::{Clause, Clauses};
use volery_primitives::{F2, F128, Field};
use volery_vole::ot::committing;
use zeroize::Zeroizing;

/// A prover whose choices are made.
pub struct Prover<'a> {
    pub(super) terms: Terms<'a>,
    pub(super) session: Session,
    pub(super) chosen: usize,
    /// The values of the chosen clause's inputs, with zeros behind them.
    pub(super) values: Zeroizing<Vec<F2>>,
    pub(super) transfers: committing::Receiver,
}

impl<'a> Prover<'a> {
    /// Takes steps 1 and 2, for clause number `chosen` with `values` for its inputs, witness and hints in
    /// their order.
    ///
    /// # Errors
    /// `Misbehaved` where the verifier breaks the transfers; link errors.
    ///
    /// # Panics
    /// Where there is no such clause, or it has another number of inputs.
    pub fn new(
        channel: &mut Channel,
        terms: Terms<'a>,
        (chosen, values): (usize, &[F2]),
        random: &mut Random,
    ) -> Result<Self> {
        terms.check()?;
        assert_eq!(values.len() as u64, terms.shapes[chosen].inputs_by_gates());
        let session = terms.session(channel);
        let mut padded = Zeroizing::new(vec![F2::ZERO; terms.inputs()]);
        padded[..values.len()].copy_from_slice(values);
        let count = terms.seeds.transfers(terms.clauses()) + terms.inputs();
        // Of its full length from the beginning: what grows leaves copies behind.
        let mut choices = Zeroizing::new(Vec::with_capacity(count));
        choices.extend(terms.seeds.choices(terms.clauses(), chosen));
        choices.extend(padded.iter());
        let transfers = committing::Receiver::new(channel, terms.arch, choices, random)?;
        Ok(Self { terms, session, chosen, values: padded, transfers })
    }

    /// Takes steps 3 to 6: proves that one of `clauses` holds.
    ///
    /// # Errors
    /// `Misbehaved` where the verifier garbled something else; link errors.
    pub fn prove<C>(self, channel: &mut Channel, clauses: &C, random: &mut Random) -> Result<()>
    where
        C: for<'g> Clauses<Evaluator<'g>> + for<'g> Clauses<Garbler<'g>> + Sync,
    {
        let Self { terms, session, chosen, values, transfers } = self;
        // 3
        let mut salt = [F128::ZERO];
        channel.recv_words(&mut salt)?;
        let key = session.key(salt[0]);
        let (messages, received) = transfers.receive(channel)?;
        let (of_seeds, of_inputs) = messages.split_at(terms.seeds.transfers(terms.clauses()));
        let mut held = terms.seeds.take(&session, terms.clauses(), chosen, of_seeds);
        // Whatever was there for its own clause is no seed: what is made of it is thrown away.
        held.seeds[chosen] = random.word();
        let others = Which::AllBut(chosen);
        let mut stack = Zeroizing::new(vec![F128::ZERO; terms.material()]);
        let outputs = garbling::garble(&terms, &key, clauses, others, &held.seeds, &mut stack)?;
        let mut labels = Zeroizing::new(of_inputs.to_vec());
        let theirs = garbling::labels(&terms, &key, others, &held.seeds);
        for ((label, value), pair) in labels.iter_mut().zip(values.iter()).zip(theirs.iter()) {
            label.0 ^= pair[0].0 ^ (pair[0].0 ^ pair[1].0) & value.mask();
        }
        receive_onto(channel, &mut stack)?;
        let inputs = Inputs { labels: &labels, values: &values };
        let output = evaluate(&terms, &key, clauses, chosen, inputs, &stack)?;
        let output = outputs ^ output ^ held.retrieval;
        // 4, 5, 6
        answer(channel, &session.sid, output, random, |secret, opening| {
            let (held, mut pairs) = terms.seeds.offer(&session, secret, terms.clauses());
            pairs.extend(garbling::labels(&terms, &key, Which::All, &held.seeds).iter());
            let own = Which::Only(chosen);
            let expected = garbling::garble(&terms, &key, clauses, own, &held.seeds, &mut stack)?;
            Ok(secret.salt(&session).0.ct_eq(&salt[0].0)
                & received.were(&pairs, opening)
                & is_zero(&stack)
                & (outputs ^ expected ^ held.retrieval).0.ct_eq(&output.0))
        })
    }
}

/// Adds the material that the verifier sends.
fn receive_onto(channel: &mut Channel, stack: &mut [F128]) -> Result<()> {
    let mut received = [F128::ZERO; PIECE];
    for piece in stack.chunks_mut(PIECE) {
        let received = &mut received[..piece.len()];
        channel.recv_words(received)?;
        piece.iter_mut().zip(received).for_each(|(sum, block)| *sum ^= *block);
    }
    Ok(())
}

/// Evaluates the chosen clause, and all others in vain where work is fixed.
fn evaluate<C>(
    terms: &Terms,
    key: &Key,
    clauses: &C,
    chosen: usize,
    inputs: Inputs,
    stack: &[F128],
) -> Result<F128>
where
    C: for<'a> Clauses<Evaluator<'a>>,
{
    let mut output = F128::ZERO;
    for (clause, shape) in terms.shapes.iter().enumerate() {
        if clause != chosen && !terms.fixed_work {
            continue;
        }
        let (count, gates) = (shape.inputs_by_gates() as usize, shape.mul_by_gates());
        let inputs = Inputs { labels: &inputs.labels[..count], values: &inputs.values[..count] };
        let mut source = Held(&stack[..gates as usize]);
        let circuit = Clause::new(clauses, clause);
        let one =
            Evaluator::evaluate(key, clause, &circuit, inputs, (gates, &mut source), None, &Pool::ALONE)?;
        output.0 ^= one.0 & F2::from(clause == chosen).mask();
    }
    Ok(output)
}

/// Whether the stack holds nothing but zeros.
fn is_zero(stack: &[F128]) -> Choice {
    stack.iter().fold(0, |bits, block| bits | block.0).ct_eq(&0)
}
