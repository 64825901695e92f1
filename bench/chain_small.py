# SPDX-License-Identifier: Apache-2.0
"""Ten chained ops on 16 elements: what an op costs when there is next to nothing to compute."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "ten chained ops, 16 elements"
A, B, C = (np.linspace(low, 1, 16, dtype=np.float32) for low in (0.0, 0.25, 0.5))
CHAIN = "((((a * b + c) * b + c) * b + c) * b + c) * b + c"


def _chain(a, b, c):
    return ((((a * b + c) * b + c) * b + c) * b + c) * b + c


def _inputs(array):
    return {"a": array(A), "b": array(B), "c": array(C)}


def _lazy(xp):
    return code(f"eval({CHAIN})", CHAIN, eval=xp.eval, **_inputs(xp.array))


def _mlx_compiled(mx):
    f = mx.compile(_chain)
    return code("eval(f(a, b, c))", "f(a, b, c)", f=f, eval=mx.eval, **_inputs(mx.array))


def _jax(jax):
    f = jax.jit(_chain)
    statement = "f(a, b, c).block_until_ready()"
    return code(statement, "f(a, b, c)", f=f, **_inputs(jax.numpy.asarray))


def cases(quick):
    entries = {
        "joggle": on("joggle", _lazy),
        "numpy": code(CHAIN, CHAIN, **_inputs(np.copy)),
        "torch": on("torch", lambda torch: code(CHAIN, CHAIN, **_inputs(torch.tensor))),
        "jax.jit": on("jax", _jax),
        "mlx": on("mlx", _lazy),
        "mlx.compile": on("mlx", _mlx_compiled),
    }
    yield Case("built and evaluated", entries, (Goal(1.0, "numpy"), Goal(0.1, "mlx")))
