# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: of one line, of many, of two and three axes, and of a prime length."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "Fourier transforms"
SHAPES = {
    "1 Ki": (1024,),
    "64 Ki": (65536,),
    "1 Mi": (2**20,),
    "1000x1024": (1000, 1024),
    "1024x1024": (1024, 1024),
    "128^3": (128, 128, 128),
    "10007": (10007,),
}
OVER_ALL = ("1024x1024", "128^3")
DTYPES = {"f32": np.float32, "f64": np.float64}


def _transform(name, case):
    """The function of a module's fft that the case is about."""
    name = name + "n" if case in OVER_ALL else name
    return lambda xp, x: getattr(xp.fft, name)(x)


def _work(name, case, x, single):
    own = {"torch.compile": "calls the same", "mlx.compile": "calls the same"}
    if not single:
        own["mlx"] = "it has no double precision"
    return Work(
        f"{name} {'f32' if single else 'f64'} {case}",
        _transform(name, case),
        {"x": x},
        (Goal(1.05),),
        own=own,
        tolerance=1e-3 if single else 1e-9,
    )


def cases(quick):
    rng = np.random.default_rng(0)
    for case, shape in SHAPES.items():
        if quick:
            shape = tuple(min(extent, 8) for extent in shape)
        for dtype in DTYPES.values():
            real = rng.standard_normal(shape).astype(dtype)
            complex_ = (real + 1j * real[::-1]).astype(np.result_type(dtype, np.complex64))
            yield _work("fft", case, complex_, dtype is np.float32)
            yield _work("rfft", case, real, dtype is np.float32)
