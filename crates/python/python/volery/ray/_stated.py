"""What a coordinator proves or verifies, and what of it goes to workers."""

from __future__ import annotations

import pickle
from typing import Any, Mapping

import ray

from .. import _volery
from .._circuit import Statement
from .._errors import Invalid
from .._sharded import Sharded
from ._worker import Task


class Relation:
    """A relation by its name."""

    def __init__(
        self, role: str, relation: Any, values: tuple[Any, Any], shards: int | None, keywords: dict[str, Any]
    ) -> None:
        if shards is None:
            raise Invalid("shards: into how many the relation falls, shards=4; both parties say the same")
        public, private = (value if isinstance(value, list) else dict(value or {}) for value in values)
        self._role, self._relation = role, str(relation)
        self.party = _volery.Shards(role, self._relation, shards, public, private, keywords)

    def send(self, options: dict[str, Any]) -> None:
        """Makes ready what each worker gets, with these options."""
        all_of_it = (self._role, self._relation, 0, len(self.party), self.party.public(), "", options)
        self._task = Task(*all_of_it)

    def task(self, shard: int, coordinator: str) -> tuple[Task, Any]:
        """What the worker of a shard is told, and what it reads besides."""
        return self._task._replace(shard=shard, coordinator=coordinator), None

    def share(self, shard: int) -> bytes:
        """What the worker of a shard has to know of the witness."""
        return self.party.share(shard)


class Function:
    """A function made by ``volery.sharded``."""

    def __init__(
        self,
        role: str,
        statement: Statement,
        values: tuple[Any, Any],
        shards: int | None,
        keywords: dict[str, Any],
    ) -> None:
        name = statement.__name__
        if not isinstance(statement, Sharded):
            raise Invalid(f"{name} does not fall into shards: make it by volery.sharded")
        public, private = values
        if isinstance(public, list):
            raise Invalid(f"public values of {name}: a mapping by name")
        made = statement._made(public, private)
        count = len(made.parts or ())
        if shards is not None and shards != count:
            raise Invalid(f"shards={shards}: {name} has {count}, so leave it out")
        self._role, self._known = role, made.known
        self._statement, self._public = statement, dict(public or {})
        self.party = _volery.Shards.of_function(
            role, made.run, made.parts, statement.field, made.known, keywords
        )

    def send(self, options: dict[str, Any]) -> None:
        """Makes ready what each worker gets, with these options."""
        content = ray.cloudpickle.dumps((self._statement, self._public))
        # It is public, and may be long: each machine gets it once.
        self._content = ray.put(content)
        self._task = Task(self._role, None, 0, len(self.party), None, "", options)

    def task(self, shard: int, coordinator: str) -> tuple[Task, Any]:
        """What the worker of a shard is told, and what it reads besides."""
        digests = tuple(self.party.digests(shard))
        return self._task._replace(shard=shard, coordinator=coordinator, digests=digests), self._content

    def share(self, shard: int) -> bytes:
        """The private values of a shard; nothing at a verifier."""
        values: Mapping[str, Any] = self._known(shard) if self._role == "prover" else {}
        return pickle.dumps(values)
