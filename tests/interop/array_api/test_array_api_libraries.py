# SPDX-License-Identifier: Apache-2.0
"""array-api-compat and array-api-extra take our arrays as those of a namespace like any other."""

import array_api_compat as compat
import array_api_extra as xpx
import numpy as np
import pytest

import joggle as jg

X = np.random.default_rng(0).standard_normal((5, 3))


def test_our_namespace_is_joggle_itself():
    x = jg.array(X)
    assert compat.array_namespace(x, x) is jg
    assert compat.is_array_api_obj(x) and not compat.is_lazy_array(x)
    assert compat.device(x) == "cpu" and compat.size(x) == 15
    assert compat.to_device(x, "cpu") is x


CALLS = {
    "apply_where": lambda a, xp: xpx.apply_where(a > 0, a, xp.sqrt, fill_value=-1.0),
    "atleast_nd": lambda a, xp: xpx.atleast_nd(a, ndim=4),
    "cov": lambda a, xp: xpx.cov(a.T),
    "create_diagonal": lambda a, xp: xpx.create_diagonal(a[0], offset=1),
    "expand_dims": lambda a, xp: xpx.expand_dims(a, axis=(0, 2)),
    "isclose": lambda a, xp: xpx.isclose(a, a + 1e-9),
    "kron": lambda a, xp: xpx.kron(a, a[:2]),
    "nunique": lambda a, xp: xp.asarray(xpx.nunique(xp.floor(a))),
    "one_hot": lambda a, xp: xpx.one_hot(xp.asarray([0, 2, 1]), 3),
    "pad": lambda a, xp: xpx.pad(a, 2, constant_values=1.0),
    "setdiff1d": lambda a, xp: xpx.setdiff1d(xp.asarray([1, 2, 3]), xp.asarray([2])),
    "sinc": lambda a, xp: xpx.sinc(a),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_array_api_extra_give_what_they_give_in_numpy(name):
    ours = CALLS[name](jg.array(X), jg)
    assert isinstance(ours, jg.array)
    np.testing.assert_allclose(np.asarray(ours), CALLS[name](X, np), rtol=1e-12, atol=1e-12)


def test_updates_go_by_at():
    x = jg.array(X)
    updated = xpx.at(x)[0].set(7.0, copy=True)
    assert updated[0].tolist() == [7, 7, 7] and x[0].tolist() == X[0].tolist()
    assert xpx.at(x)[1:, 0].add(1.0, copy=True)[1:, 0].tolist() == (X[1:, 0] + 1).tolist()


def test_functions_of_numpy_are_applied_lazily():
    result = xpx.lazy_apply(np.sort, jg.array(X), as_numpy=True)
    assert isinstance(result, jg.array)
    np.testing.assert_array_equal(np.asarray(result), np.sort(X))
