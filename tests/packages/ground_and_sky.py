"""Wells and groundwater, weather, orbits, positions on the Earth, fatigue and earthquakes, tournaments, goodness of fit."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_RNG = np.random.default_rng(0)
_SERIES = np.cumsum(_RNG.normal(size=40))
_SHAKING = _RNG.normal(size=30)
_DEPTH = np.array([0.0, 100.0, 210.0, 330.0, 460.0])
_INCLINATION = np.array([1.0, 12.0, 22.0, 31.0, 45.0])
_AZIMUTH = np.array([10.0, 25.0, 38.0, 41.0, 60.0])
_HERE, _THERE = np.array([1.0, 0.1, 0.2]), np.array([-0.3, 1.2, 0.1])
_NORMALS = _RNG.normal(size=(3, 3))
_NORMALS /= np.linalg.norm(_NORMALS, axis=0)
_FOUND, _MEANT = np.array([5.1, 5.5, 3.3, 6.2, 7.7, 7.1]), np.array([4.7, 6.1, 2.9, 5.5, 8.1, 7.4])
_RADII = np.array([1.0, 2.0, 3.0])
_IMAGE = np.abs(_RNG.normal(size=(10, 10))) + 0.1
_GAMES = "[(0, 1), (1, 2), (2, 0), (0, 3), (3, 1)]"

ENTRIES: tuple[Entry, ...] = (
    entry("meteocalc:(lambda t, h: heat_index(t, h).c)", 93.0, 60.0),
    entry("meteocalc:(lambda t, h: dew_point(Temp(t, 'f'), h).k)", 80.0, 55.0),
    entry("pygeomag:(lambda a, b, h: GeoMag().calculate(a, b, h, 2026.3))", 47.6, -122.3, 1.5, reduce="(r.x + 2 * r.y + 3 * r.d) * 1e-3"),
    entry("fatpack:find_rainflow_cycles", _SERIES, reduce="np.sum(r[0] ** 2)"),
    entry("fatpack:(lambda s, c: LinearEnduranceCurve(c).find_miner_sum(s))", np.array([40.0, 80.0, 130.0]), 90.0, reduce="r * 1e6"),
    entry("rainflow:count_cycles", _SERIES, reduce="sum(k ** 1.5 * n for k, n in r)"),
    entry("wellpathpy.mincurve:minimum_curvature", _DEPTH, _INCLINATION, _AZIMUTH, reduce="np.sum(r[0]) + np.sum(r[2]) + np.sum(r[3])",
          step=1e-3),
    entry("wellpathpy:(lambda m, i, a: deviation(m, i, a).minimum_curvature().resample([50., 150., 300.]).depth)", _DEPTH, _INCLINATION,
          _AZIMUTH, reduce="np.sum(r ** 2) * 1e-3", step=1e-3),
    *(entry(f"lamberthub:(lambda a, b, t: {name}(1., a, b, t))", _HERE, _THERE, 2.1, reduce="np.sum(r[0] * np.arange(1, 4.)) + np.sum(r[1])")
      for name in ("battin1984", "gooding1990", "arora2013")),
    entry("choix.opt:(lambda p: PairwiseFcts([(0, 1), (1, 2), (2, 0), (0, 3)], .1).objective(p))", _RNG.normal(size=4)),
    entry("choix:(lambda a: lsr_pairwise_dense(a, alpha=.1))", np.abs(_RNG.normal(size=(4, 4))), reduce="np.sum(r * np.arange(4.))"),
    entry(f"choix:(lambda a: mm_pairwise(4, {_GAMES}, alpha=a))", 0.1, reduce="np.sum(r * np.arange(4.))"),
    *(entry(f"HydroErr:{name}", _FOUND, _MEANT) for name in ("kge_2012", "watt_m", "sga")),
    entry("nvector:xyz2R", 0.1, 0.2, 0.3, reduce="np.sum(r * np.arange(9.).reshape(3, 3))"),
    entry("nvector:mean_horizontal_position", _NORMALS, reduce="np.sum(r * np.arange(3.)[:, None])"),
    entry("opem.Static.Amphlett:Eta_Act_Calc", 343.15, 1.0, 1.2, 1.5, 50.6),
    entry("beyond.utils.interp:(lambda y, x: Interp([0., 1, 2, 3, 4, 5], y, 'lagrange', 4)(x))", np.sin(np.arange(6.0)), 2.3),
    entry("euclid3:(lambda a, x, y, z: Quaternion.new_rotate_axis(a, Vector3(x, y, z)) * Vector3(1., 2., 3.))", 0.3, 0.4, 0.5, 0.6,
          reduce="r.x + 2 * r.y + 3 * r.z"),
    entry("anaflow:ext_thiem_2d", _RADII, 30.0, 1e-3, 0.5, 10.0, wrt=(0, 1, 3, 4), reduce="np.sum(r)"),
    entry("anaflow:neuman2004_steady", _RADII, 30.0, 1e-3, 0.5, 10.0, wrt=(0, 1, 3, 4), reduce="np.sum(r)"),
    entry("eqsig.sdof:(lambda a, t: pseudo_response_spectra(a, .01, t, .05))", _SHAKING, np.array([0.2, 0.5]),
          reduce="np.sum(r[0]) * 1e3 + np.sum(r[2])", step=1e-5),
    entry("eqsig:(lambda a: im.calc_unit_kinetic_energy(AccSignal(a, .01)))", _SHAKING, reduce="np.sum(r) * 1e3"),
    entry("aotools:phaseFromZernikes", np.array([0.3, 0.2, -0.1, 0.5]), 12, wrt=(0,), reduce="np.sum(r ** 2)"),
    entry("aotools:centre_of_gravity", _IMAGE, reduce="r[0] + 2 * r[1]"),
    entry("peakutils:baseline", _SERIES, reduce="np.sum(r ** 2)"),
)
