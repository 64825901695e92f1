# SPDX-License-Identifier: Apache-2.0
"""kernel.grad: each construct of kernels against torch's autograd of the same function."""

import numpy as np
import pytest
import torch

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def fields(*shape, dtype=None):
    """Two fields with gradients, the first of random numbers."""
    x = qd.field(dtype or qd.f64, shape, needs_grad=True)
    y = qd.field(dtype or qd.f64, shape, needs_grad=True)
    x.from_numpy(np.random.default_rng(1).uniform(0.2, 1.5, shape).astype(x.dtype.name))
    return x, y


def check(kernel, x, y, reference, rtol=1e-12):
    """The gradient of a random functional of y, against torch's."""
    weights = np.random.default_rng(2).normal(size=y.shape).astype(y.dtype.name)
    kernel()
    y.grad.from_numpy(weights)
    kernel.grad()
    t = torch.tensor(x.to_numpy(), requires_grad=True)
    expected = reference(t)
    np.testing.assert_allclose(y.to_numpy(), expected.detach().numpy(), rtol=rtol)
    expected.backward(torch.tensor(weights))
    np.testing.assert_allclose(x.grad.to_numpy(), t.grad.numpy(), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype", [qd.f32, qd.f64])
def test_straight_lines_have_the_gradient_of_their_formula(dtype):
    x, y = fields(3, 4, dtype=dtype)

    @qd.kernel
    def run():
        for i, j in x:
            a = qd.sin(x[i, j]) * x[i, j]
            y[i, j] = qd.exp(a) / (1.0 + a * a)

    def reference(t):
        a = torch.sin(t) * t
        return torch.exp(a) / (1 + a * a)

    check(run, x, y, reference, 1e-5 if dtype is qd.f32 else 1e-12)


def test_variables_that_loops_carry_are_kept():
    x, y = fields(5)

    @qd.kernel
    def run():
        for i in x:
            s = qd.f64(1.0)
            for _k in range(i + 2):
                s = qd.sin(s) * x[i] + s
            y[i] = s

    def reference(t):
        out = []
        for i in range(5):
            s = torch.tensor(1.0, dtype=torch.float64)
            for _ in range(i + 2):
                s = torch.sin(s) * t[i] + s
            out.append(s)
        return torch.stack(out)

    check(run, x, y, reference)


def test_loops_that_are_left_early_are_reversed_as_far_as_they_went():
    x, y = fields(6)

    @qd.kernel
    def run():
        for i in x:
            s = x[i]
            n = 0
            while s < 4.0:
                n += 1
                if n == 3:
                    continue
                if n > 7:
                    break
                s = s * s + x[i]
            y[i] = s * x[i]

    def reference(t):
        out = []
        for i in range(6):
            s, n = t[i], 0
            while s < 4.0:
                n += 1
                if n == 3:
                    continue
                if n > 7:
                    break
                s = s * s + t[i]
            out.append(s * t[i])
        return torch.stack(out)

    check(run, x, y, reference)


def test_branches_are_those_that_were_taken():
    x, y = fields(8)

    @qd.kernel
    def run():
        for i in x:
            v = x[i]
            if v > 1.0:
                v = v * v
            elif i % 2 == 0:
                v = qd.sqrt(v)
            else:
                v = v * 3.0
            y[i] = v if v > 0.7 else -v

    def reference(t):
        out = []
        for i in range(8):
            v = t[i]
            v = v * v if v > 1 else torch.sqrt(v) if i % 2 == 0 else v * 3
            out.append(v if v > 0.7 else -v)
        return torch.stack(out)

    check(run, x, y, reference)


def test_what_iterations_add_to_one_element_is_summed():
    x, y = fields(7)

    @qd.kernel
    def run():
        for i in x:
            y[0] += x[i] * x[i]
            qd.atomic_add(y[i // 2], qd.cos(x[(i + 3) % 7]))

    def reference(t):
        y = [torch.zeros((), dtype=torch.float64) for _ in range(7)]
        for i in range(7):
            y[0] = y[0] + t[i] * t[i]
            y[i // 2] = y[i // 2] + torch.cos(t[(i + 3) % 7])
        return torch.stack(y)

    check(run, x, y, reference)


def test_variables_of_the_serial_code_carry_between_loops():
    x, y = fields(6)

    @qd.kernel
    def run():
        s = qd.f64(0.0)
        for i in x:
            s += x[i] * x[i]
        m = qd.sqrt(s)
        for i in x:
            y[i] = x[i] / m

    check(run, x, y, lambda t: t / torch.sqrt((t * t).sum()))


def test_time_steps_in_one_array_chain():
    x, y = fields(5, 4)
    first = x.to_numpy()

    @qd.kernel
    def run():
        for j in range(4):
            y[0, j] = x[0, j]
        qd.loop_config(serialize=True)
        for t in range(1, 5):
            for j in range(4):
                y[t, j] = y[t - 1, j] * qd.sin(x[t, j]) + y[t - 1, (j + 1) % 4]

    def reference(t):
        rows = [t[0]]
        for i in range(1, 5):
            rows.append(rows[-1] * torch.sin(t[i]) + torch.roll(rows[-1], -1))
        return torch.stack(rows)

    weights = np.random.default_rng(2).normal(size=(5, 4))
    run()
    y.grad.from_numpy(weights)
    run.grad()
    t = torch.tensor(first, requires_grad=True)
    reference(t).backward(torch.tensor(weights))
    np.testing.assert_allclose(x.grad.to_numpy(), t.grad.numpy(), rtol=1e-12)


def test_casts_between_floats_carry_and_integers_do_not():
    x, y = fields(4)

    @qd.kernel
    def run():
        for i in x:
            near = qd.cast(x[i], qd.f32)
            whole = int(x[i] * 3.0)
            y[i] = qd.cast(near, qd.f64) * whole

    check(run, x, y, lambda t: t.float().double() * (t * 3).floor().detach())


def test_minimum_and_maximum_pass_on_to_the_one_that_is_taken():
    x, y = fields(6)

    @qd.kernel
    def run():
        for i in x:
            y[i] = qd.max(x[i], 0.6) * qd.min(x[i], 1.1) + abs(x[i] - 0.9)

    def reference(t):
        return torch.clamp(t, min=0.6) * torch.clamp(t, max=1.1) + torch.abs(t - 0.9)

    check(run, x, y, reference)


def test_a_store_takes_the_gradient_of_what_it_overwrites_away():
    x, y = fields(3)

    @qd.kernel
    def run():
        for i in x:
            y[i] = 2.0 * x[i]
            y[i] = 3.0 * x[i]

    y.grad.fill(1)
    run()
    run.grad()
    assert x.grad.to_numpy().tolist() == [3.0] * 3
    assert y.grad.to_numpy().tolist() == [0.0] * 3


def test_gradients_add_up_over_calls():
    x, y = fields(3)

    @qd.kernel
    def run():
        for i in x:
            y[i] += 2.0 * x[i]

    y.grad.fill(1)
    run()
    run.grad()
    run.grad()
    assert x.grad.to_numpy().tolist() == [4.0] * 3


def test_ndarrays_and_torch_tensors_carry_their_gradients_with_them():
    @qd.kernel
    def run(x: qd.types.ndarray(), y: qd.types.ndarray(), k: float):
        for i in range(4):
            y[i] = k * x[i] * x[i]

    x, y = (qd.ndarray(qd.f32, 4, needs_grad=True) for _ in range(2))
    x.fill(3)
    run(x, y, 2.0)
    y.grad.fill(1)
    run.grad(x, y, 2.0)
    assert x.grad.to_numpy().tolist() == [12.0] * 4
    a, b = torch.full((4,), 3.0, requires_grad=True), torch.zeros(4, requires_grad=True)
    with torch.no_grad():
        run(a.detach(), b.detach(), 2.0)
    b.grad = torch.ones(4)
    run.grad(a, b, 2.0)
    assert a.grad.tolist() == [12.0] * 4
    run.grad(np.ones(4, np.float32), np.ones(4, np.float32), 1.0)


def test_structs_vectors_and_methods_are_derived():
    body = qd.types.struct(pos=qd.types.vector(2, qd.f64), mass=qd.f64)
    bodies = body.field(shape=4, needs_grad=True)
    loss = qd.field(qd.f64, (), needs_grad=True)

    @qd.data_oriented
    class System:
        def __init__(self):
            self.scale = 2.0

        @qd.kernel
        def energy(self):
            for i in bodies:
                p = bodies[i].pos
                loss[None] += self.scale * bodies[i].mass * p.dot(p)

    random = np.random.default_rng(0)
    pos, mass = random.normal(size=(4, 2)), random.uniform(1, 2, 4)
    bodies.pos.from_numpy(pos)
    bodies.mass.from_numpy(mass)
    system = System()
    system.energy()
    loss.grad[None] = 1.0
    system.energy.grad()
    np.testing.assert_allclose(bodies.grad.pos.to_numpy(), 4 * mass[:, None] * pos)
    np.testing.assert_allclose(bodies.mass.grad.to_numpy(), 2 * (pos**2).sum(1))


def test_many_iterations_on_many_threads_give_the_same_sums(tier):
    n = 40 if tier == "reference" else 100_000
    x, y = fields(n)
    loss = qd.field(qd.f64, (), needs_grad=True)

    @qd.kernel
    def run():
        for i in x:
            s = qd.f64(1.0)
            for _ in range(i % 7 + 1):
                s = qd.sin(s) * x[i] + s
            y[i] = s
            loss[None] += s * x[(i * 31) % n]

    run()
    y.grad.fill(1)
    loss.grad[None] = 0.5
    run.grad()
    t, place = torch.tensor(x.to_numpy(), requires_grad=True), torch.arange(n)
    s = torch.ones(n, dtype=torch.float64)
    for turn in range(7):
        s = torch.where(turn <= place % 7, torch.sin(s) * t + s, s)
    (s.sum() + 0.5 * (s * t[(place * 31) % n]).sum()).backward()
    np.testing.assert_allclose(x.grad.to_numpy(), t.grad.numpy(), rtol=1e-11)


def test_elements_that_a_loop_never_reads_are_not_touched():
    x, y = fields(4)

    @qd.kernel
    def run():
        for i in x:
            s = qd.f64(0.0)
            for k in range(i - 2):
                s += x[i - 3 + k] * x[i + 4 * (i % 2 == 0)]
            y[i] = s

    check(run, x, y, lambda t: torch.stack([0 * t[0], 0 * t[0], 0 * t[0], t[0] * t[3]]))


def test_neighbours_in_a_grid_give_to_each_other():
    x, y = fields(6, 7)
    w, z = fields(6, 7)
    loss = qd.field(qd.f64, (), needs_grad=True)

    @qd.kernel
    def run():
        scale = x[0, 0] * 2.0
        for i, j in x:
            if i > 0 and i < 5 and j > 0 and j < 6:
                a = x[i - 1, j] * w[i, j + 1] + qd.sin(x[i + 1, j]) * w[i, j]
                if a > 1.0:
                    a = a * scale
                y[i, j] = a * x[i, j] - w[i, j + 1]
                z[i, j] += a * w[i, j] + x[i, j]
                loss[None] += a * x[i, j - 1]

    random = np.random.default_rng(4)
    weights, others = random.normal(size=(2, 6, 7))
    y.grad.from_numpy(weights)
    z.grad.from_numpy(others)
    loss.grad[None] = 0.7
    run()
    run.grad()
    t, u = (torch.tensor(f.to_numpy(), requires_grad=True) for f in (x, w))
    inner = slice(1, -1)
    a = t[:-2, inner] * u[inner, 2:] + torch.sin(t[2:, inner]) * u[inner, inner]
    a = torch.where(a > 1, a * (2 * t[0, 0]), a)
    wy, wz = (torch.tensor(v)[inner, inner] for v in (weights, others))
    total = (wy * (a * t[inner, inner] - u[inner, 2:])).sum()
    total = total + (wz * (a * u[inner, inner] + t[inner, inner])).sum()
    (total + 0.7 * (a * t[inner, :-2]).sum()).backward()
    np.testing.assert_allclose(x.grad.to_numpy(), t.grad.numpy(), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(w.grad.to_numpy(), u.grad.numpy(), rtol=1e-12, atol=1e-13)
    left = y.grad.to_numpy()
    assert not left[inner, inner].any() and left[0].tolist() == weights[0].tolist()
    np.testing.assert_array_equal(z.grad.to_numpy(), others)


def test_an_element_that_a_serial_loop_overwrites_by_an_index_computed_anew_is_refused():
    x, y = fields(4)

    @qd.kernel
    def kernel(first: qd.i32):
        for i in range(4):
            for _ in range(3):
                y[i - first] = y[i - first] * x[i] + x[i]

    kernel(0)
    with pytest.raises(NotImplementedError, match="the kernel overwrites it"):
        kernel.grad(0)
