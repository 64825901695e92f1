# SPDX-License-Identifier: Apache-2.0
"""MLX's modules with MLX's meaning, over joggle's arrays: core, nn, optimizers and utils.

Where the Array API standard and MLX say different things of one name, joggle has the standard's
meaning and joggle.mlx.core has MLX's (docs/mlx.md). The arrays are the same, and pass freely
between both.

`install()` puts the package under the name `mlx` in this process, so that programs which were
written for MLX import it; `python -m joggle.mlx FILE` or `-m MODULE` runs such a program so, and
the processes that it starts.
"""

import importlib as _importlib

from joggle._aliases.install import alias_own as _alias_own
from joggle._aliases.install import install as _install

__all__ = ["core", "install", "nn", "optimizers", "utils"]

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from joggle import nn as nn
    from joggle import optimizers as optimizers
    from joggle import utils as utils
    from joggle.mlx import core as core
del TYPE_CHECKING


_alias_own()


def install(*, children=False):
    """Lets `import mlx.core` and the like import joggle.mlx in this process.

    With children also in the Python processes that this one starts, by the environment variables
    PYTHONPATH and JOGGLE_ALIASES; those that ignore them, as `python -I` does, are left out.
    Calling it again changes nothing. RuntimeError if another mlx has been imported already.

    >>> import joggle.mlx
    >>> joggle.mlx.install()
    >>> import mlx.core as mx
    >>> mx.array([1, 2]).dtype
    joggle.int32
    """
    _install("mlx", children=children)


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = "joggle.mlx.core" if name == "core" else f"joggle.{name}"
    globals()[name] = module = _importlib.import_module(place)
    return module


def __dir__():
    return sorted({*globals(), *__all__})
