# SPDX-License-Identifier: Apache-2.0
"""Modules as trees: parameters, freezing, updates, files, modes."""

import copy
import inspect
import pickle

import mlx.nn as mlx_nn
import numpy as np
import pytest
from interrupting import run_until

import joggle as jg
from joggle import nn
from joggle.utils import tree_flatten, tree_map


class Block(nn.Module):
    """A module with all kinds of members."""

    def __init__(self):
        super().__init__()
        self.scale = jg.array(2.0)
        self._offset = jg.array(1.0)
        self.heads = [nn.Linear(2, 3), nn.Linear(3, 2, bias=False)]
        self.named = {"norm": nn.LayerNorm(2), "table": jg.ones((2,))}
        self.pair = (jg.ones((1,)), 3)
        self.activation = nn.relu

    def __call__(self, x):
        return self.scale * self.named["norm"](self.heads[1](self.activation(self.heads[0](x))))


PATHS = [
    "scale", "heads.0.weight", "heads.0.bias", "heads.1.weight",
    "named.norm.weight", "named.norm.bias", "named.table",
]  # fmt: skip


def paths(tree):
    return [path for path, _ in tree_flatten(tree)]


def test_every_method_of_mlx_modules_is_there_with_its_parameters():
    for name, theirs in inspect.getmembers(mlx_nn.Module, inspect.isfunction):
        if name.startswith("_") and name not in ("_extra_repr", "_set_training_mode"):
            continue
        ours = getattr(nn.Module, name)
        assert list(inspect.signature(ours).parameters) == list(
            inspect.signature(theirs).parameters
        )


def test_parameters_are_arrays_in_dicts_and_lists_without_underscore():
    assert paths(Block().parameters()) == PATHS
    assert paths(Block().trainable_parameters()) == PATHS


def test_attributes_are_items_and_the_other_way_round():
    block = Block()
    assert block["scale"] is block.scale
    block.scale = "none"  # no array any more
    assert "scale" not in block
    assert block.scale == "none"
    block.scale = jg.array(1.0)
    assert "scale" in block
    del block.scale
    with pytest.raises(AttributeError, match="'Block' object has no attribute 'scale'"):
        block.scale  # noqa: B018
    del block.activation
    assert not hasattr(block, "activation")


def test_attributes_of_a_class_come_before_items():
    class Wrapper(nn.Module):
        size = 3

        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 3)

        @property
        def broken(self):
            raise AttributeError("of the property")

        def __getattr__(self, key):
            try:
                return super().__getattr__(key)
            except AttributeError:
                return getattr(self.inner, key)

    wrapper = Wrapper()
    wrapper["size"], wrapper["absent"] = jg.ones((1,)), None
    assert wrapper.size == 3
    assert wrapper.weight is wrapper.inner.weight
    for module in (wrapper, wrapper.inner):
        with pytest.raises(AttributeError, match="'Linear' object has no attribute 'absent'"):
            _ = module.absent
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'broken'"):
        _ = wrapper.broken
    assert not hasattr(wrapper.inner, "weights")


def test_modules_and_children_are_found_by_path():
    block = Block()
    assert [path for path, _ in block.named_modules()] == ["", "named.norm", "heads.1", "heads.0"]
    assert block.children() == {
        "heads": block.heads, "named": {"norm": block.named["norm"], "table": {}}, "pair": {},
    } or set(block.children()) == {"heads", "named"}  # fmt: skip
    outer = nn.Sequential(nn.Sequential(nn.ReLU()), block)
    leaves = tree_flatten(outer.leaf_modules(), is_leaf=nn.Module.is_module)
    assert [path for path, m in leaves if nn.Module.is_module(m)] == [
        "layers.0.layers.0", "layers.1.heads.0", "layers.1.heads.1", "layers.1.named.norm",
    ]  # fmt: skip


def test_frozen_parameters_are_no_more_trained():
    block = Block()
    block.freeze()
    assert paths(block.trainable_parameters()) == []
    assert paths(block.parameters()) == PATHS
    block.unfreeze(keys="bias")
    assert paths(block.trainable_parameters()) == ["heads.0.bias", "named.norm.bias"]
    block.unfreeze(recurse=False)
    assert "scale" in paths(block.trainable_parameters())
    assert "heads.1.weight" not in paths(block.trainable_parameters())
    block.unfreeze()
    assert paths(block.trainable_parameters()) == PATHS
    block.heads[0].freeze(keys=["bias"], strict=True)
    with pytest.raises(KeyError, match="no module in Block has a member 'best'"):
        block.freeze(keys="best", strict=True)
    with pytest.raises(KeyError, match="Linear has no member 'best'"):
        block.heads[0].freeze(keys="best", strict=True, recurse=False)


