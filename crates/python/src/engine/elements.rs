//! Operations over larger fields.

use super::bits::{numbered, slice};
use super::{Ground, Values, foreign, lane};
use crate::tape::{Binary, Claim, Op, Unary};
use volery::circuit::gadget::Element;
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend, Cells, Memories, Permutations, Polynomials, Put, Rows, Tables};
use volery::{Error, Field, Result, with_fields};

type Atom<F> = Element<F, Handle>;

/// Fields whose operations are those of this module.
macro_rules! ground {
    ($($field:ident: $($macs:ident)+;)+) => {$(
        impl Ground for volery::$field {
            type Atom = Atom<Self>;

            fn on(wire: Handle) -> Atom<Self> {
                Element::Wire(wire)
            }

            fn known(value: Self) -> Atom<Self> {
                Element::Public(value)
            }

            fn public(atom: Atom<Self>) -> Option<Self> {
                match atom {
                    Element::Public(value) => Some(value),
                    Element::Wire(_) => None,
                }
            }

            fn wire(atom: Atom<Self>, b: &mut Recorder<'_, Self>) -> Handle {
                atom.wire(b)
            }

            fn execute(values: &mut Values<Self>, b: &mut Recorder<'_, Self>, op: Op) -> Result<()> {
                execute(values, b, op)
            }
        }
    )+};
}

with_fields!(ground);

/// The element that a number encodes.
fn element<F: Field>(number: u128) -> Result<F> {
    F::from_word(number).ok_or_else(|| Error::invalid(format!("a number that is none of {}", F::NAME)))
}

