//! Waves on a device: what it is told of turns, and what it gives back.
//!
//! The order of commitments and of messages is that of [`super`], whoever walks. A map begins and ends within blocks, whose
//! pieces are walked over here: so waves go to the device where they are, and come back.

use super::wave::{Failed, Wave};
use super::{Mapping, Side, Turn, Waved};
use crate::ASSERTED;
use std::collections::{BTreeMap, VecDeque};
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::stream::straight::Kind;
use volery_primitives::prg::Seed;
use volery_primitives::secret::verdict;
use volery_primitives::{F2, F128, Field};
use volery_proof::device::{Plan, Run, Walk};
use volery_proof::openings::Openings;
use volery_vole::vole::device::Tile;
use volery_vole::vole::lpn::TILE;
use zeroize::Zeroizing;

/// A map on a device.
pub(crate) struct OnDevice {
    walk: Box<dyn Walk>,
    party: Party,
    /// The steps that commit, and the number of all steps.
    commitments: Vec<usize>,
    /// The shares that each wave on it has taken, and at a prover its witness.
    waves: BTreeMap<usize, (u64, Zeroizing<Vec<u64>>)>,
    /// The turns under way, and those that are folded, as runs.
    turns: VecDeque<Vec<Run>>,
    folded: VecDeque<Vec<Run>>,
}

/// The turns that are folded and not settled: the device has those to do while the next one is drawn.
const FOLDED: usize = 1;

/// The side of a party over F_2.
pub(crate) trait BitSide: Side<M: Waved<F = F2, E = F128>, Row = F128> {
    /// The party.
    const PARTY: Party;
}

impl<S: BitSide> Mapping<'_, S> {
    /// Takes all waves under way, of which no task has any.
    pub(crate) fn take_waves(&mut self) -> Vec<(usize, Wave<S>)> {
        let waves = core::mem::take(&mut self.places).0.into_iter();
        waves.map(|(number, wave)| (number, wave.expect("a wave that no task has"))).collect()
    }

    /// Puts a wave back that is under way.
    pub(crate) fn put_wave(&mut self, number: usize, wave: Wave<S>) {
        self.places.put(number, Some(wave));
    }
}

impl OnDevice {
    /// Begins on the device of a map, if it has one. Waves under way are still to be [put](OnDevice::put) there.
    pub(crate) fn begin<S: BitSide>(mapping: &Mapping<'_, S>) -> Result<Option<Self>> {
        let Some(device) = &mapping.device else { return Ok(None) };
        let one = Zeroizing::new(mapping.side.one());
        let plan = Plan {
            line: &mapping.line,
            party: S::PARTY,
            one: &one,
            lanes: mapping.turns.width,
            shares: mapping.turns.least.next_multiple_of(TILE),
        };
        let walk = device.walk(&plan)?;
        let steps = &mapping.line.steps;
        let commitments = (0..steps.len()).filter(|step| steps[*step].kind.commits());
        let commitments = commitments.chain([steps.len()]).collect();
        let (turns, folded) = (VecDeque::new(), VecDeque::new());
        Ok(Some(Self { walk, party: S::PARTY, commitments, waves: BTreeMap::new(), turns, folded }))
    }

    /// Whether a wave is there.
    pub(crate) fn has(&self, wave: usize) -> bool {
        self.waves.contains_key(&wave)
    }

    /// Puts a wave there that begins, with its witness.
    pub(crate) fn put_new<S: BitSide>(
        &mut self,
        mapping: &Mapping<'_, S>,
        number: usize,
        witness: Zeroizing<Vec<u64>>,
    ) -> Result<()> {
        let lanes = mapping.lanes(number).len();
        self.walk.begin(number, lanes, &mut mapping.arguments(number), &witness)?;
        self.waves.insert(number, (0, witness));
        Ok(())
    }

    /// Puts a wave there that is under way.
    pub(crate) fn put<S: BitSide>(
        &mut self,
        number: usize,
        wave: Wave<S>,
        witness: Zeroizing<Vec<u64>>,
    ) -> Result<()> {
        self.walk.begin(number, wave.lanes(), &mut wave.columns(), &witness)?;
        self.waves.insert(number, (wave.taken(), witness));
        Ok(())
    }

    /// Takes a wave back that is under way, with its witness.
    pub(crate) fn take<S: BitSide>(
        &mut self,
        mapping: &Mapping<'_, S>,
        number: usize,
    ) -> Result<(Wave<S>, Zeroizing<Vec<u64>>)> {
        let (taken, witness) = self.waves.remove(&number).expect("a wave on the device");
        let slots: Vec<u32> = (0..mapping.line.slots as u32).collect();
        let wires = self.walk.wires(number, &slots)?;
        self.walk.leave(number);
        Ok((Wave::at(&mapping.line, mapping.lanes(number).len(), wires, taken), witness))
    }

