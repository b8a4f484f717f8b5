//! Maps: the waves of a function in the card's memory, and the walks over them.

use crate::card::Gpu;
use crate::expand::{Keys, Numbers, SHARE, expand};
use crate::kernel::Kernel;
use crate::memory::{Memory, Reading};
use crate::speeds::rate;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::stream::Block;
use volery_circuit::stream::straight::{Kind, Step, StraightLine};
use volery_primitives::prg::Seed;
use volery_primitives::{F2, F128, Field};
use volery_proof::device::{Plan, Run, Walk};
use volery_vole::vole::device::Tile;
use volery_vole::vole::lpn::TILE;
use zeroize::Zeroizing;

/// The turns under way at a time.
const TURNS: usize = 2;

/// The wires that go to the card at a time: 16 MB.
const AT_ONCE: usize = 1 << 20;

/// A map on the card.
pub(crate) struct OnCard {
    gpu: Arc<Gpu>,
    party: Party,
    slots: usize,
    /// The assertions before each step.
    assertions: Vec<u32>,
    steps: Memory,
    one: Memory,
    /// The two sums of each lane.
    sums: Memory,
    lanes: usize,
    /// A challenge's seed, and its coefficients.
    seed: Keys,
    chi: Memory,
    asserted: Memory,
    turns: [Turn; TURNS],
    /// The number of the next turn.
    next: usize,
    drawn: VecDeque<Drawn>,
    /// The wires that are asserted in turns that are folded, if any are.
    folded: VecDeque<Option<Reading>>,
    waves: BTreeMap<usize, Wave>,
    free: Vec<Wires>,
}

/// Memory for a turn.
struct Turn {
    rows: Memory,
    numbers: Numbers,
    /// The values of shares, and their corrections: a bit each, behind a word that is left free.
    bits: Memory,
    corrections: Memory,
}

/// A turn under way.
struct Drawn {
    /// Its number, its shares and its runs.
    number: usize,
    shares: usize,
    runs: Vec<Run>,
    reading: Option<Reading>,
}

/// A wave, and its witness.
struct Wave {
    lanes: usize,
    wires: Wires,
    witness: Memory,
}

/// Memory for the wires of a wave: its MACs or keys, and at a prover its values.
struct Wires {
    wide: Memory,
    values: Memory,
}

/// The words of a slot of values, which come by twos.
fn words_of(lanes: usize) -> usize {
    2 * lanes.div_ceil(64)
}

/// A step, as kernels know it.
fn step(line: &StraightLine<F2>, step: &Step) -> [u32; 4] {
    let Step { kind, out, a, b, .. } = *step;
    match kind {
        Kind::Add => [0, out, a, b],
        Kind::Constant => [1, out, u32::from(line.constants[a as usize] == F2::ONE), 0],
        Kind::Mul => [2, out, a, b],
        Kind::Witness => [3, out, a, 0],
        // On no slot.
        Kind::Assert => [4, u32::MAX, a, 0],
        _ => unreachable!("a step that no card takes"),
    }
}

impl OnCard {
    pub(crate) fn new(gpu: &Arc<Gpu>, plan: &Plan<'_>) -> Result<Self> {
        let Plan { line, party, one, lanes, shares } = *plan;
        let mut before = 0;
        let assertions = line.steps.iter().map(|step| {
            let so_far = before;
            before += u32::from(step.kind == Kind::Assert);
            so_far
        });
        let mut assertions: Vec<u32> = assertions.collect();
        assertions.push(before);
        let steps: Vec<[u32; 4]> = line.steps.iter().map(|of| step(line, of)).collect();
        let bits = 4 * (shares as u64 / 32 + 2);
        let turn = || {
            Ok(Turn {
                rows: Memory::new(gpu, SHARE * shares as u64)?,
                numbers: Numbers::new(gpu, shares / TILE)?,
                bits: Memory::new(gpu, bits)?,
                corrections: Memory::new(gpu, bits)?,
            })
        };
        Ok(Self {
            gpu: gpu.clone(),
            party,
            slots: line.slots,
            steps: Memory::with(gpu, &steps)?,
            one: Memory::with_elements(gpu, core::slice::from_ref(one))?,
            sums: Memory::new(gpu, 2 * SHARE * lanes as u64)?,
            lanes,
            seed: Keys::of_seeds(gpu, 1)?,
            chi: Memory::new(gpu, SHARE * shares as u64)?,
            asserted: Memory::new(gpu, SHARE * u64::from(before) * lanes as u64)?,
            assertions,
            turns: [turn()?, turn()?],
            next: 0,
            drawn: VecDeque::new(),
            folded: VecDeque::new(),
            waves: BTreeMap::new(),
            free: Vec::new(),
        })
    }

