"""The worst case of a program's stack, from its ELF: the frames that the compiler reports, along the calls that the
disassembly shows. A call through a register is one of the functions whose address the caller has as a constant: so does
the compiler call for size what is called often. Of functions without a report (compiler-builtins' own) the frame is what their code takes at most.

Knows thumb and RISC-V. Fails to see an indirect tail call on RISC-V, which looks like the jump of a `match`.
"""

import re
import subprocess
from functools import cache

SYMBOL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+: ((?:[0-9a-f]{2,8} )+)\s*(\S+)\s*(.*)$")
# With this the linker fills the room between two functions; read as code it is a jump.
FILLER = "d4d4"
TARGET = re.compile(r"<([^>+]+)(\+0x[0-9a-f]+)?>")
CALLS = {"bl", "blx", "jal", "jalr", "call"}
JUMPS = re.compile(r"^(jr|b|b\.w|b\.n|b[a-z]{2}(\.w|\.n)?|cbn?z|j|tail|b(eq|ne|lt|ge|gt|le)u?z?)$")
PUSHES = {"push", "push.w", "stmdb"}


class Worst:
    """The deepest way down from a function: bytes, and the functions on it."""

    def __init__(self, size, path, recursion, indirect):
        self.size, self.path = size, path
        self.recursion, self.indirect = recursion, indirect


class Program:
    def __init__(self, tools, elf):
        self.frames = frames(tools, elf)
        # By function: what it calls, the most stack it takes, the constants in it; and who calls through a register.
        self.calls, self.taken, self.constants, self.indirect = {}, {}, {}, set()
        self.addresses, self.halves = {}, {}
        self.read(run(tools / "llvm-objdump", "-d", elf))
        self.resolve()

    def read(self, disassembly):
        current = None
        for line in disassembly.splitlines():
            if symbol := SYMBOL.match(line):
                if not symbol[2].startswith((".L", "$")):
                    current = symbol[2]
                    # Odd: that is how thumb code is called.
                    self.addresses[int(symbol[1], 16) | 1] = current
                    self.calls.setdefault(current, set())
                    self.constants.setdefault(current, set())
            elif current and (instruction := INSTRUCTION.match(line)):
                if instruction[1].strip() != FILLER:
                    self.instruction(current, instruction[2], instruction[3])

    def instruction(self, current, name, operands):
        target = TARGET.search(operands)
        if name in CALLS or JUMPS.match(name):
            # A jump inside the function is no call.
            if target and (target[1] != current or (name in CALLS and not target[2])):
                self.calls[current].add(target[1])
            elif not target and name in CALLS:
                self.indirect.add(current)
        elif name == "bx" and operands.strip() != "lr":
            self.indirect.add(current)
        elif name == ".word":
            self.constants[current].add(int(operands, 16))
        elif name == "movw":
            register, _, value = operands.partition(", #")
            self.halves[register] = int(value, 0)
        elif name == "movt":
            register, _, value = operands.partition(", #")
            self.constants[current].add(int(value, 0) << 16 | self.halves.get(register, 0))
        self.taken[current] = self.taken.get(current, 0) + taken(name, operands)

    def resolve(self):
        for function in list(self.indirect):
            called = {self.addresses[value] for value in self.constants[function] if value in self.addresses}
            if called:
                self.calls[function] |= called
                self.indirect.remove(function)

    def worst(self, root):
        assert root in self.calls, f"there is no {root}"
        recursion, indirect, active = set(), set(), []

        @cache
        def below(function):
            active.append(function)
            if function in self.indirect:
                indirect.add(function)
            deepest = (0, ())
            for callee in sorted(self.calls.get(function, ())):
                if callee in active:
                    recursion.add(" -> ".join([*active[active.index(callee):], callee]))
                else:
                    deepest = max(deepest, below(callee))
            active.pop()
            frame = self.frames.get(function, self.taken.get(function, 0))
            return frame + deepest[0], (f"{frame} {function}", *deepest[1])

        size, path = below(root)
        return Worst(size, path, sorted(recursion), sorted(indirect))


def taken(name, operands):
    """How many bytes of stack an instruction takes."""
    if name in PUSHES and (name != "stmdb" or operands.startswith("sp!")):
        return 4 * sum(registers(part) for part in operands[operands.index("{") + 1 : operands.index("}")].split(","))
    if name in {"sub", "sub.w", "subw"} and operands.startswith("sp"):
        return constant(operands)
    if name in {"str", "strd"} and (write_back := re.search(r"\[sp, #-(0x[0-9a-f]+|\d+)\]!", operands)):
        return int(write_back[1], 0)
    if name in {"addi", "c.addi", "c.addi16sp"} and operands.startswith("sp"):
        return max(0, -constant(operands))
    return 0


def constant(operands):
    found = re.search(r"(-?(?:0x[0-9a-f]+|\d+))\s*(?:@.*|<.*)?$", operands)
    return int(found[1], 0) if found else 0


def registers(part):
    """Of `r4` one, of `r4-r7` four."""
    first, _, last = part.strip().partition("-")
    return int(last.strip()[1:]) - int(first[1:]) + 1 if last else 1


def frames(tools, elf):
    report = run(tools / "llvm-readobj", "--stack-sizes", elf)
    sizes = {}
    for names, size in re.findall(r"Functions: \[(.*?)\]\s+Size: (0x[0-9A-Fa-f]+)", report):
        for name in names.split(", "):
            sizes[name] = int(size, 16)
    assert sizes, f"{elf} reports no frames: was it built with -Z emit-stack-sizes?"
    return sizes


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout
