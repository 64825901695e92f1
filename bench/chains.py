# SPDX-License-Identifier: Apache-2.0
"""Chains of elementwise ops, from the first-level cache's size to main memory's.

Everybody makes the result anew, as the expression says: what that costs in page faults, and what a
caching allocator saves, is part of the figures. Sizes are those of one input.
"""

import numpy as np
from support import chain_kernels as kernels
from support import chain_loops as loops
from support import stream
from support.chain_loops import POLYNOMIAL
from support.measure import Goal
from support.work import Work

NAME = "fused chains"
MEAN_GOAL = 0.35
KIB, MIB = 2**10, 2**20
SIZES = {
    "4 KiB": 4 * KIB,
    "64 KiB": 64 * KIB,
    "1 MiB": MIB,
    "16 MiB": 16 * MIB,
    "256 MiB": 256 * MIB,
}
# As float32, for numexpr: it takes a number that is written out for a double.
POLYNOMIAL_NAMES = {f"p{i}": np.float32(value) for i, value in enumerate(POLYNOMIAL)}
GELU_NAMES = {"k": np.float32(0.7978845608), "q": np.float32(0.044715), "h": np.float32(0.5)}


def fma(xp, a, b, c):
    return a * b + c


def gelu(xp, a):
    return 0.5 * a * (1 + xp.tanh(0.7978845608 * (a + 0.044715 * (a * a * a))))


def gauss(xp, a, b, c):
    d = a - b
    return xp.exp(-(d * d) / 2) * (1 / (1 + xp.exp(-c)))


def gauss_torch(torch, a, b, c):
    return torch.exp(-((a - b) ** 2) / 2) * torch.sigmoid(c)


def gauss_jax(jnp, a, b, c):
    import jax

    return jnp.exp(-((a - b) ** 2) / 2) * jax.nn.sigmoid(c)


def gauss_mlx(mx, a, b, c):
    return mx.exp(-mx.square(a - b) / 2) * mx.sigmoid(c)


def gauss_joggle(jg, a, b, c):
    sigmoid = getattr(jg, "sigmoid", lambda x: 1 / (1 + jg.exp(-x)))
    return jg.exp(-jg.square(a - b) / 2) * sigmoid(c)


def poly16(xp, a):
    """Eight multiplications and eight additions, by Horner's rule."""
    y = a * POLYNOMIAL[0] + POLYNOMIAL[1]
    for coefficient in POLYNOMIAL[2:]:
        y = y * a + coefficient
    return y


def select(xp, a, b, c):
    """int32: comparisons, choices, arithmetic and bits."""
    larger = xp.where(a > b, a - b, b - a)
    return xp.where((larger & 1) == 0, larger + c, xp.where(c > 0, larger * 3, larger ^ c))


def _horner():
    text = "p0*a+p1"
    for i in range(2, len(POLYNOMIAL)):
        text = f"({text})*a+p{i}"
    return text


def _goals(nbytes, tier0):
    """The design's, and with precompiled kernels alone where the arrays fit into a cache."""
    if nbytes >= 64 * MIB:
        return Goal(0.8), Goal(1.0, "numba"), Goal(1.15, "stream")
    alone = (Goal(tier0, variant="joggle tier 0"),) if nbytes <= MIB else ()
    return Goal(0.8), Goal(1.0, "numba"), *alone


def _works(label, nbytes, floats, ints):
    a = {"a": floats["a"]}
    arithmetic, functions = _goals(nbytes, 1.7), _goals(nbytes, 1.0)
    yield Work(
        f"a*b+c {label}",
        fma,
        floats,
        arithmetic,
        expression="a*b+c",
        loop=loops.fma,
        kernel=kernels.fma,
    )
    yield Work(
        f"gelu {label}",
        gelu,
        a,
        functions,
        expression="h*a*(1+tanh(k*(a+q*(a*a*a))))",
        constants=GELU_NAMES,
        loop=loops.gelu,
        kernel=kernels.gelu,
    )
    yield Work(
        f"exp*sigmoid {label}",
        gauss,
        floats,
        functions,
        own={"torch": gauss_torch, "jax": gauss_jax, "mlx": gauss_mlx, "joggle": gauss_joggle},
        expression="exp(-(a-b)*(a-b)/2)*(1/(1+exp(-c)))",
        loop=loops.gauss,
        kernel=kernels.gauss,
    )
    yield Work(
        f"polynomial {label}",
        poly16,
        a,
        arithmetic,
        expression=_horner(),
        constants=POLYNOMIAL_NAMES,
        loop=loops.poly16,
        kernel=kernels.poly16,
    )
    yield Work(
        f"int32 where {label}",
        select,
        ints,
        arithmetic,
        loop=loops.select,
        kernel=kernels.select,
    )


def cases(quick):
    rng = np.random.default_rng(0)
    sizes = {"4 KiB": SIZES["4 KiB"]} if quick else SIZES
    for label, nbytes in sizes.items():
        count = nbytes // 4
        floats = {name: rng.standard_normal(count, np.float32) for name in "abc"}
        ints = {name: rng.integers(-1000, 1000, count, np.int32) for name in "abc"}
        for work in _works(label, nbytes, floats, ints):
            ours = work.own.get("joggle", work.function)
            work.ours = {"joggle": ours, "joggle tier 0": ours}
            if nbytes <= 4 * KIB:
                work.ours["joggle compiled"] = ours
                work.goals += (Goal(1.0, "numba", "joggle compiled"),)
            if nbytes >= 64 * MIB:
                moved = (len(work.inputs) + 1) * nbytes
                work.yardsticks["stream"] = stream.triad(floats["a"], floats["b"], moved)
            yield work
