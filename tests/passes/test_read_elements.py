"""Elements that are read of an array before it is written to, here, in a helper or behind one: they are numbers, for a batch as well."""
from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning", "ignore::transgrad.BatchLoopWarning")
#: of the vector v
READ = [
    "v[0]", "v[-1]", "v.item(0)", "float(v[0])", "list(v)[0]", "tuple(v)[1]", "[e for e in v][0]", "v.tolist()[1]", "unpacked(v)[0]",
    "next(iter(v))", "v[:1].item()", "v[:1][0]", "v.ravel()[0]", "v.flat[0]", "max(v[0], v[1])", "min(v)", "v.real[0]", "+v[0]", "abs(v[0])",
    "np.float64(v[0])", "v[0] if v[1] > 0 else v[1]", "[a for a, b in zip(v, v)][1]", "[e for i, e in enumerate(v)][1]",
    "list(reversed(v))[0]", "list(map(np.positive, v))[0]", "{i: e for i, e in enumerate(v)}[1]", "dict(enumerate(v))[0]", "sum(v[:1])",
    "v[::2][0]", "v.T[0]", "v.reshape(1, -1)[0, 1]", "v.reshape(-1, 1)[1, 0]", "np.array([v[0]])[0]", "np.stack([v])[0][1]", "v.copy()[0]",
    "v.sum()", "np.squeeze(v[:1])", "v[np.array([0])][0]", "v[[1, 0]][0]", "np.take(v, 1)", "last(v)", "gathered(v)[0]", "kept(v)['first']",
    "(v[0], v[1])[1]", "[v[0], v[1]][0]", "collected(v)[0][1]", "np.asarray(v[0])", "np.atleast_1d(v[0])[0]", "v[0:1].sum()", "v.min()",
    "v[0] * 1.0", "float(v[:1].sum())", "v[0, ...].item()", "float(v[1, ...])", "v[..., 0] + 0.0", "(lambda u: u[1])(v)", "v.astype(float)[0]", "v[v > 0.0][0]",
]
HELPERS = """
def unpacked(v):
    a, b, c = v
    return a, b, c

def last(v):
    e = 0.0
    for e in v:
        pass
    return e

def gathered(v):
    out = []
    for e in v:
        out.append(e)
    return out

def kept(v):
    return {"first": v[0], "others": [v[1], v[2]]}

def collected(v):
    return [(i, e) for i, e in enumerate(v)]

def scale(v, c):
    v[:2] *= c
    v[2] += c

def read(v):
    return {read}

def value(v):
    e = {read}
    return e * np.cos(e)
"""
PROGRAMS = {
    "here": "    e = {read}\n    v[:2] *= s\n    v[2] += e\n    return e ** 2 * np.sum(v)",
    "by a helper": "    e = read(v)\n    v[:2] *= s\n    v[2] += e\n    return e ** 2 * np.sum(v)",
    "before a helper": "    e = {read}\n    scale(v, s)\n    return e ** 2 * np.sum(v)",
    "between helpers": "    e = value(v)\n    scale(v, np.sin(e * s))\n    return v.mean()",
}
BATCHES = np.array([[0.8, 1.3, -0.4], [1.1, 0.2, 0.6], [0.5, 0.9, 1.7], [2.0, 1.0, 0.3]]), np.array([0.6, 1.4, 0.9, 0.7])


def program(read: str, form: str) -> Callable[..., Any]:
    text = "import numpy as np\n" + HELPERS.replace("{read}", read) + "\ndef f(v, s):\n" + PROGRAMS[form].replace("{read}", read) + "\n"
    file = f"<read {read} {form}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space: dict[str, Any] = {"__name__": file}
    exec(compile(text, file, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


def differences(f: Callable[..., Any], v: Any, s: Any) -> Any:
    h = 1e-6
    return np.array([(f(v + h * e, s) - f(v - h * e, s)) / (2 * h) for e in np.eye(3)]).ravel()


@pytest.mark.parametrize("form", PROGRAMS)
@pytest.mark.parametrize("read", READ)
def test_values_and_gradients(read: str, form: str) -> None:
    f = program(read, form)
    vs, ss = BATCHES
    want = [differences(f, v, s) for v, s in zip(vs, ss)]
    values = [f(v.copy(), s) for v, s in zip(vs, ss)]
    np.testing.assert_allclose(tg.vmap(f)(vs.copy(), ss), values, rtol=1e-9)
    for derivative in (tg.grad(f), tg.jacfwd(f), tg.jacrev(f)):
        for k, (v, s) in enumerate(zip(vs, ss)):
            np.testing.assert_allclose(np.ravel(derivative(v.copy(), s)), want[k], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(np.reshape(tg.vmap(derivative)(vs.copy(), ss), (4, 3)), want, rtol=1e-5, atol=1e-6)
