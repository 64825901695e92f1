# SPDX-License-Identifier: Apache-2.0
"""Many small matrices are decomposed side by side: each has what it has alone, whatever lies beside
it, and what rotations cannot do is LAPACK's."""

import os
import subprocess
import sys

import numpy as np
import pytest
from matrices import adjoint, close, hermitian, identity_like, layouts, random

import joggle as jg
from joggle.linalg import LinAlgError

DTYPES = [np.float32, np.float64]
each_dtype = pytest.mark.parametrize("dtype", DTYPES)


def check_svd(a, u, s, vh, factor=1):
    close(s, np.linalg.svd(a, compute_uv=False), factor)
    close((u * s[..., None, :]) @ vh, a, factor)
    for inner in (adjoint(u) @ u, vh @ adjoint(vh)):
        close(inner, identity_like(inner), factor)


@each_dtype
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 15, 16, 17])
@pytest.mark.parametrize("count", [1, 7, 16, 33])
def test_symmetric_matrices_of_any_number_have_their_eigenvalues(dtype, n, count):
    a = hermitian((count, n, n), dtype)
    for x in layouts(a):
        for triangle in "LU":
            w, v = (np.asarray(part) for part in jg.linalg.eigh(x, triangle))
            close(w, np.linalg.eigvalsh(a))
            close(a @ v, v * w[:, None, :])
            inner = adjoint(v) @ v
            close(inner, identity_like(inner))
        close(jg.linalg.eigvalsh(x), w)


@each_dtype
@pytest.mark.parametrize(
    "rows, columns", [(1, 1), (2, 3), (3, 2), (4, 4), (16, 1), (5, 16), (16, 16)]
)
def test_matrices_of_any_shape_have_their_singular_values(dtype, rows, columns):
    a = random((35, rows, columns), dtype)
    for x in layouts(a):
        for full in (False, rows == columns):
            check_svd(a, *(np.asarray(part) for part in jg.linalg.svd(x, full)))
        close(jg.linalg.svdvals(x), np.linalg.svd(a, compute_uv=False))


@each_dtype
def test_a_matrix_has_the_same_bits_at_every_place_of_a_batch(dtype):
    a = hermitian((40, 5, 5), dtype)
    a[3], a[4, :, 1:], a[5] = 0, 0, np.eye(5)
    w, v = jg.linalg.eigh(a)
    u, s, vh = jg.linalg.svd(a)
    for by in (1, 9, 22):
        turned = jg.array(np.roll(a, by, 0))
        others = (*jg.linalg.eigh(turned), *jg.linalg.svd(turned))
        for mine, other in zip((w, v, u, s, vh), others, strict=True):
            assert np.roll(np.asarray(mine), by, 0).tobytes() == np.asarray(other).tobytes()


@each_dtype
def test_matrices_without_full_rank_have_orthonormal_vectors(dtype):
    a = random((40, 4, 4), dtype)
    a[::3, :, 2] = a[::3, :, 1]
    a[1] = 0
    a[2] = 1
    a[4] = np.outer(a[5, 0], a[5, 1])
    a[6, 1:] = 0
    a[7] = np.diag([1, 1e-30, 1, 1e-18])
    for x in (a, a[:, :, :3], a[:, :2]):
        check_svd(x, *(np.asarray(part) for part in jg.linalg.svd(x, full_matrices=False)))
    gram = a @ adjoint(a)
    w, v = (np.asarray(part) for part in jg.linalg.eigh(gram))
    close(gram @ v, v * w[:, None, :])
    close(adjoint(v) @ v, identity_like(v))
    assert jg.linalg.matrix_rank(a).tolist() == np.linalg.matrix_rank(a).tolist()


@each_dtype
@pytest.mark.parametrize("exponent", [-0.98, -0.6, 0.6, 0.98])
def test_numbers_near_the_ends_of_the_range_keep_their_digits(dtype, exponent):
    a = hermitian((20, 3, 3), np.float64)
    scale = np.ldexp(1.0, int(exponent * -np.finfo(dtype).minexp))
    scaled = (a * scale).astype(dtype)
    expected = np.linalg.eigvalsh(scaled.astype(np.float64) / scale)
    for values in (jg.linalg.eigvalsh(scaled), jg.linalg.eigh(scaled)[0]):
        found = np.asarray(values).astype(np.float64) / scale
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    found = np.asarray(jg.linalg.svdvals(scaled)).astype(np.float64) / scale
    np.testing.assert_allclose(found, np.sort(np.abs(expected))[:, ::-1], rtol=0, atol=1e-5)


@each_dtype
def test_nan_beside_others_fails_as_it_does_alone(dtype):
    a = hermitian((20, 3, 3), dtype)
    a[7, 1, 1] = np.nan
    with pytest.raises(LinAlgError, match="a: matrix 7 of 20 holds NaN"):
        jg.linalg.svdvals(a).wait()
    close(jg.linalg.eigvalsh(a[8:]), np.linalg.eigvalsh(a[8:]))


EVERY_SET = """
import numpy as np, joggle as jg
rng = np.random.default_rng(3)
for dtype, tolerance in (("f4", 1e-5), ("f8", 1e-13)):
    a = rng.standard_normal((19, 6, 6)).astype(dtype)
    u, s, vh = (np.asarray(part) for part in jg.linalg.svd(a))
    assert np.allclose((u * s[:, None]) @ vh, a, atol=10 * tolerance)
    w = np.asarray(jg.linalg.eigvalsh(a))
    assert np.allclose(w, np.linalg.eigvalsh(a), atol=10 * tolerance)
    assert np.allclose(jg.linalg.det(a[:, :3, :3]), np.linalg.det(a[:, :3, :3]), atol=1e-5)
"""


@pytest.mark.parametrize("isa", ["baseline", "avx2"])
def test_lesser_instruction_sets_do_the_same(isa):
    environment = {**os.environ, "JOGGLE_ISA": isa}
    subprocess.run([sys.executable, "-c", EVERY_SET], env=environment, check=True)


@each_dtype
def test_determinants_of_three_rows_stand_scales_and_layouts(dtype):
    a = random((50, 3, 3), dtype)
    tolerance = {"rtol": 0, "atol": 1e-5 if dtype == np.float32 else 1e-14}
    for x in layouts(a):
        for n in (1, 2, 3):
            mine = jg.linalg.det(x[:, :n, :n])
            np.testing.assert_allclose(mine, np.linalg.det(a[:, :n, :n]), **tolerance)
    scale = np.array([1e10, 1e-10, 1], dtype)
    graded = a * scale[:, None] * scale[::-1]
    np.testing.assert_allclose(jg.linalg.det(graded), np.linalg.det(a), **tolerance)
    assert jg.linalg.det(np.arange(9, dtype=dtype).reshape(3, 3)).item() == 0
    assert np.isnan(jg.linalg.det(np.full((2, 2), np.nan, dtype)).item())


@each_dtype
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_slogdet_of_a_singular_matrix_is_zero_times_e_to_minus_infinity(dtype, n):
    a = np.stack([np.zeros((n, n), dtype), np.ones((n, n), dtype)])
    sign, log = jg.linalg.slogdet(jg.array(a))
    expected_sign, expected_log = np.linalg.slogdet(a)
    np.testing.assert_array_equal(np.asarray(sign), expected_sign)
    np.testing.assert_array_equal(np.asarray(log), expected_log)
