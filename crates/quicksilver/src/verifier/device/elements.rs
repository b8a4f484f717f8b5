//! Over 2^61 − 1, on a device: see [`crate::waves`].

use super::super::{Commitments, Verifier};
use crate::waves::{Drawn, ElementsOnDevice, Fresh, Keys, Mapping, Taken};
use crate::{ASSERTED, more_than_counted};
use std::collections::VecDeque;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_primitives::{Field, MacField};
use volery_proof::openings::Openings;
use volery_vole::macs::FieldMacs;
use zeroize::Zeroizing;

impl<B: Field, E: MacField<B>> Verifier<'_, FieldMacs<B, E>> {
    /// Walks over all blocks that the map takes whole, as without a device. Waves that are under way go to it, and come
    /// back.
    pub(in crate::verifier) fn elements_on_device(
        &mut self,
        mapping: &mut Mapping<'_, Keys<FieldMacs<B, E>>>,
    ) -> Result<()> {
        mapping.settle_all(&mut |_| unreachable!("no turn was handed out"));
        let mut device = ElementsOnDevice::begin(mapping)?;
        for (number, wave) in mapping.take_waves() {
            device.put(number, &wave, Zeroizing::default())?;
        }
        let mut turns = VecDeque::new();
        loop {
            mapping.draw(self.vole.ahead(), |_| {
                let (shares, tile) = self.vole.begin_tile(&mut self.channel)?;
                if shares == 0 {
                    return Err(self.steps.fail(more_than_counted()));
                }
                Ok(Drawn { shares, rows: Fresh::Tile(tile), ends_batch: self.count_block() })
            })?;
            while let Some(turn) = mapping.next_turn_on_device() {
                for number in turn.waves() {
                    if !device.has(number) {
                        device.put_new(mapping, number, Zeroizing::default())?;
                    }
                }
                device.draw(mapping, &turn)?;
                turns.push_back((turn.shares, turn.ends_batch));
            }
            let Some((shares, ends_batch)) = turns.pop_front() else { break };
            let mut corrections = vec![0; B::bytes_of(shares as u64) as usize];
            self.channel.recv(&mut corrections)?;
            if !are_canonical::<B>(&corrections) {
                return Err(Error::Misbehaved(Misbehaviour::NonCanonicalElement));
            }
            let (seed, first) = self.coefficients_of_turn(shares);
            mapping.pass();
            self.committed += shares as u64;
            let mut asserted = Openings::new(ASSERTED);
            let walked = device.correct(mapping, &corrections, &mut asserted)?;
            device.weigh(seed, first)?;
            walked.vanishing.into_iter().for_each(|polynomials| FieldMacs::<B, E>::add(self, polynomials));
            self.weighing.pass_over(shares as u64);
            self.openings.absorb_all(&asserted);
            self.report_without(mapping.inputs());
            // What follows the last turn belongs to its batch.
            if ends_batch && !mapping.is_walked() {
                self.close_batch()?;
            }
        }
        self.add_products(&device.sums()?);
        for Taken { number, wave, .. } in device.take_all(mapping)? {
            mapping.put_wave(number, wave);
        }
        Ok(())
    }
}

/// Whether all these encodings of elements, of eight bytes each, are canonical.
fn are_canonical<B: Field>(bytes: &[u8]) -> bool {
    let most = (-B::ONE).to_integer().saturated();
    bytes.as_chunks().0.iter().all(|bytes| u64::from_le_bytes(*bytes) <= most)
}
