# SPDX-License-Identifier: Apache-2.0
"""select, choose and piecewise against NumPy's."""

import numpy as np
import pytest
from numpys import DTYPES, assert_numpys, assert_same, ours, random

import joggle as jg


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_first_condition_that_holds_selects(dtype):
    x, y = random((3, 4), dtype), random((4,), "int8", 1)
    assert_numpys("select", [x == 0, y > 0], [x, y], np.array(1, dtype))
    assert_numpys("select", [(x.T == 0).T, np.array(True)], [x.T.copy().T, x])
    assert_numpys("select", [x[:0] == 0], [x[:0]])


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_choose_among_arrays(mode, dtype):
    choices = [random((3, 4), dtype), random((4,), dtype, 1), np.array(1, dtype)]
    numbers = random((3, 4), "int64") if mode != "raise" else abs(random((3, 4), "int64")) % 3
    assert_numpys("choose", numbers, choices, mode=mode)
    assert_numpys("choose", numbers[0], choices, mode=mode)
    assert_numpys("choose", numbers[:, ::2] % 3, random((3, 3, 2), dtype), mode=mode)
    assert_numpys("choose", numbers[:0], choices[1:], mode=mode)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64", "complex64"])
def test_functions_are_called_with_the_elements_that_are_theirs(dtype):
    x = random((3, 4), dtype)
    for conditions, functions in [
        ([x == 0, x == 1], [7, lambda v: v * 2]),
        ([x == 0, x != 1], [lambda v: v - 1, lambda v: v * v, 5]),
        ([np.zeros_like(x, "bool")], [1, 2]),
    ]:
        expected = np.piecewise(x, conditions, functions)
        assert_same(jg.piecewise(ours(x), ours(conditions), functions), expected)
    alone = jg.piecewise(ours(x[0]), ours(x[0] == 0), [1, 2])
    assert_same(alone, np.piecewise(x[0], x[0] == 0, [1, 2]))


def test_arguments_are_handed_on():
    functions = [lambda v, a, b: v * a + b]
    found = jg.piecewise(jg.arange(4), [True, False, True, False], functions, 2, b=1)
    assert found.tolist() == [1, 0, 5, 0]
    assert jg.piecewise(jg.array(3.0), [False, True], [1, lambda v: v + 1]).tolist() == 4


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.select([], []), ValueError, r"\[select\] condlist: got none"),
        (lambda: jg.select([jg.array(True)], []), ValueError, r"\[select\] choicelist: has 0"),
        (lambda: jg.select([jg.ones(2)], [1]), TypeError, r"condlist\[0\]: got float32"),
        (lambda: jg.choose([2], [1, 2]), ValueError, r"\[choose\] a: has 2, allowed is 0 to 1"),
        (lambda: jg.choose([-1], [1, 2]), ValueError, r"\[choose\] a: has -1"),
        (lambda: jg.choose([0.5], [1, 2]), TypeError, r"\[choose\] a: got float32"),
        (lambda: jg.choose([0], []), ValueError, r"\[choose\] choices: got none"),
        (lambda: jg.choose([0], [1], mode="x"), ValueError, r"\[choose\] mode: got 'x'"),
        (lambda: jg.piecewise(jg.ones(2), [jg.ones(2)], []), ValueError, "funclist: has 0 items"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
