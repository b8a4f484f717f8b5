//! Neural networks from ONNX files.
//!
//! [`Model`] reads a file as it is written; [`Graph`] knows all its shapes; [`Network`] is a quantised one as
//! integers, which [`Network::run`] runs exactly and [`Network::info`] counts. Bytes are those of strangers: nothing
//! is allocated by a number that a file tells, and whatever is wrong or not supported ends in an error with its
//! node or tensor.
//! Each module imports only those of the lines above its own, and those beside it.
//! ```text
//! protobuf                     fields of messages, with their places
//! model  stored                messages of ONNX; values of tensors
//! tensor                       names, shapes, constants
//! operator                     what a node does: places, windows, axes
//! graph                        nodes in their order, constants folded
//! network                      integers, exponents, bounds, identity
//! bilinear                     sums of products
//! run  info  split             every integer; counts; the public graph, and the weights apart from it
//! statement                    the gates of a proof
//! committed                    those, with weights of a public commitment
//! ```
#![forbid(unsafe_code)]

// Bounds are computed in words that hold products of two lengths.
const _: () = assert!(usize::BITS == 64, "networks are read on machines of 64 bits");

mod bilinear;
mod committed;
mod graph;
mod info;
mod model;
mod network;
mod operator;
mod protobuf;
mod run;
mod skeleton;
mod split;
mod statement;
mod stored;
mod tensor;

pub use committed::Committed;
pub use graph::{Graph, Node, OPSETS, Options};
pub use info::{Counts, Info, LayerInfo};
pub use model::{
    Attribute, Described, Dimension, Entry, GraphMessage, MOST_BYTES, MOST_DIMENSIONS, MOST_NODES,
    MOST_TENSORS, Model, NodeMessage, Opset, Setting,
};
pub use network::{
    Bilinear, FACTOR_BITS, FORMAT, HELD_BITS, Kind, LONGEST_SHIFT, Layer, Network, POWER_BITS, Parts, Power,
    Quantity, SALT_BYTES, SUM_LIMIT, Step, Table, Weight, WideTable, hashed_bytes, hashed_label,
};
pub use operator::{Axis, Operator, Places, Reduction, Window};
pub use run::{Integers, Watch};
pub use split::Split;
pub use statement::{CLASS, INDEX_BITS, Statement, WEIGHTS, encoded, integer};
pub use stored::{Element, Folder, MOST_ELEMENTS, Stored};
pub use tensor::{Constant, Tensor};
