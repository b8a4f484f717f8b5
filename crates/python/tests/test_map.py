"""A function on lanes does what a loop of calls does: the same values, verdicts, gates and names."""

import gc
import hashlib
import inspect
import random
import subprocess
import sys

import pytest
import volery
from volery import Array, Bit, Bytes, Element, Int, Word, assert_equal, assert_true, select


def looped(function, *arrays):
    """What ``volery.map`` gives, lane by lane."""
    returned = [function(*items) for items in zip(*arrays)]
    if returned[0] is None:
        return None
    if isinstance(returned[0], tuple):
        return tuple(volery.array(list(column)) for column in zip(*returned))
    return volery.array(returned)


HOW = pytest.mark.parametrize("how", [volery.map, looped], ids=["map", "loop"])


def of_every_kind(word, bit, text, pair, number):
    assert_true(word < 250, "small")
    assert_equal(pair[0] + pair[1], 9, "nine")
    return (
        word * word + word,
        bit & (word == 3),
        volery.sha256(text),
        volery.array([pair[1], pair[0]]),
        select(bit, number, -number),
        Word[5](7),
    )


def words(lanes):
    random.seed(lanes)
    values = {
        "words": [random.randrange(250) for _ in range(lanes)],
        "bits": [random.randrange(2) for _ in range(lanes)],
        "texts": [random.randbytes(3) for _ in range(lanes)],
        "pairs": [[i % 10, 9 - i % 10] for i in range(lanes)],
        "numbers": [random.randrange(-31, 32) for _ in range(lanes)],
    }
    columns = list(zip(*values.values()))
    expected = [
        [(w * w + w) % 256 for w, *_ in columns],
        [b & (w == 3) for w, b, *_ in columns],
        [hashlib.sha256(t).digest() for _, _, t, *_ in columns],
        [p[::-1] for *_, p, _ in columns],
        [n if b else -n for _, b, _, _, n in columns],
        [7] * lanes,
    ]
    return values, expected


def statement(how, lanes):
    @volery.circuit
    def function(
        words: Array[Word[8], lanes],
        bits: Array[Bit, lanes],
        texts: Array[Bytes[3], lanes],
        pairs: Array[Array[Word[4], 2], lanes],
        numbers: Array[Int[6], lanes],
        *,
        expected: list,
    ):
        made = how(of_every_kind, words, bits, texts, pairs, numbers)
        for i, (values, value) in enumerate(zip(made, expected)):
            assert_equal(values, value, f"result {i}")

    return function


@pytest.mark.parametrize("lanes", [1, 5])
def test_every_kind_is_as_in_a_loop(lanes):
    values, expected = words(lanes)
    mapped, loop = (statement(how, lanes) for how in (volery.map, looped))
    for function in (mapped, loop):
        assert function.check({"expected": expected}, values).satisfied
        for i in range(len(expected)):
            wrong = [list(column) for column in expected]
            wrong[i][-1] = other(wrong[i][-1])
            with pytest.raises(volery.Unsatisfied, match=f"result {i}"):
                function.check({"expected": wrong}, values)
    counts = [function.count({"expected": expected}).gates for function in (mapped, loop)]
    assert counts[0].mul == counts[1].mul
    assert volery.loopback(mapped, {"expected": expected}, values)[1].accepted


def other(value):
    """Another value of the same kind."""
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    if isinstance(value, list):
        return [value[0] ^ 1] + value[1:]
    return value ^ 1


@pytest.mark.parametrize("system", ["quicksilver", "wolverine", "limbo", "jko"])
def test_systems(system):
    @volery.circuit
    def roots(secrets: Array[Word[16], 70], *, sum: int):
        def square(x):
            root = volery.witness("root", Word[16])
            assert_equal(root * root, x, "a square")
            return root

        assert_equal(volery.map(square, secrets).sum(), sum, "sum")

    values = list(range(3, 73))
    known = {"secrets": [value * value for value in values], "root": values}
    for total, accepted in ((sum(values), True), (sum(values) + 1, False)):
        if accepted:
            assert volery.loopback(roots, {"sum": total}, known, system=system)[1].accepted
        else:
            with pytest.raises(volery.Unsatisfied):
                volery.loopback(roots, {"sum": total}, known, system=system)
    # What is false in one lane, whichever it is, no system proves.
    for lane in (0, 63, 64, 69):
        wrong = {**known, "root": [value + (i == lane) for i, value in enumerate(values)]}
        with pytest.raises(volery.Unsatisfied, match=f"a square.*in lane {lane}"):
            volery.loopback(roots, {"sum": sum(values)}, wrong, system=system)
        with pytest.raises(volery.Error):
            volery.loopback(roots, {"sum": sum(values)}, wrong, system=system, check=False)


