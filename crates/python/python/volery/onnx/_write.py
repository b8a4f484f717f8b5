"""The nodes of ``net.q.onnx``, one step after the other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ._file import alone, attributes_of, refuse
from ._known import RESHAPES, Step
from ._nodes import LEAST, LONGEST, Written
from ._plan import SHIFT, Plan
from ._wide import MOST, Wide
from .reference import FORMAT, PUBLIC


def _lines(index: np.ndarray, read: tuple[int, ...]) -> dict[int, np.ndarray] | None:
    """The places along each axis that changes, if flat indices into a shape ``read`` are a grid of such."""
    if index.ndim != len(read):
        return None
    lines = []
    # Flat: of more dimensions numpy 2.4 gives wrong coordinates behind the first 8,192.
    for axis, places in enumerate(np.unravel_index(index.reshape(-1), read)):
        line = np.moveaxis(places.reshape(index.shape), axis, 0)
        if (line != line[(slice(None), *[slice(1)] * (len(read) - 1))]).any():
            return None
        lines.append(line.reshape(len(line), -1)[:, 0])
    return {axis: line for axis, line in enumerate(lines) if not np.array_equal(line, np.arange(read[axis]))}


class Writer(Wide):
    """Writes the nodes of a plan, and remembers what each tensor became."""

    def __init__(self, plan: Plan):
        super().__init__(plan)
        for name in plan.order:
            if name in self.floats.indices:
                continue
            if name in self.floats.inputs:
                exponent = plan.exponents[name]
                self.written[name] = self.round(
                    name, Written(name, exponent, 1, 15), f"{name}/real", exponent
                )
            elif plan.looked_up(name):
                self.written[name] = self.look_up(name)
            elif plan.power(name):
                self.written[name] = self.power(name)
            else:
                step = plan.makers[name]
                self.written[name] = getattr(self, step.kind)(step)
                if name in plan.rounded:
                    self.hold(name)
        for name in plan.outputs:
            if plan.makers[name].kind != "ArgMax" if name in plan.makers else True:
                self.hold(name)

    def weight(self, step: Step, x: Written, values: np.ndarray, which: int = 1) -> tuple[str, int, int]:
        exponent = self.plan.wanted[step.output] - x.exponent
        largest = float(np.abs(values).max(initial=0))
        if largest:
            least = math.ceil(LEAST - math.log2(largest))
            longest = LONGEST + self.plan.exponents[step.output] - x.exponent - 2
            exponent = max(exponent, min(least, longest))
        name = step.node.input[which] if len(step.node.input) > which else ""
        if name in self.floats.rounded:
            exponent = 0
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

    def Affine(self, step: Step) -> Written:
        x = self.real(step.inputs[0])
        if step.weight is not None and step.weight.ndim == 0:
            x = self.scaled(step.name, step.output, x, float(step.weight))
        elif step.weight is not None:
            x = self.operand(step.inputs[0])
            w, e, bits = self.weight(step, x, step.weight)
            x = self.sum(step, "Mul", [x.name, w], x.exponent + e, 2, x.bits + bits)
        return x if step.bias is None else self.shifted(step, x, step.bias)

    def Scale(self, step: Step) -> Written:
        """A product by public factors, as exact as the bound of sums and the longest shift allow."""
        x, factors = self.real(step.inputs[0]), step.weight
        assert factors is not None
        # Of what is added to products a bound has 31 bits.
        bits = min(24, math.floor(MOST - 2 - max(x.bits, 32)))
        exponent = bits - 1 - math.ceil(math.log2(np.abs(factors).max()))
        exponent = min(exponent, LONGEST + self.plan.exponents[step.output] - x.exponent)
        c, e, bits = self.integers(f"{PUBLIC}{step.name}/factors", factors, exponent, 25)
        return self.sum(step, "Mul", [x.name, c], x.exponent + e, x.degree, max(x.bits, 32) + bits)

    def Concat(self, step: Step) -> Written:
        parts = [self.real(part) if isinstance(part, str) else part for part in step.attributes["parts"]]
        finest = max(x.exponent for x in parts if isinstance(x, Written))
        for i, part in enumerate(parts):
            if not isinstance(part, Written):
                w, e, width = self.integers(f"{step.name}/part{i}", part, finest, 24)
                parts[i] = Written(w, e, 1, width)
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
            axis=step.attributes["axis"],
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
        x, axes = self.real(step.inputs[0]), self.indices(f"{step.name}/axes", step.attributes["axes"])
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
        x = self.real(step.inputs[0])
        needed = self.precision(step.output, Written("", -64, 1, 15), np.atleast_1d(np.asarray(step.weight)))
        if x.exponent + min(needed, SHIFT) - self.plan.exponents[step.output] > LONGEST:
            return self.hold(step.inputs[0])
        return x

    def Mean(self, step: Step) -> Written:
        assert step.weight is not None
        if self.plan.lazy(step.output):
            result = self.ReduceSum(step)
            result.factor = float(step.weight)
            return result
        self.averaged(step)
        return self.scaled(step.name, step.output, self.ReduceSum(step), float(step.weight))

    def Rows(self, step: Step) -> Written:
        weight, (source,), places = step.weight, step.inputs, step.attributes["places"]
        assert weight is not None
        exponent, name = self.plan.exponents[step.output], f"{step.name}/rows"
        if weight.shape == (len(weight),) * 2 and (weight == np.eye(len(weight))).all():
            w, exponent, bits = self.integers(f"{PUBLIC}{name}", weight, 0, 16)
        elif step.output in self.plan.rounded:
            w, exponent, bits = self.integers(name, weight, exponent, 24)
        else:
            w, exponent, bits = self.integers(name, weight, exponent + SHIFT, 16)
        degree = 1 if f"{PUBLIC}{name}/real" == w else 2
        x = Written("", exponent, degree, bits)
        x.name = self.node("Gather", [w, source], f"{step.output}/rows", step.name, axis=0)
        shape = self.floats.shapes[source]
        if not np.array_equal(places.reshape(-1), np.arange(math.prod(shape))):
            flat = [math.prod(shape), *weight.shape[1:]]
            x = self.move(step, "Reshape", [self.indices(f"{step.name}/flat", flat)], x)
            return self.move(step, "Gather", [self.indices(f"{step.name}/places", places)], x, axis=0)
        if places.shape == shape:
            return x
        whole = [*places.shape, *weight.shape[1:]]
        return self.move(step, "Reshape", [self.indices(f"{step.name}/shape", whole)], x)

    def AveragePool(self, step: Step) -> Written:
        x, factors = self.averaged(step), step.weight
        assert factors is not None
        ones = np.ones((step.attributes["group"], 1, *step.attributes["kernel_shape"]))
        if factors.ndim == 0:
            exponent = self.precision(step.output, x, np.atleast_1d(factors))
            w, e, bits = self.integers(f"{PUBLIC}{step.name}/kernel", ones * factors, exponent, 24)
        else:
            w, e, bits = self.integers(f"{PUBLIC}{step.name}/kernel", ones, 0, 24)
        result = self.sum(
            step, "Conv", [x.name, w], x.exponent + e, x.degree, x.bits + bits + 8, **step.attributes
        )
        if factors.ndim == 0:
            return result
        c, e, bits = self.integers(
            f"{PUBLIC}{step.name}/factors", factors, self.precision(step.output, result, factors), 24
        )
        return self.sum(step, "Mul", [result.name, c], result.exponent + e, result.degree, result.bits + bits)

    def move(
        self, step: Step, op: str, inputs: list[str], x: Written | None = None, **attributes: Any
    ) -> Written:
        """Other places of the same integers; ``x`` is what is read, if not the step's input."""
        x = x or self.written[step.inputs[0]]
        name = step.output if x.held else f"{step.output}/sum"
        output = self.node(op, [x.name, *inputs], name, step.name, **attributes)
        return replace(x, name=output)

    def Pad(self, step: Step) -> Written:
        pads = self.indices(f"{step.name}/pads", step.attributes["pads"])
        return self.move(step, "Pad", [pads, "", self.indices(f"{step.name}/axes", step.attributes["axes"])])

    def Places(self, step: Step) -> Written:
        node, made = step.node, self.floats.shapes[step.output]
        a = attributes_of(node)
        if node.op_type in RESHAPES | {"Expand"} and made == self.floats.shapes[step.inputs[0]]:
            return self.written[step.inputs[0]]
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
            helper.make_tensor_value_info(name, kind, self.floats.shapes[name])
            for name, kind in self.floats.inputs.items()
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
        domains = sorted({function.domain for function in self.functions})
        opsets = [helper.make_opsetid("", 21), *(helper.make_opsetid(domain, 1) for domain in domains)]
        model = helper.make_model(
            graph, opset_imports=opsets, functions=self.functions, ir_version=10, producer_name="volery"
        )
        helper.set_model_props(model, {"volery.format": FORMAT})
        return model
