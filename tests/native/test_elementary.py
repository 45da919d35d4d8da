"""The elementary functions of loops against ones of higher precision, over the whole range."""
import math

import numpy as np
import pytest

from transgrad.runtime.numba import elementary

_RNG = np.random.default_rng(0)
_uniform, _normal = _RNG.uniform, _RNG.normal
POINTS = {
    "exp": [_uniform(-745, 709, 3000), _normal(size=3000), 1e-8 * _normal(size=500)],
    "expm1": [_uniform(-50, 709, 3000), _normal(size=3000), 1e-5 * _normal(size=2000), _uniform(-0.5, 0.5, 2000)],
    "log": [np.exp(_uniform(-740, 709, 3000)), 1.0 + 0.01 * _normal(size=3000), _uniform(0.5, 2.0, 3000)],
    "log1p": [np.exp(_uniform(-50, 709, 2000)), -np.exp(_uniform(-50, 0, 2000)), _uniform(-0.7, 1.0, 3000), 1e-4 * _normal(size=2000)],
    "tanh": [_uniform(-20, 20, 3000), _normal(size=3000), 1e-3 * _normal(size=2000), _uniform(0.6, 0.7, 2000)],
    "sin": [_uniform(-1e6, 1e6, 3000), _normal(size=3000), np.round(_uniform(-6e5, 6e5, 3000)) * (np.pi / 2)],
    "cos": [_uniform(-1e6, 1e6, 3000), _normal(size=3000), np.round(_uniform(-6e5, 6e5, 3000)) * (np.pi / 2)],
}
SPECIAL = [math.inf, -math.inf, math.nan, 0.0, -0.0, 5e-324, -5e-324, 1e-310, -1e-310, 1e308, -1e308, 1.0, -1.0, 709.78, 709.79, -745.1, -745.2,
           1e-17, -1e-17]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="long doubles are no more precise here")
@pytest.mark.parametrize("name", POINTS)
def test_two_units_in_the_last_place(name):
    x = np.concatenate(POINTS[name])
    got = np.array([getattr(elementary, name)(v) for v in x])
    exact = getattr(np, name)(x.astype(np.longdouble))
    want = exact.astype(float)
    error = np.abs(got.astype(np.longdouble) - exact) / np.spacing(np.abs(want))
    assert np.max(error) <= 2.0, (x[np.argmax(error)], np.max(error))


@pytest.mark.parametrize("name", POINTS)
def test_special_values(name):
    for v in SPECIAL:
        if name in ("sin", "cos") and abs(v) > elementary.TURNS:
            continue
        with np.errstate(all="ignore"):
            want = float(getattr(np, name)(v))
        got = getattr(elementary, name)(v)
        assert math.isnan(want) == math.isnan(got) and (math.isnan(want) or abs(got - want) <= 4e-16 * abs(want) or got == want), (v, got, want)
        assert math.isnan(want) or math.copysign(1.0, got) == math.copysign(1.0, want), (v, got, want)


def test_logaddexp():
    # NumPy's own is no more precise than a few units in the last place of the larger argument
    for x, y in [*zip(_uniform(-800, 800, 2000), _uniform(-800, 800, 2000)), *zip(_normal(size=2000), _normal(size=2000)),
                 *((a, b) for a in SPECIAL for b in SPECIAL)]:
        with np.errstate(all="ignore"):
            want = float(np.logaddexp(x, y))
        got = elementary.logaddexp(x, y)
        assert math.isnan(want) == math.isnan(got), (x, y, want, got)
        assert math.isnan(want) or got == want or abs(got - want) <= 4e-16 * max(abs(x), abs(y), 1.0), (x, y, want, got)
