# SPDX-License-Identifier: Apache-2.0
"""Kernels of which only the data tell whether kernel.grad is right: it agrees with finite
differences, or is refused by the names of the field and the line."""

import inspect

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

COUNT = 6
SAME = [0, 1, 2, 3, 4, 5]
TURNED = [2, 0, 1, 5, 3, 4]
TWICE = [0, 1, 2, 2, 4, 5]


class World:
    """Fields that kernels work on; x is what gradients are by, and the rest is set anew."""

    def __init__(self):
        self.x, self.y, self.z = (qd.field(qd.f64, COUNT, needs_grad=True) for _ in range(3))
        self.total = qd.field(qd.f64, (), needs_grad=True)
        self.index, self.other = (qd.field(qd.i32, COUNT) for _ in range(2))

    def run(self, kernel, x, index, *arguments):
        self.x.from_numpy(x)
        self.y.from_numpy(np.linspace(0.5, 1.5, COUNT))
        self.z.fill(0)
        self.index.from_numpy(np.array(index, np.int32))
        self.other.fill(0)
        self.total[None] = 0
        kernel(*arguments)
        weights = np.cos(np.arange(COUNT))
        sums = [weights @ f.to_numpy() for f in (self.y, self.z)]
        return sums[0] + 2 * sums[1] + 3 * self.total[None]

    def gradient(self, kernel, x, index, *arguments):
        self.run(kernel, x, index, *arguments)
        for field in (self.x, self.y, self.z, self.total):
            field.grad.fill(0)
        self.y.grad.from_numpy(np.cos(np.arange(COUNT)))
        self.z.grad.from_numpy(2 * np.cos(np.arange(COUNT)))
        self.total.grad[None] = 3
        kernel.grad(*arguments)
        return self.x.grad.to_numpy()

    def check(self, kernel, index, *arguments):
        """The gradient against central differences."""
        x, step = np.linspace(0.3, 1.1, COUNT), 1e-6
        found = self.gradient(kernel, x, index, *arguments)
        for i, e in enumerate(step * np.eye(COUNT)):
            sides = [self.run(kernel, x + d, index, *arguments) for d in (e, -e)]
            expected = (sides[0] - sides[1]) / (2 * step)
            np.testing.assert_allclose(found[i], expected, rtol=1e-7, atol=1e-8)

    def refuse(self, kernel, index, message, *arguments):
        with pytest.raises(NotImplementedError, match=message):
            self.gradient(kernel, np.linspace(0.3, 1.1, COUNT), index, *arguments)


@pytest.fixture
def world():
    return World()


