//! Proof files by VOLE in the head, as a caller of the library meets them.

use crate::compiled::Lanes;
use crate::kit::{ABC, Ones, network, preimage, run_honestly, seeded};
use crate::tapes::Powers;
use sha2::Digest;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use volery::circuit::{Network, Relation, Shape, Size, Statement, Value, Values, Written};
use volery::error::{Disagreement, Rejection, Sides};
use volery::zk::voleith::{Parameters, Preference, Wishes};
use volery::{
    Arch, Error, F2, FileProof, InTheHead, LONGEST_LABEL, Options, Over, Result, System,
    prove_one_of_to_file, prove_to, prove_to_file, prove_to_over, read_label, verify_from, verify_from_over,
    verify_one_of_from,
};

/// The SHA3-256 digest of "abc".
const SHA3_OF_ABC: &str = "0x3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";

/// The bytes of a header without its label.
const HEADER: usize = 100;

fn by(head: InTheHead) -> Options {
    Options { method: head.into(), ..seeded(1) }
}

/// Few hashes to search, so that tests take no time.
fn wishing(preference: Preference) -> InTheHead {
    InTheHead { wishes: Wishes { preference, grinding: Some(8), ..Wishes::default() } }
}

fn labelled(label: &str) -> Options {
    Options { label: label.into(), ..by(wishing(Preference::Balanced)) }
}

fn proof(network: &Network, state: &[F2], options: &Options) -> Vec<u8> {
    let mut out = vec![];
    prove_to(network, state.to_vec(), &mut out, options).unwrap();
    out
}

fn check(network: &Network, proof: &[u8], options: &Options) -> Result<()> {
    verify_from(network, &mut { proof }, options).map(|(_accepted, _)| ())
}

/// Reports of both parties say the same, and the file has the bytes that were foretold.
#[test]
fn proofs_by_preference() {
    let (network, state) = network(2000);
    let size = Shape::of(&network).unwrap().size();
    for (preference, trees) in [(Preference::Speed, 15), (Preference::Balanced, 11)] {
        let options = Options { threads: NonZeroUsize::new(2).unwrap(), ..by(wishing(preference)) };
        let mut out = vec![];
        let proved = prove_to(&network, state.clone(), &mut out, &options).unwrap();
        let (_accepted, verified) = verify_from(&network, &mut &out[..], &seeded(2)).unwrap();
        let [made, read] = [&proved, &verified].map(|report| report.of::<FileProof>().unwrap());
        assert_eq!((made, made.parameters.trees), (read, trees));
        assert_eq!((proved.traffic.sent, verified.traffic.received), (out.len() as u64, out.len() as u64));
        assert_eq!((proved.statement, proved.gates), (verified.statement, verified.gates));
        assert_eq!((proved.security, proved.security.computational), (verified.security, 124));
        assert_eq!((proved.system, verified.system), (System::VOLEITH, System::VOLEITH));
        let wishes = wishing(preference).wishes;
        let foretold = volery::estimate::voleith(size, None, &wishes, 0).unwrap();
        assert_eq!((foretold.total.prover, made.bytes), (out.len() as u64, (out.len() - HEADER) as u64));
    }
}

/// A proof is written while it is made where its beginning can be written again: the same bytes, wherever
/// they begin, and by Limbo too.
#[test]
fn proofs_to_files() {
    let (network, state) = network(20_000);
    for options in [by(wishing(Preference::Balanced)), Options { method: System::LIMBO.into(), ..seeded(1) }]
    {
        let expected = proof(&network, &state, &options);
        for before in [0, 7] {
            let mut file = Cursor::new(vec![1; before]);
            file.set_position(before as u64);
            let report = prove_to_file(&network, state.clone(), &mut file, &options).unwrap();
            assert_eq!(
                (report.traffic.sent, file.position()),
                (expected.len() as u64, (before + expected.len()) as u64)
            );
            assert!(file.get_ref()[..before].iter().all(|byte| *byte == 1));
            assert!(file.get_ref()[before..] == expected, "{}", options.system());
        }
    }
}

