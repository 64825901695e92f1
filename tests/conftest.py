# SPDX-License-Identifier: Apache-2.0
"""Every test starts with the processor's usual rules for floats.

quadrants.init has the thread that calls it take subnormal numbers for 0, for good.
"""

import ctypes

import pytest

_DEFAULT_ENVIRONMENT = ctypes.c_void_p(-1)  # FE_DFL_ENV of <fenv.h>
_libm = ctypes.CDLL("libm.so.6")


@pytest.fixture(autouse=True)
def usual_floats():
    _libm.fesetenv(_DEFAULT_ENVIRONMENT)


def pytest_addoption(parser):
    parser.addoption(
        "--long", action="store_true", help="run random programs for an hour, not a minute"
    )
