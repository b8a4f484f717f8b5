//! Relations over the extension of F_2 that is read, `f256`, and what is refused of it and of others.

use super::*;
use volery_primitives::F256;

const BASE: &str = "@type field 2;@type ext_field 0 8 283;";

/// A relation with this head and these gates.
fn over(types: &str, gates: &str) -> String {
    format!("version 2.1.0;\ncircuit;\n{types}\n@begin\n{gates}\n@end\n")
}

fn holds_f256(text: &str, public: &[u8], private: &[u8]) -> Result<()> {
    let values = [("public", public.to_vec()), ("private", private.to_vec())];
    let given: Vec<_> = values.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    holds_over::<F256>(text, &given)
}

fn refused(text: &str, words: &str) {
    let why = open_text(text).map(drop).unwrap_err().to_string();
    assert!(why.contains(words), "{words:?} is missing in {why:?}");
}

/// (X^6 + X^4 + X + 1)·(X^7 + X^6 + X^3 + X) is 1: FIPS 197 has them as inverses.
#[test]
fn a_product_is_one_of_bytes() {
    let text = over(
        BASE,
        "$0 ... $1 <- @private(1);\n$2 <- @mul(1: $0, $1);\n$3 <- @addc(1: $2, <1>);\n@assert_zero(1: $3);",
    );
    holds_f256(&text, &[], &[0x53, 0xca]).unwrap();
    let name = fails(holds_f256(&text, &[], &[0x53, 0xcb]));
    assert!(name.contains("the assertion of line 8 of x.rel"), "{name}");
    // As an integer modulo 257 the product would be another one.
    fails(holds_f256(&text, &[], &[2, 129]));
    let sieve = open_text(&text).unwrap();
    assert_eq!((sieve.field_size(), sieve.has_bits(), sieve.gates()), ("256".into(), false, 4));
    assert!(sieve.is_over::<F256>() && !sieve.is_over::<F2>() && !sieve.is_over::<F61>());
    let streams = sieve.streams();
    let streams: Vec<_> = streams.iter().map(|s| (&*s.name, s.public, s.kind, &*s.field, s.count)).collect();
    assert_eq!(
        streams,
        [
            ("public", true, 0, "2", 0),
            ("private", false, 0, "2", 0),
            ("public", true, 1, "f256", 0),
            ("private", false, 1, "f256", 2)
        ]
    );
}

#[test]
fn gates_and_functions_compute_with_bytes() {
    // 0x57·0x83 = 0xc1 and 0x57·0x13 = 0xfe, of FIPS 197.
    let text = over(
        &format!("@plugin vectors_v1;{F2_TYPE}@type field 7;@type ext_field 0 8 0x11b;"),
        "@new(2: $0 ... $20);\n\
         @function(square_less, @out: 2:1, @in: 2:1)\n$2 <- @public(2);\n$3 <- @mul(2: $1, $1);\n\
         $0 <- @add(2: $3, $2);\n@end\n\
         @function(both, @out: 2:2, @in: 2:2)\n@plugin(vectors_v1, mulc, 0x13);\n\
         @function(sums, @out: 2:2, @in: 2:2)\n@plugin(vectors_v1, addc, 255);\n\
         @function(dot, @out: 2:1, @in: 2:2, 2:2)\n@plugin(vectors_v1, dotproduct);\n\
         @function(each, @out: 2:2, @in: 2:2)\n@plugin(iter_v0, map, square_less, 0, 2);\n\
         @function(equal, @in: 2:2, 2:2)\n@plugin(assert_equal_v0, equal);\n\
         @function(linear, @in: 2:2, 2:2, 2:3)\n@plugin(galois_poly_v0, prod_eq);\n\
         $0 ... $1 <- @private(2);\n$2 <- @mulc(2: $0, <0x83>);\n$3 <- @addc(2: $2, <0xc1>);\n\
         @assert_zero(2: $3);\n\
         $4 ... $5 <- @call(both, $0 ... $1);\n$6 <- @addc(2: $4, <0xfe>);\n@assert_zero(2: $6);\n\
         $4 ... $5 <- @call(sums, $4 ... $5);\n$8 <- 2: <1>;\n$9 <- 2: <255>;\n\
         $10 ... $11 <- 2: $9, $8;\n$12 <- @call(dot, $10 ... $11, $4 ... $5);\n@assert_zero(2: $12);\n\
         $14 ... $15 <- @call(each, $0 ... $1);\n$16 ... $17 <- 2: $14, $14;\n\
         @call(equal, $14 ... $15, $16 ... $17);\n@delete(2: $14 ... $17);\n\
         $20 ... $21 <- 2: $8, $0;\n$22 <- 2: <1>;\n$23 <- 2: <0>;\n$24 <- @mul(2: $0, $0);\n\
         @call(linear, $20 ... $21, $20 ... $21, $22 ... $24);",
    );
    // 255·(0xfe + 255) + 0x13·y + 255 is zero for y = 0; and squares are 0x57² and 0.
    let square = F256(0x57) * F256(0x57);
    holds_f256(&text, &[square.0, 0], &[0x57, 0]).unwrap();
    fails(holds_f256(&text, &[square.0, 1], &[0x57, 0]));
    fails(holds_f256(&text, &[square.0, 0], &[0x57, 1]));
    fails(holds_f256(&text, &[square.0, 0], &[0x56, 0]));
}

