//! The bytes on the wire of seeded runs, pinned: a refactoring may not change them, and a change of the
//! protocol must (its commit begins with `wire:`).

use crate::kit::{
    self, ABC, Anywhere, Ones, Session, by_wolverine, network, preimage, run_honestly, run_one_of, run_over,
    seeded,
};
use std::num::NonZeroUsize;
use volery::circuit::{
    Arithmetic, Bound, Dimensions, InnerProduct, Matrix, MatrixProduct, Reduction, ShortSolution, Size,
};
use volery::zk::limbo::Aggregation;
use volery::{
    Arch, Binary, CheckedBy, Construction, Correlations, F2, F61, F61x2, F128, F256, Field, Method, Options,
    Over, Q32, Q32x2, Seeds, Setting, Simulation, Stacking, System, prove_to, prove_to_over,
};

fn tape<C: Anywhere + ?Sized>(circuit: &C, witness: &[F2], options: &Options) -> String {
    tape_over::<Binary, C>(circuit, witness, options)
}

/// A digest of all messages of both parties, with their boundaries.
fn tape_over<S: Setting, C: Anywhere<S> + ?Sized>(
    circuit: &C,
    witness: &[S::F],
    options: &Options,
) -> String {
    digest(run_over::<S, C, C>((circuit, witness, options), (circuit, options), None))
}

fn digest(session: Session) -> String {
    assert!(session.verified.is_ok());
    let mut hasher = blake3::Hasher::new();
    for record in [session.from_prover, session.from_verifier] {
        for message in record.messages() {
            hasher.update(&(message.len() as u64).to_le_bytes());
            hasher.update(&message);
        }
    }
    hasher.finalize().to_hex()[..32].to_string()
}

#[test]
fn pinned() {
    let (preimage, message) = preimage(b"abc", ABC);
    let (network, state) = network(20_000);
    let (refilled, start) = kit::network(110_000);
    for (arch, threads) in ways() {
        let options = |correlations| Options { arch, threads, ..seeded(42).with_correlations(correlations) };
        let four = options(Correlations::SOFTSPOKEN4);
        let eight = options(Correlations::SOFTSPOKEN8);
        assert_eq!(
            tape(&network, &state, &four),
            "4fc3f5a17819a88fe5402e0196f33e83",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "a62eba0d967e7f0ba6f4d34ab68a96d5",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(preimage.source(), &message, &eight),
            "9f231b3bcdbd5a11e53367ae1fd98296",
            "preimage, {}",
            arch.name()
        );
        // Across a refill.
        let tiny = options(Correlations::TINY);
        assert_eq!(
            tape(&refilled, &start, &tiny),
            "d97ff5d2fea23241b62ce8a5b89c4919",
            "refilled network, {}",
            arch.name()
        );
    }
    // The shape of trees where one fills a tile, and a proposal that leaves the choice open: for a small
    // statement, since for a larger one the two sides say how fast they are.
    let (network, state) = kit::network(5_000);
    let wan = seeded(42).with_correlations(Correlations::WAN);
    assert_eq!(tape(&network, &state, &wan), "4247c56f86698da8e482d2b825185099", "wan");
    let open = Options { size: Some(Size::gates(200_000)), ..seeded(42).with_bandwidth(20.0) };
    assert_eq!(tape(&network, &state, &open), "a5a336f061921838280597c64ca9547f", "left open");
}

/// Every instruction set, and several numbers of threads: no byte depends on either.
fn ways() -> impl Iterator<Item = (Arch, NonZeroUsize)> {
    let (archs, threads) =
        (Arch::available(), [1, 2, 3, 8].map(|threads| NonZeroUsize::new(threads).unwrap()));
    let count = archs.len().max(threads.len());
    archs.into_iter().cycle().zip(threads.into_iter().cycle()).take(count)
}

/// The tape of a network of `gates` over `S` with the correlations called `name`.
fn arithmetic<F: Field, S: Setting<F = F>>(
    gates: u64,
    name: &str,
    (arch, threads): (Arch, NonZeroUsize),
) -> String
where
    Arithmetic<F>: Anywhere<S>,
{
    arithmetic_by::<F, S>(gates, name, Options { arch, threads, ..seeded(42) })
}

/// The same with other settings.
fn arithmetic_by<F: Field, S: Setting<F = F>>(gates: u64, name: &str, options: Options) -> String
where
    Arithmetic<F>: Anywhere<S>,
{
    let network = Arithmetic::<F>::new(gates).unwrap();
    let witness: Vec<F> = network.witness([7; 32]).collect();
    let correlations: Correlations = Correlations::named::<S>(name).unwrap().into();
    tape_over::<S, _>(&network, &witness, &options.with_correlations(correlations))
}

