//! Every circuit, every kind of correlations, and `Clear`: the same verdict, and a bad witness fails at the
//! same named assertion.

use crate::kit::{ABC, Mixed, both, by_wolverine, network, preimage, run_clauses, run_honestly, seeded};
use crate::polynomials::bilinear::forms;
use std::fmt::{self, Display};
use volery::circuit::stream::{ClauseSource, Source, StreamedClauses};
use volery::circuit::{
    Alternatives, AnyOf, Branch, Clauses, Dimensions, Entries, InnerProduct, Matrix, MatrixProduct, OneOf,
    Polynomials, Program, Reduction, Relation, Statement, Value, Values, clauses,
};
use volery::{
    Backend, Binary, Checked, Circuit, Correlations, Error, F2, F61, F128, F256, F65537, F65537x4, Field,
    Named, Options, Over, Result, System, check, prove_one_of_over, verify_one_of_over,
};

/// Correlations whose set-up is short enough to try everything on.
const SMALL: [Correlations; 3] = [Correlations::SOFTSPOKEN4, Correlations::SOFTSPOKEN8, Correlations::TINY];

fn by_jko() -> Options {
    Options { method: System::JKO.into(), ..seeded(1) }
}

fn by_limbo() -> Options {
    Options { method: System::LIMBO.into(), ..seeded(1) }
}

/// Wolverine in one block, and in blocks that end inside of most statements and take many more shares.
fn in_blocks() -> [Options; 2] {
    let [_, eight, tiny] = SMALL;
    [(eight, None), (tiny, Some(3000))]
        .map(|(correlations, block)| by_wolverine(None, block).with_correlations(correlations))
}

/// The honest run is accepted by both sides, by transfers and by LPN; gates are counted alike.
fn assert_agrees(name: &str, circuit: &dyn Source<F2>, witness: &[F2]) {
    check(circuit, witness.to_vec()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let [four, _, tiny] = SMALL;
    let by_correlations = [four, tiny].map(|correlations| seeded(1).with_correlations(correlations));
    for options in by_correlations.into_iter().chain([by_jko(), by_limbo()]).chain(in_blocks()) {
        let session = run_honestly(circuit, witness, &options);
        let proved = session.proved.unwrap_or_else(|error| panic!("{name}: {error}"));
        let (_, verified) = session.verified.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement), "{name}");
        assert_eq!(
            (proved.traffic.sent, proved.traffic.received),
            (verified.traffic.received, verified.traffic.sent)
        );
    }
}

/// One of several clauses by every system: the witness of number `chosen` is accepted, and that
/// of no clause is not.
fn assert_one_of(name: &str, clauses: &dyn ClauseSource, chosen: usize, witness: &[F2], wrong: &[F2]) {
    for system in System::TALKING {
        let options = Options { method: system.into(), ..seeded(1) };
        let session = run_clauses((clauses, chosen, witness, &options), (clauses, &options), None);
        let proved = session.proved.unwrap_or_else(|error| panic!("{name} by {system}: {error}"));
        let (_, verified) = session.verified.unwrap_or_else(|error| panic!("{name} by {system}: {error}"));
        assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement), "{name}");
        let session = run_clauses((clauses, chosen, wrong, &options), (clauses, &options), None);
        assert!(matches!(session.proved, Err(Error::Unsatisfied(_))), "{name} by {system}");
        assert!(session.verified.is_err(), "{name} by {system}");
    }
}

/// The witness fails at the assertion called `assertion`: in the clear, and where nobody looked before.
fn assert_fails_at(circuit: &dyn Source<F2>, witness: &[F2], assertion: &str) {
    let named = |error| matches!(&error, Error::Unsatisfied(name) if name == assertion);
    assert!(named(check(circuit, witness.to_vec()).unwrap_err()), "{assertion}");
    let unchecked = [seeded(1), by_wolverine(None, None), by_wolverine(None, 3000)];
    let unchecked = unchecked.map(|options| Options { check: false, ..options });
    let checked = [seeded(1), by_jko(), by_limbo(), by_wolverine(None, None)];
    for options in checked.into_iter().chain(unchecked) {
        let session = run_honestly(circuit, witness, &options);
        assert!(named(session.proved.unwrap_err()), "{assertion}");
        assert!(session.verified.is_err(), "{assertion}");
    }
}

