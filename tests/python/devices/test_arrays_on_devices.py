# SPDX-License-Identifier: Apache-2.0
"""Arrays on a device, as a person uses them: made, computed, looked at, handed over.

The device is one of OpenCL's; test_cuda.py runs this file again for the fake driver's."""

import inspect
import json
import os
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import tvm_ffi

import joggle as jg

DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
KIND = DEVICE.partition(":")[0]


@pytest.fixture
def on_device():
    """Arrays are on the device where none is named."""
    jg.set_default_device(DEVICE)
    yield DEVICE
    jg.set_default_device("cpu")


def numbers(shape=(4, 6), dtype="f4"):
    return np.random.default_rng(3).standard_normal(shape).astype(dtype)


def run(code, **environment):
    """What a process of its own prints, and how it ends. It names the device opencl:0."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code).replace("opencl:0", DEVICE)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


BESIDE = {
    "operators": lambda x, a: x * a(np.full(6, 2.0, "f4")) - a([1.0] * 6),
    "in place": lambda x, a: x.__iadd__(np.ones(6, "f4")),
    "where": lambda x, a: a.where(x > 2, 1.0, [0.0] * 6),
    "clip": lambda x, a: a.clip(x, [1.0] * 6, 4.0),
    "take": lambda x, a: a.take(x, [0, 1]),
    "insert": lambda x, a: a.insert(x, [1, 2], [5.0, 6.0]),
    "append": lambda x, a: a.append(x, [1.0]),
    "ediff1d": lambda x, a: a.ediff1d(x, to_end=[1.0]),
    "isin": lambda x, a: a.isin(x, [1, 2]),
    "digitize": lambda x, a: a.digitize(x, [1.0, 2.0]),
    "interp": lambda x, a: a.interp([0.5, 1.5], x, x),
    "convolve": lambda x, a: a.convolve(x, [1.0, 2.0]),
    "average": lambda x, a: a.average(x, weights=[1.0, 2, 3, 4, 5, 6]),
    "concat": lambda x, a: a.concat([x, [1.0]]),
    "matmul": lambda x, a: a.matmul(a.reshape(x, (2, 3)), [[1.0], [2.0], [3.0]]),
    "einsum": lambda x, a: a.einsum("i,i", x, [1.0] * 6),
    "compress": lambda x, a: a.compress([True, False, True], x),
    "setdiff1d": lambda x, a: a.setdiff1d(x, [1, 2]),
    "lexsort": lambda x, a: a.lexsort((x, [3, 1, 2, 6, 5, 4])),
    "bincount": lambda x, a: a.bincount(x.astype(a.int64), weights=[1.0] * 6),
    "histogram": lambda x, a: a.histogram(x, [0.0, 1.0, 2.0]),
    "edges": lambda x, a: a.histogram(x, bins=3)[1],
    "imaginary parts": lambda x, a: a.imag(x),
    "power of 0": lambda x, a: a.linalg.matrix_power(a.reshape(x[:4], (2, 2)), 0),
    "other shapes": lambda x, a: a.array_equal(x, x[:3]),
    "nothing to be among": lambda x, a: a.isin(x, a.zeros(0, dtype=a.float32)),
    "below the diagonal": lambda x, a: a.tril_indices_from(a.reshape(x[:4], (2, 2))),
}


@pytest.mark.parametrize("case", BESIDE)
def test_lists_and_numpys_arrays_go_to_the_device_of_the_array_beside_them(case):
    a = np.arange(6, dtype="f4")
    got = BESIDE[case](jg.asarray(a, device=DEVICE), jg_or_numpy(jg))
    expected = BESIDE[case](a.copy(), jg_or_numpy(np))
    got, expected = (each if isinstance(each, tuple) else (each,) for each in (got, expected))
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.device == DEVICE
        np.testing.assert_allclose(np.asarray(one.to_device("cpu")), other, rtol=1e-6)


def jg_or_numpy(module):
    """The module, which makes a list an array where it is called: NumPy's for both."""

    class Namespace:
        __getattr__ = staticmethod(lambda name: getattr(module, name))
        __call__ = staticmethod(np.asarray)

    return Namespace()


def test_what_was_asked_for_on_the_host_stays_there():
    x = jg.asarray(numbers(), device=DEVICE)
    assert (x + (jg.asarray([1.0] * 6) + 0)).device == DEVICE  # made of a list alone
    assert (x + jg.asarray(numbers())).device == DEVICE
    on_host = [jg.from_dlpack(numbers()), jg.zeros((4, 6), device="cpu")]
    on_host += [jg.asarray(numbers(), device="cpu"), jg.eye(4, 6, device="cpu")]
    on_host += [jg.asarray(numbers().tolist(), device="cpu")]
    for other in on_host:
        with pytest.raises(ValueError, match="allowed is one device"):
            x + other


