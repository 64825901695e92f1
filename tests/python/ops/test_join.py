# SPDX-License-Identifier: Apache-2.0
"""Arrays joined: concat, stack, hstack and vstack, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, assert_same, layouts, numpy_dtype, to_joggle, values

import joggle as jg


@pytest.mark.parametrize("dtype", DTYPES)
def test_odd_layouts_are_joined_along_each_axis(dtype):
    for x, reference in layouts(dtype):
        for axis in (0, 1, -1, None):
            ours = jg.concat([x, x[::-1], x], axis=axis)
            assert_same(ours, np.concatenate([reference, reference[::-1], reference], axis))
        assert_same(jg.stack([x, x], axis=-1), np.stack([reference, reference], -1))


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.lists(st.integers(0, 5), min_size=1, max_size=6),
    st.data(),
)
def test_extents_of_any_size_are_joined(shape, extents, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    arrays = []
    for extent in extents:
        shape[axis] = extent
        arrays.append(values(tuple(shape), "i2", seed=len(arrays)))
    assert_same(jg.concat(list(map(jg.array, arrays)), axis=axis), np.concatenate(arrays, axis))


def test_a_thousand_arrays_are_joined():
    arrays = [np.full((3, i % 4), i, "i4") for i in range(1000)]
    assert_same(jg.concat(arrays, axis=1), np.concatenate(arrays, axis=1))


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "f8", "c16"])
@pytest.mark.parametrize(("count", "rows"), [(65, 1), (65, 129), (70, 1000), (900, 17), (300, 300)])
def test_many_narrow_slabs_are_joined(dtype, count, rows):
    """In bands of rows, several units of them, dense and as views, from addresses of any kind."""
    arrays = [values((rows + 1,), dtype, seed=i % 7)[1:] for i in range(count)]
    ours = [jg.array(a) for a in arrays]
    assert_same(jg.stack(ours, axis=-1), np.stack(arrays, -1))
    turned = [a[::-1] for a in arrays[:-1]]
    assert_same(
        jg.stack([x[::-1] for x in ours[:-1]] + ours[-1:], axis=1),
        np.stack([*turned, arrays[-1]], 1),
    )


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "f8", "c16"])
def test_slabs_of_any_width_are_joined(dtype):
    for rows in (1, 5, 200):
        arrays = [values((rows, 1 + i % 41), dtype, seed=i) for i in range(90)]
        arrays.append(values((rows, 0), dtype, seed=1))
        arrays.append(values((rows, 3000), dtype, seed=2))
        assert_same(jg.concat(list(map(jg.array, arrays)), axis=1), np.concatenate(arrays, axis=1))
        views = [jg.array(np.ascontiguousarray(a.T)).T for a in arrays]
        assert_same(jg.concat(views, axis=1), np.concatenate(arrays, axis=1))


def test_large_arrays_are_joined_by_several_threads():
    arrays = [np.arange(n * 700, dtype="f4").reshape(n, 700) for n in (500, 1, 1300)]
    assert_same(jg.concat(list(map(jg.array, arrays))), np.concatenate(arrays))
    turned = [np.ascontiguousarray(a.T) for a in arrays]
    views = [jg.array(a).T for a in arrays]
    assert_same(jg.concat(views, axis=1), np.concatenate(turned, axis=1))
    assert_same(jg.concat([v + 1 for v in views], axis=1), np.concatenate(turned, axis=1) + 1)


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 1000, 70_001])
def test_items_of_two_arrays_alternate(dtype, count):
    """In whole vectors and what is left of them, from odd addresses on, over several units."""
    a, b = values((count + 3,), dtype, seed=1), values((count + 1,), dtype, seed=2)
    x, y = jg.array(a)[3:], jg.array(b)[1:]
    assert_same(jg.stack([x, y], axis=-1), np.stack([a[3:], b[1:]], -1))
    assert_same(jg.stack([x, y[::-1]], axis=-1), np.stack([a[3:], b[:0:-1]], -1))
    both = [(2 * count, 1), (count, 2), (count, 3)]
    for rows, width in both:
        c, d = values((rows, width), dtype, seed=3), values((rows, width), dtype, seed=4)
        assert_same(jg.concat([jg.array(c), jg.array(d)], axis=1), np.concatenate([c, d], 1))
        wider = np.concatenate([c, d, c], 1)
        assert_same(jg.concat([jg.array(c), jg.array(d), jg.array(c)], axis=1), wider)


def test_dtypes_are_promoted():
    x = jg.concat([jg.array([1, 2], dtype="int8"), jg.array([0.5])])
    assert x.dtype == jg.dtype("float32") and x.tolist() == [1, 2, 0.5]
    assert jg.stack([jg.array(True), jg.array(3, dtype="uint8")]).dtype == jg.dtype("uint8")


def test_dtypes_that_are_only_stored_are_joined():
    x = jg.array(np.arange(8, dtype="u1")).bitcast("float8_e4m3fn")
    assert jg.concat([x, x[::-2]]).bitcast("uint8").tolist() == [*range(8), 7, 5, 3, 1]


def test_stacks_have_their_axes_where_numpy_puts_them():
    for shape in ((), (3,), (2, 3), (2, 3, 4)):
        arrays = [values(shape, "f4", seed) for seed in range(3)]
        ours = list(map(to_joggle, arrays))
        assert_same(jg.hstack(ours), np.hstack(arrays))
        assert_same(jg.vstack(ours), np.vstack(arrays))
        for axis in range(-len(shape) - 1, len(shape) + 1):
            assert_same(jg.stack(ours, axis=axis), np.stack(arrays, axis))


def test_what_is_joined_takes_part_in_further_work():
    x = jg.array(values((4, 5), numpy_dtype("float32")))
    y = jg.concat([x * 2, jg.exp(x)]) + 1
    reference = np.concatenate([np.asarray(x) * 2, np.exp(np.asarray(x))]) + 1
    np.testing.assert_allclose(np.asarray(y), reference, rtol=1e-6)
    parts = jg.split(jg.concat([x, x], axis=1), 2, axis=1)
    assert_same(parts[0] - parts[1], np.zeros((4, 5), "f4"))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.concat([]), ValueError, "got none"),
        (lambda: jg.concat([jg.zeros(())]), IndexError, "axis"),
        (lambda: jg.concat([jg.zeros((2, 3))], axis=2), IndexError, "axis: got 2"),
        (lambda: jg.concat([jg.zeros((2, 3)), jg.zeros((3, 3))], axis=1), ValueError, r"\(3, 3\)"),
        (lambda: jg.concat([jg.zeros((2, 3)), jg.zeros(3)]), ValueError, r"arrays\[1\]"),
        (lambda: jg.concat(5), TypeError, "sequence of arrays"),
        (lambda: jg.stack([jg.zeros(2), jg.zeros(3)]), ValueError, r"arrays\[1\]"),
        (lambda: jg.stack([jg.zeros(2)], axis=2), IndexError, "axis"),
        (lambda: jg.vstack([]), ValueError, "got none"),
        (lambda: jg.hstack([jg.zeros((2, 2)), jg.zeros((3, 2))]), ValueError, r"arrays\[1\]"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
