//! Numbers in the place of wires, and rows that are looked at one by one: what tests compute with.

use super::class::{Class, Size, base};
use super::form::{Algebra, TERMS, Term};
use super::rom::{BESIDE, KEY, Rom};
use super::row::{COLUMNS, Column, P, Row, triple};
use volery::Result;

/// Numbers modulo an odd prime below 2^61: what tests compute with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Modulo(pub(super) u64);

impl Modulo {
    /// `number` modulo the prime.
    pub(super) fn of(self, number: i64) -> u64 {
        i128::from(number).rem_euclid(i128::from(self.0)) as u64
    }
}

impl Algebra for Modulo {
    type Value = u64;

    fn combine(&mut self, products: &[[u64; 2]], terms: &[(i64, u64)], constant: i64) -> Result<u64> {
        let product = |[a, b]: &[u64; 2]| (u128::from(*a) * u128::from(*b) % u128::from(self.0)) as u64;
        let terms: Vec<_> = products.iter().map(|of| (1, product(of))).chain(terms.iter().copied()).collect();
        Ok(self.sum(&terms, constant))
    }
}

impl Modulo {
    /// `Σ factor·value + constant`.
    pub(super) fn sum(self, terms: &[(i64, u64)], constant: i64) -> u64 {
        let p = u128::from(self.0);
        let term = |(factor, value): &(i64, u64)| u128::from(self.of(*factor)) * u128::from(*value) % p;
        ((terms.iter().map(term).sum::<u128>() + u128::from(self.of(constant))) % p) as u64
    }
}

const L: u64 = 1 << 16;

/// The terms of equations, of columns and both limbs of what each access finds.
fn terms(columns: &[u64; COLUMNS], found: &[u64; 6]) -> [u64; TERMS] {
    let mut terms = [0; TERMS];
    for column in Column::ALL {
        if let Some(term) = column.term() {
            terms[term as usize] = columns[column as usize];
        }
    }
    for (word, limbs) in [Term::A, Term::B, Term::O].into_iter().zip(found.chunks_exact(2)) {
        let [low, high] = word.limbs().expect("a word");
        (terms[low as usize], terms[high as usize]) = (limbs[0], limbs[1]);
    }
    for word in Term::ALL {
        if let Some([low, high]) = word.limbs() {
            terms[word as usize] =
                Modulo(P).sum(&[(1, terms[low as usize]), (L as i64, terms[high as usize])], 0);
        }
    }
    terms
}

/// The first fault of columns and limbs by the constraints of their class, which is what polynomials test:
/// they may be any numbers.
pub(super) fn unsaid(class: Class, columns: &[u64; COLUMNS], found: &[u64; 6]) -> Option<&'static str> {
    let (mut z, terms) = (Modulo(P), terms(columns, found));
    let at = |column: Column| columns[column as usize];
    for form in class.equations(Size::FULL).into_iter().flatten() {
        if z.form(&form, &terms).expect("numbers") != 0 {
            return Some("equation");
        }
    }
    if [Column::S7, Column::S8].into_iter().any(|bit| at(bit) > 1) {
        return Some("bit");
    }
    let accessed =
        class.accessed(Size::FULL).map_or(0, |address| z.linear(&address, &terms).expect("numbers"));
    let accessed = if class.stores() { z.sum(&[(BESIDE as i64, accessed)], 0) } else { accessed };
    if at(Column::Accessed) != accessed {
        return Some("access");
    }
    let jumped = if class == Class::Jalr { z.linear(&base(Size::FULL), &terms).expect("numbers") } else { 0 };
    (at(Column::Jumped) != jumped).then_some("jump")
}

impl Row {
    /// The limbs of the words that accesses find, two each.
    pub(super) fn found_limbs(&self) -> [u64; 6] {
        let [a, b, o] = self.found.map(|word| [u64::from(word) % L, u64::from(word) / L]);
        [a[0], a[1], b[0], b[1], o[0], o[1]]
    }

    /// The class of the row, if its digits are those of one.
    pub(super) fn class(&self) -> Option<Class> {
        let digits = [self.column(Column::Group), self.column(Column::Member)];
        Class::ALL.into_iter().find(|class| class.digits() == digits)
    }

    /// The key that it looks up in the program.
    pub(super) fn key(&self) -> [u64; KEY] {
        let z = Modulo(P);
        let at = |column: Column| self.column(column);
        let others =
            [(1, at(Column::Second)), (BESIDE as i64, at(Column::Third)), (-1, at(Column::Accessed))];
        let next = [(1, at(Column::Next)), (-1, at(Column::Jumped))];
        [
            self.place,
            at(Column::Group),
            at(Column::Member),
            at(Column::Logic),
            at(Column::First),
            z.sum(&others, 0),
            at(Column::Immediate),
            z.sum(&next, 0),
        ]
    }

    /// The limbs that it looks up, each with whether it is bytes with an operation.
    pub(super) fn limbs(&self) -> [[u64; 2]; 6] {
        let at = |column: Column| self.column(column);
        let logic = at(Column::Logic);
        [
            [0, at(Column::C0)],
            [0, at(Column::C1)],
            [logic, at(Column::S3)],
            [logic, at(Column::S4)],
            [logic, at(Column::S5)],
            [logic, at(Column::S6)],
        ]
    }

    /// The first fault of the row, but for its accesses: `rom` has the rows of the program.
    pub(super) fn fault(&self, rom: &Rom) -> Option<&'static str> {
        let Some(class) = self.class() else {
            return Some("class");
        };
        if !rom.at(self.place).iter().any(|row| row.key(self.place) == self.key()) {
            return Some("program");
        }
        if let Some(wrong) = unsaid(class, &self.columns, &self.found_limbs()) {
            return Some(wrong);
        }
        self.limbs().into_iter().any(|[logic, limb]| !is_limb(logic, limb)).then_some("limb")
    }
}

/// Whether the table of limbs has this row.
fn is_limb(logic: u64, limb: u64) -> bool {
    let apart = Size::FULL.apart() as u64;
    match logic {
        0 => limb < L,
        1 => {
            let (x, y) = (limb % apart, limb / apart % apart);
            x < 256 && y < 256 && limb == triple(x, y)
        }
        _ => false,
    }
}

mod tests;
