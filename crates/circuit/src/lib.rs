//! Statements: programs of additions, multiplications and assertions over a field.
//!
//! A statement is written once, knows no party, and is pushed gate by gate into a [`Backend`]: the prover and
//! the verifier of a proof system, [`Clear`] evaluation, or [`Count`]. Nothing here knows a key or a peer. This
//! crate promises nothing to others: use `volery`.
//!
//! ```text
//!   gadget, code ─┐
//!   circuit file ─┼─ push gates ─▶ stream::Recorder ─ blocks of records ─▶ Interpreter ─▶ Clear, Count, a party
//!   built-in     ─┘
//! ```
#![forbid(unsafe_code)]

pub mod accounting;
pub mod clauses;
mod clear;
mod count;
pub mod crossing;
pub mod memory;
mod mixed;
mod modulus;
pub mod permutation;
mod polynomial;
pub mod port;
mod sharded;
pub mod stream;
pub mod table;
#[doc(hidden)]
pub mod testing;

pub use clauses::{Alternatives, Branch, Clause, Clauses, OneOf, Padded};
pub use clear::Clear;
pub use clear::{Evaluated, nothing_asserted, witness_ended, witness_unread};
pub use count::{Argued, Arguing, Count, Scan, Shape, Size, Sums};
pub use crossing::Crossings;
pub use memory::{Accesses, Cells, Memories, Put, Scanned, address_width};
pub use memory::{Scans, Sizes};
pub use mixed::check_width;
pub use mixed::{
    BitWire, Conversions, Mixed, MixedCircuit, MixedCount, MixedShape, NumberWire, check_mixed, widest,
};
pub use modulus::prime_field;
pub use permutation::Permutations;
pub use polynomial::{Bilinear, Convolution, ConvolvedAxis, EachEntry, Lists, Matrices};
pub use polynomial::{Entries, HIGHEST_DEGREE, Matrix, Polynomials, Sparse, Term};
pub use polynomial::{
    assert_bilinear_entries, assert_entries, by_columns, check_sizes, common_lanes, degree_of_product,
    lane_name, product_by_vectors,
};
pub use port::{BothValues, FixedPoint, Npy, Repeat, ResiduePort, Residues, Secrets};
pub use port::{
    Elements, Port, PortValue, ReadValues, Sequence, StatementFile, Value, ValueStream, Values, Witness,
    Written, check_lanes, with_options,
};
pub use sharded::{Announced, Need, Sharded, Sharding, Whole};
pub use table::{InRow, check_range, look_up_by_one};
pub use table::{Known, NO_ROW, Rows, Tables};

use core::fmt::Display;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_primitives::Field;
use zeroize::{Zeroize, Zeroizing};

/// The work of one party at each gate. Linear gates are local and cannot fail; a `?` may be a message.
pub trait Backend {
    /// The field of the wires' values.
    type F: Field;
    /// A wire, as this party holds it.
    type Wire: Copy + Default + Zeroize;

    /// A wire that carries the public value `c`.
    fn constant(&mut self, c: Self::F) -> Self::Wire;

    /// `a + b`.
    fn add(&mut self, a: Self::Wire, b: Self::Wire) -> Self::Wire;

    /// `a · c` for a public factor `c`.
    fn scale(&mut self, a: Self::Wire, c: Self::F) -> Self::Wire;

    /// The next element of the witness. The prover owns the stream; a gadget never sees it.
    ///
    /// # Errors
    /// `Invalid` where the stream has ended; link errors.
    fn witness(&mut self) -> Result<Self::Wire>;

