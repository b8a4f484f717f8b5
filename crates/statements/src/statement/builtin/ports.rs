//! The inputs and outputs of a built-in statement, as it meets them while it runs.

use crate::statement::{Port, Value};
use core::fmt::{self, Display};
use core::ops::Range;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_circuit::stream::Handle;
use volery_gadgets::gadget::{Bit, Bytes, Word};
use volery_primitives::F2;

/// The source of a statement's inputs, and the destination of its outputs, whatever these are.
///
/// A statement takes each bit of each input once: one input after the other, and of each
/// its bits [`in_turn`].
pub(in crate::statement) trait Ports<B: Backend<F = F2>> {
    /// The inputs, which count from 0.
    fn inputs(&self) -> &[Port];

    /// Bit `bit` of input `port`.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    fn input(&mut self, b: &mut B, port: usize, bit: u64) -> Result<Bit<B::Wire>>;

    /// Takes bit `bit` of output `port`.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    fn output(&mut self, b: &mut B, port: usize, bit: u64, value: Bit<B::Wire>) -> Result<()>;

    /// Takes output `port`, of one bit that is to be one. `otherwise` says how it can be that it is not.
    ///
    /// # Errors
    /// Those of [`Ports::output`].
    fn claim(&mut self, b: &mut B, port: usize, value: Bit<B::Wire>, _otherwise: impl Display) -> Result<()> {
        self.output(b, port, 0, value)
    }

    /// The bytes at `places` of those that input `port` prints as; a string is read by pieces
    /// from its first byte.
    ///
    /// # Errors
    /// Those of [`Ports::input`].
    fn bytes(&mut self, b: &mut B, port: usize, places: Range<u64>) -> Result<Bytes<B::Wire>> {
        let length = self.inputs()[port].width / 8;
        let byte = |place| {
            let mut bits = [Bit::Public(false); 8];
            for (i, bit) in (0..).zip(&mut bits) {
                *bit = self.input(b, port, 8 * (length - 1 - place) + i)?;
            }
            Ok(Word::new(bits))
        };
        places.map(byte).collect()
    }

    /// Takes all of output `port`, its first wire first.
    ///
    /// # Errors
    /// Those of [`Ports::output`].
    fn give(&mut self, b: &mut B, port: usize, bits: impl IntoIterator<Item = Bit<B::Wire>>) -> Result<()> {
        (0..).zip(bits).try_for_each(|(i, bit)| self.output(b, port, i, bit))
    }
}

/// The order in which the bits of an input of `width` are read: byte by byte, from the first that it prints
/// as, which is the most significant, and within each from the least significant bit.
pub(in crate::statement) fn in_turn(width: u64) -> impl Iterator<Item = u64> {
    let bytes = (0..width.div_ceil(8)).rev();
    bytes.flat_map(move |byte| (8 * byte..8 * byte + 8).take_while(move |&bit| bit < width))
}

/// The ports of a statement: inputs are public or come out of the witness, and outputs that are
/// public are asserted.
pub(in crate::statement) struct Stated<'a> {
    pub(in crate::statement) inputs: (&'a [Port], &'a [Option<Value>]),
    pub(in crate::statement) outputs: (&'a [Port], &'a [Option<Value>]),
    /// The instance, where this is one of several.
    pub(in crate::statement) instance: Option<Instance<'a>>,
}

/// One of several instances.
pub(in crate::statement) struct Instance<'a> {
    pub(in crate::statement) number: usize,
    /// The wires of its public bits, where they are on wires.
    pub(in crate::statement) on_wires: Option<OnWires<'a>>,
}

/// The instance that a name is of: see [`Stated::whose`].
pub(in crate::statement) struct Whose(Option<usize>);

impl Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |number| write!(f, " of instance {number}"))
    }
}

/// The wires of public bits: for each input, and each output, where its bits begin among them, if it is public.
#[derive(Clone, Copy)]
pub(in crate::statement) struct OnWires<'a> {
    pub(in crate::statement) wires: &'a [Handle],
    pub(in crate::statement) inputs: &'a [Option<usize>],
    pub(in crate::statement) outputs: &'a [Option<usize>],
}

