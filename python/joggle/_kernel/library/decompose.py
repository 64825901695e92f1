# SPDX-License-Identifier: Apache-2.0
"""Decompositions of small matrices, and of floats, written in the language of kernels.

Singular vectors are found by Jacobi rotations of the columns (Golub and Van Loan, Matrix
Computations, 8.5 and 8.6), so small singular values are as exact as large ones. In three
dimensions both factors are rotations, and the last singular value has the sign of the determinant;
in two, singular values are not negative and U may be a reflection.

Functions marked with @Func are source of kernels: their docstrings are not written into those.
"""

import math

from ..ir import types
from ..ir.messages import KernelTypeError
from ..ir.promotion import as_float
from ..ir.types import Template, dtype_name
from ..value.functions import FUNCTIONS, Function
from ..value.values import tensor_of
from .func import Func

static, sqrt, select = FUNCTIONS["static"], FUNCTIONS["sqrt"], FUNCTIONS["select"]
bit_cast, cast, int32 = FUNCTIONS["bit_cast"], FUNCTIONS["cast"], types.dtype_object("int32")
# Sweeps over all pairs. Convergence is quadratic in the end: columns of three need five at most, in
# float64 where they differ much in size or are nearly parallel.
_SWEEPS_OF_COLUMNS = 5
_SWEEPS = 6
_PAIRS = ((0, 1), (0, 2), (1, 2))
_LARGEST = 6  # of the matrices that are taken apart into scalars for eigenvalues


@Func
def polar2(a):
    """The orthogonal factor that is nearest to a, in closed form, and the symmetric one. A negative
    determinant makes the first a reflection, so that the second has no negative eigenvalue."""
    flip = a[0, 0] * a[1, 1] < a[0, 1] * a[1, 0]
    x = select(flip, a[0, 0] - a[1, 1], a[0, 0] + a[1, 1])
    y = select(flip, a[1, 0] + a[0, 1], a[1, 0] - a[0, 1])
    length = sqrt(x * x + y * y)
    c = select(length > 0, x / length, 1.0)
    s = select(length > 0, y / length, 0.0)
    r = a * 0
    r[0, 0] = c
    r[0, 1] = select(flip, s, -s)
    r[1, 0] = s
    r[1, 1] = select(flip, -c, c)
    return r, r.transpose() @ a


@Func
def symmetric2(a):
    """The larger eigenvalue, the smaller, and the unit vector of the larger."""
    half = (a[0, 0] - a[1, 1]) / 2
    mean = (a[0, 0] + a[1, 1]) / 2
    spread = sqrt(half * half + a[0, 1] * a[0, 1])
    x = select(half >= 0, half + spread, a[0, 1])
    y = select(half >= 0, a[0, 1], spread - half)
    length = sqrt(x * x + y * y)
    x = select(length > 0, x / length, 1.0)
    y = select(length > 0, y / length, 0.0)
    return mean + spread, mean - spread, x, y


@Func
def svd2(a):
    """The decomposition by polar factors: if s is v @ sigma @ v.T, a is (r @ v) @ sigma @ v.T."""
    r, s = polar2(a)
    large, small, x, y = symmetric2(s)
    v, sigma = a * 0, a * 0
    v[0, 0] = x
    v[0, 1] = -y
    v[1, 0] = y
    v[1, 1] = x
    sigma[0, 0] = large
    sigma[1, 1] = small
    return r @ v, sigma, v


@Func
def sym_eig2(a):
    """Eigenvalues in ascending order, and unit vectors as columns."""
    large, small, x, y = symmetric2(a)
    values, vectors = a[0, :] * 0, a * 0
    values[0] = small
    values[1] = large
    vectors[0, 0] = y
    vectors[1, 0] = -x
    vectors[0, 1] = x
    vectors[1, 1] = y
    return values, vectors


def pairs_of(n):
    return tuple((i, j) for i in range(n) for j in range(i + 1, n))


@Func
def identity_like(a):
    v = a * 0
    for i in static(range(a.n)):
        v[i, i] = 1
    return v


