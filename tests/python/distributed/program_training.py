# SPDX-License-Identifier: Apache-2.0
"""Run by every process of a group: averaged gradients and layers that are spread over it."""

import numpy as np
from refusal import raises

import joggle as jg
from joggle import nn
from joggle.nn.layers.distributed import shard_inplace, shard_linear

group = jg.distributed.init(strict=True)
rank, size = group.rank(), group.size()


def close(got, wanted):
    np.testing.assert_allclose(np.array(got), np.array(wanted), rtol=2e-5, atol=1e-6)


def loss_of(model, x, y):
    return jg.mean((model(x) - y) ** 2)


def check_gradients():
    jg.random.seed(1)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
    x, y = jg.random.normal((4 * size, 6)), jg.random.normal((4 * size, 3))
    step = nn.value_and_grad(model, lambda x, y: loss_of(model, x, y))
    _, whole = step(x, y)
    mine = slice(4 * rank, 4 * rank + 4)
    _, part = step(x[mine], y[mine])
    wanted = jg.utils.tree_flatten(whole)
    for nbytes in (32 << 20, 100, 0):
        found = jg.utils.tree_flatten(nn.average_gradients(part, all_reduce_size=nbytes))
        assert [name for name, _ in found] == [name for name, _ in wanted]
        for (_, one), (_, other) in zip(found, wanted, strict=True):
            close(one, other)
    half = jg.array([rank], dtype=jg.float16)
    mixed = {"a": jg.array([rank, 1.0]), "b": half, "c": jg.array(2.0)}
    means = nn.average_gradients(mixed, group)
    close(means["a"], [(size - 1) / 2, 1])
    assert means["b"].dtype == jg.float16 and means["c"].item() == 2
    parts, norm = nn.utils.clip_grad_norm_sharded({"a": jg.array([3.0]), "b": jg.array([4.0])}, 1.0)
    close(norm, 5 * size**0.5)
    close(parts["a"], 3 / (5 * size**0.5))


def check_layers():
    jg.random.seed(2)
    x = jg.random.normal((7, 4 * size))
    dense = nn.Linear(4 * size, 2 * size)
    weights = jg.random.normal((7, 2 * size))
    wanted = dense(x)
    slope = jg.grad(lambda x: jg.sum(dense(x) * weights))(x)
    spread = shard_linear(dense, "all-to-sharded")
    part = slice(2 * rank, 2 * rank + 2)
    assert spread.weight.shape == (2, 4 * size)
    assert repr(spread) == repr(dense).replace("Linear", "AllToShardedLinear")
    close(spread(x), wanted[:, part])
    close(jg.grad(lambda x: jg.sum(spread(x) * weights[:, part]))(x), slope)
    close(spread.bias, dense.bias[part])
    joined = shard_linear(dense, "sharded-to-all")
    inner = slice(4 * rank, 4 * rank + 4)
    assert repr(joined) == repr(dense).replace("Linear", "ShardedToAllLinear")
    close(joined(x[:, inner]), wanted)
    close(jg.grad(lambda x: jg.sum(joined(x) * weights))(x[:, inner]), slope[:, inner])
    # Two layers in a row, as in a transformer: the hidden values stay where they are.
    second = nn.Linear(2 * size, 3)
    close(shard_linear(second, "sharded-to-all")(spread(x)), second(wanted))
    # Segments: queries, keys and values in one weight.
    fused = nn.Linear(5, 6 * size, bias=False)
    share = shard_linear(fused, "all-to-sharded", segments=3).weight
    cut = fused.weight.reshape(3, size, 2, 5)[:, rank].reshape(6, 5)
    close(share, cut)
    fractions = shard_linear(fused, "all-to-sharded", segments=[1 / 3 + 1e-9, 2 / 3 + 1e-9])
    close(fractions.weight, cut)
    shard_inplace(fused, lambda path, weight: (0, 3))
    close(fused.weight, cut)
    with raises(ValueError, match=f"allowed are multiples of {size}"):
        nn.AllToShardedLinear(4, size + 1)
    with raises(ValueError, match=f"allowed are multiples of {size}"):
        nn.ShardedToAllLinear(size + 1, 4)


def check_quantized():
    jg.random.seed(3)
    x = jg.random.normal((3, 64 * size))
    layer = nn.QuantizedLinear(64 * size, 8 * size)
    layer.bias = jg.random.normal((8 * size,))
    wanted = layer(x)
    spread = shard_linear(layer, "all-to-sharded")
    close(spread(x), wanted[:, 8 * rank : 8 * rank + 8])
    assert repr(spread) == repr(layer).replace("Linear", "AllToShardedLinear")
    joined = shard_linear(layer, "sharded-to-all")
    close(joined(x[:, 64 * rank : 64 * rank + 64]), wanted)
    assert repr(joined) == repr(layer).replace("Linear", "ShardedToAllLinear")
    assert nn.QuantizedAllToShardedLinear(64, 8 * size)(x[:, :64]).shape == (3, 8)
    assert nn.QuantizedShardedToAllLinear(64 * size, 8)(x[:, :64]).shape == (3, 8)


