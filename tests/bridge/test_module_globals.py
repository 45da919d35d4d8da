"""A global variable is one, whatever names its module: an assignment by any way is seen by every other."""
from __future__ import annotations

import importlib
import sys
import warnings

import numpy as np
import pytest

import transgrad as tg

G = 1.0


def by_item(x):
    m = sys.modules[__name__]
    m.G = x * 3.0
    return G * x + sys.modules[__name__].G


def by_item_and_name(x):
    sys.modules[__name__].G = x * 3.0
    return G * x


def by_import(x):
    m = importlib.import_module(__name__)
    m.G = x * 3.0
    return m.G * x + G


def by_globals(x):
    globals()["G"] = x * 3.0
    return globals()["G"] * x + globals().get("G") + G


def by_setattr(x):
    m = importlib.import_module(__name__)
    setattr(m, "G", x * 3.0)
    return vars(m)["G"] * x + G + m.__dict__["G"]


def by_statement(x):
    global G
    G = x * 3.0
    return importlib.import_module(__name__).G * x + sys.modules.get(__name__).G + vars(sys.modules[__name__])["G"]


def by_both(x):
    global G
    m = importlib.import_module(__name__)
    G = x * 3.0
    m.G = x * 5.0
    return G * x


def by_both_in_turn(x):
    global G
    m = sys.modules[__name__]
    m.G = x * 5.0
    G = x * 3.0
    return m.G * x + m.__dict__["G"] + dict(globals().items())["G"]


LIBRARIES = {"numpy": np}


def of_a_table(x):
    return LIBRARIES["numpy"].sin(x) * x


@pytest.mark.parametrize("f", [by_item, by_item_and_name, by_import, by_globals, by_setattr, by_statement, by_both, by_both_in_turn])
@pytest.mark.parametrize("mode", ["reverse", "forward", "second"])
def test_every_way_to_assign_is_seen_by_every_way_to_read(f, mode):
    global G

    def value(x):
        global G
        G = 1.0
        return f(x)
    h = 1e-3
    up, middle, down = value(1.3 + h), value(1.3), value(1.3 - h)      # of polynomials of degree 2
    G = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        if mode == "reverse":
            found = tg.grad(f)(1.3)
        elif mode == "forward":
            found = tg.jvp(f, (1.3,), (1.0,))[1]
        else:
            found = tg.grad(tg.grad(f))(1.3)
    expected = (up - 2.0 * middle + down) / h ** 2 if mode == "second" else (up - down) / (2.0 * h)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert type(G) is float
    assert G == (6.5 if f is by_both else 1.3 * 3.0)


def test_a_module_in_a_table_is_known_when_compiling():
    g = tg.grad(of_a_table, fallback="error")
    np.testing.assert_allclose(g(0.7), np.cos(0.7) * 0.7 + np.sin(0.7))


def fails(x):
    global G
    G = x * 3.0
    raise LookupError("after the assignment")


def test_what_was_assigned_before_an_exception_stays():
    global G
    G = 1.0
    with pytest.raises(LookupError):
        tg.grad(fails)(1.3)
    assert type(G) is float
    assert G == 1.3 * 3.0
