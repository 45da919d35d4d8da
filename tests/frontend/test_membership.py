"""``in`` compares by equality, also a tuple known when compiling with one that is computed: ``x.shape in [(), (n,)]``."""
from __future__ import annotations

import enum
import linecache
from typing import Any

import numpy as np
import pytest

import transgrad as tg


class Color(enum.Enum):
    RED = 1
    BLUE = 2


EXPRESSIONS = [
    "x.shape in [(), (1,)]", "x.shape in ((), (np.size(x),))", "() in [(), (np.size(x),)]", "(1,) in [(), (np.size(x),)]",
    "[] in [[], [np.size(x)]]", "[1] in [[], (1,)]", "(np.size(x),) in [(1,)]", "(np.size(x), 2) in [(1,), (1, 2), (3, 2)]",
    "x.shape not in [(), (np.size(x),)]", "np.zeros(3).shape in [(), (3,)]", "'a' in ['b', 'a']", "None in [None, x]", "None in [2, 'a']",
    "2 in [1.0, 2.0]", "True in [1]", "x.ndim in (0, 1)", "Color.RED in [Color.BLUE, Color.RED]", "Color.RED in [Color.BLUE, 1]",
    "np.sin in [np.cos, np.sin]", "np.sin in [np.cos]", "'a' in {'b': 1}", "x.shape in {(), (2,)}", "x.shape in {(): 1, (3,): 2}",
    "((), 1) in [((), 1)]", "[(1,), np.size(x)] in [[(1,), 1], [(1,), 3]]", "[(), (np.size(x),)].index(x.shape) == 1",
    "[(), (np.size(x),)].count(x.shape) == 1", "'x' in [x.dtype.name, 1]", "x.dtype in [np.float32, np.float64]",
]


@pytest.mark.parametrize("x", [np.float64(2.0), np.array(2.0), np.array([2.0]), np.array([2.0, 3.0, 1.0])], ids=["scalar", "0-d", "one", "three"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_as_in_python(expression: str, x: Any) -> None:
    text = f"def f(x):\n    return np.sum(x * x) if {expression} else np.sum(x * 3.0)\n"
    name = f"<{expression}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"np": np, "Color": Color}
    exec(compile(text, name, "exec"), scope)
    f = scope["f"]
    try:
        want = f(x)
    except ValueError:      # not in the list
        with pytest.raises(ValueError):
            tg.grad(f, fallback="error")(x)
        return
    value, gradient = tg.value_and_grad(f, fallback="error")(x)
    assert value == want
    np.testing.assert_array_equal(gradient, 2.0 * x if want == np.sum(x * x) and want != np.sum(x * 3.0) else np.full(np.shape(x), 3.0))


@pytest.mark.parametrize("expression", ["None in [x]", "'a' in [x, 2]", "x in [2.0]", "[x] == [2.0]", "(x, 1) == (2.0, 1)"])
def test_the_truth_of_an_array_is_an_error(expression: str) -> None:
    """An array is compared element by element, as by ``==``."""
    text = f"def f(x):\n    return np.sum(x * x) if {expression} else np.sum(x * 3.0)\n"
    name = f"<{expression} of an array>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), scope)
    x = np.array([2.0, 3.0])
    for g in (scope["f"], tg.grad(scope["f"])):
        with pytest.raises((ValueError, tg.TransgradError)):
            g(x)
