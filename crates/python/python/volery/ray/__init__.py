"""Proofs by many machines: each party's workers run on a Ray cluster of its own.

A relation, or a function made by ``volery.sharded``, falls into shards, each of which is proved by a worker of
the prover to one of the verifier. The process that calls ``prove`` or ``verify`` coordinates: it talks to the
other party's, has Ray start workers, and has those started again that die.

    report = volery.ray.verify(relation, public, shards=8, listen="0.0.0.0:7000", key=…, peer="volery1…")

It takes the extra ``ray``: ``pip install 'volery[ray]'``. ``python -m volery.ray --help`` is the same from a
shell.
"""

from __future__ import annotations

try:
    import ray as _ray  # noqa: F401 - for the message
except ImportError as _why:
    raise ImportError("volery.ray takes Ray: pip install 'volery[ray]'") from _why

from ._run import prove, verify
from ._watch import State

__all__ = ["State", "prove", "verify"]
