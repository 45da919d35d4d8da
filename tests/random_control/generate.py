"""Random programs of two numbers, made of branches, loops and every kind of exit."""
from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Writer", "program"]

_NAMES = ("x", "y", "z")


class Writer:
    """Writes statements about three numbers."""

    #: what the programs may call
    names: Mapping[str, Any] = {}

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []
        self.loops = 0
        self.tries = 0

    def opening(self) -> None:
        """What the function begins with."""
        self.add(1, "z = 0.5")

    def closing(self) -> str:
        """What the function returns at its end."""
        return "x * y + z"

    def expression(self) -> str:
        r = self.rng
        a, b = r.choice(_NAMES), r.choice(_NAMES)
        return r.choice((f"{a} + {b}", f"{a} * 0.5", f"{a} - {b} * 0.25", f"{a} * {b} * 0.1", "x + 0.3", "y - 0.7", f"-{a}", f"np.sin({a})",
                         f"({a} if {self.condition()} else {b})"))

    def name(self) -> str:
        return self.rng.choice(_NAMES)

    def condition(self) -> str:
        r = self.rng
        a, b = r.choice(_NAMES), r.choice(_NAMES)
        simple = f"{a} {r.choice('<>')} {r.choice((b, '0.0', '0.5', '-0.4', '1.2'))}"
        return r.choice((simple, simple, simple, f"{simple} and y > -1.0", f"{simple} or x > 1.0", f"not {simple}", f"-2.0 < {a} < 1.0"))

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def body(self, depth: int, budget: int) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, budget)

    def statement(self, depth: int, budget: int) -> None:
        getattr(self, "_" + self.rng.choice(self.kinds(depth, budget)))(depth, budget)

    def kinds(self, depth: int, budget: int) -> list[str]:
        """What may stand here, what is likely more often."""
        kinds = ["assign"] * 4 + ["exit"] * (2 if depth > 1 else 0)
        if budget > 0:
            kinds += ["if"] * 4 + ["for"] * 2 + ["while"] + ["try"] + ["match"]
        return kinds

    def _assign(self, depth: int, budget: int) -> None:
        name = self.rng.choice(_NAMES)
        self.add(depth, self.rng.choice((f"{name} = {self.expression()}", f"{name} += {self.expression()}", f"{name} *= 0.9")))

    def _exit(self, depth: int, budget: int) -> None:
        choices = [f"return {self.expression()}", "return z"]
        if self.loops:
            choices += ["break", "continue"] * 2
        choices += ["raise ValueError('stop')"] * (2 if self.tries else 1)
        self.add(depth, self.rng.choice(choices))

    def _if(self, depth: int, budget: int) -> None:
        self.add(depth, f"if {self.condition()}:")
        self.body(depth + 1, budget - 1)
        for _ in range(self.rng.choice((0, 0, 1, 2))):
            self.add(depth, f"elif {self.condition()}:")
            self.body(depth + 1, budget - 1)
        if self.rng.random() < 0.5:
            self.add(depth, "else:")
            self.body(depth + 1, budget - 1)

    def loop(self, depth: int, budget: int, head: str) -> None:
        self.add(depth, head)
        self.turns(depth, budget)
        self.or_else(depth, budget)

    def turns(self, depth: int, budget: int) -> None:
        self.loops += 1
        self.body(depth + 1, budget - 1)
        self.loops -= 1

    def or_else(self, depth: int, budget: int) -> None:
        if self.rng.random() < 0.25:
            self.add(depth, "else:")
            self.body(depth + 1, budget - 1)

    def _for(self, depth: int, budget: int) -> None:
        self.loop(depth, budget, f"for i{depth} in range({self.rng.randint(1, 4)}):")

    def _while(self, depth: int, budget: int) -> None:
        name = f"n{depth}"
        self.add(depth, f"{name} = 0")
        self.add(depth, f"while {name} < {self.rng.randint(1, 4)} and ({self.condition()}):")
        self.add(depth + 1, f"{name} += 1")
        self.turns(depth, budget)
        self.or_else(depth, budget)

    def tried(self, depth: int, budget: int) -> None:
        """A body whose exceptions a clause below may take."""
        self.add(depth, "try:")
        self.tries += 1
        self.body(depth + 1, budget - 1)
        self.tries -= 1

    def _try(self, depth: int, budget: int) -> None:
        self.tried(depth, budget)
        self.add(depth, "except ValueError:")
        self.body(depth + 1, budget - 1)
        if self.rng.random() < 0.3:
            self.add(depth, "else:")
            self.body(depth + 1, budget - 1)

    def _match(self, depth: int, budget: int) -> None:
        self.add(depth, f"match int({self.rng.choice(_NAMES)} * 2.0) % 3:")
        for pattern in ("0", "1", "_"):
            self.add(depth + 1, f"case {pattern}:")
            self.body(depth + 2, budget - 1)


def program(seed: int, budget: int = 3, writer_of: Callable[[random.Random], Writer] = Writer) -> str:
    """The text of a function ``f(x, y)``."""
    writer = writer_of(random.Random(seed))
    writer.add(0, "def f(x, y):")
    writer.opening()
    for _ in range(3):
        writer.statement(1, budget)
    writer.add(1, f"return {writer.closing()}")
    return "\n".join(writer.lines) + "\n"
