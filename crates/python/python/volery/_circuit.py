"""Statements that are Python functions."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Mapping

from . import _volery
from ._errors import Invalid
from ._report import Report


class Circuit:
    """A statement made by ``@volery.circuit``.

    Parameters whose annotation is a kind of value (``Bit``, ``Word[32]``, ``Bytes[32]``, ``Element``,
    ``Array[Word[8], 10]``) are private inputs, in this order; all others are public, and get what ``public``
    gives, or their defaults.

    The function is run as often as the statement is walked, and has to do the same each time: what it does
    may depend on public parameters and on nothing else.
    """

    def __init__(self, function: Callable[..., Any], field: str) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.field = field
        signature = inspect.signature(function, eval_str=True)
        self._private: dict[str, _volery.Type] = {}
        self._defaults: dict[str, Any] = {}
        self._public: list[str] = []
        for name, parameter in signature.parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                raise TypeError(f"{function.__name__}: {parameter} has no name to give a value by")
            if isinstance(parameter.annotation, _volery.Type):
                self._private[name] = parameter.annotation
                continue
            self._public.append(name)
            if parameter.default is not parameter.empty:
                self._defaults[name] = parameter.default

    def _call(self, public: Mapping[str, Any] | None) -> Callable[[], Any]:
        given = dict(public or {})
        for name in given:
            if name not in self._public:
                known = ", ".join(self._public) or "none"
                what = "a private input" if name in self._private else "no parameter"
                raise Invalid(f"{name} is {what} of {self.__name__}; public are {known}")
        arguments = {**self._defaults, **given}
        for name in self._public:
            if name not in arguments:
                raise Invalid(f'{name} has no value: give one, public={{"{name}": …}}')

        def run() -> None:
            wires = {name: _volery.witness(name, kind) for name, kind in self._private.items()}
            self.function(**wires, **arguments)

        return run

    def _run(
        self, act: str, public: Any, private: Any, options: dict[str, Any], proof: bytes | None = None
    ) -> Any:
        return _volery.run_function(act, self._call(public), self.field, dict(private or {}), options, proof)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function itself: within another that runs."""
        return self.function(*args, **kwargs)

    def check(self, public: Any = None, private: Any = None, **options: Any) -> Report:
        """Evaluates the function in the clear.

        Raises ``Unsatisfied`` with the first assertion that does not hold, and the line that makes it.
        """
        return Report(self._run("check", public, private, options)[0])

    def count(self, public: Any = None, **options: Any) -> Report:
        """Counts gates by kind, and makes the digest of the statement."""
        return Report(self._run("count", public, None, options)[0])

    def prove(self, public: Any = None, private: Any = None, **options: Any) -> Report:
        """Proves to the verifier at the other end of ``connect=`` or ``listen=``."""
        return Report(self._run("prove", public, private, options)[0])

    def verify(self, public: Any = None, **options: Any) -> Report:
        """Verifies what the prover at the other end of ``connect=`` or ``listen=`` proves."""
        return Report(self._run("verify", public, None, options)[0])

    def prove_to_bytes(self, public: Any = None, private: Any = None, **options: Any) -> tuple[bytes, Report]:
        """A proof that anybody can verify at any time, by ``voleith`` or ``limbo``."""
        report, proof = self._run("prove_to_bytes", public, private, options)
        return proof, Report(report)

    def verify_bytes(self, proof: bytes, public: Any = None, **options: Any) -> Report:
        """Verifies what ``prove_to_bytes`` has made."""
        return Report(self._run("verify_bytes", public, None, options, bytes(proof))[0])

    def __repr__(self) -> str:
        return f"<volery.circuit {self.__name__} over {self.field}>"


def circuit(function: Callable[..., Any] | None = None, *, field: str = "f2") -> Any:
    """Makes a statement of a function: ``@circuit``, or ``@circuit(field="f61")``.

    >>> import volery
    >>> @volery.circuit
    ... def different(x: volery.Word[8], y: volery.Word[8]):
    ...     volery.assert_true(x != y, "two different numbers")
    >>> different.check(private={"x": 3, "y": 5}).satisfied
    True
    >>> different.check(private={"x": 3, "y": 3})
    Traceback (most recent call last):
        ...
    volery.Unsatisfied: the witness does not satisfy the statement: two different numbers ...
    """
    if field not in _volery.fields():
        raise Invalid(f"there is no field {field}: there are {', '.join(_volery.fields())}")
    if function is None:
        return lambda function: Circuit(function, field)
    return Circuit(function, field)
