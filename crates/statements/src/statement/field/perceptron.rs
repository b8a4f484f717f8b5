//! A multilayer perceptron in fixed point.
//!
//! A layer's sums are polynomials in its weights and in what it is given, so that a proof pays for weights,
//! which are shown to be short, and for what comes out of a layer, and not for its products.

use super::Elements;
use super::builtin::{LONGEST, expect};
use crate::statement::Port;
use crate::statement::builtin::numbers;
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Polynomials, Tables};
use volery_gadgets::gadget::{Element, Fixed};
use volery_primitives::Field;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "mlp?inputs=784&hidden=128&outputs=10&layers=1&count=1&bits=22&fraction=11",
    "the prover knows `weights` and `count` inputs `x` of which a perceptron with `layers` hidden layers of `hidden` \
     neurons (ReLU) makes `logits`, the largest at place `class`: integers of `bits` bits that stand for themselves \
     times 2^-`fraction`, products rounded down; of each layer the matrix, one row after the other, and then the \
     biases; in prime fields",
);

/// The most neurons of a layer, inputs, and layers.
const MOST: u64 = 1 << 16;

/// A perceptron.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Perceptron {
    inputs: u64,
    hidden: u64,
    outputs: u64,
    layers: u64,
    count: u64,
    fixed: Fixed,
}

/// Numbers that everybody knows, or wires.
enum Numbers<F, W> {
    Public(Vec<F>),
    Wires(Vec<W>),
}

impl Perceptron {
    pub(super) fn parse<F: Field>(name: &str, parameters: &str) -> Result<Self> {
        let keys = [
            ("inputs", 784),
            ("hidden", 128),
            ("outputs", 10),
            ("layers", 1),
            ("count", 1),
            ("bits", 22),
            ("fraction", 11),
        ];
        let [inputs, hidden, outputs, layers, count, bits, fraction] = numbers(name, parameters, keys)?;
        let refused = |why: String| Error::invalid(format!("builtin:{name}{why}"));
        for (key, value, least) in [
            ("inputs", inputs, 1),
            ("hidden", hidden, 1),
            ("outputs", outputs, 1),
            ("layers", layers, 0),
            ("count", count, 1),
        ] {
            if !(least..=MOST).contains(&value) {
                return Err(refused(format!(" with {key}={value}: choose from {least} to {MOST}")));
            }
        }
        let few = |bits: u64| u32::try_from(bits).unwrap_or(u32::MAX);
        let fixed = Fixed::new::<F>(few(bits), few(fraction)).map_err(|why| refused(format!(": {why}")))?;
        let this = Self { inputs, hidden, outputs, layers, count, fixed };
        let terms = this.sizes().into_iter().map(|[of, _]| of).max().expect("a layer");
        fixed.check_products::<F>(terms).map_err(|why| refused(format!(": {why}")))?;
        if this.weights() > LONGEST {
            return Err(refused(format!(" with {} weights: choose at most {LONGEST}", this.weights())));
        }
        if count * inputs.max(hidden).max(outputs) > LONGEST {
            return Err(refused(format!(
                " with count={count}: the inputs of all, and what a layer makes of them, are at most {LONGEST}"
            )));
        }
        Ok(this)
    }

    pub(super) fn canonical(&self) -> String {
        let Self { inputs, hidden, outputs, layers, count, fixed } = self;
        let (bits, fraction) = (fixed.bits(), fixed.fraction());
        format!(
            "mlp?inputs={inputs}&hidden={hidden}&outputs={outputs}&layers={layers}&count={count}&bits={bits}\
             &fraction={fraction}"
        )
    }

    /// The text that identifies the weights' shape among all perceptrons. It leaves out how many inputs a
    /// proof is about.
    pub(super) fn model(&self) -> String {
        let Self { inputs, hidden, outputs, layers, count: _, fixed } = self;
        let (bits, fraction) = (fixed.bits(), fixed.fraction());
        format!(
            "inputs={inputs} hidden={hidden} outputs={outputs} layers={layers} bits={bits} fraction={fraction}"
        )
    }

