"""Files that are quantised already: their networks, rewritten on the integers that they have.

Behind ``DequantizeLinear`` a tensor is scale · (q − zero), and ``QuantizeLinear`` makes q of a tensor: it divides by a
scale, rounds, and cuts to 8 bits. Layers of such tensors whose weights are integers, too, become the same on integers
less their zeros; all scales go behind, into one factor before the next rounding. What is cut off is a function of
what was rounded, as a relu is, which in many files it has replaced. Values of 16 bits are rounded as those of floats
are: what is kept of the file is where it cuts them off, if samples go beyond.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ._file import attributes_of, label, refuse
from .reference import PUBLIC

QUANTISE, DEQUANTISE = "QuantizeLinear", "DequantizeLinear"
QUANTISED = {QUANTISE, DEQUANTISE}
# What takes integers to other places, or the largest of them; what adds them up.
PLACES = set(
    "Reshape Flatten Squeeze Unsqueeze Transpose Slice Expand Gather Tile DepthToSpace SpaceToDepth Resize Split"
    " MaxPool GlobalMaxPool ReduceMax Identity Dropout".split()
)
SUMS = {"GlobalAveragePool", "AveragePool", "ReduceMean", "ReduceSum"}


ONE = np.array(1.0)


@dataclass(frozen=True)
class Units:
    """A tensor is ``scale`` times the tensor ``name``: integers of the file, ``sums`` of such, or anything else.

    A tensor that has integers itself is those of ``name`` plus ``zero``.
    """

    name: str
    scale: np.ndarray
    integers: bool = False
    sums: bool = False
    zero: int | None = None


@dataclass(frozen=True)
class Stored:
    """A constant: ``scale`` along ``axis``, or one for all, times ``integers``."""

    integers: np.ndarray
    scale: np.ndarray
    axis: int


class Integers:
    """Rewrites a graph. ``rounded`` are tensors whose integers are those of the file, and rounded to such;
    ``cuts`` are tensors that are cut to the range of 16 bits; ``exact`` are constants that may have more bits than
    those in the graph."""

    def __init__(self, graph: onnx.GraphProto, varies: set[str], outputs: list[str]):
        self.varies, self.outputs = varies, outputs
        self.rounded: set[str] = set()
        self.cuts: set[str] = set()
        self.exact: dict[str, np.ndarray] = {}
        self.constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        self.units: dict[str, Units] = {}
        self.stored: dict[str, Stored] = {}
        self.there: set[str] = set()
        self.readers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self.readers[name].append(node)
        inputs = {i.name for i in graph.input} & varies
        self.units.update({name: Units(name, ONE, sums=True) for name in inputs})
        self.there.update(inputs)
        self.nodes: list[onnx.NodeProto] = []
        for node in graph.node:
            if not self.read(node):
                for name in node.input:
                    self.real(node, name)
                self.nodes.append(node)
        for name in outputs:
            self.real(None, name)
        del graph.node[:], graph.value_info[:]
        graph.node.extend(self.nodes)
        graph.initializer.extend(
            numpy_helper.from_array(np.asarray(v, np.float32), k) for k, v in self.exact.items()
        )

    # Nodes, and constants.

    def node(self, op: str, inputs: list[str], output: str) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"{output}/{op}"))
        return output

    def copy(self, node: onnx.NodeProto, inputs: list[str]) -> str:
        """A node that reads others; its first output."""
        made = onnx.NodeProto()
        made.CopyFrom(node)
        made.input[: len(inputs)] = inputs
        made.output[:] = [name and f"{name}/units" for name in node.output]
        self.nodes.append(made)
        return made.output[0]

    def initialiser(self, name: str, values: Any) -> str:
        self.exact[name] = np.asarray(values, np.float64)
        return name

    def constant(self, name: str) -> np.ndarray | None:
        """The floats of a constant, as far as they are known before the network runs."""
        if (stored := self.stored.get(name)) is not None:
            return self.along(stored, stored.integers.ndim) * stored.integers
        return self.constants[name].astype(np.float64) if name in self.constants else None

    @staticmethod
    def along(stored: Stored, rank: int) -> np.ndarray:
        """A scale in a shape that broadcasts to a tensor of this rank."""
        ones = [1] * (rank - 1 - stored.axis % rank) if stored.scale.size > 1 else []
        return stored.scale.reshape([stored.scale.size, *ones] if stored.scale.size > 1 else [])

    def at(self, name: str) -> Units:
        return self.units.get(name, Units(name, ONE))

    def times(self, x: Units, scale: Any, output: str, sums: bool = False) -> str:
        """A tensor in units of ``scale``: a sum, or within a function."""
        factor, name = x.scale / scale, f"{output}/factor"
        if (factor == 1).all():
            return x.name
        name = self.initialiser(f"{PUBLIC}{name}" if sums or x.sums else name, factor)
        return self.node("Mul", [x.name, name], output)

    def real(self, node: onnx.NodeProto | None, name: str) -> None:
        """Has a tensor in the graph that something else than the nodes here reads."""
        x = self.units.get(name)
        if x is None or name in self.there:
            return
        maker = self.nodes[-1] if node is None else node
        if x.zero is not None:
            raise refuse(maker, f"{name!r} has integers, which DequantizeLinear has to read")
        self.there.add(name)
        if self.times(x, 1, name) != name:
            self.node("Identity", [x.name], name)

    def target(self, name: str) -> float | None:
        """The scale that a tensor is rounded by, if it is by one alone, before or behind a relu."""
        if len(self.readers[name]) != 1 or name in self.outputs:
            return None
        (node,) = self.readers[name]
        if node.op_type == QUANTISE:
            scale, _, least, most = self.scale(node)
            return float(scale) if scale.size == 1 and most - least < 256 else None
        return self.target(node.output[0]) if node.op_type in ("Relu", "Clip", "Identity") else None

    def scale(self, node: onnx.NodeProto) -> tuple[np.ndarray, np.ndarray, int, int]:
        """The scale and zero of a node, and the least and largest integer."""
        names = [name for name in node.input[1:] if name]
        values = [self.constants[name] for name in names if name in self.constants]
        if len(values) < len(names):
            raise refuse(node, "a scale or zero that is no constant (dynamic quantisation) is not supported")
        a = attributes_of(node)
        kind = values[1].dtype if len(values) > 1 else np.dtype(np.uint8)
        if len(values) < 2 and a.get("output_dtype", 0):
            kind = helper.tensor_dtype_to_np_dtype(a["output_dtype"])
        if kind not in (np.uint8, np.int8, np.uint16, np.int16, np.int32) or a.get("block_size", 0):
            raise refuse(node, f"integers of {kind}, or scales of blocks, are not supported")
        scale = values[0].astype(np.float64)
        if not (np.isfinite(scale) & (scale > 0)).all():
            raise refuse(node, "a scale is not positive")
        zero = values[1].astype(np.int64) if len(values) > 1 else np.int64(0)
        return scale, np.asarray(zero), int(np.iinfo(kind).min), int(np.iinfo(kind).max)

    # What is rewritten: False is said of a node that stays, and reads floats.

    def read(self, node: onnx.NodeProto) -> bool:
        op, name = node.op_type, node.input[0] if node.input else ""
        if op == "Constant":
            (value,) = node.attribute
            if value.name == "value":
                self.constants[node.output[0]] = numpy_helper.to_array(value.t)
            return False
        if op in (QUANTISE, DEQUANTISE) and name not in self.varies:
            return self.store(node)
        if op == QUANTISE:
            return self.round(node)
        if op == DEQUANTISE:
            return self.unrounded(node)
        varying = [i for i in node.input if i in self.varies]
        if not any(i in self.units for i in varying):
            return False
        if op in PLACES | SUMS and self.units[name].scale.size == 1 and len(varying) == 1:
            return self.places(node)
        if op in ("Conv", "ConvTranspose", "MatMul", "Gemm") and varying == [name]:
            return self.layer(node)
        if op in ("Mul", "MatMul") and len(varying) == 2:
            return self.product(node)
        if op in ("Add", "Sub", "Concat"):
            return self.sum(node)
        if op in ("Mul", "Div") and varying == [name] and self.units[name].sums:
            return self.scaled(node)
        return op in ("Relu", "Clip") and varying == [name] and self.cut(node)

    def store(self, node: onnx.NodeProto) -> bool:
        """Integers of a constant, and a constant of integers."""
        value, axis = self.constants.get(node.input[0]), attributes_of(node).get("axis", 1)
        if value is None:
            return False
        scale, zero, least, most = self.scale(node)
        whole = self.along(Stored(value, scale, axis), value.ndim)
        zeros = self.along(Stored(value, zero, axis), value.ndim)
        if node.op_type == QUANTISE:
            rounded = np.rint(value.astype(np.float32) / whole.astype(np.float32)) + zeros
            self.constants[node.output[0]] = np.clip(rounded, least, most).astype(np.int64)
        else:
            self.stored[node.output[0]] = Stored(value.astype(np.int64) - zeros, scale, axis)
        return False

    def round(self, node: onnx.NodeProto) -> bool:
        scale, zeros, least, most = self.scale(node)
        (name, *_), (output,) = node.input, node.output
        if scale.size > 1:
            raise refuse(node, "scales by channel are supported of constants only")
        scale, zero = scale.reshape([]), int(zeros.reshape(-1)[0])
        whole = most - least < 256
        ends = [
            self.initialiser(f"{output}/{end}", (value - zero) * (1 if whole else scale))
            for end, value in (("least", least), ("most", most))
        ]
        if not whole:
            self.real(node, name)
            self.cuts.add(self.node("Clip", [name, *ends], f"{output}/units"))
            self.units[output] = Units(f"{output}/units", ONE, zero=zero)
            return True
        x = self.at(name)
        t = self.times(x, scale, f"{output}/scaled")
        if x.sums:
            self.rounded.add(t)
        t = self.node("Round", [t], f"{output}/rounded")
        self.rounded.add(self.node("Clip", [t, *ends], f"{output}/units"))
        self.units[output] = Units(f"{output}/units", scale, integers=True, zero=zero)
        return True

    def unrounded(self, node: onnx.NodeProto) -> bool:
        x, (scale, zero, *_) = self.units.get(node.input[0]), self.scale(node)
        if x is None or scale.size > 1 or x.zero != int(zero.reshape(-1)[0]):
            raise refuse(node, "what QuantizeLinear has made is read with another zero, or by other scales")
        scale = scale.reshape([]) if x.integers else x.scale
        self.units[node.output[0]] = replace(x, scale=scale, zero=None)
        return True

    def places(self, node: onnx.NodeProto) -> bool:
        x = self.units[node.input[0]]
        sums = node.op_type in SUMS
        if sums and x.zero is not None:
            return False
        self.copy(node, [x.name])
        for name in filter(None, node.output):
            self.units[name] = replace(x, name=f"{name}/units", integers=x.integers and not sums,
                                       sums=x.sums or sums)  # fmt: skip
            if x.integers and not sums:
                self.rounded.add(f"{name}/units")
        return True

    def layer(self, node: onnx.NodeProto) -> bool:
        """A layer whose weights are integers, of integers."""
        x, w, a = self.units[node.input[0]], self.stored.get(node.input[1]), attributes_of(node)
        if w is None or not x.integers or x.scale.size > 1:
            return False
        rank, op = w.integers.ndim, node.op_type
        axis = {"Conv": 0, "ConvTranspose": 1, "MatMul": rank - 1, "Gemm": 0 if a.get("transB", 0) else 1}[op]
        if w.scale.size > 1 and (w.axis % rank != axis or (op == "ConvTranspose" and a.get("group", 1) > 1)):
            return False
        if a.get("transA", 0) or a.get("alpha", 1.0) != 1 or a.get("beta", 1.0) != 1:
            return False
        ones = [1] * (rank - 2 if op.startswith("Conv") else 0)
        scale = x.scale * (w.scale.reshape(-1, *ones) if w.scale.size > 1 else w.scale.reshape([]))
        inputs = [x.name, self.initialiser(f"{node.input[1]}/integers", w.integers)]
        self.rounded.add(inputs[1])
        if len(node.input) > 2 and node.input[2]:
            bias = self.constant(node.input[2])
            if bias is None:
                return False
            bias = np.rint(bias / scale.reshape(-1 if scale.size > 1 else []))
            inputs.append(self.initialiser(f"{label(node)}/bias", bias))
        self.units[node.output[0]] = Units(self.copy(node, inputs), scale, sums=True)
        return True

    def product(self, node: onnx.NodeProto) -> bool:
        x, y = (self.at(name) for name in node.input)
        if not (x.integers and y.integers):
            return False
        made = self.copy(node, [x.name, y.name])
        self.units[node.output[0]] = Units(made, x.scale * y.scale, sums=True)
        return True

    def sum(self, node: onnx.NodeProto) -> bool:
        """A sum in the units that it is rounded in, or with a constant in its own."""
        output, parts = node.output[0], [self.at(name) for name in node.input]
        same = {(float(x.scale), x.zero) for x in parts if x.scale.size == 1}
        if node.op_type == "Concat" and len(same) == 1 and all(x.integers for x in parts):
            self.units[output] = replace(parts[0], name=self.copy(node, [x.name for x in parts]))
            self.rounded.add(f"{output}/units")
            return True
        constants = [self.constant(name) for name in node.input if name not in self.varies]
        if any(value is None for value in constants) or any(x.zero is not None for x in parts):
            return False
        x = parts[node.input[0] not in self.varies] if len(parts) == 2 else parts[0]
        if len(parts) == 2 and constants and x.sums and node.op_type != "Concat":
            scale: Any = x.scale
        elif constants or (scale := self.target(output)) is None:
            return False
        inputs = []
        for i, (name, part) in enumerate(zip(node.input, parts)):
            if name in self.varies:
                inputs.append(self.times(part, scale, f"{output}/part{i}", sums=True))
            else:
                inputs.append(self.initialiser(f"{output}/part{i}", self.constant(name) / scale))
        self.units[output] = Units(self.copy(node, inputs), np.asarray(scale), sums=True)
        return True

    def scaled(self, node: onnx.NodeProto) -> bool:
        x, value = self.units[node.input[0]], self.constant(node.input[1])
        if value is None or value.size > 1 or not value.all():
            return False
        value = value.reshape([])
        scale = x.scale * value if node.op_type == "Mul" else x.scale / value
        self.units[node.output[0]] = replace(x, scale=scale)
        return True

    def cut(self, node: onnx.NodeProto) -> bool:
        """A relu, or the like, of sums in the units that it is rounded in."""
        x, scale = self.units[node.input[0]], self.target(node.output[0])
        bounds = [self.constant(name) if name else None for name in node.input[1:]]
        if not x.sums or scale is None or node.attribute:
            return False
        if any(name and bound is None for name, bound in zip(node.input[1:], bounds)):
            return False
        output = node.output[0]
        t = self.times(x, scale, f"{output}/scaled")
        self.rounded.add(t)
        ends = [
            "" if bound is None else self.initialiser(f"{output}/bound{i}", bound / scale)
            for i, bound in enumerate(bounds)
        ]
        self.units[output] = Units(self.copy(node, [t, *ends]), np.asarray(scale))
        return True
