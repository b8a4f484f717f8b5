//! Operators: what a node does, and the shapes that come of it. Each is read once, here, for every use.

pub(crate) mod call;
mod cube;
pub(crate) mod places;
mod window;

pub(crate) use cube::{Cube, Met};
pub use places::{Axis, Places};
pub use window::Window;

use crate::stored::Element;
use call::Call;
use places::broadcast;
use volery_channel::error::Result;

/// An operator with all that decides what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Elements are moved.
    Places(Places),
    /// A sum of two, broadcast.
    Add,
    /// A difference of two, broadcast.
    Subtract,
    /// A product of two, element by element, broadcast.
    Multiply,
    /// Matrix products over the last two dimensions, broadcast over the others.
    MatMul,
    /// A product of two matrices, and what is added to it.
    Gemm {
        /// Whether the first is transposed.
        transpose_a: bool,
        /// Whether the second is transposed.
        transpose_b: bool,
    },
    /// A convolution.
    Conv {
        /// The window.
        window: Window,
        /// The groups of channels, each of which meets its own kernels.
        groups: usize,
    },
    /// A transposed convolution.
    ConvTranspose {
        /// The window.
        window: Window,
        /// The groups of channels.
        groups: usize,
    },
    /// A sum, mean or maximum over axes.
    Reduce {
        /// The one of the three.
        reduction: Reduction,
        /// The axes, ascending.
        axes: Vec<usize>,
    },
    /// A mean of each window.
    AveragePool(Window),
    /// A maximum of each window.
    MaxPool(Window),
    /// The maximum of several, element by element, broadcast.
    Maximum,
    /// The index of the first maximum along an axis.
    ArgMax {
        /// The axis.
        axis: usize,
    },
    /// Real numbers become integers.
    Quantise,
    /// Integers become real numbers.
    Dequantise,
    /// A function of one variable by a table.
    Table,
    /// A function of a wide value by a table of leading bits.
    Wide,
    /// Rows of a tensor, by indices that are no constant.
    Rows,
    /// A function of a float file, element by element.
    Function,
}

/// A way to make one element of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum.
    Sum,
    /// The mean.
    Mean,
    /// The maximum.
    Maximum,
}

/// The domain of functions by tables.
const TABLES: &str = "volery.table";

/// The domain of functions of wide values.
const WIDES: &str = "volery.wide";

/// The domains of functions that are the format's own.
pub(crate) const OWN: [&str; 2] = [TABLES, WIDES];

/// An output of a node: an operator each, since one that has several is as many operators.
pub(crate) struct Output {
    pub operator: Operator,
    pub element: Element,
    pub shape: Vec<usize>,
}

/// The outputs of a node that computes something.
///
/// # Errors
/// `Invalid`, which names the node, where it is not supported, and says what to do.
pub(crate) fn read(call: &Call<'_, '_>, domain: &str) -> Result<Vec<Output>> {
    let outputs = outputs(call, domain)?;
    call.finish()?;
    for output in &outputs {
        call.check(&output.shape)?;
    }
    Ok(outputs)
}

