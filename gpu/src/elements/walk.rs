//! Maps over 2^61 − 1: the waves of a function in the card's memory, and the walks over them.

use super::Rows;
use crate::card::Gpu;
use crate::expand::SHARE;
use crate::forest::expanded;
use crate::memory::{Memory, Reading};
use crate::speeds::rate;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::stream::straight::{Kind, Step};
use volery_primitives::prg::Seed;
use volery_primitives::{F61, F128, Field as _};
use volery_proof::device::{PlanOfElements, Run, WalkOfElements, Walked};
use volery_vole::vole::device::Tile;
use volery_vole::vole::lpn::TILE;
use zeroize::{Zeroize as _, Zeroizing};

/// The bytes of an element.
const ELEMENT: u64 = 8;

/// The most threads that weigh products, each of which has two sums.
const THREADS: usize = 1 << 16;

/// A map on the card.
pub(crate) struct OnCard {
    gpu: Arc<Gpu>,
    party: Party,
    slots: usize,
    /// The bytes of a wire.
    wire: u64,
    /// The assertions before each step, and the asserted products.
    assertions: Vec<[usize; 2]>,
    steps: Memory,
    constants: Memory,
    /// A verifier's key of one.
    delta: Memory,
    sums: Memory,
    lanes: usize,
    shares: usize,
    /// The turns that were drawn, and not walked over as far as that is known, and those that were, and not weighed.
    drawn: VecDeque<Drawn>,
    walked: VecDeque<Turn>,
    free: VecDeque<Turn>,
    waves: BTreeMap<usize, Wave>,
    free_wires: Vec<Memory>,
}

/// A turn in memory.
struct Turn {
    rows: Rows,
    corrections: Memory,
    asserted: Memory,
    vanishing: Memory,
    /// The shares that it has.
    shares: usize,
    /// The last that was submitted of it.
    submitted: Option<wgpu::SubmissionIndex>,
}

/// A turn that was drawn. A prover has walked over it.
struct Drawn {
    turn: Turn,
    runs: Vec<Run>,
    reading: Option<Reading>,
}

/// A wave, and its witness.
struct Wave {
    lanes: usize,
    wires: Memory,
    witness: Memory,
}

/// A step, as kernels know it.
fn step(step: &Step) -> [u32; 4] {
    let Step { kind, out, a, b, c } = *step;
    match kind {
        Kind::Add => [0, out, a, b],
        Kind::Constant => [1, out, a, 0],
        Kind::Mul => [2, out, a, b],
        Kind::Witness => [3, out, a, 0],
        Kind::Assert => [4, 0, a, 0],
        Kind::Scale => [5, out, a, b],
        Kind::AssertProduct => [6, c, a, b],
        _ => unreachable!("a step that no card takes"),
    }
}

impl OnCard {
    pub(crate) fn new(gpu: &Arc<Gpu>, plan: &PlanOfElements<'_>) -> Result<Self> {
        let PlanOfElements { steps, constants, slots, party, one, lanes, shares } = *plan;
        let mut assertions = vec![[0; 2]];
        for (number, step) in steps.iter().enumerate() {
            let [wires, products] = assertions[number];
            let is = |kind| usize::from(step.kind == kind);
            assertions.push([wires + is(Kind::Assert), products + is(Kind::AssertProduct)]);
        }
        let steps: Vec<[u32; 4]> = steps.iter().map(step).collect();
        Ok(Self {
            gpu: gpu.clone(),
            party,
            slots,
            wire: if party == Party::Prover { 2 * ELEMENT } else { ELEMENT },
            assertions,
            steps: Memory::with(gpu, &steps)?,
            constants: Memory::with(gpu, constants)?,
            delta: Memory::with(gpu, one)?,
            sums: Memory::new(gpu, 2 * ELEMENT * THREADS as u64)?,
            lanes,
            shares,
            drawn: VecDeque::new(),
            walked: VecDeque::new(),
            free: VecDeque::new(),
            waves: BTreeMap::new(),
            free_wires: Vec::new(),
        })
    }

