"""Random programs whose helpers are given, change and return lists, dicts and instances, which their callers then change."""
from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import pytest

from .by_differences import MODES, check, written

X = np.array([0.31, 0.73, 1.13])
BOX = """
class Box:
    def __init__(self, v, items):
        self.v = v
        self.items = items

    def step(self, u):
        self.v = self.v * u

    def push(self, u):
        self.items.append(u)
        return self

    def total(self):
        t = self.v
        for z in self.items:
            t = t + z
        return t
"""
WRITES = ("{n} *= {g}", "{n} += {g} * 0.1", "{n}[{i}] += {g}[{j}]", "{n}[1:] *= {g}[:-1]")
ARRAYS = ("{v} = {n} * {g}", "{v} = {n} * 0.5 + {g}", "{v} = {n} + 1.0", "{v} = {n}", "{v} = {n} if {g}[{i}] > {c} else {g}", "{v} = {n} * 1.0")
LISTS = (
    "{q}.append({n})", "{q}.append({n} * {g})", "{q}.insert(0, {n})", "{q}.insert({i}, {n})", "{q}.pop()", "{q}.pop(0)", "{q}[{i}] = {n}",
    "{q}[0], {q}[1] = {q}[1], {q}[0]", "{p} = {q}", "{p} = list({q})", "{p} = [z * {g} for z in {q}]", "{p} = {q}[::-1]", "{p} = {q} + [{n}]",
    "{p} = {q}[1:] + {q}[:2]", "{q}.extend([{n}, {g}])", "{q}.reverse()", "del {q}[0]", "{p} = [{n}, *{q}]", "{q} += {p}[:1]",
)
DICTS = (
    '{d}["k"] = {n}', "{d} = dict({d})", '{d}["m"] = {n}', '{d} = {{"k": {n}, "m": {g}}}', "{d}.update(k={n})", '{v} = {d}.get("m", {n})',
    '{v} = {d}.pop("m", {n})', '{v} = {d}.setdefault("m", {n})',
)
BOXES = (
    "{o}.v = {n}", "{o}.items = [{n}, {g}]", "{o}.step({n})", "{o}.items.append({n})", "{v} = {o}.total()", "{o}.push({n})",
    "{o} = Box({n}, [{g}, {n}])",
)
PARAMETERS = (("q",), ("q", "u"), ("u",), ("u", "w"), ("d", "u"), ("q", "d"), ("o", "u"), ("q", "p"), ("o",))
KINDS = {"u": "arrays", "w": "arrays", "q": "lists", "p": "lists", "d": "dicts", "o": "boxes"}
END = """
return (np.sum(a * b) + sum(np.sum(r * r) * (i + 1) for i, r in enumerate(q)) + np.sum(d["k"]) + np.sum(o.v * b)
        + sum(np.sum(r * r) * (i + 2) for i, r in enumerate(o.items)))
"""


@dataclass(frozen=True)
class Names:
    """What there is at a place of the text."""

    arrays: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    dicts: tuple[str, ...] = ()
    boxes: tuple[str, ...] = ()


