//! Random programs, pushed into a circuit and run by an interpreter of C's rules, which stops where C does.

use super::string::{Text, strlen, strncmp};
use super::*;
use crate::testing::{Evaluation, bit_value, evaluation, secret, value};
use program::{Expression, Statement, Tape};
use proptest::prelude::*;

use Expression::*;
use Statement::*;

mod program;

/// Words of both arrays.
const WORDS: usize = 4;

const NULL: u64 = 1 << 63;

/// The program in a circuit.
struct Pushed<'c, const SIGNED: bool> {
    code: &'c Code<Evaluation>,
    variables: [Var<'c, Evaluation, Integer<'c, Evaluation, 8, SIGNED>>; 3],
    pointers: [Var<'c, Evaluation, Text<'c, Evaluation>>; 2],
}

type Called<'c, const SIGNED: bool> = Function<'c, Evaluation, Integer<'c, Evaluation, 8, SIGNED>>;

impl<'c, const SIGNED: bool> Pushed<'c, SIGNED> {
    fn number(&self, truth: Bool<'c, Evaluation>) -> Integer<'c, Evaluation, 8, SIGNED> {
        truth.select(self.code.number(1), self.code.number(0))
    }

    fn compute(&self, expression: &Expression) -> Integer<'c, Evaluation, 8, SIGNED> {
        match expression {
            Number(number) => self.code.number((*number).into()),
            Variable(at) => self.variables[*at].get(),
            Operation(kind, operands) => {
                let (x, y) = (self.compute(&operands[0]), self.compute(&operands[1]));
                match kind {
                    0 => x + y,
                    1 => x - y,
                    2 => x * y,
                    3 => x / y,
                    4 => x % y,
                    5 => self.number(x.lt(y)),
                    6 => self.number(x.ge(y)),
                    7 => self.number(x.eq(y)),
                    8 => x << y,
                    9 => x >> y,
                    10 => x & y | (x ^ y),
                    _ => -x,
                }
            }
            Not(x) => self.number(self.compute(x).is_zero()),
            Both(operands) => {
                let [x, y] = &**operands;
                self.number(self.compute(x).not_zero().and(|| self.compute(y).not_zero()))
            }
            Either(operands) => {
                let [x, y] = &**operands;
                self.number(self.compute(x).not_zero().or(|| self.compute(y).not_zero()))
            }
            Choice(operands) => {
                let [condition, yes, no] = operands.each_ref().map(|operand| self.compute(operand));
                condition.not_zero().select(yes, no)
            }
            Read(at, index) => self.pointers[*at].get().at(self.compute(index)).cast(),
            IsNull(at) => self.number(self.pointers[*at].get().is_null()),
            Same => self.number(self.pointers[0].get().eq(&self.pointers[1].get())),
            Length(at) => strlen(&self.pointers[*at].get()).cast(),
            Compare(n) => {
                let [p, q] = self.pointers.each_ref().map(Var::get);
                strncmp(&p, &q, self.compute(n).size()).cast()
            }
        }
    }

    fn block(&self, call: &Called<'c, SIGNED>, block: &[Statement]) {
        block.iter().for_each(|statement| self.push(call, statement));
    }

    fn push(&self, call: &Called<'c, SIGNED>, statement: &Statement) {
        let code = self.code;
        match statement {
            Set(at, x) => self.variables[*at].set(self.compute(x)),
            If(condition, then, otherwise) if otherwise.len() == 1 => {
                code.when(self.compute(condition).not_zero(), || self.block(call, then));
            }
            If(condition, then, otherwise) => code.when_else(
                self.compute(condition).not_zero(),
                || self.block(call, then),
                || self.block(call, otherwise),
            ),
            While(bound, condition, body) => {
                code.while_(*bound, || self.compute(condition).not_zero(), || self.block(call, body));
            }
            Loop(bound, body) => code.loop_(*bound, |_| self.block(call, body)),
            For(end, body) => code.for_(0..(*end).into(), |i| {
                self.variables[2].set(code.number(i));
                self.block(call, body);
            }),
            Break => code.break_(),
            Continue => code.continue_(),
            Return(x) => call.return_(self.compute(x)),
            Exit => code.exit(),
            Assert(x) => code.assert(self.compute(x).not_zero(), "it holds"),
            Write(at, index, x) => {
                let (index, x) = (self.compute(index), self.compute(x));
                self.pointers[*at].get().set_at(index, x.cast());
            }
            Move(at, forth, by) => {
                let by = self.compute(by);
                self.pointers[*at].update(|pointer| if *forth { &pointer + by } else { &pointer - by });
            }
            SetNull(at) => self.pointers[*at].update(|pointer| pointer.null()),
            Free(at) => self.pointers[*at].get().free(),
            Call(at, body) => {
                self.variables[*at].set(code.function(code.number(7), |call| self.block(call, body)));
            }
        }
    }
}

