use super::constraint::Term;
use super::made::{Form, Made, container, written};
use super::prime::{Limbs, Prime, element, limbs_of};
use super::walk::Steps;
use super::*;
use proptest::prelude::*;
use volery_circuit::stream::{Recorder, Source as Recorded, Streamed};
use volery_circuit::{Circuit as _, Clear, Elements, Repeat, Shape, StatementFile};
use volery_primitives::{F61, Field, Goldilocks};

type G = Goldilocks;

fn goldilocks() -> Prime {
    Prime::of::<G>()
}

/// `out = (a + 2)·b`, and d, which is linear in all: wires are 1, out, a, b, d.
const PRODUCT: [[Form<'_>; 3]; 2] =
    [[&[(2, 1), (0, 2)], &[(3, 1)], &[(1, 1)]], [&[], &[], &[(4, -1), (1, 3), (2, 1), (3, -5), (0, 7)]]];

fn product() -> Made {
    Made::new(goldilocks(), 5, 1, &PRODUCT)
}

fn opened(made: &Made) -> R1cs {
    R1cs::from_bytes("x.r1cs", made.file()).expect("well-formed")
}

/// Bounds on the parts of a file that are held: all, linear constraints alone, and none. The rest is read
/// from the file.
const MOST: [Most; 3] = [Most::USUAL, Most { bytes: 0, ..Most::USUAL }, Most { bytes: 0, terms: 0 }];

fn opened_with(bytes: &[u8], most: Most) -> R1cs {
    let system = R1cs::new("x.r1cs".into(), Source::Bytes(bytes.into()), most).expect("well-formed");
    assert_eq!(system.kept.is_some(), most.bytes > 0);
    assert!(system.linear.are_held() || most.terms == 0);
    system
}

fn error(bytes: &[u8]) -> String {
    match R1cs::from_bytes("x.r1cs", bytes) {
        Err(Error::Invalid(why)) => why,
        other => panic!("{other:?} came of it"),
    }
}

/// Demands that the file is refused with all of these words.
fn refused(bytes: &[u8], words: &[&str]) {
    let why = error(bytes);
    assert!(why.starts_with("x.r1cs"), "{why}");
    words.iter().for_each(|word| assert!(why.contains(word), "{word:?} is missing in {why:?}"));
    assert!(why.len() < 400, "{why}");
}

/// The gates of a system for public values.
struct Stated<'a>(&'a R1cs, Vec<G>);

impl Recorded<G> for Stated<'_> {
    fn record(&self, recorder: &mut Recorder<'_, G>) -> Result<()> {
        self.0.push(recorder, self.1.iter().copied())
    }
}

/// Evaluates the gates for such a witness in the clear.
fn evaluate(system: &R1cs, public: &[G], values: &[u32], all: &dyn Fn(u32) -> G) -> Result<()> {
    let witness: Vec<G> = values.iter().map(|wire| all(*wire)).collect();
    let mut clear = Clear::new(witness);
    Streamed(&Stated(system, public.to_vec())).run(&mut clear)?;
    clear.finish()
}

/// Evaluates the constraints on values of all wires but the first.
fn holds(system: &R1cs, values: &[G]) -> Result<()> {
    let public = &values[..system.header.public() as usize];
    let all = |wire: u32| if wire == 0 { G::ONE } else { values[wire as usize - 1] };
    evaluate(system, public, system.committed(), &all)
}

fn elements(values: &[i64]) -> Vec<G> {
    let number = |value: &i64| element::<G>(&[value.unsigned_abs(), 0, 0, 0]);
    values.iter().map(|value| if *value < 0 { -number(value) } else { number(value) }).collect()
}

#[test]
fn a_small_system_is_read() {
    let system = opened(&product());
    let expected = R1csShape {
        wires: 5,
        outputs: 1,
        inputs: 0,
        private: 0,
        constraints: 2,
        linear: 1,
        defined: 1,
        products: 0,
        committed: 2,
        asserted: 1,
        terms: 9,
    };
    assert_eq!(*system.shape(), expected);
    assert_eq!(system.prime(), "goldilocks (0xffffffff00000001)");
    assert_eq!(system.digest(), blake3::hash(&product().file()).as_bytes());
    // d is defined by the linear constraint, of which no product has need; out is public.
    assert_eq!(system.committed(), [2, 3]);
    assert_eq!(system.public_names(), ["out0"]);
    let shape = Shape::of(&Stated(&system, elements(&[0]))).unwrap();
    assert_eq!((shape.witness, shape.mul, shape.polynomials, shape.assert), (2, 0, 1, 1));
    for most in MOST {
        let system = opened_with(&product().file(), most);
        holds(&system, &elements(&[35, 5, 5, 92])).unwrap();
        let why = holds(&system, &elements(&[36, 5, 5, 95])).unwrap_err();
        let expected = "constraint 0 of x.r1cs (wire 1, wire 3, wire 2)";
        assert!(matches!(&why, Error::Unsatisfied(name) if name == expected), "{why}");
    }
}

/// Instances of a system as a statement of it has them, for the values of its one public signal.
struct Each<'a>(&'a R1cs, Vec<G>);

impl Recorded<G> for Each<'_> {
    fn record(&self, recorder: &mut Recorder<'_, G>) -> Result<()> {
        StatementFile::<G>::record(
            self.0,
            recorder,
            volery_circuit::port::PublicValues {
                inputs: &[Some(&Elements::from(self.1.clone())), None],
                outputs: &[],
            },
        )
    }
}

