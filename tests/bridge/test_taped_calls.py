"""The smallest part possible runs on the tape: a refused call alone, where that can be said of it."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.runtime import tape

from . import refused
from . import refused_programs as programs

X = np.array([0.3, 0.5, 0.2])
V = np.array([0.7, -0.2, 0.4])
ALL = {**programs.CALLS, **programs.WHOLE}


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        yield


def differences(f: Any, h: float) -> np.ndarray:
    return np.array([(np.asarray(f(X + h * e)) - np.asarray(f(X - h * e))) / (2 * h) for e in np.eye(3)])


def is_compiled(derivative: Any) -> bool:
    return "tape.vjp(" in derivative.source


@pytest.mark.parametrize("name", ALL)
def test_reverse(name: str) -> None:
    f, derivative = ALL[name], tg.grad(ALL[name])
    expected = differences(f, 1e-6)
    assert np.allclose(derivative(X.copy()), expected, atol=1e-6)       # as a whole on the tape
    assert is_compiled(derivative) == (name in programs.CALLS), derivative.explain()
    assert np.allclose(derivative(X.copy()), expected, atol=1e-6)       # the call alone, where that is possible
    assert np.allclose(derivative(X + 1e-3), differences(lambda x: f(x + 1e-3), 1e-6), atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_forward(name: str) -> None:
    f, derivative = ALL[name], tg.jacfwd(ALL[name])
    for _ in range(2):
        assert np.allclose(derivative(X.copy()), differences(f, 1e-6), atol=1e-6)
    assert is_compiled(derivative) == (name in programs.CALLS), derivative.explain()


@pytest.mark.parametrize("name", ALL)
def test_second_order(name: str) -> None:
    f = ALL[name]
    gradient, derivative = tg.grad(f), tg.hessian(f)
    expected = differences(lambda x: gradient(x), 1e-6)
    for _ in range(2):
        assert np.allclose(derivative(X.copy()), expected, atol=1e-5)
    assert is_compiled(derivative) == (name in programs.CALLS), derivative.explain()


@pytest.mark.parametrize("name", ALL)
def test_reverse_of_reverse(name: str) -> None:
    gradient = tg.grad(ALL[name])
    along = tg.grad(lambda x: gradient(x) @ V)
    expected = differences(lambda x: gradient(x) @ V, 1e-6)
    for _ in range(3):
        assert np.allclose(along(X), expected, atol=1e-5)


@pytest.mark.parametrize("name", ["in_a_loop", "result_changed_in_place", "fills_in_a_loop", "several_results", "inside_a_recursion"])
def test_a_third_time(name: str) -> None:
    f = ALL[name]
    along = tg.grad(lambda x: tg.grad(f)(x) @ V)
    third = tg.grad(lambda x: tg.grad(lambda y: tg.grad(f)(y) @ V)(x) @ V)
    forward = tg.jacfwd(tg.hessian(f))
    for _ in range(3):
        assert np.allclose(third(X), differences(lambda x: along(x) @ V, 1e-5), atol=1e-4)
        assert np.allclose(forward(X) @ V @ V, third(X))


@pytest.mark.parametrize("name", programs.CALLS)
def test_pullbacks(name: str) -> None:
    f = ALL[name]
    for _ in range(2):
        out, pullback = tg.vjp(f, X.copy())
        assert np.isclose(out, f(X.copy())) and np.allclose(pullback(2.0)[0], 2.0 * differences(f, 1e-6), atol=1e-5)
        assert np.allclose(pullback(1.0)[0], differences(f, 1e-6), atol=1e-5)


def test_the_text() -> None:
    def in_a_loop(x):       # its own, since a statement that is outlined for one derivative stays so for others
        total = 0.0
        for i in range(3):
            total += programs.scalar(x[i])
        return total

    derivative = tg.grad(in_a_loop)
    derivative(X)
    assert "tape.vjp(programs.scalar, x[i], returns='np.float64')" in derivative.source
    assert "scalar_pullback(1.0)" in derivative.source
    text = derivative.explain()
    assert f"compiled   in_a_loop ({__file__}:" in text
    assert f"taped      programs.scalar ({__file__}:" in text and "eval() runs source" in text


COUNT = [0]


def counted(x):
    COUNT[0] += 1
    return x * eval("2.0")


def test_it_is_called_once() -> None:
    def f(x):
        return counted(x) ** 2

    derivative = tg.hessian(f)
    for _ in range(3):
        COUNT[0] = 0
        assert derivative(1.5) == pytest.approx(8.0)
        assert COUNT[0] == 1
    gradient = tg.value_and_grad(f)
    for _ in range(3):
        COUNT[0] = 0
        assert gradient(1.5) == (pytest.approx(9.0), pytest.approx(12.0))
        assert COUNT[0] == 1


CALLS_SO_FAR = [0]


def moody(x):
    CALLS_SO_FAR[0] += 1
    return eval("x * x") if CALLS_SO_FAR[0] < 3 else np.array([x, x])


def test_another_type_than_before_is_refused_once() -> None:
    def f(x):
        return np.sum(moody(x))

    CALLS_SO_FAR[0] = 0
    derivative = tg.grad(f)
    assert derivative(2.0) == 4.0 and derivative(2.0) == 4.0
    with pytest.raises(tg.UnsupportedCall, match=r"moody\(\) runs on the tape.*now it returns float64\[:\] instead of float"):
        derivative(2.0)
    assert derivative(2.0) == 2.0 and derivative(2.0) == 2.0


KEPT = []


def keeps_later(x, keep):
    if keep:
        KEPT.append(x * 2.0)
    return x * eval("1.0")


def test_what_is_kept_later_is_refused() -> None:
    def f(x, keep):
        try:
            y = keeps_later(x, keep)
        except Exception:       # the refusal is not for this handler
            y = 0.0 * x
        return y * x

    derivative = tg.grad(f)
    assert derivative(2.0, 0) == 4.0 and derivative(2.0, 0) == 4.0
    with pytest.raises(tg.UnsupportedCall, match="caches its results"):
        derivative(2.0, 1)


def test_errors_of_the_function_are_its_own() -> None:
    def f(x):
        return refused.raises(x) * x

    derivative = tg.grad(f)
    assert derivative(0.1) == pytest.approx(0.6) and derivative(0.2) == pytest.approx(1.2)
    with pytest.raises(ValueError, match="big") as caught:
        derivative(0.5)
    assert any(entry.name == "raises" for entry in caught.traceback)


def test_dtypes() -> None:
    def f(x):
        return np.sum(refused.array(x) * x)

    derivative = tg.grad(f)
    x = X.astype(np.float32)
    for _ in range(2):
        assert derivative(x).dtype == np.float32
    assert np.allclose(derivative(x), np.sin(x) + x * np.cos(x))


def test_arguments_are_written_to() -> None:
    def f(x, out):
        refused.fills(out, x)
        return np.sum(out * x)

    derivative = tg.grad(f)
    for _ in range(2):
        out = np.zeros(3)
        derivative(X, out)
        assert np.allclose(out, [0.0, X[0] * X[1], X[1] * X[2]])


def test_refused_twice_at_two_places() -> None:
    def f(x):
        return refused.scalar(x[0]) * np.sum(refused.array(x)) + refused.sends(x[1])

    derivative = tg.grad(f)
    for _ in range(4):
        assert np.allclose(derivative(X), differences(f, 1e-6))
    assert derivative.source.count("tape.vjp(") == 3


def test_vmap_and_export(tmp_path: Any) -> None:
    def f(x):
        return refused.scalar(x) * 2.0

    x = np.array([0.3, 0.5])
    expected = 2.0 * (np.cos(x) + 2.0 * x)
    assert np.allclose(tg.vmap(f)(x), 2.0 * (np.sin(x) + x ** 2))
    assert np.allclose(tg.vmap(tg.grad(f))(x), expected)
    assert np.allclose(tg.grad(lambda x: tg.vmap(f)(x).sum())(x), expected)
    derivative = tg.grad(f)
    derivative(0.3)
    with pytest.raises(tg.TransgradError, match=r"scalar\(\) runs on the tape, so the module needs transgrad"):
        derivative.export(tmp_path / "alone.py")
    text = derivative.export(tmp_path / "taped.py", standalone=False).read_text()
    assert "import transgrad.runtime.tape as tape" in text and "refused" in text
    space: dict[str, Any] = {}
    exec(text, space)
    assert space[derivative.__name__](0.3) == pytest.approx(expected[0])


def test_with_tensors() -> None:
    def f(x):
        return np.sum(refused.array(x) * x)

    x = tg.tensor(X, requires_grad=True)
    out = tg.compile(f)(x)
    (g,) = tg.autograd.grad(out, x, create_graph=True)
    assert np.allclose(g.detach().numpy(), np.sin(X) + X * np.cos(X))
    (h,) = tg.autograd.grad(g.sum(), x)
    assert np.allclose(h.numpy(), 2 * np.cos(X) - X * np.sin(X))


@pytest.mark.parametrize("p", [-2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3])
@pytest.mark.parametrize("power", [lambda x, p: x ** p, np.power, lambda x, p: (2.0 * x) ** p, lambda x, p: np.float_power(x, p)])
def test_second_derivatives_of_powers(power: Any, p: float) -> None:
    """What is saved for the first derivative is also enough for the second."""
    x, t = np.array([0.3, 1.7]), np.array([0.4, -1.1])
    pullback = tape.vjp(lambda x: np.sum(power(x, float(p))), x, returns="np.float64")[1]
    h = 1e-5
    up, at, down = (power(x + k * h, float(p)) for k in (1, 0, -1))
    np.testing.assert_allclose(pullback(1.0), (up - down) / (2 * h), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(pullback.derivative(1.0)(t)[0], (up - 2 * at + down) / h ** 2 * t, rtol=1e-3, atol=1e-4)
