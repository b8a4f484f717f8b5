"""Inputs of integers that say which row of a constant is read, as such, or as one-hot rows that are multiplied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
import onnx

from ._file import alone, attributes_of, refuse
from ._floats import SAME, Floats

# Operators that move indices, or count them in another type.
MOVES = set("Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Expand Gather Tile".split())


@dataclass
class Rows:
    """Rows of a table that an index input names: of ``places`` in it, flat, in the shape that they are read in."""

    source: str
    places: np.ndarray
    table: np.ndarray | None = None


class Indices:
    """What becomes of index inputs: ``moved`` are their places, ``hot`` rows of a unit matrix."""

    def __init__(self, floats: Floats):
        self.floats = floats
        shapes = {name: floats.shapes[name] for name in floats.indices}
        self.moved = {n: Rows(n, np.arange(np.prod(s, dtype=int)).reshape(s)) for n, s in shapes.items()}
        self.hot: dict[str, Rows] = {}

    def read(self, node: onnx.NodeProto, names: list[str], rows: Callable[[str, Rows], None]) -> bool:
        """Whether a node is done with here; ``rows`` makes a tensor of those that are named."""
        out, op, kinds = node.output[0], node.op_type, self.floats.kinds
        same = op in SAME or op in ("Cast", "CastLike")
        if names and names[0] in self.hot:
            hot = self.hot[names[0]]
            if same:
                self.hot[out] = hot
                return True
            table = self.floats.constants.get(names[1]) if len(names) == 2 else None
            if op == "MatMul" and table is not None and table.ndim == 2:
                rows(out, Rows(hot.source, hot.places, table))
                return True
        for name in self.hot.keys() & set(names):
            rows(name, self.hot.pop(name))
        found = [name for name in names if name in self.moved]
        if not found:
            return False
        index, constants = self.moved[found[0]], self.floats.constants
        if len(found) > 1 or any(name and name not in constants for name in names if name not in found):
            raise refuse(node, "of several tensors of integers is not supported: they name rows of constants")
        others = [constants[name] for name in names if name not in found and name]
        if (same and kinds[out].kind == "i") or (op in MOVES and names[0] == found[0]):
            for i, output in enumerate(node.output):
                places = (
                    index.places if same else alone(node, self.floats.opset, index.places, *others, which=i)
                )
                self.moved[output] = Rows(index.source, places)
        elif op == "Gather" and kinds[out].kind == "f" and attributes_of(node).get("axis", 0) == 0:
            rows(out, Rows(index.source, index.places, others[0]))
        else:
            self.hot[out] = self._one_hot(node, index, others)
        return True

    def _one_hot(self, node: onnx.NodeProto, index: Rows, others: list[np.ndarray]) -> Rows:
        """One-hot rows: the operator of that name, or a comparison with all that an index may be."""
        shape = self.floats.shapes[node.output[0]]
        if node.op_type == "OneHot":
            last = attributes_of(node).get("axis", -1) in (-1, len(shape) - 1)
            if last and others[1].tolist() == [0, 1]:
                return Rows(index.source, index.places, np.eye(shape[-1]))
        elif node.op_type == "Equal" and shape:
            whole, classes = np.broadcast_to(index.places, shape), np.broadcast_to(others[0], shape)
            if (whole == whole[..., :1]).all() and (classes == np.arange(shape[-1])).all():
                return Rows(index.source, whole[..., 0], np.eye(shape[-1]))
        raise refuse(node, "of integers is not supported: they name rows of constants, or are one-hot rows")
