# SPDX-License-Identifier: Apache-2.0
"""Gradients and steps of training, each written once: recorded functions, and not recorded ones."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "transformations"


def _small():
    return [np.linspace(low, 1, 16, dtype=np.float32) for low in (0.0, 0.25, 0.5)]


def _chain(xp, a, b, c):
    return ((((a * b + c) * b + c) * b + c) * b + c) * b + c


def _sum_of_chain(xp, a, b, c):
    return xp.sum(_chain(xp, a, b, c))


# ---- models: each takes a namespace, a list of parameters and data ----


def _relu(xp, x):
    return xp.maximum(x, xp.zeros_like(x)) if hasattr(xp, "autograd") else xp.maximum(x, 0)


def _cross_entropy(xp, logits, onehot):
    shifted = logits - _amax(xp, logits)
    return xp.mean(xp.log(_total(xp, xp.exp(shifted))) - _total(xp, shifted * onehot))


def _amax(xp, x):
    return xp.amax(x, -1, keepdim=True) if hasattr(xp, "autograd") else x.max(-1, keepdims=True)


def _total(xp, x):
    return xp.sum(x, -1, keepdim=True) if hasattr(xp, "autograd") else x.sum(-1, keepdims=True)


def _mlp(xp, parameters, x, onehot):
    w1, b1, w2, b2, w3, b3 = parameters
    h = _relu(xp, x @ w1 + b1)
    h = _relu(xp, h @ w2 + b2)
    return _cross_entropy(xp, h @ w3 + b3, onehot)


def _lora(xp, parameters, x, w, y):
    a, b = parameters
    return xp.mean((x @ w + (x @ a) @ b - y) ** 2)


def _norm(xp, x):
    centred = x - _total(xp, x) / x.shape[-1]
    return centred / xp.sqrt(_total(xp, centred * centred) / x.shape[-1] + 1e-5)


def _heads(xp, x, count):
    batch, length, width = x.shape
    return x.reshape(batch, length, count, width // count).swapaxes(1, 2)


def _attention(xp, x, qkv, out, count):
    batch, length, width = x.shape
    mixed = x @ qkv
    q, k, v = (_heads(xp, mixed[..., i * width : (i + 1) * width], count) for i in range(3))
    scores = q @ k.swapaxes(2, 3) * (width // count) ** -0.5
    powers = xp.exp(scores - _amax(xp, scores))
    mixed = (powers / _total(xp, powers)) @ v
    return mixed.swapaxes(1, 2).reshape(batch, length, width) @ out


def _transformer(xp, parameters, x, y):
    for qkv, out, up, down in zip(*[iter(parameters)] * 4, strict=True):
        x = x + _attention(xp, _norm(xp, x), qkv, out, 4)
        x = x + _relu(xp, _norm(xp, x) @ up) @ down
    return xp.mean((_norm(xp, x) - y) ** 2)


def _gelu(xp, parameters):
    (x,) = parameters
    return xp.sum(0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x))))


# ---- contestants: the gradients of all parameters ----


def _ours(jg, loss, parameters, data, compiled):
    step = jg.value_and_grad(lambda p, *d: loss(jg, p, *d))
    step = jg.compile(step) if compiled else step
    parameters, data = [jg.asarray(p) for p in parameters], [jg.asarray(x) for x in data]
    return code(
        "eval(f(p, *d))",
        "f(p, *d)[1][0]",
        eval=lambda r: jg.eval(r[0], *r[1]),
        f=step,
        p=parameters,
        d=data,
    )


def _jax(jax, loss, parameters, data):
    step = jax.jit(jax.value_and_grad(lambda p, *d: loss(jax.numpy, p, *d)))
    parameters, data = [list(map(jax.numpy.asarray, part)) for part in (parameters, data)]
    return code(
        "wait(f(p, *d))", "f(p, *d)[1][0]", wait=jax.block_until_ready, f=step, p=parameters, d=data
    )


def _torch(torch, loss, parameters, data):
    parameters = [torch.from_numpy(p).requires_grad_() for p in parameters]
    data = [torch.from_numpy(x) for x in data]

    def step():
        return torch.autograd.grad(loss(torch, parameters, *data), parameters)

    return code("f()", "f()[0]", f=step)


def _mlx(mx, loss, parameters, data, compiled):
    step = mx.value_and_grad(lambda p, *d: loss(mx, p, *d))
    step = mx.compile(step) if compiled else step
    parameters, data = [mx.array(p) for p in parameters], [mx.array(x) for x in data]
    return code("eval(f(p, *d))", "f(p, *d)[1][0]", eval=mx.eval, f=step, p=parameters, d=data)


def _gradients(name, loss, parameters, data, goals, mlx=True):
    entries = {
        "joggle": on("joggle", lambda jg: _ours(jg, loss, parameters, data, True)),
        "joggle not compiled": on("joggle", lambda jg: _ours(jg, loss, parameters, data, False)),
        "jax.jit": on("jax", lambda jax: _jax(jax, loss, parameters, data)),
        "torch": on("torch", lambda torch: _torch(torch, loss, parameters, data)),
    }
    if mlx:
        entries["mlx"] = on("mlx", lambda mx: _mlx(mx, loss, parameters, data, False))
        entries["mlx.compile"] = on("mlx", lambda mx: _mlx(mx, loss, parameters, data, True))
    return Case(name, entries, goals, tolerance=2e-3)


# ---- Adam: one pass over parameters, gradients and both moments ----


def _adam(xp, p, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.001 * m / (xp.sqrt(v) + 1e-8), m, v


def _adam_case(count):
    rng = np.random.default_rng(0)
    arrays = [np.abs(rng.standard_normal(count, np.float32)) for _ in range(4)]

    def ours(jg):
        f = jg.compile(lambda *a: _adam(jg, *a))
        given = [jg.asarray(x) for x in arrays]
        return code("eval(*f(*d))", "f(*d)[0]", eval=jg.eval, f=f, d=given)

    def theirs(jax):
        f = jax.jit(lambda *a: _adam(jax.numpy, *a))
        given = [jax.numpy.asarray(x) for x in arrays]
        return code("wait(f(*d))", "f(*d)[0]", wait=jax.block_until_ready, f=f, d=given)

    def torchs(torch):
        given = [torch.from_numpy(x) for x in arrays]
        return code("f(*d)", "f(*d)[0]", f=lambda *a: _adam(torch, *a), d=given)

    entries = {
        "joggle": on("joggle", ours),
        "jax.jit": on("jax", theirs),
        "torch": on("torch", torchs),
    }
    return Case(f"Adam, {count} parameters", entries, (Goal(1.0, "jax.jit"),))


def _call_case():
    def ours(jg):
        f = jg.compile(lambda a, b, c: _chain(jg, a, b, c))
        return code("eval(f(*d))", "f(*d)", eval=jg.eval, f=f, d=[jg.asarray(x) for x in _small()])

    def theirs(jax):
        f = jax.jit(lambda a, b, c: _chain(jax.numpy, a, b, c))
        given = [jax.numpy.asarray(x) for x in _small()]
        return code("f(*d).block_until_ready()", "f(*d)", f=f, d=given)

    def mlxs(mx):
        f = mx.compile(lambda a, b, c: _chain(mx, a, b, c))
        return code("eval(f(*d))", "f(*d)", eval=mx.eval, f=f, d=[mx.array(x) for x in _small()])

    entries = {
        "joggle": on("joggle", ours),
        "jax.jit": on("jax", theirs),
        "mlx.compile": on("mlx", mlxs),
    }
    return Case(
        "call of ten ops, 16 elements",
        entries,
        (Goal(0.25, "jax.jit"), Goal(0.2, "mlx.compile")),
    )


def cases(quick):
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.standard_normal(shape, np.float32) / np.float32(max(shape[0], 1) ** 0.5)

    yield _call_case()
    yield _gradients(
        "gradient of ten ops, 16 elements",
        lambda xp, p, *d: _sum_of_chain(xp, *p),
        _small(),
        [],
        (Goal(6000, None, "joggle not compiled"),),
    )
    rows, wide = (8, 16) if quick else (256, 256)
    inputs = 32 if quick else 784
    layers = [(inputs, wide), (wide,), (wide, wide), (wide,), (wide, 10), (10,)]
    onehot = np.eye(10, dtype=np.float32)[rng.integers(0, 10, rows)]
    name = f"MLP {inputs}-{wide}-{wide}-10, batch {rows}"
    data = [normal(rows, inputs), onehot]
    yield _gradients(name, _mlp, [normal(*s) for s in layers], data, (Goal(0.9, "jax.jit"),))
    width, length, batch = (16, 8, 2) if quick else (256, 128, 8)
    shapes = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)] * 2
    data = [normal(batch, length, width), normal(batch, length, width)]
    name = f"transformer, 2 layers of {width}, {batch}x{length}"
    yield _gradients(
        name, _transformer, [normal(*s) for s in shapes], data, (Goal(0.9),), mlx=quick
    )
    width = 32 if quick else 1024
    data = [normal(width, width), normal(width, width), normal(width, width)]
    parameters = [normal(width, 8), normal(8, width)]
    name = f"LoRA of rank 8, {width}x{width}"
    yield _gradients(name, _lora, parameters, data, (Goal(1.0),), mlx=quick)
    count = 2**10 if quick else 2**24
    yield _gradients(f"gelu, {count} elements", _gelu, [normal(count)], [], (Goal(1.0),), mlx=quick)
    yield _adam_case(2**10 if quick else 2**22)
