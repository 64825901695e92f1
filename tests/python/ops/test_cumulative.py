# SPDX-License-Identifier: Apache-2.0
"""Running sums, products, extrema and logarithms of sums, against NumPy's accumulate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, REAL, layouts, numpy_dtype, to_joggle, to_numpy, values

import joggle as jg

OPS = {
    "cumsum": (np.add, 0),
    "cumprod": (np.multiply, 1),
    "cummax": (np.maximum, -np.inf),
    "cummin": (np.minimum, np.inf),
    "logcumsumexp": (np.logaddexp, -np.inf),
}
FLOATS = ["float16", "bfloat16", "float32", "float64"]
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-13}
TAKES = {
    "cumsum": DTYPES,
    "cumprod": DTYPES,
    "cummax": REAL,
    "cummin": REAL,
    "logcumsumexp": FLOATS,
}


def lowest(dtype, name):
    """What a maximum (or minimum) of nothing is, in the dtype."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if name == "cummax" else info.max
    if dtype.kind == "b":
        return name == "cummin"
    return OPS[name][1]


def accumulate(name, x, axis, reverse=False, inclusive=True):
    """The reference, in a dtype that holds what the running op over x may give."""
    ufunc, start = OPS[name]
    wide = x
    if name.startswith("cumm"):
        start = lowest(x.dtype, name)
    elif x.dtype.kind in "biu":
        wide = x.astype("u8" if x.dtype.kind == "u" else "i8")
    if x.dtype.kind not in "biu":
        wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
    if reverse:
        wide = np.flip(wide, axis)
    result = ufunc.accumulate(wide, axis, dtype=wide.dtype)
    if not inclusive:
        first = np.full_like(np.take(result, [0], axis), start)
        result = np.concatenate([first, np.delete(result, -1, axis)], axis)
    return np.flip(result, axis) if reverse else result


