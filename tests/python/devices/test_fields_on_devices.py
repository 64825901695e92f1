# SPDX-License-Identifier: Apache-2.0
"""Fields on a device: their memory, and who else reads and writes it.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's. Falling back
to the host is an error."""

import numpy as np
import pytest
from device_programs import ARCH, DEVICE, KIND, check, numbers, start

import joggle as jg
import joggle.fields as qd


@pytest.fixture(autouse=True)
def ending(no_fallback):
    yield
    qd.reset()


def test_a_field_lies_on_the_device_and_kernels_run_there():
    start()
    x = qd.field(qd.f32, shape=1000)
    y = qd.field(qd.f32, shape=1000)
    assert jg.asarray(x).device == DEVICE
    assert x.__dlpack_device__() == jg.asarray(x).__dlpack_device__()

    @qd.kernel
    def saxpy(a: qd.f32):
        for i in x:
            y[i] = a * x[i] + y[i]

    values = numbers(1000)
    x.from_numpy(values)
    y.fill(2)
    saxpy(3.0)
    np.testing.assert_allclose(y.to_numpy(), np.float32(3) * values + 2, rtol=1e-6, atol=1e-6)
    assert x[7] == values[7]
    x[7] = 4.5
    assert x[7] == 4.5
    saxpy(1.0)
    assert y[7] == np.float32(np.float32(3) * values[7] + 2) + np.float32(4.5)


def test_every_layout_holds_the_values_that_it_holds_on_the_host():
    def program():
        out = []
        for order in ("ij", "ji"):
            x = qd.field(qd.f32, shape=(8, 12), order=order)
            x.from_numpy(numbers((8, 12)))
            x[3, 4] = 7
            out.append(x)
        block = qd.root.dense(qd.ij, (2, 3)).dense(qd.ij, (4, 4))
        y, z = qd.field(qd.i32), qd.field(qd.f64)
        block.place(y, z)
        y.from_numpy(np.arange(96, dtype="i4").reshape(8, 12))

        @qd.kernel
        def run():
            for i, j in y:
                y[i, j] += i - j
                z[i, j] = out[0][i, j] + out[1][i, j] * 2

        run()
        z[7, 11] += 1
        w = qd.field(qd.f64, shape=(8, 12))
        w.copy_from(z)
        z.fill(3)
        return [out[1].to_numpy(), y.to_numpy(), z.to_numpy(), w.to_numpy(), [y[5, 6]]]

    check(program)


def test_arrays_of_the_host_are_copied_there_and_back():
    def program():
        x = qd.field(qd.f32, shape=20)
        x.from_numpy(np.arange(20, dtype="f4"))
        shared = np.zeros((4, 10), "f4")
        strided, reversed_ = shared[1:3, ::2], shared[3, ::-1]

        @qd.kernel
        def run(a: qd.types.ndarray(qd.f32, 2), b: qd.types.ndarray(qd.f32, 1), n: qd.i32):
            for i, j in a:
                a[i, j] += x[i * 5 + j] + n
            for i in b:
                b[i] -= x[i]

        run(strided, reversed_, 2)
        overlapping = np.arange(30, dtype="f4")
        run(overlapping[:10].reshape(2, 5), overlapping[5:15], 1)
        nd = qd.ndarray(qd.f32, 6)
        run(np.ones((1, 1), "f4"), nd, 0)
        return [shared, overlapping, nd.to_numpy()]

    check(program)


def test_joggles_arrays_are_read_in_place():
    start()
    x = qd.field(qd.f32, shape=100)
    a = jg.arange(100, dtype=jg.float32, device=DEVICE) * 2

    @qd.kernel
    def run(a: qd.types.ndarray(qd.f32, 1)):
        for i in x:
            x[i] = a[i] + 1

    run(a)
    assert (x.to_numpy() == np.arange(100) * 2 + 1).all()
    run(a[::-1])
    assert (x.to_numpy() == np.arange(100)[::-1] * 2 + 1).all()
    run(jg.arange(100, dtype=jg.float32))  # of the host
    assert (x.to_numpy() == np.arange(100) + 1).all()

    @qd.kernel
    def write(a: qd.types.ndarray(qd.f32, 1)):
        for i in a:
            a[i] = x[i]

    with pytest.raises(BufferError, match="arrays of joggle are values"):
        write(a)


def test_lazy_arrays_do_not_see_later_writes():
    start()
    x = qd.field(qd.f32, shape=50)
    x.fill(1)
    alias = jg.asarray(x)
    before = jg.sum(alias * 10)

    @qd.kernel
    def double():
        for i in x:
            x[i] *= 2

    double()
    assert before.item() == 500
    assert jg.sum(alias).item() == 100
    before = alias + 0
    x[3] = 9
    assert before[3].item() == 2
    before = alias + 0
    x.fill(5)
    assert before[3].item() == 9
    x.from_array(alias * 2)
    assert (x.to_numpy() == 10).all()


