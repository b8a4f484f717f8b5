"""AIGER files with known outputs, written from the format's description alone.

`python3 vectors/aiger/reference.py` writes the files of this folder anew. Nothing here but Python 3.8 is needed.
"""
import os
import random

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Aig:
    """Literals as in AIGER; inputs and latches come first."""

    def __init__(self, inputs, latches=()):
        self.inputs, self.latches = inputs, list(latches)  # names; pairs of name and first value, or None
        self.next, self.ands, self.outputs, self.bad, self.constraints = [], [], [], [], []

    def input(self, name):
        return 2 * (1 + self.inputs.index(name))

    def latch(self, name):
        return 2 * (1 + len(self.inputs) + [known for known, _ in self.latches].index(name))

    def land(self, a, b):
        self.ands.append((max(a, b), min(a, b)))
        return 2 * (len(self.inputs) + len(self.latches) + len(self.ands))

    def lor(self, a, b):
        return self.land(a ^ 1, b ^ 1) ^ 1

    def xor(self, a, b):
        return self.land(self.land(a, b) ^ 1, self.land(a ^ 1, b ^ 1) ^ 1)

    def mux(self, s, yes, no):
        return self.lor(self.land(s, yes), self.land(s ^ 1, no))

    def head(self, kind, highest):
        counts = [highest, len(self.inputs), len(self.latches), len(self.outputs), len(self.ands)]
        if self.bad or self.constraints:
            counts += [len(self.bad), len(self.constraints)]
        return kind + "".join(f" {count}" for count in counts) + "\n"

    def first(self, place, number=lambda literal: literal):
        value = self.latches[place][1]
        own = 2 * (1 + len(self.inputs) + place)
        return number(own) if value is None else value

    def symbols(self):
        lists = [("i", self.inputs), ("l", [name for name, _ in self.latches]),
                 ("o", [name for name, _ in self.outputs]), ("b", [name for name, _ in self.bad]),
                 ("c", [name for name, _ in self.constraints])]
        # In the order of texts, as Yosys has them.
        lines = [f"{kind}{place} {name}\n" for kind, names in lists for place, name in enumerate(names)]
        return "".join(sorted(lines)) + "c\nvectors/aiger/reference.py\n"

    def ends(self, number):
        return "".join(f"{number(literal)}\n" for _, literal in self.outputs + self.bad + self.constraints)

    def binary(self):
        first = 1 + len(self.inputs) + len(self.latches)
        text = self.head("aig", first - 1 + len(self.ands))
        text += "".join(f"{literal} {self.first(place)}\n" for place, literal in enumerate(self.next))
        data = bytearray((text + self.ends(lambda literal: literal)).encode())
        for place, (a, b) in enumerate(self.ands):
            for difference in (2 * (first + place) - a, a - b):
                while difference >= 128:
                    data.append(difference & 127 | 128)
                    difference >>= 7
                data.append(difference)
        return bytes(data) + self.symbols().encode()

    def text(self):
        """With other variables, some of them left out, and with the ANDs in another order."""
        count = len(self.inputs) + len(self.latches) + len(self.ands)
        variables = [0] + random.sample(range(1, count + 4), count)
        number = lambda literal: 2 * variables[literal >> 1] + (literal & 1)
        text = self.head("aag", count + 3)
        text += "".join(f"{number(2 + 2 * place)}\n" for place in range(len(self.inputs)))
        for place, literal in enumerate(self.next):
            own = number(2 * (1 + len(self.inputs) + place))
            text += f"{own} {number(literal)} {self.first(place, number)}\n"
        text += self.ends(number)
        first = 1 + len(self.inputs) + len(self.latches)
        gates = [f"{number(2 * (first + place))} {number(a)} {number(b)}\n" for place, (a, b) in enumerate(self.ands)]
        random.shuffle(gates)
        return (text + "".join(gates) + self.symbols()).encode()


def adder(width):
    aig = Aig([f"{port}[{bit}]" for port in "ab" for bit in range(width)] + ["cin"])
    carry = aig.input("cin")
    for bit in range(width):
        a, b = aig.input(f"a[{bit}]"), aig.input(f"b[{bit}]")
        either = aig.xor(a, b)
        aig.outputs.append((f"sum[{bit}]", aig.xor(either, carry)))
        carry = aig.lor(aig.land(a, b), aig.land(either, carry))
    aig.outputs.append(("cout", carry))
    return aig


def counter(width):
    """Counts while `on`, begins at 1, and is bad at all ones; `clear` and `on` are never both one."""
    aig = Aig(["clk", "clear", "on"], [(f"n[{bit}]", int(bit == 0)) for bit in range(width)])
    clear, carry = aig.input("clear"), aig.input("on")
    every = 1
    for bit in range(width):
        state = aig.latch(f"n[{bit}]")
        aig.outputs.append((f"count[{bit}]", state))
        aig.next.append(aig.land(aig.xor(state, carry), clear ^ 1))
        carry = aig.land(carry, state)
        every = aig.land(every, state)
    aig.bad.append(("full", every))
    aig.constraints.append(("sane", aig.land(clear, aig.input("on")) ^ 1))
    return aig


def bits(number, width):
    return "0b" + "".join(str(number >> bit & 1) for bit in range(width))


def main():
    random.seed(2026)
    for name, aig in (("adder8", adder(8)), ("counter3", counter(3))):
        for ending, data in (("aig", aig.binary()), ("aag", aig.text())):
            with open(os.path.join(FOLDER, f"{name}.{ending}"), "wb") as file:
                file.write(data)
    rows = []
    for a, b, cin in [(0, 0, 0), (255, 0, 1), (90, 51, 0), (200, 100, 1), (255, 255, 1)]:
        total = a + b + cin
        given = f"a={bits(a, 8)} b={bits(b, 8)} cin={bits(cin, 1)}"
        for ending in ("aig", "aag"):
            rows.append(f"adder8.{ending} {given} -> sum={bits(total % 256, 8)} cout={bits(total // 256, 1)}")
    for inputs in ["000000", "010101", "01101001", "01010101010101", "1001010101"]:
        steps = [inputs[place:place + 2] for place in range(0, len(inputs), 2)]
        count, given, seen = 1, [], []
        for step, (clear, on) in enumerate(steps):
            given += [f"clk@{step}=0b0", f"clear@{step}=0b{clear}", f"on@{step}=0b{on}"]
            place = "" if step + 1 == len(steps) else f"@{step}"
            seen += [f"count{place}={bits(count, 3)}", f"full{place}={bits(int(count == 7), 1)}"]
            count = 0 if clear == "1" else (count + int(on)) % 8
        for ending in ("aig", "aag"):
            rows.append(f"counter3.{ending}?steps={len(steps)} {' '.join(given)} -> {' '.join(seen)}")
    with open(os.path.join(FOLDER, "values.txt"), "w") as file:
        file.write("\n".join(rows) + "\n")


main()
