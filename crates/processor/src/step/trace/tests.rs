//! Rows against the plain interpreter, and each row against all that is asked of it.

use super::*;
use crate::decode::Instruction;
use crate::machine::{End, Inputs, Machine, Misaligned};
use crate::observe::Observer;
use crate::program::{Layout, Program};
use crate::step::rom::register;
use crate::step::{Goal, Known, Steps};
use crate::words::Plain;
use std::collections::HashMap;

/// The record of an interpreter: for each instruction its address, and the registers behind it.
struct Heard {
    places: Vec<u32>,
    registers: [u32; 33],
}

impl Observer for Heard {
    fn executed(&mut self, pc: u32, instruction: &Instruction, value: impl FnOnce() -> Option<u32>) {
        self.places.push(pc);
        self.registers[usize::from(instruction.rd)] = value().expect("known");
    }
}

/// Runs `program` in both ways, and asserts that they agree, and that every row is right: how many there were.
pub(crate) fn agree(program: &Program, public: &[u8], private: &[u8]) -> (u64, u64) {
    agree_in(Layout::default(), program, public, private)
}

/// Expects rows and interpreter to agree, with this memory.
fn agree_in(layout: Layout, program: &Program, public: &[u8], private: &[u8]) -> (u64, u64) {
    let inputs = Inputs { public, layout, cycles: 1 << 40, output: 1 << 20, misaligned: Misaligned::Fault };
    let mut machine = Machine::new(program, inputs, Plain::new(private)).expect("it has room");
    let mut heard = Heard { places: Vec::new(), registers: [0; 33] };
    let end = machine.run(&mut heard).unwrap_or_else(|stop| panic!("{stop:?}"));
    let goal = match end {
        End::Exit(code) => Goal::Exit(code),
        End::Fault(fault) => Goal::Fault(fault.kind),
    };
    let output = machine.words.output.to_vec();
    let known = Known { layout, public, output: &output, goal };
    let steps = Steps::new(program, &known, 0).expect("it has room");
    let mut trace = steps.trace(private);
    let (mut rows, mut executed) = (0, 0);
    let mut memory: HashMap<u64, u32> = steps.image.cells(&steps.rom).into_iter().collect();
    while !trace.has_ended() {
        let Some(row) = trace.next() else {
            panic!("stuck at {:#x} after {rows} rows and {executed} instructions", trace.place())
        };
        assert_eq!(row.fault(&steps.rom), None, "{row:?}");
        if row.place < 1 << 32 {
            // The last, by which it ends, is not heard.
            let expected = heard.places.get(executed);
            assert!(expected.is_none_or(|place| u64::from(*place) == row.place), "{:#x}", row.place);
            executed += 1;
        }
        for (k, column) in [Column::First, Column::Second, Column::Third].into_iter().enumerate() {
            let cell = memory.get_mut(&row.column(column)).expect("a cell");
            assert_eq!(*cell, row.found[k], "what {row:?} finds");
            if k == 2 {
                *cell = row.written();
            }
        }
        rows += 1;
    }
    assert!(executed >= heard.places.len(), "{executed} instructions of {}", heard.places.len());
    if let End::Exit(_) = end {
        let registers = (1..32).filter(|number| ![2, 10].contains(number));
        for number in registers {
            assert_eq!(trace.register(number), heard.registers[number as usize], "x{number}");
        }
    }
    assert_eq!(memory[&register(0)], 0);
    (rows, heard.places.len() as u64)
}

macro_rules! example {
    ($name:literal) => {
        Program::read(include_bytes!(concat!("../../../../../examples/programs/", $name, ".elf")))
            .expect("a program")
    };
}

