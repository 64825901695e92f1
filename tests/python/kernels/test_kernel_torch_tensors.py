# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch whose values are in no memory of the CPU are refused by the argument's name."""

import pytest

import joggle.fields as qd

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("compiler")

TENSORS = {
    "sparse": (lambda: torch.ones(3).to_sparse(), "layout torch.sparse_coo on device cpu"),
    "without values": (lambda: torch.ones(3, device="meta"), "on device meta"),
    "negated by a bit": (
        lambda: torch.ones(3, dtype=torch.complex64).conj().imag,
        "negated by a bit: its values are not in memory",
    ),
}


@pytest.mark.parametrize("kind", TENSORS)
def test_tensors_that_lend_no_memory_are_refused_by_name(kind):
    make, what = TENSORS[kind]

    @qd.kernel
    def double(y: qd.types.ndarray(), x: qd.types.ndarray()):
        for i in range(x.shape[0]):
            y[i] = 2 * x[i]

    y = torch.zeros(3)
    for _ in range(2):
        with pytest.raises(BufferError, match=rf"\[double\] argument x: .*{what}") as caught:
            double(y, make())
        assert "Exception raised from" not in str(caught.value)
        double(y, torch.ones(3))
    assert y.tolist() == [2, 2, 2]


def test_tensors_that_require_grad_are_taken_in_place():
    @qd.kernel
    def read(x: qd.types.ndarray()) -> float:
        return x[0] + x[1]

    assert read(torch.ones(2, requires_grad=True)) == 2
    assert read(2 * torch.ones(2, requires_grad=True)) == 4


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested")
def test_nested_tensors_are_refused():
    @qd.kernel
    def read(x: qd.types.ndarray()) -> float:
        return x[0]

    tensor = torch.nested.nested_tensor([torch.ones(2)])
    with pytest.raises(TypeError, match=r"read\] x: got Tensor without dtype and shape"):
        read(tensor)
