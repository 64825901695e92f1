# SPDX-License-Identifier: Apache-2.0
"""Polynomials as vectors of their coefficients, the highest power first.

What decides how many coefficients a result has, zeros at the front, is computed at the call.
"""

from joggle import _core
from joggle import linalg as _linalg
from joggle._namespace import finfo
from joggle._numpy._arguments import on_stream
from joggle._numpy._meeting import as_common, as_floats, count_of, is_kind, vector


def _without_leading_zeros(p):
    """p from its first coefficient on that is not zero; of none, a zero."""
    if p.size == 0:
        return _core.zeros((1,), dtype=p.dtype)
    if p[0].item() != 0:
        return p
    places = _core.flatnonzero(p)
    return p[places[0].item() :] if places.size else p[:1]


def _powers(p):
    """The powers of the coefficients but the last, from the highest down, in a dtype of p's kind"""
    kind = p.dtype if is_kind(p, "real floating", "complex floating") else _core.int64
    return _core.astype(_core.arange(p.size - 1, 0, -1), kind, copy=False)


def _conjugates_are_in(roots):
    """Whether each root's conjugate is one, too: then the polynomial is real."""
    return _core.array_equal(_core.sort(roots), _core.sort(_core.conj(roots))).item()


@on_stream
def poly(seq_of_zeros, *, stream=None):
    """The polynomial that has the roots given, or the characteristic one of a square matrix.

    Complex roots, which are evaluated, give real numbers if each comes with its conjugate.

    dtypes: promoted; bool and integers become the default float.
    shape: one more than there are roots; () of none.
    raises: TypeError, ValueError for other shapes.

    >>> jg.poly(jg.array([1.0, 2.0]))
    array([ 1., -3.,  2.], dtype=float32)
    """
    (roots,) = as_floats(seq_of_zeros)
    roots = _core.ravel(roots) if roots.ndim == 0 else roots
    is_real = False
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] != 0:
        is_real = is_kind(roots, "real floating")
        roots = _linalg.eigvals(roots)
    elif roots.ndim != 1:
        raise ValueError(
            f"[poly] seq_of_zeros: has shape {roots.shape}, allowed is a vector or a square matrix"
        )
    if roots.size == 0:
        return _core.ones((), dtype=_core.real(roots).dtype)
    result = _core.ones((1,), dtype=roots.dtype)
    end = _core.zeros((1,), dtype=roots.dtype)
    for at in range(roots.size):
        times_x, times_root = _core.concat([result, end]), _core.concat([end, result])
        result = times_x - roots[at] * times_root
    if is_kind(roots, "complex floating") and (is_real or _conjugates_are_in(roots)):
        return _core.real(result)
    return result


@on_stream
def roots(p, *, stream=None):
    """The roots of a polynomial, the eigenvalues of its companion matrix. Computes p.

    dtypes: complex64, or complex128 of 64 bits.
    shape: one axis, of as many as the highest power that is not zero.
    raises: TypeError, ValueError for several axes.

    >>> jg.roots(jg.array([1.0, -3.0, 2.0]))
    array([2.+0.j, 1.+0.j], dtype=complex64)
    """
    p = vector("roots", "p", *as_floats(p))
    complex_dtype = _core.result_type(p.dtype, _core.complex64)
    places = _core.flatnonzero(p)
    if places.size == 0:
        return _core.zeros((0,), dtype=complex_dtype)
    first, last = places[0].item(), places[-1].item()
    zeros = _core.zeros((p.size - 1 - last,), dtype=complex_dtype)
    p = p[first : last + 1]
    if p.size < 2:
        return zeros
    top = _core.negative(p[1:]) / p[0]
    below = _core.eye(p.size - 2, p.size - 1, dtype=p.dtype)
    found = _linalg.eigvals(_core.concat([top[None], below]))
    return _core.concat([found, zeros])


