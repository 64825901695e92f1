# SPDX-License-Identifier: Apache-2.0
"""Gradients and steps of training, each written once: recorded functions, and not recorded ones.

Bounds are yardsticks: "products" is the time of the step's matrix products alone, by NumPy's
OpenBLAS, "stream" that of the bytes that must move.
"""

import time

import numpy as np
from support import stream
from support.measure import Case, Goal, Probe, code
from support.peers import Absent, is_compiling, on

NAME = "transformations"


def _small():
    return [np.linspace(low, 1, 16, dtype=np.float32) for low in (0.0, 0.25, 0.5)]


def _chain(xp, a, b, c):
    return ((((a * b + c) * b + c) * b + c) * b + c) * b + c


def _sum_of_chain(xp, a, b, c):
    return xp.sum(_chain(xp, a, b, c))


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


def _mlp_by_hand(parameters, x, onehot):
    w1, b1, w2, b2, w3, b3 = parameters
    h1 = np.maximum(x @ w1 + b1, 0)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    logits = h2 @ w3 + b3
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    g3 = (powers / powers.sum(-1, keepdims=True) - onehot) / np.float32(len(x))
    g2 = (g3 @ w3.T) * (h2 > 0)
    g1 = (g2 @ w2.T) * (h1 > 0)
    return [x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]


def _gelu_by_hand(parameters):
    (x,) = parameters
    c, d = np.float32(0.7978845608), np.float32(0.044715)
    t = np.tanh(c * (x + d * x * x * x))
    return [0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * d * x * x)]


def _lora_by_hand(parameters, x, w, y):
    a, b = parameters
    xa = x @ a
    g = (x @ w + xa @ b - y) * np.float32(2 / y.size)
    return [x.T @ (g @ b.T), xa.T @ g]


def _products(shapes):
    """NumPy's time of products: (how many, m, k, n) each."""
    rng = np.random.default_rng(1)
    jobs = []
    for count, m, k, n in shapes:
        a, b = (rng.standard_normal((count, *s), np.float32) for s in ((m, k), (k, n)))
        jobs.append((a, b, np.empty((count, m, n), np.float32)))

    def probe():
        start = time.perf_counter_ns()
        for a, b, y in jobs:
            np.matmul(a, b, out=y)
        return time.perf_counter_ns() - start

    return Probe(probe)


def _with_backward(count, m, k, n, of_both=True):
    """A product and those of its derivative, by both operands or by the second alone."""
    yield count, m, k, n
    yield count, k, m, n
    if of_both:
        yield count, m, n, k


def _products_of_mlp(rows, inputs, wide):
    yield from _with_backward(1, rows, inputs, wide, of_both=False)
    yield from _with_backward(1, rows, wide, wide)
    yield from _with_backward(1, rows, wide, 10)


def _products_of_transformer(layers, width, length, batch, heads):
    rows, part = batch * length, width // heads
    for _ in range(layers):
        for columns in (3 * width, width):
            yield from _with_backward(1, rows, width, columns)
        yield from _with_backward(batch * heads, length, part, length)
        yield from _with_backward(batch * heads, length, length, part)
        yield from _with_backward(1, rows, width, 4 * width)
        yield from _with_backward(1, rows, 4 * width, width)


def _products_of_lora(width, rank):
    yield 1, width, width, width
    yield from _with_backward(1, width, width, rank, of_both=False)
    yield from _with_backward(1, width, rank, width)


def _joined(gradients):
    return np.concatenate([np.asarray(g).ravel() for g in gradients])


def _ours(jg, loss, parameters, data, compiled):
    step = jg.value_and_grad(lambda p, *d: loss(jg, p, *d))
    step = jg.compile(step) if compiled else step
    parameters, data = [jg.asarray(p) for p in parameters], [jg.asarray(x) for x in data]
    return code(
        "eval(f(p, *d))",
        "join(f(p, *d)[1])",
        join=_joined,
        eval=lambda r: jg.eval(r[0], *r[1]),
        f=step,
        p=parameters,
        d=data,
    )


