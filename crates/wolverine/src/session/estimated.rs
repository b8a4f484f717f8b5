//! Statements by Wolverine send what was foretold.

use super::{AGREED, Wolverine, terms};
use crate::{CheckedBy, Checking, Prover, Terms, Verifier};
use std::time::Duration;
use volery_channel::channel::{Carried, Channel, Party, pipe, side_by_side};
use volery_channel::random::Random;
use volery_circuit::stream::{Source, Stream};
use volery_circuit::{Circuit as _, Shape};
use volery_gadgets::{Dimensions, InnerProduct, MatrixProduct, Reduction};
use volery_primitives::{Arch, F61, F61x2, F128, F256, F65537, F65537x4, Field, MacField};
use volery_proof::binary::Binary;
use volery_proof::correlations::{Choice, Correlations};
use volery_proof::estimate::Estimate;
use volery_proof::options::Options;
use volery_proof::over::Over;
use volery_proof::report::Report;
use volery_proof::setting::{Registered, Setting};
use volery_proof::system::ProofSystem as _;
use volery_proof::testing::{Dealt, counted, sent};
use volery_statements::{Arithmetic, Network};

/// The verifier's report of a session.
fn session<S: Setting>(circuit: &impl Source<S::F>, witness: Vec<S::F>, options: &Options) -> Report {
    let (here, there) = pipe(Duration::from_secs(60));
    let prover = || {
        let mut channel = Channel::new(Party::Prover, here);
        Wolverine::<S>::OVER.prove(circuit, &witness, &mut channel, options).unwrap();
    };
    let verifier = || {
        let mut channel = Channel::new(Party::Verifier, there);
        Wolverine::<S>::OVER.verify(circuit, &mut channel, options).unwrap().1
    };
    side_by_side(prover, verifier).1
}

/// A proof of `circuit` by Wolverine, of a session that begins with `begun`.
fn by_wolverine<S: Dealt, C>(
    correlations: Correlations,
    circuit: &C,
    witness: Vec<S::F>,
    (terms, begun): (Terms, Carried),
) -> Estimate
where
    C: Source<S::F> + Sync,
{
    let arch = Arch::detect();
    let prove = |channel: &mut Channel, vole| {
        let mut prover = Prover::<S::Macs>::new(channel, vole, arch, terms, witness);
        Stream::new(circuit).run(&mut prover)?;
        prover.finish().map(drop)
    };
    let verify = |channel: &mut Channel, vole, (delta, random): (&S::Delta, &mut Random)| {
        let mut verifier = Verifier::<S::Macs>::new(channel, vole, arch, terms, delta, random);
        Stream::new(circuit).run(&mut verifier)?;
        let (accepted, gates, ..) = verifier.finish()?;
        Ok((accepted, gates))
    };
    counted::<S>(correlations, begun, prove, verify).0
}

const FOUR: Correlations = Correlations::SOFTSPOKEN4;
const EIGHT: Correlations = Correlations::SOFTSPOKEN8;
const TINY: Correlations = Correlations::TINY;

fn in_blocks(by: Option<CheckedBy>, block: Option<u64>) -> Options {
    let checking = Checking { by, block };
    Options { method: checking.into(), check: false, ..Options::default() }
}

#[track_caller]
fn assert_foretold<S: Dealt, C>(
    name: &str,
    circuit: &C,
    witness: Vec<S::F>,
    correlations: Correlations,
    options: Options,
) where
    C: Source<S::F> + Sync,
{
    let shape = Shape::of(circuit).unwrap();
    let analysis = Wolverine::<S>::analyse(&options).unwrap();
    let foretold = analysis.traffic(Choice::given(correlations), &shape);
    let terms = terms::<S>(&options).unwrap();
    let sent = by_wolverine::<S, _>(correlations, circuit, witness, (terms, AGREED));
    let (checking, non_interactive) = (options.method.of::<Checking>(), options.non_interactive);
    let of = S::name();
    assert_eq!(foretold, sent, "{name} over {correlations} of {of}, {checking:?}, {non_interactive}");
}

