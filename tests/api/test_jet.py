"""Taylor mode: derivatives along a curve against nested forward mode and JAX's jet."""
from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import transgrad as tg
from tests.corpus.registry import Case, load
from transgrad import tree

X = np.array([0.6, 1.3, 0.8, 1.7])
V = np.array([1.0, -0.5, 0.3, 0.2])


def _nested(f, x, series):
    """The derivatives along the curve by forward mode of forward mode."""
    def at(t):
        return f(x + sum(t ** k / math.factorial(k) * c for k, c in enumerate(series, 1)))

    out = []
    g = at
    for _ in series:
        g = (lambda h: lambda t: tg.jvp(h, (t,), (1.0,))[1])(g)
        out.append(g(0.0))
    return out


def elementary(x):
    return np.exp(-x) * np.sin(x) + np.tanh(x) / np.sqrt(1.0 + x * x) - np.log(x) ** 3


def powers(x):
    return x ** 2.5 + x ** 3 + 2.0 ** x + x ** -1 + x ** x


def more(x):
    return np.arctan(x) + np.arcsin(0.3 * x) + np.log1p(x) * np.cosh(x) + np.expm1(x) + np.cbrt(x) + np.hypot(x, 2.0) + np.cos(x) ** 2


def reductions(x):
    return np.mean(x ** 2) * np.sum(x[1:]) + np.var(x) + np.linalg.norm(x) + np.max(x) * np.cumsum(x)


def algebra(x):
    m = np.array([[3.0, 1.0], [0.5, 2.0]]) + np.outer(x[:2], x[2:])
    return np.linalg.solve(m, x[:2]) @ m + np.linalg.inv(m)[0] * np.linalg.det(m)


def in_place(x):
    out = np.zeros(4)
    view = out[1:]
    for k in range(4):
        out[k] = x[k] * x[k - 1]
    view *= np.sin(x[:3])
    out[0] += out[2]
    return out.reshape(2, 2).T


def branches(x):
    rows = []
    for v in x:
        rows.append(math.sin(v) if v > 1.0 else v * v)
    while rows[0] < 1.0:
        rows[0] = rows[0] * 1.5
    return np.array(rows) + np.where(x > 1.0, x ** 2, np.exp(x)) + np.maximum(x, 1.0) + np.abs(x - 1.0)


@pytest.mark.parametrize("f", [elementary, powers, more, reductions, algebra, in_place, branches], ids=lambda f: f.__name__)
def test_against_nested_forward_mode(f) -> None:
    series = [V, 0.5 * V[::-1], -V]
    out, found = tg.jet(f, (X,), (series,))
    assert np.allclose(out, f(X.copy()))
    for term, expected in zip(found, _nested(f, X, series), strict=True):
        assert np.shape(term) == np.shape(out) and np.allclose(term, expected, rtol=1e-9, atol=1e-9)


def test_a_product_is_the_product_of_its_factors() -> None:
    series = ([V, 0.5 * V[::-1], -V],)
    found = tg.jet(lambda x: np.prod(x), (X,), series)[1]
    assert np.allclose(found, tg.jet(lambda x: x[0] * x[1] * x[2] * x[3], (X,), series)[1])


def test_against_jax() -> None:
    jax = pytest.importorskip("jax")
    from jax.experimental import jet as jax_jet
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy

    def theirs(x, y):
        return jnp.sin(x * y) / (1.0 + jnp.exp(x)) + jnp.tanh(y) ** 2

    def ours(x, y):
        return np.sin(x * y) / (1.0 + np.exp(x)) + np.tanh(y) ** 2

    series = ([V, V ** 2, -V, 0.1 * V, V], [-V, V, V, V ** 3, 2.0 * V])
    value, terms = jax_jet.jet(theirs, (X, X[::-1]), series)
    out, found = tg.jet(ours, (X, X[::-1]), series)
    assert np.allclose(out, value)
    assert len(found) == len(terms) == 5 and all(np.allclose(a, b) for a, b in zip(found, terms))


