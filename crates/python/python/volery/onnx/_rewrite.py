"""Operators that are others in a row: they are rewritten in the float file, before it is calibrated."""

from __future__ import annotations

import math
from typing import Any, Callable

import onnx
from onnx import helper


def _attributes(node: onnx.NodeProto, *without: str) -> dict[str, Any]:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name not in without}


Rewrite = Callable[[onnx.NodeProto, int], list[onnx.NodeProto]]


class _Row:
    """Nodes that stand in one's place; the last of them makes its output."""

    def __init__(self, node: onnx.NodeProto):
        self.node, self.made = node, list[onnx.NodeProto]()
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


def _prelu(node: onnx.NodeProto, opset: int) -> list[onnx.NodeProto]:
    """relu(x) − slope · relu(−x): slopes of channels are weights."""
    row, (x, slope) = _Row(node), node.input
    below = row.add("Relu", row.add("Neg", x))
    return row.end("Sub", row.add("Relu", x), row.add("Mul", below, slope))


def _chain(op: str) -> Rewrite:
    def rewrite(node: onnx.NodeProto, opset: int) -> list[onnx.NodeProto]:
        row, (total, *others) = _Row(node), node.input
        for other in others[:-1]:
            total = row.add(op, total, other)
        return row.end(op, total, others[-1]) if others else row.end("Identity", total)

    return rewrite


def _min(node: onnx.NodeProto, opset: int) -> list[onnx.NodeProto]:
    row = _Row(node)
    return row.end("Neg", row.add("Max", *(row.add("Neg", name) for name in node.input)))


def _reduce_min(node: onnx.NodeProto, opset: int) -> list[onnx.NodeProto]:
    row, (x, *axes) = _Row(node), node.input
    return row.end("Neg", row.add("ReduceMax", row.add("Neg", x), *axes, **_attributes(node)))


def _reduced(op: str) -> Rewrite:
    def rewrite(node: onnx.NodeProto, opset: int) -> list[onnx.NodeProto]:
        row, (x, *axes) = _Row(node), node.input
        each = row.add("Mul", x, x) if op == "Mul" else row.add(op, x)
        kept = _attributes(node)
        if opset >= 13 and "axes" in kept:
            # They became an input of ReduceSum before they did so of others.
            value = helper.make_tensor("axes", onnx.TensorProto.INT64, [len(kept["axes"])], kept.pop("axes"))
            axes = [row.add("Constant", value=value)]
        return row.end("ReduceSum", each, *axes, **kept)

    return rewrite


def _gemm(node: onnx.NodeProto, opset: int) -> list[onnx.NodeProto]:
    row, (x, *others) = _Row(node), node.input
    return row.end("Gemm", row.add("Transpose", x, perm=[1, 0]), *others, **_attributes(node, "transA"))


REWRITES = {
    "PRelu": _prelu, "Sum": _chain("Add"), "Min": _min, "ReduceMin": _reduce_min,
    "ReduceL1": _reduced("Abs"), "ReduceSumSquare": _reduced("Mul"), "Gemm": _gemm,
}  # fmt: skip


def _scalars(graph: onnx.GraphProto) -> dict[str, bool]:
    """Whether each constant is of one entry."""
    scalars = {t.name: math.prod(t.dims) == 1 for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            (value,) = node.attribute
            scalars[node.output[0]] = math.prod(value.t.dims) == 1 if value.name == "value" else True
    return scalars


def rewrite(graph: onnx.GraphProto, opset: int) -> None:
    """Rewrites the nodes of a graph that are no steps themselves."""
    scalars = _scalars(graph)
    nodes = list[onnx.NodeProto]()
    for node in graph.node:
        row = REWRITES.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        known = [scalars[name] for name in node.input if name in scalars]
        # With constants that are scalars these are functions of one variable.
        keep = node.op_type in ("PRelu", "Min") and bool(known) and all(known)
        if node.op_type == "Gemm":
            keep = not any(a.name == "transA" and a.i for a in node.attribute)
        nodes += [node] if row is None or keep else row(node, opset)
    del graph.node[:]
    graph.node.extend(nodes)