def check(found, reference, dtype):
    found = to_numpy(found)
    assert found.shape == reference.shape
    wide = "c16" if found.dtype.kind == "c" else "f8"
    tolerance = TOLERANCE.get(dtype, 1e-6 if dtype == "complex64" else 0)
    if tolerance:
        found = found.astype(wide)
    np.testing.assert_allclose(found, reference, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name, dtype", [(name, dtype) for name in OPS for dtype in TAKES[name]])
def test_odd_layouts_are_summed_in_both_directions(name, dtype):
    for x, reference in layouts(dtype):
        if name == "cumprod":
            x, reference = x[:3], reference[:3]
        for axis in (0, 1, -1):
            for reverse, inclusive in ((False, True), (True, True), (False, False), (True, False)):
                found = getattr(jg, name)(x, axis=axis, reverse=reverse, inclusive=inclusive)
                check(found, accumulate(name, reference, axis, reverse, inclusive), dtype)
    if name != "cumprod":
        check(getattr(jg, name)(x), accumulate(name, reference.ravel(), 0), dtype)


@pytest.mark.parametrize("name", OPS)
@given(shape=st.lists(st.integers(1, 6), min_size=1, max_size=4), data=st.data())
def test_any_shape_works(name, shape, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = values(tuple(shape), "f4")
    check(getattr(jg, name)(jg.array(x), axis), accumulate(name, x, axis), "float32")


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("count", [8191, 32768, 100_003])
def test_long_lines_are_cut_into_blocks(name, count):
    x = np.random.default_rng(count).standard_normal((2, count)).astype("f4")
    if name == "cumprod":
        x = np.exp(x / 100)
    tolerance = 1e-5 if name == "cumprod" else 2e-6
    for reverse, inclusive in ((False, True), (True, False)):
        found = getattr(jg, name)(jg.array(x), 1, reverse, inclusive)
        expected = accumulate(name, x, 1, reverse, inclusive)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=tolerance, atol=1e-4)
    turned = getattr(jg, name)(jg.array(x).T, 0)
    np.testing.assert_array_equal(
        np.asarray(turned).T, np.asarray(getattr(jg, name)(jg.array(x), 1))
    )


@pytest.mark.parametrize("name", ["cumsum", "cummax"])
@pytest.mark.parametrize("shape, axis", [((700, 1300), 0), ((700, 1300), 1), ((3, 900, 520), 1)])
def test_large_arrays_are_shared_by_several_threads(name, shape, axis):
    x = np.random.default_rng(0).integers(-1000, 1000, shape, "i4")
    check(getattr(jg, name)(jg.array(x), axis), accumulate(name, x, axis), "int32")


def test_a_sum_that_rises_never_falls_between_blocks():
    x = np.random.default_rng(1).random(200_000, "f4")
    assert (np.diff(np.asarray(jg.cumsum(jg.array(x)))) >= 0).all()


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_standards_cumulative_functions_are_numpys(name, dtype):
    x = values((3, 4, 5), numpy_dtype(dtype))
    for axis in (0, 1, -1):
        for initial in (False, True):
            found = getattr(jg, name)(to_joggle(x), axis=axis, include_initial=initial)
            wide = x.astype("f8") if dtype in FLOATS else x
            expected = getattr(np, name)(wide, axis=axis, include_initial=initial)
            check(found, expected, dtype)


def test_the_dtype_may_be_chosen():
    x = jg.array([100, 100, 100], dtype="int8")
    assert jg.cumulative_sum(x).dtype == jg.dtype("int64")
    assert jg.cumulative_sum(x, dtype="int8").tolist() == [100, -56, 44]
    assert jg.cumulative_prod(x, dtype="float64", include_initial=True).tolist() == [
        1,
        100,
        1e4,
        1e6,
    ]
    assert jg.cumsum(x, dtype="uint16").dtype == jg.dtype("uint16")


def test_empty_lines_give_empty_lines_or_what_comes_first():
    assert jg.cumsum(jg.zeros(0)).shape == (0,)
    assert jg.cumsum(jg.zeros((3, 0)), axis=0).shape == (3, 0)
    assert jg.cumulative_sum(jg.zeros((2, 0)), axis=1, include_initial=True).tolist() == [[0], [0]]
    assert jg.cumulative_prod(jg.zeros(0), include_initial=True).tolist() == [1]
    assert jg.cummax(jg.array(3.0)).tolist() == [3.0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_and_infinity_go_on_as_in_numpy(dtype):
    special = np.array([1, np.inf, 2, -np.inf, np.nan, 3, -np.inf], "f4")
    for x in (special, special[:3], special[::-1], special[3:4], special[[3, 3, 0, 1, 1]]):
        for name in ("cummax", "cummin", "logcumsumexp", "cumsum"):
            with np.errstate(invalid="ignore"):
                check(getattr(jg, name)(jg.array(x).astype(dtype)), accumulate(name, x, 0), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("layout", ["dense", "strided", "between"])
def test_extrema_of_lines_cut_in_pieces_are_right(dtype, count, layout):
    """Lines are computed by fours, in pieces of 64 elements: fewer lines, NaN, -0 and infinities
    in each piece, elements that lie apart, and an axis between others."""
    rng = np.random.default_rng(count)
    for lines in (1, 3, 4, 9):
        a = rng.standard_normal((lines, count, 2)).astype("f4")
        a[rng.random(a.shape) < 0.01] = np.nan
        a[rng.random(a.shape) < 0.05] = -0.0
        a[rng.random(a.shape) < 0.02] = rng.choice([np.inf, -np.inf])
        x = jg.array(a, dtype=getattr(jg, dtype))
        exact = np.asarray(x.astype(jg.float64))
        if layout != "between":
            part = slice(0, 1) if layout == "dense" else 0
            x, exact = x[..., part].reshape(lines, count), exact[..., part].reshape(lines, count)
        if layout == "strided":
            x, exact = x[:, ::-1], exact[:, ::-1]
        for name in ("cummax", "cummin"):
            for reverse in (False, True):
                found = getattr(jg, name)(x, axis=1, reverse=reverse).astype(jg.float64)
                np.testing.assert_array_equal(
                    np.asarray(found), accumulate(name, exact, 1, reverse), strict=True
                )


def test_minus_zero_stays():
    assert np.signbit(np.asarray(jg.cumsum(jg.array([-0.0, -0.0])))).all()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.cumsum(jg.zeros(3), axis=1), IndexError, "axis: got 1"),
        (
            lambda: jg.cumulative_sum(jg.zeros((2, 2))),
            ValueError,
            "x with 2 axes, allowed for one axis only",
        ),
        (lambda: jg.cummax(jg.zeros(3, dtype="complex64")), TypeError, "complex64"),
        (lambda: jg.logcumsumexp(jg.zeros(3, dtype="complex64")), TypeError, "complex64"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("shape", [(300, 1030), (700, 9000), (3, 400, 517)])
def test_running_sums_of_columns_do_not_depend_on_the_number_of_threads(shape, threads):
    values = np.random.default_rng(7).standard_normal(shape)
    reference = jg.cumsum(values, axis=-2)
    jg.set_option("num_threads", str(threads))
    try:
        result = np.asarray(jg.cumsum(values, axis=-2))
    finally:
        jg.set_option("num_threads", "0")
    np.testing.assert_array_equal(result, np.asarray(reference))
    np.testing.assert_allclose(result, np.cumsum(values, axis=-2), rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("lines", [3, 8, 29, 1003])
@pytest.mark.parametrize("length", [2, 4, 7, 8, 16, 17, 32, 33, 64, 69, 1024, 2051])
def test_lines_that_follow_each_other_have_the_bits_of_others(name, lines, length):
    """Taken together, in blocks of eight where vectors hold eight doubles; others are strided."""
    rng = np.random.default_rng(length)
    x = rng.uniform(0.5, 1.5, (lines, length)).astype(np.float32) * rng.choice([-1, 1], length)
    x = x.astype(np.float32)
    x[0] = -0.0
    x[1, length // 2] = np.nan
    x[2, 1:] = np.inf, *[0.0] * (length - 2)
    op = getattr(jg, "cumulative_sum" if name == "cumsum" else "cumulative_prod")
    apart = jg.asarray(np.repeat(x, 2, axis=1))[:, ::2]
    found = np.asarray(op(jg.asarray(x), axis=1))
    assert found.tobytes() == np.asarray(op(apart, axis=1)).tobytes()
    with np.errstate(all="ignore"):
        right = OPS[name][0].accumulate(x.astype(np.float64), axis=1).astype(np.float32)
    np.testing.assert_array_equal(found, right)
    assert np.signbit(found[0]).tolist() == np.signbit(right[0]).tolist()
