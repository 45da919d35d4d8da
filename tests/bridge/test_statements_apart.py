"""A refused statement runs on the tape alone, where it can be told from what is around it."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg

from . import refused_statements as programs

X = np.array([0.3, 0.5, 0.2])
V = np.array([0.7, -0.2, 0.4])
ALL = {**programs.APART, **programs.TOGETHER}


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        yield


def differences(f: Any, h: float = 1e-6) -> np.ndarray:
    return np.array([(np.asarray(f(X + h * e)) - np.asarray(f(X - h * e))) / (2 * h) for e in np.eye(3)])


def settled(derivative: Any) -> Any:
    """The derivative after the calls in which it learns what runs on the tape alone."""
    for _ in range(4):
        derivative(X.copy())
    return derivative


@pytest.mark.parametrize("name", ALL)
def test_reverse(name: str) -> None:
    f, derivative = ALL[name], tg.grad(ALL[name])
    for _ in range(5):
        assert np.allclose(derivative(X.copy()), differences(f), atol=1e-6)
        assert np.allclose(derivative(X + 1e-3), differences(lambda x: f(x + 1e-3)), atol=1e-6)
    assert ("tape.vjp(" in derivative.source) == (name in programs.APART), derivative.explain()


@pytest.mark.parametrize("name", ALL)
def test_other_transformations(name: str) -> None:
    f = ALL[name]
    gradient, along = tg.grad(f), tg.grad(lambda x: tg.grad(f)(x) @ V)
    hessian, forward = tg.hessian(f), tg.jacfwd(f)
    expected = differences(lambda x: gradient(x), 1e-6)
    for _ in range(4):
        assert np.allclose(forward(X.copy()), differences(f), atol=1e-6)
        assert np.allclose(hessian(X.copy()), expected, atol=1e-5)
        assert np.allclose(along(X.copy()), expected @ V, atol=1e-5)
        out, pullback = tg.vjp(f, X.copy())
        assert np.isclose(out, f(X.copy())) and np.allclose(pullback(2.0)[0], 2.0 * differences(f), atol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_what_the_function_does_stays_what_it_is(name: str) -> None:
    f = ALL[name]
    before = f(X.copy())
    settled(tg.grad(f))
    assert f(X.copy()) == before
    assert np.isclose(tg.value_and_grad(f)(X.copy())[0], before)


def test_it_is_said_and_explained() -> None:
    def f(x):
        y = np.sin(x)
        z = eval("x") * y
        return z ** 2

    derivative = tg.grad(f)
    line = f.__code__.co_firstlineno + 2
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        derivative(0.7)
        derivative(0.8)
    assert [str(w.message) for w in said] == [
        f"a statement of f runs on the tape at {__file__}:{line}: eval() runs source that is not known at compile time (f as a whole in its first call)"]
    assert f"line_{line}(x, y)" in "".join(derivative.source.split("tape.vjp")) or f"tape.vjp(line_{line}, x, y" in derivative.source
    text = derivative.explain()
    assert "compiled   f (" in text and f"taped      line_{line} ({__file__}:{line}): eval() runs source" in text
    assert derivative(0.7) == pytest.approx(2 * 0.7 * np.sin(0.7) ** 2 + 0.7 ** 2 * np.sin(1.4))


def test_errors_name_the_line_of_the_user() -> None:
    def f(x):
        y = x * 2.0
        z = y * eval("1.0 if y < 3.0 else missing")
        return z * x

    derivative = settled_at(tg.grad(f), 1.0)
    assert derivative(1.0) == pytest.approx(4.0)
    with pytest.raises(NameError, match="missing") as caught:
        derivative(2.0)
    assert any(entry.path.name == "test_statements_apart.py" and entry.lineno == f.__code__.co_firstlineno + 1
               for entry in caught.traceback if hasattr(entry.path, "name"))


def settled_at(derivative: Any, x: float) -> Any:
    for _ in range(3):
        derivative(x)
    return derivative


def test_another_kind_of_result_is_refused_once() -> None:
    def f(x):
        y = eval("x * x if x < 3.0 else [x, x]")
        return np.sum(y)

    derivative = settled_at(tg.grad(f), 2.0)
    with pytest.raises(tg.UnsupportedCall, match=r"line_[0-9]+\(\) runs on the tape"):
        derivative(4.0)
    assert derivative(4.0) == 2.0 and derivative(2.0) == 4.0


class Pendulum:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        y = eval("x * x") * self.k
        return y + np.cos(x)

    def __call__(self, x):
        return self.energy(x) + eval("x")


def test_methods() -> None:
    p = Pendulum(1.5)
    for derivative, want in ((tg.grad(p.energy), 3.0 * 0.4 - np.sin(0.4)), (tg.grad(p), 3.0 * 0.4 - np.sin(0.4) + 1.0)):
        for _ in range(4):
            assert derivative(0.4) == pytest.approx(want)


def test_decorated_functions_keep_their_own_text() -> None:
    import functools

    def doubled(f):
        @functools.wraps(f)
        def wrapper(x):
            return 2.0 * f(x)
        return wrapper

    def g(x):
        y = eval("x") * x
        return y * x

    for _ in range(4):
        assert tg.grad(g)(2.0) == pytest.approx(12.0)
    for _ in range(4):
        assert tg.grad(doubled(g))(2.0) == pytest.approx(24.0)


def test_closures_of_one_text_do_not_share() -> None:
    makes = programs._closure
    first, second = makes(2.0), makes(5.0)
    for _ in range(4):
        assert np.allclose(tg.grad(first)(X), [2.0 * X[1], 2.0 * X[0], 0.0])
        assert np.allclose(tg.grad(second)(X), [5.0 * X[1], 5.0 * X[0], 0.0])


def exported(x):
    y = eval("x * x") * 2.0
    return y * x


def test_export(tmp_path: Any) -> None:
    derivative = settled_at(tg.grad(exported), 1.5)
    with pytest.raises(tg.TransgradError, match=r"line_[0-9]+\(\) runs on the tape, so the module needs transgrad"):
        derivative.export(tmp_path / "alone.py")
    text = derivative.export(tmp_path / "taped.py", standalone=False).read_text()
    space: dict[str, Any] = {}
    exec(text, space)
    assert space["grad_exported"](1.5) == pytest.approx(6.0 * 1.5 ** 2)


def tree_sum(node: Any, x: Any) -> Any:
    if node[0] == "leaf":
        return node[1] * x
    total = 0.0
    for child in node[1]:
        total += tree_sum(child, x)
    return total if node[0] == "sum" else -total


def test_the_refused_statement_calls_the_function_itself() -> None:
    nested = ("sum", (("leaf", 2.0), ("neg", (("leaf", 1.0), ("leaf", 3.0))), ("sum", (("leaf", 1.0), ("neg", (("leaf", 2.0),))))))
    gradient = tg.grad(tree_sum, 1)
    for _ in range(3):
        assert gradient(nested, 1.3) == pytest.approx(-3.0)
    assert tree_sum.__name__ == "tree_sum"


def test_a_function_in_the_statement_has_a_parameter_named_as_a_caught_exception() -> None:
    def f(x: Any, k: Any) -> Any:
        try:
            z = x[int(k)]
        except IndexError:
            z = k * k
        a = eval("x * k") + (lambda e: e)(z)
        return np.sum(a) * z
    for _ in range(3):
        assert np.allclose(tg.grad(f, 1)(X, 5.0), 3.0 * 25.0 * np.sum(X) + 3.0 * 4.0 * 125.0)
