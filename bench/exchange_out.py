# SPDX-License-Identifier: Apache-2.0
"""Handing an array to NumPy and to PyTorch: how long they take to import ours, and the others'.
Most of the time is that of who imports, so there are no goals."""

import numpy as np
from support.measure import Case, code
from support.peers import Absent, on

THREADS = (1,)
NAME = "handing an array over"
SHAPE = (4, 4)


def _sources():
    """One array of each library, in memory."""
    values = np.ones(SHAPE, np.float32)

    def ours(jg):
        x = jg.array(values)
        jg.eval(x)
        return x

    def mlx(mx):
        x = mx.array(values)
        mx.eval(x)
        return x

    return {
        "joggle": on("joggle", ours),
        "tvm_ffi": on("tvm_ffi", lambda tvm: tvm.from_dlpack(values)),
        "numpy": values,
        "torch": on("torch", lambda torch: torch.ones(SHAPE)),
        "jax": on("jax", lambda jax: jax.numpy.asarray(values)),
        "mlx": on("mlx", mlx),
    }


def _case(name, take, sources, skip):
    entries = {
        source: x if isinstance(x, Absent) else code("take(x)", take=take, x=x)
        for source, x in sources.items()
        if source not in skip
    }
    return Case(name, entries)


def cases(quick):
    sources = _sources()
    yield _case("numpy.from_dlpack(x)", np.from_dlpack, sources, skip=())
    # A tvm_ffi tensor would become an array of objects.
    yield _case("numpy.asarray(x)", np.asarray, sources, skip=("numpy", "tvm_ffi"))
    take = on("torch", lambda torch: torch.from_dlpack)
    if not isinstance(take, Absent):
        yield _case("torch.from_dlpack(x)", take, sources, skip=("torch",))