fn outputs(call: &Call<'_, '_>, domain: &str) -> Result<Vec<Output>> {
    let element = call.input(0)?.element;
    let one = |operator, shape| Ok(vec![Output { operator, element, shape }]);
    if domain == TABLES {
        demand_inputs(call, 1, 1)?;
        return one(Operator::Table, call.shape(0)?.to_vec());
    }
    if domain == WIDES {
        demand_inputs(call, 3, 3)?;
        return one(Operator::Wide, call.shape(0)?.to_vec());
    }
    if call.operator() == "Gather" && element.is_float() && call.input(1)?.constant.is_none() {
        return one(Operator::Rows, rows(call)?);
    }
    if let Some(moved) = places::read(call)? {
        let output =
            |places::Moved { places, shape }| Output { operator: Operator::Places(places), element, shape };
        return Ok(moved.into_iter().map(output).collect());
    }
    match call.operator() {
        "Add" => one(Operator::Add, two(call)?),
        "Sub" => one(Operator::Subtract, two(call)?),
        "Mul" => one(Operator::Multiply, two(call)?),
        "MatMul" => one(Operator::MatMul, mat_mul(call)?),
        "Gemm" => {
            let (operator, shape) = gemm(call)?;
            one(operator, shape)
        }
        "Conv" | "ConvTranspose" => {
            let (operator, shape) = conv(call)?;
            one(operator, shape)
        }
        "ReduceSum" => reduce(call, Reduction::Sum),
        "ReduceMean" => reduce(call, Reduction::Mean),
        "ReduceMax" => reduce(call, Reduction::Maximum),
        "GlobalAveragePool" => pool_all(call, Reduction::Mean),
        "GlobalMaxPool" => pool_all(call, Reduction::Maximum),
        "AveragePool" | "MaxPool" => {
            let (operator, shape) = pool(call)?;
            one(operator, shape)
        }
        "Max" => {
            let shapes = (0..call.inputs()).map(|i| call.shape(i)).collect::<Result<Vec<_>>>()?;
            let shape = broadcast(&shapes).ok_or_else(|| unfit(call, &shapes))?;
            one(Operator::Maximum, shape)
        }
        "ArgMax" => {
            demand_inputs(call, 1, 1)?;
            let source = call.shape(0)?;
            let axis = call.axis(call.integer("axis", 0)?, source.len())?;
            if call.flag("select_last_index", false)? {
                return Err(call.refuse("selects the last index: only the first is supported"));
            }
            if source[axis] == 0 {
                return Err(call.refuse("looks for a maximum among none"));
            }
            let shape = reduced(source, &[axis], call.flag("keepdims", true)?);
            Ok(vec![Output { operator: Operator::ArgMax { axis }, element: Element::Int64, shape }])
        }
        "QuantizeLinear" => {
            demand_inputs(call, 2, 3)?;
            call.pass("axis");
            if call.integer("block_size", 0)? != 0 || call.integer("output_dtype", 0)? != 0 || !call.flag("saturate", true)? {
                return Err(call.refuse("has another block_size, output_dtype or saturate than by default"));
            }
            let element = call.optional(2).map_or(Element::Uint8, |zero| zero.element);
            Ok(vec![Output { operator: Operator::Quantise, element, shape: call.shape(0)?.to_vec() }])
        }
        "DequantizeLinear" => {
            demand_inputs(call, 2, 3)?;
            call.pass("axis");
            if call.integer("block_size", 0)? != 0 {
                return Err(call.refuse("has a block_size: only one scale for a tensor is supported"));
            }
            let shape = call.shape(0)?.to_vec();
            Ok(vec![Output { operator: Operator::Dequantise, element: call.input(1)?.element, shape }])
        }
        name if FUNCTIONS.contains(&name) => {
            for attribute in ["alpha", "beta", "gamma", "approximate", "max", "min"] {
                call.pass(attribute);
            }
            one(Operator::Function, call.shape(0)?.to_vec())
        }
        "If" | "Loop" | "Scan" => Err(call.refuse(
            "is control flow, which is not supported: export the network by tracing, or with its branches decided",
        )),
        name if name.starts_with("String") || name.contains("Tokenizer") => {
            Err(call.refuse("works on strings, which are not supported: cut the network behind it"))
        }
        "NonMaxSuppression" | "NonZero" | "Unique" | "Compress" => Err(call.refuse(
            "has an output whose shape depends on values, which is not supported: cut the network before it",
        )),
        _ => Err(call.refuse("is not supported: crates/onnx/FORMAT.md lists the operators that are")),
    }
}

/// Functions of one variable that float files have; those of integers are tables.
const FUNCTIONS: &[&str] = &[
    "Abs",
    "Celu",
    "Clip",
    "Elu",
    "Erf",
    "Exp",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
    "Mish",
    "Neg",
    "Relu",
    "Selu",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "Tanh",
];

fn demand_inputs(call: &Call<'_, '_>, least: usize, most: usize) -> Result<()> {
    if !(least..=most).contains(&call.inputs()) {
        return Err(call.refuse(format!("has {} inputs", call.inputs())));
    }
    (0..least).try_for_each(|i| call.input(i).map(|_| ()))
}

