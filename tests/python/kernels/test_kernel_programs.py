# SPDX-License-Identifier: Apache-2.0
"""Programs written for Quadrants give the same numbers when their import line is changed."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import quadrants
import torch

import joggle.fields as qd

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


def run(path, package, folder):
    """The results of a program that imports package."""
    text = path.read_text()
    text = text.replace("import joggle.fields as qd", f"import {package} as qd")
    text = text.replace("from joggle.fields import", f"from {package} import")
    copy = folder / f"{path.stem}_{package.replace('.', '_')}.py"
    copy.write_text(text)
    spec = importlib.util.spec_from_file_location(copy.stem, copy)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run()


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """The results of Quadrants, which compiles each program once for all tiers."""
    folder, found = tmp_path_factory.mktemp("quadrants"), {}

    def results_of(path):
        if path in found:
            return found[path]
        quadrants.init(arch=quadrants.cpu, offline_cache=False, log_level=quadrants.ERROR)
        try:
            found[path] = run(path, "quadrants", folder)
        finally:
            quadrants.reset()
            # quadrants.init has subnormal numbers flushed to zero on this thread for good.
            torch.set_flush_denormal(False)
        return found[path]

    return results_of


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_gives_what_quadrants_gives(path, tier, theirs, tmp_path):
    qd.init()
    ours = run(path, "joggle.fields", tmp_path)
    theirs = theirs(path)
    assert ours.keys() == theirs.keys()
    for name, expected in theirs.items():
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(ours[name], expected, rtol=2e-5, atol=2e-5, err_msg=name)
