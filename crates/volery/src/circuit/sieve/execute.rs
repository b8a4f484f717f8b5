//! Gates that were read, pushed into a recorder: the one piece that is compiled for each field.

use super::body::{Body, Gate, NONE, Op, hint, of};
use super::function::Function;
use super::number::Element;
use crate::circuit::gadget::prime_field;
use crate::circuit::stream::{Handle, Recorder};
use crate::circuit::{Backend as _, Polynomials as _, Returned};
use crate::error::{Error, Result};
use core::fmt;
use volery_primitives::{Field, U256};

/// Where values of streams come from.
pub(super) trait Inputs<F: Field> {
    /// The next public value of a type.
    ///
    /// # Errors
    /// Where there is none.
    fn public(&mut self, b: &mut Recorder<'_, F>, kind: u8) -> Result<Handle>;

    /// The next private value of a type.
    ///
    /// # Errors
    /// Where there is none.
    fn private(&mut self, b: &mut Recorder<'_, F>, kind: u8) -> Result<Handle>;

    /// Whether functions are to be executed where they are called, since what they read is no witness.
    fn inline(&self) -> bool {
        false
    }
}

/// Where a gate stands.
#[derive(Clone, Copy)]
struct Place<'p> {
    file: &'p str,
    /// The function, and the line in which it is called.
    called: Option<(&'p Function, u64)>,
}

impl<'p> Place<'p> {
    fn line(self, line: u64) -> Line<'p> {
        Line { place: self, line }
    }
}

/// The name of an assertion.
struct Line<'p> {
    place: Place<'p>,
    line: u64,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the assertion of line {} of {}", self.line, self.place.file)?;
        match self.place.called {
            None => Ok(()),
            Some((function, line)) => write!(f, ", in function {} called in line {line},", function.title()),
        }
    }
}

/// What gates of one body are executed with.
struct Frame<'p> {
    functions: &'p [Function],
    place: Place<'p>,
}

/// The wires of the statement, by their slots.
#[derive(Default)]
pub(super) struct Wires(Vec<Handle>);

/// Executes gates of the statement, which take so many slots.
pub(super) fn execute<F: Field>(
    b: &mut Recorder<'_, F>,
    (file, functions): (&str, &[Function]),
    (body, slots): (&Body, usize),
    wires: &mut Wires,
    inputs: &mut dyn Inputs<F>,
) -> Result<()> {
    wires.0.resize(slots.max(wires.0.len()), Handle::default());
    let frame = Frame { functions, place: Place { file, called: None } };
    frame.run(b, body, &mut wires.0, inputs)
}

/// The modulus of `F`, where it is the field of a prime.
pub(super) fn modulus<F: Field>() -> Option<U256> {
    if F::BITS == 1 { Some(2_u64.into()) } else { prime_field::<F>().ok() }
}

/// The element with these words.
///
/// # Errors
/// Where the field has none.
pub(super) fn element<F: Field>(words: Element) -> Result<F> {
    F::from_integer(U256::from_limbs(words))
        .ok_or_else(|| Error::invalid("a value that is not below the modulus"))
}

