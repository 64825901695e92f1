# SPDX-License-Identifier: Apache-2.0
"""Weighted means, covariance and correlation."""

from joggle import _core
from joggle._numpy._arguments import axis_of, on_stream
from joggle._numpy._meeting import as_common, as_floats, is_kind


def _axes(axis, ndim):
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return [axis_of(each, ndim, "average") for each in axes]


def _beside(a, weights, axis):
    """The weights with the axes of a, in a's order."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError(
            f"[average] axis: got None for weights of shape {weights.shape}, allowed is that "
            f"for a's shape alone, {a.shape}"
        )
    axes = _axes(axis, a.ndim)
    extents = tuple(a.shape[each] for each in axes)
    if weights.shape != extents:
        raise ValueError(
            f"[average] weights: has shape {weights.shape}, allowed are a's, {a.shape}, "
            f"and {extents}"
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = [a.shape[each] if each in axes else 1 for each in range(a.ndim)]
    return _core.reshape(_core.permute_dims(weights, order), shape)


@on_stream
def average(a, axis=None, weights=None, returned=False, *, keepdims=False, stream=None):
    """The mean over axes, all if None, in which each element counts as much as its weight says.

    weights has a's shape, or that of the axes. With returned also the sums of the weights. Where
    they sum to zero the mean is NaN or infinite.

    dtypes: promoted; bool and integers become the default float.
    shape: a without the axes; with keepdims, 1 in their place.
    raises: TypeError for weights of another shape without an axis, AxisError for axis,
        ValueError for shapes that do not fit.

    >>> jg.average(jg.array([1.0, 2.0, 4.0]), weights=jg.array([3.0, 0.0, 1.0]))
    array(1.75, dtype=float32)
    """
    if weights is None:
        (a,) = as_floats(a)
        mean = _core.mean(a, axis, keepdims)
        count = a.size // mean.size if mean.size else 0
        return (mean, _core.full_like(mean, count)) if returned else mean
    a, weights = as_floats(a, weights)
    weights = _core.broadcast_to(_beside(a, weights, axis), a.shape)
    total = _core.sum(weights, axis, keepdims=keepdims)
    mean = _core.sum(a * weights, axis, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def _rows(name, argument, x, rowvar):
    """Variables in the rows of a matrix; a vector is one variable."""
    if x.ndim > 2:
        raise ValueError(f"[{name}] {argument}: has {x.ndim} axes, allowed are at most 2")
    if x.ndim < 2:
        return _core.reshape(x, (1, -1))
    return x if rowvar else x.mT


def _joined(name, m, y, rowvar, dtype):
    if y is None:
        (m,) = as_floats(m)
        rows = _rows(name, "m", m, rowvar)
    else:
        m, y = as_floats(m, y)
        first, second = _rows(name, "m", m, rowvar), _rows(name, "y", y, rowvar)
        if first.shape[1] != second.shape[1]:
            raise ValueError(
                f"[{name}] y: has {second.shape[1]} observations, allowed are m's, {first.shape[1]}"
            )
        rows = _core.concat([first, second])
    return rows if dtype is None else _core.astype(rows, dtype, copy=False)


def _check_weights(argument, weights, count, whole):
    """ValueError for invalid weights; computes them."""
    weights = _core.asarray(weights)
    if weights.shape != (count,):
        raise ValueError(
            f"[cov] {argument}: has shape {weights.shape}, allowed is ({count},), one for each "
            f"observation"
        )
    if count and (least := _core.min(weights).item()) < 0:
        raise ValueError(f"[cov] {argument}: has {least}, allowed is 0 and above")
    if whole and _core.any(broken := weights != _core.round(weights)).item():
        first = weights[_core.nonzero(broken)[0][0]].item()
        raise TypeError(f"[cov] {argument}: has {first}, allowed are whole numbers")
    return weights


def _weights_of(rows, fweights, aweights):
    """The product of both, and of the analytic ones alone; None for what is not given."""
    count = rows.shape[1]
    dtype = _core.real(rows).dtype
    if fweights is not None:
        fweights = _core.astype(
            _check_weights("fweights", fweights, count, True), dtype, copy=False
        )
    if aweights is not None:
        aweights = _core.astype(
            _check_weights("aweights", aweights, count, False), dtype, copy=False
        )
    if fweights is None or aweights is None:
        return (aweights if fweights is None else fweights), aweights
    return fweights * aweights, aweights


def _degrees_of_freedom(rows, weights, analytic, ddof):
    if weights is None:
        return max(rows.shape[1] - ddof, 0)
    total = _core.sum(weights)
    if ddof == 0:
        return total
    if analytic is None:
        return _core.maximum(total - ddof, 0)
    return _core.maximum(total - ddof * _core.sum(weights * analytic) / total, 0)


def _covariance(rows, ddof=1, weights=None, analytic=None):
    dtype = _core.real(rows).dtype
    centred = rows - average(rows, 1, weights, keepdims=True)
    weighted = centred if weights is None else centred * weights
    freedom = _degrees_of_freedom(rows, weights, analytic, ddof)
    sums = _core.matmul(centred, _core.conj(weighted.mT))
    return sums / _core.asarray(freedom, dtype=dtype)


@on_stream
def cov(
    m,
    y=None,
    rowvar=True,
    bias=False,
    ddof=None,
    fweights=None,
    aweights=None,
    *,
    dtype=None,
    stream=None,
):
    """The covariance of variables, which are the rows of m, and of y; without rowvar the columns.

    Sums of squares are divided by the number of observations less ddof, which is 1, or 0 with
    bias, unless it is given. fweights says how often each observation is there, aweights how much
    it counts; they are looked at.

    dtypes: promoted; bool and integers become the default float, unless dtype says otherwise.
    shape: (n, n) for n variables, () for one.
    raises: TypeError for fweights that are not whole, ValueError for ddof, negative weights and
        shapes that do not fit.

    >>> jg.cov(jg.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"[cov] ddof: got {ddof}, allowed is an int")
    rows = _joined("cov", m, y, rowvar, dtype)
    if rows.shape[0] == 0:
        return _core.zeros((0, 0), dtype=rows.dtype)
    ddof = (0 if bias else 1) if ddof is None else int(ddof)
    weights, analytic = _weights_of(rows, fweights, aweights)
    return _core.squeeze(_covariance(rows, ddof, weights, analytic))