/// Whole sessions over each kind of correlations.
#[test]
fn sessions_send_what_was_foretold() {
    #[track_caller]
    fn test<S: Setting, C>(names: &[&str], circuit: &C, witness: &[S::F])
    where
        C: Source<S::F> + Sync,
    {
        let (shape, options) = (Shape::of(circuit).unwrap(), in_blocks(None, Some(300)));
        let analysis = Wolverine::<S>::analyse(&options).unwrap();
        for name in names {
            let correlations = Correlations::named::<S>(name).unwrap();
            let foretold = analysis.traffic(Choice::given(correlations), &shape);
            let report =
                session::<S>(circuit, witness.to_vec(), &options.clone().with_correlations(correlations));
            assert_eq!(foretold, sent(&report), "{name} of {}", S::name());
        }
    }
    let network = Network::new(301).unwrap();
    let witness: Vec<_> = network.witness([1; 32]).collect();
    test::<Binary, _>(&["softspoken4", "softspoken8", "tiny"], &network, &witness);
    let network = Arithmetic::new(301).unwrap();
    let witness: Vec<_> = network.witness([1; 32]).collect();
    test::<Over<F61>, _>(&["direct", "tiny"], &network, &witness);
    test::<Over<F61, F61x2>, _>(&["direct", "tiny"], &network, &witness);
}

/// Networks of these sizes over F_2, in blocks of this length.
#[track_caller]
fn bits(correlations: Correlations, block: Option<u64>, one_way: bool, sizes: &[u64]) {
    for &gates in sizes {
        let network = Network::new(gates).unwrap();
        let witness = network.witness([1; 32]).collect();
        let options = Options { non_interactive: one_way, ..in_blocks(None, block) };
        assert_foretold::<Binary, _>(
            &format!("network of {gates}"),
            &network,
            witness,
            correlations,
            options,
        );
    }
}

/// Inputs are as many as the power of two up to the gates, and 1024 at most: sections end after 256, 512,
/// 1024, 2048 and 4096 commitments and then with each tile, blocks after their products.
#[test]
fn bits_send_what_was_foretold() {
    bits(EIGHT, Some(1), false, &[1, 2, 50]);
    bits(EIGHT, Some(7), false, &[6, 7, 8, 127, 128, 129, 700]);
    bits(EIGHT, Some(300), false, &[299, 300, 301, 512, 600, 601]);
    bits(EIGHT, Some(3000), false, &[2999, 3000, 3001, 3071, 3073, 9001]);
    bits(EIGHT, None, false, &[1, 255, 1023, 1024, 1025, 3072, 3073, 4096, 4097, 7168, 7169]);
    bits(EIGHT, Some(7), true, &[7, 50]);
    bits(EIGHT, Some(300), true, &[300, 301]);
    bits(EIGHT, Some(3000), true, &[3000, 3001, 9000]);
    bits(EIGHT, None, true, &[1, 3072, 3073]);
    bits(FOUR, Some(300), false, &[300, 1000]);
    bits(FOUR, Some(3000), false, &[3001]);
    bits(FOUR, None, true, &[3073]);
}

#[test]
#[ignore = "slow"]
fn many_gates_send_what_was_foretold() {
    bits(EIGHT, Some(3000), false, &[9000, 30_000]);
    bits(EIGHT, None, false, &[3071, 50_000]);
    bits(EIGHT, None, true, &[20_000]);
    elements::<F61, F61>("tiny", None, Some(3000), &[70_000]);
    elements::<F61, F61>("tiny", None, None, &[20_000, 100_000]);
    elements::<F61, F61x2>("tiny", None, Some(3000), &[40_000]);
    elements::<F61, F61x2>("tiny", None, None, &[30_000]);
}

