# SPDX-License-Identifier: Apache-2.0
"""jg.trace: the file that Perfetto reads, and what stands in it."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import joggle as jg


def spans_of(path, category=None):
    events = json.loads(Path(path).read_text())["traceEvents"]
    return [e for e in events if e["ph"] == "X" and category in (None, e["cat"])]


def thread_names(path):
    events = json.loads(Path(path).read_text())["traceEvents"]
    return {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}


def filled(count):
    return jg.from_dlpack(np.full(count, 0.5, np.float32))


def end(span):
    return span["ts"] + span["dur"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trace.json"


def test_a_launch_tells_its_ops_shape_dtype_bytes_and_flops(path):
    x, y = filled(1000), filled(1000)
    with jg.trace(path):
        jg.eval(x * y + 1)
    (launch,) = spans_of(path, "launch")
    assert launch["name"] == "multiply+add"
    assert launch["args"] == {
        "shape": "(1000,)",
        "dtype": "float32",
        "ops": 2,
        "bytes_read": 8000,
        "bytes_written": 4000,
        "flops": 2000,
    }


def test_a_broadcast_operand_counts_the_bytes_that_it_has(path):
    x, row = jg.from_dlpack(np.ones((8, 16))), jg.from_dlpack(np.ones(16))
    with jg.trace(path):
        jg.eval(x + jg.broadcast_to(row, (8, 16)))
    (launch,) = spans_of(path, "launch")
    assert launch["args"]["bytes_read"] == 8 * (8 * 16 + 16)


def flops_of(path, *inputs, build):
    jg.eval(*inputs)
    with jg.trace(path):
        jg.eval(build(*inputs))
    return sum(e["args"]["flops"] for e in spans_of(path, "launch"))


def test_convolutions_and_quantised_products_tell_their_flops(path):
    x, w = filled(2 * 9 * 9 * 6).reshape(2, 9, 9, 6), filled(4 * 3 * 3 * 3).reshape(4, 3, 3, 3)
    told = flops_of(path, x, w, build=lambda x, w: jg.conv2d(x, w, groups=2))
    assert told == 2 * (2 * 7 * 7 * 4) * (3 * 3 * 3)
    codes = jg.quantize(filled(64 * 128).reshape(64, 128), group_size=64, bits=4)
    row = filled(3 * 128).reshape(3, 128)
    told = flops_of(path, row, *codes, build=lambda *all: jg.quantized_matmul(*all, bits=4))
    assert told == 2 * 3 * 64 * 128


def test_a_matrix_product_tells_two_flops_for_each_multiplication(path):
    x, y = jg.from_dlpack(np.ones((3, 5))), jg.from_dlpack(np.ones((5, 7)))
    with jg.trace(path):
        jg.eval(x @ y)
    (launch,) = (e for e in spans_of(path, "launch") if e["name"] == "matmul")
    assert launch["args"]["flops"] == 2 * 3 * 5 * 7
    assert launch["args"]["bytes_read"] == 8 * (3 * 5 + 5 * 7)
    assert launch["args"]["bytes_written"] == 8 * 3 * 7


def test_spans_of_a_thread_nest(path):
    x = filled(1 << 20)
    with jg.trace(path):
        for _ in range(3):
            y = jg.exp(x) * 2
            jg.async_eval(y)
            jg.eval(jg.sum(y + 1))
    spans = sorted(spans_of(path), key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    open_spans = []
    for span in spans:
        while open_spans and (
            open_spans[-1]["tid"] != span["tid"] or end(open_spans[-1]) <= span["ts"] + 0.001
        ):
            open_spans.pop()
        if open_spans:
            assert end(span) <= end(open_spans[-1]) + 0.001, (span, open_spans[-1])
        open_spans.append(span)
    assert {"build", "eval", "plan", "launch"} <= {e["cat"] for e in spans}


def test_a_plan_is_made_once_and_found_again(path):
    x = filled(77)
    with jg.trace(path):
        for _ in range(3):
            jg.eval(x * 3 - 1)
    names = [e["name"] for e in spans_of(path, "plan")]
    assert names.count("find plan") == 3
    assert names.count("make plan") <= 1
    assert all(e["args"]["nodes"] >= 3 for e in spans_of(path, "build"))


def test_two_evaluating_threads_have_their_own_tracks_and_overlap(path):
    meet = threading.Barrier(2)
    arrays = [filled(3 << 20), filled(3 << 20)]

    def work(x):
        meet.wait()
        for _ in range(10):
            jg.eval(jg.tanh(jg.exp(x)))

    with jg.trace(path):
        threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    by_thread = {}
    for launch in spans_of(path, "launch"):
        by_thread.setdefault(launch["tid"], []).append(launch)
    first, second = by_thread.values()
    assert len(first) == len(second) == 10
    assert any(a["ts"] < end(b) and b["ts"] < end(a) for a in first for b in second)


def test_work_on_a_stream_is_on_a_track_with_a_name(path):
    x = filled(1 << 20)
    with jg.trace(path):
        jg.async_eval(jg.exp(x))
    (launch,) = spans_of(path, "launch")
    assert "stream" in thread_names(path)[launch["tid"]]


def test_stopping_waits_so_that_nothing_is_lost(path):
    arrays = [filled(1 << 20) for _ in range(20)]
    trace = jg.trace(path)
    results = [jg.exp(x) * 2 for x in arrays]
    for y in results:
        jg.async_eval(y)
    trace.stop()
    assert len(spans_of(path, "launch")) == 20
    assert json.loads(path.read_text())["otherData"]["spans lost"] == 0


def test_nothing_is_recorded_after_stop(path):
    trace = jg.trace(path)
    trace.stop()
    before = path.read_bytes()
    jg.eval(filled(10) + 1)
    trace.stop()
    assert path.read_bytes() == before


def test_a_path_that_cannot_be_written_fails_at_the_call(tmp_path):
    with pytest.raises(OSError, match="cannot be written: No such file"):
        jg.trace(tmp_path / "no folder" / "x.json")
    with pytest.raises(ValueError, match="path: got nothing"):
        jg.trace("")
    with pytest.raises(TypeError):
        jg.trace(3)


def test_a_trace_empties_its_file_when_it_begins(path):
    np.save(path.with_suffix(".npy"), np.arange(1000.0))
    path = path.with_suffix(".npy")
    x = jg.load(path)
    with jg.trace(path):
        assert path.stat().st_size == 0
        with pytest.raises(OSError, match=path.name):
            np.asarray(x)


def test_a_trace_may_go_into_a_pipe(path):
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with jg.trace(path):
            pass
        assert b"traceEvents" in os.read(reader, 1 << 16)
    finally:
        os.close(reader)


def test_a_second_trace_is_refused_while_one_is_running(path):
    with jg.trace(path), pytest.raises(ValueError, match="another trace is running"):
        jg.trace(path)
    with jg.trace(path):
        pass


def test_an_error_inside_the_block_leaves_a_whole_file(path):
    with pytest.raises(ZeroDivisionError), jg.trace(path):
        jg.eval(filled(5) + 1)
        _ = 1 / 0
    assert len(spans_of(path, "launch")) == 1


WORK = "import joggle as jg; jg.eval(jg.arange(10) + 1)"


def run(code, **variables):
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | variables, capture_output=True, text=True
    )


def test_the_environment_traces_a_whole_process(path):
    result = run(WORK, JOGGLE_TRACE=str(path))
    assert (result.returncode, result.stderr) == (0, "")
    assert [e["name"] for e in spans_of(path, "launch")] == ["arange+add"]


def test_a_path_of_the_environment_that_cannot_be_written_is_told_on_stderr():
    result = run(WORK, JOGGLE_TRACE="/nowhere/x.json")
    assert result.returncode == 0
    assert "JOGGLE_TRACE: [trace] path: '/nowhere/x.json' cannot be written" in result.stderr


def test_a_trace_that_nobody_stopped_is_written_at_exit(path):
    assert run(f"import joggle as jg; jg.trace({str(path)!r}); {WORK}").returncode == 0
    assert len(spans_of(path, "launch")) == 1


def test_a_forked_child_leaves_its_parents_trace_alone(path):
    code = f"""