def _clipped(x):
    """Parts beyond 1, by rounding, brought back; NaN stays."""
    if is_kind(x, "complex floating"):
        return _clipped(_core.real(x)) + 1j * _clipped(_core.imag(x))
    return _core.clip(x, -1, 1)


@on_stream
def corrcoef(x, y=None, rowvar=True, *, dtype=None, stream=None):
    """The correlation of variables: their covariance over both standard deviations.

    dtypes: promoted; bool and integers become the default float, unless dtype says otherwise.
    shape: (n, n) for n variables, () for one.
    raises: TypeError, ValueError for shapes that do not fit.

    >>> jg.corrcoef(jg.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    rows = _joined("corrcoef", x, y, rowvar, dtype)
    if rows.shape[0] == 0:
        return _core.zeros((0, 0), dtype=rows.dtype)
    covariance = _covariance(rows)
    deviations = _core.sqrt(_core.real(_core.diagonal(covariance)))
    result = _clipped(covariance / deviations[:, None] / deviations)
    return _core.squeeze(result)


@on_stream
def correlate(a, v, mode="valid", *, stream=None):
    """Sums of a's elements times v's conjugates, for each place of v along a.

    Where both overlap in full, or with mode "same" as many as the longer has, or "full" all.

    dtypes: promoted; bool is refused.
    shape: as convolve's.
    raises: TypeError, ValueError for mode and what is no vector.

    >>> jg.correlate(jg.array([1.0, 2.0, 3.0]), jg.array([0.0, 1.0, 0.5]), "same")
    array([2. , 3.5, 3. ], dtype=float32)
    """
    a, v = as_common(a, v)
    for argument, x in (("a", a), ("v", v)):
        if x.ndim != 1 or x.size == 0:
            raise ValueError(
                f"[correlate] {argument}: has shape {x.shape}, allowed is a vector of 1 and more"
            )
    if mode not in ("full", "same", "valid"):
        raise ValueError(f'[correlate] mode: got {mode!r}, allowed are "full", "same" and "valid"')
    if v.size > a.size:
        return _core.flip(_core.conj(correlate(v, a, mode)))
    return _core.convolve(a, _core.flip(_core.conj(v)), mode)
