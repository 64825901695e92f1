# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest's: what needs a package that is not installed is skipped, not failed. For runs
in interpreters that frameworks have no wheels for (tools/free_threaded.sh)."""

import functools
import importlib.util
import re

import pytest


@functools.cache
def _is_missing(name):
    return importlib.util.find_spec(name) is None


def _missing_in(text):
    """The first package that is not installed and that the text of a failure asks for, or None."""
    names = re.findall(r"No module named '(\w+)", text)
    return next((name for name in names if _is_missing(name)), None)


def _skip(report, path, texts):
    name = report.failed and _missing_in("\n".join(texts))
    if name:
        report.outcome = "skipped"
        report.longrepr = (str(path), 0, f"Skipped: there is no {name}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    return _skip(report, collector.path, [str(report.longrepr)])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    # What a program of the test's wrote.
    told = getattr(call.excinfo and call.excinfo.value, "stderr", None)
    return _skip(report, item.path, [str(report.longrepr), str(told)])
