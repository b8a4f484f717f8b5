//! Texts that are refused, the places, and the words of the errors.

use super::*;

fn refused(text: &str, words: &str) {
    let why = open_text(text).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains(words), "{words:?} is missing in {why:?}");
}

/// Gates over 2^61 − 1 that are refused. Their first line is line 5.
fn gates_refused(gates: &str, words: &str) {
    refused(&over_f61("@plugin mux_v0;", gates), words);
}

#[test]
fn heads_are_refused() {
    for (text, words) in [
        ("", "line 1, column 1: the file ends where \"version\" should: is it truncated?"),
        ("version2.1.0; circuit;", "\"version2\" stands where \"version\" should"),
        ("version 2.1.0; circuit; @typefield 2;", "\"@typefield\" stands where"),
        ("circuit;", "\"circuit\" stands where \"version\" should"),
        ("version 1.0.0;", "version 1.0.0 is not read: there is version 2"),
        ("version 2.1.0", "there is no ';' at the end"),
        ("version 2.1.0; public_input;", "this is a stream of values, public_input"),
        ("version 2.1.0; translation;", "translations and configurations are not read"),
        ("version 2.1.0; circuit; @type field 1;", "1 is no modulus of a field"),
        (
            "version 2.1.0; circuit; @type feld 2;",
            "\"feld\" stands where field, ext_field, ring or @plugin should",
        ),
        ("version 2.1.0; circuit; @type ext_field 0 2 7;", "type 0 is not declared before what extends it"),
        ("version 2.1.0; circuit; @begin $0 <- <1>;", "there is no type 0: none is declared"),
        (
            "version 2.1.0; circuit; @type field 4294967296; @begin $0 <- @private(0);",
            "type 0 (field 4294967296) is used here, and its modulus is not a prime",
        ),
        (
            "version 2.1.0; circuit; @type field 2; @begin $0 <- @private(3);",
            "there is no type 3: there are 0 (field 2)",
        ),
        (
            "version 2.1.0; circuit; @type field 2; @begin",
            "the file ends where a wire, a directive or @end should",
        ),
        (
            "version 2.1.0; circuit; @type field 2; /* ",
            "line 1, column 40: the comment that begins here has no */",
        ),
        ("version 2.1.0; circuit; @type field 2; / ", "a / that begins no comment"),
        ("version 2.1.0; circuit; @type field 2; \0", "a byte of zero"),
        ("version 2.1.0; circuit; @type field 2; @begin @end", "the statement asserts nothing"),
        ("version 2.1.0; circuit; @convert(@out: 0:1, @in: 0:1);", "there is no type 0"),
    ] {
        refused(text, words);
    }
    let types = format!("version 2.1.0; circuit; {}", "@type field 2;".repeat(257));
    refused(&types, "more than 256 types");
}

#[test]
fn gates_are_refused() {
    for (gates, words) in [
        ("$0 <- @add($1, $2);", "x.rel, line 6, column 12: wire $1 of type 0 is not set here"),
        ("$0 <- @add($1, $2);", "; the line is \"$0 <- @add($1, $2);\""),
        ("$0 <- <2305843009213693951>;", "is not below 2305843009213693951, the modulus of type 0"),
        ("$0 <- <01>;", "a number that begins with zero"),
        ("$00 <- <1>;", "a number that begins with zero"),
        ("$18446744073709551616 <- <1>;", "the number of a wire is 2^64 or more"),
        ("$0 <- @xor($1, $2);", "\"@xor\" stands where @add, @mul,"),
        ("@assert_one($0);", "\"@assert_one\" stands where"),
        ("$0 <- <1>\n$1 <- <1>;", "line 7, column 1: \"$1\" stands where ';' should"),
        ("$3 ... $1 <- @private();", "a range from $3 to $1"),
        ("$0 ... $18446744073709551615 <- @private();", "a range of more than 4194304 wires"),
        ("$0 ... $1 <- @private(); $2 ... $4 <- $0 ... $1;", "2 wires are copied to 3"),
        (
            "$0 ... $4194303 <- @private(); $5000000 ... $9194304 <- $0 ... $4194303, $0;",
            "more than 4194304 wires are copied at once",
        ),
        ("$0 <- <1>; @delete($0); @assert_zero($0);", "wire $0 of type 0 is not set here"),
        ("$0 <- <1>; @delete($0 ... $1);", "wire $1 of type 0 is not set here"),
        ("0: $0 <- @private();", "a type before the wires is for @convert"),
        ("0: $0 <- <1>;", "a type before the wires is for @convert"),
        ("$0 <- <1>; 0: $1 <- $0;", "a type before the wires is for @convert"),
        ("$0 <- <1>; 0: $1 ... $2 <- $0, $0;", "a type before the wires is for @convert"),
        ("0: $0 <- @add($1, $1);", "a type before the wires is for @convert"),
        (
            "$0 <- <1>; 0: $1 <- @convert(0: $0);",
            "a conversion of 1 wires of type 0 to 1 of type 0 is not declared",
        ),
        ("@end x", "text stands behind the @end"),
        ("$0 <- <1>; @assert_zero($0); @end $", "text stands behind the @end"),
        ("#", "\"#\" stands where"),
    ] {
        gates_refused(gates, words);
    }
    let other = "version 2.1.0; circuit; @type field 2; @type field 7; @type ring 8; \
        @type ext_field 0 8 285; @type field 5;\n@begin\n";
    refused(
        &format!("{other}$0 <- @private(2);"),
        "type 2 (ring 8) is used here, and there are fields of primes",
    );
    refused(&format!("{other}$0 <- @private(3);"), "type 3 (ext_field 0 8 285) is used here");
}

