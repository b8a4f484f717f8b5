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
            "c363d564ac4bf392a3a654fcf27735d4",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "061456d85c1054beded8440f6d247efd",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(preimage.source(), &message, &eight),
            "efd84091ebede964be1c2df1604dbeb5",
            "preimage, {}",
            arch.name()
        );
        // Across a refill.
        let tiny = options(Correlations::TINY);
        assert_eq!(
            tape(&refilled, &start, &tiny),
            "82f0bff047db8006a2179217ddab0ba2",
            "refilled network, {}",
            arch.name()
        );
    }
    // The shape of trees where one fills a tile, and a proposal that leaves the choice open: for a small
    // statement, since for a larger one the two sides say how fast they are.
    let (network, state) = kit::network(5_000);
    let wan = seeded(42).with_correlations(Correlations::WAN);
    assert_eq!(tape(&network, &state, &wan), "9bed3ad8dacaba1cd22af6ab73b33ec0", "wan");
    let open = Options { size: Some(Size::gates(200_000)), ..seeded(42).with_bandwidth(20.0) };
    assert_eq!(tape(&network, &state, &open), "1ce24437e6ee9453e146eb25dbd96e6e", "left open");
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
            "f56f53ba035ff80a281ef46df73f02ec",
            "direct, {name}"
        );
        // Across a refill.
        assert_eq!(
            arithmetic::<F61, Over<F61>>(130_000, "tiny", way),
            "aa40f83ae62235ea62ac46472599b4a1",
            "refilled, {name}"
        );
        assert_eq!(
            arithmetic::<F61, Over<F61, F61x2>>(9_000, "tiny", way),
            "8930d5b52f80686da18c5667f80f35f2",
            "r = 2, {name}"
        );
        assert_eq!(
            arithmetic::<F256, Over<F256, F128>>(9_000, "tiny", way),
            "e74ec48d85adad2dc732d69ff848a9fd",
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
        assert_eq!(tape(&bits, &pairs, &eight), "a7db1aba02c5f7ecbe6aac6f3d841a77", "inner product, {name}");
        let f61 = tape_over::<Over<F61>, _>(&matrices, &entries, &direct::<Over<F61>>(way));
        assert_eq!(f61, "b6b65f770bb4315703d0b59b801715d1", "matrices, {name}");
        let f61x2 = tape_over::<Over<F61, F61x2>, _>(&matrices, &entries, &direct::<Over<F61, F61x2>>(way));
        assert_eq!(f61x2, "85442c6344656a5c2f012e3936040004", "matrices by transcript, {name}");
        let q32 = tape_over::<Over<Q32, Q32x2>, _>(&solution, &short, &direct::<Over<Q32, Q32x2>>(way));
        assert_eq!(q32, "6abf1491098597f4cf3be664311783e6", "short solution, {name}");
    }
}

#[test]
fn other_seeds_give_other_tapes() {
    let (network, state) = network(10);
    assert_ne!(tape(&network, &state, &seeded(1)), tape(&network, &state, &seeded(2)));
}

/// Clauses over a tape: one group, several, and a tape of several batches.
#[test]
fn pinned_clauses() {
    let [few, many] = [Ones(vec![100, 3, 700]), Ones((0..40).map(|i| 5 + 3 * i).collect())];
    for (arch, threads) in ways() {
        let options = Options { arch, threads, ..seeded(42) };
        let said = [&few, &many].map(|clauses| {
            [0, 1, 2].map(|chosen| {
                let session = run_one_of((clauses, chosen, &options), (clauses, &options), None);
                let lengths = session.from_prover.messages().iter().map(Vec::len).collect::<Vec<_>>();
                (lengths, digest(session))
            })
        });
        for [(first, _), others @ ..] in &said {
            assert!(others.iter().all(|(lengths, _)| lengths == first), "no length depends on the clause");
        }
        let pinned = [
            [
                "6288a9793896967fcf6b33152ae34226",
                "6354a48a17b072dea9064d6d299752c1",
                "75285c4f2fd3c366518692202c17d741",
            ],
            [
                "3c2de61ab9bb896ff5a39eb75a7552ca",
                "3a2f45928ad5b5e0e2122e7b170f1dbf",
                "8eaf42d7d1043e58c70577dd62c0ee64",
            ],
        ];
        assert_eq!(said.map(|all| all.map(|(_, digest)| digest)), pinned, "{}", arch.name());
    }
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
                "1e61acdb0b78575e02d21499957627a4",
                "dbfe80fa3a371621bbb55a79eddf8cb6",
                "cbe7d086f4c6f922f41742aa0ec7068e",
            ],
            [
                "168b6e8e225259f24fb039bb6e72ebbf",
                "d78b82842bb7aab05540196b26879c31",
                "0c20da676e4b4e32fd2febbc6ebab81d",
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
            ("softspoken8", "eb98ab2691ef435546d065fa150f0621"),
            ("refilled", "d53043ebec283fe895252758dcd3a5a4"),
            ("without coins", "8c98fbe893f65990ac9ac3fb2d31ec99"),
            ("f61", "9d3b6c7d144d157dbfc4407c82fcce18"),
            ("f61x2", "75cd45483dc6beabb481ae79ef0bcdbb"),
            ("q32", "bf815922483e99ed92676a352231d05e"),
            ("f256", "ad0b344d6112571f3462ead35cc056b5"),
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
            ["ced242a73a0916ff0ac01e265415852b", "0fac41e584a054c4b3b5b678355472ca"],
            ["a45b2a1796029646f8b00e7b126ade00", "ea7215499c745530d816342bd9943630"],
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
