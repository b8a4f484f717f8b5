//! Proofs by garbled circuits send what was foretold.

use super::{jko, stack};
use crate::garble::seeds::Seeds;
use crate::session::Stacking;
use crate::session::{Jko, Stack};
use std::time::Duration;
use volery_channel::channel::{Channel, Party, pipe};
use volery_channel::error::Result;
use volery_circuit::{Alternatives, Backend, Branch, Clauses, OneOf, Shape, clauses};
use volery_primitives::{F2, Field};
use volery_proof::method::Method;
use volery_proof::options::Options;
use volery_proof::report::Report;
use volery_proof::system::{ProofOfClauses as _, ProofSystem as _, System};
use volery_proof::testing::sent;

/// For each clause the number of bits which the prover knows to be ones.
struct Ones(Vec<usize>);

impl Alternatives for Ones {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<B: Backend<F = F2>> Clauses<B> for Ones {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let mut all = b.constant(F2::ONE);
        for _ in 0..self.0[clause] {
            let bit = b.witness()?;
            all = b.mul(all, bit)?;
        }
        let one = b.constant(F2::ONE);
        let zero = b.add(all, one);
        b.assert_zero(zero, "all are ones")
    }
}

/// The verifier's report where the first clause holds.
fn run(ones: &Ones, system: System, seeds: Seeds) -> Report {
    let method = match system {
        System::JKO => Method::from(system),
        _ => Stacking { seeds, ..Stacking::default() }.into(),
    };
    let options = Options::by(method);
    let (here, there) = pipe(Duration::from_secs(60));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            let witness = &vec![F2::ONE; ones.0[0]];
            match system {
                System::JKO => Jko.prove(&OneOf(ones), witness, &mut channel, &options).unwrap(),
                _ => Stack.prove_one_of(ones, 0, witness, &mut channel, &options).unwrap(),
            };
        });
        let mut channel = Channel::new(Party::Verifier, there);
        match system {
            System::JKO => Jko.verify(&OneOf(ones), &mut channel, &options).unwrap().1,
            _ => Stack.verify_one_of(ones, &mut channel, &options).unwrap().1,
        }
    })
}

/// Around the ends of bytes and of chunks.
#[test]
fn jko_sends_what_was_foretold() {
    for inputs in [1, 8, 9, 1024, 1025, 2049, 8193, 20_000] {
        let ones = Ones(vec![inputs]);
        let shape = Shape::of(&OneOf(&ones)).unwrap();
        assert_eq!(jko(&shape), sent(&run(&ones, System::JKO, Seeds::Tree)), "{inputs}");
    }
}

#[test]
fn stacks_send_what_was_foretold() {
    for clauses in [vec![7], vec![1030, 5], vec![3, 2000, 1], vec![9; 8], vec![9; 9]] {
        let ones = Ones(clauses);
        let shapes = clauses::shapes(&ones).unwrap();
        for seeds in Seeds::ALL {
            let sent = sent(&run(&ones, System::STACK, seeds));
            assert_eq!(stack(&shapes, seeds), sent, "{:?} by {}", ones.0, seeds.name());
        }
    }
}
