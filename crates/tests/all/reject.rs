//! Nothing but an honest run is accepted, and nothing hangs or panics.

mod endings;
mod garbled;
mod wolverine;

use crate::kit::{
    ABC, Ones, Session, disagreements, network, only_bytes_differ, preimage, run, run_honestly, run_one_of,
    seeded,
};
use volery::channel::{Channel, Flip, Party, Playback};
use volery::circuit::stream::Source;
use volery::circuit::{Backend, Circuit, Size};
use volery::error::{Disagreement, Sides};
use volery::{Binary, Correlations, Error, F2, Field, Options, Result, System, prove, verify};

fn options(seed: u8) -> Options {
    seeded(seed).with_correlations(Correlations::SOFTSPOKEN8)
}

/// Flips bits of each message in turn. The verifier's verdict may stand where only the verdict was changed.
#[test]
#[ignore = "slow"]
fn a_flipped_bit_in_any_message() {
    let (network, witness) = network(1100);
    let kinds = [Correlations::SOFTSPOKEN4, Correlations::SOFTSPOKEN8];
    for correlations in kinds.into_iter().chain([Correlations::TINY]) {
        let options = seeded(1).with_correlations(correlations);
        let honest = run_honestly(&network, &witness, &options);
        assert!(honest.verified.is_ok());
        for (party, messages) in [
            (Party::Prover, honest.from_prover.messages().len()),
            (Party::Verifier, honest.from_verifier.messages().len()),
        ] {
            for message in 0..messages {
                // In the hello: the role, the system, the statement, the nonce.
                for bit in [0, 1 << 7 | 5, 8 * 120 + 1, 8 * 160 + 3] {
                    let flip = Some((party, Flip { message, bit }));
                    let Session { proved, verified, .. } =
                        run((&network, &witness, &options), (&network, &options), flip);
                    let case =
                        format!("{correlations}, message {message} of the {}, bit {bit}", party.name());
                    assert!(proved.is_err(), "{case}");
                    let verdict = party == Party::Verifier && message == messages - 1;
                    assert_eq!(verified.is_ok(), verdict, "{case}");
                    // Checks find it, but for what is compared at the end.
                    let end = party == Party::Prover && message == messages - 1;
                    assert_eq!(only_bytes_differ(&verified), end, "{case}");
                }
            }
        }
    }
}

/// The proposals of two sides that leave the choice open, and what measures the bandwidth between them: a
/// claimed size is enough to need it.
#[test]
fn a_flipped_bit_of_the_measurement() {
    let (network, witness) = network(100);
    let options = Options { size: Some(Size::gates(Binary::SMALL_STATEMENT + 1)), ..seeded(1) };
    assert!(run_honestly(&network, &witness, &options).verified.is_ok());
    // The prover's warm-up and probe, and the verifier's answer.
    for (party, message) in [(Party::Prover, 2), (Party::Prover, 3), (Party::Verifier, 2)] {
        let flip = Some((party, Flip { message, bit: 5 }));
        let session = run((&network, &witness, &options), (&network, &options), flip);
        assert!(
            session.verified.is_err() && session.proved.is_err(),
            "message {message} of {}",
            party.name()
        );
    }
}

#[test]
fn a_changed_public_output() {
    let (statement, witness) = preimage(b"abc", ABC);
    let (other, _) = preimage(b"abc", &ABC.replace("15ad", "15ac"));
    let session = run((statement.source(), &witness, &options(1)), (other.source(), &options(2)), None);
    for error in [session.proved.err(), session.verified.err()] {
        let error = error.unwrap();
        assert!(matches!(error, Error::Disagreed(Disagreement::Statement(_))), "{error}");
    }
}

/// A prover that lies about which statement it proves gets past the handshake, and no further.
#[test]
fn a_prover_of_another_statement() {
    let (statement, witness) = preimage(b"abc", ABC);
    let (other, _) = preimage(b"abc", &ABC.replace("15ad", "15ac"));
    let lying = Options { statement: Some(other.digest()), ..options(1) };
    let honest = Options { statement: Some(other.digest()), ..options(2) };
    let session = run((statement.source(), &witness, &lying), (other.source(), &honest), None);
    assert!(matches!(session.verified.unwrap_err(), Error::Rejected(_)));
    assert!(matches!(session.proved.unwrap_err(), Error::Rejected(_)));
}

#[test]
fn a_disagreement_on_parameters() {
    let (network, witness) = network(10);
    let four = seeded(1).with_correlations(Correlations::SOFTSPOKEN4);
    let session = run((&network, &witness, &four), (&network, &options(2)), None);
    let names = [["softspoken4", "softspoken8"], ["softspoken8", "softspoken4"]];
    assert_eq!(
        disagreements(session.proved, session.verified),
        names.map(|[ours, theirs]| Disagreement::Correlations(Sides { ours, theirs }))
    );
}

