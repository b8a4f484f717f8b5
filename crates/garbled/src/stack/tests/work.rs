//! Work of a prover, and its time: with fixed work it is the same whichever clause is the prover's.

use super::*;
use crate::garble::privacy_free::{Evaluator, Garbler};
use core::sync::atomic::AtomicU64;
use std::sync::Mutex;
use std::time::Duration;
use volery_channel::channel::{Party, Recording, Tape, pipe};
use volery_circuit::{Alternatives, Branch, Clauses};

/// A run of a clause: how many messages the prover had sent by then, the party that ran it, and the clause.
type Event = (usize, &'static str, usize);

/// Clauses that write down who runs them.
struct Noted<'a> {
    clauses: &'a Several,
    said: Recording,
    events: Mutex<Vec<Event>>,
}

impl Noted<'_> {
    fn note(&self, who: &'static str, clause: usize) {
        self.events.lock().unwrap().push((self.said.messages().len(), who, clause));
    }
}

impl Alternatives for Noted<'_> {
    fn count(&self) -> usize {
        self.clauses.count()
    }
}

impl<'g> Clauses<Garbler<'g>> for Noted<'_> {
    fn run(&self, clause: usize, b: &mut Branch<'_, Garbler<'g>>) -> Result<()> {
        self.note("garbler", clause);
        self.clauses.run(clause, b)
    }
}

impl<'g> Clauses<Evaluator<'g>> for Noted<'_> {
    fn run(&self, clause: usize, b: &mut Branch<'_, Evaluator<'g>>) -> Result<()> {
        self.note("evaluator", clause);
        self.clauses.run(clause, b)
    }
}

/// The events of a prover of clause number `chosen`, in order, and the ANDs that it says it garbled.
fn done(terms: Terms, clauses: &Several, chosen: usize) -> (Vec<Event>, u64) {
    let values = values(&clauses.0[chosen], true);
    let own = (chosen, &values[..]);
    let (sender, receiver) = ideal::deal(&choices(&terms, own), 5);
    let (here, there) = pipe(Duration::from_secs(20));
    let (here, said) = Tape::new(here, None);
    let noted = Noted { clauses, said, events: Mutex::default() };
    let progress = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let proving = scope.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            let terms = Terms { progress: Some(&progress), ..terms };
            dealt_prover(&mut channel, terms, own, receiver).prove(&mut channel, &noted, &mut random(2))?;
            channel.flush()
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let verdict =
            dealt_verifier(&mut channel, terms, sender).verify(&mut channel, clauses, &mut random(4));
        let _: Accepted = verdict.unwrap();
        proving.join().unwrap().unwrap();
    });
    (noted.events.into_inner().unwrap(), progress.into_inner())
}

/// Before it commits itself it garbles all clauses and evaluates all, and garbles all
/// again before it answers.
#[test]
fn fixed_work_does_not_depend_on_the_clause() {
    let (clauses, shapes) = clauses(5);
    let ands: u64 = shapes.iter().map(|shape| shape.mul).sum();
    for seeds in Seeds::ALL {
        for threads in [1, 3] {
            let terms = Terms { fixed_work: true, threads, ..terms(&shapes, seeds) };
            let garbled = |said| (0..5).map(move |clause| (said, "garbler", clause));
            let evaluated = (0..5).map(|clause| (0, "evaluator", clause));
            let expected: Vec<Event> = garbled(0).chain(evaluated).chain(garbled(1)).collect();
            for chosen in 0..5 {
                let (mut events, progress) = done(terms, &clauses, chosen);
                if threads > 1 {
                    // In the order of steps, and any order within one.
                    let order = |event: &Event| (event.0, event.1 == "evaluator", event.2);
                    assert!(events.is_sorted_by_key(|event| (event.0, event.1 == "evaluator")));
                    events.sort_by_key(order);
                }
                assert_eq!(events, expected, "clause {chosen}, {threads} threads");
                assert_eq!(progress, 2 * ands, "clause {chosen}, {threads} threads");
            }
        }
    }
}

/// Each clause is garbled once and one is evaluated, less than without a stack.
#[test]
fn without_fixed_work_each_clause_is_garbled_once() {
    let (clauses, shapes) = clauses(4);
    for chosen in 0..4 {
        let (events, progress) = done(terms(&shapes, Seeds::Tree), &clauses, chosen);
        let others = (0..4).filter(|clause| *clause != chosen).map(|clause| (0, "garbler", clause));
        let own = [(0, "evaluator", chosen), (1, "garbler", chosen)];
        assert_eq!(events, others.chain(own).collect::<Vec<Event>>());
        assert_eq!(progress, shapes.iter().map(|shape| shape.mul).sum::<u64>());
    }
}