/// The shape of rows that indices name.
fn rows(call: &Call<'_, '_>) -> Result<Vec<usize>> {
    demand_inputs(call, 2, 2)?;
    let (source, indices) = (call.shape(0)?, call.input(1)?);
    if source.is_empty() || call.axis(call.integer("axis", 0)?, source.len())? != 0 {
        return Err(
            call.refuse("has indices that are no constant by another axis than 0, which is not supported")
        );
    }
    if !matches!(indices.element, Element::Int32 | Element::Int64) {
        return Err(call.refuse(format!("has the indices {:?}, which are no integers", indices.name)));
    }
    Ok([&*indices.shape, &source[1..]].concat())
}

fn two(call: &Call<'_, '_>) -> Result<Vec<usize>> {
    demand_inputs(call, 2, 2)?;
    let shapes = [call.shape(0)?, call.shape(1)?];
    broadcast(&shapes).ok_or_else(|| unfit(call, &shapes))
}

fn unfit(call: &Call<'_, '_>, shapes: &[&[usize]]) -> volery_channel::error::Error {
    call.refuse(format!("has inputs of the shapes {shapes:?}, which do not fit"))
}

fn mat_mul(call: &Call<'_, '_>) -> Result<Vec<usize>> {
    demand_inputs(call, 2, 2)?;
    let (a, b) = (call.shape(0)?, call.shape(1)?);
    let fail = || unfit(call, &[a, b]);
    if a.is_empty() || b.is_empty() {
        return Err(fail());
    }
    // A vector is a row on the left and a column on the right, which the result has not.
    let row = [1, a[0]];
    let column = [b[0], 1];
    let (left, right) = (if a.len() == 1 { &row[..] } else { a }, if b.len() == 1 { &column[..] } else { b });
    let ((outer, [m, inner]), (others, [rows, n])) =
        (left.split_last_chunk().ok_or_else(fail)?, right.split_last_chunk().ok_or_else(fail)?);
    let mut shape = broadcast(&[outer, others]).filter(|_| inner == rows).ok_or_else(fail)?;
    shape.extend((a.len() > 1).then_some(*m));
    shape.extend((b.len() > 1).then_some(*n));
    Ok(shape)
}

fn gemm(call: &Call<'_, '_>) -> Result<(Operator, Vec<usize>)> {
    demand_inputs(call, 2, 3)?;
    if call.float("alpha", 1.0)? != 1.0 || call.float("beta", 1.0)? != 1.0 {
        return Err(call.refuse("has alpha or beta other than 1: fold them into the weights"));
    }
    let (transpose_a, transpose_b) = (call.flag("transA", false)?, call.flag("transB", false)?);
    let (&[a, b], &[c, d]) = (call.shape(0)?, call.shape(1)?) else {
        return Err(unfit(call, &[call.shape(0)?, call.shape(1)?]));
    };
    let (rows, inner) = if transpose_a { (b, a) } else { (a, b) };
    let (other, columns) = if transpose_b { (d, c) } else { (c, d) };
    let shape = vec![rows, columns];
    let added = call.optional(2).map(|added| &*added.shape);
    let fits = added.is_none_or(|added| broadcast(&[&shape, added]).is_some_and(|both| both == shape));
    if inner != other || !fits {
        return Err(unfit(call, &[call.shape(0)?, call.shape(1)?, added.unwrap_or_default()]));
    }
    Ok((Operator::Gemm { transpose_a, transpose_b }, shape))
}

