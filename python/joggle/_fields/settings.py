# SPDX-License-Identifier: Apache-2.0
"""The settings that joggle.fields.init sets, which hold for all fields and kernels."""

import os
from enum import Enum

from joggle import _core


class Arch(Enum):
    """The device of fields and kernels: the CPU, cuda, amdgpu, opencl, or with gpu the first GPU of
    these. Other names use the CPU."""

    x64 = "x64"
    arm64 = "arm64"
    cpu = "arm64" if os.uname().machine in ("aarch64", "arm64") else "x64"  # the same as that one
    python = "python"
    gpu = "gpu"
    cuda = "cuda"
    opencl = "opencl"
    amdgpu = "amdgpu"
    metal = "metal"
    vulkan = "vulkan"

    def __init__(self, name):
        self.is_cpu = name in ("x64", "arm64", "python")

    def __repr__(self):
        return self.name


class Config:
    """The settings, as init was given them."""

    def __init__(self):
        self.reset()

    def reset(self):
        """Every setting as it is where init was not called."""
        self.arch = Arch.cpu
        self.default_fp, self.default_ip = _core.float32, _core.int32
        self.debug = False
        self.check_out_of_bound = None  # True, False, or None: only where it costs little
        self.fast_math = True
        self.random_seed = 0
        self.cpu_max_num_threads = None
        self.log_level = "info"
        self.threads_before = None  # if cpu_max_num_threads has set another number
        self.raise_on_templated_floats = False

    @property
    def default_up(self):
        """The unsigned dtype as wide as default_ip."""
        return _core.uint32 if self.default_ip is _core.int32 else _core.uint64


config = Config()

LEVELS = ("trace", "debug", "info", "warn", "error", "critical")

# Called without arguments when fields are lost, to drop caches about them.
reset_hooks = []

# Called before fields are first used in a form that is not known; None, unless a program has asked
# for it (fields/lang/impl.py).
before_use = None
