# SPDX-License-Identifier: Apache-2.0
"""The code of a kernel between the front end and the text: how each statement is spelt, what runs
need from each other, which parameters the code uses, and which updates need no atomic."""

import dataclasses
import os
import subprocess
import sys

import numpy as np

import joggle.fields as qd
from joggle import _core
from joggle._kernel.ir.code import Access, Declaration, Loop
from joggle._kernel.ir.emit import Emitter
from joggle._kernel.ir.runs import Run, crossing, shared_locals

EXPECTED = r"""kernel all_of_it fast_math checked all
array x float32 [*, 3] [*, 4] from [-1, 0]
scalar n int32
result float32
{
  %1:int64 = const 2
  %2:bool = const true
  %3:float32 = const -0.5
  local l4 float32 8
  %5:int64 = extent x 0
  local l6 float32
  stack l7 int32
  parallel %8:int64 = %1 to %5 block 64 {
    %9:float32 = load x [%8, %1] @7
    %10:float32 = multiply %9 %3
    store x [%8, %1] = %10 @7
    %11:float32 = update add x [%8, %1] %10 @7
    %12:float32 = atomic maximum l6 %9 @7
  }
  for %13:int32 = %n to %n step -2 {
    push l7 %n
    %14:int32 = pop l7
    loop {
      if %2 {
        break
      } else {
        continue
      }
    }
  }
  %15:int32 = random @7
  %16:float32 = cast %15
  set l4 [%1] = %16
  %17:float32 = get l4 [%1]
  fence
  assert %2 index "a \"b\" \\ {}\n" %17 @7
  print "{}\n" %17 @7
  %18:float32 = get l6
  return %18
}
"""


def whole_kernel():
    emitter = Emitter()
    emitter.declare_array("x", "float32", (None, 3), (None, 4), [-1, 0])
    n = emitter.declare_scalar("n", "int32")
    emitter.line = 7
    two, holds = emitter.constant(2, "int64"), emitter.constant(True, "bool")
    half = emitter.constant(-0.5, "float32")
    small = emitter.local_of_region(emitter.root, "float32", 8)
    extent, sum_ = emitter.extent("x", 0), emitter.local("float32")
    emitter.append(Declaration(f"l{emitter.number()}", "int32", opcode="stack"))
    write_parallel(emitter, two, extent, half, sum_)
    write_serial(emitter, n, holds)
    emitter.set(small, emitter.cast(emitter.random("int32"), "float32"), two)
    found = emitter.get(small, "float32", two)
    emitter.perform("fence")
    emitter.check(holds, 'a "b" \\ {}\n', found, kind="index")
    emitter.tell("{}\n", [found])
    emitter.perform("return", emitter.get(sum_, "float32"))
    emitter.results.append("float32")
    return emitter.text("all_of_it", True, checked="all")


def write_parallel(emitter, low, high, factor, total):
    with emitter.loop(low, high, parallel=True) as i:
        emitter.block.region.loop.threads = 64
        x = emitter.load("x", "float32", (i, low))
        y = emitter.instruct("float32", "multiply", x, factor)
        emitter.store("x", (i, low), y)
        emitter.update("add", "x", (i, low), y)
        emitter.update_local("maximum", total, x)


def write_serial(emitter, n, condition):
    with emitter.loop(n, n):
        emitter.root.code[-1].step = -2
        emitter.append(Access("push", None, "l7", None, (n,)))
        emitter.append(Access("pop", emitter.new("int32"), "l7"))
        with emitter.repeat():
            with emitter.when(condition):
                emitter.perform("break")
            _, otherwise = emitter.aside(lambda: emitter.perform("continue"))
            emitter.block.code[-1].blocks[1].code += otherwise.code


def test_each_statement_is_spelt_as_the_text_says():
    text = whole_kernel()
    assert text == EXPECTED
    read = _core.Kernel(
        text
    ).text  # C reads it, and writes the same but for the order of first lines
    assert sorted(word for word in read.split() if word.startswith("@")) == ["@7"] * 7


