# SPDX-License-Identifier: Apache-2.0
"""Arguments in the order of another library, which mean something else here, are refused."""

import pytest

import joggle as jg

X = jg.array([3, 1, 2])
FLOATS = jg.array([1.0, jg.nan])

REFUSED = [
    (lambda: jg.sort(X, -1, "quicksort"), r"\[sort\] got 'quicksort', allowed are True and False"),
    (lambda: X.argsort(0, "stable"), r"\[argsort\] got 'stable', allowed are True and False"),
    (lambda: jg.linalg.cholesky(jg.eye(2), "no"), r"got 'no', allowed are True and False"),
    (lambda: jg.unique(X, True), r"\[unique\] size: got True, allowed are None and an int"),
    (lambda: jg.isin(X, [1, 2], True), r"isin\(\) takes at most 2 positional arguments"),
    (lambda: jg.nan_to_num(FLOATS, True), r"\[nan_to_num\] nan: got True, allowed is a number"),
    (lambda: jg.amax(X, 0, None, True), r"\[max\] initial: got True, allowed is a number"),
    (lambda: jg.amin(X, None, None, False), r"\[min\] initial: got False, allowed is a number"),
    (
        lambda: jg.pad(FLOATS, {0: 1}),
        r"pad_width: got dict, allowed are an int and a sequence of ints",
    ),
    (lambda: jg.zeros({3, 2}), r"\[zeros\] shape: got set, allowed are an int and a sequence"),
    (lambda: jg.sum(FLOATS, axis={0: 1}), r"\[sum\] axis: got dict, allowed are an int and"),
    (lambda: jg.split(X, {1}), r"\[split\] .*: got set, allowed are an int and a sequence"),
]


@pytest.mark.parametrize("call, message", REFUSED)
def test_a_misplaced_argument_is_refused_by_name(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_bool_begins_the_extremes_of_bools():
    bools = jg.array([False, False])
    assert jg.amax(bools, initial=True).item() is True
    assert jg.amin(bools, initial=True).item() is False
