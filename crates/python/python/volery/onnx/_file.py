"""Nodes and files as onnx and onnxruntime have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from .._errors import Invalid


def attributes_of(node: onnx.NodeProto) -> dict[str, Any]:
    found = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}


def label(node: onnx.NodeProto) -> str:
    return node.name or f"{node.op_type} of {node.output[0]}"


def refuse(node: onnx.NodeProto, why: str) -> Invalid:
    return Invalid(f"{label(node)!r} ({node.op_type}): {why}")


def session_of(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # Its exceptions have no class in common.
        raise Invalid(f"onnxruntime does not run this file: {error}") from error


def alone(node: onnx.NodeProto, opset: int, *values: np.ndarray | None, which: int = 0) -> np.ndarray:
    """An output of one node, of values for its inputs."""
    one = onnx.NodeProto()
    one.CopyFrom(node)
    del one.input[:], one.output[:]
    one.input.extend("" if value is None else f"i{i}" for i, value in enumerate(values))
    one.output.extend(f"o{i}" if name else "" for i, name in enumerate(node.output))
    given = {f"i{i}": value for i, value in enumerate(values) if value is not None}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in given.items()
    ]
    graph = helper.make_graph([one], "one", infos, [onnx.ValueInfoProto(name=f"o{which}")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return np.asarray(session_of(model).run(None, given)[0])
