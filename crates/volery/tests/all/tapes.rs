//! The bytes on the wire of seeded runs, pinned: a refactoring may not change them, and a change of the
//! protocol must (its commit begins with `wire:`).

use crate::kit::{
    self, ABC, Anywhere, Ones, Session, by_wolverine, network, preimage, run_honestly, run_one_of, run_over,
    seeded,
};
use crate::memory::notes;
use std::num::NonZeroUsize;
use volery::circuit::{
    Arithmetic, Bound, Dimensions, InnerProduct, Matrix, MatrixProduct, Reduction, ShortSolution, Size,
};
use volery::zk::limbo::Aggregation;
use volery::{
    Arch, Binary, CheckedBy, Construction, Correlations, F2, F61, F61x2, F128, F256, Field, Method, Options,
    Over, Q32, Q32x2, RuntimePrime, RuntimePrimex4, Seeds, Setting, Simulation, Stacking, System, prove_to,
    prove_to_over,
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

pub(crate) fn digest(session: Session) -> String {
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
            "02f57e3c15d3eacc8794d54635b09f13",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "149cf8db4b4d4bf185234d05eeaf180c",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(preimage.source(), &message, &eight),
            "83acc130dc3c4cb5e8c3d5c17121197a",
            "preimage, {}",
            arch.name()
        );
        // Across a refill.
        let tiny = options(Correlations::TINY);
        assert_eq!(
            tape(&refilled, &start, &tiny),
            "aa5a0d5eca24a5f869db03a4728e9f10",
            "refilled network, {}",
            arch.name()
        );
    }
    // The shape of trees where one fills a tile, and a proposal that leaves the choice open: for a small
    // statement, since for a larger one the two sides say how fast they are.
    let (network, state) = kit::network(5_000);
    let wan = seeded(42).with_correlations(Correlations::WAN);
    assert_eq!(tape(&network, &state, &wan), "34c25175bc937fa73dd3662a42f507ea", "wan");
    let open = Options { size: Some(Size::gates(200_000)), ..seeded(42).with_bandwidth(20.0) };
    assert_eq!(tape(&network, &state, &open), "bcc65d27e2b95573dd2d1388b6eff6c1", "left open");
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
            "a250249d7850e672e1065d688de356dc",
            "direct, {name}"
        );
        // Across a refill.
        assert_eq!(
            arithmetic::<F61, Over<F61>>(130_000, "tiny", way),
            "e630a9a887363a9c1e0c680abaccbcc1",
            "refilled, {name}"
        );
        assert_eq!(
            arithmetic::<F61, Over<F61, F61x2>>(9_000, "tiny", way),
            "b166ec103533a41e461f84c30d2f35d7",
            "r = 2, {name}"
        );
        assert_eq!(
            arithmetic::<F256, Over<F256, F128>>(9_000, "tiny", way),
            "31bcb5ad1329e68a9df496bd70913520",
            "bytes, {name}"
        );
        RuntimePrime::choose((1 << 60) - 93).unwrap();
        assert_eq!(
            arithmetic::<RuntimePrime, Over<RuntimePrime, RuntimePrimex4>>(9_000, "tiny", way),
            "e222f781aaeeee33eeac4a54bd23e9df",
            "a prime of 60 bits, {name}"
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
        assert_eq!(tape(&bits, &pairs, &eight), "36a29cfb9eb1935b4fc13cdce035875c", "inner product, {name}");
        let f61 = tape_over::<Over<F61>, _>(&matrices, &entries, &direct::<Over<F61>>(way));
        assert_eq!(f61, "9836b4211c5918e8a76061c3f39c9431", "matrices, {name}");
        let f61x2 = tape_over::<Over<F61, F61x2>, _>(&matrices, &entries, &direct::<Over<F61, F61x2>>(way));
        assert_eq!(f61x2, "6e580a6723d9de0b5df3517a2f400254", "matrices by transcript, {name}");
        let q32 = tape_over::<Over<Q32, Q32x2>, _>(&solution, &short, &direct::<Over<Q32, Q32x2>>(way));
        assert_eq!(q32, "1700617985784a78ef87af88d38f8139", "short solution, {name}");
    }
}

/// A memory of few cells, with what its challenges and products come to at the end.
#[test]
fn pinned_memories() {
    fn test<S: Setting>(name: &str, (arch, threads): (Arch, NonZeroUsize)) -> String {
        let (statement, witness) = notes::<S::F>(11, 4);
        let correlations: Correlations = Correlations::named::<S>(name).unwrap().into();
        let options = Options { arch, threads, ..seeded(42).with_correlations(correlations) };
        tape_over::<S, _>(&statement, &witness, &options)
    }
    for way in ways() {
        let name = way.0.name();
        assert_eq!(test::<Binary>("softspoken8", way), "79fb8ca47dca38931b2f9f5d8720c0ca", "{name}");
        assert_eq!(test::<Over<F61>>("direct", way), "4ffdcbbca90332c0e1ee16cb97da9186", "{name}");
        assert_eq!(test::<Over<F61, F61x2>>("direct", way), "e11706c428bd1b841ff4e56b90d7a56b", "{name}");
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
                "5108025e0d1ce7ce85642f53331fdcc7",
                "5d94a9664598874f6b67da047db8af5d",
                "5b5dbe105a92cdbecf67469e75e1bdcb",
            ],
            [
                "5a69e41bbf4e12b2a7020fb342c02f5b",
                "abf177c6a262d117e3a1fc854544e68e",
                "f5b4bdee894e19050a549bf9f46a82b7",
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
                "9494522fc5727a947caac97563f6cb35",
                "e819eed6f5184d668adb108531f6e3d0",
                "c719298a9cd4284618959622c885b336",
            ],
            [
                "83cd3ca601edf6293a44f5bfef021a84",
                "ae0290605b6887dacbaf34d5f796900d",
                "9dee757e4ad39376a34f74bf50f32ede",
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
            ("softspoken8", "c1c7bfd355d7f514d7a865ff7298a4e2"),
            ("refilled", "f6a3dbc84cdb41ee4a230a0aec716bff"),
            ("without coins", "78ce1648a909b52c868b05a566cadc4b"),
            ("f61", "0d5850c1f873c9e697ed396568743d91"),
            ("f61x2", "5f41e55ee6ab668b66832af5432552a1"),
            ("q32", "735fdf0225929598638d665165b76038"),
            ("f256", "6db6284381fc9a934af7a47f2d1bdf41"),
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
            ["fb79b40c13b49155b0a7e33c85cf1636", "0fac41e584a054c4b3b5b678355472ca"],
            ["6ed26ead4fe0b96b924cb8a109283835", "ea7215499c745530d816342bd9943630"],
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
