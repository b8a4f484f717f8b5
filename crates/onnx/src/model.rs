//! The messages of an ONNX file (`onnx.proto`, IR versions 4 to 13) as far as a network that is run needs them, borrowed from the
//! bytes of the file. Values of tensors stay where they are: [`Stored`](crate::Stored).
//!
//! The file is untrusted: what is kept of it is a constant times its bytes, and lists have limits besides.
//! Whatever would change what a network computes and is not read here is refused by name: sparse
//! tensors, types that are no tensors. Bodies of functions, documentation, producers and training information are passed over.

use crate::protobuf::{Field, Message, refuse};
use crate::stored::Stored;
use volery_channel::error::Result;

/// The most bytes of a file, as protobuf has it.
pub const MOST_BYTES: usize = 1 << 31;

/// The most nodes of a graph.
pub const MOST_NODES: usize = 1 << 16;

/// The most tensors that a graph names of each kind: initialisers, inputs, outputs, and those described.
pub const MOST_TENSORS: usize = 1 << 17;

/// The most inputs or outputs of a node, its attributes, and entries of metadata and of operator sets.
const MOST_ENTRIES: usize = 1 << 12;

/// The most numbers of an attribute.
const MOST_NUMBERS: usize = 1 << 20;

/// The most dimensions of a tensor.
pub const MOST_DIMENSIONS: usize = 8;

/// A whole file, `ModelProto`.
#[derive(Debug, Default)]
pub struct Model<'f> {
    /// The operator sets: domains and their versions.
    pub opsets: Vec<Opset<'f>>,
    /// The metadata.
    pub metadata: Vec<Entry<'f>>,
    /// The domains of functions that the file defines.
    pub functions: Vec<&'f str>,
    /// The graph.
    pub graph: GraphMessage<'f>,
}

/// A version of an operator set, `OperatorSetIdProto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opset<'f> {
    /// The domain, which is empty or `ai.onnx` for ONNX's own operators.
    pub domain: &'f str,
    /// The version.
    pub version: i64,
}

/// A key with its value, `StringStringEntryProto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'f> {
    /// The key.
    pub key: &'f str,
    /// The value.
    pub value: &'f str,
}

/// A graph as it is written, `GraphProto`.
#[derive(Debug, Default)]
pub struct GraphMessage<'f> {
    /// The name.
    pub name: &'f str,
    /// The nodes, in the order of the file.
    pub nodes: Vec<NodeMessage<'f>>,
    /// The tensors with values.
    pub initialisers: Vec<Stored<'f>>,
    /// The inputs; old files list initialisers among them.
    pub inputs: Vec<Described<'f>>,
    /// The outputs.
    pub outputs: Vec<Described<'f>>,
    /// The shapes that the file tells of tensors in between.
    pub described: Vec<Described<'f>>,
}

/// A node as it is written, `NodeProto`.
#[derive(Debug, Default)]
pub struct NodeMessage<'f> {
    /// The name, which may be empty.
    pub name: &'f str,
    /// The operator.
    pub operator: &'f str,
    /// The operator's domain.
    pub domain: &'f str,
    /// The names of its inputs; one that is left out is empty.
    pub inputs: Vec<&'f str>,
    /// The names of its outputs; one that nobody wants is empty.
    pub outputs: Vec<&'f str>,
    /// The attributes.
    pub attributes: Vec<Attribute<'f>>,
    /// The place in the file.
    pub at: usize,
}

/// An attribute of a node, `AttributeProto`.
#[derive(Debug)]
pub struct Attribute<'f> {
    /// The name.
    pub name: &'f str,
    /// The value.
    pub value: Setting<'f>,
}

