# SPDX-License-Identifier: Apache-2.0
"""Which protocol array(x) uses for an x that speaks several: the order of docs/precedence.md.

Each class below speaks one protocol and those behind it in the order, each with a value of its own,
so that the value tells which one was used.
"""

import array as pyarray
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from fake_producer import FakeProducer, FakeTensor

import joggle as jg

ROOT = Path(__file__).resolve().parents[3]
COPIES = [None, True]


def value(x):
    return np.asarray(x).reshape(-1).tolist()[0]


class SpeaksHooks:
    def __jax_array__(self):
        return np.array([7.0])


class SpeaksMlx(SpeaksHooks):
    def __mlx_array__(self):
        return np.array([6.0])


class SpeaksArray(SpeaksMlx):
    def __array__(self, dtype=None, copy=None):
        return np.array([5.0])


class SpeaksInterface(SpeaksArray):
    def __init__(self):
        self.memory = np.array([4.0])

    @property
    def __array_interface__(self):
        return self.memory.__array_interface__


class SpeaksDlpack(SpeaksInterface):
    def __init__(self):
        super().__init__()
        self.other = np.array([2.0])

    def __dlpack__(self, **keywords):
        return self.other.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return (1, 0)


class ListThatSpeaksDlpack(list):
    __dlpack__ = SpeaksDlpack.__dlpack__
    __dlpack_device__ = SpeaksDlpack.__dlpack_device__
    other = np.array([2.0])


class BytesThatSpeakAll(bytearray):
    """The buffer protocol (3) and what is behind it."""

    __jax_array__ = SpeaksHooks.__jax_array__
    __array__ = SpeaksArray.__array__
    described = np.array([4.0])
    __array_interface__ = property(lambda self: self.described.__array_interface__)


class BytesThatSpeakDlpackToo(BytesThatSpeakAll):
    __dlpack__ = SpeaksDlpack.__dlpack__
    __dlpack_device__ = SpeaksDlpack.__dlpack_device__
    other = np.array([2.0])


class FloatThatSpeaksDlpack(float):
    __dlpack__ = SpeaksDlpack.__dlpack__
    __dlpack_device__ = SpeaksDlpack.__dlpack_device__
    other = np.array([2.0])


class NumberThatSpeaksHooks(SpeaksHooks):
    def __float__(self):
        return 8.0


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: FloatThatSpeaksDlpack(1.0), 1),
        (lambda: ListThatSpeaksDlpack([1.0]), 1),
        (SpeaksDlpack, 2),
        (lambda: BytesThatSpeakDlpackToo(b"\x03"), 2),
        (lambda: BytesThatSpeakAll(b"\x03"), 3),
        (SpeaksInterface, 4),
        (SpeaksArray, 5),
        (SpeaksMlx, 6),
        (SpeaksHooks, 7),
        (NumberThatSpeaksHooks, 7),
        (lambda: range(9, 10), 9),
    ],
)
def test_the_first_protocol_in_the_order_is_used(make, expected, copy):
    assert value(jg.array(make(), copy=copy)) == expected
    assert value(jg.asarray(make(), copy=copy)) == expected


def test_our_own_arrays_come_first_and_share():
    x = jg.array([1.0, 2.0])
    assert np.shares_memory(np.asarray(jg.array(x)), np.asarray(x))
    assert not np.shares_memory(np.asarray(jg.array(x, copy=True)), np.asarray(x))


def test_a_raw_capsule_of_either_name_is_shared():
    source = np.arange(3.0)
    for keywords in ({}, {"max_version": (1, 0)}):
        x = jg.array(source.__dlpack__(**keywords))
        assert np.shares_memory(np.asarray(x), source)


def test_a_type_is_no_array_though_its_objects_are():
    for kind in (SpeaksDlpack, SpeaksInterface, SpeaksHooks, np.ndarray, bytearray):
        with pytest.raises(TypeError):
            jg.array(kind)