    /// Runs a walk's kernel on the lanes of a run, in groups of 64 threads, each of which has `each` lanes.
    fn walk(
        &self,
        (kernel, each): (&Kernel, usize),
        encoder: &mut wgpu::CommandEncoder,
        (run, asserted): (&Run, usize),
        buffers: &[(u32, &wgpu::Buffer)],
    ) {
        let Wave { lanes, .. } = self.waves[&run.wave];
        let base = run.shares.start as i32 - run.done as i32;
        let numbers =
            [lanes, words_of(lanes), run.steps.start, run.steps.end, asserted].map(|number| number as u32);
        let shares = [base as u32, run.shares.start as u32, run.shares.end as u32];
        let parameters = [&numbers[..], &shares].concat();
        let buffers = [&[(1, &*self.steps)], buffers].concat();
        kernel.run(&self.gpu, encoder, lanes.div_ceil(64 * each), &parameters, &buffers);
    }
}

impl OnCard {
    /// The wires that are asserted in a run.
    fn zeroes(&self, run: &Run) -> usize {
        let [start, end] = [run.steps.start, run.steps.end].map(|step| self.assertions[step] as usize);
        (end - start) * self.waves[&run.wave].lanes
    }

    /// Walks over a run under MACs or keys. The wires that are asserted in it go to place `asserted` and on.
    fn fold_run(&self, encoder: &mut wgpu::CommandEncoder, turn: &Turn, (run, asserted): (&Run, usize)) {
        let kernels = &self.gpu.kernels;
        let kernel = if self.party == Party::Prover { &kernels.fold_macs } else { &kernels.fold_keys };
        let buffers = [
            (2, &*self.waves[&run.wave].wires.wide),
            (3, &*turn.rows),
            (4, &*turn.corrections),
            (5, &*self.chi),
            (6, &*self.one),
            (7, &*self.sums),
            (8, &*self.asserted),
        ];
        self.walk((kernel, 1), encoder, (run, asserted), &buffers);
    }
}

impl Walk for OnCard {
    fn begin(
        &mut self,
        wave: usize,
        lanes: usize,
        columns: &mut dyn Iterator<Item = &[F128]>,
        witness: &[u64],
    ) -> Result<()> {
        let (gpu, words, slots) = (&self.gpu, words_of(lanes), self.slots as u64);
        let wires = match self.free.pop() {
            Some(wires) => wires,
            None => {
                let values =
                    if self.party == Party::Prover { 4 * slots * words_of(self.lanes) as u64 } else { 0 };
                let wide = Memory::new(gpu, SHARE * slots * self.lanes as u64)?;
                Wires { wide, values: Memory::new(gpu, values)? }
            }
        };
        let (mut at, mut some) = (0, Zeroizing::new(Vec::with_capacity(AT_ONCE + lanes)));
        let mut rows = 0;
        for column in columns {
            some.extend_from_slice(column);
            rows += 1;
            if some.len() >= AT_ONCE {
                wires.wide.write_elements(at, &some);
                at += SHARE * some.len() as u64;
                some.clear();
            }
        }
        wires.wide.write_elements(at, &some);
        if self.party == Party::Prover {
            let mut encoder = gpu.encoder();
            let parameters = [rows, lanes, words, 0].map(|number| number as u32);
            let buffers = [(1, &*wires.wide), (2, &*wires.values)];
            gpu.kernels.pack.run(gpu, &mut encoder, (rows * words).div_ceil(256), &parameters, &buffers);
            gpu.submit(encoder);
        }
        let witness = Memory::with(gpu, witness)?;
        self.waves.insert(wave, Wave { lanes, wires, witness });
        Ok(())
    }

    fn draw(&mut self, tiles: &[Tile], runs: Vec<Run>) -> Result<()> {
        let (number, shares) = (self.next, tiles.len() * TILE);
        self.next += 1;
        let (gpu, turn) = (&self.gpu, &self.turns[number % TURNS]);
        let mut encoder = gpu.encoder();
        turn.numbers.name(tiles.iter().map(|tile| tile.number));
        expand(gpu, &mut encoder, tiles, &turn.rows, &turn.numbers);
        let reading = if self.party == Party::Prover {
            let parameters = [1, shares as u32, shares as u32 / 32, 1];
            let buffers = [(1, &*turn.rows), (2, &*turn.bits)];
            gpu.kernels.pack.run(gpu, &mut encoder, (shares / 32).div_ceil(256), &parameters, &buffers);
            encoder.clear_buffer(&turn.corrections, 0, None);
            for run in &runs {
                let Wave { wires, witness, .. } = &self.waves[&run.wave];
                let buffers =
                    [(2, &*wires.values), (3, &**witness), (4, &*turn.bits), (5, &*turn.corrections)];
                self.walk((&gpu.kernels.clear, 32), &mut encoder, (run, 0), &buffers);
            }
            Some(Reading::begin(gpu, encoder, &[(&turn.corrections, 4, shares as u64 / 8)]))
        } else {
            gpu.submit(encoder);
            None
        };
        self.drawn.push_back(Drawn { number, shares, runs, reading });
        Ok(())
    }