@on_stream
def polyval(p, x, *, stream=None):
    """The polynomial at each element of x, by Horner's rule.

    dtypes: promoted; bool is refused.
    shape: that of x.
    raises: TypeError, ValueError for coefficients without or with several axes.

    >>> jg.polyval(jg.array([3, 0, 1]), 5)
    array(76, dtype=int64)
    """
    p, x = as_common(p, x)
    if p.ndim != 1:
        raise ValueError(f"[polyval] p: has {p.ndim} axes, allowed is one")
    result = _core.zeros_like(x)
    for at in range(p.size):
        result = result * x + p[at]
    return result


def _same_length(name, a1, a2):
    a1, a2 = as_common(a1, a2)
    a1, a2 = vector(name, "a1", a1), vector(name, "a2", a2)
    length = max(a1.size, a2.size)
    return [_core.pad(p, (length - p.size, 0)) for p in (a1, a2)]


@on_stream
def polyadd(a1, a2, *, stream=None):
    """The sum of two polynomials.

    dtypes: promoted; bool is refused.
    shape: that of the longer one.
    raises: TypeError, ValueError for several axes.

    >>> jg.polyadd(jg.array([1, 2]), jg.array([9, 5, 4]))
    array([9, 6, 6], dtype=int64)
    """
    return _core.add(*_same_length("polyadd", a1, a2))


@on_stream
def polysub(a1, a2, *, stream=None):
    """The difference of two polynomials.

    dtypes: promoted; bool is refused.
    shape: that of the longer one.
    raises: TypeError, ValueError for several axes.

    >>> jg.polysub(jg.array([2, 10, -2]), jg.array([3, 10, -4]))
    array([-1,  0,  2], dtype=int64)
    """
    return _core.subtract(*_same_length("polysub", a1, a2))


@on_stream
def polymul(a1, a2, *, stream=None):
    """The product of two polynomials, whose leading zeros are dropped, which evaluates them.

    dtypes: promoted; bool is refused.
    shape: the lengths of both, less 1.
    raises: TypeError, ValueError for several axes.

    >>> jg.polymul(jg.array([1, 2, 3]), jg.array([9, 5, 1]))
    array([ 9, 23, 38, 17,  3], dtype=int64)
    """
    a1, a2 = as_common(a1, a2)
    a1, a2 = vector("polymul", "a1", a1), vector("polymul", "a2", a2)
    return _core.convolve(_without_leading_zeros(a1), _without_leading_zeros(a2))


@on_stream
def polydiv(u, v, *, stream=None):
    """(quotient, remainder) of two polynomials: u = quotient * v + remainder.

    Leading coefficients of the remainder that are within 1e-8 of zero are dropped, which
    evaluates them.

    dtypes: promoted; bool and integers become the default float.
    shape: the lengths' difference plus 1 for the quotient, at least 1.
    raises: TypeError, ValueError for no coefficients and for several axes.

    >>> jg.polydiv(jg.array([3.0, 5.0, 2.0]), jg.array([2.0, 1.0]))
    (array([1.5 , 1.75], dtype=float32), array([0.25], dtype=float32))
    """
    u, v = as_floats(u, v)
    u, v = vector("polydiv", "u", u), vector("polydiv", "v", v)
    for argument, p in (("u", u), ("v", v)):
        if p.size == 0:
            raise ValueError(f"[polydiv] {argument}: has no coefficients, allowed is 1 and above")
    order = v.size - 1
    quotient, rest = [], u
    for _ in range(u.size - order):
        factor = rest[:1] / v[0]
        quotient.append(factor)
        rest = _core.concat([rest[1 : order + 1] - factor * v[1:], rest[order + 1 :]])
    zero = _core.zeros((1,), dtype=u.dtype)
    quotient = _core.concat(quotient) if quotient else zero
    counts = _core.flatnonzero(_core.abs(rest) > 1e-8) if rest.size else rest
    if counts.size == 0:
        return quotient, (rest[-1:] if rest.size else zero)
    return quotient, rest[counts[0].item() :]


@on_stream
def polyder(p, m=1, *, stream=None):
    """The m-th derivative of a polynomial.

    dtypes: promoted; small integers become 64 bits wide.
    shape: m fewer.
    raises: TypeError, ValueError for a negative m and for several axes.

    >>> jg.polyder(jg.array([1, 1, 1, 1]))
    array([3, 2, 1], dtype=int64)
    """
    p = vector("polyder", "p", p)
    for _ in range(count_of("polyder", "m", m)):
        p = p[:-1] * _powers(p)
    return p


