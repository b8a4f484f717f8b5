//! Over any field, over F_2 with short MACs: a wave is walked once, and its products wait for the challenge as
//! others do.

use super::draw_turns;
use crate::ASSERTED;
use crate::polynomial::Lower;
use crate::prover::products::{Columns, Products};
use crate::prover::{Commitments, Prover};
use crate::waves::{
    Apart, Asked, Check, ElementsOnDevice, Mapping, Piece, Places, Proving, Rows, Tags, Taken, Turn,
    WalkedOver, Walker,
};
use std::collections::VecDeque;
use volery_channel::channel::Message;
use volery_channel::error::Result;
use volery_channel::pool::{Task, Tasks};
use volery_circuit::stream::Map;
use volery_circuit::witness_ended;
use volery_primitives::arch::Arch;
use volery_primitives::{Field, MacField, Tag as _};
use volery_proof::openings::Openings;
use volery_vole::macs::FieldMacs;
use volery_vole::vole::subfield::words;
use zeroize::Zeroizing;

/// A map, with its waves.
struct Walks<'m, B: Field, E: MacField<B>> {
    mapping: Mapping<'m, Tags<FieldMacs<B, E>>>,
    places: Places<Proving<FieldMacs<B, E>>>,
    tasks: Tasks<Walked<B, E>>,
    /// The shares whose walk was handed out.
    #[cfg(test)]
    handed_out: u64,
}

/// Waves, with their numbers.
type Waves<B, E> = Vec<(usize, Proving<FieldMacs<B, E>>)>;

/// The rows of a block.
type TagRows<B, E> = Rows<<E as MacField<B>>::Tag>;

/// A turn whose blocks tasks expand, and its waves.
type Next<B, E> = (Turn<Task<TagRows<B, E>>>, Waves<B, E>);

/// The result of a walk over a turn: the waves, further on; the corrections; what its products add to the check, and
/// polynomials; the wires that were asserted; and memory that is free again.
struct Walked<B: Field, E: MacField<B>> {
    waves: Waves<B, E>,
    shares: usize,
    /// A correction for each share, as they are sent.
    corrections: Message,
    products: Products<E>,
    vanishing: Vec<Lower<E>>,
    asserted: Box<Openings>,
    rows: Vec<TagRows<B, E>>,
    walker: Walker<Tags<FieldMacs<B, E>>>,
    ends_batch: bool,
}

