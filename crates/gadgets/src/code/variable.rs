//! Variables of a program.

use super::Code;
use crate::gadget::Bit;
use core::cell::RefCell;
use volery_circuit::Backend;
use volery_primitives::F2;

/// A value that a variable can hold.
pub trait Value<'c, B: Backend>: Clone {
    /// `yes` where `bit` is one, `no` where it is zero.
    fn select(code: &'c Code<B>, bit: Bit<B::Wire>, yes: &Self, no: &Self) -> Self;
}

/// A C variable: it takes a value only where that is active, which is free where everything is.
pub struct Var<'c, B: Backend, T> {
    code: &'c Code<B>,
    value: RefCell<T>,
}

impl<'c, B: Backend<F = F2>, T: Value<'c, B>> Var<'c, B, T> {
    pub(super) fn new(code: &'c Code<B>, value: T) -> Self {
        Self { code, value: RefCell::new(value) }
    }

    /// The value of the variable.
    pub fn get(&self) -> T {
        self.value.borrow().clone()
    }

    /// C's `self = value`.
    pub fn set(&self, value: T) {
        match self.code.active() {
            Bit::Public(false) => {}
            Bit::Public(true) => *self.value.borrow_mut() = value,
            active => {
                let value = T::select(self.code, active, &value, &self.value.borrow());
                *self.value.borrow_mut() = value;
            }
        }
    }

    /// C's `self = of(self)`, such as `self += 1`.
    pub fn update(&self, of: impl FnOnce(T) -> T) {
        self.set(of(self.get()));
    }
}
