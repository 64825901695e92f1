# SPDX-License-Identifier: Apache-2.0
"""Joggle: lazy arrays that compute in place on the tensors of other frameworks."""

# Only modules that the interpreter has loaded anyway are imported: import must be quick.
import atexit as _atexit
import importlib as _importlib
import os.path as _path
import sys as _sys

from joggle import (
    _bins,
    _core,
    _devices,
    _dtypes,
    _errors,
    _files,
    _graphs,
    _namespace,
    _numpy,
    _printing,
    _windows,
)
from joggle._bins import *  # noqa: F403
from joggle._core import *  # noqa: F403
from joggle._core import __version__ as __version__
from joggle._devices import *  # noqa: F403
from joggle._dtypes import *  # noqa: F403
from joggle._errors import *  # noqa: F403
from joggle._files import *  # noqa: F403
from joggle._graphs import *  # noqa: F403
from joggle._namespace import *  # noqa: F403
from joggle._namespace import __array_api_version__ as __array_api_version__
from joggle._namespace import __array_namespace_info__ as __array_namespace_info__
from joggle._printing import *  # noqa: F403
from joggle._trace import trace as trace
from joggle._windows import *  # noqa: F403

TYPE_CHECKING = False  # true for type checkers; the module typing takes long to import
if TYPE_CHECKING:
    from joggle import cuda as cuda
    from joggle import distributed as distributed
    from joggle import fast as fast
    from joggle import fft as fft
    from joggle import linalg as linalg
    from joggle import metal as metal
    from joggle import nn as nn
    from joggle import optimizers as optimizers
    from joggle import random as random
    from joggle import utils as utils
    from joggle._compile import *  # noqa: F403
    from joggle._export import *  # noqa: F403
    from joggle._jacobians import *  # noqa: F403
    from joggle._numpy.bits import *  # noqa: F403
    from joggle._numpy.calculus import *  # noqa: F403
    from joggle._numpy.choices import *  # noqa: F403
    from joggle._numpy.edit import *  # noqa: F403
    from joggle._numpy.functional import *  # noqa: F403
    from joggle._numpy.grids import *  # noqa: F403
    from joggle._numpy.histograms import *  # noqa: F403
    from joggle._numpy.indices import *  # noqa: F403
    from joggle._numpy.join import *  # noqa: F403
    from joggle._numpy.memory import *  # noqa: F403
    from joggle._numpy.place import *  # noqa: F403
    from joggle._numpy.polynomials import *  # noqa: F403
    from joggle._numpy.products import *  # noqa: F403
    from joggle._numpy.queries import *  # noqa: F403
    from joggle._numpy.sets import *  # noqa: F403
    from joggle._numpy.special import *  # noqa: F403
    from joggle._numpy.split import *  # noqa: F403
    from joggle._numpy.statistics import *  # noqa: F403
    from joggle._numpy.tables import *  # noqa: F403
    from joggle._transforms import *  # noqa: F403
    from joggle._vmap import *  # noqa: F403
del TYPE_CHECKING

_HERE = _path.dirname(_path.realpath(__file__))


def get_include():
    """The directory of joggle's C headers, for a compiler's -I.

    >>> jg.get_include().endswith("include")
    True
    """
    # In a wheel the headers lie in the package; in the source tree, beside python/.
    for place in (_HERE, _path.dirname(_path.dirname(_HERE))):
        if _path.exists(_path.join(place, "include", "joggle", "joggle.h")):
            return _path.join(place, "include")
    raise FileNotFoundError("joggle's headers are not where its package is")


def get_library_dir():
    """The directory of libjoggle.so.0, for a linker's -L and -rpath.

    >>> isinstance(jg.get_library_dir(), str)
    True
    """
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                if "/libjoggle.so" in line:
                    return _path.dirname(line.split(maxsplit=5)[5].strip())
    except OSError:
        pass
    return _HERE


def transpose(x, axes=None, *, stream=None):
    """x with its axes in reverse, or in the order given.

    >>> jg.transpose(jg.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]], dtype=int64)
    """
    return permute_dims(x, axes, stream=stream)  # noqa: F405


# Imported, as the modules of _numpy are, when they are first asked for.
_MODULES = (
    "cuda",
    "distributed",
    "fast",
    "fft",
    "fields",
    "linalg",
    "metal",
    "nn",
    "optimizers",
    "random",
    "utils",
)

# The same of single names: the module that each is in.
_LATER = {
    **dict.fromkeys(["compile", "disable_compile", "enable_compile"], "_compile"),
    **dict.fromkeys(["hessian", "jacfwd", "jacrev"], "_jacobians"),
    **dict.fromkeys(["grad", "jvp", "linearize", "value_and_grad", "vjp"], "_transforms"),
    "checkpoint": "_custom",
    "custom_function": "_custom",
    "FunctionExporter": "_export",
    "export_function": "_export",
    "exporter": "_export",
    "import_function": "_export",
    "vmap": "_vmap",
}


def __getattr__(name):
    if name in _MODULES:
        return _importlib.import_module(f"joggle.{name}")
    if name in _LATER:
        found = getattr(_importlib.import_module(f"joggle.{_LATER[name]}"), name)
    elif name in _numpy.NAMES:
        found = _numpy.load(name)
    else:
        raise _importlib.import_module("joggle._absent").module_error("joggle", name)
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *_LATER, *_MODULES, *_numpy.NAMES})


def _find(option, *parts):
    """Tells the library where pip has put a package that it opens a library of, unimported."""
    if _core.get_option(option):
        return
    for place in [_path.dirname(_HERE), *_sys.path]:
        path = _path.join(place, *parts)
        if _path.exists(path):
            _core.set_option(option, path)
            return


# Names that a module of the package has in a shorter form.
_IN_MODULES = ("distributed_", "fft_", "linalg_", "random_")
for _name in [name for name in globals() if name.startswith(_IN_MODULES)]:
    del globals()[_name]

_find("blas", "scipy_openblas32", "lib", "libscipy_openblas.so")
if not _path.exists(_path.join(_HERE, "libjoggle_jit.so")):
    _find("jit_library", "joggle_jit", "libjoggle_jit.so")
_atexit.register(_core.synchronize)

_PARTS = (_bins, _devices, _dtypes, _errors, _files, _graphs, _namespace, _printing, _windows)
__all__ = sorted(
    {name for module in _PARTS for name in module.__all__}
    | set(_MODULES)
    | set(_LATER)
    | set(_numpy.NAMES)
    | {"get_include", "get_library_dir", "trace", "transpose"}
    | {name for name in dir(_core) if not name.startswith(("_", *_IN_MODULES))}
)
