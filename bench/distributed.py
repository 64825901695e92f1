# SPDX-License-Identifier: Apache-2.0
"""all_sum of two processes, one on each core, beside mpi4py's Allreduce on the same memory, whose
result has its memory beforehand. Both are measured in the same processes, which mpirun starts."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from support.measure import Budget, Case, Goal, Probe
from support.peers import Absent

THREADS = (2,)
NAME = "all_sum of two processes"
PROGRAM = Path(__file__).resolve().parent / "support/collectives.py"
LAUNCHERS = {
    "Open MPI": (["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"], "openmpi"),
    "MPICH": (["mpirun.mpich"], "mpich"),
}
KIB, MIB = 1 << 10, 1 << 20
SIZES = {"4 KiB": 4 * KIB, "64 KiB": 64 * KIB, "1 MiB": MIB, "8 MiB": 8 * MIB, "64 MiB": 64 * MIB}


def budget(quick):
    return Budget(rounds=2, least=2) if quick else Budget(rounds=20, least=10)


def _use_all_cores():
    os.sched_setaffinity(0, range(os.cpu_count()))


@contextlib.contextmanager
def _processes(launcher):
    """A function that measures in two processes of an MPI library, or an Absent."""
    command, abi = LAUNCHERS[launcher]
    if shutil.which(command[0]) is None:
        yield Absent(f"{command[0]} is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        mpich = next(Path("/usr/lib").glob("*/libmpich.so.12"), None)
        if mpich:  # the name that mpi4py's wheel knows
            (Path(folder) / "libmpi.so.12").symlink_to(mpich)
        environment = {"MPI4PY_MPIABI": abi, "LD_LIBRARY_PATH": folder, "JOGGLE_NUM_THREADS": "1"}
        with subprocess.Popen(
            [*command, "-n", "2", sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
            preexec_fn=_use_all_cores,
        ) as processes:

            def measure(name, nbytes, runs):
                print(name, nbytes, runs, file=processes.stdin, flush=True)
                answer = processes.stdout.readline()
                if not answer:
                    raise RuntimeError(f"the processes under {command[0]} have ended")
                return float(answer)

            yield measure


def _probe(measure, name, nbytes):
    runs = max(1, min(500, 32 * MIB // nbytes))
    return Probe(lambda: measure(name, nbytes, runs))


def cases(quick):
    for launcher in LAUNCHERS:
        with _processes(launcher) as measure:
            for size in list(SIZES)[: 2 if quick else None]:
                entries = {
                    name: measure
                    if isinstance(measure, Absent)
                    else _probe(measure, name, SIZES[size])
                    for name in ("joggle", "mpi4py")
                }
                yield Case(f"{launcher}, {size}", entries, (Goal(1.1, "mpi4py"),))