@HOW
def test_elements(how):
    @volery.circuit(field="f61")
    def function(x: Array[Element, 4], points: Array[Array[Element, 2], 4], *, expected: list):
        def one(x, point):
            low = volery.concat(x.bits(8, "a byte"))
            assert_equal(low[0] * (1 - low[0]), 0)
            volery.assert_range(point, 10, "ten bits")
            volery.assert_not_zero(x, "not zero")
            return x**3 + point.dot(point), point.map([[1, 2]]), Element(5)

        sums, images, fives = how(one, x, points)
        assert_equal(sums, expected[0], "sums")
        assert_equal(images, expected[1], "images")
        assert_equal(fives, 5, "fives")

    x, points = [1, 2, 3, 255], [[5, 7], [0, 0], [1023, 1], [2, 3]]
    expected = [
        [a**3 + b * b + c * c for a, (b, c) in zip(x, points)],
        [[b + 2 * c] for b, c in points],
    ]
    known = {"x": x, "points": points}
    assert function.check({"expected": expected}, known).satisfied
    assert volery.loopback(function, {"expected": expected}, known)[1].accepted
    for name, value, says in (
        ("x", [1, 2, 256, 255], "a byte"),
        ("x", [1, 0, 3, 255], "not zero"),
        ("points", [[5, 7], [0, 0], [1023, 1], [2, 1024]], "ten bits"),
    ):
        with pytest.raises(volery.Unsatisfied, match=says) as caught:
            function.check({"expected": expected}, {**known, name: value})
        lane = next(i for i in range(4) if value[i] != known[name][i])
        assert caught.value.lanes == ((lane,) if how is volery.map else ())


def test_witness_is_of_each_lane_and_of_lanes_within():
    @volery.circuit
    def function(x: Array[Word[8], 3], y: Array[Array[Word[8], 2], 3]):
        def outer(x, row):
            high = volery.witness("high", Word[4])

            def inner(y):
                bit, low = volery.witness("bit", Bit), volery.witness("low", Word[8])
                assert_equal(select(bit, low, low + 1), y, "inner")
                return low

            lows = volery.map(inner, row)
            last = volery.witness("last", Bytes[1])
            assert_equal(lows.sum() + high.widen(8) + last.word(), x, "outer")

        assert volery.map(outer, x, y) is None

    known = {
        "x": [1 + 2 + 3 + 7, 3 + 4 + 5 + 8, 5 + 6 + 15 + 9],
        "y": [[1, 3], [4, 4], [6, 6]],
        "high": [3, 5, 15],
        "bit": [[1, 0], [0, 1], [0, 1]],
        "low": [[1, 2], [3, 4], [5, 6]],
        "last": [b"\7", b"\10", b"\11"],
    }
    assert function.check(private=known).satisfied
    assert volery.loopback(function, None, known)[1].accepted
    for wrong, lanes in (
        ({**known, "bit": [[1, 0], [0, 0], [0, 1]]}, (1, 1)),
        ({**known, "high": [3, 5, 14]}, (2,)),
    ):
        with pytest.raises(volery.Unsatisfied) as caught:
            function.check(private=wrong)
        assert caught.value.lanes == lanes
        assert "in lane" in str(caught.value)
    with pytest.raises(volery.Invalid, match=r"high is Array\[Word\[4\], 3\], 3 items.*has 2 items"):
        function.check(private={**known, "high": [3, 5]})
    with pytest.raises(volery.Invalid, match=r"low\[1\] is Array\[Word\[8\], 2\]"):
        function.check(private={**known, "low": [[1, 2], [3], [5, 6]]})


def test_an_assertion_is_told_with_its_lane_and_its_line():
    @volery.circuit
    def function(x: Array[Word[8], 100]):
        volery.map(lambda x: assert_true(x < 100, "below a hundred"), x)

    with pytest.raises(volery.Unsatisfied, match=r"below a hundred \(.*:\d+, in lane 41\)") as caught:
        function.check(private={"x": [0] * 41 + [100] + [0] * 58})
    error = caught.value
    lines, first = inspect.getsourcelines(function.function)
    assert error.assertion == "below a hundred"
    assert (error.lanes, error.lineno, error.shard) == ((41,), first + 2, None)


