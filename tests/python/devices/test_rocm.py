# SPDX-License-Identifier: Apache-2.0
"""Arrays on ROCm without a GPU: HIP's driver and compiler of the host, as test_cuda.py has CUDA's.
The code above the driver is the same, so some of the files of tests stand for all."""

import textwrap

import pytest
import test_cuda
from test_cuda import FAKE, HERE, run

pytestmark = test_cuda.pytestmark

FILES = [
    "test_arrays_on_devices.py",
    "test_kernels_on_devices.py",
    "test_products_on_devices.py",
    "test_rows_on_devices.py",
    "cuda/check_exchange.py",
    "cuda/check_graphs.py",
    "cuda/check_products.py",
]


def on_rocm(command, cache, **more):
    more = {
        "JOGGLE_HIPRTC": str(FAKE),
        "JOGGLE_HIPBLASLT": str(FAKE),
        "JOGGLE_TESTED_DEVICE": "rocm:0",
        **more,
    }
    return run(command, cache, **more)


@pytest.fixture
def alone(tmp_path):
    """A folder that has the driver of ROCm and not that of CUDA."""
    for name in ("libamdhip64.so.6", "libhiprtc.so.6"):
        (tmp_path / name).symlink_to(FAKE / name)
    return str(tmp_path)


def test_the_files_of_tests_pass_on_the_fake_driver():
    files = [HERE / name for name in FILES]
    told = on_rocm([*test_cuda.PYTEST, "-v", *files], test_cuda.cubins())
    assert " passed" in told.stdout and "skipped" not in told.stdout


@pytest.mark.parametrize("name", ["cuda/check_products.py", "test_products_on_devices.py"])
def test_products_are_made_without_hipblaslt(name):
    told = on_rocm([*test_cuda.PYTEST, HERE / name], test_cuda.cubins(), JOGGLE_HIPBLASLT="none")
    assert " passed" in told.stdout


def test_hipblaslt_is_where_it_is_named(tmp_path):
    code = "import joggle as jg; x = jg.ones((2, 2), device='rocm:0'); print((x @ x).tolist())"
    told = on_rocm(["-c", code], tmp_path, status=1, JOGGLE_HIPBLASLT="/nowhere")
    assert "JOGGLE_HIPBLASLT: got '/nowhere', allowed are a folder that has libhip" in told.stderr
    for named in (FAKE, FAKE / "libhipblaslt.so.0"):
        told = on_rocm(["-c", code], tmp_path, JOGGLE_HIPBLASLT=str(named))
        assert told.stdout == "[[2.0, 2.0], [2.0, 2.0]]\n"


def test_gpu_means_rocm_where_there_is_no_cuda(alone, tmp_path):
    code = """
        import joggle as jg, joggle.fields as qd
        print(jg.device_count("cuda"), jg.device_count("rocm"), jg.ones(1, device=jg.gpu).device)
        print(jg.from_stream(4096).device, jg.device_info("rocm:1")["device_name"])
        qd.init(arch=qd.gpu)
        print(jg.asarray(qd.field(qd.f32, shape=1)).device)
    """
    told = on_rocm(["-c", textwrap.dedent(code)], tmp_path, LD_LIBRARY_PATH=alone)
    assert told.stdout == "0 2 rocm:0\nrocm:0 Fake GPU 1\nrocm:0\n"


def test_arrays_move_between_both_drivers_in_one_process(tmp_path):
    code = """
        import joggle as jg
        x = jg.arange(3., device="rocm:0") + 1
        y = x.to_device("cuda:0") * 2
        z = y.to_device("rocm:1") - 1
        print(x.tolist(), y.tolist(), z.tolist(), z.device)
    """
    told = on_rocm(["-c", textwrap.dedent(code)], tmp_path)
    assert told.stdout == "[1.0, 2.0, 3.0] [2.0, 4.0, 6.0] [1.0, 3.0, 5.0] rocm:1\n"


def test_a_compiler_that_is_not_there_is_told(alone, tmp_path):
    code = "import joggle as jg; print((jg.ones(3, device='rocm:0') + 1).tolist())"
    told = on_rocm(["-c", code], tmp_path, status=1, JOGGLE_HIPRTC="/nowhere")
    assert (
        "JOGGLE_HIPRTC: got '/nowhere', allowed are a folder that has libhiprtc.so" in told.stderr
    )
    (tmp_path / "libhiprtc.so.6").unlink()
    more = {"LD_LIBRARY_PATH": alone, "JOGGLE_HIPRTC": ""}
    told = on_rocm(["-c", code], tmp_path, status=1, **more)
    assert "no compiler for ROCm: libhiprtc was not found; install ROCm" in told.stderr


def test_failures_have_the_drivers_words(tmp_path):
    code = """
        import ctypes
        import joggle as jg
        driver = ctypes.CDLL("libamdhip64.so.6")
        x = jg.eval(jg.ones(4, device="rocm:0"))

        def fails():
            try:
                jg.eval(jg.exp(jg.ones(1 << 20, device="rocm:0")) + 1)
                jg.synchronize()
            except Exception as error:
                print(type(error).__name__, error)

        driver.fake_cuda_limit(0, ctypes.c_size_t(1 << 16))
        fails()
        driver.fake_cuda_limit(0, ctypes.c_size_t(1 << 30))
        for name in (b"launch", b"event_wait"):
            driver.fake_cuda_fail(name, 0, 700)
            fails()
    """
    told = on_rocm(["-c", textwrap.dedent(code)], tmp_path)
    first, second, third = told.stdout.splitlines()
    assert first.startswith("MemoryError")
    assert "of rocm:0: hipMalloc: hipErrorOutOfMemory (2)" in first
    assert "rocm:0: hipModuleLaunchKernel: hipErrorIllegalAddress (700)" in second
    assert "rocm:0: a command ended with hipErrorIllegalAddress (700)" in third
