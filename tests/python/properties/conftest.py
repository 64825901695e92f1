# SPDX-License-Identifier: Apache-2.0
"""Properties of every op: their tests see the helpers of tests/python, and draw the same examples
in every run. EXAMPLES=500 in the environment draws more, and others each time."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

EXAMPLES = os.environ.get("EXAMPLES")
settings.register_profile(
    "properties",
    max_examples=int(EXAMPLES or 8),
    derandomize=EXAMPLES is None,
    phases=[Phase.generate] if EXAMPLES is None else [Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
