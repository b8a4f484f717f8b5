//! The bytes on the wire of seeded runs, pinned: a refactoring may not change them, and a change of the
//! protocol must (its commit begins with `wire:`).

use crate::kit::{
    self, ABC, Ones, Session, by_wolverine, network, preimage, run_by, run_compiled, run_honestly,
    run_one_of, seeded,
};
use crate::memory::notes;
use std::num::NonZeroUsize;
use volery::circuit::{
    Arithmetic, Bound, Dimensions, InnerProduct, Matrix, MatrixProduct, Reduction, ShortSolution, Size,
};
use volery::zk::limbo::Aggregation;
use volery::{
    Arch, Binary, CheckedBy, Construction, Correlations, F2, F61, F61x2, F128, F256, Field, Garbling, Named,
    Options, Over, Provable, Q32, Q32x2, RuntimeExtension, RuntimePrime, Seeds, Simulation, Stacking, System,
    Wolverine, prove_to, prove_to_over,
};

fn tape(circuit: &(impl Provable<Binary> + Sync + ?Sized), witness: &[F2], options: &Options) -> String {
    tape_over::<Binary>(circuit, witness, options)
}

/// The tape of a statement that is compiled for QuickSilver where it can be: `compiled` holds streams against it.
fn tape_over<S: Named>(
    circuit: &(impl Provable<S> + Sync + ?Sized),
    witness: &[S::F],
    options: &Options,
) -> String {
    digest(run_compiled::<S>(circuit, witness, options, None))
}

/// A digest of all messages of both parties, with their boundaries.
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
            "9c5d79b2dad6a12ad660c6b06792bbd5",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "20f8409de698e0cbcd5719b66d4518f6",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(preimage.source(), &message, &eight),
            "4d980b1f3d3e270c426c03a1ca097105",
            "preimage, {}",
            arch.name()
        );
        // Across a refill.
        let tiny = options(Correlations::TINY);
        assert_eq!(
            tape(&refilled, &start, &tiny),
            "202aafbcf1ad81661846853dd9d16f92",
            "refilled network, {}",
            arch.name()
        );
    }
    // The shape of trees where one fills a tile, and a proposal that leaves the choice open: for a small
    // statement, since for a larger one the two sides say how fast they are.
    let (network, state) = kit::network(5_000);
    let wan = seeded(42).with_correlations(Correlations::WAN);
    assert_eq!(tape(&network, &state, &wan), "f6e8dccceece9a8084a6887a8e518c2b", "wan");
    let open = Options { size: Some(Size::gates(200_000)), ..seeded(42).with_bandwidth(20.0) };
    assert_eq!(tape(&network, &state, &open), "9378e48aa084a48b474f7bc4408bb67d", "left open");
}

/// Every instruction set, and several numbers of threads: no byte depends on either.
fn ways() -> impl Iterator<Item = (Arch, NonZeroUsize)> {
    let (archs, threads) =
        (Arch::available(), [1, 2, 3, 8].map(|threads| NonZeroUsize::new(threads).unwrap()));
    let count = archs.len().max(threads.len());
    archs.into_iter().cycle().zip(threads.into_iter().cycle()).take(count)
}

/// The tape of a network of `gates` over `S` with the correlations called `name`.
fn arithmetic<F: Field, S: Named<F = F>>(
    gates: u64,
    name: &str,
    (arch, threads): (Arch, NonZeroUsize),
) -> String {
    arithmetic_by::<F, S>(gates, name, Options { arch, threads, ..seeded(42) })
}

/// The tape of an arithmetic network with these options.
fn arithmetic_by<F: Field, S: Named<F = F>>(gates: u64, name: &str, options: Options) -> String {
    let network = Arithmetic::<F>::new(gates).unwrap();
    let witness: Vec<F> = network.witness([7; 32]).collect();
    let correlations: Correlations = Correlations::named::<S>(name).unwrap();
    tape_over::<S>(&network, &witness, &options.with_correlations(correlations))
}

/// The tape of a network by Wolverine over a field that no name gives it, with the correlations called `tiny`.
fn arithmetic_by_type<F: Field, S: Named<F = F>>(gates: u64, options: Options) -> String {
    let network = Arithmetic::<F>::new(gates).unwrap();
    let witness: Vec<F> = network.witness([7; 32]).collect();
    let options = options.with_correlations(Correlations::TINY);
    digest(run_by::<S>(&Wolverine::<S>::OVER, &network, &witness, &options))
}

