//! Whole sessions over every field: the same verdict as `Clear`, and a bad witness fails at the same named
//! assertion; nothing tampered with is accepted; less security than asked for is refused.

mod wolverine;

use crate::kit::{Session, by_wolverine, is_by, only_bytes_differ, run_by, run_over, seeded};
use std::num::NonZeroUsize;
use std::time::Duration;
use volery::channel::{Channel, Flip, Party, pipe};
use volery::circuit::stream::Source;
use volery::circuit::{
    Arithmetic, Bound, Dimensions, InnerProduct, Matrix, MatrixProduct, Reduction, ShortSolution,
};
use volery::circuit::{Elements, FieldRelation, Program, Size, Statement, Values};
use volery::error::{Disagreement, Sides};
use volery::{
    Correlations, Error, F61, F61x2, F65537, F65537x4, Field, Goldilocks, Limbo, Named, Options, Over,
    ProofSystem, ProverSession, Q32, Q32x2, System, VerifierSession, check, prove_to_over, setting, settings,
    verify_from_over, with_fields,
};

/// Runs a test over every field and extension.
macro_rules! over_every_field {
    ($test:ident) => {{
        with_fields!(over_every_field [$test]);
    }};
    ($test:tt $($values:ident: $($macs:ident)+;)+) => {
        $($(over_every_field! { @ $test $values $macs })+)+
    };
    (@ [$test:ident] $values:ident $macs:ident) => {
        $test::<volery::$values, Over<volery::$values, volery::$macs>>();
    };
}

/// Runs a test over every field and extension that Wolverine and Limbo are over by name.
macro_rules! over_fields_of_every_system {
    ($test:ident) => {{
        $test::<F61, Over<F61>>();
        $test::<F61, Over<F61, F61x2>>();
        $test::<F65537, Over<F65537, F65537x4>>();
    }};
}
use over_fields_of_every_system;

fn with(name: &str) -> Options {
    // The set has the same name over every field, and the same place.
    with_over::<Over<F61>>(name)
}

fn named<S: Named>(name: &str) -> Correlations {
    Correlations::named::<S>(name).unwrap()
}

/// Settings over `S` with the correlations called `name`.
fn with_over<S: Named>(name: &str) -> Options {
    seeded(1).with_correlations(named::<S>(name))
}

fn run_honestly<S: Named>(circuit: &dyn Source<S::F>, witness: &[S::F], options: &Options) -> Session {
    run_over::<S>((circuit, witness, options), (circuit, options), None)
}

/// The honest run is accepted by both sides, and gates are counted alike.
fn assert_agrees<S: Named>(name: &str, circuit: &dyn Source<S::F>, witness: &[S::F], options: &Options) {
    check(circuit, witness.to_vec()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let session = run_honestly::<S>(circuit, witness, options);
    let proved = session.proved.unwrap_or_else(|error| panic!("{name} over {}: {error}", S::name()));
    let (_, verified) = session.verified.unwrap_or_else(|error| panic!("{name} over {}: {error}", S::name()));
    assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement), "{name}");
    assert_eq!(proved.security, verified.security);
    assert_eq!(
        (proved.traffic.sent, proved.traffic.received),
        (verified.traffic.received, verified.traffic.sent)
    );
}

/// Asserts agreement with the correlations called `correlations`, by QuickSilver, and by Wolverine in small
/// blocks where that is over the field.
fn assert_both_agree<S: Named>(name: &str, circuit: &dyn Source<S::F>, witness: &[S::F], correlations: &str) {
    let options = with_over::<S>(correlations);
    let in_blocks = by_wolverine(None, 20).with_correlations(named::<S>(correlations));
    for options in [options, in_blocks].into_iter().filter(|options| is_by::<S>(options.system())) {
        assert_agrees::<S>(name, circuit, witness, &options);
    }
}

