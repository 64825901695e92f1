# SPDX-License-Identifier: Apache-2.0
"""One addition of 16 elements: building it, and building and evaluating it."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "a + b, 16 elements"
VALUES = np.arange(16, dtype=np.float32)


def _jax(jax, statement):
    a, b = jax.numpy.asarray(VALUES), jax.numpy.asarray(VALUES)
    add = jax.jit(lambda a, b: a + b)
    return code(statement, a=a, b=b, add=add)


def cases(quick):
    def ours(statement):
        return on(
            "joggle",
            lambda jg: code(statement, a=jg.array(VALUES), b=jg.array(VALUES), eval=jg.eval),
        )

    def mlx(statement):
        return on(
            "mlx", lambda mx: code(statement, a=mx.array(VALUES), b=mx.array(VALUES), eval=mx.eval)
        )

    yield Case("built", {"joggle": ours("a + b"), "mlx": mlx("a + b")}, (Goal(0.25, "mlx"),))
    yield Case(
        "built and evaluated",
        {
            "joggle": ours("eval(a + b)"),
            "numpy": code("a + b", a=VALUES, b=VALUES.copy()),
            "torch": on(
                "torch", lambda torch: code("a + b", a=torch.tensor(VALUES), b=torch.tensor(VALUES))
            ),
            "jax.jit": on("jax", lambda jax: _jax(jax, "add(a, b).block_until_ready()")),
            "mlx": mlx("eval(a + b)"),
        },
    )
