# SPDX-License-Identifier: Apache-2.0
"""Times of a CUDA device, beside torch where that finds the device: rows for tools/gpu_check.py.

Contestants take turns, and the figures are minima. Every call waits for the device, but those
that are said to be enqueued."""

import time

import joggle as jg

ROUNDS = 20


class Bench:
    """What one run of the timings needs: sizes, the device, torch or None."""

    def __init__(self, device, elements, width, torch):
        self.device, self.elements, self.width, self.torch = device, elements, width, torch

    def numbers(self, *shape, dtype="float32"):
        """Random numbers as joggle's array and torch's tensor, in the same memory; None without
        torch."""
        if self.torch is None:
            x = jg.random.normal(shape).astype(getattr(jg, dtype)).to_device(self.device)
            jg.eval(x)
            return x, None
        tensor = self.torch.randn(*shape, device="cuda").to(getattr(self.torch, dtype))
        return jg.from_dlpack(tensor), tensor

    def row(self, name, ours, theirs, unit="", amount=0.0, rounds=ROUNDS, waits=True):
        """A row: our rate, or our microseconds, and our time in parts of torch's."""
        wait = self.torch.cuda.synchronize if self.torch is not None and waits else None
        calls = {"joggle": ours if not waits else lambda: jg.eval(ours())}
        if self.torch is not None and theirs is not None:
            calls["torch"] = theirs if not waits else lambda: (theirs(), wait())
        best = shortest(calls, rounds)
        own = best["joggle"]
        shown = f"{amount / own / 1e12:.2f} {unit}" if unit else f"{own * 1e6:.1f} us"
        if "torch" in best:
            shown += f", {own / best['torch']:.2f} of torch's time"
        return name, True, shown


def shortest(calls, rounds):
    best = {}
    for call in calls.values():
        call()
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best.get(name, 1e9), time.perf_counter() - start)
    return best


def elementwise(bench):
    x, t = bench.numbers(bench.elements)
    size = f"{bench.elements * 4 / 2**20:g} MiB"
    moved, torch = 8 * bench.elements, bench.torch
    yield bench.row(f"x + 1, {size}", lambda: x + 1, lambda: t + 1, "TB/s", moved)
    yield bench.row(
        f"chain of 6, {size}",
        lambda: jg.tanh(jg.exp(-x * x) + x) * 0.5,
        lambda: torch.tanh(torch.exp(-t * t) + t) * 0.5,
        "TB/s",
        moved,
    )
    yield bench.row(f"sum, {size}", lambda: jg.sum(x), lambda: t.sum(), "TB/s", moved / 2)
    y, s = bench.numbers(bench.elements, dtype="bfloat16")
    yield bench.row("y * y + y, bfloat16", lambda: y * y + y, lambda: s * s + s, "TB/s", moved / 2)


def rows(bench):
    width, torch = bench.width, bench.torch
    x, t = bench.numbers(width, width)
    w, v = bench.numbers(width)
    moved, size = 8 * width**2, f"{width} x {width}"
    pairs = {
        "softmax": (lambda: jg.softmax(x, axis=-1), lambda: torch.softmax(t, -1)),
        "RMS norm": (
            lambda: jg.fast.rms_norm(x, w, 1e-5),
            lambda: torch.nn.functional.rms_norm(t, (width,), v, 1e-5),
        ),
        "layer norm": (
            lambda: jg.fast.layer_norm(x, w, w, 1e-5),
            lambda: torch.nn.functional.layer_norm(t, (width,), v, v, 1e-5),
        ),
    }
    for name, (ours, theirs) in pairs.items():
        yield bench.row(f"{name}, {size}", ours, theirs, "TB/s", moved)
    for axis, name in ((1, "rows"), (0, "columns")):
        ours, theirs = (lambda a=axis: jg.sum(x, axis=a)), (lambda a=axis: t.sum(a))
        yield bench.row(f"sum of {name}, {size}", ours, theirs, "TB/s", moved / 2)


def products(bench):
    """Of halves also by our own kernel for tensor cores, which makes segments."""
    for dtype in ("float32", "bfloat16", "float16"):
        for width in (bench.width // 8, bench.width):
            x, t = bench.numbers(width, width, dtype=dtype)
            ends = jg.asarray([[0, width]], device=bench.device)
            theirs, flops = (lambda b=t: b @ b), 2 * width**3
            name = f"product of {dtype}, {width}"
            yield bench.row(name, lambda a=x: a @ a, theirs, "TFLOP/s", flops)
            for way, y in (("", x), (", transposed", x.T)) if dtype != "float32" else ():
                ours = lambda a=x, b=y, e=ends: jg.segmented_mm(a, b, e)  # noqa: E731
                yield bench.row(f"{name}, our kernel{way}", ours, theirs, "TFLOP/s", flops)


def small(bench):
    x, t = bench.numbers(16)

    def ten(a):
        for _ in range(5):
            a = a * 1.5 + 0.5
        return a

    yield bench.row("10 ops on 16 elements", lambda: ten(x), lambda: ten(t), rounds=300)
    yield bench.row(
        "10 ops on 16 elements, enqueued",
        lambda: jg.async_eval(ten(x)),
        lambda: ten(t),
        rounds=300,
        waits=False,
    )
    if bench.torch is not None:
        yield bench.row("from_dlpack", lambda: jg.from_dlpack(t), None, rounds=2000, waits=False)


def graphs(bench):
    """Kernels in a row as one CUDA graph, and by themselves: where the first is shorter from is
    what JOGGLE_DEVICE_GRAPHS is to be by default."""
    x = jg.ones((64, 64), device=bench.device)
    jg.eval(x)
    default = jg.get_option("device_graphs")
    rounds = 100 if bench.elements > 1 << 20 else 2  # the fake driver only shows that all runs
    for count in (2, 4, 8, 16, 32, 64, 128):

        def chain(count=count):
            y = x
            for _ in range(count):
                y = jg.softmax(y + x, axis=1)
            return y

        def call(least, chain=chain):
            jg.set_option("device_graphs", least)
            jg.eval(chain())

        best = shortest({"graph": lambda c=call: c("1"), "alone": lambda c=call: c("0")}, rounds)
        jg.set_option("device_graphs", default)
        graph, alone = best["graph"], best["alone"]
        shown = f"{graph * 1e6:.1f} us, {graph / alone:.2f} of one by one"
        yield f"{count} kernels as a graph", True, shown


def first():
    """How long a kernel takes that no process has compiled, and that this one has not."""
    start = time.perf_counter()
    x = jg.ones(1000, device="cuda:0")
    jg.eval(jg.tanh(x * x) + jg.sqrt(x))
    yield "first call", True, f"{(time.perf_counter() - start) * 1e3:.0f} ms"
    start = time.perf_counter()
    jg.eval(jg.sin(x * x) + jg.sqrt(x))
    yield "next new kernel", True, f"{(time.perf_counter() - start) * 1e3:.0f} ms"


def timings(bench):
    for part in (elementwise, rows, products, small, graphs):
        yield from part(bench)
