# SPDX-License-Identifier: Apache-2.0
"""Convolutions in groups of many channels, beside their definition: what is copied of x is some
groups' channels, whole planes at once where they follow each other. Every instruction set."""

import os
import subprocess
import sys

import numpy as np
import pytest
from convolutions import convolution, first
from layouts import to_joggle, to_numpy, values

import joggle as jg

# (batch, space..., channels of a group), results of a group, groups, taps, options
CASES = [
    ((1, 14, 14, 16), 16, 6, (3, 3), {"low": 1}),
    ((3, 7, 7, 16), 16, 5, (3, 3), {"low": 1}),
    ((2, 5, 4, 16), 24, 3, (3, 3), {"low": (0, 1)}),
    ((2, 3, 3, 32), 32, 2, (2, 2), {"low": 1}),
    ((1, 9, 2, 16), 40, 3, (3, 1), {"low": (1, 0)}),
    ((1, 6, 1, 24), 16, 3, (3, 3), {"low": 1}),
    ((2, 1, 13, 12), 20, 7, (1, 5), {"low": (0, 2)}),
    ((1, 40, 37, 16), 16, 3, (3, 3), {"low": 1, "stride": 2}),
    ((1, 20, 130, 20), 16, 2, (5, 5), {"low": 2, "dilation": 2}),
    ((1, 8, 700, 32), 9, 2, (3, 3), {"low": 1}),
    ((2, 11, 12, 3), 16, 9, (3, 3), {"low": 1}),
    ((1, 5, 6, 7, 16), 16, 3, (3, 2, 3), {"low": 1}),
    ((2, 50, 16), 17, 4, (5,), {"low": 2}),
    ((1, 8, 9, 16), 16, 4, (3, 3), {"low": 1, "input_dilation": 2}),
]


DTYPES = ["float32", "float64", "bfloat16", "float16", "complex64"]
LAYOUTS = {
    "dense": lambda x: x,
    "cut": lambda x: x[..., 1:-1, :],  # lines that do not follow each other
    "turned": lambda x: x[:, ::-1],
}


def check(case, dtype, order, layout):
    """Whole numbers: every sum is exact, whatever it is added up in."""
    (batch, *space, each), results, groups, taps, options = case
    if layout == "cut":
        space[-1] += 2
    x = values((batch, *space, each * groups), dtype, 1)
    w = values((results * groups, *taps, each), dtype, 2)
    expected = convolution(LAYOUTS[layout](x), w, groups=groups, **options).astype(x.dtype)
    own, w = to_joggle(first(x) if order == "first" else x), first(w) if order == "first" else w
    if order == "first":
        expected = first(expected)
        own = jg.moveaxis(LAYOUTS[layout](jg.moveaxis(own, 1, -1)), -1, 1)
    else:
        own = LAYOUTS[layout](own)
    names = {"low": "padding", "dilation": "kernel_dilation"}
    more = {names.get(name, name): value for name, value in options.items()}
    found = jg.conv_general(
        own, to_joggle(w), groups=groups, data_format=f"channels_{order}", **more
    )
    np.testing.assert_array_equal(to_numpy(found), expected)


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_groups_of_many_channels_are_summed_as_defined(dtype, order):
    for case in CASES:
        check(case, dtype, order, "dense")


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_x_lies_in_any_way(layout, order):
    for case in CASES:
        check(case, "float32", order, layout)


EACH = """
import hashlib, numpy as np, joggle as jg
import test_convolution_slabs as slabs
for case in slabs.CASES:
    for order in ("first", "last"):
        slabs.check(case, "float32", order, "dense")
rng, digest = np.random.default_rng(9), hashlib.sha256()
for groups, each in ((16, 16), (4, 24)):
    x = jg.array(rng.standard_normal((3, groups * each, 13, 14), np.float32))
    w = jg.array(rng.standard_normal((groups * each, each, 3, 3), np.float32))
    y = jg.conv2d(x, w, 1, 1, 1, groups, data_format="NCHW")
    digest.update(np.asarray(y).tobytes())
print(digest.hexdigest())
"""


@pytest.mark.parametrize("isa", ["", "avx2", "baseline"])
def test_the_number_of_threads_changes_no_bit_at_any_instruction_set(isa):
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, os.path.dirname(here), os.environ.get("PYTHONPATH", "")])
    found = set()
    for threads in ("1", "3"):
        more = {"JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads, "PYTHONPATH": path}
        run = subprocess.run(
            [sys.executable, "-c", EACH], env=os.environ | more, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        found.add(run.stdout)
    assert len(found) == 1


def test_groups_without_channels_give_zeros():
    for padding in (0, 1):
        found = jg.conv2d(jg.zeros((1, 4, 4, 0)), jg.zeros((4, 3, 3, 0)), padding=padding, groups=2)
        size = 2 + 2 * padding
        assert found.shape == (1, size, size, 4) and not np.asarray(found).any()