/// The program in C.
#[derive(Debug)]
struct Interpretation {
    signed: bool,
    checked: bool,
    variables: [i64; 3],
    pointers: [u64; 2],
    memory: [[u8; WORDS]; 2],
    length: [u64; 2],
    freed: bool,
}

/// Why control goes elsewhere.
enum Jump {
    Broken,
    Continued,
    Returned(i64),
    Ended,
    Failed,
}

use Jump::*;

impl Interpretation {
    fn wrap(&self, x: i64) -> i64 {
        if self.signed { (x as i8).into() } else { (x as u8).into() }
    }

    fn fit(&self, x: i64) -> Result<i64, Jump> {
        let wrapped = self.wrap(x);
        if self.signed && self.checked && wrapped != x { Err(Failed) } else { Ok(wrapped) }
    }

    fn read(&self, array: usize, index: u64) -> Result<u8, Jump> {
        let freed = array == 1 && self.freed;
        if index >= self.length[array] || freed {
            return Err(Failed);
        }
        Ok(self.memory[array][index as usize])
    }

    fn compute(&self, expression: &Expression) -> Result<i64, Jump> {
        Ok(match expression {
            Number(number) => self.wrap(*number),
            Variable(at) => self.variables[*at],
            Operation(kind, operands) => {
                let (x, y) = (self.compute(&operands[0])?, self.compute(&operands[1])?);
                let amount = y as u8;
                match kind {
                    0 => self.fit(x + y)?,
                    1 => self.fit(x - y)?,
                    2 => self.fit(x * y)?,
                    3 | 4 if y == 0 => return Err(Failed),
                    3 => self.fit(x / y)?,
                    // C leaves it open where the quotient does not fit.
                    4 => self.fit(x / y).map(|_| x % y)?,
                    5 => (x < y).into(),
                    6 => (x >= y).into(),
                    7 => (x == y).into(),
                    8 => self.wrap(if amount < 8 { x << amount } else { 0 }),
                    9 => x >> amount.min(63),
                    10 => x | y,
                    _ => self.fit(-x)?,
                }
            }
            Not(x) => (self.compute(x)? == 0).into(),
            Both(operands) => (self.compute(&operands[0])? != 0 && self.compute(&operands[1])? != 0).into(),
            Either(operands) => (self.compute(&operands[0])? != 0 || self.compute(&operands[1])? != 0).into(),
            Choice(operands) => {
                let condition = self.compute(&operands[0])?;
                let (yes, no) = (self.compute(&operands[1])?, self.compute(&operands[2])?);
                if condition != 0 { yes } else { no }
            }
            Read(at, index) => {
                let index = self.compute(index)?;
                self.wrap(self.read(*at, self.pointers[*at].wrapping_add(index as u64))?.into())
            }
            IsNull(at) => (self.pointers[*at] == NULL).into(),
            Same => (self.pointers == [NULL; 2]).into(),
            Length(at) => {
                let mut n = 0;
                while self.read(*at, self.pointers[*at].wrapping_add(n as u64))? != 0 {
                    n += 1;
                }
                n
            }
            Compare(n) => {
                let n = self.compute(n)? as u64;
                let mut i = 0;
                loop {
                    if i == n {
                        return Ok(0);
                    }
                    let x = self.read(0, self.pointers[0].wrapping_add(i))?;
                    let y = self.read(1, self.pointers[1].wrapping_add(i))?;
                    if x != y {
                        return Ok(self.wrap(i64::from(x) - i64::from(y)));
                    }
                    if x == 0 {
                        return Ok(0);
                    }
                    i += 1;
                }
            }
        })
    }

    fn block(&mut self, block: &[Statement]) -> Result<(), Jump> {
        block.iter().try_for_each(|statement| self.run(statement))
    }

    /// Runs a loop's body once, and says whether another run may follow.
    fn iteration(&mut self, body: &[Statement]) -> Result<bool, Jump> {
        match self.block(body) {
            Err(Broken) => Ok(false),
            Ok(()) | Err(Continued) => Ok(true),
            Err(other) => Err(other),
        }
    }

