# SPDX-License-Identifier: Apache-2.0
"""One training step in joggle, NumPy and PyTorch, timed side by side with a thread each."""

import numpy as np
import torch
from threadpoolctl import threadpool_limits

import joggle as jg
from digits import model, timing


def _ours(parameters, velocities, x, targets, rate):
    def run():
        loss, new_parameters, new_velocities = model.step(
            jg, parameters, velocities, x, targets, rate
        )
        jg.eval(loss, new_parameters, new_velocities)

    return run


def _eager(xp, state, rate):
    parameters, velocities, (x, targets) = state
    return lambda: model.step(xp, parameters, velocities, x, targets, rate)


def _autograd(state, rate, backend=None):
    """What one would write in PyTorch: its own gradients, its own optimiser; compiled or not."""
    parameters, _, (x, targets) = state
    parameters = [p.clone().requires_grad_() for p in parameters]
    optimiser = torch.optim.SGD(parameters, lr=rate, momentum=model.MOMENTUM)
    labels = targets.argmax(1)

    def loss_of(x, labels, *parameters):
        scores, _ = model.predict(torch, parameters, x)
        return torch.nn.functional.cross_entropy(scores, labels)

    if backend is not None:
        loss_of = torch.compile(loss_of, backend=backend)

    def run():
        optimiser.zero_grad()
        loss_of(x, labels, *parameters).backward()
        optimiser.step()

    return run


def print_table(parameters, velocities, x, targets, rate):
    """All of them work on the memory of the same joggle arrays. joggle's own threads are the
    caller's to limit, by the option num_threads."""
    shared = [parameters, velocities, [x, targets]]
    as_numpy = [[np.asarray(a) for a in group] for group in shared]
    as_torch = [[torch.from_dlpack(a) for a in group] for group in shared]
    calls = {
        "joggle": _ours(parameters, velocities, x, targets, rate),
        "NumPy": _eager(np, as_numpy, rate),
        "PyTorch, the same step": _eager(torch, as_torch, rate),
        "PyTorch, autograd and SGD": _autograd(as_torch, rate),
        "the same, backend joggle": _autograd(as_torch, rate, "joggle"),
        "the same, backend inductor": _autograd(as_torch, rate, "inductor"),
    }
    with threadpool_limits(1):
        times = timing.time_together(calls)
    ours = times["joggle"][0]
    print(f"{'one training step':32}{'min':>14}{'median':>14}{'x joggle':>10}")
    for name, (least, median) in times.items():
        cells = f"{timing.text_of(least):>14}{timing.text_of(median):>14}{least / ours:>10.2f}"
        print(f"{name:32}{cells}")
