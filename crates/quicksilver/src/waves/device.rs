//! Waves on a device: what it is told of turns, and what it gives back.
//!
//! The order of commitments and of messages is that of [`super`], whoever walks. A map begins and ends within blocks, whose
//! pieces are walked over here: so waves go to the device where they are, and come back.

mod elements;

pub(crate) use elements::{ElementsOnDevice, Taken, WalkedOver};

use super::wave::{Failed, Wave};
use super::{Mapping, Side, Turn, Waved};
use crate::ASSERTED;
use std::collections::{BTreeMap, VecDeque};
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::stream::straight::{Kind, Step};
use volery_primitives::prg::Seed;
use volery_primitives::{F2, F128};
use volery_proof::device::{Plan, Run, Walk};
use volery_proof::openings::Openings;
use volery_vole::vole::device::Tile;
use volery_vole::vole::lpn::TILE;
use zeroize::Zeroizing;

/// A map on a device.
pub(crate) struct OnDevice {
    walk: Box<dyn Walk>,
    waves: Waves,
}

/// The waves on a device, and the turns under way there.
struct Waves {
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

impl<S: Side> Mapping<'_, S> {
    /// Takes all waves under way, of which no task has any.
    pub(crate) fn take_waves(&mut self) -> Vec<(usize, Wave<S>)> {
        self.places.take_all()
    }

    /// Puts a wave back that is under way.
    pub(crate) fn put_wave(&mut self, number: usize, wave: Wave<S>) {
        self.places.put(number, Some(wave));
    }

    /// Takes the wires that are asserted to be zero in a turn, which has these runs.
    fn take_asserted(&mut self, runs: &[Run], mut wires: &[S::Row], asserted: &mut Openings) {
        asserted.absorb_each(wires.iter().map(|wire| S::opened(*wire)));
        let line = self.line.clone();
        for run in runs {
            self.walked += run.shares.len() as u64;
            let lanes = self.lanes(run.wave);
            for step in line.steps[run.steps.clone()].iter().filter(|step| step.kind == Kind::Assert) {
                let (column, behind) = wires.split_at(lanes.len());
                let lane = S::nonzero(column);
                let failed =
                    lane.map(|lane| Failed { lane: lanes.start + lane, number: step.out, place: None });
                self.failed = self.failed.into_iter().chain(failed).min();
                wires = behind;
            }
        }
    }

    /// Takes the results of a wave, column by column.
    fn take_results(&mut self, number: usize, wires: &[S::Row]) {
        let lanes = self.lanes(number);
        let columns = wires.chunks_exact(lanes.len().max(1));
        for (column, wires) in self.results.chunks_exact_mut(self.map.lanes).zip(columns) {
            column[lanes.clone()].copy_from_slice(wires);
        }
    }
}

/// A turn that has ended: its runs, and the waves that have come to their ends.
struct Ended {
    runs: Vec<Run>,
    waves: Vec<usize>,
}

impl Waves {
    /// None yet, of a function of these steps.
    fn new(steps: &[Step]) -> Self {
        let commitments = (0..steps.len()).filter(|step| steps[*step].kind.commits());
        let commitments = commitments.chain([steps.len()]).collect();
        Self { commitments, waves: BTreeMap::new(), turns: VecDeque::new(), folded: VecDeque::new() }
    }

    /// Begins with a turn, all of whose waves are there: gives its runs, and its tiles.
    fn begin<S: Side>(&mut self, mapping: &Mapping<'_, S>, turn: &Turn<Tile>) -> (Vec<Run>, Vec<Tile>) {
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
        self.turns.push_back(runs.clone());
        (runs, turn.blocks.iter().map(|(_, tile)| tile.clone()).collect())
    }

    /// Has the first turn under way be folded.
    fn fold(&mut self) {
        self.folded.push_back(self.turns.pop_front().expect("a turn under way"));
    }

    /// Ends the first turn that is folded, in which these wires are asserted to be zero.
    fn end<S: Side>(
        &mut self,
        mapping: &mut Mapping<'_, S>,
        wires: &[S::Row],
        asserted: &mut Openings,
    ) -> Ended {
        let runs = self.folded.pop_front().expect("a folded turn");
        mapping.take_asserted(&runs, wires, asserted);
        let has_ended = |number: &usize| {
            let later = self.folded.iter().chain(&self.turns);
            let under_way = later.flatten().any(|run| run.wave == *number);
            !under_way && self.waves[number].0 == mapping.turns.shares_of(*number)
        };
        let waves = runs.iter().map(|run| run.wave).filter(has_ended).collect();
        Ended { runs, waves }
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
        Ok(Some(Self { walk: device.walk(&plan)?, waves: Waves::new(&mapping.line.steps) }))
    }

    /// Whether a wave is there.
    pub(crate) fn has(&self, wave: usize) -> bool {
        self.waves.waves.contains_key(&wave)
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
        self.waves.waves.insert(number, (0, witness));
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
        self.waves.waves.insert(number, (wave.taken(), witness));
        Ok(())
    }

    /// Takes a wave back that is under way, with its witness.
    pub(crate) fn take<S: BitSide>(
        &mut self,
        mapping: &Mapping<'_, S>,
        number: usize,
    ) -> Result<(Wave<S>, Zeroizing<Vec<u64>>)> {
        let (taken, witness) = self.waves.waves.remove(&number).expect("a wave on the device");
        let slots: Vec<u32> = (0..mapping.line.slots as u32).collect();
        let wires = self.walk.wires(number, &slots)?;
        self.walk.leave(number);
        Ok((Wave::at(&mapping.line, mapping.lanes(number).len(), wires, taken), witness))
    }

    /// The numbers of the waves there.
    pub(crate) fn numbers(&self) -> Vec<usize> {
        self.waves.waves.keys().copied().collect()
    }

    /// Begins with a turn, all of whose waves are there.
    pub(crate) fn draw<S: BitSide>(&mut self, mapping: &Mapping<'_, S>, turn: &Turn<Tile>) -> Result<()> {
        let (runs, tiles) = self.waves.begin(mapping, turn);
        self.walk.draw(&tiles, runs)
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
        self.waves.fold();
        self.walk.fold(seed)
    }

    /// Takes what the first folded turn has come to, where there are more than are left for later, or at the `end`. Gives
    /// the digest of what is asserted in it.
    pub(crate) fn settle<S: BitSide>(
        &mut self,
        mapping: &mut Mapping<'_, S>,
        end: bool,
    ) -> Result<Option<Openings>> {
        if self.waves.folded.len() <= if end { 0 } else { FOLDED } {
            return Ok(None);
        }
        let wires = self.walk.asserted()?;
        let mut asserted = Openings::new(ASSERTED);
        for number in self.waves.end(mapping, &wires, &mut asserted).waves {
            mapping.take_results(number, &self.walk.wires(number, &mapping.line.results)?);
            self.walk.leave(number);
            self.waves.waves.remove(&number);
        }
        Ok(Some(asserted))
    }

    /// The sums of all products.
    pub(crate) fn sums(&mut self) -> Result<Zeroizing<[F128; 2]>> {
        self.walk.sums()
    }
}