/// The plainest instruction set with one thread, and the widest with several: what lies between is compared by
/// tests of kernels.
fn some_ways() -> impl Iterator<Item = (Arch, NonZeroUsize)> {
    let ways = [(Arch::PORTABLE, 1), (Arch::detect(), 3)];
    ways.into_iter().map(|(arch, threads)| (arch, NonZeroUsize::new(threads).unwrap()))
}

#[test]
fn pinned_over_other_fields() {
    assert_pinned_over_other_fields(some_ways());
}

#[test]
#[ignore = "slow"]
fn pinned_over_other_fields_all_ways() {
    assert_pinned_over_other_fields(ways());
}

fn assert_pinned_over_other_fields(ways: impl Iterator<Item = (Arch, NonZeroUsize)>) {
    for (arch, threads) in ways {
        let (name, way) = (arch.name(), (arch, threads));
        assert_eq!(
            arithmetic::<F61, Over<F61>>(1_000, "direct", way),
            "3cc4367cca9f42a7dbaefa6dcccf06a4",
            "direct, {name}"
        );
        // Across a refill.
        assert_eq!(
            arithmetic::<F61, Over<F61>>(130_000, "tiny", way),
            "934d83ea734677e2d6c58cbe23614774",
            "refilled, {name}"
        );
        assert_eq!(
            arithmetic::<F61, Over<F61, F61x2>>(9_000, "tiny", way),
            "819464708f4fb8564fbae633d9404902",
            "r = 2, {name}"
        );
        assert_eq!(
            arithmetic::<F256, Over<F256, F128>>(9_000, "tiny", way),
            "50105426b25bcc0e9f3919444f85e0f8",
            "bytes, {name}"
        );
        RuntimePrime::choose((1 << 60) - 93).unwrap();
        assert_eq!(
            arithmetic::<RuntimePrime, Over<RuntimePrime, RuntimeExtension>>(9_000, "tiny", way),
            "c617f9682700ed7d91440cdc996b723e",
            "a prime of 60 bits, {name}"
        );
    }
}

/// Every arch computes the same coefficients of polynomials.
#[test]
fn pinned_polynomials() {
    fn direct<S: Named>((arch, threads): (Arch, NonZeroUsize)) -> Options {
        let correlations: Correlations = Correlations::named::<S>("direct").unwrap();
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
        assert_eq!(tape(&bits, &pairs, &eight), "65d8161abbfaafac173f3bf6fdf9116b", "inner product, {name}");
        let f61 = tape_over::<Over<F61>>(&matrices, &entries, &direct::<Over<F61>>(way));
        assert_eq!(f61, "872599549205a7dfb0732180ab816fae", "matrices, {name}");
        let f61x2 = tape_over::<Over<F61, F61x2>>(&matrices, &entries, &direct::<Over<F61, F61x2>>(way));
        assert_eq!(f61x2, "23858e5ded6285c70558fcd2122f2784", "matrices by transcript, {name}");
        let q32 = tape_over::<Over<Q32, Q32x2>>(&solution, &short, &direct::<Over<Q32, Q32x2>>(way));
        assert_eq!(q32, "28b0a36936456762ab44415e1065b8f5", "short solution, {name}");
    }
}

/// A memory of few cells, with what its challenges and products come to at the end.
#[test]
fn pinned_memories() {
    fn test<S: Named>(name: &str, (arch, threads): (Arch, NonZeroUsize)) -> String {
        let (statement, witness) = notes::<S::F>(11, 4);
        let correlations: Correlations = Correlations::named::<S>(name).unwrap();
        let options = Options { arch, threads, ..seeded(42).with_correlations(correlations) };
        tape_over::<S>(&statement, &witness, &options)
    }
    for way in ways() {
        let name = way.0.name();
        assert_eq!(test::<Binary>("softspoken8", way), "37d94eb2f9813d80533959aaedfb7928", "{name}");
        assert_eq!(test::<Over<F61>>("direct", way), "44c11a31383b1fa7cfdf2a536180cd08", "{name}");
        assert_eq!(test::<Over<F61, F61x2>>("direct", way), "56141dcc665bd55c3a2bee1959e35eef", "{name}");
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
                "2e9188cac2dfbd4814690f1efecc0d0c",
                "61451a6535cdd5c0185cd3d6284c23ba",
                "e1fc61e5773e8c6eb888fa3265962c23",
            ],
            [
                "ab2adde1afeec878743580914dbf978a",
                "e51f94baf6d12367756afbef51ccbafc",
                "a95dacb77e839142aa8db1cbaa73dd34",
            ],
        ];
        assert_eq!(said.map(|all| all.map(|(_, digest)| digest)), pinned, "{}", arch.name());
    }
}

