# SPDX-License-Identifier: Apache-2.0
"""Sorting and searching on devices, bit for bit as on the CPU: ties in their order, zeros of both
signs equal, NaN last.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
ON_GROUPS = not DEVICE.startswith("opencl")
LARGE = 40_000 if ON_GROUPS else 300_000
REAL = ("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64")
REAL += ("uint8", "uint16", "uint32", "uint64", "bool")
DTYPES = (*REAL, "complex64", "complex128")
SHAPES = ((1,), (7,), (16, 3), (40, 17), (3, 50, 9), (2000, 5), (5, 2100))
PARTS = [0.1, 0.5, 1]


def elements(shape, dtype, seed=0, kinds=200):
    """Elements of so many kinds, among them the least and the largest ones, zeros of both signs
    and NaN."""
    random = np.random.default_rng(seed)
    if dtype.startswith("complex"):
        made = np.empty(shape, "complex128")
        made.real, made.imag = (elements(shape, "float64", seed + i, 12) for i in (1, 2))
        return made.astype(dtype)
    if dtype in ("float16", "bfloat16", "float32", "float64"):
        made = np.round(random.standard_normal(shape) * kinds) / 16
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-40]
        made = np.where(random.random(shape) < 0.1, random.choice(special, shape), made)
        return made.astype("float32" if dtype == "bfloat16" else dtype)
    if dtype == "bool":
        return random.random(shape) < 0.5
    limits = np.iinfo(dtype)
    made = random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    few = random.integers(0, 100, shape).astype(dtype)
    return np.where(random.random(shape) < 0.5, few, made)


def on(device, a, dtype):
    return jg.asarray(np.asarray(a), device=device).astype(getattr(jg, dtype))


def bits(x):
    x = x.to_device("cpu")
    return x.shape, x.dtype, memoryview(jg.reshape(x, -1).view(jg.uint8)).tobytes()


def same(function, *arrays, dtype):
    """What the function gives on the device and on the CPU, as bits."""
    got = function(*(on(DEVICE, a, dtype) for a in arrays))
    wanted = function(*(on("cpu:0", a, dtype) for a in arrays))
    for x, y in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, wanted)), strict=True):
        assert x.device == DEVICE
        assert bits(x) == bits(y)


def ordered(a, dtype):
    """In the order of sort."""
    return np.asarray(jg.sort(on("cpu:0", a, dtype).flatten()).astype(jg.asarray(a).dtype))


@pytest.mark.part(3, of="dtype")
@pytest.mark.parametrize("side", ("left", "right"))
@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted_gives_the_places_of_the_cpu(dtype, side):
    def search(x, y):
        return jg.searchsorted(x, y, side=side)

    for count in (0, 1, 2, 3, 15, 64, 1000):
        x = ordered(elements((count,), dtype), dtype)
        for shape in ((), (0,), (5,), (16,), (7, 33), (3, 0, 2), (2, 3, 40)):
            same(search, x, elements(shape, dtype, 1), dtype=dtype)
    x, y = ordered(elements((999,), dtype), dtype), elements((20, 30, 6), dtype, 1)
    same(lambda x, y: search(x[::3], y.transpose(2, 0, 1)[::-1, 1:, ::-2]), x, y, dtype=dtype)
    same(lambda x, y: search(x, jg.broadcast_to(y[:, :1], y.shape)), x, y, dtype=dtype)
    same(search, x, elements((LARGE,), dtype, 2), dtype=dtype)


def test_searchsorted_takes_a_sorter_and_mixed_dtypes():
    a, b = elements((500,), "float32"), elements((300,), "int16", 1)
    same(lambda x: jg.searchsorted(x, x[:70], sorter=jg.argsort(x)), a, dtype="float32")
    same(lambda x: jg.searchsorted(jg.sort(x), x.astype(jg.float32) / 2), b, dtype="int16")


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32", "uint8"))
def test_bins_are_those_of_the_cpu(dtype):
    edges = ordered(elements((30,), dtype), dtype)
    edges = edges[edges == edges]
    a = elements((40, 50), dtype, 1)
    for right in (False, True):
        same(lambda x, e, r=right: jg.digitize(x, e, right=r), a, edges, dtype=dtype)
        same(lambda x, e, r=right: jg.digitize(x, e[::-1], right=r), a, edges, dtype=dtype)
    a = a[a == a]
    same(lambda x: jg.histogram(x, bins=7, range=(-50, 50))[0], a, dtype=dtype)


@pytest.mark.parametrize("invert", (False, True))
@pytest.mark.parametrize("dtype", DTYPES)
def test_isin_gives_what_the_cpu_gives(dtype, invert):
    for shape, count in (((), 3), ((0,), 5), ((30, 4), 0), ((30, 40), 1), ((50, 60), 700)):
        a, b = elements(shape, dtype), elements((count,), dtype, 1, kinds=20)
        same(lambda x, y: jg.isin(x, y, invert=invert), a, b, dtype=dtype)


@pytest.mark.part(3, of="dtype")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", (False, True))
def test_sort_and_argsort_have_the_bits_of_the_cpu(dtype, descending):
    for shape in SHAPES:
        a = elements(shape, dtype)
        for axis in range(a.ndim):
            same(lambda x, k=axis: jg.sort(x, axis=k, descending=descending), a, dtype=dtype)
            same(lambda x, k=axis: jg.argsort(x, axis=k, descending=descending), a, dtype=dtype)
    same(lambda x: jg.sort(x, axis=None, descending=descending), a, dtype=dtype)
    a = elements((LARGE + 1,), dtype)
    same(lambda x: jg.sort(x, descending=descending), a, dtype=dtype)
    same(lambda x: jg.argsort(x, descending=descending), a, dtype=dtype)


@pytest.mark.parametrize("dtype", ("float32", "int64"))
def test_rows_of_every_short_length_are_sorted(dtype):
    for count in [*range(1, 70), 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 4097, 8193]:
        same(jg.sort, elements((2, count), dtype), dtype=dtype)
        same(jg.argsort, elements((count,), dtype), dtype=dtype)


@pytest.mark.parametrize("dtype", ("float32", "uint64", "int8"))
def test_sorted_and_repeated_elements_are_sorted(dtype):
    n = LARGE // 4
    rising = np.arange(n).astype(dtype)
    for a in (rising, rising[::-1], np.zeros(n, dtype), (np.arange(n) % 3).astype(dtype)):
        same(lambda x: (jg.sort(x), jg.argsort(x), jg.sort(x, descending=True)), a, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_topk_and_argtopk_have_the_bits_of_the_cpu(dtype):
    for shape in ((40,), (16, 3), (7, 300), (3000,)):
        a = elements(shape, dtype)
        for k in (0, 1, 5, a.shape[0]):
            same(lambda x, k=k: jg.topk(x, k, axis=0), a, dtype=dtype)
            same(lambda x, k=k: jg.argtopk(x, k, axis=0), a, dtype=dtype)


@pytest.mark.parametrize("dtype", REAL)
def test_partition_puts_one_rank_in_its_place(dtype):
    """Only the one rank is promised."""
    a = elements((9, 400), dtype)
    for kth in (0, 7, 200, 399, -1):
        x = on(DEVICE, a, dtype)
        whole = jg.sort(on("cpu:0", a, dtype), axis=1)
        got = jg.partition(x, kth, axis=1)
        assert got.device == DEVICE
        assert bits(got[:, kth] == whole[:, kth].to_device(DEVICE)) == bits(
            whole[:, kth] == whole[:, kth]
        )
        assert bits(jg.sort(got.to_device("cpu"), axis=1) == whole) == bits(whole == whole)
        order = jg.argpartition(x, kth, axis=1)
        assert bits(jg.take_along_axis(x, order, axis=1)[:, kth] == got[:, kth]) == bits(
            got[:, kth] == got[:, kth]
        )


def one_nan(x):
    """With one NaN for all: reductions do not promise which of several they give."""
    return jg.where(jg.isnan(x), jg.nan, x)


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16", "int32"))
def test_medians_and_quantiles_are_those_of_the_cpu(dtype):
    a = elements((20, 31), dtype)
    for values in (a, np.where(a == a, a, 1)):
        for axis in (None, 0, 1):
            same(lambda x, k=axis: one_nan(jg.median(x, axis=k)), values, dtype=dtype)
            same(lambda x, k=axis: one_nan(jg.quantile(x, PARTS, axis=k)), values, dtype=dtype)
            if dtype.startswith("float"):
                same(lambda x, k=axis: one_nan(jg.nanmedian(x, axis=k)), values, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_distinct_elements_are_those_of_the_cpu(dtype):
    for shape in ((), (0,), (1,), (50,), (30, 40)):
        a = elements(shape, dtype, kinds=10)
        same(jg.unique_values, a, dtype=dtype)
        same(lambda x: tuple(jg.unique_counts(x)), a, dtype=dtype)
        same(lambda x: tuple(jg.unique_inverse(x)), a, dtype=dtype)
        same(lambda x: tuple(jg.unique_all(x)), a, dtype=dtype)


@pytest.mark.parametrize("shape", ((), (0,), (1,), (90,), (7, 33), (3, 0, 2), (5, 6, 7), (LARGE,)))
def test_nonzero_places_and_masked_elements_are_those_of_the_cpu(shape):
    a = np.random.default_rng(0).integers(0, 3, shape).astype("float32")
    same(jg.argwhere, a, dtype="float32")
    same(jg.flatnonzero, a, dtype="float32")
    if a.ndim > 0:
        same(lambda x: tuple(jg.nonzero(x)), a, dtype="float32")
        same(lambda x: x[x > 1], a, dtype="float32")
        same(lambda x: jg.compress(x.flatten() > 0, x), a, dtype="float32")
        same(lambda x: jg.extract(x != 1, x), a, dtype="float32")
    same(lambda x: jg.argwhere(x * 0), a, dtype="float32")


def test_views_and_empty_arrays_are_sorted():
    a = elements((12, 70, 6), "float32")
    same(lambda x: jg.sort(x.transpose(2, 0, 1)[::-1, 1:, ::-3], axis=2), a, dtype="float32")
    same(lambda x: jg.argsort(jg.broadcast_to(x[:1], x.shape), axis=0), a, dtype="float32")
    same(lambda x: jg.sort(x, axis=1), a[:0], dtype="float32")
    same(lambda x: jg.argsort(x, axis=1), a[:, :0], dtype="float32")


def test_sorted_arrays_take_part_in_further_work_and_are_written_over():
    def program(x):
        y = jg.sort(x * 2, axis=1) + 1
        z = y - jg.take_along_axis(y, jg.argsort(x, axis=0), axis=0)
        y[1] = 0
        return jg.stack([y, z, x])

    same(program, elements((60, 50), "int64"), dtype="int64")
    slope = jg.grad(lambda x: jg.sum(jg.sort(x) * x + jg.sum(jg.topk(x, 3))))
    same(slope, np.random.default_rng(0).permutation(np.arange(300.0)), dtype="float64")
    rows = jg.vmap(lambda x: jg.searchsorted(jg.sort(x), x))
    same(rows, elements((5, 40), "int32"), dtype="int32")


def test_more_axes_than_kernels_have_are_refused_by_name():
    x = jg.zeros((2,) * 12, device=DEVICE).transpose(*range(11, -1, -1))
    with pytest.raises(NotImplementedError, match="searches along 12 axes, only along up to 11"):
        jg.eval(jg.searchsorted(jg.zeros(3, device=DEVICE), x))