def test_half_of_dlpack_is_not_dlpack():
    class Half:
        def __dlpack__(self, **keywords):
            raise AssertionError("asked without a device")

        values = np.array([4.0])  # the interface keeps no memory
        __array_interface__ = values.__array_interface__

    assert value(jg.array(Half())) == 4


def test_instance_attributes_count_where_the_type_has_none():
    class Bare:
        pass

    x, source = Bare(), np.array([2.0])
    x.__dlpack__, x.__dlpack_device__ = source.__dlpack__, source.__dlpack_device__
    assert value(jg.array(x)) == 2
    assert value(jg.from_dlpack(x)) == 2


def test_the_type_comes_before_the_instance():
    x = SpeaksDlpack()
    x.__dlpack__ = lambda **keywords: np.array([99.0]).__dlpack__()
    assert value(jg.from_dlpack(x)) == 2


@pytest.mark.parametrize(
    ("code", "dtype"),
    [
        ("b", "int8"),
        ("B", "uint8"),
        ("h", "int16"),
        ("H", "uint16"),
        ("i", "int32"),
        ("I", "uint32"),
        ("q", "int64"),
        ("Q", "uint64"),
        ("f", "float32"),
        ("d", "float64"),
    ],
)
def test_buffers_are_shared(code, dtype):
    source = pyarray.array(code, [1, 2, 3])
    x = jg.array(source, copy=False)
    assert x.dtype.name == dtype and x.tolist() == [1, 2, 3]
    assert np.shares_memory(np.asarray(x), np.frombuffer(source, dtype=dtype))
    snapshot = jg.array(source, copy=True)
    source[0] = 9
    assert snapshot.tolist() == [1, 2, 3]
    assert jg.array(source).tolist() == [9, 2, 3]


def test_a_buffer_is_held_as_long_as_the_array():
    source = bytearray(b"abc")
    x = jg.array(source)
    with pytest.raises(BufferError):
        source.append(1)
    del x
    source.append(1)
    x = jg.array(source)
    jg.eval(x + 1)
    y = x[1:]
    del x
    with pytest.raises(BufferError):
        source.append(1)
    del y
    source.append(1)


def test_read_only_buffers_give_read_only_exports():
    x = jg.array(b"abc")
    assert not np.asarray(x).flags.writeable and memoryview(x).readonly
    assert x.tolist() == [97, 98, 99]


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: a[1:, 2:],
        lambda a: np.broadcast_to(a[0], (5, 4)),
        lambda a: a[:0],
        lambda a: a[1, 2, ...],
        lambda a: a[None],
    ],
)
@pytest.mark.parametrize("through", [lambda a: a, memoryview, SpeaksInterface])
def test_strides_of_numpy_arrays_and_buffers_are_taken_as_they_are(make, through):
    a = make(np.arange(12.0).reshape(3, 4))
    speaker = through() if through is SpeaksInterface else through(a)
    if through is SpeaksInterface:
        speaker.memory = a
    x = jg.array(speaker, copy=False)
    assert x.shape == a.shape and np.array_equal(np.asarray(x), a)
    assert np.array_equal(np.asarray(x + 1), a + 1)
    if a.size:
        assert np.asarray(x).__array_interface__["data"][0] == a.__array_interface__["data"][0]


def test_strides_that_are_no_whole_elements_need_a_copy():
    record = np.zeros(4, dtype=[("a", "i2"), ("b", "f4")])
    record["b"] = [1, 2, 3, 4]
    column = record["b"]
    with pytest.raises(BufferError):
        jg.array(column, copy=False)
    assert jg.array(memoryview(column)).tolist() == [1, 2, 3, 4]
    with pytest.raises(jg.CopyError):
        jg.array(memoryview(column), copy=False)


