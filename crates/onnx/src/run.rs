//! A run of a quantised network in the clear: exact, in 64 bits, and equal on every integer to the numpy
//! reference of the Python package.
//!
//! No sum passes 2^59, by the bounds that the [`Network`] was read with; a rounding whose result needs more than
//! 16 bits, or a key that its table has not, ends the run with the node and the place. Tensors are dropped, and
//! wiped, behind their last reader.
//!
//! Inner loops neither branch on values nor skip zeros. Tables, and rows that an input names, are looked up by address.

mod kernels;

use crate::network::{Bilinear, HELD_BITS, Kind, Layer, Network, Quantity, Step};
use crate::operator::places::{expand, ordered};
use kernels::{Spread, conv, mat_mul, max_pool};
use std::borrow::Cow;
use std::collections::HashMap;
use volery_channel::error::{Error, Result};
use zeroize::Zeroizing;

/// Integers of a tensor, in row-major order.
pub type Integers = Zeroizing<Vec<i64>>;

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
        let mut integers = Zeroizing::new(Vec::with_capacity(numbers.len()));
        for (place, &number) in numbers.iter().enumerate() {
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
            integers.push(rounded as i64);
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
    /// `Invalid` where inputs are not those of the network, or it lacks its weights; `Unsatisfied` where a value needs more
    /// bits than it has.
    pub fn run(&self, inputs: &HashMap<String, Vec<i64>>, watch: Watch<'_>) -> Result<Vec<Integers>> {
        self.demand_weights()?;
        let mut run = Run { network: self, values: vec![], left: vec![0; self.tensors.len()] };
        run.values.resize_with(self.tensors.len(), || None);
        for &read in self.layers.iter().flat_map(|layer| &layer.inputs).chain(&self.outputs) {
            run.left[read] += 1;
        }
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
                demand_bits(&format!("input {:?}", quantity.name), quantity, given, HELD_BITS)?;
            }
            watch(quantity, given);
            run.values[input] = Some(Zeroizing::new(given.clone()));
        }
        for layer in &self.layers {
            run.layer(layer, watch)?;
        }
        self.outputs
            .iter()
            .map(|&output| run.load(output).map(|values| Zeroizing::new(values.to_vec())))
            .collect()
    }

    /// The integers of a weight, or of what is public.
    pub(crate) fn constant(&self, tensor: usize) -> Result<Integers> {
        let origin = self.tensors[tensor].origin.expect("what no layer makes is a constant");
        self.entries(origin)
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
    fn load(&self, tensor: usize) -> Result<Cow<'_, [i64]>> {
        match &self.values[tensor] {
            Some(values) => Ok(Cow::Borrowed(values)),
            None => unreachable!("{} is loaded before it is read", self.network.tensors[tensor].name),
        }
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

    fn compute(&self, layer: &Layer<'_>) -> Result<Integers> {
        let values = |i: usize| -> &[i64] {
            let input = &self.values[layer.inputs[i]];
            input.as_ref().expect("an input of a layer is loaded")
        };
        let quantity = |i: usize| &self.network.tensors[layer.inputs[i]];
        let shape = |i: usize| &*quantity(i).shape;
        let output = &self.network.tensors[layer.output];
        // An input as it meets the output: broadcast, and multiplied by a power of two.
        let broadcast = |i: usize, shift: u32| -> Integers {
            let mut values =
                Zeroizing::new(expand(shape(i), &output.shape).apply(&[values(i)], output.count()));
            raise(&mut values, shift);
            values
        };
        // Rows along axes that become one element each.
        let rows = |axes: &[usize]| -> (Integers, usize) {
            let kept = (0..shape(0).len()).filter(|axis| !axes.contains(axis));
            let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
            let width = axes.iter().map(|&axis| shape(0)[axis]).product();
            (Zeroizing::new(ordered(shape(0), &order).apply(&[values(0)], values(0).len())), width)
        };
        let result = match &layer.step {
            Step::Same => Zeroizing::new(values(0).to_vec()),
            Step::Requantise { shift } => {
                let half = (1i64 << shift) >> 1;
                let rounded: Vec<i64> = values(0).iter().map(|value| (value + half) >> shift).collect();
                let rounded = Zeroizing::new(rounded);
                demand_bits(&layer.to_string(), output, &rounded, HELD_BITS)?;
                rounded
            }
            Step::Table(table) => {
                let table = &self.network.tables[*table];
                demand_bits(&format!("the key of {layer}"), output, values(0), table.bits())?;
                let half = table.values.len() as i64 / 2;
                Zeroizing::new(
                    values(0).iter().map(|key| table.values[(key + half) as usize].into()).collect(),
                )
            }
            Step::Wide { table, powers } => {
                let table = &self.network.wides[*table];
                let range @ [first, end] = table.range(powers);
                let what = format!("{layer} reads values from {first} to {end}");
                demand_range(&what, quantity(0), values(0), range, CALIBRATE, |_| "has no power".into())?;
                Zeroizing::new(values(0).iter().map(|&value| table.apply(powers, value)).collect())
            }
            Step::Rows => {
                let [rows, width] = [shape(0)[0], shape(0)[1..].iter().product()];
                let what = format!("the index of {layer} is one of {rows} rows");
                let advice = "give indices that its network knows";
                demand_range(&what, quantity(1), values(1), [0, rows as i64], advice, |_| {
                    "names none".into()
                })?;
                let mut read = Zeroizing::new(Vec::with_capacity(output.count()));
                for &index in values(1) {
                    read.extend_from_slice(&values(0)[index as usize * width..][..width]);
                }
                read
            }
            Step::Add { shifts } => combine(broadcast(0, shifts[0]), &broadcast(1, shifts[1]), |a, b| a + b),
            Step::Subtract { shifts } => {
                combine(broadcast(0, shifts[0]), &broadcast(1, shifts[1]), |a, b| a - b)
            }
            Step::Multiply => combine(broadcast(0, 0), &broadcast(1, 0), |a, b| a * b),
            Step::Bilinear { form, shifts } => {
                let (first, second) = (values(0), values(1));
                let mut sums = bilinear(form, (first, shape(0)), (second, shape(1)), &output.shape);
                let bias = layer.inputs.len() > 2;
                if bias {
                    raise(&mut sums, shifts[0]);
                    // A bias of a convolution is one a channel.
                    let added = match form {
                        Bilinear::MatMul { .. } => broadcast(2, shifts[1]),
                        _ => {
                            let place: usize = output.shape[2..].iter().product();
                            let mut biases = Zeroizing::new(vec![]);
                            for _ in 0..output.shape[0] {
                                biases.extend(
                                    values(2).iter().flat_map(|bias| core::iter::repeat_n(*bias, place)),
                                );
                            }
                            raise(&mut biases, shifts[1]);
                            biases
                        }
                    };
                    sums = combine(sums, &added, |a, b| a + b);
                }
                sums
            }
            Step::Sum { axes } => {
                let (values, width) = rows(axes);
                Zeroizing::new(values.chunks_exact(width).map(|row| row.iter().sum()).collect())
            }
            Step::Move { places, shifts } => {
                let raised = layer.inputs.iter().zip(shifts).enumerate().map(|(i, (_, &shift))| {
                    let mut values = Zeroizing::new(values(i).to_vec());
                    raise(&mut values, shift);
                    values
                });
                let raised: Vec<Integers> = raised.collect();
                let inputs: Vec<&[i64]> = raised.iter().map(|values| &***values).collect();
                Zeroizing::new(places.apply(&inputs, output.count()))
            }
            Step::MaxPool(window) => Zeroizing::new(max_pool(values(0), shape(0), window, &output.shape)),
            Step::ReduceMaximum { axes } => {
                let (values, width) = rows(axes);
                let maxima = values.chunks_exact(width);
                Zeroizing::new(
                    maxima.map(|row| row.iter().fold(i64::MIN, |most, value| most.max(*value))).collect(),
                )
            }
            Step::Maximum => {
                let others = (1..layer.inputs.len()).map(|i| broadcast(i, 0));
                others.fold(broadcast(0, 0), |most, other| combine(most, &other, i64::max))
            }
            Step::ArgMax { axis } => {
                let (values, width) = rows(&[*axis]);
                Zeroizing::new(values.chunks_exact(width).map(first_maximum).collect())
            }
        };
        debug_assert!(
            output.kind == Kind::Index || result.iter().all(|value| value.unsigned_abs() <= output.bound)
        );
        Ok(result)
    }
}

