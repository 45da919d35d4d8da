"""Closures and lambdas that a function makes at each call share generated code, and none of them sees what belongs to another."""
from __future__ import annotations

import functools
import gc
import importlib
import math
import pickle
import sys
import textwrap
import time
import weakref
from unittest import mock

import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.closures import SharedVariant, clear
from transgrad.transforms.derivative import Derivative


@pytest.fixture(autouse=True)
def _forget():
    clear()


@pytest.fixture
def compilations():
    """The number of compilations so far."""
    count = []
    compile_ = Derivative._compile

    def counted(self, values):
        count.append(self)
        return compile_(self, values)

    with mock.patch.object(Derivative, "_compile", counted):
        yield lambda: len(count)


def quadratic(k, a):
    def helper(x):
        return np.sin(x) * k

    return lambda x: k * x ** 2 + helper(x) + np.sum(a) * x


@pytest.mark.parametrize("contents", [
    [(1.5 + i, np.arange(3.0) + i) for i in range(6)],
    [(i, np.arange(3.0)) for i in range(6)],
    [(np.float64(i), np.arange(3) + i) for i in range(6)],
    [(1.0 + i, np.full((2, 1), 1.0 + i)) for i in range(6)],
    [(1.0 + i, np.float32(i)) for i in range(6)],
    [(1.0, np.float64(i)) for i in range(6)],
    [(1.0, np.zeros(i)) for i in range(6)],
    [(1.0, np.ones((1,) * i)) for i in range(6)],
    [(math.nan, np.array([i, math.inf])) for i in range(6)],
    [(True, np.array(i)) for i in range(6)],
    [((2.0, 1, True, 3.0j, np.float64(4.0), np.int64(2))[i], np.ones(2)) for i in range(6) if i != 3],
], ids=["floats", "integers", "NumPy", "unit dimensions", "single", "double", "empty", "ranks", "nan", "bools", "kinds"])
def test_the_contents_of_cells(contents):
    for k, a in contents:
        gradient = tg.grad(quadratic(k, a))
        for x in (0.5, 2.0):
            np.testing.assert_allclose(gradient(x), 2 * k * x + math.cos(x) * k + np.sum(a), rtol=1e-13)


def test_few_functions_are_compiled(compilations):
    for i in range(20):
        tg.grad(quadratic(1.0 + i, np.arange(3.0) + i))(2.0)
    assert compilations() <= 3


def test_defaults_are_arguments(compilations):
    for i in range(10):
        assert tg.grad(lambda x, k=1.0 + i: k * x * x)(3.0) == 6.0 * (1.0 + i)
        assert tg.grad(lambda x, *, k=1.0 + i: k * x * x)(3.0) == 6.0 * (1.0 + i)
        assert tg.grad(lambda x, k=1.0 + i: k * x * x)(3.0, 2.0) == 12.0
    assert compilations() <= 6


def with_option(how, k):
    def loss(x):
        return np.sum(x ** 2) * k if how == "square" else np.sum(x) * k
    return loss


def test_options_in_cells_are_constants():
    for k, how in enumerate(["square", "sum"] * 3):
        np.testing.assert_array_equal(tg.grad(with_option(how, 1.0 + k))(np.ones(2)), (1.0 + k) * (2.0 if how == "square" else 1.0))


def along(axis, factor):
    return lambda x: np.sum(np.max(x, axis=axis)) * factor


def test_an_integer_that_has_to_be_known():
    x = np.arange(6.0).reshape(2, 3)
    for k, axis in enumerate((0, 1, -1, 0, 1, -2)):
        expected = np.zeros((2, 3))
        if axis % 2:
            expected[:, -1] = 1.0 + k
        else:
            expected[-1] = 1.0 + k
        np.testing.assert_array_equal(tg.grad(along(axis, 1.0 + k))(x), expected)


def test_a_number_that_decides_a_branch():
    def make(k):
        return lambda x: x ** 2 if k > 1 else 3 * x
    for k in (0.5, 1.5, 0.25, 2.5, 3, 1, 7):
        assert tg.grad(make(k))(2.0) == (4.0 if k > 1 else 3.0)


def test_the_number_of_iterations():
    def make(n, w):
        def power(x):
            y = 1.0
            for i in range(n):
                y = y * x * w[i]
            return y
        return power
    for n in (1, 3, 0, 5, 2):
        w = np.arange(1.0, 6.0) + n
        assert tg.grad(make(n, w))(2.0) == pytest.approx(n * 2.0 ** (n - 1) * np.prod(w[:n]) if n else 0.0)


