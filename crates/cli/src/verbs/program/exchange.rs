//! Messages of a prover and a verifier of a run before the proof: the prover's claim.
//!
//! | step | from | message | bytes |
//! |---|---|---|---|
//! | 1 | both at once | magic `volery` and two zero bytes, then `run3`; 0 of the prover, 1 of the | |
//! | | | verifier; digest of program, memory, public input and engine | 45 |
//! | 2 | P | length of the private input (u64), 0 where it is secret; 0 and a code, or 1 and the | |
//! | | | number of a fault (u8, u32); length of the output (u64); rows (u64), 0 under public | |
//! | | | control; the output | 29 + output |
//! | 3 | V | 5 each second while it goes through the run; then 0: the proof begins, by the ordinary | |
//! | | | handshake over the same link; or why not | 1 each |
//!
//! Nothing is claimed to who does not verify the same run: roles and digests are compared first.
//!
//! Numbers are little-endian. Nothing here is part of the proof's transcript: the handshake compares the
//! digest of the statement that each side has made of it for itself. Nothing is believed, either: what is
//! claimed here is what is proved. A claim costs its verifier work all the same: it is bounded by the verifier's
//! own options, and the work ends when the link does.

use super::ending;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;
use volery::channel::{Link, MAGIC, Party};
use volery_cli::failure::{Failure, Fault, Result};
use volery_processor::{Claim, Kind, Told};

/// The bytes behind the magic, in the place of the protocol's version.
const RUN: [u8; 4] = *b"run3";

/// Answers of a verifier.
const GO_ON: u8 = 0;
const OTHER_END: u8 = 1;
const OTHER_OUTPUT: u8 = 2;
const TOO_LONG: u8 = 3;
const ITS_OWN: u8 = 4;
const COUNTING: u8 = 5;

/// How often a verifier that goes through the run says so: a prover waits for no longer than its `--timeout`.
const EVERY: Duration = Duration::from_secs(1);

/// Exchanges the first messages, as `party`, about the run that `digest` names.
fn open(link: &mut dyn Link, party: Party, digest: &[u8; 32]) -> Result<()> {
    let said = link.send(&opening(party, digest)).and_then(|()| link.flush());
    said.map_err(failed)?;
    let mut theirs = [0; 12];
    link.recv(&mut theirs).map_err(failed)?;
    if theirs[..8] != MAGIC {
        return Err(Failure::peer(
            "the peer does not speak as volery does: is the other side volery, of this version?",
        ));
    }
    if theirs[8..] != RUN {
        return Err(Failure::peer(
            "the other side proves no run of a program, or is of another version: start both by --program, or \
             none",
        ));
    }
    let mut theirs = [0; 33];
    link.recv(&mut theirs).map_err(failed)?;
    if theirs[0] == role(party) {
        let (do_both, other) = match party {
            Party::Prover => ("prove", "verify"),
            Party::Verifier => ("verify", "prove"),
        };
        return Err(Failure::peer(format_args!("both sides {do_both}: start one of them by {other}")));
    }
    if theirs[0] != role(party.other()) {
        return Err(Failure::peer(
            "the peer says of itself neither that it proves nor that it verifies: is the other side volery, of \
             this version?",
        ));
    }
    if theirs[1..] != *digest {
        return Err(Failure::peer(
            "the other side has another --program, --public-input, --memory, --stack, --misaligned or \
             --public-control: give both sides the same",
        ));
    }
    Ok(())
}

fn opening(party: Party, digest: &[u8; 32]) -> Vec<u8> {
    [&MAGIC[..], &RUN, &[role(party)], digest].concat()
}

fn role(party: Party) -> u8 {
    match party {
        Party::Prover => 0,
        Party::Verifier => 1,
    }
}

fn failed(why: io::Error) -> Failure {
    Failure::peer(format_args!("telling what is claimed: {why}: see what the other side says"))
}