/// The witness fails at the assertion called `assertion`: in the clear, and where nobody looked before.
fn assert_fails_at<S: Named>(circuit: &dyn Source<S::F>, witness: &[S::F], assertion: &str) {
    let fails = |error| match error {
        Error::Unsatisfied(name) => assert_eq!(name, assertion),
        error => panic!("{error}"),
    };
    fails(check(circuit, witness.to_vec()).unwrap_err());
    for system in [System::QUICKSILVER, System::WOLVERINE].into_iter().filter(|system| is_by::<S>(*system)) {
        let options = Options { method: system.into(), check: false, ..seeded(1) }
            .with_correlations(named::<S>("direct"));
        let session = run_honestly::<S>(circuit, witness, &options);
        fails(session.proved.unwrap_err());
        assert!(session.verified.is_err());
    }
}

fn by_limbo(threads: usize) -> Options {
    Options { threads: NonZeroUsize::new(threads).unwrap(), method: System::LIMBO.into(), ..seeded(1) }
}

/// A proof of `circuit` that is a file.
fn file<S: Named>(circuit: &dyn Source<S::F>, witness: &[S::F]) -> Vec<u8> {
    let mut file = vec![];
    prove_to_over::<S>(circuit, witness.to_vec(), &mut file, &by_limbo(2)).unwrap();
    file
}

fn limbo<F: Field, S: Named<F = F>>() {
    let network = Arithmetic::<F>::new(130).unwrap();
    let witness: Vec<F> = network.witness([1; 32]).collect();
    assert_agrees::<S>("network", &network, &witness, &by_limbo(2));
    let sizes = Dimensions { rows: 3, inner: 4, columns: 2 };
    for reduction in [Reduction::Random, Reduction::InnerProducts] {
        let product = MatrixProduct::<F>::product_of(sizes, [2; 32]);
        let matrices = MatrixProduct::new(sizes, Some(&product), reduction).unwrap();
        let entries: Vec<F> = matrices.witness([2; 32]).collect();
        assert_agrees::<S>("matrices", &matrices, &entries, &by_limbo(1));
        let file = file::<S>(&matrices, &entries);
        let (_, report) = verify_from_over::<S>(&matrices, &mut &file[..], &by_limbo(1)).unwrap();
        assert!(report.security.statistical >= 128, "{:?}", report.security);
        assert_eq!(report.traffic.received, file.len() as u64);
    }
}

#[test]
fn settings_have_names_of_their_own() {
    for one in settings() {
        assert_eq!(setting(&one.name()).unwrap().name(), one.name());
        assert_eq!(settings().iter().filter(|other| other.name() == one.name()).count(), 1);
    }
    assert!(setting("f62").err().unwrap().to_string().contains("there are f2, f2x64, f61, f61x2"));
}

/// Facts of a system say over which settings it is.
#[test]
fn systems_are_over_the_settings_that_they_name() {
    for setting in settings() {
        for system in System::ALL {
            let over = system.facts().over;
            let named = over.is_empty() || over.contains(&&*setting.name());
            assert_eq!(setting.is_by(system), named, "{system} over {}", setting.name());
        }
    }
    // Every other name is one, too.
    let known: Vec<_> = settings().iter().map(|setting| setting.name()).collect();
    let all = System::ALL.into_iter().flat_map(|system| system.facts().over);
    assert!(all.into_iter().all(|name| known.iter().any(|known| known == name)));
}

#[test]
fn limbo_proves_over_every_field_of_its_own() {
    over_fields_of_every_system!(limbo);
}

/// Over a field that no name gives it, as a type: in a conversation, and as a file.
#[test]
fn limbo_proves_over_other_fields_as_a_type() {
    type S = Over<Goldilocks>;
    let network = Arithmetic::<Goldilocks>::new(130).unwrap();
    let witness: Vec<Goldilocks> = network.witness([1; 32]).collect();
    let session = run_by::<S>(&Limbo::<S>::OVER, &network, &witness, &by_limbo(2));
    assert_eq!(session.proved.unwrap().gates, session.verified.unwrap().1.gates);
    let (mut file, source) = (vec![], &network as &dyn Source<Goldilocks>);
    let files = Limbo::<S>::OVER.files().unwrap();
    files.prove_to(source, &witness, &mut file, &by_limbo(1)).unwrap();
    let (_, report) = files.verify_from(source, &mut &file[..], &by_limbo(1)).unwrap();
    assert!(report.security.statistical >= 128, "{:?}", report.security);
    let refused = prove_to_over::<S>(source, witness, &mut vec![], &by_limbo(1)).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("limbo is over f2, f61, f61x2, f65537, and not over goldilocks: take quicksilver"),
        "{refused}"
    );
}

