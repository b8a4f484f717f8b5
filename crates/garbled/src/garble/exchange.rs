//! The end of a proof by garbling: commit, open, check, answer. Steps 4 to 6 of JKO.
//!
//! | from | message | bytes | |
//! |---|---|---|---|
//! | prover | H(sid, Y, ρ), Y being what it got out of the circuit | 32 | 4 |
//! | verifier | its secret, and the [`Opening`] of its transfers | 32 + 48 | 5 |
//! | prover | Y and ρ, where everything that it was sent follows from the secret; else nothing | 48 | 6 |
//!
//! The verifier accepts where Y is what its circuit gives for a true statement. By then the prover knows as
//! much, and its answer says only that it knew it before step 5. The order is what makes both believe: the
//! prover has committed itself before it could know Y from the secret, and answers only after it has seen
//! that Y depended on nothing but the truth of the statement. From step 5 on a prover that leaves has been
//! rejected.

use super::Secret;
use subtle::{Choice, ConstantTimeEq};
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::random::Random;
use volery_primitives::hash::Digest;
use volery_primitives::secret::verdict;
use volery_primitives::{F128, Field};
use volery_vole::ot::committing::Opening;
use volery_vole::ot::softspoken::Depth;

/// The statistical security of a proof in bits, floored: [`search_bits`] for one transcript.
pub fn security() -> u32 {
    search_bits().floor() as u32
}

/// −log2 of the soundness error for each transcript that the prover tries: that of the transfers' check, with
/// a guess of the answer and a collision of commitments. Offline each try costs a hash or more, since the
/// challenge of that check is the transcript's: so this bounds the computational security, too.
pub fn search_bits() -> f64 {
    let error = (-Depth::Eight.security()).exp2() + 2.0 * (-128f64).exp2();
    -error.log2()
}

/// Bytes of the exchange, but for the opening of the transfers.
pub const TRAFFIC: Carried = Carried { prover: 32 + 48, verifier: 32 };

fn commitment(sid: &[u8; 32], value: F128, nonce: &[u8; 32]) -> [u8; 32] {
    Digest::new("volery garbling v1, commitment").field(sid).field(&value.to_bytes()).field(nonce).finish()
}

/// Answers an opening: the prover's end, with `value` for Y. `check` decides whether all that the verifier
/// sent follows from its secret, and Y with it.
///
/// # Errors
/// `Misbehaved` where it does not: the verifier is told nothing, and the caller ends the session; those of
/// `check`; link errors.
pub fn answer(
    channel: &mut Channel,
    sid: &[u8; 32],
    value: F128,
    random: &mut Random,
    check: impl FnOnce(&Secret, &Opening) -> Result<Choice>,
) -> Result<()> {
    let nonce: [u8; 32] = random.bytes();
    channel.send(&commitment(sid, value, &nonce))?;
    let secret = Secret::recv(channel)?;
    let opening = Opening::recv(channel)?;
    if !verdict(check(&secret, &opening)?) {
        return Err(Error::Misbehaved(Misbehaviour::Garbling));
    }
    channel.send_words(&[value])?;
    channel.send(&nonce)
}

/// The verdict of the verifier on an answer.
#[must_use = "an answer that is not right is no error"]
pub struct Answer {
    right: bool,
}

impl Answer {
    /// Whether the answer is what was expected, and was committed to.
    pub fn is_right(self) -> bool {
        self.right
    }
}

/// Opens the secret and checks the answer: the verifier's end, with `expected` for Y.
///
/// # Errors
/// Those of the link.
pub fn open(
    channel: &mut Channel,
    sid: &[u8; 32],
    (secret, opening): (&Secret, &Opening),
    expected: F128,
) -> Result<Answer> {
    let committed: [u8; 32] = channel.recv_array()?;
    // It knows by the secret whether its answer is right.
    channel.hold_peer();
    secret.send(channel)?;
    opening.send(channel)?;
    let mut value = [F128::ZERO];
    channel.recv_words(&mut value)?;
    let nonce = channel.recv_array()?;
    let before = commitment(sid, value[0], &nonce).ct_eq(&committed);
    let right = value[0].to_bytes().ct_eq(&expected.to_bytes());
    Ok(Answer { right: verdict(before & right) })
}

#[cfg(test)]
mod tests;
