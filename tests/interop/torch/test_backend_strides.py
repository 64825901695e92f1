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


IN_STORAGE = {
    "a row": lambda x: torch.as_strided((x + 1)[1], (2,), (1,), 0),
    "a row from its own offset": lambda x: torch.as_strided((x + 1)[1], (2,), (1,)),
    "a chunk": lambda x: (x * 2).chunk(2, 1)[1].as_strided((2, 2), (4, 1), 0),
    "one of several": lambda x: x.relu().unbind(0)[0].as_strided((2, 3), (1, 2), 1),
    "a row of an argument": lambda x: x[1].as_strided((2,), (1,), 0) * 2,
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", IN_STORAGE)
def test_strides_of_a_view_count_in_the_storage_of_what_it_is_of(name, dynamic):
    function = IN_STORAGE[name]
    torch._dynamo.reset()
    x = torch.arange(16.0).view(4, 4)
    compiled = joggle.torch.compile(function, dynamic=dynamic)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), function(x), rtol=0, atol=0)


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_part_of_an_argument_has_its_version(dynamic):
    torch._dynamo.reset()
    part = joggle.torch.compile(lambda x: x.split([1, 3])[1], dynamic=dynamic)
    x = torch.ones(4, requires_grad=True)
    inner = x * 1
    loss = (inner * inner).sum()
    result = part(inner)
    with torch.no_grad():
        result.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize("kind", [torch.channels_last, torch.contiguous_format], ids=str)
def test_unpooled_tensors_keep_their_format(kind):
    def unpooled(x):
        return torch.nn.functional.max_unpool2d(x, places, 2)

    torch._dynamo.reset()
    images = torch.randn(2, 3, 8, 8).to(memory_format=kind)
    x, places = torch.nn.functional.max_pool2d(images, 2, return_indices=True)
    check_alike([joggle.torch.compile(unpooled)(x)], [unpooled(x)])