def _jax(jax, loss, parameters, data):
    step = jax.jit(jax.value_and_grad(lambda p, *d: loss(jax.numpy, p, *d)))
    parameters, data = [list(map(jax.numpy.asarray, part)) for part in (parameters, data)]
    return code(
        "wait(f(p, *d))",
        "join(f(p, *d)[1])",
        join=_joined,
        wait=jax.block_until_ready,
        f=step,
        p=parameters,
        d=data,
    )


def _torch(torch, loss, parameters, data, compiled):
    if compiled and not is_compiling():
        return Absent("left out: --no-compile or --quick")
    parameters = [torch.from_numpy(p).requires_grad_() for p in parameters]
    data = [torch.from_numpy(x) for x in data]

    def value(*given):
        return loss(torch, list(given), *data)

    value = torch.compile(value, dynamic=False) if compiled else value

    def step():
        return torch.autograd.grad(value(*parameters), parameters)

    return code("f()", "join(f())", join=_joined, f=step)


def _mlx(mx, loss, parameters, data, compiled):
    step = mx.value_and_grad(lambda p, *d: loss(mx, p, *d))
    step = mx.compile(step) if compiled else step
    parameters, data = [mx.array(p) for p in parameters], [mx.array(x) for x in data]
    return code(
        "eval(f(p, *d))",
        "join(f(p, *d)[1])",
        join=_joined,
        eval=mx.eval,
        f=step,
        p=parameters,
        d=data,
    )


def _by_hand(function, parameters, data):
    return code("f(p, *d)", "join(f(p, *d))", join=_joined, f=function, p=parameters, d=data)


def _gradients(name, loss, parameters, data, goals, by_hand=None, **yardsticks):
    entries = {
        "joggle": on("joggle", lambda jg: _ours(jg, loss, parameters, data, True)),
        "joggle not compiled": on("joggle", lambda jg: _ours(jg, loss, parameters, data, False)),
        "jax.jit": on("jax", lambda jax: _jax(jax, loss, parameters, data)),
        "torch": on("torch", lambda torch: _torch(torch, loss, parameters, data, False)),
        "torch.compile": on("torch", lambda torch: _torch(torch, loss, parameters, data, True)),
    }
    if by_hand:
        entries["numpy"] = _by_hand(by_hand, parameters, data)
    entries |= yardsticks
    entries["mlx"] = on("mlx", lambda mx: _mlx(mx, loss, parameters, data, False))
    entries["mlx.compile"] = on("mlx", lambda mx: _mlx(mx, loss, parameters, data, True))
    return Case(name, entries, goals, tolerance=2e-3)


