"""Facts from outside of the arguments' types are checked at each call: what changes is compiled anew."""
from __future__ import annotations

import dataclasses
import sys
import types

import numpy as np
import pytest

import transgrad as tg
from transgrad.ir.types import Arr, Dim, Num
from transgrad.transforms.guards import Guards

TABLE = {"scale": 2.0, "mode": "double"}
LIMITS = [1.0, 2.0]


class Settings:
    power = 2.0
    weight = 3.0


SETTINGS = Settings()


def by_table(x):
    if TABLE["mode"] == "double":
        return x * 2.0
    return x * TABLE["scale"]


def by_membership(x):
    if "extra" in TABLE:
        return x * 5.0
    return x


def by_object(x):
    return SETTINGS.weight * x ** SETTINGS.power


def test_table(monkeypatch):
    g = tg.grad(by_table)
    assert g(1.0) == 2.0
    monkeypatch.setitem(TABLE, "mode", "table")
    monkeypatch.setitem(TABLE, "scale", 7.0)
    assert g(1.0) == 7.0
    monkeypatch.setitem(TABLE, "scale", 9.0)
    assert g(1.0) == 9.0


def test_membership(monkeypatch):
    g = tg.grad(by_membership)
    assert g(1.0) == 1.0
    monkeypatch.setitem(TABLE, "extra", 1)
    assert g(1.0) == 5.0


def test_attributes_of_objects(monkeypatch):
    g = tg.grad(by_object)
    assert g(2.0) == 12.0
    monkeypatch.setattr(SETTINGS, "weight", 5.0)
    assert g(2.0) == 20.0
    monkeypatch.setattr(SETTINGS, "weight", np.array([1.0, 2.0]))
    with pytest.raises(TypeError, match="shape"):
        g(2.0)


@dataclasses.dataclass
class Options:
    kind: str = "square"
    factor: float = 1.0


def by_argument(x, options):
    return options.factor * (x * x if options.kind == "square" else x ** 3)


def test_attributes_of_arguments():
    g = tg.grad(by_argument)
    assert g(2.0, Options()) == 4.0 and g(2.0, Options("cube")) == 12.0 and g(2.0, options=Options("square", 3.0)) == 12.0
    assert g(2.0, Options("cube", 2.0)) == 24.0


class Plain:
    def __init__(self, scale):
        self.scale = scale


def test_attributes_of_plain_objects_that_change_type():
    g = tg.grad(lambda x, p: np.sum(p.scale * x))
    assert g(2.0, Plain(3.0)) == 3.0
    np.testing.assert_allclose(g(2.0, Plain(np.array([1.0, 2.0]))), 3.0)
    np.testing.assert_allclose(g(2.0, Plain(4.0)), 4.0)


def test_optional_attribute():
    def f(x, p):
        return x * p.extra if hasattr(p, "extra") else x
    g = tg.grad(f)
    p, q = Plain(1.0), Plain(1.0)
    q.extra = 3.0
    assert g(2.0, p) == 1.0 and g(2.0, q) == 3.0 and g(2.0, p) == 1.0


class Narrow(Settings):
    pass


NARROW = Narrow()


def helper():
    pass


def by_absence(read):
    def f(x):
        try:
            return x * read()
        except (AttributeError, NameError):
            return x * 5.0
    return f


MODULE = types.ModuleType("a module of the user's")


@pytest.mark.parametrize("read, where", [
    (lambda: helper.scale, helper), (lambda: SETTINGS.scale, SETTINGS), (lambda: Settings.scale, Settings), (lambda: MODULE.scale, MODULE),
    (lambda: NARROW.scale, Narrow), (lambda: scale, sys.modules[__name__]),     # type: ignore[name-defined]  # noqa: F821
])
def test_what_was_not_there(read, where, monkeypatch):
    g = tg.grad(by_absence(read), fallback="error")
    assert g(2.0) == 5.0
    monkeypatch.setattr(where, "scale", 3.0, raising=False)
    assert g(2.0) == 3.0
    monkeypatch.setattr(where, "scale", 4.0)
    assert g(2.0) == 4.0
    monkeypatch.delattr(where, "scale")
    assert g(2.0) == 5.0


@pytest.mark.parametrize("where", [helper, SETTINGS, Settings, MODULE])
def test_what_was_asked_for(where, monkeypatch):
    for g in (tg.grad(lambda x: x * getattr(where, "scale", 5.0)), tg.grad(lambda x: x * where.scale if hasattr(where, "scale") else x * 5.0)):
        with monkeypatch.context() as patch:
            assert g(2.0) == 5.0
            patch.setattr(where, "scale", 3.0, raising=False)
            assert g(2.0) == 3.0
        assert g(2.0) == 5.0


