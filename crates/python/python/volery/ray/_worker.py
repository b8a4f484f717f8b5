"""What runs on the machines of a Ray cluster: a worker, which does one shard after the other."""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import traceback
from typing import Any, NamedTuple

from .. import _volery
from .._errors import Error, Failed


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
    #: None where it is a function.
    relation: str | None
    shard: int
    shards: int
    public: Any
    coordinator: str
    options: dict[str, Any]
    #: Of a function: those by which the coordinator knows the shard, all announcements, and the statement.
    digests: tuple[bytes, bytes, bytes] | None = None


class Fault(NamedTuple):
    """What a function raised, in a line."""

    why: str


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
        import ray

        return ray.get_runtime_context().get_node_id(), os.getpid()

    def work(
        self, task: Task, run_key: Secret, share_key: Secret, share: bytes, content: bytes | None = None
    ) -> str | Fault | None:
        """Does a shard until it is accepted; why it is not, where it is not. ``content`` is a function with
        its public values, where the statement is one."""
        secrets_of_it = (run_key.reveal(), open_sealed(share_key, share))
        try:
            if content is None:
                _volery.run_worker(
                    task.role,
                    task.relation,
                    (task.shard, task.shards),
                    task.public,
                    secrets_of_it,
                    task.coordinator,
                    None,
                    task.options,
                )
            else:
                _work_of(task, *secrets_of_it, content)
        except Failed as why:
            return Fault(_told(why.__cause__ or why))
        except Exception as why:
            return str(why) or type(why).__name__
        return None


def _work_of(task: Task, run_key: bytes, share: bytes, content: bytes) -> None:
    """Does a shard of a function."""
    try:
        # Both come from this party's own coordinator.
        statement, public = pickle.loads(content)
        values = pickle.loads(share)
        made = statement._made(public)
    except Exception as why:
        raise Failed from why
    assert task.digests is not None
    _volery.run_worker_of(
        task.role,
        made.run,
        made.parts,
        statement.field,
        (task.shard, *task.digests),
        lambda shard: values,
        run_key,
        task.coordinator,
        None,
        task.options,
    )


def _told(why: BaseException) -> str:
    """An error in a line, with the line of the function that it came from."""
    own = os.path.dirname(os.path.dirname(__file__))
    frames = traceback.extract_tb(why.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(own + os.sep)]
    place = f" ({theirs[-1].filename}:{theirs[-1].lineno})" if theirs else ""
    text = str(why)
    return (text if isinstance(why, Error) else f"{type(why).__name__}: {text}") + place
