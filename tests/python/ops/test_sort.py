# SPDX-License-Identifier: Apache-2.0
"""sort and argsort, bit by bit as a stable sort of NumPy's gives them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, layouts, to_joggle, to_numpy
from ordering import descending_order, order, sample

import joggle as jg

LENGTHS = [1, 2, 15, 17, 64, 200, 257, 700, 3000]


def check(x, dtype):
    """Both, in both directions, of a vector."""
    given = to_joggle(x)
    for descending, places in ((False, order(x)), (True, descending_order(x))):
        found = jg.argsort(given, descending=descending)
        assert found.dtype == jg.dtype("int64")
        np.testing.assert_array_equal(np.asarray(found), places)
        values = jg.sort(given, descending=descending)
        assert values.dtype == jg.dtype(dtype)
        assert to_numpy(values).tobytes() == x[places].tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_lines_of_any_length_are_sorted_stably(dtype):
    for count in LENGTHS:
        for few in (False, True):
            check(sample(dtype, count, few), dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float16", "float32", "int64", "complex64"])
def test_long_lines_are_sorted_by_several_threads(dtype):
    check(sample(dtype, 150_000, False), dtype)
    check(sample(dtype, 100_000, True), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_odd_layouts_are_sorted_along_any_axis(dtype):
    for x, reference in layouts(dtype):
        for axis in (0, 1, -1):
            expected = np.sort(reference, axis, kind="stable")
            np.testing.assert_array_equal(to_numpy(jg.sort(x, axis=axis)), expected)
            found = np.asarray(jg.argsort(x, axis=axis))
            np.testing.assert_array_equal(found, np.argsort(reference, axis, kind="stable"))
        flat = np.sort(reference, None, kind="stable")
        np.testing.assert_array_equal(to_numpy(jg.sort(x, axis=None)), flat)


@given(
    shape=st.lists(st.integers(0, 9), min_size=1, max_size=4),
    seed=st.integers(0, 2**31),
    data=st.data(),
)
def test_any_shape_is_sorted(shape, seed, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(seed).integers(-3, 3, shape, "i2")
    np.testing.assert_array_equal(np.asarray(jg.sort(jg.array(x), axis)), np.sort(x, axis))
    found = np.asarray(jg.argsort(jg.array(x), axis))
    np.testing.assert_array_equal(found, np.argsort(x, axis, kind="stable"))


@given(st.lists(st.floats(width=32), max_size=600))
def test_any_floats_are_sorted(numbers):
    check(np.array(numbers, "f4"), "float32")


@pytest.mark.parametrize("dtype", ["int64", "float64", "uint64"])
def test_places_of_wide_numbers_are_right_where_high_bits_are_equal(dtype):
    near = np.random.default_rng(5).integers(0, 1000, 5000).astype("u8")
    ends = np.array([0, 2**62, 2**63 - 2000], "u8")
    bits = near + ends[np.random.default_rng(6).integers(0, 3, near.size)]
    x = bits.view(dtype) if dtype != "float64" else (bits >> np.uint64(2)).view(dtype)
    check(x, dtype)


@pytest.mark.parametrize("pattern", ["sorted", "reversed", "equal", "steps", "organ pipes"])
def test_patterns_are_sorted(pattern):
    count = np.arange(100_000)
    x = {
        "sorted": count,
        "reversed": count[::-1],
        "equal": count * 0 + 7,
        "steps": count // 1000 * 1000,
        "organ pipes": np.minimum(count, count[::-1]),
    }[pattern]
    for dtype in ("int32", "int64", "float32"):
        check(x.astype(dtype), dtype)
    smallest = np.full(70_000, np.iinfo("i4").min, "i4")
    check(np.where(x[:70_000] % 3 == 0, smallest, np.iinfo("i4").max), "int32")


def test_complex_numbers_with_nan_go_behind_the_others():
    nan = np.nan
    x = np.array([complex(nan, nan), 1 + 2j, complex(nan, 1), complex(1, nan), 1 + 1j, 9j], "c16")
    for dtype in ("complex64", "complex128"):
        check(np.tile(x, 7).astype(dtype), dtype)
        expected = np.sort(x.astype(dtype))
        np.testing.assert_array_equal(to_numpy(jg.sort(jg.array(x.astype(dtype)))), expected)


def test_many_short_lines_are_sorted():
    for count in (1, 3, 16, 100):
        x = np.random.default_rng(count).standard_normal((3000, count)).astype("f4")
        np.testing.assert_array_equal(np.asarray(jg.sort(jg.array(x))), np.sort(x))
        np.testing.assert_array_equal(
            np.asarray(jg.argsort(jg.array(x), axis=0)), np.argsort(x, 0, kind="stable")
        )


def test_what_is_computed_is_sorted_lazily():
    x = jg.array(np.float32([3, 1, 2]))
    np.testing.assert_array_equal(np.asarray(jg.sort(x * 2) + 1), [3, 5, 7])
    assert x.argsort().tolist() == [1, 2, 0]
    assert x.sort(descending=True).tolist() == [3, 2, 1]


def test_nothing_is_sorted_to_nothing():
    assert jg.sort(jg.zeros(0)).shape == (0,)
    assert jg.sort(jg.zeros((3, 0))).shape == (3, 0)
    assert jg.argsort(jg.zeros((0, 3)), axis=0).shape == (0, 3)
    assert jg.sort(jg.array(3.0), axis=None).tolist() == [3.0]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.sort(jg.zeros(3), axis=1), IndexError, "axis: got 1"),
        (lambda: jg.argsort(jg.array(3)), IndexError, "axis: got -1 for a 0-d array"),
        (lambda: jg.sort(jg.zeros(3, dtype="float8_e4m3fn")), TypeError, "stored and exchanged"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_one_thread_sorts_as_several_do():
    x = jg.array(np.random.default_rng(0).integers(0, 2**40, 200_000))
    threads = jg.get_num_threads()
    try:
        found = []
        for count in (1, 3):
            jg.set_num_threads(count)
            found.append((jg.sort(x).tolist(), jg.argsort(x).tolist()))
    finally:
        jg.set_num_threads(threads)
    assert found[0] == found[1]


@pytest.mark.parametrize("lines", [15, 16, 19])
@pytest.mark.parametrize("dtype", ["float32", "int64", "float64"])
def test_many_long_lines_are_sorted_side_by_side(lines, dtype):
    """From 16 on each is one thread's."""
    rng = np.random.default_rng(lines)
    x = rng.integers(-(1 << 40), 1 << 40, (1 << 16 | 5, lines)).astype(dtype)
    if dtype != "int64":
        x[7, 0], x[8, 1], x[9, 1] = np.nan, -0.0, np.inf
    ours = jg.asarray(x)
    np.testing.assert_array_equal(np.asarray(jg.sort(ours, axis=0)), np.sort(x, axis=0))
    right = np.argsort(x, axis=0, kind="stable")
    np.testing.assert_array_equal(np.asarray(jg.argsort(ours, axis=0)), right)
    top = np.asarray(jg.partition(ours, 100, axis=0))
    np.testing.assert_array_equal(top[100], np.sort(x, axis=0)[100])
    assert (top[:100] <= top[100]).all()
    assert not (top[100:] < top[100]).any()
