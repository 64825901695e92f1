# SPDX-License-Identifier: Apache-2.0
"""A million random numbers as float32. They are nobody else's, so values are not compared; the
tests look at their distributions."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "random numbers"
GOALS = (Goal(1.05),)


def _numpy(np, name, count):
    names = {"uniform": "random", "normal": "standard_normal"}
    draw = getattr(np.random.default_rng(0), names[name])
    return code("draw(count, dtype=float32)", draw=draw, count=count, float32=np.float32)


def _torch(torch, name, count):
    return code(
        "draw(count)", draw={"uniform": torch.rand, "normal": torch.randn}[name], count=count
    )


def _jax(jax, name, count):
    draw, key = getattr(jax.random, name), jax.random.key(0)
    compiled = jax.jit(lambda key: draw(key, (count,), "float32"))
    return code("draw(key).block_until_ready()", draw=compiled, key=key)


def _keyed(xp, name, count):
    draw, key = getattr(xp.random, name), xp.random.key(0)
    return code(
        "eval(draw(shape=shape, key=key))", draw=draw, key=key, shape=(count,), eval=xp.eval
    )


MAKERS = {"joggle": _keyed, "numpy": _numpy, "torch": _torch, "jax": _jax, "mlx": _keyed}


def cases(quick):
    count = 2**10 if quick else 2**20
    for name in ("uniform", "normal"):
        entries = {
            peer: on(peer, lambda module, make=make, name=name: make(module, name, count))
            for peer, make in MAKERS.items()
        }
        yield Case(f"{name}, {count}", entries, GOALS, reference=lambda: np.zeros(1))
