//! Several statements on one set-up, and how the two parties come to the same correlations.

use crate::kit::{
    Ones, TIMEOUT, both, by_wolverine, disagreements, network, run, run_clauses, run_honestly, seeded,
};
use std::sync::{Arc, Mutex};
use std::thread;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::{Alternatives, Branch, Clauses, Entries, Machine, Matrix, Polynomials, Size};
use volery::error::{Disagreement, Sides};
use volery::zk::wolverine::{BINARY_BLOCK, BLOCK, Lemma, Plan};
use volery::{
    Backend as _, Binary, Checked, CheckedBy, Circuit, Correlations, Error, F2, F61, Field as _, Grounds,
    Options, Over, ProverSession, Reason, Report, System, VerifierSession, prove, prove_one_of, verify,
    verify_one_of,
};
use volery_channel::channel::side_by_side;

const TINY: Correlations = Correlations::TINY;

fn with(correlations: Option<Correlations>, bandwidth: Option<f64>) -> Options {
    Options { check: false, ..seeded(5).with_correlations(correlations).with_bandwidth(bandwidth) }
}

/// Statements of several sizes, so that they end at many places of an iteration; only the first
/// pays for the set-up.
fn statements_follow(options: &Options, all: &[Correlations], sizes: [u64; 8]) {
    for &correlations in all {
        let (here, there) = pipe(TIMEOUT);
        let options = Options { check: false, ..options.clone().with_correlations(correlations) };
        let proving = options.clone();
        let prover = thread::spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            let mut session = ProverSession::new(&mut channel, proving);
            sizes.map(|gates| {
                let (network, witness) = network(gates);
                session.prove(&network, witness).unwrap()
            })
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let mut session = VerifierSession::new(&mut channel, options);
        let verified = sizes.map(|gates| session.verify(&network(gates).0).unwrap().1);
        let proved = prover.join().unwrap();
        for (proved, verified) in proved.iter().zip(&verified) {
            assert_eq!(proved.statement, verified.statement);
            assert_eq!(proved.gates, verified.gates);
            assert_eq!(
                (proved.of::<Checked>(), proved.security),
                (verified.of::<Checked>(), verified.security)
            );
        }
        assert!(proved[0].setup_traffic.received > 8192);
        assert!(proved[1..].iter().all(|report| report.setup_traffic.received < 8192));
    }
}

#[test]
fn statements_follow_on_one_set_up() {
    statements_follow(&seeded(5), &BOTH, LONG);
}

/// The outcome of two ends that set up for 30,000 gates, under these names, and go on to statements of these sizes.
fn prepared(options: &Options, names: [u8; 2], sizes: &[u64]) -> [Result<Vec<Report>, Error>; 2] {
    let [(here, proving), (there, verifying)] = {
        let (here, there) = pipe(TIMEOUT);
        [(here, names[0]), (there, names[1])]
    };
    let size = Size::gates(30_000);
    let proved = move || {
        let mut channel = Channel::new(Party::Prover, here);
        let mut session = ProverSession::new(&mut channel, options.clone());
        session.prepare([proving; 32], size)?;
        let prove = |&gates: &u64| {
            let (network, witness) = network(gates);
            session.prove(&network, witness)
        };
        let reports: Vec<Report> = sizes.iter().map(prove).collect::<Result<_, _>>()?;
        drop(session);
        let carried = reports.iter().map(|report| report.traffic.sent).sum::<u64>();
        assert_eq!(carried, channel.traffic().sent);
        Ok(reports)
    };
    let verified = move || {
        let mut channel = Channel::new(Party::Verifier, there);
        let mut session = VerifierSession::new(&mut channel, options.clone());
        session.prepare([verifying; 32], size)?;
        sizes.iter().map(|gates| session.verify(&network(*gates).0).map(|(_, report)| report)).collect()
    };
    let (proved, verified) = side_by_side(proved, verified);
    [proved, verified]
}

