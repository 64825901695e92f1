# SPDX-License-Identifier: Apache-2.0
"""Softmax and the norms against SciPy and formulas in double precision."""

import mlx.core as mx
import numpy as np
import pytest
import scipy.special
from samples import sample

import joggle as jg

DTYPES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}
SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 4), (64, 1000)]


def check(result, reference, dtype):
    assert str(result.dtype).endswith(dtype)
    tolerance = DTYPES[dtype]
    values = np.asarray(result.astype("float64"))
    np.testing.assert_allclose(values, reference, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_is_that_of_scipy_over_each_axis(name, shape, dtype):
    x = sample(shape, dtype, scale=3)
    reference = getattr(scipy.special, name)
    for axis in [None, *range(len(shape)), *range(-len(shape), 0)]:
        check(getattr(jg, name)(x, axis=axis), reference(x.astype("f8"), axis=axis), dtype)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_takes_odd_layouts(name):
    x = sample((6, 8, 10), "float32", scale=3)
    for view in (x.T, x[::-1, ::2], np.broadcast_to(x[:1], x.shape), x[:, 1:, -3::-1]):
        reference = getattr(scipy.special, name)(view.astype("f8"), axis=-1)
        check(getattr(jg.asarray(view), name)(axis=-1), reference, "float32")


def test_softmax_does_not_overflow_and_knows_infinities():
    x = np.array([[1000.0, 1000.0], [-1000.0, 0.0], [-np.inf, 1.0]], "f4")
    np.testing.assert_array_equal(jg.softmax(x, axis=1), [[0.5, 0.5], [0, 1], [0, 1]])
    assert np.isnan(np.asarray(jg.softmax([np.nan, 1.0]))).all()


def test_softmax_of_nothing_is_nothing():
    assert jg.softmax(np.zeros((0, 3), "f4"), axis=1).shape == (0, 3)
    assert jg.softmax(np.zeros((3, 0), "f4"), axis=1).shape == (3, 0)


def test_softmax_of_integers_is_float32():
    check(jg.softmax([1, 2, 3]), scipy.special.softmax([1.0, 2.0, 3.0]), "float32")


def reference_norm(x, weight, bias, eps, centred):
    x = x.astype("f8")
    if centred:
        x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    x = x if weight is None else x * weight.astype("f8")
    return x if bias is None else x + bias.astype("f8")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES[1:])
@pytest.mark.parametrize("with_weight", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
def test_norms_are_those_of_the_formula(shape, dtype, with_weight, with_bias):
    x = sample(shape, dtype, scale=3)
    weight = sample(shape[-1:], dtype, 1, scale=3) if with_weight else None
    bias = sample(shape[-1:], dtype, 2, scale=3) if with_bias else None
    reference = reference_norm(x, weight, bias, 1e-5, True)
    check(jg.fast.layer_norm(x, weight, bias, 1e-5), reference, dtype)
    if not with_bias:
        reference = reference_norm(x, weight, None, 1e-5, False)
        check(jg.fast.rms_norm(x, weight, 1e-5), reference, dtype)


@pytest.mark.parametrize("x", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("weight", ["float16", "bfloat16", "float32"])
def test_a_weight_takes_part_in_the_dtype_as_in_mlx(x, weight):
    mine = [jg.ones((2, 4), dtype=x), jg.full((4,), 3.0, dtype=weight)]
    theirs = [mx.ones((2, 4), dtype=getattr(mx, x)), mx.full((4,), 3.0, getattr(mx, weight))]
    for name, rest in (("rms_norm", (1e-5,)), ("layer_norm", (None, 1e-5))):
        found = getattr(jg.fast, name)(*mine, *rest)
        wanted = getattr(mx.fast, name)(*theirs, *rest)
        assert str(found.dtype).split(".")[-1] == str(wanted.dtype).split(".")[-1]
    biased = jg.fast.layer_norm(mine[0], None, mine[1], 1e-5)
    assert biased.dtype == jg.result_type(x, weight)


def test_a_wide_weight_keeps_half_precision_from_overflowing():
    found = jg.fast.rms_norm(jg.ones((1, 4), dtype=jg.float16), jg.full((4,), 1e5), 0.0)
    assert found.dtype == jg.float32
    np.testing.assert_allclose(np.asarray(found), 1e5, rtol=1e-6)


def test_wrong_arguments_are_named():
    x = jg.ones((2, 3))
    with pytest.raises(ValueError, match=r"weight: got shape \(2,\), allowed is \(3,\)"):
        jg.fast.rms_norm(x, jg.ones(2), 1e-5)
    with pytest.raises(ValueError, match=r"\[layer_norm\] bias"):
        jg.fast.layer_norm(x, None, jg.ones((1, 3)), 1e-5)
    with pytest.raises(ValueError, match=r"\[layer_norm\] x: got 0 axes"):
        jg.fast.layer_norm(jg.array(1.0), None, None, 1e-5)
    with pytest.raises(IndexError, match="axis"):
        jg.softmax(x, axis=2)
    with pytest.raises(TypeError, match="eps: got str"):
        jg.fast.rms_norm(x, None, "small")
