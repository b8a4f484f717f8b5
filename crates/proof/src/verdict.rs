//! Verdict of a proof, and what ends every proof: where it is decided whether a statement is believed.
//!
//! Only [`Accepted::only_if`] makes an [`Accepted`]: at the verifier's end, by its
//! last check, and for a statement in shards by `sharded::Verdict`, where none of them is missing.

use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Error, Misbehaviour, Rejection, Result};
use volery_circuit::{Shape, Size};
use volery_primitives::Field;

/// The verdict that a statement is true. Only a check that ran to its end and held can make one.
#[must_use = "a proof is accepted only where this was returned"]
#[derive(Debug, PartialEq, Eq)]
pub struct Accepted(());

impl Accepted {
    /// The verdict of a check that ran to its end, for who writes a proof system outside of this library.
    ///
    /// # Errors
    /// `Rejected` with this reason where it did not hold.
    pub fn only_if(held: bool, otherwise: Rejection) -> Result<Self> {
        if held { Ok(Self(())) } else { Err(Error::Rejected(otherwise)) }
    }
}

/// The gates of one proof, as a party counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// Witness elements and hints.
    pub inputs: u64,
    /// Multiplications.
    pub mul: u64,
    /// Additions.
    pub add: u64,
    /// Assertions.
    pub assert: u64,
    /// Polynomials that were asserted to be zero, or whose values were committed to.
    pub polynomials: u64,
    /// The highest degree of polynomials.
    pub degree: u64,
    /// Products of matrices, and bilinear forms, that were asserted.
    pub matrices: u64,
    /// Challenges to these.
    pub challenged: u64,
    /// Clauses that were run over a tape.
    pub clauses: u64,
    /// The multiplications of such clauses, each of which is no commitment of its own; they are among all.
    pub on_tape: u64,
    /// The inputs that came after the challenge to the tape; they are among all.
    pub late: u64,
    /// The sum of the degrees, each in its challenge, of the arguments that end epochs of memories and
    /// tables.
    pub tuples: u64,
    /// The highest of these degrees.
    pub longest: u64,
    /// Epochs that ended, each with a challenge of its own.
    pub epochs: u64,
}

impl Gates {
    /// The sizes that the soundness of the proof depends on.
    pub fn size(&self) -> Size {
        let Self { inputs, polynomials, degree, challenged: matrices, clauses, late, .. } = *self;
        let Self { tuples, longest, epochs, .. } = *self;
        let commitments = inputs + self.mul - self.on_tape;
        Size {
            commitments,
            inputs,
            polynomials,
            degree,
            matrices,
            clauses,
            late,
            tuples,
            longest,
            epochs,
            ..Size::default()
        }
    }

    /// The gates of both halves of a proof.
    pub fn and(&self, other: &Self) -> Self {
        Self {
            inputs: self.inputs + other.inputs,
            mul: self.mul + other.mul,
            add: self.add + other.add,
            assert: self.assert + other.assert,
            polynomials: self.polynomials + other.polynomials,
            degree: self.degree.max(other.degree),
            matrices: self.matrices + other.matrices,
            challenged: self.challenged + other.challenged,
            clauses: self.clauses + other.clauses,
            on_tape: self.on_tape + other.on_tape,
            late: self.late + other.late,
            tuples: self.tuples + other.tuples,
            longest: self.longest.max(other.longest),
            epochs: self.epochs + other.epochs,
        }
    }

    /// The gates of a statement whose polynomials are computed gate by gate.
    pub fn by_gates(shape: &Shape) -> Self {
        let (inputs, mul) = (shape.inputs_by_gates(), shape.mul_by_gates());
        let assert = shape.assert + shape.scanned.assert;
        Self { inputs, mul, add: shape.add, assert, ..Self::default() }
    }

    /// Counts `lanes` polynomials.
    pub fn polynomials(&mut self, lanes: usize, degree: usize) {
        self.polynomials += lanes as u64;
        self.degree = self.degree.max(degree as u64);
    }

    /// Counts the end of epochs at one challenge, where polynomials of these degrees are to be zero.
    pub fn argued(&mut self, degrees: &[u64]) {
        for degree in degrees {
            self.tuples += degree;
            self.longest = self.longest.max(*degree);
        }
        self.epochs += 1;
    }