/// A set-up comes before its statement, which may take more than was expected, and is reported with the first.
#[test]
fn a_set_up_may_come_before_its_statement() {
    for correlations in [None, Some(Correlations::SOFTSPOKEN4), Some(TINY)] {
        for ended in prepared(&with(correlations, None), [7, 7], &[29_000, 90_000]) {
            let reports = ended.unwrap();
            let carried = |report: &Report| report.setup_traffic.sent + report.setup_traffic.received;
            assert!(carried(&reports[0]) > 8192, "{correlations:?}");
            assert!(carried(&reports[1]) < 1024);
        }
    }
    for ended in prepared(&with(Some(TINY), None), [7, 8], &[100]) {
        assert!(matches!(ended, Err(Error::Disagreed(Disagreement::Statement(_)))));
    }
}

/// Correlations by transfers, and by LPN.
const BOTH: [Correlations; 2] = [Correlations::SOFTSPOKEN4, TINY];

/// Numbers of gates; and fewer, of which each takes some ten shares.
const LONG: [u64; 8] = [10, 5_000, 1, 70_000, 30_000, 200, 150_000, 3];
const SHORT: [u64; 8] = [10, 2_000, 1, 12_000, 5_000, 200, 15_000, 3];

#[test]
fn statements_follow_by_wolverine() {
    let one_way = |options| Options { non_interactive: true, ..options };
    statements_follow(&by_wolverine(None, None), &BOTH[1..], SHORT);
    statements_follow(&by_wolverine(None, 1000), &BOTH, SHORT);
    statements_follow(&one_way(by_wolverine(None, 2_000)), &BOTH[1..], SHORT);
}

#[test]
#[ignore = "slow"]
fn long_statements_follow_by_wolverine() {
    for block in [None, Some(1000)] {
        statements_follow(&by_wolverine(None, block), &BOTH, LONG);
    }
    statements_follow(&Options { non_interactive: true, ..by_wolverine(None, 20_000) }, &BOTH, LONG);
}

/// Numbers that are handed on, or taken.
enum Carrying {
    /// Numbers of the witness, so many, go out.
    Out(usize),
    /// Numbers come in, of which these are the squares.
    In(Vec<F61>),
}

impl<B: Machine<F = F61>> Circuit<B> for Carrying {
    fn run(&self, b: &mut B) -> Result<(), Error> {
        match self {
            Self::Out(count) => {
                let wires = (0..*count).map(|_| b.witness()).collect::<Result<Vec<_>, _>>()?;
                b.outgoing(&wires)
            }
            Self::In(squares) => {
                let wires = b.incoming(squares.len())?;
                for (wire, square) in wires.iter().zip(squares) {
                    let product = b.mul(*wire, *wire)?;
                    let expected = b.constant(-*square);
                    let difference = b.add(product, expected);
                    b.assert_zero(difference, "a square")?;
                }
                Ok(())
            }
        }
    }
}

/// The outcomes of statements behind one that hands three numbers on, of both ends.
fn carried(options: &Options, proved: &[Carrying], verified: &[Carrying]) -> [Vec<Result<(), Error>>; 2] {
    let numbers = [2, 3, 4].map(F61::new);
    let (here, there) = pipe(TIMEOUT);
    let prover = || {
        let mut channel = Channel::new(Party::Prover, here);
        let mut session = ProverSession::<Over<F61>>::over(&mut channel, options.clone());
        session.carry(3).unwrap();
        session.prove(&Carrying::Out(3), numbers).unwrap();
        let prove = |next| {
            session.name_next([1; 32]);
            session.prove(next, []).map(drop)
        };
        proved.iter().map(prove).collect()
    };
    let verifier = || {
        let mut channel = Channel::new(Party::Verifier, there);
        let mut session = VerifierSession::<Over<F61>>::over(&mut channel, options.clone());
        session.carry(3).unwrap();
        let (_accepted, _) = session.verify(&Carrying::Out(3)).unwrap();
        let verify = |next| {
            session.name_next([1; 32]);
            session.verify(next).map(drop)
        };
        verified.iter().map(verify).collect()
    };
    let (proved, verified) = side_by_side(prover, verifier);
    [proved, verified]
}

