# SPDX-License-Identifier: Apache-2.0
"""Convolutions in many groups of a few channels, beside their definition: ends of lines, long rows
of taps, panels of channels, and the same bits from any number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest
from convolutions import convolution, first
from layouts import to_joggle, to_numpy, values

import joggle as jg


def check(x, w, order="NHWC", **options):
    """Whole numbers: every sum is exact, whatever it is added up in."""
    expected = convolution(x, w, **options).astype(x.dtype)
    padding, stride = options.get("low", 0), options.get("stride", 1)
    more = (stride, padding, options.get("dilation", 1), options["groups"])
    if order == "NCHW":
        x, w, expected = first(x), first(w), first(expected)
    found = jg.conv2d(to_joggle(x), to_joggle(w), *more, data_format=order)
    np.testing.assert_array_equal(to_numpy(found), expected)


@pytest.mark.parametrize("order", ["NHWC", "NCHW"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("taps", [(1, 3), (3, 3), (5, 5), (7, 7), (4, 8), (9, 2)])
def test_a_channel_alone_meets_its_taps_at_every_end(taps, dtype, order):
    low = tuple(extent // 2 for extent in taps)
    for height, width in ((1, 9), (4, 4), (9, 1), (7, 7), (14, 15), (21, 26)):
        x = values((2, height, width, 20), dtype, 1)
        w = values((20, *taps, 1), dtype, 2)
        check(x, w, order, low=low, groups=20)


@pytest.mark.parametrize("options", [
    {"stride": 2},
    {"stride": (1, 2), "dilation": 2},
    {"dilation": (3, 1)},
    {"low": (0, 5)},
])  # fmt: skip
def test_ends_are_met_with_steps_and_gaps(options):
    for each in (1, 2, 4, 8):
        x = values((1, 19, 23, 16 * each), "float32", 3)
        w = values((16 * each, 5, 5, each), "float32", 4)
        check(x, w, groups=16, **({"low": 3} | options))


@pytest.mark.parametrize("order", ["NHWC", "NCHW"])
@pytest.mark.parametrize("each", [1, 2, 4, 8])
def test_panels_of_channels_are_of_any_number(each, order):
    for channels in (8, 16, 56, 64, 72, 136, 200, 520, 584):
        groups = channels // each
        x = values((1, 6, 11, channels), "float32", 5)
        w = values((channels, 3, 3, each), "float32", 6)
        check(x, w, order, low=1, groups=groups)


def test_lines_of_volumes_go_down_like_those_of_images():
    x, w = values((2, 5, 12, 9, 32), "float32", 7), values((32, 3, 5, 5, 1), "float32", 8)
    found = jg.conv3d(jg.array(x), jg.array(w), padding=2, groups=32)
    np.testing.assert_array_equal(to_numpy(found), convolution(x, w, low=2, groups=32))


BITS = """
import hashlib, numpy as np, joggle as jg
rng, digest = np.random.default_rng(9), hashlib.sha256()
for each, taps in ((1, 3), (1, 5), (1, 7), (2, 3), (4, 3), (8, 3)):
    x = jg.array(rng.standard_normal((1, 41, 60, 64)).astype("f4"))
    w = jg.array(rng.standard_normal((64, taps, taps, each)).astype("f4"))
    digest.update(np.asarray(jg.conv2d(x, w, 1, taps // 2, 1, 64 // each)).tobytes())
print(digest.hexdigest())
"""


def test_bits_do_not_depend_on_the_number_of_threads():
    found = set()
    for threads in ("1", "2", "5"):
        environment = {**os.environ, "JOGGLE_NUM_THREADS": threads}
        run = [sys.executable, "-c", BITS]
        found.add(subprocess.run(run, env=environment, check=True, stdout=subprocess.PIPE).stdout)
    assert len(found) == 1
