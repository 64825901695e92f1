# SPDX-License-Identifier: Apache-2.0
"""kernel.grad of calls whose arguments share memory: right where that is only read, refused by name
where the kernel writes it."""

import numpy as np
import pytest
import torch

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

COUNT = 4
VECTOR = qd.types.ndarray(dtype=qd.f64, ndim=1)


@qd.kernel
def clears(a: VECTOR, b: VECTOR, total: VECTOR):
    for i in range(a.shape[0]):
        total[0] += a[i] * a[i]
    for i in range(b.shape[0]):
        b[i] = 0.0


@qd.kernel
def clears_fields(a: qd.template(), b: qd.template(), total: qd.template()):
    for i in range(COUNT):
        total[0] += a[i] * a[i]
    for i in range(COUNT):
        b[i] = 0.0


@qd.kernel
def products(a: VECTOR, b: VECTOR, total: VECTOR):
    for i in range(a.shape[0]):
        total[0] += a[i] * b[i]


def of_torch(values):
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    x.grad = torch.zeros_like(x)
    return x


def of_joggle(make, values):
    x = make(qd.f64, len(values), needs_grad=True)
    x.from_numpy(np.array(values))
    x.grad.fill(0)
    return x


MAKERS = {
    "ndarray": lambda values: of_joggle(qd.ndarray, values),
    "field": lambda values: of_joggle(qd.field, values),
    "torch": of_torch,
}
VALUES = [1.0, 2.0, 3.0, 4.0]


def gradient(kernel, x, y, make):
    total = make([0.0])
    total.grad[0] = 1.0
    kernel.grad(x, y, total)
    return x.grad.tolist() if isinstance(x, torch.Tensor) else x.grad.to_numpy().tolist()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_one_array_as_two_arguments_of_which_one_is_written(make):
    kernel = clears_fields if make is MAKERS["field"] else clears
    x = make(VALUES)
    message = rf"^{__file__}: \[clears.*\] arguments a and b: got arrays that share .* writes b,"
    for _ in range(2):
        with pytest.raises(NotImplementedError, match=message):
            gradient(kernel, x, x, make)
    assert gradient(kernel, x, make([5.0] * COUNT), make) == [2.0, 4.0, 6.0, 8.0]


@pytest.mark.parametrize("make", [MAKERS["ndarray"], MAKERS["torch"]], ids=["ndarray", "torch"])
def test_one_array_as_two_arguments_that_are_read(make):
    x = make(VALUES)
    assert gradient(products, x, x, make) == [2.0, 4.0, 6.0, 8.0]


def views(first, second):
    """Two tensors over one memory, the first with a gradient."""
    memory = torch.arange(1.0, 9.0, dtype=torch.float64)
    x, y = memory[first], memory[second]
    x.requires_grad_()
    x.grad = torch.zeros(len(x), dtype=torch.float64)
    return x, y


def test_views_of_one_memory():
    for first, second in [(slice(0, 5), slice(4, 8)), (slice(0, 8, 2), slice(1, 8, 3))]:
        with pytest.raises(NotImplementedError, match="arguments a and b: got arrays that share"):
            gradient(clears, *views(first, second), of_torch)
    for first, second in [(slice(0, 4), slice(4, 8)), (slice(0, 8, 2), slice(1, 8, 2))]:
        x, y = views(first, second)
        assert gradient(clears, x, y, of_torch) == (2 * x.detach()).tolist()
    x, y = views(slice(0, 4), slice(2, 2))
    assert gradient(clears, x, y, of_torch) == [2.0, 4.0, 6.0, 8.0]


def test_arrays_of_numpy_without_gradients():
    @qd.kernel
    def run(x: VECTOR, index: qd.types.ndarray(), other: qd.types.ndarray(), total: VECTOR):
        for i in range(3):
            total[0] += x[index[i]] * x[i]
        for i in range(3):
            other[i] = 0

    x, total = of_torch([1.0, 2.0, 3.0]), of_torch([0.0])
    total.grad[0] = 1.0
    index = np.array([1, 2, 0, 9, 9, 9], np.int32)
    run.grad(x, index[:3], index[3:], total)
    assert x.grad.tolist() == [5.0, 4.0, 3.0]
    with pytest.raises(NotImplementedError, match="arguments index and other"):
        run.grad(x, index[:3], index[2:5], total)