def test_lists_stay_with_arrays_on_the_host_beside_another_default(on_device):
    x = jg.asarray(numbers(), device="cpu")
    assert jg.add(x, [1.0] * 6).device == "cpu"
    assert (x + np.ones(6, "f4")).device == "cpu"
    assert jg.asarray([1.0, 2.0]).device == on_device
    np.testing.assert_allclose(jg.take(x, [1, 0], axis=0).tolist(), numbers()[[1, 0]].tolist())


def test_lists_and_numpys_arrays_index_what_is_on_another_device_than_the_default():
    a = numbers()
    x = jg.asarray(a, device=DEVICE)
    rows = np.array([1, 0, 3])
    for key in ([0, 2], rows, ([0, 1], [2, 3]), np.array([True, False, True, False])):
        got = x[key]
        assert got.device == DEVICE
        np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), a[key])
    b = a.copy()
    b[[0, 2]] = 7
    np.testing.assert_array_equal(x.at[[0, 2]].set(7.0).tolist(), b.tolist())
    x[[0, 2]] = 7
    np.testing.assert_array_equal(x.tolist(), b.tolist())


def test_jacobians_and_hessians_lie_on_the_device_of_their_argument():
    x = jg.asarray(np.array([1, 2, 3], "f4"), device=DEVICE)
    square = jg.hessian(lambda t: jg.sum(t**3))(x)
    assert square.device == DEVICE
    assert square.tolist() == np.diag([6, 12, 18]).tolist()
    for jacobian in (jg.jacfwd, jg.jacrev):
        assert jacobian(lambda t: t * t)(x).tolist() == np.diag([2, 4, 6]).tolist()


MADE = {
    "arange": (3,),
    "asanyarray": ([1, 2],),
    "asarray": ([1, 2],),
    "astype": (jg.ones(3), jg.int32),
    "empty": ((2,),),
    "empty_like": (jg.ones(3),),
    "eye": (3,),
    "fft.fftfreq": (4,),
    "fft.rfftfreq": (4,),
    "from_dlpack": (jg.ones(3),),
    "fromiter": ([1, 2],),
    "full": ((2,), 1),
    "full_like": (jg.ones(3), 1),
    "geomspace": (1, 8, 4),
    "identity": (3,),
    "linspace": (0, 1, 3),
    "logspace": (0, 1, 3),
    "ones": ((2,),),
    "ones_like": (jg.ones(3),),
    "tri": (3,),
    "zeros": ((2,),),
    "zeros_like": (jg.ones(3),),
}


# What takes a device and makes no array.
OTHERS = re.compile(
    "clear_cache|device_count|is_available|set_default_device|.*(_memory|_limit|stream)"
)


def takes_device(function):
    try:
        return "device" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def test_every_function_that_takes_a_device_puts_what_it_makes_there():
    functions = {
        prefix + name: getattr(module, name)
        for prefix, module in (("", jg), ("fft.", jg.fft), ("random.", jg.random))
        for name in dir(module)
        if not name.startswith("_")
    }
    taking = {name for name, function in functions.items() if takes_device(function)}
    assert {name for name in taking if not OTHERS.fullmatch(name)} <= set(MADE)
    for name in taking & set(MADE):
        made = functions[name](*MADE[name], device=DEVICE)
        assert made.device == DEVICE, name
        if not name.startswith("empty"):
            assert made.tolist() == functions[name](*MADE[name]).tolist()


def test_constants_beside_an_array_are_where_it_is():
    x = jg.asarray(numbers(), device=DEVICE)
    assert jg.isreal(x).device == jg.iscomplex(x).device == DEVICE
    assert jg.isreal(x).all().item() and not jg.iscomplex(x).any().item()


