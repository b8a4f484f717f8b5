//! Over F_2, on a device: see [`crate::waves`].

mod elements;

use super::Verifier;
use crate::waves::{BitSide, Drawn, Fresh, Keys, Mapping, OnDevice};
use crate::{challenge, more_than_counted};
use std::collections::VecDeque;
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_vole::macs::BitMacs;
use zeroize::Zeroizing;

impl BitSide for Keys<BitMacs> {
    const PARTY: Party = Party::Verifier;
}

impl Verifier<'_, BitMacs> {
    /// Walks over all blocks that the map takes whole, as without a device. Waves that are under way go to it, and come
    /// back.
    pub(super) fn turns_on_device(&mut self, mapping: &mut Mapping<'_, Keys<BitMacs>>) -> Result<()> {
        mapping.settle_all(&mut |_| unreachable!("no turn was handed out"));
        let mut device = OnDevice::begin(mapping)?.expect("a device");
        for (number, wave) in mapping.take_waves() {
            device.put(number, wave, Zeroizing::default())?;
        }
        let mut turns = VecDeque::new();
        loop {
            mapping.draw(self.vole.ahead(), |_| {
                if let Some(feed) = &mut self.feed {
                    feed()?;
                }
                let (shares, tile) = self.vole.begin_tile(&mut self.channel)?;
                if shares == 0 {
                    return Err(self.steps.fail(more_than_counted()));
                }
                Ok(Drawn { shares, rows: Fresh::Tile(tile), ends_batch: None })
            })?;
            while let Some(turn) = mapping.next_turn_on_device() {
                for number in turn.waves() {
                    if !device.has(number) {
                        device.put_new(mapping, number, Zeroizing::default())?;
                    }
                }
                device.draw(mapping, &turn)?;
                turns.push_back(turn);
            }
            let Some(turn) = turns.pop_front() else { break };
            device.correct(&self.corrections_of(&turn)?)?;
            let [products, _] = challenge(&mut self.channel);
            mapping.pass();
            self.committed += turn.shares as u64;
            device.fold(products)?;
            self.weighing.pass_over(turn.shares as u64);
            if let Some(asserted) = device.settle(mapping, false)? {
                self.openings.absorb_all(&asserted);
            }
            self.report_without(mapping.inputs());
        }
        while let Some(asserted) = device.settle(mapping, true)? {
            self.openings.absorb_all(&asserted);
        }
        let sums = device.sums()?;
        self.add_products(&*sums);
        for number in device.numbers() {
            let (wave, _) = device.take(mapping, number)?;
            mapping.put_wave(number, wave);
        }
        Ok(())
    }
}
