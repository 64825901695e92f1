# SPDX-License-Identifier: Apache-2.0
"""The programs over other libraries that `make clients` measures, with few numbers: what they give
on arrays of joggle is what they give on NumPy's."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

CLIENTS = Path(__file__).resolve().parents[3] / "clients"
MPI = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "-n"]

# The library, how many processes run each, and the sizes that are set before its data are laid out.
PROGRAMS = {
    "dask_heat": ("dask", 0, {"SIDE": 64, "BLOCK": 32, "STEPS": 4}),
    "xarray_climate": ("xarray", 0, {"YEARS": 2, "LATITUDES": 4, "LONGITUDES": 6}),
    "sklearn_regression": ("scikit-learn", 0, {"ROWS": 400, "COLUMNS": 24}),
    "scipy_signals": ("scipy", 0, {"CHANNELS": 3, "LENGTH": 1024}),
    "mpi_jacobi": ("mpi4py", 3, {"SIDE": 48, "STEPS": 6}),
    "mpi_training": ("mpi4py", 2, {"ROWS": 64, "INPUTS": 8, "HIDDEN": 16, "STEPS": 3}),
}
SMALL = """
import importlib, sys
sys.path.insert(0, sys.argv.pop(1))
import measure
measure.REPEATS = 1
program = importlib.import_module(sys.argv.pop(1))
for name, value in {sizes}.items():
    assert hasattr(program, name)
    setattr(program, name, value)
{how}(program.prepare, {library!r}{world})
"""


def run(name, which, result):
    library, processes, sizes = PROGRAMS[name]
    code = SMALL.format(
        sizes=sizes,
        how="measure.measure_together" if processes else "measure.measure",
        library=library,
        world=", program.world" if processes else "",
    )
    command = [*MPI, str(processes)] if processes else []
    command += [sys.executable, "-c", code, str(CLIENTS / "programs"), name, which, str(result)]
    settings = {"SCIPY_ARRAY_API": "1", "MPI4PY_MPIABI": "openmpi", "JOGGLE_NUM_THREADS": "2"}
    ran = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    with np.load(result) as values:
        return {each: values[each] for each in values.files}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_on_our_arrays_what_it_gives_on_numpys(name, tmp_path):
    ours = run(name, "joggle", tmp_path / "ours.npz")
    theirs = run(name, "numpy", tmp_path / "theirs.npz")
    assert ours.keys() == theirs.keys() and ours.pop("version") == theirs.pop("version")
    for each in theirs.keys() - {"seconds"}:
        tolerance = 1e-5 if theirs[each].dtype == np.float32 else 1e-9
        np.testing.assert_allclose(ours[each], theirs[each], rtol=tolerance, atol=tolerance)


def test_every_program_is_measured_and_tried_here():
    sys.path.insert(0, str(CLIENTS))
    try:
        from library_programs import PROGRAMS as measured
    finally:
        sys.path.remove(str(CLIENTS))
    there = {path.stem for path in (CLIENTS / "programs").glob("*_*.py")}
    assert there == PROGRAMS.keys() == {name for name, _, _ in measured}
