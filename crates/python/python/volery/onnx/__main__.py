"""``python -m volery.onnx quantise``: ``volery.onnx.quantise`` and ``accuracy`` from a shell.

``python -m volery.onnx architecture`` makes a network to measure by, of ``volery.onnx.architectures``.

Exit codes: 0 done, 2 wrong usage or a network or samples that do not fit, 70 a bug, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from typing import Any, NoReturn

import numpy as np

from .._errors import Invalid
from . import Quantised, accuracy, architectures, quantise
from ._floats import Samples


class Parser(argparse.ArgumentParser):
    """A command line whose errors are those of the module."""

    def error(self, message: str) -> NoReturn:
        raise Invalid(f"{message}: see --help")


def parser() -> Parser:
    """What may be typed."""
    parser = Parser(
        prog="python -m volery.onnx", description="Makes a network of integers of a float ONNX file."
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    made = Parser(add_help=False)
    made.add_argument("--out", required=True, metavar="FILE", help="the file to write")
    made.add_argument("--force", action="store_true", help="replace files of such names, if there are any")
    made.add_argument("--json", action="store_true", help="print one JSON object")
    verb = verbs.add_parser("quantise", parents=[made], help="integers of floats, compared with them")
    add = verb.add_argument
    add("network", help="the ONNX file with floats")
    add(
        "--calibrate",
        required=True,
        metavar="SAMPLES.npz",
        help="an array for each input, which stacks samples",
    )
    add("--room", type=float, default=4, metavar="TIMES", help="larger than with the samples [default: 4]")
    add("--bits", type=int, default=16, metavar="BITS", help="of values between layers [default: 16]")
    add("--until", metavar="TENSOR", help="end the network there")
    add("--test", metavar="SAMPLES.npz", help="to compare with floats by [default: those of --calibrate]")
    verb = verbs.add_parser(
        "architecture", parents=[made], help="a network with random weights, to measure by"
    )
    add = verb.add_argument
    add("name", help=", ".join(architectures.ARCHITECTURES))
    add("--seed", type=int, default=0, metavar="N", help="of weights and samples [default: 0]")
    add("--input", metavar="FILE.npy", help="write an input to run it with, too")
    return parser


def free(option: str, path: str, force: bool) -> None:
    """Refuses a place in which something is that is not to be replaced."""
    if os.path.islink(path) or os.path.exists(path) and not os.path.isfile(path):
        raise Invalid(f"{option} {path}: not a regular file")
    if os.path.exists(path) and not force:
        raise Invalid(
            f"{option} {path}: there is a file of this name: take another name, or give --force to replace it"
        )


def make(typed: argparse.Namespace) -> tuple[Quantised, Samples]:
    """The network that was asked for, and samples to compare it with floats by."""
    if typed.verb == "quantise":
        network = quantise(typed.network, typed.calibrate, typed.room, until=typed.until, bits=typed.bits)
        return network, typed.test or typed.calibrate
    *calibration, test = architectures.samples(typed.name, 4, typed.seed)
    return quantise(architectures.model(typed.name, typed.seed), calibration), [test]


def run(typed: argparse.Namespace) -> dict[str, Any]:
    """Does what was typed: the report."""
    files = [("--out", typed.out), ("--input", getattr(typed, "input", None))]
    files = [(option, path) for option, path in files if path]
    for option, path in files:
        free(option, path, typed.force)
    network, test = make(typed)
    found = accuracy(network, test)
    for option, path in files:
        partial = f"{path}.{os.getpid()}.partial"
        try:
            with open(partial, "wb") as file:
                if option == "--out":
                    file.write(network.model.SerializeToString())
                else:
                    np.save(file, architectures.samples(typed.name, 4, typed.seed)[-1])
            free(option, path, typed.force)
            os.replace(partial, path)
        finally:
            if os.path.exists(partial):
                os.remove(partial)
    read = {
        name for node in network.graph.node if node.op_type == "DequantizeLinear" for name in node.input[:1]
    }
    weights = [
        values
        for name, values in network.constants.items()
        if name in read and not name.startswith("volery.public/")
    ]
    widths = [int(np.abs(values.astype(np.int64)).max(initial=0)).bit_length() + 1 for values in weights]
    return {
        "network": typed.out,
        "inputs": {name: {"shape": shape, "exponent": e} for name, (shape, e) in network.inputs.items()},
        "weights": sum(values.size for values in weights),
        "weight_bits": max(widths, default=0),
        "accuracy": {
            "held_out": typed.verb != "quantise" or typed.test is not None,
            "samples": found.samples,
            "labels_equal": found.labels,
            "worst": found.worst,
            "largest": found.largest,
            "overflows": found.overflows,
            "first_overflow": found.first or None,
            "room_left": found.room if math.isfinite(found.room) else None,
        },
    }


def table(report: dict[str, Any]) -> str:
    """A report for people."""
    found = report["accuracy"]
    which = "other samples" if found["held_out"] else "the samples of calibration: give others by --test"
    inputs = (
        f"{name} ({list(of['shape'])} in steps of 2^{-of['exponent']})"
        for name, of in report["inputs"].items()
    )
    rows = [
        ("network", report["network"]),
        ("inputs", ", ".join(inputs)),
        ("weights", f"{report['weights']:,}, of up to {report['weight_bits']} bits"),
        ("labels", f"equal in {found['labels_equal']} of {found['samples']}, on {which}"),
        ("outputs", f"off by {found['worst']:.3g} at most, of {found['largest']:.3g}"),
        ("overflows", f"in {found['overflows']} of {found['samples']}"),
    ]
    if found["first_overflow"]:
        rows.append(("first", found["first_overflow"]))
    if found["room_left"] is not None:
        rows.append(("room", f"values may become {found['room_left']:.1f} times larger"))
    return "\n".join(f"{name:<12} {text}" for name, text in rows)


def main(arguments: list[str] | None = None) -> int:
    """The program; its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        typed = parser().parse_args(arguments)
        report = run(typed)
    except (Exception, KeyboardInterrupt) as why:
        code = (
            130 if isinstance(why, KeyboardInterrupt) else 2 if isinstance(why, (ValueError, OSError)) else 70
        )
        line = " ".join(str(why).split()) or type(why).__name__
        if code == 70:
            import traceback

            traceback.print_exc()
        print(f"volery: {line}", file=sys.stderr, flush=True)
        if "--json" in arguments:
            print(json.dumps({"verdict": None, "error": line, "exit_code": code}), flush=True)
        return code
    print(json.dumps(report) if typed.json else table(report), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
