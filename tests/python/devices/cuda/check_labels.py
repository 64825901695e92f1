# SPDX-License-Identifier: Apache-2.0
"""What a failure of the fake CUDA driver calls the kernel that was launched. The device is lost to
the process then, so this file has one test.

test_cuda.py runs this file."""

import ctypes
import gc

import pytest

import joggle as jg
import joggle.fields as qd

DRIVER = ctypes.CDLL("libcuda.so.1")


def test_a_failure_while_it_runs_names_the_kernel_that_may_be_gone():
    qd.init(arch=qd.cuda)
    field = qd.field(qd.f32, shape=1000)

    def march_once():
        @qd.kernel
        def march():
            for i in field:
                field[i] += 1.0

        march()
        jg.synchronize()
        march()

    march_once()
    gc.collect()
    DRIVER.fake_cuda_fail(b"event_wait", 0, 700)
    with pytest.raises(BufferError, match=r"march.*\] cuda:0: a command ended with CUDA_ERROR_ILL"):
        jg.synchronize()
