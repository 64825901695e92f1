# SPDX-License-Identifier: Apache-2.0
"""A new op, or a new public function, has a case, or this fails."""

import pathlib
import re

import case_beyond
from cases import BEYOND, CASES
from drawing import ROWS
from elementwise import ALIASES

import joggle as jg
from joggle import _numpy

MODULES = {"": jg, "linalg": jg.linalg, "fft": jg.fft, "random": jg.random, "fast": jg.fast}
OTHERWISE = {name for names in case_beyond.OTHERWISE.values() for name in names.split()}

# What only NumPy has is compared with it in files of their own.
TESTS = pathlib.Path(__file__).parents[1].glob("beside_numpy/test_*.py")
NAMED = {name for path in TESTS for name in re.findall(r"\w+", path.read_text())}
OTHERWISE |= (set(_numpy.NAMES) & NAMED) - set(BEYOND)


def is_of_the_table(module, name):
    """As an op of that name, an alias of one, or one of a module; linalg.cross is cross itself."""
    return name in ROWS or name in dict(ALIASES) or f"{module}_{name}" in ROWS


def functions_beyond():
    found = set()
    for module, namespace in MODULES.items():
        for name in getattr(namespace, "__all__", dir(namespace)):
            function = getattr(namespace, name)
            if name.startswith("_") or isinstance(function, type) or not callable(function):
                continue
            if not is_of_the_table(module, name):
                found.add(f"{module}.{name}" if module else name)
    return found


def test_every_op_of_the_table_has_a_case():
    # Messages between processes are tried in tests/python/distributed.
    assert set(CASES) == {name for name in ROWS if not name.startswith("distributed_")}


def test_every_other_public_function_has_a_case_or_a_reason_to_have_none():
    beyond = functions_beyond()
    assert beyond - set(BEYOND) - OTHERWISE == set()
    assert set(BEYOND) <= beyond and set(BEYOND) & OTHERWISE == set()
