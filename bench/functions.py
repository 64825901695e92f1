# SPDX-License-Identifier: Apache-2.0
"""Functions of floats over an array that fits the second-level cache, one at a time."""

import numpy as np
import scipy.special
from support.measure import Goal
from support.work import Work

NAME = "functions"
RANGES = {"log": (0.1, 10), "log2": (0.1, 10), "log10": (0.1, 10), "log1p": (-0.9, 10)}
RANGES |= dict.fromkeys(("arcsin", "arccos", "arctanh", "erfinv"), (-1, 1)) | {"arccosh": (1, 9)}
EVERYWHERE = """
    exp expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
    arctanh
"""


def _special(name, scipy_name, jax):
    """A function that NumPy does not have, and that is elsewhere in JAX."""
    reference = getattr(scipy.special, scipy_name)
    own = {"numpy": lambda np, x: reference(x), "jax": jax}
    return Work(name, lambda xp, x: getattr(xp, name)(x), {}, own=own)


def _jax_special(name):
    def call(numpy, x):
        import jax

        return getattr(jax.scipy.special, name)(x)

    return call


def _works():
    for name in EVERYWHERE.split():
        yield Work(name, lambda xp, x, name=name: getattr(xp, name)(x), {})
    for name, of_scipy in {"erf": "erf", "erfinv": "erfinv", "sigmoid": "expit"}.items():
        yield _special(name, of_scipy, _jax_special(of_scipy))


def cases(quick):
    count = 1000 if quick else 2**16
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        for work in _works():
            low, high = RANGES.get(work.name, (-5, 5))
            work.inputs = {"x": rng.uniform(low, high, count).astype(dtype)}
            work.goals = (Goal(1.0),) if dtype == np.float32 else ()
            work.name = f"{work.name} {np.dtype(dtype).name}"
            yield work