/// Batches of SoftSpoken end after 1024, 2048, 4096, 8192, 16384 and then each 8192 shares, those of LPN
/// after each 4096; the witness takes some.
#[test]
fn networks_around_batches() {
    assert_networks_agree(&[1, 1023, 1024, 1025, 33_000]);
}

/// Networks that need a refill of the smallest set, with all its messages amid the gates; and more sizes of
/// those around batches.
#[test]
#[ignore = "slow"]
fn networks_around_refills() {
    assert_networks_agree(&[2, 3, 64, 512, 3071, 3072, 3073, 105_472, 120_000]);
}

fn assert_networks_agree(sizes: &[u64]) {
    for &gates in sizes {
        let (network, witness) = network(gates);
        assert_agrees(&format!("network of {gates}"), &network, &witness);
    }
}

#[test]
fn every_kind_of_correlations() {
    let (network, witness) = network(5000);
    for correlations in Binary::ALL.map(Correlations::from) {
        let options = seeded(2).with_correlations(correlations);
        let session = run_honestly(&network, &witness, &options);
        assert!(session.verified.is_ok() && session.proved.is_ok(), "{correlations}");
    }
}

#[test]
fn every_kind_of_correlations_by_wolverine() {
    let (network, witness) = network(5000);
    for correlations in Binary::ALL.map(Correlations::from) {
        let options = by_wolverine(None, 600).with_correlations(correlations);
        let session = run_honestly(&network, &witness, &options);
        assert!(session.verified.is_ok() && session.proved.is_ok(), "{correlations}");
    }
}

/// Buckets are then larger, and no challenge is a coin: the verifier sends its verdict alone where
/// shares take nothing of it.
#[test]
fn wolverine_without_coins() {
    let (network, witness) = network(5000);
    let [_, eight, tiny] = SMALL;
    for (correlations, block) in [(eight, None), (eight, Some(3000)), (tiny, Some(3000))] {
        let options =
            Options { non_interactive: true, ..by_wolverine(None, block).with_correlations(correlations) };
        let session = run_honestly(&network, &witness, &options);
        let report = session.proved.unwrap();
        let (_, verified) = session.verified.unwrap();
        assert_eq!((report.security, report.of::<Checked>()), (verified.security, verified.of::<Checked>()));
        // A seed of 128 bits, less what one may lie for at once: two for each triple of a block.
        let searched = if block.is_some() { 111 } else { 104 };
        assert!(
            report.security.statistical >= 100 && report.security.computational >= searched,
            "{report:?}"
        );
        assert!(report.of::<Checked>().unwrap().bucket >= 10);
        let online = report.traffic.since(report.setup_traffic);
        assert!(online.received == 33 || correlations == tiny, "{}", online.received);
    }
}

#[test]
fn mixed_gates() {
    for bits in [1, 2, 5, 400] {
        let mut witness: Vec<F2> = (0..bits).map(|i| F2::from(i % 3 == 0)).collect();
        let parity: F2 = witness.iter().copied().sum();
        witness[0] += parity;
        assert_agrees("mixed", &Mixed { bits }, &witness);
        witness[bits - 1] += F2::ONE;
        assert_fails_at(&Mixed { bits }, &witness, "parity");
    }
}