@Func
def rotation(p, q, off):
    """Cosine and sine of the rotation that makes an off-diagonal entry vanish: of the two that do
    the smaller one, which is what makes sweeps converge. p, q: the diagonal; off must not be 0."""
    ratio = (q - p) / (2 * off)
    t = select(ratio >= 0, 1.0, -1.0) / (abs(ratio) + sqrt(1 + ratio * ratio))
    c = 1 / sqrt(1 + t * t)
    return c, c * t


@Func
def turn_columns(m: Template, i: Template, j: Template, c, s):
    """Rotates columns i and j of m, in place."""
    for k in static(range(m.n)):
        x, y = m[k, i], m[k, j]
        m[k, i] = c * x - s * y
        m[k, j] = s * x + c * y


@Func
def sort_columns(m: Template, v: Template, keys: Template):
    """Columns by descending keys; a swap turns one of the two round, so v stays a rotation."""
    for i, j in static(pairs_of(keys.n)):
        if keys[i] < keys[j]:
            keys[i], keys[j] = keys[j], keys[i]
            turn_columns(m, i, j, 0.0, -1.0)
            turn_columns(v, i, j, 0.0, -1.0)


@Func
def svd3(a):
    """One-sided Jacobi: v turns the columns of a until they are orthogonal; m is a @ v, whose
    columns have the singular values for lengths and the left vectors for directions."""
    m, v = a, identity_like(a)
    for _ in range(_SWEEPS_OF_COLUMNS):
        for i, j in static(_PAIRS):
            off = m[:, i].dot(m[:, j])
            if off != 0:
                c, s = rotation(m[:, i].norm_sqr(), m[:, j].norm_sqr(), off)
                turn_columns(m, i, j, c, s)
                turn_columns(v, i, j, c, s)
    keys = a[0, :] * 0
    for i in static(range(3)):
        keys[i] = m[:, i].norm_sqr()
    sort_columns(m, v, keys)
    u = left_vectors(m)
    sigma = a * 0
    for i in static(range(3)):
        sigma[i, i] = u[:, i].dot(m[:, i])
    return u, sigma, v


@Func
def left_vectors(m):
    """An orthonormal frame along the columns of m, the longest of which is the first."""
    u = m * 0
    x, y = m[:, 0], m[:, 1]
    length = x.norm()
    x = select(length > 0, x / length, x * 0)
    x[0] = select(length > 0, x[0], 1.0)
    size = max(abs(y[0]), abs(y[1]), abs(y[2]))  # squares of it alone may vanish
    y = select(size > 0, y / size, y)
    whole = y.norm()
    y -= x * x.dot(y)
    rest = y.norm()
    other = x * 0
    other[1] = select(abs(x[0]) > 0.5, 1.0, 0.0)
    other[0] = 1 - other[1]
    other -= x * x.dot(other)
    # Columns are orthogonal, unless the second is rounding errors alone: then any direction does.
    y = select(rest > whole * 0.5, y / rest, other / other.norm())
    z = x.cross(y)
    for i in static(range(3)):
        u[i, 0] = x[i]
        u[i, 1] = y[i]
        u[i, 2] = z[i]
    return u


@Func
def sym_eig_of(a):
    """Two-sided Jacobi: rotations of columns, then of rows. Eigenvalues in ascending order."""
    m, v = a, identity_like(a)
    for _ in range(_SWEEPS if a.n <= 3 else _SWEEPS + 2):
        for i, j in static(pairs_of(a.n)):
            off = m[i, j]
            if off != 0:
                c, s = rotation(m[i, i], m[j, j], off)
                turn_columns(m, i, j, c, s)
                m = m.transpose()
                turn_columns(m, i, j, c, s)
                m = m.transpose()
                turn_columns(v, i, j, c, s)
    keys = a[0, :] * 0
    for i in static(range(a.n)):
        keys[i] = -m[i, i]
    sort_columns(m, v, keys)
    return -keys, v


@Func
def nearest_semidefinite(a):
    """The symmetric matrix with the eigenvalues below zero set to zero."""
    values, vectors = sym_eig2(a) if static(a.n == 2) else sym_eig_of(a)
    scaled = vectors * 1
    for i in static(range(a.n)):
        for k in static(range(a.n)):
            scaled[k, i] = vectors[k, i] * select(values[i] > 0, values[i], 0.0)
    return scaled @ vectors.transpose()