#[test]
fn examples_run_as_they_do_in_the_clear() {
    let puzzle = b"530070000600195000098000060800060003400803001700020006060000280000419005000080079";
    let solution = b"534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let position = b"......k......ppp........................................R.....K.";
    let code =
        [10, 6, 0, 10, 6, 1, 5, 0, 7, 2, 0, 0, 5, 2, 5, 1, 2, 6, 2, 5, 0, 1, 1, 3, 6, 0, 1, 1, 7, 0xe8];
    let numbers = [5, 0, 0, 0, 3, 0, 0, 0, 255, 255, 255, 255, 9, 0, 0, 0];
    let programs: [(&str, Program, &[u8], &[u8]); 12] = [
        ("sha256", example!("sha256"), b"", b"abc"),
        ("aes", example!("aes"), b"0123456789abcdef", b"fedcba9876543210"),
        ("crc32", example!("crc32"), b"", b"123456789"),
        ("quicksort", example!("quicksort"), b"", &numbers),
        ("json", example!("json"), b"", b"{\"a\": [1, 2, 3], \"amount\": 17}"),
        ("regex", example!("regex"), b"[a-c0-9]+x", b"a1c9x"),
        ("mate", example!("mate"), position, b"a1b2"),
        ("parser", example!("parser"), b"", b"C\x01\x00xD\x02\x00\x0a\x0b"),
        ("parser", example!("parser"), b"", b"D\xff\xff"),
        ("sudoku", example!("sudoku"), puzzle, solution),
        ("sudoku", example!("sudoku"), puzzle, puzzle),
        ("machine", example!("machine"), &[2, 0, 0, 0, 7, 0, 0, 0], &code),
    ];
    for (name, program, public, private) in programs {
        let (rows, instructions) = agree(&program, public, private);
        assert!(rows < 3 * instructions + 1000, "{name}: {rows} rows, {instructions} instructions");
    }
}

/// Numbers that are the same each time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, most: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(most)) as u32
    }

    pub(crate) fn word(&mut self) -> u32 {
        const EDGES: [u32; 13] = [
            0,
            1,
            2,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x8000,
            0xffff,
            0x1_0000,
            31,
            32,
            33,
            0xffff_fff8,
        ];
        match self.below(14) {
            13 => self.below(1 << 16) << 16 | self.below(1 << 16),
            edge => EDGES[edge as usize],
        }
    }
}

/// The file of a program with this code at 0x10000, and a page of data behind it.
pub(crate) fn file(code: &[u32]) -> Vec<u8> {
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xf3\0".to_vec();
    let mut words = |words: &[u32]| file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    words(&[1, 0x10000, 52, 0, 0, 52 | 32 << 16, 2, 0]);
    words(&[1, 116, 0x10000, 0, code.len() as u32, code.len() as u32, 5, 4]);
    words(&[1, 0, 0x20000, 0, 0, 4096, 6, 4]);
    file.extend(code);
    file
}

pub(crate) fn constant(d: u32, value: u32) -> [u32; 2] {
    [value.wrapping_add(0x800) & 0xffff_f000 | d << 7 | 0x37, 0x13 | d << 7 | d << 15 | (value & 0xfff) << 20]
}

/// `exit` with what is in a0.
pub(crate) const EXIT: [u32; 2] = [93 << 20 | 17 << 7 | 0x13, 0x73];

/// Straight code over edges: each register gets a word, and then comes one operation after the other.
pub(crate) fn random(numbers: &mut Numbers, length: usize) -> Vec<u32> {
    let register = |op: u32, d: u32, f3: u32, a: u32, b: u32, f7: u32| {
        op | d << 7 | f3 << 12 | a << 15 | b << 20 | f7 << 25
    };
    let mut code: Vec<u32> = (1..16).flat_map(|d| constant(d, numbers.word())).collect();
    code.extend(constant(31, 0x20000));
    for _ in 0..length {
        let [d, a, b] = [(); 3].map(|()| numbers.below(16));
        let alternate = |f3: u32, numbers: &mut Numbers, of: &[u32]| {
            if of.contains(&f3) { 32 * numbers.below(2) } else { 0 }
        };
        code.push(match numbers.below(10) {
            0..=2 => register(0x33, d, numbers.below(8), a, b, 1),
            3..=5 => {
                let f3 = numbers.below(8);
                register(0x33, d, f3, a, b, alternate(f3, numbers, &[0, 5]))
            }
            6 | 7 => match numbers.below(8) {
                f3 @ (1 | 5) => register(0x13, d, f3, a, numbers.below(32), alternate(f3, numbers, &[5])),
                f3 => {
                    let immediate =
                        [0, 1, 0xfff, 0x7ff, 0x800, numbers.below(4096)][numbers.below(6) as usize];
                    0x13 | d << 7 | f3 << 12 | a << 15 | immediate << 20
                }
            },
            8 => {
                let f3 = [0, 1, 2, 4, 5][numbers.below(5) as usize];
                let at = numbers.below(64 >> (f3 & 3)) << (f3 & 3);
                0x03 | d << 7 | f3 << 12 | 31 << 15 | at << 20
            }
            _ => {
                let f3 = numbers.below(3);
                let at = numbers.below(64 >> f3) << f3;
                0x23 | (at & 31) << 7 | f3 << 12 | 31 << 15 | b << 20 | at >> 5 << 25
            }
        });
        if numbers.below(10) == 0 {
            // Over the next instruction, or not.
            code.push(register(0x63, 8, [0, 1, 4, 5, 6, 7][numbers.below(6) as usize], a, b, 0));
        }
    }
    code.push(0x13);
    code.extend(EXIT);
    code
}