import os, joggle as jg
trace = jg.trace({str(path)!r})
jg.eval(jg.arange(10) + 1)
child = os.fork()
if child == 0:
    jg.eval(jg.arange(10) * 5)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
jg.eval(jg.arange(10) - 1)
trace.stop()
"""
    result = run(code)
    assert (result.returncode, result.stderr) == (0, "")
    assert [e["name"] for e in spans_of(path, "launch")] == ["arange+add", "arange+subtract"]


def test_a_forked_child_ends_as_usual_and_may_trace_by_itself(path):
    code = f"""
import os, sys, joggle as jg
with jg.trace({str(path)!r}) as trace:
    jg.eval(jg.arange(10) + 1)
    child = os.fork()
    if child == 0:
        trace.stop()
        with jg.trace({str(path) + ".child"!r}):
            jg.eval(jg.arange(10) * 5)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
    result = run(code)
    assert (result.returncode, result.stderr) == (0, "")
    assert [e["name"] for e in spans_of(path, "launch")] == ["arange+add"]
    assert [e["name"] for e in spans_of(f"{path}.child", "launch")] == ["arange+multiply"]


def test_a_forked_child_that_ends_while_its_parent_traces_prints_nothing(path):
    code = f"""
import os, sys, joggle as jg
trace = jg.trace({str(path)!r})
child = os.fork()
if child == 0:
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
trace.stop()
"""
    result = run(code)
    assert (result.returncode, result.stderr) == (0, "")
