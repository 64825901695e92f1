# SPDX-License-Identifier: Apache-2.0
"""vmap: which axes it maps, trees of them, what it refuses, and what random numbers are inside."""

import collections

import numpy as np
import pytest

import joggle as jg


def array(*shape, seed=0):
    return jg.asarray(np.random.default_rng(seed).normal(size=shape))


def same(got, want):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_any_axis_is_mapped_without_a_copy_of_the_argument(axis):
    x = array(4, 3, 5)
    got = jg.vmap(lambda x: x[::-1] + jg.sum(x, axis=0), in_axes=axis)(x)
    moved = np.moveaxis(np.asarray(x), axis, 0)
    same(got, moved[:, ::-1] + moved.sum(1, keepdims=True))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_the_axis_of_a_result_is_where_out_axes_says(axis):
    x = array(4, 3, 5)
    got = jg.vmap(jg.sin, out_axes=axis)(x)
    same(got, np.moveaxis(np.sin(np.asarray(x)), 0, axis))


def test_an_argument_that_is_not_mapped_has_its_values_inside():
    def function(x, power):
        for _ in range(int(power)):
            x = x * x
        return x

    x = array(4, 3)
    same(jg.vmap(function, in_axes=(0, None))(x, jg.array(2)), np.asarray(x) ** 4)


def test_axes_are_a_prefix_of_the_tree_of_arguments():
    Pair = collections.namedtuple("Pair", "left right")

    def function(tree, pair):
        assert isinstance(pair, Pair)
        return {"sum": tree["a"][0] + tree["a"][1] * pair.left, "list": [pair.right]}

    x, y, z = array(4, 3), array(4, 3, seed=1), array(3, 4, seed=2)
    axes = ({"a": [0, None]}, Pair(None, 1))
    got = jg.vmap(function, in_axes=axes)({"a": [x, y[0]]}, Pair(y[1], z))
    same(got["sum"], np.asarray(x) + np.asarray(y[0]) * np.asarray(y[1]))
    same(got["list"][0], np.asarray(z).T)


def test_axes_of_results_are_a_prefix_of_their_tree():
    x = array(4, 3)
    got = jg.vmap(lambda x: (x, {"s": jg.sum(x)}, 7.0), out_axes=(1, 0, None))(x)
    same(got[0], np.asarray(x).T)
    same(got[1]["s"], np.asarray(x).sum(1))
    assert got[2].shape == ()


def test_a_result_that_is_the_same_for_all_is_repeated():
    x, y = array(4, 3), array(2)
    got = jg.vmap(lambda x: y)(x)
    assert got.shape == (4, 2)
    same(got, np.broadcast_to(np.asarray(y), (4, 2)))
    same(jg.vmap(lambda x: y, out_axes=None)(x), y)


def test_keyword_arguments_are_not_mapped():
    x, y = array(4, 3), array(3)
    same(jg.vmap(lambda x, by: x * by)(x, by=y), np.asarray(x) * np.asarray(y))


def test_a_batch_may_be_empty():
    x, y = jg.zeros((0, 3, 3)), jg.zeros((3, 0))
    for function in [jg.linalg.inv, jg.sort, jg.cumsum, lambda x: x @ x, lambda x: x[0], jg.sin]:
        assert jg.vmap(function)(x).shape == (0, *function(jg.eye(3)).shape)
    assert jg.vmap(jg.sum, in_axes=1)(y).shape == (0,)
    assert jg.vmap(jg.searchsorted)(y.T, y.T).shape == (0, 3)


def test_batches_nest_in_batches():
    x, y = array(4, 3), array(5, 3)
    inner = jg.vmap(lambda x, y: jg.sum(x * y), in_axes=(None, 0))
    same(jg.vmap(inner, in_axes=(0, None))(x, y), np.asarray(x) @ np.asarray(y).T)
    x = array(2, 3, 4, 5)
    got = jg.vmap(jg.vmap(jg.vmap(jg.flip), in_axes=1), in_axes=-1, out_axes=-1)(x)
    same(got, np.asarray(x)[..., ::-1, :].swapaxes(0, 1))
    one = jg.vmap(lambda x: jg.vmap(lambda y: x[0] * y)(x))(x)
    same(one, np.asarray(x)[:, :1] * np.asarray(x))


def test_views_of_any_layout_are_mapped():
    whole = array(6, 8, 5)
    for x in [whole[::-1, ::2], whole[1::2].mT, jg.broadcast_to(whole[:, :1], (6, 8, 5))]:
        for axis in range(3):
            got = jg.vmap(lambda x: x[1:, ::-1] * 2, in_axes=axis)(x)
            same(got, np.moveaxis(np.asarray(x), axis, 0)[:, 1:, ::-1] * 2)


