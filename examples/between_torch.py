# SPDX-License-Identifier: Apache-2.0
"""A step in joggle between two of PyTorch: no tensor is copied on the way in or out."""

import torch

import joggle as jg


def layer_norm(x, scale, shift, epsilon=1e-5):
    """Each row with mean 0 and variance 1, then scaled and shifted; a graph, not yet computed."""
    centred = x - jg.mean(x, axis=-1, keepdims=True)
    variance = jg.mean(centred * centred, axis=-1, keepdims=True)
    return centred / jg.sqrt(variance + epsilon) * scale + shift


torch.manual_seed(0)
x, scale, shift = torch.randn(64, 256), torch.rand(256), torch.rand(256)

result = layer_norm(jg.from_dlpack(x), jg.from_dlpack(scale), jg.from_dlpack(shift))
print("before the hand-over:", result.status)
tensor = torch.from_dlpack(result)  # computes, waits, and shares the memory
print("after it:            ", result.status)

expected = torch.nn.functional.layer_norm(x, (256,), scale, shift)
print("largest difference to torch's own:", float((tensor - expected).abs().max()))
assert torch.allclose(tensor, expected, atol=1e-5)

# The two share memory, so what torch writes is what joggle reads.
tensor.zero_()
print("after zero_() in torch, the sum in joggle is", jg.sum(result).item())
