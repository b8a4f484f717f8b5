//! Maxima of wires.

use super::values::{element, integer};
use crate::network::HELD_BITS;
use core::fmt::Display;
use core::iter;
use volery_channel::error::Result;
use volery_circuit::{Polynomials, Tables};
use volery_primitives::{F61, Field};

/// The most integers of which a maximum is taken at once, that of those before among them: the degree of a polynomial.
const MOST: usize = 16;

/// The largest of each row of columns, as far as there is something in it, of integers of 16 bits.
///
/// It is at least as large as each of them, and a root of the polynomial that has them as its roots.
pub(super) fn maxima<B: Polynomials<F = F61> + Tables>(
    b: &mut B,
    columns: &[Vec<Option<B::Wire>>],
    name: &dyn Display,
) -> Result<Vec<Option<B::Wire>>> {
    let rows = columns.first().map_or(0, Vec::len);
    let mut largest = vec![None; rows];
    for now in columns.chunks(MOST - 1) {
        let of_row = |row: usize| {
            let now = now.iter().map(|column| column[row]);
            iter::once(largest[row]).chain(now).flatten().collect()
        };
        let together: Vec<Vec<_>> = (0..rows).map(of_row).collect();
        largest = of_rows(b, &together, name)?;
    }
    Ok(largest)
}

fn of_rows<B: Polynomials<F = F61> + Tables>(
    b: &mut B,
    rows: &[Vec<B::Wire>],
    name: &dyn Display,
) -> Result<Vec<Option<B::Wire>>> {
    let several: Vec<_> = rows.iter().filter(|row| row.len() > 1).collect();
    let of: Vec<_> = several.iter().flat_map(|row| row.iter().copied()).collect();
    let widths: Vec<_> = several.iter().map(|row| row.len()).collect();
    let mut made = b
        .hints(&of, several.len(), move |values| {
            let mut values = values.iter().map(|value| integer(*value));
            let largest = |width: &usize| values.by_ref().take(*width).fold(i64::MIN, i64::max);
            widths.iter().map(largest).map(element).collect()
        })?
        .into_iter();
    let largest: Vec<_> = made.clone().collect();
    let repeated: Vec<_> =
        several.iter().zip(&largest).flat_map(|(row, largest)| row.iter().map(|_| *largest)).collect();
    let above = b.linear_rows(&[F61::ONE, -F61::ONE], &[&repeated, &of]);
    b.assert_within(&above, HELD_BITS, name)?;
    // Rows with fewer have ones in the place of others.
    let (one, longest) = (b.constant(F61::ONE), several.iter().map(|row| row.len()).max().unwrap_or(0));
    let mut product = None;
    for place in 0..longest {
        let mut first = 0;
        let of_place = several.iter().map(|row| {
            let at = first + place;
            first += row.len();
            if place < row.len() { above[at] } else { one }
        });
        let factor = b.vector(&of_place.collect::<Vec<_>>());
        product = Some(match product {
            Some(product) => b.product(&product, &factor)?,
            None => factor,
        });
    }
    if let Some(product) = product {
        b.assert_zeroes(product, name)?;
    }
    let of_row = |row: &Vec<_>| if row.len() > 1 { made.next() } else { row.first().copied() };
    Ok(rows.iter().map(of_row).collect())
}
