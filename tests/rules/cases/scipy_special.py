"""scipy.special: each function at arguments inside its domain, and through each argument that has a derivative."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from transgrad.rules.installed import installed

from .forms import Case, case, cplx, positive, real


def unit(*shape: int) -> Any:
    return real(*shape, low=0.1, high=0.9)


#: names to the makers of their arguments; those after the bar of ``fixed`` are not differentiated
_OF_ONE = "erf erfc erfcx erfi dawsn ndtr log_ndtr exp1 expi spence expit log_expit exprel entr cbrt exp2 exp10 expm1 log1p cosm1 sindg cosdg " \
    "tandg cotdg wrightomega gammaln gamma rgamma digamma loggamma factorial j0 j1 y0 y1 i0 i1 i0e i1e k0 k1 k0e k1e ber bei ker kei " \
    "berp beip kerp keip itstruve0 it2struve0 itmodstruve0 sici shichi fresnel airy airye itairy itj0y0 it2j0y0 iti0k0 it2i0k0 kelvin " \
    "kolmogorov modfresnelp modfresnelm"
_OF_UNIT = "erfinv erfcinv ndtri logit ellipk ellipe ellipkm1 kolmogi"
_OF_COMPLEX = "erf erfc dawsn wofz exp1 loggamma gamma log1p expm1 lambertw spence fresnel airy"
_OF_TWO = "beta betaln xlogy xlog1py rel_entr kl_div huber pseudo_huber boxcox boxcox1p inv_boxcox agm poch owens_t gammainc gammaincc " \
    "jv yv iv kv jve yve ive kve hankel1 hankel2 elliprc powm1 chdtr chdtrc stdtr"
_SECOND_OF_TWO = "hankel1e hankel2e struve modstruve hyp0f1"
_POLYNOMIALS = "legendre sh_legendre chebyt sh_chebyt chebyu sh_chebyu chebyc chebys laguerre hermite hermitenorm"


def cases() -> Iterator[Case]:
    import scipy.special as sp
    yield from (case(getattr(sp, name), x) for name in _OF_ONE.split() if hasattr(sp, name) for x in (positive(4), 0.7))
    if hasattr(sp, "softplus"):
        yield case(installed("scipy.special.softplus"), real(3))
    yield from (case(getattr(sp, name), unit(3)) for name in _OF_UNIT.split())
    yield from (case(getattr(sp, name), cplx(3)) for name in _OF_COMPLEX.split())
    yield from (case(getattr(sp, name), positive(2, 3), positive(3)) for name in _OF_TWO.split() if hasattr(sp, name))
    yield from (case(getattr(sp, name), positive(3), positive(3), fixed=(0,)) for name in _SECOND_OF_TWO.split())
    for name in _POLYNOMIALS.split():
        yield from (case(getattr(sp, f"eval_{name}"), n, real(3, low=-0.9, high=0.9)) for n in (0, 1, 4))
    yield from (case(fn, 3, *shape, real(3, low=-0.9, high=0.9), fixed=tuple(range(1, 1 + len(shape)))) for fn, shape in (
        (sp.eval_gegenbauer, (1.5,)), (sp.eval_jacobi, (0.5, 1.2)), (sp.eval_sh_jacobi, (2.5, 1.2)), (sp.eval_genlaguerre, (0.7,))))
    yield case(sp.lpmv, 1, 3, real(3, low=-0.9, high=0.9))
    yield from incomplete(sp)
    yield from distributions(sp)
    yield from elliptic(sp)
    yield from others(sp)


def incomplete(sp: Any) -> Iterator[Case]:
    for x in (0.05, 3.0, 40.0):
        yield case(sp.gammainc, 3.3, x)
        yield case(sp.gammaincc, 3.3, x)
    yield case(sp.gammainc, np.array([0.05, 30.0, 400.0]), np.array([0.4, 36.0, 380.0]))
    yield from (case(fn, positive(3), unit(3)) for fn in (sp.gammaincinv, sp.gammainccinv))
    yield from (case(fn, positive(3), positive(3), unit(3)) for fn in (sp.betainc, sp.betaincc, sp.betaincinv, sp.betainccinv))
    yield case(sp.betainc, np.array([0.2, 30.0, 5.0]), np.array([0.3, 4.0, 60.0]), np.array([0.9, 0.8, 0.2]))


def distributions(sp: Any) -> Iterator[Case]:
    yield from (case(fn, 3, real(3, low=2.0, high=5.0)) for fn in (sp.pdtr, sp.pdtrc))
    yield case(sp.pdtri, 3, unit(3))
    yield from (case(fn, 3.0, 9, unit(3), fixed=(0,)) for fn in (sp.bdtr, sp.bdtrc, sp.bdtri))
    yield from (case(fn, 3, 9, unit(3)) for fn in (sp.nbdtr, sp.nbdtrc, sp.nbdtri))
    yield from (case(fn, positive(3), positive(3), 1.0 + positive(3)) for fn in (sp.fdtr, sp.fdtrc, sp.gdtr, sp.gdtrc))
    yield case(sp.fdtri, positive(3) + 2.0, positive(3) + 2.0, unit(3))
    yield case(sp.gdtrix, positive(3), positive(3), unit(3))
    yield case(sp.gdtria, unit(3), positive(3), positive(3))
    yield case(sp.gdtrib, positive(3), unit(3), positive(3))
    yield case(sp.btdtria, np.array([0.4, 0.7]), 1.3, 0.6)
    yield case(sp.btdtrib, 1.3, np.array([0.4, 0.7]), 0.6)
    yield case(sp.chdtri, positive(3), unit(3))
    yield case(sp.chdtriv, unit(3), positive(3))
    yield case(sp.stdtr, positive(4), np.array([-1.2, 0.3, 4.0, 0.0]))
    yield case(sp.stdtrit, 1.0 + positive(3), np.array([0.2, 0.6, 0.9]))
    yield case(sp.stdtridf, 0.7, 0.6)
    yield case(sp.nrdtrimn, unit(3), positive(3), positive(3))
    yield case(sp.nrdtrisd, -positive(3), 0.7, positive(3))
    yield case(sp.chndtr, positive(3), 2.0 + positive(3), positive(3), fixed=(1,))
    yield case(sp.chndtrix, unit(3), 2.0 + positive(3), positive(3), fixed=(1,))
    yield case(sp.kolmogorov, np.array([0.3, 0.9, 1.1, 2.0]))


def elliptic(sp: Any) -> Iterator[Case]:
    yield from (case(fn, positive(3), positive(3), positive(3)) for fn in (sp.elliprf, sp.elliprd, sp.elliprg))
    yield case(sp.elliprf, 0.0, 1.0, 0.7, fixed=(0,))
    yield case(sp.elliprj, positive(3), positive(3), positive(3), positive(3))
    for fn in (sp.ellipkinc, sp.ellipeinc):
        yield case(fn, np.array([0.3, 1.4, 2.0, -4.0, 9.0]), np.array([0.3, 0.0, 0.9, 0.5, -0.7]))
    yield case(sp.ellipk, np.array([0.0, -2.0]))
    yield case(sp.ellipe, np.array([0.0, -2.0]))
    yield case(sp.ellipj, np.array([0.3, 2.5, 6.0]), np.array([0.3, 0.9, 0.5]))
    yield case(sp.ellipj, np.array([0.3, 2.5, 6.0]), 0.4)
    from transgrad.rules.scipy.special.elliptic import carlson
    yield case(carlson, positive(2), 1.0, 0.7, 0.4, 0.5, 0.5, 1.5, 1.0, fixed=(4, 5, 6, 7))


def others(sp: Any) -> Iterator[Case]:
    from transgrad.rules.scipy.special.gamma import zeta_by_x
    yield case(sp.lambertw, 0.4 + cplx(3), -1)
    yield case(sp.xlogy, np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    yield case(sp.exprel, np.array([0.0, 1e-9, -3.0]))
    yield case(sp.inv_boxcox1p, positive(3), positive(3))
    yield from (case(fn, positive(2), 0.0, fixed=(1,)) for fn in (sp.boxcox, sp.boxcox1p, sp.inv_boxcox, sp.inv_boxcox1p))
    yield case(sp.boxcox, positive(2), np.zeros(2))
    yield case(sp.inv_boxcox, positive(2), np.zeros(2))
    yield case(sp.tklmbda, np.array([0.3, -0.4]), np.array([0.8, 1.3]))
    yield case(sp.radian, real(3), real(3), real(3))
    yield case(sp.diric, np.array([0.3, 2.0, -1.0]), 5)
    yield case(sp.huber, np.array([1.0, 1.0]), np.array([0.4, -3.0]))
    yield case(sp.ndtri_exp, -positive(3))
    yield case(sp.voigt_profile, real(3), positive(3), positive(3))
    yield from (case(sp.expn, n, positive(3)) for n in (0, 1, 3))
    yield case(sp.polygamma, 2, positive(3))
    yield case(sp.multigammaln, 4.2, 3)
    yield case(sp.zeta, 2.3, positive(3), fixed=(0,))
    yield from (case(fn, 5.0 + positive(3), positive(3)) for fn in (sp.binom, sp.comb))
    yield from (case(fn, np.array([0.3, 1.7, 2.5]), np.array([0.7, 20.0, 3.0])) for fn in (sp.jv, sp.yv, sp.iv, sp.kv))
    for v in ("jv_by_order", "yv_by_order", "iv_by_order", "kv_by_order"):
        from transgrad.rules.scipy.special import orders
        yield case(getattr(orders, v), np.array([0.3, 1.7, 2.5]), np.array([1.2, 20.0, 3.0]))
        yield case(getattr(orders, v), 0.3, 1.2, 2)
    from transgrad.rules.scipy.special import incomplete as slopes
    yield case(slopes.gammainc_by_a, 1.3, positive(3))
    yield case(slopes.gammainc_by_a, 1.3, positive(3), 2)
    yield from (case(fn, 1.3, 0.8, unit(3)) for fn in (slopes.betainc_by_a, slopes.betainc_by_b))
    yield case(slopes.betainc_slope, 1.3, 0.8, unit(3), 1, 1, fixed=(0, 1))
    yield from (case(fn, n, positive(3)) for fn in (sp.yn, sp.kn) for n in (0, 2))
    yield from (case(fn, 1.3, positive(3), fixed=(0,)) for fn in (sp.jvp, sp.yvp, sp.ivp, sp.kvp, sp.h1vp, sp.h2vp))
    for kind in ("jn", "yn", "in", "kn"):
        fn = getattr(sp, f"spherical_{kind}")
        yield from (case(fn, n, positive(3), derivative=d) for n in (0, 2) for d in (False, True))
    yield case(sp.zeta, 2.3)
    yield case(sp.perm, 5.0 + positive(3), positive(3))
    yield case(sp.zeta, 1.0 + positive(3), positive(3))
    yield case(sp.zetac, 1.0 + positive(3))
    yield case(zeta_by_x, 2.3, positive(3))
    yield case(zeta_by_x, 2.3, positive(3), 2)
    yield from (case(fn, 1.3, real(3), fixed=(0,)) for fn in (sp.pbdv, sp.pbvv, sp.pbwa))
    yield from (case(fn, 2, 0.7, real(3), fixed=(1,)) for fn in (sp.mathieu_cem, sp.mathieu_sem))
    modified = (sp.mathieu_modcem1, sp.mathieu_modcem2, sp.mathieu_modsem1, sp.mathieu_modsem2)
    yield from (case(fn, 2, 0.7, positive(3), fixed=(1,)) for fn in modified)
    yield from (case(fn, 0.5, 1.0, positive(3), fixed=(0, 1)) for fn in (sp.wright_bessel, installed("scipy.special.log_wright_bessel")))
    yield case(sp.hyp1f1, 0.7, 1.3, real(3), fixed=(0, 1))
    yield case(sp.hyperu, 0.7, 1.3, positive(3), fixed=(0, 1))
    yield case(sp.hyp2f1, 0.7, 1.3, 2.1, unit(3), fixed=(0, 1, 2))
    for axis in (None, 0, 1):
        yield from (case(fn, real(2, 3), axis=axis) for fn in (sp.logsumexp, sp.softmax, sp.log_softmax))
    yield case(sp.logsumexp, real(2, 3), axis=1, keepdims=True)
    yield case(sp.logsumexp, real(3), b=positive(3))
    yield from (case(sp.logsumexp, real(2, 5), axis=axis, b=positive(*shape)) for axis in (0, 1) for shape in ((2, 1), (1, 5), (5,)))
