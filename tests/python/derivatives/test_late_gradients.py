# SPDX-License-Identifier: Apache-2.0
"""Gradients that fields get after they were made: placed by hand, or for a whole tree."""

import pytest

import joggle.fields as qd


def squares(x, loss):
    @qd.kernel
    def run():
        for i in x:
            loss[None] += x[i] * x[i]

    x.fill(3)
    with qd.ad.Tape(loss):
        run()
    return x.grad.to_numpy().tolist()


def test_a_gradient_is_placed_beside_its_field():
    x, loss = qd.field(qd.f32), qd.field(qd.f32)
    assert not x.has_grad()
    qd.root.dense(qd.i, 4).place(x, x.grad)
    qd.root.place(loss)
    qd.root.place(loss.grad)
    assert x.has_grad()
    assert squares(x, loss) == [6, 6, 6, 6]


def test_all_fields_of_the_root_get_gradients():
    x, loss, count = qd.field(qd.f64), qd.field(qd.f64, ()), qd.field(qd.i32)
    qd.root.dense(qd.i, 2).dense(qd.i, 2).place(x, count)
    qd.root.lazy_grad()
    qd.root.lazy_grad()
    assert x.grad.shape == (4,)
    assert not count.has_grad()
    assert squares(x, loss) == [6, 6, 6, 6]


def test_vectors_in_blocks_with_an_offset_get_gradients_of_their_form():
    v = qd.Vector.field(3, qd.f32)
    qd.root.dense(qd.ij, (2, 3)).dense(qd.ij, 2).place(v, offset=(-1, 2))
    qd.root.lazy_grad()
    v.grad[-1, 2] = [1, 2, 3]
    assert v.grad.shape == v.shape
    assert v.grad[-1, 2].to_list() == [1, 2, 3]


def test_a_builder_or_a_node_gives_gradients_to_its_own_fields():
    x, y, z = (qd.field(qd.f32) for _ in range(3))
    builder = qd.FieldsBuilder()
    builder.dense(qd.i, 3).place(x)
    node = qd.root.dense(qd.i, 3)
    node.place(y)
    qd.root.dense(qd.i, 3).place(z)
    builder.lazy_grad()
    assert (x.has_grad(), y.has_grad(), z.has_grad()) == (True, False, False)
    node.lazy_grad()
    assert (y.has_grad(), z.has_grad()) == (True, False)
    builder.finalize().destroy()


def test_a_gradient_without_a_place_is_not_used():
    x, loss = qd.field(qd.f32), qd.field(qd.f32, ())
    gradient = x.grad
    qd.root.dense(qd.i, 3).place(x)
    assert x.grad is gradient
    with pytest.raises(ValueError, match="place"):
        gradient.to_numpy()
    with pytest.raises(RuntimeError, match="loss: it has no gradient"), qd.ad.Tape(loss):
        pass
    assert qd.field(qd.i32).grad is None
