# SPDX-License-Identifier: Apache-2.0
"""Chains of elementwise ops on arrays from the L2 cache's size to main memory's, in float32.

Every contestant makes its result anew, as the expression says: what that costs in page faults, and
what a caching allocator saves, is part of the figures. NumPy, PyTorch and
joggle read the same inputs.
"""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "fused chains"
MEAN_GOAL = 0.35
KIB, MIB = 2**10, 2**20
SIZES = {"64 KiB": 64 * KIB, "1 MiB": MIB, "16 MiB": 16 * MIB, "64 MiB": 64 * MIB}
POLYNOMIAL = (0.31, -0.27, 0.54, -0.13, 0.42, -0.61, 0.23, -0.35, 0.5)


def fma(xp, a, b, c):
    return a * b + c


def gelu(xp, a, b, c):
    return 0.5 * a * (1 + xp.tanh(0.7978845608 * (a + 0.044715 * (a * a * a))))


def poly16(xp, a, b, c):
    """Eight multiplications and eight additions, by Horner's rule."""
    y = a * POLYNOMIAL[0] + POLYNOMIAL[1]
    for coefficient in POLYNOMIAL[2:]:
        y = y * a + coefficient
    return y


def _entries(chain, inputs):
    def ours(jg):
        names = {name: jg.from_dlpack(x) for name, x in inputs.items()}
        f = lambda a, b, c: chain(jg, a, b, c)  # noqa: E731
        return code("eval(f(a, b, c))", "f(a, b, c)", f=f, eval=jg.eval, **names)

    def eager(xp, take):
        names = {name: take(x) for name, x in inputs.items()}
        f = lambda a, b, c: chain(xp, a, b, c)  # noqa: E731
        return code("f(a, b, c)", "f(a, b, c)", f=f, **names)

    def jax(jax):
        names = {name: jax.numpy.asarray(x) for name, x in inputs.items()}
        f = jax.jit(lambda a, b, c: chain(jax.numpy, a, b, c))
        return code("f(a, b, c).block_until_ready()", "f(a, b, c)", f=f, **names)

    def mlx(mx):
        names = {name: mx.array(x) for name, x in inputs.items()}
        f = mx.compile(lambda a, b, c: chain(mx, a, b, c))
        return code("eval(f(a, b, c))", "f(a, b, c)", f=f, eval=mx.eval, **names)

    return {
        "joggle": on("joggle", ours),
        "numpy": on("numpy", lambda np: eager(np, np.asarray)),
        "torch": on("torch", lambda torch: eager(torch, torch.from_numpy)),
        "jax.jit": on("jax", jax),
        "mlx.compile": on("mlx", mlx),
    }


def cases(quick):
    rng = np.random.default_rng(0)
    sizes = {"64 KiB": SIZES["64 KiB"]} if quick else SIZES
    for label, nbytes in sizes.items():
        inputs = {name: rng.standard_normal(nbytes // 4, np.float32) for name in "abc"}
        for chain in (fma, gelu, poly16):
            goals = (Goal(0.8),)
            yield Case(f"{chain.__name__} {label}", _entries(chain, inputs), goals)