def test_a_cell_that_is_bound_again(compilations):
    k = 1.0

    def f(x):
        return k * x * x

    gradient = tg.grad(f)
    for k in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        assert gradient(3.0) == 6.0 * k
    assert compilations() <= 2
    k = np.array([1.0, 2.0])
    with pytest.raises(TypeError, match="one number"):
        gradient(3.0)
    k = 7
    assert gradient(3.0) == 42.0


def counter():
    count = 0.0

    def f(x):
        nonlocal count
        count += 1.0
        return count * x * x

    return f, lambda: count


def test_a_cell_that_the_function_writes_to():
    for _ in range(4):
        f, count = counter()
        gradient = tg.grad(f)
        assert [gradient(3.0) for _ in range(3)] == [6.0, 12.0, 18.0]
        assert count() == 3.0


def test_a_cell_that_a_helper_writes_to():
    def make(k):
        def bump():
            nonlocal k
            k += 1.0

        def f(x):
            before = k * x
            bump()
            return before * k
        return f
    for k in (1.0, 5.0, 7.0, 9.0):
        assert tg.grad(make(k))(3.0) == k * (k + 1.0)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_an_array_that_the_function_writes_to():
    def make(buffer, k):
        def f(x):
            buffer[0] = x * k
            buffer[1] = buffer[0] * x
            return np.sum(buffer)
        return f
    for k in range(5):
        buffer = np.zeros(3) + k
        assert tg.grad(make(buffer, 1.0 + k))(2.0) == 5.0 * (1.0 + k)
        np.testing.assert_array_equal(buffer, [2.0 * (1 + k), 4.0 * (1 + k), k])


def test_recursion_through_a_cell():
    def make(k):
        def power(x, n):
            return k if n == 0 else x * power(x, n - 1)
        return power
    for k in (1.0, 2.0, 3.0, 4.0):
        assert tg.grad(make(k), fallback="error")(2.0, 3) == 12.0 * k


def scaled(factor, offset):
    def layer(inner):
        def outer(x):
            return factor * inner(x) + offset
        return outer
    return layer


def test_functions_in_functions_in_cells():
    def make(k, names):
        f = np.sin
        for n in names:
            f = scaled(k + n, 1.0)(f)
        return f
    for k in range(4):
        for names in ((1,), (1, 2), (3, 1, 2)):
            expected = math.prod(k + n for n in names) * math.cos(0.5)
            assert tg.grad(make(float(k), names))(0.5) == pytest.approx(expected)


def test_other_functions_in_the_same_cell():
    def make(h, k):
        return lambda x: h(x) * k
    functions = [np.sin, np.cos, math.sin, lambda x: x * x, lambda x: x, functools.partial(math.pow, 2.0), abs]
    slopes = [math.cos(2.0), -math.sin(2.0), math.cos(2.0), 4.0, 1.0, 4.0 * math.log(2.0), 1.0]
    for k in (1.0, 2.0):
        for h, slope in zip(functions, slopes):
            assert tg.grad(make(h, k))(2.0) == pytest.approx(k * slope)


def test_defaults_of_a_helper():
    def make(k):
        def helper(x, factor=k, *, shift=k + 1):
            return x * factor + shift * x
        return lambda x: helper(x)
    for k in (1.0, 2.0, 5.0, 7.0):
        assert tg.grad(make(k))(2.0) == 2 * k + 1


def test_defaults_of_a_helper_are_replaced():
    def helper(x, factor=2.0):
        return x * factor

    def make(k):
        return lambda x: helper(x) * k
    for k in range(1, 6):
        helper.__defaults__ = (float(k),)
        assert tg.grad(make(1.0))(2.0) == k


def test_derivatives_in_cells(compilations):
    def newton(k):
        residual = tg.grad(lambda z: k * z ** 3)
        return tg.grad(lambda z: z - residual(z))
    for k in range(1, 8):
        assert newton(float(k))(2.0) == 1.0 - 12.0 * k
    assert compilations() <= 6


def test_one_cell_under_two_names():
    def make(k, same):
        def first(x):
            return k * x
        if same:
            second = first
        else:
            def second(x):
                return (k + 1.0) * x
        return lambda x: first(x) * second(x)
    for k in (1.0, 2.0, 3.0):
        assert tg.grad(make(k, True))(2.0) == 4.0 * k * k
        assert tg.grad(make(k, False))(2.0) == 4.0 * k * (k + 1.0)