    /// Memory for a turn of so many shares, with these runs.
    fn turn(&mut self, shares: usize, runs: &[Run]) -> Result<Turn> {
        let gpu = &self.gpu;
        let [asserted, vanishing] = self.bytes_of(runs);
        let mut turn = match self.free.pop_front() {
            Some(turn) => {
                // So the card is never more turns behind than there is memory for.
                gpu.wait(turn.submitted.clone())?;
                turn
            }
            None => Turn {
                rows: Rows::new(gpu, self.shares / TILE)?,
                corrections: Memory::new(gpu, ELEMENT * self.shares as u64)?,
                asserted: Memory::new(gpu, asserted)?,
                vanishing: Memory::new(gpu, vanishing)?,
                shares,
                submitted: None,
            },
        };
        // A turn goes through more waves than another where these have few commitments.
        for (memory, bytes) in [(&mut turn.asserted, asserted), (&mut turn.vanishing, vanishing)] {
            if memory.size() < bytes {
                *memory = Memory::new(gpu, bytes)?;
            }
        }
        turn.shares = shares;
        Ok(turn)
    }

    /// The wires that are asserted to be zero in a run, and the elements of polynomials of asserted products.
    fn asserted_in(&self, run: &Run) -> [usize; 2] {
        let [start, end] = [run.steps.start, run.steps.end].map(|step| self.assertions[step]);
        let lanes = self.waves[&run.wave].lanes;
        let parts = if self.party == Party::Prover { 3 } else { 1 };
        [(end[0] - start[0]) * lanes, (end[1] - start[1]) * lanes * parts]
    }

    /// The bytes of both in these runs.
    fn bytes_of(&self, runs: &[Run]) -> [u64; 2] {
        let all = runs.iter().map(|run| self.asserted_in(run));
        let [wires, elements] = all.fold([0; 2], |all, of| [all[0] + of[0], all[1] + of[1]]);
        [self.wire * wires as u64, ELEMENT * elements as u64]
    }

    /// The pieces of memory that are read of a turn, of so many bytes each.
    fn read(turn: &Turn, [asserted, vanishing]: [u64; 2]) -> [(&wgpu::Buffer, u64, u64); 2] {
        [(&*turn.asserted, 0, asserted), (&*turn.vanishing, 0, vanishing)]
    }

    /// Walks over runs of a turn, behind what `encoder` has.
    fn walk(&self, encoder: &mut wgpu::CommandEncoder, turn: &Turn, runs: &[Run]) {
        let kernels = &self.gpu.kernels;
        let [mut asserted, mut vanishing] = [0; 2];
        for run in runs {
            let Wave { lanes, wires, witness } = &self.waves[&run.wave];
            let base = run.shares.start as i32 - run.done as i32;
            let numbers = [*lanes, run.steps.start, run.steps.end, asserted, vanishing];
            let numbers = numbers.map(|number| number as u32);
            let shares = [base as u32, run.shares.start as u32, run.shares.end as u32];
            let parameters = [&numbers[..], &shares].concat();
            let (kernel, known) = match self.party {
                Party::Prover => (&kernels.walk_tags, witness),
                Party::Verifier => (&kernels.walk_keys, &self.delta),
            };
            let buffers = [
                (1, &*self.steps),
                (2, &**wires),
                (3, &*turn.rows.rows),
                (4, &*turn.corrections),
                (5, &*self.constants),
                (6, &*turn.asserted),
                (7, &**known),
                (8, &*turn.vanishing),
            ];
            kernel.run(&self.gpu, encoder, lanes.div_ceil(64), &parameters, &buffers);
            let [wires, elements] = self.asserted_in(run);
            (asserted, vanishing) = (asserted + wires, vanishing + elements);
        }
    }

    /// Weighs the products of a turn, behind what `encoder` has.
    fn weigh_turn(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        turn: &Turn,
        keys: &Memory,
        (nonce, first): (u64, u64),
    ) {
        assert!(first.is_multiple_of(2), "two coefficients share a block");
        let start = u32::try_from(first / 2).expect("a batch of fewer shares");
        // A thread takes four at a time.
        let threads = THREADS.min(turn.shares / 4);
        let numbers = [turn.shares as u32, threads as u32, start, 0];
        let parameters = [numbers, [nonce as u32, (nonce >> 32) as u32, 0, 0]].concat();
        let buffers = [(1, &**keys), (2, &*turn.rows.rows), (3, &*self.sums)];
        self.gpu.kernels.weigh_products.run(&self.gpu, encoder, threads.div_ceil(64), &parameters, &buffers);
    }
}

