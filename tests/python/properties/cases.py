# SPDX-License-Identifier: Apache-2.0
"""The cases of all ops, by name."""

import case_elementwise
import case_indexing
import case_reductions
import case_views

PARTS = (case_elementwise, case_reductions, case_views, case_indexing)
CASES = {name: case for part in PARTS for name, case in part.CASES.items()}
