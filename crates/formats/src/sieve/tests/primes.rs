//! Relations over several odd primes, against integers of any size.

use super::*;
use core::fmt;
use num_bigint::BigUint;
use std::collections::HashMap;
use volery_circuit::stream::MixedStreamed;
use volery_circuit::{BothValues, MixedShape, check_mixed};
use volery_primitives::{Bn254, Goldilocks, RuntimePrime};

/// Primes: 2^61 - 1, 2^31 - 1, that of Goldilocks, of BN254, of secp256k1, and 2^127 - 1.
const P61: &str = "2305843009213693951";
const P31: &str = "2147483647";
const P64: &str = "18446744069414584321";
const P254: &str = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
const P256: &str = "115792089237316195423570985008687907853269984665640564039457584007908834671663";
const P127: &str = "170141183460469231731687303715884105727";

/// The values of a stream: public or private ones of a type.
type Streams = HashMap<(bool, usize), Vec<BigUint>>;

/// Whether the statement holds, in the field of numbers that it has.
fn holds_by_streams(text: &str, streams: &Streams) -> Result<()> {
    let sieve = open_text(text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert!(sieve.has_bits(), "{text}");
    let field = sieve.field_size();
    let relation = SieveOfTwo::new(sieve);
    match &*field {
        P61 => holds_in::<F61>(relation, streams),
        P64 => holds_in::<Goldilocks>(relation, streams),
        P254 => holds_in::<Bn254>(relation, streams),
        // The one that these tests choose.
        "127" => {
            RuntimePrime::choose(127).unwrap();
            holds_in::<RuntimePrime>(relation, streams)
        }
        _ => panic!("over {field}: {text}"),
    }
}

fn holds_in<F: Field>(relation: SieveOfTwo, streams: &Streams) -> Result<()> {
    let (mut public, mut private) = (relation.values::<F>(), relation.values::<F>());
    for stream in relation.streams() {
        let values = streams.get(&(stream.public, stream.kind.into())).map_or(&[][..], |values| values);
        assert_eq!(stream.count, values.len() as u64, "{}", stream.name);
        let of: &mut BothValues<F> = if stream.public { &mut public } else { &mut private };
        let digits: Vec<String> = values.iter().map(ToString::to_string).collect();
        if !values.is_empty() && stream.field == "2" {
            of.read(&stream.name, Written::Text(format!("0b{}", digits.concat()).as_bytes()))?;
        } else if !values.is_empty() {
            of.read(&stream.name, Written::Text(digits.join(",").as_bytes()))?;
        }
    }
    let counted = MixedShape::of::<F, _>(&MixedStreamed(&relation.bare::<F>()))?;
    let statement = relation.state(public)?;
    let secrets = statement.witness(private)?;
    assert_eq!(MixedShape::of::<F, _>(&MixedStreamed(&statement))?, counted);
    check_mixed(&MixedStreamed(&statement), secrets.bits.iter().copied(), secrets.elements.iter())
}

/// Values of the streams, in small numbers.
fn streams(values: &[((bool, usize), &[u64])]) -> Streams {
    let big = |values: &[u64]| values.iter().map(|value| BigUint::from(*value)).collect();
    values.iter().map(|&(of, values)| (of, big(values))).collect()
}

const PUBLIC: bool = true;
const PRIVATE: bool = false;

fn head(primes: &[&str]) -> String {
    let types = primes.iter().map(|prime| format!("@type field {prime};"));
    format!("version 2.1.0;circuit;@plugin mux_v0;{}\n", types.collect::<String>())
}

/// The relation with these types and gates, whose first line is the third.
fn over(primes: &[&str], declared: &str, gates: &str) -> String {
    format!("{}{declared}@begin\n{gates}\n@end\n", head(primes))
}

/// A line of a relation, of wires by their types and numbers.
#[derive(Debug)]
enum Line {
    Input(bool, usize, usize),
    Constant(usize, usize, BigUint),
    Add(usize, usize, [usize; 2]),
    Mul(usize, usize, [usize; 2]),
    AddConstant(usize, usize, usize, BigUint),
    MulConstant(usize, usize, usize, BigUint),
    Assert(usize, usize),
    /// A conversion from the second range to the first, `@modulus` or not.
    Convert((usize, [usize; 2]), (usize, [usize; 2]), bool),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(true, t, out) => write!(f, "${out} <- @public({t});"),
            Self::Input(false, t, out) => write!(f, "${out} <- @private({t});"),
            Self::Constant(t, out, c) => write!(f, "${out} <- {t}: <{c}>;"),
            Self::Add(t, out, [a, b]) => write!(f, "${out} <- @add({t}: ${a}, ${b});"),
            Self::Mul(t, out, [a, b]) => write!(f, "${out} <- @mul({t}: ${a}, ${b});"),
            Self::AddConstant(t, out, a, c) => write!(f, "${out} <- @addc({t}: ${a}, <{c}>);"),
            Self::MulConstant(t, out, a, c) => write!(f, "${out} <- @mulc({t}: ${a}, <{c}>);"),
            Self::Assert(t, a) => write!(f, "@assert_zero({t}: ${a});"),
            Self::Convert((t, [a, b]), (u, [c, d]), reduced) => {
                let how = if *reduced { ", @modulus" } else { "" };
                write!(f, "{t}: ${a} ... ${b} <- @convert({u}: ${c} ... ${d}{how});")
            }
        }
    }
}

