//! Operations over F_2: bits, words and strings of bytes.
//!
//! A word of any width goes through the gadgets for the next of five, with public bits above, which cost
//! nothing or next to it. Operators with more than a few gates are functions, recorded once.

mod strings;
mod words;

use super::{Ground, Values, foreign, lane};
use crate::tape::{Binary, Claim, Name, Op, Unary};
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend, Cells, Memories, Permutations, Put, Rows, Tables, address_width};
use volery::{Error, F2, Result};

/// A bit of a value.
pub(super) type Atom = Bit<Handle>;
type Gates<'r, 'b> = &'b mut Recorder<'r, F2>;

impl Ground for F2 {
    type Atom = Atom;

    fn on(wire: Handle) -> Atom {
        Bit::Wire(wire)
    }

    fn known(value: Self) -> Atom {
        Bit::Public(value.to_bool())
    }

    fn public(atom: Atom) -> Option<Self> {
        match atom {
            Bit::Public(bit) => Some(Self::from(bit)),
            Bit::Wire(_) => None,
        }
    }

    fn wire(atom: Atom, b: &mut Recorder<'_, Self>) -> Handle {
        atom.wire(b)
    }

    fn execute(values: &mut Values<Self>, b: &mut Recorder<'_, Self>, op: Op) -> Result<()> {
        match op {
            Op::Incoming { out, start, count } => values.enter(out, start, count),
            Op::Outgoing { parts } => values.leave(b, &parts),
            Op::Witness { out, count } => {
                let value = (0..count).map(|_| Bit::witness(b)).collect::<Result<_>>()?;
                values.put(out, value);
            }
            Op::Number { out, value, width } => values.put(out, public(value, width).collect()),
            Op::Numbers { out, values: numbers, width } => {
                values.put(out, numbers.iter().flat_map(|value| public(*value, width)).collect());
            }
            Op::Binary { operator, width, out, a, b: other } => values.make(b, out, |values, b| {
                binary(b, operator, width as usize, values.of(a), values.of(other))
            })?,
            Op::Unary { operator, width, out, a, by } => {
                values.make(b, out, |values, b| {
                    unary(b, operator, width as usize, values.of(a), by as usize)
                })?;
            }
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
            Op::Hash { function, out, a, b: other } => values.make(b, out, |values, b| {
                strings::hash(b, function, values.of(a), other.map(|other| values.of(other)))
            })?,
            Op::Sum { out, a, width } => {
                values.make(b, out, |values, b| words::sum(b, values.of(a), width as usize))?
            }
            Op::Pick { out, a, index, width, name } => values.make(b, out, |values, b| {
                let name = values.told(&name);
                words::pick(b, values.of(a), width as usize, values.of(index), &name)
            })?,
            Op::Assert { claim, width, a, b: other, name } => {
                b.open_scope();
                assert(values, b, (claim, width as usize), (a, other), &name)?;
                b.close_scope(&[]);
            }
            Op::Memory { memory, cells, count, width } => {
                let wires: Vec<Handle>;
                b.open_scope();
                let cells = match cells {
                    None => Cells::Zero(count as usize),
                    Some(cells) => {
                        wires = values.of(cells).iter().map(|bit| bit.wire(b)).collect();
                        Cells::Wires(&wires)
                    }
                };
                let made = b.memory(cells, width as usize)?;
                b.close_scope(&[]);
                values.memories.insert(memory, made);
                values.cells.insert(memory, count as usize);
            }
            Op::Access { memory, out, address, word, bit, name } => {
                access(values, b, memory, out, (address, word, bit), &name)?
            }
            Op::Table { table, key, value, rows } => {
                let wide = (key + value) as usize;
                let entries: Vec<F2> = rows.chunks(wide).flatten().map(|bit| F2::from(*bit == 1)).collect();
                let made = b.table(Rows { key: key as usize, value: value as usize, entries: &entries })?;
                values.tables.insert(table, made);
            }
            Op::LookUp { table, out, key, name } => {
                let mut made = values.tables.remove(&table).expect("a table that lives");
                let found = values.make(b, out, |values, b| {
                    let key: Vec<_> = values.of(key).iter().map(|bit| bit.wire(b)).collect();
                    let name = values.told(&name);
                    Ok(b.look_up(&mut made, &key, &name)?.into_iter().map(Bit::Wire).collect())
                });
                values.tables.insert(table, made);
                found?;
            }
            Op::Permutation { a, b: other, width, name } => {
                b.open_scope();
                let [xs, ys] =
                    [a, other].map(|id| values.of(id).iter().map(|bit| bit.wire(b)).collect::<Vec<_>>());
                b.assert_permutation(&xs, &ys, width as usize, &values.told(&name))?;
                b.close_scope(&[]);
            }
            Op::Drop { id } => values.drop(b, id),
            Op::Close { memory } => {
                if let Some(made) = values.memories.remove(&memory) {
                    b.close(made)?;
                }
            }
            Op::Dot { .. } | Op::Matrix { .. } | Op::Bits { .. } => {
                return Err(foreign("an operation of numbers"));
            }
            Op::OpenMap { .. } | Op::CloseMap { .. } | Op::DropMap => unreachable!("taken by the walk"),
        }
        Ok(())
    }
}

/// The bits of a public number.
fn public(value: u128, width: u32) -> impl Iterator<Item = Atom> {
    (0..width).map(move |i| Bit::Public(i < 128 && value >> i & 1 == 1))
}

/// See [`Op::Slice`].
pub(super) fn slice<A: Copy>(value: &[A], (start, step, count, width): (u32, i32, u32, u32)) -> Vec<A> {
    let runs = (0..i64::from(count)).map(|i| (i64::from(start) + i * i64::from(step)) as usize);
    runs.flat_map(|at| &value[at..at + width as usize]).copied().collect()
}

