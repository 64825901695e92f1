# SPDX-License-Identifier: Apache-2.0
"""Routines that a device runs as programs: joining, padding, repeating, gathering, extrema.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
DTYPES = ("float32", "float64", "float16", "int8", "int64", "uint64", "bool", "complex64")
ORDERED = tuple(dtype for dtype in DTYPES if dtype != "complex64")
SHAPES = ((5,), (1,), (3, 4, 5), (2, 7001), (7001, 2), (1, 7), (7, 1), (33, 17, 9))


def numbers(shape, dtype):
    made = np.random.default_rng(5).standard_normal(shape) * 100
    return made.astype(dtype)


def there(x):
    return jg.asarray(x, device=DEVICE)


def check(got, wanted):
    assert got.device == DEVICE
    np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_concat_and_stack_give_what_numpy_gives(dtype):
    parts = [numbers((3, n, 5), dtype) for n in (4, 1, 0, 7)]
    arrays = [there(part) for part in parts]
    check(jg.concat(arrays, axis=1), np.concatenate(parts, axis=1))
    check(jg.concat(arrays, axis=None), np.concatenate(parts, axis=None))
    check(jg.stack(arrays[:1] * 31, axis=2), np.stack(parts[:1] * 31, axis=2))
    check(
        jg.concat(arrays, axis=1)[:, 2:] == arrays[0][:, :1],
        np.ones((3, 10, 5), bool) & (np.concatenate(parts, axis=1)[:, 2:] == parts[0][:, :1]),
    )


def test_hundreds_of_arrays_are_joined():
    a = numbers((3, 4), "float32")
    x = there(a)
    arrays = [x + i if i % 3 else x[:, : i % 5] for i in range(200)]
    parts = [a + np.float32(i) if i % 3 else a[:, : i % 5] for i in range(200)]
    check(jg.concat(arrays, axis=1), np.concatenate(parts, axis=1))
    check(jg.stack([x] * 40), np.stack([a] * 40))


def test_views_are_joined():
    a, b = numbers((4, 5, 6), "float32"), numbers((4, 3, 6), "float32")
    x, y = there(a), there(b)
    turned = [part.transpose(2, 1, 0)[::-1, :, 1:] for part in (a, b)]
    check(
        jg.concat([z.transpose(2, 1, 0)[::-1, :, 1:] for z in (x, y)], axis=1),
        np.concatenate(turned, axis=1),
    )
    wide = np.broadcast_to(a[:1], a.shape)
    check(jg.concat([jg.broadcast_to(x[:1], x.shape), y], axis=1), np.concatenate([wide, b], 1))


def test_what_is_joined_may_be_computed_in_the_same_run():
    a = numbers((50, 40), "float32")
    x = there(a)
    y = x * 2
    joined = jg.concat([y, x, y - x], axis=1)
    check(joined, np.concatenate([a * 2, a, a * 2 - a], axis=1))
    check(y, a * 2)


@pytest.mark.part(3, of="dtype")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_repeat_gives_what_numpy_gives(dtype, axis):
    a = numbers((3, 4, 5), dtype)
    check(jg.repeat(there(a), 3, axis=axis), np.repeat(a, 3, axis=axis))
    check(jg.repeat(there(a), 0, axis=axis), np.repeat(a, 0, axis=axis))


@pytest.mark.part(3, of="dtype")
@pytest.mark.parametrize("dtype", (*DTYPES, "complex128"))
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_each_element_may_be_repeated_another_number_of_times(dtype, axis):
    a = numbers((3, 40, 5), dtype)
    counts = np.random.default_rng(3).integers(0, 4, a.size if axis is None else a.shape[axis])
    check(jg.repeat(there(a), there(counts), axis=axis), np.repeat(a, counts, axis=axis))
    none = np.zeros_like(counts)
    check(jg.repeat(there(a), there(none), axis=axis), np.repeat(a, none, axis=axis))
    none[-1] = 2
    check(jg.repeat(there(a), there(none), axis=axis), np.repeat(a, none, axis=axis))


MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
WIDTHS = (
    ((1, 2), (0, 0), (2, 1)),
    ((0, 0), (3, 4), (0, 0)),
    ((9, 11), (1, 15), (6, 7)),
    ((5, 5), (7, 0), (3, 3)),
    ((0, 0), (0, 900), (0, 0)),
)


def padded(module, x, widths, mode):
    named = {"constant_values": 3} if mode == "constant" else {}
    return module.pad(x, widths, mode=mode, **named)


@pytest.mark.part(4, of="mode")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", (*DTYPES, "complex128", "uint8"))
def test_pad_gives_what_numpy_gives_in_every_mode(dtype, mode):
    a = numbers((5, 7, 3), dtype)
    x = there(a)
    for widths in WIDTHS:
        check(padded(jg, x, widths, mode), padded(np, a, widths, mode))
        turned = padded(np, a[::-1, :, ::2], widths, mode)
        check(padded(jg, x[::-1, :, ::2], widths, mode), turned)


def test_axes_of_extent_one_and_empty_arrays_are_padded():
    for mode in MODES:
        a = numbers((1, 4), "float32")
        check(padded(jg, there(a), ((3, 2), (0, 1)), mode), padded(np, a, ((3, 2), (0, 1)), mode))
        wide = np.broadcast_to(a, (3, 4))
        y = jg.broadcast_to(there(a), (3, 4))
        check(padded(jg, y, ((2, 2), (1, 1)), mode), padded(np, wide, ((2, 2), (1, 1)), mode))
    empty = np.zeros((0, 3), "float32")
    check(padded(jg, there(empty), ((2, 1), (0, 1)), "constant"), np.full((3, 4), 3, "float32"))
    check(jg.pad(there(empty), 0), empty)


@pytest.mark.part(3)
@pytest.mark.parametrize("dtype", (*DTYPES, "complex128", "uint8"))
def test_roll_and_tile_give_what_numpy_gives(dtype):
    a = numbers((5, 70, 3), dtype)
    x = there(a)
    for shift in (1, -2, 133):
        for axis in (None, 0, 1, 2, (0, 2)):
            check(jg.roll(x, shift, axis=axis), np.roll(a, shift, axis=axis))
    check(jg.roll(x[:, ::-3], 2, axis=1), np.roll(a[:, ::-3], 2, axis=1))
    for times in ((2,), (3, 1, 2), (2, 1, 1, 1), (0, 1, 1), (1, 4, 1), (7, 7)):
        check(jg.tile(x, times), np.tile(a, times))


def test_padded_and_rolled_arrays_take_part_in_further_work():
    a = numbers((300, 50), "float32")
    x = there(a)
    for by in (1, 2, 49):  # one plan for all offsets
        y = jg.roll(x * 2, by, axis=1) + 1
        z = jg.pad(y, ((by, 50 - by), (0, 0))) - 1
        wanted = np.roll(a * 2, by, axis=1) + 1
        check(z, np.pad(wanted, ((by, 50 - by), (0, 0))) - 1)
        check(y, wanted)
    held = jg.roll(x, 1, axis=0)
    again = jg.roll(held, -1, axis=0)
    held += 1
    check(again, a)
    check(held, np.roll(a, 1, axis=0) + 1)


def test_a_compiled_function_pads_and_rolls():
    a = numbers((30, 50), "float32")

    @jg.compile
    def both(x):
        return jg.pad(jg.roll(x, 3, axis=1) * 2, 2, mode="edge")

    for factor in (1, 2):
        wanted = np.pad(np.roll(a * factor, 3, axis=1) * 2, 2, mode="edge")
        check(both(there(a * factor)), wanted)


@pytest.mark.part(3, of="shape")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ORDERED)
def test_argmax_and_argmin_give_what_numpy_gives(dtype, shape):
    a = numbers(shape, dtype)
    if a.dtype.kind == "f" and a.size > 3:
        a.flat[a.size // 2] = a.flat[a.size - 1] = np.nan
    x = there(a)
    for name in ("argmax", "argmin"):
        for axis in (None, *range(a.ndim)):
            for keepdims in (False, True):
                wanted = getattr(np, name)(a, axis=axis, keepdims=keepdims)
                check(getattr(jg, name)(x, axis=axis, keepdims=keepdims), wanted)


def test_the_first_of_equal_extrema_is_found_in_a_view():
    a = np.tile(np.array([3, 9, 1, 9, 1], "int32"), (6, 1000))
    a[::2] = -a[::2]
    x = there(a)
    for axis in (0, 1):
        check(jg.argmax(x[::-1, ::-2], axis=axis), np.argmax(a[::-1, ::-2], axis=axis))
        check(jg.argmin(x.T + 1, axis=axis), np.argmin(a.T + 1, axis=axis))
    zeros = there(np.array([-0.0, 0.0, -0.0], "float32"))
    assert jg.argmax(zeros).item() == jg.argmin(zeros).item() == 0


def test_what_is_not_taken_is_refused_by_name():
    x = there(numbers((3, 4), "float32"))
    with pytest.raises(NotImplementedError, match="11 axes with ends, only of up to 10"):
        jg.eval(jg.pad(jg.reshape(x, (3, 4) + (1,) * 9), 1))


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@pytest.mark.parametrize("dtype", (*DTYPES, "complex128", "uint16"))
def test_index_arrays_gather_what_numpy_gathers(dtype):
    a = numbers((7, 5, 3), dtype)
    x, rows = there(a), np.array([0, -1, 3, 6, -7])
    check(jg.take(x, rows, axis=0), a[rows])
    check(jg.take(x, np.array([[0, 2], [1, -1]]), axis=2), a[:, :, [[0, 2], [1, -1]]])
    check(jg.take(x, 3, axis=1), a[:, 3])
    check(jg.take(x[::-1, :, ::2], rows, axis=0), a[::-1, :, ::2][rows])
    check(x[[0, 1], [2, 3]], a[[0, 1], [2, 3]])
    check(x[[0, 1], :, [2, 1]], a[[0, 1], :, [2, 1]])
    check(x[np.array([[0], [3]]), np.array([[1, 4]])], a[np.array([[0], [3]]), np.array([[1, 4]])])
    check(jg.take(x, np.zeros(0, "int64"), axis=0), a[:0])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_each_kind_gather(dtype):
    a = numbers((130, 4), "float32")
    rows = np.array([0, 127, 2, 5], dtype)
    check(jg.take(there(a), there(rows), axis=0), a[rows])
    if dtype.startswith("int"):
        check(jg.take(there(a), there(-rows), axis=0), a[-rows.astype("int64")])


@pytest.mark.parametrize("dtype", ("float32", "int64", "bool"))
def test_gathers_along_an_axis_take_part_in_further_work(dtype):
    a = numbers((60, 50), dtype)
    order = np.argsort(a, axis=1, kind="stable")
    check(jg.take_along_axis(there(a), there(order), axis=1), np.sort(a, axis=1))
    b, rows = numbers((60, 50), "float32"), np.arange(1000) * 7 % 60
    y = jg.take(there(b) * 2 + 1, (there(rows) + 1) % 60, axis=0) - 1
    check(y, (b * 2 + 1)[(rows + 1) % 60] - 1)


def test_up_to_ten_index_arrays_gather():
    a = np.arange(2**11, dtype="float32").reshape((2,) * 11)
    x, index = there(a), [0, 1, -1]
    check(x[(index,) * 10], a[(index,) * 10])
    with pytest.raises(NotImplementedError, match="11 index arrays, only of 1 to 10"):
        jg.eval(x[(index,) * 11])


@pytest.mark.parametrize(
    "index, axis, told",
    [
        ([3, 7, 2], 0, "7 is out of range for axis 0 with extent 7"),
        ([0, -8], 0, "-8 is out of range for axis 0 with extent 7"),
        ([0, 5], 1, "5 is out of range for axis 1 with extent 5"),
        (np.array([200, 1], "uint8"), 2, "200 is out of range for axis 2 with extent 3"),
        (np.array([2**64 - 1], "uint64"), 0, "18446744073709551615 is out of range for axis 0"),
    ],
)
def test_an_index_out_of_range_is_told_at_the_evaluation(index, axis, told):
    x = there(numbers((7, 5, 3), "float32"))
    jg.eval(x)  # else it fails with what is evaluated together with it
    y = jg.take(x, index, axis=axis)
    for _ in range(2):
        with pytest.raises(IndexError, match=told):
            jg.eval(y)
    check(jg.take(x, [0], axis=axis), np.take(numbers((7, 5, 3), "float32"), [0], axis=axis))


def test_an_index_out_of_range_is_told_where_there_is_nothing_to_gather():
    x = there(numbers((3, 0), "float32"))
    check(jg.take(x, [0, 2], axis=0), np.zeros((2, 0), "float32"))
    with pytest.raises(IndexError, match="3 is out of range for axis 0 with extent 3"):
        jg.eval(jg.take(x, [3], axis=0))
    with pytest.raises(IndexError, match="0 is out of range for axis 1 with extent 0"):
        jg.eval(jg.take(x, [0], axis=1))


def test_gathers_have_derivatives_of_what_they_read():
    a, rows = numbers((6, 4), "float32"), [0, 0, 5, -1]
    slope = jg.grad(lambda x: jg.sum(jg.take(x, rows, axis=0) * 3))(there(a))
    wanted = np.zeros_like(a)
    np.add.at(wanted, rows, 3)
    check(slope, wanted)
