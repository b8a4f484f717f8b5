//! Digest of what is stated of a run row by row.
//!
//! It is made of what both parties push, and not of what they made that from: where two versions of this crate
//! make other rows of a program, or ask something else of them by the equations of their classes, their digests
//! differ. How rows are joined to one another and to memory is code, and has a number.

use super::Steps;
use super::block::{limb_rows, rom_rows};
use super::class::{Class, Size};
use super::form::Linear;

const CONTEXT: &str = "volery 2026 rows of a RISC-V program";

impl Steps {
    /// The digest of the rows that the program may have, of what classes ask of a row, of memory at first, of
    /// where the run begins, and of how many rows are proved.
    pub fn digest(&self) -> [u8; 32] {
        let mut lists = Lists(blake3::Hasher::new_derive_key(CONTEXT));
        lists.list([[self.entry.into(), self.tiling.rows, self.tiling.tile as u64]]);
        lists.list(rom_rows(&self.rom));
        lists.list(limb_rows());
        lists.list(self.image.cells(&self.rom).into_iter().map(|(address, word)| [address, word.into()]));
        for class in Class::ALL {
            let is = [class.is_logic(), class.loads(), class.stores()].map(u64::from);
            lists.list([class.digits()]);
            lists.list([is]);
            lists.list(class.accessed(Size::FULL).iter().flat_map(numbers));
            for form in class.equations(Size::FULL) {
                lists.list(form.iter().flat_map(|form| numbers(&form.linear)));
                lists.list(form.iter().flat_map(|form| &form.products).flat_map(|(factor, a, b)| {
                    [[*factor as u64]].into_iter().chain(numbers(a)).chain(numbers(b))
                }));
            }
        }
        *lists.0.finalize().as_bytes()
    }
}

/// A linear form as numbers.
fn numbers(linear: &Linear) -> impl Iterator<Item = [u64; 1]> {
    linear.factors.into_iter().chain([linear.constant]).map(|number| [number as u64])
}

/// Hashes lists of rows of numbers, each with its length behind it.
struct Lists(blake3::Hasher);

impl Lists {
    fn list<const N: usize>(&mut self, rows: impl IntoIterator<Item = [u64; N]>) {
        let mut count = 0u64;
        for row in rows {
            self.0.update(row.map(u64::to_le_bytes).as_flattened());
            count += 1;
        }
        self.0.update(&count.to_le_bytes());
    }
}
