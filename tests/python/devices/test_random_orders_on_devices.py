# SPDX-License-Identifier: Apache-2.0
"""Random programs of sorts, searches and what moves elements, on views and on results of each
other, with names dropped in random order: the device's values are the CPU's, bit for bit."""

import os
import random

import numpy as np
import pytest

import joggle as jg

pytestmark = pytest.mark.usefixtures("no_fallback")
DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
DTYPES = ("int32", "int64", "uint8", "float64", "bool")


def views(x, dice):
    """The array, or another look at some of its elements."""
    turned = dice.choice(
        [x, x.transpose(), x[::-1], x[:, ::-2], x[1:], jg.broadcast_to(x, x.shape)]
    )
    return turned if 0 not in turned.shape else x


def steps(x, y, dice):
    """One more value of both, with two axes as they have."""
    axis, descending = dice.randrange(2), dice.random() < 0.5
    kind = dice.randrange(8)
    if kind == 0:
        return jg.sort(x, axis=axis, descending=descending)
    if kind == 1:
        order = jg.argsort(x, axis=axis, descending=descending)
        return jg.take_along_axis(x, order, axis=axis)
    if kind == 2:
        return jg.topk(x, dice.randint(1, x.shape[axis]), axis=axis)
    if kind == 3:
        return jg.searchsorted(jg.sort(x, axis=None), y, side=dice.choice(["left", "right"]))
    if kind == 4:
        return jg.isin(x, y[0], invert=descending)
    if kind == 5:
        return jg.cumsum(x, axis=axis, reverse=descending)
    if kind == 6:
        return jg.concat([x, x[:1]], axis=0)
    return x + x


def run(seed, device):
    dice, made = random.Random(seed), np.random.default_rng(seed)
    dtype = dice.choice(DTYPES)
    shape = dice.choice([(1, 1), (3, 40), (40, 3), (17, 33), (2, 900), (60, 60)])
    values = [
        jg.asarray(
            made.integers(0, 2 if dtype == "bool" else 50, shape).astype(dtype), device=device
        )
        for _ in range(2)
    ]
    for _ in range(dice.randint(2, 9)):
        x, y = (views(dice.choice(values), dice) for _ in range(2))
        values.append(steps(x, y, dice))
        if dice.random() < 0.3:
            del values[dice.randrange(len(values))]
        if dice.random() < 0.2:
            jg.eval(dice.choice(values))
    return values


@pytest.mark.part(3)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_have_the_bits_of_the_cpu(seed):
    for x, y in zip(run(seed, DEVICE), run(seed, "cpu:0"), strict=True):
        assert x.device == DEVICE and x.dtype == y.dtype
        np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), np.asarray(y))
