#!/usr/bin/env python3
"""Verifies the proof files beside this one, or those that are named.

Written from the definitions alone: the tables in voleith.rs, voleith/head.rs, voleith/fixed_key.rs and
session/voleith/header.rs of crates/quicksilver/src. All files are about circuits/adder8.txt with the output 0x8d; the
digest of the statement is not computed here. A file by `size` takes some minutes.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# AES and BLAKE3.
exec((HERE.parent / "garbling" / "reference.py").read_text().split("# --- Garbling")[0], globals())

KEYED = 16
HERE = Path(__file__).resolve().parent

# --- AES-128 under a key for many blocks -------------------------------------------------------------------------------

TWICE = [double(x) for x in range(256)]


class Aes:
    def __init__(self, key):
        words = [list(key[4 * i : 4 * i + 4]) for i in range(4)]
        constant = 1
        for i in range(4, 44):
            word = list(words[i - 1])
            if i % 4 == 0:
                word = [SBOX[byte] for byte in word[1:] + word[:1]]
                word[0] ^= constant
                constant = double(constant)
            words.append([a ^ b for a, b in zip(words[i - 4], word)])
        self.keys = [sum(words[4 * r : 4 * r + 4], []) for r in range(11)]

    def __call__(self, x):
        """Of a number, whose lowest byte comes first."""
        state = [a ^ b for a, b in zip(x.to_bytes(16, "little"), self.keys[0])]
        for r in range(1, 11):
            state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
            if r < 10:
                mixed = []
                for c in range(0, 16, 4):
                    a = state[c : c + 4]
                    every = a[0] ^ a[1] ^ a[2] ^ a[3]
                    mixed += [a[i] ^ every ^ TWICE[a[i] ^ a[(i + 1) % 4]] for i in range(4)]
                state = mixed
            state = [a ^ b for a, b in zip(state, self.keys[r])]
        return int.from_bytes(bytes(state), "little")

    def hash(self, x):
        return self(x) ^ x


def element(x):
    return x.to_bytes(16, "little")


assert element(Aes(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"))(
    int.from_bytes(bytes.fromhex("3243f6a8885a308d313198a2e0370734"), "little")
)) == bytes.fromhex("3925841d02dc09fbdc118597196a0b32")

# --- Hashes, and the field ---------------------------------------------------------------------------------------------


def words(key):
    return [int.from_bytes(key[4 * i : 4 * i + 4], "little") for i in range(8)]


def expand(context, data, length):
    """Any number of bytes of BLAKE3 that derives a key."""
    key = words(blake3(context.encode(), IV, CONTEXT))
    chaining, block, _, size, flags = node(data, key, MATERIAL)
    out, counter = b"", 0
    while len(out) < length:
        out += b"".join(w.to_bytes(4, "little") for w in compress(chaining, block, counter, size, flags | ROOT))
        counter += 1
    return out[:length]


def digest(context, *fields):
    return derive(context, b"".join(len(field).to_bytes(8, "little") + field for field in fields))


def times(a, b):
    """In F_2[X] modulo X^128 + X^7 + X^2 + X + 1; bit i is the coefficient of X^i."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a >> 128:
            a ^= 1 << 128 | 0x87
        b >>= 1
    return product


def dot(a, b):
    total = 0
    for x, y in zip(a, b):
        total ^= times(x, y)
    return total


class Transcript:
    def __init__(self, binding):
        self.checkpoint = derive("volery transcript v1, binding of the link", binding)
        self.said, self.position, self.challenges = b"", 0, 0

    def say(self, message):
        self.said += len(message).to_bytes(8, "little") + blake3(message)
        self.position += len(message)
        return message

    def challenge(self, label):
        state = derive("volery transcript v1, prover to verifier", self.said)
        state += self.position.to_bytes(8, "little") + self.challenges.to_bytes(8, "little")
        self.challenges += 1
        return derive("volery transcript v1, challenge", self.checkpoint + b"prover" + state + label.encode())

    def coefficients(self, label, count):
        """Two rows of them: of a key, and a nonce whose last bit tells which."""
        seed = self.challenge(label)
        key, nonce = Aes(seed[:16]), int.from_bytes(seed[16:24], "little")
        nonces = [(nonce << 1 | which) % (1 << 64) for which in range(2)]
        return [[key((nonce << 64) + i) for i in range(count)] for nonce in nonces]


# --- The file ----------------------------------------------------------------------------------------------------------


class File:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        assert self.at <= len(self.data), "ends early"
        return self.data[self.at - count : self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "little")


