//! Classes of rows: what a row has to keep of what it reads, writes and jumps to.
//!
//! Words are two limbs of 16 bits; L = 2^16, W = 2^32, H = 2^8, Q = 2^18. `a`, `b`, `o` are the words that the
//! three accesses find, `c` is what the third writes, `i` is public. `D = S3 + L·S4` and `T = S5 + L·S6` are
//! made of limbs, `S7` and `S8` are bits in every row. Every class has two equations at most, of degree two
//! at most:
//!
//! | class | first | second |
//! |---|---|---|
//! | ADD | a + b + i − c − W·S7 | |
//! | SUB | a − b − c + W·S7 | |
//! | LTU | a − b + W·i − D | c − i |
//! | LT | (a0 + L·S5) − (b0 + L·S6) + W·i − D + 2^36·(S6 − b1 − L/2 + L·S8) | c − i + 2^34·(S5 − a1 − L/2 + L·S7) |
//! | MUL | a·b0 − c0 − L·T | T + a·b1 − c1 − L·D |
//! | MULHU | a·b0 − S3 − L·T | T + a·b1 − S4 − L·c |
//! | DIV | o·b0 + L·S5 + c − a | S5 − o·b1 |
//! | SELECT | a − i | c − b |
//! | AND, OR, XOR | S3 + H·S4 − a0 − Q·b0 − Q²·n0 | S5 + H·S6 − a1 − Q·b1 − Q²·n1 |
//! | EQ | a − b | |
//! | LW | a + i − D − W·S7 + 2^35·(S3 − 4·S5) | c − b |
//! | LHALF | a + i − D − W·S7 + 2^35·(c1 − x) | c1² − c1 + S6² − S6 + 2^34·(c0 − b0 − S8·(b1 − b0)) |
//! | SW | as LW | c − b |
//! | SHALF | a + i − D − W·S7 + 2^35·(c1 − o1 − S8·(b0 − o1)) | x² − x + 2^38·(c0 − b0 − S8·(o0 − b0)) |
//! | JALR | a + i − D − W·S7 + 2^35·(S3 − 4·S5 − S8) | |
//! | BYTE | S4 − H·low | c − low − a1·(S5 − low) |
//! | PUTB | S4 − H·low | c − b0 − H·S5 − a1·(low + H·b0 − b0 − H·S5) |
//! | LIO | as LHALF, without S6 | |
//!
//! where `x = S3 − 4·S5 − 2·S8`, `low = a0 − H·S5`, and n is what `a` and `b` have in common: c, a + b − c, or
//! half of that. LT is signed: S5 and S6 are the high limbs biased by L/2. In BYTE and PUTB `a` is what LHALF
//! or LIO wrote: half a word, and in its high limb which byte of it; in PUTB `b` is a byte.
//!
//! **Nothing wraps.** All limbs, S3 to S6 among them, are in [0, L) by lookups, and `i` is below W in the ROM.
//! So a product is below 2^48 + 2^33, and each part of an equation that has two is so far below the factor
//! of the other that their sum is zero only where both are: LT has |·| < 2^34 + 2^36·2^18, and so on, all
//! below 2^56; where two squares stand in one sum they are of integers, so that none is negative. An equation
//! modulo p is then one of integers. a·b as one product would have second solutions: one factor is split.

use super::form::{Form, Linear, Term, product};

/// The bits of a limb, on which all sizes follow: 16, or fewer where all solutions are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(pub(super) u32);

impl Size {
    /// The size of RV32IM.
    pub(super) const FULL: Self = Self(16);

    /// 2^limb.
    pub(super) fn limb(self) -> i64 {
        1 << self.0
    }

    /// 2^word.
    pub(super) fn word(self) -> i64 {
        1 << (2 * self.0)
    }

    /// 2^byte, of which two are a limb.
    pub(super) fn byte(self) -> i64 {
        1 << (self.0 / 2)
    }

    /// The factor that keeps the operands of a byte's operation apart.
    pub(super) fn apart(self) -> i64 {
        1 << (self.0 + 2)
    }
}

/// A class, by group and member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Class {
    Add,
    Sub,
    Ltu,
    Lt,
    Mul,
    Mulhu,
    Div,
    Select,
    And,
    Or,
    Xor,
    Eq,
    Lw,
    Lhalf,
    Sw,
    Shalf,
    Jalr,
    Byte,
    Putb,
    Lio,
}

/// Groups of classes, and members of each.
pub(super) const GROUPS: usize = 5;
pub(super) const MEMBERS: usize = 4;

/// The offset of the public input and the output among the addresses of cells: words at this plus multiples
/// of four plus [`OF_STREAM`], which no load or store of a program reaches.
pub(super) const STREAMS: u64 = 1 << 25;
pub(super) const OF_STREAM: i64 = 3;

/// The offset that tells words that are only read from others: they lie at their address plus this.
pub(super) const READ_ONLY: i64 = 2;

impl Class {
    pub(super) const ALL: [Self; GROUPS * MEMBERS] = {
        use Class::{Add, And, Byte, Div, Eq, Jalr, Lhalf, Lio, Lt, Ltu, Lw, Mul, Mulhu, Or, Putb, Select};
        use Class::{Shalf, Sub, Sw, Xor};
        [
            Add, Sub, Ltu, Lt, Mul, Mulhu, Div, Select, And, Or, Xor, Eq, Lw, Lhalf, Sw, Shalf, Jalr, Byte,
            Putb, Lio,
        ]
    };

