//! What a proof of one of several clauses sends by QuickSilver.

use super::tests::ran;
use super::*;
use crate::channel::{Channel, Party, pipe, side_by_side};
use crate::circuit::{Alternatives, Backend, Branch, Clauses, clauses as of_clauses};
use crate::error::Result;
use crate::ot::softspoken::Depth;
use crate::session::Correlations;
use crate::session::{Options, Over, Registered, Report, Setting, prove_one_of_over, verify_one_of_over};
use crate::vole::lpn::Params;
use crate::zk::quicksilver::branch::{self, Plan};
use std::time::Duration;
use volery_primitives::{F2, F61, F61x2, F128, F256, F65537, F65537x4, Field, MacField};

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

/// What the verifier reports where this clause holds.
fn run<S: Setting>(ones: &Ones, chosen: usize, correlations: S::Correlations) -> Report {
    let options = Options::default().with_correlations(Some(correlations.into()));
    let (here, there) = pipe(Duration::from_secs(60));
    let prover = || {
        let mut channel = Channel::new(Party::Prover, here);
        let witness = vec![S::F::ONE; ones.0[chosen]];
        prove_one_of_over::<S>(ones, chosen, witness, &mut channel, &options).unwrap();
    };
    let verifier = || {
        let mut channel = Channel::new(Party::Verifier, there);
        verify_one_of_over::<S>(ones, &mut channel, &options).unwrap().1
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
        let tiny = BitCorrelations::Lpn(Params::TINY);
        for correlations in
            [Depth::Four, Depth::Eight].map(BitCorrelations::SoftSpoken).into_iter().chain([tiny])
        {
            for chosen in [0, ones.0.len() - 1] {
                let report = run::<Binary>(&ones, chosen, correlations);
                let case = format!("{} clauses over {correlations:?}", ones.0.len());
                assert_eq!(Binary::traffic(correlations, size), ran(&report), "{case}");
                assert_eq!(report.gates.size(), size, "{case}");
                assert_eq!(report.gates.mul, shapes.iter().map(|shape| shape.mul).sum::<u64>());
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
        let report = run::<Over<B, E>>(&ones, 1, correlations);
        let case = format!("{} clauses over {name} of {}", ones.0.len(), Over::<B, E>::name());
        assert_eq!(Over::<B, E>::traffic(correlations, size), ran(&report), "{case}");
        assert_eq!(report.gates.size(), size, "{case}");
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
