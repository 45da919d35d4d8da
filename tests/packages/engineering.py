"""Robots and rotations, magnets, finite elements, the sky, signals and colours."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_RNG = np.random.default_rng(1)
_V, _W = _RNG.normal(size=(2, 4, 3))
_Q, _P = _RNG.normal(size=(2, 5, 4))
_TURN = np.array([[0.36, 0.5, -0.8], [-0.8, 0.6, 0.02], [0.48, 0.6, 0.61]])
_SCREWS = "np.array([[0., 0, 1, 4, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, -1, -6, 0, -.1]]).T"
_HOME = "np.array([[-1., 0, 0, 0], [0, 1, 0, 6], [0, 0, -1, 2], [0, 0, 0, 1]])"
_OBSERVERS = 3.0 * _RNG.normal(size=(3, 3))
_SIGNAL = _RNG.normal(size=300)
_SERIES = np.cumsum(_RNG.normal(size=12))
_TURNS = "np.sum(r * np.arange(9.).reshape(3, 3))"

ENTRIES: tuple[Entry, ...] = (
    entry("nelson_siegel_svensson:NelsonSiegelSvenssonCurve(.03, -.02, .01, .005, 1.2, 4.).zero", np.array([0.5, 1.0, 5.0]),
          reduce="np.sum(r)"),
    entry(f"modern_robotics:(lambda t: FKinSpace({_HOME}, {_SCREWS}, t))", np.array([0.5, 3.0, 0.7]),
          reduce="np.sum(r * np.arange(16.).reshape(4, 4))"),
    entry("modern_robotics:MatrixExp3", np.array([[0.0, -0.3, 0.2], [0.3, 0.0, -0.1], [-0.2, 0.1, 0.0]]), reduce=_TURNS),
    entry("modern_robotics:MatrixLog3", np.array([[0.0, -0.8, 0.6], [0.6, -0.48, -0.64], [0.8, 0.36, 0.48]]), reduce=_TURNS),
    entry("modern_robotics:ProjectToSO3", _TURN, reduce=_TURNS),
    entry("vg:rotate", _V, _W[0], 33.0, reduce="np.sum(r ** 2 * np.arange(3.))"),
    entry("vg:angle", _V, _W, reduce="np.sum(r)"),
    entry("vg:principal_components", _V, reduce="np.sum(r[0] ** 2 * np.arange(3.))"),
    entry("rowan:multiply", _Q, _P, reduce="np.sum(r * np.arange(4.))"),
    entry("rowan:rotate", _Q, _V[0], reduce="np.sum(r * np.arange(3.))"),
    entry("rowan:exp", 0.3 * _Q, reduce="np.sum(r * np.arange(4.))"),
    entry("rowan:from_axis_angle", _V, np.array([0.1, 0.2, 0.3, 0.4]), reduce="np.sum(r * np.arange(4.))"),
    entry("pymeeus.Coordinates:(lambda a, d, e: equatorial2ecliptical(Angle(a), Angle(d), Angle(e))[0]())", 113.2, 16.3, 23.44),
    entry("pymeeus.CurveFitting:(lambda x, y: CurveFitting(x, y).linear_fitting())", [1.0, 2.0, 3.0, 4.0], [3.0, 5.0, 4.0, 7.0], wrt=(0, 1),
          reduce="r[0] + 2 * r[1]"),
    entry("astral.sun:eq_of_time", 0.2),
    entry("astral.sun:sun_declination", 0.2),
    entry("pysolar.radiation:get_air_mass_ratio", 30.0),
    entry("navpy:lla2ecef", 37.4, -122.1, 50.0, reduce="np.sum(r) * 1e-6"),
    entry("navpy:angle2dcm", 0.1, 0.2, 0.3, reduce=_TURNS),
    entry("colossus.lss.bias:modelComparat17", np.array([1.2, 2.3]), reduce="np.sum(r)"),
    entry("colossus.lss.mass_function:modelWarren06", np.array([1.2, 2.3]), reduce="np.sum(r)"),
    entry("magpylib.core:magnet_cuboid_Bfield", _OBSERVERS, np.tile([1.0, 2.0, 3.0], (3, 1)), np.tile([0.1, 0.2, 0.3], (3, 1)),
          reduce="10 * np.sum(r * np.arange(1, 4.))"),
    entry("magpylib.core:triangle_Bfield", _OBSERVERS[:2], _RNG.normal(size=(2, 3, 3)), np.tile([0.1, 0.2, 0.3], (2, 1)), reduce="np.sum(r)"),
    entry("python_speech_features:(lambda s: mfcc(s, 8000, nfft=256))", _SIGNAL, reduce="np.sum(r * np.arange(13.))"),
    entry("padasip.filters:(lambda d, x: FilterRLS(n=3, mu=.9, w='zeros').run(d, x))", _SERIES, _RNG.normal(size=(12, 3)),
          reduce="np.sum(r[0] ** 2)"),
    entry("properscoring:crps_gaussian", np.array([0.3, 1.2]), np.array([0.1, 0.9]), np.array([0.5, 1.4]), reduce="np.sum(r)"),
    entry("findiff:FinDiff(0, .1, 2, acc=4)", _SERIES, reduce="np.sum(r * np.arange(12.)) * 1e-3"),
    entry("hsluv:rgb_to_hsluv", (0.2, 0.4, 0.6), wrt=(0,), reduce="r[0] + 2 * r[1] + 3 * r[2]"),
    entry("bezier.hazmat.curve_helpers:evaluate_multi", _V[:2], np.array([0.2, 0.7]), reduce="np.sum(r)"),
    entry("svgpathtools:(lambda a: CubicBezier(complex(0, a), 1 + 2j, complex(2.3, 1), 4 + .5j).length())", 1.2),
    entry("svgpathtools:(lambda t: CubicBezier(1.2j, 1 + 2j, 2.3 + 1j, 4 + .5j).point(t).imag)", 0.3),
    entry("compas.geometry:area_triangle", [[0.1, 0.2, 0.3], [1.0, 0.4, 0.2], [0.3, 1.2, 0.1]], wrt=(0,)),
    entry("compas.geometry:angle_vectors", [0.1, 0.2, 0.3], [1.0, 0.4, 0.2], wrt=(0, 1)),
    entry("calfem.core:bar2e", np.array([0.0, 1.0]), np.array([0.0, 2.0]), [2.1, 0.3], wrt=(0, 1, 2),
          reduce="np.sum(r * np.arange(16.).reshape(4, 4))"),
    entry("solidspy.uelutil:(lambda c: elast_tri3(c, (2.7, .33, 1.))[0])", np.array([[0.0, 0.0], [1.0, 0.0], [0.1, 1.0]]),
          reduce="np.sum(r * np.arange(36.).reshape(6, 6))"),
    entry("felupe.math:det", np.eye(3)[:, :, None] + 0.1 * _RNG.normal(size=(3, 3, 2)), reduce="np.sum(r * np.arange(1, 3.))"),
    entry("pymannkendall:sens_slope", _SERIES, reduce="r.slope + r.intercept"),
)
