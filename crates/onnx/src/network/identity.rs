//! The identity of a network: a digest of what a proof about it depends on, and of nothing else.
//!
//! Bytes of files vary, and names within a graph mean nothing: neither is in it. Those of inputs and outputs are, since
//! values are given by them. Weights' values are not either, so that a
//! file and its public graph are one network. Whatever decides on an integer is: each `match` names all there is, so
//! that what is new has to be put in.

use super::{Bilinear, FORMAT, Kind, Layer, Network, Power, Quantity, Step};
use crate::operator::Window;
use blake3::Hasher;
use volery_channel::error::Result;

impl Network<'_> {
    /// The identity, which another network has only by a collision of the hash.
    pub fn identity(&self) -> [u8; 32] {
        self.identity
    }

    /// Computes the identity, for which values of public constants are read.
    pub(super) fn digest(&self) -> Result<[u8; 32]> {
        let mut canonical = Canonical(Hasher::new_derive_key("volery network v1"));
        canonical.text(FORMAT);
        canonical.lengths(&self.inputs);
        self.inputs.iter().for_each(|&input| canonical.text(self.tensors[input].name));
        canonical.lengths(&self.outputs);
        self.output_names().for_each(|name| canonical.text(name));
        canonical.length(self.weights.len());
        for weight in &self.weights {
            canonical.length(weight.count);
            canonical.number(weight.bits.into());
        }
        canonical.length(self.tensors.len());
        for i in 0..self.tensors.len() {
            self.tensor(i, &mut canonical)?;
        }
        canonical.length(self.tables.len());
        for table in &self.tables {
            canonical.length(table.values.len());
            table.values.iter().for_each(|&value| canonical.number(value.into()));
        }
        canonical.length(self.wides.len());
        for table in &self.wides {
            canonical.length(table.values.len());
            table.values.iter().for_each(|&value| canonical.number(value.into()));
        }
        canonical.length(self.layers.len());
        for Layer { name: _, operator: _, step, inputs, output } in &self.layers {
            canonical.step(step);
            canonical.lengths(inputs);
            canonical.length(*output);
        }
        Ok(canonical.0.finalize().into())
    }

    fn tensor(&self, i: usize, canonical: &mut Canonical) -> Result<()> {
        let Quantity { name: _, shape, exponent, kind, bound: _, degree: _, origin } = &self.tensors[i];
        canonical.lengths(shape);
        canonical.number((*exponent).into());
        canonical.number(match kind {
            Kind::Held => 0,
            Kind::Sum => 1,
            Kind::Weight => 2,
            Kind::Public => 3,
            Kind::LookedUp => 4,
            Kind::Index => 5,
            Kind::Wide => 6,
        });
        // A tensor that was moved is told by its layer, too.
        match (origin, self.weight_of(i)) {
            (None, _) => {}
            (Some(_), Some(weight)) => canonical.length(weight.at),
            (Some(origin), None) => {
                let values = self.entries(*origin)?;
                canonical.length(values.len());
                values.iter().for_each(|&value| canonical.number(value));
            }
        }
        Ok(())
    }
}

/// The canonical form, as it is hashed: each list behind its length, each case behind its number.
struct Canonical(Hasher);

impl Canonical {
    fn number(&mut self, number: i64) {
        self.0.update(&number.to_le_bytes());
    }

    fn length(&mut self, length: usize) {
        self.number(length as i64);
    }

    fn lengths(&mut self, lengths: &[usize]) {
        self.length(lengths.len());
        lengths.iter().for_each(|&length| self.length(length));
    }

    fn shifts(&mut self, shifts: &[u32]) {
        self.length(shifts.len());
        shifts.iter().for_each(|&shift| self.number(shift.into()));
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.update(text.as_bytes());
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Same => self.number(0),
            Step::Requantise { shift } => {
                self.number(1);
                self.number((*shift).into());
            }
            Step::Table(table) => {
                self.number(2);
                self.length(*table);
            }
            Step::Add { shifts } => {
                self.number(3);
                self.shifts(shifts);
            }
            Step::Subtract { shifts } => {
                self.number(4);
                self.shifts(shifts);
            }
            Step::Multiply => self.number(5),
            Step::Bilinear { form, shifts } => {
                self.number(6);
                self.bilinear(form);
                self.shifts(shifts);
            }
            Step::Sum { axes } => {
                self.number(7);
                self.lengths(axes);
            }
            Step::Move { places, shifts } => {
                self.number(8);
                places.describe(&mut |number| self.number(number));
                self.shifts(shifts);
            }
            Step::MaxPool(window) => {
                self.number(9);
                self.window(window);
            }
            Step::ReduceMaximum { axes } => {
                self.number(10);
                self.lengths(axes);
            }
            Step::Maximum => self.number(11),
            Step::ArgMax { axis } => {
                self.number(12);
                self.length(*axis);
            }
            Step::Wide { table, powers } => {
                self.number(13);
                self.length(*table);
                self.length(powers.len());
                for Power { factor, summand } in powers {
                    self.number(*factor);
                    self.number(*summand);
                }
            }
            Step::Rows => self.number(14),
        }
    }

    fn bilinear(&mut self, form: &Bilinear) {
        match form {
            Bilinear::MatMul { transposed } => {
                self.number(0);
                self.number((*transposed).into());
            }
            Bilinear::Conv { window, groups } => {
                self.number(1);
                self.window(window);
                self.length(*groups);
            }
            Bilinear::ConvTranspose { window, groups } => {
                self.number(2);
                self.window(window);
                self.length(*groups);
            }
        }
    }

    fn window(&mut self, window: &Window) {
        let Window { kernel, strides, dilations, before, after } = window;
        [kernel, strides, dilations, before, after].into_iter().for_each(|lengths| self.lengths(lengths));
    }
}
