# SPDX-License-Identifier: Apache-2.0
"""joggle as the Array API standard had it up to version 2024.12: three functions give lists where
they now give tuples. `x.__array_namespace__(api_version="2024.12")` is this module."""

import joggle as _joggle

__array_api_version__ = "2024.12"


def broadcast_arrays(*arrays):
    """The arrays, repeated without a copy to the shape that they have together, in a list."""
    return list(_joggle.broadcast_arrays(*arrays))


def meshgrid(*arrays, indexing="xy"):
    """The vectors repeated, without a copy, to a grid, in a list."""
    return list(_joggle.meshgrid(*arrays, indexing=indexing))


class _Info(type(_joggle.__array_namespace_info__())):
    def devices(self):
        """The devices that this process can use, in a list."""
        return list(super().devices())


def __array_namespace_info__():
    """The namespace's inspection object, as in the Array API standard."""
    return _Info()


def __getattr__(name):
    return getattr(_joggle, name)


def __dir__():
    return sorted({*globals(), *_joggle.__all__})
