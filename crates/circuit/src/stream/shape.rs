//! Counting the gates of a stream, of which functions are counted once.

use super::block::{Block, Op, Record, form_of};
use super::depth::Depths;
use super::{Argues, Execute, Functions, Recorder, Source};
use crate::accounting::{Parameters, by_epochs};
use crate::count::{Open, Part, kind_of};
use crate::{Known, Rows, Shape, Sizes, common_lanes};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use volery_channel::error::Result;
use volery_primitives::Field;

/// The gates of `source` by kind, but for their depth, which is zero; epochs are those of `parameters`. Behind them the
/// depth, where it is asked for, and can be told of functions.
///
/// # Errors
/// `Invalid` where the statement is malformed.
pub(super) fn count<F: Field>(
    source: &dyn Source<F>,
    functions: &Functions<F>,
    parameters: Parameters,
    deep: bool,
) -> Result<(Shape, Option<u64>)> {
    let mut tally = Tally {
        shape: Shape::default(),
        vectors: Vec::new(),
        open: Open::new(by_epochs(parameters)),
        functions: HashMap::new(),
        depths: deep.then(Depths::default),
    };
    let mut recorder = Recorder::new(&mut tally, functions);
    let recorded = source.record(&mut recorder);
    recorder.finish(recorded)?;
    let mut shape = tally.shape;
    tally.open.end(&mut shape);
    Ok((shape, tally.depths.and_then(|depths| depths.depth())))
}

/// Counts what is executed.
struct Tally<F> {
    shape: Shape,
    /// Lanes and degree of each vector of the statement.
    vectors: Vec<(usize, usize)>,
    open: Open<F>,
    /// Shapes of functions by their addresses; a weak reference keeps an address from being used again.
    functions: HashMap<usize, (Weak<Block<F>>, Tallied)>,
    depths: Option<Depths<F>>,
}

/// The shape of a block, and its events for crowds.
type Tallied = (Shape, Arc<Part>);

impl<F: Field> Execute<F> for Tally<F> {
    fn argues(&self) -> Argues {
        Argues::EVERYTHING
    }

    fn execute(&mut self, block: &Block<F>, _: &[F]) -> Result<()> {
        let mut vectors = core::mem::take(&mut self.vectors);
        let (shape, part) = self.count(block, &mut vectors);
        self.vectors = vectors;
        self.shape.add(&shape);
        part.account(self.open.accounting());
        if let Some(depths) = &mut self.depths {
            depths.block(block);
        }
        Ok(())
    }
}

impl<F: Field> Tally<F> {
    fn function(&mut self, function: &Arc<Block<F>>) -> Tallied {
        let address = Arc::as_ptr(function) as usize;
        if let Some((_, tallied)) = self.functions.get(&address) {
            return tallied.clone();
        }
        let before = self.open.so_far;
        let tallied = self.count(function, &mut Vec::new());
        if before == self.open.so_far {
            self.functions.insert(address, (Arc::downgrade(function), tallied.clone()));
        }
        tallied
    }

