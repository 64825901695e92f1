# SPDX-License-Identifier: Apache-2.0
"""All functions of the corpus, and what they are run on."""

import numpy as np
from functions_arrays import LINEAR_ALGEBRA, SHAPES
from functions_elementary import EXPRESSIONS, STATISTICS
from functions_models import LAYERS, LOSSES, NUMERICS

FUNCTIONS = {
    f"{family}: {name}": function
    for family, functions in {
        "expression": EXPRESSIONS,
        "statistic": STATISTICS,
        "shape": SHAPES,
        "linear algebra": LINEAR_ALGEBRA,
        "loss": LOSSES,
        "layer": LAYERS,
        "numerics": NUMERICS,
    }.items()
    for name, function in functions.items()
}

_generator = np.random.default_rng(20)
X, T = _generator.normal(size=(2, 3, 4))
BATCH = _generator.normal(size=(2, 3, 4))
_WEIGHTS = np.cos(np.arange(64.0))


def weighed(xp, function):
    """A number that depends on each element of the function's result in its own way."""

    def loss(x):
        result = xp.reshape(function(xp, x), (-1,))
        return xp.sum(result * xp.asarray(np.resize(_WEIGHTS, result.shape)))

    return loss
