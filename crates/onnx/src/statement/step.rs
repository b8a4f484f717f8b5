//! The gates of one layer.

use super::form::{Sums, Windows};
use super::maxima::maxima;
use super::values::{element, integer};
use super::wide::wide;
use crate::network::{Bilinear, HELD_BITS, Layer, Network, SUM_LIMIT, Step};
use crate::operator::places::{expand, ordered};
use core::fmt::Display;
use core::ops::Range;
use std::rc::Rc;
use volery_channel::error::Result;
use volery_circuit::{Accesses, Cells, Entries, Machine, Polynomials, Tables, Wires};
use volery_gadgets::gadget::Fixed;
use volery_primitives::{F61, Field};

/// The bits of a remainder, where that can be chosen: it is looked up whole.
const REMAINDER_BITS: u32 = 16;

/// Elements of a tensor that are computed at a time: so what is made on the way takes little memory.
const TOGETHER: usize = 1 << 14;

/// A tensor, as the statement has it.
#[derive(Clone, Debug)]
pub(super) enum Tensor<W> {
    /// Integers that both parties know.
    Public(Vec<i64>),
    /// Wires, which are the same for all inputs.
    Same(Rc<Vec<W>>),
    /// Wires, those of one input behind those of the other.
    Each(Rc<Vec<W>>),
}

impl<W> Tensor<W> {
    pub(super) fn is_each(&self) -> bool {
        matches!(self, Self::Each(_))
    }

    /// Whether it is on these wires, all of them.
    fn is_on(&self, column: &Rc<Vec<W>>) -> bool {
        matches!(self, Self::Same(wires) | Self::Each(wires) if Rc::ptr_eq(wires, column))
    }
}

/// Wires that a scope makes.
pub(super) struct Made<W>(pub(super) Vec<W>);

impl<W: Copy> Wires<W> for Made<W> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.0.iter().copied().for_each(take);
    }
}

/// The backend with all that a layer is computed by.
pub(super) struct Computing<'c, 'f, B: Machine> {
    pub(super) b: &'c mut B,
    pub(super) network: &'c Network<'f>,
    pub(super) tables: &'c mut [B::Table],
    pub(super) wides: &'c mut [B::Table],
    /// The powers of this layer, where there are several.
    pub(super) powers: Option<&'c mut B::Table>,
    /// The inputs that the network is applied to.
    pub(super) count: usize,
    /// Whether each tensor is the key of a table, which shows that it has its bits.
    pub(super) keys: &'c [bool],
    /// Whether nobody else reads the wires of each input of the chain, which are forgotten as soon as may be.
    pub(super) spent: &'c [bool],
}

/// Wires of elements in a row, and whether they are forgotten once they are read.
type Column<W> = (Rc<Vec<W>>, bool);

