# SPDX-License-Identifier: Apache-2.0
"""Arrays put together under NumPy's names."""

import numpy as np
import pytest
from numpys import DTYPES, assert_numpys, random

import joggle as jg


@pytest.mark.parametrize("name", ["dstack", "column_stack", "vstack"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 3), (2, 3, 1), (0, 3)])
def test_arrays_are_stacked(name, dtype, shape):
    assert_numpys(name, [random(shape, dtype), random(shape, dtype, 1), random(shape, "int8")])


@pytest.mark.parametrize("name", ["dstack", "column_stack", "vstack"])
def test_views_and_lists_are_stacked(name):
    x = random((4, 6))
    assert_numpys(name, (x[::2, ::-3], x.T[2:4, :2]))
    assert_numpys(name, ([[1, 2]], [[3, 4]]))


def test_a_row_stack_is_a_vstack():
    x = random((2, 3))
    assert np.asarray(jg.row_stack([x, x])).tolist() == np.vstack([x, x]).tolist()


BLOCKS = [
    random((2, 2)),
    [random((2,)), random((3,), "int8")],
    [np.array(1), np.array(2)],
    [[random((2, 2)), random((2, 1))], [random((1, 3))]],
    [[np.array(1.5), random((2,))], [random((3,))]],
    [random((2, 3, 1)), random((2, 3, 2))],
    [[[np.ones((1, 1, 2))]], [[np.zeros((2, 1, 2))]]],
    [[random((2, 0)), random((2, 2))]],
]


@pytest.mark.parametrize("blocks", BLOCKS)
def test_blocks_are_put_together(blocks):
    assert_numpys("block", blocks)


@pytest.mark.parametrize(
    "shapes", [((2, 3), (4, 3), 0), ((2, 3), (2, 1), -1), ((2,), (3, 2), None)]
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_appended(shapes, dtype):
    first, second, axis = shapes
    assert_numpys("append", random(first, dtype), random(second, "uint8"), axis)
    assert_numpys("append", random(first[::-1], dtype).T, random(second, dtype), axis)


def test_what_is_put_together_is_lazy():
    x = jg.ones((2, 2)) + 1
    for result in (jg.dstack([x]), jg.column_stack([x]), jg.block([[x]]), jg.append(x, x)):
        assert result.status == "unscheduled"


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.dstack([]), ValueError, r"\[dstack\] tup: got none"),
        (lambda: jg.column_stack(3), TypeError, r"\[column_stack\] tup: got int"),
        (lambda: jg.column_stack([jg.ones(2), jg.ones(3)]), ValueError, r"\[column_stack\] "),
        (lambda: jg.block([(1, 2)]), TypeError, r"\[block\] arrays\[0\]: got a tuple"),
        (lambda: jg.block([[1], 2]), ValueError, r"\[block\] arrays: got lists of depths \[0, 1\]"),
        (lambda: jg.block([]), ValueError, "block"),
        (lambda: jg.append(jg.ones((2, 2)), jg.ones(2), 0), ValueError, r"\[append\] "),
        (lambda: jg.append(jg.ones(2), jg.ones(2), 1), IndexError, "axis: got 1"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
