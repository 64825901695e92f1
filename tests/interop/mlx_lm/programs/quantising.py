# SPDX-License-Identifier: Apache-2.0
"""quantising.py OUT MODEL: logits of a model in codes, made, saved and read again."""

import sys

import mlx.core as mx
import numpy as np
from mlx_lm import load
from mlx_lm.utils import dequantize_model, quantize_model, save

out, model_path = sys.argv[1:]
PROMPT = mx.array([[1, 5, 9, 2, 7, 3]])
results = {}


def logits(model):
    return np.array(model(PROMPT).astype(mx.float32))


for name, group_size, bits, mode in (
    ("4 bits", 32, 4, "affine"),
    ("8 bits", 64, 8, "affine"),
    ("mxfp4", 32, 4, "mxfp4"),
    ("mxfp8", 32, 8, "mxfp8"),
    ("nvfp4", 16, 4, "nvfp4"),
):
    model, tokenizer, config = load(model_path, return_config=True)
    model, config = quantize_model(model, config, group_size, bits, mode=mode)
    results[f"{name}"] = logits(model)
    folder = f"{out}.{name.replace(' ', '')}"
    save(folder, model_path, model, tokenizer, config, donate_model=False)
    again, _ = load(folder)
    results[f"{name}: read less made"] = np.abs(logits(again) - results[name]).max()
    results[f"{name}: expanded"] = logits(dequantize_model(again))
np.savez(out, **results)
