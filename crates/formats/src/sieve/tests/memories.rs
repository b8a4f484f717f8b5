//! Memories, and permutations.

use super::*;

const RAM: &str = "@plugin ram_arith_v0;\n@plugin ram_bool_v1;\n";

/// A relation over 2^61 − 1, with a memory of eight cells.
pub(super) fn with_ram(gates: &str) -> String {
    let head = format!("{RAM}{F61_TYPE}\n@type @plugin(ram_arith_v0, ram, 0, 20, 2000, 2000);");
    let functions = "@function(init, @out: 1:1, @in: 0:1)\n@plugin(ram_arith_v0, init, 8);\n\
        @function(read, @out: 0:1, @in: 1:1, 0:1)\n@plugin(ram_arith_v0, read);\n\
        @function(write, @in: 1:1, 0:1, 0:1)\n@plugin(ram_arith_v0, write);\n\
        @function(same, @in: 0:1, 0:1)\n@plugin(assert_equal_v0, assert_equal);\n";
    format!("version 2.2.0;circuit;{head}@begin\n{functions}{gates}\n@end\n")
}

#[test]
fn memories_keep_what_is_written() {
    let text = with_ram(
        "@function(swap, @in: 1:1, 0:1, 0:1)\n$2 <- @call(read, $0, $0);\n$3 <- @call(read, $0, $1);\n\
         @call(write, $0, $0, $3);\n@call(write, $0, $1, $2);\n@end\n\
         $0 <- <7>;\n$1 <- @call(init, $0);\n$2 ... $4 <- @private();\n\
         @call(write, $1, $2, $4);\n@call(swap, $1, $2, $3);\n$5 <- @call(read, $1, $2);\n\
         $6 <- @call(read, $1, $3);\n@delete(1: $1);\n$7 ... $8 <- @public();\n@call(same, $5, $7);\n\
         @call(same, $6, $8);",
    );
    holds_f61(&text, &[7, 99], &[2, 5, 99]).unwrap();
    holds_f61(&text, &[99, 99], &[3, 3, 99]).unwrap();
    fails(holds_f61(&text, &[7, 98], &[2, 5, 99]));
    // There are eight cells.
    fails(holds_f61(&text, &[7, 99], &[2, 8, 99]));
}

/// Functions that are given a memory, and do nothing with it.
#[test]
fn memories_are_given_to_functions_that_leave_them() {
    let text = with_ram(
        "@function(f, @in: 1:1, 0:1)\n@assert_zero(0: $0);\n@end\n\
         @function(each, @in: 1:1, 0:2)\n@plugin(iter_v0, map, f, 1, 2);\n\
         $0 <- @private();\n$1 <- @call(init, $0);\n@call(f, $1, $0);\n$2 ... $3 <- @private();\n\
         @call(each, $1, $2 ... $3);\n$4 <- <3>;\n$5 <- @call(read, $1, $4);\n@assert_zero($5);",
    );
    holds_f61(&text, &[], &[0, 0, 0]).unwrap();
    fails(holds_f61(&text, &[], &[1, 0, 0]));
    fails(holds_f61(&text, &[], &[0, 0, 1]));
}

