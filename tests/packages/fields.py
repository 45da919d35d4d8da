"""Potentials and lenses, layers and networks, elements and atoms: functions whose packages look closely at what they are given."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_RNG = np.random.default_rng(0)
_P, _Q = _RNG.normal(size=(2, 5, 3))
_A, _B = _RNG.normal(size=(2, 2, 2, 5))
_X, _Y = np.array([0.4, 1.3]), np.array([0.2, -0.7])
_R = np.linspace(0.1, 0.9, 5)
_S = _RNG.uniform(0.1, 0.8, size=(3, 2, 2))
_VECTORS = _RNG.normal(size=(3, 2, 3))
_LAYERS = "[np.inf, d, 2 * d, np.inf], 0.3, 1.3"

ENTRIES: tuple[Entry, ...] = (
    *(entry(f"pymoo.problems:get_problem({name!r}).evaluate", _RNG.uniform(0.2, 0.8, size=(2, n)), reduce="np.sum(r)")
      for name, n in (("zdt1", 30), ("zdt4", 10), ("dtlz1", 7), ("dtlz7", 10), ("ackley", 2), ("rosenbrock", 2), ("griewank", 2))),
    *(entry(f"tmm.tmm_core:(lambda d: coh_tmm({pol!r}, [1, 1.7, 1.5 + 0.2j, 3.3], {_LAYERS})['R'])", 0.4) for pol in "sp"),
    entry("tmm:interface_r", "s", 1.2, 1.7, 0.3, 0.2),
    entry("SALib.test_functions.Ishigami:evaluate", _RNG.uniform(-3, 3, size=(4, 3)), reduce="np.sum(r)"),
    entry("SALib.test_functions.Sobol_G:evaluate", _RNG.uniform(0.1, 0.9, size=(4, 8)), reduce="np.sum(r)"),
    *(entry(f"galpy.potential:{potential}", 0.9, 0.2) for potential in (
        "MiyamotoNagaiPotential(a=.5, b=.05)", "NFWPotential(a=1.2)", "LogarithmicHaloPotential(q=.9)", "HernquistPotential()",
        "PlummerPotential(b=.4)", "IsochronePotential(b=.8)", "KeplerPotential()")),
    entry("galpy.potential:(lambda R, z: evaluatePotentials(MWPotential2014, R, z))", 0.9, 0.2),
    entry("galpy.util.coords:rect_to_cyl", 0.3, 0.4, 0.5, reduce="r[0] + 2 * r[1] + r[2]"),
    entry("galpy.util.coords:lbd_to_XYZ", 0.3, 0.4, 2.0, reduce="np.sum(r)"),
    entry("lenstronomy.LensModel.Profiles.sis:SIS().function", _X, _Y, 1.2, reduce="np.sum(r)"),
    entry("lenstronomy.LensModel.Profiles.sie:SIE().function", _X, _Y, 1.2, 0.1, 0.2, reduce="np.sum(r)"),
    entry("lenstronomy.LensModel.Profiles.nfw:NFW().derivatives", _X, _Y, 1.2, 0.5, reduce="np.sum(r[0]) + np.sum(r[1])"),
    entry("lenstronomy.LightModel.Profiles.sersic:Sersic().function", _X, _Y, 1.0, 0.8, 2.5, reduce="np.sum(r)"),
    *(entry(f"skfem.helpers:{name}", *args, reduce="np.sum(r ** 2)") for name, args in (
        ("dot", (_A[0], _B[0])), ("ddot", (_A, _B)), ("det", (_A,)), ("inv", (_A,)), ("trace", (_A,)), ("mul", (_A, _B[0])))),
    entry("prysm.polynomials:zernike_nm", 4, 2, _R, _R + 0.3, wrt=(2, 3), reduce="np.sum(r)"),
    entry("prysm.polynomials:jacobi", 4, 0.5, 0.3, _R, wrt=(3,), reduce="np.sum(r)"),
    entry("chaospy:Normal(.1, 1.2).pdf", np.array([0.3, 0.8]), reduce="np.sum(r)"),
    entry("chaospy:Gamma(2.).cdf", np.array([0.3, 0.8]), reduce="np.sum(r)"),
    entry("thermo.wilson:Wilson_gammas", [0.252, 0.748], [[1.0, 0.154], [0.888, 1.0]], wrt=(0, 1), reduce="r[0] + 2 * r[1]"),
    entry("thermo.eos:(lambda T, P: PR(Tc=507.6, Pc=3025000., omega=.2975, T=T, P=P).Z_l)", 299.0, 1e6, wrt=(0,), step=1e-2),
    entry("skrf.network:(lambda a: s2a((a + .3j * a) * .3).real)", _S, reduce="np.sum(r)"),
    entry("skrf.network:(lambda a: z2y(a + .3j * a).imag)", _S, reduce="np.sum(r)"),
    entry("skrf.tlineFunctions:(lambda z: zl_2_zin(50., z + 3j, .7).real)", 40.0, reduce="np.sum(r)"),
    entry("rmsd:rmsd", _P, _Q),
    entry("rmsd:kabsch_rmsd", _P, _Q),
    entry("rmsd:quaternion_rmsd", _P, _Q),
    entry("ase.geometry:get_angles", _VECTORS[0], _VECTORS[1], reduce="np.sum(r)"),
    entry("ase.geometry:get_dihedrals", *_VECTORS, reduce="np.sum(r)"),
    *(entry(f"ase.eos:{name}", 40.0, -10.0, 0.5, 4.2, 41.0) for name in ("birchmurnaghan", "vinet", "pouriertarantola", "murnaghan")),
)
