//! Rows as gates: what both parties push for a run.

use super::class::{Class, GROUPS, MEMBERS, Size, base};
use super::form::{Algebra, TERMS, Term};
use super::image::Image;
use super::rom::{BESIDE, HALT, KEY, Rom};
use super::row::{COLUMNS, Column, triple};
use core::array;
use std::collections::BTreeSet;
use volery::circuit::{Backend, Cells, Memories, Polynomials, Put, Rows, Tables};
use volery::{Error, F61, Field, Result};

/// Rows whose polynomials are side by side.
pub(super) const TILE: usize = 256;

/// Where no cell may be, and behind it.
const MOST_ADDRESS: u64 = 1 << 27;

/// Pushes `rows` rows of the program of `rom`, from `entry` to its end.
///
/// # Errors
/// `Invalid` where a cell lies at 2^27 or above, and those of the backend.
pub(super) fn push<B>(b: &mut B, rom: &Rom, image: &Image, entry: u32, rows: u64) -> Result<()>
where
    B: Memories + Tables + Polynomials + Backend<F = F61>,
{
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
    let mut parts = Parts {
        memory: b.memory(Cells::At(&addresses, &words), 2)?,
        limbs: b.table(Rows { key: 2, value: 0, entries: &limb_rows() })?,
        rom: b.table(Rows { key: KEY, value: 0, entries: &rom_rows(rom) })?,
        zero: b.constant(F61::ZERO),
        row: 0,
    };
    let mut place = b.constant(number(entry.into()));
    while parts.row < rows {
        let lanes = (rows - parts.row).min(TILE as u64) as usize;
        b.open_scope();
        let next = parts.tile(b, place, lanes)?;
        b.close_scope(&[next]);
        b.forget(&[place]);
        place = next;
    }
    let end = b.constant(-number(HALT));
    let difference = b.add(place, end);
    b.assert_zero(difference, "that the program has ended after the last row")?;
    b.close(parts.memory)
}

/// The rows of the table of limbs.
fn limb_rows() -> Vec<F61> {
    let plain = (0..1 << 16).map(|limb| [0, limb]);
    let logic = (0..256).flat_map(|x| (0..256).map(move |y| [1, triple(x, y)]));
    plain.chain(logic).flatten().map(number).collect()
}

/// Those of the table of the program.
fn rom_rows(rom: &Rom) -> Vec<F61> {
    let keys: BTreeSet<[u64; KEY]> = rom.rows().map(|(place, row)| row.key(place)).collect();
    keys.into_iter().flatten().map(number).collect()
}

pub(super) fn number(number: u64) -> F61 {
    F61::from_word(number.into()).expect("a number below the prime")
}

/// What rows are looked up in, and how many there were.
struct Parts<B: Memories + Tables> {
    memory: B::Memory,
    limbs: B::Table,
    rom: B::Table,
    zero: B::Wire,
    row: u64,
}

impl<B: Memories + Tables + Polynomials + Backend<F = F61>> Parts<B> {
    /// Pushes so many rows, the first at `place`: where the next one is.
    fn tile(&mut self, b: &mut B, place: B::Wire, lanes: usize) -> Result<B::Wire> {
        let mut columns: [Vec<B::Wire>; COLUMNS] = array::from_fn(|_| Vec::with_capacity(lanes));
        for column in &mut columns {
            for _ in 0..lanes {
                column.push(b.witness()?);
            }
        }
        let mut found: [[Vec<B::Wire>; 2]; 3] = Default::default();
        let mut place = place;
        for (lane, row) in (0..lanes).zip(self.row..) {
            let at = |column: Column| columns[column as usize][lane];
            let written = [at(Column::C0), at(Column::C1)];
            for (k, column) in [Column::First, Column::Second, Column::Third].into_iter().enumerate() {
                let put = if k == 2 { Put::Word(&written) } else { Put::Same };
                let name = format_args!("that there is what row {row} accesses");
                let word = b.access(&mut self.memory, &[at(column)], put, &name)?;
                found[k].iter_mut().zip(&word).for_each(|(limbs, limb)| limbs.push(*limb));
            }
            let one = F61::ONE;
            let others = [at(Column::Second), at(Column::Third), at(Column::Accessed)];
            let others = b.linear(&[one, number(BESIDE), -one], &others);
            let next = b.linear(&[one, -one], &[at(Column::Next), at(Column::Jumped)]);
            let key = [
                place,
                at(Column::Group),
                at(Column::Member),
                at(Column::Logic),
                at(Column::First),
                others,
                at(Column::Immediate),
                next,
            ];
            b.look_up(&mut self.rom, &key, &format_args!("that row {row} is one of the program"))?;
            let logic = at(Column::Logic);
            for (logic, column) in [
                (self.zero, Column::C0),
                (self.zero, Column::C1),
                (logic, Column::S3),
                (logic, Column::S4),
                (logic, Column::S5),
                (logic, Column::S6),
            ] {
                b.look_up(&mut self.limbs, &[logic, at(column)], &format_args!("a limb of row {row}"))?;
            }
            place = at(Column::Next);
        }
        let columns = columns.map(|wires| b.vector(&wires));
        let found = found.map(|limbs| limbs.map(|wires| b.vector(&wires)));
        Lanes(b).assert(&columns, found)?;
        self.row += lanes as u64;
        Ok(place)
    }
}

/// Vectors of polynomials, a row in each lane.
struct Lanes<'b, B>(&'b mut B);