/// A disk that is full after so many bytes.
struct Full(Cursor<Vec<u8>>, usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.position() as usize + bytes.len() > self.1 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.0.write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

/// The proof goes on no further than the disk, and what is there is no proof, nor has a seed in it.
#[test]
fn files_that_end_before_the_proof() {
    let (network, state) = network(20_000);
    let options = by(wishing(Preference::Balanced));
    let whole = proof(&network, &state, &options);
    for most in [0, 99, 3000, whole.len() / 2, whole.len() - 1] {
        let mut file = Full(Cursor::new(vec![]), most);
        let error = prove_to_file(&network, state.clone(), &mut file, &options).unwrap_err();
        assert!(matches!(error, Error::Io { doing: "writing the proof", .. }), "{error}");
        let part = file.0.into_inner();
        assert!(part.len() <= most && part.iter().take(1000).all(|byte| *byte == 0));
        assert!(matches!(check(&network, &part, &options), Err(Error::Rejected(_))));
    }
    let mut file = Full(Cursor::new(vec![]), whole.len());
    prove_to_file(&network, state, &mut file, &options).unwrap();
    assert!(file.0.into_inner() == whole);
}

/// The files of `vectors/`, made of the circuit `adder8.txt`: this version reads them, and makes the same.
#[test]
fn files_of_this_version() {
    const LABEL: &str = "0x5a + 0x33 = 0x8d";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let circuit = folder.join("circuits/adder8.txt");
    let stated = |sum: &str| {
        let relation = Relation::open(circuit.to_str().expect("UTF-8"), None).unwrap();
        let mut public = Values::new();
        public.insert("out0", Value::from_number_hex(sum).unwrap()).unwrap();
        Statement::new(relation, public).unwrap()
    };
    let statement = stated("0x8d");
    let mut private = Values::new();
    private.insert("in0", Value::from_number_hex("0x5a").unwrap()).unwrap();
    private.insert("in1", Value::from_number_hex("0x33").unwrap()).unwrap();
    let witness: Vec<F2> = statement.witness(private).unwrap().bits().collect();
    let mut changed = vec![];
    for (name, preference) in
        [("speed", Preference::Speed), ("balanced", Preference::Balanced), ("size", Preference::Size)]
    {
        // The shortest with so little grinding costs its verifier more than what is read unasked.
        let options = Options { label: LABEL.into(), most_work: 8, ..by(wishing(preference)) };
        let mut made = vec![];
        prove_to(statement.source(), witness.clone(), &mut made, &options).unwrap();
        let path = folder.join(format!("voleith/adder8-{name}.proof"));
        let pinned = std::fs::read(&path).unwrap_or_default();
        if made != pinned {
            let now = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("adder8-{name}.proof"));
            std::fs::write(&now, &made).unwrap();
            changed.push(format!("{} is made in other bytes now: {}", path.display(), now.display()));
            continue;
        }
        assert_eq!(pinned[12..16], 3_u32.to_le_bytes(), "the version");
        let labelled = Options { most_work: 8, ..labelled(LABEL) };
        let (_accepted, report) = verify_from(statement.source(), &mut &pinned[..], &labelled).unwrap();
        assert_eq!(report.of::<FileProof>().unwrap().parameters.trees, preference.trees());
        let refused = verify_from(stated("0x8c").source(), &mut &pinned[..], &labelled).unwrap_err();
        assert!(matches!(refused, Error::Disagreed(Disagreement::FileStatement(_))));
    }
    assert!(changed.is_empty(), "{}", changed.join("; "));
}

/// Many files of one statement, by several threads: what is kept of it from one to the next changes no
/// verdict, and is kept of no other.
#[test]
fn many_files_of_one_statement() {
    let state = |digest: [u8; 32]| {
        let mut relation =
            volery::setting("f2").unwrap().open("builtin:sha256-preimage?length=3&holes=1", None).unwrap();
        relation.public().read("digest", Written::Content(&digest, None)).unwrap();
        relation.state().unwrap()
    };
    let abc = *blake3::hash(b"nothing").as_bytes();
    let digest = |message: &[u8]| <[u8; 32]>::from(sha2::Sha256::digest(message));
    let files = [b"abc", b"abd"].map(|message| {
        let mut statement = state(digest(message));
        statement.private().read("message", Written::Content(message, None)).unwrap();
        let mut file = vec![];
        let claim = statement.claim().unwrap();
        claim.prove_to(&mut file, &by(wishing(Preference::Speed))).unwrap();
        file
    });
    let [first, second, other] = [digest(b"abc"), digest(b"abd"), abc].map(state);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let read = |statement: &dyn volery::AnyStatement, file: &[u8]| {
                        statement.verify_from(&mut &file[..], &seeded(1)).is_ok()
                    };
                    assert!(read(&*first, &files[0]) && read(&*second, &files[1]));
                    assert!(!read(&*first, &files[1]) && !read(&*second, &files[0]));
                    assert!(!read(&*other, &files[0]));
                }
            });
        }
    });
}

