# SPDX-License-Identifier: Apache-2.0
"""Arrays out of numbers, nested sequences and nothing."""

import copy
import pickle
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import joggle as jg

COMPUTED = [
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
    "complex64",
    "complex128",
]


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (True, "bool", ()),
        (3, "int64", ()),
        (2.5, "float32", ()),
        (1j, "complex64", ()),
        (2**63, "uint64", ()),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ([True, False], "bool", (2,)),
        ([True, 2], "int64", (2,)),
        ([1, 2.5], "float32", (2,)),
        ([1, 2.5, 1j], "complex64", (3,)),
        (((1, 2), [3, 4]), "int64", (2, 2)),
        (range(4), "int64", (4,)),
        (Fraction(1, 4), "float32", ()),
        ([np.float64(0.1), 2], "float64", (2,)),
        ([np.arange(3, dtype="i2"), [1, 2, 3]], "int16", (2, 3)),
    ],
)
def test_numbers_give_the_dtype_of_the_highest_kind(data, dtype, shape):
    x = jg.array(data)
    assert (x.dtype, x.shape) == (getattr(jg, dtype), shape)
    reference = np.array([float(data)] if isinstance(data, Fraction) else data, dtype=dtype)
    assert np.array_equal(np.asarray(x).reshape(reference.shape), reference)


@pytest.mark.parametrize("dtype", COMPUTED)
def test_a_dtype_is_taken_as_object_name_and_numpy_dtype(dtype):
    numpy_dtype = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    for spelling in (getattr(jg, dtype), dtype, numpy_dtype, numpy_dtype.type):
        x = jg.array([0, 1], dtype=spelling)
        assert x.dtype is getattr(jg, dtype)
        assert np.asarray(x).dtype == numpy_dtype
        assert np.array_equal(np.asarray(x), np.array([0, 1], numpy_dtype))


def test_doubles_are_not_rounded_twice_on_their_way_to_float64():
    assert jg.array([0.1, 1e300], dtype="float64").tolist() == [0.1, 1e300]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ([1, [2]], r"x\[1\]"),
        ([[1, 2], [3]], r"x\[1\]: has 1 items, allowed are 2"),
        ([[1], 2], r"x\[1\]"),
        ([[[1], [2]], [[3], [4, 5]]], r"x\[1\]\[1\]: has 2"),
    ],
)
def test_ragged_lists_are_refused_naming_the_place(data, place):
    with pytest.raises(ValueError, match=place):
        jg.array(data)


def test_what_is_no_number_is_refused_naming_the_place():
    with pytest.raises(TypeError, match=r"x\[0\]\[1\]: got str"):
        jg.array([[1, "2"]])
    for stranger in ("12", None, {1: 2}, object(), int, iter([1])):
        with pytest.raises(TypeError):
            jg.array(stranger)


@pytest.mark.parametrize(
    ("data", "dtype"),
    [(300, "uint8"), (-1, "uint64"), (2**63, "int64"), ([1, 2**31], "int32"), (2**64, None)],
)
def test_an_int_out_of_range_is_an_overflow_error(data, dtype):
    with pytest.raises(OverflowError):
        jg.array(data, dtype=dtype)


def test_complex_numbers_do_not_fit_reals():
    with pytest.raises(TypeError, match="complex"):
        jg.array([1j], dtype="float32")


def test_numbers_cannot_be_had_without_a_copy():
    for data in (1, [1, 2]):
        with pytest.raises(jg.CopyError) as caught:
            jg.array(data, copy=False)
        assert isinstance(caught.value, BufferError) and isinstance(caught.value, ValueError)


@pytest.mark.parametrize("dtype", COMPUTED)
def test_zeros_ones_and_full_have_what_they_say(dtype):
    for x, value in (
        (jg.zeros((2, 3), dtype), 0),
        (jg.ones((2, 3), dtype), 1),
        (jg.full((2, 3), 1, dtype), 1),
    ):
        assert (x.shape, x.dtype) == ((2, 3), getattr(jg, dtype))
        assert np.array_equal(
            np.asarray(x).astype("f8" if "complex" not in dtype else "c16"), np.full((2, 3), value)
        )


def test_creation_functions_take_the_dtype_of_their_value_or_float32():
    assert jg.zeros(3).dtype is jg.float32
    assert jg.full((), 2).dtype is jg.int64
    assert jg.full(2, 2.0).dtype is jg.float32
    assert jg.full(2, True).dtype is jg.bool
    assert jg.full(2, jg.array(1.5, dtype="float64")).dtype is jg.float64


