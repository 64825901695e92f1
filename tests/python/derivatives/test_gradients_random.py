# SPDX-License-Identifier: Apache-2.0
"""Random kernels of loops, branches, jumps and variables: adjoints and tangents agree with each
other and with finite differences."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joggle import _core
from joggle._kernel.ir import launches

pytestmark = pytest.mark.usefixtures("tier")

SIZE = 5
SMOOTH = ["sin", "cos", "tanh", "sigmoid", "atan"]
PAIRS = ["add", "subtract", "multiply", "hypot"]


class Writer:
    """Writes the text of one kernel. Values are named in scope: floats, indices, locals."""

    def __init__(self, seed):
        self.random, self.lines, self.count = random.Random(seed), [], 0

    def say(self, line):
        self.lines.append(line)

    def value(self, dtype, text):
        self.count += 1
        self.say(f"%v{self.count}:{dtype} = {text}")
        return f"%v{self.count}"

    def pick(self, scope, kind):
        return self.random.choice(scope[kind])

    def float(self, scope):
        chance, f = self.random.random(), lambda: self.pick(scope, "floats")
        if chance < 0.25:
            return self.value("float64", f"load x [{self.pick(scope, 'indices')}]")
        if chance < 0.45 and scope["locals"]:
            return self.value("float64", f"get {self.pick(scope, 'locals')}")
        if chance < 0.55:
            return self.value("float64", f"get near [{self.pick(scope, 'indices')}]")
        if chance < 0.75:
            return self.value("float64", f"{self.random.choice(SMOOTH)} {f()}")
        if chance < 0.95:
            return self.value("float64", f"{self.random.choice(PAIRS)} {f()} {f()}")
        return self.value("float64", f"select {self.condition(scope)} {f()} {f()}")

    def condition(self, scope):
        kind = self.random.choice(["floats", "indices"])
        return self.value("bool", f"less {self.pick(scope, kind)} {self.pick(scope, kind)}")

    def block(self, scope, depth, loop):
        scope = {kind: list(names) for kind, names in scope.items()}
        for _ in range(self.random.randint(1, 5)):
            self.statement(scope, depth, loop)
        if self.random.random() < 0.5:
            self.add_to_output(scope)

    def statement(self, scope, depth, loop):
        chance = self.random.random()
        if chance < 0.45:
            scope["floats"].append(self.float(scope))
        elif chance < 0.62 and scope["locals"]:
            bounded = self.value("float64", f"tanh {self.pick(scope, 'floats')}")
            self.say(f"set {self.pick(scope, 'locals')} = {bounded}")
        elif chance < 0.68:
            self.say(f"set near [{self.pick(scope, 'indices')}] = {self.pick(scope, 'floats')}")
        elif chance < 0.74:
            self.count += 1
            self.say(f"local s{self.count} float64")
            scope["locals"].append(f"s{self.count}")
        elif chance < 0.87 and depth:
            self.branch(scope, depth, loop)
        elif depth:
            self.loop(scope, depth)

    def branch(self, scope, depth, loop):
        self.say(f"if {self.condition(scope)} {{")
        self.inside_branch(scope, depth, loop)
        if self.random.random() < 0.5:
            self.say("} else {")
            self.inside_branch(scope, depth, loop)
        self.say("}")

    def inside_branch(self, scope, depth, loop):
        self.block(scope, depth - 1, loop)
        if self.random.random() < 0.25 and loop:
            self.say(self.random.choice(loop))

    def loop(self, scope, depth):
        if self.random.random() < 0.3:
            self.count += 1
            turns = f"t{self.count}"
            self.say(f"local {turns} int64\nloop {{")
            index = self.value("int64", f"get {turns}")
            self.say(f"set {turns} = {self.value('int64', f'add {index} %one')}")
            self.say(f"if {self.value('bool', f'less %three {index}')} {{\nbreak\n}}")
        else:
            ends = self.random.choice(["%zero to %three", "%three to %zero step -1", "%zero to %i"])
            self.count += 1
            index = f"%v{self.count}"
            self.say(f"for {index}:int64 = {ends} {{")
        inside = dict(scope, indices=[*scope["indices"], index])
        self.block(inside, depth - 1, ["break", "continue"])
        self.say("}")

    def add_to_output(self, scope):
        index, value = self.pick(scope, "indices"), self.pick(scope, "floats")
        self.value("float64", f"atomic add y [{index}] {value}")

    def kernel(self):
        scope = {"floats": ["%k"], "indices": ["%zero", "%one", "%i"], "locals": []}
        self.block(scope, 4, ["continue"])
        body = "\n".join(self.lines)
        return f"""kernel random
array x float64 [*] [*]
array y float64 [*] [*]
{{
%k:float64 = const 0.7
%zero:int64 = const 0
%one:int64 = const 1
%three:int64 = const 3
%n:int64 = extent x 0
local total float64
parallel %i:int64 = %zero to %n {{
local near float64 {SIZE}
{body}
%own:float64 = load x [%i]
%share:float64 = sin %own
%old:float64 = atomic add total %share
}}
%all:float64 = get total
%end:float64 = atomic add y [%zero] %all
}}
"""


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_both_modes_give_the_derivative_of_random_kernels(seed):
    text = Writer(seed).kernel()
    values = np.random.default_rng(seed)
    x = values.uniform(0.2, 1.5, SIZE)
    weights, direction = values.normal(size=(2, SIZE))
    run = launches.load(text)

    def outputs(step):
        y = np.zeros(SIZE)
        run(x + step * direction, y)
        return y

    y, tangent = np.zeros(SIZE), np.zeros(SIZE)
    forwards = launches.load(_core._kernel_tangent(text, (1, 1))[0])
    forwards(x, y, direction, tangent)
    gradient = np.zeros(SIZE)
    backwards = launches.load(_core._kernel_adjoint(text, (1, 1))[0])
    backwards(x, y, gradient, weights.copy())
    np.testing.assert_allclose(gradient @ direction, weights @ tangent, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(y, outputs(0), rtol=1e-12)
    steps = [1e-5, 1e-6, 1e-7]  # one of them is to stay clear of the next jump
    differences = [(outputs(h) - outputs(-h)) / (2 * h) for h in steps]
    errors = [np.max(np.abs(d - tangent) / (1 + np.abs(tangent))) for d in differences]
    assert min(errors) < 1e-5 or jumps(outputs), (errors, text)


def jumps(outputs):
    """Whether a branch is taken otherwise in every neighbourhood: then there is no derivative."""
    return np.max(np.abs(outputs(1e-9) - outputs(-1e-9))) > 1e-6
