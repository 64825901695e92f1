# SPDX-License-Identifier: Apache-2.0
"""Small programs of PyTorch through the backend, beside eager torch: views, aliases, mutation,
random numbers, sizes that change. What they give is changed afterwards, and has to change alike."""

import pytest

import joggle.torch

torch = pytest.importorskip("torch")
from sharing import check_alike, tensors_of  # noqa: E402

F = torch.nn.functional
PROGRAMS = {}


def _prog(*shapes):
    def keep(function):
        PROGRAMS[function.__name__] = function, shapes
        return function

    return keep


@_prog((4, 6))
def views_of_a_constant(x):
    y = x.sum(0).zero_()
    return y[..., None], y, x + 1


@_prog((4, 6))
def parts_of_a_constant(x):
    y = torch.zeros(6) + 1
    return y[1:], y[:3], y[:1].expand(4), y.view(2, 3).t(), x * 2


@_prog((4, 6))
def a_constant_and_its_double(x):
    y = torch.arange(6.0).view(2, 3)
    return y.t(), y[1], y * 2


@_prog((4, 6))
def slice_add_(x):
    x[1:3].add_(2)
    return x.sum(0), x[1:3]


@_prog((4, 6))
def slice_step_mul_(x):
    x[::2, 1::2].mul_(3)
    return x * 1


@_prog((4, 6), (6,))
def row_assign(x, y):
    x[2] = y
    x[:, 0] = 7
    return x + 0


@_prog((4, 6))
def out_is_view_of_mut(x):
    x.mul_(2)
    return x[1], x.t(), x.view(-1)[3:9]


@_prog((4, 6))
def view_chain_alias(x):
    v = x.view(2, 12)
    w = v.t()
    w.add_(1)
    return w, x


@_prog((4, 6))
def returns_input_twice(x):
    return x, x, x + 1


@_prog((4, 6))
def returns_same_twice(x):
    y = x + 1
    return y, y, y.view(-1)


@_prog((4, 6))
def same_out_views(x):
    y = x.exp()
    return y[:2], y[2:], y


@_prog((5,))
def self_alias_copy(x):
    x[1:] = x[:-1].clone()
    return x.cumsum(0)


@_prog((4, 6))
def masked_fill_(x):
    x.masked_fill_(x > 0, -1.0)
    return x.abs()


@_prog((4, 6))
def where_nan(x):
    return torch.where(x > 0, x, torch.nan).nansum(), torch.nan_to_num(x / 0)


@_prog((4, 6))
def dropout(x):
    return F.dropout(x, 0.5, True), torch.bernoulli(torch.full((3,), 0.5))


@_prog((4, 6))
def two_draws(x):
    a = torch.rand_like(x)
    x.add_(a)
    b = torch.randn(3)
    return x * 2, b, torch.randint(0, 9, (4,))


@_prog((4, 6))
def uniform_inplace(x):
    x.uniform_()
    return x + 1


@_prog((4, 6))
def draw_order(x):
    a = torch.rand(2)
    b = F.dropout(x, 0.3, True)
    c = torch.rand(2)
    return a, b, c


@_prog((3, 3))
def diag_inplace(x):
    x.diagonal().add_(5)
    return x @ x


@_prog((4, 6))
def index_put_acc(x):
    i = torch.tensor([0, 0, 3])
    x.index_put_((i,), torch.ones(3, 6), accumulate=True)
    return x


@_prog((4, 6))
def index_add(x):
    return (
        x.index_add(0, torch.tensor([1, 1]), torch.ones(2, 6)),
        x.index_copy(1, torch.tensor([0, 2]), torch.zeros(4, 2)),
        x.index_fill(0, torch.tensor([3]), 9.0),
    )


@_prog((4, 6))
def scatter_inplace(x):
    x.scatter_(1, torch.tensor([[0, 1], [2, 3], [4, 5], [0, 0]]), 1.5)
    return x


