# SPDX-License-Identifier: Apache-2.0
"""Sums and products along rows, and sums of products of two rows: each row's result has the bits
that it has alone, at every level of instructions, whatever lies around it."""

import hashlib
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from thread_counts import with_threads

import joggle as jg

# Around the lanes of a vector, of a product and of a sum.
LENGTHS = [0, 1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100, 1000, 5000]
ROWS = [1, 3, 4, 5, 19, 300]
LEVELS = ("avx512", "avx2", "baseline")


def factors(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return (1 + rng.standard_normal(shape) / 64).astype(dtype)


def views(x):
    """The same numbers as rows that lie otherwise: behind an odd element, apart, and backwards."""
    rows, n = x.shape
    shifted = np.empty(x.size + 1, x.dtype)
    shifted[1:] = x.ravel()
    apart = np.zeros((2 * rows, n + 3), x.dtype)
    apart[::2, 1 : n + 1] = x
    yield jg.asarray(x)
    yield jg.asarray(shifted)[1:].reshape(rows, n)
    yield jg.asarray(apart)[::2, 1 : n + 1]
    yield jg.asarray(np.ascontiguousarray(x[::-1]))[::-1]


def digest():
    taken = hashlib.sha256()
    for dtype in ("float32", "float64"):
        for n in LENGTHS:
            for rows in ROWS:
                x = jg.asarray(factors((rows, n), dtype, n + rows))
                taken.update(np.asarray(jg.linalg.vecdot(x, x[::-1])).tobytes())
                for op in (jg.sum, jg.prod):
                    taken.update(np.asarray(op(x, axis=1)).tobytes())
    return taken.hexdigest()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_of_rows_are_numpys_in_more_precision(dtype, n):
    for rows in ROWS:
        x = factors((rows, n), dtype)
        exact = x.astype(np.longdouble).prod(1)
        # float32 rounds once; float64 at each of n - 1 multiplications.
        tolerance = np.finfo(dtype).eps * (0.5001 if dtype == "float32" else max(n - 1, 1) / 2)
        for a in views(x):
            got = np.asarray(jg.prod(a, axis=1)).astype(np.longdouble)
            assert np.all(abs(got - exact) <= tolerance * abs(exact))


@pytest.mark.parametrize("n", [n for n in LENGTHS if n >= 8])
def test_a_sum_and_a_product_of_doubles_have_the_bits_of_their_row_alone(n):
    x = factors((300, n), "float64") - 1
    for op in (jg.sum, jg.prod):
        alone = np.stack([np.asarray(op(jg.asarray(row))) for row in x])
        for threads in (1, 2):
            with with_threads(threads):
                for a in views(x):
                    assert np.asarray(op(a, axis=1)).tobytes() == alone.tobytes()


@pytest.mark.parametrize("n", [16, 31, 32, 33, 1000])
def test_a_product_of_floats_has_the_bits_of_its_row_alone(n):
    x = factors((300, n), "float32")
    alone = np.stack([np.asarray(jg.prod(jg.asarray(row))) for row in x])
    for a in views(x):
        assert np.asarray(jg.prod(a, axis=1)).tobytes() == alone.tobytes()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_products_are_numpys_in_more_precision(dtype, n):
    eps = np.finfo(dtype).eps
    for rows in ROWS:
        x, y = factors((rows, n), dtype) - 1, factors((rows, n), dtype, 1) - 1
        wide = x.astype(np.longdouble) * y
        for a, b in itertools.product(views(x), views(y)):
            for got in (jg.linalg.vecdot(a, b), jg.sum(a * b, axis=-1)):
                error = abs(np.asarray(got).astype(np.longdouble) - wide.sum(1))
                # Products are rounded, as are up to 16 sums in the dtype; the rest adds no error.
                assert np.all(error <= 9 * eps * abs(wide).sum(1) + eps * abs(wide.sum(1)))


@pytest.mark.parametrize("n", [n for n in LENGTHS if n >= 16])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_sum_of_products_has_the_bits_of_its_rows_alone(dtype, n):
    x, y = factors((300, n), dtype) - 1, factors((300, n), dtype, 1) - 1
    alone = [jg.sum(jg.asarray(a) * jg.asarray(b)) for a, b in zip(x, y, strict=True)]
    alone = np.stack([np.asarray(one) for one in alone])
    for threads in (1, 2):
        with with_threads(threads):
            for a, b in itertools.product(views(x), views(y)):
                assert np.asarray(jg.sum(a * b, axis=-1)).tobytes() == alone.tobytes()


@pytest.mark.parametrize("n", [1, 8, 17, 100, 1500])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
def test_rows_times_one_row_a_number_or_themselves_are_added_as_what_was_stored(dtype, n):
    x, y = ((9 * factors((40, n), "float64", i)).astype(dtype) for i in (0, 1))
    a, one, column = jg.asarray(x), jg.asarray(y[0]), jg.asarray(y[:, :1])
    wide = "longdouble" if dtype.startswith("float") else dtype
    for other, numbers in ((one, y[0]), (column, y[:, :1]), (jg.asarray(y[0, 0]), y[0, 0]), (a, x)):
        got = np.asarray(jg.sum(a * other, axis=1))
        exact = (x * numbers).astype(wide).sum(1)
        np.testing.assert_allclose(got.astype(wide), exact, rtol=2e-6 if "6" not in dtype else 1e-5)
        both = np.asarray(jg.sum((a + 1) * other, axis=1))
        exact = ((x + 1).astype(dtype) * numbers).astype(wide).sum(1)
        np.testing.assert_allclose(both.astype(wide), exact, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [9, 16, 33, 1000])
def test_zeros_infinities_and_nans_stay_in_their_row(dtype, n):
    x = factors((300, n), dtype)
    x[5, n // 2], x[6, 0], x[7, n - 1], x[8, 1], x[9, 2] = 0, -0.0, np.nan, np.inf, -np.inf
    x[10, 0], x[10, n - 1] = np.inf, 0
    with np.errstate(invalid="ignore"):
        sums, products = x.sum(1), x.astype(np.float64).prod(1).astype(dtype)
        got = np.asarray(jg.sum(jg.asarray(x), axis=1))
        np.testing.assert_allclose(got, sums, rtol=1e-5)
        got = np.asarray(jg.prod(jg.asarray(x), axis=1))
        np.testing.assert_allclose(got, products, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(got[6]), np.signbit(products[6]))


def test_partial_products_leave_the_range_of_floats():
    x = np.tile(np.array([1e30, 1e30, 1e-30, 1e-30, 1e-30, 1e30], "float32"), (40, 9))
    exact = x.astype(np.longdouble).prod(1)
    np.testing.assert_allclose(np.asarray(jg.prod(jg.asarray(x), axis=1)), exact, rtol=1e-6)


def test_bits_are_the_same_at_every_level_of_instructions():
    command = [sys.executable, "-c", "import test_rows_reduced as t; print(t.digest())"]
    paths = [os.path.dirname(__file__), *sys.path]
    seen = set()
    for isa in LEVELS:
        environment = {**os.environ, "JOGGLE_ISA": isa, "PYTHONPATH": os.pathsep.join(paths)}
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        seen.add(done.stdout)
    assert len(seen) == 1


@pytest.mark.parametrize("size", [6, 1000, 100_000])
def test_a_factor_is_summed_though_a_result_takes_its_memory(size):
    a, b = np.linspace(1, 2, size), np.linspace(3, 5, size)
    x, y = jg.asarray(a) + 0, jg.asarray(b) + 0
    jg.eval(x, y)
    tripled, total = x * 3, jg.sum(x * y)
    del x
    jg.eval(tripled, total)
    np.testing.assert_allclose(np.asarray(tripled), a * 3, rtol=1e-15)
    np.testing.assert_allclose(np.asarray(total), (a * b).sum(), rtol=1e-12)


@pytest.mark.parametrize("size", [6, 1000, 100_000])
def test_bools_are_counted_though_a_result_takes_their_memory(size):
    b = np.arange(size) % 3 == 0
    x = jg.asarray(b) & True
    jg.eval(x)
    other, count = ~x, jg.count_nonzero(x)
    del x
    jg.eval(other, count)
    assert np.array_equal(np.asarray(other), ~b) and count.item() == b.sum()