def test_what_is_made_without_a_device_is_on_the_default_one(on_device):
    made = [jg.zeros(3), jg.arange(4), jg.asarray([1, 2]), jg.array(numbers()), jg.eye(2)]
    made += [jg.random.normal((2,)), jg.linspace(0, 1, 5), jg.ones_like(made[0])]
    assert {x.device for x in made} == {DEVICE}
    assert jg.asarray(np.ones(3), device="cpu").device == "cpu"
    assert jg.asarray(np.ones(3), copy=False).device == "cpu"  # shares memory, where it is


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u1", "?", "c8"])
def test_elementwise_work_has_numpys_values(dtype):
    a = (numbers() * 50).astype(dtype)
    x = jg.asarray(a, device=DEVICE)
    for got, wanted in [(x == x, a == a), (x.astype(jg.float64) * 2, a.real.astype("f8") * 2)]:
        if dtype != "c8" or got.dtype == jg.bool:
            assert got.device == DEVICE
            np.testing.assert_array_equal(np.asarray(got), wanted)
    if dtype != "?":
        np.testing.assert_array_equal(np.asarray(x + x), a + a)
        np.testing.assert_array_equal(np.asarray(jg.where(x == x, x, -x)), a)


def test_float32_functions_have_the_bits_of_the_cpu():
    a = numbers((3, 4000)) * 4
    for name in ["exp", "expm1", "log1p", "sin", "cos", "tanh", "erf", "sqrt", "sigmoid"]:
        function = getattr(jg, name)
        there, here = (function(jg.abs(jg.asarray(a, device=d))) for d in (DEVICE, "cpu"))
        np.testing.assert_array_equal(np.asarray(there), np.asarray(here), err_msg=name)


def test_rows_products_and_routines_have_numpys_values():
    a, b = numbers((64, 100)), numbers((100, 32))
    x, y = (jg.asarray(v, device=DEVICE) for v in (a, b))
    np.testing.assert_allclose(np.asarray(x @ y), a @ b, rtol=1e-4, atol=1e-4)
    exps = np.exp(a - a.max(1, keepdims=True))
    softmax = exps / exps.sum(1, keepdims=True)
    np.testing.assert_allclose(np.asarray(jg.softmax(x, axis=1)), softmax, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(x.sum(axis=0)), a.sum(0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(np.asarray(jg.sort(x, axis=0)), np.sort(a, axis=0))
    np.testing.assert_allclose(np.asarray(jg.cumsum(x, axis=1)), a.cumsum(1), rtol=1e-4, atol=1e-4)
    rows = jg.asarray([2, 0], device=DEVICE)
    np.testing.assert_array_equal(np.asarray(x[rows, 3:9:2]), a[[2, 0], 3:9:2])


def test_an_array_is_looked_at_as_on_the_cpu(on_device):
    x = jg.asarray([[1.5, 2], [3, 4]])
    assert repr(x) == "array([[1.5, 2. ],\n       [3. , 4. ]], dtype=float32)"
    assert x.tolist() == [[1.5, 2], [3, 4]] and x[0, 0].item() == 1.5 and float(x[1, 1]) == 4
    x[0, 0] = 7
    assert x.tolist() == [[7, 2], [3, 4]] and 7 in x and f"{x[0, 1]}" == "2.0"
    assert (x + np.ones(2, "f4")).device == DEVICE


def test_numpy_gets_copies_and_never_a_share():
    a = numbers()
    x = jg.asarray(a, device=DEVICE)
    np.testing.assert_array_equal(np.asarray(x), a)
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), a)
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, copy=False)
    with pytest.raises(BufferError, match=DEVICE):
        memoryview(x)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(1, 0), copy=False)


def test_a_tensor_goes_out_and_comes_back_in_place():
    x = jg.asarray(numbers(), device=DEVICE) * 2
    view = x[1:, ::2]  # begins past the handle's start
    assert view.__dlpack_device__() == ({"cuda": 2, "opencl": 4, "rocm": 10}[KIND], 0)
    tensor = tvm_ffi.from_dlpack(view)
    assert tuple(tensor.shape) == (3, 3) and KIND in str(tensor.device)
    back = jg.from_dlpack(tensor)
    assert back.device == DEVICE
    np.testing.assert_array_equal(np.asarray(back), np.asarray(view))


def test_arrays_on_two_devices_do_not_meet():
    x, y = jg.asarray(numbers(), device=DEVICE), jg.asarray(numbers(), device="cpu")
    jg.eval(x, y)
    with pytest.raises(ValueError, match=rf"\[add\].*{DEVICE}.*cpu:0"):
        x + y
    np.testing.assert_array_equal(np.asarray(x + y.to_device(DEVICE)), 2 * numbers())


