# SPDX-License-Identifier: Apache-2.0
"""What NumPy has besides the standard's functions and MLX's, spelled in ops of the core.

A module is imported when one of its names is first asked for, so that `import joggle` stays quick.
docs/numpy.md tells what differs and what is absent.
"""

import importlib

# The names of each module, all that is public in it.
MODULES = {
    "choices": ("choose", "piecewise", "select"),
    "edit": (
        "delete",
        "diagflat",
        "fliplr",
        "flipud",
        "insert",
        "resize",
        "rollaxis",
        "trim_zeros",
    ),
    "join": ("append", "block", "column_stack", "dstack", "row_stack"),
    "place": ("copyto", "fill_diagonal", "place", "put", "putmask"),
    "split": ("dsplit", "hsplit", "vsplit"),
}

NAMES = {name: module for module, names in MODULES.items() for name in names}


def load(name):
    """The thing of that name; AttributeError if there is none."""
    try:
        module = NAMES[name]
    except KeyError:
        raise AttributeError(f"module 'joggle' has no attribute '{name}'") from None
    return getattr(importlib.import_module(f"joggle._numpy.{module}"), name)
