# SPDX-License-Identifier: Apache-2.0
"""Cases of distributions that have parameters, and of random orders: shapes, and where the numbers
lie. Whether they have their distributions is tried in tests/python/random_numbers."""

import choices as st
import numpy as np
from case_quantised import drawn, is_finite, key
from drawing import FLOATS, REAL, Case, array_of, axis_of, numbers, part_of, shapes

HALVES = ["float32", "float16", "bfloat16"]


def with_parameters(count):
    """A key, parameters that broadcast to the shape, the shape or None, and a dtype."""

    def draw(draw):
        shape = shapes(draw)
        dtype = draw(st.sampled_from(HALVES))
        parameters = [
            np.abs(numbers(draw, "float32", part_of(draw, shape))) + 1 for _ in range(count)
        ]
        asked = shape if draw(st.booleans()) else None
        return (key(draw), *parameters, asked, dtype), {}

    return draw


def lies_in(least, most):
    """A check that shapes are right, and no number outside of the bounds."""

    def check(results, args, named):
        parameters, shape = args[1:-2], args[-2]
        (x,) = results
        assert x.shape == (np.broadcast_shapes(*map(np.shape, parameters), shape or ()))
        assert (x.astype("f8") >= least).all() and (x.astype("f8") <= most).all()

    return check


def last(args, named):
    return args[-1]


def vectors(draw):
    n, shape = draw(st.integers(1, 3)), shapes(draw, max_ndim=2)
    mean = numbers(draw, "float32", (*part_of(draw, shape), n))
    root = numbers(draw, "float32", (n, n), (-1, 1))
    asked = shape if draw(st.booleans()) else None
    return (key(draw), mean, root @ root.T, asked, "float32"), {}


def are_vectors(results, args, named):
    _, mean, _, shape, _ = args
    expected = mean.shape if shape is None else (*shape, mean.shape[-1])
    assert results[0].shape == expected and np.isfinite(results[0]).all()


def ordered(draw):
    x = array_of(draw, REAL, min_ndim=1)
    return (key(draw), x, axis_of(draw, x.ndim)), {}


def is_order(results, args, named):
    _, x, axis = args
    assert results[0].shape == x.shape
    np.testing.assert_array_equal(
        *(np.sort(each.astype("f8"), axis=axis) for each in (results[0], x))
    )


def chosen(draw):
    x = array_of(draw, FLOATS, min_ndim=1, least=1)
    axis = axis_of(draw, x.ndim)
    extent = x.shape[axis]
    replace = draw(st.booleans())
    shape = shapes(draw) if replace else (draw(st.integers(0, extent)),)
    p = numbers(draw, "float32", (extent,), (1, 9)) if draw(st.booleans()) else None
    return (key(draw), x, shape, replace, p, axis), {}


def is_choice(results, args, named):
    """Every slice is one of x; without replacement, none more often than there."""
    _, x, shape, replace, _, axis = args
    at = axis % x.ndim
    assert results[0].shape == (*x.shape[:at], *shape, *x.shape[at + 1 :])
    found = np.moveaxis(
        results[0].reshape(*x.shape[:at], -1, *x.shape[at + 1 :]).astype("f8"), at, 0
    )
    there = [each.tolist() for each in np.moveaxis(x.astype("f8"), at, 0)]
    for each in found.tolist():
        assert each in there
        if not replace:
            there.remove(each)


POSITIVE = lies_in(0, np.inf)
CASES = {
    "random_standard_cauchy": Case(drawn(), check=is_finite, dtype=last),
    "random_logistic": Case(with_parameters(2), check=lies_in(-np.inf, np.inf), dtype=last),
    "random_exponential": Case(with_parameters(1), check=POSITIVE, dtype=last),
    "random_rayleigh": Case(with_parameters(1), check=POSITIVE, dtype=last),
    "random_weibull": Case(with_parameters(1), check=POSITIVE, dtype=last),
    "random_pareto": Case(with_parameters(1), check=POSITIVE, dtype=last),
    "random_gamma": Case(with_parameters(2), check=POSITIVE, dtype=last),
    "random_beta": Case(with_parameters(2), check=lies_in(0, 1), dtype=last),
    "random_multivariate_normal": Case(vectors, check=are_vectors, dtype=last),
    "random_permutation": Case(ordered, check=is_order, dtype=lambda a, n: a[1].dtype.name),
    "random_choice": Case(chosen, check=is_choice, dtype=lambda a, n: a[1].dtype.name),
}
