# SPDX-License-Identifier: Apache-2.0
"""Reductions beyond one case per row: dtypes, corrections, nothing at all, precision, layouts."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as shapes

import joggle as jg


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("source", ["bool", "int8", "uint16", "float32"])
@pytest.mark.parametrize("target", ["int8", "int32", "uint64", "float16", "float64", "complex128"])
@pytest.mark.parametrize("axis", [None, 0, ()])
def test_a_named_dtype_is_that_of_the_arithmetic_and_of_the_result(name, source, target, axis):
    a = (np.arange(12).reshape(3, 4) % 5 + 1).astype(source)
    x = getattr(jg, name)(a, axis=axis, dtype=target)
    reference = getattr(np, name)(a, axis=axis, dtype=target)
    assert x.dtype.name == target
    np.testing.assert_allclose(np.asarray(x), reference, rtol=1e-3 if target == "float16" else 0)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("correction", [0, 1, 1.5, 4, 7])
@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
def test_a_correction_is_taken_from_the_count(name, correction, axis):
    a = np.random.default_rng(1).normal(5, 2, (4, 3, 2))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = getattr(np, name)(a, axis=axis, correction=correction)
    x = getattr(jg.array(a), name)(axis=axis, correction=correction)
    np.testing.assert_allclose(np.asarray(x), reference, rtol=1e-13)


def test_a_variance_far_from_zero_keeps_its_digits():
    a = np.random.default_rng(2).random(10_000, dtype=np.float32) + np.float32(4096)
    exact = np.var(a.astype("f8"))
    assert abs(jg.var(a).item() - exact) / exact < 1e-4  # x * x would have none right


def test_logsumexp_neither_overflows_nor_loses_infinities():
    a = np.array([[1000.0, 1000.0], [-np.inf, -np.inf], [np.inf, 0], [np.nan, 0], [-1e4, -1e4]])
    expected = [1000 + np.log(2), -np.inf, np.inf, np.nan, -1e4 + np.log(2)]
    np.testing.assert_allclose(np.asarray(jg.logsumexp(a, axis=1)), expected, rtol=1e-15)
    np.testing.assert_allclose(
        np.asarray(jg.logsumexp(a[:2], axis=(0, 1), keepdims=True)), [[1000 + np.log(2)]]
    )


def test_over_nothing_each_gives_what_it_begins_with():
    a = np.zeros((3, 0), "float32")
    assert jg.prod(a, axis=1).tolist() == [1, 1, 1]
    assert jg.any(a, axis=1).tolist() == [False] * 3
    assert jg.all(a, axis=1).tolist() == [True] * 3
    assert jg.count_nonzero(a).item() == 0
    assert jg.logsumexp(a, axis=1).tolist() == [-np.inf] * 3
    for name in ("mean", "var", "std"):
        assert np.isnan(np.asarray(getattr(jg, name)(a, axis=1))).all()
    for name in ("max", "min"):
        with pytest.raises(ValueError, match="axis 1 is empty"):
            getattr(jg, name)(a, axis=1)


def test_truth_is_that_of_each_element():
    a = np.array([0.0, np.nan, -0.0, 2.0])
    assert jg.any(a).item() is True and jg.all(a).item() is False
    assert jg.count_nonzero(a).item() == 2
    assert jg.any(np.zeros(5000, "int8")).item() is False
    assert jg.all(np.full(5000, 256, "int16")).item() is True


def test_half_precision_is_accumulated_in_float32():
    ones = np.ones(5000, "float16")
    assert jg.sum(ones).item() == 5000  # one by one it would stop at 2048
    assert jg.var(np.tile(np.array([0, 2], "float16"), 40_000)).item() == 1
    assert jg.prod(np.array([60000, 4, 0.25], "float16")).item() == 60000


def test_wrong_arguments_are_named():
    x = jg.ones((2, 3))
    with pytest.raises(TypeError, match="complex"):
        jg.logsumexp(jg.array([1j]))
    with pytest.raises(IndexError, match="axis"):
        jg.prod(x, axis=2)
    with pytest.raises(ValueError, match="axis"):
        jg.any(x, axis=(0, 0))
    with pytest.raises(TypeError):
        jg.std(x, correction="1")


REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "mean", "var", "count_nonzero"]


@st.composite
def strided(draw):
    """An array of any shape whose axes are permuted, reversed and skipped through."""
    shape = draw(shapes.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=9))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
    extents = [n * abs(step) for n, step in zip(shape, steps, strict=True)]
    base = np.random.default_rng(7).integers(-3, 4, extents)
    a = base.astype(draw(st.sampled_from(["float32", "float64", "int16", "int64", "bool"])))
    a = a[(*(slice(None, None, step) for step in steps), ...)]
    a = a.transpose(draw(st.permutations(range(a.ndim))))
    if draw(st.booleans()) and a.ndim:
        a = np.broadcast_to(a[..., :1], a.shape)
    return a, draw(st.sets(st.integers(0, max(a.ndim - 1, 0))) if a.ndim else st.just(set()))


@settings(max_examples=300)
@given(strided(), st.sampled_from(REDUCTIONS), st.booleans())
def test_any_layout_and_any_axes_give_what_numpy_gives(case, name, keepdims):
    a, axes = case
    axes = tuple(axes)
    exact = a.astype("f8") if name in ("mean", "var") else a
    if name == "prod":  # beyond it the order decides which of inf, 0 and NaN it is
        assume(np.abs(a[a != 0], dtype="f8").prod() < 1e38)
    reference = getattr(np, name)(exact, axis=axes, keepdims=keepdims)
    x = getattr(jg, name)(jg.from_dlpack(a), axis=axes, keepdims=keepdims)
    assert x.shape == np.shape(reference)
    np.testing.assert_allclose(np.asarray(x), reference, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_long_float32_sum_is_as_exact_as_numpys(axis):
    a = np.random.default_rng(3).random((1000, 3001), dtype=np.float32)
    exact = a.sum(axis=axis, dtype="f8")
    ours = np.abs(np.asarray(jg.sum(a, axis=axis)).astype("f8") - exact).max()
    assert ours <= max(np.abs(a.sum(axis=axis).astype("f8") - exact).max(), np.spacing(exact.max()))
