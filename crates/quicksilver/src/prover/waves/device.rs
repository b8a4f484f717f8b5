//! Over F_2, on a device: see [`crate::waves`].

use super::bits::Walks;
use super::draw_turns;
use crate::challenge;
use crate::prover::Prover;
use crate::waves::{Asked, BitSide, Clear, OnDevice, Tags};
use std::collections::VecDeque;
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::witness_ended;
use volery_vole::macs::BitMacs;
use zeroize::Zeroizing;

impl BitSide for Tags<BitMacs> {
    const PARTY: Party = Party::Prover;
}

impl Prover<'_, BitMacs> {
    /// Walks over all blocks that the map takes whole, as [`turns`](Prover::turns) does. Waves that are under way go to
    /// the device, and come back.
    pub(super) fn turns_on_device(&mut self, walks: &mut Walks<'_>) -> Result<()> {
        walks.mapping.settle_all(&mut |_| unreachable!("no turn was handed out"));
        let mut device = OnDevice::begin(&walks.mapping)?.expect("a device");
        for (number, wave) in walks.mapping.take_waves() {
            let witness = match walks.places.take(number) {
                Asked::Here(clear) => clear.into_witness(),
                _ => unreachable!("a wave that is under way"),
            };
            walks.places.put(number, None);
            device.put(number, wave, witness)?;
        }
        let mut sizes = VecDeque::new();
        loop {
            draw_turns(self, &mut walks.mapping)?;
            while let Some(turn) = walks.mapping.next_turn_on_device() {
                for number in turn.waves() {
                    if !device.has(number) {
                        let witness = self.witness_of(walks, number)?;
                        device.put_new(&walks.mapping, number, witness)?;
                    }
                }
                device.draw(&walks.mapping, &turn)?;
                sizes.push_back(turn.shares);
            }
            let Some(shares) = sizes.pop_front() else { break };
            self.channel.send_message(&device.corrections()?.into())?;
            walks.mapping.pass();
            let [products, _] = challenge(&mut self.channel);
            if let Some(drain) = &mut self.drain {
                drain()?;
            }
            self.committed += shares as u64;
            device.fold(products)?;
            self.kept.weighing.pass_over(shares as u64);
            if let Some(asserted) = device.settle(&mut walks.mapping, false)? {
                self.openings.absorb_all(&asserted);
            }
            self.report_without(walks.mapping.inputs());
        }
        while let Some(asserted) = device.settle(&mut walks.mapping, true)? {
            self.openings.absorb_all(&asserted);
        }
        let sums = device.sums()?;
        self.sums.add(&*sums);
        for number in device.numbers() {
            let (wave, witness) = device.take(&walks.mapping, number)?;
            let (line, lanes) = (walks.mapping.line.clone(), walks.mapping.lanes(number).len());
            let clear = Clear::at(&line, lanes, wave.columns(), witness, wave.taken());
            walks.places.put(number, Some(clear));
            walks.mapping.put_wave(number, wave);
        }
        Ok(())
    }

    /// The witness of a wave that begins.
    fn witness_of(&mut self, walks: &Walks<'_>, number: usize) -> Result<Zeroizing<Vec<u64>>> {
        let lanes = walks.mapping.lanes(number).len();
        let read = Clear::witness_of(&walks.mapping.line, lanes, &mut self.witness);
        read.ok_or_else(|| self.steps.fail(witness_ended()))
    }
}