    fn corrections(&mut self) -> Result<Vec<u8>> {
        let first = self.drawn.front_mut().expect("a turn under way");
        first.reading.take().expect("corrections that were not asked for yet").wait()
    }

    fn correct(&mut self, corrections: &[u8]) -> Result<()> {
        let first = self.drawn.front().expect("a turn under way");
        self.turns[first.number % TURNS].corrections.write_public(4, corrections);
        Ok(())
    }

    fn fold(&mut self, seed: Seed) -> Result<()> {
        let Drawn { number, shares, runs, .. } = self.drawn.pop_front().expect("a turn under way");
        let zeroes: Vec<usize> = runs.iter().map(|run| self.zeroes(run)).collect();
        let bytes = SHARE * zeroes.iter().sum::<usize>() as u64;
        if self.asserted.size() < bytes {
            // A turn goes through more waves than one where these have few commitments.
            self.asserted = Memory::new(&self.gpu, bytes)?;
        }
        let (gpu, turn) = (&self.gpu, &self.turns[number % TURNS]);
        let mut encoder = gpu.encoder();
        self.seed.generate(gpu, &mut encoder, (&[seed], shares), &self.chi);
        let mut asserted = 0;
        for (run, zeroes) in runs.iter().zip(zeroes) {
            self.fold_run(&mut encoder, turn, (run, asserted));
            asserted += zeroes;
        }
        let reading = if asserted == 0 {
            gpu.submit(encoder);
            None
        } else {
            Some(Reading::begin(gpu, encoder, &[(&self.asserted, 0, SHARE * asserted as u64)]))
        };
        self.folded.push_back(reading);
        Ok(())
    }

    fn asserted(&mut self) -> Result<Zeroizing<Vec<F128>>> {
        self.folded
            .pop_front()
            .expect("a folded turn")
            .map_or_else(|| Ok(Zeroizing::default()), Reading::wait_for_elements)
    }

    fn wires(&mut self, wave: usize, slots: &[u32]) -> Result<Zeroizing<Vec<F128>>> {
        let Wave { lanes, wires, .. } = &self.waves[&wave];
        let column = SHARE * *lanes as u64;
        let pieces = slots.iter().map(|slot| (&*wires.wide, column * u64::from(*slot), column));
        let pieces: Vec<_> = pieces.collect();
        Reading::begin(&self.gpu, self.gpu.encoder(), &pieces).wait_for_elements()
    }

    fn leave(&mut self, wave: usize) {
        self.free.extend(self.waves.remove(&wave).map(|wave| wave.wires));
    }

    fn sums(&mut self) -> Result<Zeroizing<[F128; 2]>> {
        let whole = [(&*self.sums, 0, 2 * SHARE * self.lanes as u64)];
        let lanes = Reading::begin(&self.gpu, self.gpu.encoder(), &whole).wait_for_elements()?;
        let mut sums = Zeroizing::new([F128::ZERO; 2]);
        for lane in lanes.chunks_exact(2) {
            sums.iter_mut().zip(lane).for_each(|(sum, of_lane)| *sum += *of_lane);
        }
        Ok(sums)
    }
}

/// The products a second of a walk under keys, by so many lanes.
///
/// # Errors
/// `Device`.
pub(crate) fn products(gpu: &Arc<Gpu>, lanes: usize) -> Result<f64> {
    const PRODUCTS: u32 = 32;
    const SLOTS: u32 = 512;
    let step = |i: u32| {
        let kind = if i.is_multiple_of(5) { Kind::Mul } else { Kind::Add };
        let slot = |number: u32| number.wrapping_mul(0x9e37_79b9) >> 23;
        Step { kind, out: slot(3 * i), a: slot(3 * i + 1), b: slot(3 * i + 2), c: 0 }
    };
    let mut block = Block::default();
    // Of no results.
    block.words.push(0);
    let mut line = StraightLine::of(&Arc::new(block)).expect("nothing");
    (line.steps, line.slots) = ((0..5 * PRODUCTS).map(step).collect(), SLOTS as usize);
    let shares = PRODUCTS as usize * lanes;
    let plan = Plan { line: &line, party: Party::Verifier, one: &F128(1), lanes, shares };
    let mut card = OnCard::new(gpu, &plan)?;
    card.begin(0, lanes, &mut [].into_iter(), &[])?;
    let run = Run { wave: 0, steps: 0..line.steps.len(), shares: 0..shares, done: 0 };
    rate(gpu, shares, |encoder| card.fold_run(encoder, &card.turns[0], (&run, 0)))
}
