//! Instructions of RV32IM, decoded once for each word of a program.

mod text;

pub(crate) use text::register;

use std::fmt;

/// An instruction, with all that follows from its address computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// The register that is written to; 32 where it is x0, which nobody reads.
    pub rd: u8,
    /// The first register that is read.
    pub rs1: u8,
    /// The second one.
    pub rs2: u8,
    /// An operand, or an absolute address.
    pub immediate: u32,
}

/// An operation; `i` is the immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `rd = rs1 ∘ rs2`.
    Register(Alu),
    /// `rd = rs1 ∘ i`.
    Immediate(Alu),
    /// `rd = i`.
    Constant,
    /// A jump to `i`, where the condition holds of `rs1` and `rs2`.
    Branch(Condition),
    /// A jump to `i`; `rd` is the address of the next instruction.
    Jump,
    /// A jump to `rs1 + i`, without its lowest bit; `rd` is the address of the next instruction.
    JumpRegister,
    /// `rd` is what stands at `rs1 + i`.
    Load(Width, Sign),
    /// `rs2` is what stands at `rs1 + i` from now on.
    Store(Width),
    /// Nothing.
    Fence,
    /// The fault of what would run instructions that it has stored.
    FenceInstructions,
    /// A call.
    Call,
    /// A stop for a debugger, which is a fault.
    Break,
    /// `rd = 0`: a register of control, of which there are none.
    Control,
    /// `rd = 0`, as for [`Op::Control`], and `rs1` is where [`Op::Return`] goes to.
    SetReturn,
    /// A jump to where [`Op::SetReturn`] said.
    Return,
    /// No instruction; `i` is its word.
    Illegal,
}

/// An operation on two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as the specification of RISC-V names them")]
pub enum Alu {
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as the specification of RISC-V names them")]
pub enum Condition {
    Eq,
    Ne,
    Lt,
    Ge,
    Ltu,
    Geu,
}

/// How much is loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A byte.
    Byte,
    /// Two.
    Half,
    /// Four.
    Word,
}

impl Width {
    /// Bytes.
    #[inline(always)]
    pub fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word => 4,
        }
    }
}

/// The bits above a value that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Copies of its highest bit.
    Signed,
    /// Zeros.
    Unsigned,
}

/// The register that stands for x0 where it is written to.
pub(crate) const NOWHERE: u8 = 32;

