# SPDX-License-Identifier: Apache-2.0
"""Pointwise and reduction patterns of models through torch.compile's backend: values and gradients
of eager torch, nothing left to torch, and one pass over memory."""

import pytest

import joggle as jg
import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")
F = torch.nn.functional

ROWS, VECTOR = (16, 64), (64,)
# A pattern, and the shapes of its arguments.
PATTERNS = {
    "gelu by erf": (lambda x: F.gelu(x), [ROWS]),
    "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), [ROWS]),
    "gelu with bias": (lambda x, bias: F.gelu(x + bias), [ROWS, VECTOR]),
    "chain of erf": (lambda x: x * (1 + torch.erf(x / 2**0.5)) * torch.exp(-x * x), [ROWS]),
    "mish": (lambda x: F.mish(x), [ROWS]),
    "SwiGLU": (lambda gate, x: F.silu(gate) * x, [ROWS, ROWS]),
    "SwiGLU of halves": (lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1], [ROWS]),
    "RMS norm": (lambda x, weight: F.rms_norm(x, VECTOR, weight), [ROWS, VECTOR]),
    "RMS norm by hand": (
        lambda x, weight: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight,
        [ROWS, VECTOR],
    ),
    "layer norm with residual": (
        lambda x, y, weight, bias: F.layer_norm(x + y, VECTOR, weight, bias),
        [ROWS, ROWS, VECTOR, VECTOR],
    ),
    "softmax of scaled scores": (lambda x: F.softmax(x * 0.125, -1), [ROWS]),
    "entropy": (lambda x: -(F.softmax(x, -1) * F.log_softmax(x, -1)).sum(-1), [ROWS]),
    "unit rows": (lambda x: F.normalize(x, dim=-1), [ROWS]),
    "cosine similarity": (lambda x, y: F.cosine_similarity(x, y, -1), [ROWS, ROWS]),
    "mean squared error": (lambda x, y: F.mse_loss(x, y), [ROWS, ROWS]),
    "binary cross entropy": (
        lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
        [ROWS, ROWS],
    ),
    "weighted sum of rows": (lambda w, x: (w[:, :, None] * x).sum(1), [(3, 21), (3, 21, 48)]),
    "sum of rows of products": (lambda x, y: (x * y).sum((0, 1)), [(3, 24, 48)] * 2),
    "moving average": (lambda kept, new: kept.lerp(new, 0.01), [ROWS, ROWS]),
    "moving average by the new": (lambda kept, new: kept.lerp(new, 0.75), [ROWS, ROWS]),
    "Adam": (
        lambda p, g, m, v: p - 0.1 * (m * 0.9 + g * 0.1) / ((v * v + g * g).sqrt() + 1e-8),
        [ROWS] * 4,
    ),
}


def _graph(report):
    (graph,) = [graph for made in report for graph in made.all()]
    return graph


def _launches(step, tensors):
    """How many passes over memory the step of a graph of one part makes."""
    arrays = [jg.from_dlpack(tensors[place]) for place in step.taken]
    return str(jg.explain(step.compiled(*arrays))).count("launch ")


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_one_launch_with_the_values_of_eager_torch(name):
    pattern, shapes = PATTERNS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    tensors = [torch.randn(shape) for shape in shapes]
    with reporting() as report:
        torch.testing.assert_close(joggle.torch.compile(pattern)(*tensors), pattern(*tensors))
    graph = _graph(report)
    assert graph.cut.reasons == {} and graph.single is not None
    assert _launches(graph.single, tensors) == 1


@pytest.mark.parametrize("name", PATTERNS)
def test_gradients_of_a_pattern_are_eager_torchs(name):
    pattern, shapes = PATTERNS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    tensors = [torch.randn(shape, requires_grad=True) for shape in shapes]
    with reporting() as report:
        found = joggle.torch.compile(pattern)(*tensors).square().sum()
        ours = torch.autograd.grad(found, tensors)
    wanted = torch.autograd.grad(pattern(*tensors).square().sum(), tensors)
    torch.testing.assert_close(ours, wanted, rtol=1e-4, atol=1e-5)
    assert [graph.cut.reasons for made in report for graph in made.all()] == [{}, {}]


def test_results_may_come_in_another_order_than_they_are_computed():
    def normed(x):
        h = x + 1
        return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True)), h, h.sum()

    torch._dynamo.reset()
    x = torch.linspace(0, 1, 64).view(4, 16)
    with reporting() as report:
        torch.testing.assert_close(joggle.torch.compile(normed)(x), normed(x))
    assert _graph(report).single is not None


def _pairs_turned(x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


def _masked_mean(x, lengths):
    seen = (torch.arange(x.shape[1]) < lengths[:, None]).to(x.dtype)[..., None]
    return (x * seen).sum(1) / seen.sum(1).clamp(min=1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("length", [1, 8, 37])
def test_pairs_are_turned_and_masked_rows_are_averaged(dtype, length):
    """Also of arguments with gaps, one of which is given twice."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    x = torch.randn(4, length, 2 * 50)[..., : 2 * 33].to(dtype)
    angles = torch.randn(length, 33)
    cos, sin = angles.cos().to(dtype), angles.sin().to(dtype)
    turned = joggle.torch.compile(_pairs_turned)
    torch.testing.assert_close(turned(x, cos, sin), _pairs_turned(x, cos, sin))
    torch.testing.assert_close(turned(x, cos, cos), _pairs_turned(x, cos, cos))
    averaged, lengths = (
        joggle.torch.compile(_masked_mean),
        torch.tensor([0, 1, length, length // 2]),
    )
    torch.testing.assert_close(averaged(x, lengths), _masked_mean(x, lengths))
    x[0, 0, 0], x[2, -1, 1] = float("nan"), float("inf")
    wanted = _masked_mean(x, lengths)
    torch.testing.assert_close(averaged(x, lengths), wanted, equal_nan=True)


def test_sums_of_rows_are_written_over_what_they_are_summed_of():
    """In place, where the old values are read in full before."""

    def update(kept, x, w):
        kept.copy_((kept * w[:, None]).sum(0) + kept)
        x.mul_(w[:, None])
        return (x * kept).sum(0)

    torch._dynamo.reset()
    torch.manual_seed(0)
    ours = [torch.randn(24, 64), torch.randn(24, 64), torch.randn(24)]
    wanted = [x.clone() for x in ours]
    results = joggle.torch.compile(update)(*ours), update(*wanted)
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ours, wanted, rtol=1e-5, atol=1e-5)
    same = ours[0].clone()
    results = joggle.torch.compile(update)(ours[0], ours[0], ours[2]), update(same, same, ours[2])
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ours[0], same, rtol=1e-5, atol=1e-5)