/// The places of lines that fail; public streams are read, and extended by the value of the wire below where they
/// end.
fn evaluate(lines: &[Line], moduli: &[BigUint], streams: &mut Streams) -> Vec<usize> {
    let mut failed = Vec::new();
    let mut wires = HashMap::<(usize, usize), BigUint>::new();
    let mut taken = HashMap::<(bool, usize), usize>::new();
    for (place, line) in lines.iter().enumerate() {
        let wire = |t: &usize, i: &usize| wires[&(*t, *i)].clone();
        let (t, out, value) = match line {
            Line::Input(public, t, out) => {
                let next = taken.entry((*public, *t)).or_default();
                *next += 1;
                let values = streams.entry((*public, *t)).or_default();
                if values.len() < *next {
                    values.push(wire(t, &(out - 1)));
                }
                (t, out, values[*next - 1].clone())
            }
            Line::Constant(t, out, c) => (t, out, c.clone()),
            Line::Add(t, out, [a, b]) => (t, out, (wire(t, a) + wire(t, b)) % &moduli[*t]),
            Line::Mul(t, out, [a, b]) => (t, out, (wire(t, a) * wire(t, b)) % &moduli[*t]),
            Line::AddConstant(t, out, a, c) => (t, out, (wire(t, a) + c) % &moduli[*t]),
            Line::MulConstant(t, out, a, c) => (t, out, (wire(t, a) * c) % &moduli[*t]),
            Line::Assert(t, a) => {
                failed.extend((wire(t, a) != BigUint::ZERO).then_some(place));
                continue;
            }
            Line::Convert((t, [first, last]), (u, [from, to]), reduced) => {
                let mut number = (*from..=*to).fold(BigUint::ZERO, |sum, i| sum * &moduli[*u] + wire(u, &i));
                for i in (*first..=*last).rev() {
                    wires.insert((*t, i), &number % &moduli[*t]);
                    number /= &moduli[*t];
                }
                failed.extend((number != BigUint::ZERO && !reduced).then_some(place));
                continue;
            }
        };
        wires.insert((*t, *out), value);
    }
    failed
}

/// A generator for these tests.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    /// A number below `modulus`, often at an edge of it.
    fn residue(&mut self, modulus: &BigUint) -> BigUint {
        match self.below(6) {
            0 => BigUint::ZERO,
            1 => modulus - 1_u8,
            2 => BigUint::from(self.below(5)) % modulus,
            _ => (0..9).fold(BigUint::ZERO, |sum, _| (sum << 31) + self.below(1 << 31)) % modulus,
        }
    }
}

/// Relations at random, with private values, over these moduli, of which the first have the most products. All wires
/// of a type are asserted at their end to have the values that the evaluator finds.
fn at_random(moduli: &[BigUint], random: &mut Random) -> (Vec<Line>, Streams) {
    let (mut lines, mut streams) = (Vec::new(), Streams::new());
    let mut next = vec![0; moduli.len()];
    let mut take = |t: usize, count: usize| {
        next[t] += count;
        next[t] - count
    };
    for (t, modulus) in moduli.iter().enumerate() {
        for _ in 0..3 {
            lines.push(Line::Input(PRIVATE, t, take(t, 1)));
            streams.entry((PRIVATE, t)).or_default().push(random.residue(modulus));
        }
        lines.push(Line::Constant(t, take(t, 1), random.residue(modulus)));
    }
    for step in 0..30 {
        let t = random.below(moduli.len());
        let live = take(t, 0);
        let [a, b] = [random.below(live), random.below(live)];
        let c = random.residue(&moduli[t]);
        match random.below(8) {
            0 => lines.push(Line::Mul(t, take(t, 1), [a, b])),
            1 => lines.push(Line::Add(t, take(t, 1), [a, b])),
            2 => lines.push(Line::AddConstant(t, take(t, 1), a, c)),
            3 => lines.push(Line::MulConstant(t, take(t, 1), a, c)),
            _ => {
                let u = random.below(moduli.len());
                // Bits are as many as a number has, or a few less or more.
                let bits = |of: usize, random: &mut Random| {
                    (moduli[of].bits() as usize + random.below(5)).saturating_sub(2).max(1)
                };
                let two = |of: usize| moduli[of] == BigUint::from(2_u8);
                let (count, wires) = match (two(t), two(u)) {
                    (true, false) => (bits(u, random), 1),
                    (false, true) => (1, bits(t, random).min(take(u, 0))),
                    (true, true) => (1 + random.below(3), 1 + random.below(3)),
                    (false, false) if t == u => (1 + random.below(2), 1 + random.below(2)),
                    (false, false) => (1, 1),
                };
                let from = random.below(take(u, 0) - wires + 1);
                let first = take(t, count);
                let reduced = step < 28 || random.below(2) == 0;
                let sides = ((t, [first, first + count - 1]), (u, [from, from + wires - 1]));
                lines.push(Line::Convert(sides.0, sides.1, reduced));
            }
        }
    }
    // So that the field of numbers is one that a test has, and comes first.
    let of_numbers = lines.iter().filter(|line| matches!(line, Line::Mul(..))).count();
    for _ in 0..20 * of_numbers + 1 {
        lines.push(Line::Mul(0, take(0, 1), [0, 1]));
    }
    for (t, modulus) in moduli.iter().enumerate() {
        let last = take(t, 0) - 1;
        lines.push(Line::Input(PUBLIC, t, take(t, 1)));
        lines.push(Line::MulConstant(t, take(t, 1), last + 1, modulus - 1_u8));
        lines.push(Line::Add(t, take(t, 1), [last, last + 2]));
        lines.push(Line::Assert(t, last + 3));
    }
    (lines, streams)
}

