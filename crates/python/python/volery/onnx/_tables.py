"""Functions of one variable: their formulas, and their tables."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ._floats import attributes_of, session_of
from ._read import Reader
from .reference import TABLE


def body(reader: Reader, name: str) -> bytes:
    """The nodes of a function as a ``FunctionProto``, the same for the same formula."""
    formula = reader.formulas[name]
    names: dict[str, str] = {formula.root: "x", reader.find(formula.root): "x"}
    nodes: list[onnx.NodeProto] = []
    for node in formula.chain:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.name = copy.doc_string = ""
        found = attributes_of(node)
        inputs = []
        for operand in map(reader.find, node.input):
            if operand and operand not in names:
                value = reader.constant(operand).reshape([])
                nodes.append(
                    helper.make_node("Constant", [], [f"c{len(nodes)}"], value=numpy_helper.from_array(value))
                )
                inputs.append(nodes[-1].output[0])
            else:
                inputs.append(names.get(operand, ""))
        if node.op_type == "Clip" and len(inputs) == 1 and found:
            # Its bounds were attributes before opset 11.
            del copy.attribute[:]
            for bound in ("min", "max"):
                value = numpy_helper.from_array(
                    np.array(found.get(bound, math.inf if bound == "max" else -math.inf), np.float32)
                )
                nodes.append(helper.make_node("Constant", [], [f"c{len(nodes)}"], value=value))
                inputs.append(nodes[-1].output[0])
        del copy.input[:], copy.output[:]
        copy.input.extend(inputs)
        names[node.output[0]] = f"t{len(nodes)}"
        copy.output.append(names[node.output[0]])
        nodes.append(copy)
    nodes[-1].output[0] = "y"
    function = onnx.FunctionProto(domain=TABLE, input=["x"], output=["y"], node=nodes)
    function.opset_import.append(helper.make_opsetid("", 21))
    return bytes(function.SerializeToString(deterministic=True))


def applied(function: onnx.FunctionProto, values: np.ndarray) -> np.ndarray:
    """What onnxruntime makes of values by a function."""
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])
    graph = helper.make_graph(function.node, "function", [info], [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return np.asarray(session_of(model).run(None, {"x": values.astype(np.float32)})[0])


def homogeneous(function: onnx.FunctionProto) -> bool:
    """Whether f(2x) = 2f(x), as of relu: tried at powers of two, and at what lies between."""
    x = np.ldexp(np.array([1, 1.25, 1.5, -1, -1.25, -1.5])[:, None], np.arange(-12, 12)).reshape(-1)
    return np.array_equal(applied(function, 2 * x), 2 * applied(function, x))


def tabulated(function: onnx.FunctionProto, key: int, exponent: int, bits: int) -> np.ndarray:
    """The table: the nearest integer of each value, within the bits; 0 where it is no number."""
    half = 1 << (bits - 1)
    values = applied(function, np.ldexp(np.arange(-half, half, dtype=np.float64), -key)).astype(np.float64)
    rounded = np.rint(np.nan_to_num(np.ldexp(values, exponent), nan=0.0))
    return np.clip(rounded, -half, half - 1).astype(np.int16)
