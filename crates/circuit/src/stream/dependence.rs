//! Dependence of assertions and outputs on values that the prover commits to.

use super::block::{Block, Op, Record, Words};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

/// The parts of a statement that depend on private values: on elements of the witness, or on hints. It
/// follows from the wiring alone: the product of a private value and the constant zero depends on both.
///
/// What a function returns, and what it asserts, counts as private where it takes anything private or commits
/// to anything itself: so a statement may be vacuous and not be seen to be, and never the other way about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependence {
    /// The number of assertions. One on all lanes of a vector counts once.
    pub assertions: u64,
    /// Assertions among them that depend on private values.
    pub private: u64,
    /// For each output, by its number, whether a bit or element of it depends on private values.
    pub outputs: BTreeMap<u32, bool>,
}

/// A search for the dependence, block by block.
pub(super) struct Tracing<F> {
    found: Dependence,
    /// Whether the wire on a slot depends on private values.
    wires: Vec<bool>,
    vectors: Vec<bool>,
    /// Whether functions commit to anything, by their addresses; a weak reference keeps an address from being
    /// used again.
    functions: HashMap<usize, (Weak<Block<F>>, bool)>,
}

impl<F> Default for Tracing<F> {
    fn default() -> Self {
        Self {
            found: Dependence::default(),
            wires: Vec::new(),
            vectors: Vec::new(),
            functions: HashMap::new(),
        }
    }
}

impl<F> Tracing<F> {
    /// The dependence that was found.
    pub(super) fn finish(self) -> Dependence {
        self.found
    }

    /// Traces the next `block` of the statement.
    pub(super) fn block(&mut self, block: &Block<F>) {
        let longer = |places: &mut Vec<bool>, length: u32| {
            if length as usize > places.len() {
                places.resize(length as usize, false);
            }
        };
        longer(&mut self.wires, block.slots);
        longer(&mut self.vectors, block.vectors);
        for &record in &block.records {
            let Record { op, out, a, b } = record;
            let [to, from, other] = [out, a, b].map(|slot| slot as usize);
            match op {
                Op::Add | Op::Mul => self.wires[to] = self.wires[from] | self.wires[other],
                Op::Scale => self.wires[to] = self.wires[from],
                Op::Constant => self.wires[to] = false,
                Op::Assert => self.assertions(1, self.wires[from]),
                _ => self.rest(block, record),
            }
        }
    }