/// Wires of one statement are good in all behind it, and no other values pass for theirs.
#[test]
fn wires_are_carried_from_statement_to_statement() {
    let squares = |numbers: &[u64]| Carrying::In(numbers.iter().map(|number| F61::new(*number)).collect());
    let right = || squares(&[4, 9, 16]);
    for check in [true, false] {
        let options = Options { check, ..seeded(5) };
        for ended in carried(&options, &[right(), right()], &[right(), right()]) {
            assert!(ended.iter().all(Result::is_ok), "{ended:?}");
        }
    }
    let [proved, _] = carried(&seeded(5), &[squares(&[4, 9, 17])], &[]);
    assert!(matches!(proved[..], [Err(Error::Unsatisfied(_))]), "{proved:?}");
    let unchecked = Options { check: false, ..seeded(5) };
    let [_, verified] = carried(&unchecked, &[right()], &[squares(&[4, 9, 17])]);
    assert!(matches!(verified[..], [Err(Error::Rejected(_))]), "{verified:?}");
    // All of them are taken.
    for ended in carried(&unchecked, &[squares(&[4, 9])], &[squares(&[4, 9])]) {
        assert!(ended[0].is_err(), "{ended:?}");
    }
    // No other system has such wires.
    let wolverine = by_wolverine(None, None);
    let (here, _) = pipe(TIMEOUT);
    let mut channel = Channel::new(Party::Prover, here);
    let carried = ProverSession::<Over<F61>>::over(&mut channel, wolverine).carry(1);
    assert!(matches!(carried, Err(Error::Invalid(_))));
}

/// A name is for one statement: the next one has its own, or is named by its gates.
#[test]
fn a_name_does_not_stick() {
    let (here, there) = pipe(TIMEOUT);
    let named = || Options { statement: Some([1; 32]), ..with(None, None) };
    let prover = thread::spawn(move || {
        let mut channel = Channel::new(Party::Prover, here);
        let mut session = ProverSession::new(&mut channel, named());
        let mut prove = |gates, name: Option<[u8; 32]>| {
            let (network, witness) = network(gates);
            if let Some(name) = name {
                session.name_next(name);
            }
            session.prove(&network, witness).map(|report| report.statement)
        };
        assert_eq!(prove(10, None).unwrap(), [1; 32]);
        assert_eq!(prove(20, Some([2; 32])).unwrap(), [2; 32]);
        let error = prove(30, None).unwrap_err();
        assert!(matches!(error, Error::Disagreed(Disagreement::Statement(_))), "{error}");
    });
    let mut channel = Channel::new(Party::Verifier, there);
    let mut session = VerifierSession::new(&mut channel, named());
    assert!(session.verify(&network(10).0).is_ok());
    session.name_next([2; 32]);
    assert!(session.verify(&network(20).0).is_ok());
    assert!(session.verify(&network(31).0).is_err());
    prover.join().unwrap();
}

#[test]
fn an_error_ends_the_session() {
    let (here, there) = pipe(TIMEOUT);
    let prover = thread::spawn(move || {
        let mut channel = Channel::new(Party::Prover, here);
        let mut session = ProverSession::new(&mut channel, with(None, None));
        let (network, mut witness) = network(100);
        session.prove(&network, witness.clone()).unwrap();
        witness.pop();
        assert!(matches!(session.prove(&network, witness.clone()), Err(Error::Invalid(_))));
        witness.pop();
        let error = session.prove(&network, witness).unwrap_err();
        assert!(error.to_string().contains("has ended"), "{error}");
    });
    let mut channel = Channel::new(Party::Verifier, there);
    let mut session = VerifierSession::new(&mut channel, with(None, None));
    let (network, _) = network(100);
    assert!(session.verify(&network).is_ok());
    assert!(session.verify(&network).is_err());
    assert!(session.verify(&network).unwrap_err().to_string().contains("has ended"));
    prover.join().unwrap();
}

