"""What each transformation has to give for a scalar function of one container; a check returns what is wrong, or None."""
from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg

from .containers import difference, leaves, rebuilt
from .oracle import along, second

__all__ = ["TRANSFORMATIONS", "Case"]


class Case:
    """A function, its container and the gradient by differences; ``options`` are those of the transformation."""

    def __init__(self, f: Callable[[Any], Any], x: Any, slopes: list[Any], rng: np.random.Generator, options: dict[str, Any]):
        self.f, self.x, self.slopes, self.rng, self.options = f, x, slopes, rng, options
        self.is_complex = any(map(np.iscomplexobj, leaves(x)))
        self.is_narrow = any(np.asarray(leaf).dtype.itemsize < 8 for leaf in leaves(x))

    def close(self, found: Any, wanted: Any, loose: float = 1.0) -> bool:
        tolerance = (3e-2 if self.is_narrow else 3e-4) * loose
        return np.allclose(np.asarray(found), np.asarray(wanted), rtol=tolerance, atol=tolerance, equal_nan=True)

    def tangent(self) -> Any:
        def one(leaf: Any) -> Any:
            drawn = self.rng.uniform(-1.0, 1.0, np.shape(leaf))
            drawn = drawn + 1j * self.rng.uniform(-1.0, 1.0, np.shape(leaf)) if np.iscomplexobj(leaf) else drawn
            if isinstance(leaf, np.ndarray):
                return np.asarray(drawn).astype(leaf.dtype)
            return leaf.dtype.type(drawn) if isinstance(leaf, np.generic) else type(leaf)(drawn)
        return rebuilt(self.x, iter([one(leaf) for leaf in leaves(self.x)]))

    def judge(self, found: Any, wanted: list[Any], loose: float = 1.0) -> str | None:
        """What is wrong with a gradient."""
        wrong = difference(found, self.x)
        if wrong is not None:
            return wrong
        for k, (g, w) in enumerate(zip(leaves(found), wanted)):
            if not self.close(g, w, loose):
                return f"leaf {k} is {g}, by differences {w}"
        for a, b in itertools.combinations([leaf for leaf in [*leaves(found), *leaves(self.x)] if isinstance(leaf, np.ndarray)], 2):
            if np.shares_memory(a, b):
                return "leaves share memory"
        return None


def _one_like(value: Any) -> Any:
    return np.ones_like(value)[()]


def grad(c: Case) -> str | None:
    return c.judge(tg.grad(c.f, **c.options)(c.x), c.slopes)


def value_and_grad(c: Case) -> str | None:
    value, found = tg.value_and_grad(c.f, **c.options)(c.x)
    return c.judge(found, c.slopes) if c.close(value, c.f(c.x)) else f"the value is {value}"


def vjp(c: Case) -> str | None:
    value, pull = tg.vjp(c.f, c.x, **c.options)
    return c.judge(pull(_one_like(value))[0], c.slopes) or c.judge(pull(_one_like(value))[0], c.slopes)


def jvp(c: Case) -> str | None:
    t = c.tangent()
    value, dot = tg.jvp(c.f, (c.x,), (t,), **c.options)
    if not c.close(value, c.f(c.x)):
        return f"the value is {value}"
    return None if c.close(dot, along(t, c.slopes)) else f"the tangent is {dot}, by differences {along(t, c.slopes)}"


def linearize(c: Case) -> str | None:
    _, linear = tg.linearize(c.f, c.x, **c.options)
    for _ in range(2):
        t = c.tangent()
        before = [np.array(leaf) for leaf in leaves(t)]
        dot = linear(t)
        if not c.close(dot, along(t, c.slopes)):
            return f"the tangent is {dot}, by differences {along(t, c.slopes)}"
        if not all(map(np.array_equal, before, leaves(t))):
            return "the tangent of the caller was written to"
    return None


def jacrev(c: Case) -> str | None:
    return None if c.is_complex else c.judge(tg.jacrev(c.f, **c.options)(c.x), c.slopes)


def jacfwd(c: Case) -> str | None:
    return None if c.is_complex or c.is_narrow else c.judge(tg.jacfwd(c.f, **c.options)(c.x), c.slopes)


def hvp(c: Case) -> str | None:
    if c.is_complex or c.is_narrow:
        return None
    t = c.tangent()
    found = tg.hvp(c.f, (c.x,), (t,), **c.options)
    return c.judge(found[0] if isinstance(found, tuple) and len(found) == 1 and difference(found, c.x) else found, second(c.f, c.x, t), 50.0)


def vjp_of_grad(c: Case) -> str | None:
    if c.is_complex or c.is_narrow:
        return None
    t = c.tangent()
    return c.judge(tg.vjp(tg.grad(c.f, **c.options), c.x, **c.options)[1](t)[0], second(c.f, c.x, t), 50.0)


def linearize_grad(c: Case) -> str | None:
    if c.is_complex or c.is_narrow:
        return None
    t = c.tangent()
    return c.judge(tg.linearize(tg.grad(c.f, **c.options), c.x, **c.options)[1](t), second(c.f, c.x, t), 50.0)


def vmap_of_grad(c: Case) -> str | None:
    twice = rebuilt(c.x, iter([np.stack([leaf, leaf]) for leaf in leaves(c.x)]))
    found = tg.vmap(tg.grad(c.f, **c.options))(twice)
    wrong = difference(found, twice)
    if wrong is not None:
        return wrong
    return next((f"leaf {k} is {g[1]}, by differences {w}" for k, (g, w) in enumerate(zip(leaves(found), c.slopes)) if not c.close(g[1], w)), None)


TRANSFORMATIONS: dict[str, Callable[[Case], str | None]] = {
    f.__name__: f for f in (grad, value_and_grad, vjp, jvp, linearize, jacrev, jacfwd, hvp, vjp_of_grad, linearize_grad, vmap_of_grad)}