/// A value of an attribute.
#[derive(Debug)]
pub enum Setting<'f> {
    /// A number of single precision.
    Float(f32),
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(&'f str),
    /// A tensor.
    Tensor(Box<Stored<'f>>),
    /// Numbers of single precision.
    Floats(Vec<f32>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// A value of a kind that no supported operator has; graphs are those of control flow. They are not looked into, and so
    /// nothing nests.
    Other(&'static str),
}

/// A tensor with its type and shape, `ValueInfoProto`.
#[derive(Debug)]
pub struct Described<'f> {
    /// The name.
    pub name: &'f str,
    /// The number of the type of elements ([`Element`](crate::Element)), where the file tells it.
    pub element: Option<i64>,
    /// The shape, where the file tells it.
    pub shape: Option<Vec<Dimension<'f>>>,
}

/// A dimension of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension<'f> {
    /// One of this length.
    Of(i64),
    /// The name that the file gives to an open one.
    Named(&'f str),
    /// An open one without a name.
    Open,
}

impl<'f> Model<'f> {
    /// Reads a file.
    ///
    /// # Errors
    /// `Invalid`, with the place in the file and what is wrong there.
    pub fn read(file: &'f [u8]) -> Result<Self> {
        if file.len() > MOST_BYTES {
            return Err(refuse(
                MOST_BYTES,
                format!("it has more than {MOST_BYTES} bytes: store weights as external data"),
            ));
        }
        let mut model = Self::default();
        let mut version = None;
        let mut graph = None;
        for field in Message::new(file).fields() {
            let field = &field?;
            match field.number {
                1 => field.once(&mut version, Field::integer)?,
                7 => field.once(&mut graph, |field| GraphMessage::read(field.message()?))?,
                8 => push(&mut model.opsets, MOST_ENTRIES, field, Opset::read)?,
                14 => push(&mut model.metadata, MOST_ENTRIES, field, Entry::read)?,
                25 => push(&mut model.functions, MOST_TENSORS, field, function_domain)?,
                _ => {}
            }
        }
        if version.is_none() {
            return Err(refuse(0, "there is no IR version: this is no ONNX file"));
        }
        model.graph = graph.ok_or_else(|| refuse(0, "there is no graph: this is no ONNX file"))?;
        Ok(model)
    }
}

/// The domain of a function, `FunctionProto`, which is not read further.
fn function_domain<'f>(field: &Field<'f>) -> Result<&'f str> {
    let mut domain = None;
    for field in field.message()?.fields() {
        let field = &field?;
        if field.number == 10 {
            field.once(&mut domain, Field::text)?;
        }
    }
    Ok(domain.unwrap_or_default())
}

impl<'f> Opset<'f> {
    fn read(field: &Field<'f>) -> Result<Self> {
        let (mut domain, mut version) = (None, None);
        for field in field.message()?.fields() {
            let field = &field?;
            match field.number {
                1 => field.once(&mut domain, Field::text)?,
                2 => field.once(&mut version, Field::integer)?,
                _ => {}
            }
        }
        Ok(Self { domain: domain.unwrap_or_default(), version: version.unwrap_or_default() })
    }
}

impl<'f> Entry<'f> {
    /// Reads an entry; a value that is longer than a text is passed over as empty, since exporters store notes so.
    pub(crate) fn read(field: &Field<'f>) -> Result<Self> {
        let (mut key, mut value) = (None, None);
        for field in field.message()?.fields() {
            let field = &field?;
            match field.number {
                1 => field.once(&mut key, Field::text)?,
                2 => field.once(&mut value, |field| Ok(field.text().unwrap_or_default()))?,
                _ => {}
            }
        }
        Ok(Self { key: key.unwrap_or_default(), value: value.unwrap_or_default() })
    }
}

impl<'f> GraphMessage<'f> {
    fn read(message: Message<'f>) -> Result<Self> {
        let mut graph = Self::default();
        let mut name = None;
        for field in message.fields() {
            let field = &field?;
            match field.number {
                1 => push(&mut graph.nodes, MOST_NODES, field, NodeMessage::read)?,
                2 => field.once(&mut name, Field::text)?,
                5 => push(&mut graph.initialisers, MOST_TENSORS, field, Stored::read)?,
                11 => push(&mut graph.inputs, MOST_TENSORS, field, Described::read)?,
                12 => push(&mut graph.outputs, MOST_TENSORS, field, Described::read)?,
                13 => push(&mut graph.described, MOST_TENSORS, field, Described::read)?,
                15 => return Err(refuse(field.at, "it has a sparse initialiser: export it as a dense one")),
                _ => {}
            }
        }
        graph.name = name.unwrap_or_default();
        Ok(graph)
    }
}

impl<'f> NodeMessage<'f> {
    fn read(field: &Field<'f>) -> Result<Self> {
        let mut node = Self { at: field.at, ..Self::default() };
        let [mut name, mut operator, mut domain] = [None; 3];
        for field in field.message()?.fields() {
            let field = &field?;
            match field.number {
                1 => push(&mut node.inputs, MOST_ENTRIES, field, Field::text)?,
                2 => push(&mut node.outputs, MOST_ENTRIES, field, Field::text)?,
                3 => field.once(&mut name, Field::text)?,
                4 => field.once(&mut operator, Field::text)?,
                5 => push(&mut node.attributes, MOST_ENTRIES, field, Attribute::read)?,
                7 => field.once(&mut domain, Field::text)?,
                _ => {}
            }
        }
        node.name = name.unwrap_or_default();
        node.operator = operator.unwrap_or_default();
        node.domain = domain.unwrap_or_default();
        Ok(node)
    }
}