#[test]
fn relations_at_random_are_those_of_integers() {
    let mut random = Random(7);
    let (mut failed, mut held) = (0, 0);
    for primes in [
        &[P61, "97"][..],
        &[P61, P31, "2"],
        &[P64, "3", "7", "2"],
        &[P61, P64, P127],
        &["5", "7", "2"],
        &["13", "7"],
        &["127", "101", "2"],
        &[P254, P61, "2"],
        &[P61, P256],
    ] {
        let moduli: Vec<BigUint> = primes.iter().map(|prime| prime.parse().unwrap()).collect();
        for _ in 0..3 {
            let (lines, mut streams) = at_random(&moduli, &mut random);
            let mut declared = String::new();
            for line in &lines {
                if let Line::Convert((t, [a, b]), (u, [c, d]), _) = line {
                    declared += &format!("@convert(@out: {t}:{}, @in: {u}:{});", b - a + 1, d - c + 1);
                }
            }
            let gates = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            let text = over(primes, &format!("{declared}\n"), &gates);
            let wrong = evaluate(&lines, &moduli, &mut streams);
            let place = |place: usize| format!("the assertion of line {} of x.rel", place + 4);
            if !wrong.is_empty() {
                let refused = holds_by_streams(&text, &streams).unwrap_err().to_string();
                assert!(wrong.into_iter().any(|line| refused.contains(&place(line))), "{refused}: {text}");
                failed += 1;
                continue;
            }
            holds_by_streams(&text, &streams).unwrap_or_else(|why| panic!("{why}: {text}"));
            // Another value of any one type.
            let t = random.below(moduli.len());
            let value = &mut streams.get_mut(&(PUBLIC, t)).unwrap()[0];
            *value = (&*value + 1_u8) % &moduli[t];
            let refused = holds_by_streams(&text, &streams).unwrap_err().to_string();
            let line =
                lines.iter().rposition(|line| matches!(line, Line::Assert(of, _) if *of == t)).unwrap();
            assert!(refused.contains(&place(line)), "{refused}: {text}");
            held += 1;
        }
    }
    assert!(held > 12 && failed > 0, "{held} {failed}");
}

/// Conversions from any of these primes to any other, at the edges of both.
#[test]
fn numbers_are_converted_from_prime_to_prime() {
    let primes = [P61, P31, "97", "7", P127];
    let big: Vec<BigUint> = primes.iter().map(|prime| prime.parse().unwrap()).collect();
    for (t, of) in big.iter().enumerate() {
        for (u, to) in big.iter().enumerate().filter(|(u, _)| *u != t) {
            for how in ["", ", @modulus", ", @no_modulus"] {
                let declared = format!("@convert(@out: {u}:1, @in: {t}:1);\n");
                let square = "$9 <- @mul(0: $9, $9);\n".repeat(2);
                let text = over(
                    &primes,
                    &declared,
                    &format!(
                        "$9 <- 0: <1>;\n{square}$0 <- @private({t});\n{u}: $0 ... $0 <- @convert({t}: $0{how});\n\
                         $1 <- @public({u});\n$1 <- @mulc({u}: $1, <{}>);\n$1 <- @add({u}: $0, $1);\n\
                         @assert_zero({u}: $1);",
                        to - 1_u8
                    ),
                );
                for x in [BigUint::ZERO, 5_u8.into(), to - 1_u8, to.clone(), to + 3_u8, of - 1_u8] {
                    if x >= *of {
                        continue;
                    }
                    let check = |expected: BigUint| {
                        let streams = [((PRIVATE, t), vec![x.clone()]), ((PUBLIC, u), vec![expected])];
                        holds_by_streams(&text, &streams.into())
                    };
                    let refused = |expected, line| {
                        let why = check(expected).unwrap_err().to_string();
                        assert!(why.contains(&format!("line {line} ")), "{why}: {x} from {of} to {to}{how}");
                    };
                    if x < *to || how == ", @modulus" {
                        check(&x % to).unwrap_or_else(|why| panic!("{why}: {x} from {of} to {to}{how}"));
                        refused((&x + 1_u8) % to, 12);
                    } else {
                        refused(&x % to, 8);
                    }
                }
            }
        }
    }
}

