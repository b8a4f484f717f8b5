#!/usr/bin/env python3
"""Garbles two circuits from fixed seeds, and writes adder8.txt and chain.txt beside this file.

Written from the definitions alone: AES-128 after FIPS 197, BLAKE3 after its paper, garbling after the table in
crates/volery/src/garble/privacy_free.rs. Every string of 16 bytes is a number whose lowest byte comes first.
"""

from pathlib import Path

HERE = Path(__file__).resolve().parent

# --- AES-128 -----------------------------------------------------------------------------------------------------------


def double(x):
    return (x << 1 ^ (0x11B if x & 0x80 else 0)) & 0xFF


def multiply(a, b):
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = double(a), b >> 1
    return product


def substitution():
    table = []
    for x in range(256):
        inverse = next((y for y in range(256) if multiply(x, y) == 1), 0)
        value = 0x63
        for turn in range(5):
            value ^= (inverse << turn | inverse >> (8 - turn)) & 0xFF
        table.append(value)
    return table


SBOX = substitution()


def aes(key, block):
    words = [list(key[4 * i : 4 * i + 4]) for i in range(4)]
    constant = 1
    for i in range(4, 44):
        word = list(words[i - 1])
        if i % 4 == 0:
            word = [SBOX[byte] for byte in word[1:] + word[:1]]
            word[0] ^= constant
            constant = double(constant)
        words.append([a ^ b for a, b in zip(words[i - 4], word)])
    keys = [sum(words[4 * r : 4 * r + 4], []) for r in range(11)]
    state = [a ^ b for a, b in zip(block, keys[0])]
    for r in range(1, 11):
        state = [SBOX[byte] for byte in state]
        state = [state[(i + 4 * (i % 4)) % 16] for i in range(16)]
        if r < 10:
            mixed = []
            for column in range(0, 16, 4):
                a = state[column : column + 4]
                for i in range(4):
                    b, c, d, e = (a[(i + j) % 4] for j in range(4))
                    mixed.append(double(b) ^ double(c) ^ c ^ d ^ e)
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[r])]
    return bytes(state)


assert aes(
    bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), bytes.fromhex("3243f6a8885a308d313198a2e0370734")
) == bytes.fromhex("3925841d02dc09fbdc118597196a0b32")

# --- BLAKE3 ------------------------------------------------------------------------------------------------------------

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
START, END, PARENT, ROOT, CONTEXT, MATERIAL = 1, 2, 4, 8, 32, 64
LOW = 0xFFFFFFFF


def compress(chaining, block, counter, length, flags):
    v = chaining + IV[:4] + [counter & LOW, counter >> 32, length, flags]
    block = block.ljust(64, b"\0")
    m = [int.from_bytes(block[4 * i : 4 * i + 4], "little") for i in range(16)]

    def mix(a, b, c, d, x, y):
        for word, first, second in ((x, 16, 12), (y, 8, 7)):
            v[a] = v[a] + v[b] + word & LOW
            v[d] ^= v[a]
            v[d] = (v[d] >> first | v[d] << 32 - first) & LOW
            v[c] = v[c] + v[d] & LOW
            v[b] ^= v[c]
            v[b] = (v[b] >> second | v[b] << 32 - second) & LOW

    for _ in range(7):
        for i in range(4):
            mix(i, 4 + i, 8 + i, 12 + i, m[2 * i], m[2 * i + 1])
        for i in range(4):
            mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i])
        m = [m[i] for i in ORDER]
    return [v[i] ^ v[i + 8] for i in range(8)] + [v[i + 8] ^ chaining[i] for i in range(8)]


