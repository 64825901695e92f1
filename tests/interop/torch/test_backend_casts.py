# SPDX-License-Identifier: Apache-2.0
"""Casts of floats to integers that have not the value are those of eager torch on this CPU."""

import pytest

import joggle.torch

torch = pytest.importorskip("torch")

LIMITS = (2.0**7, 2.0**8, 2.0**15, 2.0**16, 2.0**31, 2.0**32, 2.0**63, 2.0**64)
VALUES = [
    0.0,
    -0.0,
    1.5,
    -1.5,
    300.25,
    -300.25,
    70000.0,
    1e6,
    1e12,
    1e20,
    float("inf"),
    float("nan"),
]
VALUES += [sign * (x + d) for x in LIMITS for d in (-1.0, -0.5, 0.0, 1.0) for sign in (1, -1)]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]


@pytest.fixture(autouse=True)
def anew():
    torch._dynamo.reset()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_all_floats_become_the_integers_of_eager_torch(dtype):
    x = torch.tensor(VALUES, dtype=torch.float64).to(dtype)

    def casts(x):
        return [x.to(kind) for kind in INTEGERS]

    found = joggle.torch.compile(casts)(x)
    for y, wanted in zip(found, casts(x), strict=True):
        torch.testing.assert_close(y, wanted, rtol=0, atol=0)


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_floats_copied_into_integers_are_eager_torchs(kind):
    x = torch.tensor(VALUES, dtype=torch.float64)

    def written(x, y):
        return y.clone().copy_(x)

    y = torch.zeros(len(VALUES), dtype=kind)
    found, wanted = joggle.torch.compile(written)(x, y), written(x, y)
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)


@pytest.mark.parametrize("bounds", [(-128, 127), (-128.0, 127.5), (-3, 3), (0, 255), (-129, 300)])
def test_floats_that_were_clamped_become_eager_torchs_integers(bounds):
    x = torch.tensor(VALUES, dtype=torch.float32)

    def quantised(x):
        y = torch.clamp(torch.round(x), *bounds)
        return y.to(torch.int8), y.to(torch.int16), y.to(torch.uint8)

    found = joggle.torch.compile(quantised)(x)
    for y, wanted in zip(found, quantised(x), strict=True):
        torch.testing.assert_close(y, wanted, rtol=0, atol=0)
