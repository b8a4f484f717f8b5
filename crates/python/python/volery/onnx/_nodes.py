"""The nodes of ``net.q.onnx``: names, constants, roundings, tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from onnx import helper

from .._errors import Invalid
from ._file import label
from ._known import Step
from ._plan import SHIFT, Plan
from ._tables import tabulated
from .reference import PUBLIC, TABLE

# No shift is longer.
LONGEST = 32
# The largest weight of a layer has at least as many bits, if a longer shift can give them.
LEAST = 10
# Operands that are sums are rounded beyond so many bits, or so many more than their range asks for.
WIDE, FINE = 20, 4


@dataclass
class Written:
    """A tensor of the new file: ``bits`` bound its integers, and ``factor`` times what they stand for is the float.

    ``wide`` is a function of a sum, whose dynamic range 16 bits would not hold.
    """

    name: str
    exponent: int
    degree: int
    bits: float
    held: bool = False
    factor: float = 1.0
    wide: bool = False


class Nodes:
    """Nodes that are written, and what each tensor of a plan became."""

    def __init__(self, plan: Plan):
        self.plan, self.floats, self.reader = plan, plan.floats, plan.reader
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: dict[str, np.ndarray] = {}
        self.functions: list[onnx.FunctionProto] = []
        self.tables: dict[tuple[bytes, ...], str] = {}
        self.written: dict[str, Written] = {}
        self.names: set[str] = set(self.floats.inputs)
        self.node_names: set[str] = set()

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
        least, most = integers.min(initial=0), integers.max(initial=0)
        kind = next(
            k for k in (np.int8, np.int16, np.int32) if np.iinfo(k).min <= least and most <= np.iinfo(k).max
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

    def real(self, name: str) -> Written:
        """A tensor, multiplied by its factor."""
        x = self.written[name]
        if x.factor != 1:
            factor, x = x.factor, replace(x, factor=1.0)
            x = self.written[name] = self.scaled(f"{name}/scale", name, x, factor)
        return x

    def hold(self, name: str, exact: bool = False) -> Written:
        x, exponent = self.real(name), self.plan.exponents[name]
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
        x = self.real(name)
        if x.degree > 1 or x.bits > WIDE or x.exponent > self.plan.exponents[name] + FINE:
            return self.hold(name)
        return x

    def look_up(self, name: str) -> Written:
        root, exponent = self.reader.formulas[name].root, self.plan.exponents[name]
        x, formula = self.hold(root, exact=True), self.plan.bodies[name]
        function = onnx.FunctionProto.FromString(formula)
        table = tabulated(function, x.exponent, exponent, self.plan.keys(name), self.plan.bits)
        op = self.function(function, TABLE, table)
        looked = self.node(
            op, [x.name], f"{name}/function", label(self.reader.formulas[name].chain[-1]), TABLE
        )
        return self.round(name, Written(looked, exponent, 1, 15), name, exponent)

    def function(self, function: onnx.FunctionProto, domain: str, table: np.ndarray) -> str:
        """The name of a function, and of its table."""
        key = (function.SerializeToString(deterministic=True), table.tobytes())
        if key not in self.tables:
            ops = [node.op_type for node in function.node if node.op_type != "Constant"]
            function.name = self.unique("_".join(ops[:4]), self.names).replace("/", "_")
            self.initialisers[f"{domain}/{function.name}"] = table
            self.functions.append(function)
            self.tables[key] = function.name
        return self.tables[key]

    # Sums. One is named `<tensor>/sum`, since the rounded one has the tensor's name.

    def sum(
        self, step: Step, op: str, inputs: list[str], exponent: int, degree: int, bits: float, **more: Any
    ) -> Written:
        return Written(self.node(op, inputs, f"{step.output}/sum", step.name, **more), exponent, degree, bits)

    def multiply(self, name: str, x: Written, factor: float, exponent: int) -> Written:
        """A product by a public scalar, of this exponent."""
        c, e, bits = self.integers(f"{PUBLIC}{name}", np.float64(factor), exponent, 24)
        product = self.node("Mul", [x.name, c], f"{name}/product", f"{name}/factor")
        more = math.log2(max(abs(np.rint(np.ldexp(factor, e))), 1))
        return Written(product, x.exponent + e, x.degree, x.bits + more)

    def precision(self, output: str, x: Written, factors: np.ndarray) -> int:
        """The exponent of public factors: exact to 2^−15 of the smallest, if no shift of 32 bits forbids."""
        least = LONGEST + self.plan.exponents[output] - x.exponent
        exponent = -math.floor(math.log2(np.abs(factors).min()))
        for needed in range(exponent, exponent + SHIFT):
            exact = np.ldexp(factors, needed)
            if (np.abs(np.rint(exact) / exact - 1) <= 2.0**-15).all():
                break
        return min(needed, max(least, exponent))

    def scaled(self, name: str, output: str, x: Written, factor: float) -> Written:
        if factor == 0:
            return self.multiply(name, x, 0.0, 0)
        return self.multiply(name, x, factor, self.precision(output, x, np.array([factor])))

    def shifted(self, step: Step, x: Written, values: np.ndarray) -> Written:
        values = np.asarray(values)
        name = f"{PUBLIC}{step.name}/bias" if values.ndim == 0 else f"{step.name}/bias"
        b, e, _ = self.integers(name, values, x.exponent, 32)
        exponent = max(e, x.exponent)
        return self.sum(
            step, "Add", [x.name, b], exponent, max(x.degree, int(values.ndim > 0)), max(x.bits, 31) + 1
        )

    def both(self, step: Step) -> Written:
        for name in step.inputs:
            if self.real(name).exponent - self.plan.exponents[step.output] > LONGEST:
                self.hold(name)
        x, y = map(self.real, step.inputs)
        exponent = max(x.exponent, y.exponent)
        bits = max(z.bits + exponent - z.exponent for z in (x, y)) + 1
        return self.sum(step, step.kind, [x.name, y.name], exponent, max(x.degree, y.degree), bits)

    Add = Sub = both
