"""Operators of integers, spelled out: each is one of floats, between DequantizeLinear and QuantizeLinear."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import helper, numpy_helper

from ._file import attributes_of, label, refuse

# Scales are known when these run.
DYNAMIC = set(
    "DynamicQuantizeLinear ConvInteger MatMulInteger DynamicQuantizeMatMul MatMulIntegerToFloat"
    " DynamicQuantizeLSTM".split()
)
# Of each of the others the operator of floats, and the places among its inputs of quantised tensors (each with a scale
# and a zero, and of Concat all), of a constant of int32, and of the scale of the result.
SPELLED = {
    "QLinearConv": ("Conv", [0, 3], 8, 6), "QLinearMatMul": ("MatMul", [0, 3], None, 6),
    "QGemm": ("Gemm", [0, 3], 6, 7), "QLinearAdd": ("Add", [0, 3], None, 6), "QLinearMul": ("Mul", [0, 3], None, 6),
    "QLinearSigmoid": ("Sigmoid", [0], None, 3), "QLinearLeakyRelu": ("LeakyRelu", [0], None, 3),
    "QLinearSoftmax": ("Softmax", [0], None, 3),
    "QLinearGlobalAveragePool": ("GlobalAveragePool", [0], None, 3),
    "QLinearAveragePool": ("AveragePool", [0], None, 3), "QLinearConcat": ("Concat", [], None, 0),
}  # fmt: skip


def spelled_out(graph: onnx.GraphProto) -> None:
    """Puts operators of floats in the place of those of integers."""
    nodes: list[onnx.NodeProto] = []
    constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    for node in graph.node:
        if node.op_type in DYNAMIC:
            raise refuse(node, "scales that are computed while it runs (dynamic quantisation) are not supported:"
                         " quantise the file statically, or give the one with floats")  # fmt: skip
        if node.op_type not in SPELLED:
            nodes.append(node)
            continue
        op, places, bias, end = SPELLED[node.op_type]
        a, inputs, output = attributes_of(node), list(node.input), node.output[0]
        if a.pop("channels_last", 0) or (a.pop("opset", 13) < 13 and op == "Softmax"):
            raise refuse(node, "channels_last, or an axis of before opset 13, is not supported")

        def add(op: str, inputs: list[str], name: str, axis: int | None = None) -> str:
            along: dict[str, Any] = {} if axis is None else {"axis": axis}
            nodes.append(helper.make_node(op, inputs, [name], name=f"{name}/{op}", **along))
            return name

        def by_channel(name: str) -> bool:
            return name in constants and constants[name].size > 1

        read, channels = [], 0 if op == "Conv" or a.get("transB", 0) else 1
        for k in places or range(2, len(inputs), 3):
            axis = channels if by_channel(inputs[k + 1]) else None
            read.append(add("DequantizeLinear", inputs[k : k + 3], f"{output}/{k}", axis))
        if bias is not None and len(inputs) > bias and inputs[bias]:
            if not {inputs[1], inputs[4]} <= constants.keys():
                raise refuse(node, "a scale that is no constant (dynamic quantisation) is not supported")
            # The scale of integers that are added to products.
            scale = f"{output}/scale"
            constants[scale] = constants[inputs[1]] * constants[inputs[4]]
            graph.initializer.append(numpy_helper.from_array(constants[scale], scale))
            axis = 0 if by_channel(scale) else None
            read.append(add("DequantizeLinear", [inputs[bias], scale], f"{output}/bias", axis))
        nodes.append(helper.make_node(op, read, [f"{output}/real"], name=label(node), **a))
        add("QuantizeLinear", [f"{output}/real", *inputs[end : end + 2]], output)
    del graph.node[:]
    graph.node.extend(nodes)
