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

/// Primes below 2^30, whose MACs are in extensions of degree 83, 47, 23, 23, 19, 17, 11 and 5.
const SMALL: [&str; 8] = ["3", "7", "97", "101", "127", "257", "65539", "536870923"];

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
        let gates = gates.replace("-1", &self.number(-1));
        let head = format!("version 2.1.0;circuit;@type field {};@begin\n", self.1);
        self.file("x.rel", &format!("{head}{gates}\n@assert_zero(0: $6);\n@end\n"))
    }

    fn stream(&self, name: &str, kind: &str, values: &[&str]) -> String {
        self.stream_over(&self.1, name, kind, values)
    }

    fn stream_over(&self, field: &str, name: &str, kind: &str, values: &[&str]) -> String {
        let values: String = values.iter().map(|value| format!("< {value} >;\n")).collect();
        self.file(name, &format!("version 2.1.0;\n{kind};\n@type field {field};\n@begin\n{values}@end\n"))
    }

    /// The digits of a small integer modulo the prime.
    fn number(&self, integer: i64) -> String {
        if let Ok(prime) = self.1.parse::<i64>() {
            return integer.rem_euclid(prime).to_string();
        }
        let (above, last) = self.1.split_at(self.1.len() - 3);
        if integer < 0 {
            format!("{above}{:03}", last.parse::<i64>().expect("digits") + integer)
        } else {
            integer.to_string()
        }
    }
}

#[test]
fn a_file_is_proved_over_its_prime() {
    files_are_proved(2, 1);
}

#[test]
#[ignore = "slow"]
fn a_file_is_refused_over_any_prime() {
    files_are_proved(usize::MAX, usize::MAX);
}

