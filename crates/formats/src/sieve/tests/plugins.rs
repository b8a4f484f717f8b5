//! Tests of the plugins' computations.

use super::*;
use volery_primitives::F65537;

/// Holds where the function, bound to a plugin, takes `private` to `public`.
fn computes(signature: &str, binding: &str, private: u64, public: u64) -> String {
    over_f61("", &calls(signature, binding, private, public))
}

fn calls(signature: &str, binding: &str, private: u64, public: u64) -> String {
    let (outs, ins) = signature.split_once("->").unwrap();
    let lists = |text: &str, mut next: u64| {
        let range = |list: &str| {
            let count: u64 = list.trim().parse().unwrap();
            next += count;
            format!("${} ... ${}", next - count, next - 1)
        };
        text.split(',').map(range).collect::<Vec<_>>()
    };
    let counts =
        |text: &str| text.split(',').map(|n| format!("0:{}", n.trim())).collect::<Vec<_>>().join(", ");
    let mut gates = String::new();
    if outs.trim().is_empty() {
        gates += &format!("@function(f, @in: {})\n@plugin({binding});\n", counts(ins));
    } else {
        gates +=
            &format!("@function(f, @out: {}, @in: {})\n@plugin({binding});\n", counts(outs), counts(ins));
    }
    gates += &format!("$0 ... ${} <- @private();\n", private - 1);
    let arguments = lists(ins, 0).join(", ");
    if outs.trim().is_empty() {
        return gates + &format!("@call(f, {arguments});");
    }
    gates += &format!("$2000 ... ${} <- @public();\n", 1999 + public);
    gates += &format!("{} <- @call(f, {arguments});\n", lists(outs, 1000).join(", "));
    for i in 0..public {
        gates += &format!(
            "${0} <- @mulc(${0}, <2305843009213693950>);\n$5000 <- @add(${0}, ${1});\n@assert_zero($5000);\n",
            2000 + i,
            1000 + i
        );
    }
    gates
}

/// The text over F_2 and other fields.
fn over(modulus: u64, gates: &str) -> String {
    let gates = gates.replace("2305843009213693950", &(modulus - 1).to_string());
    format!("version 2.1.0;circuit;@type field {modulus};@begin\n{gates}\n@end\n")
}

fn holds_f65537(text: &str, public: &[u32], private: &[u32]) -> Result<()> {
    let encoded =
        |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()[..3].to_vec()).collect::<Vec<_>>();
    holds_over::<F65537>(text, &[("public", encoded(public)), ("private", encoded(private))])
}

#[test]
fn mux_chooses_over_a_prime() {
    for (mode, strict) in [("permissive", false), ("strict", true)] {
        let text = computes("2 -> 1, 2, 2, 2", &format!("mux_v0, {mode}"), 7, 2);
        for (selector, expected) in [(0, [10, 11]), (1, [12, 13]), (2, [14, 15])] {
            let private = [selector, 10, 11, 12, 13, 14, 15];
            holds_f61(&text, &expected, &private).unwrap();
            fails(holds_f61(&text, &[expected[0] + 1, expected[1]], &private));
        }
        for beyond in [3, (1 << 61) - 2] {
            let private = [beyond, 10, 11, 12, 13, 14, 15];
            assert_eq!(holds_f61(&text, &[0, 0], &private).is_err(), strict);
        }
        let decode = computes("4 -> 1", &format!("mux_v1, decode, {mode}"), 1, 4);
        holds_f61(&decode, &[0, 0, 1, 0], &[2]).unwrap();
        fails(holds_f61(&decode, &[0, 1, 0, 0], &[2]));
        assert_eq!(holds_f61(&decode, &[0; 4], &[4]).is_err(), strict);
    }
}

