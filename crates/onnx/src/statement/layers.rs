//! A network layer by layer: which tensors are there, and whose wires they are.

use super::step::{Computing, Made, Tensor, place_of_largest, signed};
use super::values::{beyond, element, integer};
use super::wide::{rows_of_powers, rows_of_table};
use crate::network::{HELD_BITS, Kind, Layer, Network, Step, Weight};
use std::collections::HashMap;
use std::rc::Rc;
use std::{iter, mem, slice};
use volery_channel::error::{Error, Result};
use volery_circuit::port::PublicValues;
use volery_circuit::{Machine, Rows, Sequence, Tables};
use volery_primitives::F61;

/// The bits of an index that is public.
pub const INDEX_BITS: u32 = 32;

/// Wires that were made together, and the number of tensors that are on some of them.
struct Owner<W> {
    wires: Rc<Vec<W>>,
    tensors: usize,
    /// Whether a wire may be there more than once.
    repeats: bool,
}

/// A tensor, and the owners of its wires.
struct Held<W> {
    tensor: Tensor<W>,
    owners: Vec<usize>,
}

/// A function that gives the wires of a weight, by its number in the list.
pub(super) type GivesWeight<'l, B> =
    dyn FnMut(&mut B, usize) -> Result<Vec<<B as volery_circuit::Backend>::Wire>> + 'l;

/// The weights of a network, as its statement has them.
pub(super) enum Weights<'l, B: Machine> {
    /// The weights of the file, which are public.
    OfFile,
    /// An input, public or in the witness.
    Input,
    /// Wires that somebody gives for weight number so and so, in their order, and has shown to have their bits.
    By(&'l mut GivesWeight<'l, B>),
    /// Wires that another statement has handed on, of which it has shown that.
    Carried,
}

/// The origin of weights that are no constants of the file.
enum Given<'l, B: Machine> {
    Input,
    By(&'l mut GivesWeight<'l, B>),
    Carried,
}

/// Weights that are an input, or on wires.
struct Apart<'l, 'f, B: Machine> {
    from: Given<'l, B>,
    /// The weights that are still to be read, in the order of the input.
    left: slice::Iter<'l, Weight<'f>>,
    /// The weights that were read, by their tensors in the graph: with their owner, and the number of tensors that they
    /// are still to become.
    read: HashMap<usize, (Tensor<B::Wire>, usize, usize)>,
}

/// The layers of a network, pushed into a backend.
pub(super) struct Layers<'l, 'f, B: Machine> {
    b: &'l mut B,
    network: &'l Network<'f>,
    /// The inputs that the network is applied to.
    count: usize,
    held: Vec<Option<Held<B::Wire>>>,
    /// How often each tensor is still to be read.
    left: Vec<usize>,
    owners: Vec<Owner<B::Wire>>,
    tables: Vec<B::Table>,
    /// The tables of leading bits.
    wides: Vec<B::Table>,
    /// Whether each tensor is the key of a table.
    keys: Vec<bool>,
    weights: Option<Apart<'l, 'f, B>>,
}

