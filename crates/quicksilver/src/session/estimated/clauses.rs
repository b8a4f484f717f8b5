//! Traffic of a proof of one of several clauses by QuickSilver.

use super::counted::{prove, verify};
use super::sent;
use crate::branch::{self, Plan};
use crate::session::Analysed as _;
use crate::session::Registered;
use crate::session::clauses::Pushed;
use crate::session::direct::Stated;
use crate::session::direct::{DirectClauses, Proposition};
use crate::session::{Supported, over};
use std::time::Duration;
use volery_channel::channel::{Carried, Channel, Party, pipe, side_by_side};
use volery_channel::error::Result;
use volery_circuit::stream::ClauseStream;
use volery_circuit::{Alternatives, Backend, Branch, Clauses, OneOf, Shape, clauses as of_clauses};
use volery_primitives::{F2, F61, F61x2, F128, F256, F65537, F65537x4, Field, MacField};
use volery_proof::binary::Binary;
use volery_proof::clauses::Evaluation;
use volery_proof::correlations::Correlations;
use volery_proof::estimate::Estimate;
use volery_proof::options::Options;
use volery_proof::over::Over;
use volery_proof::report::Report;
use volery_proof::setting::Setting;
use volery_proof::system::Claim;
use volery_proof::testing::{Dealt, counted};
use volery_proof::verdict::Gates;
use volery_vole::macs::{BitMacs, FieldMacs};

/// For each clause the number of bits which the prover knows to be ones.
struct Ones(Vec<usize>);

impl Alternatives for Ones {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<B: Backend> Clauses<B> for Ones {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let mut all = b.constant(B::F::ONE);
        for _ in 0..self.0[clause] {
            let bit = b.witness()?;
            all = b.mul(all, bit)?;
        }
        let one = b.constant(-B::F::ONE);
        let zero = b.add(all, one);
        b.assert_zero(zero, "all are ones")
    }
}

/// The tape of a prover that knows the ones of this clause.
fn tape<F: Field>(ones: &Ones, shapes: &[Shape], chosen: usize) -> Vec<F> {
    let clauses = &ClauseStream::<F>::new(ones);
    let counts: Vec<_> = shapes.iter().map(|shape| shape.size().commitments as usize).collect();
    let evaluation = Evaluation { clauses, shapes, counts: &counts, products: true };
    let values = evaluation.values(chosen, &vec![F::ONE; ones.0[chosen]], false).unwrap();
    let mut tape = values.to_vec();
    tape.resize(Plan::new(shapes, 1).unwrap().slots(), F::ZERO);
    tape
}

/// A proof where this clause holds, and its gates.
fn over_tape<S: Dealt + Supported>(
    ones: &Ones,
    chosen: usize,
    correlations: Correlations,
) -> (Estimate, Gates)
where
    Ones: DirectClauses<S>,
{
    let shapes = &of_clauses::shapes::<S::F, _>(ones).unwrap();
    let tape = tape(ones, shapes, chosen);
    let direct = if S::MONOMORPHIC { Some(ones as &dyn DirectClauses<S>) } else { None };
    counted::<S>(
        correlations,
        Carried::default(),
        |channel, vole| {
            let (clauses, plan) = (ClauseStream::new(ones), Plan::new(shapes, 1)?);
            let pushed = Pushed { clauses: &clauses, direct, plan: &plan };
            prove(channel, vole, tape, &Proposition::by(&OneOf(ones), &pushed))
        },
        |channel, vole, secrets| {
            let (clauses, plan) = (ClauseStream::new(ones), Plan::new(shapes, 1)?);
            let pushed = Pushed { clauses: &clauses, direct, plan: &plan };
            verify(channel, vole, secrets, &Proposition::by(&OneOf(ones), &pushed))
        },
    )
}

