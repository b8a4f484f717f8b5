//! A network as a graph: tensors with shapes, and nodes in topological order whose operators are read.
//!
//! All shapes are known when a graph has been built: lengths that the file leaves open are given by name. What
//! depends on shapes and constants alone is computed here, and its nodes are gone: shapes that are asked for, cut,
//! joined and counted with. The file's own words on shapes in between are not believed.

mod fold;

use crate::model::{Described, Dimension, Entry, Model, NodeMessage, Setting};
use crate::operator::call::{Call, MOST_FOLDED, refuse_node};
use crate::operator::{self, OWN, Operator, Places};
use crate::stored::{Element, Folder, count};
use crate::tensor::{Constant, Tensor};
use core::fmt::{self, Display};
use std::collections::{HashMap, HashSet};
use volery_channel::error::{Error, Result};

/// The versions of ONNX's operators that are read.
pub const OPSETS: core::ops::RangeInclusive<i64> = 9..=23;

/// The most integers, in all, of constants that are computed, or read to know shapes and places.
const MOST_COMPUTED: usize = 1 << 22;

/// Settings that are not in the file, and decide what it means.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Lengths of open dimensions, by the name that the file gives them.
    pub dimensions: HashMap<String, usize>,
    /// Shapes of inputs that have open dimensions, by the inputs' names.
    pub shapes: HashMap<String, Vec<usize>>,
    /// The folder of the file, for values that lie beside it.
    pub folder: Option<Folder>,
}

/// A network.
#[derive(Debug)]
pub struct Graph<'f> {
    /// The name.
    pub name: &'f str,
    /// The version of ONNX's operators.
    pub opset: i64,
    /// The metadata.
    pub metadata: Vec<Entry<'f>>,
    /// The tensors; nodes, inputs and outputs name them by their places here.
    pub tensors: Vec<Tensor<'f>>,
    /// The nodes whose outputs are no constants, each behind those it depends on.
    pub nodes: Vec<Node<'f>>,
    /// The inputs that have no values.
    pub inputs: Vec<usize>,
    /// The outputs.
    pub outputs: Vec<usize>,
    /// The folder of the file.
    pub folder: Option<Folder>,
}

/// A node of a graph, with one output.
#[derive(Debug)]
pub struct Node<'f> {
    /// The name, which may be empty.
    pub name: &'f str,
    /// The name of the operator in the file.
    pub kind: &'f str,
    /// The operator.
    pub operator: Operator,
    /// The inputs; those behind the first may be left out.
    pub inputs: Vec<Option<usize>>,
    /// The output.
    pub output: usize,
}

impl Display for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {:?} ({})", self.name, self.kind)
    }
}

impl<'f> Graph<'f> {
    /// Builds the graph of a file.
    ///
    /// # Errors
    /// `Invalid`, with the node or tensor, what is wrong or not supported, and what to do.
    pub fn build(model: Model<'f>, options: &Options) -> Result<Self> {
        let opset = opset(&model)?;
        if let Some(domain) = model.functions.iter().find(|domain| !OWN.contains(domain)) {
            return Err(Error::invalid(format!(
                "the network has functions of the domain {domain:?}: export it with functions inlined"
            )));
        }
        let Model { metadata, graph: message, .. } = model;
        let graph = Self {
            name: message.name,
            opset,
            metadata,
            tensors: vec![],
            nodes: vec![],
            inputs: vec![],
            outputs: vec![],
            folder: options.folder.clone(),
        };
        let mut builder = Builder { graph, places: HashMap::new(), computed: 0 };
        for stored in message.initialisers {
            let (name, element, shape) = (stored.name, stored.element, stored.shape.clone());
            let constant = Some(Constant::Stored(stored));
            builder.add(Tensor { name, element, shape, constant })?;
        }
        builder.inputs(&message.inputs, options)?;
        let mut left = message.nodes.into_iter();
        while let Some(node) = left.next() {
            builder.node(node, left.as_slice())?;
        }
        for described in &message.outputs {
            builder.output(described)?;
        }
        Ok(builder.graph)
    }
}

/// The version of ONNX's operators, which is among [`OPSETS`].
fn opset(model: &Model<'_>) -> Result<i64> {
    let mut versions = model.opsets.iter().filter(|opset| is_onnx(opset.domain)).map(|opset| opset.version);
    match (versions.next(), versions.next()) {
        (Some(version), None) if OPSETS.contains(&version) => Ok(version),
        (Some(version), None) => Err(Error::invalid(format!(
            "the network is of opset {version}: {} to {} are read; export it anew, or convert it by \
             onnx.version_converter",
            OPSETS.start(),
            OPSETS.end()
        ))),
        _ => Err(Error::invalid("the network tells no opset of ONNX, or several")),
    }
}

fn is_onnx(domain: &str) -> bool {
    domain.is_empty() || domain == "ai.onnx"
}