@Func
def solve_of(a, b):
    """x where a @ x is b: elimination, the largest entry of the column on the diagonal."""
    m, x = a * 1, b * 1
    for c in static(range(a.n)):
        for r in static(range(c + 1, a.n)):
            if abs(m[r, c]) > abs(m[c, c]):
                x[r], x[c] = x[c], x[r]
                for k in static(range(c, a.n)):
                    m[r, k], m[c, k] = m[c, k], m[r, k]
        for r in static(range(c + 1, a.n)):
            f = m[r, c] / m[c, c]
            x[r] -= f * x[c]
            for k in static(range(c, a.n)):
                m[r, k] -= f * m[c, k]
    for c in static(range(a.n - 1, -1, -1)):
        for k in static(range(c + 1, a.n)):
            x[c] -= m[c, k] * x[k]
        x[c] /= m[c, c]
    return x


@Func
def polar3(a):
    """The polar factors by singular values: u @ v.T, a rotation, and v @ sigma @ v.T."""
    u, sigma, v = svd3(a)
    return u @ v.transpose(), v @ sigma @ v.transpose()


@Func
def eig2(a):
    """Eigenvalues as rows (real, imaginary); of each column of vectors x and y, so too."""
    mean = (a[0, 0] + a[1, 1]) / 2
    half = (a[0, 0] - a[1, 1]) / 2
    square = half * half + a[0, 1] * a[1, 0]
    root = sqrt(abs(square))
    real = select(square >= 0, root, 0.0)
    imaginary = select(square >= 0, 0.0, root)
    values = a * 0
    values[0, 0] = mean + real
    values[1, 0] = mean - real
    values[0, 1] = imaginary
    values[1, 1] = -imaginary
    columns = [eigenvector2(a, values[0, 0], values[0, 1], 1.0)]
    columns += [eigenvector2(a, values[1, 0], values[1, 1], 0.0)]
    return values, columns


@Func
def eigenvector2(a, real, imaginary, first):
    """The unit vector of an eigenvalue, from a row of a - value that is not zero: parts x, y, each
    real and imaginary. Of a diagonal matrix it is an axis; first: 1 for the larger eigenvalue, else
    0."""
    by_row = a[1, 0] != 0
    by_column = a[0, 1] != 0
    upper = select(a[0, 0] >= a[1, 1], first, 1 - first)
    x = select(by_row, real - a[1, 1], select(by_column, a[0, 1], upper))
    x_imaginary = select(by_row, imaginary, 0.0)
    y = select(by_row, a[1, 0], select(by_column, real - a[0, 0], 1 - upper))
    y_imaginary = select(by_row, 0.0, select(by_column, imaginary, 0.0))
    length = sqrt(x * x + x_imaginary * x_imaginary + y * y + y_imaginary * y_imaginary)
    return [x / length, x_imaginary / length, y / length, y_imaginary / length]


@Func
def times(x, factor):
    return x * factor


def _scaling(kind, large, small):
    """A function of a matrix: a power of 2 that brings its largest entry to where squares neither
    overflow nor vanish, and its reciprocal. large, small: pairs of a limit and such a power, the
    last limits the farthest from 1."""
    kind = types.dtype_object(kind)

    @Func
    def scaling(a):
        largest = abs(a[0, 0])
        for i in static(range(a.n)):
            for j in static(range(a.n)):
                largest = max(largest, abs(a[i, j]))
        power, back = cast(1.0, kind), cast(1.0, kind)
        for limit, factor in static(large):
            power = select(largest > cast(limit, kind), cast(factor, kind), power)
            back = select(largest > cast(limit, kind), cast(1 / factor, kind), back)
        for limit, factor in static(small):
            power = select(largest < cast(limit, kind), cast(factor, kind), power)
            back = select(largest < cast(limit, kind), cast(1 / factor, kind), back)
        return power, back

    return scaling


_SCALING = {
    "float32": _scaling(
        "float32", [(2.0**50, 2.0**-75)], [(2.0**-20, 2.0**50), (2.0**-70, 2.0**120)]
    ),
    "float64": _scaling("float64", [(2.0**400, 2.0**-700)], [(2.0**-400, 2.0**700)]),
}


