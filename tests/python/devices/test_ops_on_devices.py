# SPDX-License-Identifier: Apache-2.0
"""Every op of the table, and every public function beside it, gives on a device what its case says,
most often NumPy's. The device is one of OpenCL's; test_cuda.py runs this file again for the fake
driver's. Each is called in each dtype that it takes with --all, and in one of them without."""

import os
import sys
import zlib
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "properties")]

from cases import BEYOND  # noqa: E402
from cases import CASES as OF_TABLE  # noqa: E402
from choices import Dice  # noqa: E402
from drawing import ALL, each, function_of, several, to_joggle  # noqa: E402
from references import check_results  # noqa: E402

import joggle as jg  # noqa: E402

DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
pytestmark = pytest.mark.usefixtures("quick_builds")
CASES = OF_TABLE | BEYOND
AT_ONCE = 16  # compilers take longest to begin, so that many are evaluated together


@pytest.fixture(autouse=True)
def arrays_on_device():
    jg.set_default_device(DEVICE)
    yield
    jg.set_default_device("cpu")


def groups():
    names = sorted(CASES)
    starts = range(0, len(names), AT_ONCE)
    return [pytest.param(names[i : i + AT_ONCE], id=names[i]) for i in starts]


def calls_of(name, dtypes):
    """The drawn arguments of calls of an op, and the results, which are not computed yet."""
    for number, dtype in enumerate(dtypes):
        dice = Dice(zlib.crc32(name.encode()) + number, dtype)
        args, named = CASES[name].draw(dice)
        results = function_of(name)(*each(to_joggle, args), **each(to_joggle, named))
        yield name, several(results), args, named


@pytest.mark.parametrize("names", groups())
def test_an_op_gives_its_references_values_on_the_device(names, in_full):
    calls = [call for name in names for call in calls_of(name, ALL if in_full else [None])]
    jg.eval(*(x for _, results, *_ in calls for x in results))
    for name, results, args, named in calls:
        assert {x.device for x in results} <= {DEVICE}, name
        try:
            check_results(name, CASES[name], [x.to_device("cpu") for x in results], args, named)
        except AssertionError as error:
            error.add_note(f"{name}: called with {args}, {named}")
            raise