    /// Reads the next elements of the witness, one for each of `wires`.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    fn witnesses(&mut self, wires: &mut [Self::Wire]) -> Result<()> {
        for wire in wires {
            *wire = self.witness()?;
        }
        Ok(())
    }

    /// A value that the prover computes from the values of `of` and commits to; `f` runs where values are
    /// known (the prover, `Clear`), as often as they are, and nothing is proved about the result but what the
    /// circuit goes on to assert.
    ///
    /// # Errors
    /// Link errors.
    fn hint(
        &mut self,
        of: &[Self::Wire],
        f: impl Fn(&[Self::F]) -> Self::F + Send + Sync + 'static,
    ) -> Result<Self::Wire>;

    /// `count` values at once that the prover computes from the values of `of`, as by [`Backend::hint`].
    ///
    /// # Errors
    /// Link errors.
    ///
    /// # Panics
    /// Where `f` gives another number of values.
    fn hints(
        &mut self,
        of: &[Self::Wire],
        count: usize,
        f: impl Fn(&[Self::F]) -> Vec<Self::F> + Send + Sync + 'static,
    ) -> Result<Vec<Self::Wire>> {
        let f = Arc::new(f);
        let mut wires = Vec::with_capacity(count);
        for i in 0..count {
            let f = f.clone();
            wires.push(self.hint(of, move |values| f(values)[i])?);
        }
        Ok(wires)
    }

    /// `Σ factors[i] · columns[i]` in each row, for public factors.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn linear_rows(&mut self, factors: &[Self::F], columns: &[&[Self::Wire]]) -> Vec<Self::Wire> {
        let rows = columns.first().map_or(0, |column| column.len());
        assert!(columns.iter().all(|column| column.len() == rows), "columns of different lengths");
        let mut sums = Vec::with_capacity(rows);
        let mut wires = Zeroizing::new(Vec::with_capacity(columns.len()));
        for row in 0..rows {
            wires.clear();
            wires.extend(columns.iter().map(|column| column[row]));
            sums.push(self.linear(factors, &wires));
        }
        sums
    }

    /// `Σ factors[i] · wires[i]` for public factors.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn linear(&mut self, factors: &[Self::F], wires: &[Self::Wire]) -> Self::Wire {
        assert_eq!(factors.len(), wires.len());
        let terms = factors.iter().zip(wires);
        let sum = terms.fold(None, |sum, (&factor, &wire)| {
            let term = self.scale(wire, factor);
            Some(sum.map_or(term, |sum| self.add(sum, term)))
        });
        sum.unwrap_or_else(|| self.constant(Self::F::ZERO))
    }

    /// Applies a public matrix, given by its `rows`, to `wires`: calls `each` with the number of each row, and
    /// `Σ row[i] · wires[i]`, before the next row. A [`stream`] looks at the wires once.
    ///
    /// # Errors
    /// Those of `each`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn linear_map<'f>(
        &mut self,
        rows: impl Iterator<Item = &'f [Self::F]>,
        wires: &[Self::Wire],
        mut each: impl FnMut(&mut Self, usize, Self::Wire) -> Result<()>,
    ) -> Result<()> {
        for (i, row) in rows.enumerate() {
            let image = self.linear(row, wires);
            each(self, i, image)?;
        }
        Ok(())
    }

    /// `a · b`.
    ///
    /// # Errors
    /// Link errors.
    fn mul(&mut self, a: Self::Wire, b: Self::Wire) -> Result<Self::Wire>;

    /// Demands that `a` carries zero. `name` says what is demanded, `"sum"` or `format_args!("sum {i}")`: it
    /// is printed only where it fails.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows the value and it is not zero; link errors.
    fn assert_zero(&mut self, a: Self::Wire, name: impl Display) -> Result<()>;

    /// Makes `wire` bit, or element, `place` of output `port`. Evaluations and writers of files use it; in a
    /// proof it does nothing.
    ///
    /// # Errors
    /// Those of the backend.
    fn output(&mut self, port: usize, place: u64, wire: Self::Wire) -> Result<()> {
        let _ = (port, place, wire);
        Ok(())
    }

    /// Runs `body` in a scope: of the wires that it pushes only those of the result are used behind it. A
    /// [`stream`] forgets the others there: put one around what a long loop does each time.
    ///
    /// # Errors
    /// Those of `body`.
    fn scope<T: Wires<Self::Wire>>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.open_scope();
        let made = body(self)?;
        self.close_scope(&made.wires());
        Ok(made)
    }

    /// The threads of whoever runs the functions of hints, which may share work with them.
    fn threads(&self) -> Pool {
        Pool::ALONE
    }

    /// Forgets `wires`: they are used no more, outside of the scope that they were made in. Nobody else may
    /// hold them. It is for a state that a loop replaces each time. Wires that were forgotten before stay so.
    fn forget(&mut self, wires: &[Self::Wire]) {
        let _ = wires;
    }

    /// Calls `body` on `arguments`, as a function: it uses no other wires, and pushes the same gates wherever
    /// `key` is the same: in a statement of several [clauses](Clauses) that is in all of them, which share
    /// their functions. A [`stream`] records it once, and executes it as often as it is called, so that
    /// `body` may have no other effect. It may access memories, and look up in tables, that were made
    /// outside: the same ones wherever `key` is the same, of those that there are. Names of assertions may
    /// differ.
    ///
    /// # Errors
    /// Those of `body`.
    fn call(
        &mut self,
        key: &[u8],
        arguments: &[Self::Wire],
        body: impl FnOnce(&mut Self, &[Self::Wire]) -> Result<Returned<Self::Wire>>,
    ) -> Result<Returned<Self::Wire>> {
        match self.open_function(key, arguments)? {
            Function::Inlined => body(self, arguments),
            Function::Known(returned) => Ok(returned),
            Function::New(arguments) => {
                let returned = body(self, &arguments)?;
                self.close_function(returned)
            }
        }
    }

    /// Calls `body` on each of `lanes` lanes, none of which depends on another, as one function: see
    /// [`Backend::call`], whose keys these are. `arguments` are columns, one behind the other, each with a wire for
    /// each lane, and so are the results. `body` gets the lane, for the names of assertions alone, and its
    /// arguments. The witness is read lane by lane. Outputs belong outside, where they have places of their
    /// own.
    ///
    /// A [`stream`] records it once, and a proof system that can does many lanes at a time, on as many threads as
    /// it has. Which of a function's gates come first is then the system's to say; what accesses memories, or looks
    /// up in tables, is called lane by lane.
    ///
    /// # Errors
    /// Those of `body`.
    ///
    /// # Panics
    /// Where a column has not a wire for each lane.
    fn map(
        &mut self,
        key: &[u8],
        lanes: usize,
        arguments: &[Self::Wire],
        mut body: impl FnMut(&mut Self, usize, &[Self::Wire]) -> Result<Returned<Self::Wire>>,
    ) -> Result<Returned<Self::Wire>> {
        match self.open_map(key, lanes, arguments)? {
            Function::Known(returned) => Ok(returned),
            Function::New(of_one) => {
                let returned = body(self, 0, &of_one)?;
                self.close_map(returned)
            }
            Function::Inlined => {
                let mut all = Lanes::new(lanes, arguments);
                for lane in 0..lanes {
                    let of = all.arguments(lane);
                    let returned = self.call(key, &of, |b, of| body(b, lane, of))?;
                    all.put(lane, returned);
                }
                Ok(all.returned)
            }
        }
    }

    /// Opens a [`scope`](Backend::scope). It is called by that function alone; backends implement it.
    fn open_scope(&mut self) {}

    /// Ends the innermost scope, of whose wires those of `kept` live on.
    fn close_scope(&mut self, kept: &[Self::Wire]) {
        let _ = kept;
    }

    /// Opens a [`call`](Backend::call) of a function, whose body is to be pushed only where it is new. It is
    /// called by that function alone; backends implement it.
    ///
    /// # Errors
    /// Those of the backend.
    fn open_function(&mut self, key: &[u8], arguments: &[Self::Wire]) -> Result<Function<Self::Wire>> {
        let _ = (key, arguments);
        Ok(Function::Inlined)
    }

    /// Ends the body of the function that was opened last, and calls it.
    ///
    /// # Errors
    /// Those of the backend.
    fn close_function(&mut self, returned: Returned<Self::Wire>) -> Result<Returned<Self::Wire>> {
        Ok(returned)
    }

    /// Opens a [`map`](Backend::map), whose body is to be pushed for one lane, and only where the function is new;
    /// inlined, it is called lane by lane. It is called by that function alone; backends implement it.
    ///
    /// # Errors
    /// Those of the backend.
    fn open_map(
        &mut self,
        key: &[u8],
        lanes: usize,
        arguments: &[Self::Wire],
    ) -> Result<Function<Self::Wire>> {
        let _ = (key, lanes, arguments);
        Ok(Function::Inlined)
    }

    /// Ends the body of the map that was opened last, of which `returned` are the results of one lane, and gives
    /// those of all.
    ///
    /// # Errors
    /// Those of the backend.
    fn close_map(&mut self, returned: Returned<Self::Wire>) -> Result<Returned<Self::Wire>> {
        Ok(returned)
    }
}

