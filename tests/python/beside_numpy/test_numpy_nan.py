# SPDX-License-Identifier: Apache-2.0
"""Reductions that leave NaN out, beside NumPy's: by axes, of rows of NaN alone, by every method."""

import warnings

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(7)
METHODS = """linear lower higher nearest midpoint inverted_cdf averaged_inverted_cdf
closest_observation interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased"""


def with_holes(*shape):
    """Numbers with NaN among them: a row of nothing else, and one of a single number."""
    x = RNG.normal(size=shape)
    x[RNG.random(shape) < 0.3] = np.nan
    x[0] = np.nan
    x[-1, ..., 1:] = np.nan
    return x


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (0, 1, 2)])
@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"]
)
def test_reductions_over_any_axis_leave_nan_out(name, axis):
    x = with_holes(4, 5, 6)
    for keepdims in (False, True):
        ours = getattr(jg, name)(x, axis=axis, keepdims=keepdims)
        wanted = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(ours, wanted, rtol=1e-12, strict=True)


@pytest.mark.parametrize("method", METHODS.split())
@pytest.mark.parametrize("axis", [None, 0, -1, (1, 2)])
def test_quantiles_by_every_method_leave_nan_out(method, axis):
    x, q = with_holes(4, 5, 6), np.array([0.0, 0.3, 0.5, 1.0])
    for name, shares in (("nanquantile", q), ("nanpercentile", q * 100), ("nanquantile", 0.3)):
        ours = getattr(jg, name)(x, shares, axis=axis, method=method)
        wanted = getattr(np, name)(x, shares, axis=axis, method=method)
        np.testing.assert_allclose(ours, wanted, rtol=1e-12, strict=True)


def test_percentiles_are_quantiles_of_hundredths():
    x = RNG.normal(size=(7, 5))
    np.testing.assert_allclose(
        jg.percentile(x, [5, 50], axis=0), np.percentile(x, [5, 50], axis=0), rtol=1e-12
    )
    with pytest.raises(ValueError, match=r"\[percentile\] q: got 101, allowed 0 to 100"):
        jg.percentile(x, 101)
    with pytest.raises(ValueError, match=r"\[nanquantile\] method: got 'mid', allowed are"):
        jg.nanquantile(x, 0.5, method="mid")
    with pytest.raises(ValueError, match=r"\[nanpercentile\] x: has no elements along axis"):
        jg.nanpercentile(x[:0], 5, axis=0)


@pytest.mark.parametrize("correction", [0, 1, 4, 5])
def test_corrections_beyond_the_count_give_nan(correction):
    x = with_holes(6, 5)
    wanted = np.nanvar(x, axis=1, ddof=correction)
    np.testing.assert_allclose(jg.nanvar(x, axis=1, correction=correction), wanted, rtol=1e-12)
    np.testing.assert_allclose(jg.nanstd(x, axis=1, ddof=correction), np.sqrt(wanted), rtol=1e-12)


def test_complex_numbers_are_nan_by_either_part():
    x = np.array([1 + 2j, complex(np.nan, 1), complex(1, np.nan), 3j])
    for name in ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nancumsum", "nancumprod"):
        np.testing.assert_allclose(getattr(jg, name)(x), getattr(np, name)(x), rtol=1e-12)


def test_places_and_running_results_leave_nan_out():
    x = with_holes(4, 5)[1:]
    x[:, 0] = RNG.normal(size=3)
    for name in ("nanargmax", "nanargmin"):
        np.testing.assert_array_equal(getattr(jg, name)(x, axis=1), getattr(np, name)(x, axis=1))
    for name in ("nancumsum", "nancumprod"):
        ours, wanted = getattr(jg, name)(x, axis=0), getattr(np, name)(x, axis=0)
        np.testing.assert_allclose(ours, wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32"])
def test_integers_go_to_the_op_itself(dtype):
    x = RNG.integers(0, 2, (3, 4)).astype(dtype)
    for name in ("sum", "prod", "max", "min", "mean", "median", "argmax", "cumsum"):
        ours, plain = getattr(jg, "nan" + name)(x), getattr(jg, name)(x)
        assert ours.dtype == plain.dtype
        np.testing.assert_array_equal(ours, plain)


def test_nothing_has_no_extremum():
    for name in ("nanmax", "nanmin", "ptp", "nanargmax"):
        with pytest.raises(ValueError):
            getattr(jg, name)(np.ones((0, 3)))
    assert jg.nansum(np.ones((0, 3))).item() == 0 and np.isnan(jg.nanmean(np.ones(0)).item())


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_sums_are_made_in_the_dtype_asked_for(name):
    x = with_holes(4, 5).astype("float32")
    wanted = getattr(np, name)(x.astype("float64"), axis=0)
    for function in (getattr(jg, name), getattr(np, name)):
        found = function(jg.asarray(x), axis=0, dtype="float64")
        assert isinstance(found, jg.array) and found.dtype == jg.float64
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-14)
    assert getattr(jg, name)(x, dtype=None).dtype == jg.float32
    with pytest.raises(TypeError, match=rf"\[{name}\] dtype: got int32, allowed are floats"):
        getattr(jg, name)(x, dtype="int32")


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_shares_have_numpys_name(name):
    x = jg.asarray(RNG.normal(size=(4, 5)))
    for call in (getattr(jg, name), getattr(type(x), name)):
        assert call(x, q=0.3, axis=1).tolist() == call(x, 0.3, axis=1).tolist()