#[test]
fn functions_are_refused() {
    let f = "@function(f, @out: 0:1, @in: 0:1, 0:2)\n$0 <- $1;\n@end\n$0 ... $9 <- @private();\n";
    for (gates, words) in [
        ("$5 <- @call(f, $0);", "function f takes 2 lists of wires, and 1 stand here"),
        ("$5 <- @call(f, $0, $1 ... $2, $3);", "function f takes 2 lists of wires, and more stand here"),
        ("$5 <- @call(f, $0, $1);", "list 2 of function f has 2 wires, and 1 stand here"),
        ("$5 ... $6 <- @call(f, $0, $1 ... $2);", "function f gives a list of 1 wires, and 2 stand here"),
        ("$5, $6 <- @call(f, $0, $1 ... $2);", "function f gives 1 lists of wires, and 2 stand here"),
        ("@call(f, $0, $1 ... $2);", "function f gives 1 lists of wires, and 0 stand here"),
        (
            "$5 <- @call(F1, $0);",
            "there is no function F1 above this line, and none can call itself: there are f",
        ),
        ("@function(f, @in: 0:1) @end", "two functions are called f"),
        ("@function(g) @function(g) $0 <- <1>; @end @end", "two functions are called g"),
        ("@function(g, @out: 0:1) @end", "output $0 of type 0 of function g is not set in it"),
        ("@function(g, @in: 0:1) @call(g, $0); @end", "there is no function g above this line"),
        ("@function(g) $9 <- @add($0, $0); @end", "a function sees no wires but its own"),
        (
            "@function(g, @in: 0:1) @delete($0); @assert_zero($0); @end",
            "wire $0 of type 0 was deleted before",
        ),
        ("@function(g, @in: 0:0) @end", "a list of no wires"),
        ("@function(g, @in: 0:99999999999999) @end", "a function of more than"),
        ("@function(g, @in: 4:1) @end", "there is no type 4"),
        ("@function(1g) @end", "where the name of a function should"),
        (
            "@function(g, @in: 0:1) @plugin(magic_v0, spell);",
            "plugin magic_v0, operation spell, is not known: there are mux",
        ),
        ("@function(g, @in: 0:1) @plugin(iter_v0, fold, f, 0, 1);", "plugin iter_v0 has no operation fold"),
    ] {
        gates_refused(&format!("{f}{gates}"), words);
    }
    gates_refused("@function(g)\n", "the file ends where a wire, a directive or @end should");
    let nested: String = (0..70).map(|i| format!("@function(g{i})\n")).collect();
    gates_refused(&nested, "more than 64 functions within each other");
}

/// Texts that are cut off or changed end in a statement or an error, and never otherwise.
#[test]
fn no_text_panics() {
    let text = include_str!("../../../../../vectors/sieve/mux.rel");
    for end in 0..text.len() {
        assert!(open_text(&text[..end]).is_err() || text[end..].trim().is_empty(), "{end}");
    }
    let mut random = 1u64;
    for _ in 0..3000 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..3 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (random >> 33) as usize % bytes.len();
            bytes[at] = b"$0123<>@:,;() .adm"[(random >> 20) as usize % 18];
        }
        let _ = Sieve::from_bytes("x.rel", bytes, false);
    }
}

/// Copies are wires, too, though all of them share one slot.
#[test]
#[ignore = "slow"]
fn copies_without_end_are_refused() {
    let first = "$0 <- <1>;\n$1 ... $4194303 <- ".to_owned() + &"$0, ".repeat(4194302) + "$0;\n";
    let copies = |lines: u64| {
        let line = |i: u64| format!("${} ... ${} <- $0 ... $4194303;\n", i << 22, (i << 22) + 4194303);
        first.clone() + &(1..=lines).map(line).collect::<String>()
    };
    gates_refused(&copies(64), "more than 268435456 wires are live here");
    // Those around a function count, too.
    let nested = format!("{}@function(f)\n{}", copies(31), copies(31));
    gates_refused(&nested, "more than 268435456 wires are live here");
    gates_refused(&(nested.replace("@function(f)", "") + "#"), "\"#\" stands where");
}
