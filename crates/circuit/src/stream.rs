//! The gate stream: a statement as data, compiled once and executed by every proof system.
//!
//! A statement pushes its gates into one backend, the [`Recorder`], which writes them into blocks of records.
//! Whoever takes part in a proof executes these block by block: the one interpreter of this module does it
//! for each backend. So a statement is compiled once, whatever the number of systems, and a system once,
//! whatever the number of statements. A reader of a file format, a builder in another language and a worker
//! elsewhere meet the same blocks.
//!
//! # Layout
//! A [`Block`] is a list of [`Record`]s of 16 bytes, `op`, `out`, `a` and `b`, with three side arrays:
//! `words` of 32 bits, which hold lists, `constants` of the field, and the functions of hints. Wires are
//! **slots**, numbers of places in a table that whoever executes the block holds; a slot is written before it
//! is read, and may be written again where nobody needs its value any more. Vectors of polynomials have slots
//! of their own. A list of wires stands in `words` as the number of its runs, and for each run of consecutive
//! slots the first and their number.
//!
//! | op | `out` | `a` | `b` | means |
//! |---|---|---|---|---|
//! | `Constant` | slot | constant | | |
//! | `Add`, `Mul` | slot | slot | slot | |
//! | `Scale` | slot | slot | constant | a public factor |
//! | `Linear` | slot | words | constant | list: of the terms; from `b` on their factors; where it is [`LENT`], those lent with the block |
//! | `LinearRows` | terms | words | constant | lists: so many columns, side by side; the sums. From `b` on the factors |
//! | `Witness` | slot | count | | so many elements, on consecutive slots |
//! | `Hint` | function | words | | lists: of the arguments, of the results |
//! | `Assert` | | slot | | that it carries zero |
//! | `Output` | port | slot | place | what comes out, for who evaluates |
//! | `Call` | function | words | | lists: of the arguments, of the results |
//! | `Map` | function | words | lanes | lists: the columns of the arguments, of a wire for each lane; those of the results |
//! | `Public` | vector | constant | count | consecutive constants, a lane each |
//! | `Vector` | vector | words | | list: wires, a lane each |
//! | `Sum`, `Product` | vector | vector | vector | |
//! | `Combination` | vector | words | constant | count, and pairs of factors; count, and vectors; from `b` on what |
//! | | | | | is added, and the factors of these vectors |
//! | `Gather` | vector | vector | words | count; for each lane that lane plus one, or zero |
//! | `Total` | vector | vector | | the sum of all lanes |
//! | `Inner` | vector | words | | lists: two of the same length |
//! | `SumOfProducts` | slot | words | | lists: two of the same length |
//! | `Commit` | | vector | words | list: of the results |
//! | `AssertZeroes` | 1 or 0 | vector | | that all lanes are zero; 1 where it is read again |
//! | `AssertProduct` | slot | slot | slot | that the product of `a` and `b` is what `out` carries |
//! | `AssertMatrix` | | words | constant | columns of both factors; lists: the factors; then 1 and a list, or 0: the |
//! | | | | | product, on wires, or constants from `b` on |
//! | `AssertBilinear` | constant | words | count | so many words of the form; lists: the first factor, |
//! | | | | | and the result; then 1 and the list of the second factor, or 0: constants from `out` on |
//! | `Drop` | | vector | | it is not read again |
//! | `Memory` | memory | words | constant | lists: its cells, and none; its width; 0 for wires, 1 for constants |
//! | | | | | from `b` on, 2 for zeroes, 3 for addresses and then |
//! | | | | | words from `b` on; then how many |
//! | `Access` | memory | words | kind + 4·n | lists: n wires of the address, the bit, the word; the results |
//! | `AccessRows` | memory | words | ports | for each the elements it puts, or 0; lists: of each the column of |
//! | | | | | addresses, and those of what it puts; the columns of results |
//! | `Close` | memory | | | |
//! | `Table` | table | words | constant | elements of a key, of a value, and in all, from `b` on |
//! | `LookUp` | table | words | | lists: of the key, of the results |
//! | `LookUpRows` | table | words | columns | lists: the columns of keys; those of results |
//! | `Within` | bits | words | | lists: of the numbers, and none |
//! | `Permutation` | width | words | | lists: the words of one list and then of the other, and none |
//! | `Incoming` | | words | | list: of the wires that come in from other shards |
//! | `Outgoing` | | words | | list: of the wires that go out to them |
//!
//! A **function** is a block of its own with slots of its own: 0 to n − 1 are its arguments, and it names the
//! slots of its results. It is recorded once, by [`Backend::call`](super::Backend::call), and executed as
//! often as it is called: gates that repeat are neither recorded nor kept twice. One that names memories or
//! tables is recorded anew where others were made since. When a function is complete it is known where each
//! value is read last, and its slots are given again from there on. Outside of
//! functions a slot is free again where the [`scope`](super::Backend::scope) of its wire ends.
//!
//! # Lowering
//! Few systems have proofs of their own for memories, tables, permutations and polynomials. Whoever executes
//! blocks [says](Execute::argues) for what it has, and for all else the recorder writes gates: it looks at all
//! cells of a memory, or all rows of a table, each time. So these gates are made by code that is compiled once
//! for a field. An access is a function whose arguments and results the cells are, which keep their slots; it is
//! recorded once for all memories of one size.
//!
//! # Names
//! Assertions have no names in the stream. They are numbered in their order of execution, and where one
//! fails, its name is asked of the [`Source`], which goes through the statement once more and formats the
//! name of that one alone; calls of functions that are known to have their assertions before it are passed by.
//!
//! Hints are functions of this process, which a prover calls and nobody else does. Blocks that leave the
//! process leave them behind: a prover elsewhere has the statement itself.

