# SPDX-License-Identifier: Apache-2.0
"""Every layer gives what MLX's gives with the same parameters, and the same derivatives."""

import inspect
import re

import mlx.core as mx
import mlx.nn as mlx_nn
import numpy as np
import pytest
from beside_mlx import as_mlx, assert_alike, twin

import joggle as jg
from joggle import nn

RNG = np.random.default_rng(7)


def floats(*shape):
    return jg.array(RNG.normal(size=shape).astype(np.float32))


ACTIVATIONS = [
    name
    for name, value in vars(mlx_nn).items()
    if inspect.isclass(value) and value.__module__ == "mlx.nn.layers.activations"
]

CASES = [(name, (), (floats(4, 6),)) for name in ACTIVATIONS] + [
    ("GLU", (0,), (floats(4, 6),)),
    ("LeakyReLU", (0.3,), (floats(9),)),
    ("ELU", (0.5,), (floats(9),)),
    ("CELU", (0.5,), (floats(9),)),
    ("Softshrink", (0.1,), (floats(9),)),
    ("HardShrink", (0.1,), (floats(9),)),
    ("Step", (0.2,), (floats(9),)),
    ("PReLU", (6, 0.1), (floats(4, 6),)),
    ("GELU", ("precise",), (floats(9),)),
    ("GELU", ("tanh",), (floats(9),)),
    ("GELU", ("fast",), (floats(9),)),
    ("ALiBi", (), (floats(2, 6, 5, 7),)),
    ("AvgPool1d", (2,), (floats(2, 9, 3),)),
    ("AvgPool1d", (3, 2, 1), (floats(2, 9, 3),)),
    ("AvgPool2d", (2,), (floats(2, 8, 8, 3),)),
    ("AvgPool2d", ((3, 2), (1, 2), (1, 0)), (floats(2, 8, 9, 3),)),
    ("AvgPool3d", (2,), (floats(2, 4, 4, 4, 3),)),
    ("AvgPool1d", (2, 1, 2), (floats(2, 9, 3),)),
    ("MaxPool1d", (1, 3, 1), (floats(2, 9, 3),)),
    ("MaxPool2d", (3, 1, (1, 2)), (floats(2, 5, 5, 3),)),
    ("MaxPool1d", (2,), (floats(2, 9, 3),)),
    ("MaxPool1d", (3, 2, 1), (floats(2, 9, 3),)),
    ("MaxPool2d", (2,), (floats(2, 8, 8, 3),)),
    ("MaxPool2d", ((3, 2), (1, 2), (1, 0)), (floats(2, 8, 9, 3),)),
    ("MaxPool3d", (2, 1), (floats(2, 4, 4, 4, 3),)),
    ("AvgPool1d", (3,), (floats(2, 1, 3),)),
    ("AvgPool2d", (3,), (floats(2, 2, 4, 3),)),
    ("AvgPool2d", (3, 2, 2), (floats(2, 1, 4, 3),)),
    ("MaxPool1d", (3, 3), (floats(2, 0, 3),)),
    ("MaxPool1d", (3, 1, 1), (floats(2, 0, 3),)),
    ("MaxPool3d", (2,), (floats(2, 4, 1, 4, 3),)),
    ("BatchNorm", (5,), (floats(8, 5),)),
    ("BatchNorm", (5, 1e-3, 0.3, False), (floats(2, 4, 4, 5),)),
    ("BatchNorm", (5, 1e-5, 0.1, True, False), (floats(2, 4, 5),)),
    ("Bilinear", (3, 4, 5), (floats(6, 3), floats(6, 4))),
    ("Bilinear", (3, 4, 5, False), (floats(2, 6, 3), floats(2, 6, 4))),
    ("Conv1d", (3, 8, 3), (floats(2, 9, 3),)),
    ("Conv1d", (4, 8, 3, 2, 1, 1, 2, False), (floats(2, 9, 4),)),
    ("Conv2d", (3, 8, 3), (floats(2, 7, 7, 3),)),
    ("Conv2d", (4, 8, (3, 2), (2, 1), (1, 0), 1, 2), (floats(2, 7, 7, 4),)),
    ("Conv3d", (3, 4, 2), (floats(1, 4, 4, 4, 3),)),
    ("ConvTranspose1d", (3, 8, 3, 2, 1, 1, 1), (floats(2, 9, 3),)),
    ("ConvTranspose2d", (3, 8, 3, 2), (floats(2, 5, 5, 3),)),
    ("ConvTranspose3d", (3, 4, 2, 1, 0, 1, 0, False), (floats(1, 3, 3, 3, 3),)),
    ("Dropout", (0.0,), (floats(5),)),
    ("Dropout2d", (0.0,), (floats(4, 4, 3),)),
    ("Dropout3d", (0.0,), (floats(2, 4, 4, 3),)),
    ("Embedding", (10, 4), (jg.array([[1, 2], [9, 0]], dtype=jg.int32),)),
    ("Identity", (), (floats(5),)),
    ("InstanceNorm", (5,), (floats(2, 4, 4, 5),)),
    ("InstanceNorm", (5, 1e-3, True), (floats(2, 6, 5),)),
    ("GroupNorm", (3, 6), (floats(2, 4, 4, 6),)),
    ("GroupNorm", (3, 6, 1e-3, False, True), (floats(2, 4, 4, 6),)),
    ("GroupNorm", (2, 6, 1e-5, True, True), (floats(2, 5, 6),)),
    ("GroupNorm", (2, 6, 1e-5, True, True), (floats(4, 6),)),
    ("GroupNorm", (3, 6), (floats(2, 1, 1, 6),)),
    ("LayerNorm", (6,), (floats(3, 6),)),
    ("LayerNorm", (6, 1e-3, True, False), (floats(3, 6),)),
    ("LayerNorm", (6, 1e-3, False), (floats(3, 6),)),
    ("RMSNorm", (6,), (floats(3, 6),)),
    ("Linear", (6, 4), (floats(3, 6),)),
    ("Linear", (6, 4, False), (floats(2, 3, 6),)),
    ("Linear", (6, 4), (floats(6),)),
    ("AllToShardedLinear", (6, 4), (floats(3, 6),)),
    ("ShardedToAllLinear", (6, 4), (floats(3, 6),)),
    ("MultiHeadAttention", (8, 2), (floats(2, 5, 8), floats(2, 7, 8), floats(2, 7, 8))),
    (
        "MultiHeadAttention",
        (8, 4, 6, 5, 3, 12, 7, True),
        (floats(2, 5, 6), floats(2, 7, 5), floats(2, 7, 3)),
    ),
    ("RoPE", (4,), (floats(1, 2, 6, 8),)),
    ("RoPE", (8, True, 100.0, 0.5), (floats(1, 2, 6, 8), 3)),
    ("SinusoidalPositionalEncoding", (8,), (floats(5),)),
    ("SinusoidalPositionalEncoding", (2, 1e-3, 2.0, 3.0, True, True), (floats(5),)),
    ("RNN", (3, 4), (floats(2, 5, 3),)),
    ("RNN", (3, 4, False), (floats(5, 3), floats(4))),
    ("GRU", (3, 4), (floats(2, 5, 3),)),
    ("GRU", (3, 4, False), (floats(5, 3), floats(4))),
    ("GRU", (3, 4), (floats(2, 5, 3), floats(2, 4))),
    ("LSTM", (3, 4), (floats(2, 5, 3),)),
    ("LSTM", (3, 4, False), (floats(5, 3), floats(4), floats(4))),
    ("TransformerEncoderLayer", (8, 2), (floats(2, 5, 8), None)),
    ("TransformerEncoderLayer", (8, 2, 12, 0.0, nn.gelu, False), (floats(2, 5, 8), None)),
    ("TransformerEncoder", (2, 8, 2), (floats(2, 5, 8), None)),
    ("TransformerEncoder", (2, 8, 2, None, 0.0, nn.relu, True, True), (floats(2, 5, 8), None)),
    ("TransformerDecoderLayer", (8, 2), (floats(2, 5, 8), floats(2, 6, 8), None, None)),
    (
        "TransformerDecoder",
        (2, 8, 2, 12, 0.0, nn.relu, False),
        (floats(2, 5, 8), floats(2, 6, 8), None, None),
    ),
    ("Transformer", (8, 2, 1, 2), (floats(2, 5, 8), floats(2, 6, 8), None, None, None)),
    ("Upsample", (2.0,), (floats(1, 3, 4, 2),)),
    ("Upsample", (1.6,), (floats(1, 5, 2),)),
    ("Upsample", (0.5,), (floats(1, 5, 6, 2),)),
    *[
        ("Upsample", (scale, mode, corners), (floats(1, 5, 6, 2),))
        for scale in (2.0, (1.5, 3.0), 0.4)
        for mode in ("linear", "cubic")
        for corners in (False, True)
    ],
    ("Upsample", (0.4, "linear", False, True), (floats(1, 9, 8, 2),)),
    ("Upsample", (0.5, "cubic", False, True), (floats(1, 9, 8, 2),)),
]  # fmt: skip
QUANTIZED = [
    ("QuantizedLinear", (64, 8), (floats(3, 64),)),
    ("QuantizedLinear", (64, 8, False, 32, 8), (floats(3, 64),)),
    ("QuantizedLinear", (64, 8, True, None, None, "mxfp4"), (floats(3, 64),)),
    ("QuantizedEmbedding", (10, 64), (jg.array([[1, 2], [9, 0]], dtype=jg.int32),)),
    ("QuantizedAllToShardedLinear", (64, 8), (floats(3, 64),)),
    ("QuantizedShardedToAllLinear", (64, 8, False), (floats(3, 64),)),
]
# Modules that hold what they are given, or that the tests below are about.
OTHERWISE = {"Module", "Sequential", "FullyShardedModule", "QQLinear"}


