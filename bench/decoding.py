# SPDX-License-Identifier: Apache-2.0
"""One token of a language model of 100 million parameters, with a cache of 64 tokens before it.

joggle and MLX run the same code; where mlx_lm is installed, its own model and cache take part too.
PyTorch has no products with codes of 4 bits on a CPU: there it has the weights that they stand for.
"""

import numpy as np
from support import stream
from support.measure import Case, Goal, code
from support.networks import Library
from support.peers import on

NAME = "decoding"
BEFORE = 64  # tokens in the cache


def budget(quick):
    from support import measure

    return measure.QUICK if quick else measure.Budget(seconds=3.0)


def _llama(library, tokens, width, layers, heads):
    core, nn = library.core, library.nn
    inner, part = 8 * width // 3 // 64 * 64 or 64, width // heads

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            for name in ("q", "k", "v", "o"):
                setattr(self, name, nn.Linear(width, width, bias=False))
            self.rope = nn.RoPE(part)

        def __call__(self, x, cache):
            rows, length, _ = x.shape
            q, k, v = (
                f(x).reshape(rows, length, heads, part).transpose(0, 2, 1, 3)
                for f in (self.q, self.k, self.v)
            )
            q, k = self.rope(q, offset=BEFORE), self.rope(k, offset=BEFORE)
            cache[0][:, :, BEFORE : BEFORE + 1] = k
            cache[1][:, :, BEFORE : BEFORE + 1] = v
            y = core.fast.scaled_dot_product_attention(
                q,
                cache[0][:, :, : BEFORE + 1],
                cache[1][:, :, : BEFORE + 1],
                scale=part**-0.5,
            )
            return self.o(y.transpose(0, 2, 1, 3).reshape(rows, length, width))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = Attention()
            self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in range(2))
            self.down = nn.Linear(inner, width, bias=False)
            self.n1, self.n2 = nn.RMSNorm(width), nn.RMSNorm(width)

        def __call__(self, x, cache):
            x = x + self.attention(self.n1(x), cache)
            y = self.n2(x)
            return x + self.down(nn.silu(self.gate(y)) * self.up(y))

    class Llama(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(tokens, width)
            self.blocks = [Block() for _ in range(layers)]
            self.norm = nn.RMSNorm(width)

        def __call__(self, token, caches):
            x = self.embedding(token)
            for block, cache in zip(self.blocks, caches, strict=True):
                x = block(x, cache)
            return self.embedding.as_linear(self.norm(x))

    return Llama()


def _ours(core, sizes, weights, kind):
    library = Library(core)
    model = library.load(_llama(library, *sizes), weights).eval()
    if kind == "bfloat16":
        model.set_dtype(core.bfloat16)
    if kind == "4 bits":
        library.nn.quantize(model, 64, 4)
    _, width, layers, heads = sizes
    dtype = core.bfloat16 if kind == "bfloat16" else core.float32
    shape = (1, heads, 256, width // heads)
    caches = [[core.zeros(shape, dtype=dtype) for _ in range(2)] for _ in range(layers)]
    token = core.array(np.array([[5]], np.int32))
    core.eval(model.parameters(), caches)
    value = "cast(f(token, caches))"
    given = {"eval": core.eval, "f": model, "token": token, "caches": caches}
    return code(
        "eval(f(token, caches))", value, cast=lambda y: np.array(y.astype(core.float32)), **given
    )


_NAMES_OF_MLX_LM = (
    ("embedding.", "model.embed_tokens."),
    ("blocks.", "model.layers."),
    ("norm.", "model.norm."),
    (".attention.", ".self_attn."),
    (".n1.", ".input_layernorm."),
    (".n2.", ".post_attention_layernorm."),
    *((f".{n}.weight", f".{n}_proj.weight") for n in ("q", "k", "v", "o")),
    *((f".{n}.weight", f".mlp.{n}_proj.weight") for n in ("gate", "up", "down")),
)


def _name_of_mlx_lm(name):
    for ours, theirs in _NAMES_OF_MLX_LM:
        if ours[0] == "." or name.startswith(ours):
            name = name.replace(ours, theirs)
    return name


def _mlx_lms(core, sizes, weights, kind):
    from mlx_lm.models import cache, llama

    library = Library(core)
    tokens, width, layers, heads = sizes
    arguments = llama.ModelArgs(
        model_type="llama",
        hidden_size=width,
        num_hidden_layers=layers,
        intermediate_size=weights["blocks.0.gate.weight"].shape[0],
        num_attention_heads=heads,
        rms_norm_eps=1e-5,
        vocab_size=tokens,
        tie_word_embeddings=True,
    )
    model = library.load(
        llama.Model(arguments), {_name_of_mlx_lm(k): w for k, w in weights.items()}
    )
    model.eval()
    if kind == "bfloat16":
        model.set_dtype(core.bfloat16)
    if kind == "4 bits":
        library.nn.quantize(model, 64, 4)
    caches = cache.make_prompt_cache(model)
    dtype = core.bfloat16 if kind == "bfloat16" else core.float32
    past = core.zeros((1, heads, BEFORE, width // heads), dtype=dtype)
    for each in caches:
        each.update_and_fetch(past, past)
    token = core.array(np.array([[5]], np.int32))
    core.eval(model.parameters(), [each.state for each in caches])

    def call():
        found = model(token, caches)
        cache.trim_prompt_cache(caches, 1)
        core.eval(found)
        return found

    return code("f()", "cast(f())", f=call, cast=lambda y: np.array(y.astype(core.float32)))


def _rope(torch, x):
    half = x.shape[-1] // 2
    angles = BEFORE * 10000.0 ** (-torch.arange(half) / half)
    c, s = angles.cos(), angles.sin()
    a, b = x[..., :half].float(), x[..., half:].float()
    return torch.cat([a * c - b * s, a * s + b * c], -1).to(x.dtype)


def _rounded(core, weights):
    """The weights that codes of 4 bits stand for."""
    return {
        k: np.array(core.dequantize(*core.quantize(core.array(w), 64, 4), 64, 4))
        if w.ndim == 2
        else w
        for k, w in weights.items()
    }


def _torchs(torch, sizes, weights, kind):
    f = torch.nn.functional
    _, width, layers, heads = sizes
    dtype = torch.bfloat16 if kind == "bfloat16" else torch.float32
    if kind == "4 bits":
        weights = on("joggle", lambda core: _rounded(core, weights))
    w = {k: torch.from_numpy(v).to(dtype) for k, v in weights.items()}
    shape = (1, heads, 256, width // heads)
    caches = [[torch.zeros(shape, dtype=dtype) for _ in range(2)] for _ in range(layers)]
    token = torch.tensor([[5]])

    def norm(name, x):
        return f.rms_norm(x, (width,), w[f"{name}.weight"], 1e-5)

    def forward():
        x = w["embedding.weight"][token]
        for i, cache in enumerate(caches):
            at = f"blocks.{i}"
            y = norm(f"{at}.n1", x)
            q, k, v = (
                (y @ w[f"{at}.attention.{n}.weight"].T).view(1, 1, heads, -1).transpose(1, 2)
                for n in "qkv"
            )
            cache[0][:, :, BEFORE] = _rope(torch, k)[:, :, 0]
            cache[1][:, :, BEFORE] = v[:, :, 0]
            seen = [part[:, :, : BEFORE + 1] for part in cache]
            y = f.scaled_dot_product_attention(_rope(torch, q), *seen)
            y = y.transpose(1, 2).reshape(1, 1, width)
            x = x + y @ w[f"{at}.attention.o.weight"].T
            y = norm(f"{at}.n2", x)
            gate, up = (y @ w[f"{at}.{n}.weight"].T for n in ("gate", "up"))
            x = x + (f.silu(gate) * up) @ w[f"{at}.down.weight"].T
        return norm("norm", x) @ w["embedding.weight"].T

    def call():
        with torch.inference_mode():
            return forward()

    return code("f()", "f().float()", f=call)


def _case(kind, sizes, weights, parameters, quick):
    width_of = {"float32": 4, "bfloat16": 2, "4 bits": 4 / 8 + 8 / 64}  # bytes, with scales
    nbytes = int(parameters * width_of[kind])
    some = np.ones(2**12 if quick else 2**24, np.float32)
    entries = {
        "joggle": on("joggle", lambda core: _ours(core, sizes, weights, kind)),
        "mlx": on("mlx", lambda core: _ours(core, sizes, weights, kind)),
        "mlx_lm": on("mlx", lambda core: _mlx_lms(core, sizes, weights, kind)),
        "torch": on("torch", lambda torch: _torchs(torch, sizes, weights, kind)),
        "stream": stream.triad(some, some.copy(), nbytes),
    }
    tolerance = {"float32": 2e-3, "bfloat16": 0.1, "4 bits": 5e-3}[kind]
    name = f"{parameters / 1e6:.0f} million parameters, {kind}"
    return Case(name, entries, (Goal(0.9), Goal(1.25, "stream")), tolerance=tolerance)


def cases(quick):
    sizes = (64, 64, 2, 2) if quick else (32000, 768, 12, 12)  # tokens, width, layers, heads
    rng = np.random.default_rng(0)

    def weights_for(core):
        library = Library(core)
        made = library.weights(_llama(library, *sizes))
        return {
            k: np.float32(0.02) * rng.standard_normal(w.shape, np.float32) for k, w in made.items()
        }

    weights = on("joggle", weights_for)
    parameters = sum(w.size for w in weights.values())
    for kind in ("float32", "bfloat16", "4 bits"):
        yield _case(kind, sizes, weights, parameters, quick)
