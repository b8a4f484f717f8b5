//! The bytes on the wire of seeded runs, pinned: a refactoring may not change them, and a change of the
//! protocol must (its commit begins with `wire:`).

use crate::kit::{
    self, ABC, Anywhere, Ones, Session, by_wolverine, network, preimage, run_honestly, run_one_of, run_over,
    seeded,
};
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
    for arch in Arch::available() {
        let options = |correlations| Options { arch, ..seeded(42).with_correlations(correlations) };
        let four = options(Correlations::SOFTSPOKEN4);
        let eight = options(Correlations::SOFTSPOKEN8);
        assert_eq!(
            tape(&network, &state, &four),
            "5f34067667647595da5a1fe43349c74d",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "0aec7c0fdd485cab04829c0a88af9e18",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(preimage.source(), &message, &eight),
            "03602117fb23e0fc772be53fdbf4ec86",
            "preimage, {}",
            arch.name()
        );
        // Across a refill.
        let tiny = options(Correlations::TINY);
        assert_eq!(
            tape(&refilled, &start, &tiny),
            "cc1b814c935c099058a61227e1e7ee9c",
            "refilled network, {}",
            arch.name()
        );
    }
    // The shape of trees where one fills a tile, and a proposal that leaves the choice open.
    let (network, state) = kit::network(5_000);
    let wan = seeded(42).with_correlations(Correlations::WAN);
    assert_eq!(tape(&network, &state, &wan), "8c04d7624716425d445ae037243f1e4a", "wan");
    let open = Options { size: Some(Size::gates(400_000)), ..seeded(42).with_bandwidth(20.0) };
    assert_eq!(tape(&network, &state, &open), "644e4c8ac4dd87e3dae5c9cc205f24a2", "left open");
}

/// The tape of a network of `gates` over `S` with the correlations called `name`.
fn arithmetic<F: Field, S: Setting<F = F>>(gates: u64, name: &str, arch: Arch) -> String
where
    Arithmetic<F>: Anywhere<S>,
{
    arithmetic_by::<F, S>(gates, name, Options { arch, ..seeded(42) })
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
    for arch in Arch::available() {
        let name = arch.name();
        assert_eq!(
            arithmetic::<F61, Over<F61>>(1_000, "direct", arch),
            "a059e64dd7488dcaa85ac258809200a1",
            "direct, {name}"
        );
        // Across a refill.
        assert_eq!(
            arithmetic::<F61, Over<F61>>(130_000, "tiny", arch),
            "64344392f38b6f625ff59323f567680c",
            "refilled, {name}"
        );
        assert_eq!(
            arithmetic::<F61, Over<F61, F61x2>>(9_000, "tiny", arch),
            "72bb37fefad1ef8617f46beb47ac21c0",
            "r = 2, {name}"
        );
        assert_eq!(
            arithmetic::<F256, Over<F256, F128>>(9_000, "tiny", arch),
            "2e2a8c471a4cdabde442439a90d33399",
            "bytes, {name}"
        );
    }
}

/// Every arch computes the same coefficients of polynomials.
#[test]
fn pinned_polynomials() {
    fn direct<S: Setting>(arch: Arch) -> Options {
        let correlations: Correlations = Correlations::named::<S>("direct").unwrap().into();
        Options { arch, ..seeded(42).with_correlations(correlations) }
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
    for arch in Arch::available() {
        let name = arch.name();
        let eight = Options { arch, ..seeded(42).with_correlations(Correlations::SOFTSPOKEN8) };
        assert_eq!(tape(&bits, &pairs, &eight), "424269f88791d3819c90b3fb27d03eb2", "inner product, {name}");
        let f61 = tape_over::<Over<F61>, _>(&matrices, &entries, &direct::<Over<F61>>(arch));
        assert_eq!(f61, "9832b7281022fe9771741794c0392a3d", "matrices, {name}");
        let f61x2 = tape_over::<Over<F61, F61x2>, _>(&matrices, &entries, &direct::<Over<F61, F61x2>>(arch));
        assert_eq!(f61x2, "48ebcdf760076d5b462f1fa78c7bc1b2", "matrices by transcript, {name}");
        let q32 = tape_over::<Over<Q32, Q32x2>, _>(&solution, &short, &direct::<Over<Q32, Q32x2>>(arch));
        assert_eq!(q32, "d2c859c80140d4e9e2448fcc7ccfed87", "short solution, {name}");
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
    for arch in Arch::available() {
        let tapes = Construction::ALL.map(|construction| {
            let by = |method| Options { method, arch, ..seeded(42) };
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
                "d8559fbe5f3d91e1fbfb20f4eb966e44",
                "4a6e5c69a6d6109c3b721c68108fdea8",
                "07dbf0eb025f13377359606afb9b0d98",
            ],
            [
                "3127bf04b7f60e0851f460fbe3e8c8b3",
                "78b0417623d1eafa29963ab07c909547",
                "3133616220b0354b018caf31ab1b075c",
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
    for arch in Arch::available() {
        let in_blocks = |by, block: u64| Options { arch, seed: Some([42; 32]), ..by_wolverine(by, block) };
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
            ("softspoken8", "39be0d84a84e2719fb44c7684a21265d"),
            ("refilled", "fe5e37d0208780d8e82339b192d4a80b"),
            ("without coins", "f7acb0aaf6c5be5eefacc5b7c21d63a9"),
            ("f61", "0f73c41cc701f35cd452c664cc440172"),
            ("f61x2", "04390f06fe877e7462b3433bb8425698"),
            ("q32", "d6ae69188136060802324cf72165964e"),
            ("f256", "c16c4027e7fee03f684849e007065047"),
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
    for arch in Arch::available() {
        let tapes = Aggregation::ALL.map(|aggregation| {
            let simulation = Simulation { aggregation, most_work: 8, ..Simulation::default() };
            let options = Options { method: Method::Limbo(simulation), arch, ..seeded(42) };
            let mut file = vec![];
            prove_to(&network, state.clone(), &mut file, &options).unwrap();
            let file = blake3::hash(&file).to_hex()[..32].to_string();
            [digest(run_honestly(&network, &state, &options)), file]
        });
        let pinned = [
            ["3739e031cc675a8b78ce77c049d56bb7", "0fac41e584a054c4b3b5b678355472ca"],
            ["fb7433c7dd74b29808118e23e25d1460", "ea7215499c745530d816342bd9943630"],
        ];
        assert_eq!(tapes, pinned, "{}", arch.name());

        let mut file = vec![];
        let options = Options { method: System::LIMBO.into(), arch, ..seeded(42) };
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