def mlx_arguments(arguments):
    known = {nn.gelu: mlx_nn.gelu, nn.relu: mlx_nn.relu}
    return tuple(known.get(a, a) if callable(a) else a for a in arguments)


def named(case):
    settings = ", ".join(getattr(x, "__name__", str(x)) for x in case[1])
    return f"{case[0]}({settings})"


def test_every_layer_of_mlx_is_there_and_in_a_case():
    layers = {name for name, value in vars(mlx_nn).items() if inspect.isclass(value)}
    assert layers <= set(nn.__all__)
    assert {case[0] for case in CASES + QUANTIZED} | OTHERWISE == layers


@pytest.mark.parametrize("name", [n for n, v in vars(mlx_nn).items() if inspect.isclass(v)])
def test_parameters_have_mlx_names_and_defaults(name):
    ours, theirs = inspect.signature(getattr(nn, name)), inspect.signature(getattr(mlx_nn, name))
    for one, other in zip(ours.parameters.values(), theirs.parameters.values(), strict=True):
        assert one.name == other.name
        assert one.kind == other.kind
        if not callable(one.default):  # activations are functions of each library
            assert one.default == other.default


@pytest.mark.parametrize("case", CASES + QUANTIZED, ids=named)
def test_a_layer_gives_what_that_of_mlx_gives(case):
    name, arguments, inputs = case
    ours = getattr(nn, name)(*arguments)
    theirs = twin(ours, getattr(mlx_nn, name)(*mlx_arguments(arguments)))
    assert_alike(ours(*inputs), theirs(*as_mlx(inputs)))
    assert_alike(ours.parameters(), theirs.parameters())  # running statistics among them
    ours.eval()
    theirs.eval()
    assert_alike(ours(*inputs), theirs(*as_mlx(inputs)))


