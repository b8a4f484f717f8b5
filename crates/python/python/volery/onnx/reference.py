"""The integers of a network, in numpy: the definition of what a file ``net.q.onnx`` says (format 1).

An integer ``a`` of a tensor with exponent ``e`` stands for ``a · 2^−e``. ``QuantizeLinear`` is the only node
that rounds: it adds half, shifts, and fails where 16 bits are too few. Functions of one variable, nodes of the
domain ``volery.table``, are tables in the file; those of the domain ``volery.wide`` look up the leading bits of
a sum, and its power of two. All else is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from os import PathLike, fspath
from typing import Any, Callable, Iterator, Mapping

import numpy as np
import onnx
from onnx import helper

from .._errors import Invalid, Unsatisfied

FORMAT = "1"
TABLE = "volery.table"
WIDE = "volery.wide"
PUBLIC = "volery.public/"
HALF = 1 << 15
BOUND = 1 << 59
WIDTHS = {np.dtype(np.int8): (7, 7), np.dtype(np.int16): (15, 15), np.dtype(np.int32): (23, 31)}

INDICES = (onnx.TensorProto.INT32, onnx.TensorProto.INT64)
KINDS = {
    onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.INT8: np.int8, onnx.TensorProto.INT16: np.int16,
    onnx.TensorProto.INT32: np.int32, onnx.TensorProto.INT64: np.int64,
}  # fmt: skip


# Ends of numpy, of a node that makes no sense: shapes, axes, operands that are missing.
MALFORMED = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class Overflow(Unsatisfied):
    """A value that its 16 bits, or the keys or powers of its table, do not hold.

    ``node`` is the name of the node, ``place`` the index in its tensor, ``value`` the integer.
    """

    node: str
    place: tuple[int, ...]
    value: int


@dataclass(frozen=True)
class Tensor:
    """Integers (int64), their exponent, the bound of whatever could stand there, and what may read them.

    ``degree`` counts the factors that a proof commits to, and is 3 for indices, which no node may read.
    ``held`` integers have 16 bits and are committed to themselves; ``factor`` bounds a weight where it is
    multiplied.
    """

    integers: np.ndarray
    exponent: int
    bound: int
    degree: int
    held: bool = False
    table: str | None = None
    factor: int | None = None


def _largest(integers: np.ndarray) -> int:
    return int(np.abs(integers).max(initial=0))


def _overflow(node: str, what: str, integers: np.ndarray, bits: int) -> None:
    def why(value: int) -> str:
        return f"needs {(value if value >= 0 else ~value).bit_length() + 1} bits, and has {bits}"

    _within(node, what, integers, -1 << (bits - 1), 1 << (bits - 1), why)


def _within(
    node: str, what: str, integers: np.ndarray, least: int, end: int, why: Callable[[int], str]
) -> None:
    beyond = np.maximum(integers - (end - 1), least - integers)
    if beyond.max(initial=0) <= 0:
        return
    place = tuple(int(i) for i in np.unravel_index(int(beyond.argmax()), beyond.shape))
    value = int(integers[place])
    error = Overflow(
        f"{node!r}: {what} {value:,} at {list(place)} {why(value)} (it is {beyond.max():,} too far;"
        f" {int((beyond > 0).sum()):,} such values): calibrate with such inputs, or with more room"
    )
    error.node, error.place, error.value = node, place, value
    error.assertion = node
    raise error


def round_half_up(integers: np.ndarray, shift: int) -> np.ndarray:
    """``⌊(a + 2^(shift − 1)) / 2^shift⌋``, and ``a`` for no shift."""
    return (integers + (1 << (shift - 1))) >> shift if shift else integers


def _aligned(tensors: list[Tensor]) -> tuple[list[np.ndarray], list[int], int]:
    exponent = max(tensor.exponent for tensor in tensors)
    shifts = [exponent - tensor.exponent for tensor in tensors]
    bounds = [tensor.bound << shift for tensor, shift in zip(tensors, shifts)]
    if max(bounds) >= BOUND:
        raise Invalid(f"a sum may reach 2^{math.log2(max(bounds)):.1f} once its exponents are aligned")
    return [tensor.integers << shift for tensor, shift in zip(tensors, shifts)], bounds, exponent


def _matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Exact, and by float64 where that holds all sums: numpy has no fast product of integers."""
    if a.shape[-1] * _largest(a) * _largest(b) < 1 << 53:
        return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64)
    return a @ b


