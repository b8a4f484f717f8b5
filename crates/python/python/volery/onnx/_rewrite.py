"""Operators that are others in a row: they are rewritten in the float file, before it is calibrated."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any, Callable, Mapping

import numpy as np
import onnx
from onnx import helper, numpy_helper

from .._errors import Invalid


def _attributes(node: onnx.NodeProto, *without: str) -> dict[str, Any]:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name not in without}


class _Row:
    """Nodes that stand in one's place; the last of them makes its output."""

    def __init__(self, node: onnx.NodeProto, opset: int, ranks: Mapping[str, int]):
        self.node, self.opset, self.ranks, self.made = node, opset, ranks, list[onnx.NodeProto]()
        self.name = node.name or f"{node.op_type} of {node.output[0]}"

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        output = f"{self.node.output[0]}/{op}{len(self.made)}"
        name = f"{self.name}/{op}{len(self.made)}"
        self.made.append(helper.make_node(op, list(inputs), [output], name=name, **attributes))
        return output

    def end(self, op: str, *inputs: str, **attributes: Any) -> list[onnx.NodeProto]:
        self.made.append(
            helper.make_node(op, list(inputs), [self.node.output[0]], name=self.name, **attributes)
        )
        return self.made

    def constant(self, value: Any, kind: Any = np.float32) -> str:
        return self.add("Constant", value=numpy_helper.from_array(np.asarray(value, kind)))

    def reduce(self, op: str, x: str, axes: list[int]) -> str:
        """A reduction that keeps its axes, which became an input of ReduceSum before they did so of others."""
        if self.opset >= (13 if op == "ReduceSum" else 18):
            return self.add(op, x, self.constant(axes, np.int64))
        return self.add(op, x, axes=axes)

    def axes(self, name: str, first: int, one: bool = False) -> list[int]:
        """An axis, or all from it on."""
        rank = self.ranks.get(name)
        if first == -1:
            return [-1]
        if rank is None:
            raise Invalid(
                f"{self.name!r} ({self.node.op_type}): the number of dimensions is not known before it runs"
            )
        return [first % rank] if one else list(range(first % rank, rank))

    def inverse(self, x: str, axes: list[int], epsilon: float, reduce: str = "ReduceMean") -> str:
        """The reciprocal root of the mean of squares."""
        mean = self.reduce(reduce, self.add("Mul", x, x), axes)
        if epsilon:
            mean = self.add("Add", mean, self.constant(epsilon))
        return self.add("Reciprocal", self.add("Sqrt", mean))

    def centred(self, x: str, axes: list[int]) -> str:
        return self.add("Sub", x, self.reduce("ReduceMean", x, axes))

    def normalised(self, x: str, axes: list[int], epsilon: float) -> str:
        centred = self.centred(x, axes)
        return self.add("Mul", centred, self.inverse(centred, axes, epsilon))


Rewrite = Callable[[_Row, onnx.NodeProto], list[onnx.NodeProto]]


