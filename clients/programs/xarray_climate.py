# SPDX-License-Identifier: Apache-2.0
"""A climatology in xarray: the mean of each month, how the days differ from it, and figures of that
by place, by year, and for the globe with cells weighted by their area."""

import numpy as np
import pandas as pd
import xarray as xr
from measure import measure

YEARS, LATITUDES, LONGITUDES = 4, 48, 96


def temperatures(random, days):
    season = 10 * np.sin(2 * np.pi * np.arange(days) / 365.25)
    warming = np.linspace(0, 1, days)
    noise = random.standard_normal((days, LATITUDES, LONGITUDES))
    return 280 + (season + warming)[:, None, None] + noise


def prepare(xp):
    time = pd.date_range("2001-01-01", periods=365 * YEARS, freq="D")
    latitudes = np.linspace(-88, 88, LATITUDES)
    data = xr.DataArray(
        xp.asarray(temperatures(np.random.default_rng(0), len(time))),
        dims=("time", "lat", "lon"),
        coords={"time": time, "lat": latitudes, "lon": np.linspace(0, 356.25, LONGITUDES)},
    )
    area = xr.DataArray(xp.asarray(np.cos(np.deg2rad(latitudes))), dims="lat")

    def run():
        climatology = data.groupby("time.month").mean()
        anomaly = data.groupby("time.month") - climatology
        globe = (anomaly * area).mean("lon").sum("lat") / area.sum()
        results = {
            "climatology": climatology,
            "deviation": anomaly.std("time"),
            "by year": anomaly.groupby("time.year").mean(),
            "globe": globe,
            "by week": anomaly.coarsen(time=7, boundary="trim").mean(),
            "warm days": (anomaly > 2).sum("time"),
        }
        return {name: value.data for name, value in results.items()}

    return run


if __name__ == "__main__":
    measure(prepare, "xarray")
