# SPDX-License-Identifier: Apache-2.0
"""What a program writes into its arguments: computed in their memory, with the old values wherever
those are read, as in eager torch."""

import threading

import numpy as np
import pytest

import joggle
import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")
from sharing import check_alike, tensors_of  # noqa: E402

LARGE = 1 << 20


def _extra_memory(call):
    """The bytes that a call takes at most, beyond what was there."""
    call()
    call()
    joggle.synchronize()
    joggle.reset_peak_memory()
    before = joggle.get_active_memory()
    call()
    return joggle.get_peak_memory() - before


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()


def test_a_large_argument_is_changed_without_other_memory():
    @joggle.torch.compile
    def function(x, y):
        x.mul_(0.5).add_(y)

    x, y = torch.ones(LARGE), torch.ones(LARGE)
    assert _extra_memory(lambda: function(x, y)) < x.nbytes / 4
    assert torch.all(x == 1.875)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.bool, torch.bfloat16])
@pytest.mark.parametrize("value", [2, 2.7, True])
def test_a_number_is_copied_into_an_argument(value, dtype):
    def function(x):
        x.copy_(value)
        x[1:2].copy_(0)
        return x * 1

    theirs, ours = torch.ones(2, 3).to(dtype), torch.ones(2, 3).to(dtype)
    found, wanted = joggle.torch.compile(function)(ours), function(theirs)
    check_alike([found, ours], [wanted, theirs])


