# SPDX-License-Identifier: Apache-2.0
"""The cases of all ops, by name; and of the public functions that are not ops of the table."""

import case_beyond
import case_elementwise
import case_indexing
import case_linalg
import case_norms
import case_products
import case_quantised
import case_random
import case_reductions
import case_transforms
import case_views

PARTS = (
    case_elementwise,
    case_reductions,
    case_views,
    case_indexing,
    case_products,
    case_linalg,
    case_norms,
    case_transforms,
    case_quantised,
    case_random,
)
CASES = {name: case for part in PARTS for name, case in part.CASES.items()}
BEYOND = case_beyond.CASES
