# SPDX-License-Identifier: Apache-2.0
"""Tiny language models with random weights, and a tokenizer of bytes, for the programs beside it.

Only mlx's names are used: a program runs with the package mlx, or by `python -m joggle.mlx`.
"""

import importlib
import json
import pathlib
import zlib

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten

COMMON = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 260,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "max_position_embeddings": 512,
    "head_dim": 16,
    "tie_word_embeddings": False,
}
EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 32, "norm_topk_prob": True}

# What the families need beyond COMMON; a None takes a key away.
FAMILIES = {
    "llama": {},
    "qwen2": {},
    "qwen3": {},
    "phi3": {},
    "olmo2": {},
    "gemma": {},
    "gemma2": {
        "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0,
        "query_pre_attn_scalar": 16.0,
    },
    "gemma3_text": {
        "sliding_window": 8,
        "sliding_window_pattern": 2,
        "query_pre_attn_scalar": 16,
        "rope_local_base_freq": 10000.0,
    },
    "cohere": {"layer_norm_eps": 1e-5, "logit_scale": 0.1},
    "starcoder2": {"norm_epsilon": 1e-5},
    "stablelm": {"layer_norm_eps": 1e-5, "partial_rotary_factor": 0.25, "use_qkv_bias": True},
    "gpt2": {
        "n_ctx": 512,
        "n_embd": 64,
        "n_head": 4,
        "n_layer": 2,
        "n_positions": 512,
        "layer_norm_epsilon": 1e-5,
    },
    "gpt_neox": {
        "layer_norm_eps": 1e-5,
        "rotary_emb_base": 10000,
        "rotary_pct": 0.25,
        "use_parallel_residual": True,
    },
    "mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2},
    "qwen3_moe": {"num_experts": 4, "decoder_sparse_step": 1, "mlp_only_layers": [], **EXPERTS},
    "qwen3_next": {
        "num_experts": 4,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
        "shared_expert_intermediate_size": 32,
        "linear_num_value_heads": 4,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 16,
        "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4,
        "partial_rotary_factor": 0.5,
        "full_attention_interval": 2,
        **EXPERTS,
    },
    "gpt_oss": {
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "sliding_window": 8,
        "rope_scaling": None,
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "deepseek_v3": {
        "n_routed_experts": 4,
        "n_shared_experts": 1,
        "kv_lora_rank": 16,
        "q_lora_rank": 24,
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 16,
        "v_head_dim": 16,
        "n_group": 2,
        "topk_group": 1,
        "first_k_dense_replace": 1,
        "moe_layer_freq": 1,
        "routed_scaling_factor": 1.0,
        "num_key_value_heads": 4,
        **EXPERTS,
    },
    "mamba": {
        "state_size": 16,
        "conv_kernel": 4,
        "use_bias": False,
        "use_conv_bias": True,
        "time_step_rank": 4,
    },
    "mamba2": {
        "num_heads": 8,
        "state_size": 16,
        "ssm_state_size": 16,
        "layer_norm_epsilon": 1e-5,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "tie_word_embeddings": True,
        "time_step_limit": [0.0, 1e9],
        "time_step_rank": 4,
        "time_step_min": 0.001,
        "time_step_max": 0.1,
    },
    "rwkv7": {
        "norm_eps": 1e-5,
        "a_low_rank_dim": 8,
        "v_low_rank_dim": 8,
        "gate_low_rank_dim": 8,
        "decay_low_rank_dim": 8,
    },
    "recurrent_gemma": {
        "attention_bias": False,
        "conv1d_width": 4,
        "logits_soft_cap": 30.0,
        "num_hidden_layers": 3,
        "num_key_value_heads": 1,
        "attention_window_size": 8,
        "embeddings_scale_by_sqrt_dim": True,
        "block_types": ["recurrent", "recurrent", "attention"],
    },
}

NO_HEAD_DIM = ("mamba2",)


def config_of(family):
    return {**COMMON, **FAMILIES[family], "model_type": family}


def make(family, dtype=mx.float32):
    """A model whose weights are the same in every process, whatever made its first ones."""
    module = importlib.import_module(f"mlx_lm.models.{family}")
    model = module.Model(module.ModelArgs.from_dict(config_of(family)))
    weights = []
    for path, x in tree_flatten(model.parameters()):
        numbers = np.random.default_rng(zlib.crc32(path.encode()))
        values = numbers.normal(size=x.shape).astype(np.float32)
        is_matrix = x.ndim > 1
        scaled = values * x.shape[-1] ** -0.5 if is_matrix else 1 + 0.1 * values
        weights.append((path, mx.array(scaled).astype(dtype)))
    model.update(tree_unflatten(weights))
    model.eval()
    return model


def write(family, folder):
    """Writes a model and its tokenizer as mlx_lm.load reads them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: number for number, letter in enumerate(letters)}
    vocabulary["<eos>"] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    about = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<eos>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    config = {**config_of(family), "eos_token_id": vocabulary["<eos>"]}
    (folder / "config.json").write_text(json.dumps(config))
    make(family).save_weights(str(folder / "model.safetensors"))


def numpy_of(x):
    return np.array(x.astype(mx.float32))
