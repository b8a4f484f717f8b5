"""What a proof did, and how far one has come."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, NamedTuple


class Progress(NamedTuple):
    """How far a proof has come."""

    #: Multiplications done.
    done: int
    #: How many there will be, where that is known.
    total: int | None
    #: Bytes sent to the peer.
    sent: int
    #: Bytes received from it.
    received: int


class Report(Mapping[str, Any]):
    """The fields of the command line's JSON, as a mapping and as attributes.

    >>> report = Report('{"verdict": "accepted", "gates": {"mul": 3}}')
    >>> report.verdict, report.gates.mul, report["gates"]["mul"]
    ('accepted', 3, 3)
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: str | dict[str, Any]) -> None:
        self._fields = json.loads(fields) if isinstance(fields, str) else fields

    @property
    def accepted(self) -> bool:
        """Whether a verifier has accepted. Of a proof in bytes its maker does not know."""
        return self._fields.get("verdict") == "accepted"

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._fields[name]
        except KeyError:
            raise AttributeError(f"a report of this kind has no {name}") from None
        return Report(value) if isinstance(value, dict) else value

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def json(self) -> str:
        """The report as one line of JSON."""
        return json.dumps(self._fields)

    def __repr__(self) -> str:
        return f"Report({self._fields!r})"
