//! The bytes on the wire of seeded runs, pinned: a refactoring may not change them, and a change of the
//! protocol must (its commit begins with `wire:`).

use crate::compiled::Lanes;
use crate::kit::{
    self, ABC, Ones, Session, by_wolverine, network, preimage, run_by, run_compiled, run_honestly,
    run_one_of, seeded,
};
use crate::memory::notes;
use std::num::NonZeroUsize;
use volery::circuit::{
    Arithmetic, Bound, Circuit, Dimensions, InnerProduct, Matrix, MatrixProduct, Polynomials, Reduction,
    Returned, ShortSolution, Size,
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
            "4c9a020fa04bacefc6b51896bdf36822",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "2ecd95daa715758fd3ad222e10561317",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(preimage.source(), &message, &eight),
            "f3c1c3103fbc935da99c4712557cc0c1",
            "preimage, {}",
            arch.name()
        );
        // Across a refill.
        let tiny = options(Correlations::TINY);
        assert_eq!(
            tape(&refilled, &start, &tiny),
            "100044c731e795aacbe0969f7599f8c3",
            "refilled network, {}",
            arch.name()
        );
    }
    // The shape of trees where one fills a tile, and a proposal that leaves the choice open: for a small
    // statement, since for a larger one the two sides say how fast they are.
    let (network, state) = kit::network(5_000);
    let wan = seeded(42).with_correlations(Correlations::WAN);
    assert_eq!(tape(&network, &state, &wan), "e19b0c9caa4c129329fc8cf39496a1e8", "wan");
    let open = Options { size: Some(Size::gates(200_000)), ..seeded(42).with_bandwidth(20.0) };
    assert_eq!(tape(&network, &state, &open), "05d54a94e56165ee836bb249d873d82b", "left open");
}

/// Turns of waves across a refill, with as many threads as have work and more.
#[test]
fn pinned_maps() {
    let statement = Lanes { lanes: 600, products: 250 };
    let witness = [F2::ZERO; 1200];
    let archs = Arch::available().into_iter().cycle();
    for (threads, arch) in [1, 3, 16].into_iter().zip(archs) {
        let threads = NonZeroUsize::new(threads).unwrap();
        let tapes = [Correlations::SOFTSPOKEN4, Correlations::TINY].map(|correlations| {
            let options = Options { arch, threads, ..seeded(42).with_correlations(correlations) };
            tape(&statement, &witness, &options)
        });
        let pinned = ["bd6fe34d5325711c42ffabfe241f5e6a", "67f807e32c7c2024487c2e2db173db84"];
        assert_eq!(tapes, pinned, "{threads} threads, {}", arch.name());
    }
    // By coins, which the prover hears late, and by the transcript.
    for (threads, arch) in [1, 16, 3].into_iter().cycle().zip(Arch::available()) {
        let threads = NonZeroUsize::new(threads).unwrap();
        let tapes = [
            mapped::<F61, Over<F61>>("tiny", (arch, threads)),
            mapped::<F61, Over<F61>>("direct", (arch, threads)),
            mapped::<F61, Over<F61, F61x2>>("tiny", (arch, threads)),
        ];
        let pinned = [
            "758c6cc37e4b6e7b708277b68096f322",
            "36ef1438e07f9d660f81bd05dd02298f",
            "ea215208f03b62a9aa6a1014db46e422",
        ];
        assert_eq!(tapes, pinned, "{threads} threads, {}", arch.name());
    }
}

/// Waves of as many lanes as both have agreed on, whatever the number of threads: what a card sends, too.
#[test]
fn pinned_wide_maps() {
    let statement = Lanes { lanes: 600, products: 250 };
    let witness = [F2::ZERO; 1200];
    for (threads, lanes, pinned) in [
        (1, 256, "52270e98f12977df1adc49aec106e588"),
        (3, 256, "52270e98f12977df1adc49aec106e588"),
        (2, 1 << 12, "d0fd77747162befd00724fb4fa59880e"),
    ] {
        let threads = NonZeroUsize::new(threads).unwrap();
        let options = Options { threads, lanes: Some(lanes), ..seeded(42) };
        let options = options.with_correlations(Correlations::TINY);
        assert_eq!(tape(&statement, &witness, &options), pinned, "{threads} threads, {lanes} lanes");
    }
    for (threads, lanes, pinned) in [
        (1, 256, "33c091aa7ad799e37324ba90031d507a"),
        (3, 256, "33c091aa7ad799e37324ba90031d507a"),
        (2, 1 << 12, "7d64169b6fb2dc11adb9d750a0881a80"),
    ] {
        let threads = NonZeroUsize::new(threads).unwrap();
        let options = Options { threads, lanes: Some(lanes), ..seeded(42) };
        let options = options.with_correlations(Correlations::TINY);
        let tape = tape_over::<Over<F61>>(&statement, &[F61::ZERO; 1200], &options);
        assert_eq!(tape, pinned, "{threads} threads, {lanes} lanes");
    }
}

