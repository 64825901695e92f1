# SPDX-License-Identifier: Apache-2.0
"""Convolutions of images in both orders of axes, depthwise and transposed ones, of bfloat16, of
vectors; and pooling."""

import ml_dtypes
import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "convolutions and pooling"
GOALS = (Goal(1.05),)
NONE = "it has none"
SAME = {"numpy": NONE, "torch.compile": "the same library", "mlx.compile": "the same loops"}

# name: (height, width, channels), (results, taps each way), stride, groups
IMAGES = {
    "3x3 of 64, 56x56": ((56, 56, 64), (64, 3), 1, 1),
    "3x3 of 256, 14x14": ((14, 14, 256), (256, 3), 1, 1),
    "3x3 of 512, 7x7": ((7, 7, 512), (512, 3), 1, 1),
    "1x1 of 256, 56x56": ((56, 56, 256), (64, 1), 1, 1),
    "7x7 of 3, stride 2, 224x224": ((224, 224, 3), (64, 7), 2, 1),
    "3x3 depthwise of 144, 56x56": ((56, 56, 144), (144, 3), 1, 144),
    "3x3 in 32 groups of 128, 56x56": ((56, 56, 128), (128, 3), 1, 32),
    "3x3 in 32 groups of 512, 14x14": ((14, 14, 512), (512, 3), 1, 32),
}
ORDERS = {"NHWC": "OHWI", "NCHW": "OIHW"}


def _first(x):
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


def _windows(x, taps, stride, padding, fill=0.0):
    """What lies under the windows of x (batch, height, width, channels), as two last axes."""
    sides = ((0, 0), (padding, padding), (padding, padding), (0, 0))
    padded = np.pad(x, sides, constant_values=fill)
    found = np.lib.stride_tricks.sliding_window_view(padded, (taps, taps), (1, 2))
    return found[:, ::stride, ::stride]


def _define(x, w, stride, padding, groups):
    """The convolution by its definition, in float32."""
    x, w = x.astype(np.float32), w.astype(np.float32)
    windows = _windows(x, w.shape[1], stride, padding)
    each, shape = w.shape[-1], windows.shape
    split = windows.reshape(*shape[:3], groups, each, *shape[4:])
    w = w.reshape(groups, -1, *w.shape[1:])
    y = np.einsum("nhwgckl,goklc->nhwgo", split, w, optimize=True)
    return y.reshape(*shape[:3], -1)


def _convolution(order, stride, padding, groups):
    """What each library calls it; PyTorch sees channels last as strides of what comes first."""

    def joggle(jg, x, w):
        return jg.conv2d(x, w, stride, padding, 1, groups, data_format=order)

    def torch(torch, x, w):
        if order == "NCHW":
            return torch.nn.functional.conv2d(x, w, None, stride, padding, 1, groups)
        x, w = x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2)
        y = torch.nn.functional.conv2d(x, w, None, stride, padding, 1, groups)
        return y.permute(0, 2, 3, 1)

    def jax(jnp, x, w):
        from jax import lax

        return lax.conv_general_dilated(
            x,
            w,
            (stride, stride),
            [(padding, padding)] * 2,
            dimension_numbers=(order, ORDERS[order], order),
            feature_group_count=groups,
        )

    def mlx(mx, x, w):
        return mx.conv2d(x, w, stride, padding, 1, groups)

    last = {"mlx": mlx} if order == "NHWC" else {"mlx": "it has channels last alone"}
    return joggle, SAME | {"torch": torch, "jax": jax} | last


