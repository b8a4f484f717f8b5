//! Several instances of a constraint system: one function on as many lanes.

use super::R1cs;
use core::ops::Range;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{COUNT, Repeat, check_count};
use volery_circuit::stream::Recorder;
use volery_circuit::{Backend as _, Returned};
use volery_primitives::Field;

/// The most values of all instances together.
const MOST_VALUES: u64 = 1 << 26;

/// The version of what several instances are: which of them are one map. It changes with what follows, and with what
/// is [kept](super::kept).
pub(super) const INSTANCES_VERSION: u32 = 1;

/// The most public values of the instances that are one map.
const PUBLIC_TOGETHER: u64 = 1 << 20;

/// Terms of the constraints from which on each instance is pushed by itself: a function is held as a whole.
const LARGE: u64 = 1 << 20;

impl R1cs {
    /// The system with so many instances, each with values of its own.
    ///
    /// # Errors
    /// `Invalid` where there are none or too many, or they have too many values.
    pub fn with_count(self, count: Repeat) -> Result<Self> {
        let instances = count.instances;
        check_count(&self.name, instances)?;
        let values = u64::from(self.header.public()) + self.shape.committed;
        if instances > 1 && values > MOST_VALUES / instances {
            return Err(Error::invalid(format!(
                "{} with {COUNT}={instances} has more than 2^26 values: take fewer instances",
                self.name
            )));
        }
        Ok(Self { count, ..self })
    }

    /// How many instances there are.
    pub fn count(&self) -> u64 {
        self.count.instances
    }

    /// Records all instances. `public` has the value of a public signal, by its number, in an instance; the witness
    /// has the values that each commits to, one instance after the other.
    ///
    /// # Errors
    /// As for [`R1cs::push`].
    pub(super) fn push_each<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        public: &dyn Fn(usize, u64) -> F,
    ) -> Result<()> {
        self.check_field::<F>()?;
        let signals = self.header.public() as usize;
        if self.count() == 1 {
            return self.push(b, (0..signals).map(|signal| public(signal, 0)));
        }
        // What is not kept is read for each run.
        if self.kept.is_none() || self.shape.terms >= LARGE {
            return (0..self.count()).try_for_each(|instance| {
                b.scope(|b| {
                    let wires: Vec<_> =
                        (0..signals).map(|signal| b.constant(public(signal, instance))).collect();
                    self.push_on(b, &wires, Some(instance))
                })
            });
        }
        let together = (PUBLIC_TOGETHER / (signals as u64).max(1)).clamp(1, self.count.lanes);
        (0..self.count()).step_by(together as usize).try_for_each(|first| {
            let instances = first..self.count().min(first + together);
            b.scope(|b| self.push_together(b, public, instances))
        })
    }

    /// Records the function of one instance, for several.
    fn push_together<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        public: &dyn Fn(usize, u64) -> F,
        instances: Range<u64>,
    ) -> Result<()> {
        // Public values are arguments, so that all instances have one function.
        let (signals, lanes) = (self.header.public() as usize, (instances.end - instances.start) as usize);
        let mut columns = Vec::with_capacity(signals * lanes);
        for signal in 0..signals {
            columns.extend(instances.clone().map(|instance| b.constant(public(signal, instance))));
        }
        let key = [b"instance of r1cs ", &self.digest[..]].concat();
        let mapped = b.map(&key, lanes, &columns, |b, lane, wires| {
            self.push_on(b, wires, Some(instances.start + lane as u64))?;
            Ok(Returned::default())
        });
        mapped.map(drop)
    }
}
