# SPDX-License-Identifier: Apache-2.0
"""What tools/gpu_check.sh runs once joggle is built: checks on the first CUDA device, then a table.

Each check is one row: what was checked, whether it held, and a number where there is one. Peers
that are not installed are rows of their own that say so.
"""

import importlib
import os
import platform
import sys

import gpu_timings
import numpy as np

import joggle as jg

DEVICE = "cuda:0"
LARGE = int(os.environ.get("GPU_CHECK_ELEMENTS", 64 << 20))  # of float32: 256 MiB
WIDTH = 4096 if LARGE >= 1 << 24 else 128


def numbers(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype("f4")


def there(a):
    return jg.asarray(a, device=DEVICE)


def inventory():
    info = jg.device_info(DEVICE)
    yield "device", True, info["device_name"]
    yield "memory", True, f"{info['memory_size'] / 2**30:.1f} GiB"
    yield "python, numpy", True, f"{platform.python_version()}, {np.__version__}"


def same_bits():
    a = np.abs(numbers(1 << 20)) * 4
    for name in ["exp", "expm1", "log1p", "sin", "cos", "tanh", "erf", "sqrt", "sigmoid"]:
        function = getattr(jg, name)
        there, here = (np.asarray(function(jg.asarray(a, device=d))) for d in (DEVICE, "cpu"))
        differing = int(np.sum(there.view("u4") != here.view("u4")))
        yield f"{name}: bits that differ from the CPU's", differing == 0, differing


def close(name, got, wanted, tolerance):
    error = float(np.max(np.abs(np.asarray(got) - wanted)))
    return name, error <= tolerance * (1 + float(np.max(np.abs(wanted)))), f"{error:.2g}"


def values():
    a, b = numbers(500, 700), numbers(700, 300)
    x, y = there(a), there(b)
    yield close("product", x @ y, a @ b, 1e-4)
    yield close("sum of rows", jg.sum(x, axis=1), a.sum(1), 1e-4)
    yield close("sum of columns", jg.sum(x, axis=0), a.sum(0), 1e-4)
    exps = np.exp(a - a.max(1, keepdims=True))
    yield close("softmax", jg.softmax(x, axis=1), exps / exps.sum(1, keepdims=True), 1e-5)
    yield close("odd offsets", x[1:, 3::2] * 2 + 1, a[1:, 3::2] * 2 + 1, 1e-6)
    yield close("sort (on the host)", jg.sort(x, axis=1), np.sort(a, axis=1), 0)


def halves():
    """Products by cuBLASLt where that is there, and by our kernel for tensor cores, which makes
    segments: by rows and by columns, and from addresses that are no multiples of 16. The sizes take
    the kernel's large tiles, then its small ones."""
    for dtype, tolerance in (("float16", 2e-3), ("bfloat16", 1e-2)):
        worst = {"": 0.0, ", our kernel": 0.0}
        for rows in (WIDTH // 2 + 5, 70):
            x, y = numbers(rows, 208), numbers(208, WIDTH // 2 + 133)
            for turned in range(8):
                a, b = (
                    there(m.T.copy()).T if turned >> i & 1 else there(m)
                    for i, m in enumerate((x, y))
                )
                a, b = (m.astype(getattr(jg, dtype)) for m in (a, b))
                jg.eval(a, b)
                if turned & 4:
                    a, b = a[1:, 3:], b[3:, 1:]
                wide = a.astype(jg.float32) @ b.astype(jg.float32)
                segment = there(np.array([[0, b.shape[0]]]))
                made = {"": a @ b, ", our kernel": jg.segmented_mm(a, b, segment)[0]}
                for name, got in made.items():
                    error = float(jg.max(jg.abs(got.astype(jg.float32) - wide)))
                    worst[name] = max(worst[name], error / float(jg.max(jg.abs(wide))))
        for name, error in worst.items():
            yield f"product of {dtype}{name}", error <= tolerance, f"{error:.2g}"


def torch_streams(torch):
    """Tensors of torch on a side stream, behind a kernel that takes long."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)
        t = torch.full((1000,), 3.0, device="cuda")
        x = jg.from_dlpack(t)
    yield "torch to joggle, behind a delay", np.all(np.asarray(x * 2) == 6), ""
    y = jg.exp(jg.zeros(1000, device=DEVICE)) + 1
    with torch.cuda.stream(side):
        back = torch.from_dlpack(y)
        doubled = back * 2
    yield "joggle to torch, on a side stream", bool((doubled.cpu() == 4).all()), ""
    yield "no copy", back.data_ptr() != 0 and jg.from_dlpack(back).device == DEVICE, ""
    with jg.stream(jg.from_stream(torch.cuda.current_stream())):
        z = jg.from_dlpack(torch.ones(1000, device="cuda")) + 1
        jg.eval(z)
        yield "torch's own stream", bool((torch.from_dlpack(z).cpu() == 2).all()), ""


def jax_arrays(jax):
    x = jg.from_dlpack(jax.numpy.arange(1000, dtype="float32")) * 2
    yield "jax to joggle", np.all(np.asarray(x) == np.arange(1000) * 2), ""
    back = jax.dlpack.from_dlpack(jg.ones(8, device=DEVICE) + 1)
    yield "joggle to jax", bool((back == 2).all()), ""


def cupy_arrays(cupy):
    x = jg.from_dlpack(cupy.arange(1000, dtype="float32")) * 2
    yield "cupy to joggle", np.all(np.asarray(x) == np.arange(1000) * 2), ""
    yield "joggle to cupy", bool((cupy.from_dlpack(jg.ones(8, device=DEVICE) + 1) == 2).all()), ""


PEERS = {
    "torch": (torch_streams, lambda torch: torch.cuda.is_available()),
    "jax": (jax_arrays, lambda jax: jax.default_backend() == "gpu"),
    "cupy": (cupy_arrays, lambda cupy: cupy.is_available()),
}


def peers():
    for name, (check, has_gpu) in PEERS.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            yield name, True, "not installed"
            continue
        if has_gpu(module):
            yield from check(module)
        else:
            yield name, True, "finds no GPU"


def torch_or_none():
    """torch, where it is installed and finds the device. float32 stays float32 in its products."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.backends.cuda.matmul.allow_tf32 = False
    return torch


def timings():
    yield from gpu_timings.timings(gpu_timings.Bench(DEVICE, LARGE, WIDTH, torch_or_none()))


def main():
    rows = []
    for part in (gpu_timings.first, inventory, same_bits, values, halves, peers, timings):
        try:
            rows.extend(part())
        except Exception as error:
            rows.append((part.__name__, False, f"{type(error).__name__}: {error}"[:200]))
    print("| check | holds | |\n|---|---|---|")
    for name, holds, shown in rows:
        print(f"| {name} | {'yes' if holds else 'NO'} | {shown} |")
    return 0 if all(holds for _, holds, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