/// Garblings by each construction: JKO, and a stack with seeds by a tree and one by one.
#[test]
fn pinned_garblings() {
    let (network, state) = network(1500);
    let clauses = Ones(vec![5, 40, 2]);
    for (arch, threads) in ways() {
        let tapes = Construction::ALL.map(|construction| {
            let by = |method| Options { method, arch, threads, ..seeded(42) };
            let jko = by(Garbling { construction }.into());
            let [tree, each] = Seeds::ALL.map(|seeds| {
                let stacking = Stacking { construction, seeds };
                let options = by(stacking.into());
                digest(run_one_of((&clauses, 2, &options), (&clauses, &options), None))
            });
            [digest(run_honestly(&network, &state, &jko)), tree, each]
        });
        let pinned = [
            [
                "8130d8402331dfdc45b0db1419282740",
                "461a3567041eec2f8d76386b85b90894",
                "b5f4cb945aff31c0fda89eee6af6cb10",
            ],
            [
                "decddcae4d824d8f159cd16ca7a3ff84",
                "78b49d87e58325e05dd2daaf93412f5b",
                "3ff3103b0fecf8e9258a15ac0fe7e7fc",
            ],
        ];
        assert_eq!(tapes, pinned, "{}", arch.name());
    }
}

/// Tapes of Wolverine by each check in several blocks: over F_2 with coins, across refills, and without; over
/// other fields.
#[test]
fn pinned_by_wolverine() {
    assert_pinned_by_wolverine(some_ways());
}

#[test]
#[ignore = "slow"]
fn pinned_by_wolverine_all_ways() {
    assert_pinned_by_wolverine(ways());
}

fn assert_pinned_by_wolverine(ways: impl Iterator<Item = (Arch, NonZeroUsize)>) {
    use CheckedBy::{Buckets, Interpolation, Sacrifice};
    let (network, state) = network(5000);
    let (refilled, start) = kit::network(20_000);
    for (arch, threads) in ways {
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
            ("q32", arithmetic_by_type::<Q32, Over<Q32, Q32x2>>(9000, in_blocks(Interpolation, 5000))),
            ("f256", arithmetic_by_type::<F256, Over<F256, F128>>(1000, in_blocks(Buckets, 300))),
        ];
        let pinned = [
            ("softspoken8", "9403262cee3cee58fcd13254628bde6f"),
            ("refilled", "263da5949d59dc0baae1b6ee743be84c"),
            ("without coins", "8289f6264f37ac963f30e8a80e62d7c3"),
            ("f61", "5e891cf86af0b17042cb9278431bfbc8"),
            ("f61x2", "117b7844a63a04f7ac6c14efa5e7d62d"),
            ("q32", "9adc506c0cfff043aa92502bbcd81fa9"),
            ("f256", "8910ff87cf865fa036e864ad9a16abf2"),
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
            let simulation = Simulation { aggregation, ..Simulation::default() };
            let options = Options { method: simulation.into(), most_work: 100, arch, threads, ..seeded(42) };
            let mut file = vec![];
            prove_to(&network, state.clone(), &mut file, &options).unwrap();
            let file = blake3::hash(&file).to_hex()[..32].to_string();
            [digest(run_honestly(&network, &state, &options)), file]
        });
        let pinned = [
            ["7cec762f58424ced92ef5bb6b8ba5ef2", "0fac41e584a054c4b3b5b678355472ca"],
            ["0de99c75e82666edad82906584ad2583", "ea7215499c745530d816342bd9943630"],
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

/// Sessions of one witness share no message: but for the name and version of the protocol, and what both say
/// they want, no message of one comes in the other.
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
