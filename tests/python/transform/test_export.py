# SPDX-License-Identifier: Apache-2.0
"""export_function: what it tells a callback of a function."""

import numpy as np
import pytest

import joggle as jg


def parts_of(fun, *args, **kwargs):
    parts = []
    jg.export_function(parts.append, fun, *args, **kwargs)
    return parts


def of_type(parts, kind):
    return [part for part in parts if part["type"] == kind]


def test_parts_come_in_order_and_name_inputs_keywords_and_outputs():
    parts = parts_of(lambda x, *, k: jg.exp(x) * k, jg.ones((3,)), k=jg.ones((3,)))
    kinds = [part["type"] for part in parts]
    assert kinds == ["inputs", "keyword_inputs", "outputs", "constants"] + ["primitive"] * 2
    assert parts[0]["inputs"] == [("A", (3,), jg.float32), ("B", (3,), jg.float32)]
    assert parts[1]["keywords"] == [("k", "B")]
    assert parts[2]["outputs"] == [("C", (3,), jg.float32)]
    assert [part["name"] for part in of_type(parts, "primitive")] == ["exp", "multiply"]
    assert parts[-1]["outputs"][0][0] == "C"


def test_each_input_of_a_primitive_was_named_before():
    def fun(x, y):
        z = jg.sort(x @ y, axis=-1)
        return jg.cumulative_sum(z, axis=0), jg.sum(z[::-1, 1:], axis=1)

    parts = parts_of(fun, jg.ones((3, 4)), jg.ones((4, 3)))
    known = {name for name, *_ in parts[0]["inputs"]}
    known |= {name for name, _ in of_type(parts, "constants")[0]["constants"]}
    for part in of_type(parts, "primitive"):
        assert {name for name, *_ in part["inputs"]} <= known
        known |= {name for name, *_ in part["outputs"]}
    assert {name for name, *_ in parts[2]["outputs"]} <= known


def test_a_constant_has_its_values_and_one_name_for_all_its_uses():
    c = jg.array([1.0, 2.0, 3.0])
    parts = parts_of(lambda x: (x + c) * c, jg.ones((3,)))
    constants = of_type(parts, "constants")[0]["constants"]
    assert len(constants) == 1
    np.testing.assert_array_equal(np.asarray(constants[0][1]), [1, 2, 3])


def test_attributes_are_told_by_name():
    x = jg.ones((4, 3))
    fun = {
        "reduce_add": (lambda x: jg.sum(x, axis=(0, 1)), {"axes": [0, 1]}),
        "view": (lambda x: x[::-1, 1:], {"offset": 10, "strides": [-3, 1]}),
    }
    for name, (of, attributes) in fun.items():
        (part,) = [p for p in parts_of(of, x) if p.get("name") == name]
        assert part["arguments"] == attributes
    (part,) = [p for p in parts_of(lambda x: jg.cumulative_sum(x, axis=1), x) if "name" in p]
    assert part["name"] == "cumulative"
    assert part["arguments"]["axis"] == 1
    assert part["arguments"]["reverse"] is False
    assert isinstance(part["arguments"]["kind"], str)


def test_an_output_may_be_an_argument_or_a_constant():
    c = jg.array([5.0])
    parts = parts_of(lambda x: [x, c], jg.ones((2,)))
    assert [name for name, *_ in parts[2]["outputs"]] == ["A", parts[3]["constants"][0][0]]


def test_draws_without_a_key_are_told_as_keys():
    parts = parts_of(lambda x: x + jg.random.uniform(shape=(2,)), jg.ones((2,)))
    assert len(of_type(parts, "random_keys")[0]["keys"]) == 1


def test_a_tuple_and_a_dict_stand_for_the_arguments():
    x, y = jg.ones((2,)), jg.ones((2,))
    spread = parts_of(lambda x, *, y: x - y, x, y=y)
    assert parts_of(lambda x, *, y: x - y, (x,), {"y": y}) == spread


def test_wrong_input_is_refused_by_name():
    x = jg.ones((2,))
    drop = [].append
    with pytest.raises(TypeError, match="file_or_callback"):
        jg.export_function(3, jg.exp, x)
    with pytest.raises(TypeError, match="fun"):
        jg.export_function(drop, 3, x)
    with pytest.raises(ValueError, match="shapeless"):
        jg.export_function(drop, jg.exp, x, shapeless=True)
    with pytest.raises(ValueError, match="metadata"):
        jg.export_function(drop, jg.exp, x, metadata="m")
    with pytest.raises(ValueError, match="arguments"):
        jg.export_function(drop, jg.exp, 2.0)
    with pytest.raises(ValueError, match="gives dict"):
        jg.export_function(drop, lambda x: {"a": x}, x)
    with pytest.raises(ValueError, match="gives nothing"):
        jg.export_function(drop, lambda x: (), x)


def test_an_exception_of_the_function_ends_the_recording():
    def fails(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        parts_of(fails, jg.ones((2,)))
    assert len(parts_of(jg.exp, jg.ones((2,)))) == 5


def test_a_constant_without_values_is_refused():
    def outer(y):
        parts_of(lambda x: x * y, jg.ones((2,)))
        return jg.sum(y)

    with pytest.raises(ValueError, match="argument of another function"):
        jg.grad(outer)(jg.ones((2,)))


def test_a_function_with_rules_is_told_with_its_inputs_and_values():
    @jg.custom_function
    def double(x):
        return x * 2

    double.vjp(lambda primals, cotangent, output: cotangent * 2)
    parts = of_type(parts_of(lambda x: double(x) + 1, jg.ones((2,))), "primitive")
    (call,) = [part for part in parts if part["name"] == "custom"]
    assert call["inputs"][0][0] == "A"
    assert call["arguments"] == {}


def test_results_of_one_primitive_are_told_apart():
    parts = parts_of(lambda x: list(jg.linalg.qr(x)), jg.ones((2, 2)))
    assert [part["result"] for part in parts if part.get("name") == "qr"] == [0, 1]
