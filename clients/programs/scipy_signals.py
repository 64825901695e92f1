# SPDX-License-Identifier: Apache-2.0
"""Channels of a recording through SciPy: a band is filtered out, its envelope and its phase are
taken, and channels are compared by their statistics."""

import numpy as np
from measure import measure
from scipy import fft, signal, special, stats

CHANNELS, LENGTH, RATE = 64, 16384, 1000.0


def prepare(xp):
    random = np.random.default_rng(0)
    times = np.arange(LENGTH) / RATE
    waves = np.sin(2 * np.pi * 40 * times) * (1 + 0.5 * np.sin(2 * np.pi * times))
    recorded = xp.asarray(waves + random.standard_normal((CHANNELS, LENGTH)))
    taps = xp.asarray(signal.firwin(255, [30.0, 50.0], fs=RATE, pass_zero=False))

    def run():
        band = signal.fftconvolve(recorded, taps[None, :], mode="same", axes=-1)
        analytic = signal.hilbert(band, axis=-1)
        envelope = xp.abs(analytic)
        power = xp.abs(fft.rfft(recorded * signal.windows.hann(LENGTH, xp=xp), axis=-1)) ** 2
        return {
            "envelope": envelope,
            "phase": xp.real(analytic / envelope),
            "scores": stats.zscore(envelope, axis=-1),
            "skew": stats.skew(band, axis=-1),
            "kurtosis": stats.kurtosis(band, axis=-1),
            "likelihood": special.logsumexp(-0.5 * band * band, axis=-1),
            "power": power,
        }

    return run


if __name__ == "__main__":
    measure(prepare, "scipy")
