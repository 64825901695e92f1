# SPDX-License-Identifier: Apache-2.0
"""What an op costs when there is next to nothing to compute: one op and ten on 16 elements."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "cost of an op, 16 elements"
THREADS = (1,)
A, B, C = (np.linspace(low, 1, 16, dtype=np.float32) for low in (0.0, 0.25, 0.5))
CHAIN = "((((a * b + c) * b + c) * b + c) * b + c) * b + c"


def _inputs(array):
    return {"a": array(A), "b": array(B), "c": array(C)}


def _lazy(library, expression):
    statement = f"eval({expression})"
    return on(library, lambda xp: code(statement, expression, eval=xp.eval, **_inputs(xp.array)))


def _mlx_compiled(mx, expression):
    f = mx.compile(eval(f"lambda a, b, c: {expression}"))
    return code("eval(f(a, b, c))", "f(a, b, c)", f=f, eval=mx.eval, **_inputs(mx.array))


def _jax(jax, expression):
    f = jax.jit(eval(f"lambda a, b, c: {expression}"))
    statement = "f(a, b, c).block_until_ready()"
    return code(statement, "f(a, b, c)", f=f, **_inputs(jax.numpy.asarray))


def _entries(expression):
    return {
        "joggle": _lazy("joggle", expression),
        "numpy": code(expression, expression, **_inputs(np.copy)),
        "torch": on("torch", lambda torch: code(expression, expression, **_inputs(torch.tensor))),
        "jax.jit": on("jax", lambda jax: _jax(jax, expression)),
        "mlx": _lazy("mlx", expression),
        "mlx.compile": on("mlx", lambda mx: _mlx_compiled(mx, expression)),
    }


def _built(library):
    return on(library, lambda xp: code("a + b", "a + b", **_inputs(xp.array)))


def cases(quick):
    built = {"joggle": _built("joggle"), "mlx": _built("mlx")}
    yield Case("a + b built", built, (Goal(0.25, "mlx"),))
    yield Case("a + b built and evaluated", _entries("a + b"), (Goal(1.0, "numpy"),))
    goals = (Goal(1.0, "numpy"), Goal(0.1, "mlx"))
    yield Case("ten ops built and evaluated", _entries(CHAIN), goals)
