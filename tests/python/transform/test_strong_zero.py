# SPDX-License-Identifier: Apache-2.0
"""strong_zero=True: a tangent or cotangent of 0 stays 0 where a derivative is infinite or NaN."""

import itertools

import numpy as np
import pytest

import joggle as jg

CORNERS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.0, np.inf, -np.inf, np.nan]
UNARY = (
    *("sqrt", "rsqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
    *("atanh", "erf", "erfinv", "sigmoid", "square", "abs", "negative", "cbrt"),
)
BINARY = (
    *("add", "subtract", "multiply", "divide", "remainder", "power", "atan2", "hypot"),
    *("logaddexp", "copysign", "nextafter", "maximum", "minimum"),
)


def corners(nargs):
    return [jg.array(list(x)) for x in zip(*itertools.product(CORNERS, repeat=nargs), strict=True)]


@pytest.mark.parametrize("name", UNARY + BINARY)
@pytest.mark.parametrize("dtype", [jg.float32, jg.float64])
def test_zero_times_any_derivative_is_zero(name, dtype):
    function = getattr(jg, name)
    given = [x.astype(dtype) for x in corners(2 if name in BINARY else 1)]
    zeros = [jg.zeros_like(x) for x in given]
    for call in (lambda f: f, jg.compile):
        pulled = call(lambda *x: jg.vjp(function, x, zeros[:1], strong_zero=True)[1])(*given)
        pushed = call(lambda *x: jg.jvp(function, x, zeros, strong_zero=True)[1])(*given)
        for found in (*pulled, *pushed):
            assert np.all(np.asarray(found) == 0), found


# cbrt is made of several ops, whose cotangents are 0 at some corners.
@pytest.mark.parametrize("name", [name for name in UNARY + BINARY if name != "cbrt"])
def test_derivatives_times_other_numbers_are_the_same(name):
    function = getattr(jg, name)
    given = corners(2 if name in BINARY else 1)
    ones = [jg.full_like(given[0], 1.5)]
    strong, plain = (jg.vjp(function, given, ones, strong_zero=on)[1] for on in (True, False))
    for a, b in zip(strong, plain, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def root(x):
    return jg.sum(jg.where(x > 0, jg.sqrt(x), 0))


def product(x):  # an infinite factor of elements that are not chosen
    return jg.sum(jg.where(x == 0, 0, x * x * (1 / x)))


def norms(x):
    rows = jg.linalg.norm(jg.reshape(x, (-1, 1)), axis=1)
    return jg.sum(jg.where(x == 0, 0, rows))


def power(x):
    return jg.sum(jg.where(x > 0, x**0.5, 0) + jg.where(x > 0, x**x, 0))


X = jg.array([0.0, 1.0, 4.0], dtype=jg.float64)
FUNCTIONS = {
    "root": (root, [0, 0.5, 0.25]),
    "product": (product, [0, 1, 1]),
    "norms": (norms, [0, 1, 1]),
    "power": (power, [0, 1.5, 0.25 + 256 * (1 + np.log(4))]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_not_chosen_has_no_gradient(name):
    function, want = FUNCTIONS[name]
    assert np.isnan(np.asarray(jg.grad(function)(X))[0])
    ways = {
        "grad": jg.grad(function, strong_zero=True),
        "value_and_grad": lambda x: jg.value_and_grad(function, strong_zero=True)(x)[1],
        "vjp": lambda x: jg.vjp(function, [x], [jg.array(1.0)], strong_zero=True)[1][0],
        "jacrev": jg.jacrev(function, strong_zero=True),
        "jacfwd": jg.jacfwd(function, strong_zero=True),
        "checkpoint": jg.grad(jg.checkpoint(function), strong_zero=True),
        "compiled function": jg.grad(jg.compile(function), strong_zero=True),
        "compiled gradient": jg.compile(jg.grad(function, strong_zero=True)),
        "one by one": jg.vmap(lambda x: jg.grad(function, strong_zero=True)(x[None])[0]),
        "pullback": lambda x: jg.vjp(function, [x], strong_zero=True)[1](jg.array(1.0))[0],
        "linearize": lambda x: jg.stack(
            [jg.linearize(function, x, strong_zero=True)[1](row) for row in jg.eye(3)]
        ),
    }
    for way, gradient in ways.items():
        np.testing.assert_allclose(np.asarray(gradient(X)), want, rtol=1e-14, err_msg=way)


def test_second_derivatives_are_zero_where_something_is_not_chosen():
    want = np.diag([0, -0.25, -1 / 32])
    np.testing.assert_allclose(np.asarray(jg.hessian(root, strong_zero=True)(X)), want, rtol=1e-14)
    inner = jg.grad(root, strong_zero=True)
    outer = jg.grad(lambda x: jg.sum(inner(x)), strong_zero=True)
    np.testing.assert_allclose(np.asarray(outer(X)), np.diag(want), rtol=1e-14)
    weak = jg.grad(lambda x: jg.sum(inner(x)))
    assert np.isnan(np.asarray(weak(X))[0])  # each derivative follows its own


def test_a_cotangent_that_happens_to_be_zero_has_derivatives():
    def function(x):  # the cotangent of x**3 is 0 at 1
        return jg.sum((x**3 - 1) ** 2)

    for order in (jg.hessian, lambda f, strong_zero: jg.jacrev(jg.jacrev(f))):
        second = np.asarray(order(function, strong_zero=True)(X))
        np.testing.assert_allclose(np.diag(second), 30 * X.__array__() ** 4 - 12 * X.__array__())


def test_strong_zero_holds_for_its_own_derivative_alone():
    seen = []

    @jg.custom_function
    def noted(x):
        return x * 1.0

    @noted.vjp
    def _(primals, cotangents, outputs):
        seen.append(jg.grad(root)(X).tolist()[0])
        return cotangents

    jg.grad(lambda x: jg.sum(noted(x)), strong_zero=True)(X)
    assert np.isnan(seen[0])
    assert np.isnan(jg.grad(root)(X).tolist()[0])
    with pytest.raises(ValueError, match="scalar"):
        jg.grad(lambda x: x, strong_zero=True)(X)
    assert np.isnan(jg.grad(root)(X).tolist()[0])


def test_complex_numbers_have_gradients_with_strong_zeros():
    z = jg.array([0j, 1 + 1j])

    def function(z):
        return jg.sum(jg.real(jg.where(z == 0, 0, jg.sqrt(z))))

    got = np.asarray(jg.grad(function, strong_zero=True)(z))
    np.testing.assert_allclose(got, [0, np.conj(0.5 / np.sqrt(1 + 1j))], rtol=1e-6)
    assert np.isnan(np.asarray(jg.grad(function)(z))[0])
