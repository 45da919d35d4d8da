"""scipy.fft."""
from __future__ import annotations

from collections.abc import Iterator

from transgrad.rules.installed import at_least

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
    for kind in (1, 2, 3, 4):
        for norm, balanced in ((None, True), ("ortho", False), ("forward", None)):
            yield from (case(fn, real(3, 5), type=kind, norm=norm, orthogonalize=balanced) for fn in (sf.dct, sf.dst, sf.idct, sf.idst))
        yield from (case(fn, real(3, 5), type=kind) for fn in (sf.dctn, sf.dstn, sf.idctn, sf.idstn))
    yield case(sf.dctn, real(3, 5), s=(4, 4))
    yield case(sf.idctn, real(2, 3, 5), axes=(0, 2), norm="ortho")
    yield case(sf.dstn, real(2, 5), s=4, axes=1)
    yield from (case(fn, cplx(3, 4)) for fn in (sf.hfft2, sf.hfftn))
    yield from (case(fn, real(3, 4), norm="ortho") for fn in (sf.ihfft2, sf.ihfftn))
    yield case(sf.hfftn, cplx(2, 3, 4), s=(3, 5), axes=(0, 2))
    of_hankel = (sf.fht, sf.ifht) if at_least("scipy", 1, 17) else ()        # before, they have no rule
    yield from (case(fn, real(2, n), 0.1, 0.7, offset=0.2, bias=bias) for fn in of_hankel for n in (6, 7) for bias in (0.0, 0.3))
    yield case(sf.fhtoffset, 0.1, 0.7, initial=0.1, bias=0.2)
    yield from (case(fn, 6, 0.3) for fn in (sf.fftfreq, sf.rfftfreq))