fn conv(call: &Call<'_, '_>) -> Result<(Operator, Vec<usize>)> {
    demand_inputs(call, 2, 3)?;
    let is_transposed = call.operator() == "ConvTranspose";
    let (source, weights) = (call.shape(0)?, call.shape(1)?);
    let ([batch, channels, space @ ..], [first, second, kernel @ ..]) = (source, weights) else {
        return Err(unfit(call, &[source, weights]));
    };
    let window = Window::read(call, Some(kernel))?;
    let groups = call.integer("group", 1)?;
    let groups = usize::try_from(groups).ok().filter(|&groups| groups > 0 && channels.is_multiple_of(groups));
    let groups = groups
        .ok_or_else(|| call.refuse(format!("has groups that {channels} channels do not divide into")))?;
    let (inputs, outputs) =
        if is_transposed { (*first, second.checked_mul(groups)) } else { (second * groups, Some(*first)) };
    let outputs = outputs.filter(|outputs| outputs.is_multiple_of(groups)).unwrap_or(usize::MAX);
    let biases = call.optional(2).map_or(&[outputs][..], |biases| &biases.shape) == [outputs];
    if space.len() != kernel.len() || inputs != *channels || outputs == usize::MAX || !biases {
        return Err(unfit(call, &[source, weights]));
    }
    let lengths = match is_transposed {
        true => {
            let padding = call.steps("output_padding", space.len(), 0)?;
            if call.integers("output_shape")?.is_some() {
                return Err(call.refuse("has an output_shape: give pads and output_padding in its place"));
            }
            window.spread(call, space, &padding)?
        }
        false => window.outputs(call, space)?,
    };
    let shape = [&[*batch, outputs], &*lengths].concat();
    let operator = match is_transposed {
        true => Operator::ConvTranspose { window, groups },
        false => Operator::Conv { window, groups },
    };
    Ok((operator, shape))
}

fn pool(call: &Call<'_, '_>) -> Result<(Operator, Vec<usize>)> {
    demand_inputs(call, 1, 1)?;
    let source = call.shape(0)?;
    let is_maximum = call.operator() == "MaxPool";
    let window = Window::read(call, None)?;
    if call.flag("ceil_mode", false)? {
        return Err(call.refuse("has ceil_mode 1: export the network with explicit pads"));
    }
    if is_maximum && (call.flag("storage_order", false)? || call.outputs() != 1) {
        return Err(call.refuse("gives indices, too: only maxima are supported"));
    }
    if !is_maximum {
        call.pass("count_include_pad");
    }
    let space = source.get(2..).filter(|space| space.len() == window.kernel.len());
    let space = space.ok_or_else(|| unfit(call, &[source, &window.kernel]))?;
    let lengths = window.outputs(call, space)?;
    if is_maximum && !window.is_filled(space, &lengths) {
        return Err(call.refuse("has a window that lies in padding alone"));
    }
    let shape = [&source[..2], &*lengths].concat();
    Ok((if is_maximum { Operator::MaxPool(window) } else { Operator::AveragePool(window) }, shape))
}

fn reduce(call: &Call<'_, '_>, reduction: Reduction) -> Result<Vec<Output>> {
    demand_inputs(call, 1, 2)?;
    let source = call.shape(0)?;
    let axes = call.list("axes", 1)?.unwrap_or_default();
    let keeps = call.flag("keepdims", true)?;
    if call.flag("noop_with_empty_axes", false)? {
        return Err(call.refuse("has noop_with_empty_axes 1, which is not supported: name the axes"));
    }
    let mut axes = call.axes(&axes, source.len())?;
    if axes.is_empty() {
        axes = (0..source.len()).collect();
    }
    axes.sort_unstable();
    if reduction != Reduction::Sum && axes.iter().any(|&axis| source[axis] == 0) {
        return Err(call.refuse("has nothing to make one of"));
    }
    let shape = reduced(source, &axes, keeps);
    let element = call.input(0)?.element;
    Ok(vec![Output { operator: Operator::Reduce { reduction, axes }, element, shape }])
}

fn pool_all(call: &Call<'_, '_>, reduction: Reduction) -> Result<Vec<Output>> {
    demand_inputs(call, 1, 1)?;
    let source = call.shape(0)?;
    if source.len() < 3 || source[2..].contains(&0) {
        return Err(call.refuse(format!("pools over the space of {source:?}")));
    }
    let axes: Vec<usize> = (2..source.len()).collect();
    let shape = reduced(source, &axes, true);
    let element = call.input(0)?.element;
    Ok(vec![Output { operator: Operator::Reduce { reduction, axes }, element, shape }])
}

fn reduced(source: &[usize], axes: &[usize], keeps: bool) -> Vec<usize> {
    let lengths = source.iter().enumerate();
    lengths
        .filter_map(|(i, &length)| if !axes.contains(&i) { Some(length) } else { keeps.then_some(1) })
        .collect()
}
