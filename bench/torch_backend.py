# SPDX-License-Identifier: Apache-2.0
"""torch.compile(f, backend="joggle") beside eager torch and Inductor: patterns of models, layers,
and a small call, which is what a call costs. Inductor takes part where compilers do."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import Absent, is_compiling, on

NAME = "torch.compile's backend"
THREADS = (1,)
MEAN_GOAL = 0.6


def budget(quick):
    from support import measure

    return measure.QUICK if quick else measure.Budget(seconds=3.0)


# ---- patterns: functions of torch and of tensors ----


def small(torch, x):
    return x * 2 + 1


def chain(torch, x):
    return torch.tanh(torch.sigmoid(torch.exp(x)))


def rms_norm(torch, x, residual, weight):
    h = x + residual
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def swiglu(torch, gate, x):
    return torch.nn.functional.silu(gate) * x


def gelu_bias(torch, x, bias):
    return torch.nn.functional.gelu(x + bias)


def rotary(torch, x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


def adam(torch, p, g, m, v):
    m, v = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
    return p - 1e-3 * m / (v.sqrt() + 1e-8)


def mlp(torch, x, w1, b1, w2, b2):
    f = torch.nn.functional
    return f.linear(f.gelu(f.linear(x, w1, b1)), w2, b2)


def transformer(torch, x, qkv, out, w1, w2, weight, bias):
    """A layer of four heads, with norms first."""
    f, (n, t, d) = torch.nn.functional, x.shape
    h = f.layer_norm(x, (d,), weight, bias)
    q, k, v = (a.view(n, t, 4, d // 4).transpose(1, 2) for a in f.linear(h, qkv).chunk(3, -1))
    h = f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, t, d)
    x = x + f.linear(h, out)
    h = f.layer_norm(x, (d,), weight, bias)
    return x + f.linear(f.gelu(f.linear(h, w1)), w2)


def _cases(quick):
    n = 32 if quick else 256
    yield "16 floats, 2 x + 1", small, [(16,)]
    yield f"tanh, sigmoid, exp of {2 * n}x{2 * n}", chain, [(2 * n, 2 * n)]
    yield f"RMS norm with residual, {n}x{2 * n}", rms_norm, [(n, 2 * n), (n, 2 * n), (2 * n,)]
    yield f"SwiGLU, {n}x{4 * n}", swiglu, [(n, 4 * n)] * 2
    yield f"gelu with bias, {n}x{4 * n}", gelu_bias, [(n, 4 * n), (4 * n,)]
    turns = (n // 2, 64)
    yield f"rotary embedding, 16x{n // 2}x64", rotary, [(16, *turns), turns, turns]
    yield f"Adam, {2 * n}x{2 * n}", adam, [(2 * n, 2 * n)] * 4
    yield f"MLP 64x{n}x{2 * n}", mlp, [(64, n), (2 * n, n), (2 * n,), (n, 2 * n), (n,)]
    d = n // 2
    shapes = [(4, 64, d), (3 * d, d), (d, d), (4 * d, d), (d, 4 * d), (d,), (d,)]
    yield f"transformer layer, 4x64x{d}", transformer, shapes


# ---- contestants ----


def _entry(torch, function, arrays, backend):
    if backend == "inductor" and not is_compiling():
        return Absent("left out: --no-compile or --quick")

    run = function
    if backend is not None:
        run = torch.compile(run, backend=backend, dynamic=False)
    tensors = [torch.from_numpy(x) for x in arrays]

    def call():
        with torch.no_grad():
            return run(torch, *tensors)

    call()  # what is compiled is compiled before the clock runs
    return code("f()", "f().numpy()", f=call)


def _joggle(function, arrays):
    import joggle.torch

    return on("torch", lambda torch: _entry(torch, function, arrays, joggle.torch.backend))


def cases(quick):
    rng = np.random.default_rng(0)
    for name, function, shapes in _cases(quick):
        # positive, as second moments are, and small, as weights are
        arrays = [np.abs(rng.standard_normal(shape, np.float32)) * 0.1 for shape in shapes]
        entries = {
            "joggle": on("joggle", lambda _, f=function, a=arrays: _joggle(f, a)),
            "torch": on("torch", lambda torch, f=function, a=arrays: _entry(torch, f, a, None)),
            "torch.compile": on(
                "torch", lambda torch, f=function, a=arrays: _entry(torch, f, a, "inductor")
            ),
        }
        yield Case(name, entries, (Goal(0.9),), tolerance=1e-3)
