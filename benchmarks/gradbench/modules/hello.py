"""GradBench's ``hello``: a square and its derivative."""
from __future__ import annotations

import transgrad as tg

from ..entry import Entry, compiled

__all__ = ["functions", "square"]


def square(x):
    return x * x


def functions(backend: str) -> dict[str, Entry]:
    def number(given):
        return (float(given),)

    return {
        "square": Entry(number, compiled(square, backend)),
        "double": Entry(number, tg.grad(square, backend=backend)),
    }
