"""Compares runs of random programs with those by qemu, which knows nothing of this code.

    python3 oracle.py [COUNT] [SEED]    with volery, riscv64-unknown-elf-gcc and qemu-riscv32 in PATH

Each program computes with numbers at the edges, loads, stores, branches ahead, and writes all that it has to
descriptor 1. It reads descriptor 0, which qemu gives standard input. What is written, and the exit code, have to
be the same.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

EDGES = [0, 1, 2, 31, 32, 33, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF, 0x1_0000, 0xFFFF_FFFF]
OPERATIONS = (
    "add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu".split()
)
REGISTERS = ["zero", "ra", "t0", "t1", "t2", "s0", "s1", "a3", "a4", "a5", "s2", "s3", "t5", "t6"]


def program(rng):
    """Assembler, and its input."""
    lines = [".globl _start", "_start:", "li a0, 0", "la a1, data", "li a2, 128", "li a7, 63", "ecall"]
    lines += ["la s11, data"]
    for place, register in enumerate(REGISTERS[1:]):
        lines.append(f"lw {register}, {4 * place}(s11)")
    for at in range(rng.randrange(20, 200)):
        rd, rs1, rs2 = rng.choices(REGISTERS, k=3)
        kind = rng.randrange(10)
        if kind < 5:
            lines.append(f"{rng.choice(OPERATIONS)} {rd}, {rs1}, {rs2}")
        elif kind == 5:
            operation = rng.choice(["addi", "slti", "sltiu", "xori", "ori", "andi"])
            lines.append(f"{operation} {rd}, {rs1}, {rng.randrange(-2048, 2048)}")
        elif kind == 6:
            lines.append(f"{rng.choice(['slli', 'srli', 'srai'])} {rd}, {rs1}, {rng.randrange(32)}")
        elif kind == 7:
            name, width = rng.choice([("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4)])
            lines.append(f"{name} {rd}, {rng.randrange(128 // width) * width}(s11)")
        elif kind == 8:
            name, width = rng.choice([("sb", 1), ("sh", 2), ("sw", 4)])
            lines.append(f"{name} {rs2}, {rng.randrange(128 // width) * width}(s11)")
        else:
            branch = rng.choice(["beq", "bne", "blt", "bge", "bltu", "bgeu"])
            lines += [f"{branch} {rs1}, {rs2}, 1f", f"xori {rd}, {rd}, -1", f"auipc {rd}, 5", "1:"]
    for place, register in enumerate(REGISTERS):
        lines.append(f"sw {register}, {128 + 4 * place}(s11)")
    lines += ["li a0, 1", "la a1, data", "li a2, 192", "li a7, 64", "ecall"]
    lines += ["lbu a0, 128+20(s11)", "li a7, 93", "ecall", ".data", ".balign 4", "data: .zero 192"]
    word = lambda: rng.choice(EDGES) if rng.randrange(3) else rng.randrange(1 << 32)
    given = b"".join(word().to_bytes(4, "little") for _ in range(32))
    return "\n".join(lines) + "\n", given


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, elf, secret = folder / "p.S", folder / "p.elf", folder / "in"
        for number in range(count):
            text, given = program(rng)
            source.write_text(text)
            secret.write_bytes(given)
            compiler = "riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -nostdlib -static -Wl,-Ttext=0x10000"
            subprocess.run([*compiler.split(), str(source), "-o", str(elf)], check=True)
            theirs = subprocess.run(["qemu-riscv32", str(elf)], input=given, capture_output=True)
            command = ["volery", "run", "--program", str(elf), "--private-input", f"@{secret}", "--json"]
            ours = subprocess.run(command, capture_output=True, check=True).stdout.decode()
            same = f'"exit_code":{theirs.returncode},' in ours and f'"output":"{theirs.stdout.hex()}"' in ours
            if not same or len(theirs.stdout) != 192:
                sys.exit(f"program {number} differs:\n{text}\n{given.hex()}\n{theirs}\n{ours}")
    print(f"{count} programs: the same")


main()
