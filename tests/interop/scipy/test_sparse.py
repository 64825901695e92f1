# SPDX-License-Identifier: Apache-2.0
"""Sparse arrays of SciPy beside arrays of ours: the numbers of NumPy's arrays."""

import operator

import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

import joggle as jg

ROWS = np.diag([4.0, 5.0, 6.0]) + np.eye(3, k=1) + np.eye(3, k=-1)
RIGHT = np.array([1.0, 2.0, 3.0])
KINDS = ["csr_array", "csc_array", "coo_array", "bsr_array", "csr_matrix"]
OPERATORS = ["add", "sub", "mul", "matmul", "eq", "ne", "lt"]


def dense(result):
    return result.toarray() if sparse.issparse(result) else np.asarray(result)


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("kind", KINDS)
def test_operators_on_either_side_give_the_numbers_of_numpys(kind, name):
    s, call = getattr(sparse, kind)(ROWS), getattr(operator, name)
    for a in (2 * ROWS, RIGHT, ROWS.astype("f4"), np.array([[True, False, True]] * 3)):
        if a.ndim == 1 and name != "matmul":
            continue
        if a.dtype == bool and name == "sub":
            continue
        for first, second in ((s, a), (a, s)):
            ours = [jg.array(x) if x is a else x for x in (first, second)]
            found, expected = call(*ours), call(first, second)
            assert not isinstance(found, bool) and sparse.issparse(found) == (
                sparse.issparse(expected)
            )
            np.testing.assert_array_equal(dense(found), dense(expected))


def test_what_we_compute_is_ours():
    s = sparse.csr_array(ROWS)
    for found in (jg.array(ROWS) @ s, s + jg.array(ROWS), s == jg.array(ROWS)):
        assert isinstance(found, jg.array)
    assert s.dot(jg.array(RIGHT)).tolist() == (s @ RIGHT).tolist()


def test_numbers_scale_sparse_arrays():
    s = sparse.csr_array(ROWS)
    for found in (s * jg.array(2.0), jg.array(2.0) * s, s / jg.array(0.5)):
        assert sparse.issparse(found) and np.array_equal(found.toarray(), 2 * ROWS)


@pytest.mark.parametrize("solve", [linalg.cg, linalg.gmres, linalg.lsqr, linalg.spsolve])
def test_solvers_take_right_hand_sides_of_ours(solve):
    s = sparse.csc_array(ROWS)
    found = solve(s, jg.array(RIGHT))
    found = found[0] if isinstance(found, tuple) else found
    np.testing.assert_allclose(np.asarray(found), np.linalg.solve(ROWS, RIGHT), rtol=1e-5)


def test_solvers_refuse_dense_matrices_of_ours():
    with pytest.raises(TypeError, match="type not understood"):
        linalg.aslinearoperator(jg.array(ROWS))
