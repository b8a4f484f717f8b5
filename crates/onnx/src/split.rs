//! A quantised network as two files: the public graph, which both parties of a proof know, and the weights.
//!
//! The graph is written anew, and has only what a network needs: whatever else a file holds might tell of weights.
//! Numbers of fields are those of `onnx.proto`.

use crate::graph::Options;
use crate::model::Model;
use crate::network::{APART, Network, WEIGHTS};
use crate::operator::OWN;
use crate::protobuf::{Field, Message, Written};
use crate::stored::{Element, Stored};
use crate::tensor::Tensor;
use std::collections::HashSet;
use volery_channel::error::{Error, Result};
use zeroize::Zeroizing;

/// A quantised network in two parts.
pub struct Split {
    /// The file of the public graph.
    pub graph: Vec<u8>,
    /// The weights, as [`Network::with_weights`] takes them.
    pub weights: Zeroizing<Vec<i32>>,
}

impl Split {
    /// Splits the file of a quantised network.
    ///
    /// # Errors
    /// `Invalid` where it is none, was split before, has constants elsewhere than in initialisers of its own, or has
    /// weights that are something else, too.
    pub fn of(file: &[u8], options: &Options) -> Result<Self> {
        let network = Network::open(file, options)?;
        if network.lacks_weights() {
            return Err(Error::invalid("the network is split already: its weights are not in this file"));
        }
        let graph = public(file, &network)?;
        let wrong = |why: &dyn core::fmt::Display| {
            Error::invalid(format!(
                "the network cannot be split, since one of its weights is more than that: {why}"
            ))
        };
        let identity = Network::open(&graph, options).map_err(|why| wrong(&why))?.identity();
        if identity != network.identity() {
            return Err(wrong(&"without them it is another network"));
        }
        Ok(Self { graph, weights: network.weight_values()? })
    }
}

/// The public graph of a network that `file` has.
fn public(file: &[u8], network: &Network<'_>) -> Result<Vec<u8>> {
    let message = Model::read(file)?.graph;
    let weights: HashSet<&str> = network.weights().iter().map(|weight| weight.name).collect();
    let made = message.nodes.iter().flat_map(|node| &node.outputs);
    if let Some(name) = made.copied().find(|name| weights.contains(name)) {
        return Err(Error::invalid(format!(
            "the weight {name:?} stands in a node: make it an initialiser, as `volery model quantise` does"
        )));
    }
    let beside =
        message.initialisers.iter().find(|stored| stored.is_beside() && !weights.contains(stored.name));
    if let Some(Stored { name, .. }) = beside {
        return Err(Error::invalid(format!(
            "{name:?}, which is no weight, lies beside the file: save the network as one file"
        )));
    }
    let mut read: HashSet<&str> = message.nodes.iter().flat_map(|node| node.inputs.iter().copied()).collect();
    let functions = message.nodes.iter().filter(|node| OWN.contains(&node.domain));
    let functions: HashSet<_> = functions.map(|node| (node.domain, node.operator)).collect();
    let stored: Vec<String> =
        functions.iter().map(|(domain, name)| Network::table_name(domain, name)).collect();
    read.extend(stored.iter().map(String::as_str));
    let kept = Kept { weights, read };
    let mut written = Written::default();
    for field in Message::new(file).fields() {
        let field = field?;
        written = match field.number {
            1 | 8 => written.field(&field),
            7 => written.bytes(7, kept.graph(field.message()?, network)?.0),
            14 if text(field.message()?, 1)?.starts_with("volery.") => written.field(&field),
            25 if functions.contains(&(text(field.message()?, 10)?, text(field.message()?, 1)?)) => {
                written.field(&field)
            }
            _ => written,
        };
    }
    Ok(written.bytes(14, Written::default().bytes(1, WEIGHTS).bytes(2, APART).0).0)
}

/// Names by which it is told what stays in a graph.
struct Kept<'f> {
    /// The weights, which leave.
    weights: HashSet<&'f str>,
    /// Tensors that nodes read, and tables.
    read: HashSet<&'f str>,
}

impl Kept<'_> {
    fn graph(&self, message: Message<'_>, network: &Network<'_>) -> Result<Written> {
        let mut written = Written::default();
        for field in message.fields() {
            let field = field?;
            written = match field.number {
                1 => match self.node(&field)? {
                    Some(node) => written.bytes(1, node.0),
                    None => written,
                },
                2 => written.field(&field),
                5 if self.stays(text(field.message()?, 8)?) => {
                    let stored = Written::default().fields(field.message()?, &[1, 2, 4, 5, 7, 8, 9, 10])?;
                    written.bytes(5, stored.0)
                }
                11 | 12 => {
                    written.bytes(field.number, Written::default().fields(field.message()?, &[1, 2])?.0)
                }
                _ => written,
            };
        }
        let inputs = network.weights().iter().map(|weight| &network.graph.tensors[weight.origin]);
        Ok(inputs.fold(written, |written, tensor| written.bytes(11, described(tensor).0)))
    }

    fn stays(&self, name: &str) -> bool {
        self.read.contains(name) && !self.weights.contains(name)
    }

    /// A node, unless it is a constant that no other reads.
    fn node(&self, field: &Field<'_>) -> Result<Option<Written>> {
        let message = field.message()?;
        if text(message, 4)? == "Constant" && !self.read.contains(text(message, 2)?) {
            return Ok(None);
        }
        let node = Written::default().fields(message, &[1, 2, 3, 4, 7])?;
        let attributes = message.fields().filter(|field| field.as_ref().is_ok_and(|field| field.number == 5));
        let node = attributes.into_iter().try_fold(node, |node, attribute| {
            let attribute = attribute?.message()?;
            Ok::<_, Error>(node.bytes(5, Written::default().fields(attribute, &[1, 2, 3, 4, 5, 7, 8, 20])?.0))
        })?;
        Ok(Some(node))
    }
}

/// A weight as an input, `ValueInfoProto`.
fn described(tensor: &Tensor<'_>) -> Written {
    let kind = match tensor.element {
        Element::Int8 => 3,
        Element::Int16 => 5,
        _ => 6,
    };
    let shape = tensor.shape.iter().fold(Written::default(), |shape, &length| {
        shape.bytes(1, Written::default().number(1, length as u64).0)
    });
    let kind = Written::default().number(1, kind).bytes(2, shape.0);
    Written::default().bytes(1, tensor.name).bytes(2, Written::default().bytes(1, kind.0).0)
}

/// The text that is the first field of this number, or none.
fn text<'f>(message: Message<'f>, number: u64) -> Result<&'f str> {
    for field in message.fields() {
        let field = field?;
        if field.number == number {
            return field.text();
        }
    }
    Ok("")
}
