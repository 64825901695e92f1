# SPDX-License-Identifier: Apache-2.0
"""Softmax, RMS norm and layer norm over the rows of a matrix: composed of primitives, as one would
write them with NumPy, and by the function that a library has for it."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "softmax and norms over rows"
SHAPES = ((64, 1024), (4096, 4096))
EPSILON = 1e-5
GOALS = (Goal(0.7), Goal(1.0, variant="joggle fast"))


def softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def rms_norm(xp, x, w):
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + EPSILON) * w


def layer_norm(xp, x, w, b):
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred * centred, axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + EPSILON) * w + b


def _jax_softmax(jnp, x):
    import jax

    return jax.nn.softmax(x, axis=-1)


def _softmax(x):
    own = {
        "torch": lambda torch, x: torch.softmax(x, -1),
        "jax": _jax_softmax,
        "mlx": lambda mx, x: mx.softmax(x, axis=-1),
    }
    ours = {"joggle": softmax, "joggle fast": lambda jg, x: jg.softmax(x, axis=-1)}
    return {"function": softmax, "inputs": {"x": x}, "own": own, "ours": ours}


def _rms_norm(x, w):
    own = {
        "torch": lambda torch, x, w: torch.nn.functional.rms_norm(x, w.shape, w, EPSILON),
        "mlx": lambda mx, x, w: mx.fast.rms_norm(x, w, EPSILON),
    }
    ours = {"joggle": rms_norm, "joggle fast": lambda jg, x, w: jg.fast.rms_norm(x, w, EPSILON)}
    return {"function": rms_norm, "inputs": {"x": x, "w": w}, "own": own, "ours": ours}


def _layer_norm(x, w, b):
    own = {
        "torch": lambda torch, x, w, b: torch.layer_norm(x, w.shape, w, b, EPSILON),
        "mlx": lambda mx, x, w, b: mx.fast.layer_norm(x, w, b, EPSILON),
    }
    ours = {
        "joggle": layer_norm,
        "joggle fast": lambda jg, x, w, b: jg.fast.layer_norm(x, w, b, EPSILON),
    }
    return {"function": layer_norm, "inputs": {"x": x, "w": w, "b": b}, "own": own, "ours": ours}


def cases(quick):
    rng = np.random.default_rng(0)
    for rows, columns in ((4, 64),) if quick else SHAPES:
        size = f"{rows}x{columns}"
        x = rng.standard_normal((rows, columns), np.float32)
        w, b = rng.standard_normal((2, columns), np.float32)
        yield Work(f"softmax {size}", goals=GOALS, **_softmax(x))
        yield Work(f"RMS norm {size}", goals=GOALS, **_rms_norm(x, w))
        yield Work(f"layer norm {size}", goals=GOALS, **_layer_norm(x, w, b))
