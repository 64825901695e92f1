# SPDX-License-Identifier: Apache-2.0
"""Products and convolutions of halves by tensor cores, which tests/cuda/shim.h executes lane by
lane. test_cuda.py runs this file, also as a GPU without tensor cores, which makes the same by the
kernel of all other devices.

A result is within half a unit of its last place, and of the rounding of as many float32 sums as
there are terms, of the sum in double of what the operands hold."""

import ctypes
import os

import numpy as np
import pytest

import joggle as jg

jg.set_option("cublaslt", "none")
pytestmark = pytest.mark.usefixtures("no_fallback")
DRIVER = ctypes.CDLL("libcuda.so.1")
DEVICE = "cuda:0"
HAS_CORES = int(os.environ.get("FAKE_CUDA_CAPABILITY", "90")) >= 80
UNITS = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
LEAST = {"float16": 2.0**-25, "bfloat16": 0}  # half of the least number
NAMES = ("mma", "mma_small", "product", "join")
dtypes = pytest.mark.parametrize("dtype", UNITS)


@pytest.fixture(params=[0, 1], autouse=True)
def order(request):
    """The threads of a block run upwards, then downwards."""
    DRIVER.fake_cuda_order(request.param)
    yield
    DRIVER.fake_cuda_order(0)


def there(dtype, *shape, seed=5):
    made = np.random.default_rng(seed).standard_normal(shape).astype("f4")
    x = jg.asarray(made, device=DEVICE).astype(getattr(jg, dtype))
    jg.eval(x)
    return x


def wide(x):
    return np.asarray(x.astype(jg.float32).to_device("cpu")).astype("f8")


def launched(call):
    """What the call gives, and the names of its products' kernels."""
    before = [DRIVER.fake_cuda_launched(name.encode()) for name in NAMES]
    made = call()
    jg.eval(made)
    after = [DRIVER.fake_cuda_launched(name.encode()) for name in NAMES]
    return made, [name for name, x, y in zip(NAMES, before, after, strict=True) if x != y]


def compare(got, sums, sizes, dtype, terms):
    unit = UNITS.get(dtype, 2.0**-24)
    limit = unit * np.abs(sums) + terms * 2.0**-23 * sizes + LEAST.get(dtype, 0)
    assert got.shape == sums.shape and (np.abs(got - sums) <= limit).all()


def check(x, y, dtype, kernel="mma_small"):
    got, names = launched(lambda: x @ y)
    assert names == [kernel if HAS_CORES else "product"] and got.device == DEVICE
    a, b = wide(x), wide(y)
    compare(wide(got), a @ b, np.abs(a) @ np.abs(b), dtype, x.shape[-1])


@dtypes
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_shapes_around_the_tiles_are_multiplied_by_rows_and_columns(dtype, turned):
    """Some with rows of whole pieces of 16 bytes, some without."""
    shapes = [(1, 1, 1), (3, 2, 5), (16, 16, 8), (64, 32, 64), (64, 96, 128), (65, 33, 66)]
    for m, k, n in [*shapes, (63, 40, 72), (1, 200, 70), (70, 136, 1), (80, 65, 129)]:
        x = there(dtype, k, m).T if turned[0] else there(dtype, m, k)
        y = there(dtype, n, k, seed=6).T if turned[1] else there(dtype, k, n, seed=6)
        check(x, y, dtype)


@dtypes
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_large_matrices_are_multiplied_by_large_tiles(dtype, turned):
    for m, k, n in ((384, 64, 392), (1157, 41, 130)):
        x = there(dtype, k, m).T if turned[0] else there(dtype, m, k)
        y = there(dtype, n, k, seed=6).T if turned[1] else there(dtype, k, n, seed=6)
        check(x, y, dtype, "mma")


@dtypes
def test_operands_may_begin_anywhere_and_take_any_steps(dtype):
    x, y = there(dtype, 72, 96), there(dtype, 96, 80, seed=6)
    check(x[3:, 5:], y[5:, 7:], dtype)  # no address is a multiple of 16
    check(x[8:, 8:40], y[16:48, 24:], dtype)  # all are
    check(x[::2], y[:, 16::], dtype)
    check(x[:, ::3], y[::3], dtype)
    check(x[::-1, ::-1], y[::-1, ::-2], dtype)
    check(jg.broadcast_to(x[0], (5, 96)), y, dtype)
    check(x.T[:, :40], y.T[:40, ::5], dtype)


