"""Every operator against the integers of Python."""

import random

import pytest
import volery
from volery import Array, Bit, Bytes, Int, Word, assert_equal, assert_true, select

MASK = {n: (1 << n) - 1 for n in range(1, 129)}


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


@pytest.mark.parametrize("width", [1, 2, 5, 8, 11, 16, 32, 33, 64, 100, 128])
def test_words(width):
    random.seed(width)
    values = [random.getrandbits(width) for _ in range(2)] + [0, MASK[width]]
    pairs = [(x, y) for x in values for y in values]
    amounts = [random.randrange(0, 2 * width) for _ in pairs]

    @volery.circuit
    def operators(expected):
        n = Word[width]
        for i, ((a, b), by) in enumerate(zip(pairs, amounts)):
            x, y = volery.witness(f"x{i}", n), volery.witness(f"y{i}", n)
            results = [
                x + y,
                x - y,
                x * y,
                x // y,
                x % y,
                x & y,
                x | y,
                x ^ y,
                ~x,
                -x,
                x << by,
                x >> by,
                x + b,
                b - x,
                b & x,
                x << Word[16](by),
                x >> Word[16](by),
                x.rotate_left(by),
                x.rotate_right(by),
            ]
            bits = [x == y, x != y, x < y, x <= y, x > y, x >= y, x == b, x < b]
            for j, (result, value) in enumerate(zip(results + bits, expected[i])):
                assert_equal(result, value, f"{a} {b} result {j}")

    def outcomes(a, b, by):
        m = MASK[width]
        turn = by % width
        left = (a << turn | a >> (width - turn)) & m
        right = (a >> turn | a << (width - turn)) & m
        return [
            a + b & m,
            a - b & m,
            a * b & m,
            a // b if b else m,
            a % b if b else a,
            a & b,
            a | b,
            a ^ b,
            ~a & m,
            -a & m,
            a << by & m,
            a >> by,
            a + b & m,
            b - a & m,
            b & a,
            a << by & m,
            a >> by,
            left,
            right,
            a == b,
            a != b,
            a < b,
            a <= b,
            a > b,
            a >= b,
            a == b,
            a < b,
        ]

    expected = [outcomes(a, b, by) for (a, b), by in zip(pairs, amounts)]
    private = {f"{name}{i}": value for i, pair in enumerate(pairs) for name, value in zip("xy", pair)}
    assert operators.check(public={"expected": expected}, private=private).satisfied
    wrong = [list(row) for row in expected]
    wrong[1][0] ^= 1
    with pytest.raises(volery.Unsatisfied, match="result 0"):
        operators.check(public={"expected": wrong}, private=private)


@pytest.mark.parametrize("width", [2, 8, 13, 32, 64])
def test_integers(width):
    random.seed(width)
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    values = [low, high, 0, -1, random.randint(low, high)]

    @volery.circuit
    def operators():
        for i, a in enumerate(values):
            x = volery.witness(f"x{i}", Int[width])
            assert_equal(x >> 1, a >> 1)
            assert_equal(x >> Word[8](3), a >> 3)
            assert_equal(x.unsigned(), a & MASK[width])
            assert_equal(x.widen(width + 7), a)
            for j, b in enumerate(values):
                y = volery.witness(f"y{i},{j}", Int[width])
                wrap = lambda value: signed(value & MASK[width], width)
                assert_equal(x + y, wrap(a + b))
                assert_equal(x - y, wrap(a - b))
                assert_equal(x * y, wrap(a * b))
                for result, value in [(x < y, a < b), (x <= y, a <= b), (x > y, a > b), (x == y, a == b)]:
                    assert_equal(result, value, f"{a} {b}")

    private = {f"x{i}": a for i, a in enumerate(values)}
    private |= {f"y{i},{j}": b for i in range(len(values)) for j, b in enumerate(values)}
    operators.check(private=private)


def test_bits_and_parts():
    @volery.circuit
    def parts(x: Word[16], bits: Array[Bit, 4]):
        value = 0xBEEF
        for i, bit in enumerate(x):
            assert_equal(bit, value >> i & 1)
        assert_equal(x[-1], 1)
        assert_equal(x[4:12], value >> 4 & 0xFF)
        assert_equal(x[::-1], int(f"{value:016b}"[::-1], 2))
        assert_equal(x[:4].widen(8), 0xF)
        assert_equal(volery.concat(x[8:], x[:8]), 0xEFBE)
        assert_equal(x.bytes(), b"\xbe\xef")
        assert_equal(x.bytes("little"), b"\xef\xbe")
        assert_equal(x.bytes().word(), value)
        assert_equal(x.bits()[3], 1)
        a, b, c, d = bits
        for result, expected in [
            (a & b, 0),
            (a | b, 1),
            (a ^ b, 1),
            (~a, 0),
            (a == b, 0),
            (a != b, 1),
            (a & 1, 1),
        ]:
            assert_equal(result, expected)
        assert_equal(select(a, x, 7), value)
        assert_equal(select(b, x, Word[16](7)), 7)
        assert_true(c | d == d)

    parts.check(private={"x": 0xBEEF, "bits": [1, 0, 1, 1]})


