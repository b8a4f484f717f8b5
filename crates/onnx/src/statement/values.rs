//! Integers as elements, and weights in their order.

use crate::network::{FACTOR_BITS, Kind, Network, Step};
use crate::run::Integers;
use crate::stored::Element;
use crate::tensor::Constant;
use std::collections::HashSet;
use volery_channel::error::Result;
use volery_circuit::Sequence;
use volery_primitives::{F61, Field};
use zeroize::Zeroizing;

/// The element of an integer, below 2^60 in magnitude.
pub(super) fn element(integer: i64) -> F61 {
    let magnitude = F61::new(integer.unsigned_abs());
    if integer < 0 { -magnitude } else { magnitude }
}

/// The integer of an element, which is the one that is nearest to zero; in the same time for all.
pub(super) fn integer(element: F61) -> i64 {
    const PRIME: i64 = (1 << 61) - 1;
    let word = element.to_integer().low() as i64;
    // All ones where it is above the half.
    let above = (PRIME / 2 - word) >> 63;
    word - (PRIME & above)
}

/// A weight, among those of a network.
#[derive(Clone, Copy)]
pub(super) struct Weight {
    /// The number of its tensor in the graph.
    pub(super) origin: usize,
    pub(super) count: usize,
    /// The bits of an entry.
    pub(super) bits: u32,
    /// How many tensors of the network it becomes.
    pub(super) tensors: usize,
}

/// The weights of a network that its layers read, in the order of the file.
pub(super) fn weights(network: &Network<'_>) -> Vec<Weight> {
    let mut weights: Vec<Weight> = Vec::new();
    // A constant that was moved is made by a layer.
    let made: HashSet<_> = network.layers.iter().map(|layer| layer.output).collect();
    for (place, quantity) in network.tensors.iter().enumerate() {
        let is_weight = quantity.kind == Kind::Weight && !made.contains(&place);
        let Some(origin) = quantity.origin.filter(|_| is_weight) else { continue };
        let tensor = &network.graph.tensors[origin];
        let bits = match tensor.element {
            Element::Int8 => 8,
            Element::Int16 => 16,
            _ => 32,
        };
        match weights.iter_mut().find(|weight| weight.origin == origin) {
            Some(weight) => weight.tensors += 1,
            None => weights.push(Weight { origin, count: tensor.shape.iter().product(), bits, tensors: 1 }),
        }
    }
    for layer in &network.layers {
        let factors = match layer.step {
            Step::Multiply => &layer.inputs[..],
            Step::Bilinear { .. } => &layer.inputs[..2],
            _ => &[],
        };
        for factor in factors.iter().filter_map(|factor| network.tensors[*factor].origin) {
            let weight = weights.iter_mut().find(|weight| weight.origin == factor);
            weight.into_iter().for_each(|weight| weight.bits = weight.bits.min(FACTOR_BITS));
        }
    }
    weights.sort_by_key(|weight| weight.origin);
    weights
}

/// The first integer of a sequence from `first` on, of `count`, that has more than so many bits, with its place.
pub(super) fn beyond(values: &dyn Sequence<F61>, first: u64, count: usize, bits: u32) -> Option<(u64, i64)> {
    let half = 1i64 << (bits - 1);
    (0..count as u64)
        .map(|i| (i, integer(values.element(first + i))))
        .find(|(_, value)| !(-half..half).contains(value))
}

impl Network<'_> {
    /// The weights as the input [`WEIGHTS`](super::WEIGHTS) of a statement has them: all that stand in the file, one
    /// tensor after the other.
    ///
    /// # Errors
    /// `Invalid` where they lie beside the file, and cannot be read.
    pub fn weights(&self) -> Result<Integers> {
        let mut all = Zeroizing::new(Vec::new());
        for weight in weights(self) {
            let Some(Constant::Stored(stored)) = &self.graph.tensors[weight.origin].constant else {
                unreachable!("the values of a weight are stored")
            };
            all.extend(stored.integers(self.graph.folder.as_deref())?);
        }
        Ok(all)
    }
}