@pytest.mark.parametrize("where", [Narrow, NARROW])
def test_an_attribute_in_front_of_that_of_a_class(where, monkeypatch):
    by_name = tg.grad(lambda x: x * NARROW.weight if where is NARROW else x * Narrow.weight)
    by_value = tg.grad(lambda x, settings: x * settings.weight)
    assert by_name(2.0) == by_value(2.0, NARROW) == 3.0
    monkeypatch.setattr(where, "weight", 7.0, raising=False)
    assert by_name(2.0) == by_value(2.0, NARROW) == 7.0
    assert by_value(2.0, Narrow()) == (3.0 if where is NARROW else 7.0)


def test_attributes_of_functions(monkeypatch):
    monkeypatch.setattr(helper, "scale", 3.0, raising=False)
    g = tg.grad(lambda x: np.sum(x * helper.scale))
    assert g(2.0) == 3.0
    monkeypatch.setattr(helper, "scale", 4.0)
    assert g(2.0) == 4.0
    monkeypatch.setattr(helper, "scale", np.array([1.0, 2.0]))
    assert g(2.0) == 3.0


PARTS = [(1, "b"), (2, "a")]


def test_a_call_that_makes_what_was_not_there():
    made = Plain(0.0)

    def make():
        PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))      # which the compiler does not take: nothing is known of the call
        made.extra = 3.0

    def f(x):
        make()
        return x * getattr(made, "extra", 5.0)
    with pytest.raises(RuntimeError, match="False was known when the derivative was compiled"):
        tg.grad(f, fallback="error")(2.0)
    assert tg.grad(f)(2.0) == 3.0       # now it is there when it is compiled


def test_unchanged_facts_compile_nothing():
    g = tg.grad(by_object)
    g(2.0)
    before = len(g.variants)
    for _ in range(3):
        g(2.0)
    assert len(g.variants) == before


def holds(kind, container, key, expected, **arguments):
    guards = Guards([(kind, container, key, expected)], {})
    check = guards.bind({name: f"kwargs[{name!r}]" for name in arguments})
    return check is None or check((), arguments)


@pytest.mark.parametrize("fact, expected", [
    (("global", {"x": 1.0}, "x", 1.0), True), (("global", {"x": 1}, "x", 1.0), False), (("global", {}, "x", 1.0), False),
    (("attr", SETTINGS, "power", 2.0), True), (("attr", SETTINGS, "power", Num("float")), True), (("attr", SETTINGS, "power", Num("int")), False),
    (("item", LIMITS, 1, 2.0), True), (("item", LIMITS, 5, 2.0), False), (("contains", {"a": 1}, "a", True), True),
    (("contains", {"a": 1}, "b", True), False), (("hasattr", SETTINGS, "power", True), True),
    (("hasattr", SETTINGS, "b", True), False), (("item", {"f": test_table}, "f", test_table), True),
    (("attr", Settings, "__module__", sys.intern(__name__)), True),
])
def test_kinds_of_facts(fact, expected):
    assert holds(*fact) is expected


def test_facts_of_arguments():
    arguments = {"p": {"a": [Plain(np.ones(3))]}}
    assert holds("argattr", ("p", "a", 0, "scale"), None, Arr("float64", (Dim(False),)), **arguments)
    assert not holds("argattr", ("p", "a", 0, "scale"), None, Num("float"), **arguments)
    assert holds("hasattr", ("p", "a", 0), "scale", True, **arguments) and not holds("hasattr", ("p", "a", 0), "other", True, **arguments)


def test_a_keyword_with_the_name_of_a_positional_parameter():
    def by_both(x, /, **rest):
        s = 0.0
        for v in x:
            s = s + v * v * rest["x"]
        return s + np.sum(x * x)

    g = tg.grad(by_both)
    g(np.ones(2), x=3.0)
    plans = [*g._plans.values()]
    assert plans[0].holds is not None
    assert np.array_equal(g(np.ones(2), x=3.0), [8.0, 8.0])
    assert [*g._plans.values()] == plans        # the check has looked at the right one of the two


def test_unknown_kind():
    with pytest.raises(ValueError, match="unknown kind of guard"):
        holds("no such kind", None, None, None)


def test_a_check_that_is_compiled_already_is_not_compiled_again(monkeypatch):
    facts = [("global", {"K": 2.0}, "K", 2.0)]
    first = Guards(facts, {})
    first.bind({"x": "args[0]"})
    monkeypatch.setattr("builtins.compile", lambda *args: pytest.fail("compiled again"))
    again = Guards([("global", {"K": 3.0}, "K", 2.0)], {}, first.codes)
    assert not again.bind({"x": "args[0]"})((1.0,), {})     # the objects are its own
    assert Guards(facts, {}, first.codes).bind({"x": "args[0]"})((1.0,), {})


def test_an_attribute_moves_from_the_class_to_the_instance(monkeypatch):
    """The instance has the value that the class had when the code was generated, which reads the class."""
    settings = Narrow()
    gradient = tg.grad(lambda x, settings: x * settings.weight)
    assert gradient(2.0, settings) == 3.0
    monkeypatch.setattr(Narrow, "weight", 7.0)
    assert gradient(2.0, settings) == 7.0
    monkeypatch.setattr(Narrow, "weight", 3.0)
    settings.weight = 7.0
    assert gradient(2.0, settings) == 7.0
