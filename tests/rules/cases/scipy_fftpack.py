"""scipy.fftpack."""
from __future__ import annotations

from collections.abc import Iterator

from .forms import Case, case, cplx, real


def cases() -> Iterator[Case]:
    import scipy.fftpack as fp
    for fn in (fp.fft, fp.ifft):
        yield from (case(fn, cplx(3, 5)), case(fn, real(3, 5), 4), case(fn, real(3, 5), axis=0))
    yield from (case(fn, cplx(2, 3, 4)) for fn in (fp.fft2, fp.ifft2, fp.fftn, fp.ifftn))
    yield case(fp.fftn, real(3, 4), shape=(4, 3))
    for fn in (fp.dct, fp.idct, fp.dst, fp.idst):
        yield from (case(fn, real(2, 5), kind, norm=norm) for kind in (1, 2, 3, 4) for norm in (None, "ortho"))
        yield case(fn, real(5, 2), type=2, n=4, axis=0)
    yield from (case(fn, real(3, 4), kind) for fn in (fp.dctn, fp.idctn, fp.dstn, fp.idstn) for kind in (2, 3))
    yield from (case(fp.rfft, real(2, n), n=m) for n in (5, 6) for m in (None, 4, 7))
    yield case(fp.rfft, real(5, 2), axis=0)
    yield case(fp.rfftfreq, 6, 0.3)