/// Refills send what was foretold at many stages; a refill takes the place of other shares in each block.
#[test]
fn refills_send_what_was_foretold() {
    bits(TINY, Some(1), false, &[1, 30]);
    bits(TINY, Some(7), false, &[8, 200]);
    bits(TINY, Some(300), false, &[301, 1000, 6000]);
    bits(TINY, Some(3000), false, &[3001, 7500, 20_000]);
    bits(TINY, None, false, &[3072, 3073, 12_000, 40_000]);
    bits(TINY, Some(3000), true, &[3000, 6001]);
    bits(TINY, None, true, &[1, 3072]);
}

/// Networks of these sizes by this check.
#[track_caller]
fn elements<B: Field, E: MacField<B>>(name: &str, by: Option<CheckedBy>, block: Option<u64>, sizes: &[u64])
where
    Over<B, E>: Registered,
{
    let correlations = Correlations::named::<Over<B, E>>(name).unwrap();
    for &gates in sizes {
        let network = Arithmetic::<B>::new(gates).unwrap();
        let witness = network.witness([1; 32]).collect();
        // As much as each check gives over any field.
        let security = (by == Some(CheckedBy::Sacrifice) && B::BITS < 48).then_some(B::BITS - 3);
        let options = Options { security, insecure_parameters: security.is_some(), ..in_blocks(by, block) };
        let name = format!("network of {gates}");
        assert_foretold::<Over<B, E>, _>(&name, &network, witness, correlations, options);
    }
}

#[test]
fn sacrifice_sends_what_was_foretold() {
    elements::<F61, F61>("direct", None, Some(1), &[1, 40]);
    elements::<F61, F61>("direct", None, Some(7), &[7, 8, 300]);
    elements::<F61, F61>("direct", None, Some(300), &[256, 300, 301, 900]);
    elements::<F61, F61>("direct", None, None, &[1, 128, 511, 512, 1024, 2000]);
    elements::<F61, F61>("tiny", None, Some(300), &[301, 4000]);
    elements::<F61, F61>("tiny", None, Some(3000), &[3584, 3585]);
    // With a refill.
    elements::<F61, F61>("tiny", None, None, &[3584, 3585, 4096, 4097, 45_000]);
    elements::<F61, F61x2>("direct", Some(CheckedBy::Sacrifice), Some(300), &[301]);
    elements::<F61, F61x2>("tiny", Some(CheckedBy::Sacrifice), Some(3000), &[9000]);
}

#[test]
fn every_check_sends_what_was_foretold() {
    let [buckets, sacrifice, interpolation] = CheckedBy::ALL.map(Some);
    elements::<F61, F61x2>("direct", None, Some(1), &[1, 20]);
    elements::<F61, F61x2>("direct", None, Some(7), &[8]);
    elements::<F61, F61x2>("direct", None, Some(300), &[32, 33, 300, 301]);
    elements::<F61, F61x2>("tiny", None, Some(3000), &[3001]);
    elements::<F61, F61x2>("tiny", None, None, &[4096, 4097]);
    elements::<F61, F61>("direct", interpolation, Some(300), &[301]);
    elements::<F61, F61>("tiny", interpolation, None, &[4097]);
    elements::<F61, F61>("direct", buckets, Some(300), &[301]);
    elements::<F65537, F65537x4>("direct", None, Some(300), &[7, 301]);
    elements::<F65537, F65537x4>("tiny", None, Some(3000), &[3001, 9000]);
    elements::<F65537, F65537x4>("direct", sacrifice, Some(300), &[301]);
    elements::<F65537, F65537x4>("tiny", buckets, Some(300), &[900]);
    elements::<F256, F128>("direct", None, Some(300), &[7, 301]);
    elements::<F256, F128>("tiny", None, None, &[4097, 9000]);
    elements::<F256, F128>("direct", sacrifice, Some(300), &[301]);
    elements::<F256, F128>("direct", buckets, Some(300), &[301]);
    elements::<F256, F128>("tiny", buckets, Some(3000), &[9001]);
}

