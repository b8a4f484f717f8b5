"""Which tensors are rounded, to which exponents, and how fine the sums before them are made."""

from __future__ import annotations

import math

import onnx

from .._errors import Invalid
from ._known import Step
from ._read import Reader
from ._tables import Power, body, homogeneous, power

# Sums are so many bits finer than what they are rounded to.
SHIFT = 16
# Places of one formula share a table if their exponents differ by no more.
SPREAD = 4
# Keys of tables that integers of files are, if they fit: they are rounded to 8 bits behind.
KEYS = 12
# Steps that read rounded tensors; whose operands are factors; that pass sums on.
HOLDS = {"Max", "MaxPool", "ReduceMax", "MaskedMax", "ArgMax"}
FACTORS = {"Conv", "ConvTranspose", "MatMul", "LeftMatMul", "Product", "Variance"}
PASSING = {"Add", "Sub", "Concat", "Places", "Pad", "ReduceSum"}


class Plan:
    """Which tensors are rounded, to which exponents, and how fine sums are made."""

    def __init__(self, reader: Reader, room: float, bits: int):
        self.reader, self.floats, self.bits, self.room = reader, reader.floats, bits, room
        self.makers = {step.output: step for step in reader.steps}
        self.powers: dict[str, Power | None] = {}
        self.outputs = [reader.find(name) for name in self.floats.outputs]
        for name in self.outputs:
            found = (
                name in self.makers or self.looked_up(name) or self.power(name) or name in self.floats.inputs
            )
            if not found:
                raise Invalid(
                    f"output {name!r} does not depend on the input, or is not supported: give until="
                )
        self.order = self._order()
        self.readers: dict[str, list[Step]] = {}
        for step in self.steps():
            for name in step.inputs:
                self.readers.setdefault(name, []).append(step)
        self.tables = [name for name in self.order if self.looked_up(name)]
        self.bodies = {name: self.body(name) for name in self.tables}
        self.exponents = self._exponents(room)
        self.rounded = self._rounded()
        self.wanted = self._wanted()

    def keys(self, name: str) -> int:
        """The bits of the keys of a table: 12 are enough for most integers of files."""
        root = self.reader.formulas[name].root
        if root in self.floats.rounded and self.exponents[root] == 0:
            return KEYS if self.room * self.floats.largest[root] < 1 << (KEYS - 1) else self.bits
        return self.bits

    def looked_up(self, name: str) -> bool:
        formula = self.reader.formulas.get(name)
        return formula is not None and not formula.exact and self.power(name) is None

    def power(self, name: str) -> Power | None:
        """The power of a sum that a function is, if it is one of a sum that stays above 0."""
        if name not in self.powers:
            formula = self.reader.formulas.get(name)
            whole = formula is not None and formula.root in self.floats.rounded
            self.powers[name] = None if whole else power(self.reader, name)
        return self.powers[name]

    def body(self, name: str) -> bytes:
        formula = self.reader.formulas[name]
        return body(self.reader, formula.root, formula.chain)

    def lazy(self, name: str) -> bool:
        """Whether only powers read a tensor, which then need not be multiplied by a constant factor before."""
        if name in self.outputs or name in {self.reader.formulas[table].root for table in self.tables}:
            return False
        return all(step.kind == "Places" and self.lazy(step.output) for step in self.readers.get(name, []))

    def steps(self) -> list[Step]:
        names = [name for name in self.order if name in self.makers]
        return [self.makers[name] for name in names if not self.looked_up(name) and not self.power(name)]

    def _inputs(self, name: str) -> list[str]:
        if self.looked_up(name) or self.power(name):
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
                name = asked.pop()
                if name in self.reader.masked and name not in self.makers:
                    raise Invalid(
                        f"{name!r} is masked by constants, which is supported before a softmax only"
                    )
                done[name] = None
        return list(done)

    def _exponents(self, room: float) -> dict[str, int]:
        """⌊log2(2^15 / (room · largest))⌋, and the coarsest one among tensors that have to share theirs."""
        exponents = {}
        for name in self.order:
            largest = max(self.floats.largest.get(name, 0.0), 2.0**-20)
            largest = self.floats.bounded.get(name, room * largest)
            if not math.isfinite(largest):
                raise Invalid(f"{name!r} is not finite in the samples: there is no range for it")
            exponents[name] = math.floor(math.log2((2 ** (self.bits - 1) - 1) / largest))
            if name in self.floats.rounded:
                if exponents[name] < 0:
                    raise Invalid(
                        f"{name!r} reaches {self.floats.largest[name]:,.0f} times the scale of its QuantizeLinear:"
                        " take a smaller room="
                    )
                exponents[name] = 0
        parent = {name: name for name in self.order}

        def find(name: str) -> str:
            while parent[name] != name:
                name = parent[name]
            return name

        for step in self.steps():
            if step.kind in ("Places", "Pad", "Max", "MaxPool", "ReduceMax", "MaskedMax"):
                for name in step.inputs:
                    parent[find(name)] = find(step.output)
            elif step.output in self.reader.below:
                # Less its maximum, a tensor is rounded by no shift.
                parent[find(step.inputs[0])] = find(step.output)
        places: dict[bytes, list[str]] = {}
        for name in self.tables:
            places.setdefault(self.bodies[name], []).append(name)
        for formula, names in places.items():
            if homogeneous(onnx.FunctionProto.FromString(formula)):
                # Its table depends on the difference of both exponents alone.
                for name in names:
                    root = self.reader.formulas[name].root
                    if exponents[name] <= exponents[root] + 1:
                        parent[find(name)] = find(root)
                continue
            roots = {name: self.reader.formulas[name].root for name in names}
            names.sort(key=lambda name: exponents[roots[name]])
            first = names[0]
            for name in names[1:]:
                if exponents[roots[name]] > exponents[roots[first]] + SPREAD:
                    first = name
                parent[find(name)] = find(first)
                parent[find(roots[name])] = find(roots[first])
        coarsest: dict[str, int] = {}
        for name in self.order:
            coarsest[find(name)] = min(coarsest.get(find(name), exponents[name]), exponents[name])
        coarsest.update((find(name), 0) for name in self.order if name in self.floats.rounded)
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
            if step is None or self.looked_up(name) or self.power(name):
                degrees[name], held[name] = 1, not self.power(name)
                continue
            tensor_factor = step.kind == "Affine" and step.weight is not None and step.weight.size > 1
            if tensor_factor and degrees[step.inputs[0]] == 2:
                rounded.add(step.inputs[0])
            products = tensor_factor or step.kind in FACTORS | {"Rows"}
            degrees[name] = 2 if products else max(degrees[i] for i in step.inputs)
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
            summands = bool(readers) and readers[0].kind == "Affine" and readers[0].weight is None
            if name not in self.rounded and readers and (summands or readers[0].kind in PASSING):
                wanted[name] = max(wanted[readers[0].output], own - 6)
        return wanted
