# SPDX-License-Identifier: Apache-2.0
"""Every kernel test runs twice: compiled, and on the reference interpreter of the kernel's text."""

import pytest
from ir_reference import Reference

import joggle.fields as qd
from joggle import _core
from joggle._kernel import kernel as kernel_module

TIERS = ["reference", *(["compiled"] if hasattr(_core, "Kernel") else [])]


@pytest.fixture(params=TIERS)
def tier(request, monkeypatch):
    """How the kernels of a test run."""
    if request.param == "reference":
        monkeypatch.setattr(kernel_module, "load", Reference)
    qd.init()
    yield request.param
    qd.reset()
