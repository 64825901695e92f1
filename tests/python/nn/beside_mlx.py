# SPDX-License-Identifier: Apache-2.0
"""Modules of joggle and of MLX with the same parameters, and their results side by side."""

import mlx.core as mx
import mlx.nn as mlx_nn
import mlx.utils
import numpy as np

import joggle as jg
from joggle.utils import tree_flatten


def as_mlx(value):
    """Arrays of joggle, also in trees, as MLX's."""
    if isinstance(value, jg.array):
        return mx.array(
            np.asarray(value.astype(jg.float32) if value.dtype == jg.bfloat16 else value)
        )
    if isinstance(value, (list, tuple)):
        return type(value)(as_mlx(item) for item in value)
    if isinstance(value, dict):
        return {key: as_mlx(item) for key, item in value.items()}
    return value


def twin(module, other):
    """other, a module of MLX, with the parameters of module, one of joggle."""
    assert isinstance(other, mlx_nn.Module)
    weights = [(path, as_mlx(x)) for path, x in tree_flatten(module.parameters())]
    assert sorted(dict(weights)) == sorted(dict(mlx.utils.tree_flatten(other.parameters())))
    return other.update(mlx.utils.tree_unflatten(weights)) if weights else other


def flat(results):
    """The arrays of a tree, as NumPy's in float64."""
    if isinstance(results, (list, tuple)):
        return [array for item in results for array in flat(item)]
    if isinstance(results, dict):
        return [array for key in sorted(results) for array in flat(results[key])]
    if isinstance(results, mx.array):
        return [np.array(results.astype(mx.float32)).astype(np.float64)]
    return [np.asarray(results.astype(jg.float64))]


def assert_alike(ours, theirs, tolerance=2e-5):
    ours, theirs = flat(ours), flat(theirs)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
