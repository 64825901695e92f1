# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch for torch.compile's backends: pointwise and reduction patterns of models,
and layers. Each takes torch and tensors."""


def small(torch, x):
    return x * 2 + 1


def chain(torch, x):
    return torch.tanh(torch.sigmoid(torch.exp(x)))


def rms_norm(torch, x, residual, weight):
    h = x + residual
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def layer_norm(torch, x, residual, weight, bias):
    return torch.nn.functional.layer_norm(x + residual, weight.shape, weight, bias)


def group_norm(torch, x, weight, bias):
    f = torch.nn.functional
    return f.silu(f.group_norm(x, 8, weight, bias))


def batch_norm(torch, x, weight, bias):
    f = torch.nn.functional
    return f.relu(f.batch_norm(x, None, None, weight, bias, training=True))


def swiglu(torch, gate, x):
    return torch.nn.functional.silu(gate) * x


def geglu(torch, both):
    gate, x = both.chunk(2, -1)
    return torch.nn.functional.gelu(gate, approximate="tanh") * x


def gelu_bias(torch, x, bias):
    return torch.nn.functional.gelu(x + bias)


def rotary(torch, x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


def rotary_pairs(torch, x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


def causal_softmax(torch, scores):
    n = scores.shape[-1]
    seen = torch.ones(n, n, dtype=torch.bool).tril()
    return torch.softmax(scores.masked_fill(~seen, -float("inf")), -1)


def label_smoothing(torch, scores):
    classes = torch.arange(len(scores)) % scores.shape[-1]
    return torch.nn.functional.cross_entropy(scores, classes, label_smoothing=0.1)


def distillation(torch, scores, teacher):
    f = torch.nn.functional
    of_teacher = f.softmax(teacher / 2, -1)
    return f.kl_div(f.log_softmax(scores / 2, -1), of_teacher, reduction="batchmean")


def binary_cross_entropy(torch, scores, wanted):
    return torch.nn.functional.binary_cross_entropy_with_logits(scores, wanted)


def cosine(torch, x, y):
    return torch.nn.functional.cosine_similarity(x, y, -1)


def masked_mean(torch, x, lengths):
    seen = (torch.arange(x.shape[1]) < lengths[:, None] * x.shape[1]).float()[..., None]
    return (x * seen).sum(1) / seen.sum(1).clamp(min=1)


def excitation(torch, x, scale):
    return x * torch.sigmoid(scale)[:, :, None, None] + x.mean((2, 3), keepdim=True)


def quantised(torch, x):
    """int8 and back, with a scale for each row."""
    scale = x.abs().amax(-1, keepdim=True) / 127 + 1e-8
    return torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8).float() * scale


def moving_average(torch, kept, new):
    return kept.lerp(new, 0.01)


def adam(torch, p, g, m, v):
    m, v = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
    return p - 1e-3 * m / (v.sqrt() + 1e-8)


def patterns(n):
    """(name, function, shapes) for each."""
    yield f"tanh, sigmoid, exp of {2 * n}x{2 * n}", chain, [(2 * n, 2 * n)]
    yield f"RMS norm with residual, {n}x{2 * n}", rms_norm, [(n, 2 * n), (n, 2 * n), (2 * n,)]
    rows = [(n, 2 * n), (n, 2 * n), (2 * n,), (2 * n,)]
    yield f"layer norm with residual, {n}x{2 * n}", layer_norm, rows
    image = [(4, n // 4, 32, 32), (n // 4,), (n // 4,)]
    yield f"group norm, silu, 4x{n // 4}x32x32", group_norm, image
    yield f"batch norm, relu, 4x{n // 4}x32x32", batch_norm, image
    yield f"excitation, 4x{n // 4}x32x32", excitation, [image[0], (4, n // 4)]
    yield f"SwiGLU, {n}x{4 * n}", swiglu, [(n, 4 * n)] * 2
    yield f"GEGLU of halves, {n}x{4 * n}", geglu, [(n, 8 * n)]
    yield f"gelu with bias, {n}x{4 * n}", gelu_bias, [(n, 4 * n), (4 * n,)]
    turns = (n // 2, 64)
    yield f"rotary embedding, 16x{n // 2}x64", rotary, [(16, *turns), turns, turns]
    pairs = (n // 2, 32)
    yield f"rotary embedding in pairs, 16x{n // 2}x64", rotary_pairs, [(16, *turns), pairs, pairs]
    yield f"causal softmax, 8x{n // 2}x{n // 2}", causal_softmax, [(8, n // 2, n // 2)]
    yield f"label smoothing, {n}x{4 * n}", label_smoothing, [(n, 4 * n)]
    yield f"distillation, {n}x{4 * n}", distillation, [(n, 4 * n)] * 2
    yield f"binary cross entropy, {n}x{4 * n}", binary_cross_entropy, [(n, 4 * n)] * 2
    yield f"cosine similarity, {n}x{2 * n}", cosine, [(n, 2 * n)] * 2
    yield f"mean of masked rows, 16x{n // 2}x{n}", masked_mean, [(16, n // 2, n), (16,)]
    yield f"int8 and back, {n}x{4 * n}", quantised, [(n, 4 * n)]
    yield f"moving average, {2 * n}x{2 * n}", moving_average, [(2 * n, 2 * n)] * 2
    yield f"Adam, {2 * n}x{2 * n}", adam, [(2 * n, 2 * n)] * 4


def mlp(torch, x, w1, b1, w2, b2):
    f = torch.nn.functional
    return f.linear(f.gelu(f.linear(x, w1, b1)), w2, b2)


def residual(torch, x, w1, w2, weight, bias):
    """A block of a ResNet: two convolutions, each with a norm over the batch."""
    f = torch.nn.functional

    def normed(x):
        return f.batch_norm(x, None, None, weight, bias, training=True)

    h = f.relu(normed(f.conv2d(x, w1, padding=1)))
    return f.relu(x + normed(f.conv2d(h, w2, padding=1)))


def transformer(torch, x, qkv, out, w1, w2, weight, bias):
    """A layer of four heads, with norms first."""
    f, (n, t, d) = torch.nn.functional, x.shape
    h = f.layer_norm(x, (d,), weight, bias)
    q, k, v = (a.view(n, t, 4, d // 4).transpose(1, 2) for a in f.linear(h, qkv).chunk(3, -1))
    h = f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, t, d)
    x = x + f.linear(h, out)
    h = f.layer_norm(x, (d,), weight, bias)
    return x + f.linear(f.gelu(f.linear(h, w1)), w2)


def decoding(torch, x, qkv, out, w1, w2, weight, bias, keys, values):
    """The same for one token; its keys and values are put in a cache, at the last place."""
    f, d = torch.nn.functional, x.shape[-1]
    q, k, v = f.linear(f.layer_norm(x, (d,), weight, bias), qkv).view(3, 4, 1, d // 4)
    keys[:, -1:], values[:, -1:] = k, v
    h = f.scaled_dot_product_attention(q[None], keys[None], values[None])
    x = x + f.linear(h.reshape(1, d), out)
    h = f.layer_norm(x, (d,), weight, bias)
    return x + f.linear(f.gelu(f.linear(h, w1)), w2)


def layers(n):
    """{name: (function, shapes)}; what begins a shape's list is the layer's input."""
    d = n // 2
    weights = [(3 * d, d), (d, d), (4 * d, d), (d, 4 * d), (d,), (d,)]
    image = (8, n // 4, 28, 28)
    kernel = (n // 4, n // 4, 3, 3)
    cache = (4, 4 * n, d // 4)
    return {
        f"MLP 64x{n}x{2 * n}": (mlp, [(64, n), (2 * n, n), (2 * n,), (n, 2 * n), (n,)]),
        f"ResNet block, 8x{n // 4}x28x28": (
            residual,
            [image, kernel, kernel, (n // 4,), (n // 4,)],
        ),
        f"transformer layer, 4x64x{d}": (transformer, [(4, 64, d), *weights]),
        f"decoding, {4 * n} tokens of {d}": (decoding, [(1, d), *weights, cache, cache]),
    }
