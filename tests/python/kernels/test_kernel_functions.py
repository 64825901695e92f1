# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of arrays, inside of joggle's transformations."""

import numpy as np
import pytest
from array_kernels import AT, X, Y, close, function_of_pairs, function_of_square, scale_square

import joggle as jg
import joggle.fields as qd


@pytest.fixture
def square():
    return function_of_square()


@pytest.fixture
def both():
    return function_of_pairs()


def test_a_function_gives_what_its_kernel_writes(square, both):
    close(square(jg.asarray(X), 2.0), 2 * X * X)
    close(square(factor=3.0, x=X), 3 * X * X)
    total, each = both(jg.asarray(X), jg.asarray(Y), jg.asarray(AT))
    close(total, [X @ Y])
    close(each, np.sin(X) * Y[AT])
    assert square(jg.asarray(X.astype(np.float32)), 2.0).dtype == jg.float32


def test_gradients_go_by_the_adjoint(square, both):
    x, y, at = jg.asarray(X), jg.asarray(Y), jg.asarray(AT)
    close(jg.grad(lambda x: jg.sum(jg.sin(square(x * 2, 3.0))))(x), np.cos(12 * X * X) * 24 * X)

    def loss(a, b):
        total, each = both(a, b, at)
        return total[0] * 2 + jg.sum(each * each)

    got = jg.grad(loss, argnums=(0, 1))(x, y)
    each = np.sin(X) * Y[AT]
    close(got[0], 2 * Y + 2 * each * np.cos(X) * Y[AT])
    by_y = 2 * X.copy()
    np.add.at(by_y, AT, 2 * each * np.sin(X))
    close(got[1], by_y)


def test_tangents_go_by_the_tangent(square, both):
    x, y, at = jg.asarray(X), jg.asarray(Y), jg.asarray(AT)
    close(jg.jvp(lambda x: square(x, 3.0), [x], [y])[1][0], 6 * X * Y)
    total, each = jg.jvp(lambda a, b: both(a, b, at), [x, y], [y, x])[1]
    close(total, [Y @ Y + X @ X])
    close(each, np.cos(X) * Y * Y[AT] + np.sin(X) * X[AT])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_derivatives_are_those_of_each_floating_dtype(square, dtype):
    x = jg.asarray(X).astype(dtype)
    slope = jg.grad(lambda x: jg.sum(square(x, 2.0)))
    (tangent,) = jg.jvp(lambda x: square(x, 2.0), [x], [jg.ones_like(x)])[1]
    for got in (slope(x), tangent, jg.vmap(slope)(x[None])[0]):
        assert got.dtype == x.dtype
        close(got.astype("float64"), 4 * X)


def test_a_number_of_the_kernel_is_a_value_and_has_no_derivative(square):
    x, factor = jg.asarray(X), jg.array(2.0)
    close(jg.grad(lambda x: jg.sum(square(x, factor)))(x), 4 * X)
    close(jg.vmap(square, in_axes=(None, 0))(x, jg.array([1.0, 2.0])), [X * X, 2 * X * X])
    message = r"\[function\] scale_square: argument factor is a number of the kernel"
    with pytest.raises(TypeError, match=message):
        jg.grad(lambda x, factor: jg.sum(square(x, factor)), argnums=(0, 1))(x, factor)
    with pytest.raises(TypeError, match=message):
        jg.jvp(square, [x, factor], [x, factor])


def test_a_batch_launches_for_each(square):
    rows = np.stack([X, Y, X + 1])
    close(jg.vmap(square, in_axes=(0, None))(jg.asarray(rows), 2.0), 2 * rows**2)
    columns = jg.vmap(lambda x: square(x, 2.0), in_axes=1, out_axes=1)
    close(columns(jg.asarray(rows)), 2 * rows**2)
    each = jg.vmap(jg.grad(lambda x: jg.sum(square(x, 2.0))))
    close(each(jg.asarray(rows)), 4 * rows)
    grids = jg.vmap(jg.vmap(lambda x: square(x, 2.0)))
    close(grids(jg.asarray(rows[None])), 2 * rows[None] ** 2)
    slope = jg.grad(lambda r: jg.sum(jg.vmap(lambda x: square(x, 2.0))(r)))
    close(slope(jg.asarray(rows)), 4 * rows)


def test_a_second_derivative_is_refused(square):
    x = jg.asarray(X)
    slope = jg.grad(lambda x: jg.sum(square(x, 2.0)))
    with pytest.raises(NotImplementedError, match="scale_square: kernels have first derivatives"):
        jg.grad(lambda x: jg.sum(slope(x)))(x)
    with pytest.raises(NotImplementedError, match="scale_square: kernels have first derivatives"):
        jg.jvp(slope, [x], [x])


def test_wrong_use_is_refused_by_name(square):
    with pytest.raises(TypeError, match=r"\[function\] kernel: got function"):
        qd.function(lambda x: x, outputs="x")
    with pytest.raises(ValueError, match=r"\[function\] outputs: got 'z', allowed are"):
        qd.function(scale_square, outputs="z")
    with pytest.raises(TypeError, match=r"\[function\] outputs: got \[\]"):
        qd.function(scale_square, outputs=[])
    with pytest.raises(TypeError, match=r"\[scale_square\] missing a required argument: 'factor'"):
        square(jg.asarray(X))


def test_outputs_that_are_no_form_or_twice_are_refused():
    with pytest.raises(ValueError, match=r"\[function\] outputs: got \['y', 'y'\]"):
        qd.function(scale_square, outputs=["y", "y"])
    for form in (5, (3,), lambda *given: len(given)):
        with pytest.raises(TypeError, match=r"\[function\] outputs: for 'y' got"):
            qd.function(scale_square, outputs={"y": form})(X, 2.0)