class Model:
    power = 2

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x ** self.power


def test_instances_in_cells():
    def make(model, k):
        return lambda x: model(x) * k
    for model in (Model(1.0), Model(2.0)):
        for k in (1.0, 2.0, 3.0):
            assert tg.grad(make(model, k))(3.0) == 6.0 * model.w * k
    model.power = 3
    assert tg.grad(make(model, 1.0))(3.0) == 27.0 * model.w


def test_lists_and_dicts_in_cells():
    def make(params, weights):
        return lambda x: params["w"] * x + weights[0] * x
    for k in (1.0, 2.0, 3.0, 4.0):
        params = {"w": k}
        gradient = tg.grad(make(params, [k, 2.0]))
        assert gradient(2.0) == 2 * k
        params["w"] = 10.0
        assert gradient(2.0) == 10.0 + k


def test_globals_of_the_module(monkeypatch):
    for factor in (2.0, 2.0, 3.0, 4.0):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        assert tg.grad(lambda x, k=1.0: x * FACTOR * k)(1.0) == factor     # noqa: F821


SOURCE = textwrap.dedent("""
    def make(k):
        return lambda x: SCALE * k * x * x
""")


def test_one_code_in_two_modules():
    code = compile(SOURCE, "<made>", "exec")
    import linecache
    linecache.cache["<made>"] = len(SOURCE), None, SOURCE.splitlines(True), "<made>"
    spaces = [{"SCALE": 1.0, "__name__": "first"}, {"SCALE": 10.0, "__name__": "second"}]
    for space in spaces:
        exec(code, space)
    for k in (1.0, 2.0, 3.0):
        assert [tg.grad(space["make"](k))(1.0) for space in spaces] == [2.0 * k, 20.0 * k]