/// The bytes of private input that programs with input begin with, and those of output that they end with.
const READ: u32 = 32;
const WRITTEN: u32 = 24;

/// A random program between a read of private input, to where its loads and stores go, and a write of some of
/// it; with jumps and a loop. Its private input is of that length, or shorter.
fn random_with_input(numbers: &mut Numbers, length: usize) -> (Vec<u32>, Vec<u8>) {
    let addi = |d: u32, a: u32, value: u32| 0x13 | d << 7 | a << 15 | value << 20;
    let call = |number: u32, descriptor: u32, address: u32, length: u32| {
        let [high, low] = constant(11, address);
        [addi(10, 0, descriptor), high, low, addi(12, 0, length), addi(17, 0, number), 0x73]
    };
    let mut code = call(63, 0, 0x20000, READ).to_vec();
    let mut straight = random(numbers, length);
    straight.truncate(straight.len() - EXIT.len());
    // Where no branch goes over it: behind the words that registers begin with, at first.
    let begin = 2 * 16;
    code.extend(straight.drain(..begin));
    let [d, a, b] = [(); 3].map(|()| numbers.below(16));
    code.extend(match numbers.below(4) {
        // Over an instruction, by a jump to where the program says, and to where a register does.
        0 => vec![0x6f | d << 7 | 4 << 21, addi(a, a, 1)],
        1 => vec![0x17 | 30 << 7, 0x67 | d << 7 | 30 << 15 | 12 << 20, addi(a, a, 1)],
        2 => vec![0x17 | d << 7 | numbers.word() & 0xffff_f000, 0x37 | a << 7 | numbers.word() & 0xffff_f000],
        // A loop: back by two instructions.
        _ => {
            let back = 0x63 | 1 << 12 | 30 << 15 | 12 << 8 | 1 << 7 | 63 << 25 | 1 << 31;
            vec![
                addi(30, 0, 1 + numbers.below(5)),
                0x33 | d << 7 | a << 15 | b << 20,
                addi(30, 30, 0xfff),
                back,
            ]
        }
    });
    code.extend(straight);
    code.extend([addi(18, 10, 0), addi(19, 11, 0), addi(20, 12, 0)]);
    code.extend(call(64, 1, 0x20000 + numbers.below(READ), WRITTEN));
    code.extend(EXIT);
    let private = (0..numbers.below(READ + 1)).map(|_| numbers.below(256) as u8).collect();
    (code, private)
}

/// Little memory, so that there are few cells.
const LITTLE: Layout = Layout { heap: 4096, stack: 4096 };

fn random_programs_agree(seed: u64, count: usize) {
    let mut numbers = Numbers(seed);
    for _ in 0..count {
        let (code, private) = random_with_input(&mut numbers, 40);
        let program = Program::read(&file(&code)).expect("a program");
        agree_in(LITTLE, &program, b"", &private);
    }
}

#[test]
fn random_programs_run_as_they_do_in_the_clear() {
    random_programs_agree(5, 100);
}

#[test]
#[ignore = "slow"]
fn many_random_programs_run_as_they_do_in_the_clear() {
    random_programs_agree(6, 100_000);
}

/// The rows and the end of a program of these instructions.
fn ends(code: &[u32]) -> (u64, u64) {
    agree(&Program::read(&file(code)).expect("a program"), b"", b"")
}

