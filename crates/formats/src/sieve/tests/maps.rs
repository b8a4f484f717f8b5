//! Calls that are maps: of loops, and in a row.

use super::*;
use core::fmt::Display;
use volery_circuit::stream::{Executor, GatesAlone, Map};
use volery_circuit::{Backend, Count};
use zeroize::Zeroizing;

/// A party that notes how many lanes each map has. Its wires carry nothing.
#[derive(Default)]
struct Lanes(Vec<usize>);

impl Backend for Lanes {
    type F = F2;
    type Wire = F2;

    fn constant(&mut self, _: F2) -> F2 {
        F2::ZERO
    }
    fn add(&mut self, _: F2, _: F2) -> F2 {
        F2::ZERO
    }
    fn scale(&mut self, _: F2, _: F2) -> F2 {
        F2::ZERO
    }
    fn witness(&mut self) -> Result<F2> {
        Ok(F2::ZERO)
    }
    fn hint(&mut self, _: &[F2], _: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<F2> {
        Ok(F2::ZERO)
    }
    fn mul(&mut self, _: F2, _: F2) -> Result<F2> {
        Ok(F2::ZERO)
    }
    fn assert_zero(&mut self, _: F2, _: impl Display) -> Result<()> {
        Ok(())
    }
}

impl Executor for Lanes {
    type Beyond = GatesAlone;

