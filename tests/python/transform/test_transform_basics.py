# SPDX-License-Identifier: Apache-2.0
"""The halves of a transformation, as joggle's own functions use them."""

import numpy as np
import pytest

import joggle as jg
from joggle import _core


def pull(function, *arguments):
    tracing, markers = _core._tracing_begin(list(arguments))
    result = function(*markers)
    cotangent = jg.ones(result.shape, dtype=result.dtype)
    return tracing.pullback([result]).apply([cotangent], len(arguments))


def push(function, argument, tangent):
    tracing, markers = _core._tracing_begin([argument])
    return tracing.push([function(*markers)], [tangent])[0]


def test_slices_of_one_array_add_up_in_its_cotangent():
    x = jg.asarray(np.arange(12.0).reshape(3, 4))
    (got,) = pull(lambda x: jg.sum(x[0, ::-1] * x[1] + x[0, 1:2]), x)
    want = np.zeros((3, 4))
    want[0] += np.arange(4.0, 8.0)[::-1]
    want[1] += np.arange(4.0)[::-1]
    want[0, 1] += 4
    np.testing.assert_allclose(np.asarray(got), want)


def test_a_value_asked_for_inside_does_not_cut_the_function():
    x = jg.asarray(np.array([1.0, 2.0]))

    def function(x):
        y = x * x
        assert y[1].item() == 4.0
        return jg.sum(y * y)

    (got,) = pull(function, x)
    np.testing.assert_allclose(np.asarray(got), [4.0, 32.0])


def test_an_inner_derivative_does_not_see_the_variable_of_the_outer_one():
    def function(x):
        (inner,) = pull(lambda y: jg.sum(x * y), jg.asarray(np.ones(1)))
        return jg.sum(x * inner)

    (got,) = pull(function, jg.asarray(np.array([3.0])))
    np.testing.assert_allclose(np.asarray(got), [6.0])


def test_forward_and_reverse_agree_at_second_order():
    x = jg.asarray(np.linspace(0.3, 1.2, 5))

    def slope(x):
        return pull(lambda x: jg.sum(jg.sin(x) * jg.exp(x)), x)[0]

    forward = push(slope, x, jg.ones_like(x))
    (reverse,) = pull(lambda x: jg.sum(slope(x)), x)
    want = 2 * np.cos(np.asarray(x)) * np.exp(np.asarray(x))
    np.testing.assert_allclose(np.asarray(forward), want, rtol=1e-13)
    np.testing.assert_allclose(np.asarray(reverse), want, rtol=1e-13)


def test_stop_gradient_is_a_constant_also_of_a_view():
    x = jg.asarray(np.array([2.0, 3.0]))
    (got,) = pull(lambda x: jg.sum(x * jg.stop_gradient(x[::-1])), x)
    np.testing.assert_allclose(np.asarray(got), [3.0, 2.0])


def test_a_chain_of_a_million_ops_needs_no_recursion():
    def function(x):
        for _ in range(1_000_000):
            x = -x
        return x

    (got,) = pull(function, jg.asarray(np.array(2.0)))
    assert np.asarray(got) == 1.0


def test_a_cotangent_of_another_shape_is_refused():
    tracing, markers = _core._tracing_begin([jg.ones((3,))])
    pullback = tracing.pullback([markers[0] * 2])
    with pytest.raises(ValueError, match="cotangents: number 0 has shape"):
        pullback.apply([jg.ones((2,))], 1)
