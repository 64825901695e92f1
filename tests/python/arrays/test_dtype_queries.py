# SPDX-License-Identifier: Apache-2.0
"""finfo, iinfo, isdtype, result_type and can_cast: against NumPy and ml_dtypes, and against what
ops do with the same dtypes."""

import itertools
import re

import ml_dtypes
import numpy as np
import pytest
from elementwise import ALL, COMPLEX, FLOATS, INTEGERS
from numpys import assert_same

import joggle as jg

STORED_FLOATS = [
    name
    for name in vars(ml_dtypes)
    if name.startswith("float") and hasattr(jg, name) and name != "float8_e8m0fnu"
]


@pytest.mark.parametrize("name", ["float64", "complex128"])
def test_pythons_types_keep_the_width_of_doubles(name):
    x = jg.ones(2, name)
    for own, wide in ((float, jg.float64), (complex, jg.complex128)):
        if name == "float64" or own is complex:
            assert x.astype(own).dtype is wide and jg.astype(x, own).dtype is wide
        assert jg.zeros_like(x, dtype=own).dtype is jg.full_like(x, 2, dtype=own).dtype is wide
        assert jg.empty_like(x, own).dtype is jg.ones_like(np.ones(2, name), own).dtype is wide


@pytest.mark.parametrize("name", ["int64", "bool", "float16", "float32", "complex64"])
def test_pythons_types_are_the_default_floats_beside_others(name):
    x = jg.ones(2, name)
    assert jg.zeros_like(x, float).dtype is jg.float32
    assert jg.zeros_like(x, complex).dtype is x.astype(complex).dtype is jg.complex64


@pytest.mark.parametrize("name", ALL)
def test_dtypes_have_the_attributes_of_numpys(name):
    ours = getattr(jg, name)
    theirs = np.dtype(getattr(ml_dtypes, name, name))
    for field in ("char", "num", "str", "byteorder", "isnative", "names", "kind", "itemsize"):
        if (name, field) != ("bfloat16", "kind"):
            assert getattr(ours, field) == getattr(theirs, field), field


def test_an_attribute_of_a_dtype_that_numpy_lacks_is_refused_by_name():
    for field in ("char", "num", "str", "type"):
        with pytest.raises(AttributeError, match=f"'{field}': NumPy has no dtype for float128"):
            getattr(jg.float128, field)
    assert jg.float128.names is None and jg.float128.isnative is True


@pytest.mark.parametrize("name", FLOATS + COMPLEX)
def test_the_limits_of_floats_are_numpys(name):
    ours = jg.finfo(getattr(jg, name))
    theirs = ml_dtypes.finfo(ml_dtypes.bfloat16) if name == "bfloat16" else np.finfo(name)
    for field in ("bits", "eps", "max", "min", "smallest_normal", "smallest_subnormal", "tiny"):
        assert float(getattr(ours, field)) == float(getattr(theirs, field)), field
    assert all(type(getattr(ours, field)) is float for field in ("eps", "max", "min"))
    assert ours.dtype.name == (theirs.dtype.name if name != "bfloat16" else name)
    assert repr(ours) == f"finfo(min={ours.min:g}, max={ours.max:g}, dtype={ours.dtype.name})"


@pytest.mark.parametrize("name", STORED_FLOATS)
def test_the_limits_of_stored_floats_are_those_of_ml_dtypes(name):
    ours, theirs = jg.finfo(name), ml_dtypes.finfo(getattr(ml_dtypes, name))
    for field in ("bits", "eps", "max", "smallest_normal", "smallest_subnormal"):
        assert float(getattr(ours, field)) == float(getattr(theirs, field)), field


def test_numbers_beyond_the_limits_are_infinite():
    for name in FLOATS:
        info = jg.finfo(name)
        largest = jg.full(1, info.max, name)
        assert largest.item() == info.max and (largest * 2).item() == jg.inf
        assert jg.nextafter(jg.ones((), name), 2.0).item() == 1 + info.eps
        assert jg.nextafter(jg.zeros((), name), 1.0).item() == info.smallest_subnormal


@pytest.mark.parametrize("name", INTEGERS)
def test_the_limits_of_integers_are_numpys(name):
    for argument in (getattr(jg, name), jg.ones(2, name), name):
        ours, theirs = jg.iinfo(argument), np.iinfo(name)
        assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)
        assert ours.dtype is getattr(jg, name)
    assert repr(ours) == f"iinfo(min={ours.min}, max={ours.max}, dtype={name})"


