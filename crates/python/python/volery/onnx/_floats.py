"""The float network: what its nodes make of samples, in onnxruntime."""

from __future__ import annotations

import math
from collections import defaultdict
from os import PathLike, fspath
from typing import Any, Iterable, Mapping, Sequence, Union

import numpy as np
import onnx
import onnx.inliner
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from .._errors import Invalid
from ._rewrite import rewrite

Samples = Union[str, "PathLike[str]", Mapping[str, Any], Iterable[Any]]
# Nodes that are not there: a dropout of inference.
SAME = {"Identity", "Dropout"}


def attributes_of(node: onnx.NodeProto) -> dict[str, Any]:
    found = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}


def label(node: onnx.NodeProto) -> str:
    return node.name or f"{node.op_type} of {node.output[0]}"


def refuse(node: onnx.NodeProto, why: str) -> Invalid:
    return Invalid(f"{label(node)!r} ({node.op_type}): {why}")


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
        self.graph = model.graph
        self.opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 21)
        rewrite(self.graph, self.opset)
        stored = {t.name for t in self.graph.initializer}
        self.inputs = [i.name for i in self.graph.input if i.name not in stored]
        self.constants = {t.name: numpy_helper.to_array(t) for t in self.graph.initializer}
        for value in self.graph.input:
            if value.name in self.inputs and value.type.tensor_type.elem_type != TensorProto.FLOAT:
                kind = TensorProto.DataType.Name(value.type.tensor_type.elem_type)
                raise Invalid(
                    f"input {value.name!r} is of {kind}: only numbers of kind FLOAT are read so far"
                )
        for node in self.graph.node:
            if any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute):
                raise refuse(
                    node, "control flow is not supported: export the network for one shape, without it"
                )
        self.outputs, self.cut = self._ends(until)
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
        self.samples = 0

    def _ends(self, until: str | None) -> tuple[list[str], list[str]]:
        """The outputs, before a last softmax: labels are the same, and logits are linear."""
        makers = {o: node for node in self.graph.node for o in node.output}
        names, cut = [until] if until else [o.name for o in self.graph.output], []
        if until and until not in makers:
            raise Invalid(f"until={until!r}: no node makes a tensor of this name")
        for i, name in enumerate(names):
            node = makers.get(name)
            while node is not None and node.op_type in SAME:
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
        self.samples += 1


def session_of(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # Its exceptions have no class in common.
        raise Invalid(f"onnxruntime does not run this file: {error}") from error


def each(samples: Samples, names: Sequence[str]) -> Iterable[dict[str, np.ndarray]]:
    """Samples one by one, by name: of arrays, of dictionaries, or of what stacks them, as an ``.npz`` does."""
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
        yield {name: np.asarray(value, np.float32) for name, value in sample.items()}


def alone(node: onnx.NodeProto, opset: int, *values: np.ndarray | None, which: int = 0) -> np.ndarray:
    """An output of one node, of values for its inputs."""
    one = onnx.NodeProto()
    one.CopyFrom(node)
    del one.input[:], one.output[:]
    one.input.extend("" if value is None else f"i{i}" for i, value in enumerate(values))
    one.output.extend(f"o{i}" if name else "" for i, name in enumerate(node.output))
    given = {f"i{i}": value for i, value in enumerate(values) if value is not None}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in given.items()
    ]
    graph = helper.make_graph([one], "one", infos, [onnx.ValueInfoProto(name=f"o{which}")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return np.asarray(session_of(model).run(None, given)[0])
