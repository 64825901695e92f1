# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices that kernels fill, and solvers of their equations: SciPy's."""

import numpy as np

from joggle._fields.field import Ndarray as _Ndarray
from joggle._fields.field import Storage as _Storage
from joggle._fields.layout import FieldsBuilder as _FieldsBuilder
from joggle._fields.make import ndarray as _make_ndarray
from joggle._fields.struct import struct_field as _struct_field
from joggle._fields.types import StructType as _StructType
from joggle._fields.types import as_dtype as _as_dtype
from joggle._fields.types import f32 as _f32
from joggle._fields.types import i32 as _i32
from joggle._fields.types import is_real as _is_real

_FORMATS = ("col_major", "row_major")
_SOLVERS = ("LLT", "LDLT", "LU")


def _scipy():
    try:
        import scipy.sparse
        import scipy.sparse.linalg
    except ImportError:
        raise ImportError("sparse matrices are SciPy's: pip install scipy") from None
    return scipy.sparse


def _float_type(dtype):
    found = _as_dtype(dtype)
    if not _is_real(found) or found.itemsize < 4:
        raise TypeError(f"dtype: got {found.name}, allowed are f32 and f64")
    return found


def _check_format(storage_format):
    if storage_format not in _FORMATS:
        raise ValueError(f"storage_format: got {storage_format!r}, allowed are {_FORMATS}")


class SparseMatrixBuilder:
    """A list of numbers with their rows and columns. A kernel with a parameter of
    qd.types.sparse_matrix_builder() adds to it by A[i, j] += x; numbers at the same place are
    added when it is built.

    max_num_triplets: how many it has room for, 1000 for each row unless given; a kernel that adds
    more raises IndexError. storage_format changes nothing.
    """

    def __init__(
        self,
        num_rows=None,
        num_cols=None,
        max_num_triplets=0,
        dtype=_f32,
        storage_format="col_major",
    ):
        _check_format(storage_format)
        if not num_rows or num_rows < 1:
            raise ValueError(f"num_rows: got {num_rows!r}, allowed are integers from 1")
        self.num_rows = num_rows
        self.num_cols = num_rows if num_cols is None else num_cols
        self.dtype = _float_type(dtype)
        most = max_num_triplets or 1000 * num_rows
        kind = _StructType(row=_i32, column=_i32, value=self.dtype)
        self._triplets = _struct_field(kind)
        self._list = _FieldsBuilder().dynamic(0, most).place(self._triplets)

    def _count(self):
        return self._list._marks[0]

    def _arrays(self):
        """Rows, columns and numbers as arrays. Raises IndexError for one outside the matrix."""
        count = self._count()
        found = [self._triplets._members[n].to_numpy()[:count] for n in ("row", "column", "value")]
        for name, indices, extent in (
            ("row", found[0], self.num_rows),
            ("column", found[1], self.num_cols),
        ):
            wrong = indices[(indices < 0) | (indices >= extent)]
            if wrong.size:
                raise IndexError(f"{name}: got {wrong[0]}, allowed 0 to below {extent}")
        return found

    def print_triplets(self):
        """Prints all of them."""
        print(f"n={self.num_rows}, m={self.num_cols}, num_triplets={self._count()}")
        for row, column, value in zip(*self._arrays(), strict=True):
            print(f"[{row}, {column}] = {value}")

    def build(self, dtype=None, _format="CSR"):
        """The matrix; the list is empty then. dtype: that of its numbers, the builder's unless
        given. Raises ValueError for another format than CSR."""
        if _format != "CSR":
            raise ValueError(f"_format: got {_format!r}, allowed is 'CSR'")
        rows, columns, values = self._arrays()
        shape = (self.num_rows, self.num_cols)
        found = _scipy().csr_matrix((values, (rows, columns)), shape)
        dtype = self.dtype if dtype is None else _float_type(dtype)
        self._list.deactivate_all()
        return SparseMatrix(sm=found, dtype=dtype)


