//! Memories and tables: arguments that two multisets are equal, by products and sums over an epoch.
//!
//! Relation kept: as on every wire, **k = m + x·Δ**. A **line** is the like of a wire with x in E: an element
//! packed from the r elements of a base that the prover commits to ([`Party::commit_wide`]). Polynomials in
//! lines are as those in wires ([`super::polynomial`]), with values in E ([`wide`]).
//!
//! After "Two Shuffles Make a RAM" (Yang, Heath, USENIX Security 2024), on the idea of Blum et al.: an access
//! adds a tuple (address, old word, old timestamp) to the **read set**, whose word and timestamp the prover
//! commits to, and a tuple (address, new word, number of the access) to the **write set**. At the start of an
//! **epoch** every cell is in the write set, with timestamp 0, and at its end every cell is in the read set,
//! with a word that the next epoch starts from. Then
//! 1. read set and write set are equal as multisets ([`equality`]): so an access reads what an access, or the
//!    start, wrote to that address, and each tuple is read once;
//! 2. every timestamp read is smaller than the number of its access ([`order`] over F_2; over other fields the
//!    **gap**, their difference less one, is looked up in a table): so an access reads the last write.
//!
//! An address of no cell is never in the write set, so that the equality is what fails there.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | prover | corrections of each access: word, timestamp, over odd p a limb of a cut gap | as those of gates |
//! | prover | corrections at the epoch's end: word and timestamp of each cell, counts of limbs | as those of gates |
//! | verifier | seed of X and the coefficients of tuples, where E is short | 16 |
//! | prover | corrections of running products and sums, r to each | as those of gates |
//! | | their polynomials join the check of that batch, with coefficients drawn after these corrections | |
//!
//! **Equality.** With tuples as elements of E, by coefficients drawn after all of them, two products of (X +
//! tuple) are equal. Each runs in blocks of s factors, and the running product is committed to behind each
//! block but the last: s is 63 over F_2, 9 over others. Where E is short all is done twice, by two independent
//! challenges. *Deviation*: the notes that this follows divide one product by the other where the transcript
//! chooses X, which saves 2 bits an access of 75. Nothing is divided here, so that an honest prover convinces
//! for every challenge, and a verifier that aims X at a guess learns nothing.
//!
//! Over an odd p below 65537 there are none of these arguments, and a statement's memories and tables are gates.
//!
//! **Ranges, tables** over odd p ([`sums`]): Σ 1/(Z + looked up) = Σ multiplicity/(Z + row), in blocks of eight, of
//! which the last is filled with ones, on both sides. Numbers are cut into limbs, each of which is looked up
//! among all numbers of its bits ([`ranges`]): into long ones where numbers are many
//! ([`Cuts`](volery_circuit::accounting::Cuts)). Epochs of all limbs end together, and with the proof those of
//! all tables, at one challenge, which has a Z for each table, and coefficients that combine the elements of its
//! rows where these have several. Rows are public, so that both parties pass over a Z that hits one, and what an
//! honest prover looks up is a row. Over F_2 a table whose keys are the numbers of their rows is a memory that is
//! only read, and any other is looked at row by row. *Deviation*: the notes' product with multiplicities is not
//! here. **Gaps**, of which each is below 2^18, are cut into two limbs in the first two epochs of a memory; behind
//! these each is looked up whole, in a table of that many numbers whose epochs are its own. Longer gaps, of
//! memories with more cells, are always cut.
//!
//! **Permutations** ([`permutation`]): the words of two lists, each with the number of its permutation, are
//! the same as multisets. An epoch has those that are asserted until they have 65,536 words together, or the
//! proof ends; nothing is committed to but what the equality takes.
//!
//! **Soundness**: n factors of each product differ as polynomials of degree n in the challenges, and pass
//! with n/|E|; sums with (2·lookups + rows)/|E|, where lookups are fewer than p. What is counted is in
//! [`Argued::tuples`](volery_circuit::Argued). With two challenges the square. Challenges come after the end
//! of the batch in which the epoch's last tuple is committed to, and serve that epoch alone, or those of tables that
//! end together, each by elements of its own.
//!
//! **Zero knowledge**: nothing is opened. What lies between is committed to, and products and sums end in a
//! polynomial that is zero, in QuickSilver's masked sum.
//!
//! **Abort**: as for gates. A prover whose witness fails goes on with words of zeroes.
//!
//! **Memory**: an epoch's tuples wait for its challenge, as lines: a value with its MAC, or a key. With
//! words of w elements over odd p an access has w + 3 of them, w more where it puts a word there, and at the
//! end a cell 2w + 1; over F_2 they are 2 and 3, where a tuple has as many bits as an element at most. The
//! prover keeps each word and its time beside them, 12 bytes for one element. Over 2^61 − 1 with w = 1 that is
//! 64 bytes a read, 80 a write and 60 a cell, and for the verifier 32, 40 and 24: 138 MB and 63 MB at 2^20
//! cells, whose epoch has as many accesses, where half of these are reads. Of lookups, 2^20 to an epoch or
//! fewer, only a MAC waits, or a key, for each element of key and value, 2^20 at most, or half as many in a
//! short table, or for each limb of a range, of which all tables of limbs together have 9·2^17 and some hundreds
//! more; and beside each lookup the number of its row, which says what the values are. Gaps that are looked up
//! whole, 2^19 at most, wait so in the place of one of the access's own lines. What is committed to at an epoch's
//! end goes through batches as any gate, whose polynomials wait as [`super::arithmetic`] says.

