"""Statements in shards that are Python functions."""

from __future__ import annotations

import dis
import inspect
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from . import _volery
from ._circuit import Made, Parameters, Statement
from ._errors import Invalid

#: The most shards of a statement.
MOST = 1 << 16
#: What the function may take besides its inputs.
OWN = ("shard", "shards", "incoming")


class Source(NamedTuple):
    """Where values come from: a shard, and of what it gives the number of one, or None for all."""

    shard: int
    item: int | None


class Sharded(Statement):
    """A statement made by ``@volery.sharded``.

    The function is one shard, and is run for each: it may take ``shard``, its number from 0, ``shards``, how
    many there are, and ``incoming``, a list with what each of ``takes`` gives. Private inputs and public
    values are those of ``@volery.circuit``, and each shard has private inputs of its own. It returns what was
    announced by ``gives``.

    In one process all shards run one after the other, as one statement; ``volery.ray`` has them proved by
    many. Private values are given by shard: a mapping from its number, a list, or a function of the number.
    """

    def __init__(
        self, function: Callable[..., Any], field: str, shards: Any, takes: Any = (), gives: Any = None
    ) -> None:
        super().__init__(function, field)
        self._parameters = Parameters(function, OWN)
        self._shards, self._takes, self._gives = shards, takes, gives

    def _made(self, public: Any, private: Any = None) -> Made:
        arguments = self._parameters.public(public)
        announced = self._announced(arguments)
        count = len(announced)

        def run(shard: int, incoming: list[Any]) -> list[Any]:
            sources, gives, sizes = announced[shard]
            wires = {name: _volery.witness(name, kind) for name, kind in self._parameters.private.items()}
            rest = iter(incoming)
            arrived: list[Any] = []
            for size in sizes:
                arrived.append(next(rest) if size is None else tuple(next(rest) for _ in range(size)))
            own = {"shard": shard, "shards": count, "incoming": arrived}
            given = self.function(**wires, **{name: own[name] for name in self._parameters.own}, **arguments)
            return self._given(shard, given, gives)

        parts = [_part(announced, shard) for shard in range(count)]
        return Made(run, parts, _by_shard(private, count, self.__name__))

    def _announced(self, public: dict[str, Any]) -> list[_Announced]:
        """What is announced of each shard."""
        count = _asked("shards", self._shards, public)
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST:
            raise Invalid(f"{self._of('shards')} is a number from 1 to {MOST}, and not {count!r}")
        announced: list[_Announced] = []
        for shard in range(count):
            offered = {**public, "shard": shard, "shards": count}
            gives = _asked("gives", self._gives, offered)
            if isinstance(gives, list):
                gives = tuple(gives)
            kinds = gives if isinstance(gives, tuple) else () if gives is None else (gives,)
            for kind in kinds:
                if not isinstance(kind, _volery.Type):
                    raise TypeError(
                        f"{self._of('gives')}: shard {shard} gives {kind!r}, which is no kind of value: "
                        "write Word[32], a tuple of kinds, or None"
                    )
            sources = self._sources(shard, _asked("takes", self._takes, offered), announced)
            sizes = [_size(announced[of.shard].gives, of.item) for of in sources]
            announced.append(_Announced(sources, gives, sizes))
        return announced

    def _sources(self, shard: int, takes: Any, announced: list[_Announced]) -> list[Source]:
        """Where what comes in to a shard comes from."""
        if takes is None:
            takes = ()
        if type(takes) is int:
            takes = (takes,)
        of, sources = self._of("takes"), []
        for one in takes:
            number, item = one if isinstance(one, tuple) and len(one) == 2 else (one, None)
            is_number = type(number) is int and (item is None or type(item) is int)
            if not is_number:
                raise TypeError(
                    f"{of}: shard {shard} takes of {one!r}: write the number of a shard, or (number, i) for "
                    "the value number i of those it gives"
                )
            if not 0 <= number < shard:
                raise Invalid(f"{of}: shard {shard} takes of shard {number}, whose number is not lower")
            gives = announced[number].gives
            if gives is None or gives == ():
                raise Invalid(f"{of}: shard {shard} takes of shard {number}, which gives nothing")
            values = len(gives) if isinstance(gives, tuple) else 1
            if item is not None and not 0 <= item < values:
                raise Invalid(
                    f"{of}: shard {shard} takes value {item} of shard {number}, which gives {values}"
                )
            sources.append(Source(number, item))
        if sources and "incoming" not in self._parameters.own:
            raise Invalid(
                f"{of}: shard {shard} takes of others, and {self.__name__} ({_line(self.function)}) has no "
                "parameter incoming"
            )
        return sources

    def _given(self, shard: int, given: Any, announced: Any) -> list[Any]:
        """What a shard has returned, value by value, where it is what was announced."""
        none = given is None or isinstance(given, tuple) and not given
        if announced is None or announced == ():
            if none:
                return []
            raise TypeError(f"{self._returned(shard)} {_said(given)}, and nothing is announced")
        kinds = _kinds(announced)
        several = isinstance(given, tuple) or isinstance(given, list) and isinstance(announced, tuple)
        values = list(given) if several else [given]
        if none or len(values) != len(kinds):
            said = ", ".join(map(str, kinds))
            raise TypeError(f"{self._returned(shard)} {_said(given)}, and {said} is announced")
        return [self._value(shard, i, *pair) for i, pair in enumerate(zip(values, kinds))]

    def _value(self, shard: int, number: int, value: Any, kind: _volery.Type) -> Any:
        if isinstance(value, _volery.Wire):
            if value.type == kind:
                return value
            said = f"{value.type}, and {kind} is announced"
            raise TypeError(f"{self._returned(shard)} {said}, as value {number} of what it gives")
        try:
            return kind(value)
        except (TypeError, ValueError) as why:
            raise type(why)(f"{self._returned(shard)} value {number}: {why}") from None

    def _returned(self, shard: int) -> str:
        """The beginning of what is wrong about what a shard has returned, with the line."""
        lines = _returns(self.function)
        return f"{self.__name__} ({_file(self.function)}:{lines}): shard {shard} gives"

    def _of(self, what: str) -> str:
        """The name of an announcement, with the line that makes it."""
        value = getattr(self, f"_{what}")
        return f"{what} of {self.__name__} ({_line(value if callable(value) else self.function)})"

    def __repr__(self) -> str:
        return f"<volery.sharded {self.__name__} over {self.field}>"


