"""Estimates of floating-point operations from the shapes of arguments."""
from __future__ import annotations

from collections.abc import Sequence
from math import prod


def estimate(name: str, shapes: Sequence[Sequence[int]]) -> int:
    """Operations of a call, multiplications and additions counted apart; 0 for operations without estimate.

    As in torch these are the products of matrices and the element-wise sum and product, by the shape of their first argument.

    Examples
    --------
    >>> estimate("aten::mm", [[3, 4], [4, 5]])
    120
    """
    match name.removeprefix("aten::"), len(shapes):
        case ("mm" | "bmm", 2):
            return 2 * prod(shapes[0]) * shapes[1][-1]
        case ("addmm" | "baddbmm", count) if count >= 3:
            return 2 * prod(shapes[1]) * shapes[2][-1]
        case ("add" | "mul", count) if count >= 1 and shapes[0]:
            return prod(shapes[0])
    return 0
