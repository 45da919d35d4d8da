"""``nan="raise"``: the first NaN or infinity is an error that names the function's line and the generated line."""
import inspect
import linecache
import warnings

import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::transgrad.TapeFallbackWarning")


def line_of(f, text):
    lines, first = inspect.getsourcelines(f)
    return first + next(k for k, line in enumerate(lines) if text in line)


def raised(call):
    with pytest.raises(tg.NonFiniteError) as error:
        call()
    assert isinstance(error.value, FloatingPointError) and isinstance(error.value, tg.TransgradError)
    return error.value


def distances(x, n):
    total = 0.0
    for k in range(n):
        r = np.sqrt(x[k] - x[0])
        total += r * k
    return total


def test_the_adjoint_line_is_named():
    error = raised(lambda: tg.grad(distances, nan="raise")(np.arange(4.0), 4))
    assert (error.filename, error.lineno) == (__file__, line_of(distances, "np.sqrt"))
    generated = linecache.getline(error.generated_file, error.generated_line)
    assert "0.5 * r_bar / r" in generated and "the reverse sweep" in str(error) and "r = np.sqrt" in str(error)
    assert np.isnan(tg.grad(distances)(np.arange(4.0), 4)).any()


def test_the_primal_line_is_named():
    error = raised(lambda: tg.compile(distances, nan="raise")(np.array([0.0, -1.0]), 2))
    assert error.lineno == line_of(distances, "np.sqrt") and "the function itself computes nan" in str(error)


@pytest.mark.parametrize("f, x, shown", [
    (lambda x: np.sum(1.0 / x), np.array([1.0, 0.0]), "inf at [1] (1 of 2 entries)"),
    (lambda x: np.sum(np.exp(1000.0 * x)), np.ones(3), "inf at [0] (3 of 3 entries)"),
    (lambda x: np.sum(np.log(x) ** 2), np.array([-1.0]), "nan"),
    (lambda x: np.sum(x / np.sqrt(np.sum(x ** 2))), np.zeros(2), "nan"),
], ids=["division", "overflow", "log", "norm"])
@pytest.mark.parametrize("derivative", [
    lambda f, x: tg.grad(f, nan="raise")(x), lambda f, x: tg.value_and_grad(f, nan="raise")(x),
    lambda f, x: tg.jacfwd(f, nan="raise")(x), lambda f, x: tg.jvp(f, (x,), (x,), nan="raise"),
    lambda f, x: tg.vjp(f, x, nan="raise")[1](1.0), lambda f, x: tg.compile(f, nan="raise")(x),
    lambda f, x: tg.hessian(f, nan="raise")(x),
], ids=["grad", "value_and_grad", "jacfwd", "jvp", "vjp", "compile", "hessian"])
def test_every_transformation(derivative, f, x, shown):
    if shown.startswith("nan") and "log" not in inspect.getsource(f):
        assert raised(lambda: derivative(f, x)).reason
    else:
        raised(lambda: derivative(f, x))


def test_the_entry_is_shown():
    error = raised(lambda: tg.compile(lambda x: 1.0 / x, nan="raise")(np.array([1.0, 0.0])))
    assert "inf at [1] (1 of 2 entries) in 1.0 / x with operands 1.0; float64[2] from 0 to 1" in str(error)


def nearest(x, points):
    best = np.inf
    for p in points:
        d = np.sum((x - p) ** 2)
        best = min(best, d)
    return best


def masked(x):
    y = np.full(4, np.inf)
    y[:3] = x
    y[1:] += 1.0
    return np.sum(np.exp(-y))


def nans_left_out(x):
    return np.nansum(x)


@pytest.mark.parametrize("f, args", [
    (nearest, (np.ones(2), [np.zeros(2), np.arange(2.0)])), (masked, (np.arange(3.0),)),
    (nans_left_out, (np.array([1.0, np.nan, 2.0]),)),
], ids=["nearest", "masked", "nansum"])
def test_constants_and_arguments_may_be_infinite(f, args):
    np.testing.assert_array_equal(tg.grad(f, nan="raise")(*args), tg.grad(f)(*args))


def test_a_nan_that_comes_from_an_argument():
    error = raised(lambda: tg.grad(lambda x: np.sum(x * x), nan="raise")(np.array([1.0, np.nan])))
    assert "not finite" in str(error)


def in_place(x, n):
    u = x.copy()
    v = u[1:]
    for k in range(n):
        v /= u[:-1] - k
        u[0] += 1.0
    return np.sum(u)


def test_writes_in_place():
    x = np.array([2.0, 4.0, 8.0])
    np.testing.assert_array_equal(tg.grad(in_place, nan="raise")(x, 2), tg.grad(in_place)(x, 2))
    error = raised(lambda: tg.grad(in_place, nan="raise")(np.array([0.0, 4.0, 8.0]), 2))
    assert error.lineno == line_of(in_place, "v /=")


def test_results_are_those_without_the_checks():
    x = np.random.default_rng(0).normal(size=(3, 3))
    for f in (lambda x: np.sum(np.linalg.inv(x @ x.T + np.eye(3))), lambda x: np.sum(np.sin(x)[::2] ** 2), lambda x: np.max(x) + np.prod(x)):
        np.testing.assert_array_equal(tg.grad(f, nan="raise")(x), tg.grad(f)(x))


def test_python_floats():
    def f(x):
        return x ** 0.5 + 1.0
    for zero in (np.float64(0.0), 0.0):
        error = raised(lambda zero=zero: tg.grad(f, nan="raise")(zero))
        assert error.lineno == line_of(f, "x ** 0.5")


def on_tape(x):
    return np.sum(np.log(x) * x) + eval("0.0")


def test_on_the_tape():
    g = tg.grad(on_tape, nan="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(g(np.ones(2)), tg.grad(on_tape)(np.ones(2)))
        raised(lambda: g(np.array([0.0, 1.0])))


def test_a_checked_derivative_shows_the_plain_source():
    g, plain = tg.grad(distances, nan="raise"), tg.grad(distances, optimize={"scalars": False, "lists": False})
    x = np.array([0.0, 1.0, 2.0])
    for d in (g, plain):
        try:
            d(x, 3)
        except tg.NonFiniteError:
            pass
    assert g.source == plain.source and inspect.getsource(g) == g.source


def test_bad_option():
    with pytest.raises(ValueError, match="nan is 'ignore' or 'raise'"):
        tg.grad(distances, nan="stop")


def test_numpy_does_not_warn_about_the_value_that_is_reported():
    def f(x):
        return np.sum(np.log(x - 1.0))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raised(lambda: tg.grad(f, nan="raise")(np.array([2.0, 1.0])))


def test_errors_of_numpy_that_the_user_asked_for_remain():
    def f(x):
        return np.sum(np.log(x - 1.0))

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        tg.grad(f, nan="raise")(np.array([2.0, 1.0]))