impl OnWires<'_> {
    /// A bit of a port that begins there, if it is public.
    fn bit(&self, begin: Option<usize>, bit: u64) -> Option<Bit<Handle>> {
        begin.map(|begin| Bit::Wire(self.wires[begin + bit as usize]))
    }
}

impl Stated<'_> {
    fn on_wires(&self) -> Option<OnWires<'_>> {
        self.instance.as_ref()?.on_wires
    }

    /// The end of a name: of which instance it is, where there are several.
    pub(in crate::statement) fn whose(&self) -> Whose {
        Whose(self.instance.as_ref().map(|instance| instance.number))
    }

    /// The value that bit `bit` of output `port` is to have, if it is public.
    fn expected(&self, port: usize, bit: u64) -> Option<Bit<Handle>> {
        match self.on_wires() {
            Some(on) => on.bit(on.outputs[port], bit),
            None => self.outputs.1[port].as_ref().map(|value| Bit::Public(value.bit(bit).to_bool())),
        }
    }
}

/// The bits of a file, whose ports a statement may make public one by one.
impl Stated<'_> {
    /// Bit `bit` of input `port`.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    pub(in crate::statement) fn file_input<B: Backend<F = F2, Wire = Handle>>(
        &self,
        b: &mut B,
        port: usize,
        bit: u64,
    ) -> Result<Bit<Handle>> {
        let public = match self.on_wires() {
            Some(on) => on.bit(on.inputs[port], bit),
            None => self.inputs.1[port].as_ref().map(|value| Bit::Public(value.bit(bit).to_bool())),
        };
        public.map_or_else(|| Bit::witness(b), Ok)
    }

    /// Takes bit `bit` of output `port`, which the file has at `place`.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub(in crate::statement) fn file_output<B: Backend<F = F2, Wire = Handle>>(
        &self,
        b: &mut B,
        (port, bit): (usize, u64),
        value: Bit<Handle>,
        place: impl Display,
    ) -> Result<()> {
        let Some(expected) = self.expected(port, bit) else { return Ok(()) };
        let wire = value.wire(b);
        // A function has no outputs, which would be those of all instances.
        if self.instance.is_none() {
            b.output(port, bit, wire)?;
        }
        let expected = expected.wire(b);
        let difference = b.add(wire, expected);
        let (name, whose) = (&self.outputs.0[port].name, self.whose());
        b.assert_zero(difference, format_args!("{name}[{bit}]{place}{whose}"))
    }
}

impl<B: Backend<F = F2, Wire = Handle>> Ports<B> for Stated<'_> {
    fn inputs(&self) -> &[Port] {
        self.inputs.0
    }

    fn input(&mut self, b: &mut B, port: usize, bit: u64) -> Result<Bit<B::Wire>> {
        if let Some(on) = self.on_wires() {
            return on.bit(on.inputs[port], bit).map_or_else(|| Bit::witness(b), Ok);
        }
        match &self.inputs.1[port] {
            Some(value) => Ok(Bit::Public(value.bit(bit).to_bool())),
            // Gates are counted where no values are given yet.
            None if self.inputs.0[port].public => Ok(Bit::Public(false)),
            None => Bit::witness(b),
        }
    }

    fn output(&mut self, b: &mut B, port: usize, bit: u64, value: Bit<B::Wire>) -> Result<()> {
        let Some(expected) = self.expected(port, bit) else { return Ok(()) };
        let (name, whose) = (&self.outputs.0[port].name, self.whose());
        value.assert_equal(b, expected, format_args!("{name}[{bit}]{whose}"))
    }

    fn claim(&mut self, b: &mut B, port: usize, value: Bit<B::Wire>, otherwise: impl Display) -> Result<()> {
        let (ports, values) = self.outputs;
        match &values[port] {
            Some(expected) if self.instance.is_none() && expected.bit(0).to_bool() => {
                let name = &ports[port].name;
                value.assert_true(b, format_args!("{name} = 1 ({otherwise})"))
            }
            _ => self.output(b, port, 0, value),
        }
    }
}
