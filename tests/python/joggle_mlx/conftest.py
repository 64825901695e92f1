# SPDX-License-Identifier: Apache-2.0
"""The calls of MLX's functions that these tests share with those of joggle lie one directory up."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
