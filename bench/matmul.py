# SPDX-License-Identifier: Apache-2.0
"""Products of square matrices, and of a transposed one, which goes to the library as it lies."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import Absent, on

NAME = "matrix products, float32"
SIZES = (64, 128, 256, 512, 1024, 2048)
MLX_LIMIT = 256  # its loops on the CPU take seconds beyond


def _entries(product, values):
    def ours(jg):
        x = jg.from_dlpack(values)
        return code(f"eval({product})", product, x=x, eval=jg.eval)

    def jax(jax):
        f = jax.jit(eval(f"lambda x: {product}"))
        return code("f(x).block_until_ready()", "f(x)", f=f, x=jax.numpy.asarray(values))

    def mlx(mx):
        if len(values) > MLX_LIMIT:
            return Absent(f"left out above {MLX_LIMIT}: seconds a product")
        return code(f"eval({product})", product, x=mx.array(values), eval=mx.eval)

    return {
        "joggle": on("joggle", ours),
        "numpy": code(product, product, x=values),
        "torch": on("torch", lambda torch: code(product, product, x=torch.from_numpy(values))),
        "jax.jit": on("jax", jax),
        "mlx": on("mlx", mlx),
    }


def cases(quick):
    rng = np.random.default_rng(0)
    for extent in SIZES[:1] if quick else SIZES:
        values = rng.standard_normal((extent, extent), np.float32)
        yield Case(f"x @ x, {extent}", _entries("x @ x", values), (Goal(1.05),))
    if not quick:
        values = rng.standard_normal((512, 512), np.float32)
        yield Case("x.T @ x, 512", _entries("x.T @ x", values), (Goal(1.05),))
