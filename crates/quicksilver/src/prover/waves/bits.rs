//! Over F_2: a wave is walked twice.

use super::draw_turns;
use crate::challenge;
use crate::prover::{Commitments, Prover};
use crate::waves::{Asked, Clear, Done, Fill, Mapping, Piece, Places, Rows, SumsOf, Tags, Turn};
use volery_channel::channel::Message;
use volery_channel::error::Result;
use volery_channel::pool::{Task, Tasks};
use volery_circuit::stream::Map;
use volery_circuit::witness_ended;
use volery_primitives::arch::prover_column_sums;
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128};
use volery_vole::macs::BitMacs;
use zeroize::Zeroizing;

type Bits = Tags<BitMacs>;

/// A map, with its waves in the clear.
pub(super) struct Walks<'m> {
    pub(super) mapping: Mapping<'m, Bits>,
    pub(super) places: Places<Clear>,
    /// The first walks over turns.
    tasks: Tasks<Walked>,
    /// The shares that were corrected so far.
    #[cfg(test)]
    corrected: u64,
}

/// Waves in the clear, with their numbers.
type Waves = Vec<(usize, Clear)>;

/// A turn whose blocks tasks expand, and its waves.
type Next = (Turn<Task<Rows<F128>>>, Waves);

/// The result of a first walk: the waves, further on; the turn, its rows corrected; and the corrections, of each
/// block from a new byte on.
struct Walked {
    waves: Waves,
    turn: Turn<Rows<F128>>,
    corrections: Message,
}

impl Prover<'_, BitMacs> {
    /// Executes a function on many lanes at a time, if it can be.
    pub(in crate::prover) fn map_bits(
        &mut self,
        map: Map<'_, F2, F128>,
    ) -> Result<Option<Zeroizing<Vec<F128>>>> {
        // A half hands the channel on by sections.
        let begun = match self.lengths {
            Some(_) => None,
            None => Mapping::begin(&mut self.kept.maps, map, Tags::default()),
        };
        let Some(mapping) = begun else { return Ok(None) };
        // Products that are asserted belong to the batch that is open.
        self.take_asserted()?;
        let mut walks = Walks {
            places: Places::default(),
            tasks: Tasks::default(),
            mapping,
            #[cfg(test)]
            corrected: 0,
        };
        while walks.mapping.left() > 0 {
            if self.slots.are_used_up() {
                self.steps.begin()?;
                self.turns(&mut walks)?;
                self.steps.end();
            } else {
                self.rest_of_block(&mut walks)?;
            }
        }
        let Walks { mut mapping, .. } = walks;
        mapping.settle_all(&mut |done| self.take_walked(done));
        self.note_failure(|| mapping.failure());
        mapping.count(&mut self.gates);
        Ok(Some(mapping.end(&mut self.kept.maps)))
    }

    /// Walks over all blocks that the map takes whole, turn by turn: sends a turn's corrections, draws its
    /// challenge, and hands out the second walk. Then opens the block in which the map ends. Fig. 4, 4 to 7.
    fn turns(&mut self, walks: &mut Walks<'_>) -> Result<()> {
        BitMacs::end_batch(self)?;
        // What was left of the last block, if anything, is used no more.
        self.done = self.block.len();
        while !walks.mapping.is_on_device() {
            draw_turns(self, &mut walks.mapping)?;
            while let Some((turn, waves)) = self.next_turn(walks)? {
                walks.tasks.push(self.pool.run(move || Walked::over(turn, waves)));
            }
            let Some(walked) = walks.tasks.next() else { break };
            #[cfg(test)]
            let walked = self.lied_about(walked, &mut walks.corrected);
            let Walked { waves, turn, corrections } = walked;
            waves.into_iter().for_each(|(number, wave)| walks.put(number, wave));
            self.channel.send_message(&corrections)?;
            walks.mapping.pass();
            walks.mapping.hand_over(&mut self.channel)?;
            let seeds = challenge(&mut self.channel);
            if let Some(drain) = &mut self.drain {
                drain()?;
            }
            self.committed += turn.shares as u64;
            let sums: SumsOf<Bits> = |arch, chi, columns, _| prover_column_sums(arch, chi, columns);
            let by = (self.arch, &self.pool.clone(), sums);
            let arch = self.arch;
            let fill = seeds.map(|seed| -> Fill<F128> {
                let mut coefficients = Prg::new(arch, seed);
                Box::new(move |chi| coefficients.fill(chi))
            });
            walks.mapping.hand_out(by, (turn, fill), |rows, _| rows, &mut |done| self.take_walked(done));
            self.report_without(walks.mapping.inputs());
        }
        if walks.mapping.is_on_device() {
            self.turns_on_device(walks)?;
        }
        if let Some(rows) = walks.mapping.last_block(|| self.vole.rows_of_tile()) {
            self.slots.begin(rows.len());
            *self.block.rows_mut() = rows;
            (self.done, self.open) = (0, true);
        }
        Ok(())
    }

    /// The next turn that was drawn, with its waves, where none of them is in a task.
    fn next_turn(&mut self, walks: &mut Walks<'_>) -> Result<Option<Next>> {
        let Walks { mapping, places, .. } = walks;
        let are_here = |waves: &[usize]| !waves.iter().any(|wave| places.is_in_task(*wave));
        let Some(turn) = mapping.next_turn_if(are_here) else { return Ok(None) };
        let waves = turn.waves().into_iter().map(|number| Ok((number, self.take_clear(walks, number)?)));
        let waves = waves.collect::<Result<_>>()?;
        Ok(Some((turn, waves)))
    }

    /// Takes a wave to where it is walked in the clear. At its begin, reads its elements of the witness.
    fn take_clear(&mut self, walks: &mut Walks<'_>, number: usize) -> Result<Clear> {
        let Walks { mapping, places, .. } = walks;
        match places.take(number) {
            Asked::Here(wave) => Ok(wave),
            Asked::New => {
                let (lanes, arguments) = (mapping.lanes(number).len(), mapping.arguments(number));
                let begun = Clear::new(&mapping.line, lanes, arguments, &mut self.witness);
                begun.ok_or_else(|| self.steps.fail(witness_ended()))
            }
            Asked::InTask => unreachable!("one task at a time has a wave"),
        }
    }

    /// Walks over what is left of the open block, whose products go into slots.
    fn rest_of_block(&mut self, walks: &mut Walks<'_>) -> Result<()> {
        walks.mapping.settle_all(&mut |done| self.take_walked(done));
        let (from, count) = (self.done + self.slots.next(), self.slots.left());
        let (by, mut tasks) = ((self.arch, &self.pool.clone()), Tasks::default());
        for Piece { wave: number, shares } in walks.mapping.pieces(count) {
            let rows = Zeroizing::new(self.block.rows(from + shares.start)[..shares.len()].to_vec());
            let mut wave = self.take_clear(walks, number)?;
            #[cfg(test)]
            let lies = self.lies_within(&mut walks.corrected, rows.len());
            tasks.push(walks.mapping.hand_out_piece(by, (number, rows), move |rows| {
                // They are computed again when slots are taken up.
                let mut corrections = vec![0; rows.len().div_ceil(8)];
                wave.walk(rows, &mut corrections, 0);
                #[cfg(test)]
                lies.into_iter().for_each(|lie| rows[lie].0 ^= 1);
                (number, wave)
            }));
        }
        for (walked, (number, wave)) in tasks {
            walks.put(number, wave);
            let vanishing = walks.mapping.take_piece(walked).put(&mut self.slots, &mut self.openings);
            self.vanish_in_map(vanishing);
        }
        Ok(())
    }

    /// Takes what a task has done.
    fn take_walked(&mut self, done: &mut Done<Bits>) {
        self.sums.add(&done.folded.products);
        self.sums.add_all(&done.folded.polynomials);
        self.kept.weighing.pass_over(done.products);
        self.openings.absorb_all(&done.folded.asserted);
    }
}