    /// The numbers of the waves there.
    pub(crate) fn numbers(&self) -> Vec<usize> {
        self.waves.keys().copied().collect()
    }

    /// Begins with a turn, all of whose waves are there.
    pub(crate) fn draw<S: BitSide>(&mut self, mapping: &Mapping<'_, S>, turn: &Turn<Tile>) -> Result<()> {
        let (mut runs, mut at) = (Vec::<Run>::new(), 0);
        for (pieces, _) in &turn.blocks {
            for piece in pieces {
                let shares = at + piece.shares.start..at + piece.shares.end;
                match runs.last_mut() {
                    Some(run) if run.wave == piece.wave => run.shares.end = shares.end,
                    _ => runs.push(Run { wave: piece.wave, steps: 0..0, shares, done: 0 }),
                }
            }
            at += pieces.last().map_or(0, |piece| piece.shares.end);
        }
        for run in &mut runs {
            let lanes = mapping.lanes(run.wave).len() as u64;
            let (taken, _) = self.waves.get_mut(&run.wave).expect("a wave on the device");
            let step = |taken: u64| if taken == 0 { 0 } else { self.commitments[(taken / lanes) as usize] };
            run.done = (*taken % lanes) as usize;
            run.steps.start = step(*taken);
            *taken += run.shares.len() as u64;
            // The commitment at which the shares end may be in part.
            run.steps.end = step(*taken) + usize::from(*taken % lanes > 0);
        }
        let tiles: Vec<Tile> = turn.blocks.iter().map(|(_, tile)| tile.clone()).collect();
        self.walk.draw(&tiles, runs.clone())?;
        self.turns.push_back(runs);
        Ok(())
    }

    /// The corrections of the first turn under way.
    pub(crate) fn corrections(&mut self) -> Result<Vec<u8>> {
        self.walk.corrections()
    }

    /// Takes the corrections of the first turn under way.
    pub(crate) fn correct(&mut self, corrections: &[u8]) -> Result<()> {
        self.walk.correct(corrections)
    }

    /// Begins to walk over the first turn under way, whose challenge is known.
    pub(crate) fn fold(&mut self, seed: Seed) -> Result<()> {
        self.folded.push_back(self.turns.pop_front().expect("a turn under way"));
        self.walk.fold(seed)
    }

    /// Takes what the first folded turn has come to, where there are more than are left for later, or at the `end`. Gives
    /// the digest of what is asserted in it.
    pub(crate) fn settle<S: BitSide>(
        &mut self,
        mapping: &mut Mapping<'_, S>,
        end: bool,
    ) -> Result<Option<Openings>> {
        if self.folded.len() <= if end { 0 } else { FOLDED } {
            return Ok(None);
        }
        let runs = self.folded.pop_front().expect("a folded turn");
        let wires = self.walk.asserted()?;
        let mut asserted = Openings::new(ASSERTED);
        asserted.absorb_each(&wires);
        let mut wires = wires.iter();
        for run in &runs {
            mapping.walked += run.shares.len() as u64;
            let lanes = mapping.lanes(run.wave);
            for step in &mapping.line.steps[run.steps.clone()] {
                if step.kind != Kind::Assert {
                    continue;
                }
                // Of keys nobody can tell.
                let fails = |wire: &F128| self.party == Party::Prover && verdict(wire.bit0() != F2::ZERO);
                let first = wires.by_ref().take(lanes.len()).position(fails);
                let failed =
                    first.map(|lane| Failed { lane: lanes.start + lane, number: step.out, place: None });
                wires.by_ref().take(first.map_or(0, |lane| lanes.len() - 1 - lane)).for_each(drop);
                mapping.failed = mapping.failed.into_iter().chain(failed).min();
            }
        }
        let all = |number: usize| mapping.turns.shares_of(number);
        let ended: Vec<usize> = runs
            .iter()
            .map(|run| run.wave)
            .filter(|&number| {
                let later = self.folded.iter().chain(&self.turns);
                let under_way = later.flatten().any(|run| run.wave == number);
                !under_way && self.waves[&number].0 == all(number)
            })
            .collect();
        for number in ended {
            let wires = self.walk.wires(number, &mapping.line.results)?;
            let lanes = mapping.lanes(number);
            let columns = wires.chunks_exact(lanes.len().max(1));
            for (column, wires) in mapping.results.chunks_exact_mut(mapping.map.lanes).zip(columns) {
                column[lanes.clone()].copy_from_slice(wires);
            }
            self.walk.leave(number);
            self.waves.remove(&number);
        }
        Ok(Some(asserted))
    }

    /// The sums of all products.
    pub(crate) fn sums(&mut self) -> Result<Zeroizing<[F128; 2]>> {
        self.walk.sums()
    }
}
