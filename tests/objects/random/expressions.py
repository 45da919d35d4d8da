"""Expressions over the numbers in scope; their values stay bounded, and comparisons keep away from ties."""
from __future__ import annotations

import random

__all__ = ["Expressions"]


class Expressions:
    """Draws expressions over names of numbers."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def constant(self) -> str:
        return f"{self.rng.uniform(0.2, 1.8):.2f}"

    def number(self, names: list[str], depth: int = 2) -> str:
        """An expression of a float."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            return rng.choice(names) if names and rng.random() < 0.85 else self.constant()
        a, b = self.number(names, depth - 1), self.number(names, depth - 1)
        return rng.choice((
            f"({a} + {b})", f"({a} - {b})", f"0.5 * {a} * {b}" if " " not in a + b else f"({a}) * 0.5 * ({b})", f"math.sin({a})",
            f"math.tanh({a})", f"math.cos({a} + {b})", f"{a} / (1.5 + math.cos({b}))",
        ))

    def condition(self, names: list[str]) -> str:
        """A comparison whose sides are seldom equal."""
        a = self.number(names, 1)
        return f"{a} {self.rng.choice(('<', '>', '<=', '>='))} {self.rng.uniform(-0.9, 1.3):.3f}"
