//! Functions of which a number chooses one.

use super::*;
use volery_primitives::F65537;

/// Clauses with everything that one may have: the first wants its private value to be the product of its
/// arguments, by a function within a loop; the second that they are a permutation of two private values, and
/// that the first of them is below 2 by a strict mux; the third adds.
const CLAUSES: &str = "\
    @function(zero, @in: 0:1)\n@assert_zero(0: $0);\n@end\n\
    @function(minus, @out: 0:1, @in: 0:1, 0:1)\n$3 <- @mulc(0: $2, <MINUS>);\n$0 <- @add(0: $1, $3);\n@end\n\
    @function(own, @in: 0:1)\n$1 <- @private(0);\n$2 <- @call(minus, $0, $1);\n@call(zero, $2);\n@end\n\
    @function(each, @in: 0:2)\n@plugin(iter_v0, map, own, 0, 2);\n\
    @function(times, @out: 0:1, @in: 0:2)\n$3 <- @mul($1, $2);\n$4 <- @private();\n\
      $5 <- @call(minus, $3, $4);\n@call(zero, $5);\n@delete($5);\n@call(each, $1 ... $2);\n$0 <- $3;\n@end\n\
    @function(permuted, @in: 0:2, 0:2)\n@plugin(permutation_check_v1, assert_perm, 1);\n\
    @function(choose, @out: 0:1, @in: 0:1, 0:1, 0:1)\n@plugin(mux_v0, strict);\n\
    @function(other, @out: 0:1, @in: 0:2)\n$3 ... $4 <- @private();\n@call(permuted, $1 ... $2, $3 ... $4);\n\
      $0 <- @call(choose, $3, $1, $2);\n@end\n\
    @function(sum, @out: 0:1, @in: 0:2)\n$0 <- @add($1, $2);\n@end\n";

/// A choice among them over a field, by the guards 4, 9 and 1, whose result is public.
fn over(modulus: u64, mode: &str) -> String {
    format!(
        "version 2.1.0;circuit;@plugin galois_disjunction_v0;@type field {modulus};@begin\n{CLAUSES}\
         @function(one, @out: 0:1, @in: 0:1, 0:2)\n\
         @plugin(galois_disjunction_v0, switch, {mode}, 4, times, 9, other, 1, sum);\n\
         $0 ... $2 <- @private();\n$3 <- @call(one, $0, $1 ... $2);\n$4 <- @public();\n\
         $5 <- @call(minus, $3, $4);\n@assert_zero($5);\n@end\n"
    )
    .replace("MINUS", &(modulus - 1).to_string())
}

/// Holds over both fields, or fails over both.
fn agree(mode: &str, public: u64, private: &[u64]) -> Result<()> {
    let encoded =
        |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()[..3].to_vec()).collect::<Vec<_>>();
    let small = holds_over::<F65537>(
        &over(65537, mode),
        &[("public", encoded(&[public])), ("private", encoded(private))],
    );
    let large = holds_f61(&over((1 << 61) - 1, mode), &[public], private);
    assert_eq!(small.is_ok(), large.is_ok(), "{small:?}, {large:?}");
    large
}

#[test]
fn the_chosen_clause_holds() {
    for mode in ["strict", "permissive"] {
        agree(mode, 15, &[4, 3, 5, 15, 3, 5]).unwrap();
        agree(mode, 1, &[9, 0, 1, 1, 0, 77]).unwrap();
        agree(mode, 0, &[9, 0, 1, 0, 1, 77]).unwrap();
        // Of what others assert nothing holds.
        agree(mode, 8, &[1, 3, 5, 70, 80, 90]).unwrap();
    }
    let text = over((1 << 61) - 1, "strict");
    assert_eq!(open_text(&text).unwrap().streams()[1].count, 6);
}

