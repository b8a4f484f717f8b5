//! Every operation on numbers at the edges, in the clear and on wires, as `arithmetic.py` says.

use crate::kit::{A0, DATA, OPERATIONS, bytes, call, check, constant, gives, immediate, load, move_bytes};
use crate::kit::{program, register, run, store};
use volery_processor::Program;

const BASE: u32 = 8;
const X: u32 = 9;
const Y: u32 = 18;
const R: u32 = 19;

/// Reads two words and gives out what all operations make of them.
fn all_operations() -> Program {
    let mut code = move_bytes(63, 0, 0, 8);
    code.extend(constant(BASE, DATA));
    code.extend([load(2, X, BASE, 0), load(2, Y, BASE, 4)]);
    for (i, (_, funct7, funct3)) in OPERATIONS.into_iter().enumerate() {
        code.extend([register(funct7, funct3, R, X, Y), store(2, R, BASE, 8 + 4 * i as i32)]);
    }
    code.extend(move_bytes(64, 1, 8, 4 * OPERATIONS.len() as i32));
    code.push(crate::kit::addi(A0, 0, 0));
    code.extend(call(93));
    program(&code)
}

/// Lines of numbers: two operands, and what each operation makes of them.
fn lines() -> Vec<Vec<u32>> {
    let text = include_str!("arithmetic.txt");
    let (names, lines) = text.split_once('\n').expect("lines");
    let expected: Vec<&str> = OPERATIONS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names.split(' ').skip(1).collect::<Vec<_>>(), expected);
    let number = |text| u32::from_str_radix(text, 16).expect("a number");
    let lines: Vec<Vec<u32>> = lines.lines().map(|line| line.split(' ').map(number).collect()).collect();
    assert_eq!(lines.len(), 144);
    lines
}

#[test]
fn operations_are_those_of_python() {
    let program = all_operations();
    for line in lines() {
        let (operands, results) = line.split_at(2);
        let private = bytes(operands);
        let ended = run(&program, &[], &private).expect("it ends");
        assert_eq!(ended.claim, gives(&private, &bytes(results)), "{operands:x?}");
        check(&program, &[], &private, ended.claim).unwrap_or_else(|why| panic!("{operands:x?}: {why}"));
    }
}

/// One word public, the other secret: bits that are known fold, and nothing else changes.
#[test]
fn a_public_operand_folds() {
    let mut code = move_bytes(63, 0, 0, 4);
    code.extend(move_bytes(63, 3, 4, 4));
    code.extend(constant(BASE, DATA));
    code.extend([load(2, X, BASE, 0), load(2, Y, BASE, 4)]);
    for (i, (_, funct7, funct3)) in OPERATIONS.into_iter().enumerate() {
        code.extend([register(funct7, funct3, R, X, Y), store(2, R, BASE, 8 + 8 * i as i32)]);
        code.extend([register(funct7, funct3, R, Y, X), store(2, R, BASE, 12 + 8 * i as i32)]);
    }
    code.extend(move_bytes(64, 1, 8, 8 * OPERATIONS.len() as i32));
    code.push(crate::kit::addi(A0, 0, 0));
    code.extend(call(93));
    let program = program(&code);
    let lines = lines();
    let result = |x: u32, y: u32| &lines.iter().find(|line| line[..2] == [x, y]).expect("there")[2..];
    for line in &lines {
        let (x, y) = (line[0], line[1]);
        let results: Vec<u32> =
            result(x, y).iter().zip(result(y, x)).flat_map(|(one, other)| [*one, *other]).collect();
        let (private, public) = (x.to_le_bytes(), y.to_le_bytes());
        let ended = run(&program, &public, &private).expect("it ends");
        assert_eq!(ended.claim.output, bytes(&results), "{x:x} {y:x}");
        check(&program, &public, &private, ended.claim).unwrap_or_else(|why| panic!("{x:x} {y:x}: {why}"));
    }
}

/// Immediates are what the same operation makes of their value, which has 12 bits and a sign.
#[test]
fn immediates_are_extended_by_their_sign() {
    let operations: [(u32, u32); 6] = [(0, 0), (2, 2), (3, 3), (4, 4), (6, 6), (7, 7)];
    for value in [0, 1, -1, 2047, -2048, 0x555] {
        let mut code = move_bytes(63, 0, 0, 4);
        code.extend(constant(BASE, DATA));
        code.extend(constant(Y, value as u32));
        code.push(load(2, X, BASE, 0));
        for (i, (with_immediate, with_register)) in operations.into_iter().enumerate() {
            let at = 8 * i as i32 + 8;
            code.extend([immediate(with_immediate, R, X, value), store(2, R, BASE, at)]);
            code.extend([register(0, with_register, R, X, Y), store(2, R, BASE, at + 4)]);
        }
        code.extend(move_bytes(64, 1, 8, 8 * operations.len() as i32));
        code.push(crate::kit::addi(A0, 0, 0));
        code.extend(call(93));
        let program = program(&code);
        for x in [0u32, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            let private = x.to_le_bytes();
            let ended = run(&program, &[], &private).expect("it ends");
            for pair in ended.claim.output.chunks(8) {
                assert_eq!(pair[..4], pair[4..], "{x:x} and {value}");
            }
            check(&program, &[], &private, ended.claim).expect("it holds");
        }
    }
}

#[test]
fn shifts_by_constants() {
    for (funct3, funct7) in [(1, 0), (5, 0), (5, 0x20)] {
        for by in [0, 1, 15, 31] {
            let mut code = move_bytes(63, 0, 0, 4);
            code.extend(constant(BASE, DATA));
            code.extend([
                load(2, X, BASE, 0),
                immediate(funct3, R, X, funct7 << 5 | by),
                store(2, R, BASE, 8),
            ]);
            code.extend(move_bytes(64, 1, 8, 4));
            code.push(crate::kit::addi(A0, 0, 0));
            code.extend(call(93));
            let program = program(&code);
            for x in [1u32, 0x8000_0000, 0xdead_beef] {
                let expected = match (funct3, funct7) {
                    (1, _) => x << by,
                    (_, 0) => x >> by,
                    _ => (x as i32 >> by) as u32,
                };
                let private = x.to_le_bytes();
                let ended = run(&program, &[], &private).expect("it ends");
                assert_eq!(ended.claim.output, expected.to_le_bytes());
                check(&program, &[], &private, ended.claim).expect("it holds");
            }
        }
    }
}
