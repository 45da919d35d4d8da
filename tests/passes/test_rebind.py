"""Arrays of one's own that are changed as a whole are other arrays from there on; what others refer to changes for them, too."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from .by_differences import MODES, Programs, check

rebound, changed = Programs(), Programs()
X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])


@rebound
def softmax(x: Any) -> Any:
    m = x.reshape(2, 3) * 1.5
    e = np.exp(m - m.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    return np.sum(e ** 2)


@rebound
def one_buffer(x: Any) -> Any:
    t = -1.3 * x
    np.exp(t, out=t)
    t += 1.0
    t **= 2
    return np.sum(1.0 / t)


@rebound
def in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        d = x - x[k]
        d *= d
        d -= 0.1
        total += np.sum(d ** 2)
    return total


@changed
def seen_under_another_name(x: Any) -> Any:
    t = x * x
    other = t
    t *= x
    return np.sum(other ** 2)


@changed
def seen_through_a_view(x: Any) -> Any:
    t = x * x
    first = t[:3]
    t *= x
    return np.sum(first ** 2) + np.sum(t)


@changed
def held_by_a_list(x: Any) -> Any:
    t = x * x
    held = [t]
    t += x
    return np.sum(held[0] ** 2)


@changed
def items_of_pairs(x: Any) -> Any:
    s, t = x * 1.0, x * 2.0
    for p, r in [(s, t), (t, s)]:
        p += r * r
    return np.sum(s * t)


@changed
def carried(x: Any) -> Any:
    t = x * x
    for k in range(3):
        t *= x[k]
    return np.sum(t)


@changed
def changed_in_a_branch(x: Any) -> Any:
    t = np.exp(x)
    if x[0] > 0.0:
        t *= x
    return np.sum(t ** 2)


@changed
def smaller_first(x: Any) -> Any:
    t = x[:1] * 2.0
    t *= x[:1]
    s = x[1:2] * 1.0
    s += t
    return np.sum(s ** 2)


@pytest.mark.parametrize("f", [*rebound, *changed])
def test_derivatives_are_those_of_differences(f: Any) -> None:
    check(f, X)
    MODES["second"](f, X)


@pytest.mark.parametrize("f", rebound)
def test_no_copies(f: Any) -> None:
    assert ".copy()" not in tg.grad(f).source_for(X)


def test_text() -> None:
    text = tg.grad(one_buffer).source_for(X)
    assert "np.exp(t)" in text and "out=" not in text and "[...]" not in text