#[test]
fn mux_chooses_over_bits() {
    for choices in 1..=9usize {
        for width in 1..=4usize {
            for (mode, strict) in [("permissive", false), ("strict", true)] {
                let lists = vec!["2"; choices].join(", ");
                let all = (width + 2 * choices) as u64;
                let text =
                    over(2, &calls(&format!("2 -> {width}, {lists}"), &format!("mux_v0, {mode}"), all, 2));
                let decode = calls(
                    &format!("{choices} -> {width}"),
                    &format!("mux_v0, decode, {mode}"),
                    width as u64,
                    choices as u64,
                );
                let decode = over(2, &decode);
                for selector in 0..1usize << width {
                    let bits = (0..width).rev().map(|bit| (selector >> bit & 1) as u8).collect::<Vec<_>>();
                    let choice = |i: usize| [u8::from(i.is_multiple_of(3)), u8::from(i % 2 == 1)];
                    let private = [bits.clone(), (0..choices).flat_map(choice).collect()].concat();
                    let expected = if selector < choices { choice(selector) } else { [0, 0] };
                    let refused = strict && selector >= choices;
                    let case = (choices, width, selector, mode);
                    assert_eq!(holds_f2(&text, &expected, &private).is_err(), refused, "{case:?}");
                    let other = [expected[0] ^ 1, expected[1]];
                    assert!(holds_f2(&text, &other, &private).is_err(), "{case:?}");
                    let mut chosen = vec![0; choices];
                    chosen.iter_mut().skip(selector).take(1).for_each(|is| *is = 1);
                    assert_eq!(holds_f2(&decode, &chosen, &bits).is_err(), refused, "decode {case:?}");
                }
            }
        }
    }
}

#[test]
fn vectors_compute() {
    for (signature, operation, private, public) in [
        ("2 -> 2, 2", "add", vec![1, 2, 3, 4], vec![4, 6]),
        ("2 -> 2, 2", "mul", vec![1, 2, 3, 4], vec![3, 8]),
        ("2 -> 2", "addc, 7", vec![1, 2], vec![8, 9]),
        ("2 -> 2", "mulc, 7", vec![1, 2], vec![7, 14]),
        ("2 -> 2, 1", "add_scalar", vec![1, 2, 3], vec![4, 5]),
        ("2 -> 2, 1", "mul_scalar", vec![1, 2, 3], vec![3, 6]),
        ("1 -> 3", "sum", vec![1, 2, 4], vec![7]),
        ("1 -> 3", "product", vec![3, 2, 4], vec![24]),
        ("1 -> 3, 3", "dotproduct", vec![1, 2, 3, 4, 5, 6], vec![32]),
        ("1 -> 1, 1", "dotproduct", vec![5, 6], vec![30]),
    ] {
        let computed = |plugin: &str| {
            let binding = format!("{plugin}, {operation}");
            computes(signature, &binding, private.len() as u64, public.len() as u64)
        };
        let text = computed("vectors_v1");
        holds_f61(&text, &public, &private).unwrap();
        holds_f61(&computed("wizkit_vectors"), &public, &private).unwrap();
        let mut wrong = public.clone();
        wrong[0] += 1;
        fails(holds_f61(&text, &wrong, &private));
    }
    let equal = computes(" -> 2, 2", "assert_equal_v0, assert_equal", 4, 0);
    holds_f61(&equal, &[], &[1, 2, 1, 2]).unwrap();
    fails(holds_f61(&equal, &[], &[1, 2, 1, 3]));
}

#[test]
fn numbers_are_compared() {
    let values = [0, 1, 2, 1 << 60, (1 << 61) - 2];
    for (operation, holds) in
        [("less_than", (|a, b| a < b) as fn(u64, u64) -> bool), ("less_than_equal", |a, b| a <= b)]
    {
        let text = computes("1 -> 1, 1", &format!("extended_arithmetic_v1, {operation}"), 2, 1);
        for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
            let is = u64::from(holds(a, b));
            holds_f61(&text, &[is], &[a, b]).unwrap();
            fails(holds_f61(&text, &[1 - is], &[a, b]));
        }
    }
    let bits = computes("61 -> 1", "extended_arithmetic_v1, bit_decompose", 1, 61);
    let of = |x: u64| (0..61).rev().map(|bit| x >> bit & 1).collect::<Vec<_>>();
    values.iter().for_each(|&x| holds_f61(&bits, &of(x), &[x]).unwrap());
    // A modulus that is not all ones.
    let bits = over(65537, &calls("17 -> 1", "extended_arithmetic_v1, bit_decompose", 1, 17));
    for x in [0, 1, 65535, 65536] {
        let expected = (0..17).rev().map(|bit| x >> bit & 1).collect::<Vec<_>>();
        holds_f65537(&bits, &expected, &[x]).unwrap();
        assert!(holds_f65537(&bits, &expected, &[x ^ 1]).is_err());
    }
}