    fn map_lanes(&mut self, map: Map<'_, F2, F2>) -> Result<Option<Zeroizing<Vec<F2>>>> {
        self.0.push(map.lanes);
        Ok(None)
    }
}

/// The relation over bits with these gates.
fn over_bits(gates: &str) -> String {
    format!("version 2.1.0;circuit;{F2_TYPE}@begin\n{gates}\n@end\n")
}

/// Whether a relation over bits maps a function, and its gates in their order, with how many products these are.
fn gates_of(sieve: Sieve, public: &[u8]) -> (bool, u64, [u8; 32]) {
    let mut values = Values::<Value>::new();
    if !public.is_empty() {
        values.read("public", Written::Encodings(public)).unwrap();
    }
    let stated = Stated::new::<F2>(sieve, values).unwrap();
    let source: &dyn stream::Source<F2> = &stated;
    let (shape, fingerprint) = Count::fingerprint(&Streamed(source)).unwrap();
    (Stream::new(source).maps().unwrap(), shape.mul, fingerprint)
}

/// A relation over bits whose loop has a counter of `width` wires, an environment of one, and `inputs` wires of an
/// element. It asserts for each that all of these but the first are zero, and that a private value is the lowest
/// bit of the counter. Results are their products with the environment, plus a public value, and have a public parity.
fn loop_of_bits(times: usize, inputs: usize, width: usize) -> String {
    let (results, counter) = (inputs, 1 + inputs);
    let given = counter + width;
    let mut gates = format!(
        "@function(foo, @out: 0:{results}, @in: 0:1, 0:{width}, 0:{inputs})\n$9000 <- @private();\n\
         $9001 <- @public();\n$9002 <- @add($9000, ${});\n@assert_zero($9002);\n",
        counter + width - 1
    );
    for i in 0..inputs {
        gates += &format!("$9003 <- @mul(${results}, ${});\n${i} <- @add($9003, $9001);\n", given + i);
    }
    for i in 1..inputs {
        gates += &format!("@assert_zero(${});\n", given + i);
    }
    let all = times * inputs;
    gates += &format!(
        "@end\n@function(all, @out: 0:{all}, @in: 0:1, 0:{all})\n\
         @plugin(iter_v0, map_enumerated, foo, 1, {times});\n\
         $0 <- @private();\n$1 ... ${all} <- @private();\n${} ... ${} <- @call(all, $0, $1 ... ${all});\n",
        all + 1,
        2 * all
    );
    // The parity of all results is public.
    gates += "$1 <- <0>;\n";
    for i in all + 1..=2 * all {
        gates += &format!("$1 <- @add($1, ${i});\n");
    }
    gates += "$2 <- @public();\n$1 <- @add($1, $2);\n@assert_zero($1);";
    over_bits(&gates)
}

/// Loops of bits come to the same as maps, and as calls where they are few; what fails is told with its element.
#[test]
fn loops_are_maps_where_they_are_many() {
    // The last is a function of two maps.
    loops_are_maps(&[(7, 600, false), (8, 600, true), (9, 3, false), (400, 3, true), (140, 257, true)]);
}

#[test]
#[ignore = "slow"]
fn loops_are_maps_of_parts_where_they_are_longer() {
    loops_are_maps(&[(140, 2001, true)]);
}

fn loops_are_maps(loops: &[(usize, usize, bool)]) {
    for &(times, inputs, mapped) in loops {
        let text = loop_of_bits(times, inputs, 9);
        let first = |i: usize| u8::from(i % 3 == 1);
        let mut private = vec![1];
        (0..times).for_each(|i| private.extend((0..inputs).map(|j| if j == 0 { first(i) } else { 0 })));
        private.extend((0..times).map(|i| (i % 2) as u8));
        let mut public: Vec<u8> = (0..times).map(|i| u8::from(i % 5 == 2)).collect();
        let parity = (0..times).fold(0, |sum, i| sum ^ first(i) ^ (public[i] & inputs as u8 & 1));
        public.push(parity);
        holds_f2(&text, &public, &private).unwrap();
        let case = (times, inputs);
        let elements = [0, times / 2, times - 1];
        for element in elements.into_iter().skip(if inputs > 1000 { 2 } else { 0 }) {
            // Its private value, and its last input.
            let mut wrong = private.clone();
            wrong[1 + times * inputs + element] ^= 1;
            let name = fails(holds_f2(&text, &public, &wrong));
            let place = format!(" for element {element},");
            assert!(
                name.contains("in function foo called in line") && name.contains(&place),
                "{case:?}: {name}"
            );
            if inputs > 1000 {
                continue;
            }
            let mut wrong = private.clone();
            wrong[(1 + element) * inputs] ^= 1;
            let name = fails(holds_f2(&text, &public, &wrong));
            assert!(name.contains(&place), "{case:?}: {name}");
            let mut wrong = public.clone();
            wrong[element] ^= 1;
            assert_eq!(holds_f2(&text, &wrong, &private).is_err(), inputs % 2 == 1, "{case:?}");
        }
        assert_eq!(gates_of(open_text(&text).unwrap(), &public).0, mapped, "{case:?}");
    }
}

/// A map pushes the gates of as many calls, in their order.
#[test]
fn maps_are_as_many_calls() {
    let text = |all: &str| {
        let function = "@function(foo, @out: 0:2, @in: 0:1, 0:3)\n$6 <- @mul($2, $3);\n$0 <- @mul($6, $4);\n\
            $7 <- @private();\n$1 <- @mul($7, $5);\n$8 <- @mul($7, $0);\n@assert_zero($8);\n@end\n\
            @function(all, @out: 0:2000, @in: 0:1, 0:3000)\n";
        let gates = "$0 <- @private();\n$1 ... $3000 <- @private();\n\
            $4000 ... $5999 <- @call(all, $0, $1 ... $3000);\n@assert_zero($5000);";
        over_bits(&format!("{function}{all}\n{gates}"))
    };
    let calls: String = (0..1000)
        .map(|i| {
            let (result, first) = (2 * i, 2001 + 3 * i);
            format!("${result} ... ${} <- @call(foo, $2000, ${first} ... ${});\n", result + 1, first + 2)
        })
        .collect();
    let gates = |all: &str| gates_of(open_text(&text(all)).unwrap(), &[]);
    let (mapped, called) = (gates("@plugin(iter_v0, map, foo, 1, 1000);"), gates(&format!("{calls}@end")));
    assert_eq!((mapped.0, called.0), (true, false));
    assert_eq!((mapped.1, mapped.2), (called.1, called.2));
}

/// Two functions of two bits that are the same, `f` and `g`, with 500 products: they give one, and the sum of the first
/// bit and it.
fn functions() -> String {
    let products = "$4 <- @mul($4, $3);\n".repeat(500);
    let function = |name| {
        format!(
            "@function({name}, @out: 0:1, 0:1, @in: 0:1, 0:1)\n$4 <- $2;\n{products}$0 <- $4;\n\
             $1 <- @add($2, $4);\n@end\n"
        )
    };
    ["f", "g"].map(function).concat()
}

/// Calls that stand in a row are a map where none reads what another gives.
#[test]
fn calls_in_a_row_are_maps() {
    let inputs = format!("{}$0 ... $99 <- @private();\n", functions());
    let end = "@assert_zero($500);";
    let maps =
        |calls: &str| gates_of(open_text(&over_bits(&format!("{inputs}{calls}{end}"))).unwrap(), &[]).0;
    let rows = |count: usize, call: &dyn Fn(usize) -> String| (0..count).map(call).collect::<String>();
    let call = |i: usize| format!("${}, ${} <- @call(f, ${i}, ${});\n", 500 + 2 * i, 501 + 2 * i, i + 1);
    assert!(maps(&rows(9, &call)));
    assert!(!maps(&rows(7, &call)));
    // What is copied, deleted, or set again stands between calls; other gates do not.
    assert!(maps(&rows(9, &|i| format!("{}$300 <- ${i};\n@delete(${i});\n", call(i)))));
    assert!(maps(&rows(9, &|i| format!("{}@delete(${});\n", call(i), 501 + 2 * i))));
    assert!(!maps(&rows(9, &|i| format!("{}$300 <- @mul($50, $51);\n", call(i)))));
    // A chain, and two functions by turns.
    assert!(!maps(&rows(20, &|i| format!("$500, ${} <- @call(f, $0, ${i});\n", i + 1))));
    assert!(!maps(&rows(20, &|i| call(i).replace("(f", ["(f", "(g"][i % 2]))));
    // Within a function they are calls, which is called itself.
    let within = format!(
        "@function(all, @out: 0:20, @in: 0:21)\n{}@end\n$500 ... $519 <- @call(all, $0 ... $20);\n",
        rows(10, &|i| format!("${}, ${} <- @call(f, ${}, ${});\n", 2 * i, 2 * i + 1, 20 + i, 21 + i))
    );
    assert!(!maps(&within));
}

/// Rows depend neither on where wires end nor on how much text is read at once.
#[test]
fn rows_are_those_of_the_statement() {
    let mut gates = format!(
        "@function(f, @out: 0:1, @in: 0:100)\n{}$0 <- @mul($1, $2);\n@end\n$0 ... $199 <- @private();\n",
        "$101 <- @mul($3, $4);\n".repeat(9)
    );
    // Some give wires that nobody reads, and some set those anew that others have given.
    for i in 0..6000 {
        gates += &format!("${} <- @call(f, ${} ... ${});\n", 1000 + i % 4500, i % 100, i % 100 + 99);
        if i == 5000 {
            gates += "$5 <- @call(f, $1000 ... $1099);\n";
        }
    }
    let text = over_bits(&(gates + "@assert_zero($1000);"));
    let lanes = |planning: Planning| {
        let source = Source::Bytes(text.as_bytes().into());
        let sieve = Sieve::planned("x.rel".into(), source, false, planning).unwrap();
        let planned = sieve.survey.plan.is_some();
        let stated = Stated::<Value>::new::<F2>(sieve, Values::new()).unwrap();
        let (source, mut lanes): (&dyn stream::Source<F2>, _) = (&stated, Lanes::default());
        Streamed(source).run(&mut lanes).unwrap();
        (planned, lanes.0)
    };
    // As many as take 2^18 wires; up to the one that reads what others give; and behind the next, which reads that.
    let expected = vec![2595, 5001 - 2595, 999];
    assert_eq!(lanes(Planning { unplanned: u64::MAX, ..PLANNING }), (false, expected.clone()));
    assert_eq!(lanes(Planning { unplanned: 0, ..PLANNING }), (true, expected));
}

/// Streams are read in the order of calls in a row, and what fails is told with the line of its call.
#[test]
fn calls_in_a_row_read_in_their_order() {
    let calls = 40;
    let mut gates = format!(
        "@function(f, @out: 0:1, @in: 0:1)\n$2 <- @private();\n$3 <- @public();\n$4 <- @add($2, $3);\n\
         @assert_zero($4);\n{}$0 <- @add($1, $2);\n@end\n$0 ... $39 <- @private();\n",
        "$5 <- @mul($1, $2);\n".repeat(200)
    );
    for i in 0..calls {
        gates += &format!("$100 <- @call(f, ${i});\n@assert_zero($100);\n");
    }
    let apart = over_bits(&gates);
    let asserted: String = (0..calls).map(|i| format!("@assert_zero(${});\n", 100 + i)).collect();
    let row: String = (0..calls).map(|i| format!("${} <- @call(f, ${i});\n", 100 + i)).collect();
    let row = over_bits(&(gates.split("$100").next().unwrap().to_owned() + &row + &asserted));
    let bits: Vec<u8> = (0..calls).map(|i| u8::from(i * i % 7 == 2)).collect();
    let private = [&bits[..], &bits].concat();
    for (text, mapped) in [(&apart, false), (&row, true)] {
        assert_eq!(gates_of(open_text(text).unwrap(), &bits).0, mapped);
        holds_f2(text, &bits, &private).unwrap();
        for call in [0, 5, calls - 1] {
            let mut wrong = private.clone();
            wrong[calls + call] ^= 1;
            let name = fails(holds_f2(text, &bits, &wrong));
            let line =
                text.lines().position(|line| line.ends_with(&format!("@call(f, ${call});"))).unwrap() + 1;
            assert!(name.contains(&format!("in function f called in line {line},")), "{name}");
            let mut wrong = private.clone();
            wrong[call] ^= 1;
            fails(holds_f2(text, &bits, &wrong));
        }
    }
}

/// Programs at random, of which wires are set again, copied and deleted between calls, push the same gates as programs
/// whose calls are of two functions by turns, which are no map; wherever wires end.
#[test]
fn calls_at_random_are_the_same_gates() {
    let mut mapped = 0;
    for seed in 0..24u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let most = [40, 12][(seed % 2) as usize];
        let mut live: Vec<u64> = (0..12).collect();
        let mut gates = "$0 ... $11 <- @private();\n".to_owned();
        let mut number = 0;
        for _ in 0..60 {
            match below(12) {
                0 if live.len() > 4 => {
                    let wire = live.swap_remove(below(live.len() as u64) as usize);
                    gates += &format!("@delete(${wire});\n");
                }
                1 => {
                    let (from, to) = (live[below(live.len() as u64) as usize], below(most));
                    gates += &format!("${to} <- ${from};\n");
                    if !live.contains(&to) {
                        live.push(to);
                    }
                }
                _ => {
                    let [x, y] = [0; 2].map(|_| live[below(live.len() as u64) as usize]);
                    let first = below(most);
                    // Most calls give what is not read soon.
                    let results = if below(8) > 0 { [1000 + number, 3000 + number] } else { [first, most] };
                    gates += &format!("${}, ${} <- @call(CALL, ${x}, ${y});\n", results[0], results[1]);
                    number += 1;
                    live.extend(
                        results
                            .into_iter()
                            .filter(|wire| *wire < 1000 && !live.contains(wire))
                            .collect::<Vec<_>>(),
                    );
                    if below(3) == 0 {
                        let of = results[1];
                        gates += &format!("@delete(${of});\n");
                        live.retain(|wire| *wire != of);
                    }
                }
            }
        }
        gates += &format!("@assert_zero(${});\n", live[0]);
        let one = over_bits(&(functions() + &gates.replace("CALL", "f")));
        let turns: String = gates
            .split("CALL")
            .enumerate()
            .map(|(i, part)| [["f", "g"][i % 2], part][usize::from(i == 0)..].concat())
            .collect();
        let two = over_bits(&(functions() + &turns));
        let (_, mul, expected) = gates_of(open_text(&two).unwrap(), &[]);
        for part in [None, Some(1), Some(300)] {
            let unplanned = if part.is_some() { 0 } else { u64::MAX };
            let planning = Planning { unplanned, part: part.unwrap_or(PLANNING.part), ..PLANNING };
            let source = Source::Bytes(one.as_bytes().into());
            let sieve = Sieve::planned("x.rel".into(), source, false, planning).unwrap();
            assert_eq!(sieve.survey.plan.is_some(), part.is_some());
            let found = gates_of(sieve, &[]);
            assert_eq!((found.1, found.2), (mul, expected), "{seed}: {one}");
            mapped += usize::from(found.0);
        }
    }
    assert!(mapped > 10, "{mapped}");
}