@_prog((4, 6))
def bool_mask_assign(x):
    x[x > 0.5] = 0
    return x


@_prog((4, 6))
def bool_index(x):
    return x[x > 0]


@_prog((4, 6))
def unbind_stack(x):
    a, b, c, d = x.unbind(0)
    b.mul_(2)
    return torch.stack([d, c, b, a], 1)


@_prog((4, 6))
def chunk_inplace(x):
    a, b = x.chunk(2, 1)
    a.copy_(b)
    b.zero_()
    return a + b


@_prog((1, 6), (4, 1))
def expand_out(x, y):
    return x.expand(4, 6), (x + y).t(), x.expand(4, 6).contiguous()


@_prog((4, 6))
def constants_expanded(x):
    return torch.ones(1).expand(4, 5), torch.zeros(2, 1).expand(2, 3), x


@_prog((4, 6))
def as_strided_view(x):
    return x.as_strided((2, 3), (1, 2), 1), x.as_strided((3, 3), (1, 1)).sum()


@_prog((1, 6), (1, 6))
def squeezed_and_its_end(x, y):
    v = x + y
    v.squeeze_(0)
    return v[2:], v, v[:1]


@_prog((4, 6), (4, 6))
def parts_that_lie_in_each_other(x, y):
    v = x + y
    return v[1:3], v[:, 2:], v.t(), v[2]


@_prog((2, 3, 4))
def permute_inplace(x):
    x.permute(2, 0, 1)[1].neg_()
    return x.permute(1, 2, 0)


@_prog((4, 6))
def detach_share(x):
    y = x.detach()
    y.add_(1)
    return x, y


@_prog((4, 6))
def set_item_tensor_index(x):
    x[torch.tensor([0, 2]), 1:3] = torch.tensor([5.0, 6.0])
    return x


@_prog((0, 6))
def empty_in(x):
    return x.sum(0), torch.cat([x, torch.ones(2, 6)]), x.mean(), x * 2


@_prog(())
def scalar_in(x):
    x.add_(1)
    return x, x.view(1), x.expand(3)


@_prog((4, 6))
def int_mix(x):
    i = torch.arange(6)
    return (
        x * i,
        i // 4,
        i % 4,
        -i // 4,
        i / 4,
        i << 2,
        (x > 0) + 1,
        (x > 0).sum(),
        i.float().pow(2),
    )


@_prog((4, 6))
def minmax(x):
    return (
        x.max(1),
        x.min(0),
        x.argmax(),
        x.amax((0, 1)),
        x.aminmax(),
        x.median(),
        x.topk(2),
        x.sort(1, descending=True),
    )


@_prog((4, 6))
def flipped_roll(x):
    return x.flip(0, 1), x.roll(2, 1), x.rot90(), x.tril(1), x.triu()


@_prog((4, 6))
def clamp_inplace_view(x):
    v = x[:, 1:4]
    v.clamp_(-0.5, 0.5)
    return v.sum(), x.norm(), x.std(), x.var(1, False)


@_prog((4, 6))
def pad_modes(x):
    return (
        F.pad(x, (1, 2)),
        F.pad(x[None], (1, 1), mode="reflect"),
        F.pad(x[None], (2, 1), mode="replicate"),
        F.pad(x[None], (1, 1), mode="circular"),
        F.pad(x, (-1, -1)),
    )


@_prog((4, 6))
def squeeze_(x):
    y = x[None]
    y.squeeze_(0)
    y.t_()
    return y


@_prog((4, 6), (4, 6))
def two_mutated_overlap(x, y):
    x.add_(y)
    y.sub_(x)
    x.mul_(y)
    return x - y


@_prog((4, 6))
def loop(x):
    for i in range(4):
        x[i].add_(x[i - 1])
    return x


