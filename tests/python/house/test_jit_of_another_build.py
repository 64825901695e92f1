# SPDX-License-Identifier: Apache-2.0
"""A tier that compiles of another build is refused before anything of it is called."""

import os
import subprocess
import sys

import pytest
from compiling import build, cc

ENTRY = """
#include <stdint.h>
#include <stdlib.h>
void *joggle_jit_backend(int level, void *error);
void *joggle_jit_backend(int level, void *error)
{
    (void)level;
    (void)error;
    _Exit(77);
}
"""
PROGRAM = """
import numpy as np

import joggle.fields as qd


@qd.kernel
def f(x: qd.types.ndarray()):
    for i in x:
        x[i] = 1.0


f(np.zeros(8, np.float32))
"""


@pytest.mark.parametrize("number", ["", "const uint64_t joggle_jit_interface = 1;"])
def test_nothing_of_another_build_is_called(tmp_path, number):
    (tmp_path / "other.c").write_text(ENTRY + number)
    command = [*cc(), "-shared", "-fPIC", tmp_path / "other.c"]
    library = build(command, tmp_path, "libother.so")
    env = {**os.environ, "JOGGLE_JIT_LIBRARY": str(library), "JOGGLE_JIT_CACHE": "none"}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "needed is that of this libjoggle" in done.stderr
