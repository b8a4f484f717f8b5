"""What is known of a float network while it is read: functions of one tensor, and reductions, squares, masks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx

from ._file import alone, attributes_of, label
from ._floats import Floats
from ._index import Indices, Rows

RESHAPES = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}
# Of more, n · Σx² would come near 2^59.
MOST_SQUARES = 1 << 13
# What is added to scores to leave them out of a softmax is at most this.
MASKED = -1000.0


@dataclass
class Step:
    """One operation on tensors that vary: what is emitted for it, and its constants in float64."""

    kind: str
    node: onnx.NodeProto
    inputs: list[str]
    output: str
    weight: np.ndarray | None = None
    bias: np.ndarray | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    name: str = ""


@dataclass
class Formula:
    """A tensor that depends on ``root`` alone, element by element, through ``chain``.

    If it is ``exact`` it is a step as well, without a table: it is linear, or a square.
    """

    root: str
    chain: list[onnx.NodeProto]
    exact: bool


@dataclass(frozen=True)
class Reduced:
    """A reduction of ``x`` over ``axes``."""

    x: str
    axes: tuple[int, ...]


class Known:
    """Steps and formulas of a float network, and what they tell of its tensors.

    ``below`` are tensors that are others less their maximum, and ``nonnegative`` those that are never below 0.
    ``masked`` are scores of which a softmax leaves some out, with 1 for each that stays: no step makes them.
    """

    def __init__(self, floats: Floats):
        self.floats = floats
        self.steps: list[Step] = []
        self.formulas: dict[str, Formula] = {}
        self.same: dict[str, str] = {}
        self.makers: dict[str, Step] = {}
        self.indices = Indices(floats)
        self.below: dict[str, str] = {}
        self.masked: dict[str, tuple[str, np.ndarray]] = {}
        self.nonnegative: set[str] = set()
        self.reductions: dict[str, dict[str, Reduced]] = {"Mean": {}, "ReduceSum": {}, "ReduceMax": {}}
        self.squares: dict[str, str] = {}
        self.centres: dict[str, Reduced] = {}

    def find(self, name: str) -> str:
        return self.same.get(name, name)

    def constant(self, name: str) -> np.ndarray:
        return np.asarray(self.floats.constants[name])

    def real(self, name: str) -> np.ndarray:
        return self.constant(name).astype(np.float64)

    def step(self, kind: str, node: onnx.NodeProto, inputs: list[str], output: str = "", **more: Any) -> None:
        step = Step(kind, node, inputs, output or node.output[0], name=label(node), **more)
        self.steps.append(step)
        self.makers[step.output] = step

    def synthetic(
        self,
        kind: str,
        node: onnx.NodeProto,
        inputs: list[str],
        output: str,
        shape: Any,
        largest: float,
        **more: Any,
    ) -> None:
        """A step for a tensor that no node of the float network makes."""
        self.floats.shapes[output], self.floats.largest[output] = tuple(shape), largest
        self.step(kind, node, inputs, output, **more)

    def scalar(self, name: str) -> bool:
        return self.constant(name).size == 1

    def function(
        self, node: onnx.NodeProto, names: list[str], varying: list[str], constants: list[str]
    ) -> bool:
        shapes, out = self.floats.shapes, node.output[0]
        before = [self.formulas.get(name) for name in varying]
        roots = {f.root if f else name for f, name in zip(before, varying)}
        if len(roots) != 1 or len([o for o in node.output if o]) != 1 or not all(map(self.scalar, constants)):
            return False
        if any(shapes[name] != shapes[out] for name in varying):
            return False
        chain: list[onnx.NodeProto] = []
        for formula in before:
            chain += [n for n in formula.chain if all(n is not m for m in chain)] if formula else []
        exact = all(f is None or f.exact for f in before) and (
            (node.op_type in ("Add", "Sub", "Mul", "Neg") and len(varying) == 1)
            or (node.op_type == "Div" and names[0] in varying and len(varying) == 1)
            or self.square(node, varying, constants)
        )
        self.formulas[out] = Formula(roots.pop(), [*chain, node], exact)
        if self.square(node, varying, constants):
            self.squares[out] = varying[0]
            self.nonnegative.add(out)
        if node.op_type == "Exp":
            self.nonnegative.add(out)
            self.floats.bounded.update({out: 1.0} if varying[0] in self.below else {})
        return True

    def square(self, node: onnx.NodeProto, varying: list[str], constants: list[str]) -> bool:
        if node.op_type == "Pow":
            return len(varying) == 1 and bool((self.constant(constants[0]) == 2).all())
        return node.op_type == "Mul" and len(varying) == 2 and varying[0] == varying[1]

    def rectified(self, node: onnx.NodeProto, varying: list[str], constants: list[str]) -> bool:
        """Whether a node takes away what is below 0, or below −∞, of a tensor that is never there."""
        if len(varying) != 1 or self.floats.shapes[varying[0]] != self.floats.shapes[node.output[0]]:
            return False
        least = 0.0 if varying[0] in self.nonnegative else -math.inf
        if node.op_type == "Clip":
            a = attributes_of(node)
            low, high = a.get("min", -math.inf), a.get("max", math.inf)
            if len(node.input) > 1 and node.input[1]:
                low = self.constant(node.input[1])
            if len(node.input) > 2 and node.input[2]:
                high = self.constant(node.input[2])
            return bool(np.all(low <= least) and np.all(high == math.inf))
        bounds = [self.constant(name) for name in constants]
        return bool(bounds or least == 0) and all((bound <= least).all() for bound in bounds)

    def base(self, name: str) -> str:
        """The tensor that one is of, before it was broadcast."""
        while (step := self.makers.get(name)) is not None and step.kind == "Places":
            if step.node.op_type not in RESHAPES | {"Expand"}:
                break
            name = step.inputs[0]
        return name

    def spread(self, name: str, kind: str, x: str) -> Reduced | None:
        """The reduction of ``x`` that ``name`` is, if it meets ``x`` along the axes that it was made of."""
        base, shape = self.base(name), self.floats.shapes[x]
        reduced = self.reductions[kind].get(base)
        if reduced is None or reduced.x != x:
            return None
        nodes: list[onnx.NodeProto] = []
        while name != base:
            nodes.insert(0, self.makers[name].node)
            name = self.makers[name].inputs[0]
        kept = [1 if i in reduced.axes else n for i, n in enumerate(shape)]
        index = np.arange(math.prod(kept))
        expected, index = index.reshape(kept), index.reshape(self.floats.shapes[base])
        for node in nodes:
            others = [self.floats.constants[name] for name in node.input[1:] if name]
            index = alone(node, self.floats.opset, index, *others)
        try:
            same = np.array_equal(np.broadcast_to(index, shape), np.broadcast_to(expected, shape))
        except ValueError:
            return None
        return reduced if same else None

    def difference(self, node: onnx.NodeProto, x: str, y: str) -> None:
        out, e = node.output[0], self.reductions["Mean"].get(x)
        if centre := self.spread(y, "Mean", x):
            self.centres[out] = centre
            return self.step("Centre", node, [x], attributes={"axes": np.array(centre.axes, np.int64)})
        if e and e.x in self.squares and y in self.squares:
            # The mean of squares less the square of the mean.
            if self.reductions["Mean"].get(self.squares[y]) == Reduced(self.squares[e.x], e.axes):
                return self.variance(node, Reduced(self.squares[e.x], e.axes))
        if self.spread(y, "ReduceMax", x):
            self.below[out] = x
        self.step("Sub", node, [x, y])

    def mean(self, node: onnx.NodeProto, of: Reduced) -> bool:
        """Whether a mean is a variance, and was read as one."""
        self.reductions["Mean"][node.output[0]] = of
        centre = self.centres.get(self.squares.get(of.x, ""))
        if centre is None or centre.axes != of.axes:
            return False
        self.variance(node, centre)
        return True

    def variance(self, node: onnx.NodeProto, of: Reduced) -> None:
        """The mean of x² less the square of that of x; of many x the mean of (x − mean)², which is rounded before."""
        out, shape = node.output[0], self.floats.shapes[of.x]
        kept = {
            "axes": np.array(of.axes, np.int64),
            "keepdims": int(len(self.floats.shapes[out]) == len(shape)),
        }
        count = math.prod(shape[axis] for axis in of.axes)
        self.nonnegative.add(out)
        if count <= MOST_SQUARES:
            return self.step("Variance", node, [of.x], attributes=kept)
        centre = next((name for name, centre in self.centres.items() if centre == of), f"{out}/centre")
        if centre not in self.makers:
            self.synthetic(
                "Centre", node, [of.x], centre, shape, 2 * self.floats.largest[of.x], attributes=kept
            )
        square, largest = f"{out}/square", self.floats.largest[centre] ** 2
        self.synthetic("Product", node, [centre], square, shape, largest, attributes={"op": "Mul"})
        self.step("Mean", node, [square], weight=np.float64(1 / count), attributes=kept)

    def product(self, node: onnx.NodeProto, varying: list[str]) -> None:
        out = node.output[0]
        self.step(
            "Product", node, varying, attributes={"op": "MatMul" if node.op_type == "MatMul" else "Mul"}
        )
        for x, r in (varying, varying[::-1]) if len(varying) == 2 else ():
            formula = self.formulas.get(r)
            if formula and formula.chain[-1].op_type == "Reciprocal" and len(formula.chain) == 1:
                if x in self.floats.bounded and self.spread(formula.root, "ReduceSum", x):
                    self.floats.bounded[out] = 1.0

    def rows(self, node: onnx.NodeProto, name: str, rows: Rows) -> None:
        assert rows.table is not None
        table = rows.table.astype(np.float64)
        self.step("Rows", node, [rows.source], name, weight=table, attributes={"places": rows.places})

    def mask(self, node: onnx.NodeProto, names: list[str], varying: list[str]) -> bool:
        """Whether a node takes part in a softmax that leaves constant places out, or in a choice by constants."""
        out, op, floats = node.output[0], node.op_type, self.floats
        if op == "Sub" and names[0] in self.masked and self.spread(names[1], "ReduceMax", names[0]):
            scores, stay = self.masked[names[0]]
            self.below[out], self.masked[out] = scores, (scores, stay)
            floats.largest[out] = 2 * floats.largest[scores]
            self.step("MaskedSub", node, [scores, names[1]], weight=stay)
        elif op == "Exp" and names[0] in self.masked:
            every, stay = f"{out}/every", self.masked[names[0]][1]
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.output[0] = every
            floats.shapes[every], floats.largest[every] = floats.shapes[out], 1.0
            self.function(copy, names, varying, [])
            self.step("Mask", node, [every], weight=stay)
            self.nonnegative.add(out)
            floats.bounded[out] = 1.0
        elif op == "Add" and len(varying) == 1:
            x, other = varying[0], self.real(names[names[0] == varying[0]])
            stay = (other > MASKED).astype(np.float64)
            if stay.all() or other.size == 1:
                return False
            if (rest := np.where(stay > 0, other, 0)).any():
                x, largest = f"{out}/kept", floats.largest[x] + float(np.abs(rest).max())
                self.synthetic("Affine", node, varying, x, floats.shapes[out], largest, bias=rest)
            self.masked[out] = x, stay
        elif op == "Where" and names[0] not in varying and len(varying) == 1:
            first = names[1] in varying
            chosen = self.constant(names[0]) == first
            other = np.where(chosen, 0, self.real(names[1 + first]))
            stay, out_of = chosen.astype(np.float64), ~np.broadcast_to(chosen, other.shape)
            if chosen.all() and floats.shapes[varying[0]] == floats.shapes[out]:
                self.same[out] = varying[0]
            elif (other[out_of] <= MASKED).all():
                self.masked[out] = varying[0], stay
            else:
                self.step("Mask", node, varying, weight=stay, bias=other if other.any() else None)
        else:
            return False
        return True
