"""GradBench's ``det``: the determinant by recursive expansion along the first row."""
from __future__ import annotations

import transgrad as tg

from ..entry import Entry, array, compiled, encoded

__all__ = ["expand", "functions", "primal"]


def expand(a, row, columns):
    """The determinant of the minor with the rows from ``row`` on and the columns in a list."""
    if len(columns) == 1:
        return a[row, columns[0]]
    total = 0.0
    sign = 1.0
    for j in range(len(columns)):
        total += sign * a[row, columns[j]] * expand(a, row + 1, columns[:j] + columns[j + 1:])
        sign = -sign
    return total


def primal(a):
    return expand(a, 0, list(range(len(a))))


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        ell = int(given["ell"])
        return (array(given["A"]).reshape(ell, ell),)

    def row_major(result):
        return encoded(result.ravel())

    return {
        "primal": Entry(arguments, compiled(primal, backend)),
        "gradient": Entry(arguments, tg.grad(primal, backend=backend), row_major),
    }
