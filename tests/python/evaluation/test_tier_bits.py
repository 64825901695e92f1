# SPDX-License-Identifier: Apache-2.0
"""Compiled code and the tiles give the same bits at every level of instructions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# On a CPU that lacks one, the next below is chosen.
LEVELS = ("avx512", "avx2", "baseline")
WORKER = Path(__file__).with_name("tier_bits.py")


def run(command, isa, jit, cache):
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_JIT": jit}
    environment["JOGGLE_JIT_CACHE"] = str(cache)
    shared = [str(WORKER.parents[1]), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(shared)
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def bits(isa, jit, cache):
    return json.loads(run([sys.executable, WORKER], isa, jit, cache))


def count_objects(cache):
    return len(list(cache.glob("*.jit")))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One for all levels, each of which must leave the others' code alone."""
    return tmp_path_factory.mktemp("jit")


@pytest.fixture(scope="module")
def counts():
    """How many objects each level has left in the cache so far."""
    return []


@pytest.mark.parametrize("isa", LEVELS)
def test_ops_chains_and_rows_have_the_same_bits_in_both_tiers(isa, cache, counts):
    before = count_objects(cache)
    compiled, tiles = bits(isa, "1", cache), bits(isa, "0", cache)
    assert [name for name in tiles if compiled[name] != tiles[name]] == []
    assert len(tiles) > 300
    # What does not compile stays on the tiles without a word: each level compiles as much, or
    # nothing where it is another one on this CPU.
    made = count_objects(cache) - before
    assert made > 300 if not counts else made in (0, counts[0])
    counts.append(made)


KERNEL = """
import numpy as np
import joggle.fields as qd

qd.init()
x = np.linspace(-3.7, 3.7, 1001, dtype="f4")
y = np.zeros((9, 1001), dtype="f4")

@qd.kernel
def run(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(1001):
        y[0, i] = qd.floor(x[i])
        y[1, i] = qd.ceil(x[i])
        y[2, i] = qd.round(x[i])
        y[3, i] = qd.sin(x[i])
        y[4, i] = qd.abs(x[i]) ** 1.7
        y[5, i] = x[i] % 1.3
        y[6, i] = qd.cast(qd.cast(x[i], qd.f16), qd.f32)
        y[7, i] = qd.exp(x[i]) + qd.tanh(x[i])
        y[8, i] = qd.atan2(x[i], 2.0) + qd.rsqrt(qd.abs(x[i]) + 1)

run(x, y)
print(y.tolist())
"""


@pytest.mark.parametrize("isa", LEVELS)
def test_kernels_of_users_run_at_every_level(isa, tmp_path):
    program = tmp_path / "program.py"  # a kernel's text is read from a file
    program.write_text(KERNEL)
    y = np.array(json.loads(run([sys.executable, program], isa, "", "none")))
    x = np.linspace(-3.7, 3.7, 1001, dtype="f4").astype("f8")
    exact = [np.floor(x), np.ceil(x), np.round(x), np.sin(x), np.abs(x) ** np.float32(1.7)]
    exact += [np.mod(x, np.float32(1.3)), x.astype("f2"), np.exp(x) + np.tanh(x)]
    exact += [np.arctan2(x, 2) + 1 / np.sqrt(np.abs(x) + 1)]
    np.testing.assert_allclose(y, np.array(exact), rtol=1e-6, atol=1e-6)
