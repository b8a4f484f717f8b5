//! A wave under MACs that commits to its values as it is walked: a prover's where challenges may be coins.

use super::wave::{Check, Source, Walker, Wave};
use super::{Mapping, Tags, Waved};
use volery_circuit::stream::straight::{Hint, Kind, Step};
use volery_primitives::Field;
use zeroize::Zeroizing;

/// A wave, with what its lanes know.
pub(crate) struct Proving<M: Waved<Tag: Sync>> {
    wave: Wave<Tags<M>>,
    known: Known<M>,
}

/// The knowledge of the lanes of a wave.
struct Known<M: Waved> {
    lanes: usize,
    /// The witness, element by element, of all lanes each.
    witness: Zeroizing<Vec<M::F>>,
}

impl<M: Waved<Tag: Sync>> Proving<M> {
    /// A wave at its begin. Its elements of the `witness` are read: `None` where that has ended.
    pub(crate) fn new(
        mapping: &mut Mapping<'_, Tags<M>>,
        number: usize,
        witness: &mut dyn Iterator<Item = M::F>,
    ) -> Option<Self> {
        let lanes = mapping.lanes(number).len();
        let witness = Self::witness_of(mapping.line.witness as usize, lanes, witness)?;
        Some(Self::at(mapping.new_wave(number), witness))
    }

    /// A wave that may be under way, and its witness.
    pub(crate) fn at(wave: Wave<Tags<M>>, witness: Zeroizing<Vec<M::F>>) -> Self {
        Self { known: Known { lanes: wave.lanes(), witness }, wave }
    }

    /// The next `elements` of the witness for so many lanes, each for all of them, if there are enough.
    pub(crate) fn witness_of(
        elements: usize,
        lanes: usize,
        witness: &mut dyn Iterator<Item = M::F>,
    ) -> Option<Zeroizing<Vec<M::F>>> {
        let mut read = Zeroizing::new(vec![M::F::ZERO; lanes * elements]);
        for lane in 0..lanes {
            for element in 0..elements {
                read[element * lanes + lane] = witness.next()?;
            }
        }
        Some(read)
    }

    /// The witness.
    pub(crate) fn witness(&self) -> &[M::F] {
        &self.known.witness
    }

    /// The wave.
    pub(crate) fn wave(&self) -> &Wave<Tags<M>> {
        &self.wave
    }

    /// The wave, once it is done.
    pub(crate) fn into_wave(self) -> Wave<Tags<M>> {
        self.wave
    }

    /// Whether all steps are done.
    pub(crate) fn is_done(&self) -> bool {
        self.wave.is_done()
    }

    /// Walks on, until a step commits to more than there are `shares`. These are corrected, so that each has the
    /// value that is committed to, and the differences are put into `corrections`, one for each. `check` is as for
    /// [`Wave::walk`]. Fig. 4, 4 and 5.
    pub(crate) fn walk(
        &mut self,
        by: &mut Walker<Tags<M>>,
        (shares, corrections): (&mut [M::Tag], &mut [M::F]),
        check: &mut dyn Check<Tags<M>>,
        #[cfg(test)] lies: &[usize],
    ) {
        let corrected = Corrected {
            corrections,
            at: 0,
            #[cfg(test)]
            lies,
        };
        let mut knowing = Knowing { known: &mut self.known, corrected };
        self.wave.walk(by, shares, &mut knowing, check);
    }
}

/// The source of commitments of lanes that know their values.
struct Knowing<'w, M: Waved> {
    known: &'w mut Known<M>,
    corrected: Corrected<'w, M>,
}

/// The shares that have the values of commitments by now.
struct Corrected<'w, M: Waved> {
    corrections: &'w mut [M::F],
    /// How many there are.
    at: usize,
    /// The shares that a cheating prover commits to another value by.
    #[cfg(test)]
    lies: &'w [usize],
}

impl<M: Waved> Corrected<'_, M> {
    /// Makes shares those of these values, one for each.
    #[inline(always)]
    fn push(&mut self, shares: &mut [M::Tag], value: impl Fn(usize) -> M::F) {
        let corrections = &mut self.corrections[self.at..][..shares.len()];
        for (i, (share, correction)) in shares.iter_mut().zip(corrections).enumerate() {
            let value = value(i);
            #[cfg(test)]
            let value = if self.lies.contains(&(self.at + i)) { value + M::F::ONE } else { value };
            *correction = value - M::value(*share);
            *share = M::corrected(*share, value);
        }
        self.at += shares.len();
    }
}

impl<M: Waved<Tag: Sync>> Source<Tags<M>> for Knowing<'_, M> {
    fn hint(&mut self, hint: &Hint<M::F>, wires: &mut [M::Tag], lanes: usize) {
        let mut of = Zeroizing::new(vec![M::F::ZERO; hint.of.len()]);
        // A result may stand on the slot of an argument, whose other lanes are still to be read.
        let mut all = Zeroizing::new(Vec::with_capacity(lanes * hint.results.len()));
        for lane in 0..lanes {
            for (value, slot) in of.iter_mut().zip(&hint.of) {
                *value = M::value(wires[*slot as usize * lanes + lane]);
            }
            let results = Zeroizing::new((hint.function)(&of));
            assert_eq!(results.len(), hint.results.len());
            all.extend_from_slice(&results);
        }
        for (i, value) in all.iter().enumerate() {
            let (lane, slot) = (i / hint.results.len(), hint.results[i % hint.results.len()]);
            wires[slot as usize * lanes + lane] = M::constant(*value);
        }
    }

    fn commit(&mut self, step: &Step, lane: usize, [a, b, out]: [&[M::Tag]; 3], shares: &mut [M::Tag]) {
        match step.kind {
            Kind::Mul => self.corrected.push(shares, |i| M::value(a[i]) * M::value(b[i])),
            Kind::Witness => {
                let from = step.a as usize * self.known.lanes + lane;
                let witness = &self.known.witness[from..];
                self.corrected.push(shares, |i| witness[i]);
            }
            _ => self.corrected.push(shares, |i| M::value(out[i])),
        }
    }
}
