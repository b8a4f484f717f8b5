"""Both parties in this process, for tests and notebooks."""

from __future__ import annotations

import threading
from typing import Any, Mapping

from ._circuit import Statement
from ._errors import Abandoned, LinkError
from ._report import Report


def loopback(
    statement: Statement | str,
    public: Mapping[str, Any] | None = None,
    private: Any = None,
    **options: Any,
) -> tuple[Report, Report]:
    """Proves a function, or a relation, to a verifier on another thread of this process, over 127.0.0.1.

    Gives the reports of the prover and of the verifier. An error of the prover that is its own is raised
    before one of the verifier.

    >>> import volery
    >>> prover, verifier = volery.loopback("builtin:sha256-preimage?length=3",
    ...     public={"digest": bytes.fromhex(
    ...         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")},
    ...     private={"message": b"abc"})
    >>> verifier.accepted
    True
    """
    import volery

    def act(name: str, **kwargs: Any) -> Report:
        return getattr(volery, name)(statement, public=public, **kwargs, **options)

    if options.get("check", True):
        # A witness that fails is found before anybody waits.
        kept = {key: options[key] for key in ("field",) if key in options}
        volery.check(statement, public=public, private=private, **kept)
    ends: dict[str, Any] = {}
    bound = threading.Event()

    def listening(address: str) -> None:
        ends["address"] = address
        bound.set()

    def verify() -> None:
        try:
            ends["verifier"] = act("verify", listen="127.0.0.1:0", listening=listening)
        except BaseException as error:
            ends["error"] = error
        finally:
            bound.set()

    verifier = threading.Thread(target=verify, daemon=True)
    verifier.start()
    bound.wait()
    prover: Report | None = None
    error: BaseException | None = None
    if "address" in ends:
        try:
            prover = act("prove", private=private, connect=ends["address"])
        except BaseException as why:
            error = why
    verifier.join()
    # Of two errors the one that is only of the link is the consequence.
    if error is not None and not ("error" in ends and isinstance(error, (LinkError, Abandoned))):
        raise error
    if "error" in ends:
        raise ends["error"]
    assert prover is not None
    return prover, ends["verifier"]
