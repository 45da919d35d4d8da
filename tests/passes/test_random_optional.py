"""Random programs whose names are None on some paths, and tuples, lists or dicts on others."""
from __future__ import annotations

import textwrap
from random import Random
from typing import Any

import numpy as np
import pytest

from .by_differences import check, written

X = np.array([0.31, 0.73, 1.13])
ARRAYS = ("x", "x * 0.5", "a", "b", "a * x", "np.sin(b)")
NUMBERS = ("x[0]", "x[1]", "a[2]", "s", "s * x[1]", "b[0] + 0.3", "np.sum(a)")
CONDITIONS = ("x[0] > 0.2", "x[1] > 0.9", "a[0] > 0.3", "s > 0.6", "k % 2 == 0", "k == 1", "b[2] < 0.9")
#: name → how it is made, made again from what it was, and read
MADE = {"t": "({a}, {n})", "q": "[{a}, {b}]", "d": '{{"k": {a}, "m": {n}}}', "p": "[{n}, {m}, {n}]"}
AGAIN = {
    "t": ("(t[0] * {a}, t[1])", "(t[0], t[1] * {n})", "({a} + t[0], t[1] + 0.1)"),
    "q": ("[q[1], q[0] * {a}]", "q + [{a}]", "[z * {a} for z in q]", "q[1:] + q[:1]", "list(q)"),
    "d": ('{{"k": d["k"] * {a}, "m": d["m"]}}', '{{"k": d["k"], "m": {n} + d["m"]}}', "dict(d)"),
    "p": ("[p[0] * {n}, p[1], p[2]]", "[p[1], p[2], p[0]]", "[z * {n} for z in p]"),
}
READ = {
    "t": ("a = a + t[0] * 0.3", "s = s + t[1] * 0.5", "b = t[0]", "u, v = t\ns = s + v * np.sum(u) * 0.1", "s = s * t[1]"),
    "q": ("a = a + q[0] * 0.3", "for z in q:\n    s = s + np.sum(z) * 0.1", "b = q[-1]", "s = s + len(q)", "a = sum(q) * 0.2"),
    "d": ('a = a + d["k"] * 0.3', 's = s + d["m"] * 0.5', 'b = d["k"]', "for z in d.values():\n    s = s + np.sum(z) * 0.1"),
    "p": ("s = s + p[0] * p[1]", "s = s + sum(p) * 0.1", "a = a * p[2]", "for z in p:\n    s = s + z * z * 0.1"),
}
END = """
if t is not None: s = s + np.sum(t[0]) * t[1]
if q is not None: s = s + np.sum(q[0] * q[-1])
if d is not None: s = s + np.sum(d["k"]) * d["m"]
if p is not None: s = s + p[0] * p[1] + p[2]
return s + np.sum(a * b)
"""
HELPERS = """
def step_t(t, w):
    return (w, w[0]) if t is None else (t[0] * w, t[1] * w[0])


def step_q(q, w):
    if q is None:
        return None
    return [z * w for z in q]


def step_d(d, w):
    return {"k": w, "m": w[1]} if d is None else {"k": d["k"] * w, "m": d["m"]}


def step_p(p, w):
    return p if p is None else [p[0] * w[0], p[1], p[2]]
"""


class Writer:
    """Writes one program."""

    def __init__(self, seed: int):
        self.random = Random(seed)

    def filled(self, text: str) -> str:
        one = self.random.choice
        return text.format(a=one(ARRAYS), b=one(ARRAYS), n=one(NUMBERS), m=one(NUMBERS))

    def statement(self, depth: int) -> str:
        one, k = self.random.choice, self.random.choice("tqdp")
        condition, made, again = one(CONDITIONS), self.filled(MADE[k]), self.filled(one(AGAIN[k]))
        read = textwrap.indent(one(READ[k]), "    ")
        plain = (
            f"if {k} is None:\n    {k} = {made}", f"if {k} is not None:\n{read}", f"if {k}:\n{read}", f"if {condition}:\n    {k} = None",
            f"{k} = {made} if {k} is None else {again}", f"if {k} is not None and {condition}:\n    {k} = {again}\n{read}",
            f"if {k} is None:\n    {k} = {made}\nelif {condition}:\n    {k} = {again}\nelse:\n{read}", f"{k} = step_{k}({k}, {one(ARRAYS)})",
            self.filled(one(("a = {a}", "b = a + {a}", "s = s + {n} * 0.2", "a, b = b, a"))),
        )
        if depth and self.random.random() < 0.3:
            inner = textwrap.indent("\n".join(self.statement(depth - 1) for _ in range(self.random.randint(1, 3))), "    ")
            return f"if {condition}:\n{inner}" if self.random.random() < 0.4 else f"for k in range({one((2, 3))}):\n{inner}"
        return one(plain)

    def program(self) -> str:
        """The text of it."""
        lines = ["a, b, s, k = x * 1.0, x * 2.0, x[0] * x[2], 0"]
        lines += [f"{k} = {self.random.choice(('None', 'None', self.filled(made)))}" for k, made in MADE.items()]
        lines += [self.statement(2) for _ in range(self.random.randint(3, 7))]
        return HELPERS + "\n\ndef program(x):\n" + textwrap.indent("\n".join(lines) + END, "    ") + "\n"


def differentiated(seed: int) -> Any:
    return written(Writer(seed).program(), f"of what may be None {seed}", X)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(seed):
    f = differentiated(seed)
    if f is None:
        pytest.skip("its numbers are too large for differences")
    check(f, X)
