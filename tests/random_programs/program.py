"""A program as a tree of statements, its text, and the text of its analytic twin.

In a statement's text ``⟦e⟧`` marks a value that is compared or made an integer: the program has ``e`` there, its twin ``re(e)``,
so that the twin can be run on complex numbers.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Program", "Stmt"]


@dataclass(eq=False)
class Stmt:
    """One statement: a line, or a header with the blocks under it (``else`` clauses are further statements in ``more``)."""

    text: str
    body: list["Stmt"] = field(default_factory=list)
    more: list["Stmt"] = field(default_factory=list)

    def lines(self, depth: int, removed: frozenset[int]) -> Iterator[str]:
        """The text, without the statements whose ids are removed."""
        if id(self) in removed:
            return
        yield "    " * depth + self.text
        if self.text.endswith(":"):
            inner = [line for s in self.body for line in s.lines(depth + 1, removed)]
            yield from inner or ["    " * (depth + 1) + "pass"]
        for other in self.more:
            yield from other.lines(depth, removed)

    def walk(self) -> Iterator["Stmt"]:
        """This statement and all inside it."""
        yield self
        for s in (*self.body, *self.more):
            yield from s.walk()


@dataclass
class Program:
    """A function ``program`` of the arguments ``args`` that returns the sum of ``terms``, and the helpers it may call; all of
    ``args`` are differentiated."""

    helpers: dict[str, str]
    params: str
    args: tuple[Any, ...]
    body: list[Stmt]
    terms: list[Stmt]
    seed: int = 0

    def marked(self, removed: frozenset[int] = frozenset()) -> str:
        """The text with its marks."""
        body = [line for s in self.body for line in s.lines(1, removed)]
        terms = [s.text for s in self.terms if id(s) not in removed]
        text = "\n".join([*body, f"    return {' + '.join(terms) or '0.0'}"])
        helpers = [source.lstrip("\n") + "\n\n" for name, source in sorted(self.helpers.items()) if f"{name}(" in text]
        return f"import math\n\nimport numpy as np\n\n\n{''.join(helpers)}def program({self.params}):\n{text}\n"

    def text(self, removed: frozenset[int] = frozenset()) -> str:
        """What a user would have written."""
        return self.marked(removed).replace("⟦", "").replace("⟧", "")

    def twin(self, removed: frozenset[int] = frozenset()) -> str:
        """The same program for complex numbers."""
        text = self.marked(removed).replace("⟦", "re(").replace("⟧", ")")
        return re.sub(r"^import .*$", "", text, flags=re.M)

    def statements(self) -> list[Stmt]:
        """All statements, outer ones first, and all terms of the result."""
        return [inner for s in self.body for inner in s.walk()] + self.terms