impl<B: Machine<F = F61>> Computing<'_, '_, B> {
    /// The wires of the output of a chain's last layer; `inputs` are those of the first.
    pub(super) fn compute(
        &mut self,
        chain: &[Layer<'_>],
        inputs: &[&Tensor<B::Wire>],
    ) -> Result<Vec<B::Wire>> {
        let layer = &chain[0];
        let output = &self.network.tensors[layer.output];
        let quantity = |i: usize| &self.network.tensors[layer.inputs[i]];
        let shape = |i: usize| &*quantity(i).shape;
        let each = inputs.iter().any(|input| input.is_each());
        match &layer.step {
            Step::Same => Ok(self.wires(inputs[0]).to_vec()),
            Step::Move { places, shifts } => {
                let zero = self.b.constant(F61::ZERO);
                let raised: Vec<_> = inputs
                    .iter()
                    .zip(shifts)
                    .map(|(input, shift)| {
                        let wires = self.wires(input);
                        // Where one is raised, others are copied, so that all are this layer's own.
                        let shares = shifts.iter().all(|shift| *shift == 0);
                        let raised = match shares {
                            true => Vec::new(),
                            false => self.b.linear_rows(&[F61::place(*shift)], &[&wires]),
                        };
                        let wires = if shares { &**wires } else { &raised };
                        wires.iter().copied().map(Some).collect::<Vec<_>>()
                    })
                    .collect();
                let runs = if each { self.count } else { 1 };
                let mut moved = Vec::with_capacity(runs * output.count());
                for run in 0..runs {
                    let of_run: Vec<_> = raised
                        .iter()
                        .zip(inputs)
                        .map(|(wires, input)| if input.is_each() { part(wires, run, runs) } else { wires })
                        .collect();
                    moved.extend(
                        places.apply(&of_run, output.count()).into_iter().map(|wire| wire.unwrap_or(zero)),
                    );
                }
                Ok(moved)
            }
            Step::Requantise { .. } | Step::Table(_) => {
                let column = (self.wires(inputs[0]), self.spent[0]);
                self.element_by_element(chain, &[column])
            }
            Step::Wide { table, powers } => {
                let values = self.wires(inputs[0]);
                let (of_rows, table) = (&mut self.wides[*table], &self.network.wides[*table]);
                let name = format!("the value of {layer} has a power");
                wide(self.b, (table, of_rows), (powers, self.powers.take()), &values, &name)
            }
            Step::Rows => self.rows(inputs, shape(0), layer),
            Step::Add { .. } | Step::Subtract { .. } => {
                let columns = [0, 1].map(|i| {
                    let column = self.broadcast(inputs[i], shape(i), &output.shape, each);
                    let is_spent = self.spent[i] && inputs[i].is_on(&column);
                    (column, is_spent)
                });
                self.element_by_element(chain, &columns)
            }
            Step::Multiply => self.multiplied(inputs, [shape(0), shape(1)], &output.shape),
            Step::Bilinear { form, .. } => {
                let sums = self.bilinear(form, inputs, [shape(0), shape(1), &output.shape], layer)?;
                for (input, _) in inputs.iter().zip(self.spent).take(2).filter(|(_, spent)| **spent) {
                    let wires = self.wires(input);
                    self.b.forget(&wires);
                }
                let Some(bias) = inputs.get(2) else {
                    return match &chain[1..] {
                        [] => Ok(sums),
                        behind => self.element_by_element(behind, &[(Rc::new(sums), true)]),
                    };
                };
                // Where the bias alone differs between inputs, so many have the same sums.
                let shared = each && !inputs[..2].iter().any(|input| input.is_each());
                let sums = if shared { sums.repeat(self.count) } else { sums };
                // A bias of a convolution is one a channel.
                let mut of_channels = vec![1; output.shape.len()];
                let bias_shape = match form {
                    Bilinear::MatMul { .. } => shape(2),
                    _ => {
                        of_channels[1] = output.shape[1];
                        &of_channels
                    }
                };
                let bias = self.broadcast(bias, bias_shape, &output.shape, each);
                self.element_by_element(chain, &[(Rc::new(sums), !shared), (bias, false)])
            }
            Step::Sum { axes } => {
                let columns = self.columns(inputs[0], shape(0), axes);
                let columns: Vec<_> = columns.iter().map(|column| &column[..]).collect();
                Ok(self.b.linear_rows(&vec![F61::ONE; columns.len()], &columns))
            }
            Step::ReduceMaximum { axes } => {
                let columns = self.columns(inputs[0], shape(0), axes);
                let columns: Vec<_> = columns.into_iter().map(Rc::new).collect();
                self.largest(&columns, layer)
            }
            Step::Maximum => {
                let columns: Vec<_> = (0..inputs.len())
                    .map(|i| self.broadcast(inputs[i], shape(i), &output.shape, each))
                    .collect();
                self.largest(&columns, layer)
            }
            Step::MaxPool(window) => {
                let wires = self.wires(inputs[0]);
                let windows = Windows::new(shape(0), window, &output.shape);
                let count = wires.len() / windows.plane() * windows.places();
                self.largest_of(count, layer, |rows| windows.columns(&wires, rows))
            }
            Step::ArgMax { axis } => {
                let columns = self.columns(inputs[0], shape(0), &[*axis]);
                let rows =
                    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect());
                let rows: Vec<Vec<_>> = rows.collect();
                let name = layer.to_string();
                rows.iter().map(|row| place_of_largest(self.b, row, &name)).collect()
            }
        }
    }

