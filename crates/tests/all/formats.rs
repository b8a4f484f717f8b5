//! Each format of files, over each field that it may be over, by each system that proves over that: the same
//! verdict for a right and for a wrong witness. All of it goes by names, so that nothing is compiled for it.

use crate::kit::{Session, both, seeded};
use std::collections::BTreeSet;
use std::fs;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use volery::circuit::{Repeat, Written};
use volery::{
    AnyClaim, AnySetting as _, AnyStatement, Error, F61, Options, Over, Result, System, setting, settings,
};
use volery_formats::R1cs;

/// Each setting over the field of a prime, with the modulus, and whether R1CS is read over it.
const SETTINGS: [(&str, &str, bool); 10] = [
    ("f61", "1fffffffffffffff", false),
    ("f61x2", "1fffffffffffffff", false),
    ("goldilocks", "ffffffff00000001", true),
    ("goldilocksx2", "ffffffff00000001", true),
    ("q32", "fffffffb", false),
    ("f65537", "10001", false),
    ("bn254", "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001", true),
    ("bls12-381", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", true),
    ("f2", "2", false),
    ("f2x64", "2", false),
];

/// The names of formats.
const FORMATS: [&str; 7] = ["aag", "aiger", "blif", "bristol", "bristol-fashion", "r1cs", "sieve"];

/// A statement in a file, and values for its ports.
struct Case {
    format: &'static str,
    path: String,
    public: Vec<(&'static str, &'static str)>,
    right: Vec<(&'static str, &'static str)>,
    /// Private values for which it does not hold.
    wrong: Vec<(&'static str, &'static str)>,
    /// The name of the failing assertion.
    failing: &'static str,
}

/// The statement that two numbers have this sum and this product, by a function, a copy and an inner product.
fn sieve(modulus: &str) -> String {
    let (head, last) = modulus.split_at(modulus.len() - 1);
    let minus_one = format!("{head}{:x}", u8::from_str_radix(last, 16).expect("a digit, not zero") - 1);
    format!(
        "version 2.1.0;\ncircuit;\n@plugin vectors_v1;\n@type field 0x{modulus};\n@begin\n\
         @function(difference, @out: 0:1, @in: 0:1, 0:1)\n$3 <- @mulc(0: $2, <0x{minus_one}>);\n\
         $0 <- @add(0: $1, $3);\n@end\n\
         @function(inner, @out: 0:1, @in: 0:2, 0:2) @plugin(vectors_v1, dotproduct);\n\
         $0 ... $1 <- @private(0);\n$2 <- @public(0);\n$3 <- @public(0);\n\
         $4 <- @add(0: $0, $1);\n$5 <- @call(difference, $4, $2);\n@assert_zero(0: $5);\n\
         $6 <- <0>;\n$7 ... $8 <- 0: $1, $6;\n$9 <- @call(inner, $0 ... $1, $7 ... $8);\n\
         $10 <- @call(difference, $9, $3);\n@assert_zero(0: $10);\n@end\n"
    )
}

/// The statement that a public number is (a + 2)·b, and that c, which is committed to beside it, is an
/// inverse of a.
fn r1cs(modulus: &str) -> Vec<u8> {
    // Its digits are those of words of eight bytes.
    let digits = |at: usize| u8::from_str_radix(&modulus[at..at + 2], 16).unwrap();
    let mut prime: Vec<u8> = (0..modulus.len()).step_by(2).map(digits).collect();
    prime.reverse();
    let bytes = prime.len();
    // Wires are 1, out, a, b, c.
    let forms: [&[(u32, u8)]; 6] = [&[(2, 1), (0, 2)], &[(3, 1)], &[(1, 1)], &[(2, 1)], &[(4, 1)], &[(0, 1)]];
    let mut constraints = Vec::new();
    for form in forms {
        constraints.extend((form.len() as u32).to_le_bytes());
        for (wire, factor) in form {
            constraints.extend(wire.to_le_bytes());
            constraints.push(*factor);
            constraints.resize(constraints.len() + bytes - 1, 0);
        }
    }
    let mut header = (bytes as u32).to_le_bytes().to_vec();
    header.extend(prime);
    // Wires, public outputs, public inputs, private inputs, labels, constraints.
    header.extend([5_u32, 1, 0, 2].map(u32::to_le_bytes).concat());
    header.extend(5_u64.to_le_bytes());
    header.extend(2_u32.to_le_bytes());
    let labels = (0..5_u64).flat_map(u64::to_le_bytes).collect();
    let mut file = [&b"r1cs"[..], &1_u32.to_le_bytes(), &3_u32.to_le_bytes()].concat();
    for (kind, section) in [(2_u32, constraints), (1, header), (3, labels)] {
        file.extend(kind.to_le_bytes());
        file.extend((section.len() as u64).to_le_bytes());
        file.extend(section);
    }
    file
}

/// Writes a file of this name in `folder`, and gives its path.
fn written(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Circuits of bits, in each format that has them: a sum of two bits, and a counter that runs for some steps.
fn circuits(folder: &Path) -> Vec<Case> {
    let bristol = "2 4\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";
    let old = "2 4\n1 1 2\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";
    let aiger = "aag 5 2 0 2 3\n2\n4\n10\n6\n6 4 2\n8 5 3\n10 9 7\ni0 in0\ni1 in1\no0 out0[0]\no1 out0[1]\n";
    // The same ANDs, as differences of literals.
    let binary =
        [&b"aig 5 2 0 2 3\n10\n6\n"[..], &[2, 2, 3, 2, 1, 2], b"i0 in0\ni1 in1\no0 out0[0]\no1 out0[1]\n"];
    let blif = ".model half\n.inputs in0 in1\n.outputs out0[0] out0[1]\n.names in0 in1 out0[0]\n10 1\n01 1\n\
                .subckt both a=in0 b=in1 y=out0[1]\n.end\n\
                .model both\n.inputs a b\n.outputs y\n.names a b y\n11 1\n.end\n";
    let sums = [
        ("bristol-fashion", "half.txt", bristol.into()),
        ("bristol", "old.txt", old.into()),
        ("aag", "half.aag", aiger.into()),
        ("aiger", "half.aig", binary.concat()),
        ("blif", "half.blif", Vec::from(blif)),
    ];
    let mut cases: Vec<_> = sums
        .into_iter()
        .map(|(format, name, content)| Case {
            format,
            path: written(folder, name, content),
            public: vec![("out0", "0b01")],
            right: vec![("in0", "0b1"), ("in1", "0b1")],
            wrong: vec![("in0", "0b1"), ("in1", "0b0")],
            failing: "out0[0]",
        })
        .collect();
    let toggle = [
        ("aag", "toggle.aag", "aag 5 1 1 1 3\n2\n4 11\n4\n6 4 3\n8 5 2\n10 9 7\ni0 on\no0 q\n"),
        (
            "blif",
            "toggle.blif",
            ".model toggle\n.inputs clk on\n.outputs q\n.latch next q re clk 0\n\
             .names on q next\n10 1\n01 1\n.end\n",
        ),
    ];
    cases.extend(toggle.map(|(format, name, content)| Case {
        format,
        path: written(folder, name, content) + "?steps=3",
        public: vec![("q", "0b1")],
        right: vec![("on@*", "0b0"), ("on@1", "0b1")],
        wrong: vec![("on@*", "0b0"), ("on@2", "0b1")],
        failing: "q",
    }));
    cases
}

/// The statements over the setting of this name.
fn cases(folder: &Path, (name, modulus, r1cs_too): (&str, &str, bool)) -> Vec<Case> {
    let binary = modulus == "2";
    let [public, right, wrong] = if binary { ["0b01", "0b11", "0b00"] } else { ["8,15", "3,5", "2,6"] };
    let mut cases = vec![Case {
        format: "sieve",
        path: written(folder, &format!("{name}.rel"), sieve(modulus)),
        public: vec![("public", public)],
        right: vec![("private", right)],
        wrong: vec![("private", wrong)],
        failing: "the assertion of line 21 of ",
    }];
    if name == "f61" {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/sieve/messages.sieve");
        cases.push(Case {
            format: "sieve",
            path: path.into(),
            public: vec![("public", "45,14")],
            right: vec![("private", "3,5")],
            wrong: vec![("private", "3,6")],
            failing: "the assertion of line ",
        });
    }
    if r1cs_too {
        cases.push(Case {
            format: "r1cs",
            path: written(folder, &format!("{name}.r1cs"), r1cs(modulus)),
            public: vec![("out0", "9")],
            // Of a, b and c.
            right: vec![("witness", "1,3,1")],
            wrong: vec![("witness", "1,3,2")],
            failing: "constraint 1",
        });
    }
    if binary {
        cases.extend(circuits(folder));
    }
    cases
}

impl Case {
    /// The statement over the setting of this name, and the claim that it holds for `private` values.
    fn stated(&self, over: &str, private: &[(&str, &str)]) -> Result<[Box<dyn AnyStatement>; 2]> {
        let state = || {
            let mut relation = setting(over)?.open(&self.path, None)?;
            assert_eq!(relation.format_name(), self.format);
            for (name, value) in &self.public {
                relation.public().read(name, Written::Text(value.as_bytes()))?;
            }
            relation.state()
        };
        let mut stated = state()?;
        for (name, value) in private {
            stated.private().read(name, Written::Text(value.as_bytes()))?;
        }
        Ok([stated, state()?])
    }

    fn session(&self, claim: &dyn AnyClaim, statement: &dyn AnyStatement, options: &Options) -> Session {
        both(|channel| claim.prove(channel, options), |channel| statement.verify(channel, options), None)
    }

    fn agrees(&self, over: &str) {
        let by = |system: System| Options { method: system.into(), ..seeded(1) };
        let setting = setting(over).unwrap();
        let case = |system: System| format!("{} over {over} by {system}", self.path);
        let [claim, statement] = self.stated(over, &self.right).unwrap_or_else(|why| panic!("{why}"));
        let claim = claim.claim().unwrap();
        claim.check().unwrap_or_else(|why| panic!("{}: {why}", self.path));
        let [wrong, _] = self.stated(over, &self.wrong).unwrap();
        let wrong = wrong.claim().unwrap();
        let fails = |result: Result<()>, case: &str| match result {
            Err(Error::Unsatisfied(name)) if name.starts_with(self.failing) => {}
            other => panic!("{case}: {other:?}"),
        };
        fails(wrong.check(), &self.path);
        let systems =
            System::ALL.into_iter().filter(|system| setting.is_by(*system) && !system.facts().of_clauses);
        for system in systems.clone().filter(|system| system.facts().talks) {
            let (case, options) = (case(system), by(system));
            let session = self.session(&*claim, &*statement, &options);
            let proved = session.proved.unwrap_or_else(|why| panic!("{case}: {why}"));
            let (_, verified) = session.verified.unwrap_or_else(|why| panic!("{case}: {why}"));
            assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement), "{case}");
            // Without a look before, too, over bits and over one prime: that code knows no field.
            let unlooked = system != System::JKO && ["f2", "f61"].contains(&over);
            let unchecked = unlooked.then(|| Options { check: false, ..options.clone() });
            for options in [Some(options), unchecked].into_iter().flatten() {
                let session = self.session(&*wrong, &*statement, &options);
                fails(session.proved.map(drop), &case);
                assert!(session.verified.is_err(), "{case}");
            }
        }
        for system in systems.filter(|system| system.facts().files) {
            let (case, options) = (case(system), by(system));
            let mut file = Vec::new();
            claim.prove_to(&mut file, &options).unwrap_or_else(|why| panic!("{case}: {why}"));
            let _ =
                statement.verify_from(&mut &file[..], &options).unwrap_or_else(|why| panic!("{case}: {why}"));
            let mut nothing = Vec::new();
            fails(wrong.prove_to(&mut nothing, &options).map(drop), &case);
            assert!(nothing.is_empty(), "{case}");
        }
    }
}

