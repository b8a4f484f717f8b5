"""What is wrong is said where it is wrong."""

import inspect
import traceback

import pytest
import volery
from volery import Array, Bit, Bytes, Element, Int, Word


def line_of(error):
    """The innermost line of Python that an exception came from."""
    return traceback.extract_tb(error.__traceback__)[-1]


@pytest.mark.parametrize(
    "operation, kind, says",
    [
        (lambda x, y, s, b: x + y, TypeError, r"Word\[8\] \+ Word\[16\]: the widths differ"),
        (lambda x, y, s, b: x + 256, ValueError, "out of its range, 0 to 255"),
        (lambda x, y, s, b: x + -1, ValueError, "out of its range"),
        (lambda x, y, s, b: x + "a", TypeError, "unsupported operand"),
        (lambda x, y, s, b: x / y, TypeError, "divided by // and %"),
        (lambda x, y, s, b: b + b, TypeError, "of bits there are"),
        (lambda x, y, s, b: 1 if x == y[:8] else 0, TypeError, "volery.select"),
        (lambda x, y, s, b: x[8], IndexError, "item 8 of"),
        (lambda x, y, s, b: x[3:3], ValueError, "at least one"),
        (lambda x, y, s, b: s + x, TypeError, "strings of bytes follow each other"),
        (lambda x, y, s, b: s == b"ab", ValueError, "3 bytes, and the value given for it has 2 bytes"),
        (lambda x, y, s, b: x.signed() < x, TypeError, "one has a sign"),
        (lambda x, y, s, b: volery.select(x, x, x), TypeError, "a Bit chooses"),
        (lambda x, y, s, b: volery.assert_true(x), TypeError, "a Bit is true"),
        (lambda x, y, s, b: volery.assert_equal(x, y), TypeError, "is to be"),
        (lambda x, y, s, b: Element(3), TypeError, "Element is of a larger field"),
        (lambda x, y, s, b: x.widen(4), ValueError, "at least 8"),
        (lambda x, y, s, b: volery.sha256(x), TypeError, "is to be Bytes"),
        (lambda x, y, s, b: int(x), TypeError, "has no value here"),
        (lambda x, y, s, b: volery.witness("x", Bit), ValueError, "two private inputs called x"),
        (lambda x, y, s, b: Word[0], ValueError, "from 1 to 128"),
    ],
)
def test_shapes_and_types_name_the_line(operation, kind, says):
    @volery.circuit
    def function(x: Word[8], y: Word[16], s: Bytes[3], b: Bit):
        operation(x, y, s, b)
        volery.assert_equal(x, 1)

    with pytest.raises(kind, match=says) as caught:
        function.check(private={"x": 1, "y": 1, "s": b"abc", "b": True})
    assert line_of(caught.value).lineno == inspect.getsourcelines(operation)[1]


def test_unsatisfied_names_the_assertion_and_its_line():
    @volery.circuit
    def function(x: Word[8]):
        volery.assert_true(x < 200, "below two hundred")
        volery.assert_equal(x, 7, "seven")  # the line

    with pytest.raises(volery.Unsatisfied, match="seven") as caught:
        function.check(private={"x": 6})
    error = caught.value
    lines, first = inspect.getsourcelines(function.function)
    assert error.assertion == "seven[0]"
    assert error.filename == __file__
    assert error.lineno == first + next(i for i, line in enumerate(lines) if "# the line" in line)
    with pytest.raises(volery.Unsatisfied) as caught:
        function.check(private={"x": 201})
    assert caught.value.assertion == "below two hundred"


def test_values():
    @volery.circuit
    def function(x: Array[Word[8], 2], y: Int[4], *, k=3):
        volery.assert_equal(x[0], k)

    good = {"x": [3, 4], "y": -8}
    function.check(private=good)
    for private, says in [
        ({"x": [3], "y": 0}, "2 items, and the value given for it has 1 item"),
        ({"x": [3, 256], "y": 0}, r"x\[1\]: the number given for Word\[8\]"),
        ({"x": [3, 4], "y": 8}, "out of its range, -8 to 7"),
        ({"x": [3, 4]}, "y has no value"),
        (good | {"z": 1}, "no private input z; private are x, y"),
    ]:
        with pytest.raises(volery.Invalid, match=says):
            function.check(private=private)
    with pytest.raises(TypeError, match=r"x\[1\]: Word\[8\] takes an int, and this is str"):
        function.check(private={"x": [3, "4"], "y": 0})
    with pytest.raises(volery.Invalid, match="x is a private input"):
        function.check(public={"x": 3}, private=good)
    with pytest.raises(volery.Unsatisfied):
        function.check(public={"k": 4}, private=good)


def test_nothing_is_kept_between_runs():
    kept = []

    @volery.circuit
    def function(x: Word[8]):
        kept.append(x)
        volery.assert_equal(kept[0], 1)

    with pytest.raises(RuntimeError, match="of another run|a run that is over"):
        function.check(private={"x": 1})
        function.check(private={"x": 1})
    with pytest.raises(RuntimeError, match="only while the function"):
        Word[8](3)


def test_what_the_function_raises_comes_back():
    @volery.circuit
    def function(x: Word[8]):
        for _ in range(10_000):
            x = x * x
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        function.check(private={"x": 1})
    with pytest.raises(LookupError, match="mine"):
        volery.loopback(function, private={"x": 1})


def test_what_asserts_nothing_is_refused():
    @volery.circuit
    def nothing(x: Word[8]):
        x + 1

    with pytest.raises(volery.Invalid, match="assert"):
        nothing.check(private={"x": 1})


def test_relations():
    digest = bytes(32)
    relation = "builtin:sha256-preimage?length=5"
    with pytest.raises(volery.Unsatisfied) as caught:
        volery.check(relation, public={"digest": digest}, private={"message": b"hello"})
    assert caught.value.assertion.startswith("digest")
    for public, private, says in [
        ({"digest": digest}, {"message": b"hi"}, "40 bits wide.*16 bits"),
        ({"digest": digest[1:]}, {"message": b"hello"}, "256 bits wide.*248 bits"),
        ({"digest": 1 << 256}, {"message": b"hello"}, "takes 257"),
        ({"digest": digest}, {"massage": b"hello"}, "message has no value|no input massage"),
        ({}, {"message": b"hello"}, "digest"),
    ]:
        with pytest.raises(volery.Invalid, match=says):
            volery.check(relation, public=public, private=private)
    with pytest.raises(volery.Invalid, match="no-such"):
        volery.check("builtin:no-such")
    with pytest.raises(TypeError, match="no option colour"):
        volery.check(relation, colour="red")
    with pytest.raises(volery.Invalid, match="^system=: "):
        volery.prove(
            relation,
            public={"digest": digest},
            private={"message": b"hello"},
            system="none",
            listen="127.0.0.1:0",
        )
    with pytest.raises(volery.Invalid, match="insecure_plaintext="):
        volery.verify(relation, public={"digest": digest}, listen="0.0.0.0:0")
    with pytest.raises(volery.Invalid, match="listen= or connect="):
        volery.verify(relation, public={"digest": digest})


def test_fields():
    with pytest.raises(volery.Invalid, match="no field f62"):
        volery.circuit(field="f62")

    @volery.circuit(field="f61")
    def function(x: Element):
        x < 3

    with pytest.raises(TypeError, match="elements have no order"):
        function.check(private={"x": 1})