/// Files of small statements have few bytes, without a label, by each preference.
#[test]
fn small_statements_have_small_files() {
    for (spec, most) in [
        ("aes128?holes=1", [6600, 5400, 4800]),
        ("sha256-preimage?length=55&holes=1", [17_500, 13_500, 11_500]),
        ("keccak256-preimage?length=32&holes=1", [18_500, 14_000, 11_800]),
    ] {
        let (shape, _) = Relation::open(&format!("builtin:{spec}"), None).unwrap().examine().unwrap();
        for (preference, most) in
            [Preference::Speed, Preference::Balanced, Preference::Size].into_iter().zip(most)
        {
            let wishes = Wishes { preference, ..Wishes::default() };
            let bytes = volery::estimate::voleith(shape.size(), None, &wishes, 0).unwrap().total.prover;
            assert!((9 * most / 10..=most).contains(&bytes), "{spec}, {preference:?}: {bytes} bytes");
        }
    }
}

/// Files are as long as foretold, to the byte, with gates, holes, and many batches.
#[test]
fn files_are_as_long_as_foretold() {
    let hex = |bytes: &[u8]| bytes.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"));
    let (zeros, of_zeros) = (hex(&[0; 960]), hex(&sha2::Sha256::digest([0; 960])));
    for (spec, message, digest) in [
        ("sha256-preimage?length=3&holes=0", "0x616263", ABC),
        ("sha256-preimage?length=3&holes=1", "0x616263", ABC),
        ("sha256-preimage?length=960&holes=1", &zeros, &of_zeros),
        ("sha3-256-preimage?length=3&holes=1", "0x616263", SHA3_OF_ABC),
    ] {
        let relation = Relation::open(&format!("builtin:{spec}"), None).unwrap();
        let size = relation.examine().unwrap().0.size();
        let mut public = Values::new();
        public.insert("digest", Value::from_number_hex(digest).unwrap()).unwrap();
        let statement = Statement::new(relation, public).unwrap();
        let mut private = Values::new();
        private.insert("message", Value::from_number_hex(message).unwrap()).unwrap();
        let witness: Vec<F2> = statement.witness(private).unwrap().bits().collect();
        for preference in [Preference::Speed, Preference::Balanced] {
            let mut file = vec![];
            prove_to(statement.source(), witness.clone(), &mut file, &by(wishing(preference))).unwrap();
            let foretold = volery::estimate::voleith(size, None, &wishing(preference).wishes, 0).unwrap();
            assert_eq!(foretold.total.prover, file.len() as u64, "{spec}, {preference:?}");
            let _ = verify_from(statement.source(), &mut &file[..], &seeded(2)).unwrap();
        }
    }
}

/// A map of polynomials alone, which a file has lane by lane.
#[test]
fn maps_of_polynomials_are_called_in_files() {
    let (statement, witness) = (Powers(700), [F2::from(false); 1400]);
    let size = Shape::of::<F2>(&statement).unwrap().size();
    let (mut file, wishes) = (vec![], wishing(Preference::Balanced));
    prove_to(&statement, witness, &mut file, &by(wishes)).unwrap();
    let foretold = volery::estimate::voleith(size, None, &wishes.wishes, 0).unwrap();
    assert_eq!(foretold.total.prover, file.len() as u64);
    let _ = verify_from(&statement, &mut &file[..], &seeded(2)).unwrap();
}

