# SPDX-License-Identifier: Apache-2.0
"""Models of the transformers package, with random weights, trained through torch.compile's backend
and by eager torch: outputs, losses, and that no operator is left to torch."""

import pytest

import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

STEPS = 20
SMALL = dict(hidden_size=16, intermediate_size=24, num_attention_heads=2, num_hidden_layers=2)
TEXT = dict(vocab_size=50, **SMALL)
IMAGE = dict(image_size=8, patch_size=4, **SMALL)
CLIP = dict(
    text_config=dict(max_position_embeddings=12, projection_dim=8, eos_token_id=49, **TEXT),
    vision_config=dict(projection_dim=8, **IMAGE),
    projection_dim=8,
)
WHISPER = dict(
    vocab_size=50,
    d_model=16,
    encoder_layers=2,
    decoder_layers=2,
    encoder_attention_heads=2,
    decoder_attention_heads=2,
    encoder_ffn_dim=24,
    decoder_ffn_dim=24,
    num_mel_bins=8,
    max_source_positions=10,
    max_target_positions=12,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=1,
)
SETTINGS = {
    "Bert": TEXT,
    "CLIP": CLIP,
    "GPT2": dict(vocab_size=50, n_embd=16, n_head=2, n_layer=2),
    "Llama": TEXT,
    "Mamba": dict(
        vocab_size=50, hidden_size=16, state_size=4, num_hidden_layers=2, time_step_rank=2
    ),
    "Qwen3": dict(num_key_value_heads=1, head_dim=8, **TEXT),
    "T5": dict(vocab_size=50, d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2),
    "ViT": IMAGE,
    "Whisper": WHISPER,
}


def _inputs(name):
    given = {}
    if name in ("ViT", "CLIP"):
        given["pixel_values"] = torch.randn(2, 3, 8, 8)
    if name == "Whisper":
        given["input_features"] = torch.randn(2, 8, 20)
    if name not in ("ViT", "Whisper"):
        given["input_ids"] = torch.randint(3, 50, (2, 7))
    if name in ("T5", "Whisper"):
        given["decoder_input_ids"] = torch.randint(3, 50, (2, 5))
    return given


def _train(name, compile):
    """The first output and the losses of a model that learns to give one number everywhere."""
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**SETTINGS[name])
    model = getattr(transformers, f"{name}Model")(config).eval()
    given, first, losses = _inputs(name), None, []
    run = joggle.torch.compile(model) if compile else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(STEPS):
        optimizer.zero_grad()
        found = run(**given)
        found = found.logits_per_image if name == "CLIP" else found.last_hidden_state
        first = found.detach().clone() if step == 0 else first
        loss = ((found - 0.3) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return first, torch.stack(losses)


@pytest.mark.timeout(600)
@pytest.mark.part(4)
@pytest.mark.parametrize("name", SETTINGS)
def test_models_train_as_in_eager_torch(name):
    torch._dynamo.reset()
    wanted, losses = _train(name, False)
    with reporting() as report:
        found, ours = _train(name, True)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(ours, losses, rtol=1e-4, atol=1e-4)
    graphs = [graph for made in report for graph in made.all()]
    assert sorted(graph.name for graph in graphs) == ["backward", "forward"]
    left = {str(node.target): why for graph in graphs for node, why in graph.cut.reasons.items()}
    assert left == {}
