# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices: kernels fill them, SciPy holds them and solves their equations."""

import numpy as np
import pytest

import joggle.fields as qd

scipy_sparse = pytest.importorskip("scipy.sparse")
linalg = qd.linalg


@pytest.fixture(autouse=True)
def init():
    qd.init(cpu_max_num_threads=4)
    yield
    qd.init()


@qd.kernel
def laplace(A: qd.types.sparse_matrix_builder(), n: qd.i32):
    for i in range(n):
        A[i, i] += 2.5
        if i > 0:
            A[i, i - 1] -= 1.0
        if i < n - 1:
            A[i, i + 1] -= 1


def laplacian(n, dtype=np.float64):
    return (2.5 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)).astype(dtype)


@pytest.mark.parametrize("dtype", [qd.f32, qd.f64])
def test_a_kernel_fills_a_matrix(dtype):
    builder = linalg.SparseMatrixBuilder(50, 50, max_num_triplets=300, dtype=dtype)
    for times in (1, 2):
        for _ in range(times):
            laplace(builder, 50)
        A = builder.build()
        assert A.shape == (50, 50) and A.dtype is dtype
        assert np.array_equal(A.to_scipy().toarray(), times * laplacian(50))
    assert builder.build().to_scipy().nnz == 0  # building has emptied it


def test_many_threads_add_at_one_place():
    builder = linalg.SparseMatrixBuilder(2, 3, max_num_triplets=100_000)

    @qd.kernel
    def fill(A: qd.types.sparse_matrix_builder()):
        for i in range(90_000):
            A[i % 2, i % 3] += 1

    fill(builder)
    assert (builder.build().to_scipy().toarray() == 15_000).all()


def test_a_builder_is_only_added_to():
    builder = linalg.SparseMatrixBuilder(4, max_num_triplets=8)

    @qd.kernel
    def sets(A: qd.types.sparse_matrix_builder()):
        A[0, 0] = 1

    @qd.kernel
    def reads(A: qd.types.sparse_matrix_builder()) -> qd.f32:
        return A[0, 0]

    @qd.kernel
    def scales(A: qd.types.sparse_matrix_builder()):
        A[0, 0] *= 2

    @qd.kernel
    def one(A: qd.types.sparse_matrix_builder()):
        A[0] += 2

    for wrong in (sets, reads, scales):
        with pytest.raises(TypeError, match="allowed are \\+= and -="):
            wrong(builder)
    with pytest.raises(IndexError, match="got 1 indices, allowed are 2"):
        one(builder)
    with pytest.raises(TypeError, match="got int, allowed are builders"):
        laplace(3, 4)
    with pytest.raises(IndexError, match="the node is full, allowed are 8 elements"):
        laplace(builder, 4)


def test_a_place_outside_the_matrix_is_found_when_it_is_built():
    builder = linalg.SparseMatrixBuilder(4, max_num_triplets=100)
    laplace(builder, 6)
    with pytest.raises(IndexError, match=r"row: got [45], allowed 0 to below 4"):
        builder.build()


def test_triplets_are_printed(capsys):
    builder = linalg.SparseMatrixBuilder(1, max_num_triplets=10)
    laplace(builder, 1)
    builder.print_triplets()
    assert capsys.readouterr().out == "n=1, m=1, num_triplets=1\n[0, 0] = 2.5\n"


def test_operators_give_what_those_of_dense_matrices_give():
    rng = np.random.default_rng(0)
    a, b = (scipy_sparse.random(6, 6, 0.5, random_state=rng).toarray() for _ in range(2))
    A, B = (linalg.SparseMatrix(sm=scipy_sparse.csr_matrix(x), dtype=qd.f64) for x in (a, b))
    for found, wanted in (
        (A + B, a + b), (A - B, a - b), (A * B, a * b), (2 * A, 2 * a), (A * 0.5, a / 2),
        (A @ B, a @ b), (A.transpose(), a.T),
    ):  # fmt: skip
        assert np.allclose(found.to_scipy().toarray(), wanted, rtol=1e-15)
    assert A[2, 3] == a[2, 3]
    A[2, 3] = 7
    assert A[2, 3] == 7
    with pytest.raises(IndexError, match="allowed are a row and a column"):
        A[2]
    with pytest.raises(TypeError, match="other: got float"):
        A + 1.0
    assert "6 x 6" in repr(A)


