# SPDX-License-Identifier: Apache-2.0
"""A new op has a case, or this fails."""

from cases import CASES
from drawing import ROWS


def test_every_op_of_the_table_has_a_case():
    assert set(CASES) == set(ROWS)
