//! Records beyond gates, and how backends execute them.

use super::vectors::Slots;
use super::{Step, Wires, columns, operands};
use crate::stream::argues::{self, Argues};
use crate::stream::block::{Op, Record, form_of};
use crate::{Accesses, Backend, Cells, Entries, Machine, Matrix, Polynomials, Put, Rows};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::Field;
use zeroize::{Zeroize, Zeroizing};

/// An executor of records beyond gates, with what it holds from one record to the next.
pub trait Beyond<B: Backend>: Default {
    /// The kinds of records that it executes.
    fn argues() -> Argues;

    /// Executes a record beyond gates, of the kinds that [`Beyond::argues`] names.
    ///
    /// # Errors
    /// Those of the backend.
    fn execute(&mut self, backend: &mut B, step: Step<'_, '_, B::F, B::Wire>) -> Result<()>;

    /// Makes room for `vectors` vectors.
    fn open(&mut self, vectors: usize) {
        let _ = vectors;
    }

    /// Drops the vectors from number `vectors` on.
    fn close(&mut self, vectors: usize) {
        let _ = vectors;
    }
}

/// An executor of no record: the backend has gates alone.
#[derive(Default)]
pub struct GatesAlone;

impl<B: Backend> Beyond<B> for GatesAlone {
    fn argues() -> Argues {
        Argues::NOTHING
    }
    fn execute(&mut self, _: &mut B, step: Step<'_, '_, B::F, B::Wire>) -> Result<()> {
        unexpected(step.record.op)
    }
}

/// Panics: the recorder writes gates for all that the backend has no proof for.
#[cold]
pub(super) fn unexpected(op: Op) -> ! {
    unreachable!("{op:?} for a backend that has no proof for it")
}

/// A backend to which a sum of products is one product, and a product of matrices something of its own.
pub trait Sums: Backend {
    /// `Σ a[i]·b[i]`.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    ///
    /// # Panics
    /// Where the lengths differ.
    fn sum_of_products(&mut self, a: &[Self::Wire], b: &[Self::Wire]) -> Result<Self::Wire>;

    /// Asserts a product of matrices: see [`Polynomials::assert_matrix_product`].
    ///
    /// # Errors
    /// As there.
    fn assert_matrix(
        &mut self,
        a: Matrix<Self::Wire>,
        b: Matrix<Self::Wire>,
        c: Entries<Self::F, Self::Wire>,
        name: &dyn Display,
    ) -> Result<()>;
}

/// An executor of sums of products alone.
#[derive(Default)]
pub struct SumsOfProducts;

impl<B: Sums> Beyond<B> for SumsOfProducts {
    fn argues() -> Argues {
        Argues { polynomials: argues::Polynomials::Sums, ..Argues::NOTHING }
    }

    fn execute(&mut self, backend: &mut B, step: Step<'_, '_, B::F, B::Wire>) -> Result<()> {
        match step.record.op {
            Op::SumOfProducts => {
                let Step { block, record, frame, wires: Wires { places, operands: [x, y, _] }, .. } = step;
                let mut words = block.read(record.a);
                let x = operands(places, x, words.list(), frame);
                let y = operands(places, y, words.list(), frame);
                let sum = backend.sum_of_products(x, y)?;
                places.0[frame.wires + record.out as usize] = sum;
                Ok(())
            }
            Op::AssertMatrix => step.matrices(|a, b, c, name| backend.assert_matrix(a, b, c, name)),
            op => unexpected(op),
        }
    }
}

impl<F: Field, W: Copy + Default + Zeroize> Step<'_, '_, F, W> {
    /// Gives the matrices of an assertion, and its name, to `take`.
    fn matrices(
        self,
        take: impl FnOnce(Matrix<W>, Matrix<W>, Entries<F, W>, &dyn Display) -> Result<()>,
    ) -> Result<()> {
        let Self { block, record: Record { a, b, .. }, frame, wires, names } = self;
        let Wires { places, operands: [x, y, z] } = wires;
        let name = names.next();
        let mut words = block.read(a);
        let columns = [words.next() as usize, words.next() as usize];
        let x = operands(places, x, words.list(), frame);
        let y = operands(places, y, words.list(), frame);
        let product = match words.next() {
            0 => Entries::Public(&block.constants[b as usize..][..x.len() / columns[0] * columns[1]]),
            _ => Entries::Wires(operands(places, z, words.list(), frame)),
        };
        take(Matrix::new(x, columns[0]), Matrix::new(y, columns[1]), product, &name)
    }
}

