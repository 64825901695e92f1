# SPDX-License-Identifier: Apache-2.0
"""A message of an argument's error tells the value that it had."""

import io

import pytest

import joggle as jg
from joggle import fields


def add_in_place(x, y):
    x += y


CASES = [
    (lambda: jg.sort(jg.array(1.0), axis=3), r"axis: got 3 for a 0-d array, allowed is None"),
    (lambda: jg.cummax(jg.array(1.0), axis=2), r"axis: got 2 for a 0-d array, allowed is None"),
    (lambda: jg.full((), 2j, dtype=jg.float32), r"value: 0\+2j does not fit float32"),
    (lambda: jg.full((), 300, dtype=jg.int8), r"value: 300 does not fit int8"),
    (
        lambda: add_in_place(jg.ones(3), jg.ones((2, 3))),
        r"got an operand that broadcasts the array to \(2, 3\), allowed .* its own, \(3,\)",
    ),
    (
        lambda: jg.vmap(lambda x: x, 0, None)(jg.ones(2)),
        r"out_axes: got None for output 0 of <lambda>, which differs within the batch",
    ),
    (
        lambda: jg.asarray_chkfinite([1.0, float("inf")]),
        r"a: has inf as its element 1, allowed are finite numbers",
    ),
    (lambda: jg.cov(jg.ones((2, 2)), fweights=jg.array([1, -2])), r"fweights: has -2, allowed"),
    (lambda: fields.Matrix([[1, 2], [2, 4]]).inverse(), r"inverse: got \[\[1, 2\], \[2, 4\]\], wh"),
    (lambda: fields.field(fields.f32, order="ij"), r"order: got 'ij' without a shape"),
    (lambda: jg.load(io.StringIO("a")), r"file: got StringIO, opened for text, allowed is binary"),
]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_a_refusal_tells_the_value_that_was_given(call, message):
    with pytest.raises((ValueError, TypeError, IndexError, OverflowError), match=message):
        call()
