"""Exported modules: what they define, import and copy, and what cannot be written down."""
from __future__ import annotations

import dataclasses
import math
from math import hypot

import numpy as np
import pytest

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


@pytest.mark.parametrize("obj, message", [
    (closure_of(2.0), "closure"), (object(), "cannot be written into a module as text"), (np.array(["x"]), "as text"),
])
def test_what_cannot_be_written(obj, message):
    with pytest.raises(tg.TransgradError, match=message):
        text_with(thing=obj)


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
    with pytest.raises(tg.TransgradError, match="two different things are called 'OFFSET'"):
        text_with(inner=inner, other=space["other"])