#[test]
fn sha256_preimages() {
    let (statement, witness) = preimage(b"abc", ABC);
    assert_agrees("abc", statement.source(), &witness);
    let (statement, mut witness) = preimage(
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "0x248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    );
    assert_agrees("two blocks", statement.source(), &witness);
    witness[17] += F2::ONE;
    let error = check(&statement, witness.clone()).unwrap_err();
    let Error::Unsatisfied(name) = error else { panic!("{error}") };
    assert!(name.starts_with("digest["), "{name}");
    assert_fails_at(statement.source(), &witness, &name);
}

/// Finding a name takes as long as the whole statement: whoever asks for one that is not needed is slow.
#[test]
fn names_are_made_only_where_an_assertion_fails() {
    struct Never;
    impl Display for Never {
        fn fmt(&self, _: &mut fmt::Formatter) -> fmt::Result {
            panic!("a name that nobody needs")
        }
    }
    struct Zeroes;
    impl<B: Polynomials<F = F2>> Circuit<B> for Zeroes {
        fn run(&self, b: &mut B) -> Result<()> {
            let bit = b.witness()?;
            b.assert_zero(bit, &Never)?;
            for lanes in [1, 3] {
                let zeroes = b.vector(&vec![bit; lanes]);
                b.assert_zeroes(zeroes, &Never)?;
            }
            let factor = [bit];
            let [x, y] = [Matrix::new(&factor, 1); 2];
            b.assert_matrix_product(x, y, Entries::Public(&[F2::ZERO]), &Never)
        }
    }
    assert_agrees("zeroes", &Zeroes, &[F2::ZERO]);
}

#[test]
fn bilinear_forms() {
    let (statement, witness) = forms::<F2>(3);
    assert_agrees("forms", &statement, &witness);
    let mut wrong = statement;
    wrong.forms[6].2[5] += F2::ONE;
    assert!(run_honestly(&wrong, &witness, &Options { check: false, ..seeded(1) }).verified.is_err());
}

/// Preimages as polynomials take fewer commitments, and the same assertion fails.
#[test]
fn sha256_with_holes() {
    let relation = Relation::open("builtin:sha256-preimage?length=3&holes=1", None).unwrap();
    let mut public = Values::new();
    public.insert("digest", Value::from_number_hex(ABC.trim_start_matches("0x")).unwrap()).unwrap();
    let statement = Statement::new(relation, public).unwrap();
    let mut private = Values::new();
    private.insert("message", Value::from_bytes(b"abc")).unwrap();
    let mut witness: Vec<F2> = Relation::elements(&statement.witness(private).unwrap()).collect();
    assert_agrees("abc with holes", statement.source(), &witness);
    witness[9] += F2::ONE;
    let Error::Unsatisfied(name) = check(&statement, witness.clone()).unwrap_err() else { panic!() };
    assert!(name.starts_with("digest["), "{name}");
    assert_fails_at(statement.source(), &witness, &name);
}

/// Each larger statement in its smallest size, with whatever comes out public, and with a private bit
/// flipped that changes it.
#[test]
fn statements_of_gates() {
    assert_statements_agree(&[("price-discrimination?length=5", 7)]);
}

#[test]
#[ignore = "slow"]
fn larger_statements_of_gates() {
    assert_statements_agree(&[
        ("merkle-root?depth=1", 1000),
        ("price-discrimination?length=20", 7),
        ("bug-in-snippets?count=2", 0),
        ("merkle-membership?depth=1", 400),
        ("blind-certificate?credentials=4&reply=3&before=1&after=1", 7),
    ]);
}

/// Statements by name, each with the place of a bit of its witness on which something depends.
fn assert_statements_agree(cases: &[(&str, usize)]) {
    for &(spec, flipped) in cases {
        let relation = Relation::open(&format!("builtin:{spec}"), None).unwrap();
        let (mut all, mut public, mut private) = (Values::new(), Values::new(), Values::new());
        for port in relation.inputs() {
            let value = match (&*port.name, port.width) {
                ("input", _) => Value::from_bytes(b"small_boERROR\0"),
                (_, 1) => Value::from_bits_text("1").unwrap(),
                (_, width) => {
                    Value::from_bits_text(&"01101".repeat(width as usize)[..width as usize]).unwrap()
                }
            };
            let side = if port.public { &mut public } else { &mut private };
            side.insert(&port.name, value.clone()).unwrap();
            all.insert(&port.name, value).unwrap();
        }
        let outputs = relation.evaluate(all).unwrap();
        for (port, value) in relation.outputs().iter().zip(outputs) {
            public.insert(&port.name, value).unwrap();
        }
        let statement = Statement::new(relation, public).unwrap();
        let mut witness: Vec<F2> = Relation::elements(&statement.witness(private).unwrap()).collect();
        assert_agrees(spec, statement.source(), &witness);
        let whole = witness.clone();
        witness[flipped] += F2::ONE;
        if statement.count() > 1 {
            let chosen = clauses::find(&StreamedClauses(&statement), whole.clone()).unwrap();
            assert_one_of(spec, &statement, chosen, &whole, &witness);
        }
        let Error::Unsatisfied(name) = check(&statement, witness.clone()).unwrap_err() else {
            panic!("{spec}")
        };
        assert_fails_at(statement.source(), &witness, &name);
    }
}

#[test]
#[ignore = "slow"]
fn products_of_vectors_and_matrices() {
    for length in [1, 511, 513, 5000] {
        let z = InnerProduct::product_of(length, [7; 32]);
        let statement = InnerProduct::new(length, z).unwrap();
        let witness: Vec<F2> = statement.witness([7; 32]).collect();
        assert_agrees(&format!("{length} pairs"), &statement, &witness);
        assert_fails_at(&InnerProduct::new(length, z + F2::ONE).unwrap(), &witness, "z");
    }
    let dimensions = Dimensions { rows: 33, inner: 70, columns: 20 };
    let mut product = MatrixProduct::<F2>::product_of(dimensions, [7; 32]);
    for reduction in [Reduction::Random, Reduction::InnerProducts] {
        for public in [true, false] {
            let statement =
                MatrixProduct::new(dimensions, public.then_some(&product[..]), reduction).unwrap();
            let witness: Vec<F2> = statement.witness([7; 32]).collect();
            assert_agrees("matrices", &statement, &witness);
        }
    }
    product[20 * 17 + 3] += F2::ONE;
    let statement = MatrixProduct::new(dimensions, Some(&product[..]), Reduction::InnerProducts).unwrap();
    let witness: Vec<F2> = statement.witness([7; 32]).collect();
    assert_fails_at(&statement, &witness, "c[17][3]");
    let statement = MatrixProduct::new(dimensions, Some(&product[..]), Reduction::Random).unwrap();
    assert!(run_honestly(&statement, &witness, &Options { check: false, ..seeded(1) }).verified.is_err());
}

/// Clauses of very different sizes, none of which holds for zeros: an odd number of ones of 40 bits, and
/// their copies as hints; a chain of 3000 ANDs of two bits; and an inner product of 700 pairs.
struct Sizes;

impl Alternatives for Sizes {
    fn count(&self) -> usize {
        3
    }
}

impl<B: Polynomials<F = F2>> Clauses<B> for Sizes {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let mut sum = b.constant(F2::ONE);
        match clause {
            0 => {
                for i in 0..40 {
                    let x = b.witness()?;
                    let copy = b.hint(&[x], |x| x[0])?;
                    let difference = b.add(x, copy);
                    b.assert_zero(difference, format_args!("copy[{i}]"))?;
                    sum = b.add(sum, copy);
                }
                b.assert_zero(sum, "an odd number")
            }
            1 => {
                let x = [b.witness()?, b.witness()?];
                let product = (0..3000).try_fold(x[0], |product, i| b.mul(product, x[i % 2]))?;
                sum = b.add(sum, product);
                b.assert_zero(sum, "both")
            }
            _ => InnerProduct::new(700, F2::ONE)?.run(b),
        }
    }
}

