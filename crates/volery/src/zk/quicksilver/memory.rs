//! Memory and tables: multisets that agree, by products and sums that run over an epoch.
//!
//! Relation kept: as on every wire, **k = m + x·Δ**; and for an element of E, packed from the r elements of a
//! base that the prover commits to ([`Party::commit_wide`]), the same with x in E. Polynomials in such lines
//! are as those in wires ([`super::polynomial`]), with values in E ([`wide`]).
//!
//! After "Two Shuffles Make a RAM" (Yang, Heath, USENIX Security 2024): a memory is a set of tuples (address,
//! word, time). An access takes one out, whose word and time the prover commits to, and puts one in, with the
//! number of the access as its time. At the start of an **epoch** every cell is put in at time 0, at its end
//! every cell is taken out, and that is where the next one starts. Then
//! 1. what was put in is what was taken out, as multisets ([`equality`]): so an access takes out what an
//!    access, or the start, put in for that address, and each is taken out once;
//! 2. every time is before its access ([`order`] over F_2, the gap between them in a table over other fields):
//!    so it is what the last access before put in.
//!
//! An address of no cell is never put in, so that the equality is what fails there.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | prover | corrections of each access: word, time, over odd p a limb of a cut gap | as those of gates |
//! | prover | corrections at its end: word and time of each cell, counts of limbs | as those of gates |
//! | verifier | seed of X and the coefficients of tuples, where E is short | 16 |
//! | prover | corrections of running products and sums, r to each | as those of gates |
//! | | their polynomials join the check of that batch, with coefficients drawn after these corrections | |
//!
//! **Equality.** With tuples as elements of E, by coefficients drawn after all of them, two products of (X +
//! tuple) are equal. Each runs in blocks of s factors, and what it comes to is committed to behind each but
//! the last: s is 63 over F_2, 9 over others. Where E is short all is done twice, by two independent
//! challenges. *Deviation*: the notes that this follows divide one product by the other where the transcript
//! chooses X, which saves 2 bits an access of 75. Nothing is divided here, so that an honest prover convinces
//! for every challenge, and a verifier that aims X at a guess learns nothing.
//!
//! **Ranges, tables** over odd p ([`sums`]): Σ 1/(Z + looked up) = Σ times/(Z + row), in blocks of eight, of
//! which the last is filled with ones, on both sides. Numbers are cut into limbs, which are looked up: the
//! first of a statement into short ones, and those that follow into long ones. Rows are public, so that both
//! parties pass over a Z that hits one, and what an honest prover looks up is a row. Over F_2 a table whose
//! keys are the numbers of their rows is a memory that is only read, and any other is looked at row by row.
//! *Deviation*: the notes' product with multiplicities is not here. **Gaps**, of which each is below 2^18, are
//! cut into two limbs in the first two epochs of a memory; behind these each is looked up whole, in a table of
//! that many numbers whose epochs are its own. Longer gaps, of memories with more cells, are always cut.
//!
//! **Permutations** ([`permutation`]): the words of two lists, each with the number of its permutation, are
//! the same as multisets. An epoch has those that are asserted until they have 65,536 words together, or the
//! proof ends; nothing is committed to but what the equality takes.
//!
//! **Soundness**: n factors of each product differ as polynomials of degree n in the challenges, and pass
//! with n/|E|; sums with (2·lookups + rows)/|E|, where lookups are fewer than p. What is counted is in
//! [`Argued::tuples`](crate::circuit::Argued). With two challenges the square. Challenges come after the end
//! of the batch in which the epoch's last tuple is committed to, and serve that epoch alone.
//!
//! **Zero knowledge**: nothing is opened. What lies between is committed to, and products and sums end in a
//! polynomial that is zero, in QuickSilver's masked sum.
//!
//! **Abort**: as for gates. A prover whose witness fails goes on with words of zeroes.
//!
//! **Memory**: an epoch's tuples wait for its challenge, as lines: a value with its MAC, or a key. With
//! words of w elements over odd p an access has w + 3 of them, w more where it puts a word there, and at the
//! end a cell 2w + 1; over F_2 they are 2 and 3, where a tuple has 128 bits at most. The prover keeps each word
//! and its time beside them, 12 bytes for one element. Over 2^61 − 1 with w = 1 that is 64 bytes a read, 80
//! a write and 60 a cell, and for the verifier 32, 40 and 24: 138 MB and 63 MB at 2^20 cells, whose epoch
//! has as many accesses, where half of these are reads. Of lookups, 2^20 to an epoch or fewer, only a MAC waits,
//! or a key, for each element of key and value, 2^20 at most, or half as many in a short table, or for each
//! limb of a range; and beside each lookup the number of its row, which says what the values are. Gaps that are
//! looked up whole, 2^19 at most, wait so in the place of one of the access's own lines. What is committed to
//! at an epoch's end goes through batches as any gate, whose polynomials wait as [`super::arithmetic`] says.