/// The arguments and results of a [`map`](Backend::map), column by column.
struct Lanes<'a, W> {
    lanes: usize,
    arguments: &'a [W],
    returned: Returned<W>,
}

impl<'a, W: Copy + Default + Zeroize> Lanes<'a, W> {
    fn new(lanes: usize, arguments: &'a [W]) -> Self {
        assert!(
            arguments.is_empty() || arguments.len().is_multiple_of(lanes),
            "columns of a wire for each lane"
        );
        Self { lanes, arguments, returned: Returned::default() }
    }

    /// The arguments of one lane.
    fn arguments(&self, lane: usize) -> Zeroizing<Vec<W>> {
        Zeroizing::new(self.arguments.iter().skip(lane).step_by(self.lanes).copied().collect())
    }

    /// Takes the results of one lane. The first lane says how many there are.
    fn put(&mut self, lane: usize, of_one: Returned<W>) {
        let Returned { wires, public } = &mut self.returned;
        if lane == 0 {
            wires.resize(of_one.wires.len() * self.lanes, W::default());
        }
        assert_eq!(wires.len(), of_one.wires.len() * self.lanes, "as many results in each lane");
        wires.iter_mut().skip(lane).step_by(self.lanes).zip(of_one.wires).for_each(|(to, wire)| *to = wire);
        *public = of_one.public;
    }
}

