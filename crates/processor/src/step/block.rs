//! Rows as gates: what both parties push for a run.

use super::image::Image;
use super::lanes::Lanes;
use super::rom::{BESIDE, HALT, KEY, Rom};
use super::row::{COLUMNS, Column, triple};
use core::array;
use std::collections::BTreeSet;
use volery::circuit::{Accesses, Backend, Cells, Memories, Polynomials, Returned, Rows, Tables};
use volery::{Error, F61, Field, Result};

/// Rows whose columns are pushed together, and whose polynomials are one map.
pub(super) const TILE: usize = 512;

/// The first address that no cell may have.
const MOST_ADDRESS: u64 = 1 << 27;

/// How a run falls into rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    pub(super) rows: u64,
    /// How many are pushed together.
    pub(super) tile: usize,
}

/// Pushes the rows of the program of `rom`, from `entry` to its end; `each` says before each tile whether it goes
/// on.
///
/// # Errors
/// `Invalid` where a cell lies at 2^27 or above, those of `each`, and those of the backend.
pub(super) fn push<B>(
    b: &mut B,
    (rom, image): (&Rom, &Image),
    entry: u32,
    tiling: Tiling,
    each: impl Fn() -> Result<()>,
) -> Result<()>
where
    B: Memories + Tables + Polynomials + Backend<F = F61>,
{
    let mut parts = Parts {
        memory: memory(b, rom, image)?,
        limbs: b.table(Rows { key: 2, value: 0, entries: &numbers(limb_rows()) })?,
        rom: b.table(Rows { key: KEY, value: 0, entries: &numbers(rom_rows(rom)) })?,
        row: 0,
    };
    let mut place = b.constant(number(entry.into()));
    while parts.row < tiling.rows {
        each()?;
        let lanes = (tiling.rows - parts.row).min(tiling.tile as u64) as usize;
        let key = format!("{lanes} rows of a processor");
        let next = b.call(key.as_bytes(), &[place], |b, place| {
            Ok(Returned { wires: vec![parts.tile(b, place[0], lanes)?], public: Vec::new() })
        })?;
        parts.row += lanes as u64;
        b.forget(&[place]);
        place = next.wires[0];
    }
    let end = b.constant(-number(HALT));
    let difference = b.add(place, end);
    b.assert_zero(difference, "that the program has ended after the last row")?;
    b.close(parts.memory)
}

/// The memory of the run, with what is in its cells at first.
fn memory<B: Memories + Backend<F = F61>>(b: &mut B, rom: &Rom, image: &Image) -> Result<B::Memory> {
    let cells = image.cells(rom);
    let addresses: Vec<u64> = cells.iter().map(|(address, _)| *address).collect();
    // Addresses of two accesses are one number of the table's key, which tells them apart below it.
    if let Some(last) = addresses.last().filter(|last| **last >= MOST_ADDRESS) {
        return Err(Error::invalid(format!(
            "a cell of the run is at {last:#x}, and all have to be below {MOST_ADDRESS:#x}: prove a \
             program with fewer constants"
        )));
    }
    let limbs = |word: u32| [word & 0xffff, word >> 16].map(|limb| number(limb.into()));
    let words: Vec<F61> = cells.iter().flat_map(|(_, word)| limbs(*word)).collect();
    b.memory(Cells::At(&addresses, &words), 2)
}

/// The rows of the table of limbs.
pub(super) fn limb_rows() -> impl Iterator<Item = [u64; 2]> {
    let plain = (0..1 << 16).map(|limb| [0, limb]);
    let logic = (0..256).flat_map(|x| (0..256).map(move |y| [1, triple(x, y)]));
    plain.chain(logic)
}

/// The rows of the program's table.
pub(super) fn rom_rows(rom: &Rom) -> BTreeSet<[u64; KEY]> {
    rom.rows().map(|(place, row)| row.key(place)).collect()
}

fn numbers<const N: usize>(rows: impl IntoIterator<Item = [u64; N]>) -> Vec<F61> {
    rows.into_iter().flatten().map(number).collect()
}

pub(super) fn number(number: u64) -> F61 {
    F61::from_word(number.into()).expect("a number below the prime")
}

/// The memory and the tables that rows are looked up in, and the number of rows so far.
struct Parts<B: Memories + Tables> {
    memory: B::Memory,
    limbs: B::Table,
    rom: B::Table,
    row: u64,
}

impl<B: Memories + Tables + Polynomials + Backend<F = F61>> Parts<B> {
    /// Pushes a tile of rows, the first at `place`, and gives the place of the next one.
    fn tile(&mut self, b: &mut B, place: B::Wire, lanes: usize) -> Result<B::Wire> {
        let zero = b.constant(F61::ZERO);
        let mut wires = vec![zero; COLUMNS * lanes];
        b.witnesses(&mut wires)?;
        let columns: [&[B::Wire]; COLUMNS] = array::from_fn(|column| &wires[column * lanes..][..lanes]);
        let at = |column: Column| columns[column as usize];
        let first = self.row;
        let written = [at(Column::C0), at(Column::C1)];
        let port = |column: Column| Accesses { address: at(column), put: None };
        let third = Accesses { put: Some(&written), ..port(Column::Third) };
        let ports = [port(Column::First), port(Column::Second), third];
        let name = format_args!("that there is what rows from {first} on access");
        let found = b.access_rows(&mut self.memory, &ports, &name)?;
        let one = F61::ONE;
        let others = [at(Column::Second), at(Column::Third), at(Column::Accessed)];
        let others = b.linear_rows(&[one, number(BESIDE), -one], &others);
        let next = b.linear_rows(&[one, -one], &[at(Column::Next), at(Column::Jumped)]);
        // Each row is where the one before says.
        let mut places = Vec::with_capacity(lanes);
        places.push(place);
        places.extend_from_slice(&at(Column::Next)[..lanes - 1]);
        let key = [
            &places[..],
            at(Column::Group),
            at(Column::Member),
            at(Column::Logic),
            at(Column::First),
            &others,
            at(Column::Immediate),
            &next,
        ];
        let name = format_args!("that rows from {first} on are of the program");
        b.look_up_rows(&mut self.rom, &key, &name)?;
        let (logic, zeroes) = (at(Column::Logic), vec![zero; lanes]);
        for (logic, column) in [
            (&zeroes[..], Column::C0),
            (&zeroes, Column::C1),
            (logic, Column::S3),
            (logic, Column::S4),
            (logic, Column::S5),
            (logic, Column::S6),
        ] {
            let name = format_args!("{column:?}, a limb of rows from {first} on");
            b.look_up_rows(&mut self.limbs, &[logic, at(column)], &name)?;
        }
        let place = columns[Column::Next as usize][lanes - 1];
        let mut of = columns.concat();
        of.extend(found.into_iter().flatten());
        b.map(b"row of a processor", lanes, &of, |b, lane, of| {
            let (columns, found) = of.split_at(COLUMNS);
            let columns = array::from_fn(|column| b.vector(&columns[column..=column]));
            let found: Vec<_> = found.iter().map(|wire| b.vector(&[*wire])).collect();
            Lanes(b).assert(lane, &columns, &found)?;
            Ok(Returned::default())
        })?;
        Ok(place)
    }
}
