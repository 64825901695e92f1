# SPDX-License-Identifier: Apache-2.0
"""taichi._lib.core, as programs ask it which devices there are: none beside the CPU."""

from types import SimpleNamespace

_DEVICES = ("amdgpu", "cuda", "dx11", "dx12", "metal", "opengl", "vulkan")

core = SimpleNamespace(GGUI_AVAILABLE=True, **{f"with_{name}": lambda: False for name in _DEVICES})