/// One of several clauses, by both systems: files tell by their length nothing of which it is.
#[test]
fn one_of_several_clauses_in_a_file() {
    let clauses = Ones(vec![5, 40, 2]);
    for system in [System::VOLEITH, System::LIMBO] {
        let options = match system {
            System::VOLEITH => by(wishing(Preference::Balanced)),
            other => Options { method: other.into(), ..seeded(1) },
        };
        let mut lengths = vec![];
        for (chosen, count) in [5, 40, 2].into_iter().enumerate() {
            let mut file = Cursor::new(vec![]);
            let witness = vec![F2::from(true); count];
            let made = prove_one_of_to_file(&clauses, chosen, witness, &mut file, &options).unwrap();
            let file = file.into_inner();
            let (_accepted, read) = verify_one_of_from(&clauses, &mut &file[..], &options).unwrap();
            assert_eq!((made.gates, made.system, made.statement), (read.gates, system, read.statement));
            lengths.push(file.len());
            for other in [Ones(vec![5, 40, 3]), Ones(vec![40, 5, 2]), Ones(vec![5, 40])] {
                assert!(verify_one_of_from(&other, &mut &file[..], &options).is_err());
            }
        }
        assert_eq!(lengths, [lengths[0]; 3]);
        let mut nothing = Cursor::new(vec![]);
        let wrong = vec![F2::from(false); 2];
        let refused = prove_one_of_to_file(&clauses, 2, wrong.clone(), &mut nothing, &options).unwrap_err();
        assert!(matches!(refused, Error::Unsatisfied(_)), "{refused}");
        let refused = prove_one_of_to_file(&clauses, 3, wrong, &mut nothing, &options).unwrap_err();
        assert!(refused.to_string().contains("no clause number 3"));
        assert!(nothing.into_inner().is_empty());
    }
}

/// The usual system where options name nothing: over F_2 these files, over other fields Limbo's. Either is
/// read by its header.
#[test]
fn the_usual_system() {
    let (network, state) = network(300);
    let limbo = proof(&network, &state, &Options { method: System::LIMBO.into(), ..seeded(1) });
    let head = proof(&network, &state, &labelled("x"));
    let default = proof(&network, &state, &seeded(1));
    assert_eq!([&limbo, &head, &default].map(|file| file[12]), [1, 3, 3]);
    for options in [seeded(1), Options::by(System::LIMBO), Options::by(System::VOLEITH)] {
        for (file, system) in [(&limbo, System::LIMBO), (&head, System::VOLEITH), (&default, System::VOLEITH)]
        {
            let (_accepted, report) = verify_from(&network, &mut &file[..], &options).unwrap();
            assert_eq!(report.system, system);
        }
        assert!(check(&network.variant(1), &head, &options).is_err());
    }
    assert_eq!(read_label(&mut &head[..]).unwrap(), "x");
    assert_eq!(read_label(&mut &limbo[..]).unwrap(), "");
    for system in [System::QUICKSILVER, System::LIMBO] {
        type Setting = Over<volery::F61>;
        let circuit = volery::circuit::Arithmetic::<volery::F61>::new(20).unwrap();
        let witness: Vec<_> = circuit.witness([1; 32]).collect();
        let options = Options { method: system.into(), ..seeded(1) };
        let mut file = vec![];
        prove_to_over::<Setting>(&circuit, witness.clone(), &mut file, &options).unwrap();
        assert_eq!(file[12], 1);
        let _ = verify_from_over::<Setting>(&circuit, &mut &file[..], &options).unwrap();
        // A file over F_2 where another field is meant.
        let error = verify_from_over::<Setting>(&circuit, &mut &head[..], &options).unwrap_err();
        assert!(matches!(error, Error::Disagreed(Disagreement::FileField(_))), "{error}");
        let by_name = Options { method: System::VOLEITH.into(), ..seeded(1) };
        let refused = prove_to_over::<Setting>(&circuit, witness, &mut vec![], &by_name).unwrap_err();
        assert!(refused.to_string().contains("not over f61"), "{refused}");
    }
}

#[test]
fn over_a_link_it_is_refused() {
    let (network, state) = network(40);
    let session = run_honestly(&network, &state, &by(InTheHead::default()));
    for error in [session.proved.err(), session.verified.err()] {
        assert!(error.unwrap().to_string().contains("take quicksilver"));
    }
    assert!(session.from_prover.messages().is_empty() && session.from_verifier.messages().is_empty());
}