/// A relation as a generator of WizToolKit writes it: a number modulo one prime chooses among items modulo another, by
/// powers of its difference from each number, which are one or zero, and are converted.
#[test]
fn a_choice_by_another_prime_is_read() {
    let exponent = "@function(exp_126, @out: 0:1, @in: 0:1)\n$2 <- 0: $1;\n$3 <- @mul(0: $1, $2);\n\
        $4 <- @mul(0: $3, $2);\n$5 <- @mul(0: $3, $3);\n$6 <- @mul(0: $5, $4);\n$7 <- @mul(0: $5, $5);\n\
        $8 <- @mul(0: $7, $6);\n$9 <- @mul(0: $7, $7);\n$10 <- @mul(0: $9, $8);\n$11 <- @mul(0: $9, $9);\n\
        $12 <- @mul(0: $11, $10);\n$0 <- @mul(0: $12, $12);\n@end\n";
    let mut gates = exponent.to_owned()
        + "@function(mux_3_2, @out: 1:2, @in: 0:1, 1:2, 1:2, 1:2)\n@new(0: $1 ... $12);\n@new(1: $8 ... $10);\n";
    for i in 1..=3 {
        gates += &format!(
            "${i} <- @addc(0: $0, <{}>);\n${} <- @call(exp_126, ${i});\n${} <- @mulc(0: ${}, <126>);\n\
             ${} <- @addc(0: ${}, <1>);\n1: ${} <- @convert(0: ${});\n",
            (128 - i) % 127,
            i + 3,
            i + 6,
            i + 3,
            i + 9,
            i + 6,
            i + 7,
            i + 9
        );
    }
    gates += "@delete(0: $1 ... $12);\n";
    for i in 0..2 {
        gates += &format!(
            "$20 <- @mul(1: $8, ${});\n$21 <- @mul(1: $9, ${});\n$22 <- @add(1: $20, $21);\n\
             $23 <- @mul(1: $10, ${});\n${i} <- @add(1: $22, $23);\n@delete(1: $20 ... $23);\n",
            i + 2,
            i + 4,
            i + 6
        );
    }
    gates += "@end\n$0 <- @private(0);\n@new(1: $0 ... $5);\n$0 ... $5 <- @private(1);\n\
        $6 ... $7 <- @call(mux_3_2, $0, $0 ... $1, $2 ... $3, $4 ... $5);\n@delete(1: $0 ... $5);\n\
        $8 ... $9 <- @private(1);\n@function(assertEq, @in: 1:1, 1:1)\n$2 <- @mulc(1: $1, <100>);\n\
        $3 <- @add(1: $0, $2);\n@assert_zero(1: $3);\n@end\n@call(assertEq, $6, $8);\n@call(assertEq, $7, $9);";
    let text = over(&["127", "101"], "@convert(@out: 1:1, @in: 0:1);\n", &gates);
    for chosen in 0..5 {
        let mut items = [10, 100, 0, 7, 99, 100, 1, 1_u64];
        if chosen < 3 {
            items.copy_within(2 * chosen..2 * chosen + 2, 6);
        } else {
            items[6..].fill(0);
        }
        let check = |items: &[u64]| {
            holds_by_streams(&text, &streams(&[((PRIVATE, 0), &[chosen as u64]), ((PRIVATE, 1), items)]))
        };
        check(&items).unwrap_or_else(|why| panic!("{why}: {chosen}"));
        items[7] = (items[7] + 1) % 101;
        let refused = fails(check(&items));
        assert!(refused.contains("in function assertEq called in line"), "{refused}");
    }
}