    /// A tensor's wires; those of what is public are made.
    fn wires(&mut self, tensor: &Tensor<B::Wire>) -> Rc<Vec<B::Wire>> {
        match tensor {
            Tensor::Public(integers) => {
                Rc::new(integers.iter().map(|integer| self.b.constant(element(*integer))).collect())
            }
            Tensor::Same(wires) | Tensor::Each(wires) => wires.clone(),
        }
    }

    /// A tensor's wires, broadcast to the shape of an output, which differs between `each` input or not.
    fn broadcast(
        &mut self,
        tensor: &Tensor<B::Wire>,
        shape: &[usize],
        output: &[usize],
        each: bool,
    ) -> Rc<Vec<B::Wire>> {
        let (wires, runs) = (self.wires(tensor), if each { self.count } else { 1 });
        if shape == output && (tensor.is_each() || runs == 1) {
            return wires;
        }
        let (places, count) = (expand(shape, output), output.iter().product());
        let of_run = |run| {
            let wires = if tensor.is_each() { part(&wires, run, runs) } else { &wires };
            places.apply(&[wires], count)
        };
        Rc::new((0..runs).flat_map(of_run).collect())
    }

    /// The columns of what lies along axes: one for each of their places.
    fn columns(&mut self, tensor: &Tensor<B::Wire>, shape: &[usize], axes: &[usize]) -> Vec<Vec<B::Wire>> {
        let wires = self.wires(tensor);
        let kept = (0..shape.len()).filter(|axis| !axes.contains(axis));
        let order: Vec<usize> = axes.iter().copied().chain(kept).collect();
        let (places, count) = (ordered(shape, &order), shape.iter().product::<usize>());
        let width: usize = axes.iter().map(|&axis| shape[axis]).product();
        let mut columns = vec![Vec::with_capacity(wires.len() / width); width];
        for of_input in wires.chunks_exact(count) {
            let moved = places.apply(&[of_input], count);
            let rows = moved.chunks_exact(count / width);
            columns.iter_mut().zip(rows).for_each(|(column, row)| column.extend_from_slice(row));
        }
        columns
    }

