//! Programs made in place, and their runs.

use volery::Result;
use volery::circuit::stream::{Source, Stream};
use volery::{Error, F2};
use volery_processor::{Claim, Ended, Inputs, Layout, Misaligned, Nobody, Place, Program, Run, Told};

/// The addresses at which text and data of programs made here begin, and the length of the data.
pub(crate) const TEXT: u32 = 0x1_0000;
pub(crate) const DATA: u32 = 0x2_0000;
pub(crate) const DATA_LENGTH: u32 = 0x2000;

/// Registers by their use.
pub(crate) const SP: u32 = 2;
pub(crate) const A0: u32 = 10;
pub(crate) const A1: u32 = 11;
pub(crate) const A2: u32 = 12;
pub(crate) const A7: u32 = 17;

pub(crate) const CALL: u32 = 0x73;
pub(crate) const BREAK: u32 = 0x10_0073;

/// The operations of two registers, as `arithmetic.txt` has them: names, `funct7` and `funct3`.
pub(crate) const OPERATIONS: [(&str, u32, u32); 18] = [
    ("add", 0, 0),
    ("sub", 0x20, 0),
    ("sll", 0, 1),
    ("slt", 0, 2),
    ("sltu", 0, 3),
    ("xor", 0, 4),
    ("srl", 0, 5),
    ("sra", 0x20, 5),
    ("or", 0, 6),
    ("and", 0, 7),
    ("mul", 1, 0),
    ("mulh", 1, 1),
    ("mulhsu", 1, 2),
    ("mulhu", 1, 3),
    ("div", 1, 4),
    ("divu", 1, 5),
    ("rem", 1, 6),
    ("remu", 1, 7),
];

pub(crate) fn register(funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33
}

pub(crate) fn immediate(funct3: u32, rd: u32, rs1: u32, value: i32) -> u32 {
    (value as u32 & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x13
}

pub(crate) fn addi(rd: u32, rs1: u32, value: i32) -> u32 {
    immediate(0, rd, rs1, value)
}

pub(crate) fn lui(rd: u32, value: u32) -> u32 {
    value & !0xfff | rd << 7 | 0x37
}

/// `rd = value`.
pub(crate) fn constant(rd: u32, value: u32) -> [u32; 2] {
    let low = (value as i32) << 20 >> 20;
    [lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)]
}

pub(crate) fn load(funct3: u32, rd: u32, rs1: u32, offset: i32) -> u32 {
    (offset as u32 & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x03
}

pub(crate) fn store(funct3: u32, rs2: u32, rs1: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (offset & 31) << 7 | 0x23
}

pub(crate) fn branch(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 12 & 1) << 31
        | (o >> 5 & 63) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (o >> 1 & 15) << 8
        | (o >> 11 & 1) << 7
        | 0x63
}

pub(crate) fn jal(rd: u32, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 255) << 12 | rd << 7 | 0x6f
}

pub(crate) fn jalr(rd: u32, rs1: u32, offset: i32) -> u32 {
    (offset as u32 & 0xfff) << 20 | rs1 << 15 | rd << 7 | 0x67
}

/// The call of this number, whose arguments are there.
pub(crate) fn call(number: i32) -> [u32; 2] {
    [addi(A7, 0, number), CALL]
}

/// `read` or `write` (63, 64) of so many bytes at `DATA + at`.
pub(crate) fn move_bytes(number: i32, descriptor: i32, at: u32, length: i32) -> Vec<u32> {
    let address = constant(A1, DATA + at);
    [&[addi(A0, 0, descriptor)], &address[..], &[addi(A2, 0, length)], &call(number)[..]].concat()
}

/// A segment: address, bytes, size in memory, flags (1 executable, 2 writable, 4 readable).
pub(crate) type Part<'a> = (u32, &'a [u8], u32, u32);

/// An ELF file of these segments.
pub(crate) fn file(entry: u32, parts: &[Part<'_>]) -> Vec<u8> {
    let mut file = vec![0; 52 + 32 * parts.len()];
    file[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, &2u16.to_le_bytes());
    put(18, &243u16.to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(24, &entry.to_le_bytes());
    put(28, &52u32.to_le_bytes());
    put(40, &52u16.to_le_bytes());
    put(42, &32u16.to_le_bytes());
    put(44, &(parts.len() as u16).to_le_bytes());
    for (i, (address, bytes, size, flags)) in parts.iter().enumerate() {
        let offset = file.len() as u32;
        let fields = [1, offset, *address, *address, bytes.len() as u32, *size, *flags, 4];
        for (j, field) in fields.into_iter().enumerate() {
            file[52 + 32 * i + 4 * j..][..4].copy_from_slice(&u32::to_le_bytes(field));
        }
        file.extend_from_slice(bytes);
    }
    file
}

pub(crate) fn bytes(code: &[u32]) -> Vec<u8> {
    code.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The program of this code, with data that begin with zeros.
pub(crate) fn program(code: &[u32]) -> Program {
    let text = bytes(code);
    let parts = [(TEXT, &text[..], text.len() as u32, 5), (DATA, &[][..], DATA_LENGTH, 6)];
    Program::read(&file(TEXT, &parts)).expect("a program")
}

/// The usual bounds.
pub(crate) fn inputs(public: &[u8]) -> Inputs<'_> {
    Inputs {
        public,
        layout: Layout::default(),
        misaligned: Misaligned::Fault,
        cycles: 1_000_000,
        output: 4096,
    }
}

/// A run in the clear.
pub(crate) fn run(program: &Program, public: &[u8], private: &[u8]) -> Result<Ended> {
    let locate = |address| place(program, address);
    Run::new(program, inputs(public), &locate).in_the_clear(private, &mut Nobody)
}

fn place(program: &Program, address: u32) -> Place {
    program.symbols().place(address)
}

/// Whether a run under public control ends as claimed, in the clear.
pub(crate) fn check(program: &Program, public: &[u8], private: &[u8], claim: Claim) -> Result<()> {
    let locate = |address| place(program, address);
    let run = Run::new(program, inputs(public), &locate);
    let claimed = run.claimed(claim);
    volery::check(&claimed as &dyn Source<F2>, claimed.witness(private))
}

/// The ANDs of a run under public control.
pub(crate) fn ands(program: &Program, public: &[u8], claim: Claim) -> Result<u64> {
    let locate = |address| place(program, address);
    let run = Run::new(program, inputs(public), &locate);
    Ok(Stream::new(&run.claimed(claim)).count()?.mul)
}

/// The claim of an exit with code 0 that gives out `output`.
pub(crate) fn gives(private: &[u8], output: &[u8]) -> Claim {
    Claim { private: private.len(), output: output.to_vec(), end: Told::Exit(0) }
}

/// The text of an error, which has to be there.
#[track_caller]
pub(crate) fn why<T>(result: Result<T, Error>) -> String {
    result.err().expect("an error").to_string()
}