@_prog((2, 3, 8, 8))
def unfold(x):
    return (
        F.unfold(x, 3).sum(1),
        x.unfold(2, 3, 2).sum(-1),
        F.interpolate(x, scale_factor=2, mode="nearest"),
        F.interpolate(x, size=(5, 5), mode="bilinear"),
        F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2),
    )


@_prog((4, 6))
def einsum(x):
    return (
        torch.einsum("ij,kj->ik", x, x),
        torch.einsum("ij->ji", x),
        torch.einsum("ij,ij->i", x, x),
        torch.outer(x[0], x[1]),
    )


@_prog((4, 6))
def losses(x):
    t = torch.tensor([0, 5, -100, 2])
    return (
        F.cross_entropy(x, t, label_smoothing=0.1),
        F.nll_loss(x.log_softmax(1), t),
        F.mse_loss(x, x * 2),
        F.smooth_l1_loss(x, x + 1),
        F.binary_cross_entropy_with_logits(x, (x > 0).float()),
        F.kl_div(x.log_softmax(1), x.softmax(1), reduction="batchmean"),
    )


@_prog((4, 6))
def cumulative(x):
    return x.cumsum(1), x.cumprod(0), x.cummax(1), x.logcumsumexp(1), x.diff(), x.logsumexp(1)


@_prog((4, 6))
def bit_view(x):
    return x.view(torch.int32), x.half().float(), x.to(torch.int8), x.double().sum()


@_prog((4, 6))
def complex_part(x):
    return torch.fft.rfft(x).abs(), torch.view_as_real(torch.complex(x, x))


@_prog((4, 6))
def searchsorted(x):
    return (
        torch.searchsorted(torch.arange(6.0), x),
        torch.bucketize(x, torch.tensor([0.0, 1.0])),
        x.unique(),
        torch.histc(x, 4),
    )


@_prog((4, 6))
def item_break(x):
    if x.sum().item() > 1000:
        return x
    return x * 2 + x.shape[0]


@_prog((4, 6))
def inplace_twice_alias(x):
    y = x.view(-1)
    y[::5] = 0
    x.t().add_(1)
    return y, x


@_prog((4, 6))
def resize_alias_cat(x):
    torch.cat([x, x], out=(o := torch.empty(8, 6)))
    o[0] = 1
    return o[2:4], o


@_prog((4, 6))
def split_views_mut(x):
    for i, p in enumerate(x.split([1, 2, 1])):
        p.mul_(i)
    return x


@_prog((4, 6))
def strange_strides(x):
    y = x.t().contiguous().t()
    y.add_(1)
    return y, y.t(), y.reshape(-1)


@_prog((3,))
def zero_neg(x):
    z = torch.zeros(3)
    return (
        -z,
        z * -1,
        1 / (-z),
        torch.sign(-z),
        torch.copysign(x, -z),
        torch.atan2(z, -z),
        torch.fmod(-z, 1),
        torch.remainder(-z, 2),
        torch.round(x - 0.5),
    )


@_prog((4, 6), (4, 6))
def swapped(x, y):
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)
    return y, x


@_prog((4, 4))
def own_transpose_added(x):
    x.add_(x.t().clone())
    x.copy_(x.flip(0))
    return x + 0


@_prog((8,))
def shifted_onto_itself(x):
    x[1:] += x[:-1].clone()
    return x


@_prog((4, 6))
def old_value_kept(x):
    old, twice = x + 0, x * 2
    x.mul_(0)
    return old, twice, x


@_prog((4, 6), (6,))
def changed_by_its_reduction(x, y):
    y.add_(x.sum(0))
    x.div_(y)
    return y * 2


@_prog((4, 6), (4, 6), (4, 6))
def several_formulas_in_place(x, y, z):
    x.addcmul_(y, z, value=0.5)
    x.addcdiv_(y, z.abs() + 1, value=-0.1)
    torch._foreach_add_([x, y], 1.0)
    torch.mul(y, z, out=z)
    return x.lerp_(z, 0.3)


