//! Programs against the same in Rust, and each assertion by its name.

use super::string::*;
use super::*;
use crate::gadget::Bytes;
use crate::testing::{Evaluation, ands, bit_value, evaluation, secret, value};
use proptest::prelude::*;
use volery_circuit::stream::Recorder;

mod sense;

const BOUNDS: &str = "s: index within its bounds";

/// Runs `program` on a secret `input`: its result, whether it broke, and its assertions.
fn run<T>(
    input: &[u8],
    program: impl for<'c> FnOnce(&'c Code<Evaluation>, Pointer<'c, Evaluation, 8>) -> T,
) -> (T, bool, String) {
    finish(Code::new(evaluation()), input, program)
}

fn finish<T>(
    code: Code<Evaluation>,
    input: &[u8],
    program: impl for<'c> FnOnce(&'c Code<Evaluation>, Pointer<'c, Evaluation, 8>) -> T,
) -> (T, bool, String) {
    let input: Bytes<_> = input.iter().map(|&byte| secret(byte.into())).collect();
    let result = program(&code, code.bytes("s", &input));
    let outcome = code.finish().unwrap();
    (result, bit_value(outcome.failed), outcome.assertions.to_string())
}

fn number<const N: usize, const S: bool>(x: Integer<'_, Evaluation, N, S>) -> i128 {
    let value = value(*x.word()) as i128;
    if S { value << (128 - N) >> (128 - N) } else { value }
}

fn truth(x: Bool<'_, Evaluation>) -> bool {
    bit_value(x.bit())
}

/// A secret number.
fn unknown<const N: usize, const S: bool>(
    code: &Code<Evaluation>,
    value: i128,
) -> Integer<'_, Evaluation, N, S> {
    code.word(secret(value as u128))
}

