//! Verifiers that garble or send something else than follows from what they open, in one respect at a time:
//! the honest prover commits itself, whatever its clause and its values are, and never answers.

use super::super::garbling::{self, Which};
use super::*;
use crate::garble::Secret;
use crate::garble::material::PIECE;
use crate::garble::trial::revealed;
use volery_primitives::F128;

/// The respect in which the verifier is not honest.
#[derive(Clone, Copy, Debug)]
enum Lie {
    Nothing,
    /// A bit of one or both messages of a transfer: of seeds or their sums, of proofs of
    /// retrieval, of labels.
    Transfer(usize, [bool; 2]),
    /// All seeds, or one where they are sent one by one, are others than those of S.
    Seeds,
    Seed(usize),
    /// Another proof of retrieval everywhere.
    Retrieval,
    /// A bit of a block of the material.
    Material(usize),
    /// Other clauses than agreed on: with other operands, or of the first input alone.
    Swapped,
    Telling,
    /// Another salt than that of S, which it garbles under, or not.
    Salt(bool),
    /// A bit of S, Δ or K.
    Opening(usize),
}

fn lie(
    channel: &mut Channel,
    terms: Terms,
    clauses: &Several,
    transfers: committing::Sender,
    lie: Lie,
) -> Result<()> {
    let session = terms.session(channel);
    let secret = Secret::random(&mut random(4));
    let right = secret.salt(&session);
    let told = if matches!(lie, Lie::Salt(_)) { F128(right.0 ^ 1 << 9) } else { right };
    let used = if matches!(lie, Lie::Salt(true)) { told } else { right };
    channel.send_words(&[told])?;
    let of = if matches!(lie, Lie::Seeds) {
        Secret::random(&mut random(5))
    } else {
        Secret::random(&mut random(4))
    };
    let (mut held, mut pairs) = terms.seeds.offer(&session, &of, terms.clauses());
    match lie {
        Lie::Seed(clause) => {
            held.seeds[clause].0 ^= 1 << 80;
            pairs[clause][0] = held.seeds[clause];
        }
        Lie::Retrieval => pairs.iter_mut().for_each(|pair| pair[1].0 ^= 1 << 80),
        _ => {}
    }
    pairs.extend(garbling::labels(&terms, &session.key(used), Which::All, &held.seeds).iter());
    if let Lie::Transfer(place, slots) = lie {
        pairs[place].iter_mut().zip(slots).for_each(|(message, wrong)| message.0 ^= u128::from(wrong) << 55);
    }
    transfers.send(channel, &pairs)?;
    let other = |map: fn(&Arbitrary) -> Arbitrary| Several(clauses.0.iter().map(map).collect());
    let garbled = match lie {
        Lie::Swapped => other(Arbitrary::swapped),
        Lie::Telling => other(Arbitrary::telling),
        _ => other(Arbitrary::clone),
    };
    let mut stack = vec![F128::ZERO; terms.material()];
    garbling::garble(&terms, &session.key(used), &garbled, Which::All, &held.seeds, &mut stack)?;
    if let Lie::Material(block) = lie {
        stack[block].0 ^= 1 << 127;
    }
    stack.chunks(PIECE).try_for_each(|piece| channel.send_words(piece))?;
    let _commitment: [u8; 32] = channel.recv_array()?;
    for (number, mut message) in revealed(&secret, &transfers.open()).into_iter().enumerate() {
        message[3] ^= u8::from(matches!(lie, Lie::Opening(wrong) if wrong == number)) << 5;
        channel.send(&message)?;
    }
    // The answer, if any.
    channel.recv(&mut [0; 16])?;
    channel.recv(&mut [0; 32])
}

/// All lies about these clauses.
fn lies(terms: &Terms) -> Vec<Lie> {
    let of_seeds = terms.seeds.transfers(terms.clauses());
    let mut lies =
        vec![Lie::Nothing, Lie::Seeds, Lie::Swapped, Lie::Telling, Lie::Salt(false), Lie::Salt(true)];
    lies.extend((0..3).map(Lie::Opening));
    // With the first and the last block, and those beyond the end of one clause or two.
    lies.extend((0..terms.material()).map(Lie::Material));
    for slots in [[true, false], [false, true], [true, true]] {
        lies.extend((0..of_seeds + terms.inputs()).map(|place| Lie::Transfer(place, slots)));
    }
    if terms.seeds == Seeds::Each {
        lies.extend((0..terms.clauses()).map(Lie::Seed));
        lies.push(Lie::Retrieval);
    }
    lies
}

/// Every choice vector of clauses that all inputs satisfy, so that each is an honest prover's.
#[test]
#[ignore = "slow"]
fn the_prover_commits_and_never_answers() {
    let clauses = Several([2, 3, 1].map(Arbitrary::always).to_vec());
    let shapes = shapes(&clauses).unwrap();
    for seeds in Seeds::ALL {
        for fixed_work in [false, true] {
            let terms = Terms { fixed_work, ..terms(&shapes, seeds) };
            for chosen in 0..3 {
                for values in strings(clauses.0[chosen].inputs()) {
                    for one in lies(&terms) {
                        assert_silent(terms, &clauses, (chosen, &values), one);
                    }
                }
            }
        }
    }
}

fn assert_silent(terms: Terms, clauses: &Several, own: (usize, &[F2]), one: Lie) {
    let (sender, receiver) = ideal::deal(&choices(&terms, own), 5);
    let outcome = both(
        |channel| dealt_prover(channel, terms, own, receiver).prove(channel, clauses, &mut random(2)),
        |channel| lie(channel, terms, clauses, sender, one),
        None,
    );
    let case = format!("{one:?} to {own:?}, {:?}", terms.seeds);
    crate::garble::trial::assert_answered(outcome, matches!(one, Lie::Nothing), &case);
}
