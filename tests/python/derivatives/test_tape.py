# SPDX-License-Identifier: Apache-2.0
"""qd.ad: tapes, forward mode, derivatives given by hand."""

import threading

import numpy as np
import pytest
from interrupting import run_until

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def scalars(*names_and_shapes):
    return [qd.field(qd.f64, shape, needs_grad=True) for shape in names_and_shapes]


def test_a_tape_goes_back_through_several_kernels():
    x, y, loss = scalars(4, 4, ())
    x.from_numpy(np.arange(1.0, 5.0))

    @qd.kernel
    def square():
        for i in x:
            y[i] = x[i] * x[i]

    @qd.kernel
    def total(scale: float):
        for i in y:
            loss[None] += scale * y[i] * y[i]

    for _ in range(2):
        with qd.ad.Tape(loss=loss):
            square()
            total(0.5)
        np.testing.assert_allclose(x.grad.to_numpy(), 2 * np.arange(1.0, 5.0) ** 3)
    assert loss[None] == 0.5 * sum(v**4 for v in range(1, 5))


def test_gradients_may_be_left_as_they_are():
    x, loss = scalars((), ())
    x[None] = 3.0

    @qd.kernel
    def run():
        loss[None] += x[None] * x[None]

    x.grad[None] = 1.0
    with qd.ad.Tape(loss, clear_gradients=False):
        run()
    assert x.grad[None] == 7.0


def test_a_tape_without_a_loss_waits_to_be_asked():
    x, y = scalars((), ())
    x[None] = 3.0

    @qd.kernel
    def run():
        y[None] = x[None] * x[None]

    with qd.ad.Tape() as tape:
        run()
    y.grad[None] = 2.0
    tape.grad()
    assert x.grad[None] == 12.0
    with pytest.raises(RuntimeError, match="allowed once"):
        tape.grad()


def test_losses_have_one_element_and_a_gradient():
    (vector,) = scalars(3)
    with pytest.raises(RuntimeError, match=r"loss: got shape \(3,\), allowed is \(\) and scalars"):
        qd.ad.Tape(vector).__enter__()
    with pytest.raises(RuntimeError, match="needs_grad=True"):
        qd.ad.Tape(qd.field(qd.f64, ())).__enter__()


def test_gradients_may_be_checked_by_finite_differences():
    x, loss = scalars(3, ())
    x.from_numpy(np.array([0.1, 0.2, 0.3]))

    @qd.kernel
    def run():
        for i in x:
            loss[None] += qd.sin(x[i]) * x[i]

    with qd.ad.Tape(loss, grad_check=[x]):
        run()
    assert x.to_numpy().tolist() == [0.1, 0.2, 0.3]

    @qd.ad.grad_replaced
    def wrong():
        run()

    @qd.ad.grad_for(wrong)
    def wrong_grad():
        x.grad.fill(5.0)

    with pytest.raises(AssertionError, match="grad_check"), qd.ad.Tape(loss, grad_check=[x]):
        wrong()


def test_derivatives_given_by_hand_take_the_place_of_generated_ones():
    x, y, loss = scalars((), (), ())
    x[None] = 2.0
    seen = []

    @qd.kernel
    def cube():
        y[None] = x[None] ** 3

    @qd.kernel
    def total():
        loss[None] += y[None]

    @qd.ad.grad_replaced
    def forward(k):
        cube()

    @qd.ad.grad_for(forward)
    def backward(k):
        seen.append(k)
        x.grad[None] += 100.0

    with qd.ad.Tape(loss):
        forward(7)
        total()
    assert (seen, x.grad[None], loss[None]) == ([7], 100.0, 8.0)
    with pytest.raises(RuntimeError, match="has a gradient already"):
        qd.ad.grad_for(forward)
    with pytest.raises(RuntimeError, match="not marked with grad_replaced"):
        qd.ad.grad_for(len)


