//! Proof files, as a caller of the library meets them.

use crate::kit::{ABC, network, preimage, seeded};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use volery::circuit::Network;
use volery::error::{Disagreement, Sides};
use volery::zk::limbo::{Aggregation, Challenges, Preference, Wishes};
use volery::{Error, F2, LONGEST_LABEL, Options, Proof, Result, Simulation, System, prove_to, verify_from};

/// The bytes of a header without its label.
const HEADER: usize = 118;

fn by(wishes: Wishes) -> Options {
    by_threads(wishes, Aggregation::default(), 1)
}

fn by_threads(wishes: Wishes, aggregation: Aggregation, threads: usize) -> Options {
    Options {
        method: Simulation { wishes, aggregation }.into(),
        threads: NonZeroUsize::new(threads).unwrap(),
        most_work: 100,
        ..seeded(1)
    }
}

fn labelled(label: &str) -> Options {
    Options { method: System::LIMBO.into(), label: label.into(), ..seeded(1) }
}

fn proof(network: &Network, state: &[F2], options: &Options) -> Vec<u8> {
    let mut out = vec![];
    prove_to(network, state.to_vec(), &mut out, options).unwrap();
    out
}

fn check(network: &Network, proof: &[u8], options: &Options) -> Result<()> {
    verify_from(network, &mut { proof }, options).map(|(_accepted, _)| ())
}

/// Reports of both parties say what was asked for, and the file has the bytes of both formulas.
#[test]
fn proofs_by_preference() {
    let (network, state) = network(2000);
    for preference in [Preference::Speed, Preference::Balanced, Preference::Size] {
        for threads in [1, 2] {
            let wishes = Wishes { preference, ..Wishes::default() };
            let options = by_threads(wishes, Aggregation::default(), threads);
            let mut out = vec![];
            let proved = prove_to(&network, state.clone(), &mut out, &options).unwrap();
            let (_accepted, verified) = verify_from(&network, &mut &out[..], &options).unwrap();
            let [made, read] = [&proved, &verified].map(|report| report.of::<Proof>().unwrap());
            assert_eq!((made.parameters, made.bytes), (read.parameters, read.bytes));
            assert_eq!(proved.traffic.sent, made.bytes + HEADER as u64);
            assert_eq!((verified.traffic.received, verified.gates), (out.len() as u64, proved.gates));
            assert_eq!((proved.security, proved.security.computational), (verified.security, 128));
            assert_eq!(proved.statement, verified.statement);
        }
    }
}

/// A relation, with everything that a statement has.
#[test]
fn a_preimage_in_a_file() {
    let (statement, witness) = preimage(b"abc", ABC);
    let options = by(Wishes::default());
    let mut out = vec![];
    prove_to(statement.source(), witness.clone(), &mut out, &options).unwrap();
    let _ = verify_from(statement.source(), &mut &out[..], &options).unwrap();
    let wrong: Vec<F2> =
        witness.iter().enumerate().map(|(i, &bit)| if i == 3 { bit + F2::from(true) } else { bit }).collect();
    let mut nothing = vec![];
    let refused = prove_to(statement.source(), wrong, &mut nothing, &options);
    assert!(matches!(refused, Err(Error::Unsatisfied(_))) && nothing.is_empty());
}

/// Any bit of a header changed: never accepted, never a panic, and a clear word where it
/// is not a proof at all.
#[test]
fn headers_that_were_changed() {
    let (network, state) = network(40);
    let options = labelled("x = 5");
    let honest = proof(&network, &state, &options);
    for at in 0..HEADER + 5 {
        for change in 0..8 {
            let mut changed = honest.clone();
            changed[at] ^= 1 << change;
            let error = check(&network, &changed, &options).unwrap_err();
            assert!(matches!(error, Error::Rejected(_) | Error::Disagreed(_)), "byte {at}: {error:?}");
        }
    }
    for number in [0_u32, 1, 3, 255, 4096, 1 << 31, u32::MAX] {
        for place in [12, 16, 48, 52, 56, 60, 114] {
            let mut changed = honest.clone();
            changed[place..place + 4].copy_from_slice(&number.to_le_bytes());
            assert!(check(&network, &changed, &options).is_err() || changed == honest, "{number} at {place}");
        }
    }
}

#[test]
fn labels_are_compared_where_one_is_given() {
    let (network, state) = network(40);
    let honest = proof(&network, &state, &labelled("x = 5"));
    check(&network, &honest, &labelled("x = 5")).unwrap();
    check(&network, &honest, &labelled("")).unwrap();
    match check(&network, &honest, &labelled("x = 6")).unwrap_err() {
        Error::Disagreed(Disagreement::FileLabel(Sides { ours, theirs })) => {
            assert_eq!((&*ours, &*theirs), ("x = 6", "x = 5"));
        }
        error => panic!("{error}"),
    }
    let long = "a".repeat(LONGEST_LABEL + 1);
    let refused = prove_to(&network, state.clone(), &mut vec![], &labelled(&long));
    assert!(matches!(refused, Err(Error::Invalid(_))));
    // The words of a stranger do not fill a screen.
    let long = "a".repeat(LONGEST_LABEL);
    let error = check(&network, &proof(&network, &state, &labelled(&long)), &labelled("b")).unwrap_err();
    assert!(error.to_string().len() < 1000);
}