/// A choice like that by plugins, as their description has it, and further ones that take words.
#[test]
fn plugins_take_words() {
    let declared =
        "@plugin vectors_v1;@plugin iter_v0;@plugin disjunction_v0;@convert(@out: 1:1, @in: 0:1);\n";
    let gates = "@function(decoder, @out: 0:4, @in: 0:1)\n@plugin(mux_v1, decode, strict);\n\
        @function(dot, @out: 1:1, @in: 1:4, 1:4)\n@plugin(vectors_v1, dotprod);\n\
        @function(sum, @out: 1:1, @in: 1:4)\n@plugin(vectors_v1, sum);\n\
        @function(times, @out: 1:4, @in: 1:4)\n@plugin(vectors_v1, mulc, 100);\n\
        @function(equal, @in: 1:4, 1:4)\n@plugin(assert_equal_v0, equal);\n\
        @function(mux, @out: 1:2, @in: 1:1, 1:2, 1:2)\n@plugin(mux_v0, permissive);\n\
        @function(turn, @out: 1:1, @in: 1:1, 1:2, 1:1)\n$5 <- @add(1: $3, $1);\n$0 <- @add(1: $5, $4);\n@end\n\
        @function(turns, @out: 1:4, @in: 1:1, 1:4)\n@plugin(iter_v0, map_enumerated, turn, 1, 4);\n\
        @function(low, @out: 1:1, @in: 1:1)\n$0 <- @addc(1: $1, <5>);\n@assert_zero(1: $0);\n@end\n\
        @function(high, @out: 1:1, @in: 1:1)\n$2 <- @private(1);\n$0 <- @mul(1: $1, $2);\n@end\n\
        @function(either, @out: 1:1, @in: 1:1, 1:1)\n@plugin(disjunction_v0, switch, strict, 3, low, 4, high);\n\
        @function(choose, @out: 1:1, @in: 0:1, 1:4)\n$6 ... $9 <- @call(decoder, $0);\n1: $5 <- @convert(0: $6);\n\
        1: $6 <- @convert(0: $7);\n1: $7 <- @convert(0: $8);\n1: $8 <- @convert(0: $9);\n\
        $0 <- @call(dot, $5 ... $8, $1 ... $4);\n@end\n";
    let uses = "$0 <- @private(0);\n$0 ... $3 <- @private(1);\n$4 <- @call(choose, $0, $0 ... $3);\n\
        $5 <- @public(1);\n$5 <- @mulc(1: $5, <100>);\n$5 <- @add(1: $4, $5);\n@assert_zero(1: $5);\n\
        $6 <- @call(sum, $0 ... $3);\n$10 ... $13 <- @call(times, $0 ... $3);\n$7 <- @call(sum, $10 ... $13);\n\
        $7 <- @add(1: $6, $7);\n@assert_zero(1: $7);\n$14 ... $15 <- @call(mux, $0, $0 ... $1, $2 ... $3);\n\
        $8 <- @add(1: $14, $15);\n$9 <- @public(1);\n$9 <- @mulc(1: $9, <100>);\n$9 <- @add(1: $8, $9);\n\
        @assert_zero(1: $9);\n$20 ... $23 <- @call(turns, $0, $0 ... $3);\n$24 <- @public(1);\n\
        $25 <- @call(sum, $20 ... $23);\n$24 <- @mulc(1: $24, <100>);\n$24 <- @add(1: $24, $25);\n\
        @assert_zero(1: $24);\n@call(equal, $20 ... $23, $20 ... $23);\n$30 ... $31 <- @public(1);\n\
        $32 <- @call(either, $30, $31);\n$33 <- @public(1);\n$33 <- @mulc(1: $33, <100>);\n\
        $33 <- @add(1: $32, $33);\n@assert_zero(1: $33);";
    // The one with the numbers.
    let numbers = "$0 <- 2: <1>;\n".to_owned() + &"$0 <- @mul(2: $0, $0);\n".repeat(9);
    let text = over(&["127", "101", P61], declared, &format!("{gates}{numbers}{uses}"));
    let check = |selector: u64, items: [u64; 4], public: [u64; 6]| {
        let values: &[(_, &[u64])] = &[
            ((PRIVATE, 0), &[selector]),
            ((PRIVATE, 1), &[items[0], items[1], items[2], items[3], 9]),
            ((PUBLIC, 1), &public),
        ];
        holds_by_streams(&text, &streams(values))
    };
    // The sum of all turns' results, with their numbers, 0 to 3, and four times the environment.
    let turns = |items: [u64; 4]| (items.iter().sum::<u64>() + 6 + 4 * items[0]) % 101;
    for (selector, items, chosen) in [(0, [1, 7, 9, 100], [7, 9 + 100]), (3, [0, 7, 9, 100], [0, 7])] {
        let sum = if items[0] == 1 { chosen[1] % 101 } else { items[0] + items[1] };
        let item = items[selector as usize];
        check(selector, items, [item, sum, turns(items), 3, 96, 0]).unwrap();
        check(selector, items, [item, sum, turns(items), 4, 96, 96 * 9 % 101]).unwrap();
        for wrong in 0..6 {
            let mut public = [item, sum, turns(items), 3, 96, 0];
            public[wrong] = (public[wrong] + 1) % 101;
            fails(check(selector, items, public));
        }
        fails(check(4, items, [item, sum, turns(items), 3, 96, 0]));
    }
}

