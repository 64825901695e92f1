# SPDX-License-Identifier: Apache-2.0
"""Networks of joggle.nn: what they give for a batch, and a step of training with Adam."""

import numpy as np
from support import networks
from support.measure import Case, Goal, code
from support.networks import Library
from support.peers import Absent, is_compiling, on

NAME = "networks"


def budget(quick):
    from support import measure

    return measure.QUICK if quick else measure.Budget(seconds=3.0)


def _forward(core, make, weights, x, compiled):
    library = Library(core)
    model = library.load(make(library), weights).eval()
    f = core.compile(model) if compiled else model
    return code("eval(f(x))", "f(x)", eval=core.eval, f=f, x=core.array(x))


def _torch_forward(torch, run, weights, x, compiled):
    if compiled and not is_compiling():
        return Absent("left out: --no-compile or --quick")
    f, w = networks.Torch(torch), {k: torch.from_numpy(v) for k, v in weights.items()}
    x = torch.from_numpy(x)

    def forward(w, x):
        return run(f, w, x)

    forward = torch.compile(forward, dynamic=False) if compiled else forward

    def call():
        with torch.inference_mode():
            return forward(w, x)

    call()  # what is compiled is compiled before the clock runs
    return code("f()", "f()", f=call)


def _jax_forward(jax, run, weights, x):
    f = networks.Jax(jax)
    forward = jax.jit(lambda w, x: run(f, w, x))
    w = {k: jax.numpy.asarray(v) for k, v in weights.items()}
    given = {"f": forward, "w": w, "x": jax.numpy.asarray(x)}
    return code("f(w, x).block_until_ready()", "f(w, x)", **given)


def _training(core, make, weights, x, y, compiled):
    library = Library(core)
    model = library.load(make(library), weights)
    optimizer = library.optimizers.Adam(1e-3)
    optimizer.init(model.trainable_parameters())
    losses = library.nn.losses

    def loss(x, y):
        return losses.cross_entropy(model(x), y, reduction="mean")

    value_and_grad = library.nn.value_and_grad(model, loss)

    def step(x, y):
        value, slopes = value_and_grad(x, y)
        optimizer.update(model, slopes)
        return value

    state = [model.state, optimizer.state]
    step = core.compile(step, inputs=state, outputs=state) if compiled else step
    first = {"loss": np.array(loss(core.array(x), core.array(y)))}

    def run(x, y):
        value = step(x, y)
        core.eval(value, state)

    return code("f(x, y)", "first['loss']", f=run, first=first, x=core.array(x), y=core.array(y))


def _torch_training(torch, run, weights, x, y, compiled):
    if compiled and not is_compiling():
        return Absent("left out: --no-compile or --quick")
    f = networks.Torch(torch)
    w = {k: torch.from_numpy(v.copy()).requires_grad_() for k, v in weights.items()}
    x, y = torch.from_numpy(x), torch.from_numpy(y).long()
    optimizer = torch.optim.Adam(w.values(), 1e-3, fused=True)

    def loss(x, y):
        return f.cross_entropy(run(f, w, x), y)

    first = {"loss": loss(x, y).detach().numpy()}
    loss = torch.compile(loss, dynamic=False) if compiled else loss

    def step():
        optimizer.zero_grad()
        loss(x, y).backward()
        optimizer.step()

    step()
    return code("f()", "first['loss']", f=step, first=first)


def _jax_training(jax, run, weights, x, y):
    f, xp = networks.Jax(jax), jax.numpy
    slopes = jax.value_and_grad(lambda w, x, y: f.cross_entropy(run(f, w, x), y))

    def step(w, moments, x, y):
        value, g = slopes(w, x, y)
        return value, *networks.adam_of_jax(xp, w, g, moments, None)

    step = jax.jit(step, donate_argnums=(0, 1))
    w = {k: xp.array(v) for k, v in weights.items()}
    state = {"w": w, "m": {k: (xp.zeros_like(v), xp.zeros_like(v)) for k, v in w.items()}}
    x, y = xp.asarray(x), xp.asarray(y)
    first = {"loss": np.asarray(slopes(w, x, y)[0])}

    def call():
        value, state["w"], state["m"] = step(state["w"], state["m"], x, y)
        jax.block_until_ready((value, state))

    call()
    return code("f()", "first['loss']", f=call, first=first)


def _contestants(ours, torchs, jaxs):
    return {
        "joggle": on("joggle", lambda core: ours(core, True)),
        "joggle not compiled": on("joggle", lambda core: ours(core, False)),
        "torch": on("torch", lambda torch: torchs(torch, False)),
        "torch.compile": on("torch", lambda torch: torchs(torch, True)),
        "jax.jit": on("jax", jaxs),
        "mlx": on("mlx", lambda core: ours(core, False)),
        "mlx.compile": on("mlx", lambda core: ours(core, True)),
    }


def _pair(name, make, run, x, y, rng):
    """The case of forward and that of training, of a network with random weights."""

    def weights_for(core):
        library = Library(core)
        shapes = {path: w.shape for path, w in library.weights(make(library)).items()}
        return {path: networks.scaled(shape, rng) for path, shape in shapes.items()}

    weights = on("joggle", weights_for)
    yield Case(
        f"{name}, forward",
        _contestants(
            lambda core, compiled: _forward(core, make, weights, x, compiled),
            lambda torch, compiled: _torch_forward(torch, run, weights, x, compiled),
            lambda jax: _jax_forward(jax, run, weights, x),
        ),
        (Goal(0.9),),
        tolerance=2e-3,
    )
    yield Case(
        f"{name}, training",
        _contestants(
            lambda core, compiled: _training(core, make, weights, x, y, compiled),
            lambda torch, compiled: _torch_training(torch, run, weights, x, y, compiled),
            lambda jax: _jax_training(jax, run, weights, x, y),
        ),
        (Goal(0.9),),
        tolerance=2e-3,
    )


def cases(quick):
    rng = np.random.default_rng(0)
    inputs, wide, rows = (16, 8, 4) if quick else (784, 256, 256)
    yield from _pair(
        f"MLP {inputs}-{wide}-{wide}-10, batch {rows}",
        lambda library: networks.perceptron(library, inputs, wide),
        networks.run_perceptron,
        rng.standard_normal((rows, inputs), np.float32),
        rng.integers(0, 10, rows).astype(np.int32),
        rng,
    )
    extent, channels, rows = (8, 4, 2) if quick else (28, 32, 32)
    yield from _pair(
        f"CNN of {channels} and {2 * channels} channels, {extent}x{extent}, batch {rows}",
        lambda library: networks.convolutional(library, extent, channels),
        networks.run_convolutional,
        rng.standard_normal((rows, extent, extent, 1), np.float32),
        rng.integers(0, 10, rows).astype(np.int32),
        rng,
    )
    tokens, width, length, rows = (20, 16, 8, 2) if quick else (1000, 256, 128, 8)
    yield from _pair(
        f"transformer, 2 layers of {width}, {rows}x{length}",
        lambda library: networks.transformer(library, tokens, width, length),
        networks.run_transformer,
        rng.integers(0, tokens, (rows, length)).astype(np.int32),
        rng.integers(0, tokens, (rows, length)).astype(np.int32),
        rng,
    )
