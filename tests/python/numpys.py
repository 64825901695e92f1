# SPDX-License-Identifier: Apache-2.0
"""Calls of a function by its name in NumPy and in joggle, which must give the same."""

import numpy as np

import joggle as jg

DTYPES = ["bool", "int8", "uint16", "int64", "float32", "float64", "complex64", "complex128"]


def random(shape, dtype="float64", seed=0):
    """A NumPy array with zeros, negative numbers where there are some, and repeated elements."""
    values = np.random.default_rng(seed).integers(-3, 4, shape)
    if np.dtype(dtype).kind in "bu":
        values = np.abs(values)
    turned = 1 + 1j if np.dtype(dtype).kind == "c" else 1
    return np.asarray(np.asarray(values, dtype) * turned, dtype)


def ours(tree):
    """Lists and tuples with our arrays over NumPy's in the place of them."""
    if isinstance(tree, np.ndarray):
        return jg.asarray(tree)
    return type(tree)(map(ours, tree)) if type(tree) in (list, tuple) else tree


def assert_same(found, expected):
    if isinstance(expected, (list, tuple)):
        assert isinstance(found, (list, tuple)) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(found, jg.array)
        assert found.shape == expected.shape and found.dtype.name == expected.dtype.name
        np.testing.assert_array_equal(np.asarray(found), expected)
    else:
        assert type(found) is type(expected) and found == expected


def assert_numpys(name, *args, **kwargs):
    """Our function of that name gives what NumPy's gives."""
    named = {key: ours(each) for key, each in kwargs.items()}
    found = getattr(jg, name)(*map(ours, args), **named)
    assert_same(found, getattr(np, name)(*args, **kwargs))


def assert_writes_as_numpy(name, x, *args, **kwargs):
    """Our function of that name makes of its first argument what NumPy's makes of it."""
    mine, theirs = jg.array(x), x.copy()
    named = {key: ours(each) for key, each in kwargs.items()}
    assert getattr(jg, name)(mine, *map(ours, args), **named) is None
    getattr(np, name)(theirs, *args, **kwargs)
    assert_same(mine, theirs)


def near(ours, theirs, dtype=None):
    """Equal in shape and dtype, and in values up to rounding: 1e-4 where they are single."""
    found, theirs = np.asarray(ours), np.asarray(theirs)
    assert found.shape == theirs.shape and found.dtype == (dtype or theirs.dtype)
    rtol = 1e-4 if found.dtype in ("f4", "c8") else 1e-12
    np.testing.assert_allclose(found, theirs, rtol=rtol, atol=rtol)
