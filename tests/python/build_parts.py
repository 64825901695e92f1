# SPDX-License-Identifier: Apache-2.0
"""What the build of joggle has that is tested."""

from joggle import _core


def has_compiler():
    """Whether this build of joggle has the tier that compiles.

    One that is there and cannot be opened raises RuntimeError, which fails the tests.
    """
    try:
        _core.Kernel("kernel probe\n{\n}\n")()
    except NotImplementedError:
        return False
    return True
