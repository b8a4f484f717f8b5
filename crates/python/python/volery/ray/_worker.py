"""What runs on the machines of a Ray cluster: a worker, which does one shard after the other."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any, NamedTuple

from .. import _volery


class Secret:
    """Bytes that no log and no error shows."""

    __slots__ = ("_bytes",)

    def __init__(self, content: bytes) -> None:
        self._bytes = content

    def reveal(self) -> bytes:
        """The bytes."""
        return self._bytes

    def __repr__(self) -> str:
        return "<Secret>"

    def __reduce__(self) -> Any:
        return Secret, (self._bytes,)


class Task(NamedTuple):
    """A shard that is to be done, and all about it that is public."""

    role: str
    relation: str
    shard: int
    shards: int
    public: Any
    coordinator: str
    options: dict[str, Any]


def seal(content: bytes) -> tuple[Secret, bytes]:
    """A key for this alone, and what only its holder can read.

    Ray keeps large arguments where others may look, and writes them to disk where memory is short; small ones
    go to the worker with the call.

    >>> key, sealed = seal(b"a witness")
    >>> sealed != b"a witness", open_sealed(key, sealed)
    (True, b'a witness')
    """
    key = Secret(secrets.token_bytes(32))
    return key, _masked(key, content)


def open_sealed(key: Secret, sealed: bytes) -> bytes:
    """What was sealed."""
    return _masked(key, sealed)


def _masked(key: Secret, content: bytes) -> bytes:
    mask = hashlib.shake_256(b"volery.ray share v1" + key.reveal()).digest(len(content))
    masked = int.from_bytes(content, "little") ^ int.from_bytes(mask, "little")
    return masked.to_bytes(len(content), "little")


class Worker:
    """An actor of Ray, of which each does one shard at a time."""

    def __init__(self, role: str) -> None:
        self._role = role

    def __repr__(self) -> str:
        return f"volery {self._role}"

    def where(self) -> tuple[str, int]:
        """The node and the process in which it runs."""
        import os

        import ray

        return ray.get_runtime_context().get_node_id(), os.getpid()

    def work(self, task: Task, run_key: Secret, share_key: Secret, share: bytes) -> str | None:
        """Does a shard until it is accepted; why it is not, where it is not."""
        try:
            _volery.run_worker(
                task.role,
                task.relation,
                (task.shard, task.shards),
                task.public,
                (run_key.reveal(), open_sealed(share_key, share)),
                task.coordinator,
                None,
                task.options,
            )
        except Exception as why:
            return str(why) or type(why).__name__
        return None