/// Instances hold where each does, as a map or one by one, and one that does not is named.
#[test]
fn instances_have_values_of_their_own() {
    for (count, most) in [(1, MOST[0]), (2, MOST[0]), (2050, MOST[0]), (3, MOST[1])] {
        let system = opened_with(&product().file(), most).with_count(Repeat::of(count)).unwrap();
        let ports = StatementFile::<G>::inputs(&system);
        let widths: Vec<_> = ports.iter().map(|port| (&*port.name, port.width)).collect();
        assert_eq!(widths, [("out0", count), ("witness", 2 * count)]);
        // out = (a + 2)·b.
        let values = |wrong: Option<i64>| {
            let each = |i| [(i + 2) * (i + 3) + i64::from(wrong == Some(i)), i, i + 3];
            let all: Vec<_> = (0..count as i64).map(|i| elements(&each(i))).collect();
            let public = all.iter().map(|values| values[0]).collect();
            (public, all.iter().flat_map(|values| values[1..].to_vec()).collect::<Vec<_>>())
        };
        let run = |wrong| {
            let (public, witness) = values(wrong);
            let mut clear = Clear::new(witness);
            Streamed(&Each(&system, public)).run(&mut clear)?;
            clear.finish()
        };
        run(None).unwrap();
        for wrong in [0, 2, 2047, 2048].into_iter().filter(|wrong| *wrong < count as i64) {
            let why = run(Some(wrong)).unwrap_err();
            let of = if count > 1 { format!(" of instance {wrong}") } else { String::new() };
            let expected = format!("constraint 0 of x.r1cs (wire 1, wire 3, wire 2){of}");
            assert!(matches!(&why, Error::Unsatisfied(name) if *name == expected), "{why}");
        }
        let shape = Shape::of(&Each(&system, values(None).0)).unwrap();
        assert_eq!((shape.witness, shape.polynomials), (2 * count, count));
    }
}

#[test]
fn instances_are_other_statements() {
    let of = |count| {
        let system = opened(&product()).with_count(Repeat::of(count)).unwrap();
        StatementFile::<G>::identity(&system)
    };
    assert_eq!(of(1), opened(&product()).digest());
    assert!(of(1) != of(2) && of(2) != of(12));
    for count in [0, (1 << 24) + 1] {
        let refused = opened(&product()).with_count(Repeat::of(count)).unwrap_err().to_string();
        assert!(
            refused.contains(&format!("x.r1cs with count={count}: choose from 1 to 16777216")),
            "{refused}"
        );
    }
    let larger = Made::new(goldilocks(), 8, 5, &[[&[(6, 1)], &[(7, 1)], &[(1, 1)]]]);
    let refused = opened(&larger).with_count(Repeat::of(1 << 24)).unwrap_err().to_string();
    assert!(refused.contains("x.r1cs with count=16777216 has more than 2^26 values"), "{refused}");
}

/// Linear constraints that are too many to be held are asserted where they stand, and define nothing.
#[test]
fn linear_constraints_that_are_not_held_are_asserted() {
    let system = opened_with(&product().file(), MOST[2]);
    let shape = system.shape();
    let found = [shape.linear, shape.defined, shape.products, shape.committed, shape.asserted];
    assert_eq!(found, [1, 0, 0, 3, 2]);
    assert_eq!(system.committed(), [2, 3, 4]);
    holds(&system, &elements(&[35, 5, 5, 92])).unwrap();
    let why = holds(&system, &elements(&[35, 5, 5, 93])).unwrap_err().to_string();
    assert!(why.contains("constraint 1 of x.r1cs (wire 4, wire 1, wire 2 and 1 other)"), "{why}");
    let mut live = Live::default();
    system.walk(&mut live).unwrap();
    assert_eq!(live.0.len(), 3);
}

#[test]
fn sections_stand_in_any_order() {
    let made = product();
    let (header, labels) = (made.header(), made.labels());
    let other: &[(u32, &[u8])] =
        &[(3, &labels), (77, b"more"), (1, &header), (4, &[0; 4]), (2, &made.constraints), (5, &[])];
    let system = R1cs::from_bytes("x.r1cs", container(b"r1cs", 1, other)).unwrap();
    assert_eq!(system.shape(), opened(&made).shape());
    let custom = [other, &[(0, &[1])]].concat();
    R1cs::from_bytes("x.r1cs", container(b"r1cs", 1, &custom)).unwrap();
    let gates: &[(u32, &[u8])] = &[(3, &labels), (1, &header), (4, &[1, 0, 0, 0]), (2, &made.constraints)];
    refused(&container(b"r1cs", 1, gates), &["section 4", "without custom_templates"]);
}

/// `x·y = Σ w` for many wires w, none of which is known: all but the last are committed to, in one go.
#[test]
fn long_forms_take_no_longer_than_their_terms() {
    let many = 50_000;
    let sum: Vec<_> = (3..3 + many).map(|wire| (wire, 1)).collect();
    let system = opened(&Made::new(goldilocks(), 3 + many, 0, &[[&[(1, 1)], &[(2, 1)], &sum]]));
    let shape = system.shape();
    let found = [shape.committed, shape.products, shape.defined, shape.asserted];
    assert_eq!(found, [u64::from(many) + 1, 1, 0, 0]);
    assert!(system.committed().iter().copied().eq(1..2 + many));
}

