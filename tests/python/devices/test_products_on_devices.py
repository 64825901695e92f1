# SPDX-License-Identifier: Apache-2.0
"""Products on devices by printed source: of every dtype, of stacks of matrices that lie anyhow, and
of matrices that index arrays choose. Each sum is within the dtype's error of that in double, times
the sum of absolute values; those of integers are exact.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's, without its
library of products. Falling back to the host is an error here."""

import os

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
TOLERANCES = {
    "float16": 1e-3,
    "float32": 2e-6,
    "float64": 1e-14,
    "complex64": 3e-6,
    "complex128": 1e-14,
    "int8": 0,
    "int32": 0,
    "uint16": 0,
    "int64": 0,
    "uint64": 0,
}


def numbers(dtype, *shape, seed=7):
    draw = np.random.default_rng(seed).standard_normal
    if np.dtype(dtype).kind in "iu":
        return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)
    made = draw(shape) + (1j * draw(shape) if np.dtype(dtype).kind == "c" else 0)
    return made.astype(dtype)


def there(a):
    return jg.asarray(a, device=DEVICE)


def check(a, b, product, dtype):
    assert product.device == DEVICE
    got = np.asarray(product.to_device("cpu"))
    if TOLERANCES[dtype] == 0:
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(got, np.matmul(a, b))
        return
    wide = "c16" if got.dtype.kind == "c" else "f8"
    a, b = a.astype(wide), b.astype(wide)
    limit = TOLERANCES[dtype] * np.matmul(abs(a), abs(b)) + 1e-7 * (dtype == "float16")
    assert (np.abs(got - np.matmul(a, b)) <= limit).all()


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_sizes_around_the_tiles_are_multiplied(dtype):
    for rows, inner, columns in ((1, 1, 1), (5, 7, 3), (48, 128, 64), (49, 129, 65), (70, 40, 200)):
        a, b = numbers(dtype, rows, inner), numbers(dtype, inner, columns)
        check(a, b, there(a) @ there(b), dtype)
        check(a, b, there(a.T.copy()).T @ there(b), dtype)
        check(a, b, there(a) @ there(b.T.copy()).T, dtype)


def test_bfloat16_is_summed_in_float32():
    x = there(numbers("float32", 6, 400)).astype(jg.bfloat16)
    y = there(numbers("float32", 400, 8)).astype(jg.bfloat16)
    a, b = (np.asarray(m.astype(jg.float32).to_device("cpu")) for m in (x, y))
    got = np.asarray((x @ y).astype(jg.float32).to_device("cpu"))
    limit = 2**-8 * np.abs(a @ b) + 1e-4
    assert (np.abs(got - a @ b) <= limit).all()


@pytest.mark.part(3, of="dtype")
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(
    "shapes",
    [
        ((4, 5, 7), (7, 3)),
        ((4, 5, 7), (4, 7, 3)),
        ((4, 1, 5, 7), (3, 7, 2)),
        ((2, 1, 3, 5, 7), (4, 1, 7, 2)),
        ((2, 1, 7), (2, 7, 1)),
        ((5, 0), (0, 3)),
        ((3, 5, 0), (0, 3)),
        ((0, 7), (7, 3)),
        ((7,), (7,)),
        ((5, 7), (7,)),
    ],
)
def test_stacks_and_thin_matrices_are_multiplied(dtype, shapes):
    a, b = (numbers(dtype, *shape) for shape in shapes)
    check(a, b, there(a) @ there(b), dtype)


def test_stacks_that_are_not_evenly_spaced_are_multiplied():
    a, b = numbers("float32", 4, 6, 5, 7), numbers("float32", 3, 2, 7, 3)
    x, y = there(a), there(b)
    got = x[::2, ::3][:, :, None] @ y.transpose(1, 0, 2, 3)[:, None]
    check(a[::2, ::3][:, :, None], b.transpose(1, 0, 2, 3)[:, None], got, "float32")
    heads, keys = numbers("float32", 2, 9, 4, 8), numbers("float32", 2, 11, 4, 8)
    got = there(heads).transpose(0, 2, 1, 3) @ there(keys).transpose(0, 2, 3, 1)
    check(heads.transpose(0, 2, 1, 3), keys.transpose(0, 2, 3, 1), got, "float32")
    for count in (6, 7):
        a, b = numbers("float32", *(2,) * count, 3, 4), numbers("float32", *(2,) * count, 4, 5)
        turned = (*range(count)[::-1], count, count + 1)
        got = there(a).transpose(turned) @ there(b)
        if count == 6:
            check(a.transpose(turned), b, got, "float32")
        else:
            with pytest.raises(NotImplementedError, match="along 7 axes, only along up to 6"):
                jg.eval(got)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int32"])