/// Squares of two wires in each of some lanes, round by round: vectors are committed to, and products asserted.
struct Squares {
    lanes: usize,
    rounds: usize,
}

impl<B: Polynomials> Circuit<B> for Squares {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<volery::Result<Vec<_>>>()?;
        let squares = b.map(b"squares", self.lanes, &columns, |b, _, of| {
            let mut pair = [of[0], of[1]];
            for _ in 0..self.rounds {
                let vector = b.vector(&pair);
                let squares = b.product(&vector, &vector)?;
                let made = b.commit(&squares)?;
                b.assert_product(pair[0], pair[0], made[0], "a square")?;
                pair = [made[1], made[0]];
            }
            Ok(Returned { wires: pair.to_vec(), public: Vec::new() })
        })?;
        b.assert_zero(squares.wires[0], "the first lane")
    }
}

#[test]
fn pinned_polynomials_in_maps() {
    fn squares<F: Field, S: Named<F = F>>(name: &str, threads: usize) -> String {
        let statement = Squares { lanes: 300, rounds: 60 };
        let correlations: Correlations = Correlations::named::<S>(name).unwrap();
        let options = Options { threads: NonZeroUsize::new(threads).unwrap(), ..seeded(42) };
        tape_over::<S>(&statement, &[F::ZERO; 600], &options.with_correlations(correlations))
    }
    for threads in [1, 16] {
        let tapes = [
            squares::<F2, Binary>("softspoken4", threads),
            squares::<F2, Binary>("tiny", threads),
            squares::<F61, Over<F61>>("tiny", threads),
            squares::<F61, Over<F61, F61x2>>("tiny", threads),
        ];
        let pinned = [
            "e871556685bd304710e0f8ad48e2107c",
            "864238f006b6b21c916c2c1f4778557a",
            "e738d9eedb5ab319ed8968a23fa3d5c4",
            "a71a0d596c800f20673124d574b2ef13",
        ];
        assert_eq!(tapes, pinned, "{threads} threads");
    }
}

/// Polynomials alone in each of some lanes, of degrees two and three: all wires carry zero.
pub(crate) struct Powers(pub(crate) usize);

impl<B: Polynomials> Circuit<B> for Powers {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let columns = (0..2 * self.0).map(|_| b.witness()).collect::<volery::Result<Vec<_>>>()?;
        b.map(b"powers", self.0, &columns, |b, _, of| {
            let (x, y) = (b.vector(&of[..1]), b.vector(&of[1..]));
            let square = b.product(&x, &x)?;
            let cube = b.product(&square, &y)?;
            b.assert_zeroes(square, "the square")?;
            b.assert_zeroes(cube, "the cube")?;
            Ok(Returned::default())
        })?;
        b.assert_zero(columns[0], "the first lane")
    }
}

/// The coefficient that each polynomial has is of the protocol: in parts of 512 lanes, vector by vector in each.
#[test]
fn pinned_maps_of_polynomials() {
    fn powers<F: Field, S: Named<F = F>>(name: &str, threads: usize) -> String {
        let correlations: Correlations = Correlations::named::<S>(name).unwrap();
        let options = Options { threads: NonZeroUsize::new(threads).unwrap(), ..seeded(42) };
        tape_over::<S>(&Powers(1301), &[F::ZERO; 2602], &options.with_correlations(correlations))
    }
    for threads in [1, 2, 16] {
        let tapes = [
            powers::<F2, Binary>("tiny", threads),
            powers::<F61, Over<F61>>("tiny", threads),
            powers::<F61, Over<F61, F61x2>>("tiny", threads),
        ];
        let pinned = [
            "044c6c21e80f5f59792d5c7761ccd79e",
            "eb4df4a45c159cb24d867edcd423a2cb",
            "5414e554adf3f01687117bb2b0257220",
        ];
        assert_eq!(tapes, pinned, "{threads} threads");
    }
}

