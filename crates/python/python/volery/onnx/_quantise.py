"""From floats to integers: ``net.q.onnx`` of a float ONNX file and samples of what it reads.

The float file is run on the samples, which gives the range of each tensor. Batch normalisation and other constant
factors and summands of channels go into the weights before them, in float64. Whatever depends on one tensor, element by
element, with constant scalars, is a function: one table for each formula. All else is linear, or a product of two
tensors, and rounded only where somebody asks for 16 bits: a table, a maximum, a product, an output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .._errors import Invalid
from ._floats import Floats, Samples, alone, attributes_of, each, label, refuse, session_of
from ._read import RESHAPES, Reader, Step
from .reference import FORMAT, PUBLIC, TABLE, Network, Overflow

# Sums are 2^16 times finer than what they are rounded to, and a shift has at most 32 bits.
SHIFT, LONGEST = 16, 32
# Places of one formula share a table if their exponents differ by no more.
SPREAD = 4
# The largest weight of a layer has at least as many bits, if a longer shift can give them.
LEAST = 10
# Operands of products that are sums: beyond so many bits, or so many more than their range asks for, they are rounded.
WIDE, FINE = 20, 4
HOLDS = {"Max", "MaxPool", "ReduceMax", "ArgMax"}
FACTORS = {"Conv", "ConvTranspose", "MatMul", "LeftMatMul", "Product"}
PASSING = {"Add", "Sub", "Concat", "Places", "Pad", "ReduceSum"}


@dataclass
class Written:
    """A tensor of the new file: ``bits`` bound its integers."""

    name: str
    exponent: int
    degree: int
    bits: float
    held: bool = False


class Plan:
    """Which tensors are rounded, to which exponents, and how fine sums are made."""

    def __init__(self, reader: Reader, room: float, bits: int):
        self.reader, self.floats, self.bits = reader, reader.floats, bits
        self.makers = {step.output: step for step in reader.steps}
        self.outputs = [reader.find(name) for name in self.floats.outputs]
        self.order = self._order()
        self.readers: dict[str, list[Step]] = {}
        for step in self.steps():
            for name in step.inputs:
                self.readers.setdefault(name, []).append(step)
        self.tables = [name for name in self.order if self.looked_up(name)]
        self.bodies = {name: body(reader, name) for name in self.tables}
        self.exponents = self._exponents(room)
        self.rounded = self._rounded()
        self.wanted = self._wanted()

    def looked_up(self, name: str) -> bool:
        formula = self.reader.formulas.get(name)
        return formula is not None and not formula.linear

    def steps(self) -> list[Step]:
        return [self.makers[name] for name in self.order if name in self.makers and not self.looked_up(name)]

    def _inputs(self, name: str) -> list[str]:
        if self.looked_up(name):
            return [self.reader.formulas[name].root]
        return self.makers[name].inputs if name in self.makers else []

    def _order(self) -> list[str]:
        """The tensors that outputs depend on, each behind what it is made of."""
        done: dict[str, None] = {}
        asked = list(self.outputs)[::-1]
        while asked:
            missing = [name for name in self._inputs(asked[-1]) if name not in done]
            if missing:
                asked += missing
            else:
                done[asked.pop()] = None
        return list(done)

    def _exponents(self, room: float) -> dict[str, int]:
        """⌊log2(2^15 / (room · largest))⌋, and the coarsest one among tensors that have to share theirs."""
        exponents = {}
        for name in self.order:
            largest = max(self.floats.largest.get(name, 0.0), 2.0**-20)
            exponents[name] = math.floor(math.log2((2 ** (self.bits - 1) - 1) / (room * largest)))
        parent = {name: name for name in self.order}

        def find(name: str) -> str:
            while parent[name] != name:
                name = parent[name]
            return name

        for step in self.steps():
            if step.kind in ("Places", "Pad", "Max", "MaxPool", "ReduceMax"):
                for name in step.inputs:
                    parent[find(name)] = find(step.output)
        places: dict[bytes, list[str]] = {}
        for name in self.tables:
            places.setdefault(self.bodies[name], []).append(name)
        for names in places.values():
            root = {name: self.reader.formulas[name].root for name in names}
            names.sort(key=lambda name: exponents[root[name]])
            first = names[0]
            for name in names[1:]:
                if exponents[root[name]] > exponents[root[first]] + SPREAD:
                    first = name
                parent[find(name)] = find(first)
                parent[find(root[name])] = find(root[first])
        coarsest: dict[str, int] = {}
        for name in self.order:
            coarsest[find(name)] = min(coarsest.get(find(name), exponents[name]), exponents[name])
        return {name: coarsest[find(name)] for name in self.order}

    def _rounded(self) -> set[str]:
        asked = {self.reader.formulas[name].root for name in self.tables} | set(self.outputs)
        asked |= {name for step in self.steps() if step.kind in HOLDS for name in step.inputs}
        factors = {name for step in self.steps() if step.kind in FACTORS for name in step.inputs}
        degrees: dict[str, int] = {}
        held: dict[str, bool] = {}
        rounded = set()
        for name in self.order:
            step = self.makers.get(name)
            if step is None or self.looked_up(name):
                degrees[name], held[name] = 1, True
                continue
            tensor_factor = step.kind == "Affine" and step.weight is not None and step.weight.size > 1
            if tensor_factor and degrees[step.inputs[0]] == 2:
                rounded.add(step.inputs[0])
            degrees[name] = 2 if step.kind in FACTORS or tensor_factor else max(degrees[i] for i in step.inputs)
            held[name] = step.kind in HOLDS or (step.kind in ("Places", "Pad") and held[step.inputs[0]])
            if (name in asked and not held[name]) or (name in factors and degrees[name] == 2):
                rounded.add(name)
                degrees[name], held[name] = 1, True
        return rounded

    def _wanted(self) -> dict[str, int]:
        """The exponent of each sum: 16 more than what it is rounded to in the end."""
        wanted: dict[str, int] = {}
        for name in reversed(self.order):
            wanted[name] = own = SHIFT + self.exponents[name]
            readers = self.readers.get(name, [])
            if name not in self.rounded and readers and readers[0].kind in PASSING:
                wanted[name] = max(wanted[readers[0].output], own - 6)
        return wanted


def body(reader: Reader, name: str) -> bytes:
    """The nodes of a function as a ``FunctionProto``, the same for the same formula."""
    formula = reader.formulas[name]
    names, nodes = {formula.root: "x", reader.find(formula.root): "x"}, []
    for node in formula.chain:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.name = copy.doc_string = ""
        found = attributes_of(node)
        inputs = []
        for operand in map(reader.find, node.input):
            if operand and operand not in names:
                value = reader.constant(operand).reshape([])
                nodes.append(helper.make_node("Constant", [], [f"c{len(nodes)}"], value=numpy_helper.from_array(value)))
                inputs.append(nodes[-1].output[0])
            else:
                inputs.append(names.get(operand, ""))
        if node.op_type == "Clip" and len(inputs) == 1 and found:
            # Its bounds were attributes before opset 11.
            del copy.attribute[:]
            for bound in ("min", "max"):
                value = numpy_helper.from_array(np.float32(found.get(bound, math.inf if bound == "max" else -math.inf)))
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


def tabulated(function: onnx.FunctionProto, key: int, exponent: int, bits: int) -> np.ndarray:
    """The table: the nearest integers of what onnxruntime makes of each key, within the bits; no number is 0."""
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])
    graph = helper.make_graph(function.node, "table", [info], [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    half = 1 << (bits - 1)
    keys = np.ldexp(np.arange(-half, half, dtype=np.float64), -key).astype(np.float32)
    values = np.ldexp(session_of(model).run(None, {"x": keys})[0].astype(np.float64), exponent)
    return np.clip(np.rint(np.nan_to_num(values, nan=0.0)), -half, half - 1).astype(np.int16)


def _lines(index: np.ndarray, read: tuple[int, ...]) -> dict[int, np.ndarray] | None:
    """The places along each axis that changes, if flat indices of a tensor of shape ``read`` are a grid of such."""
    if index.ndim != len(read):
        return None
    lines = []
    for axis, places in enumerate(np.unravel_index(index, read)):
        line = np.moveaxis(places, axis, 0)
        if (line != line[(slice(None), *[slice(1)] * (len(read) - 1))]).any():
            return None
        lines.append(line.reshape(len(line), -1)[:, 0])
    return {axis: line for axis, line in enumerate(lines) if not np.array_equal(line, np.arange(read[axis]))}


class Writer:
    """Writes the nodes of a plan, and remembers what each tensor became."""

    def __init__(self, plan: Plan):
        self.plan, self.floats, self.reader = plan, plan.floats, plan.reader
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: dict[str, np.ndarray] = {}
        self.functions: dict[bytes, onnx.FunctionProto] = {}
        self.tables: dict[tuple[bytes, int, int], str] = {}
        self.written: dict[str, Written] = {}
        self.names: set[str] = set()
        self.node_names: set[str] = set()
        for name in self.floats.inputs:
            self.names.add(name)
        for name in plan.order:
            if name in self.floats.inputs:
                exponent = plan.exponents[name]
                self.written[name] = self.round(name, Written(name, exponent, 1, 15), f"{name}/real", exponent)
            elif plan.looked_up(name):
                self.written[name] = self.look_up(name)
            else:
                step = plan.makers[name]
                self.written[name] = getattr(self, step.kind)(step)
                if name in plan.rounded:
                    self.hold(name)
        for name in plan.outputs:
            if plan.makers[name].kind != "ArgMax" if name in plan.makers else True:
                self.hold(name)

    # Names, nodes, constants.

    @staticmethod
    def unique(name: str, taken: set[str]) -> str:
        fresh, n = name, 1
        while fresh in taken:
            n += 1
            fresh = f"{name}/{n}"
        taken.add(fresh)
        return fresh

    def node(self, op: str, inputs: list[str], output: str, name: str, domain: str = "", **attributes: Any) -> str:
        output = self.unique(output, self.names)
        name = self.unique(name, self.node_names)
        self.nodes.append(helper.make_node(op, inputs, [output], name=name, domain=domain, **attributes))
        return output

    def initialiser(self, name: str, value: np.ndarray) -> str:
        name = self.unique(name, self.names)
        self.initialisers[name] = value
        return name

    def indices(self, name: str, values: Any) -> str:
        return self.initialiser(name, np.asarray(values, np.int64))

    def scale(self, exponent: int) -> str:
        if not -120 <= exponent <= 120:
            raise Invalid(f"values near 2^{-exponent} are too small or too large for float32")
        name = f"2^{-exponent}"
        if name not in self.initialisers:
            self.names.add(name)
            self.initialisers[name] = np.array(np.ldexp(1.0, -exponent), np.float32)
        return name

    def zero(self) -> str:
        if "zero" not in self.initialisers:
            self.initialiser("zero", np.array(0, np.int16))
        return "zero"

    def integers(self, name: str, values: np.ndarray, exponent: int, bits: int) -> tuple[str, int, int]:
        """Integers of a constant, coarser where they would be larger: its tensor, exponent and bits."""
        values = np.asarray(values, np.float64)
        while np.abs(np.rint(np.ldexp(values, exponent))).max(initial=0) >= 2 ** (bits - 1):
            exponent -= 1
        integers = np.rint(np.ldexp(values, exponent)).astype(np.int64)
        kind = next(k for k in (np.int8, np.int16, np.int32) if np.abs(integers).max(initial=0) <= np.iinfo(k).max)
        stored = self.initialiser(name, integers.astype(kind))
        real = self.node("DequantizeLinear", [stored, self.scale(exponent)], f"{stored}/real", f"{stored}/real")
        return real, exponent, 8 * np.dtype(kind).itemsize

    # Roundings, and functions.

    def round(self, name: str, x: Written, output: str, exponent: int) -> Written:
        q = self.node("QuantizeLinear", [x.name, self.scale(exponent), self.zero()], f"{name}/q", f"{name}/round")
        real = self.node("DequantizeLinear", [q, self.scale(exponent)], output, f"{name}/real")
        return Written(real, exponent, 1, 15, True)

    def hold(self, name: str, exact: bool = False) -> Written:
        x, exponent = self.written[name], self.plan.exponents[name]
        if x.held and not (exact and x.exponent != exponent):
            return x
        if x.exponent < exponent:
            x = self.multiply(f"{name}/finer", x, 1.0, exponent - x.exponent)
        if x.exponent - exponent > LONGEST:
            raise Invalid(f"{name!r} would be rounded by {x.exponent - exponent} bits: its range is too uneven")
        self.written[name] = self.round(name, x, name, exponent)
        return self.written[name]

    def operand(self, name: str) -> Written:
        x = self.written[name]
        if x.degree > 1 or x.bits > WIDE or x.exponent > self.plan.exponents[name] + FINE:
            return self.hold(name)
        return x

    def look_up(self, name: str) -> Written:
        root, exponent = self.reader.formulas[name].root, self.plan.exponents[name]
        x, formula = self.hold(root, exact=True), self.plan.bodies[name]
        key = (formula, x.exponent, exponent)
        if key not in self.tables:
            function = onnx.FunctionProto.FromString(formula)
            ops = [node.op_type for node in function.node if node.op_type != "Constant"]
            function.name = self.unique("_".join(ops[:4]), self.names).replace("/", "_")
            table = tabulated(function, x.exponent, exponent, self.plan.bits)
            self.initialisers[f"{TABLE}/{function.name}"] = table
            self.functions[function.name.encode()] = function
            self.tables[key] = function.name
        looked = self.node(self.tables[key], [x.name], f"{name}/function", label(self.reader.formulas[name].chain[-1]), TABLE)
        return self.round(name, Written(looked, exponent, 1, 15), name, exponent)

    # Steps. A sum is named `<tensor>/sum`, since the rounded one has the tensor's name.

    def sum(self, step: Step, op: str, inputs: list[str], exponent: int, degree: int, bits: float, **more: Any) -> Written:
        return Written(self.node(op, inputs, f"{step.output}/sum", step.name, **more), exponent, degree, bits)

    def weight(self, step: Step, x: Written, values: np.ndarray, which: int = 1) -> tuple[str, int, int]:
        exponent = self.plan.wanted[step.output] - x.exponent
        largest = float(np.abs(values).max(initial=0))
        if largest:
            least = math.ceil(LEAST - math.log2(largest))
            longest = LONGEST + self.plan.exponents[step.output] - x.exponent - 2
            exponent = max(exponent, min(least, longest))
        name = step.node.input[which] if len(step.node.input) > which else ""
        return self.integers(name or f"{step.name}/weight", values, exponent, 24)

    def bias(self, step: Step, values: np.ndarray, exponent: int) -> tuple[str, int]:
        name = step.node.input[2] if len(step.node.input) > 2 else ""
        return self.integers(name or f"{step.name}/bias", values, exponent, 32)[:2]

    def layer(self, step: Step, op: str, terms: int, **attributes: Any) -> Written:
        assert step.weight is not None
        x = self.operand(step.inputs[0])
        w, e, bits = self.weight(step, x, step.weight)
        inputs, exponent = [x.name, w], x.exponent + e
        if step.bias is not None:
            b, e = self.bias(step, step.bias, exponent)
            inputs.append(b)
        return self.sum(step, op, inputs, max(exponent, e) if step.bias is not None else exponent, 2,
                        x.bits + bits + math.log2(terms) + 1, **attributes)  # fmt: skip

    def Conv(self, step: Step) -> Written:
        assert step.weight is not None
        return self.layer(step, "Conv", math.prod(step.weight.shape[1:]), **step.attributes)

    def ConvTranspose(self, step: Step) -> Written:
        assert step.weight is not None
        return self.layer(step, "ConvTranspose", step.weight.size, **step.attributes)

    def MatMul(self, step: Step) -> Written:
        assert step.weight is not None
        if len(self.floats.shapes[step.inputs[0]]) == 2 and step.weight.ndim == 2:
            return self.layer(step, "Gemm", step.weight.shape[0])
        bias, step.bias = step.bias, None
        result = self.layer(step, "MatMul", step.weight.shape[-2])
        return result if bias is None else self.shifted(step, result, bias)

    def LeftMatMul(self, step: Step) -> Written:
        assert step.weight is not None
        x = self.operand(step.inputs[0])
        w, e, bits = self.weight(step, x, step.weight, 0)
        return self.sum(step, "MatMul", [w, x.name], x.exponent + e, 2, x.bits + bits + math.log2(step.weight.shape[-1]))

    def Product(self, step: Step) -> Written:
        x, y = map(self.operand, step.inputs if len(step.inputs) == 2 else step.inputs * 2)
        bits = x.bits + y.bits + (math.log2(self.floats.shapes[step.inputs[0]][-1]) if step.attributes["op"] == "MatMul" else 0)
        return self.sum(step, step.attributes["op"], [x.name, y.name], x.exponent + y.exponent, 2, bits)

    def multiply(self, name: str, x: Written, factor: float, exponent: int) -> Written:
        """A product by a public scalar, of this exponent."""
        c, e, bits = self.integers(f"{PUBLIC}{name}", np.float64(factor), exponent, 24)
        product = self.node("Mul", [x.name, c], f"{name}/product", f"{name}/factor")
        more = math.log2(max(abs(np.rint(np.ldexp(factor, e))), 1))
        return Written(product, x.exponent + e, x.degree, x.bits + more)

    def precision(self, step: Step, x: Written, factors: np.ndarray) -> int:
        """The exponent of public factors: exact to 2^−15 of the smallest, if no shift of 32 bits forbids."""
        least = LONGEST + self.plan.exponents[step.output] - x.exponent
        exponent = -math.floor(math.log2(np.abs(factors).min()))
        needed = next((e for e in range(exponent, exponent + 16)
                       if (np.abs(np.rint(np.ldexp(factors, e)) / np.ldexp(factors, e) - 1) <= 2.0**-15).all()), exponent + 16)  # fmt: skip
        return min(needed, max(least, exponent))

    def scaled(self, step: Step, x: Written, factor: float) -> Written:
        if factor == 0:
            return self.multiply(step.name, x, 0.0, 0)
        return self.multiply(step.name, x, factor, self.precision(step, x, np.array([factor])))

    def shifted(self, step: Step, x: Written, values: np.ndarray) -> Written:
        values = np.asarray(values)
        name = f"{PUBLIC}{step.name}/bias" if values.ndim == 0 else f"{step.name}/bias"
        b, e, _ = self.integers(name, values, x.exponent, 32)
        exponent = max(e, x.exponent)
        return self.sum(step, "Add", [x.name, b], exponent, max(x.degree, int(values.ndim > 0)), max(x.bits, 31) + 1)

    def Affine(self, step: Step) -> Written:
        x = self.written[step.inputs[0]]
        if step.weight is not None and step.weight.ndim == 0:
            x = self.scaled(step, x, float(step.weight))
        elif step.weight is not None:
            x = self.operand(step.inputs[0])
            w, e, bits = self.weight(step, x, step.weight)
            x = self.sum(step, "Mul", [x.name, w], x.exponent + e, 2, x.bits + bits)
        return x if step.bias is None else self.shifted(step, x, step.bias)

    def both(self, step: Step) -> Written:
        x, y = (self.written[name] for name in step.inputs)
        exponent = max(x.exponent, y.exponent)
        bits = max(z.bits + exponent - z.exponent for z in (x, y)) + 1
        return self.sum(step, step.kind, [x.name, y.name], exponent, max(x.degree, y.degree), bits)

    Add = Sub = both

    def Concat(self, step: Step) -> Written:
        parts = [self.written[name] for name in step.inputs]
        exponent, held = max(x.exponent for x in parts), all(x.held for x in parts)
        held = held and all(x.exponent == exponent for x in parts)
        bits = max(x.bits + exponent - x.exponent for x in parts)
        result = self.sum(step, "Concat", [x.name for x in parts], exponent, max(x.degree for x in parts), bits, **step.attributes)
        result.held = held
        return result

    def maximum(self, step: Step, extra: list[str], **attributes: Any) -> Written:
        parts = [self.hold(name, exact=step.kind == "Max") for name in step.inputs]
        output = self.node(step.kind, [x.name for x in parts] + extra, step.output, step.name, **attributes)
        return Written(output, parts[0].exponent, 1, 15, True)

    def Max(self, step: Step) -> Written:
        return self.maximum(step, [])

    def MaxPool(self, step: Step) -> Written:
        return self.maximum(step, [], **step.attributes)

    def ArgMax(self, step: Step) -> Written:
        return self.maximum(step, [], **step.attributes)

    def ReduceMax(self, step: Step) -> Written:
        axes = self.indices(f"{step.name}/axes", step.attributes["axes"])
        return self.maximum(step, [axes], keepdims=step.attributes["keepdims"])

    def ReduceSum(self, step: Step) -> Written:
        x, axes = self.written[step.inputs[0]], self.indices(f"{step.name}/axes", step.attributes["axes"])
        count = math.prod(self.floats.shapes[step.inputs[0]][axis] for axis in step.attributes["axes"])
        bits = x.bits + math.log2(count)
        return self.sum(step, "ReduceSum", [x.name, axes], x.exponent, x.degree, bits, keepdims=step.attributes["keepdims"])

    def averaged(self, step: Step) -> Written:
        """What an average reads: rounded, if its sums are too fine to be multiplied by a fraction as well."""
        x = self.written[step.inputs[0]]
        needed = self.precision(step, Written("", -64, 1, 15), np.atleast_1d(step.weight))
        if x.exponent + min(needed, SHIFT) - self.plan.exponents[step.output] > LONGEST:
            return self.hold(step.inputs[0])
        return x

    def Mean(self, step: Step) -> Written:
        self.averaged(step)
        assert step.weight is not None
        return self.scaled(step, self.ReduceSum(step), float(step.weight))

    def AveragePool(self, step: Step) -> Written:
        x, factors = self.averaged(step), step.weight
        assert factors is not None
        ones = np.ones((step.attributes["group"], 1, *step.attributes["kernel_shape"]))
        if factors.ndim == 0:
            exponent = self.precision(step, x, np.atleast_1d(factors))
            w, e, bits = self.integers(f"{PUBLIC}{step.name}/kernel", ones * factors, exponent, 24)
        else:
            w, e, bits = self.integers(f"{PUBLIC}{step.name}/kernel", ones, 0, 24)
        result = self.sum(step, "Conv", [x.name, w], x.exponent + e, x.degree, x.bits + bits + 8, **step.attributes)
        if factors.ndim == 0:
            return result
        c, e, bits = self.integers(f"{PUBLIC}{step.name}/factors", factors, self.precision(step, result, factors), 24)
        return self.sum(step, "Mul", [result.name, c], result.exponent + e, result.degree, result.bits + bits)

    def move(self, step: Step, op: str, inputs: list[str], x: Written | None = None, **attributes: Any) -> Written:
        """Other places of the same integers; ``x`` is what is read, if not the step's input."""
        x = x or self.written[step.inputs[0]]
        name = step.output if x.held else f"{step.output}/sum"
        output = self.node(op, [x.name, *inputs], name, step.name, **attributes)
        return Written(output, x.exponent, x.degree, x.bits, x.held)

    def Pad(self, step: Step) -> Written:
        pads = self.indices(f"{step.name}/pads", step.attributes["pads"])
        return self.move(step, "Pad", [pads, "", self.indices(f"{step.name}/axes", step.attributes["axes"])])

    def Places(self, step: Step) -> Written:
        node, made = step.node, self.floats.shapes[step.output]
        a = attributes_of(node)
        if node.op_type in RESHAPES:
            return self.move(step, "Reshape", [self.indices(f"{step.name}/shape", made)])
        if node.op_type == "Transpose":
            return self.move(step, "Transpose", [], perm=list(a.get("perm", range(len(made))[::-1])))
        if node.op_type == "Expand":
            return self.move(step, "Expand", [self.indices(f"{step.name}/shape", made)])
        if node.op_type == "Gather":
            places = self.indices(f"{step.name}/indices", self.reader.constant(node.input[1]))
            return self.move(step, "Gather", [places], axis=a.get("axis", 0))
        return self.places(step)

    def places(self, step: Step) -> Written:
        """Any other node that only moves: it is run on indices, which are then taken axis by axis, or all at once."""
        node, read = step.node, self.floats.shapes[step.inputs[0]]
        real = node.op_type in ("Resize", "Upsample")
        if real and (math.prod(read) >= 1 << 24 or attributes_of(node).get("mode", "nearest") != "nearest"):
            raise refuse(node, "only the mode nearest is supported")
        index = np.arange(math.prod(read)).reshape(read)
        others = [self.floats.constants[name] if name else None for name in node.input[1:]]
        index = alone(node, self.floats.opset, index.astype(np.float32 if real else np.int64), *others,
                      which=step.attributes["which"]).astype(np.int64)  # fmt: skip
        lines = _lines(index, read)
        if lines is None:
            flat = self.move(step, "Reshape", [self.indices(f"{step.name}/flat", [-1])])
            return self.move(step, "Gather", [self.indices(f"{step.name}/indices", index)], flat, axis=0)
        x = self.written[step.inputs[0]]
        for axis, line in lines.items():
            name = f"{step.name}/axis{axis}"
            if (np.diff(line) == 1).all():
                ends = [("start", line[0]), ("end", line[-1] + 1), ("axis", axis)]
                x = self.move(step, "Slice", [self.indices(f"{name}/{end}", [value]) for end, value in ends], x)
            else:
                x = self.move(step, "Gather", [self.indices(name, line)], x, axis=axis)
        return x

    def model(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, self.floats.shapes[name]) for name in self.floats.inputs
        ]
        outputs = []
        for name in self.plan.outputs:
            kind = TensorProto.INT64 if name in self.plan.makers and self.plan.makers[name].kind == "ArgMax" else TensorProto.FLOAT
            outputs.append(helper.make_tensor_value_info(self.written[name].name, kind, self.floats.shapes[name]))
        constants = [numpy_helper.from_array(np.ascontiguousarray(v).reshape(v.shape), k) for k, v in self.initialisers.items()]
        graph = helper.make_graph(self.nodes, "network", inputs, outputs, constants)
        opsets = [helper.make_opsetid("", 21)] + [helper.make_opsetid(TABLE, 1)] * bool(self.functions)
        model = helper.make_model(
            graph, opset_imports=opsets, functions=list(self.functions.values()), ir_version=10, producer_name="volery"
        )
        helper.set_model_props(model, {"volery.format": FORMAT})
        return model


