# SPDX-License-Identifier: Apache-2.0
"""Kernels on a device give what they give on the CPU.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error but where a test says so."""

import threading

import numpy as np
import pytest
from device_programs import DEVICE, both, check, numbers, start

import joggle as jg
import joggle.fields as qd


@pytest.fixture(autouse=True)
def ending(no_fallback):
    yield
    qd.reset()


def test_branches_inner_loops_and_functions_give_what_the_cpu_gives():
    def program():
        x = qd.field(qd.i32, shape=(37, 23))
        y = qd.field(qd.f64, shape=(37, 23))

        @qd.func
        def steps(n):
            count = 0
            while n > 1 and count < 200:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                count += 1
            return count

        @qd.kernel
        def collatz():
            for i, j in x:
                x[i, j] = steps(i * 23 + j + 1)
                total = 0.0
                for k in range(j, -1, -2):
                    if k % 3 == 1:
                        continue
                    if k > 17:
                        break
                    total += qd.sqrt(qd.f64(k)) * (1 if k % 2 else -1)
                for k in range(3):
                    for m in qd.static(range(2)):
                        total += k * m
                y[i, j] = total

        collatz()
        return x.to_numpy(), y.to_numpy()

    check(program, rtol=1e-15)


def test_vectors_matrices_and_structs_give_what_the_cpu_gives():
    def program():
        v = qd.Vector.field(3, qd.f32, shape=50)
        m = qd.Matrix.field(2, 2, qd.f64, shape=(5, 10))
        out = []
        for layout in (qd.Layout.AOS, qd.Layout.SOA):
            s = qd.Struct.field(
                {"p": qd.types.vector(2, qd.f32), "mass": qd.f64, "tag": qd.u8},
                shape=50,
                layout=layout,
            )

            @qd.kernel
            def run():
                for i in v:
                    v[i] = qd.Vector([i, i + 0.5, -i]).normalized() * 2
                for i, j in m:
                    m[i, j] = qd.Matrix([[i + 1, j], [j, i - 20.0]]).inverse()
                for i in s:  # noqa: B023
                    s[i].p = v[i].xy + s[i].p  # noqa: B023
                    s[i].mass += v[i].dot(v[i]) + m[i // 10, i % 10].trace()  # noqa: B023
                    s[i].tag = qd.u8(i * 7)  # noqa: B023

            s.p.from_numpy(numbers((50, 2)))
            s[3].mass = 5
            run()
            s[4].p.y = 9
            out += [v.to_numpy(), m.to_numpy(), *s.to_numpy().values()]
            out += [s[3].mass, s[4].p.to_list()]
        return out

    check(program, rtol=2e-6)


def test_atomics_of_integers_are_exact():
    def program():
        out = []
        for dtype in (qd.i32, qd.u32, qd.i64, qd.u64, qd.u8, qd.i16):
            h = qd.field(dtype, shape=8)
            low = qd.field(dtype, shape=())
            high = qd.field(dtype, shape=())
            bits = qd.field(dtype, shape=3)

            @qd.kernel
            def run():
                for i in range(5000):
                    h[(i * i) % 8] += 1  # noqa: B023
                    qd.atomic_min(low[None], -(i % 100) if i % 3 else 0)  # noqa: B023
                    qd.atomic_max(high[None], i % 120)  # noqa: B023
                    qd.atomic_or(bits[0], 1 << (i % 5))  # noqa: B023
                    qd.atomic_xor(bits[1], i)  # noqa: B023
                    qd.atomic_and(bits[2], 5)  # noqa: B023

            bits[2] = 7
            run()
            out += [x.to_numpy() for x in (h, low, high, bits)]
        return out

    check(program)


def test_atomics_give_what_was_there():
    start()
    count = qd.field(qd.i32, shape=())
    places = qd.field(qd.i32, shape=3000)
    won = qd.field(qd.i32, shape=16)
    last = qd.field(qd.i32, shape=())

    @qd.kernel
    def run():
        for i in range(3000):
            places[i] = qd.atomic_add(count[None], 1)
            if qd.atomic_cas(won[i % 16], 0, i + 1) == 0:
                qd.atomic_add(last[None], 1)

    run()
    assert count[None] == 3000
    assert (np.sort(places.to_numpy()) == np.arange(3000)).all()
    assert last[None] == 16
    assert ((won.to_numpy() - 1) % 16 == np.arange(16)).all()


def test_serial_parts_and_loops_share_sums_of_floats():
    def program():
        x = qd.field(qd.f32, shape=4000)
        total = qd.field(qd.f32, shape=())
        most = qd.field(qd.f64, shape=())
        n = qd.field(qd.i32, shape=())
        x.from_numpy(numbers(4000))

        @qd.kernel
        def run(a: qd.f32) -> qd.types.vector(3, qd.f64):
            s = 0.0
            bias = a * 2
            n[None] = 100
            for i in range(n[None] * 30):
                total[None] += x[i] * bias
                s += x[i]
                qd.atomic_max(most[None], qd.f64(x[i]))
            scaled = s * 2
            count = 0
            for i in x:
                if x[i] > a:
                    x[i] = scaled
                    count += 1
            return qd.Vector([s, scaled, count], qd.f64)

        return [run(1.5).to_list(), total[None], most[None], x.to_numpy()]

    check(program, rtol=2e-4, atol=1e-2)


def test_loops_run_over_ranges_of_every_kind():
    def program():
        x = qd.field(qd.i64, shape=(6, 7, 8))
        y = qd.field(qd.i32, shape=(10,), offset=(-5,))

        @qd.kernel
        def run(low: qd.i32, high: qd.i32):
            for i, j, k in qd.ndrange(6, (1, 7), (low, high)):
                x[i, j, k] += i * 100 + j * 10 + k
            for i in qd.grouped(y):
                y[i] = i[0] * 3
            for i in range(high, low):
                y[i] = 99
            for _i in range(1):
                for k in range(9, 0, -3):
                    y[0] += k

        run(2, 7)
        return x.to_numpy(), y.to_numpy(), [y[-5]]

    check(program)


def test_random_numbers_are_the_cpus():
    def program():
        x = qd.field(qd.f32, shape=(30, 40))
        y = qd.field(qd.f64, shape=10)
        z = qd.field(qd.i32, shape=10)
        h = qd.field(qd.f16, shape=10)

        @qd.kernel
        def run():
            for i in range(3):
                y[i] = 1
            a = qd.random(qd.f64)
            for i, j in x:
                x[i, j] = qd.random() + qd.random() * 4
            b = qd.random(qd.f64)
            for i in z:
                for _k in range(i):
                    z[i] ^= qd.random(qd.i32)
                h[i] = qd.random(qd.f16)
            y[0], y[1] = a, b

        run()
        run()
        return x.to_numpy(), y.to_numpy(), z.to_numpy(), h.to_numpy()

    check(program, random_seed=11)


def test_prints_come_in_order_and_whole(capfd):
    start()
    x = qd.field(qd.f32, shape=3)
    x.from_numpy(np.array([1, 2.5, -3], "f4"))

    @qd.kernel
    def run(n: qd.i32):
        print("begin", n)
        for i in range(20):
            print(f"at {i}: {x[i % 3]:.2f}", i > 4, qd.i64(-i))
        print("end")

    run(5)
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "begin 5"
    assert lines[-1] == "end"
    wanted = [f"at {i}: {[1, 2.5, -3][i % 3]:.2f} {int(i > 4)} {-i}" for i in range(20)]
    assert sorted(lines[1:-1]) == sorted(wanted)


def test_more_prints_than_there_is_room_for_are_an_error(capfd):
    start()
    x = qd.field(qd.i32, shape=50000)

    @qd.kernel
    def run():
        for i in x:
            x[i] = 1
            print(i)

    with pytest.raises(ValueError, match=r"print: got more words .* allowed are 65536"):
        run()
    assert x.to_numpy().sum() == 50000
    assert len(capfd.readouterr().out.splitlines()) == 32768


def failure(program):
    with pytest.raises((AssertionError, IndexError, ValueError)) as told:
        program()
    return type(told.value), str(told.value)


@pytest.mark.parametrize("case", ["assert", "index", "gather", "scatter", "vector", "overflow"])
def test_failures_are_those_of_the_cpu(case):
    def program():
        x = qd.field(qd.i32, shape=(5, 10), name="x")
        k = qd.field(qd.i32, shape=10)
        y = qd.field(qd.f32, shape=10)
        k[4] = -3

        @qd.kernel
        def run(n: qd.i32, f: qd.f32):
            for i in range(10):
                y[i] = 1
            if qd.static(case == "assert"):
                for i in range(3, 4):
                    assert i > n, f"only {i} of {n} at {f:.3f}"
            if qd.static(case == "index"):
                for i in range(n):
                    x[2, i] = i
            if qd.static(case == "gather"):
                for i in range(10):
                    y[i] = x[k[i], i]
            if qd.static(case == "scatter"):
                for i in range(10):
                    y[k[i]] += 1
            if qd.static(case == "vector"):
                for _i in range(1):
                    v = qd.Vector([1, 2, 3])
                    x[0, 0] = v[n]
            if qd.static(case == "overflow"):
                for _i in range(1):
                    x[0, 0] = n * 2147483
            for i in range(10):
                y[i] = 7

        def run_and_wait():
            run(30000, 2.5)
            qd.sync()

        told = failure(run_and_wait)
        return told, y[9]

    got, wanted = both(program, debug=True)
    assert got[0] == wanted[0]
    assert got[1] != 7  # no part after the one that failed has run
    assert got[1] == 1 or case in ("gather", "scatter")  # other iterations may write


def test_nothing_is_written_outside_by_default():
    start()
    x = qd.field(qd.i32, shape=10, name="x")
    y = qd.field(qd.i32, shape=10)
    k = qd.field(qd.i32, shape=10)
    k.fill(1 << 20)

    @qd.kernel
    def run():
        for i in y:
            y[k[i]] += 1

    with pytest.raises(IndexError, match=r"index 0 of y: got 1048576, allowed 0 to below 10"):
        run()
        qd.sync()
    assert not y.to_numpy().any()

    @qd.kernel
    def wraps(n: qd.i32):
        for i in range(10):
            x[i * n + i] = 1

    with pytest.raises(IndexError, match="x"):
        wraps(1 << 30)  # in 32 bits most of these would be 0 to 9
        qd.sync()
    assert x.to_numpy().sum() <= 1


def test_derivatives_are_those_of_the_host():
    def program():
        x = qd.field(qd.f64, shape=30, needs_grad=True)
        loss = qd.field(qd.f64, shape=(), needs_grad=True)
        x.from_numpy(np.linspace(0.1, 2, 30))

        @qd.kernel
        def run():
            for i in x:
                y = qd.sin(x[i]) * x[i]
                if x[i] > 1:
                    y += qd.exp(-x[i])
                loss[None] += y * y

        loss.grad[None] = 1
        run()
        run.grad()
        return [loss[None], x.grad.to_numpy()]

    check(program, rtol=1e-12)


def test_a_tape_over_kernels_gives_the_gradients_of_the_cpu():
    def program():
        x = qd.field(qd.f32, shape=16, needs_grad=True)
        y = qd.field(qd.f32, shape=16, needs_grad=True)
        loss = qd.field(qd.f32, shape=(), needs_grad=True)
        x.from_numpy(np.linspace(-1, 1, 16, dtype="f4"))

        @qd.kernel
        def first():
            for i in x:
                y[i] = x[i] * x[i] * x[(i + 1) % 16]

        @qd.kernel
        def second():
            for i in y:
                loss[None] += y[i] ** 2

        with qd.ad.Tape(loss):
            first()
            second()
        return [loss[None], x.grad.to_numpy()]

    check(program, rtol=1e-5, atol=1e-7)


def loop_with_a_stack():
    x = qd.field(qd.f32, shape=8, needs_grad=True)
    y = qd.field(qd.f32, shape=8, needs_grad=True)
    x.from_numpy(np.linspace(0.5, 1, 8, dtype="f4"))

    @qd.kernel
    def run():
        for i in x:
            v = x[i]
            for _k in range(5):
                v = v * v + 0.1
            y[i] = v

    run()
    y.grad.fill(1)
    run.grad()
    return [y.to_numpy(), x.grad.to_numpy()]


def test_what_the_device_cannot_run_the_host_runs(capfd):
    jg.set_option("device_fallback", "host")
    check(loop_with_a_stack, rtol=1e-5)
    jg.set_option("device_fallback", "warn")
    start()
    loop_with_a_stack()
    told = capfd.readouterr().err
    assert told.count("runs on the host for " + DEVICE) == 1
    assert "stacks" in told
    jg.set_option("device_fallback", "error")
    start()
    with pytest.raises(NotImplementedError, match="devices have no stacks"):
        loop_with_a_stack()


def chained(count, each):
    """A kernel over so many fields, of which each loop takes some."""
    fields = [qd.field(qd.i32, shape=5) for _ in range(count)]

    @qd.kernel
    def run():
        for first in qd.static(range(0, count - 1, each)):
            for i in range(5):
                for k in qd.static(range(first, min(first + each, count - 1))):
                    fields[k + 1][i] = fields[k][i] + i + k

    run()
    return [x.to_numpy() for x in fields]


@pytest.mark.parametrize(("count", "each"), [(40, 39), (126, 125), (150, 60)])
def test_a_kernel_takes_many_arrays(count, each):
    check(lambda: chained(count, each))


def test_more_arrays_than_a_loop_on_the_device_has_run_on_the_host():
    jg.set_option("device_fallback", "host")
    check(lambda: chained(130, 129))
    jg.set_option("device_fallback", "error")
    start()
    with pytest.raises(NotImplementedError, match="130 arrays in one loop"):
        chained(130, 129)


def test_integers_of_every_dtype_give_what_the_cpu_gives():
    def program():
        out = []
        for dtype in (qd.i8, qd.u8, qd.i16, qd.u16, qd.i32, qd.u32, qd.i64, qd.u64):
            x = qd.field(dtype, shape=64)
            y = qd.field(dtype, shape=(64, 8))
            x.from_numpy((np.arange(64) * 37 % 100).astype(dtype.name))

            @qd.kernel
            def run():
                for i in x:  # noqa: B023
                    a, b = x[i], x[(i + 9) % 64]  # noqa: B023
                    y[i, 0] = a * b + a  # noqa: B023
                    y[i, 1] = a // (b - 50)  # noqa: B023
                    y[i, 2] = a % (b - 50)  # noqa: B023
                    y[i, 3] = (a << 3) ^ (b >> 1) | (a & ~b)  # noqa: B023
                    y[i, 4] = qd.raw_div(a, b) + qd.raw_mod(a - 40, b + 1)  # noqa: B023
                    y[i, 5] = qd.popcnt(a) + qd.clz(b)  # noqa: B023
                    y[i, 6] = max(a, b) - min(a, b) + abs(a)  # noqa: B023
                    y[i, 7] = qd.cast(qd.f32(a) / 3, dtype)  # noqa: B023

            run()
            out.append(y.to_numpy())
        return out

    check(program)


def test_halves_are_those_of_the_host():
    def program():
        out = []
        for dtype in (qd.f16, qd.bf16):
            x = qd.field(dtype, shape=50)
            total = qd.field(dtype, shape=())
            x.from_numpy(numbers(50))

            @qd.kernel
            def run():
                for i in x:  # noqa: B023
                    a = x[i] * x[i] + qd.cast(1, dtype)  # noqa: B023
                    x[i] = qd.sqrt(a) if a > 3 else -a  # noqa: B023
                for i in range(4):
                    total[None] += x[i]  # noqa: B023

            run()
            out += [x.to_numpy().astype("f4"), total.to_numpy().astype("f4")]
        return out

    check(program, rtol=2e-2)


def test_functions_of_reals_have_the_cpus_values():
    names = "sin cos tan asin acos atan sinh cosh tanh exp log log2 sqrt rsqrt floor ceil round abs"

    def program():
        x = qd.field(qd.f32, shape=200)
        y = qd.field(qd.f32, shape=(200, 20))
        z = qd.field(qd.f64, shape=(200, 20))
        x.from_numpy(np.linspace(0.001, 0.999, 200, dtype="f4"))

        @qd.kernel
        def run():
            for i in x:
                for k, name in qd.static(list(enumerate(names.split()))):
                    y[i, k] = getattr(qd, name)(x[i])
                    z[i, k] = getattr(qd, name)(qd.f64(x[i]) * 0.9)
                y[i, 19] = qd.pow(x[i], 2.5) + qd.atan2(x[i], 0.3)

        run()
        return [y.to_numpy(), z.to_numpy()]

    check(program, rtol=2e-6)


def test_a_kernel_may_do_nothing_or_have_many_loops():
    def program():
        x = qd.field(qd.i32, shape=40)
        seen = qd.field(qd.u64, shape=())

        @qd.kernel
        def nothing():
            for _i in x:
                pass

        @qd.kernel
        def run(n: qd.u64) -> tuple[qd.f32, qd.u64, qd.u1, qd.i8]:
            a = 0
            for k in qd.static(range(37)):
                for i in x:
                    x[i] += i * k
                a += x[k]
            seen[None] = n
            return a * 0.5, n - 1, a > 3, -5

        nothing()
        got = run(1 << 63)
        return [x.to_numpy(), list(map(float, got)), seen[None]]

    check(program)


def test_loops_have_many_ranges_and_wide_indices():
    def program():
        x = qd.field(qd.i32, shape=(2, 3, 2, 2, 3, 2))
        y = qd.field(qd.i64, shape=10)

        @qd.kernel
        def run(low: qd.i64, high: qd.i64):
            for i, j, k, m, n, o in x:
                x[i, j, k, m, n, o] = i + 10 * j + 100 * k + 1000 * m + 10000 * n + 100000 * o
            for i in range(low, high):
                for k in range(i, high, 4):
                    y[i - low] += k - low
                for k in range(high, i, qd.static(-3)):
                    y[i - low] -= k - low
            for i in range(qd.u8(250), qd.u8(255)):
                y[i - 250] += 1

        run((1 << 62) - 5, (1 << 62) + 5)
        return [x.to_numpy(), y.to_numpy()]

    check(program)


def test_threads_launch_at_once():
    start()
    fields = [qd.field(qd.i32, shape=500) for _ in range(4)]

    @qd.kernel
    def run(x: qd.template(), n: qd.i32):
        for i in x:
            x[i] += n

    def repeat(x):
        for n in range(25):
            run(x, n)

    threads = [threading.Thread(target=repeat, args=(x,)) for x in fields]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x in fields:
        assert (x.to_numpy() == 300).all()
