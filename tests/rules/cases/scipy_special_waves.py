"""scipy.special: Legendre functions, sequences of orders, Mathieu's, spheroidal and ellipsoidal functions, Smirnov's distribution."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from transgrad.rules.installed import at_least, installed

from .forms import Case, case

rng = np.random.default_rng(3)     # of its own: SciPy loses digits of radial functions here and there


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    return rng.uniform(low, high, size=shape)


def positive(*shape: int) -> Any:
    return real(*shape, low=0.3)


def inside(*shape: int) -> Any:
    return real(*shape, low=-0.9, high=0.9)


def cases() -> Iterator[Case]:
    import scipy.special as sp
    yield from legendre(sp)
    yield from sequences(sp)
    yield from spheroidal(sp)
    yield from mathieu(sp)
    yield from ellipsoidal(sp)
    yield from (case(sp.smirnov, n, np.array([0.13, 0.37, 0.71])) for n in (1, 4, 30))
    yield case(sp.smirnovi, 7, np.array([0.13, 0.37, 0.71]))
    yield case(sp.smirnovi, np.array([[3], [12]]), np.array([0.13, 0.37]))
    from transgrad.rules.scipy.special import smirnov
    yield case(smirnov.smirnov_derivative, 7, np.array([0.13, 0.37]), 2)


def legendre(sp: Any) -> Iterator[Case]:
    for k in (0, 1, 2):
        yield from (case(installed("scipy.special.legendre_p"), n, inside(3), diff_n=k) for n in (0, 1, 4))
        yield case(installed("scipy.special.legendre_p"), np.array([[2], [3]]), inside(3), diff_n=k)
        yield case(installed("scipy.special.legendre_p"), 3, 0.4, diff_n=k)
        yield case(installed("scipy.special.legendre_p_all"), 3, inside(2, 3), diff_n=k)
        yield case(installed("scipy.special.legendre_p_all"), 2, 0.3, diff_n=k)
        yield from (case(installed("scipy.special.assoc_legendre_p"), n, m, inside(3), diff_n=k) for n, m in ((0, 0), (3, 2), (4, -1), (1, 2)))
        yield case(installed("scipy.special.assoc_legendre_p"), 3, 1, inside(3), norm=True, diff_n=k)
        yield case(installed("scipy.special.assoc_legendre_p"), 3, 1, 1.0 + positive(3), branch_cut=3, diff_n=k)
        yield case(installed("scipy.special.assoc_legendre_p_all"), 3, 2, inside(3), diff_n=k)
        yield from (case(installed("scipy.special.sph_legendre_p"), n, m, positive(3), diff_n=k) for n, m in ((0, 0), (3, 2), (4, -1)))
        yield case(installed("scipy.special.sph_legendre_p_all"), 2, 1, positive(3), diff_n=k)
        yield from (case(installed("scipy.special.sph_harm_y"), n, m, positive(3), real(3), diff_n=k) for n, m in ((0, 0), (3, 2), (4, -1)))
        yield case(installed("scipy.special.sph_harm_y"), 3, 2, positive(2, 1), real(3), diff_n=k)
        yield case(installed("scipy.special.sph_harm_y_all"), 2, 1, positive(3), real(3), diff_n=k)
    yield from (case(sp.assoc_laguerre, positive(3), 3, k) for k in (0, 2))


def sequences(sp: Any) -> Iterator[Case]:
    for z in (inside(3), 0.4, 1.0 + positive(2, 3)):
        if np.ndim(z) == 0 or at_least("scipy", 1, 15):     # before, of one number
            yield case(sp.lqn, 3, z)
    yield from (case(sp.lqmn, 2, 3, z) for z in (0.4, 1.7))
    yield from (case(fn, 3, 1.3) for fn in (sp.riccati_jn, sp.riccati_yn))
    yield from (case(fn, v, 0.7, fixed=(0,)) for fn in (sp.lmbda, sp.pbdv_seq, sp.pbvv_seq) for v in (3, 2.5))
    yield case(sp.pbdn_seq, 3, 0.7)


def spheroidal(sp: Any) -> Iterator[Case]:
    places = {"pro_ang1": inside(3), "obl_ang1": inside(3), "pro_rad1": 1.0 + positive(3), "pro_rad2": np.array([1.3, 1.8, 2.4]),
              "obl_rad1": positive(3)}
    if not at_least("scipy", 1, 14):        # SciPy 1.13 writes past the end of an array
        del places["pro_rad1"], places["pro_rad2"], places["obl_rad1"]
    for name, x in places.items():
        value = sp.obl_cv if name.startswith("obl") else sp.pro_cv
        yield from (case(getattr(sp, name), m, n, 1.4, x, fixed=(2,)) for m, n in ((0, 0), (1, 2), (2, 5)) if name != "pro_rad2" or m != 1)
        yield case(getattr(sp, f"{name}_cv"), 0, 0, 1.4, value(0, 0, 1.4), x, fixed=(2, 3))
    for fn in (sp.pro_cv, sp.obl_cv):
        yield from (case(fn, m, n, positive(3)) for m, n in ((0, 0), (1, 2), (2, 5)))


def mathieu(sp: Any) -> Iterator[Case]:
    from transgrad.rules.scipy.special import levels
    q = np.array([0.0, 0.7, 9.0])
    for n in (1, 2, 3):
        yield case(sp.mathieu_a, n, q)
        yield case(sp.mathieu_b, n, q)
        yield from (case(fn, n, positive(3), real(3, low=-90.0, high=90.0)) for fn in (sp.mathieu_cem, sp.mathieu_sem))
    yield case(sp.mathieu_a, 0, real(3))
    yield case(sp.mathieu_cem, 0, positive(2, 1), real(3))
    yield case(levels.level, "spheroidal", 1, 3, real(3), 2, fixed=(0, 1, 2))
    yield from (case(levels.state, kind, 2, positive(3), real(3), 1, 1, fixed=(0,)) for kind in ("even", "odd"))


def ellipsoidal(sp: Any) -> Iterator[Case]:
    for n, p in ((1, 1), (1, 2), (1, 3), (2, 2), (2, 5), (3, 3), (4, 9), (5, 2)):
        yield from (case(sp.ellip_harm, 5.0, 8.0, n, p, s, fixed=(0, 1)) for s in (np.array([3.1, 4.0]), np.array([2.5]), np.array([0.0, -1.1])))
        yield case(sp.ellip_harm_2, 5.0, 8.0, n, p, np.array([3.1, 4.0]), fixed=(0, 1))
    yield case(sp.ellip_harm, 5.0, 8.0, 4, 6, np.array([0.7, 2.6]), -1, 1, fixed=(0, 1))
    yield case(sp.besselpoly, np.array([0.7, 2.0, 0.1]), 1.0, 2.0, fixed=(1, 2))
