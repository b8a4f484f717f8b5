"""Networks of integers: from a float ONNX file to the one that is proved, and proofs of what it computes.

    net = volery.onnx.quantise("net.onnx", samples, out="net.q.onnx")
    net.accuracy(others)
    net.run(image)

    volery.onnx.split("net.q.onnx", public="net.arch.onnx", weights="net.weights.npy")
    volery.onnx.prove("net.arch.onnx", {"x": image}, "net.weights.npy", connect="host:7777", peer="volery1…")
    volery.onnx.verify("net.arch.onnx", listen="0.0.0.0:7777", peer="volery1…")

``volery.onnx.reference`` is the definition of what such a file computes. Proofs take numpy; all else takes the extra
``onnx``: ``pip install 'volery[onnx]'``.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING, Any

try:
    import numpy as _numpy  # noqa: F401 - for the message
except ImportError as _why:
    raise ImportError("volery.onnx takes numpy: pip install 'volery[onnx]'") from _why

from ._queries import Answer, ProverSession, VerifierSession, prove, session, split, verify, verify_session

if TYPE_CHECKING:
    from . import architectures as architectures
    from . import reference as reference
    from ._quantise import Accuracy, Quantised, accuracy, quantise
    from .reference import Network, Overflow

__all__ = [
    "Accuracy", "Answer", "Network", "Overflow", "ProverSession", "Quantised", "VerifierSession", "accuracy",
    "architectures", "prove", "quantise", "session", "split", "verify", "verify_session",
]  # fmt: skip

#: The modules of what takes the extra, which are imported once they are asked for: whoever verifies needs none.
_OF_EXTRA = {
    **dict.fromkeys(("Accuracy", "Quantised", "accuracy", "quantise"), "_quantise"),
    **dict.fromkeys(("Network", "Overflow", "reference"), "reference"),
    "architectures": "architectures",
}


def __getattr__(name: str) -> Any:
    if name not in _OF_EXTRA:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import onnx as _onnx  # noqa: F401 - for the message
        import onnxruntime as _onnxruntime  # noqa: F401
    except ImportError as why:
        raise ImportError(
            f"volery.onnx.{name} takes onnx and onnxruntime: pip install 'volery[onnx]'"
        ) from why
    module = _importlib.import_module(f".{_OF_EXTRA[name]}", __name__)
    return module if name == _OF_EXTRA[name] else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_EXTRA})
