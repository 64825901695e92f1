# SPDX-License-Identifier: Apache-2.0
"""einsum_path tells the order that einsum goes in; get_array_buffer_size counts memory once."""

import mlx.core as mx
import numpy as np
import pytest

import joggle as jg

SUMS = [
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ("ij,jk,k->i", [(2, 3), (3, 4), (4,)]),
    ("a,b,c,d", [(2,), (3,), (4,), (5,)]),
    ("ij->ji", [(2, 3)]),
    ("ij,ij", [(2, 3), (2, 3)]),
]


@pytest.mark.parametrize(("subscripts", "shapes"), SUMS)
def test_every_operand_and_product_is_contracted_once(subscripts, shapes):
    path, text = jg.einsum_path(subscripts, *map(jg.ones, shapes))
    left = len(shapes)
    for first, second in path:
        assert 0 <= first < second < left
        left -= 1
    assert left == 1 and subscripts in text


@pytest.mark.parametrize(("subscripts", "shapes"), SUMS[:2])
def test_the_order_is_that_of_least_work_where_there_is_one(subscripts, shapes):
    """NumPy and MLX contract to a smaller array first, and so do we."""
    ours, _ = jg.einsum_path(subscripts, *map(jg.ones, shapes))
    theirs, _ = np.einsum_path(subscripts, *map(np.ones, shapes), optimize="optimal")
    sizes = [_sizes(subscripts, shapes, path) for path in (ours, theirs[1:])]
    assert sum(sizes[0]) <= 2 * sum(sizes[1])
    assert len(ours) == len(mx.einsum_path(subscripts, *map(mx.ones, shapes))[0])


def _sizes(subscripts, shapes, path):
    """The elements of each product along the path."""
    terms, output = subscripts.split("->")[0].split(","), subscripts.split("->")[1]
    extents = {
        c: n
        for term, shape in zip(terms, shapes, strict=True)
        for c, n in zip(term, shape, strict=True)
    }
    for first, second in path:
        a, b = terms[first], terms[second]
        terms = [t for i, t in enumerate(terms) if i not in (first, second)]
        kept = {c for c in a + b if c in output or any(c in t for t in terms)}
        terms.append("".join(sorted(kept)))
        yield int(np.prod([extents[c] for c in kept]))


def test_a_sum_that_einsum_refuses_is_refused():
    with pytest.raises(ValueError, match="einsum"):
        jg.einsum_path("ij,jk", jg.ones(2), jg.ones((2, 2)))
    with pytest.raises(ValueError, match="operands"):
        jg.einsum_path("ij")


def test_memory_is_counted_once():
    x = jg.ones(1000) + 1
    assert jg.get_array_buffer_size(x) == 0
    jg.eval(x)
    nbytes = jg.get_array_buffer_size(x)
    assert nbytes >= 4000
    assert jg.get_array_buffer_size({"a": [x, x[1:]], "b": 5}) == nbytes
    assert jg.get_array_buffer_size() == 0