#[test]
fn memories_of_bits_have_addresses_of_bits() {
    let text = "version 2.1.0;circuit;@plugin ram_bool_v1;@type field 2;@type @plugin(ram_bool_v1, ram, 0, 4, 2);\n\
        @begin\n@function(init, @out: 1:1, @in: 0:2)\n@plugin(ram_bool_v1, init, 5);\n\
        @function(read, @out: 0:2, @in: 1:1, 0:4)\n@plugin(ram_bool_v1, read);\n\
        @function(write, @in: 1:1, 0:4, 0:2)\n@plugin(ram_bool_v1, write);\n\
        $0 ... $13 <- @private();\n$0 <- @call(init, $0 ... $1);\n@call(write, $0, $2 ... $5, $6 ... $7);\n\
        $20 ... $21 <- @call(read, $0, $8 ... $11);\n$22 ... $23 <- @public();\n$24 <- @add($20, $22);\n\
        $25 <- @add($21, $23);\n@assert_zero($24);\n@assert_zero($25);\n@end\n";
    let private = |at: [u8; 4], from: [u8; 4]| [&[1, 0][..], &at, &[0, 1], &from, &[0, 0]].concat();
    holds_f2(text, &[0, 1], &private([0, 1, 0, 0], [0, 1, 0, 0])).unwrap();
    holds_f2(text, &[1, 0], &private([0, 1, 0, 0], [0, 0, 1, 1])).unwrap();
    fails(holds_f2(text, &[0, 1], &private([0, 1, 0, 0], [0, 0, 1, 1])));
    // Five cells: neither the sixth, nor the ninth.
    fails(holds_f2(text, &[1, 0], &private([0, 1, 0, 0], [0, 1, 0, 1])));
    fails(holds_f2(text, &[1, 0], &private([1, 0, 0, 0], [0, 1, 0, 0])));
}

#[test]
fn permutations_are_checked() {
    let text = over_f61(
        "@plugin permutation_check_v1;",
        "@function(perm, @in: 0:6, 0:6)\n@plugin(permutation_check_v1, assert_perm, 2);\n\
         $0 ... $11 <- @private();\n@call(perm, $0 ... $5, $6 ... $11);",
    );
    holds_f61(&text, &[], &[1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 1, 2]).unwrap();
    fails(holds_f61(&text, &[], &[1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 2, 1]));
    let why = open_text(&text.replace("assert_perm, 2", "assert_perm, 4")).unwrap_err().to_string();
    assert!(why.contains("words of 4 wires"), "{why}");
}

#[test]
fn memories_are_refused_where_they_make_no_sense() {
    for (gates, words) in [
        ("$0 <- <1>;\n$1 <- @call(init, $0);\n$2 <- 1: $1;", "type 1 is a plugin's"),
        ("$0 <- <1>;\n$1 <- @call(init, $0);\n@assert_zero(1: $1);", "type 1 is a plugin's"),
        ("@function(g, @out: 1:1, @in: 0:2)\n@plugin(ram_arith_v0, init, 8);", "write init with a number"),
        (
            "@function(g, @out: 1:1, @in: 0:1)\n@plugin(ram_arith_v0, init, 0);",
            "a memory has one cell at least",
        ),
        ("@function(g, @out: 0:1, @in: 0:1, 0:1)\n@plugin(ram_arith_v0, read);", "write init with a number"),
        (
            "@function(g, @in: 1:1)\n@delete(1: $0);\n@end",
            "was given to the function: delete it where it was made",
        ),
        ("@function(g, @in: 0:1)\n@plugin(ram_arith_v0, clear);", "write init with a number"),
    ] {
        let why = open_text(&with_ram(gates)).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
}

/// A memory is as large as all its words, and its gates are counted by them.
#[test]
fn memories_are_bounded_by_their_words() {
    let text = |word: u64, cells: u64| {
        format!(
            "version 2.1.0;circuit;@plugin ram_bool_v0;@type field 2;\n\
             @type @plugin(ram_bool_v0, ram, 0, 26, {word});\n@begin\n\
             @function(init, @out: 1:1, @in: 0:{word})\n@plugin(ram_bool_v0, init, {cells});\n\
             $0 ... ${} <- @private();\n$0 <- @call(init, $0 ... ${0});\n@assert_zero($0);\n@end\n",
            word - 1
        )
    };
    for (word, cells) in [(65536, 67_108_864), (65536, 257), (1, (1 << 24) + 1)] {
        let why = open_text(&text(word, cells)).unwrap_err().to_string();
        assert!(why.contains("its cells have 16777216 wires at most"), "{why}");
    }
    assert!(open_text(&text(2, 1000)).unwrap().gates() > 2000);
    open_text(&text(65536, 256)).unwrap();
}
