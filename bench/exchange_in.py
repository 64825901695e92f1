# SPDX-License-Identifier: Apache-2.0
"""Taking a tensor of somebody else's, in place."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

THREADS = (1,)
NAME = "taking a tensor in place"
SHAPE = (4, 4)


def _takers(x, names):
    """from_dlpack(x) of each library named."""
    makers = {
        "joggle": lambda jg: code("take(x)", take=jg.from_dlpack, x=x),
        "tvm_ffi": lambda tvm: code("take(x)", take=tvm.from_dlpack, x=x),
        "torch": lambda torch: code("take(x)", take=torch.from_dlpack, x=x),
        "numpy": lambda np: code("take(x)", take=np.from_dlpack, x=x),
        "mlx": lambda mx: code("take(x)", take=mx.array, x=x),  # copies
        "jax": lambda jax: code("take(x)", take=jax.dlpack.from_dlpack, x=x),
    }
    return {name: on(name, makers[name]) for name in names}


def cases(quick):
    goal = (Goal(1.0, "tvm_ffi"),)
    tensor = on("torch", lambda torch: torch.ones(SHAPE))
    if not isinstance(tensor, str):
        names = ("joggle", "tvm_ffi", "numpy", "mlx", "jax")
        yield Case("from_dlpack(torch tensor)", _takers(tensor, names), goal)
    array = np.ones(SHAPE, np.float32)
    names = ("joggle", "tvm_ffi", "torch", "numpy", "mlx", "jax")
    yield Case("from_dlpack(numpy array)", _takers(array, names), goal)
    yield Case(
        "asarray(numpy array)",
        {
            "joggle": on("joggle", lambda jg: code("take(x)", take=jg.asarray, x=array)),
            "torch": on("torch", lambda torch: code("take(x)", take=torch.asarray, x=array)),
            "torch.from_numpy": on(
                "torch", lambda torch: code("take(x)", take=torch.from_numpy, x=array)
            ),
            "jax": on("jax", lambda jax: code("take(x)", take=jax.numpy.asarray, x=array)),
        },
        (Goal(1.0),),
    )
