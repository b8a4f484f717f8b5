"""Speeds of circuits in Python: ``python -m volery.bench [NAME...] [--system S] [--rounds N]``.

Both parties run in this process over loopback TCP. A line of JSON for each bench: gates, and how many of them
a second the function pushes where nothing is proved (``count``), in the clear (``check``), and in a proof
(``loopback``, after its set-up).
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, Callable

import volery
from volery import Array, Bytes, Element, Word


@volery.circuit
def add(x: Word[32], y: Word[32], *, rounds: int) -> None:
    """Additions of words of 32 bits."""
    for _ in range(rounds):
        x, y = y, x + y
    volery.assert_true(x != 0, "sum")


@volery.circuit
def mix(x: Word[32], y: Word[32], *, rounds: int) -> None:
    """What ciphers do: add, xor, rotate, and."""
    for _ in range(rounds):
        x = (x + y).rotate_left(7) ^ y
        y = (y & x) + 0x9E3779B9
    volery.assert_true(x != 0, "mixed")


@volery.circuit
def multiply(x: Word[32], y: Word[32], *, rounds: int) -> None:
    """Products of words of 32 bits."""
    for _ in range(rounds):
        x, y = y, x * y + 1
    volery.assert_true(x != 0, "product")


@volery.circuit
def hashes(x: Bytes[64], y: Bytes[32], *, rounds: int) -> None:
    """SHA-256 of two blocks, again and again."""
    for _ in range(rounds):
        x = volery.sha256(x) + y
    volery.assert_true(x != bytes(64), "digest")


@volery.circuit(field="f61")
def elements(x: Element, y: Element, *, rounds: int) -> None:
    """Products of elements, one at a time."""
    for _ in range(rounds):
        x, y = y, x * y + 1
    volery.assert_not_zero(x, "product")


@volery.circuit(field="f61")
def vectors(x: Array[Element, 1000], y: Array[Element, 1000], *, rounds: int) -> None:
    """Products of vectors, a thousand elements at a time."""
    for _ in range(rounds):
        x, y = y, x * y + 1
    volery.assert_not_zero(x, "product")


#: Each with its rounds, and its private inputs.
BENCHES: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "add": (add, 100_000, {"x": 3, "y": 5}),
    "mix": (mix, 40_000, {"x": 3, "y": 5}),
    "multiply": (multiply, 5_000, {"x": 3, "y": 5}),
    "hashes": (hashes, 100, {"x": bytes(64), "y": bytes(32)}),
    "elements": (elements, 500_000, {"x": 3, "y": 5}),
    "vectors": (vectors, 1_000, {"x": [3] * 1000, "y": [5] * 1000}),
}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What ``work`` gives, and its seconds."""
    begun = time.perf_counter()
    made = work()
    return made, time.perf_counter() - begun


def bench(name: str, rounds: int | None = None, **options: Any) -> dict[str, Any]:
    """The figures of one bench.

    >>> bench("add", rounds=10)["gates"]["mul"]
    341
    """
    statement, usual, private = BENCHES[name]
    public = {"rounds": rounds or usual}
    count, counting = timed(lambda: statement.count(public))
    _, checking = timed(lambda: statement.check(public, private))
    prover, verifier = volery.loopback(statement, public, private, check=False, **options)
    gates = count.gates
    every = gates.mul + gates.add
    return {
        "name": name,
        "rounds": public["rounds"],
        "gates": dict(gates),
        "gates_per_second": {
            "count": every / counting,
            "check": every / checking,
            "prove": every / verifier.seconds.online,
        },
        "mul_gates_per_second": verifier.mul_gates_per_second,
        "seconds": {"count": counting, "check": checking, "online": verifier.seconds.online},
        "system": prover.system,
        "bytes": dict(verifier.bytes),
        "peak_rss_bytes": verifier.peak_rss_bytes,
    }


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m volery.bench", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}; all where none is given"
    )
    parser.add_argument("--system", default="quicksilver")
    parser.add_argument("--threads", type=int, default=1, help="of each party")
    parser.add_argument("--rounds", type=int)
    typed = parser.parse_args()
    for name in typed.names or BENCHES:
        if name not in BENCHES:
            parser.error(f"there is no bench {name}: there are {', '.join(BENCHES)}")
        print(json.dumps(bench(name, typed.rounds, system=typed.system, threads=typed.threads)), flush=True)


if __name__ == "__main__":
    main()
