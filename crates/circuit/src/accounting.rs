//! Accounting for proofs that a system has of its own, as a statement is counted.
//!
//! Who counts a statement knows its gates, and what memories, tables, ranges, permutations and polynomials come
//! to gate by gate. What a system pays that proves them otherwise depends on how it does, and on their order: it
//! is told of each, and says at the end what they come to. `epochs`, `ranges` and `crowds` are QuickSilver's, and
//! `by_epochs` is all that is known of them outside.

mod crowds;
mod epochs;
mod products;
mod ranges;

pub use crowds::{BATCH, CROWD};
pub use epochs::{LOOKUPS, Layout, Looked, Parameters, Permuted, factors};
pub use products::{FORM_ENTRIES, Products};
pub use ranges::{Cuts, TOGETHER};

use super::memory::{Sizes, is_binary, lookup_cost};
use super::{Argued, Known, Shape};
use core::marker::PhantomData;
use crowds::Crowds;
use epochs::Epochs;
use ranges::Ranges;
use volery_primitives::Field;

/// An account of what a statement has beside gates. Its keeper is told of all of it, in order.
pub(crate) trait Accounting<F> {
    /// Counts a memory. Memories are numbered from 0, in order.
    fn memory(&mut self, sizes: Sizes);
    /// An access to a memory; `put_where` says whether a wire decides on what is put.
    fn access(&mut self, memory: usize, put_where: bool);
    /// The end of a memory.
    fn close(&mut self, memory: usize);
    /// Counts a table. Tables are numbered from 0, in order.
    fn table(&mut self, known: &Known<F>);
    /// Counts lookups in a table.
    fn look_up(&mut self, table: usize, lookups: u64);
    /// Counts an assertion that so many numbers have `bits` bits each.
    fn within(&mut self, numbers: u64, bits: u32);
    /// Counts a permutation of `words` words.
    fn permutation(&mut self, words: u64);
    /// Counts values that are committed to by gates, or by looking at all cells.
    fn commit(&mut self, values: u64);
    /// Counts polynomials that are asserted to be zero, or whose values are committed to.
    fn polynomials(&mut self, lanes: usize, degree: usize);
    /// Counts an assertion on a bilinear form of so many entries.
    fn products(&mut self, entries: u64);
    /// Ends the statement, whose gates are those of `shape`, and gives the sums.
    fn end(&mut self, shape: &Shape) -> Account;
}

/// The sums of an account.
pub(crate) struct Account {
    pub(crate) argued: Argued,
    /// Crowds of polynomials: see [`Shape::crowds`].
    pub(crate) crowds: u64,
    /// Challenges to bilinear forms: see [`Shape::challenged`].
    pub(crate) challenged: u64,
}

/// The account of a system that proves memories and tables by epochs, and polynomials by batches.
pub(crate) fn by_epochs<F: Field>(parameters: Parameters) -> Box<dyn Accounting<F>> {
    Box::new(ByEpochs::<F> {
        parameters,
        memories: Vec::new(),
        tables: Vec::new(),
        ranges: Ranges::new::<F>(&parameters),
        permuted: Permuted::new(&parameters),
        argued: Argued::default(),
        crowds: Crowds::default(),
        products: Products::default(),
        field: PhantomData,
    })
}

struct ByEpochs<F> {
    parameters: Parameters,
    memories: Vec<Epochs>,
    tables: Vec<Table>,
    ranges: Ranges,
    permuted: Permuted,
    /// The cost of the memories that are closed.
    argued: Argued,
    crowds: Crowds,
    products: Products,
    field: PhantomData<fn() -> F>,
}

/// How lookups in a table are proved.
enum Table {
    /// Proved by a sum of fractions, over odd p; with the elements of a value.
    Sum(Looked, usize),
    /// Proved by reads of a memory.
    Reads(Epochs),
    /// Proved row by row, with the numbers of rows and of elements of a key.
    Scan([usize; 2]),
}

impl<F: Field> ByEpochs<F> {
    fn epochs(&self, sizes: Sizes) -> Epochs {
        Epochs::new(Layout::new::<F>(sizes, self.parameters))
    }

    fn add(&mut self, argued: Argued) {
        self.argued = self.argued.and(argued);
    }
}

impl<F: Field> Accounting<F> for ByEpochs<F> {
    fn memory(&mut self, sizes: Sizes) {
        self.memories.push(self.epochs(sizes));
    }

    fn access(&mut self, memory: usize, put_where: bool) {
        let argued = self.memories[memory].access::<F>(put_where);
        self.add(argued);
    }

    fn close(&mut self, memory: usize) {
        let argued = self.memories[memory].end();
        self.add(argued);
    }

    fn table(&mut self, known: &Known<F>) {
        let sizes = Sizes { cells: known.rows(), width: known.value };
        self.tables.push(match known.indexed() {
            _ if !is_binary::<F>() => {
                Table::Sum(Looked::new::<F>(known.rows(), known.key + known.value), known.value)
            }
            Some(_) => Table::Reads(self.epochs(sizes)),
            None => Table::Scan([known.rows(), known.key]),
        });
    }

    fn look_up(&mut self, table: usize, lookups: u64) {
        let argued = match &mut self.tables[table] {
            Table::Sum(looked, value) => looked.look_up(lookups, *value),
            Table::Reads(epochs) => {
                (0..lookups).map(|_| epochs.access::<F>(false)).fold(Argued::default(), Argued::and)
            }
            Table::Scan([rows, key]) => {
                let scan = lookup_cost(lookups, *rows, *key);
                Argued { values: scan.inputs, mul: scan.mul, ..Argued::default() }
            }
        };
        self.add(argued);
    }

    fn within(&mut self, numbers: u64, bits: u32) {
        let argued = self.ranges.within(numbers, bits);
        self.add(argued);
    }

    fn permutation(&mut self, words: u64) {
        if self.permuted.add(words) {
            let argued = self.permuted.end::<F>();
            self.add(argued);
        }
    }

    fn commit(&mut self, values: u64) {
        self.crowds.commit(values);
    }

    fn polynomials(&mut self, lanes: usize, degree: usize) {
        self.crowds.vanish(lanes, degree);
    }

    fn products(&mut self, entries: u64) {
        if self.products.add(entries) {
            self.crowds.end();
        }
    }

    fn end(&mut self, shape: &Shape) -> Account {
        let memories = self.memories.iter_mut().map(Epochs::end);
        let mut argued = memories.fold(self.argued, Argued::and);
        let mut sums = Vec::new();
        for table in &mut self.tables {
            match table {
                Table::Sum(looked, _) => sums.push(looked),
                Table::Reads(epochs) => argued = argued.and(epochs.end()),
                Table::Scan(_) => {}
            }
        }
        sums.extend(self.ranges.tables());
        let argued = argued.and(Looked::end_together(sums.into_iter())).and(self.permuted.end::<F>());
        self.products.end();
        Account { argued, crowds: self.crowds.of(shape), challenged: self.products.challenges() }
    }
}
