# SPDX-License-Identifier: Apache-2.0
"""The same work for everybody: from one function of an array namespace to a case with contestants.

A function f(xp, *arrays) is written once, in names that NumPy, joggle, JAX, MLX and PyTorch share;
`own` replaces it where a library spells something differently or has a call of its own for it.
"""

import dataclasses

import numpy as np

from support.measure import Case, code
from support.peers import Absent, is_compiling, on


@dataclasses.dataclass
class Work:
    """One line of a claim's table.

    own        {contestant: f(module, *arrays), or a string that says why it is left out}
    ours       {name: f}: several ways to ask joggle for it; each becomes a line. What is named
               "joggle tier 0" runs on precompiled kernels alone, "joggle compiled" is recorded
    expression what numexpr evaluates, over the names of inputs and constants
    loop       a function of the arrays, for numba.njit: the loop as somebody would write it
    kernel     module -> a function of NumPy arrays, for Quadrants
    yardsticks entries of another kind
    """

    name: str
    function: object
    inputs: dict
    goals: tuple = ()
    own: dict = dataclasses.field(default_factory=dict)
    ours: dict = dataclasses.field(default_factory=dict)
    expression: str | None = None
    constants: dict = dataclasses.field(default_factory=dict)
    loop: object = None
    kernel: object = None
    yardsticks: dict = dataclasses.field(default_factory=dict)
    reference: object = None
    tolerance: float = 2e-4

    def as_case(self):
        return _case_of(self)


def is_bfloat16(x):
    return getattr(x, "dtype", None) is not None and x.dtype.name == "bfloat16"


# How each library takes a NumPy array; without a copy where it can.
def to_joggle(jg, x):
    return jg.asarray(x) if is_bfloat16(x) else jg.from_dlpack(x)


def to_torch(torch, x):
    if is_bfloat16(x):
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(x)


def to_mlx(mx, x):
    return mx.array(x.view(np.uint16)).view(mx.bfloat16) if is_bfloat16(x) else mx.array(x)


def _call(work, statement, function, take, **names):
    """The statement, with the function's call on the inputs, as `take` takes them, for CALL."""
    call = f"f({', '.join(work.inputs)})"
    arrays = {name: take(x) for name, x in work.inputs.items()}
    return code(statement.replace("CALL", call), call, f=function, **arrays, **names)


def _bound(function, namespace):
    return lambda *arrays: function(namespace, *arrays)


# While its plan is made, the option jit says whether a plan may be compiled. A plan belongs to the
# shapes of its inputs, so what is to stay on tier 0 gets an axis more.
def _joggle(jg, work, function, name):
    compiles = name != "joggle tier 0"
    call = _bound(function, jg)
    if name == "joggle compiled":
        call = jg.compile(call)

    def take(x):
        return to_joggle(jg, x if compiles else x[None])

    jg.set_option("jit", "auto" if compiles else "0")
    jg.eval(call(*map(take, work.inputs.values())))  # is everything there?
    jg.set_option("jit", "auto")
    return _call(work, "eval(CALL)", call, take, eval=jg.eval)


def _numpy(np, work, function):
    return _call(work, "CALL", _bound(function, np), np.asarray)


def _torch(torch, work, function):
    return _call(work, "CALL", _bound(function, torch), lambda x: to_torch(torch, x))


def _torch_compile(torch, work, function):
    if not is_compiling():
        return Absent("left out: --no-compile or --quick")
    torch._dynamo.reset()
    compiled = torch.compile(_bound(function, torch), dynamic=False)
    return _call(work, "CALL", compiled, lambda x: to_torch(torch, x))


def _jax(jax, work, function):
    compiled = jax.jit(_bound(function, jax.numpy))
    return _call(work, "CALL.block_until_ready()", compiled, jax.numpy.asarray)


def _mlx(mx, work, function):
    return _call(work, "eval(CALL)", _bound(function, mx), lambda x: to_mlx(mx, x), eval=mx.eval)


def _mlx_compile(mx, work, function):
    compiled = mx.compile(_bound(function, mx))
    return _call(work, "eval(CALL)", compiled, lambda x: to_mlx(mx, x), eval=mx.eval)


def _numexpr(numexpr, work):
    names = work.inputs | work.constants
    statement = f"evaluate({work.expression!r}, names)"
    return code(statement, statement, evaluate=numexpr.evaluate, names=names)


def _numba(numba, work):
    return _call(work, "CALL", numba.njit(work.loop), np.asarray)


def _quadrants(quadrants, work):
    return _call(work, "CALL", work.kernel(quadrants), np.asarray)


# Who takes part with the function, under which library.
CONTESTANTS = {
    "numpy": ("numpy", _numpy),
    "torch": ("torch", _torch),
    "torch.compile": ("torch", _torch_compile),
    "jax.jit": ("jax", _jax),
    "mlx": ("mlx", _mlx),
    "mlx.compile": ("mlx", _mlx_compile),
}


def _entry(work, name):
    library, make = CONTESTANTS[name]
    function = work.own.get(name, work.own.get(library, work.function))
    if isinstance(function, str):
        return Absent(f"left out: {function}")
    return on(library, lambda module: make(module, work, function))


def _reference(work):
    function = work.own.get("numpy", work.function)
    if work.reference is not None:
        return work.reference
    if isinstance(function, str):
        raise ValueError(f"{work.name}: without NumPy it needs a reference")
    return lambda: function(np, *work.inputs.values())


def _case_of(work):
    ours = work.ours or {"joggle": work.own.get("joggle", work.function)}
    entries = {
        name: on("joggle", lambda jg, f=function, n=name: _joggle(jg, work, f, n))
        for name, function in ours.items()
    }
    entries |= {name: _entry(work, name) for name in CONTESTANTS}
    if work.expression:
        entries["numexpr"] = on("numexpr", lambda numexpr: _numexpr(numexpr, work))
    if work.loop:
        entries["numba"] = on("numba", lambda numba: _numba(numba, work))
    if work.kernel:
        entries["quadrants"] = on("quadrants", lambda quadrants: _quadrants(quadrants, work))
    entries |= work.yardsticks
    return Case(work.name, entries, work.goals, _reference(work), work.tolerance)