    /// Traces a record that is no plain gate.
    fn rest(&mut self, block: &Block<F>, Record { op, out, a, b }: Record) {
        let [to, from, other] = [out, a, b].map(|slot| slot as usize);
        match op {
            Op::Linear => {
                self.wires[to] = self.any(&mut block.read(a));
            }
            Op::Witness => self.wires[to..to + from].fill(true),
            Op::Hint => {
                let mut words = block.read(a);
                words.list();
                self.put(words, true);
            }
            Op::Output => *self.found.outputs.entry(out).or_default() |= self.wires[from],
            Op::Call => {
                let function = &block.functions[to];
                let mut words = block.read(a);
                let private = self.any(&mut words) | self.commits(function);
                self.assertions(function.assertions, private);
                self.put(words, private);
            }
            Op::Map => {
                let function = &block.functions[to];
                let commits = self.commits(function);
                let mut words = block.read(a);
                let [arguments, results] = [words.list(), words.list()].map(|list| list.columns(b));
                for lane in 0..b as usize {
                    let private = commits | arguments.of(lane).any(|slot| self.wires[slot as usize]);
                    self.assertions(function.assertions, private);
                    results.of(lane).for_each(|slot| self.wires[slot as usize] = private);
                }
            }
            Op::Public => self.vectors[to] = false,
            Op::Vector => self.vectors[to] = self.any(&mut block.read(a)),
            Op::Sum | Op::Product => self.vectors[to] = self.vectors[from] | self.vectors[other],
            Op::Combination => {
                let mut words = block.read(a);
                let mut depends = false;
                for _ in 0..2 {
                    let count = words.next();
                    depends |= words.take(count).iter().any(|&slot| self.vectors[slot as usize]);
                }
                self.vectors[to] = depends;
            }
            Op::Gather | Op::Total => self.vectors[to] = self.vectors[from],
            Op::Inner => {
                let mut words = block.read(a);
                self.vectors[to] = self.any(&mut words) | self.any(&mut words);
            }
            Op::SumOfProducts => {
                let mut words = block.read(a);
                self.wires[to] = self.any(&mut words) | self.any(&mut words);
            }
            Op::Commit => self.put(block.read(b), self.vectors[from]),
            Op::AssertProduct => {
                self.assertions(1, self.wires[to] | self.wires[from] | self.wires[other]);
            }
            Op::AssertZeroes => self.assertions(1, self.vectors[from]),
            Op::AssertMatrix => {
                let mut words = block.read(a);
                words.take(2);
                let factors = self.any(&mut words) | self.any(&mut words);
                let product = words.next() != 0 && self.any(&mut words);
                self.assertions(1, factors | product);
            }
            Op::AssertBilinear => {
                let mut words = block.read(a);
                words.take(b);
                let lists = self.any(&mut words) | self.any(&mut words);
                let second = words.next() != 0 && self.any(&mut words);
                self.assertions(1, lists | second);
            }
            Op::Incoming => self.put(block.read(a), true),
            // What a memory holds is committed to again, so that it counts as private.
            Op::Access => {
                let mut words = block.read(a);
                let private = self.any(&mut words);
                self.assertions(1, private);
                self.put(words, true);
            }
            Op::AccessRows => {
                let mut words = block.read(a);
                words.take(b);
                let private = self.any(&mut words);
                self.assertions(1, private);
                self.put(words, true);
            }
            Op::LinearRows => {
                let mut words = block.read(a);
                let private = self.any(&mut words);
                self.put(words, private);
            }
            Op::LookUp | Op::LookUpRows | Op::Within | Op::Permutation => {
                let mut words = block.read(a);
                let private = self.any(&mut words);
                self.assertions(1, private);
                self.put(words, private);
            }
            _ => {}
        }
    }

    fn assertions(&mut self, count: u64, private: bool) {
        self.found.assertions += count;
        self.found.private += if private { count } else { 0 };
    }

    /// Whether a wire of the next list is private.
    fn any(&self, words: &mut Words<'_>) -> bool {
        words.list().iter().fold(false, |any, slot| any | self.wires[slot as usize])
    }

    /// Marks the wires of the next list as `private`, or not.
    fn put(&mut self, mut words: Words<'_>, private: bool) {
        words.list().iter().for_each(|slot| self.wires[slot as usize] = private);
    }

    /// Whether `function`, or one that it calls, commits to anything.
    fn commits(&mut self, function: &Arc<Block<F>>) -> bool {
        let address = Arc::as_ptr(function) as usize;
        if let Some((_, known)) = self.functions.get(&address) {
            return *known;
        }
        let is_private = |op| matches!(op, Op::Witness | Op::Hint | Op::Access | Op::AccessRows);
        let commits = function.records.iter().any(|record| is_private(record.op))
            || function.functions.iter().any(|inner| self.commits(inner));
        self.functions.insert(address, (Arc::downgrade(function), commits));
        commits
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Recorder, Streamed, Traced};
    use crate::{Backend, Cells, Circuit, Count, Entries, Matrix, Memories, Polynomials, Put, Returned};
    use volery_channel::error::Result;
    use volery_primitives::{F61, Field};

    type Recording<'r> = Recorder<'r, F61>;

    struct Of<S>(S);

