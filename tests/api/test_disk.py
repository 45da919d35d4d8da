"""Texts kept for other processes: found where nothing has changed, written again where anything has."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

MODULE = """
import numpy as np
from constants import RATE, TABLE, start

K = 2.0

def helper(a, b, c=start):
    if a > 0:
        return np.tanh(a) * b * c
    return b

def f(x, y):
    s = 0.0
    for i in range(len(x)):
        s += helper(x[i], y) * K * RATE
    return s + np.sum(x * TABLE)

def make(power):
    def inner(x):
        return np.sum(x ** power)
    return inner
"""
CONSTANTS = """
import numpy as np
RATE, start, TABLE = 3.0, 1.0, np.arange(3.0)
"""
SCRIPT = """
import json, sys
import numpy as np
import transgrad as tg
import module
x = np.array([0.5, -1.0, 2.0])
df = {call}
found = df({arguments})
stored = type(df.variants[0]).__name__ == "StoredVariant"
compiler = "transgrad.frontend" in sys.modules
print(json.dumps([np.asarray(found).tolist(), stored, compiler]))
"""


class Project:
    """A folder with modules, and processes that run in it."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.write("module", MODULE)
        self.write("constants", CONSTANTS)

    def write(self, name: str, text: str) -> None:
        (self.folder / f"{name}.py").write_text(text)

    def run(self, call: str = "tg.grad(module.f)", arguments: str = "x, 0.7", script: str = SCRIPT, **environment: str) -> Any:
        """What a process finds, whether it took the text from the disk, and whether it loaded the compiler."""
        (self.folder / "main.py").write_text(script.replace("{call}", call).replace("{arguments}", arguments))
        root = pathlib.Path(__file__).parents[2]
        where = {**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(self.folder))), "TRANSGRAD_CACHE": str(self.folder / "cache"),
                 "PYTHONDONTWRITEBYTECODE": "1", **environment}
        out = subprocess.run([sys.executable, "main.py"], cwd=self.folder, env=where, capture_output=True, text=True)
        assert out.returncode == 0, out.stderr
        return json.loads(out.stdout)


