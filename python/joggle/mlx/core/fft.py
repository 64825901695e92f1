# SPDX-License-Identifier: Apache-2.0
"""mlx.core.fft: joggle's functions, whose stream may be given by position too."""

import functools

from joggle import fft as _fft

# Each function, and how many parameters it has before stream.
_PLACES = {
    **dict.fromkeys(["fft", "ifft", "rfft", "irfft", "fftn", "ifftn", "rfftn", "irfftn"], 4),
    **dict.fromkeys(["fft2", "ifft2", "rfft2", "irfft2"], 4),
    **dict.fromkeys(["fftshift", "ifftshift", "fftfreq", "rfftfreq"], 2),
}


def _with_stream(function, places):
    @functools.wraps(function)
    def call(*arguments, **options):
        if len(arguments) == places + 1 and "stream" not in options:
            *arguments, options["stream"] = arguments
        return function(*arguments, **options)

    return call


globals().update(
    {name: _with_stream(getattr(_fft, name), places) for name, places in _PLACES.items()}
)
stft, istft = _fft.stft, _fft.istft
__all__ = [*_PLACES, "istft", "stft"]
