# SPDX-License-Identifier: Apache-2.0
"""Sums, maxima and means of a matrix, over all of it, over its columns and over its rows."""

import numpy as np
from support.measure import Case, code
from support.peers import on

NAME = "reductions, float32"


def _entries(op, axis, values):
    call = f"{op}(x, axis={axis})"

    def ours(jg):
        return code(
            f"eval({call})", call, x=jg.from_dlpack(values), eval=jg.eval, **{op: getattr(jg, op)}
        )

    def torch(torch):
        functions = {"sum": torch.sum, "max": torch.amax, "mean": torch.mean}
        dims = f"{op}(x, dim={'()' if op == 'max' and axis is None else axis})"
        return code(dims, dims, x=torch.from_numpy(values), **{op: functions[op]})

    def jax(jax):
        function = getattr(jax.numpy, op)
        f = jax.jit(lambda x: function(x, axis=axis))
        return code("f(x).block_until_ready()", "f(x)", f=f, x=jax.numpy.asarray(values))

    def mlx(mx):
        return code(
            f"eval({call})", call, x=mx.array(values), eval=mx.eval, **{op: getattr(mx, op)}
        )

    return {
        "joggle": on("joggle", ours),
        "numpy": code(call, call, x=values, **{op: getattr(np, op)}),
        "torch": on("torch", torch),
        "jax.jit": on("jax", jax),
        "mlx": on("mlx", mlx),
    }


def cases(quick):
    extent = 256 if quick else 4096
    values = np.random.default_rng(0).random((extent, extent), np.float32)
    for op in ("sum", "max", "mean"):
        for axis in (None, 0, 1):
            over = {None: "all", 0: "axis 0", 1: "axis 1"}[axis]
            yield Case(f"{op} {over} {extent}x{extent}", _entries(op, axis, values))