    pub(super) fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        (
            vec![Port::new("x", self.count * self.inputs), Port::new("weights", self.weights())],
            vec![Port::new("class", self.count), Port::new("logits", self.count * self.outputs)],
        )
    }

    /// The numbers that each layer is given, and those that it makes; hidden layers first.
    fn sizes(&self) -> Vec<[u64; 2]> {
        let mut of = self.inputs;
        let hidden = (0..self.layers).map(|_| self.hidden).chain([self.outputs]);
        hidden.map(|made| [core::mem::replace(&mut of, made), made]).collect()
    }

    /// The bits of a number.
    pub(super) fn bits(&self) -> u32 {
        self.fixed.bits()
    }

    /// The form of numbers.
    pub(super) fn fixed(&self) -> Fixed {
        self.fixed
    }

    /// The number of weights and biases.
    pub(super) fn weights(&self) -> u64 {
        self.sizes().into_iter().map(|[of, made]| (of + 1) * made).sum()
    }

    /// Pushes the statement, with the inputs and outputs that are public: where `weights` are given, they are
    /// numbers on wires, known to be short.
    pub(super) fn run<B: Polynomials + Tables>(
        &self,
        b: &mut B,
        inputs: [Option<&Elements<B::F>>; 2],
        outputs: [Option<&Elements<B::F>>; 2],
        weights: Option<&[B::Wire]>,
    ) -> Result<()> {
        let weights_at = |b: &mut B, [first, count]: [u64; 2], name: &dyn Display| match weights {
            Some(wires) => Ok(Numbers::Wires(wires[first as usize..][..count as usize].to_vec())),
            None => self.read(b, inputs[1], [first, count], name),
        };
        let fixed = self.fixed;
        let mut xs = Vec::with_capacity(self.count as usize);
        for i in 0..self.count {
            xs.push(self.read(b, inputs[0], [i * self.inputs, self.inputs], &"x")?);
        }
        let last = self.layers;
        let mut read = 0;
        for (layer, [of, made]) in (0..).zip(self.sizes()) {
            let mut sums = vec![Vec::with_capacity(made as usize); xs.len()];
            for neuron in 0..made {
                let of_each = b.scope(|b| {
                    let name = format_args!("weights of neuron {neuron} of layer {layer}");
                    let row = weights_at(b, [read, of], &name)?;
                    xs.iter()
                        .map(|x| inner_product(b, &row, x).map(Element::Wire))
                        .collect::<Result<Vec<_>>>()
                })?;
                read += of;
                for (sums, sum) in sums.iter_mut().zip(of_each) {
                    sums.push(sum.wire(b));
                }
            }
            let name = format_args!("biases of layer {layer}");
            let biases = weights_at(b, [read, made], &name)?.wires(b);
            read += made;
            // As far behind the point as products.
            let factors = [B::F::ONE, B::F::place(fixed.fraction())];
            let name = format_args!("what layer {layer} makes is within {} bits", fixed.bits());
            for (x, mut sums) in xs.iter_mut().zip(sums) {
                for (sum, bias) in sums.iter_mut().zip(&biases) {
                    *sum = b.linear(&factors, &[*sum, *bias]);
                }
                *x = Numbers::Wires(if layer < last {
                    fixed.floor_relu(b, &sums, name)?
                } else {
                    fixed.floor(b, &sums, name)?
                });
            }
        }
        for (input, x) in (0..).zip(xs) {
            let logits = x.wires(b);
            for (i, logit) in (input * self.outputs..).zip(&logits) {
                expect(b, Element::Wire(*logit), outputs[1], i, format_args!("logits[{i}]"))?;
            }
            // Nobody asks for it where the logits alone are public.
            if outputs[0].is_some() || outputs[1].is_none() {
                let class = fixed.argmax(b, &logits, "the largest logit")?;
                expect(b, Element::Wire(class), outputs[0], input, format_args!("class[{input}]"))?;
            }
        }
        Ok(())
    }

    /// Reads `count` numbers from a place on, of an input that is public or of the witness.
    fn read<B: Tables>(
        &self,
        b: &mut B,
        public: Option<&Elements<B::F>>,
        [first, count]: [u64; 2],
        name: &dyn Display,
    ) -> Result<Numbers<B::F, B::Wire>> {
        let Some(public) = public else {
            let wires = (0..count).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            self.fixed.assert_numbers(b, &wires, name)?;
            return Ok(Numbers::Wires(wires));
        };
        let public = &public.as_slice()[first as usize..][..count as usize];
        if let Some(i) = public.iter().position(|value| self.fixed.integer(*value).is_none()) {
            let (bits, i) = (self.fixed.bits(), first + i as u64);
            return Err(Error::invalid(format!("{name}: number {i} is no signed integer of {bits} bits")));
        }
        Ok(Numbers::Public(public.to_vec()))
    }
}

impl<F: Field, W: Copy> Numbers<F, W> {
    /// The numbers on wires.
    fn wires<B: Backend<F = F, Wire = W>>(self, b: &mut B) -> Vec<W> {
        match self {
            Self::Public(values) => values.into_iter().map(|value| b.constant(value)).collect(),
            Self::Wires(wires) => wires,
        }
    }
}

/// Σ xs[i] · ys[i], committed to where neither is public.
fn inner_product<B: Polynomials>(
    b: &mut B,
    xs: &Numbers<B::F, B::Wire>,
    ys: &Numbers<B::F, B::Wire>,
) -> Result<B::Wire> {
    match (xs, ys) {
        (Numbers::Public(factors), Numbers::Wires(wires))
        | (Numbers::Wires(wires), Numbers::Public(factors)) => Ok(b.linear(factors, wires)),
        (Numbers::Public(xs), Numbers::Public(ys)) => {
            let sum = xs.iter().zip(ys).map(|(x, y)| *x * *y).sum();
            Ok(b.constant(sum))
        }
        (Numbers::Wires(xs), Numbers::Wires(ys)) => {
            let sum = b.inner_product(xs, ys)?;
            Ok(b.commit(&sum)?[0])
        }
    }
}
