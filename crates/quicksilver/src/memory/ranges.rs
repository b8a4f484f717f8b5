//! Numbers in ranges, over odd p: limbs are looked up, each among all numbers of its bits.
//!
//! A number x of b bits has limbs l_j of w_j bits, the lowest first, with Σ w_j = b. The prover commits to all but
//! the lowest, which is what remains of x without Σ l_j·2^(w_0 + … + w_{j−1}). Where each has a row in the
//! table of its bits, x is congruent to a number below 2^b, and that is no more than p.

#[cfg(test)]
mod tests;

use super::table::{Lookups, end_together};
use super::{MAC, Party, said};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::accounting::{Cuts, Parameters, TOGETHER};
use volery_primitives::{Extension, Field, U256};
use zeroize::{Zeroize, Zeroizing};

/// The numbers in ranges of a proof: the tables of their limbs, whose epochs end together.
pub(crate) struct Ranges<F: Field, W: Zeroize, E: Field> {
    cuts: Cuts,
    tables: Vec<Lookups<F, E>>,
    run: Run<F, W, E>,
}

impl<F: Field, W: Copy + Default + Zeroize, E: Extension<F>> Ranges<F, W, E> {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        Self { cuts: Cuts::new::<F>(parameters), tables: Vec::new(), run: Run::new() }
    }

    /// Demands that each of `numbers` has at most `bits` bits.
    pub(crate) fn within<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        numbers: &[W],
        bits: u32,
        name: &dyn Display,
    ) -> Result<()> {
        if numbers.is_empty() {
            return Ok(());
        }
        let limbs = self.cuts.add(bits, numbers.len() as u64);
        for numbers in numbers.chunks(TOGETHER) {
            // After a failure it fails again.
            if self.cuts.is_full() {
                self.end(party)?;
            }
            let are_within = self.run.begin::<P>(numbers, bits);
            party.asserted(numbers.len() as u64, are_within, name);
            let mut place = bits;
            for (j, bits) in limbs.iter().enumerate().rev() {
                place -= bits;
                self.run.find::<P>(place, *bits);
                let table = self.tables.iter().position(|table| table.bits() == *bits);
                let table = table.unwrap_or_else(|| {
                    self.tables.push(Lookups::limbs::<P>(*bits));
                    self.tables.len() - 1
                });
                if j > 0 {
                    self.run.commit(party, place, &mut self.tables[table])?;
                } else {
                    self.run.look_up_rest::<P>(&mut self.tables[table]);
                }
            }
            if self.cuts.look_up((numbers.len() * limbs.len()) as u64) {
                self.end(party)?;
            }
        }
        Ok(())
    }

    /// Ends the epoch of limbs: demands that each is a number of its bits.
    fn end<P: Party<F = F, Wire = W, E = E>>(&mut self, party: &mut P) -> Result<()> {
        end_together(party, &mut self.tables)?;
        self.cuts.end();
        Ok(())
    }

    /// The tables of limbs, which end with the proof.
    pub(crate) fn tables(&mut self) -> impl Iterator<Item = &mut Lookups<F, E>> {
        self.tables.iter_mut()
    }
}

/// Numbers whose limbs are committed to and looked up together, in memory that is used again.
struct Run<F: Field, W: Zeroize, E: Field> {
    count: usize,
    /// Values of what remains of each number without its limbs so far, where they are known, and MACs or
    /// keys.
    values: Zeroizing<Vec<F>>,
    macs: Zeroizing<Vec<E>>,
    /// One limb of each number, where these are known, as it is and as an element, and commitments to them.
    limbs: Zeroizing<Vec<u32>>,
    elements: Zeroizing<Vec<F>>,
    wires: Zeroizing<Vec<W>>,
}

impl<F: Field, W: Copy + Default + Zeroize, E: Extension<F>> Run<F, W, E> {
    fn new() -> Self {
        let [values, elements] = [0; 2].map(|_| Zeroizing::new(vec![F::ZERO; TOGETHER]));
        let macs = Zeroizing::new(vec![E::ZERO; TOGETHER]);
        let limbs = Zeroizing::new(vec![0; TOGETHER]);
        Self { count: 0, values, macs, limbs, elements, wires: Zeroizing::new(vec![W::default(); TOGETHER]) }
    }

    /// Takes `numbers`, and says whether each has at most `bits` bits, as far as this party knows.
    fn begin<P: Party<F = F, Wire = W, E = E>>(&mut self, numbers: &[W], bits: u32) -> bool {
        self.count = numbers.len();
        for (mac, wire) in self.macs.iter_mut().zip(numbers) {
            *mac = P::part(P::widened(*wire), MAC);
        }
        let mut above = U256::ZERO;
        for (value, wire) in self.values.iter_mut().zip(numbers) {
            if let Some(known) = P::value(*wire) {
                *value = known;
                above |= known.to_integer() >> bits;
            }
        }
        above == U256::ZERO
    }

    /// The number of limbs that are known.
    fn known<P: Party>(&self) -> usize {
        if P::KNOWS { self.count } else { 0 }
    }

    /// Finds the highest limb of what remains, of so many bits from `place` on. That of a number beyond its range
    /// is none of the table.
    fn find<P: Party>(&mut self, place: u32, bits: u32) {
        let known = self.known::<P>();
        for (limb, value) in self.limbs[..known].iter_mut().zip(&*self.values) {
            *limb = (value.to_integer() >> place).capped().min(1 << bits) as u32;
        }
    }

    /// Commits to the limbs that were found, takes them off from `place` on, and looks them up.
    fn commit<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        place: u32,
        table: &mut Lookups<F, E>,
    ) -> Result<()> {
        let (known, wires) = (self.known::<P>(), &mut self.wires[..self.count]);
        for (element, limb) in self.elements[..known].iter_mut().zip(&*self.limbs) {
            *element = said(u64::from(*limb));
        }
        party.commit_values(&self.elements[..known], wires)?;
        let factor = F::place(place);
        for (mac, wire) in self.macs.iter_mut().zip(&*wires) {
            *mac -= P::part(P::widened(*wire), MAC).scale(factor);
        }
        for (value, wire) in self.values[..known].iter_mut().zip(&*wires) {
            *value -= P::value(*wire).expect("known") * factor;
        }
        let part = |i: usize, part| P::part(P::widened(wires[i]), part);
        table.look_up_limbs::<P>(wires.len(), &mut self.limbs[..known], part);
        Ok(())
    }

    /// Looks up what remains, which is the lowest limb.
    fn look_up_rest<P: Party<F = F, Wire = W, E = E>>(&mut self, table: &mut Lookups<F, E>) {
        let (known, values, macs) = (self.known::<P>(), &self.values, &self.macs);
        let part = |i: usize, part| if part == MAC { macs[i] } else { values[i].into() };
        table.look_up_limbs::<P>(self.count, &mut self.limbs[..known], part);
    }
}