def verify(data, circuit, output):
    file = File(data)
    assert file.take(12) == b"volery proof" and file.number(4) == 2 and file.number(1) == 2
    assert file.take(32).rstrip(b"\0") == b"f2"
    trees, bits, grinding = file.take(3)
    degree, commitments = file.number(4), file.number(8)
    file.take(32)
    label = file.take(file.number(4)).decode()
    header = data[: file.at]
    assert degree == 2 and commitments <= 8192, "one batch of products is all that is read here"
    salt = file.take(32)
    delta, counter = file.number(16), file.number(4)
    assert delta & 1 and delta >> bits + 1 == 0

    depths = [bits // trees + (i < bits % trees) for i in range(trees)]
    keys = expand("volery voleith v1, tree keys", salt, 16 * sum(2 * depth + 3 for depth in depths))
    keys = iter([Aes(keys[i : i + 16]) for i in range(0, len(keys), 16)])
    leaves, expansions, all_commitments, shift = [], [], b"", 1
    for depth in depths:
        sides = [(next(keys), next(keys)) for _ in range(depth)]
        a, b, c = next(keys), next(keys), next(keys)
        place = delta >> shift & (1 << depth) - 1
        shift += depth
        nodes = [None]
        for level in range(depth):
            nodes = [None if x is None else side.hash(x) for x in nodes for side in sides[level]]
            nodes[place >> depth - 1 - level ^ 1] = file.number(16)
        hidden = file.take(32)
        all_commitments += b"".join(
            hidden if x is None else element(a.hash(x)) + element(b.hash(x)) for x in nodes
        )
        leaves.append([nodes[x ^ place] for x in range(1 << depth)])
        expansions.append(c)

    start = digest("volery voleith v1, start", header, salt, derive("volery voleith v1, commitments", all_commitments))
    transcript = Transcript(start)

    def columns(first, length):
        """Those of `length` bytes of shares from block `first` on: 128 lists of blocks."""
        blocks = (length + 15) // 16
        said = transcript.say(file.take((trees - 1) * length))
        out = [[0] * blocks]
        for i, depth in enumerate(depths):
            own = [[0] * blocks for _ in range(depth)]
            for b in range(first, first + blocks):
                key = Aes(element(expansions[i](b // 8)))
                for x, leaf in enumerate(leaves[i]):
                    if x:
                        share = key.hash(leaf ^ b)
                        for m in range(depth):
                            if x >> m & 1:
                                own[m][b - first] ^= share
            correction = said[(i - 1) * length : i * length].ljust(16 * blocks, b"\0") if i else bytes(16 * blocks)
            for m in range(depth):
                if delta >> len(out) & 1:
                    for b in range(blocks):
                        own[m][b] ^= int.from_bytes(correction[16 * b : 16 * b + 16], "little")
                out.append(own[m])
                spare = 128 * blocks - 8 * length
                out[-1][-1] &= (1 << 128 - spare) - 1
        return out + [[0] * blocks for _ in range(128 - len(out))]

    def rows(columns, count):
        return [sum((columns[c][t // 128] >> t % 128 & 1) << c for c in range(128)) for t in range(count)]

    # Step 1: one line, and 144 bits.
    masks = columns(0, 16 + 18)
    hashes = [[column[1], column[2] & 0xFFFF] for column in masks]
    line = 0
    for row in reversed(rows(masks, 128)):
        line = times(line, 2) ^ row
    add(hashes, transcript.coefficients("voleith columns", 1), [column[:1] for column in masks])

    # Step 2.
    shares = -(-commitments // 8)
    batch = columns(8, shares)
    add(hashes, transcript.coefficients("voleith columns", len(batch[0])), batch)
    corrections = int.from_bytes(transcript.say(file.take(shares)), "little")
    assert corrections >> commitments == 0
    chi = transcript.coefficients("quicksilver batch", commitments)[0]
    one = delta ^ 1
    committed = [row ^ one * (corrections >> t & 1) for t, row in enumerate(rows(batch, commitments))]
    total, asserted, used = 0, b"", 0
    inputs, gates, outputs = circuit
    wires = {}

    def commit(a, b, key):
        nonlocal total, used
        total ^= times(chi[used], times(a if a is not None else key, b) ^ times(key, delta))
        used += 1
        return key

    for wire in range(inputs):
        wires[wire] = commit(None, one, committed[used])
    for kind, a, b, out in gates:
        wires[out] = wires[a] ^ wires[b] if kind == "XOR" else commit(wires[a], wires[b], committed[used])
    for i, wire in enumerate(outputs):
        asserted += element(wires[wire] ^ one * (output >> i & 1))
    assert used == commitments

    # Steps 3 to 5.
    masked = transcript.say(file.take(18))
    linear = int.from_bytes(transcript.say(file.take(16)), "little")
    seen = b""
    for c in range(1, bits + 1):
        long, short = hashes[c]
        if delta >> c & 1:
            long ^= int.from_bytes(masked[:16], "little")
            short ^= int.from_bytes(masked[16:], "little")
        seen += element(long) + short.to_bytes(2, "little")
    constant = total ^ line ^ times(linear, delta)
    base = digest(
        "volery voleith v1, last",
        transcript.challenge("voleith last"),
        seen,
        element(constant),
        derive("volery quicksilver v1, asserted wires", asserted),
    )
    last = blake3(counter.to_bytes(4, "little"), words(base), KEYED)
    ground = int.from_bytes(last[16:20], "little") & (1 << grinding) - 1
    drawn = 1 | (int.from_bytes(last[:16], "little") & (1 << bits) - 1) << 1
    assert file.at == len(data), "something follows"
    assert (drawn, ground) == (delta, 0), "rejected"
    return label, trees, bits, grinding


def add(hashes, coefficients, columns):
    for total, column in zip(hashes, columns):
        total[0] ^= dot(coefficients[0], column)
        total[1] ^= dot(coefficients[1], column) & 0xFFFF


def bristol(path):
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    count, outputs = int(lines[0][1]), sum(map(int, lines[2][1:]))
    gates = [(line[5], int(line[2]), int(line[3]), int(line[4])) for line in lines[3:]]
    return sum(map(int, lines[1][1:])), gates, range(count - outputs, count)


if __name__ == "__main__":
    circuit = bristol(HERE.parent / "circuits" / "adder8.txt")
    for path in map(Path, sys.argv[1:] or sorted(HERE.glob("*.proof"))):
        label, *parameters = verify(path.read_bytes(), circuit, 0x8D)
        print(f"{path.name}: accepted, {parameters} trees, bits and bits ground: {label}")