proptest! {
    #[test]
    fn operators_are_those_of_integers(x: i32, y: i32, small in -3..3i32, by in 0..32i32) {
        for y in [y, small] {
            let (results, failed, _) = run(b"", |code, _| {
                let (p, q) = (unknown::<32, true>(code, x.into()), unknown::<32, true>(code, y.into()));
                let k = unknown::<32, true>(code, by.into());
                let ints = [p + q, p - q, p * q, p / q, p % q, p & q, p | q, p ^ q, p << k, p >> k, -p, !p];
                let bools = [p.lt(q), p.le(q), p.gt(q), p.ge(q), p.eq(q), p.ne(q), p.is_zero(), p.not_zero()];
                (ints.map(number).to_vec(), bools.map(truth).to_vec())
            });
            let quotient = x.checked_div(y).unwrap_or(if y == 0 && x >= 0 { -1 } else if y == 0 { 1 } else { x });
            let remainder = if y == 0 { x } else { x.wrapping_rem(y) };
            let ints = [
                x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), quotient, remainder, x & y, x | y, x ^ y,
                x << by, x >> by, x.wrapping_neg(), !x,
            ];
            prop_assert_eq!(results.0, ints.map(i128::from));
            prop_assert_eq!(results.1, [x < y, x <= y, x > y, x >= y, x == y, x != y, x == 0, x != 0]);
            prop_assert_eq!(failed, y == 0);
        }
    }

    #[test]
    fn overflow_is_asserted_where_asked_for(x: i32, y: i32, by in 0..31u32) {
        let (x, y) = (x >> by, y >> (30 - by));
        let name = "a signed integer does not overflow";
        type Op = for<'c> fn(Int<'c, Evaluation>, Int<'c, Evaluation>) -> Int<'c, Evaluation>;
        let operations: [(Op, Option<i32>); 4] = [
            (|p, q| p + q, x.checked_add(y)),
            (|p, q| p - q, x.checked_sub(y)),
            (|p, q| p * q, x.checked_mul(y)),
            (|p, _| -p, x.checked_neg()),
        ];
        for (operation, expected) in operations {
            for (code, checks) in [(Code::with_overflow(evaluation()), true), (Code::new(evaluation()), false)] {
                let (result, failed, names) = finish(code, b"", |code, _| {
                    number(operation(unknown(code, x.into()), unknown(code, y.into())))
                });
                prop_assert_eq!(failed, checks && expected.is_none());
                prop_assert_eq!(names == name, checks);
                prop_assert!(expected.is_none_or(|expected| result == expected.into()));
            }
        }
    }

    #[test]
    fn strings_are_those_of_c(x in "[ab+ ]{0,6}", y in "[ab+ ]{0,6}", n in 0..9i128, skip in 0..3usize) {
        let skip = skip.min(x.len());
        let bytes = [x.as_bytes(), &[0]].concat();
        let (results, failed, _) = run(&bytes, |code, s| {
            let t = code.string("t", &y);
            // A secret place, as if it had been computed.
            let s = &s + unknown::<32, true>(code, skip as i128);
            let n = unknown::<64, false>(code, n);
            let copy = code.zeros::<8>("copy", 8);
            strcpy(&copy, &s);
            let cut = code.zeros::<8>("cut", 9);
            strncpy(&cut, &s, n);
            let found = strchr(&s, code.char('b'));
            let sign = |x: i128| x.signum();
            (
                [number(strlen(&s)), sign(number(strcmp(&s, &t))), sign(number(strncmp(&s, &t, n)))],
                [number(strcmp(&s, &copy)), number(strncmp(&s, &cut, n))],
                (truth(found.is_null()), number(found.difference(&s))),
            )
        });
        prop_assert!(!failed);
        let x = &x[skip..];
        let first = |s: &str| s.bytes().take(n as usize).collect::<Vec<_>>();
        let order = |order| order as i8 as i128;
        let y = y.as_str();
        let compared = [x.len() as i128, order(x.cmp(y)), order(first(x).cmp(&first(y)))];
        prop_assert_eq!(results.0, compared);
        prop_assert_eq!(results.1, [0, 0]);
        match x.find('b') {
            None => prop_assert!(results.2.0),
            Some(at) => prop_assert_eq!(results.2, (false, at as i128)),
        }
    }

    #[test]
    fn numbers_are_read_as_by_c(spaces in "[ \t]{0,2}", sign in "[+-]?", digits in "[0-9]{0,7}", rest in "[-a 9]{0,2}") {
        let text = format!("{spaces}{sign}{digits}{rest}\0");
        let (result, failed, _) = run(text.as_bytes(), |_, s| number(atoi(&s)));
        let body = text.trim_start_matches([' ', '\t']);
        let (negative, body) = match body.strip_prefix('-') {
            Some(body) => (true, body),
            None => (false, body.strip_prefix('+').unwrap_or(body)),
        };
        let end = body.find(|c: char| !c.is_ascii_digit()).unwrap();
        let value: i128 = if end == 0 { 0 } else { body[..end].parse().unwrap() };
        prop_assert_eq!(result, if negative { -value } else { value });
        prop_assert!(!failed);
    }

    #[test]
    fn memory_at_secret_places(writes in proptest::collection::vec((-2..12i32, any::<u8>(), any::<bool>()), 0..12)) {
        let ((cells, read), failed, _) = run(b"", |code, _| {
            let s = code.zeros::<8>("s", 10);
            for &(at, word, active) in &writes {
                let (at, word) = (unknown::<32, true>(code, at.into()), unknown::<8, false>(code, word.into()));
                let active = unknown::<8, false>(code, active.into()).not_zero();
                code.when(active, || s.set_at(at, word));
            }
            let cells: Vec<_> = (0..10).map(|i| number(s.at(i))).collect();
            let read: Vec<_> = (0..10).map(|i| number(s.at(unknown::<32, true>(code, i)))).collect();
            (cells, read)
        });
        let mut expected = [0; 10];
        let mut broken = false;
        for (at, word, _) in writes.into_iter().filter(|write| write.2) {
            match expected.get_mut(at as usize) {
                Some(cell) => *cell = word.into(),
                None => broken = true,
            }
        }
        prop_assert_eq!(&cells, &expected);
        prop_assert_eq!(&read, &expected);
        prop_assert_eq!(failed, broken);
    }

    #[test]
    fn loops_branches_and_calls(x in 0..40u8, limit in 0..12u8) {
        // Collatz steps with a break, a continue and a return in between.
        let (result, failed, _) = run(&[x, limit], |code, s| {
            let (x, limit) = (code.var(s.at(0).int()), s.at(1).int());
            let odd = code.var(code.int(0));
            let steps = code.function(code.int(-1), |function| {
                let steps = code.var(code.int(0));
                code.while_(14, || x.get().gt(1), || {
                    code.when(steps.get().eq(limit), || code.break_());
                    steps.update(|steps| steps + 1);
                    code.when((x.get() & 1).is_zero(), || {
                        x.update(|x| x / 2);
                        code.continue_();
                    });
                    odd.update(|odd| odd + 1);
                    code.when_else(
                        odd.get().eq(4),
                        || function.return_(code.int(100)),
                        || x.update(|x| x * 3 + 1),
                    );
                });
                function.return_(steps.get());
            });
            (number(steps), number(odd.get()), number(x.get()))
        });
        let (mut x, mut odd, mut steps) = (i128::from(x), 0, 0);
        let collatz = || {
            while x > 1 {
                if steps == i128::from(limit) {
                    break;
                }
                steps += 1;
                if x % 2 == 0 {
                    x /= 2;
                    continue;
                }
                odd += 1;
                if odd == 4 {
                    return 100;
                }
                x = 3 * x + 1;
            }
            steps
        };
        let steps = { let mut collatz = collatz; collatz() };
        prop_assert_eq!(result, (steps, odd, x));
        prop_assert!(!failed);
    }
}