/// Gate by gate, with all products inside. Of 512 pairs and fewer, all come before the first product.
#[test]
fn polynomials_send_what_was_foretold() {
    fn test<S: Dealt>(name: &str, blocks: &[u64])
    where
        InnerProduct<S::F>: Source<S::F>,
        for<'a> MatrixProduct<'a, S::F>: Source<S::F>,
    {
        let correlations = Correlations::named::<S>(name).unwrap();
        let dimensions = Dimensions { rows: 9, inner: 14, columns: 11 };
        let product = MatrixProduct::product_of(dimensions, [1; 32]);
        for &block in blocks {
            let options = in_blocks(None, Some(block));
            let z = InnerProduct::product_of(500, [7; 32]);
            let inner = InnerProduct::new(500, z).unwrap();
            let witness = inner.witness([7; 32]).collect();
            assert_foretold::<S, _>("inner product", &inner, witness, correlations, options.clone());
            for (reduction, public) in
                [(Reduction::Random, true), (Reduction::Random, false), (Reduction::InnerProducts, true)]
            {
                let product = public.then_some(&product[..]);
                let matrices = MatrixProduct::new(dimensions, product, reduction).unwrap();
                let witness = matrices.witness([1; 32]).collect();
                assert_foretold::<S, _>("matrices", &matrices, witness, correlations, options.clone());
            }
        }
    }
    test::<Binary>("softspoken8", &[300, 10_000]);
    test::<Binary>("tiny", &[300]);
    test::<Over<F61>>("direct", &[300, 10_000]);
    test::<Over<F61, F61x2>>("tiny", &[300]);
    test::<Over<F65537, F65537x4>>("direct", &[300]);
}

/// Shares that were drawn ahead are a part of the total alone.
#[test]
fn a_choice_by_size_sends_what_was_foretold() {
    for gates in [5, 100, 300] {
        let network = Arithmetic::<F61>::new(gates).unwrap();
        let shape = Shape::of(&network).unwrap();
        let options = in_blocks(None, Some(70));
        let report = session::<Over<F61>>(&network, network.witness([1; 32]).collect(), &options);
        let direct = Correlations::DIRECT;
        let analysis = Wolverine::<Over<F61>>::analyse(&options).unwrap();
        let foretold = analysis.traffic(Choice::given(direct), &shape);
        let sent = sent(&report);
        assert_eq!(report.choice.unwrap().correlations, direct);
        assert_eq!(foretold.total, sent.total, "{gates}");
        assert!(foretold.setup.prover < sent.setup.prover);
    }
}

/// 10^12 gates are not walked through, whatever the block.
#[test]
fn the_largest_statements_are_estimated_at_once() {
    fn test<S: Setting>(per_gate: [f64; 2]) {
        let gates = 1_000_000_000_000;
        let shape = Shape { inputs: 1024, mul: gates, ..Default::default() };
        for correlations in S::facts().correlations() {
            for block in [None, Some(1), Some(3000)] {
                let started = std::time::Instant::now();
                let analysis = Wolverine::<S>::analyse(&in_blocks(None, block)).unwrap();
                let estimate = analysis.traffic(Choice::given(correlations), &shape);
                assert!(started.elapsed().as_secs() < 2, "{correlations:?}");
                let bytes = estimate.total.sum() as f64 / gates as f64;
                assert!(bytes > per_gate[usize::from(block.is_some())], "{bytes} over {correlations:?}");
            }
        }
    }
    // A bit to the gate and three to each triple; elements, or 31 further values and 9 to a group.
    test::<Binary>([7.0 / 8.0, 13.0 / 8.0]);
    test::<Over<F61>>([32.0, 32.0]);
    test::<Over<F61, F61x2>>([8.0 * (1.0 + 37.0 / 32.0), 8.0 * (1.0 + 37.0 / 32.0)]);
}

#[test]
fn options_that_make_no_sense_have_no_estimate() {
    let refused = |options: Options| assert!(Wolverine::<Binary>::analyse(&options).is_err());
    refused(in_blocks(None, Some(0)));
    refused(in_blocks(Some(CheckedBy::Sacrifice), None));
    refused(Options { security: Some(129), ..in_blocks(None, None) });
}
