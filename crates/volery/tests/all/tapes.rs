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
            "62a927d69f5aff087a4dcd8933c4d8d9",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "35393958954a8a34024267dac816a09e",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(preimage.source(), &message, &eight),
            "06ca67fae0bd3f47bb9415874591f577",
            "preimage, {}",
            arch.name()
        );
        // Across a refill.
        let tiny = options(Correlations::TINY);
        assert_eq!(
            tape(&refilled, &start, &tiny),
            "e4f29c8fb943c2a1d2185c12203d642e",
            "refilled network, {}",
            arch.name()
        );
    }
    // The shape of trees where one fills a tile, and a proposal that leaves the choice open.
    let (network, state) = kit::network(5_000);
    let wan = seeded(42).with_correlations(Correlations::WAN);
    assert_eq!(tape(&network, &state, &wan), "2acbb11110508e7bf1174ba58edad80d", "wan");
    let open = Options { size: Some(Size::gates(400_000)), ..seeded(42).with_bandwidth(20.0) };
    assert_eq!(tape(&network, &state, &open), "57b8e2b989eff92f8d72572575c75323", "left open");
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
            "d5ab44dca9db7387b11c80d7245e3f48",
            "direct, {name}"
        );
        // Across a refill.
        assert_eq!(
            arithmetic::<F61, Over<F61>>(130_000, "tiny", way),
            "85a70241cee4859fb1f60ecec4e4026d",
            "refilled, {name}"
        );
        assert_eq!(
            arithmetic::<F61, Over<F61, F61x2>>(9_000, "tiny", way),
            "6e3bc7761f7690c807320e0e669b5f00",
            "r = 2, {name}"
        );
        assert_eq!(
            arithmetic::<F256, Over<F256, F128>>(9_000, "tiny", way),
            "6d9aa3eec24190ccc83d644b15318c31",
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
        assert_eq!(tape(&bits, &pairs, &eight), "a5760a13d1c91725b0c02456ed0a3521", "inner product, {name}");
        let f61 = tape_over::<Over<F61>, _>(&matrices, &entries, &direct::<Over<F61>>(way));
        assert_eq!(f61, "49e82863219a41c845b647e36a7b9b94", "matrices, {name}");
        let f61x2 = tape_over::<Over<F61, F61x2>, _>(&matrices, &entries, &direct::<Over<F61, F61x2>>(way));
        assert_eq!(f61x2, "1d0eae6f3bfc38b045bbad1c4e21f431", "matrices by transcript, {name}");
        let q32 = tape_over::<Over<Q32, Q32x2>, _>(&solution, &short, &direct::<Over<Q32, Q32x2>>(way));
        assert_eq!(q32, "6135799457fa176f03916060a434b287", "short solution, {name}");
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
                "559438a39271ed8f25484713d9d33d7c",
                "54ef0dea43afd57756a1e0766f44b87b",
                "be11357e4fc3c49b81f891031f6ff199",
            ],
            [
                "d0d14f3e82d4586a8248864a481a8e2c",
                "0b31ee67447387cd58109eb277074fba",
                "dc737b42f6d48cf6491417645de576d2",
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
            ("softspoken8", "c43d94808c7c61bc93ef9564a82f0ba9"),
            ("refilled", "f00ae7539f2122b97451ced3e98033ed"),
            ("without coins", "ef786bc5e6aa580c58ef451b84a6dd4f"),
            ("f61", "1b16d3d7fe4cab8f083d9be0933f29e7"),
            ("f61x2", "7aac854528c1081cf84670da81d34fb6"),
            ("q32", "04feff5cbb02367a1932286d2ba450d9"),
            ("f256", "2336dcc0643060971c464c0b021407a9"),
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
            ["a7ed82b5a2ecd8e2f62e4a2fd2069af3", "0fac41e584a054c4b3b5b678355472ca"],
            ["43baeff631baf4cb409876c37a491db2", "ea7215499c745530d816342bd9943630"],
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
