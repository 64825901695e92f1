# SPDX-License-Identifier: Apache-2.0
"""qd.simt: barriers, shared arrays and what threads compute together, against NumPy."""

import numpy as np
import pytest
import quadrants

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

block, subgroup, warp, grid = qd.simt.block, qd.simt.subgroup, qd.simt.warp, qd.simt.grid


def numbers(count, dtype=np.float32):
    return np.random.default_rng(count).integers(-9, 10, count).astype(dtype)


def by_blocks(x, size):
    return [x[k : k + size] for k in range(0, len(x), size)]


@pytest.mark.parametrize("count", [256, 200, 1, 64])
def test_threads_read_what_others_wrote_before_a_barrier(count):
    @qd.kernel
    def reverse(x: qd.types.ndarray(), y: qd.types.ndarray()):
        qd.loop_config(block_dim=64)
        for i in x:
            thread = block.thread_idx()
            shared = block.SharedArray((64,), qd.f32)
            shared[thread] = x[i]
            block.sync()
            y[i] = 2 * shared[63 - thread] + thread

    x = numbers(count)
    y = np.zeros_like(x)
    reverse(x, y)
    padded = np.zeros(-(-count // 64) * 64, np.float32)
    padded[:count] = x
    expected = np.concatenate([2 * part[::-1] + np.arange(64) for part in by_blocks(padded, 64)])
    assert np.array_equal(y, expected[:count])


def test_threads_sum_by_halves_with_barriers_in_a_loop():
    @qd.kernel
    def sums(x: qd.types.ndarray(), out: qd.types.ndarray()):
        qd.loop_config(block_dim=128)
        for i in range(x.shape[0]):
            shared = block.SharedArray(128, qd.f64)
            thread = i % 128
            shared[thread] = x[i]
            block.sync()
            size = 64
            while size > 0:
                if thread < size:
                    shared[thread] += shared[thread + size]
                block.sync()
                size //= 2
            if thread == 0:
                out[i // 128] = shared[0]

    x = numbers(128 * 7, np.float64)
    out = np.zeros(7)
    sums(x, out)
    assert np.array_equal(out, x.reshape(7, 128).sum(1))


def test_blocks_multiply_matrices_by_tiles():
    size, tile = 48, 16

    @qd.kernel
    def multiply(a: qd.types.ndarray(), b: qd.types.ndarray(), c: qd.types.ndarray()):
        qd.loop_config(block_dim=tile * tile)
        for place in range(size * size):
            thread = block.thread_idx()
            row, column = thread // tile, thread % tile
            home = place // (tile * tile)
            first_row, first_column = home // (size // tile) * tile, home % (size // tile) * tile
            left = block.SharedArray((tile, tile), qd.f32)
            right = block.SharedArray((tile, tile), qd.f32)
            total = 0.0
            for step in range(size // tile):
                left[row, column] = a[first_row + row, step * tile + column]
                right[row, column] = b[step * tile + row, first_column + column]
                block.sync()
                for k in range(tile):
                    total += left[row, k] * right[k, column]
                block.sync()
            c[first_row + row, first_column + column] = total

    a, b = (
        numbers(size * size).reshape(size, size),
        numbers(size * size + 1)[1:].reshape(size, size),
    )
    c = np.zeros_like(a)
    multiply(a, b, c)
    assert np.array_equal(c, a @ b)


def test_threads_may_leave_loops_at_different_times():
    @qd.kernel
    def run(x: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.i32, 1)):
        qd.loop_config(block_dim=32)
        for i in x:
            shared = block.SharedArray(32, qd.i32)
            thread = block.thread_idx()
            if x[i] < 0:
                out[i] = -1
                continue
            for step in range(1, x[i] + 1, 2):
                if step == 7:
                    out[i] += 1000
                    break
                shared[thread] = step
                block.sync()
                if step % 3 == 0:
                    continue
                block.sync()
                out[i] += shared[thread]
            block.sync()
            out[i] += 100

    x = numbers(96, np.int32)
    out = np.zeros_like(x)
    run(x, out)

    def expected(n):
        if n < 0:
            return -1
        total = 0
        for step in range(1, n + 1, 2):
            if step == 7:
                total += 1000
                break
            total += 0 if step % 3 == 0 else step
        return total + 100

    assert out.tolist() == [expected(n) for n in x.tolist()]


def test_threads_may_wait_for_others_in_both_branches():
    @qd.kernel
    def run(out: qd.types.ndarray(qd.i32, 1)):
        qd.loop_config(block_dim=8)
        for i in out:
            shared = block.SharedArray(8, qd.i32)
            mine = i * 10
            if i % 2 == 0:
                shared[i % 8] = mine
                block.sync()
                out[i] = shared[(i + 2) % 8]
            else:
                shared[i % 8] = mine + 1
                block.sync()
                out[i] = shared[(i + 6) % 8] + mine

    out = np.zeros(16, np.int32)
    run(out)
    values = [10 * i + i % 2 for i in range(16)]
    expected = [values[i // 8 * 8 + (i + (2, 6)[i % 2]) % 8] + (i % 2) * 10 * i for i in range(16)]
    assert out.tolist() == expected


@pytest.mark.parametrize("shape", [(12, 10), (1, 7)])
def test_loops_over_several_ranges_are_blocks_of_their_indices_in_order(shape):
    @qd.kernel
    def run(x: qd.types.ndarray(qd.i64, 2)):
        qd.loop_config(block_dim=16)
        for i, j in x:
            shared = block.SharedArray(16, qd.i64)
            shared[block.thread_idx()] = 100 * i + j
            block.sync()
            x[i, j] = shared[0] * 10000 + block.global_thread_idx()

    x = np.zeros(shape, np.int64)
    run(x)
    places = np.arange(x.size)
    first = places // 16 * 16
    expected = (100 * (first // shape[1]) + first % shape[1]) * 10000 + places
    assert np.array_equal(x.ravel(), expected)


OF_GROUPS = {
    "reduce_add": lambda x: np.full_like(x, x.sum()),
    "reduce_all_add": lambda x: np.full_like(x, x.sum()),
    "reduce_mul": lambda x: np.full_like(x, x.prod()),
    "reduce_min": lambda x: np.full_like(x, x.min()),
    "reduce_all_max": lambda x: np.full_like(x, x.max()),
    "reduce_or": lambda x: np.full_like(x, np.bitwise_or.reduce(x)),
    "reduce_and": lambda x: np.full_like(x, np.bitwise_and.reduce(x)),
    "reduce_xor": lambda x: np.full_like(x, np.bitwise_xor.reduce(x)),
    "inclusive_add": np.cumsum,
    "inclusive_mul": np.cumprod,
    "inclusive_max": np.maximum.accumulate,
    "inclusive_xor": np.bitwise_xor.accumulate,
    "exclusive_add": lambda x: np.cumsum(x) - x,
    "exclusive_min": lambda x: np.minimum.accumulate([2**31 - 1, *x[:-1]]),
    "exclusive_and": lambda x: np.bitwise_and.accumulate([-1, *x[:-1]]),
    "all_true": lambda x: np.full_like(x, (x != 0).all()),
    "any_true": lambda x: np.full_like(x, (x != 0).any()),
    "all_equal": lambda x: np.full_like(x, (x == x[0]).all()),
    "broadcast_first": lambda x: np.full_like(x, x[0]),
}


@pytest.mark.parametrize("name", OF_GROUPS)
def test_a_subgroup_computes_what_numpy_computes(name):
    function = getattr(subgroup, name)

    @qd.kernel
    def run(x: qd.types.ndarray(qd.i32, 1), y: qd.types.ndarray(qd.i32, 1)):
        qd.loop_config(block_dim=64)
        for i in x:
            y[i] = function(x[i])

    with np.errstate(over="ignore"):
        for x in (numbers(160, np.int32), np.full(64, 5, np.int32)):
            y = np.zeros_like(x)
            run(x, y)
            parts = [OF_GROUPS[name](part) for part in by_blocks(x, 32)]
            assert np.array_equal(y, np.concatenate(parts).astype(np.int32))


def test_tiles_and_segments_of_subgroups_have_results_of_their_own():
    @qd.kernel
    def run(x: qd.types.ndarray(qd.f64, 1), flags: qd.types.ndarray(), out: qd.types.ndarray()):
        qd.loop_config(block_dim=32)
        for i in x:
            out[0, i] = subgroup.reduce_all_add_tiled(x[i], 3)
            out[1, i] = subgroup.inclusive_max_tiled(x[i], 2)
            out[2, i] = subgroup.segmented_reduce_add(x[i], flags[i])
            out[3, i] = subgroup.segmented_reduce_min_tiled(x[i], flags[i], 4)

    x, flags = numbers(64, np.float64), (numbers(65, np.int32)[1:] > 5).astype(np.int32)
    out = np.zeros((4, 64))
    run(x, flags, out)
    assert np.array_equal(out[0], np.repeat(x.reshape(-1, 8).sum(1), 8))
    assert np.array_equal(out[1], np.maximum.accumulate(x.reshape(-1, 4), 1).ravel())

    def segments(size, combine):
        found = []
        for i in range(64):
            first = i // size * size
            heads = [k for k in range(first, i + 1) if flags[k]]
            found.append(combine(x[max(heads, default=first) : i + 1]))
        return found

    assert out[2].tolist() == segments(32, np.sum)
    assert out[3].tolist() == segments(16, np.min)


def test_values_are_shuffled_in_a_subgroup_and_its_threads_told_apart_by_bits():
    @qd.kernel
    def run(x: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.i64, 2)):
        qd.loop_config(block_dim=32)
        for i in x:
            lane = subgroup.invocation_id()
            out[0, i] = subgroup.shuffle(x[i], (lane * 7 + 3) % 32)
            out[1, i] = subgroup.shuffle_xor(x[i], qd.u32(5))
            out[2, i] = subgroup.shuffle_up(x[i], qd.u32(2))
            out[3, i] = subgroup.shuffle_down(x[i], qd.u32(3))
            out[4, i] = qd.i64(subgroup.ballot(x[i] > 0))
            out[5, i] = warp.match_any(qd.u32(0xFFFFFFFF), x[i])
            out[6, i] = subgroup.lanemask_lt(lane)
            out[7, i] = subgroup.broadcast(x[i], 4) + 100 * subgroup.elect()
            out[8, i] = qd.i64(subgroup.ballot_first_n(x[i] > 0, 8))

    x = numbers(32, np.int32)
    out = np.zeros((9, 32), np.int64)
    run(x, out)
    lanes = np.arange(32)
    bits = 1 << lanes.astype(np.int64)
    assert np.array_equal(out[0], x[(lanes * 7 + 3) % 32])
    assert np.array_equal(out[1], x[lanes ^ 5])
    assert np.array_equal(out[2], np.where(lanes < 2, x, np.roll(x, 2)))
    assert np.array_equal(out[3], np.where(lanes > 28, x, np.roll(x, -3)))
    assert (out[4] == bits[x > 0].sum()).all()
    same = np.array([bits[x == value].sum() for value in x])
    assert np.array_equal(out[5], same.astype(np.uint32).astype(np.int32))
    assert np.array_equal(out[6].astype(np.uint32), bits - 1)
    assert np.array_equal(out[7], x[4] + 100 * (lanes == 0))
    assert (out[8] == bits[:8][x[:8] > 0].sum()).all()


def test_pairs_are_sorted_by_their_first_and_then_their_second():
    @qd.kernel
    def run(x: qd.types.ndarray(qd.f32, 1), y: qd.types.ndarray(qd.i32, 1), size: qd.template()):
        qd.loop_config(block_dim=64)
        for i in x:
            x[i], y[i] = subgroup.bitonic_sort_kv_tiled(x[i], y[i], size)

    for size in (5, 2):
        x, y = numbers(128), np.random.default_rng(1).permutation(128).astype(np.int32)
        expected = [
            sorted(zip(*p, strict=True))
            for p in zip(*(by_blocks(v.tolist(), 1 << size) for v in (x, y)), strict=True)
        ]
        run(x, y, size)
        assert list(zip(x.tolist(), y.tolist(), strict=True)) == [
            pair for part in expected for pair in part
        ]


def test_threads_that_take_no_part_are_left_out():
    @qd.kernel
    def run(x: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.i32, 2)):
        qd.loop_config(block_dim=32)
        for i in x:
            if x[i] > 0:
                out[0, i] = subgroup.reduce_add(x[i])
                out[1, i] = warp.active_mask()
            out[2, i] = block.sync_count_nonzero(x[i] > 0)
            out[3, i] = block.sync_all_nonzero(x[i] > -100) + 10 * block.sync_any_nonzero(x[i] > 8)

    x = numbers(48, np.int32)
    out = np.zeros((4, 48), np.int32)
    run(x, out)
    for k in (0, 32):
        part, got = x[k : k + 32], out[:, k : k + 32]
        chosen = part > 0
        mask = (1 << np.arange(len(part), dtype=np.int64))[chosen].sum()
        assert np.array_equal(got[0], np.where(chosen, part[chosen].sum(), 0))
        assert np.array_equal(got[1], np.where(chosen, mask.astype(np.uint32).astype(np.int32), 0))
        assert (got[2] == chosen.sum()).all() and (got[3] == 1 + 10 * (part > 8).any()).all()


def test_a_block_computes_sums_and_running_sums():
    @qd.func
    def longer(a, b):
        return a if qd.abs(a) >= qd.abs(b) else b

    @qd.kernel
    def run(x: qd.types.ndarray(qd.f32, 1), out: qd.types.ndarray(qd.f32, 2)):
        qd.loop_config(block_dim=64)
        for i in x:
            out[0, i] = block.reduce_all_add(x[i], 64, qd.f32)
            out[1, i] = block.inclusive_add(x[i], 64, qd.f32)
            out[2, i] = block.exclusive_max(x[i], 64, qd.f32)
            out[3, i] = block.reduce(x[i], 64, longer, qd.f32)
            out[4, i] = block.exclusive_scan(x[i], 64, longer, 0.5, qd.f32)

    x = numbers(128)
    out = np.zeros((5, 128), np.float32)
    run(x, out)
    for k in (0, 64):
        part, got = x[k : k + 64], out[:, k : k + 64]
        assert (got[0] == part.sum()).all() and np.array_equal(got[1], np.cumsum(part))
        assert np.array_equal(got[2], np.maximum.accumulate([-np.inf, *part[:-1]]))
        assert (got[3] == part[np.abs(part).argmax()]).all()
        running = [0.5]
        for a in part[:-1]:
            running.append(running[-1] if abs(running[-1]) >= abs(a) else a)
        assert got[4].tolist() == running


def test_plain_functions_may_wait_and_share():
    def neighbour(x):
        shared = block.SharedArray(32, qd.f32)
        shared[block.thread_idx()] = x
        block.sync()
        return shared[(block.thread_idx() + 1) % 32]

    @qd.func
    def twice(x):
        return neighbour(x) * 2

    @qd.kernel
    def run(x: qd.types.ndarray(qd.f32, 1)):
        qd.loop_config(block_dim=32)
        for i in x:
            x[i] = twice(x[i])

    x = numbers(64)
    y = x.copy()
    run(y)
    assert np.array_equal(y, np.concatenate([2 * np.roll(p, -1) for p in by_blocks(x, 32)]))


def test_shared_arrays_hold_vectors_and_take_atomics():
    vec2 = qd.types.vector(2, qd.f32)

    @qd.kernel
    def run(x: qd.types.ndarray(dtype=vec2, ndim=1), out: qd.types.ndarray(qd.i32, 1)):
        qd.loop_config(block_dim=16)
        for i in x:
            kept = block.SharedArray((16,), vec2)
            bins = block.SharedArray((4,), qd.i32)
            kept[i % 16] = x[i]
            place = qd.atomic_add(bins[i % 4], 1)
            block.sync()
            x[i] = kept[15 - i % 16].yx
            qd.atomic_max(bins[0], i)
            block.sync()
            out[i] = bins[i % 4] * 10 + place

    x = numbers(64).reshape(32, 2)
    out = np.zeros(32, np.int32)
    y = x.copy()
    run(y, out)
    assert np.array_equal(y, np.concatenate([part[::-1, ::-1] for part in by_blocks(x, 16)]))
    expected = [(4 if i % 4 else max(4, i // 16 * 16 + 15)) * 10 + i % 16 // 4 for i in range(32)]
    assert out.tolist() == expected


def test_outside_of_parallel_loops_a_block_is_one_thread():
    @qd.kernel
    def run() -> qd.types.vector(5, qd.i32):
        shared = block.SharedArray(2, qd.i32)
        shared[1] = 7
        block.sync()
        total = 0
        qd.loop_config(serialize=True)
        for i in range(4):
            block.sync()
            total += subgroup.reduce_add(i) * shared[1]
        grid.mem_fence()
        alone = subgroup.shuffle(9, 3)
        return [total, block.thread_idx(), alone, block.sync_count_nonzero(1), subgroup.elect()]

    assert run().to_list() == [42, 0, 9, 1, 1]


def test_what_is_written_before_a_fence_is_seen_by_the_last_thread():
    """Each pair of iterations meets at a counter; the second to come adds up what both wrote."""

    @qd.kernel
    def run(x: qd.types.ndarray(), seen: qd.types.ndarray(), out: qd.types.ndarray()):
        for i in x:
            x[i] = i + 1
            grid.mem_fence()
            if qd.atomic_add(seen[i // 2], 1) == 1:
                grid.mem_fence()
                out[i // 2] = x[i // 2 * 2] + x[i // 2 * 2 + 1]

    count = 1 << 16
    x, seen, out = (np.zeros(n, np.int32) for n in (count, count // 2, count // 2))
    run(x, seen, out)
    assert "fence" in run.lower(x, seen, out)[0]
    assert np.array_equal(out, 4 * np.arange(count // 2) + 3)


def test_derivatives_go_through_barriers():
    x, y, loss = (qd.field(qd.f64, n, needs_grad=True) for n in (32, 32, ()))

    @qd.kernel
    def run():
        qd.loop_config(block_dim=8)
        for i in x:
            shared = block.SharedArray(8, qd.f64)
            shared[i % 8] = x[i] * x[i]
            block.sync()
            y[i] = shared[(i + 3) % 8] * (i + 1)

    @qd.kernel
    def total():
        for i in y:
            loss[None] += y[i]

    values = np.linspace(1, 2, 32)
    x.from_numpy(values)
    with qd.ad.Tape(loss):
        run()
        total()
    places = np.arange(32)
    weight = np.zeros(32)
    weight[places // 8 * 8 + (places + 3) % 8] = places + 1
    assert np.allclose(x.grad.to_numpy(), 2 * values * weight)


@pytest.mark.parametrize("group", ["block", "grid", "subgroup", "warp"])
def test_every_name_of_quadrants_is_ours_or_refused_with_advice(group):
    theirs, ours = getattr(quadrants.simt, group), getattr(qd.simt, group)
    names = getattr(theirs, "__all__", None) or [
        name
        for name, thing in vars(theirs).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == theirs.__name__
    ]
    hidden = {"arch_uses_spv"}
    for name in set(names) - hidden:
        if not hasattr(ours, name):
            with pytest.raises(AttributeError, match=f"has no attribute '{name}': "):
                getattr(ours, name)


def too_many(x: qd.types.ndarray()):
    qd.loop_config(block_dim=1 << 16)
    for i in x:
        a = x[i] * 2.0
        block.sync()
        x[i] = a


def fraction(x: qd.types.ndarray()):
    qd.loop_config(block_dim=64.0)
    for i in x:
        x[i] = 1.0


def negative(x: qd.types.ndarray()):
    qd.loop_config(block_dim=-4)
    for i in x:
        x[i] = 1.0


def unknown_size(x: qd.types.ndarray()):
    n = qd.i32(x[0])
    qd.loop_config(block_dim=n)
    for i in x:
        x[i] = 1.0


def other_size(x: qd.types.ndarray()):
    qd.loop_config(block_dim=32)
    for i in x:
        x[i] = block.reduce_add(x[i], 64, qd.f32)


def unknown_shape(x: qd.types.ndarray()):
    for i in x:
        block.SharedArray((i,), qd.f32)


def wide_tile(x: qd.types.ndarray()):
    for i in x:
        x[i] = subgroup.reduce_add_tiled(x[i], 6)


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (too_many, "block_dim: got 65536 threads .* make block_dim smaller"),
        (fraction, "block_dim: got float 64.0, allowed are integers from 0"),
        (negative, "block_dim: got int -4, allowed are integers from 0"),
        (unknown_size, "block_dim: got a value of int32, allowed are .* known when compiling"),
        (other_size, "block_dim: got .*64, allowed is the loop's, 32"),
        (unknown_shape, "shape: got .*, allowed are integers from 1, known when compiling"),
        (wide_tile, "log2_size: got .*6, allowed are 0 to 5"),
    ],
)
def test_what_cannot_be_is_refused(function, fault):
    with pytest.raises(TypeError, match=fault):
        qd.kernel(function)(np.zeros(4, np.float32))


def test_outside_of_kernels_threads_mean_nothing():
    with pytest.raises(RuntimeError, match=r"simt\.block\.sync works in kernels only"):
        block.sync()
    assert subgroup.group_size() == 32
