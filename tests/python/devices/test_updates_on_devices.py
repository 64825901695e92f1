# SPDX-License-Identifier: Apache-2.0
"""Scatters that a device runs: assignment to elements, put_along_axis, bincount and their kin.

The results are the CPU's, bit for bit, also where indices repeat: updates are taken in in order.
The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
DTYPES = ("float32", "float64", "float16", "int8", "int64", "uint64", "bool", "complex64")
MODES = ("add", "subtract", "multiply", "divide", "max", "min", "power")


def numbers(shape, dtype):
    made = np.random.default_rng(5).standard_normal(shape) * 10
    return made.astype(dtype)


def rows(high, count, low=None):
    return np.random.default_rng(6).integers(-high if low is None else low, high, count)


def same(function, *arrays, rtol=0):
    """What the function gives on the device and on the CPU."""
    got = function(*(jg.asarray(a, device=DEVICE) for a in arrays))
    wanted = np.asarray(function(*(jg.asarray(a, device="cpu:0") for a in arrays)))
    assert got.device == DEVICE
    got = np.asarray(got.to_device("cpu"))
    if rtol == 0:
        np.testing.assert_array_equal(got, wanted)
    else:
        np.testing.assert_allclose(got, wanted, rtol=rtol)


def takes(mode, dtype):
    without = {
        "divide": "biu",
        "subtract": "b",
        "power": "bc",
        "max": "c",
        "min": "c",
    }
    return np.dtype(dtype).kind not in without.get(mode, "")


TAKEN = [(mode, dtype) for mode in MODES for dtype in DTYPES if takes(mode, dtype)]


@pytest.mark.part(2)
@pytest.mark.parametrize("dtype", (*DTYPES, "complex128", "uint16"))
def test_scatter_writes_what_the_cpu_writes(dtype):
    x, updates = numbers((50, 20), dtype), numbers((30, 20), dtype)
    index = rows(50, 30)
    same(lambda x, i, u: jg.scatter(x, [i], u, axes=[0]), x, index, updates)
    same(lambda x, i, u: jg.scatter(x, [i], u, axes=[1]), x, rows(20, 7), numbers((7, 50), dtype))
    points = (rows(50, 30), rows(20, 30), updates[:, 0])
    same(lambda x, i, j, u: jg.scatter(x, [i, j], u, axes=[0, 1]), x, *points)
    none = np.zeros(0, "int64")
    same(lambda x, i, u: jg.scatter(x, [i], u, axes=[0]), x, none, updates[:0])


@pytest.mark.part(3, of="mode")
@pytest.mark.parametrize("mode, dtype", TAKEN)
def test_updates_of_the_same_element_are_taken_in_order(mode, dtype):
    combine = getattr(jg, "scatter_" + mode)
    inexact = mode == "power" or (dtype == "complex64" and mode in ("multiply", "divide"))
    x, updates = numbers((40, 6), dtype), numbers((500, 6), dtype)
    if mode == "power":
        x, updates = abs(x) / 8 + 1, abs(updates) / 100
        x, updates = x.astype(dtype), updates.astype(dtype)
    elif mode in ("multiply", "divide") and np.dtype(dtype).kind in "fc":
        updates = (1 + updates / 1000).astype(dtype)
    rtol = 2e-3 if inexact else 0
    same(lambda x, i, u: combine(x, [i], u, axes=[0]), x, rows(40, 500), updates, rtol=rtol)
    few = (rows(3, 500), updates[:, 0])
    same(lambda x, i, u: combine(x[:, 0], [i], u, axes=[0]), x, *few, rtol=rtol)


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_each_kind_index_updates(dtype):
    x, index = numbers((130, 4), "float32"), rows(128, 300, low=0).astype(dtype)
    updates = numbers((300, 4), "float32")
    same(lambda x, i, u: jg.scatter_add(x, [i], u, axes=[0]), x, index, updates)
    if dtype.startswith("int"):
        same(lambda x, i, u: jg.scatter_add(x, [-i], u, axes=[0]), x, index, updates)


@pytest.mark.parametrize("dtype", ("float32", "int8", "bool", "complex64"))
def test_put_along_axis_writes_what_the_cpu_writes(dtype):
    x = numbers((50, 20), dtype)
    for axis, shape in ((1, (50, 7)), (0, (9, 20)), (1, (50, 1)), (0, (1, 20))):
        index = rows(x.shape[axis], shape)
        values = numbers(shape, dtype)
        same(lambda x, i, v, a=axis: jg.put_along_axis(x, i, v, axis=a), x, index, values)
    same(lambda x, i, v: jg.put_along_axis(x, i, v, axis=None), x, rows(1000, 40), x[:2].ravel())
    deep = numbers((4, 5, 6), dtype)
    index = rows(5, (4, 8, 6))
    same(lambda x, i, v: jg.put_along_axis(x, i, v, axis=1), deep, index, numbers((4, 8, 6), dtype))


def assign(index):
    def function(x, value):
        y = jg.stack([x, x])[0]
        y[index] = value
        return y

    return function


@pytest.mark.part(2, of="dtype")
@pytest.mark.parametrize(
    "index",
    [
        np.s_[3],
        np.s_[::-2, 3:9],
        np.s_[..., -1],
        np.s_[5:5],
        np.s_[:, 2, None, 1:4],
        np.s_[[0, 3, 0, -1]],
        np.s_[:, [1, 1, 4]],
        np.s_[[1, 2], :, [3, 0]],
        np.s_[2:9:3, [0, -1]],
        np.s_[np.array([[0], [3]]), np.array([[1, 4]]), ::-1],
    ],
)
@pytest.mark.parametrize("dtype", ("float32", "float16", "int64", "bool", "complex128"))
def test_assignment_writes_what_the_cpu_writes(dtype, index):
    x = numbers((11, 7, 5), dtype)
    value = numbers(x[index].shape, dtype)
    same(assign(index), x, value)
    same(assign(index), x, value[..., :1])
    same(lambda x, v: assign(index)(x[::-1, :, ::-1], v), x, value)
    if dtype != "bool":
        same(lambda x, v: x.at[index].add(v) * 2, x, value)


def test_updates_in_place_leave_copies_alone():
    def program(x, index, value):
        y = x + 1
        y[index] = value  # over y's own memory
        z = y
        z[index[:3]] += 1
        y[2:4] = 0
        kept = y * 1
        y[0] = x[1]
        return jg.stack([x, y, z, kept])

    index, value = rows(60, 25), numbers((25, 33), "float32")
    same(program, numbers((60, 33), "float32"), index, value)


def test_updated_arrays_take_part_in_further_work():
    def program(x, index, value):
        y = jg.scatter_add(x * 2, [(index + 1) % 60], value - 1, axes=[0]) + 1
        return jg.concat([y, jg.sum(y, axis=0, keepdims=True)])

    arrays = numbers((60, 1000), "int32"), rows(60, 4000), numbers((4000, 1000), "int32")
    same(program, *arrays)


def test_updates_and_indices_are_broadcast():
    x, index = numbers((60, 8), "float32"), rows(60, 300)
    same(lambda x, i, u: jg.scatter_add(x, [i], u, axes=[0]), x, index, np.float32(0.1))
    wide = numbers((1, 8), "float32")
    same(lambda x, i, u: jg.scatter_add(x, [i], u, axes=[0]), x, index, wide)
    same(lambda x, i, u: jg.scatter_add(x, [i[::-3]], u, axes=[0]), x, index, wide)
    column, line = rows(60, (40, 1)), rows(8, (1, 30))
    points = numbers((40, 30), "float32")
    same(lambda x, i, j, u: x.at[i, j].add(u), x, column, line, points)
    same(
        lambda x, i, u: jg.scatter_add(jg.broadcast_to(x[:1], x.shape), [i], u, axes=[0]),
        x,
        index,
        wide,
    )


def test_bincount_counts_what_the_cpu_counts():
    counted = rows(1000, 100_000, low=0)
    same(jg.bincount, counted)
    same(jg.bincount, np.zeros(70_000, "int64"))
    same(jg.bincount, counted[:0])
    weights = numbers(100_000, "float32")
    same(lambda i, w: jg.bincount(i, weights=w, minlength=2000), counted, weights)


def test_derivatives_of_gathers_add_up():
    a, index = numbers((6, 4), "float32"), np.array([0, 0, 5, -1])
    slope = jg.grad(lambda x: jg.sum(jg.take(x, index, axis=0) * 3))(jg.asarray(a, device=DEVICE))
    wanted = np.zeros_like(a)
    np.add.at(wanted, index, 3)
    np.testing.assert_array_equal(np.asarray(slope.to_device("cpu")), wanted)


@pytest.mark.parametrize(
    "index, axis, told",
    [
        ([3, 7, 2], 0, "7 is out of range for axis 0 with extent 7"),
        ([0, -8], 0, "-8 is out of range for axis 0 with extent 7"),
        ([0, 5], 1, "5 is out of range for axis 1 with extent 5"),
        (np.array([2**64 - 1], "uint64"), 0, "18446744073709551615 is out of range for axis 0"),
    ],
)
def test_an_index_out_of_range_is_told_at_the_evaluation(index, axis, told):
    x = jg.asarray(numbers((7, 5), "float32"), device=DEVICE)
    jg.eval(x)
    y = jg.scatter(x, [jg.asarray(index)], jg.zeros(1, device=DEVICE), axes=[axis])
    for _ in range(2):
        with pytest.raises(IndexError, match=told):
            jg.eval(y)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), numbers((7, 5), "float32"))


def test_an_index_out_of_range_is_told_where_there_is_nothing_to_update():
    x = jg.asarray(numbers((3, 0), "float32"), device=DEVICE)
    with pytest.raises(IndexError, match="3 is out of range for axis 0 with extent 3"):
        jg.eval(jg.scatter(x, [jg.asarray([3])], jg.zeros((1, 0), device=DEVICE), axes=[0]))


def test_up_to_ten_index_arrays_and_eleven_axes_are_updated():
    x, index = np.arange(2**11, dtype="float32").reshape((2,) * 11), [0, 1, -1]
    there = jg.asarray(x, device=DEVICE)
    same(lambda x: x.at[(index,) * 10].add(1), x)
    with pytest.raises(NotImplementedError, match="11 index arrays, only of up to 10"):
        jg.eval(there.at[(index,) * 11].add(1))
    deep = jg.reshape(there, (1,) * 4 + x.shape)
    with pytest.raises(NotImplementedError, match="updates of 15 axes, only of up to 11"):
        jg.eval(deep.at[..., :1].add(1))
