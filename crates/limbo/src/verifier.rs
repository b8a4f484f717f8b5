//! The verifier.

use super::challenges::{Challenges, hidden};
use super::passes::Digests;
use super::shares::{Share, finish};
use super::tape::Tapes;
use super::transcript::VerifierTranscript;
use super::{Opening, Terms, final_digest, first_digest, read_elements};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;
use volery_channel::error::{Error, Rejection, Result};
use volery_primitives::CheckField;
use volery_primitives::secret::verdict;
use volery_proof::verdict::Accepted;
use volery_vole::commit::ggm::Tree;

/// The result of a run of the circuit: for each repetition the digests of its messages, and the shares of
/// each view, but for the rounds.
pub(super) type Seen<E> = (Vec<Digests>, Vec<Share<E>>);

/// The verifier's work at the gates.
pub(super) trait Statement<E: CheckField> {
    /// Receives the corrections while it runs the circuit on the views that it can follow.
    fn follow(
        &mut self,
        tapes: &[Tapes],
        challenges: &Challenges<E>,
        transcript: &mut dyn VerifierTranscript,
    ) -> Result<Seen<E>>;
}

/// A digest as it was received, and as it follows from the opening.
pub(super) type Compared = [[u8; 32]; 2];

/// Takes steps 2 to 8, and decides. Gives the time it took from the openings on: before them a verifier only
/// receives.
pub(super) fn verify<E: CheckField>(
    terms: &Terms,
    statement: &mut dyn Statement<E>,
    transcript: &mut dyn VerifierTranscript,
) -> Result<(Accepted, Duration)> {
    let ([first, last], work) = replay(terms, statement, transcript)?;
    let same = |[said, follows]: Compared| verdict(said.ct_eq(&follows));
    if !same(first) {
        return Err(Error::Rejected(Rejection::Views));
    }
    Ok((Accepted::only_if(same(last), Rejection::OpenedProducts)?, work))
}

/// Takes steps 2 to 8, and gives h_1 and h_3, each as received and as computed.
pub(super) fn replay<E: CheckField>(
    terms: &Terms,
    statement: &mut dyn Statement<E>,
    transcript: &mut dyn VerifierTranscript,
) -> Result<([Compared; 2], Duration)> {
    let parameters = terms.parameters;
    let (parties, repetitions) = (parameters.parties as usize, parameters.repetitions as usize);
    let depth = parties.ilog2() as usize;
    // 2
    let mut message = [0; 64];
    transcript.hear(&mut message)?;
    let [salt, first] = message.as_chunks::<32>().0 else { unreachable!("twice 32 bytes") };
    // 3
    let mut challenges = Challenges::new(&transcript.challenge()?, terms.groups());
    // 4
    let points = terms.points::<E>(|points| points);
    // For each round, those of all repetitions.
    let mut injected: Vec<Vec<E>> = vec![];
    for points in &points {
        let mut message = vec![0; repetitions * points.injected() * E::ENCODED];
        transcript.hear(&mut message)?;
        injected.push(read_elements(&message)?);
        challenges.push(&transcript.challenge()?, points);
    }
    // 5
    let mut last = [0; 32];
    transcript.hear(&mut last)?;
    // 6
    let hidden = hidden(&transcript.challenge()?, parties, repetitions);
    // 7
    let length = Opening::<E>::bytes(depth, terms.last_length());
    let mut message = vec![0; repetitions * length];
    transcript.hear(&mut message)?;
    let started = Instant::now();
    let openings: Vec<Opening<E>> = message
        .chunks_exact(length)
        .map(|bytes| Opening::read(bytes, depth, terms.last_length()))
        .collect::<Result<_>>()?;
    let tapes: Vec<Tapes> = openings
        .iter()
        .zip(&hidden)
        .enumerate()
        .map(|(e, (opening, &hidden))| {
            let tree = Tree::new(*salt, e);
            let leaves = tree.opened(&opening.siblings, hidden as u64);
            let mut tapes = Tapes::new(terms.arch, terms.aggregation, &tree, &leaves, Some(hidden));
            tapes.commitments[hidden] = opening.commitment;
            tapes
        })
        .collect();
    // 8
    let (said, mut shares) = statement.follow(&tapes, &challenges, transcript)?;
    let first = [*first, first_digest(&tapes, &said)];
    let count = terms.check_elements();
    let views = terms.views();
    for (e, (shares, opening)) in shares.chunks_mut(views).zip(&openings).enumerate() {
        let (tape, _) = tapes[e].elements::<E>(count);
        let product: E = opening.sides[0].iter().zip(&opening.sides[1]).map(|(&f, &g)| f * g).sum();
        for (view, share) in shares.iter_mut().enumerate() {
            let complement = tapes[e].complement(view);
            let mut tape = tape[view * count..(view + 1) * count].to_vec();
            if complement {
                let mut at = 0;
                for (points, injected) in points.iter().zip(&injected) {
                    at += if points.masks() { 2 * terms.last_length() } else { 0 };
                    let corrections = &injected[e * points.injected()..(e + 1) * points.injected()];
                    tape[at..]
                        .iter_mut()
                        .zip(corrections)
                        .for_each(|(share, &correction)| *share += correction);
                    at += points.injected();
                }
            }
            finish(share, &points, parameters.compression as usize, &challenges, challenges.group(e), &tape);
            if complement {
                // The view is what its complement leaves of what was opened.
                for (share, opened) in share.sides.iter_mut().zip(&opening.sides) {
                    share.iter_mut().zip(opened).for_each(|(share, &opened)| *share = opened - *share);
                }
                share.product = product - share.product;
            }
        }
    }
    let opened: Vec<[Vec<E>; 2]> = openings.into_iter().map(|opening| opening.sides).collect();
    Ok(([first, [last, final_digest(&opened, &shares, views)]], started.elapsed()))
}