def tree_close(found, wanted):
    found, wanted = jg.utils.tree_flatten(found), jg.utils.tree_flatten(wanted)
    assert [name for name, _ in found] == [name for name, _ in wanted]
    for (_, one), (_, other) in zip(found, wanted, strict=True):
        close(one, other)


def shares(tree):
    """What this process has of a tree whose arrays are cut along the first axis."""
    return jg.utils.tree_map(lambda x: jg.split(x, size)[rank], tree)


def network():
    jg.random.seed(4)
    return nn.Sequential(nn.Linear(6, 2 * size), nn.Tanh(), nn.Linear(2 * size, size))


def check_fully_sharded():
    """Values, gradients and training are those of the whole module on all processes' data."""
    plain, spread = network(), nn.fully_shard(network())
    assert isinstance(spread, nn.FullyShardedModule) and nn.fully_shard(spread) is spread
    assert repr(spread).startswith("FullyShardedModule(num_sharded_params=4")
    tree_close(spread.parameters()["module"], shares(plain.parameters()))
    x, y = jg.random.normal((4 * size, 6)), jg.random.normal((4 * size, size))
    mine = slice(4 * rank, 4 * rank + 4)
    close(spread(x), plain(x))
    loss, wanted = nn.value_and_grad(plain, lambda x, y: loss_of(plain, x, y))(x, y)
    step = nn.value_and_grad(spread, lambda x, y: loss_of(spread, x, y))
    part, found = step(x[mine], y[mine])
    close(jg.distributed.all_sum(part) / size, loss)
    tree_close(found["module"], shares(wanted))
    tree_close(spread.parameters()["module"], shares(plain.parameters()))
    clipped, norm = nn.utils.clip_grad_norm_sharded(found, 0.5)
    whole, wanted_norm = jg.optimizers.clip_grad_norm(wanted, 0.5)
    close(norm, wanted_norm)
    tree_close(clipped["module"], shares(whole))
    train(plain, x, y), train(spread, x[mine], y[mine])
    tree_close(spread.parameters()["module"], shares(plain.parameters()))
    close(spread(x), plain(x))


def train(model, x, y):
    """Steps that are recorded, as programs have them."""
    optimizer = jg.optimizers.Adam(1e-2)
    step = nn.value_and_grad(model, lambda x, y: loss_of(model, x, y))
    optimizer.init(model.trainable_parameters())
    state = [model.state, optimizer.state]

    def run(x, y):
        _, gradients = step(x, y)
        optimizer.update(model, gradients)

    recorded = jg.compile(run, inputs=state, outputs=state)
    for _ in range(4):
        recorded(x, y)
    jg.eval(model.parameters())


def check_parts_fully_sharded():
    """Modules in a module, other dtypes, buffers, codes, and what cannot be cut."""
    model, plain = network(), network()
    model.layers[2] = nn.fully_shard(model.layers[2])
    outer = nn.fully_shard(model)
    x = jg.random.normal((3, 6))
    close(outer(x), plain(x))
    slope = jg.grad(lambda x: jg.sum(outer(x) ** 2))(x)
    close(slope, jg.grad(lambda x: jg.sum(plain(x) ** 2))(x))
    half = nn.fully_shard(network(), compute_dtype=jg.bfloat16)
    assert half(x.astype(jg.bfloat16)).dtype == jg.bfloat16
    of_half = nn.value_and_grad(half, lambda x: jg.mean(half(x)).astype(jg.float32))
    _, found = of_half(x.astype(jg.bfloat16))
    dtypes = {leaf.dtype for _, leaf in jg.utils.tree_flatten(found)}
    assert dtypes == {jg.float32}
    table = nn.fully_shard(nn.Embedding(2 * size, 4))
    close(table.as_linear(jg.ones((2, 4))), jg.ones((2, 4)) @ whole_of(table.module.weight).T)
    normed, norm = nn.fully_shard(nn.BatchNorm(2 * size)), nn.BatchNorm(2 * size)
    data = jg.random.normal((5, 2 * size))
    close(normed(data), norm(data))
    close(normed(data * 2), norm(data * 2))
    tree_close(normed.parameters()["module"], shares(norm.parameters()))
    normed.eval(), norm.eval()
    close(normed(data), norm(data))
    jg.random.seed(5)
    codes = nn.QuantizedLinear(64, 4 * size)
    rows = jg.random.normal((2, 64))
    wanted = codes(rows)
    close(nn.fully_shard(codes)(rows), wanted)
    with raises(ValueError, match=r"parameter 'weight' has the shape \(3, 2\)|'bias'"):
        nn.fully_shard(nn.Linear(2, 3 if size != 3 else 4))
    relu = nn.ReLU()
    assert nn.fully_shard(relu) is relu
    with raises(ZeroDivisionError):
        broken = nn.fully_shard(Broken(2 * size))
        broken(x)
    assert broken.module.weight.shape == (2,)


class Broken(nn.Module):
    def __init__(self, extent):
        super().__init__()
        self.weight = jg.ones((extent,))

    def __call__(self, x):
        return x / (1 // 0)


def whole_of(x):
    return jg.distributed.all_gather(x)


check_gradients()
check_layers()
check_fully_sharded()
check_parts_fully_sharded()
check_quantized()
jg.distributed.barrier()
print(f"rank {rank}: good", flush=True)
