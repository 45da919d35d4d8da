"""Objects of SciPy that a function is given: as arguments, in containers and attributes, and on the tape."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, ndimage, signal, spatial, stats

import transgrad as tg
from transgrad import tree
from transgrad.bridge import TapedArray, lifted
from transgrad.bridge.calls import _seen

XS = np.linspace(0.0, 5.0, 12)
YS = np.sin(XS)
CUBIC = interpolate.CubicSpline(XS, YS)
PCHIP = interpolate.PchipInterpolator(XS, YS)
NORMAL = stats.norm(0.3, 1.2)


@dataclass
class Model:
    curve: Any
    dist: Any


class Doubled:
    def __init__(self, curve: Any):
        self.curve = curve

    def __call__(self, t: Any) -> Any:
        return 2.0 * self.curve(t)


def at(o: Any, t: Any) -> Any:
    return np.sum(o(t)) * np.sum(t)


def log_density(o: Any, t: Any) -> Any:
    return np.sum(o.logpdf(t))


def in_dict(o: Any, t: Any) -> Any:
    return o["c"](t) * o["d"].pdf(t)


def in_attributes(o: Any, t: Any) -> Any:
    return o.curve(t) * o.dist.pdf(t)


def in_list(o: Any, t: Any) -> Any:
    return sum(c(t) for c in o)


def slope_and_area(o: Any, t: Any) -> Any:
    return o.derivative()(t) * o(t, 1) + o.integrate(0.0, t)


GIVEN = [
    (at, CUBIC, 1.3), (at, PCHIP, np.array([0.2, 4.4])), (at, interpolate.interp1d(XS, YS), 1.3),
    (at, interpolate.interp1d(XS, YS, kind="cubic", bounds_error=False, fill_value=(2.0, 3.0)), np.array([-1.0, 2.2, 7.0])),
    (at, interpolate.UnivariateSpline(XS, YS, s=0), 1.3), (at, stats.gaussian_kde(YS), 0.4),
    (at, interpolate.RegularGridInterpolator((XS, XS), np.outer(YS, YS)), np.array([1.1, 2.2])),
    (log_density, NORMAL, np.array([0.4, 0.9])), (log_density, stats.gamma(2.0, scale=0.7), 0.4),
    (log_density, stats.multivariate_normal(np.zeros(2), np.eye(2)), np.array([0.1, 0.2])),
    (log_density, stats.multivariate_t(np.zeros(2), np.eye(2), df=3), np.array([0.1, 0.2])),
    (in_dict, {"c": CUBIC, "d": NORMAL}, 1.1), (in_attributes, Model(PCHIP, NORMAL), 1.1), (in_list, [CUBIC, PCHIP], 1.1),
    (slope_and_area, CUBIC, 1.1), (at, Doubled(CUBIC), 1.1),
]


def difference(f: Callable[..., Any], o: Any, t: Any) -> Any:
    out = np.zeros(np.shape(t))
    for i in np.ndindex(out.shape):
        e = np.zeros(np.shape(t))
        e[i] = 1e-6
        up, down = (f(o, t + s * e if np.ndim(t) else t + s * float(e)) for s in (1, -1))
        out[i] = (up - down) / 2e-6
    return out


@pytest.mark.parametrize(("f", "o", "t"), GIVEN, ids=lambda x: getattr(x, "__name__", type(x).__name__))
def test_object_as_an_argument(f: Callable[..., Any], o: Any, t: Any) -> None:
    value, slope = tg.value_and_grad(f, argnums=1, fallback="error")(o, t)
    np.testing.assert_allclose(value, f(o, t), rtol=1e-12)
    np.testing.assert_allclose(slope, difference(f, o, t), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tg.jacfwd(f, argnums=1, fallback="error")(o, t), slope, rtol=1e-10)


@pytest.mark.parametrize(("f", "o", "t"), GIVEN[:-1], ids=lambda x: getattr(x, "__name__", type(x).__name__))
def test_object_on_the_tape(f: Callable[..., Any], o: Any, t: Any) -> None:
    x = tg.tensor(np.asarray(t, dtype=float), requires_grad=True)
    lifted(f)(tree.map_leaves(_seen, o), TapedArray(x, number=not np.ndim(t))).tensor.backward()
    np.testing.assert_allclose(x.grad.numpy(), difference(f, o, t), rtol=1e-6, atol=1e-8)


def test_one_text_for_all_objects_of_a_kind() -> None:
    """Another curve is another argument; other settings are compiled for."""
    gradient = tg.grad(at, argnums=1, fallback="error")
    for scale in (1.0, 2.0, 3.0):
        gradient(interpolate.CubicSpline(XS, scale * YS), 1.3)
    assert len(gradient.variants) == 1
    for outside in ("extrapolate", (0.0, 1.0), (5.0, 6.0)):
        o = interpolate.interp1d(XS, YS, bounds_error=False, fill_value=outside)
        np.testing.assert_allclose(gradient(o, -0.5), difference(at, o, -0.5), rtol=1e-6)
    for o in (stats.norm(0.2, 1.0), stats.norm(0.2, 2.0), stats.gamma(2.0), stats.expon(scale=2.0)):
        np.testing.assert_allclose(tg.grad(log_density, argnums=1, fallback="error")(o, 0.7), difference(log_density, o, 0.7), rtol=1e-6)


def before(t: Any) -> Any:
    return CUBIC(t) * NORMAL.pdf(t) + stats.norm.logpdf(0.3, t, 1.2) + stats.norm(t, 2.0).cdf(0.1) + stats.poisson.logpmf(3, t)


def test_objects_made_before_and_distributions_on_the_tape() -> None:
    x = tg.tensor(np.asarray(1.3), requires_grad=True)
    lifted(before)(TapedArray(x, number=True)).tensor.backward()
    np.testing.assert_allclose(x.grad.numpy(), tg.grad(before, fallback="error")(1.3), rtol=1e-12)


def turned(r: Any, v: Any) -> Any:
    return np.sum(r.apply(v))


def nearest(k: Any, p: Any) -> Any:
    return np.sum(k.query(p)[0])


@pytest.mark.parametrize(("f", "o"), [(turned, spatial.transform.Rotation.from_rotvec([0.1, 0.2, 0.3])),
                                      (nearest, spatial.cKDTree(np.eye(3)))])
def test_object_that_nothing_stands_for_is_refused_at_the_users_line(f: Callable[..., Any], o: Any) -> None:
    with pytest.raises(tg.TransgradError) as caught:
        tg.grad(f, argnums=1, fallback="error")(o, np.array([1.0, 2.0, 3.0]))
    assert (caught.value.filename, caught.value.lineno) == (__file__, f.__code__.co_firstlineno + 1)
    assert "Hint: " in str(caught.value)
    assert "%" not in str(caught.value)        # no name of the compiler's


# options that are known only as the function runs

X = np.random.default_rng(0).normal(size=(4, 6))


def over_a_range(x: Any) -> Any:
    total = 0.0
    for k in range(2):
        total += np.sum(stats.skew(x, axis=k) * np.max(np.sort(x, axis=k), axis=k))
    return total


def over_a_tuple(x: Any) -> Any:
    total = 0.0
    for k in (0, 1, -1):
        total += np.sum(stats.zscore(x, axis=k) ** 3)
    return total


def of_an_argument(x: Any, k: int, mode: str) -> Any:
    return np.sum(stats.skew(x, axis=k)) + np.sum(ndimage.gaussian_filter(x, 1.0, mode=mode) ** 2)


@pytest.mark.parametrize(("f", "args"), [(over_a_range, ()), (over_a_tuple, ()), (of_an_argument, (1, "wrap")), (of_an_argument, (0, "nearest"))])
def test_settings_of_loops_and_arguments(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    t = np.random.default_rng(1).normal(size=X.shape)
    want = (f(X + 1e-6 * t, *args) - f(X - 1e-6 * t, *args)) / 2e-6
    np.testing.assert_allclose(np.sum(t * tg.grad(f, fallback="error")(X, *args)), want, rtol=1e-6)


def computed_axis(x: Any, k: int) -> Any:
    return np.sum(stats.zscore(x, axis=k + 1) ** 3)


def chosen_axis(x: Any, k: int) -> Any:
    return np.sum(stats.skew(x, axis=0 if x[0, 0] > k else 1))


def computed_mode(x: Any, k: int) -> Any:
    return np.sum(signal.fftconvolve(x, np.ones((2, 2)), mode=("full", "same")[x.shape[0] - 4 + k]))


@pytest.mark.parametrize("f", [computed_axis, chosen_axis, computed_mode])
def test_settings_known_only_at_run_time_are_refused_at_the_users_line(f: Callable[..., Any]) -> None:
    """Met in the reverse pass, and in the text of a definition."""
    with pytest.raises(tg.TransgradError) as caught:
        tg.grad(f, fallback="error")(X, 0)
    assert (caught.value.filename, caught.value.lineno) == (__file__, f.__code__.co_firstlineno + 1)
    assert "Hint: " in str(caught.value)
    assert "%" not in str(caught.value)        # no name of the compiler's


class Settings:
    curve = CUBIC

    def __init__(self) -> None:
        self.law = NORMAL


HELD = Settings()


def held_before(t: Any) -> Any:
    return HELD.curve(t) * HELD.law.pdf(t)


def test_another_object_in_an_attribute_is_seen() -> None:
    gradient = tg.grad(held_before, fallback="error")
    for law, curve in ((stats.norm(0.3, 1.2), CUBIC), (stats.norm(0.1, 0.7), PCHIP), (stats.gamma(2.0), CUBIC)):
        HELD.law, HELD.curve = law, curve
        want = (held_before(1.1 + 1e-6) - held_before(1.1 - 1e-6)) / 2e-6
        np.testing.assert_allclose(gradient(1.1), want, rtol=1e-7)
