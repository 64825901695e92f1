# SPDX-License-Identifier: Apache-2.0
"""SciPy with SCIPY_ARRAY_API=1 on our arrays: results are arrays of ours with SciPy's values.

The variable is read when SciPy is first imported, so the calls run in a process of their own.
"""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np, scipy.cluster.vq, scipy.differentiate, scipy.fft, scipy.integrate
import scipy.interpolate, scipy.ndimage, scipy.signal, scipy.spatial, scipy.special, scipy.stats
import joggle as jg
rows = np.random.default_rng(0).standard_normal((40, 4))
call = lambda xp, x: {call}
ours, theirs = call(jg, jg.array(rows)), call(np, rows)
assert isinstance(ours, jg.array), type(ours)
np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-7, atol=1e-9)
"""
CALLS = {
    "logsumexp": "scipy.special.logsumexp(x, axis=0)",
    "softmax": "scipy.special.softmax(x, axis=1)",
    "gammaln": "scipy.special.gammaln(xp.abs(x))",
    "zscore": "scipy.stats.zscore(x, axis=0)",
    "skew": "scipy.stats.skew(x, axis=0)",
    "gmean": "scipy.stats.gmean(xp.abs(x), axis=0)",
    "ttest": "scipy.stats.ttest_1samp(x, 0.1, axis=0).pvalue",
    "detrend": "scipy.signal.detrend(x, axis=0)",
    "fftconvolve": "scipy.signal.fftconvolve(x, x[:3], axes=0)",
    "trapezoid": "scipy.integrate.trapezoid(x, axis=0)",
    "whiten": "scipy.cluster.vq.whiten(x)",
    "gaussian": "scipy.ndimage.gaussian_filter(x, 1.0)",
    "rank_filter": "scipy.ndimage.rank_filter(xp.astype(10 * x[:, 0], xp.int64), 1, size=3)",
    "value_indices": "scipy.ndimage.value_indices(xp.astype(x > 0, xp.int64))[1][0]",
    "betainc": "scipy.special.betainc(abs(x), abs(x), abs(x) / 9)",
    "pearsonr": "scipy.stats.pearsonr(x, x[::-1], axis=0).statistic",
    "kruskal": "scipy.stats.kruskal(x[:, 0], x[:, 1], x[:, 2]).pvalue",
    "quantile": "scipy.stats.quantile(x, 0.3, axis=0)",
    "rank": "xp.astype(scipy.stats.rankdata(x, axis=0), x.dtype)",
    "circmean": "scipy.stats.circmean(x, axis=0)",
    "hilbert": "scipy.signal.hilbert(x[:, 0])",
    "savgol": "scipy.signal.savgol_filter(x, 5, 2, axis=0)",
    "tanhsinh": "scipy.integrate.tanhsinh(xp.exp, x[0], x[1]).integral",
    "kmeans2": "scipy.cluster.vq.kmeans2(x, x[:3], minit='matrix')[0]",
    "derivative": "scipy.differentiate.derivative(xp.sin, x).df",
    "rotation": "scipy.spatial.transform.Rotation.from_quat(x).as_matrix()",
    "spline": "scipy.interpolate.CubicSpline(xp.cumulative_sum(x[:, 0] ** 2), x[:, 1])(x)",
    "dct": "scipy.fft.dct(x, axis=0)",
    # SciPy takes a companion matrix of its own where a namespace is not NumPy's and has no `roots`,
    # so they come in another order, torch's as well.
    "tf2zpk": "xp.sort(xp.real(scipy.signal.tf2zpk(x[0], x[1])[1]))",
}


@pytest.mark.parametrize("calls", [list(CALLS)[::2], list(CALLS)[1::2]], ids=["even", "odd"])
def test_functions_of_scipy_give_arrays_of_ours(calls):
    program = "".join(PROGRAM.format(call=CALLS[name]) for name in calls)
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


UFUNCS = """
import numpy as np, scipy.special as s
import joggle as jg
a = np.random.default_rng(0).uniform(0.1, 0.9, (5, 4)).astype({dtype!r})
x = jg.asarray(a)
same = ("erf", "erfinv", "expit", "cbrt", "exp2", "expm1", "log1p", "i0")
others = ("gammaln", "erfc", "ndtr", "logit", "digamma", "entr", "exp10")
for name in same + others:
    found = getattr(s, name)(x)
    assert isinstance(found, jg.array) and found.dtype.name == {dtype!r}, name
    assert (found.status == "available") == (name in others), name
    np.testing.assert_allclose(np.asarray(found), getattr(s, name)(a), rtol={rtol}, err_msg=name)
    out = np.zeros_like(a)
    assert getattr(s, name)(x, out=out) is out
    np.testing.assert_allclose(out, getattr(s, name)(a), rtol={rtol}, err_msg=name)
found = s.xlogy(x, a)
assert isinstance(found, jg.array)
np.testing.assert_allclose(np.asarray(found), s.xlogy(a, a), rtol={rtol})
sine, cosine = s.sici(x)
assert isinstance(sine, jg.array) and isinstance(cosine, jg.array)
"""


@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 2e-6), ("float64", 1e-12)])
def test_ufuncs_of_scipy_are_ours_where_we_have_them_and_else_computed_on_our_memory(dtype, rtol):
    program = UFUNCS.format(dtype=dtype, rtol=rtol)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


STRIDED = """
import numpy as np, scipy.linalg as linalg, scipy.signal as signal
import joggle as jg
for a in (np.arange(1.0, 6), np.arange(10.0)[::-2], np.arange(12).reshape(3, 4)):
    x = jg.array(a)
    for name in ("circulant", "toeplitz", "hankel"):
        if a.ndim == 1 or name == "circulant":
            np.testing.assert_array_equal(getattr(linalg, name)(x), getattr(linalg, name)(a))
wave = np.random.default_rng(0).standard_normal(600)
for call in (signal.welch, signal.stft, lambda x: signal.coherence(x, x[::-1])):
    np.testing.assert_allclose(call(jg.array(wave))[-1], call(wave)[-1], rtol=1e-9, atol=1e-9)
"""


@pytest.mark.parametrize("variable", ["0", "1"])
def test_functions_that_step_through_our_memory_by_strides_give_the_numbers_of_numpys(variable):
    environment = os.environ | {"SCIPY_ARRAY_API": variable}
    command = [sys.executable, "-c", STRIDED]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
