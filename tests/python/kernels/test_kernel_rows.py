# SPDX-License-Identifier: Apache-2.0
"""Loops with ranges of a single index, loops all of whose work is under one condition, and those
that end where `i < n` does."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")
MOST = 100


@pytest.mark.parametrize(
    "shape", [(7, 1), (1, 7), (1, 7, 1), (1, 1), (3, 1, 5), (1, 2, 1, 3, 1, 2)]
)
def test_indices_of_single_ranges_are_where_they_begin(shape):
    x = qd.field(qd.i32, shape=shape)

    @qd.kernel
    def number():
        for index in qd.grouped(x):
            for axis in qd.static(range(len(shape))):
                x[index] = x[index] * 10 + index[axis] + 1

    number()
    expected = np.zeros(shape, int)
    for index in np.ndindex(*shape):
        for i in index:
            expected[index] = expected[index] * 10 + i + 1
    assert np.array_equal(x.to_numpy(), expected)


def test_a_single_range_may_begin_anywhere():
    @qd.kernel
    def run(y: qd.types.ndarray(qd.i32, 1)):
        for i, j, k in qd.ndrange((2, 5), (-3, -2), (9, 10)):
            y[i] = 100 * i + 10 * j + k
            y[j + 3] += k  # the same element for all

    y = np.zeros(5, np.int32)
    run(y)
    assert y.tolist() == [27, 0, 200 - 30 + 9, 300 - 30 + 9, 400 - 30 + 9]


def test_only_ranges_of_several_indices_are_loops():
    @qd.kernel
    def run(y: qd.types.ndarray(qd.i32, 2)):
        for i, j in qd.ndrange(4, 1):
            y[i, j] = i

    head = next(
        line for line in run.lower(np.zeros((4, 1), np.int32))[0].splitlines() if "parallel" in line
    )
    assert head.count(" to ") == 1


@pytest.mark.parametrize("low", [0, -4, 3])
@pytest.mark.parametrize("most", [-(2**31), -5, 0, 1, 3, 17, MOST - 1, MOST, MOST + 1, 2**31 - 1])
def test_a_row_ends_where_its_condition_does(low, most, threads):
    @qd.kernel
    def by_argument(y: qd.types.ndarray(qd.i32, 1), n: qd.i32):
        for i in range(low, MOST + low):
            if i < n:
                y[i - low] = i * i

    @qd.kernel
    def by_element(y: qd.types.ndarray(qd.i32, 1), count: qd.types.ndarray(qd.i32, 1)):
        for i in range(low, MOST + low):
            if i < count[1]:
                y[i - low] = i * i

    index = np.arange(low, MOST + low)
    expected = np.where(index < most, index * index, 0)
    for run, n in ((by_argument, most), (by_element, np.array([0, most], np.int32))):
        y = np.zeros(MOST, np.int32)
        run(y, n)
        assert np.array_equal(y, expected)


def test_a_triangle_is_the_part_below_the_diagonal():
    @qd.kernel
    def run(y: qd.types.ndarray(qd.i32, 2)):
        for i, j in qd.ndrange(30, 40):
            if j < i:
                y[i, j] += 1

    y = np.zeros((30, 40), np.int32)
    run(y)
    assert np.array_equal(y, np.tril(np.ones((30, 40)), -1))


@pytest.mark.parametrize("alias", [False, True])
def test_an_end_that_the_loop_moves_is_the_old_or_the_new_one(alias, threads):
    @qd.kernel
    def run(y: qd.types.ndarray(qd.i64, 1), count: qd.types.ndarray(qd.i64, 1)):
        for i in range(MOST):
            if i < count[0]:
                y[i] = MOST - 9

    y = np.ones(MOST, np.int64)
    run(y, y if alias else np.array([1]))
    assert y[0] == MOST - 9 and (y[-9:] == 1).all()
    assert set(y.tolist()) <= {1, MOST - 9} and (alias or (y[1:] == 1).all())


@pytest.mark.parametrize("share", [0, 0.03, 0.5, 0.97, 1])
@pytest.mark.parametrize("size", [1, 31, 64, 1000])
def test_loops_inside_of_a_branch_run_for_those_that_take_it(share, size, threads):
    rng = np.random.default_rng(size)
    active = rng.random(size) < share
    x = rng.random((size, 3)).astype(np.float32)

    @qd.kernel
    def run(
        y: qd.types.ndarray(qd.f32, 2),
        x: qd.types.ndarray(qd.f32, 2),
        active: qd.types.ndarray(qd.u1, 1),
    ):
        for i in range(x.shape[0]):
            if active[i]:
                a, b = x[i, 0], x[i, 1]
                for _ in range(6):
                    if a > b:
                        a = (a + b) * 0.5
                    else:
                        b = b - a * x[i, 2]
                    for _ in range(2):
                        a += 0.125
                y[i, 0] = a
                y[i, 1] = b

    y = np.full((size, 2), -1, np.float32)
    run(y, x, active)
    a, b = x[:, 0].astype("f8"), x[:, 1].astype("f8")
    for _ in range(6):
        larger = a > b
        a, b = np.where(larger, (a + b) * 0.5, a), np.where(larger, b, b - a * x[:, 2])
        a = a + 0.25
    expected = np.where(active[:, None], np.stack([a, b], 1), -1)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def test_only_matrices_that_are_active_get_singular_values():
    n = 500
    rng = np.random.default_rng(5)
    given = (rng.normal(size=(n, 3, 3)) * 10.0 ** rng.uniform(-3, 3, (n, 1, 3))).astype(np.float32)
    given[::7] = np.eye(3, dtype=np.float32) + given[::7] * np.float32(1e-6)
    given[3] = given[3, :, :1]  # of rank one
    active = rng.random(n) < 0.9
    a = qd.Matrix.field(3, 3, qd.f32, shape=(n, 1))
    sigma = qd.Vector.field(3, qd.f32, shape=(n, 1))
    is_active = qd.field(qd.u1, shape=(n, 1))
    a.from_numpy(given[:, None])
    is_active.from_numpy(active[:, None])

    @qd.kernel
    def run():
        for i, b in a:
            if is_active[i, b]:
                u, s, v = qd.svd(a[i, b])
                a[i, b] = u @ s @ v.transpose()
                sigma[i, b] = [s[0, 0], s[1, 1], s[2, 2]]

    run()
    expected = np.linalg.svd(given.astype("f8"))[1] * active[:, None]
    found, largest = sigma.to_numpy()[:, 0], expected[:, :1] + 1e-30
    assert (np.abs(np.abs(found) - expected) / largest).max() < 2e-6
    scale = np.abs(given).max((1, 2))[:, None, None]
    assert (np.abs(a.to_numpy()[:, 0] - given) / scale).max() < 4e-6
