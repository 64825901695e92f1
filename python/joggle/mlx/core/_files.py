# SPDX-License-Identifier: Apache-2.0
"""load as MLX has it: what MLX has no dtype for comes as the bytes of its elements. save_gguf
and save_safetensors refuse by an error that is a ValueError too."""

from joggle import _core, _files

__all__ = ["load", "save_gguf", "save_safetensors"]

save_gguf, save_safetensors = (
    _core._narrowed(f, "kept", None) for f in (_files.save_gguf, _files.save_safetensors)
)

_BYTES = tuple(
    getattr(_core, name)
    for name in dir(_core)
    if name.startswith(("float8_", "float6_", "float4_"))
)


def load(file, /, format=None, return_metadata=False, *, stream=None):
    """The array of an npy file, or the dict of arrays of an npz, safetensors or gguf file;
    return_metadata=True gives (arrays, metadata). Floats of 8 bits come as uint8, which from_fp8
    takes.

    >>> mx.save("y.npy", mx.ones((2,)))
    >>> mx.load("y.npy")
    array([1., 1.], dtype=float32)
    """
    found = _files.load(file, format, return_metadata, stream=stream)
    arrays = found[0] if return_metadata else found
    if isinstance(arrays, dict):
        for name, x in arrays.items():
            if x.dtype in _BYTES:
                arrays[name] = _core.view(x, _core.uint8)
    return found