/// Wires of words end as others do, in any order, with and without a plan, and memories of numbers stand beside them.
#[test]
fn words_are_held_and_forgotten() {
    let mut gates = "@function(f, @out: 1:2, 0:1, @in: 1:1, 0:1)\n$0 <- 1: $2;\n$1 <- @mul(1: $2, $2);\n\
        $0 <- @mul(0: $1, $1);\n@end\n$0 ... $3 <- @private(1);\n$0 <- @private(0);\n"
        .to_owned();
    for i in 4..40 {
        gates += &format!(
            "${i} <- @mul(1: ${}, ${});\n@delete(1: ${});\n$100 ... $101, $0 <- @call(f, ${i}, $0);\n\
             ${i} <- @add(1: $100, $101);\n",
            i - 1,
            i - 2,
            i - 4
        );
    }
    gates += "$1 <- @public(1);\n$1 <- @mulc(1: $1, <96>);\n$1 <- @add(1: $39, $1);\n@assert_zero(1: $1);\n\
        @assert_zero(0: $0);";
    let text = over(&[P61, "97"], "", &gates);
    let mut last: Vec<u64> = vec![2, 3, 5, 7];
    for i in 4..40 {
        let x = last[i - 1] * last[i - 2] % 97;
        last.push((x + x * x) % 97);
    }
    let values = |expected: u64| {
        let values: [((bool, usize), &[u64]); 3] =
            [((PRIVATE, 0), &[0]), ((PRIVATE, 1), &[2, 3, 5, 7]), ((PUBLIC, 1), &[expected])];
        streams(&values)
    };
    holds_by_streams(&text, &values(last[39])).unwrap();
    fails(holds_by_streams(&text, &values(last[39] ^ 1)));
    let fingerprint = |unplanned: u64| {
        let planning = Planning { unplanned, part: 200, of_two: true };
        let source = Source::Bytes(text.as_bytes().into());
        let sieve = Sieve::planned("x.rel".into(), source, false, planning).unwrap();
        assert_eq!(sieve.survey.plan.is_some(), unplanned == 0);
        let bare = SieveOfTwo::new(sieve).bare::<F61>();
        MixedShape::fingerprint::<F61, _>(&MixedStreamed(&bare)).unwrap()
    };
    assert_eq!(fingerprint(0), fingerprint(u64::MAX));
}

/// Numbers are of the prime whose products cost most as words and which goes with bits, or that a plugin takes.
#[test]
fn one_prime_has_the_numbers() {
    let numbers = |primes: &[&str], gates: &str| {
        let head = "@plugin extended_arithmetic_v1;\n";
        open_text(&over(primes, head, &format!("{gates}@assert_zero({});", "0: $0"))).unwrap().field_size()
    };
    let each = |types: usize| (0..types).map(|t| format!("$0 <- @private({t});\n")).collect::<String>();
    let mul = |t: usize, times: usize| format!("$0 <- @mul({t}: $0, $0);\n").repeat(times);
    let called = |t: usize, times: usize| {
        let f = format!("@function(f, @out: {t}:1, @in: {t}:1)\n$0 <- @mul({t}: $1, $1);\n@end\n");
        f + &"$0 <- @call(f, $0);\n".repeat(times)
    };
    let decompose = |t: usize, bits: usize| {
        format!(
            "@function(b, @out: {t}:{bits}, @in: {t}:1)\n@plugin(extended_arithmetic_v1, bit_decompose);\n\
             $100 ... ${} <- @call(b, $0);\n",
            99 + bits
        )
    };
    for (primes, gates, expected) in [
        (&[P61, P64][..], each(2), P64),
        (&[P64, P61], each(2), P64),
        (&[P61, P64], each(2) + &mul(0, 1), P61),
        // 2 · 61² is less than 2 · 64², and 3 · 61² is more.
        (&[P61, P64], each(2) + &mul(0, 2) + &mul(1, 2), P64),
        (&[P61, P64], each(2) + &mul(0, 3) + &mul(1, 2), P61),
        (&[P61, P64], each(2) + &mul(0, 3) + &called(1, 3), P64),
        (&["97", P64, "2"], each(3) + &mul(0, 9), "97"),
        (&["97", P64, "2"], each(3) + &mul(0, 9) + &mul(1, 1), P64),
        (&["97", "101"], each(2) + &mul(0, 9) + &mul(1, 9), "97"),
        (&["13", "101"], each(2) + &mul(0, 9), "101"),
        (&["97", "2"], each(2) + &mul(0, 9), "97"),
        // None goes with bits.
        (&["13", "11"], each(2) + &mul(0, 9), P61),
        (&["13", "2"], each(2) + &mul(0, 9), P61),
        (&[P61, P64], each(2) + &mul(0, 500) + &decompose(1, 64), P64),
        // Not used, and alone.
        (&[P61, P64], "$0 <- @private(0);\n".to_owned() + &mul(0, 1), P61),
        (&["97", P64], "$0 <- @private(0);\n".to_owned() + &mul(0, 1), "97"),
        // Another type of the same prime.
        (&["97", "97"], each(2), "97"),
    ] {
        assert_eq!(numbers(primes, &gates), expected, "{gates}");
    }
    // What is bound and not called takes nothing.
    let bound = decompose(1, 64).lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(numbers(&[P61, P64], &(each(2) + &mul(0, 1) + &bound)), P61);
}