@pytest.mark.parametrize("start", range(5))
def test_slices_of_one_element_keep_their_place(start):
    x = array(4, 5)
    same(jg.vmap(lambda x: x[start :: 2 * 5])(x), np.asarray(x)[:, start : start + 1])


def test_complex_arguments_and_their_parts_are_mapped():
    x = jg.asarray(np.asarray(array(4, 3)) + 1j * np.asarray(array(4, 3, seed=1)))
    got = jg.vmap(lambda x: jg.real(x) * jg.imag(x)[::-1] + jg.abs(jg.conj(x)))(x)
    host = np.asarray(x)
    same(got, host.real * host.imag[:, ::-1] + abs(host))


def test_a_product_with_one_matrix_is_one_product():
    w, x = array(30, 20), array(64, 20)
    for got in [
        jg.vmap(lambda x: w @ x)(x),
        jg.vmap(lambda x: w @ x, in_axes=1)(x.T),
        jg.vmap(lambda x: (x[None] @ w.T)[0])(x),
    ]:
        text = jg.explain(got)
        assert text.count("launch ") == 1 and "matmul over (64, 30)" in text
        same(got, np.asarray(x) @ np.asarray(w).T)


def test_what_is_joined_is_repeated_where_it_is_not_mapped():
    x, y = array(4, 3), array(2)
    host = np.broadcast_to(np.asarray(y), (4, 2))
    same(jg.vmap(lambda x: jg.concat([x, y]))(x), np.concatenate([np.asarray(x), host], 1))
    same(jg.vmap(lambda x: jg.stack([x[:2], y]))(x), np.stack([np.asarray(x)[:, :2], host], 1))


def test_results_of_one_factorisation_are_computed_at_once():
    x = array(4, 5, 3)
    u, s, v = jg.vmap(lambda x: jg.linalg.svd(x, full_matrices=False))(x)
    text = jg.explain(u, s, v)
    assert text.count("launch ") == 1, text
    same((u * s[:, None]) @ v, x)


def test_a_value_asked_for_inside_is_refused_with_the_function_and_the_remedy():
    def decides(x):
        return x if x > 0 else -x

    for use in [decides, lambda x: float(x), lambda x: x.item(), lambda x: np.asarray(x), print]:
        with pytest.raises(ValueError, match=r"is being batched.*outside of the function"):
            jg.vmap(use)(jg.ones((3,)))
    with pytest.raises(ValueError, match=r"\[vmap\] decides: .*jg\.where"):
        jg.vmap(decides)(jg.ones((3,)))
    with pytest.raises(ValueError, match="is being batched"):
        jg.vmap(lambda x: jg.nonzero(x))(jg.ones((3, 2)))


def test_what_escapes_has_no_values():
    kept = []
    jg.vmap(lambda x: kept.append(x + 1) or x)(jg.ones((3,)))
    with pytest.raises(ValueError, match=r"\[vmap\] <lambda>: .* was batched .* has no values"):
        kept[0].item()


def test_an_exception_inside_passes_and_ends_the_trace():
    def function(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        jg.vmap(function)(jg.ones((3,)))
    assert jg.random.normal().shape == ()  # drawn outside of it again


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x, y: jg.vmap(3), TypeError, r"\[vmap\] fun: got int"),
        (lambda x, y: jg.vmap(jg.sin, in_axes="a"), TypeError, "in_axes: got str"),
        (lambda x, y: jg.vmap(jg.sin, in_axes=True), TypeError, "in_axes: got bool"),
        (lambda x, y: jg.vmap(jg.sin, randomness="all"), ValueError, "randomness: got 'all'"),
        (lambda x, y: jg.vmap(named)(x, y), ValueError, "named: b has 3 along.*a has 4"),
        (lambda x, y: jg.vmap(named, (0, 5))(x, y), ValueError, "b: got axis 5.*-2 to 1"),
        (lambda x, y: jg.vmap(named, (0, 5))(x, y), IndexError, "b: got axis 5"),
        (lambda x, y: jg.vmap(named, (0,))(x, y), ValueError, "2 arguments, in_axes has 1"),
        (lambda x, y: jg.vmap(named, None)(x, y), ValueError, "named: no argument is mapped"),
        (lambda x, y: jg.vmap(named, ([0], None))(x, y), ValueError, "a is no tree"),
        (lambda x, y: jg.vmap(named, ([0, 0], None))([x], y), ValueError, "a has 1 items"),
        (lambda x, y: jg.vmap(jg.sin)(1.0), ValueError, "is a number.*None in in_axes"),
        (lambda x, y: jg.vmap(jg.sin)(x[0, 0]), ValueError, "no axes to be mapped"),
        (lambda x, y: jg.vmap(named)(x, "b"), TypeError, "b is of str"),
        (lambda x, y: jg.vmap(lambda x: None)(x), TypeError, "the result is None"),
        (lambda x, y: jg.vmap(lambda x: [x, "b"])(x), TypeError, r"the result\[1\] is of str"),
        (lambda x, y: jg.vmap(lambda x: x, 0, None)(x), ValueError, "differs within the batch"),
        (lambda x, y: jg.vmap(lambda x: x, 0, 2)(x), ValueError, "got axis 2 in out_axes"),
        (lambda x, y: jg.vmap(lambda x: (x, x), 0, (0,))(x), ValueError, "result has 2 items"),
    ],
)
def test_what_cannot_be_mapped_is_refused_by_name(call, error, text):
    with pytest.raises(error, match=text):
        call(jg.ones((4, 2)), jg.ones((3, 2)))