#[test]
fn files_name_their_field() {
    let network = Arithmetic::<F61>::new(7).unwrap();
    let witness: Vec<F61> = network.witness([1; 32]).collect();
    let mut file = file::<Over<F61, F61x2>>(&network, &witness);
    match verify_from_over::<Over<F61>>(&network, &mut &file[..], &by_limbo(1)) {
        Err(Error::Disagreed(Disagreement::FileField(Sides { ours, theirs }))) => {
            assert_eq!((&*ours, &*theirs), ("f61", "f61x2"));
        }
        other => panic!("{other:?}"),
    }
    // What follows the name of the field is zero.
    file[16 + 31] = b'x';
    let read = verify_from_over::<Over<F61, F61x2>>(&network, &mut &file[..], &by_limbo(1));
    assert!(matches!(read, Err(Error::Disagreed(Disagreement::FileField(_)))));
}

/// A built-in statement with its witness.
fn builtin<F: Field>(
    spec: &str,
    public: &[(&str, &str)],
    private: &[(&str, &str)],
) -> (Statement<FieldRelation<F>>, Vec<F>) {
    let values = |pairs: &[(&str, &str)]| {
        let mut values = Values::new();
        for (name, text) in pairs {
            values.insert(*name, Elements::<F>::parse(text.as_bytes()).unwrap()).unwrap();
        }
        values
    };
    let relation = FieldRelation::<F>::open(&format!("builtin:{spec}"), None).unwrap();
    let statement = Statement::new(relation, values(public)).unwrap();
    let witness = statement.witness(values(private)).unwrap();
    let witness = FieldRelation::<F>::elements(&witness).collect();
    (statement, witness)
}

/// Whether statements of all kinds are tried over this field where that is to be quick: a prime one, a binary
/// one, and one of few elements. Over the others it is linear equations and a sum of numbers in a range.
fn has_all_kinds<F: Field>() -> bool {
    F::BINARY || F::BITS < 62
}

#[test]
fn statements_agree_with_clear_evaluation() {
    fn test<F: Field, S: Named<F = F>>() {
        statements_agree::<F, S>(has_all_kinds::<F>());
    }
    over_every_field!(test);
}

#[test]
#[ignore = "slow"]
fn statements_of_all_kinds_agree_with_clear_evaluation() {
    fn test<F: Field, S: Named<F = F>>() {
        statements_agree::<F, S>(true);
    }
    over_every_field!(test);
}

fn statements_agree<F: Field, S: Named<F = F>>(all: bool) {
    // 1 + 2·3 + 3·9 in characteristic two is 1 + 2·3 + 3·5 there.
    let prime = F::ONE + F::ONE != F::ZERO;
    let (power, witness) =
        builtin::<F>("power?exponent=2", &[("y", if prime { "9" } else { "5" })], &[("x", "3")]);
    if all {
        assert_both_agree::<S>("power", power.source(), &witness, "direct");
        assert_fails_at::<S>(power.source(), &[F::ONE], "y");
    }
    let public = [("matrix", "1,0,1, 0,1,0"), ("b", if prime { "8,7" } else { "6,7" })];
    let (linear, witness) = builtin::<F>("linear?rows=2&columns=3", &public, &[("x", "3,7,5")]);
    assert_both_agree::<S>("linear", linear.source(), &witness, "direct");
    assert_fails_at::<S>(linear.source(), &[witness[0], F::ONE, witness[2]], "b[1]");
    if prime {
        let (range, witness) =
            builtin::<F>("range-sum?count=3&bits=8", &[("total", "300")], &[("values", "255,40,5")]);
        assert_both_agree::<S>("range-sum", range.source(), &witness, "direct");
        let other: Vec<F> = vec![F::place(8), witness[1] + F::ONE + F::ONE + F::ONE + F::ONE, F::ZERO];
        assert_fails_at::<S>(range.source(), &other, "values[0] below 2^8");
        if !all {
            return;
        }
        let (factors, witness) = builtin::<F>("factors", &[("n", "15")], &[("a", "3"), ("b", "5")]);
        assert_both_agree::<S>("factors", factors.source(), &witness, "direct");
        let n = F::ONE + F::ONE + F::ONE;
        let n = n * (n + F::ONE + F::ONE);
        assert_fails_at::<S>(factors.source(), &[F::ONE, n], "a above 1");
    }
}