def test_derivatives_batches_and_recorded_functions_stay_on_the_device():
    a = numbers()
    x = jg.asarray(a, device=DEVICE)
    grad = jg.grad(lambda v: jg.sum(jg.sin(v) * v))(x)
    np.testing.assert_allclose(np.asarray(grad), np.cos(a) * a + np.sin(a), rtol=1e-4, atol=1e-5)
    step = jg.compile(lambda v: v * 2 + 1)
    assert step(x).device == grad.device == jg.vmap(jg.sum)(x).device == DEVICE
    np.testing.assert_array_equal(np.asarray(step(x)), a * 2 + 1)


def test_explain_tells_who_runs_what():
    x = jg.asarray(numbers(), device=DEVICE)
    text = jg.explain(jg.linalg.svdvals(jg.exp(x)) + 1)
    lines = text.splitlines()
    copied = f" on {DEVICE}, simplifying 1;"  # a rule leaves the copy to the device out
    assert "exp" in lines[0] and copied in lines[0]
    assert "svdvals" in lines[1] and f"on the host for {DEVICE} (" in lines[1]


def test_a_trace_tells_who_ran_what(tmp_path):
    x = jg.asarray(numbers(), device=DEVICE)
    jg.eval(x)
    with jg.trace(str(tmp_path / "t.json")):
        jg.eval(jg.linalg.svdvals(jg.exp(x)))
    events = json.loads((tmp_path / "t.json").read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    ran = {e["name"]: e["args"].get("device") for e in events if e.get("cat") == "launch"}
    assert any("exp" in name and device == DEVICE for name, device in ran.items())
    assert any("svdvals" in name and device == "host" for name, device in ran.items())


def test_falling_back_can_be_told_or_refused():
    code = """
        import joggle as jg
        x = jg.asarray([[1., 0.], [0., 2.]], device="opencl:0")
        y = jg.linalg.inv(x + x)
        try:
            print(y.tolist())
        except Exception as error:
            print(type(error).__name__, error)
    """
    told = run(code, JOGGLE_DEVICE_FALLBACK="warn")
    assert told.stdout == "[[0.5, 0.0], [0.0, 0.25]]\n"
    assert told.stderr.startswith(f"joggle: [linalg_inv] runs on the host for {DEVICE}: ")
    refused = run(code, JOGGLE_DEVICE_FALLBACK="error")
    assert f"[linalg_inv] {DEVICE} does not run it" in refused.stdout
    assert run(code).stderr == ""


def test_the_environment_names_the_default_device():
    code = "import joggle as jg; print(jg.zeros(2).device, jg.default_device())"
    assert run(code, JOGGLE_DEVICE=KIND).stdout == f"{DEVICE} {DEVICE}\n"
    failed = run(code, JOGGLE_DEVICE="toaster")
    assert failed.returncode != 0 and "toaster" in failed.stderr


def test_importing_opens_no_driver():
    code = """
        import joggle
        def opened():
            maps = open("/proc/self/maps").read()
            return any(name in maps for name in ("libOpenCL", "libcuda", "libamdhip64"))
        print(opened())
        joggle.zeros(2, device="opencl:0")
        print(opened())
    """
    assert run(code, JOGGLE_DEVICE=KIND).stdout == "False\nTrue\n"


def test_devices_are_counted_and_described():
    assert jg.device_count(KIND) >= 1 and jg.is_available(DEVICE)
    info = jg.device_info(DEVICE)
    assert info["device_name"] and info["memory_size"] > 2**20
    assert jg.device_count("metal") == 0
    with pytest.raises(ValueError, match=f"{KIND}:99"):
        jg.zeros(2, device=f"{KIND}:99")


def test_memory_has_figures_and_limits_for_each_device():
    code = """
        import joggle as jg
        there = "opencl:0"
        x = jg.zeros(1 << 20, device=there)
        jg.eval(x)
        here = jg.zeros(10, device="cpu")
        jg.eval(here)
        print(jg.get_active_memory(there) >> 20, jg.get_active_memory(device="cpu") < 1 << 20)
        print(jg.get_peak_memory(there) >> 20, jg.get_active_memory() >> 20)
        print(jg.set_memory_limit(6 << 20, device=there) == jg.get_memory_limit("cpu"))
        try:
            jg.eval(x + 1)
        except MemoryError as error:
            print("on opencl:0" in str(error), "allowed are 6291456" in str(error))
        jg.eval(jg.zeros(1 << 22, device="cpu"))
        del x
        jg.eval(jg.ones(1 << 20, device=there))
        print(jg.set_cache_limit(0, device=there) >> 20, jg.get_cache_limit(there))
        print(jg.get_cache_memory(there), jg.get_active_memory(there))
        jg.clear_cache("cpu"), jg.reset_peak_memory(there)
        print(jg.get_cache_memory(), jg.get_peak_memory(there))
    """
    lines = ["4 True", "4 4", "True", "True True", "1024 0", "0 0", "0 0"]
    told = run(code)
    assert told.stdout.splitlines() == lines, told


def test_a_consumer_that_never_releases_keeps_its_memory_and_nothing_else():
    code = """
        import ctypes
        import joggle as jg
        import tvm_ffi
        there = "opencl:0"
        x = jg.ones((1 << 18,), device=there) * 3
        jg.eval(x)
        tensor = tvm_ffi.from_dlpack(x)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(tensor))
        del x, tensor
        jg.clear_cache(there)
        y = jg.ones((1 << 18,), device=there) + 1
        print(float(jg.sum(y).item()), jg.get_active_memory(there) >> 20)
        del y
        jg.synchronize()
        print(jg.get_active_memory(there) >> 20)
    """
    told = run(code)
    assert (told.stdout, told.returncode) == ("524288.0 2\n1\n", 0), told


def test_a_child_of_a_fork_is_refused_and_does_not_hang():
    code = """
        import os
        import joggle as jg
        x = jg.asarray([1., 2.], device="opencl:0")
        jg.eval(x)
        child = os.fork()
        if child == 0:
            try:
                (x + 1).tolist()
            except Exception as error:
                print("forked" in str(error), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print((x + 1).tolist())
    """
    assert run(code).stdout == "True\n[2.0, 3.0]\n"


def test_what_was_queued_when_the_process_forked_fails_in_the_child_alone():
    code = """
        import os
        import joggle as jg
        x = jg.ones((1 << 18,), device="opencl:0")
        jg.eval(x)
        queued = [x]
        for _ in range(20):
            queued.append(queued[-1] + x)
            jg.async_eval(queued[-1])
        child = os.fork()
        if child == 0:
            for y in queued[1], queued[-1]:
                try:
                    y[0].item()
                except Exception as error:
                    print("forked" in str(error), flush=True)
            os._exit(0)
        print(os.waitpid(child, 0)[1], queued[-1][0].item())
    """
    assert run(code).stdout == "True\nTrue\n0 21.0\n"


def test_nothing_is_run_for_results_without_elements():
    code = """
        import joggle as jg
        jg.set_default_device("opencl:0")
        x = jg.zeros((0, 3))
        y = [x + 1, jg.eye(4, 0), x @ x.T, jg.zeros((2, 0)) @ x, jg.sum(x, axis=0)]
        print([z.tolist() for z in y], y[1].shape)
    """
    told = run(code, JOGGLE_DEVICE_FALLBACK="error")
    zeros = [0.0, 0.0, 0.0]
    assert told.stdout == f"{[[], [[]] * 4, [], [zeros] * 2, zeros]} (4, 0)\n", told


@pytest.mark.parametrize("default, other", [(DEVICE, "cpu"), ("cpu", DEVICE)])
def test_what_an_op_adds_to_its_inputs_goes_to_their_device(default, other):
    code = f"""
        import joggle as jg
        x = jg.asarray([[4.0, 1.0, 3.0], [2.0, 6.0, 5.0]], device="{other}")
        jg.set_default_device("{default}")
        written = x + 0
        written[1] = 7
        turn = dict(traditional=False, base=10.0, scale=1.0)
        results = [
            written, jg.pad(x, ((1, 0), (0, 0))), jg.roll(x, 1), jg.quantile(x, 0.5, axis=1),
            jg.fast.rope(x[None, :, :2], 2, offset=0, **turn)[0, 0],
        ]
        print([(str(y.device), y.tolist()) for y in results[:4]], results[4].device)
    """
    device = "cpu" if other == "cpu" else KIND
    values = [
        [[4.0, 1.0, 3.0], [7.0, 7.0, 7.0]],
        [[0.0, 0.0, 0.0], [4.0, 1.0, 3.0], [2.0, 6.0, 5.0]],
        [[5.0, 4.0, 1.0], [3.0, 2.0, 6.0]],
        [3.0, 5.0],
    ]
    told = run(code)
    shown = told.stdout.replace(DEVICE, KIND)
    assert shown == f"{[(device, y) for y in values]} {device}\n", told


def test_strides_are_told_of_arrays_on_a_device_as_of_others():
    for change in (lambda x: x, lambda x: x.T, lambda x: x[::-1, 1::2], lambda x: x.T + 1):
        there = change(jg.array(numbers()).to_device(DEVICE))
        assert there.strides == change(jg.array(numbers())).strides