#[test]
fn numbers_are_divided() {
    let most = (1u64 << 61) - 2;
    let text = computes("1, 1 -> 1, 1", "extended_arithmetic_v1, division", 2, 2);
    for (a, b) in [(0, 1), (7, 2), (most, 1), (most, most), (most, 2), (most - 1, most), (1 << 60, 1 << 30)]
        .into_iter()
        .chain([(most, 3), (most / 3, 1_000_003), ((1 << 31) + 5, 1 << 31), (1, most)])
    {
        holds_f61(&text, &[a / b, a % b], &[a, b]).unwrap();
        fails(holds_f61(&text, &[a / b, (a % b) ^ 1], &[a, b]));
    }
    fails(holds_f61(&text, &[0, 0], &[0, 0]));
    fails(holds_f61(&text, &[0, 5], &[5, 0]));
    let text = over(65537, &calls("1, 1 -> 1, 1", "extended_arithmetic_v1, division", 2, 2));
    for (a, b) in [(65536, 1), (65536, 65536), (65535, 256), (12345, 67), (65536, 3)] {
        holds_f65537(&text, &[a / b, a % b], &[a, b]).unwrap();
    }
    fails(holds_f65537(&text, &[0, 0], &[65536, 0]));
}

#[test]
fn loops_call_a_function_for_each_element() {
    let map = |binding: &str, body: &str, signature: &str| {
        over_f61(
            "@plugin iter_v0;",
            &format!(
                "@function(foo, {body}\n@end\n@function(all, {signature})\n@plugin({binding});\n\
                 $0 <- @private();\n$1 ... $6 <- @private();\n$10 ... $12 <- @call(all, $0, $1 ... $6);\n\
                 $20 ... $22 <- @public();\n\
                 @function(equal, @in: 0:3, 0:3)\n@plugin(assert_equal_v1, assert_equal);\n\
                 @call(equal, $10 ... $12, $20 ... $22);"
            ),
        )
    };
    let body = "@out: 0:1, @in: 0:1, 0:2)\n$4 <- @mul($1, $2);\n$0 <- @add($4, $3);";
    let text = map("iter_v0, map, foo, 1, 3", body, "@out: 0:3, @in: 0:1, 0:6");
    holds_f61(&text, &[32, 54, 76], &[10, 3, 2, 5, 4, 7, 6]).unwrap();
    fails(holds_f61(&text, &[32, 54, 77], &[10, 3, 2, 5, 4, 7, 6]));
    let body = "@out: 0:1, @in: 0:1, 0:2, 0:2)\n$6 <- @mul($1, $4);\n$6 <- @add($6, $5);\n$6 <- @add($6, $2);\n\
        $0 <- @add($6, $3);";
    let text = map("iter_v0, map_enumerated, foo, 1, 3", body, "@out: 0:3, @in: 0:1, 0:6");
    holds_f61(&text, &[32, 55, 78], &[10, 3, 2, 5, 4, 7, 6]).unwrap();
    let why = map("iter_v0, map, foo, 2, 3", "@in: 0:1)", "@in: 0:1");
    assert!(open_text(&why).unwrap_err().to_string().contains("fewer lists than are its environment"));
    let why =
        map("iter_v0, map, foo, 1, 4", "@out: 0:1, @in: 0:1, 0:2)\n$0 <- $1;", "@out: 0:3, @in: 0:1, 0:6");
    assert!(open_text(&why).unwrap_err().to_string().contains("all others 4 times as long"));
}

/// Loops of more turns than a function keeps, and of more than anybody executes.
#[test]
fn long_loops_are_executed_part_by_part() {
    let text = |times: u64| {
        over_f61(
            "",
            &format!(
                "@function(one, @in: 0:1)\n$1 <- @private();\n$2 <- @public();\n$1 <- @add($1, $2);\n\
                 $1 <- @add($1, $0);\n@assert_zero($1);\n@end\n\
                 @function(all)\n@plugin(iter_v0, map_enumerated, one, 0, {times});\n@call(all);"
            ),
        )
    };
    let turns = 150_000;
    let mut private: Vec<u64> = (0..turns).map(|i| (1 << 61) - 1 - (2 * i + 1)).collect();
    let public: Vec<u64> = (0..turns).map(|i| i + 1).collect();
    holds_f61(&text(turns), &public, &private).unwrap();
    private[turns as usize - 1] += 1;
    fails(holds_f61(&text(turns), &public, &private));
    let why = open_text(&text(1 << 60)).unwrap_err().to_string();
    assert!(why.contains("this never ends"), "{why}");
    assert_eq!(open_text(&text(1 << 40)).unwrap().streams()[0].count, 1 << 40);
}

