"""Functions that take their namespace from their argument: derivatives on each library equal those on NumPy arrays."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import UnsupportedCall

pytest.importorskip("array_api_compat")

from . import cases, harness

_MODULES = {"array-api-strict": "array_api_strict", "torch": "torch", "jax": "jax", "dask": "dask.array"}
#: those that take long to start operations
_LONG = ("jax", "dask")


def _parameters():
    for library in _MODULES:
        for k, case in enumerate(cases.CASES):
            if library in case.without:
                continue
            for j, transformation in enumerate(harness.TRANSFORMATIONS):
                slow = k % 12 or j % 3 != 1 if library in _LONG else (k + j) % 4
                yield pytest.param(library, case, transformation, id=f"{library}-{case.fn.__name__}-{transformation}",
                                   marks=[pytest.mark.slow] if slow else [])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("library", "case", "transformation"), list(_parameters()))
def test_equal_to_numpy(library, case, transformation):
    pytest.importorskip(_MODULES[library])
    harness.check(case, library, transformation)


@pytest.mark.parametrize("case", [pytest.param(c, id=c.fn.__name__, marks=[pytest.mark.slow] if k % 3 else [])
                                  for k, c in enumerate(cases.CASES)])
def test_numpy_equals_differences(case):
    """The expected results, by central differences along a direction."""
    rng = np.random.default_rng(1)
    direction = harness.mapped(lambda a: rng.normal(size=a.shape), case.args[0])

    def along(t):
        def step(a, d):
            return {k: step(a[k], d[k]) for k in a} if isinstance(a, dict) else a + t * d
        return float(case.fn(step(case.args[0], direction), *case.args[1:]))

    h = 1e-6
    gradient = tg.grad(case.fn)(*case.args)
    pairs = zip(gradient.values(), direction.values()) if isinstance(gradient, dict) else [(gradient, direction)]
    found = sum(float(np.sum(g * d)) for g, d in pairs)
    np.testing.assert_allclose(found, (along(h) - along(-h)) / (2 * h), rtol=2e-6, atol=1e-7)


def test_torch_autograd_agrees():
    torch = pytest.importorskip("torch")
    for case in cases.CASES:
        if isinstance(case.args[0], dict) or case.fn is cases.in_place:
            continue
        args = [torch.asarray(a.copy()) for a in case.args]
        args[0].requires_grad_()
        case.fn(*args).backward()
        found = tg.grad(case.fn)(*(a.detach() for a in args))
        torch.testing.assert_close(found, args[0].grad, msg=case.fn.__name__)


def test_namespace_by_method():
    xps = pytest.importorskip("array_api_strict")

    def f(x):
        xp = x.__array_namespace__()
        return xp.sum(xp.exp(x) * x)

    x = np.array([0.5, 1.0])
    found = tg.grad(f)(xps.asarray(x))
    np.testing.assert_allclose(np.asarray(found), tg.grad(f)(x))
    assert "xp.exp(x)" in tg.grad(f).source_for(xps.asarray(x))


@pytest.mark.parametrize("library", ["array-api-strict", "torch", pytest.param("jax", marks=pytest.mark.slow)])
def test_second_derivatives(library):
    pytest.importorskip(_MODULES[library])
    convert = harness.converter(library)
    for fn, x in ((cases.rosenbrock, cases.V), (cases.logsumexp, cases.V), (cases.trig, cases.V[:3])):
        for transformation in (tg.hessian, tg.jacrev(tg.grad(fn)), tg.jacfwd(tg.grad(fn))):
            derivative = transformation(fn) if transformation is tg.hessian else transformation
            harness.compare(derivative(convert(x)), derivative(x), library)
        found = tg.hvp(fn, (convert(x),), (convert(x),))[0]
        harness.compare(found, tg.hvp(fn, (x,), (x,))[0], library)


def test_single_precision_stays():
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.5, 1.5, 0.7])
    for fn in (cases.logsumexp, cases.masked, cases.choice_of_numbers, cases.clipped, cases.steps, cases.absolute):
        value, gradient = tg.value_and_grad(fn)(x)
        assert gradient.dtype == torch.float32 and value.dtype == torch.float32, fn.__name__
        expected = tg.grad(fn)(x.numpy())
        np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("library", ["torch", pytest.param("jax", marks=pytest.mark.slow)])
def test_arrays_without_dimensions_are_not_known_when_compiling(library):
    """Indices, exponents, flags and counts that are arrays decide nothing when the derivative is compiled."""
    pytest.importorskip(_MODULES[library])
    convert = harness.converter(library)
    x = convert(np.array([1.0, 2.0, 3.0]))

    def power(x, n):
        return cases.array_namespace(x).sum(x ** n)

    def element(x, i):
        return x[i] * x[i - 1]

    def flag(x, on):
        return cases.array_namespace(x).sum(x ** 3 if on else x)

    def count(x, n):
        for _ in range(int(n)):
            x = x * x
        return cases.array_namespace(x).sum(x)

    for fn, argument, expected in (
            (power, 2, [2.0, 4.0, 6.0]), (power, 3, [3.0, 12.0, 27.0]), (element, 1, [2.0, 1.0, 0.0]), (element, 2, [0.0, 3.0, 2.0]),
            (flag, True, [3.0, 12.0, 27.0]), (flag, False, [1.0, 1.0, 1.0]), (count, 1, [2.0, 4.0, 6.0]), (count, 2, [4.0, 32.0, 108.0])):
        np.testing.assert_allclose(harness.to_numpy(tg.grad(fn)(x, convert(np.array(argument)))), expected)


def test_numbers_beside_arrays():
    xps = pytest.importorskip("array_api_strict")

    def f(a, x):
        return cases.array_namespace(x).sum(a * x ** 2)

    gradient = tg.grad(f)(2.0, xps.asarray([1.0, 2.0]))
    assert float(gradient) == 5.0


def test_an_element_is_no_view_of_what_is_written_to():
    """An element of a tensor is a view, where an element of a NumPy array is a number."""
    torch = pytest.importorskip("torch")

    def f(x):
        y = x * 1.0
        first = y[0]
        y[0] = x[1]
        return first * y[1] + y[0] ** 3

    x = np.array([2.0, 3.0])
    expected = tg.value_and_grad(f)(x)
    value, gradient = tg.value_and_grad(f)(torch.asarray(x))
    np.testing.assert_allclose(value.item(), expected[0])
    np.testing.assert_allclose(gradient.numpy(), expected[1])


def test_mixed_libraries_are_refused():
    torch, xps = pytest.importorskip("torch"), pytest.importorskip("array_api_strict")

    def f(x, y):
        return (x * y).sum()

    with pytest.raises(TypeError, match=r"f: .*torch arrays and NumPy arrays"):
        tg.grad(f)(torch.ones(3), np.ones(3))
    with pytest.raises(TypeError, match=r"two libraries, torch and array-api-strict"):
        tg.grad(f)(torch.ones(3), xps.ones(3))


def test_what_the_standard_lacks_is_refused_by_name():
    xps = pytest.importorskip("array_api_strict")

    def f(x):
        return np.sum(np.cbrt(x))

    with pytest.raises(UnsupportedCall, match=r"cbrt\(\) is not part of the Python array API standard"):
        tg.grad(f)(xps.ones(3))


def test_numba_is_refused():
    torch = pytest.importorskip("torch")
    pytest.importorskip("numba")
    with pytest.raises(TypeError, match="backend='numba' compiles functions of NumPy arrays"):
        tg.grad(cases.rosenbrock, backend="numba")(torch.ones(3))


def test_new_types_compile_new_variants():
    torch = pytest.importorskip("torch")

    def f(x):
        return (x * x).sum()

    gradient = tg.grad(f)
    gradient(np.ones(3))
    gradient(torch.ones(3))
    gradient(torch.ones(4))
    gradient(torch.ones(3, 1))
    assert len(gradient.variants) == 3


def test_no_source_of_a_library_is_compiled(monkeypatch):
    """A constant of another library is data: its functions are called, and never read."""
    da = pytest.importorskip("dask.array")
    from transgrad.frontend.source import find as source
    read = []
    find = source._find
    monkeypatch.setattr(source, "_find", lambda func, code: read.append(code.co_filename) or find(func, code))
    data = da.from_array(np.arange(12.0).reshape(4, 3), chunks=2)

    def f(w):
        return np.sum((data @ w) ** 2)

    w = np.ones(3)
    found = tg.grad(f)(w)
    assert isinstance(found, da.Array)
    np.testing.assert_allclose(found.compute(), tg.grad(lambda w: np.sum((np.arange(12.0).reshape(4, 3) @ w) ** 2))(w))
    assert not [name for name in read if "dask" in name]


def test_budget(monkeypatch):
    """A call whose callees are too large to be compiled is refused by name."""
    monkeypatch.setenv("TRANSGRAD_MAX_OPERATIONS", "40")

    def f(x):
        return np.sum(_large(x))

    def g(x):
        return np.sum(np.sin(x))

    with pytest.raises(UnsupportedCall, match=r"_large\(\) and the functions that it calls, which would take more than 40 operations"):
        tg.grad(f, fallback="error")(np.ones(3))
    np.testing.assert_allclose(tg.grad(g)(np.ones(3)), np.cos(np.ones(3)))


def _large(x):
    x = x + np.sin(x) * np.cos(x) + np.exp(-x) * np.tanh(x) + x ** 2 * np.sin(x) - np.cos(x) * np.exp(x)
    x = x + np.sin(x) * np.cos(x) + np.exp(-x) * np.tanh(x) + x ** 2 * np.sin(x) - np.cos(x) * np.exp(x)
    return x + np.sin(x) * np.cos(x) + np.exp(-x) * np.tanh(x) + x ** 2 * np.sin(x) - np.cos(x) * np.exp(x)