/// A graph that is being built.
struct Builder<'f> {
    graph: Graph<'f>,
    /// The tensors by their names.
    places: HashMap<&'f str, usize>,
    /// The integers of constants that were computed or read.
    computed: usize,
}

impl<'f> Builder<'f> {
    /// Adds a tensor, whose name is new.
    fn add(&mut self, tensor: Tensor<'f>) -> Result<usize> {
        let place = self.graph.tensors.len();
        if tensor.name.is_empty() {
            return Err(Error::invalid("the network has an initialiser or an input without a name"));
        }
        if self.places.insert(tensor.name, place).is_some() {
            return Err(Error::invalid(format!("the network has two tensors named {:?}", tensor.name)));
        }
        self.graph.tensors.push(tensor);
        Ok(place)
    }

    fn inputs(&mut self, described: &[Described<'f>], options: &Options) -> Result<()> {
        let (mut dimensions, mut shapes) = (HashSet::new(), HashSet::new());
        for input in described {
            // Files of old list initialisers among inputs.
            if self.places.contains_key(input.name) {
                continue;
            }
            let name = input.name;
            let wrong = |why: String| Error::invalid(format!("input {name:?} of the network {why}"));
            let element = Element::of(input.element.unwrap_or_default())
                .map_err(|kind| wrong(format!("has elements of type {kind}, which is not supported")))?;
            let told = input.shape.as_ref().ok_or_else(|| wrong("has no shape".into()))?;
            let given = options.shapes.get(name);
            if let Some(given) = given {
                shapes.insert(name);
                if given.len() != told.len() {
                    return Err(wrong(format!("has {} dimensions, and is given {given:?}", told.len())));
                }
            }
            let mut shape = vec![];
            for (i, dimension) in told.iter().enumerate() {
                let given = given.map(|given| given[i]);
                let named = match dimension {
                    Dimension::Named(name) => options.dimensions.get_key_value(*name),
                    _ => None,
                };
                dimensions.extend(named.map(|(name, _)| &**name));
                let length = match dimension {
                    Dimension::Of(length) => usize::try_from(*length).ok(),
                    _ => named.map(|(_, length)| *length).or(given),
                };
                let open = || {
                    let (open, how) = match dimension {
                        Dimension::Named(open) => (format!("{open:?}"), format!("give {open}=…, or ")),
                        _ => (i.to_string(), "give ".into()),
                    };
                    wrong(format!("has the open dimension {open}: {how}the whole shape of {name}"))
                };
                let length = length.ok_or_else(open)?;
                if given.is_some_and(|given| given != length) {
                    return Err(wrong(format!(
                        "has the length {length} in dimension {i}, and is given another"
                    )));
                }
                shape.push(length);
            }
            count(&shape).map_err(wrong)?;
            let place = self.add(Tensor { name, element, shape, constant: None })?;
            self.graph.inputs.push(place);
        }
        let unused = options.dimensions.keys().find(|name| !dimensions.contains(&***name));
        let unused = unused.or_else(|| options.shapes.keys().find(|name| !shapes.contains(&***name)));
        match unused {
            None => Ok(()),
            Some(name) => {
                Err(Error::invalid(format!("the network has no open dimension and no input named {name:?}")))
            }
        }
    }

    fn node(&mut self, mut node: NodeMessage<'f>, behind: &[NodeMessage<'f>]) -> Result<()> {
        if !is_onnx(node.domain) && !OWN.contains(&node.domain) {
            let domain = node.domain;
            return Err(refuse_node(
                &node,
                format!("is of the domain {domain:?}: only ONNX's own operators are supported"),
            ));
        }
        if node.operator == "Constant" && is_onnx(node.domain) {
            return self.constant(node);
        }
        let mut inputs = vec![];
        for &name in &node.inputs {
            let place = self.places.get(name).copied();
            if place.is_none() && !name.is_empty() {
                let is_later = behind.iter().any(|node| node.outputs.contains(&name));
                return Err(refuse_node(
                    &node,
                    match is_later {
                        true => {
                            format!("reads {name:?}, which a later node makes: sort the nodes topologically")
                        }
                        false => format!("reads {name:?}, which is no tensor of the network"),
                    },
                ));
            }
            inputs.push(place);
        }
        let tensors: Vec<_> =
            inputs.iter().map(|place| place.map(|place| &self.graph.tensors[place])).collect();
        let call = Call::new(&node, tensors, self.graph.folder.as_ref());
        let folded = if is_onnx(node.domain) { fold::fold(&call)? } else { None };
        if let Some(folded) = folded {
            let read = call.read();
            self.count(&node, read)?;
            let fold::Folded { element, shape, values } = folded;
            return self
                .folded(&node, Tensor { name: node.outputs[0], element, shape, constant: Some(values) });
        }
        let outputs = operator::read(&call, node.domain)?;
        // An output that nobody wants at the end of the list may be left out; a mask of Dropout nobody can have.
        if node.outputs.len() > outputs.len()
            && node.outputs[outputs.len()..].iter().any(|name| !name.is_empty())
        {
            return Err(refuse_node(&node, format!("has {} outputs", node.outputs.len())));
        }
        // Of short constants, too, a file can ask for long ones.
        let is_short = |output: &operator::Output| {
            matches!(output.operator, Operator::Places(_))
                && output.shape.iter().product::<usize>() <= MOST_FOLDED
        };
        let constants = if outputs.iter().all(is_short) { fold::moved(&call)? } else { None };
        let read = call.read();
        self.count(&node, read)?;
        let names = core::mem::take(&mut node.outputs);
        for (output, &name) in outputs.into_iter().zip(&names) {
            if name.is_empty() {
                continue;
            }
            let operator::Output { operator, element, shape } = output;
            let constant = constants.as_ref().map(|constants| {
                let constants: Vec<&[i64]> = constants.iter().map(|values| &**values).collect();
                let Operator::Places(places) = &operator else { unreachable!("elements are moved") };
                Constant::Folded(places.apply(&constants, shape.iter().product()))
            });
            let tensor = Tensor { name, element, shape, constant };
            if tensor.constant.is_some() {
                self.folded(&node, tensor)?;
                continue;
            }
            let output = self.add(tensor)?;
            let inputs = match operator {
                Operator::Places(Places::Concat(_)) => inputs.clone(),
                Operator::Places(_) => inputs[..1].to_vec(),
                _ => inputs.clone(),
            };
            let label = if node.name.is_empty() { name } else { node.name };
            self.graph.nodes.push(Node { name: label, kind: node.operator, operator, inputs, output });
        }
        Ok(())
    }

