"""The public graph of a network, and its weights apart from it, as ``volery model split`` makes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper

from .reference import PUBLIC, Network


def _bare(function: onnx.FunctionProto) -> onnx.FunctionProto:
    """A function without what people wrote beside it."""
    bare = onnx.FunctionProto.FromString(function.SerializeToString())
    parts: list[Any] = [bare, *bare.node]
    parts += [attribute for node in bare.node for attribute in node.attribute]
    parts += [part.t for part in parts if isinstance(part, onnx.AttributeProto) and part.HasField("t")]
    for part in parts:
        for field in ("doc_string", "metadata_props"):
            if field in part.DESCRIPTOR.fields_by_name:
                part.ClearField(field)
    return bare


def split(net: Network) -> tuple[onnx.ModelProto, np.ndarray]:
    """What both parties have, and a list for the prover.

    The graph is put together of what a network needs: a file may hold more, which might tell of weights.
    """
    graph, stored = net.graph, {t.name: t for t in net.graph.initializer}
    real = {node.input[0] for node in graph.node if node.op_type == "DequantizeLinear"} & stored.keys()
    weights = [name for name in stored if name in real and not name.startswith(PUBLIC)]
    inputs = [(value.name, value.type.tensor_type) for value in graph.input]
    typed = [(name, kind.elem_type, [d.dim_value for d in kind.shape.dim]) for name, kind in inputs]
    typed += [(name, stored[name].data_type, list(stored[name].dims)) for name in weights]
    nodes = [
        helper.make_node(
            node.op_type,
            node.input,
            node.output,
            name=node.name,
            domain=node.domain,
            **{a.name: helper.get_attribute_value(a) for a in node.attribute},
        )
        for node in graph.node
    ]
    called = {(node.domain, node.op_type) for node in nodes}
    read = {name for node in nodes for name in node.input}
    read |= {f"{domain}/{op}" for domain, op in called}
    constants = []
    for name in stored:
        if name in read and name not in weights:
            kept = onnx.TensorProto(name=name, data_type=stored[name].data_type, dims=stored[name].dims)
            kept.raw_data = stored[name].raw_data
            constants.append(kept)
    outputs = [(value.name, value.type.tensor_type.elem_type) for value in graph.output]
    public = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info(*value) for value in typed],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs],
        constants,
    )
    functions = [
        _bare(function) for function in net.model.functions if (function.domain, function.name) in called
    ]
    model = helper.make_model(
        public, opset_imports=net.model.opset_import, functions=functions, ir_version=10
    )
    helper.set_model_props(model, {"volery.format": "1", "volery.weights": "apart"})
    every = [net.constants[name].reshape(-1).astype(np.int32) for name in weights]
    return model, np.concatenate([np.zeros(0, np.int32), *every])
