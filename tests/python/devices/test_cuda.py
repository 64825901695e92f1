# SPDX-License-Identifier: Apache-2.0
"""Arrays on CUDA without a GPU: a driver and a compiler of the host's under the real names
(tests/cuda), which run the very text that a GPU gets. A process of its own has them on the loader's
path, so that all others find no CUDA."""

import hashlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import joggle

HERE = Path(__file__).parent
BUILD = Path(joggle._core.__file__).resolve().parents[1]
FAKE = BUILD / "tests/cuda"

FILES = [
    *(path.name for path in sorted(HERE.glob("test_*_on_devices.py"))),
    *(f"cuda/{path.name}" for path in sorted(HERE.glob("cuda/check_*.py"))),
]
TENSOR_CORES = "cuda/check_tensor_cores.py"
FILES.remove(TENSOR_CORES)

# Both come with clang, which the fake compiler calls.
pytestmark = [
    pytest.mark.skipif(
        not (BUILD / "src/libjoggle_jit.so").exists(), reason="this build has no clang"
    ),
    # A first run compiles thousands of texts. Each test of a run has the usual limit as well.
    pytest.mark.timeout(1800),
]


def cubins():
    """Where cubins stay from one run to the next, of what makes them as it is now."""
    shims = HERE.parents[1] / "cuda"
    made_by = [*sorted(FAKE.glob("lib*rtc.so")), *sorted(shims.glob("shim*.h"))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in made_by)).hexdigest()
    return BUILD / f"cubin-cache/{digest[:12]}"


# Plugins that take part in every test for nothing, as in the Makefile.
PYTEST = ["-m", "pytest", "-p", "no:cacheprovider"]
PYTEST += [
    part
    for name in ("anyio", "hypothesispytest", "pytest_jsonreport", "logging")
    for part in ("-p", f"no:{name}")
]


def run(command, cache, status=0, **more):
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(FAKE),
        "JOGGLE_NVRTC": str(FAKE),
        "JOGGLE_CUBLASLT": str(FAKE),  # a torch for CUDA brings the real one, which wants a GPU
        "JOGGLE_JIT_CACHE": str(cache),
        "JOGGLE_TESTED_DEVICE": "cuda:0",
        "FAKE_CUDA_OPTIMIZE": "0",
        **more,
    }
    command = [sys.executable, *map(str, command)]
    told = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert told.returncode == status, told.stdout[-6000:] + told.stderr[-2000:]
    return told


def test_the_files_of_tests_pass_on_the_fake_driver():
    told = run([*PYTEST, "-v", *(HERE / name for name in FILES)], cubins())
    assert " passed" in told.stdout and "skipped" not in told.stdout


@pytest.mark.parametrize("name", ["cuda/check_products.py", "test_products_on_devices.py"])
def test_products_are_made_without_cublaslt(name):
    told = run([*PYTEST, HERE / name], cubins(), JOGGLE_CUBLASLT="none")
    assert " passed" in told.stdout


@pytest.mark.parametrize("capability", ["75", "90"])
def test_halves_are_multiplied_with_and_without_tensor_cores(capability):
    """Their texts run long enough to be optimized, unlike the others'."""
    optimized = {"FAKE_CUDA_CAPABILITY": capability, "FAKE_CUDA_OPTIMIZE": "1"}
    told = run([*PYTEST, HERE / TENSOR_CORES], cubins() / "optimized", **optimized)
    assert " passed" in told.stdout and "skipped" not in told.stdout


def test_cublaslt_is_where_it_is_named(tmp_path):
    code = "import joggle as jg; x = jg.ones((2, 2), device='cuda:0'); print((x @ x).tolist())"
    told = run(["-c", code], tmp_path, status=1, JOGGLE_CUBLASLT="/nowhere")
    assert "JOGGLE_CUBLASLT: got '/nowhere', allowed are a folder" in told.stderr
    for named in (FAKE, FAKE / "libcublasLt.so.13"):
        told = run(["-c", code], tmp_path, JOGGLE_CUBLASLT=str(named))
        assert told.stdout == "[[2.0, 2.0], [2.0, 2.0]]\n"


def test_a_driver_without_graphs_gets_kernels_one_by_one(tmp_path):
    """One of before CUDA 12, or of another maker: a name is not there."""
    driver = (FAKE / "libcuda.so.1").read_bytes()
    assert b"cuGraphLaunch" in driver
    (tmp_path / "libcuda.so.1").write_bytes(driver.replace(b"cuGraphLaunch", b"cuGraphLaunck"))
    code = """
        import ctypes
        import joggle as jg

        def submissions():
            counts = (ctypes.c_int * 16)()
            ctypes.CDLL("libcuda.so.1").fake_cuda_count(counts)
            return counts[10]

        x = jg.arange(4.0, device="cuda:0").reshape((2, 2))
        jg.eval(x)
        for _ in range(3):
            y, before = x, submissions()
            for _ in range(19):
                y = x + jg.max(y, axis=1, keepdims=True)
            jg.eval(y)
            jg.synchronize()
            print(submissions() - before)
        print(jg.sum(y).item() > 6)
    """
    path = f"{tmp_path}:{FAKE}"
    told = run(["-c", textwrap.dedent(code)], cubins(), LD_LIBRARY_PATH=path)
    assert told.stdout == "20\n20\n20\nTrue\n"
    told = run(["-c", textwrap.dedent(code)], cubins())
    assert told.stdout == "20\n1\n1\nTrue\n"


@pytest.mark.full
def test_the_check_of_a_machine_with_a_gpu_runs():
    """All of tools/gpu_check.py but the build and what needs peers with a GPU; .ci/run names it."""
    script = HERE.parents[2] / "tools/gpu_check.py"
    told = run([script], cubins(), GPU_CHECK_ELEMENTS="4096", FAKE_CUDA_LATE="0")
    assert "| NO |" not in told.stdout and told.stdout.count("| yes |") >= 20, told.stdout


def test_a_compiler_that_is_not_there_is_told_with_what_was_named(tmp_path):
    code = "import joggle as jg; print((jg.ones(3, device='cuda:0') + 1).tolist())"
    told = run(["-c", code], tmp_path, status=1, JOGGLE_NVRTC="/nowhere")
    assert "JOGGLE_NVRTC: got '/nowhere', allowed are a folder" in told.stderr
    library = str(FAKE / "libnvrtc.so.13")
    assert run(["-c", code], tmp_path, JOGGLE_NVRTC=library).stdout == "[2.0, 2.0, 2.0]\n"
