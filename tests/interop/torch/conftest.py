# SPDX-License-Identifier: Apache-2.0
"""Dynamo measures each set of guards, for which it empties the processor's caches. The time that it
finds goes to a log that nobody reads here, and the tests that compile took a tenth longer."""

import sys

import pytest


@pytest.fixture(autouse=True)
def unmeasured_guards():
    guards = sys.modules.get("torch._dynamo.guards")
    if guards is not None:
        guards.profile_guard_manager = lambda *given: 0.0