def _add(a: Tensor, b: Tensor, sign: int = 1) -> Tensor:
    (x, y), bounds, exponent = _aligned([a, b])
    return Tensor(x + sign * y, exponent, sum(bounds), max(a.degree, b.degree))


def _product(a: Tensor, b: Tensor, integers: np.ndarray, terms: int) -> Tensor:
    for weight in (a, b):
        if (
            weight.factor
            and not ((-weight.factor <= weight.integers) & (weight.integers < weight.factor)).all()
        ):
            raise Invalid("a weight that is multiplied has more than 24 bits")
    bound = terms * (a.factor or a.bound) * (b.factor or b.bound)
    return Tensor(integers, a.exponent + b.exponent, bound, a.degree + b.degree)


class _Window:
    """Places that a kernel with strides, pads and dilations reads."""

    def __init__(self, attributes: dict[str, Any], kernel: tuple[int, ...]):
        n = len(kernel)
        if (
            tuple(attributes.get("kernel_shape", kernel)) != kernel
            or attributes.get("auto_pad", "NOTSET") != "NOTSET"
        ):
            raise Invalid("kernel_shape is another than the weight's, or auto_pad is set")
        self.kernel = kernel
        self.strides = attributes.get("strides", [1] * n)
        self.dilations = attributes.get("dilations", [1] * n)
        pads = attributes.get("pads", [0] * 2 * n)
        self.pads = list(zip(pads[:n], pads[n:]))
        if not n or len(self.strides) != n or len(self.dilations) != n or len(pads) != 2 * n:
            raise Invalid(f"strides, dilations or pads are not of {n} dimensions")
        if min(*self.strides, *self.dilations) < 1 or min(pads) < 0:
            raise Invalid("strides and dilations are at least 1, pads at least 0")

    def taps(self, sizes: list[int]) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]:
        """Each place of the kernel, with those of a padded tensor that it meets for outputs of these sizes."""
        for tap in product(*map(range, self.kernel)):
            yield (
                tap,
                tuple(
                    slice(t * d, t * d + (n - 1) * s + 1, s)
                    for t, d, n, s in zip(tap, self.dilations, sizes, self.strides)
                ),
            )

    def reach(self) -> list[int]:
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]

    def padded(self, x: np.ndarray, fill: int) -> tuple[np.ndarray, list[int]]:
        x = np.pad(x, [(0, 0), (0, 0), *self.pads], constant_values=fill)
        sizes = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], self.reach(), self.strides)]
        if min(sizes) < 1:
            raise Invalid("the kernel is larger than what it reads")
        return x, sizes


def _bias(result: Tensor, bias: list[Tensor], space: int) -> Tensor:
    if not bias:
        return result
    return _add(result, _with(bias[0], bias[0].integers.reshape(-1, *[1] * space)))


def _with(tensor: Tensor, integers: np.ndarray, **changed: Any) -> Tensor:
    return Tensor(**{**tensor.__dict__, "integers": integers, **changed})