def test_the_function_runs_once_and_is_recorded_once():
    calls = []

    def statement(lanes):
        @volery.circuit
        def function(x: Array[Bytes[32], lanes], *, lanes):
            def one(x):
                calls.append(lanes)
                return volery.sha256(x)

            # What it does again has the same key.
            volery.map(one, volery.map(one, x))

        return function

    reports = [statement(lanes).count({"lanes": lanes}) for lanes in (1, 64)]
    assert calls.count(1) == calls.count(64)
    assert reports[1].gates.mul == 64 * reports[0].gates.mul


def test_memories_and_tables_of_outside():
    def statement(how, field, number):
        @volery.circuit(field=field)
        def function(at: Array[number, 3], keys: Array[number, 3]):
            ram = volery.Memory(number, 8)
            ram[1] = 40
            other = volery.Memory(number, 8)
            squares = volery.Table({i: i * i for i in range(8)}, number, number)

            def one(at, key):
                ram[at] = ram[at] + 1
                return ram[at] + other[at], squares[key]

            sums, found = how(one, at, keys)
            assert_equal(sums, [41, 1, 42], "sums")
            assert_equal(found, [4, 9, 16], "squares")
            # The same function on another memory, which is another function.
            (sums,) = how(lambda at: (other[at],), at)
            assert_equal(sums, 0, "zeroes")
            (sums,) = how(lambda at: (ram[at],), at)
            assert_equal(sums, [42, 1, 42], "what was written")

        return function

    for field, number in (("f2", Word[8]), ("f61", Element)):
        for how in (volery.map, looped):
            function = statement(how, field, number)
            known = {"at": [1, 2, 1], "keys": [2, 3, 4]}
            assert function.check(private=known).satisfied
            assert volery.loopback(function, None, known)[1].accepted
        with pytest.raises(volery.Unsatisfied) as caught:
            function = statement(volery.map, field, number)
            function.check(private={"at": [1, 2, 1], "keys": [2, 8, 4]})
        assert caught.value.lanes == (1,)


def test_values_may_end_within_and_behind():
    left = []

    @volery.circuit
    def function(x: Array[Word[8], 3]):
        outside = [x + 1]
        memory = [volery.Memory(Word[8], 4)]

        def one(x):
            outside.clear()
            memory.clear()
            values = [x + i for i in range(9)]
            left.append(values[4])
            return values[7]

        made = volery.map(one, x)
        assert_equal(made - 7, x, "seven")
        left.clear()
        gc.collect()
        values = [made + i for i in range(20)]
        assert_equal(values[3] - 10, x, "ten")

    assert function.check(private={"x": [1, 2, 250]}).satisfied
    assert volery.loopback(function, None, {"x": [1, 2, 250]})[1].accepted


def test_public_arguments_and_lists_of_values():
    @volery.circuit
    def function(x: Word[8], y: Word[8]):
        places = Array[Word[8], 2]([0, 1])
        same = Array[Word[8], 2]([5, 5])
        sums = volery.map(lambda x, i, five: x + i + five, [x, y], places, same)
        assert_equal(sums, volery.array([x + 5, y + 6]), "sums")
        shared = volery.map(lambda x, y: x * y, [x, y], volery.array([y] * 2))
        assert_equal(shared, volery.array([x * y, y * y]), "shared")
        # Bits of a word, and bytes of a string, are items too.
        odd = volery.map(lambda bit, byte: (~bit, byte[0]), x, Bytes[8](b"abcdefgh"))
        assert_equal(odd[0], (~x).bits(), "bits")
        assert_equal(odd[1], [byte & 1 for byte in b"abcdefgh"], "bytes")

    assert function.check(private={"x": 3, "y": 200}).satisfied
    assert volery.loopback(function, None, {"x": 3, "y": 200})[1].accepted


