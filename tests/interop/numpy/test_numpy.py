# SPDX-License-Identifier: Apache-2.0
"""NumPy: both ways, by DLPack and by its own protocols."""

import gc
import weakref

import numpy as np
import pytest

import joggle as jg

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
    "float32",
    "float64",
    "complex64",
    "complex128",
]
IN = [jg.from_dlpack, jg.array, jg.asarray]
OUT = [np.from_dlpack, np.asarray]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("come", IN)
@pytest.mark.parametrize("go", OUT)
def test_every_dtype_goes_round_without_a_copy(dtype, come, go):
    a = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    x = come(a)
    assert x.dtype.name == dtype and x.shape == (2, 3)
    b = go(x)
    assert b.dtype == a.dtype and np.array_equal(a, b) and np.shares_memory(a, b)
    assert b.flags.writeable


@pytest.mark.parametrize("come", IN)
@pytest.mark.parametrize("go", OUT)
def test_layouts_go_round_without_a_copy(layout, come, go):
    a = np.arange(12.0).reshape(3, 4)
    view = layout(a)
    b = go(come(view))
    assert b.shape == view.shape and np.array_equal(b, view)
    if view.size:
        assert np.shares_memory(a, b)


def test_negative_strides_go_out_as_a_copy_and_zero_strides_read_only():
    a = np.arange(6.0)[::-1]
    x = jg.from_dlpack(a, copy=False)
    assert np.shares_memory(np.asarray(x), a)  # NumPy's own protocols share them
    b = np.from_dlpack(x)  # DLPack's consumers mostly cannot
    assert b.tolist() == a.tolist() and not np.shares_memory(a, b) and b.strides == (8,)
    with pytest.raises(BufferError):
        np.from_dlpack(x, copy=False)
    a = np.broadcast_to(np.arange(3.0), (4, 3))
    for go in OUT:
        b = go(jg.from_dlpack(a, copy=False))
        assert np.array_equal(a, b) and not b.flags.writeable and np.shares_memory(a, b)


@pytest.mark.parametrize("come", IN)
def test_read_only_arrays_stay_read_only(come):
    a = np.arange(3.0)
    a.flags.writeable = False
    for go in OUT:
        b = go(come(a))
        assert np.shares_memory(a, b) and not b.flags.writeable


def test_another_byte_order_is_refused_with_numpys_own_error():
    a = np.arange(3, dtype=">f8")
    with pytest.raises(BufferError, match="native byte order"):
        jg.from_dlpack(a)


def test_our_writes_stay_ours_and_numpys_are_seen():
    a = np.arange(3.0)
    x = jg.from_dlpack(a)
    x[0] = 100
    x += 1
    assert a.tolist() == [0, 1, 2]
    y = jg.from_dlpack(a)
    b = np.from_dlpack(y)
    b[1] = 50
    assert a.tolist() == [0, 50, 2] and y.tolist() == [0, 50, 2]


@pytest.mark.parametrize("come", IN)
def test_the_producer_may_go_first(come):
    class Owner(np.ndarray):
        pass

    a = np.arange(3.0).view(Owner)
    gone = weakref.ref(a)
    x = come(a)
    y = x * 2
    del a, x
    assert gone() is not None
    assert y.tolist() == [0, 2, 4]
    del y
    jg.synchronize()
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("go", OUT)
def test_we_may_go_first(go):
    x = jg.arange(10_000) + 1
    b = go(x)
    del x
    jg.eval([jg.zeros(10_000, "int64") + i for i in range(4)])
    assert np.array_equal(b, np.arange(1, 10_001))


def test_copy_true_gives_numpy_a_copy_and_others_share():
    x = jg.array([1.0, 2.0])
    shared = np.from_dlpack(x)
    assert np.shares_memory(np.from_dlpack(x, copy=False), shared)
    assert not np.shares_memory(np.from_dlpack(x, copy=True), shared)
    assert np.from_dlpack(x, device="cpu").tolist() == [1, 2]
    with pytest.raises(ValueError):
        np.asarray(x, dtype="f8", copy=False)


@pytest.mark.parametrize("dtype", ["U3", "O", "M8[s]", "g"])
def test_what_dlpack_cannot_say_is_a_buffer_error(dtype):
    with pytest.raises(BufferError):
        jg.from_dlpack(np.zeros(2, dtype))
