"""Functions of NumPy on Python numbers: values, derivatives and errors are those that NumPy has for arrays."""
from __future__ import annotations

import importlib.util
import math
import warnings

import numpy as np
import pytest

import transgrad as tg

UNARY = ["exp", "log", "log1p", "expm1", "sqrt", "sin", "arcsin", "arccos", "cosh", "arccosh", "arctanh", "exp2", "reciprocal", "absolute",
         "sign", "trunc"]
BINARY = ["divide", "power", "mod", "floor_divide", "maximum", "hypot", "logaddexp"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e308, -2.0, 0.5]


def numbers_of(pair):
    value, slopes = pair
    return [float(np.reshape(x, ())) for x in (value, *(slopes if isinstance(slopes, tuple) else (slopes,)))]


def check_alike(f, point):
    """By number and by array of one element, in three modes."""
    places = tuple(range(len(point)))
    arrays = [np.array([x]) for x in point]
    want = numbers_of(tg.value_and_grad(lambda *a: f(*a)[0], argnums=places)(*arrays))
    value, back = tg.vjp(f, *point)
    for got in (numbers_of(tg.value_and_grad(f, argnums=places)(*point)), numbers_of((value, back(1.0)))):
        np.testing.assert_allclose(got, want, rtol=1e-13)
        assert [math.copysign(1.0, x) for x in got if x == 0.0] == [math.copysign(1.0, x) for x in want if x == 0.0]
    if len(point) == 1:
        np.testing.assert_allclose(tg.jvp(f, point, (1.0,))[1], want[1], rtol=1e-13)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.filterwarnings("ignore")
def test_functions_of_one_number(name):
    def f(x, f=getattr(np, name)):
        return f(x)
    for x in SPECIAL:
        check_alike(f, (x,))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.filterwarnings("ignore")
def test_functions_of_two_numbers(name):
    def f(x, y, f=getattr(np, name)):
        return f(x, y)
    for k, x in enumerate(SPECIAL):
        for y in SPECIAL[k % 2::2]:
            if name != "power" or y != 0.5:         # NumPy itself takes the root of a number, and a power of an array
                check_alike(f, (x, y))


REDUCTIONS = [
    (lambda x: np.nanmean(x), 1.0), (lambda x: np.nanvar(x), 0.0), (lambda x: np.median(x * x), 4.6), (lambda x: np.mean(x * x), 4.6),
    (lambda x: np.var(x * x), 0.0), (lambda x: np.prod(x), 1.0), (lambda x: np.reshape(x, (1,))[0], 1.0), (lambda x: np.sum(np.tile(x, 3)), 3.0),
    (lambda x: np.nansum(x * x), 4.6), (lambda x: np.nanprod(x), 1.0), (lambda x: np.quantile(x, 0.3), 1.0), (lambda x: np.sum(np.cumprod(x)), 1.0),
    (lambda x: np.max(x), 1.0), (lambda x: np.average(x), 1.0), (lambda x: np.sum(np.atleast_2d(x)), 1.0), (lambda x: np.squeeze(x) * 2, 2.0),
    (lambda x: np.sum(np.repeat(x, 4)), 4.0), (lambda x: np.sum(np.full(3, x)), 3.0), (lambda x: np.transpose(x), 1.0),
    (lambda x: np.sum(np.broadcast_to(x, (2, 3))), 6.0), (lambda x: np.std(x), 0.0), (lambda x: np.ptp(x), 0.0),
]


@pytest.mark.parametrize("k", range(len(REDUCTIONS)))
def test_reductions_and_shapes_of_a_number(k):
    f, slope = REDUCTIONS[k]
    assert tg.grad(f)(2.3) == pytest.approx(slope)
    assert tg.jvp(f, (2.3,), (1.0,))[1] == pytest.approx(slope)
    value, back = tg.vjp(f, 2.3)
    assert value == f(2.3)
    assert back(1.0)[0] == pytest.approx(slope)


def antoine(t, a=8.0, b=1700.0, c=230.0):
    total = 0.0
    for k in range(len(t)):
        total += 10 ** (a - b / (t[k] + c))
    return total


def roots(x):
    s = 0.0
    for k in range(len(x)):
        s = s + x[k] ** 0.5
    return s


def entropy(x):
    return x * np.log(x)


def quotient(x):
    return entropy(x) / entropy(x + 1.0)


@pytest.mark.parametrize(("f", "usual", "special"), [
    (quotient, 2.0, 0.0),
    (antoine, np.array([10.0, 20.0]), np.array([-230.0, 1.0])), (roots, np.array([1.0, 2.0]), np.array([-1.0, 0.0, 2.0])), (entropy, 2.0, 0.0)])
@pytest.mark.filterwarnings("ignore")
def test_an_exported_module_does_what_the_derivative_does(tmp_path, f, usual, special):
    g = tg.value_and_grad(f)
    g(usual)
    spec = importlib.util.spec_from_file_location(f"exported_{f.__name__}", g.export(tmp_path / "exported.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "transgrad" not in {line.split()[1] for line in (tmp_path / "exported.py").read_text().splitlines() if line.startswith("import")}
    for at in (usual, special):
        for got, want in zip(getattr(module, g.__name__)(at), g(at)):
            np.testing.assert_array_equal(got, want)
            assert type(got) is type(want)


@pytest.mark.parametrize("f", [lambda x: 1.0 / x, lambda x: math.log(x) * 0.5 * x, lambda x: math.sqrt(x - 1.0) + x, lambda x: x ** -1])
def test_what_the_function_raises_its_derivative_raises(f):
    with pytest.raises((ZeroDivisionError, ValueError)) as wanted:
        f(0.0)
    with pytest.raises(wanted.type):
        tg.grad(f)(0.0)


def squares(x):
    s = np.exp(x)
    for _ in range(3):
        s = s * s
    return s


def test_floating_point_errors():
    g = tg.grad(lambda x: np.log(x))
    assert g(2.0) == 0.5
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        g(0.0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert g(0.0) == math.inf
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert g(0.0) == math.inf
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        tg.value_and_grad(squares)(300.0)
    assert tg.value_and_grad(squares)(2.0)[0] == pytest.approx(np.exp(16.0))


def stops(x):
    r = 0.0
    for _ in range(10):
        r = r + x
        if r > 5:
            break
    return r


def stops_or_returns(x):
    r = 0.0
    for i in range(10):
        if i * x > 5:
            break
        r = r + x
        if r > 5:
            return r * x
    return r


def test_loops_that_stop():
    assert tg.grad(stops)(2.0) == 3.0
    assert tg.grad(stops_or_returns)(2.0) == 12.0
    assert tg.hessian(stops_or_returns)(2.0) == 6.0
