# SPDX-License-Identifier: Apache-2.0
"""What tests of devices share."""

from pathlib import Path

import pytest

import joggle as jg

DECLARATIONS = Path(__file__).resolve().parents[2] / "conformance/declarations.h"


@pytest.fixture
def quick_builds(monkeypatch):
    """PoCL compiles with a short header and optimizes nothing, as in tests/c/meson.build: sweeps
    have many texts."""
    if " " not in str(DECLARATIONS):
        flags = f"-D_OPENCL_H_ -DDECLARATIONS=<{DECLARATIONS}> -cl-opt-disable"
        monkeypatch.setenv("POCL_EXTRA_BUILD_FLAGS", flags)


@pytest.fixture
def no_fallback():
    """Falling back to the host is an error."""
    before = jg.get_option("device_fallback")
    jg.set_option("device_fallback", "error")
    yield
    jg.set_option("device_fallback", before)
