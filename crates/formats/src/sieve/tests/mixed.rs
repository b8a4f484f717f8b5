//! Relations over F_2 and 2^61 − 1 together.

use super::*;
use volery_circuit::stream::MixedStreamed;
use volery_circuit::{BothValues, MixedShape, check_mixed};

fn with_bits(gates: &str) -> String {
    format!(
        "version 2.2.0;circuit;@plugin mux_v0;{F61_TYPE}{F2_TYPE}\n\
         @convert(@out: 0:1, @in: 1:61);@convert(@out: 1:61, @in: 0:1);@convert(@out: 1:3, @in: 0:1);\n\
         @convert(@out: 1:70, @in: 0:1);@convert(@out: 0:1, @in: 1:70);@convert(@out: 0:1, @in: 1:3);\n\
         @convert(@out: 1:2, @in: 1:3);@convert(@out: 1:3, @in: 1:2);\n@begin\n{gates}\n@end\n"
    )
}

/// Whether the statement holds for values by the names of ports, encoded.
fn holds_both(text: &str, values: &[(&str, Vec<u8>)]) -> Result<()> {
    let sieve = open_text(text)?;
    assert!(sieve.has_bits() && sieve.is_over::<F61>());
    let relation = SieveOfTwo::new(sieve);
    let of_bits: Vec<String> = relation.of_bits().collect();
    let (mut public, mut private) =
        (BothValues::<F61>::new(of_bits.clone()), BothValues::<F61>::new(of_bits));
    for (name, encodings) in values {
        let of = if name.starts_with("public") { &mut public } else { &mut private };
        of.read(name, Written::Encodings(encodings))?;
    }
    MixedShape::of::<F61, _>(&MixedStreamed(&relation.bare::<F61>()))?;
    let statement = relation.state(public)?;
    let secrets = statement.witness(private)?;
    check_mixed(&MixedStreamed(&statement), secrets.bits.iter().copied(), secrets.elements.iter())
}

fn element(x: u64) -> Vec<u8> {
    x.to_le_bytes().into()
}

fn bits(x: u128, count: usize) -> Vec<u8> {
    (0..count).rev().map(|place| (x >> place & 1) as u8).collect()
}

const MOST: u64 = (1 << 61) - 2;

#[test]
fn numbers_become_bits() {
    for (count, reduced, fits) in
        [(61, "", true), (61, ", @modulus", true), (3, ", @modulus", true), (3, "", false), (70, "", true)]
    {
        let text = with_bits(&format!(
            "$0 <- @private(0);\n1: $0 ... ${0} <- @convert(0: $0{reduced});\n$100 ... ${1} <- @public(1);\n\
             @function(same, @in: 1:{count}, 1:{count})\n@plugin(assert_equal_v0, assert_equal);\n\
             @call(same, $0 ... ${0}, $100 ... ${1});",
            count - 1,
            99 + count
        ));
        for x in [0, 5, 1 << 60, MOST] {
            let check = |expected: u128| {
                holds_both(&text, &[("private0", element(x)), ("public1", bits(expected, count))])
            };
            let expected = u128::from(x) % (1 << count.min(64));
            assert_eq!(check(expected).is_ok(), fits || x < 8, "{count}{reduced} of {x}");
            assert!(check(expected ^ 1).is_err());
            // The modulus more is another way to write zero, and does not count.
            assert!(count < 61 || check(u128::from(x) + u128::from(MOST) + 1).is_err());
        }
    }
}

#[test]
fn bits_become_numbers() {
    for (count, reduced) in [(61, ""), (61, ", @modulus"), (3, ""), (70, ""), (70, ", @modulus")] {
        let text = with_bits(&format!(
            "$0 ... ${} <- @private(1);\n0: $0 <- @convert(1: $0 ... ${0}{reduced});\n$1 <- @public(0);\n\
             $1 <- @mulc($1, <2305843009213693950>);\n$1 <- @add($0, $1);\n@assert_zero($1);",
            count - 1
        ));
        let modulus = u128::from(MOST) + 1;
        for x in [0, 5, 7, modulus - 1, modulus, modulus + 3, (1 << 61) - 1, 1 << 65] {
            if x >> count > 0 {
                continue;
            }
            let check = |expected: u64| {
                holds_both(&text, &[("private1", bits(x, count)), ("public0", element(expected))])
            };
            let fits = x < modulus || !reduced.is_empty();
            assert_eq!(check((x % modulus) as u64).is_ok(), fits, "{count}{reduced} of {x}");
            assert!(check(((x + 1) % modulus) as u64).is_err());
        }
    }
}

#[test]
fn digits_of_one_field_are_cut_or_filled() {
    let text = with_bits(
        "$0 ... $2 <- @private(1);\n1: $3 ... $4 <- @convert(1: $0 ... $2);\n\
         1: $5 ... $7 <- @convert(1: $3 ... $4);\n@assert_zero(1: $5);\n$8 <- @add(1: $6, $7);\n\
         @assert_zero(1: $8);\n$0 <- @private(0);\n@assert_zero($0);",
    );
    let check = |x| holds_both(&text, &[("private1", bits(x, 3)), ("private0", element(0))]);
    check(3).unwrap();
    assert!(fails(check(2)).contains("line 11 "));
    assert!(fails(check(7)).contains("line 7 "));
}

