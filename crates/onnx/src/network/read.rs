//! A graph as a quantised network: format 1, strictly.

use super::weights::{Factors, listed};
use super::{
    FACTOR_BITS, FORMAT, HELD_BITS, HELD_BOUND, Kind, LONGEST_SHIFT, Layer, Network, Quantity, Step, Table,
    WideTable,
};
use crate::graph::{Graph, Node, Options};
use crate::model::{Entry, Model};
use crate::operator::Operator;
use crate::stored::{Element, Stored};
use crate::tensor::{Constant, Tensor};
use core::fmt::Display;
use std::collections::HashMap;
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;

/// The name of a table's initialiser, before its own.
const TABLE_PREFIX: &str = "volery.table/";

/// The name of a public constant, before its own.
const PUBLIC_PREFIX: &str = "volery.public/";

/// The key of the metadata that says where weights are, unless they are in the file.
pub(crate) const WEIGHTS: &str = "volery.weights";

/// The only place that it may name: another file.
pub(crate) const APART: &str = "apart";

/// The operators of the format; functions by tables have names of their own.
const OPERATORS: &[&str] = &[
    "Add",
    "ArgMax",
    "Concat",
    "Conv",
    "ConvTranspose",
    "DequantizeLinear",
    "Expand",
    "Gather",
    "Gemm",
    "MatMul",
    "Max",
    "MaxPool",
    "Mul",
    "Pad",
    "QuantizeLinear",
    "ReduceMax",
    "ReduceSum",
    "Reshape",
    "Slice",
    "Sub",
    "Transpose",
];

/// The operator set of the format.
const OPSET: i64 = 21;

/// The farthest exponent from 0: no number of a float is so large, or so small.
const FARTHEST: i32 = 1 << 12;

/// A tensor of the graph, as the network has it.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// An input, whose integers are given.
    Input(usize),
    /// An input of indices.
    Indices(usize),
    /// Integers as such, which get their meaning where they are dequantised.
    Rounded(usize),
    /// Integers that stand for real numbers.
    Real(usize),
    /// Results of a table.
    LookedUp(usize),
    /// Indices of maxima.
    Index(usize),
    /// An input that is a weight, whose integers are apart.
    Apart,
}

impl<'f> Network<'f> {
    /// Reads the file of a quantised network.
    ///
    /// # Errors
    /// `Invalid`, with the place, the node or the tensor, where it is not one of format 1.
    pub fn open(file: &'f [u8], options: &Options) -> Result<Self> {
        let model = Model::read(file)?;
        // Others may have what no graph here has, and the answer is to quantise them.
        demand_format(&model.metadata)?;
        Self::read(Graph::build(model, options)?)
    }

    /// The name of the initialiser that has the values of a function of this domain.
    pub(crate) fn table_name(domain: &str, function: &str) -> String {
        format!("{domain}/{function}")
    }

    /// Reads a quantised network.
    ///
    /// # Errors
    /// `Invalid`, with the node and tensor, where it is not one of format 1.
    pub fn read(graph: Graph<'f>) -> Result<Self> {
        demand_format(&graph.metadata)?;
        if graph.opset != OPSET {
            return Err(Error::invalid(format!(
                "the network is of opset {}, and quantised ones are of {OPSET}: quantise it anew",
                graph.opset
            )));
        }
        let mut reader = Reader::new(&graph);
        reader.is_apart = are_weights_apart(&graph.metadata)?;
        for &input in &graph.inputs {
            reader.input(input)?;
        }
        for node in &graph.nodes {
            let first = reader.tensors.len();
            reader.node(node)?;
            if let Some(far) = reader.tensors[first..].iter().find(|made| made.exponent.abs() > FARTHEST) {
                return Err(refuse(
                    node,
                    format!("has the exponent {}, and {FARTHEST} is the farthest from 0", far.exponent),
                ));
            }
        }
        let outputs = graph.outputs.iter().map(|&output| reader.output(output)).collect::<Result<_>>()?;
        let Reader { tensors, layers, tables, wides, inputs, factors, is_apart, .. } = reader;
        let weights = listed(&factors, &graph.tensors);
        let (given, identity) = (None, [0; 32]);
        let network = Self {
            tensors,
            layers,
            tables,
            wides,
            inputs,
            outputs,
            weights,
            is_apart,
            given,
            identity,
            graph,
            pool: Pool::ALONE,
        };
        let identity = network.digest()?;
        Ok(Self { identity, ..network })
    }
}

