//! Fields that are named by their prime: those of this library, and those of which the prime is chosen at run
//! time, one to a process.

use crate::kit::{session, volery};
use std::fs;
use tempfile::TempDir;

/// 2^31 − 1, and the largest prime of 60 bits.
const PRIMES: [&str; 2] = ["2147483647", "1152921504606846883"];
/// The least that there is, 2^30 + 3; and two that are 1 modulo 4, of which one is the greatest below 2^61 − 1.
const EDGES: [&str; 3] = ["1073741827", "2013265921", "2305843009213693921"];

/// 2^127 − 1, and the coordinates of secp256k1.
const LONG: [&str; 2] = [
    "170141183460469231731687303715884105727",
    "115792089237316195423570985008687907853269984665640564039457584007908834671663",
];

/// 2^64 − 59, 2^89 − 1 and 2^107 − 1, whose MACs are too short for challenges of the transcript.
const BETWEEN: [&str; 3] =
    ["18446744073709551557", "618970019642690137449562111", "162259276829213363391578010288127"];

const NOWHERE: [&str; 2] = ["--connect", "127.0.0.1:1"];

/// A folder with a relation over the integers modulo a prime, and streams of its values.
struct Files(TempDir, String);

impl Files {
    fn over(prime: &str) -> Self {
        Self(tempfile::tempdir().expect("a folder"), prime.into())
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// x² − y = z, of a public z.
    fn relation(&self) -> String {
        let gates = "$0 ... $1 <- @private(0);$2 <- @public(0);\n$3 <- @mul(0: $0, $0);\n\
                     $4 <- @add(0: $1, $2);\n$5 <- @mulc(0: $4, < -1 >);\n$6 <- @add(0: $3, $5);";
        let gates = gates.replace("-1", &self.minus(1));
        let head = format!("version 2.1.0;circuit;@type field {};@begin\n", self.1);
        self.file("x.rel", &format!("{head}{gates}\n@assert_zero(0: $6);\n@end\n"))
    }

    fn stream(&self, name: &str, kind: &str, values: &[&str]) -> String {
        let values: String = values.iter().map(|value| format!("< {value} >;\n")).collect();
        self.file(name, &format!("version 2.1.0;\n{kind};\n@type field {};\n@begin\n{values}@end\n", self.1))
    }

    /// The prime less `number`, of a digit.
    fn minus(&self, number: u64) -> String {
        let (above, last) = self.1.split_at(self.1.len() - 3);
        format!("{above}{:03}", last.parse::<u64>().expect("digits") - number)
    }
}

#[test]
fn a_file_is_proved_over_its_prime() {
    for prime in PRIMES.into_iter().chain(EDGES).chain(BETWEEN).chain(LONG) {
        let files = Files::over(prime);
        let relation = files.relation();
        // (−3)² − 12 = −3.
        let public = files.stream("x.ins", "public_input", &[&files.minus(3)]);
        let private = files.stream("x.wit", "private_input", &[&files.minus(3), "12"]);
        let given = ["--relation", &relation, "--public-stream", &public];
        let verify = [&["verify"], &given[..], &["--json"]].concat();
        let prove = |private| [&["prove"], &given[..], &["--private-stream", private]].concat();
        let proof = [&prove(&private)[..], &["--json"]].concat();
        let [verified, proved] = session(&verify, &proof).map(|ended| ended.expect(0).json());
        for object in [&verified, &proved] {
            assert_eq!(
                (&object["verdict"], &object["field"]),
                (&"accepted".into(), &prime.into()),
                "{object}"
            );
            assert_eq!((&object["system"], &object["gates"]["mul"]), (&"quicksilver".into(), &1.into()));
            assert_eq!(&object["statement"], &proved["statement"]);
        }
        let wrong = files.stream("wrong.wit", "private_input", &[&files.minus(3), "13"]);
        let refused = [&prove(&wrong)[..], &NOWHERE].concat();
        volery(&refused).refused(2, &["the assertion of line 7 of", "does not hold"]);
        let [verifier, _] = session(&verify, &[&prove(&wrong)[..], &["--no-check"]].concat());
        assert_ne!(verifier.code, Some(0));
        // What is no element is told by its line.
        let above = files.stream("above.wit", "private_input", &[prime, "12"]);
        let refused = [&prove(&above)[..], &NOWHERE].concat();
        volery(&refused).refused(2, &["above.wit, line 5", prime]);
    }
}

/// Security is that of the prime: of the 2^124 Δ over the one, 109 bits are left where first shares have two
/// checks; over the other, of 2^240, as many as the transfers of the set-up have; and of 2^64, 2^89 and 2^107, of which
/// each check of first shares takes log2 of the pairs of 8, 12 and 14 columns, what is left.
#[test]
fn security_is_that_of_the_prime() {
    let bits = |prime: &str, relation: &str| {
        let typed = ["circuit", "info", relation, "--field", prime, "--json"];
        let foretold = volery(&typed).expect(0).json();
        let proof = ["--field", prime, "--relation", relation, "--public", "y=32"];
        let verify = [&["verify"], &proof[..], &["--json"]].concat();
        let prove = [&["prove"], &proof[..], &["--private", "x=2", "--json"]].concat();
        let [verified, proved] = session(&verify, &prove).map(|ended| ended.expect(0).json());
        assert_eq!(verified["security"], proved["security"]);
        assert_eq!(foretold["estimates"][0]["bytes"], proved["bytes"], "{foretold}");
        verified["security"]["statistical_bits"].as_u64().expect("a number")
    };
    let bits = |prime| bits(prime, "builtin:power?exponent=5");
    assert_eq!(PRIMES.map(bits), [109, 121]);
    assert_eq!(BETWEEN.map(bits), [57, 81, 99]);
}

#[test]
fn statements_that_are_built_in_go_by_the_prime() {
    let check = |prime: &str, relation: &str, values: [&str; 2]| {
        volery(&[
            "check",
            "--field",
            prime,
            "--relation",
            relation,
            "--public",
            values[0],
            "--private",
            values[1],
        ])
    };
    // As many bits as the prime has, and not as elements of 61.
    let range = ["total=1073741824", "values=1073741823,1"];
    check(PRIMES[0], "builtin:range-sum?count=2&bits=29", range).refused(2, &["values[0] below 2^29"]);
    check(PRIMES[0], "builtin:range-sum?count=1&bits=30", ["total=1073741823", "values=1073741823"])
        .expect(0);
    check(PRIMES[0], "builtin:range-sum?count=2&bits=30", range).expect(0);
    check(PRIMES[0], "builtin:range-sum?count=3&bits=30", range).refused(2, &["may exceed the modulus of"]);
    check(PRIMES[0], "builtin:range-sum?count=1&bits=31", range).refused(2, &["from 1 to 30"]);
    check(PRIMES[0], "builtin:power?exponent=1", ["y=2147483647", "x=0"])
        .refused(2, &["not below 2147483647, the modulus of 2147483647"]);
    check(PRIMES[0], "builtin:power?exponent=3", ["y=-8", "x=2147483645"]).expect(0);
    let product = ["c=19,22,43,50", "a=1,2,3,4"];
    let relation = "builtin:matmul?rows=2&inner=2&columns=2";
    volery(&[
        "check",
        "--field",
        PRIMES[1],
        "--relation",
        relation,
        "--public",
        product[0],
        "--private",
        product[1],
        "--private",
        "b=5,6,7,8",
    ])
    .expect(0);
}

#[test]
fn numbers_that_are_no_such_primes_say_why() {
    let refused = |number: &str, words: &[&str]| {
        let check = ["check", "--field", number, "--relation", "builtin:power", "--public", "y=1"];
        volery(&[&check[..], &["--private", "x=1"]].concat()).refused(2, words);
    };
    refused("1152921504606846885", &["modulo 1152921504606846885: it is not a prime"]);
    refused("65539", &["modulo 65539: it is below 2^30"]);
    refused("2305843009213693969", &["it is not a prime"]);
    refused(&"9".repeat(100), &["--field", "2^256"]);
    // Those that are fields of this library are these.
    for (prime, field) in [("2305843009213693951", "f61"), ("4294967291", "q32"), ("65537", "f65537")] {
        let info = volery(&["circuit", "info", "builtin:power", "--field", prime, "--json"]).expect(0).json();
        assert_eq!(info["field"], field, "{info}");
    }
    // In a file the line is told.
    for (prime, words) in [
        ("2147483649", ["x.rel, line 2, column 25: type 0 (field 2147483649) is used", "is not a prime"]),
        ("1073741789", ["the relation is over 1073741789", "it is below 2^30"]),
        ("2305843009213693969", ["the relation is over 2305843009213693969", "it is not a prime"]),
    ] {
        let files = Files::over(prime);
        let relation = files.relation();
        volery(&["check", "--relation", &relation]).refused(2, &words);
    }
    // QuickSilver is all that there is over others.
    for system in ["wolverine", "limbo"] {
        let verify = ["verify", "--field", PRIMES[0], "--system", system, "--relation", "builtin:power"];
        let typed = [&verify[..], &["--public", "y=1"], &NOWHERE].concat();
        volery(&typed).refused(
            2,
            &[
                "--system",
                system,
                "is over f2, f61, f61x2, f65537",
                ", and not over 2147483647",
                "quicksilver",
            ],
        );
    }
    let info = volery(&["circuit", "info", "builtin:power", "--field", PRIMES[0]]).expect(0).out;
    assert!(info.contains("a quicksilver prover") && !info.contains("limbo") && !info.contains("wolverine"));
    let file = ["prove", "--field", PRIMES[0], "--relation", "builtin:power", "--public", "y=1"];
    volery(&[&file[..], &["--private", "x=1", "--out", "x.proof"]].concat()).refused(2, &["--system: limbo"]);
}

#[test]
fn two_primes_are_a_disagreement() {
    let typed = |verb: &'static str, prime: &'static str| {
        vec![verb, "--field", prime, "--relation", "builtin:power?exponent=5", "--public", "y=32"]
    };
    let prove = [&typed("prove", PRIMES[1])[..], &["--private", "x=2"]].concat();
    let sides = session(&typed("verify", PRIMES[0]), &prove);
    for ended in sides {
        ended.refused(3, &["disagree on the field", PRIMES[0], PRIMES[1], "the same --field"]);
    }
}
