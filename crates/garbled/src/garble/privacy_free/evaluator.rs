//! The evaluator.

use super::Output;
use super::maps::{Lanes, Walk};
use crate::garble::Key;
use crate::garble::material::{PIECE, Source, miscounted};
use core::fmt::Display;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task, Tasks};
use volery_circuit::stream::straight::Lines;
use volery_circuit::stream::{Executor, GatesAlone, Map};
use volery_circuit::{Backend, Circuit};
use volery_primitives::hash::GateHash;
use volery_primitives::{F2, F128, Field};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// A wire of the evaluator: its value, and the label of that value.
#[derive(Clone, Copy, Default)]
pub struct Active {
    label: F128,
    value: F2,
}

impl DefaultIsZeroes for Active {}

/// Inputs of an evaluation: labels and values, witness and hints in the order of the circuit.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The labels L_j.
    pub labels: &'a [F128],
    /// The values v_j, as many.
    pub values: &'a [F2],
}

/// The backend of the evaluator.
pub struct Evaluator<'a> {
    hash: GateHash,
    inputs: core::iter::Zip<
        core::iter::Copied<core::slice::Iter<'a, F128>>,
        core::iter::Copied<core::slice::Iter<'a, F2>>,
    >,
    material: Zeroizing<Vec<F128>>,
    next: usize,
    /// The ANDs, and the blocks that are still to be read for them.
    gates: u64,
    left: u64,
    source: &'a mut dyn Source,
    output: Output,
    progress: Option<&'a AtomicU64>,
    pool: Pool,
    /// The functions that were mapped.
    lines: Lines<F2>,
}

impl<'a> Evaluator<'a> {
    /// Evaluates `circuit`, number `clause` of a stack, on `inputs`: its `gates` ciphertexts come from
    /// `source`, and the output label comes back. Whatever labels, values and ciphertexts are, it ends well.
    /// `progress` is moved on by the ANDs, and `pool` evaluates lanes of maps.
    ///
    /// # Errors
    /// Those of the circuit and of the source; `Invalid` where the circuit has other inputs or
    /// gates than were counted.
    pub fn evaluate<C: Circuit<Self>>(
        key: &Key,
        clause: usize,
        circuit: &C,
        inputs: Inputs<'a>,
        (gates, source): (u64, &'a mut dyn Source),
        progress: Option<&'a AtomicU64>,
        pool: &Pool,
    ) -> Result<F128> {
        assert_eq!(inputs.labels.len(), inputs.values.len());
        let mut evaluator = Self {
            hash: key.hash(clause),
            inputs: inputs.labels.iter().copied().zip(inputs.values.iter().copied()),
            material: Zeroizing::new(Vec::with_capacity(PIECE)),
            next: 0,
            gates,
            left: gates,
            source,
            output: Output::new(clause),
            progress,
            pool: pool.clone(),
            lines: Lines::default(),
        };
        circuit.run(&mut evaluator)?;
        let unread = evaluator.inputs.next().is_some();
        if unread || evaluator.left > 0 || evaluator.next < evaluator.material.len() {
            return Err(miscounted());
        }
        Ok(evaluator.output.finish())
    }

    /// The ciphertexts of the next `gates` ANDs.
    fn next_material(&mut self, gates: u64) -> Result<Vec<F128>> {
        if gates > self.left + (self.material.len() - self.next) as u64 {
            return Err(miscounted());
        }
        let mut material = Vec::with_capacity(gates as usize);
        while material.len() < gates as usize {
            if self.next == self.material.len() {
                self.fetch()?;
            }
            let count = (gates as usize - material.len()).min(self.material.len() - self.next);
            material.extend_from_slice(&self.material[self.next..][..count]);
            self.next += count;
        }
        Ok(material)
    }

    /// The next `count` inputs.
    fn next_inputs(&mut self, count: usize) -> Result<Zeroizing<Vec<Active>>> {
        let inputs = self.inputs.by_ref().take(count).map(|(label, value)| Active { label, value });
        let mut some = Zeroizing::new(Vec::with_capacity(count));
        some.extend(inputs);
        if some.len() < count { Err(miscounted()) } else { Ok(some) }
    }

    #[cold]
    fn fetch(&mut self) -> Result<()> {
        if self.left == 0 {
            return Err(miscounted());
        }
        let length = self.left.min(PIECE as u64);
        self.material.resize(length as usize, F128::ZERO);
        // None is there before all are: a circuit may swallow an error.
        self.next = self.material.len();
        self.source.give(&mut self.material)?;
        if let Some(progress) = self.progress {
            progress.fetch_add(length, Relaxed);
        }
        self.left -= length;
        self.next = 0;
        Ok(())
    }
}

impl Backend for Evaluator<'_> {
    type F = F2;
    type Wire = Active;

