"""Proofs of what a network computes: queries in a session, in which its weights are committed to once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping

import numpy as np

from .. import _volery
from .._errors import Disagreed
from .._report import Report

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .. import Options

    # A number of inputs, or one alone.
    Inputs = Mapping[str, Any] | Any
    Path = str | PathLike[str]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a query was answered, which is proved.

    ``values`` are integers (int64) by the names of what is shown, each in its shape; ``class`` has that of the output
    without the last axis. The integer ``a`` of one with the exponent ``e`` stands for ``a · 2^−e``. ``report`` is that
    of the query's proof.
    """

    values: dict[str, np.ndarray]
    exponents: dict[str, int]
    report: Report

    @property
    def floats(self) -> dict[str, np.ndarray]:
        """The real numbers (float64) that the integers stand for."""
        return {
            name: np.ldexp(integers.astype(np.float64), -self.exponents[name])
            for name, integers in self.values.items()
        }


class _Session:
    """One end of a session, which one thread at a time has in hand. Leaving ``with`` ends it."""

    def __init__(
        self,
        role: str,
        network: Path,
        weights: Any,
        show: Iterable[str],
        first: dict[str | None, np.ndarray] | None,
        options: Any,
    ) -> None:
        if isinstance(show, str):
            raise TypeError(f"show= is a list of names: [{show!r}]")
        if weights is not None and not isinstance(weights, (str, PathLike)):
            weights = _array("weights", weights)
        opened = _volery.open_queries(role, fspath(network), weights, list(show), first, options)
        self._session, told = opened
        self._report: Report | None = None
        self._first = None if told is None else self._answer(told)

    def _answer(self, told: Any) -> Answer | None:
        """The answer, or none where the session has ended, of which the report then is."""
        shown, report = told
        if shown is None:
            self._report = Report(report)
            return None
        values, exponents = {}, {}
        for name, shape, exponent, integers in shown:
            values[name] = np.frombuffer(integers, "<i8").astype(np.int64).reshape(shape)
            exponents[name] = exponent
        return Answer(values, exponents, Report(report))

    def _ask(self, inputs: dict[str | None, np.ndarray] | None) -> Answer | None:
        return self._answer(self._session.ask(inputs))

    @property
    def report(self) -> Report | None:
        """The report of the session, once it has ended well: its sums, and the number of ``queries``."""
        return self._report

    def close(self) -> None:
        """Closes the link of a session that has not ended, of which the peer hears as of an error."""
        self._session.abandon()

    def _leave(self) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None and self._session.is_open:
            self._leave()
        else:
            self.close()


class ProverSession(_Session):
    """The prover's end of a session, which ``session`` opens."""

    def query(self, inputs: Inputs) -> Answer:
        """What the network makes of ``inputs``, proved.

        They are an array, or a dictionary of arrays by the names of inputs, each of its input's shape, but that a batch
        of one may be left out: of floats, each of which becomes the nearest integer, and of two the larger; or of
        integers, which are those of the network themselves.

        Raises ``Unsatisfied`` where a value within the network needs more bits than it has, with its node, and
        ``Invalid`` where ``inputs`` are not those of the network: nothing was sent then, and the session goes on. Every
        other error has ended it.
        """
        answer = self._ask(_arrays(inputs))
        assert answer is not None
        return answer

    def end(self) -> Report:
        """Says that there are no more queries: the report of the session."""
        if self._report is None:
            self._ask(None)
        assert self._report is not None
        return self._report

    def _leave(self) -> None:
        self.end()


class VerifierSession(_Session):
    """The verifier's end of a session, which ``verify_session`` opens: an iterator over what was proved."""

    def __iter__(self) -> Iterator[Answer]:
        return self

    def __next__(self) -> Answer:
        answer = self._ask(None) if self._report is None else None
        if answer is None:
            raise StopIteration
        return answer


def session(
    network: Path,
    weights: Any = None,
    *,
    show: Iterable[str] = (),
    **options: Unpack[Options],
) -> ProverSession:
    """Opens a session with a verifier, which is then asked about by ``query`` as often as there are inputs.

        with volery.onnx.session("net.arch.onnx", "net.weights.npy", connect="host:7777", peer="volery1…") as asked:
            answer = asked.query(x)                 # answer.values["class"]

    ``network`` is the path of a quantised network, or of its public graph; then ``weights`` is that of a ``.npy`` file,
    or an array: what ``split`` has made. ``show`` names the outputs, or inputs, that the verifier is told, the same on
    both sides: else it is ``class``, or all outputs where there is none. The peer may be ``volery model verify``.

    Raises ``Invalid`` where the files or names make no sense, before anybody is contacted, and what ``volery.prove``
    raises of options and of the link.
    """
    return ProverSession("prove", network, weights, show, None, options)


def verify_session(network: Path, *, show: Iterable[str] = (), **options: Unpack[Options]) -> VerifierSession:
    """Opens a session with a prover, and verifies that there are weights; iterating verifies query by query.

        for answer in volery.onnx.verify_session("net.arch.onnx", listen="0.0.0.0:7777", peer="volery1…"):
            print(answer.values["class"])

    All answers are about the same weights. ``network`` and ``show`` are as for ``session``; the peer may be ``volery
    model prove``. Whoever leaves before the prover has ended closes the link. Raises what ``volery.verify`` raises.
    """
    return VerifierSession("verify", network, None, show, None, options)


def prove(
    network: Path,
    inputs: Inputs,
    weights: Any = None,
    *,
    show: Iterable[str] = (),
    **options: Unpack[Options],
) -> Answer:
    """Proves what the network makes of ``inputs``: a session of one query, whose report the answer has.

    Raises what ``session`` and ``ProverSession.query`` raise; where that is about files or values, nobody was contacted.
    """
    with ProverSession("prove", network, weights, show, _arrays(inputs), options) as asked:
        answer = asked._first
        assert answer is not None
        return replace(answer, report=asked.end())


def verify(network: Path, *, show: Iterable[str] = (), **options: Unpack[Options]) -> Answer:
    """Verifies a session of one query: what the prover says, and the report of the session.

    Raises ``Disagreed`` where the prover has none, or another behind it, and what ``verify_session`` raises.
    """
    with verify_session(network, show=show, **options) as asked:
        answer = next(asked, None)
        if answer is None:
            raise Disagreed("the prover ended the session without a query")
        if next(asked, None) is not None:
            raise Disagreed("the prover has another query: verify_session takes several")
        assert asked.report is not None
        return replace(answer, report=asked.report)


def split(network: Path, *, public: Path, weights: Path, force: bool = False) -> str:
    """Splits a quantised network into its public graph, for both parties, and its weights, for the prover alone.

    ``public`` and ``weights`` are the files to write; others of their names are replaced with ``force`` alone. Gives the
    identity of the network, in hexadecimal digits, which is that of the graph, too. Raises ``Invalid`` where the network
    is not quantised, or split already, and where a file cannot be written.
    """
    return _volery.split_network(fspath(network), fspath(public), fspath(weights), force)


def _arrays(inputs: Inputs) -> dict[str | None, np.ndarray]:
    """The arrays of a query by the names of inputs, of one alone by none."""
    if isinstance(inputs, Mapping):
        return {name: _array(f"input {name}", value) for name, value in inputs.items()}
    return {None: _array("the input", inputs)}


def _array(name: str, value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: an array of floats or integers, and this is of {array.dtype}")
    return array.astype("<f8" if array.dtype.kind == "f" else array.dtype.newbyteorder("<"), copy=False)