/// An executor of polynomials, with their vectors.
pub struct Vectors<B: Polynomials> {
    vectors: Slots<B::Vector>,
}

impl<B: Polynomials> Default for Vectors<B> {
    fn default() -> Self {
        Self { vectors: Slots::default() }
    }
}

impl<B: Polynomials> Beyond<B> for Vectors<B> {
    fn argues() -> Argues {
        Argues { polynomials: argues::Polynomials::All, ..Argues::NOTHING }
    }

    fn open(&mut self, vectors: usize) {
        self.vectors.open(vectors);
    }

    fn close(&mut self, vectors: usize) {
        self.vectors.close(vectors);
    }

    fn execute(&mut self, backend: &mut B, step: Step<'_, '_, B::F, B::Wire>) -> Result<()> {
        let Record { op, out, a, b } = step.record;
        let Step { block, record, frame, .. } = step;
        let left = frame.vectors + a as usize;
        match op {
            Op::AssertMatrix => step.matrices(|a, b, c, name| backend.assert_matrix_product(a, b, c, name)),
            Op::AssertBilinear => {
                let name = step.names.next();
                let mut words = block.read(a);
                let form = form_of(words.take(b));
                let Wires { places, operands: [x, y, z] } = step.wires;
                let x = operands(places, x, words.list(), frame);
                let z = operands(places, z, words.list(), frame);
                let y = match words.next() {
                    0 => Entries::Public(&block.constants[out as usize..][..form.lengths()[1]]),
                    _ => Entries::Wires(operands(places, y, words.list(), frame)),
                };
                backend.assert_bilinear(&form, (x, y, z), &name)
            }
            Op::AssertProduct => {
                let name = step.names.next();
                let [a, b, c] = [a, b, out].map(|slot| step.wires.places.0[frame.wires + slot as usize]);
                backend.assert_product(a, b, c, &name)
            }
            Op::Commit => {
                let wires = backend.commit(self.vectors.vector(left))?;
                step.wires.places.scatter(&wires, block.read(b).list(), frame);
                Ok(())
            }
            Op::AssertZeroes => {
                let name = step.names.next();
                backend.assert_zeroes(self.vectors.take(left, out), &name)
            }
            _ => self.vectors.execute(backend, (block, record), frame, step.wires),
        }
    }
}

/// An executor of everything: polynomials, memories, tables, permutations, and wires that cross.
pub struct Everything<B: Machine> {
    polynomials: Vectors<B>,
    /// The memories by their numbers; `None` for closed ones.
    memories: Vec<Option<B::Memory>>,
    /// The tables by their numbers; `None` for those that the recorder looks at row by row.
    tables: Vec<Option<B::Table>>,
}

impl<B: Machine> Default for Everything<B> {
    fn default() -> Self {
        Self { polynomials: Vectors::default(), memories: Vec::new(), tables: Vec::new() }
    }
}

impl<B: Machine> Beyond<B> for Everything<B> {
    fn argues() -> Argues {
        Argues::EVERYTHING
    }

    fn open(&mut self, vectors: usize) {
        self.polynomials.open(vectors);
    }

    fn close(&mut self, vectors: usize) {
        self.polynomials.close(vectors);
    }

    fn execute(&mut self, backend: &mut B, step: Step<'_, '_, B::F, B::Wire>) -> Result<()> {
        match step.record.op {
            Op::Memory
            | Op::Access
            | Op::AccessRows
            | Op::Close
            | Op::Table
            | Op::LookUp
            | Op::LookUpRows
            | Op::Within
            | Op::Permutation => self.memory(backend, step),
            Op::Incoming => {
                let list = step.block.read(step.record.a).list();
                let wires = Zeroizing::new(backend.incoming(list.len())?);
                step.wires.places.scatter(&wires, list, step.frame);
                Ok(())
            }
            Op::Outgoing => {
                let list = step.block.read(step.record.a).list();
                let Wires { places, operands: [beside, ..] } = step.wires;
                backend.outgoing(operands(places, beside, list, step.frame))
            }
            _ => self.polynomials.execute(backend, step),
        }
    }
}