/// Whether weights are apart from the file, by the metadata.
fn are_weights_apart(metadata: &[Entry<'_>]) -> Result<bool> {
    match metadata.iter().find(|entry| entry.key == WEIGHTS).map(|entry| entry.value) {
        None => Ok(false),
        Some(APART) => Ok(true),
        Some(other) => Err(Error::invalid(format!(
            "the network has {WEIGHTS} {other:?}, and {APART:?} is all that is known: split it anew"
        ))),
    }
}

fn demand_format(metadata: &[Entry<'_>]) -> Result<()> {
    let format = metadata.iter().find(|entry| entry.key == "volery.format");
    match format.map(|format| format.value) {
        Some(FORMAT) => Ok(()),
        Some(other) => Err(Error::invalid(format!(
            "the network is of format {other:?}, and this program reads {FORMAT}: quantise it anew"
        ))),
        None => Err(Error::invalid(
            "the network is not quantised: make integers of it by `volery model quantise`",
        )),
    }
}

/// A network that is being read.
pub(super) struct Reader<'g, 'f> {
    pub(super) graph: &'g Graph<'f>,
    pub(super) forms: Vec<Option<Form>>,
    /// How often each tensor of the graph is read, as an output of the graph, too.
    reads: Vec<usize>,
    /// The initialisers of the graph by their names.
    stored: HashMap<&'f str, usize>,
    /// The places of tables that are used.
    known: HashMap<&'f str, usize>,
    /// The places of tables of leading bits that are used.
    pub(super) known_wide: HashMap<&'f str, usize>,
    pub(super) tensors: Vec<Quantity<'f>>,
    layers: Vec<Layer<'f>>,
    tables: Vec<Table<'f>>,
    pub(super) wides: Vec<WideTable<'f>>,
    inputs: Vec<usize>,
    /// Initialisers whose values were gone through.
    seen: HashMap<usize, Seen>,
    /// The weights that were read.
    pub(super) factors: Factors,
    /// Whether weights are inputs, and no initialisers.
    is_apart: bool,
}

/// Values of an initialiser, which is gone through once.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen {
    /// The largest magnitude.
    largest: u64,
    /// The first value that has more bits than a factor may have.
    pub(super) beyond: Option<i64>,
}

impl<'g, 'f> Reader<'g, 'f> {
    fn new(graph: &'g Graph<'f>) -> Self {
        let mut reads = vec![0; graph.tensors.len()];
        let read = graph.nodes.iter().flat_map(|node| node.inputs.iter().flatten());
        for &tensor in read.chain(&graph.outputs) {
            reads[tensor] += 1;
        }
        let stored = graph.tensors.iter().enumerate().map(|(i, tensor)| (tensor.name, i)).collect();
        Self {
            graph,
            forms: vec![None; graph.tensors.len()],
            reads,
            stored,
            known: HashMap::new(),
            known_wide: HashMap::new(),
            tensors: vec![],
            layers: vec![],
            tables: vec![],
            wides: vec![],
            inputs: vec![],
            seen: HashMap::new(),
            factors: Factors::new(),
            is_apart: false,
        }
    }

    /// Goes through the values of an initialiser.
    pub(super) fn see(&mut self, place: usize) -> Result<Seen> {
        if let Some(seen) = self.seen.get(&place) {
            return Ok(*seen);
        }
        let Some(Constant::Stored(stored)) = &self.graph.tensors[place].constant else {
            unreachable!("the values of a weight are stored")
        };
        let values = self.integers(stored)?;
        let limit = 1i64 << (FACTOR_BITS - 1);
        let seen = Seen {
            largest: values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0),
            beyond: values.iter().copied().find(|value| !(-limit..limit).contains(value)),
        };
        self.seen.insert(place, seen);
        Ok(seen)
    }

    fn input(&mut self, place: usize) -> Result<()> {
        let Tensor { name, shape, element, .. } = &self.graph.tensors[place];
        let is_index = matches!(element, Element::Int32 | Element::Int64);
        // Of integers those that are dequantised are weights, and others name rows.
        let is_read =
            |node: &Node<'_>| node.operator == Operator::Dequantise && node.inputs[0] == Some(place);
        let is_weight = matches!(element, Element::Int8 | Element::Int16 | Element::Int32)
            && (self.reads[place] == 0 || self.graph.nodes.iter().any(is_read));
        if self.is_apart && is_weight {
            if name.starts_with(PUBLIC_PREFIX) || self.reads[place] == 0 {
                return Err(Error::invalid(format!(
                    "weight {name:?} of the network is public by its name, or read by no node: split it anew"
                )));
            }
            self.forms[place] = Some(Form::Apart);
            return Ok(());
        }
        if self.forms.iter().any(|form| matches!(form, Some(Form::Apart))) {
            return Err(Error::invalid(format!(
                "input {name:?} of the network stands behind weights, which are the last: split it anew"
            )));
        }
        let fits = *element == Element::Float && self.reads[place] == 1;
        if !fits && !is_index || shape.contains(&0) {
            return Err(Error::invalid(format!(
                "input {name:?} of the network is to be of floats, without a length of 0, and read by one \
                 QuantizeLinear alone; or an index, int32 or int64, that Gather reads"
            )));
        }
        let form = if is_index { Form::Indices } else { Form::Input };
        self.inputs.push(self.tensors.len());
        self.forms[place] = Some(form(self.tensors.len()));
        self.tensors.push(Quantity {
            name,
            shape: shape.clone(),
            exponent: 0,
            kind: if is_index { Kind::Index } else { Kind::Held },
            bound: if is_index { 1 << 31 } else { HELD_BOUND },
            degree: 1,
            origin: None,
        });
        Ok(())
    }

    fn output(&self, place: usize) -> Result<usize> {
        match self.forms[place] {
            Some(Form::Index(tensor)) => Ok(tensor),
            Some(Form::Real(tensor)) if self.tensors[tensor].kind == Kind::Held => Ok(tensor),
            _ => Err(Error::invalid(format!(
                "output {:?} of the network is neither held in {HELD_BITS} bits nor an index: quantise it",
                self.graph.tensors[place].name
            ))),
        }
    }

    fn node(&mut self, node: &Node<'f>) -> Result<()> {
        let is_own = matches!(node.operator, Operator::Table | Operator::Wide);
        if !is_own && !OPERATORS.contains(&node.kind) {
            return Err(refuse(node, "is none of a quantised network: quantise the float network anew"));
        }
        let shape = &self.graph.tensors[node.output].shape;
        if shape.contains(&0) {
            return Err(refuse(
                node,
                format!("has an output of the shape {shape:?}, which has a length of 0"),
            ));
        }
        match &node.operator {
            Operator::Quantise => self.quantise(node),
            Operator::Dequantise => self.dequantise(node),
            Operator::Table => self.table(node),
            Operator::Wide => self.wide(node),
            Operator::Rows => self.rows(node),
            _ => self.exact(node),
        }
    }

    /// The exponent of the scale, input 1, after a check of the zero point, input 2.
    fn scale(&self, node: &Node<'f>, element: Element) -> Result<i32> {
        if let Some(zero) = node.inputs.get(2).copied().flatten() {
            let tensor = &self.graph.tensors[zero];
            let fits = tensor.element == element && tensor.shape.is_empty();
            if !fits
                || !matches!(&tensor.constant, Some(Constant::Stored(zero)) if self.integers(zero)? == [0])
            {
                return Err(refuse(
                    node,
                    format!("has the zero point {:?}, which is no single 0 of its type", tensor.name),
                ));
            }
        }
        self.exponent(node)
    }

    /// The exponent of the scale, input 1.
    pub(super) fn exponent(&self, node: &Node<'f>) -> Result<i32> {
        let scale = node.inputs.get(1).copied().flatten().map(|scale| &self.graph.tensors[scale]);
        let Some(Tensor { name, element: Element::Float, shape, constant: Some(Constant::Stored(stored)) }) =
            scale
        else {
            return Err(refuse(node, "has a scale that is no initialiser of float32"));
        };
        if !shape.is_empty() {
            return Err(refuse(
                node,
                format!("has the scale {name:?} of {shape:?}: one number for the tensor is supported"),
            ));
        }
        let scale = stored.floats(self.graph.folder.as_ref())?[0];
        let bits = (scale as f32).to_bits();
        let exponent = bits >> 23;
        if bits & 0x7f_ffff != 0 || !(1..255).contains(&exponent) {
            return Err(refuse(
                node,
                format!("has the scale {scale}, which is no power of two: quantise it anew"),
            ));
        }
        Ok(127 - exponent.cast_signed())
    }

    fn quantise(&mut self, node: &Node<'f>) -> Result<()> {
        let source = node.inputs[0].expect("an operator's first input");
        if node.inputs.get(2).copied().flatten().is_none() {
            return Err(refuse(node, "has no zero point, which gives the type of its output: int16"));
        }
        let exponent = self.scale(node, Element::Int16)?;
        let (from, step) = match self.forms[source] {
            Some(Form::Input(from)) => {
                self.tensors[from].exponent = exponent;
                (from, Step::Same)
            }
            Some(Form::LookedUp(from)) => {
                self.tensors[from].exponent = exponent;
                (from, Step::Same)
            }
            Some(Form::Real(from)) => {
                let shift = self.tensors[from].exponent - exponent;
                let shift =
                    u32::try_from(shift).ok().filter(|shift| *shift <= LONGEST_SHIFT).ok_or_else(|| {
                        refuse(
                            node,
                            format!("rounds by a shift of {shift}: 0 to {LONGEST_SHIFT} are supported"),
                        )
                    })?;
                (from, Step::Requantise { shift })
            }
            form => return Err(self.unread(node, source, form)),
        };
        let held = Quantity { exponent, kind: Kind::Held, bound: HELD_BOUND, degree: 1, ..self.plain(node) };
        let output = self.layer(node, step, vec![from], held);
        self.forms[node.output] = Some(Form::Rounded(output));
        Ok(())
    }

    fn dequantise(&mut self, node: &Node<'f>) -> Result<()> {
        let source = node.inputs[0].expect("an operator's first input");
        let Tensor { name, element, shape, constant } = &self.graph.tensors[source];
        let exponent = self.scale(node, *element)?;
        if let Some(Form::Rounded(tensor)) = self.forms[source] {
            if self.tensors[tensor].exponent != exponent {
                return Err(refuse(
                    node,
                    format!("reads {name:?} with another scale than it was quantised by"),
                ));
            }
            self.forms[node.output] = Some(Form::Real(tensor));
            return Ok(());
        }
        let type_bits = match element {
            Element::Int8 => 8,
            Element::Int16 => 16,
            Element::Int32 => 32,
            _ => {
                return Err(refuse(node, format!("reads {name:?}, which has none of int8, int16 and int32")));
            }
        };
        let is_public = name.starts_with(PUBLIC_PREFIX);
        match (constant, self.forms[source]) {
            (None, Some(Form::Apart)) => {}
            (Some(Constant::Stored(_)), _) if is_public || !self.is_apart => {}
            (Some(Constant::Stored(_)), _) => {
                return Err(refuse(
                    node,
                    format!(
                        "reads the weight {name:?} of the file, whose weights are said to be apart: split it anew"
                    ),
                ));
            }
            _ => {
                return Err(refuse(
                    node,
                    format!("reads {name:?}, which is neither quantised nor an initialiser"),
                ));
            }
        }
        if !is_public {
            self.factors.entry(source).or_insert(false);
        }
        let bound = match is_public {
            true => self.see(source)?.largest,
            false => 1 << (type_bits - 1),
        };
        self.forms[node.output] = Some(Form::Real(self.tensors.len()));
        self.tensors.push(Quantity {
            name,
            shape: shape.clone(),
            exponent,
            kind: if is_public { Kind::Public } else { Kind::Weight },
            bound,
            degree: u32::from(!is_public),
            origin: Some(source),
        });
        Ok(())
    }

    fn table(&mut self, node: &Node<'f>) -> Result<()> {
        let from = self.real(node, 0)?;
        self.demand_held(node, &[from])?;
        let table = match self.known.get(node.kind) {
            Some(&table) => table,
            None => {
                let (name, values) = (node.kind, self.table_values(node)?);
                self.tables.push(Table { name, values });
                self.known.insert(name, self.tables.len() - 1);
                self.tables.len() - 1
            }
        };
        // Its exponent is that of the node that reads it.
        if self.reads[node.output] != 1 {
            return Err(refuse(node, "is to be read by one QuantizeLinear alone"));
        }
        let looked = Quantity { kind: Kind::LookedUp, bound: HELD_BOUND, ..self.plain(node) };
        let output = self.layer(node, Step::Table(table), vec![from], looked);
        self.forms[node.output] = Some(Form::LookedUp(output));
        Ok(())
    }

    /// The initialiser of a table, by the name of the function.
    pub(super) fn table_of(&self, prefix: &str, node: &Node<'f>) -> Option<&'g Tensor<'f>> {
        let place = self.stored.get(&*format!("{prefix}{}", node.kind))?;
        Some(&self.graph.tensors[*place])
    }

    fn table_values(&self, node: &Node<'f>) -> Result<Vec<i16>> {
        let tensor = self.table_of(TABLE_PREFIX, node);
        let Some(Tensor { element: Element::Int16, shape, constant: Some(Constant::Stored(stored)), .. }) =
            tensor
        else {
            return Err(refuse(
                node,
                format!("has no table: an initialiser {TABLE_PREFIX}{} of int16", node.kind),
            ));
        };
        if !matches!(shape[..], [rows] if rows.is_power_of_two() && (256..=65_536).contains(&rows)) {
            return Err(refuse(
                node,
                format!("has a table of the shape {shape:?}: [256] to [65536], powers of two"),
            ));
        }
        Ok(self.integers(stored)?.iter().map(|&value| value as i16).collect())
    }

    /// The tensor that an input of a node is.
    pub(super) fn real(&self, node: &Node<'f>, i: usize) -> Result<usize> {
        let Some(source) = node.inputs.get(i).copied().flatten() else {
            return Err(refuse(node, format!("has no input {i}")));
        };
        match self.forms[source] {
            Some(Form::Real(tensor)) => Ok(tensor),
            form => Err(self.unread(node, source, form)),
        }
    }

    fn unread(&self, node: &Node<'f>, source: usize, form: Option<Form>) -> Error {
        let why = match form {
            Some(Form::Input(_)) => "an input, which a QuantizeLinear alone may read",
            Some(Form::Indices(_)) => "an input of indices, which Gather alone may read, as its indices",
            Some(Form::Rounded(_)) => "quantised, and which a DequantizeLinear alone may read",
            Some(Form::LookedUp(_)) => "looked up, and which a QuantizeLinear alone may read",
            Some(Form::Index(_)) => "an index, which may be an output alone",
            Some(Form::Apart) => "a weight, which a DequantizeLinear alone may read",
            _ => "a constant that no DequantizeLinear gives a scale",
        };
        refuse(node, format!("reads {:?}, which is {why}", self.graph.tensors[source].name))
    }

    /// The output of a node, as far as it is one by any operator.
    pub(super) fn plain(&self, node: &Node<'f>) -> Quantity<'f> {
        let Tensor { name, shape, .. } = &self.graph.tensors[node.output];
        Quantity {
            name,
            shape: shape.clone(),
            exponent: 0,
            kind: Kind::Sum,
            bound: 0,
            degree: 1,
            origin: None,
        }
    }

    pub(super) fn layer(
        &mut self,
        node: &Node<'f>,
        step: Step,
        inputs: Vec<usize>,
        output: Quantity<'f>,
    ) -> usize {
        self.tensors.push(output);
        let output = self.tensors.len() - 1;
        self.layers.push(Layer { name: node.name, operator: node.kind, step, inputs, output });
        output
    }

    pub(super) fn integers(&self, stored: &Stored<'f>) -> Result<Vec<i64>> {
        stored.integers(self.graph.folder.as_ref())
    }
}

pub(super) fn refuse(node: &Node<'_>, why: impl Display) -> Error {
    Error::invalid(format!("{node} {why}"))
}
