# SPDX-License-Identifier: Apache-2.0
"""What tests of fields on devices share: programs that run on the CPU and on the device."""

import os

import numpy as np

import joggle.fields as qd

DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
KIND = DEVICE.partition(":")[0]
ARCH = {"rocm": "amdgpu"}.get(KIND, KIND)  # what fields call the device


def start(arch=ARCH, **settings):
    qd.init(arch=arch, **{"fast_math": False, **settings})


def both(program, **settings):
    """What a program gives on the CPU and on the device: nests of arrays and numbers."""
    start("cpu", **settings)
    wanted = program()
    start(ARCH, **settings)
    got = program()
    qd.reset()
    return got, wanted


def check(program, rtol=0.0, atol=0.0, **settings):
    got, wanted = both(program, **settings)
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


def numbers(shape, dtype="f4", seed=1):
    made = np.random.default_rng(seed).standard_normal(shape) * 10
    return made.astype(dtype)