mod ahead;
pub mod argues;
mod block;
mod dependence;
mod depth;
mod frame;
mod functions;
mod interpreter;
mod mixed;
mod naming;
mod plan;
mod recorder;
mod shape;
mod shards;
pub mod straight;
#[cfg(test)]
mod tests;
mod vectorized;

pub use argues::Argues;
pub use block::{Block, HintFunction, LENT, Op, Record};
pub use dependence::Dependence;
pub use frame::{Handle, VectorHandle};
pub use functions::Functions;
pub use interpreter::Sums;
pub use interpreter::{Arithmetic, OneLane};
pub use interpreter::{Beyond, Everything, Executor, GatesAlone, Map, SumsOfProducts, Vectors};
pub use mixed::{MixedRecorder, MixedSource, MixedStreamed, OneField, Order};
pub use recorder::Recorder;
use shape::count;
pub use shards::{AllShards, Shard, ShardSource, fingerprint, fingerprint_of};
pub use vectorized::Vectorized;

use super::accounting::Parameters;
use super::{Alternatives, Branch, Circuit, Clause, Clauses, Count, Shape, Witness, clauses};
use interpreter::Interpreter;
use std::sync::{Arc, OnceLock};
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_primitives::{F2, Field};

/// A statement that can be recorded: a [`Circuit`] for the [`Recorder`], behind a pointer. It pushes the same
/// gates in the same order as often as asked, and from several threads at once.
pub trait Source<F: Field>: Sync {
    /// Pushes every gate into `recorder`.
    ///
    /// # Errors
    /// Those of whoever executes the gates, and `Invalid` where the statement is malformed.
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()>;

    /// The functions of this statement that were recorded before, and its shape, if the source keeps them for
    /// the next time. They belong to this statement alone.
    fn functions(&self) -> Option<Arc<Functions<F>>> {
        None
    }

    /// Whether a witness is known to satisfy the statement without a look at its gates. Those who ask go through the
    /// gates where it is not.
    fn is_satisfied(&self, witness: &mut dyn Iterator<Item = F>) -> bool {
        let _ = witness;
        false
    }
}

impl<F: Field, C: for<'r> Circuit<Recorder<'r, F>> + Sync> Source<F> for C {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        self.run(recorder)
    }
}

/// A statement whose dependence on private values is found when it is first gone through.
pub struct Traced<'s, F> {
    source: &'s dyn Source<F>,
    found: OnceLock<Dependence>,
}