def test_strings_and_arrays():
    text = b"zero knowledge"

    @volery.circuit
    def strings(s: Bytes[14], words: Array[Word[32], 6], i: Word[8]):
        assert_equal(s[0], ord("z"))
        assert_equal(s[5:], text[5:])
        assert_equal(s[::-1], text[::-1])
        assert_equal(s + b"!", text + b"!")
        assert_equal(b">" + s + s, b">" + text + text)
        assert_true(s == text)
        assert_true(s != b"zero knowledgf")
        assert_equal(s ^ s, bytes(14))
        assert_equal(words.sum(), 21)
        assert_equal(words + words, [2, 4, 6, 8, 10, 12])
        assert_equal(words * 3, [3, 6, 9, 12, 15, 18])
        assert_equal(words < 4, [1, 1, 1, 0, 0, 0])
        assert_equal(words[1:3], [2, 3])
        assert_equal(words[i], 5)
        assert_equal(s[i], text[4])
        assert_equal(volery.array([s[0], s[1]]), [ord("z"), ord("e")])
        assert_true(words == [1, 2, 3, 4, 5, 6])
        assert_true(words != [1, 2, 3, 4, 5, 7])

    strings.check(private={"s": text, "words": [1, 2, 3, 4, 5, 6], "i": 4})
    with pytest.raises(volery.Unsatisfied, match="an index of the array"):
        strings.check(private={"s": text, "words": [1, 2, 3, 4, 5, 6], "i": 6})


def test_hashes():
    import hashlib
    import hmac

    text = bytes(range(100))

    @volery.circuit
    def hashes(s: Bytes[100]):
        for holes in (False, True):
            assert_equal(volery.sha256(s, holes=holes), hashlib.sha256(text).digest())
            assert_equal(volery.sha3_256(s, holes=holes), hashlib.sha3_256(text).digest())
        assert_equal(volery.sha1(s), hashlib.sha1(text).digest())
        assert_equal(volery.hmac_sha256(b"key", s), hmac.digest(b"key", text, "sha256"))
        # FIPS 197, appendix B.
        key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
        block = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
        assert_equal(volery.aes128(Bytes[16](key), block), bytes.fromhex("3925841d02dc09fbdc118597196a0b32"))
        empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
        assert_equal(volery.keccak256(b""), bytes.fromhex(empty))

    hashes.check(private={"s": text})


MODULI = {"f61": 2**61 - 1, "goldilocks": 2**64 - 2**32 + 1, "q32": 2**32 - 5, "f65537": 65537}


@pytest.mark.parametrize("field", MODULI)
def test_elements(field):
    p = MODULI[field]
    random.seed(field)
    a, b = (random.randrange(1, p) for _ in range(2))
    vector = [random.randrange(p) for _ in range(5)]

    @volery.circuit(field=field)
    def elements(x: volery.Element, y: volery.Element, v: Array[volery.Element, 5], i: volery.Element):
        results = [
            (x + y, a + b),
            (x - y, a - b),
            (x * y, a * b),
            (x / y, a * pow(b, -1, p)),
            (-x, -a),
            (x**5, a**5),
            (x**-1, pow(a, -1, p)),
            (x + 1, a + 1),
            (2 * x, 2 * a),
            (1 - x, 1 - a),
            (x == y, a == b),
            (x == a, 1),
            (x != y, a != b),
            (v.sum(), sum(vector)),
            (v.dot(v), sum(e * e for e in vector)),
            (v.dot([1, 2, 3, 4, 5]), sum(e * k for e, k in zip(vector, range(1, 6)))),
            (v[2], vector[2]),
            (v[i], vector[3]),
        ]
        for j, (result, value) in enumerate(results):
            assert_equal(result, value % p, f"result {j}")
        assert_equal(v * v - v, [(e * e - e) % p for e in vector])
        assert_equal(
            v.map([[1, 0, 0, 0, 2], [0, -1, 0, 0, 0]]), [(vector[0] + 2 * vector[4]) % p, -vector[1] % p]
        )
        volery.assert_not_zero(x)
        volery.assert_range(i, 4)
        assert_equal(i.bits(3), [1, 1, 0])
        assert_equal(select(x == a, x, 0), a)
        volery.assert_permutation(v, v[::-1])

    private = {"x": a, "y": b, "v": vector, "i": 3}
    elements.check(private=private)
    with pytest.raises(volery.Unsatisfied):
        elements.check(private=private | {"i": 11})


def test_characteristic_two():
    @volery.circuit(field="f256")
    def elements(x: volery.Element, y: volery.Element):
        assert_equal(x + y, 0x57 ^ 0x83)
        assert_equal(x * y, 0xC1)
        assert_equal(x * y / y, x)

    # FIPS 197, section 4.2.
    elements.check(private={"x": 0x57, "y": 0x83})


def test_memories_and_tables():
    @volery.circuit
    def memory(address: Word[10], value: Word[32], other: Word[3]):
        ram = volery.Memory(Word[32], 1000)
        ram[address] = value
        assert_equal(ram[address], value)
        assert_equal(ram.write(5, 77), 0)
        assert_equal(ram.write(address, 1, where=value == 0), value)
        assert_equal(ram.read(address), value)
        rom = volery.Memory(volery.array([Word[8](i * i) for i in range(8)]))
        assert_equal(rom[other], 25)
        squares = volery.Table({i: i * i for i in range(8)}, Word[3], Word[8])
        assert_equal(squares[other], 25)

    private = {"address": 999, "value": 123456, "other": 5}
    memory.check(private=private)
    memory.count()
    with pytest.raises(volery.Unsatisfied, match="an address in the memory"):
        memory.check(private=private | {"address": 1000})

    @volery.circuit(field="f61")
    def over(address: volery.Element, value: volery.Element):
        ram = volery.Memory(volery.Element, 100)
        ram[address] = value
        assert_equal(ram[address], value)
        cubes = volery.Table({i: i**3 for i in range(50)}, volery.Element, volery.Element)
        assert_equal(cubes.look_up(address), 49**3, "cube")

    over.check(private={"address": 49, "value": 2**60})
    with pytest.raises(volery.Unsatisfied, match="cube"):
        over.check(private={"address": 48, "value": 2**60})
    with pytest.raises(volery.Unsatisfied, match="a key of the table"):
        over.check(private={"address": 51, "value": 2**60})