def test_a_tape_passes_over_what_has_no_gradient():
    x, loss = scalars((), ())
    x[None] = 2.0

    @qd.kernel
    def run():
        loss[None] += x[None] * x[None]

    @qd.ad.no_grad
    def aside():
        run()

    with qd.ad.Tape(loss):
        run()
        aside()
    assert (loss[None], x.grad[None]) == (8.0, 4.0)


def test_forward_mode_gives_the_product_of_the_jacobian_and_the_seed():
    x, y, loss = scalars(3, 3, ())
    x.from_numpy(np.array([1.0, 2.0, 3.0]))

    @qd.kernel
    def square():
        for i in x:
            s = 1.0
            for _ in range(2):
                s *= x[i]
            y[i] = s

    @qd.kernel
    def total() -> qd.f64:
        for i in y:
            loss[None] += y[i] * x[0]
        return loss[None]

    with qd.ad.FwdMode(loss=[y, loss], param=x, seed=[1.0, 10.0, 0.0]):
        square()
        assert total() == 14.0
    assert y.dual.to_numpy().tolist() == [2.0, 40.0, 0.0]
    assert loss.dual[None] == 42.0 + 14.0
    assert x.dual.to_numpy().tolist() == [0.0] * 3


def test_forward_mode_needs_a_seed_of_the_parameters_shape():
    x, y = scalars(3, 3)
    with pytest.raises(RuntimeError, match="seed: got none for 3 elements"):
        qd.ad.FwdMode(y, x)
    with pytest.raises(ValueError, match="seed: got 2 numbers for 3 elements"):
        qd.ad.FwdMode(y, x, seed=[1, 2])


def test_modes_are_entered_once_and_not_inside_each_other():
    x, loss = scalars((), ())
    tape = qd.ad.Tape(loss)
    with tape, pytest.raises(RuntimeError, match="inside another Tape"):
        qd.ad.FwdMode(loss, x).__enter__()
    with pytest.raises(RuntimeError, match="entered once"):
        tape.__enter__()


def test_a_failure_inside_ends_the_tape_without_running_adjoints():
    x, loss = scalars((), ())

    @qd.kernel
    def run():
        loss[None] += x[None]

    with pytest.raises(ZeroDivisionError), qd.ad.Tape(loss):
        run()
        raise ZeroDivisionError
    run()
    assert x.grad[None] == 0.0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("mode", ["tape", "forward"])
def test_an_interrupt_wherever_it_comes_ends_the_mode(mode):
    x, loss = scalars((), ())
    x[None] = 3.0

    @qd.kernel
    def square():
        loss[None] += x[None] * x[None]

    def with_tape():
        with qd.ad.Tape(loss):
            square()
        return x.grad[None]

    def forward():
        loss[None] = 0.0
        with qd.ad.FwdMode(loss, x):
            square()
        return loss.dual[None]

    run = with_tape if mode == "tape" else forward
    assert run() == 6.0
    for number in range(1, run_until(None, run)):
        run_until(number, run)
        assert run() == 6.0, number
        square()
        assert loss[None] == 18.0, number


def test_a_mode_that_cannot_begin_leaves_nothing_behind():
    loss = qd.field(qd.f64, (), needs_grad=False)
    for _ in range(2):
        with pytest.raises((TypeError, ValueError, RuntimeError), match="grad"):
            qd.ad.Tape(loss).__enter__()
    (x, y) = scalars((), ())

    @qd.kernel
    def square():
        y[None] = x[None] * x[None]

    x[None] = 3
    with qd.ad.Tape(y):
        square()
    assert x.grad[None] == 6


def squares_and_more(x, y, loss):
    @qd.kernel
    def square():
        for i in x:
            y[i] = x[i] * x[i]

    @qd.kernel
    def total():
        for i in x:
            loss[None] += x[i] + y[i]

    return square, total


