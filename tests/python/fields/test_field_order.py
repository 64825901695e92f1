# SPDX-License-Identifier: Apache-2.0
"""Fields as joggle arrays: the same memory, and lazy reads that no later write reaches."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from build_parts import has_compiler

import joggle as jg
import joggle.fields as qd


def counted(size=4):
    x = qd.field(qd.f32, shape=size)
    x.from_numpy(np.arange(size))
    return x


def address(x):
    return np.asarray(x).__array_interface__["data"][0]


def test_an_array_over_a_field_is_its_memory():
    x = counted()
    for a in (jg.asarray(x), x.to_array(copy=False), x.to_array(copy=None), jg.from_dlpack(x)):
        x[1] = x[1] + 10
        assert np.asarray(a)[1] == x[1]
        assert address(a) == address(x.to_numpy(copy=False))
    snapshot = x.to_array()
    x[0] = 99
    assert np.asarray(snapshot)[0] == 0


WRITES = {
    "an element": lambda x: x.__setitem__(0, 50),
    "fill": lambda x: x.fill(7),
    "from_numpy": lambda x: x.from_numpy(np.ones(4)),
    "from_array": lambda x: x.from_array(jg.ones(4)),
    "copy_from": lambda x: x.copy_from(counted()),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_a_pending_read_sees_what_was_there_before_the_write(write):
    x = counted()
    x.fill(3)
    a = jg.asarray(x)
    double, total, through_view = a + a, jg.sum(a * a), a[::2] - 1
    write(x)
    assert np.asarray(double).tolist() == [6, 6, 6, 6]
    assert total.item() == 36
    assert np.asarray(through_view).tolist() == [2, 2]


def test_a_read_after_the_write_sees_it():
    x = counted()
    a = jg.asarray(x)
    before = a + 0
    x.fill(5)
    after = a + 0
    x.fill(6)
    assert np.asarray(before).tolist() == [0, 1, 2, 3]
    assert np.asarray(after).tolist() == [5, 5, 5, 5]


def test_a_read_under_way_on_a_stream_ends_first():
    x = qd.field(qd.f32, shape=1 << 20)
    x.fill(1)
    a = jg.asarray(x)
    for _ in range(10):
        y = a
        for _ in range(6):
            y = y + a
        jg.async_eval(y)
        x.fill(3)
        x.fill(1)
        assert (np.asarray(y) == 7).all()


def test_a_write_to_one_member_comes_after_reads_of_it():
    s = qd.Struct.field({"a": qd.f32, "b": qd.f32}, shape=3)
    s.fill(2)
    a, b = jg.asarray(s.a) + 1, jg.asarray(s.b) + 1
    s[1].a = 9
    s.b.fill(9)
    assert np.asarray(a).tolist() == [3, 3, 3]
    assert np.asarray(b).tolist() == [3, 3, 3]


def test_an_array_imported_through_another_framework_is_ordered_too():
    torch = pytest.importorskip("torch")
    x = counted()
    for alias in (x.to_torch(copy=False), x.to_numpy(copy=False), torch.from_dlpack(x)[1:]):
        total = jg.sum(jg.from_dlpack(alias))
        wanted = float(alias.sum())
        x.fill(77)
        assert total.item() == wanted
        x.from_numpy(np.arange(4))


def test_a_field_takes_a_lazy_value_of_itself():
    x = counted()
    a = jg.asarray(x)
    x.from_array(a * 2 + a[::-1])
    assert x.to_numpy().tolist() == [3, 4, 5, 6]


def test_values_that_were_dropped_are_not_computed():
    x = counted(1 << 16)
    a = jg.asarray(x)
    for _ in range(100):
        jg.sum(a * a)
    peak = jg.get_peak_memory()
    x.fill(1)
    assert jg.get_peak_memory() == peak


def test_an_array_is_a_value_that_writes_leave_the_field_alone():
    x = counted()
    a = jg.asarray(x)
    a[0] = 40
    a += 1
    assert x.to_numpy().tolist() == [0, 1, 2, 3]
    assert np.asarray(a).tolist() == [41, 2, 3, 4]


def test_threads_read_lazily_while_another_writes_the_same():
    x = qd.field(qd.f32, shape=1000)
    x.fill(1)
    a = jg.asarray(x)
    wrong = []

    def read():
        for _ in range(200):
            value = jg.sum(a + a).item()
            if value != 2000:
                wrong.append(value)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        x.fill(1)
    for thread in threads:
        thread.join()
    assert not wrong


_LAZY_READS = """
import numpy as np, torch
{before}
import joggle as jg
arrays = [np.ones(3, np.float32), torch.ones(3)]
sums = [jg.sum(jg.asarray(x) * 2) for x in arrays]
import joggle.fields as qd

@qd.kernel
def fill(x: qd.types.ndarray()):
    for i in x:
        x[i] = 9

for x in arrays:
    fill(x)
print([s.item() for s in sums])
"""


@pytest.mark.skipif(not has_compiler(), reason="this build has no compiler")
def test_the_first_kernel_comes_after_lazy_reads_of_what_it_writes(tmp_path):
    """The tensors were imported after joggle.fields, and before there was any kernel."""
    pytest.importorskip("torch")
    path = tmp_path / "first.py"
    path.write_text(_LAZY_READS.format(before="import joggle.fields"))
    run = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("[6.0, 6.0]\n", "")
