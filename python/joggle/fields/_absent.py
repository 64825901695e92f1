# SPDX-License-Identifier: Apache-2.0
"""The names of Quadrants that joggle.fields lacks, and what to use instead. docs/kernels.md has the
same as a table, held by a test."""

_SPARSE = "trees are made of nodes, as in root.pointer(ij, 64).dense(ij, 8)"
_CALLER = "time the call from outside, or record it with jg.trace"
_MESH = "keep the mesh as fields of indices"
_TILE = "tiles are rows of a GPU's subgroup; use Matrix, or an array in a loop"

ABSENT = {
    "sparse": _SPARSE,
    "clock_counter": _CALLER,
    "clock_freq_hz": _CALLER,
    "checkpoint": "end the kernel there, and go on in a second one",
    "GraphStatus": "end the kernel there, and go on in a second one",
    "Mesh": _MESH,
    "MeshInstance": _MESH,
    "mesh_local": _MESH,
    "mesh_patch_idx": _MESH,
    "interop": "fields go to torch by to_torch and from_torch",
    "Tile16x16": _TILE,
    "Tile32x32": _TILE,
    "DeviceCapability": "kernels choose by what the device can do; jg.device_info tells of it",
}


def message_of(module, name):
    """The message of the AttributeError for a name that the module does not have."""
    hint = ABSENT.get(name)
    return f"module {module!r} has no attribute {name!r}" + (f": {hint}" if hint else "")