def test_what_a_device_cannot_do_is_refused():
    start()
    x = qd.field(qd.f32, shape=10)
    with pytest.raises(jg.CopyError, match="lies on"):
        x.to_numpy(copy=False)
    assert x.to_numpy(copy=None).shape == (10,)
    with pytest.raises(NotImplementedError, match="cells that need not exist"):
        qd.root.pointer(qd.i, 10).dense(qd.i, 4).place(qd.field(qd.f32))

    @qd.kernel
    def address() -> qd.u64:
        return qd.get_addr(x, 3)

    with pytest.raises(ValueError, match="get_addr: the field lies on"):
        address()


def test_kernels_over_the_hosts_memory_run_on_the_host():
    start()
    a = np.zeros(10, "i4")

    @qd.kernel
    def run(a: qd.types.ndarray(qd.i32, 1)) -> qd.i32:
        for i in a:
            a[i] = i
        return 5

    assert run(a) == 5
    assert (a == np.arange(10)).all()


def test_empty_and_scalar_fields_work_as_on_the_host():
    def program():
        x = qd.field(qd.f32, shape=0)
        y = qd.field(qd.f32, shape=())
        z = qd.field(qd.u1, shape=3)

        @qd.kernel
        def run(a: qd.types.ndarray(qd.f32, 1)):
            for i in x:
                x[i] = 1
            for i in a:
                y[None] += a[i]
            y[None] += 2
            z[1] = y[None] > 1

        run(np.zeros(0, "f4"))
        run(x)
        return [y.to_numpy(), z.to_numpy(), x.to_numpy()]

    check(program)


def test_an_array_over_a_field_outlives_a_reset():
    start()
    x = qd.field(qd.f32, shape=10)
    x.fill(3)
    alias = jg.asarray(x)
    qd.init(arch="cpu")
    assert jg.asarray(qd.field(qd.f32, shape=1)).device == "cpu"
    assert alias.device == DEVICE
    assert jg.sum(alias).item() == 30
    with pytest.raises(RuntimeError, match="lost"):
        x.to_numpy()


def test_init_and_the_environment_choose_the_arch(monkeypatch):
    start()
    assert qd.lang.misc.is_arch_supported(
        qd.Arch[ARCH] if hasattr(qd, "Arch") else getattr(qd, ARCH)
    )
    with pytest.warns(UserWarning, match="arch: no kernels on vulkan"):
        qd.init(arch=qd.vulkan)
    monkeypatch.setenv("JOGGLE_ARCH", ARCH)
    qd.init()
    assert jg.asarray(qd.field(qd.f32, shape=1)).device == DEVICE
    if KIND != "opencl":
        qd.init(arch=qd.gpu)
        assert jg.asarray(qd.field(qd.f32, shape=1)).device == "cuda:0"
    else:  # PoCL is a processor
        with pytest.warns(UserWarning, match="arch: no GPU: "):
            qd.init(arch=qd.gpu)
        with pytest.raises(RuntimeError, match=r"arch: no GPU: .* and enable_fallback is False"):
            qd.init(arch=qd.gpu, enable_fallback=False)


class Foreign:
    """A tensor of another library over memory of the device."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_tensors_of_the_device_are_taken_in_place():
    start()
    memory = qd.ndarray(qd.f32, 40)
    memory.from_numpy(np.arange(40, dtype="f4"))
    whole = Foreign(jg.asarray(memory))
    part = Foreign(jg.asarray(memory)[5:25:2])

    @qd.kernel
    def run(a: qd.types.ndarray(qd.f32, 1), b: qd.types.ndarray(qd.f32, 1)):
        for i in b:
            b[i] = a[i] * 100

    pending = jg.asarray(memory) + 0
    run(whole, part)
    wanted = np.arange(40, dtype="f4")
    assert (np.asarray(pending) == wanted).all()
    wanted[5:11:2] = [0, 100, 200]  # read where nothing is written
    got = memory.to_numpy()
    assert (got[:10] == wanted[:10]).all()
    assert (np.delete(got, range(5, 25, 2)) == np.delete(wanted, range(5, 25, 2))).all()


def test_parts_of_arrays_are_taken_in_place():
    def program():
        x = qd.ndarray(qd.i32, 10)

        @qd.kernel
        def run(v: qd.BufferView[qd.i32]):
            for i in range(v.size):
                v[i] += i + 1

        run(x[2:7])
        run(x[6:10])
        return [x.to_numpy(), x[2:7].to_numpy()]

    check(program)


def test_one_kernel_takes_memory_of_the_host_and_of_the_device():
    start()
    x = qd.field(qd.f32, shape=20)
    y = qd.ndarray(qd.f32, 20)

    @qd.kernel
    def run(a: qd.types.ndarray(qd.f32, 1), b: qd.types.ndarray(qd.f32, 1)):
        for i in b:
            b[i] += a[i] + 1

    host = np.arange(20, dtype="f4")
    run(host, x)
    run(x, host)
    run(x, y)
    assert (host == 2 * np.arange(20) + 2).all()
    assert (y.to_numpy() == np.arange(20) + 2).all()
    if jg.device_count(KIND) > 1:
        there = jg.zeros(20, device=f"{KIND}:1")
        with pytest.raises(BufferError, match=f"it lies on {KIND}:0 and array a on {KIND}:1"):
            run(there, x)
