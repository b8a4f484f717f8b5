//! The garbler.

use super::Output;
use super::maps::{Lanes, Walk};
use crate::garble::Key;
use crate::garble::labels::Labels;
use crate::garble::material::{PIECE, Sink, miscounted};
use core::fmt::Display;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task, Tasks};
use volery_circuit::stream::straight::Lines;
use volery_circuit::stream::{Executor, GatesAlone, Map};
use volery_circuit::{Backend, Circuit, Shape};
use volery_primitives::hash::GateHash;
use volery_primitives::{F2, F128};
use zeroize::Zeroizing;

/// The result of a garbling.
pub struct Complete {
    /// The output label.
    pub output: F128,
    /// The inputs of the circuit, witness and hints.
    inputs: u64,
    /// The ANDs of the circuit.
    gates: u64,
}

impl Complete {
    /// The output label, if the circuit is the one that was counted.
    ///
    /// # Errors
    /// `Invalid` where it has other inputs or gates: each party has to find that alike, whatever it holds.
    pub fn of(self, shape: &Shape) -> Result<F128> {
        if (self.inputs, self.gates) == (shape.inputs_by_gates(), shape.mul_by_gates()) {
            Ok(self.output)
        } else {
            Err(miscounted())
        }
    }
}

/// The backend of the garbler: a wire is its label of zero.
pub struct Garbler<'a> {
    hash: GateHash,
    labels: Labels,
    delta: Zeroizing<F128>,
    material: Vec<F128>,
    /// The ANDs whose material was passed on.
    gates: u64,
    sink: &'a mut dyn Sink,
    output: Output,
    progress: Option<&'a AtomicU64>,
    pool: Pool,
    /// The functions that were mapped.
    lines: Lines<F2>,
}

impl<'a> Garbler<'a> {
    /// Garbles `circuit`, number `clause` of a stack, from `seed`: the material goes to `sink`. `progress` is
    /// moved on by the ANDs, and `pool` garbles lanes of maps.
    ///
    /// # Errors
    /// Those of the circuit and of the sink.
    pub fn garble<C: Circuit<Self>>(
        key: &Key,
        (clause, seed): (usize, F128),
        circuit: &C,
        sink: &'a mut dyn Sink,
        progress: Option<&'a AtomicU64>,
        pool: &Pool,
    ) -> Result<Complete> {
        let labels = Labels::new(key, seed);
        let mut garbler = Self {
            hash: key.hash(clause),
            delta: Zeroizing::new(labels.delta()),
            labels,
            material: Vec::with_capacity(PIECE),
            gates: 0,
            sink,
            output: Output::new(clause),
            progress,
            pool: pool.clone(),
            lines: Lines::default(),
        };
        circuit.run(&mut garbler)?;
        if !garbler.material.is_empty() {
            garbler.pass_on()?;
        }
        let Self { output, labels, gates, .. } = garbler;
        Ok(Complete { output: output.finish(), inputs: labels.given(), gates })
    }

    #[cold]
    fn pass_on(&mut self) -> Result<()> {
        let (taken, count) = (self.sink.take(&self.material), self.material.len() as u64);
        // A circuit may swallow an error: no piece is longer for that.
        self.material.clear();
        taken?;
        if let Some(progress) = self.progress {
            progress.fetch_add(count, Relaxed);
        }
        self.gates += count;
        Ok(())
    }
}

impl Backend for Garbler<'_> {
    type F = F2;
    type Wire = F128;

    #[inline]
    fn constant(&mut self, c: F2) -> F128 {
        F128(self.delta.0 & c.mask())
    }
    #[inline]
    fn add(&mut self, a: F128, b: F128) -> F128 {
        a ^ b
    }
    #[inline]
    fn scale(&mut self, a: F128, c: F2) -> F128 {
        F128(a.0 & c.mask())
    }
    #[inline]
    fn witness(&mut self) -> Result<F128> {
        Ok(self.labels.next().expect("labels have no end"))
    }
    fn hint(&mut self, _: &[F128], _: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<F128> {
        self.witness()
    }
    fn hints(
        &mut self,
        _: &[F128],
        count: usize,
        _: impl Fn(&[F2]) -> Vec<F2> + Send + Sync + 'static,
    ) -> Result<Vec<F128>> {
        Ok(self.labels.by_ref().take(count).collect())
    }
    #[inline]
    fn mul(&mut self, a: F128, b: F128) -> Result<F128> {
        let [zero, one] = self.hash.pair(a, *self.delta);
        self.material.push(zero ^ one ^ b);
        if self.material.len() == PIECE {
            self.pass_on()?;
        }
        Ok(zero)
    }
    fn assert_zero(&mut self, a: F128, _: impl Display) -> Result<()> {
        self.output.assert(a);
        Ok(())
    }
}

