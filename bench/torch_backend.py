# SPDX-License-Identifier: Apache-2.0
"""torch.compile(f, backend="joggle") beside eager torch and Inductor: patterns of models, layers,
and a small call, which is what a call costs. Inductor takes part where compilers do."""

import numpy as np
from support import torch_programs
from support.measure import Case, Goal, code
from support.peers import Absent, is_compiling, on

NAME = "torch.compile's backend"
MEAN_GOAL = 0.6


def budget(quick):
    from support import measure

    return measure.QUICK if quick else measure.Budget(seconds=3.0)


def _cases(quick):
    n = 32 if quick else 256
    yield "16 floats, 2 x + 1", torch_programs.small, [(16,)]
    yield from torch_programs.patterns(n)
    for name, (function, shapes) in torch_programs.layers(n).items():
        yield name, function, shapes


def _entry(torch, function, arrays, backend):
    if backend == "inductor" and not is_compiling():
        return Absent("left out: --no-compile or --quick")

    run = function
    if backend is not None:
        run = torch.compile(run, backend=backend)
    tensors = [torch.from_numpy(x) for x in arrays]

    def call():
        with torch.no_grad():
            return run(torch, *tensors)

    call()  # what is compiled is compiled before the clock runs
    return code("f()", "f().numpy()", f=call)


def _joggle(function, arrays):
    import joggle.torch

    return on("torch", lambda torch: _entry(torch, function, arrays, joggle.torch.backend))


def cases(quick):
    rng = np.random.default_rng(0)
    for name, function, shapes in _cases(quick):
        # positive, as second moments are, and small, as weights are
        arrays = [np.abs(rng.standard_normal(shape, np.float32)) * 0.1 for shape in shapes]
        entries = {
            "joggle": on("joggle", lambda _, f=function, a=arrays: _joggle(f, a)),
            "torch": on("torch", lambda torch, f=function, a=arrays: _entry(torch, f, a, None)),
            "torch.compile": on(
                "torch", lambda torch, f=function, a=arrays: _entry(torch, f, a, "inductor")
            ),
        }
        yield Case(name, entries, (Goal(0.9),), tolerance=1e-3)