impl<B: Polynomials<F = F61>> Algebra for Lanes<'_, B> {
    type Value = B::Vector;

    fn combine(&mut self, terms: &[(i64, B::Vector)], constant: i64) -> Result<B::Vector> {
        let mut sum = (constant != 0 || terms.is_empty()).then(|| self.0.public(&[signed(constant)]));
        for (factor, value) in terms {
            let term = if *factor == 1 { value.clone() } else { self.scale(value, signed(*factor))? };
            sum = Some(match sum {
                Some(sum) => self.0.sum(&sum, &term),
                None => term,
            });
        }
        Ok(sum.expect("a constant, or a term"))
    }

    fn product(&mut self, a: &B::Vector, b: &B::Vector) -> Result<B::Vector> {
        self.0.product(a, b)
    }
}

fn signed(value: i64) -> F61 {
    let magnitude = number(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

impl<B: Polynomials<F = F61>> Lanes<'_, B> {
    fn scale(&mut self, value: &B::Vector, factor: F61) -> Result<B::Vector> {
        let factor = self.0.public(&[factor]);
        self.0.product(&factor, value)
    }

    /// For each of the numbers below `count` the polynomial in `digit` that is one there, and zero at the others.
    fn selectors(&mut self, digit: &B::Vector, count: usize) -> Result<Vec<B::Vector>> {
        let mut selectors = Vec::with_capacity(count);
        let mut factors = Vec::with_capacity(count);
        for k in 0..count {
            factors.push(self.combine(&[(1, digit.clone())], -(k as i64))?);
        }
        for k in 0..count {
            let mut product: Option<B::Vector> = None;
            let mut norm = F61::ONE;
            for (other, factor) in factors.iter().enumerate().filter(|(other, _)| *other != k) {
                norm *= signed(k as i64 - other as i64);
                product = Some(match product {
                    Some(product) => self.0.product(&product, factor)?,
                    None => factor.clone(),
                });
            }
            let product = product.expect("two digits at least");
            selectors.push(self.scale(&product, norm.invert())?);
        }
        Ok(selectors)
    }

    /// Demands of rows what their classes say.
    fn assert(&mut self, columns: &[B::Vector; COLUMNS], found: [[B::Vector; 2]; 3]) -> Result<()> {
        let column = |column: Column| &columns[column as usize];
        let terms = self.terms(columns, found)?;
        let groups = self.selectors(column(Column::Group), GROUPS)?;
        let members = self.selectors(column(Column::Member), MEMBERS)?;
        let base_of = self.linear(&base(Size::FULL), &terms)?;
        // What each row's class makes of the columns, summed up group by group.
        let mut sums: [Option<B::Vector>; 4] = [const { None }; 4];
        for (group, selector) in groups.iter().enumerate() {
            let mut inner: [Option<B::Vector>; 4] = [const { None }; 4];
            for (member, chosen) in members.iter().enumerate() {
                let class = Class::ALL[group * MEMBERS + member];
                let mut add = |lanes: &mut Self, k: usize, value: &B::Vector| -> Result<()> {
                    let term = lanes.0.product(chosen, value)?;
                    inner[k] = Some(match inner[k].take() {
                        Some(sum) => lanes.0.sum(&sum, &term),
                        None => term,
                    });
                    Ok(())
                };
                for (k, form) in class.equations(Size::FULL).iter().enumerate() {
                    if let Some(form) = form {
                        let value = self.form(form, &terms)?;
                        add(self, k, &value)?;
                    }
                }
                if let Some(address) = class.accessed(Size::FULL) {
                    let address = self.linear(&address, &terms)?;
                    let factor = if class.stores() { number(BESIDE) } else { F61::ONE };
                    let address = self.scale(&address, factor)?;
                    add(self, 2, &address)?;
                }
                if class == Class::Jalr {
                    add(self, 3, &base_of)?;
                }
            }
            for (sum, inner) in sums.iter_mut().zip(inner) {
                let Some(inner) = inner else { continue };
                let term = self.0.product(selector, &inner)?;
                *sum = Some(match sum.take() {
                    Some(sum) => self.0.sum(&sum, &term),
                    None => term,
                });
            }
        }
        let [first, second, accessed, jumped] = sums.map(|sum| sum.expect("classes of all kinds"));
        self.0.assert_zeroes(first, "what a row's class says")?;
        self.0.assert_zeroes(second, "what else a row's class says")?;
        let own = [(accessed, Column::Accessed, "where a row accesses"), (jumped, Column::Jumped, "a jump")];
        for (value, of, name) in own {
            let difference = self.combine(&[(1, value), (-1, column(of).clone())], 0)?;
            self.0.assert_zeroes(difference, name)?;
        }
        for bit in [Column::S7, Column::S8] {
            let bit = column(bit);
            let other = self.combine(&[(1, bit.clone())], -1)?;
            let zero = self.0.product(bit, &other)?;
            self.0.assert_zeroes(zero, "a bit of a row")?;
        }
        Ok(())
    }

    /// The terms of equations.
    fn terms(
        &mut self,
        columns: &[B::Vector; COLUMNS],
        found: [[B::Vector; 2]; 3],
    ) -> Result<[B::Vector; TERMS]> {
        let mut terms: [Option<B::Vector>; TERMS] = [const { None }; TERMS];
        for column in Column::ALL {
            if let Some(term) = column.term() {
                terms[term as usize] = Some(columns[column as usize].clone());
            }
        }
        for (word, limbs) in [Term::A, Term::B, Term::O].into_iter().zip(found) {
            for (term, limb) in word.limbs().expect("a word").into_iter().zip(limbs) {
                terms[term as usize] = Some(limb);
            }
        }
        for word in Term::ALL {
            if let Some(limbs) = word.limbs() {
                let [low, high] = limbs.map(|limb| terms[limb as usize].clone().expect("set above"));
                terms[word as usize] = Some(self.combine(&[(1, low), (Size::FULL.limb(), high)], 0)?);
            }
        }
        Ok(terms.map(|term| term.expect("set above")))
    }
}
