//! The evaluator.

use super::Output;
use crate::garble::Key;
use crate::garble::material::{PIECE, Source, miscounted};
use core::fmt::Display;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use volery_channel::error::Result;
use volery_circuit::stream::{Executor, GatesAlone};
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
    /// Blocks that are still to be read.
    left: u64,
    source: &'a mut dyn Source,
    output: Output,
    progress: Option<&'a AtomicU64>,
}

impl<'a> Evaluator<'a> {
    /// Evaluates `circuit`, number `clause` of a stack, on `inputs`: its `gates` ciphertexts come from
    /// `source`, and the output label comes back. Whatever labels, values and ciphertexts are, it ends well.
    /// `progress` is moved on by the ANDs.
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
    ) -> Result<F128> {
        assert_eq!(inputs.labels.len(), inputs.values.len());
        let mut evaluator = Self {
            hash: key.hash(clause),
            inputs: inputs.labels.iter().copied().zip(inputs.values.iter().copied()),
            material: Zeroizing::new(Vec::with_capacity(PIECE)),
            next: 0,
            left: gates,
            source,
            output: Output::new(clause),
            progress,
        };
        circuit.run(&mut evaluator)?;
        let unread = evaluator.inputs.next().is_some();
        if unread || evaluator.left > 0 || evaluator.next < evaluator.material.len() {
            return Err(miscounted());
        }
        Ok(evaluator.output.finish())
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
}
