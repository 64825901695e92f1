# SPDX-License-Identifier: Apache-2.0
"""__dlpack__ and its neighbours: what consumers of every age get, byte by byte."""

import ctypes
import subprocess
import sys
import threading

import numpy as np
import pytest
from fake_producer import (
    IS_COPIED,
    READ_ONLY,
    FakeTensor,
    capsule_name,
    managed_of,
    settle,
)

import joggle as jg

NEW = {"max_version": (1, 0)}


def export(x, **keywords):
    """The capsule and its struct; the capsule must be kept as long as the struct is read."""
    capsule = x.__dlpack__(**keywords)
    return capsule, managed_of(capsule)


def pointer_of(x):
    return np.asarray(x).__array_interface__["data"][0]


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (None, "dltensor"),
        ((0, 0), "dltensor"),
        ((0, 8), "dltensor"),
        ((1, 0), "dltensor_versioned"),
        ((1, 3), "dltensor_versioned"),
        ((2, 0), "dltensor_versioned"),
        ([1, 0], "dltensor_versioned"),
    ],
)
def test_the_version_asked_for_chooses_the_struct(version, name):
    assert capsule_name(jg.ones(2).__dlpack__(max_version=version)) == name


def test_without_keywords_the_capsule_is_legacy_and_each_call_makes_a_fresh_one():
    x = jg.ones(2)
    first, second = x.__dlpack__(), x.__dlpack__()
    assert capsule_name(first) == "dltensor" and first is not second
    assert ctypes.addressof(managed_of(first)) != ctypes.addressof(managed_of(second))


def test_the_stamp_is_our_version():
    _capsule, managed = export(jg.ones(2), **NEW)
    assert (managed.version.major, managed.version.minor) == (1, 3)


@pytest.mark.parametrize("version", [1, "1.0", (1,), (1, 0, 0), ("1", "0"), 1.5])
def test_a_malformed_version_is_a_type_error_before_anything_happens(version):
    x = jg.ones(2) + 1
    with pytest.raises(TypeError):
        x.__dlpack__(max_version=version)
    assert x.status == "unscheduled"


@pytest.mark.parametrize("stream", [0, 1, 2, 12345, "x", 1.5, 2**80])
def test_the_cpu_has_no_stream(stream):
    with pytest.raises(BufferError, match="stream"):
        jg.ones(2).__dlpack__(stream=stream)


def test_no_stream_may_be_said_in_two_ways():
    for stream in (None, -1):
        assert capsule_name(jg.ones(2).__dlpack__(stream=stream)) == "dltensor"


def test_an_export_goes_to_a_device_that_is_there_or_is_refused():
    x = jg.ones(2)
    assert capsule_name(x.__dlpack__(dl_device=(1, 0))) == "dltensor"
    with pytest.raises(BufferError, match="dl_device"):
        x.__dlpack__(dl_device=(2, 0))
    for wide in ((2**32 + 4, 0), (2**32 + 1, 0), (1, 2**32)):  # as 32 bits, devices that are there
        with pytest.raises(BufferError, match=f"dl_device: got .{wide[0]}, {wide[1]}., but"):
            x.__dlpack__(dl_device=wide)
    for malformed in (1, "cpu", (1,), ("1", 0)):
        with pytest.raises(TypeError):
            x.__dlpack__(dl_device=malformed)


def test_everything_is_a_keyword():
    with pytest.raises(TypeError):
        jg.ones(2).__dlpack__(None)
    with pytest.raises(TypeError, match="unexpected"):
        jg.ones(2).__dlpack__(version=(1, 0))


def test_the_device_is_told_without_evaluating():
    x = jg.ones(2) + 1
    assert x.__dlpack_device__() == (1, 0)
    assert x.status == "unscheduled"


DTYPES = {
    "bool": (6, 8),
    "int8": (0, 8),
    "int16": (0, 16),
    "int32": (0, 32),
    "int64": (0, 64),
    "uint8": (1, 8),
    "uint16": (1, 16),
    "uint32": (1, 32),
    "uint64": (1, 64),
    "float16": (2, 16),
    "bfloat16": (4, 16),
    "float32": (2, 32),
    "float64": (2, 64),
    "complex64": (5, 64),
    "complex128": (5, 128),
}