#[test]
fn more_security_than_there_is() {
    let (network, witness) = network(10);
    let asking = Options { security: Some(126), ..options(1) };
    let session = run_honestly(&network, &witness, &asking);
    assert!(matches!(session.proved.unwrap_err(), Error::Invalid(_)));
    assert!(matches!(session.verified.unwrap_err(), Error::Invalid(_)));
}

/// Less security than convinces anybody is refused by every system, at either party, before a byte is sent;
/// and only where nobody says that it is meant.
#[test]
fn less_security_than_convinces() {
    let (network, witness) = network(10);
    let clauses = Ones(vec![2, 3]);
    for system in System::TALKING {
        let run = |proving: &Options, verifying: &Options| match system {
            System::STACK => run_one_of((&clauses, 1, proving), (&clauses, verifying), None),
            _ => run((&network, &witness, proving), (&network, verifying), None),
        };
        let few = Options { method: system.into(), security: Some(39), ..seeded(1) };
        let session = run(&few, &few);
        for error in [session.proved.err(), session.verified.err()] {
            let error = error.unwrap();
            assert!(matches!(&error, Error::Invalid(why) if why.contains("ask for 40")), "{system}: {error}");
        }
        assert!(session.from_prover.messages().is_empty() && session.from_verifier.messages().is_empty());
        let meant = Options { insecure_parameters: true, ..few };
        assert!(run(&meant, &meant).verified.is_ok(), "{system}");
    }
}

/// Messages of a prover convince nobody again: the verifier's nonce, and with it every challenge, is another,
/// and so are its base transfers.
#[test]
fn a_replayed_transcript() {
    let (network, witness) = network(100);
    assert_replay_fails(&network, &witness, options);
}

/// Asserts that a replay of an honest run under `options`, which take a seed, fails.
fn assert_replay_fails(circuit: &dyn Source<F2>, witness: &[F2], options: impl Fn(u8) -> Options) {
    let said: Vec<u8> = run_honestly(circuit, witness, &options(1)).from_prover.messages().concat();
    let replay = |seed| {
        let mut channel = Channel::new(Party::Verifier, Playback::new(said.clone()));
        verify(circuit, &mut channel, &options(seed))
    };
    assert!(replay(1).is_ok(), "the same verifier again: the playback itself works");
    assert!(matches!(replay(2), Err(Error::Misbehaved(_) | Error::Rejected(_))));
}

#[test]
fn two_of_a_kind() {
    let (network, witness) = network(10);
    let hello = run_honestly(&network, &witness, &options(1)).from_prover.messages().concat();
    let mut channel = Channel::new(Party::Prover, Playback::new(hello));
    let error = prove(&network, witness, &mut channel, &options(2)).unwrap_err();
    assert!(matches!(error, Error::Disagreed(Disagreement::Roles { both: "prover" })), "{error}");
}

struct Nothing;

impl<B: Backend<F = F2>> Circuit<B> for Nothing {
    fn run(&self, b: &mut B) -> Result<()> {
        let (x, y) = (b.witness()?, b.witness()?);
        b.mul(x, y).map(drop)
    }
}

#[test]
fn a_statement_that_asserts_nothing() {
    for check in [true, false] {
        let options = Options { check, ..options(1) };
        let session = run_honestly(&Nothing, &[F2::ONE, F2::ONE], &options);
        assert!(
            matches!(session.proved.unwrap_err(), Error::Invalid(why) if why.contains("asserts nothing"))
        );
        assert!(session.verified.is_err());
    }
}

/// A peer that stops anywhere, or says anything: an error on this side.
fn assert_survives(
    circuit: &dyn Source<F2>,
    witness: &[F2],
    from_prover: &[u8],
    from_verifier: &[u8],
    options: impl Fn(u8) -> Options,
) {
    let mut channel = Channel::new(Party::Verifier, Playback::new(from_prover.to_vec()));
    assert!(verify(circuit, &mut channel, &options(2)).is_err());
    let mut channel = Channel::new(Party::Prover, Playback::new(from_verifier.to_vec()));
    assert!(prove(circuit, witness.to_vec(), &mut channel, &options(3)).is_err());
}

#[test]
fn peers_that_close_or_talk_nonsense() {
    let (network, witness) = network(100);
    let honest = run_honestly(&network, &witness, &options(1));
    let said = [honest.from_prover, honest.from_verifier].map(|record| record.messages().concat());
    for cut in [0, 1, 11, 12, 100, 187, 188, 189, 4000] {
        assert_survives(&network, &witness, &said[0][..cut], &said[1][..cut], options);
        let nonsense = |said: &[u8]| {
            let tail = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8);
            said[..cut].iter().copied().chain(tail).collect::<Vec<u8>>()
        };
        assert_survives(&network, &witness, &nonsense(&said[0]), &nonsense(&said[1]), options);
    }
}
