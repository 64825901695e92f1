# SPDX-License-Identifier: Apache-2.0
# fmt: off
# isort: skip_file
from joggle.fft import (
    fft as fft, fft2 as fft2, fftfreq as fftfreq, fftn as fftn, fftshift as fftshift, ifft as ifft,
    ifft2 as ifft2, ifftn as ifftn, ifftshift as ifftshift, irfft as irfft, irfft2 as irfft2,
    irfftn as irfftn, istft as istft, rfft as rfft, rfft2 as rfft2, rfftfreq as rfftfreq,
    rfftn as rfftn, stft as stft,
)

__all__: list[str]
