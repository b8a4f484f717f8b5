//! The prover.

use super::challenges::{Challenges, hidden};
use super::claim::{Claim, Entries, masked, opened};
use super::passes::Digests;
use super::polynomials::Points;
use super::shares::{Share, finish};
use super::tape::Tapes;
use super::transcript::ProverTranscript;
use super::{Opening, Terms, final_digest, first_digest, write_elements};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_primitives::{CheckField, F128};
use volery_vole::commit::ggm::Tree;
use zeroize::Zeroizing;

/// The prover's work at the gates.
pub(super) trait Statement<E: CheckField> {
    /// Runs the circuit on values and views, and gives the digests of each repetition's messages.
    fn commit(&mut self, tapes: &[Tapes]) -> Result<Vec<Digests>>;

    /// The vectors whose inner product is claimed.
    fn entries(&mut self, challenges: &Challenges<E>) -> Result<&dyn Entries<E>>;

    /// Runs the circuit again, and gives each view's shares of the opened values, but for the rounds.
    fn shares(&mut self, tapes: &[Tapes], challenges: &Challenges<E>) -> Result<Vec<Share<E>>>;

    /// Sends the corrections.
    fn correct(&mut self, transcript: &mut dyn ProverTranscript) -> Result<()>;
}

/// Takes steps 2 to 8.
pub(super) fn prove<E: CheckField>(
    terms: &Terms,
    statement: &mut dyn Statement<E>,
    transcript: &mut dyn ProverTranscript,
    random: &mut Random,
) -> Result<()> {
    let parameters = terms.parameters;
    let (parties, repetitions) = (parameters.parties as usize, parameters.repetitions as usize);
    let depth = parties.ilog2() as usize;
    // 2
    let salt: [u8; 32] = random.bytes();
    let roots: Zeroizing<Vec<F128>> = Zeroizing::new((0..repetitions).map(|_| random.word()).collect());
    let trees: Vec<Tree> = (0..repetitions).map(|e| Tree::new(salt, e)).collect();
    let tapes: Vec<Tapes> = trees
        .iter()
        .zip(&*roots)
        .map(|(tree, &root)| Tapes::new(terms.arch, terms.aggregation, tree, &tree.leaves(root, depth), None))
        .collect();
    let said = statement.commit(&tapes)?;
    transcript.say(&[salt, first_digest(&tapes, &said)].concat())?;
    // 3
    let mut challenges = Challenges::new(&transcript.challenge()?, terms.groups());
    // 4
    let points = terms.points(Points::<E>::extended);
    let count = terms.check_elements();
    let shared: Vec<(Vec<E>, Vec<E>)> = tapes.iter().map(|tapes| tapes.elements(count)).collect();
    let mut claim =
        Claim::new(terms.arch, parameters.compression as usize, statement.entries(&challenges)?, &challenges);
    let last = terms.last_length();
    let mut at = 0;
    for points in &points {
        let masks = |e: usize| [&shared[e].1[at..at + last], &shared[e].1[at + last..at + 2 * last]];
        let by_group: Vec<Vec<E>> = if points.masks() {
            let pairs = claim.last();
            (0..repetitions)
                .map(|e| masked(terms.arch, points, &pairs[challenges.group(e)], masks(e)))
                .collect()
        } else {
            (0..challenges.groups()).map(|group| claim.products(points, group)).collect()
        };
        if points.masks() {
            at += 2 * last;
        }
        let mut message = vec![];
        for (e, (_, total)) in shared.iter().enumerate() {
            let mut values = by_group[e.min(by_group.len() - 1)].clone();
            values.remove(parameters.compression as usize - 1);
            let corrections: Vec<E> =
                values.iter().zip(&total[at..]).map(|(&value, &total)| value - total).collect();
            write_elements(&mut message, &corrections);
        }
        at += points.injected();
        transcript.say(&message)?;
        challenges.push(&transcript.challenge()?, points);
        if !points.masks() {
            claim.fold(&challenges);
        }
    }
    // 5
    let opened: Vec<[Vec<E>; 2]> = (0..repetitions)
        .map(|e| {
            let Some(round) = challenges.rounds.last() else { return [vec![], vec![]] };
            let group = challenges.group(e);
            let at = count - points.last().map_or(0, |points| points.injected()) - 2 * last;
            let masks = [&shared[e].1[at..at + last], &shared[e].1[at + last..at + 2 * last]];
            opened(terms.arch, &claim.last()[group], masks, &round[group].factor)
        })
        .collect();
    let mut shares = statement.shares(&tapes, &challenges)?;
    let views = terms.views();
    for (e, (shares, (tape, _))) in shares.chunks_mut(views).zip(&shared).enumerate() {
        for (share, tape) in shares.iter_mut().zip(tape.chunks(count.max(1))) {
            finish(share, &points, parameters.compression as usize, &challenges, challenges.group(e), tape);
        }
    }
    transcript.say(&final_digest(&opened, &shares, views))?;
    // 6
    let hidden = hidden(&transcript.challenge()?, parties, repetitions);
    // 7
    let mut message = vec![];
    for (e, opened) in opened.into_iter().enumerate() {
        let opening = Opening {
            siblings: trees[e].siblings(roots[e], depth, hidden[e] as u64),
            commitment: tapes[e].commitments[hidden[e]],
            sides: opened,
        };
        opening.write(&mut message);
    }
    transcript.say(&message)?;
    // 8
    statement.correct(transcript)
}
