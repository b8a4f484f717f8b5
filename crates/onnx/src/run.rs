//! A run of a quantised network in the clear: exact, in 64 bits, and equal on every integer to the numpy
//! reference of the Python package.
//!
//! No sum passes 2^59, by the bounds that the [`Network`] was read with; a rounding whose result needs more than
//! 16 bits, or a key that its table has not, ends the run with the node and the place. Tensors are dropped, and
//! wiped, behind their last reader.
//!
//! Inner loops neither branch on values nor skip zeros. Tables, and rows that an input names, are looked up by address.
//! What is read for the last time becomes the result where that has as many elements.

mod kernels;

use crate::bilinear::Factor;
use crate::network::{Bilinear, HELD_BITS, Kind, Layer, Network, Quantity, Step};
use crate::operator::Places;
use crate::operator::places::{expand, ordered};
use core::mem;
use kernels::{combine, first_maximum, max_pool, reduce};
use std::collections::HashMap;
use volery_channel::error::{Error, Result};
use volery_primitives::SecretVec;

/// Integers of a tensor, in row-major order.
pub type Integers = SecretVec<i64>;

/// Watches a run: is handed each tensor that is an input or made by a layer.
pub type Watch<'w> = &'w mut dyn FnMut(&Quantity<'_>, &[i64]);

impl Network<'_> {
    /// The integers of an input for real numbers: ⌊x · 2^exponent + 1/2⌋, and indices as they are.
    ///
    /// # Errors
    /// `Invalid` where there is no such input, a number has none of 16 bits, or is no index.
    pub fn quantise(&self, input: &str, numbers: &[f64]) -> Result<Integers> {
        let quantity = self.input(input)?;
        let scale = f64::from(quantity.exponent).exp2();
        let mut integers = Integers::from(vec![0; numbers.len()]);
        for (place, (integer, &number)) in integers.iter_mut().zip(numbers).enumerate() {
            let rounded = (number * scale + 0.5).floor();
            if quantity.kind == Kind::Index {
                if rounded != number || !(0.0..2_147_483_648.0).contains(&number) {
                    let place = coordinates(&quantity.shape, place);
                    return Err(Error::invalid(format!(
                        "input {input:?} is {number} at {place:?}, which is no index of a row: a whole number from 0 on"
                    )));
                }
            } else if !(-32_768.0..32_768.0).contains(&rounded) {
                let place = coordinates(&quantity.shape, place);
                let most = 32_767.0 / scale;
                return Err(Error::invalid(format!(
                    "input {input:?} is {number} at {place:?}, and {most} is the most: scale it as for the float network, \
                     or calibrate with such inputs"
                )));
            }
            *integer = rounded as i64;
        }
        Ok(integers)
    }

    fn input(&self, name: &str) -> Result<&Quantity<'_>> {
        let mut inputs = self.inputs.iter().map(|&input| &self.tensors[input]);
        inputs.find(|input| input.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.inputs.iter().map(|&input| self.tensors[input].name).collect();
            Error::invalid(format!("the network has no input {name:?}: there are {names:?}"))
        })
    }

    /// Runs the network on integers by the names of its inputs, in row-major order, and returns those of its outputs, in
    /// their order.
    ///
    /// # Errors
    /// `Invalid` where inputs are not those of the network, `Unsatisfied` where a value needs more bits than it has.
    pub fn run(&self, inputs: &HashMap<String, Vec<i64>>, watch: Watch<'_>) -> Result<Vec<Integers>> {
        self.demand_weights()?;
        let mut run = Run { network: self, values: vec![], left: self.readers() };
        run.values.resize_with(self.tensors.len(), || None);
        for name in inputs.keys() {
            self.input(name)?;
        }
        for &input in &self.inputs {
            let quantity = &self.tensors[input];
            let given = inputs.get(quantity.name);
            let given =
                given.ok_or_else(|| Error::invalid(format!("input {:?} is missing", quantity.name)))?;
            if given.len() != quantity.count() {
                let (shape, count) = (&quantity.shape, given.len());
                return Err(Error::invalid(format!(
                    "input {:?} is of the shape {shape:?}, and is given {count} integers",
                    quantity.name
                )));
            }
            if quantity.kind == Kind::Held {
                demand_bits(&|| format!("input {:?}", quantity.name), quantity, given, HELD_BITS)?;
            }
            watch(quantity, given);
            run.values[input] = Some(Integers::from(given.clone()));
        }
        for layer in &self.layers {
            run.layer(layer, watch)?;
        }
        Ok(self.outputs.iter().map(|&output| Integers::from(run.load(output).to_vec())).collect())
    }

    /// The integers of a weight, or of what is public.
    pub(crate) fn constant(&self, tensor: usize) -> Result<Integers> {
        let origin = self.tensors[tensor].origin.expect("what no layer makes is a constant");
        Ok(Integers::from(mem::take(&mut *self.entries(origin)?)))
    }
}