impl<'p> Frame<'p> {
    fn run<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        body: &Body,
        wires: &mut [Handle],
        inputs: &mut dyn Inputs<F>,
    ) -> Result<()> {
        for &Gate { op, kind, out, a, b: c } in &body.gates {
            let made = match op {
                Op::Add => b.add(wires[a as usize], wires[c as usize]),
                Op::Mul => b.mul(wires[a as usize], wires[c as usize])?,
                Op::Forget => {
                    b.forget(&[wires[a as usize]]);
                    continue;
                }
                Op::AddConstant => {
                    let constant = b.constant(element(body.constants[c as usize])?);
                    let sum = b.add(wires[a as usize], constant);
                    b.forget(&[constant]);
                    sum
                }
                Op::MulConstant => b.scale(wires[a as usize], element(body.constants[c as usize])?),
                Op::Constant => b.constant(element(body.constants[a as usize])?),
                Op::Copy => b.scale(wires[a as usize], F::ONE),
                Op::Public | Op::Private => {
                    for slot in body.read(c).list() {
                        wires[slot as usize] = if op == Op::Public {
                            inputs.public(b, kind)?
                        } else {
                            inputs.private(b, kind)?
                        };
                    }
                    continue;
                }
                Op::Assert => {
                    let line = body.read(c).long();
                    b.assert_zero(wires[a as usize], self.place.line(line))?;
                    continue;
                }
                _ => {
                    self.lists(b, body, (op, kind, out, a, c), wires, inputs)?;
                    continue;
                }
            };
            wires[out as usize] = made;
        }
        Ok(())
    }

    /// Executes a gate on lists.
    fn lists<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        body: &Body,
        (op, kind, out, a, at): (Op, u8, u32, u32, u32),
        wires: &mut [Handle],
        inputs: &mut dyn Inputs<F>,
    ) -> Result<()> {
        let mut words = body.read(at);
        match op {
            Op::Call => {
                let line = words.long();
                let arguments = words.list().map(|slot| wires[slot as usize]).collect();
                let results = self.call(b, a, line, arguments, inputs)?;
                for (slot, wire) in words.list().zip(results) {
                    wires[slot as usize] = wire;
                }
            }
            Op::Loop => {
                let (line, times) = (words.long(), words.long());
                let counter = words.next();
                let lists: Vec<[u32; 3]> =
                    (0..words.next()).map(|_| [words.next(), words.next(), words.next()]).collect();
                for turn in 0..times {
                    self.turn(b, (a, line), (turn, counter), &lists, wires, inputs)?;
                }
            }
            Op::Hint => {
                let arguments: Vec<_> = words.list().map(|slot| wires[slot as usize]).collect();
                let results: Vec<_> = words.list().collect();
                let count = results.len();
                let made = if out == hint::INVERSE {
                    b.hints(&arguments, count, |values| {
                        let zero = if values[0] == F::ZERO { F::ONE } else { F::ZERO };
                        vec![values[0].invert(), zero]
                    })?
                } else {
                    b.hints(&arguments, count, move |values| {
                        let integer = values[0].to_integer();
                        (0..count)
                            .rev()
                            .map(|bit| if integer.bit(bit as u32) == 1 { F::ONE } else { F::ZERO })
                            .collect()
                    })?
                };
                for (slot, wire) in results.into_iter().zip(made) {
                    wires[slot as usize] = wire;
                }
            }
            Op::Inner => {
                let [x, y] =
                    [(); 2].map(|()| words.list().map(|slot| wires[slot as usize]).collect::<Vec<_>>());
                wires[out as usize] = match (&x[..], &y[..]) {
                    (&[x], &[y]) => b.mul(x, y)?,
                    (x, y) => {
                        let sum = b.inner_product(x, y)?;
                        b.commit(&sum)?[0]
                    }
                };
            }
            Op::AssertProduct => {
                let factor = wires[words.next() as usize];
                let name = self.place.line(words.long());
                let product = b.inner_product(&[wires[a as usize]], &[factor])?;
                let difference = if out == NONE {
                    product
                } else {
                    let minus = b.scale(wires[out as usize], -F::ONE);
                    let expected = b.vector(&[minus]);
                    b.sum(&product, &expected)
                };
                b.assert_zeroes(difference, name)?;
            }
            _ => unreachable!("no list: executed by the caller, {kind}"),
        }
        Ok(())
    }

    /// One turn of a loop.
    fn turn<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        (function, line): (u32, u64),
        (turn, counter): (u64, u32),
        lists: &[[u32; 3]],
        wires: &mut [Handle],
        inputs: &mut dyn Inputs<F>,
    ) -> Result<()> {
        let mut arguments = Vec::new();
        let environment = lists.iter().take_while(|list| list[2] == of::ENVIRONMENT).count();
        let (environment, others) = lists.split_at(environment);
        for &[first, length, _] in environment {
            arguments.extend_from_slice(&wires[first as usize..][..length as usize]);
        }
        let numbered = arguments.len();
        if counter > 0 {
            let width = counter - 1;
            let digits = digits::<F>(turn, width)?;
            arguments.extend(digits.into_iter().map(|digit| b.constant(digit)));
        }
        let own = arguments[numbered..].to_vec();
        let part = |first: u32, length: u32| first as usize + turn as usize * length as usize;
        for &[first, length, _] in others.iter().filter(|list| list[2] == of::INPUT) {
            arguments.extend_from_slice(&wires[part(first, length)..][..length as usize]);
        }
        let mut results = self.call(b, function, line, arguments, inputs)?.into_iter();
        for &[first, length, _] in others.iter().filter(|list| list[2] == of::OUTPUT) {
            let to = &mut wires[part(first, length)..][..length as usize];
            to.iter_mut().zip(&mut results).for_each(|(to, wire)| *to = wire);
        }
        b.forget(&own);
        Ok(())
    }

    /// Calls a function: the wires of its results, which nobody else holds.
    fn call<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        number: u32,
        line: u64,
        mut arguments: Vec<Handle>,
        inputs: &mut dyn Inputs<F>,
    ) -> Result<Vec<Handle>> {
        let function = &self.functions[number as usize];
        let frame = Frame { place: Place { called: Some((function, line)), ..self.place }, ..*self };
        if function.cost.inline || inputs.inline() {
            b.open_scope();
            let results = frame.body(b, function, &arguments, inputs)?;
            b.close_scope(&results);
            return Ok(results);
        }
        let own = arguments.len();
        for (kind, count) in function.public.runs() {
            for _ in 0..count {
                arguments.push(inputs.public(b, kind)?);
            }
        }
        let results = b.call(&number.to_le_bytes(), &arguments, |b, wires| {
            let (arguments, public) = wires.split_at(own);
            let mut inputs = Arguments { public: public.iter() };
            Ok(Returned { wires: frame.body(b, function, arguments, &mut inputs)?, public: Vec::new() })
        })?;
        b.forget(&arguments[own..]);
        Ok(results.wires)
    }

    /// The gates of a function.
    fn body<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        function: &Function,
        arguments: &[Handle],
        inputs: &mut dyn Inputs<F>,
    ) -> Result<Vec<Handle>> {
        let mut wires = vec![Handle::default(); function.slots as usize];
        wires[..arguments.len()].copy_from_slice(arguments);
        self.run(b, &function.body, &mut wires, inputs)?;
        Ok(function.body.read(function.results).list().map(|slot| wires[slot as usize]).collect())
    }
}

/// What a function reads that is called: its public values are arguments behind the others.
struct Arguments<'a> {
    public: core::slice::Iter<'a, Handle>,
}

impl<F: Field> Inputs<F> for Arguments<'_> {
    fn public(&mut self, _: &mut Recorder<'_, F>, _: u8) -> Result<Handle> {
        Ok(*self.public.next().expect("as many as were counted"))
    }

    fn private(&mut self, b: &mut Recorder<'_, F>, _: u8) -> Result<Handle> {
        b.witness()
    }
}

/// The number `turn` in `width` digits to the base of the field, the highest first; what does not fit is cut.
fn digits<F: Field>(turn: u64, width: u32) -> Result<Vec<F>> {
    let modulus =
        modulus::<F>().ok_or_else(|| Error::invalid("a counter over no field of a prime"))?.capped();
    let (mut rest, mut digits) = (u128::from(turn), Vec::new());
    for _ in 0..width {
        let digit = F::from_word(rest % modulus);
        digits.push(digit.expect("below the modulus"));
        rest /= modulus;
    }
    digits.reverse();
    Ok(digits)
}
