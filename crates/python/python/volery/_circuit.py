"""Statements that are Python functions."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Mapping, NamedTuple

from . import _volery
from ._errors import Invalid
from ._report import Report


class Parameters:
    """What a function takes: those annotated with a kind of value are private inputs, ``own`` are what volery
    gives itself, and all others are public."""

    def __init__(self, function: Callable[..., Any], own: tuple[str, ...] = ()) -> None:
        self._function = function.__name__
        signature = inspect.signature(function, eval_str=True)
        self.private: dict[str, _volery.Type] = {}
        self.own: list[str] = []
        self._defaults: dict[str, Any] = {}
        self._public: list[str] = []
        for name, parameter in signature.parameters.items():
            nameless = (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY)
            if parameter.kind in nameless:
                raise TypeError(f"{function.__name__}: {parameter} has no name to give a value by")
            private = isinstance(parameter.annotation, _volery.Type)
            if name in own:
                if private:
                    raise TypeError(
                        f"{function.__name__}: {name} is given by volery, and is no private input"
                    )
                self.own.append(name)
                continue
            if private:
                self.private[name] = parameter.annotation
                continue
            self._public.append(name)
            if parameter.default is not parameter.empty:
                self._defaults[name] = parameter.default

    def public(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """A value for each that is public; raises ``Invalid`` where one is missing, or none has a name."""
        given = dict(given or {})
        for name in given:
            if name not in self._public:
                known = ", ".join(self._public) or "none"
                what = "a private input" if name in self.private else "no parameter"
                raise Invalid(f"{name} is {what} of {self._function}; public are {known}")
        arguments = {**self._defaults, **given}
        for name in self._public:
            if name not in arguments:
                raise Invalid(f'{name} has no value: give one, public={{"{name}": …}}')
        return arguments


class Made(NamedTuple):
    """A statement with its public values, as Rust takes it."""

    #: Runs a shard, with a list of what comes in to it, and gives a list of what goes out.
    run: Callable[[int, list[Any]], list[Any]]
    #: What shards there are; None for a statement that is whole.
    parts: list[Any] | None
    #: Gives the private values of a shard.
    known: Callable[[int], dict[str, Any]]


class Statement:
    """What can be done with a statement that is a function."""

    function: Callable[..., Any]
    field: str
    __name__: str

    def __init__(self, function: Callable[..., Any], field: str) -> None:
        if field not in _volery.fields():
            raise Invalid(f"there is no field {field}: there are {', '.join(_volery.fields())}")
        functools.update_wrapper(self, function)
        self.function = function
        self.field = field

    def _made(self, public: Any, private: Any = None) -> Made:
        raise NotImplementedError

    def _run(
        self, act: str, public: Any, private: Any, options: dict[str, Any], proof: bytes | None = None
    ) -> Any:
        made = self._made(public, private)
        return _volery.run_function(act, made.run, made.parts, self.field, made.known, options, proof)

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


class Circuit(Statement):
    """A statement made by ``@volery.circuit``.

    Parameters whose annotation is a kind of value (``Bit``, ``Word[32]``, ``Bytes[32]``, ``Element``,
    ``Array[Word[8], 10]``) are private inputs, in this order; all others are public, and get what ``public``
    gives, or their defaults.

    The function is run as often as the statement is walked, and has to do the same each time: what it does
    may depend on public parameters and on nothing else.
    """

    def __init__(self, function: Callable[..., Any], field: str) -> None:
        super().__init__(function, field)
        self._parameters = Parameters(function)

    def _made(self, public: Any, private: Any = None) -> Made:
        arguments = self._parameters.public(public)
        known = dict(private or {})

        def run(_shard: int, _incoming: list[Any]) -> list[Any]:
            wires = {name: _volery.witness(name, kind) for name, kind in self._parameters.private.items()}
            self.function(**wires, **arguments)
            return []

        return Made(run, None, lambda _shard: known)

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
