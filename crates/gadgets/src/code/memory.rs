//! Memory of a program: arrays, and what `malloc` gives.

use super::{Code, Pointer, Size};
use crate::gadget::{Array, Bit, Bytes, Word};
use core::cell::RefCell;
use std::rc::Rc;
use volery_circuit::Backend;
use volery_primitives::F2;

/// An array, of public capacity, and what is asserted of those who use it.
pub(super) struct Allocation<W, const N: usize> {
    pub(super) cells: Array<W, N>,
    /// Whether `malloc` gave it, so that it may be freed.
    pub(super) allocated: bool,
    /// Whether it is allocated, and not freed.
    pub(super) live: Bit<W>,
    /// The names of the assertions at each read and write, and when it is freed.
    pub(super) bounds: String,
    pub(super) freed: String,
}

impl<B: Backend<F = F2>> Code<B> {
    /// C's `char name[] = text`, with the zero at its end.
    pub fn string(&self, name: &str, text: &str) -> Pointer<'_, B, 8> {
        let bytes = text.bytes().chain([0]);
        self.array(name, bytes.map(|byte| Word::public(byte.into())))
    }

    /// The bytes of `input` in an array, without a zero at its end.
    pub fn bytes(&self, name: &str, input: &Bytes<B::Wire>) -> Pointer<'_, B, 8> {
        self.array(name, input.iter().copied())
    }

    /// C's `T name[capacity] = {0}`, of N bits each.
    pub fn zeros<const N: usize>(&self, name: &str, capacity: usize) -> Pointer<'_, B, N> {
        self.array(name, (0..capacity).map(|_| Word::public(0)))
    }

    /// C's `T name[] = {words}`.
    pub fn array<const N: usize>(
        &self,
        name: &str,
        words: impl IntoIterator<Item = Word<B::Wire, N>>,
    ) -> Pointer<'_, B, N> {
        let cells: Array<_, N> = words.into_iter().collect();
        let length = Word::public(cells.len() as u128);
        let memory = Allocation {
            cells,
            allocated: false,
            live: Bit::Public(true),
            bounds: format!("{name}: index within its bounds"),
            freed: format!("{name}: freed once, by what malloc gave"),
        };
        Pointer { code: self, memory: Rc::new(RefCell::new(memory)), index: Word::public(0), length }
    }

    /// C's `T *name = malloc(bytes)`, for words of N bits, at most `capacity` of them: who asks for more ends
    /// there. The memory is zero.
    pub fn malloc<'c, const N: usize>(
        &'c self,
        name: &str,
        capacity: usize,
        bytes: Size<'c, B>,
    ) -> Pointer<'c, B, N> {
        let mut pointer = self.zeros(name, capacity);
        pointer.memory.borrow_mut().allocated = true;
        let length = bytes / (N as i128 / 8).max(1);
        self.end_where(length.gt(capacity as i128).bit);
        // Where the program goes on, no bit above is one.
        let width = capacity.checked_ilog2().map_or(0, |log| log as usize + 1);
        let bits = *length.word.bits();
        let below = |i| if i < width { bits[i] } else { Bit::Public(false) };
        pointer.length = Word::new(core::array::from_fn(below));
        pointer
    }
}
