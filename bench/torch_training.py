# SPDX-License-Identifier: Apache-2.0
"""Training through torch.compile(f, backend="joggle") beside eager torch and Inductor: a layer
forward and backward, a step of Adam, and in a fresh process the first step of a layer, which
compiles, and the peak of memory. Inductor takes part where compilers do."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from support import torch_programs
from support.measure import Budget, Case, Goal, Probe, code
from support.peers import Absent, is_compiling, load, on, threads

NAME = "training through torch.compile's backend"
BACKENDS = {"joggle": "joggle", "torch": "eager", "torch.compile": "inductor"}
LAYERS = ("MLP", "ResNet block", "transformer layer")
WIDER = 32  # times the batch where memory is measured, so that it is mostly that of activations
PROGRAM = """
import sys
sys.path.insert(0, {bench!r})
import torch_training
torch_training.tell({name!r}, {backend!r}, {n}, {threads}, {is_wide})
"""


def budget(quick):
    few = Budget(sample_ns=200_000, rounds=2, least=1, seconds=0.3)
    return few if quick else Budget(seconds=3.0, least=2, long_ns=10**9)


def _arrays(shapes, times=1):
    """The input, the parameters, and what the gradient of the result is."""
    rng = np.random.default_rng(0)
    shapes = [(shapes[0][0] * times, *shapes[0][1:]), *shapes[1:]]
    return [rng.standard_normal(shape, np.float32) * 0.1 for shape in shapes]


def _compiled(torch, function, backend):
    if backend == "joggle":
        import joggle.torch

        backend = joggle.torch.backend
    return function if backend == "eager" else torch.compile(function, backend=backend)


def _stepper(torch, function, arrays, backend):
    """A function that gives the gradients of a step."""
    run = _compiled(torch, function, backend)
    x, *parameters = (torch.from_numpy(a).requires_grad_() for a in arrays)

    def step():
        found = run(torch, x, *parameters)
        return torch.autograd.grad(found.square().mean(), [x, *parameters])

    return step


def tell(name, backend, n, count, is_wide):
    """Prints the nanoseconds of a first step and the bytes that the process took for three."""
    import torch

    torch.set_num_threads(count)
    function, shapes = torch_programs.layers(n)[name]
    step = _stepper(torch, function, _arrays(shapes, WIDER if is_wide else 1), backend)
    before, start = _peak(), time.perf_counter_ns()
    step()
    took = time.perf_counter_ns() - start
    step()
    step()
    sys.stdout.write(f"{took} {_peak() - before}")


def _peak():
    """Not ru_maxrss, which is the parent's to begin with."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


def _fresh(name, contestant, n, column):
    """A probe that runs steps in a process of its own, with no code kept from another."""
    module = load("joggle" if contestant == "joggle" else "torch")
    if isinstance(module, Absent):
        return module
    if contestant == "torch.compile" and not is_compiling():
        return Absent("left out: --no-compile or --quick")
    bench, backend = str(Path(__file__).resolve().parent), BACKENDS[contestant]
    program = PROGRAM.format(
        bench=bench, name=name, backend=backend, n=n, threads=threads(), is_wide=column == 1
    )

    def probe():
        with tempfile.TemporaryDirectory() as folder:
            kept = {"TORCHINDUCTOR_CACHE_DIR": folder, "JOGGLE_JIT_CACHE": folder}
            result = subprocess.run(
                [sys.executable, "-c", program],
                capture_output=True,
                text=True,
                check=True,
                env=os.environ | kept,
            )
        return max(1, int(result.stdout.split()[column]))

    return Probe(probe)


def _entry(function, arrays, contestant):
    if contestant == "torch.compile" and not is_compiling():
        return Absent("left out: --no-compile or --quick")

    def make(torch):
        step = _stepper(torch, function, arrays, BACKENDS[contestant])
        step()  # what is compiled is compiled before the clock runs
        value = "__import__('numpy').concatenate([g.numpy().ravel() for g in f()])"
        return code("f()", value, f=step)

    return on("torch", make)


def _adam(size, contestant):
    """A step of Adam: torch's own fused one, or that of lists of tensors, compiled."""
    backend = BACKENDS[contestant]
    if contestant == "torch.compile" and not is_compiling():
        return Absent("left out: --no-compile or --quick")

    def make(torch):
        arrays = _arrays([(size,)] * 40)
        parameters = [torch.nn.Parameter(torch.from_numpy(a)) for a in arrays[:20]]
        for parameter, gradient in zip(parameters, arrays[20:], strict=True):
            parameter.grad = torch.from_numpy(gradient)
        how = {"fused": True} if backend == "eager" else {"foreach": True}
        step = _compiled(torch, torch.optim.Adam(parameters, **how).step, backend)
        step()  # makes its state, and is compiled again with that at the next
        value = "(f(), __import__('numpy').concatenate([p.detach().numpy() for p in given]))[1]"
        return code("f()", value, f=step, given=parameters)

    return on("torch", make)


def cases(quick):
    n = 32 if quick else 256
    layers = {
        name: layer for name, layer in torch_programs.layers(n).items() if name.startswith(LAYERS)
    }
    for name, (function, shapes) in layers.items():
        entries = {who: _entry(function, _arrays(shapes), who) for who in BACKENDS}
        yield Case(f"{name}, forward and backward", entries, (Goal(0.9),), tolerance=1e-3)
    size = n * n
    entries = {who: _adam(size, who) for who in BACKENDS}
    yield Case(f"Adam, 20 parameters of {size}", entries, (Goal(0.9),), tolerance=1e-3)
    alone = list(layers)[: 1 if quick else None]
    for name in alone:
        entries = {who: _fresh(name, who, n, 0) for who in ("joggle", "torch.compile")}
        yield Case(f"{name}, first step", entries, (Goal(0.2, "torch.compile"),))
    for name in alone:
        entries = {who: _fresh(name, who, n, 1) for who in BACKENDS}
        goal = Goal(1.0, "torch.compile")
        yield Case(f"{name}, batch times {WIDER}, peak memory", entries, (goal,), unit="bytes")
