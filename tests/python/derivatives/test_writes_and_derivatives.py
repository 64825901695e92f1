# SPDX-License-Identifier: Apache-2.0
"""Places that are written after a transformed function has read them: derivatives and batches are
those of what was read."""

import numpy as np
import pytest
from build_parts import has_compiler

import joggle as jg
import joggle.fields as qd

SIZE = 4
X = np.arange(1, SIZE + 1, dtype=np.float32)
OLD, NEW = np.float32(3), np.float32(9)


def field_of(values):
    x = qd.field(qd.f32, shape=len(values))
    x.from_numpy(np.asarray(values, np.float32))
    return x


class FieldPlace:
    """Memory of a field, written through joggle."""

    def __init__(self):
        self.field = field_of(np.full(SIZE, OLD))
        self.array = jg.asarray(self.field)

    def write(self, value=NEW):
        self.field.fill(value)


@qd.kernel
def fill(x: qd.types.ndarray(), value: qd.f32):
    for i in x:
        x[i] = value


class KernelPlace(FieldPlace):
    """The same, written by a kernel."""

    def write(self, value=NEW):
        fill(self.field, value)


class NumpyPlace:
    """Memory of NumPy's, written by a kernel."""

    def __init__(self):
        self.tensor = np.full(SIZE, OLD, np.float32)
        self.array = jg.from_dlpack(self.tensor)

    def write(self, value=NEW):
        fill(self.tensor, value)


class TorchPlace(NumpyPlace):
    """Memory of PyTorch's, written by a kernel."""

    def __init__(self):
        torch = pytest.importorskip("torch")
        self.tensor = torch.full((SIZE,), float(OLD))
        self.array = jg.from_dlpack(self.tensor)


PLACES = [FieldPlace]
if has_compiler():
    PLACES += [KernelPlace, NumpyPlace, TorchPlace]


@pytest.fixture(params=PLACES)
def place(request):
    return request.param()


def close(value, wanted):
    np.testing.assert_allclose(np.asarray(value), wanted, rtol=1e-6)


# What a function computes of x and of the place, and its derivative by x, with what was read before
# the write. Each spells the residual in another way.
def a_product(x, v):
    return x * v


def a_product_with_a_view(x, v):
    return x * v[::-1][::1]


def a_product_with_what_is_pending(x, v):
    return x * (v * 2 - v)


def a_chain_of_products(x, v):
    return x * v * v / OLD


def a_product_of_matrices(x, v):
    return (jg.reshape(v, (2, 2)) @ jg.eye(2) @ jg.ones((2, 2))).reshape(-1) * x / 2


def a_routine(x, v):
    return x * jg.cumsum(v) / jg.array([1.0, 2.0, 3.0, 4.0])


READS = [
    a_product,
    a_product_with_a_view,
    a_product_with_what_is_pending,
    a_chain_of_products,
    a_product_of_matrices,
    a_routine,
]


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("asks", [False, True])
def test_a_gradient_is_that_of_what_was_read(place, read, asks):
    def f(x):
        y = read(x, place.array)
        if asks:
            jg.eval(y)
        place.write()
        return jg.sum(y)

    value, gradient = jg.value_and_grad(f)(jg.array(X))
    assert value.item() == pytest.approx(OLD * X.sum())
    close(gradient, np.full(SIZE, OLD))
    close(place.array, np.full(SIZE, NEW))


def test_reads_before_and_after_the_write_have_their_own_values(place):
    def f(x):
        before = x * place.array
        place.write(5)
        between = x * x * place.array
        place.write(NEW)
        return jg.sum(before + between + x * place.array)

    value, gradient = jg.value_and_grad(f)(jg.array(X))
    assert value.item() == pytest.approx((OLD * X + 5 * X * X + NEW * X).sum())
    close(gradient, OLD + 10 * X + NEW)


