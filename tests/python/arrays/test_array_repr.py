# SPDX-License-Identifier: Apache-2.0
"""repr(x) is NumPy's, with the dtype always said, and str(x) is NumPy's."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import joggle as jg

IMPLIED = {"bool", "int64", "float64", "complex128"}


def expected(reference):
    """NumPy's own text. It leaves out dtypes that can be guessed; those are put in, on a line of
    their own where that would be too long."""
    text = repr(reference)
    name = reference.dtype.name
    if "dtype=" in text:
        return text
    body = text[:-1] + ","
    last = body[body.rfind("\n") + 1 :]
    if "shape=" in last:  # NumPy has broken the line for a shorter rest than ours
        at = body.rindex("shape=")
        body, rest = body[:at].rstrip(), body[at:] + " "
        last = body[body.rfind("\n") + 1 :]
    else:
        rest = ""
    rest += f"dtype={name})"
    space = "\n      " if len(last) + len(rest) + 1 > 75 else " "
    return body + space + rest


def check(reference):
    x, reference = jg.array(reference), np.asarray(reference)
    assert repr(x) == expected(reference)
    assert str(x) == str(reference)


@pytest.mark.parametrize(
    "reference",
    [
        np.float32(1.5),
        np.array(3),
        np.array(True),
        np.array(1 + 2j),
        np.array(-0.0),
        np.array(np.nan, "f4"),
        np.array(-np.inf),
        np.array(1e-4, "f4"),
        np.array(999999.5, "f4"),
        np.array(1e6, "f4"),
        np.array(1e16),
        np.array(2.0**-24),
        np.array(2.0**60),
        np.array(complex(2.0**-24, 1 / 3)),
        np.array(9007199254740993.0),
        np.array(1234567890123456.0),
        np.array(2j),
        np.array(complex(-0.0, 2)),
        np.array(complex(1e-7, np.nan), "c8"),
        np.array([1.0, 2.0, 3.0], "f4"),
        np.array([0.1, 1 / 3, 100.25]),
        np.array([0.1, 1 / 3], "f4"),
        np.array([1e-5, 1.0]),
        np.array([1e10, 1.0]),
        np.array([1e8, 2e8]),
        np.array([0.0001, 0.05], "f4"),
        np.array([np.nan, np.inf, -np.inf, 1.0]),
        np.array([np.nan, 1e20]),
        np.array([-1.5, 22.25]),
        np.array([123456.78, 1.0], "f4"),
        np.array([1e7, 2e7], "f4"),
        np.array([np.inf]),
        np.array([np.nan, np.nan]),
        np.array([65504, 1], "f2"),
        np.array([0.1, 0.2], "f2"),
        np.array([1e-7, 1], "f2"),
        np.array([999.5], "f2"),
        np.array([1 + 2j, -3.25 - 0.5j]),
        np.array([1e-9j, 1], "c8"),
        np.array([complex(np.nan, np.inf), 1]),
        np.array([], "f4"),
        np.zeros((2, 0, 3)),
        np.zeros((0,), "i8"),
        np.zeros((3, 1, 2), "i2"),
        np.arange(-3, 4),
        np.array([2**63], "u8"),
        np.array([-(2**63), 0]),
        np.array([[True, False]]),
        np.arange(100),
        np.arange(100.0) / 7,
        np.arange(1000),
        np.arange(1001),
        np.arange(5000).reshape(5, 1000),
        np.arange(2000.0).reshape(10, 10, 20),
        np.arange(1200, dtype="f4").reshape(2, 600) / 3,
        np.ones((1, 1, 1, 1)),
        np.zeros((2, 3, 4), "u1"),
        np.zeros((11, 1, 1, 100), "i4"),
        np.arange(30000).reshape(3, 100, 100)[:, ::-1, ::2],
    ],
    ids=lambda reference: f"{np.asarray(reference).dtype}-{np.shape(reference)}",
)
def test_text_is_numpys(reference):
    check(reference)


floats = hnp.from_dtype(np.dtype("f4")) | st.sampled_from(
    [np.float32(v) for v in (0, 1, 0.1, 1e-4, 1e8, 3.25)]
)
shapes = hnp.array_shapes(min_dims=0, max_dims=3, max_side=5)


@settings(max_examples=300)
@given(hnp.arrays(np.float32, shapes, elements=floats))
def test_floats_are_numpys_text(reference):
    check(reference)


@settings(max_examples=200)
@given(hnp.arrays(np.float64, shapes))
def test_doubles_are_numpys_text(reference):
    check(reference)


@given(hnp.arrays(np.float16, shapes))
def test_halves_are_numpys_text(reference):
    check(reference)


@given(hnp.arrays(np.complex64, shapes))
def test_complex_numbers_are_numpys_text(reference):
    check(reference)


@given(hnp.arrays(np.int16, hnp.array_shapes(min_dims=0, max_dims=4, max_side=12)))
def test_integers_are_numpys_text(reference):
    check(reference)


def test_bfloat16_is_printed_shortest():
    x = jg.array(np.array([1.5, -0.1, 20], dtype=ml_dtypes.bfloat16))
    assert repr(x) == "array([ 1.5, -0.1, 20. ], dtype=bfloat16)"
    assert str(x) == "[ 1.5 -0.1 20. ]"
    assert str(x[1]) == "-0.1"


def test_text_of_a_large_array_reads_only_what_it_shows():
    big = jg.array(np.broadcast_to(np.float32(1), (1 << 20, 1 << 20)))
    assert repr(big).endswith("shape=(1048576, 1048576), dtype=float32)")


def test_an_array_of_one_element_is_formatted_like_its_number():
    x = jg.array(1.23456)
    assert repr(x) == "array(1.23456, dtype=float32)"
    assert str(x) == "1.23456"
    assert f"{x:.2f}" == "1.23"
    assert f"{x}" == str(x.item())
    assert f"{jg.array(3)} {jg.array([3])}" == "3 [3]"
    with pytest.raises(ValueError):
        f"{jg.array([1, 2]):.2f}"


def test_str_has_the_width_that_is_set():
    reference = np.arange(60.0).reshape(2, 30) / 7
    for width in (20, 40, 75, 200):
        with jg.printoptions(linewidth=width), np.printoptions(linewidth=width):
            assert str(jg.array(reference)) == str(reference)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_powers_of_two_are_numpys_text(dtype):
    """The element below one is half as far away as that above."""
    info = np.finfo(dtype)
    for exponent in range(info.minexp - info.nmant, info.maxexp):
        number = np.ldexp(np.array(1, dtype), exponent)
        check(number)
        check(np.array([number, 1], dtype))