def test_a_tree_is_unfrozen_through_the_method_of_each_module():
    class Held(nn.Module):
        def __init__(self):
            super().__init__()
            self.free, self.held = jg.ones(1), jg.ones(1)
            self.unfreeze()

        def unfreeze(self, *args, **kwargs):
            super().unfreeze(*args, **kwargs)
            return self.freeze(keys="held", recurse=False)

    model = nn.Sequential(Held(), nn.Sequential(nn.BatchNorm(2), nn.Linear(1, 1)))
    model.freeze().unfreeze()
    assert paths(model.trainable_parameters()) == [
        "layers.0.free",
        "layers.1.layers.0.weight", "layers.1.layers.0.bias",
        "layers.1.layers.1.weight", "layers.1.layers.1.bias",
    ]  # fmt: skip
    model.freeze().unfreeze(keys=["held", "bias", "running_var"], strict=True)
    assert paths(model.trainable_parameters()) == [
        "layers.1.layers.0.bias", "layers.1.layers.1.bias",
    ]  # fmt: skip
    with pytest.raises(KeyError, match="no module in Sequential has a member 'none'"):
        model.unfreeze(keys=["bias", "none"], strict=True)


def test_a_bias_is_trained_beside_codes_as_in_mlx():
    layer = nn.QuantizedLinear.from_linear(nn.Linear(64, 2))
    assert list(layer.trainable_parameters()) == ["bias"]
    theirs = mlx_nn.QuantizedLinear.from_linear(mlx_nn.Linear(64, 2))
    assert list(theirs.trainable_parameters()) == ["bias"]
    assert not nn.QuantizedLinear(64, 2).trainable_parameters()
    assert not mlx_nn.QuantizedLinear(64, 2).trainable_parameters()


def test_update_takes_parts_and_refuses_what_has_no_place():
    block = Block()
    block.update({"heads": [{"bias": jg.zeros((3,))}], "scale": jg.array(5.0)})
    assert block.scale.item() == 5
    assert block.heads[0].bias.tolist() == [0, 0, 0]
    for tree, message in (
        ({"best": jg.ones((1,))}, "parameters: Block has no member 'best'"),
        ({"heads": [{}, {}, {}]}, "parameters.heads: got 3 items for a list, allowed are 2"),
        ({"scale": "big"}, "parameters.scale: got str, allowed is an array"),
        ({"heads": 3}, "parameters.heads: got int, allowed is list"),
    ):
        with pytest.raises(ValueError, match=message):
            block.update(tree)
        block.update(tree, strict=False)


def test_trees_of_no_parameters_update_nothing():
    layer = nn.ReLU()
    assert layer.update(jg.utils.tree_unflatten([])) is layer
    assert layer.update({}) is layer and layer.update_modules([]) is layer
    for given in (jg.ones((3,)), jg.zeros((0,)), 0, [jg.ones((1,))]):
        with pytest.raises(ValueError, match=f"got {type(given).__name__}, allowed is ReLU"):
            layer.update(given)


def test_update_modules_replaces_modules_only():
    block = Block()
    new = nn.Identity()
    block.update_modules({"heads": [new]})
    assert block.heads[0] is new
    with pytest.raises(ValueError, match="modules: Block has no member 'best'"):
        block.update_modules({"best": new})
    with pytest.raises(ValueError, match=r"modules.scale: got Identity where there is no module"):
        block.update_modules({"scale": new})


def test_apply_and_set_dtype_change_parameters():
    block = Block()
    block.heads[0].count = jg.array([1, 2])
    assert block.set_dtype(jg.float16) is block
    dtypes = {path: x.dtype for path, x in tree_flatten(block.parameters())}
    assert dtypes.pop("heads.0.count") == jg.int64
    assert set(dtypes.values()) == {jg.float16}
    block.apply(
        jg.zeros_like,
        lambda m, key, value: key != "scale" and m.valid_parameter_filter(m, key, value),
    )
    assert block.scale.item() == 2
    assert not block.heads[1].weight.any()


@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_weights_go_through_files(kind, tmp_path):
    one, other, file = Block(), Block(), str(tmp_path / f"weights.{kind}")
    one.save_weights(file)
    other.load_weights(file)
    for (path, a), (_, b) in zip(
        tree_flatten(one.parameters()), tree_flatten(other.parameters()), strict=True
    ):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b), err_msg=path)
    theirs = mlx_nn.Linear(2, 3)
    theirs.save_weights(file)  # MLX's files, too
    np.testing.assert_array_equal(
        np.asarray(nn.Linear(2, 3).load_weights(file).weight), np.array(theirs.weight)
    )