#[test]
fn pinned_over_other_fields() {
    for (arch, threads) in ways() {
        let (name, way) = (arch.name(), (arch, threads));
        assert_eq!(
            arithmetic::<F61, Over<F61>>(1_000, "direct", way),
            "386094068db1be6f11d0d743cb710287",
            "direct, {name}"
        );
        // Across a refill.
        assert_eq!(
            arithmetic::<F61, Over<F61>>(130_000, "tiny", way),
            "ddc1a7008da5531bdb204040826594d3",
            "refilled, {name}"
        );
        assert_eq!(
            arithmetic::<F61, Over<F61, F61x2>>(9_000, "tiny", way),
            "3495a196093f6b2d933573df05c78bb6",
            "r = 2, {name}"
        );
        assert_eq!(
            arithmetic::<F256, Over<F256, F128>>(9_000, "tiny", way),
            "68dd004db1f2e7cf912fd2bf5087e5ad",
            "bytes, {name}"
        );
    }
}

/// Every arch computes the same coefficients of polynomials.
#[test]
fn pinned_polynomials() {
    fn direct<S: Setting>((arch, threads): (Arch, NonZeroUsize)) -> Options {
        let correlations: Correlations = Correlations::named::<S>("direct").unwrap().into();
        Options { arch, threads, ..seeded(42).with_correlations(correlations) }
    }
    let bits = InnerProduct::new(3000, InnerProduct::<F2>::product_of(3000, [7; 32])).unwrap();
    let pairs: Vec<F2> = bits.witness([7; 32]).collect();
    let dimensions = Dimensions { rows: 9, inner: 14, columns: 11 };
    let product = MatrixProduct::<F61>::product_of(dimensions, [7; 32]);
    let matrices = MatrixProduct::new(dimensions, Some(&product), Reduction::Random).unwrap();
    let entries: Vec<F61> = matrices.witness([7; 32]).collect();
    let matrix = ShortSolution::<Q32>::matrix_of(20, 33, [3; 32]);
    let matrix = Matrix::new(&matrix, 33);
    let short = ShortSolution::<Q32>::solution_of(33, Bound::Within(2), [7; 32]);
    let image = ShortSolution::image_of(matrix, &short);
    let solution = ShortSolution::new(matrix, &image, Bound::Within(2)).unwrap();
    for (arch, threads) in ways() {
        let (name, way) = (arch.name(), (arch, threads));
        let eight = Options { arch, threads, ..seeded(42).with_correlations(Correlations::SOFTSPOKEN8) };
        assert_eq!(tape(&bits, &pairs, &eight), "683e45141f6051634e78861d291a0098", "inner product, {name}");
        let f61 = tape_over::<Over<F61>, _>(&matrices, &entries, &direct::<Over<F61>>(way));
        assert_eq!(f61, "059b608c8184b91e1f9d0c7a6cc338b5", "matrices, {name}");
        let f61x2 = tape_over::<Over<F61, F61x2>, _>(&matrices, &entries, &direct::<Over<F61, F61x2>>(way));
        assert_eq!(f61x2, "6f0bfffac5e7125d4be1e8377dd17c9c", "matrices by transcript, {name}");
        let q32 = tape_over::<Over<Q32, Q32x2>, _>(&solution, &short, &direct::<Over<Q32, Q32x2>>(way));
        assert_eq!(q32, "267b0500a4161198b023960181f636d2", "short solution, {name}");
    }
}

#[test]
fn other_seeds_give_other_tapes() {
    let (network, state) = network(10);
    assert_ne!(tape(&network, &state, &seeded(1)), tape(&network, &state, &seeded(2)));
}

/// By each construction: JKO, and a stack with seeds by a tree and one by one.
#[test]
fn pinned_garblings() {
    let (network, state) = network(1500);
    let clauses = Ones(vec![5, 40, 2]);
    for (arch, threads) in ways() {
        let tapes = Construction::ALL.map(|construction| {
            let by = |method| Options { method, arch, threads, ..seeded(42) };
            let jko = by(Method::Jko(construction));
            let [tree, each] = Seeds::ALL.map(|seeds| {
                let stacking = Stacking { construction, seeds, ..Stacking::default() };
                let options = by(Method::Stack(stacking));
                digest(run_one_of((&clauses, 2, &options), (&clauses, &options), None))
            });
            [digest(run_honestly(&network, &state, &jko)), tree, each]
        });
        let pinned = [
            [
                "e3b7cc60a54d9fdd1510aeabc7b467a0",
                "4a05f42837a659f0c5e023e180bd5b7e",
                "c15cc15d5b45c2bf17dc5332ab78922e",
            ],
            [
                "5bc56da1283da17dea8724ada5719cbf",
                "320b3439c4149584512fd4003b407eb8",
                "5519f7e3ba3793f13ff85bf6f504d05e",
            ],
        ];
        assert_eq!(tapes, pinned, "{}", arch.name());
    }
}

