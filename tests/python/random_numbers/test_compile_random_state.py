# SPDX-License-Identifier: Apache-2.0
"""random.state may stand alone as inputs and outputs of compile, as in MLX."""

import numpy as np

import joggle as jg


def test_random_state_alone_is_inputs_and_outputs():
    @jg.compile
    def plain(x):
        return x + jg.random.uniform(0, 1, (3,))

    given = jg.compile(plain, inputs=jg.random.state, outputs=jg.random.state)
    jg.random.seed(3)
    expected = [np.asarray(plain(jg.zeros(3))) for _ in range(2)]
    jg.random.seed(3)
    found = [np.asarray(given(jg.zeros(3))) for _ in range(2)]
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(*found)
