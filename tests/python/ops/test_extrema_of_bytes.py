# SPDX-License-Identifier: Apache-2.0
"""Extrema of arrays of one byte each, over an axis that is not the last: beside NumPy, and beside
arrays that lie in memory meanwhile."""

import numpy as np
import pytest

import joggle as jg

SHAPES = [(300, 64, 16), (300, 65, 33), (200, 96, 16), (2, 150, 64, 16), (150, 2000, 17)]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_extrema_over_an_inner_axis_are_numpys(shape, dtype):
    x = np.random.default_rng(3).integers(0, 100, shape).astype(dtype)
    axis = len(shape) - 2
    for ours, theirs in ((jg.any, np.any), (jg.all, np.all), (jg.max, np.max), (jg.min, np.min)):
        if dtype != "bool" or ours in (jg.any, jg.all):
            found = np.asarray(ours(jg.asarray(x), axis=axis))
            np.testing.assert_array_equal(found, theirs(x, axis=axis))


def test_extrema_of_bytes_leave_other_arrays_alone():
    x = jg.asarray(np.full((500, 640, 16), 7, np.uint8))
    for _ in range(5):
        live = [jg.full((n,), 3.0) + 0 for n in (5000, 9000, 20000, 50000, 100000) * 3]
        jg.eval(*live)
        del live[::2]
        jg.clear_cache()
        jg.eval(jg.max(x, axis=1))
        assert all(bool(jg.all(one == 3)) for one in live)
