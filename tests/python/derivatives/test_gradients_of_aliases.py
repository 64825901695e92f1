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
MATRIX = qd.types.ndarray(dtype=qd.f64, ndim=2)


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
def test_one_array_as_two_arguments_is_refused_where_one_is_written(make):
    kernel = clears_fields if make is MAKERS["field"] else clears
    x = make(VALUES)
    message = rf"^{__file__}: \[clears.*\] arguments a and b: got arrays that share .* writes b,"
    for _ in range(2):
        with pytest.raises(NotImplementedError, match=message):
            gradient(kernel, x, x, make)
    assert gradient(kernel, x, make([5.0] * COUNT), make) == [2.0, 4.0, 6.0, 8.0]


@pytest.mark.parametrize("make", [MAKERS["ndarray"], MAKERS["torch"]], ids=["ndarray", "torch"])
def test_one_array_as_two_arguments_that_are_read_is_right(make):
    x = make(VALUES)
    assert gradient(products, x, x, make) == [2.0, 4.0, 6.0, 8.0]


def views(first, second):
    """Two tensors over one memory, the first with a gradient."""
    memory = torch.arange(1.0, 9.0, dtype=torch.float64)
    x, y = memory[first], memory[second]
    x.requires_grad_()
    x.grad = torch.zeros(len(x), dtype=torch.float64)
    return x, y


def test_views_of_one_memory_are_refused_where_they_overlap():
    for first, second in [(slice(0, 5), slice(4, 8)), (slice(0, 8, 2), slice(1, 8, 3))]:
        with pytest.raises(NotImplementedError, match="arguments a and b: got arrays that share"):
            gradient(clears, *views(first, second), of_torch)
    for first, second in [(slice(0, 4), slice(4, 8)), (slice(0, 8, 2), slice(1, 8, 2))]:
        x, y = views(first, second)
        assert gradient(clears, x, y, of_torch) == (2 * x.detach()).tolist()
    x, y = views(slice(0, 4), slice(2, 2))
    assert gradient(clears, x, y, of_torch) == [2.0, 4.0, 6.0, 8.0]


def test_arrays_of_numpy_without_gradients_are_refused_where_they_overlap():
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


def test_two_arguments_may_have_one_gradient_where_both_are_read():
    """Two tensors apart, whose gradients are one on purpose."""
    x, y = of_torch(VALUES), of_torch(VALUES)
    y.grad = x.grad
    assert gradient(products, x, y, of_torch) == [2.0, 4.0, 6.0, 8.0]

    @qd.kernel
    def doubles(a: VECTOR, b: VECTOR):
        for i in range(a.shape[0]):
            b[i] = 2 * a[i]

    x, y = of_torch(VALUES), of_torch(VALUES)
    y.grad = x.grad
    with pytest.raises(NotImplementedError, match="arguments a and b: got gradients that share"):
        doubles.grad(x, y)


def over(field):
    """A tensor over a field's memory, with a gradient."""
    x = field.to_torch(copy=False)
    x.requires_grad_()
    x.grad = torch.zeros_like(x)
    return x


@pytest.mark.parametrize("make", [MAKERS["ndarray"], MAKERS["field"]], ids=["ndarray", "field"])
def test_a_tensor_over_a_field_beside_that_field_is_refused(make):
    @qd.kernel
    def run(a: VECTOR, b: qd.template(), total: VECTOR):
        for i in range(a.shape[0]):
            total[0] += a[i] * a[i]
        for i in range(COUNT):
            b[i] = 0.0

    x = make(VALUES)
    with pytest.raises(NotImplementedError, match="arguments a and b: got arrays that share"):
        gradient(run, over(x), x, of_torch)
    assert gradient(run, over(x), make([5.0] * COUNT), of_torch) == [2.0, 4.0, 6.0, 8.0]
    index = x.to_numpy(copy=False)[1:2].view(np.int32)  # as integers, without a gradient

    @qd.kernel
    def by_index(a: VECTOR, index: qd.types.ndarray(), b: qd.template()):
        for i in range(2):
            b[i] += a[index[i] % COUNT]

    with pytest.raises(NotImplementedError, match="arguments index and b: got arrays that share"):
        by_index.grad(of_torch(VALUES), index, x)


def test_a_field_beside_its_component_is_refused_where_it_is_written():
    whole, total = qd.Vector.field(2, qd.f64, COUNT, needs_grad=True), of_joggle(qd.field, [0.0])
    first, second = whole.get_scalar_field(0), whole.get_scalar_field(1)

    @qd.kernel
    def run(a: qd.template(), b: qd.template()):
        for i in range(COUNT):
            total[0] += a[i] * a[i]
        for i in range(COUNT):
            b[i] = 0.0

    @qd.kernel
    def both(a: qd.template(), b: qd.template()):
        for i in range(COUNT):
            total[0] += a[i][0] * b[i]

    whole.fill(3)
    total.grad[0] = 1
    for field in (first, whole.get_scalar_field(0)):
        with pytest.raises(NotImplementedError, match="arguments a and b: got arrays that share"):
            run.grad(first, field)
    run.grad(first, second)
    assert whole.grad.to_numpy().tolist() == [[6, 0]] * COUNT
    both.grad(whole, first)
    assert whole.grad.to_numpy().tolist() == [[12, 0]] * COUNT


def test_members_of_one_tree_are_apart():
    x, y, total = (qd.field(qd.f64) for _ in range(3))
    qd.root.dense(qd.i, COUNT).place(x, y)
    qd.root.place(total)
    qd.root.lazy_grad()

    @qd.kernel
    def run(a: qd.template(), b: qd.template(), c: VECTOR):
        for i in range(COUNT):
            total[None] += a[i] * a[i] * c[i]
        for i in range(COUNT):
            b[i] = 0.0

    x.fill(3)
    total.grad[None] = 1
    run.grad(x, y, of_torch(VALUES))
    assert x.grad.to_numpy().tolist() == [6.0, 12.0, 18.0, 24.0]


def test_faults_of_the_arguments_of_a_check_are_no_refusals_of_its_kernel():
    """An array that is evaluated when the check is launched raises what it raises."""
    import joggle as jg

    @qd.kernel
    def scatters(x: VECTOR, scale: MATRIX, index: qd.types.ndarray(ndim=1), y: VECTOR):
        for i in range(x.shape[0]):
            y[index[i]] = x[i] * scale[0, 0]

    x, y, index = of_torch(VALUES), of_torch(VALUES), np.array([1, 0, 3, 2], np.int32)
    y.grad.fill_(1.0)
    indefinite = jg.asarray(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ValueError, match=r"(?s)^(?!.*derivative of kernel).*positive"):
        scatters.grad(x, jg.linalg.cholesky(indefinite), index, y)
    scatters.grad(x, jg.linalg.cholesky(4 * jg.eye(2, dtype=jg.float64)), index, y)
    assert x.grad.tolist() == [2.0] * COUNT
