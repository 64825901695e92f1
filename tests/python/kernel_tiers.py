# SPDX-License-Identifier: Apache-2.0
"""Every kernel test runs twice: compiled, and on the reference interpreter of the kernel's text."""

import pytest
from build_parts import has_compiler
from ir_reference import Reference
from thread_counts import with_threads

import joggle.fields as qd
from joggle._kernel.ir import launches


@pytest.fixture(params=["reference", "compiled"])
def tier(request, monkeypatch):
    """How the kernels of a test run."""
    if request.param == "compiled" and not has_compiler():
        pytest.skip("this build has no compiler")
    if request.param == "reference":
        monkeypatch.setattr(launches, "load", Reference)
    qd.init()
    yield request.param
    qd.reset()


@pytest.fixture
def compiler():
    """For tests that only compiled kernels can pass, or pass in time."""
    if not has_compiler():
        pytest.skip("this build has no compiler")
    qd.init()
    yield
    qd.reset()


@pytest.fixture(params=[1, 4])
def threads(request):
    """How many threads share a loop."""
    with with_threads(request.param) as count:
        yield count