#[test]
fn one_of_several_clauses() {
    let shapes = clauses::shapes(&Sizes).unwrap();
    let ones = |length: usize, places: &[usize]| -> Vec<F2> {
        (0..length).map(|i| F2::from(places.contains(&i))).collect()
    };
    let witnesses = [ones(40, &[2, 3, 17]), ones(2, &[0, 1]), ones(1400, &[5, 512 + 5])];
    for (clause, witness) in witnesses.into_iter().enumerate() {
        assert_eq!(clauses::find(&Sizes, witness.clone()).unwrap(), clause);
        assert_one_of("sizes", &Sizes, clause, &witness, &ones(witness.len(), &[]));
        let witness: Vec<F2> = OneOf(Sizes).witness(&shapes, clause, witness).into_iter().collect();
        assert_agrees(&format!("clause {clause}"), &OneOf(Sizes), &witness);
    }
    assert_fails_at(&OneOf(Sizes), &ones(1442, &[]), "one of 3 clauses");
    // All but one bit of the second, and an even number of ones.
    assert_fails_at(&OneOf(Sizes), &ones(1442, &[2, 3, 40]), "one of 3 clauses");
}

/// "I know an element whose power of the number of the clause and two is public."
struct Powers<F>(Vec<F>);

impl<F: Field> Alternatives for Powers<F> {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<B: Backend> Clauses<B> for Powers<B::F> {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let x = b.witness()?;
        let mut power = x;
        for _ in 0..=clause {
            power = b.mul(power, x)?;
        }
        let expected = b.constant(-self.0[clause]);
        let difference = b.add(power, expected);
        b.assert_zero(difference, "the power")
    }
}

