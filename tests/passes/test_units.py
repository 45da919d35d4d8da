"""Functions of several numbers that one direction of a window moves each: what each of them moves is written out."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import numeric_jvp

RNG = np.random.default_rng(23)
X, M, B, W = RNG.uniform(0.5, 1.5, size=20), RNG.normal(size=(12, 2, 2)), RNG.normal(size=(2, 5)), RNG.normal(size=(4, 5))


def bent(a: Any, c: Any) -> Any:
    return np.array([[np.cos(a), -np.sin(c)], [np.sin(a) * c, 1.0]])


def of_three(a: Any, c: Any, e: Any) -> Any:
    return np.array([[np.cos(a) * e, 0.0], [np.sin(a) * c, np.exp(e) * c]])


def steep(a: Any, c: Any) -> Any:
    return np.array([[np.arcsin(a), 0.0], [0.0, c]])


def scaled(a: Any, c: Any) -> Any:
    """No display of numbers."""
    return a * np.eye(2) + c * np.ones((2, 2))


def looped(a: Any, c: Any) -> Any:
    out = a * c
    for _ in range(2):
        out = np.sin(out)
    return np.array([[out, 0.0], [0.0, a]])


def handed_on(a: Any, c: Any) -> Any:
    """It calls another function."""
    return bent(a * c, c)


def posed(one: Callable[..., Any]) -> Callable[..., Any]:
    """Turns of which each moves a frame by ``one`` of its own part of ``x``."""
    def f(x: Any, m: Any, b: Any, w: Any) -> Any:
        total = np.zeros_like(b)
        for f in range(4):
            frame = m[f]
            for j in range(3):
                if j > 0:
                    frame = frame @ one(x, 4 * f + j)
                total = total + w[j] * (frame @ b)
        return total
    return f


TAKEN = {
    "side by side": posed(lambda x, k: bent(x[k], x[k + 1])),
    "the other way round": posed(lambda x, k: bent(x[k + 1], x[k])),
    "three": posed(lambda x, k: of_three(x[k + 1], x[k + 2], x[k])),
    "a number besides": posed(lambda x, k: of_three(x[k], 0.5, x[k + 1])),
}
LEFT = {
    "apart": posed(lambda x, k: bent(x[k], x[k + 2])),
    "the same": posed(lambda x, k: of_three(x[k], x[k + 1], x[k])),
    "a function of one": posed(lambda x, k: bent(x[k] * 2.0, x[k + 1])),
    "no display": posed(lambda x, k: scaled(x[k], x[k + 1])),
    "a call inside": posed(lambda x, k: handed_on(x[k], x[k + 1])),
    "a loop": posed(lambda x, k: looped(x[k], x[k + 1])),
}


def text(f: Any) -> str:
    return tg.jacfwd(f, fallback="error").source_for(X, M, B, W)


@pytest.mark.parametrize("name", [*TAKEN, *LEFT])
def test_agrees_with_differences(name: str) -> None:
    f = {**TAKEN, **LEFT}[name]
    assert "_turn_" in text(f), "the turns are not side by side"
    found = tg.jacfwd(f, fallback="error")(X, M, B, W)
    expected = np.stack([numeric_jvp(lambda x: f(x, M, B, W), [X], [e]) for e in np.eye(20)], axis=-1)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found, tg.jacfwd(f, optimize={"unrolled": False})(X, M, B, W), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    assert "_units" in text(TAKEN[name])
    assert "_units" not in tg.jacfwd(TAKEN[name], optimize={"unrolled": False}).source_for(X, M, B, W)


@pytest.mark.parametrize("name", LEFT)
def test_left_as_it_is(name: str) -> None:
    assert "_units" not in text(LEFT[name])


def test_text() -> None:
    shown = text(TAKEN["side by side"])
    assert shown[:shown.index("\n\n\n")] == """\
def bent_jvp_units_batched(a, c):
    n_batch = len(a)
    s = np.sin(a)
    t = np.cos(a)
    q = np.zeros((n_batch, 2, 2))
    q[:, 0, 0] = t
    q[:, 0, 1] = -np.sin(c)
    q[:, 1, 0] = s * c
    q[:, 1, 1] = 1.0
    r = np.zeros((n_batch, 2, 2, 2))
    r[:, 0, 0, 0] = -s
    r[:, 0, 1, 0] = t * c
    r[:, 1, 0, 1] = -np.cos(c)
    r[:, 1, 1, 0] = s
    return q, r"""


def test_what_a_direction_does_not_move_is_zero() -> None:
    """The slope of one number is infinite; the direction of the other one does not ask for it."""
    f, x = posed(lambda x, k: steep(x[k], x[k + 1])), np.full(20, 0.5)
    x[1] = 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        found = tg.jacfwd(f, fallback="error")(x, M, B, W)
    assert "_units" in text(f)
    assert np.isfinite(found).all(axis=(0, 1)).tolist() == [k != 1 for k in range(20)]