impl<'f> Attribute<'f> {
    fn read(field: &Field<'f>) -> Result<Self> {
        let at = field.at;
        let (mut name, mut kind, mut float, mut integer) = (None, None, None, None);
        let (mut text, mut tensor, mut floats, mut integers) = (None, None, vec![], vec![]);
        for field in field.message()?.fields() {
            let field = &field?;
            match field.number {
                1 => field.once(&mut name, Field::text)?,
                2 => field.once(&mut float, Field::float)?,
                3 => field.once(&mut integer, Field::integer)?,
                // Texts that no operator here reads may be longer, or no texts.
                4 => field.once(&mut text, |field| Ok(field.text().ok()))?,
                5 => field.once(&mut tensor, |field| Ok(Box::new(Stored::read(field)?)))?,
                7 => field.floats(&mut floats)?,
                8 => field.integers(&mut integers)?,
                20 => field.once(&mut kind, Field::integer)?,
                21 => {
                    return Err(refuse(
                        field.at,
                        "an attribute refers to one of a function: export it with functions inlined",
                    ));
                }
                _ => {}
            }
            if floats.len().max(integers.len()) > MOST_NUMBERS {
                return Err(refuse(field.at, format!("an attribute has more than {MOST_NUMBERS} numbers")));
            }
        }
        // Values that are 0 or empty may be left out.
        let value = match kind {
            Some(1) => Setting::Float(float.unwrap_or_default()),
            Some(2) => Setting::Integer(integer.unwrap_or_default()),
            Some(3) => match text.unwrap_or(Some("")) {
                Some(text) => Setting::Text(text),
                None => Setting::Other("long text"),
            },
            Some(4) => Setting::Tensor(tensor.ok_or_else(|| refuse(at, "an attribute has no value"))?),
            Some(5) => Setting::Other("graph"),
            Some(6) => Setting::Floats(floats),
            Some(7) => Setting::Integers(integers),
            Some(_) => Setting::Other("value"),
            None => return Err(refuse(at, "an attribute does not tell its type")),
        };
        Ok(Self { name: name.unwrap_or_default(), value })
    }
}

impl<'f> Described<'f> {
    fn read(field: &Field<'f>) -> Result<Self> {
        let mut described = Self { name: "", element: None, shape: None };
        let (mut name, mut tensor) = (None, None);
        for field in field.message()?.fields() {
            let field = &field?;
            match field.number {
                1 => field.once(&mut name, Field::text)?,
                2 => field.once(&mut tensor, |field| described.read_type(field.message()?))?,
                _ => {}
            }
        }
        described.name = name.unwrap_or_default();
        Ok(described)
    }

    fn read_type(&mut self, message: Message<'f>) -> Result<()> {
        for field in message.fields() {
            let field = &field?;
            match field.number {
                1 => {
                    for field in field.message()?.fields() {
                        let field = &field?;
                        match field.number {
                            1 => field.once(&mut self.element, Field::integer)?,
                            2 => field.once(&mut self.shape, |field| shape(field.message()?))?,
                            _ => {}
                        }
                    }
                }
                4 | 5 | 8 | 9 => {
                    return Err(refuse(
                        field.at,
                        "a value is a sequence, a map or optional, and no tensor: that is not supported",
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn shape<'f>(message: Message<'f>) -> Result<Vec<Dimension<'f>>> {
    let mut shape = vec![];
    for field in message.fields() {
        let field = &field?;
        if field.number == 1 {
            push(&mut shape, MOST_DIMENSIONS, field, Dimension::read)?;
        }
    }
    Ok(shape)
}

impl<'f> Dimension<'f> {
    fn read(field: &Field<'f>) -> Result<Self> {
        let (mut length, mut name) = (None, None);
        for field in field.message()?.fields() {
            let field = &field?;
            match field.number {
                1 => field.once(&mut length, Field::integer)?,
                2 => field.once(&mut name, Field::text)?,
                _ => {}
            }
        }
        Ok(match (length, name) {
            // Some write -1 for a length that is open.
            (Some(length), _) if length >= 0 => Self::Of(length),
            (None, Some(name)) if !name.is_empty() => Self::Named(name),
            _ => Self::Open,
        })
    }
}

/// Adds what `read` makes of a field to `list`, which has `most` entries at most.
fn push<'f, T>(
    list: &mut Vec<T>,
    most: usize,
    field: &Field<'f>,
    read: impl FnOnce(&Field<'f>) -> Result<T>,
) -> Result<()> {
    if list.len() == most {
        return Err(refuse(field.at, format!("field {} stands more than {most} times", field.number)));
    }
    list.push(read(field)?);
    Ok(())
}
