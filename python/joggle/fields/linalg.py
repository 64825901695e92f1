# SPDX-License-Identifier: Apache-2.0
"""qd.linalg: solvers of A x = b for fields, where A is a kernel that multiplies by a field."""

import importlib as _importlib
import math as _math

from joggle._fields.field import Storage as _Storage
from joggle._fields.make import field as _field
from joggle._fields.types import f64 as _f64
from joggle._fields.types import is_real as _is_real
from joggle._fields.types import template as _template
from joggle._kernel.kernel import kernel as _kernel
from joggle._kernel.value.functions import FUNCTIONS as _functions
from joggle.fields._absent import message_of as _message_of

_SPARSE = ("SparseCG", "SparseMatrix", "SparseMatrixBuilder", "SparseSolver")
__all__ = ["LinearOperator", "MatrixFreeBICGSTAB", "MatrixFreeCG", *_SPARSE]

_grouped = _functions["grouped"]


class LinearOperator:
    """A matrix given by its product: matvec_kernel(x, Ax) writes A x into Ax."""

    def __init__(self, matvec_kernel):
        if not callable(matvec_kernel):
            raise TypeError(f"matvec_kernel: got {matvec_kernel!r}, allowed are kernels")
        self._matvec = matvec_kernel

    def matvec(self, x, Ax):
        """Ax = A x."""
        if x.shape != Ax.shape:
            raise RuntimeError(f"Ax: got shape {Ax.shape}, allowed is that of x, {x.shape}")
        self._matvec(x, Ax)


@_kernel
def _dot(a: _template(), b: _template()) -> _f64:
    total = _f64(0)
    for i in _grouped(a):
        total += a[i] * b[i]
    return total


@_kernel
def _combine(out: _template(), a: _f64, x: _template(), b: _f64, y: _template()):
    for i in _grouped(out):
        out[i] = a * x[i] + b * y[i]


def _check(A, b, x):
    if not isinstance(A, LinearOperator):
        raise TypeError(f"A: got {type(A).__name__}, allowed are LinearOperators")
    for name, field in (("b", b), ("x", x)):
        if not isinstance(field, _Storage) or field.element_shape or not _is_real(field.dtype):
            raise TypeError(f"{name}: got {field!r}, allowed are fields of floats")
    if b.shape != x.shape or b.dtype != x.dtype:
        raise RuntimeError(
            f"x: got shape {x.shape} of {x.dtype.name}, allowed is that of b, {b.shape} of "
            f"{b.dtype.name}"
        )


def _fields_like(x, count):
    return [_field(x.dtype, x.shape) for _ in range(count)]


def _tell(quiet, turn, residual):
    if not quiet:
        print(f">>> Iter = {turn:4}, Residual = {residual:e}")


def MatrixFreeCG(A, b, x, tol=1e-6, maxiter=5000, quiet=True):
    """Solves A x = b by conjugate gradients, beginning at x; A is symmetric and positive.

    gives: whether the norm of b - A x has come below tol within maxiter steps.
    """
    _check(A, b, x)
    p, r, Ap = _fields_like(x, 3)
    A.matvec(x, Ap)
    _combine(r, 1, b, -1, Ap)
    p.copy_from(r)
    old = _dot(r, r)
    _tell(quiet, 0, _math.sqrt(old))
    for turn in range(1, maxiter + 1):
        if _math.sqrt(old) < tol:
            return True
        A.matvec(p, Ap)
        step = old / _dot(p, Ap)
        _combine(x, 1, x, step, p)
        _combine(r, 1, r, -step, Ap)
        new = _dot(r, r)
        _tell(quiet, turn, _math.sqrt(new))
        _combine(p, 1, r, new / old, p)
        old = new
    return _math.sqrt(old) < tol


def MatrixFreeBICGSTAB(A, b, x, tol=1e-6, maxiter=5000, quiet=True):
    """Solves A x = b by stabilised biconjugate gradients, beginning at x, for any A.

    gives: whether the norm of b - A x has come below tol within maxiter steps.
    """
    _check(A, b, x)
    r, shadow, p, Ap, s, As = _fields_like(x, 6)
    A.matvec(x, Ap)
    _combine(r, 1, b, -1, Ap)
    shadow.copy_from(r)
    p.copy_from(r)
    rho, residual = _dot(shadow, r), _math.sqrt(_dot(r, r))
    _tell(quiet, 0, residual)
    for turn in range(1, maxiter + 1):
        if residual < tol:
            return True
        A.matvec(p, Ap)
        step = rho / _dot(shadow, Ap)
        _combine(s, 1, r, -step, Ap)
        A.matvec(s, As)
        square = _dot(As, As)
        omega = _dot(As, s) / square if square else 0.0
        _combine(x, 1, x, step, p)
        _combine(x, 1, x, omega, s)
        _combine(r, 1, s, -omega, As)
        residual = _math.sqrt(_dot(r, r))
        _tell(quiet, turn, residual)
        if residual < tol or omega == 0.0:
            break
        following = _dot(shadow, r)
        _combine(p, 1, p, -omega, Ap)
        _combine(p, 1, r, following / rho * step / omega, p)
        rho = following
    return residual < tol


def __getattr__(name):
    if name in _SPARSE:  # needs NumPy and SciPy, which the rest does not
        return getattr(_importlib.import_module("joggle.fields._sparse"), name)
    raise AttributeError(_message_of(__name__, name))