@pytest.mark.parametrize("order", [0, 1, 12, 20])
def test_orders(order: int) -> None:
    out, found = tg.jet(lambda x: np.exp(2.0 * x), (0.3,), ([1.0] + [0.0] * (order - 1) if order else [],))
    assert out == pytest.approx(math.exp(0.6)) and len(found) == order
    assert found == pytest.approx([2.0 ** k * math.exp(0.6) for k in range(1, order + 1)])


def test_a_whole_power_at_zero() -> None:
    assert tg.jet(lambda x: x ** 3, (0.0,), ([1.0, 0.0, 0.0, 0.0],)) == (0.0, [0.0, 0.0, 6.0, 0.0])


def test_structures_and_dtypes() -> None:
    def f(p):
        return {"y": p["w"] * p["b"], "n": 3}

    p = {"w": X.astype(np.float32), "b": np.float32(2.0)}
    out, found = tg.jet(f, (p,), ([{"w": V, "b": 1.0}, {"w": 0.0 * V, "b": 0.0}],))
    assert out["n"] == 3 and out["y"].dtype == np.float32
    assert [t.dtype for t in found["y"]] == [np.float32] * 2
    assert np.allclose(found["y"][1], 2.0 * V)


def test_arguments_are_left_alone() -> None:
    def f(x):
        x *= x
        return np.sum(x)

    x = X.copy()
    assert tg.jet(f, (x,), ([V, 0.0 * V],))[1] == pytest.approx([2.0 * np.sum(X * V), 2.0 * np.sum(V * V)])
    assert np.array_equal(x, X)


@pytest.mark.parametrize(("f", "named"), [(lambda x: np.abs(np.fft.fft(x)), "abs"), (lambda x: x.imag + x, "imag")])
def test_refusals_name_what_they_refuse(f, named: str) -> None:
    with pytest.raises(tg.UnsupportedCall, match=named):
        tg.jet(f, (X,), ([V, V],))


def test_a_removable_singularity_has_every_derivative() -> None:
    found = tg.jet(lambda x: np.sinc(x), (0.0,), ([1.0, 0.0, 0.0, 0.0],))[1]
    assert found == pytest.approx([0.0, -math.pi ** 2 / 3.0, 0.0, math.pi ** 4 / 5.0])


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="as many derivatives"):
        tg.jet(elementary, (X, X), ([V], [V, V]))
    with pytest.raises(TypeError, match="list of derivatives"):
        tg.jet(elementary, (X,), ())
    with pytest.raises(ValueError, match="shape"):
        tg.jet(elementary, (X,), ([V[:2]],))
    with pytest.raises(TypeError, match="complex"):
        tg.jet(lambda z: z * z, (X + 1j,), ([V + 0j],))


CASES = [c for c in load() if len(c.args) == 1 and isinstance(c.args[0], np.ndarray) and c.args[0].dtype == float and c.order >= 2
         and not c.kwargs and c.twin is None and c.grad is None]


@pytest.mark.parametrize("case", CASES[::5], ids=lambda c: f"{c.row}-{c.name}")
def test_second_derivatives_over_the_corpus(case: Case) -> None:
    x = case.args[0]
    v, w = (np.cos(k + np.arange(x.size)).reshape(x.shape) for k in (1.0, 2.0))
    try:
        _, found = tg.jet(case.f, (x.copy(),), ([v, w],))
    except (tg.UnsupportedCall, tg.UnsupportedSyntax):
        return

    def along(t: float) -> list[np.ndarray]:
        dots = tg.jvp(case.f, (x + t * v + 0.5 * t * t * w,), (v + t * w,))[1]
        return [np.asarray(leaf) for leaf in tree.flatten(copy.deepcopy(dots))[0]]

    leaves = tree.flatten(found)[0]
    for k, (first, ahead, behind) in enumerate(zip(along(0.0), along(1e-3), along(-1e-3))):
        if first.dtype.kind == "f":
            assert np.allclose(leaves[2 * k], first)
            second = (ahead - behind) / 2e-3
            assert np.allclose(leaves[2 * k + 1], second, rtol=1e-3, atol=1e-3 * (1.0 + np.max(np.abs(second), initial=0.0)))
