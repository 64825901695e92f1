# SPDX-License-Identifier: Apache-2.0
"""What asks for a copy gets memory of its own: who writes one of the two through an export does not
change the other."""

import copy

import numpy as np
import pytest

import joggle as jg

COPIES = {
    "astype": lambda x: jg.astype(x, x.dtype, copy=True),
    "astype, which copies by default": lambda x: x.astype(x.dtype),
    "astype by name": lambda x: x.astype(x.dtype.name),
    "array": lambda x: jg.array(x, copy=True),
    "array of a dtype": lambda x: jg.array(x, dtype=x.dtype, copy=True),
    "asarray": lambda x: jg.asarray(x, copy=True),
    "asarray of a dtype": lambda x: jg.asarray(x, dtype=x.dtype, copy=True),
    "method copy": lambda x: x.copy(),
    "copy": jg.copy,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "from_dlpack": lambda x: jg.from_dlpack(x, copy=True),
    "__dlpack__": lambda x: jg.from_dlpack(np.from_dlpack(x, copy=True)),
    "a capsule": lambda x: jg.from_dlpack(x.__dlpack__(copy=True)),
    "a versioned capsule": lambda x: jg.from_dlpack(x.__dlpack__(copy=True, max_version=(1, 0))),
    "np.array": lambda x: jg.from_dlpack(np.array(x, copy=True)),
    "reshape": lambda x: jg.reshape(x, x.shape, copy=True),
    "resize": lambda x: jg.resize(x, x.shape),
    "block": jg.block,
}


def evaluated(x):
    jg.eval(x)
    return x


SOURCES = {
    "a lazy array": lambda: jg.arange(6.0) + 0,
    "an evaluated array": lambda: evaluated(jg.arange(6.0) + 0),
    "an array without axes": lambda: jg.array(5.0),
    "a constant": lambda: jg.ones(6),
    "a view": lambda: evaluated(jg.arange(12.0) + 0)[::-2],
    "a transposed view": lambda: evaluated(jg.ones((2, 3)) + 0).T,
    "imported memory": lambda: jg.from_dlpack(np.arange(6.0)),
    "imported bools": lambda: jg.from_dlpack(np.ones(6, bool)),
    "complex numbers": lambda: jg.array([1 + 2j, 3.0]),
    "half precision": lambda: evaluated(jg.ones(6, "float16") + 0),
}
ORDERS = {
    "the array first": lambda x, y: (jg.eval(x), jg.eval(y)),
    "the copy first": lambda x, y: (jg.eval(y), jg.eval(x)),
    "both at once": lambda x, y: jg.eval(x, y),
    "by export": lambda x, y: None,
}


@pytest.mark.part(3, of="name")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_memory_of_its_own(name, source, order):
    x = SOURCES[source]()
    y = COPIES[name](x)
    assert y is not x and y.dtype == x.dtype and y.shape == x.shape
    ORDERS[order](x, y)
    ours, copied = np.from_dlpack(x), np.from_dlpack(y)
    assert not np.shares_memory(ours, copied)
    assert np.array_equal(ours, copied)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copies_of_what_is_not_computed_yet_are_not_either(make):
    x = jg.random.normal((1 << 16, 1 << 16))  # 16 GiB
    assert make(x).status == x.status == "unscheduled"


@pytest.mark.parametrize("name", COPIES)
def test_who_writes_the_copy_does_not_change_the_array(name):
    x = evaluated(jg.arange(6.0) + 0)
    y = evaluated(COPIES[name](x))
    np.from_dlpack(y)[:] = -1
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    np.from_dlpack(x)[:] = 7
    assert y.tolist() == [-1] * 6


def test_clipping_without_limits_copies():
    source = np.arange(6.0)
    for clipped in (jg.clip(jg.from_dlpack(source)), jg.clip(jg.from_dlpack(source), None, None)):
        assert not np.shares_memory(np.from_dlpack(clipped), source)
        assert np.array_equal(np.from_dlpack(clipped), source)


@pytest.mark.parametrize("policy", [False, None])
def test_astype_shares_where_it_may(policy):
    x = evaluated(jg.arange(6.0) + 0)
    assert x.astype(x.dtype, copy=policy) is x
    assert x.astype(jg.int32, copy=policy).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_copy_of_a_dying_array_keeps_its_values():
    for policy in (True, False):
        x = jg.arange(6.0) + 1
        y = x.astype(x.dtype, copy=policy) * 2
        del x
        assert y.tolist() == [2, 4, 6, 8, 10, 12]