/// The tape of a map over `S` with the correlations called `name`.
fn mapped<F: Field, S: Named<F = F>>(name: &str, (arch, threads): (Arch, NonZeroUsize)) -> String {
    let statement = Lanes { lanes: 300, products: 150 };
    let correlations: Correlations = Correlations::named::<S>(name).unwrap();
    let options = Options { arch, threads, ..seeded(42) };
    tape_over::<S>(&statement, &[F::ZERO; 600], &options.with_correlations(correlations))
}

/// Every instruction set, and several numbers of threads: no byte depends on either.
pub(crate) fn ways() -> impl Iterator<Item = (Arch, NonZeroUsize)> {
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
            "3457a6bcbf8a0f3310afd35c2e1c9104",
            "direct, {name}"
        );
        // Across a refill.
        assert_eq!(
            arithmetic::<F61, Over<F61>>(130_000, "tiny", way),
            "81efe4a3c1c0e0e608687d1479d88724",
            "refilled, {name}"
        );
        assert_eq!(
            arithmetic::<F61, Over<F61, F61x2>>(9_000, "tiny", way),
            "4d543df3423a1e61b919af3819fdfa61",
            "r = 2, {name}"
        );
        assert_eq!(
            arithmetic::<F256, Over<F256, F128>>(9_000, "tiny", way),
            "393d44630aded238e1f490aa7fa11456",
            "bytes, {name}"
        );
        RuntimePrime::choose((1 << 60) - 93).unwrap();
        assert_eq!(
            arithmetic::<RuntimePrime, Over<RuntimePrime, RuntimeExtension>>(9_000, "tiny", way),
            "38063892fa7b3443b1a70f92910dd531",
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
        assert_eq!(tape(&bits, &pairs, &eight), "cdc18d4dcb0d6c7ecec0fa46ccad6b03", "inner product, {name}");
        let f61 = tape_over::<Over<F61>>(&matrices, &entries, &direct::<Over<F61>>(way));
        assert_eq!(f61, "bd9ca539e830c26bd8262eb4236f55d7", "matrices, {name}");
        let f61x2 = tape_over::<Over<F61, F61x2>>(&matrices, &entries, &direct::<Over<F61, F61x2>>(way));
        assert_eq!(f61x2, "b54d96b94fc4a5473a0e5cdd20c6b4a9", "matrices by transcript, {name}");
        let q32 = tape_over::<Over<Q32, Q32x2>>(&solution, &short, &direct::<Over<Q32, Q32x2>>(way));
        assert_eq!(q32, "c341d33be6891e679ed9294f5a8ffeda", "short solution, {name}");
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
        assert_eq!(test::<Binary>("softspoken8", way), "4b3139bc93cf2e862c9bc97bc73c8d2f", "{name}");
        assert_eq!(test::<Over<F61>>("direct", way), "2aedf39eeb69cf806cb2cc6e4f634dd9", "{name}");
        assert_eq!(test::<Over<F61, F61x2>>("direct", way), "0390ae6f1f5f80025e181b0d3b63d9fc", "{name}");
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
                "329fc3678ece54a6cb24d506b5513274",
                "3169142df6e4f1ad41c4517266983944",
                "f9881456690a63a0556f2bd9f541cd45",
            ],
            [
                "e808ebc05771c3756ae11f989b60fc3c",
                "5bdce09bac7f9705869d50c6d755bbca",
                "cd93b21f55a0ecdbeff2e0ea158b05b9",
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
                "1f2cfbbcb234734ccca36ed8c892374a",
                "e38e52c7f1e52bf34701a5f3e6d5bab7",
                "a3f07b51f61f0d9e66bbca4fd45576b8",
            ],
            [
                "722b7fbc8399e4344b1fae3a8fec8290",
                "86966c505a315ece22a51ebf6adb9552",
                "3557b63ab394ef0c99a01d6d68d6ad1d",
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
            ("softspoken8", "a0f8b2f7ff5487b41897922fc8097460"),
            ("refilled", "d42a3443fdaca472f6f0ffeb7e80b819"),
            ("without coins", "3033dabc005b6bf053ebd10886d3147c"),
            ("f61", "e96b946d817e1194b00cf1e7faf5bde8"),
            ("f61x2", "3792c3e7bd1f2d408c90c5080d6a56a0"),
            ("q32", "ea5c880c27d16bdf12ecb72aeb9aa9bb"),
            ("f256", "787b2ece89dd9c21491febf65c2f3374"),
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
            ["3f57b9e8fabc46cc385005ecf2318967", "0fac41e584a054c4b3b5b678355472ca"],
            ["f0939d49f61b22eea43eba5982a03dab", "ea7215499c745530d816342bd9943630"],
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
