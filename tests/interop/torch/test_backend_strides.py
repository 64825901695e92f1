# SPDX-License-Identifier: Apache-2.0
"""Strides and offsets that reach around an argument, or leave gaps, through the backend."""

import pytest

import joggle.torch

torch = pytest.importorskip("torch")
from sharing import check_alike  # noqa: E402


@pytest.mark.parametrize("dynamic", [False, True])
def test_strides_reach_around_an_argument_that_is_a_part_of_its_storage(dynamic):
    def first(x):
        return torch.as_strided(x, (2,), (1,), 0) * 2

    torch._dynamo.reset()
    compiled = joggle.torch.compile(first, dynamic=dynamic)
    whole, longer = torch.arange(4.0), torch.arange(8.0)
    for x in (whole, longer[4:], whole, longer[:4]):
        torch.testing.assert_close(compiled(x), first(x))


def test_strides_that_are_written_through_reach_around_an_argument():
    def doubled(x):
        y = x.as_strided((2, 3), (1, 2), 1)
        y.mul_(2)
        return y * 1

    torch._dynamo.reset()
    compiled = joggle.torch.compile(doubled)
    for part in (lambda x: x[8:32].view(4, 6), lambda x: x.view(6, 8)[:, ::2], lambda x: x):
        theirs, ours = torch.arange(48.0), torch.arange(48.0)
        torch.testing.assert_close(compiled(part(ours)), doubled(part(theirs)))


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_view_with_gaps_has_the_strides_of_what_it_is_a_view_of(dynamic):
    def view(x):
        return ((x * 1) == 1.5).to(torch.bfloat16).select(2, -1)

    torch._dynamo.reset()
    x = torch.randn(4, 9, 4).transpose(1, 2)
    check_alike([joggle.torch.compile(view, dynamic=dynamic)(x)], [view(x)])
