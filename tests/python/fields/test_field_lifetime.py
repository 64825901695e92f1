# SPDX-License-Identifier: Apache-2.0
"""init, reset and sync: fields that are lost, memory that is not."""

import gc

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd


def test_a_field_that_was_lost_raises_and_says_why():
    x = qd.field(qd.f32, shape=4, name="x")
    s = qd.Struct.field({"a": qd.i32}, shape=2)
    unplaced = qd.field(qd.f32)
    qd.reset()
    uses = [
        lambda: x[0],
        lambda: x.__setitem__(0, 1),
        lambda: x.fill(1),
        lambda: x.to_numpy(),
        lambda: x.to_torch(copy=False),
        lambda: x.from_numpy(np.zeros(4)),
        lambda: x.to_dlpack(),
        lambda: jg.asarray(x),
        lambda: s[0],
        lambda: s.a.fill(1),
        lambda: x.copy_from(x),
        lambda: qd.root.dense(qd.i, 3).place(unplaced) or unplaced[0],
    ]
    for use in uses:
        with pytest.raises((RuntimeError, ValueError), match=r"lost|has its place"):
            use()
    assert "x" in repr(x)
    assert str(x) == repr(x)


def test_init_loses_fields_too():
    x = qd.field(qd.f32, shape=4)
    qd.init(arch=qd.cpu)
    with pytest.raises(RuntimeError, match="lost"):
        x[0]


def test_views_outlive_the_field_and_the_reset():
    torch = pytest.importorskip("torch")
    x = qd.field(qd.f32, shape=100_000)
    x.fill(5)
    views = [x.to_numpy(copy=False), x.to_torch(copy=False), torch.from_dlpack(x.to_dlpack())]
    array = x.to_array(copy=False)
    pending = array + 1
    del x
    qd.reset()
    gc.collect()
    others = [qd.field(qd.f32, shape=100_000) for _ in range(4)]
    for other in others:
        other.fill(9)
    for view in views:
        assert (view == 5).all()
    views[0][:] = 6
    assert (views[1] == 6).all()
    assert (np.asarray(pending) == 7).all() or (np.asarray(pending) == 6).all()


def test_a_reset_gives_back_what_nobody_views():
    gc.collect()
    before = jg.get_active_memory()
    x = qd.field(qd.f32, shape=1 << 20)
    assert jg.get_active_memory() >= before + (4 << 20)
    qd.reset()
    assert jg.get_active_memory() <= before
    del x


def test_a_field_dropped_is_freed_at_once():
    gc.collect()
    before = jg.get_active_memory()
    s = qd.Struct.field({"a": qd.f32, "v": qd.types.vector(3, qd.f32)}, shape=100_000)
    del s
    assert jg.get_active_memory() <= before


def test_settings_of_init_hold_until_reset():
    from joggle.fields._init import config

    qd.init(arch="cpu", debug=True, random_seed=7, fast_math=False, log_level=qd.ERROR)
    assert config.debug
    assert config.random_seed == 7
    assert not config.fast_math
    qd.reset()
    assert not config.debug


def test_a_device_that_is_not_there_falls_back_with_a_warning():
    with pytest.warns(UserWarning, match="cuda"):
        qd.init(arch=qd.cuda)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        qd.init(colour=1)
    with pytest.raises(ValueError, match="default_fp: got int32"):
        qd.init(default_fp=qd.i32)
    with pytest.raises(TypeError, match="arch"):
        qd.init(arch=3)


def test_sync_waits_for_what_was_started():
    x = qd.field(qd.f32, shape=1 << 18)
    y = jg.asarray(x) + 1
    jg.async_eval(y)
    qd.sync()
    assert (np.asarray(y) == 1).all()


def test_init_starts_the_random_numbers_and_limits_the_threads():
    @qd.kernel
    def draw() -> qd.f32:
        return qd.random()

    before = jg.get_num_threads()
    qd.init(random_seed=5, cpu_max_num_threads=1)
    assert jg.get_num_threads() == 1
    first = [draw() for _ in range(3)]
    qd.init(random_seed=5)
    assert jg.get_num_threads() == before
    assert [draw() for _ in range(3)] == first
    qd.init(random_seed=6)
    assert [draw() for _ in range(3)] != first
    with pytest.raises(ValueError, match="cpu_max_num_threads: got 0"):
        qd.init(cpu_max_num_threads=0)
    x = qd.field(qd.i32, shape=2)
    with pytest.raises(ValueError, match="cpu_max_num_threads: got 2000000000"):
        qd.init(cpu_max_num_threads=2_000_000_000)
    assert x[0] == 0  # nothing was lost
    assert jg.get_num_threads() == before
    qd.init(random_seed=np.int64(5))
    assert [draw() for _ in range(3)] == first