impl WalkOfElements for OnCard {
    fn begin(
        &mut self,
        wave: usize,
        lanes: usize,
        columns: &mut dyn Iterator<Item = Zeroizing<Vec<u64>>>,
        witness: &[u64],
    ) -> Result<()> {
        let gpu = &self.gpu;
        let wires = match self.free_wires.pop() {
            Some(wires) => wires,
            None => Memory::new(gpu, self.wire * (self.slots * self.lanes) as u64)?,
        };
        let mut at = 0;
        for column in columns {
            wires.write(at, &column);
            at += self.wire * lanes as u64;
        }
        self.waves.insert(wave, Wave { lanes, wires, witness: Memory::with(gpu, witness)? });
        Ok(())
    }

    fn draw(&mut self, tiles: &[Tile], runs: Vec<Run>) -> Result<()> {
        let mut turn = self.turn(tiles.len() * TILE, &runs)?;
        let gpu = &self.gpu;
        let mut encoder = gpu.encoder();
        turn.rows.expand(gpu, &mut encoder, tiles);
        let reading = match self.party {
            Party::Prover => {
                self.walk(&mut encoder, &turn, &runs);
                let corrections = [(&*turn.corrections, 0, ELEMENT * turn.shares as u64)];
                let pieces = [&corrections[..], &Self::read(&turn, self.bytes_of(&runs))].concat();
                Some(Reading::begin(gpu, encoder, &pieces))
            }
            Party::Verifier => {
                turn.submitted = Some(gpu.submit(encoder));
                None
            }
        };
        self.drawn.push_back(Drawn { turn, runs, reading });
        Ok(())
    }

    fn walked(&mut self) -> Result<Walked> {
        let Drawn { turn, runs, reading } = self.drawn.pop_front().expect("a turn that was drawn");
        let mut corrections = reading.expect("a prover's").wait::<u8>()?;
        let behind = &mut corrections[ELEMENT as usize * turn.shares..];
        let (asserted, vanishing) = behind.split_at(self.bytes_of(&runs)[0] as usize);
        let [asserted, vanishing] =
            [asserted, vanishing].map(|bytes| Zeroizing::new(bytemuck::pod_collect_to_vec(bytes)));
        // They are sent where they are.
        behind.zeroize();
        corrections.truncate(ELEMENT as usize * turn.shares);
        self.walked.push_back(turn);
        Ok(Walked { corrections, asserted, vanishing })
    }

    fn correct(&mut self, corrections: &[u8]) -> Result<Walked> {
        let Drawn { mut turn, runs, .. } = self.drawn.pop_front().expect("a turn that was drawn");
        let (gpu, mut encoder) = (&self.gpu, self.gpu.encoder());
        turn.corrections.write_public(0, corrections);
        self.walk(&mut encoder, &turn, &runs);
        let bytes = self.bytes_of(&runs);
        let mut asserted = if bytes == [0; 2] {
            turn.submitted = Some(gpu.submit(encoder));
            Zeroizing::default()
        } else {
            words(Reading::begin(gpu, encoder, &Self::read(&turn, bytes)))?
        };
        let vanishing = Zeroizing::new(asserted.split_off((bytes[0] / ELEMENT) as usize));
        self.walked.push_back(turn);
        Ok(Walked { corrections: Vec::new(), asserted, vanishing })
    }

    fn weigh(&mut self, seed: Seed, first: u64) -> Result<()> {
        let mut turn = self.walked.pop_front().expect("a turn that was walked over");
        let (key, nonce) = seed.parts();
        let keys = expanded(&self.gpu, &[key])?;
        let mut encoder = self.gpu.encoder();
        self.weigh_turn(&mut encoder, &turn, &keys, (nonce, first));
        turn.submitted = Some(self.gpu.submit(encoder));
        self.free.push_back(turn);
        Ok(())
    }

    fn products(&mut self) -> Result<Zeroizing<Vec<u64>>> {
        let turn = self.walked.pop_front().expect("a turn that was walked over");
        let bytes = SHARE * turn.shares as u64;
        let products = words(Reading::begin(&self.gpu, self.gpu.encoder(), &[(&turn.rows.rows, 0, bytes)]))?;
        self.free.push_back(turn);
        Ok(products)
    }

