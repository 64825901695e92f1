# SPDX-License-Identifier: Apache-2.0
"""padding="same" and "valid" of convolutions and pooling, beside PyTorch and JAX."""

import jax
import numpy as np
import pytest
import torch

import joggle as jg

NAMES = ("same", "valid")


def numbers(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
@pytest.mark.parametrize("padding", NAMES)
@pytest.mark.parametrize("taps", [(1, 1), (3, 3), (4, 2), (5, 6)])
@pytest.mark.parametrize("dilation", [1, 2])
def test_convolutions_agree_with_pytorch(padding, taps, dilation):
    x, w = numbers((2, 4, 13, 12)), numbers((6, 2, *taps), 1)
    options = {"padding": padding, "dilation": dilation, "groups": 2}
    found = jg.conv2d(jg.array(x), jg.array(w), data_format="NCHW", **options)
    expected = torch.nn.functional.conv2d(torch.from_numpy(x), torch.from_numpy(w), **options)
    np.testing.assert_allclose(np.asarray(found), expected.numpy(), atol=1e-4)


@pytest.mark.parametrize("padding", NAMES)
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("spread", [1, 2])
def test_convolutions_with_strides_agree_with_jax(padding, rank, stride, spread):
    x, w = numbers((2, *(9, 8, 7)[:rank], 3)), numbers((4, *(3, 4, 2)[:rank], 3), 1)
    zeros = np.zeros((2, *(spread * (n - 1) + 1 for n in x.shape[1:-1]), 3), np.float32)
    zeros[(slice(None), *[slice(None, None, spread)] * rank)] = x
    letters = "DHW"[-rank:]
    dimensions = (f"N{letters}C", f"O{letters}I", f"N{letters}C")
    expected = jax.lax.conv_general_dilated(
        zeros, w, (stride,) * rank, padding.upper(), dimension_numbers=dimensions
    )
    found = jg.conv_general(
        jg.array(x), jg.array(w), stride, padding=padding, input_dilation=spread
    )
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), atol=1e-4)


@pytest.mark.parametrize("padding", NAMES)
@pytest.mark.parametrize("window", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("mean", [False, True])
def test_pooling_agrees_with_jax(padding, window, stride, mean):
    x = numbers((2, 11, 12, 3))
    windows, strides = (1, window, window, 1), (1, stride, stride, 1)
    first, operation = (0.0, jax.lax.add) if mean else (-np.inf, jax.lax.max)
    expected = jax.lax.reduce_window(x, first, operation, windows, strides, padding.upper())
    pool = jg.avg_pool2d if mean else jg.max_pool2d
    found = pool(jg.array(x), window, stride, padding)
    expected = np.asarray(expected) / window**2 if mean else np.asarray(expected)
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-5)


@pytest.mark.parametrize("ceil_mode", [False, True])
def test_pooling_with_the_same_extents_takes_dilation(ceil_mode):
    x = numbers((1, 9, 2))
    found = jg.max_pool1d(jg.array(x), 3, 1, "same", dilation=3, ceil_mode=ceil_mode)
    padded = np.pad(x, ((0, 0), (3, 3), (0, 0)), constant_values=-np.inf)
    expected = np.max([padded[:, 3 * i : 3 * i + 9] for i in range(3)], axis=0)
    assert np.array_equal(np.asarray(found), expected)


def test_an_empty_extent_has_no_results_to_keep():
    with pytest.raises(ValueError, match="axis 0 of space spans 3"):
        jg.conv1d(jg.ones((2, 0, 3)), jg.ones((4, 3, 3)), padding="same")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, w: jg.conv1d(x, w, padding="full"), "padding: got 'full'"),
        (lambda x, w: jg.max_pool1d(x, 2, padding="SAME"), "padding: got 'SAME'"),
        (lambda x, w: jg.conv_transpose1d(x, w, padding="same"), 'padding: got "same"'),
    ],
)
def test_other_names_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(jg.ones((1, 8, 3)), jg.ones((4, 3, 3)))
