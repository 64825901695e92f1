# SPDX-License-Identifier: Apache-2.0
"""Arrays of random numbers in any dtype that NumPy or ml_dtypes has."""

import ml_dtypes
import numpy as np


def sample(shape, dtype="float32", seed=0, scale=1):
    values = np.random.default_rng(seed).normal(scale=scale, size=shape)
    return values.astype(getattr(ml_dtypes, dtype, None) or dtype)
