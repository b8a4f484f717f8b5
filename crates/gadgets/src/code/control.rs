//! Branches, loops and calls under secret conditions.
//!
//! Each open block has an activity, a bit within the activity of the block around it. Leaving blocks early
//! takes the innermost activity away from each of them; as it is within theirs, that is a sum, and no AND.

use super::{Bool, Code, Value, Var};
use crate::gadget::Bit;
use core::ops::Range;
use volery_channel::error::Error;
use volery_circuit::Backend;
use volery_primitives::F2;

/// The kind of an open block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The program, until it exits.
    Program,
    /// A call, until it returns.
    Function,
    /// A loop, until it breaks.
    Loop,
    /// A run of a loop's body, until it continues with the next.
    Iteration,
    /// A branch.
    Branch,
}

impl<B: Backend<F = F2>> Code<B> {
    /// C's `if (condition) { then() }`.
    pub fn when(&self, condition: Bool<'_, B>, then: impl FnOnce()) {
        let active = self.active_where(condition.bit);
        self.within(Level::Branch, active, then);
    }

    /// C's `if (condition) { then() } else { otherwise() }`.
    pub fn when_else(&self, condition: Bool<'_, B>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let yes = self.active_where(condition.bit);
        let active = self.active();
        let no = self.gates(active, |b| Ok(active.xor(b, yes)));
        self.within(Level::Branch, yes, then);
        self.within(Level::Branch, no, otherwise);
    }

    /// C's `while (condition()) { body() }`, for at most `bound` runs of the body: who goes on ends there.
    pub fn while_<'c>(
        &'c self,
        bound: u64,
        mut condition: impl FnMut() -> Bool<'c, B>,
        mut body: impl FnMut(),
    ) {
        self.within(Level::Loop, self.active(), || {
            for _ in 0..bound {
                self.go_on_where(condition().bit);
                if matches!(self.active(), Bit::Public(false)) {
                    return;
                }
                self.within(Level::Iteration, self.active(), &mut body);
            }
            if !matches!(self.active(), Bit::Public(false)) {
                self.end_where(condition().bit);
            }
        });
    }

    /// C's `for (i = 0; ; i++) { body(i) }`, for at most `bound` runs of the body: who goes on ends there.
    pub fn loop_(&self, bound: u64, mut body: impl FnMut(i128)) {
        self.within(Level::Loop, self.active(), || {
            for i in 0..bound {
                self.within(Level::Iteration, self.active(), || body(i.into()));
            }
            self.end_where(Bit::Public(true));
        });
    }

    /// C's `for (i = range.start; i < range.end; i++) { body(i) }`, with public numbers.
    pub fn for_(&self, range: Range<i128>, mut body: impl FnMut(i128)) {
        self.within(Level::Loop, self.active(), || {
            for i in range {
                self.within(Level::Iteration, self.active(), || body(i));
            }
        });
    }

    /// C's `break`.
    pub fn break_(&self) {
        self.leave(Level::Loop, "break_ outside of a loop");
    }

    /// C's `continue`.
    pub fn continue_(&self) {
        self.leave(Level::Iteration, "continue_ outside of a loop");
    }

    /// C's `exit`: what follows is inactive.
    pub fn exit(&self) {
        self.leave(Level::Program, "exit outside of a program");
    }

    /// A call of a function, whose value is `otherwise` where `body` returns none.
    pub fn function<'c, T: Value<'c, B>>(
        &'c self,
        otherwise: T,
        body: impl FnOnce(&Function<'c, B, T>),
    ) -> T {
        let level = self.state.borrow().levels.len();
        let function = Function { code: self, value: Var::new(self, otherwise), level };
        self.within(Level::Function, self.active(), || body(&function));
        function.value.get()
    }

    /// The activity of what comes next.
    pub(super) fn active(&self) -> Bit<B::Wire> {
        self.state.borrow().levels.last().expect("a program").1
    }

    /// The activity of code that runs where `condition` holds.
    fn active_where(&self, condition: Bit<B::Wire>) -> Bit<B::Wire> {
        let active = self.active();
        self.gates(active, |b| active.and(b, condition))
    }

    /// Ends the program where `condition` holds.
    pub(super) fn end_where(&self, condition: Bit<B::Wire>) {
        let active = self.active_where(condition);
        self.within(Level::Branch, active, || self.exit());
    }

    /// Leaves the innermost level, a loop, where `condition` does not hold.
    fn go_on_where(&self, condition: Bit<B::Wire>) {
        let active = self.active_where(condition);
        self.state.borrow_mut().levels.last_mut().expect("a loop").1 = active;
    }

    /// Runs `body` on a level of its own, unless nobody does.
    fn within(&self, level: Level, active: Bit<B::Wire>, body: impl FnOnce()) {
        if matches!(active, Bit::Public(false)) {
            return;
        }
        self.state.borrow_mut().levels.push((level, active));
        body();
        self.state.borrow_mut().levels.pop();
    }

    /// Takes the current activity away from all levels up to the innermost `level`.
    fn leave(&self, level: Level, otherwise: &str) {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let active = state.levels.last().expect("a program").1;
        // A call is left by a return or an exit alone.
        let inner = matches!(level, Level::Loop | Level::Iteration);
        let outermost =
            state.levels.iter().rposition(|&(known, _)| known == level || inner && known == Level::Function);
        let Some(outermost) = outermost.filter(|&at| state.levels[at].0 == level) else {
            state.error.get_or_insert(Error::invalid(otherwise));
            return;
        };
        if state.error.is_some() {
            return;
        }
        let (innermost, outer) = state.levels[outermost..].split_last_mut().expect("the level");
        innermost.1 = Bit::Public(false);
        outer.iter_mut().for_each(|(_, within)| *within = within.xor(&mut state.backend, active));
    }
}

/// A call that can return a value: see [`Code::function`].
pub struct Function<'c, B: Backend, T> {
    code: &'c Code<B>,
    value: Var<'c, B, T>,
    /// How many levels it is within.
    level: usize,
}

impl<'c, B: Backend<F = F2>, T: Value<'c, B>> Function<'c, B, T> {
    /// C's `return value`, from this call, which has to be the innermost.
    pub fn return_(&self, value: T) {
        let innermost =
            |levels: &[(Level, _)]| levels.iter().rposition(|(level, _)| *level == Level::Function);
        if innermost(&self.code.state.borrow().levels) != Some(self.level) {
            return self.code.refuse("return_ from a call within which another is open".into());
        }
        self.value.set(value);
        self.code.leave(Level::Function, "return_ outside of a function");
    }
}