/// Public values are held against a witness where linear constraints would define all there is, too.
#[test]
fn public_values_of_linear_circuits_are_asserted() {
    // out = a + b, as a form, and as a product with one.
    let sum: [Form<'_>; 3] = [&[], &[], &[(1, -1), (2, 1), (3, 1)]];
    let product: [Form<'_>; 3] = [&[(0, 1)], &[(2, 1), (3, 1)], &[(1, 1)]];
    for constraint in [sum, product] {
        for most in MOST {
            let file = Made::new(goldilocks(), 4, 1, &[constraint]).file();
            let system = R1cs::new("x.r1cs".into(), Source::Bytes(file.into()), most).unwrap();
            assert_eq!((system.shape().asserted, system.committed()), (1, &[2, 3][..]));
            holds(&system, &elements(&[5, 2, 3])).unwrap();
            let why = holds(&system, &elements(&[7, 2, 3])).unwrap_err();
            assert!(matches!(&why, Error::Unsatisfied(name) if name.contains("constraint 0")), "{why}");
        }
    }
    // What has no public wire says nothing of one.
    let private = opened(&Made::new(goldilocks(), 4, 1, &[[&[], &[], &[(2, 1), (3, 1)]]]));
    assert_eq!(private.shape().asserted, 0);
}

/// Labels are for names alone.
#[test]
fn files_without_labels_have_numbers() {
    let made = product();
    let sections: [(u32, &[u8]); 2] = [(1, &made.header()), (2, &made.constraints)];
    let system = R1cs::from_bytes("x.r1cs", container(b"r1cs", 1, &sections)).unwrap();
    assert_eq!((system.shape(), system.public_names()), (opened(&made).shape(), vec!["out0".to_owned()]));
    holds(&system, &elements(&[35, 5, 5, 92])).unwrap();
    let why = holds(&system, &elements(&[36, 5, 5, 0])).unwrap_err().to_string();
    assert!(why.contains("constraint 0 of x.r1cs (wire 1, wire 3, wire 2)"), "{why}");
    let why = system.with_symbols_of("x.sym", &b"3,1,1,main.out\n"[..]).unwrap_err().to_string();
    assert!(why.contains("x.r1cs has no section of labels"), "{why}");
}

/// Files write elements of small primes in eight bytes, and fields in as few as they take.
#[test]
fn witnesses_are_in_the_encodings_of_fields() {
    for (prime, bytes) in [(65_537, 3), (4_294_967_291, 4), ((1 << 61) - 1, 8), (2_147_483_647, 8)] {
        let made = Made::new(Prime { limbs: [prime, 0, 0, 0], bytes: 8 }, 5, 1, &PRODUCT);
        let witness = opened(&made).witness_of("x.wtns", made.witness(&[35, 5, 5, 92])).unwrap();
        let encoded = |value: u64| value.to_le_bytes()[..bytes].to_vec();
        assert_eq!(witness.public().collect::<Vec<_>>(), [encoded(35)], "{prime}");
        assert_eq!(*witness.encodings(&[3, 4]), [encoded(5), encoded(92)].concat(), "{prime}");
        assert_eq!((witness.size(), witness.public_text()), (bytes, vec!["35".into()]));
    }
}

#[test]
fn sections_are_not_many() {
    let made = product();
    let (header, labels) = (made.header(), made.labels());
    let of = |count: usize| {
        let needed: [(u32, &[u8]); 3] = [(1, &header), (2, &made.constraints), (3, &labels)];
        let all: Vec<_> = needed.into_iter().chain(core::iter::repeat((77, &[][..]))).take(count).collect();
        container(b"r1cs", 1, &all)
    };
    R1cs::from_bytes("x.r1cs", of(1024)).unwrap();
    refused(&of(1025), &["byte 8: 1025 sections are announced", "more than 1024 are not read"]);
}

/// A file that is overwritten between two readings.
struct Overwritten {
    files: [std::io::Cursor<Vec<u8>>; 2],
    begun: usize,
    /// The first reading, from the file's first byte on, that finds the second of them.
    from: usize,
}

impl Overwritten {
    fn file(&mut self) -> &mut std::io::Cursor<Vec<u8>> {
        &mut self.files[usize::from(self.begun > self.from)]
    }
}

impl std::io::Read for Overwritten {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.file().read(bytes)
    }
}

impl std::io::Seek for Overwritten {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.begun += usize::from(to == std::io::SeekFrom::Start(0));
        self.file().seek(to)
    }
}

#[test]
fn files_that_change_while_they_are_opened_are_refused() {
    let first = product().file();
    let mut other = PRODUCT;
    other[0] = [&[(2, 1), (0, 3)], &[(3, 1)], &[(1, 1)]];
    let second = Made::new(goldilocks(), 5, 1, &other).file();
    assert_eq!(first.len(), second.len());
    let read = |second: &Vec<u8>, from| {
        let files = [&first, second].map(|file| std::io::Cursor::new(file.clone()));
        let source = Box::new(Overwritten { files, begun: 0, from });
        super::Read::of(Input::new("x.r1cs", source, first.len() as u64), Most::USUAL)
    };
    // What is hashed is what is parsed, all of it at once.
    for (from, file) in [(0, &second), (1, &first)] {
        let read = read(&second, from).unwrap();
        assert_eq!(read.digest, *blake3::hash(file).as_bytes());
        let (mut constraint, mut expected) = (Constraint::default(), Constraint::default());
        let system = R1cs::from_bytes("x.r1cs", &file[..]).unwrap();
        assert!(read.looked.kept.unwrap().read().next(&mut constraint));
        assert!(system.constraints().unwrap().next(&mut expected).unwrap());
        assert_eq!(constraint.forms, expected.forms);
    }
    // So are labels.
    let mut labelled = first.clone();
    let at = first.len() - 8 * 4;
    labelled[at..at + 8].copy_from_slice(&77u64.to_le_bytes());
    let hashed = read(&labelled, 0).unwrap();
    assert_eq!(hashed.digest, *blake3::hash(&labelled).as_bytes());
    assert!(hashed.labels != read(&first, 0).unwrap().labels, "labels that are hashed");
    // But for the places of sections and the header, which are read before, and have to be the same.
    let begin = first.len() - product().labels().len() - 12 - product().header().len() - 12;
    for at in (0..24).chain(begin..first.len() - product().labels().len()) {
        let mut second = first.clone();
        second[at] ^= 2;
        let allowed = (begin + 12 + 28..begin + 12 + 36).contains(&at);
        match read(&second, 0) {
            // How many labels there are says nothing.
            Ok(read) => assert!(allowed && read.digest == *blake3::hash(&second).as_bytes(), "{at}"),
            Err(why) => assert!(!allowed, "{at}: {why}"),
        }
    }
}

