# SPDX-License-Identifier: Apache-2.0
"""Joggle: lazy arrays that compute in place on the tensors of other frameworks."""

import atexit as _atexit
import contextlib as _contextlib
import importlib.util as _util
import os as _os
from pathlib import Path as _Path

from joggle import _core
from joggle._core import *  # noqa: F403
from joggle._core import __version__

_HERE = _Path(__file__).resolve().parent


def get_include():
    """The directory of joggle's C headers, for a compiler's -I."""
    candidates = [_HERE / "include", *(parent / "include" for parent in _HERE.parents[:2])]
    return str(next(path for path in candidates if (path / "joggle" / "joggle.h").exists()))


def get_library_dir():
    """The directory of libjoggle.so.0, for a linker's -L and -rpath."""
    with _contextlib.suppress(OSError), open("/proc/self/maps") as maps:
        for line in maps:
            if "/libjoggle.so" in line:
                return str(_Path(line.split(maxsplit=5)[5].strip()).parent)
    return str(_HERE)


def transpose(x, axes=None):
    """x with its axes in reverse, or in the order given."""
    return permute_dims(x, axes)  # noqa: F405


def _find_blas():
    """Tells the library where the OpenBLAS of the scipy-openblas32 wheel lies, without importing it."""
    if _core.get_option("blas"):
        return
    spec = _util.find_spec("scipy_openblas32")
    for place in (spec and spec.submodule_search_locations) or ():
        path = _Path(place) / "lib" / "libscipy_openblas.so"
        if path.exists():
            _core.set_option("blas", str(path))


_find_blas()
_atexit.register(_core.synchronize)

__all__ = sorted(
    ["get_include", "get_library_dir", "transpose"]
    + [name for name in dir(_core) if not name.startswith("_")]
)