def _adam(xp, p, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.001 * m / (xp.sqrt(v) + 1e-8), m, v


def _adam_by_hand(p, g, m, v):
    """One array for what is between, and three for the results."""
    m, v = np.float32(0.9) * m, np.float32(0.999) * v
    between = np.float32(0.1) * g
    m += between
    np.multiply(np.float32(0.001) * g, g, out=between)
    v += between
    np.sqrt(v, out=between)
    between += np.float32(1e-8)
    np.divide(m, between, out=between)
    between *= np.float32(-0.001)
    between += p
    return between, m, v


def _of_torch(torch, function, given, compiled, result="f(*d)"):
    if compiled and not is_compiling():
        return Absent("left out: --no-compile or --quick")
    torch._dynamo.reset()
    f = torch.compile(function, dynamic=False) if compiled else function
    return code("f(*d)", result, f=f, d=given)


def _adam_case(count):
    rng = np.random.default_rng(0)
    arrays = [np.abs(rng.standard_normal(count, np.float32)) for _ in range(4)]
    moved = 28 * count  # four are read and three written, of four bytes each

    def ours(jg):
        f = jg.compile(lambda *a: _adam(jg, *a))
        given = [jg.asarray(x) for x in arrays]
        return code("eval(*f(*d))", "f(*d)[0]", eval=jg.eval, f=f, d=given)

    def theirs(jax):
        f = jax.jit(lambda *a: _adam(jax.numpy, *a))
        given = [jax.numpy.asarray(x) for x in arrays]
        return code("wait(f(*d))", "f(*d)[0]", wait=jax.block_until_ready, f=f, d=given)

    def torchs(torch, compiled):
        given = [torch.from_numpy(x) for x in arrays]
        return _of_torch(torch, lambda *a: _adam(torch, *a), given, compiled, "f(*d)[0]")

    def mlxs(mx, compiled):
        f, given = (lambda *a: _adam(mx, *a)), [mx.array(x) for x in arrays]
        f = mx.compile(f) if compiled else f
        return code("eval(*f(*d))", "f(*d)[0]", eval=mx.eval, f=f, d=given)

    entries = {
        "joggle": on("joggle", ours),
        "jax.jit": on("jax", theirs),
        "torch": on("torch", lambda torch: torchs(torch, False)),
        "torch.compile": on("torch", lambda torch: torchs(torch, True)),
        "mlx": on("mlx", lambda mx: mlxs(mx, False)),
        "mlx.compile": on("mlx", lambda mx: mlxs(mx, True)),
        "numpy": code("f(*d)", "f(*d)[0]", f=_adam_by_hand, d=arrays),
        "stream": stream.triad(arrays[0], arrays[1], moved),
    }
    goals = Goal(1.0, "jax.jit"), Goal(1.15, "stream")
    return Case(f"Adam, {count} parameters", entries, goals)


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

    def torchs(torch, compiled):
        given = [torch.from_numpy(x) for x in _small()]
        return _of_torch(torch, lambda a, b, c: _chain(torch, a, b, c), given, compiled)

    entries = {
        "joggle": on("joggle", ours),
        "jax.jit": on("jax", theirs),
        "torch": on("torch", lambda torch: torchs(torch, False)),
        "torch.compile": on("torch", lambda torch: torchs(torch, True)),
        "mlx.compile": on("mlx", mlxs),
    }
    return Case(
        "call of ten ops, 16 elements",
        entries,
        (Goal(0.25, "jax.jit"), Goal(0.2, "mlx.compile")),
    )


def _bytes_of_ours(jg, loss, parameters, data):
    step = jg.compile(jg.value_and_grad(lambda p, *d: loss(jg, p, *d)))
    parameters, data = [[jg.asarray(x) for x in part] for part in (parameters, data)]

    def probe():
        jg.eval(*step(parameters, *data)[1])
        jg.synchronize()
        before = jg.get_active_memory()
        jg.reset_peak_memory()
        value, slopes = step(parameters, *data)
        jg.eval(value, *slopes)
        jg.synchronize()
        return jg.get_peak_memory() - before

    return Probe(probe)


def _bytes_of_jax(jax, loss, parameters, data):
    """Temporaries and results, as XLA's own analysis of the compiled step has them."""
    step = jax.jit(jax.value_and_grad(lambda p, *d: loss(jax.numpy, p, *d)))
    analysis = step.lower(parameters, *data).compile().memory_analysis()
    taken = analysis.temp_size_in_bytes + analysis.output_size_in_bytes
    return Probe(lambda: taken)


def _memory(name, loss, parameters, data):
    entries = {
        "joggle": on("joggle", lambda jg: _bytes_of_ours(jg, loss, parameters, data)),
        "jax.jit": on("jax", lambda jax: _bytes_of_jax(jax, loss, parameters, data)),
    }
    return Case(f"memory of {name}", entries, (Goal(1.0, "jax.jit"),), unit="bytes")


def _state_case(leaves):
    state = {
        f"layer{i}": {"w": np.ones(4, np.float32), "b": np.ones(4, np.float32)}
        for i in range(leaves // 2)
    }

    def first(s, x):
        return s["layer0"]["w"] + x

    def made(array):
        return {k: {n: array(x) for n, x in v.items()} for k, v in state.items()}

    def ours(jg):
        f, d = jg.compile(first), [made(jg.asarray), jg.asarray(state["layer0"]["b"])]
        return code("eval(f(*d))", "f(*d)", eval=jg.eval, f=f, d=d)

    def theirs(jax):
        f, d = jax.jit(first), [made(jax.numpy.asarray), jax.numpy.ones(4, "float32")]
        return code("f(*d).block_until_ready()", "f(*d)", f=f, d=d)

    def mlxs(mx):
        f, d = mx.compile(first), [made(mx.array), mx.ones(4)]
        return code("eval(f(*d))", "f(*d)", eval=mx.eval, f=f, d=d)

    def torchs(torch):
        given = [made(torch.from_numpy), torch.from_numpy(state["layer0"]["b"])]
        return _of_torch(torch, first, given, True)

    entries = {"joggle": on("joggle", ours), "jax.jit": on("jax", theirs)}
    entries["torch.compile"] = on("torch", torchs)
    entries["mlx.compile"] = on("mlx", mlxs)
    return Case(f"call with a state of {leaves} leaves", entries, (Goal(40 * leaves, None),))


def _mlp_cases(quick, normal, rng):
    rows, wide = (8, 16) if quick else (256, 256)
    inputs = 32 if quick else 784
    layers = [(inputs, wide), (wide,), (wide, wide), (wide,), (wide, 10), (10,)]
    data = [normal(rows, inputs), np.eye(10, dtype=np.float32)[rng.integers(0, 10, rows)]]
    parameters = [normal(*shape) for shape in layers]
    name = f"MLP {inputs}-{wide}-{wide}-10, batch {rows}"
    goals = Goal(0.9, "jax.jit"), Goal(1.1, "products")
    bound = _products(_products_of_mlp(rows, inputs, wide))
    yield _gradients(name, _mlp, parameters, data, goals, by_hand=_mlp_by_hand, products=bound)
    yield _memory(name, _mlp, parameters, data)


def _transformer_cases(quick, normal):
    width, length, batch = (16, 8, 2) if quick else (256, 128, 8)
    shapes = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)] * 2
    data = [normal(batch, length, width), normal(batch, length, width)]
    parameters = [normal(*shape) for shape in shapes]
    name = f"transformer, 2 layers of {width}, {batch}x{length}"
    bound = _products(_products_of_transformer(2, width, length, batch, 4))
    goals = Goal(0.9), Goal(1.25, "products")
    yield _gradients(name, _transformer, parameters, data, goals, products=bound)
    yield _memory(name, _transformer, parameters, data)