def test_products_give_what_they_are_given():
    a = laplacian(6, np.float32)
    A = linalg.SparseMatrix(sm=scipy_sparse.csr_matrix(a))
    numbers = np.arange(6, dtype=np.float32)
    field, vectors = qd.field(qd.f32, shape=6), qd.Vector.field(3, qd.f32, shape=2)
    array = qd.ndarray(qd.f32, 6)
    for x in (field, array):
        x.from_numpy(numbers)
    vectors.from_numpy(numbers.reshape(2, 3))
    for x in (numbers, field, vectors):
        assert np.array_equal(A @ x, a @ numbers)
    found = A @ array
    assert isinstance(found, qd.Ndarray) and np.array_equal(found.to_numpy(), a @ numbers)
    with pytest.raises(ValueError, match="other: got 5 numbers, allowed are 6"):
        A @ numbers[:5]


@pytest.mark.parametrize("kind", ["LLT", "LDLT", "LU"])
def test_equations_are_solved(kind):
    builder = linalg.SparseMatrixBuilder(40, max_num_triplets=200, dtype=qd.f64)
    laplace(builder, 40)
    A = builder.build()
    solver = linalg.SparseSolver(qd.f64, kind)
    with pytest.raises(RuntimeError, match="solve: got no matrix yet, allowed is after compute"):
        solver.solve(np.ones(40))
    solver.analyze_pattern(A)
    solver.factorize(A)
    assert solver.info()
    b = np.random.default_rng(0).standard_normal(40)
    assert np.allclose(laplacian(40) @ solver.solve(b), b, rtol=0, atol=1e-12)
    array = qd.ndarray(qd.f64, 40)
    array.from_numpy(b)
    assert np.allclose(solver.solve(array).to_numpy(), solver.solve(b), rtol=0, atol=1e-15)


def test_matrices_without_an_inverse_are_told():
    solver = linalg.SparseSolver()
    solver.compute(linalg.SparseMatrix(3, 3))
    assert not solver.info()
    with pytest.raises(RuntimeError, match="solve: got a matrix without an inverse"):
        solver.solve(np.ones(3))
    with pytest.raises(ValueError, match="allowed are square ones"):
        solver.compute(linalg.SparseMatrix(3, 4))
    with pytest.raises(ValueError, match="solver_type: got 'QR'"):
        linalg.SparseSolver(solver_type="QR")
    with pytest.raises(ValueError, match="storage_format"):
        linalg.SparseMatrix(3, 3, storage_format="diagonal")
    with pytest.raises(TypeError, match="dtype: got int32"):
        linalg.SparseMatrix(3, 3, dtype=qd.i32)


def test_conjugate_gradients_solve_equations():
    A = linalg.SparseMatrix(sm=scipy_sparse.csr_matrix(laplacian(30)), dtype=qd.f64)
    b = np.random.default_rng(0).standard_normal(30)
    x, exact = linalg.SparseCG(A, b, max_iter=100, atol=1e-10).solve()
    assert exact and np.allclose(laplacian(30) @ x, b, rtol=0, atol=1e-9)
    assert not linalg.SparseCG(A, b, max_iter=1, atol=1e-10).solve()[1]


def test_a_matrix_is_built_of_triplets_and_written_to_a_file(tmp_path):
    array = qd.ndarray(qd.f32, 9)
    array.from_numpy(np.array([0, 0, 1, 1, 2, 3, 1, 2, 4], np.float32))
    A = linalg.SparseMatrix(2, 3)
    A.build_from_ndarray(array)
    assert A.to_scipy().toarray().tolist() == [[1, 0, 0], [0, 0, 7]]
    from scipy.io import mmread

    A.mmwrite(str(tmp_path / "a.mtx"))
    assert mmread(tmp_path / "a.mtx").toarray().tolist() == [[1, 0, 0], [0, 0, 7]]