class Writer:
    """Writes one program."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.writes = self.random.random() < 0.4
        #: name, kinds of the parameters, kinds of the results
        self.helpers: list[tuple[str, list[str], list[str]]] = []

    def one(self, items: Any) -> Any:
        return self.random.choice(items)

    def array(self, at: Names) -> str:
        """Something that is an array."""
        return self.one([*at.arrays, *(f"{q}[{i}]" for q in at.lists for i in (0, 1, -1)), *(f'{d}["k"]' for d in at.dicts),
                         *(f"{o}.{part}" for o in at.boxes for part in ("v", "items[0]"))])

    def statement(self, at: Names, depth: int) -> str:
        lists = [*at.lists, *(f"{o}.items" for o in at.boxes)]
        words = {"n": self.array(at), "g": self.array(at), "v": self.one(at.arrays), "i": self.random.randrange(2),
                 "j": self.random.randrange(3), "c": self.one((0.2, 0.5, 0.9)), "q": self.one(lists or [""]), "p": self.one(at.lists or [""]),
                 "d": self.one(at.dicts or [""]), "o": self.one(at.boxes or [""])}
        pools = [ARRAYS, ARRAYS]
        pools += [WRITES] if self.writes else []
        pools += [LISTS, LISTS] if at.lists else []
        pools += [DICTS] if at.dicts else []
        pools += [BOXES] if at.boxes else []
        pools += [("call",)] * 3 if self.helpers else []
        pools += [("for",), ("if",), ("items",)] if depth else []
        text = self.one(self.one(pools))
        if text == "call":
            return self.call(at)
        if text not in ("for", "if", "items"):
            return str(text.format(**words))
        inner = self.block(at, depth - 1)
        if text == "for":
            return f"for k{depth} in range({self.one((2, 3))}):\n{inner}"
        if text == "if":
            return f"if {words['n']}[{words['i']}] > {words['c']}:\n{inner}\nelse:\n{self.block(at, depth - 1)}"
        items = words["q"] or f"[{words['n']}]"
        return f"for z in list({items}):\n    {words['v']} = z\n{inner}"

    def block(self, at: Names, depth: int) -> str:
        return textwrap.indent("\n".join(self.statement(at, depth) for _ in range(self.random.randint(1, 3))), "    ")

    def call(self, at: Names) -> str:
        name, taken, given = self.one(self.helpers)
        lists = [*at.lists, *(f"{o}.items" for o in at.boxes)]
        n, g = self.array(at), self.array(at)
        made = {"arrays": n, "lists": f"[{n}, {g}]", "dicts": f'{{"k": {n}}}', "boxes": f"Box({n}, [{g}, {n}])"}
        found = {"arrays": [n], "lists": lists, "dicts": at.dicts, "boxes": at.boxes}
        text = f"{name}({', '.join(self.one(found[kind] or [made[kind]]) for kind in taken)})"
        targets = [self.one(getattr(at, kind) or ["_"]) for kind in given]
        return f"{', '.join(targets)} = {text}" if targets else text

    def helper(self, name: str) -> str:
        """The text of a function that the program, and later helpers, may call."""
        parameters = self.one(PARAMETERS)
        at = Names(*(tuple(p for p in parameters if KINDS[p] == kind) for kind in ("arrays", "lists", "dicts", "boxes")))
        lines = []
        if not at.arrays:
            lines.append(f"w = {self.array(at)} * 0.5")
            at = replace(at, arrays=("w",))
        if "p" not in at.lists and self.random.random() < 0.4:
            lines.append(f"p = [{at.arrays[0]}, {at.arrays[0]} * 0.5]")
            at = replace(at, lists=(*at.lists, "p"))
        lines += [self.statement(at, 1) for _ in range(self.random.randint(1, 3))]
        results = [(kind, v) for kind in ("arrays", "lists", "lists", "dicts", "boxes") for v in getattr(at, kind)]
        chosen = [self.one(results) for _ in range(self.one((0, 1, 1, 2)))]
        back = f"return {', '.join(v for _, v in chosen)}"
        if chosen and self.random.random() < 0.25:
            lines.append(f"if {at.arrays[0]}[0] > 0.7:\n    {back}")
            lines.append(self.statement(at, 1))
        lines += [back] if chosen else []
        self.helpers.append((name, [KINDS[p] for p in parameters], [kind for kind, _ in chosen]))
        return f"\n\ndef {name}({', '.join(parameters)}):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"

    def program(self) -> str:
        """The text of it."""
        helpers = [self.helper(f"h{k}") for k in range(self.random.randint(1, 3))]
        at = Names(("a", "b"), ("q",), ("d",), ("o",))
        items = self.one(("[a, x * 3.0]", "[x * k for k in range(1, 4)]", "[b, x + 1.0]"))
        lines = ["a, b = x * 1.0, x * 2.0", f"q = {items}", 'd = {"k": x * 0.5}', "o = Box(x * 0.3, [a * 0.5, x * 0.7])"]
        lines += [self.statement(at, 2) for _ in range(self.random.randint(3, 6))]
        return BOX + "".join(helpers) + "\n\ndef program(x):\n" + textwrap.indent("\n".join(lines) + END, "    ")


def differentiated(seed: int) -> Any:
    """A program, or None where it raises (items may be taken of lists that have none) or its numbers are too large for differences."""
    return written(Writer(seed).program(), f"of helpers {seed}", X, raises=(IndexError,))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(seed):
    f = differentiated(seed)
    if f is None:
        pytest.skip("it raises, or its numbers are too large for differences")
    check(f, X)


@pytest.mark.parametrize("seed", [0, 1, 213])
def test_second_derivatives(seed):
    """213: a list of shadows is extended in place by one that is mirrored."""
    f = differentiated(seed)
    if f is None:
        pytest.skip("it raises, or its numbers are too large for differences")
    MODES["second"](f, X, fallback="error")