/// The verifier's report of a session where this clause holds.
fn session<S: Supported>(ones: &Ones, chosen: usize, correlations: Correlations) -> Report {
    let options = Options::default().with_correlations(Some(correlations));
    let (here, there) = pipe(Duration::from_secs(60));
    let prover = || {
        let mut channel = Channel::new(Party::Prover, here);
        let witness = vec![S::F::ONE; ones.0[chosen]];
        let claims: &[Claim<'_, S::F>] = &[(chosen, &witness)];
        over::<S>().prove_claims(Stated::of(ones), claims, &mut channel, &options).unwrap();
    };
    let verifier = || {
        let mut channel = Channel::new(Party::Verifier, there);
        over::<S>().verify_claims(Stated::of(ones), 1, &mut channel, &options).unwrap().1
    };
    side_by_side(prover, verifier).1
}

/// Around the ends of chunks and tiles, with joints and without, and with so many that these fill blocks, too.
#[test]
fn clauses_send_what_was_foretold() {
    let lengths =
        [vec![7, 9], vec![500, 2, 512], vec![3, 1984, 1], vec![2048; 9], vec![1; 700], vec![9; 1300]];
    for lengths in lengths {
        let ones = Ones(lengths);
        let shapes = of_clauses::shapes::<F2, _>(&ones).unwrap();
        let size = branch::size(&shapes).unwrap();
        for correlations in [Correlations::SOFTSPOKEN4, Correlations::SOFTSPOKEN8, Correlations::TINY] {
            for chosen in [0, ones.0.len() - 1] {
                let (sent, gates) = over_tape::<Binary>(&ones, chosen, correlations);
                let case = format!("{} clauses over {correlations:?}", ones.0.len());
                assert_eq!(BitMacs::traffic(correlations, size, None), sent, "{case}");
                assert_eq!(gates.size(), size, "{case}");
                assert_eq!(gates.mul, shapes.iter().map(|shape| shape.mul).sum::<u64>());
            }
        }
    }
}

fn assert_foretold<B: Field, E: MacField<B>>(lengths: &[Vec<usize>])
where
    Over<B, E>: Registered,
{
    for (lengths, name) in lengths.iter().flat_map(|lengths| [(lengths, "direct"), (lengths, "tiny")]) {
        let ones = Ones(lengths.clone());
        let shapes = of_clauses::shapes::<B, _>(&ones).unwrap();
        let size = Plan::new(&shapes, 1).unwrap().size::<B, E>();
        let correlations = Correlations::named::<Over<B, E>>(name).unwrap();
        let (sent, gates) = over_tape::<Over<B, E>>(&ones, 1, correlations);
        let case = format!("{} clauses over {name} of {}", ones.0.len(), Over::<B, E>::name());
        assert_eq!(FieldMacs::<B, E>::traffic(correlations, size, None), sent, "{case}");
        assert_eq!(gates.size(), size, "{case}");
    }
}

#[test]
fn clauses_over_other_fields_send_what_was_foretold() {
    let all = [vec![7, 9], vec![127, 2, 128], vec![3, 140, 1], vec![2000, 5], vec![4; 70], vec![1024; 5]];
    assert_foretold::<F61, F61>(&all);
    assert_foretold::<F61, F61x2>(&all[1..5]);
    assert_foretold::<F65537, F65537x4>(&all[1..2]);
    assert_foretold::<F256, F128>(&all[4..5]);
}

#[test]
fn sessions_of_clauses_send_what_was_foretold() {
    fn test<S: Supported>(names: &[&str]) {
        let ones = Ones(vec![127, 2, 128]);
        for name in names {
            let correlations = Correlations::named::<S>(name).unwrap();
            let report = session::<S>(&ones, 1, correlations);
            let foretold = S::Macs::traffic(correlations, report.gates.size(), None);
            assert_eq!(foretold, sent(&report), "{name} of {}", S::name());
        }
    }
    test::<Binary>(&["softspoken4", "softspoken8", "tiny"]);
    test::<Over<F61>>(&["direct", "tiny"]);
    test::<Over<F61, F61x2>>(&["direct", "tiny"]);
}