#[test]
#[ignore = "slow"]
fn polynomials_agree_with_clear_evaluation() {
    fn test<F: Field, S: Named<F = F>>() {
        for (length, name) in [(1, "direct"), (700, "direct"), (3000, "tiny")] {
            let z = InnerProduct::product_of(length, [7; 32]);
            let statement = InnerProduct::new(length, z).unwrap();
            let witness: Vec<F> = statement.witness([7; 32]).collect();
            assert_both_agree::<S>("inner product", &statement, &witness, name);
            if name == "direct" {
                assert_fails_at::<S>(&InnerProduct::new(length, z + F::ONE).unwrap(), &witness, "z");
            }
        }
        let dimensions = Dimensions { rows: 9, inner: 14, columns: 11 };
        let product = MatrixProduct::<F>::product_of(dimensions, [7; 32]);
        for reduction in [Reduction::Random, Reduction::InnerProducts] {
            for public in [true, false] {
                let product = public.then_some(&product[..]);
                let statement = MatrixProduct::new(dimensions, product, reduction).unwrap();
                let witness: Vec<F> = statement.witness([7; 32]).collect();
                assert_both_agree::<S>("matrices", &statement, &witness, "direct");
            }
        }
        let Ok(()) = Bound::Within(2).check::<F>() else { return };
        for bound in [Bound::Binary, Bound::Within(1), Bound::Within(2)] {
            let matrix = ShortSolution::<F>::matrix_of(20, 33, [3; 32]);
            let matrix = Matrix::new(&matrix, 33);
            let mut solution = ShortSolution::<F>::solution_of(33, bound, [7; 32]);
            let image = ShortSolution::image_of(matrix, &solution);
            let statement = ShortSolution::new(matrix, &image, bound).unwrap();
            assert_both_agree::<S>("short solution", &statement, &solution, "direct");
            solution[5] = F::ONE + F::ONE + F::ONE;
            assert_fails_at::<S>(&statement, &solution, "the range of s[5]");
        }
    }
    over_every_field!(test);
}

/// A small statement over `q32` sends little beside its corrections once what needs no witness is done.
#[test]
fn shares_straight_from_transfers_are_drawn_ahead() {
    let matrix = ShortSolution::<Q32>::matrix_of(8, 1024, [3; 32]);
    let matrix = Matrix::new(&matrix, 1024);
    let solution = ShortSolution::<Q32>::solution_of(1024, Bound::Within(1), [7; 32]);
    let image = ShortSolution::image_of(matrix, &solution);
    let statement = ShortSolution::new(matrix, &image, Bound::Within(1)).unwrap();
    let session = run_honestly::<Over<Q32, Q32x2>>(&statement, &solution, &seeded(1));
    let (_, report) = session.verified.unwrap();
    assert_eq!(report.choice.unwrap().correlations, Correlations::DIRECT);
    let online = report.traffic.since(report.setup_traffic);
    // An element each, three coefficients and two digests; a coin and the verdict.
    assert_eq!((online.received, online.sent), (4 * 1024 + 3 * 8 + 2 * 32, 32 + 33));
}

