# SPDX-License-Identifier: Apache-2.0
"""What eager torch refuses and the backend has to refuse as well, views among results, and graphs
whose sizes are symbols, called with other strides."""

import pytest

import joggle.torch
from joggle._torch.backend import Shapes, kind_of

torch = pytest.importorskip("torch")
from lowered import compare  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

F = torch.nn.functional


@pytest.fixture(autouse=True)
def _anew():
    torch._dynamo.reset()


def _outcome(function, args):
    """What a call gives, or the kind and text of what it raises."""
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error).splitlines()[0]


def _check_outcome(function, *args):
    compiled = joggle.torch.compile(function)
    wanted = _outcome(function, args)
    for _ in range(2):
        found = _outcome(compiled, args)
        if isinstance(wanted, tuple):
            assert found == wanted
        else:
            torch.testing.assert_close(found, wanted, equal_nan=True)


INDEXED = {
    "gather": lambda x, i: x.gather(0, i[None]),
    "index_select": lambda x, i: x.index_select(1, i),
    "embedding": lambda x, i: F.embedding(i, x),
    "scatter": lambda x, i: x.scatter(0, i[None], 1.0),
    "scatter_add": lambda x, i: x.scatter_add(0, i[None], x),
    "scatter_reduce": lambda x, i: x.scatter_reduce(0, i[None], x, "amax"),
    "index": lambda x, i: x[i],  # takes them from the end
    "index_put": lambda x, i: x.index_put((i,), x[:2], accumulate=True),
}


ONLY_INT64 = [name for name in INDEXED if name.startswith(("gather", "scatter"))]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in INDEXED
        for dtype in (torch.int32, torch.int64)
        if dtype is torch.int64 or name not in ONLY_INT64
    ],
)
def test_indices_below_zero_have_the_outcome_of_eager_torch(name, dtype):
    x = torch.arange(12.0).view(3, 4)
    for places in ([2, 0], [1, -1], [0, -3]):
        _check_outcome(INDEXED[name], x, torch.tensor(places, dtype=dtype))


WITHOUT_INDICES = {
    "gather": lambda x, i: x.gather(0, i),
    "scatter": lambda x, i: x.scatter(0, i, 1.0),
    "scatter of another": lambda x, i: x.scatter(0, i, x),
    "scatter_add": lambda x, i: x.scatter_add(0, i, x),
    "scatter_reduce": lambda x, i: x.scatter_reduce(0, i, x, "amax"),
}


@pytest.mark.parametrize("shape", [(0,), (0, 4), (0, 2, 2)])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.bool], ids=str)
@pytest.mark.parametrize("name", WITHOUT_INDICES)
def test_indices_of_any_dtype_may_be_empty(name, dtype, shape):
    x = torch.arange(12.0).view(3, 4)
    _check_outcome(WITHOUT_INDICES[name], x, torch.zeros(shape, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16], ids=str)
def test_indices_of_a_dtype_that_eager_torch_refuses_are_refused(dtype):
    def write(x, i):
        return x.index_put((i,), torch.tensor(1.0))

    _check_outcome(write, torch.arange(12.0).view(3, 4), torch.zeros(2, dtype=dtype))


