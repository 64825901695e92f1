# SPDX-License-Identifier: Apache-2.0
"""Views: other shapes, orders and elements over the same memory, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import DTYPES, assert_same, layouts, to_joggle, values

import joggle as jg

SHARED = {
    "swapaxes": (lambda m, x: m.swapaxes(x, 0, -1)),
    "moveaxis": (lambda m, x: m.moveaxis(x, 0, 2)),
    "moveaxis of several": (lambda m, x: m.moveaxis(x, (0, -1), (1, 0))),
    "flip": (lambda m, x: m.flip(x)),
    "flip of axes": (lambda m, x: m.flip(x, axis=(0, -1))),
    "rot90": (lambda m, x: m.rot90(x)),
    "rot90 the other way": (lambda m, x: m.rot90(x, -1, (1, 2))),
    "rot90 twice": (lambda m, x: m.rot90(x, 2, axes=(2, 0))),
    "ravel": (lambda m, x: m.ravel(x)),
    "diagonal": (lambda m, x: m.diagonal(x)),
    "diagonal above": (lambda m, x: m.diagonal(x, 2, 1, 2)),
    "diagonal below": (lambda m, x: m.diagonal(x, offset=-2, axis1=-1, axis2=0)),
    "diagonal outside": (lambda m, x: m.diagonal(x, 100)),
    "atleast_1d": (lambda m, x: m.atleast_1d(x)),
}


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("dtype", ["float32", "int8", "bfloat16", "complex128"])
def test_a_view_has_the_elements_that_numpys_has(name, dtype):
    for x, reference in layouts(dtype):
        assert_same(SHARED[name](jg, x), SHARED[name](np, reference))


@pytest.mark.parametrize("dtype", ["bool", "int16", "bfloat16", "float64", "complex128"])
def test_strides_are_bytes_as_numpys_are(dtype):
    for x, reference in layouts(dtype):
        extents = [extent > 1 and x.size > 0 for extent in x.shape]
        steps = zip(x.strides, np.asarray(x).strides, reference.strides, extents, strict=True)
        assert all(ours == view for ours, view, _, counts in steps if counts)
    a = values((3, 4, 2), dtype)
    assert jg.array(a).strides == a.strides
    assert jg.array(a)[::-2, 1:].strides == a[::-2, 1:].strides


@pytest.mark.parametrize("dtype", DTYPES)
def test_trace_sums_the_diagonal(dtype):
    for x, reference in layouts(dtype):
        traced = np.asarray(x.trace(1, 0, 2).astype("complex128"))
        np.testing.assert_array_equal(traced, np.trace(reference.astype("c16"), 1, 0, 2))
    assert x.trace(dtype="float64").dtype == jg.dtype("float64")


shapes = st.lists(st.integers(0, 4), max_size=5).map(tuple)


@given(shapes, st.data())
def test_axes_of_any_shape_move_as_numpys_do(shape, data):
    reference = values(shape, "i4")
    x = jg.array(reference)
    order = data.draw(st.permutations(range(len(shape))))
    count = data.draw(st.integers(0, len(shape)))
    assert_same(
        jg.moveaxis(x, order[:count], range(count)),
        np.moveaxis(reference, order[:count], range(count)),
    )
    assert_same(jg.flip(x, order[:count]), np.flip(reference, tuple(order[:count])))
    if len(shape) >= 2:
        a, b = order[:2]
        k = data.draw(st.integers(-5, 5))
        assert_same(jg.swapaxes(x, a, b), np.swapaxes(reference, a, b))
        assert_same(jg.rot90(x, k, (a, b)), np.rot90(reference, k, (a, b)))
        assert_same(jg.diagonal(x, k, a, b), np.diagonal(reference, k, a, b))


@given(shapes, st.data())
def test_flatten_and_unflatten_undo_each_other(shape, data):
    reference = values(shape, "i2")
    x = jg.array(reference)
    if not shape:
        assert_same(x.flatten(), reference.reshape(1))
        return
    first = data.draw(st.integers(0, len(shape) - 1))
    last = data.draw(st.integers(first, len(shape) - 1))
    flat = x.flatten(first, last - len(shape))
    assert flat.shape == (*shape[:first], np.prod(shape[first : last + 1]), *shape[last + 1 :])
    assert_same(flat.unflatten(first, shape[first : last + 1]), reference)


def test_unflatten_works_out_one_extent():
    assert jg.zeros((2, 12)).unflatten(1, (3, -1)).shape == (2, 3, 4)
    with pytest.raises(ValueError, match="does not hold 12"):
        jg.zeros((2, 12)).unflatten(-1, (5, -1))


def test_views_share_memory():
    x = jg.array(np.arange(24.0).reshape(2, 3, 4))
    start = np.asarray(x).ctypes.data
    for view in (
        x.swapaxes(0, 1),
        x.flatten(),
        x.ravel(),
        x.diagonal(),
        x.moveaxis(0, 1),
        x.split(2)[0],
        jg.as_strided(x, (2, 2), (1, 1)),
        x.view("uint8"),
        x.contiguous(),
        jg.broadcast_arrays(x, jg.zeros(()))[0],
    ):
        assert np.from_dlpack(view).ctypes.data == start


@pytest.mark.parametrize("count", [1, 2, 3, [2], [], [1, 1, 4], [-2, 9], [3, 1]])
def test_split_cuts_where_numpy_does(count):
    for x, reference in layouts("int32"):
        axis = reference.shape.index(6) if 6 in reference.shape else 0
        if isinstance(count, int) and reference.shape[axis] % count:
            continue
        parts = jg.split(x, count, axis=axis)
        for part, expected in zip(parts, np.split(reference, count, axis), strict=True):
            assert_same(part, expected)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 11, [2, 5], [-1, 9, 3]])
def test_array_split_cuts_where_numpy_does(count):
    for x, reference in layouts():
        for axis in (0, 1, -1):
            parts = jg.array_split(x, count, axis=axis)
            expected = np.array_split(reference, count, axis)
            assert len(parts) == len(expected)
            for part, wanted in zip(parts, expected, strict=True):
                assert_same(part, wanted)


def test_split_may_make_hundreds_of_parts():
    parts = jg.split(jg.arange(1000), list(range(1, 1000)))
    assert len(parts) == 1000 and parts[500].tolist() == [500]


def test_unstack_gives_rows_without_their_axis():
    for x, reference in layouts():
        for row, expected in zip(jg.unstack(x, axis=1), np.unstack(reference, axis=1), strict=True):
            assert_same(row, expected)


def test_arrays_are_broadcast_together():
    arrays = [values((3, 1), "f4"), values((), "i4"), values((2, 1, 4), "bool")]
    found = jg.broadcast_arrays(*map(jg.array, arrays))
    assert isinstance(found, tuple)
    for x, expected in zip(found, np.broadcast_arrays(*arrays), strict=True):
        assert_same(x, expected)
    assert jg.broadcast_arrays() == ()


@pytest.mark.parametrize("rank", ["1d", "2d", "3d"])
def test_atleast_puts_new_axes_where_numpy_does(rank):
    arrays = [values((2, 3, 4, 5)[:ndim], "f4") for ndim in range(5)]
    ours, numpys = getattr(jg, f"atleast_{rank}"), getattr(np, f"atleast_{rank}")
    for x, expected in zip(ours(*map(jg.array, arrays)), numpys(*arrays), strict=True):
        assert_same(x, expected)
    assert_same(ours(3.5), numpys(np.float32(3.5)))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sparse", [False, True])
def test_meshgrid_is_numpys(indexing, sparse):
    arrays = [np.arange(3), values((2,), "f4"), values((4,), "u1"), np.float64(2)]
    for count in range(5):
        ours = jg.meshgrid(
            *map(to_joggle, map(np.asarray, arrays[:count])), indexing=indexing, sparse=sparse
        )
        numpys = np.meshgrid(*arrays[:count], indexing=indexing, sparse=sparse)
        for x, expected in zip(ours, numpys, strict=True):
            assert_same(x, expected)


def test_as_strided_counts_in_row_major_order():
    x = jg.array(np.arange(12.0, dtype="f4").reshape(3, 4)).T
    flat = np.ascontiguousarray(np.arange(12.0, dtype="f4").reshape(3, 4).T).ravel()
    windows = np.lib.stride_tricks.sliding_window_view(flat, 4)
    assert_same(jg.as_strided(x, (9, 4), (1, 1)), windows)
    assert_same(jg.as_strided(x, (3,), (-4,), 8), flat[8::-4])
    assert_same(jg.as_strided(x, (5, 0), (100, 100)), np.zeros((5, 0), "f4"))
    assert_same(jg.as_strided(x), flat.reshape(4, 3))
    assert_same(jg.as_strided(x + 0, (2, 3), (0, 5), 1), flat[[[1, 6, 11]] * 2])


@pytest.mark.parametrize(
    "shape, strides, offset",
    [((3,), (6,), 0), ((2,), (-1,), 0), ((13,), None, 0), ((1,), (1,), 12)],
)
def test_as_strided_stays_inside(shape, strides, offset):
    with pytest.raises(ValueError, match="allowed are 0 to 11"):
        jg.as_strided(jg.zeros((3, 4)), shape, strides, offset)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.zeros(()).bitcast("int64"), ValueError, "0-d"),
        (
            lambda: jg.zeros((2, 3)).bitcast("int64"),
            ValueError,
            "the last extent is 3, allowed are multiples",
        ),
        (lambda: jg.zeros(4).bitcast("float4_e2m1fn"), TypeError, "packed"),
        (lambda: jg.zeros((2, 3)).swapaxes(0, 2), IndexError, "axis2: got 2"),
        (lambda: jg.zeros((2, 3)).moveaxis((0, 1), 0), ValueError, "got 1 axes, allowed is 2"),
        (lambda: jg.zeros((2, 3)).moveaxis((0, 0), (0, 1)), ValueError, "source"),
        (lambda: jg.zeros((2, 3)).rot90(1, (0, 1, 2)), IndexError, "axes"),
        (lambda: jg.zeros((2, 3)).rot90(1, (1,)), ValueError, "allowed are two"),
        (lambda: jg.zeros((2, 3)).diagonal(0, 1, -1), ValueError, "axis"),
        (lambda: jg.zeros(3).diagonal(), ValueError, "2 or more"),
        (lambda: jg.zeros((2, 3)).flatten(1, 0), ValueError, "end_axis"),
        (lambda: jg.zeros((2, 3)).split(2, axis=1), ValueError, "divides the extent 3"),
        (lambda: jg.zeros((2, 3)).split(0), ValueError, "allowed is 1 to"),
        (lambda: jg.zeros((2, 3)).array_split(-2), ValueError, r"\[array_split\].*got -2"),
        (lambda: jg.zeros((2, 3)).split("a"), TypeError, "indices_or_sections|int"),
        (lambda: jg.zeros(()).unstack(), IndexError, "axis"),
        (lambda: jg.meshgrid(jg.zeros((2, 2))), ValueError, "allowed is one"),
        (lambda: jg.meshgrid(jg.zeros(2), indexing="yx"), ValueError, '"yx"'),
        (lambda: jg.meshgrid(jg.zeros(2), indexing=1), TypeError, "string"),
        (lambda: jg.meshgrid(jg.zeros(2), index="ij"), TypeError, "unexpected keyword"),
        (lambda: jg.broadcast_arrays(jg.zeros(2), jg.zeros(3)), ValueError, "broadcast"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_number_flattened_has_one_axis_to_name():
    assert jg.flatten(jg.array(3.0), 0, -1).shape == (1,)
    with pytest.raises(IndexError, match="start_axis: got 5, allowed"):
        jg.flatten(jg.array(3.0), 5)
