# SPDX-License-Identifier: Apache-2.0
"""Kernels, funcs, their parameters and variables may have names in any script."""

import json

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd


@qd.func
def verdoppeln_ß(größe):
    return größe * 2


@qd.kernel
def größe_äöü(α: qd.f32, Ω: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for ι in range(4):
        λ = Ω[ι] * α
        Ω[ι] = verdoppeln_ß(λ)


@qd.kernel
def 計算(数: qd.i32) -> qd.i32:
    assert 数 > 0, "zu klein: größer als 0"
    return 数 + 1


def test_names_that_are_not_ascii_compile_and_run():
    qd.init()
    x = np.arange(4, dtype="f4")
    größe_äöü(3.0, x)
    größe_äöü(1.0, x)
    assert x.tolist() == [0, 12, 24, 36]
    assert 計算(4) == 5
    assert 計算.__name__ == "計算"


def test_messages_have_the_name_that_the_user_gave():
    qd.init(debug=True)
    with pytest.raises(AssertionError, match=r"計算.*zu klein: größer als 0"):
        計算(-1)
    with pytest.raises(TypeError, match=r"größe_äöü.*Ω.*float64"):
        größe_äöü(1.0, np.zeros(4))


def test_a_trace_has_the_name_that_the_user_gave(tmp_path):
    qd.init()
    path = tmp_path / "trace.json"
    with jg.trace(path):
        計算(4)
        jg.eval(jg.ones(1 << 16) + 1)
    json.loads(path.read_text(encoding="utf-8"))
