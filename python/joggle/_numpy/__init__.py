# SPDX-License-Identifier: Apache-2.0
"""What NumPy has besides the standard's functions and MLX's, spelled in ops of the core.

A module is imported when one of its names is first asked for, so that `import joggle` stays quick.
docs/numpy.md tells what differs and what is absent.
"""

import importlib

# The names of each module, all that is public in it.
MODULES = {
    "bits": ("packbits", "unpackbits"),
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
    "functional": ("apply_along_axis", "apply_over_axes", "fromfunction", "fromiter", "vectorize"),
    "grids": ("c_", "index_exp", "mgrid", "ogrid", "r_", "s_"),
    "indices": (
        "diag_indices",
        "diag_indices_from",
        "indices",
        "ix_",
        "mask_indices",
        "ndenumerate",
        "ndindex",
        "ravel_multi_index",
        "tril_indices",
        "tril_indices_from",
        "triu_indices",
        "triu_indices_from",
        "unravel_index",
    ),
    "join": ("append", "block", "column_stack", "dstack", "row_stack"),
    "memory": ("may_share_memory", "shares_memory"),
    "place": ("copyto", "fill_diagonal", "place", "put", "putmask"),
    "queries": (
        "amax",
        "amin",
        "around",
        "array_equiv",
        "asanyarray",
        "asarray_chkfinite",
        "ascontiguousarray",
        "iscomplex",
        "iscomplexobj",
        "isreal",
        "isrealobj",
        "isscalar",
        "min_scalar_type",
        "ndim",
        "promote_types",
        "real_if_close",
        "shape",
        "size",
    ),
    "split": ("dsplit", "hsplit", "vsplit"),
    "tables": ("loadtxt", "savetxt"),
}

NAMES = {name: module for module, names in MODULES.items() for name in names}


def load(name):
    """The thing of that name; AttributeError if there is none."""
    try:
        module = NAMES[name]
    except KeyError:
        raise AttributeError(f"module 'joggle' has no attribute '{name}'") from None
    return getattr(importlib.import_module(f"joggle._numpy.{module}"), name)