    /// The group of the class, and its member number in the group.
    pub(super) fn digits(self) -> [u64; 2] {
        let number = self as u64;
        [number / MEMBERS as u64, number % MEMBERS as u64]
    }

    /// Whether its limbs S3 to S6 are bytes with what an operation makes of them.
    pub(super) fn is_logic(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor)
    }

    /// Whether the second access is where S4 and S5 say.
    pub(super) fn loads(self) -> bool {
        matches!(self, Self::Lw | Self::Lhalf | Self::Lio)
    }

    /// Whether the third access is.
    pub(super) fn stores(self) -> bool {
        matches!(self, Self::Sw | Self::Shalf)
    }

    /// The equations, each to be zero.
    pub(super) fn equations(self, size: Size) -> [Option<Form>; 2] {
        use Term::{A, A0, A1, B, B0, B1, C, C0, C1, D, I, O, O0, O1, S3, S4, S5, S6, S7, S8, T};
        let (limb, word, byte, bits) = (size.limb(), size.word(), size.byte(), size.0);
        let half = limb / 2;
        let address = || A + I - D - S7 * word;
        let x = || S3 - S5 * 4 - S8 * 2;
        let low = || A0 - S5 * byte;
        // Behind the other part of an equation.
        let above = |places: u32| 1i64 << (2 * bits + places);
        let squares = |what: Linear| product(what, what) - what;
        let chosen =
            |of: Linear, by: Term, zero: Linear, one: Linear| Form::from(of - zero) - product(by, one - zero);
        let logic = |twice: i64, common: fn(Term, Term, Term) -> Linear| {
            let q = size.apart();
            let parts = |[s, t, a, b, c]: [Term; 5]| {
                let bytes = s + t * byte - a - b * q;
                Form::from(bytes * twice - common(a, b, c) * (q * q))
            };
            [Some(parts([S3, S4, A0, B0, C0])), Some(parts([S5, S6, A1, B1, C1]))]
        };
        let [first, second]: [Form; 2] = match self {
            Self::Add => return [Some((A + B + I - C - S7 * word).into()), None],
            Self::Sub => return [Some((A - B - C + S7 * word).into()), None],
            Self::Eq => return [Some((A - B).into()), None],
            Self::Jalr => return [Some((address() + (S3 - S5 * 4 - S8) * above(3)).into()), None],
            Self::And => return logic(1, |_, _, c| c.into()),
            Self::Or => return logic(1, |a, b, c| a + b - c),
            Self::Xor => return logic(2, |a, b, c| a + b - c),
            Self::Ltu => [(A - B + I * word - D).into(), (C - I).into()],
            Self::Lt => {
                let less = (A0 + S5 * limb) - (B0 + S6 * limb) + I * word - D;
                let sign =
                    |s: Term, limb_of: Term, bit: Term| s - limb_of + bit * limb - Linear::constant(half);
                [(less + sign(S6, B1, S8) * above(4)).into(), (C - I + sign(S5, A1, S7) * above(2)).into()]
            }
            Self::Mul => [product(A, B0) - (C0 + T * limb), product(A, B1) + (T - C1 - D * limb)],
            Self::Mulhu => [product(A, B0) - (S3 + T * limb), product(A, B1) + (T - S4 - C * limb)],
            Self::Div => [product(O, B0) + (S5 * limb + C - A), Form::from(S5) - product(O, B1)],
            Self::Select => [(A - I).into(), (C - B).into()],
            Self::Lw | Self::Sw => [(address() + (S3 - S5 * 4) * above(3)).into(), (C - B).into()],
            Self::Lhalf | Self::Lio => {
                let chosen = chosen(C0.into(), S8, B0.into(), B1.into()) * above(2);
                let which = squares(C1.into());
                let bits = if self == Self::Lio { which } else { which + squares(S6.into()) };
                [(address() + (Linear::from(C1) - x()) * above(3)).into(), bits + chosen]
            }
            Self::Shalf => {
                let low = chosen(C0.into(), S8, B0.into(), O0.into());
                let high = chosen(C1.into(), S8, O1.into(), B0.into());
                [Form::from(address()) + high * above(3), squares(x()) + low * above(6)]
            }
            Self::Byte => {
                let byte_of = chosen(C.into(), A1, low(), S5.into());
                [(S4 - low() * byte).into(), byte_of]
            }
            Self::Putb => {
                let put = chosen(C.into(), A1, B0 + S5 * byte, low() + B0 * byte);
                [(S4 - low() * byte).into(), put]
            }
        };
        [Some(first), Some(second)]
    }

    /// The address that a load or a store accesses, as the columns have it.
    pub(super) fn accessed(self, size: Size) -> Option<Linear> {
        let base = base(size);
        Some(match self {
            Self::Lw => base + Term::S8 * READ_ONLY,
            Self::Lhalf => base + Term::S6 * READ_ONLY,
            Self::Sw | Self::Shalf => base,
            Self::Lio => base + Linear::constant(OF_STREAM),
            _ => return None,
        })
    }
}

/// D without its two lowest bits, where the equations have S5 as what is above these in S3.
pub(super) fn base(size: Size) -> Linear {
    Term::S5 * 4 + Term::S4 * size.limb()
}

#[cfg(test)]
mod tests;
