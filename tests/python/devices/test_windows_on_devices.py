# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling on devices give what they give on the CPU, floats up to the order of the
sums: within the dtype's error times the sum of absolute values, which a convolution of absolute
values tells.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
TOLERANCES = {"float32": 2e-6, "float64": 1e-14, "float16": 1e-3, "complex64": 4e-6}


def numbers(shape, dtype, seed=3):
    draw = np.random.default_rng(seed).standard_normal
    made = draw(shape) + (1j * draw(shape) if dtype[0] == "c" else 0)
    return made.astype(dtype)


def both(function, *arrays):
    """What the function gives on the device and on the CPU."""
    made = []
    for device in (DEVICE, "cpu:0"):
        got = function(*(jg.asarray(a, device=device) for a in arrays))
        assert got.device == (DEVICE if device == DEVICE else "cpu")
        made.append(np.asarray(got.to_device("cpu")))
    assert made[0].dtype == made[1].dtype and made[0].shape == made[1].shape
    return made


def check_sums(function, x, w):
    got, wanted = both(function, x, w)
    sizes = both(function, np.abs(x), np.abs(w))[1]
    limit = TOLERANCES[x.dtype.name] * np.abs(sizes) + 1e-6 * (x.dtype.name == "float16")
    assert (np.abs(got - wanted) <= limit).all()


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"stride": 2, "padding": 1},
        {"dilation": 2, "padding": 2},
        {"groups": 2},
        {"groups": 4, "padding": 3, "stride": 3},
    ],
)
def test_convolutions_of_planes_are_those_of_the_cpu(dtype, how):
    x = numbers((2, 9, 11, 8), dtype)
    w = numbers((12, 3, 2, 8 // how.get("groups", 1)), dtype)
    check_sums(lambda a, b: jg.conv2d(a, b, **how), x, w)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_convolutions_of_lines_and_volumes_are_those_of_the_cpu(dtype):
    check_sums(
        lambda a, b: jg.conv1d(a, b, padding=2),
        numbers((3, 40, 5), dtype),
        numbers((70, 5, 5), dtype),
    )
    check_sums(
        lambda a, b: jg.conv3d(a, b, stride=(1, 2, 1), padding=1),
        numbers((2, 5, 6, 7, 3), dtype),
        numbers((4, 3, 2, 3, 3), dtype),
    )
    check_sums(
        lambda a, b: jg.conv2d(a, b),
        numbers((1, 30, 30, 40), dtype),
        numbers((70, 3, 3, 40), dtype),
    )


def test_views_are_convolved():
    x, w = numbers((4, 12, 10, 6), "float32"), numbers((5, 3, 3, 6), "float32")
    check_sums(lambda a, b: jg.conv2d(a[::2, ::-1, 1:, :], b[:, ::-1]), x, w)
    turned = numbers((4, 6, 12, 10), "float32")
    check_sums(lambda a, b: jg.conv2d(a.transpose(0, 2, 3, 1), b), turned, w)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_transposed_convolutions_are_those_of_the_cpu(dtype):
    x, w = numbers((2, 7, 6, 4), dtype), numbers((5, 3, 3, 4), dtype)
    for how in ({}, {"stride": 2}, {"stride": 3, "padding": 1}, {"dilation": 2}):
        check_sums(lambda a, b, how=how: jg.conv_transpose2d(a, b, **how), x, w)
    line, taps = numbers((2, 9, 4), dtype), numbers((5, 4, 4), dtype)
    check_sums(lambda a, b: jg.conv_transpose1d(a, b, stride=2, output_padding=1), line, taps)


def test_general_convolutions_and_signals_are_those_of_the_cpu():
    x, w = numbers((2, 9, 8, 4), "float32"), numbers((6, 3, 3, 4), "float32")
    check_sums(
        lambda a, b: jg.conv_general(a, b, padding=([1, 0], [2, 1]), input_dilation=2, flip=True),
        x,
        w,
    )
    for mode in ("full", "same", "valid"):
        check_sums(
            lambda a, b, mode=mode: jg.convolve(a, b, mode=mode),
            numbers(50, "float32"),
            numbers(7, "float32"),
        )


def test_convolutions_without_batches_or_channels_are_empty_or_zero():
    x, w = numbers((0, 9, 8, 4), "float32"), numbers((6, 3, 3, 4), "float32")
    assert both(jg.conv2d, x, w)[0].shape == (0, 7, 6, 6)
    got, wanted = both(
        jg.conv2d, numbers((2, 5, 5, 0), "float32"), numbers((6, 3, 3, 0), "float32")
    )
    np.testing.assert_array_equal(got, wanted)


POOLS = [
    ("max_pool2d", {"kernel_size": 2}),
    ("max_pool2d", {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("max_pool2d", {"kernel_size": (2, 3), "stride": (1, 2), "padding": (1, 0)}),
    ("avg_pool2d", {"kernel_size": 2}),
    ("avg_pool2d", {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("avg_pool2d", {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}),
    ("avg_pool2d", {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}),
    ("avg_pool2d", {"kernel_size": 3, "padding": 1, "divisor_override": 7}),
    ("max_pool2d", {"kernel_size": 3, "stride": 2, "ceil_mode": True}),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(("name", "how"), POOLS)
def test_pooling_of_planes_is_that_of_the_cpu(dtype, name, how):
    x = numbers((2, 9, 10, 5), dtype)
    got, wanted = both(lambda a: getattr(jg, name)(a, **how), x)
    if name.startswith("max"):
        np.testing.assert_array_equal(got, wanted)
    else:
        np.testing.assert_allclose(got, wanted, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype])


def test_lines_volumes_and_integers_are_pooled_as_on_the_cpu():
    for name in ("max_pool", "avg_pool"):
        for shape in ((3, 30, 4), (2, 9, 8, 7, 3)):
            function = getattr(jg, f"{name}{len(shape) - 2}d")
            got, wanted = both(
                lambda a, f=function: f(a, 3, stride=2, padding=1), numbers(shape, "float32")
            )
            np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)
    whole = np.random.default_rng(1).integers(-100, 100, (2, 9, 8, 3))
    for dtype in ("int8", "int32", "int64"):
        got, wanted = both(lambda a: jg.max_pool2d(a, 3, padding=1), whole.astype(dtype))
        np.testing.assert_array_equal(got, wanted)
    x = numbers((2, 9, 8, 3), "float32")
    x[0, 4, 4, 1], x[1, 2] = np.nan, -np.inf
    got, wanted = both(lambda a: jg.max_pool2d(a[:, ::-1], 3, stride=2, padding=1), x)
    np.testing.assert_array_equal(got, wanted)
