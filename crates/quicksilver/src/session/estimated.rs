//! Forecasts are met, to the byte.
//!
//! Most proofs here are over shares that a dealer gives away, so that they take milliseconds: what real shares
//! would send is [counted]. That is held against the real messages in [drawn], and whole sessions over each
//! kind of correlations stand here.

mod bits;
mod clauses;
mod counted;
mod drawn;
mod fields;
mod memories;
mod polynomials;

use super::{Analysed as _, Registered, Supported, over};
use crate::session::direct::{Proposition, Provable};
use std::time::Duration;
use volery_channel::channel::{Channel, Party, pipe, side_by_side};
use volery_circuit::Size;
use volery_primitives::{F61, F61x2, F128, F256, F65537, F65537x4, Field, MacField};
use volery_proof::binary::Binary;
use volery_proof::correlations::Correlations;
use volery_proof::options::Options;
use volery_proof::over::Over;
use volery_proof::report::Report;
use volery_proof::testing::sent;
use volery_statements::{Arithmetic, Network};
use volery_vole::macs::BitMacs;

/// The verifier's report of a session.
fn session<S: Supported, C>(circuit: &C, witness: Vec<S::F>, options: &Options) -> Report
where
    C: Provable<S> + Sync,
{
    let (here, there) = pipe(Duration::from_secs(60));
    let prover = || {
        let mut channel = Channel::new(Party::Prover, here);
        over::<S>().prove_compiled(&Proposition::of(circuit), &witness, &mut channel, options).unwrap();
    };
    let verifier = || {
        let mut channel = Channel::new(Party::Verifier, there);
        over::<S>().verify_compiled(&Proposition::of(circuit), &mut channel, options).unwrap().1
    };
    side_by_side(prover, verifier).1
}

/// Sessions of `circuit` over these correlations, by QuickSilver.
#[track_caller]
fn assert_sent<S: Supported, C>(names: &[&str], circuit: &C, witness: &[S::F])
where
    C: Provable<S> + Sync,
{
    for name in names {
        let correlations = Correlations::named::<S>(name).unwrap();
        let options = Options::default().with_correlations(correlations);
        let report = session::<S, _>(circuit, witness.to_vec(), &options);
        let foretold = S::Macs::traffic(correlations, report.gates.size(), None);
        assert_eq!(foretold, sent(&report), "{name} of {}", S::name());
    }
}

/// Over the ends of chunks and of a tile.
#[test]
fn sessions_over_bits_send_what_was_foretold() {
    let network = Network::new(5000).unwrap();
    let witness: Vec<_> = network.witness([1; 32]).collect();
    assert_sent::<Binary, _>(&["softspoken4", "softspoken8", "tiny"], &network, &witness);
}

#[test]
fn sessions_over_every_field_send_what_was_foretold() {
    fn test<B: Field, E: MacField<B>>()
    where
        Over<B, E>: Registered,
    {
        for (name, gates) in [("direct", 700), ("tiny", 5000)] {
            let network = Arithmetic::<B>::new(gates).unwrap();
            let witness: Vec<_> = network.witness([1; 32]).collect();
            assert_sent::<Over<B, E>, _>(&[name], &network, &witness);
        }
    }
    test::<F61, F61>();
    test::<F61, F61x2>();
    test::<F65537, F65537x4>();
    test::<F256, F128>();
}

#[test]
fn what_is_measured_is_counted() {
    let commitments = Binary::SMALL_STATEMENT + 1;
    let network = Network::new(commitments - 1024).unwrap();
    assert_eq!(network.width(), 1024);
    for bandwidth in [None, Some(500.0)] {
        let options = Options {
            statement: Some(network.digest()),
            size: Some(Size::gates(commitments)),
            check: false,
            ..Options::default().with_bandwidth(bandwidth)
        };
        let report = session::<Binary, _>(&network, network.witness([1; 32]).collect(), &options);
        let chosen = report.choice.unwrap().correlations;
        let foretold = BitMacs::traffic(chosen, Size::gates(commitments), Some(commitments));
        let foretold = match bandwidth {
            None => foretold.measured(),
            Some(_) => foretold.measured_but_for_bandwidth(),
        };
        assert_eq!(foretold, sent(&report), "{bandwidth:?}");
    }
}
