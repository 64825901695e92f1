# SPDX-License-Identifier: Apache-2.0
"""memoryview(x), __array_interface__ and __array__: our memory as Python and NumPy see it."""

import ctypes
import hashlib
import io
import multiprocessing
import struct
import sys
import zlib

import ml_dtypes
import numpy as np
import pytest

import joggle as jg

FORMATS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "l" if struct.calcsize("l") == 8 else "q",  # as NumPy has it
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "L" if struct.calcsize("l") == 8 else "Q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "complex64": "Zf",
    "complex128": "Zd",
}


@pytest.mark.parametrize("dtype", FORMATS)
def test_every_dtype_has_its_format_and_typestr(dtype):
    x = jg.array([[0, 1], [1, 1]], dtype=dtype)
    view = memoryview(x)
    assert view.format == FORMATS[dtype] and view.itemsize == x.itemsize == np.dtype(dtype).itemsize
    assert (view.shape, view.ndim, view.nbytes, view.readonly) == ((2, 2), 2, x.nbytes, False)
    assert x.__array_interface__["typestr"] == np.dtype(dtype).str
    for a in (np.asarray(x), np.asarray(view)):
        assert a.dtype == dtype and a.tolist() == x.tolist()
        assert a.dtype.num == np.dtype(dtype).num  # C code of others goes by it


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::-1],
        lambda x: x[1:, ::-2],
        lambda x: x[0, 0],
        lambda x: x[:0],
        lambda x: x[None],
    ],
)
def test_any_strides_are_shared(make):
    base = jg.array(np.arange(12.0).reshape(3, 4))
    x = make(base)
    reference = make(np.arange(12.0).reshape(3, 4))
    a = np.asarray(x)
    assert a.shape == reference.shape and np.array_equal(a, reference)
    interface = x.__array_interface__
    assert interface["version"] == 3 and interface["shape"] == reference.shape
    if x.size:
        steps = [
            step for step, extent in zip(reference.strides, x.shape, strict=True) if extent > 1
        ]
        for strides in (a.strides, interface["strides"]):
            assert [
                step for step, extent in zip(strides, x.shape, strict=True) if extent > 1
            ] == steps
        assert np.shares_memory(a, np.asarray(base))
        assert interface["data"] == (a.__array_interface__["data"][0], False)


def test_the_memory_is_writable_through_a_buffer_and_held_by_it():
    x = jg.array([1.0, 2.0])
    a, view = np.asarray(x), memoryview(x)
    a[0] = 5
    assert x.tolist() == [5, 2] and view[0] == 5
    x[1] = 9
    assert a.tolist() == [5, 2]
    del x
    jg.eval(jg.zeros(2) + 1)
    assert a.tolist() == [5, 2] and view.tolist() == [5, 2]


def test_read_only_memory_stays_read_only():
    source = np.arange(3.0)
    source.flags.writeable = False
    for x in (jg.array(source), jg.broadcast_to(jg.array([1.0]), (3,))):
        assert memoryview(x).readonly and not np.asarray(x).flags.writeable
        assert x.__array_interface__["data"][1] is True
        with pytest.raises(TypeError):
            (ctypes.c_double * 3).from_buffer(x)


class Py_buffer(ctypes.Structure):
    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def request(x, flags):
    buffer = Py_buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(buffer), flags)
    told = (bool(buffer.format), bool(buffer.shape), bool(buffer.strides), buffer.len)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return told


SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 1, 4, 8, 0x18
C, F, ANY = 0x38, 0x58, 0x98


def test_a_consumer_is_told_what_it_asks_for():
    x = jg.array(np.arange(6.0).reshape(2, 3))
    assert request(x, FORMAT) == (True, False, False, 48)
    assert request(x, WRITABLE | FORMAT | ND) == (True, True, False, 48)
    assert request(x, STRIDES | FORMAT) == (True, True, True, 48)


