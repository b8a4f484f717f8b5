//! Random programs of a small language, which stands for the C-like programs that gadgets write: the tests run
//! each both in the clear and as gates.

/// Expressions of 8 bits.
#[derive(Debug)]
pub(super) enum Expression {
    Number(i64),
    Variable(usize),
    Operation(u8, Box<[Expression; 2]>),
    Not(Box<Expression>),
    Both(Box<[Expression; 2]>),
    Either(Box<[Expression; 2]>),
    Choice(Box<[Expression; 3]>),
    Read(usize, Box<Expression>),
    IsNull(usize),
    /// Whether the two pointers are equal.
    Same,
    Length(usize),
    /// The order of the strings at the two pointers, by this many bytes at most: `strncmp`.
    Compare(Box<Expression>),
}

/// Statements on three variables and two pointers.
#[derive(Debug)]
pub(super) enum Statement {
    Set(usize, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    While(u64, Expression, Vec<Statement>),
    Loop(u64, Vec<Statement>),
    For(i64, Vec<Statement>),
    Break,
    Continue,
    Return(Expression),
    Exit,
    Assert(Expression),
    Write(usize, Expression, Expression),
    /// Pointer arithmetic: a pointer, whether it moves forward, and by how much.
    Move(usize, bool, Expression),
    SetNull(usize),
    Free(usize),
    Call(usize, Vec<Statement>),
}

use Expression::*;
use Statement::*;

/// Random bytes, followed by zeros, from which a program is drawn.
pub(super) struct Tape<'a>(pub(super) std::slice::Iter<'a, u8>);

impl Tape<'_> {
    fn next(&mut self, below: u8) -> u8 {
        self.0.next().map_or(0, |byte| byte % below)
    }

    fn place(&mut self, below: u8) -> usize {
        self.next(below).into()
    }

    fn expression(&mut self, depth: u8) -> Expression {
        let kind = if depth == 0 { self.next(5) } else { self.next(20) };
        match kind {
            0 => Number([0, 1, 2, 3, 4, -1, -2, 127, -128][self.place(9)]),
            1..4 => Variable(self.place(3)),
            4 => match self.next(5) {
                0 => Same,
                1 => Length(0),
                at => IsNull(at as usize % 2),
            },
            5..12 => {
                let kind = self.next(12);
                Operation(kind, Box::new(self.expressions(depth)))
            }
            12 => Not(Box::new(self.expression(depth - 1))),
            13 => Both(Box::new(self.expressions(depth))),
            14 => Either(Box::new(self.expressions(depth))),
            15 => Choice(Box::new(self.expressions(depth))),
            16 => Length(self.place(2)),
            17 => Compare(Box::new(self.expression(depth - 1))),
            _ => Read(self.place(2), Box::new(self.expression(depth - 1))),
        }
    }

    fn expressions<const N: usize>(&mut self, depth: u8) -> [Expression; N] {
        core::array::from_fn(|_| self.expression(depth - 1))
    }

    /// Draws a few statements; `break` and `continue` may stand in a loop alone.
    pub(super) fn block(&mut self, depth: u8, in_loop: bool) -> Vec<Statement> {
        (0..=self.next(4)).map(|_| self.statement(depth, in_loop)).collect()
    }

    fn statement(&mut self, depth: u8, in_loop: bool) -> Statement {
        match self.next(if depth == 0 { 14 } else { 26 }) {
            0 | 1 => Set(self.place(3), self.expression(2)),
            2 | 3 => Write(self.place(2), self.expression(1), self.expression(1)),
            4 | 5 => Assert(self.expression(2)),
            6 => Move(self.place(2), self.next(2) == 0, self.expression(1)),
            7 if self.next(3) == 0 => SetNull(self.place(2)),
            8 if self.next(2) == 0 => Free([1, 1, 1, 0][self.place(4)]),
            9 | 10 if in_loop => Break,
            11 if in_loop => Continue,
            12 if self.next(2) == 0 => Return(self.expression(1)),
            13 if self.next(4) == 0 => Exit,
            14..18 => If(self.expression(2), self.block(depth - 1, in_loop), self.block(depth - 1, in_loop)),
            18..20 => While(self.next(4).into(), self.expression(2), self.block(depth - 1, true)),
            20 => Loop(self.next(4).into(), self.block(depth - 1, true)),
            21 | 22 => For(self.next(4).into(), self.block(depth - 1, true)),
            23 | 24 => Call(self.place(3), self.block(depth - 1, false)),
            _ => Set(self.place(3), self.expression(1)),
        }
    }
}
