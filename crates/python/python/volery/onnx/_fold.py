"""Constant factors and summands of channels: they go into the weights of layers before them, or behind."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from ._known import Known, Step


def backwards(known: Known) -> None:
    """Constant factors and summands of channels go into the layer before them, if nobody else reads it."""
    reads = Counter(name for step in known.steps for name in step.inputs)
    reads.update(known.floats.outputs)
    for formula in known.formulas.values():
        reads[formula.root] += not formula.exact
    kept = []
    for step in known.steps:
        layer = known.makers.get(step.inputs[0]) if step.kind == "Affine" else None
        if step.kind == "Scale" and reads[step.inputs[0]] == 1:
            _mean_into(known, step)
        scalars = step.output in known.formulas
        if layer is None or reads[step.inputs[0]] > 1 or scalars or not _into(known, layer, step):
            kept.append(step)
            continue
        del known.makers[layer.output]
        layer.output = step.output
        known.makers[step.output] = layer
    known.steps = kept


def _mean_into(known: Known, step: Step) -> None:
    """What a mean divides by goes into the factors behind it."""
    mean = known.makers.get(step.inputs[0])
    if mean is not None and mean.kind == "Mean" and mean.weight is not None and step.weight is not None:
        mean.kind, step.weight, mean.weight = "ReduceSum", step.weight * mean.weight, None


def _into(known: Known, layer: Step, step: Step) -> bool:
    rank = len(known.floats.shapes[step.output])
    axis = {"Conv": 1, "ConvTranspose": 1, "MatMul": rank - 1, "Rows": rank - 1}.get(layer.kind)
    if known.floats.shapes[layer.output] != known.floats.shapes[step.output]:
        return False
    if axis is None or (layer.kind == "ConvTranspose" and layer.attributes["group"] > 1):
        return False
    if layer.kind in ("MatMul", "Rows") and layer.weight is not None and layer.weight.ndim != 2:
        return False
    channels = known.floats.shapes[step.output][axis]
    parts = []
    for part in (step.weight, step.bias):
        if part is not None:
            whole = part.reshape([1] * (rank - part.ndim) + list(part.shape))
            if any(n > 1 for i, n in enumerate(whole.shape) if i != axis):
                return False
            part = np.broadcast_to(whole.reshape(-1), channels) if whole.size in (1, channels) else None
        parts.append(part)
    factor, shift = parts
    if layer.kind == "Rows" and layer.weight is not None:
        weight = layer.weight if factor is None else layer.weight * factor
        layer.weight = weight if shift is None else weight + shift
        return True
    bias = np.zeros(channels) if layer.bias is None else np.broadcast_to(layer.bias.reshape(-1), channels)
    if factor is not None and layer.weight is not None:
        at = {"Conv": 0, "ConvTranspose": 1, "MatMul": layer.weight.ndim - 1}[layer.kind]
        layer.weight = layer.weight * factor.reshape([-1 if i == at else 1 for i in range(layer.weight.ndim)])
        bias = bias * factor
    layer.bias = bias + shift if shift is not None else bias if layer.bias is not None else None
    return True


def forwards(known: Known) -> None:
    """Factors of channels, and summands behind them, go into the products that read them, if beside these only
    sums do: a norm is rounded before its factors then, and not behind them again.

    Not of a single row, which is rounded at less than wider weights cost.
    """
    readers: dict[str, list[Step]] = {}
    for step in known.steps:
        for name in step.inputs:
            readers.setdefault(name, []).append(step)
    kept = {formula.root for formula in known.formulas.values() if not formula.exact}
    kept.update(known.floats.outputs)
    for first in known.steps:
        factor, last = first.weight, first
        if first.kind != "Affine" or factor is None or factor.size == 1:
            continue
        read, shift = readers.get(first.output, []), first.bias
        if shift is None and [(step.kind, step.weight is None) for step in read] == [("Affine", True)]:
            (last,) = read
            read, shift = readers.get(last.output, []), last.bias
        names = [first.inputs[0], first.output, last.output]
        (shape, *changed) = {known.floats.shapes[name] for name in names}
        scalars_or_vectors = all(
            part is None or part.size == 1 or part.size == part.shape[-1] for part in (factor, shift)
        )
        others = {step.kind for step in read} - {"MatMul", "Add", "Sub"}
        if changed or others or not scalars_or_vectors or kept.intersection(names[1:]):
            continue
        if math.prod(shape) == shape[-1]:
            continue
        for step in read:
            if step.kind == "MatMul" and step.weight is not None and step.weight.ndim == 2:
                if shift is not None:
                    more = np.broadcast_to(shift.reshape(-1), len(step.weight)) @ step.weight
                    step.bias = more if step.bias is None else step.bias + more
                step.weight = factor.reshape(-1, 1) * step.weight
                step.inputs = list(first.inputs)
