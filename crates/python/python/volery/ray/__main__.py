"""``python -m volery.ray prove|verify``: ``volery.ray.prove`` and ``verify`` from a shell.

Exit codes: 0 accepted, 1 rejected, 2 wrong usage or an invalid relation or witness, 3 the peer or the network
failed, 70 a bug, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Callable

import volery

from . import prove, verify
from ._watch import short

#: Exit codes by exception, the first that fits.
CODES: tuple[tuple[type[BaseException], int], ...] = (
    (volery.Rejected, 1),
    (volery.Invalid, 2),
    (volery.Unsatisfied, 2),
    (volery.LinkError, 3),
    (volery.Disagreed, 3),
    (volery.Misbehaved, 3),
    (volery.Abandoned, 3),
    (volery.PeerError, 3),
    (ConnectionError, 3),
    (OSError, 3),
    (KeyboardInterrupt, 130),
    (Exception, 70),
)


def parser() -> argparse.ArgumentParser:
    """What may be typed."""
    parser = argparse.ArgumentParser(
        prog="python -m volery.ray",
        description="Proves or verifies a relation in shards, by workers on a Ray cluster.",
        epilog="Values are those of the command line: NAME=VALUE, or a file of such lines. Files that are "
        "named by --relation and --public are read on every machine; private values only here.",
    )
    roles = parser.add_subparsers(dest="role", required=True, metavar="prove|verify")
    for role in ("prove", "verify"):
        typed = roles.add_parser(role, help=f"{role} a relation in shards")
        add = typed.add_argument
        add("--relation", required=True, help="builtin:NAME or a file")
        add("--public", action="append", default=[], metavar="NAME=VALUE|FILE")
        if role == "prove":
            add("--private", action="append", default=[], metavar="NAME=VALUE|FILE")
            add("--no-check", action="store_true", help="do not evaluate the whole statement here first")
        add("--shards", type=int, required=True, metavar="N", help="both parties say the same")
        add("--workers", type=int, metavar="N", help="at once [default: as many as there are cores for]")
        add("--cpus", type=int, default=1, metavar="N", help="cores, and threads, of a worker [default: 1]")
        add("--restarts", type=int, metavar="N", help="attempts that may be lost [default: 16]")
        add("--strategy", metavar="S", help="of a placement group: PACK, SPREAD, STRICT_PACK, STRICT_SPREAD")
        add("--ray", metavar="ADDRESS", help="of the Ray cluster [default: RAY_ADDRESS, or one of its own]")
        add("--host", metavar="ADDRESS", help="of this machine, where workers join [default: Ray's]")
        way = typed.add_mutually_exclusive_group(required=True)
        way.add_argument("--connect", metavar="HOST:PORT", help="where the other party's coordinator is")
        way.add_argument("--listen", metavar="ADDRESS", help="wait for it here")
        add("--key", metavar="FILE", help="this party's key")
        add("--peer", action="append", metavar="ID", help="the other party's identity")
        add("--peers", action="append", metavar="FILE", help="of identities")
        add("--insecure-plaintext", action="store_true", help="no keys between the coordinators")
        add("--field", help="of the statement [default: f2]")
        add("--vole", help="where correlated randomness comes from [default: auto]")
        add("--security", type=int, metavar="BITS", help="refuse to run with fewer")
        add("--timeout", type=float, default=60, metavar="SECONDS", help="the longest wait [default: 60]")
        add("--json", action="store_true", help="one JSON object as the last line of standard output")
        add("--quiet", action="store_true", help="no progress")
    return parser


def start_ray(address: str | None) -> None:
    """Joins a cluster, or starts one on this machine."""
    import logging

    import ray

    ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)


def listening(address: str) -> None:
    """Says where the other party's coordinator is waited for."""
    print(f"listening on {address}", file=sys.stderr, flush=True)


def run(typed: argparse.Namespace) -> volery.Report:
    """Does what was typed."""
    options: dict[str, Any] = vars(typed).copy()
    role, relation = options.pop("role"), options.pop("relation")
    options.pop("json")
    address = options.pop("ray")
    options["check"] = not options.pop("no_check", False)
    options["listening"] = listening
    act: Callable[..., volery.Report] = prove if role == "prove" else verify
    import ray

    start_ray(address)
    try:
        return act(relation, **options)
    finally:
        ray.shutdown()


def table(report: volery.Report) -> str:
    """A report for people."""
    rows = [
        ("verdict", report.verdict),
        ("role", f"{report.role}, by {len(report['shards'])} shards; {report.restarts} attempts lost"),
        ("system", f"{report.system} over {report.field}"),
        ("statement", report.statement),
        ("gates", f"{report.gates.mul} multiplications, {report.gates.add} additions"),
        ("traffic", f"{short(report.bytes.sent)}B sent, {short(report.bytes.received)}B received"),
        ("time", f"{report.seconds.total:.2f} s"),
        (
            "security",
            f"{report.security.computational_bits} bits computational, "
            f"{report.security.statistical_bits} bits statistical",
        ),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


def main(arguments: list[str] | None = None) -> int:
    """The program; its exit code."""
    typed = parser().parse_args(arguments)
    role = "prover" if typed.role == "prove" else "verifier"
    try:
        report = run(typed)
    except BaseException as why:
        if isinstance(why, SystemExit):
            raise
        code = next(code for kind, code in CODES if isinstance(why, kind))
        line = " ".join(str(why).split()) or type(why).__name__
        if code == 70:
            import traceback

            traceback.print_exc()
        print(f"volery: {line}", file=sys.stderr, flush=True)
        if typed.json:
            verdict = "rejected" if code == 1 else None
            told = {"verdict": verdict, "role": role, "error": line, "exit_code": code}
            print(json.dumps(told | {"shard": getattr(why, "shard", None)}), flush=True)
        return code
    print(report.json() if typed.json else table(report), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