impl<B: Machine> Everything<B> {
    /// Executes a record on memories or tables, or on a permutation.
    fn memory(&mut self, backend: &mut B, step: Step<'_, '_, B::F, B::Wire>) -> Result<()> {
        let Step { block, record: Record { op, out, a, b }, frame, wires, names } = step;
        let Wires { places, operands: [beside, ..] } = wires;
        match op {
            Op::Memory => {
                let mut words = block.read(a);
                let cells = operands(places, beside, words.list(), frame);
                words.list();
                let (width, kind, count) = (words.next() as usize, words.next(), words.next() as usize);
                let addresses: Vec<u64>;
                let cells = match kind {
                    0 => Cells::Wires(cells),
                    1 => Cells::Public(&block.constants[b as usize..][..count]),
                    2 => Cells::Zero(count),
                    _ => {
                        let constants = &block.constants[b as usize..][..count + count * width];
                        let (numbers, values) = constants.split_at(count);
                        addresses = numbers.iter().map(|address| address.to_integer().low() as u64).collect();
                        Cells::At(&addresses, values)
                    }
                };
                let memory = backend.memory(cells, width)?;
                put(&mut self.memories, out, memory);
            }
            Op::Access => {
                let name = names.next();
                let mut words = block.read(a);
                let of = operands(places, beside, words.list(), frame);
                let (address, rest) = of.split_at((b / 4) as usize);
                let put = match b % 4 {
                    0 => Put::Same,
                    1 => Put::Word(rest),
                    _ => Put::Where(rest[0], &rest[1..]),
                };
                let memory = self.memories[out as usize].as_mut().expect("a memory that is open");
                let word = Zeroizing::new(backend.access(memory, address, put, &name)?);
                places.scatter(&word, words.list(), frame);
            }
            Op::AccessRows => {
                let name = names.next();
                let mut words = block.read(a);
                let puts = words.take(b);
                let of = operands(places, beside, words.list(), frame);
                let all = columns(of, b + puts.iter().sum::<u32>());
                let (mut rest, mut ports) = (&all[..], Vec::with_capacity(puts.len()));
                for elements in puts {
                    let (port, behind) = rest.split_at(1 + *elements as usize);
                    ports.push(Accesses {
                        address: port[0],
                        put: Some(&port[1..]).filter(|word| !word.is_empty()),
                    });
                    rest = behind;
                }
                let memory = self.memories[out as usize].as_mut().expect("a memory that is open");
                let found = backend.access_rows(memory, &ports, &name)?;
                places.scatter_columns(found, words.list(), frame);
            }
            Op::Close => {
                let memory = self.memories[out as usize].take().expect("a memory that is open");
                backend.close(memory)?;
            }
            Op::Table => {
                let mut words = block.read(a);
                let (key, value, count) =
                    (words.next() as usize, words.next() as usize, words.next() as usize);
                let entries = &block.constants[b as usize..][..count];
                let table = backend.table(Rows { key, value, entries })?;
                put(&mut self.tables, out, table);
            }
            Op::LookUp => {
                let name = names.next();
                let mut words = block.read(a);
                let key = operands(places, beside, words.list(), frame);
                let table = self.tables[out as usize].as_mut().expect("a table that was made");
                let value = Zeroizing::new(backend.look_up(table, key, &name)?);
                places.scatter(&value, words.list(), frame);
            }
            Op::LookUpRows => {
                let name = names.next();
                let mut words = block.read(a);
                let key = operands(places, beside, words.list(), frame);
                let table = self.tables[out as usize].as_mut().expect("a table that was made");
                let values = backend.look_up_rows(table, &columns(key, b), &name)?;
                places.scatter_columns(values, words.list(), frame);
            }
            Op::Permutation => {
                let name = names.next();
                let both = operands(places, beside, block.read(a).list(), frame);
                let (xs, ys) = both.split_at(both.len() / 2);
                backend.assert_permutation(xs, ys, out as usize, &name)?;
            }
            _ => {
                let name = names.next();
                let mut words = block.read(a);
                let values = operands(places, beside, words.list(), frame);
                backend.assert_within(values, out, &name)?;
            }
        }
        Ok(())
    }
}

/// Puts `value` at place `number`.
fn put<T>(places: &mut Vec<Option<T>>, number: u32, value: T) {
    let length = places.len().max(number as usize + 1);
    places.resize_with(length, || None);
    places[number as usize] = Some(value);
}
