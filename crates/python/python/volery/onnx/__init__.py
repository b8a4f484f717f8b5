"""Networks of integers: from a float ONNX file to the one that is proved.

    net = volery.onnx.quantise("net.onnx", samples, out="net.q.onnx")
    net.accuracy(others)
    net.run(image)

``volery.onnx.reference`` is the definition of what such a file computes. All of it takes the extra ``onnx``:
``pip install 'volery[onnx]'``.
"""

from __future__ import annotations

try:
    import numpy as _numpy  # noqa: F401 - for the message
    import onnx as _onnx  # noqa: F401
    import onnxruntime as _onnxruntime  # noqa: F401
except ImportError as _why:
    raise ImportError("volery.onnx takes onnx and onnxruntime: pip install 'volery[onnx]'") from _why

from . import architectures
from ._quantise import Accuracy, Quantised, accuracy, quantise
from .reference import Network, Overflow

__all__ = ["Accuracy", "Network", "Overflow", "Quantised", "accuracy", "architectures", "quantise"]
