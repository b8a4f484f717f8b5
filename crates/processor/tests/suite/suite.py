"""Makes the programs of this folder: one for each instruction of RV32IM, and one for what follows each other.

    python3 suite.py            writes NAME.elf for each
    python3 suite.py check      compiles them elsewhere, and fails where one is not the file that is here
    python3 suite.py qemu       has qemu-riscv32 run them, without what takes machine mode

All take `riscv64-unknown-elf-gcc` 12.2.0 with binutils 2.40 of Debian 12. Programs have the manners of the
architecture's own tests: a hart begins in machine mode, goes on by `mret`, counts cases in gp, and ends by a
call 93 with 0, or with 2·case + 1 where a case fails. What is expected are Python's integers, as they are in
../all/arithmetic.py.
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "all"))
sys.dont_write_bytecode = True
from arithmetic import OPERATIONS, signed  # noqa: E402

EDGES = [0, 1, 2, 31, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0xFFFF_8000, 0x1234_5678, 65535, 33]
IMMEDIATES = [0, 1, -1, 2047, -2048, 0x555, -0x556, 15]

BEGIN = """
.option norelax
.section .text.init, "ax"
.globl _start
_start: j reset
trap:
    li gp, 511
    j fail
reset:
    csrr a0, mhartid
1:  bnez a0, 1b
    la t0, 1f
    csrw mtvec, t0
    csrwi satp, 0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 31
    csrw pmpcfg0, t0
    csrwi mie, 0
.balign 4
1:  la t0, trap
    csrw mtvec, t0
    csrwi mstatus, 0
    la t0, 1f
    csrw mepc, t0
    mret
1:  li gp, 0
"""

END = """
    fence
    li gp, 1
    li a0, 0
    li a7, 93
    ecall
fail:
    fence
    slli a0, gp, 1
    ori a0, a0, 1
    li a7, 93
    ecall
