//! Instructions as assemblers write them.

use super::{Instruction, Op, Sign, Width};
use std::fmt;

/// The names of registers by their use.
const NAMES: [&str; 33] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "zero",
];

/// The name of register number `number`.
pub(crate) fn register(number: u8) -> &'static str {
    NAMES[usize::from(number)]
}

pub(super) fn write(instruction: &Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Instruction { op, rd, rs1, rs2, immediate } = *instruction;
    let [rd, rs1, rs2] = [rd, rs1, rs2].map(register);
    let signed = immediate as i32;
    let lower = |name: &dyn fmt::Debug| format!("{name:?}").to_lowercase();
    match op {
        Op::Register(alu) => write!(f, "{} {rd}, {rs1}, {rs2}", lower(&alu)),
        Op::Immediate(super::Alu::Sltu) => write!(f, "sltiu {rd}, {rs1}, {signed}"),
        Op::Immediate(alu) => write!(f, "{}i {rd}, {rs1}, {signed}", lower(&alu)),
        Op::Constant => write!(f, "li {rd}, {immediate:#x}"),
        Op::Branch(condition) => write!(f, "b{} {rs1}, {rs2}, {immediate:#x}", lower(&condition)),
        Op::Jump => write!(f, "jal {rd}, {immediate:#x}"),
        Op::JumpRegister => write!(f, "jalr {rd}, {signed}({rs1})"),
        Op::Load(width, sign) => {
            let unsigned = if sign == Sign::Unsigned && width != Width::Word { "u" } else { "" };
            write!(f, "l{}{unsigned} {rd}, {signed}({rs1})", letter(width))
        }
        Op::Store(width) => write!(f, "s{} {rs2}, {signed}({rs1})", letter(width)),
        Op::Fence => f.write_str("fence"),
        Op::FenceInstructions => f.write_str("fence.i"),
        Op::Call => f.write_str("ecall"),
        Op::Break => f.write_str("ebreak"),
        Op::Control => write!(f, "csrrw {rd}, {immediate:#x}, {rs1}"),
        Op::SetReturn => write!(f, "csrrw {rd}, mepc, {rs1}"),
        Op::Return => f.write_str("mret"),
        Op::Illegal => write!(f, ".word {immediate:#010x}"),
    }
}

fn letter(width: Width) -> char {
    match width {
        Width::Byte => 'b',
        Width::Half => 'h',
        Width::Word => 'w',
    }
}