#[test]
fn plugins_say_what_they_take() {
    for (signature, binding, words) in [
        ("1 -> 1, 1", "mux_v0, lenient", "write strict or permissive"),
        ("2 -> 1, 1", "mux_v0, strict", "each as long as the outputs"),
        ("1 -> 2, 1", "mux_v0, strict", "is one wire"),
        ("1 -> 2, 1", "vectors_v0, dotproduct", "two lists of one length, and gives one wire"),
        ("1 -> 2", "vectors_v0, addc", "a constant below 2305843009213693951, the modulus,"),
        ("1 -> 1", "vectors_v0, cross", "plugin vectors_v0, operation cross, is not known"),
        ("60 -> 1", "extended_arithmetic_v1, bit_decompose", "it takes one wire, and gives 61"),
    ] {
        let why = open_text(&computes(signature, binding, 9, 1)).unwrap_err().to_string();
        let words =
            words.replace("plugin vectors_v0, operation cross, is not known", "has no operation cross");
        assert!(why.contains(&words), "{words:?} is missing in {why:?}");
    }
}

/// The gates of a binding of one line are counted before they are made.
#[test]
fn choices_of_too_many_gates_are_refused() {
    for (modulus, signature, binding) in [
        (2, "@out: 0:500000, @in: 0:1000000, 0:500000", "permissive"),
        (2, "@out: 0:1000000, @in: 0:20, 0:1000000", "strict"),
        (2, "@out: 0:2000000, @in: 0:2", "decode, permissive"),
        ((1 << 61) - 1, "@out: 0:2000000, @in: 0:1", "decode, permissive"),
    ] {
        let gates = format!("@function(f, {signature})\n@plugin(mux_v0, {binding});");
        let why = open_text(&over(modulus, &gates)).unwrap_err().to_string();
        assert!(why.contains("a choice of more than 16777216 gates"), "{why}");
    }
}

/// A function that gives its argument back gives a value of its own, whose wires are held apart.
#[test]
fn lists_of_one_wire_have_a_sum_of_their_own() {
    for operation in ["sum", "product"] {
        let gates = format!(
            "@function(s, @out: 0:1, @in: 0:1)\n@plugin(vectors_v1, {operation});\n\
             @function(each, @out: 0:2, @in: 0:2)\n@plugin(iter_v0, map, s, 0, 2);\n\
             @function(one, @out: 0:1, @in: 0:1, 0:1)\n$0 <- @call(s, $2);\n@end\n\
             @function(first, @out: 0:2, @in: 0:2)\n@plugin(iter_v0, map_enumerated, one, 0, 2);\n\
             $0 <- @private(0);\n$0 <- @private(1);\n$1 <- @call(s, $0);\n@delete(0: $0);\n\
             @assert_zero(0: $1);\n@assert_zero(1: $0);\n$0 ... $1 <- @private(0);\n\
             $2 ... $3 <- @call(each, $0 ... $1);\n@delete($0 ... $1);\n\
             $4 ... $5 <- @call(first, $2 ... $3);\n@delete($2 ... $3);\n\
             $6 <- @add($4, $5);\n@assert_zero($6);"
        );
        let text = over_f61(F61_TYPE, &gates);
        let check = |first: [u64; 3], second: u64| {
            let encoded = first.iter().flat_map(|n| n.to_le_bytes()).collect();
            let values = [("private0", encoded), ("private1", second.to_le_bytes().into())];
            holds_over::<F61>(&text, &values)
        };
        check([0, 0, 0], 0).unwrap();
        check([0, 1, (1 << 61) - 2], 0).unwrap();
        fails(check([1, 0, 0], 0));
        fails(check([0, 0, 0], 1));
        fails(check([0, 1, 0], 0));
    }
}