#[test]
fn networks_around_blocks_and_refills() {
    fn test<F: Field, S: Named<F = F>>() {
        networks_agree::<F, S>(&[(300, "direct"), (4000, "tiny")]);
    }
    over_every_field!(test);
    // More than an iteration, whose refill comes amid the coins; and every set.
    refilled(140_000, 5_000, false);
}

/// Networks of so many gates over F_{2^61-1} by `tiny`, with longer MACs too where asked, and by `l2`.
fn refilled(tiny: u64, l2: u64, longer: bool) {
    let made = |gates| {
        let network = Arithmetic::<F61>::new(gates).unwrap();
        let witness: Vec<F61> = network.witness([7; 32]).collect();
        (network, witness)
    };
    let (network, witness) = made(tiny);
    assert_agrees::<Over<F61>>("refilled", &network, &witness, &with("tiny"));
    if longer {
        assert_agrees::<Over<F61, F61x2>>("refilled", &network, &witness, &with("tiny"));
    }
    let (network, witness) = made(l2);
    assert_agrees::<Over<F61>>("l2", &network, &witness, &with("l2"));
}

#[test]
#[ignore = "slow"]
fn networks_around_more_blocks() {
    fn test<F: Field, S: Named<F = F>>() {
        networks_agree::<F, S>(&[(1, "direct"), (1000, "direct")]);
    }
    over_every_field!(test);
    refilled(260_000, 1_100_000, true);
}

/// Networks of so many gates, by these correlations. Direct blocks end after 256, 512 and 1024 shares, a witness
/// takes some.
fn networks_agree<F: Field, S: Named<F = F>>(sizes: &[(u64, &str)]) {
    for &(gates, name) in sizes {
        let network = Arithmetic::<F>::new(gates).unwrap();
        let witness: Vec<F> = network.witness([7; 32]).collect();
        assert_agrees::<S>(&format!("network of {gates}"), &network, &witness, &with_over::<S>(name));
    }
}

/// Statements one after the other on one set-up, of lengths that end anywhere in a batch and an iteration.
#[test]
fn one_set_up_serves_many_statements() {
    serve_many::<Over<F61>>(&with("tiny"));
}

fn serve_many<S: Named<F = F61>>(options: &Options) {
    let sizes = [5, 9_000, 1, 33_000, 70_000, 50_000, 4096];
    let (here, there) = pipe(Duration::from_secs(60));
    let networks = sizes.map(|gates| Arithmetic::<F61>::new(gates).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            let mut session = ProverSession::<S>::over(&mut channel, options.clone());
            for network in &networks {
                let witness: Vec<F61> = network.witness([7; 32]).collect();
                let report = session.prove(network, witness).unwrap();
                assert_eq!(report.gates.mul, network.multiplications());
            }
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let mut session = VerifierSession::<S>::over(&mut channel, options.clone());
        for network in &networks {
            let (_, report) = session.verify(network).unwrap();
            assert_eq!(report.gates.mul, network.multiplications());
        }
    });
}

/// Blocks of 256, 256, 512 and 1024 shares, with their masks.
#[test]
fn nothing_tampered_with_is_accepted() {
    assert_tampering_fails(with("direct"), 2, 2 + 2 + 3 + 5, 2);
}

#[test]
#[ignore = "slow"]
fn nothing_tampered_with_anywhere_is_accepted() {
    assert_tampering_fails(with("direct"), 2, 2 + 2 + 3 + 5, 1);
}

