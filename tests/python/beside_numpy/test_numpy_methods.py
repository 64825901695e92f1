# SPDX-License-Identifier: Apache-2.0
"""Methods of NumPy's arrays: each is ours too, or docs/numpy.md says what to use instead."""

import pathlib
import re

import numpy as np
import pytest
from numpys import DTYPES, assert_same, ours, random

import joggle as jg

DOCUMENT = (pathlib.Path(__file__).parents[3] / "docs/numpy.md").read_text()
SECTION = DOCUMENT.split("## Methods that are absent")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| (`.*?) \|", SECTION, re.MULTILINE)
ABSENT = {name for row in ROWS for name in re.findall(r"`(\w+)`", row)}


def test_every_method_is_ours_or_said_to_be_absent():
    assert set(dir(np.ndarray)) - set(dir(jg.ones(1))) == ABSENT


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_bytes_are_those_of_the_elements_row_by_row(dtype, shape):
    x = random(shape, dtype)
    for each in (x, x.T, x[..., ::-1] if x.ndim else x):
        assert ours(each).tobytes() == each.tobytes()


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn"])
def test_tobytes_takes_dtypes_that_numpy_lacks(dtype):
    x = jg.array([[1.0, 2.0], [3.0, 4.0]], dtype=dtype)
    bits = np.asarray(x.view(f"uint{8 * x.itemsize}"))
    assert x.T.tobytes() == bits.T.tobytes()


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 2), ()])
@pytest.mark.parametrize("value", [0, 2, 99, 2.5])
def test_a_value_is_looked_for_among_all_elements(shape, value):
    x = random(shape, "int64")
    assert (value in ours(x)) == bool((x == value).any())
    assert "a" not in ours(x)


def test_functions_of_the_package_are_methods():
    x = np.array([1, 0, 2, 1])
    assert_same(ours(x).choose([x, x * 10, 5]), x.choose([x, x * 10, 5]))
    assert_same(ours(x).choose([x, x], mode="clip"), x.choose([x, x], mode="clip"))
    assert_same(ours(x).compress(ours(x == 1), 0), x.compress(x == 1, 0))
    assert_same(ours(x).compress([True, False]), x.compress([True, False]))
    for side in ("left", "right"):
        found = ours(np.sort(x)).searchsorted([0, 1, 9], side=side)
        assert_same(found, np.sort(x).searchsorted([0, 1, 9], side=side))


def test_wrong_calls_are_refused():
    with pytest.raises(TypeError, match=r"\[compress\] got 0 arguments, allowed are 1 and more"):
        jg.ones(3).compress()
    with pytest.raises(TypeError, match=r"\[choose\] got 200 arguments, allowed are fewer than "):
        jg.ones(3).choose(*range(200))
    with pytest.raises(TypeError, match="searchsorted"):
        jg.ones(3).searchsorted()
