"""Exported modules: what they define, import and copy, and what cannot be written down."""
from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import math
import re
import threading
import types
from math import hypot

import numpy as np
import pytest
import scipy.stats

import transgrad
import transgrad as tg
from transgrad.emit import Module
from transgrad.ir.ops import Block, Function
from transgrad.transforms.export import module_text
from transgrad.transforms.variants import Variant

WEIGHTS = np.array([1.0, np.nan, np.inf])
OFFSET = 0.5


@dataclasses.dataclass
class Pair:
    left: float
    right: float = OFFSET


def inner(x):
    return x * OFFSET


def outer(x, *, scale=math.pi):
    """Calls another helper."""
    total = [inner(y) for y in (x, scale)]
    return sum(total)


def closure_of(a):
    def f(x):
        return a * x
    return f


def text_with(**names):
    """The module for a variant that refers to these names."""
    text = f"def f():\n    return ({''.join(n + ', ' for n in names)})\n"
    variant = Variant(Function("f", Block()), Module(text, names, "f"), lambda: None, {})
    return module_text(variant, standalone=True)


def values_of(**names):
    space: dict[str, object] = {}
    exec(text_with(**names), space)
    return space["f"]()


def test_constants():
    numbers = {"a": 1.5, "b": -2, "c": True, "d": None, "e": "text", "g": 1j, "h": (1.0, [2, {"k": (3,)}]), "i": frozenset({1}), "j": set(),
               "k": (), "l": b"x", "m": {1, 2}}
    assert values_of(**numbers) == tuple(numbers.values())


def test_floats_that_are_not_finite():
    a, b, c = values_of(a=float("inf"), b=-math.inf, c=np.float32("nan"))
    assert (a, b) == (math.inf, -math.inf) and math.isnan(c) and type(c) is np.float32