    fn count(&mut self, block: &Block<F>, vectors: &mut Vec<(usize, usize)>) -> Tallied {
        let (mut shape, mut part) = (Shape::default(), Part::default());
        vectors.resize(vectors.len().max(block.vectors as usize), (0, 0));
        for &Record { op, out, a, b } in &block.records {
            let vector = |slot: u32| vectors[slot as usize];
            let made = match op {
                Op::Constant => {
                    shape.constant += 1;
                    continue;
                }
                Op::Add => {
                    shape.add += 1;
                    continue;
                }
                Op::Mul => {
                    shape.mul += 1;
                    continue;
                }
                Op::Scale => {
                    shape.scale += 1;
                    continue;
                }
                Op::Linear => {
                    let terms = block.read(a).list().len() as u64;
                    shape.scale += terms;
                    shape.add += terms.saturating_sub(1);
                    shape.constant += u64::from(terms == 0);
                    continue;
                }
                Op::LinearRows => {
                    let (terms, rows) =
                        (u64::from(out), block.read(a).list().len() as u64 / u64::from(out.max(1)));
                    shape.scale += terms * rows;
                    shape.add += terms.saturating_sub(1) * rows;
                    continue;
                }
                Op::Witness => {
                    shape.inputs += u64::from(a);
                    shape.witness += u64::from(a);
                    continue;
                }
                Op::Hint => {
                    let mut words = block.read(a);
                    words.list();
                    shape.inputs += words.list().len() as u64;
                    continue;
                }
                Op::Assert => {
                    shape.assert += 1;
                    continue;
                }
                Op::Call => {
                    let (function, inner) = self.function(&block.functions[out as usize]);
                    part.part(&shape, &inner, &function);
                    shape.add(&function);
                    continue;
                }
                Op::Map => {
                    for _ in 0..b {
                        // Ranges and permutations are counted in each lane.
                        let (function, inner) = self.function(&block.functions[out as usize]);
                        part.part(&shape, &inner, &function);
                        shape.add(&function);
                    }
                    continue;
                }
                Op::Output | Op::Drop => continue,
                Op::Memory => {
                    let mut words = block.read(a);
                    let wires = words.list().len();
                    words.list();
                    let [width, kind, count] = [words.next(), words.next(), words.next()].map(|n| n as usize);
                    let cells = match kind {
                        0 => wires / width,
                        1 => count / width,
                        _ => count,
                    };
                    self.open.memory(Sizes { cells, width });
                    continue;
                }
                Op::Access => {
                    self.open.access(&mut shape, out as usize, kind_of(b % 4));
                    continue;
                }
                Op::AccessRows => {
                    let mut words = block.read(a);
                    let puts = words.take(b);
                    let columns = puts.iter().map(|elements| 1 + *elements as usize).sum::<usize>();
                    for _ in 0..words.list().len() / columns {
                        for elements in puts {
                            self.open.access(&mut shape, out as usize, kind_of(u32::from(*elements > 0)));
                        }
                    }
                    continue;
                }
                Op::Close => {
                    self.open.close(out as usize);
                    continue;
                }
                Op::Table => {
                    let mut words = block.read(a);
                    let [key, value, count] = [words.next(), words.next(), words.next()].map(|n| n as usize);
                    let entries = &block.constants[b as usize..][..count];
                    let known = Known::new(Rows { key, value, entries }).expect("a table that was recorded");
                    self.open.table(&known);
                    continue;
                }
                Op::LookUp => {
                    self.open.look_up(&mut shape, out as usize, 1);
                    continue;
                }
                Op::LookUpRows => {
                    let lookups = block.read(a).list().len() as u64 / u64::from(b);
                    self.open.look_up(&mut shape, out as usize, lookups);
                    continue;
                }
                Op::Within => {
                    self.open.within(&mut shape, block.read(a).list().len(), out);
                    continue;
                }
                Op::Permutation => {
                    let (wires, width) = (block.read(a).list().len(), out as usize);
                    self.open.permutation(&mut shape, wires / (2 * width), width);
                    continue;
                }
                Op::Incoming => {
                    shape.incoming += block.read(a).list().len() as u64;
                    continue;
                }
                Op::Outgoing => {
                    shape.outgoing += block.read(a).list().len() as u64;
                    continue;
                }
                Op::Commit => {
                    let (lanes, degree) = vector(a);
                    shape.inputs += lanes as u64;
                    shape.committed += lanes as u64;
                    part.polynomials(&shape, lanes, degree);
                    shape.polynomials(lanes, degree);
                    continue;
                }
                Op::AssertZeroes => {
                    let (lanes, degree) = vector(a);
                    shape.assert += lanes as u64;
                    part.polynomials(&shape, lanes, degree);
                    shape.polynomials(lanes, degree);
                    continue;
                }
                Op::AssertProduct => {
                    shape.polynomial_mul += 1;
                    shape.assert += 1;
                    part.polynomials(&shape, 1, 2);
                    shape.polynomials(1, 2);
                    continue;
                }
                Op::AssertMatrix => {
                    let mut words = block.read(a);
                    let [inner, columns] = [words.next() as u64, words.next() as u64];
                    let rows = words.list().len() as u64 / inner;
                    part.products(&shape, rows * inner + inner * columns + rows * columns);
                    shape.matrix(rows, inner, columns);
                    continue;
                }
                Op::AssertBilinear => {
                    let mut words = block.read(a);
                    let form = form_of(words.take(b));
                    part.products(&shape, form.lengths().iter().map(|entries| *entries as u64).sum());
                    words.list();
                    words.list();
                    shape.bilinear(&form, words.next() == 0);
                    continue;
                }
                Op::Public => (b as usize, 0),
                Op::Vector => (block.read(a).list().len(), 1),
                Op::Sum => {
                    let ((lanes, degree), (others, other)) = (vector(a), vector(b));
                    (common_lanes(lanes, others), degree.max(other))
                }
                Op::Product => {
                    let ((lanes, degree), (others, other)) = (vector(a), vector(b));
                    let lanes = common_lanes(lanes, others);
                    shape.polynomial_mul += lanes as u64;
                    (lanes, degree + other)
                }
                Op::Combination => {
                    let mut words = block.read(a);
                    let count = words.next();
                    let (mut all, mut highest) = (1, 0);
                    for [a, b] in words.take(count).as_chunks().0 {
                        let ((lanes, degree), (others, other)) = (vector(*a), vector(*b));
                        let lanes = common_lanes(lanes, others);
                        shape.polynomial_mul += lanes as u64;
                        (all, highest) = (common_lanes(all, lanes), highest.max(degree + other));
                    }
                    let count = words.next();
                    for (lanes, degree) in words.take(count).iter().map(|slot| vector(*slot)) {
                        (all, highest) = (common_lanes(all, lanes), highest.max(degree));
                    }
                    (all, highest)
                }
                Op::Gather => (block.read(b).next() as usize, vector(a).1),
                Op::Total => (1, vector(a).1),
                Op::SumOfProducts => unreachable!("the recorder writes it for who has no vectors"),
                Op::Inner => {
                    shape.inner(block.read(a).list().len() as u64);
                    (1, 2)
                }
            };
            vectors[out as usize] = made;
        }
        let part = Arc::new(part.end(&shape));
        (shape, part)
    }
}