impl<B: Field, E: MacField<B>> Prover<'_, FieldMacs<B, E>> {
    /// Executes a function on many lanes at a time, if it can be.
    pub(in crate::prover) fn map_elements(
        &mut self,
        map: Map<'_, B, E::Tag>,
    ) -> Result<Option<TagRows<B, E>>> {
        // A half hands the channel on by sections.
        let begun = match self.lengths {
            Some(_) => None,
            None => Mapping::begin(&mut self.kept.maps, map, Tags::default()),
        };
        let Some(mapping) = begun else { return Ok(None) };
        // Products that are asserted belong to the batch that is open.
        self.take_asserted()?;
        let mut walks = Walks {
            mapping,
            places: Places::default(),
            tasks: Tasks::default(),
            #[cfg(test)]
            handed_out: 0,
        };
        while walks.mapping.left() > 0 {
            if self.done + self.slots.next() == self.block.len() {
                self.steps.begin()?;
                self.turns(&mut walks)?;
                self.steps.end();
            } else {
                self.rest_of_section(&mut walks)?;
            }
        }
        let Walks { mapping, .. } = walks;
        self.note_failure(|| mapping.failure());
        mapping.count(&mut self.gates);
        Ok(Some(mapping.end(&mut self.kept.maps)))
    }

    /// Walks over all blocks that the map takes whole, turn by turn, and sends a turn's corrections. Then the
    /// block in which the map ends is the one at hand. Fig. 4, 4 and 5.
    fn turns(&mut self, walks: &mut Walks<'_, B, E>) -> Result<()> {
        self.end_section()?;
        if E::BY_DEVICES && walks.mapping.is_on_device() {
            self.turns_on_device(walks)?;
        }
        while !walks.mapping.is_on_device() {
            draw_turns(self, &mut walks.mapping)?;
            while let Some((turn, waves)) = self.next_turn(walks)? {
                let products = self.kept.weighing.spare().unwrap_or_default();
                let (arch, walker) = (self.arch, walks.mapping.walker(self.arch));
                #[cfg(test)]
                let lies = self.lies_within(&mut walks.handed_out, turn.shares);
                walks.tasks.push(self.pool.run(move || {
                    Walked::over(
                        (arch, walker),
                        (turn, waves),
                        products,
                        #[cfg(test)]
                        &lies,
                    )
                }));
            }
            let Some(walked) = walks.tasks.next() else { break };
            let shares = walked.shares;
            walked.waves.into_iter().for_each(|(number, wave)| walks.put(number, wave));
            walks.mapping.take_back(shares, walked.rows, walked.walker);
            self.openings.absorb_all(&walked.asserted);
            self.send_turn(&mut walks.mapping, &walked.corrections, shares)?;
            self.kept.batch().append(walked.products);
            self.vanish_in_map(walked.vanishing);
            self.end_of_turn(&walks.mapping, walked.ends_batch)?;
        }
        if let Some(rows) = walks.mapping.last_block(|| self.vole.rows_of_tile()) {
            *self.block.rows_mut() = rows;
            self.done = 0;
            self.kept.sections.begin_block();
        } else {
            self.done = self.block.len();
            self.kept.sections.stay_at_end(self.done);
            (self.open, self.kept.sent) = (true, true);
        }
        Ok(())
    }

    /// Sends the corrections of a turn.
    fn send_turn(
        &mut self,
        mapping: &mut Mapping<'_, Tags<FieldMacs<B, E>>>,
        corrections: &Message,
        shares: usize,
    ) -> Result<()> {
        self.channel.send_message(corrections)?;
        mapping.pass();
        mapping.hand_over(&mut self.channel)?;
        self.kept.sections.pass_over(shares);
        self.committed += shares as u64;
        Ok(())
    }

    /// Ends the batch with a turn that was sent, if it does. What follows the last turn belongs to its batch.
    fn end_of_turn(&mut self, mapping: &Mapping<'_, Tags<FieldMacs<B, E>>>, ends_batch: bool) -> Result<()> {
        self.report_without(mapping.inputs());
        if ends_batch && !mapping.is_walked() { self.close_batch() } else { Ok(()) }
    }

    /// Walks over all blocks that the map takes whole, as [`turns`](Prover::turns) does, on its device. Waves that are under
    /// way go there, and come back.
    fn turns_on_device(&mut self, walks: &mut Walks<'_, B, E>) -> Result<()> {
        let mut device = ElementsOnDevice::begin(&walks.mapping)?;
        for (number, wave) in walks.places.take_all() {
            device.put(number, wave.wave(), words::of_elements(wave.witness()))?;
        }
        self.kept.device = Some(device);
        let mut turns = VecDeque::new();
        loop {
            draw_turns(self, &mut walks.mapping)?;
            while let Some(turn) = walks.mapping.next_turn_on_device() {
                for number in turn.waves() {
                    if !self.kept.device.as_ref().is_some_and(|device| device.has(number)) {
                        let lanes = walks.mapping.lanes(number).len();
                        let elements = walks.mapping.line.witness as usize;
                        let witness =
                            Proving::<FieldMacs<B, E>>::witness_of(elements, lanes, &mut self.witness);
                        let witness = witness.ok_or_else(|| self.steps.fail(witness_ended()))?;
                        let witness = words::of_elements(&witness);
                        self.device().put_new(&walks.mapping, number, witness)?;
                    }
                }
                self.device().draw(&walks.mapping, &turn)?;
                turns.push_back((turn.shares, turn.ends_batch));
            }
            let Some((shares, ends_batch)) = turns.pop_front() else { break };
            let mut asserted = Openings::new(ASSERTED);
            let WalkedOver { corrections, vanishing } =
                self.device().walked(&mut walks.mapping, &mut asserted)?;
            self.openings.absorb_all(&asserted);
            self.send_turn(&mut walks.mapping, &corrections.into(), shares)?;
            self.kept.batch().leave_on_device(shares);
            self.vanish_in_map(vanishing);
            self.end_of_turn(&walks.mapping, ends_batch)?;
        }
        let mut device = self.leave_device()?;
        for Taken { number, wave, witness } in device.take_all(&walks.mapping)? {
            walks.places.put(number, Some(Proving::at(wave, words::elements(&witness))));
        }
        Ok(())
    }

    /// The device of the map under way.
    fn device(&mut self) -> &mut ElementsOnDevice {
        self.kept.device.as_mut().expect("a map under way")
    }

    /// The next turn that was drawn, with its waves, where none of them is in a task.
    fn next_turn(&mut self, walks: &mut Walks<'_, B, E>) -> Result<Option<Next<B, E>>> {
        let Walks { mapping, places, .. } = walks;
        let are_here = |waves: &[usize]| !waves.iter().any(|wave| places.is_in_task(*wave));
        let Some(turn) = mapping.next_turn_if(are_here) else { return Ok(None) };
        let waves = turn.waves().into_iter().map(|number| Ok((number, self.take_wave(walks, number)?)));
        let waves = waves.collect::<Result<_>>()?;
        Ok(Some((turn, waves)))
    }

    /// Takes a wave to where it is walked. At its begin, reads its elements of the witness.
    fn take_wave(&mut self, walks: &mut Walks<'_, B, E>, number: usize) -> Result<Proving<FieldMacs<B, E>>> {
        let Walks { mapping, places, .. } = walks;
        match places.take(number) {
            Asked::Here(wave) => Ok(wave),
            Asked::New => Proving::new(mapping, number, &mut self.witness)
                .ok_or_else(|| self.steps.fail(witness_ended())),
            Asked::InTask => unreachable!("one task at a time has a wave"),
        }
    }

    /// Walks over what is left of the open section, or of the next one in the block: its products go into slots.
    fn rest_of_section(&mut self, walks: &mut Walks<'_, B, E>) -> Result<()> {
        if self.slots.are_used_up() {
            self.next_slots()?;
        }
        FieldMacs::fill_slots(self);
        let (from, count) = (self.done + self.slots.next(), self.slots.left());
        let mut tasks = Tasks::default();
        for Piece { wave: number, shares } in walks.mapping.pieces(count) {
            let mut rows = Zeroizing::new(self.block.rows(from + shares.start)[..shares.len()].to_vec());
            let mut wave = self.take_wave(walks, number)?;
            let mut walker = walks.mapping.walker(self.arch);
            #[cfg(test)]
            let lies = self.lies_within(&mut walks.handed_out, rows.len());
            tasks.push(self.pool.run(move || {
                // These are computed again when slots are taken up.
                let mut corrections = vec![B::ZERO; rows.len()];
                let mut apart = Apart::new(rows.len());
                wave.walk(
                    &mut walker,
                    (&mut rows, &mut corrections),
                    &mut apart,
                    #[cfg(test)]
                    &lies,
                );
                (number, wave, walker, (rows.len(), apart))
            }));
        }
        for (number, wave, walker, (shares, apart)) in tasks {
            walks.put(number, wave);
            walks.mapping.take_back(shares, Vec::new(), walker);
            let vanishing = apart.put(&mut self.slots, &mut self.openings);
            self.vanish_in_map(vanishing);
        }
        Ok(())
    }
}