def _prelu(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """relu(x) − slope · relu(−x): slopes of channels are weights."""
    x, slope = node.input
    below = row.add("Relu", row.add("Neg", x))
    return row.end("Sub", row.add("Relu", x), row.add("Mul", below, slope))


def _chain(op: str) -> Rewrite:
    def rewrite(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
        total, *others = node.input
        for other in others[:-1]:
            total = row.add(op, total, other)
        return row.end(op, total, others[-1]) if others else row.end("Identity", total)

    return rewrite


def _min(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    return row.end("Neg", row.add("Max", *(row.add("Neg", name) for name in node.input)))


def _reduce_min(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    x, *axes = node.input
    return row.end("Neg", row.add("ReduceMax", row.add("Neg", x), *axes, **_attributes(node)))


def _reduced(before: str, after: str = "") -> Rewrite:
    """A sum of squares or of a function, and a function of it."""

    def rewrite(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
        x, *axes = node.input
        each = row.add("Mul", x, x) if before == "Mul" else row.add(before, x)
        kept = _attributes(node)
        if row.opset >= 13 and "axes" in kept:
            axes = [row.constant(kept.pop("axes"), np.int64)]
        return row.end(after, row.add("ReduceSum", each, *axes, **kept)) if after else row.end(
            "ReduceSum", each, *axes, **kept
        )  # fmt: skip

    return rewrite


def _gemm(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    x, *others = node.input
    return row.end("Gemm", row.add("Transpose", x, perm=[1, 0]), *others, **_attributes(node, "transA"))


def _div(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    return row.end("Mul", node.input[0], row.add("Reciprocal", node.input[1]))


def _softmax(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    (x,), a = node.input, _attributes(node)
    axes = row.axes(x, a.get("axis", -1 if row.opset >= 13 else 1), one=row.opset >= 13)
    below = row.add("Sub", x, row.reduce("ReduceMax", x, axes))
    each = row.add("Exp", below)
    total = row.reduce("ReduceSum", each, axes)
    if node.op_type == "LogSoftmax":
        return row.end("Sub", below, row.add("Log", total))
    return row.end("Mul", each, row.add("Reciprocal", total))


def _layer_norm(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    (x, scale, *bias), a = node.input, _attributes(node)
    axes = row.axes(x, a.get("axis", -1))
    centred = row.centred(x, axes)
    mean, inverse = row.made[-2].output[0], row.inverse(centred, axes, a.get("epsilon", 1e-5))
    for name, also in zip(node.output[1:], (mean, inverse)):
        row.made.append(helper.make_node("Identity", [also], [name]))
    t = row.add("Mul", centred, inverse)
    if not any(bias):
        return row.end("Mul", t, scale)
    return row.end("Add", row.add("Mul", t, scale), bias[0])


def _rms_norm(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    (x, scale), a = node.input, _attributes(node)
    t = row.add("Mul", x, row.inverse(x, row.axes(x, a.get("axis", -1)), a.get("epsilon", 1e-5)))
    return row.end("Mul", t, scale)


def _instance_norm(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    (x, *affine), a = node.input, _attributes(node)
    axes = row.axes(x, 2)
    shape = row.constant([-1, *[1] * len(axes)], np.int64)
    scale, bias = (row.add("Reshape", name, shape) for name in affine)
    return row.end("Add", row.add("Mul", row.normalised(x, axes, a.get("epsilon", 1e-5)), scale), bias)


def _group_norm(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Scales were those of groups before opset 21, and are those of channels."""
    (x, *affine), a = node.input, _attributes(node)
    groups, ones = a["num_groups"], [1] * len(row.axes(x, 2))
    t = row.add("Reshape", x, row.constant([0, groups, -1], np.int64))
    t, shape = row.normalised(t, [2], a.get("epsilon", 1e-5)), row.add("Shape", x)
    wide = row.constant([-1, *ones] if row.opset >= 21 else [groups, 1], np.int64)
    scale, bias = (row.add("Reshape", name, wide) for name in affine)
    if row.opset >= 21:
        t = row.add("Reshape", t, shape)
    t = row.add("Mul", t, scale)
    return row.end("Add", t, bias) if row.opset >= 21 else row.end("Reshape", row.add("Add", t, bias), shape)


def _variance_norm(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    axes = list(_attributes(node).get("axes", [0, 2, 3]))
    return row.end("Identity", row.normalised(node.input[0], axes, 0))


def _lp_norm(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    (x,), a = node.input, _attributes(node)
    axes = row.axes(x, a.get("axis", -1), one=True)
    if a.get("p", 2) == 2:
        return row.end("Mul", x, row.inverse(x, axes, 0, "ReduceSum"))
    return row.end("Mul", x, row.add("Reciprocal", row.reduce("ReduceSum", row.add("Abs", x), axes)))


def _lrn(row: _Row, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """x · (bias + α · mean of squares of neighbouring channels)^−β."""
    (x,), a = node.input, _attributes(node)
    size, last = a["size"], [0, 2, 1]
    flat = row.add("Reshape", row.add("Mul", x, x), row.constant([0, 0, -1], np.int64))
    mean = row.add(
        "AveragePool", row.add("Transpose", flat, perm=last), kernel_shape=[size], count_include_pad=1,
        pads=[(size - 1) // 2, size // 2],
    )  # fmt: skip
    mean = row.add("Reshape", row.add("Transpose", mean, perm=last), row.add("Shape", x))
    scaled = row.add("Mul", mean, row.constant(a.get("alpha", 1e-4)))
    raised = row.add("Add", scaled, row.constant(a.get("bias", 1.0)))
    return row.end("Mul", x, row.add("Pow", raised, row.constant(-a.get("beta", 0.75))))


REWRITES: dict[str, Rewrite] = {
    "PRelu": _prelu, "Sum": _chain("Add"), "Min": _min, "ReduceMin": _reduce_min, "Gemm": _gemm, "Div": _div,
    "ReduceL1": _reduced("Abs"), "ReduceSumSquare": _reduced("Mul"), "ReduceL2": _reduced("Mul", "Sqrt"),
    "ReduceLogSum": _reduced("Identity", "Log"), "ReduceLogSumExp": _reduced("Exp", "Log"),
    "Softmax": _softmax, "LogSoftmax": _softmax, "LayerNormalization": _layer_norm,
    "RMSNormalization": _rms_norm, "InstanceNormalization": _instance_norm, "GroupNormalization": _group_norm,
    "MeanVarianceNormalization": _variance_norm, "LpNormalization": _lp_norm,
    "LRN": _lrn,
}  # fmt: skip


def _scalars(graph: onnx.GraphProto) -> dict[str, bool]:
    """Whether each constant is of one entry."""
    scalars = {t.name: math.prod(t.dims) == 1 for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            (value,) = node.attribute
            scalars[node.output[0]] = math.prod(value.t.dims) == 1 if value.name == "value" else True
    return scalars


def _keeps(node: onnx.NodeProto, scalars: Mapping[str, bool], varies: set[str]) -> bool:
    """Whether a node stays what it is."""
    known = [scalars[name] for name in node.input if name in scalars]
    if node.op_type in ("PRelu", "Min"):
        # With constants that are scalars these are functions of one variable.
        return bool(known) and all(known)
    if node.op_type == "Div":
        return node.input[1] not in varies or (bool(known) and all(known))
    if node.op_type == "Gemm":
        return not any(a.name == "transA" and a.i for a in node.attribute)
    return not varies.intersection(node.input)


def rewrite(model: onnx.ModelProto, opset: int, varies: set[str], outputs: list[str]) -> None:
    """Rewrites the nodes of a graph that outputs depend on, and that are no steps themselves."""
    graph, ranks, asked = model.graph, dict[str, int](), set(outputs)
    for node in reversed(graph.node):
        asked.update(node.input if asked.intersection(node.output) else ())
    try:
        inferred = onnx.shape_inference.infer_shapes(model).graph
    except onnx.shape_inference.InferenceError as error:
        raise Invalid(f"shapes of the network do not fit: {error}") from error
    for value in [*inferred.input, *inferred.output, *inferred.value_info]:
        if value.type.tensor_type.HasField("shape"):
            ranks[value.name] = len(value.type.tensor_type.shape.dim)
    scalars = _scalars(graph)
    nodes = list[onnx.NodeProto]()
    for node in graph.node:
        row = REWRITES.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        if row is None or not asked.intersection(node.output) or _keeps(node, scalars, varies):
            nodes.append(node)
        else:
            nodes += row(_Row(node, opset, ranks), node)
    del graph.node[:]
    graph.node.extend(nodes)


def scales_last(graph: onnx.GraphProto, varies: set[str]) -> None:
    """c · r · γ for c · (r · γ), and (x − m) · r · γ + β for x · (r · γ) + (β − m · (r · γ)), of reciprocals r.

    What is rounded in between has the range of a normalised tensor then, and not that of r.
    """
    makers, nodes = {o: node for node in graph.node for o in node.output}, list[onnx.NodeProto]()

    def made(name: str, op: str) -> list[str]:
        node = makers.get(name)
        return list(node.input) if node is not None and node.op_type == op else []

    def scale(name: str) -> tuple[str, str] | None:
        for r, gamma in permutations(made(name, "Mul"), 2):
            maker = makers.get(r)
            if (
                r in varies
                and gamma not in varies
                and maker
                and maker.op_type in ("Reciprocal", "Div", "Pow")
            ):
                return r, gamma
        return None

    for node in graph.node:
        row = _Row(node, 0, {})
        for x, s in permutations(node.input, 2) if node.op_type in ("Add", "Mul") else ():
            if node.op_type == "Mul" and x in varies and (parts := scale(s)):
                nodes += row.end("Mul", row.add("Mul", x, parts[0]), parts[1])
                break
            beta, shift = made(s, "Sub") or ("", "")
            scaled = {frozenset(made(name, "Mul")) for name in (x, shift)}
            common = frozenset.intersection(*scaled)
            if len(common) == 1 and len(scaled) == 2 and (parts := scale(*common)):
                (x,), (m,) = (set(made(name, "Mul")) - common for name in (x, shift))
                t = row.add("Mul", row.add("Sub", x, m), parts[0])
                nodes += row.end("Add", row.add("Mul", t, parts[1]), beta)
                break
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _behind(makers: Mapping[str, onnx.NodeProto], name: str, *more: str) -> onnx.NodeProto | None:
    """What made a tensor, before it was broadcast."""
    node = makers.get(name)
    while node is not None and node.op_type in ("Reshape", "Expand", "Unsqueeze", "Identity", *more):
        read = [i for i in node.input if i in makers and makers[i].op_type != "Constant"]
        if node.op_type not in more:
            read = node.input[:1]
        node = makers.get(read[0]) if read else None
    return node


def softmaxes(graph: onnx.GraphProto, opset: int) -> None:
    """Finds softmax spelled out, e^(x − max x) / Σ e^(x − max x), and puts the operator there."""
    makers = {o: node for node in graph.node for o in node.output}
    constants = {t.name: t for t in graph.initializer}
    constants.update({n.output[0]: n.attribute[0].t for n in graph.node if n.op_type == "Constant"})
    for node in graph.node:
        if node.op_type != "Div" or (each := makers.get(node.input[0])) is None or each.op_type != "Exp":
            continue
        below, total = makers.get(each.input[0]), _behind(makers, node.input[1])
        if below is None or below.op_type != "Sub" or total is None or total.op_type != "ReduceSum":
            continue
        most = _behind(makers, below.input[1], "Max")
        if most is None or most.op_type != "ReduceMax" or total.input[0] != node.input[0]:
            continue
        axes = []
        for reduction in (most, total):
            given = _attributes(reduction).get("axes")
            if given is None and len(reduction.input) > 1 and reduction.input[1] in constants:
                given = numpy_helper.to_array(constants[reduction.input[1]]).tolist()
            axes.append(list(given or []))
        if most.input[0] != below.input[0] or axes[0] != axes[1] or len(axes[0]) != 1:
            continue
        if opset < 13 and axes != [[-1], [-1]]:
            # The operator was another one.
            continue
        node.op_type = "Softmax"
        del node.input[:], node.attribute[:]
        node.input.append(below.input[0])
        node.attribute.append(helper.make_attribute("axis", axes[0][0]))
