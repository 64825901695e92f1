# SPDX-License-Identifier: Apache-2.0
"""What the graph fuses and what it keeps, seen from Python."""

import numpy as np

import joggle as jg


def groups(*arrays):
    return jg.export_dot(*arrays).count("subgraph cluster_")


def test_every_value_of_a_long_chain_that_is_held_is_there_afterwards():
    """More values than one program can store: the chain is cut, and nothing is lost."""
    x, held = jg.from_dlpack(np.arange(5, dtype=np.float32)), []
    for _ in range(100):
        x = x + 1
        held.append(x)
    jg.eval(x)
    for i, value in enumerate(held):
        assert value.status == "available"
        np.testing.assert_array_equal(np.asarray(value), np.arange(5) + i + 1)


def test_twenty_ops_on_the_same_memory_are_one_group():
    a = jg.ones(4)
    jg.eval(a)
    x = a
    for _ in range(20):
        x = x + a
    assert groups(x) == 1
    np.testing.assert_array_equal(np.asarray(x), np.full(4, 21))


def test_a_value_that_two_groups_need_is_computed_once():
    x = jg.exp(jg.from_dlpack(np.ones((3, 4), np.float32)))
    y = x / jg.sum(x, axis=1, keepdims=True)
    del x
    assert groups(y) == 3
    np.testing.assert_allclose(np.asarray(y), np.full((3, 4), 0.25), rtol=1e-6)


def test_numbers_that_an_integer_dtype_cannot_hold_are_refused():
    for make in (
        lambda: jg.full((2,), 1e30, dtype=jg.int32),
        lambda: jg.full((2,), float("nan"), dtype=jg.int8),
        lambda: jg.arange(1e300, 2e300, 1e299, dtype=jg.int8),
    ):
        try:
            make()
        except ValueError as error:
            assert "does not fit int" in str(error)
        else:
            raise AssertionError("nothing was raised")