def test_each_turn_of_a_loop_has_the_value_that_it_read(place):
    def f(x):
        total = x
        for i in range(6):
            place.write(i + 1)
            total = total * place.array
            if i % 2:
                jg.eval(total)
        return jg.sum(total)

    value, gradient = jg.value_and_grad(f)(jg.array(X))
    assert value.item() == pytest.approx(720 * X.sum())
    close(gradient, np.full(SIZE, 720))


def test_the_argument_itself_is_a_place(place):
    def f(x):
        before = x * x
        place.write()
        return jg.sum(before + 2 * x)

    value, gradient = jg.value_and_grad(f)(place.array)
    assert value.item() == pytest.approx(SIZE * (OLD * OLD + 2 * NEW))
    close(gradient, np.full(SIZE, 2 * OLD + 2))


def test_second_derivatives_are_of_what_was_read(place):
    def f(x):
        y = x * x * x * place.array
        place.write()
        return jg.sum(y)

    second = jg.grad(lambda x: jg.sum(jg.grad(f)(x)))
    close(second(jg.array(X)), 6 * X * OLD)


def test_hessians_are_of_what_was_read(place):
    def f(x):
        y = x * x * place.array
        place.write()
        return jg.sum(y)

    close(jg.hessian(f)(jg.array(X)), np.diag(np.full(SIZE, 2 * OLD)))


def test_a_pullback_that_is_kept_has_the_values_from_before_writes(place):
    out, pull = jg.vjp(lambda x: x * place.array, (jg.array(X),))
    place.write()
    close(out[0] if isinstance(out, (list, tuple)) else out, OLD * X)
    for _ in range(2):
        shares = pull(jg.ones(SIZE))
        close(shares[0] if isinstance(shares, (list, tuple)) else shares, np.full(SIZE, OLD))
        place.write(11)


def test_tangents_are_of_what_was_read(place):
    def f(x):
        y = x * place.array
        place.write()
        return y

    _, tangents = jg.jvp(f, (jg.array(X),), (jg.ones(SIZE),))
    close(tangents[0] if isinstance(tangents, (list, tuple)) else tangents, np.full(SIZE, OLD))


def test_a_linearized_function_has_the_values_from_before_a_write(place):
    _, slope = jg.linearize(lambda x: x * place.array, jg.array(X))
    place.write()
    close(slope(jg.ones(SIZE)), np.full(SIZE, OLD))


def test_a_batch_reads_the_values_before_and_after_a_write(place):
    def f(x):
        before = x * place.array
        place.write()
        return before + x * place.array

    rows = np.stack([X, 2 * X, 3 * X])
    close(jg.vmap(f)(jg.array(rows)), rows * (OLD + NEW))


def test_a_batch_of_gradients_is_of_what_was_read(place):
    def f(x):
        y = x * x * place.array
        place.write()
        return jg.sum(y)

    rows = np.stack([X, 2 * X, 3 * X])
    close(jg.vmap(jg.grad(f))(jg.array(rows)), 2 * rows * OLD)


def test_a_batch_whose_argument_is_written_is_refused(place):
    def f(x):
        y = x * 2
        place.write()
        return y

    message = r"\[vmap\] f: got a write to the memory of an arg"
    with pytest.raises(NotImplementedError, match=message):
        jg.vmap(f)(place.array)
    close(place.array, np.full(SIZE, OLD))


@pytest.mark.parametrize("policy", [None, "products"])
@pytest.mark.parametrize("inside", [True, False])
def test_a_checkpoint_computes_again_from_what_was_read(place, policy, inside):
    def block(x):
        y = jg.sin(x * place.array) * place.array
        if inside:
            place.write()
        return y

    def f(x):
        y = jg.checkpoint(block, policy=policy)(x)
        if not inside:
            place.write()
        return jg.sum(y)

    close(jg.grad(f)(jg.array(X)), np.cos(X * OLD) * OLD * OLD)


def test_a_checkpoint_keeps_the_values_of_an_argument_that_is_written(place):
    def f(x):
        y = jg.checkpoint(lambda x, v: x * x * v)(x, place.array)
        place.write()
        return jg.sum(y)

    close(jg.grad(f)(jg.array(X)), 2 * X * OLD)