def test_packed_integers_have_limits_too():
    assert (jg.iinfo("int4").min, jg.iinfo("int4").max) == (-8, 7)
    assert (jg.iinfo("uint2").min, jg.iinfo("uint2").max) == (0, 3)


def test_limits_are_told_of_the_kinds_that_have_them():
    assert jg.finfo(jg.ones(2, "complex128")).dtype is jg.float64
    for refused in ("int32", "bool", "float128", "float8_e8m0fnu", jg.ones(2, "int8")):
        with pytest.raises(TypeError):
            jg.finfo(refused)
    for refused in ("float32", "bool", "complex64"):
        with pytest.raises(TypeError):
            jg.iinfo(refused)


KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating"]
KINDS += ["complex floating", "numeric"]


@pytest.mark.parametrize("name", [name for name in ALL if name != "bfloat16"])
def test_kinds_are_numpys(name):
    for kind in KINDS:
        assert jg.isdtype(getattr(jg, name), kind) is np.isdtype(np.dtype(name), kind)
    assert jg.isdtype(getattr(jg, name), getattr(jg, name)) is True
    assert jg.isdtype(dtype=getattr(jg, name), kind=("bool", "numeric")) is True
    assert jg.isdtype(getattr(jg, name), ()) is False


def test_a_dtype_is_of_the_kinds_in_a_tuple():
    assert jg.isdtype(jg.bfloat16, "real floating") and not jg.isdtype(jg.bfloat16, "integral")
    assert jg.isdtype(jg.int8, ("bool", jg.int8)) and not jg.isdtype(jg.int8, (jg.int16, "bool"))
    with pytest.raises(ValueError, match="kind: got 'float'"):
        jg.isdtype(jg.int8, "float")
    with pytest.raises(TypeError):
        jg.isdtype("no dtype", "bool")


def test_dtypes_meet_as_arrays_of_them_do():
    for first, second in itertools.product(ALL, ALL):
        met = (jg.ones(1, first) + jg.ones(1, second)).dtype
        assert jg.result_type(getattr(jg, first), getattr(jg, second)) is met
        assert jg.result_type(jg.ones(3, first), getattr(jg, second)) is met
        assert jg.can_cast(getattr(jg, first), getattr(jg, second)) is (met.name == second)


@pytest.mark.parametrize("number", [True, 3, 2.5, 1j])
def test_numbers_are_weak_in_result_type(number):
    for name in ALL:
        met = (jg.ones(1, name) * number).dtype
        assert jg.result_type(getattr(jg, name), number) is met
        assert jg.result_type(number, jg.ones((), name)) is met
    assert jg.result_type(number) is jg.asarray(number).dtype


def test_the_order_of_arguments_does_not_matter():
    for arguments in itertools.permutations([jg.int8, 1.5, jg.ones(2, "uint8"), 7]):
        assert jg.result_type(*arguments) is jg.float32
    for arguments in itertools.permutations(["bool", 2**63, 1]):
        assert jg.result_type(*arguments) is jg.result_type("bool", 2)
    assert jg.result_type("uint8", 300) is jg.uint8
    assert jg.result_type(np.float64(1), jg.float32) is jg.float64
    assert jg.result_type(np.ones(2, "int16"), "int8") is jg.int16


def test_what_has_no_dtype_is_refused():
    with pytest.raises(ValueError):
        jg.result_type()
    for refused in ("no dtype", object(), None):
        with pytest.raises(TypeError):
            jg.result_type(jg.int8, refused)
    with pytest.raises(TypeError):
        jg.result_type("float32", "float8_e5m2")
    with pytest.raises(TypeError):
        jg.can_cast("int8")


def test_stored_dtypes_are_cast_to_themselves_only():
    assert jg.can_cast("float8_e5m2", "float8_e5m2")
    assert not jg.can_cast("float8_e5m2", "float32") and not jg.can_cast("int8", "int4")
    assert jg.can_cast(jg.ones(2, "int8"), "int16")


