# SPDX-License-Identifier: Apache-2.0
"""Gradients of convolutions by their weights, beside torch's: sums over pixels and images, in
parts."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

import joggle as jg

CONVOLUTIONS = {1: jg.conv1d, 2: jg.conv2d, 3: jg.conv3d}
TORCH = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}
FORMATS = {1: "NCL", 2: "NCHW", 3: "NCDHW"}


def first(x):
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


def expected(x, w, g, options):
    weight = torch.from_numpy(first(w)).requires_grad_()
    y = TORCH[x.ndim - 2](torch.from_numpy(first(x)), weight, **options)
    y.backward(torch.from_numpy(first(g)))
    return np.moveaxis(weight.grad.numpy(), 1, -1)


def found(x, w, g, options, channels_first=False):
    rank = x.ndim - 2
    given = [jg.array(first(a) if channels_first else a) for a in (x, w, g)]
    options = dict(options)
    if channels_first:
        options["data_format"] = FORMATS[rank]
    x, w, g = given
    _, (slope,) = jg.vjp(lambda w: CONVOLUTIONS[rank](x, w, **options), [w], [g])
    return np.moveaxis(np.asarray(slope), 1, -1) if channels_first else np.asarray(slope)


def draw(rng, dtype):
    """Operands of a convolution with results, and its options."""
    rank = int(rng.integers(1, 4))
    taps, strides, dilations = (rng.integers(1, high, rank).tolist() for high in (4, 3, 3))
    padding = rng.integers(0, 3, rank).tolist()
    least = [(k - 1) * d + 1 for k, d in zip(taps, dilations, strict=True)]
    most = 12 if rank > 1 else 300
    extents = [n + int(rng.integers(0, most)) for n in least]
    batch, channels = int(rng.integers(1, 5)), int(rng.choice([1, 2, 3, 5, 8, 17]))
    results = int(rng.choice([1, 3, 8, 16, 20, 33, 64]))
    out = [
        (n + 2 * p - m) // s + 1
        for n, p, m, s in zip(extents, padding, least, strides, strict=True)
    ]
    shapes = (batch, *extents, channels), (results, *taps, channels), (batch, *out, results)
    options = {"stride": strides, "padding": padding, "dilation": dilations}
    return *(rng.standard_normal(shape).astype(dtype) for shape in shapes), options


def check(seed):
    rng = np.random.default_rng(seed)
    dtype = rng.choice(["float32", "float64"])
    x, w, g, options = draw(rng, dtype)
    channels_first = bool(rng.integers(0, 2))
    wanted = expected(x, w, g, options)
    gotten = found(x, w, g, options, channels_first)
    terms = g.size / g.shape[-1]
    tolerance = 16 * np.finfo(dtype).eps * np.sqrt(terms) * 4
    np.testing.assert_allclose(
        gotten, wanted, atol=tolerance * 4, rtol=tolerance, err_msg=str((seed, options))
    )


@pytest.mark.parametrize("seed", range(60))
def test_gradients_of_weights_are_those_of_torch(seed):
    check(seed)


@pytest.mark.parametrize("shape", [(2, 40, 40, 3), (1, 150, 150, 16), (3, 28, 28, 1)])
@pytest.mark.parametrize("results", [10, 48])
def test_large_images_are_summed_in_parts(shape, results):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    w = rng.standard_normal((results, 3, 3, shape[-1]))
    g = rng.standard_normal((*shape[:3], results))
    options = {"padding": 1}
    np.testing.assert_allclose(
        found(x, w, g, options), expected(x, w, g, options), rtol=1e-10, atol=1e-9
    )


def test_values_outside_the_image_are_zeros_whatever_lies_beside_it():
    whole = np.full((1, 20, 20, 4), np.nan, np.float32)
    whole[:, 4:16, 4:16] = np.random.default_rng(1).standard_normal((1, 12, 12, 4))
    image = jg.array(whole)[:, 4:16, 4:16]
    g = np.ones((1, 12, 12, 5), np.float32)
    _, (slope,) = jg.vjp(
        lambda w: jg.conv2d(image, w, padding=1), [jg.zeros((5, 3, 3, 4))], [jg.array(g)]
    )
    dense = np.ascontiguousarray(whole[:, 4:16, 4:16])
    wanted = expected(dense, np.zeros((5, 3, 3, 4), np.float32), g, {"padding": 1})
    np.testing.assert_allclose(np.asarray(slope), wanted, rtol=1e-5, atol=1e-5)


PROGRAM = """
import sys
import test_convolution_weights as cases
import joggle as jg
import numpy as np
rng = np.random.default_rng(0)
x, w, g = (rng.standard_normal(s, np.float32)
           for s in ((8, 28, 28, 3), (40, 3, 3, 3), (8, 28, 28, 40)))
for threads in (1, 2):
    jg.set_num_threads(threads)
    for seed in range(int(sys.argv[1])):
        cases.check(seed)
    print(cases.found(x, w, g, {"padding": 1}).tobytes().hex())
"""


def run(isa, count):
    """Bits with one thread and with two, of a process that imports torch once."""
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, os.path.dirname(here), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(count)],
        env={**os.environ, "JOGGLE_ISA": isa, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.mark.parametrize("isa", ["baseline", "avx2"])
def test_every_set_of_loops_has_them_and_threads_change_no_bit(isa, in_full):
    count = 20 if in_full else 5
    one, two = run(isa, count)
    assert one and one == two