def test_arrays():
    arrays = {"a": WEIGHTS, "b": np.arange(6, dtype=np.int32).reshape(2, 3), "c": np.zeros((0, 3)), "d": np.array([True]),
              "e": np.array([1 + 2j, 0.1], np.complex64), "g": np.random.default_rng(0).normal(size=1500), "h": np.array(2.5), "i": np.float32(0.1)}
    for found, expected in zip(values_of(**arrays), arrays.values(), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_modules_and_what_is_in_them():
    text = text_with(np=np, m=math, hypot=hypot, root=math.sqrt, sin=np.sin, norm=np.linalg.norm, loads=__import__("json").loads, int=int)
    assert "import math as m" in text and "from math import hypot" in text and "from numpy import sin" in text
    assert "from json import loads" in text and "from math import sqrt as root" in text and "int" not in text.split("def f")[0].split()


def test_helpers_are_copied_with_what_they_use():
    space: dict[str, object] = {}
    exec(text_with(outer=outer, short=inner, Pair=Pair), space)
    assert space["outer"](2.0) == outer(2.0) and space["short"](2.0) == 1.0 and space["Pair"](1.0).right == 0.5
    text = text_with(outer=outer)
    assert text.index("OFFSET = 0.5") < text.index("def inner") < text.index("def outer")


def test_helpers_are_imported_when_asked(tmp_path):
    g = tg.grad(lambda x: outer(x) * x)
    g(1.0)
    text = g.export(tmp_path / "g.py", standalone=False).read_text()
    assert f"from {__name__} import" in text and "def inner(" not in text


def test_closures_are_written_with_what_they_hold():
    f = closure_of(closure_of(2.0))
    f.__closure__[0].cell_contents = 3.0
    assert values_of(held=f)[0](2.0) == 6.0

    def outer(n):
        def power(x, k=n):
            return 1.0 if k == 0 else x * power(x, k - 1)
        return power
    assert values_of(power=outer(3))[0](2.0) == 8.0
    text = text_with(held=closure_of(2.0))
    assert "def _make_held(a):" in text and "held = _make_held(2.0)" in text


class Scale:
    """An object of the user's."""

    def __init__(self, by):
        self.by = by
        self.table = np.array([by, 2.0 * by])

    def __call__(self, x):
        return self.by * x + self.table[1]


class Kind(enum.Enum):
    LEFT = 1


Point = collections.namedtuple("Point", "x y", defaults=(2.0,))


@functools.lru_cache(maxsize=None)
def binom(n, k):
    return 1 if k in (0, n) else binom(n - 1, k - 1) + binom(n - 1, k)


def wrapped(f):
    @functools.wraps(f)
    def run(*args):
        return 2.0 * f(*args)
    return run


@wrapped
def decorated(x):
    return x + OFFSET


@pytest.mark.parametrize("obj, use", [
    (Scale(3.0), lambda s: s(1.0)), (Scale(3.0).__call__, lambda f: f(2.0)), (Kind.LEFT, lambda k: k.value),
    (Point(1.0), tuple), (binom, lambda f: (f(6, 3), f.cache_info().hits > 0)), (decorated, lambda f: f(1.0)),
    (functools.partial(outer, scale=2.0), lambda f: f(1.0)), (np.dtype("f4"), str), (np.array(["x", "yz"]), list),
    (types.SimpleNamespace(a=1), vars), (np.random.default_rng(3), lambda rng: rng.normal()), (lambda x: x + OFFSET, lambda f: f(1.0)),
    (scipy.stats.norm, lambda d: d.cdf(0.3)), (scipy.stats.gamma(2.0), lambda d: d.pdf(0.7)), ({"f": inner, "k": (1, [Point])}, lambda d: d["f"](2.0)),
], ids=["instance", "method", "enum", "namedtuple", "cached", "decorated", "partial", "dtype", "strings", "namespace", "generator", "lambda",
        "distribution", "frozen", "table"])
def test_objects(obj, use):
    expected = use(copy.deepcopy(obj) if isinstance(obj, np.random.Generator) else obj)
    found = use(values_of(thing=obj)[0])
    assert found == expected


def test_objects_are_imported_when_they_are_not_copied():
    variant = Variant(Function("f", Block()), Module("def f():\n    return Point\n", {"Point": Point, "s": Scale(1.0)}, "f"), lambda: None, {})
    text = module_text(variant, standalone=False)
    assert f"from {__name__} import Point" in text and f"from {__name__} import Scale" in text


@pytest.mark.parametrize("obj", [threading.Lock(), (x for x in ()), open(__file__)], ids=["lock", "generator", "file"])
def test_what_cannot_be_written(obj):
    with pytest.raises(tg.TransgradError, match="thing is .* cannot be written as a Python expression"):
        text_with(thing=obj)


def test_an_object_that_holds_itself():
    held = [1]
    held.append(held)
    with pytest.raises(tg.TransgradError, match="contains itself"):
        text_with(thing=held)


def test_helper_without_source():
    space: dict[str, object] = {"__name__": "somewhere"}
    exec("def bare(x):\n    return x\n", space)
    with pytest.raises(tg.TransgradError, match="source of bare cannot be found"):
        text_with(bare=space["bare"])


def test_two_things_of_one_name():
    space: dict[str, object] = {"OFFSET": 7.0}
    import linecache
    source = "def other(x):\n    return x + OFFSET\n"
    linecache.cache["<other>"] = (len(source), None, source.splitlines(True), "<other>")
    exec(compile(source, "<other>", "exec"), space)
    space["other"].__module__ = "somewhere"
    own, theirs = values_of(inner=inner, other=space["other"])
    assert own(2.0) == 2.0 * OFFSET and theirs(2.0) == 9.0


def grad_of(f, *args, tmp_path, **options):
    """The exported gradient as a function."""
    g = tg.grad(f, **options)
    g(*args)
    space: dict[str, object] = {"__name__": "exported"}
    exec(g.export(tmp_path / "exported.py").read_text(), space)
    return g, space[g.__name__]


def quotients(x):
    s = 0.0
    for k in range(3):
        s += x[k] / x[k + 1]
    return s


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_results_where_python_raises_and_numpy_does_not(tmp_path):
    g, exported = grad_of(quotients, np.arange(1.0, 5.0), tmp_path=tmp_path)
    for x in (np.arange(1.0, 5.0), np.array([1.0, 0.0, 0.0, 1.0])):
        np.testing.assert_array_equal(exported(x), g(x))


def written(x, y, mode="sum"):
    x[0] = y[1]
    return np.sum(x * y) if mode == "sum" else np.prod(x)


def nested(p):
    return p["a"][0] * np.sum(p["b"])


@pytest.mark.parametrize("f, good, bad, message", [
    (lambda x: np.sum(x), (np.ones(3),), (np.ones((3, 2)),), "x: expected float64[n]"),
    (lambda x: np.sum(x), (np.ones(3),), (np.ones(1),), "x: expected float64[n]"),
    (lambda x: np.sum(x), (np.ones(3),), (np.ones(3, np.float32),), "x: expected float64[n]"),
    (lambda x, n: np.sum(x) * n, (np.ones(3), 2), (np.ones(3), 2.0), "n: expected int"),
    (written, (np.ones(3), np.ones(3), "sum"), (np.ones(3), np.ones(3), "prod"), "mode: expected 'sum'"),
    (nested, ({"a": [2.0, 1.0], "b": np.ones(2)},), ({"a": [2.0, 1.0]},), "p: expected"),
], ids=["dimensions", "unit", "dtype", "kind", "option", "structure"])
def test_guards_are_assertions(f, good, bad, message, tmp_path):
    g, exported = grad_of(f, *copy.deepcopy(good), tmp_path=tmp_path)
    for a, b in zip(transgrad.tree.flatten(exported(*copy.deepcopy(good)))[0], transgrad.tree.flatten(g(*copy.deepcopy(good)))[0], strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(AssertionError, match=re.escape(message)):
        exported(*bad)


def test_arguments_that_share_memory(tmp_path):
    x = np.ones(4)
    _, exported = grad_of(written, x[:3].copy(), x[1:].copy(), tmp_path=tmp_path)
    with pytest.raises(AssertionError, match="share memory"):
        exported(x[:3], x[1:])


@pytest.mark.parametrize("make", [
    lambda f: tg.jacobian(f), lambda f: tg.hessian(f), lambda f: tg.vmap(tg.grad(f)), lambda f: tg.value_and_grad(f), lambda f: tg.compile(f),
    lambda f: tg.grad(tg.grad(f)),
], ids=["jacobian", "hessian", "vmap", "value_and_grad", "compile", "second"])
def test_every_transformation(make, tmp_path):
    def f(x):
        return np.sum(np.sin(x) * np.cumsum(x)) if np.ndim(x) else math.sin(x) * x ** 3
    g = make(f)
    x = np.linspace(0.1, 1.0, 4) if "Vmapped" not in type(g).__name__ else np.linspace(0.1, 1.0, 12).reshape(3, 4)
    if "grad_grad" in g.__name__:
        x = 0.3
    expected = g(x)
    space: dict[str, object] = {}
    exec(g.export(tmp_path / "g.py").read_text(), space)
    for a, b in zip(transgrad.tree.flatten(space[g.__name__](x))[0], transgrad.tree.flatten(expected)[0], strict=True):
        np.testing.assert_array_equal(a, b)