impl<'s, F: Field> Traced<'s, F> {
    /// A statement that nobody has gone through yet.
    pub fn new(source: &'s dyn Source<F>) -> Self {
        Self { source, found: OnceLock::new() }
    }

    /// The dependence of the statement, once somebody has gone through it to its end.
    pub fn found(&self) -> Option<&Dependence> {
        self.found.get()
    }
}

impl<F: Field> Source<F> for Traced<'_, F> {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        recorder.trace(&self.found, |recorder| self.source.record(recorder))
    }
    fn is_satisfied(&self, witness: &mut dyn Iterator<Item = F>) -> bool {
        self.source.is_satisfied(witness)
    }
}

/// An executor of blocks in their order.
pub trait Execute<F: Field> {
    /// The kinds of records beyond gates that it takes.
    fn argues(&self) -> Argues;

    /// The threads of the executor.
    fn pool(&self) -> Pool {
        Pool::ALONE
    }

    /// Executes `block`. Its last record may be a sum by `lent` factors.
    ///
    /// # Errors
    /// Those of the backend.
    fn execute(&mut self, block: &Block<F>, lent: &[F]) -> Result<()>;

    /// Executes `block`, likewise, and may put another in its place.
    ///
    /// # Errors
    /// As for [`Execute::execute`].
    fn take(&mut self, block: &mut Block<F>, lent: &[F]) -> Result<()> {
        self.execute(block, lent)
    }
}

/// A statement as a stream of gates: the [`Circuit`] of every backend.
#[derive(Clone, Copy)]
pub struct Streamed<'s, F>(pub &'s dyn Source<F>);

impl<B: Executor> Circuit<B> for Streamed<'_, B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        execute(self.0, &self.0.functions().unwrap_or_default(), b)
    }
}

/// A statement as a stream of gates, whose functions are kept from one time to the next, for those who go
/// through it often.
pub struct Stream<'s, F: Field> {
    source: &'s dyn Source<F>,
    functions: Arc<Functions<F>>,
}

impl<'s, F: Field> Stream<'s, F> {
    /// The stream of `source`.
    pub fn new(source: &'s dyn Source<F>) -> Self {
        Self { source, functions: source.functions().unwrap_or_default() }
    }

    /// The gates by kind, but for their depth.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    pub fn count(&self) -> Result<Shape> {
        let count = |functions: &_| Ok(count(self.source, functions, Parameters::default(), false)?.0);
        self.functions.shape(count)
    }

    /// Whether a witness satisfies the statement, as [`Source::is_satisfied`].
    pub fn is_satisfied(&self, witness: &mut dyn Iterator<Item = F>) -> bool {
        self.source.is_satisfied(witness)
    }

    /// Whether the statement maps a function, of which a system may then execute many lanes at a time.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    pub fn maps(&self) -> Result<bool> {
        if self.functions.maps().is_none() {
            self.count()?;
            self.functions.note_end();
        }
        Ok(self.functions.maps() == Some(true))
    }

    /// The gates by kind, with their depth.
    ///
    /// # Errors
    /// As for [`Stream::count`].
    pub(super) fn count_with_depth(&self) -> Result<Shape> {
        match count(self.source, &self.functions, Parameters::default(), true)? {
            (shape, Some(depth)) => Ok(Shape { depth, ..shape }),
            (_, None) => Count::direct(self),
        }
    }

    /// Counts the gates, as [`Stream::count`] does, where epochs are those of `parameters`.
    #[cfg(test)]
    pub(super) fn count_by(&self, parameters: Parameters) -> Result<Shape> {
        Ok(count(self.source, &self.functions, parameters, false)?.0)
    }
}

impl<B: Executor> Circuit<B> for Stream<'_, B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        execute(self.source, &self.functions, b)
    }
}

fn execute<B: Executor>(source: &dyn Source<B::F>, functions: &Functions<B::F>, b: &mut B) -> Result<()> {
    let mut interpreter = Interpreter::new(b, source);
    if Execute::pool(&interpreter).ahead() > 0 {
        ahead::execute(source, functions, &mut interpreter)?;
        interpreter.name_failure();
        functions.note_end();
        return Ok(());
    }
    let mut recorder = Recorder::new(&mut interpreter, functions);
    let recorded = source.record(&mut recorder);
    // What is left open the backend closes, as where nothing is recorded.
    recorder.finish(recorded)?;
    interpreter.name_failure();
    functions.note_end();
    Ok(())
}

