# SPDX-License-Identifier: Apache-2.0
"""What tests of devices share."""

import pytest

import joggle as jg


@pytest.fixture
def no_fallback():
    """Falling back to the host is an error."""
    before = jg.get_option("device_fallback")
    jg.set_option("device_fallback", "error")
    yield
    jg.set_option("device_fallback", before)
