# SPDX-License-Identifier: Apache-2.0
"""Derivatives of complex functions over the whole plane, beside PyTorch: a formula may hold in one
quadrant and have the wrong sign in another. And real ones where squares leave the range."""

import math

import numpy as np
import pytest
import torch

import joggle as jg

FUNCTIONS = (
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "log",
    "log10",
    "log2",
    "reciprocal",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
)
# No point lies on an axis, where branches are cut.
SIDES = (-7.5, -1.75, -0.625, -1e-3, 1e-3, 0.375, 1.25, 6.5)
PLANE = np.array([complex(re, im) for re in SIDES for im in SIDES])


@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_over_the_plane_is_that_of_torch(name, part):
    x = torch.tensor(PLANE, requires_grad=True)
    getattr(getattr(torch, name)(x), part).sum().backward()
    function = getattr(jg, name)
    got = jg.grad(lambda z: jg.sum(getattr(jg, part)(function(z))))(jg.asarray(PLANE))
    np.testing.assert_allclose(np.asarray(got), x.grad.numpy(), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tangent_over_the_plane_is_the_difference_of_values(name):
    function, x = getattr(jg, name), jg.asarray(PLANE)
    step = 1e-6
    for direction in (1, 1j):
        tangent = jg.jvp(function, [x], [jg.full_like(x, direction)])[1][0]
        far, near = (np.asarray(function(x + sign * step * direction)) for sign in (1, -1))
        np.testing.assert_allclose(np.asarray(tangent), (far - near) / (2 * step), 1e-4, 1e-7)


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1.0, 1e12, 1e30])
def test_gradient_of_atan2_is_right_at_any_distance(size):
    y, x = 0.6 * size, -0.8 * size
    dy, dx = jg.grad(jg.atan2, argnums=(0, 1))(jg.array(y), jg.array(x))
    assert math.isclose(dy.item(), -0.8 / size, rel_tol=1e-6)
    assert math.isclose(dx.item(), -0.6 / size, rel_tol=1e-6)


def test_gradient_of_atan2_at_the_origin_is_zero_as_in_torch():
    y, x = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    torch.atan2(y, x).backward()
    got = jg.grad(jg.atan2, argnums=(0, 1))(jg.array(0.0), jg.array(0.0))
    assert [one.item() for one in got] == [y.grad.item(), x.grad.item()] == [0, 0]


def test_gradient_of_acosh_does_not_overflow_far_out():
    assert math.isclose(jg.grad(jg.acosh)(jg.array(1e30)).item(), 1e-30, rel_tol=1e-6)