@pytest.mark.parametrize("keywords", [{}, NEW], ids=["legacy", "versioned"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_have_their_codes(dtype, keywords):
    _capsule, managed = export(jg.ones((2, 3), dtype), **keywords)
    tensor = managed.dl_tensor
    assert (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) == (*DTYPES[dtype], 1)
    assert (tensor.device.device_type, tensor.device.device_id, tensor.ndim) == (1, 0, 2)
    assert (tensor.shape[:2], tensor.strides[:2], tensor.byte_offset) == ([2, 3], [3, 1], 0)


@pytest.mark.parametrize(
    ("make", "shape", "strides"),
    [
        (lambda x: x[1:, 1:], [2, 3], [4, 1]),
        (lambda x: x.T, [4, 3], [1, 4]),
        (lambda x: x[:, ::2], [3, 2], [4, 2]),
        (lambda x: x[1], [4], [1]),
        (lambda x: x[:, None, :1], [3, 1, 1], [4, 1, 1]),
        (lambda x: x[1:2, 3:1], [1, 0], [1, 1]),
        (lambda x: jg.broadcast_to(x[0], (2, 4)), [2, 4], [0, 1]),
    ],
)
def test_layouts_are_exported_as_they_are(make, shape, strides):
    base = jg.array(np.arange(12.0).reshape(3, 4))
    x = make(base)
    _capsule, managed = export(x, **NEW)
    tensor = managed.dl_tensor
    count = len(shape)
    assert tensor.shape[:count] == shape
    assert tensor.strides[:count] == strides
    assert tensor.byte_offset == 0
    if x.size:
        assert tensor.data == pointer_of(x)
        assert pointer_of(base) <= tensor.data < pointer_of(base) + base.nbytes
    else:
        assert tensor.data is None


def test_a_number_has_no_axes():
    _capsule, managed = export(jg.array(2.5), **NEW)
    assert managed.dl_tensor.ndim == 0
    assert ctypes.c_float.from_address(managed.dl_tensor.data).value == 2.5


def test_our_own_memory_is_aligned_for_everybody():
    for size in (1, 3, 1000, 100_000):
        _capsule, managed = export(jg.ones(size) + 1)
        assert managed.dl_tensor.data % 256 == 0


def test_copy_true_exports_a_copy_and_others_the_memory():
    x = jg.array([1.0, 2.0])
    for copy in (None, False):
        _capsule, managed = export(x, copy=copy, **NEW)
        assert managed.dl_tensor.data == pointer_of(x) and managed.flags == 0
    _capsule, managed = export(x, copy=True, **NEW)
    assert managed.dl_tensor.data != pointer_of(x) and managed.flags == IS_COPIED


@pytest.mark.parametrize("keywords", [{}, NEW], ids=["legacy", "versioned"])
def test_negative_strides_go_out_as_a_copy_or_not_at_all(keywords):
    x = jg.array(np.arange(5.0))[::-1]
    _capsule, managed = export(x, **keywords)
    assert managed.dl_tensor.strides[0] == 1
    if keywords:
        assert managed.flags & IS_COPIED
    assert np.from_dlpack(x).tolist() == [4, 3, 2, 1, 0]
    with pytest.raises(jg.CopyError):
        x.__dlpack__(copy=False, **keywords)


def test_read_only_memory_has_a_flag_or_is_copied():
    source = np.arange(3.0)
    source.flags.writeable = False
    x = jg.from_dlpack(source)
    _capsule, managed = export(x, **NEW)
    assert managed.flags & READ_ONLY and managed.dl_tensor.data == pointer_of(x)
    _capsule, managed = export(x)
    assert managed.dl_tensor.data != pointer_of(x)
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)


def test_broadcast_layouts_are_read_only():
    _capsule, managed = export(jg.broadcast_to(jg.array([1.0, 2.0]), (3, 2)), **NEW)
    assert managed.flags & READ_ONLY


def test_errors_of_the_copy_policy_are_of_both_classes():
    with pytest.raises(BufferError) as caught:
        jg.array(np.arange(3.0))[::-1].__dlpack__(copy=False)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("keywords", [{}, NEW], ids=["legacy", "versioned"])
def test_the_memory_outlives_the_array(keywords):
    jg.clear_cache()
    before = jg.get_active_memory()
    x = jg.arange(100_000) + 0
    capsule = x.__dlpack__(**keywords)
    del x
    tensor = managed_of(capsule).dl_tensor
    jg.eval(jg.ones(100_000, "int64") + 5)  # would reuse the memory if it could
    values = np.ctypeslib.as_array(
        ctypes.cast(tensor.data, ctypes.POINTER(ctypes.c_int64)), (100_000,)
    )
    assert np.array_equal(values, np.arange(100_000))
    assert jg.get_active_memory() > before
    del capsule, values
    settle()
    assert jg.get_active_memory() == before


def test_an_array_that_changes_its_value_leaves_its_exports_alone():
    x = jg.array([1.0, 2.0])
    view = np.from_dlpack(x)
    x += 1
    x[0] = 9
    assert view.tolist() == [1, 2] and x.tolist() == [9, 3]


def test_a_writer_on_the_other_side_is_seen_by_later_work():
    x = jg.array([1.0, 2.0])
    np.from_dlpack(x)[0] = 5
    assert (x + 1).tolist() == [6, 3]


def test_many_exports_of_one_array_are_each_given_back():
    fake = FakeTensor(np.arange(3.0))
    x = jg.from_dlpack(fake.capsule())
    capsules = [x.__dlpack__(**keywords) for keywords in ({}, NEW) * 20]
    del x
    views = [jg.from_dlpack(capsule) for capsule in capsules]
    del capsules
    settle()
    assert fake.deleted == 0
    assert all(view.tolist() == [0, 1, 2] for view in views)
    del views
    settle()
    assert fake.deleted == 1


def test_a_deleter_may_be_called_on_any_thread():
    fake = FakeTensor(np.arange(3.0))
    x = jg.from_dlpack(fake.capsule())
    _kept, managed = export(x, **NEW)
    address = ctypes.addressof(managed)
    view = jg.from_dlpack(_kept)  # the capsule is consumed: the deleter is called for the view
    del x
    thread = threading.Thread(target=lambda holder: holder.clear(), args=([view],))
    del view
    thread.start()
    thread.join()
    settle()
    assert fake.deleted == 1 and address


def test_a_failed_export_leaves_nothing_behind():
    fake = FakeTensor(np.arange(3.0)[::-1])
    x = jg.from_dlpack(fake.capsule())
    for _ in range(10):
        with pytest.raises(jg.CopyError):
            x.__dlpack__(copy=False)
    del x
    settle()
    assert fake.deleted == 1


def test_a_capsule_may_die_while_an_exception_is_on_its_way():
    def fail():
        capsule = jg.ones(3).__dlpack__()
        raise KeyError(capsule_name(capsule))

    with pytest.raises(KeyError, match="dltensor"):
        fail()


def test_capsules_and_exports_may_outlive_the_interpreter():
    code = """
import sys, numpy as np, joggle as jg
class Late:
    def __del__(self): self.kept = None
x = jg.array(np.arange(4.0)) + 1
late = Late()
late.kept = [x.__dlpack__(), x.__dlpack__(max_version=(1, 0)), np.from_dlpack(x), memoryview(x)]
late.kept.append(jg.array(bytearray(8)))
sys.modules["kept_to_the_end"] = late
import builtins; builtins.kept = jg.from_dlpack(np.arange(3.0))
jg.async_eval(jg.ones(100000) + 1)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


class Table(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("prev_api", ctypes.c_void_p),
        ("allocator", ctypes.c_void_p),
        (
            "from_py",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p)),
        ),
        (
            "to_py",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object)),
        ),
        ("borrow", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)),
        (
            "stream",
            ctypes.PYFUNCTYPE(
                ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
            ),
        ),
    )


@pytest.fixture
def table():
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    return Table.from_address(pointer(jg.array.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


def test_the_table_is_on_the_type_and_complete(table):
    assert (table.major, table.minor, table.prev_api) == (1, 3, None)
    assert table.allocator and table.from_py and table.to_py and table.borrow and table.stream


def test_the_table_exports_what_is_not_computed_yet(table):
    from fake_producer import DLManagedTensorVersioned, DLTensor

    x = jg.arange(3) + 1
    out = ctypes.c_void_p()
    assert table.from_py(x, ctypes.byref(out)) == 0
    managed = DLManagedTensorVersioned.from_address(out.value)
    assert managed.dl_tensor.shape[0] == 3 and managed.dl_tensor.data == pointer_of(x)
    managed.deleter(out.value)
    borrowed = DLTensor()
    assert table.borrow(x, ctypes.byref(borrowed)) == 0
    assert (borrowed.data, borrowed.shape[0], borrowed.strides[0]) == (pointer_of(x), 3, 1)


def test_the_table_imports_and_leaves_what_it_refuses_to_the_caller(table):
    fake = FakeTensor(np.arange(3.0))
    out = ctypes.py_object()
    assert table.to_py(ctypes.addressof(fake.managed), ctypes.byref(out)) == 0
    x = out.value
    ctypes.pythonapi.Py_DecRef(out)  # the reference that the function gave
    assert isinstance(x, jg.array) and x.tolist() == [0, 1, 2]
    del x, out
    settle()
    assert fake.deleted == 1
    for version, ndim in (((2, 0), 1), ((1, 0), -1)):
        fake = FakeTensor(np.arange(3.0), version=version)
        fake.tensor.ndim = ndim
        out = ctypes.py_object()
        with pytest.raises(BufferError):
            table.to_py(ctypes.addressof(fake.managed), ctypes.byref(out))
        settle()
        assert fake.deleted == 0


def test_the_table_checks_types_and_has_no_stream(table):
    out = ctypes.c_void_p(1)
    with pytest.raises(TypeError):
        table.from_py(3, ctypes.byref(out))
    assert table.stream(1, 0, ctypes.byref(out)) == 0 and out.value is None
    with pytest.raises(BufferError):
        table.stream(2, 0, ctypes.byref(out))
