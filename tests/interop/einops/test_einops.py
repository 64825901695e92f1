# SPDX-License-Identifier: Apache-2.0
"""einops on our arrays: by its Array API module, and by its own functions with joggle.einops."""

import einops
import einops.array_api
import numpy as np
import pytest

import joggle as jg
import joggle.einops

X = np.arange(24, dtype="f4").reshape(6, 4)
CALLS = {
    "rearrange": lambda e, x: e.rearrange(x, "(a b) c -> b (c a)", a=2),
    "reduce": lambda e, x: e.reduce(x, "(a b) c -> b c", "mean", a=3),
    "largest": lambda e, x: e.reduce(x, "a c -> c", "max"),
    "repeat": lambda e, x: e.repeat(x, "a c -> a r c", r=2),
    "several": lambda e, x: e.rearrange([x, x + 1], "n a c -> a n c"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("module", [einops, einops.array_api], ids=["einops", "array_api"])
def test_patterns_give_what_they_give_in_numpy(module, name):
    ours, expected = CALLS[name](module, jg.array(X)), CALLS[name](einops, X)
    assert isinstance(ours, jg.array)
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-6)


def test_einsum_and_pack_give_what_they_give_in_numpy():
    product = einops.einsum(jg.array(X), jg.array(X), "a c, b c -> a b")
    np.testing.assert_allclose(np.asarray(product), X @ X.T)
    packed, shapes = einops.pack([jg.array(X), jg.array(X[0])], "* c")
    assert packed.shape == (7, 4)
    assert [x.shape for x in einops.unpack(packed, shapes, "* c")] == [(6, 4), (4,)]


def test_nothing_is_computed_before_it_is_asked_for():
    lazy = einops.rearrange(jg.array(X) + 1, "a c -> c a")
    assert lazy.status == "unscheduled" and lazy.tolist() == (X + 1).T.tolist()


def test_what_is_no_float_has_no_mean():
    with pytest.raises(NotImplementedError):
        einops.reduce(jg.arange(4), "a -> ", "mean")