def test_a_run_takes_what_others_define_and_shares_their_locals():
    emitter = Emitter()
    one = emitter.constant(1, "int32")
    place, own = emitter.local("int32"), emitter.local("int32")
    first = emitter.instruct("int32", "add", one, one)
    with emitter.repeat():
        inner = emitter.instruct("int32", "negate", first)
        emitter.set(own, inner)
    cut = len(emitter.root.code)
    emitter.set(place, first)
    second = emitter.instruct("int32", "add", first, one)
    runs = [Run(emitter.root.code[:cut]), Run(emitter.root.code[cut:])]
    assert isinstance(runs[0].nodes[-1], Loop)
    assert set(runs[0].defined) == {first.name, inner.name}
    assert set(runs[0].used) == {one.name}
    assert set(runs[1].defined) == {second.name}
    assert set(crossing(runs)) == {first.name}
    assert shared_locals(runs) == {place: "int32"}


SOURCE = """
import joggle.fields as qd

@qd.real_func
def mixed(n: qd.i32, x: qd.f64, y: qd.f32) -> qd.f64:
    result = x + y
    if n > 0:
        z = qd.u8(n)
        result = mixed(n - 1, x * 0.5, y) + x + z
    return result

@qd.kernel
def run(n: qd.i32) -> qd.f64:
    return mixed(n, 1.0, 2.0)

print(run.lower(3)[0])
"""


def test_a_function_that_calls_itself_gives_one_text_in_all_processes(tmp_path):
    """Code on disk is found by its text."""
    program = tmp_path / "recursive.py"
    program.write_text(SOURCE)
    texts = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, str(program)], env=environment, capture_output=True, check=True
        )
        texts.add(done.stdout)
    assert len(texts) == 1
    assert texts.pop().count(b"stack ") == 4


@dataclasses.dataclass
class Members:
    add: qd.types.ndarray(qd.i32, 1)  # the name of an instruction
    load: qd.i32
    count: qd.i32
    x: qd.types.ndarray(qd.i32, 1)


def test_members_that_the_code_does_not_use_are_no_arguments(tier):
    @qd.kernel
    def run(given: Members):
        for i in range(given.count):
            given.x[i] += given.x[i] + 1

    x = np.arange(6, dtype=np.int32)
    run(Members(np.zeros(1, np.int32), 3, 4, x))
    np.testing.assert_array_equal(x, [1, 3, 5, 7, 4, 5])
    (code,) = run.codes.values()
    assert code.taken == [False, False, True, True]


@qd.real_func
def spread(x: qd.types.ndarray(qd.i32, 1), i: qd.i32, n: qd.i32) -> qd.i32:
    if n > 0:
        x[i] += n
        return spread(x, i, n - 1) + 1
    return 0


@qd.real_func
def gather(x: qd.types.ndarray(qd.i32, 1), place: qd.i32, n: qd.i32) -> qd.i32:
    if n > 0:
        x[place] += n
        return gather(x, place, n - 1)
    return 0


def test_updates_in_a_function_that_calls_itself_count(tier):
    """Its parameters are variables, so nothing tells iterations apart: the updates stay atomic."""

    @qd.kernel
    def run(x: qd.types.ndarray(qd.i32, 1), y: qd.types.ndarray(qd.i32, 1)):
        for i in range(x.shape[0]):
            y[i] = spread(x, i, 3)
            gather(x, 0, 2)

    x, y = np.zeros(500, np.int32), np.zeros(500, np.int32)
    run(x, y)
    expected = np.full(500, 6)
    expected[0] += 3 * 500
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(y, 3)
    assert "update add" not in run.lower(x, y)[0]


@qd.func
def chosen(x: qd.f32):
    if x > 2:
        return 1
    if x < 0:
        return x * 0.5
    return 2


def test_numbers_of_returns_are_converted_when_compiling(tier):
    @qd.kernel
    def run(x: qd.f32) -> qd.f32:
        return chosen(x)

    assert [run(x) for x in (3.0, -1.0, 1.0)] == [1.0, -0.5, 2.0]
    assert "cast" not in run.lower(1.0)[0].replace("cast %x", "")
