"""Noise, motion between two places, distances, filters and control, finite differences, graphs, interest, boreholes, the atmosphere."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_COVARIANCE, _STATE = np.array([[2.0, 0.3], [0.3, 1.5]]), np.array([[0.3], [0.7]])
_STEP = np.array([[1.0, 0.1], [0.0, 1.0]])

ENTRIES: tuple[Entry, ...] = (
    entry("opensimplex:(lambda x, y: OpenSimplex(3).noise2(x, y))", 0.3, 0.45),
    entry("perlin_noise:(lambda x, y: PerlinNoise(octaves=2, seed=1)([x, y]))", 0.3, 0.45),
    entry("easing_functions:(lambda t, s: CubicEaseInOut(start=s, end=2, duration=1)(t))", 0.45, 0.2),
    entry("pytweening:easeInOutElastic", 0.45),
    entry("geopy.distance:(lambda a, b: great_circle((a, b), (51., -.5)).km * 1e-2)", 40.0, -73.0),
    entry("geopy.distance:(lambda a, b: geodesic((a, b), (51., -.5)).km * 1e-2)", 40.0, -73.0),
    entry("simdkalman.primitives:smooth", _STATE, _COVARIANCE, _STEP, 0.01 * np.eye(2), _STATE + 0.1, 0.9 * _COVARIANCE,
          reduce="np.sum(r[0]) + np.sum(r[1] ** 2)"),
    entry("simple_pid:(lambda kp, x: (lambda c: [c(x, dt=.1), c(.5 * x, dt=.1)][1])(PID(kp, .1, .05, setpoint=1., sample_time=None)))", 1.3, 0.4),
    entry("numdifftools.fornberg:fd_weights", np.array([0.0, 1.0, 2.0]), 0.4, 1, wrt=(0, 1), reduce="np.sum(r * np.arange(3.))"),
    entry("mpmath:(lambda x: fp.polyval([1., 2., x], x))", 1.3),
    entry("networkx:(lambda p, q: (lambda g: (g.add_weighted_edges_from([(0, 1, p), (1, 2, q), (0, 2, 9.)]), clustering(g, 0, 'weight'))[1])(Graph()))",
          1.0, 2.0),
    entry("hyperbolic.poincare:(lambda x, y: Point(x, y).distance_to(Point(.1, .2)))", 0.4, 0.3),
    entry("actuarialmath:(lambda d: Interest(delta=d).annuity(t=10))", 0.05),
    entry("pygfunction.pipes:convective_heat_transfer_coefficient_circular_pipe", 0.2, 0.013, 1e-3, 1000.0, 0.6, 4000.0, 1e-6, wrt=(0,),
          reduce="r * 1e-2"),
    entry("isacalc:(lambda h: Atmosphere().calculate(h)[0])", 3000.0, reduce="r * 100.0", step=1e-3),
    entry("ppigrf.ppigrf:geoc2geod", 70.0, 6500.0, 0.5, 0.6, reduce="r[0] * r[2]"),
)
