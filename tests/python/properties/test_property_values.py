# SPDX-License-Identifier: Apache-2.0
"""Every op on drawn shapes and dtypes, 0-d and empty ones among them, with NaN and infinities: the
shape, the dtype and the values are NumPy's, or those of the formula in the op's case."""

import pytest
from cases import BEYOND
from cases import CASES as OF_TABLE
from choices import by
from drawing import each, function_of, several, to_joggle
from hypothesis import given, settings
from hypothesis import strategies as st
from references import check_results

CASES = OF_TABLE | BEYOND
PROFILE = settings.get_profile("properties")


@pytest.mark.parametrize("name", CASES)
@settings(PROFILE)
@given(data=st.data())
def test_results_are_numpys(name, data):
    case = CASES[name]
    args, named = case.draw(by(data))
    ours = each(to_joggle, args), each(to_joggle, named)
    results = several(function_of(name)(*ours[0], **ours[1]))
    check_results(name, case, results, args, named)