@pytest.mark.parametrize("dtype", ["float32", "int16", "complex64"])
def test_a_consumer_that_would_take_numbers_for_bytes_is_refused(dtype):
    x = jg.array([1, 2], dtype=dtype)
    for flags in (SIMPLE, WRITABLE, ND, STRIDES):
        with pytest.raises(BufferError, match="format"):
            request(x, flags)
    said = rf"{dtype}.*memoryview\(x\) or x\.tobytes\(\).*torch\.from_dlpack\(x\)"
    with pytest.raises(BufferError, match=said):
        hashlib.sha256(x)
    assert hashlib.sha256(memoryview(x)).digest() == hashlib.sha256(np.asarray(x)).digest()


@pytest.mark.parametrize(
    ("make", "fits"),
    [
        (lambda x: x, {SIMPLE, ND, STRIDES, C, ANY}),
        (lambda x: x.T, {STRIDES, F, ANY}),
        (lambda x: x[:, ::2], {STRIDES}),
        (lambda x: x[0], {SIMPLE, ND, STRIDES, C, F, ANY}),
        (lambda x: x[0, ::-1], {STRIDES}),
        (lambda x: x[:0], {SIMPLE, ND, STRIDES, C, F, ANY}),
    ],
)
def test_a_consumer_that_needs_another_order_is_refused(make, fits):
    x = make(jg.array(np.arange(12.0).reshape(3, 4)))
    for flags in (SIMPLE, ND, STRIDES, C, F, ANY):
        if flags in fits:
            assert request(x, FORMAT | flags)[3] == x.nbytes
        else:
            with pytest.raises(BufferError, match="contiguous"):
                request(x, FORMAT | flags)


def test_buffers_give_their_references_back():
    x = jg.array([1.0])
    before = sys.getrefcount(x)
    views = [memoryview(x) for _ in range(10)]
    assert sys.getrefcount(x) == before + 10
    del views
    assert sys.getrefcount(x) == before
    for _ in range(5):
        with pytest.raises(BufferError):
            memoryview(jg.array([1], dtype="bfloat16"))


def test_dtypes_of_ml_dtypes_go_to_numpy_through_array():
    x = jg.array([[1.5, 2], [3, 4]], dtype="bfloat16")
    with pytest.raises(AttributeError):
        _ = x.__array_interface__
    for a in (np.asarray(x), np.asarray(x.T).T, np.array(x, copy=None)):
        assert a.dtype == ml_dtypes.bfloat16 and a.astype("f8").tolist() == [[1.5, 2], [3, 4]]
        assert a.__array_interface__["data"][0] == np.asarray(x).__array_interface__["data"][0]


def test_array_takes_numpys_arguments():
    x = jg.array([1.0, 2.0])
    assert np.shares_memory(x.__array__(), np.asarray(x))
    assert not np.shares_memory(x.__array__(copy=True), np.asarray(x))
    assert x.__array__("int64").dtype == "i8"
    assert np.array(x).tolist() == [1, 2] and not np.shares_memory(np.array(x), np.asarray(x))
    assert np.asarray(x, dtype="f8").dtype == "f8"
    with pytest.raises(ValueError):
        np.asarray(x, dtype="f8", copy=False)
    with pytest.raises(ValueError):
        x.__array__("f8", copy=False)


def test_numpy_functions_take_our_arrays():
    x = jg.array([3.0, 1.0, 2.0])
    assert np.sort(x).tolist() == [1, 2, 3]
    assert np.concatenate([x, x]).shape == (6,)


def test_bytes_numbers_and_empty_arrays_have_buffers():
    assert bytes(jg.array([1, 2], dtype="uint8")) == b"\x01\x02"
    assert memoryview(jg.array(2.5)).shape == ()
    assert memoryview(jg.array(2.5)).tolist() == 2.5
    assert memoryview(jg.zeros((2, 0))).nbytes == 0


class Describing:
    """What has an interface, and whose arrays hold it alone, as NumPy's do."""

    def __init__(self, x):
        self.x = x

    @property
    def __array_interface__(self):
        return self.x.__array_interface__


