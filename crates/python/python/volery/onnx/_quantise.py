"""From floats to integers: ``net.q.onnx`` of a float ONNX file and samples of what it reads.

The float file is run on the samples, which gives the range of each tensor. Batch normalisation and other
constant factors and summands of channels go into the weights before them, in float64. Whatever depends on one
tensor, element by element, with constant scalars, is a function: one table for each formula. All else is
linear, or a product of two tensors, and rounded only where somebody asks for 16 bits: a table, a maximum, a
product, an output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
import onnx

from .._errors import Invalid
from ._floats import Floats, Samples, each
from ._plan import Plan
from ._read import Reader
from ._write import Writer
from .reference import HALF, TABLE, Network, Overflow


class Quantised(Network):
    """A network that was just made of floats: ``floats`` is what it was made of."""

    floats: Floats

    def __init__(self, model: onnx.ModelProto, floats: Floats):
        super().__init__(model)
        self.floats = floats

    def accuracy(self, samples: Samples) -> Accuracy:
        """Compares it with the floats that it was made of, on other samples."""
        return accuracy(self, samples)


def quantise(
    source: str | PathLike[str] | onnx.ModelProto,
    samples: Samples,
    room: float = 4,
    *,
    out: str | PathLike[str] | None = None,
    until: str | None = None,
    bits: int = 16,
) -> Quantised:
    """A network of integers, of the float ONNX file ``source``; ``out`` is where it is written to.

    ``samples`` are what the network is calibrated with: an iterable of arrays or of dictionaries by name, or
    arrays (or an ``.npz``) that stack them. ``room`` is how many times larger than in the samples values may become.
    ``until`` ends the network at a tensor of that name; ``bits`` are those of activations, from 8 to 16.
    """
    if not 8 <= bits <= 16 or room < 1:
        raise Invalid("bits= is from 8 to 16, and room= at least 1")
    floats = Floats(source, until)
    for sample in each(samples, floats.inputs):
        floats.calibrate(sample)
    if not floats.samples:
        raise Invalid("there are no samples: a few dozen of what the network will read")
    model = Writer(Plan(Reader(floats), room, bits)).model()
    if out is not None:
        onnx.save(model, fspath(out))
    return Quantised(model, floats)


@dataclass(frozen=True)
class Accuracy:
    """How integers compare with floats, over samples: ``labels`` are those of which every arg-max is equal.

    ``worst`` is the largest difference of an output, ``largest`` the largest output; ``overflows`` are samples
    that do not fit, with the first error. ``room`` is how many times larger the values that come nearest to
    overflow might be.
    """

    samples: int
    labels: int
    worst: float
    largest: float
    overflows: int
    room: float
    first: str = ""


def accuracy(net: Network, samples: Samples, source: Any = None) -> Accuracy:
    """Compares a network of integers with the floats that it was made of, or with the file ``source``."""
    if source is None and not isinstance(net, Quantised):
        raise Invalid("which floats? give the float file as source=")
    floats = net.floats if isinstance(net, Quantised) and source is None else Floats(source)
    count = labels = overflows = 0
    worst = largest = 0.0
    room, first = math.inf, ""
    for sample in each(samples, floats.inputs):
        count += 1
        expected = floats.expected(sample)
        try:
            tensors = net.trace(sample)
        except Overflow as error:
            overflows, first = overflows + 1, first or str(error)
            continue
        same = True
        for name, ours in zip(floats.outputs, net.outputs):
            tensor, real = tensors[ours], expected[name]
            values = np.ldexp(tensor.integers.astype(np.float64), -tensor.exponent)
            if tensor.degree == 3:
                same &= bool((values == real).all())
                continue
            same &= bool((values.argmax(-1) == real.argmax(-1)).all()) if real.ndim else True
            worst, largest = (
                max(worst, float(np.abs(values - real).max())),
                max(largest, float(np.abs(real).max())),
            )
        labels += same
        for node in net.graph.node:
            # What a table gives is within its bits; its key has to be.
            read = tensors.get(node.input[0])
            if read is None or read.table or (node.op_type != "QuantizeLinear" and node.domain != TABLE):
                continue
            if node.output[0].removesuffix("/q") in floats.bounded:
                continue
            half = len(net.constants[f"{TABLE}/{node.op_type}"]) // 2 if node.domain else HALF
            integers = read.integers if node.domain else tensors[node.output[0]].integers
            room = min(room, half / max(int(np.abs(integers).max(initial=0)), 1))
    return Accuracy(count, labels, worst, largest, overflows, room, first)