@dtypes
def test_stacks_of_matrices_are_multiplied(dtype):
    check(there(dtype, 5, 20, 40), there(dtype, 5, 40, 24, seed=6), dtype)
    check(there(dtype, 3, 20, 33), there(dtype, 33, 24, seed=6), dtype)
    check(there(dtype, 2, 1, 9, 16), there(dtype, 3, 16, 7, seed=6), dtype)
    heads, keys = there(dtype, 2, 24, 3, 16), there(dtype, 2, 40, 3, 16, seed=6)
    check(heads.transpose(0, 2, 1, 3), keys.transpose(0, 2, 3, 1), dtype)
    check(there(dtype, 9, 130, 32), there(dtype, 9, 32, 16, seed=6), dtype, "mma")


@dtypes
def test_what_is_not_finite_stays_in_its_row_and_column(dtype):
    a, b = wide(there(dtype, 67, 35)), wide(there(dtype, 35, 69, seed=6))
    a[66, 34], a[3, 0], b[7, 68] = np.inf, np.nan, -np.inf
    x, y = (jg.asarray(m.astype("f4"), device=DEVICE) for m in (a, b))
    x, y = x.astype(getattr(jg, dtype)), y.astype(getattr(jg, dtype))
    got = wide(x @ y)
    with np.errstate(invalid="ignore"):
        sums = a @ b
    finite = np.isfinite(sums)
    np.testing.assert_array_equal(got[~finite], sums[~finite])
    assert finite.sum() == 65 * 68 and np.isfinite(got[finite]).all()


def test_sums_that_float16_does_not_hold_are_infinite_and_small_ones_are_kept():
    x = jg.asarray(np.array([[300.0, 200.0], [1e-3, 0]], "f4"), device=DEVICE).astype(jg.float16)
    a = wide(x)
    with np.errstate(over="ignore"):
        wanted = (a @ np.array([[300, 1e-3], [0, 0]]).astype("f2").astype("f8")).astype("f2")
    y = jg.asarray(np.array([[300, 1e-3], [0, 0]], "f4"), device=DEVICE).astype(jg.float16)
    np.testing.assert_array_equal(np.asarray((x @ y).to_device("cpu")), wanted)
    assert np.isinf(wanted[0, 0]) and 0 < wanted[1, 1] < 2.0**-14


@dtypes
def test_products_of_no_terms_are_zero_and_may_be_empty(dtype):
    got = there(dtype, 9, 0) @ there(dtype, 0, 70)
    np.testing.assert_array_equal(wide(got), np.zeros((9, 70)))
    assert (there(dtype, 0, 7) @ there(dtype, 7, 3)).shape == (0, 3)


@dtypes
def test_matrices_that_index_arrays_choose_are_multiplied(dtype):
    x, y = there(dtype, 6, 20, 40), there(dtype, 4, 40, 24, seed=6)
    left, right = np.array([5, 0, -1, 2]), np.array([3, -4, 1, 1])
    numbers = [jg.asarray(i, device=DEVICE) for i in (left, right)]
    got, names = launched(lambda: jg.gather_mm(x, y, *numbers))
    assert names == ["mma_small" if HAS_CORES else "product"]
    a, b = wide(x)[left], wide(y)[right]
    compare(wide(got), a @ b, np.abs(a) @ np.abs(b), dtype, 40)


@dtypes
def test_segments_of_the_inner_axis_are_multiplied(dtype):
    x, y = there(dtype, 10, 100), there(dtype, 100, 12, seed=6)
    ends = np.array([[0, 100], [3, 40], [50, 50], [64, 96]])
    got, names = launched(lambda: jg.segmented_mm(x, y, jg.asarray(ends, device=DEVICE)))
    assert names == ["mma_small" if HAS_CORES else "product"]
    a, b = wide(x), wide(y)
    for i, (low, high) in enumerate(ends):
        part = a[:, low:high], b[low:high]
        size = np.abs(part[0]) @ np.abs(part[1])
        compare(wide(got)[i], part[0] @ part[1], size, dtype, 100)