/// A value made of wires `W`, which lives on behind a [`scope`](Backend::scope).
pub trait Wires<W> {
    /// Gives each wire to `take`.
    fn each(&self, take: &mut dyn FnMut(W));

    /// The wires of the value.
    fn wires(&self) -> Vec<W> {
        let mut wires = Vec::new();
        self.each(&mut |wire| wires.push(wire));
        wires
    }
}

impl<W, T: Wires<W>> Wires<W> for [T] {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.iter().for_each(|part| part.each(take));
    }
}

impl<W, T: Wires<W>> Wires<W> for Vec<T> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self[..].each(take);
    }
}

impl<W, T: Wires<W>, const N: usize> Wires<W> for [T; N] {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self[..].each(take);
    }
}

impl<W, S: Wires<W>, T: Wires<W>> Wires<W> for (S, T) {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.0.each(take);
        self.1.each(take);
    }
}

impl<W> Wires<W> for () {
    fn each(&self, _: &mut dyn FnMut(W)) {}
}

/// A function that is called: see [`Backend::call`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Function<W> {
    /// Nothing: this backend has no functions. The body is pushed on the arguments as they are, and nothing
    /// is closed.
    Inlined,
    /// The function is called for the first time: the arguments as its body sees them.
    New(Vec<W>),
    /// The function was called before, and has been called again.
    Known(Returned<W>),
}

/// Replaces `state` by the result of `body`, as a function: see [`Backend::call`]. Where a backend has no
/// functions, it changes in place. Its wires are forgotten where they are `fresh`, held by nobody else.
///
/// # Errors
/// Those of `body`, and of the backend.
pub fn replace<B: Backend>(
    b: &mut B,
    key: &[u8],
    (state, fresh): (&mut [B::Wire], bool),
    body: impl FnOnce(&mut B, &mut [B::Wire]) -> Result<()>,
) -> Result<()> {
    let returned = match b.open_function(key, state)? {
        Function::Inlined => return body(b, state),
        Function::Known(returned) => returned,
        Function::New(mut wires) => {
            body(b, &mut wires)?;
            b.close_function(Returned { wires, public: Vec::new() })?
        }
    };
    if fresh {
        b.forget(state);
    }
    state.copy_from_slice(&returned.wires);
    Ok(())
}

