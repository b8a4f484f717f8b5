//! Layers that compute exactly: their exponents, and the bounds of their sums.

use super::read::{Form, Reader, refuse};
use super::{Bilinear, FACTOR_BITS, HELD_BITS, HELD_BOUND, Kind, Quantity, SUM_LIMIT, Step};
use crate::graph::Node;
use crate::operator::{Operator, Reduction};
use crate::stored::Element;
use crate::tensor::Tensor;
use volery_channel::error::Result;

impl<'f> Reader<'_, 'f> {
    /// A layer of sums, moves or maxima.
    pub(super) fn exact(&mut self, node: &Node<'f>) -> Result<()> {
        let given = match node.operator {
            Operator::Reduce { .. } if node.inputs.get(1).copied().flatten().is_none() => {
                return Err(refuse(node, "has no axes"));
            }
            Operator::Reduce { .. } => 1,
            _ => node.inputs.len(),
        };
        let mut inputs = vec![];
        for i in 0..given {
            // A bias may be left out.
            if i < 2 || node.inputs[i].is_some() {
                inputs.push(self.real(node, i)?);
            }
        }
        if matches!(
            node.operator,
            Operator::Multiply
                | Operator::MatMul
                | Operator::Gemm { .. }
                | Operator::Conv { .. }
                | Operator::ConvTranspose { .. }
        ) {
            self.check_factors(node, &inputs[..2])?;
        }
        let plain = self.plain(node);
        let of = |i: usize| &self.tensors[inputs[i]];
        let (step, output) = match &node.operator {
            Operator::Add | Operator::Subtract => {
                let aligned =
                    self.align(node, &inputs.iter().map(|&i| self.tensors[i].clone()).collect::<Vec<_>>())?;
                let bound = aligned.bounds.iter().sum();
                let quantity =
                    Quantity { exponent: aligned.exponent, bound, degree: self.degree(&inputs), ..plain };
                let shifts = aligned.shifts;
                let is_sum = node.operator == Operator::Add;
                (if is_sum { Step::Add { shifts } } else { Step::Subtract { shifts } }, quantity)
            }
            Operator::Multiply => (Step::Multiply, product(1, of(0), of(1), plain)),
            Operator::MatMul
            | Operator::Gemm { .. }
            | Operator::Conv { .. }
            | Operator::ConvTranspose { .. } => self.bilinear(node, &inputs, plain)?,
            Operator::Reduce { reduction: Reduction::Sum, axes } => {
                let terms: usize = axes.iter().map(|&axis| of(0).shape[axis]).product();
                let bound = of(0).bound.saturating_mul(terms as u64);
                let Quantity { exponent, degree, .. } = *of(0);
                (Step::Sum { axes: axes.clone() }, Quantity { exponent, bound, degree, ..plain })
            }
            Operator::Places(places) => {
                if places.reverses() || node.kind == "Pad" && places.cuts() {
                    return Err(refuse(node, "has a step or a pad below 0"));
                }
                let tensors: Vec<_> = inputs.iter().map(|&i| self.tensors[i].clone()).collect();
                let aligned = self.align(node, &tensors)?;
                let bound = aligned.bounds.iter().copied().max().unwrap_or(0);
                let is_held =
                    |tensor: &Quantity<'_>| tensor.kind == Kind::Held && tensor.exponent == aligned.exponent;
                let (kind, origin) = match &tensors[..] {
                    [one] if node.kind != "Concat" => (one.kind, one.origin),
                    all if all.iter().all(is_held) => (Kind::Held, None),
                    _ => (Kind::Sum, None),
                };
                let degree = self.degree(&inputs);
                let moved = Quantity { exponent: aligned.exponent, kind, bound, degree, origin, ..plain };
                (Step::Move { places: places.clone(), shifts: aligned.shifts }, moved)
            }
            Operator::MaxPool(window) => (Step::MaxPool(window.clone()), self.maximum(node, &inputs, plain)?),
            Operator::Maximum => {
                if inputs.len() < 2 {
                    return Err(refuse(node, "is a maximum of fewer than two"));
                }
                (Step::Maximum, self.maximum(node, &inputs, plain)?)
            }
            Operator::Reduce { reduction: Reduction::Maximum, axes } => {
                (Step::ReduceMaximum { axes: axes.clone() }, self.maximum(node, &inputs, plain)?)
            }
            Operator::ArgMax { axis } => {
                self.demand_held(node, &inputs)?;
                let index = Quantity { kind: Kind::Index, bound: of(0).shape[*axis] as u64, ..plain };
                (Step::ArgMax { axis: *axis }, index)
            }
            _ => return Err(refuse(node, "is none of a quantised network: quantise the float network anew")),
        };
        if output.bound >= SUM_LIMIT {
            return Err(refuse(
                node,
                format!(
                    "has sums of up to {}, and they are to be below 2^59: give its inputs fewer bits",
                    output.bound
                ),
            ));
        }
        if output.degree > 2 {
            return Err(refuse(
                node,
                "multiplies what is a sum of products already: that has to be quantised before",
            ));
        }
        let is_index = output.kind == Kind::Index;
        let place = self.layer(node, step, inputs, output);
        self.forms[node.output] = Some(if is_index { Form::Index(place) } else { Form::Real(place) });
        Ok(())
    }

    fn bilinear(
        &self,
        node: &Node<'f>,
        inputs: &[usize],
        plain: Quantity<'f>,
    ) -> Result<(Step, Quantity<'f>)> {
        let form = match &node.operator {
            Operator::MatMul => Bilinear::MatMul { transposed: false },
            Operator::Gemm { transpose_a: false, transpose_b } => {
                Bilinear::MatMul { transposed: *transpose_b }
            }
            Operator::Conv { window, groups } => Bilinear::Conv { window: window.clone(), groups: *groups },
            Operator::ConvTranspose { window, groups } => {
                Bilinear::ConvTranspose { window: window.clone(), groups: *groups }
            }
            _ => return Err(refuse(node, "has transA 1, which is not supported: transpose its input")),
        };
        let (first, second) = (&self.tensors[inputs[0]], &self.tensors[inputs[1]]);
        let product = product(form.products(&first.shape, &second.shape), first, second, plain);
        let Some(&bias) = inputs.get(2) else {
            return Ok((Step::Bilinear { form, shifts: vec![] }, product));
        };
        let bias = self.tensors[bias].clone();
        let degree = product.degree.max(bias.degree);
        let aligned = self.align(node, &[product.clone(), bias])?;
        let (exponent, bound) = (aligned.exponent, aligned.bounds.iter().sum());
        Ok((Step::Bilinear { form, shifts: aligned.shifts }, Quantity { exponent, bound, degree, ..product }))
    }

    /// Checks that the entries of weights that are factors have 24 bits.
    fn check_factors(&mut self, node: &Node<'f>, inputs: &[usize]) -> Result<()> {
        for &input in inputs {
            let Quantity { name, kind: Kind::Weight, origin: Some(origin), .. } = self.tensors[input] else {
                continue;
            };
            self.factors.insert(origin, true);
            // Narrower types have no such value, and what is apart is looked at where it is given.
            let Tensor { element, constant, .. } = &self.graph.tensors[origin];
            if *element == Element::Int32
                && constant.is_some()
                && let Some(value) = self.see(origin)?.beyond
            {
                return Err(refuse(
                    node,
                    format!("has {value} in {name:?}, a factor, which has {FACTOR_BITS} bits at most"),
                ));
            }
        }
        Ok(())
    }

    fn maximum(&self, node: &Node<'f>, inputs: &[usize], plain: Quantity<'f>) -> Result<Quantity<'f>> {
        self.demand_held(node, inputs)?;
        let exponent = self.tensors[inputs[0]].exponent;
        if inputs.iter().any(|&input| self.tensors[input].exponent != exponent) {
            return Err(refuse(node, "is a maximum of tensors with several scales: quantise them alike"));
        }
        Ok(Quantity { exponent, kind: Kind::Held, bound: HELD_BOUND, degree: 1, ..plain })
    }

    pub(super) fn demand_held(&self, node: &Node<'f>, inputs: &[usize]) -> Result<()> {
        match inputs.iter().find(|&&input| self.tensors[input].kind != Kind::Held) {
            None => Ok(()),
            Some(&input) => Err(refuse(
                node,
                format!(
                    "reads {:?}, which is not held in {HELD_BITS} bits: quantise it",
                    self.tensors[input].name
                ),
            )),
        }
    }

    fn degree(&self, inputs: &[usize]) -> u32 {
        inputs.iter().map(|&input| self.tensors[input].degree).max().unwrap_or(0)
    }

    /// The shifts that bring tensors to one exponent, the largest.
    fn align(&self, node: &Node<'f>, tensors: &[Quantity<'f>]) -> Result<Aligned> {
        let exponent = tensors.iter().map(|tensor| tensor.exponent).max().unwrap_or(0);
        let mut aligned = Aligned { exponent, shifts: vec![], bounds: vec![] };
        for Quantity { name, exponent: one, bound, .. } in tensors {
            // Zeros are zeros by any exponent.
            let shift = if *bound == 0 { 0 } else { (exponent - one).cast_unsigned() };
            let shifted =
                bound.checked_shl(shift).filter(|shifted| shifted >> shift == *bound && *shifted < SUM_LIMIT);
            aligned.bounds.push(shifted.ok_or_else(|| {
                refuse(node, format!("multiplies {name:?} by 2^{shift} to add it, and passes 2^59 so"))
            })?);
            aligned.shifts.push(shift);
        }
        Ok(aligned)
    }
}

/// Tensors at one exponent.
struct Aligned {
    exponent: i32,
    shifts: Vec<u32>,
    bounds: Vec<u64>,
}

/// Sums of `terms` products; a bound that is too large is refused by who called.
fn product<'f>(terms: usize, a: &Quantity<'f>, b: &Quantity<'f>, plain: Quantity<'f>) -> Quantity<'f> {
    let bound = a.factor_bound().saturating_mul(b.factor_bound()).saturating_mul(terms as u64);
    Quantity { exponent: a.exponent + b.exponent, bound, degree: a.degree + b.degree, ..plain }
}
