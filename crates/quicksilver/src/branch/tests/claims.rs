//! Many claims by the same clauses: honest ones, and ones of which one is wrong.

use super::*;

/// Runs both ends over the dealer, for claims with these tapes, of which so many are held at once.
fn run(
    clauses: &Several,
    tapes: &[Vec<F2>],
    (held, threads): (usize, usize),
    flip: Option<Flip>,
) -> super::Outcome {
    let shapes = &of_clauses::shapes(clauses).unwrap();
    let plan = |threads| {
        let plan = Plan::new(shapes, threads).unwrap().of_claims(tapes.len()).unwrap();
        Plan { held: held.min(plan.held), ..plan }
    };
    let (here, there) = pipe(Duration::from_secs(20));
    let (here, sent) = Tape::new(here, flip);
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let progress = &AtomicU64::new(0);
    let prover = move || {
        let vole = Box::new(ideal::Prover::new(3, BLOCK));
        let prover = Prover::new(&mut proving, vole, Arch::detect(), tapes.concat());
        let mut prover = prover.report_to(Some(progress));
        let proved = prover.one_of(&plan(threads), clauses).and_then(|()| {
            prover.lie();
            prover.finish().map(drop)
        });
        // The verifier may be gone already.
        let _ = proved.and_then(|()| proving.flush());
    };
    let verifier = move || {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta);
        verifier.one_of(&plan(1), clauses)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    let verdict = side_by_side(prover, verifier).1;
    let size = plan(1).size::<F2, F128>();
    super::Outcome { verdict, sent, size, progress: progress.load(Ordering::Relaxed) }
}

#[test]
fn claims_are_accepted_whichever_holds_for_each() {
    for (count, claims, held) in [(1, 3, 9), (2, 5, 2), (3, 4, 1), (16, 3, 2), (31, 6, 4), (70, 2, 2)] {
        let clauses = Several::of(count);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        let mut lengths = None;
        for step in [0, 1, 7] {
            let tapes: Vec<_> =
                (0..claims).map(|claim| clauses.tape(step * claim % count, &shapes)).collect();
            for threads in [1, 3] {
                let super::Outcome { verdict, sent, size, progress } =
                    run(&clauses, &tapes, (held, threads), None);
                let gates = verdict.unwrap_or_else(|error| panic!("{claims} of {count}: {error}"));
                assert_eq!(gates.size(), size, "{claims} of {count}");
                assert_eq!(gates.mul, claims as u64 * shapes.iter().map(|shape| shape.mul).sum::<u64>());
                assert_eq!((gates.clauses, progress), ((claims * count) as u64, gates.mul));
                let all: Vec<usize> = sent.messages().iter().map(Vec::len).collect();
                assert_eq!(*lengths.get_or_insert_with(|| all.clone()), all);
            }
        }
    }
}

/// A wrong claim among right ones is rejected: each by itself, at its first and last slot, whatever the
/// others are; and two that are wrong alike.
#[test]
fn one_wrong_claim_among_right_ones_is_rejected() {
    for (count, held) in [(1, 2), (2, 2), (2, 5), (16, 3)] {
        let clauses = Several::of(count);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        let tapes: Vec<_> = (0..5).map(|claim| clauses.tape(claim % count, &shapes)).collect();
        let alter = |tapes: &mut Vec<Vec<F2>>, claim: usize, last: bool| {
            let own = shapes[claim % count].size().commitments as usize;
            tapes[claim][if last { own - 1 } else { clauses.number() }] += F2::ONE;
        };
        for claim in 0..5 {
            for last in [false, true] {
                let mut tapes = tapes.clone();
                alter(&mut tapes, claim, last);
                let verdict = run(&clauses, &tapes, (held, 1), None).verdict;
                assert!(is_rejected(&verdict), "claim {claim} of {count} clauses");
                alter(&mut tapes, (claim + 1) % 5, last);
                assert!(is_rejected(&run(&clauses, &tapes, (held, 1), None).verdict));
            }
        }
        // What is wrong in all of them in the same way does not cancel.
        let mut all = tapes.clone();
        (0..5).for_each(|claim| alter(&mut all, claim, false));
        assert!(is_rejected(&run(&clauses, &all, (held, 1), None).verdict));
    }
}

#[test]
fn a_flipped_bit_in_any_message_of_claims_is_rejected() {
    let clauses = Several::of(16);
    let shapes = of_clauses::shapes(&clauses).unwrap();
    let tapes: Vec<_> = (0..3).map(|claim| clauses.tape(5 * claim, &shapes)).collect();
    let honest = run(&clauses, &tapes, (2, 1), None);
    honest.verdict.unwrap();
    for (message, bytes) in honest.sent.messages().iter().enumerate() {
        for bit in (0..8 * bytes.len()).step_by(29) {
            let verdict = run(&clauses, &tapes, (2, 1), Some(Flip { message, bit })).verdict;
            assert!(verdict.is_err(), "message {message}, bit {bit}");
        }
    }
}

#[test]
fn what_is_held_of_claims_at_once_is_bounded() {
    let shape = Shape { mul: 100_000, assert: 1, ..Shape::default() };
    let held = |shapes: &[Shape], claims| Plan::new(shapes, 1).unwrap().of_claims(claims).unwrap().held;
    assert_eq!([1, 7, 1000].map(|claims| held(&[shape], claims)), [1, 7, HELD / 100_000]);
    assert_eq!(held(&[Shape { mul: 1 << 30, ..shape }], 9), 1);
    // Many short clauses: by what comes of their groups; and long ones by the gates that are run.
    let short = vec![Shape { mul: 10, ..shape }; 1000];
    let plan = Plan::new(&short, 1).unwrap();
    assert!(held(&short, 1 << 20) * plan.groups() * (2 * plan.group + 1) <= HELD);
    assert_eq!(held(&vec![Shape { mul: 10_000, ..shape }; 100], 1 << 20), (SILENT / 1_000_000) as usize);
}

#[test]
fn claims_that_nobody_counts_are_refused() {
    let shapes = [Shape { mul: 2, assert: 1, ..Shape::default() }];
    for claims in [0, 1 << 48, usize::MAX] {
        assert!(matches!(Plan::new(&shapes, 1).unwrap().of_claims(claims), Err(Error::Invalid(_))));
    }
}
