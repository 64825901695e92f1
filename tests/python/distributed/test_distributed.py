# SPDX-License-Identifier: Apache-2.0
"""Messages between processes, under Open MPI and under MPICH: each test starts a program of this
folder, which checks its own results in every process."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import joggle as jg

HERE = Path(__file__).resolve().parent
SECONDS = 60  # for a program; they take two

# The command, what it takes so that a process that dies does not end the others, and what mpi4py's
# wheel is told.
LAUNCHERS = {
    "openmpi": (
        ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"],
        ["--enable-recovery"],
        "openmpi",
    ),
    "mpich": (["mpirun.mpich"], ["-disable-auto-cleanup"], "mpich"),
}


@pytest.fixture(params=LAUNCHERS)
def launcher(request):
    return request.param


def launch(launcher, program, *arguments, processes=4, survive=False, seconds=20, **options):
    """Runs the program in so many processes. gives: what they print"""
    command, surviving, abi = LAUNCHERS[launcher]
    environment = {
        **os.environ,
        **options,
        "JOGGLE_DISTRIBUTED_TIMEOUT": str(seconds),
        "JOGGLE_NUM_THREADS": "2",
        "MPI4PY_MPIABI": abi,
    }
    command = [*command, *(surviving if survive else []), "-n", str(processes)]
    done = subprocess.run(
        [*command, sys.executable, str(HERE / f"program_{program}.py"), *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if not survive:
        assert done.returncode == 0, done.stdout
    return done.stdout


def check(text, ranks):
    for rank in ranks:
        assert f"rank {rank}: good" in text, text


def test_collectives_give_what_numpy_makes_of_all_arrays(launcher):
    check(launch(launcher, "collectives"), range(4))


def test_messages_may_be_cut_in_pieces(launcher):
    text = launch(launcher, "collectives", processes=3, JOGGLE_DISTRIBUTED_PIECE="1000")
    check(text, range(3))


def test_compiled_functions_derivatives_and_batches_hold_messages(launcher):
    check(launch(launcher, "graphs"), range(4))


def test_graphs_hold_messages_without_fusion(launcher):
    check(launch(launcher, "graphs", processes=2, JOGGLE_FUSE="0"), range(2))


@pytest.mark.parametrize("processes", [2, 4])
def test_gradients_are_averaged_and_layers_spread(launcher, processes):
    check(launch(launcher, "training", processes=processes), range(processes))


@pytest.mark.parametrize("processes", [2, 4])
def test_what_is_rare_in_programs_works(launcher, processes):
    check(launch(launcher, "hostile", processes=processes), range(processes))


def test_messages_may_be_compared_before_they_run(launcher):
    text = launch(launcher, "hostile", processes=2, JOGGLE_DISTRIBUTED_CHECK="1")
    check(text, range(2))


@pytest.mark.parametrize("how", ["shape", "dtype", "function", "order", "fewer", "more"])
def test_processes_that_do_not_call_the_same_are_told_so(launcher, how, tmp_path):
    arguments = (how, str(tmp_path))
    text = launch(
        launcher, "differ", *arguments, processes=2, survive=True, JOGGLE_DISTRIBUTED_CHECK="1"
    )
    assert sorted(mark.name for mark in tmp_path.iterdir()) == ["good0", "good1"], text


@pytest.mark.parametrize(
    ("processes", "name"),
    [(2, "all_sum"), (2, "send"), (3, "all_max"), (3, "all_gather"), (3, "sum_scatter")],
)
def test_processes_go_on_after_a_message_whose_input_has_failed_in_all(
    launcher, processes, name, tmp_path
):
    arguments = ("everywhere", name, str(tmp_path))
    check(launch(launcher, "inputs", *arguments, processes=processes), range(processes))


@pytest.mark.parametrize(
    ("processes", "name", "compares"),
    [(2, "all_sum", "0"), (2, "all_sum", "1"), (3, "all_sum", "0"), (3, "all_gather", "0")],
)
def test_a_message_whose_input_fails_in_one_process_gives_no_other_message_its_place(
    launcher, processes, name, compares, tmp_path
):
    arguments = ("alone", name, str(tmp_path))
    options = {"processes": processes, "survive": True, "seconds": 2}
    text = launch(launcher, "inputs", *arguments, JOGGLE_DISTRIBUTED_CHECK=compares, **options)
    check(text, range(processes))


def test_what_is_sent_later_is_not_received_for_what_has_failed(launcher, tmp_path):
    arguments = ("send", "send", str(tmp_path))
    check(launch(launcher, "inputs", *arguments, processes=3, survive=True, seconds=2), range(3))


# What three processes of four wait for when the fourth has ended.
FUNCTIONS = [
    "all_sum,all_max,all_min",
    "all_gather,sum_scatter,recv",
    "recv_like,send,barrier",
    "split,average_gradients,compiled",
]
CALLED = {"barrier": "all_sum", "average_gradients": "all_sum", "compiled": "all_sum"}
PEERS = {"recv": ", from process 1", "recv_like": ", from process 1", "send": ", to process 1"}


# Who dies is killed under Open MPI alone. MPICH's launcher ends the others or itself then, whatever
# it is told; there the process sleeps, which is the same to those that wait for it.


@pytest.mark.parametrize("functions", FUNCTIONS)
@pytest.mark.parametrize(("launcher", "how"), [("openmpi", "killed"), ("mpich", "silent")])
def test_a_process_that_is_gone_fails_all_functions_of_the_others(
    launcher, how, functions, tmp_path
):
    arguments = (how, functions, str(tmp_path))
    text = launch(launcher, "pairs", *arguments, survive=True, seconds=2)
    for name in functions.split(","):
        found = (tmp_path / f"{name}.txt").read_text()
        called = CALLED.get(name, name.removesuffix("_like"))
        assert found.startswith("True ["), (found, text)
        assert f"{called} in process 0 of 2{PEERS.get(name, '')}: " in found, (found, text)


@pytest.mark.parametrize("how", ["init", "split"])
def test_a_process_that_never_makes_a_group_fails_the_others(launcher, how, tmp_path):
    text = launch(launcher, "late", how, str(tmp_path), processes=3, survive=True, seconds=2)
    assert sorted(mark.name for mark in tmp_path.iterdir()) == ["good0", "good1"], text


@pytest.mark.parametrize(
    ("launcher", "how"),
    [(name, how) for name in LAUNCHERS for how in ("silent", "exits")] + [("openmpi", "killed")],
)
def test_a_process_that_does_not_answer_fails_the_others(launcher, how, tmp_path):
    text = launch(launcher, "faults", how, str(tmp_path), processes=3, survive=True, seconds=2)
    marks = [tmp_path / f"good{rank}" for rank in range(2)]
    until = time.monotonic() + 8
    while not all(mark.exists() for mark in marks) and time.monotonic() < until:
        time.sleep(0.1)
    assert all(mark.exists() for mark in marks), text


@pytest.mark.parametrize(
    "ends",
    [
        "raise ValueError('no luck')",
        "sys.exit('no luck')",
        "print('no luck', file=sys.stderr); raise SystemExit(3)",
        "argparse.ArgumentParser(prog='no luck').parse_args(['--unknown'])",
    ],
)
def test_a_process_that_fails_ends_the_program(launcher, ends, tmp_path):
    program = tmp_path / "fails.py"
    program.write_text(
        "import argparse, sys\n"
        "import joggle as jg\n"
        "group = jg.distributed.init()\n"
        "if group.rank() == 1:\n"
        f"    {ends}\n"
        "jg.eval(jg.distributed.all_sum(jg.ones((3,))))\n"
    )
    start = time.monotonic()
    command, _, _ = LAUNCHERS[launcher]
    done = subprocess.run(
        [*command, "-n", "2", sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode != 0 and "no luck" in done.stderr
    assert time.monotonic() - start < SECONDS / 2  # others would wait for minutes


def test_waits_are_interrupted_forked_and_beside_computing(launcher, tmp_path):
    text = launch(launcher, "waiting", str(tmp_path), processes=2)
    check(text, range(2))
    assert "overlap of" in text


@pytest.mark.parametrize("how", ["drop", "split"])
def test_what_is_interrupted_and_dropped_ends_all_messages(launcher, how, tmp_path):
    check(launch(launcher, "waiting", str(tmp_path), how, processes=2, survive=True), range(2))


def test_communicators_of_mpi4py_are_groups(launcher, tmp_path):
    pytest.importorskip("mpi4py")
    mpich = next(Path("/usr/lib").glob("*/libmpich.so.12"), None)
    if mpich:  # the name that mpi4py's wheel knows
        (tmp_path / "libmpi.so.12").symlink_to(mpich)
    text = launch(launcher, "mpi4py", processes=3, LD_LIBRARY_PATH=str(tmp_path))
    check(text, range(3))


def test_a_library_that_is_not_the_launchers_is_told_apart():
    code = "import joggle as jg; jg.distributed.init()"
    done = subprocess.run(
        ["mpirun.mpich", "-n", "2", sys.executable, "-c", code],
        env={**os.environ, "JOGGLE_MPI": "libmpi.so.40", "OMPI_ALLOW_RUN_AS_ROOT": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert "the launcher has started 2 processes" in done.stderr


def test_a_process_alone_is_a_group_of_one():
    group = jg.distributed.init()
    x = jg.arange(6)
    assert (group.rank(), group.size()) == (0, 1)
    for op in ("all_sum", "all_max", "all_min", "all_gather", "sum_scatter"):
        assert getattr(jg.distributed, op)(x, group=group).tolist() == x.tolist()
    assert jg.distributed.all_gather(jg.array(3)).tolist() == [3]
    jg.distributed.barrier()
    assert hash(group) == hash(jg.distributed.init()) and group != 0


def test_what_needs_others_is_refused():
    group = jg.distributed.init()
    with pytest.raises(RuntimeError, match="group: has 1 process, allowed are 2 and more"):
        group.split(0)
    with pytest.raises(RuntimeError, match="strict: got True, and no MPI launcher"):
        jg.distributed.init(strict=True)
    with pytest.raises(RuntimeError, match="backend: got nccl"):
        jg.distributed.init(strict=True, backend="nccl")
    with pytest.raises(ValueError, match="dst: got 0, allowed is none"):
        jg.distributed.send(jg.ones((2,)), 0)
    with pytest.raises(ValueError, match="src: got 0, allowed is none"):
        jg.distributed.recv((2,), jg.float32, 0)
    with pytest.raises(TypeError, match="complex64, allowed are bool"):
        jg.distributed.all_max(jg.ones((2,), jg.complex64))
    with pytest.raises(TypeError, match=r"complex32, allowed are .*, complex64 and complex128$"):
        jg.distributed.all_sum(jg.ones((2,), jg.complex32))


def test_a_library_that_is_not_there_is_named():
    code = "import joggle as jg; print(jg.distributed.is_available()); jg.distributed.init()"
    for path, found in (("/nowhere/libmpi.so", "False"), ("none", "False")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "JOGGLE_MPI": path},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.stdout.strip() == found
        assert ("JOGGLE_MPI: /nowhere/libmpi.so cannot be opened" in done.stderr) == (
            path != "none"
        )
