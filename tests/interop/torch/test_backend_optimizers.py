# SPDX-License-Identifier: Apache-2.0
"""Steps of optimizers through torch.compile's backend: values, memory, and one part without
operators that are left to torch; and operators on lists of tensors."""

import pytest

import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")

OPTIMIZERS = {
    "SGD": dict(momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": dict(amsgrad=True),
    "AdamW": dict(foreach=True),
    "NAdam": dict(foreach=True),
    "RAdam": dict(foreach=True),
    "RMSprop": dict(foreach=True, momentum=0.5, centered=True),
    "Adagrad": dict(foreach=True),
    "Adadelta": dict(foreach=True),
    "Adamax": dict(foreach=True),
    "Rprop": dict(foreach=True),
    "ASGD": dict(foreach=True),
}


def _stepped(name, compile):
    """Parameters and state after four steps, which stay where they are."""
    torch.manual_seed(3)
    parameters = [torch.nn.Parameter(torch.randn(shape)) for shape in ((3, 4), (5,), ())]
    optimizer = getattr(torch.optim, name)(parameters, lr=0.1, **OPTIMIZERS[name])
    places = [p.data_ptr() for p in parameters]
    step = joggle.torch.compile(optimizer.step) if compile else optimizer.step
    for _ in range(4):
        for p in parameters:
            p.grad = p.detach().sin()
        step()
    assert [p.data_ptr() for p in parameters] == places
    return [p.detach() for p in parameters], [optimizer.state[p] for p in parameters]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_eager_torchs_and_joggles(name):
    torch._dynamo.reset()
    with reporting() as report:
        found = _stepped(name, True)
    torch.testing.assert_close(found, _stepped(name, False))
    graphs = [graph for made in report for graph in made.all()]
    assert graphs and all(graph.cut.reasons == {} for graph in graphs)


def test_gradients_are_clipped_as_in_eager_torch():
    def clipped(gradients):
        torch._foreach_mul_(gradients, 2.0)
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        return torch._foreach_mul(gradients, 1 / norm.clamp(min=1.0)), norm

    torch._dynamo.reset()
    ours = [torch.linspace(-1, 1, 12).view(3, 4), torch.ones(5)]
    theirs = [x.clone() for x in ours]
    with reporting() as report:
        found = joggle.torch.compile(clipped)(ours)
    torch.testing.assert_close(found, clipped(theirs))
    torch.testing.assert_close(ours, theirs)
    assert [graph.cut.reasons for made in report for graph in made.all()] == [{}]


def _lists():
    return [torch.rand(3, 4) * 0.9, torch.rand(5) * 0.9, torch.rand(()) * 0.9]


_SCALARS = [0.5, 0.25, 2.0]
LISTS = {
    "a list": lambda x, y: torch._foreach_sub(x, y, alpha=0.5),
    "a number": lambda x, y: torch._foreach_add(x, 0.7),
    "numbers": lambda x, y: torch._foreach_div(x, _SCALARS),
    "a tensor": lambda x, y: torch._foreach_mul(x, torch.tensor(0.6)),
    "a weighted quotient": lambda x, y: torch._foreach_addcdiv(x, y, y, value=0.3),
    "quotients with weights": lambda x, y: torch._foreach_addcdiv(x, y, y, _SCALARS),
    "a number to powers": lambda x, y: torch._foreach_pow(0.9, x),
    "between": lambda x, y: torch._foreach_lerp(x, y, 0.25),
    "the larger": lambda x, y: torch._foreach_maximum(x, y),
    "no more than": lambda x, y: torch._foreach_minimum(x, 0.4),
    "norms": lambda x, y: torch._foreach_norm(x, 1),
    "roots": lambda x, y: torch._foreach_sqrt(torch._foreach_reciprocal(x)),
    "integers": lambda x, y: torch._foreach_add([i.mul(9).int() for i in x], 1.5),
    "copies": lambda x, y: torch._foreach_copy_(x, y),
}


@pytest.mark.parametrize("name", LISTS)
def test_operators_on_lists_are_eager_torchs_in_one_part(name):
    torch._dynamo.reset()
    torch.manual_seed(0)
    x, y = _lists(), _lists()
    with reporting() as report:
        found = joggle.torch.compile(LISTS[name])(x, y)
    torch.testing.assert_close(found, LISTS[name](x, y))
    assert [graph.cut.reasons for made in report for graph in made.all()] == [{}]