/// The result of two proposals, on both sides.
fn settled(
    gates: u64,
    prover: Options,
    verifier: Options,
) -> Result<(Correlations, Reason), Vec<Disagreement>> {
    let (network, witness) = network(gates);
    let session = run((&network, &witness, &prover), (&network, &verifier), None);
    match (session.proved, session.verified) {
        (Ok(proved), Ok((_, verified))) => {
            assert_eq!(proved.choice, verified.choice);
            let choice = proved.choice.unwrap();
            Ok((choice.correlations, choice.reason))
        }
        (proved, verified) => Err(disagreements(proved, verified).into()),
    }
}

/// The bandwidths by which was chosen, each way.
fn bandwidths(reason: Reason) -> [f64; 2] {
    let Reason::Fastest(Grounds { line, .. }) = reason else { panic!("{reason}") };
    [line.forward, line.backward]
}

#[test]
fn proposals_are_settled_alike() {
    let auto = || with(None, None);
    let eight = Correlations::SOFTSPOKEN8;
    assert_eq!(settled(10, auto(), auto()), Ok((eight, Reason::Small)));
    assert_eq!(settled(10, with(Some(TINY), None), auto()), Ok((TINY, Reason::Given)));
    assert_eq!(settled(10, auto(), with(Some(TINY), None)), Ok((TINY, Reason::Given)));
    let error = settled(10, with(Some(eight), None), with(Some(TINY), None)).unwrap_err();
    let names = [["softspoken8", "tiny"], ["tiny", "softspoken8"]];
    assert_eq!(error, names.map(|[ours, theirs]| Disagreement::Correlations(Sides { ours, theirs })));

    // Large enough for the bandwidth to matter: the smaller of the two given ones counts, or a measured one.
    let large = Binary::SMALL_STATEMENT + 1;
    let (_, reason) = settled(large, with(None, Some(70.9)), with(None, Some(5000.0))).unwrap();
    assert_eq!(bandwidths(reason), [70.0; 2]);
    let (_, reason) = settled(large, auto(), with(None, Some(30.0))).unwrap();
    assert_eq!(bandwidths(reason), [30.0; 2]);
    let (_, reason) = settled(large, auto(), auto()).unwrap();
    assert!(bandwidths(reason).into_iter().all(|measured| measured > 30.0), "{reason}");
}

/// Wolverine chooses correlations for the shares of its triples, too; an announced size is that of gates.
#[test]
fn wolverine_chooses_for_all_its_shares() {
    let by_wolverine =
        |bandwidth| Options { check: false, ..by_wolverine(None, None).with_bandwidth(bandwidth) };
    let eight = Correlations::SOFTSPOKEN8;
    assert_eq!(settled(10, by_wolverine(None), by_wolverine(None)), Ok((eight, Reason::Small)));
    let firm = by_wolverine(None).with_correlations(TINY);
    assert_eq!(settled(10, by_wolverine(None), firm), Ok((TINY, Reason::Given)));
    // Buckets of three, and 10 shares to a gate.
    let gates = Binary::SMALL_STATEMENT / 8;
    assert_eq!(settled(gates, with(None, Some(70.0)), with(None, None)), Ok((eight, Reason::Small)));
    let (_, reason) = settled(gates, by_wolverine(Some(70.9)), by_wolverine(Some(5000.0))).unwrap();
    assert_eq!(bandwidths(reason), [70.0; 2]);
    let (_, reason) = settled(gates, by_wolverine(None), by_wolverine(None)).unwrap();
    assert!(bandwidths(reason).into_iter().all(|measured| measured > 30.0), "{reason}");
    let announced = |gates| Options { size: Some(Size::gates(gates)), ..by_wolverine(Some(100.0)) };
    let (_, reason) = settled(10, announced(gates), announced(gates)).unwrap();
    assert_eq!(bandwidths(reason), [100.0; 2]);
    let error = settled(10, announced(10), announced(11)).unwrap_err();
    let [Disagreement::Shares(proving), Disagreement::Shares(verifying)] = error[..] else {
        panic!("{error:?}")
    };
    assert_eq!((proving.ours, proving.theirs), (verifying.theirs, verifying.ours));
    assert!(proving.ours < proving.theirs, "{proving}");
    // By the degree both know how many shares mask the check.
    let of_degree = |degree| Options { size: Some(Size { degree, ..Size::gates(10) }), ..with(None, None) };
    let error = settled(10, of_degree(2), of_degree(10)).unwrap_err();
    let [ours, theirs] = [2, 10];
    let sides = [Sides { ours, theirs }, Sides { ours: theirs, theirs: ours }];
    assert_eq!(error, sides.map(Disagreement::Degree));
}