/// The prover's part: tells `claim` about the run that `digest` names.
pub(super) fn tell(link: &mut dyn Link, digest: &[u8; 32], claim: &Claim, rows: u64) -> Result<()> {
    open(link, Party::Prover, digest)?;
    let (ended, value) = match claim.end {
        Told::Exit(code) => (0, code),
        Told::Fault(kind) => (1, number(kind)),
    };
    let mut message = (claim.private as u64).to_le_bytes().to_vec();
    message.push(ended);
    message.extend(value.to_le_bytes());
    message.extend((claim.output.len() as u64).to_le_bytes());
    message.extend(rows.to_le_bytes());
    message.extend(&claim.output);
    link.send(&message).and_then(|()| link.flush()).map_err(failed)?;
    let mut answer = [0];
    link.recv(&mut answer).map_err(failed)?;
    while answer[0] == COUNTING {
        link.recv(&mut answer).map_err(failed)?;
    }
    let (fault, why) = match answer[0] {
        GO_ON => return Ok(()),
        OTHER_END => (Fault::Rejected, "it demands another end of the run: agree on --exit"),
        OTHER_OUTPUT => (Fault::Rejected, "it demands another output of the run: agree on --output"),
        TOO_LONG => (Fault::Peer, "the private input, the output or the run is longer than it allows"),
        _ => (Fault::Peer, "the run fails there: see what it says"),
    };
    Err(Failure::new(fault, format_args!("the verifier does not go on: {why}")))
}

/// The claims that a verifier accepts before they are proved.
pub(super) struct Accepts<'a> {
    /// The digest of its own program, memory and public input.
    pub(super) digest: [u8; 32],
    /// How the run has to end.
    pub(super) exit: volery_processor::Demand,
    /// The bytes that the run has to give out, where they are known.
    pub(super) output: Option<&'a [u8]>,
    /// The most bytes of the private input, and of the output.
    pub(super) most: [usize; 2],
    /// The most rows.
    pub(super) rows: u64,
}

/// Receives a claim: the verifier's part. If it is not acceptable, the prover is told why. The session then
/// waits for [`go_on`].
pub(super) fn hear(link: &mut dyn Link, accepts: &Accepts<'_>) -> Result<(Claim, u64)> {
    open(link, Party::Verifier, &accepts.digest)?;
    let mut head = [0; 29];
    link.recv(&mut head).map_err(failed)?;
    let long = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
    let (ended, value) = (head[8], u32::from_le_bytes(head[9..13].try_into().expect("four bytes")));
    let lengths = [long(0), long(13)].map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    // Where control is secret there is no length that could be allowed.
    let advice = if accepts.rows == 0 { ": allow more by --max-private-input" } else { "" };
    let whats = [("a private input", advice), ("an output", "")];
    for ((length, most), (what, advice)) in lengths.iter().zip(accepts.most).zip(whats) {
        if *length > most {
            let why =
                format_args!("the prover claims {what} of {length} bytes, and {most} is the most{advice}");
            return Err(refuse(link, TOO_LONG, Failure::peer(why)));
        }
    }
    let rows = long(21);
    if rows > accepts.rows {
        let why = format_args!(
            "the prover claims a run of {rows} rows, and {} is the most: allow more by --max-cycles",
            accepts.rows
        );
        return Err(refuse(link, TOO_LONG, Failure::peer(why)));
    }
    let end = match (ended, Kind::ALL.get(value as usize)) {
        (0, _) => Told::Exit(value),
        (1, Some(kind)) => Told::Fault(*kind),
        _ => {
            let why =
                "the prover claims an end that there is not: is the other side volery, of this version?";
            return Err(refuse(link, ITS_OWN, Failure::peer(why)));
        }
    };
    let mut output = vec![0; lengths[1]];
    link.recv(&mut output).map_err(failed)?;
    if !accepts.exit.is_met_by(end) {
        let why = format_args!(
            "the prover claims {}, and {} was demanded by --exit",
            ending::told(end),
            ending::demanded(accepts.exit)
        );
        return Err(refuse(link, OTHER_END, Failure::new(Fault::Rejected, why)));
    }
    if accepts.output.is_some_and(|expected| expected != output) {
        let why = "the prover claims another output than --output";
        return Err(refuse(link, OTHER_OUTPUT, Failure::new(Fault::Rejected, why)));
    }
    Ok((Claim { private: lengths[0], output, end }, rows))
}

/// Tells the prover that the proof begins once `own` has made ready for it, or that it does not for a reason
/// of this side's.
/// The work stops where `gone` is made true, since the prover has left.
pub(super) fn go_on<T: Send>(
    link: &mut dyn Link,
    gone: &AtomicBool,
    own: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    match meanwhile(link, EVERY, gone, own) {
        Ok(ready) => {
            link.send(&[GO_ON]).and_then(|()| link.flush()).map_err(failed)?;
            Ok(ready)
        }
        // What is not this side's is that the prover asks for more than it may.
        Err(why) => Err(refuse(link, if why.fault == Fault::Peer { TOO_LONG } else { ITS_OWN }, why)),
    }
}