mod columns;
pub(super) mod equality;
mod found;
pub(super) mod order;
pub(super) mod permutation;
pub(super) mod ram;
pub(super) mod ranges;
pub(super) mod sums;
pub(super) mod table;
mod tuples;
mod waiting;
pub(super) mod wide;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use super::coordinates::{coordinates, said};
use core::fmt::Display;
use core::ops::{Add, Sub};
use permutation::Permuting;
use ram::Ram;
use ranges::Ranges;
use table::{Lookups, end_together};
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;
use volery_circuit::accounting::Parameters;
use volery_circuit::memory::scan_lookup;
use volery_circuit::stream::{Argues, argues};
use volery_circuit::table::check_range;
use volery_circuit::{Accesses, Backend, Cells, Known, Polynomials, Put, Rows, Tables, look_up_by_one};
use volery_primitives::arch::Arch;
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field, SecretVec, U256};
use volery_proof::verdict::by_transcript;
pub(super) use waiting::Lines;
use waiting::Waiting;
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// A committed element of E, a "line" since it is m + x·X in the key.
pub(super) trait Line:
    DefaultIsZeroes + Add<Output = Self> + Sub<Output = Self> + Send + 'static
{
}

impl<V: DefaultIsZeroes + Add<Output = V> + Sub<Output = V> + Send + 'static> Line for V {}

/// The numbers of a line's parts at the prover: MAC and value. The verifier's only part, the key, has the
/// MAC's number.
pub(super) const MAC: usize = 0;
pub(super) const VALUE: usize = 1;