def total(library, found):
    parts = found if isinstance(found, tuple) else (found,)
    return sum(library.sum(library.sin(part)) for part in parts)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_layer_has_the_derivatives_of_that_of_mlx(case):
    name, arguments, inputs = case
    ours = getattr(nn, name)(*arguments)
    theirs = twin(ours, getattr(mlx_nn, name)(*mlx_arguments(arguments)))
    given = as_mlx(inputs)
    if ours.trainable_parameters():
        value, slopes = nn.value_and_grad(ours, lambda: total(jg, ours(*inputs)))()
        other, others = mlx_nn.value_and_grad(theirs, lambda: total(mx, theirs(*given)))()
        assert_alike(value, other, 1e-4)
        assert_alike(slopes, others, 2e-4)
    if inputs[0].dtype == jg.float32:
        slopes = jg.grad(lambda x: total(jg, ours(x, *inputs[1:])))(inputs[0])
        others = mx.grad(lambda x: total(mx, theirs(x, *given[1:])))(given[0])
        assert_alike(slopes, others, 2e-4)


@pytest.mark.parametrize("case", CASES + QUANTIZED, ids=named)
def test_a_layer_is_printed_as_that_of_mlx(case):
    name, arguments, _ = case
    ours, theirs = getattr(nn, name)(*arguments), getattr(mlx_nn, name)(*mlx_arguments(arguments))
    address = re.compile("<.*?>")  # of a function that the layer calls
    assert address.sub("", repr(ours)) == address.sub("", repr(theirs))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_dropout_drops_a_share_and_keeps_the_mean(axes):
    layer = {1: nn.Dropout, 2: nn.Dropout2d, 3: nn.Dropout3d}[axes](0.25)
    shape = {1: (20000,), 2: (500, 2, 2, 40), 3: (500, 2, 2, 2, 40)}[axes]
    found = np.asarray(layer(jg.ones(shape)))
    assert set(np.unique(found)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(np.mean(found == 0) - 0.25) < 0.02
    space = tuple(range(1, len(shape) - 1))
    if space:  # a channel is dropped in one piece
        np.testing.assert_array_equal(found.max(axis=space), found.min(axis=space))


def test_a_quantised_input_layer_has_codes_in_evaluation_only():
    layer = nn.QQLinear(32, 8, mode="mxfp8")
    x = floats(3, 32)
    assert layer.weight.dtype == jg.float32
    trained = layer(x)
    layer.eval()
    assert layer.weight.dtype == jg.uint32
    assert "scales" in layer
    np.testing.assert_allclose(np.asarray(layer(x)), np.asarray(trained), atol=1e-6)
    layer.train()
    assert layer.weight.dtype == jg.float32
    assert "scales" not in layer


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Dropout(1.0), r"\[Dropout\] p: got 1.0"),
        (lambda: nn.LayerNorm(3, eps=0.0), r"\[LayerNorm\] eps: got 0.0"),
        (lambda: nn.GroupNorm(4, 6), r"\[GroupNorm\] num_groups: got 4"),
        (lambda: nn.MultiHeadAttention(8, 3), r"\[MultiHeadAttention\] num_heads: got 3"),
        (lambda: nn.Conv2d(3, 8, 3, groups=2), r"\[Conv2d\] groups: got 2"),
        (lambda: nn.Conv2d(3, 8, (3, 3, 3)), r"\[Conv2d\] kernel_size: got \(3, 3, 3\)"),
        (lambda: nn.MaxPool2d(0), r"\[MaxPool2d\] kernel_size: got 0"),
        (lambda: nn.MaxPool2d(2, padding=-1), r"\[MaxPool2d\] padding: got -1"),
        (lambda: nn.AvgPool1d(9, 2)(jg.ones((1, 1, 3))), r"\[avg_pool1d\] kernel_size: axis 0"),
        (lambda: nn.GELU("best"), r"\[GELU\] approx: got 'best'"),
        (lambda: nn.Upsample(2, "area"), r"\[Upsample\] mode: got 'area'"),
        (lambda: nn.Upsample(2, "linear", True, True), r"\[Upsample\] antialias: got True"),
        (lambda: nn.SinusoidalPositionalEncoding(3), r"dims: got 3"),
        (lambda: nn.QuantizedLinear(64, 2, mode="best"), r"mode: got 'best'"),
        (lambda: nn.RNN(3, 4, nonlinearity=3), r"\[RNN\] nonlinearity: got int"),
        (lambda: nn.BatchNorm(3)(floats(3)), r"\[BatchNorm\] x: got 1 axes"),
        (lambda: nn.BatchNorm(3)(floats(1, 3)), r"\[BatchNorm\] x: got 1 values"),
        (lambda: nn.InstanceNorm(3)(floats(2, 3)), r"\[InstanceNorm\] x: got 2 axes"),
        (lambda: nn.Upsample((2, 2))(floats(1, 3, 2)), r"\[Upsample\] scale_factor"),
        (lambda: nn.Dropout2d(0.1)(floats(3, 2)), r"\[Dropout2d\] x: got 2 axes"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Where MLX's derivative at 0 is another: the one of celu is 1 on both sides of 0 (MLX: 0), and the
# ones of prelu are 1 and alpha (MLX: their sum; here that of leaky_relu).
SLOPES_AT_0 = {"celu": 1.0, "prelu": 1.0}


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("name", sorted(set(nn.layers.functions.__all__) - {"step"}))
def test_derivatives_of_activations_at_0_are_those_of_mlx(name, zero):
    values = np.array([zero, 1.0] if name == "glu" else [zero], np.float32)
    more = [np.array(0.25, np.float32)] if name == "prelu" else []
    ours = jg.grad(lambda x: getattr(nn, name)(x, *map(jg.array, more)).sum())(jg.array(values))
    if name in SLOPES_AT_0:
        assert ours.tolist() == [SLOPES_AT_0[name]]
        return
    theirs = mx.grad(lambda x: getattr(mlx_nn, name)(x, *map(mx.array, more)).sum())
    assert_alike(ours, theirs(mx.array(values)), 1e-6)


@pytest.mark.parametrize("dtype", [jg.float32, jg.float16, jg.int64])
def test_steps_are_int32_as_in_mlx(dtype):
    x = jg.array([-1, 0, 2], dtype=dtype)
    for found in (nn.step(x), nn.Step()(x)):
        assert found.dtype == jg.int32
        assert found.tolist() == [0, 1, 1]


def test_a_module_of_one_process_is_not_sharded():
    layer = nn.Linear(2, 2)
    assert nn.fully_shard(layer) is layer
    assert nn.fully_shard(layer, compute_dtype=jg.float16) is layer


WRONG_SIZES = [
    (lambda: nn.Linear(-1, 2), ValueError, r"[Linear] input_dims: got -1, allowed are ints from 1"),
    (lambda: nn.Linear(0, 3), ValueError, "[Linear] input_dims: got 0"),
    (lambda: nn.Linear(3, -1), ValueError, "[Linear] output_dims: got -1, allowed are ints from 0"),
    (lambda: nn.Linear("a", 3), TypeError, "[Linear] input_dims: got 'a'"),
    (lambda: nn.Linear(2.5, 3), TypeError, "[Linear] input_dims: got 2.5"),
    (lambda: nn.Bilinear(2, 2, 2.5), TypeError, "[Bilinear] output_dims: got 2.5"),
    (lambda: nn.Embedding(3, 0), ValueError, "[Embedding] dims: got 0"),
    (lambda: nn.Embedding(-1, 3), ValueError, "[Embedding] num_embeddings: got -1"),
    (lambda: nn.Conv2d(3, -1, 3), ValueError, "[Conv2d] out_channels: got -1"),
    (lambda: nn.Conv2d(0, 3, 3), ValueError, "[Conv2d] in_channels: got 0"),
    (lambda: nn.Conv1d(2, 2, 0), ValueError, "[Conv1d] kernel_size: got 0"),
    (lambda: nn.Conv1d(2, 2, 2.5), TypeError, "[Conv1d] kernel_size: got 2.5, allowed are an int"),
    (lambda: nn.Conv2d(2, 2, (2.5, 3)), TypeError, "[Conv2d] kernel_size: got 2.5"),
    (lambda: nn.Conv2d(2, 2, 3, (1, 0)), ValueError, "[Conv2d] stride: got 0"),
    (lambda: nn.Conv3d(2, 2, 3, padding=-1), ValueError, "[Conv3d] padding: got -1"),
    (lambda: nn.Conv1d(2, 2, 3, groups="a"), TypeError, "[Conv1d] groups: got 'a'"),
    (lambda: nn.ConvTranspose1d(0, 3, 3), ValueError, "[ConvTranspose1d] in_channels: got 0"),
    (lambda: nn.LayerNorm(-2, affine=False), ValueError, "[LayerNorm] dims: got -2"),
    (lambda: nn.RMSNorm((2, 3)), TypeError, "[RMSNorm] dims: got (2, 3)"),
    (lambda: nn.BatchNorm(2.5), TypeError, "[BatchNorm] num_features: got 2.5"),
    (lambda: nn.GroupNorm(2.5, 4), TypeError, "[GroupNorm] num_groups: got 2.5"),
    (lambda: nn.LSTM(3, 0), ValueError, "[LSTM] hidden_size: got 0, allowed are ints from 1"),
    (lambda: nn.GRU("a", 3), TypeError, "[GRU] input_size: got 'a'"),
    (lambda: nn.RNN(-1, 2), ValueError, "[RNN] input_size: got -1"),
    (lambda: nn.QuantizedLinear(-1, 3), ValueError, "[QuantizedLinear] input_dims: got -1"),
    (lambda: nn.QQLinear(0, 3), ValueError, "[QQLinear] input_dims: got 0"),
    (lambda: nn.quantize(3), TypeError, "[quantize] model: got int, allowed is a joggle.nn.Module"),
]


@pytest.mark.parametrize("at", range(len(WRONG_SIZES)))
def test_sizes_that_are_none_are_refused_by_name(at):
    make, error, message = WRONG_SIZES[at]
    with pytest.raises(error, match=re.escape(message)):
        make()


def test_layers_without_outputs_and_with_integers_of_numpy_are_made():
    assert nn.Linear(np.int64(2), np.int32(0))(jg.ones((1, 2))).shape == (1, 0)
    assert nn.Conv2d(3, 0, np.int64(3))(jg.ones((1, 5, 5, 3))).shape == (1, 3, 3, 0)
    assert nn.LayerNorm(0)(jg.ones((2, 0))).shape == (2, 0)
    assert nn.Embedding(0, 3).weight.shape == (0, 3)
    assert nn.LSTM(0, 3)(jg.ones((2, 5, 0)))[0].shape == (2, 5, 3)


def test_dropout_refuses_what_is_no_number():
    with pytest.raises(TypeError, match=r"\[Dropout\] p: got 'a', allowed are numbers from 0"):
        jg.nn.Dropout("a")


@pytest.mark.parametrize("neighbours", [False, True])
@pytest.mark.parametrize("offset", [0, 100, 1e4])
def test_groups_far_from_0_keep_the_digits_that_their_mean_leaves(neighbours, offset):
    """Within a rounding of the mean and of the difference from it, whatever the channels' means."""
    x = np.random.default_rng(3).normal(offset, 1, (4, 9, 11, 24)).astype(np.float32)
    x[2] += np.arange(24, dtype=np.float32)
    shape, axes = ((4, -1, 6, 4), (1, 3)) if neighbours else ((4, -1, 4, 6), (1, 2))
    wide = x.astype(np.float64).reshape(shape)
    mean, var = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    expected = ((wide - mean) / np.sqrt(var + 1e-5)).reshape(x.shape)
    result = np.asarray(nn.GroupNorm(6, 24, pytorch_compatible=neighbours)(jg.array(x)))
    assert np.abs(result - expected).max() <= 2 * np.spacing(np.float32(offset + 24))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_batch_norm_has_the_bits_of_its_mean_and_variance(dtype):
    x = jg.astype(floats(3, 20, 20, 8), getattr(jg, dtype))
    layer = nn.BatchNorm(8, affine=False, track_running_stats=False)
    layer.train()
    mean, variance = jg.mean(x, axis=(0, 1, 2)), jg.var(x, axis=(0, 1, 2))
    spelled = (x - mean) * jg.rsqrt(variance + layer.eps)
    assert np.asarray(layer(x)).tobytes() == np.asarray(spelled).tobytes()


@pytest.mark.parametrize("norm", [nn.BatchNorm(8, track_running_stats=False), nn.GroupNorm(2, 8)])
def test_a_norm_reads_its_input_once_for_the_mean_once_for_the_variance_and_once_more(norm):
    norm.train()
    x = floats(3, 20, 20, 8)
    jg.eval(x)
    reads = [int(n) for n in re.findall(r"reads (\d+) bytes, writes", jg.explain(norm(x)))][:-1]
    assert sum(n >= x.nbytes for n in reads) == 3
