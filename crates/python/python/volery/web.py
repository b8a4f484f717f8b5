"""What a web server said over TLS 1.3, proved to whoever forwarded the request, or to others in a file.

``policy`` is the path of the file that says which server is asked for what, and what may be hidden: that of
the command line, in ``docs/web.md``. Options of a link, ``connect=``, ``listen=``, ``peer=``, ``key=``,
are those of ``volery.prove``. ``hidden`` has a word for each ``{hidden}`` of the policy's target; ``reveal`` and ``claims`` have paths
and claims of the prover's own choice, where ``choose`` of the policy allows them. What ends badly raises what lies below ``volery.Error``: ``Rejected`` where the
session, the answer or a file proves nothing, ``Invalid`` where that is found before anything is opened, and
``LinkError`` where the server or a link fails.
"""

from __future__ import annotations

import json as _json
from os import PathLike, fspath
from typing import Any, Callable, Iterable, Mapping

from . import _volery
from ._report import Report

__all__ = ["preview", "prove", "prove_to_bytes", "verify", "verify_bytes"]


def _bytes(value: str | bytes) -> bytes:
    if not isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{value!r} is neither text nor bytes")
    return value.encode() if isinstance(value, str) else bytes(value)


def _texts(name: str, texts: Iterable[str] | None) -> list[str]:
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts or ()):
        raise TypeError(f"{name}= is a list of texts")
    return list(texts or ())


def _words(hidden: Iterable[str | bytes] | None) -> Iterable[str | bytes]:
    if isinstance(hidden, (str, bytes, bytearray)):
        raise TypeError("hidden= is a list of words, one for each {hidden} of the policy's target")
    return hidden or ()


def _run(
    act: str, policy: str | PathLike[str] | None, own: dict[str, Any], options: Any, bundle: bytes | None = None
) -> Any:
    confirm, relay = own.get("confirm"), own.get("relay")
    every = {
        "headers": [(name, _bytes(value)) for name, value in (own.get("headers") or {}).items()],
        "hidden": [_bytes(word) for word in _words(own.get("hidden"))],
        "reveal": _texts("reveal", own.get("reveal")),
        "claims": _texts("claims", own.get("claims")),
        "url": own.get("url"),
        "address": own.get("address"),
        "show": [tuple(part) for part in own.get("show") or ()],
        "show_all": bool(own.get("show_all")),
        "roots": own.get("roots") and fspath(own["roots"]),
        "confirm": confirm and (lambda seen: confirm(Report({"verdict": None, "web": _json.loads(seen)}))),
        "record": bool(own.get("record")),
        "relay": [relay] if isinstance(relay, str) else list(relay or ()),
    }
    return _volery.run_web(act, None if policy is None else fspath(policy), every, options, bundle)


def preview(
    policy: str | PathLike[str] | None = None,
    headers: Mapping[str, str | bytes] | None = None,
    *,
    url: str | None = None,
    address: str | None = None,
    hidden: Iterable[str | bytes] = (),
    roots: str | PathLike[str] | None = None,
    reveal: Iterable[str] = (),
    claims: Iterable[str] = (),
    show: Iterable[tuple[int, int]] = (),
    show_all: bool = False,
) -> Report:
    """Makes the request without a verifier: what it would see is ``web`` of the report; nothing is proved.

    ``url`` stands in the place of a policy that is not written yet: ``headers`` are hidden, and ``reveal`` and
    ``claims`` are those of a policy. ``address`` is the server's, with its port, where its name does not lead there.
    """
    if (policy is None) == (url is None):
        raise TypeError("preview takes a policy, or url=")
    own = dict(headers=headers, url=url, address=address, hidden=hidden, roots=roots)
    own |= dict(reveal=reveal, claims=claims, show=show, show_all=show_all)
    return Report(_run("preview", policy, own, {})[0])


def prove(
    policy: str | PathLike[str],
    headers: Mapping[str, str | bytes] | None = None,
    *,
    hidden: Iterable[str | bytes] = (),
    roots: str | PathLike[str] | None = None,
    reveal: Iterable[str] = (),
    claims: Iterable[str] = (),
    show: Iterable[tuple[int, int]] = (),
    show_all: bool = False,
    confirm: Callable[[Report], bool] | None = None,
    **options: Any,
) -> Report:
    """Makes the request through the verifier at the other end of the link, and proves the answer.

    ``headers`` are fields that the policy names. ``confirm`` is given the report of a preview before anything
    is opened; where it says no, nothing is. Without it all that the policy wants is opened.
    """
    own = dict(headers=headers, hidden=hidden, roots=roots, confirm=confirm)
    own |= dict(reveal=reveal, claims=claims, show=show, show_all=show_all)
    return Report(_run("prove", policy, own, options)[0])


def prove_to_bytes(
    policy: str | PathLike[str],
    headers: Mapping[str, str | bytes] | None = None,
    *,
    hidden: Iterable[str | bytes] = (),
    roots: str | PathLike[str] | None = None,
    reveal: Iterable[str] = (),
    claims: Iterable[str] = (),
    show: Iterable[tuple[int, int]] = (),
    show_all: bool = False,
    confirm: Callable[[Report], bool] | None = None,
    **options: Any,
) -> tuple[bytes, Report]:
    """Makes the request through a relay that signs a record, and a file of it that others can verify.

    To the relay, at the other end of the link, nothing is opened; ``confirm`` is given what the file would
    show.
    """
    own = dict(headers=headers, hidden=hidden, roots=roots, confirm=confirm)
    own |= dict(reveal=reveal, claims=claims, show=show, show_all=show_all)
    report, bundle = _run("prove_to_bytes", policy, own, options)
    return bundle, Report(report)


def verify(policy: str | PathLike[str], *, record: bool = False, **options: Any) -> Report:
    """Forwards the connection of the prover at the other end of the link, and verifies what was answered.

    With ``record``, or where the policy has it, a record is signed, by ``key=``; where the prover keeps it and
    opens nothing, the report's verdict is None.
    """
    return Report(_run("verify", policy, dict(record=record), options)[0])


def verify_bytes(
    bundle: bytes, *, relay: str | Iterable[str], policy: str | PathLike[str], **options: Any
) -> Report:
    """Verifies what ``prove_to_bytes`` has made, or the command line has put in a file.

    ``relay`` is the identity of who forwarded the connection, as it is known from them, or several of which
    it is one.
    """
    return Report(_run("verify_bytes", policy, dict(relay=relay), options, bytes(bundle))[0])