/// A relation, with everything that a statement has.
#[test]
fn a_preimage_in_a_file() {
    let (statement, witness) = preimage(b"abc", ABC);
    let options = by(wishing(Preference::Balanced));
    let mut out = vec![];
    prove_to(statement.source(), witness.clone(), &mut out, &options).unwrap();
    let _ = verify_from(statement.source(), &mut &out[..], &options).unwrap();
    let wrong: Vec<F2> =
        witness.iter().enumerate().map(|(i, &bit)| if i == 3 { bit + F2::from(true) } else { bit }).collect();
    let mut nothing = vec![];
    let refused = prove_to(statement.source(), wrong, &mut nothing, &options);
    assert!(matches!(refused, Err(Error::Unsatisfied(_))) && nothing.is_empty());
}

/// Any bit of a header changed: never accepted, never a panic, and a clear word where it is not a proof at
/// all.
#[test]
fn headers_that_were_changed() {
    let (network, state) = network(40);
    let options = labelled("x = 5");
    let honest = proof(&network, &state, &options);
    for bit in 0..8 * (HEADER + 5) {
        let mut changed = honest.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let error = check(&network, &changed, &options).unwrap_err();
        assert!(matches!(error, Error::Rejected(_) | Error::Disagreed(_)), "bit {bit}: {error:?}");
    }
    // Trees, bits, grinding, degree, and bits that are committed to.
    for (at, numbers) in [
        (49, &[0, 1, 8, 12, 40, 41, 255][..]),
        (50, &[0, 3, 105, 126, 127, 255]),
        (51, &[0, 7, 9, 24, 25, 255]),
    ] {
        for number in numbers {
            let mut changed = honest.clone();
            changed[at] = *number;
            assert!(check(&network, &changed, &options).is_err() || changed == honest, "{number} at {at}");
        }
    }
    for (at, length) in [(12, 4), (52, 4), (56, 8), (96, 4)] {
        for number in [0_u64, 1, 3, 128, 1 << 31, u64::MAX] {
            let mut changed = honest.clone();
            changed[at..at + length].copy_from_slice(&number.to_le_bytes()[..length]);
            assert!(check(&network, &changed, &options).is_err() || changed == honest, "{number} at {at}");
        }
    }
    for length in 0..HEADER + 5 {
        let error = check(&network, &honest[..length], &options).unwrap_err();
        assert!(matches!(error, Error::Rejected(Rejection::EndsEarly)), "{length} bytes: {error}");
    }
}

#[test]
fn labels_are_compared_where_one_is_given() {
    let (network, state) = network(40);
    let honest = proof(&network, &state, &labelled("x = 5"));
    check(&network, &honest, &labelled("x = 5")).unwrap();
    check(&network, &honest, &labelled("")).unwrap();
    match check(&network, &honest, &labelled("x = 6")).unwrap_err() {
        Error::Disagreed(Disagreement::FileLabel(Sides { ours, theirs })) => {
            assert_eq!((&*ours, &*theirs), ("x = 6", "x = 5"));
        }
        error => panic!("{error}"),
    }
    let long = "a".repeat(LONGEST_LABEL + 1);
    let refused = prove_to(&network, state.clone(), &mut vec![], &labelled(&long));
    assert!(matches!(refused, Err(Error::Invalid(_))));
}

#[test]
fn files_of_other_statements() {
    let (here, state) = network(40);
    let options = by(wishing(Preference::Balanced));
    let honest = proof(&here, &state, &options);
    let error = check(&here.variant(1), &honest, &options).unwrap_err();
    assert!(matches!(error, Error::Disagreed(Disagreement::FileStatement(_))));
    // Another size under the same name: whoever names statements wrongly is told so.
    let named = Options { statement: Some([7; 32]), ..options.clone() };
    let honest = proof(&here, &state, &named);
    let error = check(&network(41).0, &honest, &named).unwrap_err();
    assert!(matches!(error, Error::Disagreed(Disagreement::FileCommitments { .. })));
    assert!(check(&here.variant(1), &honest, &named).is_err(), "the same size under the same name");
}

