# SPDX-License-Identifier: Apache-2.0
"""Random kernels do what Python does with the tree that they were written from.

The trees are those of kernel_trees.py and kernel_drawing.py: every dtype, vectors, matrices and
structs, fields of every layout and arrays of NumPy, functions, loops of each kind, methods.
"""

import importlib.util
import os

import pytest
from kernel_drawing import Program
from kernel_storage import begin, differences, make_storage

import joggle.fields as qd

SIZE = 12  # statements at the top of a kernel; compiling one takes about a second
SEEDS, LONG_SEEDS = 6, 3000


def load(program, folder, seed):
    """What makes the kernel of a program and what runs between launches, given its fields."""
    path = folder / f"random_tree_{seed}_{os.getpid()}.py"
    path.write_text(program.source())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make


def check(seed, folder, **settings):
    """Runs the program of a seed both ways."""
    program = Program(seed, SIZE)
    ip, fp = getattr(qd, program.draw.ip), getattr(qd, program.draw.fp)
    qd.init(default_ip=ip, default_fp=fp, fast_math=False, **settings)
    env, fields = make_storage(program)
    given = [fields[name] for name in program.field_names]
    kernel, between = load(program, folder, seed)(*given, fields["out"])
    for launch in range(2):
        begin(program, env)
        for run in program.runs:
            run(env)
        kernel(fields["n0"], fields["n1"])
        found = differences(program, env, fields)
        assert found == [], f"seed {seed}, launch {launch}: {found}"
        between()
        for run in program.between[1]:
            run(env)
        found = differences(program, env, fields)
        assert found == [], f"seed {seed}, after launch {launch}: {found}"


@pytest.mark.part(2)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_random_kernel_does_what_python_does(compiler, tmp_path, seed):
    check(seed, tmp_path)


@pytest.mark.parametrize("seed", range(100, 102))
def test_a_random_kernel_does_the_same_with_its_indices_checked(compiler, tmp_path, seed):
    check(seed, tmp_path, check_out_of_bound=True)


@pytest.mark.timeout(36000)
def test_many_random_kernels_do_what_python_does(compiler, tmp_path, request):
    if not request.config.getoption("--long", False):
        check(200, tmp_path)
        return
    for seed in range(1000, 1000 + LONG_SEEDS):
        check(seed, tmp_path)
