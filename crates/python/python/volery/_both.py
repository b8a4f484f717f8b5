"""Both parties in this process, for tests and notebooks."""

from __future__ import annotations

import threading
from typing import Any, Mapping

from ._background import Background
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
    address: str | None = None
    bound = threading.Event()

    def listening(at: str) -> None:
        nonlocal address
        address = at
        bound.set()

    def verify(progress: Any) -> Report:
        try:
            return act("verify", listen="127.0.0.1:0", listening=listening, progress=progress)
        finally:
            bound.set()

    hear = options.pop("progress", None)
    verifier = Background(verify, hear)
    error: BaseException | None = None
    verifier.start()
    try:
        bound.wait()
        if address is not None:
            prover = act("prove", private=private, connect=address, progress=hear)
    except (LinkError, Abandoned) as why:
        error = why
    except BaseException:
        # A peer that nobody speaks to would wait for ever.
        verifier.cancel()
        verifier.join()
        raise
    verifier.join()
    # Of two errors the one that is only of the link is the consequence.
    if verifier.error is not None:
        raise verifier.error
    if error is not None:
        raise error
    return prover, verifier.made