/// A bit in each message of either party, of a proof in whose course the prover sends the point of the base
/// transfers as the message with the number `base`, and so many of COPEe. What COPEe sends for a bit of Δ
/// that is zero is not looked at: that guess it grants, and nothing else, so that only the comparison of all
/// bytes at the end tells that it was changed on the way. All else a check finds before. Of COPEe's messages one in
/// `step` is changed, and the first and the last.
fn assert_tampering_fails(options: Options, base: usize, expected: usize, step: usize) {
    type S = Over<F61>;
    let network = Arithmetic::<F61>::new(600).unwrap();
    let witness: Vec<F61> = network.witness([7; 32]).collect();
    let options = Options { statement: Some([3; 32]), check: false, ..options };
    let honest = run_honestly::<S>(&network, &witness, &options);
    // COPEe's messages come after the points, for a piece of 256 shares or for the mask of a block's check:
    // an element for each of the 61 bits of Δ and each share.
    let masked = |message: usize, bytes: &[u8]| {
        message > base && [256, 1].into_iter().any(|shares| bytes.len() == 61 * shares * F61::BYTES)
    };
    let (mut pieces, mut tried, mut guesses) = (0, 0, 0);
    for (party, recording) in
        [(Party::Prover, honest.from_prover.messages()), (Party::Verifier, honest.from_verifier.messages())]
    {
        for (message, bytes) in recording.iter().enumerate() {
            let masked = party == Party::Prover && masked(message, bytes);
            pieces += usize::from(masked);
            if masked && pieces % step != 1 % step && pieces != expected {
                continue;
            }
            let bit = (message * 37) % (8 * bytes.len());
            let flip = Some((party, Flip { message, bit }));
            let session = run_over::<S>((&network, &witness, &options), (&network, &options), flip);
            // The verdict itself comes after the acceptance.
            let last = party == Party::Verifier && message + 1 == recording.len();
            let refused = if last { session.proved.is_err() } else { session.verified.is_err() };
            let case = format!("message {message} of the {}, bit {bit}", party.name());
            assert!(refused, "{case}");
            let end = party == Party::Prover && message + 1 == recording.len();
            let unnoticed = !end && only_bytes_differ(&session.verified);
            if masked {
                (tried, guesses) = (tried + 1, guesses + usize::from(unnoticed));
            } else {
                assert!(!unnoticed, "{case}");
            }
        }
        if party == Party::Prover {
            assert_eq!(recording[base].len(), 32);
        }
    }
    assert_eq!(pieces, expected);
    assert!((1..tried).contains(&guesses), "{guesses} of {tried}");
}

#[test]
fn less_security_than_asked_for_is_refused() {
    let network = Arithmetic::<F61>::new(100).unwrap();
    let witness: Vec<F61> = network.witness([7; 32]).collect();
    let refused = |options: &Options, part: &str| {
        let session = run_honestly::<Over<F61>>(&network, &witness, options);
        for error in [session.proved.unwrap_err(), session.verified.map(drop).unwrap_err()] {
            assert!(matches!(&error, Error::Invalid(why) if why.contains(part)), "{error}");
        }
    };
    refused(&Options { security: Some(60), ..with("direct") }, "gives 48");
    // More gates than the bound bears, were they as many as announced.
    refused(&Options { size: Some(Size::gates(1 << 50)), ..with("tiny") }, "gives 2");
    // A transcript's challenges over 61 bits could be searched.
    refused(&Options { non_interactive: true, ..with("direct") }, "searched");
    let options = Options { security: Some(100), non_interactive: true, ..with("direct") };
    let session = run_honestly::<Over<F61, F61x2>>(&network, &witness, &options);
    let (_, report) = session.verified.unwrap();
    assert!(report.security.statistical >= 100 && report.security.computational >= 119);
}

#[test]
fn the_fields_of_both_sides_must_agree() {
    let network = Arithmetic::<F61>::new(10).unwrap();
    let witness: Vec<F61> = network.witness([7; 32]).collect();
    let (here, there) = pipe(Duration::from_secs(20));
    std::thread::scope(|scope| {
        let prover = scope.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            ProverSession::<Over<F61>>::over(&mut channel, with("direct")).prove(&network, witness)
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let mut session = VerifierSession::<Over<F61, F61x2>>::over(&mut channel, with("direct"));
        for error in [session.verify(&network).map(drop).unwrap_err(), prover.join().unwrap().unwrap_err()] {
            assert!(matches!(error, Error::Disagreed(Disagreement::Field(_))), "{error}");
        }
    });
}
