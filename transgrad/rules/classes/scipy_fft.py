"""What the functions of scipy.fft are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.fft",
    differentiable="""
        dct dst fft fft2 fftfreq fftn fftshift hfft idct idst ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq
        rfftn
    """,
    constant="next_fast_len prev_fast_len",
    structural="get_workers",
    missing={
        "write it with dct, dst or their inverses along one axis after the other": "dctn dstn idctn idstn",
        "write it with irfftn of the conjugate, or the conjugate of rfftn": "hfft2 hfftn ihfft2 ihfftn",
        "no derivative of this one has been written": "fht fhtoffset ifht",
    },
    refused={
        "it sets how SciPy computes": "register_backend set_backend set_global_backend set_workers skip_backend",
        "it runs SciPy's own tests": "test",
    },
),)
