# SPDX-License-Identifier: Apache-2.0
"""tuning.py OUT MODEL: losses of LoRA, DoRA and full fine-tuning, and logits of what was fused."""

import pathlib
import sys
import zlib

import mlx.core as mx
import mlx.optimizers as optimizers
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm import load
from mlx_lm.tuner.callbacks import TrainingCallback
from mlx_lm.tuner.datasets import CacheDataset, TextDataset
from mlx_lm.tuner.trainer import TrainingArgs, train
from mlx_lm.tuner.utils import linear_to_lora_layers
from mlx_lm.utils import quantize_model, save

out, model_path = sys.argv[1:]
TEXTS = [{"text": f"{i} times {j} is {i * j}"} for i in range(2, 8) for j in range(2, 8)]
PROMPT = [[1, 5, 9, 2, 7, 3]]
results = {}


class Losses(TrainingCallback):
    def __init__(self):
        self.train, self.validation = [], []

    def on_train_loss_report(self, info):
        self.train.append(info["train_loss"])

    def on_val_loss_report(self, info):
        self.validation.append(info["val_loss"])


def hand_over_weights(model):
    """The first weights of adapters are the same in every process."""
    weights = []
    for path, x in tree_flatten(model.trainable_parameters()):
        numbers = np.random.default_rng(zlib.crc32(path.encode()))
        if path.endswith("lora_a"):
            values = numbers.normal(size=x.shape) * x.shape[0] ** -0.5
            weights.append((path, mx.array(values.astype(np.float32))))
    model.update(tree_unflatten(weights))


def tune(name, bits=None, checkpoint=False, **options):
    model, tokenizer, config = load(model_path, return_config=True)
    if bits:
        model, config = quantize_model(model, config, 32, bits)
    model.freeze()
    parameters = {"rank": 4, "scale": 10.0, "dropout": 0.0}
    linear_to_lora_layers(model, 2, parameters, **options)
    hand_over_weights(model)
    adapters = pathlib.Path(f"{out}.{name}")
    adapters.mkdir(exist_ok=True)
    data = CacheDataset(TextDataset(TEXTS, tokenizer))
    losses = Losses()
    np.random.seed(0)
    train(
        model,
        optimizers.Adam(learning_rate=1e-3),
        train_dataset=data,
        val_dataset=data,
        args=TrainingArgs(
            batch_size=4,
            iters=16,
            steps_per_report=4,
            steps_per_eval=8,
            val_batches=2,
            steps_per_save=100,
            max_seq_length=64,
            grad_checkpoint=checkpoint,
            adapter_file=str(adapters / "adapters.safetensors"),
        ),
        training_callback=losses,
    )
    results[f"{name}: losses"] = np.array(losses.train + losses.validation)
    model.eval()
    tuned = np.array(model(mx.array(PROMPT)).astype(mx.float32))
    results[f"{name}: logits"] = tuned
    return model, tokenizer, config, tuned


def fuse(name, tuned):
    model, tokenizer, config, expected = tuned
    fused = [(path, m.fuse()) for path, m in model.named_modules() if hasattr(m, "fuse")]
    model.update_modules(tree_unflatten(fused))
    save(f"{out}.{name}.fused", model_path, model, tokenizer, config, donate_model=False)
    again, _ = load(f"{out}.{name}.fused")
    found = np.array(again(mx.array(PROMPT)).astype(mx.float32))
    results[f"{name}: fused less tuned"] = np.abs(found - expected).max()


fuse("lora", tune("lora"))
fuse("dora", tune("dora", use_dora=True))
tune("checkpointed", checkpoint=True)
tune("of codes", bits=4)
np.savez(out, **results)
