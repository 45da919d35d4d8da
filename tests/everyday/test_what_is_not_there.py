"""Attributes that are not there yet: of functions, of instances whose class has a default, and of what is asked by hasattr or try.

The oracle is the function itself: of each, which is linear in x, the derivative is f(1) - f(0), and it runs twice, for some keep a
number between the calls.
"""
from __future__ import annotations

from typing import Any

import pytest

import transgrad as tg
from transgrad.errors import UnsupportedSyntax


class Plain:
    pass


class Default:
    k = 5.0
    table = None

    def add(self, x: float) -> None:
        for _ in range(3):
            self.k = self.k + x


def make_counted() -> Any:
    def counted(x):
        counted.calls += 1
        return x * counted.calls
    counted.calls = 0
    return counted


def make_static() -> Any:
    def static(x):
        if not hasattr(static, "n"):
            static.n = 3.0
        else:
            static.n = static.n * 2.0
        return x * static.n
    return static


def make_lazy() -> Any:
    def current():
        try:
            current.found
        except AttributeError:
            set_up()
        return current.found

    def set_up():
        current.found = 4.0

    return lambda x: x * current() + x * current()


def make_lazy_instance() -> Any:
    held = Plain()

    def f(x):
        if getattr(held, "scale", None) is None:
            held.scale = 2.0
        return x * held.scale
    return f


def make_default_written() -> Any:
    held = Default()

    def f(x):
        held.k += 2.0
        return x * held.k
    return f


def make_written_then_asked() -> Any:
    held = Plain()

    def f(x):
        held.n = 2.0
        return x * (3.0 if hasattr(held, "n") else 1.0)
    return f


def in_a_loop(x):
    c = Default()
    s = 0.0
    for _ in range(3):
        s = s + c.k * x
        c.k = 2.0
    return s


def on_one_path(x):
    c = Default()
    if x < 0:
        c.k = 1.0
    return x * c.k


def in_a_loop_that_may_not_run(x):
    c = Default()
    for _ in range(int(x) - 1):
        c.k = 2.0
    return c.k * x


def by_a_method(x):
    c = Default()
    c.add(x)
    return c.k


def of_a_local_class(x):
    class Doubling:
        k = 1.0

        def bump(self):
            if self.k > 0:
                self.k = self.k * 2
    c = Doubling()
    for _ in range(2):
        c.bump()
    return c.k * x


def in_a_table(x):
    c = Default()
    if c.table is None:
        c.table = {"a": 2.0}
    return x * c.table["a"]


MAKERS = [make_counted, make_static, make_lazy, make_lazy_instance, make_default_written, make_written_then_asked,
          *((lambda f=f: f) for f in (in_a_loop, on_one_path, in_a_loop_that_may_not_run, by_a_method, of_a_local_class, in_a_table))]


@pytest.mark.parametrize("make", MAKERS)
def test_compiled(make):
    f, at = make(), make()      # each with a number of its own
    zero = make()
    compiled = tg.value_and_grad(f, fallback="error")
    for _ in range(3):
        value = at(1.0)
        assert compiled(1.0) == (value, value - zero(0.0))


def maybe_asked(x):
    c = Plain()
    if x < 0:
        c.v = 1.0
    return x * (2.0 if hasattr(c, "v") else 3.0)


def maybe_looked_for(x):
    c = Plain()
    if x < 0:
        c.v = 1.0
    return x * getattr(c, "v", 3.0)


def maybe_tried(x):
    c = Plain()
    if x < 0:
        c.v = 1.0
    try:
        y = c.v
    except AttributeError:
        y = 3.0
    return x * y


def maybe_a_name(x):
    if x < 0:
        v = 1.0
    try:
        y = v
    except NameError:
        y = 3.0
    return x * y


def maybe_of_an_argument(x, c):
    if x < 0:
        c.v = 1.0
    return x * (2.0 if hasattr(c, "v") else 3.0)


@pytest.mark.parametrize("f", [maybe_asked, maybe_looked_for])
@pytest.mark.parametrize("x", [-2.0, 2.0])
def test_an_attribute_that_some_paths_set(f, x):
    assert tg.value_and_grad(f, fallback="error")(x) == (f(x), f(x) / x)


@pytest.mark.parametrize("f, more", [(maybe_a_name, ()), (maybe_of_an_argument, (Plain(),))])
def test_what_depends_on_the_path_is_refused(f, more):
    with pytest.raises(UnsupportedSyntax, match="depends on the path"):
        tg.grad(f, fallback="error")(1.0, *more)
    with pytest.warns(tg.TapeFallbackWarning):
        assert tg.grad(f)(1.0, *more) == 3.0


def test_an_attribute_that_one_path_makes_is_looked_for_when_it_runs():
    assert [tg.grad(maybe_tried, fallback="error")(x) for x in (1.0, -1.0)] == [3.0, 1.0]


def test_what_is_there_on_each_path():
    def f(x):
        c = Plain()
        if x < 0:
            c.v = x * 2.0
        else:
            c.v = x * 3.0
        try:
            return c.v + getattr(c, "v", 0.0) if hasattr(c, "v") else x
        except AttributeError:
            return x
    assert tg.grad(f, fallback="error")(1.0) == 6.0
