# SPDX-License-Identifier: Apache-2.0
"""generating.py OUT MODEL DRAFT: tokens of all ways of generating, from a saved model."""

import sys

import mlx.core as mx
import numpy as np
from mlx_lm import batch_generate, generate, load, stream_generate
from mlx_lm.generate import generate_step, speculative_generate_step
from mlx_lm.models.cache import load_prompt_cache, make_prompt_cache, save_prompt_cache
from mlx_lm.perplexity import eval_ppl
from mlx_lm.sample_utils import make_logits_processors, make_sampler

out, model_path, draft_path = sys.argv[1:]
model, tokenizer = load(model_path)
draft, _ = load(draft_path)
prompt = mx.array(tokenizer.encode("A joggle is a notch."))
results = {}


def tokens(**options):
    return np.array([int(token) for token, _ in generate_step(prompt, model, **options)])


results["greedy"] = tokens(max_tokens=40)
text = generate(model, tokenizer, "A joggle is a notch.", max_tokens=40)
results["text"] = np.frombuffer(text.encode(), np.uint8)
streamed = [r.token for r in stream_generate(model, tokenizer, "A joggle", max_tokens=12)]
results["streamed"] = np.array(streamed)
results["short prefill"] = tokens(max_tokens=20, prefill_step_size=4)
results["rotating"] = tokens(max_tokens=40, max_kv_size=16)
results["quantised cache"] = tokens(max_tokens=20, kv_bits=8, kv_group_size=32)
results["penalised"] = tokens(
    max_tokens=30,
    logits_processors=make_logits_processors(
        logit_bias={7: 5.0}, repetition_penalty=1.5, repetition_context_size=8
    ),
)
results["speculative"] = np.array(
    [int(token) for token, _, _ in speculative_generate_step(prompt, model, draft, max_tokens=30)]
)
prompts = [tokenizer.encode(t) for t in ("One", "Two stones bear", "A much longer one than these")]
batch = batch_generate(model, tokenizer, prompts, max_tokens=16)
results["batched"] = np.frombuffer("\0".join(batch.texts).encode(), np.uint8)

mx.random.seed(1)
for name, settings in {
    "temperature": {"temp": 1.0},
    "top p": {"temp": 0.8, "top_p": 0.6},
    "top k": {"temp": 0.8, "top_k": 5},
    "min p": {"temp": 0.8, "min_p": 0.1},
    "xtc": {"temp": 0.8, "xtc_probability": 0.5, "xtc_threshold": 0.1},
}.items():
    results[f"sampled: {name}"] = tokens(max_tokens=40, sampler=make_sampler(**settings))

cache = make_prompt_cache(model)
list(generate_step(prompt, model, prompt_cache=cache, max_tokens=1))
save_prompt_cache(f"{out}.cache.safetensors", cache)
again = load_prompt_cache(f"{out}.cache.safetensors")
more = mx.array([5, 6, 7])
results["saved cache"] = np.array(
    [int(token) for token, _ in generate_step(more, model, prompt_cache=again, max_tokens=10)]
)

rows = np.random.default_rng(0).integers(0, 256, size=(6, 20))
results["perplexity"] = np.array(eval_ppl(model, mx.array(rows), batch_size=4))
_, logits = next(generate_step(prompt, model, max_tokens=1))
results["logits"] = np.array(logits)
np.savez(out, **results)
