//! A node while it is read: its attributes and inputs, and errors that name it.

use crate::model::{Attribute, NodeMessage, Setting};
use crate::stored::{Folder, Stored, count};
use crate::tensor::{Constant, Tensor};
use core::cell::{Cell, RefCell};
use core::fmt::Display;
use volery_channel::error::{Error, Result};

/// The most integers that decide on shapes or places: of axes, shapes, indices.
pub(crate) const MOST_FOLDED: usize = 1 << 20;

/// The largest stride, dilation or pad.
const MOST_STEP: i64 = 1 << 16;

/// A node with its inputs. An attribute that nobody asks for is refused.
pub(crate) struct Call<'c, 'f> {
    node: &'c NodeMessage<'f>,
    inputs: Vec<Option<&'c Tensor<'f>>>,
    folder: Option<&'c Folder>,
    asked: RefCell<Vec<&'static str>>,
    read: Cell<usize>,
}

impl<'c, 'f> Call<'c, 'f> {
    pub(crate) fn new(
        node: &'c NodeMessage<'f>,
        inputs: Vec<Option<&'c Tensor<'f>>>,
        folder: Option<&'c Folder>,
    ) -> Self {
        Self { node, inputs, folder, asked: RefCell::default(), read: Cell::new(0) }
    }

    /// The integers of constants that were read so far.
    pub(crate) fn read(&self) -> usize {
        self.read.get()
    }

