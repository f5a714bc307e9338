"""The effect of an instruction on control flow and on the stack pointer, for each target.

`classify` returns a kind and a value:
    plain   bytes by which the stack grows (negative: shrinks), or None if unknown
    call    the address called, or None for a call through a register
    jump    the address, or None for a jump through a register
    table   a jump to one of several places in the function
    branch  the address; otherwise the path continues
    return  whether conditional, so the path may continue
    stop    nothing follows
"""

import re

CONDITIONS = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le"


def number(text):
    return int(text, 0)


def count(registers):
    """The number of registers in a list like {r4, r5-r7, lr}."""
    total = 0
    for item in registers.split(","):
        ends = re.findall(r"\d+", item)
        total += int(ends[1]) - int(ends[0]) + 1 if "-" in item else 1
    return total


def x86(i):
    name, operands = i.mnemonic, i.operands
    if name.startswith("ret") or (name == "rep" and operands.startswith("ret")):
        return "return", False
    if re.match(r"ud\d|int3|hlt", name):
        return "stop", None
    if name.startswith("call"):
        return "call", i.destination
    if name.startswith("jmp"):
        return "jump", i.destination
    if name.startswith("j"):
        return "branch", i.destination
    if name.startswith(("push", "pop")):
        return "plain", 8 if name.startswith("push") else -8
    found = re.match(r"\$(-?\w+), %rsp$", operands)
    if found and name in ("subq", "addq"):
        return "plain", number(found[1]) * (1 if name == "subq" else -1)
    # An addition that does not change the flags.
    found = re.match(r"(-?\w+)\(%rsp\), %rsp$", operands)
    if found and name == "leaq":
        return "plain", -number(found[1])
    writes = re.search(r", %[er]?spl?$", operands) and not re.match(r"cmp|test", name)
    return "plain", None if writes else 0


def aarch64(i):
    name, operands = i.mnemonic, i.operands
    if name in ("ret", "brk", "udf"):
        return ("return", False) if name == "ret" else ("stop", None)
    if name in ("bl", "blr"):
        return "call", i.destination
    if name in ("b", "br"):
        return "jump", i.destination
    if re.match(r"b\.|cbn?z|tbn?z", name):
        return "branch", i.destination
    found = re.match(r"sp, sp, #(\w+)(?:, lsl #(\d+))?$", operands)
    if found and name in ("sub", "add"):
        return "plain", (number(found[1]) << int(found[2] or 0)) * (1 if name == "sub" else -1)
    found = re.search(r"\[sp, #(-?\w+)\]!$|\[sp\], #(-?\w+)$", operands)
    if found:
        return "plain", -number(found[1] or found[2])
    return "plain", None if re.match(r"sp\b", operands) and name not in ("cmp", "cmn") else 0


def arm(i):
    name, operands = i.mnemonic.split(".")[0], i.operands
    conditional = bool(re.search(rf"({CONDITIONS})$", name))
    if re.match(r"bl?x?$", name) and operands != "lr" or name in ("bl", "blx"):
        return ("call" if name.startswith("bl") else "jump"), i.destination
    if re.match(rf"bx({CONDITIONS})?$", name) and operands == "lr":
        return "return", name != "bx"
    if re.match(rf"b({CONDITIONS})$|cbn?z$", name):
        return "branch", i.destination
    if name in ("trap", "udf"):
        return "stop", None
    registers = re.match(r"(?:sp!, )?\{(.*)\}$", operands)
    if registers and re.match(rf"(pop|ldm)({CONDITIONS})?$", name):
        return ("return", conditional) if "pc" in registers[1] else ("plain", -4 * count(registers[1]))
    if registers and re.match(r"(push|stmdb)$", name):
        return "plain", 4 * count(registers[1])
    if name in ("tbb", "tbh") or (re.match(r"pc,", operands) and name in ("add", "ldr", "mov")):
        return ("return", False) if operands == "pc, lr" else ("table", None)
    found = re.match(r"sp, (?:sp, )?#(-?\w+)$", operands)
    if found and name in ("sub", "subw", "add", "addw"):
        return "plain", number(found[1]) * (1 if name.startswith("sub") else -1)
    found = re.search(r"\[sp, #(-?\w+)\]!$|\[sp\], #(-?\w+)$", operands)
    if found:
        return "plain", -number(found[1] or found[2])
    return "plain", None if re.match(r"sp!?,", operands) and not re.match(r"cmp|cmn|tst|(stm|ldm)(ib)?$", name) else 0


def riscv(i):
    name, operands = i.mnemonic, i.operands
    if name == "ret" or (name == "jr" and operands == "t0"):
        return "return", False  # through t0: the end of a piece that functions share
    if name in ("unimp", "ebreak"):
        return "stop", None
    if name in ("jal", "jalr"):
        return "call", i.destination
    if name in ("j", "jr"):
        return "jump", i.destination
    if re.match(r"b(eq|ne|lt|ge|gt|le)u?z?$", name):
        return "branch", i.destination
    found = re.match(r"sp, sp, (-?\w+)$", operands)
    if found and name == "addi":
        return "plain", -number(found[1])
    return "plain", None if re.match(r"sp,", operands) else 0


def classify(target, instruction):
    return {"x86_64-linux": x86, "aarch64": aarch64, "riscv32": riscv}.get(target, arm)(instruction)
