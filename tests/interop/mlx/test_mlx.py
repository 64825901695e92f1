# SPDX-License-Identifier: Apache-2.0
"""MLX: legacy capsules without keywords, slices by byte_offset, negative strides, lazy arrays."""

import numpy as np
import pytest

import joggle as jg

mx = pytest.importorskip("mlx.core")

DTYPES = {
    "bool": mx.bool_,
    "int8": mx.int8,
    "int16": mx.int16,
    "int32": mx.int32,
    "int64": mx.int64,
    "uint8": mx.uint8,
    "uint16": mx.uint16,
    "uint32": mx.uint32,
    "uint64": mx.uint64,
    "float16": mx.float16,
    "bfloat16": mx.bfloat16,
    "float32": mx.float32,
    "complex64": mx.complex64,
}
IN = [jg.from_dlpack, jg.array, jg.asarray]


def values(m):
    return m.tolist() if m.dtype != mx.bfloat16 else m.astype(mx.float32).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("come", IN)
def test_every_dtype_goes_round(dtype, come):
    m = mx.array([[0, 1, 1], [1, 0, 1]]).astype(DTYPES[dtype])
    x = come(m)
    assert x.dtype.name == dtype and x.tolist() == values(m)
    back = mx.array(x)
    assert back.dtype == m.dtype and values(back) == values(m)


@pytest.mark.parametrize("come", IN)
def test_layouts_come_in(layout, come):
    m = layout(mx.arange(12, dtype=mx.float32).reshape(3, 4))
    x = come(m)
    assert x.shape == m.shape and x.tolist() == m.tolist()


@pytest.mark.parametrize(
    "make", [lambda m: m[:, ::-1], lambda m: m[::-2, 1:], lambda m: mx.broadcast_to(m[0], (5, 4))]
)
def test_negative_and_zero_strides_come_in_place(make):
    m = make(mx.arange(12, dtype=mx.float32).reshape(3, 4))
    mx.eval(m)
    assert jg.from_dlpack(m, copy=False).tolist() == m.tolist()


def test_memory_of_mlx_is_shared(address):
    m = mx.arange(12, dtype=mx.float32)
    mx.eval(m)
    assert address(jg.from_dlpack(m)) == np.asarray(m).__array_interface__["data"][0]
    assert address(jg.from_dlpack(m, copy=True)) != address(jg.from_dlpack(m))
    assert address(jg.from_dlpack(m[3:])) == address(jg.from_dlpack(m)) + 12


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::-1],
        lambda x: x[1:, 2:],
        lambda x: x[0, 0],
        lambda x: x[:0],
    ],
)
def test_layouts_go_out(make):
    x = make(jg.array(np.arange(12.0, dtype="f4").reshape(3, 4)))
    m = mx.array(x)
    assert m.shape == x.shape and m.tolist() == x.tolist()


def test_unevaluated_arrays_of_either_side_are_evaluated():
    assert jg.from_dlpack(mx.ones(3) + 1).tolist() == [2, 2, 2]
    assert mx.array(jg.ones(3) + 1).tolist() == [2, 2, 2]


def test_memory_outlives_the_array_on_either_side():
    m = mx.arange(1000, dtype=mx.float32) + 1
    y = jg.from_dlpack(m) * 2
    del m
    assert np.array_equal(np.asarray(y), 2 * np.arange(1, 1001.0))
    m = mx.array(y)
    del y
    jg.eval([jg.zeros(1000) + i for i in range(4)])
    assert m.tolist() == (2 * np.arange(1, 1001.0)).tolist()


def test_our_operators_take_mlx_arrays():
    x = jg.array([1.0, 2.0])
    assert isinstance(x + mx.ones(2), jg.array) and (x + mx.ones(2)).tolist() == [2, 3]
