# SPDX-License-Identifier: Apache-2.0
"""Views, joins and paddings as torch has them."""

import torch

from joggle import _core
from joggle._torch.dtypes import OURS, cast, fitting

_aten = torch.ops.aten


def view(node, x, *args, **kwargs):
    """Whatever gives the elements in their order another shape."""
    return _core.reshape(x, tuple(node.like.shape))


def expand(node, x, *args, **kwargs):
    return _core.broadcast_to(x, tuple(node.like.shape))


def permute(node, x, dims):
    return _core.permute_dims(x, tuple(d % x.ndim for d in dims)) if x.ndim else x


def transpose(node, x, dim0, dim1):
    return _core.swapaxes(x, dim0, dim1) if x.ndim else x


def select(node, x, dim, index):
    dim = dim % x.ndim
    return x[(slice(None),) * dim + (index,)]


def part(node, x, dim=0, start=None, end=None, step=1):
    return x[_part(x, dim, start, end, step)]


def _part(x, dim, start, end, step):
    """Bounds are cut to the extent."""
    dim = dim % x.ndim
    return (slice(None),) * dim + (slice(start, end, step),)


def put_part(node, x, source, dim=0, start=None, end=None, step=1):
    return x.at[_part(x, dim, start, end, step)].set(cast(source, node.like.dtype))


def put_selected(node, x, source, dim, index):
    dim = dim % x.ndim
    return x.at[(slice(None),) * dim + (index,)].set(cast(source, node.like.dtype))


def split(node, x, sizes, dim=0):
    at, parts = 0, []
    for size in sizes:
        parts.append(x[_part(x, dim, at, at + size, 1)])
        at += size
    return tuple(parts)


def diagonal(node, x, offset=0, dim1=0, dim2=1):
    return _core.diagonal(x, offset, dim1, dim2)


def flip(node, x, dims):
    if x.ndim == 0 or len(dims) == 0:
        return x
    return _core.flip(x, axis=tuple(d % x.ndim for d in dims))


def repeat(node, x, repeats):
    x = _core.reshape(x, (1,) * (len(repeats) - x.ndim) + x.shape)
    return _core.tile(x, tuple(repeats)) if x.ndim else x


def concatenate(node, arrays, dim=0):
    """Vectors without elements are left out, whatever the others' shapes."""
    turned = _turned(node, dim)
    if turned is not None:
        return turned
    parts = [x for x in arrays if x.shape != (0,)] or list(arrays)[:1]
    parts = [cast(x, node.like.dtype) for x in parts]
    return _core.concat(parts, axis=dim % parts[0].ndim) if len(parts) > 1 else parts[0]


def _turned(node, dim):
    """The halves of x exchanged, and the second one negated, as rotary embeddings have it: a view
    and a product, so that it is fused with what goes on. None for another join."""
    source = _turned_source(node.args[0], dim % max(node.like.dim(), 1))
    x = node.values.get(source) if source is not None else None
    if x is None or x.dtype != OURS[node.like.dtype]:
        return None
    dim, half = dim % x.ndim, x.shape[dim % x.ndim] // 2
    halves = _core.reshape(x, (*x.shape[:dim], 2, half, *x.shape[dim + 1 :]))
    turned = _core.reshape(_core.flip(halves, axis=dim), x.shape)
    signs = _core.asarray([-1.0] * half + [1.0] * half, dtype=x.dtype)
    return _core.multiply(turned, _core.reshape(signs, (2 * half,) + (1,) * (x.ndim - dim - 1)))


def _turned_source(parts, dim):
    """The node of which a join has the halves so, None where it has not."""
    if len(parts) != 2 or parts[0].target is not _aten.neg.default:
        return None
    second, first = parts[0].args[0], parts[1]
    if any(x.target is not _aten.slice.Tensor for x in (first, second)):
        return None
    source = first.args[0]
    like = source.meta["val"]
    if second.args[0] is not source or not like.dtype.is_floating_point or like.dim() == 0:
        return None
    extent = like.shape[dim]
    ends = [_ends(x, like.dim(), extent) for x in (first, second)]
    half = extent // 2
    has_halves = extent % 2 == 0 and extent > 0
    return source if has_halves and ends == [(dim, 0, half), (dim, half, extent)] else None


def _ends(node, ndim, extent):
    """The axis of a slice, and where it begins and ends; None for one with steps."""
    _, dim, start, end, step = (*node.args, *(0, None, None, 1)[len(node.args) - 1 :])
    start, end = 0 if start is None else start, extent if end is None else end
    if step != 1:
        return None
    start, end = (x + extent if x < 0 else min(x, extent) for x in (start, end))
    return dim % ndim, start, end


def pad_constant(node, x, pad, value=0):
    """pad has two numbers for each axis from the last on; negative ones cut."""
    widths = [(0, 0)] * x.ndim
    for i in range(len(pad) // 2):
        widths[x.ndim - 1 - i] = (pad[2 * i], pad[2 * i + 1])
    cut = tuple(
        slice(max(-low, 0), x.shape[i] - max(-high, 0)) for i, (low, high) in enumerate(widths)
    )
    if any(low < 0 or high < 0 for low, high in widths):
        x = x[cut]
    widths = [(max(low, 0), max(high, 0)) for low, high in widths]
    if not any(low or high for low, high in widths):
        return x
    value = fitting(value, node.like.dtype)
    fill = _core.full((), value, dtype=OURS[node.like.dtype])
    return _core.pad(x, widths, constant_values=fill)


def as_strided(node, x, size, stride, storage_offset=None):
    return _core.as_strided(x, tuple(size), tuple(stride), storage_offset or 0)


def is_whole(node):
    """Whether strides count from the first element. The result of as_strided_scatter lies in its
    storage as the argument does in its own, which its description in the graph does not tell."""
    is_scatter = node.args[0].target is torch.ops.aten.as_strided_scatter.default
    return is_storage(node.given[0]) and not is_scatter


def is_storage(x):
    """Whether a tensor's elements in row-major order are its storage."""
    return (
        isinstance(x, torch.Tensor)
        and x.is_contiguous()
        and x.storage_offset() == 0
        and x.untyped_storage().nbytes() == x.numel() * x.element_size()
    )
