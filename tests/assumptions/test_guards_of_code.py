"""What a variant was compiled from, replaced between two calls: code, defaults, methods, class attributes, the order of keys, dtypes."""
from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import quad

import transgrad as tg

H = 1e-6


def slope(f: Any, x: float) -> float:
    return float((f(x + H) - f(x - H)) / (2 * H))


def slopes(f: Any, a: Any) -> Any:
    out = np.zeros_like(a)
    for k in np.ndindex(a.shape):
        e = np.zeros_like(a)
        e[k] = H
        out[k] = (f(a + e) - f(a - e)) / (2 * H)
    return out


def helper(x: Any, k: Any = 2.0) -> Any:
    return x * k


def keyword(x: Any, *, k: Any = 2.0) -> Any:
    return x * k


def cube(x: Any, k: Any = 0.0) -> Any:
    return x ** 3


def calls_helper(x: Any) -> Any:
    return helper(x) * x


def calls_keyword(x: Any) -> Any:
    return keyword(x) * x


@pytest.mark.parametrize("f", [calls_helper, helper])
def test_defaults(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = tg.grad(f)
    for defaults in ((2.0,), (5.0,), (2.0,)):
        monkeypatch.setattr(helper, "__defaults__", defaults)
        np.testing.assert_allclose(gradient(3.0), slope(f, 3.0), rtol=1e-6)


def test_defaults_of_keywords(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = tg.grad(calls_keyword)
    for k in (2.0, 7.0):
        monkeypatch.setattr(keyword, "__kwdefaults__", {"k": k})
        np.testing.assert_allclose(gradient(3.0), slope(calls_keyword, 3.0), rtol=1e-6)
    monkeypatch.setitem(keyword.__kwdefaults__, "k", 9.0)  # type: ignore[arg-type]
    np.testing.assert_allclose(gradient(3.0), slope(calls_keyword, 3.0), rtol=1e-6)


@pytest.mark.parametrize("f", [calls_helper, helper])
def test_code(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, code = tg.grad(f), helper.__code__
    for now in (code, cube.__code__, code):
        monkeypatch.setattr(helper, "__code__", now)
        np.testing.assert_allclose(gradient(3.0), slope(f, 3.0), rtol=1e-6)


class Base:
    def method(self, x: Any) -> Any:
        return x * 2.0

    @property
    def scale(self) -> Any:
        return 2.0


class Derived(Base):
    pass


def calls_method(o: Any, x: Any) -> Any:
    return o.method(x) * x * o.scale


def test_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = tg.grad(calls_method, argnums=1)

    def check(o: Any) -> None:
        np.testing.assert_allclose(gradient(o, 3.0), slope(functools.partial(calls_method, o), 3.0), rtol=1e-6)
    check(Derived())
    with monkeypatch.context() as m:
        m.setattr(Base, "method", lambda self, x: x * 7.0)
        check(Derived())
        m.setattr(Derived, "method", lambda self, x: x * 5.0, raising=False)
        check(Derived())
        m.setattr(Base, "scale", property(lambda self: 3.0))
        check(Derived())
    check(Derived())
    o = Derived()
    o.method = lambda x: x * 9.0  # type: ignore[method-assign]
    check(o)


def by_order(d: Any) -> Any:
    first, second = d.values()
    return first ** 2 * second


def test_order_of_keys() -> None:
    gradient = tg.grad(by_order)
    for cls in (OrderedDict, dict):
        for d in (cls(a=2.0, b=3.0), cls(b=3.0, a=2.0), cls(a=2.0, b=3.0)):
            first, second = d.values()
            np.testing.assert_allclose([*gradient(d).values()], [2 * first * second, first ** 2])


def test_order_of_a_dict_from_outside() -> None:
    table = {"a": 2.0, "b": 3.0}

    def f(x: Any) -> Any:
        return sum((k + 1) * v * x ** (k + 1) for k, (_, v) in enumerate(table.items()))
    gradient = tg.grad(f)
    np.testing.assert_allclose(gradient(1.5), slope(f, 1.5), rtol=1e-6)
    table.clear()
    table.update(b=3.0, a=2.0)
    np.testing.assert_allclose(gradient(1.5), slope(f, 1.5), rtol=1e-6)


def real_if_close(a: Any) -> Any:
    return np.sum(np.abs(np.real_if_close(a + np.where(a < 0.0, 1j, 0j))) ** 2)


def root(a: Any) -> Any:
    return np.sum(np.abs(scipy.linalg.sqrtm(a)))


def logarithm(a: Any) -> Any:
    return np.sum(np.abs(scipy.linalg.logm(a)))


def eigenvalues(a: Any) -> Any:
    return np.sum(np.abs(np.linalg.eigvals(a)) ** 2)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [real_if_close, root, logarithm, eigenvalues])
def test_dtypes_that_depend_on_values(f: Any) -> None:
    gradient = tg.grad(f)
    for rows in ([[2.0, 0.3], [0.1, 1.5]], [[2.0, 0.3], [0.1, -1.5]], [[0.5, -1.0], [1.5, 0.2]], [[2.0, 0.3], [0.1, 1.5]]):
        a = np.array(rows)
        np.testing.assert_allclose(gradient(a.copy()), slopes(f, a), rtol=1e-5, atol=1e-6)


class Curve:
    k = 1.0

    def at(self, t: Any) -> Any:
        return self.k * t


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_an_object_that_was_given_an_active_value_is_handed_on() -> None:
    def f(x: Any, o: Any) -> Any:
        o.k = x
        return quad(o.at, 0.0, 1.0)[0]
    gradient = tg.grad(f)
    for _ in range(2):
        np.testing.assert_allclose(gradient(3.0, Curve()), 0.5)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("text", ["o.k ** 2", "[o][0].k ** 2", "vars(o)['k'] ** 2"])
def test_a_refused_statement_reads_an_attribute(text: str) -> None:
    def f(x: Any, o: Any) -> Any:
        o.k = 2 * x
        y = eval(text)
        return y
    gradient = tg.grad(f)
    for _ in range(3):
        np.testing.assert_allclose(gradient(3.0, Curve()), 24.0)


G = 1.0


def set_global() -> None:
    global G
    G = 4.0


def test_a_global_that_a_helper_assigns(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        before = G
        set_global()
        return x * G * before
    gradient = tg.grad(f)
    for _ in range(2):
        monkeypatch.setitem(globals(), "G", 1.0)
        np.testing.assert_allclose(gradient(3.0), 4.0)


class Counted:
    def __init__(self, x: float):
        self.x, self.calls = x, 0

    @functools.cached_property
    def square(self) -> Any:
        self.calls += 1
        return self.x ** 2


def reads_twice(o: Any, v: Any) -> Any:
    return (o.square + o.square) * v[0] * o.calls


def reads_in_a_branch(o: Any, v: Any) -> Any:
    a = o.square if v[0] > 0 else 1.0
    return a * o.square * v[0] * o.calls


def reads_in_a_loop(o: Any, v: Any) -> Any:
    total = 0.0
    for x in v:
        total = total + x * o.square
    return total * o.calls


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [reads_twice, reads_in_a_branch, reads_in_a_loop])
def test_cached_properties(f: Any) -> None:
    derivative = tg.value_and_grad(f, argnums=1)
    v = np.array([0.7, -1.3])
    for _ in range(2):
        mine, theirs = Counted(3.0), Counted(3.0)
        value = f(theirs, v)
        for _ in range(2):
            found, gradient = derivative(mine, v.copy())
            np.testing.assert_allclose(found, value)
            np.testing.assert_allclose(gradient, slopes(functools.partial(f, mine), v), rtol=1e-6, atol=1e-6)
            assert vars(mine) == vars(theirs)