impl<'l, 'f, B: Machine<F = F61>> Layers<'l, 'f, B> {
    /// Pushes the whole network, of `count` inputs.
    pub(super) fn push(
        b: &'l mut B,
        network: &'l Network<'f>,
        (count, weights): (usize, Weights<'l, B>),
        stated: PublicValues<'_, F61>,
    ) -> Result<()> {
        let apart = |from| Some(Apart { from, left: network.weights().iter(), read: HashMap::new() });
        let weights = match weights {
            Weights::OfFile => None,
            Weights::Input => apart(Given::Input),
            Weights::By(gives) => apart(Given::By(gives)),
            Weights::Carried => apart(Given::Carried),
        };
        let (held, left) =
            (iter::repeat_with(|| None).take(network.tensors.len()).collect(), network.readers());
        let (owners, tables) = (Vec::new(), tables(b, network)?);
        let wides = network.wides.iter().map(|table| rows_of_table(b, table)).collect::<Result<_>>()?;
        let mut keys = vec![false; network.tensors.len()];
        for layer in network.layers.iter().filter(|layer| matches!(layer.step, Step::Table(_))) {
            keys[layer.inputs[0]] = true;
        }
        let mut layers = Self { b, network, count, held, left, owners, tables, wides, keys, weights };
        for (place, &input) in network.inputs.iter().enumerate() {
            layers.input(input, stated.inputs[place])?;
        }
        let weights = stated.inputs.get(network.inputs.len()).copied().flatten();
        let mut left = &network.layers[..];
        while !left.is_empty() {
            let (chain, behind) = left.split_at(layers.chained(left));
            layers.chain(chain, weights)?;
            left = behind;
        }
        // Those that no layer reads are of the input, too.
        while layers.next_weight(weights)? {}
        layers.outputs(stated.outputs)
    }

    /// Reads an input, which is public or in the witness.
    fn input(&mut self, input: usize, public: Option<&dyn Sequence<F61>>) -> Result<()> {
        let quantity = &self.network.tensors[input];
        let what = format!("input {:?}", quantity.name);
        // That an index names a row is shown where it does.
        let bits = if quantity.kind == Kind::Index { None } else { Some(HELD_BITS) };
        let wires = read(self.b, (&what, bits), (0, self.count * quantity.count()), public)?;
        let held = match wires {
            Read::Wires(wires) => self.own(Tensor::Each(Rc::new(wires)), false),
            Read::Public(integers) => {
                let wires = integers.iter().map(|integer| self.b.constant(element(*integer))).collect();
                self.own(Tensor::Each(Rc::new(wires)), false)
            }
        };
        self.held[input] = Some(held);
        Ok(())
    }

    /// Reads all weights, demands that they have their bits, and hands them on.
    pub(super) fn hand_on(
        b: &mut B,
        network: &Network<'_>,
        public: Option<&dyn Sequence<F61>>,
    ) -> Result<()> {
        for weight in network.weights() {
            let what = format!("weight {:?}", weight.name);
            let wires = match read(b, (&what, Some(weight.bits)), (weight.at as u64, weight.count), public)? {
                Read::Wires(wires) => wires,
                Read::Public(integers) => {
                    integers.iter().map(|integer| b.constant(element(*integer))).collect()
                }
            };
            b.outgoing(&wires)?;
            b.forget(&wires);
        }
        Ok(())
    }

    /// The number of weights that are still to be read.
    fn weights_left(&self) -> usize {
        self.weights.as_ref().map_or(0, |weights| weights.left.len())
    }

    /// Reads the next weight, if there is one.
    fn next_weight(&mut self, public: Option<&dyn Sequence<F61>>) -> Result<bool> {
        let Some(weight) = self.weights.as_mut().and_then(|weights| weights.left.next()) else {
            return Ok(false);
        };
        // A constant that was moved is made by a layer.
        let is_made = |place| self.network.layers.iter().any(|layer| layer.output == place);
        let tensors = self.network.tensors.iter().enumerate();
        let tensors = tensors.filter(|(_, tensor)| tensor.origin == Some(weight.origin));
        let tensors = tensors.filter(|(place, _)| !is_made(*place)).count();
        let number = self.network.weights().len() - 1 - self.weights_left();
        let read = match &mut self.weights.as_mut().expect("weights apart").from {
            Given::By(gives) => Read::Wires(gives(self.b, number)?),
            Given::Carried => Read::Wires(self.b.incoming(weight.count)?),
            Given::Input => {
                let what = format!("weight {:?}", weight.name);
                read(self.b, (&what, Some(weight.bits)), (weight.at as u64, weight.count), public)?
            }
        };
        let (tensor, owner) = match read {
            Read::Public(integers) => (Tensor::Public(integers), usize::MAX),
            Read::Wires(wires) => {
                let wires = Rc::new(wires);
                self.owners.push(Owner { wires: wires.clone(), tensors, repeats: false });
                (Tensor::Same(wires), self.owners.len() - 1)
            }
        };
        let weights = self.weights.as_mut().expect("weights apart");
        weights.read.insert(weight.origin, (tensor, owner, tensors));
        Ok(true)
    }

    /// The tensor of a constant: a weight, or what is public.
    fn constant(&mut self, tensor: usize, public: Option<&dyn Sequence<F61>>) -> Result<Held<B::Wire>> {
        let quantity = &self.network.tensors[tensor];
        let origin = quantity.origin.expect("what no layer makes is a constant");
        if quantity.kind != Kind::Weight || self.weights.is_none() {
            let mut integers = self.network.entries(origin)?;
            let tensor = Tensor::Public(mem::take(&mut *integers));
            return Ok(Held { tensor, owners: Vec::new() });
        }
        loop {
            let weights = self.weights.as_mut().expect("weights apart");
            if let Some((tensor, owner, tensors)) = weights.read.get_mut(&origin) {
                *tensors -= 1;
                let owners = Some(*owner).filter(|owner| *owner != usize::MAX).into_iter().collect();
                let tensor = tensor.clone();
                if *tensors == 0 {
                    weights.read.remove(&origin);
                }
                return Ok(Held { tensor, owners });
            }
            assert!(self.next_weight(public)?, "a weight that is still to be read");
        }
    }

    /// The number of layers that are one chain: those behind the first read what the one before makes, which nobody else
    /// does, and all compute each element by itself.
    fn chained(&self, layers: &[Layer<'f>]) -> usize {
        let begins = match &layers[0].step {
            Step::Requantise { shift } => *shift > 0,
            Step::Bilinear { .. } | Step::Add { .. } | Step::Subtract { .. } | Step::Table(_) => true,
            _ => false,
        };
        let goes_on = |pair: &[Layer<'f>]| {
            let simple = matches!(&pair[1].step, Step::Requantise { .. } | Step::Table(_) | Step::Same);
            simple && pair[1].inputs == [pair[0].output] && self.left[pair[0].output] == 1
        };
        1 + layers.windows(2).take_while(|pair| begins && goes_on(pair)).count()
    }

    /// Computes a chain of layers.
    fn chain(&mut self, chain: &[Layer<'f>], weights: Option<&dyn Sequence<F61>>) -> Result<()> {
        let first = &chain[0];
        for &input in &first.inputs {
            if self.held[input].is_none() {
                self.held[input] = Some(self.constant(input, weights)?);
            }
        }
        let spent: Vec<_> = first.inputs.iter().map(|&input| self.is_spent(input)).collect();
        let made = self.compute(chain, &spent)?;
        for &input in &first.inputs {
            self.left[input] -= 1;
            if self.left[input] == 0 {
                let held = self.held[input].take();
                self.leave(held);
            }
        }
        let output = chain[chain.len() - 1].output;
        self.held[output] = Some(made);
        if self.left[output] == 0 {
            let held = self.held[output].take();
            self.leave(held);
        }
        Ok(())
    }

    /// Whether an input that is read now is never read again, nothing else is on its wires, and it is once on each.
    fn is_spent(&self, input: usize) -> bool {
        let Some(Held { tensor: Tensor::Same(wires) | Tensor::Each(wires), owners }) = &self.held[input]
        else {
            return false;
        };
        let is_alone =
            |owner: &Owner<_>| owner.tensors == 1 && !owner.repeats && Rc::ptr_eq(&owner.wires, wires);
        self.left[input] == 1 && matches!(owners[..], [owner] if is_alone(&self.owners[owner]))
    }

    /// Computes a chain of layers, which may forget the wires of inputs that are `spent`.
    fn compute(&mut self, chain: &[Layer<'f>], spent: &[bool]) -> Result<Held<B::Wire>> {
        let layer = &chain[0];
        let inputs: Vec<_> =
            layer.inputs.iter().map(|&input| self.held[input].as_ref().expect("it was loaded")).collect();
        let tensors: Vec<_> = inputs.iter().map(|held| &held.tensor).collect();
        let each = tensors.iter().any(|tensor| tensor.is_each());
        // Moves share wires with what they are of, and so does what is not rounded.
        let shares = match &layer.step {
            Step::Move { shifts, .. } => shifts.iter().all(|shift| *shift == 0),
            Step::Same | Step::Requantise { shift: 0 } => true,
            _ => false,
        };
        let owners = inputs.iter().filter(|_| shares).flat_map(|held| held.owners.iter().copied());
        let shared: Vec<_> = owners.collect();
        let Self { b, network, count, tables, wides, keys, .. } = self;
        // Outside of the scope, as tables are.
        let mut powers = match &layer.step {
            Step::Wide { table, powers } => rows_of_powers(*b, network.wides[*table].base_bits(), powers)?,
            _ => None,
        };
        let Made(wires) = b.scope(|b| {
            let mut computing =
                Computing { b, network, tables, wides, powers: powers.as_mut(), count: *count, keys, spent };
            computing.compute(chain, &tensors).map(Made)
        })?;
        let wires = Rc::new(wires);
        let tensor = if each { Tensor::Each(wires) } else { Tensor::Same(wires) };
        if shared.is_empty() {
            // What is moved may be so to several places.
            return Ok(self.own(tensor, matches!(layer.step, Step::Move { .. })));
        }
        shared.iter().for_each(|owner| self.owners[*owner].tensors += 1);
        Ok(Held { tensor, owners: shared })
    }

    /// A tensor on wires that were made for it.
    fn own(&mut self, tensor: Tensor<B::Wire>, repeats: bool) -> Held<B::Wire> {
        let (Tensor::Same(wires) | Tensor::Each(wires)) = &tensor else {
            return Held { tensor, owners: Vec::new() };
        };
        self.owners.push(Owner { wires: wires.clone(), tensors: 1, repeats });
        Held { tensor, owners: vec![self.owners.len() - 1] }
    }

    /// Forgets a tensor, and wires that are no other's.
    fn leave(&mut self, held: Option<Held<B::Wire>>) {
        for owner in held.into_iter().flat_map(|held| held.owners) {
            let owner = &mut self.owners[owner];
            owner.tensors -= 1;
            if owner.tensors == 0 {
                self.b.forget(&std::mem::take(&mut owner.wires));
            }
        }
    }

    /// Demands that outputs are what is public of them.
    fn outputs(&mut self, public: &[Option<&dyn Sequence<F61>>]) -> Result<()> {
        let network = self.network;
        for (&output, values) in network.outputs.iter().zip(public) {
            let Some(values) = values else { continue };
            let wires = self.output(output);
            self.expect(&wires, *values, network.tensors[output].name)?;
        }
        let class = public.get(network.outputs.len()).copied().flatten();
        let Some(class) = class else { return Ok(()) };
        let output = network.outputs[0];
        let row = network.tensors[output].shape.last().copied().unwrap_or(1);
        let mut places = Vec::new();
        for row in self.output(output).chunks_exact(row) {
            places.push(place_of_largest(self.b, row, &super::CLASS)?);
        }
        self.expect(&places, class, super::CLASS)
    }

    fn output(&self, output: usize) -> Vec<B::Wire> {
        match &self.held[output].as_ref().expect("outputs are kept").tensor {
            Tensor::Same(wires) => wires.iter().copied().cycle().take(self.count * wires.len()).collect(),
            Tensor::Each(wires) => wires.to_vec(),
            Tensor::Public(_) => unreachable!("an output depends on wires"),
        }
    }

    fn expect(&mut self, wires: &[B::Wire], values: &dyn Sequence<F61>, name: &str) -> Result<()> {
        for (place, wire) in (0..).zip(wires) {
            self.b.scope(|b| {
                let minus = b.constant(-values.element(place));
                let difference = b.add(*wire, minus);
                b.assert_zero(difference, format_args!("{name}[{place}]"))
            })?;
        }
        Ok(())
    }
}

/// Integers that were read.
enum Read<W> {
    Public(Vec<i64>),
    Wires(Vec<W>),
}

/// Reads integers of so many bits: those of a public sequence, or of the witness.
fn read<B: Machine<F = F61>>(
    b: &mut B,
    (what, bits): (&str, Option<u32>),
    (first, count): (u64, usize),
    public: Option<&dyn Sequence<F61>>,
) -> Result<Read<B::Wire>> {
    let Some(values) = public else {
        let mut wires = vec![B::Wire::default(); count];
        b.witnesses(&mut wires)?;
        if let Some(bits) = bits {
            let name = format!("{what} fits {bits} bits");
            b.scope(|b| signed(b, &wires, bits, &name))?;
        }
        return Ok(Read::Wires(wires));
    };
    let bits = bits.unwrap_or(INDEX_BITS);
    if let Some((place, value)) = beyond(values, first, count, bits) {
        return Err(Error::invalid(format!(
            "{what} has {value} at {place}, which is no signed integer of {bits} bits"
        )));
    }
    Ok(Read::Public((0..count as u64).map(|i| integer(values.element(first + i))).collect()))
}

/// The tables of a network.
fn tables<B: Tables<F = F61>>(b: &mut B, network: &Network<'_>) -> Result<Vec<B::Table>> {
    let each = network.tables.iter().map(|table| {
        let half = table.values.len() as i64 / 2;
        // First those whose keys are their numbers.
        let keys = (0..half).chain(-half..0);
        let value = |key: i64| i64::from(table.values[(key + half) as usize]);
        let entries: Vec<_> = keys.flat_map(|key| [element(key), element(value(key))]).collect();
        b.table(Rows { key: 1, value: 1, entries: &entries })
    });
    each.collect()
}
