# SPDX-License-Identifier: Apache-2.0
"""What the programs beside it share: first weights that are the same in every process."""

import sys
import zlib

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten

results = {}


def hand_over(model):
    """Gives what a module drew at random numbers that follow from its path and shape alone."""
    weights = []
    for path, x in tree_flatten(model.parameters()):
        if x.ndim == 1 and path.endswith(("weight", "mean", "var")):  # of norms: ones and zeros
            continue
        numbers = np.random.default_rng(zlib.crc32(f"{path}{tuple(x.shape)}".encode()))
        size = np.prod(x.shape[1:]) if x.ndim > 1 else 100
        values = numbers.normal(size=x.shape) * size**-0.5
        weights.append((path, mx.array(values.astype(np.float32))))
    model.update(tree_unflatten(weights))
    mx.eval(model.parameters())
    return model


def keep(name, values):
    results[name] = np.array(values)


def finish():
    np.savez(sys.argv[1], **results)