def test_a_function_with_rules_is_given_what_was_read(place):
    @jg.custom_function
    def times(x, v):
        return x * v

    @times.vjp
    def pull(primals, cotangent, output):
        x, v = primals
        return cotangent * v * 10, cotangent * x

    def f(x):
        y = times(x, place.array)
        place.write()
        return jg.sum(y)

    value, gradient = jg.value_and_grad(f)(jg.array(X))
    assert value.item() == pytest.approx(OLD * X.sum())
    close(gradient, np.full(SIZE, 10 * OLD))


def test_two_results_of_a_function_share_rules_and_what_was_read(place):
    @jg.custom_function
    def both(x, v):
        return x * v, x + v

    @both.vjp
    def pull(primals, cotangents, outputs):
        x, v = primals
        return cotangents[0] * v + cotangents[1], cotangents[0] * x

    def f(x):
        product, total = both(x, place.array)
        del total
        jg.eval(product)
        place.write()
        place.write(11)
        return jg.sum(product)

    close(jg.grad(f)(jg.array(X)), np.full(SIZE, OLD))
    place.write(12)


def test_a_compiled_function_has_the_gradient_of_what_was_read(place):
    compiled = jg.compile(lambda x, v: jg.sin(x) * v)

    def f(x):
        y = compiled(x, place.array)
        place.write()
        return jg.sum(y)

    close(jg.grad(f)(jg.array(X)), np.cos(X) * OLD)


def test_a_compiled_function_may_read_the_place_itself(place):
    compiled = jg.compile(lambda x: jg.sin(x) * place.array)

    def f(x):
        y = compiled(x)
        place.write()
        return jg.sum(y)

    close(jg.grad(f)(jg.array(X)), np.cos(X) * OLD)
    close(compiled(jg.array(X)), np.sin(X) * NEW)


def test_a_compiled_gradient_refuses_the_write(place):
    def f(x):
        y = x * place.array
        place.write()
        return jg.sum(y)

    with pytest.raises(NotImplementedError, match=r"\[compile\]"):
        jg.compile(jg.grad(f))(jg.array(X))


@pytest.mark.skipif(not has_compiler(), reason="this build has no compiler")
def test_a_kernel_as_a_function_has_the_gradient_of_what_was_read(place):
    @qd.kernel
    def scale(x: qd.types.ndarray(), v: qd.types.ndarray(), y: qd.types.ndarray()):
        for i in x:
            y[i] = x[i] * x[i] * v[i]

    function = qd.function(scale, outputs="y")

    def f(x):
        y = function(x, place.array)
        place.write()
        return jg.sum(y)

    value, gradient = jg.value_and_grad(f)(jg.array(X))
    assert value.item() == pytest.approx((X * X * OLD).sum())
    close(gradient, 2 * X * OLD)


def test_autograd_of_torch_has_the_gradient_of_what_was_read(place):
    torch = pytest.importorskip("torch")
    from joggle.torch import function

    x = torch.tensor(X, requires_grad=True)
    y = function(lambda x: x * x * place.array)(x)
    place.write()
    y.sum().backward()
    close(x.grad.numpy(), 2 * X * OLD)


def test_what_is_pending_beside_a_trace_is_evaluated_once(place):
    """A pullback that is kept elsewhere changes nothing of what is no part of it."""
    _, pull = jg.vjp(lambda x: x * x, (jg.array(X),))
    total = jg.sum(place.array * 2)
    place.write()
    assert total.item() == 2 * OLD * SIZE
    close(pull(jg.ones(SIZE))[0], 2 * X)


def test_memory_of_versions_is_let_go():
    place = FieldPlace()

    def f(x):
        y = x * place.array
        place.write(OLD)
        return jg.sum(y)

    x = jg.array(X)
    np.asarray(jg.grad(f)(x))
    before = jg.get_active_memory()
    for _ in range(20):
        np.asarray(jg.grad(f)(x))
    assert jg.get_active_memory() == before
