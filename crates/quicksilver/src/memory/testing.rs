//! Statements over an ideal dealer whose epochs are those of [`Parameters::SHORT`], for provers that may lie.

use crate::arithmetic;
use crate::memory::Party;
use std::time::Duration;
use volery_channel::channel::{Channel, Party as Role, pipe, side_by_side};
use volery_channel::error::{Error, Rejection, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::accounting::Parameters;
use volery_circuit::{Circuit, Count, Permutations, Tables};
use volery_primitives::{Arch, Field, MacField};
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::macs::Macs;
use volery_vole::vole::subfield;

/// Shares in a block of the ideal dealer.
pub(super) const BLOCK: usize = 1 << 12;

/// A statement over `F` that both parties push.
pub(super) trait Pushed<F>: Sync {
    fn push<P: Party<F = F> + Permutations + Tables>(&self, p: &mut P) -> Result<()>;
}

/// The verifier's result where the prover adds these lies to its commitments, by their numbers, and goes on
/// whatever fails.
pub(super) fn run_field<B: Field, E: MacField<B>>(
    statement: &impl Pushed<B>,
    lies: &[(u64, B)],
) -> Result<Gates> {
    let (here, there) = pipe(Duration::from_secs(60));
    let mut proving = Channel::new(Role::Prover, here);
    let mut verifying = Channel::new(Role::Verifier, there);
    let prover = move || {
        {
            let vole = Box::new(subfield::ideal::Prover::<B, E>::new(3, BLOCK));
            let prover = arithmetic::Prover::<B, E>::new(&mut proving, vole, Arch::detect(), []);
            let mut prover = prover.share_work(&Pool::of(3));
            prover.lies = lies.to_vec();
            prover.remembered().parameters = Parameters::SHORT;
            // The verifier may be gone already.
            let _ = statement.push(&mut prover).and_then(|()| prover.forget_all()).and_then(|()| {
                prover.lie();
                prover.finish().map(drop)
            });
        }
        let _ = proving.flush();
    };
    let verifier = move || {
        let mut random = Random::from_seed(&[5; 32]);
        let delta = subfield::Delta::random(&mut random);
        let vole = Box::new(subfield::ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier =
            arithmetic::Verifier::<B, E>::new(&mut verifying, vole, Arch::detect(), &delta, &mut random);
        verifier.remembered().parameters = Parameters::SHORT;
        statement.push(&mut verifier)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    side_by_side(prover, verifier).1
}

pub(super) fn is_caught(verdict: &Result<Gates>) -> bool {
    matches!(verdict, Err(Error::Rejected(Rejection::ProductsAndPolynomials)))
}

/// The prover's commitments and debts are those that are counted, of which both parties know.
#[track_caller]
pub(super) fn assert_counted<M: Macs>(statement: &impl Circuit<Count<M::F>>, gates: Gates) {
    let shape = Count::<M::F>::fingerprint_by(Parameters::SHORT, statement).unwrap().0;
    assert_eq!(gates.size(), crate::size::<M>(&shape));
    assert_eq!(gates.assert, shape.assert);
}
