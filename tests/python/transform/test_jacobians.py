# SPDX-License-Identifier: Apache-2.0
"""Matrices of derivatives of complex functions and of no arguments; tangents and cotangents in
trees; what is refused."""

import numpy as np
import pytest

import joggle as jg

X = jg.array([1.0, 2.0, 3.0], dtype=jg.float64)
Z = jg.array([1 + 2j, 3 - 1j, -2 + 0.5j], dtype=jg.complex128)
MATRIX = jg.array([[1 + 1j, 2, 0.5j], [3, -1j, 2 - 2j]], dtype=jg.complex128)


def close(got, want):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("transform", [jg.jacrev, jg.jacfwd])
def test_a_holomorphic_function_has_its_derivative_for_jacobian(transform):
    close(transform(lambda z: z * z * 1j)(Z), np.diag(2j * np.asarray(Z)))
    close(transform(lambda z: MATRIX @ jg.sin(z))(Z), np.asarray(MATRIX) * np.cos(np.asarray(Z)))


@pytest.mark.parametrize("transform", [jg.jacrev, jg.jacfwd])
def test_complex_results_of_real_arguments_keep_both_parts(transform):
    close(transform(lambda x: MATRIX @ (x * x))(X), np.asarray(MATRIX) * 2 * np.asarray(X))
    by_x, by_z = transform(lambda x, z: x * z, argnums=(0, 1))(X, Z)
    close(by_x, np.diag(np.asarray(Z)))
    close(by_z, np.diag(np.asarray(X)))
    batch = jg.vmap(transform(lambda x: MATRIX @ x))(jg.stack([X, -X]))
    close(batch, np.stack([np.asarray(MATRIX)] * 2))


def test_a_hessian_of_a_holomorphic_function_is_its_second_derivative():
    close(jg.hessian(lambda z: jg.sum(z**3) * 1j)(Z), np.diag(6j * np.asarray(Z)))
    close(jg.hessian(lambda x: jg.sum(x**3) * 1j)(X), np.diag(6j * np.asarray(X)))


def test_forward_and_reverse_are_those_of_jax():
    jax = pytest.importorskip("jax")

    def made(xp, z):
        return xp.exp(z) * xp.cumsum(z * z, axis=0)

    with jax.enable_x64(True):
        want = jax.jacrev(lambda z: made(jax.numpy, z), holomorphic=True)(np.asarray(Z))
    for transform in (jg.jacrev, jg.jacfwd):
        close(transform(lambda z: made(jg, z))(Z), want)


@pytest.mark.parametrize("transform", [jg.jacrev, jg.jacfwd, jg.hessian])
def test_a_tree_without_arrays_has_a_tree_without_derivatives(transform):
    assert transform(lambda tree: jg.ones(2))([]) == []
    assert transform(lambda tree: {"a": jg.ones(2), "b": jg.ones(1)})(()) == {"a": (), "b": ()}


def test_mistakes_name_the_transformation_the_function_and_the_argument():
    def square(x):
        return x * x

    whole = jg.array([1, 2])
    for transform in (jg.jacrev, jg.jacfwd, jg.hessian):
        name = transform.__name__
        with pytest.raises(TypeError, match=rf"\[{name}\] square: argument 0 is int64"):
            transform(square)(whole)
        with pytest.raises(TypeError, match=r"argnums: got \(True,\)"):
            transform(square, argnums=(True,))
    with pytest.raises(TypeError, match=r"\[linearize\] square: argument 0 is int64"):
        jg.linearize(square, whole)
    with pytest.raises(TypeError, match=r"\[grad\] argnums: got \(False,\)"):
        jg.grad(square, argnums=(False,))
    with pytest.raises(TypeError, match=r"\[grad\] argnames: got 5"):
        jg.grad(square, argnames=5)


def test_tangents_of_linearize_are_checked_by_name():
    _, slope = jg.linearize(lambda pair: pair[0] * pair[1], (X, X * 2))
    close(slope((X, None)), 2 * np.asarray(X) ** 2)
    with pytest.raises(ValueError, match=r"\[linearize\] tangents: number 1 is of shape \(2,\)"):
        slope((X, X[:2]))
    with pytest.raises(ValueError, match=r"\[linearize\] tangents: has 1 arrays, allowed are 2"):
        slope((X,))
    with pytest.raises(TypeError, match=r"\[linearize\] tangents: number 0 is str"):
        slope(("a", X))


