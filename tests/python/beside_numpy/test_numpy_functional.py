# SPDX-License-Identifier: Apache-2.0
"""Functions of Python's over arrays, under NumPy's names."""

import numpy as np
import pytest
from numpys import DTYPES, assert_same, ours, random

import joggle as jg

OF_VECTORS = [
    lambda v: v[0],
    lambda v: v[::-1],
    lambda v: v[:, None] * v[None, :],
    lambda v: v[:0],
]


@pytest.mark.parametrize("function", OF_VECTORS)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_functions_are_applied_along_an_axis(function, axis, dtype):
    for x in (random((2, 3, 4), dtype), random((4, 3), dtype).T[:, ::-1]):
        expected = np.apply_along_axis(function, axis, x)
        assert_same(jg.apply_along_axis(function, axis, ours(x)), expected)


def test_arguments_are_handed_on():
    x = random((2, 3))
    for function in (lambda v, a, b: v * a + b, lambda v, a, b: (v * a).sum() - b):
        expected = np.apply_along_axis(function, 1, x, 2.0, b=1.0)
        assert_same(jg.apply_along_axis(function, 1, ours(x), 2.0, b=1.0), expected)


@pytest.mark.parametrize("axes", [0, (0, 1), (-1, 0), (1,)])
def test_functions_are_applied_over_axes(axes):
    x = random((2, 3, 4))
    assert_same(jg.apply_over_axes(jg.sum, ours(x), axes), np.apply_over_axes(np.sum, x, axes))
    flipped = jg.apply_over_axes(jg.flip, ours(x), axes)
    assert_same(flipped, np.apply_over_axes(np.flip, x, axes))


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_come_from_iterables(dtype):
    numbers = [0, 1, 1, 0]
    assert_same(jg.fromiter(iter(numbers), dtype), np.fromiter(iter(numbers), dtype))
    assert_same(jg.fromiter(numbers, dtype, 2), np.fromiter(numbers, dtype, 2))
    assert_same(jg.fromiter([], dtype), np.fromiter([], dtype))


def test_indices_go_into_a_function():
    def function(i, j, k=0):
        return i * 10 + j + k

    for shape in ((2, 3), (0, 3)):
        expected = np.fromfunction(function, shape, dtype="int64", k=5)
        assert_same(jg.fromfunction(function, shape, dtype=jg.int64, k=5), expected)
    assert jg.fromfunction(function, (2, 3)).dtype == jg.float32


@pytest.mark.parametrize("shapes", [((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 4)), ((), ())])
def test_functions_of_numbers_become_functions_of_arrays(shapes):
    x, y = (random(shape, "int64", seed) for seed, shape in enumerate(shapes))

    def larger(a, b=1):
        return a if a > b else b

    for otypes in (None, ["float32"]):
        expected = np.asarray(np.vectorize(larger, otypes)(x, y))
        assert_same(jg.vectorize(larger, otypes)(ours(x), ours(y)), expected)
        found = jg.vectorize(larger, otypes)(ours(x), b=ours(y))
        assert_same(found, expected)


def test_functions_may_give_several_results_and_none_at_all():
    x = random((2, 3), "int64")
    both = jg.vectorize(lambda a: (a + 1, a * 0.5), otypes=[jg.int64, jg.float64])
    expected = np.vectorize(lambda a: (a + 1, a * 0.5))(x)
    assert_same(both(ours(x)), expected)
    assert [each.shape for each in both(jg.zeros((0, 2)))] == [(0, 2)] * 2


def test_excluded_arguments_are_handed_on_as_they_are():
    polynomial = jg.vectorize(lambda p, x: p[0] + p[1] * x, excluded=[0, "p"])
    assert polynomial([1, 2], [3, 4]).tolist() == [7, 9]
    assert polynomial(p=[1, 2], x=[3, 4]).tolist() == [7, 9]


SIGNATURES = [
    ("(n)->()", lambda v: v.sum(), [(2, 3)]),
    ("(n),(n)->()", lambda v, w: (v * w).sum(), [(4, 1, 3), (2, 3)]),
    ("(m,n), (n) -> (m)", lambda a, v: a @ v, [(5, 2, 3), (3,)]),
    ("(),(n)->(n),()", lambda a, v: (v + a, a), [(2,), (2, 3)]),
]


@pytest.mark.parametrize("signature, function, shapes", SIGNATURES)
def test_a_signature_gives_axes_to_the_function(signature, function, shapes):
    args = [random(shape, "float64", seed) for seed, shape in enumerate(shapes)]
    expected = np.vectorize(function, signature=signature)(*args)
    assert_same(jg.vectorize(function, signature=signature)(*map(ours, args)), expected)


def test_vectorize_decorates_a_function():
    @jg.vectorize(otypes=[jg.float32])
    def half(a):
        """Half of a."""
        return a / 2

    assert half([1, 2]).tolist() == [0.5, 1] and half.__doc__ == "Half of a."
    assert half.__name__ == "half" and half(jg.zeros((0,))).dtype == jg.float32


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.apply_along_axis(jg.sum, 1, jg.ones(2)), IndexError, "axis: got 1"),
        (lambda: jg.apply_along_axis(jg.sum, 0, jg.ones((2, 0))), ValueError, "arr: has shape"),
        (lambda: jg.apply_over_axes(jg.sum, jg.ones(2), 1), IndexError, "axes: got 1"),
        (lambda: jg.apply_over_axes(lambda a, _: a[..., None], jg.ones(2), 0), ValueError, "func"),
        (lambda: jg.fromiter([1], int, 2), ValueError, "iter: gave 1 numbers, allowed are 2"),
        (lambda: jg.fromiter([[1]], int), ValueError, "iter: gave items of shape"),
        (lambda: jg.vectorize(3), TypeError, r"\[vectorize\] pyfunc: got int"),
        (
            lambda: jg.vectorize(abs)(jg.zeros(0)),
            ValueError,
            r"\[vectorize\] otypes: got None, allowed are",
        ),
        (lambda: jg.vectorize(abs, ["int8"] * 2)([1]), ValueError, "otypes: got 2, allowed are 1"),
        (lambda: jg.vectorize(abs, signature="n"), ValueError, "signature: got 'n'"),
        (lambda: jg.vectorize(abs, signature="(n)->()")(1), ValueError, r"args\[0\]: has 0 axes"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