def test_within_shards():
    @volery.sharded(
        shards=2,
        takes=lambda shard: [0] if shard else [],
        gives=lambda shard: None if shard else Word[16],
    )
    def function(shard, incoming, amounts: Array[Word[16], 3]):
        def one(amount):
            fee = volery.witness("fee", Word[16])
            assert_true(fee <= amount, "the fee")
            return amount - fee

        total = volery.map(one, amounts).sum()
        if not shard:
            return total
        assert_equal(total + incoming[0], 60, "total")

    known = [{"amounts": [11, 12, 13], "fee": [1, 2, 3]}, {"amounts": [10, 10, 10], "fee": [0, 0, 0]}]
    assert volery.loopback(function, None, known)[1].accepted
    known[1]["fee"] = [0, 0, 11]
    with pytest.raises(volery.Unsatisfied, match="in shard 1, in lane 2") as caught:
        function.check(private=known)
    assert (caught.value.shard, caught.value.lanes) == (1, (2,))


@pytest.mark.parametrize(
    "operation, kind, says",
    [
        (lambda x, y: volery.map(3, x), TypeError, "takes a function first, and this is int"),
        (lambda x, y: volery.map(lambda: None), ValueError, "no lanes"),
        (lambda x, y: volery.map(lambda a: a, []), ValueError, "no lanes"),
        (lambda x, y: volery.map(lambda a: a, x[3:]), ValueError, "no lanes"),
        (lambda x, y: volery.map(lambda a, b: a, x, x[:2]), ValueError, r"Array\[Word\[8\], 3\] and .* 2\]"),
        (lambda x, y: volery.map(lambda a: a, y[0]), TypeError, "Bit, which has no items"),
        (lambda x, y: volery.map(lambda a: a, [1, 2]), TypeError, "this is list"),
        (lambda x, y: volery.map(lambda a: 3, x), TypeError, "returns values, and this is int"),
        (lambda x, y: volery.map(lambda a: a + y, x), RuntimeError, "outside of the function"),
        (lambda x, y: volery.map(lambda a: y + 1, x), RuntimeError, "outside of the function"),
        (lambda x, y: volery.map(lambda a: y, x), RuntimeError, "outside of the function"),
        (lambda x, y: volery.map(lambda a: volery.map(lambda b: b, x), x), RuntimeError, "outside of"),
        (lambda x, y: volery.map(lambda a: x[a], x), RuntimeError, "outside of the function"),
        (lambda x, y: leaked(x) + 1, RuntimeError, "let the function return it"),
        (lambda x, y: leaked(x) + y, RuntimeError, "let the function return it"),
        (lambda x, y: volery.map(lambda a: volery.Memory(Word[8], 2), x), ValueError, "make it outside"),
        (lambda x, y: volery.map(lambda a: volery.Table({0: 1}, Bit, Bit), x), ValueError, "make it outside"),
        (lambda x, y: volery.map(lambda a: volery.witness("x", Bit), x), ValueError, "two private inputs"),
        (lambda x, y: volery.map(lambda a, b: a, x), TypeError, "argument"),
    ],
)
def test_errors(operation, kind, says):
    @volery.circuit
    def function(x: Array[Word[8], 3], y: Word[8]):
        operation(x, y)

    with pytest.raises(kind, match=says):
        function.check(private={"x": [1, 2, 3], "y": 1})

    # Whoever catches it goes on as if nothing had been called.
    @volery.circuit
    def undeterred(x: Array[Word[8], 3], y: Word[8]):
        with pytest.raises(kind, match=says):
            operation(x, y)
        assert_equal(volery.map(lambda a: a + 1, x), [2, 3, 4])
        assert_equal(y, 1)

    assert undeterred.check(private={"x": [1, 2, 3], "y": 1}).satisfied


def leaked(x):
    left = []
    volery.map(left.append, x)
    return left[0]


def test_elements_make_no_memory_within():
    @volery.circuit(field="f61")
    def function(x: Array[Array[Element, 2], 3]):
        volery.map(lambda row: row[row[0]], x)

    with pytest.raises(volery.Invalid, match="array of elements in the function of volery.map"):
        function.check(private={"x": [[0, 1]] * 3})


MEMORY = """
import resource, sys, volery
from volery import Array, Bytes
lanes = int(sys.argv[1])
@volery.circuit
def function(x: Array[Bytes[32], lanes]):
    volery.map(lambda x: volery.assert_true(volery.sha256(x)[0] <= 255), x)
function.check(private={"x": [bytes(32)] * lanes})
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_is_that_of_values():
    def peak(lanes):
        return int(subprocess.check_output([sys.executable, "-c", MEMORY, str(lanes)], text=True))

    # 256 bits in each lane; the gates would be hundred times as many.
    growth = (peak(1200) - peak(200)) * 1024 / 1000
    assert growth < 256 * 100, growth
