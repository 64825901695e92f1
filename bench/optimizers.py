# SPDX-License-Identifier: Apache-2.0
"""A step of Adam over trees of few and of many parameters, beside the peers' own optimizers."""

import numpy as np
from support.measure import Case, Goal, code
from support.networks import Library
from support.peers import on

NAME = "optimizers"


def budget(quick):
    from support import measure

    return measure.QUICK if quick else measure.Budget(seconds=2.0)


def _of_modules(core, parameters, gradients, compiled):
    """joggle's and MLX's, by their common names."""
    library = Library(core)
    model, slopes = ({k: core.array(v) for k, v in x.items()} for x in (parameters, gradients))
    optimizer = library.optimizers.Adam(1e-3)
    optimizer.init(model)

    def step(slopes):
        return optimizer.apply_gradients(slopes, model)

    if compiled:
        state = [optimizer.state]
        step = core.compile(step, inputs=[*state, model], outputs=state)
    first = np.array(library.optimizers.Adam(1e-3).apply_gradients(slopes, model)["p0"])

    def run():
        model.update(step(slopes))
        core.eval(model, optimizer.state)

    return code("f()", "first", f=run, first=first)


def _torchs(torch, parameters, gradients, **how):
    model = [torch.from_numpy(v.copy()).requires_grad_() for v in parameters.values()]
    for p, g in zip(model, gradients.values(), strict=True):
        p.grad = torch.from_numpy(g)
    optimizer = torch.optim.Adam(model, 1e-3, **how)
    return code("f()", f=optimizer.step)


def _case(count, elements):
    rng = np.random.default_rng(0)
    parameters, gradients = (
        {f"p{i}": rng.standard_normal(elements, np.float32) for i in range(count)} for _ in range(2)
    )
    entries = {
        "joggle": on("joggle", lambda core: _of_modules(core, parameters, gradients, False)),
        "torch foreach": on(
            "torch", lambda torch: _torchs(torch, parameters, gradients, foreach=True)
        ),
        "torch fused": on("torch", lambda torch: _torchs(torch, parameters, gradients, fused=True)),
        "mlx": on("mlx", lambda core: _of_modules(core, parameters, gradients, False)),
        "mlx.compile": on("mlx", lambda core: _of_modules(core, parameters, gradients, True)),
    }
    name = f"Adam over {count} parameters of {elements}"
    return Case(name, entries, (Goal(0.9),), tolerance=1e-4)


def cases(quick):
    for count, elements in (
        ((1, 64), (3, 64)) if quick else ((1, 2**16), (100, 4096), (1000, 256), (100, 2**16))
    ):
        yield _case(count, elements)