def test_validation_finds_what_a_later_kernel_overwrites_and_leaves_the_right_gradient():
    x, y, loss = scalars(4, 4, ())
    x.from_numpy(np.arange(1.0, 5.0))
    square, total = squares_and_more(x, y, loss)

    @qd.kernel
    def overwrite():
        for i in x:
            x[i] = y[i] + 1.0

    with (
        pytest.raises(AssertionError, match=r"derivative of the earlier kernel square.*\(4,\)"),
        qd.ad.Tape(loss, validation=True),
    ):
        square()
        overwrite()
        total()
    np.testing.assert_allclose(x.grad.to_numpy(), 4 * np.arange(1.0, 5.0))
    np.testing.assert_allclose(x.to_numpy(), np.arange(1.0, 5.0) ** 2 + 1)


# The reference reads tensors by NumPy, which those that require a gradient refuse.
@pytest.mark.parametrize("tier", ["compiled"], indirect=True)
def test_validation_finds_it_in_tensors_of_torch(tier):
    torch = pytest.importorskip("torch")
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    (loss,) = scalars(())

    @qd.kernel
    def energy(x: qd.types.ndarray()):
        for i in x:
            loss[None] += x[i] ** 3

    with (
        pytest.raises(AssertionError, match="energy needs, of the Tensor of shape"),
        qd.ad.Tape(loss, validation=True),
    ):
        energy(x)
        x.detach().mul_(2)
    assert x.grad.tolist() == [3.0, 12.0] and x.tolist() == [2.0, 4.0]


def test_validation_passes_what_writes_other_elements_or_values_that_nothing_needs():
    x, y, loss = scalars((5, 3), 3, ())
    x.from_numpy(np.full((5, 3), 0.5))

    @qd.kernel
    def step(t: qd.i32):
        for i in range(3):
            x[t + 1, i] = qd.sin(x[t, i]) * x[t, (i + 1) % 3]
            y[i] += 2.0 * x[t, i]

    @qd.kernel
    def total():
        for i in y:
            loss[None] += x[4, i] + y[i] ** 2

    gradients = []
    for validation in (False, True):
        y.fill(0)
        with qd.ad.Tape(loss, validation=validation):
            for t in range(4):
                step(t)
            total()
        gradients.append(x.grad.to_numpy())
    assert gradients[0][0].all()
    np.testing.assert_array_equal(gradients[0], gradients[1])


def test_a_loss_of_a_shape_or_of_vectors_is_told_what_is_allowed():
    for loss in (
        qd.field(qd.f64, 1, needs_grad=True),
        qd.Vector.field(2, qd.f64, (), needs_grad=True),
    ):
        with pytest.raises(RuntimeError, match=r"loss: got shape .*, allowed is \(\) and scalars"):
            qd.ad.Tape(loss).__enter__()


def test_a_tape_records_the_calls_of_its_own_thread():
    @qd.kernel
    def total(x: qd.types.ndarray(), loss: qd.types.ndarray(), factor: float):
        for i in range(x.shape[0]):
            loss[0] += x[i] * factor

    mine, loss, theirs, other_loss = (qd.ndarray(qd.f64, n, needs_grad=True) for n in (2, 1, 2, 1))
    total(mine, loss, 1.0)

    def others(stop):
        while not stop.is_set():
            total(theirs, other_loss, 7.0)

    for _ in range(20):
        mine.grad.fill(0)
        stop = threading.Event()
        thread = threading.Thread(target=others, args=(stop,))
        with qd.ad.Tape(loss=loss) as tape:
            thread.start()
            for _ in range(5):
                total(mine, loss, 2.0)
            stop.set()
            thread.join()
        assert len(tape.calls) == 5
        assert mine.grad.to_numpy().tolist() == [10.0, 10.0]
        assert theirs.grad.to_numpy().tolist() == [0.0, 0.0]


def test_one_number_is_the_seed_of_all_elements():
    x, y = (qd.field(qd.f64, 4, needs_dual=True) for _ in range(2))

    @qd.kernel
    def double():
        for i in y:
            y[i] = 2 * x[i]

    with qd.ad.FwdMode(loss=y, param=x, seed=[3.0]):
        double()
    assert y.dual.to_numpy().tolist() == [6.0] * 4