class _Announced(NamedTuple):
    """What is known of a shard before it runs."""

    sources: list[Source]
    #: A kind, a tuple of kinds, or None.
    gives: Any
    #: For each source how many values it is, or None where it is one by itself.
    sizes: list[int | None]


def _part(announced: list[_Announced], shard: int) -> Any:
    """A shard as Rust takes it: which wires of which shards, and the kinds of values."""
    needs: list[tuple[int, int, int]] = []
    kinds: list[Any] = []
    for number, item in announced[shard].sources:
        given = _kinds(announced[number].gives)
        first = 0 if item is None else item
        last = len(given) if item is None else item + 1
        start = sum(kind.size for kind in given[:first])
        needs.append((number, start, start + sum(kind.size for kind in given[first:last])))
        kinds += given[first:last]
    return needs, kinds, list(_kinds(announced[shard].gives))


def _kinds(gives: Any) -> tuple[Any, ...]:
    return gives if isinstance(gives, tuple) else () if gives is None else (gives,)


def _size(gives: Any, item: int | None) -> int | None:
    return len(gives) if item is None and isinstance(gives, tuple) else None


def _asked(what: str, value: Any, offered: dict[str, Any]) -> Any:
    """The value itself, or what a function gives for those that its parameters name."""
    if not callable(value) or isinstance(value, _volery.Type):
        return value
    arguments = {}
    for name, parameter in inspect.signature(value).parameters.items():
        if name in offered:
            arguments[name] = offered[name]
        elif parameter.default is parameter.empty:
            known = ", ".join(offered)
            raise Invalid(f"{what} ({_line(value)}) asks for {name}: there are {known or 'no public values'}")
    return value(**arguments)