/// Systems of which nothing is kept do all the same.
#[test]
fn what_is_not_kept_is_read_from_the_file() {
    for name in ["chain", "range", "select"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/r1cs/");
        let bytes = std::fs::read(format!("{folder}{name}-goldilocks.r1cs")).unwrap();
        let (kept, read) = (opened_with(&bytes, MOST[0]), opened_with(&bytes, MOST[1]));
        assert_eq!(
            (kept.shape(), kept.committed(), kept.digest()),
            (read.shape(), read.committed(), read.digest())
        );
        let lines = |system: &R1cs| {
            let mut text = Vec::new();
            system.write_sieve(&mut text).unwrap();
            text
        };
        assert_eq!(lines(&kept), lines(&read));
    }
}

/// Demands that nobody uses what was forgotten.
#[derive(Default)]
struct Live(std::collections::HashSet<u32>);

impl Live {
    fn all(&self, terms: &[Term]) -> Result<()> {
        assert!(terms.iter().all(|term| !self.0.contains(&term.wire)));
        Ok(())
    }
}

impl Steps for Live {
    fn commit(&mut self, _: u32) -> Result<()> {
        Ok(())
    }
    fn define(&mut self, _: u32, _: &Limbs, others: &[Term]) -> Result<()> {
        self.all(others)
    }
    fn multiply(&mut self, _: u32, _: bool, forms: [&[Term]; 3]) -> Result<()> {
        self.all(&forms.concat())
    }
    fn assert_product(&mut self, _: u32, forms: [&[Term]; 3]) -> Result<()> {
        self.all(&forms.concat())
    }
    fn assert_zero(&mut self, _: u32, terms: &[Term]) -> Result<()> {
        self.all(terms)
    }
    fn forget(&mut self, wire: u32) {
        assert!(self.0.insert(wire), "{wire} is forgotten once");
    }
}

/// A file that has changed since it was opened may use other wires than those that are still held, and is
/// refused.
#[test]
fn files_that_change_before_a_run_are_refused() {
    let x = |wire| [(wire, 1)];
    let (a, b, c, d) = (x(1), x(2), x(3), x(4));
    let constraints: &[[Form<'_>; 3]] = &[[&a, &b, &c], [&c, &b, &d], [&d, &d, &a], [&b, &b, &b]];
    let made = Made::new(goldilocks(), 5, 0, constraints);
    let file = made.file();
    // What is kept does not change.
    let mut system = opened_with(&file, MOST[1]);
    for system in [&system, &opened(&made)] {
        let mut live = Live::default();
        system.walk(&mut live).unwrap();
        assert_eq!(live.0.len(), 4);
    }
    let section = file.windows(made.constraints.len()).position(|bytes| bytes == made.constraints).unwrap();
    for at in 0..made.constraints.len() {
        for flip in 1..8 {
            let mut bytes = file.clone();
            bytes[section + at] ^= flip;
            system.source = Source::Bytes(bytes.into());
            system.walk(&mut Live::default()).unwrap_err();
        }
    }
    // Elsewhere, too, and where it is shorter.
    for at in 0..file.len() {
        let mut bytes = file.clone();
        bytes[at] ^= 1;
        for bytes in [bytes, file[..at].to_vec()] {
            system.source = Source::Bytes(bytes.into());
            system.walk(&mut Live::default()).unwrap_err();
        }
    }
}

#[test]
fn each_truncation_is_refused() {
    let file = product().file();
    for length in 0..file.len() {
        let why = error(&file[..length]);
        assert!(why.starts_with("x.r1cs, byte "), "{why}");
    }
    refused(&[&file[..], b"x"].concat(), &["byte 260", "1 byte stand behind the last of 3 sections"]);
}

#[test]
fn each_changed_byte_is_refused_or_read() {
    let file = product().file();
    for at in 0..file.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = file.clone();
            bytes[at] ^= flip;
            if let Ok(system) = R1cs::from_bytes("x.r1cs", bytes) {
                system.committed();
            }
        }
    }
}

#[test]
fn malformed_heads_are_named() {
    let made = product();
    let (header, labels) = (made.header(), made.labels());
    let sections =
        |header: &[u8]| container(b"r1cs", 1, &[(2, &made.constraints), (1, header), (3, &labels)]);
    refused(b"wtns\x02\0\0\0\0\0\0\0", &["byte 0", "begins with \"wtns\""]);
    refused(b"r1cs\x02\0\0\0\0\0\0\0", &["byte 4", "version 2"]);
    refused(b"r1cs\x01\0\0\0\0\0\0\0", &["no section 1"]);
    refused(b"r1cs\x01\0\0\0\x04\0\0\0", &["byte 12", "the type of a section", "truncated"]);
    refused(&container(b"r1cs", 1, &[(1, &header), (3, &labels)]), &["no section 2, the constraints"]);
    // Without labels no wires are announced that constraints are too short for.
    let mut many = header.clone();
    many[12..16].copy_from_slice(&(2 + (1u32 << 20) + made.constraints.len() as u32 / 12).to_le_bytes());
    refused(
        &container(b"r1cs", 1, &[(1, &many), (2, &made.constraints)]),
        &["wires are announced", "without labels"],
    );
    refused(&container(b"r1cs", 1, &[(1, &header), (1, &header)]), &["a second section of type 1"]);
    let mut long = container(b"r1cs", 1, &[(1, &header)]);
    long[23] = 0x7f;
    refused(&long, &["byte 12", "section 1 is to have 9151314442816847912 bytes", "40 bytes are left"]);
    refused(&sections(&header[..39]), &["the header has 39 bytes, and with elements of 8 bytes it has 40"]);
    let with = |at: usize, bytes: &[u8]| {
        let mut header = header.clone();
        header[at..at + bytes.len()].copy_from_slice(bytes);
        sections(&header)
    };
    refused(&with(0, &[7]), &["elements of 7 bytes"]);
    refused(&with(0, &[40]), &["elements of 40 bytes", "256 bits at most"]);
    refused(&with(0, &[0]), &["elements of 0 bytes"]);
    refused(&with(0, &[16]), &["the header has 40 bytes, and with elements of 16 bytes it has 48"]);
    refused(&with(4, &[0]), &["is even"]);
    refused(&with(4, &[0; 8]), &["elements of 8 bytes for the prime 0x"]);
    refused(&with(12, &[1]), &["1 wires are announced", "1 public outputs and 0 public inputs are 2"]);
    refused(&with(12, &[6]), &["the section of labels has 40 bytes, and 6 wires take 8 each"]);
    refused(&with(16, &[0xff; 8]), &["5 wires are announced"]);
    refused(&with(36, &[0]), &["no constraint is announced"]);
    refused(&with(36, &[1]), &["of the section stand behind the last of 1 constraints"]);
    refused(&with(36, &[3]), &["constraint 2, form A: the number of terms should stand here, and 0 bytes"]);
    refused(&with(36, &[0xff; 4]), &["4294967295 constraints are announced", "holds at most 11"]);
    refused(&with(24, &[0xff; 4])[..20], &["truncated"]);
}