@dtypes
def test_a_convolution_gives_the_sums_of_its_windows(dtype):
    x, w = there(dtype, 2, 11, 9, 6), there(dtype, 20, 3, 3, 6, seed=6)
    got, names = launched(lambda: jg.conv2d(x, w, padding=1))
    assert names == ["mma_small" if HAS_CORES else "product"]
    a, b = np.pad(wide(x), ((0, 0), (1, 1), (1, 1), (0, 0))), wide(w)
    windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3), axis=(1, 2))
    sums = np.einsum("nhwcij,oijc->nhwo", windows, b)
    sizes = np.einsum("nhwcij,oijc->nhwo", np.abs(windows), np.abs(b))
    compare(wide(got), sums, sizes, dtype, 54)


def both(x, y):
    """Their product in float32."""
    return x.astype(jg.float32) @ y.astype(jg.float32)


@dtypes
def test_halves_that_are_cast_are_multiplied_as_they_are(dtype):
    for m, k, n in ((1, 1, 1), (16, 16, 8), (65, 33, 66), (63, 40, 71), (384, 48, 392)):
        x, y = there(dtype, m, k), there(dtype, k, n, seed=6)
        got, names = launched(lambda x=x, y=y: both(x, y))
        large = "mma" if m == 384 else "mma_small"
        assert names == [large if HAS_CORES else "product"] and got.dtype == jg.float32
        a, b = wide(x), wide(y)
        compare(wide(got), a @ b, np.abs(a) @ np.abs(b), "float32", k)


@dtypes
def test_halves_that_are_cast_lie_anyhow(dtype):
    x, y = there(dtype, 2, 24, 3, 40), there(dtype, 2, 31, 3, 40, seed=6)
    x, y = x.transpose(0, 2, 1, 3)[:, :, 1:, 1:], y.transpose(0, 2, 3, 1)[:, :, 1:, ::-1]
    got = both(x, y)
    told = jg.explain(got)
    assert "astype+astype+matmul" in told and ("by tensor cores" in told) == HAS_CORES
    compare(wide(got), wide(x) @ wide(y), np.abs(wide(x)) @ np.abs(wide(y)), "float32", 39)
    got = x.astype(jg.float32) @ x.astype(jg.float32).mT  # turned after the cast: float32 copies
    compare(wide(got), wide(x) @ wide(x).swapaxes(2, 3), 39, "float32", 39)


@dtypes
def test_casts_that_others_read_are_made(dtype):
    x, y = there(dtype, 20, 24), there(dtype, 24, 20, seed=6)
    a, b = x.astype(jg.float32), y.astype(jg.float32)
    total = jg.sum(a)
    product = a @ b
    assert "by tensor cores" not in jg.explain(product, total)
    sizes = np.abs(wide(x)) @ np.abs(wide(y))
    compare(wide(product), wide(x) @ wide(y), sizes, "float32", 24)
    np.testing.assert_allclose(float(total.to_device("cpu")), wide(x).sum(), rtol=1e-5)
    np.testing.assert_array_equal(wide(a), wide(x))
    square = there(dtype, 24, 24).astype(jg.float32)
    compare(wide(square @ square), wide(square) @ wide(square), 24 * 9, "float32", 24)
    other = there("float16" if dtype == "bfloat16" else "bfloat16", 24, 20, seed=6)
    assert "by tensor cores" not in jg.explain(both(x, other))
    compare(wide(both(x, other)), wide(x) @ wide(other), sizes + 1, "float32", 24)


@dtypes
def test_few_rows_and_many_terms_are_made_in_pieces(dtype):
    """A second kernel adds the pieces up, in their order: twice the same bits."""
    for rows, terms, columns in ((1, 2048, 40), (8, 1030, 129), (16, 5000, 24), (3, 600, 3)):
        x, y = there(dtype, rows, terms), there(dtype, terms, columns, seed=6)
        turned = there(dtype, columns, terms, seed=6).T
        for right in (y, turned, y[::-1]):
            got, names = launched(lambda x=x, right=right: x @ right)
            assert names == ["mma_small" if HAS_CORES else "product", "join"]
            a, b = wide(x), wide(right)
            compare(wide(got), a @ b, np.abs(a) @ np.abs(b), dtype, terms)
            np.testing.assert_array_equal(wide(x @ right), wide(got))
        got = both(x, y)
        a, b = wide(x), wide(y)
        compare(wide(got), a @ b, np.abs(a) @ np.abs(b), "float32", terms)