@pytest.mark.parametrize("name", ["bool", "int8", "uint64", "float16", "float32", "complex128"])
def test_a_dtype_is_equal_to_what_numpy_calls_it(name):
    ours, other = getattr(jg, name), "int16"
    for same in (name, np.dtype(name), np.dtype(name).type, jg.dtype(name)):
        assert ours == same and same == ours
        assert not (ours != same or same != ours)
    for another in (
        other,
        np.dtype(other),
        np.dtype(other).type,
        jg.dtype(other),
        None,
        3,
        np.int64(3),
    ):
        assert ours != another and another != ours
        assert not (ours == another or another == ours)
    assert {ours: 1}[jg.dtype(np.dtype(name))] == 1
    assert jg.ones(2, dtype=ours).dtype in (np.dtype(name).type, "int16")


def test_a_dtype_is_equal_to_no_other_name():
    assert jg.bfloat16 == ml_dtypes.bfloat16 and jg.float32 != ml_dtypes.bfloat16
    assert float not in (jg.float32, jg.float64) and int not in (jg.int64, jg.int32)
    assert bool in (jg.bool,) and jg.bool in (bool,) and bool not in (jg.int8, jg.float32)
    assert jg.float32 != "no dtype" and jg.float32 != "\ud800" and jg.float32 != np.generic
    with pytest.raises(TypeError):
        _ = jg.float32 < jg.float64


@pytest.mark.parametrize("name", [name for name in ALL if name != "bfloat16"])
def test_a_dtype_has_numpys_kind_type_and_code(name):
    ours, theirs = getattr(jg, name), np.dtype(name)
    assert (ours.kind, ours.type) == (theirs.kind, theirs.type)
    for code in (theirs.str, theirs.str.lstrip("<>|"), theirs.newbyteorder("=").str):
        assert jg.dtype(code) is ours and ours == code
    assert jg.zeros(2, dtype=theirs.str[1:]).dtype is ours


def test_bfloat16_has_the_kind_and_type_of_ml_dtypes():
    assert jg.bfloat16.kind == "f" and jg.bfloat16.type is ml_dtypes.bfloat16


@pytest.mark.parametrize(
    "code", ["f3", "f", "8f", "f08", "f8 ", "i16", "u0", "b2", "V8", "<", "f88"]
)
def test_other_codes_name_no_dtype(code):
    with pytest.raises(TypeError, match="names no dtype"):
        jg.dtype(code)
    other = ">" if np.little_endian else "<"
    with pytest.raises(TypeError, match="names no dtype"):
        jg.dtype(f"{other}f8")


def test_a_text_that_names_no_dtype_is_told_the_names():
    with pytest.raises(TypeError, match="got 'flot32'") as caught:
        jg.zeros(3, dtype="flot32")
    named = re.findall(r"\w+", str(caught.value).split("allowed are ")[1])
    assert set(ALL) <= set(named)


OTHER = ">" if np.little_endian else "<"


@pytest.mark.parametrize("code", ["i4", "u2", "f8", "c16"])
def test_a_dtype_of_numpys_in_the_other_byte_order_is_refused_as_its_text_is(code):
    x, dtype = jg.arange(4, dtype="float64"), np.dtype(OTHER + code)
    for call in (
        jg.dtype,
        x.astype,
        x.view,
        lambda dtype: jg.zeros(2, dtype=dtype),
        lambda dtype: jg.array([1, 2], dtype=dtype),
        lambda dtype: jg.asarray(np.ones(2), dtype=dtype),
        lambda dtype: jg.sum(x, dtype=dtype),
    ):
        with pytest.raises(TypeError, match=r"dtype: got dtype.*, whose byte order is not this"):
            call(dtype)
        with pytest.raises(TypeError, match=r"dtype: got '.*, which names no dtype"):
            call(dtype.str)
        call(dtype.newbyteorder("="))
    assert jg.dtype(np.dtype(code).name) != dtype
    with pytest.raises(TypeError, match="name it dtype="):
        jg.sum(x, None, dtype)


def test_numbers_of_the_other_byte_order_keep_their_dtype_in_a_list():
    for code in ("i4", "f8"):
        numbers = [np.array(2, OTHER + code), np.array([3], OTHER + code)[0]]
        assert_same(jg.array(numbers), np.array([2, 3], code))


def test_numpys_long_double_is_not_float128():
    for call in (jg.dtype, lambda dtype: jg.zeros(2, dtype=dtype)):
        for dtype in (np.dtype("g"), np.longdouble):
            with pytest.raises(TypeError, match=r"dtype: got .*, allowed are joggle's dtypes"):
                call(dtype)
    assert jg.zeros(2, dtype="float128").dtype is jg.float128
