"""Zero-knowledge proofs for programs too large for memory.

A statement is a relation with a name or a file, or a Python function made by ``@volery.circuit`` or, where
it falls into shards, by ``@volery.sharded``. ``check`` evaluates it in the clear, ``prove`` and ``verify``
run it with a peer, and ``prove_to_bytes`` and ``verify_bytes`` make and read proofs that need none; functions
have these as methods, too. Options are those of the command line, as keywords.

>>> import volery
>>> digest = bytes.fromhex("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
>>> volery.check("builtin:sha256-preimage?length=5", public={"digest": digest},
...              private={"message": b"hello"}).satisfied
True
"""

from __future__ import annotations

import json as _json
from typing import Any, Mapping

from . import _volery, web
from ._both import loopback
from ._circuit import Circuit, Statement, circuit
from ._errors import (
    Abandoned,
    Disagreed,
    Error,
    Invalid,
    LinkError,
    Misbehaved,
    PeerError,
    Rejected,
    Unsatisfied,
)
from ._report import Progress, Report
from ._sharded import Sharded, sharded
from ._steps import Running, start
from ._volery import (
    Array,
    Bit,
    Bytes,
    Element,
    Int,
    Key,
    Memory,
    Table,
    Type,
    Wire,
    Word,
    __version__,
    aes128,
    array,
    assert_equal,
    assert_not_zero,
    assert_permutation,
    assert_range,
    assert_true,
    concat,
    fields,
    hmac_sha256,
    keccak256,
    map,
    select,
    sha1,
    sha3_256,
    sha256,
    witness,
)

for _error in (Error, Unsatisfied, Invalid, Rejected, Disagreed, Misbehaved, Abandoned, LinkError, PeerError):
    _error.__module__ = "volery"
del _error

Values = Mapping[str, Any]


def _run(
    act: str, relation: Any, public: Any, private: Any, options: Any, proof: bytes | None = None
) -> tuple[Any, bytes]:
    if isinstance(relation, Statement):
        return relation._run(act, public, private, options, proof)
    return _volery.run_relation(act, str(relation), dict(public or {}), dict(private or {}), options, proof)


def check(
    relation: str | Statement, public: Values | None = None, private: Any = None, **options: Any
) -> Report:
    """Evaluates a relation in the clear; raises ``Unsatisfied`` with the first assertion that fails."""
    return Report(_run("check", relation, public, private, options)[0])


def count(relation: str | Statement, public: Values | None = None, **options: Any) -> Report:
    """Counts the gates of a relation with its public values, and makes the digest of the statement."""
    return Report(_run("count", relation, public, None, options)[0])


def prove(
    relation: str | Statement, public: Values | None = None, private: Any = None, **options: Any
) -> Report:
    """Proves a relation to the verifier at the other end of ``connect=`` or ``listen=``."""
    return Report(_run("prove", relation, public, private, options)[0])


def verify(relation: str | Statement, public: Values | None = None, **options: Any) -> Report:
    """Verifies what the prover at the other end of ``connect=`` or ``listen=`` proves."""
    return Report(_run("verify", relation, public, None, options)[0])


def prove_to_bytes(
    relation: str | Statement, public: Values | None = None, private: Any = None, **options: Any
) -> tuple[bytes, Report]:
    """A proof that anybody can verify at any time, by ``voleith`` or ``limbo``: the command line's file."""
    report, proof = _run("prove_to_bytes", relation, public, private, options)
    return proof, Report(report)


def verify_bytes(
    relation: str | Statement, proof: bytes, public: Values | None = None, **options: Any
) -> Report:
    """Verifies what ``prove_to_bytes`` has made, or the command line has put in a file."""
    return Report(_run("verify_bytes", relation, public, None, options, bytes(proof))[0])


def circuit_info(relation: str, **options: Any) -> dict[str, Any]:
    """The inputs, outputs and gates of a relation.

    >>> import volery
    >>> [port["name"] for port in volery.circuit_info("builtin:sha256-preimage")["inputs"]]
    ['message']
    """
    return _json.loads(_volery.circuit_info(str(relation), options))