mod columns;
pub(super) mod equality;
mod found;
pub(super) mod order;
pub(super) mod permutation;
pub(super) mod ram;
pub(super) mod sums;
pub(super) mod table;
mod tuples;
mod waiting;
pub(super) mod wide;

#[cfg(test)]
mod tests;

use super::coordinates::{coordinates, said};
use crate::circuit::accounting::Parameters;
use crate::circuit::memory::{is_binary, scan_lookup};
use crate::circuit::stream::{Argues, argues};
use crate::circuit::table::check_range;
use crate::circuit::{Accesses, Backend, Cells, Known, Polynomials, Put, Rows, Tables, look_up_by_one};
use crate::error::{Error, Result};
use crate::pool::Pool;
use crate::zk::by_transcript;
use core::fmt::Display;
use core::ops::{Add, Sub};
use permutation::Permuting;
use ram::Ram;
use table::Lookups;
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field};
pub(super) use waiting::Lines;
use waiting::Waiting;
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// An element of E that is committed to.
pub(super) trait Line: DefaultIsZeroes + Add<Output = Self> + Sub<Output = Self> {}

impl<V: DefaultIsZeroes + Add<Output = V> + Sub<Output = V>> Line for V {}

/// The parts of a line: its MAC or its key, and its value.
pub(super) const MAC: usize = 0;
pub(super) const VALUE: usize = 1;

/// One party, as these arguments see it. They are written once: values are there where the prover runs them.
pub(super) trait Party: Polynomials + Sized {
    /// The field of the MACs.
    type E: Extension<Self::F>;
    /// An element of E that is committed to: with its MAC, or its key.
    type Wide: Line;
    /// Polynomials in such.
    type Ring: Ring<E = Self::E, Wide = Self::Wide>;

    /// Whether values are known.
    const KNOWS: bool = Self::Ring::KNOWS;
    /// The elements of E that a line consists of.
    const PARTS: usize = Self::Ring::PARTS;
    /// Whether values are bits, many of which are packed into a line.
    const PACKS: bool = <Self::F as Field>::BITS == 1;
    /// Whether the characteristic is odd.
    const ODD: bool = !<Self::F as Field>::BINARY;
    /// Whether there are such arguments over the field. Of two branches on a constant one alone is compiled: so
    /// what a field has no use for is not.
    const HAS_PROOFS: bool = is_argued::<Self::F>();

    /// The value on a wire.
    fn value(wire: Self::Wire) -> Option<Self::F>;
    /// The value of a wide line.
    fn wide_value(line: Self::Wide) -> Option<Self::E>;
    /// Part number `part` of a line.
    fn part(line: Self::Wide, part: usize) -> Self::E;

    /// Commits to a value, which the prover knows.
    fn commit_value(&mut self, value: Option<Self::F>) -> Result<Self::Wire>;
    /// The element whose coordinates are on so many wires.
    fn packed(&self, coordinates: &[Self::Wire]) -> Self::Wide;
    /// The value on a wire, as an element of E.
    fn widened(wire: Self::Wire) -> Self::Wide;
    /// The public element.
    fn wide(&self, value: Self::E) -> Self::Wide;
    /// The weights by which bits are packed, over F_2: 1, x, x², …
    fn places() -> &'static [Self::E];
    /// Σ factor·wire.
    fn weighed(&self, factors: &[Self::E], wires: &[Self::Wire]) -> Self::Wide;
    /// `line · factor`.
    fn scaled(line: Self::Wide, factor: Self::E) -> Self::Wide;

