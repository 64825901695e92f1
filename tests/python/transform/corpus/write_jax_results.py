# SPDX-License-Identifier: Apache-2.0
"""Writes jax_results.npz: what JAX says of the corpus. It takes minutes, so the tests read that.

python tests/python/transform/corpus/write_jax_results.py
"""

from pathlib import Path

import jax
import numpy as np
from corpus_functions import BATCH, FUNCTIONS, T, X, weighed

jax.config.update("jax_enable_x64", True)


def results_of(name):
    loss = jax.jit(weighed(jax.numpy, FUNCTIONS[name]))
    value, slope = jax.value_and_grad(loss)(X)
    parts = [value, slope, jax.jvp(loss, (X,), (T,))[1], jax.vmap(jax.grad(loss))(BATCH)]
    parts.append(jax.jit(jax.hessian(loss))(X))
    return np.concatenate([np.ravel(part) for part in parts])


def main():
    found = {name: results_of(name) for name in FUNCTIONS}
    np.savez_compressed(Path(__file__).with_name("jax_results.npz"), **found)


if __name__ == "__main__":
    main()
