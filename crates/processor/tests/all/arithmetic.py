"""Makes arithmetic.txt: what each operation of RV32IM makes of numbers at the edges, by Python's integers.

    python3 arithmetic.py > arithmetic.txt
"""

EDGES = [0, 1, 2, 31, 33, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1234_5678, 0xFFFF]


def signed(x):
    return x - (1 << 32) if x >> 31 else x


def quotient(x, y):
    """Towards zero, as no operator of Python has it."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


OPERATIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "sll": lambda x, y: x << y % 32,
    "slt": lambda x, y: signed(x) < signed(y),
    "sltu": lambda x, y: x < y,
    "xor": lambda x, y: x ^ y,
    "srl": lambda x, y: x >> y % 32,
    "sra": lambda x, y: signed(x) >> y % 32,
    "or": lambda x, y: x | y,
    "and": lambda x, y: x & y,
    "mul": lambda x, y: x * y,
    "mulh": lambda x, y: signed(x) * signed(y) >> 32,
    "mulhsu": lambda x, y: signed(x) * y >> 32,
    "mulhu": lambda x, y: x * y >> 32,
    "div": lambda x, y: quotient(signed(x), signed(y)) if y else -1,
    "divu": lambda x, y: x // y if y else -1,
    "rem": lambda x, y: signed(x) - quotient(signed(x), signed(y)) * signed(y) if y else x,
    "remu": lambda x, y: x % y if y else x,
}

if __name__ == "__main__":
    print("#", *OPERATIONS)
    for x in EDGES:
        for y in EDGES:
            results = [int(operation(x, y)) % 2**32 for operation in OPERATIONS.values()]
            print(*(f"{number:x}" for number in [x, y, *results]))
