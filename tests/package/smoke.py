# SPDX-License-Identifier: Apache-2.0
"""What an installed joggle must do, with nothing beside it but Python and what pip brought along.

    python smoke.py [--jit]

--jit says that the extra `jit` is installed; without it, kernels must say what they need. Prints a
line for each part and ends with the number of parts; a part that fails raises.
"""

import array
import importlib.metadata
import math
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import joggle as jg
import joggle.fields as qd
import joggle.nn as nn
import joggle.optimizers as optimizers

HAS_JIT = "--jit" in sys.argv


def close(got, expected, tolerance=1e-5):
    assert math.isclose(got, expected, rel_tol=tolerance, abs_tol=tolerance), (got, expected)


def installed():
    assert jg.__version__ == importlib.metadata.version("joggle")
    assert Path(jg.__file__).is_relative_to(sys.prefix), jg.__file__
    assert not {"numpy", "torch", "scipy_openblas32"} & set(sys.modules)
    info = importlib.metadata.distribution("joggle")
    assert any(path.match("sboms/*.cdx.json") for path in info.files)


def fused_programs():
    x = jg.arange(100_000, dtype=jg.float64)
    y = jg.sqrt(x * x + 1) - x
    close(float(jg.sum(y)), sum(math.sqrt(i * i + 1.0) - i for i in range(100_000)))
    v = x[10:20]
    v += 1
    assert v.tolist() == list(range(11, 21)) and x[10].item() == 10
    assert jg.sort(jg.array([3, 1, 2])).tolist() == [1, 2, 3]


def products_by_openblas():
    a = jg.reshape(jg.arange(300 * 300, dtype=jg.float64), (300, 300)) / 90_000
    close(float((a @ a)[7, 11]), sum((7 * 300 + k) * (k * 300 + 11) for k in range(300)) / 8.1e9)
    x = jg.linalg.solve(a + jg.eye(300, dtype=jg.float64), jg.ones(300, dtype=jg.float64))
    close(float(jg.max(jg.abs((a + jg.eye(300, dtype=jg.float64)) @ x - 1))), 0, 1e-9)
    assert "scipy_openblas" in Path("/proc/self/maps").read_text()


def signals_and_numbers():
    wave = jg.sin(jg.arange(64, dtype=jg.float64) * (2 * math.pi * 5 / 64))
    assert int(jg.argmax(jg.abs(jg.fft.rfft(wave)))) == 5
    one, two = (jg.random.uniform(shape=(1000,), key=jg.random.key(7)) for _ in range(2))
    assert one.tolist() == two.tolist()
    close(float(jg.mean(one)), 0.5, 0.05)


def memory_of_others():
    numbers = array.array("d", range(8))
    x = jg.asarray(numbers, copy=False)
    numbers[3] = 100
    assert (x * 2).tolist() == [0, 2, 4, 200, 8, 10, 12, 14]
    assert memoryview(jg.from_dlpack(x)).tolist() == numbers.tolist()


def files():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/weights.safetensors"
        jg.save_safetensors(path, {"w": jg.ones((2, 3)), "b": jg.arange(3)})
        loaded = jg.load(path)
        assert loaded["w"].shape == (2, 3) and loaded["b"].tolist() == [0, 1, 2]


def derivatives():
    assert jg.grad(lambda x: jg.sum(x**3))(jg.array([1.0, 2.0])).tolist() == [3, 12]
    rows = jg.vmap(lambda row: row / jg.sum(row))(jg.array([[1.0, 3.0], [2.0, 2.0]]))
    assert rows.tolist() == [[0.25, 0.75], [0.5, 0.5]]


def learning():
    layer, optimizer = nn.Linear(3, 1), optimizers.Adam(learning_rate=0.05)
    x = jg.random.normal((64, 3), key=jg.random.key(1))
    y = x @ jg.array([[1.0], [-2.0], [0.5]])

    def loss(model):
        return jg.mean((model(x) - y) ** 2)

    step = nn.value_and_grad(layer, loss)
    first = float(step(layer)[0])
    for _ in range(200):
        optimizer.update(layer, step(layer)[1])
        jg.eval(layer.parameters(), optimizer.state)
    assert float(loss(layer)) < first / 100


def threads():
    sums = []

    def work(number):
        sums.append(float(jg.sum(jg.full((50_000,), number, dtype=jg.float32) * 2)))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(sums) == [100_000.0 * number for number in range(8)]


def kernels():
    qd.init(arch=qd.cpu)
    cells = qd.field(qd.f32, shape=(1000,))

    @qd.kernel
    def fill(scale: qd.f32) -> qd.f32:
        total = 0.0
        for i in cells:
            cells[i] = scale * qd.sqrt(qd.cast(i, qd.f32))
            total += cells[i]
        return total

    if not HAS_JIT:
        try:
            fill(2.0)
        except Exception as error:
            assert "pip install 'joggle[jit]'" in str(error), error
            return
        raise AssertionError("a kernel ran without the tier that compiles")
    close(fill(2.0), sum(2 * math.sqrt(i) for i in range(1000)), 1e-4)
    assert cells[9] == 6


def c_programs():
    told = subprocess.run(
        [sys.executable, "-m", "joggle", "--include-dir", "--library-dir", "--cmake-dir"],
        check=True,
        capture_output=True,
        text=True,
    )
    include, library, cmake = told.stdout.split()
    assert Path(include, "joggle/joggle.h").exists()
    assert Path(library, "libjoggle.so.0").exists()
    assert Path(cmake, "joggleConfig.cmake").exists()


PARTS = (
    installed,
    fused_programs,
    products_by_openblas,
    signals_and_numbers,
    memory_of_others,
    files,
    derivatives,
    learning,
    threads,
    kernels,
    c_programs,
)

if __name__ == "__main__":
    for part in PARTS:
        part()
        print("holds:", part.__name__.replace("_", " "))
    print(f"python {sys.version.split()[0]}: {len(PARTS)} parts hold")
