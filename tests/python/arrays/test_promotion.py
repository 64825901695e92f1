# SPDX-License-Identifier: Apache-2.0
"""The dtype in which two dtypes meet, for every pair, and what Python's numbers take on. The tables
here are the Array API standard's; docs/promotion.md must say the same."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from elementwise import ALL, COMPLEX, FLOATS, INTEGERS, wide

import joggle as jg

PAGE = Path(__file__).resolve().parents[3] / "docs/promotion.md"

# A row for each dtype. Behind the standard's tables stands what it leaves open.
STANDARD = """
       int8  int16 int32 int64 uint8 uint16 uint32
int8   int8  int16 int32 int64 int16 int32  int64
int16  int16 int16 int32 int64 int16 int32  int64
int32  int32 int32 int32 int64 int32 int32  int64
int64  int64 int64 int64 int64 int64 int64  int64
uint8  int16 int16 int32 int64 uint8 uint16 uint32
uint16 int32 int32 int32 int64 uint16 uint16 uint32
uint32 int64 int64 int64 int64 uint32 uint32 uint32

           float32    float64    complex64  complex128
float32    float32    float64    complex64  complex128
float64    float64    float64    complex128 complex128
complex64  complex64  complex128 complex64  complex128
complex128 complex128 complex128 complex128 complex128

         uint8  uint16 uint32 uint64
uint64   uint64 uint64 uint64 uint64

         float16  bfloat16 float32 float64 complex64 complex128
float16  float16  float32  float32 float64 complex64 complex128
bfloat16 float32  bfloat16 float32 float64 complex64 complex128

         int8    int16   int32   int64
uint64   float64 float64 float64 float64
"""


def read_tables():
    table = {}
    for block in STANDARD.strip("\n").split("\n\n"):
        head, *lines = (line.split() for line in block.splitlines())
        for first, *results in lines:
            for second, result in zip(head, results, strict=True):
                table[first, second] = table[second, first] = result
    for other in ALL:
        table["bool", other] = table[other, "bool"] = other
    for whole, other in itertools.product(INTEGERS, FLOATS + COMPLEX):
        table[whole, other] = table[other, whole] = other
    return table


TABLE = read_tables()


def test_the_table_has_every_pair():
    assert set(TABLE) == set(itertools.product(ALL, ALL))


@pytest.mark.parametrize("first", ALL)
@pytest.mark.parametrize("second", ALL)
def test_two_dtypes_meet_as_documented(first, second):
    x = jg.ones(2, first) + jg.ones(2, second)
    assert x.dtype.name == TABLE[first, second]
    ones = np.full(2, True if x.dtype.name == "bool" else 2)
    assert np.array_equal(wide(np.asarray(x)), ones)


def test_the_page_says_the_same():
    lines = [re.split(r" *\| *", line.strip("| ")) for line in PAGE.read_text().splitlines()]
    head = next(cells for cells in lines if cells[:2] == ["", "b"] or cells[:1] == ["b"])
    short = dict(zip([cell for cell in head if cell], ALL, strict=True))
    rows = [cells for cells in lines if cells[0].strip("*`") in ALL]
    assert [cells[0].strip("*`") for cells in rows] == ALL
    for first, *results in rows:
        for second, result in zip(ALL, results, strict=True):
            assert short[result] == TABLE[first.strip("*`"), second]


@pytest.mark.parametrize(
    ("dtype", "number", "result"),
    [
        ("int8", 1, "int8"),
        ("uint8", True, "uint8"),
        ("bool", True, "bool"),
        ("int32", 1.5, "float32"),
        ("bool", 2.5, "float32"),
        ("float16", 1, "float16"),
        ("bfloat16", 2.5, "bfloat16"),
        ("float64", 1.5, "float64"),
        ("float32", 1j, "complex64"),
        ("float64", 1j, "complex128"),
        ("complex64", 2, "complex64"),
        ("int64", 1j, "complex64"),
        ("bool", 3, "int64"),
    ],
)
def test_python_numbers_are_weak(dtype, number, result):
    for x in (jg.ones(3, dtype) * number, number * jg.ones(3, dtype)):
        assert x.dtype.name == result
        assert np.asarray(x).tolist() == [number] * 3


def test_an_int_that_the_dtype_cannot_hold_is_an_overflow_error():
    for number in (300, -1, 2**70, -(2**70)):
        with pytest.raises(OverflowError):
            jg.ones(3, "uint8") + number


def test_numpy_scalars_keep_their_dtype():
    assert (jg.ones(2, "float32") * np.float64(2)).dtype is jg.float64
    assert (np.float64(2) * jg.ones(2, "float32")).dtype is jg.float64
    assert (jg.ones(2, "float64") * np.float32(2)).dtype is jg.float64


@pytest.mark.parametrize("other", ["int8", "int32", "int64"])
@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
                                  "bitwise_right_shift", "gcd", "lcm"])  # fmt: skip
def test_uint64_and_signed_integers_have_no_bits_together(name, other):
    """Their common dtype is float64, as in NumPy, which refuses them as well."""
    unsigned, signed = jg.array([6, 5], dtype="uint64"), jg.array([3, 1], dtype=other)
    for operands in ((unsigned, signed), (signed, unsigned)):
        with pytest.raises(TypeError, match=f"\\[{name}\\] x1, x2: got .*float64.*allowed are"):
            getattr(jg, name)(*operands)
    assert getattr(jg, name)(unsigned, 1).dtype == jg.uint64