def test_rows_are_put_in_a_cache_without_a_copy_of_it():
    @joggle.torch.compile
    def function(cache, at, rows):
        cache[at] = rows
        cache[-1:] = rows[:1] * 2

    cache, rows = torch.zeros(LARGE // 8, 8), torch.arange(16.0).view(2, 8)
    at = torch.tensor([3, 70000])
    assert _extra_memory(lambda: function(cache, at, rows)) < cache.nbytes / 4
    assert torch.equal(cache[at], rows) and torch.equal(cache[-1], rows[0] * 2)
    assert cache.count_nonzero() == 15 + 7


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_a_step_of_an_optimizer_takes_no_memory(name):
    parameters = [torch.nn.Parameter(torch.ones(LARGE // 4)) for _ in range(4)]
    how = {"momentum": 0.9} if name == "SGD" else {}
    optimizer = getattr(torch.optim, name)(parameters, lr=0.1, foreach=True, **how)
    for p in parameters:
        p.grad = torch.ones_like(p)
    optimizer.step()  # makes the state
    step = joggle.torch.compile(optimizer.step)
    assert _extra_memory(step) < parameters[0].nbytes / 4


def test_statistics_of_a_batch_norm_are_its_own_buffers():
    ours, theirs = (torch.nn.BatchNorm2d(3, momentum=0.3) for _ in range(2))
    compiled = joggle.torch.compile(ours)
    places = [b.data_ptr() for b in ours.buffers()]
    for i in range(3):
        x = torch.arange(96.0).view(2, 3, 4, 4).sin() + i
        torch.testing.assert_close(compiled(x), theirs(x))
        torch.testing.assert_close(list(ours.buffers()), list(theirs.buffers()))
    assert [b.data_ptr() for b in ours.buffers()] == places


def test_versions_count_what_was_written():
    @joggle.torch.compile
    def function(x, y):
        x.add_(y)

    x, y = torch.ones(3), torch.ones(3)
    function(x, y)
    before = x._version
    function(x, y)
    assert x._version > before and y._version == 0


def test_a_gradient_notices_that_its_input_was_changed():
    @joggle.torch.compile
    def function(x):
        x.mul_(2)

    w, x = torch.ones(3, requires_grad=True), torch.ones(3)
    function(x)
    loss = (w * x).sum()
    function(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_arguments_that_overlap_unknown_to_torch_are_right():
    """Two tensors over one array of NumPy, one element apart."""

    def function(x, y):
        x.copy_(y * 2 + x)

    found, wanted = [], []
    for run, result in ((joggle.torch.compile(function), found), (function, wanted)):
        for _ in range(2):
            memory = np.arange(9, dtype=np.float32)
            run(torch.from_numpy(memory[1:]), torch.from_numpy(memory[:-1]))
            result.append(memory.tolist())
    assert found == wanted


def test_a_program_that_is_cut_changes_each_argument_once():
    """The second part is refused while it is recorded, when the first one has run."""

    def function(x, y):
        x.add_(1)
        z = torch.cumprod(y, 0)  # torch's
        y.sub_(z)
        return z * x, torch.cumprod(x, 0) + y

    ours, theirs = ([torch.ones(4), torch.ones(4)] for _ in range(2))
    compiled = joggle.torch.compile(function)
    with reporting() as report:
        for _ in range(3):
            check_alike([*compiled(*ours), *ours], [*function(*theirs), *theirs])
    (graph,) = [graph for made in report for graph in made.all()]
    assert len(graph.cut.steps) > 2


def test_a_refusal_in_a_later_part_leaves_updates_done_once(monkeypatch):
    from joggle._torch import aten

    def refuse(node, *args):
        raise ValueError("[sin] x: got none, allowed are none")

    def function(x):
        x.add_(1)
        return torch.sin(torch.cumprod(x, 0))

    monkeypatch.setitem(aten.TABLE, "sin", aten.Row(refuse))
    ours, theirs = torch.ones(4), torch.ones(4)
    compiled = joggle.torch.compile(function)
    for _ in range(3):
        check_alike([compiled(ours), ours], [function(theirs), theirs])


def test_an_index_out_of_bounds_is_torchs_error():
    @joggle.torch.compile
    def function(cache, at, row):
        cache[at] = row

    cache = torch.zeros(4, 2)
    function(cache, torch.tensor([1]), torch.ones(1, 2))
    with pytest.raises(IndexError, match="out of bounds"):
        function(cache, torch.tensor([7]), torch.ones(1, 2))
    function(cache, torch.tensor([2]), torch.ones(1, 2))
    assert cache.tolist() == [[0, 0], [1, 1], [1, 1], [0, 0]]


def _layouts():
    dense = torch.arange(48.0).view(2, 3, 4, 2).cos()
    yield "dense", dense
    yield "channels_last", dense.contiguous(memory_format=torch.channels_last)
    yield "transposed", dense.transpose(0, 3).contiguous().transpose(0, 3)
    yield "sliced", torch.zeros(4, 3, 4, 5)[::2, :, :, 1:3].copy_(dense)
    yield "empty", torch.zeros(0, 3, 4, 2)


def _in_places(x):
    x.mul_(2)
    x[:, 1:].add_(x[:, :1])
    y = x.permute(0, 2, 3, 1)
    y[..., 0].sub_(1)
    return x.sum(), y


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_updates_in_place_take_any_layout_and_mode(mode):
    compiled = joggle.torch.compile(_in_places)
    for _, x in _layouts():
        with mode():
            ours, theirs = (torch.empty_strided(x.shape, x.stride()).copy_(x) for _ in range(2))
            for _ in range(2):
                found, wanted = compiled(ours), _in_places(theirs)
                check_alike([*found, ours], [*wanted, theirs])


def _given_back(x, y):
    x.add_(y)
    z = x * 1
    y.copy_(z)
    return x, z, y.view(-1), x


def test_what_is_written_and_given_as_well_has_its_own_memory():
    compiled = joggle.torch.compile(_given_back)
    ours, theirs = ([torch.ones(2, 3), torch.ones(2, 3)] for _ in range(2))
    for _ in range(3):
        found, wanted = tensors_of(compiled(*ours)), tensors_of(_given_back(*theirs))
        check_alike([*found, *ours], [*wanted, *theirs])
        for z in (found[1], wanted[1]):
            z.zero_()
        check_alike([*found, *ours], [*wanted, *theirs])


def test_arguments_that_come_in_as_copies_are_written_all_the_same():
    """A negative view, and elements that are not aligned to their size."""

    def function(x, y):
        x.add_(1)
        y.mul_(x)
        return x - y

    found, wanted = [], []
    for run, result in ((joggle.torch.compile(function), found), (function, wanted)):
        base, memory = torch.arange(4.0), bytearray(17)
        x, y = torch._neg_view(base), torch.frombuffer(memory, dtype=torch.float32, offset=1)
        y.fill_(3)
        for _ in range(3):
            result += [run(x, y).tolist(), base.tolist(), x.tolist(), y.tolist(), bytes(memory)]
    assert found == wanted


def test_a_call_updates_its_arguments_or_refuses():
    compiled = joggle.compile(lambda x: (x + 1, x * 2))
    call, x = joggle._core._call_on_tensors, torch.ones(3)
    (found,) = call(compiled, [x], torch.Tensor, (0,))
    assert found.tolist() == [2.0] * 3 and x.tolist() == [2.0] * 3
    with pytest.raises(ValueError, match="updates: got 3, allowed are at most the 2 results"):
        call(compiled, [x], torch.Tensor, (0, 0, 0))
    for number in (1, -1):
        with pytest.raises(IndexError, match=f"updates: got {number}, allowed is 0 to 0"):
            call(compiled, [x], torch.Tensor, (number,))
    with pytest.raises(ValueError, match="targets: number 1 is "):
        call(joggle.compile(lambda x: (x, x[1:])), [x], torch.Tensor, (0,))
    with pytest.raises(TypeError):
        call(compiled, [x], torch.Tensor, [0])
    assert x.tolist() == [2.0] * 3


def test_what_is_filled_is_filled_at_each_call():
    @joggle.torch.compile
    def function(x, y):
        x.fill_(2)
        y[1:] = torch.arange(2.0)
        return x[1:]

    x, y = torch.zeros(3), torch.zeros(3)
    for _ in range(3):
        function(x, y).mul_(0.5)
        assert (x.tolist(), y.tolist()) == ([2, 1, 1], [0, 0, 1])
        y.fill_(0)


def test_a_copy_of_an_argument_shares_its_memory_with_its_views():
    def function(x):
        y = x.clone()
        x.add_(1)
        return y, y[1:], y.t()

    ours, theirs = torch.ones(3, 4).t(), torch.ones(3, 4).t()
    compiled = joggle.torch.compile(function)
    for _ in range(3):
        check_alike([*compiled(ours), ours], [*function(theirs), theirs])


def test_a_field_that_a_program_writes_is_read_before():
    """A tensor over a field: pending arrays of a place read the values from before the write."""
    from joggle import fields as qd

    @joggle.torch.compile
    def function(x):
        x.add_(1)

    field = qd.field(qd.f32, shape=4)
    field.fill(5)
    x = field.to_torch(copy=False)
    for step in range(3):
        pending = joggle.sum(joggle.asarray(field))
        function(x)
        assert pending.item() == 4 * (5 + step)
        assert field.to_numpy().tolist() == [6.0 + step] * 4


def _added(x, m):
    y = (x * m.clone()).sin()
    m.add_(1)
    return y


def _multiplied(x, m):
    y = x * (m + 1)
    m.mul_(2)
    return y.sin()


def _copied(x, m):
    y = x * m.exp()
    m.copy_(0.1 * y.detach())
    return y.sin()


def _counted(x, m):
    m.add_(1)
    return x.square() / (1 - 0.9**m)


def _filled(x, m):
    m.fill_(0.5)
    y = (x * m.clone()).sin()
    m.zero_()
    return y


class _OfBuffer(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("m", torch.full((2, 3), 0.5))

    def forward(self, x):
        return self.function(x, self.m)


@pytest.mark.parametrize("is_buffer", [False, True])
@pytest.mark.parametrize("function", [_added, _multiplied, _copied, _counted, _filled])
def test_gradients_are_those_of_the_values_before_an_update(function, is_buffer):
    found = []
    for backend in ("eager", joggle.torch.backend):
        torch._dynamo.reset()
        x = torch.linspace(0.5, 1.5, 6).view(2, 3).requires_grad_()
        model, m = _OfBuffer(function), torch.full((2, 3), 0.5)
        compiled = torch.compile(model if is_buffer else function, backend=backend)
        for _ in range(3):
            compiled(*((x,) if is_buffer else (x, m))).sum().backward()
        found.append((x.grad, model.m if is_buffer else m))
    torch.testing.assert_close(found[1], found[0])


def test_a_tensor_that_was_filled_is_not_read_by_backward():
    @joggle.torch.compile
    def function(x):
        x.fill_(0.5)
        x.sin_()
        return x * 2

    x = torch.ones(4, requires_grad=True)
    function(x * 1).sum().backward()
    assert x.grad.tolist() == [0.0] * 4


def test_threads_compile_and_run_sizes_at_the_same_time():
    product = joggle.torch.compile(lambda x, w: ((x @ w).relu() @ w.T).sum(0), dynamic=True)
    failures = []

    def work(seed):
        torch.manual_seed(seed)
        w = torch.randn(3, 5, requires_grad=True)
        try:
            for size in range(2, 14):
                x = torch.randn(size, 3, requires_grad=True)
                product(x, w).sum().backward()
                expected = torch.autograd.grad(((x @ w).relu() @ w.T).sum(), x)[0]
                torch.testing.assert_close(x.grad, expected)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