    fn wires(&mut self, wave: usize, slots: &[u32]) -> Result<Zeroizing<Vec<u64>>> {
        let Wave { lanes, wires, .. } = &self.waves[&wave];
        let column = self.wire * *lanes as u64;
        let pieces = slots.iter().map(|slot| (&**wires, column * u64::from(*slot), column));
        let pieces: Vec<_> = pieces.collect();
        words(Reading::begin(&self.gpu, self.gpu.encoder(), &pieces))
    }

    fn leave(&mut self, wave: usize) {
        self.free_wires.extend(self.waves.remove(&wave).map(|wave| wave.wires));
    }

    fn sums(&mut self) -> Result<Zeroizing<[u64; 2]>> {
        let whole = [(&*self.sums, 0, 2 * ELEMENT * THREADS as u64)];
        let threads = words(Reading::begin(&self.gpu, self.gpu.encoder(), &whole))?;
        let mut sums = Zeroizing::new([F61::ZERO; 2]);
        for of_thread in threads.chunks_exact(2) {
            sums.iter_mut().zip(of_thread).for_each(|(sum, of_thread)| *sum += F61::new(*of_thread));
        }
        Ok(Zeroizing::new(sums.map(F61::get)))
    }
}

impl OnCard {
    /// The shares a second of walks over a turn of so many, in these runs, which are weighed.
    pub(crate) fn rate(&mut self, shares: usize, runs: &[Run]) -> Result<f64> {
        let (turn, keys) = (self.turn(shares, runs)?, expanded(&self.gpu, &[F128(5)])?);
        rate(&self.gpu, shares, |encoder| {
            self.walk(encoder, &turn, runs);
            self.weigh_turn(encoder, &turn, &keys, (0, 0));
        })
    }
}

