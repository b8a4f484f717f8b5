"""The nodes of ``net.q.onnx``, one step after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .._errors import Invalid
from ._floats import alone, attributes_of, label, refuse
from ._plan import SHIFT, Plan
from ._read import RESHAPES, Step
from ._tables import tabulated
from .reference import FORMAT, PUBLIC, TABLE

# No shift is longer.
LONGEST = 32
# The largest weight of a layer has at least as many bits, if a longer shift can give them.
LEAST = 10
# Operands that are sums are rounded beyond so many bits, or so many more than their range asks for.
WIDE, FINE = 20, 4


@dataclass
class Written:
    """A tensor of the new file: ``bits`` bound its integers."""

    name: str
    exponent: int
    degree: int
    bits: float
    held: bool = False


def _lines(index: np.ndarray, read: tuple[int, ...]) -> dict[int, np.ndarray] | None:
    """The places along each axis that changes, if flat indices into a shape ``read`` are a grid of such."""
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
        self.functions: list[onnx.FunctionProto] = []
        self.tables: dict[tuple[bytes, bytes], str] = {}
        self.written: dict[str, Written] = {}
        self.names: set[str] = set()
        self.node_names: set[str] = set()
        for name in self.floats.inputs:
            self.names.add(name)
        for name in plan.order:
            if name in self.floats.inputs:
                exponent = plan.exponents[name]
                self.written[name] = self.round(
                    name, Written(name, exponent, 1, 15), f"{name}/real", exponent
                )
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

    def node(
        self, op: str, inputs: list[str], output: str, name: str, domain: str = "", **attributes: Any
    ) -> str:
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

    def integers(self, name: str, values: Any, exponent: int, bits: int) -> tuple[str, int, int]:
        """Integers of a constant, coarser where they would be larger: its tensor, exponent and bits."""
        values = np.asarray(values, np.float64)
        while np.abs(np.rint(np.ldexp(values, exponent))).max(initial=0) >= 2 ** (bits - 1):
            exponent -= 1
        integers = np.rint(np.ldexp(values, exponent)).astype(np.int64)
        kind = next(
            k for k in (np.int8, np.int16, np.int32) if np.abs(integers).max(initial=0) <= np.iinfo(k).max
        )
        stored = self.initialiser(name, integers.astype(kind))
        real = self.node(
            "DequantizeLinear", [stored, self.scale(exponent)], f"{stored}/real", f"{stored}/real"
        )
        return real, exponent, 8 * np.dtype(kind).itemsize

    # Roundings, and functions.

    def round(self, name: str, x: Written, output: str, exponent: int) -> Written:
        q = self.node(
            "QuantizeLinear", [x.name, self.scale(exponent), self.zero()], f"{name}/q", f"{name}/round"
        )
        real = self.node("DequantizeLinear", [q, self.scale(exponent)], output, f"{name}/real")
        return Written(real, exponent, 1, 15, True)

    def hold(self, name: str, exact: bool = False) -> Written:
        x, exponent = self.written[name], self.plan.exponents[name]
        if x.held and not (exact and x.exponent != exponent):
            return x
        if x.exponent < exponent:
            x = self.multiply(f"{name}/finer", x, 1.0, exponent - x.exponent)
        if x.exponent - exponent > LONGEST:
            raise Invalid(
                f"{name!r} would be rounded by {x.exponent - exponent} bits: its range is too uneven"
            )
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
        function = onnx.FunctionProto.FromString(formula)
        table = tabulated(function, x.exponent, exponent, self.plan.bits)
        key = (formula, table.tobytes())
        if key not in self.tables:
            ops = [node.op_type for node in function.node if node.op_type != "Constant"]
            function.name = self.unique("_".join(ops[:4]), self.names).replace("/", "_")
            self.initialisers[f"{TABLE}/{function.name}"] = table
            self.functions.append(function)
            self.tables[key] = function.name
        looked = self.node(
            self.tables[key], [x.name], f"{name}/function", label(self.reader.formulas[name].chain[-1]), TABLE
        )
        return self.round(name, Written(looked, exponent, 1, 15), name, exponent)

    # Steps. A sum is named `<tensor>/sum`, since the rounded one has the tensor's name.

    def sum(
        self, step: Step, op: str, inputs: list[str], exponent: int, degree: int, bits: float, **more: Any
    ) -> Written:
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
        result = self.layer(step, "MatMul", step.weight.shape[-2 if step.weight.ndim > 1 else 0])
        return result if bias is None else self.shifted(step, result, bias)

    def LeftMatMul(self, step: Step) -> Written:
        assert step.weight is not None
        x = self.operand(step.inputs[0])
        w, e, bits = self.weight(step, x, step.weight, 0)
        return self.sum(
            step, "MatMul", [w, x.name], x.exponent + e, 2, x.bits + bits + math.log2(step.weight.shape[-1])
        )

    def Product(self, step: Step) -> Written:
        x, y = map(self.operand, step.inputs if len(step.inputs) == 2 else step.inputs * 2)
        bits = (
            x.bits
            + y.bits
            + (math.log2(self.floats.shapes[step.inputs[0]][-1]) if step.attributes["op"] == "MatMul" else 0)
        )
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
        for needed in range(exponent, exponent + SHIFT):
            exact = np.ldexp(factors, needed)
            if (np.abs(np.rint(exact) / exact - 1) <= 2.0**-15).all():
                break
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
        return self.sum(
            step, "Add", [x.name, b], exponent, max(x.degree, int(values.ndim > 0)), max(x.bits, 31) + 1
        )

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
        result = self.sum(
            step,
            "Concat",
            [x.name for x in parts],
            exponent,
            max(x.degree for x in parts),
            bits,
            **step.attributes,
        )
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
        return self.sum(
            step,
            "ReduceSum",
            [x.name, axes],
            x.exponent,
            x.degree,
            bits,
            keepdims=step.attributes["keepdims"],
        )

    def averaged(self, step: Step) -> Written:
        """What an average reads: rounded, if its sums are too fine to be multiplied by a fraction as well."""
        x = self.written[step.inputs[0]]
        needed = self.precision(step, Written("", -64, 1, 15), np.atleast_1d(np.asarray(step.weight)))
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
        result = self.sum(
            step, "Conv", [x.name, w], x.exponent + e, x.degree, x.bits + bits + 8, **step.attributes
        )
        if factors.ndim == 0:
            return result
        c, e, bits = self.integers(
            f"{PUBLIC}{step.name}/factors", factors, self.precision(step, result, factors), 24
        )
        return self.sum(step, "Mul", [result.name, c], result.exponent + e, result.degree, result.bits + bits)

    def move(
        self, step: Step, op: str, inputs: list[str], x: Written | None = None, **attributes: Any
    ) -> Written:
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
        """Any other node that only moves: it is run on indices, which are taken axis by axis, or all at once."""
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
                x = self.move(
                    step, "Slice", [self.indices(f"{name}/{end}", [value]) for end, value in ends], x
                )
            else:
                x = self.move(step, "Gather", [self.indices(name, line)], x, axis=axis)
        return x

    def model(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, self.floats.shapes[name])
            for name in self.floats.inputs
        ]
        outputs = []
        for name in self.plan.outputs:
            kind = (
                TensorProto.INT64
                if name in self.plan.makers and self.plan.makers[name].kind == "ArgMax"
                else TensorProto.FLOAT
            )
            outputs.append(
                helper.make_tensor_value_info(self.written[name].name, kind, self.floats.shapes[name])
            )
        constants = [
            numpy_helper.from_array(np.ascontiguousarray(v).reshape(v.shape), k)
            for k, v in self.initialisers.items()
        ]
        graph = helper.make_graph(self.nodes, "network", inputs, outputs, constants)
        opsets = [helper.make_opsetid("", 21)] + [helper.make_opsetid(TABLE, 1)] * bool(self.functions)
        model = helper.make_model(
            graph, opset_imports=opsets, functions=self.functions, ir_version=10, producer_name="volery"
        )
        helper.set_model_props(model, {"volery.format": FORMAT})
        return model