#[test]
fn reports_say_what_was_checked() {
    let checked = |gates, options: &Options| {
        let (network, witness) = network(gates);
        let session = run_honestly(&network, &witness, options);
        let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
        assert_eq!((proved.of::<Checked>(), proved.security), (verified.of::<Checked>(), verified.security));
        assert!(proved.security.statistical >= options.security.unwrap_or(40));
        assert_eq!(proved.gates.mul, gates);
        proved.of::<Checked>().copied()
    };
    for (gates, given, bits, one_way) in [
        (5000, None, 40, false),
        (5000, Some(600), 40, false),
        (4800, Some(600), 40, false),
        (599, Some(600), 40, false),
        (1, Some(1), 40, false),
        (5000, Some(600), 80, false),
        (5000, None, 60, false),
        (1000, Some(600), 40, true),
    ] {
        let security = (bits != 40).then_some(bits);
        let options = Options { security, non_interactive: one_way, ..by_wolverine(None, given) };
        let checked = checked(gates, &options).unwrap();
        let usual = if bits == 40 && !one_way { BINARY_BLOCK } else { BLOCK };
        let block = given.unwrap_or(usual);
        let bits = if one_way { 128 } else { bits };
        let plan = Plan::of(gates.min(block), Lemma { bits, reserve: Lemma::RESERVE }).unwrap();
        assert_eq!((checked.by, checked.block), (CheckedBy::Buckets, block));
        assert_eq!((checked.bucket, checked.opened), (plan.bucket, plan.opened), "{gates} of {block}");
        assert_eq!(checked.blocks, gates.div_ceil(block));
    }
    assert_eq!(checked(100, &seeded(1)), None);
}

/// Proofs by garbling follow on one channel, and each draws its own secrets: no salt, label, S, Δ or K comes
/// again, nor any message of the prover.
#[test]
fn garbled_proofs_share_no_secret() {
    let (network, witness) = network(40);
    let clauses = Ones(vec![4, 9]);
    let by = |system: System, seed| Options { method: system.into(), ..seeded(seed) };
    let session = both(
        |channel| {
            prove(&network, witness.clone(), channel, &by(System::JKO, 1))?;
            prove_one_of(&clauses, 1, clauses.witness(1), channel, &by(System::STACK, 2))?;
            prove(&network, witness.clone(), channel, &by(System::JKO, 3))
        },
        |channel| {
            let _ = verify(&network, channel, &by(System::JKO, 4))?;
            let _ = verify_one_of(&clauses, channel, &by(System::STACK, 5))?;
            verify(&network, channel, &by(System::JKO, 6))
        },
        None,
    );
    assert!(session.proved.is_ok() && session.verified.is_ok());
    let mut said = std::collections::HashSet::new();
    for message in [session.from_prover, session.from_verifier].iter().flat_map(|tape| tape.messages()) {
        // All but the protocol's name and the verdicts.
        assert!(message.len() <= 12 || said.insert(message));
    }
    assert!(said.len() > 50);
}

/// A clause that holds where a bit is zero, and one that asserts something of so many lanes of it.
struct Emptied(usize);

impl Alternatives for Emptied {
    fn count(&self) -> usize {
        2
    }
}