class Quantised(Network):
    """A network that was just made of floats: ``floats`` is what it was made of."""

    floats: Floats
    source: Any

    def __init__(self, model: onnx.ModelProto, floats: Floats):
        super().__init__(model)
        self.floats = floats


def quantise(
    source: str | PathLike[str] | onnx.ModelProto,
    samples: Samples,
    room: float = 4,
    *,
    out: str | PathLike[str] | None = None,
    until: str | None = None,
    bits: int = 16,
) -> Quantised:
    """A network of integers, of the float ONNX file ``source``; ``out`` is where it is written to.

    ``samples`` are what the network is calibrated with: an iterable of arrays or of dictionaries by name, or arrays
    (or an ``.npz``) that stack them. ``room`` is how many times larger than in the samples values may become.
    ``until`` ends the network at a tensor of that name; ``bits`` are those of activations, from 8 to 16.
    """
    if not 8 <= bits <= 16 or room < 1:
        raise Invalid("bits= is from 8 to 16, and room= at least 1")
    floats = Floats(source, until)
    for sample in each(samples, floats.inputs):
        floats.calibrate(sample)
    if not floats.samples:
        raise Invalid("there are no samples: a few dozen of what the network will read")
    model = Writer(Plan(Reader(floats), room, bits)).model()
    if out is not None:
        onnx.save(model, fspath(out))
    return Quantised(model, floats)


