# SPDX-License-Identifier: Apache-2.0
"""What the tests with other frameworks share: the helpers of tests/python, and layouts to try."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

# Each is a view of a (3, 4) array, written so that every framework with basic indexing can take it.
LAYOUTS = {
    "whole": lambda a: a,
    "row": lambda a: a[1],
    "element": lambda a: a[1, 2, ...],
    "slice with offset": lambda a: a[1:, 2:],
    "every second column": lambda a: a[:, ::2],
    "empty": lambda a: a[:0],
    "transposed": lambda a: a.T,
    "extents of one": lambda a: a[1:2, 3:],
}


@pytest.fixture(params=LAYOUTS.values(), ids=LAYOUTS.keys())
def layout(request):
    return request.param


@pytest.fixture
def address():
    """Where an array of joggle's lies in memory."""
    return lambda x: np.asarray(x).__array_interface__["data"][0]