/// Whether `program` broke, with `name` as its only assertion.
fn broken_by(
    name: &str,
    input: &[u8],
    program: impl for<'c> FnOnce(&'c Code<Evaluation>, Pointer<'c, Evaluation, 8>),
) -> bool {
    let ((), failed, names) = run(input, program);
    assert_eq!(names.split(" (").next(), Some(name));
    failed
}

#[test]
fn each_assertion_by_name() {
    for x in [0, 1, 2, 3, 200] {
        assert_eq!(broken_by("a divisor is not zero", &[x], |_, s| _ = s.at(0) / s.at(0)), x == 0);
        assert_eq!(broken_by("a divisor is not zero", &[x], |_, s| _ = s.at(0) % s.at(0)), x == 0);
        assert_eq!(broken_by(BOUNDS, &[x, 1, 1], |_, s| _ = s.at(s.at(0))), x > 2);
        assert_eq!(broken_by(BOUNDS, &[x, 1, 1], |_, s| s.set_at(s.at(0), 7)), x > 2);
        assert_eq!(broken_by(BOUNDS, &[x, 1, 1], |_, s| _ = (&s - s.at(0)).deref()), x > 0);
        assert_eq!(broken_by("small", &[x], |code, s| code.assert(s.at(0).lt(3), "small")), x > 2);
        let malloc = "m: index within its bounds";
        assert_eq!(
            broken_by(malloc, &[x], |code, s| _ = code.malloc::<8>("m", 255, s.at(0).size()).at(1)),
            x < 2
        );
        let freed = "m: freed once, by what malloc gave";
        assert_eq!(
            broken_by(freed, &[x], |code, s| {
                let m = code.malloc::<32>("m", 4, code.size(16));
                (&m + (s.at(0) & 1)).free();
            }),
            x & 1 == 1
        );
        assert_eq!(
            broken_by(malloc, &[x], |code, s| {
                let m = code.malloc::<32>("m", 4, code.size(16));
                code.when(s.at(0).is_zero(), || m.free());
                m.set_at(3, 1);
            }),
            x == 0
        );
    }
    assert!(broken_by("s: index within its bounds", b"no end", |_, s| _ = strlen(&s)));
    assert!(broken_by("s: index within its bounds", b"x", |_, s| _ = s.null().deref()));
}

