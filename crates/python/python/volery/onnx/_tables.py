"""Functions of one variable: their formulas, and their tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ._file import attributes_of, session_of
from ._read import Reader
from .reference import TABLE, WIDE


def body(reader: Reader, root: str, chain: list[onnx.NodeProto]) -> bytes:
    """The nodes of a function as a ``FunctionProto``, the same for the same formula."""
    names: dict[str, str] = {root: "x", reader.find(root): "x"}
    nodes: list[onnx.NodeProto] = []
    for node in chain:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.name = copy.doc_string = ""
        found = attributes_of(node)
        inputs = []
        for operand in map(reader.find, node.input):
            if operand and operand not in names:
                value = reader.constant(operand).reshape([])
                value = value.astype(np.float32) if operand in reader.floats.exact else value
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


def composed(function: onnx.FunctionProto, before: float, after: float) -> onnx.FunctionProto:
    """``after · f(before · x)``, in the domain of functions of wide values, which read a scale and powers, too."""
    made, at = onnx.FunctionProto(), "x"
    made.CopyFrom(function)
    del made.node[:], made.input[:]
    made.domain = WIDE
    made.input.extend(["x", "scale", "powers"])

    def multiply(x: str, factor: float, y: str) -> None:
        value = numpy_helper.from_array(np.array(factor, np.float32))
        made.node.append(helper.make_node("Constant", [], [f"{y}/factor"], value=value))
        made.node.append(helper.make_node("Mul", [x, f"{y}/factor"], [y]))

    if before != 1:
        multiply("x", before, at := "x/scaled")
    for node in function.node:
        made.node.append(node)
        made.node[-1].input[:] = [at if name == "x" else name for name in node.input]
        if after != 1 and "y" in node.output:
            made.node[-1].output[:] = ["y/scaled"]
    if after != 1:
        multiply("y/scaled", after, "y")
    return made


def homogeneous(function: onnx.FunctionProto) -> bool:
    """Whether f(2x) = 2f(x), as of relu: tried at powers of two, and at what lies between."""
    x = np.ldexp(np.array([1, 1.25, 1.5, -1, -1.25, -1.5])[:, None], np.arange(-12, 12)).reshape(-1)
    return np.array_equal(applied(function, 2 * x), 2 * applied(function, x))


def tabulated(function: onnx.FunctionProto, key: int, exponent: int, keys: int, bits: int) -> np.ndarray:
    """The table: the nearest integer of each value, within the bits; 0 where it is no number."""
    half, ends = 1 << (bits - 1), 1 << (keys - 1)
    values = applied(function, np.ldexp(np.arange(-ends, ends, dtype=np.float64), -key)).astype(np.float64)
    rounded = np.rint(np.nan_to_num(np.ldexp(values, exponent), nan=0.0))
    return np.clip(rounded, -half, half - 1).astype(np.int16)


@dataclass(frozen=True)
class Power:
    """``f(factor · v + summand)`` of a sum ``v``: f(4x) is 2^(2 · exponent) · f(x), or f is a logarithm and ``exponent`` 0.

    ``least`` and ``most`` are those of what f reads in the samples; ``floor`` is what it never is below.
    """

    function: onnx.FunctionProto
    factor: float
    summand: float
    exponent: float
    least: float
    most: float
    floor: float


def power(reader: Reader, name: str) -> Power | None:
    """The power that a formula is, of what is above 0 in all samples."""
    formula, floats = reader.formulas.get(name), reader.floats
    if formula is None or formula.exact or formula.root not in floats.least:
        return None
    factor, summand, at, chain = 1.0, 0.0, formula.root, list(formula.chain)
    while chain and (names := [reader.find(i) for i in chain[0].input]).count(at) == 1:
        op = chain[0].op_type
        if op not in ("Add", "Sub", "Mul", "Div", "Neg") or (op == "Div" and names[0] != at):
            break
        if floats.varies.intersection(names) != {at}:
            break
        value = 0.0 if op == "Neg" else float(reader.real(next(i for i in names if i != at)).reshape(()))
        if op in ("Mul", "Div", "Neg"):
            scale = {"Mul": value, "Div": 1 / value if value else math.inf, "Neg": -1.0}[op]
            factor, summand = factor * scale, summand * scale
        elif op == "Add":
            summand += value
        else:
            sign = 1 if names[0] == at else -1
            factor, summand = sign * factor, sign * (summand - value)
        at = reader.find(chain.pop(0).output[0])
    made = {at} | {o for node in chain for o in node.output}
    read = {reader.find(i) for node in chain for i in node.input} & floats.varies
    if not chain or not read <= made or factor == 0 or not math.isfinite(factor):
        return None
    least, most = sorted(factor * bound[formula.root] + summand for bound in (floats.least, floats.most))
    if not 0 < least < math.inf:
        return None
    function = onnx.FunctionProto.FromString(body(reader, at, chain))
    points = np.geomspace(least / 16, 16 * most, 33)
    values, beyond = (applied(function, points * scale).astype(np.float64) for scale in (1, 4))
    if not np.isfinite([values, beyond]).all() or np.allclose(values, values[0]):
        return None
    floor = summand if factor > 0 and formula.root in reader.nonnegative else 0.0
    for exponent in (-1.0, -0.5, 0.5):
        if np.allclose(beyond, values * 4**exponent, 2.0**-18, 0):
            return Power(function, factor, summand, exponent, least, most, floor)
    if np.ptp(beyond - values) < 2.0**-18 * np.abs(values).max():
        return Power(function, factor, summand, 0.0, least, most, floor)
    return None
