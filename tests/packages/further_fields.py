"""Comfort and climate, games, groundwater, signals and entropy, beams and lenses, steam, rotations."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_RNG = np.random.default_rng(2)
_SERIES = np.cumsum(_RNG.normal(size=40))
_RETURNS = np.array([0.01, -0.02, 0.03, 0.005, -0.01, 0.02])
_LAGS = np.array([1.0, 2.0, 5.0])
_OBSERVER = np.array([[1.0, 2.0, 3.0]])
_ONE, _OTHER = np.array([0.1, 0.2, -0.3, 0.9]), np.array([0.5, 0.5, 0.5, 0.5])
_KELVIN, _WIND = np.array([300.0, 295.0]), np.array([3.0, 4.0])
_TURN = "np.sum(r * np.arange(9.).reshape(3, 3))"

ENTRIES: tuple[Entry, ...] = (
    entry("thermofeel:calculate_wind_chill", _KELVIN - 30.0, _WIND + 2.0, reduce="np.sum(r)"),
    entry("thermofeel:calculate_heat_index_adjusted", _KELVIN + 5.0, _KELVIN, reduce="np.sum(r)"),
    entry("thermofeel:calculate_utci", _KELVIN, _WIND, _KELVIN + 10.0, _KELVIN - 10.0, reduce="np.sum(r)"),
    entry("thermofeel:calculate_relative_humidity_percent", _KELVIN, _KELVIN - 10.0, reduce="np.sum(r)"),
    entry("glicko2:(lambda m, s: (lambda p: p.update_player([1400., 1550.], [30., 100.], [1, 0]) or p.rating)(Player(m, s)))", 1500.0, 200.0,
          step=1e-2),
    entry("nashpy:(lambda A: Game(A, -A)[[.3, .7], [.4, .6]])", np.array([[1.0, 2.0], [3.0, -1.0]]),
          reduce="r[0] + 2 * r[1]"),
    entry("pykrige.variogram_models:spherical_variogram_model", [2.0, 3.0, 0.1], _LAGS, wrt=(0, 1), reduce="np.sum(r)"),
    entry("pykrige.variogram_models:exponential_variogram_model", [2.0, 3.0, 0.1], _LAGS, wrt=(0, 1), reduce="np.sum(r)"),
    entry("pykrige.core:great_circle_distance", 10.0, 20.0, 30.0, 40.0),
    entry("hydroeval:nse", np.array([[1.0], [2.0], [4.0], [3.0]]), np.array([1.2, 2.5, 3.1, 3.3]), reduce="np.sum(r)"),
    entry("lmoments3:lmom_ratios", np.array([1.0, 4.0, 2.5, 7.0, 3.3]), reduce="r[0] + r[1] + r[2]"),
    entry("antropy:(lambda s: spectral_entropy(s, 10., normalize=True))", _SERIES),
    entry("fastdtw:(lambda x, y: dtw(x, y)[0])", _SERIES[:12], _SERIES[12:22]),
    entry("pylops:(lambda x: FirstDerivative(12) @ x)", _SERIES[:12], reduce="np.sum(r ** 2)"),
    entry("pyloudnorm.normalize:peak", _SERIES, -1.0, reduce="np.sum(r ** 2)"),
    entry("spectrum.levinson:LEVINSON", np.array([3.0, 1.0, 0.5, 0.2]), reduce="np.sum(r[0]) + r[1]"),
    entry("raytracing:(lambda f, d: (Space(d) * Lens(f=f) * Space(2 * d)).B)", 5.0, 3.0),
    entry("pyXSteam.XSteam:(lambda p, t: XSteam(XSteam.UNIT_SYSTEM_MKS).h_pt(p, t))", 10.0, 250.0, step=1e-3),
    entry("chempy.properties.water_density_tanaka_2001:water_density", 298.15, step=1e-2),
    entry("chempy.kinetics.arrhenius:arrhenius_equation", 1e3, 5e3, 300.0, step=1e-2),
    entry("empyrical:sharpe_ratio", _RETURNS),
    entry("empyrical:cagr", _RETURNS),
    entry("empyrical:max_drawdown", _RETURNS),
    entry("mibian:(lambda s, v: BS([s, 100, 1.5, 60], volatility=v).callPrice)", 110.0, 25.0, step=1e-3),
    entry("boule:WGS84.geocentric_radius", np.array([20.0, 40.0]), reduce="np.sum(r) * 1e-3", step=1e-2),
    entry("geoana.gravity:(lambda x: PointMass(mass=2.).gravitational_field(x))", _OBSERVER, reduce="np.sum(r) * 1e11"),
    entry("skinematics.quat:q_mult", _ONE, _OTHER, reduce="np.sum(r * np.arange(4.))"),
    entry("skinematics.quat:convert", np.array([0.1, 0.2, 0.3]), reduce=_TURN),
    entry("squaternion:(lambda a, b: (Quaternion(a, b, .2, .3) * Quaternion(.1, a, .2, b)).to_euler(degrees=True)[0])", 0.8, 0.3),
    entry("solarpy.radiation:air_mass_kastenyoung1989", 40.0, 100.0),
)