/// Runs `own`, and tells the prover every so often that it is still at work. If there is no prover any more,
/// `gone` becomes true, by which `own` ends, and that is the failure.
fn meanwhile<T: Send>(
    link: &mut dyn Link,
    every: Duration,
    gone: &AtomicBool,
    own: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        let own = scope.spawn(move || {
            // It ends with the thread, by a panic, too.
            let _running = running;
            own()
        });
        let mut said = Ok(());
        while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            if said.is_ok() {
                said = link.send(&[COUNTING]).and_then(|()| link.flush());
                gone.store(said.is_err(), Ordering::Relaxed);
            }
        }
        let own = own.join().unwrap_or_else(|panic| resume_unwind(panic));
        said.map_err(failed).and(own)
    })
}

fn refuse(link: &mut dyn Link, answer: u8, why: Failure) -> Failure {
    // The reason stands whether the prover hears of it or not.
    let _ = link.send(&[answer]).and_then(|()| link.flush());
    why
}

fn number(kind: Kind) -> u32 {
    Kind::ALL.iter().position(|known| *known == kind).expect("one of all") as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery::channel::pipe;
    use volery_processor::Demand;

    const DIGEST: [u8; 32] = [7; 32];
    const MOST_ROWS: u64 = 1000;

    fn accepts(exit: Demand, output: Option<&[u8]>) -> Accepts<'_> {
        Accepts { digest: DIGEST, exit, output, most: [100, 10], rows: MOST_ROWS }
    }

    fn claim() -> Claim {
        Claim { private: 100, output: b"0123456789".to_vec(), end: Told::Fault(Kind::Store) }
    }

    /// The results of both sides of an exchange.
    fn exchange(claim: &Claim, rows: u64, accepts: &Accepts<'_>) -> (Result<()>, Result<(Claim, u64)>) {
        let (mut here, mut there) = pipe(Duration::from_secs(10));
        thread::scope(|scope| {
            let prover = scope.spawn(move || tell(&mut here, &DIGEST, claim, rows));
            let verifier = hear(&mut there, accepts)
                .and_then(|heard| go_on(&mut there, &AtomicBool::default(), || Ok(heard)));
            (prover.join().expect("no panic"), verifier)
        })
    }

    #[test]
    fn a_claim_arrives_as_it_is() {
        let others = [
            Claim { private: 0, output: Vec::new(), end: Told::Exit(u32::MAX) },
            Claim { end: Told::Exit(0), ..claim() },
            claim(),
        ];
        for claim in others {
            let demand = match claim.end {
                Told::Exit(_) => Demand::AnyExit,
                Told::Fault(kind) => Demand::CrashBy(kind),
            };
            let (prover, verifier) = exchange(&claim, MOST_ROWS, &accepts(demand, Some(&claim.output)));
            prover.expect("it goes on");
            assert_eq!(verifier.expect("heard"), (claim, MOST_ROWS));
        }
    }

    #[test]
    fn both_sides_hear_why_it_does_not_go_on() {
        let crash = Demand::Crash;
        let other = Accepts { digest: [8; 32], ..accepts(crash, None) };
        let program = "the other side has another --program";
        let cases: [(Claim, Accepts<'_>, &str, &str); 5] = [
            (claim(), other, program, program),
            (
                Claim { private: 101, ..claim() },
                accepts(crash, None),
                "a private input of 101 bytes, and 100 is the most",
                "longer than it allows",
            ),
            (
                Claim { output: vec![0; 11], ..claim() },
                accepts(crash, None),
                "an output of 11 bytes, and 10 is the most",
                "longer than it allows",
            ),
            (
                claim(),
                accepts(Demand::CrashBy(Kind::Load), None),
                "claims the fault `store`, and the fault `load` was demanded",
                "agree on --exit",
            ),
            (claim(), accepts(crash, Some(b"x")), "another output than --output", "agree on --output"),
        ];
        for (claim, accepts, here, there) in cases {
            refused(exchange(&claim, MOST_ROWS, &accepts), here, there);
        }
        let longer = exchange(&claim(), MOST_ROWS + 1, &accepts(crash, None));
        refused(longer, "a run of 1001 rows, and 1000 is the most", "longer than it allows");
    }

    /// Asserts that both sides hear that it does not go on, and why.
    fn refused((prover, verifier): (Result<()>, Result<(Claim, u64)>), here: &str, there: &str) {
        let line = verifier.expect_err("refused").line;
        assert!(line.contains(here), "{line}");
        let line = prover.expect_err("refused").line;
        assert!(line.contains(there), "{line}");
    }

    /// A peer that does not have the same run, or proves it, too, is told nothing of it.
    #[test]
    fn nothing_is_claimed_to_others() {
        for (party, digest, words) in [
            (Party::Prover, DIGEST, "both sides prove: start one of them by verify"),
            (Party::Verifier, [8; 32], "the other side has another --program"),
        ] {
            let (mut here, mut there) = pipe(Duration::from_millis(200));
            here.send(&opening(party, &digest)).and_then(|()| here.flush()).expect("taken");
            let line = tell(&mut there, &DIGEST, &claim(), 0).expect_err("refused").line;
            assert!(line.contains(words), "{line}");
            drop(there);
            here.recv(&mut [0; 45]).expect("the opening");
            here.recv(&mut [0]).expect_err("nothing more");
        }
    }

    /// Every bit of the first message counts.
    #[test]
    fn a_flipped_bit_is_refused() {
        for bit in 0..8 * 45 {
            let (mut here, mut there) = pipe(Duration::from_millis(200));
            let mut message = opening(Party::Verifier, &DIGEST);
            message[bit / 8] ^= 1 << (bit % 8);
            here.send(&message).and_then(|()| here.flush()).expect("taken");
            open(&mut there, Party::Prover, &DIGEST).expect_err("refused");
        }
    }

    /// A prover hears of a verifier as long as that goes through the run.
    #[test]
    fn a_verifier_that_counts_says_so() {
        let (mut here, mut there) = pipe(Duration::from_secs(10));
        let (heard, enough) = mpsc::channel();
        let ready = thread::scope(|scope| {
            // It stays until the verifier is ready.
            let _here = scope.spawn(move || {
                for _ in 0..3 {
                    let mut answer = [0];
                    here.recv(&mut answer).expect("heard");
                    assert_eq!(answer, [COUNTING]);
                }
                heard.send(()).expect("it waits");
                here
            });
            let own = move || enough.recv().map(|()| 7).map_err(Failure::usage);
            meanwhile(&mut there, Duration::from_millis(1), &AtomicBool::default(), own)
        });
        assert_eq!(ready.expect("it is ready"), 7);
        let (mut here, mut there) = pipe(Duration::from_millis(200));
        let said = [opening(Party::Verifier, &DIGEST), vec![COUNTING, COUNTING, GO_ON]].concat();
        here.send(&said).and_then(|()| here.flush()).expect("taken");
        tell(&mut there, &DIGEST, &claim(), 0).expect("it goes on");
    }

    /// The work for a claim ends when its prover leaves, and that is what is told.
    #[test]
    fn nobody_counts_for_a_prover_that_has_left() {
        let (here, mut there) = pipe(Duration::from_secs(10));
        drop(here);
        let gone = AtomicBool::default();
        let own = || {
            while !gone.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Err::<(), _>(Failure::usage("stopped"))
        };
        let why = meanwhile(&mut there, Duration::from_millis(1), &gone, own).expect_err("it has left");
        assert!(why.line.contains("telling what is claimed") && why.fault == Fault::Peer, "{}", why.line);
    }

    /// Messages of a peer that is no prover are refused before memory is taken.
    #[test]
    fn nonsense_is_refused_before_memory_is_taken() {
        let head = |length: u64, ended: u8, value: u32| {
            let lengths = [&5u64.to_le_bytes()[..], &[ended], &value.to_le_bytes(), &length.to_le_bytes()];
            [opening(Party::Prover, &DIGEST), lengths.concat(), vec![0; 8]].concat()
        };
        let version = [&MAGIC[..], &6u32.to_le_bytes(), &[0; 60]].concat();
        for (bytes, words) in [
            (head(u64::MAX, 0, 0), "an output of 18446744073709551615 bytes"),
            (head(1 << 40, 0, 0), "an output of 1099511627776 bytes"),
            (head(0, 1, 7), "an end that there is not"),
            (head(0, 2, 0), "an end that there is not"),
            (vec![b'x'; 100], "does not speak as volery does"),
            (version, "proves no run of a program"),
            (opening(Party::Verifier, &DIGEST), "both sides verify: start one of them by prove"),
            (MAGIC.to_vec(), "telling what is claimed"),
        ] {
            let (mut here, mut there) = pipe(Duration::from_millis(200));
            here.send(&bytes).and_then(|()| here.flush()).expect("taken");
            let line = hear(&mut there, &accepts(Demand::AnyExit, None)).expect_err("refused").line;
            assert!(line.contains(words), "{line}");
        }
    }
}