def line_of(kernel, text):
    lines, first = inspect.getsourcelines(kernel.function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def overwrites(name, kernel, read, write):
    """The message of a check: the line that reads and the one that writes."""
    return (
        f"^{__file__}: .*derivative of kernel .*: line {line_of(kernel, write)}: .*an element of "
        f"{name} that the derivative needs, as line {line_of(kernel, read)} reads it; write to"
    )


def test_an_element_overwritten_under_a_condition_is_refused_where_that_happens(world):
    x, y, index = world.x, world.y, world.index

    @qd.kernel
    def run(limit: qd.f64):
        for i in x:
            if x[i] > limit:
                y[i] = y[i] * x[i] + index[i]

    world.refuse(run, SAME, "line [0-9]+: load: the derivative needs the element of y", 0.5)

    @qd.kernel
    def later(limit: qd.f64):
        for i in x:
            world.total[None] += y[i] * x[i]  # reads
        for i in x:
            if x[i] > limit:
                y[i] = x[i]  # writes

    world.check(later, SAME, 2.0)
    world.refuse(later, SAME, overwrites("y", later, "# reads", "# writes"), 0.5)


def test_a_condition_that_no_read_element_meets_is_no_obstacle(world):
    x, y, z = world.x, world.y, world.z

    @qd.kernel
    def run():
        for i in x:
            if i % 2 == 0:
                z[i] += y[i] * y[i] * x[i]
        for i in x:
            if i % 2 == 1:
                y[i] = x[i] * x[i]

    world.check(run, SAME)


def test_an_element_that_a_while_loop_overwrites_is_refused(world):
    x, y, other = world.x, world.y, world.other

    @qd.kernel
    def by_value():
        for i in x:
            while y[i] < 2.0:
                y[i] = y[i] + x[i]

    world.refuse(by_value, SAME, "line [0-9]+: load: the derivative needs the element of y")

    @qd.kernel
    def by_count():
        for i in x:
            while other[i] < 3:
                other[i] += 1
                world.z[i] += x[i] * x[i]

    world.refuse(by_count, SAME, "line [0-9]+: load: the derivative needs the element of other")

    @qd.kernel
    def by_local():
        for i in x:
            count = 0
            value = y[i]
            while value < 4.0:
                count += 1
                if count == 2:
                    continue
                if count > 5:
                    break
                value = value * value + x[i]
            world.z[i] = value * x[i]

    world.check(by_local, SAME)


def test_a_serial_loop_is_refused_where_it_overwrites_what_it_read(world):
    x, y, z, index = world.x, world.y, world.z, world.index

    @qd.kernel
    def run():
        qd.loop_config(serialize=True)
        for i in range(1, COUNT):
            z[i] = y[index[i]] * y[index[i]] * x[i]  # reads
            y[i] = x[i] * x[i]  # writes

    world.check(run, [0, 0, 1, 1, 2, 0])
    world.refuse(run, [0, 5, 1, 1, 2, 0], overwrites("y", run, "# reads", "# writes"))


def test_elements_that_are_linear_may_be_overwritten(world):
    x, y, z, index = world.x, world.y, world.z, world.index

    @qd.kernel
    def run():
        qd.loop_config(serialize=True)
        for i in range(COUNT):
            z[i] = 2.0 * y[index[i]] + x[i] * x[i]
            y[index[i]] = 3.0 * x[i]

    world.check(run, TWICE)


def test_stores_at_indices_from_memory_are_refused_where_two_meet(world):
    x, y, index = world.x, world.y, world.index

    @qd.kernel
    def run():
        for i in x:
            y[index[i]] = x[i] * x[i]  # writes

    @qd.kernel
    def in_order():
        qd.loop_config(serialize=True)
        for i in range(COUNT):
            y[index[i]] = x[i] * x[i]

    @qd.kernel
    def added():
        for i in x:
            y[index[i]] += x[i] * x[i]

    @qd.kernel
    def cleared():
        for i in x:
            y[index[i]] = 0.0
        for i in x:
            y[index[i]] += x[i] * x[i]

    @qd.kernel
    def cleared_beside_sums(last: int):
        for i in x:
            y[index[i]] += x[i] * x[i]
            if i > last:
                y[index[i]] = 0.0

    world.check(cleared_beside_sums, TWICE, COUNT)
    world.check(cleared_beside_sums, SAME, 3)
    for index_ in (SAME, TURNED):
        for kernel in (run, in_order, added, cleared):
            world.check(kernel, index_)
    for kernel in (in_order, added, cleared):
        world.check(kernel, TWICE)
    message = f"line {line_of(run, '# writes')}: store: two iterations .* one element of y"
    world.refuse(run, TWICE, message)


def test_reads_of_what_other_iterations_write_are_refused(world):
    x, y, z, index = world.x, world.y, world.z, world.index

    @qd.kernel
    def run():
        for i in x:
            y[i] = x[i] * x[i]
            z[i] += 2.0 * y[index[i]]

    world.check(run, SAME)
    world.refuse(run, TURNED, "line [0-9]+: .*: two iterations .* one element of y")

    @qd.kernel
    def sums():
        for i in x:
            y[index[i]] += x[i] * x[i]
            z[i] += 2.0 * y[i]

    world.check(sums, SAME)
    world.refuse(sums, TURNED, "line [0-9]+: .*: two iterations .* one element of y")


def test_iterations_that_read_what_others_wrote_are_refused(world):
    y = world.y

    @qd.kernel
    def run(stop: int):
        for i in range(COUNT - 1):
            if i < stop:
                y[i + 1] = 2.0 * y[i]

    world.check(run, SAME, 1)
    world.refuse(run, SAME, "line [0-9]+: .*: two iterations .* one element of y", 3)


def test_index_fields_that_the_kernel_writes_are_checked(world):
    x, y, z, index, other = world.x, world.y, world.z, world.index, world.other

    @qd.kernel
    def before():
        for i in x:
            other[i] = index[i]
        for i in x:
            z[i] = y[other[i]] * x[i]

    world.check(before, TURNED)

    @qd.kernel
    def own():
        for i in x:
            other[i] = index[i]
            z[i] = y[other[i]] * x[i]

    world.check(own, TURNED)

    @qd.kernel
    def afterwards():
        for i in x:
            z[i] = y[index[i]] * x[i]
        for i in x:
            index[i] = 0

    world.refuse(afterwards, SAME, "the derivative needs the element of index")

    @qd.kernel
    def elsewhere():
        qd.loop_config(serialize=True)
        for i in range(COUNT):
            z[i] = y[index[i]] * x[i]  # reads
            index[other[i]] = 3  # writes

    world.refuse(elsewhere, SAME, overwrites("index", elsewhere, "# reads", "# writes"))

    @qd.kernel
    def steers():
        qd.loop_config(serialize=True)
        for i in range(COUNT):
            z[i] = y[index[i]] * x[i]  # steers
            index[other[i]] = 3
            y[other[i]] = x[i]

    where = f"line {line_of(steers, '# steers')}: load: "
    world.refuse(steers, SAME, where + "the derivative needs the element of index .* decides what")


def test_breaks_and_continues_over_fields_are_checked(world):
    x, y, z, index = world.x, world.y, world.z, world.index

    @qd.kernel
    def run(limit: qd.f64):
        for i in x:
            for k in range(COUNT):
                if index[k] == i:
                    continue
                if y[k] > limit:
                    break
                z[i] += x[k] * y[k] * x[i]

    world.check(run, TURNED, 1.2)

    @qd.kernel
    def writes(limit: qd.f64):
        qd.loop_config(serialize=True)
        for i in range(COUNT - 1):
            if x[i] > limit:
                break
            z[i] = y[i] * x[i]
            y[index[i]] = x[i] + 1.0

    world.check(writes, SAME, 0.2)
    world.check(writes, [5] * COUNT, 0.6)
    world.check(writes, [1, 2, 3, 4, 5, 0], 9.0)
    world.refuse(writes, SAME, "an element of y that the derivative needs", 9.0)


def test_atomics_beside_sums_are_checked(world):
    x, y, index = world.x, world.y, world.index

    @qd.kernel
    def sums():
        for i in x:
            qd.atomic_add(y[index[i]], x[i] * x[i])
            qd.atomic_sub(y[0], x[i])

    world.check(sums, TWICE)

    @qd.kernel
    def most():
        for i in x:
            qd.atomic_max(y[index[i]], x[i])

    @qd.kernel
    def least():
        for i in x:
            qd.atomic_min(y[0], x[i])

    @qd.kernel
    def own():
        for i in x:
            y[i] = qd.max(y[i], x[i])

    world.refuse(most, SAME, "of atomics only add has a derivative, not maximum")
    world.refuse(least, SAME, "of atomics only add has a derivative, not minimum")
    world.refuse(own, SAME, "the derivative needs the element of y")

    @qd.kernel
    def local():
        for i in x:
            best = y[i]
            for k in range(COUNT):
                qd.atomic_max(best, x[k] * x[i])
            world.z[i] = best

    world.check(local, SAME)


def test_indices_and_bounds_that_are_computed_in_floats_are_checked(world):
    x, y, z = world.x, world.y, world.z

    @qd.kernel
    def bounds():
        for i in x:
            value = y[i]
            for k in range(int(x[i] * 3.7) + 1):
                value = value * value * 0.5 + x[i] * k
            z[i] = value

    world.check(bounds, SAME)

    @qd.kernel
    def indices():
        for i in x:
            parts = qd.Vector([0.0, 0.0, 0.0, 0.0], dt=qd.f64)
            for k in range(3):
                parts[int(x[i] * 3.3) % 4] += x[k] * x[i]
                parts[k] = parts[k] * parts[int(x[i] * 2.1) % 4]
            z[i] = parts[0] + 2 * parts[1] + 3 * parts[2] + 4 * parts[3]

    world.check(indices, SAME)

    @qd.kernel
    def steps():
        for i in x:
            time = 0.05
            value = y[i]
            while time < x[i]:
                time += 0.2
                value = value * x[i] + time
            z[i] = value

    world.check(steps, SAME)

    @qd.kernel
    def scattered():
        for i in x:
            y[int(x[i] * 5.2)] += x[i] * x[i]

    world.check(scattered, SAME)


def test_an_iteration_may_read_what_it_has_written_itself(world):
    x, y, z = world.x, world.y, world.z

    @qd.kernel
    def stored():
        for i in range(COUNT - 1):
            y[i] = x[i] * x[i + 1]
            z[i] = 3.0 * y[i] + x[i] * x[i + 1]

    @qd.kernel
    def added():
        for i in range(1, COUNT - 1):
            y[i] += x[i - 1] * x[i] * x[i + 1]
            z[i] += qd.sin(y[i])

    world.check(stored, SAME)
    world.check(added, SAME)


def test_indices_that_are_certainly_apart_need_no_check(world):
    from joggle import _core
    from joggle._kernel.derivatives import Form

    x, y, z = world.x, world.y, world.z

    @qd.kernel
    def triangle():
        qd.loop_config(serialize=True)
        for i in range(COUNT):
            for j in range(i):
                z[i] += y[j] * x[i]
            y[i] = x[i] * x[i]

    @qd.kernel
    def steps(t: int):
        y[t + 1] = y[t] * y[t] * x[t]

    @qd.kernel
    def pairs():
        for i in range(COUNT // 2):
            y[2 * i] = x[i] * x[i + 1]
            y[2 * i + 1] = x[i] * 2.0
            z[i] = y[2 * i] * y[2 * i + 1]

    @qd.kernel
    def backwards():
        qd.loop_config(serialize=True)
        for k in range(COUNT - 1):
            y[COUNT - 2 - k] = y[COUNT - 1 - k] * y[COUNT - 1 - k] * x[k]

    @qd.kernel
    def halves():
        for i in range(3):
            z[i] += y[i] * y[i] * x[i]
        for i in range(3, COUNT):
            y[i] = x[i]

    @qd.kernel
    def rows():
        for i in range(2):
            for k in range(3):
                y[3 * i + k] = x[3 * i + k] * x[i]

    for kernel in (triangle, steps, pairs, backwards, halves, rows):
        arguments = (2,) if kernel is steps else ()
        world.check(kernel, SAME, *arguments)
        form = Form(kernel, arguments)
        floats = tuple(
            int(dtype == "float64")
            for dtype, _ in form.launched(list(kernel.parameters.values()), arguments)[0]
        )
        assert _core._kernel_adjoint_check(form.text, floats) is None, kernel.__name__


def test_vectors_and_fields_in_blocks_are_checked():
    place = qd.Vector.field(2, qd.f64, 4, needs_grad=True)
    blocks = qd.field(qd.f64)
    qd.root.dense(qd.i, 3).dense(qd.i, 2).place(blocks)
    qd.root.lazy_grad()
    index = qd.field(qd.i32, 4)
    start = np.linspace(0.2, 0.9, 8).reshape(4, 2)

    @qd.kernel
    def run():
        for i in range(4):
            v = place[index[i]]
            blocks[index[i] + 1] += v.dot(v)
        for i in range(4):
            place[i][index[i] % 2] = 0.0  # in vectors
            if index[i] > 9:
                blocks[i] = blocks[i + 2] * blocks[i + 2]

    def gradient(values):
        index.from_numpy(np.array(values, np.int32))
        place.from_numpy(start)
        place.grad.fill(0)
        blocks.grad.fill(1)
        run()
        run.grad()
        return place.grad.to_numpy()

    with pytest.raises(NotImplementedError, match="overwrites an element of place"):
        gradient([0, 1, 2, 3])

    @qd.kernel
    def other():
        for i in range(2):
            v = place[index[i]]
            blocks[index[i] + 1] += v.dot(v)
        for i in range(2):
            place[index[i] + 2][0] = 0.0

    index.from_numpy(np.array([0, 1, 0, 0], np.int32))
    place.from_numpy(start)
    place.grad.fill(0)
    blocks.grad.fill(1)
    other()
    other.grad()
    np.testing.assert_allclose(place.grad.to_numpy()[:2], 2 * start[:2])
    index.from_numpy(np.array([0, 2, 0, 0], np.int32))
    with pytest.raises(NotImplementedError, match="overwrites an element of place"):
        other.grad()


@qd.kernel
def scatter(x: qd.types.ndarray(), index: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(x.shape[0]):
        y[index[i]] = x[i] * x[i]


def test_tensors_of_torch_and_functions_of_arrays_are_checked():
    import torch

    import joggle as jg
    import joggle.torch

    x = torch.tensor([1.0, 2, 3], requires_grad=True)
    function = joggle.torch.function(scatter, outputs={"y": "x"})
    function(x, torch.tensor([2, 0, 1], dtype=torch.int32)).sum().backward()
    assert x.grad.tolist() == [2, 4, 6]
    total = function(x, torch.tensor([2, 0, 2], dtype=torch.int32)).sum()
    with pytest.raises(NotImplementedError, match=r"two iterations .* one element of y"):
        total.backward()

    of_arrays = qd.function(scatter, outputs="y")
    y = jg.grad(lambda x, index: jg.sum(of_arrays(x, index)))
    x = jg.array([1.0, 2, 3])
    assert y(x, jg.array([2, 0, 1])).tolist() == [2, 4, 6]
    with pytest.raises(NotImplementedError, match=r"two iterations .* one element of y"):
        jg.eval(y(x, jg.array([2, 0, 2])))


def test_a_tape_refuses_what_the_data_refuse():
    x, y, total = (qd.field(qd.f64, n, needs_grad=True) for n in (3, 3, ()))
    index = qd.field(qd.i32, 3)

    @qd.kernel
    def run():
        for i in x:
            y[index[i]] = x[i]
        for i in x:
            total[None] += y[i] * y[i]

    x.fill(2.0)
    index.from_numpy(np.array([1, 2, 0], np.int32))
    with qd.ad.Tape(total):
        run()
    assert x.grad.to_numpy().tolist() == [4.0] * 3
    index.fill(1)
    with pytest.raises(NotImplementedError, match="add with"), qd.ad.Tape(total):
        run()
