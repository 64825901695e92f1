# SPDX-License-Identifier: Apache-2.0
"""The text that the language model learns: documentation strings of Python's standard library."""

import ast
import os
import sys
from pathlib import Path

import numpy as np

LENGTH = 600_000  # characters, as far as there are so many
# All that is printed on one line, and the end of a line; other characters are left out.
SYMBOLS = "\n" + "".join(map(chr, range(32, 127)))


def _strings(path):
    """The documentation strings of a module, of its classes and of its functions."""
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, kinds):
            yield ast.get_docstring(node) or ""


def load():
    """The text, in the order of the modules' names."""
    parts, length = [], 0
    for name in sorted(sys.stdlib_module_names):
        path = Path(os.__file__).with_name(f"{name}.py")
        if length < LENGTH and path.exists():
            parts += [text for text in _strings(path) if text]
            length = sum(map(len, parts))
    text = "\n\n".join(parts)
    return "".join(c for c in text if c in SYMBOLS)[:LENGTH]


def encode(text):
    """The numbers of the symbols."""
    number = {symbol: i for i, symbol in enumerate(SYMBOLS)}
    return np.array([number[c] for c in text if c in number], np.int32)


def batches(numbers, rows, length):
    """Endless pairs of (rows, length) symbols and of those that follow them."""
    rng = np.random.default_rng(0)
    while True:
        starts = rng.integers(0, len(numbers) - length - 1, rows)
        windows = np.stack([numbers[start : start + length + 1] for start in starts])
        yield windows[:, :-1], windows[:, 1:]