/// The results of a function: see [`Backend::call`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Returned<W> {
    /// The wires of the results.
    pub wires: Vec<W>,
    /// Further facts about the results, such as which bits are public. They follow from the key.
    pub public: Vec<u8>,
}

/// A borrowed backend as a backend.
impl<B: Backend> Backend for &mut B {
    type F = B::F;
    type Wire = B::Wire;

    #[inline]
    fn constant(&mut self, c: B::F) -> B::Wire {
        (**self).constant(c)
    }
    #[inline]
    fn add(&mut self, a: B::Wire, b: B::Wire) -> B::Wire {
        (**self).add(a, b)
    }
    #[inline]
    fn scale(&mut self, a: B::Wire, c: B::F) -> B::Wire {
        (**self).scale(a, c)
    }
    #[inline]
    fn witness(&mut self) -> Result<B::Wire> {
        (**self).witness()
    }
    fn witnesses(&mut self, wires: &mut [B::Wire]) -> Result<()> {
        (**self).witnesses(wires)
    }
    fn hint(
        &mut self,
        of: &[B::Wire],
        f: impl Fn(&[B::F]) -> B::F + Send + Sync + 'static,
    ) -> Result<B::Wire> {
        (**self).hint(of, f)
    }
    fn hints(
        &mut self,
        of: &[B::Wire],
        count: usize,
        f: impl Fn(&[B::F]) -> Vec<B::F> + Send + Sync + 'static,
    ) -> Result<Vec<B::Wire>> {
        (**self).hints(of, count, f)
    }
    fn threads(&self) -> Pool {
        (**self).threads()
    }
    fn linear(&mut self, factors: &[B::F], wires: &[B::Wire]) -> B::Wire {
        (**self).linear(factors, wires)
    }
    #[inline]
    fn mul(&mut self, a: B::Wire, b: B::Wire) -> Result<B::Wire> {
        (**self).mul(a, b)
    }
    #[inline]
    fn assert_zero(&mut self, a: B::Wire, name: impl Display) -> Result<()> {
        (**self).assert_zero(a, name)
    }
    fn output(&mut self, port: usize, place: u64, wire: B::Wire) -> Result<()> {
        (**self).output(port, place, wire)
    }
    fn forget(&mut self, wires: &[B::Wire]) {
        (**self).forget(wires);
    }
    fn open_scope(&mut self) {
        (**self).open_scope();
    }
    fn close_scope(&mut self, kept: &[B::Wire]) {
        (**self).close_scope(kept);
    }
    fn open_function(&mut self, key: &[u8], arguments: &[B::Wire]) -> Result<Function<B::Wire>> {
        (**self).open_function(key, arguments)
    }
    fn close_function(&mut self, returned: Returned<B::Wire>) -> Result<Returned<B::Wire>> {
        (**self).close_function(returned)
    }
    fn open_map(&mut self, key: &[u8], lanes: usize, arguments: &[B::Wire]) -> Result<Function<B::Wire>> {
        (**self).open_map(key, lanes, arguments)
    }
    fn close_map(&mut self, returned: Returned<B::Wire>) -> Result<Returned<B::Wire>> {
        (**self).close_map(returned)
    }
}

/// A backend that has everything a statement may use.
pub trait Machine: Polynomials + Memories + Tables + Permutations + Crossings {}

impl<B: Polynomials + Memories + Tables + Permutations + Crossings> Machine for B {}

/// A statement: the same gates in the same order for every party, as often as asked.
pub trait Circuit<B: Backend> {
    /// Pushes every gate into `backend`.
    ///
    /// # Errors
    /// Those of the backend, and `Invalid` where the circuit itself is malformed.
    fn run(&self, backend: &mut B) -> Result<()>;
}