fn binary(b: Gates<'_, '_>, operator: Binary, width: usize, x: &[Atom], y: &[Atom]) -> Result<Vec<Atom>> {
    if matches!(
        operator,
        Binary::ShiftLeft
            | Binary::ShiftRight
            | Binary::ShiftSigned
            | Binary::RotateLeft
            | Binary::RotateRight
    ) {
        // One word, by a count of another width.
        return words::binary(b, operator, x, y);
    }
    let lanes = (x.len() / width).max(y.len() / width);
    let mut out = Vec::with_capacity(lanes * width);
    for i in 0..lanes {
        let (x, y) = (lane(x, i, width), lane(y, i, width));
        match operator {
            Binary::Xor => out.extend(x.iter().zip(y).map(|(x, y)| x.xor(b, *y))),
            Binary::And => {
                for (x, y) in x.iter().zip(y) {
                    out.push(x.and(b, *y)?);
                }
            }
            Binary::Or => {
                for (x, y) in x.iter().zip(y) {
                    out.push(x.or(b, *y)?);
                }
            }
            _ => out.extend(words::binary(b, operator, x, y)?),
        }
    }
    Ok(out)
}

fn unary(b: Gates<'_, '_>, operator: Unary, width: usize, x: &[Atom], by: usize) -> Result<Vec<Atom>> {
    let mut out = Vec::with_capacity(x.len());
    let zero = Bit::Public(false);
    for x in x.chunks(width) {
        let sign = x[width - 1];
        let above = |i: usize, fill| x.get(i).copied().unwrap_or(fill);
        match operator {
            Unary::Not => out.extend(x.iter().map(|bit| bit.not(b))),
            Unary::Negate => out.extend(words::binary(b, Binary::Sub, &vec![zero; width], x)?),
            Unary::ShiftLeft => out.extend((0..width).map(|i| i.checked_sub(by).map_or(zero, |i| x[i]))),
            Unary::ShiftRight => out.extend((0..width).map(|i| above(i.saturating_add(by), zero))),
            Unary::ShiftSigned => out.extend((0..width).map(|i| above(i.saturating_add(by), sign))),
            Unary::RotateLeft => out.extend((0..width).map(|i| x[(i + width - by % width) % width])),
            Unary::Widen => out.extend((0..by).map(|i| above(i, zero))),
            Unary::WidenSigned => out.extend((0..by).map(|i| above(i, sign))),
            Unary::Power | Unary::Invert => return Err(foreign("an operation of elements")),
        }
    }
    Ok(out)
}

fn assert(
    values: &Values<F2>,
    b: Gates<'_, '_>,
    (claim, width): (Claim, usize),
    (a, other): (u32, u32),
    name: &Name,
) -> Result<()> {
    let x = values.of(a);
    let told = values.told(name);
    match claim {
        Claim::True => {
            for (i, bit) in x.iter().enumerate() {
                let bit = bit.not(b).wire(b);
                b.assert_zero(bit, numbered(&told, i, x.len()))?;
            }
        }
        Claim::Equal => {
            let y = values.of(other);
            for i in 0..x.len() {
                let difference = x[i].xor(b, lane(y, i / width, width)[i % width]).wire(b);
                b.assert_zero(difference, numbered(&told, i, x.len()))?;
            }
        }
        Claim::NotZero | Claim::Range => return Err(foreign("an assertion about elements")),
    }
    Ok(())
}

/// The name of one assertion of several.
pub(super) fn numbered<'n>(
    name: &'n dyn std::fmt::Display,
    i: usize,
    count: usize,
) -> impl std::fmt::Display + 'n {
    struct Numbered<'n>(&'n dyn std::fmt::Display, usize, usize);
    impl std::fmt::Display for Numbered<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fmt(f)?;
            if self.2 > 1 { write!(f, "[{}]", self.1) } else { Ok(()) }
        }
    }
    Numbered(name, i, count)
}

fn access(
    values: &mut Values<F2>,
    b: Gates<'_, '_>,
    memory: u32,
    out: u32,
    (address, word, bit): (u32, Option<u32>, Option<u32>),
    name: &Name,
) -> Result<()> {
    let (mut made, cells) =
        values.memories.remove(&memory).zip(values.cells.get(&memory).copied()).expect("a memory that lives");
    let accessed = values.make(b, out, |values, b| {
        let told = values.told(name);
        let address = values.of(address);
        let takes = address_width::<F2>(cells);
        for high in address.iter().skip(takes) {
            let high = high.wire(b);
            b.assert_zero(high, &told)?;
        }
        let mut wires = Vec::with_capacity(takes);
        for i in 0..takes {
            wires.push(address.get(i).copied().unwrap_or(Bit::Public(false)).wire(b));
        }
        let word: Option<Vec<_>> = word.map(|word| values.of(word).iter().map(|bit| bit.wire(b)).collect());
        let bit = bit.map(|bit| values.of(bit)[0].wire(b));
        let put = match (&word, bit) {
            (None, _) => Put::Same,
            (Some(word), None) => Put::Word(word),
            (Some(word), Some(bit)) => Put::Where(bit, word),
        };
        Ok(b.access(&mut made, &wires, put, &told)?.into_iter().map(Bit::Wire).collect())
    });
    values.memories.insert(memory, made);
    accessed
}

/// The word that a gadget takes: these bits, with `fill` above.
fn word<const N: usize>(bits: &[Atom], fill: Atom) -> Word<Handle, N> {
    Word::new(std::array::from_fn(|i| bits.get(i).copied().unwrap_or(fill)))
}

/// The error of a width that the writing thread does not let through.
fn too_wide(width: usize) -> Error {
    Error::invalid(format!("a word of {width} bits: the most are {}", crate::kinds::WIDEST))
}
