# SPDX-License-Identifier: Apache-2.0
"""200 functions, written once, beside jax.grad, jax.jvp, jax.vmap and jax.hessian.

What JAX says lies in jax_results.npz, which write_jax_results.py writes.
"""

import functools
from pathlib import Path

import numpy as np
import pytest
from corpus_functions import BATCH, FUNCTIONS, T, X, weighed

import joggle as jg

RESULTS = np.load(Path(__file__).with_name("jax_results.npz"))


class Doubles:
    """The namespace of joggle with float64 as the default, as JAX's has it here."""

    def __getattr__(self, name):
        found = getattr(jg, name)
        if name in ("eye", "ones", "zeros", "arange"):
            return functools.partial(found, dtype=jg.float64)
        return found


def parts_of(name):
    """The value, the gradient, a tangent, gradients of a batch, and the Hessian."""
    parts = np.split(RESULTS[name], np.cumsum([1, X.size, 1, BATCH.size]))
    shapes = [(), X.shape, (), BATCH.shape, X.shape + X.shape]
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def close(got, want, scale=None):
    got = np.asarray(got)
    assert got.shape == want.shape
    tolerance = 1e-9 * (1 + np.abs(want if scale is None else scale).max(initial=0))
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=tolerance)


def test_there_are_two_hundred_and_each_has_its_results():
    assert len(FUNCTIONS) >= 200
    assert set(RESULTS.files) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_derivatives_of_jax(name):
    loss = weighed(Doubles(), FUNCTIONS[name])
    x, t = jg.asarray(X), jg.asarray(T)
    value, slope, pushed, slopes = parts_of(name)[:4]
    got = jg.value_and_grad(loss)(x)
    close(got[0], value)
    close(got[1], slope)
    close(jg.jvp(loss, [x], [t])[1][0], pushed, scale=slope)
    close(jg.compile(jg.grad(loss))(x), slope)
    close(jg.vmap(jg.grad(loss))(jg.asarray(BATCH)), slopes)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_are_those_of_jax(name):
    loss = weighed(Doubles(), FUNCTIONS[name])
    close(jg.hessian(loss)(jg.asarray(X)), parts_of(name)[4])
