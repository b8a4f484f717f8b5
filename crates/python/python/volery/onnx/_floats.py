"""The float network: what its nodes make of samples, in onnxruntime."""

from __future__ import annotations

import math
from collections import defaultdict
from os import PathLike, fspath
from typing import Any, Iterable, Mapping, Union

import numpy as np
import onnx
import onnx.inliner
from onnx import TensorProto, helper, numpy_helper

from .._errors import Invalid
from ._file import label, refuse, session_of
from ._integers import QUANTISED, Integers
from ._qlinear import spelled_out
from ._rewrite import rewrite, scales_last, softmaxes

Samples = Union[str, "PathLike[str]", Mapping[str, Any], Iterable[Any]]
# Nodes that are not there: a dropout of inference.
SAME = {"Identity", "Dropout"}
EXPANDED = {"Attention", "RotaryEmbedding"}
INDICES = (TensorProto.INT32, TensorProto.INT64)


class Floats:
    """The float network: constants, shapes, and the largest of each tensor over samples."""

    def __init__(self, source: str | PathLike[str] | onnx.ModelProto, until: str | None = None):
        model = source if isinstance(source, onnx.ModelProto) else onnx.load(fspath(source))
        if any(p.key == "volery.format" for p in model.metadata_props):
            raise Invalid("this file is quantised already")
        if model.functions:
            model = onnx.inliner.inline_local_functions(model)
        elif model is source:
            model = onnx.ModelProto.FromString(source.SerializeToString())
        if EXPANDED.intersection(node.op_type for node in model.graph.node):
            model = _expanded(model)
        self.graph = model.graph
        self.opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 21)
        stored = {t.name for t in self.graph.initializer}
        inputs = [i for i in self.graph.input if i.name not in stored]
        self.inputs = {i.name: i.type.tensor_type.elem_type for i in inputs}
        self.indices = {name for name, kind in self.inputs.items() if kind in INDICES}
        for name, kind in self.inputs.items():
            if kind not in (TensorProto.FLOAT, *INDICES):
                kind = TensorProto.DataType.Name(kind)
                raise Invalid(f"input {name!r} is of {kind}: FLOAT is read, and INT32 or INT64 as indices")
        for node in self.graph.node:
            if any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute):
                raise refuse(
                    node, "control flow is not supported: export the network for one shape, without it"
                )
        self.original = onnx.ModelProto.FromString(model.SerializeToString())
        spelled_out(self.graph)
        softmaxes(self.graph, self.opset)
        self.outputs, self.cut = self._ends(until)
        # Tensors with integers of the file, where it is quantised already, and constants of more than float32 has.
        self.rounded: set[str] = set()
        self.cuts: set[str] = set()
        self.exact: dict[str, np.ndarray] = {}
        self.quantised = any(node.op_type in QUANTISED for node in self.graph.node)
        if self.quantised:
            there = {o for node in self.original.graph.node for o in node.output}
            if not there.issuperset(self.outputs):
                self.original.CopyFrom(model)
            del self.original.graph.output[:]
            self.original.graph.output.extend(onnx.ValueInfoProto(name=name) for name in self.outputs)
            integers = Integers(self.graph, self._varying(), self.outputs)
            self.rounded, self.cuts, self.exact = integers.rounded, integers.cuts, integers.exact
        self.constants = {t.name: numpy_helper.to_array(t) for t in self.graph.initializer}
        self.constants.update(self.exact)
        scales_last(self.graph, self._varying())
        rewrite(model, self.opset, self._varying(), self.outputs)
        self.varies = self._varying()
        every = onnx.ModelProto()
        every.CopyFrom(model)
        made = [o for node in self.graph.node for o in node.output if o]
        del every.graph.output[:]
        every.graph.output.extend(onnx.ValueInfoProto(name=name) for name in made)
        self.made = made
        self.session = session_of(every)
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.kinds: dict[str, np.dtype[Any]] = {}
        self.largest: dict[str, float] = defaultdict(float)
        # What no input brings beyond a magnitude.
        self.bounded: dict[str, float] = {}
        self.least: dict[str, float] = {}
        self.most: dict[str, float] = {}
        self.samples = 0

    def _ends(self, until: str | None) -> tuple[list[str], list[str]]:
        """The outputs, before a last softmax: labels are the same, and logits are linear."""
        makers = {o: node for node in self.graph.node for o in node.output}
        names, cut = [until] if until else [o.name for o in self.graph.output], []
        if until and until not in makers:
            raise Invalid(f"until={until!r}: no node makes a tensor of this name")
        for i, name in enumerate(names):
            node = makers.get(name)
            while node is not None and node.op_type in SAME | QUANTISED:
                node = makers.get(node.input[0])
            if node is not None and node.op_type in ("Softmax", "LogSoftmax"):
                names[i] = node.input[0]
                cut.append(label(node))
        return names, cut

    def _varying(self) -> set[str]:
        varies = set(self.inputs)
        for node in self.graph.node:
            # Of some inputs only the shape or the type matters.
            read = {"Shape": 0, "Size": 0, "CastLike": 1}.get(node.op_type, len(node.input))
            if varies.intersection(node.input[:read]):
                varies.update(o for o in node.output if o)
        return varies

    def run(self, sample: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """All tensors that nodes make of a sample."""
        try:
            return dict(zip(self.made, self.session.run(self.made, dict(sample))))
        except Exception as error:  # Its exceptions have no class in common.
            raise Invalid(f"onnxruntime does not run this sample: {error}") from error

    def calibrate(self, sample: Mapping[str, np.ndarray]) -> None:
        values = self.run(sample)
        if not self.samples:
            self._compare(sample, values)
        values.update(sample)
        for name, value in values.items():
            if self.samples and self.shapes.get(name) != value.shape:
                raise Invalid(
                    f"samples have several shapes: {self.shapes.get(name)} and {value.shape} at {name!r}"
                )
            self.shapes[name], self.kinds[name] = value.shape, value.dtype
            if name not in self.varies:
                self.constants[name] = value
            elif value.dtype.kind == "f" and value.size:
                largest = float(np.abs(value).max())
                if not math.isfinite(largest) and name in sample:
                    raise Invalid(f"a sample of {name!r} is not finite")
                self.largest[name] = max(self.largest[name], largest)
                self.least[name] = min(self.least.get(name, math.inf), float(value.min()))
                self.most[name] = max(self.most.get(name, -math.inf), float(value.max()))
        self.samples += 1

    def _compare(self, sample: Mapping[str, np.ndarray], values: Mapping[str, np.ndarray]) -> None:
        """What was rewritten has to be the network that it was."""
        names = [o.name for o in self.original.graph.output if o.name in values]
        self.before = session_of(self.original)
        del self.original
        # Where integers are rounded, ends of float32 may be whole units.
        near = 0.25 if self.quantised else 1e-3
        for name, value in zip(names, self.before.run(names, dict(sample))):
            loose = near * np.abs(value).max(initial=0)
            if not np.allclose(values[name], value, near, loose, equal_nan=True):
                raise Invalid(f"output {name!r}: a node before it is not read as it is meant")
        if not self.quantised:
            del self.before

    def expected(self, sample: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs: of a file that is quantised already, as onnxruntime makes them of it, node by node."""
        if self.quantised:
            return dict(zip(self.outputs, self.before.run(self.outputs, dict(sample))))
        return self.run(sample)


def _expanded(model: onnx.ModelProto) -> onnx.ModelProto:
    """A model whose attention is written by the operators that it consists of."""
    typed = onnx.ModelProto()
    typed.CopyFrom(model)
    typed.graph.value_info.extend(
        helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in model.graph.initializer
    )
    names = [("", op) for op in sorted(EXPANDED)]
    try:
        return onnx.inliner.inline_selected_functions(typed, names, inline_schema_functions=True)
    except RuntimeError:
        # It knows no type of an input that is left out: refused as the operator is.
        return model


def each(samples: Samples, inputs: Mapping[str, int]) -> Iterable[dict[str, np.ndarray]]:
    """Samples one by one, by name: of arrays, of dictionaries, or of what stacks them, as an ``.npz`` does.

    ``inputs`` are their types in ONNX, by name.
    """
    names = list(inputs)
    if isinstance(samples, (str, PathLike)):
        with np.load(fspath(samples)) as file:
            samples = {name: file[name] for name in file.files}
    if isinstance(samples, Mapping):
        stacked = {name: np.asarray(value) for name, value in samples.items()}
        if sorted(stacked) != sorted(names) or len({len(value) for value in stacked.values()}) != 1:
            raise Invalid(
                f"samples are stacked by the names of the inputs, as many of each: {', '.join(names)}"
            )
        count = len(next(iter(stacked.values())))
        samples = ({name: value[i : i + 1] for name, value in stacked.items()} for i in range(count))
    for sample in samples:
        if not isinstance(sample, Mapping):
            sample = dict(zip(names, sample if isinstance(sample, (list, tuple)) else [sample]))
        if sorted(sample) != sorted(names):
            raise Invalid(f"a sample has {', '.join(sample)}, and the inputs are {', '.join(names)}")
        kinds = {name: helper.tensor_dtype_to_np_dtype(kind) for name, kind in inputs.items()}
        yield {name: np.asarray(value, kinds[name]) for name, value in sample.items()}
