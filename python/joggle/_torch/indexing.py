# SPDX-License-Identifier: Apache-2.0
"""Gathers and scatters as torch has them. Indices out of bounds are an IndexError while running."""

import torch

from joggle import _core
from joggle._torch.dtypes import OURS, cast, fitting


def has_integers(node):
    """Masks among the indices give shapes that depend on values; torch refuses other dtypes."""
    return all(i is None or OURS[i.dtype] in _UNSIGNED for i in node.given[1])


def _key(indices):
    return tuple(slice(None) if i is None else i for i in indices)


def index(node, x, indices):
    return x[_key(indices)] if any(i is not None for i in indices) else x


def index_put(node, x, indices, values, accumulate=False):
    place = x.at[_key(indices)]
    values = cast(values, node.like.dtype)
    return place.add(values) if accumulate else place.set(values)


_UNSIGNED = {OURS[torch.int32]: "uint32", OURS[torch.int64]: "uint64"}


def _from_start(places):
    """The same bits without a sign: what is below 0 is out of bounds, as it is for these operators
    of torch."""
    return places.view(_UNSIGNED[places.dtype])


def has_places(node):
    """Whether torch takes the dtype of the index; an empty one may have any, and any axes."""
    places = node.given[2]
    return OURS[places.dtype] in _UNSIGNED or places.numel() == 0


def index_select(node, x, dim, places):
    if x.ndim == 0:
        return x
    places = _from_start(_core.reshape(places, (-1,)))
    return _core.take(x, places, axis=dim % x.ndim)


def embedding(node, weight, places, *args, **kwargs):
    return _core.take(weight, _from_start(places), axis=0)


def _within(x, places, dim):
    """The part of x that places reach, which may be shorter along other axes."""
    extents = [
        slice(None) if i == dim else slice(0, extent) for i, extent in enumerate(places.shape)
    ]
    return x[tuple(extents)]


def gather(node, x, dim, places, sparse_grad=False):
    if places.size == 0:
        return _core.zeros(places.shape, dtype=x.dtype)
    places = _from_start(places)
    if x.ndim == 0 or places.ndim == 0:
        flat = _core.take(_core.reshape(x, (-1,)), _core.reshape(places, (-1,)), axis=0)
        return _core.reshape(flat, places.shape)
    dim = dim % x.ndim
    return _core.take_along_axis(_within(x, places, dim), places, axis=dim)


def _places(places, dim):
    """An index of arrays for each axis, of which places is that of dim."""
    grids = []
    for axis, extent in enumerate(places.shape):
        shape = [1] * places.ndim
        shape[axis] = extent
        grids.append(places if axis == dim else _core.reshape(_core.arange(extent), tuple(shape)))
    return tuple(grids)


def _scattered(method):
    def put(node, x, dim, places, source):
        if places.size == 0:
            return x
        if isinstance(source, (bool, int, float)):
            value = fitting(source, node.like.dtype)
            source = _core.full(places.shape, value, dtype=OURS[node.like.dtype])
        source, places = cast(source, node.like.dtype), _from_start(places)
        shape = x.shape
        if x.ndim == 0 or places.ndim == 0:
            x, places, source = (_core.reshape(a, (-1,)) for a in (x, places, source))
        source = source[tuple(slice(0, extent) for extent in places.shape)]
        found = getattr(x.at[_places(places, dim % x.ndim)], method)(source)
        return _core.reshape(found, shape)

    return put


scatter = _scattered("set")
scatter_add = _scattered("add")
_REDUCED = {
    "sum": scatter_add,
    "prod": _scattered("multiply"),
    "amax": _scattered("maximum"),
    "amin": _scattered("minimum"),
}


def scatter_reduce(node, x, dim, places, source, reduce, include_self=True):
    return _REDUCED[reduce](node, x, dim, places, source)


def is_reduced(node):
    return has_places(node) and node.given[4] in _REDUCED and node.named.get("include_self", True)
