//! Pointers: an array that both parties know, a secret index, and a secret length.

use super::memory::Allocation;
use super::{Bool, Code, Integer, Signed, Size, Unsigned, Value};
use crate::gadget::{Bit, Word};
use core::cell::RefCell;
use core::ops::{Add, Sub};
use std::rc::Rc;
use volery_circuit::Backend;
use volery_primitives::F2;

/// A C pointer into one array of words of N bits.
///
/// Its index counts words, modulo 2^64. Reads and writes assert that it is below the array's length; moving
/// the pointer asserts nothing.
pub struct Pointer<'c, B: Backend, const N: usize> {
    pub(super) code: &'c Code<B>,
    pub(super) memory: Rc<RefCell<Allocation<B::Wire, N>>>,
    pub(super) index: Word<B::Wire, 64>,
    pub(super) length: Word<B::Wire, 64>,
}

/// The index of the null pointer, which no array reaches.
const NULL: u128 = 1 << 63;

/// A number that can be added to a pointer.
pub trait Offset<'c, B: Backend> {
    /// The number, modulo 2^64.
    fn words(self, code: &'c Code<B>) -> Size<'c, B>;
}

impl<'c, B: Backend<F = F2>> Offset<'c, B> for i128 {
    fn words(self, code: &'c Code<B>) -> Size<'c, B> {
        code.number(self)
    }
}

impl<'c, B: Backend<F = F2>, const M: usize, const SIGNED: bool> Offset<'c, B> for Integer<'c, B, M, SIGNED> {
    fn words(self, _: &'c Code<B>) -> Size<'c, B> {
        self.size()
    }
}

/// C's `sizeof(pointer)`: 8, however long the array is.
pub fn sizeof<'c, B: Backend<F = F2>, const N: usize>(pointer: &Pointer<'c, B, N>) -> Size<'c, B> {
    pointer.code.size(8)
}

impl<'c, B: Backend<F = F2>, const N: usize> Pointer<'c, B, N> {
    /// The code that it is of.
    pub fn code(&self) -> &'c Code<B> {
        self.code
    }

    /// How many words the array has at most.
    pub fn capacity(&self) -> usize {
        self.memory.borrow().cells.len()
    }

    /// C's `*self`.
    pub fn deref(&self) -> Unsigned<'c, B, N> {
        self.at(0)
    }

    /// C's `self[i]`.
    pub fn at(&self, i: impl Offset<'c, B>) -> Unsigned<'c, B, N> {
        let place = self.offset(i);
        place.demand_place();
        let memory = place.memory.borrow();
        let word = self.code.gates(Word::public(0), |b| memory.cells.read_unchecked(b, &place.index));
        self.code.word(word)
    }

    /// C's `*self = value`.
    pub fn set(&self, value: impl super::Operand<'c, B, N, false>) {
        self.set_at(0, value);
    }

    /// C's `self[i] = value`. Outside of the array nothing is written.
    pub fn set_at(&self, i: impl Offset<'c, B>, value: impl super::Operand<'c, B, N, false>) {
        let value = value.integer(self.code);
        let place = self.offset(i);
        let inside = place.demand_place();
        let active = self.code.active();
        let cells = &mut self.memory.borrow_mut().cells;
        *cells = self.code.gates(cells.clone(), |b| {
            let enable = active.and(b, inside)?;
            cells.write_where(b, enable, &place.index, &value.word)?;
            Ok(cells.clone())
        });
    }

    /// C's `self + i`.
    pub fn offset(&self, i: impl Offset<'c, B>) -> Self {
        let index = self.position() + i.words(self.code);
        Self { index: index.word, ..self.clone() }
    }

    /// The null pointer, of this pointer's type.
    pub fn null(&self) -> Self {
        Self { index: Word::public(NULL), ..self.clone() }
    }

    /// C's `self == NULL`.
    pub fn is_null(&self) -> Bool<'c, B> {
        self.position().eq(NULL as i128)
    }

    /// C's `self - other`, of two pointers into one array.
    pub fn difference(&self, other: &Self) -> Signed<'c, B, 64> {
        self.demand_same(other);
        (self.position() - other.position()).cast()
    }

    /// C's `self == other`; for pointers into two arrays, whether both are null.
    pub fn eq(&self, other: &Self) -> Bool<'c, B> {
        match Rc::ptr_eq(&self.memory, &other.memory) {
            true => self.position().eq(other.position()),
            false => self.is_null() & other.is_null(),
        }
    }

    /// C's `self < other`, of two pointers into one array.
    pub fn lt(&self, other: &Self) -> Bool<'c, B> {
        self.demand_same(other);
        self.position().cast::<64, true>().lt(other.position().cast())
    }

    /// C's `free(self)`: asserts that this is what `malloc` gave, and not yet freed. Null
    /// is freed to no effect.
    pub fn free(&self) {
        let (start, null) = (self.position().is_zero().bit, self.is_null().bit);
        let memory = &mut *self.memory.borrow_mut();
        let allocated = Bit::Public(memory.allocated);
        let right = self.code.gates(start, |b| {
            let live = memory.live.and(b, allocated)?;
            Ok(start.and(b, live)?.xor(b, null))
        });
        self.code.demand(right, &memory.freed);
        let active = self.code.active();
        memory.live = self.code.gates(memory.live, |b| {
            let something = null.not(b);
            let kept = active.and(b, something)?.not(b);
            memory.live.and(b, kept)
        });
    }

    fn position(&self) -> Size<'c, B> {
        self.code.word(self.index)
    }

    /// Whether the pointer may be read and written, which is demanded.
    fn demand_place(&self) -> Bit<B::Wire> {
        let memory = self.memory.borrow();
        let inside = self.code.gates(Bit::Public(true), |b| {
            let inside = self.index.less_than(b, &self.length)?;
            inside.and(b, memory.live)
        });
        self.code.demand(inside, &memory.bounds);
        inside
    }

    fn demand_same(&self, other: &Self) {
        if !Rc::ptr_eq(&self.memory, &other.memory) {
            self.code.refuse(
                "a pointer meets one into another array: each pointer points into one array all its life"
                    .into(),
            );
        }
    }
}

impl<B: Backend, const N: usize> Clone for Pointer<'_, B, N> {
    fn clone(&self) -> Self {
        Self { memory: Rc::clone(&self.memory), ..*self }
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, T: Offset<'c, B>> Add<T> for &Pointer<'c, B, N> {
    type Output = Pointer<'c, B, N>;

    fn add(self, i: T) -> Pointer<'c, B, N> {
        self.offset(i)
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, T: Offset<'c, B>> Sub<T> for &Pointer<'c, B, N> {
    type Output = Pointer<'c, B, N>;

    fn sub(self, i: T) -> Pointer<'c, B, N> {
        self.offset(-i.words(self.code))
    }
}

impl<'c, B: Backend<F = F2>, const N: usize> Value<'c, B> for Pointer<'c, B, N> {
    fn select(code: &'c Code<B>, bit: Bit<B::Wire>, yes: &Self, no: &Self) -> Self {
        yes.demand_same(no);
        let choose = |yes, no| code.gates(no, |b| Word::select(b, bit, &yes, &no));
        Self { index: choose(yes.index, no.index), length: choose(yes.length, no.length), ..no.clone() }
    }
}