def _image(name, order, quick, dtype=np.float32):
    (height, width, channels), (results, taps), stride, groups = IMAGES[name]
    if quick:
        height, width = 8, 8
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, height, width, channels)).astype(dtype)
    w = rng.standard_normal((results, taps, taps, channels // groups)).astype(dtype)
    turn = _first if order == "NCHW" else np.asarray

    def reference(x=x, w=w):
        return turn(_define(x, w, stride, taps // 2, groups)).astype(dtype)

    x, w = turn(x), turn(w)
    function, own = _convolution(order, stride, taps // 2, groups)
    kind = "" if dtype == np.float32 else "bfloat16 "
    tolerance = 2e-3 if dtype == np.float32 else 0.05
    if dtype != np.float32:
        own = own | {"mlx": "seconds a call"}
    return Work(
        f"{kind}{order} {name}",
        function,
        {"x": x, "w": w},
        GOALS,
        own=own,
        reference=reference,
        tolerance=tolerance,
    )


def _transposed(quick):
    rng = np.random.default_rng(1)
    extent = 4 if quick else 28
    x = rng.standard_normal((1, extent, extent, 128)).astype(np.float32)
    w = rng.standard_normal((64, 4, 4, 128)).astype(np.float32)

    def torch(torch, x, w):
        y = torch.nn.functional.conv_transpose2d(
            x.permute(0, 3, 1, 2), w.permute(3, 0, 1, 2), None, 2, 1
        )
        return y.permute(0, 2, 3, 1)

    def reference():
        spread = np.zeros((1, 2 * extent - 1, 2 * extent - 1, 128), np.float32)
        spread[:, ::2, ::2] = x
        return _define(spread, w[:, ::-1, ::-1], 1, 2, 1)

    own = SAME | {"torch": torch, "jax": "no function of the kind with these weights"}
    return Work(
        "NHWC 4x4 transposed of 128, stride 2, 28x28",
        lambda xp, x, w: xp.conv_transpose2d(x, w, 2, 1),
        {"x": x, "w": w},
        GOALS,
        own=own,
        reference=reference,
        tolerance=2e-3,
    )


def _vectors(quick):
    rng = np.random.default_rng(2)
    a = rng.standard_normal(100 if quick else 1_000_000).astype(np.float32)
    v = rng.standard_normal(7 if quick else 63).astype(np.float32)

    def torch(torch, a, v):
        return torch.nn.functional.conv1d(a[None, None], v.flip(0)[None, None])[0, 0]

    return Work(
        "valid, 1M and 63",
        lambda xp, a, v: xp.convolve(a, v, "valid"),
        {"a": a, "v": v},
        GOALS,
        own={"torch": torch, "torch.compile": "the same library"},
        tolerance=2e-3,
    )


def _pool(order, mean, quick):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((1, 8, 8, 64) if quick else (8, 112, 112, 64), np.float32)
    turn = _first if order == "NCHW" else np.asarray
    taps, stride, padding = (2, 2, 0) if mean else (3, 2, 1)

    def reference(x=x):
        windows = _windows(x, taps, stride, padding, -np.inf)
        return turn((windows.mean if mean else windows.max)((-2, -1)))

    x = turn(x)

    def joggle(jg, x):
        pool = jg.avg_pool2d if mean else jg.max_pool2d
        return pool(x, taps, stride, padding, data_format=order)

    def torch(torch, x):
        functional = torch.nn.functional
        pool = functional.avg_pool2d if mean else functional.max_pool2d
        if order == "NCHW":
            return pool(x, taps, stride, padding)
        return pool(x.permute(0, 3, 1, 2), taps, stride, padding).permute(0, 2, 3, 1)

    def jax(jnp, x):
        from jax import lax

        space = (1, 2) if order == "NHWC" else (2, 3)
        window, steps, sides = [1] * 4, [1] * 4, [(0, 0)] * 4
        for axis in space:
            window[axis], steps[axis], sides[axis] = taps, stride, (padding, padding)
        if mean:
            return lax.reduce_window(x, 0.0, lax.add, window, steps, sides) / taps**2
        return lax.reduce_window(x, -jnp.inf, lax.max, window, steps, sides)

    own = SAME | {"torch": torch, "jax": jax, "mlx": "layers alone, of its slices"}
    kind = "mean 2x2" if mean else "largest 3x3, stride 2"
    name = f"{order} {kind}, 8 of 112x112x64"
    return Work(name, joggle, {"x": x}, GOALS, own=own, reference=reference)


def cases(quick):
    for order in ORDERS:
        for name in IMAGES:
            yield _image(name, order, quick)
    yield _image("3x3 of 64, 56x56", "NHWC", quick, ml_dtypes.bfloat16)
    yield _transposed(quick)
    yield _vectors(quick)
    for order in ORDERS:
        yield _pool(order, False, quick)
        yield _pool(order, True, quick)