def test_weights_that_do_not_fit_are_refused():
    layer = nn.Linear(2, 3)
    weight, bias = jg.ones((3, 2)), jg.ones((3,))
    for weights, message in (
        ([("weight", weight)], "1 weights are missing for Linear: bias"),
        (
            [("weight", weight), ("bias", bias), ("b", bias)],
            "1 weights are no parameters of Linear: b",
        ),
        (
            [("weight", weight.T), ("bias", bias)],
            r"weight: got shape \(2, 3\), allowed is that of the",
        ),
        ([("weight", 3), ("bias", bias)], "weight: got int, allowed is an array"),
    ):
        with pytest.raises(ValueError, match=message):
            layer.load_weights(weights)
    assert layer.load_weights([("bias", bias)], strict=False).bias is bias
    with pytest.raises(ValueError, match=r"\[save_weights\] file: got 'a.bin'"):
        layer.save_weights("a.bin")


def test_modes_reach_all_modules_within():
    block = nn.Sequential(nn.Dropout(0.5), Block())
    assert block.training
    block.eval()
    assert not any(module.training for module in block.modules())
    block.train()
    assert all(module.training for module in block.modules())


def test_modules_are_copied_and_pickled():
    block = Block().freeze(keys="bias")
    block.eval()
    x = jg.ones((4, 2))
    for other in (copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        assert not other.training
        assert paths(other.trainable_parameters()) == paths(block.trainable_parameters())
        np.testing.assert_array_equal(np.asarray(other(x)), np.asarray(block(x)))
        other.scale = jg.array(0.0)
        assert block.scale.item() == 2


def test_modules_with_quantised_layers_hold_fewer_bytes():
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3), nn.Embedding(10, 64))
    nn.quantize(
        model,
        bits=8,
        class_predicate=lambda path, m: path != "layers.2" and hasattr(m, "to_quantized"),
    )
    assert [type(m).__name__ for m in model.layers] == [
        "QuantizedLinear", "ReLU", "Linear", "QuantizedEmbedding",
    ]  # fmt: skip
    assert paths(model.trainable_parameters()) == [
        "layers.0.bias", "layers.2.weight", "layers.2.bias",
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"\[quantize\] layers.1: ReLU has no quantised form"):
        nn.quantize(model, class_predicate=lambda path, m: path == "layers.1")
    settings = {"bits": 2, "group_size": 32}
    nn.quantize(model, class_predicate=lambda path, m: settings if path == "layers.2" else False)
    assert model.layers[2].bits == 2


def test_a_summary_lists_layers_shapes_parameters_and_bytes():
    model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), Head())
    model.layers[0].freeze()
    table = nn.summary(model, jg.ones((5, 3)))
    assert table.rows == [
        ("layers.0", "Linear", "(5, 4)", 16, 64),
        ("layers.1", "Dropout", "(5, 4)", 0, 0),
        ("layers.2", "Head", "((5, 2), (5, 4))", 4, 16),
        ("layers.2.linear", "Linear", "(5, 2)", 10, 40),
    ]
    assert (table.parameters, table.trainable, table.bytes) == (30, 14, 120)
    assert "30 parameters (14 trainable, 16 frozen), 120 bytes" in str(table)
    assert model.training
    assert type(model.layers[0]).__call__ is nn.Linear.__call__
    assert "watching" not in repr(nn.Linear.__call__)
    with pytest.raises(TypeError, match=r"\[summary\] module: got int"):
        nn.summary(3)
    with pytest.raises(ValueError):
        nn.summary(model, jg.ones((5, 2)))
    assert "watching" not in repr(nn.Linear.__call__)


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)
        self.scale = jg.ones((4,))

    def __call__(self, x):
        return self.linear(x), x * self.scale


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of generators
def test_an_interrupted_summary_leaves_layers_as_they_were():
    class Own(nn.Linear):
        pass

    kinds = (nn.Sequential, nn.Linear, Own)
    calls = [kind.__dict__.get("__call__") for kind in kinds]
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(Own(2, 2)))
    model.layers[0].eval()
    modes = [module.training for module in model.modules()]
    number = met = 0
    while met == number:
        number += 1
        met = run_until(number, lambda: nn.summary(model, jg.ones((1, 2))))
        assert [kind.__dict__.get("__call__") for kind in kinds] == calls, number
        assert [module.training for module in model.modules()] == modes, number
    assert number > 100


def test_a_summary_counts_tied_weights_once():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(10, 4)
            self.out = nn.Linear(4, 10, bias=False)
            self.out.weight = self.table.weight

    model = Tied()
    table = nn.summary(model)
    assert (table.parameters, table.trainable, table.bytes) == (40, 40, 160)
    assert [row[3] for row in table.rows] == [40, 40]
    model.out.weight = jg.array(model.table.weight)
    assert nn.summary(model).parameters == 80


def test_trees_of_modules_are_trees_of_joggle():
    block = Block()
    shapes = tree_map(lambda x: x.shape, block.parameters())
    assert shapes["heads"][0] == {"weight": (3, 2), "bias": (3,)}
