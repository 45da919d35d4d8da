"""Random programs in which arrays get second names: in lists, dicts, tuples, choices and loops, and are written to under each."""
from __future__ import annotations

import textwrap
from random import Random
from typing import Any

import numpy as np
import pytest

from .by_differences import check, written

X = np.array([0.31, 0.73, 1.13])
START = """
a, b = x * 1.0, x * 2.0
q = {items}
d = {{"k": {kept}}}
"""
END = 'return np.sum(a * b) + sum(np.sum(r * r) * (i + 1) for i, r in enumerate(q)) + np.sum(d["k"])'
SIMPLE = (
    "{n} *= {f}", "{n} += {g} * 0.1", "{n}[{i}] += {f}[{j}] * {g}[{i}]", "{n}[1:] *= {f}[:-1]", "{v} = {n}", "{v} = {g} * 0.5 + {f}", "a, b = b, a",
    "q[{i}] = {n}", 'd["k"] = {n}', "q = list(q)", "q = q[::-1]", "q = [r for r in q]", "q[0], q[1] = q[1], q[0]", 'd = dict(d)',
    "{v} = {n} if x[{i}] > {c} else {g}", "{v} = max(q, key=lambda r: r[0])", "u = (a, {n})\nu[0][:] *= u[1]", "push(q, {n}, {i})", "{v} = pick(q, {n})",
    "for r in q:\n    r += {f} * 0.1", "for r, c in [(r, {f}[{i}]) for r in q]:\n    r *= c", "for r, s in zip(q, q[1:]):\n    s += r * 0.1",
)
HELPERS = """
def push(q, u, i):
    q[i] = u


def pick(q, u):
    for r in q:
        if r[0] > 0.647:
            return r
    return u
"""


def block(random: Random, depth: int) -> list[str]:
    """Some statements."""
    return [line for _ in range(random.randint(1, 3)) for line in statement(random, depth).split("\n")]


def statement(random: Random, depth: int) -> str:
    inner = textwrap.indent("\n".join(block(random, depth - 1)), "    ") if depth else ""
    match random.choice(("simple", "simple", "simple", "turns", "items", "choice", "append")) if depth else "simple":
        case "turns":
            return f"for k in range({random.choice((2, 3))}):\n{inner}"
        case "items":
            return f"for r in list(q):\n    {random.choice('ab')} = r\n{inner}"
        case "choice":
            other = textwrap.indent("\n".join(block(random, depth - 1)), "    ")
            return f"if x[{random.randrange(3)}] > {random.choice((0.2, 0.5))}:\n{inner}\nelse:\n{other}"
        case "append":
            return f"q.append({named(random)})"
        case _:
            return random.choice(SIMPLE).format(n=named(random), v=random.choice("ab"), f=random.choice(("x", "a", "q[0]")), g=named(random),
                                                i=random.randrange(2), j=random.randrange(3), c=random.choice((0.2, 0.5)))


def named(random: Random) -> str:
    return random.choice(("a", "a", "b", "q[0]", "q[1]", "q[-1]", 'd["k"]'))


def program(seed: int) -> str:
    """The text of a program."""
    random = Random(seed)
    start = START.format(items=random.choice(("[a, x * 3.0]", "[x * k for k in range(1, 4)]", "[a, b, a]", "[b, x + 1.0]")),
                         kept=random.choice(("a", "x * 0.5", "q[0]")))
    lines = [*start.strip().split("\n"), *(line for _ in range(random.randint(2, 4)) for line in statement(random, 2).split("\n")), END]
    return HELPERS + "\n\ndef program(x):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"


def differentiated(seed: int) -> Any:
    return written(program(seed), f"of names {seed}", X)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(seed):
    f = differentiated(seed)
    if f is None:
        pytest.skip("its numbers are too large for differences")
    check(f, X)
