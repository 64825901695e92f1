# SPDX-License-Identifier: Apache-2.0
"""The text of a kernel: the one place that spells instructions, nests and parameters.

docs/kernel-text.md describes the text; C reads it.
"""

from .code import ArrayParameter, Instruction, Region


def kernel_text(head, parameters, results, root):
    """A kernel as text. head: its first line; results: dtypes; root: its own block."""
    out = [head]
    out += map(_parameter, parameters)
    out += [f"result {dtype}" for dtype in results]
    out.append("{")
    _write_block(root, "  ", out)
    out.append("}\n")
    return "\n".join(out)


def _parameter(x):
    if not isinstance(x, ArrayParameter):
        return f"scalar {x.name} {x.dtype}"
    line = f"array {x.name} {x.dtype} {_sizes(x.extents)} {_sizes(x.strides)}"
    return f"{line} from {_sizes(x.lowest)}" if x.lowest else line


def _sizes(numbers):
    return f"[{', '.join('*' if n is None else str(n) for n in numbers)}]"


def _write_block(block, pad, out):
    """Appends a block's lines to out."""
    if isinstance(block, Region):
        out += [pad + _SPELT[x.opcode](x) for x in block.first]
    for node in block.code:
        if isinstance(node, Instruction):
            out.append(pad + _SPELT.get(node.opcode, _instruction)(node))
        else:
            _write_nest(node, pad, out)


def _write_nest(nest, pad, out):
    out.append(f"{pad}{_HEADS[nest.opcode](nest)} {{")
    body, *otherwise = nest.blocks
    _write_block(body, pad + "  ", out)
    for block in otherwise:
        if block.code:
            out.append(pad + "} else {")
            _write_block(block, pad + "  ", out)
    out.append(pad + "}")


def _range(index, low, high):
    return f"{index.name}:{index.dtype} = {low.name} to {high.name}"


def _for(x):
    step = "" if x.step == 1 else f" step {x.step}"
    return f"for {_range(x.index, x.low, x.high)}{step}"


def _parallel(x):
    threads = f" block {x.threads}" if x.threads else ""
    return f"parallel {', '.join(_range(*bounds) for bounds in x.ranges)}{threads}"


_HEADS = {
    "if": lambda x: f"if {x.condition.name}",
    "loop": lambda x: "loop",
    "for": _for,
    "parallel": _parallel,
}


def _instruction(x):
    """Most: the opcode and its operands."""
    words = [x.opcode, *[operand.name for operand in x.operands]]
    if x.result is not None:
        words[0] = f"{x.result.name}:{x.result.dtype} = {x.opcode}"
    if x.line:
        words.append(f"@{x.line}")
    return " ".join(words)


def _line(x):
    return f" @{x.line}" if x.line else ""


def _place(x):
    if x.indices is None:
        return x.memory
    return f"{x.memory} [{', '.join([index.name for index in x.indices])}]"


def _reading(x):
    """load, get and pop."""
    return f"{x.result.name}:{x.result.dtype} = {x.opcode} {_place(x)}{_line(x)}"


def _writing(x):
    """store and set."""
    return f"{x.opcode} {_place(x)} = {x.operands[0].name}{_line(x)}"


def _atomic(x):
    words = f"{x.result.name}:{x.result.dtype} = {x.opcode} {x.operator} {_place(x)}"
    return f"{words} {' '.join([operand.name for operand in x.operands])}{_line(x)}"


def _declaration(x):
    """local and stack."""
    count = "" if x.count is None else f" {x.count}"
    return f"{x.opcode} {x.memory} {x.dtype}{count}"


def _assert(x):
    condition, *values = x.operands
    kind = f" {x.kind}" if x.kind else ""
    return f"assert {condition.name}{kind} {_message(x.text, values)}{_line(x)}"


def _message(text, values):
    return " ".join([_quoted(text), *[value.name for value in values]])


def _quoted(text):
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


_SPELT = {
    "const": lambda x: f"{x.result.name}:{x.result.dtype} = const {x.text}",
    "extent": lambda x: f"{x.result.name}:{x.result.dtype} = extent {x.memory} {x.axis}",
    "load": _reading,
    "get": _reading,
    "pop": _reading,
    "store": _writing,
    "set": _writing,
    "push": lambda x: f"push {x.memory} {x.operands[0].name}",
    "atomic": _atomic,
    "update": _atomic,
    "local": _declaration,
    "stack": _declaration,
    "assert": _assert,
    "print": lambda x: f"print {_message(x.text, x.operands)}{_line(x)}",
}