    /// Counts a bilinear form with so many entries, which is one assertion if there are any.
    pub fn matrix_product(&mut self, entries: usize) {
        self.matrices += 1;
        self.assert += u64::from(entries > 0);
        self.degree = self.degree.max(2);
    }
}

/// The bits that an element must have for challenges to come from the transcript: above 2^120 there are 100 of
/// security, and some for what an argument loses.
const TRANSCRIPT_BITS: u32 = 121;

/// Whether challenges over `E` come from the transcript, and the gates are one-way. Where the prime is chosen at run
/// time it decides: whoever asks has it.
pub fn by_transcript<E: Field>() -> bool {
    E::bits() >= TRANSCRIPT_BITS
}

/// The steps of a proof that may fail. After a failed step it goes no further, even where a circuit swallows
/// the error.
#[derive(Default)]
pub struct Steps {
    begun: bool,
}

impl Steps {
    /// Begins the next step.
    ///
    /// # Errors
    /// `Invalid` where the last one has not ended.
    pub fn begin(&mut self) -> Result<()> {
        if core::mem::replace(&mut self.begun, true) {
            return Err(Error::invalid("the proof has ended in an error before: start another"));
        }
        Ok(())
    }

    /// Fails the next step, with `error`.
    pub fn fail(&mut self, error: Error) -> Error {
        self.begun = true;
        error
    }

    /// Ends the step, which has succeeded.
    pub fn end(&mut self) {
        self.begun = false;
    }
}

/// Shares of the shortest section. A section's corrections go out in one message.
const SECTION: usize = 256;

/// The length of the section after `sectioned` shares, of a block that has `left`: each is as long as all
/// before, so that small statements send few corrections of shares that commit to nothing.
pub const fn section(sectioned: usize, left: usize) -> usize {
    let length = if sectioned < SECTION { SECTION } else { sectioned };
    if length < left { length } else { left }
}

/// The first byte of the verifier's last message: one for accepted, zero for anything else.
const ACCEPTED: u8 = 1;

/// Bytes of the end of a proof:
///
/// | step | from | message | bytes |
/// |---|---|---|---|
/// | 1 | P | the digest of all bytes of both directions, as it has them | 32 |
/// | 2 | V | the verdict, and the digest of the same and of step 1; zeros where it does not accept | 33 |
///
/// Each side compares, so that none counts a proof whose bytes were changed on the way, be it where nothing
/// depends on them. Over a link without keys whoever changes bytes deliberately can change the digests, too.
/// A verifier tells nothing by a wrong digest: it depends on what was sent and on no secret.
pub const VERDICT: Carried = Carried { prover: 32, verifier: 33 };

/// Two results, of a check and of hearing what follows it. Where both have failed, the error is the check's: it is
/// not undone by a prover that leaves. One that leaves the link half open, and so is told the verdict, learns the
/// bit that it would have learnt by staying.
///
/// # Errors
/// The check's where both have failed, or else that of hearing.
pub fn earlier<T, U>(decided: Result<T>, heard: Result<U>) -> Result<(Result<T>, U)> {
    match (decided, heard) {
        (Err(error), Err(_)) => Err(error),
        (decided, heard) => Ok((decided, heard?)),
    }
}

/// Receives step 1, the last check of all.
///
/// # Errors
/// That of `verdict`, but `Rejected` for a prover that misbehaved after a coin; `Misbehaved` where the prover
/// has other bytes; link errors.
pub fn recv_end<T>(channel: &mut Channel, verdict: Result<T>) -> Result<T> {
    let verdict = match verdict {
        Err(Error::Misbehaved(how)) if channel.holds_peer() => {
            Err(Error::Rejected(Rejection::MisbehavedAfterCoin(how)))
        }
        verdict => verdict,
    };
    let verdict = verdict.and_then(|accepted| {
        let ours = channel.checkpoint("end");
        let same = channel.recv_array()? == ours;
        if same { Ok(accepted) } else { Err(Error::Misbehaved(Misbehaviour::OtherBytes)) }
    });
    channel.release_peer();
    verdict
}