#[test]
fn other_elements_and_extensions_are_refused() {
    let zero =
        |types: &str, kind: u8| over(types, &format!("$0 <- @private({kind});\n@assert_zero({kind}: $0);"));
    open_text(&zero(BASE, 1)).unwrap();
    open_text(&zero(BASE, 0)).unwrap();
    for gates in ["$0 <- 1: <256>;", "$1 <- 1: <0>;\n$0 <- @addc(1: $1, <0x100>);"] {
        refused(&over(BASE, gates), "256 is not below 256, the number of elements of type 1");
    }
    for types in [
        "@type field 2;@type ext_field 0 8 285;",
        "@type field 2;@type ext_field 0 16 283;",
        "@type field 2;@type ext_field 0 63 9223372036854775811;",
        "@type field 7;@type ext_field 0 8 283;",
        "@type ring 8;@type ext_field 0 8 283;",
    ] {
        let words = types.rsplit("@type ").next().unwrap().trim_end_matches(';');
        let words =
            format!("type 1 ({words}) is used here, and there are fields of primes, and ext_field B 8 283");
        refused(&zero(types, 1), &words);
    }
    refused(&over("@type ext_field 0 8 283;", ""), "type 0 is not declared before what extends it");
}

#[test]
fn bytes_are_alone_and_no_numbers() {
    let head = format!("{BASE}@type field 5;@convert(@out: 1:1, @in: 1:1);@convert(@out: 1:1, @in: 0:8);");
    let first = "$0 ... $9 <- @private(1);\n";
    for (gates, words) in [
        ("$0 <- @private(0);", "type 0 (field 2) is used here beside type 1 (ext_field … 8 283)"),
        ("$0 <- @private(2);", "type 2 (field 5) is used here beside type 1 (ext_field … 8 283)"),
        (
            "1: $0 <- @convert(1: $1);",
            "a conversion is for numbers, wires of the field of a prime, and type 1",
        ),
        ("1: $0 <- @convert(0: $0 ... $7);", "type 0 (field 2) is used here beside type 1"),
    ] {
        refused(&over(&head, &(first.to_owned() + gates)), words);
    }
    refused(
        &over(BASE, "$0 <- @private(0);\n$0 <- @private(1);"),
        "type 1 (ext_field … 8 283) is used here beside type 0 (field 2): statements are over one field",
    );
    let inner = "@function(g, @out: 1:1, @in: 1:1, 1:1)\n$0 <- 1: $1;\n@end\n\
        @function(h, @out: 1:1, @in: 1:1)\n$0 <- 1: $1;\n@end\n";
    for (signature, binding, what) in [
        ("@out: 1:1, @in: 1:1, 1:1, 1:1", "mux_v0, strict", "plugin mux_v0"),
        ("@out: 1:8, @in: 1:1", "extended_arithmetic_v1, bit_decompose", "plugin extended_arithmetic_v1"),
        ("@in: 1:2, 1:2", "permutation_check_v1, assert_perm, 1", "plugin permutation_check_v1"),
        ("@out: 1:2, @in: 1:2", "iter_v0, map_enumerated, g, 0, 2", "the counter of map_enumerated"),
        ("@out: 1:1, @in: 1:1, 1:1", "galois_disjunction_v0, switch, strict, 1, h", "a disjunction"),
        ("@out: 2:1, @in: 1:1", "ram_arith_v0, init, 4", "a memory"),
    ] {
        let types = format!("{BASE}@type @plugin(ram_arith_v0, ram, 1);");
        let text = over(&types, &format!("{inner}@function(f, {signature})\n@plugin({binding});"));
        refused(&text, &format!("{what} is for numbers"));
        refused(&text, "type 1 is ext_field … 8 283 (f256)");
    }
    let constant = "@function(f, @out: 1:1, @in: 1:1)\n@plugin(vectors_v1, addc, 256);";
    refused(&over(BASE, constant), "a constant below 256, the number of elements, stands behind");
}

#[test]
fn streams_are_of_bytes() {
    let text = "version 2.1.0;\nprivate_input;\n@type ext_field 1 8 283;\n@begin\n< 0x53 >;\n<255>;\n@end\n";
    let read = |text: &str| SieveStream::from_bytes("x.wit", text.as_bytes(), StreamKind::Private);
    let stream = read(text).unwrap();
    assert_eq!((stream.count(), stream.field(), stream.encodings()), (2, "f256".into(), &[0x53, 255][..]));
    for (text, words) in [
        (text.replace("255", "256"), "line 6, column 2: the value is not below 256, the number of elements"),
        (
            text.replace("283", "285"),
            "the values are of ext_field 1 8 285, and streams are read of fields of",
        ),
        (text.replace("ext_field 1 8 283", "ring 8"), "the values are of ring 8"),
    ] {
        let why = read(&text).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
}
