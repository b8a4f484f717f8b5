//! Functions on many lanes at a time: some lanes of a map are a task, which garbles or evaluates them as so many
//! calls. Each has the tweaks, labels and ciphertexts that it has as a call, and so no byte is another.

use core::ops::Range;
use std::sync::Arc;
use volery_circuit::stream::Map;
use volery_circuit::stream::straight::{Kind, Lines, StraightLine};
use volery_primitives::F2;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// The ANDs of a task, and its steps, if a lane has fewer: to begin it takes some microseconds.
const ANDS: u64 = 1 << 14;
const STEPS: usize = 1 << 17;

/// The most ANDs of a lane: a task holds the ciphertexts of one at least.
const MOST_ANDS: u64 = 1 << 16;

/// The most wires of a lane, which are to stay in a cache.
const MOST_WIRES: usize = 1 << 16;

/// A function and its lanes, as tasks take them.
pub(super) struct Lanes<W: DefaultIsZeroes> {
    pub(super) line: Arc<StraightLine<F2>>,
    /// The number of lanes.
    lanes: usize,
    /// The columns of arguments.
    arguments: Arc<Zeroizing<Vec<W>>>,
}

impl<W: DefaultIsZeroes + Send + Sync + 'static> Lanes<W> {
    /// The lanes of a map, if tasks can take them.
    pub(super) fn of(lines: &mut Lines<F2>, map: &Map<'_, F2, W>) -> Option<Self> {
        let fits = |line: &StraightLine<F2>| {
            let ands = line.commitments - line.inputs;
            ands > 0 && ands <= MOST_ANDS && line.slots <= MOST_WIRES
        };
        let line = if map.lanes > 1 { lines.find(map.function, fits)? } else { return None };
        let arguments = Arc::new(Zeroizing::new(map.arguments.to_vec()));
        Some(Self { line, lanes: map.lanes, arguments })
    }

    /// The ANDs of a lane.
    pub(super) fn ands(&self) -> u64 {
        self.line.commitments - self.line.inputs
    }

    /// The lanes of each task.
    pub(super) fn tasks(&self) -> impl Iterator<Item = Range<usize>> + use<W> {
        let each = (ANDS.div_ceil(self.ands()) as usize).min(STEPS.div_ceil(self.line.steps.len()));
        let lanes = self.lanes;
        (0..lanes).step_by(each).map(move |first| first..lanes.min(first + each))
    }

    /// The lanes for a task of its own.
    pub(super) fn share(&self) -> Self {
        Self { line: self.line.clone(), lanes: self.lanes, arguments: self.arguments.clone() }
    }

    /// Walks some lanes, one after the other, each gate by `gate`. Gives their results, lane by lane.
    pub(super) fn walk(&self, lanes: Range<usize>, gates: &mut impl Walk<W>) -> Zeroizing<Vec<W>> {
        let line = &*self.line;
        let mut wires = Zeroizing::new(vec![W::default(); line.slots]);
        let mut results = Zeroizing::new(Vec::with_capacity(lanes.len() * line.results.len()));
        for lane in lanes {
            for (wire, column) in wires.iter_mut().zip(self.arguments.chunks_exact(self.lanes)) {
                *wire = column[lane];
            }
            for step in &line.steps {
                let [out, a, b] = [step.out, step.a, step.b].map(|slot| slot as usize);
                match step.kind {
                    Kind::Add => wires[out] = gates.add(wires[a], wires[b]),
                    Kind::Mul => wires[out] = gates.mul(wires[a], wires[b]),
                    Kind::Constant => wires[out] = gates.constant(line.constants[a]),
                    Kind::Assert => gates.assert(wires[a]),
                    // An input's value comes with its label.
                    Kind::Witness | Kind::Commit => wires[out] = gates.input(),
                    Kind::Hint => {}
                    Kind::Scale => unreachable!("a factor of F_2 is no step"),
                    Kind::AssertProduct | Kind::Polynomials => {
                        unreachable!("garbled circuits have gates alone")
                    }
                }
            }
            results.extend(line.results.iter().map(|slot| wires[*slot as usize]));
        }
        results
    }

    /// Puts the results of some lanes, lane by lane, into the columns of all.
    pub(super) fn put(&self, lanes: Range<usize>, results: &[W], columns: &mut [W]) {
        for (lane, results) in lanes.zip(results.chunks_exact(self.line.results.len().max(1))) {
            results.iter().enumerate().for_each(|(port, wire)| columns[port * self.lanes + lane] = *wire);
        }
    }

    /// Columns for all results.
    pub(super) fn columns(&self) -> Zeroizing<Vec<W>> {
        Zeroizing::new(vec![W::default(); self.line.results.len() * self.lanes])
    }
}

/// How a party walks gates in a task.
pub(super) trait Walk<W> {
    fn constant(&mut self, c: F2) -> W;
    fn add(&mut self, a: W, b: W) -> W;
    fn mul(&mut self, a: W, b: W) -> W;
    fn input(&mut self) -> W;
    fn assert(&mut self, a: W);
}
