# SPDX-License-Identifier: Apache-2.0
"""Products of square matrices, and of a transposed one, which goes to the library as it lies."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import Absent, on

NAME = "matrix products, float32"
SIZES = (64, 128, 256, 512, 1024, 2048)
MLX_LIMIT = 256  # its loops on the CPU take seconds beyond


def _entries(product, x, y):
    def ours(jg):
        return code(
            f"eval({product})", product, x=jg.from_dlpack(x), y=jg.from_dlpack(y), eval=jg.eval
        )

    def torch(torch):
        return code(product, product, x=torch.from_numpy(x), y=torch.from_numpy(y))

    def jax(jax):
        f = jax.jit(eval(f"lambda x, y: {product}"))
        inputs = {"x": jax.numpy.asarray(x), "y": jax.numpy.asarray(y)}
        return code("f(x, y).block_until_ready()", "f(x, y)", f=f, **inputs)

    def mlx(mx):
        if len(x) > MLX_LIMIT:
            return Absent(f"left out above {MLX_LIMIT}: seconds a product")
        return code(f"eval({product})", product, x=mx.array(x), y=mx.array(y), eval=mx.eval)

    return {
        "joggle": on("joggle", ours),
        "numpy": code(product, product, x=x, y=y),
        "torch": on("torch", torch),
        "jax.jit": on("jax", jax),
        "mlx": on("mlx", mlx),
    }


def cases(quick):
    rng = np.random.default_rng(0)
    goals = (Goal(1.05),)
    for extent in SIZES[:1] if quick else SIZES:
        x, y = rng.standard_normal((2, extent, extent), np.float32)
        yield Case(f"x @ y, {extent}", _entries("x @ y", x, y), goals)
        if extent == 512:
            yield Case(f"x.T @ y, {extent}", _entries("x.T @ y", x, y), goals)
