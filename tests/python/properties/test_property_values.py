# SPDX-License-Identifier: Apache-2.0
"""Every op on drawn shapes and dtypes, 0-d and empty ones among them, with NaN and infinities: the
shape, the dtype and the values are NumPy's, or those of the formula in the op's case."""

import numpy as np
import pytest
from cases import BEYOND
from cases import CASES as OF_TABLE
from choices import by
from drawing import ROWS, each, function_of, near, result_dtype, several, to_joggle, to_numpy, wide
from hypothesis import given, settings
from hypothesis import strategies as st

import joggle as jg

CASES = OF_TABLE | BEYOND
PROFILE = settings.get_profile("properties")


def expected_dtypes(name, case, args, named, count):
    if callable(case.dtype):
        found = case.dtype(args, named)
        return found if isinstance(found, list) else [found] * count
    if case.dtype and isinstance(case.dtype, str):
        return [case.dtype] * count
    found = []
    each(found.append, list(args))
    arrays = found[1:] if ROWS[name]["types"] == "select" else found
    common = jg.result_type(*(to_joggle(a) for a in arrays)).name
    usual = result_dtype(ROWS[name]["types"], common)
    return [dtype or usual for dtype in case.dtype or [""] * count]


@pytest.mark.parametrize("name", CASES)
@settings(PROFILE)
@given(data=st.data())
def test_results_are_numpys(name, data):
    case = CASES[name]
    args, named = case.draw(by(data))
    ours = each(to_joggle, args), each(to_joggle, named)
    results = several(function_of(name)(*ours[0], **ours[1]))
    dtypes = expected_dtypes(name, case, args, named, len(results))
    assert [x.dtype.name for x in results] == dtypes
    found = [to_numpy(x) for x in results]
    if case.check:
        case.check(found, args, named)
        return
    exact = each(np.asarray if case.exact else wide, args)
    with np.errstate(all="ignore"):
        expected = several(case.reference(*exact, **each(wide, named)))
    for x, reference in zip(found, expected, strict=True):
        near(x, reference, case.ulps)