/// Sends step 2, the verifier's result. A prover that was not accepted learns that and nothing about why.
///
/// # Errors
/// That of `verdict`; link errors.
pub fn tell<T>(channel: &mut Channel, verdict: Result<T>) -> Result<T> {
    let mut message = [0; 33];
    match &verdict {
        Ok(_) => {
            message[0] = ACCEPTED;
            message[1..].copy_from_slice(&channel.checkpoint("verdict"));
            channel.send(&message)?;
            channel.flush()?;
        }
        Err(error) if error.is_of_link() => {}
        Err(_) => {
            let _ = channel.send(&message).and_then(|()| channel.flush());
            channel.hang_up();
        }
    }
    verdict
}

/// Ends the proof, and waits for the verdict.
pub fn recv_verdict(channel: &mut Channel) -> Result<()> {
    let end = channel.checkpoint("end");
    // A verifier that has seen enough is gone, and its verdict may be there all the same.
    let _ = channel.send(&end).and_then(|()| channel.flush());
    let ours = channel.checkpoint("verdict");
    match channel.recv_array::<33>()? {
        [ACCEPTED, theirs @ ..] if theirs == ours => Ok(()),
        [ACCEPTED, ..] => Err(Error::Misbehaved(Misbehaviour::OtherBytes)),
        [0, ..] => Err(Error::Rejected(Rejection::ByVerifier)),
        [..] => Err(Error::Misbehaved(Misbehaviour::Verdict)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use volery_channel::channel::{Flip, Party, Tape, pipe};

    /// The results of both parties where the verifier comes to `verdict`, with a bit of a message of one
    /// party changed. Each first sends a message that nobody looks at.
    fn end(verdict: Result<()>, flip: Option<(Party, Flip)>) -> (Result<()>, Result<()>) {
        let (here, there) = pipe(Duration::from_secs(10));
        let of = |party| flip.filter(|(who, _)| *who == party).map(|(_, flip)| flip);
        let mut prover = Channel::new(Party::Prover, Tape::new(here, of(Party::Prover)).0);
        let mut verifier = Channel::new(Party::Verifier, Tape::new(there, of(Party::Verifier)).0);
        std::thread::scope(|scope| {
            let proving = scope.spawn(move || {
                prover.send(&[7; 40])?;
                prover.recv_array::<40>()?;
                recv_verdict(&mut prover)
            });
            let verified =
                verifier.send(&[8; 40]).and_then(|()| verifier.recv_array::<40>()).and_then(|_| {
                    let verdict = recv_end(&mut verifier, verdict);
                    tell(&mut verifier, verdict)
                });
            drop(verifier);
            (proving.join().unwrap(), verified)
        })
    }

    #[test]
    fn both_hear_the_verdict() {
        assert!(matches!(end(Ok(()), None), (Ok(()), Ok(()))));
        let rejected = end(Err(Error::Rejected(Rejection::Products)), None);
        let (Err(Error::Rejected(heard)), Err(Error::Rejected(said))) = rejected else { panic!() };
        assert_eq!((heard, said), (Rejection::ByVerifier, Rejection::Products));
    }

    /// Nobody has looked at what was changed, and still it does not count as the same.
    #[test]
    fn changed_bytes_that_decide_nothing_end_the_proof() {
        let other = |ended: &Result<()>| matches!(ended, Err(Error::Misbehaved(Misbehaviour::OtherBytes)));
        for (party, messages) in [(Party::Prover, [40, 32]), (Party::Verifier, [40, 33])] {
            for (message, length) in messages.into_iter().enumerate() {
                for bit in (0..8 * length).step_by(7) {
                    let (proved, verified) = end(Ok(()), Some((party, Flip { message, bit })));
                    let case = format!("message {message} of the {}, bit {bit}", party.name());
                    let verdict = party == Party::Verifier && message == 1;
                    assert!(proved.is_err(), "{case}");
                    assert_eq!((verified.is_ok(), other(&verified)), (verdict, !verdict), "{case}");
                }
            }
        }
        // A rejection that somebody makes an acceptance of.
        let flip = Some((Party::Verifier, Flip { message: 1, bit: 0 }));
        let (proved, _) = end(Err(Error::Rejected(Rejection::Products)), flip);
        assert!(other(&proved));
    }
}
