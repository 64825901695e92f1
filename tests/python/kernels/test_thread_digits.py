# SPDX-License-Identifier: Apache-2.0
"""qd.simt.block.radix_rank_match_atomic_or: places of threads by a digit of their keys, against
NumPy's stable order."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

block = qd.simt.block


def by_blocks(x, size):
    return [x[k : k + size] for k in range(0, len(x), size)]


@pytest.mark.parametrize("count", [64, 192, 150, 1])
@pytest.mark.parametrize("key_dtype", [np.uint32, np.int32, np.uint64])
def test_threads_learn_their_places_by_a_digit_of_their_keys(count, key_dtype):
    bits, start, width, size = 6, 3, 5, 64

    @qd.kernel
    def rank(
        keys: qd.types.ndarray(),
        ranks: qd.types.ndarray(),
        counts: qd.types.ndarray(),
        before: qd.types.ndarray(),
    ):
        qd.loop_config(block_dim=size)
        for i in keys:
            bins = block.SharedArray((size,), qd.i32)
            prefix = block.SharedArray((size,), qd.i32)
            ranks[i] = block.radix_rank_match_atomic_or(
                keys[i], size, bits, start, width, bins, prefix
            )
            if block.thread_idx() == 0:
                for d in range(size):
                    counts[i // size, d] = bins[d]
                    before[i // size, d] = prefix[d]

    blocks = -(-count // size)
    keys = np.random.default_rng(count).integers(0, 1 << 32, count, np.uint64).astype(key_dtype)
    ranks = np.zeros(count, np.int32)
    counts, before = np.full((2, blocks, size), -1, np.int32)
    rank(keys, ranks, counts, before)
    digits = (keys.astype(np.uint64) >> np.uint64(start)) % (1 << width)
    for k, part in enumerate(by_blocks(digits.astype(np.int64), size)):
        order = np.argsort(part, kind="stable")
        expected = np.empty_like(order)
        expected[order] = np.arange(len(part))
        assert np.array_equal(by_blocks(ranks, size)[k], expected)
        histogram = np.bincount(part, minlength=size)
        assert np.array_equal(counts[k], histogram)
        assert np.array_equal(before[k], np.cumsum(histogram) - histogram)


@pytest.mark.parametrize(
    ("size", "bits", "dtype", "message"),
    [
        (32, 6, qd.i32, "block_dim: got .*allowed is the loop's, 64"),
        (64, 5, qd.i32, "block_dim: got .*allowed is 1 << radix_bits, 32"),
        (64, 6, qd.f32, "bins: got .*allowed are shared arrays of 64 int32"),
    ],
)
def test_places_by_a_digit_need_a_thread_and_a_count_for_each(size, bits, dtype, message):
    @qd.kernel
    def rank(keys: qd.types.ndarray(qd.u32, 1)):
        qd.loop_config(block_dim=64)
        for i in keys:
            bins = block.SharedArray((64,), dtype)
            prefix = block.SharedArray((64,), qd.i32)
            keys[i] = block.radix_rank_match_atomic_or(keys[i], size, bits, 0, 5, bins, prefix)

    with pytest.raises(TypeError, match=message):
        rank(np.zeros(64, np.uint32))