/// Over the first so many primes of each kind; and what is wrong over some of them.
fn files_are_proved(most: usize, wrong: usize) {
    let kinds = [&PRIMES[..], &EDGES, &SMALL, &BETWEEN, &LONG];
    for (at, prime) in kinds.into_iter().flat_map(|kind| kind.iter().copied().enumerate().take(most)) {
        let files = Files::over(prime);
        let relation = files.relation();
        // (−3)² − 12 = −3.
        let [minus_three, twelve, thirteen] = [-3, 12, 13].map(|integer| files.number(integer));
        let public = files.stream("x.ins", "public_input", &[&minus_three]);
        let private = files.stream("x.wit", "private_input", &[&minus_three, &twelve]);
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
        if at >= wrong {
            continue;
        }
        let wrong = files.stream("wrong.wit", "private_input", &[&minus_three, &thirteen]);
        let refused = [&prove(&wrong)[..], &NOWHERE].concat();
        volery(&refused).refused(2, &["the assertion of line 7 of", "does not hold"]);
        let [verifier, _] = session(&verify, &[&prove(&wrong)[..], &["--no-check"]].concat());
        assert_eq!(verifier.code, Some(1));
        // What is no element is told by its line.
        let above = files.stream("above.wit", "private_input", &[prime, &twelve]);
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
    // Over 257 it is that of 2^136 Δ, of which two checks of 153 columns take 15 bits, and as much as of transfers.
    assert_eq!(["37", "101", "257", "65539"].map(bits), [121, 121, 119, 121]);
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

/// Shares from LPN, whose sets over small primes are those of bytes.
#[test]
fn small_primes_have_sets_of_lpn() {
    let statement = ["--field", "101", "--relation", "builtin:power?exponent=5", "--public", "y=32"];
    let statement = [&statement[..], &["--vole", "tiny", "--json"]].concat();
    let prove = [&["prove"], &statement[..], &["--private", "x=2"]].concat();
    for ended in session(&[&["verify"], &statement[..]].concat(), &prove) {
        let object = ended.expect(0).json();
        assert_eq!((&object["verdict"], &object["field"]), (&"accepted".into(), &"101".into()));
    }
}

/// Below 2^16 memories, permutations and comparisons are gates, modulo so few numbers as well.
#[test]
fn plugins_are_proved_over_small_primes() {
    for prime in ["11", "101"] {
        let files = Files::over(prime);
        let minus = files.number(-1);
        let text = format!(
            "version 2.1.0;circuit;\n@plugin ram_arith_v0;@plugin permutation_check_v1;\n\
             @plugin extended_arithmetic_v1;\n\
             @type field {prime};@type @plugin(ram_arith_v0, ram, 0, 20, 2000, 2000);\n@begin\n\
             @function(init, @out: 1:1, @in: 0:1)\n@plugin(ram_arith_v0, init, 8);\n\
             @function(read, @out: 0:1, @in: 1:1, 0:1)\n@plugin(ram_arith_v0, read);\n\
             @function(write, @in: 1:1, 0:1, 0:1)\n@plugin(ram_arith_v0, write);\n\
             @function(perm, @in: 0:4, 0:4)\n@plugin(permutation_check_v1, assert_perm, 2);\n\
             @function(less, @out: 0:1, @in: 0:1, 0:1)\n@plugin(extended_arithmetic_v1, less_than);\n\
             $0 ... $10 <- @private(0);\n$0 <- @call(init, $0);\n@call(write, $0, $1, $2);\n\
             $11 <- @call(read, $0, $1);\n$12 <- @public(0);\n$13 <- @mulc(0: $12, < {minus} >);\n\
             $14 <- @add(0: $11, $13);\n@assert_zero(0: $14);\n@call(perm, $3 ... $6, $7 ... $10);\n\
             $15 <- @call(less, $1, $2);\n$16 <- @addc(0: $15, < {minus} >);\n@assert_zero(0: $16);\n@end\n"
        );
        let relation = files.file("plugins.rel", &text);
        let public = files.stream("x.ins", "public_input", &["7"]);
        let honest = ["4", "2", "7", "1", "2", "3", "4", "3", "4", "1", "2"];
        let with = |at: usize, value: &'static str| {
            let mut values = honest;
            values[at] = value;
            files.stream(&format!("{at}is{value}.wit"), "private_input", &values)
        };
        let right = with(0, "4");
        // An address of no cell, a word that is not the one, another list, and what is no less.
        let wrong = [(1, "8"), (2, "6"), (10, "1"), (1, "7")].map(|(at, value)| with(at, value));
        let given = ["--relation", &relation, "--public-stream", &public];
        let verify = [&["verify"], &given[..], &["--json"]].concat();
        let prove = |private| [&["prove"], &given[..], &["--private-stream", private]].concat();
        for ended in session(&verify, &[&prove(&right)[..], &["--json"]].concat()) {
            let object = ended.expect(0).json();
            assert_eq!((&object["verdict"], &object["field"]), (&"accepted".into(), &prime.into()));
        }
        for wrong in &wrong {
            volery(&[&prove(wrong)[..], &NOWHERE].concat()).refused(2, &["does not hold"]);
            let [verifier, _] = session(&verify, &[&prove(wrong)[..], &["--no-check"]].concat());
            assert_eq!(verifier.code, Some(1), "{wrong}");
        }
    }
}

/// Bits go with numbers modulo primes from 17 on, of which a round of conversions has room for six, and with words
/// modulo smaller ones.
#[test]
fn bits_go_with_small_primes() {
    let relation = |files: &Files, bits: usize| {
        let (last, end, minus, prime) = (bits - 1, 99 + bits, files.number(-1), &files.1);
        let text = format!(
            "version 2.1.0;circuit;\n@plugin assert_equal_v0;\n@type field {prime};@type field 2;\n\
             @convert(@out: 1:{bits}, @in: 0:1);@convert(@out: 0:1, @in: 1:{bits});\n@begin\n\
             @function(same, @in: 1:{bits}, 1:{bits})\n@plugin(assert_equal_v0, assert_equal);\n\
             $0 <- @private(0);\n1: $0 ... ${last} <- @convert(0: $0);\n$100 ... ${end} <- @public(1);\n\
             @call(same, $0 ... ${last}, $100 ... ${end});\n0: $1 <- @convert(1: $0 ... ${last});\n\
             $2 <- @mulc(0: $1, < {minus} >);\n$3 <- @add(0: $0, $2);\n@assert_zero(0: $3);\n@end\n"
        );
        files.file("bits.rel", &text)
    };
    for (prime, bits) in [("13", 4), ("17", 5), ("101", 7)] {
        let files = Files::over(prime);
        let relation = relation(&files, bits);
        let word: Vec<_> = (0..bits).rev().map(|place| if 9 >> place & 1 == 1 { "1" } else { "0" }).collect();
        let stream = |name: &str, kind: &str, field: &str, values: &[&str]| {
            files.stream_over(field, name, kind, values)
        };
        let numbers = stream("0.ins", "public_input", prime, &[]);
        let public = stream("1.ins", "public_input", "2", &word);
        let none = stream("1.wit", "private_input", "2", &[]);
        let right = stream("right.wit", "private_input", prime, &["9"]);
        let wrong = stream("wrong.wit", "private_input", prime, &["8"]);
        let given = ["--relation", &relation, "--public-stream", &numbers, "--public-stream", &public];
        let verify = [&["verify"], &given[..], &["--json"]].concat();
        let prove = |private| {
            [&["prove"], &given[..], &["--private-stream", private, "--private-stream", &none]].concat()
        };
        for ended in session(&verify, &[&prove(&right)[..], &["--json"]].concat()) {
            assert_eq!(ended.expect(0).json()["verdict"], "accepted");
        }
        let [verifier, _] = session(&verify, &[&prove(&wrong)[..], &["--no-check"]].concat());
        // The prover left, held by a coin or not.
        assert!(matches!(verifier.code, Some(1 | 3)), "modulo {prime}: {verifier:?}");
    }
}

#[test]
fn numbers_that_are_no_such_primes_say_why() {
    let refused = |number: &str, words: &[&str]| {
        let check = ["check", "--field", number, "--relation", "builtin:power", "--public", "y=1"];
        volery(&[&check[..], &["--private", "x=1"]].concat()).refused(2, words);
    };
    refused("1152921504606846885", &["modulo 1152921504606846885: it is not a prime"]);
    refused("65538", &["modulo 65538: it is not a prime"]);
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