/// A comparison as compilers make it: by the highest bit of a difference, which selects a number.
#[test]
fn functions_go_from_one_field_to_the_other() {
    let text = with_bits(
        "@function(mux, @out: 0:1, @in: 0:1, 0:1, 0:1)\n@plugin(mux_v0, permissive);\n\
         @function(is_less, @out: 0:1, 1:1, @in: 0:1, 0:1)\n$3 <- @mulc($2, <2305843009213693950>);\n\
         $4 <- @add($1, $3);\n@new(1: $10 ... $70);\n1: $10 ... $70 <- @convert(0: $4);\n\
         $0 <- 1: $10;\n$80 ... $140 <- @call(zeros, $10);\n0: $0 <- @convert(1: $80 ... $140);\n@end\n",
    );
    // A function has to stand above what calls it.
    let zeros = "@function(zeros, @out: 1:61, @in: 1:1)\n$100 <- 1: <0>;\n".to_owned()
        + &(0..60).map(|i| format!("${i} <- 1: $100;\n")).collect::<String>()
        + "$60 <- 1: $61;\n@end\n";
    let text = text.replace("@begin\n", &format!("@begin\n{zeros}")).replace(
        "\n@end\n\n@end",
        "\n@end\n$0 ... $1 <- @private(0);\n$2, $0 <- @call(is_less, $0, $1);\n$3 <- <10>;\n$4 <- <20>;\n\
         $5 <- @call(mux, $2, $3, $4);\n$6 <- @public(0);\n$6 <- @mulc($6, <2305843009213693950>);\n\
         $6 <- @add($5, $6);\n@assert_zero($6);\n$1 <- @public(1);\n$1 <- @add(1: $0, $1);\n\
         @assert_zero(1: $1);\n@end",
    );
    let check = |a: u64, b: u64, chosen: u64, bit: u8| {
        let private = [element(a), element(b)].concat();
        holds_both(&text, &[("private0", private), ("public0", element(chosen)), ("public1", vec![bit])])
    };
    check(3, 5, 20, 1).unwrap();
    check(5, 3, 10, 0).unwrap();
    check(5, 5, 10, 0).unwrap();
    fails(check(3, 5, 10, 1));
    assert!(fails(check(3, 5, 20, 0)).contains("the assertion of line"));
}

/// Each memory is ended in its own field, and read there.
#[test]
fn memories_are_of_one_of_the_fields() {
    let text = format!(
        "version 2.1.0;circuit;@plugin ram_arith_v0;@plugin ram_bool_v0;{F61_TYPE}{F2_TYPE}\n\
         @type @plugin(ram_arith_v0, ram, 0, 1, 2, 2);@type @plugin(ram_bool_v0, ram, 1, 2, 1, 1, 4, 4);\n\
         @convert(@out: 1:1, @in: 0:1);\n@begin\n\
         @function(numbers, @out: 2:1, @in: 0:1)@plugin(ram_arith_v0, init, 4);\n\
         @function(bits, @out: 3:1, @in: 1:1)@plugin(ram_bool_v0, init, 4);\n\
         @function(read_n, @out: 0:1, @in: 2:1, 0:1)@plugin(ram_arith_v0, read);\n\
         @function(read_b, @out: 1:1, @in: 3:1, 1:2)@plugin(ram_bool_v0, read);\n\
         @function(write_b, @in: 3:1, 1:2, 1:1)@plugin(ram_bool_v0, write);\n\
         $0 <- @private(0);\n$0 ... $2 <- @private(1);\n$9 <- @call(numbers, $0);\n$9 <- @call(bits, $0);\n\
         @call(write_b, $9, $1 ... $2, $2);\n$3 <- @call(read_b, $9, $1 ... $2);\n@delete(3: $9);\n\
         $5 <- <3>;\n$4 <- @call(read_n, $9, $5);\n@delete(2: $9);\n1: $4 <- @convert(0: $4);\n\
         $3 <- @add(1: $3, $4);\n@assert_zero(1: $3);\n@end\n"
    );
    let check = |number: u64, word: u128| {
        holds_both(&text, &[("private0", element(number)), ("private1", bits(word, 3))])
    };
    check(1, 0b001).unwrap();
    check(0, 0b110).unwrap();
    fails(check(1, 0b010));
    fails(check(2, 0b010));
}

/// Calls nested as deeply as they may be, where each goes to the other field, so that none is kept as a
/// function.
#[test]
fn calls_are_nested() {
    let chain = |depth: usize| {
        let mut gates =
            "@function(f0, @out: 1:1, @in: 0:1)\n1: $0 ... $0 <- @convert(0: $0);\n@end\n".to_owned();
        for i in 1..=depth {
            gates += &format!("@function(f{i}, @out: 1:1, @in: 0:1)\n$0 <- @call(f{}, $0);\n@end\n", i - 1);
        }
        let head = with_bits(&format!(
            "{gates}$0 <- @private(0);\n$0 <- @call(f{depth}, $0);\n@assert_zero(1: $0);"
        ));
        head.replace("@begin", "@convert(@out: 1:1, @in: 0:1);\n@begin")
    };
    let check = |x: u64| holds_both(&chain(200), &[("private0", element(x))]);
    check(0).unwrap();
    assert!(fails(check(1)).contains("the assertion of line"));
    let why = open_text(&chain(201)).unwrap_err().to_string();
    assert!(why.contains("calls are nested more than 200 times"), "{why}");
}
