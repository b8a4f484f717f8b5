//! Traces of model checkers as values of inputs: the witnesses of AIGER 1.9.
//!
//! ```text
//! 1                 the state is reached; 0 that it is not, 2 that nobody knows
//! b0                the property, a line for each
//! 0010              first values of latches
//! 01                inputs of each step; x for those on which nothing depends
//! .                 the end
//! ```
//! Lines that begin with `c` are comments. ABC writes neither the lines above the latches nor the end, and behind the
//! last step `# DONE`.
//!
//! Format: <https://fmv.jku.at/papers/BiereHeljankoWieringa-FMV-TR-11-2.pdf>

use super::{Initial, Netlist, run};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::Value;
use volery_primitives::F2;

impl Netlist {
    /// The values of all inputs, but for a `state` that has to be public, in the trace `text`, which is called `name`
    /// in errors. No error shows a value.
    ///
    /// # Errors
    /// `Invalid` where it is malformed, or of another circuit or other steps.
    pub fn trace(&self, name: &str, text: &[u8]) -> Result<Vec<(String, Value)>> {
        let steps = self.options.steps.unwrap_or(1);
        let (inputs, latches) = (self.logic.inputs as usize, &self.logic.latches);
        let mut lines = Lines { name, lines: text.split(|&byte| byte == b'\n').enumerate(), line: 0 };
        let mut line = lines.next();
        // One character may be the value of the only latch, too.
        let status = line.filter(|line| line.len() == 1 && (latches.len() != 1 || lines.is_property()));
        if let Some(status) = status {
            if status != b"1" {
                return Err(lines.invalid("no state is reached by it, since its first line is not 1"));
            }
            line = lines.next();
        }
        while line.is_some_and(|line| matches!(line.first(), Some(b'b' | b'j'))) {
            line = lines.next();
        }
        let first = lines.bits(line.unwrap_or_default(), latches.len(), "latches")?;
        let mut state = Vec::new();
        for (number, (latch, bit)) in latches.iter().zip(first).enumerate() {
            match run::first(latch, self.options.init) {
                None => state.push(*bit),
                Some(begin) if *bit == b'x' || (*bit == b'1') == begin => {}
                Some(_) => {
                    return Err(lines.invalid(format_args!(
                        "latch {number} begins with another value than in the circuit: is it a trace of this one?"
                    )));
                }
            }
        }
        let mut values = Vec::new();
        let mut pins = self.inputs().into_iter().map(|pin| pin.name);
        if !state.is_empty() {
            let name = pins.next().expect("the state");
            if self.options.init != Initial::Public {
                values.push((name, value(state.into_iter())));
            }
        }
        let mut read = 0;
        while let Some(line) = lines.next().filter(|line| *line != b".") {
            // Where there are inputs, no step has an empty line.
            if line.is_empty() {
                continue;
            }
            let bits = lines.bits(line, inputs, "inputs")?;
            read += 1;
            if read <= steps {
                let buses = self.inputs.iter().zip(&mut pins);
                values
                    .extend(buses.map(|(bus, name)| {
                        (name, value(bus.bits.iter().map(|input| bits[*input as usize])))
                    }));
            }
        }
        if inputs > 0 && read != steps {
            return Err(Error::invalid(format!(
                "{name}: the trace has {read} steps, and the circuit is to run for {steps}: give the circuit as \
                 {}?steps={read}",
                self.name
            )));
        }
        if lines.next().is_some_and(|line| !line.is_empty()) {
            return Err(lines.invalid("a second trace begins here: give one"));
        }
        Ok(values)
    }
}

/// The value of these characters.
fn value(bits: impl ExactSizeIterator<Item = u8>) -> Value {
    let mut value = Value::zeros(bits.len() as u64);
    (0..).zip(bits).for_each(|(place, bit)| value.set(place, F2::from(bit == b'1')));
    value
}

/// The lines of a trace.
struct Lines<'a, I> {
    name: &'a str,
    lines: I,
    /// The number of the line that was read last, from 1.
    line: usize,
}

impl<'a, I: Iterator<Item = (usize, &'a [u8])> + Clone> Lines<'a, I> {
    /// The next line that is no comment, without what stands behind a `#`.
    fn next(&mut self) -> Option<&'a [u8]> {
        let (number, line) = self.lines.find(|(_, line)| !line.starts_with(b"c"))?;
        self.line = number + 1;
        Some(line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii())
    }

    /// Whether the next line names a property.
    fn is_property(&self) -> bool {
        let mut lines = self.lines.clone();
        lines
            .find(|(_, line)| !line.starts_with(b"c"))
            .is_some_and(|(_, line)| matches!(line.first(), Some(b'b' | b'j')))
    }

    /// Demands a line of so many values.
    fn bits(&self, line: &'a [u8], count: usize, what: &str) -> Result<&'a [u8]> {
        if line.iter().any(|byte| !matches!(byte, b'0' | b'1' | b'x')) {
            return Err(self.invalid(format_args!("a line of {what} has 0, 1 and x, and nothing else")));
        }
        if line.len() != count {
            return Err(self.invalid(format_args!(
                "{} values stand here, and the circuit has {count} {what}: is it a trace of this one?",
                line.len()
            )));
        }
        Ok(line)
    }

    #[cold]
    fn invalid(&self, why: impl Display) -> Error {
        Error::invalid(format!("{}, line {}: {why}", self.name, self.line))
    }
}
