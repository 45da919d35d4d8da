"""Tuples, lists and dicts that are returned on some paths, and are built there."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad


def tuples_of_two_lengths(x: Any, y: Any, m: int) -> Any:
    if m == 0:
        z = x * y
    else:
        if 0.35 < y < 0.5:
            return x, 2.0 * x, 3.0
        z = x
    for _ in range(3):
        z = np.sin(z)
    return z, y


def unpacked(x: Any, y: Any, m: int) -> Any:
    first, *rest = tuples_of_two_lengths(x, y, m)
    return first * rest[0] + len(rest)


def lists_of_several_lengths(x: Any, y: Any, m: int) -> Any:
    if m == 0:
        z = x * y
    else:
        if 0.35 < y < 0.5:
            return [x, 2.0 * x, 3.0]
        z = x
    for k in range(3):
        z = np.sin(z)
        if z > 0.3 * k + 0.2:
            return [z, x * y]
    return [z, y, x, 1.0]


def of_lists(x: Any, y: Any, m: int) -> Any:
    found = lists_of_several_lengths(x, y, m)
    return found[0] * found[1] + len(found)


def dicts_of_several_keys(x: Any, y: Any, m: int) -> Any:
    if m > 0:
        if x > y:
            return {"a": x, "b": y * x}
    else:
        y = y * y
    if y > 0.1:
        return {"a": y}
    return {"a": x * y, "c": x}


def of_dicts(x: Any, y: Any, m: int) -> Any:
    found = dicts_of_several_keys(x, y, m)
    return found["a"]**2 + len(found)


def until_it_is_small(x: Any, y: Any, m: int) -> Any:
    if m == 0:
        z = x * y
        n = 1
    else:
        z = x
        if 0.35 < y < 0.5:
            return 1, z, None, 3
        n = 3
    k = 0
    while True:
        k += 1
        z = z * np.cos(z)
        if z < 0.1:
            if n != 3:
                return n, z, 0, k, 2.0
            n = 2


def five_items(x: Any, y: Any, m: int) -> Any:
    n, z, _, k, half = until_it_is_small(x, y, m)
    return z * k * half + n


@pytest.mark.parametrize("m", [0, 1])
@pytest.mark.parametrize("x, y", [(0.3, 0.4), (0.7, 0.3), (0.2, 0.9)])
@pytest.mark.parametrize("f", [unpacked, of_lists, of_dicts, five_items])
def test_what_is_returned_is_built_where_it_is_returned(f: Callable[..., Any], x: float, y: float, m: int) -> None:
    if f is five_items and m and y == 0.4:
        with pytest.raises(ValueError, match="not enough values to unpack"):
            tg.grad(f, argnums=(0, 1), fallback="error")(x, y, m)
        return
    got, _ = tg.value_and_grad(f, argnums=(0, 1), fallback="error")(x, y, m)
    assert got == pytest.approx(f(x, y, m), rel=1e-14)
    check_grad(f, [x, y, m], argnums=(0, 1))