#[test]
fn what_no_proof_has_is_refused() {
    let first = "$0 <- @private(0);\n$0 <- @private(1);\n@assert_zero(0: $0);\n";
    let long = "2".repeat(80) + "1";
    // 2^89 - 1 times 2^61 - 1, and a prime of 2^61 times 3.
    let composite = "1427247692705959880439315947500961989719490561";
    let decompose = |t: usize, bits: usize| {
        format!(
            "@function(b{t}, @out: {t}:{bits}, @in: {t}:1)\n@plugin(extended_arithmetic_v1, bit_decompose);\n\
             $100 ... ${} <- @call(b{t}, $0);\n",
            99 + bits
        )
    };
    for (primes, declared, gates, words) in [
        (&[P61, &long][..], "", "".to_owned(), "type 1 (field 2222"),
        (&[P61, &long], "", "".into(), "and its modulus has more than 256 bits"),
        (
            &[P61, composite],
            "",
            "".into(),
            "is used beside wires of other fields, and its modulus is not a prime",
        ),
        (&[P61, "9"], "", "".into(), "type 1 (field 9) is used here, and its modulus is not a prime"),
        (
            &[P61, P64],
            "",
            decompose(0, 61) + &decompose(1, 64),
            "function b1 of plugin extended_arithmetic_v1 takes wires of type 1 (field 18446744069414584321) as \
             numbers: of several primes one has numbers",
        ),
        (
            &["13", P61],
            "",
            decompose(0, 4),
            "function b0 of plugin extended_arithmetic_v1 takes wires of type 0 (field 13) as numbers, and beside",
        ),
        (
            &["13", "2"],
            "",
            decompose(0, 4),
            "function b0 of plugin extended_arithmetic_v1 takes wires of type 0 (field 13) as numbers, and beside",
        ),
        (
            &[P61, "97"],
            "@convert(@out: 0:2, @in: 1:3);",
            "$0 ... $2 <- @private(1);\n0: $0 ... $1 <- @convert(1: $0 ... $2);\n".into(),
            "a conversion between several numbers of two primes",
        ),
        (
            &[P61, "97", "2"],
            "@convert(@out: 1:2, @in: 2:7);",
            "$0 ... $6 <- @private(2);\n1: $0 ... $1 <- @convert(2: $0 ... $6);\n".into(),
            "a conversion between bits and several numbers: bits are of one number",
        ),
        (&[P61, "97"], "", "$0 <- 1: <97>;\n".into(), "97 is not below 97, the modulus of type 1"),
    ] {
        let text = over(primes, &format!("{declared}\n"), &format!("{first}{gates}"));
        let why = open_text(&text).err().unwrap_or_else(|| panic!("{words}: {text}")).to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
    // Values of a stream are below the modulus.
    let text = over(&[P61, "97"], "", first);
    let values = |x: u64| streams(&[((PRIVATE, 0), &[0]), ((PRIVATE, 1), &[x])]);
    holds_by_streams(&text, &values(96)).unwrap();
    let why = holds_by_streams(&text, &values(97)).unwrap_err().to_string();
    assert!(why.contains("private1: the number is not below 97, the modulus"), "{why}");
}

/// A word counts by its bits, so that a line does not take more memory than the same over F_2 may.
#[test]
fn words_are_bounded_by_their_bits() {
    let range = |last: u64| {
        let gates = format!(
            "$0 <- @private(0);\n$0 <- @mul(0: $0, $0);\n@assert_zero(0: $0);\n$0 ... ${last} <- @private(1);"
        );
        let relation = SieveOfTwo::new(open_text(&over(&[P61, P256], "", &gates)).unwrap());
        MixedShape::of::<F61, _>(&MixedStreamed(&relation.bare::<F61>()))
    };
    let why = range(1 << 20).unwrap_err().to_string();
    assert!(why.contains("line 6, "), "{why}");
    assert!(
        why.contains("more than 268435456 wires are live here, a word of bits counted by these"),
        "{why}"
    );
    assert_eq!(range(999).unwrap().bits.inputs, 256_000);
}

/// A signature counts words by their bits: 2^24 wires of a proof are 2^16 words of 256 bits.
#[test]
fn words_of_a_signature_are_bounded_by_their_bits() {
    let counted = |digits: u32, bound: &str, call: &str| {
        let declared = "@plugin iter_v0;\n";
        let gates = format!(
            "$0 <- @private(0);\n$0 <- @mul(0: $0, $0);\n@assert_zero(0: $0);\n$0 <- @private(1);\n\
             @function(f, @out: 1:1, @in: 1:{digits}, 1:1)\n$0 <- @add(1: $1, $1);\n@end\n{bound}{call}"
        );
        let relation = SieveOfTwo::new(open_text(&over(&[P61, P256], declared, &gates)).unwrap());
        MixedShape::of::<F61, _>(&MixedStreamed(&relation.bare::<F61>()))
    };
    let bound = "@function(g, @out: 1:1, @in: 1:1)\n@plugin(iter_v0, map_enumerated, f, 0, 1);\n";
    for (digits, bound, call) in [(16_000_000, bound, "$1 <- @call(g, $0);"), (65_535, "", "")] {
        let why = counted(digits, bound, call).unwrap_err().to_string();
        assert!(why.contains("line 8, "), "{why}");
        assert!(
            why.contains("a function of more than 16777216 wires, a word of bits counted by these"),
            "{why}"
        );
    }
    counted(65_534, "", "").unwrap();
    counted(100, bound, "$1 <- @call(g, $0);").unwrap();
}

/// Functions that each call the one above twice: 2^levels of the first, which are counted one by one.
#[test]
fn gates_over_two_fields_are_bounded() {
    let tower = |primes: &[&str], levels: u32| {
        let mut gates = "@function(f0, @out: 1:1, @in: 1:1)\n$0 <- @mul(1: $1, $1);\n@end\n".to_owned();
        for level in 1..=levels {
            let below = level - 1;
            gates += &format!(
                "@function(f{level}, @out: 1:1, @in: 1:1)\n$2 <- @call(f{below}, $1);\n\
                 $0 <- @call(f{below}, $2);\n@end\n"
            );
        }
        gates += "$0 <- @private(0);\n$0 <- @mul(0: $0, $0);\n@assert_zero(0: $0);\n$0 <- @private(1);\n";
        let sieve = open_text(&over(primes, "", &format!("{gates}$0 <- @call(f{levels}, $0);")))?;
        let relation = SieveOfTwo::new(sieve);
        MixedShape::of::<F61, _>(&MixedStreamed(&relation.bare::<F61>()))
    };
    for (primes, levels) in [([P61, "2"], 40), ([P61, "13"], 40), ([P61, "13"], 26)] {
        let why = tower(&primes, levels).unwrap_err().to_string();
        assert!(why.contains("gates over two fields") && why.contains("write at most 8589934592"), "{why}");
    }
    assert_eq!(tower(&[P61, "2"], 10).unwrap().bits.mul, 1 << 10);
    assert!(tower(&[P61, "13"], 6).unwrap().bits.mul > 1 << 6);
}

/// A file with words of bits that is asked for over one field says what its proof has.
#[test]
fn several_primes_are_no_one_field() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (primes, numbers) in [(["2", "7"], P61), (["7", "97"], "97")] {
        let gates = "$0 <- @private(0);\n@assert_zero(0: $0);\n$0 <- @private(1);\n@assert_zero(1: $0);";
        std::fs::write(file.path(), over(&primes, "", gates)).unwrap();
        let path = file.path().to_str().unwrap();
        let why = crate::Format::Sieve.open::<Goldilocks>(path, path, None).err().unwrap().to_string();
        let words =
            format!("has words of bits, and in its proof numbers are modulo {numbers}: leave out --field");
        assert!(why.contains(&words), "{why}");
    }
}

