//! Verifiers that garble or send something else than follows from what they open, in one respect at a time:
//! the honest prover commits itself, whatever its values are, and never answers.

use super::*;
use crate::garble::Secret;
use crate::garble::material::{PIECE, Sink};
use crate::garble::trial::revealed;

/// The respect in which the verifier is not honest.
#[derive(Clone, Copy, Debug)]
enum Lie {
    Nothing,
    /// A bit of one or both labels of an input.
    Label(usize, [bool; 2]),
    /// Another seed than that of S.
    Seed,
    /// A bit of a block of the material.
    Material(usize),
    /// Another circuit than agreed on: with other operands, or of the first input alone.
    Swapped,
    Telling,
    /// Another salt than that of S, which it garbles under, or not.
    Salt(bool),
    /// A bit of S, Δ or K.
    Opening(usize),
}

/// Material, as it was made.
struct KeptMaterial(Vec<F128>);

impl Sink for KeptMaterial {
    fn take(&mut self, blocks: &[F128]) -> Result<()> {
        self.0.extend_from_slice(blocks);
        Ok(())
    }
}

fn lie(
    channel: &mut Channel,
    terms: Terms,
    circuit: &Arbitrary,
    transfers: committing::Sender,
    lie: Lie,
) -> Result<()> {
    let session = terms.session(channel);
    let secret = Secret::random(&mut random(4));
    let mut seed = secret.seed(&session, 0);
    if matches!(lie, Lie::Seed) {
        seed = Secret::random(&mut random(5)).seed(&session, 0);
    }
    let right = secret.salt(&session);
    let told = if matches!(lie, Lie::Salt(_)) { F128(right.0 ^ 1 << 9) } else { right };
    let used = if matches!(lie, Lie::Salt(true)) { told } else { right };
    channel.send_words(&[told])?;
    let mut pairs = pairs(&session.key(used), seed, terms.inputs());
    if let Lie::Label(input, slots) = lie {
        pairs[input].iter_mut().zip(slots).for_each(|(label, wrong)| label.0 ^= u128::from(wrong) << 55);
    }
    transfers.send(channel, &pairs)?;
    let other = match lie {
        Lie::Swapped => circuit.swapped(),
        Lie::Telling => circuit.telling(),
        _ => circuit.clone(),
    };
    let mut kept = KeptMaterial(vec![]);
    Garbler::garble(&session.key(used), (0, seed), &other, &mut kept, None, &Pool::ALONE)?;
    if let Lie::Material(block) = lie {
        kept.0[block].0 ^= 1 << 127;
    }
    kept.0.chunks(PIECE).try_for_each(|piece| channel.send_words(piece))?;
    let _commitment: [u8; 32] = channel.recv_array()?;
    for (number, mut message) in revealed(&secret, &transfers.open()).into_iter().enumerate() {
        message[3] ^= u8::from(matches!(lie, Lie::Opening(wrong) if wrong == number)) << 5;
        channel.send(&message)?;
    }
    // The answer, if any.
    channel.recv(&mut [0; 16])?;
    channel.recv(&mut [0; 32])
}

/// Every choice vector of a statement that all of them satisfy, so that each is an honest prover's.
#[test]
fn the_prover_commits_and_never_answers() {
    let (inputs, circuit) = (3, Arbitrary::always(3));
    let shape = Shape::of(&circuit).unwrap();
    let terms = terms(&shape);
    let last = shape.mul_by_gates() as usize - 1;
    let mut lies = vec![Lie::Nothing, Lie::Seed, Lie::Material(0), Lie::Material(last)];
    lies.extend([Lie::Swapped, Lie::Telling, Lie::Salt(false), Lie::Salt(true)]);
    lies.extend((0..3).map(Lie::Opening));
    for slots in [[true, false], [false, true], [true, true]] {
        lies.extend((0..inputs).map(|input| Lie::Label(input, slots)));
    }
    for values in strings(inputs) {
        for &one in &lies {
            let (sender, receiver) = ideal::deal(&values, 5);
            let outcome = both(
                |channel| dealt(channel, terms, &values, receiver).prove(channel, &circuit, &mut random(2)),
                |channel| lie(channel, terms, &circuit, sender, one),
                None,
            );
            crate::garble::trial::assert_answered(
                outcome,
                matches!(one, Lie::Nothing),
                &format!("{one:?} to {values:?}"),
            );
        }
    }
}
