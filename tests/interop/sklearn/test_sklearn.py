# SPDX-License-Identifier: Apache-2.0
"""scikit-learn with array_api_dispatch on our arrays, in a process of its own: it asks for SciPy
with SCIPY_ARRAY_API=1, which is read when SciPy is first imported."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np, joggle as jg, sklearn
from sklearn import metrics
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import MinMaxScaler, Normalizer, PolynomialFeatures, StandardScaler
random = np.random.default_rng(0)
rows = random.standard_normal((60, 5)) + np.arange(60)[:, None] % 2
classes, targets = np.arange(60) % 2, rows @ np.arange(5.0)
def run(xp, x, y, t):
    return {call}
expected = run(np, rows, classes, targets)
with sklearn.config_context(array_api_dispatch=True):
    ours = run(jg, jg.array(rows), jg.array(classes), jg.array(targets))
assert isinstance(ours, jg.array) == {is_array}, type(ours)
np.testing.assert_allclose(abs(np.asarray(ours)), abs(np.asarray(expected)), rtol=1e-6, atol=1e-9)
"""
CALLS = {
    "PCA": ("PCA(2, svd_solver='full').fit_transform(x)", True),
    "LinearDiscriminantAnalysis": ("LinearDiscriminantAnalysis().fit(x, y).predict(x)", True),
    "Ridge": ("Ridge(solver='svd').fit(x, t).predict(x)", True),
    "StandardScaler": ("StandardScaler().fit_transform(x)", True),
    "MinMaxScaler": ("MinMaxScaler().fit_transform(x)", True),
    "Normalizer": ("Normalizer('l1').fit_transform(x)", True),
    "PolynomialFeatures": ("PolynomialFeatures(2).fit_transform(x)", True),
    "LogisticRegression": ("LogisticRegression().fit(x, y).predict_proba(x)", True),
    "GaussianNB": ("GaussianNB().fit(x, y).predict_proba(x)", True),
    "GaussianMixture": (
        "GaussianMixture(2, covariance_type='diag', init_params='random_from_data', "
        "random_state=0, max_iter=3).fit(x).predict_proba(x)",
        True,
    ),
    "Nystroem": ("Nystroem(n_components=5, random_state=0).fit_transform(x)", True),
    "accuracy": ("metrics.accuracy_score(y, 1 - y)", False),
    "r2": ("metrics.r2_score(t, t + 1)", False),
    "mean_squared_error": ("metrics.mean_squared_error(t, t * 2)", False),
    "cosine_similarity": ("metrics.pairwise.cosine_similarity(x[:9])", True),
    "f1": ("metrics.f1_score(y, y[::-1])", False),
    "confusion_matrix": ("metrics.confusion_matrix(y, y[::-1])", True),
    "roc_auc": ("metrics.roc_auc_score(y, t)", False),
    "manhattan_distances": ("metrics.pairwise.manhattan_distances(x[:9])", True),
    "rbf_kernel": ("metrics.pairwise.rbf_kernel(x[:9])", True),
}


def test_estimators_and_metrics_give_what_they_give_on_numpy():
    program = "".join(PROGRAM.format(call=c, is_array=a) for c, a in CALLS.values())
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-W", "ignore", "-c", program]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


WITHOUT_DISPATCH = """
import numpy as np, joggle as jg
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
random = np.random.default_rng(0)
rows = random.standard_normal((60, 5)) + np.arange(60)[:, None] % 2
classes = np.arange(60) % 2
def run(x, y):
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    yield pipeline.fit(x, y).predict_proba(x)
    yield KMeans(2, n_init=1, random_state=0).fit_predict(x)
    yield RandomForestClassifier(5, random_state=0).fit(x, y).predict(x)
    yield KNeighborsClassifier(3).fit(x, y).predict(x)
    yield cross_val_score(LogisticRegression(), x, y, cv=3)
    yield np.asarray(accuracy_score(y, y[::-1]))
    for part in train_test_split(x, y, random_state=0):
        yield np.asarray(part)
for ours, theirs in zip(run(jg.array(rows), jg.array(classes)), run(rows, classes), strict=True):
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6, atol=1e-9)
"""


def test_without_dispatch_estimators_take_our_arrays_for_numpys():
    command = [sys.executable, "-c", WITHOUT_DISPATCH]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
