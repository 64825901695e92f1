# SPDX-License-Identifier: Apache-2.0
"""Tier 1 in one process with everybody else who brings an LLVM, whoever comes first."""

import itertools
import os
import subprocess
import sys
import textwrap

import pytest

PIECES = {
    "joggle": """
        import joggle as jg
        jg.set_option("jit", "1")
        x = jg.arange(100003, dtype=jg.float32) / 10000
        y = np.from_dlpack(jg.exp(-x * x) + x * x)
        assert np.allclose(y, np.exp(-data * data) + data * data, rtol=1e-5)
    """,
    "numba": """
        import numba
        @numba.njit
        def total(values):
            s = 0.0
            for v in values:
                s += v * v
            return s
        assert np.isclose(total(data), (data.astype(np.float64) ** 2).sum(), rtol=1e-3)
    """,
    "jax": """
        import jax
        assert np.allclose(jax.jit(lambda v: v * v + 1)(data), data * data + 1, rtol=1e-5)
    """,
    "torch": """
        import torch
        assert np.allclose(torch.from_numpy(data).exp().numpy(), np.exp(data), rtol=1e-5)
    """,
    "quadrants": """
        import quadrants
        quadrants.init(arch=quadrants.cpu)
        @quadrants.kernel
        def double(v: quadrants.types.ndarray(dtype=quadrants.f32, ndim=1)):
            for i in range(v.shape[0]):
                v[i] = v[i] * 2.0
        copy = data.copy()
        double(copy)
        assert np.allclose(copy, data * 2)
    """,
}

# Who opens its LLVM first, and who last.
ORDERS = [
    list(PIECES),
    list(PIECES)[::-1],
    pytest.param(["jax", "quadrants", "joggle", "numba", "torch"], marks=pytest.mark.full),
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_all_libraries_with_an_llvm_compile_in_one_process(order, tmp_path):
    start = "import numpy as np\ndata = (np.arange(100003) / 10000).astype(np.float32)\n"
    pieces = itertools.chain(order, order)  # each once more, after all the others
    script = tmp_path / "script.py"
    script.write_text(start + "".join(textwrap.dedent(PIECES[name]) for name in pieces))
    environment = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "0"}  # its LLVM does all it can
    result = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=environment, timeout=280
    )
    assert result.returncode == 0, result.stdout + result.stderr