class SparseMatrix:
    """A sparse matrix of n by m numbers. sm: one of SciPy's, which it takes. to_scipy gives it."""

    def __init__(self, n=None, m=None, sm=None, dtype=_f32, storage_format="col_major"):
        _check_format(storage_format)
        self.dtype = _float_type(dtype)
        if sm is None:
            if not n or n < 1:
                raise ValueError(f"n: got {n!r}, allowed are integers from 1")
            sm = _scipy().csr_matrix((n, n if m is None else m), dtype=self.dtype.name)
        self._matrix = sm.tocsr().astype(self.dtype.name)
        self.n, self.m = self._matrix.shape

    @property
    def shape(self):
        """Rows and columns."""
        return self._matrix.shape

    def to_scipy(self):
        """The same as a scipy.sparse.csr_matrix."""
        return self._matrix

    def _of(self, matrix):
        return SparseMatrix(sm=matrix, dtype=self.dtype)

    def __add__(self, other):
        return self._of(self._matrix + _matrix_of(other))

    def __sub__(self, other):
        return self._of(self._matrix - _matrix_of(other))

    def __mul__(self, other):
        """Times a number, or item by item."""
        if isinstance(other, (int, float)):
            return self._of(self._matrix * other)
        return self._of(self._matrix.multiply(_matrix_of(other)))

    def __rmul__(self, other):
        return self * other

    def __matmul__(self, other):
        """The product with a matrix; with a field or array of one axis an array, with an ndarray an
        ndarray."""
        if isinstance(other, SparseMatrix):
            return self._of(self._matrix @ other.to_scipy())
        return _like(other, self._matrix @ _vector_of("other", other, self.m))

    def __getitem__(self, indices):
        return self._matrix[indices].item() if _are_two(indices) else _refuse_index(indices)

    def __setitem__(self, indices, value):
        if not _are_two(indices):
            _refuse_index(indices)
        items = self._matrix.tolil()
        items[indices] = value
        self._matrix = items.tocsr()

    def transpose(self):
        """Rows for columns."""
        return self._of(self._matrix.T)

    def build_from_ndarray(self, ndarray):
        """Takes triplets: an ndarray of numbers that are by threes a row, a column and a value."""
        numbers = np.asarray(ndarray.to_numpy()).reshape(-1, 3)
        rows, columns = numbers[:, 0].astype(np.int64), numbers[:, 1].astype(np.int64)
        found = _scipy().csr_matrix((numbers[:, 2], (rows, columns)), self.shape)
        self._matrix = found.astype(self.dtype.name)

    def mmwrite(self, filename):
        """Writes a file of the Matrix Market format."""
        from scipy.io import mmwrite

        mmwrite(filename, self._matrix)

    def __repr__(self):
        return (
            f"<SparseMatrix {self.n} x {self.m}: {self._matrix.nnz} numbers of {self.dtype.name}>"
        )

    def __str__(self):
        return str(self._matrix.toarray())


def _are_two(indices):
    return isinstance(indices, tuple) and len(indices) == 2


def _refuse_index(indices):
    raise IndexError(f"index: got {indices!r}, allowed are a row and a column")


def _matrix_of(x):
    if not isinstance(x, SparseMatrix):
        raise TypeError(f"other: got {type(x).__name__}, allowed are sparse matrices and numbers")
    return x.to_scipy()


def _vector_of(name, x, length):
    """The numbers of a field, an ndarray or an array of NumPy; those of vectors one after the
    other."""
    array = np.asarray(x.to_numpy() if isinstance(x, _Storage) else x)
    array = array.reshape(-1)
    if len(array) != length:
        raise ValueError(f"{name}: got {len(array)} numbers, allowed are {length}")
    return array


def _like(x, values):
    """The values as an ndarray if x is one, else as an array of NumPy."""
    if not isinstance(x, _Ndarray):
        return values
    out = _make_ndarray(x.dtype, values.shape)
    out.from_numpy(values)
    return out


class SparseSolver:
    """Solves A x = b, for one A after the other.

    solver_type: LLT, LDLT or LU; all of them are SciPy's LU, which every matrix has that has an
    inverse. ordering changes nothing.
    """

    def __init__(self, dtype=_f32, solver_type="LLT", ordering="AMD"):
        if solver_type not in _SOLVERS:
            raise ValueError(f"solver_type: got {solver_type!r}, allowed are {_SOLVERS}")
        if ordering not in ("AMD", "COLAMD"):
            raise ValueError(f"ordering: got {ordering!r}, allowed are AMD and COLAMD")
        self.dtype, self._factors = _float_type(dtype), None
        self._is_computed = False

    def analyze_pattern(self, sparse_matrix):
        """Nothing to do: factorize looks at the pattern, too."""
        _matrix_of(sparse_matrix)

    def factorize(self, sparse_matrix):
        """Takes A. info tells whether it could be factorized."""
        matrix = _matrix_of(sparse_matrix).tocsc()
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"sparse_matrix: got shape {matrix.shape}, allowed are square ones")
        solvers = _scipy().linalg
        self._is_computed = True
        try:
            self._factors = solvers.splu(matrix.astype(np.float64))
        except RuntimeError:  # it has no inverse
            self._factors = None

    compute = factorize

    def info(self):
        """Whether the last matrix could be factorized."""
        return self._factors is not None

    def solve(self, b):
        """x: an ndarray if b is one, else an array of NumPy. Raises RuntimeError before compute, or
        for a matrix without an inverse."""
        if self._factors is None:
            got = "a matrix without an inverse" if self._is_computed else "no matrix yet"
            raise RuntimeError(f"solve: got {got}, allowed is after compute of one that has one")
        x = self._factors.solve(_vector_of("b", b, self._factors.shape[0]).astype(np.float64))
        return _like(b, x.astype(self.dtype.name))


class SparseCG:
    """Solves A x = b by conjugate gradients, from x0 or zeros on, in at most max_iter steps, until
    what is left is no longer than atol."""

    def __init__(self, A, b, x0=None, max_iter=50, atol=1e-6):
        self.A, self.b, self.x0, self.max_iter, self.atol = A, b, x0, max_iter, atol

    def solve(self):
        """x, as SparseSolver.solve gives it, and whether that is close enough."""
        matrix = _matrix_of(self.A)
        b = _vector_of("b", self.b, matrix.shape[0])
        start = None if self.x0 is None else _vector_of("x0", self.x0, matrix.shape[1])
        x, left = _scipy().linalg.cg(
            matrix, b, start, rtol=0.0, atol=self.atol, maxiter=self.max_iter
        )
        return _like(self.b, x), left == 0
