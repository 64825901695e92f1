# SPDX-License-Identifier: Apache-2.0
"""Quantised matrices on devices: codes, scales and what they encode are the CPU's, bit for bit;
products are float32 products of those.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
AFFINE = [("affine", group, bits) for group in (32, 64) for bits in (1, 2, 3, 4, 5, 6, 8)]
MODES = [*AFFINE, ("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4)]


def matrix(*shape, dtype="float32"):
    made = np.random.default_rng(3).standard_normal(shape, np.float32)
    return jg.asarray(made, device="cpu:0").astype(getattr(jg, dtype))


def on(device, arrays):
    return [x.to_device(device) for x in arrays]


def assert_same(got, wanted):
    assert got.device == DEVICE and got.dtype == wanted.dtype
    got, wanted = (np.asarray(x.to_device("cpu").astype(jg.float64)) for x in (got, wanted))
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(("mode", "group", "bits"), MODES)
def test_codes_and_what_they_encode_are_the_cpus(mode, group, bits):
    how = {"mode": mode, "group_size": group, "bits": bits}
    for shape in ((3, 128), (2, 5, 64), (0, 128)):
        w = matrix(*shape)
        made, wanted = jg.quantize(w.to_device(DEVICE), **how), jg.quantize(w, **how)
        for x, y in zip(made, wanted, strict=True):
            assert_same(x, y)
        assert_same(jg.dequantize(*made, **how), jg.dequantize(*wanted, **how))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
def test_halves_and_views_have_the_codes_of_the_host(dtype):
    w = matrix(8, 12, 128, dtype=dtype)
    parts = jg.quantize(w, bits=5)
    there = on(DEVICE, parts)
    for some, all_of in zip(parts, jg.quantize(w.to_device(DEVICE), bits=5), strict=True):
        assert_same(all_of, some)
    view, own = ([x[::-2, 3:9] for x in arrays] for arrays in (there, parts))
    assert_same(jg.dequantize(*view, bits=5), jg.dequantize(*own, bits=5))


@pytest.mark.parametrize("transpose", (True, False))
@pytest.mark.parametrize(("mode", "group", "bits"), MODES[1::3])
def test_products_with_quantised_matrices_are_those_of_the_cpu(mode, group, bits, transpose):
    how = {"mode": mode, "group_size": group, "bits": bits}
    for rows in ((7,), (2, 3), ()):
        w, x = matrix(64, 128), matrix(*rows, 128 if transpose else 64)
        parts = jg.quantize(w, **how)
        named = {"transpose": transpose, **how}
        got = jg.quantized_matmul(x.to_device(DEVICE), *on(DEVICE, parts), **named)
        wanted = np.asarray(jg.quantized_matmul(x, *parts, **named))
        assert got.device == DEVICE
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-5, atol=1e-4)