@on_stream
def polyint(p, m=1, k=None, *, stream=None):
    """The m-th antiderivative of a polynomial; k are the constants of each, in order, or of all.

    dtypes: promoted; bool and integers become the default float.
    shape: m more.
    raises: TypeError, ValueError for a negative m, several axes and fewer constants than m.

    >>> jg.polyint(jg.array([3.0, 2.0, 1.0]), k=6)
    array([1., 1., 1., 6.], dtype=float32)
    """
    m = count_of("polyint", "m", m)
    p = vector("polyint", "p", p)
    if m == 0:
        return p
    p, k = as_floats(p, 0 if k is None else k)
    k = vector("polyint", "k", k)
    if k.size == 1:
        k = _core.broadcast_to(k, (m,))
    if k.size < m:
        raise ValueError(f"[polyint] k: got {k.size} constants, allowed are 1, {m} and more")
    for at in range(m):
        longer = _core.concat([p, k[at : at + 1]])
        p = _core.concat([p / _powers(longer), k[at : at + 1]])
    return p


def _check_points(x, y, w):
    if x.ndim != 1 or x.size == 0:
        raise ValueError(f"[polyfit] x: has shape {x.shape}, allowed is a vector of 1 and more")
    if y.ndim not in (1, 2) or y.shape[0] != x.size:
        raise ValueError(
            f"[polyfit] y: has shape {y.shape}, allowed is ({x.size},) or ({x.size}, n)"
        )
    if w is not None and w.shape != x.shape:
        raise ValueError(f"[polyfit] w: has shape {w.shape}, allowed is x's, {x.shape}")


def _covariance(matrix, scale, residuals, y, cov):
    """That of the coefficients that fit, by the residuals unless cov says "unscaled"."""
    points, count = matrix.shape
    inverse = _linalg.inv(matrix.mT @ matrix) / (scale[:, None] * scale)
    if cov != "unscaled":
        if points <= count:
            raise ValueError(
                f"[polyfit] cov: got {points} points, allowed are more than {count}, or "
                f'cov="unscaled"'
            )
        factor = residuals / (points - count)
        return inverse * factor if y.ndim == 1 else inverse[:, :, None] * factor
    return inverse if y.ndim == 1 else inverse[:, :, None]


@on_stream
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False, *, stream=None):
    """The polynomial of degree deg whose squared distances to the points (x, y) sum up to least.

    y has one column or several, each with a fit of its own; w are factors of the distances.
    Singular values of at most rcond times the largest count as zero, where the points say too
    little about a coefficient. With full also residuals, rank, singular values and rcond; with
    cov also the covariance of the coefficients, scaled by the residuals unless it is "unscaled".

    dtypes: promoted; bool and integers become the default float.
    shape: (deg + 1,), or (deg + 1, n) for n columns.
    raises: TypeError, ValueError for deg and shapes that do not fit, LinAlgError.

    >>> jg.polyfit(jg.array([0.0, 1.0, 2.0]), jg.array([1.0, 3.0, 5.0]), 1).round(3)
    array([2., 1.], dtype=float32)
    """
    deg = count_of("polyfit", "deg", deg)
    x, y = as_floats(x, y)
    w = None if w is None else _core.asarray(w, dtype=x.dtype)
    _check_points(x, y, w)
    rcond = x.size * finfo(x.dtype).eps if rcond is None else rcond
    matrix = _core.vander(x, deg + 1)
    if w is not None:
        matrix = matrix * w[:, None]
        y = y * (w if y.ndim == 1 else w[:, None])
    scale = _core.sqrt(_core.sum(_core.square(matrix), axis=0))
    matrix = matrix / scale
    solution, residuals, rank, values = _linalg.lstsq(matrix, y, rcond)
    fit = solution / (scale if y.ndim == 1 else scale[:, None])
    if full:
        return fit, residuals, rank, values, rcond
    if cov:
        return fit, _covariance(matrix, scale, residuals, y, cov)
    return fit
