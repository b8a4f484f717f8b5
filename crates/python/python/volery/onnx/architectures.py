"""Well-known architectures with random weights, to measure by: ``python -m volery.onnx architecture NAME``.

    model = volery.onnx.architectures.model("resnet50", seed=1)
    net = volery.onnx.quantise(model, volery.onnx.architectures.samples("resnet50", 3))

Weights are drawn so that values keep their size from layer to layer, as those of trained networks do; so
exponents, roundings and tables are such as quantising a trained one makes. Labels mean nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .._errors import Invalid


class Graph:
    """Nodes and constants of a float network, and the generator that weights are drawn from."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def op(self, op: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, value: Any, kind: Any = np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value, kind)
        return name

    def weight(self, shape: tuple[int, ...], deviation: float) -> str:
        return self.constant(deviation * self.rng.standard_normal(shape, np.float32))

    def near(self, value: float, count: int) -> str:
        """Numbers of channels, near one value."""
        return self.constant(value + 0.1 * self.rng.standard_normal(count))

    def conv(self, x: str, read: int, made: int, kernel: int, **attributes: Any) -> str:
        """A convolution for a relu behind it, as He et al. draw its weights."""
        weight = self.weight((made, read, kernel, kernel), math.sqrt(2 / (read * kernel**2)))
        bias = [] if attributes.pop("normed", False) else [self.near(0, made)]
        pads = attributes.pop("pads", [kernel // 2] * 4)
        return self.op("Conv", x, weight, *bias, pads=pads, **attributes)

    def normed(
        self, x: str, read: int, made: int, kernel: int, stride: int = 1, gain: float = 1.0, relu: bool = True
    ) -> str:
        """A convolution with batch normalisation."""
        x = self.conv(x, read, made, kernel, strides=[stride, stride], normed=True)
        variance = self.constant(1 + 0.2 * self.rng.random(made))
        x = self.op(
            "BatchNormalization", x, self.near(gain, made), self.near(0, made), self.near(0, made), variance
        )
        return self.op("Relu", x) if relu else x

    def dense(self, x: str, read: int, made: int, gain: float = 1.0) -> str:
        """x · W + b, by the operators that frameworks export for more than two dimensions."""
        weight = self.weight((read, made), gain / math.sqrt(read))
        return self.op("Add", self.op("MatMul", x, weight), self.near(0, made))

    def norm(self, x: str, width: int) -> str:
        return self.op("LayerNormalization", x, self.near(1, width), self.near(0, width), axis=-1)

    def classifier(self, x: str, read: int, made: int) -> str:
        x = self.op("Flatten", self.op("GlobalAveragePool", x))
        return self.op("Gemm", x, self.weight((read, made), 1 / math.sqrt(read)), self.near(0, made))


def _lenet5(g: Graph, x: str) -> str:
    """LeCun et al., 1998, with relu and maxima as it is drawn today."""
    half = {"kernel_shape": [2, 2], "strides": [2, 2]}
    x = g.op("MaxPool", g.op("Relu", g.conv(x, 1, 6, 5)), **half)
    x = g.op("MaxPool", g.op("Relu", g.conv(x, 6, 16, 5, pads=[0] * 4)), **half)
    x = g.op("Flatten", x)
    for read, made in ((400, 120), (120, 84)):
        x = g.op("Relu", g.op("Gemm", x, g.weight((read, made), math.sqrt(2 / read)), g.near(0, made)))
    return g.op("Gemm", x, g.weight((84, 10), 1 / math.sqrt(84)), g.near(0, 10))


# What a block of a residual network adds to its input is smaller than that, as it is of trained ones.
BRANCH = 0.25


def _basic(g: Graph, x: str, read: int, made: int, stride: int) -> str:
    y = g.normed(x, read, made, 3, stride)
    return g.normed(y, made, made, 3, gain=BRANCH, relu=False)


def _bottleneck(g: Graph, x: str, read: int, made: int, stride: int) -> str:
    y = g.normed(g.normed(x, read, made // 4, 1), made // 4, made // 4, 3, stride)
    return g.normed(y, made // 4, made, 1, gain=BRANCH, relu=False)


def _resnet(
    block: Callable[[Graph, str, int, int, int], str], width: int, blocks: list[int], classes: int
) -> Callable[[Graph, str], str]:
    """He et al., 2015, with the stride in the convolution of 3 x 3; for small images with a stem of one such."""

    def build(g: Graph, x: str) -> str:
        if classes == 1000:
            x = g.op("MaxPool", g.normed(x, 3, 64, 7, 2), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        else:
            x = g.normed(x, 3, 64, 3)
        read = 64
        for stage, count in enumerate(blocks):
            for k in range(count):
                made, stride = width << stage, 2 if stage and not k else 1
                skip = x if read == made else g.normed(x, read, made, 1, stride, relu=False)
                x, read = g.op("Relu", g.op("Add", block(g, x, read, made, stride), skip)), made
        return g.classifier(x, read, classes)

    return build


def _bert(layers: int, tokens: int, width: int, heads: int) -> Callable[[Graph, str], str]:
    """Devlin et al., 2018: the layers between embeddings and heads."""

    def build(g: Graph, x: str) -> str:
        split = g.constant([tokens, heads, width // heads], np.int64)
        joined, one, half = g.constant([tokens, width], np.int64), g.constant(1), g.constant(0.5)
        depth, root = g.constant(math.sqrt(width // heads)), g.constant(math.sqrt(2))

        def head(x: str, perm: list[int]) -> str:
            return g.op("Transpose", g.op("Reshape", g.dense(x, width, width), split), perm=perm)

        for _ in range(layers):
            q, k, v = (head(x, perm) for perm in ([1, 0, 2], [1, 2, 0], [1, 0, 2]))
            scores = g.op("Softmax", g.op("Div", g.op("MatMul", q, k), depth), axis=-1)
            mixed = g.op("Reshape", g.op("Transpose", g.op("MatMul", scores, v), perm=[1, 0, 2]), joined)
            x = g.norm(g.op("Add", g.dense(mixed, width, width), x), width)
            y = g.dense(x, width, 4 * width)
            erf = g.op("Add", g.op("Erf", g.op("Div", y, root)), one)
            y = g.dense(g.op("Mul", g.op("Mul", y, erf), half), 4 * width, width)
            x = g.norm(g.op("Add", y, x), width)
        return x

    return build


@dataclass(frozen=True)
class Architecture:
    """The shape of the input, and what is made of it."""

    shape: tuple[int, ...]
    build: Callable[[Graph, str], str]


ARCHITECTURES = {
    "lenet5": Architecture((1, 1, 28, 28), _lenet5),
    "resnet18": Architecture((1, 3, 224, 224), _resnet(_basic, 64, [2, 2, 2, 2], 1000)),
    "resnet50": Architecture((1, 3, 224, 224), _resnet(_bottleneck, 256, [3, 4, 6, 3], 1000)),
    "resnet101": Architecture((1, 3, 32, 32), _resnet(_bottleneck, 256, [3, 4, 23, 3], 10)),
    "bert": Architecture((128, 768), _bert(12, 128, 768, 12)),
    "bert-tiny": Architecture((8, 32), _bert(2, 8, 32, 2)),
}


def _architecture(name: str) -> Architecture:
    if name not in ARCHITECTURES:
        raise Invalid(f"no architecture {name!r}: there are {', '.join(ARCHITECTURES)}")
    return ARCHITECTURES[name]


def model(name: str, seed: int = 0) -> onnx.ModelProto:
    """The float network of a name, with one input, ``x``."""
    architecture, graph = _architecture(name), Graph(seed)
    output = architecture.build(graph, "x")
    stored = [numpy_helper.from_array(value, name) for name, value in graph.constants.items()]
    network = helper.make_graph(
        graph.nodes,
        name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, architecture.shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        stored,
    )
    return helper.make_model(network, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def samples(name: str, count: int, seed: int = 0) -> list[np.ndarray]:
    """Inputs of the network of a name."""
    rng = np.random.default_rng([seed, 1])
    return [rng.standard_normal(_architecture(name).shape, np.float32) for _ in range(count)]
