# SPDX-License-Identifier: Apache-2.0
"""Attention by one launch: of random shapes, at every instruction set, mapped, differentiated,
compiled, exported, next to what it shares memory with."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import joggle as jg

ROUTINE = "scaled_dot_product_attention (scale="


def sample(shape, seed=0):
    return jg.array(np.random.default_rng(seed).standard_normal(shape).astype("f4"))


def attend(q, k, v, mask=None, *, causal=False, sinks=None):
    return jg.scaled_dot_product_attention(q, k, v, 0.3, mask, causal, sinks)


@pytest.mark.parametrize(("isa", "threads"), [("baseline", "1"), ("avx2", "2"), ("avx512", "3")])
def test_random_attentions_are_right_at_every_instruction_set(isa, threads):
    program = Path(__file__).with_name("program_attention.py")
    environment = {**os.environ, "JOGGLE_ISA": isa, "JOGGLE_NUM_THREADS": threads}
    subprocess.run([sys.executable, str(program), "60"], env=environment, check=True, timeout=240)


@pytest.mark.parametrize(("length", "span"), [(500, 700), (3, 3000)])
def test_results_do_not_depend_on_the_number_of_threads(length, span):
    q = sample((1, 6, length, 40))
    k, v = sample((1, 2, span, 40), 1), sample((1, 2, span, 24), 2)
    found = []
    for threads in ("1", "2", "5"):
        before = jg.get_option("num_threads")
        jg.set_option("num_threads", threads)
        found.append(np.asarray(attend(q, k, v, causal=length > 3)))
        jg.set_option("num_threads", before)
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()


@pytest.mark.parametrize("axes", [(0, 0, 0), (0, None, None), (None, 1, 1), (2, 0, None)])
def test_mapped_attention_is_one_launch(axes):
    shapes = {None: (2, 4, 70, 8), 0: (3, 2, 4, 70, 8), 1: (2, 3, 4, 70, 8), 2: (2, 4, 3, 70, 8)}
    inputs = [sample(shapes[axis], seed) for seed, axis in enumerate(axes)]
    mask, sinks = sample((4, 70, 70), 7), sample((4,), 8)
    found = jg.vmap(lambda *qkv: attend(*qkv, mask, sinks=sinks), in_axes=axes)(*inputs)
    for i in range(3):
        one = [
            x if axis is None else jg.take(x, i, axis=axis)
            for x, axis in zip(inputs, axes, strict=True)
        ]
        wanted = np.asarray(attend(*one, mask, sinks=sinks))
        np.testing.assert_allclose(np.asarray(found[i]), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [80, 600])  # scores in one block, and in several
@pytest.mark.parametrize("causal", [False, True])
def test_derivatives_are_pytorchs(length, causal):
    arrays = [sample((2, 4, length, 16)), sample((2, 2, length, 16), 1)]
    arrays.append(sample((2, 2, length, 16), 2))
    weights = sample((2, 4, length, 16), 3)

    def loss(q, k, v):
        return jg.sum(attend(q, k, v, causal=causal) * weights)

    value, found = jg.value_and_grad(loss, argnums=(0, 1, 2))(*arrays)
    tensors = [torch.tensor(np.asarray(x), requires_grad=True) for x in arrays]
    out = torch.nn.functional.scaled_dot_product_attention(
        *tensors, is_causal=causal, scale=0.3, enable_gqa=True
    )
    wanted = (out * torch.tensor(np.asarray(weights))).sum()
    wanted.backward()
    np.testing.assert_allclose(float(value), wanted.item(), rtol=1e-4, atol=1e-3)
    for mine, theirs in zip(found, tensors, strict=True):
        np.testing.assert_allclose(np.asarray(mine), theirs.grad.numpy(), rtol=1e-3, atol=1e-4)


def test_forward_and_second_derivatives_agree_with_differences():
    k, v = sample((1, 2, 300, 8), 1), sample((1, 2, 300, 8), 2)
    q, tangent = sample((1, 2, 900, 8)), sample((1, 2, 900, 8), 3)

    def f(x):
        return jg.sum(jg.sin(attend(x, k, v)))

    slope = jg.jvp(f, (q,), (tangent,))[1][0]
    step = 1e-2
    difference = (f(q + step * tangent) - f(q - step * tangent)) / (2 * step)
    np.testing.assert_allclose(float(slope), float(difference), rtol=2e-2)
    turned = jg.jvp(jg.grad(f), (q,), (tangent,))[1][0]
    around = (jg.grad(f)(q + step * tangent) - jg.grad(f)(q - step * tangent)) / (2 * step)
    np.testing.assert_allclose(np.asarray(turned), np.asarray(around), rtol=0.05, atol=2e-3)


def test_compiled_and_exported_attention_has_the_same_bits(tmp_path):
    q, k, v = (sample((1, 4, 600, 32), seed) for seed in range(3))
    mask, sinks = sample((600, 600), 5), sample((4,), 6)

    def f(q, k, v):
        return attend(q * 2, k, v, mask, sinks=sinks) + 1

    wanted = np.asarray(f(q, k, v))
    assert ROUTINE in jg.explain(f(q, k, v))
    np.testing.assert_array_equal(np.asarray(jg.compile(f)(q, k, v)), wanted)
    path = str(tmp_path / "attention.jgf")
    jg.export_function(path, f, q, k, v)
    again = jg.import_function(path)(q, k, v)
    again = again[0] if isinstance(again, (list, tuple)) else again
    np.testing.assert_array_equal(np.asarray(again), wanted)


def test_inputs_may_be_one_array_and_be_written_over_later():
    x = sample((1, 2, 100, 16))
    wanted = np.asarray(attend(jg.copy(x), jg.copy(x), jg.copy(x)))
    result = attend(x, x, x)
    kept = np.array(np.asarray(x))
    x += 1  # what was built before reads the elements of then
    other = attend(x, x, x)
    np.testing.assert_array_equal(np.asarray(result), wanted)
    more = [jg.array(kept + 1) for _ in range(3)]
    np.testing.assert_array_equal(np.asarray(other), np.asarray(attend(*more)))
    memory = kept.copy()
    mine = jg.asarray(memory)
    result = attend(mine, mine, mine)
    jg.eval(result)
    memory[...] = 0
    np.testing.assert_array_equal(np.asarray(result), wanted)


def test_scores_take_no_memory():
    q, k, v = (sample((1, 2, 2048, 16), seed) for seed in range(3))
    jg.eval(q, k, v)
    jg.synchronize()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    result = attend(q, k, v)
    jg.eval(result)
    assert jg.get_peak_memory() - before < 2 * result.nbytes


def test_numbers_that_are_not_finite_stay_where_they_are():
    q, k, v = (np.array(np.asarray(sample((1, 1, 130, 8), seed))) for seed in range(3))
    q[0, 0, 3] = np.nan
    v[0, 0, 100, 2] = np.inf
    found = np.asarray(attend(jg.array(q), jg.array(k), jg.array(v)))[0, 0]
    assert np.isnan(found[3]).all() and not np.isnan(np.delete(found, 3, axis=0)).any()
    assert np.isinf(np.delete(found[:, 2], 3)).all()
    assert np.isfinite(np.delete(np.delete(found, 3, axis=0), 2, axis=1)).all()


def test_other_devices_and_dtypes_spell_it_in_other_ops():
    q, k, v = (sample((1, 2, 70, 8), seed) for seed in range(3))
    wide = attend(*(x.astype(jg.float64) for x in (q, k, v)))
    assert ROUTINE not in jg.explain(wide)
    np.testing.assert_allclose(np.asarray(attend(q, k, v)), np.asarray(wide), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("span", [65, 3000])
def test_one_query_reads_the_cache_as_it_lies(dtype, span):
    caches = [sample((1, 2, span + 40, 64), seed).astype(dtype) for seed in (1, 2)]
    q = sample((1, 8, 1, 64)).astype(dtype)
    jg.eval(q, *caches)
    jg.synchronize()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    result = attend(q, *(cache[:, :, :span] for cache in caches))
    assert jg.explain(result).count("launch ") == 1
    jg.eval(result)
    assert jg.get_peak_memory() - before < caches[0].nbytes // 4


def test_a_query_that_sees_no_key_gets_the_mean():
    q, k, v = sample((1, 2, 4, 8)), sample((1, 2, 2200, 8), 1), sample((1, 2, 2200, 8), 2)
    seen = np.zeros((4, 2200), bool)
    seen[0, :3] = seen[1, 2100] = seen[2, 1024:] = True  # the last query sees nothing
    found = np.asarray(attend(q, k, v, jg.array(seen)))
    keys, values = np.asarray(k)[0], np.asarray(v)[0]
    np.testing.assert_allclose(found[0, :, 1], values[:, 2100], rtol=1e-6)
    np.testing.assert_allclose(found[0, :, 3], values.mean(axis=1), rtol=1e-4, atol=1e-6)
    scores = 0.3 * np.einsum("hd,htd->ht", np.asarray(q)[0, :, 2], keys)[:, 1024:]
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    wanted = np.einsum("ht,hte->he", shares, values[:, 1024:])
    np.testing.assert_allclose(found[0, :, 2], wanted, rtol=1e-4, atol=1e-6)
    dropped = np.where(seen, 0, -np.inf).astype("f4")
    assert np.isnan(np.asarray(attend(q, k, v, jg.array(dropped)))[0, :, 3]).all()


def test_what_is_not_finite_in_few_rows_stays_where_it_is():
    q, k, v = (np.array(np.asarray(sample((1, 1, n, 8), n))) for n in (3, 1300, 1301))
    v = v[:, :, :1300]
    q[0, 0, 1] = np.nan
    v[0, 0, 1200, 2] = np.inf
    found = np.asarray(attend(jg.array(q), jg.array(k), jg.array(v)))[0, 0]
    assert np.isnan(found[1]).all() and not np.isnan(found[[0, 2]]).any()
    assert np.isinf(found[[0, 2], 2]).all()
    assert np.isfinite(np.delete(found[[0, 2]], 2, axis=1)).all()


def test_attention_over_no_keys_keeps_its_shape():
    for shapes in [((1, 2, 1, 8), (1, 2, 0, 8)), ((0, 2, 1, 8), (0, 2, 5, 8))]:
        q, k = (jg.zeros(shape) for shape in shapes)
        assert attend(q, k, k).shape == shapes[0]