@dataclass(frozen=True)
class Accuracy:
    """How integers compare with floats, over samples: ``labels`` are those of which every arg-max is equal.

    ``worst`` is the largest difference of an output, ``largest`` the largest output; ``overflows`` are samples that
    do not fit, with the first error. ``room`` is how many times larger the values that come nearest to overflow might be.
    """

    samples: int
    labels: int
    worst: float
    largest: float
    overflows: int
    room: float
    first: str = ""


def accuracy(net: Network, samples: Samples, source: Any = None) -> Accuracy:
    """Compares a network of integers with the floats that it was made of, or with the file ``source``."""
    if source is None and not isinstance(net, Quantised):
        raise Invalid("which floats? give the float file as source=")
    floats = net.floats if isinstance(net, Quantised) and source is None else Floats(source)
    count = labels = overflows = 0
    worst = largest = 0.0
    room, first = math.inf, ""
    for sample in each(samples, floats.inputs):
        count += 1
        expected = dict(zip(floats.made, floats.session.run(floats.made, dict(sample))))
        try:
            tensors = net.trace(sample)
        except Overflow as error:
            overflows, first = overflows + 1, first or str(error)
            continue
        same = True
        for name, ours in zip(floats.outputs, net.outputs):
            tensor, real = tensors[ours], expected[name]
            values = np.ldexp(tensor.integers.astype(np.float64), -tensor.exponent)
            if tensor.degree == 3:
                same &= bool((values == real).all())
                continue
            same &= bool((values.argmax(-1) == real.argmax(-1)).all()) if real.ndim else True
            worst, largest = max(worst, float(np.abs(values - real).max())), max(largest, float(np.abs(real).max()))
        labels += same
        rounded = (tensors[n.output[0]].integers for n in net.graph.node if n.op_type == "QuantizeLinear")
        room = min([room, *(2.0**15 / max(int(np.abs(q).max(initial=0)), 1) for q in rounded)])
    return Accuracy(count, labels, worst, largest, overflows, room, first)