    impl<S> Circuit<Recording<'_>> for Of<S>
    where
        S: for<'r> Fn(&mut Recording<'r>) -> Result<()> + Sync,
    {
        fn run(&self, b: &mut Recording<'_>) -> Result<()> {
            (self.0)(b)
        }
    }

    /// Assertions of a statement, and those of them that are private.
    fn of(statement: impl for<'r> Fn(&mut Recording<'r>) -> Result<()> + Sync) -> (u64, u64) {
        let statement = Of(statement);
        let traced = Traced::new(&statement);
        Count::<F61>::direct(&Streamed(&traced)).unwrap();
        let found = traced.found().expect("it ran to its end");
        (found.assertions, found.private)
    }

    #[test]
    fn assertions_are_private_by_what_they_are_made_of() {
        let three = F61::from_word(3).unwrap();
        // x, 3, 3 + 3, 3·3, x + 3, x·3, 0·x.
        let gates = of(|b| {
            let (x, c) = (b.witness()?, b.constant(three));
            let sums = [b.add(c, c), b.add(x, c), b.scale(x, three), b.linear(&[three; 2], &[c, x])];
            let products = [b.mul(c, c)?, b.mul(x, c)?, b.linear(&[three; 2], &[c, c])];
            let all = [x, c].into_iter().chain(sums).chain(products);
            all.into_iter().try_for_each(|wire| b.assert_zero(wire, "all"))
        });
        assert_eq!(gates, (9, 5));
        let hint = of(|b| {
            let c = b.constant(three);
            let hint = b.hint(&[c], |values| values[0])?;
            b.assert_zero(hint, "hint")
        });
        assert_eq!(hint, (1, 1));
    }

    #[test]
    fn slots_that_are_given_again_are_what_was_put_there_last() {
        let reused = of(|b| {
            let x = b.witness()?;
            b.forget(&[x]);
            let zero = b.constant(F61::ZERO);
            b.assert_zero(zero, "zero")
        });
        assert_eq!(reused, (1, 0));
    }

    #[test]
    fn functions_are_private_by_their_arguments_or_themselves() {
        let called = |commits: bool, private: bool| {
            of(move |b| {
                let x = if private { b.witness()? } else { b.constant(F61::ONE) };
                let returned = b.call(b"f", &[x], |b, of| {
                    let wire = if commits { b.hint(of, |values| values[0])? } else { b.mul(of[0], of[0])? };
                    b.assert_zero(wire, "inside")?;
                    Ok(Returned { wires: vec![wire], public: vec![] })
                })?;
                b.assert_zero(returned.wires[0], "outside")
            })
        };
        for (commits, private) in [(false, true), (true, false), (true, true)] {
            assert_eq!(called(commits, private), (2, 2));
        }
        assert_eq!(called(false, false), (2, 0));
        // What a memory holds is committed to, wherever it is accessed.
        let accessed = of(|b| {
            let mut memory = b.memory(Cells::Zero(2), 1)?;
            let one = b.constant(F61::ONE);
            let found = b.call(b"access", &[one], |b, address| {
                let wires = b.access(&mut memory, address, Put::Same, &"a cell")?;
                Ok(Returned { wires, public: vec![] })
            })?;
            b.assert_zero(found.wires[0], "zero")
        });
        assert_eq!(accessed, (2, 2));
    }

    #[test]
    fn vectors_are_private_by_their_lanes() {
        let of_vectors = |private: bool| {
            of(move |b| {
                let wires = if private { [b.witness()?, b.witness()?] } else { [b.constant(F61::ONE); 2] };
                let public = b.public(&[F61::ONE; 2]);
                b.assert_zeroes(public.clone(), "public")?;
                let vector = b.vector(&wires);
                let product = b.product(&vector, &public)?;
                let total = b.total(&product);
                let committed = b.commit(&total)?;
                b.assert_zero(committed[0], "committed")?;
                let inner = b.inner_product(&wires, &wires)?;
                b.assert_zeroes(inner, "inner")?;
                let (row, column) = (Matrix::new(&wires, 2), Matrix::new(&wires, 1));
                b.assert_matrix_product(row, column, Entries::Public(&[F61::ONE]), "matrix")
            })
        };
        assert_eq!(of_vectors(true), (4, 3));
        assert_eq!(of_vectors(false), (4, 0));
    }

    /// A statement that fails has nothing found of it, and is looked at anew the next time.
    #[test]
    fn what_ends_early_is_not_judged() {
        let statement = Of(|b: &mut Recording<'_>| {
            b.witness()?;
            Err(volery_channel::error::Error::invalid("malformed"))
        });
        let traced = Traced::new(&statement);
        assert!(Count::<F61>::direct(&Streamed(&traced)).is_err());
        assert!(traced.found().is_none());
    }
}
