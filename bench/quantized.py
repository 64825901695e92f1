# SPDX-License-Identifier: Apache-2.0
"""Products with a quantised 4096x4096 matrix, for one row, as where tokens are generated, and 64,
against MLX's and against the product with the dense matrix that it stands for."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "quantised products"
GOALS = (Goal(1.05),)


def _joggle(jg, x, parts, bits):
    x, parts = jg.from_dlpack(x), [jg.asarray(part) for part in parts]
    call = "f(x, *parts, bits=bits)"
    names = {"f": jg.quantized_matmul, "x": x, "parts": parts, "bits": bits}
    return code(f"eval({call})", call, eval=jg.eval, **names)


def _mlx(mx, x, parts, bits):
    x, parts = mx.array(x), [mx.array(part) for part in parts]
    call = "f(x, *parts, bits=bits)"
    names = {"f": mx.quantized_matmul, "x": x, "parts": parts, "bits": bits}
    return code(f"eval({call})", call, eval=mx.eval, **names)


def _case(jg, x, w, bits):
    parts = jg.quantize(w, bits=bits)
    dense = np.asarray(jg.dequantize(*parts, bits=bits))
    parts = [np.asarray(part) for part in parts]
    entries = {
        "joggle": _joggle(jg, x, parts, bits),
        "mlx": on("mlx", lambda mx: _mlx(mx, x, parts, bits)),
        "torch": on(
            "torch",
            lambda torch: code("x @ w.T", "x @ w.T", x=torch.from_numpy(x), w=torch.tensor(dense)),
        ),
        "numpy": code("x @ w.T", "x @ w.T", x=x, w=dense),
    }
    name = f"{bits} bits, {len(x)}x{x.shape[1]} by {w.shape[1]}x{w.shape[0]}"
    return Case(name, entries, GOALS, lambda: x @ dense.T)


def cases(quick):
    rng = np.random.default_rng(0)
    extent = 128 if quick else 4096
    w = rng.standard_normal((extent, extent), np.float32)
    for bits in (3, 4, 6, 8):
        for rows in (1, 64) if bits in (4, 8) else (1,):
            x = rng.standard_normal((rows, extent), np.float32)
            yield on("joggle", lambda jg, x=x, bits=bits: _case(jg, x, w, bits))