def _conv(a: dict[str, Any], x: Tensor, w: Tensor, *bias: Tensor) -> Tensor:
    groups, (outputs, inputs, *kernel) = a.get("group", 1), w.integers.shape
    if x.integers.shape[1] != groups * inputs or outputs % groups:
        raise Invalid(
            f"{x.integers.shape[1]} channels, {groups} groups and a weight of {w.integers.shape} do not fit"
        )
    window = _Window(a, tuple(kernel))
    padded, sizes = window.padded(x.integers, 0)
    n, weights = len(padded), w.integers.reshape(groups, outputs // groups, inputs, *kernel)
    total = np.zeros((n, groups, outputs // groups, math.prod(sizes)), np.int64)
    for tap, places in window.taps(sizes):
        read = padded[(slice(None), slice(None), *places)].reshape(n, groups, inputs, -1)
        total += _matmul(weights[(Ellipsis, *tap)], read)
    result = _product(x, w, total.reshape(n, outputs, *sizes), inputs * math.prod(kernel))
    return _bias(result, list(bias), len(kernel))


def _conv_transpose(a: dict[str, Any], x: Tensor, w: Tensor, *bias: Tensor) -> Tensor:
    groups, (inputs, outputs, *kernel) = a.get("group", 1), w.integers.shape
    n, channels, *sizes = x.integers.shape
    if channels != inputs or inputs % groups:
        raise Invalid(f"{channels} channels, {groups} groups and a weight of {w.integers.shape} do not fit")
    window, extra = _Window(a, tuple(kernel)), a.get("output_padding", [0] * len(kernel))
    whole = [(s - 1) * t + r + o for s, t, r, o in zip(sizes, window.strides, window.reach(), extra)]
    total = np.zeros((n, groups, outputs, *whole), np.int64)
    read = x.integers.reshape(n, groups, inputs // groups, -1)
    weights = w.integers.reshape(groups, inputs // groups, outputs, *kernel)
    for tap, places in window.taps(sizes):
        part = _matmul(weights[(Ellipsis, *tap)].swapaxes(-1, -2), read)
        total[(Ellipsis, *places)] += part.reshape(n, groups, outputs, *sizes)
    cut = tuple(slice(b, size - e) for (b, e), size in zip(window.pads, whole))
    total = total.reshape(n, groups * outputs, *whole)[(Ellipsis, *cut)]
    result = _product(x, w, total, inputs // groups * math.prod(kernel))
    return _bias(result, list(bias), len(kernel))


def _gemm(a: dict[str, Any], x: Tensor, w: Tensor, *bias: Tensor) -> Tensor:
    b = w.integers.T if a.get("transB", 0) else w.integers
    result = _product(x, w, _matmul(x.integers, b), x.integers.shape[-1])
    return _add(result, bias[0]) if bias else result


def _held(tensors: list[Tensor]) -> None:
    if not all(tensor.held for tensor in tensors):
        raise Invalid("it reads sums; a maximum is taken of rounded tensors only")
    if len({tensor.exponent for tensor in tensors}) > 1:
        raise Invalid("its inputs have several exponents")


def _max_pool(a: dict[str, Any], x: Tensor) -> Tensor:
    _held([x])
    window = _Window(a, tuple(a["kernel_shape"]))
    if any(max(pads) >= reach for pads, reach in zip(window.pads, window.reach())):
        raise Invalid("pads are as long as the kernel: a window may have nothing to take")
    padded, sizes = window.padded(x.integers, np.iinfo(np.int64).min)
    return _with(x, np.max([padded[(slice(None), slice(None), *p)] for _, p in window.taps(sizes)], axis=0))


def _max(a: dict[str, Any], *tensors: Tensor) -> Tensor:
    _held(list(tensors))
    result = tensors[0].integers
    for tensor in tensors[1:]:
        result = np.maximum(result, tensor.integers)
    return _with(tensors[0], result)


def _reduce_max(a: dict[str, Any], x: Tensor, axes: np.ndarray) -> Tensor:
    _held([x])
    return _with(x, x.integers.max(tuple(axes.tolist()), keepdims=bool(a.get("keepdims", 1))))


def _arg_max(a: dict[str, Any], x: Tensor) -> Tensor:
    _held([x])
    index = x.integers.argmax(a.get("axis", 0))
    if a.get("keepdims", 1):
        index = np.expand_dims(index, a.get("axis", 0))
    return Tensor(index, 0, x.integers.shape[a.get("axis", 0)], 3)


def _reduce_sum(a: dict[str, Any], x: Tensor, axes: np.ndarray) -> Tensor:
    total = x.integers.sum(tuple(axes.tolist()), keepdims=bool(a.get("keepdims", 1)))
    return _with(x, total, bound=x.bound * (x.integers.size // max(total.size, 1)), held=False, factor=None)


def _concat(a: dict[str, Any], *tensors: Tensor) -> Tensor:
    integers, bounds, exponent = _aligned(list(tensors))
    held = all(t.held for t in tensors) and len({t.exponent for t in tensors}) == 1
    joined = np.concatenate(integers, a["axis"])
    return Tensor(joined, exponent, max(bounds), max(t.degree for t in tensors), held)


def _reshape(a: dict[str, Any], x: Tensor, shape: np.ndarray) -> Tensor:
    sizes = [x.integers.shape[i] if n == 0 else n for i, n in enumerate(shape.tolist())]
    return _with(x, x.integers.reshape(sizes))


def _slice(
    a: dict[str, Any], x: Tensor, starts: np.ndarray, ends: np.ndarray,
    axes: np.ndarray | None = None, steps: np.ndarray | None = None,
) -> Tensor:  # fmt: skip
    places = [slice(None)] * x.integers.ndim
    every = range(len(starts)) if axes is None else axes.tolist()
    for i, axis in enumerate(every):
        step = 1 if steps is None else int(steps[i])
        if step < 1:
            raise Invalid("a step is not positive")
        places[axis] = slice(int(starts[i]), int(ends[i]), step)
    return _with(x, x.integers[tuple(places)])


def _pad(
    a: dict[str, Any], x: Tensor, pads: np.ndarray, value: Any = None, axes: np.ndarray | None = None
) -> Tensor:
    if a.get("mode", "constant") != "constant" or (value is not None and np.any(value)):
        raise Invalid("only zeros may be padded")
    if pads.min(initial=0) < 0:
        raise Invalid("a pad is negative; cut by Slice")
    every, width = range(x.integers.ndim) if axes is None else axes.tolist(), [(0, 0)] * x.integers.ndim
    for i, axis in enumerate(every):
        width[axis] = (int(pads[i]), int(pads[i + len(pads) // 2]))
    return _with(x, np.pad(x.integers, width))


def _expand(a: dict[str, Any], x: Tensor, shape: np.ndarray) -> Tensor:
    return _with(x, np.broadcast_to(x.integers, np.broadcast_shapes(x.integers.shape, tuple(shape.tolist()))))


# What a node computes, the attributes that it may have, and how many of its first inputs are tensors; the
# others are shapes, axes, places: integers of an initialiser.
_SPACE = {"kernel_shape", "strides", "pads", "dilations", "auto_pad"}
OPERATORS: dict[str, tuple[Callable[..., Tensor], set[str], int]] = {
    "Add": (lambda a, x, y: _add(x, y), set(), 2),
    "Sub": (lambda a, x, y: _add(x, y, -1), set(), 2),
    "Mul": (lambda a, x, y: _product(x, y, x.integers * y.integers, 1), set(), 2),
    "MatMul": (
        lambda a, x, y: _product(x, y, _matmul(x.integers, y.integers), x.integers.shape[-1]),
        set(),
        2,
    ),
    "Gemm": (_gemm, {"transB"}, 3),
    "Conv": (_conv, _SPACE | {"group"}, 3),
    "ConvTranspose": (_conv_transpose, _SPACE | {"group", "output_padding"}, 3),
    "ReduceSum": (_reduce_sum, {"keepdims"}, 1),
    "Reshape": (_reshape, set(), 1),
    "Transpose": (lambda a, x: _with(x, x.integers.transpose(a.get("perm"))), {"perm"}, 1),
    "Slice": (_slice, set(), 1),
    "Expand": (_expand, set(), 1),
    "Gather": (lambda a, x, i: _with(x, np.take(x.integers, i, a.get("axis", 0))), {"axis"}, 1),
    "Pad": (_pad, {"mode"}, 1),
    "Concat": (_concat, {"axis"}, 1 << 30),
    "MaxPool": (_max_pool, _SPACE, 1),
    "Max": (_max, set(), 1 << 30),
    "ReduceMax": (_reduce_max, {"keepdims"}, 1),
    "ArgMax": (_arg_max, {"axis", "keepdims"}, 1),
}
# Attributes with a value that says nothing.
DEFAULTS = {
    "alpha": 1.0, "beta": 1.0, "transA": 0, "allowzero": 0, "ceil_mode": 0, "storage_order": 0,
    "saturate": 1, "select_last_index": 0, "noop_with_empty_axes": 0, "axis": 1, "block_size": 0,
    "output_dtype": 0, "precision": 0,
}  # fmt: skip


def _initialiser(stored: onnx.TensorProto) -> np.ndarray:
    kind = KINDS.get(stored.data_type)
    if kind is None or stored.data_location == onnx.TensorProto.EXTERNAL:
        raise Invalid(f"initialiser {stored.name!r}: of a type that the format has not, or in another file")
    if (
        min(stored.dims, default=1) < 0
        or len(stored.raw_data) != math.prod(stored.dims) * np.dtype(kind).itemsize
    ):
        raise Invalid(
            f"initialiser {stored.name!r}: {len(stored.raw_data)} bytes do not fit {list(stored.dims)}"
        )
    return np.frombuffer(stored.raw_data, np.dtype(kind).newbyteorder("<")).astype(kind).reshape(stored.dims)


class Network:
    """A network of integers: a file ``net.q.onnx``, or the model that was read from it.

    A public graph, as ``volery model split`` writes it, takes its ``weights`` along: the ``.npy`` file beside it,
    or such a list. Without them it has no ``run``. ``inputs`` and ``outputs`` are shapes and exponents by name; those of the outputs are known after a run.
    Whatever the format has not raises ``Invalid`` with the node's name, here or by the first ``run``.
    """

    def __init__(self, source: str | PathLike[str] | onnx.ModelProto, weights: Any = None):
        model = (
            source
            if isinstance(source, onnx.ModelProto)
            else onnx.load(fspath(source), load_external_data=False)
        )
        properties = {p.key: p.value for p in model.metadata_props}
        version = properties.get("volery.format")
        if version != FORMAT:
            raise Invalid(
                f"volery.format is {version}, and has to be {FORMAT}: volery.onnx.quantise makes such files"
            )
        domains = {opset.domain: opset.version for opset in model.opset_import}
        if domains != {"": 21, **{own: 1 for own in (TABLE, WIDE) if own in domains}}:
            raise Invalid(f"opsets {domains}; there are 21 of ai.onnx, and 1 of {TABLE} and {WIDE}")
        self.model, self.graph = model, model.graph
        self.constants = {t.name: _initialiser(t) for t in self.graph.initializer}
        self.outputs = [o.name for o in self.graph.output]
        self.readers: dict[str, list[onnx.NodeProto]] = {}
        for node in self.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        inputs, self.apart = list(self.graph.input), self._apart(properties.get("volery.weights"))
        if self.apart:
            del inputs[-len(self.apart) :]
        if weights is not None:
            self._join(weights)
        self.inputs: dict[str, tuple[tuple[int, ...], int]] = {}
        self.indices: set[str] = set()
        for value in inputs:
            shape = tuple(d.dim_value for d in value.type.tensor_type.shape.dim)
            readers, kind = self.readers.get(value.name, []), value.type.tensor_type.elem_type
            if kind not in (onnx.TensorProto.FLOAT, *INDICES) or value.name in self.constants:
                raise Invalid(f"input {value.name!r} is no float32, int32 or int64, or an initialiser")
            if min(shape, default=1) < 1:
                raise Invalid(f"input {value.name!r}: a dimension is no number, or 0")
            if kind in INDICES:
                if any(node.op_type != "Gather" or node.input[0] == value.name for node in readers):
                    raise Invalid(f"input {value.name!r} is an index, and read by anything but Gather")
                self.indices.add(value.name)
                self.inputs[value.name] = (shape, 0)
            elif [node.op_type for node in readers] != ["QuantizeLinear"]:
                raise Invalid(f"input {value.name!r} is read by anything but one QuantizeLinear")
            else:
                self.inputs[value.name] = (shape, self.exponent(readers[0]))

    def _apart(self, entry: str | None) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        """Shapes and types of the weights that are not in the file, in their order."""
        if entry is None:
            return {}
        if entry != "apart":
            raise Invalid(f"volery.weights is {entry}, and has to be apart, if there is such an entry")
        found: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}
        for value in self.graph.input:
            kinds = {node.op_type for node in self.readers.get(value.name, [])}
            if "DequantizeLinear" not in kinds:
                if found:
                    raise Invalid(f"input {value.name!r} stands behind weights")
                continue
            kind = np.dtype(KINDS.get(value.type.tensor_type.elem_type, np.float32))
            shape = tuple(d.dim_value for d in value.type.tensor_type.shape.dim)
            if len(kinds) > 1 or kind not in WIDTHS or value.name.startswith(PUBLIC):
                raise Invalid(
                    f"weight {value.name!r} is not of int8, int16 or int32, public, or read by others"
                )
            if min(shape, default=1) < 1:
                raise Invalid(f"weight {value.name!r}: a dimension is no number, or 0")
            found[value.name] = (shape, kind)
        for node in self.graph.node:
            name = node.input[0] if node.op_type == "DequantizeLinear" else ""
            if name in self.constants and not name.startswith(PUBLIC):
                raise Invalid(f"weight {name!r} is in the file, whose weights are apart")
        return found

    def _join(self, weights: Any) -> None:
        """Takes a list of all weights, one behind the other, or the file that has it."""
        if not self.apart:
            raise Invalid("weights= is for a public graph, and this file has its weights")
        values = np.load(fspath(weights)) if isinstance(weights, (str, PathLike)) else np.asarray(weights)
        count = sum(math.prod(shape) for shape, _ in self.apart.values())
        if values.dtype.kind not in "iu" or values.shape != (count,):
            raise Invalid(f"weights= is {values.dtype} of {values.shape}, and has to be {count} integers")
        at = 0
        for name, (shape, kind) in self.apart.items():
            part, at = values[at : at + math.prod(shape)], at + math.prod(shape)
            ends = np.iinfo(kind)
            if part.min(initial=0) < ends.min or part.max(initial=0) > ends.max:
                raise Invalid(f"weight {name!r} has an entry of more than {ends.bits} bits")
            self.constants[name] = part.astype(kind).reshape(shape)

    def info(self) -> dict[str, Any]:
        """What is in the file: as ``volery model info --json``, but for products and what a proof takes."""
        from ._info import info

        return info(self)

    def split(self, public: str | PathLike[str], weights: str | PathLike[str]) -> None:
        """Writes the public graph, which both parties of a proof have, and the weights, which are the prover's."""
        from ._split import split

        if self.apart:
            raise Invalid("this is a public graph already")
        model, every = split(self)
        onnx.save(model, fspath(public))
        with open(weights, "wb") as file:
            np.save(file, every)

    def quantised(self, inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The integers of inputs: of real numbers the nearest, half goes up; integers stay as they are."""
        if missing := sorted(set(self.inputs) ^ set(inputs)):
            raise Invalid(
                f"the inputs are {', '.join(self.inputs)}; {', '.join(missing)} is missing or another"
            )
        quantised = {}
        for name, (shape, exponent) in self.inputs.items():
            values = np.asarray(inputs[name])
            if values.shape != shape:
                raise Invalid(f"input {name!r} has the shape {values.shape}, and the network reads {shape}")
            if values.dtype.kind not in "iu":
                if name in self.indices and not (np.floor(values) == values).all():
                    raise Invalid(f"input {name!r} is an index, and has values that are no integers")
                values = np.floor(np.ldexp(values.astype(np.float64), exponent) + 0.5)
                if not (np.abs(values) < 2.0**62).all():
                    raise Invalid(f"input {name!r} has values that are no numbers, or far too large")
            quantised[name] = values.astype(np.int64)
            _overflow(name, "input", quantised[name], 32 if name in self.indices else 16)
        return quantised

    def run(self, inputs: Any) -> dict[str, np.ndarray]:
        """The integers of all outputs; of a network with one input that may be given as it is."""
        tensors = self.trace(inputs)
        return {name: tensors[name].integers for name in self.outputs}

    def trace(self, inputs: Any) -> dict[str, Tensor]:
        """All tensors by name, in the order of the nodes."""
        if missing := [name for name in self.apart if name not in self.constants]:
            raise Invalid(f"weights are apart from this graph, as {missing[0]!r}: give them by weights=")
        if not isinstance(inputs, Mapping) and len(self.inputs) == 1:
            inputs = dict.fromkeys(self.inputs, inputs)
        tensors = {
            name: Tensor(integers, self.inputs[name][1], HALF, 3 if name in self.indices else 1)
            for name, integers in self.quantised(inputs).items()
        }
        for node in self.graph.node:
            try:
                tensors[node.output[0]] = self._node(node, tensors)
            except (Invalid, Overflow) as error:
                if isinstance(error, Overflow) or repr(node.name) in str(error):
                    raise
                raise Invalid(f"{node.name!r} ({node.op_type}): {error}") from None
            except MALFORMED as error:
                raise Invalid(f"{node.name!r} ({node.op_type}): {error}") from error
        for name in self.outputs:
            tensor = tensors.get(name)
            if tensor is None or name in self.inputs or not (tensor.held or tensor.degree == 3):
                raise Invalid(f"output {name!r} is not rounded")
        return tensors

    def exponent(self, node: onnx.NodeProto) -> int:
        """The exponent that a node's scale stands for."""
        scale = self.constants.get(node.input[1])
        if scale is None or scale.dtype != np.float32 or scale.shape != () or not scale > 0:
            raise Invalid(f"{node.name!r}: the scale is no positive float32 of rank 0 in the file")
        mantissa, exponent = math.frexp(float(scale))
        if mantissa != 0.5 or exponent < -125:
            raise Invalid(f"{node.name!r}: the scale {scale} is no power of two")
        return 1 - exponent

    def _node(self, node: onnx.NodeProto, tensors: dict[str, Tensor]) -> Tensor:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if len(node.output) != 1 or node.output[0] in tensors:
            raise Invalid("it has several outputs, or one that another node has made")
        own = {"QuantizeLinear": self._quantise, "DequantizeLinear": self._dequantise}.get(node.op_type)
        if node.domain in (TABLE, WIDE):
            own = self._look_up if node.domain == TABLE else self._wide
        elif node.op_type == "Gather" and node.input[1] in self.indices:
            own = self._rows
        elif node.domain or not (own or node.op_type in OPERATORS):
            raise Invalid(f"{node.domain or 'ai.onnx'} has the operator, and the format has not")
        function, known, count = (None, set(), 0) if own else OPERATORS[node.op_type]
        if own == self._rows and attributes.get("axis", 0) == 0:
            known = {"axis"}
        for name, value in attributes.items():
            if name not in known and DEFAULTS.get(name, ()) != value:
                raise Invalid(f"the attribute {name}={value} is not in the format")
        if own:
            return own(node, tensors)
        attributes = {k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()}
        inputs: list[Any] = [tensors[name] for name in node.input[:count] if name]
        if any(tensor.table or tensor.degree > 2 for tensor in inputs):
            raise Invalid("it reads what only QuantizeLinear, or nobody, may read")
        inputs += [self.constants[name] if name else None for name in node.input[count:]]
        result = function(attributes, *inputs)  # type: ignore[misc]
        if node.op_type != "ArgMax" and result.degree > 2:
            raise Invalid("a product of three: round one of them before")
        if result.bound >= BOUND:
            raise Invalid(f"a sum may reach 2^{math.log2(result.bound):.1f}, and 2^59 is too large")
        return result

    def _dequantise(self, node: onnx.NodeProto, tensors: dict[str, Tensor]) -> Tensor:
        name, exponent = node.input[0], self.exponent(node)
        if len(node.input) > 2 and self.constants[node.input[2]].any():
            raise Invalid("the zero point is not 0")
        if name not in self.constants:
            read = tensors[name]
            if read.exponent != exponent:
                raise Invalid("the scale is another than the one that it was rounded to")
            return _with(read, read.integers, held=True)
        stored = self.constants[name]
        if stored.dtype not in WIDTHS:
            raise Invalid(f"{name!r} is of {stored.dtype}, and weights are int8, int16, int32")
        integers = stored.astype(np.int64)
        if name.startswith(PUBLIC):
            return Tensor(integers, exponent, _largest(integers), 0)
        factor, bound = (1 << bits for bits in WIDTHS[stored.dtype])
        return Tensor(integers, exponent, bound, 1, factor=factor)

    def _quantise(self, node: onnx.NodeProto, tensors: dict[str, Tensor]) -> Tensor:
        x, exponent = tensors[node.input[0]], self.exponent(node)
        zero = self.constants[node.input[2]]
        if zero.dtype != np.int16 or zero.any():
            raise Invalid("the zero point is not 0 of int16")
        if any(reader.op_type != "DequantizeLinear" for reader in self.readers.get(node.output[0], [])):
            raise Invalid("its integers are read by another than DequantizeLinear")
        if x.table:
            return Tensor(x.integers, exponent, HALF, 1)
        shift = x.exponent - exponent
        if not 0 <= shift <= 32:
            raise Invalid(f"a shift by {shift} bits, and there are those from 0 to 32")
        rounded = round_half_up(x.integers, shift)
        _overflow(node.name, "the value", rounded, 16)
        return Tensor(rounded, exponent, HALF, 1)

    def _look_up(self, node: onnx.NodeProto, tensors: dict[str, Tensor]) -> Tensor:
        (name,), key = node.input, f"{TABLE}/{node.op_type}"
        x, table = tensors[name], self.constants.get(key)
        if (
            table is None
            or table.dtype != np.int16
            or table.ndim != 1
            or len(table) not in (1 << b for b in range(8, 17))
        ):
            raise Invalid(f"{key!r} is no table of int16 with 2^8 to 2^16 rows")
        if not x.held:
            raise Invalid("it reads a sum; a function reads rounded tensors only")
        if [reader.op_type for reader in self.readers.get(node.output[0], [])] != ["QuantizeLinear"]:
            raise Invalid("a function is read by one QuantizeLinear")
        _overflow(node.name, "the key", x.integers, len(table).bit_length() - 1)
        return Tensor(table[x.integers + len(table) // 2].astype(np.int64), 0, HALF, 1, table=node.op_type)

    def _rows(self, node: onnx.NodeProto, tensors: dict[str, Tensor]) -> Tensor:
        x, places = tensors[node.input[0]], tensors[node.input[1]].integers
        if x.table or x.degree > 1:
            raise Invalid("rows are taken of a tensor that is looked up, or a sum of products")
        rows = x.integers.shape[0]
        _within(node.name, "the index", places, 0, rows, lambda _: f"is none of {rows} rows")
        return _with(x, x.integers[places], degree=x.degree + 1, held=False, factor=None)

    def _wide(self, node: onnx.NodeProto, tensors: dict[str, Tensor]) -> Tensor:
        x, exponent = tensors[node.input[0]], self.exponent(node)
        table, powers = (self.constants.get(key) for key in (f"{WIDE}/{node.op_type}", node.input[2]))
        if table is None or table.dtype != np.int32 or table.ndim != 1:
            raise Invalid(f"'{WIDE}/{node.op_type}' is no table of int32")
        base, least = (2, len(table)) if len(table) % 3 else (4, len(table) // 3)
        if least not in (1 << b for b in range(8 - base // 2, 17 - base // 2)):
            raise Invalid(
                f"'{WIDE}/{node.op_type}' has {len(table)} rows: 2^7 to 2^15, or 3 times 2^6 to 2^14"
            )
        if powers is None or powers.dtype != np.int64 or powers.ndim != 2 or powers.shape[1] != 2:
            raise Invalid(f"{node.input[2]!r} is no table of int64 with two columns")
        steps = [base**k for k in range(len(powers) + 1)]
        live = powers[:, 0] != 0
        if not live[live.argmax() :].all() or steps[-2] > 1 << 48 or least * steps[-2] >= BOUND:
            raise Invalid(f"{node.input[2]!r} has rows beyond 2^59, or without a factor behind others")
        if x.table or x.degree > 2:
            raise Invalid("it reads what only QuantizeLinear, or nobody, may read")
        first, end = least * steps[int(live.argmax())], least * steps[-1]
        _within(node.name, "the value", x.integers, first, end, lambda _: f"is not from {first:,} to {end:,}")
        table = table.astype(np.int64)
        bound = max(_largest(table) * abs(w) + abs(a) for w, a in powers.tolist())
        if bound >= BOUND:
            raise Invalid(f"its results may reach 2^{math.log2(bound):.1f}, and 2^59 is too large")
        k = np.searchsorted(np.array([least * step for step in steps]), x.integers, "right") - 1
        leading = x.integers // np.array(steps)[k]
        return Tensor(table[leading - least] * powers[k, 0] + powers[k, 1], exponent, bound, 1)
