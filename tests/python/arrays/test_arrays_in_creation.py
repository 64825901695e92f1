# SPDX-License-Identifier: Apache-2.0
"""0-d arrays, ours and NumPy's, are taken as numbers where arrays are made, as NumPy takes them."""

import numpy as np
import pytest

import joggle as jg

# Of each a call by joggle's functions or NumPy's, with numbers that go through one of MAKES.
CALLS = {
    "arange to a whole number": lambda xp, of: xp.arange(of(7)),
    "arange to a fraction": lambda xp, of: xp.arange(of(3.5)),
    "arange between a number and an array": lambda xp, of: xp.arange(1, of(13.0)),
    "arange between arrays": lambda xp, of: xp.arange(of(2), of(9)),
    "arange with a step": lambda xp, of: xp.arange(of(0), of(2.0), of(0.25)),
    "arange down": lambda xp, of: xp.arange(of(9), of(-1), of(-3)),
    "arange in a dtype": lambda xp, of: xp.arange(of(2.0), of(6.0), dtype=xp.int16),
    "linspace": lambda xp, of: xp.linspace(of(1.0), of(2), of(5)),
    "logspace": lambda xp, of: xp.logspace(of(0), of(2.0), of(3), base=of(2.0)),
    "full": lambda xp, of: xp.full((2, 3), of(2.5)),
    "full of an extent": lambda xp, of: xp.full(of(3), of(7)),
    "full_like": lambda xp, of: xp.full_like(xp.ones((2, 2)), of(3)),
    "zeros": lambda xp, of: xp.zeros((of(2), 3)),
    "ones": lambda xp, of: xp.ones(of(2)),
    "eye": lambda xp, of: xp.eye(of(3), of(4), of(1)),
    "identity": lambda xp, of: xp.identity(of(3)),
    "tri": lambda xp, of: xp.tri(of(3), of(2), of(-1)),
}

MAKES = {
    "joggle's arrays": jg.array,
    "joggle's arrays that are not computed": lambda value: jg.array(value) + 0,
    "NumPy's arrays": np.array,
    "NumPy's numbers": lambda value: np.array(value)[()],
}


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("call", CALLS)
def test_an_array_of_no_axes_is_taken_as_its_number(call, make):
    wanted = CALLS[call](np, lambda value: value)
    found = CALLS[call](jg, MAKES[make])
    assert (found.shape, found.dtype.name[:3]) == (wanted.shape, wanted.dtype.name[:3])
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "uint64"])
def test_arange_takes_numbers_of_every_real_dtype(dtype):
    x = jg.arange(jg.array(1, dtype=dtype), jg.array(4, dtype=dtype))
    assert x.tolist() == [1, 2, 3] and x.dtype == (jg.float32 if "float" in dtype else jg.int64)


@pytest.mark.parametrize("value", [[1.0, 2.0], 1j, [[]]])
def test_arange_refuses_arrays_that_are_no_real_number(value):
    with pytest.raises((TypeError, ValueError)):
        jg.arange(1, jg.array(value))


@pytest.mark.parametrize("value", ["3", None.__class__, object()])
def test_arange_refuses_what_has_no_number_by_the_arguments_name(value):
    with pytest.raises(TypeError, match=r"\[arange\] start: got \w+, allowed is a number"):
        jg.arange(value)


def test_arange_refuses_a_number_that_an_argument_decides():
    for call in (lambda s: jg.arange(s), lambda s: jg.arange(0, 3, s)):
        with pytest.raises(ValueError, match=r"\[arange\] \w+: got an array that depends"):
            jg.grad(lambda s, call=call: jg.sum(call(s)))(jg.array(2.0))


@pytest.mark.parametrize("call", [jg.eye, jg.identity, jg.tri, jg.zeros])
def test_counts_are_no_fractions(call):
    with pytest.raises(TypeError):
        call(jg.array(3.0))
