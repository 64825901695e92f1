# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions that are neither the standard's nor MLX's, composed of ops of the core.

A module is imported when one of its names is first asked for, so that `import joggle` stays quick.
docs/numpy.md tells what differs and what is absent.
"""

import importlib

# The public names of each module.
MODULES = {
    "bits": ("packbits", "unpackbits"),
    "calculus": ("ediff1d", "geomspace", "gradient", "interp", "trapezoid", "unwrap"),
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
    "histograms": ("histogram2d", "histogram_bin_edges", "histogramdd"),
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
    "memory": ("asnumpy", "may_share_memory", "shares_memory"),
    "place": ("copyto", "fill_diagonal", "place", "put", "putmask"),
    "polynomials": (
        "poly",
        "polyadd",
        "polyder",
        "polydiv",
        "polyfit",
        "polyint",
        "polymul",
        "polysub",
        "polyval",
        "roots",
    ),
    "products": ("dot", "matvec", "vdot", "vecmat"),
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
    "sets": ("intersect1d", "lexsort", "setdiff1d", "setxor1d", "sort_complex", "union1d"),
    "special": ("i0", "kaiser", "sinc"),
    "split": ("dsplit", "hsplit", "vsplit"),
    "statistics": ("average", "corrcoef", "correlate", "cov"),
    "tables": ("loadtxt", "savetxt"),
}

NAMES = {name: module for module, names in MODULES.items() for name in names}


def load(name):
    """The object of that name, one of NAMES."""
    return getattr(importlib.import_module(f"joggle._numpy.{NAMES[name]}"), name)