#[test]
fn every_format_over_every_field_by_every_system() {
    let folder = TempDir::new().unwrap();
    let mut formats = BTreeSet::new();
    for setting in SETTINGS {
        for case in cases(folder.path(), setting) {
            case.agrees(setting.0);
            formats.insert(case.format);
        }
    }
    assert_eq!(formats.into_iter().collect::<Vec<_>>(), FORMATS);
    // All settings but that of an extension of bits, which no file is over.
    let all: BTreeSet<_> = settings().iter().map(|setting| setting.name()).collect();
    let tried = SETTINGS.iter().map(|setting| setting.0.to_owned()).chain(["f256".to_owned()]);
    assert_eq!(all, tried.collect());
}

/// One party may hold the constraints that the other reads from the file.
#[test]
fn constraint_systems_are_proved_as_they_are_read() {
    // a, b and c; the product of c defines d, and that e.
    for (held, text, holds) in
        [([false; 2], "5,5,3", true), ([true, false], "5,5,3", true), ([false, true], "5,4,3", false)]
    {
        constraint_systems(held, 1, ("35", text), holds);
    }
    // Of several instances the last is wrong.
    for held in [true, false] {
        constraint_systems([held; 2], 2, ("35,40", "5,5,3,6,5,9"), true);
        constraint_systems([held; 2], 2, ("35,40", "5,5,3,6,4,9"), false);
    }
}

/// Proves so many instances, whose constraints each party holds or reads again and again.
fn constraint_systems(held: [bool; 2], count: u64, (public, private): (&str, &str), holds: bool) {
    let state = |held| {
        let system = R1cs::made(held).with_count(Repeat::of(count)).unwrap();
        let mut relation = PhantomData::<Over<F61>>.r1cs(Arc::new(system)).unwrap();
        relation.public().read("out0", Written::Text(public.as_bytes())).unwrap();
        relation.state().unwrap()
    };
    let [mut prover, verifier] = held.map(state);
    assert_eq!(prover.digest(), verifier.digest());
    prover.private().read(R1cs::WITNESS, Written::Text(private.as_bytes())).unwrap();
    let claim = prover.claim().unwrap();
    assert_eq!(claim.check().is_ok(), holds);
    let options = Options {
        statement: Some(verifier.digest()),
        security: Some(30),
        insecure_parameters: true,
        check: false,
        ..Options::default()
    };
    let session =
        both(|channel| claim.prove(channel, &options), |channel| verifier.verify(channel, &options), None);
    assert_eq!(session.verified.is_ok(), holds, "{held:?}, {count}");
}
