# SPDX-License-Identifier: Apache-2.0
"""Every test starts with the usual rules for floats; rewrites of graphs are checked in all tests.

quadrants.init has the thread that calls it take subnormal numbers for 0, for good.
"""

import ctypes
import gc
import os
from collections import defaultdict

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

os.environ.setdefault("JOGGLE_VERIFY", "1")
_DEFAULT_ENVIRONMENT = ctypes.c_void_p(-1)  # FE_DFL_ENV of <fenv.h>
_libm = ctypes.CDLL("libm.so.6")
# How long an example takes depends on what else the machine does.
settings.register_profile("joggle", deadline=None)
settings.load_profile("joggle")


@pytest.fixture(autouse=True)
def usual_floats():
    _libm.fesetenv(_DEFAULT_ENVIRONMENT)


@pytest.fixture(scope="module", autouse=True)
def short_collections():
    """What the files before have left is collected, and the rest not looked at again: with all
    frameworks imported a collection took a second, and tests of lifetimes ask for many."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def in_full(pytestconfig):
    """Whether sweeps run in full."""
    return is_in_full(pytestconfig)


def is_in_full(config):
    return config.getoption("--all") or config.getoption("--long")


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="run sweeps in full, not a part of them")
    parser.addoption(
        "--long", action="store_true", help="the same, and random programs for an hour"
    )


class FewReports:
    """What a process of pytest-xdist tells of a test that passes: that it did, and a set-up or an
    end that took time, but not six messages, which take longer than many a test."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            if report.when == "call" or not report.passed or report.duration > 0.01:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_configure(config):
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(FewReports())
    config.addinivalue_line("markers", "full: runs with --all only")
    config.addinivalue_line(
        "markers",
        'part(n, of=""): every n-th case, of each value of the parameters, without --all',
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    if config.getvalue("dist") != "loadfile":
        return None
    from scheduling import FileScheduling  # of pytest-xdist, which one process does without

    return FileScheduling(config, log)


def part_of(items):
    """Which of one test's cases stay: every n-th, begun elsewhere for each value of the parameters,
    so that their other parameters take turns."""
    mark = items[0].get_closest_marker("part")
    (step,), of = mark.args, mark.kwargs.get("of", "")
    groups = defaultdict(list)
    for item in items:
        groups[str([item.callspec.params[name] for name in of.split()])].append(item)
    for number, group in enumerate(groups.values()):
        yield from group[number % min(step, len(group)) :: step]


# What takes longest comes first, so that no worker is left alone with it at the end.
FIRST = (
    "test_cuda.py",
    "test_builds.py",
    "test_pages_that_add.py",
    "test_examples.py",
    "test_distributed.py",
    "test_rocm.py",
    "test_derivatives_on_devices.py",
    "test_backend_aliases.py",
    "test_readme.py",
    "test_bench_smoke.py",
    "test_property_strides.py",
    "test_property_layouts.py",
    "test_mlx_lm.py",
    "test_mlx_examples.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Nearly all that it makes stays, so that nothing of it is looked at for cycles meanwhile."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config, items):
    kept = items
    # Who names a file of which all is for --all means it.
    if not is_in_full(config) and not all(item.get_closest_marker("full") for item in items):
        kept = [item for item in items if not item.get_closest_marker("full")]
        sweeps = defaultdict(list)
        for item in kept:
            if item.get_closest_marker("part"):
                sweeps[item.nodeid.partition("[")[0]].append(item)
        parts = {item for sweep in sweeps.values() for item in part_of(sweep)}
        kept = [i for i in kept if not i.get_closest_marker("part") or i in parts]
        config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    rank = {name: number for number, name in enumerate(FIRST)}
    items[:] = sorted(kept, key=lambda item: rank.get(item.path.name, len(FIRST)))
