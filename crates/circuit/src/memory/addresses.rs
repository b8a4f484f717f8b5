//! Cells at addresses that are not their numbers.

use super::is_binary;
use crate::Cells;
use volery_channel::error::{Error, Result};
use volery_primitives::Field;

/// The addresses of cells, in their order.
#[derive(Clone, Debug)]
pub struct Addresses {
    addresses: Box<[u64]>,
    runs: Vec<AddressRun>,
}

/// A run of addresses at one distance from each other.
#[derive(Clone, Copy, Debug)]
struct AddressRun {
    address: u64,
    distance: u64,
    /// The number of the run's first cell.
    cell: usize,
}

impl Addresses {
    /// The addresses of `cells`, where these have their own.
    ///
    /// # Errors
    /// `Invalid` where they do not grow, or the field has no such numbers.
    pub fn of<F: Field, W>(cells: &Cells<'_, F, W>) -> Result<Option<Self>> {
        let Cells::At(addresses, _) = cells else { return Ok(None) };
        if is_binary::<F>() {
            return Err(Error::invalid("cells at addresses over a field of characteristic two: number them"));
        }
        if let Some(pair) = addresses.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(Error::invalid(format!(
                "cells at the addresses {} and {}: they grow",
                pair[0], pair[1]
            )));
        }
        let last = (-F::ONE).to_integer().capped();
        if let Some(address) = addresses.last().filter(|address| u128::from(**address) > last) {
            return Err(Error::invalid(format!(
                "a cell at the address {address} over {}, whose last number is {last}",
                F::name()
            )));
        }
        let mut runs: Vec<AddressRun> = Vec::new();
        for (cell, &address) in addresses.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if cell == run.cell + 1 => run.distance = address - run.address,
                Some(run) if (cell - run.cell) as u64 * run.distance == address - run.address => {}
                _ => runs.push(AddressRun { address, distance: 1, cell }),
            }
        }
        Ok(Some(Self { addresses: (*addresses).into(), runs }))
    }

    /// The address of a cell.
    pub fn of_cell(&self, cell: usize) -> u64 {
        self.addresses[cell]
    }

    /// The cell at an address.
    pub fn find(&self, address: u128) -> Option<usize> {
        let address = u64::try_from(address).ok()?;
        let run = self.runs.partition_point(|run| run.address <= address).checked_sub(1)?;
        let AddressRun { address: first, distance, cell } = self.runs[run];
        let found = cell + ((address - first) / distance) as usize;
        (self.addresses.get(found) == Some(&address)).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{F2, F61};

    #[test]
    fn every_address_is_found_and_no_other() {
        let lists: [&[u64]; 6] = [
            &[0],
            &[7, 9],
            &[0, 4, 8, 12, 13, 14, 100],
            &[1, 65, 129, 1 << 20, (1 << 20) + 4, (1 << 20) + 8],
            &[5, 6, 8, 11, 15, 20],
            &[(1 << 61) - 2],
        ];
        for list in lists {
            let words = vec![F61::ZERO; list.len()];
            let cells = Cells::<F61, ()>::At(list, &words);
            let addresses = Addresses::of(&cells).expect("they grow").expect("there are some");
            for address in (0..200).chain((1 << 20)..(1 << 20) + 20).chain(list.iter().copied()) {
                let expected = list.iter().position(|other| *other == address);
                assert_eq!(addresses.find(address.into()), expected, "{address} in {list:?}");
            }
            assert!((0..list.len()).all(|cell| addresses.of_cell(cell) == list[cell]));
            assert_eq!(addresses.find(u128::MAX), None);
        }
    }

    #[test]
    fn addresses_grow_and_are_numbers() {
        let refused = |list: &[u64], why: &str| {
            let cells = Cells::<F61, ()>::At(list, &[]);
            let error = Addresses::of(&cells).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        };
        refused(&[3, 3], "they grow");
        refused(&[4, 3], "they grow");
        refused(&[(1 << 61) - 1], "whose last number is");
        let cells = Cells::<F2, ()>::At(&[1], &[]);
        assert!(Addresses::of(&cells).expect_err("refused").to_string().contains("number them"));
    }
}
