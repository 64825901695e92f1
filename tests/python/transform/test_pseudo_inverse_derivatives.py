# SPDX-License-Identifier: Apache-2.0
"""Derivatives of pseudo-inverses and least squares beside PyTorch's, also where singular values are
equal or zero, which says nothing of the singular vectors."""

import numpy as np
import pytest

import joggle as jg

torch = pytest.importorskip("torch")

RANDOM = np.random.default_rng(3)
THIN = RANDOM.standard_normal((4, 2))
MATRICES = {
    "identity": np.eye(3),
    "equal": np.diag([2.0, 2.0, 1.0]),
    "zero": np.diag([2.0, 1.0, 0.0]),
    "zeros": np.diag([2.0, 0.0, 0.0]),
    "one rank": np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 0.5, 2.0]),
    "two ranks": THIN @ RANDOM.standard_normal((2, 3)),
    "tall": RANDOM.standard_normal((5, 3)),
    "wide": RANDOM.standard_normal((3, 5)),
    "stack": np.stack([np.eye(3), np.diag([1.0, 2.0, 0.0]), RANDOM.standard_normal((3, 3))]),
    "complex": np.array([[1, 1j, 0], [-1j, 1, 0], [0, 0, 1]]) * (1 + 0.5j),
}
each_matrix = pytest.mark.parametrize("a", MATRICES.values(), ids=MATRICES)


def weights(shape, dtype):
    found = np.cos(np.arange(np.prod(shape))).reshape(shape)
    return found + (1j * np.sin(found) if np.dtype(dtype).kind == "c" else 0)


def real_sum(x, w):
    product = x * w
    return jg.sum(jg.real(product) if x.dtype == jg.complex128 else product)


def gradient_of_torch(f, a):
    t = torch.tensor(a, requires_grad=True)
    product = f(t) * torch.tensor(weights(f(t).shape, a.dtype))
    product.sum().real.backward()
    return t.grad.numpy()


def loss(f):
    def of(x):
        y = f(x)
        return real_sum(y, jg.array(weights(y.shape, complex if "c" in str(x.dtype) else float)))

    return of


@each_matrix
def test_gradients_are_those_of_torch(a):
    found = jg.grad(loss(jg.linalg.pinv))(jg.array(a))
    expected = gradient_of_torch(torch.linalg.pinv, a)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9, atol=1e-9)


@each_matrix
def test_least_squares_have_the_derivatives_of_the_pseudo_inverse(a):
    b = weights((*a.shape[:-1], 2), a.dtype)
    left, right = jg.array(a), jg.array(b)
    of_a = jg.grad(loss(lambda x: jg.linalg.lstsq(x, right)[0]))(left)
    of_b = jg.grad(loss(lambda y: jg.linalg.lstsq(left, y)[0]))(right)
    expected = gradient_of_torch(lambda t: torch.linalg.pinv(t) @ torch.tensor(b), a)
    np.testing.assert_allclose(np.asarray(of_a), expected, rtol=1e-9, atol=1e-9)
    inverse = torch.linalg.pinv(torch.tensor(a))
    expected = gradient_of_torch(lambda t: inverse @ t, b)
    np.testing.assert_allclose(np.asarray(of_b), expected, rtol=1e-9, atol=1e-9)


@each_matrix
def test_tangents_and_gradients_agree(a):
    change = weights(a.shape, a.dtype)[..., ::-1].copy()
    f, x = loss(jg.linalg.pinv), jg.array(a)
    _, (tangent,) = jg.jvp(f, [x], [jg.array(change)])
    gradient = np.asarray(jg.grad(f)(x))
    along = np.sum(np.real(np.conj(gradient) * change))
    np.testing.assert_allclose(float(tangent), along, rtol=1e-9, atol=1e-9)


