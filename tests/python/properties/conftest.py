# SPDX-License-Identifier: Apache-2.0
"""Properties of every op: their tests see the helpers of tests/python, and draw the same examples
in every run. EXAMPLES=500 in the environment draws more, and others each time; --all draws more of
layouts and graphs, which are drawn in two tests for each op."""

import os

from hypothesis import HealthCheck, Phase, settings

EXAMPLES = os.environ.get("EXAMPLES")


def register(name, count):
    settings.register_profile(
        name,
        max_examples=int(EXAMPLES or count),
        derandomize=EXAMPLES is None,
        phases=[Phase.generate] if EXAMPLES is None else [Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def pytest_configure(config):
    in_full = config.getoption("--all") or config.getoption("--long")
    register("properties", 8)
    register("layouts", 8 if in_full else 4)