/// The sums of a form of two tensors with their shapes, in the shape `output`.
pub(crate) fn bilinear(
    form: &Bilinear,
    (first, shape): (&[i64], &[usize]),
    (second, second_shape): (&[i64], &[usize]),
    output: &[usize],
) -> Integers {
    let mut sums = Zeroizing::new(vec![0; output.iter().product()]);
    let (spread, window, groups) = match form {
        Bilinear::MatMul { transposed } => {
            mat_mul(first, shape, second, second_shape, *transposed, &mut sums);
            return sums;
        }
        Bilinear::Conv { window, groups } => (Spread::Gathered, window, *groups),
        Bilinear::ConvTranspose { window, groups } => (Spread::Scattered, window, *groups),
    };
    conv(spread, first, shape, second, second_shape, window, groups, output, &mut sums);
    sums
}

fn first_maximum(row: &[i64]) -> i64 {
    let mut best = (row[0], 0);
    for (i, &value) in (0..).zip(row) {
        best = if value > best.0 { (value, i) } else { best };
    }
    best.1
}

fn combine(mut first: Integers, second: &[i64], with: impl Fn(i64, i64) -> i64) -> Integers {
    for (a, b) in first.iter_mut().zip(second) {
        *a = with(*a, *b);
    }
    first
}

/// Multiplies integers by a power of two.
fn raise(values: &mut [i64], shift: u32) {
    if shift > 0 {
        for value in values {
            *value <<= shift;
        }
    }
}

/// Advice to whom a value overflows.
const CALIBRATE: &str = "quantise the network with such inputs, or with more room";

/// Demands that integers have `bits` bits.
fn demand_bits(what: &str, quantity: &Quantity<'_>, values: &[i64], bits: u32) -> Result<()> {
    let half = 1i64 << (bits - 1);
    demand_range(&format!("{what} fits {bits} bits"), quantity, values, [-half, half], CALIBRATE, |value| {
        let needs = 65 - (if value < 0 { !value } else { value }).leading_zeros();
        format!("needs {needs} bits")
    })
}

/// Demands that integers are from the first on, and below the end.
fn demand_range(
    what: &str,
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
        "that {what}, where it is {value} at {place:?} and {}, {} too far, as {count} values do: {advice}; else it",
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
