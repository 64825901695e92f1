# SPDX-License-Identifier: Apache-2.0
"""What linear algebra refuses, and when: shapes and dtypes at the call, matrices without such a
result where the value is asked for."""

import os
import subprocess
import sys

import numpy as np
import pytest

import joggle as jg
from joggle.linalg import LinAlgError

SINGULAR = np.ones((2, 2), np.float32)
LARGE_SINGULAR = np.ones((6, 6), np.float32)
NAN = np.full((6, 6), np.nan, np.float32)


@pytest.mark.parametrize("a", [SINGULAR, LARGE_SINGULAR, LARGE_SINGULAR.astype("c16")], ids=str)
def test_a_singular_matrix_has_no_inverse(a):
    for lazy in (jg.linalg.inv(a), jg.linalg.solve(a, a), jg.linalg.matrix_power(a, -2)):
        with pytest.raises(LinAlgError, match=r"^\[linalg_(inv|solve)\] a: is singular$"):
            lazy.wait()
    assert jg.linalg.det(a).item() == 0
    sign, logarithm = jg.linalg.slogdet(a)
    assert sign.item() == 0 and logarithm.item() == -np.inf
    assert jg.linalg.cond(a, 1).item() == np.inf


def test_the_failure_tells_which_matrix_of_a_batch():
    a = np.stack([np.eye(6), np.ones((6, 6)), np.eye(6)])
    with pytest.raises(LinAlgError, match="a: matrix 1 of 3 is singular"):
        jg.linalg.inv(a).wait()
    with pytest.raises(LinAlgError, match="a: matrix 2 of 3 is not positive definite"):
        jg.linalg.cholesky(np.stack([np.eye(6), np.eye(6), -np.eye(6)])).wait()


def test_a_failure_on_a_stream_is_told_to_whoever_waits():
    batch = np.ones((4000, 6, 6), np.float32)
    lazy = jg.linalg.inv(batch)
    jg.async_eval(lazy)
    jg.synchronize()
    for _ in range(2):
        with pytest.raises(LinAlgError, match=r"\[linalg_inv\] a: matrix \d+ of 4000 is singular"):
            lazy.wait()


def test_a_zero_on_the_diagonal_makes_a_triangle_singular():
    a = np.triu(np.ones((3, 3)))
    a[1, 1] = -0.0
    for lazy in (jg.linalg.solve_triangular(a, a, upper=True), jg.linalg.tri_inv(a, upper=True)):
        with pytest.raises(LinAlgError, match="is singular"):
            lazy.wait()


def test_nan_fails_where_numpy_fails_and_spreads_elsewhere():
    for lazy in (jg.linalg.svdvals(NAN), jg.linalg.eigvals(NAN), jg.linalg.svd(NAN).U):
        with pytest.raises(LinAlgError):
            lazy.wait()
    for a in (NAN, NAN[:3, :3]):
        assert np.isnan(np.asarray(jg.linalg.inv(a))).all()
        assert np.isnan(jg.linalg.det(a).item())
        assert np.isnan(np.asarray(jg.linalg.solve(a, np.ones(len(a), np.float32)))).all()
    assert np.isnan(np.asarray(jg.linalg.qr(NAN).R)[0, 0])


SQUARE_ONLY = ["cholesky", "cholesky_inv", "tri_inv", "inv", "det", "slogdet"]
SQUARE_ONLY += ["eig", "eigvals", "eigh", "eigvalsh"]


@pytest.mark.parametrize("name", SQUARE_ONLY)
def test_matrices_that_are_not_square_are_refused_at_the_call(name):
    with pytest.raises(ValueError, match=r"a: has matrices of 3 by 4, allowed are square ones"):
        getattr(jg.linalg, name)(np.ones((2, 3, 4), np.float32))


@pytest.mark.parametrize("name", [*SQUARE_ONLY, "qr", "svd", "svdvals", "lu", "lu_factor"])
def test_vectors_and_half_precision_are_refused_at_the_call(name):
    function = getattr(jg.linalg, name)
    with pytest.raises(ValueError, match="a: has 1 axes, allowed are two or more"):
        function(np.ones(3, np.float32))
    with pytest.raises(TypeError, match="a: got float16, allowed are float32"):
        function(np.ones((3, 3), np.float16))


def test_sides_that_do_not_fit_are_refused():
    a = np.eye(3)
    with pytest.raises(ValueError, match="b: has 4 rows, allowed are 3"):
        jg.linalg.solve(a, np.ones((4, 2)))
    with pytest.raises(ValueError, match="b: has 4 rows"):
        jg.linalg.solve(a, np.ones(4))
    with pytest.raises(ValueError, match=r"\(2,\)|2.*3"):
        jg.linalg.solve(np.stack([a, a]), np.ones((3, 3, 1)))


def test_words_that_are_not_known_are_refused():
    a = np.eye(3)
    with pytest.raises(ValueError, match="mode: got 'full', allowed are \"reduced\""):
        jg.linalg.qr(a, "full")
    with pytest.raises(ValueError, match="UPLO: got 'X'"):
        jg.linalg.eigh(a, "X")
    with pytest.raises(ValueError, match="ord: got 'sum'"):
        jg.linalg.matrix_norm(a, ord="sum")
    with pytest.raises(TypeError, match="n: got float, allowed is an int"):
        jg.linalg.matrix_power(a, 0.5)


def test_the_exception_is_a_value_error():
    assert issubclass(LinAlgError, ValueError) and jg.linalg.LinAlgError is LinAlgError


WITHOUT_BLAS = """
import joggle as jg
assert jg.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).tolist() == [[0.5, 0.0], [0.0, 0.25]]
assert jg.linalg.svdvals([[3.0, 0.0], [0.0, -4.0]]).tolist() == [4.0, 3.0]
try:
    jg.linalg.svdvals(jg.eye(17)).wait()
except RuntimeError as error:
    assert "[linalg_svdvals] JOGGLE_BLAS: got none, allowed for this work is" in str(error), error
    assert "install" not in str(error), error
else:
    raise SystemExit("it was computed")
"""


def test_where_the_user_wants_no_blas_the_failure_says_so():
    environment = {**os.environ, "JOGGLE_BLAS": "none"}
    subprocess.run([sys.executable, "-c", WITHOUT_BLAS], env=environment, check=True)