/// By each check in several blocks: over F_2 with coins, across refills, and without; over other fields.
#[test]
fn pinned_by_wolverine() {
    use CheckedBy::{Buckets, Interpolation, Sacrifice};
    let (network, state) = network(5000);
    let (refilled, start) = kit::network(20_000);
    for (arch, threads) in ways() {
        let in_blocks =
            |by, block: u64| Options { arch, threads, seed: Some([42; 32]), ..by_wolverine(by, block) };
        let bits = |correlations, block| in_blocks(Buckets, block).with_correlations(correlations);
        let eight = bits(Correlations::SOFTSPOKEN8, 3000);
        let one_way = Options { non_interactive: true, ..eight.clone() };
        let tapes = [
            ("softspoken8", tape(&network, &state, &eight)),
            ("refilled", tape(&refilled, &start, &bits(Correlations::TINY, 3000))),
            ("without coins", tape(&network, &state, &one_way)),
            ("f61", arithmetic_by::<F61, Over<F61>>(1000, "direct", in_blocks(Sacrifice, 300))),
            ("f61x2", arithmetic_by::<F61, Over<F61, F61x2>>(1000, "direct", in_blocks(Interpolation, 300))),
            ("q32", arithmetic_by::<Q32, Over<Q32, Q32x2>>(9000, "tiny", in_blocks(Interpolation, 5000))),
            ("f256", arithmetic_by::<F256, Over<F256, F128>>(1000, "tiny", in_blocks(Buckets, 300))),
        ];
        let pinned = [
            ("softspoken8", "88652b5d3275f80f86e383b6efffb80c"),
            ("refilled", "9113c4cab2c014238ff5321ea87b21cc"),
            ("without coins", "a3b5559890852cfdaa2fd882964b80cd"),
            ("f61", "d9a4449f71a6b910a90bf9b82f852e47"),
            ("f61x2", "2964b73ce7f1cd7507efddd5376a9d7f"),
            ("q32", "84d284feafce698d18e2e5e5e6c7799e"),
            ("f256", "46f70c2bc824094b2c11586bbf27e027"),
        ];
        assert_eq!(tapes, pinned.map(|(name, tape)| (name, tape.to_owned())), "{}", arch.name());
    }
}

/// A conversation and a file, by both ways of following parties.
#[test]
fn pinned_simulations() {
    let (network, state) = network(1500);
    let dimensions = Dimensions { rows: 9, inner: 14, columns: 11 };
    let product = MatrixProduct::<F61>::product_of(dimensions, [7; 32]);
    let matrices = MatrixProduct::new(dimensions, Some(&product), Reduction::Random).unwrap();
    let entries: Vec<F61> = matrices.witness([7; 32]).collect();
    for (arch, threads) in ways() {
        let tapes = Aggregation::ALL.map(|aggregation| {
            let simulation = Simulation { aggregation, most_work: 8, ..Simulation::default() };
            let options = Options { method: Method::Limbo(simulation), arch, threads, ..seeded(42) };
            let mut file = vec![];
            prove_to(&network, state.clone(), &mut file, &options).unwrap();
            let file = blake3::hash(&file).to_hex()[..32].to_string();
            [digest(run_honestly(&network, &state, &options)), file]
        });
        let pinned = [
            ["596cd32bb1b40b056bb1276922c7fb46", "0fac41e584a054c4b3b5b678355472ca"],
            ["4aab522579dbf53fad7a04f4cf798722", "ea7215499c745530d816342bd9943630"],
        ];
        assert_eq!(tapes, pinned, "{}", arch.name());

        let mut file = vec![];
        let options = Options { method: System::LIMBO.into(), arch, threads, ..seeded(42) };
        prove_to_over::<Over<F61, F61x2>>(&matrices, entries.clone(), &mut file, &options).unwrap();
        assert_eq!(
            blake3::hash(&file).to_hex()[..32],
            *"055037d6e4df6dcf0f641e842c5ec63a",
            "matrices, {}",
            arch.name()
        );
    }
}

/// The same witness twice: but for the name and version of the protocol, and what both say they want, no
/// message of one session comes in the other.
#[test]
fn sessions_of_one_witness_share_no_message() {
    let (network, state) = network(40);
    let clauses = Ones(vec![5, 40, 2]);
    let said = |run: &dyn Fn(&Options) -> Session, system: System, seed| {
        let session = run(&Options { method: system.into(), ..seeded(seed) });
        assert!(session.verified.is_ok());
        [session.from_prover, session.from_verifier].map(|record| record.messages())
    };
    let by_jko = |options: &Options| run_honestly(&network, &state, options);
    let by_stack = |options: &Options| run_one_of((&clauses, 1, options), (&clauses, options), None);
    for (run, system) in [
        (&by_jko as &dyn Fn(&Options) -> Session, System::JKO),
        (&by_stack, System::STACK),
        (&by_jko, System::LIMBO),
        (&by_jko, System::WOLVERINE),
    ] {
        let (one, other) = (said(run, system, 1), said(run, system, 2));
        for (one, other) in one.iter().zip(&other) {
            assert_eq!(one.len(), other.len());
            // The magic, how products are checked, and the verdict.
            let mut shared = one.iter().filter(|message| other.contains(message));
            let public = |message: &Vec<u8>| {
                message.len() == 12 || message.starts_with(b"buckets ") || message == &[1]
            };
            assert!(shared.all(public), "{system}");
        }
    }
}