/// The instruction whose word stands at `address`. Registers of control are there for programs that set up a
/// machine before they do anything: they read zero, and nothing comes of what is written to them, but for
/// `mepc`, which is written by `csrrw` alone: other writes to it are illegal here. As the specification has it, a
/// write to one that can only be read is illegal, and so is `unimp`.
pub fn decode(word: u32, address: u32) -> Instruction {
    let field = |at: u32, bits: u32| word >> at & ((1 << bits) - 1);
    let register = |at: u32| field(at, 5) as u8;
    let (rd, rs1, rs2) = (register(7), register(15), register(20));
    let rd = if rd == 0 { NOWHERE } else { rd };
    let (funct3, funct7) = (field(12, 3), field(25, 7));
    let of = |op: Op, rd: u8, rs1: u8, rs2: u8, immediate: u32| Instruction { op, rd, rs1, rs2, immediate };
    let illegal = of(Op::Illegal, NOWHERE, 0, 0, word);
    let low = (word as i32 >> 20) as u32;
    match field(0, 7) {
        0x37 => of(Op::Constant, rd, 0, 0, word & !0xfff),
        0x17 => of(Op::Constant, rd, 0, 0, address.wrapping_add(word & !0xfff)),
        0x6f => {
            let offset = ((word as i32 >> 31) as u32) << 20
                | field(12, 8) << 12
                | field(20, 1) << 11
                | field(21, 10) << 1;
            of(Op::Jump, rd, 0, 0, address.wrapping_add(offset))
        }
        0x67 if funct3 == 0 => of(Op::JumpRegister, rd, rs1, 0, low),
        0x63 => {
            use Condition::{Eq, Ge, Geu, Lt, Ltu, Ne};
            let condition = match funct3 {
                0 => Eq,
                1 => Ne,
                4 => Lt,
                5 => Ge,
                6 => Ltu,
                7 => Geu,
                _ => return illegal,
            };
            let offset =
                ((word as i32 >> 31) as u32) << 12 | field(7, 1) << 11 | field(25, 6) << 5 | field(8, 4) << 1;
            of(Op::Branch(condition), NOWHERE, rs1, rs2, address.wrapping_add(offset))
        }
        0x03 => {
            let (width, sign) = match funct3 {
                0 => (Width::Byte, Sign::Signed),
                1 => (Width::Half, Sign::Signed),
                2 => (Width::Word, Sign::Unsigned),
                4 => (Width::Byte, Sign::Unsigned),
                5 => (Width::Half, Sign::Unsigned),
                _ => return illegal,
            };
            of(Op::Load(width, sign), rd, rs1, 0, low)
        }
        0x23 => {
            let width = match funct3 {
                0 => Width::Byte,
                1 => Width::Half,
                2 => Width::Word,
                _ => return illegal,
            };
            let offset = ((word as i32 >> 25) as u32) << 5 | field(7, 5);
            of(Op::Store(width), NOWHERE, rs1, rs2, offset)
        }
        0x13 => {
            let (alu, immediate) = match (funct3, funct7) {
                (0, _) => (Alu::Add, low),
                (1, 0) => (Alu::Sll, rs2.into()),
                (2, _) => (Alu::Slt, low),
                (3, _) => (Alu::Sltu, low),
                (4, _) => (Alu::Xor, low),
                (5, 0) => (Alu::Srl, rs2.into()),
                (5, 0x20) => (Alu::Sra, rs2.into()),
                (6, _) => (Alu::Or, low),
                (7, _) => (Alu::And, low),
                _ => return illegal,
            };
            of(Op::Immediate(alu), rd, rs1, 0, immediate)
        }
        0x33 => {
            use Alu::{Add, And, Div, Divu, Mul, Mulh, Mulhsu, Mulhu, Or, Rem, Remu, Sll, Slt, Sltu};
            use Alu::{Sra, Srl, Sub, Xor};
            let alu = match funct7 {
                0 => [Add, Sll, Slt, Sltu, Xor, Srl, Or, And][funct3 as usize],
                1 => [Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu][funct3 as usize],
                0x20 if funct3 == 0 => Sub,
                0x20 if funct3 == 5 => Sra,
                _ => return illegal,
            };
            of(Op::Register(alu), rd, rs1, rs2, 0)
        }
        0x0f if funct3 == 0 => of(Op::Fence, NOWHERE, 0, 0, 0),
        0x0f if funct3 == 1 => of(Op::FenceInstructions, NOWHERE, 0, 0, 0),
        0x73 if word == 0x0000_0073 => of(Op::Call, NOWHERE, 0, 0, 0),
        0x73 if word == 0x0010_0073 => of(Op::Break, NOWHERE, 0, 0, 0),
        0x73 if word == 0x3020_0073 => of(Op::Return, NOWHERE, 0, 0, 0),
        0x73 if funct3 == 1 && field(20, 12) == MEPC => of(Op::SetReturn, rd, rs1, 0, 0),
        0x73 if funct3 & 3 != 0 => {
            // Setting or clearing no bit is no write.
            let writes = funct3 & 3 == 1 || rs1 != 0;
            let refused = field(30, 2) == 3 || field(20, 12) == MEPC;
            if writes && refused { illegal } else { of(Op::Control, rd, rs1, 0, field(20, 12)) }
        }
        _ => illegal,
    }
}

/// The number of the register of control from which `mret` takes an address.
const MEPC: u32 = 0x341;

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(self, f)
    }
}
