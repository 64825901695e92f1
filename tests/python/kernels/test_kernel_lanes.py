# SPDX-License-Identifier: Apache-2.0
"""Loops whose indices run side by side, and loops whose threads add to arrays of their own."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("compiler")


@qd.kernel
def product(c: qd.types.ndarray(), a: qd.types.ndarray(), b: qd.types.ndarray()):
    for i, j in qd.ndrange(a.shape[0], b.shape[1]):
        total = c[i, j]
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("columns", [0, 1, 15, 16, 33, 70])
def test_each_column_of_a_product_is_what_it_is_alone(dtype, columns, threads):
    rng = np.random.default_rng(0)
    a, b = (rng.random((9, 13)) * 9).astype(dtype), (rng.random((13, columns)) * 9).astype(dtype)
    c = np.ones((9, columns), dtype)
    product(c, a, b)
    for j in range(columns):
        alone = np.ones((9, 1), dtype)
        product(alone, a, np.ascontiguousarray(b[:, j : j + 1]))
        assert np.array_equal(c[:, j : j + 1], alone)
    assert np.allclose(c, 1 + a @ b, rtol=1e-5)


def test_what_is_used_after_an_inner_loop_is_that_of_its_index():
    @qd.kernel
    def run(y: qd.types.ndarray(), x: qd.types.ndarray(), w: qd.types.ndarray()):
        for i in range(1, x.shape[0] - 1):
            here = x[i]
            before = x[i - 1] * 2.0
            history = qd.Vector([0.0, 0.0, 0.0])
            for j in range(w.shape[0]):
                weight = w[j]
                for k in range(3):
                    if weight > 0.5:
                        history[k] += weight * here
                    else:
                        history[k] -= x[i + 1]
                if history[0] > before:
                    here += 0.25
            y[i] = here + before + history[0] + history[1] + history[2]
            for j in range(2):
                y[i] += w[j]

    rng = np.random.default_rng(1)
    x, w = rng.random(75), rng.random(9)
    y = np.zeros_like(x)
    run(y, x, w)
    for i in range(1, 74):
        here, before, history = x[i], x[i - 1] * 2, np.zeros(3)
        for weight in w:
            history += weight * here if weight > 0.5 else -x[i + 1]
            if history[0] > before:
                here += 0.25
        assert np.isclose(y[i], here + before + history.sum() + w[0] + w[1])


def test_bodies_pull_each_other_as_in_numpy(threads):
    place = np.random.default_rng(2).random((77, 3), np.float32)

    @qd.kernel
    def run(
        pull: qd.types.ndarray(dtype=qd.math.vec3, ndim=1),
        place: qd.types.ndarray(dtype=qd.math.vec3, ndim=1),
    ):
        for i in place:
            total = qd.Vector([0.0, 0.0, 0.0])
            for j in range(place.shape[0]):
                d = place[j] - place[i]
                total += d / (d.norm_sqr() + 0.1) ** 1.5
            pull[i] = total

    pull = np.zeros_like(place)
    run(pull, place)
    d = place[None].astype("f8") - place[:, None]
    expected = (d / ((d**2).sum(-1, keepdims=True) + 0.1) ** 1.5).sum(1)
    assert np.allclose(pull, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.float32, np.float64])
def test_histograms_count_each_value_once(dtype, threads):
    @qd.kernel
    def run(counts: qd.types.ndarray(), squares: qd.types.ndarray(), values: qd.types.ndarray()):
        for i in values:
            counts[values[i] // 16, values[i] % 16] += 1
            squares[values[i]] += values[i] % 3

    values = np.random.default_rng(3).integers(0, 256, 200_000, np.int32)
    counts, squares = np.ones((16, 16), dtype), np.zeros(256, dtype)
    run(counts, squares, values)
    count = np.bincount(values, minlength=256)
    assert np.array_equal(counts.ravel(), (count + 1).astype(dtype))
    assert np.array_equal(squares, (count * (np.arange(256) % 3)).astype(dtype))


def test_sums_that_the_loop_reads_stay_atomic(threads):
    @qd.kernel
    def run(tickets: qd.types.ndarray(), next: qd.types.ndarray()):
        for i in tickets:
            tickets[i] = qd.atomic_add(next[i % 2], 1)

    tickets, following = np.zeros(100_000, np.int32), np.zeros(2, np.int32)
    run(tickets, following)
    assert following.tolist() == [50_000, 50_000]
    for side in (0, 1):
        assert np.array_equal(np.sort(tickets[side::2]), np.arange(50_000))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_arguments_among_small_ones_are_accurate(dtype):
    @qd.kernel
    def run(y: qd.types.ndarray(), x: qd.types.ndarray()):
        for i in range(x.shape[0]):
            y[i, 0] = qd.sin(x[i])
            y[i, 1] = qd.cos(x[i])
            y[i, 2] = qd.tan(x[i])

    x = np.random.default_rng(4).normal(size=1003).astype(dtype) * 100
    x[::5] *= 1e9
    x[:4] = [np.inf, -np.inf, np.nan, -0.0]
    y = np.zeros((1003, 3), dtype)
    run(y, x)
    with np.errstate(invalid="ignore"):
        expected = np.stack([f(x.astype(np.float64)) for f in (np.sin, np.cos, np.tan)], axis=1)
    assert np.allclose(y, expected, rtol=4 * np.finfo(dtype).eps, atol=0, equal_nan=True)
    assert np.signbit(y[3, 0]) and y[3, 1] == 1