def _decomposition(name, by_size, squares, sized=0, finish=None):
    """squares: the sizes whose functions compute with squares of entries, so that the matrix has to
    be scaled. sized: which result is as large as the matrix is."""

    def handler(lowering, args, kwargs):
        matrix, *dtype = args
        a = lowering.as_tensor(matrix)
        dtype = dtype[0] if dtype else kwargs.get("dt")
        if len(a.shape) != 2 or a.shape[0] != a.shape[1] or a.shape[0] not in by_size:
            sizes = " and ".join(f"{n} by {n}" for n in by_size)
            raise KernelTypeError(f"{name}: got {a.kernel_kind()}, allowed are {sizes} matrices")
        emitter = lowering.emitter
        kind = (
            dtype_name(dtype)
            if dtype
            else as_float(emitter.dtype_of(a.items[0]), emitter.default_fp)
        )
        computed = "float64" if kind == "float64" else "float32"  # floats of 16 bits are too small
        a = tensor_of(emitter, a.shape, a.items, computed)
        back = None
        if a.shape[0] in squares:
            power, back = lowering.inline(_SCALING[computed], [a], {})
            a = lowering.inline(times, [a, power], {})
        result = lowering.inline(by_size[a.shape[0]], [a], {})
        result = finish(lowering, result) if finish else result
        results = list(result) if isinstance(result, tuple) else [result]
        if back is not None:
            results[sized] = lowering.inline(times, [results[sized], back], {})
        results = [tensor_of(emitter, x.shape, x.items, kind) for x in results]
        return tuple(results) if isinstance(result, tuple) else results[0]

    FUNCTIONS[name] = Function(name, None, handler)


def _columns(lowering, result):
    values, columns = result
    return values, lowering.as_tensor([list(row) for row in zip(*columns, strict=True)])


_symmetric = {2: sym_eig2, **dict.fromkeys(range(3, _LARGEST + 1), sym_eig_of)}
_decomposition("svd", {2: svd2, 3: svd3}, squares=(2, 3), sized=1)
_decomposition("polar_decompose", {2: polar2, 3: polar3}, squares=(2, 3), sized=1)
_decomposition("sym_eig", _symmetric, squares=(2,))
_decomposition("make_spd", dict.fromkeys(_symmetric, nearest_semidefinite), squares=(2,))
_decomposition("eig", {2: eig2}, squares=(2,), finish=_columns)


def _solve(lowering, args, kwargs):
    a, b = (lowering.as_tensor(x) for x in args[:2])
    if len(a.shape) != 2 or a.shape[0] != a.shape[1] or b.shape != a.shape[:1]:
        raise KernelTypeError(
            f"solve: got {a.kernel_kind()} and {b.kernel_kind()}, allowed are a square matrix and "
            "a vector of its size"
        )
    return lowering.inline(solve_of, [a, b], {})


FUNCTIONS["solve"] = Function("solve", None, _solve)


def _frexp_function(bits, digits, bias):
    """The fraction, from 1/2 to 1, and the power of 2 of a float of that layout."""
    integer = types.dtype_object(f"int{bits}")
    floating = types.dtype_object(f"float{bits}")
    mask = (1 << (bits - 1 - digits)) - 1
    # Subnormal numbers have no exponent of their own: they are scaled up first, by 2^64.
    tiny, up = 2.0 ** (2 - bias), 2.0**64

    @Func
    def frexp(x):
        small = abs(x) < tiny
        scaled = bit_cast(select(small, x * up, x), integer)
        power = cast((scaled >> digits) & mask, int32) - (bias - 1) - select(small, 64, 0)
        fraction = (scaled & ~cast(mask << digits, integer)) | cast((bias - 1) << digits, integer)
        special = (x == 0) or isnan(x) or isinf(x)
        return select(special, x, bit_cast(fraction, floating)), select(special, 0, power)

    return frexp


isnan, isinf = FUNCTIONS["isnan"], FUNCTIONS["isinf"]
_FREXP = {"float32": _frexp_function(32, 23, 127), "float64": _frexp_function(64, 52, 1023)}


def _frexp(lowering, args, kwargs):
    (x,) = args
    x = lowering.emitter.scalar(x)
    if x.dtype not in _FREXP:
        raise KernelTypeError(f"frexp: got {x.dtype}, allowed are float32 and float64")
    return lowering.inline(_FREXP[x.dtype], [x], {})


FUNCTIONS["frexp"] = Function("frexp", math.frexp, _frexp)
