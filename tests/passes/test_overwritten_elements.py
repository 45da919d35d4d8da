"""Elements that are overwritten or not read: their infinite derivatives do not reach the gradient, through helpers and loops neither.

The distances of points to each other are the program: that of a point to itself is 0, where the derivative of a square root is infinite.
"""
from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import transgrad as tg

MASK, PLACES, ROWS = np.eye(3, dtype=bool), np.arange(3) * 4, np.arange(3)
X = np.array([1.0, 2.5, 0.3])

DISTANCES = {
    "root of a sum": "np.sqrt(np.sum((x[:, None, None] - x[None, :, None]) ** 2 * np.ones(2), axis=-1))",
    "norm": "np.linalg.norm((x[:, None, None] - x[None, :, None]) * np.ones(2), axis=-1)",
    "root of a product": "np.sqrt((x[:, None] - x[None, :]) * (x[:, None] - x[None, :]))",
    "power": "np.abs(x[:, None] - x[None, :]) ** 0.5",
}
HELPERS = {
    "written here": "def f(x):\n    m = {0}\n",
    "helper": "def distances(x):\n    return {0}\n\ndef f(x):\n    m = distances(x)\n",
    "one result of two": "def distances(x):\n    m = {0}\n    return m, np.sum(x)\n\ndef f(x):\n    m = distances(x)[0]\n",
    "loops": "def distances(x):\n    m = np.zeros((3, 3))\n    for i in range(3):\n        for j in range(3):\n"
             "            m[i, j] = np.sqrt((x[i] - x[j]) ** 2)\n    return m\n\ndef f(x):\n    m = distances(x)\n",
}
SELECTIONS = {
    "fill_diagonal": "np.fill_diagonal(m, 2.0)", "infinite": "np.fill_diagonal(m, np.inf)", "mask": "m[MASK] = 2.0",
    "places": "m[ROWS, ROWS] = 2.0", "loop": "for i in range(3):\n        m[i, i] = 2.0", "putmask": "np.putmask(m, MASK, 2.0)",
    "place": "np.place(m, MASK, [2.0])", "put": "np.put(m, PLACES, 2.0)",
    "put_along_axis": "np.put_along_axis(m, ROWS[:, None], 2.0, 1)", "where": "m = np.where(MASK, 2.0, m)",
    "positive": "m = np.where(m > 0, m, 1.0)", "maximum": "m = np.maximum(m, 1e-3)", "read by a mask": "m = m[~MASK]",
    "upper triangle": "m = m[np.triu_indices(3, 1)]", "triu": "m = np.triu(m, 1)", "select": "m = np.select([MASK], [np.ones((3, 3))], m)",
    "choose": "m = np.choose(MASK.astype(int), [m, np.ones((3, 3))])",
}


def program(helper: str, distance: str, selection: str) -> Any:
    text = f"{HELPERS[helper].format(DISTANCES[distance])}    {SELECTIONS[selection]}\n    return np.sum(np.exp(-m))\n"
    name = f"<{helper}, {distance}, {selection}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"np": np, "MASK": MASK, "PLACES": PLACES, "ROWS": ROWS}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


PROGRAMS = [(helper, distance, selection) for n, selection in enumerate(SELECTIONS) for k, distance in enumerate(DISTANCES)
            for j, helper in enumerate(HELPERS) if (n + k + j) % 4 == 0 and (helper != "loops" or k == 0 or n < 4)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("helper", "distance", "selection"), PROGRAMS)
def test_gradient(helper: str, distance: str, selection: str) -> None:
    f, h = program(helper, distance, selection), 1e-6
    with np.errstate(all="ignore"):
        want = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
        np.testing.assert_allclose(tg.grad(f, fallback="error")(X), want, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(tg.jacfwd(f, fallback="error")(X), want, rtol=1e-6, atol=1e-8)
        hessian = tg.hessian(f, fallback="error")(X)
    g = tg.grad(f, fallback="error")
    with np.errstate(all="ignore"):
        second = [(g(X + h * e) - g(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(hessian, second, rtol=1e-5, atol=1e-7)
