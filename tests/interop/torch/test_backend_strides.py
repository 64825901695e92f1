# SPDX-License-Identifier: Apache-2.0
"""Results of roll, and gradients of attention, with the strides that eager torch gives them."""

import pytest

import joggle.torch

torch = pytest.importorskip("torch")

attention = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture(autouse=True)
def anew():
    torch._dynamo.reset()
    torch.manual_seed(0)


def check(found, wanted, **tolerance):
    torch.testing.assert_close(found, wanted, **tolerance)
    assert found.stride() == wanted.stride()


IMAGE = torch.arange(120.0).reshape(2, 4, 5, 3).permute(0, 3, 1, 2)  # channels last
TENSORS = {
    "channels last": IMAGE,
    "a part of channels last": IMAGE[:, :, ::2],
    "contiguous": IMAGE.contiguous(),
    "transposed": torch.arange(60.0).reshape(5, 4, 3).transpose(0, 2),
    "empty": torch.zeros(2, 0, 3),
}
ROLLS = {
    "one axis": (1, 1),
    "backward": (-2, -1),
    "by 0": (0, 0),
    "by more than all": (11, 2),
    "several axes": ((1, -2, 7), (0, 2, -1)),
    "one axis twice": ((1, 1), (1, 1)),
    "as a line": (3, None),
}


@pytest.mark.parametrize("how", ROLLS)
@pytest.mark.parametrize("name", TENSORS)
def test_roll(name, how):
    shifts, dims = ROLLS[how]

    def rolled(x):
        return torch.roll(x, shifts, dims)

    x = TENSORS[name]
    check(joggle.torch.compile(rolled)(x), rolled(x), rtol=0, atol=0)


def heads(x):
    return x.transpose(1, 2)


MASK = torch.linspace(-1, 1, 64).reshape(8, 8)
ATTENTIONS = {
    "plain": attention,
    "causal": lambda q, k, v: attention(q, k, v, is_causal=True),
    "masked": lambda q, k, v: attention(q, k, v, attn_mask=MASK),
    "with the heads inside": lambda q, k, v: attention(heads(q), heads(k), heads(v)),
    "fewer keys": lambda q, k, v: attention(q, k[:, :2], v[:, :2], enable_gqa=True),
}


@pytest.mark.parametrize("name", ATTENTIONS)
def test_gradients_of_attention(name):
    function = ATTENTIONS[name]
    inputs = [torch.randn(2, 4, 8, 16, requires_grad=True) for _ in range(3)]

    def gradients(function):
        out = function(*inputs)
        return out, *torch.autograd.grad(out, inputs, torch.ones_like(out).cumsum(-1))

    compiled = gradients(joggle.torch.compile(function))
    for found, wanted in zip(compiled, gradients(function), strict=True):
        check(found, wanted, rtol=1e-4, atol=1e-4)
