# SPDX-License-Identifier: Apache-2.0
"""TVM FFI: it uses our exchange table; its own tensors come by __dlpack__."""

import gc

import numpy as np
import pytest

import joggle as jg

tvm_ffi = pytest.importorskip("tvm_ffi")

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]
IN = [jg.from_dlpack, jg.array, jg.asarray]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("come", IN)
def test_every_dtype_goes_round_without_a_copy(dtype, come, address):
    x = jg.array([[0, 1, 1], [1, 0, 1]], dtype=dtype)
    t = tvm_ffi.from_dlpack(x)
    assert str(t.dtype) == dtype and tuple(t.shape) == (2, 3) and t.data_ptr() == address(x)
    back = come(t)
    assert back.dtype is x.dtype and back.tolist() == x.tolist() and address(back) == address(x)


@pytest.mark.parametrize("come", IN)
def test_layouts_go_round(layout, come):
    x = layout(jg.array(np.arange(12.0).reshape(3, 4)))
    t = tvm_ffi.from_dlpack(x)
    back = come(t)
    assert back.shape == x.shape and back.tolist() == x.tolist()


def test_negative_strides_go_out_as_a_copy():
    x = jg.array(np.arange(6.0))[::-1]
    t = tvm_ffi.from_dlpack(x)
    assert tuple(t.strides) == (1,) and np.from_dlpack(t).tolist() == [5, 4, 3, 2, 1, 0]


def test_a_copy_is_ours_to_make():
    t = tvm_ffi.from_dlpack(np.arange(3.0))
    assert jg.from_dlpack(t, copy=True).tolist() == [0, 1, 2]  # TVM itself refuses copy=True
    assert jg.from_dlpack(t, copy=False).tolist() == [0, 1, 2]


def test_unevaluated_arrays_are_evaluated():
    assert np.from_dlpack(tvm_ffi.from_dlpack(jg.ones(3) + 1)).tolist() == [2, 2, 2]


def test_memory_outlives_the_array_on_either_side():
    gc.collect()  # what other tests have left
    jg.synchronize()  # and what still runs
    before = jg.get_active_memory()
    x = jg.arange(10_000) + 1
    t = tvm_ffi.from_dlpack(x)
    del x
    jg.eval([jg.zeros(10_000, "int64") + i for i in range(4)])
    y = jg.from_dlpack(t) * 2
    del t
    assert np.array_equal(np.asarray(y), 2 * np.arange(1, 10_001))
    del y
    gc.collect()
    assert jg.get_active_memory() == before
