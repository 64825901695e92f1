# SPDX-License-Identifier: Apache-2.0
"""Sorting, selecting and searching: a million elements, a thousand, and rows of a matrix."""

import numpy as np
from support.measure import Goal
from support.work import Work

NAME = "sorting"
GOALS = (Goal(1.05),)
SHAPED = {"jax": "its shape depends on the values", "mlx": "its shape depends on the values"}
SHAPED |= {"torch.compile": "its shape depends on the values"}


def _sort(xp, x):
    return xp.sort(x)


def _argsort(xp, x):
    return xp.argsort(x)


def _isin(xp, x, w):
    return xp.isin(x, w)


def _sorts(rng, count, rows):
    first = {"torch": lambda torch, x: torch.sort(x)[0]}
    for dtype in ("float32", "float64", "int32"):
        x = (rng.standard_normal(count) * 1e6).astype(dtype)
        yield Work(f"sort {count} {dtype}", _sort, {"x": x}, GOALS, own=first)
    x = rng.standard_normal(count).astype(np.float32)
    yield Work(f"argsort {count} float32", _argsort, {"x": x}, GOALS, tolerance=count)
    for length in rows:
        y = x.reshape(-1, length)
        yield Work(f"sort rows of {length}, {count}", _sort, {"x": y}, GOALS, own=first)
    yield Work(f"argsort rows of {length}, {count}", _argsort, {"x": y}, GOALS, tolerance=count)
    yield Work("sort 1000 float32", _sort, {"x": x[:1000].copy()}, GOALS, own=first)


def _selections(rng, count, k):
    x = rng.standard_normal(count).astype(np.float32)
    kth = count // 2
    part = {"torch": lambda torch, x: torch.kthvalue(x, kth + 1)[0]}
    yield Work(
        f"partition {count}", lambda xp, x: xp.partition(x, kth)[kth], {"x": x}, GOALS, own=part
    )
    top = {
        "numpy": lambda np, x: np.sort(np.partition(x, -k)[-k:])[::-1],
        "torch": lambda torch, x: torch.topk(x, k)[0],
        "jax": lambda jnp, x: __import__("jax").lax.top_k(x, k)[0],
        "mlx": lambda mx, x: mx.sort(mx.topk(x, k))[::-1],
    }
    yield Work(f"topk {k} of {count}", lambda xp, x: xp.topk(x, k), {"x": x}, GOALS, own=top)


def _searches(rng, count):
    wanted = rng.standard_normal(count).astype(np.float32)
    x = np.sort(rng.standard_normal(count).astype(np.float32))
    yield Work(
        f"searchsorted {count} in {count}",
        lambda xp, x, w: xp.searchsorted(x, w),
        {"x": x, "w": wanted},
        GOALS,
    )
    numbers = rng.integers(0, count // 8, count)
    others = rng.integers(0, count // 8, count)
    absent = {"mlx": "has no isin"}
    yield Work(f"isin {count} int64", _isin, {"x": numbers, "w": others}, GOALS, own=absent)
    few = {"x": numbers, "w": others[:1000]}
    yield Work(f"isin {count} int64 among 1000", _isin, few, GOALS, own=absent)
    own = SHAPED | {
        "numpy": lambda np, x: np.unique(x),
        "torch": lambda torch, x: torch.unique(x),
    }
    values = lambda xp, x: xp.unique_values(x)  # noqa: E731
    yield Work(f"unique of {count} int64", values, {"x": numbers}, GOALS, own=own)


def cases(quick):
    rng = np.random.default_rng(0)
    count = 2**12 if quick else 2**20
    yield from _sorts(rng, count, (16, 256) if quick else (16, 256, 1024))
    yield from _selections(rng, count, 10 if quick else 100)
    yield from _searches(rng, count)