"""

# One segment for all, without flags: that is how Debian's linker leaves the architecture's own tests.
SCRIPT = """
ENTRY(_start)
PHDRS { all PT_LOAD FLAGS(0); }
SECTIONS
{
    . = 0x80000000;
    .text : { *(.text.init) *(.text) } :all
    . = ALIGN(64);
    .data : { *(.data) } :all
    /DISCARD/ : { *(.comment) *(.riscv.attributes) *(.note .note.*) }
}
"""


class Case:
    """Cases of one program, which are numbered from 2."""

    def __init__(self):
        self.lines, self.number = [], 1

    def expect(self, code, register, value):
        """Runs `code`, and then `register` has to be `value`."""
        self.begin(code)
        load = f"la t2, {value}" if isinstance(value, str) else f"li t2, {value % 2**32:#x}"
        self.lines += [f"    {load}", f"    bne {register}, t2, fail"]

    def begin(self, code):
        self.number += 1
        self.lines += [f"    li gp, {self.number}", *(f"    {line.strip()}" for line in code.split(";"))]


def register(name):
    """An operation of two registers: edges, all ways in which registers may coincide, and x0."""
    case, operation = Case(), lambda x, y: int(OPERATIONS[name](x, y))
    for i, x in enumerate(EDGES):
        for y in EDGES[i % 2 :: 2]:
            case.expect(f"li a1, {x}; li a2, {y}; {name} a4, a1, a2", "a4", operation(x, y))
    for x, y in [(13, 11), (0x8000_0000, 0xFFFF_FFFF), (0xFFFF_FFF3, 5)]:
        case.expect(f"li a1, {x}; li a2, {y}; {name} a1, a1, a2", "a1", operation(x, y))
        case.expect(f"li a1, {x}; li a2, {y}; {name} a2, a1, a2", "a2", operation(x, y))
        case.expect(f"li a1, {x}; {name} a1, a1, a1", "a1", operation(x, x))
        case.expect(f"li a1, {x}; {name} a2, a1, x0", "a2", operation(x, 0))
        case.expect(f"li a1, {x}; {name} a2, x0, a1", "a2", operation(0, x))
        case.expect(f"li a1, {x}; li a2, {y}; {name} x0, a1, a2", "x0", 0)
        case.expect(f"li a1, {x}; li a2, {y}; {name} a4, a1, a2; {name} a4, a4, a2", "a4",
                    operation(operation(x, y) % 2**32, y))
    case.expect(f"{name} a1, x0, x0", "a1", operation(0, 0))
    return case


def immediate(name):
    """An operation with an immediate, which is extended by its sign, or the number of places of a shift."""
    plain = {"sltiu": "sltu"}.get(name, name.removesuffix("i"))
    case, operation = Case(), lambda x, y: int(OPERATIONS[plain](x, y % 2**32))
    values = [0, 1, 7, 14, 16, 31] if name in ["slli", "srli", "srai"] else IMMEDIATES
    for x in EDGES:
        for y in values:
            case.expect(f"li a1, {x}; {name} a4, a1, {y}", "a4", operation(x, y))
    for y in values:
        case.expect(f"li a1, 0x80000021; {name} a1, a1, {y}", "a1", operation(0x8000_0021, y))
        case.expect(f"{name} a1, x0, {y}", "a1", operation(0, y))
        case.expect(f"li a1, 33; {name} x0, a1, {y}", "x0", 0)
    return case


def upper(name):
    case = Case()
    for value in [0, 1, 0x7FFFF, 0x80000, 0xFFFFF, 0x12345]:
        high = value << 12
        if name == "lui":
            case.expect(f"lui a1, {value}", "a1", high)
        else:
            # The address is linked, and a sum that wraps is none of a linker's.
            case.begin(f".balign 8; 9: auipc a1, {value}; lui a2, %hi(9b); addi a2, a2, %lo(9b)")
            case.lines += [f"    li a3, {high}", "    add a2, a2, a3", "    bne a1, a2, fail"]
        case.expect(f"{name} x0, {value}", "x0", 0)
    case.expect("lui a1, 0x80000; srai a1, a1, 31", "a1", -1)
    return case


DATA = bytes.fromhex("ff00f00f 8000007f 12345678 80ff7f01".replace(" ", ""))


def loaded(at, width, sign):
    return int.from_bytes(DATA[at : at + width], "little", signed=sign) % 2**32


def load(name):
    width, sign = {"b": 1, "h": 2, "w": 4}[name[1]], not name.endswith("u")
    case = Case()
    for at in range(0, len(DATA), width):
        value = loaded(at, width, sign)
        case.expect(f"la a1, data; {name} a2, {at}(a1)", "a2", value)
        case.expect(f"la a1, data + 16; {name} a2, {at - 16}(a1)", "a2", value)
        # Neither the register nor the offset has to be a multiple.
        case.expect(f"la a1, data - 5; {name} a2, {at + 5}(a1)", "a2", value)
        case.expect(f"la a1, data + {at}; {name} a1, 0(a1)", "a1", value)
    case.expect(f"la a1, data; {name} x0, 0(a1)", "x0", 0)
    case.expect(f"la a1, data - 2047; {name} a2, 2047(a1)", "a2", loaded(0, width, sign))
    case.expect(f"la a1, data + 2048; {name} a2, -2048(a1)", "a2", loaded(0, width, sign))
    return case


def store(name):
    width = {"sb": 1, "sh": 2, "sw": 4}[name]
    case = Case()
    for number, value in enumerate([0x00AA, 0xFFFF_FF00, 0x8765_4321, 0x7F80, 0xFFFF_FFFF, 0]):
        for at in range(0, 8, width):
            # What is beside it stays as it was.
            memory = bytearray(bytes.fromhex("efbeadde" * 2))
            memory[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, "little")
            base, offset = [(0, at), (16, at - 16), (-3, at + 3)][(number + at) % 3]
            code = f"la a1, room; li a3, 0xdeadbeef; sw a3, 0(a1); sw a3, 4(a1); li a2, {value}"
            case.expect(f"{code}; la a4, room + {base}; {name} a2, {offset}(a4); lw a3, 0(a1)", "a3",
                        int.from_bytes(memory[:4], "little"))
            case.expect("lw a3, 4(a1)", "a3", int.from_bytes(memory[4:], "little"))
    case.expect(f"la a1, room; {name} x0, 0(a1); lbu a2, 0(a1)", "a2", 0)
    case.expect(f"la a1, room; sw a1, 4(a1); {name} a1, 4(a1); lw a2, 4(a1)", "a2", "room")
    return case


BRANCHES = {
    "beq": lambda x, y: x == y,
    "bne": lambda x, y: x != y,
    "blt": lambda x, y: signed(x) < signed(y),
    "bge": lambda x, y: signed(x) >= signed(y),
    "bltu": lambda x, y: x < y,
    "bgeu": lambda x, y: x >= y,
}


def branch(name):
    case, is_taken = Case(), BRANCHES[name]
    words = [0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0xFFFF_FFFE]
    for x in words:
        for y in words:
            taken = is_taken(x, y)
            begin = f"li a1, {x}; li a2, {y}; li a3, 0"
            ahead = f"{begin}; {name} a1, a2, 9f; addi a3, a3, 1; 9: addi a3, a3, 2"
            case.expect(ahead, "a3", 2 if taken else 3)
            back = f"{begin}; j 8f; 7: addi a3, a3, 4; j 9f; 8: {name} a1, a2, 7b; 9: nop"
            case.expect(back, "a3", 4 if taken else 0)
    case.expect(f"li a1, 5; li a3, 0; {name} a1, a1, 9f; li a3, 1; 9: nop", "a3", int(not is_taken(5, 5)))
    case.expect(f"li a1, 5; li a3, 0; {name} x0, a1, 9f; li a3, 1; 9: nop", "a3", int(not is_taken(0, 5)))
    return case


def jal(_):
    case = Case()
    case.expect("li a3, 0; jal a4, 9f; 8: li a3, 1; 9: nop", "a3", 0)
    case.expect("nop", "a4", "8b")
    case.expect("li a3, 0; j 8f; 7: addi a3, a3, 1; j 9f; 8: jal ra, 7b; 6: addi a3, a3, 8; 9: nop", "a3", 1)
    case.expect("nop", "ra", "6b")
    case.expect("li a3, 3; jal x0, 9f; li a3, 1; 9: nop", "a3", 3)
    case.expect("nop", "x0", 0)
    return case


def jalr(_):
    case = Case()
    for offset in [0, 4, -4, 2047, -2048, 1, -3]:
        # The lowest bit of the sum is cut off.
        for odd in range(2):
            code = f"li a3, 0; la a1, 9f{odd - offset:+}; jalr a4, {offset}(a1); 8: li a3, 1; 9: nop"
            case.expect(code, "a3", 0)
            case.expect("nop", "a4", "8b")
    case.expect("li a3, 0; la a1, 9f; jalr a1, 0(a1); 8: li a3, 1; 9: nop", "a3", 0)
    case.expect("nop", "a1", "8b")
    case.expect("li a3, 0; la a1, 9f; jalr x0, 0(a1); li a3, 1; 9: nop", "a3", 0)
    case.expect("li a3, 0; la t0, 9f; jalr t0; 9: addi a3, a3, 1; nop", "a3", 1)
    return case


def fence(_):
    case = Case()
    case.expect("la a1, room; li a2, 7; sw a2, 0(a1); fence; lw a3, 0(a1)", "a3", 7)
    case.expect("fence rw, w; fence.tso; fence r, r; li a3, 1", "a3", 1)
    return case


def order(_):
    """What is written is read by the next instruction, in each width."""
    case = Case()
    widths = {"sb": ["lb", "lbu"], "sh": ["lh", "lhu"], "sw": ["lw", "lb", "lhu"]}
    for name, loads in widths.items():
        for back in loads:
            width, bits = {"b": 1, "h": 2, "w": 4}[back[1]], 0x8182_83F4
            value = int.from_bytes(bits.to_bytes(4, "little")[:width], "little", signed=back[-1] != "u")
            case.expect(f"la a1, room; li a2, {bits}; {name} a2, 0(a1); {back} a2, 0(a1)", "a2", value)
            case.expect(f"la a1, room; sw x0, 0(a1); {back} a3, 0(a1); sw a1, 0(a1)", "a3", 0)
    # A list that is walked: each load gives the address of the next.
    case.expect("la a1, room; addi a2, a1, 4; sw a2, 0(a1); addi a3, a1, 8; sw a3, 4(a1); sw x0, 8(a1);"
                "li a4, 0; 7: addi a4, a4, 1; lw a1, 0(a1); bnez a1, 7b", "a4", 3)
    case.expect("li a1, 100; li a2, 0; 7: add a2, a2, a1; addi a1, a1, -1; bgtz a1, 7b", "a2", 5050)
    return case


def programs():
    named = {name: register for name in OPERATIONS}
    named |= dict.fromkeys("addi slti sltiu xori ori andi slli srli srai".split(), immediate)
    named |= {"lui": upper, "auipc": upper, "jal": jal, "jalr": jalr, "fence": fence, "order": order}
    named |= dict.fromkeys("lb lbu lh lhu lw".split(), load) | dict.fromkeys("sb sh sw".split(), store)
    named |= dict.fromkeys(BRANCHES, branch)
    data = "\n".join([".data", ".balign 16", "data:", f".byte {', '.join(map(str, DATA))}",
                      ".zero 16", "room: .zero 32", ""])
    return {name: BEGIN + "\n".join(make(name).lines) + END + data for name, make in named.items()}


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else "write"
    flags = "-march=rv32im_zicsr_zifencei -mabi=ilp32 -nostdlib -static -s -Wl,--build-id=none"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        script = SCRIPT.replace("FLAGS(0)", "FLAGS(7)") if mode == "qemu" else SCRIPT
        (folder / "script.ld").write_text(script)
        linker = f"-Wl,-z,max-page-size={4096 if mode == 'qemu' else 16},-T,{folder / 'script.ld'}"
        for name, text in programs().items():
            if mode == "qemu":
                text = text.replace(BEGIN, '.section .text.init, "ax"\n.globl _start\n_start:')
            (folder / "p.S").write_text(text)
            built, here = folder / f"{name}.elf", HERE / f"{name}.elf"
            files = [str(folder / "p.S"), "-o", str(built)]
            subprocess.run(["riscv64-unknown-elf-gcc", *flags.split(), linker, *files], check=True)
            if mode == "qemu":
                code = subprocess.run(["qemu-riscv32", str(built)]).returncode
                if code != 0:
                    sys.exit(f"{name} ends with {code}")
            elif mode == "check":
                if here.read_bytes() != built.read_bytes():
                    sys.exit(f"{here} is another file")
            else:
                here.write_bytes(built.read_bytes())


if __name__ == "__main__":
    main()
