# SPDX-License-Identifier: Apache-2.0
"""A column of Arrow made from an array, for pyarrow.array(x). The core calls it."""

from joggle import _core

# The dtypes that pyarrow has under the same name.
_NAMES = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
_NAMES |= {"float16", "float32", "float64"}


def arrow_array(x, type=None):
    """x as an array of pyarrow's that shares its memory; bools, which Arrow packs, are copied.

    type: None, or a type of pyarrow's that the column is cast to
    """
    import pyarrow

    if x.ndim != 1:
        raise ValueError(
            f"[__arrow_array__] x: is of shape {x.shape}, allowed is one axis; "
            "pyarrow.Tensor.from_numpy(jg.asnumpy(x)) takes more"
        )
    if x.dtype is _core.bool:
        from joggle._numpy.bits import packbits

        own, elements = pyarrow.bool_(), packbits(x, bitorder="little")
    elif x.dtype.name in _NAMES:
        own, elements = getattr(pyarrow, x.dtype.name)(), x
    else:
        raise TypeError(
            f"[__arrow_array__] x: got {x.dtype.name}, allowed are bool, integers, float16, "
            "float32 and float64"
        )
    # The buffer holds the view, which holds the array.
    data = pyarrow.py_buffer(memoryview(_core.contiguous(elements.to_device("cpu"))))
    column = pyarrow.Array.from_buffers(own, x.size, [None, data], null_count=0)
    return column if type is None else column.cast(type)