/// One party, as the arguments about memories and tables see it. They are written once for both: where the
/// prover runs them, values are there.
pub(super) trait Party: Polynomials<Wire: Send + Sync + 'static> + Sized {
    /// The field of the MACs.
    type E: Extension<Self::F>;
    /// A committed element of E: with its MAC, or its key.
    type Wide: Line;
    /// The ring of polynomials in lines.
    type Ring: Ring<E = Self::E, Wide = Self::Wide>;

    /// Whether this party knows values: the prover.
    const KNOWS: bool = Self::Ring::KNOWS;
    /// The elements of E that a line consists of.
    const PARTS: usize = Self::Ring::PARTS;
    /// Whether values are bits, many of which are packed into a line.
    const PACKS: bool = <Self::F as Field>::BITS == 1;
    /// Whether the characteristic is odd.
    const ODD: bool = !<Self::F as Field>::BINARY;
    /// Whether there may be arguments about memories over the field. It is a constant, so that a field without
    /// them compiles none.
    const HAS_PROOFS: bool = Self::PACKS || Self::ODD;

    /// The value on a wire.
    fn value(wire: Self::Wire) -> Option<Self::F>;
    /// The value of a line.
    fn wide_value(line: Self::Wide) -> Option<Self::E>;
    /// Part number `part` of a line.
    fn part(line: Self::Wide, part: usize) -> Self::E;

    /// Commits to a value, which the prover knows.
    fn commit_value(&mut self, value: Option<Self::F>) -> Result<Self::Wire>;
    /// Commits to `values`, as many as there are `wires` where the prover knows them, and none elsewhere.
    fn commit_values(&mut self, values: &[Self::F], wires: &mut [Self::Wire]) -> Result<()>;
    /// The element whose coordinates are on so many wires.
    fn packed(&self, coordinates: &[Self::Wire]) -> Self::Wide;
    /// The value on a wire, as an element of E.
    fn widened(wire: Self::Wire) -> Self::Wide;
    /// A line for a public element.
    fn wide(&self, value: Self::E) -> Self::Wide;
    /// The weights by which bits are packed, over F_2: 1, x, x², …
    fn places() -> &'static [Self::E];
    /// The linear combination Σ factor·wire.
    fn weighed(&self, factors: &[Self::E], wires: &[Self::Wire]) -> Self::Wide {
        Self::weighed_by(self.arch(), factors, wires)
    }
    /// [`Party::weighed`], by the kernels that a task has.
    fn weighed_by(arch: Arch, factors: &[Self::E], wires: &[Self::Wire]) -> Self::Wide;

    /// The party's ring, for itself and for its tasks.
    fn ring(&self) -> Self::Ring;
    /// The threads that run tasks.
    fn pool(&self) -> &Pool;
    /// The instruction set of the kernels.
    fn arch(&self) -> Arch;

    /// Demands that each lane is zero.
    fn vanish_wide(&mut self, zero: <Self::Ring as Ring>::Wides, name: &dyn Display) -> Result<()>;
    /// Demands that each lane is zero of the polynomials that a task will `compute`: so many lanes of this degree.
    fn vanish_computed(
        &mut self,
        size: [usize; 2],
        compute: impl FnOnce() -> <Self::Ring as Ring>::Wides + Send + 'static,
        name: &'static str,
    ) -> Result<()>;
    /// Demands that each lane of polynomials in wires is zero.
    fn vanish_lanes(&mut self, zero: Self::Vector, name: &dyn Display) -> Result<()>;

    /// A stream of coefficients that nobody could foresee before this call, which ends the batch.
    fn coefficients(&mut self) -> Result<Coefficients<Self::E>>;

    /// Notes the degrees of arguments at one challenge: polynomials of these degrees are to be zero at it.
    fn argued(&mut self, degrees: &[u64]);
    /// Notes `count` assertions. Where the witness is known and they do not hold, `name` is that of the one
    /// that fails.
    fn asserted(&mut self, count: u64, hold: bool, name: &dyn Display);

    /// Whether this proof may have such arguments. That of a file may not, since its challenges can be
    /// searched offline, nor one over a field without them: it looks at all cells instead.
    fn argues(&self) -> bool;
    /// The memories and tables of this proof.
    fn remembered(&mut self) -> &mut Remembered<Self::F, Self::Wire, Self::E>;

    /// Ends the wait of bilinear forms.
    fn end_forms(&mut self) -> Result<()>;

    /// Ends all memories and tables that are open, and the wait of bilinear forms.
    fn forget_all(&mut self) -> Result<()> {
        self.end_forms()?;
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

    /// Ends tables and ranges, all by one challenge.
    fn end_lookups(&mut self) -> Result<()> {
        let remembered = self.remembered();
        let (mut tables, mut ranges) = (core::mem::take(&mut remembered.tables), remembered.ranges.take());
        let limbs = ranges.iter_mut().flat_map(|ranges| ranges.tables());
        let all = tables.iter_mut().flatten().map(|table| &mut **table).chain(limbs);
        let ended = end_together(self, all);
        let remembered = self.remembered();
        (remembered.tables, remembered.ranges) = (tables, ranges);
        ended
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
        let mut line = Zeroizing::new(Vec::with_capacity(1));
        self.commit_wides(1, value.as_slice(), &mut line)?;
        Ok(line[0])
    }

    /// Commits to `count` elements of E, the first of `values` where the prover knows them, and appends their lines.
    fn commit_wides(&mut self, count: usize, values: &[Self::E], lines: &mut Vec<Self::Wide>) -> Result<()> {
        let degree = <Self::E as Extension<Self::F>>::degree() as usize;
        let mut elements = Zeroizing::new(Vec::with_capacity(count * degree));
        for value in values.iter().take(count) {
            if degree == 1 {
                elements.push(said(value.to_integer()));
            } else {
                elements.extend(coordinates::<_, Self::E>(*value));
            }
        }
        let mut wires = Zeroizing::new(vec![Self::Wire::default(); count * degree]);
        self.commit_values(&elements, &mut wires)?;
        for wires in wires.chunks_exact(degree) {
            lines.push(if degree == 1 { Self::widened(wires[0]) } else { self.packed(wires) });
        }
        Ok(())
    }
}

