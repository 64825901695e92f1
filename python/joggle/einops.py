# SPDX-License-Identifier: Apache-2.0
"""Importing this module lets einops take joggle's arrays: rearrange, reduce, repeat, pack, einsum.

    import joggle.einops
    from einops import rearrange

`einops.array_api` takes them without it.
"""

from einops._backends import AbstractBackend

import joggle


class JoggleBackend(AbstractBackend):
    """The functions that einops needs of a framework, besides reshape, transpose and reductions by
    name."""

    framework_name = "joggle"

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, joggle.array)

    def from_numpy(self, x):
        return joggle.asarray(x)

    def to_numpy(self, x):
        return x.__array__()

    def arange(self, start, stop):
        return joggle.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors):
        return joggle.stack(tensors)

    def add_axis(self, x, new_position):
        return joggle.expand_dims(x, new_position)

    def tile(self, x, repeats):
        return joggle.tile(x, repeats)

    def concat(self, tensors, axis):
        return joggle.concat(tensors, axis=axis)

    def is_float_type(self, x):
        return joggle.issubdtype(x.dtype, joggle.floating)

    def einsum(self, pattern, *x):
        return joggle.einsum(pattern, *x)