def named(a, b):
    return a + b


def test_draws_without_a_key_are_refused_unless_told_what_they_are():
    x = jg.ones((64, 2))
    with pytest.raises(ValueError, match="randomness="):
        jg.vmap(lambda x: x + jg.random.normal((2,)))(x)
    same_draw = jg.vmap(lambda x: x * jg.random.normal((2,)), randomness="same")(x)
    assert len(np.unique(np.asarray(same_draw))) == 2
    drawn = np.asarray(jg.vmap(lambda x: x * jg.random.normal((2,)), randomness="different")(x))
    assert len(np.unique(drawn)) == 128
    twice = jg.vmap(lambda x: jg.random.uniform() - jg.random.uniform(), randomness="different")(x)
    assert np.all(np.asarray(twice) != 0)


def test_different_draws_follow_the_seed_and_keys_are_as_outside():
    def function(x):
        return jg.random.uniform() * x

    def draw():
        jg.random.seed(3)
        return np.asarray(jg.vmap(function, randomness="different")(jg.ones((8,))))

    np.testing.assert_array_equal(draw(), draw())
    keys = jg.random.split(jg.random.key(1), 5)
    got = jg.vmap(lambda key: jg.random.normal((3,), key=key))(keys)
    for index in range(5):
        want = jg.random.normal((3,), key=keys[index])
        np.testing.assert_array_equal(np.asarray(got)[index], np.asarray(want))


def test_a_nested_batch_draws_from_the_one_around_it():
    x = jg.ones((3, 4))

    def inner(x):
        return jg.vmap(lambda y: jg.random.uniform() * y, randomness="different")(x)

    drawn = np.asarray(jg.vmap(inner, randomness="different")(x))
    assert len(np.unique(drawn)) == 12
    drawn = np.asarray(jg.vmap(inner, randomness="same")(x))
    assert len(np.unique(drawn)) == 4
    with pytest.raises(ValueError, match="inner"):
        jg.vmap(inner)(x)


def test_a_matrix_number_that_is_out_of_range_is_not_one_of_the_next_in_the_batch():
    x, w = jg.ones((2, 1, 3)), jg.ones((2, 4, 3, 5))

    def function(x, w, i):
        return jg.gather_mm(x, w, rhs_indices=i)

    assert jg.vmap(function)(x, w, jg.array([[3], [-4]])).shape == (2, 1, 1, 5)
    for wrong in (4, -5):
        with pytest.raises(IndexError):
            jg.eval(jg.vmap(function)(x, w, jg.array([[0], [wrong]])))
        with pytest.raises(IndexError):
            jg.eval(jg.vmap(function)(x, w, jg.array([[wrong], [0]])))


def test_a_batch_has_at_most_as_many_axes_as_an_array_may():
    whole = jg.ones((1,) * 64)
    assert jg.vmap(lambda x: x + 1)(whole).shape == (1,) * 64
    for function in [lambda a, x: x + a, lambda a, x: jg.broadcast_to(a, (1,) * 64)]:
        with pytest.raises(ValueError, match="65 axes, allowed are 64"):
            jg.vmap(function, (0, None))(jg.ones(2), whole)


def test_a_chain_of_a_hundred_thousand_ops_needs_no_recursion():
    def function(x):
        for _ in range(100_000):
            x = -x
        return x

    same(jg.vmap(function)(jg.ones((3,))), np.ones(3))


def test_many_batches_leave_nothing_in_memory():
    x = array(8, 5)

    def use():
        grads = jg.vmap(jg.grad(lambda x: jg.sum(jg.tanh(x) * x)))(x)
        drawn = jg.vmap(lambda x: jg.random.normal() * x, randomness="different")(x)
        with pytest.raises(ValueError, match="no values"):
            jg.vmap(lambda x: x.item())(x)
        jg.eval(grads, drawn, *jg.vmap(lambda x: jg.linalg.svd(jg.outer(x, x)))(x))

    use()
    before = jg.get_active_memory()
    for _ in range(300):
        use()
    assert jg.get_active_memory() <= before