def _by_shard(private: Any, count: int, name: str) -> Callable[[int], dict[str, Any]]:
    """A function that gives the private values of a shard."""
    of: Callable[[int], Any]
    if private is None:
        of = lambda shard: None  # noqa: E731
    elif callable(private):
        of = private
    elif isinstance(private, Mapping):
        for number in private:
            if not isinstance(number, int) or not 0 <= number < count:
                raise Invalid(
                    f"private values of {name} are given by shard, from 0 to {count - 1}, and not by "
                    f"{number!r}: private={{0: {{…}}, 1: {{…}}}}"
                )
        of = private.get
    elif isinstance(private, Sequence):
        if len(private) != count:
            raise Invalid(f"private values of {len(private)} shards, and {name} has {count}")
        of = private.__getitem__
    else:
        raise TypeError(f"private values of {name}: a mapping, a list or a function of a shard's number")

    def known(shard: int) -> dict[str, Any]:
        values = of(shard)
        if values is None:
            return {}
        if not isinstance(values, Mapping):
            kind = type(values).__name__
            raise TypeError(f"private values of shard {shard}: a mapping by name, and this is {kind}")
        return dict(values)

    return known


def _said(given: Any) -> str:
    """What a function has returned, by its kinds."""
    if given is None:
        return "nothing"
    if isinstance(given, (tuple, list)):
        return f"{len(given)} values" if len(given) != 1 else "one value"
    return str(given.type) if isinstance(given, _volery.Wire) else type(given).__name__


def _file(function: Callable[..., Any]) -> str:
    return inspect.unwrap(function).__code__.co_filename


def _line(function: Any) -> str:
    """Where a function is."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else type(function).__name__


def _returns(function: Callable[..., Any]) -> str:
    """The lines on which a function returns.

    >>> def both(x):
    ...     if x:
    ...         return 1
    ...     return 2
    >>> _returns(both)
    '3 or 4'
    """
    lines: list[int] = []
    line = 0
    for instruction in dis.get_instructions(inspect.unwrap(function)):
        places = getattr(instruction, "positions", None)
        line = (places.lineno if places else instruction.starts_line) or line
        if instruction.opname in ("RETURN_VALUE", "RETURN_CONST") and line not in lines:
            lines.append(line)
    return " or ".join(map(str, sorted(lines)))


def sharded(
    function: Callable[..., Any] | None = None,
    *,
    shards: Any,
    takes: Any = (),
    gives: Any = None,
    field: str = "f2",
) -> Any:
    """Makes a statement in shards of a function that is run for each: ``@sharded(shards=4)``.

    ``shards`` is how many there are. ``takes`` says of which earlier shards one takes values: a list of their
    numbers, or of ``(number, i)`` for the value number ``i`` alone of those that one gives. ``gives`` says
    what one returns: a kind, a tuple of kinds, or None. Each may be a function, which is called with those of
    ``shard``, ``shards`` and the public values that its parameters name.

    >>> import volery
    >>> @volery.sharded(shards=3, takes=lambda shard: range(shard - 1, shard) if shard else [],
    ...                 gives=lambda shard, shards: volery.Word[32] if shard + 1 < shards else None)
    ... def total(shard, shards, incoming, x: volery.Word[32], *, most):
    ...     so_far = x + incoming[0] if shard else x
    ...     if shard + 1 < shards:
    ...         return so_far
    ...     volery.assert_true(so_far <= most, "the total")
    >>> total.check({"most": 60}, {0: {"x": 10}, 1: {"x": 20}, 2: {"x": 30}}).satisfied
    True
    >>> total.check({"most": 60}, lambda shard: {"x": 10 * shard + 11})
    Traceback (most recent call last):
        ...
    volery.Unsatisfied: the witness does not satisfy the statement: the total (..., in shard 2) does not hold
    """
    if function is None:
        return lambda function: Sharded(function, field, shards, takes, gives)
    return Sharded(function, field, shards, takes, gives)