    /// The last of layers that compute each element by itself, of these columns, some elements at a time: of what lies
    /// between, no more is there, and what is spent goes with it.
    fn element_by_element(
        &mut self,
        chain: &[Layer<'_>],
        columns: &[Column<B::Wire>],
    ) -> Result<Vec<B::Wire>> {
        let count = columns[0].0.len();
        // What no layer computes is on the wires that it was on.
        let computes = |layer: &Layer<'_>| !matches!(&layer.step, Step::Same | Step::Requantise { shift: 0 });
        let moves_on = chain.iter().any(computes);
        let mut all = Vec::with_capacity(count);
        for first in (0..count).step_by(TOGETHER) {
            let rows = first..count.min(first + TOGETHER);
            self.b.open_scope();
            let mut made = Vec::new();
            for (place, layer) in chain.iter().enumerate() {
                let given: Vec<_> = match place {
                    0 => columns.iter().map(|(column, _)| &column[rows.clone()]).collect(),
                    _ => vec![&made[..]],
                };
                made = self.elements(layer, &given)?;
            }
            self.b.close_scope(&made);
            all.append(&mut made);
            for (column, _) in columns.iter().filter(|(_, spent)| *spent && moves_on) {
                self.b.forget(&column[rows.clone()]);
            }
        }
        Ok(all)
    }

    /// Some elements of a layer that computes each by itself.
    fn elements(&mut self, layer: &Layer<'_>, columns: &[&[B::Wire]]) -> Result<Vec<B::Wire>> {
        match &layer.step {
            Step::Same => Ok(columns[0].to_vec()),
            Step::Add { shifts } | Step::Bilinear { shifts, .. } => {
                Ok(self.b.linear_rows(&[F61::place(shifts[0]), F61::place(shifts[1])], columns))
            }
            Step::Subtract { shifts } => {
                Ok(self.b.linear_rows(&[F61::place(shifts[0]), -F61::place(shifts[1])], columns))
            }
            Step::Requantise { shift } => self.rounded(columns[0], *shift, layer),
            Step::Table(table) => {
                let name = format!("the key of {layer} is in its table");
                let mut values = self.b.look_up_rows(&mut self.tables[*table], columns, &name)?;
                Ok(values.pop().expect("a column of values"))
            }
            _ => unreachable!("its elements are computed together"),
        }
    }

    /// Rounds sums, whose magnitudes are at most the bound of the layer's input.
    fn rounded(&mut self, sums: &[B::Wire], shift: u32, layer: &Layer<'_>) -> Result<Vec<B::Wire>> {
        let are_keys = self.keys[layer.output];
        let name = format!("{layer} fits {HELD_BITS} bits");
        if shift == 0 {
            if !are_keys {
                signed(self.b, sums, HELD_BITS, &name)?;
            }
            return Ok(sums.to_vec());
        }
        let half = 1i64 << (shift - 1);
        let rounded = self.b.hints(sums, sums.len(), move |sums| {
            sums.iter().map(|sum| element((integer(*sum) + half) >> shift)).collect()
        })?;
        let longer = REMAINDER_BITS.saturating_sub(shift);
        let bound = self.network.tensors[layer.inputs[0]].bound;
        let is_exact = u128::from(bound) << longer < SUM_LIMIT.into();
        let longer = if is_exact { longer } else { 0 };
        let factors = [F61::place(longer), -F61::place(shift + longer)];
        let remainders = self.b.linear_rows(&factors, &[sums, &rounded]);
        signed(self.b, &remainders, shift + longer, &format_args!("the remainder of {layer}"))?;
        if !are_keys {
            signed(self.b, &rounded, HELD_BITS, &name)?;
        }
        Ok(rounded)
    }

    /// The products of two tensors, element by element.
    fn multiplied(
        &mut self,
        inputs: &[&Tensor<B::Wire>],
        shapes: [&[usize]; 2],
        output: &[usize],
    ) -> Result<Vec<B::Wire>> {
        let each = inputs.iter().any(|input| input.is_each());
        for side in [0, 1] {
            let Tensor::Public(factors) = inputs[side] else { continue };
            let wires = self.broadcast(inputs[1 - side], shapes[1 - side], output, each);
            if let [factor] = factors[..] {
                return Ok(self.b.linear_rows(&[element(factor)], &[&wires]));
            }
            let factors = expand(shapes[side], output).apply(&[factors], output.iter().product());
            let factors = factors.iter().cycle().map(|factor| element(*factor));
            return Ok(wires.iter().zip(factors).map(|(wire, factor)| self.b.scale(*wire, factor)).collect());
        }
        let [x, y] = [0, 1].map(|side| self.broadcast(inputs[side], shapes[side], output, each));
        let mut products = Vec::with_capacity(x.len());
        for (x, y) in x.chunks(TOGETHER).zip(y.chunks(TOGETHER)) {
            let (x, y) = (self.b.vector(x), self.b.vector(y));
            let product = self.b.product(&x, &y)?;
            products.extend(self.b.commit(&product)?);
        }
        Ok(products)
    }

    /// The rows of the first tensor that the second names: it is a memory, which is only read.
    fn rows(
        &mut self,
        inputs: &[&Tensor<B::Wire>],
        shape: &[usize],
        layer: &Layer<'_>,
    ) -> Result<Vec<B::Wire>> {
        let width: usize = shape[1..].iter().product();
        let (runs, indices) = (if inputs[0].is_each() { self.count } else { 1 }, self.wires(inputs[1]));
        let name = format!("an index of {layer} names a row");
        let mut rows = Vec::with_capacity(indices.len() * width);
        for run in 0..runs {
            let mut memory = match inputs[0] {
                Tensor::Public(integers) => {
                    let cells: Vec<_> = integers.iter().map(|integer| element(*integer)).collect();
                    self.b.memory(Cells::Public(&cells), width)?
                }
                Tensor::Same(wires) => self.b.memory(Cells::Wires(wires), width)?,
                Tensor::Each(wires) => self.b.memory(Cells::Wires(part(wires, run, runs)), width)?,
            };
            let address = if inputs[1].is_each() { part(&indices, run, runs) } else { &indices };
            let ports = [Accesses { address, put: None }];
            let columns = self.b.access_rows(&mut memory, &ports, &name)?;
            self.b.close(memory)?;
            rows.extend((0..address.len()).flat_map(|row| columns.iter().map(move |column| column[row])));
        }
        Ok(rows)
    }

    /// The sums of products of a form, which are hinted and asserted; few that are linear are computed.
    fn bilinear(
        &mut self,
        form: &Bilinear,
        inputs: &[&Tensor<B::Wire>],
        [first, second, output]: [&[usize]; 3],
        layer: &Layer<'_>,
    ) -> Result<Vec<B::Wire>> {
        let xs = self.wires(inputs[0]);
        // Inputs that share weights are so many rows, or images, more.
        let (runs, together) = match (inputs[0].is_each(), inputs[1].is_each()) {
            (true, false) => (1, self.count),
            (false, false) => (1, 1),
            (_, true) => (self.count, 1),
        };
        let bounds = [0, 1].map(|i| self.network.tensors[layer.inputs[i]].factor_bound());
        let of = Sums::new(form, [first, second], output, bounds, together);
        let mut sums = Vec::new();
        for run in 0..runs {
            let xs = of.list(0, if inputs[0].is_each() && runs > 1 { part(&xs, run, runs) } else { &xs });
            let [products, _] = of.form.products();
            match inputs[1] {
                Tensor::Public(factors) if products <= 2 * (xs.len() + factors.len()) as u64 => {
                    sums.extend(self.by_terms(&of, &xs, &of.list(1, factors))?);
                }
                Tensor::Public(factors) => sums.extend(self.hinted(
                    &of,
                    [first, second, output],
                    (&xs, factors),
                    layer,
                    |b, of, (xs, factors), name| {
                        let factors = of.list(1, factors);
                        let constants: Vec<_> = factors.iter().map(|factor| element(*factor)).collect();
                        let sums =
                            b.hints(xs, of.form.lengths()[2], of.hint(b.threads(), Some(factors.to_vec())))?;
                        b.assert_bilinear(&of.form, (xs, Entries::Public(&constants), &sums), name)?;
                        Ok(sums)
                    },
                )?),
                Tensor::Same(ws) | Tensor::Each(ws) => {
                    let ws = if inputs[1].is_each() { part(ws, run, runs) } else { ws };
                    sums.extend(self.hinted(
                        &of,
                        [first, second, output],
                        (&xs, ws),
                        layer,
                        |b, of, (xs, ws), name| {
                            let ws = of.list(1, ws);
                            let both = [xs, &ws].concat();
                            let sums = b.hints(&both, of.form.lengths()[2], of.hint(b.threads(), None))?;
                            b.assert_bilinear(&of.form, (xs, Entries::Wires(&ws), &sums), name)?;
                            Ok(sums)
                        },
                    )?);
                }
            }
        }
        Ok(sums)
    }

    /// Sums that `hint` makes and asserts, for some outputs at a time: of whole layers weights take much memory.
    fn hinted<T: Copy>(
        &mut self,
        of: &Sums,
        [first, second, output]: [&[usize]; 3],
        (xs, ws): (&[B::Wire], &[T]),
        layer: &Layer<'_>,
        hint: impl Fn(&mut B, &Sums, (&[B::Wire], &[T]), &dyn Display) -> Result<Vec<B::Wire>>,
    ) -> Result<Vec<B::Wire>> {
        let name = format!("the sums of {layer}");
        let mut hint = |of: &Sums, ws: &[T]| self.b.scope(|b| hint(b, of, (xs, ws), &name).map(Made));
        let Some(parts) = of.parts() else { return Ok(hint(of, ws)?.0) };
        let mut sums = vec![B::Wire::default(); of.form.lengths()[2]];
        for range in parts {
            let (part, ws) = of.part([first, second], output, (&range, ws));
            of.place(&range, &hint(&part, &ws)?.0, &mut sums);
        }
        Ok(sums)
    }

    /// The sums of products with public factors, term by term.
    fn by_terms(&mut self, of: &Sums, wires: &[B::Wire], factors: &[i64]) -> Result<Vec<B::Wire>> {
        let mut sums = Vec::with_capacity(of.form.lengths()[2]);
        let (mut terms, mut by) = (Vec::new(), Vec::new());
        of.form.entries(&mut |_, products| {
            terms.clear();
            by.clear();
            terms.extend(products.iter().map(|(i, _)| wires[*i]));
            by.extend(products.iter().map(|(_, j)| element(factors[*j])));
            sums.push(self.b.linear(&by, &terms));
            Ok(())
        })?;
        Ok(sums)
    }

    fn largest(&mut self, columns: &[Rc<Vec<B::Wire>>], layer: &Layer<'_>) -> Result<Vec<B::Wire>> {
        let some = |rows: Range<usize>| {
            columns.iter().map(|column| column[rows.clone()].iter().copied().map(Some).collect()).collect()
        };
        self.largest_of(columns[0].len(), layer, some)
    }

    /// The largest of each row, of which `columns` gives some.
    fn largest_of(
        &mut self,
        count: usize,
        layer: &Layer<'_>,
        columns: impl Fn(Range<usize>) -> Vec<Vec<Option<B::Wire>>>,
    ) -> Result<Vec<B::Wire>> {
        let name = format!("the maxima of {layer}");
        let mut all = Vec::with_capacity(count);
        for first in (0..count).step_by(TOGETHER) {
            let columns = columns(first..count.min(first + TOGETHER));
            let Made(some) = self.b.scope(|b| {
                let largest = maxima(b, &columns, &name)?;
                let largest: Vec<_> =
                    largest.into_iter().map(|wire| wire.expect("a window meets something")).collect();
                // That of one alone is a wire of the input: so all are copied.
                Ok(Made(b.linear_rows(&[F61::ONE], &[&largest])))
            })?;
            all.extend(some);
        }
        Ok(all)
    }
}

/// Part number `run` of `runs` of equal lengths.
fn part<T>(of: &[T], run: usize, runs: usize) -> &[T] {
    let length = of.len() / runs;
    &of[run * length..][..length]
}

/// Demands that integers have so many bits, in two's complement.
pub(crate) fn signed<B: Tables<F = F61>>(
    b: &mut B,
    integers: &[B::Wire],
    bits: u32,
    name: &dyn Display,
) -> Result<()> {
    let half = b.constant(F61::place(bits - 1));
    let above: Vec<_> = integers.iter().map(|integer| b.add(*integer, half)).collect();
    b.assert_within(&above, bits, name)
}

/// The place of the largest of a row, the first of several.
pub(super) fn place_of_largest<B: Polynomials<F = F61> + Tables>(
    b: &mut B,
    row: &[B::Wire],
    name: &dyn Display,
) -> Result<B::Wire> {
    Fixed::new::<F61>(HELD_BITS, 0)?.argmax(b, row, name)
}