#[test]
fn nothing_inactive_breaks() {
    for x in [0, 1, 5] {
        let ((), failed, _) = run(&[x], |code, s| {
            let zero = s.at(0).is_zero();
            code.when(zero, || code.exit());
            // Nobody is here where x is zero.
            code.assert(s.at(0).not_zero(), "not zero");
            _ = s.at(0) / s.at(0);
            _ = zero.and(|| s.at(s.at(0) + 1).is_zero());
            _ = (!zero).or(|| s.at(s.at(0) + 1).is_zero());
            code.when_else(s.at(0).lt(0), || _ = s.at(9), || ());
        });
        assert!(!failed);
    }
}

#[test]
fn beyond_a_bound_the_program_ends() {
    for x in 0..8u8 {
        let (counted, failed, _) = run(&[x], |code, s| {
            let i = code.var(code.int(0));
            code.while_(4, || i.get().lt(s.at(0).int()), || i.update(|i| i + 1));
            code.assert(i.get().ne(3), "not three");
            code.assert(i.get().le(3) | i.get().eq(s.at(0).int()), "the loop has ended");
            let m = code.malloc::<8>("m", 2, s.at(0).size());
            code.assert(s.at(0).le(2), "allocated");
            let last = &m + (s.at(0).size() - 1);
            code.when(s.at(0).not_zero(), || last.set(1));
            number(i.get())
        });
        assert_eq!((counted, failed), (x.min(4).into(), x == 3));
    }
    // What failed before stays failed.
    let ((), failed, _) = run(&[1], |code, s| {
        code.assert(s.at(0).is_zero(), "zero");
        code.loop_(3, |_| ());
    });
    assert!(failed);
}

#[test]
fn pointers_are_variables() {
    let (sum, failed, _) = run(b"hello\0", |code, s| {
        let p = code.var(s.clone());
        let sum = code.var(code.int(0));
        code.while_(
            6,
            || p.get().deref().not_zero(),
            || {
                sum.update(|sum| sum + p.get().deref().int());
                p.update(|p| &p + 1);
            },
        );
        assert!(truth(s.lt(&p.get())) && !truth(p.get().eq(&s)));
        assert_eq!(number(p.get().difference(&s)), 5);
        assert_eq!(number(sizeof(&s)), 8);
        number(sum.get())
    });
    assert_eq!((sum, failed), (i128::from(b"hello".iter().map(|&c| u32::from(c)).sum::<u32>()), false));
}

#[test]
fn a_claim_lists_what_held() {
    let b = &mut evaluation();
    let outcome = Code::run(b, |code| {
        let x = code.word::<8, false>(secret(3));
        _ = x / x;
        _ = x % x;
        code.assert(x.lt(4), "x below four");
    });
    let refused = outcome.unwrap().assert_failed(b).unwrap_err().to_string();
    let held = "no assertion failed; these held: a divisor is not zero (2 times), x below four";
    assert!(refused.contains(held), "{refused}");
}

#[test]
fn ands_are_pinned() {
    type Program =
        for<'r, 'b, 'c> fn(&'c Code<&'b mut Recorder<'r, F2>>, Pointer<'c, &'b mut Recorder<'r, F2>, 8>);
    let count = |program: Program| {
        ands(move |b| {
            let input = Bytes::witness(b, 16)?;
            Code::run(b, |code| program(code, code.bytes("s", &input))).map(drop)
        })
    };
    // A place that is known costs nothing; another a selection and a comparison.
    assert_eq!(count(|_, s| _ = s.at(5)), 0);
    assert_eq!(count(|_, s| _ = s.at(s.at(0))), 15 * 8 + 3);
    let counts = [
        count(|_, s| s.set_at(s.at(0), s.at(1))),
        count(|_, s| _ = strlen(&s)),
        count(|_, s| _ = strlen(&(&s + s.at(0)))),
        count(|code, s| _ = strcmp(&s, &code.string("t", "a name"))),
        count(|code, s| _ = strncmp(&s, &code.string("t", "abc"), code.size(3))),
        count(|_, s| _ = atoi(&s)),
        count(|_, s| _ = s.at(0).int() * s.at(1).int()),
    ];
    assert_eq!(counts, [146, 176, 2420, 675, 483, 3049, 120]);
}
