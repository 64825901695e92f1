# SPDX-License-Identifier: Apache-2.0
"""Programs over other libraries, clients/programs, run on arrays of joggle and on those of NumPy.

    python clients/library_programs.py [--only TEXT] [--python PYTHON] [--out FILE]

The libraries are installed into an environment of its own, build/clients/libraries, unless a Python
that has them is named; joggle is found by PYTHONPATH, as `make clients` sets it. Every run is a
process of its own with one thread for each library, and Dask has its own beside; Open MPI starts as
many as are asked for. "Apart" is the largest difference, relative to the largest number of a
result.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
PACKAGES = (
    "dask==2026.8.0",
    "mpi4py==4.1.2",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "scikit-learn==1.9.1",
    "scipy==1.17.1",
    "xarray==2026.9.0",
)
# What a program is, its library, and in how many processes it runs; 0: without MPI.
PROGRAMS = (
    ("dask_heat", "Dask", 0),
    ("xarray_climate", "xarray", 0),
    ("sklearn_regression", "scikit-learn", 0),
    ("scipy_signals", "SciPy", 0),
    ("mpi_jacobi", "mpi4py", 2),
    ("mpi_jacobi", "mpi4py", 4),
    ("mpi_training", "mpi4py", 2),
    ("mpi_training", "mpi4py", 4),
)
LAUNCHER = "mpirun.openmpi"
ALONE = dict.fromkeys(("JOGGLE_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
ALONE |= {"SCIPY_ARRAY_API": "1", "MPI4PY_MPIABI": "openmpi"}
TIMES = 3  # processes of each side, in turn
CLOSE = 1e-5  # how far numbers may lie apart, of the largest


def command_of(python, name, processes):
    command = [os.path.abspath(python), HERE / "programs" / f"{name}.py"]
    if not processes:
        return command
    if shutil.which(LAUNCHER) is None:
        raise SystemExit(f"library_programs: {name} needs {LAUNCHER}; install openmpi-bin")
    return [LAUNCHER, "--oversubscribe", "--allow-run-as-root", "-n", str(processes), *command]


def run(command, which):
    """What the program tells, or the last line of its error."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.npz"
        ran = subprocess.run(
            [*command, which, result],
            env=os.environ | ALONE,
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if not result.exists():
            return (ran.stderr.strip() or f"ended with {ran.returncode}").splitlines()[-1]
        with np.load(result) as values:
            return {name: values[name][()] for name in values.files}


def shortest(runs):
    """The run of the shortest time; the first fault, if there is one."""
    faults = [each for each in runs if isinstance(each, str)]
    return faults[0] if faults else min(runs, key=lambda each: each["seconds"])


def apart(ours, theirs):
    """The largest difference among the results."""
    names = sorted(theirs.keys() - {"version", "seconds"})
    assert names == sorted(ours.keys() - {"version", "seconds"})
    return max(distance(ours[name], theirs[name]) for name in names)


def distance(x, y):
    if np.shape(x) != np.shape(y):
        return np.inf
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    largest = np.abs(y).max(initial=0.0)
    return np.abs(x - y).max(initial=0.0) / (largest or 1.0)


def row_of(name, library, processes, ours, theirs):
    shown = name.replace("_", " ") + (f", {processes} processes" if processes else "")
    fault = next((x for x in (ours, theirs) if isinstance(x, str)), None)
    if fault is not None:
        who = "joggle" if fault is ours else "NumPy"
        return f"| {shown} | {library} | {who}: {fault} | | | |"
    far = apart(ours, theirs)
    cells = [f"{far:.0e}" if far <= CLOSE else f"**{far:.0e}**"]
    cells += [f"{1e3 * x['seconds']:.3g} ms" for x in (ours, theirs)]
    cells.append(f"{ours['seconds'] / theirs['seconds']:.2f}")
    return f"| {shown} | {library} {theirs['version']} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="programs with that text in their name")
    parser.add_argument("--python", help="a Python that has the libraries")
    parser.add_argument("--out", default=HERE.parent / "build/clients/libraries.md", type=Path)
    given = parser.parse_args()
    from environments import install

    python = given.python or install("libraries", PACKAGES)
    lines = [
        "| program | library | apart | joggle | NumPy | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for name, library, processes in PROGRAMS:
        if given.only not in name:
            continue
        command = command_of(python, name, processes)
        runs = [(run(command, "numpy"), run(command, "joggle")) for _ in range(TIMES)]
        theirs, ours = map(shortest, zip(*runs, strict=True))
        lines.append(row_of(name, library, processes, ours, theirs))
        print(lines[-1], flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
