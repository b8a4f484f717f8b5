//! The polynomials that parties evaluate, of all classes at once, against rows in the clear.

use super::*;
use crate::step::block::number;
use crate::step::lanes::Lanes;
use crate::step::rom::{Step, To, register};
use crate::step::row::Finds;
use crate::step::trace::tests::Numbers;
use core::iter;
use volery::circuit::Clear;
use volery::{Error, F61};
use zeroize::Zeroizing;

/// The contents of three registers, and of one word wherever a load or a store goes.
struct Given([u32; 4]);

/// A page of which words are only read.
const READ_ONLY_PAGE: u64 = 0x1000;

impl Finds for Given {
    fn word(&self, address: u64) -> Option<u32> {
        let number = (1..=3).find(|number| register(*number) == address).unwrap_or(4);
        Some(self.0[number as usize - 1])
    }

    fn is_read_only(&self, address: u64) -> bool {
        address & READ_ONLY_PAGE != 0
    }
}

/// Words and an immediate with which rows of a class may go on.
fn entering(class: Class, numbers: &mut Numbers) -> ([u32; 4], u32) {
    let [mut a, mut b, mut o, at, mut i] = [(); 5].map(|()| numbers.word());
    match class {
        Class::Add | Class::Lw | Class::Lhalf | Class::Lio | Class::Sw | Class::Shalf | Class::Jalr => {}
        Class::Ltu | Class::Lt => i %= 2,
        Class::Select => i = a,
        Class::Eq => (b, i) = (a, 0),
        Class::Div => (o, i) = (a.checked_div(b).unwrap_or(0), 0),
        Class::Byte | Class::Putb => (a, b, i) = (a % (1 << 17), b % (1 << 8), 0),
        _ => i = 0,
    }
    // Most sums of two words are no multiples of four.
    if numbers.below(2) == 0 && !matches!(class, Class::Byte | Class::Putb | Class::Ltu | Class::Lt) {
        a = match class {
            Class::Select | Class::Eq | Class::Div => a,
            _ => a.wrapping_sub(a.wrapping_add(i) & 3),
        };
    }
    ([a, b, o, at], i)
}

/// Rows of a class, with the program of each.
fn honest(class: Class, count: usize, numbers: &mut Numbers) -> Vec<(Rom, Row)> {
    let place = 0x10000;
    let rows = iter::from_fn(|| Some(entering(class, numbers))).take(100 * count).filter_map(|(words, i)| {
        let mut rom = Rom::default();
        let to = if class == Class::Jalr { To::Itself } else { To::Place(place + 4) };
        rom.put(place, &[Step::with(class, 3, [1, 2], i)], to);
        let row = Row::fill(place, &rom.at(place)[0], &Given(words), || words[3])?;
        Some((rom, row))
    });
    rows.take(count).collect()
}

/// Whether the polynomials take a row for one.
fn polynomials(columns: &[u64; COLUMNS], found: &[u64; 6]) -> bool {
    let mut clear = Clear::new(iter::empty::<F61>());
    let lane = |value: u64| Zeroizing::new(vec![number(value)]);
    match Lanes(&mut clear).assert(0, &columns.map(lane), &found.map(lane)) {
        Ok(()) => true,
        Err(Error::Unsatisfied(_)) => false,
        Err(why) => panic!("{why}"),
    }
}

/// Asserts that both say the same of columns and limbs whose digits are those of a class: what they say.
fn agree(columns: &[u64; COLUMNS], found: &[u64; 6]) -> bool {
    let class = Row { place: 0, columns: *columns, found: [0; 3] }.class().expect("a class");
    let (wrong, holds) = (unsaid(class, columns, found), polynomials(columns, found));
    assert_eq!(holds, wrong.is_none(), "{class:?}, {wrong:?}: {columns:?} that finds {found:?}");
    holds
}

/// Rows as they should be, with each number by one more or less, and with the digits of each other class.
#[test]
fn polynomials_say_what_classes_do() {
    let mut numbers = Numbers(17);
    for class in Class::ALL {
        let rows = honest(class, 3, &mut numbers);
        assert_eq!(rows.len(), 3, "rows of {class:?}");
        let (mut held, mut failed) = (0, 0);
        for (rom, row) in rows {
            assert_eq!(row.fault(&rom), None, "{row:?}");
            let (columns, found) = (row.columns, row.found_limbs());
            assert!(agree(&columns, &found));
            let mut count = |holds: bool| if holds { held += 1 } else { failed += 1 };
            for (i, value) in columns.into_iter().chain(found).enumerate() {
                if [Column::Group as usize, Column::Member as usize].contains(&i) {
                    continue;
                }
                for other in [(value + 1) % P, (value + P - 1) % P] {
                    let (mut columns, mut found) = (columns, found);
                    *columns.iter_mut().chain(&mut found).nth(i).expect("one of them") = other;
                    count(agree(&columns, &found));
                }
            }
            for other in Class::ALL {
                let mut columns = columns;
                let [group, member] = other.digits();
                (columns[Column::Group as usize], columns[Column::Member as usize]) = (group, member);
                count(agree(&columns, &found));
            }
        }
        // What no equation speaks of is open, and the rest is not.
        assert!(held > 25 && failed > 25, "{class:?}: {held} hold, {failed} fail");
    }
}