/// A prover that commits to a word which is no number below the modulus.
#[test]
fn words_are_below_their_modulus() {
    let text = over(
        &[P61, "97"],
        "",
        "$0 <- @private(0);\n@assert_zero(0: $0);\n$0 <- @private(1);\n@assert_zero(1: $0);",
    );
    let relation = SieveOfTwo::new(open_text(&text).unwrap());
    let statement = relation.bare::<F61>();
    let check = |word: u8| {
        let bits = (0..7).map(|i| F2::from(word >> i & 1 == 1)).collect::<Vec<_>>();
        check_mixed(&MixedStreamed(&statement), bits, [F61::ZERO])
    };
    check(0).unwrap();
    assert!(fails(check(1)).contains("the assertion of line 6 of x.rel"));
    for word in 97..128 {
        assert!(fails(check(word)).contains("a private value of type 1 in x.rel below 97"));
    }
}

/// Two builds that make other gates of words have to disagree: where this changes, `words::VERSION` goes up.
#[test]
fn gates_of_words_are_pinned() {
    let declared =
        "@convert(@out: 1:1, @in: 0:1);@convert(@out: 0:1, @in: 1:1);@convert(@out: 2:7, @in: 1:1);\n";
    let text = over(
        &[P61, "97", "2"],
        declared,
        "$0 <- @private(0);\n$9 <- @mul(0: $0, $0);\n$0 ... $1 <- @private(1);\n$2 <- @mul(1: $0, $1);\n\
         $2 <- @add(1: $2, $0);\n\
         $2 <- @addc(1: $2, <5>);\n$2 <- @mulc(1: $2, <6>);\n$3 <- @public(1);\n$2 <- @mul(1: $2, $3);\n\
         @function(mux, @out: 1:1, @in: 1:1, 1:1, 1:1)\n@plugin(mux_v0, strict);\n$2 <- @call(mux, $0, $1, $2);\n\
         1: $4 <- @convert(0: $0, @modulus);\n1: $5 <- @convert(0: $0);\n0: $1 <- @convert(1: $2);\n\
         2: $0 ... $6 <- @convert(1: $5);\n@assert_zero(0: $1);\n@assert_zero(1: $4);\n@assert_zero(2: $6);",
    );
    let bare = SieveOfTwo::new(open_text(&text).unwrap()).bare::<F61>();
    let (shape, gates) = MixedShape::fingerprint::<F61, _>(&MixedStreamed(&bare)).unwrap();
    let hex = gates[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!((words::VERSION, shape.bits.mul, &*hex), (1, 753, "b546c7ae56cd8064"));
}
