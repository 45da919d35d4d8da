"""Objects from outside of the function that change while it runs: by its own writes, and by calls of which nothing is known."""
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import UnsupportedSyntax

W = np.array([1.0, 2.0, 3.0])
VIEW = W[1:]
FACTOR = 2.0
MODE = "a"
SETTINGS = {"mode": "a"}
FUNCTIONS = [np.sin]
PARTS = [(1, "b"), (2, "a")]


def refused():
    """What the compiler cannot take: the sort is by keys that are no numbers."""
    PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))
    return len(PARTS)


class Box:
    def __init__(self):
        self.a, self.n, self.v, self.mode, self.function = 1.0, 0, np.ones(3), "a", np.sin

    def change(self):
        PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))
        self.a, self.n, self.mode, self.function = 5.0, self.n + 1, "b", np.cos
        self.v[:] = 4.0
        return self.n

    def through(self):
        return self.change()

    def count(self):
        return refused()


BOX = Box()


def overwrite(w):
    PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))
    w[:] = 7.0


def overwrite_global():
    PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))
    W[:] = 7.0


def overwrite_inner(held):
    PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))
    held[0][:] = 4.0


def change_settings():
    global FACTOR, MODE
    PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))
    FACTOR, MODE, SETTINGS["mode"], FUNCTIONS[0] = 9.0, "b", "b", np.cos


def writes_itself(x):
    y = (x * W).sum()
    W[:] = 7.0
    return y


def writes_a_view(x):
    y = (x * W).sum()
    VIEW[:] = 7.0
    return y * x


def writes_in_a_helper(x):
    y = (x * W).sum()
    _write()
    return y


def _write():
    W[:] = 7.0


def helper_overwrites(x):
    y = (x * W).sum()
    overwrite_global()
    return y * (x * W).sum()


def helper_overwrites_what_it_is_given(x):
    y = (x * W).sum()
    overwrite(W)
    return y


def helper_overwrites_a_local(x):
    w = np.array([1.0, 2.0, 3.0])
    y = (x * w).sum()
    overwrite(w)
    return y * (x * w).sum()


def helper_overwrites_in_a_list(x):
    w = np.ones(3)
    held = [w]
    y = (x * w).sum()
    overwrite_inner(held)
    return y * (x * w).sum()


def helper_overwrites_in_a_display(x):
    held = {0: np.ones(3)}
    y = (x * held[0]).sum()
    overwrite_inner(held)
    return y * y


def attribute_by_a_method(x):
    y = (x * BOX.v).sum() * BOX.a
    BOX.change()
    return y * (x * BOX.v).sum() * BOX.a


def attribute_by_a_method_of_a_method(x):
    y = (x * BOX.v).sum()
    BOX.through()
    return y * (x * BOX.v).sum()


def attribute_after_a_write(x):
    BOX.a = 3.0
    BOX.change()
    return BOX.a * x


def number_after_a_write(x):
    BOX.n = 0
    BOX.change()
    return BOX.n * x


def attribute_in_a_loop(x):
    y = 0.0
    for _ in range(3):
        y = y + x * BOX.a
        BOX.change()
    return y * x


def result_of_a_method(x):
    return x**BOX.count()


def display_as_an_argument(x):
    y = x * 3
    overwrite_inner([np.ones(2)])
    return y * y


@pytest.fixture(autouse=True)
def as_at_first():
    _reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        yield
    _reset()


def _reset():
    global BOX, FACTOR, MODE
    W[:] = 1.0, 2.0, 3.0
    BOX, FACTOR, MODE, SETTINGS["mode"], FUNCTIONS[0] = Box(), 2.0, "a", "a", np.sin


RIGHT = (writes_itself, writes_a_view, writes_in_a_helper, helper_overwrites, helper_overwrites_what_it_is_given,
         helper_overwrites_a_local, helper_overwrites_in_a_list, helper_overwrites_in_a_display, attribute_by_a_method,
         attribute_by_a_method_of_a_method, attribute_after_a_write, number_after_a_write, attribute_in_a_loop, result_of_a_method,
         display_as_an_argument)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_what_the_reverse_part_reads_is_what_was_there(f, optimize):
    got = tg.grad(f, fallback="error", optimize=optimize)(1.5)
    _reset()
    above = f(1.5 + 1e-6)
    _reset()
    below = f(1.5 - 1e-6)
    np.testing.assert_allclose(got, (above - below) / 2e-6, rtol=1e-7)


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_tangents_too(f):
    value, got = tg.jvp(f, (1.5,), (1.0,))
    _reset()
    assert value == f(1.5)
    _reset()
    assert got == pytest.approx(tg.grad(f, fallback="error")(1.5))


