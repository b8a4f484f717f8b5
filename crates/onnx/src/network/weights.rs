//! The weights of a network as one list, which may be apart from its file: each that the file has, in its order there.

use super::{FACTOR_BITS, Network};
use crate::stored::Element;
use crate::tensor::{Constant, Tensor};
use core::ops::Range;
use std::collections::BTreeMap;
use volery_channel::error::{Error, Result};
use zeroize::Zeroizing;

/// A weight: its part of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight<'f> {
    /// The name in the file.
    pub name: &'f str,
    /// The place of its first entry in the list.
    pub at: usize,
    /// The number of its entries.
    pub count: usize,
    /// The bits of an entry, which has a sign: 8, 16 or 32 by its type, and 24 for one of 32 that is a factor.
    pub bits: u32,
    /// The tensor of the graph.
    pub(crate) origin: usize,
}

impl Weight<'_> {
    /// The part of the list.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.count
    }
}

/// The bytes of the salt by which weights that could be guessed are hidden where they are hashed.
pub const SALT_BYTES: usize = 32;

/// The bytes in which an entry of so many bits is hashed: 1, 2 or 4, the lowest first, in two's complement.
pub fn hashed_bytes(bits: u32) -> usize {
    bits.div_ceil(8).next_power_of_two() as usize
}

/// The line that is hashed before salt and weights, and tells what the digest is of: the network of this identity.
pub fn hashed_label(identity: &[u8; 32]) -> String {
    let digits: String = identity.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("volery model v1 {digits}\n")
}

/// Weights by their tensors of the graph, in whose order they are listed: whether each is a factor.
pub(super) type Factors = BTreeMap<usize, bool>;

/// The list of weights.
pub(super) fn listed<'f>(factors: &Factors, tensors: &[Tensor<'f>]) -> Vec<Weight<'f>> {
    let mut at = 0;
    let one = |(&origin, &is_factor): (&usize, &bool)| {
        let tensor = &tensors[origin];
        let bits = match tensor.element {
            Element::Int8 => 8,
            Element::Int16 => 16,
            _ if is_factor => FACTOR_BITS,
            _ => 32,
        };
        let weight = Weight { name: tensor.name, at, count: tensor.count(), bits, origin };
        at += weight.count;
        weight
    };
    factors.iter().map(one).collect()
}

impl<'f> Network<'f> {
    /// The weights, in the order of the list.
    pub fn weights(&self) -> &[Weight<'f>] {
        &self.weights
    }

    /// The weight that a tensor which no layer makes has the entries of; `None` where it is another.
    pub fn weight_of(&self, tensor: usize) -> Option<&Weight<'f>> {
        self.weight_at(self.tensors[tensor].origin?)
    }

    fn weight_at(&self, origin: usize) -> Option<&Weight<'f>> {
        let i = self.weights.binary_search_by_key(&origin, |weight| weight.origin).ok()?;
        Some(&self.weights[i])
    }

    /// The length of the list.
    pub fn weight_count(&self) -> usize {
        self.weights.last().map_or(0, |weight| weight.range().end)
    }

    /// Whether the file has no values of weights, and none were given: such a network has all but a run.
    pub fn lacks_weights(&self) -> bool {
        self.is_apart && self.given.is_none()
    }

    /// The network with weights that are apart from its file: all of them, as one list.
    ///
    /// # Errors
    /// `Invalid` where they are another number, one has more bits than its weight, with the place, or the network has
    /// its weights.
    pub fn with_weights(self, weights: &[i64]) -> Result<Self> {
        if !self.lacks_weights() {
            return Err(Error::invalid("the network has its weights: give none"));
        }
        if weights.len() != self.weight_count() {
            return Err(Error::invalid(format!(
                "the network has {} weights, and {} are given: take those that were split from it",
                self.weight_count(),
                weights.len()
            )));
        }
        for weight in &self.weights {
            let half = 1_i64 << (weight.bits - 1);
            let beyond = weights[weight.range()].iter().position(|entry| !(-half..half).contains(entry));
            if let Some(i) = beyond {
                return Err(Error::invalid(format!(
                    "entry {i} of the weight {:?} has more than {} bits: take those that were split from this network",
                    weight.name, weight.bits
                )));
            }
        }
        let narrow = weights.iter().map(|&entry| entry as i32).collect();
        Ok(Self { given: Some(Zeroizing::new(narrow)), ..self })
    }

    /// All weights as one list.
    ///
    /// # Errors
    /// `Invalid` where the network lacks them, or they cannot be read.
    pub fn weight_values(&self) -> Result<Zeroizing<Vec<i32>>> {
        self.demand_weights()?;
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        let mut values = Zeroizing::new(Vec::with_capacity(self.weight_count()));
        for weight in &self.weights {
            let entries = Zeroizing::new(self.stored(weight.origin)?);
            values.extend(entries.iter().map(|&entry| entry as i32));
        }
        Ok(values)
    }

    /// The integers of weight number `i`.
    ///
    /// # Errors
    /// As for [`Network::weight_values`].
    pub(crate) fn values_of(&self, i: usize) -> Result<Zeroizing<Vec<i32>>> {
        self.demand_weights()?;
        let entries = self.entries(self.weights[i].origin)?;
        Ok(Zeroizing::new(entries.iter().map(|&entry| entry as i32).collect()))
    }

    /// The integers of a tensor that is a public constant; `None` for all others.
    ///
    /// # Errors
    /// `Invalid` where they cannot be read.
    pub fn public_entries(&self, tensor: usize) -> Result<Option<Vec<i64>>> {
        match (self.tensors[tensor].origin, self.weight_of(tensor)) {
            (Some(origin), None) if self.tensors[tensor].name == self.graph.tensors[origin].name => {
                self.stored(origin).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Gives `each` the bytes of which SHA-256 is the digest that commits to the weights, piece by piece.
    ///
    /// # Errors
    /// `Invalid` where the network lacks them, or they cannot be read.
    pub fn hashed(&self, salt: &[u8; SALT_BYTES], mut each: impl FnMut(&[u8])) -> Result<()> {
        let values = self.weight_values()?;
        each(hashed_label(&self.identity).as_bytes());
        each(salt);
        for weight in &self.weights {
            let bytes = hashed_bytes(weight.bits);
            values[weight.range()].iter().for_each(|entry| each(&entry.to_le_bytes()[..bytes]));
        }
        Ok(())
    }

    /// Demands that the values of weights are there.
    pub(crate) fn demand_weights(&self) -> Result<()> {
        if !self.lacks_weights() {
            return Ok(());
        }
        Err(Error::invalid(
            "the network's weights are apart from its file: give those that were split from it, or the whole file",
        ))
    }

    /// The integers of a constant of the graph.
    pub(crate) fn entries(&self, origin: usize) -> Result<Zeroizing<Vec<i64>>> {
        let given = self.given.as_ref().zip(self.weight_at(origin));
        match given {
            Some((given, weight)) => {
                Ok(Zeroizing::new(given[weight.range()].iter().map(|&entry| entry.into()).collect()))
            }
            None => self.stored(origin).map(Zeroizing::new),
        }
    }

    fn stored(&self, origin: usize) -> Result<Vec<i64>> {
        match &self.graph.tensors[origin].constant {
            Some(Constant::Stored(stored)) => stored.integers(self.graph.folder.as_ref()),
            _ => unreachable!("the values of a weight are stored, or given"),
        }
    }
}