impl Walks<'_> {
    /// Puts a wave back.
    fn put(&mut self, number: usize, wave: Clear) {
        self.places.put(number, Some(wave).filter(|wave| !wave.is_done()));
    }
}

impl Walked {
    /// Walks over a turn in the clear, and corrects its shares. Fig. 4, 4 and 5.
    fn over(turn: Turn<Task<Rows<F128>>>, mut waves: Waves) -> Self {
        let (mut corrections, mut at) = (Vec::new(), 0);
        let walk = |(pieces, rows): (Vec<Piece>, Task<Rows<F128>>)| {
            let mut rows = rows.wait();
            let start = corrections.len();
            corrections.resize(start + rows.len().div_ceil(8), 0);
            for Piece { wave, shares } in &pieces {
                at += usize::from(waves[at].0 != *wave);
                waves[at].1.walk(&mut rows[shares.clone()], &mut corrections[start..], shares.start);
            }
            (pieces, rows)
        };
        let blocks = turn.blocks.into_iter().map(walk).collect();
        let turn = Turn { blocks, shares: turn.shares, ends_batch: turn.ends_batch };
        Self { waves, turn, corrections: corrections.into() }
    }
}

#[cfg(test)]
impl Prover<'_, BitMacs> {
    /// Changes the values of some of the next shares behind those that were `corrected` before.
    fn lied_about(&self, mut walked: Walked, corrected: &mut u64) -> Walked {
        let (mut start, mut corrections) = (0, Vec::from(walked.corrections));
        for (_, rows) in &mut walked.turn.blocks {
            for lie in self.lies_within(corrected, rows.len()) {
                rows[lie].0 ^= 1;
                corrections[start + lie / 8] ^= 1 << (lie % 8);
            }
            start += rows.len().div_ceil(8);
        }
        walked.corrections = corrections.into();
        walked
    }
}
