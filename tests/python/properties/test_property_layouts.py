# SPDX-License-Identifier: Apache-2.0
"""Every op gives the same wherever its operands lie, and whenever they are computed: transposed,
in reverse, with gaps, in memory of NumPy's, or not yet computed and used by others beside it."""

import ml_dtypes
import numpy as np
import pytest
from cases import BEYOND
from cases import CASES as OF_TABLE
from choices import by
from drawing import each, function_of, near, several, to_joggle, to_numpy
from hypothesis import given, settings
from hypothesis import strategies as st

import joggle as jg

# All but memory that nobody has written.
CASES = {name: case for name, case in (OF_TABLE | BEYOND).items() if not name.startswith("empty")}
PROFILE = settings.get_profile("layouts")


def transposed(a):
    return jg.permute_dims(to_joggle(a.T.copy()), tuple(range(a.ndim))[::-1])


def reverse(a):
    return jg.flip(to_joggle(np.flip(a).copy()))


def with_gaps(a):
    wide = a
    for axis in range(a.ndim):
        wide = np.repeat(wide, 3, axis)
    return to_joggle(wide)[tuple([slice(1, None, 3)] * a.ndim)]


def imported(a):
    a = a[..., ::-1].copy()[..., ::-1] if a.ndim else a
    return jg.asarray(a, copy=False if a.dtype != ml_dtypes.bfloat16 else None)


def pending(a):
    x = to_joggle(a)
    return jg.where(True, x, x)


# A library is told of transposed operands, and may add up in another order.
ROUNDS = {"scaled_dot_product_attention", "matmul", "addmm", "einsum", "tensordot", "inner"}
ROUNDS |= {name for name in CASES if name.startswith("fft_")}
LAYOUTS = [transposed, reverse, with_gaps, imported, pending]


def results_of(name, args, named, make):
    return several(function_of(name)(*each(make, args), **each(make, named)))


def same(found, expected, ulps):
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == y.dtype
        near(to_numpy(x), to_numpy(y), ulps)


@pytest.mark.parametrize("name", CASES)
@settings(PROFILE)
@given(data=st.data())
def test_layouts_do_not_matter(name, data):
    args, named = CASES[name].draw(by(data))
    layout = data.draw(st.sampled_from(LAYOUTS), label="layout")
    expected = results_of(name, args, named, to_joggle)
    found = results_of(name, args, named, layout)
    same(found, expected, CASES[name].ulps if name in ROUNDS else 0)


@pytest.mark.parametrize("name", CASES)
@settings(PROFILE)
@given(data=st.data())
def test_the_graph_around_an_op_does_not_matter(name, data):
    args, named = CASES[name].draw(by(data))
    first = results_of(name, args, named, to_joggle)
    jg.eval(*first)
    second = results_of(name, args, named, pending)
    used = [jg.where(True, x, x) for x in second]
    jg.eval(*used, *second)
    same(second, first, 0)
    same(used, first, 0)