impl Executor for Garbler<'_> {
    type Beyond = GatesAlone;

    fn map_lanes(&mut self, map: Map<'_, F2, F128>) -> Result<Option<Zeroizing<Vec<F128>>>> {
        let found = if self.pool.ahead() > 0 { Lanes::of(&mut self.lines, &map) } else { None };
        let Some(lanes) = found else { return Ok(None) };
        let mut columns = lanes.columns();
        let (mut tasks, mut places) = (Tasks::default(), lanes.tasks());
        // Behind a pointer, as what tasks are given.
        let delta = Arc::new(Zeroizing::new(vec![*self.delta]));
        let mut gate = self.gates + self.material.len() as u64;
        loop {
            let room = self.pool.ahead() + 1 - tasks.len();
            for lanes_of_task in places.by_ref().take(room) {
                let inputs = lanes_of_task.len() * lanes.line.inputs as usize;
                // What has to move would leave a copy behind.
                let mut labels = Zeroizing::new(Vec::with_capacity(inputs));
                labels.extend(self.labels.by_ref().take(inputs));
                let walk = Garbling::new(self.hash.at(gate), delta.clone(), labels);
                gate += lanes.ands() * lanes_of_task.len() as u64;
                tasks.push(walk.begin(&self.pool, lanes.share(), lanes_of_task));
            }
            let Some((done, results, garbling)) = tasks.next() else { break };
            lanes.put(done, &results, &mut columns);
            garbling.asserted.iter().for_each(|label| self.output.assert(*label));
            let mut made = &garbling.material[..];
            while !made.is_empty() {
                let (now, behind) = made.split_at(made.len().min(PIECE - self.material.len()));
                self.material.extend_from_slice(now);
                if self.material.len() == PIECE {
                    self.pass_on()?;
                }
                made = behind;
            }
        }
        self.hash = self.hash.at(gate);
        Ok(Some(columns))
    }
}

/// Some lanes of a map that a task garbles.
struct Garbling {
    hash: GateHash,
    delta: Arc<Zeroizing<Vec<F128>>>,
    labels: Zeroizing<Vec<F128>>,
    /// The labels that are used.
    used: usize,
    material: Vec<F128>,
    asserted: Zeroizing<Vec<F128>>,
}

/// The lanes of a task, their results, and what it has made.
type Garbled = (Range<usize>, Zeroizing<Vec<F128>>, Box<Garbling>);

impl Garbling {
    fn new(hash: GateHash, delta: Arc<Zeroizing<Vec<F128>>>, labels: Zeroizing<Vec<F128>>) -> Self {
        Self { hash, delta, labels, used: 0, material: Vec::new(), asserted: Zeroizing::default() }
    }

    fn begin(mut self, pool: &Pool, of: Lanes<F128>, lanes: Range<usize>) -> Task<Garbled> {
        pool.run(move || {
            self.material.reserve_exact(lanes.len() * of.ands() as usize);
            // What has to move would leave a copy behind.
            self.asserted.reserve_exact(lanes.len() * of.line.assertions as usize);
            let results = of.walk(lanes.clone(), &mut self);
            (lanes, results, Box::new(self))
        })
    }
}

impl Walk<F128> for Garbling {
    #[inline(always)]
    fn constant(&mut self, c: F2) -> F128 {
        F128(self.delta[0].0 & c.mask())
    }
    #[inline(always)]
    fn add(&mut self, a: F128, b: F128) -> F128 {
        a ^ b
    }
    #[inline(always)]
    fn mul(&mut self, a: F128, b: F128) -> F128 {
        let [zero, one] = self.hash.pair(a, self.delta[0]);
        self.material.push(zero ^ one ^ b);
        zero
    }
    #[inline(always)]
    fn input(&mut self) -> F128 {
        self.used += 1;
        self.labels[self.used - 1]
    }
    fn assert(&mut self, a: F128) {
        self.asserted.push(a);
    }
}