/// A run.
struct Run<'n, 'f> {
    network: &'n Network<'f>,
    values: Vec<Option<Integers>>,
    /// How often each tensor is still to be read.
    left: Vec<usize>,
}

impl Run<'_, '_> {
    /// The integers of a tensor that is there.
    fn load(&self, tensor: usize) -> &[i64] {
        let values = &self.values[tensor];
        values.as_ref().expect("a tensor is loaded before it is read")
    }

    fn layer(&mut self, layer: &Layer<'_>, watch: Watch<'_>) -> Result<()> {
        for &input in &layer.inputs {
            if self.values[input].is_none() {
                self.values[input] = Some(self.network.constant(input)?);
            }
        }
        let values = self.compute(layer)?;
        let quantity = &self.network.tensors[layer.output];
        debug_assert_eq!(values.len(), quantity.count());
        watch(quantity, &values);
        for &input in &layer.inputs {
            self.left[input] -= 1;
            if self.left[input] == 0 {
                self.values[input] = None;
            }
        }
        if self.left[layer.output] > 0 {
            self.values[layer.output] = Some(values);
        }
        Ok(())
    }

    /// The integers of a tensor, to be changed: itself where it is not read again, else a copy.
    fn take(&mut self, tensor: usize) -> Integers {
        let values = &mut self.values[tensor];
        let taken = if self.left[tensor] == 1 { values.take() } else { values.clone() };
        taken.expect("a tensor is loaded before it is read")
    }

    /// The inputs of a layer, broadcast, and combined element by element.
    fn combine(&mut self, layer: &Layer<'_>, with: impl Fn(i64, i64) -> i64) -> Integers {
        let network = self.network;
        let shape = |tensor: usize| &*network.tensors[tensor].shape;
        let (first, output) = (layer.inputs[0], shape(layer.output));
        let mut combined = match expand(shape(first), output) {
            Places::Same => self.take(first),
            places => {
                let count = network.tensors[layer.output].count();
                Integers::from(places.apply(&[self.load(first)], count))
            }
        };
        for &other in &layer.inputs[1..] {
            combine(&mut combined, output, self.load(other), shape(other), &with);
        }
        combined
    }