impl<B: Polynomials<F = F2>> Clauses<B> for Emptied {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> volery::Result<()> {
        let bit = [b.witness()?];
        if clause == 0 {
            return b.assert_zero(bit[0], "zero");
        }
        let lanes = b.vector(&bit[..self.0]);
        b.assert_zeroes(lanes, "lanes")
    }
}

/// A clause that asserts nothing would hold for anything: neither party goes on.
#[test]
fn a_clause_that_asserts_nothing_is_refused_by_both() {
    for system in [System::QUICKSILVER, System::STACK, System::JKO] {
        for statement in [None, Some([1; 32])] {
            let options = Options { method: system.into(), statement, ..seeded(1) };
            let run = |clauses: &Emptied| {
                run_clauses((clauses, 0, &[F2::ZERO], &options), (clauses, &options), None)
            };
            let session = run(&Emptied(1));
            assert!(session.proved.is_ok() && session.verified.is_ok());
            let session = run(&Emptied(0));
            let errors = [session.proved.map(drop), session.verified.map(drop)].map(Result::unwrap_err);
            assert!(errors.iter().all(|error| error.to_string().contains("asserts nothing")), "{errors:?}");
        }
    }
}

/// Clauses that hold for so many bits that are their number, of which one has a product of matrices, and
/// that write down which of them is evaluated in the clear, and how far.
#[derive(Default)]
struct Noted {
    evaluated: Arc<Mutex<Vec<(usize, u32)>>>,
}

impl Noted {
    const BITS: u32 = 2;

    fn number(clause: usize) -> Vec<F2> {
        (0..Self::BITS).map(|bit| F2::from(clause >> bit & 1 == 1)).collect()
    }
}

impl Alternatives for Noted {
    fn count(&self) -> usize {
        3
    }
}

impl<B: Polynomials<F = F2>> Clauses<B> for Noted {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> volery::Result<()> {
        let mut read = Vec::new();
        for (place, number) in (0..).zip(Self::number(clause)) {
            let bit = b.witness()?;
            // Only who knows values computes a hint. Before the second the first bit has failed, mostly.
            let evaluated = self.evaluated.clone();
            b.hint(&[bit], move |bit| {
                evaluated.lock().unwrap().push((clause, place));
                bit[0]
            })?;
            let number = b.constant(number);
            let difference = b.add(bit, number);
            b.assert_zero(difference, "the number")?;
            read.push(bit);
        }
        if clause == 1 {
            let (row, column) = (Matrix::new(&read, 2), Matrix::new(&read, 1));
            b.assert_matrix_product(row, column, Entries::Public(&[F2::ONE]), "row by column")?;
        }
        // It has come to its end.
        let evaluated = self.evaluated.clone();
        b.hint(&[], move |_| {
            evaluated.lock().unwrap().push((clause, Self::BITS));
            F2::ZERO
        })
        .map(drop)
    }
}

/// Before the first byte a prover evaluates its own clause, and with fixed work all to their ends in the same
/// order, whichever holds; as one circuit all of them. While it proves it computes no hint of a clause.
#[test]
fn clauses_are_evaluated_alike_where_work_is_fixed() {
    let evaluated = |system: System, fixed_work, chosen: usize| {
        let options = Options { method: system.into(), fixed_work, ..seeded(1) };
        let (proved, verified) = (Noted::default(), Noted::default());
        let witness = Noted::number(chosen);
        let session = run_clauses((&proved, chosen, &witness, &options), (&verified, &options), None);
        assert!(session.proved.is_ok() && session.verified.is_ok());
        assert!(verified.evaluated.lock().unwrap().is_empty());
        proved.evaluated.lock().unwrap().clone()
    };
    let whole = |clause| (0..=Noted::BITS).map(move |place| (clause, place));
    let all: Vec<_> = (0..3).flat_map(whole).collect();
    for chosen in 0..3 {
        for system in [System::STACK, System::QUICKSILVER] {
            assert!(evaluated(system, false, chosen).into_iter().eq(whole(chosen)));
            assert_eq!(evaluated(system, true, chosen), all);
        }
        assert_eq!(evaluated(System::JKO, false, chosen), all);
    }
}