def _lora_cases(quick, normal):
    width = 32 if quick else 1024
    data = [normal(width, width), normal(width, width), normal(width, width)]
    parameters = [normal(width, 8), normal(8, width)]
    name = f"LoRA of rank 8, {width}x{width}"
    bound = _products(_products_of_lora(width, 8))
    goals = Goal(1.0), Goal(1.15, "products")
    yield _gradients(name, _lora, parameters, data, goals, by_hand=_lora_by_hand, products=bound)
    yield _memory(name, _lora, parameters, data)


def cases(quick):
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.standard_normal(shape, np.float32) / np.float32(max(shape[0], 1) ** 0.5)

    yield _call_case()
    yield _state_case(10 if quick else 1000)
    yield _gradients(
        "gradient of ten ops, 16 elements",
        lambda xp, p, *d: _sum_of_chain(xp, *p),
        _small(),
        [],
        (Goal(6000, None, "joggle not compiled"),),
    )
    yield from _mlp_cases(quick, normal, rng)
    yield from _transformer_cases(quick, normal)
    yield from _lora_cases(quick, normal)
    count = 2**10 if quick else 2**24
    x = normal(count)
    bound = stream.triad(x, x.copy(), 2 * x.nbytes)  # one array twice would be read once
    yield _gradients(
        f"gelu, {count} elements",
        _gelu,
        [x],
        [],
        (Goal(1.0), Goal(1.15, "stream")),
        by_hand=_gelu_by_hand,
        stream=bound,
    )
    yield _memory(f"gelu, {count} elements", _gelu, [x], [])
    yield _adam_case(2**10 if quick else 2**22)