def test_a_module_is_loaded_again(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for factor in (2, 3, 3, 50):
        (tmp_path / "loaded_again.py").write_text(f"def make(k):\n    def f(x):\n        return {factor} * k * x\n    return f\n")
        importlib.invalidate_caches()
        module = importlib.reload(sys.modules["loaded_again"]) if "loaded_again" in sys.modules else importlib.import_module("loaded_again")
        import linecache
        linecache.checkcache()
        assert [tg.grad(module.make(k))(1.0) for k in (1.0, 2.0, 3.0)] == [factor, 2.0 * factor, 3.0 * factor]
        time.sleep(0.01)
    del sys.modules["loaded_again"]


@pytest.mark.parametrize("transformation", ["grad", "value_and_grad", "jacrev", "jacfwd", "hessian", "compile"])
def test_transformations(transformation):
    def make(k, a):
        return lambda x: k * np.sum(a * x ** 3)
    x = np.array([1.0, 2.0])
    for k in range(1, 5):
        a = np.array([1.0, k])
        slope, value = 3 * k * a * x ** 2, k * np.sum(a * x ** 3)
        expected = {"grad": slope, "value_and_grad": (value, slope), "jacrev": slope, "jacfwd": slope,
                    "hessian": np.diag(6 * k * a * x), "compile": value}[transformation]
        for found, wanted in zip(np.atleast_1d(getattr(tg, transformation)(make(float(k), a))(x)) if transformation != "value_and_grad" else
                                 getattr(tg, transformation)(make(float(k), a))(x), np.atleast_1d(expected) if
                                 transformation != "value_and_grad" else expected):
            np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_transformations_at_a_point(compilations):
    def make(k):
        return lambda x: k * x ** 3
    for k in (1.0, 2.0, 3.0, 4.0, 5.0):
        value, pullback = tg.vjp(make(k), 2.0)
        assert (value, pullback(1.0)) == (8.0 * k, (12.0 * k,))
        assert tg.jvp(make(k), (2.0,), (1.0,)) == (8.0 * k, 12.0 * k)
        assert tg.hvp(make(k), (2.0,), (1.0,)) == (12.0 * k,)
        assert tg.linearize(make(k), 2.0)[1](1.0) == 12.0 * k
    assert compilations() <= 16


def test_python_numbers_that_overflow():
    def make(k):
        return lambda x: math.exp(k * x)
    with np.errstate(all="ignore"):
        for k in (1.0, 2.0, 3.0, 1e4):
            gradient = tg.grad(lambda x, f=make(k): np.exp(k * x))
            assert gradient(1.0) == (k * math.exp(k) if k < 700 else math.inf)
            assert tg.vjp(lambda x: math.sqrt(k * x), 0.0)[1](1.0)[0] == math.inf


def test_what_a_shared_variant_shows(tmp_path):
    def make(k, a):
        def f(x):
            """Some sum."""
            return k * np.sum(a * x)
        return f
    gradients = [tg.grad(make(1.0 + k, np.arange(3.0) + k)) for k in range(4)]
    for gradient in gradients:
        gradient(np.ones(3))
    last = gradients[-1]
    assert isinstance(last.variants[0], SharedVariant)
    assert last.source == gradients[1].source
    assert "k_cell.cell_contents" in last.source
    assert last.__doc__ == gradients[0].__doc__
    assert last.ir is not None
    assert "f" in str(last.explain())
    assert last.source_map
    assert [name for name in last.variants[0].types] == ["x"]
    again = pickle.loads(pickle.dumps(tg.grad(np.sum)))
    assert again is not None


def test_names_and_documentation_belong_to_each_function():
    def make(k):
        def f(x):
            return k * x
        return f
    first, second = make(1.0), make(2.0)
    second.__name__ = second.__qualname__ = "other"
    second.__doc__ = "Another one."
    assert tg.grad(first).__name__ == "grad_f"
    assert tg.grad(second).__name__ == "grad_other"
    assert "Another one." in tg.grad(second).__doc__
    third = make(3.0)
    third.__kwdefaults__ = None
    third.__defaults__ = (2.0,)
    assert tg.grad(third)() == 3.0
    fourth = make(4.0)
    fourth.__annotations__ = {"x": float}
    assert tg.grad(fourth).__annotations__ == {"x": float}
    assert tg.grad(first)(1.0) == 1.0


def test_the_same_derivative_while_it_lives():
    f = quadratic(1.0, np.ones(2))
    gradient = tg.grad(f)
    assert tg.grad(f) is gradient
    assert tg.grad(f, argnums=(0,)) is not gradient


def test_nothing_is_kept_alive():
    held = []

    def run(k):
        a, model = np.arange(5.0) + k, Model(1.0 + k)
        f = lambda x: np.sum(a * x) * model.w
        held.extend(map(weakref.ref, (a, model, f)))
        tg.grad(f)(np.ones(5))
        tg.vjp(f, np.ones(5))[1](1.0)
        tg.jvp(f, (np.ones(5),), (np.ones(5),))

    for k in range(5):
        run(float(k))
    gc.collect()
    assert [ref() for ref in held] == [None] * len(held)


def test_code_is_not_kept_alive():
    linecache = importlib.import_module("linecache")
    text = "def make(k):\n    return lambda x: k * x * x\n"
    linecache.cache["<short lived>"] = len(text), None, text.splitlines(True), "<short lived>"
    space = {}
    exec(compile(text, "<short lived>", "exec"), space)
    for k in (1.0, 2.0, 3.0):
        f = space["make"](k)
        tg.grad(f)(1.0)
    code = weakref.ref(f.__code__)
    del f, space
    gc.collect()
    assert code() is None


def test_without_the_optimization(compilations):
    def make(k):
        return lambda x: k * x * x
    for k in range(1, 5):
        assert tg.grad(make(float(k)), optimize={"closures": False})(1.0) == 2.0 * k
    assert compilations() == 4


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_functions_on_the_tape(compilations):
    def make(k):
        return lambda x: eval("k * x * x", {"k": k, "x": x})
    f = make(2.0)
    for _ in range(3):
        assert tg.grad(f)(1.0) == 4.0
    assert compilations() <= 2
    assert tg.grad(make(3.0))(1.0) == 6.0


@pytest.mark.parametrize("options", [{"out_axes": 1}, {"in_axes": 1}, {"in_axes": (1,), "axis_size": 3}])
def test_axes_of_batches_belong_to_the_transformation(options):
    def made(scale):
        return lambda x: [scale * x, x]

    x = np.arange(9.0).reshape(3, 3)
    for scale in (2.0, 3.0, 4.0):
        tg.vmap(made(scale))(x)
        found = tg.vmap(made(scale), **options)(x)
        expected = [scale * x, x]
        if ("in_axes" in options) != ("out_axes" in options):
            expected = [e.T for e in expected]
        for a, b in zip(found, expected):
            np.testing.assert_array_equal(a, b)
