//! A row: its columns, how an honest one is filled, and what is checked of one in the clear.

use super::class::{Class, READ_ONLY, Size};
use super::form::Term;
use super::rom::{Alternative, BESIDE, Place, register};
use zeroize::Zeroize;

/// The columns of a row, to which the prover commits. The words that accesses find, and their timestamps, are
/// committed to beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The place of the next row.
    Next,
    /// The class, by group and member.
    Group,
    Member,
    /// Whether S3 to S6 are bytes with an operation.
    Logic,
    /// The address of the first access.
    First,
    Second,
    Third,
    /// The part of the other addresses that depends on the row: of a load the second address, of a store the
    /// third.
    Accessed,
    /// The part of `Next` that depends on the row: all of it, in a jump to where a register says.
    Jumped,
    Immediate,
    C0,
    C1,
    S3,
    S4,
    S5,
    S6,
    S7,
    S8,
}

/// How many columns there are.
pub(super) const COLUMNS: usize = 18;

impl Column {
    pub(super) const ALL: [Self; COLUMNS] = {
        use Column::{
            Accessed, C0, C1, First, Group, Immediate, Jumped, Logic, Member, Next, S3, S4, S5, S6,
        };
        use Column::{S7, S8, Second, Third};
        [
            Next, Group, Member, Logic, First, Second, Third, Accessed, Jumped, Immediate, C0, C1, S3, S4,
            S5, S6, S7, S8,
        ]
    };

    /// The term that it is in equations.
    pub(super) fn term(self) -> Option<Term> {
        Some(match self {
            Self::Immediate => Term::I,
            Self::C0 => Term::C0,
            Self::C1 => Term::C1,
            Self::S3 => Term::S3,
            Self::S4 => Term::S4,
            Self::S5 => Term::S5,
            Self::S6 => Term::S6,
            Self::S7 => Term::S7,
            Self::S8 => Term::S8,
            _ => return None,
        })
    }
}

/// The prime over which runs are proved.
pub(super) const P: u64 = (1 << 61) - 1;

const L: u64 = 1 << 16;
const W: u64 = 1 << 32;

/// A row with the words that its accesses find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) place: Place,
    pub(super) columns: [u64; COLUMNS],
    /// The words that the three accesses find.
    pub(super) found: [u32; 3],
}

impl Zeroize for Row {
    fn zeroize(&mut self) {
        self.place.zeroize();
        self.columns.zeroize();
        self.found.zeroize();
    }
}

/// Limbs that a class says of, as a row is filled.
#[derive(Clone, Copy, Default)]
struct Limbs {
    c: u32,
    s: [u64; 4],
    bits: [u64; 2],
}

impl Limbs {
    fn c(c: u32) -> Self {
        Self { c, ..Self::default() }
    }

    /// The columns with S3 and S4 set.
    fn d(self, d: u64) -> Self {
        let [_, _, t, u] = self.s;
        Self { s: [d % L, d / L, t, u], ..self }
    }

    /// The columns with S5 and S6 set.
    fn t(self, t: u64) -> Self {
        let [d, e, ..] = self.s;
        Self { s: [d, e, t % L, t / L], ..self }
    }
}

/// Memory, as a row reads it.
pub(super) trait Finds {
    /// The word at an address of a cell, if there is one.
    fn word(&self, address: u64) -> Option<u32>;

    /// Whether the word at this place of memory is only read.
    fn is_read_only(&self, address: u64) -> bool;
}