@dtypes
def test_long_sums_of_stacks_segments_and_convolutions_are_cut_in_pieces(dtype):
    x, y = there(dtype, 3, 1, 3, 700), there(dtype, 3, 700, 10, seed=6)
    got, names = launched(lambda: x @ y)
    assert "join" not in names  # nine matrices are enough for the four processors
    x, y = there(dtype, 2, 3, 1400), there(dtype, 2, 1400, 10, seed=6)
    got, names = launched(lambda: x @ y)
    assert "join" in names
    compare(wide(got), wide(x) @ wide(y), np.abs(wide(x)) @ np.abs(wide(y)), dtype, 1400)
    x, y = there(dtype, 5, 1400), there(dtype, 1400, 7, seed=6)
    ends = np.array([[0, 1400], [100, 130], [900, 900]])
    got, names = launched(lambda: jg.segmented_mm(x, y, jg.asarray(ends, device=DEVICE)))
    assert "join" in names
    for i, (low, high) in enumerate(ends):
        part = wide(x)[:, low:high], wide(y)[low:high]
        size = np.abs(part[0]) @ np.abs(part[1])
        compare(wide(got)[i], part[0] @ part[1], size, dtype, 1400)
    x, w = there(dtype, 1, 5, 120), there(dtype, 6, 5, 120, seed=6)
    got, names = launched(lambda: jg.conv1d(x, w, padding=1))
    assert "join" in names
    padded = np.pad(wide(x), ((0, 0), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 5, axis=1)
    sums = np.einsum("nwci,oic->nwo", windows, wide(w))
    compare(wide(got), sums, np.abs(sums) + 40, dtype, 600)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_long_sums_of_other_dtypes_are_cut_in_pieces(dtype):
    draw = np.random.default_rng(5).integers if dtype == "int32" else None
    for rows, terms, columns in ((1, 1500, 70), (9, 1100, 20)):
        if draw is not None:
            a, b = draw(-99, 99, (rows, terms)), draw(-99, 99, (terms, columns))
        else:
            a, b = (
                np.random.default_rng(5).standard_normal(s)
                for s in ((rows, terms), (terms, columns))
            )
        a, b = a.astype(dtype), b.astype(dtype)
        x, y = jg.asarray(a, device=DEVICE), jg.asarray(b, device=DEVICE)
        jg.eval(x, y)
        got, names = launched(lambda x=x, y=y: x @ y)
        assert names == ["product", "join"]
        kind = {"int32": "i8", "complex64": "c16"}.get(dtype, "f8")
        wanted = a.astype(kind) @ b.astype(kind)
        unit = {"float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-22}.get(dtype, 0)
        limit = unit * terms * (np.abs(a).astype("f8") @ np.abs(b).astype("f8"))
        assert (np.abs(np.asarray(got.to_device("cpu")) - wanted) <= limit).all()


def test_explain_tells_of_tensor_cores():
    x, f = there("bfloat16", 40, 40), jg.ones((40, 40), device=DEVICE)
    indices = jg.asarray(np.array([0]), device=DEVICE)
    for product in (x @ x, jg.gather_mm(x[None], x[None], indices, indices)):
        assert ("on cuda:0 by tensor cores" in jg.explain(product)) == HAS_CORES
    assert "by tensor cores" not in jg.explain(f @ f) + jg.explain(x + x)


@dtypes
def test_what_no_kernel_takes_the_host_makes(dtype):
    """Stacks along more axes than kernels have loops, as halves."""
    x = there(dtype, *(2,) * 7, 12, 20).transpose(*range(6, -1, -1), 7, 8)
    y = there(dtype, *(2,) * 7, 20, 11, seed=6)
    jg.set_option("device_fallback", "host")
    got = x @ y
    assert "on the host for cuda:0" in jg.explain(got)
    compare(wide(got), wide(x) @ wide(y), np.abs(wide(x)) @ np.abs(wide(y)), dtype, 20)
