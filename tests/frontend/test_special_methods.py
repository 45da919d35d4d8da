"""Operators by the names of their methods, and out= by its place: what they write to is known."""
from __future__ import annotations

import copy
import linecache
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad
from transgrad.transforms.fallback import TapedVariant

M = np.array([[0.8, 1.3], [1.8, 2.33]])


def items(m):
    b = m * 1.0
    b.__setitem__(0, m[1] ** 2)
    return np.sum(b * m) + b.__getitem__((1, 0)) ** 2 * b.__len__()


def of_lists(m):
    xs = [m[0, 0], m[0, 1], 2.0]
    xs.__setitem__(0, m[1, 1])
    xs.__delitem__(2)
    xs.__iadd__([m[1, 0] ** 2])
    return xs[0] * xs.__getitem__(1) * xs[-1] * len(xs)


def of_dicts(m):
    d = {"a": m[0, 0], "b": 1.0}
    d.__setitem__("a", m[1, 1] ** 2)
    d.__ior__({"c": m[0, 1]})
    d.__delitem__("b")
    return d["a"] * d["c"] * d.__contains__("a")


def in_place(m):
    b = m * 1.0
    b.__imul__(m)
    b.__iadd__(1.0)
    return np.sum(b.__pow__(2).__neg__().__add__(m).__rsub__(3.0))


def unbound(m):
    b, xs = np.zeros((2, 2)), [1.0, 2.0]
    np.ndarray.__setitem__(b, 0, m[1] ** 2)
    list.__setitem__(xs, 0, m[0, 0])
    return np.sum(b * m) * xs[0]


def handed_on(m):
    b = np.zeros(2)
    for i, put in enumerate([b.__setitem__, b.__setitem__]):
        put(i, m[0, i] ** 2)
    return np.sum(b * m[1])


def mapped(m):
    b = np.zeros(2)
    list(map(b.__setitem__, [0, 1], m[0] ** 2))
    return np.sum(b * m[1])


def functions_of_operator(m):
    b, xs, d = m * 1.0, [m[0, 0], 2.0], {"a": 1.0}
    operator.setitem(b, 0, m[1] ** 2)
    operator.setitem(xs, 1, m[1, 1])
    operator.delitem(xs, 0)
    operator.setitem(d, "a", m[0, 1])
    operator.iadd(b, m)
    return np.sum(b) * xs[0] * d["a"] * operator.contains(d, "a") * operator.countOf([1, 2, 1], 1)


def copies(m):
    b = m * 1.0
    c, d = b.__copy__(), copy.copy(b)
    c[0] *= 3.0
    d[1] *= 2.0
    return np.sum(b * c * d)


class Doubled(dict):
    """Its method calls that of dict, which is no call of itself."""

    def __setitem__(self, key, value):
        super().__setitem__(key, 2.0 * value)


def inherited(m):
    d = Doubled()
    d["a"] = m[0, 0] * m[1, 1]
    return d["a"] ** 2


@pytest.mark.parametrize("f", [items, of_lists, of_dicts, in_place, unbound, handed_on, mapped, functions_of_operator, copies])
def test_special_method(f):
    tg.grad(f, fallback="error")(M)
    check_grad(f, (M,))


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_methods_of_classes_that_inherit():
    check_grad(inherited, (M,))


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("change", ["setfield(2.0, float, 0)", "byteswap(True)", "resize((4,), refcheck=False)"])
def test_what_is_not_known_is_refused(change):
    f = written(f"b.{change}", "np.sum(b * b)")
    with pytest.raises(tg.TransgradError, match=change.split("(")[0]):
        tg.grad(f)(M)


#: what stands before ``out`` in a call, by its function
BEFORE_OUT = {
    "np.dot": "m, m", "m.dot": "m", "np.clip": "m, 1.0, 2.0", "m.clip": "1.0, 2.0", "np.matmul": "m, m", "np.outer": "m[0], m[1]",
    "np.sum": "m, 0, None", "m.sum": "0, None", "np.mean": "m, 0, None", "m.mean": "0, None", "np.prod": "m, 0, None",
    "m.prod": "0, None", "np.add.reduce": "m, 0, None", "np.multiply.reduce": "m, 0, None", "np.maximum.reduce": "m, 0, None",
    "np.add.accumulate": "m, 0, None", "np.multiply.accumulate": "m, 0, None", "np.round": "m, 1", "m.round": "1", "np.fix": "m",
    "np.cumsum": "m, 0, None", "m.cumsum": "0, None", "np.cumprod": "m, 0, None", "m.cumprod": "0, None", "np.max": "m, 0", "m.max": "0",
    "np.amin": "m, 0", "m.min": "0", "np.nanmax": "m, 0", "np.ptp": "m, 0", "np.take": "m, [0, 1], 0", "m.take": "[1, 0], 0",
    "np.compress": "[True, True], m, 0", "m.compress": "[True, True], 0", "np.choose": "[[0, 1], [1, 0]], [m, m * m]",
    "np.concatenate": "[m[:1], m[:1]], 0", "np.var": "m, 0, None", "m.std": "0, None", "np.nansum": "m, 0, None",
    "np.nanstd": "m, 0, None", "np.nancumsum": "m, 0, None", "np.median": "m, 0", "np.nanmedian": "m, 0", "np.quantile": "m, 0.3, 0",
    "np.percentile": "m, 30, 0", "np.trace": "m.reshape(1, 2, 2), 0, 1, 2, None", "np.exp": "m", "np.multiply": "m, m", "np.hypot": "m, 1.0",
    "np.subtract.reduce": "m, 0, None", "np.add.reduceat": "m, [0, 1], 0, None", "np.all": "m > 0.9, 0", "np.argmax": "m, 0",
    "np.floor": "m",
}


def written(statement: str, result: str) -> Callable[..., Any]:
    text = f"def f(m):\n    b = m * 1.5\n    r = {statement}\n    return {result}\n"
    file = f"<written by {statement}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("target", ["b", "b[0]"])
@pytest.mark.parametrize("name", BEFORE_OUT)
def test_out_by_its_place(name, target):
    calls = [f"{name}({BEFORE_OUT[name]}, {out}{target})" for out in ("", "out=")]
    functions = [written(call, "np.sum(b ** 2 * m) + np.sum(r * m)") for call in calls]
    try:
        want = functions[1](M)
    except (ValueError, TypeError):     # not of that shape or dtype
        return
    np.testing.assert_equal(functions[0](M), want)
    found = []
    for f in functions:
        for gradient in (tg.grad(f, fallback="error"), tg.jacfwd(f, fallback="error"), on_the_tape(f)):
            try:
                found.append(gradient(M.copy()))
            except tg.TransgradError as error:
                assert name in ("np.subtract.reduce", "np.add.reduceat"), error
    want = differences(functions[0])
    for gradient in found:
        np.testing.assert_allclose(gradient, want, rtol=1e-6, atol=1e-6)


def on_the_tape(f):
    return lambda m: TapedVariant(tg.grad(f), {}, tg.UnsupportedSyntax("for the test")).call_with({"m": m})


def differences(f):
    out, h = np.zeros(M.shape), 1e-6
    for i in np.ndindex(M.shape):
        step = np.zeros(M.shape)
        step[i] = h
        out[i] = (f(M + step) - f(M - step)) / (2 * h)
    return out
