"""A float network as steps: linear operations, products and maxima of tensors, and functions of one."""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np
import onnx
from onnx import helper

from ._file import alone, attributes_of, refuse
from ._floats import SAME, Floats
from ._fold import backwards, forwards
from ._known import Known, Reduced
from .reference import PUBLIC

FUNCTIONS = set(
    "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Clip Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid "
    "HardSwish LeakyRelu Log Mish Neg Not PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin "
    "Sinh Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu Add Sub Mul Div Max Min Mod Where Equal "
    "Greater GreaterOrEqual Less LessOrEqual And Or Xor Cast IsNaN IsInf Sum Mean".split()
)
PLACES = set(
    "Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Expand Gather Tile Resize Upsample DepthToSpace"
    " SpaceToDepth GatherND GatherElements".split()
)
LATER = set("LSTM GRU RNN TopK Einsum Attention".split())
# What leaves a tensor as it is that is never below 0.
RECTIFIERS = {"Relu", "Abs", "Max", "Clip"}


def _windows(node: onnx.NodeProto, space: int, read: Sequence[int], made: Sequence[int]) -> dict[str, Any]:
    """Attributes of a window, with explicit pads: of ``auto_pad``, and what ``ceil_mode`` adds at the ends."""
    a = attributes_of(node)
    strides, dilations = a.get("strides", [1] * space), a.get("dilations", [1] * space)
    begin, reach = (
        list(a.get("pads", [0] * 2 * space))[:space],
        [(k - 1) * d + 1 for k, d in zip(a["kernel_shape"], dilations)],
    )
    ends = []
    for i in range(space):
        total = (made[i] - 1) * strides[i] + reach[i] - read[i]
        if a.get("auto_pad", "NOTSET").startswith("SAME"):
            begin[i] = (max(total, 0) + (a["auto_pad"] == "SAME_LOWER")) // 2
        # What is left over at the end is not read; a pad of the file that is not either has no effect.
        ends.append(max(total - begin[i], 0))
    return {
        "kernel_shape": list(a["kernel_shape"]),
        "strides": list(strides),
        "dilations": list(dilations),
        "pads": begin + ends,
    }


