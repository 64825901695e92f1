# SPDX-License-Identifier: Apache-2.0
"""qd.profiler: how often kernels ran, and how long."""

import numpy as np
import pytest

import joggle.fields as qd


@pytest.fixture(autouse=True)
def init():
    qd.init(kernel_profiler=True)
    yield
    qd.init()


@qd.kernel
def short(x: qd.types.ndarray(ndim=1)):
    x[0] += 1


@qd.kernel
def long(x: qd.types.ndarray(ndim=1), n: qd.i32):
    for i in range(1):
        for k in range(n):
            x[i] = x[i] * 0.5 + k


def run():
    x = np.zeros(4, np.float32)
    for _ in range(3):
        short(x)
    long(x, 1_000_000)
    long(x, 10)
    return x


def test_runs_are_counted_and_timed():
    run()
    a, b = (qd.profiler.query_kernel_profiler_info(name) for name in ("short", "long"))
    assert (a.counter, b.counter) == (3, 2)
    assert 0 < a.min <= a.avg <= a.max and b.max > 0.5 > b.min
    assert abs(b.total - 2 * b.avg) < 1e-9
    total = qd.profiler.get_kernel_profiler_total_time()
    assert abs(1e3 * total - a.total - b.total) < 1e-6
    assert qd.profiler.query_kernel_profiler_info("other").counter == 0
    qd.profiler.clear_kernel_profiler_info()
    assert qd.profiler.get_kernel_profiler_total_time() == 0


def test_runs_are_printed_by_kernel_or_one_by_one(capsys):
    run()
    qd.profiler.print_kernel_profiler_info()
    head, first, second = capsys.readouterr().out.splitlines()
    assert "count" in head and first.split()[-1] == "long" and second.split()[-1] == "short"
    assert first.split()[2] == "2" and second.split()[2] == "3"
    qd.profiler.print_kernel_profiler_info("trace")
    names = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert names == ["kernel", "short", "short", "short", "long", "long"]
    with pytest.raises(ValueError, match="mode: got 'all', allowed are 'count' and 'trace'"):
        qd.profiler.print_kernel_profiler_info("all")


def test_runs_that_fail_and_tapes_count_too():
    loss, y = (qd.field(qd.f32, shape=(), needs_grad=True) for _ in range(2))

    @qd.kernel
    def square():
        loss[None] += y[None] * y[None]

    y[None] = 3
    with qd.ad.Tape(loss):
        square()
    assert y.grad[None] == 6
    square()
    assert qd.profiler.query_kernel_profiler_info("square").counter >= 1
    assert loss[None] == 18
    with pytest.raises(TypeError):
        short("no array")


def test_nothing_is_recorded_unless_asked_for():
    qd.init()
    run()
    with pytest.raises(RuntimeError, match="nothing is recorded, allowed after init"):
        qd.profiler.print_kernel_profiler_info()
    qd.init(kernel_profiler=True)
    assert qd.profiler.get_kernel_profiler_total_time() == 0
    with pytest.raises(AttributeError, match="print_scoped_profiler_info"):
        qd.profiler.print_scoped_profiler_info()
