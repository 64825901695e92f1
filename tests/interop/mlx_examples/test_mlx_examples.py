# SPDX-License-Identifier: Apache-2.0
"""Programs in the style of MLX's examples train on joggle as with the package mlx, step by step."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

PROGRAMS = pathlib.Path(__file__).parent / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem != "handed")
# How far losses fall, at least: the last by the first. Rounding grows with the steps.
FALLS = {
    "mnist: perceptron": 0.2,
    "mnist: perceptron compiled": 0.2,
    "mnist: convolutions": 0.4,
    "normalizing_flow": 0.8,
    "transformer_lm": 0.5,
    "gcn": 0.6,
    "lora": 0.9,
    "recurrent: lstm": 0.99,
    "recurrent: gru": 0.99,
    "recurrent: rnn": 0.99,
}


def run(name, out, on_joggle, programs=PROGRAMS):
    before = ["-m", "joggle.mlx"] if on_joggle else []
    command = [sys.executable, *before, str(programs / f"{name}.py"), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout + done.stderr == ""
    return dict(np.load(out))


def assert_agree(name, ours, theirs):
    assert ours.keys() == theirs.keys()
    for key, expected in theirs.items():
        if expected.dtype.kind in "US":
            assert ours[key].tolist() == expected.tolist()
            continue
        tolerance = 1e-2 if key.endswith(("logits", "scores", "samples", "norms")) else 2e-3
        np.testing.assert_allclose(
            ours[key], expected, rtol=tolerance, atol=tolerance, err_msg=f"{name}: {key}"
        )


@pytest.fixture(scope="module", params=NAMES)
def both(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    ours = run(request.param, folder / "joggle.npz", True)
    return request.param, ours, run(request.param, folder / "mlx.npz", False)


def test_numbers_are_those_of_mlx(both):
    assert_agree(*both)


def test_numbers_are_those_of_mlx_where_joggle_itself_is_imported(both, tmp_path):
    name, _, theirs = both
    for program in (name, "handed"):
        source = (PROGRAMS / f"{program}.py").read_text()
        source = source.replace("import mlx.core as mx", "import joggle as mx")
        for word in ("import", "from"):
            source = source.replace(f"{word} mlx.", f"{word} joggle.")
        assert "mlx." not in source
        (tmp_path / f"{program}.py").write_text(source)
    assert_agree(name, run(name, tmp_path / "out.npz", False, tmp_path), theirs)


def test_the_losses_of_examples_fall(both):
    name, ours, _ = both
    seen = 0
    for key, losses in ours.items():
        if key.endswith("losses"):
            part = key.removesuffix("losses").removesuffix(": ")
            bound = FALLS[f"{name}: {part}" if part else name]
            assert losses[-5:].mean() < bound * losses[0], key
            seen += 1
    assert seen


def test_programs_learn_as_much_as_they_should(both):
    name, ours, _ = both
    if name == "mnist":
        assert ours["perceptron: accuracy"] > 0.85
        assert ours["convolutions: accuracy"] > 0.85
    elif name == "normalizing_flow":
        assert ours["back less noise"] < 1e-3
    elif name == "transformer_lm":
        assert ours["perplexity"] < 5
    elif name == "gcn":
        assert ours["accuracy"] > 0.8
    elif name == "lora":
        np.testing.assert_allclose(ours["fused"], ours["adapted"], atol=1e-5)
        assert not ours["bias kept"].any()
    else:
        assert name == "recurrent"