def test_second_derivatives_are_slopes_of_the_first():
    """Along changes that keep the rank."""
    a, f = MATRICES["two ranks"], loss(jg.linalg.pinv)
    change = np.eye(4)[::-1] @ a * 0.1 + a @ np.eye(3)[::-1] * 0.2
    slope = jg.grad(lambda t: jg.sum(jg.grad(f)(jg.array(a) + t * jg.array(change)) * change))
    step = 1e-5

    def first(t):
        moved = (
            (np.eye(4) + 0.1 * t * np.eye(4)[::-1]) @ a @ (np.eye(3) + 0.2 * t * np.eye(3)[::-1])
        )
        turned = 0.1 * np.eye(4)[::-1] @ moved + 0.2 * moved @ np.eye(3)[::-1]
        return moved, turned

    def along(t):
        moved, turned = first(t)
        return float(jg.sum(jg.grad(f)(jg.array(moved)) * jg.array(turned)))

    # The path is curved: what its second derivative adds is taken away.
    second = (first(step)[1] - first(-step)[1]) / (2 * step)
    expected = (along(step) - along(-step)) / (2 * step)
    expected -= float(jg.sum(jg.grad(f)(jg.array(a)) * jg.array(second)))
    moved = first(0)[1]
    np.testing.assert_allclose(moved, change, rtol=1e-12)
    np.testing.assert_allclose(float(slope(jg.array(0.0, dtype="float64"))), expected, rtol=1e-4)


def test_batches_and_what_is_compiled_give_the_same():
    stack, f = jg.array(MATRICES["stack"]), loss(jg.linalg.pinv)
    expected = np.stack([np.asarray(jg.grad(f)(jg.array(one))) for one in MATRICES["stack"]])
    for function in (jg.vmap(jg.grad(f)), jg.compile(jg.vmap(jg.grad(f)))):
        np.testing.assert_allclose(np.asarray(function(stack)), expected, rtol=1e-12, atol=1e-12)
    values = jg.compile(jg.linalg.pinv)(stack)
    np.testing.assert_allclose(np.asarray(values), np.linalg.pinv(MATRICES["stack"]), atol=1e-12)


def test_a_limit_decides_the_rank_of_derivatives_too():
    a = np.diag([2.0, 1.0, 1e-3])
    for rtol in (1e-2, 1e-4):
        found = jg.grad(loss(lambda x, rtol=rtol: jg.linalg.pinv(x, rtol)))(jg.array(a))
        expected = gradient_of_torch(lambda t, rtol=rtol: torch.linalg.pinv(t, rtol=rtol), a)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9)
        _, (along,) = jg.jvp(
            loss(lambda x, rtol=rtol: jg.linalg.pinv(x, rtol)), [jg.array(a)], [jg.ones((3, 3))]
        )
        np.testing.assert_allclose(float(along), expected.sum(), rtol=1e-6)


def test_a_gradient_of_a_pseudo_inverse_goes_through_a_file(tmp_path):
    path, a = tmp_path / "pinv.jgfn", jg.array(MATRICES["two ranks"])
    jg.export_function(str(path), jg.grad(loss(jg.linalg.pinv)), a)
    (found,) = jg.import_function(str(path))(a)
    np.testing.assert_allclose(
        np.asarray(found), np.asarray(jg.grad(loss(jg.linalg.pinv))(a)), rtol=1e-12
    )


def _sum_of_inverse(a, limit):
    return jg.sum(jg.linalg.pinv(a, rtol=limit))


def test_a_limit_may_be_an_argument_of_a_recorded_function():
    a = jg.array(np.random.default_rng(0).uniform(0.2, 1.8, (3, 3)))
    limit, limits = jg.array(1e-3, dtype="float64"), jg.array(np.array([1e-3, 0.1]))
    tangent = jg.jvp(lambda x: _sum_of_inverse(x, limit), [a], [a])[1][0].item()
    compiled = jg.compile(_sum_of_inverse)
    assert jg.jvp(lambda x: compiled(x, limit), [a], [a])[1][0].item() == pytest.approx(tangent)
    batch = jg.vmap(_sum_of_inverse, in_axes=(None, 0))
    assert jg.jvp(lambda x: batch(x, limits), [a], [a])[1][0][0].item() == pytest.approx(tangent)
    np.testing.assert_allclose(
        np.asarray(jg.hessian(compiled)(a, limit)),
        np.asarray(jg.hessian(_sum_of_inverse)(a, limit)),
        rtol=1e-9,
    )


def test_the_gradient_for_several_limits_is_the_sum_of_those_for_each():
    a = jg.array(np.random.default_rng(0).uniform(0.2, 1.8, (3, 3)))
    limits = jg.array(np.array([1e-3, 0.1]))
    found = np.asarray(jg.grad(_sum_of_inverse)(a, limits))
    each = [np.asarray(jg.grad(_sum_of_inverse)(a, limit)) for limit in limits]
    np.testing.assert_allclose(found, each[0] + each[1], rtol=1e-9)
