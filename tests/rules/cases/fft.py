"""Fourier transforms."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, cplx, real


def cases() -> Iterator[Case]:
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        fn = getattr(np.fft, name)
        x = real(6) if name in ("rfft", "ihfft") else cplx(6)
        yield case(fn, x)
        yield from (case(fn, x, n) for n in (4, 5, 8))
        yield case(fn, np.stack([x, x[::-1] * 0.5]), axis=1)
        yield from (case(fn, x, norm=norm) for norm in ("ortho", "forward"))
    yield from (case(fn, cplx(3, 4)) for fn in (np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn))
    yield from (case(fn, real(3, 4)) for fn in (np.fft.rfft2, np.fft.rfftn, np.fft.fft, np.fft.fft2))
    for fn in (np.fft.irfft2, np.fft.irfftn):
        yield from (case(fn, cplx(3, 4)), case(fn, cplx(3, 4), (3, 5)), case(fn, cplx(3, 4), (2, 8), norm="ortho"), case(fn, cplx(3, 4), axes=(1, 0)))
    for fn in (np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn):
        yield from (case(fn, cplx(3, 4), s) for s in ((2, 3), (4, 6)))
        yield case(fn, cplx(2, 3, 4), axes=(0, 2), norm="ortho")
    yield from (case(fn, real(3, 4), s) for fn in (np.fft.rfft2, np.fft.rfftn) for s in ((2, 3), (4, 6)))
    yield case(np.fft.fftn, cplx(2, 3, 4), (3, 3))
    yield from (case(fn, 6, 0.3) for fn in (np.fft.fftfreq, np.fft.rfftfreq))
