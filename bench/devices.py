# SPDX-License-Identifier: Apache-2.0
"""An OpenCL device beside our CPU tier, on arrays that lie where the work is done. On a machine
without a GPU the device is PoCL, which takes all its cores; so both get two. A launch alone is the
bound of small work: the sum of 64 elements wakes and waits for the device's threads as all do."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import Absent, on

NAME = "OpenCL device"
THREADS = (2,)
DEVICE, TIER, LAUNCH = "opencl:0", "our CPU tier", "a launch"


def chain(jg, a, b):
    return a * b + a


def gelu(jg, a):
    return 0.5 * a * (1 + jg.tanh(0.7978845608 * (a + 0.044715 * (a * a * a))))


def total(jg, a):
    return jg.sum(a)


def softmax(jg, a):
    return jg.softmax(a, axis=-1)


def product(jg, a, b):
    return a @ b


def ordered(jg, a):
    return jg.sort(a)


def searched(jg, a, b):
    return jg.searchsorted(a, b)


def running(jg, a):
    return jg.cumsum(a, axis=0)


def _code(jg, device, function, inputs):
    if device != "cpu" and not jg.is_available(device):
        return Absent("left out: there is no OpenCL device")
    arrays = {name: jg.asarray(x, device=device) for name, x in inputs.items()}
    jg.eval(*arrays.values())
    call = f"f({', '.join(inputs)})"
    return code(f"eval({call})", call, f=lambda *x: function(jg, *x), eval=jg.eval, **arrays)


def _launch(jg):
    """The least that a device can be asked for."""
    if not jg.is_available(DEVICE):
        return Absent("left out: there is no OpenCL device")
    few = jg.ones(64, device=DEVICE)
    jg.eval(few)
    return code("eval(f(few))", f=jg.sum, eval=jg.eval, few=few)


def _case(name, function, goal, **inputs):
    def entry(device):
        return on("joggle", lambda jg: _code(jg, device, function, inputs))

    entries = {"joggle": entry(DEVICE), TIER: entry("cpu"), LAUNCH: on("joggle", _launch)}
    return Case(name, entries, (Goal(goal, TIER, bound=LAUNCH),))


def cases(quick):
    def numbers(*shape):
        return np.random.default_rng(0).standard_normal(shape, np.float32)

    for name, count in {"256 K": 2**18, "1 M": 2**20, "16 M": 2**24}.items():
        count = 2**12 if quick else count
        a, b = numbers(count), numbers(count)
        yield _case(f"a*b+a {name}", chain, 2.0, a=a, b=b)
        yield _case(f"gelu {name}", gelu, 2.0, a=a)
        yield _case(f"sum {name}", total, 2.0, a=a)
        yield _case(f"softmax {name}", softmax, 2.0, a=a.reshape(-1, 1024))
    count = 2**12 if quick else 2**20
    a, b = numbers(count), numbers(count)
    yield _case("sort 1 M", ordered, 4.0, a=a)
    yield _case("searchsorted 1 M in 1 M", searched, 3.0, a=np.sort(a), b=b)
    yield _case("cumsum 1 M along columns", running, 2.0, a=a.reshape(-1, 64))
    extent = 32 if quick else 1024
    x = numbers(extent, extent)
    yield _case(f"product {extent}x{extent}", product, 1 / 0.35, a=x, b=x)