def test_empty_is_not_computed_and_has_its_shape():
    x = jg.empty((3, 0, 2), dtype="int16")
    assert (x.shape, x.size, x.nbytes, x.ndim) == ((3, 0, 2), 0, 0, 3)
    assert jg.empty(5).shape == (5,)


@pytest.mark.parametrize("make", [jg.empty, jg.zeros, jg.ones, lambda shape: jg.full(shape, 1)])
def test_bad_shapes_are_refused(make):
    with pytest.raises(ValueError, match=r"shape\[1\]"):
        make((2, -3))
    with pytest.raises(ValueError):
        make((1,) * 65)
    with pytest.raises((ValueError, MemoryError)):
        make((2**40, 2**40))
    with pytest.raises(TypeError):
        make("3")
    with pytest.raises(TypeError):
        make(2.5)


def test_like_takes_shape_and_dtype_of_arrays_of_others_too():
    like = np.ones((2, 3), dtype="i2")
    for make in (jg.empty_like, jg.zeros_like, jg.ones_like):
        assert (make(like).shape, make(like).dtype) == ((2, 3), jg.int16)
        assert make(jg.array(like), dtype="float64").dtype is jg.float64
    assert jg.full_like(like, 7).tolist() == [[7] * 3] * 2


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (2, 7),
        (7, 2, -2),
        (0, 1, 0.25),
        (3, 3),
        (-3, 4, 2),
        (0.5, 3),
        (5, 0),
        (0.0, -1.0, -0.3),
    ],
)
def test_arange_agrees_with_numpy(arguments):
    x, reference = jg.arange(*arguments), np.arange(*arguments)
    assert x.dtype is (jg.int64 if reference.dtype == "i8" else jg.float32)
    np.testing.assert_allclose(
        np.asarray(x), reference.astype(str(x.dtype.name)), rtol=1e-6, atol=1e-6
    )


def test_arange_refuses_step_zero_and_takes_a_dtype():
    with pytest.raises(ValueError):
        jg.arange(0, 5, 0)
    assert jg.arange(4, dtype="uint8").tolist() == [0, 1, 2, 3]
    assert jg.arange(4, dtype="uint8").dtype is jg.uint8


STARTS = [
    ("int8", 128, 130, 1),
    ("int8", -129, 0, 1),
    ("uint8", 256, 0, -1),
    ("uint8", -1, 2, 1),
    ("uint16", 65536.5, 65538.0, 1),
    ("uint32", 2**32, 2**32 + 2, 1),
    ("uint64", -1, 2, 1),
]


@pytest.mark.parametrize(("dtype", "start", "stop", "step"), STARTS)
def test_arange_refuses_a_first_element_that_does_not_fit(dtype, start, stop, step):
    with pytest.raises(ValueError, match=rf"\[arange\] start: \S+ does not fit {dtype}"):
        jg.arange(start, stop, step, dtype=dtype)
    assert jg.arange(start, start, step, dtype=dtype).shape == (0,)


def test_arange_of_bools_has_two_elements_at_most_as_numpys():
    for stop in (0, 1, 2):
        x, reference = jg.arange(stop, dtype="bool"), np.arange(stop, dtype="bool")
        assert x.dtype is jg.bool and x.tolist() == reference.tolist()
    for arguments in ((3,), (0, 9, 4), (1, -2, -1)):
        with pytest.raises(TypeError):
            np.arange(*arguments, dtype="bool")
        with pytest.raises(TypeError, match=r"\[arange\] dtype: got bool for 3 elements"):
            jg.arange(*arguments, dtype="bool")


def test_arange_takes_the_ends_of_its_dtype():
    assert jg.arange(-128, -126, dtype="int8").tolist() == [-128, -127]
    assert jg.arange(255, 253, -1, dtype="uint8").tolist() == [255, 254]
    assert jg.arange(2**64 - 2, 2**64 - 1, dtype="uint64").tolist() == [2**64 - 2]
    assert jg.arange(-0.5, 2.0, dtype="uint8").tolist() == [0, 1, 2]
    wrapped = np.arange(126, 130).astype("int8")  # only the first element is checked, as NumPy does
    assert jg.arange(126, 130, dtype="int8").tolist() == wrapped.tolist()


def test_a_device_is_cpu_or_refused_by_name():
    assert jg.zeros(2, device="cpu").device == "cpu"
    assert jg.zeros(2, device=(1, 0)).device == "cpu"
    with pytest.raises(ValueError, match="cuda"):
        jg.zeros(2, device="cuda:1")
    with pytest.raises(ValueError, match="nowhere"):
        jg.zeros(2, device="nowhere")