impl<B: Field, E: MacField<B>> Walks<'_, B, E> {
    /// Puts a wave back.
    fn put(&mut self, number: usize, wave: Proving<FieldMacs<B, E>>) {
        self.mapping.note(number, wave.wave());
        if wave.is_done() {
            self.mapping.finish(number, wave.into_wave());
            self.places.put(number, None);
        } else {
            self.places.put(number, Some(wave));
        }
    }
}

impl<B: Field, E: MacField<B>> Walked<B, E> {
    /// Walks over a turn. `products` is memory.
    fn over(
        (arch, mut walker): (Arch, Walker<Tags<FieldMacs<B, E>>>),
        (turn, mut waves): Next<B, E>,
        mut products: Products<E>,
        #[cfg(test)] lies: &[usize],
    ) -> Self {
        let mut corrections = vec![B::ZERO; turn.shares];
        let asserted = Box::new(Openings::new(ASSERTED));
        let mut keeping =
            Keeping { products: products.begin(arch, turn.shares), vanishing: Vec::new(), asserted };
        let (mut at, mut from, mut all) = (0, 0, Vec::with_capacity(turn.blocks.len()));
        for (pieces, rows) in turn.blocks {
            let mut rows = rows.wait();
            for Piece { wave, shares } in pieces {
                at += usize::from(waves[at].0 != wave);
                let count = shares.len();
                #[cfg(test)]
                let lies: Vec<_> = lies.iter().filter_map(|lie| lie.checked_sub(from)).collect();
                waves[at].1.walk(
                    &mut walker,
                    (&mut rows[shares], &mut corrections[from..][..count]),
                    &mut keeping,
                    #[cfg(test)]
                    &lies,
                );
                from += count;
            }
            all.push(rows);
        }
        let Keeping { vanishing, asserted, .. } = keeping;
        // Whoever sends them does nothing else.
        let mut encoded = vec![0; B::bytes_of(turn.shares as u64) as usize];
        B::encode_all(&corrections, &mut encoded);
        let (shares, ends_batch) = (turn.shares, turn.ends_batch);
        Self {
            waves,
            shares,
            corrections: encoded.into(),
            products,
            vanishing,
            asserted,
            rows: all,
            walker,
            ends_batch,
        }
    }
}

/// The check of a turn, which waits for its challenge.
struct Keeping<'p, B: Field, E: MacField<B>> {
    products: Columns<'p, B, E>,
    vanishing: Vec<Lower<E>>,
    asserted: Box<Openings>,
}

impl<B: Field, E: MacField<B>> Check<Tags<FieldMacs<B, E>>> for Keeping<'_, B, E> {
    fn committed(
        &mut self,
        _: &Walker<Tags<FieldMacs<B, E>>>,
        factors: Option<[&[E::Tag]; 2]>,
        made: &[E::Tag],
    ) {
        self.products.add(factors, made);
    }

    fn zeroes(&mut self, wires: &[E::Tag]) {
        wires.iter().for_each(|wire| self.asserted.absorb(&wire.mac()));
    }

    fn products(&mut self, by: &mut Walker<Tags<FieldMacs<B, E>>>, columns: [&[E::Tag]; 3]) {
        self.vanishing.push(by.less(columns));
    }

    fn vanish(&mut self, polynomials: Lower<E>) {
        self.vanishing.push(polynomials);
    }
}
