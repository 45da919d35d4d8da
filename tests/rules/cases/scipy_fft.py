"""scipy.fft."""
from __future__ import annotations

from collections.abc import Iterator

from .forms import Case, case, cplx, real


def cases() -> Iterator[Case]:
    import scipy.fft as sf
    yield from (case(getattr(sf, name), cplx(4, 5), norm="ortho") for name in ("fft", "ifft", "irfft", "hfft", "fft2", "ifft2", "fftn", "ifftn",
                                                                                 "irfft2", "irfftn"))
    yield from (case(getattr(sf, name), real(4, 6)) for name in ("rfft", "ihfft", "rfft2", "rfftn", "fftshift", "ifftshift"))
    for fn in (sf.dct, sf.dst):
        for kind in (1, 2, 3, 4):
            yield case(fn, real(5), type=kind)
            yield case(fn, real(2, 5), type=kind, axis=0 if kind > 1 else 1, norm="ortho")
            yield case(fn, real(5), type=kind, n=4, norm="forward")
    yield from (case(fn, real(5), type=kind) for fn in (sf.idct, sf.idst) for kind in (2, 3))
    yield from (case(fn, 6, 0.3) for fn in (sf.fftfreq, sf.rfftfreq))
