# SPDX-License-Identifier: Apache-2.0
"""Reductions along columns, of as many as one tile has, are shared by threads in parts of the rows:
values as NumPy's in float64, the same bits on one thread and on several, computed or in memory."""

import numpy as np
import pytest
from thread_counts import with_threads

import joggle as jg

rng = np.random.default_rng(3)

SHAPES = [
    (64, 1024),
    (67, 4096),
    (301, 4099),
    (2047, 1500),
    (40, 8191),
    (33, 16_390),
    (500, 3, 700),
]
OPS = ["sum", "mean", "max", "min", "prod"]


@pytest.fixture(params=[1, 2, 3])
def threads(request):
    with with_threads(request.param) as count:
        yield count


def values(shape, dtype="float32"):
    return (1 + rng.standard_normal(shape) / 64).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_numpys_in_float64(shape, dtype, threads):
    x = values(shape, dtype)
    a, wide = jg.asarray(x), x.astype(np.float64)
    tolerance = 1e-6 if dtype == "float32" else 1e-13
    for op in OPS:
        got, exact = np.asarray(getattr(jg, op)(a, axis=0)), getattr(np, op)(wide, axis=0)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, exact, rtol=tolerance, err_msg=op)
    got = np.asarray(jg.sum(jg.exp(a) * a, axis=0))
    rounding = 64 * np.finfo(dtype).eps
    np.testing.assert_allclose(got, (np.exp(wide) * wide).sum(0), rtol=rounding)


@pytest.mark.parametrize("shape", SHAPES)
def test_bits_do_not_depend_on_threads(shape):
    x = values(shape)
    integers = rng.integers(-(2**30), 2**30, shape, np.int32)
    before, seen = jg.get_num_threads(), set()
    for count in (1, 2, 3, 1):
        jg.set_num_threads(count)
        a, k = jg.asarray(x), jg.asarray(integers)
        results = [jg.sum(a, axis=0), jg.prod(a, axis=0), jg.sum(a * a, axis=0), jg.sum(k, axis=0)]
        seen.add(b"".join(np.asarray(r).tobytes() for r in results))
    jg.set_num_threads(before)
    assert len(seen) == 1
    np.testing.assert_array_equal(np.asarray(jg.sum(jg.asarray(integers), axis=0)), integers.sum(0))


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_computed_adds_up_as_what_was_stored(shape):
    x = jg.asarray(values(shape)[: shape[0] // 8 * 8])  # rows are added in groups of eight
    stored = x * x + 1
    jg.eval(stored)
    computed = np.asarray(jg.sum(x * x + 1, axis=0))
    assert computed.tobytes() == np.asarray(jg.sum(stored, axis=0)).tobytes()


def test_nan_and_infinity_reach_their_column_alone():
    x = values((700, 4096))
    x[3, 5], x[650, 17], x[90, 4000] = np.nan, np.inf, -np.inf
    for op in ("sum", "max", "min"):
        got = np.asarray(getattr(jg, op)(jg.asarray(x), axis=0))
        np.testing.assert_array_equal(np.isnan(got), np.isnan(getattr(np, op)(x, axis=0)))
        np.testing.assert_array_equal(np.isinf(got), np.isinf(getattr(np, op)(x, axis=0)))


def test_parts_take_no_memory_that_stays():
    x = jg.asarray(values((4096, 4096)))
    jg.eval(x, jg.sum(x, axis=0))
    jg.clear_cache()
    before = jg.get_active_memory()
    jg.reset_peak_memory()
    jg.eval(jg.sum(x, axis=0))
    assert jg.get_active_memory() == before
    assert jg.get_peak_memory() - before <= 2 << 20
