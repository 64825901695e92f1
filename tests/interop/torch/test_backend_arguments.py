# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch through the backend that change arguments which share memory, or whose
strides are not those of a new tensor, beside eager torch."""

import pytest

import joggle.torch

torch = pytest.importorskip("torch")
from sharing import check_alike, tensors_of  # noqa: E402

# Arguments that share memory, or whose strides are not those of a new tensor.
ARGUMENTS = {
    "one tensor twice": lambda: (x := torch.randn(4, 4), x),
    "a tensor and its transpose": lambda: (x := torch.randn(4, 4), x.t()),
    "overlapping rows": lambda: (lambda x: (x[:4], x[2:]))(torch.randn(6, 4)),
    "disjoint rows": lambda: (lambda x: (x[:4], x[4:]))(torch.randn(8, 4)),
    "every second column": lambda: (torch.randn(4, 8)[:, ::2], torch.randn(4, 4)),
    "transposed": lambda: (torch.randn(4, 4).t(), torch.randn(4, 4)),
    "read as expanded": lambda: (torch.randn(4, 4), torch.randn(4, 1).expand(4, 4)),
    "without elements": lambda: (torch.randn(0, 4), torch.randn(0, 4)),
    "of other dtypes": lambda: (torch.randn(4, 4).half(), torch.arange(16).view(4, 4)),
    "flags": lambda: (torch.randn(4, 4), torch.randn(4, 4) > 0),
    "scalars": lambda: (torch.tensor(2.0), torch.tensor(3)),
}


def _changes_the_first(x, y):
    x.add_(y)
    return x * 2, x, y


def _changes_a_part(x, y):
    x[..., :1].mul_(2)
    return x + y


def _changes_both(x, y):
    x.mul_(2)
    y.copy_(x)
    return y.sum(), x.t()


CHANGES = {
    "first": _changes_the_first,
    "part": _changes_a_part,
    "both": _changes_both,
}


# Eager PyTorch raises: what is written is read elsewhere, is expanded, or has no axis.
_REFUSED = {
    *(("a tensor and its transpose", change) for change in ("first", "both")),
    *(("overlapping rows", change) for change in ("first", "both")),
    ("read as expanded", "both"),
    ("scalars", "part"),
}
_TAKEN = sorted({(x, change) for x in ARGUMENTS for change in CHANGES} - _REFUSED)


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.inference_mode])
@pytest.mark.parametrize(("arguments", "change"), _TAKEN)
def test_arguments_that_share_memory_are_changed_as_in_eager_torch(arguments, change, mode):
    function = CHANGES[change]
    torch._dynamo.reset()
    with mode():
        torch.manual_seed(0)
        theirs = ARGUMENTS[arguments]()
        torch.manual_seed(0)
        ours = ARGUMENTS[arguments]()
        compiled = joggle.torch.compile(function)
        for _ in range(3):
            wanted, found = tensors_of(function(*theirs)), tensors_of(compiled(*ours))
            check_alike([*found, *ours], [*wanted, *theirs])