@pytest.fixture
def project(tmp_path: pathlib.Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize("call, arguments", [
    ("tg.grad(module.f)", "x, 0.7"), ("tg.jacfwd(module.f, 1)", "x, 0.7"), ("tg.grad(tg.grad(module.f, 1), 1)", "x, 0.7"),
    ("tg.grad(module.make(3.0))", "x"), ("tg.compile(module.f)", "x, y=0.7"), ("tg.grad(module.f, optimize=False)", "x, 0.7"),
])
def test_another_process_finds_it(project: Project, call: str, arguments: str) -> None:
    first, stored, compiler = project.run(call, arguments)
    assert not stored and compiler
    assert project.run(call, arguments) == [first, True, False]


def _same_twice(project: Project, **how: Any) -> Any:
    project.run(**how)
    found = project.run(**how)
    assert found[1]
    return found[0]


@pytest.mark.parametrize("name, old, new", [
    ("module", "np.tanh(a)", "np.sin(a)"),      # in a helper
    ("module", "K = 2.0", "K = 5.0"),
    ("constants", "3.0, 1.0", "4.0, 1.0"),      # a global of another module's
    ("constants", "3.0, 1.0", "3.0, 7.0"),      # a default computed from one
    ("constants", "arange(3.0)", "ones(3)"),    # an array that the text reads
    ("constants", "arange(3.0)", "ones((2, 3))"),       # one of another rank
])
def test_what_has_changed_is_noticed(project: Project, name: str, old: str, new: str) -> None:
    before = _same_twice(project)
    project.write(name, {"module": MODULE, "constants": CONSTANTS}[name].replace(old, new))
    after = project.run()[0]
    assert after != before
    assert after == project.run(TRANSGRAD_CACHE="off")[0]


def test_a_helper_that_is_another_by_now(project: Project) -> None:
    before = _same_twice(project)
    other = "(setattr(module, 'helper', lambda a, b, c=1.0: a * b), tg.grad(module.f))[1]"
    after, stored, _ = project.run(other)
    assert not stored
    assert after == project.run(other, TRANSGRAD_CACHE="off")[0] != before


@pytest.mark.parametrize("name", ["f", "helper"])
def test_a_constant_that_no_file_can_hold(project: Project, name: str) -> None:
    code = f"module.{name}.__code__"
    changed = f"{code} = {code}.replace(co_consts=(*{code}.co_consts, object()))"
    script = SCRIPT.replace("df = ", f"{changed}\ndf = ")
    for _ in range(2):
        found, stored, _ = project.run(script=script)
        assert not stored and found == project.run(script=script, TRANSGRAD_CACHE="off")[0]


def test_closures(project: Project) -> None:
    cubes = _same_twice(project, call="tg.grad(module.make(3.0))", arguments="x")
    fourths = project.run("tg.grad(module.make(4.0))", "x")[0]
    assert cubes == [3 * v ** 2 for v in (0.5, -1.0, 2.0)] and fourths == [4 * v ** 3 for v in (0.5, -1.0, 2.0)]


def test_rules(project: Project) -> None:
    text = "import operator\nimport transgrad as tg\nfrom constants import RATE\n\ndef cube(x):\n    return eval('x ** 3')\n\n" \
           "@tg.rule(cube)\ndef _(g, y, x):\n    return {slope} * g\n\ndef f(x):\n    return cube(x) * 2.0\n"
    project.write("module", "import rules\nf = rules.f\n")
    project.write("rules", text.replace("{slope}", "3.0 * x * x"))
    assert _same_twice(project, arguments="2.0") == 24.0
    project.write("rules", text.replace("{slope}", "4.0 * x * x"))
    assert project.run(arguments="2.0")[0] == 32.0


def test_spoiled_files(project: Project) -> None:
    before = _same_twice(project)
    for file in (project.folder / "cache" / "texts").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    assert project.run()[0] == before
    assert project.run()[1]


@pytest.mark.parametrize("word", ["off", "0"])
def test_off(project: Project, word: str) -> None:
    for _ in range(2):
        assert not project.run(TRANSGRAD_CACHE=word)[1]
    assert not (project.folder / "cache").exists() and not (project.folder / word).exists()


def test_a_folder_that_cannot_be_written(project: Project) -> None:
    (project.folder / "cache").write_text("no folder")
    for _ in range(2):
        assert not project.run()[1]


def test_a_stored_variant_is_one(project: Project) -> None:
    script = SCRIPT + "\n".join([
        "import inspect, traceback",
        "assert inspect.getsource(df.variants[0].function) in df.source and df.source.startswith('def helper_backward')",
        "import linecache",
        "file = df.variants[0].function.__code__.co_filename",
        "linecache.checkcache(file)",
        "assert ''.join(linecache.getlines(file)) == df.source and linecache.getline(file, 1) == df.source.splitlines(True)[0]",
        "assert df.variants[0].types['y'] == 'float'",
        "try:",
        "    df(np.array(['a']), 0.7)",
        "except Exception: pass",
        "with_two = df(x, 0.7) - module.TABLE",
        "module.K = 5.0",
        "assert np.allclose(df(x, 0.7) - module.TABLE, 2.5 * with_two)",
        "assert len(df.variants) == (1 if stored else 2)        # the last one to be stored reads K when it runs",
        "assert 'helper' in df.explain() and 'f(' in str(df.ir)",
        "assert np.allclose(tg.jvp(df, (x, 0.7), (x, 1.0))[0], df(x, 0.7))", ""])
    for _ in range(2):
        project.run(script=script)


PRIMITIVES = """
import ctypes, ctypes.util
import numpy as np
import transgrad as tg
from declared import POWER, solve

libm = ctypes.CDLL(ctypes.util.find_library("m"))
libm.cbrt.restype, libm.cbrt.argtypes = ctypes.c_double, [ctypes.c_double]
cbrt = tg.primitive(libm.cbrt, vjp=lambda g, y, x: g / (3.0 * y * y), result=float)
slope = tg.primitive(lambda g, y, x: g * y, vjp=lambda h, y, g, r, x: (h * r, h * g, None))
exp = tg.primitive(np.exp, vjp=slope, result=lambda x: x)
graph = tg.custom_vjp(lambda n, x: x ** n, nondiff_argnums=(0,), opaque=True, result=lambda n, x: x)
graph.defvjp(lambda n, x: (x ** n, x), lambda n, x, g: (n * x ** (n - 1) * g,))

class Model:
    @tg.primitive(vjp=lambda g, y, self, x: 6.0 * x * g, result=lambda self, x: x, nondiff_argnums=(0,))
    def scaled(self, x):
        return 3.0 * x * x

MODEL = Model()

def f(x, y):
    s = cbrt(y) * y
    for k in range(2):
        s = s + cbrt(y + k)
    return s + np.sum(exp(x * 0.1)) + np.sum(graph(POWER, x)) + np.sum(solve(x, scale=2.0))

def curved(x, y):
    s = cbrt(y) * y
    return s * np.sum(exp(x * 0.1)) + np.sum(solve(x, scale=2.0) ** 2)

def of_a_method(x, y):
    return np.sum(MODEL.scaled(x))

def make():
    inner = tg.primitive(np.sin, vjp=lambda g, y, x: g * np.cos(x), result=lambda x: x)
    return lambda x: np.sum(inner(x))
"""
DECLARED = """
import numpy as np
import transgrad as tg
POWER = 3
def solved(x, scale=1.0):
    return x * scale
solve = tg.primitive(solved, vjp=lambda g, y, x, scale: (g * scale, None), result=lambda x, scale: x)
"""


@pytest.fixture
def with_primitives(project: Project) -> Project:
    project.write("module", PRIMITIVES)
    project.write("declared", DECLARED)
    return project


@pytest.mark.parametrize("call", ["tg.grad(module.f)", "tg.hessian(module.curved)", "tg.jacfwd(module.f, 1)", "tg.compile(module.f)",
                                  "tg.grad(module.of_a_method)"])
def test_functions_that_call_primitives(with_primitives: Project, call: str) -> None:
    first, stored, compiler = with_primitives.run(call)
    assert not stored and compiler
    assert with_primitives.run(call) == [first, True, False]


CHANGES = """
import importlib, linecache, os, pathlib
import numpy as np
import transgrad as tg
import declared, module
x, file = np.array([0.5, -1.0, 2.0]), pathlib.Path("declared.py")
text = file.read_text()
changes = [
    ("lambda x, scale: x)", "lambda x, scale: tg.ShapeDtypeStruct((None,), x.dtype))"), ("x * scale", "x * scale * 1.5"),
    ("(g * scale, None)", "(4.0 * g * scale, None)"), ("scale=1.0", "scale=1"), ("POWER = 3", "POWER = 2"),
    ("vjp=lambda g, y, x, scale: (g * scale, None)", "jvp=lambda t, y, x, scale: t[0] * scale")]
cache = os.environ["TRANSGRAD_CACHE"]

def derivatives(where):
    os.environ["TRANSGRAD_CACHE"] = where
    made = [tg.grad(module.f), tg.hessian(module.curved), tg.compile(module.f)]
    found = [d(x, 0.7) for d in made]
    return found, [type(d.variants[0]).__name__ == "StoredVariant" for d in made]

derivatives(cache)
for k, (old, new) in enumerate(changes):
    file.write_text(text.replace(old, new) + "#" * k)
    linecache.checkcache()
    importlib.reload(declared), importlib.reload(module)
    (first, _), (again, stored), (fresh, _) = derivatives(cache), derivatives(cache), derivatives("off")
    for a, b, c in zip(first, again, fresh):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, c)
print("[]")
"""


def test_primitives_that_have_changed(with_primitives: Project) -> None:
    with_primitives.run(script=CHANGES)


def test_the_explanation_says_why_nothing_is_stored(with_primitives: Project) -> None:
    with_primitives.run("tg.grad(module.make())", "x", SCRIPT + "assert 'cached     no: sin' in df.explain(), df.explain()\n")
    with_primitives.run(script=SCRIPT + "assert 'cached' not in df.explain()\n")


ARRAYS = """
import numpy as np
from array_api_compat import array_namespace

def energy(x, y):
    xp = array_namespace(x)
    s = 0.0
    for k in range(2):
        s = s + xp.sum(xp.exp(-x[1:]) * (x[1:] - x[:-1]) ** 2) * y
    return s

def by_name(x, y):
    return np.sum(np.tanh(x) * y)
"""
FOREIGN = SCRIPT.replace("x = np", "{convert}\nx = np").replace("found = df(", "x = convert(x)\nfound = df(") \
    .replace("df.variants[0]", "df.variants[0].made") + "df.export('exported.py')\nimport exported\n" \
    "assert np.allclose(getattr(exported, df.__name__)(x, 0.7), np.asarray(found))\nassert 'def ' in df.source and df.ir is not None\n"


@pytest.mark.parametrize("library, convert, call", [
    ("array_api_strict", "from array_api_strict import asarray as convert", "tg.grad(module.energy)"),
    ("torch", "from torch import tensor as convert", "tg.grad(module.energy)"),
    ("dask.array", "from dask.array import asarray as convert", "tg.grad(module.by_name)"),
    ("jax", "from jax.numpy import asarray as convert", "tg.grad(module.energy)"),
])
def test_arrays_of_other_libraries(project: Project, library: str, convert: str, call: str) -> None:
    pytest.importorskip(library)
    pytest.importorskip("array_api_compat")
    project.write("module", ARRAYS)
    script = FOREIGN.replace("{convert}", convert)
    first, stored, compiler = project.run(call, script=script)
    assert not stored and compiler
    assert project.run(call, script=script)[:2] == [first, True]
    changed = ARRAYS.replace("range(2)", "range(3)").replace("np.tanh(x)", "np.tanh(x) * 2.0")
    project.write("module", changed)
    assert project.run(call, script=script)[:2] != [first, True]


@pytest.mark.parametrize("library, convert", [
    ("pandas", "from pandas import Series as convert"), ("xarray", "import xarray\ndef convert(x): return xarray.DataArray(x, dims='t')")])
def test_labelled_arrays(project: Project, library: str, convert: str) -> None:
    pytest.importorskip(library)
    project.write("module", ARRAYS)
    script = SCRIPT.replace("x = np", f"{convert}\nx = np").replace("found = df(", "x = convert(x)\nfound = df(")
    call = "tg.grad(module.by_name)"
    first = project.run(call, script=script)
    assert not first[1]
    assert project.run(call, script=script) == [first[0], True, False]
