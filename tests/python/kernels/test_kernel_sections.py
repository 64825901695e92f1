# SPDX-License-Identifier: Apache-2.0
"""What programs for GPUs write around loops: sections, streams, graph loops, views of buffers."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def test_sections_are_part_of_the_kernel_and_their_loops_run_in_parallel():
    x, y = qd.field(qd.f32, 8), qd.field(qd.f32, 8)

    @qd.kernel(graph=True)
    def run():
        with qd.stream_parallel():
            for i in x:
                x[i] += 1
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in x:
                    x[i] *= 3
            with qd.graph.parallel():
                for i in y:
                    y[i] += i

    run()
    assert (x.to_numpy() == 3).all() and y.to_numpy().tolist() == list(range(8))
    assert run.lower()[0].count("parallel %") == 3


def test_other_context_managers_are_refused():
    def held(n: qd.template()):
        with qd.static(n):
            pass

    with pytest.raises(SyntaxError, match=r"the statement With .* allowed are stream_parallel"):
        qd.kernel(held).lower(1)


@pytest.mark.parametrize("start", [1, 4])
def test_a_do_while_loop_runs_once_and_again_while_its_flag_is_set(start):
    flag, x = qd.ndarray(qd.i32, ()), np.zeros(5, np.float32)
    flag.fill(start)

    @qd.kernel(graph=True)
    def run(flag: qd.types.ndarray(qd.i32, 0), x: qd.types.ndarray(qd.f32, 1)):
        while qd.graph.do_while(flag):
            for i in range(x.shape[0]):
                x[i] += i
            flag[None] -= 1

    run(flag, x)
    assert x.tolist() == [start * i for i in range(5)] and flag[None] == 0


def test_a_do_while_loop_takes_a_flag_and_no_continue():
    def number(n: int):
        while qd.graph.do_while(n):
            pass

    def goes_on(flag: qd.types.ndarray(qd.i32, 0)):
        while qd.graph.do_while(flag):
            if flag[None] > 2:
                continue

    with pytest.raises(TypeError, match="do_while: got a value of int32, allowed are 0-dim"):
        qd.kernel(number).lower(1)
    with pytest.raises(SyntaxError, match=r"continue in a graph\.do_while loop; use if instead"):
        qd.kernel(goes_on).lower(qd.ndarray(qd.i32, ()))


def test_streams_and_events_keep_the_order_of_the_calls():
    x = qd.field(qd.i32, 4)

    @qd.kernel
    def double_and_add(n: qd.i32):
        for i in x:
            x[i] = 2 * x[i] + n

    event = qd.create_event()
    with qd.create_stream() as stream:
        double_and_add(3, qd_stream=stream)
        event.record(stream)
        event.wait()
        double_and_add(1, qd_stream=None)
        stream.synchronize()
    event.synchronize()
    assert x.to_numpy().tolist() == [7] * 4
    with pytest.raises(TypeError, match=r"qd_stream: got 5, allowed are create_stream"):
        double_and_add(1, qd_stream=5)


@qd.kernel
def scale(v: qd.BufferView[qd.f32], by: qd.f32):
    for i in range(v.size):
        v[i] *= by


def test_a_view_is_a_part_of_the_memory():
    x = qd.ndarray(qd.f32, 8)
    x.fill(1)
    part = x[2:6]
    scale(part, 3)
    scale(part.subview(1, 2), 5)
    scale(part[3:], 7)
    assert x.to_numpy().tolist() == [1, 1, 3, 15, 15, 21, 1, 1]
    assert (part.offset, part.size, part.shape) == (2, 4, (4,)) and part.get_ndarray() is x
    assert part.to_numpy().tolist() == [3, 15, 15, 21]


def test_views_are_made_in_kernels_too():
    x = qd.ndarray(qd.i32, 10)

    @qd.kernel
    def fill(x: qd.types.ndarray(qd.i32, 1), v: qd.BufferView):
        w = qd.BufferView(x, 2, 6)
        u = w.subview(1, 4)[1:3]
        for i in range(u.shape[0]):
            u[i] = 10 + i
        for i in range(v.size):
            v[i] += 100

    fill(x, x[:2])
    assert x.to_numpy().tolist() == [100, 100, 0, 0, 10, 11, 0, 0, 0, 0]


def test_views_of_something_else_are_refused():
    x = qd.ndarray(qd.f32, 8)
    with pytest.raises(ValueError, match="arr: got offset 6 and size 3, allowed are 0 to 8"):
        qd.BufferView(x, 6, 3)
    with pytest.raises(ValueError, match="subview: got offset 1 and size 9"):
        x[2:5].subview(1, 9)
    with pytest.raises(TypeError, match="arr: got ScalarField, allowed are ndarrays"):
        qd.BufferView(qd.field(qd.f32, 4), 0, 2)
    with pytest.raises(TypeError, match="arr: got BufferView, allowed are ndarrays; take its subv"):
        qd.BufferView(x[:3], 0, 2)
    with pytest.raises(ValueError, match="slice: got step 2, allowed is 1"):
        x[::2]
    with pytest.raises(TypeError, match=r"\[scale\] v: got ScalarNdarray, allowed is a Buffer"):
        scale(x, 1)
    with pytest.raises(
        TypeError, match="argument v: got an array of int32, allowed is float32, as"
    ):
        scale(qd.ndarray(qd.i32, 8)[:2], 1)
    with pytest.raises(TypeError, match=r"slice\(1, 2.*slice what to_numpy\(copy=False\) gives"):
        qd.field(qd.f32, 4)[1:2]


def test_debug_mode_checks_the_bounds_of_views():
    qd.init(debug=True)
    x = qd.ndarray(qd.f32, 8)

    @qd.kernel
    def reach(v: qd.BufferView[qd.f32], i: int):
        v[i] = 1

    @qd.kernel
    def cut(v: qd.BufferView[qd.f32], offset: int):
        v.subview(offset, 3)[0] = 1

    with pytest.raises(IndexError, match="index 0 of v: got 3, allowed 0 to below 3"):
        reach(x[2:5], 3)
    with pytest.raises(IndexError, match="a part of v: got offset 2 and size 3, allowed are"):
        cut(x[2:6], 2)