class Reader(Known):
    """Steps and formulas of a float network."""

    def __init__(self, floats: Floats):
        super().__init__(floats)
        for node in self._used():
            self.read(node)
        backwards(self)
        forwards(self)

    def _used(self) -> list[onnx.NodeProto]:
        """The nodes that an output depends on: none behind a last softmax."""
        asked, used = set(self.floats.outputs), []
        for node in reversed(self.floats.graph.node):
            if asked.intersection(node.output) and self.floats.varies.intersection(node.output):
                asked.update(node.input)
                used.append(node)
        return used[::-1]

    def read(self, node: onnx.NodeProto) -> None:
        node = self.cut(node) if node.output[0] in self.floats.cuts else node
        shapes, op, out = self.floats.shapes, node.op_type, node.output[0]
        names = [self.find(name) for name in node.input]
        varying = [name for name in names if name in self.floats.varies]
        constants = [name for name in names if name and name not in self.floats.varies]
        if any(0 in shapes[name] for name in [*varying, *filter(None, node.output)] if name in shapes):
            raise refuse(node, "a tensor without entries is not supported")
        if node.domain not in ("", "ai.onnx"):
            raise refuse(node, f"operators of the domain {node.domain} are not supported")
        if op in SAME or (
            op in ("Cast", "CastLike")
            and self.floats.kinds[varying[0]].kind == self.floats.kinds[out].kind == "f"
        ):
            self.same[out] = varying[0]
            return
        if op in ("Add", "Sub", "Mul", "Div") and self.nothing(node, names, varying, constants):
            self.same[out] = varying[0]
            return
        if self.indices.read(node, names, lambda name, rows: self.rows(node, name, rows)):
            return
        if op in ("Add", "Where", "Sub", "Exp") and self.mask(node, names, varying):
            return
        if op in RECTIFIERS and self.rectified(node, varying, constants):
            self.same[out] = varying[0]
            return
        if op == "Mul" and names[1].startswith(PUBLIC) and self.sums(names[0]):
            return self.step("Scale", node, varying, weight=self.real(names[1]))
        if op in FUNCTIONS and self.function(node, names, varying, constants):
            if not self.formulas[out].exact:
                return
            if self.square(node, varying, constants):
                return self.product(node, varying[:1])
        a = attributes_of(node)
        if op in ("Conv", "ConvTranspose"):
            if len(varying) != 1 or names[0] not in varying:
                raise refuse(node, "weights that depend on the input are not supported")
            weight = self.real(names[1])
            space = weight.ndim - 2
            bias = self.real(names[2]) if len(names) > 2 and names[2] else None
            if op == "Conv":
                node2 = onnx.NodeProto()
                node2.CopyFrom(node)
                if "kernel_shape" not in a:
                    node2.attribute.append(helper.make_attribute("kernel_shape", weight.shape[2:]))
                kept = _windows(node2, space, shapes[names[0]][2:], shapes[out][2:])
            else:
                if a.get("auto_pad", "NOTSET") != "NOTSET" or "output_shape" in a:
                    raise refuse(
                        node, "auto_pad and output_shape are not supported: give pads and output_padding"
                    )
                kept = {
                    k: list(v)
                    for k, v in a.items()
                    if k in ("strides", "pads", "dilations", "output_padding")
                }
                kept["kernel_shape"] = list(weight.shape[2:])
            kept["group"] = a.get("group", 1)
            self.step(op, node, varying, weight=weight, bias=bias, attributes=kept)
        elif op == "Gemm" and names[0] in varying and names[1] in constants and not a.get("transA", 0):
            weight = self.real(names[1]) * a.get("alpha", 1.0)
            bias = (
                self.real(names[2]) * a.get("beta", 1.0) if len(names) > 2 and names[2] in constants else None
            )
            if len(varying) > 1:
                raise refuse(
                    node, "a third operand that depends on the input is not supported: use MatMul and Add"
                )
            self.step("MatMul", node, varying, weight=weight.T if a.get("transB", 0) else weight, bias=bias)
        elif op == "MatMul" and len(varying) == 1:
            left = names[1] in varying
            self.step("LeftMatMul" if left else "MatMul", node, varying, weight=self.real(constants[0]))
        elif op == "MatMul":
            self.product(node, varying)
        elif op == "BatchNormalization":
            if a.get("training_mode", 0):
                raise refuse(node, "training_mode is not supported: export the network for inference")
            gamma, beta, mean, variance = map(self.real, names[1:5])
            ones = [1] * (len(shapes[out]) - 2)
            factor = gamma / np.sqrt(variance + a.get("epsilon", 1e-5))
            self.affine(
                node, varying[0], factor.reshape(-1, *ones), (beta - mean * factor).reshape(-1, *ones)
            )
        elif op in ("Add", "Sub", "Mul", "Div", "Neg") and len(varying) == 1:
            self.constant_operand(node, names, varying[0], constants)
        elif op == "Sub":
            self.difference(node, *varying)
        elif op == "Add":
            self.step(op, node, varying)
        elif op == "Mul":
            self.product(node, varying)
        elif op == "Sum" and len(varying) == len(names) == 2:
            self.step("Add", node, varying)
        elif op in (
            "Max",
            "ReduceMax",
            "GlobalMaxPool",
            "MaxPool",
            "ArgMax",
            "ReduceSum",
            "ReduceMean",
            "GlobalAveragePool",
        ):
            self.reduce(node, varying, constants, a)
        elif op == "AveragePool":
            self.average_pool(node, varying, a)
        elif op in PLACES and names[0] in varying and len(varying) == 1:
            for i, output in enumerate(node.output):
                if output:
                    self.step("Places", node, varying, output, attributes={"which": i})
                    self.nonnegative.update({output} if names[0] in self.nonnegative else ())
        elif op == "Pad" and len(varying) == 1:
            value = a.get("value", float(self.constant(names[2])) if len(names) > 2 and names[2] else 0.0)
            if a.get("mode", "constant") != "constant" or value:
                raise refuse(node, "only zeros can be padded")
            pads = np.asarray(a["pads"] if "pads" in a else self.constant(names[1]), np.int64)
            if pads.min(initial=0) < 0:
                raise refuse(node, "a pad is negative")
            axes = [names[3]] if len(names) > 3 and names[3] else []
            every = self.constant(axes[0]).tolist() if axes else list(range(len(pads) // 2))
            self.step("Pad", node, varying, attributes={"pads": pads, "axes": np.array(every, np.int64)})
        elif op == "Concat":
            parts = [name if name in varying else self.real(name) for name in names]
            parts = [part for part in parts if isinstance(part, str) or part.size]
            self.step(
                "Concat", node, varying, attributes={"axis": a["axis"] % len(shapes[out]), "parts": parts}
            )
        elif op in LATER:
            raise refuse(node, "not supported yet; until= ends the network at a tensor before it")
        elif op in FUNCTIONS:
            raise refuse(
                node,
                f"of {len(varying)} tensors, or with constants that are no scalars: a function has one tensor",
            )
        else:
            raise refuse(node, "not supported; until= ends the network at a tensor before it")

    def cut(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """A cut to the range of 16 bits: it matters where it stands for a relu, or another cut, and not where the
        samples end that a file was quantised with."""
        x, (low, high) = node.input[0], (self.constant(name) for name in node.input[1:])
        if self.floats.most[x] > high + (high - low) / 4:
            return node
        below = self.floats.least[x] < (low - (high - low) / 4 if low else 0)
        return node if below and low else helper.make_node("Relu" if below else "Identity", [x], node.output)

    def sums(self, name: str) -> bool:
        """Whether a tensor is no function, but of what was rounded to integers of a file."""
        formula = self.formulas.get(name)
        return name in self.floats.rounded or formula is None or formula.exact

    def nothing(
        self, node: onnx.NodeProto, names: list[str], varying: list[str], constants: list[str]
    ) -> bool:
        """Whether a constant changes nothing: zeros that are added, ones that are multiplied."""
        if (
            len(varying) != 1
            or names[0] != varying[0]
            or self.floats.shapes[varying[0]] != self.floats.shapes[node.output[0]]
        ):
            return False
        return bool((self.constant(constants[0]) == (node.op_type in ("Mul", "Div"))).all())

    def affine(self, node: onnx.NodeProto, name: str, factor: Any, shift: Any) -> None:
        self.step("Affine", node, [name], weight=factor, bias=shift)

    def constant_operand(
        self, node: onnx.NodeProto, names: list[str], name: str, constants: list[str]
    ) -> None:
        if node.op_type == "Neg":
            return self.affine(node, name, np.float64(-1), None)
        value = self.real(constants[0])
        if value.size == 1:
            value = value.reshape([])
        first, out = names[0] == name, node.output[0]
        if value.ndim == 0 and (node.op_type == "Mul" or (node.op_type == "Div" and first)):
            factor = value if node.op_type == "Mul" else 1 / value
            self.nonnegative.update({out} if factor > 0 and name in self.nonnegative else ())
            total = self.reductions["ReduceSum"].get(name)
            count = math.prod(self.floats.shapes[total.x][axis] for axis in total.axes) if total else 0
            if total and abs(factor * count - 1) < 2.0**-20 and self.mean(node, total):
                return
        if node.op_type == "Mul":
            self.affine(node, name, value, None)
        elif node.op_type == "Div" and first:
            self.affine(node, name, 1 / value, None)
        elif node.op_type == "Add":
            self.affine(node, name, None, value)
        elif node.op_type == "Sub":
            self.affine(node, name, None if first else np.float64(-1), -value if first else value)
        else:
            raise refuse(node, "a constant that is no scalar, divided by a tensor, is not supported")

    def reduce(
        self, node: onnx.NodeProto, varying: list[str], constants: list[str], a: dict[str, Any]
    ) -> None:
        shapes, op, out = self.floats.shapes, node.op_type, node.output[0]
        shape = shapes[varying[0]]
        if op == "Max":
            if constants:
                raise refuse(node, "a maximum with a constant that is no scalar is not supported")
            return self.step("Max", node, varying)
        if op == "MaxPool":
            if len([o for o in node.output if o]) > 1 or a.get("storage_order", 0):
                raise refuse(node, "indices are not supported")
            kept = _windows(node, len(shape) - 2, shape[2:], shapes[out][2:])
            return self.step("MaxPool", node, varying, attributes=kept)
        if op == "ArgMax":
            if a.get("select_last_index", 0):
                raise refuse(node, "select_last_index is not supported")
            kept = {"axis": a.get("axis", 0) % len(shape), "keepdims": a.get("keepdims", 1)}
            return self.step("ArgMax", node, varying, attributes=kept)
        if op.startswith("Global"):
            axes, keep = list(range(2, len(shape))), 1
        else:
            given = a["axes"] if "axes" in a else self.constant(constants[0]).tolist() if constants else []
            axes, keep = [axis % len(shape) for axis in given], a.get("keepdims", 1)
            if not axes:
                if a.get("noop_with_empty_axes", 0):
                    self.same[out] = varying[0]
                    return None
                axes = list(range(len(shape)))
        kept, of = (
            {"axes": np.array(axes, np.int64), "keepdims": keep},
            Reduced(varying[0], tuple(sorted(axes))),
        )
        if op in ("ReduceMax", "GlobalMaxPool"):
            self.reductions["ReduceMax"][out] = of
            if of.x in self.masked:
                scores, stay = self.masked[of.x]
                return self.step("MaskedMax", node, [scores], weight=stay, attributes=kept)
            return self.step("ReduceMax", node, varying, attributes=kept)
        if op != "ReduceSum" and self.mean(node, of):
            return None
        self.nonnegative.update({out} if of.x in self.nonnegative else ())
        if of.x in self.squares and not self.formulas[of.x].exact:
            # A table of squares would be of 16 bits.
            varying, largest = [f"{out}/squares"], self.floats.largest[of.x]
            self.synthetic(
                "Product", node, [self.squares[of.x]], varying[0], shape, largest, attributes={"op": "Mul"}
            )
        if op == "ReduceSum":
            self.reductions["ReduceSum"][out] = of
            return self.step("ReduceSum", node, varying, attributes=kept)
        count = math.prod(shape[axis] for axis in axes)
        return self.step("Mean", node, varying, weight=np.float64(1 / count), attributes=kept)

    def average_pool(self, node: onnx.NodeProto, varying: list[str], a: dict[str, Any]) -> None:
        """A convolution by ones, and factors by place: the operator's own, read off a tensor of ones."""
        shapes, out = self.floats.shapes, node.output[0]
        shape = shapes[varying[0]]
        kept = _windows(node, len(shape) - 2, shape[2:], shapes[out][2:])
        pooled = alone(node, self.floats.opset, np.ones((1, 1, *shape[2:]), np.float32))
        taps = np.pad(
            np.ones(shape[2:]), list(zip(kept["pads"][: len(shape) - 2], kept["pads"][len(shape) - 2 :]))
        )
        counted = np.zeros(shapes[out][2:])
        for tap in np.ndindex(*kept["kernel_shape"]):
            counted += taps[
                tuple(
                    slice(t * d, t * d + (n - 1) * s + 1, s)
                    for t, d, n, s in zip(tap, kept["dilations"], counted.shape, kept["strides"])
                )
            ]
        divisors = np.rint(counted / pooled[0, 0])
        factor = 1 / divisors[None, None] if np.ptp(divisors) else np.float64(1 / divisors.flat[0])
        kept["group"] = shape[1]
        self.step("AveragePool", node, varying, weight=factor, attributes=kept)