@pytest.mark.parametrize("dtype", [">f4", ">i8", ">c16", ">u2"])
def test_the_other_byte_order_is_refused_naming_it(dtype):
    a = np.arange(3).astype(dtype)
    with pytest.raises(BufferError, match="byte order"):
        jg.array(a)
    with pytest.raises(BufferError, match=r"'>?Z?[a-z]'|format"):
        jg.array(memoryview(a))


@pytest.mark.parametrize("dtype", ["U3", "S3", "O", "M8[s]", "m8[s]", "g", [("a", "i4")]])
def test_dtypes_that_are_no_numbers_are_refused(dtype):
    with pytest.raises((BufferError, TypeError)):
        jg.array(np.zeros(2, dtype=dtype))


@pytest.mark.parametrize(
    "name",
    [
        "bfloat16",
        "float8_e3m4",
        "float8_e4m3",
        "float8_e4m3b11fnuz",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
    ],
)
def test_ml_dtypes_go_in_and_out_without_a_copy(name):
    a = np.array([[1, 2], [0.5, 4]], dtype=getattr(ml_dtypes, name))
    x = jg.array(a, copy=False)
    assert x.dtype.name == name and x.tolist() == a.astype("f8").tolist()
    back = np.asarray(x)
    assert back.dtype == a.dtype and np.shares_memory(back, a)


def test_what_describes_the_memory_of_another_object_keeps_it():
    numbers = [jg.asarray(ml_dtypes.bfloat16(value)) for value in range(100)]
    assert [number.item() for number in numbers] == list(range(100))


def test_masked_arrays_are_refused():
    masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    for make in (jg.array, jg.asarray, jg.from_dlpack):
        with pytest.raises(TypeError, match="filled"):
            make(masked)
    assert jg.array(masked.filled(0)).tolist() == [0, 2]


def test_copy_false_does_not_trust_array_methods():
    with pytest.raises(jg.CopyError, match="__array__"):
        jg.array(SpeaksArray(), copy=False)


def test_a_refused_copy_does_not_go_on_to_the_next_protocol():
    class Stubborn(SpeaksInterface):
        def __init__(self):
            super().__init__()
            self.fake = FakeTensor(np.array([2.0]), flags=2)

        __dlpack_device__ = SpeaksDlpack.__dlpack_device__

        def __dlpack__(self, **keywords):
            return self.fake.capsule()

    with pytest.raises(jg.CopyError):
        jg.array(Stubborn(), copy=False)


def test_a_refusal_goes_on_to_the_next_description_of_memory():
    class Modest(SpeaksInterface):
        def __dlpack__(self, **keywords):
            raise BufferError("not this way")

        def __dlpack_device__(self):
            return (1, 0)

    assert value(jg.array(Modest())) == 4
    with pytest.raises(BufferError, match="not this way"):
        jg.from_dlpack(Modest())


def test_errors_of_a_producer_come_through():
    class Broken(FakeProducer):
        def __dlpack__(self, **keywords):
            raise KeyError("inside")

    for make in (jg.array, jg.from_dlpack):
        with pytest.raises(KeyError, match="inside"):
            make(Broken(None))


def test_a_dtype_casts_what_was_shared_unless_copies_are_refused():
    a = np.arange(3)
    assert jg.array(a, dtype="float32").tolist() == [0, 1, 2]
    assert np.shares_memory(np.asarray(jg.array(a, dtype="int64", copy=False)), a)
    with pytest.raises(jg.CopyError):
        jg.array(a, dtype="float32", copy=False)


def test_an_array_method_that_gives_itself_ends():
    class Same:
        def __array__(self, dtype=None, copy=None):
            return self

    with pytest.raises(TypeError, match="again"):
        jg.array(Same())


def test_the_page_lists_the_steps_of_the_code():
    page = (ROOT / "docs" / "precedence.md").read_text()
    source = (ROOT / "python" / "src" / "convert" / "convert.c").read_text()
    names = re.findall(r"\{(\w+), (?:true|false)\}", source)
    listed = [line.split("`")[-2] for line in page.splitlines() if line[:1].isdigit()]
    assert names == listed