def test_array_makes_a_handle_of_its_own_and_asarray_none():
    x = jg.array([1, 2])
    assert jg.asarray(x) is x
    y = jg.array(x)
    y[0] = 9
    assert (x.tolist(), y.tolist()) == ([1, 2], [9, 2])
    assert jg.asarray(x, dtype="float32").dtype is jg.float32
    assert jg.asarray(x, copy=True) is not x


def test_an_array_in_another_dtype_needs_leave_to_copy():
    with pytest.raises(jg.CopyError, match="int64 must be copied to become float32"):
        jg.asarray(jg.array([1]), dtype="float32", copy=False)
    x = jg.array([1])
    assert jg.asarray(x, dtype="int64", copy=False) is x


def test_dtypes_equal_their_names_and_can_be_hashed_and_pickled():
    assert jg.float32 == jg.float32 and jg.float32 != jg.float64
    assert (jg.float32 == "float32") is True and (jg.float32 == 3) is False
    assert {jg.float32: 1}[jg.float32] == 1
    assert repr(jg.float32) == "joggle.float32"
    assert (jg.complex64.itemsize, jg.int4.bits, jg.bool.name) == (8, 4, "bool")
    assert pickle.loads(pickle.dumps(jg.bfloat16)) is jg.bfloat16
    assert copy.deepcopy(jg.int8) is jg.int8
    with pytest.raises(TypeError, match="names no dtype"):
        jg.zeros(2, dtype="float33")
    with pytest.raises(TypeError):
        jg.zeros(2, dtype=3)


def test_handles_hash_by_identity_and_can_be_referred_to_weakly():
    import weakref

    x = jg.array([1])
    assert hash(x) == hash(x) and len({x, jg.array([1])}) == 2
    reference = weakref.ref(x)
    assert reference() is x
    del x
    assert reference() is None


def test_copies_of_an_array_do_not_see_each_other():
    x = jg.array([1, 2])
    for other in (copy.copy(x), copy.deepcopy(x)):
        other[0] = 5
        assert x.tolist() == [1, 2]


def test_ranges_may_span_more_than_63_bits():
    assert jg.arange(1, -(2**63), 2**58, dtype="float32").shape == (0,)
    wide = jg.arange(-(2**63), 2**63 - 1, 2**62)
    assert wide.tolist() == list(range(-(2**63), 2**63 - 1, 2**62))
    unsigned = jg.arange(2**64 - 1, 2**63, -(2**62), dtype="uint64")
    assert unsigned.tolist() == [2**64 - 1, 2**64 - 1 - 2**62]
    with pytest.raises(ValueError, match=r"start: 9223372036854775808 does not fit int64"):
        jg.arange(2**63, 2**63 + 3)
    with pytest.raises(ValueError, match="in steps of 1, allowed are counts below 2\\^63"):
        jg.arange(-(2**63), 2**63 - 1)


def test_a_diagonal_may_be_any_number_of_places_away():
    x = jg.ones((2, 3))
    for k in (2**63, 2**64, -(2**63) - 1):
        assert not jg.any(jg.eye(2, 3, k)).item()
        assert jg.all(jg.tri(2, 3, k)).item() == (k > 0)
        assert jg.sum(jg.tril(x, k)).item() == 6 * (k > 0)
        assert jg.diagonal(x, k).shape == (0,) and jg.trace(x, k).item() == 0
    with pytest.raises(OverflowError, match="shift: got 18446744073709551616, allowed are ints"):
        jg.roll(x, 2**64)


def test_a_shape_may_be_an_array_of_numpy():
    assert jg.zeros(np.array([2, 3])).shape == (2, 3)
    assert jg.zeros(np.array([4])).shape == (4,)
    assert jg.zeros(np.array(5)).shape == jg.zeros(np.int64(5)).shape == (5,)
    assert jg.sum(jg.ones((2, 3, 4)), axis=np.array([0, 2])).shape == (3,)
    with pytest.raises(TypeError, match="float"):
        jg.zeros(np.array([2.5, 3]))


def test_the_lowest_whole_number_as_a_float_fits():
    assert jg.asarray([-(2.0**63)], dtype=jg.int64).tolist() == [-(2**63)]
    assert jg.full((1,), -(2.0**63), dtype=jg.int64).tolist() == [-(2**63)]


def test_a_list_that_changes_while_it_is_read_is_read_as_it_was():
    class Extent:
        def __init__(self, shape):
            self.shape = shape

        def __index__(self):
            self.shape.clear()
            return 2

    shape = []
    shape += [Extent(shape), 3]
    assert jg.zeros(shape).shape == (2, 3)
