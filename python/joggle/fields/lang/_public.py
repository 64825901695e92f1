# SPDX-License-Identifier: Apache-2.0
"""The public names of joggle.fields in the modules of this package."""

import sys


def public_of(module):
    """The __getattr__ of a module that has the public names of joggle.fields, and no others."""

    def __getattr__(name):
        # While joggle.fields itself is imported it has not all of them, and says so.
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            return getattr(sys.modules["joggle.fields"], name)
        except AttributeError:
            raise AttributeError(
                f"module {module!r} has no attribute {name!r}; it has those in its source and the "
                "public names of joggle.fields"
            ) from None

    return __getattr__
