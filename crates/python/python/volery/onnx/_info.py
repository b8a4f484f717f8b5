"""What is in a network of integers."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Iterable

import numpy as np
import onnx

from .reference import PUBLIC, TABLE, WIDE, Network

MAXIMA = {"Max", "MaxPool", "ReduceMax", "ArgMax"}
# Where an operand is a factor, whose weights have 24 bits at most.
FACTORS = {"Mul": (0, 1), "MatMul": (0, 1), "Gemm": (0, 1), "Conv": (1,), "ConvTranspose": (1,)}


def info(net: Network) -> dict[str, Any]:
    """Fields of ``volery model info --json``, but for products and what a proof takes; ``nodes`` are counted by
    operator, and ``wide`` are tables of functions of sums."""
    graph = onnx.shape_inference.infer_shapes(net.model, data_prop=True).graph
    values = {value.name: value for value in [*graph.input, *graph.value_info, *graph.output]}
    makers = {output: node for node in graph.node for output in node.output}

    def shape(name: str) -> list[int]:
        return [d.dim_value for d in values[name].type.tensor_type.shape.dim]

    def size(names: Iterable[str]) -> int:
        return sum(math.prod(shape(name)) for name in names)

    rounded = [n for n in graph.node if n.op_type == "QuantizeLinear" and n.input[0] not in net.inputs]
    tables, wide = Counter[str](), Counter[str]()
    for node in graph.node:
        if node.domain in (TABLE, WIDE):
            (tables if node.domain == TABLE else wide)[node.op_type] += size(node.output)
    factors = {
        node.input[i] for node in graph.node for i in FACTORS.get(node.op_type, ()) if i < len(node.input)
    }
    outputs = []
    for name in net.outputs:
        maker = makers[name]
        while maker.op_type not in ("DequantizeLinear", "ArgMax"):
            maker = makers[maker.input[0]]
        exponent = {"index": True} if maker.op_type == "ArgMax" else {"exponent": net.exponent(maker)}
        outputs.append({"name": name, "shape": shape(name), **exponent})
    public, weights = [], []
    for node in graph.node:
        name = node.input[0] if node.op_type == "DequantizeLinear" else ""
        if name.startswith(PUBLIC):
            value = np.ldexp(net.constants[name].astype(np.float64), -net.exponent(node))
            entry = {"name": name, "shape": list(value.shape)}
            public.append(entry | ({"value": float(value.reshape(()))} if value.size == 1 else {}))
        elif name in net.constants or name in net.apart:
            made, kind = net.apart.get(name) or (net.constants[name].shape, net.constants[name].dtype)
            bits = 24 if kind == np.int32 and node.output[0] in factors else 8 * kind.itemsize
            weights.append({"name": name, "count": math.prod(made), "bits": bits})
    return {
        "weights_apart": bool(net.apart),
        "inputs": [
            {"name": name, "shape": list(made)}
            | ({"index": True} if name in net.indices else {"exponent": exponent})
            for name, (made, exponent) in net.inputs.items()
        ],
        "outputs": outputs,
        "nodes": dict(Counter(n.op_type for n in graph.node if n.op_type != "DequantizeLinear")),
        "total": {
            "roundings": size(n.output[0] for n in rounded if makers[n.input[0]].domain != TABLE),
            "lookups": sum(tables.values()),
            "maxima": size(n.output[0] for n in graph.node if n.op_type in MAXIMA),
        },
        "tables": [
            {"name": name, "rows": len(net.constants[f"{TABLE}/{name}"]), "lookups": count}
            for name, count in tables.items()
        ],
        "wide": [
            {"name": name, "rows": len(net.constants[f"{WIDE}/{name}"]), "values": count}
            for name, count in wide.items()
        ],
        "public": public,
        "weights": weights,
    }