/// The ring of polynomials in lines over E, as one party computes in it, owned so that a task can take it
/// along.
pub(super) trait Ring: Clone + Send + 'static {
    type E: Field;
    /// A line: an element of E that is committed to.
    type Wide: Line;
    /// Polynomials of one degree, a lane each.
    type Wides: Send + 'static;

    /// Whether this party knows values: the prover.
    const KNOWS: bool;
    /// The elements of E that a line consists of: [`MAC`] and [`VALUE`], or a key in the place of both.
    const PARTS: usize = if Self::KNOWS { 2 } else { 1 };

    /// A ring like this one with buffers of its own, for tasks whose polynomials are many for a while.
    fn apart(&self) -> Self;

    /// Adds the linear combination `Σ part[i]·weight` to `sums[i]`, with public weights.
    fn add_weighed(&self, terms: &[(&[Self::E], Self::E)], sums: &mut [Self::E]);
    /// Polynomials of degree 1 in `count` lanes: `fill` finds lines of zero there, and adds to them.
    fn lanes(&self, count: usize, fill: &dyn Fn(&mut Lines<'_, Self::E>)) -> Self::Wides;
    /// Polynomials of degree 1, one for each of `lines`.
    fn list(&self, lines: &[Self::Wide]) -> Self::Wides;
    fn multiplied(&self, a: &Self::Wides, b: &Self::Wides) -> Self::Wides;
    fn subtracted(&self, a: &Self::Wides, b: &Self::Wides) -> Self::Wides;
    /// The differences of each of `lines` and the next, times `factors`, less `terms` of a degree of at most one more.
    fn steps_less(&self, lines: &[Self::Wide], factors: &Self::Wides, terms: &Self::Wides) -> Self::Wides;
    /// The products of the first `half` lanes of `of` with the next `half`.
    fn halves_multiplied(&self, of: &Self::Wides, half: usize) -> Self::Wides;
    /// The sums of the first `half` lanes of `of` and the next `half`.
    fn halves_added(&self, of: &Self::Wides, half: usize) -> Self::Wides;
    /// The cross sums of two fractions' parts: the first half of `a` times the second of `b`, plus the second
    /// of `a` times the first of `b`.
    fn halves_crossed(&self, a: &Self::Wides, b: &Self::Wides, half: usize) -> Self::Wides;
    /// The `count` lanes from `first` on.
    fn lanes_from(&self, of: &Self::Wides, first: usize, count: usize) -> Self::Wides;
    /// The values of all lanes, where they are known.
    fn values(of: &Self::Wides) -> Option<&[Self::E]>;
}

/// Coefficients of polynomials after which the end of an epoch ends its batch, too: most batches end before
/// that by themselves.
pub(super) const MOST_OF_EPOCH: usize = 1 << 20;

/// The memories and tables of a proof.
pub(super) struct Remembered<F: Field, W: Zeroize, E: Field> {
    pub(super) parameters: Parameters,
    memories: Vec<Option<Box<Ram<F, W, E>>>>,
    tables: Vec<Option<Box<Lookups<F, E>>>>,
    ranges: Option<Box<Ranges<F, W, E>>>,
    permuting: Option<Box<Permuting<E>>>,
}

impl<F: Field, W: Zeroize, E: Field> Default for Remembered<F, W, E> {
    fn default() -> Self {
        Self {
            parameters: Parameters::default(),
            memories: Vec::new(),
            tables: Vec::new(),
            ranges: None,
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
    /// A table over F_2 whose keys are not its rows' numbers, and which is scanned: its rows.
    Scanned(Known<F>),
}

/// Makes a memory: see [`Memories::memory`](volery_circuit::Memories::memory).
pub(super) fn memory<P: Party>(
    party: &mut P,
    cells: Cells<'_, P::F, P::Wire>,
    width: usize,
) -> Result<Memory> {
    demand(party.argues() && P::HAS_PROOFS, "memories")?;
    if P::HAS_PROOFS { open(party, cells, width).map(Memory) } else { refused() }
}

/// Opens a memory, and gives its number.
fn open<P: Party>(party: &mut P, cells: Cells<'_, P::F, P::Wire>, width: usize) -> Result<usize> {
    let ram = Box::new(Ram::new(party, cells, width)?);
    let memories = &mut party.remembered().memories;
    memories.push(Some(ram));
    Ok(memories.len() - 1)
}

/// Accesses a memory: see [`Memories::access`](volery_circuit::Memories::access).
pub(super) fn access<P: Party>(
    party: &mut P,
    memory: &mut Memory,
    address: &[P::Wire],
    put: Put<'_, P::Wire>,
    name: &dyn Display,
) -> Result<Vec<P::Wire>> {
    if P::HAS_PROOFS { read(party, memory.0, address, put, name) } else { refused() }
}

/// Accesses a memory row by row: see [`Memories::access_rows`](volery_circuit::Memories::access_rows).
pub(super) fn access_rows<P: Party>(
    party: &mut P,
    memory: &mut Memory,
    ports: &[Accesses<'_, P::Wire>],
    name: &dyn Display,
) -> Result<Vec<Vec<P::Wire>>> {
    if P::HAS_PROOFS { read_rows(party, memory.0, ports, name) } else { refused() }
}

/// Accesses memory number `place` row by row.
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

/// Accesses memory number `place`.
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

/// Closes a memory: see [`Memories::close`](volery_circuit::Memories::close).
pub(super) fn close<P: Party>(party: &mut P, memory: Memory) -> Result<()> {
    if P::HAS_PROOFS { party.end_memory(memory.0) } else { refused() }
}

/// Makes a table: see [`Tables::table`](volery_circuit::Tables::table).
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

/// Looks up in a table: see [`Tables::look_up`](volery_circuit::Tables::look_up).
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

/// Looks up in table number `place`.
fn find<P: Party>(party: &mut P, place: usize, key: &[P::Wire], name: &dyn Display) -> Result<Vec<P::Wire>> {
    let mut open = party.remembered().tables[place].take().expect("put back below");
    let value = open.look_up(party, key, name);
    party.remembered().tables[place] = Some(open);
    value
}

/// Looks up in a table row by row: see [`Tables::look_up_rows`](volery_circuit::Tables::look_up_rows).
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

/// Looks up in table number `place` row by row.
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

/// Asserts ranges: see [`Tables::assert_within`](volery_circuit::Tables::assert_within).
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

/// Demands that each value has at most `bits` bits, by looking its limbs up.
fn within_limbs<P: Party>(party: &mut P, values: &[P::Wire], bits: u32, name: &dyn Display) -> Result<()> {
    let remembered = party.remembered();
    let open = remembered.ranges.take();
    let mut ranges = open.unwrap_or_else(|| Box::new(Ranges::new(&remembered.parameters)));
    let within = ranges.within(party, values, bits, name);
    party.remembered().ranges = Some(ranges);
    within
}

/// Asserts a permutation: see
/// [`Permutations::assert_permutation`](volery_circuit::Permutations::assert_permutation).
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

/// Demands that a party argues about `what`. A [stream](volery_circuit::stream) has gates where it does not.
fn demand(argues: bool, what: &str) -> Result<()> {
    if argues {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{what}, for which this proof has no argument: run the statement as `circuit::stream::Streamed`"
    )))
}

/// Panics, since over a field without the argument [`demand`] has refused everything before.
#[cold]
fn refused() -> ! {
    unreachable!("an argument over a field that has none")
}

/// The arguments that a proof over `F` with a verifier has.
pub(super) fn proofs<F: Field>() -> Argues {
    match F::BITS {
        1 => Argues { tables: argues::Tables::Numbered, ..Argues::EVERYTHING },
        _ if is_argued::<F>() => Argues::EVERYTHING,
        _ => ALL_CELLS,
    }
}

/// The arguments of a proof that has none about memories, and looks at all cells: see [`Party::argues`].
pub(super) const ALL_CELLS: Argues = Argues {
    memories: false,
    tables: argues::Tables::None,
    ranges: false,
    permutations: false,
    ..Argues::EVERYTHING
};

/// A stream of coefficients.
pub(super) type Coefficients<E> = Box<dyn FnMut(&mut [E])>;

/// −1 in the least field of odd characteristic that has arguments about memories: times, gaps, the numbers of
/// permutations and how often a row is looked up are numbers of the field, and below 2^16 an epoch would be too short.
const LEAST: u64 = 1 << 16;

/// Whether there are arguments about memories over the field: it is F_2, or of odd characteristic and no less
/// than 65537. Elsewhere a statement's memories and tables are gates.
pub(super) fn is_argued<F: Field>() -> bool {
    F::BITS == 1 || (!F::BINARY && (-F::ONE).to_integer() >= U256::from(LEAST))
}

/// How many independent challenges an epoch has: two, where E is short.
pub(super) fn repetitions<E: Field>() -> u64 {
    if by_transcript::<E>() { 1 } else { 2 }
}

/// Inverts all elements, zero to zero, by one inversion.
fn invert_all<E: Field>(elements: &mut [E]) {
    // Products run on side by side, so that none waits for the one before.
    const CHAINS: usize = 8;
    let mut before = SecretVec::from(vec![E::ONE; elements.len()]);
    let mut products = Zeroizing::new([E::ONE; CHAINS]);
    for (elements, before) in elements.chunks(CHAINS).zip(before.chunks_mut(CHAINS)) {
        for i in 0..elements.len() {
            before[i] = products[i];
            products[i] *= elements[i];
        }
    }
    let product = products.iter().fold(E::ONE, |product, chain| product * *chain);
    // As good as never, but where a prover is about to fail.
    if verdict(product.to_integer() == 0) {
        return elements.iter_mut().for_each(|element| *element = element.invert());
    }
    let (mut inverse, mut others) = (product.invert(), *products);
    let mut ahead = E::ONE;
    for (other, product) in others.iter_mut().zip(&*products) {
        *other = ahead;
        ahead *= *product;
    }
    let mut inverses = Zeroizing::new([E::ONE; CHAINS]);
    for i in (0..CHAINS).rev() {
        inverses[i] = inverse * others[i];
        inverse *= products[i];
    }
    for (elements, before) in elements.chunks_mut(CHAINS).zip(before.chunks(CHAINS)).rev() {
        for i in 0..elements.len() {
            let next = inverses[i] * elements[i];
            elements[i] = before[i] * inverses[i];
            inverses[i] = next;
        }
    }
}

/// `number` as an element.
#[inline]
fn number<B: Field, E: Extension<B>>(number: u64) -> E {
    E::from(B::from_word(number.into()).expect("a number below the characteristic"))
}