impl Row {
    /// The row at `place` by `alternative`, which `advice` is for, if there is one.
    pub(super) fn fill(
        place: Place,
        alternative: &Alternative,
        memory: &impl Finds,
        advice: impl FnOnce() -> u32,
    ) -> Option<Self> {
        #[cfg(test)]
        FILLED.set(FILLED.get() + 1);
        let Alternative { class, reads, writes, immediate, next, .. } = *alternative;
        let first = register(reads[0]);
        let a = memory.word(first)?;
        let i = u64::from(immediate);
        let sum = a.wrapping_add(immediate);
        let aligned = u64::from(sum & !3);
        let mut accessed = 0;
        match class {
            Class::Lw | Class::Lhalf => {
                let read_only = memory.is_read_only(aligned);
                accessed = aligned + if read_only { READ_ONLY as u64 } else { 0 };
            }
            Class::Lio => accessed = aligned + super::class::OF_STREAM as u64,
            Class::Sw | Class::Shalf => accessed = aligned,
            _ => {}
        }
        let second = if class.loads() { accessed } else { register(reads[1]) };
        let third = if class.stores() { accessed } else { register(writes) };
        let (b, o) = (memory.word(second)?, memory.word(third)?);
        let (a_, b_, o_) = (u64::from(a), u64::from(b), u64::from(o));
        // S3 and S4 of an address, S5, and the carry.
        let address = |shift: u32| {
            let carry = (a_ + i) / W;
            let mut limbs = Limbs::default().d(sum.into());
            limbs.s[2] = (u64::from(sum) % L) >> shift;
            limbs.bits[0] = carry;
            limbs
        };
        let (half, byte) = (sum >> 1 & 1, sum & 1);
        let mut jumped = 0;
        let limbs = match class {
            Class::Add => {
                let total = a_ + b_ + i;
                Limbs { bits: [total / W, 0], ..Limbs::c(total as u32) }
            }
            Class::Sub => Limbs { bits: [u64::from(a < b), 0], ..Limbs::c(a.wrapping_sub(b)) },
            Class::Ltu => {
                let less = a < b;
                if u64::from(less) != i {
                    return None;
                }
                Limbs::c(immediate).d(a_ + i * W - b_)
            }
            Class::Lt => {
                if u64::from((a as i32) < (b as i32)) != i {
                    return None;
                }
                let [x, y] = [a, b].map(|word| word ^ 1 << 31);
                let mut limbs = Limbs::c(immediate).d(u64::from(x) + i * W - u64::from(y));
                (limbs.s[2], limbs.s[3]) = (u64::from(x >> 16), u64::from(y >> 16));
                limbs.bits = [u64::from(a >> 31), u64::from(b >> 31)];
                limbs
            }
            Class::Mul => {
                let product = a_ * b_;
                Limbs::c(product as u32).t(a_ * (b_ % L) / L).d(product / W)
            }
            Class::Mulhu => {
                let product = a_ * b_;
                Limbs::c((product / W) as u32).t(a_ * (b_ % L) / L).d(product % W)
            }
            Class::Div => {
                let left = a_.checked_sub(o_ * b_)?;
                Limbs::c(u32::try_from(left).ok()?).t(o_ * (b_ / L))
            }
            Class::Select if a != immediate => return None,
            Class::Select => Limbs::c(b),
            Class::Eq if a != b => return None,
            Class::Eq => Limbs::c(advice()),
            Class::And | Class::Or | Class::Xor => {
                let c = match class {
                    Class::And => a & b,
                    Class::Or => a | b,
                    _ => a ^ b,
                };
                let bytes = |word: u32| word.to_le_bytes().map(u64::from);
                let (x, y) = (bytes(a), bytes(b));
                let s = core::array::from_fn(|k| triple(x[k], y[k]));
                Limbs { s, ..Limbs::c(c) }
            }
            Class::Lw | Class::Sw => {
                if sum % 4 != 0 {
                    return None;
                }
                let read_only = accessed - aligned == READ_ONLY as u64;
                let mut limbs = address(2);
                (limbs.c, limbs.bits[1]) = (b, u64::from(read_only));
                limbs
            }
            Class::Lhalf | Class::Lio => {
                let mut limbs = address(2);
                limbs.c = (b >> (16 * half)) & 0xffff | byte << 16;
                limbs.bits[1] = half.into();
                if class == Class::Lhalf {
                    limbs.s[3] = u64::from(accessed > aligned);
                }
                limbs
            }
            Class::Shalf => {
                let mut limbs = address(2);
                limbs.c = if half == 1 { o & 0xffff | b << 16 } else { o & !0xffff | b & 0xffff };
                limbs.bits[1] = half.into();
                limbs
            }
            Class::Jalr => {
                if sum & 2 != 0 {
                    return None;
                }
                jumped = aligned;
                let mut limbs = address(2);
                limbs.bits[1] = byte.into();
                limbs
            }
            Class::Byte | Class::Putb => {
                let [low, high, which, _] = a.to_le_bytes();
                let c = match (class, which) {
                    (Class::Byte, 0) => low.into(),
                    (Class::Byte, _) => high.into(),
                    (_, 0) => b + 256 * u32::from(high),
                    _ => u32::from(low) + 256 * b,
                };
                Limbs { s: [0, 256 * u64::from(low), high.into(), 0], ..Limbs::c(c) }
            }
        };
        let next = next.unwrap_or(jumped);
        let [group, member] = class.digits();
        let accessed = if class.stores() { beside(accessed) } else { accessed };
        let (c, s) = (u64::from(limbs.c), limbs.s);
        let columns = [
            next,
            group,
            member,
            class.is_logic().into(),
            first,
            second,
            third,
            accessed,
            jumped,
            i,
            c % L,
            c / L,
            s[0],
            s[1],
            s[2],
            s[3],
            limbs.bits[0],
            limbs.bits[1],
        ];
        Some(Self { place, columns, found: [a, b, o] })
    }

    pub(super) fn column(&self, column: Column) -> u64 {
        self.columns[column as usize]
    }

    /// The word that it writes.
    pub(super) fn written(&self) -> u32 {
        (self.column(Column::C0) + L * self.column(Column::C1)) as u32
    }
}

/// [`BESIDE`] times a number below 2^61 − 1, modulo that, by which it is a rotation: a division would take its
/// time in stores alone.
fn beside(number: u64) -> u64 {
    const BY: u32 = BESIDE.trailing_zeros();
    (number << BY & P) | number >> (61 - BY)
}

#[cfg(test)]
thread_local! {
    /// The rows that this thread has tried to fill.
    pub(super) static FILLED: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Bytes with what they have in common, as one number.
pub(super) fn triple(x: u64, y: u64) -> u64 {
    let apart = Size::FULL.apart() as u64;
    x + apart * y + apart * apart * (x & y)
}
