# SPDX-License-Identifier: Apache-2.0
"""Derivatives of products over axes and of running results."""

import numpy as np
import pytest
from checks import check

import joggle as jg


def normal(*shape):
    return np.random.default_rng(3).standard_normal(shape)


def with_zeros(*shape):
    x = normal(*shape)
    x[0, 1] = x[1, 0] = x[1, 2] = 0
    return x


def complex_normal(*shape):
    return normal(*shape) + 1j * np.random.default_rng(4).standard_normal(shape)


RUNNING = {
    "cumsum": jg.cumsum,
    "cumprod": jg.cumprod,
    "cummax": jg.cummax,
    "cummin": jg.cummin,
    "logcumsumexp": jg.logcumsumexp,
}


@pytest.mark.parametrize("make", [normal, with_zeros, complex_normal])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
def test_products_are_differentiated_where_elements_are_zero(axis, make):
    check(lambda x: jg.prod(x, axis=axis) * jg.sum(x), make(3, 4, 2))


def test_products_of_one_and_of_no_elements_have_derivatives():
    check(jg.prod, np.array([3.0]))
    check(lambda x: jg.prod(x, axis=1), normal(4, 1))
    none = jg.grad(lambda x: jg.sum(jg.prod(x, axis=1)))(jg.zeros((2, 0), dtype=jg.float64))
    assert none.shape == (2, 0)


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize("name", RUNNING)
def test_running_results_in_both_directions_have_derivatives(name, reverse, inclusive):
    def run(x, axis):
        made = RUNNING[name](x, axis=axis, reverse=reverse, inclusive=inclusive)
        return jg.where(jg.isfinite(made), made, 0.0)

    for shape in ((5,), (1,), (3, 4, 2), (4, 3)):
        x = normal(*shape)
        for axis in range(x.ndim):
            check(lambda x, axis=axis: run(x, axis) * x, x)


@pytest.mark.parametrize("reverse", [True, False])
def test_running_products_go_through_zeros(reverse):
    check(lambda x: jg.cumprod(x, axis=1, reverse=reverse), with_zeros(3, 5))
    check(lambda x: jg.cumprod(x, axis=0, reverse=reverse), complex_normal(3, 2))
    check(lambda x: jg.cumsum(x, axis=0, reverse=reverse), complex_normal(3, 2))


def test_running_results_that_include_the_initial_one_have_derivatives():
    x = normal(3, 4)
    check(lambda x: jg.cumulative_sum(x, axis=1, include_initial=True) ** 2, x)
    check(lambda x: jg.cumulative_prod(x, axis=1, include_initial=True), x)


def test_of_equal_elements_the_running_maximum_takes_the_last():
    x = jg.asarray(np.array([1.0, 3.0, 3.0, 2.0]))
    weights = jg.asarray(np.array([1.0, 2.0, 4.0, 8.0]))
    slope = jg.grad(lambda x: jg.sum(jg.cummax(x) * weights))(x)
    np.testing.assert_array_equal(np.asarray(slope), [1.0, 2.0, 12.0, 0.0])


def test_gradients_are_torchs():
    torch = pytest.importorskip("torch")
    x = with_zeros(3, 40)
    cases = [
        (jg.cumprod, torch.cumprod),
        (jg.logcumsumexp, torch.logcumsumexp),
        (jg.cummax, lambda t, d: torch.cummax(t, d).values),
        (jg.prod, torch.prod),
    ]
    for ours, theirs in cases:
        t = torch.tensor(x, requires_grad=True)
        torch.sin(theirs(t, 1)).sum().backward()
        got = jg.grad(lambda x, f=ours: jg.sum(jg.sin(f(x, axis=1))))(jg.asarray(x))
        np.testing.assert_allclose(np.asarray(got), t.grad.numpy(), rtol=1e-9, atol=1e-12)


def test_an_integer_sum_of_floats_keeps_its_derivative():
    x = jg.asarray(normal(6).astype(np.float32))
    slope = jg.grad(lambda x: jg.sum(jg.cumsum(x, dtype=jg.float64) ** 2))(x)
    want = 2 * np.cumsum(np.cumsum(np.asarray(x, dtype=np.float64))[::-1])[::-1]
    assert slope.dtype == jg.float32
    np.testing.assert_allclose(np.asarray(slope), want, rtol=1e-6)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_a_running_nan_has_the_derivative_of_the_nan_as_in_torch(name):
    torch = pytest.importorskip("torch")
    x = np.array([1.0, np.nan, 0.0, 3.0])
    weights = np.array([1.0, 2.0, 4.0, 8.0])
    t = torch.tensor(x, requires_grad=True)
    (getattr(torch, name)(t, 0).values * torch.tensor(weights)).sum().backward()
    running = getattr(jg, name)
    slope = jg.grad(lambda x: jg.sum(running(x) * jg.asarray(weights)))(jg.asarray(x))
    np.testing.assert_array_equal(np.asarray(slope), t.grad.numpy())
    pushed = jg.jvp(running, [jg.asarray(x)], [jg.asarray(weights)])[1][0]
    np.testing.assert_array_equal(np.asarray(pushed), [1.0, 2.0, 2.0, 2.0])
