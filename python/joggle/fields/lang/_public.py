# SPDX-License-Identifier: Apache-2.0
"""The public names of joggle.fields in the modules of this package."""

import sys

from joggle.fields._absent import message_of


def public_of(module):
    """The __getattr__ of a module that has the public names of joggle.fields, and no others."""

    def __getattr__(name):
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            return getattr(sys.modules["joggle.fields"], name)
        except AttributeError:
            raise AttributeError(
                f"{message_of(module, name)}; it has what its source defines and the public names "
                "of joggle.fields"
            ) from None

    return __getattr__