@_prog((4, 8, 4), (4, 2, 4))
def keys_cached(kept, new):
    places = torch.tensor([3, 4])
    kept[:, places] = new
    kept.index_copy_(1, places + 1, new)
    return kept[:, :5].sum(1), kept


@_prog((4, 6))
def bits_in_place(x):
    x.view(torch.int32).bitwise_and_(0x7FFFFFFF)
    return x


@_prog((4, 6))
def what_changes_nothing(x):
    return (
        x.float(),
        x * 1,
        x + 0,
        x.flip([]),
        x.neg().neg(),
        x.expand(-1, -1),
        F.pad(x, (0, 0)),
        x / 1,
    )


@_prog((4, 6))
def equal_results(x):
    return x + 1, x + 1, x.exp(), x.exp()[1:], x.double(), x.double(), x.clone(), x.clone()


@_prog((5, 6))
def ends_of_an_argument(x):
    half = x.shape[0] // 2
    return x.chunk(2)[-1], x[half:], x.unbind(-1)[-1], x.t()[1:, half:].unsqueeze(0)


@_prog((4, 6))
def a_result_and_its_ends(x):
    y = x.repeat_interleave(2, 0)
    return y, y.select(-1, -1), y[y.shape[0] // 2 :].t()


def _change(tensors):
    for x in tensors:
        if x.is_floating_point() and 0 not in x.stride():
            x.mul_(0.5)


@pytest.mark.part(2, of="dynamic")
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_as_in_eager_torch(name, dynamic):
    function, shapes = PROGRAMS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    theirs = [torch.randn(shape) for shape in shapes]
    ours = [x.clone() for x in theirs]
    compiled = joggle.torch.compile(function, dynamic=dynamic)
    for _ in range(3):
        torch.manual_seed(5)
        wanted = tensors_of(function(*theirs))
        torch.manual_seed(5)
        found = tensors_of(compiled(*ours))
        check_alike([*found, *ours], [*wanted, *theirs])
        for x, y in zip(found, wanted, strict=True):
            assert [x is a for a in ours] == [y is a for a in theirs]
        _change(found)
        _change(wanted)
        check_alike([*found, *ours], [*wanted, *theirs])


_GROWING = ["slice_add_", "out_is_view_of_mut", "same_out_views", "dropout", "chunk_inplace"]


@pytest.mark.parametrize("name", _GROWING)
def test_a_program_is_called_with_other_sizes(name):
    function, _ = PROGRAMS[name]
    torch._dynamo.reset()
    compiled = joggle.torch.compile(function)
    for rows in (4, 5, 9, 4, 30):
        theirs = torch.linspace(-1, 1, rows * 6).view(rows, 6)
        ours = theirs.clone()
        torch.manual_seed(rows)
        wanted = tensors_of(function(theirs))
        torch.manual_seed(rows)
        check_alike([*tensors_of(compiled(ours)), ours], [*wanted, theirs])
        assert torch.equal(torch.rand(2), _after(rows, function, theirs))


def test_ends_of_sizes_that_change_carry_gradients():
    def ends(x):
        y = x * 2
        half = x.shape[0] // 2
        return y[half:], y.chunk(2)[-1], y, x.chunk(2)[-1]

    torch._dynamo.reset()
    compiled = joggle.torch.compile(ends, dynamic=True)
    for rows in (5, 6):
        theirs = torch.linspace(-1, 1, rows * 2).view(rows, 2).requires_grad_()
        ours = theirs.detach().clone().requires_grad_()
        wanted, found = ends(theirs), compiled(ours)
        sum(x.square().sum() for x in wanted).backward()
        sum(x.square().sum() for x in found).backward()
        check_alike([*found, ours.grad], [*wanted, theirs.grad])


def _after(seed, function, x):
    """What torch draws after the function has drawn."""
    torch.manual_seed(seed)
    function(x.clone())
    return torch.rand(2)
