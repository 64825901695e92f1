# SPDX-License-Identifier: Apache-2.0
"""Training with the data spread over processes: gradients are averaged at each step. On NumPy they
are written out and mpi4py sums them; on joggle they are derived, and joggle.distributed sums them
in the processes that mpi4py has begun."""

import numpy as np
from measure import measure_together
from mpi4py import MPI

ROWS, INPUTS, HIDDEN, STEPS, RATE = 4096, 64, 256, 20, 0.05
world = MPI.COMM_WORLD


def layout():
    """The rows of this process, what they are trained for, and the weights at the beginning."""
    random = np.random.default_rng(0)
    x = random.standard_normal((ROWS, INPUTS)).astype(np.float32)
    y = np.sin(x[:, :1] + x[:, 1:2])
    first = random.standard_normal((INPUTS, HIDDEN)).astype(np.float32) / 8
    second = random.standard_normal((HIDDEN, 1)).astype(np.float32) / 16
    mine = slice(world.rank * ROWS // world.size, (world.rank + 1) * ROWS // world.size)
    return x[mine], y[mine], {"first": first, "second": second}


def on_numpy(x, y, weights):
    def gradients(w):
        hidden = np.tanh(x @ w["first"])
        error = hidden @ w["second"] - y
        slope = (2 / len(x)) * error
        back = (slope @ w["second"].T) * (1 - hidden * hidden)
        return np.mean(error * error), {"first": x.T @ back, "second": hidden.T @ slope}

    def run():
        w = weights
        for _ in range(STEPS):
            loss, slopes = gradients(w)
            for slope in slopes.values():
                world.Allreduce(MPI.IN_PLACE, slope)
            w = {name: w[name] - RATE / world.size * slopes[name] for name in w}
        return {"loss": world.allreduce(loss) / world.size, **w}

    return run


def on_joggle(x, y, weights):
    import joggle as jg

    jg.distributed.init(strict=True)
    x, y = jg.asarray(x), jg.asarray(y)

    def loss_of(w):
        error = jg.tanh(x @ w["first"]) @ w["second"] - y
        return jg.mean(error * error)

    step = jg.value_and_grad(loss_of)

    def run():
        w = {name: jg.asarray(value) for name, value in weights.items()}
        for _ in range(STEPS):
            loss, slopes = step(w)
            slopes = jg.nn.average_gradients(slopes)
            w = {name: w[name] - RATE * slopes[name] for name in w}
        return {"loss": jg.distributed.all_sum(loss) / world.size, **w}

    return run


def prepare(xp):
    return {"numpy": on_numpy, "joggle": on_joggle}[xp.__name__](*layout())


if __name__ == "__main__":
    measure_together(prepare, "mpi4py", world)