fn assert_one_of_powers<S: Named>(systems: &[System]) {
    let base = S::F::place(1);
    let powers = Powers(vec![base * base, base * base * base, base]);
    let clauses: &dyn ClauseSource<S::F> = &powers;
    for &system in systems {
        let options = Options { method: system.into(), ..seeded(1) };
        for (chosen, compiled) in [(0, true), (1, false), (0, false)] {
            let session = both(
                |channel| match compiled {
                    true => prove_one_of_over::<S>(&powers, chosen, [base], channel, &options),
                    false => prove_one_of_over::<S>(clauses, chosen, [base], channel, &options),
                },
                |channel| verify_one_of_over::<S>(clauses, channel, &options),
                None,
            );
            let case = format!("{chosen} over {} by {system}", S::name());
            let proved = session.proved.unwrap_or_else(|error| panic!("{case}: {error}"));
            let (_, verified) = session.verified.unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement), "{case}");
        }
        let session = both(
            |channel| prove_one_of_over::<S>(clauses, 2, [base], channel, &options),
            |channel| verify_one_of_over::<S>(clauses, channel, &options),
            None,
        );
        assert!(matches!(session.proved, Err(Error::Unsatisfied(name)) if name == "the power"), "{system}");
        assert!(session.verified.is_err(), "{system}");
    }
}

#[test]
fn one_of_several_clauses_over_other_fields() {
    let all = [System::QUICKSILVER, System::WOLVERINE, System::LIMBO];
    assert_one_of_powers::<Over<F61>>(&all);
    assert_one_of_powers::<Over<F65537, F65537x4>>(&all);
    assert_one_of_powers::<Over<F256, F128>>(&all[..1]);
}

#[test]
fn one_of_several_statements() {
    let (right, witness) = preimage(b"abc", ABC);
    let (other, longer) = (|| preimage(b"abd", ABC).0, || preimage(b"abcd", ABC).0);
    let any = AnyOf::new(vec![other(), longer(), right]).unwrap();
    assert_one_of("digests", &any, 2, &witness, &[F2::ONE; 24]);
    let shapes = clauses::shapes(&StreamedClauses(&any)).unwrap();
    let one_of: OneOf<&dyn ClauseSource> = OneOf(&any);
    let padded: Vec<F2> = one_of.witness(&shapes, 2, witness).into_iter().collect();
    assert_agrees("one of three digests", &one_of, &padded);
    let any = AnyOf::new(vec![other(), longer()]).unwrap();
    let one_of: OneOf<&dyn ClauseSource> = OneOf(&any);
    assert_fails_at(&one_of, &[F2::ZERO; 24 + 32], "one of 2 clauses");
}

#[test]
fn witnesses_of_the_wrong_length() {
    let (network, witness) = network(100);
    let short = &witness[1..];
    let long: Vec<F2> = witness.iter().copied().chain([F2::ONE]).collect();
    for (witness, word) in [(short, "short"), (&long[..], "long")] {
        for options in [seeded(1), Options { check: false, ..seeded(1) }] {
            let error = run_honestly(&network, witness, &options).proved.unwrap_err();
            assert!(matches!(&error, Error::Invalid(why) if why.contains(word)), "{error}");
        }
    }
}

#[test]
fn the_traffic_is_what_the_headers_say() {
    let (network, witness) = network(22_000);
    let options = seeded(1).with_correlations(Correlations::SOFTSPOKEN8);
    let report = run_honestly(&network, &witness, &options).proved.unwrap();
    // 23,152 shares are used: chunks of 8, 8, 16, 32, 64 and 64 blocks.
    let blocks = 192;
    let setup = 188 + 32 + 32 * 7 * 16 + 32 * 16 + 32;
    let gates = 16 * 15 * (blocks + 1) + 48 + 16 * blocks + 64 + 32;
    assert_eq!(report.traffic.sent, setup + gates);
    assert_eq!(report.traffic.received, 188 + 8192 + 33);
}

/// Two sessions at once in one process share nothing.
#[test]
fn sessions_are_independent() {
    let (network, witness) = network(5000);
    std::thread::scope(|scope| {
        for seed in [3, 4] {
            let (network, witness) = (&network, &witness);
            scope.spawn(move || run_honestly(network, witness, &seeded(seed)).verified.unwrap());
        }
    });
}
