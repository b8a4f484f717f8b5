//! Sources of the values of streams: public ones are constants, and private ones are read as a witness.

use super::execute::Inputs;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, Recorder};
use volery_circuit::{Backend as _, Sequence, ValueStream};
use volery_primitives::Field;

/// The values of the ports of a statement.
pub(super) struct Ports<'v, F> {
    streams: Vec<&'v ValueStream>,
    values: &'v [Option<&'v dyn Sequence<F>>],
    /// The number of values that were taken of each port.
    taken: Vec<u64>,
    /// The values of each port that are still to be taken, in reverse, where they were read beforehand.
    read: Option<Vec<Vec<Handle>>>,
}

impl<'v, F: Field> Ports<'v, F> {
    pub(super) fn new(
        streams: impl Iterator<Item = &'v ValueStream>,
        values: &'v [Option<&'v dyn Sequence<F>>],
    ) -> Self {
        let streams: Vec<_> = streams.collect();
        Self { values, taken: vec![0; streams.len()], read: None, streams }
    }

    /// Reads all values of private ports beforehand, where there are several: one is read as its values are
    /// needed.
    ///
    /// # Errors
    /// Where they are too few.
    pub(super) fn read_several(&mut self, b: &mut Recorder<'_, F>) -> Result<()> {
        if self.streams.iter().filter(|stream| !stream.public).count() > 1 {
            self.read(b, false)
        } else {
            Ok(())
        }
    }

    /// Reads all values of private ports, and of public ones where they are on wires, too.
    pub(super) fn read(&mut self, b: &mut Recorder<'_, F>, public: bool) -> Result<()> {
        let mut ports = Vec::new();
        for stream in &self.streams {
            let count = if stream.public && !public { 0 } else { stream.count };
            let mut wires = (0..count).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            wires.reverse();
            ports.push(wires);
        }
        self.read = Some(ports);
        Ok(())
    }

    /// The next value of a port that was read, if any was.
    fn next(&mut self, public: bool, kind: u8) -> Result<(usize, Option<Handle>)> {
        let place = self.streams.iter().position(|port| (port.public, port.kind) == (public, kind));
        let place = place.ok_or_else(more)?;
        let wire = self.read.as_mut().and_then(|read| read[place].pop());
        Ok((place, wire))
    }
}

/// The error of a file that takes more values than it took before.
fn more() -> Error {
    Error::invalid("more values are read than were counted: the file has changed since it was opened")
}

impl<F: Field> Inputs<F> for Ports<'_, F> {
    fn public(&mut self, b: &mut Recorder<'_, F>, kind: u8) -> Result<Handle> {
        let (port, wire) = self.next(true, kind)?;
        if let Some(wire) = wire {
            return Ok(wire);
        }
        let place = self.taken[port];
        self.taken[port] += 1;
        match self.values.get(port) {
            None => Err(more()),
            Some(None) => Ok(b.constant(F::ZERO)),
            Some(Some(values)) if place < values.length() => Ok(b.constant(values.element(place))),
            Some(Some(_)) => Err(more()),
        }
    }

    fn private(&mut self, b: &mut Recorder<'_, F>, kind: u8) -> Result<Handle> {
        if self.read.is_none() {
            return b.witness();
        }
        self.next(false, kind)?.1.ok_or_else(more)
    }

    fn inline(&self) -> bool {
        self.read.is_some()
    }
}