/// Clauses that can be recorded: [`Clauses`] for the [`Recorder`], behind a pointer.
pub trait ClauseSource<F: Field = F2>: Alternatives + Sync {
    /// Pushes every gate of clause number `clause` into `branch`.
    ///
    /// # Errors
    /// As for [`Source::record`].
    fn record_clause(&self, clause: usize, branch: &mut Branch<'_, Recorder<'_, F>>) -> Result<()>;
}

impl<F: Field, C: for<'r> Clauses<Recorder<'r, F>> + Sync> ClauseSource<F> for C {
    fn record_clause(&self, clause: usize, branch: &mut Branch<'_, Recorder<'_, F>>) -> Result<()> {
        self.run(clause, branch)
    }
}

impl<'r, F: Field> Clauses<Recorder<'r, F>> for dyn ClauseSource<F> + '_ {
    fn run(&self, clause: usize, branch: &mut Branch<'_, Recorder<'r, F>>) -> Result<()> {
        self.record_clause(clause, branch)
    }
}

/// Clauses as streams of gates, one for each: the [`Clauses`] of every backend over F_2.
#[derive(Clone, Copy)]
pub struct StreamedClauses<'s>(pub &'s dyn ClauseSource);

/// Evaluations without a proof.
impl StreamedClauses<'_> {
    /// The shapes of all clauses: see [`clauses::shapes`].
    ///
    /// # Errors
    /// As for [`clauses::shapes`].
    pub fn shapes(&self) -> Result<Vec<Shape>> {
        clauses::shapes(self)
    }

    /// The number of a clause that holds: see [`clauses::find`].
    ///
    /// # Errors
    /// As for [`clauses::find`].
    pub fn find(&self, witness: &Witness) -> Result<usize> {
        clauses::find(self, witness.bits())
    }

    /// The number of a clause that holds, found by an evaluation of all: see [`clauses::find_among_all`].
    ///
    /// # Errors
    /// As for [`clauses::find_among_all`].
    pub fn find_among_all(&self, witness: &Witness) -> Result<usize> {
        clauses::find_among_all(self, witness.bits())
    }
}

impl Alternatives for StreamedClauses<'_> {
    fn count(&self) -> usize {
        self.0.count()
    }
    fn like(&self, clause: usize) -> usize {
        self.0.like(clause)
    }
}

/// Clauses as streams of gates, whose functions are kept from clause to clause, and from one time to the
/// next.
pub struct ClauseStream<'s, F: Field = F2> {
    clauses: &'s dyn ClauseSource<F>,
    functions: Functions<F>,
}

impl<'s, F: Field> ClauseStream<'s, F> {
    /// The streams of `clauses`.
    pub fn new(clauses: &'s dyn ClauseSource<F>) -> Self {
        Self { clauses, functions: Functions::default() }
    }
}

impl<F: Field> Alternatives for ClauseStream<'_, F> {
    fn count(&self) -> usize {
        self.clauses.count()
    }
    fn like(&self, clause: usize) -> usize {
        self.clauses.like(clause)
    }
}

impl<B: Executor> Clauses<B> for ClauseStream<'_, B::F> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, B>) -> Result<()> {
        execute(&Clause::new(self.clauses, clause), &self.functions, branch)
    }

    fn run_alone(&self, clause: usize, backend: &mut B) -> Result<()> {
        execute(&Clause::new(self.clauses, clause), &self.functions, backend)
    }
}

impl<B: Executor<F = F2>> Clauses<B> for StreamedClauses<'_> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, B>) -> Result<()> {
        Streamed(&Clause::new(self.0, clause)).run(branch)
    }

    fn run_alone(&self, clause: usize, backend: &mut B) -> Result<()> {
        Streamed(&Clause::new(self.0, clause)).run(backend)
    }
}
