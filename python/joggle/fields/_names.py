# SPDX-License-Identifier: Apache-2.0
"""Names of Quadrants besides fields and kernels: its errors, which are subclasses of ours and of
Python's, the levels of its log, and queries about its settings."""

from enum import Enum as _Enum

from joggle._kernel.ir.messages import (
    KernelError,
    KernelNameError,
    KernelSyntaxError,
    KernelTypeError,
)
from joggle.fields._init import LEVELS as _LEVELS
from joggle.fields._init import config as _config

QuadrantsCompilationError = KernelError
QuadrantsSyntaxError = KernelSyntaxError
QuadrantsTypeError = KernelTypeError
QuadrantsNameError = KernelNameError
QuadrantsAssertionError = AssertionError
QuadrantsRuntimeError = RuntimeError
QuadrantsRuntimeTypeError = TypeError

TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL = _LEVELS


def _level(level):
    if level not in _LEVELS:
        raise ValueError(f"level: got {level!r}, allowed are {', '.join(_LEVELS)}")
    return _LEVELS.index(level)


def set_logging_level(level):
    """Sets the lowest level of messages. joggle writes none below warnings."""
    _level(level)
    _config.log_level = level


def is_logging_effective(level):
    """Whether messages of a level are written."""
    return _level(level) >= _level(_config.log_level)


class extension(_Enum):
    """The capabilities of kernels, as Quadrants names them."""

    sparse = "sparse"
    quant = "quant"
    mesh = "mesh"
    quant_basic = "quant_basic"
    data64 = "data64"
    adstack = "adstack"
    bls = "bls"
    assertion = "assertion"
    extfunc = "extfunc"


_ENABLED = frozenset(
    (
        extension.sparse,
        extension.quant,
        extension.quant_basic,
        extension.data64,
        extension.adstack,
        extension.assertion,
    )
)


def is_extension_enabled(ext):
    """Whether kernels can do it: cells that need not exist, numbers of few bits, 64 bits,
    derivatives of loops of any length, assertions."""
    return extension(ext) in _ENABLED


def dump_compile_config():
    """Prints the settings of qd.init."""
    for name, value in sorted(vars(_config).items()):
        print(f"{name}={value}")


def wrap(impl):
    """A field or ndarray as a tensor, which it is."""
    if not hasattr(impl, "_plane"):
        raise TypeError(
            f"impl: got {type(impl).__name__}, allowed are fields, ndarrays and tensors"
        )
    return impl


def pure(kernel):
    """Marks a kernel for Quadrants' cache as depending on its arguments alone."""
    return kernel
