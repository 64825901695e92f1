# SPDX-License-Identifier: Apache-2.0
"""The examples run from anywhere, end well and stay short; the demo does what it says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
MAX_LINES = 80


def run(script, cwd, shadows=None, arguments=()):
    """Runs a script. shadows: a folder whose modules come before the installed ones."""
    environment = {**os.environ, "TIMING_ROUNDS": "3"}
    if shadows:
        paths = (str(shadows), os.environ.get("PYTHONPATH", ""))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    result = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def table_of(output, title):
    """The lines of a table as {first column: the other cells}."""
    lines = output[output.index(title) :].split("\n\n")[0].splitlines()[1:]
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]
    return {first: rest for first, *rest in cells}


@pytest.mark.parametrize(
    "script",
    [path for path in SCRIPTS if path.stem not in ("digits", "language")],
    ids=lambda path: path.stem,
)
def test_each_example_runs(script, tmp_path):
    assert run(script, tmp_path).stdout.strip()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_is_short(script):
    assert len(script.read_text().splitlines()) <= MAX_LINES


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, run(EXAMPLES / "digits.py", folder)


def test_demo_takes_the_images_in_place(demo):
    lines = [line.split() for line in demo[1].stdout.splitlines() if line.startswith("  ")]
    addresses = {words[0]: words[2] for words in lines}
    assert addresses["NumPy's"] == addresses["joggle's"]


def test_the_demo_learns(demo):
    (line,) = (line for line in demo[1].stdout.splitlines() if line.startswith("accuracy"))
    assert float(line.split()[-1]) >= 0.94


def test_demo_shows_its_progress_in_few_lines_when_not_on_a_terminal(demo):
    told = demo[1].stderr.strip().splitlines()
    lines = [line for line in told if "%" in line]  # torch for CUDA adds that there is no GPU
    assert 2 <= len(lines) <= 10 and len(told) <= 12
    assert "100 %" in lines[-1]


def test_demo_hands_over_without_copies(demo):
    rows = table_of(demo[1].stdout, "hand-over")
    for name in ("NumPy -> joggle", "joggle -> NumPy (asarray)", "PyTorch -> joggle"):
        assert rows[name][0] == "yes", name
    assert rows["joggle -> PyTorch"][0] == "yes"


def test_demo_times_a_step_beside_numpy_and_torch(demo):
    rows = table_of(demo[1].stdout, "one training step")
    assert {"joggle", "NumPy", "PyTorch, the same step"} <= rows.keys()
    assert {"the same, backend joggle", "the same, backend inductor"} <= rows.keys()


@pytest.mark.parametrize("picture", ["loss.png", "weights.png"])
def test_the_demo_draws(demo, picture):
    png = (demo[0] / "demo" / picture).read_bytes()
    assert png.startswith(b"\x89PNG\r\n") and len(png) > 10_000


@pytest.mark.full
def test_demo_runs_without_jax(tmp_path):
    (tmp_path / "jax.py").write_text("raise ImportError('no jax here')\n")
    rows = table_of(run(EXAMPLES / "digits.py", tmp_path, tmp_path).stdout, "hand-over")
    assert rows["JAX -> joggle"][0] == "not installed"


def test_the_language_model_learns_and_writes_beside_torch_and_without_mlx(tmp_path):
    (tmp_path / "mlx.py").write_text("raise ImportError('no mlx here')\n")
    output = run(EXAMPLES / "language.py", tmp_path, tmp_path, ["4"]).stdout
    rows = table_of(output, "one training step")
    assert rows["MLX"] == ["not installed"]
    # The loss of the fourth step, which three updates have gone into.
    assert float(rows["PyTorch"][-1]) == pytest.approx(float(rows["joggle"][-1]), abs=1e-3)
    told = next(line for line in output.splitlines() if line.startswith("loss "))
    before, after = float(told.split()[1]), float(told.split()[3])
    assert after < before - 0.5
    assert "Return the " in output


def test_model_has_the_gradients_that_torch_finds(monkeypatch):
    np, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from digits import model

    import joggle as jg

    rng = np.random.default_rng(1)
    x = rng.random((12, 64), np.float32)
    labels = rng.integers(0, 10, 12)
    targets = (labels[:, None] == np.arange(10)).astype(np.float32)
    parameters = model.initial_parameters(64, 16, 10)
    ours = [jg.from_dlpack(p) for p in parameters]
    loss, gradients = model.loss_and_gradients(jg, ours, jg.asarray(x), jg.asarray(targets))
    theirs = [torch.tensor(p, requires_grad=True) for p in parameters]
    scores, _ = model.predict(torch, theirs, torch.tensor(x))
    expected = torch.nn.functional.cross_entropy(scores, torch.tensor(labels))
    expected.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    for gradient, p in zip(gradients, theirs, strict=True):
        np.testing.assert_allclose(np.asarray(gradient), p.grad.numpy(), rtol=1e-4, atol=1e-6)