def test_matrices_that_index_arrays_choose_are_multiplied(dtype):
    a, b = numbers(dtype, 6, 5, 7), numbers(dtype, 2, 3, 7, 4)
    left, right = np.array([[0, 5, -1], [3, 3, 2]]), np.array([1, -6, 4])
    chosen = b.reshape(6, 7, 4)[right]
    got = jg.gather_mm(there(a), there(b), there(left), there(right))
    check(a[left], np.broadcast_to(chosen, (2, 3, 7, 4)), got, dtype)
    got = jg.gather_mm(there(a), there(b), rhs_indices=there(np.arange(6)[::-1].copy()))
    check(a, b.reshape(6, 7, 4)[::-1], got, dtype)
    one = jg.gather_mm(there(a), there(b), there(np.array(2)), there(np.array(-1)))
    check(a[2], b[1, 2], one, dtype)
    none = jg.gather_mm(there(a), there(b), there(left[:0]), there(right))
    assert none.shape == (0, 3, 5, 4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "complex64"])
def test_segments_of_the_inner_axis_are_multiplied_as_on_the_cpu(dtype):
    a, b = numbers("complex64", 5, 300), numbers("complex64", 300, 70)
    ends = np.array([[[0, 300], [7, 140]], [[-5, 20], [290, 400]], [[20, 20], [30, 10]]])
    made = []
    for device in ("cpu:0", DEVICE):
        x, y = (jg.asarray(m if dtype[0] == "c" else m.real.copy(), device=device) for m in (a, b))
        x, y = x.astype(getattr(jg, dtype)), y.astype(getattr(jg, dtype))
        got = jg.segmented_mm(x, y, jg.asarray(ends, device=device)[::-1])
        made.append(np.asarray(got.astype(jg.complex64).to_device("cpu")))
    limit = {"bfloat16": 1e-2}.get(dtype, 1e-5) * 300
    np.testing.assert_allclose(made[1], made[0], atol=limit / 10, rtol=limit / 300)


def test_a_number_of_no_matrix_is_an_error():
    x, y = there(numbers("float32", 6, 5, 7)), there(numbers("float32", 3, 7, 4))
    for left, right in (([6], [0]), ([-7], [0]), ([0], [3]), ([0], [-4])):
        with pytest.raises(IndexError, match="out of range"):
            jg.eval(jg.gather_mm(x, y, there(np.array(left)), there(np.array(right))))


@pytest.mark.parametrize("transpose", [True, False])
def test_quantised_matrices_that_index_arrays_choose_are_multiplied(transpose):
    w = numbers("float32", 5, 64, 128)
    x = numbers("float32", 4, 3, 128 if transpose else 64)
    left, right = np.array([0, 3, 1]), np.array([4, -1, 0])
    made = []
    for device in ("cpu:0", DEVICE):
        packed = jg.quantize(jg.asarray(w, device="cpu:0"), 64, 4)
        parts = [part.to_device(device) for part in packed]
        numbers_of = [jg.asarray(i, device=device) for i in (left, right)]
        got = jg.gather_qmm(
            jg.asarray(x, device=device), *parts, *numbers_of, transpose, group_size=64, bits=4
        )
        made.append(np.asarray(got.to_device("cpu")))
    np.testing.assert_allclose(made[1], made[0], rtol=1e-4, atol=1e-3)


def test_functions_that_are_made_of_products_run_on_the_device():
    a, b = numbers("float64", 6, 7), numbers("float64", 7, 8)
    x, y = there(a), there(b)
    check(a, b, jg.einsum("ij,jk->ik", x, y), "float64")
    check(a, b, jg.tensordot(x, y, axes=1), "float64")
    check(a, a.T, jg.inner(x, x), "float64")
    bias = there(numbers("float64", 8))
    got = np.asarray(jg.addmm(bias, x, y).to_device("cpu"))
    np.testing.assert_allclose(got, a @ b + np.asarray(bias.to_device("cpu")), rtol=1e-13)