def test_an_argument_that_a_call_overwrites():
    def f(x, w):
        y = (x * w).sum()
        overwrite(w)
        return y
    assert tg.grad(f, fallback="error")(1.5, np.array([1.0, 2.0, 3.0])) == 6.0

    def g(x, held):
        y = (x * held[0]).sum()
        overwrite_inner(held)
        return y
    assert tg.grad(g, fallback="error")(1.5, {0: np.ones(3)}) == 3.0


def branch_by_a_global(x):
    change_settings()
    return x if MODE == "a" else x**2


def factor_of_a_global(x):
    change_settings()
    return FACTOR * x


def branch_by_an_item(x):
    change_settings()
    return x if SETTINGS["mode"] == "a" else x**2


def function_in_a_list(x):
    change_settings()
    return FUNCTIONS[0](x)


def branch_by_an_attribute(x):
    BOX.change()
    return x if BOX.mode == "a" else x**2


def function_in_an_attribute(x):
    BOX.change()
    return BOX.function(x)


def later_turns(x):
    for _ in range(3):
        x = x * FACTOR
        change_settings()
    return x


@pytest.mark.parametrize("f", [branch_by_a_global, factor_of_a_global, branch_by_an_item, function_in_a_list, branch_by_an_attribute,
                               function_in_an_attribute, later_turns], ids=lambda f: f.__name__)
def test_settings_that_a_call_changes_are_noticed(f):
    with pytest.raises(RuntimeError, match="known when the derivative was compiled, and a call in between has made it"):
        tg.grad(f, fallback="error")(1.5)


def test_settings_of_an_argument():
    def f(x, box):
        box.change()
        return x if box.mode == "a" else x**2
    with pytest.raises(RuntimeError, match="'a' was known"):
        tg.grad(f, fallback="error")(1.5, Box())


def test_settings_that_stay():
    def f(x):
        refused()
        return x * FACTOR if MODE == "a" else x
    derivative = tg.grad(f, fallback="error")
    assert derivative(1.5) == 2.0
    assert "unchanged" in derivative.source


def test_an_attribute_with_a_derivative_behind_a_call():
    def f(x):
        BOX.a = x
        BOX.change()
        return BOX.a * x
    with pytest.raises(UnsupportedSyntax, match="the attribute 'a' of an object from outside the function holds a differentiated value"):
        tg.grad(f, fallback="error")(1.5)


def test_a_refused_attempt_leaves_nothing_behind():
    """The display that the refused helper is given has become a value between older operations, which stay."""
    def f(x):
        held = {0: np.ones(3)}
        w = [1.0, 2.0]
        y = (x * held[0]).sum() * w[0]
        overwrite_inner(held)
        return y * w[1]
    assert tg.grad(f, fallback="error")(1.5) == 6.0


def test_a_short_loop_whose_turns_are_of_different_kinds():
    """A decorator that looks at its arguments one by one (the loop is written out)."""
    def f(x, y):
        return _scaled(x, 3.0, y)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(1.5, np.arange(3.0)), 3 * 3.0)


class _Quantity:
    def __init__(self, value):
        self.value = value


def _plain(function):
    def wrapper(*args):
        new = ()
        for k in range(len(args)):
            new = (*new, args[k].value if isinstance(args[k], _Quantity) else args[k])
        return function(*new)
    return wrapper


@_plain
def _scaled(x, factor, y):
    return np.sum(x * factor * y)


def test_parts_of_what_may_be_a_number():
    """Which of both ``r`` is, only a run tells: the tape takes it."""
    def roots(b):
        d = b * b - 1.2
        return [complex(-b / 2)] if d < 0 else [(d**0.5 - b) / 2, None]

    def f(x):
        return sum(r.real**2 for r in roots(x) if r is not None)
    with pytest.raises(UnsupportedSyntax, match="the type of what has the attribute 'real' is not known"):
        tg.grad(f, fallback="error")(3.0)
    assert tg.grad(f)(3.0) == pytest.approx((f(3.0 + 1e-6) - f(3.0 - 1e-6)) / 2e-6)
