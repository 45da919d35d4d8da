"""Classification of the functions of scipy.fft."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.fft",
    differentiable="""
        dct dctn dst dstn fft fft2 fftfreq fftn fftshift fht fhtoffset hfft hfft2 hfftn idct idctn idst idstn ifft ifft2 ifftn ifftshift
        ifht ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """,
    constant="next_fast_len prev_fast_len",
    structural="get_workers",
    refused={
        "it sets how SciPy computes": "register_backend set_backend set_global_backend set_workers skip_backend",
        "it runs SciPy's own tests": "test",
    },
),)