/// A verifier says what it asks for; fewer than 100 bits nobody gets.
#[test]
fn files_that_are_worth_too_little() {
    let (network, state) = network(40);
    let asking = |security| Options { security: Some(security), ..by(wishing(Preference::Balanced)) };
    let honest = proof(&network, &state, &asking(100));
    check(&network, &honest, &asking(100)).unwrap();
    let error = check(&network, &honest, &by(wishing(Preference::Balanced))).unwrap_err();
    let worth = matches!(
        error,
        Error::Disagreed(Disagreement::FileParameters { security: 120, worth: Some(100), .. })
    );
    assert!(worth, "{error}");
    for security in [0, 40, 99, 125, 128] {
        let options = asking(security);
        assert!(matches!(prove_to(&network, state.clone(), &mut vec![], &options), Err(Error::Invalid(_))));
        assert!(matches!(check(&network, &honest, &options), Err(Error::Invalid(_) | Error::Disagreed(_))));
    }
    let honest = proof(&network, &state, &by(wishing(Preference::Balanced)));
    check(&network, &honest, &asking(124)).unwrap();
}

/// A source of zeroes that says how much of it was read.
struct Zeroes(u64);

impl Read for Zeroes {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        bytes.fill(0);
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
}

/// Work that a stranger's header asks for is refused before it is done, and before more is read.
#[test]
fn work_is_bounded_before_it_is_done() {
    let deep = Parameters::given(8, 120, 6).unwrap();
    let (small, state) = network(40);
    let mut header = proof(&small, &state, &by(wishing(Preference::Balanced)))[..HEADER].to_vec();
    header[49..52].copy_from_slice(&[8, 120, 6]);
    // One would take seconds, the other half of one.
    for gates in [1 << 20, 1 << 18] {
        let large = Network::new(gates).unwrap();
        let size = Shape::of(&large).unwrap().size();
        header[56..64].copy_from_slice(&size.commitments.to_le_bytes());
        let options = Options { statement: Some(header[64..96].try_into().unwrap()), ..seeded(1) };
        let mut zeroes = Zeroes(0);
        let error = verify_from(&large, &mut (&header[..]).chain(&mut zeroes), &options).unwrap_err();
        assert!(matches!(error, Error::Disagreed(Disagreement::FileWork { most: 4, .. })), "{error}");
        assert_eq!(zeroes.0, 0);
    }
    // Each matrix product leaves a block unused, which is grown all the same.
    let products = Size { commitments: 51_200, matrices: 400, ..Size::default() };
    assert!(deep.work(products) > 60.0 * deep.work(Size { matrices: 0, ..products }));
    let wishes = Wishes { trees: Some(8), grinding: Some(6), ..Wishes::default() };
    let refused = by(InTheHead { wishes });
    // Many of what is small are slow, too.
    let why = prove_to(&small, state.clone(), &mut vec![], &refused).unwrap_err().to_string();
    assert!(why.contains("wish for more trees"), "{why}");
    let size = Size { commitments: 1 << 20, ..Size::default() };
    let most = Parameters::choose(size, None, &Wishes::default()).unwrap();
    assert!(Parameters::choose(size, None, &wishes).unwrap().work(size) > 4.0 * most.work(size));
}

/// The bytes of seeded files, pinned, by every instruction set and any number of threads.
#[test]
fn pinned() {
    let (network, state) = network(20_000);
    let (statement, witness) = preimage(b"abc", ABC);
    let lanes = Lanes { lanes: 600, products: 250 };
    for arch in Arch::available() {
        for threads in [1, 3].map(|threads| NonZeroUsize::new(threads).unwrap()) {
            let options = Options { arch, threads, ..by(wishing(Preference::Speed)) };
            let mut file = vec![];
            prove_to(statement.source(), witness.clone(), &mut file, &options).unwrap();
            let mut mapped = vec![];
            prove_to(&lanes, vec![F2::default(); 1200], &mut mapped, &options).unwrap();
            let files = [proof(&network, &state, &options), file, mapped];
            let digests = files.map(|file| blake3::hash(&file).to_hex()[..32].to_string());
            let pinned = [
                "e8253c985c6307be37961be6fb1a3609",
                "d446a0d476d27420c8d69b84b7b519a0",
                "78386722ffbdd5e50ee155c71949ef36",
            ];
            assert_eq!(digests, pinned, "{}", arch.name());
        }
    }
}
