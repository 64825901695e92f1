# SPDX-License-Identifier: Apache-2.0
"""The libraries that joggle is measured against. A missing one stays in the tables as absent."""

import importlib
import os

MODULES = {
    "joggle": "joggle",
    "numpy": "numpy",
    "torch": "torch",
    "jax": "jax",
    "mlx": "mlx.core",
    "tvm_ffi": "tvm_ffi",
}
_loaded = {}


class Absent(str):
    """Why a peer takes no part; stands where its code would."""


def load(name):
    """The peer's module, or an Absent."""
    if name not in _loaded:
        try:
            _loaded[name] = importlib.import_module(MODULES[name])
        except Exception as error:  # not installed, or installed and broken
            _loaded[name] = Absent(f"{type(error).__name__}: {error}".splitlines()[0])
    return _loaded[name]


def on(name, make):
    """make(module) where the peer is present, else its Absent; a failure to make is one as well."""
    module = load(name)
    if isinstance(module, Absent):
        return module
    try:
        return make(module)
    except Exception as error:
        return Absent(f"failed: {type(error).__name__}: {error}".splitlines()[0])


def versions():
    """The version of each peer that has been loaded."""
    return {
        name: getattr(module, "__version__", "unknown")
        for name, module in _loaded.items()
        if not isinstance(module, Absent)
    }


def limit_threads(count):
    """Lets this process, and every thread pool that it will start, have `count` cores.

    Must run before the first load(): pools are sized when a library is imported.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(count)
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, set(cores[-count:]))
