# SPDX-License-Identifier: Apache-2.0
"""Products by cuBLASLt: the one of the host's, which the fake driver runs. test_cuda.py runs this
file, also without the library: then our kernels make them. test_rocm.py runs it with hipBLASLt,
which has no float64 and no complex numbers."""

import ctypes
import os

import numpy as np
import pytest

import joggle as jg

DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "cuda:0")
ROCM = DEVICE.startswith("rocm")
DRIVER = ctypes.CDLL("libamdhip64.so.6" if ROCM else "libcuda.so.1")
HAS_LIBRARY = os.environ.get("JOGGLE_HIPBLASLT" if ROCM else "JOGGLE_CUBLASLT") != "none"
TINY = 3e-8  # half of the least float16
TOLERANCES = {"f2": 2e-3, "f4": 1e-5, "f8": 1e-12, "c8": 1e-5, "c16": 1e-12}
needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="the library is left out here")


def numbers(dtype, *shape):
    draw = np.random.default_rng(7).standard_normal
    return (draw(shape) + (1j * draw(shape) if dtype[0] == "c" else 0)).astype(dtype)


def there(a):
    return jg.asarray(a, device=DEVICE)


def wide(a):
    return np.asarray(a).astype("c16")


def check(a, b, product, dtype):
    """Each sum is within the dtype's error of that in double, times the sum of absolute values."""
    assert product.device == DEVICE
    error = np.abs(wide(product) - np.matmul(wide(a), wide(b)))
    assert (error <= TOLERANCES[dtype] * np.matmul(abs(wide(a)), abs(wide(b))) + TINY).all()


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_matrices_by_rows_and_by_columns_are_multiplied(dtype, turned):
    a, b = numbers(dtype, 5, 7), numbers(dtype, 7, 3)
    x, y = (there(m.T.copy()).T if t else there(m) for m, t in zip((a, b), turned, strict=True))
    check(a, b, x @ y, dtype)
    check(a[1:, 2:], b[2:, 1:], x[1:, 2:] @ y[2:, 1:], dtype)  # no address is a multiple of 16
    check(a[::2], b, x[::2] @ y, dtype)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(
    "shapes",
    [
        ((4, 5, 7), (7, 3)),
        ((4, 5, 7), (4, 7, 3)),
        ((4, 1, 5, 7), (3, 7, 2)),
        ((2, 1, 7), (2, 7, 1)),
        ((1, 7), (7, 1)),
        ((5, 1), (1, 3)),
        ((5, 0), (0, 3)),
        ((0, 7), (7, 3)),
        ((7,), (7,)),
        ((5, 7), (7,)),
    ],
)
def test_batches_and_thin_matrices_are_multiplied(dtype, shapes):
    a, b = (numbers(dtype, *shape) for shape in shapes)
    check(a, b, there(a) @ there(b), dtype)


def test_bfloat16_is_summed_in_float32():
    x = there(numbers("f4", 6, 40)).astype(jg.bfloat16)
    y = there(numbers("f4", 40, 8)).astype(jg.bfloat16)
    a, b = (np.asarray(m.astype(jg.float32)) for m in (x, y))
    got = np.asarray((x @ y).astype(jg.float32))
    np.testing.assert_allclose(got, a @ b, rtol=2**-8, atol=2**-8)


def test_reversed_and_broadcast_matrices_are_multiplied_without_the_library():
    a = numbers("f4", 5, 7)
    check(a[::-1], a.T[:, ::-1], there(a)[::-1] @ there(a).T[:, ::-1], "f4")
    row = jg.broadcast_to(there(a[0]), (5, 7))
    check(np.broadcast_to(a[0], (5, 7)), a.T, row @ there(a).T, "f4")


def test_integers_are_the_hosts():
    a = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(np.asarray(there(a) @ there(a.T)), a @ a.T)


def test_programs_of_products_are_in_order():
    """A product reads what a launch before it writes, and one after it what it wrote."""
    a = numbers("f4", 16, 16) / 4
    x, wanted = there(a), a.astype("f8")
    for _ in range(6):
        x = jg.tanh(x @ x + 1) / 4
        wanted = np.tanh(wanted @ wanted + 1) / 4
    np.testing.assert_allclose(np.asarray(x), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [jg.float16, jg.bfloat16])
def test_halves_that_are_cast_give_float32(dtype):
    x, y = (there(numbers("f4", *shape)).astype(dtype) for shape in ((3, 9, 40), (3, 40, 11)))
    jg.eval(x, y)
    got = x.astype(jg.float32) @ y.astype(jg.float32)
    assert got.dtype == jg.float32
    assert ("by its library" in jg.explain(got)) == HAS_LIBRARY
    a, b = (np.asarray(m.astype(jg.float32)) for m in (x, y))
    check(a, b, got, "f4")


@needs_library
def test_explain_says_who_makes_it():
    for dtype in TOLERANCES:
        x = there(numbers(dtype, 4, 4))
        made = f"on {DEVICE} by its library" in jg.explain(x @ x)
        assert made == (not ROCM or dtype in ("f2", "f4"))
        assert "by its library" not in jg.explain(x + x)


@needs_library
@pytest.mark.parametrize("function", ["blas_run", "blas_handle", "blas_operation", "blas_choose"])
def test_a_failure_is_told_or_the_product_made_without_it(function):
    """Of a run and of the library's start it is an error; one that it cannot plan is printed. Later
    ones work. Each shape here is new, so it is planned anew."""
    width = 20 + ["blas_run", "blas_handle", "blas_operation", "blas_choose"].index(function)
    a = numbers("f4", width, width)
    x = there(a)
    jg.eval(x)  # what is evaluated together fails together
    DRIVER.fake_cuda_fail(function.encode(), 0, 14)
    try:
        if function == "blas_run":
            told = "hipblasLtMatmul: error 5 of hipBLASLt" if ROCM else "cublasLtMatmul: error 13"
            with pytest.raises(BufferError, match=f"{DEVICE}: {told}"):
                jg.eval(x @ x)
        else:
            check(a, a, x @ x, "f4")
    finally:
        DRIVER.fake_cuda_fail(None, 0, 0)
    check(a, a, x @ x, "f4")


@needs_library
def test_products_leave_nothing_behind():
    a = there(numbers("f4", 9, 9))
    jg.eval(a @ a)
    before = jg.get_active_memory(DEVICE) if hasattr(jg, "get_active_memory") else 0
    for width in range(30, 60):
        b = there(numbers("f4", width, 9))
        jg.eval(b @ a)
    del b
    after = jg.get_active_memory(DEVICE) if hasattr(jg, "get_active_memory") else 0
    assert after == before
