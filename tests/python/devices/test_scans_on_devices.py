# SPDX-License-Identifier: Apache-2.0
"""Running results on devices: those of integers and extrema are the CPU's, bit for bit, those of
floats nearly so, as blocks of long lines are added up in another order.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
DTYPES = ("float32", "float64", "float16", "int8", "int64", "uint64", "uint8", "bool", "complex64")
SHAPES = ((5,), (1,), (7, 33), (3, 50, 9), (2, 30_000), (30_000, 2), (200_000,))
TOLERANCES = {"float16": 1e-3, "float64": 1e-10, "complex128": 1e-10}


def numbers(shape, dtype):
    made = np.random.default_rng(5).standard_normal(shape) * 3
    return made.astype(dtype)


def same(function, *arrays):
    """What the function gives on the device and on the CPU."""
    got = function(*(jg.asarray(a, device=DEVICE) for a in arrays))
    wanted = np.asarray(function(*(jg.asarray(a, device="cpu:0") for a in arrays)))
    assert got.device == DEVICE
    got = np.asarray(got.to_device("cpu"))
    assert got.dtype == wanted.dtype
    if wanted.dtype.kind in "fc":
        limit = TOLERANCES.get(wanted.dtype.name, 1e-6)
        np.testing.assert_allclose(got, wanted, rtol=limit, atol=limit)
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.part(2)
@pytest.mark.parametrize("dtype", DTYPES)
def test_running_sums_are_those_of_the_cpu(dtype):
    for shape in SHAPES:
        a = numbers(shape, dtype)
        for axis in range(a.ndim):
            same(lambda x, k=axis: jg.cumulative_sum(x, axis=k), a)
            same(lambda x, k=axis: jg.cumulative_sum(x, axis=k, include_initial=True), a)
            same(lambda x, k=axis: jg.cumsum(x[::-1], axis=k, reverse=True), a)


@pytest.mark.part(2)
@pytest.mark.parametrize("dtype", DTYPES)
def test_running_products_are_those_of_the_cpu(dtype):
    for shape in ((5,), (7, 33), (3, 50, 9)):
        a = numbers(shape, dtype)
        for axis in range(a.ndim):
            same(lambda x, k=axis: jg.cumulative_prod(x, axis=k), a)
            same(lambda x, k=axis: jg.cumulative_prod(x, axis=k, include_initial=True), a)
    same(lambda x: jg.cumulative_prod(x, axis=0), 1 + numbers(100_000, "float32") / 10_000)
    same(lambda x: jg.cumulative_prod(x, axis=0), numbers(100_000, "int64") | 1)


@pytest.mark.part(2)
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "complex64"])
def test_running_extrema_are_those_of_the_cpu(dtype):
    for shape in SHAPES:
        a = numbers(shape, dtype)
        if a.dtype.kind == "f" and a.size > 3:
            a.flat[a.size // 2] = np.nan
        for axis in range(a.ndim):
            same(lambda x, k=axis: jg.cummax(x, axis=k), a)
            same(lambda x, k=axis: jg.cummin(x, axis=k, reverse=True), a)
            same(lambda x, k=axis: jg.cummax(x, axis=k, inclusive=False), a)
            same(lambda x, k=axis: jg.cummin(x, axis=k, reverse=True, inclusive=False), a)


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16"))
def test_running_logsumexp_is_that_of_the_cpu(dtype):
    for shape in SHAPES:
        a = numbers(shape, dtype)
        a.flat[0] = -np.inf
        for axis in range(a.ndim):
            same(lambda x, k=axis: jg.logcumsumexp(x, axis=k), a)
            same(lambda x, k=axis: jg.logcumsumexp(x, axis=k, reverse=True, inclusive=False), a)


def test_running_sums_may_have_another_dtype():
    a = numbers((40, 30), "int32")
    for dtype in (jg.int8, jg.uint64, jg.float32, jg.float16, jg.complex64):
        same(lambda x, to=dtype: jg.cumulative_sum(x % 3, axis=1, dtype=to), a)
    same(lambda x: jg.cumulative_sum(x, axis=0, dtype=jg.float64), numbers((40, 30), "float16"))


def test_views_and_empty_arrays_are_scanned():
    a = numbers((12, 70, 6), "float32")
    same(lambda x: jg.cumulative_sum(x.transpose(2, 0, 1)[::-1, 1:, ::-3], axis=2), a)
    same(lambda x: jg.cummax(jg.broadcast_to(x[:1], x.shape), axis=0), a)
    same(lambda x: jg.cumulative_sum(x, axis=0), a[:0])
    same(lambda x: jg.cumulative_sum(x, axis=0, include_initial=True), a[:0])
    same(lambda x: jg.cumulative_prod(x, axis=1, include_initial=True), a[:, :0])
    same(lambda x: jg.cumulative_sum(x, axis=1), a[:0])


def test_running_results_take_part_in_further_work_and_are_written_over():
    def program(x):
        y = jg.cumulative_sum(x * 2, axis=1) + 1
        z = y - jg.cummax(y, axis=0)
        y[1] = 0
        return jg.stack([y, z, x])

    same(program, numbers((60, 500), "int64"))
    slope = jg.grad(lambda x: jg.sum(jg.cumulative_sum(x, axis=0) * x))
    same(slope, numbers((300,), "float64"))


def test_more_axes_than_kernels_have_are_refused_by_name():
    x = jg.zeros((1,) * 12 + (3,), device=DEVICE)
    with pytest.raises(NotImplementedError, match="running results of 13 axes, only of up to 12"):
        jg.eval(jg.cumulative_sum(x, axis=12))
