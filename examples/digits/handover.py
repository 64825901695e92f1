# SPDX-License-Identifier: Apache-2.0
"""Hands one array from library to library, and tells whether the memory stayed where it was."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import joggle as jg
from digits import timing


def optional(name):
    """The module, or None where it is not installed or does not load."""
    try:
        return importlib.import_module(name)
    except Exception:
        return None


def address_of(x):
    """Where an array of any of the libraries has its first element."""
    if hasattr(x, "data_ptr"):
        return x.data_ptr()
    if hasattr(x, "unsafe_buffer_pointer"):
        return x.unsafe_buffer_pointer()
    return x.__array_interface__["data"][0]


def routes(values) -> Iterator[tuple[str, Any, Any]]:
    """(name, source, function) for each hand-over; the source is None where a library is absent."""
    torch, jax = optional("torch"), optional("jax")
    ours = jg.array(values)
    jg.eval(ours)
    yield "NumPy -> joggle", values, jg.from_dlpack
    yield "joggle -> NumPy (from_dlpack)", ours, np.from_dlpack
    yield "joggle -> NumPy (asarray)", ours, np.asarray
    yield "PyTorch -> joggle", torch and torch.tensor(values), jg.from_dlpack
    yield "joggle -> PyTorch", torch and ours, torch and torch.from_dlpack
    yield "JAX -> joggle", jax and jax.numpy.asarray(values), jg.from_dlpack
    yield "joggle -> JAX", jax and ours, jax and jax.dlpack.from_dlpack


def print_table(values):
    """A line for each route."""
    found = list(routes(values))
    calls = {
        name: (lambda hand_over=hand_over, source=source: hand_over(source))
        for name, source, hand_over in found
        if source is not None
    }
    times = timing.time_together(calls)
    print(f"{'hand-over':32}{'same address':>14}{'min':>14}{'median':>14}")
    for name, source, hand_over in found:
        if source is None:
            print(f"{name:32}{'not installed':>14}{'-':>14}{'-':>14}")
            continue
        same = address_of(hand_over(source)) == address_of(source)
        least, median = map(timing.text_of, times[name])
        print(f"{name:32}{'yes' if same else 'NO':>14}{least:>14}{median:>14}")