    /// The party's ring, for itself and for its tasks.
    fn ring(&self) -> Self::Ring;
    /// The threads that run tasks.
    fn pool(&self) -> &Pool;

    /// Demands that all lanes are zero.
    fn vanish_wide(&mut self, zero: <Self::Ring as Ring>::Wides, name: &dyn Display) -> Result<()>;
    /// Demands that all lanes of polynomials in wires are zero.
    fn vanish_lanes(&mut self, zero: Self::Vector, name: &dyn Display) -> Result<()>;

    /// Coefficients that nobody could foresee before now: the batch ends.
    fn coefficients(&mut self) -> Result<Coefficients<Self::E>>;

    /// Takes note of the degree of what is to be zero at a challenge.
    fn argued(&mut self, degree: u64);
    /// Takes note of so many assertions, which hold where that is known, or of which the one of this name does
    /// not.
    fn asserted(&mut self, count: u64, hold: bool, name: &dyn Display);

    /// Whether this proof may have such arguments: that of a file looks at all cells instead, since its
    /// challenges can be searched offline.
    fn argues(&self) -> bool;
    /// The memories and tables of this proof.
    fn remembered(&mut self) -> &mut Remembered<Self::F, Self::Wire, Self::E>;

    /// Ends all memories and tables that are open.
    fn forget_all(&mut self) -> Result<()> {
        if Self::HAS_PROOFS { self.end_all() } else { Ok(()) }
    }

    /// Ends all that is open, over a field that has arguments for it.
    fn end_all(&mut self) -> Result<()> {
        for place in 0..self.remembered().memories.len() {
            self.end_memory(place)?;
        }
        if Self::ODD {
            self.end_lookups()?;
        }
        match self.remembered().permuting.take() {
            Some(mut permuting) => permuting.end(self),
            None => Ok(()),
        }
    }

    /// Ends tables and ranges.
    fn end_lookups(&mut self) -> Result<()> {
        for place in 0..self.remembered().tables.len() {
            let mut table = self.remembered().tables[place].take().expect("put back below");
            table.end(self)?;
            self.remembered().tables[place] = Some(table);
        }
        for mut limbs in core::mem::take(&mut self.remembered().limbs) {
            limbs.end(self)?;
        }
        Ok(())
    }

    /// Ends memory number `place`, if it is open.
    fn end_memory(&mut self, place: usize) -> Result<()> {
        match self.remembered().memories[place].take() {
            Some(memory) => memory.end(self),
            None => Ok(()),
        }
    }

    /// Commits to an element of E, which the prover knows.
    fn commit_wide(&mut self, value: Option<Self::E>) -> Result<Self::Wide> {
        let degree = <Self::E as Extension<Self::F>>::DEGREE as usize;
        let mut of_value = value.map(coordinates);
        let mut next = || of_value.as_mut().and_then(Iterator::next);
        if degree == 1 {
            return Ok(Self::widened(self.commit_value(next())?));
        }
        let mut wires = Zeroizing::new(Vec::with_capacity(degree));
        for _ in 0..degree {
            wires.push(self.commit_value(next())?);
        }
        Ok(self.packed(&wires))
    }
}