    fn run(&mut self, statement: &Statement) -> Result<(), Jump> {
        match statement {
            Set(at, x) => self.variables[*at] = self.compute(x)?,
            If(condition, then, otherwise) => {
                if self.compute(condition)? != 0 {
                    self.block(then)?;
                } else if otherwise.len() != 1 {
                    self.block(otherwise)?;
                }
            }
            While(bound, condition, body) => {
                for _ in 0..*bound {
                    if self.compute(condition)? == 0 || !self.iteration(body)? {
                        return Ok(());
                    }
                }
                if self.compute(condition)? != 0 {
                    return Err(Ended);
                }
            }
            Loop(bound, body) => {
                for _ in 0..*bound {
                    if !self.iteration(body)? {
                        return Ok(());
                    }
                }
                return Err(Ended);
            }
            For(end, body) => {
                for i in 0..*end {
                    self.variables[2] = i;
                    if !self.iteration(body)? {
                        break;
                    }
                }
            }
            Break => return Err(Broken),
            Continue => return Err(Continued),
            Return(x) => return Err(Returned(self.compute(x)?)),
            Exit => return Err(Ended),
            Assert(x) => {
                if self.compute(x)? == 0 {
                    return Err(Failed);
                }
            }
            Write(at, index, x) => {
                let (index, x) = (self.compute(index)?, self.compute(x)?);
                let index = self.pointers[*at].wrapping_add(index as u64);
                self.read(*at, index)?;
                self.memory[*at][index as usize] = x as u8;
            }
            Move(at, forth, by) => {
                let by = self.compute(by)? as u64;
                let pointer = &mut self.pointers[*at];
                *pointer = if *forth { pointer.wrapping_add(by) } else { pointer.wrapping_sub(by) };
            }
            SetNull(at) => self.pointers[*at] = NULL,
            Free(at) => match (*at, self.pointers[*at]) {
                (_, NULL) => {}
                (1, 0) if !self.freed => self.freed = true,
                _ => return Err(Failed),
            },
            Call(at, body) => {
                self.variables[*at] = match self.block(body) {
                    Ok(()) => self.wrap(7),
                    Err(Returned(x)) => x,
                    Err(other) => return Err(other),
                };
            }
        }
        Ok(())
    }
}

/// Checks the code against the interpreter on the same inputs: the variables, the first array, and how many
/// words the second has; of which those in `wires` are secret.
fn check<const SIGNED: bool>(program: &[Statement], checked: bool, inputs: [u8; 8], wires: u8) {
    let signed = SIGNED;
    let mut run = Interpretation {
        signed,
        checked,
        variables: [0, 1, 2].map(|i| if SIGNED { (inputs[i] as i8).into() } else { inputs[i].into() }),
        pointers: [0; 2],
        memory: [[3, 4, 5, 6].map(|i| inputs[i]), [0; WORDS]],
        length: [WORDS as u64, u64::from(inputs[7] % 6)],
        freed: false,
    };
    let result = if run.length[1] > WORDS as u64 { Err(Ended) } else { run.block(program) };

    let code = if checked { Code::with_overflow(evaluation()) } else { Code::new(evaluation()) };
    let input = |i: usize, x: u8| -> Word<F2, 8> {
        if wires >> i & 1 == 1 { secret(x.into()) } else { Word::public(x.into()) }
    };
    let pushed = Pushed::<SIGNED> {
        code: &code,
        variables: [0, 1, 2].map(|i| code.var(code.word(input(i, inputs[i])))),
        pointers: [
            code.array("s", [3, 4, 5, 6].map(|i| input(i, inputs[i]))),
            code.malloc("m", WORDS, code.word::<8, false>(input(7, inputs[7] % 6)).size()),
        ]
        .map(|pointer| code.var(pointer)),
    };
    let [s, m] = pushed.pointers.each_ref().map(Var::get);
    code.function(code.number(0), |call| pushed.block(call, program));
    let failed = bit_value(code.failed().bit());
    assert_eq!(failed, matches!(result, Err(Failed)), "{run:?}");
    if failed {
        return;
    }
    let variables = pushed.variables.each_ref().map(|variable| {
        let value = value(*variable.get().word()) as u8;
        if SIGNED { i64::from(value as i8) } else { value.into() }
    });
    assert_eq!(variables, run.variables, "{run:?}");
    let words = |pointer: &Text<'_, Evaluation>| {
        let memory = pointer.memory.borrow();
        memory.cells.iter().map(|&word| value(word) as u8).collect::<Vec<_>>()
    };
    assert_eq!([words(&s), words(&m)], run.memory, "{run:?}");
}

proptest! {
    #[test]
    fn programs_do_as_in_c(
        tape in proptest::collection::vec(any::<u8>(), 0..120),
        inputs: [u8; 8],
        small: bool,
        wires: u8,
    ) {
        let mut tape = Tape(tape.iter());
        let program: Vec<_> = (0..3).flat_map(|_| tape.block(3, false)).collect();
        let inputs = if small { inputs.map(|x| x % 5) } else { inputs };
        for wires in [wires, u8::MAX] {
            check::<false>(&program, false, inputs, wires);
            check::<true>(&program, false, inputs, wires);
            check::<true>(&program, true, inputs, wires);
        }
    }
}
