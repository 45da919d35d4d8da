"""Classification of the functions of scipy.fftpack; those that scipy.fft has too are listed there."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.fftpack",
    differentiable="dct dctn dst dstn fft fft2 fftfreq fftn fftshift idct idctn idst idstn ifft ifft2 ifftn ifftshift rfft rfftfreq",
    constant="next_fast_len",
    missing={
        "write it with the transforms of scipy.fft": "cc_diff cs_diff diff hilbert ihilbert irfft itilbert sc_diff shift ss_diff tilbert",
    },
    refused={"it runs SciPy's own tests": "test"},
),)
