# SPDX-License-Identifier: Apache-2.0
"""A pipeline of scikit-learn by its dispatch to arrays: scaled, projected on principal components,
fitted, and measured on rows that were held back; classes are told apart beside it."""

import numpy as np
import sklearn
from measure import measure
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error, r2_score
from sklearn.preprocessing import StandardScaler

ROWS, COLUMNS, KEPT = 20_000, 64, 16


def prepare(xp):
    random = np.random.default_rng(0)
    plain = random.standard_normal((ROWS, KEPT)) @ random.standard_normal((KEPT, COLUMNS))
    plain += 0.1 * random.standard_normal((ROWS, COLUMNS))
    goals = plain @ random.standard_normal(COLUMNS) + random.standard_normal(ROWS)
    x, y = xp.asarray(plain), xp.asarray(goals)
    classes = xp.asarray((goals > 0).astype(np.int64))
    half = ROWS // 2

    def run():
        with sklearn.config_context(array_api_dispatch=True):
            scaled = StandardScaler().fit(x[:half]).transform(x)
            projection = PCA(KEPT, svd_solver="full").fit(scaled[:half])
            parts = projection.transform(scaled)
            found = Ridge(alpha=1.0, solver="svd").fit(parts[:half], y[:half]).predict(parts[half:])
            told = LinearDiscriminantAnalysis().fit(parts[:half], classes[:half])
            return {
                "variances": projection.explained_variance_,
                "predicted": found,
                "classes": told.predict(parts[half:]),
                "error": mean_squared_error(y[half:], found),
                "r2": r2_score(y[half:], found),
            }

    return run


if __name__ == "__main__":
    measure(prepare, "scikit-learn")
