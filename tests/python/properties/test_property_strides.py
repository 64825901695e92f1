# SPDX-License-Identifier: Apache-2.0
"""Every op, and every function of NumPy's names, linalg, fft and fast, in every dtype that it
takes, gives for operands with gaps, strides below 0 and of 0, transposed and cut out ones what it
gives for dense ones: by itself, and in one pass with work before and behind it. EXAMPLES=80 draws
ten times as many."""

import os
import zlib

import case_linalg
import case_numpy
import numpy as np
import pytest
from cases import BEYOND
from cases import CASES as OF_TABLE
from choices import Dice
from drawing import ALL, ROWS, each, function_of, near, several, to_joggle
from relaid import COMPUTED, LAYOUTS, alike, spread, used, values

import joggle as jg
from joggle import _numpy

# All but memory that nobody has written.
CASES = {name: case for name, case in (OF_TABLE | BEYOND).items() if not name.startswith("empty")}
CASES |= case_numpy.CASES | case_numpy.IN_MODULES
LINALG = set(case_linalg.CASES) | {name for name in CASES if name.startswith("linalg.")}
ELEMENTWISE = {name for name, row in ROWS.items() if row["form"] in ("UNARY", "BINARY", "TERNARY")}
ROUNDS = max(1, int(os.environ.get("EXAMPLES", 8)) // 8)
EXTENTS = (3, 4, 5, 9, 18)


def arrays_in(thing):
    found = []
    each(found.append, thing)
    return found


def result_of(name, args, named, how=0):
    """The results as NumPy's, or the exception; how: what is done with them before."""
    try:
        function = case_numpy.CALLS.get(name) or function_of(name)
        results = several(function(*args, **named))
        later = [used(x, how) for x in results]
        jg.eval(*(x for x in later if isinstance(x, jg.array)))
        return [values(x, how) for x in later]
    except (ArithmeticError, TypeError, ValueError, IndexError, np.linalg.LinAlgError) as fault:
        return fault


def same_bits(x, y):
    """Equal to the sign of zeros, but for what a NaN holds."""
    assert x.dtype == y.dtype
    near(x, y, 0)
    if x.dtype.kind not in "biuc":
        numbers = ~np.isnan(x.astype("f8"))
        assert np.array_equal(np.signbit(x)[numbers], np.signbit(y)[numbers])


def compare(name, found, expected):
    if isinstance(expected, Exception):
        assert type(found) is type(expected), (found, expected)
        return
    assert not isinstance(found, Exception), repr(found)
    for x, y in zip(found, expected, strict=True):
        if not isinstance(y, (np.ndarray, np.generic)):
            assert x == y
        elif name in ELEMENTWISE:
            same_bits(x, y)
        else:
            assert x.dtype == y.dtype
            near(x, y, CASES[name].ulps)


def check(name, dtype, layout, seed):
    """Draws a call; whether its arrays have the dtype, and whether it succeeded."""
    rng = np.random.default_rng(seed)
    draw = Dice(seed, dtype, EXTENTS[rng.integers(len(EXTENTS))])
    args, named = CASES[name].draw(draw)
    if layout is spread and name not in LINALG:
        args, named = (each(lambda a: alike(a, rng), thing) for thing in (args, named))
    expected = result_of(name, *(each(to_joggle, thing) for thing in (args, named)))

    def relaid(a):
        chosen = layout if rng.integers(4) else LAYOUTS[rng.integers(len(LAYOUTS))]
        return COMPUTED[rng.integers(len(COMPUTED))](*chosen(a))

    args_relaid, named_relaid = (each(relaid, thing) for thing in (args, named))
    found = result_of(name, args_relaid, named_relaid, int(rng.integers(3)))
    compare(name, found, expected)
    has_dtype = any(a.dtype.name == dtype for a in arrays_in([args, named]))
    return has_dtype, not isinstance(expected, Exception)


@pytest.mark.parametrize("name", CASES)
def test_strides_do_not_matter(name, in_full):
    """Each dtype takes each layout with --all, and every third of them without: the next ones in
    the next dtype, so that the op meets them all."""
    start = zlib.crc32(name.encode())
    step = 1 if in_full or ROUNDS > 1 else 3
    successes = 0
    for place, dtype in enumerate(ALL):
        for number in range(ROUNDS * len(LAYOUTS))[place % step :: step]:
            layout = LAYOUTS[number % len(LAYOUTS)]
            seed = start + 1000 * place + number
            has_dtype, succeeded = check(name, dtype, layout, seed)
            successes += succeeded
            if not has_dtype:
                break
    assert successes > 0


def test_every_function_of_the_package_has_a_case_or_takes_no_array():
    without = {name for names in case_numpy.OTHERWISE.values() for name in names.split()}
    assert set(_numpy.NAMES) - set(CASES) == without
    for module, namespace in case_numpy.MODULES.items():
        for name in namespace.__all__:
            function = getattr(namespace, name)
            assert f"{module}.{name}" in CASES or isinstance(function, type), name
