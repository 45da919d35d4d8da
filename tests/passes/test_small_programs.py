"""Small programs around containers, built-in functions and NumPy's manner: gradients against differences."""
from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.corpus.registry import load
from transgrad.ir import verify
from transgrad.transforms import compiling

X = np.array([0.6, 1.3, 0.8, 1.7])
PROGRAMS: list[Callable[[Any], Any]] = []


def program(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(f)
    return f


@program
def list_pop_from_front(x: Any) -> Any:
    v = [x[0] * 2.0, x[1], x[2] ** 2]
    first = v.pop(0)
    last = v.pop()
    v.insert(0, first * last)
    v.extend([last, x[3]])
    v.reverse()
    return v[0] * v[1] + v[-1]


@program
def list_deleted_and_repeated(x: Any) -> Any:
    v = []
    for k in range(4):
        v.append(x[k] * k)
    del v[-1]
    w = v * 2
    w += [x[3]]
    u = w.copy()
    u[0] = x[0]
    return sum(u) * w[-1] + sum(w)


@program
def list_items_scaled(x: Any) -> Any:
    v = [t * t for t in x]
    v[1] *= x[0]
    v[2] /= x[3]
    v[0] **= 2
    v[3] -= x[1]
    return sum(v)


@program
def dict_of_terms(x: Any) -> Any:
    d = {}
    for k in range(4):
        d[k] = x[k] ** 2
    e = d.copy()
    e[0] = x[3]
    total = e.pop(0) * d.get(1, 0.0) + d.get(9, x[2])
    for key in d:
        total += d[key] * key
    for key, value in e.items():
        total += value * key
    for value in d.values():
        total += value
    return total


@program
def sorted_list(x: Any) -> Any:
    v = sorted([t * t for t in x], reverse=True)
    return v[0] * v[3] + v[1]


@program
def itertools_tools(x: Any) -> Any:
    total = 0.0
    for a, b in itertools.pairwise(x):
        total += a * b
    for a, b in itertools.combinations([x[0], x[1], x[2]], 2):
        total += a - b * a
    for t in itertools.chain([x[0]], [x[1] * x[2]]):
        total *= t
    for t in itertools.islice(x, 2):
        total += t ** 2
    for t, w in zip(itertools.accumulate([x[0], x[1], x[2]]), (1.0, 2.0, 3.0)):
        total += t * w
    for a, b in itertools.product((x[0], x[1]), (x[2], x[3])):
        total += a / b
    return total


@program
def reductions_of_python(x: Any) -> Any:
    pairs = [(k, t) for k, t in enumerate(x)]
    best = max(t for _, t in pairs)
    least = min(x[0] * 2.0, x[1], 9.0)
    joined = functools.reduce(operator.mul, [x[0], x[1], x[2]])
    return best * least + joined + math.prod([x[2], x[3]]) + math.fsum([x[0], x[3]]) + abs(-x[1]) + pow(x[0], 3) + sum(x, 1.0)


@program
def numpy_manner(x: Any) -> Any:
    out = np.empty(4)
    np.multiply(x, 2.0, out=out)
    np.add(out, x, out=out, where=np.array([True, False, True, False]))
    total = np.add.reduce(out) + np.multiply.reduce(x) + np.maximum.reduce(x * x)
    running = np.add.accumulate(x) + np.multiply.accumulate(x)
    table = np.multiply.outer(x, x)
    hits = np.zeros(3)
    np.add.at(hits, [0, 2, 2], x[:3])
    np.subtract.at(hits, [1], x[3])
    return total + np.sum(running) + np.sum(table @ x) + np.sum(hits ** 2)


@program
def array_methods(x: Any) -> Any:
    m = x.reshape(2, 2)
    parts = [m.sum(axis=0), m.mean(1), m.max(axis=0), m.min(axis=1), m.prod(axis=0), m.cumsum(axis=1).ravel()[:2], m.diagonal(), m.T.flatten()[1:3]]
    total = x.dot(x) + m.trace() + x.std() + x.var() + x.clip(0.7, 1.5).sum() + x.take([1, 1]).sum() + x.repeat(2).sum() + x.squeeze()[0]
    return total + sum(np.sum(p ** 2) for p in parts) + m.swapaxes(0, 1)[0, 1] + x.astype(float)[2] + m.transpose()[1, 0] + x.copy().max()


@program
def reflected_and_mixed(x: Any) -> Any:
    a = 2.0 / x + 1 - x
    b = 2.0 ** x % 1.7
    c = -x + +x * (3 // 2)
    d = [1.0, 2.0, 3.0, 4.0] * x
    return np.sum(a * b) + np.sum(c) + np.sum(d) + float(np.float64(2.0) * x[1]) + np.sum(1.0 - x) + divmod(x[3], 1.0)[1]


@program
def conversions(x: Any) -> Any:
    v = np.asarray([float(x[0]), x[1] * 1.0])
    w = np.array((x[2], x[3]), dtype=float)
    z = np.stack([v, w]) + np.vstack((w, v)) + np.atleast_2d(v)
    t = list(x)
    return np.sum(z ** 2) + np.concatenate((v, w))[3] * np.hstack([v, w])[0] + t[1] * len(t) + complex(x[0], x[1]).real + list(x)[2]


@program
def while_with_lists(x: Any) -> Any:
    stack = [x[0], x[1], x[2]]
    total = 0.0
    while stack:
        t = stack.pop()
        if t > 1.0:
            stack.append(t * 0.5)
            continue
        total += t * t * x[3]
    return total


@program
def tried(x: Any) -> Any:
    table = {"a": x[0]}
    try:
        y = table["b"]
    except KeyError:
        y = x[1] * 2.0
    else:
        y = x[2]
    finally:
        scale = 3.0
    try:
        z = math.sqrt(x[0] - 1.0)
    except (ValueError, TypeError):
        z = x[3] ** 2
    return y * z * scale


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Callable[[Any], Any]) -> None:
    h = 1e-6
    expected = [(f(X + h * e) - f(X - h * e)) / (2.0 * h) for e in np.eye(4)]
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X.copy()), expected, rtol=1e-6, atol=1e-7)
    value, tangent = tg.jvp(f, (X.copy(),), (np.ones(4),), fallback="error")
    np.testing.assert_allclose(value, f(X.copy()))
    np.testing.assert_allclose(tangent, np.sum(expected), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("case", load(), ids=lambda c: f"{c.row}-{c.name}")
def test_ir_is_well_formed_and_can_be_printed(case: Any) -> None:
    import inspect
    bound = inspect.signature(case.f).bind(*case.args, **case.kwargs)
    bound.apply_defaults()
    names = list(bound.arguments)
    fn = compiling.lower(case.f, dict(bound.arguments), {names[min(k, len(names) - 1)] for k in case.wrt})
    verify.verify(fn)
    assert str(fn).startswith(f"func {fn.name}(")