/// The ring of polynomials in lines over E, as a party computes in it: a task can own it.
pub(super) trait Ring: Clone + Send + 'static {
    type E: Field;
    /// A line: an element of E that is committed to.
    type Wide: Line;
    /// Polynomials of one degree, a lane each.
    type Wides: Send + 'static;

    /// Whether values are known.
    const KNOWS: bool;
    /// The elements of E that a line consists of: [`MAC`] and [`VALUE`], or a key in the place of both.
    const PARTS: usize = if Self::KNOWS { 2 } else { 1 };

    /// A ring of the same kind with memory of its own, for tasks whose polynomials are many for a while.
    fn apart(&self) -> Self;

    /// `sums[i] += Σ part[i]·weight` over all terms, whose weights are public.
    fn add_weighed(&self, terms: &[(&[Self::E], Self::E)], sums: &mut [Self::E]);
    /// Lines, so many, a lane each, with what is public of them: of degree 1. `fill` finds lines of zero, of
    /// which one is public.
    fn lanes(&self, count: usize, fill: &dyn Fn(&mut Lines<'_, Self::E>)) -> Self::Wides;
    /// The same of a list, with nothing public.
    fn list(&self, lines: &[Self::Wide]) -> Self::Wides;
    fn multiplied(&self, a: &Self::Wides, b: &Self::Wides) -> Self::Wides;
    fn subtracted(&self, a: &Self::Wides, b: &Self::Wides) -> Self::Wides;
    /// The first `half` lanes of `of` times the next.
    fn halves_multiplied(&self, of: &Self::Wides, half: usize) -> Self::Wides;
    /// The sums of both.
    fn halves_added(&self, of: &Self::Wides, half: usize) -> Self::Wides;
    /// The first of `a` times the next of `b`, and the next of `a` times the first of `b`.
    fn halves_crossed(&self, a: &Self::Wides, b: &Self::Wides, half: usize) -> Self::Wides;
    /// Lanes from `first` on, so many.
    fn lanes_from(&self, of: &Self::Wides, first: usize, count: usize) -> Self::Wides;
    /// The values of all lanes.
    fn values(of: &Self::Wides) -> Option<&[Self::E]>;
}

/// Coefficients of polynomials after which a batch ends at the end of an epoch, where there are many: most
/// batches end before that by themselves.
pub(super) const MOST_OF_EPOCH: usize = 1 << 20;

/// The memories and tables of a proof.
pub(super) struct Remembered<F, W: Zeroize, E: Field> {
    pub(super) parameters: Parameters,
    memories: Vec<Option<Box<Ram<F, W, E>>>>,
    tables: Vec<Option<Box<Lookups<F, E>>>>,
    /// The tables of the limbs of ranges, and how many numbers were cut into such.
    limbs: Vec<Lookups<F, E>>,
    numbers: u64,
    permuting: Option<Box<Permuting<E>>>,
}

impl<F, W: Zeroize, E: Field> Default for Remembered<F, W, E> {
    fn default() -> Self {
        Self {
            parameters: Parameters::default(),
            memories: Vec::new(),
            tables: Vec::new(),
            limbs: Vec::new(),
            numbers: 0,
            permuting: None,
        }
    }
}

/// A memory of a proof: the number of one of [`Remembered`].
pub struct Memory(usize);

/// A table of a proof: the number of one of [`Remembered`], or its rows.
pub enum Table<F> {
    Argued(usize),
    /// The number of a memory that is only read.
    Read(usize),
    /// Over F_2, one whose keys are no numbers of rows: its rows.
    Scanned(Known<F>),
}

/// Makes a memory: see [`Memories::memory`](crate::circuit::Memories::memory).
pub(super) fn memory<P: Party>(
    party: &mut P,
    cells: Cells<'_, P::F, P::Wire>,
    width: usize,
) -> Result<Memory> {
    demand(party.argues() && P::HAS_PROOFS, "memories")?;
    if P::HAS_PROOFS { open(party, cells, width).map(Memory) } else { refused() }
}

/// The number of another memory.
fn open<P: Party>(party: &mut P, cells: Cells<'_, P::F, P::Wire>, width: usize) -> Result<usize> {
    let ram = Box::new(Ram::new(party, cells, width)?);
    let memories = &mut party.remembered().memories;
    memories.push(Some(ram));
    Ok(memories.len() - 1)
}

/// Accesses a memory: see [`Memories::access`](crate::circuit::Memories::access).
pub(super) fn access<P: Party>(
    party: &mut P,
    memory: &mut Memory,
    address: &[P::Wire],
    put: Put<'_, P::Wire>,
    name: &dyn Display,
) -> Result<Vec<P::Wire>> {
    if P::HAS_PROOFS { read(party, memory.0, address, put, name) } else { refused() }
}

/// Accesses a memory row by row: see [`Memories::access_rows`](crate::circuit::Memories::access_rows).
pub(super) fn access_rows<P: Party>(
    party: &mut P,
    memory: &mut Memory,
    ports: &[Accesses<'_, P::Wire>],
    name: &dyn Display,
) -> Result<Vec<Vec<P::Wire>>> {
    if P::HAS_PROOFS { read_rows(party, memory.0, ports, name) } else { refused() }
}

/// Accesses to memory number `place`, in rows.
fn read_rows<P: Party>(
    party: &mut P,
    place: usize,
    ports: &[Accesses<'_, P::Wire>],
    name: &dyn Display,
) -> Result<Vec<Vec<P::Wire>>> {
    let mut ram = party.remembered().memories[place].take().expect("open");
    let words = ram.access_rows(party, ports, name);
    party.remembered().memories[place] = Some(ram);
    words
}

/// An access to memory number `place`.
fn read<P: Party>(
    party: &mut P,
    place: usize,
    address: &[P::Wire],
    put: Put<'_, P::Wire>,
    name: &dyn Display,
) -> Result<Vec<P::Wire>> {
    let mut ram = party.remembered().memories[place].take().expect("open");
    let word = ram.access(party, address, put, name);
    party.remembered().memories[place] = Some(ram);
    word
}

/// Closes a memory: see [`Memories::close`](crate::circuit::Memories::close).
pub(super) fn close<P: Party>(party: &mut P, memory: Memory) -> Result<()> {
    if P::HAS_PROOFS { party.end_memory(memory.0) } else { refused() }
}

/// Makes a table: see [`Tables::table`](crate::circuit::Tables::table).
pub(super) fn table<P: Party>(party: &mut P, rows: Rows<'_, P::F>) -> Result<Table<P::F>> {
    let known = Known::new(rows)?;
    if P::PACKS {
        return match known.indexed().filter(|_| party.argues()) {
            Some(values) => open(party, Cells::Public(&values), known.value).map(Table::Read),
            None => Ok(Table::Scanned(known)),
        };
    }
    demand(party.argues() && P::ODD, "tables")?;
    if P::ODD {
        let tables = &mut party.remembered().tables;
        tables.push(Some(Box::new(Lookups::of::<P>(known))));
        Ok(Table::Argued(tables.len() - 1))
    } else {
        refused()
    }
}

/// Looks up in a table: see [`Tables::look_up`](crate::circuit::Tables::look_up).
pub(super) fn look_up<P: Party>(
    party: &mut P,
    table: &mut Table<P::F>,
    key: &[P::Wire],
    name: &dyn Display,
) -> Result<Vec<P::Wire>> {
    if P::PACKS {
        return match table {
            Table::Argued(_) => refused(),
            Table::Read(place) => read(party, *place, key, Put::Same, name),
            Table::Scanned(known) => scan_lookup(party, known, key, name),
        };
    }
    let Table::Argued(place) = table else { refused() };
    if P::ODD { find(party, *place, key, name) } else { refused() }
}

/// A lookup in table number `place`.
fn find<P: Party>(party: &mut P, place: usize, key: &[P::Wire], name: &dyn Display) -> Result<Vec<P::Wire>> {
    let mut open = party.remembered().tables[place].take().expect("put back below");
    let value = open.look_up(party, key, name);
    party.remembered().tables[place] = Some(open);
    value
}

/// Looks up in a table row by row: see [`Tables::look_up_rows`](crate::circuit::Tables::look_up_rows).
pub(super) fn look_up_rows<P: Party + Tables<Table = Table<<P as Backend>::F>>>(
    party: &mut P,
    table: &mut Table<P::F>,
    key: &[&[P::Wire]],
    name: &dyn Display,
) -> Result<Vec<Vec<P::Wire>>> {
    let place = match table {
        Table::Argued(place) => *place,
        Table::Read(_) | Table::Scanned(_) => return look_up_by_one(party, table, key, name),
    };
    if P::ODD { find_rows(party, place, key, name) } else { refused() }
}

/// Lookups in table number `place`, in rows.
fn find_rows<P: Party>(
    party: &mut P,
    place: usize,
    key: &[&[P::Wire]],
    name: &dyn Display,
) -> Result<Vec<Vec<P::Wire>>> {
    let mut open = party.remembered().tables[place].take().expect("put back below");
    let values = open.look_up_rows(party, key, name);
    party.remembered().tables[place] = Some(open);
    values
}

/// Asserts ranges: see [`Tables::assert_within`](crate::circuit::Tables::assert_within).
pub(super) fn within<P: Party>(
    party: &mut P,
    values: &[P::Wire],
    bits: u32,
    name: &dyn Display,
) -> Result<()> {
    check_range::<P::F>(bits)?;
    demand(party.argues(), "ranges")?;
    if P::ODD { within_limbs(party, values, bits, name) } else { refused() }
}

/// Demands that values are numbers of so many bits, by their limbs.
fn within_limbs<P: Party>(party: &mut P, values: &[P::Wire], bits: u32, name: &dyn Display) -> Result<()> {
    for value in values {
        let remembered = party.remembered();
        let limb = remembered.parameters.limb_bits::<P::F>(remembered.numbers);
        remembered.numbers += 1;
        let open = remembered.limbs.pop_if(|limbs| limbs.limb_bits() == limb);
        let mut limbs = open.unwrap_or_else(|| Lookups::limbs::<P>(limb));
        let within = limbs.within(party, *value, bits, name);
        party.remembered().limbs.push(limbs);
        within?;
    }
    Ok(())
}

/// Asserts a permutation: see
/// [`Permutations::assert_permutation`](crate::circuit::Permutations::assert_permutation).
pub(super) fn permutation<P: Party>(
    party: &mut P,
    xs: &[P::Wire],
    ys: &[P::Wire],
    width: usize,
    name: &dyn Display,
) -> Result<()> {
    demand(party.argues() && P::HAS_PROOFS, "permutations")?;
    if P::HAS_PROOFS { permute(party, xs, ys, width, name) } else { refused() }
}

/// Adds a permutation to those of the epoch.
fn permute<P: Party>(
    party: &mut P,
    xs: &[P::Wire],
    ys: &[P::Wire],
    width: usize,
    name: &dyn Display,
) -> Result<()> {
    let remembered = party.remembered();
    let open = remembered.permuting.take();
    let mut permuting = open.unwrap_or_else(|| Box::new(Permuting::new(&remembered.parameters)));
    let added = permuting.add(party, xs, ys, width, name);
    party.remembered().permuting = Some(permuting);
    added
}

/// Demands that a party argues about `what`. A [stream](crate::circuit::stream) has gates where it does not.
fn demand(argues: bool, what: &str) -> Result<()> {
    if argues {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{what}, for which this proof has no argument: run the statement as `circuit::stream::Streamed`"
    )))
}

/// Panics where nobody comes: over a field that has no argument, for which [`demand`] has refused all.
#[cold]
fn refused() -> ! {
    unreachable!("an argument over a field that has none")
}

/// What a party over `F` has proofs for, but in files.
pub(super) fn proofs<F: Field>() -> Argues {
    let tables = match F::BITS {
        1 => argues::Tables::Numbered,
        _ if is_binary::<F>() => argues::Tables::None,
        _ => argues::Tables::All,
    };
    Argues { memories: is_argued::<F>(), permutations: is_argued::<F>(), tables, ..Argues::EVERYTHING }
}

/// The proofs that it has in files, whose challenges can be searched offline: see [`Party::argues`].
pub(super) const PROOFS_OF_FILES: Argues = Argues {
    memories: false,
    tables: argues::Tables::None,
    ranges: false,
    permutations: false,
    ..Argues::EVERYTHING
};

/// A stream of coefficients.
pub(super) type Coefficients<E> = Box<dyn FnMut(&mut [E])>;

/// Whether there are such proofs over the field: F_2, and of odd characteristic.
pub(super) const fn is_argued<F: Field>() -> bool {
    F::BITS == 1 || !F::BINARY
}

/// How many challenges an epoch has.
pub(super) fn repetitions<E: Field>() -> u64 {
    if by_transcript::<E>() { 1 } else { 2 }
}

/// 1/x of all, and zero for zero, by one inversion.
fn invert_all<E: Field>(elements: &mut [E]) {
    let mut before = Zeroizing::new(Vec::with_capacity(elements.len()));
    let mut product = E::ONE;
    for element in &*elements {
        before.push(product);
        product *= *element;
    }
    // As good as never, but where a prover is about to fail.
    if verdict(product.to_integer() == 0) {
        return elements.iter_mut().for_each(|element| *element = element.invert());
    }
    let mut inverse = product.invert();
    for (element, before) in elements.iter_mut().zip(before.iter()).rev() {
        let next = inverse * *element;
        *element = *before * inverse;
        inverse = next;
    }
}

/// `number` as an element.
#[inline]
fn number<B: Field, E: Extension<B>>(number: u64) -> E {
    E::from(B::from_word(number.into()).expect("a number below the characteristic"))
}