/// The integers that are read.
fn words(reading: Reading) -> Result<Zeroizing<Vec<u64>>> {
    Ok(Zeroizing::new(reading.wait()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::card;
    use volery_channel::random::Random;
    use volery_primitives::arch::Arch;
    use volery_vole::vole::subfield;

    /// Elements at all edges of limbs and of the modulus, each beside each, and as many by chance.
    fn pairs() -> Vec<[F61; 2]> {
        let p = F61::MODULUS;
        let edges = [0, 1, 2, 0xffff, 0x1_0000, 0xffff_ffff, 1 << 32, (1 << 32) + 1, 1 << 60, p / 2];
        let edges = edges.into_iter().chain([p / 2 + 1, p - (1 << 32), p - 0xffff, p - 2, p - 1]);
        let edges: Vec<F61> = edges.map(F61::new).collect();
        let mut pairs: Vec<_> = edges.iter().flat_map(|a| edges.iter().map(|b| [*a, *b])).collect();
        let random = &mut Random::from_seed(&[3; 32]);
        pairs.extend((0..pairs.len()).map(|_| [(); 2].map(|()| subfield::uniform::<F61>(random))));
        pairs
    }

    fn steps() -> Vec<Step> {
        let step = |kind, out, a, b| Step { kind, out, a, b, c: 0 };
        vec![
            step(Kind::Mul, 2, 0, 1),
            step(Kind::Add, 3, 0, 1),
            step(Kind::Scale, 4, 3, 0),
            step(Kind::Constant, 5, 1, 0),
            step(Kind::Add, 4, 4, 5),
            step(Kind::Witness, 5, 0, 0),
            step(Kind::Assert, 0, 4, 0),
            Step { kind: Kind::AssertProduct, out: 1, a: 0, b: 4, c: 3 },
        ]
    }

    const FACTORS: [F61; 2] = [F61::new(F61::MODULUS - 3), F61::new((1 << 59) + 12345)];

    /// The arithmetic of both parties, on shares that are zero: sums, products and their parts, corrections, and sums under
    /// coefficients, of which some stand before.
    #[test]
    fn walks_are_those_of_integers() {
        let card = card();
        let (gpu, pairs, lanes) = (card.gpu(), pairs(), pairs().len());
        let shares = TILE;
        let constants = FACTORS.map(F61::get);
        let delta = F61::new(0x1234_5678_9abc_def0);
        let (first, seed) = (1026, Seed::from(F128(77 << 64 | 5)));
        let mut chi = vec![F61::ZERO; first as usize + 2 * lanes];
        subfield::Coefficients::<F61>::new(Arch::detect(), seed).fill(Arch::detect(), &mut chi);
        let chi = &chi[first as usize..];
        for (party, one) in [(Party::Prover, vec![1, 0]), (Party::Verifier, vec![delta.get()])] {
            let steps = steps();
            let (constants, one) = (&constants[..], &one[..]);
            let plan = PlanOfElements { steps: &steps, constants, slots: 6, party, one, lanes, shares };
            let mut walk = OnCard::new(gpu, &plan).unwrap();
            // A prover's value is the first of a pair, and its MAC the second; its other wire has them the other way.
            let wires = |swapped: bool| -> Zeroizing<Vec<u64>> {
                let wire = |[a, b]: &[F61; 2]| match (party, swapped) {
                    (Party::Prover, false) => vec![a.get(), b.get()],
                    (Party::Prover, true) => vec![b.get(), a.get()],
                    (Party::Verifier, false) => vec![a.get()],
                    (Party::Verifier, true) => vec![b.get()],
                };
                Zeroizing::new(pairs.iter().flat_map(wire).collect())
            };
            let witness: Vec<u64> = pairs.iter().map(|[a, b]| (*a + *b).get()).collect();
            walk.begin(0, lanes, &mut [wires(false), wires(true)].into_iter(), &witness).unwrap();
            let run = Run { wave: 0, steps: 0..steps.len(), shares: 0..2 * lanes, done: 0 };
            let turn = walk.turn(shares, core::slice::from_ref(&run)).unwrap();
            let corrections: Vec<F61> = pairs.iter().chain(&pairs).map(|[a, b]| *a - *b - *b).collect();
            if party == Party::Verifier {
                let words: Vec<u64> = corrections.iter().map(|correction| correction.get()).collect();
                turn.corrections.write_public(0, &words);
            }
            let mut encoder = gpu.encoder();
            walk.walk(&mut encoder, &turn, core::slice::from_ref(&run));
            let length = ELEMENT * 2 * lanes as u64;
            let pieces = [
                (&*turn.corrections, 0, length),
                (&*turn.rows.rows, 0, 2 * length),
                (&*turn.asserted, 0, walk.wire * lanes as u64),
                (&*turn.vanishing, 0, walk.bytes_of(core::slice::from_ref(&run))[1]),
            ];
            let read = Reading::begin(gpu, encoder, &pieces).wait::<u64>().unwrap();
            let read: Vec<F61> = read.into_iter().map(subfield::words::element).collect();
            let (corrected, rest) = read.split_at(2 * lanes);
            let (products, asserted) = rest.split_at(4 * lanes);
            let (asserted, vanishing) = asserted.split_at((walk.wire / ELEMENT) as usize * lanes);
            let mut expected = [F61::ZERO; 2];
            for (i, [a, b]) in pairs.iter().enumerate() {
                let made = match party {
                    Party::Prover => {
                        assert_eq!((corrected[i], corrected[lanes + i]), (*a * *b, *a + *b), "{a:?} {b:?}");
                        let sum = *a + *b;
                        assert_eq!(asserted[2 * i..][..2], [sum * FACTORS[0] + FACTORS[1], sum * FACTORS[0]]);
                        let z = [sum * FACTORS[0] + FACTORS[1], sum * FACTORS[0]];
                        let parts = [*b * z[1], *a * z[1] + *b * z[0] - sum, *a * z[0] - sum];
                        assert_eq!([0, 1, 2].map(|part| vanishing[part * lanes + i]), parts);
                        [*b * *a, *a * *a + *b * *b]
                    }
                    Party::Verifier => {
                        let z = (*a + *b) * FACTORS[0] + FACTORS[1] * delta;
                        assert_eq!(asserted[i], z);
                        assert_eq!(vanishing[i], *a * z - (*a + *b) * delta);
                        [*a * *b, corrections[i] * delta]
                    }
                };
                assert_eq!(products[2 * i..][..2], made, "{a:?} {b:?}");
                assert_eq!(products[2 * (lanes + i)..][..2], [F61::ZERO; 2]);
                expected.iter_mut().zip(made).for_each(|(sum, made)| *sum += chi[i] * made);
            }
            walk.walked.push_back(turn);
            walk.weigh(seed, first).unwrap();
            assert_eq!(walk.sums().unwrap().map(F61::new), expected);
        }
    }
}
