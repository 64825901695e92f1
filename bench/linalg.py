# SPDX-License-Identifier: Apache-2.0
"""Factors, solutions and inverses in float32: single matrices, and batches of small ones."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on
from support.work import to_joggle, to_mlx, to_torch

NAME = "linear algebra"
SHAPES = ((10000, 3, 3), (1000, 16, 16), (256, 256), (1024, 1024))
QUICK = ((20, 3, 3), (4, 5, 5))
GOALS = (Goal(1.05),)

# What is asked of each library's linalg, and what all must agree on: signs of vectors are free.
OPS = {
    "cholesky": lambda la, a, b: (la.cholesky(a),),
    "inv": lambda la, a, b: (la.inv(a),),
    "solve": lambda la, a, b: (la.solve(a, b),),
    "det": lambda la, a, b: (la.det(a),),
    "qr": lambda la, a, b: tuple(la.qr(a)),
    "svd": lambda la, a, b: tuple(la.svd(a)),
    "eigh": lambda la, a, b: tuple(la.eigh(a)),
}
AGREED = {
    "qr": lambda results: np.abs(np.asarray(results[1])),
    "svd": lambda results: np.asarray(results[1]),
    "eigh": lambda results: np.asarray(results[0]),
}


def first(results):
    return np.asarray(results[0])


class MlxOnCpu:
    """mlx.core.linalg, which computes on the CPU only where it is told so."""

    def __init__(self, mx):
        self.mx = mx

    def __getattr__(self, name):
        return lambda *arrays: getattr(self.mx.linalg, name)(*arrays, stream=self.mx.cpu)


def _entry(take, statement, op, linalg, operands, **names):
    a, b = map(take, operands)
    return code(
        statement,
        f"agreed({statement})",
        agreed=AGREED.get(op, first),
        f=lambda a, b: OPS[op](linalg, a, b),
        a=a,
        b=b,
        **names,
    )


def _joggle(jg, op, operands):
    def run(arrays):
        jg.eval(*arrays)
        return arrays

    return _entry(lambda x: to_joggle(jg, x), "run(f(a, b))", op, jg.linalg, operands, run=run)


def _jax(jax, op, operands):
    compiled = jax.jit(lambda a, b: OPS[op](jax.numpy.linalg, a, b))
    entry = _entry(jax.numpy.asarray, "ready(f(a, b))", op, None, operands)
    entry.names.update(f=compiled, ready=jax.block_until_ready)
    return entry


def _mlx(mx, op, operands):
    def run(arrays):
        mx.eval(*arrays)
        return arrays

    return _entry(lambda x: to_mlx(mx, x), "run(f(a, b))", op, MlxOnCpu(mx), operands, run=run)


def _numpy(np, op, operands):
    return _entry(np.asarray, "f(a, b)", op, np.linalg, operands)


def _torch(torch, op, operands):
    return _entry(lambda x: to_torch(torch, x), "f(a, b)", op, torch.linalg, operands)


def _operands(op, shape):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(shape, np.float32), rng.standard_normal(shape, np.float32)
    if op in ("cholesky", "eigh"):
        a = (a + a.swapaxes(-1, -2)) / 2
    if op in ("cholesky", "inv", "solve"):
        a = a + 4 * np.float32(shape[-1] ** 0.5) * np.eye(shape[-1], dtype=np.float32)
    if op == "det":
        a = a / np.float32(shape[-1] ** 0.5)
    return a, b


MAKERS = {"joggle": _joggle, "numpy": _numpy, "torch": _torch, "jax": _jax, "mlx": _mlx}


def _entries(op, operands):
    return {
        name: on(name, lambda module, make=make: make(module, op, operands))
        for name, make in MAKERS.items()
    }


def cases(quick):
    for op in OPS:
        for shape in QUICK if quick else SHAPES:
            entries = _entries(op, _operands(op, shape))
            name = f"{op} {' of '.join(map(str, shape[:-1]))}"
            yield Case(name, entries, GOALS, tolerance=5e-3)