    pub(crate) fn operator(&self) -> &'f str {
        self.node.operator
    }

    /// The number of inputs, those left out included.
    pub(crate) fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.node.outputs.len()
    }

    /// An error that names the node.
    pub(crate) fn refuse(&self, why: impl Display) -> Error {
        refuse_node(self.node, why)
    }

    /// An input that has to be there.
    pub(crate) fn input(&self, i: usize) -> Result<&'c Tensor<'f>> {
        self.optional(i).ok_or_else(|| self.refuse(format!("has no input {i}")))
    }

    /// An input that may be left out.
    pub(crate) fn optional(&self, i: usize) -> Option<&'c Tensor<'f>> {
        self.inputs.get(i).copied().flatten()
    }

    /// The shape of an input that has to be there.
    pub(crate) fn shape(&self, i: usize) -> Result<&'c [usize]> {
        Ok(&self.input(i)?.shape)
    }

    /// The integers of an input, which is constant, or left out.
    pub(crate) fn constant(&self, i: usize) -> Result<Option<Vec<i64>>> {
        let Some(tensor) = self.optional(i) else { return Ok(None) };
        let Some(constant) = &tensor.constant else {
            return Err(self.refuse(format!(
                "has the input {:?}, which is computed and has to be constant: dynamic shapes are not supported; \
                 simplify the network with its shapes fixed",
                tensor.name
            )));
        };
        if tensor.count() > MOST_FOLDED {
            let count = tensor.count();
            return Err(
                self.refuse(format!("has an input of {count} numbers, and {MOST_FOLDED} is the most"))
            );
        }
        self.read.set(self.read.get() + tensor.count());
        match constant {
            Constant::Stored(stored) => stored.integers(self.folder).map(Some),
            Constant::Folded(values) => Ok(Some(values.clone())),
            Constant::Floats(_) => Err(self.refuse(format!("has floats as its input {i}"))),
        }
    }

    /// The integers of a constant input that has to be there.
    pub(crate) fn demand_constant(&self, i: usize) -> Result<Vec<i64>> {
        self.constant(i)?.ok_or_else(|| self.refuse(format!("has no input {i}")))
    }

    /// The lengths that a constant input has.
    pub(crate) fn lengths(&self, i: usize) -> Result<Vec<usize>> {
        let lengths = self.demand_constant(i)?;
        let shape: Option<Vec<usize>> = lengths.iter().map(|&length| usize::try_from(length).ok()).collect();
        let shape = shape.ok_or_else(|| self.refuse(format!("asks for the shape {lengths:?}")))?;
        self.check(&shape)?;
        Ok(shape)
    }

    /// Whether an input is left out, or constant and zero.
    pub(crate) fn is_zero(&self, i: usize) -> Result<bool> {
        let constant = self.optional(i).map(|tensor| (tensor, tensor.constant.as_ref()));
        let Some((tensor, constant)) = constant.filter(|(tensor, _)| tensor.count() == 1) else {
            return Ok(constant.is_none());
        };
        Ok(match constant {
            Some(Constant::Stored(stored)) if tensor.element.is_float() => {
                stored.floats(self.folder)? == [0.0]
            }
            Some(Constant::Stored(stored)) => stored.integers(self.folder)? == [0],
            Some(Constant::Folded(values)) => values == &[0],
            Some(Constant::Floats(values)) => values == &[0.0],
            None => false,
        })
    }

    fn attribute(&self, name: &'static str) -> Option<&'c Setting<'f>> {
        self.asked.borrow_mut().push(name);
        let mut attributes = self.node.attributes.iter();
        attributes.find(|attribute| attribute.name == name).map(|Attribute { value, .. }| value)
    }

    /// Passes over an attribute that changes nothing here.
    pub(crate) fn pass(&self, name: &'static str) {
        self.attribute(name);
    }

    pub(crate) fn integer(&self, name: &'static str, default: i64) -> Result<i64> {
        match self.attribute(name) {
            None => Ok(default),
            Some(Setting::Integer(number)) => Ok(*number),
            Some(_) => Err(self.refuse(format!("has an attribute {name:?} that is no integer"))),
        }
    }

    pub(crate) fn flag(&self, name: &'static str, default: bool) -> Result<bool> {
        match self.integer(name, default.into())? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.refuse(format!("has the attribute {name:?} as {other}, and not as 0 or 1"))),
        }
    }

    pub(crate) fn float(&self, name: &'static str, default: f32) -> Result<f32> {
        match self.attribute(name) {
            None => Ok(default),
            Some(Setting::Float(number)) => Ok(*number),
            Some(_) => Err(self.refuse(format!("has an attribute {name:?} that is no number"))),
        }
    }

    pub(crate) fn text(&self, name: &'static str, default: &'static str) -> Result<&'c str> {
        match self.attribute(name) {
            None => Ok(default),
            Some(Setting::Text(text)) => Ok(text),
            Some(_) => Err(self.refuse(format!("has an attribute {name:?} that is no text"))),
        }
    }

    pub(crate) fn integers(&self, name: &'static str) -> Result<Option<&'c [i64]>> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Setting::Integers(numbers)) => Ok(Some(numbers)),
            Some(_) => Err(self.refuse(format!("has an attribute {name:?} that is no list of integers"))),
        }
    }

    pub(crate) fn tensor(&self, name: &'static str) -> Result<Option<&'c Stored<'f>>> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Setting::Tensor(tensor)) => Ok(Some(tensor)),
            Some(_) => Err(self.refuse(format!("has an attribute {name:?} that is no tensor"))),
        }
    }

    /// A list of integers that older operator sets have as an attribute, and newer ones as an input.
    pub(crate) fn list(&self, name: &'static str, input: usize) -> Result<Option<Vec<i64>>> {
        match self.integers(name)? {
            Some(numbers) => Ok(Some(numbers.to_vec())),
            None => self.constant(input),
        }
    }

    /// A list, read as by [`Self::list`], that has to be there.
    pub(crate) fn demand_list(&self, name: &'static str, input: usize) -> Result<Vec<i64>> {
        self.list(name, input)?.ok_or_else(|| self.refuse(format!("has no {name}")))
    }

    /// An attribute of `count` strides, dilations or pads, of at least `least` each.
    pub(crate) fn steps(&self, name: &'static str, count: usize, least: i64) -> Result<Vec<usize>> {
        let Some(numbers) = self.integers(name)? else { return Ok(vec![least as usize; count]) };
        if numbers.len() != count || numbers.iter().any(|number| !(least..=MOST_STEP).contains(number)) {
            let length = numbers.len();
            return Err(self.refuse(format!(
                "has {length} {name}, {numbers:?}: {count} are to be there, from {least} to {MOST_STEP}"
            )));
        }
        Ok(numbers.iter().map(|&number| number as usize).collect())
    }

    /// An axis of `rank`, counted from the end where it is below 0.
    pub(crate) fn axis(&self, axis: i64, rank: usize) -> Result<usize> {
        let counted = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let counted = usize::try_from(counted).ok().filter(|&axis| axis < rank);
        counted.ok_or_else(|| self.refuse(format!("has the axis {axis} of {rank}")))
    }

    /// Axes of `rank`, each once.
    pub(crate) fn axes(&self, axes: &[i64], rank: usize) -> Result<Vec<usize>> {
        let mut counted = vec![];
        for &axis in axes {
            let axis = self.axis(axis, rank)?;
            if counted.contains(&axis) {
                return Err(self.refuse(format!("has the axis {axis} twice")));
            }
            counted.push(axis);
        }
        Ok(counted)
    }

    /// Checks that a tensor may have `shape`.
    pub(crate) fn check(&self, shape: &[usize]) -> Result<()> {
        count(shape).map(|_| ()).map_err(|why| self.refuse(format!("has an output that {why}")))
    }

    /// Checks that all attributes have been asked for.
    pub(crate) fn finish(&self) -> Result<()> {
        let asked = self.asked.borrow();
        let is_unknown = |attribute: &&Attribute<'_>| !asked.contains(&attribute.name);
        match self.node.attributes.iter().find(is_unknown) {
            None => Ok(()),
            Some(Attribute { name, .. }) => {
                Err(self.refuse(format!("has the attribute {name:?}, which is not supported")))
            }
        }
    }
}

/// An error that names a node: by its first output where it has no name.
pub(crate) fn refuse_node(node: &NodeMessage<'_>, why: impl Display) -> Error {
    let NodeMessage { name, operator, outputs, .. } = node;
    let output = outputs.first().copied().unwrap_or_default();
    match name.is_empty() {
        false => Error::invalid(format!("node {name:?} ({operator}) {why}")),
        true => Error::invalid(format!("the node of {output:?} ({operator}) {why}")),
    }
}
