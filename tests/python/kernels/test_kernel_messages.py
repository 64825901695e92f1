# SPDX-License-Identifier: Apache-2.0
"""What kernels refuse: the message says what was given and what is allowed, under no name that the
user may not have given the module."""

import re

import pytest

import joggle.fields as fields


def rounded(x: float) -> float:
    return round(x, 2)


def length(n: int) -> int:
    return len(n)


def stepped(n: int) -> int:
    total = 0
    for i in range(0, 8, n):
        total += i
    return total


def compared(n: int) -> int:
    return n < fields.f32


def inner(n: int) -> int:
    return fields.Vector([n, n]).frobenius_inner(fields.Vector([n, n, n]))


def augmented(n: int) -> int:
    v = fields.Vector([n, n])
    v += fields.Vector([1, 2, 3])
    return v[0]


def assigned(n: int) -> int:
    v = fields.Vector([n, n])
    v[0] = fields.Vector([1, 2])
    return v[0]


def named(n: int):
    print("{a} {b}".format(b=n))  # noqa: F524


def several(n: int) -> int:
    return fields.static(n)


def doubled(n: int) -> (int, int):
    return n


def starred(*n):
    pass


def bare(n):
    pass


SAID = {
    rounded: "round: got int 2 as ndigits, allowed are none in kernels; scale before and after",
    length: "len: a value of int32 has no length, allowed are arrays and vectors",
    stepped: "range: got a step of a value of int32, allowed are constants other than 0; use while",
    compared: "comparison: got a value of int32 and ",
    inner: "frobenius_inner: got a vector of 2 and a vector of 3, allowed are two of one shape",
    augmented: "augmented assignment: got a vector of 3 for a vector of 2, allowed are one of its "
    "shape and a number",
    assigned: "got a vector of 2 for ",
    named: "format: there is no argument a, allowed are b",
    several: "static: got a value of int32, which only a run knows, allowed is what is known when "
    "compiling",
    doubled: "the result: got a value of int32, allowed are 2 values",
    starred: "got the parameter *n, allowed are parameters of one value each",
    bare: "parameter n needs an annotation, allowed are dtypes, ndarray(...), vector,",
}


@pytest.mark.parametrize("function", SAID, ids=lambda f: f.__name__)
def test_a_refusal_says_what_is_allowed(function):
    with pytest.raises(fields.QuadrantsCompilationError, match=re.escape(SAID[function])) as caught:
        fields.kernel(function).lower(1)
    first = str(caught.value).splitlines()[0]
    assert "allowed" in first
    assert "qd." not in first


def test_the_wrong_number_of_names_for_indices_is_refused():
    x = fields.field(fields.i32, shape=(2, 3, 4))

    @fields.kernel
    def fill():
        for i, j in x:
            x[i, j, 0] = 1

    with pytest.raises(
        TypeError, match="got 2 names for 3 indices, allowed is one name, or one for"
    ):
        fill()


def test_results_of_another_kind_than_their_annotation_are_refused():
    @fields.kernel
    def fill() -> fields.types.vector(3, fields.f32):
        return fields.Vector([1.0, 2.0])

    with pytest.raises(TypeError, match=r"the result: got a vector of 2, allowed is .*, as the"):
        fill()
