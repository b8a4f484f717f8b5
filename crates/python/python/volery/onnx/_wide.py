"""Powers of sums, and what they are made for: norms, softmax, divisions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ._file import label, refuse
from ._known import Step
from ._nodes import LONGEST, Nodes, Written
from ._plan import Plan
from ._tables import Power, applied, composed
from .reference import PUBLIC, WIDE

# Sums have fewer bits.
MOST = 59
# A function of a wide value is of so many powers at most.
SPREAD = 15


def _one(factor: float) -> float:
    return 1.0 if abs(factor - 1) < 2.0**-20 else factor


class Wide(Nodes):
    """Steps with powers of sums, whose factors are left until something is rounded."""

    def __init__(self, plan: Plan):
        super().__init__(plan)
        self.totals: dict[tuple[Any, ...], Written] = {}

    def power(self, name: str) -> Written:
        """A function of a sum, by its leading bits and the power that they are of."""
        power, leading, beside = self.plan.power(name), self.plan.bits, self.beside(name)
        assert power is not None
        base = 4 if power.exponent in (-0.5, 0.5) else 2
        first, cofactor = 1 << (leading - base // 2), beside.factor if beside else 1.0
        x, factor, least, most = self.lifted(name, power, first, base)

        def row(value: float) -> int:
            return math.floor(math.log(max(value / first, 1), base))

        last = row(min(most, 2.0 ** min(x.bits, MOST - 1), first * 2.0**48))
        spread = min(SPREAD, max(MOST - 2 - leading - (beside.bits if beside else 0), 8))
        start = max(row(least), last - math.floor(spread))
        # Constants of a power are one factor, so that norms of any length have one table.
        parts = (1.0, _one(cofactor * factor**power.exponent)) if power.exponent else (factor, cofactor)
        function = composed(power.function, *parts)
        values = applied(function, (np.arange(first, base * first) + 0.5) / first).astype(np.float64)
        exponent = math.floor(math.log2((2.0 ** (leading + 1) - 1) / np.abs(values).max()))
        table = np.rint(np.ldexp(values, exponent)).astype(np.int32)
        # The table is of numbers from 1 to the base; these are the bits that they are to be raised by.
        scales = math.log2(first) - x.exponent + np.arange(last + 1) * math.log2(base)
        powers = np.zeros((last + 1, 2), np.int64)
        powers[start:, 0] = 1
        if power.exponent:
            raised = np.rint(power.exponent * scales[start:]).astype(np.int64)
            powers[start:, 0] <<= raised - raised.min()
            exponent -= int(raised.min())
        else:
            ones = applied(function, np.exp2([0.0, *scales[start:]])).astype(np.float64)
            powers[start:, 1] = np.rint(np.ldexp(ones[1:] - ones[0], exponent))
        op, made_by = self.function(function, WIDE, table), label(self.reader.formulas[name].chain[-1])
        inputs = [x.name, self.scale(exponent), self.initialiser(f"{name}/powers", powers)]
        bits = math.log2(max(int(np.abs(table).max()) * int(w) + abs(int(a)) for w, a in powers))
        output = self.node(op, inputs, f"{name}/wide", made_by, WIDE)
        return Written(output, exponent, 1, bits, factor=1 / cofactor, wide=True)

    def lifted(self, name: str, power: Power, first: int, base: int) -> tuple[Written, float, float, float]:
        """The sum that a power is of, above 0 and with all leading bits, its factor, and its least and most integer."""
        x, room = self.written[self.reader.formulas[name].root], self.plan.room**2
        factor, sign = abs(power.factor * x.factor), math.copysign(1, power.factor * x.factor)
        least, most = max(power.least / room, power.floor) / factor, power.most * room / factor
        lift = max(0, min(math.ceil(math.log2(first / least)) - x.exponent, math.floor(MOST - 2 - x.bits)))
        # A root is of an even exponent.
        lift += (lift + x.exponent) % 2 * (base == 4)
        x = replace(x, factor=1.0)
        if lift or sign < 0:
            x = self.multiply(f"{name}/lifted", x, sign, lift)
        if power.summand:
            value = np.float64(power.summand / factor)
            b, _, _ = self.integers(f"{PUBLIC}{name}/summand", value, x.exponent, 32)
            bits = max(x.bits, math.log2(abs(value) + 1) + x.exponent) + 1
            shifted = self.node("Add", [x.name, b], f"{name}/shifted", f"{name}/shifted")
            x = replace(x, name=shifted, bits=bits, held=False)
        return x, factor, math.ldexp(least, x.exponent), math.ldexp(most, x.exponent)

    def beside(self, name: str) -> Written | None:
        """What a tensor is multiplied by, as far as that is known before it is written."""
        for step in self.plan.readers.get(name, []):
            if step.kind == "Places":
                return self.beside(step.output)
            if step.kind == "Product" and len(step.inputs) == 2:
                return self.expected(next(i for i in step.inputs if i != name))
        return None

    def expected(self, name: str) -> Written:
        step = self.plan.makers.get(name)
        if name in self.written:
            return self.written[name]
        if step is not None and step.kind == "Places":
            return self.expected(step.inputs[0])
        x = Written("", self.plan.exponents[name], 1, 15)
        if step is not None and step.kind == "Centre":
            count = math.prod(self.floats.shapes[step.inputs[0]][axis] for axis in step.attributes["axes"])
            return replace(x, bits=x.bits + math.log2(count) + 1, factor=1 / count)
        return x

    def Product(self, step: Step) -> Written:
        names = step.inputs if len(step.inputs) == 2 else step.inputs * 2
        terms = self.floats.shapes[names[0]][-1] if step.attributes["op"] == "MatMul" else 1
        x, y = (self.written[name] for name in names)
        if x.wide or y.wide:
            shift = x.exponent + y.exponent - self.plan.exponents[step.output]
            if x.degree + y.degree > 2 or x.bits + y.bits + math.log2(terms) > MOST - 1 or shift > LONGEST:
                self.hold(names[x.wide])
            x, y = (self.written[name] for name in names)
        else:
            x, y = map(self.operand, names)
        bits = x.bits + y.bits + math.log2(terms)
        result = self.sum(step, step.attributes["op"], [x.name, y.name], x.exponent + y.exponent, 2, bits)
        result.factor = _one(x.factor * y.factor)
        return result

    def counted(self, step: Step, x: Written) -> tuple[int, Written]:
        """The number of the entries of a row, and their sum."""
        axes = step.attributes["axes"]
        count = math.prod(self.floats.shapes[step.inputs[0]][axis] for axis in axes)
        key = (x.name, *axes, step.attributes.get("keepdims", 1))
        if key not in self.totals:
            name, bits = self.indices(f"{step.name}/axes", axes), x.bits + math.log2(count)
            total = self.node(
                "ReduceSum", [x.name, name], f"{step.output}/total", f"{step.name}/total", keepdims=key[-1]
            )
            self.totals[key] = Written(total, x.exponent, 1, bits)
        return count, self.totals[key]

    def Centre(self, step: Step) -> Written:
        """n · x − Σx, which is n times the tensor less its mean."""
        x = self.operand(step.inputs[0])
        count, total = self.counted(step, x)
        each = self.multiply(f"{step.name}/each", x, count, 0)
        result = self.sum(step, "Sub", [each.name, total.name], x.exponent, x.degree, total.bits + 1)
        result.factor = 1 / count
        return result

    def Variance(self, step: Step) -> Written:
        """n · Σx² − (Σx)², which is n² times the variance."""
        x = self.operand(step.inputs[0])
        count, total = self.counted(step, x)
        bits = 2 * total.bits + 1
        if bits > MOST - 1:
            raise refuse(step.node, f"the sum of {count} squares passes 2^59")
        name, out = step.name, step.output
        axes = self.indices(f"{name}/axes", step.attributes["axes"])
        square = self.node("Mul", [x.name, x.name], f"{out}/square", f"{name}/square")
        keep = step.attributes["keepdims"]
        squares = self.node("ReduceSum", [square, axes], f"{out}/squares", f"{name}/squares", keepdims=keep)
        each = self.multiply(
            f"{name}/each", Written(squares, 2 * x.exponent, 2, 2 * x.bits + math.log2(count)), count, 0
        )
        mean = self.node("Mul", [total.name, total.name], f"{out}/total squared", f"{name}/total squared")
        result = self.sum(step, "Sub", [each.name, mean], 2 * x.exponent, 2, bits)
        result.factor = count**-2.0
        return result

    def kept(self, step: Step, x: Written, low: float = 0) -> Written:
        """A tensor where a constant is 1, and a number elsewhere."""
        stay = step.weight
        assert stay is not None
        m, _, _ = self.integers(f"{PUBLIC}{step.name}/mask", stay, 0, 8)
        product = self.node("Mul", [x.name, m], f"{step.output}/masked", f"{step.name}/masked")
        x = replace(x, name=product, held=False)
        if low:
            b, _, _ = self.integers(f"{PUBLIC}{step.name}/low", (1 - stay) * low, x.exponent, 32)
            x.name = self.node("Add", [x.name, b], f"{step.output}/least", f"{step.name}/least")
        return x

    def Mask(self, step: Step) -> Written:
        x = self.kept(step, self.real(step.inputs[0]))
        return x if step.bias is None else self.shifted(step, x, step.bias)

    def MaskedMax(self, step: Step) -> Written:
        """The maximum of what stays: all else is the least integer."""
        x = self.hold(step.inputs[0])
        x = self.kept(step, x, -math.ldexp(1, self.plan.bits - 1 - x.exponent))
        every = f"{step.output}/all"
        x = self.round(every, x, every, x.exponent)
        self.floats.bounded[every] = math.ldexp(1, self.plan.bits - 1 - x.exponent)
        axes = self.indices(f"{step.name}/axes", step.attributes["axes"])
        keep = step.attributes["keepdims"]
        made = self.node("ReduceMax", [x.name, axes], step.output, step.name, keepdims=keep)
        return replace(x, name=made)

    def MaskedSub(self, step: Step) -> Written:
        return self.kept(step, self.both(replace(step, kind="Sub")))