#[test]
fn malformed_constraints_are_named() {
    let with = |at: usize, bytes: &[u8]| {
        let mut made = product();
        made.constraints[at..at + bytes.len()].copy_from_slice(bytes);
        made.file()
    };
    // The section begins at byte 24; its first form has two terms of twelve bytes.
    refused(&with(4, &[5]), &["byte 28: constraint 0, form A, term 0", "no wire 5", "announces 5"]);
    refused(&with(16, &[0xff; 4]), &["byte 40: constraint 0, form A, term 1", "no wire 4294967295"]);
    refused(
        &with(20, &[0xff; 8]),
        &["byte 44: constraint 0, form A, term 1", "not below the prime goldilocks"],
    );
    refused(
        &with(0, &[0xff; 4]),
        &["byte 28: constraint 0, form A: 4294967295 terms", "holds at most 10 more"],
    );
    refused(&with(28, &[9]), &["constraint 0, form B: 9 terms are announced"]);
    // Factors that are zero count for nothing.
    let zero = R1cs::from_bytes("x.r1cs", with(8, &[0; 8])).unwrap();
    assert_eq!(zero.shape().terms, 8);
    // A wire that stands twice has two meanings, wherever that is, and also if one factor is zero.
    let twice: [[Form<'_>; 3]; 4] = [
        [&[(2, 1), (2, 2)], &[(3, 1)], &[(1, 1)]],
        [&[(2, 1)], &[(3, 1), (1, 1), (3, 0)], &[(1, 1)]],
        [&[], &[], &[(4, 1), (0, 3), (4, -1)]],
        [&[(0, 1), (0, 1)], &[(3, 1)], &[(1, 1)]],
    ];
    let words =
        ["form A, term 1: wire 2", "form B, term 2: wire 3", "form C, term 2: wire 4", "term 1: wire 0"];
    for (constraint, words) in twice.into_iter().zip(words) {
        let made = Made::new(goldilocks(), 5, 1, &[PRODUCT[0], constraint]);
        refused(&made.file(), &["constraint 1, form", words, "stands twice in it", "one term"]);
    }
    // In any order, each once.
    opened(&Made::new(goldilocks(), 5, 1, &[[&[(3, 1), (0, 2), (2, 1)], &[(4, 1)], &[(1, 1)]]]));
}

#[test]
fn systems_of_other_fields_are_refused() {
    let system = opened(&product());
    system.check_field::<G>().unwrap();
    let why = system.check_field::<F61>().unwrap_err().to_string();
    assert!(why.contains("modulo the prime goldilocks") && why.contains("not over f61"), "{why}");
}

#[test]
fn witnesses_are_read_and_checked() {
    for most in MOST {
        witnesses_are_checked(&opened_with(&product().file(), most));
    }
}

fn witnesses_are_checked(system: &R1cs) {
    let made = product();
    let witness = |bytes: &[u8]| system.witness_of("x.wtns", bytes);
    let right = witness(&made.witness(&[35, 5, 5, 92])).unwrap();
    assert_eq!(right.public().collect::<Vec<_>>(), [35u64.to_le_bytes()]);
    assert_eq!(*right.encodings(&[3, 4]), [5u64, 92].map(u64::to_le_bytes).concat());
    let refused = |bytes: &[u8], words: &[&str]| {
        let why = witness(bytes).map(|_| ()).unwrap_err().to_string();
        words.iter().for_each(|word| assert!(why.contains(word), "{word:?} is missing in {why:?}"));
    };
    refused(&made.witness(&[36, 5, 5, 95]), &["constraint 0 of x.r1cs (wire 1, wire 3, wire 2)"]);
    refused(&made.witness(&[35, 5, 5, 93]), &["constraint 1 of x.r1cs (wire ", " and 1 other)"]);
    refused(&made.witness(&[35, 5, 5]), &["x.wtns, byte 36", "4 values", "has 5 wires"]);
    let other = Made::new(Prime::of::<F61>(), 5, 1, &PRODUCT);
    refused(
        &other.witness(&[35, 5, 5, 92]),
        &["modulo the prime 0x1fffffffffffffff", "witness of this circuit"],
    );
    let file = made.witness(&[35, 5, 5, 92]);
    for length in 0..file.len() {
        refused(&file[..length], &["x.wtns"]);
    }
    let with = |at: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    refused(&with(0, b"r1cs"), &["byte 0", "not with \"wtns\""]);
    refused(&with(4, &[1]), &["version 1"]);
    refused(&with(52, &[2]), &["the value of wire 0 is not 1"]);
    refused(&with(68, &[0xff; 8]), &["byte 68", "the value of wire 2 is not below the prime"]);
    for (at, byte) in file.iter().enumerate() {
        let _ = witness(&with(at, &[byte ^ 0x55]));
    }
}

#[test]
fn symbols_name_signals() {
    let made = product();
    let text = "3,1,1,main.out\n6,2,1,main.a\n7,2,1,main.other\n9,3,0,main.x.b[0]\n11,-1,1,main.gone\n12,4,0,main.d\n";
    let system = opened(&made).with_symbols_of("x.sym", text.as_bytes()).unwrap();
    assert_eq!(system.public_names(), ["main.out"]);
    for (name, number) in
        [("main.out", Some(0)), ("out0", Some(0)), ("out1", None), ("in0", None), ("main.a", None)]
    {
        assert_eq!(system.public_number(name), number, "{name}");
    }
    let why = holds(&system, &elements(&[36, 5, 5, 0])).unwrap_err();
    assert!(why.to_string().contains("constraint 0 of x.r1cs (main.out, main.x.b[0], main.a)"), "{why}");
    let refused = |text: &str, words: &[&str]| {
        let why = opened(&made).with_symbols_of("x.sym", text.as_bytes()).unwrap_err().to_string();
        words.iter().for_each(|word| assert!(why.contains(word), "{word:?} is missing in {why:?}"));
    };
    let is_of_other = |label: u64, wire: u32| {
        format!(
            "x.sym: label {label} is that of wire {wire} in x.r1cs, and no line has both: give the symbols of this"
        )
    };
    refused("", &[&is_of_other(3, 1)]);
    refused("3,2,1,main.out\n", &[&is_of_other(3, 1)]);
    // What is private shows that it is another circuit, too.
    refused(&text.replace("9,3,", "8,3,"), &[&is_of_other(9, 3)]);
    refused(&text.replace("12,4,", "12,-1,"), &[&is_of_other(12, 4)]);
    refused("3,1,1,main.out\n3,1\n", &["x.sym, line 2: a line is LABEL,WIRE,COMPONENT,NAME"]);
    refused("3,1,1,\n", &["x.sym, line 1"]);
    let two = Made::new(goldilocks(), 5, 2, &PRODUCT);
    let named = |other| {
        let rest = "9,3,0,main.b\n12,4,0,main.d\n";
        let text = format!("3,1,1,main.out\n7,1,1,main.same\n7,1,1,main.same\n6,2,1,{other}\n{rest}");
        opened(&two).with_symbols_of("x.sym", text.into_bytes())
    };
    assert_eq!(named("main.a").unwrap().public_names(), ["main.out", "main.a"]);
    let why = named("main.same").unwrap_err().to_string();
    assert!(why.contains("x.sym, line 4: main.same is the name of public wires 1 and 2"), "{why}");
    refused("3,-2,1,x\n", &["x.sym, line 1"]);
    refused("3,1,1,x\n4,5,1,y\n", &["x.sym, line 2: there is no wire 5 in x.r1cs, which has 5"]);
    refused(&"x".repeat(70_000), &["x.sym, line 1: the line has more than 65536 bytes"]);
}

/// A circuit may be compiled anew, with its signals in another order, while it is proved.
#[test]
fn names_are_those_of_the_file_that_was_opened() {
    let file = Made::new(goldilocks(), 5, 2, &PRODUCT).file();
    let mut other = file.clone();
    let labels = file.len() - 8 * 4;
    other[labels..labels + 16].copy_from_slice(&[6u64, 3].map(u64::to_le_bytes).concat());
    let [file, other] = [file, other].map(|file| Source::Bytes(file.into()));
    let rest = "9,3,0,main.b\n12,4,0,main.d\n";
    let old = format!("3,1,0,main.out\n6,2,0,main.a\n{rest}");
    let new = format!("3,2,0,main.out\n6,1,0,main.a\n{rest}");
    for most in MOST {
        let opened = || R1cs::new("x.r1cs".into(), file.clone(), most).unwrap();
        let mut changed = opened();
        changed.source = other.clone();
        let why = changed.with_symbols_of("x.sym", new.as_bytes()).unwrap_err().to_string();
        assert!(why.contains("x.r1cs: the file has changed since it was opened"), "{why}");
        let mut system = opened().with_symbols_of("x.sym", old.as_bytes()).unwrap();
        system.source = other.clone();
        assert_eq!(system.public_names(), ["main.out", "main.a"]);
        assert_eq!(system.public_number("main.a"), Some(1));
        // What is held has its names, and of the other file there are none.
        let (kept, linear) = (most.bytes > 0, most.terms > 0);
        let named = |number: u32, held: bool, list: &str| {
            format!("constraint {number} of x.r1cs{}", if held { list } else { "" })
        };
        assert_eq!(system.describe(0), named(0, kept, " (main.out, wire 3, main.a)"));
        assert_eq!(system.describe(1), named(1, linear, " (main.out, main.a, wire 3 and 1 other)"));
        system.source = file.clone();
        assert_eq!(system.describe(0), named(0, true, " (main.out, main.b, main.a)"));
        // The same of the symbols.
        let symbols = system.symbols.as_mut().unwrap();
        symbols.source = Source::Bytes(old.replace("9,3", "9,4").into_bytes().into());
        assert_eq!(system.describe(0), named(0, true, " (main.out, wire 3, main.a)"));
    }
}

/// Circuits that the compiler made, with the numbers of their wires that are committed to, that products
/// define and that linear constraints define, and of assertions.
#[test]
fn circuits_of_circom_are_read() {
    type Case<'a> = (&'a str, &'a [u8], &'a [u8], &'a [u8], [u64; 4]);
    let cases: [Case<'_>; 3] = [
        (
            "range",
            include_bytes!("../../../../vectors/r1cs/range-goldilocks.r1cs"),
            include_bytes!("../../../../vectors/r1cs/range-goldilocks.wtns"),
            include_bytes!("../../../../vectors/r1cs/range.sym"),
            [14, 0, 5, 18],
        ),
        (
            "chain",
            include_bytes!("../../../../vectors/r1cs/chain-goldilocks.r1cs"),
            include_bytes!("../../../../vectors/r1cs/chain-goldilocks.wtns"),
            include_bytes!("../../../../vectors/r1cs/chain.sym"),
            [3, 23, 24, 1],
        ),
        (
            "select",
            include_bytes!("../../../../vectors/r1cs/select-goldilocks.r1cs"),
            include_bytes!("../../../../vectors/r1cs/select-goldilocks.wtns"),
            include_bytes!("../../../../vectors/r1cs/select.sym"),
            [6, 4, 1, 6],
        ),
    ];
    for ((name, file, wtns, sym, counts), most) in
        cases.into_iter().flat_map(|case| MOST.map(|most| (case, most)))
    {
        let system = opened_with(file, most).with_symbols_of("x.sym", sym).unwrap();
        let witness = system.witness_of("x.wtns", wtns).unwrap();
        let order = system.committed();
        let shape = system.shape();
        let found = [shape.committed, shape.products, shape.defined, shape.asserted];
        assert!(found == counts || most.terms == 0 && shape.defined == 0, "{name}: {found:?}");
        let number = |bytes: &[u8]| element::<G>(&prime::limbs(bytes));
        let values = witness.encodings(&(0..system.header.wires).collect::<Vec<_>>());
        let values: Vec<G> = values.chunks(8).map(number).collect();
        let stated: Vec<G> = witness.public().map(number).collect();
        evaluate(&system, &stated, order, &|wire| values[wire as usize]).unwrap();
        // Another public value is refused; but for entries of a table that are not the one that is chosen.
        for number in 0..if name == "select" { 1 } else { stated.len() } {
            let mut public = stated.clone();
            public[number] += G::ONE;
            let why = evaluate(&system, &public, order, &|wire| values[wire as usize]).unwrap_err();
            assert!(matches!(why, Error::Unsatisfied(_)), "{why}");
        }
    }
}

/// Whether a circuit in SIEVE holds for values of wires, of which it asks by their numbers, as it was
/// written: no other circuit is read.
fn sieve_holds(text: &str, values: &[G]) -> bool {
    let mut wires = std::collections::BTreeMap::new();
    let body = text.split_once("@begin\n").expect("a body").1.strip_suffix("@end\n").expect("an end");
    let numbers = |text: &str| -> Vec<u64> {
        let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        parts.map(|part| part.parse().expect("a number")).collect()
    };
    let mut holds = true;
    for line in body.lines() {
        let Some((left, right)) = line.split_once(" <- ") else {
            assert!(line.starts_with("@assert_zero(0: $"), "{line}");
            holds &= wires[&numbers(line)[1]] == G::ZERO;
            continue;
        };
        let (left, right_numbers) = (numbers(left), numbers(right));
        let constant = |number: u64| element::<G>(&[number, 0, 0, 0]);
        let value = match (right.split('(').next().expect("a gate"), &right_numbers[..]) {
            ("@add", [0, a, b]) => wires[a] + wires[b],
            ("@mul", [0, a, b]) => wires[a] * wires[b],
            ("@mulc", [0, a, c]) => wires[a] * constant(*c),
            ("@public" | "@private", [0]) => {
                let last = *left.last().expect("a wire");
                (left[0]..=last)
                    .for_each(|wire| assert!(wires.insert(wire, values[wire as usize]).is_none()));
                continue;
            }
            (_, [c]) => constant(*c),
            _ => panic!("{line}"),
        };
        assert!(wires.insert(left[0], value).is_none(), "{line}");
    }
    holds
}

#[test]
fn sieve_says_the_same() {
    let cases: [(&[u8], &[u8]); 3] = [
        (
            include_bytes!("../../../../vectors/r1cs/range-goldilocks.r1cs"),
            include_bytes!("../../../../vectors/r1cs/range-goldilocks.wtns"),
        ),
        (
            include_bytes!("../../../../vectors/r1cs/chain-goldilocks.r1cs"),
            include_bytes!("../../../../vectors/r1cs/chain-goldilocks.wtns"),
        ),
        (
            include_bytes!("../../../../vectors/r1cs/select-goldilocks.r1cs"),
            include_bytes!("../../../../vectors/r1cs/select-goldilocks.wtns"),
        ),
    ];
    for (file, wtns) in cases {
        let system = R1cs::from_bytes("x.r1cs", file).unwrap();
        let witness = system.witness_of("x.wtns", wtns).unwrap();
        let mut text = Vec::new();
        system.write_sieve(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let head = "version 2.1.0;\ncircuit;\n@type field 18446744069414584321;\n@begin\n$0 <- <1>;\n$1";
        assert!(text.starts_with(head), "{text}");
        let values = witness.encodings(&(0..system.header.wires).collect::<Vec<_>>());
        let mut values: Vec<G> = values.chunks(8).map(|bytes| element::<G>(&prime::limbs(bytes))).collect();
        assert!(sieve_holds(&text, &values));
        values[1] += G::ONE;
        assert!(!sieve_holds(&text, &values));
        let mut stream = Vec::new();
        system.write_sieve_values(true, witness.public(), &mut stream).unwrap();
        let lines = String::from_utf8(stream).unwrap();
        let first = witness.public_text().remove(0);
        assert!(
            lines.starts_with("version 2.1.0;\npublic_input;\n@type field 18446744069414584321;\n@begin\n<")
        );
        assert!(lines.contains(&format!("@begin\n<{first}>;\n")) && lines.ends_with(">;\n@end\n"));
        // Numbers that others write may be short.
        let (mut stream, short) = (Vec::new(), [&[7u8, 1][..], &[0, 0, 0, 0, 0, 0, 0, 0, 1]]);
        system.write_sieve_values(false, short.into_iter(), &mut stream).unwrap();
        assert!(stream.ends_with(b"@begin\n<263>;\n<18446744073709551616>;\n@end\n"));
    }
}

prop_compose! {
    /// Constraints over twelve wires.
    fn system()(
        forms in proptest::collection::vec(
            proptest::collection::btree_map(0u32..12, prop_oneof![Just(1i64), Just(-1), Just(0), -3i64..4], 0..4), 30),
        linear in proptest::collection::vec(any::<bool>(), 10),
        outputs in 0u32..4,
    ) -> Made {
        let forms: Vec<Vec<_>> = forms.into_iter().map(|form| form.into_iter().collect()).collect();
        let forms: Vec<Form<'_>> = forms.iter().map(Vec::as_slice).collect();
        let constraints: Vec<[Form<'_>; 3]> = forms
            .as_chunks::<3>().0.iter().zip(linear)
            .map(|([a, b, c], linear)| [*a, if linear { &[(0, 1)] } else { *b }, *c])
            .collect();
        Made::new(goldilocks(), 12, outputs, &constraints)
    }
}

proptest! {
    /// Gates say what constraints say: where the constraints hold for values, so do the gates; and where the
    /// gates hold for those that are committed to, the constraints do for those that the gates define.
    #[test]
    fn gates_say_what_constraints_say(made in system(), seed in any::<u64>(), most in 0usize..3) {
        let most = MOST[most];
        let system = R1cs::new("x.r1cs".into(), Source::Bytes(made.file().into()), most).unwrap();
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(state >> 62).expect("two bits")
        };
        let chosen: Vec<i64> = (0..11).map(|_| next()).collect();
        let order = system.committed();
        let mut defined = Defined { system: &system, values: elements(&chosen), made: Vec::new() };
        system.walk(&mut defined).unwrap();
        defined.define_rest();
        let values = defined.values;
        let as_number = |value: &G| limbs_of(*value);
        let prime = goldilocks();
        let all: Vec<u8> = core::iter::once(&G::ONE).chain(&values)
            .flat_map(|value| written(&as_number(value), &prime)).collect();
        let mut header = 8u32.to_le_bytes().to_vec();
        header.extend(prime.limbs[0].to_le_bytes());
        header.extend(12u32.to_le_bytes());
        let file = container(b"wtns", 2, &[(1, &header), (2, &all)]);
        let checked = system.witness_of("x.wtns", file).map(|_| ());
        let public = values[..made.outputs as usize].to_vec();
        let of = |wire: u32| values[wire as usize - 1];
        let mut clear = Clear::new(order.iter().map(|wire| of(*wire)).collect::<Vec<_>>());
        let gates = Streamed(&Stated(&system, public)).run(&mut clear);
        prop_assert_eq!(checked.is_ok(), gates.is_ok());
        if let (Err(checked), Err(gates)) = (checked, gates) {
            prop_assert!(matches!(checked, Error::Unsatisfied(_)), "{}", checked);
            prop_assert!(matches!(gates, Error::Unsatisfied(_)), "{}", gates);
        }
    }
}

/// Gives wires that are defined the values of their definitions.
struct Defined<'a> {
    system: &'a R1cs,
    values: Vec<G>,
    /// The wires that are known.
    made: Vec<u32>,
}

impl Defined<'_> {
    /// Chooses wires that nothing has needed such that the linear constraints hold that were left out.
    fn define_rest(&mut self) {
        let linear = &self.system.linear;
        let known = |made: &[u32], wire: &u32| {
            *wire <= self.system.header.public() || made.contains(wire) || !self.system.is_used(*wire)
        };
        let unknown = |made: &[u32], k: usize| linear.wires(k).iter().filter(|w| !known(made, w)).count();
        let mut open: Vec<_> = (0..linear.len()).filter(|k| unknown(&self.made, *k) > 0).collect();
        // Backwards: the last constraint with a wire of its own is the first to choose.
        let mut order = Vec::new();
        while !open.is_empty() {
            let others =
                |k: usize, wire: &u32| open.iter().any(|o| *o != k && linear.wires(*o).contains(wire));
            let own = |k: usize| {
                let mut wires = linear.wires(k).iter().copied();
                wires.find(|wire| !known(&self.made, wire) && !others(k, wire))
            };
            let (place, wire) =
                (0..open.len()).find_map(|i| Some((i, own(open[i])?))).expect("one was left out");
            order.push((open.remove(place), wire));
        }
        for (k, wire) in order.into_iter().rev() {
            let (own, others): (Vec<_>, Vec<_>) = linear.terms(k).partition(|term| term.wire == wire);
            self.values[wire as usize - 1] = -self.form(&others) * element::<G>(&own[0].factor).invert();
        }
    }

    fn form(&self, terms: &[Term]) -> G {
        let value = |wire: u32| if wire == 0 { G::ONE } else { self.values[wire as usize - 1] };
        terms.iter().map(|term| element::<G>(&term.factor) * value(term.wire)).sum()
    }
}

impl walk::Steps for Defined<'_> {
    fn commit(&mut self, wire: u32) -> Result<()> {
        assert!(wire > self.system.header.public() && !self.made.contains(&wire));
        self.made.push(wire);
        Ok(())
    }
    fn define(&mut self, wire: u32, factor: &prime::Limbs, others: &[Term]) -> Result<()> {
        self.values[wire as usize - 1] = -self.form(others) * element::<G>(factor).invert();
        self.made.push(wire);
        Ok(())
    }
    fn multiply(&mut self, wire: u32, negative: bool, [a, b, others]: [&[Term]; 3]) -> Result<()> {
        let value = self.form(a) * self.form(b) - self.form(others);
        self.values[wire as usize - 1] = if negative { -value } else { value };
        self.made.push(wire);
        Ok(())
    }
    fn assert_product(&mut self, _: u32, _: [&[Term]; 3]) -> Result<()> {
        Ok(())
    }
    fn assert_zero(&mut self, _: u32, _: &[Term]) -> Result<()> {
        Ok(())
    }
}
