# SPDX-License-Identifier: Apache-2.0
"""What a call of an op has to give by the op's case: dtypes, and values near the reference's."""

import numpy as np
from drawing import ROWS, each, near, result_dtype, several, to_joggle, to_numpy, wide

import joggle as jg


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


def check_results(name, case, results, args, named):
    """results: arrays; args and named: what was drawn, NumPy's arrays."""
    assert [x.dtype.name for x in results] == expected_dtypes(name, case, args, named, len(results))
    found = [to_numpy(x) for x in results]
    if case.check:
        case.check(found, args, named)
        return
    exact = each(np.asarray if case.exact else wide, args)
    with np.errstate(all="ignore"):
        expected = several(case.reference(*exact, **each(wide, named)))
    for x, reference in zip(found, expected, strict=True):
        near(x, reference, case.ulps)