def test_complex_vectors_of_real_arrays_are_refused():
    _, pullback = jg.vjp(lambda x: x * 2, [X])
    with pytest.raises(TypeError, match=r"\[vjp\] cotangents: number 0 is complex128, .* real"):
        pullback([Z])
    with pytest.raises(TypeError, match=r"\[jvp\] tangents: number 0 is complex128, .* real"):
        jg.jvp(lambda x: x * 2, [X], [Z])
    with pytest.raises(TypeError, match=r"\[vjp\] cotangents: number 0 is object"):
        pullback([object()])


def scaled(tree):
    return {"s": tree["a"] * 1, "p": tree["b"] * 100}


def test_tangents_and_cotangents_in_dicts_go_by_their_keys():
    primals, ones, zeros = {"a": X, "b": X * 2}, jg.ones_like(X), jg.zeros_like(X)
    for pushed in (
        jg.jvp(scaled, [primals], [{"b": ones, "a": zeros}])[1][0],
        jg.linearize(scaled, primals)[1]({"b": ones, "a": None}),
    ):
        assert pushed["s"].tolist() == [0.0] * 3
        assert pushed["p"].tolist() == [100.0] * 3
    _, pullback = jg.vjp(scaled, [primals])
    for cotangents in ({"p": ones, "s": zeros}, [{"p": ones, "s": None}], [zeros, ones]):
        (pulled,) = pullback(cotangents)
        assert pulled["a"].tolist() == [0.0] * 3
        assert pulled["b"].tolist() == [100.0] * 3
    _, pullback = jg.vjp(lambda x: (x, [{"u": x * 2, "v": x * 3}]), [X])
    assert pullback([None, [{"v": ones, "u": zeros}]])[0].tolist() == [3.0] * 3
    assert pullback([None, None, ones])[0].tolist() == [3.0] * 3


def test_other_keys_are_refused():
    primals = {"a": X, "b": X}
    with pytest.raises(ValueError, match=r"\[jvp\] tangents\[0\]: has the keys \['a', 'c'\]"):
        jg.jvp(scaled, [primals], [{"a": X, "c": X}])
    with pytest.raises(
        ValueError, match=r"\[vjp\] cotangents\[0\]: has the keys .* has \['s', 'p'"
    ):
        jg.vjp(scaled, [primals], [primals])
    with pytest.raises(ValueError, match=r"\[jvp\] tangents\[0\]: has the keys .* is list"):
        jg.jvp(lambda pair: pair[0] * pair[1], [[X, X]], [primals])


def test_linearize_goes_by_the_rules_of_jvp():
    @jg.custom_function
    def function(x):
        return x * x

    @function.jvp
    def rule(primals, tangents):
        return tangents * 3

    one = jg.array(1.0)
    assert jg.jvp(function, [one], [one])[1][0].item() == 3.0
    assert jg.linearize(function, one)[1](one).item() == 3.0


def test_linearize_gives_zero_for_results_of_integers():
    value, slope = jg.linearize(lambda x: (jg.argmax(x), x * x), X)
    assert value[0].item() == 2
    place, square = slope(jg.ones_like(X))
    assert place.item() == 0
    close(square, 2 * np.asarray(X))


def test_slopes_of_linearize_can_be_transformed_and_outlive_the_values():
    value, slope = jg.linearize(lambda x: jg.sin(x) * x, X)
    want = np.cos(X) * np.asarray(X) + np.sin(X)
    value.tolist()
    close(jg.vmap(slope)(jg.eye(3, dtype=jg.float64)), np.diag(want))
    close(jg.vjp(slope, [X])[1]([jg.ones_like(X)])[0], want)
    close(jg.compile(slope)(jg.ones_like(X)), want)

    def through(x):
        return jg.sum(jg.linearize(lambda x: x**3, x)[1](jg.ones_like(x)))

    close(jg.grad(through)(X), 6 * np.asarray(X))
    close(jg.compile(jg.grad(through))(X), 6 * np.asarray(X))


def test_failures_of_linearize_name_it():
    with pytest.raises(TypeError, match=r"^\[linearize\] tangents: number 0 is complex128"):
        jg.linearize(lambda x: x * 2, X)[1](Z)
    with pytest.raises(TypeError, match=r"^\[linearize\] <lambda>: result is str"):
        jg.linearize(lambda x: "a", X)


@pytest.mark.parametrize("transform", [jg.jacrev, jg.jacfwd, jg.hessian])
def test_a_function_that_gives_nothing_is_named(transform):
    def nothing(x):
        pass

    name = transform.__name__
    with pytest.raises(TypeError, match=rf"\[{name}\] nothing: result is NoneType, allowed are"):
        transform(nothing)(jg.ones(3))
