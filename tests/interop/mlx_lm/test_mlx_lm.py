# SPDX-License-Identifier: Apache-2.0
"""mlx-lm runs on joggle: the same program with the package mlx, and by `python -m joggle.mlx`."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.timeout(600)  # all programs run before the first test
PROGRAMS = pathlib.Path(__file__).parent / "programs"
sys.path.insert(0, str(PROGRAMS))
FAMILIES = [
    "llama", "qwen2", "qwen3", "phi3", "olmo2", "gemma", "gemma2", "gemma3_text", "cohere",
    "starcoder2", "stablelm", "gpt2", "gpt_neox", "mixtral", "qwen3_moe", "qwen3_next", "gpt_oss",
    "deepseek_v3", "mamba", "mamba2", "rwkv7", "recurrent_gemma",
]  # fmt: skip


def run(*arguments):
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, cwd=PROGRAMS
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What a program has written on both, by name. The models of a family, and the smaller one that
    stands in for it, are in folders as mlx_lm.load reads them."""
    folder = tmp_path_factory.mktemp("results")
    models = [folder / family for family in ("llama", "qwen2")]
    run("-c", "import sys, tiny\nfor x in sys.argv[1:]: tiny.write(x.split('/')[-1], x)", *models)
    for name, before in (("mlx", []), ("joggle", ["-m", "joggle.mlx"])):
        (folder / name).mkdir()
        run(*before, PROGRAMS / "together.py", folder / name, *models)

    def of(program):
        ours, theirs = (
            dict(np.load(folder / name / f"{program}.npz")) for name in ("joggle", "mlx")
        )
        assert ours.keys() == theirs.keys()
        return ours, theirs

    return of


def test_the_program_has_all_families_of_this_test():
    import ast

    tree = ast.parse((PROGRAMS / "tiny.py").read_text())
    (families,) = (
        node.value for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "FAMILIES"
    )  # fmt: skip
    assert [key.value for key in families.keys] == FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_of_a_family_are_those_of_mlx(results, family):
    ours, theirs = results("families")
    np.testing.assert_allclose(ours[family], theirs[family], atol=1e-4, rtol=1e-4)


WAYS = [
    "greedy", "text", "streamed", "short prefill", "rotating", "quantised cache", "penalised",
    "speculative", "batched", "saved cache",
]  # fmt: skip
SAMPLERS = ["temperature", "top p", "top k", "min p", "xtc"]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_generated_is_what_mlx_generates(results, way):
    ours, theirs = results("generating")
    assert ours[way].size > 0
    np.testing.assert_array_equal(ours[way], theirs[way])


def test_speculative_decoding_gives_what_greedy_decoding_gives(results):
    ours, _ = results("generating")
    np.testing.assert_array_equal(ours["speculative"], ours["greedy"][:30])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_samplers_draw_tokens_of_the_vocabulary(results, sampler):
    ours, theirs = results("generating")
    drawn = ours[f"sampled: {sampler}"]
    assert drawn.shape == theirs[f"sampled: {sampler}"].shape
    assert drawn.min() >= 0
    assert drawn.max() < 260
    assert len(set(drawn.tolist())) > 3


def test_perplexity_and_logits_are_those_of_mlx(results):
    ours, theirs = results("generating")
    np.testing.assert_allclose(ours["perplexity"], theirs["perplexity"], rtol=1e-4)
    np.testing.assert_allclose(ours["logits"], theirs["logits"], atol=1e-3)


@pytest.mark.parametrize("kind", ["lora", "dora", "checkpointed", "of codes"])
def test_tuning_goes_as_with_mlx(results, kind):
    ours, theirs = results("tuning")
    losses = ours[f"{kind}: losses"]
    np.testing.assert_allclose(losses, theirs[f"{kind}: losses"], rtol=1e-4)
    assert losses[3] < losses[0]
    np.testing.assert_allclose(ours[f"{kind}: logits"], theirs[f"{kind}: logits"], atol=1e-3)


@pytest.mark.parametrize("kind", ["lora", "dora"])
def test_a_fused_model_that_was_saved_gives_what_the_tuned_one_gave(results, kind):
    ours, _ = results("tuning")
    assert ours[f"{kind}: fused less tuned"] < 1e-5


# What mxfp and nvfp codes expand to is bfloat16, and so is what the model computes then.
TOLERANCES = {"4 bits": 1e-4, "8 bits": 1e-4, "mxfp4": 0.06, "mxfp8": 0.06, "nvfp4": 0.06}


@pytest.mark.parametrize("kind", TOLERANCES)
def test_quantised_models_are_those_of_mlx(results, kind):
    ours, theirs = results("quantising")
    for name in (kind, f"{kind}: expanded"):
        np.testing.assert_allclose(ours[name], theirs[name], atol=TOLERANCES[kind])
    assert ours[f"{kind}: read less made"] == 0