#[test]
fn wrong_clauses_fail() {
    for mode in ["strict", "permissive"] {
        // Another result, and another number.
        fails(agree(mode, 16, &[4, 3, 5, 15, 3, 5]));
        fails(agree(mode, 15, &[1, 3, 5, 15, 3, 5]));
        fails(agree(mode, 15, &[9, 3, 5, 15, 3, 5]));
        // What the clause asserts: by a call, by a loop in each turn, by lists, by a plugin.
        let name = fails(agree(mode, 15, &[4, 3, 5, 14, 3, 5]));
        assert!(name.contains("in function zero called in line"), "{name}");
        fails(agree(mode, 15, &[4, 3, 5, 15, 4, 5]));
        fails(agree(mode, 15, &[4, 3, 5, 15, 3, 6]));
        fails(agree(mode, 1, &[9, 0, 1, 1, 1, 0]));
        fails(agree(mode, 2, &[9, 2, 1, 1, 2, 0]));
        assert!(agree(mode, 5, &[9, 2, 5, 2, 5, 0]).is_err(), "2 chooses none of two");
    }
    // No number of a clause.
    fails(agree("strict", 8, &[2, 3, 5, 0, 0, 0]));
    agree("permissive", 8, &[2, 3, 5, 0, 0, 0]).unwrap();
    fails(agree("permissive", 9, &[2, 3, 5, 0, 0, 0]));
}

#[test]
fn clauses_are_chosen_by_bits() {
    let text = |mode: &str, private: &str| {
        format!(
            "version 2.1.0;circuit;{F2_TYPE}@begin\n\
             @function(both, @out: 0:1, @in: 0:2)\n$0 <- @mul($1, $2);\n@end\n\
             @function(odd, @out: 0:1, @in: 0:2)\n$3 <- @private();\n$4 <- @add($3, $1);\n@assert_zero($4);\n\
               $0 <- @add($1, $2);\n@end\n\
             @function(one, @out: 0:1, @in: 0:3, 0:2)\n\
             @plugin(disjunction_v0, switch, {mode}, 6, both, 1, odd{private});\n\
             $0 ... $4 <- @private();\n$5 <- @call(one, $0 ... $2, $3 ... $4);\n$6 <- @public();\n\
             $7 <- @add($5, $6);\n@assert_zero($7);\n@end\n"
        )
    };
    let strict = text("strict", "");
    holds_f2(&strict, &[1], &[1, 1, 0, 1, 1, 0]).unwrap();
    holds_f2(&strict, &[1], &[0, 0, 1, 1, 0, 1]).unwrap();
    fails(holds_f2(&strict, &[1], &[0, 0, 1, 1, 0, 0]));
    fails(holds_f2(&strict, &[0], &[1, 1, 0, 1, 1, 0]));
    for number in [[0, 0, 0], [0, 1, 1], [1, 1, 1], [1, 0, 0]] {
        let private = [&number[..], &[1, 0, 1]].concat();
        fails(holds_f2(&strict, &[1], &private));
        holds_f2(&text("permissive", ""), &[1], &private).unwrap();
    }
    // As an emitter writes it, with more values than any clause takes.
    let padded = text("permissive", ",\n      @private(0:3)\n    ");
    holds_f2(&padded, &[1], &[1, 1, 0, 1, 1, 0, 1, 1]).unwrap();
    assert_eq!(open_text(&padded).unwrap().streams()[1].count, 8);
    let none =
        text("strict", "").replace("$3 <- @private();", "$3 <- $1;").replace("odd)", "odd, @private: 0:0)");
    holds_f2(&none, &[1], &[1, 1, 0, 1, 1]).unwrap();
}