#[test]
fn files_of_other_statements() {
    let (here, state) = network(40);
    let options = by(Wishes::default());
    let honest = proof(&here, &state, &options);
    let error = check(&here.variant(1), &honest, &options).unwrap_err();
    assert!(matches!(error, Error::Disagreed(Disagreement::FileStatement(_))));
    // Another size under the same name: whoever names statements wrongly is told so.
    let named = Options { statement: Some([7; 32]), ..options.clone() };
    let honest = proof(&here, &state, &named);
    let error = check(&network(41).0, &honest, &named).unwrap_err();
    assert!(matches!(error, Error::Disagreed(Disagreement::FileSize { .. })));
    assert!(check(&here.variant(1), &honest, &named).is_err(), "the same size under the same name");
}

/// Work that is foretold is what it comes to, for both.
#[test]
fn work_is_foretold() {
    let (network, state) = network(3000);
    for (wishes, aggregation, threads) in [
        (Wishes::default(), Aggregation::Hypercube, 1),
        (Wishes { parties: Some(16), ..Wishes::default() }, Aggregation::Parties, 2),
    ] {
        let counted = || {
            let [progress, work] = [(); 2].map(|()| Arc::<AtomicU64>::default());
            let options = by_threads(wishes, aggregation, threads);
            (
                Options { progress: Some(progress.clone()), work: Some(work.clone()), ..options },
                progress,
                work,
            )
        };
        let (options, done, foretold) = counted();
        let proof = proof(&network, &state, &options);
        assert_eq!(done.load(Relaxed), foretold.load(Relaxed));
        assert!(done.load(Relaxed) >= 3000);
        let (options, done, foretold) = counted();
        check(&network, &proof, &options).unwrap();
        assert_eq!(done.load(Relaxed), foretold.load(Relaxed));
        assert!(done.load(Relaxed) >= 3000);
    }
}

/// A verifier says what it asks for; fewer than 100 bits nobody gets.
#[test]
fn files_that_are_worth_too_little() {
    let (network, state) = network(40);
    let hundred = Options { security: Some(100), ..by(Wishes::default()) };
    let honest = proof(&network, &state, &hundred);
    check(&network, &honest, &hundred).unwrap();
    let error = check(&network, &honest, &by(Wishes::default())).unwrap_err();
    let worth = matches!(
        error,
        Error::Disagreed(Disagreement::FileParameters { security: 128, worth: Some(100..=127), .. })
    );
    assert!(worth, "{error}");
    for security in [0, 40, 99, 129] {
        let options = Options { security: Some(security), ..by(Wishes::default()) };
        assert!(matches!(prove_to(&network, state.clone(), &mut vec![], &options), Err(Error::Invalid(_))));
        assert!(matches!(check(&network, &honest, &options), Err(Error::Invalid(_) | Error::Disagreed(_))));
    }
    let wishes = Wishes { repetitions: Some(10), ..Wishes::default() };
    let refused = prove_to(&network, state.clone(), &mut vec![], &by(wishes)).unwrap_err().to_string();
    assert!(refused.contains("31 do"), "it says how many are needed: {refused}");
    // More than any security takes is work that a stranger would make for the verifier.
    let wishes = Wishes { repetitions: Some(40), ..Wishes::default() };
    let refused = prove_to(&network, state.clone(), &mut vec![], &by(wishes)).unwrap_err().to_string();
    assert!(refused.contains("wish for fewer"), "{refused}");
    let mut changed = proof(&network, &state, &by(Wishes::default()));
    changed[60] = 40;
    let error = check(&network, &changed, &by(Wishes::default())).unwrap_err();
    assert!(matches!(error, Error::Disagreed(Disagreement::FileParameters { security: 128, .. })), "{error}");
}

#[test]
fn wishes_are_in_the_file() {
    let (network, state) = network(700);
    for aggregation in Aggregation::ALL {
        let wishes = Wishes {
            parties: Some(8),
            compression: Some(7),
            field_bits: Some(96),
            challenges: Some(Challenges::Independent),
            ..Wishes::default()
        };
        let options = by_threads(wishes, aggregation, 1);
        let honest = proof(&network, &state, &options);
        // The verifier takes them from there.
        let (_accepted, report) = verify_from(&network, &mut &honest[..], &by(Wishes::default())).unwrap();
        let parameters = report.of::<Proof>().unwrap().parameters;
        assert_eq!((parameters.parties, parameters.compression, parameters.field.bits), (8, 7, 96));
        assert_eq!(parameters.challenges, Challenges::Independent);
    }
}

#[test]
fn only_some_systems_make_files() {
    let (network, state) = network(40);
    // QuickSilver is what options name where nobody chose.
    let others = |system: &System| !system.facts().files && *system != System::QUICKSILVER;
    for system in System::ALL.into_iter().filter(others) {
        let options = Options { method: system.into(), ..seeded(1) };
        let error = prove_to(&network, state.clone(), &mut vec![], &options).unwrap_err().to_string();
        assert!(error.contains("take voleith or limbo"), "{error}");
        assert!(check(&network, &[], &options).is_err());
    }
}

/// A disk that is full, and one that breaks.
struct Broken(usize);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[test]
fn files_that_break() {
    let (network, state) = network(40);
    let options = by(Wishes::default());
    for room in [0, 100, 1000] {
        let written = prove_to(&network, state.clone(), &mut Broken(room), &options);
        assert!(matches!(written, Err(Error::Io { doing: "writing the proof", .. })));
    }
    let read = verify_from(&network, &mut Broken(0), &options);
    assert!(matches!(read, Err(Error::Io { doing: "reading the proof", .. })));
}