    /// A constant of a node's own.
    fn constant(&mut self, node: NodeMessage<'f>) -> Result<()> {
        let [name] = node.outputs[..] else { return Err(refuse_node(&node, "has not one output")) };
        let mut attributes = node.attributes;
        let value = if attributes.len() == 1 { attributes.pop() } else { None };
        let node = NodeMessage { attributes: vec![], ..node };
        let (element, shape, constant) = match value.map(|attribute| (attribute.name, attribute.value)) {
            Some(("value", Setting::Tensor(stored))) => {
                (stored.element, stored.shape.clone(), Constant::Stored(*stored))
            }
            Some(("value_int", Setting::Integer(number))) => {
                (Element::Int64, vec![], Constant::Folded(vec![number]))
            }
            Some(("value_ints", Setting::Integers(numbers))) => {
                (Element::Int64, vec![numbers.len()], Constant::Folded(numbers))
            }
            Some(("value_float", Setting::Float(number))) => {
                (Element::Float, vec![], Constant::Floats(vec![number.into()]))
            }
            Some(("value_floats", Setting::Floats(numbers))) => {
                let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
                (Element::Float, vec![numbers.len()], Constant::Floats(numbers))
            }
            Some((name, _)) => {
                return Err(refuse_node(&node, format!("has a value by {name:?}, which is not supported")));
            }
            None => return Err(refuse_node(&node, "has not one value")),
        };
        if name.is_empty() {
            return Ok(());
        }
        self.add(Tensor { name, element, shape, constant: Some(constant) })?;
        Ok(())
    }

    /// A constant that was computed, for a node that is gone.
    fn folded(&mut self, node: &NodeMessage<'f>, tensor: Tensor<'f>) -> Result<()> {
        self.count(node, tensor.count())?;
        self.add(tensor)?;
        Ok(())
    }

    /// Counts integers that decide on shapes and places, each time that a node reads or makes them.
    fn count(&mut self, node: &NodeMessage<'f>, integers: usize) -> Result<()> {
        self.computed += integers;
        if self.computed > MOST_COMPUTED {
            return Err(refuse_node(
                node,
                format!(
                    "is where constants of shapes and places pass {MOST_COMPUTED} integers in all: simplify the network"
                ),
            ));
        }
        Ok(())
    }

    fn output(&mut self, described: &Described<'f>) -> Result<()> {
        let name = described.name;
        let wrong = |why: String| Error::invalid(format!("output {name:?} of the network {why}"));
        let Some(&place) = self.places.get(name) else { return Err(wrong("is made by no node".into())) };
        let tensor = &self.graph.tensors[place];
        if let Some(told) = &described.shape {
            let agrees = |(told, there): (&Dimension<'_>, &usize)| match told {
                Dimension::Of(length) => usize::try_from(*length) == Ok(*there),
                _ => true,
            };
            if told.len() != tensor.shape.len() || !told.iter().zip(&tensor.shape).all(agrees) {
                return Err(wrong(format!(
                    "is said to have another shape than {:?}, which it has",
                    tensor.shape
                )));
            }
        }
        if self.graph.outputs.contains(&place) {
            return Err(wrong("stands twice".into()));
        }
        self.graph.outputs.push(place);
        Ok(())
    }
}