def node(data, key, flags, chunk=0):
    """The arguments of the last compression of a tree over `data`."""
    if len(data) <= 1024:
        blocks = [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
        chaining = key
        for i, block in enumerate(blocks):
            now = flags | (START if i == 0 else 0) | (END if i == len(blocks) - 1 else 0)
            if i == len(blocks) - 1:
                return chaining, block, chunk, len(block), now
            chaining = compress(chaining, block, chunk, 64, now)[:8]
    left = 1024
    while 2 * left < len(data):
        left *= 2
    children = node(data[:left], key, flags, chunk), node(data[left:], key, flags, chunk + left // 1024)
    block = b"".join(word.to_bytes(4, "little") for child in children for word in compress(*child)[:8])
    return key, block, 0, 64, flags | PARENT


def blake3(data, key=IV, flags=0):
    chaining, block, counter, length, flags = node(data, key, flags)
    words = compress(chaining, block, 0 if flags & PARENT else counter, length, flags | ROOT)
    return b"".join(word.to_bytes(4, "little") for word in words[:8])


def derive(context, data):
    key = blake3(context.encode(), IV, CONTEXT)
    return blake3(data, [int.from_bytes(key[4 * i : 4 * i + 4], "little") for i in range(8)], MATERIAL)


assert blake3(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
assert blake3(bytes(i % 251 for i in range(1025))).hex().startswith("d00278ae47eb27b34faecf67b4fe263f")
assert derive("BLAKE3 2019-12-27 16:29:52 test vectors context", b"").hex().startswith("2cc39783")

# --- Garbling ----------------------------------------------------------------------------------------------------------


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def number(n):
    return n.to_bytes(16, "little")


def mitccrh(salt, tweak, x):
    n = int.from_bytes(x, "little")
    high, low = n >> 64, n & (1 << 64) - 1
    sigma = number((high ^ low) << 64 | high)
    return xor(aes(xor(salt, number(tweak)), sigma), sigma)


def tmmo(salt, tweak, x):
    inner = aes(salt, x)
    return xor(aes(salt, xor(inner, number(tweak))), inner)


def garble(hash_of, inputs, gates, asserted, seed, salt, clause):
    """`gates` are (kind, a, b, out); `asserted` are (wire, value)."""
    delta = aes(seed, salt)
    wires = {j: aes(seed, xor(salt, number(j + 1))) for j in range(inputs)}
    labels, material = [wires[j] for j in range(inputs)], []
    for kind, a, b, out in gates:
        if kind == "XOR":
            wires[out] = xor(wires[a], wires[b])
        else:
            tweak = (clause << 40) + len(material)
            zero = hash_of(salt, tweak, wires[a])
            one = hash_of(salt, tweak, xor(wires[a], delta))
            material.append(xor(xor(zero, one), wires[b]))
            wires[out] = zero
    labelled = [xor(wires[wire], delta) if value else wires[wire] for wire, value in asserted]
    output = derive("volery garbling v1, output", clause.to_bytes(8, "little") + b"".join(labelled))[:16]
    return delta, labels, material, output


def bristol(path):
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    wires, outputs = int(lines[0][1]), sum(map(int, lines[2][1:]))
    gates = []
    for line in lines[3:]:
        assert line[5] in ("XOR", "AND") and line[:2] == ["2", "1"], line
        gates.append((line[5], int(line[2]), int(line[3]), int(line[4])))
    return sum(map(int, lines[1][1:])), gates, range(wires - outputs, wires)


def chain(length):
    """x_0 … x_7 are inputs, and then x_{i+8} = x_i·x_{i+3} + x_{i+7}; products are numbered from 10000."""
    gates = []
    for i in range(length):
        gates.append(("AND", i, i + 3, 10000 + i))
        gates.append(("XOR", 10000 + i, i + 7, i + 8))
    return 8, gates, range(length, length + 8)


def write(name, circuit, cases):
    inputs, gates, outputs = circuit
    text = ""
    for construction, seed, salt, clause, value in cases:
        seed, salt = bytes.fromhex(seed), bytes.fromhex(salt)
        asserted = [(wire, value >> i & 1) for i, wire in enumerate(outputs)]
        hash_of = {"mitccrh": mitccrh, "tmmo": tmmo}[construction]
        delta, labels, material, output = garble(hash_of, inputs, gates, asserted, seed, salt, clause)
        text += f"construction {construction}\nseed {seed.hex()}\nsalt {salt.hex()}\nclause {clause}\n"
        text += f"value {value:#04x}\ndelta {delta.hex()}\n"
        text += "".join(f"label {label.hex()}\n" for label in labels)
        text += f"blocks {len(material)}\nfirst {material[0].hex()}\nlast {material[-1].hex()}\n"
        text += f"digest {derive('volery garbling v1, material', b''.join(material)).hex()}\n"
        text += f"output {output.hex()}\n\n"
    (HERE / name).write_text(text)


SEED, SALT = "000102030405060708090a0b0c0d0e0f", "f0e1d2c3b4a5968778695a4b3c2d1e0f"
CASES = [
    ("mitccrh", SEED, SALT, 0, 0x8D),
    ("tmmo", SEED, SALT, 0, 0x8D),
    ("mitccrh", SALT, SEED, 1_000_000, 0x00),
    ("tmmo", SALT, SEED, 1_000_000, 0x00),
]
write("adder8.txt", bristol(HERE.parent / "circuits" / "adder8.txt"), CASES)
write("chain.txt", chain(1100), [(how, SEED, SALT, 5, 0xA5) for how in ("mitccrh", "tmmo")])
