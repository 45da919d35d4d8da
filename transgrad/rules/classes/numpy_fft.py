"""Classification of the functions of numpy.fft."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "numpy.fft",
    differentiable="fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn",
    refused={"it runs NumPy's own tests": "test"},
),)
