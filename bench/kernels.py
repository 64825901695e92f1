# SPDX-License-Identifier: Apache-2.0
"""Kernels of joggle.fields beside the same source compiled by Quadrants, the same kernels for Warp
(whose CPU device has one thread), loops under Numba, and NumPy. Arrays are NumPy's, passed in place
(Warp's hold their memory), and every result is written into one that is there."""

import sys
from pathlib import Path

import numpy as np
from support import field_kernels, field_loops, warp_kernels
from support.measure import Case, Goal, code
from support.peers import on

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))
from simulations import fluid

NAME = "kernels"
GOALS = (Goal(0.8, "quadrants"),)


def fields(_):
    import joggle.fields

    return joggle.fields


def _call(run, arrays):
    """One call, on arrays of its own; the first of them is the result."""
    own = {name: x.copy() for name, x in arrays.items()}
    call, result = f"run({', '.join(own)})", next(iter(own))
    return code(call, f"({call}, {result})[1]", run=run, **own)


def _warp(wp, kernel, arrays):
    """As _call, with arrays of Warp on memory of their own, made beforehand."""
    rows = warp_kernels.ELEMENTS.get(kernel)
    own = {}
    for name, x in arrays.items():
        dtype = getattr(wp, rows or x.dtype.name)
        own[name] = wp.array(x.copy(), dtype=dtype, device="cpu", copy=False)
    call, result = f"run({', '.join(own)})", next(iter(own))
    return code(
        call, f"({call}, {result}.numpy())[1]", run=getattr(warp_kernels, kernel)(wp), **own
    )


def _case(name, kernel, arrays, goals=GOALS, tolerance=2e-4):
    """The kernel of that name by all; the one of NumPy has `_numpy` behind it."""
    make, loop = getattr(field_kernels, kernel), getattr(field_loops, kernel)
    plain = getattr(field_loops, f"{kernel}_numpy")
    entries = {
        "joggle": on("joggle", lambda jg: _call(make(fields(jg)), arrays)),
        "quadrants": on("quadrants", lambda qd: _call(make(qd), arrays)),
        "warp": on("warp", lambda wp: _warp(wp, kernel, arrays)),
        "numba": on("numba", lambda numba: _call(numba.njit(loop), arrays)),
        "numpy": _call(plain, arrays),
    }
    return Case(name, entries, goals, entries["numpy"].evaluate, tolerance)


def _fluid(qd, count, cells):
    particles, step = fluid.make_fluid(qd, count, cells, "AOS")
    places = "(lift(particles), step(), particles.x.to_numpy())[2]"
    return code("step()", places, lift=fluid.lift, particles=particles, step=step)


def _fluid_case(count, cells):
    state = fluid.numpy_state(count)
    plain = code("step(state, cells)", None, step=fluid.numpy_step, state=state, cells=cells)
    entries = {
        "joggle": on("joggle", lambda jg: _fluid(fields(jg), count, cells)),
        "quadrants": on("quadrants", lambda qd: _fluid(qd, count, cells)),
        "numpy": plain,
    }
    reference = lambda: fluid.numpy_step(state, cells)["x"]  # noqa: E731
    return Case(f"MPM step, {count} particles", entries, GOALS, reference)


def _held(qd, count):
    run, arguments = field_kernels.held(qd, count)
    names = {f"x{i}": x for i, x in enumerate(arguments)}
    call, result = f"run({', '.join(names)})", [*names][-1]
    return code(call, f"({call}, {result}.to_numpy())[1]", run=run, **names)


def _held_case(count):
    """A launch that does next to nothing, with so many arrays in its arguments."""
    entries = {
        "joggle": on("joggle", lambda jg: _held(fields(jg), count)),
        "quadrants": on("quadrants", lambda qd: _held(qd, count)),
    }
    reference = lambda: np.full(1, 36, np.float32)  # noqa: E731
    return Case(f"call, {count} arrays held", entries, (Goal(0.5, "quadrants"),), reference)


def cases(quick):
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 1024), np.float32)
    arrays = {"z": np.zeros_like(x), "x": x, "y": y}
    yield _case("call, three arrays of 4 KiB", "saxpy", arrays, (Goal(0.1, "quadrants"),))
    for count in (0, 8, 64, 512):
        yield _held_case(count)
    side = 64 if quick else 1024
    image = rng.random((side, side), np.float32)
    yield _case(f"stencil {side}x{side}", "stencil", {"v": np.zeros_like(image), "u": image})
    place = rng.random((64 if quick else 4096, 3), np.float32)
    arrays = {"pull": np.zeros_like(place), "place": place}
    yield _case(f"{len(place)} bodies", "nbody", arrays, tolerance=1e-3)
    yield _fluid_case(*((256, 32) if quick else (8192, 128)))
    side = 16 if quick else 256
    a, b = rng.random((2, side, side), np.float32)
    yield _case(f"matrix product {side}", "matmul", {"c": np.zeros_like(a), "a": a, "b": b})
    count = 2**10 if quick else 2**20
    values = rng.integers(0, 256, count, np.int32)
    arrays = {"counts": np.zeros(256, np.int32), "values": values}
    yield _case(f"histogram of {count}", "histogram", arrays)
    arrays = {"sum": np.zeros(1, np.float32), "values": rng.random(count, np.float32)}
    yield _case(f"sum of {count}", "total", arrays)