#[test]
fn faults_are_ends_that_rows_show() {
    let load = |f3: u32, at: u32| 0x03 | 5 << 7 | f3 << 12 | 31 << 15 | at << 20;
    let store = |f3: u32, at: u32| 0x23 | (at & 31) << 7 | f3 << 12 | 31 << 15 | at >> 5 << 25;
    let at = |address: u32, then: u32| [&constant(31, address)[..], &[then, 0x13]].concat();
    for code in [
        vec![0],
        vec![0x0010_0073],
        vec![0x0000_100f],
        at(0, load(2, 0)),
        at(0x20000, load(2, 2)),
        at(0x20000, load(5, 1)),
        at(0x20ffc, load(2, 4)),
        at(0x8000_0000, load(0, 0)),
        at(0xffff_fffc, load(2, 0)),
        at(0x10000, store(2, 0)),
        at(0x10000, store(0, 1)),
        at(0x20000, store(1, 1)),
        at(0x0fff_f000, store(2, 0)),
        at(0x20000, 0x67 | 31 << 15),
        at(0x10000, 0x67 | 31 << 15 | 2 << 20),
        at(0xffff_fffe, 0x67 | 31 << 15),
        vec![0x6f | 0x80 << 24],
        vec![0x13],
        // An access behind which nothing is.
        vec![0x8000_0fb7, load(2, 0)],
        vec![0x8000_0fb7, load(0, 1)],
        vec![0x8000_0fb7, store(2, 0)],
        vec![0x8000_0fb7, store(1, 1)],
        // A branch behind which nothing is, taken and not.
        vec![0x0000_0463],
        vec![0x13 | 5 << 7, 0x13 | 6 << 7 | 1 << 20, 0x0062_8463],
    ] {
        ends(&code);
    }
}

/// Calls return what the interpreter has, each result kept in a register of its own.
#[test]
fn calls_are_rows() {
    let addi = |d: u32, a: u32, value: i32| 0x13 | d << 7 | a << 15 | (value as u32 & 0xfff) << 20;
    let mut code = Vec::new();
    let mut keeps = 18..;
    let mut call = |number: i32, descriptor: i32, address: u32, length: i32| {
        code.push(addi(10, 0, descriptor));
        code.extend(constant(11, address));
        code.extend([addi(12, 0, length), addi(17, 0, number), 0x73]);
        let kept = keeps.next().expect("a register");
        code.push(addi(kept, 10, 0));
    };
    // Read to the end of both inputs, some of it at odd addresses, and given out again.
    call(63, 3, 0x20001, 5);
    call(63, 3, 0x20008, 100);
    call(63, 0, 0x20043, 9);
    call(63, 0, 0x20050, -1);
    call(63, 0, 0x20050, 4);
    call(64, 1, 0x20000, 13);
    call(64, 2, 0x20001, 7);
    call(64, 7, 0x20000, 1);
    call(63, 1, 0x20000, 1);
    call(57, 0, 0, 0);
    call(62, 0, 0, 0);
    call(29, 0, 0, 0);
    call(0, 0, 0, 0);
    call(1000, 0, 0, 0);
    // The heap moves within its bounds.
    for (kept, address) in [(5, 0), (6, 0x21010), (7, 0x21000), (8, 0x61000), (9, 0x61001), (13, 0x20fff)] {
        code.extend(constant(10, address));
        code.extend([addi(17, 0, 214), 0x73, addi(kept, 10, 0)]);
    }
    for word in 0..24 {
        let load = 0x03 | 14 << 7 | 2 << 12 | 15 << 15 | (4 * word) << 20;
        code.extend([&constant(15, 0x20000)[..], &[load, 0x33 | 16 << 7 | 16 << 15 | 14 << 20]].concat());
    }
    code.push(addi(10, 0, 3));
    code.extend(EXIT);
    let program = Program::read(&file(&code)).expect("a program");
    agree(&program, b"public input", b"and a private one of some length");
    agree(&program, b"", b"");
    agree(&program, b"12345", b"123456789");
    // Where nothing is, the call is a fault; and behind it, where that is.
    agree(&Program::read(&file(&[addi(17, 0, 57), 0x73])).expect("a program"), b"", b"");
    for number in [63, 64] {
        let mut code = vec![addi(10, 0, 0), addi(12, 0, 8), addi(17, 0, number), 0x73];
        code[0] = addi(10, 0, if number == 64 { 1 } else { 0 });
        code.splice(1..1, constant(11, 0x8fffc));
        agree(&Program::read(&file(&code)).expect("a program"), b"", b"eight by");
    }
}