def test_memory_whose_address_was_told_outlives_writes_to_the_handle():
    x = jg.arange(1000) * 2
    first = np.asarray(Describing(x))
    x += 1
    second = np.asarray(Describing(x))
    x[0] = 99
    others = [jg.full((1000,), i, dtype="int64") + 1 for i in range(20)]
    jg.eval(x, *others)
    assert np.array_equal(first, np.arange(1000) * 2)
    assert np.array_equal(second, np.arange(1000) * 2 + 1)
    assert x[:2].tolist() == [99, 3]


def test_memory_whose_address_was_told_goes_with_the_handle():
    def told():
        x = jg.zeros((1 << 20,)) + 1
        _ = x.__array_interface__, x.__array_interface__
        x[0] = 3
        return x.__array_interface__["data"][0]

    told()
    before = jg.get_active_memory()
    for _ in range(5):
        told()
    assert jg.get_active_memory() <= before


@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool"])
@pytest.mark.parametrize("shape", [(8,), (2, 4), (0,), (2, 0)])
def test_consumers_of_bytes_read_elements_of_one_byte(dtype, shape):
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    x = jg.array(a) if a.size == 0 else jg.array(a) ^ jg.zeros((), dtype=dtype)
    assert hashlib.sha1(x).digest() == hashlib.sha1(a.tobytes()).digest()
    assert zlib.crc32(x) == zlib.crc32(a.tobytes())
    assert b"-".join([x, x]) == a.tobytes() + b"-" + a.tobytes()
    file = io.BytesIO()
    assert file.write(x) == a.size and file.getvalue() == a.tobytes()


def test_bytes_that_are_not_in_a_row_are_refused():
    x = jg.array(np.arange(8, dtype="uint8"))
    for view in (x[::2], x[::-1], x.reshape(2, 4).T):
        with pytest.raises(BufferError, match=r"not contiguous: write x\.tobytes\(\)"):
            hashlib.sha1(view)


def test_nobody_writes_bytes_into_an_array():
    x = jg.zeros(3, dtype="uint8")
    with pytest.raises(TypeError):
        io.BytesIO(b"abc").readinto(x)
    assert x.tolist() == [0, 0, 0]


def test_buffers_without_strides_are_read_in_order():
    """As those of ctypes are, although strides are asked for."""
    x = jg.asarray((ctypes.c_float * 3)(1, 2, 3))
    assert x.dtype == jg.float32 and x.tolist() == [1.0, 2.0, 3.0]
    rows = ((ctypes.c_int * 3) * 2)((1, 2, 3), (4, 5, 6))
    y = jg.asarray(rows)
    assert y.shape == (2, 3) and y.tolist() == [[1, 2, 3], [4, 5, 6]]
    rows[1][0] = 9
    assert y.tolist()[1] == [9, 5, 6]
    assert jg.asarray((ctypes.c_float * 0)()).shape == (0,)
    assert jg.asarray(multiprocessing.RawArray("i", [1, 2])).tolist() == [1, 2]


@pytest.mark.parametrize("wrong", [np.timedelta64(3, "D"), np.datetime64("2020"), np.bytes_(b"a")])
def test_scalars_of_numpy_that_are_no_numbers_are_no_bytes(wrong):
    x = jg.ones(3)
    uses = [jg.asarray, lambda v: x + v, lambda v: x[v], lambda v: jg.stack([v]), x.at[0].set]
    uses += [lambda v: jg.full(3, v), lambda v: np.add(x, v)]
    for use in uses:
        with pytest.raises((TypeError, IndexError)):
            use(wrong)


def test_a_mask_of_an_interface_is_not_lost():
    class Masked:
        def __init__(self, mask):
            self.values = np.arange(3.0)
            self.__array_interface__ = self.values.__array_interface__ | {"mask": mask}

    assert jg.asarray(Masked(None)).tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(TypeError, match="mask"):
        jg.asarray(Masked(np.array([True, False, True])))
