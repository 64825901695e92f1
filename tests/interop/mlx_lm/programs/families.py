# SPDX-License-Identifier: Apache-2.0
"""families.py OUT: the logits of all families, of a whole prompt and step by step with a cache."""

import sys

import mlx.core as mx
import numpy as np
from mlx_lm.models.cache import make_prompt_cache
from tiny import FAMILIES, make, numpy_of

PROMPT = [[1, 5, 9, 2, 7, 3, 200, 14, 15, 9, 2, 6]]


def logits_of(family):
    model = make(family)
    prompt = mx.array(PROMPT)
    whole = model(prompt)
    cache = make_prompt_cache(model)
    steps = [model(prompt[:, :8], cache=cache)]
    steps += [model(prompt[:, i : i + 1], cache=cache) for i in range(8, len(PROMPT[0]))]
    return np.concatenate([numpy_of(whole), *map(numpy_of, steps)], axis=1)


np.savez(sys.argv[1], **{family: logits_of(family) for family in FAMILIES})
