# SPDX-License-Identifier: Apache-2.0
"""Queries about an arch."""

from joggle.fields._init import Arch, _device_of
from joggle.fields._names import extension, is_extension_enabled
from joggle.fields.lang._public import public_of


def _checked(arch):
    if not isinstance(arch, Arch):
        raise TypeError(f"arch: got {arch!r}, allowed is one of {[*Arch.__members__]}")
    return arch


def is_arch_supported(arch):
    """Whether kernels run there in this process."""
    return _device_of(_checked(arch))[0] is not None


def is_extension_supported(arch, ext):
    """Whether kernels can do it there."""
    return is_arch_supported(arch) and is_extension_enabled(extension(ext))


def get_host_arch_list():
    """The archs of this machine's CPU."""
    return [Arch.cpu]


__getattr__ = public_of(__name__)