#[test]
fn choices_are_refused() {
    let gates = |plugin: &str| {
        format!(
            "{}@function(far, @out: 0:1, @in: 0:2)\n$0 <- @public();\n@end\n\
             @function(one, @out: 0:1, @in: 0:1, 0:2)\n@plugin({plugin});\n@end\n",
            CLAUSES.replace("MINUS", "1")
        )
    };
    for (plugin, words) in [
        ("disjunction_v0, switch, 1, sum", "write strict or permissive behind it"),
        ("disjunction_v0, switch, lenient, 1, sum", "write strict or permissive behind it"),
        ("disjunction_v0, fold, strict, 1, sum", "has no operation fold"),
        ("disjunction_v0, switch, strict", "there are no clauses"),
        ("disjunction_v0, switch, strict, 1", "clauses are pairs of a guard and the name"),
        ("disjunction_v0, switch, strict, sum, 1", "clauses are pairs of a guard and the name"),
        ("disjunction_v0, switch, strict, 1, sun", "there is no function sun"),
        ("disjunction_v0, switch, strict, 1, minus", "function minus is to have its lists"),
        ("disjunction_v0, switch, strict, 1, sum, 1, times", "two clauses have the guard 1"),
        (
            "disjunction_v0, switch, strict, 2305843009213693951, sum",
            "no wires to choose by are 2305843009213693951",
        ),
        ("disjunction_v0, switch, strict, 1, far", "function far cannot be a clause: it reads public values"),
        (
            "disjunction_v0, switch, strict, 1, times, @private: 0:2",
            "takes 3 private values, and 2 are declared",
        ),
        ("disjunction_v0, switch, strict, 1, sum, @public: 0:2", "only disjunctions do, private ones"),
        ("mux_v0, strict, @private: 0:2", "only disjunctions do, private ones"),
    ] {
        let why = open_text(&over_f61("", &gates(plugin))).map(|_| ()).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
}

#[test]
fn polynomials_are_multiplied_and_shifted() {
    let text = |operation: &str, lengths: [u64; 3]| {
        let [a, b, c] = lengths;
        over_f61(
            "",
            &format!(
                "@function(f, @in: 0:{a}, 0:{b}, 0:{c})\n@plugin(galois_poly_v0, {operation});\n\
                 $0 ... ${} <- @private();\n@call(f, $0 ... ${}, ${a} ... ${}, ${} ... ${});",
                a + b + c - 1,
                a - 1,
                a + b - 1,
                a + b,
                a + b + c - 1
            ),
        )
    };
    // (2x² + 3x + 4)(5x + 6), 7·(5x + 6), and of coefficients that vanish.
    holds_f61(&text("prod_eq", [3, 2, 4]), &[], &[2, 3, 4, 5, 6, 10, 27, 38, 24]).unwrap();
    holds_f61(&text("prod_eq", [1, 2, 2]), &[], &[7, 5, 6, 35, 42]).unwrap();
    holds_f61(&text("prod_eq", [2, 2, 3]), &[], &[0, 3, 0, 6, 0, 0, 18]).unwrap();
    for wrong in 0..9 {
        let mut values = [2, 3, 4, 5, 6, 10, 27, 38, 24];
        values[wrong] += 1;
        let name = fails(holds_f61(&text("prod_eq", [3, 2, 4]), &[], &values));
        assert!(name.contains("in function f called in line"), "{name}");
    }
    // x³ + 2x + 5 at x - 2 is x³ - 6x² + 14x - 7.
    let minus = |number: u64| (1 << 61) - 1 - number;
    let shifted = [1, 0, 2, 5, 2, 1, minus(6), 14, minus(7)];
    holds_f61(&text("shift_eq", [4, 1, 4]), &[], &shifted).unwrap();
    holds_f61(&text("shift_eq", [1, 1, 1]), &[], &[9, 5, 9]).unwrap();
    for wrong in 0..9 {
        let mut values = shifted;
        values[wrong] += 1;
        fails(holds_f61(&text("shift_eq", [4, 1, 4]), &[], &values));
    }
    for (operation, lengths, words) in [
        ("prod_eq", [3, 2, 3], "the third one more than the first"),
        ("prod_eq", [3, 3, 5], "the second polynomial has two coefficients"),
        ("shift_eq", [3, 2, 3], "the value is one wire"),
        ("shift_eq", [3, 1, 4], "both polynomials have as many"),
        ("sum_eq", [1, 1, 1], "has no operation sum_eq"),
    ] {
        let why = open_text(&text(operation, lengths)).map(|_| ()).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
}

/// The values that clauses take together are bounded, also where each takes few rows.
#[test]
fn clauses_that_take_too_many_values_are_refused() {
    let open = |count: u64| {
        let clauses: String = (1..=count).map(|guard| format!(", {guard}, f")).collect();
        let gates = format!(
            "@function(f, @in: 0:1)\n$1 ... $1000000 <- @private();\n@assert_zero($0);\n@end\n\
             @function(one, @in: 0:1, 0:1)\n@plugin(disjunction_v0, switch, strict{clauses});\n\
             $0 ... $1 <- @private();\n@call(one, $0, $1);"
        );
        open_text(&over_f61("@plugin disjunction_v0;", &gates)).map(drop)
    };
    open(3).unwrap();
    let why = open(400).unwrap_err().to_string();
    assert!(why.contains("a choice of more than 16777216 gates"), "{why}");
}