    #[inline]
    fn constant(&mut self, c: F2) -> Active {
        Active { label: F128::ZERO, value: c }
    }
    #[inline]
    fn add(&mut self, a: Active, b: Active) -> Active {
        Active { label: a.label ^ b.label, value: a.value + b.value }
    }
    #[inline]
    fn scale(&mut self, a: Active, c: F2) -> Active {
        Active { label: F128(a.label.0 & c.mask()), value: a.value * c }
    }
    #[inline]
    fn witness(&mut self) -> Result<Active> {
        let (label, value) = self.inputs.next().ok_or_else(miscounted)?;
        Ok(Active { label, value })
    }
    fn hint(&mut self, _: &[Active], _: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<Active> {
        self.witness()
    }
    fn hints(
        &mut self,
        _: &[Active],
        count: usize,
        _: impl Fn(&[F2]) -> Vec<F2> + Send + Sync + 'static,
    ) -> Result<Vec<Active>> {
        (0..count).map(|_| self.witness()).collect()
    }
    #[inline]
    fn mul(&mut self, a: Active, b: Active) -> Result<Active> {
        if self.next == self.material.len() {
            self.fetch()?;
        }
        let ciphertext = self.material[self.next];
        self.next += 1;
        let label = self.hash.one(a.label).0 ^ (ciphertext.0 ^ b.label.0) & a.value.mask();
        Ok(Active { label: F128(label), value: a.value * b.value })
    }
    fn assert_zero(&mut self, a: Active, _: impl Display) -> Result<()> {
        self.output.assert(a.label);
        Ok(())
    }
}

impl Executor for Evaluator<'_> {
    type Beyond = GatesAlone;

    fn map_lanes(&mut self, map: Map<'_, F2, Active>) -> Result<Option<Zeroizing<Vec<Active>>>> {
        let found = if self.pool.ahead() > 0 { Lanes::of(&mut self.lines, &map) } else { None };
        let Some(lanes) = found else { return Ok(None) };
        let mut columns = lanes.columns();
        let (mut tasks, mut places) = (Tasks::default(), lanes.tasks());
        let mut gate = self.gates - self.left - (self.material.len() - self.next) as u64;
        loop {
            let room = self.pool.ahead() + 1 - tasks.len();
            for lanes_of_task in places.by_ref().take(room) {
                let inputs = lanes_of_task.len() * lanes.line.inputs as usize;
                let ands = lanes_of_task.len() as u64 * lanes.ands();
                let evaluating = Evaluating {
                    hash: self.hash.at(gate),
                    inputs: self.next_inputs(inputs)?,
                    material: self.next_material(ands)?,
                    used: [0; 2],
                    asserted: Zeroizing::default(),
                };
                gate += ands;
                tasks.push(evaluating.begin(&self.pool, lanes.share(), lanes_of_task));
            }
            let Some((done, results, asserted)) = tasks.next() else { break };
            lanes.put(done, &results, &mut columns);
            asserted.iter().for_each(|label| self.output.assert(*label));
        }
        self.hash = self.hash.at(gate);
        Ok(Some(columns))
    }
}

/// Some lanes of a map that a task evaluates.
struct Evaluating {
    hash: GateHash,
    inputs: Zeroizing<Vec<Active>>,
    material: Vec<F128>,
    /// The inputs and the ciphertexts that are used.
    used: [usize; 2],
    asserted: Zeroizing<Vec<F128>>,
}

/// The lanes of a task, their results, and the labels that they assert.
type Evaluated = (Range<usize>, Zeroizing<Vec<Active>>, Zeroizing<Vec<F128>>);

impl Evaluating {
    fn begin(mut self, pool: &Pool, of: Lanes<Active>, lanes: Range<usize>) -> Task<Evaluated> {
        pool.run(move || {
            // What has to move would leave a copy behind.
            self.asserted.reserve_exact(lanes.len() * of.line.assertions as usize);
            let results = of.walk(lanes.clone(), &mut self);
            (lanes, results, self.asserted)
        })
    }
}

impl Walk<Active> for Evaluating {
    #[inline(always)]
    fn constant(&mut self, c: F2) -> Active {
        Active { label: F128::ZERO, value: c }
    }
    #[inline(always)]
    fn add(&mut self, a: Active, b: Active) -> Active {
        Active { label: a.label ^ b.label, value: a.value + b.value }
    }
    #[inline(always)]
    fn mul(&mut self, a: Active, b: Active) -> Active {
        let ciphertext = self.material[self.used[1]];
        self.used[1] += 1;
        let label = self.hash.one(a.label).0 ^ (ciphertext.0 ^ b.label.0) & a.value.mask();
        Active { label: F128(label), value: a.value * b.value }
    }
    #[inline(always)]
    fn input(&mut self) -> Active {
        self.used[0] += 1;
        self.inputs[self.used[0] - 1]
    }
    fn assert(&mut self, a: Active) {
        self.asserted.push(a.label);
    }
}
