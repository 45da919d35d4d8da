"""Functions are found wherever they were written."""
import doctest
import functools
import linecache
import sys
import types

import numpy as np
import pytest

from transgrad import frontend
from transgrad.errors import NoSourceError

from .lowered import arguments, check, compare, lowered, run

f1, f2 = lambda x: x * 2, lambda x: (x + 1) * 3
pairs = [lambda x: x ** 2, lambda x: x ** 3]; nested = lambda x: (lambda y: y + x)(x)
multi = (lambda x:
         x * 5)


@pytest.mark.parametrize("f", [f1, f2, *pairs, nested, multi])
def test_lambdas(f):
    check(f, 1.5)


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) + 1
    return wrapper


@decorated
@functools.lru_cache
def wrapped(x, k=2):
    return x * k


class Thing:
    def __init__(self, k):
        self.k = k

    def method(self, x):
        return self.k * x

    def __call__(self, x):
        return self.method(x) + 1

    @staticmethod
    def static(x):
        return x + 1

    @classmethod
    def of_class(cls, x):
        return x * 2

    __private = lambda self, x: x - self.k


def test_decorated_methods_and_instances():
    thing = Thing(3.0)
    fn = lowered(wrapped, 1.5)
    assert run(fn, arguments(wrapped, (1.5,))) == wrapped(1.5)
    for f in (thing.method, thing, Thing.static, Thing.of_class, thing._Thing__private, functools.partial(f2), functools.partial(wrapped, k=3.0)):
        fn = lowered(f, 1.5)
        assert run(fn, arguments(f, (1.5,))) == f(1.5)


def factory(k):
    def inner(x):
        return x * k
    return inner


def test_closures():
    check(factory(2.0), 1.5)
    check(factory(np.ones(3)), np.ones(3))
    fn = lowered(factory(2.0), 1.5)
    assert [g[0] for g in fn.attrs.guards] == ["cell", "code"]


def test_exec_with_a_registered_source():
    text = "def made(x):\n    y = x * 2\n\n    # comment\n    return (y +\n            1)\n"
    linecache.cache["<made>"] = (len(text), None, text.splitlines(True), "<made>")
    space = {}
    exec(compile(text, "<made>", "exec"), space)
    fn = check(space["made"], 1.5)
    op = fn.body.ops[-1]
    assert (op.loc.file, op.loc.line, op.loc.text) == ("<made>", 5, "return (y + 1)")


def test_exec_without_source_is_refused_with_the_way_out():
    space = {}
    exec("def made(x):\n    return x\n", space)
    with pytest.raises(NoSourceError, match="linecache"):
        frontend.lower(space["made"], {"x": 1.0}, ["x"])


def test_doctest():
    text = ">>> def f(x):\n...     return x * 3\n>>> check(f, 1.5) and None\n"
    test = doctest.DocTestParser().get_doctest(text, {"check": check}, "t", "t.py", 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.failures == 0


def test_notebook_cell():
    name = "/tmp/ipykernel_1/123.py"
    text = "import numpy as np\ndef cell(x):\n    return np.sin(x)\ng = lambda x: cell(x) * 2\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = types.ModuleType("nb")
    exec(compile(text, name, "exec"), module.__dict__)
    check(module.cell, 1.5)
    check(module.g, 1.5)


def test_changed_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "changing.py"
    path.write_text("def f(x):\n    return x * 2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib
    module = importlib.import_module("changing")
    path.write_text("\n\ny = 1\n")
    linecache.checkcache(str(path))
    with pytest.raises(NoSourceError, match="changed"):
        frontend.lower(module.f, {"x": 1.0}, ["x"])
    del sys.modules["changing"]


def test_locations_are_those_of_the_file():
    fn = lowered(factory(2.0), 1.5)
    op = fn.body.ops[-1]
    assert op.loc.text == "return x * k" and linecache.getline(op.loc.file, op.loc.line).strip() == "return x * k"


def test_one_lowering_for_other_values_of_the_same_types():
    compare(f2, lowered(f2, 1.5), -7.5)