    fn compute(&mut self, layer: &Layer<'_>) -> Result<Integers> {
        let network = self.network;
        let quantity = |i: usize| &network.tensors[layer.inputs[i]];
        let shape = |i: usize| &*quantity(i).shape;
        let output = &network.tensors[layer.output];
        let result = match &layer.step {
            Step::Same => self.take(layer.inputs[0]),
            Step::Requantise { shift } => {
                let mut values = self.take(layer.inputs[0]);
                let half = (1i64 << shift) >> 1;
                values.iter_mut().for_each(|value| *value = (*value + half) >> shift);
                demand_bits(&|| layer.to_string(), output, &values, HELD_BITS)?;
                values
            }
            Step::Table(table) => {
                let table = &network.tables[*table];
                let mut values = self.take(layer.inputs[0]);
                demand_bits(&|| format!("the key of {layer}"), output, &values, table.bits())?;
                let half = table.values.len() as i64 / 2;
                values.iter_mut().for_each(|key| *key = table.values[(*key + half) as usize].into());
                values
            }
            Step::Wide { table, powers } => {
                let table = &network.wides[*table];
                let range @ [first, end] = table.range(powers);
                let mut values = self.take(layer.inputs[0]);
                let what = || format!("{layer} reads values from {first} to {end}");
                demand_range(&what, quantity(0), &values, range, CALIBRATE, |_| "has no power".into())?;
                values.iter_mut().for_each(|value| *value = table.apply(powers, *value));
                values
            }
            Step::Rows => {
                let [rows, width] = [shape(0)[0], shape(0)[1..].iter().product()];
                let [of, indices] = [0, 1].map(|i| self.load(layer.inputs[i]));
                let what = || format!("the index of {layer} is one of {rows} rows");
                let advice = "give indices that its network knows";
                demand_range(&what, quantity(1), indices, [0, rows as i64], advice, |_| "names none".into())?;
                let row = |&index: &i64| &of[index as usize * width..][..width];
                let mut read = Integers::from(vec![0; output.count()]);
                for (read, index) in read.chunks_exact_mut(width).zip(indices) {
                    read.copy_from_slice(row(index));
                }
                read
            }
            Step::Add { shifts } => self.combine(layer, |a, b| (a << shifts[0]) + (b << shifts[1])),
            Step::Subtract { shifts } => self.combine(layer, |a, b| (a << shifts[0]) - (b << shifts[1])),
            Step::Multiply => self.combine(layer, |a, b| a * b),
            Step::Maximum => self.combine(layer, i64::max),
            Step::Bilinear { form, shifts } => {
                let factor = |i: usize| {
                    let values = self.load(layer.inputs[i]);
                    Factor { values, shape: shape(i), bound: quantity(i).factor_bound() }
                };
                let mut sums = form.sums(&network.pool, &factor(0), &factor(1), &output.shape);
                if let Some(&bias) = layer.inputs.get(2) {
                    // A bias of a convolution is one a channel.
                    let mut by_channel = vec![1; output.shape.len() - 1];
                    by_channel[0] = output.shape[1];
                    let shape = if let Bilinear::MatMul { .. } = form { shape(2) } else { &by_channel };
                    let add = |sum: i64, bias: i64| (sum << shifts[0]) + (bias << shifts[1]);
                    combine(&mut sums, &output.shape, self.load(bias), shape, add);
                }
                sums
            }
            Step::Sum { axes } => {
                reduce(self.load(layer.inputs[0]), shape(0), axes, |sum, value| sum + value)
            }
            Step::ReduceMaximum { axes } => reduce(self.load(layer.inputs[0]), shape(0), axes, i64::max),
            Step::Move { places: Places::Same, .. } => self.take(layer.inputs[0]),
            Step::Move { places, shifts } => {
                let raised = layer.inputs.iter().zip(shifts).map(|(&input, &shift)| {
                    let raised = self.load(input).iter().map(|value| value << shift);
                    (shift > 0).then(|| raised.collect())
                });
                let raised: Vec<Option<Integers>> = raised.collect();
                let inputs = raised.iter().zip(&layer.inputs);
                let inputs: Vec<&[i64]> = inputs
                    .map(|(raised, &input)| raised.as_deref().unwrap_or_else(|| self.load(input)))
                    .collect();
                Integers::from(places.apply(&inputs, output.count()))
            }
            Step::MaxPool(window) => {
                Integers::from(max_pool(self.load(layer.inputs[0]), shape(0), window, &output.shape))
            }
            Step::ArgMax { axis } => {
                let order: Vec<usize> = (0..shape(0).len()).filter(|i| i != axis).chain([*axis]).collect();
                let values = self.load(layer.inputs[0]);
                let values = Integers::from(ordered(shape(0), &order).apply(&[values], values.len()));
                values.chunks_exact(shape(0)[*axis]).map(first_maximum).collect()
            }
        };
        debug_assert!(
            output.kind == Kind::Index || result.iter().all(|value| value.unsigned_abs() <= output.bound)
        );
        Ok(result)
    }
}

/// Advice to whom a value overflows.
const CALIBRATE: &str = "quantise the network with such inputs, or with more room";

/// Demands that integers have `bits` bits.
fn demand_bits(what: &dyn Fn() -> String, quantity: &Quantity<'_>, values: &[i64], bits: u32) -> Result<()> {
    let half = 1i64 << (bits - 1);
    // Half the range added, those within it are not negative, and have no higher bits.
    let higher = values.iter().fold(0, |all, value| all | (value.wrapping_add(half) >> bits));
    if higher == 0 {
        return Ok(());
    }
    let what = || format!("{} fits {bits} bits", what());
    demand_range(&what, quantity, values, [-half, half], CALIBRATE, |value| {
        let needs = 65 - (if value < 0 { !value } else { value }).leading_zeros();
        format!("needs {needs} bits")
    })
}

/// Demands that integers are from the first on, and below the end.
fn demand_range(
    what: &dyn Fn() -> String,
    quantity: &Quantity<'_>,
    values: &[i64],
    [first, end]: [i64; 2],
    advice: &str,
    why: impl FnOnce(i64) -> String,
) -> Result<()> {
    // How far a value is beyond its range; none of them is for 0 at most. Inputs may be any integer.
    let beyond = |value: i64| value.saturating_sub(end - 1).max(first.saturating_sub(value));
    let count = values.iter().filter(|&&value| beyond(value) > 0).count();
    if count == 0 {
        return Ok(());
    }
    let furthest = (0..values.len()).rev().max_by_key(|&i| beyond(values[i])).unwrap_or(0);
    let value = values[furthest];
    let place = coordinates(&quantity.shape, furthest);
    Err(Error::Unsatisfied(format!(
        "that {}, where it is {value} at {place:?} and {}, {} too far, as {count} values do: {advice}; else it",
        what(),
        why(value),
        beyond(value)
    )))
}

/// The coordinates of an element by its place in row-major order.
fn coordinates(shape: &[usize], mut place: usize) -> Vec<usize> {
    let mut coordinates = vec![0; shape.len()];
    for (coordinate, length) in coordinates.iter_mut().zip(shape).rev() {
        *coordinate = place % length;
        place /= length;
    }
    coordinates
}
