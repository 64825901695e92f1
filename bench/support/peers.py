# SPDX-License-Identifier: Apache-2.0
"""The libraries that joggle is measured against. A missing one stays in the tables as absent."""

import importlib
import os
import sys

MODULES = {
    "joggle": "joggle",
    "numpy": "numpy",
    "numexpr": "numexpr",
    "numba": "numba",
    "torch": "torch",
    "jax": "jax",
    "mlx": "mlx.core",
    "quadrants": "quadrants",
    "warp": "warp",
    "tvm_ffi": "tvm_ffi",
}
THREAD_VARIABLES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "JOGGLE")
# What keeps each library off wider instructions. MLX and numexpr have no such option.
KEPT_TO = {
    "avx2": {
        "JOGGLE_ISA": "avx2",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Haswell",
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
        "NUMBA_CPU_NAME": "haswell",
    }
}
_loaded = {}
_settings = {"threads": 1, "compiling": True}


class Absent(str):
    """Why a peer takes no part; stands where its code would."""


def _set_up(name, module):
    if name == "jax":
        module.config.update("jax_enable_x64", True)
    if name == "warp":
        module.config.log_level = module.LOG_WARNING
        module.set_device("cpu")
    if name == "quadrants":
        module.init(
            arch=module.cpu, cpu_max_num_threads=_settings["threads"], log_level=module.ERROR
        )
    return module


def load(name):
    """The peer's module, or an Absent."""
    if name not in _loaded:
        try:
            if name == "quadrants":  # else it brings a distutils that torch.compile refuses
                importlib.import_module("setuptools")
            _loaded[name] = _set_up(name, importlib.import_module(MODULES[name]))
        except Exception as error:  # not installed, or installed and broken
            _loaded[name] = Absent(f"{type(error).__name__}: {error}".splitlines()[0])
    return _loaded[name]


def leave_out(names):
    """Lets those libraries be absent, whatever is installed."""
    _loaded.update({name: Absent("left out: not asked for") for name in names})


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
    there = {name: module for name, module in _loaded.items() if not isinstance(module, Absent)}
    found = {name: getattr(module, "__version__", "unknown") for name, module in there.items()}
    return {
        name: ".".join(map(str, version)) if isinstance(version, tuple) else str(version)
        for name, version in found.items()
    }


def threads():
    return _settings["threads"]


def is_compiling():
    """Whether torch.compile takes part, which needs a C++ compiler and seconds for each case."""
    return _settings["compiling"]


def set_up(threads, compiling, instructions=None):
    """Lets this process, and every thread pool that it will start, have that many cores, and keeps
    who can be kept to `instructions`, a key of KEPT_TO.

    Must run before anything imports NumPy: pools are sized when a library is imported.
    """
    if "numpy" in sys.modules:
        raise RuntimeError("NumPy has been imported, and its pool may have more threads")
    _settings.update(threads=threads, compiling=compiling)
    for variable in THREAD_VARIABLES:
        os.environ[f"{variable}_NUM_THREADS"] = str(threads)
    os.environ.update(KEPT_TO.get(instructions, {}))
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, set(cores[-threads:]))