NUMBERS = {
    "clamp above": lambda u, i, h: u.clamp(0, 300),
    "clamp below": lambda u, i, h: i.clamp(-200, 5),
    "clamp by floats": lambda u, i, h: i.clamp(-1.5, 2.5),
    "clamp that wraps": lambda u, i, h: u.clamp(min=-5),
    "where that wraps": lambda u, i, h: torch.where(u > 2, u, -3),
    "where": lambda u, i, h: torch.where(u > 2, u, -300),
    "full_like": lambda u, i, h: torch.full_like(i, -129),
    "full_like that wraps": lambda u, i, h: torch.full_like(u, -2),
    "full": lambda u, i, h: torch.full((2,), 1e39),
    "full of NaN": lambda u, i, h: torch.full((2,), float("nan"), dtype=torch.float16),
    "masked by infinity": lambda u, i, h: h.masked_fill(h > 1, float("-inf")),
    "mask of bools": lambda u, i, h: u.bool().masked_fill(u > 2, 5),
    "scatter": lambda u, i, h: i.scatter(0, torch.tensor([0]), 300),
    "pad": lambda u, i, h: F.pad(i, (1, 1), value=300),
    "arithmetic that wraps": lambda u, i, h: u * 300 + i - 1000,
    "power": lambda u, i, h: i**-1,
    "power of tensors": lambda u, i, h: i.long() ** torch.tensor([-1, 0, 1, -2, 2, -1]),
    "power of floats": lambda u, i, h: i.float() ** -1,
    "place in bools": lambda u, i, h: (u > 2).argmax(),
    "least place in bools": lambda u, i, h: (u > 2).argmin(0),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_a_dtype_has_not_do_as_in_eager_torch(name):
    u, i = torch.arange(6, dtype=torch.uint8), torch.arange(6, dtype=torch.int8)
    _check_outcome(NUMBERS[name], u, i, torch.arange(6.0).half())


def _views(x):
    y = x * 2
    return y, y[1:], y.t(), y[:, 1].expand(2, -1), *y.split(2), y.unbind(1)[2], x[2:]


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_views_among_results_are_views(mode, is_dynamic):
    compiled = joggle.torch.compile(_views, dynamic=is_dynamic)
    for extent in (4, 6, 4):
        x = torch.arange(6.0 * extent).view(extent, 6)
        with mode():
            found, wanted = compiled(x), _views(x)
            compare(found, wanted)
            for a, b in zip(found[1:-1], wanted[1:-1], strict=True):
                assert a.storage_offset() == b.storage_offset()
                assert a.untyped_storage().data_ptr() == found[0].untyped_storage().data_ptr()
            found[1].mul_(3)
            wanted[1].mul_(3)
            compare(found, wanted)
        if mode is not torch.inference_mode:
            assert found[0]._version == found[2]._version == 1


def test_views_among_results_carry_gradients():
    def function(x):
        y = x.exp()
        return y[1:], y.t(), y

    x = torch.linspace(-1, 1, 12).view(3, 4).requires_grad_()
    found, wanted = joggle.torch.compile(function)(x), function(x)
    compare([y.detach() for y in found], wanted)
    for results in (found, wanted):
        results[0].sum().backward(retain_graph=True)
        (results[1] * 2 + results[2].t()).sum().backward()
    torch.testing.assert_close(x.grad / 2, x.exp().detach() * torch.tensor([[3.0], [4], [4]]))


def test_graphs_with_symbols_for_sizes_take_other_strides():
    def function(x):
        return x * 2, x.exp().t(), x + 1

    module = make_fx(function, tracing_mode="symbolic")(torch.ones(4, 4))
    graph = Shapes(module, "inference")
    base = torch.randn(4, 8)
    for x in (
        base[:, :4],
        base[:, ::2],
        base[:, :4].t(),
        base[:, ::2].t(),
        base[0, :4].expand(4, 4),
    ):
        for _ in range(2):
            compare(graph([x]), function(x))
    assert len(graph.all()) == 5


def test_numbers_that_are_equal_have_graphs_of_their_own():
    kinds = [kind_of(number) for number in (1, 1.0, True, 0.0, -0.0)]
    assert len(set(kinds)) == len(kinds)
    assert kind_of(float("nan")) == kind_of(float("nan"))


ZEROS = {
    "clamp from 0": lambda x: x.clamp(min=0),
    "clamp to 0": lambda x: x.clamp(max=0.0),
    "clamp between": lambda x: x.clamp(-0.0, 1),
    "clamp by tensors": lambda x: torch.clamp(x, x.flip(0)),
    "remainder of 3": lambda x: x % 3,
    "remainder of -3": lambda x: x % -3,
    "remainder of tensors": lambda x: torch.remainder(x[:, None], x),
    "running sum": lambda x: x.cumsum(0),
    "running sum of one": lambda x: x[:1].cumsum(0),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ZEROS)
def test_zeros_have_the_signs_of_torch(name, dtype):
    torch._dynamo.reset()
    inf = float("inf")
    x = torch.tensor([-0.0, 0.0, 1.5, -1.5, 3.0, -3.0, float("nan"), inf, -inf, 7.25, -7.25])
    x = x.to(dtype)
    found, expected = joggle.torch.compile(ZEROS[name])(x), ZEROS[name](x)
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
    numbers = ~torch.isnan(expected)
    assert torch.equal(torch.signbit(found)[numbers], torch.signbit(expected)[numbers])


def test_powers_of_bools_are_those_of_torch():
    torch._dynamo.reset()
    x = torch.tensor([True, False])
    found = joggle.torch.compile(lambda x: x**True)(x)
    assert found.dtype is torch.bool and torch.equal(found, x**True)