fn execute<F>(values: &mut Values<F>, b: &mut Recorder<'_, F>, op: Op) -> Result<()>
where
    F: Ground<Atom = Atom<F>>,
{
    match op {
        Op::Incoming { out, start, count } => values.enter(out, start, count),
        Op::Outgoing { parts } => values.leave(b, &parts),
        Op::Witness { out, count } => {
            let value = (0..count).map(|_| Element::witness(b)).collect::<Result<_>>()?;
            values.put(out, value);
        }
        Op::Number { out, value, .. } => values.put(out, vec![Element::Public(element(value)?)]),
        Op::Numbers { out, values: numbers, .. } => {
            let value =
                numbers.iter().map(|value| Ok(Element::Public(element(*value)?))).collect::<Result<_>>()?;
            values.put(out, value);
        }
        Op::Binary { operator, out, a, b: other, .. } => values.make(b, out, |values, b| {
            let (x, y) = (values.of(a), values.of(other));
            (0..x.len().max(y.len()))
                .map(|i| binary(b, operator, lane(x, i, 1)[0], lane(y, i, 1)[0]))
                .collect()
        })?,
        Op::Unary { operator, out, a, by, .. } => values
            .make(b, out, |values, b| values.of(a).iter().map(|x| unary(b, operator, *x, by)).collect())?,
        Op::Select { out, bit, yes, no } => values.make(b, out, |values, b| {
            let bit = values.of(bit)[0];
            values.of(yes).iter().zip(values.of(no)).map(|(yes, no)| bit.select(b, *yes, *no)).collect()
        })?,
        Op::Slice { out, a, start, step, count, width } => {
            let value = slice(values.of(a), (start, step, count, width));
            values.put(out, value);
        }
        Op::Concat { out, parts } => {
            let value = parts.iter().flat_map(|part| values.of(*part)).copied().collect();
            values.put(out, value);
        }
        Op::Sum { out, a, .. } => values.make(b, out, |values, b| {
            let sum = Element::linear(b, &vec![F::ONE; values.of(a).len()], values.of(a))?;
            Ok(vec![sum])
        })?,
        Op::Dot { out, a, b: other } => {
            values.make(b, out, |values, b| Ok(vec![dot(b, values.of(a), values.of(other))?]))?;
        }
        Op::Matrix { out, matrix, a } => values.make(b, out, |values, b| {
            let matrix = matrix.iter().map(|entry| element(*entry)).collect::<Result<Vec<F>>>()?;
            Element::linear_map(b, &matrix, values.of(a))
        })?,
        Op::Bits { out, a, count, name } => {
            values.make(b, out, |values, b| values.of(a)[0].bits(b, count, values.told(&name)))?;
        }
        Op::Pick { out, a, index, width, name } => {
            values.make(b, out, |values, b| {
                let told = values.told(&name);
                let cells: Vec<_> = values.of(a).iter().map(|x| x.wire(b)).collect();
                let index = values.of(index)[0].wire(b);
                let mut memory = b.memory(Cells::Wires(&cells), width as usize)?;
                let read = b.access(&mut memory, &[index], Put::Same, &told)?;
                b.close(memory)?;
                Ok(read.into_iter().map(Element::Wire).collect())
            })?;
        }
        Op::Assert { claim, a, b: other, name, .. } => {
            let told = values.told(&name);
            b.open_scope();
            let x = values.of(a);
            match claim {
                Claim::Equal => {
                    for (i, &left) in x.iter().enumerate() {
                        let right = lane(values.of(other), i, 1)[0];
                        left.assert_equal(b, right, numbered(&told, i, x.len()))?;
                    }
                }
                Claim::True => {
                    for (i, &bit) in x.iter().enumerate() {
                        bit.assert_equal(b, Element::ONE, numbered(&told, i, x.len()))?;
                    }
                }
                Claim::NotZero => {
                    for (i, &left) in x.iter().enumerate() {
                        left.inverse(b, numbered(&told, i, x.len()))?;
                    }
                }
                Claim::Range => {
                    let wires: Vec<_> = x.iter().map(|x| x.wire(b)).collect();
                    b.assert_within(&wires, other, &told)?;
                }
            }
            b.close_scope(&[]);
        }
        Op::Memory { memory, cells, count, width } => {
            let wires: Vec<Handle>;
            b.open_scope();
            let cells = match cells {
                None => Cells::Zero(count as usize),
                Some(cells) => {
                    wires = values.of(cells).iter().map(|x| x.wire(b)).collect();
                    Cells::Wires(&wires)
                }
            };
            let made = b.memory(cells, width as usize)?;
            b.close_scope(&[]);
            values.memories.insert(memory, made);
        }
        Op::Access { memory, out, address, word, bit, name } => {
            let mut made = values.memories.remove(&memory).expect("a memory that lives");
            let accessed = values.make(b, out, |values, b| {
                let told = values.told(&name);
                let address: Vec<_> = values.of(address).iter().map(|x| x.wire(b)).collect();
                let word: Option<Vec<_>> =
                    word.map(|word| values.of(word).iter().map(|x| x.wire(b)).collect());
                let bit = bit.map(|bit| values.of(bit)[0].wire(b));
                let put = match (&word, bit) {
                    (None, _) => Put::Same,
                    (Some(word), None) => Put::Word(word),
                    (Some(word), Some(bit)) => Put::Where(bit, word),
                };
                Ok(b.access(&mut made, &address, put, &told)?.into_iter().map(Element::Wire).collect())
            });
            values.memories.insert(memory, made);
            accessed?;
        }
        Op::Table { table, key, value, rows } => {
            let entries = rows.iter().map(|entry| element(*entry)).collect::<Result<Vec<F>>>()?;
            let made = b.table(Rows { key: key as usize, value: value as usize, entries: &entries })?;
            values.tables.insert(table, made);
        }
        Op::LookUp { table, out, key, name } => {
            let mut made = values.tables.remove(&table).expect("a table that lives");
            let found = values.make(b, out, |values, b| {
                let key: Vec<_> = values.of(key).iter().map(|x| x.wire(b)).collect();
                let told = values.told(&name);
                Ok(b.look_up(&mut made, &key, &told)?.into_iter().map(Element::Wire).collect())
            });
            values.tables.insert(table, made);
            found?;
        }
        Op::Permutation { a, b: other, width, name } => {
            b.open_scope();
            let [xs, ys] = [a, other].map(|id| values.of(id).iter().map(|x| x.wire(b)).collect::<Vec<_>>());
            b.assert_permutation(&xs, &ys, width as usize, &values.told(&name))?;
            b.close_scope(&[]);
        }
        Op::Drop { id } => values.drop(b, id),
        Op::Close { memory } => {
            if let Some(made) = values.memories.remove(&memory) {
                b.close(made)?;
            }
        }
        Op::Hash { .. } => return Err(foreign("a function of bytes")),
        Op::OpenMap { .. } | Op::CloseMap { .. } | Op::DropMap => unreachable!("taken by the walk"),
    }
    Ok(())
}

fn binary<F: Field>(b: &mut Recorder<'_, F>, operator: Binary, x: Atom<F>, y: Atom<F>) -> Result<Atom<F>> {
    Ok(match operator {
        Binary::Add => x.add(b, y),
        Binary::Sub => x.sub(b, y),
        Binary::Mul => x.mul(b, y)?,
        Binary::Divide => {
            let inverse = y.inverse(b, "a divisor that is not zero")?;
            x.mul(b, inverse)?
        }
        Binary::Equal => x.equals(b, y)?,
        _ => return Err(foreign("an operation of words")),
    })
}

fn unary<F: Field>(b: &mut Recorder<'_, F>, operator: Unary, x: Atom<F>, by: u32) -> Result<Atom<F>> {
    Ok(match operator {
        Unary::Negate => x.neg(b),
        Unary::Not => Element::ONE.sub(b, x),
        Unary::Power => x.power(b, by.into())?,
        Unary::Invert => x.inverse(b, "a divisor that is not zero")?,
        Unary::ShiftLeft => x.scale(b, F::place(by)),
        _ => return Err(foreign("an operation of words")),
    })
}

/// The inner product of two arrays: one commitment, or none where all factors of a side are public.
fn dot<F: Field>(b: &mut Recorder<'_, F>, x: &[Atom<F>], y: &[Atom<F>]) -> Result<Atom<F>> {
    let is_public = |value: &[Atom<F>]| value.iter().all(|x| matches!(x, Element::Public(_)));
    if is_public(x) || is_public(y) {
        return Element::inner_product(b, x, y);
    }
    let [x, y] = [x, y].map(|value| value.iter().map(|x| x.wire(b)).collect::<Vec<_>>());
    let sum = b.inner_product(&x, &y)?;
    Ok(Element::Wire(b.commit(&sum)?[0]))
}
