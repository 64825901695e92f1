# SPDX-License-Identifier: Apache-2.0
"""The dtype in which three and more operands meet: the same in every order, and wide enough for
what any two of them give."""

import itertools

import numpy as np
import pytest
from elementwise import ALL

import joggle as jg

ONES = {name: jg.ones((2, 2), name) for name in ALL}
HOLDS = jg.ones((2, 2), "bool")
TRIPLES = list(itertools.combinations_with_replacement(ALL, 3))


def attention(q, k, v):
    """In the common dtype where that is a float, as whole dtypes have none of their own."""
    matrices = [x[None, None] for x in (q, k, v)]
    result = jg.fast.scaled_dot_product_attention(*matrices, scale=1.0)
    common = jg.result_type(q, k, v)
    return result if jg.isdtype(common, "real floating") else result.astype(common)


SYMMETRIC = {
    "concat": lambda a, b, c: jg.concat([a, b, c]),
    "concat of flat arrays": lambda a, b, c: jg.concat([a, b, c], axis=None),
    "stack": lambda a, b, c: jg.stack([a, b, c]),
    "vstack": lambda a, b, c: jg.vstack([a, b, c]),
    "hstack": lambda a, b, c: jg.hstack([a, b, c]),
    "dstack": lambda a, b, c: jg.dstack([a, b, c]),
    "column_stack": lambda a, b, c: jg.column_stack([a, b, c]),
    "block of a row": lambda a, b, c: jg.block([a, b, c]),
    "block of rows": lambda a, b, c: jg.block([[a, b], [a, c]]),
    "a list of numbers": lambda a, b, c: jg.array([a[0, 0], b[0, 0], c[0, 0]]),
    "a list of rows": lambda a, b, c: jg.array([a[0], b[0], c[0]]),
    "r_": lambda a, b, c: jg.r_[a[0], b[0], c[0]],
    "select": lambda a, b, c: jg.select([HOLDS, HOLDS], [a, b], c),
    "choose": lambda a, b, c: jg.choose(0, [a, b, c]),
    "diff": lambda a, b, c: jg.diff(a, prepend=b, append=c),
    "einsum": lambda a, b, c: jg.einsum("ij,jk,kl->il", a, b, c),
    "multi_dot": lambda a, b, c: jg.linalg.multi_dot([a, b, c]),
    "addmm": jg.addmm,
    "clip": jg.clip,
    "attention": attention,
}


def met(first, second):
    return jg.result_type(jg.dtype(first), jg.dtype(second)).name


def dtype_or_refusal(function, names):
    try:
        return function(*(ONES[name] for name in names)).dtype.name
    except TypeError:
        return "TypeError"


def test_the_dtype_of_three_is_at_least_that_of_any_two_in_every_order():
    for triple in TRIPLES:
        orders = list(itertools.permutations(triple))
        (common,) = {jg.result_type(*map(jg.dtype, order)).name for order in orders}
        for a, b, _ in orders:
            assert met(met(a, b), common) == common, triple
        assert common in {met(met(a, b), c) for a, b, c in orders}, triple


@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_order_of_three_operands_does_not_matter(name):
    function = SYMMETRIC[name]
    for triple in TRIPLES:
        common = jg.result_type(*map(jg.dtype, triple)).name
        found = {dtype_or_refusal(function, order) for order in itertools.permutations(triple)}
        assert found in ({common}, {"TypeError"}), triple


@pytest.mark.parametrize("order", list(itertools.permutations(["uint64", "float16", "int64"])))
def test_values_beyond_half_precision_survive_beside_it(order):
    arrays = [jg.array([2 if dtype == "float16" else 2**40], dtype=dtype) for dtype in order]
    expected = [float(2 if dtype == "float16" else 2**40) for dtype in order]
    for joined in (jg.concat(arrays), jg.stack(arrays), jg.block(arrays), jg.array(arrays)):
        assert joined.dtype is jg.float64
        assert np.asarray(joined).ravel().tolist() == expected


def test_rows_of_blocks_meet_in_the_dtype_of_all_blocks():
    rows = [[jg.array([2**40], dtype="uint64"), jg.array([1.5], dtype="float16")]]
    rows.append([jg.array([2**40], dtype="int64"), jg.array([1.5], dtype="float16")])
    for order in (rows, rows[::-1], [row[::-1] for row in rows]):
        x = jg.block(order)
        assert x.dtype is jg.float64
        assert sorted(np.asarray(x).ravel().tolist()) == [1.5, 1.5, 2.0**40, 2.0**40]


def test_several_dtypes_with_one_that_is_only_stored_are_refused_in_every_order():
    narrow = jg.ones(2, "float32").astype("float8_e4m3fn")
    for order in itertools.permutations([narrow, jg.ones(2), jg.ones(2, "int8")]):
        with pytest.raises(TypeError, match="float8_e4m3fn"):
            jg.concat(list(order))
    assert jg.concat([narrow, narrow, narrow]).dtype == narrow.dtype
